//! From candidates to the first contact: roots of determinants, narrowed on ever shorter cubics,
//! polished on the true motion.
//!
//! Over a short interval the cubic through four true poses is as good as the motion itself: its
//! error falls with the fourth power of the length. So each round of roots makes the interval
//! shorter for the next one, until rounding is all that is left; a determinant that vanishes
//! identically gives no roots to go by, and its interval is halved.

use nalgebra::Vector3;

use super::features::{Points, separation};
use super::hit::FeatureHit;
use super::search::{CubicMotion, FeaturePair, FeatureSearch, is_last};
use crate::check::Snapshot;
use crate::check::scene::{PartPair, Scene};
use crate::check::snapshot::TOUCH_MARGINS;
use crate::model::MotionInstant;
use crate::numeric::bernstein;
use crate::numeric::golden::GoldenSection;

/// An interval without usable roots is final when the features can move by less than this share of
/// the resolution in it.
const FINAL_SHARE: f64 = 1.0 / 64.0;

/// Roots that leave more than this share of an interval do not narrow it: it is halved.
const WORTHWHILE: f64 = 0.5;

/// Contacts of several features are one when their shares of the segment differ by less than this.
const SAME: f64 = 1e-12;

/// An interval in which two features may meet, as shares of an interval.
struct CandidateInterval {
    u: [f64; 2],
    candidate: FeaturePair,
}

