//! What is inside of a mesh.
//!
//! Surfaces decide contact; this decides the one question that they cannot: does a body lie wholly within another one?

use std::collections::HashMap;
use std::f64::consts::TAU;

use nalgebra::Point3;

use super::mesh::Mesh;

#[cfg(test)]
mod tests;

/// The solid that a mesh encloses.
///
/// Pieces that hang together by edges are looked at one by one. A piece is closed if every edge is used as often in one
/// direction as in the other, once its triangles are turned to agree where they did not. A closed piece inside another one
/// is a hollow if it is wound the other way round, and more of the same material if it is not.
#[derive(Debug, Clone)]
pub struct Inside {
    pieces: Vec<Piece>,
    closed: bool,
}

#[derive(Debug, Clone)]
struct Piece {
    triangles: Vec<[Point3<f64>; 3]>,
    closed: bool,
    lo: Point3<f64>,
    hi: Point3<f64>,
}

impl Inside {
    /// `solid`: `None` lets closed pieces be solid, `Some(true)` also takes open ones for solid (by winding number over one
    /// half), `Some(false)` nothing.
    pub fn new(mesh: &Mesh, solid: Option<bool>) -> Self {
        let mut pieces = pieces(mesh);
        let closed = !pieces.is_empty() && pieces.iter().all(|p| p.closed);
        match solid {
            None => pieces.retain(|p| p.closed),
            Some(true) => {}
            Some(false) => pieces.clear(),
        }
        outermost_positive(&mut pieces);
        Self { pieces, closed }
    }

    /// Whether every piece of the mesh is closed.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Whether anything of the mesh counts as solid.
    pub fn solid(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Whether the point lies in the solid. On the surface the answer may be either.
    pub fn contains(&self, p: &Point3<f64>) -> bool {
        let mut turns = 0.0;
        let mut open_turns = 0.0;
        for piece in &self.pieces {
            if piece.closed {
                turns += piece.turns(p);
            } else {
                open_turns += piece.winding(p);
            }
        }
        turns != 0.0 || (turns + open_turns).abs() > 0.5
    }
}

impl Piece {
    /// How often a closed piece goes round the point.
    fn turns(&self, p: &Point3<f64>) -> f64 {
        let within = (0..3).all(|k| self.lo[k] <= p[k] && p[k] <= self.hi[k]);
        if within { self.winding(p).round() } else { 0.0 }
    }

    /// Generalized winding number: the solid angle under which the piece is seen, as a share of the whole sphere.
    fn winding(&self, p: &Point3<f64>) -> f64 {
        let half_angles: f64 = self
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| v - p);
                let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
                let across = a.dot(&b.cross(&c));
                let along = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
                across.atan2(along)
            })
            .sum();
        half_angles / TAU
    }

    /// Six times the volume, with the sign of the winding.
    fn volume(&self) -> f64 {
        self.triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| v - self.lo);
                a.dot(&b.cross(&c))
            })
            .sum()
    }

    fn flip(&mut self) {
        for t in &mut self.triangles {
            t.swap(1, 2);
        }
    }
}

/// Winds every closed piece so that those not within another one are positive; what lies in them turns with them.
fn outermost_positive(pieces: &mut [Piece]) {
    let signs: Vec<f64> = pieces.iter().map(|p| p.volume().signum()).collect();
    let around: Vec<Vec<usize>> = pieces
        .iter()
        .map(|piece| {
            let p = &piece.triangles[0][0];
            (0..pieces.len())
                .filter(|&i| pieces[i].closed && !std::ptr::eq(&pieces[i], piece))
                .filter(|&i| pieces[i].turns(p) != 0.0)
                .collect()
        })
        .collect();
    for i in 0..pieces.len() {
        let outermost = around[i].iter().copied().find(|&j| around[j].is_empty());
        if pieces[i].closed && signs[outermost.unwrap_or(i)] < 0.0 {
            pieces[i].flip();
        }
    }
}

