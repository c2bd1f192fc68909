//! Uniform space subdivision (Šinjur): only triangles that share a cell of the grid are compared.
//!
//! Bodies that stand still are put into the grid once; bodies that move are taken out and put in again at every instant.
//! A triangle is compared while it is put in, with what the cell holds already, so that two still triangles never meet and
//! no pair is compared twice.

use std::collections::HashMap;

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::within;
use clearance_proof::report::Work;
use nalgebra::{Point3, Vector3};

use super::{Backend, BackendKind, Touch, placed};

/// Cells along an axis that the whole scene may be cut into: a wall of two triangles would fill millions of cells as small
/// as the mean triangle.
const MOST_CELLS: f64 = 64.0;

type Place = [i32; 3];

/// What lies in one cell: triangles by their number, still ones first.
#[derive(Debug, Clone, Default)]
struct Cell {
    triangles: Vec<u32>,
    still: usize,
}

/// A triangle in the world.
#[derive(Debug, Clone, Copy)]
struct Placed {
    part: u32,
    corners: [Point3<f64>; 3],
}

/// Triangles by the cells that their boxes reach into.
pub struct Grid<'s> {
    scene: &'s Scene<'s>,
    /// For two bodies, `a · bodies + b`: the pair in which they are checked.
    pair_of: Vec<Option<u32>>,
    /// Greatest threshold, with the radius around both triangles: how far boxes are grown, metres.
    grown: f64,
    laid_out: bool,
    edge: Vector3<f64>,
    cells: HashMap<Place, Cell>,
    triangles: Vec<Placed>,
    /// How many of them stand still.
    still: usize,
    /// Cells that hold something that moves.
    touched: Vec<Place>,
    /// Per triangle, the last one that it was compared with.
    compared: Vec<u32>,
    corners: Vec<[Point3<f64>; 3]>,
}

impl<'s> Grid<'s> {
    /// An empty grid: where things are is known at the first instant.
    pub fn new(scene: &'s Scene<'s>) -> Self {
        let bodies = scene.cell.bodies.len();
        let mut pair_of = vec![None; bodies * bodies];
        for (index, pair) in scene.pairs.iter().enumerate() {
            pair_of[pair.a * bodies + pair.b] = Some(index as u32);
            pair_of[pair.b * bodies + pair.a] = Some(index as u32);
        }
        let clearances = scene.pairs.iter().map(|p| p.clearance);
        let radii = scene.parts.iter().map(|p| p.tree.radius);
        Self {
            scene,
            pair_of,
            grown: clearances.fold(0.0, f64::max) + 2.0 * radii.fold(0.0, f64::max),
            laid_out: false,
            edge: Vector3::repeat(1.0),
            cells: HashMap::new(),
            triangles: Vec::new(),
            still: 0,
            touched: Vec::new(),
            compared: Vec::new(),
            corners: Vec::new(),
        }
    }

    /// Takes the moving triangles out; at the first instant lays out the grid.
    fn clear(&mut self, snapshot: &mut Snapshot) {
        if !self.laid_out {
            self.laid_out = true;
            self.lay_out(snapshot);
        }
        for place in self.touched.drain(..) {
            if let Some(cell) = self.cells.get_mut(&place) {
                cell.triangles.truncate(cell.still);
            }
        }
        self.triangles.truncate(self.still);
        self.compared.clear();
        self.compared.resize(self.still, u32::MAX);
    }

    /// The cell's edge, per axis, is the mean extent of the triangles along it. Puts in what stands still.
    fn lay_out(&mut self, snapshot: &mut Snapshot) {
        let (mut sum, mut count) = (Vector3::zeros(), 0.0);
        let mut whole = Aabb::EMPTY;
        for part in 0..self.scene.parts.len() {
            placed(self.scene, part, snapshot, &mut self.corners);
            for corners in &self.corners {
                let around = Aabb::of(*corners);
                whole = whole.join(&around);
                sum += around.size();
                count += 1.0;
            }
        }
        let coarsest = whole.size() / MOST_CELLS;
        self.edge = (sum / f64::max(count, 1.0))
            .sup(&coarsest)
            .map(|edge| edge.max(1e-6 + self.grown));
        for part in 0..self.scene.parts.len() {
            if self.scene.parts[part].joint.is_none() {
                self.take(part, snapshot);
            }
        }
        self.still = self.triangles.len();
        for index in 0..self.still {
            for place in self.cells_of(index, snapshot) {
                let cell = self.cells.entry(place).or_default();
                cell.triangles.push(index as u32);
                cell.still += 1;
            }
        }
    }

