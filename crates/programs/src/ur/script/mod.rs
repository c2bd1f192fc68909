//! URScript: text to tokens (`lex`), to statements (`parse`, `syntax`), which are followed
//! (`interpreter`, `motion`, `builtin`); `effects` tells what statements could do that are not followed.

mod beside;
mod builtin;
mod effects;
mod interpreter;
mod lex;
mod motion;
mod pairs;
mod parse;
mod syntax;
#[cfg(test)]
mod tests;
mod unread;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use nalgebra::Isometry3;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::{MoveProgram, Unknown};
use clearance_proof::report::Location;

use self::interpreter::ScriptInterpreter;
use self::pairs::ScriptTools;
pub(crate) use self::parse::{expression, statements};
pub(crate) use self::syntax::{
    Function, ScriptAction, ScriptArgument, ScriptBranch, ScriptCall, ScriptExpression,
    ScriptOperator, ScriptScope, ScriptStatement,
};
use self::unread::UnreadNames;
use crate::block::text::decode;
use crate::comes_back::note_what_stands_elsewhere;
use crate::controller::ControlledArm;
use crate::record::{into_programs, unread};
use crate::ur::poses::transform;
use crate::value::Known;
use crate::ways_join::ways_that_join;
use crate::{Dialect, Options, Reading};

/// Reads a script.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let text = decode(bytes);
    let program = statements(path, &text, 1)?;
    let routine = match options.routine {
        Some(name) => Some(named(path, &program, name)?),
        None => only(path, &program)?,
    };
    let body = routine.as_ref().map_or(&program[..], |r| &r.body[..]);
    let tool = options
        .routine
        .and_then(|_| tool_of_caller(&program, controller));
    let tool = tool.map(|unknown| Err(Arc::new(unknown)));
    let followed = follow(path, &program, routine.as_ref(), tool, controller, options);
    let pairs = pairs::differences(&program, body, followed.tools, controller)?;
    Ok(Reading {
        dialect: Dialect::UrScript,
        ways: followed.ways,
        point_differences: pairs.points,
        assumed: pairs.assumed,
        join: followed.join,
    })
}

/// Tools that differ by no more are the same one: files carry six decimals. Metres, radians.
const SAME_TOOL: f64 = 1e-6;

/// Where the file sets another tool than the cell has: what calls a routine may have set it, also by what
/// the routine itself calls, or in an earlier round.
fn tool_of_caller(program: &[ScriptStatement], controller: &ControlledArm) -> Option<Unknown> {
    let mut all: Vec<&ScriptStatement> = Vec::new();
    let mut open = vec![program];
    while let Some(body) = open.pop() {
        let first = all.len();
        body.iter().for_each(|statement| statement.within(&mut all));
        open.extend(all[first..].iter().filter_map(|s| match &s.what {
            ScriptAction::Define(function) => Some(&function.body[..]),
            _ => None,
        }));
    }
    let stated = controller.tool("active");
    let sets_another = |part: &ScriptExpression| {
        let ScriptExpression::Call(call) = part else {
            return false;
        };
        let given = call.arguments.first().and_then(|a| pairs::six(&a.value));
        let same = match (given, &stated) {
            (Some((true, numbers)), Some(stated)) => transform(&numbers).is_some_and(|set| {
                let off = stated.inverse() * set;
                off.translation.vector.norm() < SAME_TOOL && off.rotation.angle() < SAME_TOOL
            }),
            _ => false,
        };
        &*call.name == "set_tcp" && !same
    };
    let mut all = all.into_iter().filter(|statement| {
        let mut parts = Vec::new();
        (statement.expressions().into_iter()).for_each(|e| e.within(&mut parts));
        parts.into_iter().any(sets_another)
    });
    all.next().map(|statement| Unknown {
        place: statement.place.clone(),
        reason: format!(
            "which tool counts is not known: `set_tcp` in line {} sets another one than `active` of the cell, and this may run behind it; check the function that calls it, or set the tool in it",
            statement.place.line.unwrap_or(1)
        ),
    })
}

/// The ways through a program.
pub(crate) struct FollowedScript {
    pub(crate) ways: Vec<MoveProgram>,
    /// [`Reading::join`].
    pub(crate) join: bool,
    tools: ScriptTools,
}

