//! Every triangle of one body against every triangle of the other (source 4's baseline): slow, and so plain that it judges
//! the others.

use clearance_proof::check::Moment;
use clearance_proof::check::scene::{PartPair, Scene};
use clearance_proof::geometry::triangle::{distance_triangle_triangle, within};
use clearance_proof::report::Work;
use nalgebra::Point3;

use super::{Range, Shape, ShapeKind, Touch, margin, placed};

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

    fn place(&mut self, pair: &PartPair, moment: &mut Moment) {
        placed(self.scene, pair.a, moment, &mut self.a);
        placed(self.scene, pair.b, moment, &mut self.b);
    }

    /// The first two triangles of two parts that are found within the threshold: their distance.
    fn touch(
        &mut self,
        pair: &PartPair,
        clearance: f64,
        moment: &mut Moment,
        work: &mut Work,
    ) -> Option<f64> {
        self.place(pair, moment);
        let reach = clearance + pair.radii + margin(self.scene, pair, moment);
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

impl Shape for Raw<'_> {
    fn kind(&self) -> ShapeKind {
        ShapeKind::Raw
    }

    fn memory_bytes(&self) -> usize {
        let mut parts = self.scene.parts.iter().map(|p| p.tree.triangles.len());
        let most = parts.by_ref().max().unwrap_or(0);
        2 * most * size_of::<[Point3<f64>; 3]>()
    }

    fn apart(&mut self, pair: usize, moment: &mut Moment, range: Range, work: &mut Work) -> f64 {
        work.distance_queries += 1;
        let scene = self.scene;
        let mut least = range.max;
        for part_pair in &scene.part_pairs[scene.part_pairs_of(pair)] {
            self.place(part_pair, moment);
            let off = part_pair.radii + margin(scene, part_pair, moment);
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

    fn touching(&mut self, moment: &mut Moment, first: bool, work: &mut Work) -> Vec<Touch> {
        let scene = self.scene;
        let mut touches = Vec::new();
        for (pair, what) in scene.pairs.iter().enumerate() {
            work.interference_queries += 1;
            let parts = &scene.part_pairs[scene.part_pairs_of(pair)];
            let found = parts
                .iter()
                .find_map(|p| self.touch(p, what.clearance, moment, work));
            touches.extend(found.map(|distance| Touch { pair, distance }));
            if first && !touches.is_empty() {
                break;
            }
        }
        touches
    }
}
