//! Uniform space subdivision (Šinjur): only triangles that share a cell of the grid are compared.
//!
//! Bodies that stand still are put into the grid once; bodies that move are taken out and put in
//! again at every instant. A triangle is listed in the cells that it touches itself. Only the one
//! that looks is grown: by the threshold of its own pair, the radii of both (balls, capsules) and
//! what rounding may amount to. So a point of the one that lies near a point of the other is found
//! in the cell of that point, and no cell is looked into for the sake of somebody else's threshold.

mod cells;

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::report::Work;
use nalgebra::{Point3, Vector3};

use super::{Backend, BackendKind, Touch, placed};
use cells::{CellRange, Cells};

/// Cells that all triangles together may be listed in at first: where there are more, cells are
/// made larger.
const MOST_LISTED: f64 = 4e6;

/// No edge of a cell is shorter than this share of the longest one: triangles that all lie in
/// planes along the axes have no extent across them.
const FLATTEST: f64 = 0.25;

/// Nor shorter than this share of the greatest coordinate, so that cells have numbers.
const FINEST: f64 = 1.0 / (1 << 24) as f64;

/// Nor shorter than this share of the farthest that a triangle is grown: balls have points for
/// triangles, and would look through more cells than there is time for.
const FINEST_OF_REACH: f64 = 0.125;

/// More than the rounding of the distance of two boxes.
const ROUND_UP: f64 = 1.0 + 1e-12;

/// A triangle in the world.
#[derive(Debug, Clone, Copy)]
struct PlacedPart {
    part: u32,
    corners: [Point3<f64>; 3],
    around: Aabb,
}

/// A part that the one that looks is checked against.
#[derive(Debug, Clone, Copy)]
struct GridPartner {
    part: usize,
    pair: usize,
    /// Triangles of the two count as touching up to here: threshold, radii and rounding, metres.
    reach: f64,
    /// The radii alone.
    radii: f64,
}

/// Triangles by the cells that they touch.
pub struct Grid<'s> {
    scene: &'s Scene<'s>,
    /// For every part, the pairs that it stands in: with which part, in which pair of bodies.
    partners: Vec<Vec<(usize, usize)>>,
    laid_out: bool,
    cells: Cells,
    triangles: Vec<PlacedPart>,
    /// Triangles of every part that is in the grid.
    of_part: Vec<std::ops::Range<usize>>,
    /// The box around every part that is in the grid.
    around: Vec<Aabb>,
    /// How many triangles stand still.
    still: usize,
    /// Per triangle, the last one that it was compared with.
    compared: Vec<u32>,
    corners: Vec<[Point3<f64>; 3]>,
}

impl<'s> Grid<'s> {
    /// An empty grid: where things are is known at the first instant.
    pub fn new(scene: &'s Scene<'s>) -> Self {
        let mut partners = vec![Vec::new(); scene.parts.len()];
        for pair in &scene.part_pairs {
            partners[pair.a].push((pair.b, pair.pair));
            partners[pair.b].push((pair.a, pair.pair));
        }
        Self {
            scene,
            partners,
            laid_out: false,
            cells: Cells::new(Vector3::repeat(1.0)),
            triangles: Vec::new(),
            of_part: vec![0..0; scene.parts.len()],
            around: vec![Aabb::EMPTY; scene.parts.len()],
            still: 0,
            compared: Vec::new(),
            corners: Vec::new(),
        }
    }

    /// Edges of a cell, metres.
    pub fn edge(&self) -> Vector3<f64> {
        self.cells.edge()
    }

    /// Takes the moving triangles out; at the first instant lays out the grid.
    fn clear(&mut self, snapshot: &mut Snapshot) {
        if !self.laid_out {
            self.laid_out = true;
            self.build(snapshot);
        }
        self.cells.take_out();
        self.triangles.truncate(self.still);
        self.compared.clear();
        self.compared.resize(self.still, u32::MAX);
        for (part, triangles) in self.of_part.iter_mut().enumerate() {
            if self.scene.parts[part].joint.is_some() {
                *triangles = 0..0;
            }
        }
    }

    /// The cell's edge, per axis, is the mean extent of the triangles along it, but no small part of
    /// what a triangle is grown by when it looks. Puts in what stands still.
    fn build(&mut self, snapshot: &mut Snapshot) {
        let (mut sum, mut extents) = (Vector3::zeros(), Vec::new());
        let radii = self.scene.parts.iter().map(|part| part.tree.radius);
        let thresholds = self.scene.pairs.iter().map(|pair| pair.clearance);
        let grown = 2.0 * radii.fold(0.0, f64::max) + thresholds.fold(0.0, f64::max);
        let mut largest: f64 = 1.0;
        for part in 0..self.scene.parts.len() {
            placed(self.scene, part, snapshot, &mut self.corners);
            for corners in &self.corners {
                let around = Aabb::of(*corners);
                largest = largest.max(around.largest_coordinate());
                let extent = around.size();
                sum += extent;
                extents.push(extent);
            }
        }
        let mean = sum / (extents.len() as f64).max(1.0);
        let least = (FLATTEST * mean.max())
            .max(FINEST * largest)
            .max(FINEST_OF_REACH * grown);
        let mut edge = mean.map(|edge: f64| edge.max(least));
        let listed = |edge: &Vector3<f64>| -> f64 {
            let cells =
                |extent: &Vector3<f64>| extent.component_div(edge).add_scalar(1.0).product();
            extents.iter().map(cells).sum()
        };
        while listed(&edge) > MOST_LISTED {
            edge *= 1.25;
        }
        self.cells = Cells::new(edge);
        for part in 0..self.scene.parts.len() {
            if self.scene.parts[part].joint.is_none() {
                self.take(part, snapshot);
                self.put(part);
            }
        }
        self.still = self.triangles.len();
        self.cells.keep();
    }

