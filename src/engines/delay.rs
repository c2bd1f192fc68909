//! Two programs whose starts may be delayed against each other: every pair of instants within the delay of one another is
//! cleared, not a list of sampled delays.
//!
//! Let u and v be the times of the two programs on the common clock. Every delay up to S makes the strip |u − v| ≤ S; a
//! program waits before its start and after its end. The strip is searched as boxes of u and v: at a point of the box the
//! distance of two parts is exact, and from there to anywhere in the box neither can move by more than its travel. A pair is
//! proved apart in the box when the distance is more than D and both travels; otherwise the box is halved along the program
//! that contributes most. Boxes are looked at in the order of max(u, v): the instant at which the configuration is reached
//! when only the later program has been delayed.
//!
//! **Travel.** Joints are moved one after the other from their values at the point to any other values in the box, outermost
//! first. Joint k turns by at most δ_k and carries a point along an arc of at most δ_k times its distance from the axis, which
//! is that at the point plus what the joints beyond have moved it: T ← T + δ_k (ρ_k + T); a sliding joint adds δ_k.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use crate::engines::Moment;
use crate::engines::distance::{pair_distance, part_distance};
use crate::engines::scene::{PartPair, Scene};
use crate::findings::{Contact, ContactKind, Statistics, Verdict};
use crate::model::{JointId, Segment, Track};
use crate::rigor::polynomial::range;

/// Covers the rounding of the few dozen operations behind a travel.
const ROUND_UP: f64 = 1.0 + 1e-12;
/// Parts that can move by more than this share of their sizes are not looked at by their surfaces yet.
const FAR: f64 = 0.25;
/// Boxes that may stay open for one pair of bodies; then it is given up, and undecided.
const MOST_OPEN: usize = 2_000;
/// Boxes that may be looked at for two programs; what is left then is undecided.
const MOST_BOXES: u64 = 4_000_000;

/// What the search over delays found.
#[derive(Debug, Clone, PartialEq)]
pub struct DelayResult {
    /// Answer for all pairs of bodies that two programs move against each other.
    pub verdict: Verdict,
    /// Earliest contact; without one the earliest box that stayed undecided.
    pub first: Option<DelayContact>,
    /// Work done.
    pub statistics: Statistics,
}

/// A contact at some delay.
#[derive(Debug, Clone, PartialEq)]
pub struct DelayContact {
    /// `time` and `free_until` are those of the program that is not delayed; `segment` and `fraction` mean nothing.
    pub contact: Contact,
    /// Time of every track on the common clock, without delay; all but two are where the later one of these is.
    pub times: Vec<f64>,
}

/// Pairs that more than two programs move: this search looks at two at a time.
pub fn out_of_reach(scene: &Scene, tracks: &[Track]) -> Vec<usize> {
    let clocks = Clocks::new(scene, tracks);
    let pairs = scene.part_pairs.iter();
    let mut found: Vec<usize> = pairs
        .filter(|p| clocks.of_pair(scene, p).len() > 2)
        .map(|p| p.pair)
        .collect();
    found.dedup();
    found
}

