//! What a function finds that is checked alone: the file shows what its callers may have begun.

use std::rc::Rc;

use clearance_proof::model::moves::Unknown;

use super::builtin::moves;
use super::effects::Functions;
use super::pairs;
use super::syntax::{Function, ScriptAction, ScriptExpression, ScriptStatement};
use crate::controller::ControlledArm;
use crate::ur::poses::transform;

/// All statements of a file and of the functions in it, but for those of this one.
fn all_statements<'p>(
    program: &'p [ScriptStatement],
    without: Option<&Rc<Function>>,
) -> Vec<&'p ScriptStatement> {
    let mut all: Vec<&ScriptStatement> = Vec::new();
    let mut open = vec![program];
    while let Some(body) = open.pop() {
        let first = all.len();
        body.iter().for_each(|statement| statement.within(&mut all));
        open.extend(all[first..].iter().filter_map(|s| match &s.what {
            ScriptAction::Define(function) if !without.is_some_and(|w| Rc::ptr_eq(w, function)) => {
                Some(&function.body[..])
            }
            _ => None,
        }));
    }
    all
}

/// Where the file begins, outside of a routine that is checked alone, what changes how the arm moves, or
/// starts a thread that moves it: the routine may run behind it.
pub(super) fn mode_of_caller(
    program: &[ScriptStatement],
    routine: &Rc<Function>,
    controller: &ControlledArm,
) -> Option<Unknown> {
    let all = all_statements(program, Some(routine));
    let mut functions = Functions::default();
    for statement in &all {
        if let ScriptAction::Define(function) = &statement.what {
            // Two of one name are told where one of them is called.
            _ = functions.define(function, 1, &statement.place);
        }
    }
    let begins = |part: &&ScriptExpression| match part {
        ScriptExpression::Call(call) => functions.named(&call.name).is_none() && moves(&call.name),
        ScriptExpression::Run(_) => functions.of_value(part, controller).moves,
        _ => false,
    };
    all.into_iter().find_map(|statement| {
        let mut parts = Vec::new();
        (statement.expressions().into_iter()).for_each(|e| e.within(&mut parts));
        let found = parts.into_iter().find(begins)?;
        let (ScriptExpression::Call(call) | ScriptExpression::Run(call)) = found else {
            return None;
        };
        let line = statement.place.line.unwrap_or(1);
        Some(Unknown {
            place: statement.place.clone(),
            reason: format!(
                "`{}` in line {line} moves the arm or changes how it moves, and `{}` may run behind it; check the function that calls it",
                call.name, routine.name
            ),
        })
    })
}

/// Tools that differ by no more are the same one: files carry six decimals. Metres, radians.
const SAME_TOOL: f64 = 1e-6;

/// Where the file sets another tool than the cell has: what calls a routine may have set it, also by what
/// the routine itself calls, or in an earlier round.
pub(super) fn tool_of_caller(
    program: &[ScriptStatement],
    controller: &ControlledArm,
) -> Option<Unknown> {
    let all = all_statements(program, None);
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
