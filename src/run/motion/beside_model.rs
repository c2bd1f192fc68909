//! An arm that stands beside its model, as joint values and poses of the same points show: allowed
//! for as an error of all frames that the robot moves.

use clearance_formats::LoadedCell;
use clearance_proof::model::moves::MoveProgram;
use clearance_proof::model::{Cell, RigidError, Uncertainty};

use super::robot::robot_of;
use crate::findings::{Code, Diagnostic, Severity};

/// How far a robot's arm stands beside its model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::run) struct BesideModel {
    robot: usize,
    error: RigidError,
    /// Whether the check allows for it; if not, the cell file asks that it is only told.
    booked: bool,
}

impl BesideModel {
    /// The difference that a program shows.
    pub(super) fn of(program: &MoveProgram, loaded: &LoadedCell) -> Option<Self> {
        let robot = robot_of(program, &loaded.cell)?;
        let said = loaded.robots[robot].controller.as_ref();
        (!program.beside_model.is_none()).then_some(Self {
            robot,
            error: program.beside_model,
            booked: said.is_none_or(|said| said.books_difference),
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

    /// The errors to allow for where these arms stand beside their models, if that is more than the
    /// cell states.
    pub(super) fn errors(beside: impl Iterator<Item = Self>, cell: &Cell) -> Option<Uncertainty> {
        let beside: Vec<Self> = beside.filter(|b| b.booked).collect();
        if beside.is_empty() {
            return None;
        }
        let stated = cell.uncertainty.clone();
        let mut errors = stated.unwrap_or_else(|| Uncertainty::none(cell));
        for Self { robot, error, .. } in beside {
            errors.model[robot] = errors.model[robot].max(error);
        }
        (cell.uncertainty.as_ref() != Some(&errors)).then_some(errors)
    }
}
