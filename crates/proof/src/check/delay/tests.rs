//! Deviations and travels against samples; the search over delays is held to whole runs in
//! `tests/suite/timeline.rs`.

use proptest::prelude::*;

use super::question::deviation;
use super::*;
use crate::model::{Interpolation, Segment, Trajectory};

fn trajectory(coefficients: &[(f64, [f64; 6])]) -> Trajectory {
    let mut time = 0.0;
    let segments = coefficients.iter().map(|&(duration, c)| {
        let start = time;
        time += duration;
        Segment {
            start,
            end: time,
            joints: vec![c].into(),
            errors: None,
        }
    });
    Trajectory {
        segments: segments.collect(),
        interpolation: Interpolation::Quintic,
        timed: true,
    }
}

proptest! {
    /// No sample of the interval is farther from the point than the bound, which is not much more
    /// than the farthest.
    #[test]
    fn deviations_bound_every_sample(
        pieces in prop::collection::vec((0.2..2.0_f64, prop::array::uniform6(-1.0..1.0_f64)), 1..5),
        shift in -1.0..1.0_f64,
        (from, length, share) in (-2.0..8.0_f64, 0.0..3.0_f64, 0.0..1.0_f64),
    ) {
        let trajectory = trajectory(&pieces);
        let track = Track { trajectory: &trajectory, joints: vec![0], shift };
        let at = from + share * length;
        let bound = deviation(&track, 0, (from, from + length), at);
        let value = |time: f64| {
            let instant = trajectory.locate(time - shift);
            trajectory.segment_at(instant).position(0, instant.fraction)
        };
        let mut most = 0.0_f64;
        for k in 0..=200 {
            most = most.max((value(from + length * f64::from(k) / 200.0) - value(at)).abs());
        }
        prop_assert!(most <= bound + 1e-12, "{} {}", most, bound);
        prop_assert!(bound.is_finite());
    }
}

/// A step without duration belongs to the instant at which it happens, whichever side of it is
/// asked for.
#[test]
fn steps_are_not_passed_over() {
    let still = |q: f64| [q, 0.0, 0.0, 0.0, 0.0, 0.0];
    let trajectory = trajectory(&[
        (1.0, still(0.0)),
        (0.0, [0.0, 0.5, 0.0, 0.0, 0.0, 0.0]),
        (1.0, still(0.5)),
    ]);
    let track = Track {
        trajectory: &trajectory,
        joints: vec![0],
        shift: 0.0,
    };
    for (interval, at, due) in [
        ((0.0, 0.9), 0.5, 0.0),
        ((0.5, 1.0), 0.75, 0.5),
        ((1.0, 1.5), 1.25, 0.5),
        ((0.5, 1.5), 1.0, 0.5),
        ((1.1, 1.5), 1.25, 0.0),
    ] {
        let bound = deviation(&track, 0, interval, at);
        assert!((bound - due).abs() < 1e-12, "{interval:?}: {bound}");
    }
}
