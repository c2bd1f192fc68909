//! Depths against plain twins, and against moving the bodies apart.

use nalgebra::{Point3, Vector3};

use super::convex::Convex;
use super::*;
use crate::check::fixture::{Fixture, JOINTS, anywhere, at, cube, moved, shape};
use crate::geometry::random::Random;
use crate::geometry::triangle::Closest;
use crate::model::{Interpolation, MotionInstant, Segment, Trajectory};

/// A body that stands and one that is carried, of one or two shapes each.
fn two_bodies(r: &mut Random) -> Fixture {
    let mut fixture = Fixture::new();
    for carried in [false, true] {
        let shapes: Vec<_> = (0..1 + r.below(2))
            .map(|_| {
                let (mesh, radius) = shape(r, 1.0, false);
                (moved(mesh, r.vector() * 0.5), radius)
            })
            .collect();
        fixture.body(carried, &shapes, None);
    }
    fixture
}

/// The greatest depth over a fine grid on all triangles of both, all triangles looked at.
fn twin(scene: &Scene, snapshot: &mut Snapshot) -> f64 {
    const GRID: usize = 7;
    let mut deepest = 0.0_f64;
    for part_pair in &scene.part_pairs {
        for (inner, outer) in [(part_pair.a, part_pair.b), (part_pair.b, part_pair.a)] {
            let [from, to] = [inner, outer].map(|part| snapshot.part(scene, part).pose);
            let pose = to.inverse_compose(&from);
            let (inner, outer) = (&*scene.parts[inner].tree, &*scene.parts[outer].tree);
            let radii = inner.radius + outer.radius;
            for triangle in 0..inner.triangles.len() {
                let [a, b, c] = inner.corners(triangle).map(|p| p - inner.origin);
                for i in 0..=GRID {
                    for j in 0..=GRID - i {
                        let [u, v] = [i, j].map(|k| k as f64 / GRID as f64);
                        let p = a + (b - a) * u + (c - a) * v;
                        let point: Point3<f64> = outer.origin + pose.apply(&p);
                        let near = (0..outer.triangles.len())
                            .map(|t| Closest::of_point(&point, &outer.corners(t)).distance)
                            .fold(f64::INFINITY, f64::min);
                        let inside = outer.contains(&point, None);
                        deepest = deepest.max(radii + if inside { near } else { -near });
                    }
                }
            }
        }
    }
    deepest
}

/// No way shorter than the depth takes the two apart; and nearly the deepest point of a fine grid
/// is found. Catches a depth that is too great (radii counted twice, a place in the wrong frame, a
/// distance that was not looked at to its end), one direction left out, and a bound that leaves out
/// what is deeper.
#[test]
fn no_shorter_way_leads_out_and_nothing_deeper_is_missed() {
    let mut r = Random(140);
    let (mut deep, mut none, mut more, mut convex, mut less) = (0, 0, 0, 0, 0.0_f64);
    for case in 0..80 {
        let fixture = two_bodies(&mut r);
        let scene = fixture.scene(0.0);
        if scene.pairs.is_empty() {
            continue;
        }
        let q = anywhere(&mut r, false).map(|q| 0.25 * q);
        let mut snapshot = at(&scene, q);
        let expected = twin(&scene, &mut snapshot);
        let found = deepest(&scene, 0, &mut snapshot, 0.0, &mut 0);
        let Some(found) = found else {
            none += 1;
            assert!(expected < 2.0 * TOUCH_M, "case {case}: {expected}");
            continue;
        };
        deep += 1;
        less = less.max(1.0 - found.depth / expected);
        let parted = match case % 8 {
            0..4 => penetration_depth(&scene, 0, &mut snapshot, [found.depth; 2], 10_000, &mut 0),
            _ => {
                let mut pieces = Convex::of(&scene, 0);
                let depth = pieces.penetration_depth(&scene, &mut snapshot, 0.0);
                convex += usize::from(depth.is_some_and(|d| d > 1.05 * found.depth));
                depth.unwrap_or(0.0).max(found.depth)
            }
        };
        more += usize::from(parted > 1.05 * found.depth);
        assert!((found.exit_direction.norm() - 1.0).abs() < 1e-9);
        for k in 0..12 {
            let way = match k {
                0 => found.exit_direction,
                1 => -found.exit_direction,
                _ => r.vector().normalize(),
            };
            // The first three joints slide along the world's axes; the body that they carry is the
            // second one.
            let mut q = q;
            for (q, step) in q.iter_mut().zip(way.iter()) {
                *q += 0.999 * parted * step;
            }
            let mut snapshot = at(&scene, q);
            let separated = scene
                .pair_distance(0, &mut snapshot, 1e-9, &mut 0)
                .is_none();
            let free = separated && !scene.is_contained(0, &mut snapshot);
            assert!(!free, "case {case}: {found:?} along {way}");
        }
    }
    assert!(
        deep > 20 && none > 10 && more > 1 && convex > 1,
        "{deep} {none} {more} {convex}"
    );
    assert!(less < 0.05, "{less}");
}

