//! The search of one stage: boxes of the times of its programs, the earliest first.

mod minimum;
mod time_box;
mod travel;

use std::collections::BTreeMap;

use nalgebra::Point3;

use super::question::{DelayContact, DelaySearchQuestion, DelayStage, deviation};
use crate::check::Snapshot;
use crate::check::contact::normal;
use crate::check::distance::part_distance;
use crate::check::scene::Scene;
use crate::geometry::triangle::Closest;
use crate::model::{BodyId, Segment, SegmentErrors, Track};
use crate::numeric::{MinHeap, ROUND_UP};
use crate::report::{Contact, ContactKind, Statistics};

pub(super) use minimum::LeastOverDelays;
use time_box::{BoxFinding, OpenBox, TimeBox, earliest, latest};

/// Parts that can move by more than this share of their sizes are not looked at by their surfaces
/// yet.
const MOST_TRAVEL_SHARE: f64 = 0.25;
/// Boxes that may stay unresolved for one pair of bodies; then it is given up, and undecided.
const MOST_OPEN: usize = 2_000;

pub(super) struct DelaySearch<'s, 'c> {
    stage: &'s DelayStage<'s, 'c>,
    scene: &'s Scene<'c>,
    /// Of all programs, also those that this stage is not about.
    all_tracks: &'s [Track<'s>],
    tracks: Vec<&'s Track<'s>>,
    /// By joint: which of these tracks moves it.
    axes: Vec<Option<usize>>,
    delay_s: f64,
    resolution: f64,
    most_boxes: u64,
    /// Whether pairs are answered one by one, rather than the earliest of all.
    all: bool,
    snapshot: Snapshot,
    /// Margin of every part in the current box, where it was asked for.
    parts: Vec<Option<f64>>,
    /// How far every joint can be from its value at the point, in the current box.
    delta: Vec<f64>,
    /// The part of `delta` that does not shrink with the box: joint values of straight moves of the
    /// tool are known up to a tube only.
    tube: Vec<f64>,
    /// How far points of a pair can move towards each other in the current box, by track and
    /// without tubes; of the pair that was asked for last.
    travel: Vec<f64>,
    /// By pair: what comes later than this need not be known.
    until: Vec<f64>,
    hits: BTreeMap<usize, BoxFinding>,
    unresolved: Vec<BoxFinding>,
    unresolved_of_pair: BTreeMap<usize, usize>,
    pub(super) statistics: Statistics,
}

impl<'s, 'c> DelaySearch<'s, 'c> {
    /// `until` holds a time for every pair of the scene: what comes later need not be known of it.
    pub(super) fn new(
        of: &'s DelaySearchQuestion,
        stage: &'s DelayStage<'s, 'c>,
        until: Vec<f64>,
    ) -> Self {
        let scene = stage.scene;
        let axes = of.clocks.of_joint.iter();
        let axes = axes.map(|clock| stage.which.iter().position(|&w| Some(w) == *clock));
        DelaySearch {
            stage,
            scene,
            all_tracks: of.tracks,
            tracks: stage.which.iter().map(|&w| &of.tracks[w]).collect(),
            axes: axes.collect(),
            delay_s: of.delay(),
            resolution: of.options.resolution,
            most_boxes: of.options.most_boxes,
            all: of.options.all,
            snapshot: Snapshot::default(),
            parts: vec![None; scene.parts.len()],
            delta: vec![0.0; scene.chains.len()],
            tube: vec![0.0; scene.chains.len()],
            travel: vec![0.0; stage.which.len()],
            until,
            hits: BTreeMap::new(),
            unresolved: Vec::new(),
            unresolved_of_pair: BTreeMap::new(),
            statistics: Statistics::default(),
        }
    }
}

