//! Triangles that close a mesh: across seams that only rounding has opened, and, where somebody
//! says that the mesh is solid, across its holes.
//!
//! Triangles that are added count as surface like every other triangle. So a closed mesh is closed
//! for every question that is asked about it: nothing gets into it or out of it without touching a
//! triangle, and a ray counts its inside exactly.
//!
//! **Why this closes.** Take the triangles with a sign each (−1: wound the other way round). The
//! edges that are used more often in one direction than in the other are their boundary z, and as
//! many of these lead to each corner as lead away from it.
//! - *Holes*: with the triangle (q, p, a) for each edge p → q of z, p → q is balanced, and the
//!   edges from and to `a` balance each other, whatever the point `a` is.
//! - *Seams*: let each corner p of z have a partner p′ at the other side of the seam (or itself)
//!   such that the edges p′ → q′ balance each other. The triangles (q, p, p′) and (q, p′, q′)
//!   balance p → q, add p′ → q′, and p → p′ for the corners, which balance as the edges at each
//!   corner do.
//!
//! A triangle that uses a corner twice has no boundary, so it can be left out.

use std::collections::HashMap;

use nalgebra::{Point3, Vector3};

use super::aabb::Aabb;
use super::components::{Components, DisjointSets, Edges, HalfEdge};
use super::mesh::Mesh;

mod rim;

/// Corners no farther apart than this share of the farthest coordinate are taken for one place that
/// was rounded twice: four times what single precision resolves there.
pub(super) const SEAM: f64 = 4.0 * f32::EPSILON as f64;

/// Rims with corners in the same cube or in neighbours, of this share of the size of the mesh, are
/// closed together: they are gaps between its sheets rather than holes in them.
const TOGETHER: f64 = 0.01;

/// A mesh with what closes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// The triangles of before, some of them turned round so that all agree, and then those that
    /// were added.
    pub mesh: Mesh,
    /// How many were added.
    pub added: usize,
    /// Holes that were closed, or components of the mesh whose seams were.
    pub places: usize,
    /// The widest of what was closed: across a hole, or from one side of a seam to the other,
    /// metres.
    pub widest: f64,
    /// Holes of which nobody can tell how far what is below them is full: their rims run in several
    /// loops, or meet one another, and do not lie in one plane, as where a sheet divides a bin.
    pub unclear: usize,
}

/// An edge of a boundary, and how many times it is used more often in this direction than in the
/// other.
#[derive(Debug, Clone, Copy)]
struct BoundaryEdge {
    from: u32,
    to: u32,
    times: usize,
}

impl Mesh {
    /// Closes the components of a mesh that are open by rounding only: their corners have partners
    /// within `SEAM`. `None` where there is no such component. Corners at the same place must have
    /// the same index.
    pub fn seams_closed(&self) -> Option<Closed> {
        let (triangles, count) = (&self.triangles, self.vertices.len());
        // Where nothing is to be turned, the rim of all is that of what is open: closed components
        // have none. Most meshes end here.
        let known = rim::of_sheets(triangles, count);
        if let Some(rim) = &known {
            partners(self, rim)?;
        }
        let edges = Edges::new(triangles, count);
        if known.is_none() && edges.is_oriented() {
            partners(self, &boundary(&edges, |_| Some(false)))?;
        }
        let open = Components::by_edges(triangles, &edges);
        let rim = boundary(&edges, |t| open.is_of_open(t).then_some(open.flipped[t]));
        let partner = partners(self, &rim)?;
        let welded: Vec<[u32; 3]> = triangles
            .iter()
            .map(|t| t.map(|v| partner[v as usize]))
            .collect();
        let joined = Components::new(&welded, count);

        let closed = closed_groups(&open, &joined);
        let flipped = |t: usize| closed.triangles[t].then(|| joined.flipped[t]);
        let mut widest: f64 = 0.0;
        let mut added = Vec::new();
        for edge in boundary(&edges, flipped) {
            let (p, q) = (edge.from, edge.to);
            let [p_there, q_there] = [p, q].map(|v| partner[v as usize]);
            for (v, there) in [(p, p_there), (q, q_there)] {
                let gap = self.vertices[v as usize] - self.vertices[there as usize];
                widest = widest.max(gap.norm());
            }
            for _ in 0..edge.times {
                added.extend([[q, p, p_there], [q, p_there, q_there]]);
            }
        }
        added.retain(|[a, b, c]| a != b && b != c && c != a);
        (!added.is_empty()).then(|| Closed {
            mesh: with(self, flipped, &added, &[]),
            added: added.len(),
            places: closed.places,
            widest,
            unclear: 0,
        })
    }
}