/// Pieces that hang together by edges, wound consistently where that is possible.
fn pieces(mesh: &Mesh) -> Vec<Piece> {
    let place = mesh.welded();
    // Triangles without area in the indices bound nothing.
    let triangles: Vec<[u32; 3]> = mesh
        .triangles
        .iter()
        .map(|t| t.map(|v| place[v as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    let edges = edges(&triangles);
    let mut joined = Union::new(triangles.len());
    for users in edges.values() {
        for pair in users.windows(2) {
            joined.join(pair[0].triangle, pair[1].triangle);
        }
    }
    let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
    for t in 0..triangles.len() {
        groups.entry(joined.root(t)).or_default().push(t);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort();
    let mut flipped = vec![false; triangles.len()];
    groups
        .iter()
        .map(|group| {
            let mut closed = balanced(group, &triangles, &edges, &flipped);
            if !closed {
                agree(group, &triangles, &edges, &mut flipped);
                closed = balanced(group, &triangles, &edges, &flipped);
            }
            piece(mesh, group, &triangles, &flipped, closed)
        })
        .collect()
}

fn piece(
    mesh: &Mesh,
    group: &[usize],
    triangles: &[[u32; 3]],
    flipped: &[bool],
    closed: bool,
) -> Piece {
    let triangles: Vec<[Point3<f64>; 3]> = group
        .iter()
        .map(|&t| {
            let [a, b, c] = triangles[t].map(|v| mesh.vertices[v as usize]);
            if flipped[t] { [a, c, b] } else { [a, b, c] }
        })
        .collect();
    let first = triangles[0][0];
    let (lo, hi) = triangles
        .iter()
        .flatten()
        .fold((first, first), |(lo, hi), p| (lo.inf(p), hi.sup(p)));
    Piece {
        triangles,
        closed,
        lo,
        hi,
    }
}

/// A triangle at an edge, and whether it runs along it from the lower vertex to the higher one.
#[derive(Clone, Copy)]
struct User {
    triangle: usize,
    upwards: bool,
}

type Edges = HashMap<[u32; 2], Vec<User>>;

fn ends(t: &[u32; 3]) -> [([u32; 2], bool); 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| ([a.min(b), a.max(b)], a < b))
}

fn edges(triangles: &[[u32; 3]]) -> Edges {
    let mut edges = Edges::new();
    for (triangle, t) in triangles.iter().enumerate() {
        for (edge, upwards) in ends(t) {
            edges
                .entry(edge)
                .or_default()
                .push(User { triangle, upwards });
        }
    }
    edges
}

/// Whether every edge of the group is used as often upwards as downwards.
fn balanced(group: &[usize], triangles: &[[u32; 3]], edges: &Edges, flipped: &[bool]) -> bool {
    group
        .iter()
        .flat_map(|&t| ends(&triangles[t]))
        .all(|(edge, _)| {
            let users = &edges[&edge];
            let up = users.iter().filter(|u| u.upwards != flipped[u.triangle]);
            2 * up.count() == users.len()
        })
}

/// Turns triangles until neighbours agree, across edges that exactly two of them share; the fewer ones give way.
fn agree(group: &[usize], triangles: &[[u32; 3]], edges: &Edges, flipped: &mut [bool]) {
    let mut seen: HashMap<usize, bool> = HashMap::new();
    for &seed in group {
        if seen.contains_key(&seed) {
            continue;
        }
        let mut patch = vec![seed];
        seen.insert(seed, false);
        let mut next = 0;
        while let Some(&t) = patch.get(next) {
            next += 1;
            for (edge, upwards) in ends(&triangles[t]) {
                let [one, two] = edges[&edge][..] else {
                    continue;
                };
                let other = if one.triangle == t { two } else { one };
                let flip = seen[&t] ^ (other.upwards == upwards);
                seen.entry(other.triangle).or_insert_with(|| {
                    patch.push(other.triangle);
                    flip
                });
            }
        }
        let turned = patch.iter().filter(|t| seen[t]).count();
        let other_way = 2 * turned > patch.len();
        for &t in &patch {
            flipped[t] = seen[&t] != other_way;
        }
    }
}

/// One vertex of every piece that hangs together by vertices (after those at the same place are taken for one), in order.
/// A body of several pieces needs one containment test for each.
pub fn components(mesh: &Mesh) -> Vec<usize> {
    let place = mesh.welded();
    let mut joined = Union::new(mesh.vertices.len());
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| place[v as usize] as usize);
        joined.join(a, b);
        joined.join(b, c);
    }
    let mut seen = std::collections::HashSet::new();
    let used = mesh.triangles.iter().map(|t| t[0] as usize);
    used.filter(|&v| seen.insert(joined.root(place[v] as usize)))
        .collect()
}

/// Disjoint sets.
struct Union(Vec<usize>);

impl Union {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// The lower root stays, so that the outcome does not depend on any order.
    fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.root(i), self.root(j));
        self.0[i.max(j)] = i.min(j);
    }
}
