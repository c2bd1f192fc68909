//! Where a controller's program begins, for the eye: it may have no point that would show a wrong
//! frame, tool or sign.

use clearance_formats::LoadedCell;
use clearance_programs::controller::shown;
use clearance_proof::model::BodyId;
use clearance_proof::model::moves::MoveProgram;
use clearance_proof::motion::programmed::CellMoves;
use nalgebra::Isometry3;

use super::robot::robot_of;
use crate::findings::{Code, Diagnostic};

/// Joint values and pose of the first target of a program.
pub(super) fn notice(
    program: &MoveProgram,
    for_cell: &CellMoves,
    loaded: &LoadedCell,
) -> Option<Diagnostic> {
    let cell = &loaded.cell;
    let robot = robot_of(program, cell)?;
    let first = program.moves.first()?;
    // Before it stands the start, if that is known.
    let before = for_cell.stations.len().checked_sub(program.moves.len())?;
    let station = for_cell.stations.get(before)?;
    let mut q = cell.rest.clone();
    for (&joint, &value) in for_cell.columns.iter().zip(&station.q) {
        q[joint] = value;
    }
    cell.resolve_mimic(&mut q);
    let world_from_joint = cell.forward(&q);
    let place = |body: BodyId| cell.body_pose(&world_from_joint, body);
    let prefix = &cell.robots[robot].name;
    let link = |name: &str| {
        if prefix.is_empty() {
            cell.body(name)
        } else {
            cell.body(&format!("{prefix}/{name}"))
        }
    };
    let said = loaded.robots[robot].controller.as_ref();
    let base = said.and_then(|said| said.base.as_ref());
    let world_from_base: Isometry3<f64> = match (base, link("base")) {
        (Some(base), _) => place(link(&base.link)?) * base.link_from_frame,
        (None, Some(base)) => place(base),
        (None, None) => cell.robots[robot].world_from_base,
    };
    let world_from_tool = place(link(&first.tool.link)?) * first.tool.link_from_frame;
    let joints = for_cell.columns.iter().zip(&station.q);
    let joints: Vec<String> = joints
        .map(|(&joint, &value)| cell.joints[joint].kind.show(value))
        .collect();
    let name = if first.label.is_empty() {
        String::new()
    } else {
        format!("`{}`, ", first.label)
    };
    let message = format!(
        "{name}joints {}, tool at {} in the controller's base: joint values and pose of no point of the program were compared, so hold this \
         against the pendant",
        joints.join(", "),
        shown(&(world_from_base.inverse() * world_from_tool))
    );
    let subject = first.place.to_string();
    Some(Diagnostic::note(Code::FirstTarget, subject, message).at(first.place.clone()))
}
