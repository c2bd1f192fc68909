//! How an arm differs from its model, as joint values and poses of the same points show: allowed for
//! as an error of all frames that the robot moves.

use clearance_formats::LoadedCell;
use clearance_proof::model::moves::MoveProgram;
use clearance_proof::model::{Cell, RigidError, Uncertainty};
use clearance_proof::motion::programmed::{CellMoves, OwnModel};

use super::robot::robot_of;
use crate::findings::{Code, Diagnostic, Severity};
use crate::run::Job;

/// More than this is not rounding, metres.
const ROUNDING_M: f64 = 1e-5;
/// The same for angles, radians.
const ROUNDING_RAD: f64 = 1e-4;

/// How far a robot's arm stands from its model.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::run) struct ModelDifference {
    robot: usize,
    error: RigidError,
    /// What its frames are off besides, because its controller finds joint values of poses with a
    /// model of its own; none: the check does not allow for the difference, as the cell file asks.
    booked: Option<OwnModel>,
}

impl ModelDifference {
    /// The difference that a program shows.
    pub(super) fn of(
        program: &MoveProgram,
        laid: &CellMoves,
        loaded: &LoadedCell,
        job: &Job,
    ) -> Option<Self> {
        let error = program.model_difference;
        if error.is_none() {
            return None;
        }
        let robot = robot_of(program, &loaded.cell)?;
        let said = loaded.robots[robot].controller.as_ref();
        let is_booked = said.is_none_or(|said| said.books_model_difference);
        let own_model = || laid.own_model(program, &loaded.cell, error, !job.exact_corners);
        Some(Self {
            robot,
            error,
            booked: is_booked.then(own_model),
        })
    }

    /// For the report.
    pub(super) fn remark(&self, cell: &Cell) -> Diagnostic {
        let size = size(self.error);
        let (severity, message) = match &self.booked {
            Some(own_model) => (
                Severity::Note,
                format!(
                    "the answer holds for every link up to {size} beside the robot's model{}, as joint values and poses of the program \
                     differ",
                    self.of_poses(own_model, cell)
                ),
            ),
            None => (
                Severity::Notice,
                format!(
                    "joint values and poses of the program differ as if links were {size} beside the robot's model; the answer does not \
                     allow for it, as `model_difference = \"reported\"` asks"
                ),
            ),
        };
        let name = &cell.robots[self.robot].name;
        Diagnostic {
            code: Code::ModelDiffers,
            place: self.booked.as_ref().and_then(|own| own.unproved.clone()),
            severity,
            subject: if name.is_empty() {
                "robot".to_owned()
            } else {
                format!("robot `{name}`")
            },
            message,
        }
    }

    /// What it says of moves to poses; empty where that makes no difference.
    fn of_poses(&self, own_model: &OwnModel, cell: &Cell) -> String {
        if own_model.unproved.is_some() {
            return ", and wherever it reaches: near a singularity a controller with another model of the arm may find any joint values \
                    for a pose"
                .to_owned();
        }
        let most = self.frames(own_model, cell).map(|(_, error)| error);
        let most = most.fold(self.error, RigidError::max);
        if most.shift_m > self.error.shift_m + ROUNDING_M
            || most.turn_rad > self.error.turn_rad + ROUNDING_RAD
        {
            let size = size(most);
            format!(", and up to {size} where the controller finds the joint values of a pose")
        } else {
            String::new()
        }
    }

    /// The joints of the robot with the errors of their frames.
    fn frames(
        &self,
        own_model: &OwnModel,
        cell: &Cell,
    ) -> impl Iterator<Item = (usize, RigidError)> {
        let frames = own_model.frames.iter().zip(&cell.joints).enumerate();
        let own = frames.filter(|(_, (_, joint))| joint.robot == self.robot);
        own.map(|(id, (more, _))| (id, self.error.and(*more)))
    }

    /// The errors to allow for where arms differ so from their models, if that is more than the cell
    /// states.
    pub(super) fn errors<'d>(
        differences: impl Iterator<Item = &'d Self>,
        cell: &Cell,
    ) -> Option<Uncertainty> {
        let booked: Vec<(&Self, &OwnModel)> = differences
            .filter_map(|it| Some((it, it.booked.as_ref()?)))
            .collect();
        if booked.is_empty() {
            return None;
        }
        let stated = cell.uncertainty.clone();
        let mut errors = stated.unwrap_or_else(|| Uncertainty::none(cell));
        for (difference, own_model) in booked {
            for (joint, error) in difference.frames(own_model, cell) {
                errors.model[joint] = errors.model[joint].max(error);
            }
        }
        (cell.uncertainty.as_ref() != Some(&errors)).then_some(errors)
    }
}

/// An error for the eye.
fn size(error: RigidError) -> String {
    let RigidError { shift_m, turn_rad } = error;
    format!("{:.2} mm and {:.2}°", shift_m * 1e3, turn_rad.to_degrees())
}
