//! Space and time in one search.
//!
//! An interval starts with a front of unresolved node pairs. Each is proved apart, or split in space, or handed to
//! the two halves of the interval, first half first. A contact found at some instant cuts everything later. What can be
//! split no further at the resolution stays unresolved; it is never taken for clear.

mod leaves;
mod lower;

use nalgebra::Vector3;

use leaves::{Leaves, touch};
use lower::Lowered;

use super::front::{Front, FrontEntry};
use super::kernel::{Kernel, Next};
use super::leaf::Swept;
use super::record::{Goal, Hit, LeastFound, tolerance};
use super::sweep::Sweeps;
use super::view::{View, common_frame, look_frame};
use crate::bvh::Node;
use crate::check::Snapshot;
use crate::check::distance::pair_distance_about;
use crate::check::errors::Errors;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::{Path, Polynomial, Segment};
use crate::motion::MOST_ROUNDING;
use crate::report::Statistics;

/// A body pair with this many unresolved node pairs gains more from a shorter interval than from more nodes.
const CROWDED: usize = 48;

/// So does one that has come to this many at one level of the trees, and to several times as many as it began with: what it
/// began with has to be split somewhere.
const GROWN: usize = 64;
const GROWTH: usize = 4;

/// Splits the larger one of two nodes, of which one at least is no leaf.
fn children([ia, ib]: [u32; 2], [na, nb]: [&Node; 2], out: &mut Vec<[u32; 2]>) {
    if !na.is_leaf() && (nb.is_leaf() || na.radius >= nb.radius) {
        out.extend([[na.first, ib], [na.first + 1, ib]]);
    } else {
        out.extend([[ia, nb.first], [ia, nb.first + 1]]);
    }
}

/// Halvings of one segment go no deeper than doubles do, and mostly far less deep. Where joints do so much in it that they would
/// have to (more than this many resolutions), only so many intervals are looked at: the rest stays unresolved.
const HOPELESS: f64 = (1u64 << 44) as f64;
const SHORTEST_OF_HOPELESS: f64 = 1.0 / 256.0;

/// Intervals of one segment; what is left then stays unresolved.
const MOST_INTERVALS: u64 = 1 << 22;

/// How exact a look at one instant is: for most pairs its outcome only gives the search a start.
const ABOUT: f64 = 0.02;

/// The state of a search over a path.
pub struct IntervalSearch<'s> {
    scene: &'s Scene<'s>,
    path: &'s Path,
    goal: Goal,
    resolution: f64,
    /// With [`Goal::All`]: a pair that touches at both ends of an interval and within it is taken to touch all along, once
    /// its bodies move by less than this in it, metres. The ends of its intervals are searched at the resolution all the same.
    pub lasting: f64,
    /// Errors that are allowed for: what is looked for then is not contact, but the earliest instant at which a pair is not
    /// proved apart for all of them.
    errors: Option<Errors<'s>>,
    /// What the segment that is searched says of its joints, see [`Levers::tubes`](crate::check::errors::Levers).
    tubes: Vec<f64>,
    /// What became of errors that are lowered until all is proved.
    lowered: Option<Lowered>,
    /// Errors of none but what segments say.
    no_errors: Option<Errors<'s>>,
    /// Earliest contact so far.
    pub hit: Option<Hit>,
    /// What stayed unresolved, in time order within a segment.
    pub unresolved: Vec<UnresolvedInterval>,
    /// Least distances, per body pair.
    pub least: Vec<LeastFound>,
    /// The least of them, metres.
    pub nearest: f64,
    /// Work done.
    pub statistics: Statistics,
    /// With [`Goal::All`]: the last interval of each pair that is known to touch, as segment and share; nothing more needs to
    /// be known about the pair inside it.
    touching: Vec<Option<(usize, [f64; 2])>>,
    snapshots: Vec<Snapshot>,
    placed: usize,
    fronts: Vec<Front>,
    /// Intervals that were looked at before the segment that is searched.
    begun: u64,
    sweeps: Sweeps,
    /// Per pair of parts: the direction that separated their boxes last, in the frame of a first look at them.
    separating: Vec<Vector3<f64>>,
    /// The one that separated triangles of them last, in their common frame.
    recent: Vec<Option<Vector3<f64>>>,
    /// Joints that do nothing in the segment that is searched, and did nothing in the one before.
    still: Vec<bool>,
    work: Vec<[u32; 2]>,
    next_work: Vec<[u32; 2]>,
    answers: Vec<Next>,
    sides: [Vec<(u32, Swept)>; 2],
}

