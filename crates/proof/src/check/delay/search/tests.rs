//! How far bodies can move in a box of times, against an oracle that puts them there by forward
//! kinematics of its own.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use super::*;
use crate::check::delay::{DelayOptions, Delays};
use crate::check::fixture::{Fixture, JOINTS, cube, moved};
use crate::geometry::random::Random;
use crate::model::{Cell, Interpolation, JointKind, Trajectory};
use crate::report::Verdict;

/// Two chains of six joints, one after the other with steps and turns in between, a body on each.
fn chains(r: &mut Random) -> Fixture {
    let mut fixture = Fixture::new();
    for joint in &mut fixture.cell.joints {
        joint.parent_from_joint = Isometry3::new(r.vector() * 0.5, r.vector() * 3.0);
    }
    fixture.cell.rest = vec![0.0; 2 * JOINTS];
    for chain in 0..2 {
        let mesh = moved(cube(0.2), r.vector() * 0.3);
        fixture.carried(Some(chain), &[(mesh, 0.0)], None);
    }
    fixture
}

/// A motion of all joints in three segments of a second each, of which values are known within a
/// share of `tube`.
fn trajectory(r: &mut Random, strength: f64, tube: f64) -> Trajectory {
    let segment = |k: usize, r: &mut Random| Segment {
        start: k as f64,
        end: k as f64 + 1.0,
        joints: (0..2 * JOINTS)
            .map(|_| [(); 6].map(|()| strength * r.signed()))
            .collect(),
        errors: SegmentErrors::new(
            (0..2 * JOINTS).map(|_| tube * r.unit()).collect(),
            Vec::new(),
        ),
    };
    Trajectory {
        segments: (0..3).map(|k| segment(k, r)).collect(),
        interpolation: Interpolation::Quintic,
        timed: true,
    }
}

/// World pose of a body, joint by joint.
fn placed(cell: &Cell, body: BodyId, q: &[f64]) -> Isometry3<f64> {
    let mut pose = cell.bodies[body].joint_from_body;
    let mut at = cell.bodies[body].joint;
    while let Some(joint) = at {
        let what = &cell.joints[joint];
        let step = match what.kind {
            JointKind::Prismatic => Isometry3::from_parts(
                Translation3::from(what.axis.into_inner() * q[joint]),
                UnitQuaternion::identity(),
            ),
            _ => Isometry3::from_parts(
                Translation3::identity(),
                UnitQuaternion::from_axis_angle(&what.axis, q[joint]),
            ),
        };
        pose = what.parent_from_joint * step * pose;
        at = what.parent;
    }
    pose
}

/// Nothing in the box is farther from where it is at the point than the travel says. Catches a
/// joint that is left out, one whose step does not count for those before it, an axis distance
/// without the radius of the body, the wrong program's times, and values that are only known within
/// a tube: how far a box of the point alone lets them be is what the tubes do.
#[test]
fn travels_bound_what_several_joints_do_together() {
    let mut r = Random(77);
    let mut most = 0.0_f64;
    for case in 0..300 {
        let fixture = chains(&mut r);
        let scene = fixture.scene(0.0);
        let strength = [0.05, 0.5, 2.0][case % 3];
        let tube = [0.0, 0.3, 0.01][case / 3 % 3] * strength;
        let trajectories = [(); 2].map(|()| trajectory(&mut r, strength, tube));
        // Joints of one chain may be moved by two programs.
        let whose: Vec<bool> = (0..2 * JOINTS)
            .map(|j| match case % 2 {
                0 => j < JOINTS,
                _ => r.below(2) == 0,
            })
            .collect();
        let joints = |first: bool| (0..2 * JOINTS).filter(|&j| whose[j] == first).collect();
        let tracks = [(0, true, 0.0), (1, false, 0.3)].map(|(k, first, shift)| Track {
            trajectory: &trajectories[k],
            joints: joints(first),
            shift,
        });
        let options = DelayOptions {
            delay_s: 9.0,
            resolution: 1e-4,
            all: false,
            span: (0.0, 3.3),
            until: f64::INFINITY,
            minimum: false,
            most_boxes: 1,
        };
        let delays = Delays::new(scene.cell, &tracks, options);
        let spans = [(0.0, 3.3); 2];
        let stage = DelayStage {
            scene: &scene,
            pairs: &[0],
            which: &[0, 1],
            spans: &spans,
        };
        let mut search = DelaySearch::new(&delays.question, &stage, vec![f64::INFINITY]);
        let low = [(); 2].map(|()| 2.9 * r.unit());
        let size = [0.02, 0.2, 1.0][r.below(3)];
        let whole = TimeBox {
            low: low.to_vec(),
            high: low.map(|low| low + size * r.unit()).to_vec(),
        };
        let point = search.point(&whole);
        search.set_point(&whole, &point);
        let pair = scene.part_pairs[0];
        let bound = search.travels(&pair, true).all;
        search.set_point(&TimeBox::of_point(&point), &point);
        let alone = search.travels(&pair, true);
        assert!((alone.all - alone.tubes).abs() <= 1e-9 * (1.0 + alone.all));
        assert!(alone.all <= bound * ROUND_UP + 1e-12);
        let corners: Vec<Vec<Point3<f64>>> = fixture
            .cell
            .bodies
            .iter()
            .map(|body| match &body.shapes[0].form {
                crate::model::Form::Mesh { mesh, .. } => mesh.vertices.clone(),
                other => panic!("{other:?}"),
            })
            .collect();
        let at = |times: [f64; 2], shares: &[f64]| {
            let mut q = vec![0.0; 2 * JOINTS];
            for (track, time) in tracks.iter().zip(times) {
                let instant = track.trajectory.locate(time - track.shift);
                let segment = track.trajectory.segment_at(instant);
                for &joint in &track.joints {
                    q[joint] = segment.position(joint, instant.fraction)
                        + shares[joint] * segment.taken_over()[joint];
                }
            }
            [0, 1].map(|body| {
                let pose = placed(scene.cell, body, &q);
                let moved_corners = corners[body].iter().map(|p| pose * p);
                moved_corners.collect::<Vec<_>>()
            })
        };
        let here = at([point[0], point[1]], &[0.0; 2 * JOINTS]);
        for _ in 0..40 {
            let times = [0, 1].map(|k| {
                let share = [0.0, 1.0, r.unit()][r.below(3)];
                whole.low[k] + share * (whole.high[k] - whole.low[k])
            });
            let shares = [(); 2 * JOINTS].map(|()| r.signed());
            let there = at(times, &shares);
            let moved = |body: usize| {
                let both = here[body].iter().zip(&there[body]);
                both.map(|(p, q)| (p - q).norm()).fold(0.0, f64::max)
            };
            let sum = moved(0) + moved(1);
            assert!(
                sum <= bound * ROUND_UP + 1e-12,
                "case {case}: {sum}, {bound}"
            );
            most = most.max(sum / bound);
        }
    }
    // The oracle would see a bound that is too small by little more than a tenth.
    assert!(most > 0.85, "{most}");
}

