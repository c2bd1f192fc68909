//! Pairs that features suit and others, in one scene.

use clearance_proof::check::fixture::{Fixture, JOINTS, cube, moved};
use clearance_proof::geometry::made::sphere_core;
use clearance_proof::model::{Interpolation, Segment};
use clearance_proof::report::Verdict;
use nalgebra::Vector3;

use super::*;

const OPTIONS: CheckOptions = CheckOptions {
    resolution: 1e-4,
    all: false,
    minimum: false,
    minimum_by_class: false,
    minimum_pairs: None,
};

/// A cube of 0.2 m that slides 2 m along x in 2 s; a cube and a ball (radius 0.1 m) that stand
/// where they are told to.
fn slide(cube_at: Vector3<f64>, ball_at: Vector3<f64>) -> (Fixture, Trajectory) {
    let mut fixture = Fixture::new();
    fixture.carried(Some(0), &[(cube(0.2), 0.0)], None);
    fixture.body(false, &[(moved(cube(0.2), cube_at), 0.0)], None);
    fixture.body(false, &[(moved(sphere_core(), ball_at), 0.1)], None);
    let mut joints = vec![[0.0; 6]; 2 * JOINTS];
    joints[0][1] = 2.0;
    let segment = Segment::new(0.0, 2.0, joints);
    let trajectory = Trajectory {
        segments: vec![segment],
        interpolation: Interpolation::Linear,
        timed: true,
    };
    (fixture, trajectory)
}

fn answer(cube_at: [f64; 3], ball_at: [f64; 3], clearance: f64) -> (CheckResult, Option<String>) {
    let (fixture, trajectory) = slide(cube_at.into(), ball_at.into());
    let mut scene = fixture.scene(0.0);
    // The threshold belongs to the ball alone.
    let ball = scene.pairs.iter_mut().find(|p| [p.a, p.b].contains(&2));
    ball.unwrap().clearance = clearance;
    let result = check(&scene, &trajectory, &OPTIONS, &|_| ()).unwrap();
    (result, fallback(&scene))
}

/// Catches a pair that neither method looks at, the later one of two contacts, and what is called
/// free though the other method found it touched.
#[test]
fn every_pair_is_looked_at_by_the_method_that_suits_it() {
    let beside = |x: f64| [x, 0.0, 0.0];
    let (off, far) = ([5.0, 5.0, 0.0], 0.0);
    // The cube touches the other one at 0.8 s (x = 1 − 0.2), the ball at 1.3 s (x = 1.5 − 0.2).
    for (cube_at, ball_at, clearance, expected) in [
        (beside(1.0), beside(1.5), far, Some((0.8, true))),
        (beside(1.0), off, 0.05, Some((0.8, true))),
        (beside(1.5), beside(1.0), 0.0, Some((0.8, false))),
        // The threshold brings the ball's contact forward.
        (beside(1.5), beside(1.0), 0.1, Some((0.7, false))),
        (off, beside(1.0), 0.1, Some((0.7, false))),
        (off, [1.0, 0.25, 0.0], 0.02, None),
        // Passing at 50 mm is within 60 mm: its corner is then √(0.16² − 0.15²) before the middle
        // of the ball.
        (off, [1.0, 0.25, 0.0], 0.06, Some((0.9 - 0.055_678, false))),
    ] {
        let (result, said) = answer(cube_at, ball_at, clearance);
        let what = format!("{cube_at:?} {ball_at:?} {clearance}: {result:?}");
        let said = said.unwrap();
        assert!(
            said.starts_with("1 of 2 pairs are checked by bisection"),
            "{said}"
        );
        match expected {
            None => assert_eq!(result.verdict, Verdict::Clear, "{what}"),
            Some((time, feature)) => {
                assert_eq!(result.verdict, Verdict::Collision, "{what}");
                let first = result.first_contact.unwrap();
                assert!((first.time - time).abs() < 1e-3, "{what}");
                assert!(first.free_until <= time + 1e-9, "{what}");
                assert!(first.free_until > time - 1e-2, "{what}");
                assert_eq!(first.feature.is_some(), feature, "{what}");
            }
        }
    }
}

#[test]
fn nothing_is_said_where_features_suit_everything() {
    let mut fixture = Fixture::new();
    fixture.carried(Some(0), &[(cube(0.2), 0.0)], None);
    fixture.body(false, &[(moved(cube(0.2), Vector3::x()), 0.0)], None);
    assert_eq!(fallback(&fixture.scene(0.0)), None);
    let said = fallback(&fixture.scene(0.1)).unwrap();
    assert!(said.contains("1 with a threshold above 0"), "{said}");
}

/// A time that one of the two left open comes before the contact that the other one found: the
/// motion is proved free only until then.
#[test]
fn no_more_is_free_than_both_have_proved() {
    let (result, _) = answer([1.0, 0.0, 0.0], [5.0, 5.0, 0.0], 0.05);
    let (_, trajectory) = slide(Vector3::x(), Vector3::x());
    let first = result.first_contact.clone().unwrap();
    let open = CheckResult {
        verdict: Verdict::Undecided,
        first_contact: Some(Contact {
            time: 0.45,
            free_until: 0.4,
            ..first.clone()
        }),
        ..result.clone()
    };
    let late = CheckResult {
        verdict: Verdict::Unverified,
        first_contact: None,
        given_up: true,
        ..result.clone()
    };
    for (other, free) in [(open, 0.4), (late, 0.0)] {
        for [one, other] in [[result.clone(), other.clone()], [other, result.clone()]] {
            let both = together(one, other, &trajectory);
            let told = both.first_contact.unwrap();
            assert_eq!(both.verdict, Verdict::Collision);
            assert_eq!((told.time, told.free_until), (first.time, free));
        }
    }
}
