//! Connected components of a mesh, and which way round it is wound. Only indices matter here:
//! corners at the same place must have the same index.

use std::collections::HashMap;

/// Components connected by edges, numbered in the order of their first triangles. Closed pieces that
/// only share an edge are components of their own: each may be wound its own way.
///
/// A component is closed if every edge is used as often in one direction as in the other, once its
/// triangles are turned to agree where they did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// The component of each triangle; [`Components::NONE`] for triangles that bound nothing: those
    /// that use a corner twice, and those that stand there once more than is of use
    /// (`geometry/duplicates.rs`).
    pub of: Vec<u32>,
    /// Which triangles are to be turned so that neighbours agree, as far as they can.
    pub flipped: Vec<bool>,
    /// Of each component: whether it is closed.
    pub closed: Vec<bool>,
}

impl Components {
    /// No component.
    pub const NONE: u32 = u32::MAX;

    /// Whether a triangle belongs to a component that is open.
    pub(super) fn is_of_open(&self, triangle: usize) -> bool {
        self.closed.get(self.of[triangle] as usize) == Some(&false)
    }

    /// Looks at the triangles over this many vertices.
    pub fn new(triangles: &[[u32; 3]], vertices: usize) -> Self {
        Self::by_edges(triangles, &Edges::new(triangles, vertices))
    }

    /// Looks at the triangles whose edges these are.
    pub(super) fn by_edges(triangles: &[[u32; 3]], edges: &Edges) -> Self {
        let (whole, non_manifold) = Self::as_written(triangles, edges);
        // Two triangles with the same corners share an edge with a third one, or are alone: then
        // they are closed and enclose nothing.
        if !non_manifold {
            return whole;
        }
        let duplicates = edges.duplicates(triangles);
        let mut components = if duplicates.is_empty() {
            whole
        } else {
            Self::with_duplicates(triangles, edges.vertices(), &whole, &duplicates)
        };
        components.take_apart(triangles, edges);
        components
    }

    /// Makes components of the parts of closed ones that are closed by themselves: connected across
    /// edges that two triangles share, and at each edge as often upwards as downwards. A fin that is
    /// written from both sides is none.
    fn take_apart(&mut self, triangles: &[[u32; 3]], edges: &Edges) {
        let of_closed = |one: &&HalfEdge| {
            let component = self.of[one.triangle()] as usize;
            self.closed.get(component) == Some(&true)
        };
        let mut joined = DisjointSets::new(self.of.len());
        for half_edges in edges.all() {
            let mut here = half_edges.iter().filter(of_closed);
            if let (Some(one), Some(two), None) = (here.next(), here.next(), here.next()) {
                joined.join(one.triangle(), two.triangle());
            }
        }
        let mut is_closed = vec![true; self.of.len()];
        for half_edges in edges.all() {
            let mut here: Vec<(usize, i32)> = (half_edges.iter().filter(of_closed))
                .map(|one| {
                    let up = one.upwards() != self.flipped[one.triangle()];
                    (joined.root(one.triangle()), if up { 1 } else { -1 })
                })
                .collect();
            here.sort_unstable();
            for of_part in here.chunk_by(|a, b| a.0 == b.0) {
                if of_part.iter().map(|(_, up)| up).sum::<i32>() != 0 {
                    is_closed[of_part[0].0] = false;
                }
            }
        }
        // How often each triangle is there, one way round less the other one.
        let mut sides: HashMap<(usize, [u32; 3]), i32> = HashMap::new();
        for (t, corners) in triangles.iter().enumerate() {
            let root = joined.root(t);
            if self.of[t] != Self::NONE && is_closed[root] {
                let (corners, is_turned) = in_order(*corners);
                let up = is_turned == self.flipped[t];
                *sides.entry((root, corners)).or_default() += if up { 1 } else { -1 };
            }
        }
        let mut has_inside = vec![false; self.of.len()];
        for ((root, _), _) in sides.iter().filter(|(_, sides)| **sides != 0) {
            has_inside[*root] = true;
        }
        // A fin goes with the first part of its component, and what is not closed by itself stays
        // together.
        let mut first_parts: HashMap<u32, usize> = HashMap::new();
        for t in 0..self.of.len() {
            let root = joined.root(t);
            if is_closed[root] && has_inside[root] {
                first_parts.entry(self.of[t]).or_insert(root);
            }
        }
        let mut numbers: HashMap<(u32, Option<usize>), u32> = HashMap::new();
        let mut closed = Vec::new();
        for t in 0..self.of.len() {
            let component = self.of[t];
            if component == Self::NONE {
                continue;
            }
            let root = joined.root(t);
            let part = match (is_closed[root], has_inside[root]) {
                _ if !self.closed[component as usize] => None,
                (true, true) => Some(root),
                (true, false) => first_parts.get(&component).copied(),
                (false, _) => None,
            };
            self.of[t] = *numbers.entry((component, part)).or_insert_with(|| {
                closed.push(self.closed[component as usize]);
                closed.len() as u32 - 1
            });
        }
        self.closed = closed;
    }