/// A bar goes 22 mm down through a plate: no point is deeper than half a wall, but it takes 22 mm
/// to get it out. Catches cubes of displacements that count as covered although they are not, and
/// such a bound that is not looked for.
#[test]
fn thin_walls_hold_what_went_through_them() {
    let slab = |size: [f64; 3], at: [f64; 3]| {
        let mesh = crate::geometry::mesh::Mesh::cuboid(&Vector3::from(size));
        (moved(mesh, Vector3::from(at)), 0.0)
    };
    let mut fixture = Fixture::new();
    let plate = slab([0.4, 0.4, 0.01], [0.0, 0.0, -0.005]);
    fixture.body(false, &[plate], None);
    fixture.body(true, &[slab([0.012, 0.012, 0.1], [0.0; 3])], None);
    let scene = fixture.scene(0.0);
    let mut q = [0.0; JOINTS];
    q[2] = 0.05 - 0.022;
    let mut snapshot = at(&scene, q);
    let deep = deepest(&scene, 0, &mut snapshot, 0.0, &mut 0).unwrap();
    assert!((0.0049..=0.006).contains(&deep.depth), "{deep:?}");
    let mut points = 0;
    let depth = penetration_depth(
        &scene,
        0,
        &mut snapshot,
        [deep.depth, deep.depth],
        10_000,
        &mut points,
    );
    // Up by 22 mm, or sideways by the width of the plate.
    assert!((0.007..=0.022).contains(&depth), "{depth} {points}");
}

/// A box of 0.4 m that stands and a cube of 0.1 m that a slide takes through it.
fn through(from: f64, to: f64, solid: Option<bool>) -> (Fixture, Trajectory) {
    let mut fixture = Fixture::new();
    fixture.body(false, &[(cube(0.4), 0.0)], solid);
    fixture.body(true, &[(cube(0.1), 0.0)], solid);
    let mut joints = vec![[0.0; 6]; 2 * JOINTS];
    joints[0] = [from, to - from, 0.0, 0.0, 0.0, 0.0];
    let trajectory = Trajectory {
        segments: vec![Segment {
            start: 2.0,
            end: 4.0,
            joints: joints.into(),
            errors: None,
        }],
        interpolation: Interpolation::Linear,
        timed: true,
    };
    (fixture, trajectory)
}

/// It goes in and comes out on the other side.
#[test]
fn a_contact_is_followed_until_the_two_are_free() {
    let (fixture, trajectory) = through(-0.5, 0.5, None);
    let scene = fixture.scene(0.0);
    // In at −0.25 m, out at 0.25 m.
    let seen = track_depth(&scene, &trajectory, 0, MotionInstant::new(0, 0.25), None);
    let depth = seen.depth.unwrap();
    // A corner in the middle lies 0.15 m deep; to be parted the two must move by 0.25 m.
    assert!((0.148..=0.25).contains(&depth), "{seen:?}");
    assert!((2.75..=3.25).contains(&seen.time), "{seen:?}");
    let free = seen.free.unwrap();
    assert!((3.5..3.55).contains(&free), "{seen:?}");
    // Nothing after the end of the interval counts.
    let short = track_depth(
        &scene,
        &trajectory,
        0,
        MotionInstant::new(0, 0.25),
        Some(2.6),
    );
    let depth = short.depth.unwrap();
    assert!((0.0495..=0.05).contains(&depth), "{short:?}");
    assert_eq!(short.free, None);
}

