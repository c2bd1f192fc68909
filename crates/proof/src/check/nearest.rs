//! The nearest pair of bodies at one instant.

use std::cmp::Ordering;

use nalgebra::Vector3;

use crate::check::Snapshot;
use crate::check::distance::part_at_least;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::triangle::Closest;
use crate::report::ContactKind;

/// A pair of bodies and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Index into [`Scene::pairs`].
    pub pair: usize,
    /// Surfaces, or one body inside the other.
    pub kind: ContactKind,
    /// Distance and closest points; for a body inside another one the distance is 0 and both points
    /// are one on the inner.
    pub nearest: Closest,
}

/// The answer about one instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InstantAnswer {
    /// The nearest pair; `None` in a cell without pairs.
    pub nearest: Option<Near>,
    /// Pairs within their thresholds, in the scene's order.
    pub contacts: Vec<Near>,
    /// How many pairs had to be measured.
    pub measured: usize,
}

impl Scene<'_> {
    /// Looks at one instant: the nearest pair, and all pairs within their thresholds. `known` has
    /// by pair a distance that it is known not to be nearer than, metres; empty: nothing is known.
    pub fn at_instant(&self, snapshot: &mut Snapshot, known: &[f64]) -> InstantAnswer {
        self.asked_at_instant(snapshot, known, false)
    }

    /// The same without the nearest pair: only the pairs within their thresholds.
    pub fn contacts_at_instant(&self, snapshot: &mut Snapshot, known: &[f64]) -> InstantAnswer {
        self.asked_at_instant(snapshot, known, true)
    }

    fn asked_at_instant(
        &self,
        snapshot: &mut Snapshot,
        known: &[f64],
        contacts_only: bool,
    ) -> InstantAnswer {
        let mut found = InstantAnswer::default();
        for contained in self.contained_points(snapshot) {
            // Where surfaces meet, the search of distances below reports the contact.
            if self
                .pair_distance(contained.pair, snapshot, f64::MIN_POSITIVE, &mut 0)
                .is_some()
            {
                continue;
            }
            found.contacts.push(Near {
                pair: contained.pair,
                kind: ContactKind::Inside,
                nearest: Closest {
                    distance: 0.0,
                    point_a: contained.point,
                    point_b: contained.point,
                },
            });
        }
        found.nearest = found.contacts.first().copied();
        let mut pairs = self.by_balls(snapshot, known);
        pairs.retain(|pair| found.contacts.iter().all(|c| c.pair != pair.pair));
        // Nearest last, so that `pop` takes it first.
        pairs.sort_by(|x, y| y.order(x));
        // Pairs whose bound is better than that of their balls, in the same order.
        let mut looked_at: Vec<PairBound> = Vec::new();
        loop {
            let next = match (pairs.last(), looked_at.last()) {
                (Some(by_balls), Some(other)) if other.order(by_balls).is_le() => looked_at.pop(),
                (None, _) => looked_at.pop(),
                _ => None,
            };
            let fresh = next.is_none();
            let Some(mut next) = next.or_else(|| pairs.pop()) else {
                break;
            };
            // Rounding errs towards contact.
            let threshold = self.pairs[next.pair].clearance + margin_of(self, next.parts, snapshot);
            let best = found.nearest.map_or(f64::INFINITY, |n| n.nearest.distance);
            // A pair matters if it is the nearest, or within a threshold of its own.
            let below = if contacts_only {
                threshold.next_up()
            } else {
                best.max(threshold.next_up())
            };
            if next.bound >= below {
                continue;
            }
            if fresh {
                // The bound from the balls holds as well: take the better one.
                next.bound = at_least(self, next.parts, snapshot).max(next.bound);
                let before = looked_at.partition_point(|other| next.order(other).is_lt());
                looked_at.insert(before, next);
                continue;
            }
            found.measured += 1;
            let Some(nearest) = self.pair_distance(next.pair, snapshot, below, &mut 0) else {
                continue;
            };
            let near = Near {
                pair: next.pair,
                kind: ContactKind::Contact,
                nearest,
            };
            if nearest.distance <= threshold {
                found.contacts.push(near);
            }
            if nearest.distance < best && !contacts_only {
                found.nearest = Some(near);
            }
        }
        found.contacts.sort_by_key(|c| c.pair);
        found
    }
}

/// What is known of a pair before it is measured.
#[derive(Debug, Clone, Copy)]
struct PairBound<'s> {
    /// It is not nearer than this, metres.
    bound: f64,
    pair: usize,
    parts: &'s [PartPair],
}

impl PairBound<'_> {
    /// Orders pairs by their bounds.
    fn order(&self, other: &PairBound) -> Ordering {
        let bounds = self.bound.total_cmp(&other.bound);
        bounds.then(self.pair.cmp(&other.pair))
    }
}

/// A ball around a part, in the world.
struct Ball {
    center: Vector3<f64>,
    /// Radius with the rounding of computed positions added, metres.
    radius: f64,
}

impl Ball {
    fn around(scene: &Scene, part: usize, snapshot: &mut Snapshot) -> Self {
        let tree = &scene.parts[part].tree;
        let root = &tree.nodes[0];
        let center = root.ball_center();
        // The pair is measured in another frame than the world, and positions are rounded in both.
        let margin = 2.0 * snapshot.fixed_margin(scene, part);
        Ball {
            center: snapshot.part_pose(scene, part).apply(&center),
            radius: f64::from(root.radius) + tree.radius + margin,
        }
    }
}

impl Scene<'_> {
    /// A lower bound for every pair, from the balls around its parts and from `known`. Most pairs
    /// are far enough apart by this and are not measured.
    fn by_balls(&self, snapshot: &mut Snapshot, known: &[f64]) -> Vec<PairBound<'_>> {
        let parts = 0..self.parts.len();
        let balls: Vec<Ball> = parts.map(|p| Ball::around(self, p, snapshot)).collect();
        let distance = |pair: &PartPair| {
            let (a, b) = (&balls[pair.a], &balls[pair.b]);
            (a.center - b.center).norm() - a.radius - b.radius
        };
        let of_pairs = self.part_pairs.chunk_by(|x, y| x.pair == y.pair);
        of_pairs
            .map(|parts| {
                let pair = parts[0].pair;
                let known = known.get(pair).copied().unwrap_or(0.0);
                PairBound {
                    bound: parts
                        .iter()
                        .map(distance)
                        .fold(f64::INFINITY, f64::min)
                        .max(known),
                    pair,
                    parts,
                }
            })
            .collect()
    }

    /// A lower bound of a pair's distance, from the first nodes of its trees, metres.
    pub fn pair_at_least(&self, pair: usize, snapshot: &mut Snapshot) -> f64 {
        at_least(self, &self.part_pairs[self.part_pairs_of(pair)], snapshot)
    }
}

/// How far computed distances of a pair can be off, metres.
pub(super) fn margin(scene: &Scene, pair: usize, snapshot: &mut Snapshot) -> f64 {
    margin_of(
        scene,
        &scene.part_pairs[scene.part_pairs_of(pair)],
        snapshot,
    )
}

fn margin_of(scene: &Scene, parts: &[PartPair], snapshot: &mut Snapshot) -> f64 {
    let margins = parts
        .iter()
        .map(|p| snapshot.margin(scene, p.a) + snapshot.margin(scene, p.b));
    margins.fold(0.0, f64::max)
}

/// A lower bound of a pair's distance, metres.
fn at_least(scene: &Scene, parts: &[PartPair], snapshot: &mut Snapshot) -> f64 {
    parts
        .iter()
        .map(|part_pair| part_at_least(scene, part_pair, snapshot))
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests;
