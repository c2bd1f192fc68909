//! Tools that a program counts with and the cell does not have: what the arm really carries is then
//! not checked. And tools that are too long to be meant.

use std::path::Path;

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::model::moves::{Frame, MoveProgram};
use clearance_proof::model::{BodyId, Cell, EventChange, JointId, Role, Timeline};
use nalgebra::Point3;

use super::robot::{hangs_on, robot_of};
use crate::findings::{Code, Diagnostic, Location};
use crate::run::extent::{bounds, metres, reach};

/// A tool that ends so near to its link is none: flanges and pointers differ by as much, metres.
const SHORT_M: f64 = 0.02;
/// A tool beyond so many times the robot's reach, and so many metres, is in another unit: a straight
/// move with it turns the arm by next to nothing.
const TOO_LONG: f64 = 2.0;
const TOO_LONG_M: f64 = 3.0;
/// What is drawn of the arm reaches as far as the tool, but for this share of its length: the tool is
/// a part of the last link.
const DRAWN: f64 = 0.5;

/// The tool of a program whose end is farthest away from the link that carries it.
#[derive(Debug, Clone)]
pub(in crate::run) struct ProgramTool {
    /// The link in the cell.
    link: BodyId,
    frame: Frame,
}

impl ProgramTool {
    /// Of a program of moves; none: it moves a link that the cell does not have, or nothing.
    pub(super) fn of(program: &MoveProgram, cell: &Cell) -> Option<Self> {
        let prefix = &cell.robots[robot_of(program, cell)?].name;
        let tools = program.moves.iter().map(|m| &m.tool);
        let frame = tools.max_by(|a, b| length(a).total_cmp(&length(b)))?;
        let name = match prefix.as_str() {
            "" => frame.link.clone(),
            prefix => format!("{prefix}/{}", frame.link),
        };
        Some(Self {
            link: cell.body(&name)?,
            frame: frame.clone(),
        })
    }
}

fn length(tool: &Frame) -> f64 {
    tool.link_from_frame.translation.vector.norm()
}

/// Says that the tool of the program in this file is too long, or that nothing is where it is.
pub(super) fn bare_tool(
    tool: &ProgramTool,
    file: &Path,
    cell: &Cell,
    timeline: &Timeline,
) -> Option<Diagnostic> {
    let length = length(&tool.frame);
    let reach = reach(cell);
    if length > TOO_LONG_M.max(TOO_LONG * reach) {
        let why = format!(
            "the program's tool ends {} from `{}`, and the robot's reach is {}: it looks like millimetres where metres are meant; \
             correct where the program, or the cell file, states it",
            metres(length),
            cell.bodies[tool.link].name,
            metres(reach)
        );
        let said = Diagnostic::notice(Code::SuspiciousPlace, file.display().to_string(), why);
        return Some(said.at(Location::file(file)));
    }
    let joint = cell.bodies[tool.link].joint?;
    if length <= SHORT_M || is_carried(cell, tool.link, joint) || is_brought(cell, joint, timeline)
    {
        return None;
    }
    // What is drawn of the arm may hold the tool.
    let end = tool.frame.link_from_frame.translation.vector;
    let joint_from_link = &cell.bodies[tool.link].joint_from_body;
    let end = joint_from_link * Point3::from(end);
    let of_joint = cell.bodies.iter().filter(|body| body.joint == Some(joint));
    let gaps = of_joint.filter_map(|body| {
        let end = body.joint_from_body.inverse() * end;
        Some(bounds(body)?.gap(&Aabb::at(&end)))
    });
    let gap = gaps.reduce(f64::min).unwrap_or(f64::INFINITY);
    if gap <= SHORT_M.max(DRAWN * length) {
        return None;
    }
    let name = &cell.bodies[tool.link].name;
    let why = format!(
        "the program's tool ends {:.0} mm from `{name}`, and nothing is attached there: what the arm carries is not checked; add it to \
         the cell file as [[attach]] with `parent = \"{name}\"`",
        length * 1e3
    );
    let said = Diagnostic::notice(Code::CarriedObject, file.display().to_string(), why);
    Some(said.at(Location::file(file)))
}

/// Whether the cell has something on a link, or on what moves with it: an attachment, or links behind
/// the arm's last one.
fn is_carried(cell: &Cell, link: BodyId, joint: JointId) -> bool {
    // The arm's last link is the one that the joint itself moves.
    let is_last = |body: BodyId| {
        let parent = cell.bodies[body].parent;
        parent.is_none_or(|parent| cell.bodies[parent].joint != Some(joint))
    };
    let mut drawn = (0..cell.bodies.len()).filter(|&id| !cell.bodies[id].shapes.is_empty());
    drawn.any(|id| {
        let body = &cell.bodies[id];
        match body.joint {
            Some(own) if own == joint => body.role == Role::Attached || id != link && !is_last(id),
            // Fingers.
            Some(own) => hangs_on(cell, own, joint),
            None => false,
        }
    })
}

/// Whether an event puts something there.
fn is_brought(cell: &Cell, joint: JointId, timeline: &Timeline) -> bool {
    let mut changes = timeline.events.iter().map(|event| &event.change);
    changes.any(|change| match change {
        EventChange::Attach { link, .. } => {
            let own = cell.bodies[*link].joint;
            own.is_some_and(|own| own == joint || hangs_on(cell, own, joint))
        }
        _ => false,
    })
}
