//! Several trajectories on one clock: one trajectory whose segments are the pieces between any two
//! waypoints of any of them.

use super::{Polynomial, Segment, SegmentErrors, Trajectory};
use crate::model::{Cell, Interpolation, JointId};
use crate::numeric::polynomial::restricted;

/// A trajectory that moves some of the cell's joints, and when it starts.
#[derive(Debug, Clone)]
pub struct Track<'p> {
    /// Its own trajectory; of its polynomials only those of `joints` are used.
    pub trajectory: &'p Trajectory,
    /// Joints that it moves; no other track moves them, and none is a mimic joint.
    pub joints: Vec<JointId>,
    /// Time on the common clock = time on the trajectory's own clock + shift.
    pub shift: f64,
}

impl Track<'_> {
    /// First and last time on the common clock.
    pub fn span(&self) -> (f64, f64) {
        let segments = &self.trajectory.segments;
        let first = segments.first().map_or(0.0, |s| s.start);
        let last = segments.last().map_or(0.0, |s| s.end);
        (first + self.shift, last + self.shift)
    }
}

/// Which part of which segment of a track's own trajectory is passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SegmentSpan {
    /// Segment of the track's trajectory.
    pub segment: usize,
    /// Share of it that has passed at the start. Equal to `to` while the track waits.
    pub from: f64,
    /// Share of it that has passed at the end.
    pub to: f64,
}

impl SegmentSpan {
    /// Share of the track's segment at a share of the span.
    pub fn at(&self, s: f64) -> f64 {
        if s >= 1.0 {
            return self.to;
        }
        self.from + s * (self.to - self.from)
    }
}

/// Tracks on one clock.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The motion of all joints.
    pub trajectory: Trajectory,
    /// For every segment and every track: what of the track's trajectory is passed in it.
    pub origin: Vec<Vec<SegmentSpan>>,
}

impl Merged {
    /// Puts tracks on one clock. The time grid is the union of theirs and of `cuts`; within it
    /// every joint follows its own polynomial, restricted to the piece. Before its start and after
    /// its end a track stands at its first or last waypoint; joints that no track moves stand where
    /// the cell says, and mimic joints follow their sources.
    ///
    /// Segments without duration (where two trajectories of a message are joined) are kept as such,
    /// in the order of the tracks where several fall on one instant. Cuts outside of the common
    /// span are ignored.
    pub fn on_one_clock(cell: &Cell, tracks: &[Track], cuts: &[f64]) -> Self {
        let spans = || tracks.iter().map(Track::span);
        let start = spans().map(|s| s.0).fold(f64::INFINITY, f64::min);
        let end = spans().map(|s| s.1).fold(f64::NEG_INFINITY, f64::max);
        let of_tracks = tracks.iter().flat_map(|t| {
            let times = t.trajectory.segments.iter().flat_map(|s| [s.start, s.end]);
            times.map(|time| time + t.shift)
        });
        let inside = cuts.iter().copied().filter(|c| (start..=end).contains(c));
        let mut grid: Vec<f64> = of_tracks.chain(inside).collect();
        grid.sort_by(f64::total_cmp);
        grid.dedup();

        let mut merge = Merge {
            cell,
            tracks,
            done: vec![0; tracks.len()],
            segments: Vec::new(),
            origin: Vec::new(),
        };
        for (k, &time) in grid.iter().enumerate() {
            merge.emit_segments_without_duration(time);
            if let Some(&next) = grid.get(k + 1) {
                merge.emit_piece(time, next);
            }
        }
        if let (true, Some(&only)) = (merge.segments.is_empty(), grid.first()) {
            merge.emit_piece(only, only);
        }
        let interpolations = tracks.iter().map(|t| t.trajectory.interpolation);
        Self {
            trajectory: Trajectory {
                segments: merge.segments,
                interpolation: interpolations
                    .max_by_key(|interpolation| interpolation.degree())
                    .unwrap_or(Interpolation::Linear),
                timed: tracks.iter().all(|t| t.trajectory.timed),
            },
            origin: merge.origin,
        }
    }
}

