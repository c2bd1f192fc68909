//! Budgets of error: as reports tell them, and how events change what they mean.

use clearance_proof::model::{Cell, JointKind, RigidError};

use crate::findings::{ErrorBudget, ErrorKind};

/// Every budget of a cell that allows something.
pub(super) fn budgets(cell: &Cell) -> Vec<ErrorBudget> {
    let Some(budget) = &cell.uncertainty else {
        return Vec::new();
    };
    let mut budgets = Vec::new();
    let mut tell = |kind, name: &str, shift: f64, turn: f64| {
        if shift > 0.0 || turn > 0.0 {
            budgets.push(ErrorBudget {
                kind,
                name: name.to_owned(),
                shift,
                turn,
            });
        }
    };
    for (robot, error) in cell.robots.iter().zip(&budget.base) {
        tell(ErrorKind::Base, &robot.name, error.shift_m, error.turn_rad);
    }
    for (id, robot) in cell.robots.iter().enumerate() {
        // A cell states the same for all joints of a robot.
        let own = cell.joints.iter().zip(&budget.model);
        let own = own.filter(|(joint, _)| joint.robot == id);
        let error = own.fold(RigidError::default(), |most, (_, error)| most.max(*error));
        tell(ErrorKind::Model, &robot.name, error.shift_m, error.turn_rad);
    }
    for (id, &error) in budget.joint.iter().enumerate() {
        let slides = cell.joints[id].kind == JointKind::Prismatic;
        let (shift, turn) = if slides { (error, 0.0) } else { (0.0, error) };
        tell(ErrorKind::Joint, &cell.joint_label(id), shift, turn);
    }
    for (id, body) in cell.bodies.iter().enumerate() {
        let rigid = [
            (ErrorKind::Tool, budget.tool[id]),
            (ErrorKind::Obstacle, budget.obstacle[id]),
        ];
        for (kind, error) in rigid {
            tell(kind, &body.name, error.shift_m, error.turn_rad);
        }
        tell(ErrorKind::Mesh, &body.name, budget.mesh[id], 0.0);
    }
    budgets
}