/// The deepest instant lies between two looks: halfway of a swing that only dips into the box.
#[test]
fn the_deepest_instant_is_found() {
    let (fixture, mut trajectory) = through(0.0, 0.0, None);
    let scene = fixture.scene(0.0);
    // z(s) = 0.21 + 4 · 0.3 · (s − 0.437)²: the lower side is at 0.16 m at the least, 0.04 m deep.
    let m = 0.437;
    let dips = [0.21 + 1.2 * m * m, -2.4 * m, 1.2, 0.0, 0.0, 0.0];
    trajectory.segments[0]
        .joints
        .change(|joints| joints[2] = dips);
    let seen = track_depth(
        &scene,
        &trajectory,
        0,
        MotionInstant::new(0, m - (0.04_f64 / 1.2).sqrt()),
        None,
    );
    let depth = seen.depth.unwrap();
    assert!((0.0397..=0.04).contains(&depth), "{seen:?}");
    assert!((seen.at.fraction - m).abs() < 0.02, "{seen:?}");
}

/// Without an inside nothing is known, and that is not 0; a touch within a threshold is.
#[test]
fn sheets_have_no_depth() {
    let (fixture, trajectory) = through(-0.5, 0.5, Some(false));
    let scene = fixture.scene(0.0);
    assert_eq!(
        track_depth(&scene, &trajectory, 0, MotionInstant::new(0, 0.25), None).depth,
        None
    );
    let (fixture, mut trajectory) = through(-0.5, 0.5, None);
    trajectory.segments[0]
        .joints
        .change(|joints| joints[1][0] = 0.251);
    let scene = fixture.scene(0.002);
    let seen = track_depth(&scene, &trajectory, 0, MotionInstant::new(0, 0.5), None);
    assert_eq!(seen.depth, Some(0.0));
}

/// Bodies that cross without a corner inside: two bars like a plus sign. And a direction is given,
/// however bodies cross.
#[test]
fn crossing_bars_are_deep_and_have_a_way_out() {
    let bar = |size: [f64; 3]| crate::geometry::mesh::Mesh::cuboid(&Vector3::from(size));
    let mut fixture = Fixture::new();
    fixture.body(false, &[(bar([1.0, 0.1, 0.1]), 0.0)], None);
    fixture.body(true, &[(bar([0.06, 1.0, 0.06]), 0.0)], None);
    let scene = fixture.scene(0.0);
    let mut q = [0.0; JOINTS];
    q[2] = 0.03;
    let mut snapshot = at(&scene, q);
    let found = deepest(&scene, 0, &mut snapshot, 0.0, &mut 0).unwrap();
    // The lower face of the second one runs through the middle of the first one.
    assert!((0.049..=0.05).contains(&found.depth), "{found:?}");
    let nearest = scene.pair_distance(0, &mut snapshot, 1.0, &mut 0).unwrap();
    assert_eq!(nearest.distance, 0.0);
    let out = separating_direction(&scene, 0, &mut snapshot, &nearest);
    assert!(
        (out.norm() - 1.0).abs() < 1e-9 && out.x.abs() < 1e-6,
        "{out}"
    );
    // Sheets that cross: across the second one.
    let mut fixture = Fixture::new();
    fixture.body(false, &[(bar([1.0, 1.0, 0.0]), 0.0)], Some(false));
    fixture.body(true, &[(bar([1.0, 0.0, 1.0]), 0.0)], Some(false));
    let scene = fixture.scene(0.0);
    let mut snapshot = at(&scene, [0.0; JOINTS]);
    let nearest = scene.pair_distance(0, &mut snapshot, 1.0, &mut 0).unwrap();
    let out = separating_direction(&scene, 0, &mut snapshot, &nearest);
    assert!((out.norm() - 1.0).abs() < 1e-9, "{out}");
}