/// Every way through a program, or through one of its functions. `tool` is the one that counts
/// before the first `set_tcp`, where it is known by more than the cell.
pub(crate) fn follow(
    path: &Path,
    program: &[ScriptStatement],
    routine: Option<&Rc<Function>>,
    tool: Option<Known<Isometry3<f64>>>,
    controller: &ControlledArm,
    options: &Options,
) -> FollowedScript {
    let start = || {
        match (&tool, controller.tool("active")) {
        (Some(tool), _) => tool.clone(),
        (None, Some(tool)) => Ok(tool),
        (None, None) => Err(Arc::new(Unknown {
            place: Location::file(path),
            reason: "which tool counts is not known: there is no `set_tcp` before; write `tools = { active = { xyz = […], rpy = […] } }` in the robot's `controller`".to_owned(),
        })),
    }
    };
    let name = routine.map_or(String::new(), |r| r.name.to_string());
    let mut tools = ScriptTools::default();
    if let tool @ Ok(_) = start() {
        tools.add(&tool);
    }
    let tools = RefCell::new(tools);
    let unread_names = UnreadNames::of(path, program);
    let mut followed = ways_that_join(options.bounds, |flow, ways_join| {
        let interpreter =
            ScriptInterpreter::new(controller, flow, start(), &tools, &unread_names, ways_join);
        match routine {
            Some(routine) => interpreter.follow_routine(program, routine),
            None => interpreter.follow(program),
        }
    });
    let tube = options.orientation_tube;
    note_what_stands_elsewhere(&mut followed.ways.ways, path, controller, tube);
    let mut programs = into_programs(followed.ways.ways, path, &name, controller);
    if let Some(reason) = followed.ways.left {
        let place = Location::file(path);
        programs.push(unread(
            path,
            "further ways".into(),
            controller,
            place,
            reason,
        ));
    }
    FollowedScript {
        join: followed.join,
        ways: programs,
        tools: tools.into_inner(),
    }
}

fn functions(program: &[ScriptStatement]) -> impl Iterator<Item = (&Location, &Rc<Function>)> {
    program.iter().filter_map(|s| match &s.what {
        ScriptAction::Define(f) if !f.thread => Some((&s.place, f)),
        _ => None,
    })
}

/// The function of that name.
fn named(
    path: &Path,
    program: &[ScriptStatement],
    name: &str,
) -> Result<Rc<Function>, ImportError> {
    let found = functions(program).find(|(_, f)| &*f.name == name);
    let (place, function) = found.ok_or_else(|| {
        let names: Vec<&str> = functions(program).map(|(_, f)| &*f.name).collect();
        ImportError::file(
            path,
            Problem::UnknownName {
                what: "routine",
                name: name.to_owned(),
                remedy: clearance_formats::suggestion(name, names),
            },
        )
    })?;
    runs_alone(place, function)?;
    Ok(function.clone())
}

/// The function that the file consists of; none where it has statements of its own.
fn only(path: &Path, program: &[ScriptStatement]) -> Result<Option<Rc<Function>>, ImportError> {
    if program
        .iter()
        .any(|s| !matches!(s.what, ScriptAction::Define(_)))
    {
        return Ok(None);
    }
    let all: Vec<_> = functions(program).collect();
    match &all[..] {
        [(place, function)] => {
            runs_alone(place, function)?;
            Ok(Some(Rc::clone(function)))
        }
        _ => {
            let names: Vec<_> = all.iter().map(|(_, f)| format!("`{}`", f.name)).collect();
            Err(ImportError::file(
                path,
                Problem::Syntax {
                    cause: if names.is_empty() {
                        "the script has no statement".to_owned()
                    } else {
                        format!("the script has several functions: {}", names.join(", "))
                    },
                    remedy: "name the one that runs by `--routine`".into(),
                },
            ))
        }
    }
}

fn runs_alone(place: &Location, function: &Function) -> Result<(), ImportError> {
    if function.parameters.iter().all(|p| p.default.is_some()) {
        return Ok(());
    }
    Err(ImportError {
        place: place.clone(),
        problem: Problem::Syntax {
            cause: format!("`{}` has parameters", function.name),
            remedy: "verify the program that calls it".into(),
        },
    })
}