/// Checks all pairs of bodies that two tracks move against each other, for every delay of their starts up to `delay_s`.
/// Pairs within one track are not looked at: delays change nothing about them.
pub fn check_delays(
    scene: &Scene,
    tracks: &[Track],
    delay_s: f64,
    resolution: f64,
    progress: &dyn Fn(f64),
) -> DelayResult {
    let clocks = Clocks::new(scene, tracks);
    let mut fronts: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (index, pair) in scene.part_pairs.iter().enumerate() {
        if let [u, v] = clocks.of_pair(scene, pair)[..] {
            fronts.entry((u, v)).or_default().push(index);
        }
    }
    let mut result = DelayResult {
        verdict: Verdict::Clear,
        first: None,
        statistics: Statistics::default(),
    };
    let count = fronts.len().max(1) as f64;
    for (k, ((u, v), front)) in fronts.into_iter().enumerate() {
        let mut search = Search {
            scene,
            clocks: &clocks,
            tracks: [&tracks[u], &tracks[v]],
            which: [u, v],
            delay_s: delay_s * ROUND_UP + 1e-12,
            resolution,
            moment: Moment::default(),
            parts: vec![None; scene.parts.len()],
            delta: vec![0.0; scene.chains.len()],
            hit: None,
            open: Vec::new(),
            open_of_pair: BTreeMap::new(),
            statistics: Statistics::default(),
        };
        search.run(front, &|share| progress((k as f64 + share) / count));
        let (verdict, first) = search.answer(tracks);
        result.statistics.intervals += search.statistics.intervals;
        result.statistics.distance_tests += search.statistics.distance_tests;
        result.statistics.triangle_tests += search.statistics.triangle_tests;
        if let Some(first) = first {
            let worse = verdict > result.verdict;
            let earlier = |known: &DelayContact| first.contact.time < known.contact.time;
            let free_until = result
                .first
                .iter()
                .fold(first.contact.free_until, |least, known| {
                    least.min(known.contact.free_until)
                });
            if worse || verdict == result.verdict && result.first.as_ref().is_none_or(earlier) {
                result.first = Some(first);
            }
            if let Some(kept) = &mut result.first {
                kept.contact.free_until = free_until;
            }
        }
        result.verdict = result.verdict.max(verdict);
    }
    progress(1.0);
    result
}

/// Which track moves which joint.
struct Clocks {
    of_joint: Vec<Option<usize>>,
}

impl Clocks {
    fn new(scene: &Scene, tracks: &[Track]) -> Self {
        let joints = &scene.cell.joints;
        let driver = |joint: JointId| {
            let driven = joints[joint].mimic.map_or(joint, |mimic| mimic.source);
            tracks.iter().position(|t| t.joints.contains(&driven))
        };
        Clocks {
            of_joint: (0..joints.len()).map(driver).collect(),
        }
    }

    /// Tracks that move the two parts of a pair against each other, in order.
    fn of_pair(&self, scene: &Scene, pair: &PartPair) -> Vec<usize> {
        let chain = |part: usize| &scene.chains.of(scene.parts[part].joint)[pair.shared..];
        let joints = chain(pair.a).iter().chain(chain(pair.b));
        let mut clocks: Vec<usize> = joints.filter_map(|&j| self.of_joint[j]).collect();
        clocks.sort_unstable();
        clocks.dedup();
        clocks
    }
}

/// Times of both programs, and the part pairs that may come within their thresholds there.
#[derive(Debug, Clone)]
struct Region {
    low: [f64; 2],
    high: [f64; 2],
    front: Vec<usize>,
}

impl Region {
    /// When the configurations of the box can be reached first.
    fn key(&self) -> f64 {
        self.low[0].max(self.low[1])
    }
}

impl PartialEq for Region {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Region {}
impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Region {
    /// The heap gives the greatest first: that is the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().total_cmp(&self.key())
    }
}

/// A box that could not be resolved, or a point in it at which a pair touches.
#[derive(Debug, Clone, Copy)]
struct Spot {
    pair: usize,
    /// Nothing before this is touched by it.
    from: f64,
    at: [f64; 2],
    distance: f64,
}

struct Search<'s> {
    scene: &'s Scene<'s>,
    clocks: &'s Clocks,
    tracks: [&'s Track<'s>; 2],
    which: [usize; 2],
    delay_s: f64,
    resolution: f64,
    moment: Moment,
    /// Margin of every part in the current box, where it was asked for.
    parts: Vec<Option<f64>>,
    /// How far every joint can be from its value at the point, in the current box.
    delta: Vec<f64>,
    hit: Option<Spot>,
    open: Vec<Spot>,
    open_of_pair: BTreeMap<usize, usize>,
    statistics: Statistics,
}