    /// Notes the triangles of a part.
    fn take(&mut self, part: usize, snapshot: &mut Snapshot) {
        placed(self.scene, part, snapshot, &mut self.corners);
        let corners = self.corners.iter();
        self.triangles.extend(corners.map(|&corners| Placed {
            part: part as u32,
            corners,
        }));
    }

    /// Cells that the grown box of a triangle reaches into.
    fn cells_of(
        &self,
        index: usize,
        snapshot: &mut Snapshot,
    ) -> impl Iterator<Item = Place> + use<> {
        let triangle = &self.triangles[index];
        // Half by either triangle of a pair.
        let grown = 0.5 * self.grown + snapshot.margin(self.scene, triangle.part as usize);
        let around = Aabb::of(triangle.corners).grown(grown);
        let number = |p: Point3<f64>| {
            let cells = p.coords.component_div(&self.edge);
            cells.map(|x| x.floor() as i32)
        };
        let (low, high) = (number(around.min), number(around.max));
        (low.x..=high.x).flat_map(move |x| {
            (low.y..=high.y).flat_map(move |y| (low.z..=high.z).map(move |z| [x, y, z]))
        })
    }

    /// Compares a triangle with what its cells hold, and puts it in.
    fn put(
        &mut self,
        index: usize,
        snapshot: &mut Snapshot,
        found: &mut [Option<f64>],
        work: &mut Work,
    ) {
        let scene = self.scene;
        let bodies = scene.cell.bodies.len();
        for place in self.cells_of(index, snapshot) {
            work.cell_tests += 1;
            let mine = &self.triangles[index];
            let body = scene.parts[mine.part as usize].body;
            let cell = self.cells.entry(place).or_default();
            for &other in &cell.triangles {
                let theirs = &self.triangles[other as usize];
                let pair = self.pair_of[body * bodies + scene.parts[theirs.part as usize].body];
                let Some(pair) = pair.map(|p| p as usize) else {
                    continue;
                };
                if found[pair].is_some() || self.compared[other as usize] == index as u32 {
                    continue;
                }
                self.compared[other as usize] = index as u32;
                work.triangle_tests += 1;
                let parts = [mine.part as usize, theirs.part as usize];
                let radii: f64 = parts.iter().map(|&p| scene.parts[p].tree.radius).sum();
                let margin: f64 = parts.iter().map(|&p| snapshot.margin(scene, p)).sum();
                let reach = scene.pairs[pair].clearance + radii + margin;
                if let Some(distance) = within(&mine.corners, &theirs.corners, reach) {
                    found[pair] = Some((distance - radii).max(0.0));
                }
            }
            if cell.triangles.len() == cell.still {
                self.touched.push(place);
            }
            cell.triangles.push(index as u32);
        }
    }
}

impl Backend for Grid<'_> {
    fn kind(&self) -> BackendKind {
        BackendKind::Grid
    }

    fn memory_bytes(&self) -> usize {
        let listed: usize = self.cells.values().map(|c| c.triangles.capacity()).sum();
        listed * size_of::<u32>()
            + self.cells.capacity() * size_of::<(Place, Cell)>()
            + self.triangles.capacity() * size_of::<Placed>()
    }

    fn apart(&mut self, _: usize, _: &mut Snapshot, _: super::DistanceRange, _: &mut Work) -> f64 {
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
            let from = self.triangles.len();
            self.take(part, snapshot);
            self.compared.resize(self.triangles.len(), u32::MAX);
            for index in from..self.triangles.len() {
                self.put(index, snapshot, &mut found, work);
            }
            if first && found.iter().any(Option::is_some) {
                break;
            }
        }
        work.memory_bytes = work.memory_bytes.max(self.memory_bytes() as u64);
        let touches = found.iter().enumerate();
        touches
            .filter_map(|(pair, distance)| distance.map(|distance| Touch { pair, distance }))
            .collect()
    }
}
