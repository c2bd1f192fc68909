//! Greedy and compact sphere trees: trees of balls over exact triangles, and distance queries in a
//! range, with a tolerance and carried bounds.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::report::Work;
use nalgebra::Point3;
use rayon::prelude::*;

use super::{Backend, BackendKind, DistanceRange, Prebuilt, Touch};
use crate::MethodError;
use crate::balls::{BallLeaves, BallTree, Combine};

mod query;
#[cfg(test)]
mod tests;

pub use query::{
    Attained, PlacedBalls, QueryOptions, QueryResult, QueryTally, distance, glance, root_bound,
};

/// Every part of a scene with a tree of balls.
#[derive(Debug, Clone)]
pub struct Balls<'s> {
    scene: &'s Scene<'s>,
    trees: Vec<Arc<BallTree>>,
    /// How distances are asked for.
    pub options: QueryOptions,
}

/// The least distance over pairs of parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BallLeast {
    /// No more than the true least distance, rounding included, metres.
    pub at_least: f64,
    /// The nearest parts that were found; `None`: none in the range.
    pub nearest: Option<NearestParts>,
}

/// The nearest pair of parts that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestParts {
    /// Index into [`Scene::part_pairs`].
    pub part_pair: usize,
    /// Distance of the surfaces, metres.
    pub distance: f64,
    /// Points of the parts `a` and `b` of that pair, world frame, metres.
    pub points: [Point3<f64>; 2],
}

impl<'s> Balls<'s> {
    /// Quinlan's trees, greedy and tiled, unless they are prebuilt. Without a leaf radius (metres)
    /// that of each part is a sixteenth of the part's.
    ///
    /// # Errors
    /// When there would be too many tiles; the message says which radius would do.
    pub fn greedy(
        scene: &'s Scene<'s>,
        leaf_radius: Option<f64>,
        prebuilt: &Prebuilt,
    ) -> Result<Self, MethodError> {
        if let Some(radius) = leaf_radius {
            let mut seen = HashSet::new();
            let parts = scene.parts.iter().map(|part| &part.tree);
            let shapes: Vec<_> = parts
                .filter(|tree| seen.insert(Arc::as_ptr(tree)))
                .collect();
            BallTree::tiles_fit(shapes.iter().map(|tree| &***tree), radius)?;
        }
        Self::build(scene, |tree| match prebuilt.balls.get(tree) {
            Some(kept) => Ok(kept.clone()),
            None => BallTree::new(tree, Combine::Greedy, BallLeaves::of(tree, leaf_radius))
                .map(Arc::new),
        })
    }

    /// Any other trees.
    ///
    /// # Errors
    /// As [`BallTree::new`].
    pub fn new(
        scene: &'s Scene<'s>,
        combine: Combine,
        leaves: BallLeaves,
    ) -> Result<Self, MethodError> {
        Self::build(scene, |tree| {
            BallTree::new(tree, combine, leaves).map(Arc::new)
        })
    }

    /// Compact trees, large triangles tiled by a sixteenth of their part.
    ///
    /// # Errors
    /// As [`BallTree::new`].
    pub fn compact(scene: &'s Scene<'s>) -> Result<Self, MethodError> {
        Self::build(scene, |tree| {
            BallTree::new(tree, Combine::Compact, BallLeaves::of(tree, None)).map(Arc::new)
        })
    }

    /// Trees that were built for the same scene before: one for every part.
    pub fn over(scene: &'s Scene<'s>, trees: Vec<Arc<BallTree>>) -> Self {
        Self {
            scene,
            trees,
            options: QueryOptions::default(),
        }
    }

    fn build(
        scene: &'s Scene<'s>,
        tree: impl Fn(&Arc<SphereTree>) -> Result<Arc<BallTree>, MethodError> + Sync,
    ) -> Result<Self, MethodError> {
        // Parts of one shape share a tree.
        let mut place = HashMap::new();
        let mut shapes = Vec::new();
        let of_part: Vec<usize> = scene
            .parts
            .iter()
            .map(|part| {
                *place.entry(Arc::as_ptr(&part.tree)).or_insert_with(|| {
                    shapes.push(part);
                    shapes.len() - 1
                })
            })
            .collect();
        let trees: Vec<Arc<BallTree>> = shapes
            .par_iter()
            .map(|part| {
                let body = &scene.cell.bodies[part.body].name;
                let named = |why| MethodError::Unsupported(format!("`{body}`: {why}"));
                tree(&part.tree).map_err(named)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            scene,
            trees: of_part.iter().map(|&k| trees[k].clone()).collect(),
            options: QueryOptions::default(),
        })
    }

    /// The tree of every part of the scene.
    pub fn trees(&self) -> &[Arc<BallTree>] {
        &self.trees
    }

