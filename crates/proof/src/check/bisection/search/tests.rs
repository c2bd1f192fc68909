//! Intervals of contact beside what instants show, over random motions; what rounding, standing
//! still and thresholds that fall must not hide.

use nalgebra::Vector3;

use super::IntervalSearch;
use super::pair::split_all;
use crate::check::Snapshot;
use crate::check::bisection::CheckOptions;
use crate::check::bisection::goal::Goal;
use crate::check::bisection::run::run;
use crate::check::bisection::sweep::Sweeps;
use crate::check::bisection::view::View;
use crate::check::fixture::{Fixture, JOINTS, cube, moved, surface_distance};
use crate::check::unresolved::UnresolvedInterval;
use crate::geometry::made::together;
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;
use crate::model::{Interpolation, Polynomial, Segment, SegmentErrors, Trajectory};

const RESOLUTION: f64 = 1e-3;

/// A trajectory of these joint polynomials, a second for each.
fn trajectory_of(segments: impl Iterator<Item = Vec<Polynomial>>) -> Trajectory {
    let segments = segments.enumerate().map(|(k, joints)| Segment {
        start: k as f64,
        end: (k + 1) as f64,
        joints: joints.into(),
        errors: SegmentErrors::new(vec![0.0; 2 * JOINTS], Vec::new()),
    });
    Trajectory {
        segments: segments.collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

/// Segments in which joints move to and fro, and some in which nothing moves.
fn motion(r: &mut Random) -> Trajectory {
    let mut q: Vec<f64> = (0..2 * JOINTS).map(|_| r.signed()).collect();
    let count = 3 + r.below(4);
    trajectory_of((0..count).map(|_| {
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
        joints.collect()
    }))
}

/// Catches an interval in which contact is said to last and does not, one that is lost, one that is
/// left open where nothing is near, and a still segment that is taken for the one before where it
/// must not be.
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
        let trajectory = motion(&mut r);
        let mut search = IntervalSearch::new(&scene, &trajectory, Goal::All, RESOLUTION);
        run(&mut search, &scene, &trajectory, &|_| true, &|_| ());
        let open = UnresolvedInterval::joined(search.unresolved);
        for segment in &trajectory.segments {
            for k in 0..=20 {
                let s = f64::from(k) / 20.0;
                let time = segment.time(s);
                let mut snapshot = Snapshot::default();
                snapshot.set(&scene, segment, s);
                for pair in 0..scene.pairs.len() {
                    let distance = surface_distance(&scene, pair, &mut snapshot);
                    let mut own = open.iter().filter(|o| o.pair == pair);
                    let listed = own.find(|o| o.start <= time && time <= o.end);
                    assert!(
                        listed.is_some() || distance > clearance,
                        "case {case}: pair {pair} is {distance} apart at {time}, not listed"
                    );
                    if let Some(listed) = listed {
                        assert!(
                            distance <= clearance + 2.0 * RESOLUTION,
                            "case {case}: pair {pair} is {distance} apart at {time}, {listed:?}"
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

/// Ten times the time in contact at the same speed costs ten times the work, whatever the
/// resolution: what lasts is not searched.
#[test]
fn lasting_contact_costs_no_more_at_a_finer_resolution() {
    let mut fixture = Fixture::new();
    fixture.body(true, &[(cube(1.0), 0.0)], None);
    let wall = moved(cube(1.0), Vector3::new(0.9, 0.1, 0.2));
    fixture.body(false, &[(wall, 0.0)], None);
    let tests = |clearance: f64, resolution: f64| {
        let scene = fixture.scene(clearance);
        let mut trajectory = motion(&mut Random(3));
        trajectory.segments.truncate(1);
        let mut joints = vec![[0.0; 6]; 2 * JOINTS];
        joints[1][1] = 0.3;
        trajectory.segments[0].joints = joints.into();
        let mut search = IntervalSearch::new(&scene, &trajectory, Goal::All, resolution);
        run(&mut search, &scene, &trajectory, &|_| true, &|_| ());
        assert_eq!(search.unresolved.len(), 1);
        assert_eq!(
            (search.unresolved[0].start, search.unresolved[0].end),
            (trajectory.segments[0].start, trajectory.segments[0].end)
        );
        search.statistics.distance_tests + search.statistics.triangle_tests
    };
    for clearance in [0.0, 0.05] {
        let (coarse, fine) = (tests(clearance, 1e-3), tests(clearance, 1e-6));
        assert!(fine <= 2 * coarse, "{clearance}: {coarse}, {fine}");
    }
}

/// A trajectory of segments in which joints go from one value to the next at an even pace.
fn straight(waypoints: &[[f64; 2 * JOINTS]]) -> Trajectory {
    trajectory_of(waypoints.windows(2).map(|ends| {
        let joints = ends[0].iter().zip(&ends[1]);
        joints
            .map(|(from, to)| [*from, to - from, 0.0, 0.0, 0.0, 0.0])
            .collect()
    }))
}

/// Catches a margin for rounding that is left out where nodes and triangles are told apart.
#[test]
fn what_rounding_can_hide_is_not_clear() {
    let mut fixture = Fixture::new();
    fixture.body(true, &[(cube(0.2), 0.0)], None);
    fixture.body(false, &[(moved(cube(0.2), Vector3::x() * 0.6), 0.0)], None);
    let mut q = [0.0; 2 * JOINTS];
    q[0] = 0.25;
    let trajectory = straight(&[q, q]);
    let scene = fixture.scene(0.0);
    let mut snapshots = [0.0, 1.0].map(|s| {
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &trajectory.segments[0], s);
        snapshot
    });
    let gap = surface_distance(&scene, 0, &mut snapshots[0]);
    let mut sweeps = Sweeps::default();
    sweeps.clear(&scene);
    sweeps.joint_bounds.set(&trajectory.segments[0], 0.0, 1.0);
    let mut ends = snapshots.each_mut();
    let view = View::new(&scene, &scene.part_pairs[0], &mut sweeps, &mut ends);
    for (margins, clear) in [(0.5, false), (2.0, true)] {
        let clearance = gap - margins * view.margin;
        assert!(clearance < gap, "a margin of {}", view.margin);
        let scene = fixture.scene(clearance);
        let mut search = IntervalSearch::new(&scene, &trajectory, Goal::First, RESOLUTION);
        run(&mut search, &scene, &trajectory, &|_| true, &|_| ());
        assert_eq!(
            search.hit.is_none() && search.unresolved.is_empty(),
            clear,
            "{margins} margins of {} below {gap}",
            view.margin
        );
    }
}

/// Catches a pair that is left out because one of its two parts stands.
#[test]
fn a_part_that_stands_is_met_by_one_that_moves() {
    for moving in [0, 1] {
        let mut fixture = Fixture::new();
        for chain in [0, 1] {
            fixture.carried(Some(chain), &[(cube(0.2), 0.0)], None);
        }
        let mut q = [0.0; 2 * JOINTS];
        q[moving * JOINTS] = 1.0;
        let mut met = q;
        met[moving * JOINTS] = 0.0;
        let trajectory = straight(&[q, q, met]);
        let scene = fixture.scene(0.0);
        let mut search = IntervalSearch::new(&scene, &trajectory, Goal::First, RESOLUTION);
        run(&mut search, &scene, &trajectory, &|_| true, &|_| ());
        let hit = search.hit.expect("the second one runs into the first one");
        assert_eq!(hit.at.segment, 1, "chain {moving} moves");
        assert!((hit.at.fraction - 0.8).abs() < 2.0 * RESOLUTION, "{hit:?}");
    }
}

/// A layer of splinters: what comes nearest to another layer changes from one to the next.
fn layer(r: &mut Random) -> Mesh {
    let mut splinter = || {
        let position = r.vector().component_mul(&Vector3::new(0.5, 0.5, 0.1));
        moved(cube(0.02 + 0.05 * r.unit()), position)
    };
    let splinters: Vec<Mesh> = (0..40).map(|_| splinter()).collect();
    together(&splinters)
}

/// Only the first instant was looked at before, so that thresholds fall while nodes are tested; far
/// apart and moving little, so that many nodes are nearly as near as the nearest ones. Catches a
/// threshold that falls too far.
#[test]
fn nothing_is_lost_below_a_threshold_that_falls() {
    let mut r = Random(12);
    let mut fell = 0;
    for case in 0..200 {
        let mut fixture = Fixture::new();
        fixture.body(true, &[(layer(&mut r), 0.0)], None);
        let other = moved(layer(&mut r), Vector3::z() * 1.7);
        fixture.body(false, &[(other, 0.0)], None);
        let scene = fixture.scene(0.0);
        let reach = r.spread(0.04, 0.2);
        let [from, to] = [0, 1].map(|_| {
            let mut q = [0.0; 2 * JOINTS];
            q[..3].fill_with(|| reach * r.signed());
            q
        });
        let trajectory = straight(&[from, to]);
        let mut snapshot = Snapshot::default();
        let mut distance = |s: f64, below: f64| {
            snapshot.set(&scene, &trajectory.segments[0], s);
            let found = scene.pair_distance(0, &mut snapshot, below, &mut 0);
            found.map_or(below, |nearest| nearest.distance)
        };
        let first = distance(0.0, f64::INFINITY);
        let least = (1..=100).fold(first, |least, k| distance(f64::from(k) / 100.0, least));
        let options = CheckOptions {
            resolution: RESOLUTION,
            minimum: true,
            minimum_by_class: true,
            ..CheckOptions::default()
        };
        let mut search = IntervalSearch::for_minimum(&scene, &trajectory, &options);
        let known = search.least.as_mut().expect("a search for least distances");
        known.record_distance(0, first, 0.0);
        run(&mut search, &scene, &trajectory, &|_| true, &|_| ());
        assert!(search.unresolved.is_empty());
        let known = search.least.expect("a search for least distances");
        let proved = known.of_class(0);
        assert!(
            proved <= least && least - proved < 3.0 * RESOLUTION,
            "case {case}: {proved} proved, {least} seen"
        );
        fell += usize::from(least < first - RESOLUTION);
    }
    assert!(fell > 20, "{fell}");
}

/// Catches a pair of nodes that is lost, or looked at twice, where few pairs are split once more.
#[test]
fn pairs_that_are_split_leave_no_pair_of_leaves_out() {
    let mut r = Random(31);
    for case in 0..20 {
        let mut fixture = Fixture::new();
        fixture.body(true, &[(layer(&mut r), 0.0)], None);
        fixture.body(false, &[(moved(cube(0.3), r.vector()), 0.0)], None);
        let scene = fixture.scene(0.0);
        let nodes = [0, 1].map(|part| &scene.parts[part].tree.nodes[..]);
        let is_leaf = |pair: &[u32; 2]| (0..2).all(|k| nodes[k][pair[k] as usize].is_leaf());
        let (mut pairs, mut next) = (vec![[0, 0]], Vec::new());
        while !pairs.iter().all(is_leaf) {
            split_all(&pairs, nodes, &mut next);
            std::mem::swap(&mut pairs, &mut next);
        }
        let leaves = nodes.map(|nodes| nodes.iter().filter(|node| node.is_leaf()).count());
        let found = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(
            [found, pairs.len()],
            [leaves[0] * leaves[1]; 2],
            "case {case}"
        );
    }
}

/// Two cubes with their corners towards each other, so that the balls around them are as near as
/// they are. Catches a threshold that is left out of the look at the balls.
#[test]
fn balls_are_not_apart_within_the_threshold() {
    for around in [0.0, 0.05] {
        for (gap, touches) in [(0.015, false), (0.005, true)] {
            let mut fixture = Fixture::new();
            fixture.body(true, &[(cube(1.0), around)], None);
            let distance = 3f64.sqrt() + 2.0 * around + gap;
            let away = Vector3::repeat(1.0).normalize() * distance;
            fixture.body(false, &[(moved(cube(1.0), away), around)], None);
            let scene = fixture.scene(0.01);
            let mut moves = [0.0; 2 * JOINTS];
            moves[JOINTS - 1] = 1e-4;
            let trajectory = straight(&[[0.0; 2 * JOINTS], moves]);
            let mut search = IntervalSearch::new(&scene, &trajectory, Goal::First, RESOLUTION);
            run(&mut search, &scene, &trajectory, &|_| true, &|_| ());
            let found = search.hit.is_some() || !search.unresolved.is_empty();
            assert_eq!(found, touches, "{gap} apart, {around} around");
        }
    }
}
