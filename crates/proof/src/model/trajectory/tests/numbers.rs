//! Numbers of programs: which ones are refused, how values are rounded, and what they take to keep.

use super::*;

/// Each of these ran for ever, was proved with numbers that say nothing, or had infinite speeds.
#[test]
fn what_cannot_be_computed_with_is_refused_by_line() {
    for (rows, line, said) in [
        (
            &[(0.0, 0.0, None), (1e-310, 1.0, None)][..],
            3,
            "step of time to this waypoint is 1e-310 s",
        ),
        (
            &[(0.0, 0.0, None), (1.0, 0.0, None), (1e300, 1.0, None)],
            4,
            "as in `time[ms]`",
        ),
        (
            &[(0.0, 0.0, None), (1.7e12, 1.0, None)],
            3,
            "state another unit",
        ),
        (
            &[(0.0, 0.0, None), (1.0, 1e100, None)],
            3,
            "`spin` gets beyond 1e12 rad",
        ),
        (&[(0.0, 1e13, None)], 2, "`spin` gets beyond 1e12 rad"),
        (
            &[(0.0, 0.0, None), (1.0, 2e6, None)],
            3,
            "`spin` goes through 2e6 rad",
        ),
        (
            &[(0.0, 0.0, Some(1e100)), (1.0, 1.0, Some(-1e100))],
            3,
            "beyond 1e12 rad",
        ),
        (
            &[(0.0, 0.0, Some(1e6)), (1.0, 1.0, Some(0.0))],
            3,
            "beyond 1e6 rad",
        ),
        (
            &[(0.0, 0.0, Some(1e300)), (1e300, 1.0, Some(1e300))],
            3,
            "beyond",
        ),
    ] {
        let error = CellTrajectory::new(&spinning(rows), &cell(), None).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(&format!(":{line}: ")) && text.contains(said),
            "{rows:?}: {text}"
        );
    }
    for fine in [
        &[(0.0, 0.0, None), (1e-9, 1.0, None)][..],
        &[(1.7e9, 0.0, None), (1.7e9 + 1.0, 1.0, None)],
        &[(0.0, 1e9, None), (1.0, 1e9 + 5e5, None)],
        &[(0.0, 0.0, Some(1e5)), (1.0, 1.0, Some(1e5))],
    ] {
        assert!(
            CellTrajectory::new(&spinning(fine), &cell(), None).is_ok(),
            "{fine:?}"
        );
    }
    // A sliding joint ends where the cell ends; a joint that follows another one counts as well.
    let far = program(&["rail"], &[(0.0, &[1e8])]);
    assert!(problem(&far).contains("`rail` gets beyond 1e7 m"));
    let mut geared = cell();
    geared.joints[5].mimic = Some(Mimic {
        source: 4,
        multiplier: 1e300,
        offset: 0.0,
    });
    let error =
        CellTrajectory::new(&program(&["finger"], &[(0.0, &[1.0])]), &geared, None).unwrap_err();
    assert!(error.to_string().contains("`thumb` gets beyond"), "{error}");
}

#[test]
fn numbers_beyond_all_numbers_are_refused() {
    let mut p = program(&["rail"], &[(0.0, &[-1.7e308]), (1.0, &[1.7e308])]);
    assert!(problem(&p).contains("`rail` gets beyond 1e7 m"));
    p.waypoints[1].positions = [1.0; 2][..].into();
    assert!(problem(&p).contains("another number of values"));
}

/// Roundings of values are those that docs/guarantee.md states: for ten thousand turns, in a
/// segment that makes them, and far beyond.
#[test]
fn values_are_rounded_by_as_much_as_is_said() {
    let segment = |from: f64, by: f64| Segment {
        start: 0.0,
        end: 1.0,
        joints: vec![[from, by, 0.0, 0.0, 0.0, 0.0]].into(),
        errors: None,
    };
    let turns = 1e4 * std::f64::consts::TAU;
    for (from, by, said) in [
        (turns, 0.0, 0.1e-9),
        (0.0, turns, 14e-9),
        (1e9, 0.0, 2e-6),
        (1e12, 0.0, 2e-3),
    ] {
        let off = segment(from, by).value_rounding(0);
        assert!((0.8..1.2).contains(&(off / said)), "{from} {by}: {off:e}");
    }
}

/// Catches coefficients that are kept though they are 0, and structures that grow: a million
/// waypoints of six joints are to fit into 300 MB together with the segments between them.
#[test]
fn a_straight_line_of_six_joints_takes_little_memory() {
    let mut cell = cell();
    cell.joints[5].mimic = None;
    let program = program(&["spin"], &[(0.0, &[0.1]), (1.0, &[0.3]), (2.0, &[0.2])]);
    let (trajectory, _) = Trajectory::for_cell(&program, &cell, None).unwrap();
    assert_eq!(trajectory.segments.capacity(), trajectory.segments.len());
    for segment in &trajectory.segments {
        let kept = (size_of_val(segment), segment.joints.heap_bytes());
        assert_eq!((segment.joints.len(), kept), (6, (48, 6 * 2 * 8)));
        assert!(segment.errors.is_none());
    }
    // Up to seven positions stand in the waypoint.
    assert_eq!(size_of::<Waypoint>(), 112);
}