    /// Notes the triangles of a part.
    fn take(&mut self, part: usize, snapshot: &mut Snapshot) {
        placed(self.scene, part, snapshot, &mut self.corners);
        let from = self.triangles.len();
        let corners = self.corners.iter();
        self.triangles.extend(corners.map(|&corners| PlacedPart {
            part: part as u32,
            corners,
            around: Aabb::of(corners),
        }));
        let all = self.triangles[from..].iter();
        self.around[part] = all.fold(Aabb::EMPTY, |all, one| all.join(&one.around));
        self.of_part[part] = from..self.triangles.len();
        self.compared.resize(self.triangles.len(), u32::MAX);
    }

    /// Lists the triangles of a part in the cells that they touch.
    fn put(&mut self, part: usize) {
        for index in self.of_part[part].clone() {
            let triangle = &self.triangles[index];
            self.cells
                .list(index as u32, &triangle.corners, &triangle.around);
        }
    }

    /// With what a moving part is to be compared now: those parts that are in the grid and whose
    /// boxes are near enough.
    fn partners(
        &self,
        part: usize,
        snapshot: &mut Snapshot,
        found: &[Option<f64>],
    ) -> Vec<GridPartner> {
        let scene = self.scene;
        let own = snapshot.margin(scene, part);
        let candidates = self.partners[part].iter();
        let mut partners: Vec<GridPartner> = candidates
            .filter(|&&(other, pair)| !self.of_part[other].is_empty() && found[pair].is_none())
            .map(|&(other, pair)| {
                let radii = scene.parts[part].tree.radius + scene.parts[other].tree.radius;
                let margin = own + snapshot.margin(scene, other);
                GridPartner {
                    part: other,
                    pair,
                    reach: (scene.pairs[pair].clearance + radii + margin) * ROUND_UP,
                    radii,
                }
            })
            .collect();
        partners.retain(|p| self.around[part].gap(&self.around[p.part]) <= p.reach);
        partners
    }

    /// Compares the triangles of a part with what lies in the cells around them.
    fn look(
        &mut self,
        part: usize,
        partners: &[GridPartner],
        found: &mut [Option<f64>],
        work: &mut Work,
    ) {
        let mut of_part: Vec<Option<GridPartner>> = vec![None; self.scene.parts.len()];
        for partner in partners {
            of_part[partner.part] = Some(*partner);
        }
        for index in self.of_part[part].clone() {
            let mine = self.triangles[index];
            let near = partners.iter().filter(|p| {
                found[p.pair].is_none() && mine.around.gap(&self.around[p.part]) <= p.reach
            });
            let reach = near.map(|p| p.reach).fold(f64::NEG_INFINITY, f64::max);
            if reach < 0.0 {
                continue;
            }
            let range = CellRange::of(&mine.around.grown(reach), &self.cells.edge());
            let (triangles, compared) = (&self.triangles, &mut self.compared);
            work.cell_tests += self.cells.look(&range, |other| {
                let theirs = &triangles[other as usize];
                let Some(partner) = of_part[theirs.part as usize] else {
                    return;
                };
                if found[partner.pair].is_some() || compared[other as usize] == index as u32 {
                    return;
                }
                compared[other as usize] = index as u32;
                work.triangle_tests += 1;
                if mine.around.gap(&theirs.around) > partner.reach {
                    return;
                }
                if let Some(distance) =
                    Closest::within(&mine.corners, &theirs.corners, partner.reach)
                {
                    found[partner.pair] = Some((distance - partner.radii).max(0.0));
                }
            });
        }
    }
}

impl Backend for Grid<'_> {
    fn kind(&self) -> BackendKind {
        BackendKind::Grid
    }

    fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes() + self.triangles.capacity() * size_of::<PlacedPart>()
    }

    fn lower_bound(
        &mut self,
        _: usize,
        _: &mut Snapshot,
        _: super::DistanceRange,
        _: &mut Work,
    ) -> f64 {
        0.0
    }

    fn touching(&mut self, snapshot: &mut Snapshot, first: bool, work: &mut Work) -> Vec<Touch> {
        self.clear(snapshot);
        work.interference_queries += self.scene.pairs.len() as u64;
        let mut found = vec![None; self.scene.pairs.len()];
        for part in 0..self.scene.parts.len() {
            if self.scene.parts[part].joint.is_none() {
                continue;
            }
            self.take(part, snapshot);
            let partners = self.partners(part, snapshot, &found);
            if !partners.is_empty() {
                self.look(part, &partners, &mut found, work);
            }
            if first && found.iter().any(Option::is_some) {
                break;
            }
            // Parts that come later search the grid for this one.
            let later = |&(other, _): &(usize, usize)| {
                other > part && self.scene.parts[other].joint.is_some()
            };
            if self.partners[part].iter().any(later) {
                self.put(part);
            }
        }
        work.memory_bytes = work.memory_bytes.max(self.memory_bytes() as u64);
        let touches = found.iter().enumerate();
        touches
            .filter_map(|(pair, distance)| distance.map(|distance| Touch { pair, distance }))
            .collect()
    }
}
