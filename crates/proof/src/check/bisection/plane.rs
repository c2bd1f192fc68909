//! One plane between two whole parts over an interval.
//!
//! Where two parts came near, a direction that separates the triangles there often separates all of
//! them. To see that, each part is looked at by itself: how far its points reach along the
//! direction, at both ends. That takes some dozens of nodes where pairs of nodes take hundreds,
//! since a box says little of what lies in it along a direction that is none of its own.
//!
//! Links of one chain keep their places about each other while they turn: the shoulder of an arm
//! stays beside its base, the wrist beside the forearm. Seen from the link between the two, each of
//! them turns about one axis, and a plane across it stays where it is. So the frame of this test is
//! that of the first joint between them, whatever the frame of the search. And of the way by which
//! a point leaves its chord only the share along the direction counts: a point that turns about a
//! fixed axis leaves it across the axis.
//!
//! Errors put a point off its place without errors by no more than a length ([`View::deviations`]),
//! which is the same seen from any frame that moves as it would without them. In that frame the
//! point is off along the direction by no more than this length, all of which counts. It is affine
//! in the distance from the part's origin, as a chord bound is, so corners stand for triangles.
//!
//! Or else the plane stands in the frame that the first joint between the two really carries, off
//! as it may be. Seen from there the first part is off by what counts beyond this joint, and all
//! that the joint itself is off turns the second part about the axis, by the same angle the other
//! way. Where a part turns about one axis, so does the error of its joint turn it: by up to δ, with
//! r from the axis to the point, along n by no more than
//!
//! > δ |n·(a × r)| + ½ δ² |n × a| ρ
//!
//! which is nothing along the axis, and little for what lies straight ahead of the axis (a round
//! base under the arm). The first term is the greater one of two linear functions of the point, so
//! it is two directions beside n that are looked at, n ± δ a × n; between the ends of an interval r
//! leaves its chord as the point does. The other errors of a part are lengths as before: by the one
//! of its joint they are turned. Both ways to see errors hold, and for each direction the one is
//! taken that says less ([`PlaneTest::error_view`]).

mod side;

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::sweep::Sweeps;
use super::view::View;
use crate::bvh::Node;
use crate::check::Snapshot;
use crate::check::distance::{corners, triangles};
use crate::check::scene::{PartPair, Scene};
use side::{Allowed, PairInView, PlaneTestPart};

/// Rounding of what is computed here, relative to the sizes in it.
const ROUNDING: f64 = 1e-13;

/// How errors are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorView {
    /// As lengths, from where the frame of the test would be without them.
    Lengths,
    /// From where that frame really is.
    Followed,
}

/// Two parts over an interval.
#[derive(Debug, Clone)]
pub(super) struct PlaneTest<'s> {
    sides: [PlaneTestPart<'s>; 2],
    /// Rounding, metres.
    margin: f64,
}

impl<'s> PlaneTest<'s> {
    /// Looks at a pair between two moments; `view` is what the search sees of it.
    pub fn new(
        scene: &'s Scene<'s>,
        pair: &PartPair,
        view: &View,
        sweeps: &mut Sweeps,
        ends: &mut [&mut Snapshot; 2],
        errors: Option<Allowed>,
    ) -> Self {
        let chain = &scene.chains.of(scene.parts[pair.a].joint)[pair.shared..];
        let seen = PairInView { scene, pair, view };
        // The frame of the test is off by as much as the value of the joint that carries it, at
        // either end by another amount.
        let mut turned = 0.0;
        let sides = match chain {
            [between, beyond @ ..] if pair.one_sided && !beyond.is_empty() => {
                turned = [0, 1]
                    .map(|end: usize| sweeps.value_rounding(ends[end], *between))
                    .iter()
                    .sum();
                seen.seen_from_joint(*between, beyond, sweeps, ends, errors)
            }
            _ => seen.seen_from_common_frame(chain, ends),
        };
        let size: f64 = sides
            .iter()
            .flat_map(|side| side.poses)
            .map(|pose| pose.translation.norm())
            .sum();
        PlaneTest {
            margin: (ROUNDING + turned) * (size + sides[0].radius + sides[1].radius),
            sides,
        }
    }

    /// The way to see errors that says less along a direction.
    fn error_view(&self, n: &Vector3<f64>) -> ErrorView {
        let [a, b] = self
            .sides
            .each_ref()
            .map(|side| side.greatest_deviations(n));
        if a[1] + b[1] < a[0] + b[0] {
            ErrorView::Followed
        } else {
            ErrorView::Lengths
        }
    }