struct Merge<'m> {
    cell: &'m Cell,
    tracks: &'m [Track<'m>],
    /// How many segments of every track are over.
    done: Vec<usize>,
    segments: Vec<Segment>,
    origin: Vec<Vec<SegmentSpan>>,
}

impl Merge<'_> {
    /// Segments without duration that stand at `time`.
    fn emit_segments_without_duration(&mut self, time: f64) {
        for (t, track) in self.tracks.iter().enumerate() {
            while let Some(segment) = track.trajectory.segments.get(self.done[t])
                && segment.start + track.shift <= time
                && segment.end + track.shift <= segment.start + track.shift
            {
                let moves = |&j: &JointId| segment.joints.of(j)[1..].iter().any(|&c| c != 0.0);
                if track.joints.iter().any(moves) {
                    let mut passed = self.spans_at(time);
                    passed[t] = SegmentSpan {
                        segment: self.done[t],
                        from: 0.0,
                        to: 1.0,
                    };
                    self.emit(time, time, passed);
                }
                self.done[t] += 1;
            }
        }
    }

    /// From one time of the grid to the next.
    fn emit_piece(&mut self, start: f64, end: f64) {
        let mut passed = self.spans_at(start);
        for (t, track) in self.tracks.iter().enumerate() {
            let Some(segment) = track.trajectory.segments.get(self.done[t]) else {
                continue;
            };
            let (a, b) = (segment.start + track.shift, segment.end + track.shift);
            if a <= start && b > a {
                passed[t].to = if end >= b { 1.0 } else { (end - a) / (b - a) };
                self.done[t] += usize::from(end >= b);
            }
        }
        self.emit(start, end, passed);
    }

    /// Where every track is at `time`, a time of the grid.
    fn spans_at(&self, time: f64) -> Vec<SegmentSpan> {
        let span = |(t, track): (usize, &Track)| {
            let segments = &track.trajectory.segments;
            let (segment, s) = match segments.get(self.done[t]) {
                Some(current) => {
                    let (a, b) = (current.start + track.shift, current.end + track.shift);
                    let s = if time > a && b > a {
                        (time - a) / (b - a)
                    } else {
                        0.0
                    };
                    (self.done[t], s.min(1.0))
                }
                None => (segments.len().saturating_sub(1), 1.0),
            };
            SegmentSpan {
                segment,
                from: s,
                to: s,
            }
        };
        self.tracks.iter().enumerate().map(span).collect()
    }

    fn emit(&mut self, start: f64, end: f64, passed: Vec<SegmentSpan>) {
        let constant = |q: &f64| [*q, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut joints: Vec<Polynomial> = self.cell.rest.iter().map(constant).collect();
        let mut taken_over = vec![0.0; joints.len()];
        let mut tool_tubes = Vec::new();
        for (track, span) in self.tracks.iter().zip(&passed) {
            let Some(segment) = track.trajectory.segments.get(span.segment) else {
                continue;
            };
            tool_tubes.extend_from_slice(segment.tool_tubes());
            for &joint in &track.joints {
                joints[joint] = restricted(&segment.joints.of(joint), span.from, span.to);
                // The piece may be small where the whole is large. Its rounding counts twice, for
                // the roundings of cutting it out: fewer than 15, of numbers no greater than 32
                // times those that the whole is made of. What the whole itself has taken over, a
                // wide tube perhaps, is no wider for being cut.
                let taken = segment.taken_over().get(joint).copied().unwrap_or(0.0);
                taken_over[joint] = taken + 2.0 * segment.own_rounding(joint);
            }
        }
        for (id, joint) in self.cell.joints.iter().enumerate() {
            if let Some(mimic) = joint.mimic {
                let mut c = joints[mimic.source].map(|x| mimic.multiplier * x);
                c[0] += mimic.offset;
                joints[id] = c;
            }
        }
        let mut segment = Segment {
            start,
            end,
            joints: joints.into(),
            errors: SegmentErrors::new(taken_over, tool_tubes),
        };
        segment.take_over_mimics(self.cell);
        self.segments.push(segment);
        self.origin.push(passed);
    }
}

#[cfg(test)]
mod tests;
