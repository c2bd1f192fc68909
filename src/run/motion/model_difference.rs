//! How an arm differs from its model, as joint values and poses of the same points show: allowed for
//! as an error of all frames that the robot moves.

use clearance_formats::LoadedCell;
use clearance_proof::model::moves::MoveProgram;
use clearance_proof::model::{Cell, RigidError, Uncertainty};

use super::robot::robot_of;
use crate::findings::{Code, Diagnostic, Severity};

/// How far a robot's arm stands from its model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::run) struct ModelDifference {
    robot: usize,
    error: RigidError,
    /// Whether the check allows for it; if not, the cell file asks that it is only told.
    booked: bool,
}

impl ModelDifference {
    /// The difference that a program shows.
    pub(super) fn of(program: &MoveProgram, loaded: &LoadedCell) -> Option<Self> {
        let robot = robot_of(program, &loaded.cell)?;
        let said = loaded.robots[robot].controller.as_ref();
        (!program.model_difference.is_none()).then_some(Self {
            robot,
            error: program.model_difference,
            booked: said.is_none_or(|said| said.books_model_difference),
        })
    }

    /// For the report.
    pub(super) fn remark(&self, cell: &Cell) -> Diagnostic {
        let RigidError { shift_m, turn_rad } = self.error;
        let size = format!("{:.2} mm and {:.2}°", shift_m * 1e3, turn_rad.to_degrees());
        let (severity, message) = if self.booked {
            (
                Severity::Note,
                format!(
                    "the answer holds for every link up to {size} beside the robot's model, as joint values and poses of the program differ"
                ),
            )
        } else {
            (
                Severity::Notice,
                format!(
                    "joint values and poses of the program differ as if links were {size} beside the robot's model; the answer does not \
                     allow for it, as `model_difference = \"reported\"` asks"
                ),
            )
        };
        let name = &cell.robots[self.robot].name;
        Diagnostic {
            code: Code::ModelDiffers,
            place: None,
            severity,
            subject: if name.is_empty() {
                "robot".to_owned()
            } else {
                format!("robot `{name}`")
            },
            message,
        }
    }

    /// The errors to allow for where arms differ so from their models, if that is more than the cell
    /// states.
    pub(super) fn errors(
        differences: impl Iterator<Item = Self>,
        cell: &Cell,
    ) -> Option<Uncertainty> {
        let booked: Vec<Self> = differences.filter(|it| it.booked).collect();
        if booked.is_empty() {
            return None;
        }
        let stated = cell.uncertainty.clone();
        let mut errors = stated.unwrap_or_else(|| Uncertainty::none(cell));
        for Self { robot, error, .. } in booked {
            errors.model[robot] = errors.model[robot].max(error);
        }
        (cell.uncertainty.as_ref() != Some(&errors)).then_some(errors)
    }
}