    /// Directions along the axes about which the parts turn, from the second part to the first one.
    pub fn along_axes(&self) -> impl Iterator<Item = Vector3<f64>> {
        let middle = |side: &PlaneTestPart| {
            let center = side.tree.nodes[0].aabb()[0];
            side.poses[0].apply(&center)
        };
        let [a, b] = &self.sides;
        let between = middle(a) - middle(b);
        let axes = [a.axis, b.axis].into_iter().flatten();
        axes.map(move |n| if n.dot(&between) < 0.0 { -n } else { n })
    }

    /// A direction of the search's frame in that of the test, half-way between the ends.
    pub fn direction(&self, view: &View, n: &Vector3<f64>) -> Option<Vector3<f64>> {
        let turned = |end: usize| {
            let own = view.b[end].rotation.tr_mul(n);
            self.sides[1].poses[end].rotation * own
        };
        (turned(0) + turned(1)).try_normalize(1e-6)
    }

    /// Whether a plane across the unit direction `n`, from the second part to the first one, keeps
    /// them `required_gap` apart during the whole interval. `tests` counts the nodes that were
    /// looked at.
    pub fn separated_by(&self, n: &Vector3<f64>, required_gap: f64, tests: &mut u64) -> bool {
        let [a, b] = &self.sides;
        let need = required_gap + self.margin;
        let way = self.error_view(n);
        let (a, b) = (
            PartAlongDirection::new(a, *n, way),
            PartAlongDirection::new(b, -n, way),
        );
        // The values that single corners attain mostly show that this direction separates nothing.
        let (at_a, at_b) = (a.attained(tests), b.attained(tests));
        let spare = [0, 1].map(|end| at_a[end] + at_b[end] - need);
        if !(spare[0] > 0.0 && spare[1] > 0.0) {
            return false;
        }
        let half = [0, 1].map(|end| at_a[end] - 0.5 * spare[end]);
        let Some(low) = a.above(half, tests) else {
            return false;
        };
        b.above([0, 1].map(|end| need - low[end]), tests).is_some()
    }
}

/// A direction in the frame of a part, at both ends.
struct Direction {
    along: [Vector3<f64>; 2],
    /// Its absolute values.
    widths: [Vector3<f64>; 2],
    /// Where the part's origin is along it, less what counts at the origin already.
    origin: [f64; 2],
}

/// A part along a direction.
struct PartAlongDirection<'s> {
    side: &'s PlaneTestPart<'s>,
    direction: Direction,
    /// A second one that counts as well, where an error turns the part.
    second: Option<Direction>,
    /// The length of these directions, at most.
    length: f64,
    /// The share of the chord bound and of errors that counts, per metre from the part's origin.
    slope: f64,
}

impl<'s> PartAlongDirection<'s> {
    fn new(side: &'s PlaneTestPart<'s>, n: Vector3<f64>, way: ErrorView) -> Self {
        let share = side.share_across_axis(&n);
        let (mut deviation, mut turn, mut at) = (side.deviation, 0.0, Vector3::zeros());
        if let (ErrorView::Followed, Some(errors)) = (way, &side.followed) {
            (deviation, turn, at) = (errors.deviation, errors.turn, errors.origin);
            // What a turn does to the second order.
            let second = 0.5 * turn * turn * share;
            deviation.base += second * errors.lever;
            deviation.slope += second;
        }
        // As far as a point leaves its chord the turn has another lever.
        let chords = share * (1.0 + turn);
        let base = chords * side.chord_bound.base + deviation.base;
        let beside = side.axis.unwrap_or_default().cross(&n) * turn;
        let direction = |beside: Vector3<f64>| {
            let along = [0, 1].map(|end| side.poses[end].rotation.tr_mul(&(n + beside)));
            Direction {
                along,
                widths: along.map(|n| n.abs()),
                origin: [0, 1].map(|end| {
                    let position = &side.poses[end].translation;
                    n.dot(position) + beside.dot(&(position - at)) - base
                }),
            }
        };
        PartAlongDirection {
            side,
            direction: direction(beside),
            second: (turn > 0.0).then(|| direction(-beside)),
            length: (1.0 + turn * turn).sqrt(),
            slope: chords * side.chord_bound.slope + deviation.slope,
        }
    }