impl DelaySearch<'_, '_> {
    /// Searches the stage for the pairs of parts in `front`.
    pub(super) fn run(&mut self, front: Vec<usize>, progress: &dyn Fn(f64)) {
        let times = TimeBox::of_spans(self.stage.spans);
        if !self.is_reachable(&times) {
            return;
        }
        self.find_contained(&times, &front);
        let (start, end) = (times.first_reached(), latest(&times.high));
        let mut open = MinHeap::new();
        open.push([start], OpenBox { times, front });
        while let Some(mut next) = open.pop() {
            let first = next.times.first_reached();
            let (until, parts) = (&self.until, &self.scene.part_pairs);
            next.front.retain(|&p| first < until[parts[p].pair]);
            if next.front.is_empty() {
                continue;
            }
            self.statistics.intervals += 1;
            if self.statistics.intervals > self.most_boxes || self.scene.time_limit.is_exceeded() {
                self.give_up(std::iter::once(next).chain(open.into_items()));
                break;
            }
            if self.statistics.intervals.is_multiple_of(1024) && end > start {
                progress(((first - start) / (end - start)).clamp(0.0, 1.0));
            }
            for half in self.look(next).into_iter().flatten() {
                open.push([half.times.first_reached()], half);
            }
        }
    }

    /// Bodies that are wholly inside others at the first point.
    fn find_contained(&mut self, whole: &TimeBox, front: &[usize]) {
        // As early as the delay of the others allows.
        let first = whole.first_reached() - self.delay_s;
        let at: Vec<f64> = whole.low.iter().map(|low| low.max(first)).collect();
        self.set_point(whole, &at);
        let pairs = front.iter().map(|&p| self.scene.part_pairs[p].pair);
        let mut pairs: Vec<usize> = pairs.collect();
        pairs.dedup();
        for pair in pairs {
            if self.scene.is_contained(pair, &mut self.snapshot) {
                self.record_hit(BoxFinding {
                    pair,
                    kind: ContactKind::Inside,
                    from: whole.first_reached(),
                    at: at.clone(),
                    distance: 0.0,
                });
            }
        }
    }

    /// Takes in a contact: what comes later need not be known.
    fn record_hit(&mut self, finding: BoxFinding) {
        let time = finding.time();
        if time >= self.until[finding.pair] {
            return;
        }
        if self.all {
            self.until[finding.pair] = time
        } else {
            self.until
                .iter_mut()
                .for_each(|until| *until = until.min(time))
        }
        self.hits.insert(finding.pair, finding);
    }

    /// Looks at a box; what it leaves is in its two halves.
    fn look(&mut self, next: OpenBox<usize>) -> [Option<OpenBox<usize>>; 2] {
        let OpenBox { times, front } = next;
        let point = self.point(&times);
        self.set_point(&times, &point);
        let mut left = Vec::new();
        let mut weight = vec![0.0_f64; point.len()];
        for index in front {
            let pair = self.scene.part_pairs[index];
            if self
                .unresolved_of_pair
                .get(&pair.pair)
                .is_some_and(|&n| n >= MOST_OPEN)
            {
                continue;
            }
            let threshold = self.scene.pairs[pair.pair].clearance;
            let margin = self.margin(pair.a) + self.margin(pair.b);
            if self.balls_are_separated(&pair, threshold + margin) {
                continue;
            }
            let travel = self.travels(&pair, true);
            let sum = travel.all * ROUND_UP;
            let radii =
                self.scene.parts[pair.a].bounding_radius + self.scene.parts[pair.b].bounding_radius;
            if travel.by_box() > (MOST_TRAVEL_SHARE * radii).max(self.resolution) {
                // The parts can move so far in this box that only balls are worth testing, and
                // those were tested above.
                self.add_travel(&mut weight);
                left.push(index);
                continue;
            }
            let below = threshold + sum + margin;
            let tests = &mut self.statistics.triangle_tests;
            let found = part_distance(self.scene, &pair, &mut self.snapshot, below, tests);
            let Some(nearest) = found else {
                continue;
            };
            let finding = BoxFinding {
                pair: pair.pair,
                kind: ContactKind::Contact,
                from: times.first_reached(),
                at: point.clone(),
                distance: nearest.distance,
            };
            if nearest.distance <= threshold && travel.tubes <= self.resolution {
                self.record_hit(finding.clone());
            } else if nearest.distance <= threshold {
                // The true motion may lie so far from the computed one that the bodies do not
                // touch.
                *self.unresolved_of_pair.entry(pair.pair).or_default() += 1;
                self.record_unresolved(finding);
                continue;
            }
            if travel.by_box() <= self.resolution / 4.0 {
                *self.unresolved_of_pair.entry(pair.pair).or_default() += 1;
                self.record_unresolved(finding);
                continue;
            }
            self.add_travel(&mut weight);
            left.push(index);
        }
        if left.is_empty() {
            return [None, None];
        }
        self.halves(&times, left, &weight)
    }