/// The interval that is being worked on.
#[derive(Clone, Copy)]
struct Interval<'p> {
    index: usize,
    segment: &'p Segment,
    /// Snapshots at both ends and, once somebody needs it, in the middle.
    ends: [usize; 2],
    s: [f64; 2],
    /// What is no longer than this is not halved.
    shortest: f64,
}

impl Interval<'_> {
    /// Whether it is too short to be halved: near s = 0 halving would go on for a thousand levels.
    fn is_last(&self) -> bool {
        self.s[1] - self.s[0] <= self.shortest
    }

    fn middle(&self) -> f64 {
        0.5 * (self.s[0] + self.s[1])
    }

    fn time(&self, s: f64) -> f64 {
        self.segment.start + s * (self.segment.end - self.segment.start)
    }
}

impl<'s> IntervalSearch<'s> {
    /// A search that has seen nothing yet.
    pub fn new(scene: &'s Scene<'s>, path: &'s Path, goal: Goal, resolution: f64) -> Self {
        let unseen = LeastFound {
            distance: f64::INFINITY,
            time: 0.0,
        };
        IntervalSearch {
            scene,
            path,
            goal,
            resolution,
            lasting: 0.0,
            errors: None,
            tubes: Vec::new(),
            no_errors: None,
            lowered: None,
            hit: None,
            unresolved: Vec::new(),
            least: vec![unseen; scene.pairs.len()],
            nearest: f64::INFINITY,
            statistics: Statistics::default(),
            touching: vec![None; scene.pairs.len()],
            snapshots: Vec::new(),
            placed: 0,
            fronts: Vec::new(),
            begun: 0,
            sweeps: Sweeps::default(),
            separating: vec![Vector3::zeros(); scene.part_pairs.len()],
            recent: vec![None; scene.part_pairs.len()],
            still: Vec::new(),
            work: Vec::new(),
            next_work: Vec::new(),
            answers: Vec::new(),
            sides: Default::default(),
        }
    }

    /// Allows for errors from now on.
    pub fn allow(&mut self, errors: Errors<'s>) {
        self.errors = Some(errors);
    }

    /// Whether it allows for errors.
    pub fn allows(&self) -> bool {
        self.errors.is_some()
    }