    /// The same, with every triangle as often as it is there. Also whether more than two meet at
    /// some edge.
    pub(super) fn as_written(triangles: &[[u32; 3]], edges: &Edges) -> (Self, bool) {
        let mut joined = DisjointSets::new(triangles.len());
        let (mut oriented, mut non_manifold) = (true, false);
        // Of each edge that is not used as often upwards as downwards one triangle.
        let mut at_open: Vec<u32> = Vec::new();
        for half_edges in edges.all() {
            for pair in half_edges.windows(2) {
                joined.join(pair[0].triangle(), pair[1].triangle());
            }
            let balanced = match half_edges {
                [one, two] => {
                    let alike = one.upwards() == two.upwards();
                    oriented &= !alike;
                    !alike
                }
                _ => {
                    non_manifold |= half_edges.len() > 2;
                    is_balanced(half_edges, HalfEdge::upwards)
                }
            };
            if !balanced {
                at_open.push(half_edges[0].triangle() as u32);
            }
        }
        let (of, count) = numbered(triangles, joined);
        let mut components = Self {
            of,
            flipped: vec![false; triangles.len()],
            closed: vec![true; count],
        };
        for t in at_open {
            components.closed[components.of[t as usize] as usize] = false;
        }
        // Where all neighbours agree nothing is to be turned: most open meshes are a sheet that is
        // wound one way.
        if !oriented {
            components.orient(edges);
            components.closed.fill(true);
            components.find_open(edges);
        }
        (components, non_manifold)
    }

    /// A component with an edge that is not used as often upwards as downwards, once triangles are
    /// turned, is open.
    fn find_open(&mut self, edges: &Edges) {
        let up = |one: HalfEdge| one.upwards() != self.flipped[one.triangle()];
        for half_edges in edges.all().filter(|all| !is_balanced(all, up)) {
            self.closed[self.of[half_edges[0].triangle()] as usize] = false;
        }
    }

    /// Turns triangles of open components until neighbours agree, across edges that exactly two of
    /// them share; the fewer ones give way.
    fn orient(&mut self, edges: &Edges) {
        let count = self.of.len();
        const NOBODY: u32 = u32::MAX;
        // Of each edge twice the triangle on the other side, and one more if that is wound alike.
        let mut across = vec![NOBODY; 3 * count];
        for half_edges in edges.all() {
            if let [one, two] = *half_edges {
                let alike = u32::from(one.upwards() == two.upwards());
                across[one.edge()] = 2 * two.triangle() as u32 + alike;
                across[two.edge()] = 2 * one.triangle() as u32 + alike;
            }
        }
        let mut seen = vec![false; count];
        for seed in 0..count {
            let component = self.of[seed];
            if seen[seed] || component == Self::NONE || self.closed[component as usize] {
                continue;
            }
            seen[seed] = true;
            let mut patch = vec![seed];
            let mut next = 0;
            while let Some(&t) = patch.get(next) {
                next += 1;
                for &over in &across[3 * t..3 * t + 3] {
                    let other = over as usize / 2;
                    if over != NOBODY && !seen[other] {
                        seen[other] = true;
                        self.flipped[other] = self.flipped[t] ^ (over % 2 == 1);
                        patch.push(other);
                    }
                }
            }
            let flipped = patch.iter().filter(|&&t| self.flipped[t]).count();
            if 2 * flipped > patch.len() {
                for &t in &patch {
                    self.flipped[t] = !self.flipped[t];
                }
            }
        }
    }
}

