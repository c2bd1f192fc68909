//! A long motion as straight pieces through instants on it: all of its segments would be most of
//! the page.

use crate::findings::{MotionInstant, ProgramOutcome, Replay, Segment};

/// Straight pieces in place of segments.
pub(super) struct Thinned {
    /// The pieces, by time; the motion is exact where one ends.
    pub pieces: Vec<Segment>,
    /// For each joint of the cell: nowhere is it drawn farther than this from where it is, radians
    /// or metres.
    pub deviations: Vec<f64>,
}

/// About `most` pieces, evenly spread. They meet at every instant that the page leads to as well:
/// it must show what its findings say.
pub(super) fn thinned(replay: &Replay, program: &ProgramOutcome, most: usize) -> Thinned {
    let segments = &replay.segments;
    let every = segments.len().div_ceil(most.max(1));
    let mut instants: Vec<MotionInstant> = (0..segments.len())
        .step_by(every)
        .map(|k| MotionInstant::new(k, 0.0))
        .collect();
    instants.push(MotionInstant::new(segments.len() - 1, 1.0));
    // By their times: with several programs segments are counted in each file, and these are of all
    // together.
    let times = found(program).into_iter().chain(shown(replay));
    instants.extend(times.map(|time| instant_at(segments, time)));
    instants.sort_by(MotionInstant::order);
    instants.dedup();
    let pieces: Vec<Segment> = instants
        .windows(2)
        .map(|ends| piece(segments, ends[0], ends[1]))
        .collect();
    let deviations = deviations(segments, &pieces);
    Thinned { pieces, deviations }
}

/// Instants of everything that was found in a program.
fn found(program: &ProgramOutcome) -> Vec<f64> {
    let contacts = || program.first_contact.iter().chain(&program.contacts);
    let classes = program.minimum_by_class.iter().map(|c| &c.least);
    let minimums = program.minimum_clearance.iter().chain(classes);
    let minimums = minimums.chain(&program.pair_minimums);
    let margins = program.margin.iter().flat_map(|m| &m.by_class);
    let allowances = program.audit.iter().flat_map(|a| &a.allowances);
    let allowed = allowances.flat_map(|a| &a.pairs).flat_map(|p| &p.contacts);
    let events = program.timeline.iter().flat_map(|t| &t.events);
    let times = contacts().map(|c| c.time);
    let times = times.chain(contacts().filter_map(|c| c.depth_time));
    let times = times.chain(minimums.map(|m| m.time));
    let times = times.chain(margins.filter_map(|m| m.limit.as_ref()).map(|l| l.time));
    let times = times.chain(program.near_misses.iter().map(|n| n.time));
    let times = times.chain(program.limits.iter().map(|l| l.time));
    let times = times.chain(allowed.map(|c| c.time));
    times.chain(events.map(|e| e.time)).collect()
}

/// Instants at which the plot is exact, and those at which bodies change their places.
fn shown(replay: &Replay) -> impl Iterator<Item = f64> {
    let curves = replay.curves.iter().flat_map(|c| &c.times).copied();
    curves.chain(replay.phases.iter().map(|p| p.start))
}

/// Where a time lies in the motion.
fn instant_at(segments: &[Segment], time: f64) -> MotionInstant {
    let k = segments
        .partition_point(|s| s.start <= time)
        .saturating_sub(1);
    MotionInstant::new(k, share(&segments[k], time))
}

/// Share of a segment that has passed at a time.
fn share(segment: &Segment, time: f64) -> f64 {
    let length = segment.duration();
    let share = if length > 0.0 {
        (time - segment.start) / length
    } else {
        0.0
    };
    share.clamp(0.0, 1.0)
}

/// The straight piece from one instant to another.
fn piece(segments: &[Segment], from: MotionInstant, to: MotionInstant) -> Segment {
    let time = |instant: MotionInstant| {
        let segment = &segments[instant.segment];
        segment.start + instant.fraction * segment.duration()
    };
    let value =
        |instant: MotionInstant, joint| segments[instant.segment].position(joint, instant.fraction);
    let joints = segments[from.segment].joints().len();
    let line = |joint| {
        let (p, q) = (value(from, joint), value(to, joint));
        [p, q - p, 0.0, 0.0, 0.0, 0.0]
    };
    Segment::new(time(from), time(to), (0..joints).map(line))
}

/// For each joint how far pieces are at most from the motion.
fn deviations(segments: &[Segment], pieces: &[Segment]) -> Vec<f64> {
    let joints = segments.first().map_or(0, |s| s.joints().len());
    let mut deviations = vec![0.0f64; joints];
    let mut first = 0;
    for segment in segments {
        while first + 1 < pieces.len() && pieces[first].end <= segment.start {
            first += 1;
        }
        let here = pieces[first..].iter().enumerate();
        let here = here.take_while(|(k, p)| *k == 0 || p.start < segment.end);
        for (_, piece) in here {
            let (start, end) = (
                segment.start.max(piece.start),
                segment.end.min(piece.end).max(segment.start),
            );
            for (joint, deviation) in deviations.iter_mut().enumerate() {
                let line = [start, end].map(|t| piece.position(joint, share(piece, t)));
                let shares = [share(segment, start), share(segment, end)];
                *deviation = deviation.max(farthest(&segment.joint(joint), shares, line));
            }
        }
    }
    deviations
}