/// A search that had to stop early says so, and claims no more than the one that came to its end:
/// no distance below its bound, and nothing clear that was not looked at. Catches boxes that are
/// dropped when the search is given up.
#[test]
fn what_is_left_when_boxes_run_out_is_open() {
    let mut r = Random(5);
    let mut told = 0;
    for case in 0..40 {
        let fixture = chains(&mut r);
        // One segment: from one to the next these trajectories jump.
        let trajectories = [(); 2].map(|()| {
            let mut trajectory = trajectory(&mut r, 0.1, 0.0);
            trajectory.segments.truncate(1);
            trajectory
        });
        let tracks = [0, 1].map(|k| Track {
            trajectory: &trajectories[k],
            joints: (k * JOINTS..(k + 1) * JOINTS).collect(),
            shift: 0.0,
        });
        let ask = |clearance: f64, most_boxes: u64| {
            let mut scene = fixture.scene(clearance);
            scene.hulls = false;
            let options = DelayOptions {
                delay_s: 0.4,
                resolution: 1e-3,
                all: false,
                span: (0.0, 1.0),
                until: f64::INFINITY,
                minimum: true,
                most_boxes,
            };
            let mut delays = Delays::new(scene.cell, &tracks, options);
            let stage = DelayStage {
                scene: &scene,
                pairs: &[0],
                which: &[0, 1],
                spans: &[(0.0, 1.0); 2],
            };
            delays.stage(&stage, &|_| ());
            let least = delays.minimum(&stage, &|_| ());
            (least[0].clone(), delays.result())
        };
        let (whole, result) = ask(0.0, 100_000);
        if result.minimum_given_up || whole.distance < 0.05 {
            continue;
        }
        told += 1;
        let least = 0.99 * whole.distance - 1e-3;
        assert!(whole.lower_bound > least, "case {case}: {whole:?}");
        // A threshold that takes some looking.
        let clearance = 0.9 * whole.lower_bound;
        assert_eq!(ask(clearance, 100_000).1.verdict, Verdict::Clear);
        let mut before = 0.0;
        for most in [1, 4, 12] {
            let (least, result) = ask(clearance, most);
            assert!(result.minimum_given_up, "case {case}, {most} boxes");
            // A few may be enough for the threshold, one is not.
            if most == 1 {
                assert_eq!(result.verdict, Verdict::Undecided, "case {case}");
            }
            assert!(
                before <= least.lower_bound && least.lower_bound < whole.lower_bound,
                "case {case}, {most} boxes: {least:?}, {whole:?}"
            );
            before = least.lower_bound;
        }
    }
    assert!(told > 5, "{told}");
}
