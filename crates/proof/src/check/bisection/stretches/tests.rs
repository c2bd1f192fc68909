//! Stretches beside what instants show, whatever their length; threads beside one thread.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{SEGMENTS, Searched, Stretches};
use crate::check::Snapshot;
use crate::check::bisection::CheckOptions;
use crate::check::bisection::goal::Goal;
use crate::check::errors::ErrorBounds;
use crate::check::fixture::{Fixture, JOINTS, cube, moved, surface_distance};
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::check::{SpareThreads, TimeLimit};
use crate::geometry::random::Random;
use crate::model::{Interpolation, MotionInstant, Segment, Trajectory};
use crate::report::Verdict;

const RESOLUTION: f64 = 1e-3;

/// Segments in which joints move to and fro, by so much, and some in which nothing moves.
fn motion(r: &mut Random, count: usize, step: f64) -> Trajectory {
    let mut q: Vec<f64> = (0..2 * JOINTS).map(|_| r.signed()).collect();
    let segments = (0..count).map(|k| {
        let still = r.one_in(3);
        let joints = q.iter_mut().map(|q| {
            let by = if still { 0.0 } else { step * r.signed() };
            let c = [*q, by, 0.0, 0.0, 0.0, 0.0];
            *q += by;
            c
        });
        Segment {
            start: k as f64,
            end: (k + 1) as f64,
            joints: joints.collect(),
            errors: None,
        }
    });
    Trajectory {
        segments: segments.collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

fn bodies(r: &mut Random) -> Fixture {
    let mut fixture = Fixture::new();
    for moves in [true, true, false, false] {
        let edge = 0.1 + 0.3 * r.unit();
        let shape = (moved(cube(edge), r.vector() * 0.5), 0.0);
        let chain = moves.then(|| r.below(2));
        fixture.carried(chain, &[shape], None);
    }
    fixture
}

/// Distances of all pairs at some instants, and their times.
fn instants(scene: &Scene, trajectory: &Trajectory) -> Vec<(f64, usize, f64)> {
    let mut seen = Vec::new();
    let mut snapshot = Snapshot::default();
    for segment in &trajectory.segments {
        for k in 0..=5 {
            let s = f64::from(k) / 5.0;
            snapshot.set(scene, segment, s);
            for pair in 0..scene.pairs.len() {
                let distance = surface_distance(scene, pair, &mut snapshot);
                seen.push((segment.time(s), pair, distance));
            }
        }
    }
    seen
}

/// Catches a segment that no stretch has, a contact of a later stretch that hides an earlier one,
/// one that is lost where stretches meet, and what stayed open in a stretch and is forgotten.
#[test]
fn wherever_a_motion_is_cut_contacts_are_those_that_instants_show() {
    let mut r = Random(71);
    let (mut hits, mut late, mut listed, mut free) = (0, 0, 0, 0);
    for case in 0..60 {
        let fixture = bodies(&mut r);
        let clearance = [0.0, 0.02][r.below(2)];
        let mut scene = fixture.scene(clearance);
        scene.threads = SpareThreads::of(1 + r.below(3));
        let _own = scene.threads.work();
        let count = 2 + r.below(20);
        let trajectory = motion(&mut r, count, 0.4);
        let seen = instants(&scene, &trajectory);
        for longest in [1, 2, 3, 7, 64] {
            let question = |goal| Stretches {
                longest,
                ..Stretches::new(&scene, &trajectory, goal, RESOLUTION)
            };
            let first = question(Goal::First).search(&|_| ());
            // All is free up to here, and touches here.
            let hit = first.hit.map(|hit| trajectory.time_at(hit.at));
            let open = first.unresolved.iter().map(|o| o.start);
            let proved = open.chain(hit).fold(f64::INFINITY, f64::min);
            for &(time, pair, distance) in &seen {
                assert!(
                    distance > clearance || time >= proved,
                    "case {case}, {longest}: pair {pair} is {distance} apart at {time}, free up to {proved}"
                );
            }
            if let Some(hit) = first.hit {
                let mut snapshot = Snapshot::default();
                snapshot.set_at(&scene, &trajectory, hit.at);
                let distance = surface_distance(&scene, hit.pair, &mut snapshot);
                assert!(
                    distance <= clearance + 1e-9,
                    "case {case}, {longest}: {distance}"
                );
                hits += 1;
                late += usize::from(hit.at.segment >= longest);
            }
            let all = UnresolvedInterval::joined(question(Goal::All).search(&|_| ()).unresolved);
            for &(time, pair, distance) in &seen {
                let holds =
                    |o: &&UnresolvedInterval| o.pair == pair && o.start <= time && time <= o.end;
                if let Some(interval) = all.iter().find(holds) {
                    assert!(
                        distance <= clearance + 2.0 * RESOLUTION,
                        "case {case}, {longest}: {distance} apart at {time}, {interval:?}"
                    );
                    listed += 1;
                } else {
                    assert!(
                        distance > clearance,
                        "case {case}, {longest}: not listed at {time}"
                    );
                    free += 1;
                }
            }
            for pair in 0..scene.pairs.len() {
                let own: Vec<_> = all.iter().filter(|o| o.pair == pair).collect();
                let separate = own.windows(2).all(|two| two[0].end < two[1].start);
                assert!(separate, "case {case}, {longest}: {own:?} meet");
            }
        }
    }
    assert!(
        hits > 60 && late > 20 && listed > 1000 && free > 10000,
        "{hits} {late} {listed} {free}"
    );
}

/// Wherever a motion is cut, all before the place at which a search fell back is free for all
/// errors of joints within a budget, and all after it that is not told is free without. Catches a
/// place that is taken from another stretch than the first that has one, and one that is lost.
#[test]
fn wherever_a_motion_is_cut_it_falls_back_at_the_first_place() {
    let mut r = Random(72);
    let (mut later, mut again, mut never) = (0, 0, 0);
    for case in 0..60 {
        let mut fixture = bodies(&mut r);
        let mut budget = fixture.no_errors();
        budget.joint.fill(0.1 * r.unit());
        fixture.cell.uncertainty = Some(budget.clone());
        let clearance = [0.0, 0.02][r.below(2)];
        let scene = fixture.scene(clearance);
        let count = 2 + r.below(20);
        let trajectory = motion(&mut r, count, 0.4);
        let ideal = instants(&scene, &trajectory);
        let mut with_errors = trajectory.clone();
        for segment in &mut with_errors.segments {
            segment.joints.change(|joints| {
                for (joint, by) in joints.iter_mut().zip(&budget.joint) {
                    joint[0] += [1.0, -1.0, r.signed()][r.below(3)] * by;
                }
            });
        }
        let with_errors = instants(&scene, &with_errors);
        let question = |longest, from| Stretches {
            errors: Some(ErrorBounds::new(&scene, scene.cell.allowed_errors())),
            falls_back: true,
            longest,
            from,
            ..Stretches::new(&scene, &trajectory, Goal::First, RESOLUTION)
        };
        let time = |instant: MotionInstant| trajectory.time_at(instant);
        let first = question(64, MotionInstant::START).search(&|_| ()).fell_back;
        for longest in [1, 2, 3, 7] {
            let found = question(longest, MotionInstant::START).search(&|_| ());
            let instant = found.fell_back;
            let segment = |instant: Option<MotionInstant>| instant.map(|instant| instant.segment);
            assert_eq!(segment(instant), segment(first), "case {case}, {longest}");
            let hit = found.hit.map(|hit| time(hit.at));
            let open = found.unresolved.iter().map(|o| o.start);
            let free = open.chain(hit).fold(f64::INFINITY, f64::min);
            let proved = instant.map_or(free, time).min(free);
            for (seen, proved) in [(&with_errors, proved), (&ideal, free)] {
                for &(time, pair, distance) in seen {
                    assert!(
                        distance > clearance || time >= proved,
                        "case {case}, {longest}: pair {pair} is {distance} apart at {time}, free up to {proved}"
                    );
                }
            }
            match instant {
                None => never += 1,
                Some(MotionInstant { segment, .. }) => {
                    later += usize::from(segment >= longest);
                    // Another stretch behind falls back too.
                    let next = (segment / longest + 1) * longest;
                    again += usize::from(
                        next < count
                            && question(64, MotionInstant::new(next, 0.0))
                                .search(&|_| ())
                                .fell_back
                                .is_some(),
                    );
                }
            }
        }
    }
    assert!(
        later > 20 && again > 20 && never > 10,
        "{later} {again} {never}"
    );
}

/// Catches answers, or counts of work, that depend on how many threads there are.
#[test]
fn with_many_threads_all_is_as_with_one() {
    let mut r = Random(5);
    let mut verdicts = [0; 2];
    for case in 0..12 {
        let fixture = bodies(&mut r);
        let mut scene = fixture.scene(0.0);
        let trajectory = motion(&mut r, 4 * SEGMENTS + 3, 0.02);
        for asked in 0..3 {
            let options = CheckOptions {
                resolution: RESOLUTION,
                all: asked == 1,
                minimum: asked == 2,
                minimum_by_class: asked == 2,
                minimum_pairs: (case % 2 == 0).then_some(0.2),
            };
            scene.threads = SpareThreads::default();
            let alone = scene.check(&trajectory, &options, &|_| ());
            scene.threads = SpareThreads::of(4);
            let own = scene.threads.work();
            let helped = scene.check(&trajectory, &options, &|share| {
                assert!((0.0..=1.0).contains(&share), "{share}");
            });
            assert_eq!(alone, helped, "case {case}");
            drop(own);
            assert!(scene.threads.help().is_none(), "nobody is left at work");
            verdicts[usize::from(alone.verdict == Verdict::Collision)] += 1;
        }
    }
    assert!(verdicts.iter().all(|&n| n > 3), "{verdicts:?}");
}

/// Catches threads that nobody asked for help, and a stretch that is done twice or not at all.
#[test]
fn whoever_helps_does_a_part_of_the_work() {
    let mut fixture = Fixture::new();
    fixture.body(true, &[(cube(0.1), 0.0)], None);
    let wall = moved(cube(0.1), nalgebra::Vector3::repeat(50.0));
    fixture.body(false, &[(wall, 0.0)], None);
    let mut scene = fixture.scene(0.0);
    scene.hulls = false;
    let count = 40;
    let trajectory = motion(&mut Random(3), count, 0.1);
    scene.threads = SpareThreads::of(2);
    let _own = scene.threads.work();
    let looked = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let main = std::thread::current().id();
    let wanted = |_: usize| {
        let helps = usize::from(std::thread::current().id() != main);
        looked[helps].fetch_add(1, Ordering::Relaxed);
        // Until both have had a part.
        let alone = || looked.iter().any(|n| n.load(Ordering::Relaxed) == 0);
        let waits = (0..50_000_000).take_while(|_| alone());
        waits.for_each(|_| std::thread::yield_now());
        true
    };
    let stretches = Stretches {
        wanted: &wanted,
        longest: 2,
        ..Stretches::new(&scene, &trajectory, Goal::First, RESOLUTION)
    };
    let found = stretches.search(&|_| ());
    assert_eq!((found.hit, found.unresolved.len()), (None, 0));
    let looked = looked.iter().map(|n| n.load(Ordering::Relaxed));
    assert_eq!(
        looked.sum::<usize>(),
        count,
        "each segment is searched once"
    );
}

/// Catches time that runs out in one stretch and is not told by the answer of all.
#[test]
fn what_there_was_no_time_for_is_never_proved() {
    let mut r = Random(17);
    let (mut given_up, mut found, mut proved) = (0, 0, 0);
    for case in 0..40 {
        let fixture = bodies(&mut r);
        let mut scene = fixture.scene(0.0);
        let trajectory = motion(&mut r, 12, 0.4);
        let first = |scene: &Scene| {
            let stretches = Stretches {
                longest: 3,
                ..Stretches::new(scene, &trajectory, Goal::First, RESOLUTION)
            };
            stretches.search(&|_| ())
        };
        let all = first(&scene);
        let clear = |found: &Searched| found.hit.is_none() && found.unresolved.is_empty();
        for most in (0..60).chain([100, 300]) {
            scene.time_limit = TimeLimit::of_questions(most);
            let part = first(&scene);
            assert!(!clear(&part) || clear(&all), "case {case}, {most}");
            if !scene.time_limit.was_exceeded() {
                assert_eq!(part, all, "case {case}, {most}");
                proved += 1;
            } else if let (Some(hit), Some(first)) = (part.hit, all.hit) {
                assert!(hit.at >= first.at);
                found += 1;
            } else if clear(&part) {
                // It was asked for the last time when nothing was left to be tested.
                let tests = |found: &Searched| {
                    let work = found.statistics;
                    (work.distance_tests, work.triangle_tests)
                };
                assert_eq!(tests(&part), tests(&all), "case {case}, {most}");
            } else {
                given_up += 1;
            }
        }
    }
    assert!(
        given_up > 30 && proved > 30 && found > 0,
        "{given_up} {found} {proved}"
    );
}