impl Search<'_> {
    fn run(&mut self, front: Vec<usize>, progress: &dyn Fn(f64)) {
        let spans = self.tracks.map(Track::span);
        let start = spans[0].0.min(spans[1].0) - self.delay_s;
        let end = spans[0].1.max(spans[1].1) + self.delay_s;
        let mut heap = BinaryHeap::from([Region {
            low: [start; 2],
            high: [end; 2],
            front,
        }]);
        while let Some(next) = heap.pop() {
            if self
                .hit
                .is_some_and(|hit| next.key() >= hit.at[0].max(hit.at[1]))
            {
                break;
            }
            self.statistics.intervals += 1;
            if self.statistics.intervals > MOST_BOXES {
                self.give_up(next, heap);
                break;
            }
            if self.statistics.intervals.is_multiple_of(1024) {
                progress(((next.key() - start) / (end - start)).clamp(0.0, 1.0));
            }
            heap.extend(self.look(next).into_iter().flatten());
        }
    }

    /// Looks at a box; what it leaves is in its two halves.
    fn look(&mut self, at: Region) -> [Option<Region>; 2] {
        let point = self.point(&at);
        self.place(&at, point);
        let mut left = Vec::new();
        let mut weight = [0.0_f64; 2];
        for &index in &at.front {
            let pair = self.scene.part_pairs[index];
            if self
                .open_of_pair
                .get(&pair.pair)
                .is_some_and(|&n| n >= MOST_OPEN)
            {
                continue;
            }
            let threshold = self.scene.pairs[pair.pair].clearance;
            let margin = self.margin(pair.a) + self.margin(pair.b);
            if self.balls_apart(&pair, threshold + margin) {
                continue;
            }
            let travel = self.travels(&pair, true);
            let sum = (travel[0] + travel[1]) * ROUND_UP;
            let reach = self.scene.parts[pair.a].reach + self.scene.parts[pair.b].reach;
            if sum > (FAR * reach).max(self.resolution) {
                // So far apart the balls would have said it.
                weight = [weight[0].max(travel[0]), weight[1].max(travel[1])];
                left.push(index);
                continue;
            }
            let below = threshold + sum + margin;
            let tests = &mut self.statistics.triangle_tests;
            let found = part_distance(self.scene, &pair, &mut self.moment, below, tests);
            let Some(nearest) = found else {
                continue;
            };
            let spot = Spot {
                pair: pair.pair,
                from: at.key(),
                at: point,
                distance: nearest.distance,
            };
            if nearest.distance <= threshold {
                let earlier = |hit: Spot| point[0].max(point[1]) < hit.at[0].max(hit.at[1]);
                if self.hit.is_none_or(earlier) {
                    self.hit = Some(spot);
                }
            }
            if sum <= self.resolution / 4.0 {
                *self.open_of_pair.entry(pair.pair).or_default() += 1;
                self.open.push(spot);
                continue;
            }
            weight = [weight[0].max(travel[0]), weight[1].max(travel[1])];
            left.push(index);
        }
        if left.is_empty() {
            return [None, None];
        }
        self.halves(at, left, weight)
    }

    fn halves(&mut self, at: Region, left: Vec<usize>, weight: [f64; 2]) -> [Option<Region>; 2] {
        let axis = usize::from(weight[1] > weight[0]);
        let middle = 0.5 * (at.low[axis] + at.high[axis]);
        if middle <= at.low[axis] || middle >= at.high[axis] {
            // Times as near as numbers go.
            for index in left {
                self.open.push(Spot {
                    pair: self.scene.part_pairs[index].pair,
                    from: at.key(),
                    at: self.point(&at),
                    distance: 0.0,
                });
            }
            return [None, None];
        }
        let (mut first, mut second) = (at.clone(), at);
        first.high[axis] = middle;
        second.low[axis] = middle;
        first.front.clone_from(&left);
        second.front = left;
        [first, second].map(|half| self.in_strip(&half).then_some(half))
    }

    /// Whether some delay reaches the box.
    fn in_strip(&self, at: &Region) -> bool {
        at.low[0] - at.high[1] <= self.delay_s && at.low[1] - at.high[0] <= self.delay_s
    }

    /// A point of the box near its middle that some delay reaches.
    fn point(&self, at: &Region) -> [f64; 2] {
        let mut point = [0, 1].map(|k| 0.5 * (at.low[k] + at.high[k]));
        let late = usize::from(point[1] > point[0]);
        let early = 1 - late;
        let excess = point[late] - point[early] - self.delay_s;
        if excess > 0.0 {
            point[late] = (point[late] - 0.5 * excess).max(at.low[late]);
            point[early] = (point[late] - self.delay_s).clamp(point[early], at.high[early]);
            point[late] = point[late]
                .min(point[early] + self.delay_s)
                .max(at.low[late]);
        }
        point
    }

    /// Puts everything where it is at the point, and finds out how far joints can be from there in the box.
    fn place(&mut self, at: &Region, point: [f64; 2]) {
        let q = self.configuration(point);
        for (joint, delta) in self.delta.iter_mut().enumerate() {
            *delta = 0.0;
            let Some(k) =
                self.clocks.of_joint[joint].and_then(|c| self.which.iter().position(|&w| w == c))
            else {
                continue;
            };
            let interval = (at.low[k], at.high[k]);
            *delta = deviation(self.tracks[k], joint, interval, point[k]);
        }
        let standing = Segment {
            start: 0.0,
            end: 0.0,
            joints: q.iter().map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0]).collect(),
        };
        self.moment.set(self.scene, &standing, 0.0);
        self.parts.fill(None);
    }

    /// Joint values when the two programs are at these times, and everything else where the cell says.
    fn configuration(&self, point: [f64; 2]) -> Vec<f64> {
        let cell = self.scene.cell;
        let mut q = cell.rest.clone();
        for (track, time) in self.tracks.iter().zip(point) {
            let (segment, s) = track.path.locate(time - track.shift);
            for &joint in &track.joints {
                q[joint] = track.path.segments[segment].position(joint, s);
            }
        }
        crate::model::kinematics::resolve_mimic(cell, &mut q);
        q
    }

    /// How far computed positions of a part can be off, metres.
    fn margin(&mut self, part: usize) -> f64 {
        if let Some(known) = self.parts[part] {
            return known;
        }
        let margin = self.moment.margin(self.scene, part);
        self.parts[part] = Some(margin);
        margin
    }

    /// Whether the balls around two parts keep apart in the whole box.
    fn balls_apart(&mut self, pair: &PartPair, apart: f64) -> bool {
        self.statistics.distance_tests += 1;
        let travel = self.travels(pair, false);
        let a = self.moment.part(self.scene, pair.a).pose.translation;
        let b = self.moment.part(self.scene, pair.b).pose.translation;
        let reach = self.scene.parts[pair.a].reach + self.scene.parts[pair.b].reach;
        (a - b).norm() > (reach + apart + travel[0] + travel[1]) * ROUND_UP
    }

    /// How far points of the two parts can move towards each other in the box, by the program that moves them; of all
    /// points, or of the parts' origins only.
    fn travels(&mut self, pair: &PartPair, all: bool) -> [f64; 2] {
        let mut travel = [0.0; 2];
        for part in [pair.a, pair.b] {
            let what = &self.scene.parts[part];
            let reach = if all { what.reach } else { 0.0 };
            let chain = self.scene.chains.of(what.joint);
            let rho = &self.moment.part(self.scene, part).axis_distances;
            let mut total = 0.0;
            for (k, &joint) in chain.iter().enumerate().skip(pair.shared).rev() {
                let delta = self.delta[joint];
                if delta == 0.0 {
                    continue;
                }
                let step = if self.scene.chains.is_prismatic(joint) {
                    delta
                } else {
                    delta * (rho[k] + reach + total)
                };
                total += step;
                let second = self.clocks.of_joint[joint] == Some(self.which[1]);
                travel[usize::from(second)] += step;
            }
        }
        travel
    }

    /// Everything that is left stays undecided.
    fn give_up(&mut self, next: Region, heap: BinaryHeap<Region>) {
        for left in std::iter::once(next).chain(heap) {
            let at = self.point(&left);
            for &index in &left.front {
                self.open.push(Spot {
                    pair: self.scene.part_pairs[index].pair,
                    from: left.key(),
                    at,
                    distance: f64::INFINITY,
                });
            }
        }
    }

    fn answer(&mut self, tracks: &[Track]) -> (Verdict, Option<DelayContact>) {
        let by_start = |x: &&Spot, y: &&Spot| x.from.total_cmp(&y.from);
        let earliest = self.open.iter().min_by(by_start).copied();
        let (verdict, spot, kind) = match (self.hit, earliest) {
            (Some(hit), _) => (Verdict::Collision, hit, ContactKind::Contact),
            (None, Some(open)) => (Verdict::Undecided, open, ContactKind::Unresolved),
            (None, None) => return (Verdict::Clear, None),
        };
        let time = spot.at[0].max(spot.at[1]);
        let free_until = earliest.map_or(time, |open| open.from.min(time));
        let contact = self.contact(&spot, kind, time, free_until);
        let mut times = vec![time; tracks.len()];
        for (k, &which) in self.which.iter().enumerate() {
            times[which] = spot.at[k];
        }
        (verdict, Some(DelayContact { contact, times }))
    }

    fn contact(&mut self, spot: &Spot, kind: ContactKind, time: f64, free_until: f64) -> Contact {
        let (scene, cell) = (self.scene, self.scene.cell);
        let here = Region {
            low: spot.at,
            high: spot.at,
            front: Vec::new(),
        };
        self.place(&here, spot.at);
        let nearest = pair_distance(scene, spot.pair, &mut self.moment, f64::INFINITY, &mut 0);
        let (distance, point_a, point_b) = nearest.map_or_else(
            || (spot.distance, Default::default(), Default::default()),
            |n| (n.distance, n.point_a, n.point_b),
        );
        let normal = (point_a - point_b).try_normalize(0.0).unwrap_or_default();
        let q = self.configuration(spot.at);
        let pair = scene.pairs[spot.pair];
        Contact {
            time,
            free_until,
            until: None,
            segment: 0,
            fraction: 0.0,
            a: cell.bodies[pair.a].name.clone(),
            b: cell.bodies[pair.b].name.clone(),
            kind,
            feature: None,
            exact_time: None,
            distance,
            point_a: point_a.coords.into(),
            point_b: point_b.coords.into(),
            normal: normal.into(),
            joints: (0..q.len()).map(|j| (cell.joint_label(j), q[j])).collect(),
        }
    }
}

/// How far a joint that a track moves can be from its value at `at` during an interval, radians or metres; `at` lies in it.
fn deviation(track: &Track, joint: JointId, interval: (f64, f64), at: f64) -> f64 {
    let path = track.path;
    let here = path.locate(at - track.shift);
    let q = path.segments[here.0].position(joint, here.1);
    let first = path.locate(interval.0 - track.shift);
    let last = path.locate(interval.1 - track.shift);
    // A time belongs to the segment that starts there: segments without duration before it are passed at that instant too.
    let steps = path.segments[..first.0].iter().rev();
    let begin = match first.1 {
        0.0 => first.0 - steps.take_while(|s| s.duration() <= 0.0).count(),
        _ => first.0,
    };
    let mut most = 0.0_f64;
    for (index, segment) in path
        .segments
        .iter()
        .enumerate()
        .take(last.0 + 1)
        .skip(begin)
    {
        let s0 = if index == first.0 { first.1 } else { 0.0 };
        let s1 = if index == last.0 { last.1 } else { 1.0 };
        let (low, high) = range(&segment.joints[joint], s0, s1);
        most = most.max(q - low).max(high - q);
    }
    most
}

#[cfg(test)]
mod tests;
