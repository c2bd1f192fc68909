//! Budgets of error: what a certificate with one says holds for every error within it.

use clearance_proof::check::Checker;
use clearance_proof::model::{Body, Cell, Form, Joint, RigidError, Role, Trajectory, Uncertainty};
use clearance_recheck::files::{Certificate, Geometry};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::{valid, whole};
use crate::{CertifyError, Made, ReportedContact, certificate, geometry};

mod random;

/// Units of errors in a file.
const UNIT: f64 = (1u64 << 40) as f64;

fn rigid(shift_m: f64, turn_rad: f64) -> RigidError {
    RigidError { shift_m, turn_rad }
}

/// The file of a checked cell, and the certificate of a trajectory in it.
fn made(
    checker: &Checker,
    trajectory: &Trajectory,
    clearance: f64,
) -> (Vec<u8>, Result<Made, CertifyError>) {
    let file = geometry(checker.cell(), checker.trees(), checker.pairs(), clearance).unwrap();
    let made = certificate(&file, "geometry", trajectory, None, &[]);
    (file, made)
}

fn ball(name: &str, at: Isometry3<f64>, centre: Vector3<f64>) -> Body {
    let mut body = Body::obstacle(name, Form::Sphere { radius: 0.05 }, at);
    body.shapes[0].body_from_shape = Translation3::from(centre).into();
    body
}

/// A ball that an arm carries, and one `gap` beyond it: the arm turns at (0.1, 0, 0), slides 0.2 m
/// along x, and carries the ball as a tool at (0.3, 0.4, 0) of its frame, its centre 0.5 m farther.
fn reach(
    gap: f64,
    budget: impl Fn(&mut Uncertainty),
    value_errors: &[f64],
) -> Result<(), CertifyError> {
    let mut cell = Cell::with_one_robot();
    cell.robots[0].world_from_base = Isometry3::translation(-0.2, 0.0, 0.3);
    let at = Isometry3::translation(0.1, 0.0, 0.0);
    let turns = cell.add_joint(Joint::revolute("turns", None, at, Vector3::z_axis()));
    let slide = Joint::prismatic(
        "slides",
        Some(turns),
        Isometry3::identity(),
        Vector3::x_axis(),
    );
    let slides = cell.add_joint(slide);
    let at = Isometry3::translation(0.3, 0.4, 0.0);
    cell.add_body(Body {
        role: Role::Attached,
        joint: Some(slides),
        ..ball("tool", at, Vector3::x() * 0.5)
    });
    // At first the slide is at 0.2 m, so the tool's centre at (1.1, 0.4, 0); it goes back from
    // there.
    let beyond = Isometry3::translation(1.2 + gap, 0.4, -0.3);
    cell.add_body(ball("thing", beyond, Vector3::z() * 0.3));
    let mut errors = Uncertainty::none(&cell);
    budget(&mut errors);
    cell.uncertainty = Some(errors);
    let trajectory =
        Trajectory::linear(&cell, &[(0.0, vec![0.0, 0.2]), (1.0, vec![0.0, 0.1])]).unwrap();
    let mut segments = trajectory.segments.clone();
    for (joint, error) in value_errors.iter().enumerate() {
        *segments[0].taken_over_of(joint) = *error;
    }
    let trajectory = Trajectory {
        segments,
        ..trajectory
    };
    let checker = Checker::new(cell);
    let (bytes, made) = made(&checker, &trajectory, 0.0);
    let file = Geometry::read(&bytes).unwrap();
    let certificate = whole(&made?.bytes, &file);
    valid(&file, &certificate).unwrap_or_else(|e| panic!("{e}"));
    larger_errors_are_refused(&file, &certificate);
    Ok(())
}

/// There is hardly any room: the checker refuses each error that is a little larger.
fn larger_errors_are_refused(file: &Geometry, certificate: &Certificate) {
    let more = (1e-4 * UNIT) as i64;
    for joint in 0..file.joints.len() {
        let error = file.joints[joint].error;
        for (is, shift, turn) in [(error.shift, more, 0), (error.turn, 0, more)] {
            let mut file = file.clone();
            file.joints[joint].error.shift += shift;
            file.joints[joint].error.turn += turn;
            let name = &file.joints[joint].name;
            assert!(is == 0 || valid(&file, certificate).is_err(), "{name}");
        }
        let mut certificate = certificate.clone();
        let value_error = &mut certificate.segments[0].value_errors[joint];
        let is = *value_error;
        *value_error += more;
        assert!(is == 0 || valid(file, &certificate).is_err(), "{joint}");
    }
}

