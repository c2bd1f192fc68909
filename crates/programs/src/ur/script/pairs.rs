//! Points of which a script has both the pose and the joint values, as PolyScope exports them:
//! `NAME_p` and `NAME_q`.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::Isometry3;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::{Frame, Unknown};
use clearance_proof::report::Location;

use super::super::poses;
use super::syntax::{ScriptAction, ScriptCall, ScriptExpression, ScriptStatement};
use crate::Assumption;
use crate::controller::{ControlledArm, JointUnit, PointDifference};
use crate::value::{Fault, Known};

/// The tools of a program, in the flange: a point may be taught with each of them, be it one that
/// nothing moves with.
#[derive(Debug, Default)]
pub(super) struct ScriptTools {
    /// By their six numbers.
    known: BTreeMap<[u64; 6], Isometry3<f64>>,
    /// The places at which a known one is set.
    set_at: Vec<Location>,
    /// Why another one is not known.
    unknown: Option<Arc<Unknown>>,
}

impl ScriptTools {
    /// One that counts.
    pub(super) fn add(&mut self, tool: &Known<Isometry3<f64>>) {
        match tool {
            Ok(tool) => {
                let key = poses::numbers(tool).map(f64::to_bits);
                self.known.insert(key, *tool);
            }
            Err(why) => _ = self.unknown.get_or_insert_with(|| why.clone()),
        }
    }

    /// One that is set, or could not be.
    pub(super) fn set(&mut self, tool: &Result<Known<Isometry3<f64>>, Fault>, place: &Location) {
        match tool {
            Ok(tool) => {
                if tool.is_ok() && !self.set_at.contains(place) {
                    self.set_at.push(place.clone());
                }
                self.add(tool);
            }
            Err(fault) => self.add(&Err(Arc::new(fault.clone().into()))),
        }
    }

    /// Takes in those that are set where the program was not followed to.
    fn add_reached(&mut self, all: &[&ScriptStatement]) {
        for statement in all {
            let mut parts = Vec::new();
            (statement.expressions().into_iter()).for_each(|e| e.within(&mut parts));
            for part in parts {
                let (ScriptExpression::Call(call) | ScriptExpression::Run(call)) = part else {
                    continue;
                };
                let place = &statement.place;
                if &*call.name != "set_tcp" || self.set_at.contains(place) {
                    continue;
                }
                self.add(&tool_of(call).ok_or_else(|| {
                    let reason = "the tool that is set is not known".to_owned();
                    let place = place.clone();
                    Arc::new(Unknown { place, reason })
                }));
            }
        }
    }
}

/// The tool that a call of `set_tcp` states in numbers.
fn tool_of(call: &ScriptCall) -> Option<Isometry3<f64>> {
    let is_pose = |name: &Option<Arc<str>>| name.as_ref().is_none_or(|name| &**name == "pose");
    let pose = call.arguments.iter().find(|a| is_pose(&a.name))?;
    let (true, numbers) = six(&pose.value)? else {
        return None;
    };
    poses::transform(&numbers)
}

/// How such pairs differ in the robot's model.
#[derive(Debug, Default)]
pub(super) struct PairDifferences {
    pub(super) points: Vec<PointDifference>,
    /// Those that could not be compared.
    pub(super) assumed: Vec<Assumption>,
}

/// Holds each such pair that the program may set against the robot's model. Which of the tools of
/// the program a point was taught with is not told, nor which value counts where a name has
/// several: of all that may be meant, within what an arm may be off, the worst is taken. Where
/// nothing is so near, and a tool is not known, it may be that one: the pair is not compared.
///
/// # Errors
/// When nothing that may be meant is so near: frame, tool or robot is not that of the program.
pub(super) fn differences(
    program: &[ScriptStatement],
    body: &[ScriptStatement],
    mut tools: ScriptTools,
    controller: &ControlledArm,
) -> Result<PairDifferences, ImportError> {
    let mut found = PairDifferences::default();
    let frames = controller.base(Some("base")).ok();
    let Some((base, flange)) = frames.zip(controller.flange(Some("tool0")).ok()) else {
        return Ok(found);
    };
    let all = reached(program, body);
    tools.add_reached(&all);
    let literals = literals(&all);
    for (name, poses) in &literals {
        let Some(stem) = name.strip_suffix("_p") else {
            continue;
        };
        let joints = literals.get(format!("{stem}_q").as_str());
        let joints = joints.into_iter().flatten().filter(|l| !l.is_pose);
        let mut worst: Option<PointDifference> = None;
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
                for tool in tools.known.values() {
                    let tool = Frame {
                        link_from_frame: flange.link_from_frame * tool,
                        link: flange.link.clone(),
                    };
                    match controller.compare(pose.place, stem, &values, &tool, &base, &stated) {
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
        match (worst, refused, &tools.unknown) {
            (Some(worst), ..) => found.points.push(worst),
            (None, Some(error), Some(why)) => found.assumed.push(not_compared(stem, &error, why)),
            (None, Some(error), None) => return Err(error),
            // No tool is known: nothing that depends on one is, either.
            (None, None, _) => {}
        }
    }
    Ok(found)
}

/// That a pair may belong to a tool that is not known.
fn not_compared(stem: &str, refused: &ImportError, why: &Unknown) -> Assumption {
    let line = (why.place.line).map_or(String::new(), |line| format!(" (line {line})"));
    Assumption {
        place: refused.place.clone(),
        message: format!(
            "joint values and pose of `{stem}` are not compared with the robot's model: they fit none of the tools that are known, and another one is not: {}{line}; hold this point against the pendant",
            why.reason
        ),
        contradicted: false,
    }
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
pub(super) fn six(value: &ScriptExpression) -> Option<(bool, [f64; 6])> {
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