    /// Lower bounds for all points below a node.
    #[inline]
    fn bound(&self, node: &Node) -> [f64; 2] {
        let [box_center, half] = node.aabb();
        let (center, radius) = (node.ball_center(), f64::from(node.radius));
        // No point is farther out than the ball.
        let deviation = self.slope * (center.norm() + radius);
        let least = |direction: &Direction| {
            [0, 1].map(|end| {
                let along = &direction.along[end];
                let by_box = along.dot(&box_center) - direction.widths[end].dot(&half);
                let by_ball = along.dot(&center) - radius * self.length;
                direction.origin[end] + by_box.max(by_ball) - deviation
            })
        };
        self.of_both(least)
    }

    /// The least of what both directions give.
    #[inline(always)]
    fn of_both(&self, least: impl Fn(&Direction) -> [f64; 2]) -> [f64; 2] {
        let first = least(&self.direction);
        match &self.second {
            Some(second) => {
                let second = least(second);
                [0, 1].map(|end| first[end].min(second[end]))
            }
            None => first,
        }
    }

    /// The values of a leaf's corners, the least of them.
    fn of_leaf(&self, node: &Node) -> [f64; 2] {
        self.of_both(|direction| {
            let mut least = [f64::INFINITY; 2];
            for triangle in triangles(node) {
                for corner in corners(self.side.tree, triangle) {
                    let deviation = self.slope * corner.norm();
                    for end in 0..2 {
                        let reach = direction.origin[end] + direction.along[end].dot(&corner);
                        least[end] = least[end].min(reach - deviation);
                    }
                }
            }
            least
        })
    }

    /// The values that some corners attain: those of the leaf that is found by going down to the
    /// lower child each time.
    fn attained(&self, tests: &mut u64) -> [f64; 2] {
        let nodes = &self.side.tree.nodes;
        let mut node = &nodes[0];
        while !node.is_leaf() {
            *tests += 2;
            let first = node.first as usize;
            let children = [&nodes[first], &nodes[first + 1]];
            let [x, y] = children.map(|child| self.bound(child)).map(|[p, q]| p + q);
            node = children[usize::from(y < x)];
        }
        self.of_leaf(node)
    }

    /// Lower bounds for the whole part if they are above `floor`.
    fn above(&self, floor: [f64; 2], tests: &mut u64) -> Option<[f64; 2]> {
        let nodes = &self.side.tree.nodes;
        let mut proved = [f64::INFINITY; 2];
        let mut open: SmallVec<[usize; 64]> = SmallVec::new();
        open.push(0);
        while let Some(index) = open.pop() {
            *tests += 1;
            let node = &nodes[index];
            let mut low = self.bound(node);
            if !(low[0] > floor[0] && low[1] > floor[1]) {
                if !node.is_leaf() {
                    open.extend([node.first as usize, node.first as usize + 1]);
                    continue;
                }
                low = self.of_leaf(node);
                if !(low[0] > floor[0] && low[1] > floor[1]) {
                    return None;
                }
            }
            (0..2).for_each(|end| proved[end] = proved[end].min(low[end]));
        }
        Some(proved)
    }
}

/// Planes that were tried between two parts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PlaneHistory {
    /// The direction that separated them last, in the frame of the test.
    known: Option<Vector3<f64>>,
    /// How many intervals it was tried in, and in how many of them it served.
    tried: u32,
    served: u32,
}

impl PlaneHistory {
    /// So many planes are tried before it is judged whether they help here.
    const FIRST_TRIES: u32 = 4;
    /// After that they are tried as long as one in so many separates the parts.
    const ONE_IN: u32 = 3;

    /// Whether another plane is worth a try.
    pub fn are_worthwhile(&self) -> bool {
        self.tried < Self::FIRST_TRIES + Self::ONE_IN * self.served
    }

    /// Whether a plane keeps two parts `required_gap` apart during the whole interval: the one that
    /// served last, the one across the direction `recent` (of the frame of `view`), which separated
    /// some of their triangles, or one across `others`.
    pub fn separate(
        &mut self,
        sides: &PlaneTest,
        view: &View,
        (recent, others): (Option<&Vector3<f64>>, impl Iterator<Item = Vector3<f64>>),
        required_gap: f64,
        tests: &mut u64,
    ) -> bool {
        let recent = recent.and_then(|recent| sides.direction(view, recent));
        let directions = [self.known, recent].into_iter().flatten();
        let mut directions = directions.chain(others);
        let serves = directions.find(|n| sides.separated_by(n, required_gap, tests));
        self.tried += 1;
        if serves.is_some() {
            self.known = serves;
            self.served += 1;
        }
        serves.is_some()
    }
}

#[cfg(test)]
mod tests;
