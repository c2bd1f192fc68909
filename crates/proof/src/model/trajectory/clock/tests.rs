//! The merged trajectory against each trajectory on its own.

use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

use super::*;
use crate::model::{Joint, JointKind, Limits, Mimic};

/// Three joints and one that follows the first: −2·q + 0.5.
fn cell() -> Cell {
    let joint = |k: usize| Joint {
        name: format!("j{k}"),
        robot: 0,
        parent: None,
        parent_from_joint: Isometry3::identity(),
        axis: Vector3::z_axis(),
        kind: JointKind::Continuous,
        limits: Limits::default(),
        mimic: (k == 3).then_some(Mimic {
            source: 0,
            multiplier: -2.0,
            offset: 0.5,
        }),
    };
    Cell {
        joints: (0..4).map(joint).collect(),
        rest: vec![0.0, 0.0, 0.7, 0.5],
        ..Cell::default()
    }
}

/// A trajectory that moves one joint through segments of these ends.
fn trajectory(joint: usize, pieces: &[(f64, f64, Polynomial)]) -> Trajectory {
    let segment = |&(start, end, c): &(f64, f64, Polynomial)| {
        let mut joints = vec![[0.0; 6]; 4];
        joints[joint] = c;
        Segment {
            start,
            end,
            joints: joints.into(),
            errors: None,
        }
    };
    Trajectory {
        segments: pieces.iter().map(segment).collect(),
        interpolation: Interpolation::Quintic,
        timed: true,
    }
}

/// Value of a track's joint at a time on the common clock, by its own trajectory.
fn alone(track: &Track, time: f64) -> f64 {
    let instant = track.trajectory.locate(time - track.shift);
    let segment = track.trajectory.segment_at(instant);
    segment.position(track.joints[0], instant.fraction)
}

fn line(from: f64, to: f64) -> Polynomial {
    [from, to - from, 0.0, 0.0, 0.0, 0.0]
}

#[test]
fn a_program_waits_before_its_start_and_after_its_end() {
    let (left, right) = (
        trajectory(0, &[(0.0, 2.0, line(1.0, 3.0))]),
        trajectory(1, &[(0.0, 1.0, line(5.0, 4.0))]),
    );
    let tracks = [
        Track {
            trajectory: &left,
            joints: vec![0],
            shift: 0.0,
        },
        Track {
            trajectory: &right,
            joints: vec![1],
            shift: 1.5,
        },
    ];
    let merged = Merged::on_one_clock(&cell(), &tracks, &[0.25, 99.0]);
    let times: Vec<(f64, f64)> = merged
        .trajectory
        .segments
        .iter()
        .map(|s| (s.start, s.end))
        .collect();
    assert_eq!(times, [(0.0, 0.25), (0.25, 1.5), (1.5, 2.0), (2.0, 2.5)]);
    let at = |time: f64| {
        let instant = merged.trajectory.locate(time);
        let mut q = Vec::new();
        let segment = merged.trajectory.segment_at(instant);
        segment.configuration(instant.fraction, &mut q);
        q
    };
    assert_eq!(at(0.0), [1.0, 5.0, 0.7, -1.5]);
    assert_eq!(at(1.5), [2.5, 5.0, 0.7, -4.5]);
    assert_eq!(at(2.25), [3.0, 4.25, 0.7, -5.5]);
    assert_eq!(at(2.5), [3.0, 4.0, 0.7, -5.5]);
    let span = |segment: usize, from: f64, to: f64| SegmentSpan { segment, from, to };
    assert_eq!(merged.origin[3], [span(0, 1.0, 1.0), span(0, 0.5, 1.0)]);
}

