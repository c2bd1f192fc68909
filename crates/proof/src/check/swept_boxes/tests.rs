use super::*;
use crate::check::fixture::{Fixture, JOINTS, cube, moved};
use crate::geometry::random::Random;

/// Two bodies of some cubes each, that move apart from each other.
fn bodies(r: &mut Random) -> Fixture {
    let mut fixture = Fixture::new();
    fixture.cell.rest = vec![0.0; 2 * JOINTS];
    for chain in 0..2 {
        let shapes: Vec<_> = (0..3)
            .map(|_| {
                (
                    moved(cube(0.1 + 0.1 * r.unit()), r.vector()),
                    0.01 * r.unit(),
                )
            })
            .collect();
        fixture.carried(Some(chain), &shapes, None);
    }
    fixture
}

fn trajectory(r: &mut Random, fixture: &Fixture, waypoints: usize) -> Trajectory {
    let mut waypoint = |k: usize| {
        let q = (0..2 * JOINTS).map(|_| r.signed()).collect();
        (k as f64, q)
    };
    let waypoints: Vec<(f64, Vec<f64>)> = (0..waypoints).map(&mut waypoint).collect();
    Trajectory::linear(&fixture.cell, &waypoints).unwrap()
}

/// The box around several at once is that of one after the other, to the last bit. Catches a corner
/// or a rounding radius that is left out.
#[test]
fn boxes_together_are_boxes_one_by_one() {
    let mut r = Random(5);
    for _ in 0..20 {
        let fixture = bodies(&mut r);
        let scene = fixture.scene(0.0);
        let trajectory = trajectory(&mut r, &fixture, 2);
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &trajectory.segments[0], r.unit());
        for (index, part) in scene.parts.iter().enumerate() {
            let pose = snapshot.part(&scene, index).pose;
            let pieces = cover(part);
            let turn_abs = pose.rotation.abs();
            let placed = pieces.iter().map(|p| p.placed(&pose, &turn_abs, 0.0));
            let joined = placed.fold(Aabb::EMPTY, |all, piece| all.join(&piece));
            assert_eq!(around(&pieces, &pose), joined);
        }
    }
}

/// Covers that have served other trajectories give the boxes of new ones. Catches what stays of an
/// earlier trajectory: places of parts, and boxes.
#[test]
fn nothing_of_one_trajectory_gets_into_the_boxes_of_the_next() {
    let mut r = Random(6);
    let fixture = bodies(&mut r);
    let scene = fixture.scene(0.0);
    let covers = PartCovers::new(&scene);
    for round in 0..30 {
        let trajectory = trajectory(&mut r, &fixture, 2 + round % 5);
        let fresh = PartCovers::new(&scene).swept_boxes(&trajectory);
        assert_eq!(covers.swept_boxes(&trajectory), fresh, "round {round}");
        assert_eq!(fresh.len(), 2);
    }
    assert_eq!(covers.spare().len(), 1);
}

/// What stands is held with all that is inside of it. Catches boxes around the surface alone, and
/// one that is put in another frame.
#[test]
fn boxes_hold_what_is_inside_of_a_solid() {
    let mut r = Random(7);
    let mut inside = 0;
    for case in 0..30 {
        let mut fixture = Fixture::new();
        let mesh = moved(cube(0.3 + r.unit()), r.vector());
        fixture.body(false, &[(mesh, 0.0)], None);
        let scene = fixture.scene(0.0);
        let (boxes, part) = (scene.occupied_boxes(0), &scene.parts[0]);
        let (pose, tree) = (&part.joint_from_part, &part.tree);
        for _ in 0..200 {
            let position = r.vector() * 0.8;
            if tree.contains(&(tree.origin + position), None) {
                inside += 1;
                let there = Point3::from(pose.apply(&position));
                let holds = |b: &Aabb| (0..3).all(|k| b.min[k] <= there[k] && there[k] <= b.max[k]);
                assert!(boxes.iter().any(holds), "case {case}: {there}");
            }
        }
    }
    assert!(inside > 500, "{inside}");
}