    /// The least distance over some pairs of parts (indices into [`Scene::part_pairs`]) at an
    /// instant.
    pub fn least(
        &self,
        part_pairs: impl IntoIterator<Item = usize>,
        snapshot: &mut Snapshot,
        range: DistanceRange,
        tally: &mut QueryTally,
    ) -> BallLeast {
        let worthwhile = 1.0 - self.options.tolerance.max(range.tolerance);
        let mut order: Vec<(f64, usize)> = part_pairs
            .into_iter()
            .map(|index| {
                let [a, b] = self.placed(index, snapshot);
                (root_bound(&a, &b, tally), index)
            })
            .collect();
        if self.options.nearest_first && order.len() > 1 {
            order = self.nearest_first(order, snapshot, range.max, tally);
        }
        let mut least = BallLeast {
            at_least: f64::INFINITY,
            nearest: None,
        };
        let margin = self.margin(order.iter().map(|o| o.1), snapshot);
        for (bound, index) in order {
            let pair = &self.scene.part_pairs[index];
            let so_far = least.nearest.map_or(f64::INFINITY, |n| n.distance);
            let within = DistanceRange {
                max: if self.options.carried {
                    range.max.min(so_far)
                } else {
                    range.max
                },
                ..range
            };
            let enough = least.nearest.is_some() && so_far <= range.min.max(0.0);
            if enough || bound >= within.max * worthwhile {
                least.at_least = least.at_least.min(bound);
                continue;
            }
            let [a, b] = self.placed(index, snapshot);
            let found = distance(a, b, within, &self.options, tally);
            least.at_least = least.at_least.min(found.at_least);
            if let Some(nearest) = found.attained
                && nearest.distance < so_far
            {
                least.nearest = Some(NearestParts {
                    part_pair: index,
                    distance: nearest.distance,
                    points: pair.on_surfaces(self.scene, snapshot, nearest.points),
                });
            }
        }
        least.at_least = (least.at_least - margin).max(0.0);
        least
    }

    /// Pairs of parts with their bounds, in the order of what a glance says of their distances.
    /// Those that lie beyond what was seen before are not glanced at and come last.
    fn nearest_first(
        &self,
        mut order: Vec<(f64, usize)>,
        snapshot: &mut Snapshot,
        mut nearest: f64,
        tally: &mut QueryTally,
    ) -> Vec<(f64, usize)> {
        order.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut seen: Vec<(f64, (f64, usize))> = order
            .into_iter()
            .map(|(bound, index)| {
                if bound >= nearest {
                    return (bound, (bound, index));
                }
                let [a, b] = self.placed(index, snapshot);
                let about = glance(&a, &b, tally);
                nearest = nearest.min(about);
                (about, (bound, index))
            })
            .collect();
        seen.sort_by(|x, y| x.0.total_cmp(&y.0));
        seen.into_iter().map(|(_, pair)| pair).collect()
    }

    /// How far computed distances of some pairs of parts can be off, metres.
    fn margin(&self, part_pairs: impl Iterator<Item = usize>, snapshot: &mut Snapshot) -> f64 {
        part_pairs
            .map(|index| {
                let pair = &self.scene.part_pairs[index];
                snapshot.margin(self.scene, pair.a) + snapshot.margin(self.scene, pair.b)
            })
            .fold(0.0, f64::max)
    }

    /// The two parts of a pair in the frame that they share.
    fn placed(&self, part_pair: usize, snapshot: &mut Snapshot) -> [PlacedBalls<'_>; 2] {
        let pair = &self.scene.part_pairs[part_pair];
        let poses = pair.in_common_frame(self.scene, snapshot);
        [(pair.a, poses[0]), (pair.b, poses[1])].map(|(part, pose)| PlacedBalls {
            tree: &self.trees[part],
            pose,
            radius: self.scene.parts[part].tree.radius,
        })
    }
}

/// Greedy trees are the shape that users can choose; the compact ones are those of the default
/// check.
impl Backend for Balls<'_> {
    fn kind(&self) -> BackendKind {
        BackendKind::Greedy
    }

    fn uses_tolerance(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> usize {
        let mut counted = HashSet::new();
        let each = self.trees.iter().filter(|t| counted.insert(Arc::as_ptr(t)));
        each.map(|t| t.memory_bytes()).sum()
    }

    fn lower_bound(
        &mut self,
        pair: usize,
        snapshot: &mut Snapshot,
        range: DistanceRange,
        work: &mut Work,
    ) -> f64 {
        work.distance_queries += 1;
        let mut tally = QueryTally::default();
        let least = self.least(self.scene.part_pairs_of(pair), snapshot, range, &mut tally);
        tally.add_to(work);
        least.at_least
    }

    fn touching(&mut self, snapshot: &mut Snapshot, first: bool, work: &mut Work) -> Vec<Touch> {
        let mut touches = Vec::new();
        let mut tally = QueryTally::default();
        for (pair, what) in self.scene.pairs.iter().enumerate() {
            work.interference_queries += 1;
            let part_pairs = self.scene.part_pairs_of(pair);
            // Rounding errs towards contact.
            let within = what.clearance + self.margin(part_pairs.clone(), snapshot);
            let range = DistanceRange {
                min: 0.0,
                max: within.next_up(),
                tolerance: 0.0,
            };
            if let Some(nearest) = self.least(part_pairs, snapshot, range, &mut tally).nearest {
                touches.push(Touch {
                    pair,
                    distance: nearest.distance,
                });
                if first {
                    break;
                }
            }
        }
        tally.add_to(work);
        touches
    }
}
