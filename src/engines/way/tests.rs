//! Small scenes that every way has to get right.

use nalgebra::Vector3;

use super::*;
use crate::engines::shapes::bench::{Bench, JOINTS, cube, moved};
use crate::findings::Verdict;
use crate::model::{Interpolation, Segment};

const OPTIONS: CheckOptions = CheckOptions {
    resolution: 1e-3,
    all: false,
    minimum: false,
};

/// Both chains slide along x, y and z, a second for each segment: where they start and how far they go.
fn slides(segments: &[[[f64; 2]; 6]]) -> Path {
    let segments = segments.iter().enumerate().map(|(k, laws)| Segment {
        start: k as f64,
        end: k as f64 + 1.0,
        joints: (0..2 * JOINTS)
            .map(|j| {
                let law = (j % JOINTS < 3).then(|| laws[j / JOINTS * 3 + j % JOINTS]);
                let [from, by] = law.unwrap_or_default();
                [from, by, 0.0, 0.0, 0.0, 0.0]
            })
            .collect(),
    });
    Path {
        segments: segments.collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

/// The answers of every way to a threshold, metres. Ranked covers go down to 5 mm.
fn answers(bench: &Bench, clearance: f64, path: &Path) -> Vec<(Way, CheckResult)> {
    let scene = bench.scene(clearance);
    let ways = Way::all(Step::Travel(0.01)).into_iter().map(|way| Way {
        leaf_radius: (way.shape == ShapeKind::Ranked).then_some(0.005),
        ..way
    });
    let refuses = |way: &Way| way.method == Method::Intersection && clearance > 0.0;
    ways.filter(|way| !refuses(way))
        .map(|way| {
            let result = way.check(&scene, path, &Stock::default(), &OPTIONS, &|_| ());
            (way, result.unwrap())
        })
        .collect()
}

/// Two cubes of 0.2 m, each on a slide of its own.
fn two_cubes() -> Bench {
    let mut bench = Bench::new();
    for chain in 0..2 {
        bench.carried(Some(chain), &[(cube(0.2), 0.0)], None);
    }
    bench
}

/// Each of them crosses the way of the other one: both are far apart at both ends, and it takes the travel of both to see
/// that they can meet.
#[test]
fn bodies_that_cross() {
    let crossing = |z: f64| {
        slides(&[[
            [-1.0, 2.0],
            [0.0, 0.0],
            [0.0, 0.0],
            [0.0, 0.0],
            [-1.0, 2.0],
            [z, 0.0],
        ]])
    };
    let bench = two_cubes();
    for (way, result) in answers(&bench, 0.0, &crossing(0.1)) {
        assert_eq!(result.verdict, Verdict::Collision, "{way}");
        let first = result.first_contact.unwrap();
        // Both are 0.2 m from the middle of the crossing.
        assert!(first.free_until <= 0.4, "{way}: {first:?}");
        let early = 0.4 - result.coarseness - 1e-9;
        assert!(first.time > early && first.time < 0.42, "{way}: {first:?}");
    }
    for (z, verdict) in [(0.22, Verdict::Collision), (0.3, Verdict::Clear)] {
        for (way, result) in answers(&bench, 0.05, &crossing(z)) {
            let expected = match (way.method, verdict) {
                (Method::Sampling(_), Verdict::Clear) => Verdict::Unverified,
                _ => verdict,
            };
            assert_eq!(result.verdict, expected, "{way} {z}");
        }
    }
}

/// Samplers look at waypoints, the first and the last one and both sides of a jump, however long their steps are.
#[test]
fn contacts_at_waypoints_are_seen() {
    let mut bench = Bench::new();
    bench.body(false, &[(moved(cube(0.2), Vector3::x()), 0.0)], None);
    bench.carried(Some(0), &[(cube(0.2), 0.0)], None);
    let scene = bench.scene(0.0);
    let law = |from: f64, by: f64| [[from, by], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]];
    for (laws, time) in [
        (vec![law(0.0, 0.81)], 1.0),
        (vec![law(0.81, -0.81)], 0.0),
        (vec![law(0.0, 0.1), law(0.1, 0.71)], 2.0),
        (vec![law(0.0, 0.81), law(0.81, -0.81)], 1.0),
        (vec![law(0.0, 0.1), law(0.81, -0.81)], 1.0),
        (vec![law(0.0, 0.81), law(0.0, 0.1)], 1.0),
    ] {
        let path = slides(&laws);
        for shape in ShapeKind::ALL.into_iter().filter(|s| s.is_exact()) {
            let way = Way::new(Method::Sampling(Step::Time(0.4)), shape).unwrap();
            let result = way
                .check(&scene, &path, &Stock::default(), &OPTIONS, &|_| ())
                .unwrap();
            assert_eq!(result.verdict, Verdict::Collision, "{way} {laws:?}");
            assert_eq!(result.first_contact.unwrap().time, time, "{way} {laws:?}");
            assert!(result.sampled.unwrap().instants <= 8, "{way} {laws:?}");
        }
    }
}
