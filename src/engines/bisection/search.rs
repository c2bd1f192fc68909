//! Space and time in one search.
//!
//! An interval starts with a front of unresolved node pairs. Each is proved apart, or split in space, or handed to
//! the two halves of the interval, first half first. A contact found at some instant cuts everything later. What can be
//! split no further at the resolution stays open; it is never taken for clear.

use super::front::{Entry, Front};
use super::kernel::{Kernel, Next};
use super::leaf::{self, Swept};
use super::sweep::Sweeps;
use super::view::{View, in_common_frame};
use crate::engines::Moment;
use crate::engines::distance::{corners, pair_distance, triangles};
use crate::engines::scene::Scene;
use crate::findings::Statistics;
use crate::model::{Path, Segment};
use crate::motion::Pose;
use crate::spheres::Node;

/// A leaf pair is final when its bodies can move by less than this share of the resolution in its interval.
const FINAL_SHARE: f64 = 0.125;

/// Rounding margins by which the exact distance at an instant may pass the threshold and still be contact. Two are the
/// least that leave no gap between "proved apart" and "in contact" for a pair that stands still.
const CONTACT_MARGINS: f64 = 4.0;

/// A body pair with this many open node pairs gains more from a shorter interval than from more nodes.
const CROWDED: usize = 48;

/// What the search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The first contact of all pairs: a contact cuts everything later.
    First,
    /// All contact intervals of all pairs.
    All,
    /// The least distance of every pair.
    Minimum,
}

/// A stretch that could not be proved free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Open {
    /// Body pair.
    pub pair: usize,
    /// Start and end, path time.
    pub start: f64,
    /// End, path time.
    pub end: f64,
    /// Least distance seen in it.
    pub distance: f64,
    /// Instant of that distance, or of the first contact: segment and share of it.
    pub at: (usize, f64),
    /// Whether contact was found in it.
    pub touches: bool,
}

impl Open {
    /// Whether another stretch of the same pair starts before this one is over.
    pub fn joins(&self, later: &Open) -> bool {
        self.pair == later.pair && self.start <= later.start && later.start <= self.end
    }

    /// Takes in a stretch that joins this one.
    pub fn join(&mut self, later: &Open) {
        self.end = self.end.max(later.end);
        if (later.touches && !self.touches)
            || (later.touches == self.touches && !self.touches && later.distance < self.distance)
        {
            self.at = later.at;
        }
        self.touches |= later.touches;
        self.distance = self.distance.min(later.distance);
    }
}

/// An instant at which a pair was found within its threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Body pair.
    pub pair: usize,
    /// Segment.
    pub segment: usize,
    /// Share of the segment.
    pub s: f64,
}

/// The least distance of a pair that was seen so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Least {
    /// Attained, metres.
    pub distance: f64,
    /// When.
    pub time: f64,
}

/// The state of a search over a path.
pub struct Search<'s> {
    scene: &'s Scene<'s>,
    path: &'s Path,
    goal: Goal,
    resolution: f64,
    /// Earliest contact so far.
    pub hit: Option<Hit>,
    /// What stayed open, in time order within a segment.
    pub open: Vec<Open>,
    /// Least distances, per body pair.
    pub least: Vec<Least>,
    /// The least of them, metres.
    pub nearest: f64,
    /// Work done.
    pub statistics: Statistics,
    /// With [`Goal::All`]: the last stretch of each pair that is known to touch, as segment and share; nothing more needs to
    /// be known about the pair inside it.
    touching: Vec<Option<(usize, [f64; 2])>>,
    moments: Vec<Moment>,
    placed: usize,
    fronts: Vec<Front>,
    sweeps: Sweeps,
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
    /// Moments at both ends and, once somebody needs it, in the middle.
    ends: [usize; 2],
    s: [f64; 2],
}

impl Interval<'_> {
    fn middle(&self) -> f64 {
        0.5 * (self.s[0] + self.s[1])
    }

    fn time(&self, s: f64) -> f64 {
        self.segment.start + s * (self.segment.end - self.segment.start)
    }
}