/// No less than the greatest distance between a polynomial on an interval and the line with these
/// values at its ends.
fn farthest(polynomial: &[f64; 6], [from, to]: [f64; 2], [p, q]: [f64; 2]) -> f64 {
    // From the beginning of the interval, in shares of it.
    let mut c = *polynomial;
    for k in 0..6 {
        for i in (k..5).rev() {
            c[i] += from * c[i + 1];
        }
    }
    let mut power = 1.0;
    for x in &mut c {
        *x *= power;
        power *= to - from;
    }
    c[0] -= p;
    c[1] -= q - p;
    // A polynomial lies within the hull of its Bernstein coefficients.
    const CHOOSE: [[f64; 6]; 6] = [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 2.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 3.0, 3.0, 1.0, 0.0, 0.0],
        [1.0, 4.0, 6.0, 4.0, 1.0, 0.0],
        [1.0, 5.0, 10.0, 10.0, 5.0, 1.0],
    ];
    let coefficient = |i: usize| -> f64 {
        let parts = (0..=i).map(|j| CHOOSE[i][j] / CHOOSE[5][j] * c[j]);
        parts.sum()
    };
    (0..6).map(|i| coefficient(i).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::findings::{Curve, TimelineFacts};

    fn replay(segments: Vec<Segment>) -> Replay {
        Replay {
            waypoints: vec![],
            moves: Default::default(),
            phases: vec![],
            pairs: None,
            segments,
            curves: vec![],
            others_farther_than: None,
            delays: None,
        }
    }

    fn program(findings: Value) -> ProgramOutcome {
        let mut program = json!({
            "program": "p", "verdict": "collision",
            "statistics": { "intervals": 0, "distance_tests": 0, "triangle_tests": 0, "pairs": 0, "check_seconds": 0.0 },
        });
        let known = program.as_object_mut().unwrap();
        known.extend(findings.as_object().unwrap().clone());
        serde_json::from_value(program).unwrap()
    }

    fn contact(time: f64) -> Value {
        json!({
            "time": time, "free_until": time - 0.25, "segment": 777, "fraction": 0.25, "a": "a", "b": "b", "kind": "contact",
            "distance": 0.0, "depth": 0.01, "depth_time": time + 2.25,
            "point_a": [0,0,0], "point_b": [0,0,0], "normal": [0,0,0], "joints": {},
        })
    }

    fn minimum(time: f64) -> Value {
        json!({ "distance": 0.1, "lower_bound": 0.1, "time": time, "a": "a", "b": "b" })
    }

    /// A joint that goes to and fro within each segment.
    fn to_and_fro(segments: usize) -> Vec<Segment> {
        let segment = |k: usize| {
            let out_and_back = [k as f64, 4.0, -3.0, 0.0, 0.0, 0.0];
            Segment::new(k as f64, (k + 1) as f64, vec![out_and_back])
        };
        (0..segments).map(segment).collect()
    }

    /// Regression: near misses, limits, the deepest instants and those of the plot were shown half
    /// a metre from their places.
    #[test]
    fn a_long_motion_is_exact_wherever_the_page_leads() {
        let mut replay = replay(to_and_fro(40_000));
        replay.curves = vec![Curve {
            pair: 0,
            times: vec![0.0, 901.3, 40_000.0],
            distances: vec![1.0; 3],
            bounds: vec![0.0; 2],
            points: None,
        }];
        let mut program = program(json!({
            "first_contact": contact(777.25),
            "contacts": [contact(777.25), contact(2001.5)],
            "minimum_clearance": minimum(31.7),
            "pair_minimums": [minimum(32.7)],
            "minimum_by_class": [{ "class": "tool", "distance": 0.1, "lower_bound": 0.1, "time": 33.7, "a": "a", "b": "b" }],
            "near_misses": [{ "a": "a", "b": "b", "warn": 0.1, "entered": 50.0, "left": 60.0, "distance": 0.1, "time": 55.4, "segment": 55, "fraction": 0.4 }],
            "limits": [{ "joint": "j", "what": "position", "time": 71.9, "value": 2.0, "limit": 1.0 }],
        }));
        program.timeline = Some(TimelineFacts {
            events: vec![
                serde_json::from_value(json!({ "time": 99.1, "what": "w", "by": "e" })).unwrap(),
            ],
            ..TimelineFacts::default()
        });
        let times = [
            777.25, 779.5, 2001.5, 2003.75, 31.7, 32.7, 33.7, 55.4, 71.9, 99.1, 901.3,
        ];
        let Thinned { pieces, deviations } = thinned(&replay, &program, 10_000);
        assert!((10_000..10_100).contains(&pieces.len()), "{}", pieces.len());
        for time in times {
            let near = |p: &&Segment| (p.start - time).abs() < 1e-9;
            let piece = pieces.iter().find(near).unwrap_or_else(|| panic!("{time}"));
            let s = time.fract();
            let right = time.floor() + 4.0 * s - 3.0 * s * s;
            assert!((piece.joint(0)[0] - right).abs() < 1e-6, "{time}");
        }
        assert!(pieces.windows(2).all(|p| p[0].end == p[1].start));
        assert!(deviations[0] > 0.3, "{deviations:?}");
    }

    /// What the page says of the error holds at every instant, and is not much more than the error.
    #[test]
    fn between_its_instants_a_long_motion_is_no_farther_off_than_it_says() {
        let replay = replay(to_and_fro(1000));
        let findings = program(json!({ "first_contact": contact(777.25) }));
        for most in [1000, 300, 7] {
            let Thinned { pieces, deviations } = thinned(&replay, &findings, most);
            let mut worst = 0.0f64;
            for k in 0..=40_000 {
                let time = f64::from(k) / 40.0;
                let there = instant_at(&replay.segments, time);
                let right = replay.segments[there.segment].position(0, there.fraction);
                let drawn = instant_at(&pieces, time);
                let drawn = pieces[drawn.segment].position(0, drawn.fraction);
                worst = worst.max((drawn - right).abs());
            }
            assert!(worst <= deviations[0] + 1e-9, "{worst} {deviations:?}");
            assert!(deviations[0] <= 2.5 * worst, "{worst} {deviations:?}");
        }
    }
}
