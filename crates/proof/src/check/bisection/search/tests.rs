//! Intervals of contact beside what instants show, over random motions.

use nalgebra::Vector3;

use super::IntervalSearch;
use crate::check::Snapshot;
use crate::check::bisection::record::Goal;
use crate::check::bisection::run::run;
use crate::check::fixture::{Fixture, JOINTS, cube, moved, surfaces_apart};
use crate::check::unresolved::UnresolvedInterval;
use crate::geometry::random::Random;
use crate::model::{Interpolation, Path, Segment};

const RESOLUTION: f64 = 1e-3;

/// Segments in which joints move to and fro, and some in which nothing moves.
fn motion(r: &mut Random) -> Path {
    let mut q: Vec<f64> = (0..2 * JOINTS).map(|_| r.signed()).collect();
    let count = 3 + r.below(4);
    let segments = (0..count).map(|k| {
        let still = r.one_in(3);
        let joints = q.iter_mut().map(|q| {
            let mut c = [*q, 0.0, 0.0, 0.0, 0.0, 0.0];
            if !still {
                let bump = 0.5 * r.signed();
                (c[1], c[2]) = (0.5 * r.signed() + bump, -bump);
                *q = c[0] + c[1] + c[2];
            }
            c
        });
        Segment {
            start: k as f64,
            end: (k + 1) as f64,
            joints: joints.collect(),
            taken_over: vec![0.0; 2 * JOINTS],
            tool_tubes: Vec::new(),
        }
    });
    Path {
        segments: segments.collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

/// Catches an interval in which contact is said to last and does not, one that is lost, and a still segment that is taken for
/// the one before where it must not be.
#[test]
fn contacts_last_as_long_as_instants_show() {
    let mut r = Random(31);
    let (mut touching, mut free, mut crossing) = (0, 0, 0);
    for case in 0..120 {
        let mut fixture = Fixture::new();
        for moves in [true, true, false, false] {
            let edge = 0.1 + 0.4 * r.unit();
            let radius = if r.one_in(4) { 0.05 } else { 0.0 };
            let shape = (moved(cube(edge), r.vector() * 0.4), radius);
            let chain = moves.then(|| r.below(2));
            fixture.carried(chain, &[shape], None);
        }
        let clearance = [0.0, 0.02, 0.3][r.below(3)];
        let scene = fixture.scene(clearance);
        let path = motion(&mut r);
        let mut search = IntervalSearch::new(&scene, &path, Goal::All, RESOLUTION);
        run(&mut search, &scene, &path, &|_| true, &|_| ());
        let open = UnresolvedInterval::joined(search.unresolved);
        for segment in &path.segments {
            for k in 0..=20 {
                let s = f64::from(k) / 20.0;
                let time = segment.time(s);
                let mut snapshot = Snapshot::default();
                snapshot.set(&scene, segment, s);
                for pair in 0..scene.pairs.len() {
                    let apart = surfaces_apart(&scene, pair, &mut snapshot);
                    let mut own = open.iter().filter(|o| o.pair == pair);
                    let listed = own.find(|o| o.start <= time && time <= o.end);
                    assert!(
                        listed.is_some() || apart > clearance,
                        "case {case}: pair {pair} is {apart} apart at {time}, not listed"
                    );
                    if let Some(listed) = listed.filter(|o| o.touches) {
                        assert!(
                            apart <= clearance + 2.0 * RESOLUTION,
                            "case {case}: pair {pair} is {apart} apart at {time}, {listed:?}"
                        );
                    }
                    touching += usize::from(listed.is_some());
                    crossing += usize::from(clearance == 0.0 && listed.is_some());
                    free += usize::from(listed.is_none());
                }
            }
        }
    }
    assert!(
        touching > 2000 && free > 2000 && crossing > 300,
        "{touching} {free} {crossing}"
    );
}

/// Ten times the time in contact at the same speed costs ten times the work, whatever the resolution: what lasts is not searched.
#[test]
fn lasting_contact_costs_no_more_at_a_finer_resolution() {
    let mut fixture = Fixture::new();
    fixture.body(true, &[(cube(1.0), 0.0)], None);
    let wall = moved(cube(1.0), Vector3::new(0.9, 0.1, 0.2));
    fixture.body(false, &[(wall, 0.0)], None);
    let tests = |clearance: f64, resolution: f64| {
        let scene = fixture.scene(clearance);
        let mut path = motion(&mut Random(3));
        path.segments.truncate(1);
        path.segments[0].joints = vec![[0.0; 6]; 2 * JOINTS];
        path.segments[0].joints[1][1] = 0.3;
        let mut search = IntervalSearch::new(&scene, &path, Goal::All, resolution);
        run(&mut search, &scene, &path, &|_| true, &|_| ());
        assert_eq!(search.unresolved.len(), 1);
        assert_eq!(
            (search.unresolved[0].start, search.unresolved[0].end),
            (path.segments[0].start, path.segments[0].end)
        );
        search.statistics.distance_tests + search.statistics.triangle_tests
    };
    for clearance in [0.0, 0.05] {
        let (coarse, fine) = (tests(clearance, 1e-3), tests(clearance, 1e-6));
        assert!(fine <= 2 * coarse, "{clearance}: {coarse}, {fine}");
    }
}