impl<'s> Search<'s> {
    /// A search that has seen nothing yet.
    pub fn new(scene: &'s Scene<'s>, path: &'s Path, goal: Goal, resolution: f64) -> Self {
        let unseen = Least {
            distance: f64::INFINITY,
            time: 0.0,
        };
        Search {
            scene,
            path,
            goal,
            resolution,
            hit: None,
            open: Vec::new(),
            least: vec![unseen; scene.pairs.len()],
            nearest: f64::INFINITY,
            statistics: Statistics::default(),
            touching: vec![None; scene.pairs.len()],
            moments: Vec::new(),
            placed: 0,
            fronts: Vec::new(),
            sweeps: Sweeps::default(),
            work: Vec::new(),
            next_work: Vec::new(),
            answers: Vec::new(),
            sides: Default::default(),
        }
    }

    /// What it is for.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Searches one segment for the given part pairs. Segments are searched in order.
    pub fn segment(&mut self, index: usize, part_pairs: impl Iterator<Item = usize>) {
        let segment = &self.path.segments[index];
        let first = self.moment(segment, 0.0);
        let last = self.moment(segment, 1.0);
        let mut front = self.fronts.pop().unwrap_or_default();
        front.clear();
        for part_pair in part_pairs {
            front.push(part_pair, Entry::nodes(0, 0));
        }
        let interval = Interval {
            index,
            segment,
            ends: [first, last],
            s: [0.0, 1.0],
        };
        self.interval(interval, &front);
        self.fronts.push(front);
        self.placed = first;
    }

    /// Looks at one instant, so that the least distances are not unbounded when the search for them starts.
    pub fn look(&mut self, index: usize, s: f64) {
        let segment = &self.path.segments[index];
        let time = segment.start + s * (segment.end - segment.start);
        let mut moment = Moment::default();
        moment.set(self.scene, segment, s);
        for pair in 0..self.scene.pairs.len() {
            let below = self.least[pair].distance;
            let tests = &mut self.statistics.distance_tests;
            if let Some(found) = pair_distance(self.scene, pair, &mut moment, below, tests) {
                self.note_least(pair, found.distance, time);
            }
        }
    }

    /// Takes note of a distance that a pair attains.
    pub fn note_least(&mut self, pair: usize, distance: f64, time: f64) {
        if distance < self.least[pair].distance {
            self.least[pair] = Least { distance, time };
            self.nearest = self.nearest.min(distance);
        }
    }

