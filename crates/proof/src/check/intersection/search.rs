//! The search for candidates: sphere trees over intervals of time, down to pairs of triangles that
//! may meet.
//!
//! An interval is halved until the motion of a pair of parts is as good as cubic in it; node pairs
//! that are then still together are opened to their triangles. What those could touch by, `narrow`
//! resolves.

use nalgebra::Vector3;

use super::features::{self, Feature, Path3, separation};
use super::hit::{FeatureHit, IntersectionWork};
use crate::bvh::Node;
use crate::check::Snapshot;
use crate::check::bisection::front::{Front, FrontEntry};
use crate::check::bisection::kernel::Kernel;
use crate::check::bisection::next_step::NextStep;
use crate::check::bisection::sweep::Sweeps;
use crate::check::bisection::view::View;
use crate::check::distance::{corners, triangles};
use crate::check::scene::{PartPair, Scene};
use crate::check::snapshot::TOUCH_MARGINS;
use crate::check::unresolved::UnresolvedInterval;
use crate::geometry::triangle::Closest;
use crate::model::{MotionInstant, Segment, Trajectory};
use crate::motion::{Cubic, cubic_error};

/// A cubic is good enough to look at triangles when it is within this share of the resolution of
/// the true motion.
const CUBIC_SHARE: f64 = 0.125;

/// A pair of parts with this many candidates gains more from a shorter interval than from looking
/// at all of them.
const CROWDED: usize = 2048;

/// Intervals after which the search is given up.
const MOST_INTERVALS: u64 = 1 << 23;

/// A pair of features of a pair of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FeaturePair {
    pub part_pair: usize,
    pub feature: Feature,
}

/// The motion of a pair of parts in an interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct CubicMotion {
    pub part_pair: usize,
    pub a: Cubic,
    pub b: Cubic,
    /// How far the true distance of two points of a and b can be from that of the cubics, metres.
    pub error: f64,
    /// The part of it that is not rounding, metres.
    pub bend: f64,
    /// Distances up to this count as touching, metres.
    pub touch: f64,
}

/// The state of a search over a trajectory.
pub(super) struct FeatureSearch<'s> {
    pub scene: &'s Scene<'s>,
    pub trajectory: &'s Trajectory,
    pub resolution: f64,
    /// Earliest contact so far.
    pub hit: Option<FeatureHit>,
    /// Intervals that could not be proved free.
    pub unresolved: Vec<UnresolvedInterval>,
    /// Work done.
    pub work: IntersectionWork,
    /// How many determinants may be made before the search gives up.
    pub most_determinants: u64,
    /// Whether it has given up: nothing is known then, unless there is a contact.
    pub late: bool,
    /// A snapshot for single instants.
    pub probe: Snapshot,
    thirds: [Snapshot; 4],
    snapshots: Vec<Snapshot>,
    placed: usize,
    sweeps: Sweeps,
    separating: Vec<Vector3<f64>>,
}

/// An interval of a segment, with the snapshots at both ends.
#[derive(Clone, Copy)]
struct FeatureInterval {
    index: usize,
    ends: [usize; 2],
    s: [f64; 2],
}

/// Whether an interval is too short to be halved.
pub(super) fn is_last(s: [f64; 2]) -> bool {
    s[1] - s[0] <= 4.0 * f64::EPSILON
}

impl<'s> FeatureSearch<'s> {
    pub fn new(scene: &'s Scene<'s>, trajectory: &'s Trajectory, resolution: f64) -> Self {
        FeatureSearch {
            scene,
            trajectory,
            resolution,
            hit: None,
            unresolved: Vec::new(),
            work: IntersectionWork::default(),
            most_determinants: u64::MAX,
            late: false,
            probe: Snapshot::default(),
            thirds: Default::default(),
            snapshots: Vec::new(),
            placed: 0,
            sweeps: Sweeps::default(),
            separating: vec![Vector3::zeros(); scene.part_pairs.len()],
        }
    }

    /// Searches an interval of a segment for the given part pairs. The pairs are known to be apart
    /// at its start, or just before; what does not move in the segment stays so.
    pub fn search_interval(
        &mut self,
        index: usize,
        s: [f64; 2],
        part_pairs: impl Iterator<Item = usize>,
    ) {
        let segment = &self.trajectory.segments[index];
        let mut front = Front::default();
        for part_pair in part_pairs {
            if self.moves(segment, &self.scene.part_pairs[part_pair]) {
                front.push(part_pair, FrontEntry::nodes(0, 0));
            }
        }
        let ends = s.map(|s| self.snapshot(segment, s));
        self.interval(FeatureInterval { index, ends, s }, &front);
        self.placed = ends[0];
    }

    fn moves(&self, segment: &Segment, pair: &PartPair) -> bool {
        [pair.a, pair.b].into_iter().any(|part| {
            let chain = self.scene.chains.of(self.scene.parts[part].joint);
            let turns = |&j: &usize| segment.joints.of(j)[1..].iter().any(|&c| c != 0.0);
            chain[pair.shared..].iter().any(turns)
        })
    }