/// A body is carried down by `deepest` metres into standing bodies with their upper sides at z = 0,
/// and up again; it is deepest at 0.4 of the way. Returns the depth that is found, and where.
fn dipped(standing: &[Vector3<f64>], carried: [f64; 3], deepest: f64) -> (f64, f64) {
    let slab = |size: &Vector3<f64>, center: f64| {
        let mesh = crate::geometry::mesh::Mesh::cuboid(size);
        (moved(mesh, Vector3::new(0.0, 0.0, center)), 0.0)
    };
    let mut fixture = Fixture::new();
    let standing: Vec<_> = standing.iter().map(|s| slab(s, -0.5 * s.z)).collect();
    fixture.body(false, &standing, None);
    let carried = Vector3::from(carried);
    fixture.body(true, &[slab(&carried, 0.5 * carried.z)], None);
    let (_, mut trajectory) = through(0.0, 0.0, None);
    // z(s) = 0.5 · (s − 0.4)² − deepest
    let dips = [0.08 - deepest, -0.4, 0.5, 0.0, 0.0, 0.0];
    trajectory.segments[0]
        .joints
        .change(|joints| joints[2] = dips);
    let scene = fixture.scene(0.0);
    let seen = track_depth(
        &scene,
        &trajectory,
        0,
        MotionInstant::new(0, 0.4 - (2.0 * deepest).sqrt()),
        None,
    );
    assert!(seen.free.is_some(), "{seen:?}");
    (seen.depth.unwrap(), seen.at.fraction)
}

/// A box taught 27 mm too low is 27 mm deep in a block, at its lowest.
#[test]
fn a_box_in_a_block_is_as_deep_as_it_was_pushed() {
    let (depth, at) = dipped(&[Vector3::new(1.0, 1.0, 0.5)], [0.1, 0.08, 0.1], 0.027);
    assert!((0.0265..=0.027).contains(&depth), "{depth} at {at}");
    assert!((at - 0.4).abs() < 0.03, "{depth} at {at}");
}

/// A finger that is thinner than it goes deep, through a plate and into a block below: no point of
/// it is deeper than 6 mm.
#[test]
fn a_thin_finger_is_as_deep_as_it_was_pushed() {
    let block = Vector3::new(1.0, 1.0, 0.5);
    let plate = Vector3::new(0.3, 0.3, 0.015);
    let finger = [0.012, 0.02, 0.1];
    for (standing, deepest) in [(vec![plate], 0.014), (vec![plate, block], 0.027)] {
        let (depth, at) = dipped(&standing, finger, deepest);
        let nearly = 0.98 * deepest..=deepest;
        assert!(nearly.contains(&depth), "{depth} at {at}");
        assert!((at - 0.4).abs() < 0.05, "{depth} at {at}");
    }
}

/// A box with a hollow is not solid where the hollow is: a small box in it overlaps nothing.
#[test]
fn hollows_are_no_convex_pieces() {
    let mut hollow = cube(0.4);
    let inner = cube(0.3);
    let first = hollow.vertices.len() as u32;
    hollow.vertices.extend(inner.vertices);
    let turned = inner
        .triangles
        .iter()
        .map(|&[a, b, c]| [a, c, b].map(|v| v + first));
    hollow.triangles.extend(turned);
    let mut fixture = Fixture::new();
    fixture.body(false, &[(hollow, 0.0)], None);
    fixture.body(true, &[(cube(0.1), 0.0)], None);
    let scene = fixture.scene(0.0);
    let mut snapshot = at(&scene, [0.0; JOINTS]);
    let parted = Convex::of(&scene, 0).penetration_depth(&scene, &mut snapshot, 0.0);
    assert_eq!(parted, None);
}