/// Each kind of error takes its shift and its turn times its lever, no more and no less. Catches a
/// lever of another frame, an error forgotten, and one that counts twice.
#[test]
fn each_error_takes_what_its_lever_makes_of_it() {
    let from = |x: f64, y: f64, z: f64| {
        let centre = Vector3::new(1.1, 0.4, 0.0);
        (centre - Vector3::new(x, y, z)).norm()
    };
    type Budget<'b> = &'b dyn Fn(&mut Uncertainty);
    let none = &[][..];
    let kinds: &[(&str, f64, Budget, &[f64])] = &[
        ("nothing", 0.0, &|_| (), none),
        (
            "base",
            0.003 + 0.01 * from(-0.2, 0.0, 0.3),
            &|u| u.base[0] = rigid(0.003, 0.01),
            none,
        ),
        (
            "joint",
            0.02 * (1.0f64 + 0.4 * 0.4).sqrt(),
            &|u| u.joint[0] = 0.02,
            none,
        ),
        ("slide", 0.004, &|u| u.joint[1] = 0.004, none),
        (
            "model",
            0.001 + 0.01 * from(0.3, 0.0, 0.0),
            &|u| u.model.fill(rigid(0.001, 0.01)),
            none,
        ),
        (
            "tool",
            0.002 + 0.03 * 0.5,
            &|u| u.tool[0] = rigid(0.002, 0.03),
            none,
        ),
        (
            "thing",
            0.005 + 0.02 * 0.3,
            &|u| u.obstacle[1] = rigid(0.005, 0.02),
            none,
        ),
        ("mesh", 0.0007, &|u| u.mesh[1] = 0.0007, none),
        (
            "tube of the joint",
            0.02 * (1.0f64 + 0.4 * 0.4).sqrt(),
            &|_| (),
            &[0.02, 0.0],
        ),
        ("tube of the slide", 0.004, &|_| (), &[0.0, 0.004]),
        (
            "joint, base and thing",
            0.02 * (1.0f64 + 0.4 * 0.4).sqrt() + 0.003 + 0.01 * from(-0.2, 0.0, 0.3) + 0.005,
            &|u| {
                u.joint[0] = 0.01;
                u.base[0] = rigid(0.003, 0.01);
                u.obstacle[1] = rigid(0.005, 0.0);
            },
            &[0.01, 0.0],
        ),
    ];
    for (kind, takes, budget, value_errors) in kinds {
        let more = reach(takes + 2e-6, budget, value_errors);
        assert!(more.is_ok(), "{kind}: {more:?}");
        let less = reach(takes - 2e-6, budget, value_errors);
        assert!(less.is_err(), "{kind}");
    }
}

/// Errors of what both bodies hang on move both: a base that is off by a metre takes nothing from
/// two links of its robot.
#[test]
fn errors_that_two_bodies_share_take_nothing() {
    let mut cell = Cell::with_one_robot();
    let still = Isometry3::identity();
    let id = cell.add_joint(Joint::prismatic("slides", None, still, Vector3::x_axis()));
    let centre = Vector3::x() * 0.2;
    cell.add_body(Body {
        role: Role::Link { robot: 0 },
        joint: Some(id),
        ..ball("link", still, centre)
    });
    cell.add_body(Body {
        role: Role::Link { robot: 0 },
        ..ball("base link", still, Vector3::zeros())
    });
    let mut errors = Uncertainty::none(&cell);
    errors.base[0] = rigid(1.0, 1.0);
    cell.uncertainty = Some(errors);
    let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![0.1])]).unwrap();
    let checker = Checker::new(cell);
    let (bytes, made) = made(&checker, &trajectory, 0.0);
    let file = Geometry::read(&bytes).unwrap();
    let certificate = whole(&made.unwrap().bytes, &file);
    assert_eq!(file.pairs.len(), 1);
    valid(&file, &certificate).unwrap();
}

/// What can be done about a contact without a certificate: another cell file does not make one
/// motion of a straight move, nor of a table whose values are rounded by as much.
#[test]
fn a_contact_with_errors_says_what_can_be_done() {
    for (by_motion, remedy) in [
        (true, "table that are so large that their rounding counts"),
        (false, "[uncertainty]"),
    ] {
        let mut cell = Cell::with_one_robot();
        let still = Isometry3::identity();
        let slide = Joint::prismatic("slides", None, still, Vector3::x_axis());
        let slide = cell.add_joint(slide);
        let form = || Form::Sphere { radius: 0.05 };
        cell.add_body(Body::link("link", form(), slide, still, None));
        let at = Isometry3::translation(0.2, 0.0, 0.0);
        cell.add_body(Body::obstacle("thing", form(), at));
        let mut trajectory =
            Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![0.2])]).unwrap();
        if by_motion {
            *trajectory.segments[0].taken_over_of(slide) = 1e-6;
        }
        let mut errors = Uncertainty::none(&cell);
        errors.joint[slide] = 1e-6;
        cell.uncertainty = Some(errors);
        let checker = Checker::new(cell);
        let file = geometry(checker.cell(), checker.trees(), checker.pairs(), 0.0).unwrap();
        let contact = ReportedContact {
            free_until: 0.4,
            time: 0.6,
            bodies: [0, 1],
        };
        let made = certificate(&file, "geometry", &trajectory, Some(&contact), &[]);
        let Err(CertifyError::NotCovered(why)) = made else {
            panic!("{made:?}");
        };
        assert!(why.contains(remedy), "{why}");
        assert_eq!(why.contains("[uncertainty]"), !by_motion, "{why}");
    }
}
