//! Every triangle of one body against every triangle of the other (Šinjur's baseline): slow, and so plain that it oracles
//! the others.

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::{PartPair, Scene};
use clearance_proof::geometry::triangle::{distance_triangle_triangle, within};
use clearance_proof::report::Work;
use nalgebra::Point3;

use super::{Backend, BackendKind, DistanceRange, Touch, margin, placed};

/// No structure at all.
pub struct Raw<'s> {
    scene: &'s Scene<'s>,
    a: Vec<[Point3<f64>; 3]>,
    b: Vec<[Point3<f64>; 3]>,
}

impl<'s> Raw<'s> {
    /// There is nothing to build.
    pub fn new(scene: &'s Scene<'s>) -> Self {
        Self {
            scene,
            a: Vec::new(),
            b: Vec::new(),
        }
    }

    fn place(&mut self, pair: &PartPair, snapshot: &mut Snapshot) {
        placed(self.scene, pair.a, snapshot, &mut self.a);
        placed(self.scene, pair.b, snapshot, &mut self.b);
    }

    /// The first two triangles of two parts that are found within the threshold: their distance.
    fn touch(
        &mut self,
        pair: &PartPair,
        clearance: f64,
        snapshot: &mut Snapshot,
        work: &mut Work,
    ) -> Option<f64> {
        self.place(pair, snapshot);
        let reach = clearance + pair.radii + margin(self.scene, pair, snapshot);
        for a in &self.a {
            for b in &self.b {
                work.triangle_tests += 1;
                if let Some(distance) = within(a, b, reach) {
                    return Some((distance - pair.radii).max(0.0));
                }
            }
        }
        None
    }
}

impl Backend for Raw<'_> {
    fn kind(&self) -> BackendKind {
        BackendKind::Raw
    }

    fn memory_bytes(&self) -> usize {
        let mut parts = self.scene.parts.iter().map(|p| p.tree.triangles.len());
        let most = parts.by_ref().max().unwrap_or(0);
        2 * most * size_of::<[Point3<f64>; 3]>()
    }

    fn apart(
        &mut self,
        pair: usize,
        snapshot: &mut Snapshot,
        range: DistanceRange,
        work: &mut Work,
    ) -> f64 {
        work.distance_queries += 1;
        let scene = self.scene;
        let mut least = range.max;
        for part_pair in &scene.part_pairs[scene.part_pairs_of(pair)] {
            self.place(part_pair, snapshot);
            let off = part_pair.radii + margin(scene, part_pair, snapshot);
            for a in &self.a {
                for b in &self.b {
                    work.triangle_tests += 1;
                    least = least.min(distance_triangle_triangle(a, b).distance - off);
                    if least <= range.min {
                        // What was found so far bounds the distance from above only.
                        return 0.0;
                    }
                }
            }
        }
        least.max(0.0)
    }

    fn touching(&mut self, snapshot: &mut Snapshot, first: bool, work: &mut Work) -> Vec<Touch> {
        let scene = self.scene;
        let mut touches = Vec::new();
        for (pair, what) in scene.pairs.iter().enumerate() {
            work.interference_queries += 1;
            let parts = &scene.part_pairs[scene.part_pairs_of(pair)];
            let found = parts
                .iter()
                .find_map(|p| self.touch(p, what.clearance, snapshot, work));
            touches.extend(found.map(|distance| Touch { pair, distance }));
            if first && !touches.is_empty() {
                break;
            }
        }
        touches
    }
}