    /// The errors that it allows for.
    pub fn errors(&self) -> Option<&Errors<'s>> {
        self.errors.as_ref()
    }

    /// What it is for.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Searches one segment for the given part pairs. Segments are searched in order.
    pub fn segment(&mut self, index: usize, part_pairs: impl Iterator<Item = usize>) {
        let segment = &self.path.segments[index];
        let first = self.snapshot(segment, 0.0);
        let last = self.snapshot(segment, 1.0);
        let mut front = self.fronts.pop().unwrap_or_default();
        front.clear();
        segment.tubes(MOST_ROUNDING, &mut self.tubes);
        if !self.tubes.is_empty() && self.errors.is_none() && self.no_errors.is_none() {
            self.no_errors = Some(Errors::new(self.scene, None));
        }
        self.find_still_joints(index);
        // All that is wanted of a pair that stands still is known already, but for its intervals of contact.
        let skips = self.goal != Goal::All && self.still.contains(&true);
        for part_pair in part_pairs {
            if !(skips && self.stands_still(part_pair)) {
                front.push(part_pair, FrontEntry::nodes(0, 0));
            }
        }
        self.begun = self.statistics.intervals;
        self.sweeps.joint_bounds.set(segment, 0.0, 1.0);
        // Not a number: as hopeless.
        let can_end = self.sweeps.joint_bounds.greatest() <= HOPELESS * self.resolution;
        let interval = Interval {
            index,
            segment,
            ends: [first, last],
            s: [0.0, 1.0],
            shortest: match can_end {
                true => 4.0 * f64::EPSILON,
                false => SHORTEST_OF_HOPELESS,
            },
        };
        self.interval(interval, &front);
        self.fronts.push(front);
        self.placed = first;
    }

    /// Which joints stand still in a segment and stood at the very same value during the whole segment before.
    fn find_still_joints(&mut self, index: usize) {
        let joints = &self.path.segments[index].joints;
        let before = index.checked_sub(1).map(|i| &self.path.segments[i].joints);
        let stands = |c: &Polynomial| c[1..].iter().all(|&x| x == 0.0);
        self.still.clear();
        self.still.extend(
            joints
                .iter()
                .enumerate()
                .map(|(j, now)| before.is_some_and(|before| stands(now) && before[j] == *now)),
        );
        if !self.tubes.is_empty() {
            // Nobody knows whether it was as far off before.
            self.still.fill(false);
        }
    }

    /// Whether two parts do not move against each other in this segment, nor did in the one before: what was found out
    /// there holds on.
    fn stands_still(&self, part_pair: usize) -> bool {
        let pair = &self.scene.part_pairs[part_pair];
        [pair.a, pair.b].into_iter().all(|part| {
            let chain = self.scene.chains.of(self.scene.parts[part].joint);
            chain[pair.shared..].iter().all(|&joint| self.still[joint])
        })
    }

    /// Looks at one instant, so that the least distances are not unbounded when the search for them starts.
    pub fn look(&mut self, index: usize, s: f64) {
        let segment = &self.path.segments[index];
        let time = segment.start + s * (segment.end - segment.start);
        let mut snapshot = Snapshot::default();
        snapshot.set(self.scene, segment, s);
        for pair in 0..self.scene.pairs.len() {
            if self.scene.budget.is_spent() {
                return;
            }
            let below = self.least[pair].distance;
            let tests = &mut self.statistics.distance_tests;
            let mut look = |below: f64, share: f64| {
                pair_distance_about(self.scene, pair, &mut snapshot, below, share, tests)
            };
            let Some(mut found) = look(below, ABOUT) else {
                continue;
            };
            if found.distance * (1.0 - ABOUT) < self.nearest {
                // This may be the least distance of all: that one is worth being exact.
                found = look(found.distance, 0.0).unwrap_or(found);
            }
            self.note_least(pair, found.distance, time);
            // The direction of the closest points is the one along which the pair is proved apart best.
            let towards = (found.point_a - found.point_b).try_normalize(0.0);
            for index in self.scene.part_pairs_of(pair) {
                let part_pair = &self.scene.part_pairs[index];
                let swapped = self.scene.parts[part_pair.a].body != self.scene.pairs[pair].a;
                let towards = towards.map(|n| if swapped { -n } else { n });
                let frame = look_frame(self.scene, part_pair, &mut snapshot);
                self.separating[index] = frame.rotation.tr_mul(&towards.unwrap_or_default());
                let frame = common_frame(self.scene, part_pair, &mut snapshot);
                self.recent[index] = towards.map(|n| frame.rotation.tr_mul(&n));
            }
        }
    }

    /// Takes note of a distance that a pair attains.
    pub fn note_least(&mut self, pair: usize, distance: f64, time: f64) {
        if distance < self.least[pair].distance {
            self.least[pair] = LeastFound { distance, time };
            self.nearest = self.nearest.min(distance);
        }
    }

    /// Places a new moment on the stack of moments. Records are reused, so this allocates only at new depths.
    fn snapshot(&mut self, segment: &Segment, s: f64) -> usize {
        if self.snapshots.len() == self.placed {
            self.snapshots.push(Snapshot::default());
        }
        self.snapshots[self.placed].set(self.scene, segment, s);
        self.placed += 1;
        self.placed - 1
    }

    /// Threshold below which the pair must not come, metres; `None` when nothing about it matters any more.
    fn threshold(&self, pair: usize) -> Option<f64> {
        match self.goal {
            Goal::First | Goal::All => Some(self.scene.pairs[pair].clearance),
            Goal::Minimum => {
                let least = self.least[pair].distance;
                let tolerance = tolerance(self.resolution, least, self.nearest);
                (least > tolerance).then_some(least - tolerance)
            }
        }
    }

    /// Whether an instant comes at or after a contact that is known already.
    fn too_late(&self, interval: &Interval, s: f64) -> bool {
        self.goal == Goal::First
            && self
                .hit
                .is_some_and(|h| (h.segment, h.s) <= (interval.index, s))
    }

    /// Whether the pair is known to touch during the whole interval already.
    fn is_touching(&self, pair: usize, interval: &Interval) -> bool {
        self.touching[pair].is_some_and(|(segment, s)| {
            segment == interval.index && s[0] <= interval.s[0] && interval.s[1] <= s[1]
        })
    }

    fn interval(&mut self, interval: Interval, front: &Front) {
        if self.too_late(&interval, interval.s[0]) {
            return;
        }
        let too_many = self.statistics.intervals - self.begun >= MOST_INTERVALS;
        if too_many || self.scene.budget.is_spent() {
            self.give_up(interval, front);
            return;
        }
        self.statistics.intervals += 1;
        self.sweeps.clear(self.scene);
        self.sweeps
            .joint_bounds
            .set(interval.segment, interval.s[0], interval.s[1]);
        let mut later = self.fronts.pop().unwrap_or_default();
        later.clear();
        let mut middle = None;
        for group in &front.groups {
            let entries = &front.entries[group.start..group.end];
            self.group(interval, group.part_pair, entries, &mut middle, &mut later);
        }
        let s = interval.middle();
        if interval.is_last() {
            self.give_up(interval, &later);
        } else if !later.is_empty() {
            let middle = middle.unwrap_or_else(|| self.snapshot(interval.segment, s));
            let first = Interval {
                ends: [interval.ends[0], middle],
                s: [interval.s[0], s],
                ..interval
            };
            self.interval(first, &later);
            if !self.too_late(&interval, s) {
                let second = Interval {
                    ends: [middle, interval.ends[1]],
                    s: [s, interval.s[1]],
                    ..interval
                };
                self.interval(second, &later);
            }
            self.placed = middle;
        } else if let Some(middle) = middle {
            self.placed = middle;
        }
        self.fronts.push(later);
    }

    /// The interval cannot be halved any more, or no time is left: what is unresolved in it stays unresolved.
    fn give_up(&mut self, interval: Interval, later: &Front) {
        for group in &later.groups {
            self.unresolved.push(UnresolvedInterval {
                pair: self.scene.part_pairs[group.part_pair].pair,
                start: interval.time(interval.s[0]),
                end: interval.time(interval.s[1]),
                distance: f64::INFINITY,
                at: (interval.index, interval.s[0]),
                touches: false,
            });
        }
    }

    /// No time is left: nothing is known of any of these pairs from a segment on.
    pub fn give_up_from(&mut self, index: usize, pairs: impl Iterator<Item = usize>) {
        let segments = &self.path.segments;
        let (Some(next), Some(last)) = (segments.get(index), segments.last()) else {
            return;
        };
        self.unresolved.extend(pairs.map(|pair| UnresolvedInterval {
            pair,
            start: next.start,
            end: last.end,
            distance: f64::INFINITY,
            at: (index, 0.0),
            touches: false,
        }));
    }

    /// Resolves what can be resolved of one pair of parts; the rest goes to `later`.
    fn group(
        &mut self,
        interval: Interval,
        part_pair: usize,
        entries: &[FrontEntry],
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        let scene = self.scene;
        let pair = &scene.part_pairs[part_pair];
        let Some(clearance) = self.threshold(pair.pair) else {
            return;
        };
        if self.is_touching(pair.pair, &interval) {
            return;
        }
        let roots = matches!(entries, [entry] if entry.is_root());
        let mut ends = self
            .snapshots
            .get_disjoint_mut(interval.ends)
            .expect("an interval has two different ends");
        let errors = match self.tubes.is_empty() {
            true => self.errors.as_ref(),
            false => self.errors.as_ref().or(self.no_errors.as_ref()),
        };
        let off = errors.map(|errors| {
            self.sweeps
                .deviations(errors, scene, pair, &mut ends, &self.tubes)
        });
        let origins_off = off.map_or(0.0, |[a, b]| a.base + b.base);
        let threshold = clearance + pair.radii + origins_off;
        if roots && self.sweeps.apart(scene, pair, &mut ends, threshold) {
            return;
        }
        let (a, b) = (&scene.parts[pair.a], &scene.parts[pair.b]);
        let in_world = roots && pair.shared == 0;
        let mut view = if in_world {
            View::from_world(scene, pair, &mut self.sweeps, &mut ends)
        } else {
            View::new(scene, pair, &mut self.sweeps, &mut ends)
        };
        view.off = off.unwrap_or_default();
        let apart = clearance + pair.radii + view.margin;
        if roots {
            let nodes = [&a.tree.nodes[0], &b.tree.nodes[0]];
            // From the world the balls have just been looked at.
            if !in_world && view.balls_apart([a.bounding_radius, b.bounding_radius], apart) {
                return;
            }
            let known = &mut self.separating[part_pair];
            match view.roots(
                nodes,
                [a.bounding_radius, b.bounding_radius],
                apart,
                self.resolution,
                known,
            ) {
                Next::Apart => return,
                Next::SplitTime => return later.push(part_pair, FrontEntry::nodes(0, 0)),
                Next::SplitSpace => {}
            }
            if in_world && pair.one_sided {
                view = View::new(scene, pair, &mut self.sweeps, &mut ends);
                view.off = off.unwrap_or_default();
            }
        }
        let mut touch = touch(clearance + pair.radii, view.margin, self.resolution);
        if !self.allows() {
            // Contact is contact wherever in its tube the motion is.
            touch -= view.off[0].at(a.bounding_radius) + view.off[1].at(b.bounding_radius);
        }
        let mut leaves = Leaves {
            interval,
            part_pair,
            apart,
            touch,
            is_off: view.is_off(),
            times: self.times(),
            view: &view,
            at_middle: None,
            recent: self.recent[part_pair],
            turned: None,
            ends_touch: None,
        };
        let mut work = std::mem::take(&mut self.work);
        let mut next_work = std::mem::take(&mut self.next_work);
        let mut answers = std::mem::take(&mut self.answers);
        work.clear();
        for entry in entries {
            if entry.is_triangles() {
                self.triangles(&mut leaves, entry, middle, later);
            } else {
                work.push(entry.pair());
            }
        }
        if roots && let [[ia, ib]] = work[..] {
            // The roots themselves have just been looked at.
            let (na, nb) = (&a.tree.nodes[0], &b.tree.nodes[0]);
            if !(na.is_leaf() && nb.is_leaf()) {
                work.clear();
                children([ia, ib], [na, nb], &mut work);
            }
        }
        if !work.is_empty() {
            // To be proved far apart, parts need the very direction; just to be told apart, those of their axes do.
            let known = leaves.recent.filter(|_| self.goal == Goal::Minimum);
            let bounding_radii = a.bounding_radius + b.bounding_radius;
            let mut kernel = Kernel::new(&view, pair.one_sided, apart, bounding_radii, known);
            kernel.lanes = scene.lanes;
            let nodes = [&a.tree.nodes[..], &b.tree.nodes[..]];
            let known = later.entries.len();
            let grown = match self.goal {
                // What is proved about far pairs comes from small nodes, not from short intervals.
                Goal::Minimum => usize::MAX,
                Goal::First | Goal::All => GROWN.max(GROWTH * entries.len()),
            };
            while !work.is_empty() {
                if scene.budget.is_spent() {
                    let left = work.drain(..);
                    left.for_each(|[ia, ib]| later.push(part_pair, FrontEntry::nodes(ia, ib)));
                    break;
                }
                answers.clear();
                kernel.test(nodes, &work, &mut answers);
                self.statistics.distance_tests += work.len() as u64;
                next_work.clear();
                for (&[ia, ib], &next) in work.iter().zip(&answers) {
                    let (na, nb) = (&nodes[0][ia as usize], &nodes[1][ib as usize]);
                    if next == Next::Apart {
                        continue;
                    }
                    if na.is_leaf() && nb.is_leaf() {
                        self.leaf_nodes(&mut leaves, na, nb, middle, later);
                    } else if next == Next::SplitTime
                        || self.too_late(&interval, interval.middle())
                        || later.entries.len() - known > CROWDED
                        || next_work.len() > grown
                    {
                        later.push(part_pair, FrontEntry::nodes(ia, ib));
                    } else {
                        children([ia, ib], [na, nb], &mut next_work);
                    }
                }
                std::mem::swap(&mut work, &mut next_work);
            }
        }
        self.recent[part_pair] = leaves.recent;
        self.work = work;
        self.next_work = next_work;
        self.answers = answers;
    }
}