/// What seams close of a mesh.
struct ClosedGroups {
    /// Per triangle, whether it is open and belongs to a group that is closed.
    triangles: Vec<bool>,
    /// How many such groups there are.
    places: usize,
}

/// Triangles that are connected before or after their corners have been joined form a group. A
/// group is closed if all of it is.
fn closed_groups(open: &Components, joined: &Components) -> ClosedGroups {
    let first = open.closed.len();
    let mut groups = DisjointSets::new(first + joined.closed.len());
    for (&before, &after) in open.of.iter().zip(&joined.of) {
        if before != Components::NONE && after != Components::NONE {
            groups.join(before as usize, first + after as usize);
        }
    }
    let mut stays_open = vec![false; first + joined.closed.len()];
    for (component, &closed) in joined.closed.iter().enumerate() {
        stays_open[groups.root(first + component)] |= !closed;
    }
    let mut closes = vec![false; open.of.len()];
    let mut places = vec![];
    for (t, closes) in closes.iter_mut().enumerate() {
        if open.is_of_open(t) {
            let group = groups.root(open.of[t] as usize);
            *closes = !stays_open[group];
            if *closes {
                places.push(group);
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    ClosedGroups {
        triangles: closes,
        places: places.len(),
    }
}

impl Mesh {
    /// Closes all that is open, by triangles from each rim to the middle of it. `None` where
    /// nothing is open. Corners at the same place must have the same index.
    pub fn holes_closed(&self) -> Option<Closed> {
        let (triangles, count) = (&self.triangles, self.vertices.len());
        let edges = Edges::new(triangles, count);
        // A sheet that is written from both sides is one with a rim.
        let duplicates = edges.duplicates(triangles);
        let components = match duplicates[..] {
            [] => Components::as_written(triangles, &edges).0,
            _ => Components::without_duplicates(triangles, count, &duplicates, |_| true),
        };
        let flipped = |t: usize| components.is_of_open(t).then_some(components.flipped[t]);
        let rims = boundary(&edges, flipped);
        if rims.is_empty() {
            return None;
        }
        let near = TOGETHER * self.bounds()?.size().norm();
        let mut loops = DisjointSets::new(count);
        let mut leaving: HashMap<u32, usize> = HashMap::new();
        for edge in &rims {
            loops.join(edge.from as usize, edge.to as usize);
            *leaving.entry(edge.from).or_default() += edge.times;
        }
        let mut groups = rims_that_are_near(self, &rims, near);
        let mut hole_of: HashMap<usize, usize> = HashMap::new();
        let mut holes: Vec<Hole> = Vec::new();
        let mut added = Vec::new();
        let ends = |edge: &BoundaryEdge| [edge.from, edge.to].map(|v| self.vertices[v as usize]);
        for edge in &rims {
            let group = groups.root(edge.from as usize);
            let in_loop = loops.root(edge.from as usize);
            let hole = *hole_of.entry(group).or_insert_with(|| {
                holes.push(Hole::new(self.vertices[edge.from as usize], in_loop));
                holes.len() - 1
            });
            let [p, q] = ends(edge);
            holes[hole].add_edge(&p, &q);
            holes[hole].several |= in_loop != holes[hole].in_loop || leaving[&edge.from] > 1;
            let middle = (count + hole) as u32;
            added.extend(std::iter::repeat_n(
                [edge.to, edge.from, middle],
                edge.times,
            ));
        }
        for edge in &rims {
            let hole = &mut holes[hole_of[&groups.root(edge.from as usize)]];
            hole.find_height(&ends(edge)[0]);
        }
        let unclear = holes.iter().filter(|hole| hole.is_unclear(near)).count();
        let middles: Vec<Point3<f64>> = holes.iter().map(Hole::middle).collect();
        let widths = holes.iter().map(|hole| hole.around.size().norm());
        Some(Closed {
            mesh: with(self, flipped, &added, &middles),
            added: added.len(),
            places: holes.len(),
            widest: widths.fold(0.0, f64::max),
            unclear,
        })
    }
}

/// Corners of rims in sets: those of one rim, and of rims that come as near to one another.
fn rims_that_are_near(mesh: &Mesh, rims: &[BoundaryEdge], near: f64) -> DisjointSets {
    let mut groups = DisjointSets::new(mesh.vertices.len());
    let mut cells = CornerGrid::new(near);
    for edge in rims {
        groups.join(edge.from as usize, edge.to as usize);
        // As many edges come to each corner as leave it: the first ends of all are all corners.
        let point = &mesh.vertices[edge.from as usize];
        let mut alone = true;
        for other in cells.around(point) {
            groups.join(other as usize, edge.from as usize);
            alone &= cells.cell(&mesh.vertices[other as usize]) != cells.cell(point);
        }
        // One corner stands for all of its cube, so that crowded rims take no longer.
        if alone {
            cells.put(point, edge.from);
        }
    }
    groups
}

/// A hole that is being looked at.
struct Hole {
    first: Point3<f64>,
    around: Aabb,
    /// Of the edges: the sum of their lengths, and of their middles (from the first corner) by
    /// their lengths.
    length: f64,
    sum: Vector3<f64>,
    /// The loop of its first edge, and whether there are several or some that meet.
    in_loop: usize,
    several: bool,
    /// Twice the area that the rim goes round, along its normal.
    area: Vector3<f64>,
    /// The least and the greatest height of a corner along that normal, from the first corner.
    heights: [f64; 2],
}

impl Hole {
    fn new(first: Point3<f64>, in_loop: usize) -> Self {
        Hole {
            first,
            around: Aabb::at(&first),
            length: 0.0,
            sum: Vector3::zeros(),
            in_loop,
            several: false,
            area: Vector3::zeros(),
            heights: [0.0; 2],
        }
    }

    fn add_edge(&mut self, p: &Point3<f64>, q: &Point3<f64>) {
        self.around = self.around.with(p).with(q);
        let length = (q - p).norm();
        self.length += length;
        self.sum += ((p - self.first) + (q - self.first)) * (0.5 * length);
        self.area += (p - self.first).cross(&(q - self.first));
    }

    /// Once all edges have been taken in.
    fn find_height(&mut self, p: &Point3<f64>) {
        let height = match self.area.try_normalize(f64::MIN_POSITIVE) {
            Some(normal) => (p - self.first).dot(&normal),
            None => (p - self.first).norm(),
        };
        self.heights = [self.heights[0].min(height), self.heights[1].max(height)];
    }

    /// See [`Closed::unclear`]; `near`: what is no farther off a plane lies in it.
    fn is_unclear(&self, near: f64) -> bool {
        self.several && self.heights[1] - self.heights[0] > near
    }

    /// The middle of the rim. Any point would do; this one depends on how a rim runs, not on how it
    /// is divided into edges.
    fn middle(&self) -> Point3<f64> {
        if self.length > 0.0 {
            self.first + self.sum / self.length
        } else {
            self.first
        }
    }
}

/// The mesh with triangles turned where that is said, and more triangles and corners at its end.
fn with(
    mesh: &Mesh,
    flipped: impl Fn(usize) -> Option<bool>,
    added: &[[u32; 3]],
    corners: &[Point3<f64>],
) -> Mesh {
    let mut mesh = mesh.clone();
    for (t, corners) in mesh.triangles.iter_mut().enumerate() {
        if flipped(t) == Some(true) {
            corners.swap(1, 2);
        }
    }
    mesh.triangles.extend(added);
    mesh.vertices.extend(corners);
    mesh
}

/// The boundary of the triangles that `flipped` tells something of: whether they count as wound the
/// other way round.
fn boundary(edges: &Edges, flipped: impl Fn(usize) -> Option<bool>) -> Vec<BoundaryEdge> {
    let net = |half_edges: &[HalfEdge]| -> i32 {
        let sign = |one: &HalfEdge| match flipped(one.triangle()) {
            None => 0,
            Some(flipped) if one.upwards() != flipped => 1,
            Some(_) => -1,
        };
        half_edges.iter().map(sign).sum()
    };
    edges
        .by_vertex()
        .filter_map(|(low, half_edges)| {
            let (high, net) = (half_edges[0].high_vertex(), net(half_edges));
            let (from, to) = if net > 0 { (low, high) } else { (high, low) };
            let times = net.unsigned_abs() as usize;
            (times > 0).then_some(BoundaryEdge { from, to, times })
        })
        .collect()
}

/// For each corner of the mesh itself, or, for corners of the rim, the first one of them within
/// [`SEAM`] that has no partner itself. `None` where all stay by themselves.
fn partners(mesh: &Mesh, rim: &[BoundaryEdge]) -> Option<Vec<u32>> {
    let mut corners: Vec<u32> = rim.iter().map(|edge| edge.from).collect();
    corners.sort_unstable();
    corners.dedup();
    if corners.is_empty() {
        return None;
    }
    let most = SEAM * mesh.bounds()?.largest_coordinate();
    let mut partner: Vec<u32> = Vec::new();
    let mut cells = CornerGrid::new(most);
    for &v in &corners {
        let point = &mesh.vertices[v as usize];
        let near = cells
            .around(point)
            .filter(|&other| (mesh.vertices[other as usize] - point).norm() <= most)
            .min();
        match near {
            Some(other) => {
                if partner.is_empty() {
                    partner.extend(0..mesh.vertices.len() as u32);
                }
                partner[v as usize] = other;
            }
            None => cells.put(point, v),
        }
    }
    (!partner.is_empty()).then_some(partner)
}

/// Corners by the cubes of a grid that they lie in.
struct CornerGrid {
    edge: f64,
    corners: HashMap<[i64; 3], Vec<u32>>,
}

impl CornerGrid {
    fn new(edge: f64) -> Self {
        CornerGrid {
            edge: edge.max(f64::MIN_POSITIVE),
            corners: HashMap::new(),
        }
    }

    fn cell(&self, point: &Point3<f64>) -> [i64; 3] {
        [point.x, point.y, point.z].map(|x| (x / self.edge).floor() as i64)
    }

    fn put(&mut self, point: &Point3<f64>, corner: u32) {
        self.corners
            .entry(self.cell(point))
            .or_default()
            .push(corner);
    }

    /// The corners in the cube of the place and in its neighbours: all that are within an edge of
    /// it, and more.
    fn around(&self, point: &Point3<f64>) -> impl Iterator<Item = u32> {
        let [x, y, z] = self.cell(point);
        let steps = -1i64..=1;
        let cells = steps.clone().flat_map(move |i| {
            let steps = -1i64..=1;
            steps.flat_map(move |j| (-1i64..=1).map(move |k| (i, j, k)))
        });
        cells
            .filter_map(move |(i, j, k)| {
                let key = [
                    x.saturating_add(i),
                    y.saturating_add(j),
                    z.saturating_add(k),
                ];
                self.corners.get(&key)
            })
            .flatten()
            .copied()
    }
}

#[cfg(test)]
mod tests;
