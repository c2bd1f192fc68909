//! Every triangle of one body against every triangle of the other (Šinjur's baseline): slow, and so
//! plain that it oracles the others.
//!
//! The method that users choose (`--shape raw`) compares boxes first: those of the two parts, then
//! those of every two triangles, many at a time. [`Raw::plain`] is the baseline itself, every two
//! triangles and nothing else.

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::{PartPair, Scene};
use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::report::Work;
use nalgebra::Point3;

use super::{Backend, BackendKind, DistanceRange, Touch, margin, placed};

/// Boxes that are compared at a time.
const LANES: usize = 16;

/// More than the rounding of a gap of two boxes in single precision, relative to it.
const ROUND_DOWN: f32 = 1.0 - 1e-6;

/// The boxes of triangles in single precision, rounded outwards: lower and upper ends along x, y
/// and z. The last ones are filled up with boxes that are far from everything.
#[derive(Debug, Clone, Default)]
struct TriangleBoxes {
    low: [Vec<f32>; 3],
    high: [Vec<f32>; 3],
    around: Option<Aabb>,
}

impl TriangleBoxes {
    fn set(&mut self, triangles: &[[Point3<f64>; 3]]) {
        let all: Vec<Aabb> = triangles.iter().map(|t| Aabb::of(*t)).collect();
        let fill = triangles.len().next_multiple_of(LANES) - triangles.len();
        for axis in 0..3 {
            let (low, high) = (&mut self.low[axis], &mut self.high[axis]);
            low.clear();
            high.clear();
            low.extend(all.iter().map(|t| (t.min[axis] as f32).next_down()));
            high.extend(all.iter().map(|t| (t.max[axis] as f32).next_up()));
            low.extend(std::iter::repeat_n(f32::MAX, fill));
            high.extend(std::iter::repeat_n(f32::MAX, fill));
        }
        self.around = all.into_iter().reduce(|x, y| x.join(&y));
    }

    /// Squares of the gaps between one box and some of these, rounded down, square metres.
    fn gaps(&self, low: &[f32; 3], high: &[f32; 3], first: usize) -> [f32; LANES] {
        let mut squares = [0.0; LANES];
        for axis in 0..3 {
            let lows = &self.low[axis][first..first + LANES];
            let highs = &self.high[axis][first..first + LANES];
            for k in 0..LANES {
                let gap = (lows[k] - high[axis]).max(low[axis] - highs[k]).max(0.0);
                squares[k] += gap * gap;
            }
        }
        squares.map(|square| square * ROUND_DOWN)
    }
}

/// A part at an instant.
#[derive(Debug, Clone, Default)]
struct RawPart {
    triangles: Vec<[Point3<f64>; 3]>,
    boxes: TriangleBoxes,
}

/// No structure at all.
pub struct Raw<'s> {
    scene: &'s Scene<'s>,
    /// Every part, as far as it was placed.
    parts: Vec<RawPart>,
    /// Whether boxes are compared first.
    boxes_first: bool,
}

impl<'s> Raw<'s> {
    /// There is nothing to build. Boxes are compared before triangles.
    pub fn new(scene: &'s Scene<'s>) -> Self {
        Self {
            scene,
            parts: vec![RawPart::default(); scene.parts.len()],
            boxes_first: true,
        }
    }

    /// Every two triangles and nothing else.
    pub fn plain(scene: &'s Scene<'s>) -> Self {
        Self {
            boxes_first: false,
            ..Self::new(scene)
        }
    }

    fn place(&mut self, part: usize, snapshot: &mut Snapshot) {
        let RawPart { triangles, boxes } = &mut self.parts[part];
        placed(self.scene, part, snapshot, triangles);
        if self.boxes_first {
            boxes.set(triangles);
        }
    }

    /// Shows every two triangles of a pair that may be within `reach` of each other; what is shown
    /// tells how far it reaches from there on, or that it has seen enough.
    fn every(
        &self,
        pair: &PartPair,
        mut reach: f64,
        work: &mut Work,
        mut show: impl FnMut(&[Point3<f64>; 3], &[Point3<f64>; 3]) -> Option<f64>,
    ) {
        let [of_a, of_b] = [pair.a, pair.b].map(|part| &self.parts[part]);
        let [boxes_a, boxes_b] = [&of_a.boxes, &of_b.boxes];
        let gap = boxes_a.around.zip(boxes_b.around).map(|(a, b)| a.gap(&b));
        if self.boxes_first && gap.is_some_and(|gap| gap > reach) {
            return;
        }
        for (i, a) in of_a.triangles.iter().enumerate() {
            if !self.boxes_first {
                for b in &of_b.triangles {
                    work.triangle_tests += 1;
                    let Some(_) = show(a, b) else { return };
                }
                continue;
            }
            let side = |ends: &[Vec<f32>; 3]| [ends[0][i], ends[1][i], ends[2][i]];
            let (low, high) = (side(&boxes_a.low), side(&boxes_a.high));
            work.triangle_tests += of_b.triangles.len() as u64;
            for first in (0..of_b.triangles.len()).step_by(LANES) {
                let gaps = boxes_b.gaps(&low, &high, first);
                let square = ((reach * reach) as f32).next_up();
                if gaps.iter().all(|&gap| gap > square) {
                    continue;
                }
                for (k, gap) in gaps.iter().enumerate().take(of_b.triangles.len() - first) {
                    if *gap <= square {
                        let Some(nearer) = show(a, &of_b.triangles[first + k]) else {
                            return;
                        };
                        reach = nearer;
                    }
                }
            }
        }
    }

    /// The first two triangles of two parts that are found within the threshold: their distance.
    fn touch(
        &self,
        pair: &PartPair,
        clearance: f64,
        snapshot: &mut Snapshot,
        work: &mut Work,
    ) -> Option<f64> {
        let reach = clearance + pair.radii + margin(self.scene, pair, snapshot);
        let mut found = None;
        self.every(pair, reach, work, |a, b| {
            found = Closest::within(a, b, reach);
            match found {
                Some(_) => None,
                None => Some(reach),
            }
        });
        found.map(|distance| (distance - pair.radii).max(0.0))
    }
}

impl Backend for Raw<'_> {
    fn kind(&self) -> BackendKind {
        BackendKind::Raw
    }

    fn memory_bytes(&self) -> usize {
        let parts = self.scene.parts.iter().map(|p| p.tree.triangles.len());
        let boxes = usize::from(self.boxes_first) * 6 * size_of::<f32>();
        parts.sum::<usize>() * (size_of::<[Point3<f64>; 3]>() + boxes)
    }

    fn lower_bound(
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
            for part in [part_pair.a, part_pair.b] {
                self.place(part, snapshot);
            }
            let radii_and_margin = part_pair.radii + margin(scene, part_pair, snapshot);
            self.every(part_pair, least + radii_and_margin, work, |a, b| {
                least = least.min(Closest::of_triangles(a, b).distance - radii_and_margin);
                // The least distance so far bounds the distance from above only.
                (least > range.min).then_some(least + radii_and_margin)
            });
            if least <= range.min {
                return 0.0;
            }
        }
        least.max(0.0)
    }

    fn touching(&mut self, snapshot: &mut Snapshot, first: bool, work: &mut Work) -> Vec<Touch> {
        let scene = self.scene;
        for part in 0..scene.parts.len() {
            self.place(part, snapshot);
        }
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

#[cfg(test)]
mod tests;