impl FeatureSearch<'_> {
    /// Resolves candidates in an interval of a segment. `motions` holds the cubics of their part
    /// pairs over it.
    pub(super) fn narrow(
        &mut self,
        index: usize,
        s: [f64; 2],
        candidates: &[FeaturePair],
        motions: &[CubicMotion],
    ) {
        self.look_at_the_clock();
        if candidates.is_empty() || self.too_late(index, s[0]) {
            return;
        }
        let (mut zones, travel) = self.zones(candidates, motions);
        zones.sort_by(|x, y| x.u[0].total_cmp(&y.u[0]));
        let touch = motions.iter().map(|m| m.touch).fold(0.0, f64::max);
        let mut rest = &zones[..];
        while let Some(first) = rest.first() {
            // Zones that overlap are looked at together: one of them may hold the first contact,
            // any of them.
            let (mut u, mut count) = (first.u, 0);
            while rest.get(count).is_some_and(|zone| zone.u[0] <= u[1]) {
                u[1] = u[1].max(rest[count].u[1]);
                count += 1;
            }
            let mut together: Vec<FeaturePair> =
                rest[..count].iter().map(|z| z.candidate).collect();
            together.sort_unstable();
            together.dedup();
            rest = &rest[count..];
            let at = u.map(|u| {
                if u >= 1.0 {
                    s[1]
                } else {
                    s[0] + (s[1] - s[0]) * u
                }
            });
            if self.too_late(index, at[0]) {
                break;
            }
            let moves = travel * (u[1] - u[0]);
            if is_last(at) || moves <= touch {
                self.settle(index, at, &together);
            } else if u[1] - u[0] <= WORTHWHILE {
                self.again(index, at, &together);
            } else if moves <= FINAL_SHARE * self.resolution {
                self.settle(index, at, &together);
            } else {
                let middle = 0.5 * (at[0] + at[1]);
                self.again(index, [at[0], middle], &together);
                self.again(index, [middle, at[1]], &together);
            }
        }
    }

    /// Looks at a shorter interval with cubics of its own.
    fn again(&mut self, index: usize, s: [f64; 2], candidates: &[FeaturePair]) {
        if self.too_late(index, s[0]) {
            return;
        }
        self.place_thirds(index, s);
        let mut motions: Vec<CubicMotion> = Vec::new();
        for candidate in candidates {
            if motions
                .last()
                .is_none_or(|m| m.part_pair != candidate.part_pair)
            {
                motions.push(self.motion(candidate.part_pair, index, s));
            }
        }
        self.narrow(index, s, candidates, &motions);
    }

    /// Where candidates may meet, and how far the features concerned move in the whole interval.
    fn zones(
        &mut self,
        candidates: &[FeaturePair],
        motions: &[CubicMotion],
    ) -> (Vec<CandidateInterval>, f64) {
        let mut zones = Vec::new();
        let mut travel = 0.0f64;
        let mut roots = Vec::new();
        let mut motions = motions.iter();
        let mut motion = motions.next();
        for candidate in candidates {
            while motion.is_some_and(|m| m.part_pair != candidate.part_pair) {
                motion = motions.next();
            }
            let Some(motion) = motion else { break };
            let pair = &self.scene.part_pairs[candidate.part_pair];
            let points = Points::of(self.scene, pair, &candidate.feature);
            let moving = points.moving([&motion.a, &motion.b]);
            let (determinant, tube) = moving.determinant(motion.error);
            self.work.determinants += 1;
            roots.clear();
            bernstein::near_zero(&determinant, tube, &mut roots);
            for &u in &roots {
                self.work.roots += 1;
                // The corner must meet the face within its borders, the edges within their ends:
                // else the closest points of the two, at the root, show a direction that keeps them
                // apart all the while.
                let (_, n) = moving.at(0.5 * (u[0] + u[1])).distance();
                let over = moving.over(u);
                let [a, b] = over.sides();
                let separates = |n: Vector3<f64>| separation(a, b, &n) > motion.error;
                if n.try_normalize(0.0).is_some_and(separates) {
                    continue;
                }
                travel = travel.max(moving.travel());
                zones.push(CandidateInterval {
                    u,
                    candidate: *candidate,
                });
            }
        }
        (zones, travel)
    }

    /// The end of narrowing: in this interval the candidates touch, or it stays unresolved.
    fn settle(&mut self, index: usize, s: [f64; 2], candidates: &[FeaturePair]) {
        let mut best: Option<FeatureHit> = None;
        for candidate in candidates {
            self.leave_unresolved(candidate.part_pair, index, s);
            let Some(root) = self.polished(index, s, candidate) else {
                continue;
            };
            // Candidates come in the order of their kinds: corners on faces before edges.
            if best.is_none_or(|b| root < b.at.fraction - SAME) {
                best = Some(self.hit_at(index, root, candidate));
            }
        }
        // Where a root is ill-conditioned the surfaces have still crossed when the interval is
        // over.
        for candidate in candidates {
            if best.is_none() && self.touches(index, s[1], candidate) {
                best = Some(self.hit_at(index, s[1], candidate));
            }
        }
        if let Some(hit) = best
            && !self.too_late(index, hit.at.fraction)
        {
            self.hit = Some(hit);
        }
    }

    fn hit_at(&self, index: usize, s: f64, candidate: &FeaturePair) -> FeatureHit {
        FeatureHit {
            pair: self.scene.part_pairs[candidate.part_pair].pair,
            part_pair: candidate.part_pair,
            at: MotionInstant::new(index, s),
            feature: candidate.feature,
        }
    }

    /// Whether the pair of bodies touches at an instant.
    fn touches(&mut self, index: usize, s: f64, candidate: &FeaturePair) -> bool {
        let scene = self.scene;
        let pair = &scene.part_pairs[candidate.part_pair];
        self.probe.set(scene, &self.trajectory.segments[index], s);
        let touch = touch(scene, pair, &mut self.probe);
        let found = scene.pair_distance(pair.pair, &mut self.probe, 2.0 * touch, &mut 0);
        found.is_some_and(|nearest| nearest.distance <= touch)
    }

    /// The share of the segment, within the interval, at which two features touch in the true
    /// motion.
    fn polished(
        &mut self,
        index: usize,
        [s0, s1]: [f64; 2],
        candidate: &FeaturePair,
    ) -> Option<f64> {
        let (scene, segment) = (self.scene, &self.trajectory.segments[index]);
        let pair = &scene.part_pairs[candidate.part_pair];
        let points = Points::of(scene, pair, &candidate.feature);
        let probe = &mut self.probe;
        probe.set(scene, segment, s0);
        let touch = touch(scene, pair, probe);
        let mut at = |s: f64| {
            probe.set(scene, segment, s);
            points.placed(&pair.in_common_frame(scene, probe))
        };
        let sign = if at(s0).volume() < 0.0 { -1.0 } else { 1.0 };
        let mut height = |s: f64| sign * at(s).volume();
        // Without a change of sign the volume may dip to zero and come back.
        let beyond = if height(s1) <= 0.0 {
            s1
        } else {
            lowest(&mut height, s0, s1)
        };
        let root = if height(beyond) <= 0.0 {
            change(&mut height, s0, beyond)
        } else {
            beyond
        };
        // At the start they may touch already, whatever the volume says: it vanishes all along for
        // what is coplanar.
        [s0, root]
            .into_iter()
            .find(|&s| at(s).distance().0 <= touch)
    }
}

/// Distances up to this count as touching at this instant, metres.
pub(super) fn touch(scene: &Scene, pair: &PartPair, snapshot: &mut Snapshot) -> f64 {
    TOUCH_MARGINS * (snapshot.margin(scene, pair.a) + snapshot.margin(scene, pair.b))
}

/// Where a function that is positive at `low` and not at `high` changes sign, to the last bit: the
/// upper side of it.
fn change(f: &mut impl FnMut(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if f(middle) <= 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
}

/// About the lowest place of a function that falls and then rises.
fn lowest(f: &mut impl FnMut(f64) -> f64, low: f64, high: f64) -> f64 {
    let mut section = GoldenSection::new(low, high, f);
    for _ in 0..60 {
        section.narrow(f);
    }
    section.lowest()
}
