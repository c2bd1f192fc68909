//! Points of which a script has both the pose and the joint values, as PolyScope exports them:
//! `NAME_p` and `NAME_q`.

use std::collections::BTreeMap;

use nalgebra::Isometry3;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::Frame;
use clearance_proof::report::Location;

use super::super::poses;
use super::syntax::{ScriptAction, ScriptExpression, ScriptStatement};
use crate::controller::{Compared, ControlledArm, JointUnit};

/// Holds each such pair that the program may set against the robot's model. Which of the tools that
/// the program moves with a point was taught with is not told, nor which value counts where a name
/// has several: of all that may be meant, within what an arm may be off, the worst is taken.
///
/// # Errors
/// When nothing that may be meant is so near: frame, tool or robot is not that of the program.
pub(super) fn compared(
    program: &[ScriptStatement],
    body: &[ScriptStatement],
    tools: &[Isometry3<f64>],
    controller: &ControlledArm,
) -> Result<Vec<Compared>, ImportError> {
    let frames = controller.base(Some("base")).ok();
    let Some((base, flange)) = frames.zip(controller.flange(Some("tool0")).ok()) else {
        return Ok(Vec::new());
    };
    let all = reached(program, body);
    let literals = literals(&all);
    let mut found = Vec::new();
    for (name, poses) in &literals {
        let Some(stem) = name.strip_suffix("_p") else {
            continue;
        };
        let joints = literals.get(format!("{stem}_q").as_str());
        let joints = joints.into_iter().flatten().filter(|l| !l.is_pose);
        let mut worst: Option<Compared> = None;
        let mut refused = None;
        for joints in joints {
            let fail = |cause: String, remedy: &str| ImportError {
                place: joints.place.clone(),
                problem: Problem::Syntax {
                    cause,
                    remedy: remedy.into(),
                },
            };
            let values = controller.to_urdf(&joints.numbers, JointUnit::Radians);
            let values = values.map_err(|cause| fail(cause, "check the robot of the cell"))?;
            for pose in poses.iter().filter(|l| l.is_pose) {
                let stated = poses::transform(&pose.numbers).ok_or_else(|| {
                    let cause = format!("`{name}` has a number that cannot be right: too large");
                    fail(cause, "correct it in the program")
                })?;
                for tool in tools {
                    let tool = Frame {
                        link_from_frame: flange.link_from_frame * tool,
                        link: flange.link.clone(),
                    };
                    let place = (pose.place, stem);
                    match controller.compare(place, &values, (&tool, &base), &stated) {
                        Ok(new) => {
                            worst = Some(match worst {
                                Some(known) => known.worse(new),
                                None => new,
                            });
                        }
                        Err(error) => refused = Some(error),
                    }
                }
            }
        }
        match (worst, refused) {
            (Some(worst), _) => found.push(worst),
            (None, Some(error)) => return Err(error),
            // No tool is known: nothing that depends on one is, either.
            (None, None) => {}
        }
    }
    Ok(found)
}

/// The statements of a body and of all functions and threads that it may call.
fn reached<'s>(
    program: &'s [ScriptStatement],
    body: &'s [ScriptStatement],
) -> Vec<&'s ScriptStatement> {
    let mut functions: BTreeMap<&str, &[ScriptStatement]> = BTreeMap::new();
    for statement in program {
        if let ScriptAction::Define(function) = &statement.what {
            functions.insert(&function.name, &function.body);
        }
    }
    let mut all: Vec<&ScriptStatement> = Vec::new();
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        let first = all.len();
        body.iter().for_each(|s| s.within(&mut all));
        for statement in &all[first..] {
            if let ScriptAction::Define(function) = &statement.what {
                functions.insert(&function.name, &function.body);
            }
        }
        let mut parts = Vec::new();
        for statement in &all[first..] {
            (statement.expressions().into_iter()).for_each(|e| e.within(&mut parts));
        }
        for part in parts {
            if let ScriptExpression::Call(call) | ScriptExpression::Run(call) = part {
                // Each once, be it called by itself.
                open.extend(functions.remove(&*call.name));
            }
        }
    }
    all
}

/// Six numbers that a variable is set to.
struct PointLiteral<'s> {
    place: &'s Location,
    /// Whether they are a pose.
    is_pose: bool,
    numbers: [f64; 6],
}

/// The different ones that each variable is set to.
fn literals<'s>(all: &[&'s ScriptStatement]) -> BTreeMap<&'s str, Vec<PointLiteral<'s>>> {
    let mut found: BTreeMap<&str, Vec<PointLiteral>> = BTreeMap::new();
    for statement in all {
        let ScriptAction::Assign {
            name, at, value, ..
        } = &statement.what
        else {
            continue;
        };
        if let (true, Some((is_pose, numbers))) = (at.is_empty(), six(value)) {
            let known = found.entry(&**name).or_default();
            if !(known.iter()).any(|l| l.is_pose == is_pose && l.numbers == numbers) {
                known.push(PointLiteral {
                    place: &statement.place,
                    is_pose,
                    numbers,
                });
            }
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
