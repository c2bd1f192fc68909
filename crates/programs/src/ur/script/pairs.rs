//! Points of which a script has both the pose and the joint values, as PolyScope exports them:
//! `NAME_p` and `NAME_q`.

use std::collections::BTreeMap;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::Frame;
use clearance_proof::report::Location;

use super::super::poses;
use super::syntax::{ScriptAction, ScriptExpression, ScriptStatement};
use crate::controller::{Compared, ControlledArm, JointUnit};

/// Holds each such pair against the robot's model, where one tool only is set for all of the
/// program.
///
/// # Errors
/// When they are so far apart that frame, tool or robot is not that of the program.
pub(super) fn compared(
    body: &[ScriptStatement],
    controller: &ControlledArm,
) -> Result<Vec<Compared>, ImportError> {
    let mut all = Vec::new();
    body.iter().for_each(|s| s.within(&mut all));
    let mut tools = all.iter().filter_map(|s| match &s.what {
        ScriptAction::Do(ScriptExpression::Call(call)) if &*call.name == "set_tcp" => Some(call),
        _ => None,
    });
    let tool = match (tools.next(), tools.next()) {
        (Some(call), None) => {
            let pose = call.arguments.first().map(|a| &a.value);
            pose.and_then(six)
                .and_then(|(_, six)| poses::transform(&six))
        }
        (None, _) => controller.tool("active"),
        (Some(_), Some(_)) => None,
    };
    let frames = controller.base(Some("base")).ok();
    let frames = frames.zip(controller.flange(Some("tool0")).ok());
    let (Some(tool), Some((base, flange))) = (tool, frames) else {
        return Ok(Vec::new());
    };
    let tool = Frame {
        link_from_frame: flange.link_from_frame * tool,
        link: flange.link,
    };
    let mut found = Vec::new();
    let literals = literals(&all);
    for (name, pose) in &literals {
        let Some(stem) = name.strip_suffix("_p") else {
            continue;
        };
        let joints = literals.get(format!("{stem}_q").as_str());
        let (Some((place, true, pose)), Some(Some((_, false, joints)))) = (pose, joints) else {
            continue;
        };
        let joints = controller.to_urdf(joints, JointUnit::Radians);
        let joints = joints.map_err(|cause| ImportError {
            place: (*place).clone(),
            problem: Problem::Syntax {
                cause,
                remedy: "check the robot of the cell".into(),
            },
        })?;
        let pose = poses::transform(pose).ok_or_else(|| ImportError {
            place: (*place).clone(),
            problem: Problem::Syntax {
                cause: format!("`{name}` has a number that cannot be right: too large"),
                remedy: "correct it in the program".into(),
            },
        })?;
        found.push(controller.compare((place, stem), &joints, (&tool, &base), &pose)?);
    }
    Ok(found)
}

/// Where a variable is set to six numbers, whether these are a pose, and the numbers; none: it is
/// set more than once.
type Literal<'s> = Option<(&'s Location, bool, [f64; 6])>;

fn literals<'s>(all: &[&'s ScriptStatement]) -> BTreeMap<&'s str, Literal<'s>> {
    let mut found = BTreeMap::new();
    for statement in all {
        let ScriptAction::Assign {
            name, at, value, ..
        } = &statement.what
        else {
            continue;
        };
        if let (true, Some((is_pose, numbers))) = (at.is_empty(), six(value)) {
            found
                .entry(&**name)
                .and_modify(|known| *known = None)
                .or_insert(Some((&statement.place, is_pose, numbers)));
        }
    }
    found
}

/// Whether it is a pose, and its numbers.
fn six(value: &ScriptExpression) -> Option<(bool, [f64; 6])> {
    let (is_pose, items) = match value {
        ScriptExpression::Pose(items) => (true, items),
        ScriptExpression::List(items) => (false, items),
        _ => return None,
    };
    let number = |item: &ScriptExpression| match item {
        ScriptExpression::Number(number) => Some(*number),
        ScriptExpression::Negative(inner) => match **inner {
            ScriptExpression::Number(number) => Some(-number),
            _ => None,
        },
        _ => None,
    };
    let numbers: Vec<f64> = items.iter().map(number).collect::<Option<_>>()?;
    Some((is_pose, numbers.try_into().ok()?))
}
