//! A ball on one joint passes a standing ball: the first contact is known in closed form.

use clearance_proof::check::Checker;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::model::{Body, Cell, Form, Joint, Trajectory};
use clearance_proof::report::Verdict;
use nalgebra::{Isometry3, Vector3};

use super::suite::{CertificateSuite, SelfTest, Suite, Xorshift};
use crate::error::Error;

/// Answers nearer to a change than this share of the motion are not asked for: rounding may decide
/// them.
const SPARE: f64 = 1e-4;

pub(super) fn run(
    test: &SelfTest,
    certificates: &mut CertificateSuite,
    progress: &dyn Fn(f64),
) -> Suite {
    let mut suite = Suite::new("closed forms");
    let mut random = Xorshift(test.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    while suite.asked < test.scenes {
        progress(suite.asked as f64 / test.scenes as f64);
        let Some(case) = ClosedForm::new(&mut random) else {
            continue;
        };
        suite.asked += 1;
        if let Err(why) = case.asked(&mut suite, certificates) {
            suite.wrong.push(format!("{case:?}: {why}"));
        }
    }
    suite
}

#[derive(Debug)]
struct ClosedForm {
    turns: bool,
    /// Distance of the moving ball from the axis, metres.
    arm: f64,
    /// Value of the joint at which both balls are nearest, and how far apart their centres are
    /// then.
    nearest: (f64, f64),
    radii: [f64; 2],
    clearance: f64,
    /// Last value of the joint; the first one is 0.
    end: f64,
    /// Starts and stops smoothly.
    cubic: bool,
    /// Share of the motion at which D is reached first.
    contact: Option<f64>,
}

impl ClosedForm {
    /// `None`: too near to a change of the answer.
    fn new(random: &mut Xorshift) -> Option<ClosedForm> {
        let turns = random.below(2) == 0;
        let mut case = ClosedForm {
            turns,
            arm: random.between(0.3, 1.2),
            nearest: (random.between(0.8, 2.4), random.between(0.0, 0.25)),
            radii: [random.between(0.01, 0.1), random.between(0.01, 0.1)],
            clearance: [0.0, 0.001, 0.02][random.below(3)],
            end: random.between(0.5, 2.8),
            cubic: random.below(2) == 0,
            contact: None,
        };
        let reach = case.clearance + case.radii[0] + case.radii[1];
        let (at, height) = case.nearest;
        if (reach - height).abs() < 1e-3 {
            return None;
        }
        if reach < height {
            return Some(case);
        }
        let across = (reach * reach - height * height).sqrt();
        let before = if turns {
            2.0 * (across / (2.0 * case.arm)).asin()
        } else {
            across
        };
        let share = (at - before) / case.end;
        if (share - 1.0).abs() < SPARE || share < SPARE || share.is_nan() {
            return None;
        }
        case.contact = (share < 1.0).then(|| {
            if case.cubic {
                smooth_inverse(share)
            } else {
                share
            }
        });
        Some(case)
    }

    fn asked(&self, suite: &mut Suite, certificates: &mut CertificateSuite) -> Result<(), Error> {
        let mut cell = Cell::with_one_robot();
        let start = Isometry3::identity();
        let (joint, axis) = ("joint", Vector3::z_axis());
        let joint = cell.add_joint(if self.turns {
            Joint::revolute(joint, None, start, axis)
        } else {
            Joint::prismatic(joint, None, start, Vector3::x_axis())
        });
        let (value, height) = self.nearest;
        let (moving, standing) = if self.turns {
            (
                Vector3::new(self.arm, 0.0, 0.0),
                Vector3::new(self.arm * value.cos(), self.arm * value.sin(), height),
            )
        } else {
            (Vector3::zeros(), Vector3::new(value, 0.0, height))
        };
        let ball = |k: usize| Form::Sphere {
            radius: self.radii[k],
        };
        let at = |v: Vector3<f64>| Isometry3::translation(v.x, v.y, v.z);
        cell.add_body(Body::link("moving", ball(0), joint, at(moving), None));
        cell.add_body(Body::obstacle("standing", ball(1), at(standing)));
        let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![self.end])]);
        let mut trajectory = trajectory?;
        if self.cubic {
            let cubic = [0.0, 0.0, 3.0 * self.end, -2.0 * self.end, 0.0, 0.0];
            trajectory.segments[0].change_joints(|joints| joints[0] = cubic);
        }
        let checker = Checker::new(cell);
        let answer = checker.check(&trajectory, self.clearance, &CheckOptions::default());
        let answer = answer?;
        match (self.contact, answer.verdict, answer.first_contact) {
            (None, Verdict::Clear, _) => {
                suite.clear += 1;
                certificates.of("closed form", &checker, &trajectory, self.clearance);
                Ok(())
            }
            (Some(at), Verdict::Collision, Some(first)) => {
                suite.collision += 1;
                let held = first.free_until <= at + 1e-9 && at <= first.time + 1e-9;
                if held {
                    Ok(())
                } else {
                    Err(Error::internal(format!(
                        "contact from {} to {}",
                        first.free_until, first.time
                    )))
                }
            }
            (_, verdict, _) => Err(Error::internal(format!("{verdict:?}"))),
        }
    }
}

/// The s at which 3s² − 2s³ has this value.
fn smooth_inverse(value: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let s: f64 = 0.5 * (low + high);
        if 3.0 * s * s - 2.0 * s * s * s < value {
            low = s
        } else {
            high = s
        }
    }
    0.5 * (low + high)
}