    fn snapshot(&mut self, segment: &Segment, s: f64) -> usize {
        if self.snapshots.len() == self.placed {
            self.snapshots.push(Snapshot::default());
        }
        self.snapshots[self.placed].set(self.scene, segment, s);
        self.placed += 1;
        self.placed - 1
    }

    /// Whether an instant comes at or after the contact that is known, or the search has given up.
    pub fn too_late(&self, index: usize, s: f64) -> bool {
        self.late
            || self
                .hit
                .is_some_and(|h| h.at <= MotionInstant::new(index, s))
    }

    /// Gives up when it has taken too long.
    pub fn look_at_the_clock(&mut self) {
        self.late |= self.work.determinants > self.most_determinants
            || self.work.intervals > MOST_INTERVALS
            || self.scene.time_limit.is_exceeded_now();
    }

    /// Takes note of an interval that could not be proved free of a pair.
    pub fn leave_unresolved(&mut self, part_pair: usize, index: usize, s: [f64; 2]) {
        let segment = &self.trajectory.segments[index];
        self.unresolved.push(UnresolvedInterval {
            pair: self.scene.part_pairs[part_pair].pair,
            start: segment.time(s[0]),
            end: segment.time(s[1]),
            distance: f64::INFINITY,
            at: MotionInstant::new(index, s[0]),
            touches: false,
        });
    }

    /// Looks at the four instants of an interval through which cubics go.
    pub fn place_thirds(&mut self, index: usize, [s0, s1]: [f64; 2]) {
        let segment = &self.trajectory.segments[index];
        for (k, snapshot) in self.thirds.iter_mut().enumerate() {
            let s = if k == 3 {
                s1
            } else {
                s0 + (s1 - s0) * (k as f64 / 3.0)
            };
            snapshot.set(self.scene, segment, s);
        }
    }

    /// The cubic motion of a pair of parts through the instants that were placed last.
    pub fn motion(&mut self, part_pair: usize, index: usize, s: [f64; 2]) -> CubicMotion {
        let scene = self.scene;
        let pair = &scene.part_pairs[part_pair];
        let segment = &self.trajectory.segments[index];
        let mut margin = 0.0f64;
        let poses = self.thirds.each_mut().map(|snapshot| {
            margin = margin.max(snapshot.margin(scene, pair.a) + snapshot.margin(scene, pair.b));
            pair.in_common_frame(scene, snapshot)
        });
        let bend = |part: usize| {
            let what = &scene.parts[part];
            let chain = scene.chains.of(what.joint);
            let pose = &what.joint_from_part;
            cubic_error(&scene.chains, chain, pair.shared, segment, s, pose)
                .at(what.bounding_radius)
        };
        // A part that is fixed in the shared frame has no joints beyond it: its error is 0.
        let bend = bend(pair.a) + bend(pair.b);
        CubicMotion {
            part_pair,
            a: Cubic::through(&poses.map(|p| p[0])),
            b: Cubic::through(&poses.map(|p| p[1])),
            // A cubic through four points passes on errors in them, at most 1.64-fold.
            error: bend + 2.0 * margin,
            bend,
            touch: TOUCH_MARGINS * margin,
        }
    }

    fn interval(&mut self, at: FeatureInterval, front: &Front) {
        self.look_at_the_clock();
        if front.is_empty() || self.too_late(at.index, at.s[0]) {
            return;
        }
        self.work.intervals += 1;
        let segment = &self.trajectory.segments[at.index];
        self.sweeps.clear(self.scene);
        self.sweeps.joint_bounds.set(segment, at.s[0], at.s[1]);
        self.place_thirds(at.index, at.s);
        let mut later = Front::default();
        let mut candidates = Vec::new();
        let mut motions = Vec::new();
        for group in &front.groups {
            let entries = &front.entries[group.start..group.end];
            let known = candidates.len();
            let motion = self.group(&at, group.part_pair, entries, &mut later, &mut candidates);
            if candidates.len() > known {
                candidates[known..].sort_unstable();
                motions.extend(motion);
            }
        }
        candidates.dedup();
        self.narrow(at.index, at.s, &candidates, &motions);
        if later.is_empty() {
            return;
        }
        if is_last(at.s) {
            for group in &later.groups {
                self.leave_unresolved(group.part_pair, at.index, at.s);
            }
            return;
        }
        let s = 0.5 * (at.s[0] + at.s[1]);
        let middle = self.snapshot(segment, s);
        let halves = [
            ([at.ends[0], middle], [at.s[0], s]),
            ([middle, at.ends[1]], [s, at.s[1]]),
        ];
        for (ends, s) in halves {
            self.interval(FeatureInterval { ends, s, ..at }, &later);
        }
        self.placed = middle;
    }