    /// Takes in what the pair that was asked for last moves by each program.
    fn add_travel(&self, weight: &mut [f64]) {
        for (weight, travel) in weight.iter_mut().zip(&self.travel) {
            *weight = weight.max(*travel);
        }
    }

    fn halves(
        &mut self,
        times: &TimeBox,
        left: Vec<usize>,
        weight: &[f64],
    ) -> [Option<OpenBox<usize>>; 2] {
        let Some(halves) = times.halves(weight) else {
            for index in left {
                self.record_unresolved(BoxFinding {
                    pair: self.scene.part_pairs[index].pair,
                    kind: ContactKind::Unresolved,
                    from: times.first_reached(),
                    at: self.point(times),
                    distance: 0.0,
                });
            }
            return [None, None];
        };
        halves.map(|times| {
            let front = left.clone();
            self.is_reachable(&times)
                .then_some(OpenBox { times, front })
        })
    }

    /// Whether some delay reaches the box.
    fn is_reachable(&self, at: &TimeBox) -> bool {
        at.first_reached() - earliest(&at.high) <= self.delay_s
    }

    /// A point of the box near its middle that some delay reaches.
    fn point(&self, at: &TimeBox) -> Vec<f64> {
        let axes = || at.low.iter().zip(&at.high);
        let middles = axes().map(|(low, high)| 0.5 * (low + high));
        // All within S of one another: within a window of that length which every side of the box
        // reaches.
        let (first, last) = (at.first_reached() - self.delay_s, earliest(&at.high));
        let lowest = middles.clone().fold(f64::INFINITY, f64::min);
        let highest = middles.clone().fold(f64::NEG_INFINITY, f64::max);
        let start = (0.5 * (lowest + highest) - 0.5 * self.delay_s)
            .min(last)
            .max(first);
        let end = start + self.delay_s;
        let within = |(middle, (low, high)): (f64, (&f64, &f64))| {
            middle.min(end).max(start).min(*high).max(*low)
        };
        middles.zip(axes()).map(within).collect()
    }

