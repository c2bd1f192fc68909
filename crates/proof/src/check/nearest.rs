//! The nearest pair of bodies at one instant.

use crate::check::Snapshot;
use crate::check::distance::part_at_least;
use crate::check::scene::Scene;
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
pub struct StandingPart {
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
    pub fn standing(&self, snapshot: &mut Snapshot, known: &[f64]) -> StandingPart {
        self.standing_asked(snapshot, known, false)
    }

    /// The same without the nearest pair: only the pairs within their thresholds.
    pub fn standing_contacts(&self, snapshot: &mut Snapshot, known: &[f64]) -> StandingPart {
        self.standing_asked(snapshot, known, true)
    }

    fn standing_asked(
        &self,
        snapshot: &mut Snapshot,
        known: &[f64],
        contacts_only: bool,
    ) -> StandingPart {
        let mut found = StandingPart::default();
        for hidden in self.contained_points(snapshot) {
            // Surfaces that meet say it themselves.
            if self
                .pair_distance(hidden.pair, snapshot, f64::MIN_POSITIVE, &mut 0)
                .is_some()
            {
                continue;
            }
            found.contacts.push(Near {
                pair: hidden.pair,
                kind: ContactKind::Inside,
                nearest: Closest {
                    distance: 0.0,
                    point_a: hidden.point,
                    point_b: hidden.point,
                },
            });
        }
        found.nearest = found.contacts.first().copied();
        let mut pairs: Vec<(f64, usize)> = (0..self.pairs.len())
            .filter(|&pair| found.contacts.iter().all(|c| c.pair != pair))
            .map(|pair| {
                let known = known.get(pair).copied().unwrap_or(0.0);
                (at_least(self, pair, snapshot).max(known), pair)
            })
            .collect();
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
        for (bound, pair) in pairs {
            // Rounding errs towards contact.
            let threshold = self.pairs[pair].clearance + margin(self, pair, snapshot);
            let best = found.nearest.map_or(f64::INFINITY, |n| n.nearest.distance);
            // A pair matters if it is the nearest, or within a threshold of its own.
            let below = if contacts_only {
                threshold.next_up()
            } else {
                best.max(threshold.next_up())
            };
            if bound >= below {
                continue;
            }
            found.measured += 1;
            let Some(nearest) = self.pair_distance(pair, snapshot, below, &mut 0) else {
                continue;
            };
            let near = Near {
                pair,
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

/// How far computed distances of a pair can be off, metres.
pub(super) fn margin(scene: &Scene, pair: usize, snapshot: &mut Snapshot) -> f64 {
    let parts = &scene.part_pairs[scene.part_pairs_of(pair)];
    let margins = parts
        .iter()
        .map(|p| snapshot.margin(scene, p.a) + snapshot.margin(scene, p.b));
    margins.fold(0.0, f64::max)
}

impl Scene<'_> {
    /// A lower bound of a pair's distance, from the first nodes of its trees, metres.
    pub fn pair_at_least(&self, pair: usize, snapshot: &mut Snapshot) -> f64 {
        at_least(self, pair, snapshot)
    }
}

/// A lower bound of a pair's distance, metres.
fn at_least(scene: &Scene, pair: usize, snapshot: &mut Snapshot) -> f64 {
    scene.part_pairs[scene.part_pairs_of(pair)]
        .iter()
        .map(|part_pair| part_at_least(scene, part_pair, snapshot))
        .fold(f64::INFINITY, f64::min)
}