    /// Places a new moment on the stack of moments. Records are reused, so this allocates only at new depths.
    fn moment(&mut self, segment: &Segment, s: f64) -> usize {
        if self.moments.len() == self.placed {
            self.moments.push(Moment::default());
        }
        self.moments[self.placed].set(self.scene, segment, s);
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
        self.statistics.intervals += 1;
        self.sweeps.clear(self.scene);
        self.sweeps
            .stroke
            .set(interval.segment, interval.s[0], interval.s[1]);
        let mut later = self.fronts.pop().unwrap_or_default();
        later.clear();
        let mut middle = None;
        for group in &front.groups {
            let entries = &front.entries[group.start..group.end];
            self.group(interval, group.part_pair, entries, &mut middle, &mut later);
        }
        if !later.is_empty() {
            let s = interval.middle();
            let middle = middle.unwrap_or_else(|| self.moment(interval.segment, s));
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

    /// Resolves what can be resolved of one pair of parts; the rest goes to `later`.
    fn group(
        &mut self,
        interval: Interval,
        part_pair: usize,
        entries: &[Entry],
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
        let mut ends = self
            .moments
            .get_disjoint_mut(interval.ends)
            .expect("an interval has two different ends");
        if let [entry] = entries
            && entry.is_root()
            && self
                .sweeps
                .apart(scene, pair, &mut ends, clearance + pair.rounding)
        {
            return;
        }
        let view = View::new(scene, pair, &mut self.sweeps, &mut ends);
        if let [entry] = entries
            && entry.is_root()
        {
            match view.balls(scene, pair, clearance + pair.rounding) {
                Next::Apart => return,
                Next::SplitTime => return later.push(part_pair, *entry),
                Next::SplitSpace => {}
            }
        }
        let (a, b) = (&scene.parts[pair.a], &scene.parts[pair.b]);
        let mut leaves = Leaves {
            interval,
            part_pair,
            apart: clearance + pair.rounding + view.margin,
            view: &view,
            at_middle: None,
            recent: None,
        };
        let mut work = std::mem::take(&mut self.work);
        let mut next_work = std::mem::take(&mut self.next_work);
        let mut answers = std::mem::take(&mut self.answers);
        work.clear();
        for entry in entries {
            if entry.is_triangles() {
                let [i, k] = entry.pair();
                let a = leaves.sweep(scene, 0, i as usize);
                let b = leaves.sweep(scene, 1, k as usize);
                self.leaf(&mut leaves, entry, [&a, &b], middle, later);
            } else {
                work.push(entry.pair());
            }
        }
        if !work.is_empty() {
            let kernel = Kernel::new(
                &view.a,
                &view.b,
                pair.one_sided,
                view.bulge_a,
                view.bulge_b,
                leaves.apart,
                a.reach + b.reach,
            );
            let nodes = [&a.tree.nodes[..], &b.tree.nodes[..]];
            let known = later.entries.len();
            while !work.is_empty() {
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
                    {
                        later.push(part_pair, Entry::nodes(ia, ib));
                    } else if !na.is_leaf() && (nb.is_leaf() || na.radius >= nb.radius) {
                        next_work.push([na.first, ib]);
                        next_work.push([na.first + 1, ib]);
                    } else {
                        next_work.push([ia, nb.first]);
                        next_work.push([ia, nb.first + 1]);
                    }
                }
                std::mem::swap(&mut work, &mut next_work);
            }
        }
        self.work = work;
        self.next_work = next_work;
        self.answers = answers;
    }

    /// All pairs of triangles of two leaves.
    fn leaf_nodes(
        &mut self,
        leaves: &mut Leaves,
        na: &Node,
        nb: &Node,
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        let scene = self.scene;
        let mut sides = std::mem::take(&mut self.sides);
        for (side, node) in [na, nb].into_iter().enumerate() {
            sides[side].clear();
            sides[side].extend(triangles(node).map(|t| (t as u32, leaves.sweep(scene, side, t))));
        }
        for (i, a) in &sides[0] {
            for (k, b) in &sides[1] {
                self.leaf(leaves, &Entry::triangles(*i, *k), [a, b], middle, later);
            }
        }
        self.sides = sides;
    }

    /// One pair of triangles: proved apart, found in contact, final, or handed on.
    fn leaf(
        &mut self,
        leaves: &mut Leaves,
        entry: &Entry,
        [a, b]: [&Swept; 2],
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        self.statistics.distance_tests += 1;
        let scene = self.scene;
        let interval = leaves.interval;
        let pair = &scene.part_pairs[leaves.part_pair];
        if self.is_touching(pair.pair, &interval) {
            return;
        }
        let view = leaves.view;
        if entry.witness != [0.0; 3] {
            let n = nalgebra::Vector3::from(entry.witness.map(f64::from)).normalize();
            if leaf::separation(a, b, &n) > leaves.apart {
                leaves.recent = Some(n);
                return;
            }
        }
        if leaves
            .recent
            .is_some_and(|n| leaf::separation(a, b, &n) > leaves.apart)
        {
            return;
        }
        let play = leaf::play(a, b);
        let last = play <= FINAL_SHARE * self.resolution
            || interval.middle() <= interval.s[0]
            || interval.middle() >= interval.s[1];
        if self.too_late(&interval, interval.middle()) && !last {
            // The middle cannot make a contact earlier than the one that is known.
            later.push(leaves.part_pair, *entry);
            return;
        }
        if let Some(n) = leaf::cheap_direction(a, b, leaves.apart) {
            leaves.recent = Some(n);
            return;
        }
        let middle =
            *middle.get_or_insert_with(|| self.moment(interval.segment, interval.middle()));
        let poses = *leaves
            .at_middle
            .get_or_insert_with(|| in_common_frame(scene, pair, &mut self.moments[middle]));
        let (distance, n) = self.exact(leaves, entry, &poses);
        self.seen(leaves, distance, interval.middle());
        let n = n.try_normalize(0.0).unwrap_or_default();
        let separation = leaf::separation(a, b, &n);
        if separation > leaves.apart {
            leaves.recent = Some(n);
            return;
        }
        if self.goal == Goal::Minimum
            && self
                .threshold(pair.pair)
                .is_none_or(|t| separation > t + pair.rounding + view.margin)
        {
            // The exact distance itself has just lowered what must be proved.
            return;
        }
        let touches = leaves.touches(distance);
        if last || (self.goal == Goal::All && touches && play <= self.resolution) {
            self.settle(leaves, distance, entry);
        } else {
            later.push(leaves.part_pair, entry.separated_by(&n));
        }
    }

    /// Exact distance of the cores of two triangles, and the direction from the second to the first.
    fn exact(
        &mut self,
        leaves: &Leaves,
        entry: &Entry,
        poses: &[Pose; 2],
    ) -> (f64, nalgebra::Vector3<f64>) {
        self.statistics.triangle_tests += 1;
        let pair = &self.scene.part_pairs[leaves.part_pair];
        let [i, k] = entry.pair().map(|t| t as usize);
        let a = corners(&self.scene.parts[pair.a].tree, i).map(|c| poses[0].apply(&c));
        let b = corners(&self.scene.parts[pair.b].tree, k).map(|c| poses[1].apply(&c));
        leaf::exact(&a, &b)
    }

    /// Takes note of an exact distance at an instant of the interval.
    fn seen(&mut self, leaves: &Leaves, core_distance: f64, s: f64) {
        let part_pair = &self.scene.part_pairs[leaves.part_pair];
        let distance = (core_distance - part_pair.rounding).max(0.0);
        let time = leaves.interval.time(s);
        self.note_least(part_pair.pair, distance, time);
        let index = leaves.interval.index;
        if self.goal != Goal::Minimum
            && leaves.touches(core_distance)
            && self.hit.is_none_or(|h| (index, s) < (h.segment, h.s))
        {
            self.hit = Some(Hit {
                pair: part_pair.pair,
                segment: index,
                s,
            });
        }
    }

    /// The resolution is reached: the interval stays open for this pair. Its two ends are looked at as well, so that a
    /// contact at a waypoint is found even if it is never reached in between.
    fn settle(&mut self, leaves: &Leaves, middle: f64, entry: &Entry) {
        let interval = leaves.interval;
        let part_pair = &self.scene.part_pairs[leaves.part_pair];
        let mut least = (middle, interval.middle());
        for end in 0..2 {
            let poses = [leaves.view.a[end], leaves.view.b[end]];
            let (distance, _) = self.exact(leaves, entry, &poses);
            self.seen(leaves, distance, interval.s[end]);
            if distance < least.0 {
                least = (distance, interval.s[end]);
            }
        }
        if self.goal == Goal::Minimum {
            // The least distance was taken note of; no instant of the interval is farther than `play` from one that
            // was seen, and `play` is below the tolerance.
            return;
        }
        let touches = leaves.touches(least.0);
        if touches && self.goal == Goal::All {
            self.touching[part_pair.pair] = Some((interval.index, interval.s));
        }
        let open = Open {
            pair: part_pair.pair,
            start: interval.time(interval.s[0]),
            end: interval.time(interval.s[1]),
            distance: (least.0 - part_pair.rounding).max(0.0),
            at: (interval.index, least.1),
            touches,
        };
        match self.open.last_mut() {
            Some(last) if last.joins(&open) => last.join(&open),
            _ => self.open.push(open),
        }
    }
}

/// By how much a proved least distance may lie below the attained one, metres: the resolution, or 2 % of what the pair is
/// farther apart than the `nearest` one.
pub fn tolerance(resolution: f64, distance: f64, nearest: f64) -> f64 {
    let farther = distance - nearest;
    if farther.is_finite() {
        resolution.max(0.02 * farther)
    } else {
        resolution
    }
}

/// What the leaves of one group share.
struct Leaves<'v> {
    interval: Interval<'v>,
    part_pair: usize,
    /// Core distance that must be exceeded, metres.
    apart: f64,
    view: &'v View,
    at_middle: Option<[Pose; 2]>,
    /// Direction that separated the last pair of triangles: it often separates their neighbours too.
    recent: Option<nalgebra::Vector3<f64>>,
}

impl Leaves<'_> {
    /// A triangle of one of the two parts.
    fn sweep(&self, scene: &Scene, side: usize, triangle: usize) -> Swept {
        let pair = &scene.part_pairs[self.part_pair];
        if side == 0 {
            let corners = corners(&scene.parts[pair.a].tree, triangle);
            return Swept::new(corners, &self.view.a, self.view.bulge_a);
        }
        let corners = corners(&scene.parts[pair.b].tree, triangle);
        if pair.one_sided {
            Swept::still(corners)
        } else {
            Swept::new(corners, &self.view.b, self.view.bulge_b)
        }
    }

    fn touches(&self, core_distance: f64) -> bool {
        core_distance <= self.apart + CONTACT_MARGINS * self.view.margin
    }
}
