//! Where moves end: joint values of targets that are joint values, of poses, and at the end of a
//! line of the tool; and the pieces of joint motion that lead there.

use nalgebra::{Isometry3, Vector6};

use super::early::PlaceOnWay;
use super::{CellMoves, MoveEnd, ProgramInCell, ToolMove, stopped_within};
use crate::geometry::pose::Pose;
use crate::model::moves::{ArcTurning, Branch, Move, MoveKind, Target};
use crate::model::{JointId, Trajectory};
use crate::motion::tool_line::{
    Arm, CurvePiece, Effort, InverseKinematics, PoseCurve, PoseError, SIX, SolutionsAround,
    arm_values, choose_solution, follow_curve_with, has_configuration, link, solution_enclosure,
};
use crate::numeric::polynomial::value;

/// Joint values nearer than this are one solution, where only one lies within the tube, radians.
const SAME: f64 = 1e-8;

/// Where a move along a curve leads the tool.
struct ToolEnd {
    pose: Pose,
    /// Joint values of the arm there, where they are stated.
    stated: Option<Vector6<f64>>,
}

/// The curve of a move of the tool.
struct TaughtCurve {
    curve: PoseCurve,
    /// How far the orientation may be turned beside it, radians.
    beside: f64,
}

impl ProgramInCell<'_> {
    /// Where a move ends, unless a line leads there. `early`: where the arm may be already when the
    /// move begins, on its way round a corner.
    pub(super) fn target(
        &self,
        step: &Move,
        here: Option<&MoveEnd>,
        early: &[PlaceOnWay],
    ) -> Result<MoveEnd, String> {
        match &step.target {
            Target::Joints(q) => {
                self.fits(q)?;
                Ok(move_end(step, q.clone(), vec![0.0; q.len()]))
            }
            Target::Pose { branch, .. } => {
                let arm = self.arm(step)?;
                if *branch == Branch::Continued && step.kind == MoveKind::Joint {
                    return Err(
                        "a joint move goes to whichever configuration is stated, and none is"
                            .to_owned(),
                    );
                }
                let pose = self.pose(&step.target)?;
                let before = here.map(|h| arm_values(&arm, &h.q)).transpose()?;
                let inverse = InverseKinematics::new(&arm);
                let chosen = choose_solution(&arm, &inverse, &pose, branch, before.as_ref())?;
                for place in early {
                    let [near, off] = [&place.middle, &place.extent].map(|q| arm_values(&arm, q));
                    let around = SolutionsAround {
                        near: near?,
                        off: off?,
                    };
                    let is_nearest = *branch != Branch::NearestToStart
                        || around.all_choose(&arm, &inverse, &pose, &chosen.q);
                    if !is_nearest {
                        return Err("the arm goes there from a corner that it rounds, and which of its configurations is the nearest depends on where it is by then; state joint values near the pose".to_owned());
                    }
                }
                // Joints that the pose does not decide stay, if it is known where.
                let mut q = match here {
                    Some(here) => here.q.clone(),
                    None => self.columns.iter().map(|&j| self.cell.rest[j]).collect(),
                };
                let mut off = vec![0.0; q.len()];
                for (k, &column) in arm.columns.iter().enumerate() {
                    (q[column], off[column]) = (chosen.q[k], chosen.off[k]);
                }
                Ok(move_end(step, q, off))
            }
        }
    }

    /// The end of a move along a curve of the tool, the curve, and its joint motion.
    pub(super) fn tool_move(
        &self,
        step: &Move,
        here: &MoveEnd,
    ) -> Result<(MoveEnd, ToolMove, Vec<CurvePiece>), String> {
        let arm = self.arm(step)?;
        let q0 = arm_values(&arm, &here.q)?;
        let off0: [f64; SIX] = std::array::from_fn(|k| here.off[arm.columns[k]] + 1e-15);
        let start = arm.at(&q0).tool;
        let ToolEnd { pose: end, stated } = self.tool_end(step, &arm, here)?;
        let TaughtCurve { curve, beside } = self.taught_curve(step, &arm, [&start, &end])?;
        // The true start is where the joints truly are.
        let at = arm.at(&q0);
        let (off_m, off_rad) = Arm::rounding(&at);
        let places: f64 = (0..SIX).map(|k| off0[k] * (arm.lever(&at, k) + 1.0)).sum();
        let tube = CellMoves::orientation_tube(self.orientation_tube, curve.turn);
        let error = PoseError {
            position: places + off_m,
            turn: tube + beside + off0.iter().sum::<f64>() + off_rad,
        };
        let effort = Effort {
            narrow: self.narrow,
            ..Effort::default()
        };
        let pieces =
            follow_curve_with(&arm, &curve, &q0, &off0, error, effort).map_err(|lost| {
                match not_reached(&arm, &curve.at(1.0)) {
                    Some(why) => why,
                    None => stopped_within(&lost, tube, "teach points between"),
                }
            })?;
        let q1 = pieces.last().map_or(q0, |last| {
            Vector6::from_fn(|k, _| value(&last.joints[k], 1.0))
        });
        let arrived = self.arrived(step, &arm, &curve.at(1.0), (&q1, stated.as_ref()), here)?;
        let off = solution_enclosure(&arm, &curve.at(1.0), &arrived)
            .ok_or("it ends at a singularity of the arm, where joint values are not certain")?;
        let (mut q, mut offs) = (here.q.clone(), here.off.clone());
        for (k, &column) in arm.columns.iter().enumerate() {
            (q[column], offs[column]) = (arrived[k], off[k]);
        }
        let end = move_end(step, q, offs);
        Ok((end, ToolMove { arm, curve, error }, pieces))
    }

    /// Where a move along a curve leads the tool.
    fn tool_end(&self, step: &Move, arm: &Arm, here: &MoveEnd) -> Result<ToolEnd, String> {
        match &step.target {
            Target::Joints(q) => {
                self.fits(q)?;
                let beside = (0..q.len()).filter(|c| !arm.columns.contains(c));
                if beside.into_iter().any(|c| (q[c] - here.q[c]).abs() > SAME) {
                    return Err("another joint moves during a straight move of the tool; which way it goes is not known".to_owned());
                }
                let stated = arm_values(arm, q)?;
                Ok(ToolEnd {
                    pose: arm.at(&stated).tool,
                    stated: Some(stated),
                })
            }
            Target::Pose { .. } => Ok(ToolEnd {
                pose: self.pose(&step.target)?,
                stated: None,
            }),
        }
    }

    /// The line or the arc between both ends of a move of the tool.
    fn taught_curve(
        &self,
        step: &Move,
        arm: &Arm,
        [start, end]: [&Pose; 2],
    ) -> Result<TaughtCurve, String> {
        let MoveKind::Circular { via, turning } = &step.kind else {
            let curve = PoseCurve::line(start, end)?;
            return Ok(TaughtCurve { curve, beside: 0.0 });
        };
        let via = match via {
            Target::Joints(q) => {
                self.fits(q)?;
                arm.at(&arm_values(arm, q)?).tool
            }
            pose @ Target::Pose { .. } => self.pose(pose)?,
        };
        let curve = PoseCurve::arc(start, &via.translation, end)?;
        let beside = match turning {
            ArcTurning::Along => curve.beside_turn_along(&via)?,
            ArcTurning::Still => 0.0,
        };
        Ok(TaughtCurve { curve, beside })
    }

    /// Joint values at the end of a line that leads to `q1`: the stated ones, if they are these.
    fn arrived(
        &self,
        step: &Move,
        arm: &Arm,
        pose: &Pose,
        (q1, stated): (&Vector6<f64>, Option<&Vector6<f64>>),
        here: &MoveEnd,
    ) -> Result<Vector6<f64>, String> {
        let other = |stated: &Vector6<f64>| {
            let k = (stated - q1).iamax();
            let kind = self.cell.joints[arm.joints[k]].kind;
            format!(
                "it leads to another configuration of the arm than the stated one: `{}` arrives at {}, not at {}",
                arm.names[k],
                kind.show(q1[k]),
                kind.show(stated[k])
            )
        };
        if let Some(stated) = stated {
            return if (stated - q1).amax() < SAME {
                Ok(*stated)
            } else {
                Err(other(stated))
            };
        }
        let Target::Pose { branch, .. } = &step.target else {
            return Ok(*q1);
        };
        match branch {
            Branch::Continued | Branch::NearestToStart => {}
            Branch::NearestTo(_) => {
                let before = arm_values(arm, &here.q)?;
                let chosen = choose_solution(
                    arm,
                    &InverseKinematics::new(arm),
                    pose,
                    branch,
                    Some(&before),
                )?;
                if (chosen.q - q1).amax() > SAME {
                    return Err(other(&chosen.q));
                }
            }
            Branch::Configuration(wanted) => {
                if !has_configuration(arm, &InverseKinematics::new(arm), q1, wanted) {
                    return Err(
                        "it leads to another configuration of the arm than the stated one"
                            .to_owned(),
                    );
                }
            }
        }
        Ok(*q1)
    }

    pub(super) fn arm(&self, step: &Move) -> Result<Arm, String> {
        Arm::new(self.cell, &self.columns, &step.tool)
    }

    /// A stated pose, in the world.
    fn pose(&self, target: &Target) -> Result<Pose, String> {
        let Target::Pose {
            frame,
            frame_from_tool,
            ..
        } = target
        else {
            return Err("the target is not a pose".to_owned());
        };
        let body = link(self.cell, &frame.link, &self.columns)?;
        let mut pose = self.cell.bodies[body].joint_from_body;
        let mut next = self.cell.bodies[body].joint;
        while let Some(joint) = next {
            let it = &self.cell.joints[joint];
            let moves = |j: &JointId| self.columns.contains(j);
            if moves(&joint) || it.mimic.is_some_and(|m| moves(&m.source)) {
                return Err(format!(
                    "the frame of its target is fixed to `{}`, which the program itself moves",
                    frame.link
                ));
            }
            let value = self.cell.rest[joint];
            pose = it.parent_from_joint * it.motion(value) * pose;
            next = it.parent;
        }
        let world_from_tool: Isometry3<f64> = pose * frame.link_from_frame * frame_from_tool;
        Ok(Pose::from(&world_from_tool))
    }

    pub(super) fn fits(&self, q: &[f64]) -> Result<(), String> {
        if q.len() != self.columns.len() {
            return Err(format!(
                "{} joint values are given for {} joints",
                q.len(),
                self.columns.len()
            ));
        }
        // Farther values cannot be computed with.
        let far = |x: &f64| !x.is_finite() || x.abs() > Trajectory::FARTHEST_RAD;
        if q.iter().any(far) {
            Err("a joint value is too large to be computed with".to_owned())
        } else {
            Ok(())
        }
    }
}

/// The end of a move at these joint values, which may be off by so much.
fn move_end(step: &Move, q: Vec<f64>, off: Vec<f64>) -> MoveEnd {
    MoveEnd {
        q,
        off,
        label: step.label.clone(),
        routine: step.routine.clone(),
        place: step.place.clone(),
    }
}

/// Why a line cannot end at a pose, where the arm is known not to reach it: nothing that is said of
/// the way there helps then.
fn not_reached(arm: &Arm, pose: &Pose) -> Option<String> {
    let found = InverseKinematics::new(arm).solutions(arm, pose);
    let first_joint = arm.at(&Vector6::zeros()).origin[0];
    let away = (pose.translation - first_joint).norm();
    (found.complete && found.all.is_empty()).then(|| {
        format!(
            "the pose at its end is out of reach, {away:.3} m from the arm's first joint: look at its numbers, and at the unit in \
             which the controller takes them"
        )
    })
}