#[test]
fn steps_without_duration_and_single_poses_are_kept() {
    let left = trajectory(
        0,
        &[
            (0.0, 1.0, line(0.0, 1.0)),
            (1.0, 1.0, line(1.0, 1.001)),
            (1.0, 2.0, line(1.001, 2.0)),
        ],
    );
    let pose = trajectory(1, &[(0.0, 0.0, line(0.3, 0.3))]);
    let tracks = [
        Track {
            trajectory: &left,
            joints: vec![0],
            shift: 0.0,
        },
        Track {
            trajectory: &pose,
            joints: vec![1],
            shift: 0.0,
        },
    ];
    let merged = Merged::on_one_clock(&cell(), &tracks, &[]);
    let step = &merged.trajectory.segments[1];
    assert_eq!((step.start, step.end), (1.0, 1.0));
    assert_eq!(
        (step.joints.of(0), step.joints.of(1)),
        (line(1.0, 1.001), line(0.3, 0.3))
    );
    assert_eq!(merged.trajectory.segments.len(), 3);
    let alone = Merged::on_one_clock(&cell(), &tracks[1..], &[]);
    assert_eq!(alone.trajectory.segments.len(), 1);
    assert_eq!(alone.trajectory.duration(), 0.0);
}

proptest! {
    /// On every piece every joint has the value that its own trajectory gives it, and so have its
    /// followers.
    #[test]
    fn agrees_with_every_trajectory_on_its_own(
        a in prop::collection::vec((0.1..2.0_f64, prop::array::uniform6(-2.0..2.0_f64)), 1..6),
        b in prop::collection::vec((0.1..2.0_f64, prop::array::uniform6(-2.0..2.0_f64)), 1..6),
        shift in -3.0..3.0_f64,
        cuts in prop::collection::vec(-3.0..9.0_f64, 0..4),
    ) {
        let chained = |joint, pieces: &[(f64, Polynomial)]| {
            let (mut time, mut value) = (0.0, 0.25);
            let pieces: Vec<_> = pieces.iter().map(|&(duration, mut c)| {
                c[0] = value;
                value = c.iter().sum();
                let start = time;
                time += duration;
                (start, time, c)
            }).collect();
            trajectory(joint, &pieces)
        };
        let (a, b) = (chained(0, &a), chained(1, &b));
        let tracks = [
            Track { trajectory: &a, joints: vec![0], shift: 0.0 },
            Track { trajectory: &b, joints: vec![1], shift },
        ];
        let merged = Merged::on_one_clock(&cell(), &tracks, &cuts);
        let segments = &merged.trajectory.segments;
        prop_assert!(segments.windows(2).all(|w| w[0].end == w[1].start));
        let (start, end) = (tracks[1].span().0.min(0.0), tracks[1].span().1.max(tracks[0].span().1));
        prop_assert_eq!((segments[0].start, segments[segments.len() - 1].end), (start, end));
        for cut in cuts.iter().filter(|c| (start..=end).contains(*c)) {
            prop_assert!(segments.iter().any(|s| s.start == *cut || s.end == *cut));
        }
        for (segment, origin) in segments.iter().zip(&merged.origin) {
            for s in [0.0, 0.3, 0.5, 0.9, 1.0] {
                for (t, (track, own)) in tracks.iter().zip([&a, &b]).enumerate() {
                    let got = segment.position(t, s);
                    let due = alone(track, segment.start + s * segment.duration());
                    prop_assert!((got - due).abs() < 1e-9, "{} {}", got, due);
                    let by_origin = own.segments[origin[t].segment].position(t, origin[t].at(s));
                    prop_assert!((got - by_origin).abs() < 1e-9);
                }
                let follower = segment.position(3, s);
                prop_assert!((follower - (0.5 - 2.0 * segment.position(0, s))).abs() < 1e-12);
            }
        }
    }
}

/// A program whose joints are known within a tube is cut where an event of the cell happens.
#[test]
fn a_tube_is_as_wide_in_the_pieces_of_a_segment() {
    let cell = cell();
    let mut whole = trajectory(0, &[(0.0, 1.0, line(0.1, 0.4))]);
    *whole.segments[0].taken_over_of(0) = 0.05;
    let tracks = [Track {
        trajectory: &whole,
        joints: vec![0],
        shift: 0.0,
    }];
    let merged = Merged::on_one_clock(&cell, &tracks, &[0.5]).trajectory;
    assert_eq!(merged.segments.len(), 2);
    for piece in &merged.segments {
        let off = piece.taken_over()[0];
        assert!((0.05..0.05 + 1e-9).contains(&off), "{off}");
    }
}