    /// Finds the candidates of one pair of parts; what gains more from a shorter interval goes to
    /// `later`.
    fn group(
        &mut self,
        at: &FeatureInterval,
        part_pair: usize,
        entries: &[FrontEntry],
        later: &mut Front,
        candidates: &mut Vec<FeaturePair>,
    ) -> Option<CubicMotion> {
        let scene = self.scene;
        let pair = &scene.part_pairs[part_pair];
        let mut ends = self.snapshots.get_disjoint_mut(at.ends).ok()?;
        let roots = matches!(entries, [entry] if entry.is_root());
        if roots && self.sweeps.are_separated(scene, pair, &mut ends, 0.0) {
            return None;
        }
        let view = View::new(scene, pair, &mut self.sweeps, &mut ends);
        let (a, b) = (&scene.parts[pair.a], &scene.parts[pair.b]);
        let required_gap = view.margin;
        if roots {
            let nodes = [&a.tree.nodes[0], &b.tree.nodes[0]];
            if view.balls_are_separated([a.bounding_radius, b.bounding_radius], required_gap) {
                return None;
            }
            let known = &mut self.separating[part_pair];
            match view.whole_parts().test_roots(
                nodes,
                [a.bounding_radius, b.bounding_radius],
                required_gap,
                self.resolution,
                known,
            ) {
                NextStep::Separated => return None,
                NextStep::SplitTime if !is_last(at.s) => {
                    later.push(part_pair, FrontEntry::nodes(0, 0));
                    return None;
                }
                _ => {}
            }
        }
        let motion = self.motion(part_pair, at.index, at.s);
        let smooth = motion.bend <= CUBIC_SHARE * self.resolution;
        let kernel = Kernel::new(
            &view,
            pair.one_sided,
            required_gap,
            a.bounding_radius + b.bounding_radius,
            None,
        );
        let nodes = [&a.tree.nodes[..], &b.tree.nodes[..]];
        let mut work: Vec<[u32; 2]> = entries.iter().map(FrontEntry::pair).collect();
        let (mut next_work, mut answers) = (Vec::new(), Vec::new());
        let known = candidates.len();
        while !work.is_empty() {
            answers.clear();
            kernel.test(nodes, &work, &mut answers);
            self.work.node_tests += work.len() as u64;
            next_work.clear();
            for (&[ia, ib], &next) in work.iter().zip(&answers) {
                let (na, nb) = (&nodes[0][ia as usize], &nodes[1][ib as usize]);
                if next == NextStep::Separated {
                    continue;
                }
                let leaves = na.is_leaf() && nb.is_leaf();
                let crowded = candidates.len() - known > CROWDED;
                if leaves && smooth && !crowded {
                    self.leaves(&motion, [na, nb], candidates);
                } else if leaves || next == NextStep::SplitTime || crowded {
                    later.push(part_pair, FrontEntry::nodes(ia, ib));
                } else {
                    Node::split_larger([ia, ib], [na, nb], &mut next_work);
                }
            }
            std::mem::swap(&mut work, &mut next_work);
        }
        Some(motion)
    }

    /// All pairs of triangles of two leaves: their features, unless a direction separates them
    /// during the interval.
    fn leaves(&mut self, motion: &CubicMotion, [na, nb]: [&Node; 2], out: &mut Vec<FeaturePair>) {
        let scene = self.scene;
        let pair = &scene.part_pairs[motion.part_pair];
        let trees = [&*scene.parts[pair.a].tree, &*scene.parts[pair.b].tree];
        let paths = |side: usize, node: &Node| -> Vec<[Path3; 3]> {
            let cubic = [&motion.a, &motion.b][side];
            triangles(node)
                .map(|t| corners(trees[side], t).map(|c| cubic.path(&c)))
                .collect()
        };
        let (of_a, of_b) = (paths(0, na), paths(1, nb));
        let mut found = Vec::new();
        for (i, a) in triangles(na).zip(&of_a) {
            for (k, b) in triangles(nb).zip(&of_b) {
                self.work.triangle_tests += 1;
                if !are_separated(a, b, motion.error) {
                    features::of_triangles(trees, [i as u32, k as u32], &mut found);
                }
            }
        }
        out.extend(found.into_iter().map(|feature| FeaturePair {
            part_pair: motion.part_pair,
            feature,
        }));
    }
}

/// Whether a direction separates two moving triangles by more than `error` during the whole
/// interval.
fn are_separated(a: &[Path3; 3], b: &[Path3; 3], error: f64) -> bool {
    let middle = |t: &[Path3; 3]| t.map(|[p, q, r, s]| (p + (q + r) * 3.0 + s) / 8.0);
    let (x, y) = (middle(a), middle(b));
    let separates = |n: Vector3<f64>| {
        n.try_normalize(0.0)
            .is_some_and(|n| separation(a, b, &n) > error)
    };
    let between = (x[0] + x[1] + x[2]) - (y[0] + y[1] + y[2]);
    separates(between) || {
        let closest = Closest::of_triangles(&x.map(Into::into), &y.map(Into::into));
        separates(closest.point_a - closest.point_b)
    }
}