/// The corners of a triangle in order, and whether it is wound the other way round then.
fn in_order([a, b, c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut corners = [a, b, c];
    corners.sort_unstable();
    let is_turned = ![[a, b, c], [b, c, a], [c, a, b]].contains(&corners);
    (corners, is_turned)
}

/// Whether an edge is used as often upwards as downwards.
fn is_balanced(half_edges: &[HalfEdge], up: impl Fn(HalfEdge) -> bool) -> bool {
    2 * half_edges.iter().filter(|one| up(**one)).count() == half_edges.len()
}

/// The component of each triangle, and how many there are.
fn numbered(triangles: &[[u32; 3]], joined: DisjointSets) -> (Vec<u32>, usize) {
    let mut count = 0;
    // What a triangle points to stands before it, and has its number by then; the first triangle of
    // a component points to itself.
    let mut of = joined.0;
    for (t, corners) in triangles.iter().enumerate() {
        let before = of[t] as usize;
        of[t] = if uses_a_corner_twice(corners) {
            Components::NONE
        } else if before < t {
            of[before]
        } else {
            count += 1;
            count - 1
        };
    }
    (of, count as usize)
}

pub(super) fn uses_a_corner_twice([a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// One triangle, the first, of everything that hangs together by vertices, in order. A body of
/// several such components needs one containment test for each.
pub fn joined_by_corners(triangles: &[[u32; 3]], vertices: usize) -> Vec<u32> {
    let mut joined = DisjointSets::new(vertices);
    for &[a, b, c] in triangles {
        joined.join(a as usize, b as usize);
        joined.join(b as usize, c as usize);
    }
    let mut seen = vec![false; vertices];
    let mut is_first = |t: &usize| {
        let root = joined.root(triangles[*t][0] as usize);
        !std::mem::replace(&mut seen[root], true)
    };
    (0..triangles.len())
        .filter(|t| is_first(t))
        .map(|t| t as u32)
        .collect()
}

/// A triangle at an edge: the higher vertex of the edge, then twice the number of the edge, and one
/// more if it is run along upwards. As one number, so that those of a vertex are put in order by the
/// edge, then by the triangle, at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Zeroable)]
#[repr(transparent)]
pub(super) struct HalfEdge(u64);

impl HalfEdge {
    fn new(high_vertex: u32, at: u32) -> Self {
        Self(u64::from(high_vertex) << 32 | u64::from(at))
    }

    /// The higher vertex of the edge.
    pub(super) fn high_vertex(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn triangle(self) -> usize {
        self.0 as u32 as usize / 6
    }

    /// Three times the triangle, and which of its edges: from that corner to the next one.
    fn edge(self) -> usize {
        self.0 as u32 as usize / 2
    }

    /// Whether the triangle runs along the edge from the lower vertex to the higher one.
    pub(super) fn upwards(self) -> bool {
        self.0 % 2 == 1
    }
}

/// The triangles at each edge: for every vertex a list of the edges that lead to higher ones,
/// sorted.
pub(super) struct Edges {
    /// Where the list of each vertex begins.
    starts: Vec<u32>,
    half_edges: Vec<HalfEdge>,
}

impl Edges {
    pub(super) fn new(triangles: &[[u32; 3]], vertices: usize) -> Self {
        let surfaces = || {
            let all = (0u32..).zip(triangles);
            all.filter(|(_, t)| !uses_a_corner_twice(t))
        };
        // Counted, then filled from the back of each list, which leaves its beginning behind.
        let mut starts = vec![0u32; vertices + 1];
        for (_, &[a, b, c]) in surfaces() {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                starts[p.min(q) as usize] += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut half_edges: Vec<HalfEdge> = bytemuck::zeroed_vec(sum as usize);
        for (i, &[a, b, c]) in surfaces() {
            for (k, (p, q)) in (0..).zip([(a, b), (b, c), (c, a)]) {
                let start = &mut starts[p.min(q) as usize];
                *start -= 1;
                let at = 2 * (3 * i + k) + u32::from(p < q);
                half_edges[*start as usize] = HalfEdge::new(p.max(q), at);
            }
        }
        for list in starts.windows(2) {
            sort(&mut half_edges[list[0] as usize..list[1] as usize]);
        }
        Self { starts, half_edges }
    }

    /// Over how many vertices.
    pub(super) fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether the two triangles at each edge that has two are wound alike there, as neighbours of
    /// a sheet are.
    pub(super) fn is_oriented(&self) -> bool {
        self.all().all(|half_edges| match half_edges {
            [one, two] => one.upwards() != two.upwards(),
            _ => true,
        })
    }

    /// For every edge the triangles that use it.
    fn all(&self) -> impl Iterator<Item = &[HalfEdge]> {
        self.by_vertex().map(|(_, half_edges)| half_edges)
    }

    /// For every edge its lower vertex and the triangles that use it.
    pub(super) fn by_vertex(&self) -> impl Iterator<Item = (u32, &[HalfEdge])> {
        (0u32..)
            .zip(self.starts.windows(2))
            .flat_map(|(near, list)| {
                let here = &self.half_edges[list[0] as usize..list[1] as usize];
                here.chunk_by(|a, b| a.high_vertex() == b.high_vertex())
                    .map(move |half_edges| (near, half_edges))
            })
    }
}

/// Sorts what is at one vertex. That is mostly six or so, which stand in order already in part.
fn sort(half_edges: &mut [HalfEdge]) {
    if half_edges.len() > 16 {
        return half_edges.sort_unstable();
    }
    for i in 1..half_edges.len() {
        let one = half_edges[i];
        let mut at = i;
        while at > 0 && half_edges[at - 1] > one {
            half_edges[at] = half_edges[at - 1];
            at -= 1;
        }
        half_edges[at] = one;
    }
}

/// Disjoint sets.
pub(super) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    pub(super) fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    pub(super) fn root(&mut self, i: usize) -> usize {
        let up = &mut self.0;
        let mut i = i;
        while up[i] as usize != i {
            up[i] = up[up[i] as usize];
            i = up[i] as usize;
        }
        i
    }

    /// The lower root stays, so that the outcome does not depend on any order.
    pub(super) fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.root(i), self.root(j));
        if i != j {
            self.0[i.max(j)] = i.min(j) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faces of a tetrahedron over four vertices, outside seen counter-clockwise.
    fn tetrahedron(v: [u32; 4]) -> Vec<[u32; 3]> {
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
            .map(|t: [usize; 3]| t.map(|k| v[k]))
            .to_vec()
    }

    #[test]
    fn neighbours_are_turned_to_agree() {
        for flipped in 0..16u32 {
            let mut mesh = tetrahedron([0, 1, 2, 3]);
            for (k, t) in mesh.iter_mut().enumerate() {
                if flipped >> k & 1 == 1 {
                    t.swap(1, 2);
                }
            }
            let components = Components::new(&mesh, 4);
            assert_eq!(
                (&components.closed[..], &components.of[..]),
                (&[true][..], &[0; 4][..])
            );
            // Turned back, or all of them turned; the fewer ones.
            let bits = (0..4)
                .map(|k| u32::from(components.flipped[k]) << k)
                .sum::<u32>();
            assert!(
                bits == flipped || bits == 15 - flipped,
                "{flipped:b}: {bits:b}"
            );
            assert!(bits.count_ones() <= 2);
        }
    }

    #[test]
    fn components_share_edges_or_corners() {
        // Two that share an edge, one that shares a corner with them, one by itself, and a triangle
        // that bounds nothing.
        let mut mesh = tetrahedron([0, 1, 2, 3]);
        mesh.extend(tetrahedron([0, 1, 4, 5]));
        mesh.push([6, 6, 7]);
        mesh.extend(tetrahedron([3, 8, 9, 10]));
        mesh.extend(tetrahedron([11, 12, 13, 14]));
        let components = Components::new(&mesh, 15);
        assert_eq!(components.of[..8], [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(
            (components.of[8], components.of[9], components.of[13]),
            (Components::NONE, 2, 3)
        );
        assert_eq!(components.closed, [true; 4]);
        assert_eq!(joined_by_corners(&mesh, 15), [0, 8, 13]);
        // A triangle less opens its component and no other one.
        mesh.remove(10);
        let closed = Components::new(&mesh, 15).closed;
        assert_eq!(closed, [true, true, false, true]);
        assert!(Components::new(&[], 0).closed.is_empty());
        assert!(joined_by_corners(&[], 0).is_empty());
    }

    /// A fin that is written from both sides encloses nothing: it is no piece of its own.
    #[test]
    fn a_fin_belongs_to_what_it_stands_on() {
        let mut mesh = tetrahedron([0, 1, 2, 3]);
        mesh.extend([[0, 1, 4], [1, 0, 4]]);
        let components = Components::new(&mesh, 5);
        assert_eq!(components.closed, [true]);
        assert_eq!(components.of[..4], [0; 4]);
    }

    #[test]
    fn a_moebius_band_is_open() {
        let band: Vec<[u32; 3]> = (0..10).map(|i| [i, (i + 1) % 10, (i + 2) % 10]).collect();
        assert_eq!(Components::new(&band, 10).closed, [false]);
    }
}