    /// Puts everything where it is at the point, and finds out how far joints can be from there in
    /// the box.
    fn set_point(&mut self, at: &TimeBox, point: &[f64]) {
        let q = self.configuration(point);
        for (joint, axis) in self.axes.iter().enumerate() {
            let Some(k) = *axis else {
                (self.delta[joint], self.tube[joint]) = (0.0, 0.0);
                continue;
            };
            let track = self.tracks[k];
            let delta = deviation(track, joint, (at.low[k], at.high[k]), point[k]);
            let instant = track.trajectory.locate(point[k] - track.shift);
            let tube = track.trajectory.segment_at(instant).value_rounding(joint);
            (self.delta[joint], self.tube[joint]) = (delta, tube.min(delta));
        }
        let mut standing = Segment {
            start: 0.0,
            end: 0.0,
            joints: q.iter().map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0]).collect(),
            errors: SegmentErrors::new(self.value_roundings(point), Vec::new()),
        };
        standing.take_over_mimics(self.scene.cell);
        self.snapshot.set(self.scene, &standing, 0.0);
        self.parts.fill(None);
    }

    /// The time of every track when those of the stage are at this point: the others are not late.
    fn times(&self, point: &[f64]) -> Vec<f64> {
        let mut times = vec![latest(point); self.all_tracks.len()];
        for (&which, &at) in self.stage.which.iter().zip(point) {
            times[which] = at;
        }
        times
    }

    /// Joint values when the programs of the stage are at this point.
    fn configuration(&self, point: &[f64]) -> Vec<f64> {
        let cell = self.scene.cell;
        let mut q = cell.rest.clone();
        for (track, time) in self.all_tracks.iter().zip(self.times(point)) {
            let instant = track.trajectory.locate(time - track.shift);
            let segment = track.trajectory.segment_at(instant);
            for &joint in &track.joints {
                q[joint] = segment.position(joint, instant.fraction);
            }
        }
        cell.resolve_mimic(&mut q);
        q
    }

    /// How far the values of joints that programs move can be off at the point. Of the programs of
    /// the stage `delta` has all but the rounding.
    fn value_roundings(&self, point: &[f64]) -> Vec<f64> {
        let mut roundings = vec![0.0; self.scene.chains.len()];
        for (which, (track, time)) in self.all_tracks.iter().zip(self.times(point)).enumerate() {
            let instant = track.trajectory.locate(time - track.shift);
            let segment = track.trajectory.segment_at(instant);
            for &joint in &track.joints {
                roundings[joint] = if self.stage.which.contains(&which) {
                    segment.own_rounding(joint)
                } else {
                    segment.value_rounding(joint)
                };
            }
        }
        roundings
    }

    /// How far computed positions of a part can be off, metres.
    fn margin(&mut self, part: usize) -> f64 {
        if let Some(known) = self.parts[part] {
            return known;
        }
        let margin = self.snapshot.margin(self.scene, part);
        self.parts[part] = Some(margin);
        margin
    }

    /// Everything that is left stays undecided.
    fn give_up(&mut self, open: impl Iterator<Item = OpenBox<usize>>) {
        for left in open {
            let at = self.point(&left.times);
            for &index in &left.front {
                self.record_unresolved(BoxFinding {
                    pair: self.scene.part_pairs[index].pair,
                    kind: ContactKind::Unresolved,
                    from: left.times.first_reached(),
                    at: at.clone(),
                    distance: f64::INFINITY,
                });
            }
        }
    }

    fn record_unresolved(&mut self, finding: BoxFinding) {
        self.unresolved.push(BoxFinding {
            kind: ContactKind::Unresolved,
            ..finding
        });
    }

    /// The earliest contact and the earliest unresolved box of every pair that has one.
    pub(super) fn found(&mut self) -> [Vec<((BodyId, BodyId), DelayContact)>; 2] {
        let mut unresolved: BTreeMap<usize, BoxFinding> = BTreeMap::new();
        for finding in std::mem::take(&mut self.unresolved) {
            if unresolved
                .get(&finding.pair)
                .is_none_or(|known| finding.from < known.from)
            {
                unresolved.insert(finding.pair, finding);
            }
        }
        let hits = std::mem::take(&mut self.hits);
        [hits, unresolved].map(|findings| {
            findings
                .into_values()
                .map(|finding| {
                    let pair = self.scene.pairs[finding.pair];
                    ((pair.a, pair.b), self.contact(&finding))
                })
                .collect()
        })
    }

    fn contact(&mut self, finding: &BoxFinding) -> DelayContact {
        let (scene, cell) = (self.scene, self.scene.cell);
        self.set_point(&TimeBox::of_point(&finding.at), &finding.at);
        let nearest = scene.pair_distance(finding.pair, &mut self.snapshot, f64::INFINITY, &mut 0);
        let nearest = nearest.unwrap_or(Closest {
            distance: finding.distance,
            point_a: Point3::origin(),
            point_b: Point3::origin(),
        });
        let normal = normal(scene, finding.pair, &mut self.snapshot, &nearest);
        let q = self.configuration(&finding.at);
        let pair = scene.pairs[finding.pair];
        let time = finding.time();
        let times = self.times(&finding.at);
        let free_until = match finding.kind {
            ContactKind::Unresolved => finding.from.min(time),
            _ => time,
        };
        let contact = Contact {
            time,
            free_until,
            until: None,
            segment: 0,
            fraction: 0.0,
            a: cell.bodies[pair.a].name.clone(),
            b: cell.bodies[pair.b].name.clone(),
            kind: finding.kind,
            feature: None,
            exact_time: None,
            distance: match finding.kind {
                ContactKind::Inside => 0.0,
                _ => nearest.distance,
            },
            point_a: nearest.point_a.coords.into(),
            point_b: nearest.point_b.coords.into(),
            normal: normal.into(),
            joints: (0..q.len()).map(|j| (cell.joint_label(j), q[j])).collect(),
            depth: None,
            depth_time: None,
            errors: None,
            spheres: None,
            in_corner: false,
            delays: times.iter().map(|t| time - t).collect(),
        };
        DelayContact { contact, times }
    }
}

#[cfg(test)]
mod tests;
