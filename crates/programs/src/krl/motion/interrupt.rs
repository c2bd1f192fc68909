//! Interrupts that a program declares.

use super::*;
use std::rc::Rc;

use crate::block::syntax::{Routine, Statement, StatementKind};

/// An interrupt may come at any time: it must not do anything that counts.
pub(super) fn interrupt(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    place: &Location,
) -> Result<(), Fault> {
    let handler = match call.positional().next() {
        Some(Expression::Call(handler)) => handler,
        Some(Expression::Variable(path)) => return interrupt_sets(interpreter, call, path, place),
        _ => return Err(Fault::new(place, "this interrupt is not understood")),
    };
    let found = interpreter.routine(&handler.name);
    found.map_err(|reason| Fault::new(place, reason))?;
    // The call as a whole: variables that are handed to the routine may come back changed.
    let statement = Statement {
        place: place.clone(),
        what: StatementKind::Call(handler.clone()),
    };
    let effects = interpreter.effects(&[&statement]);
    let counters = interpreter.counters_beside(&[&statement]);
    let counts = |name: &Name| interpreter.counts(name) || counters.contains(name);
    let stops = only_stops(interpreter, handler);
    let mut sets = effects.assigns.iter();
    let quiet = if stops {
        !sets.any(|name| counts(name) && !is_its_own(interpreter, handler, name))
    } else {
        effects.are_quiet() && !sets.any(counts)
    };
    if quiet {
        interpreter.record.pass_over("INTERRUPT")
    } else {
        let remedy = interpreter.remedy_for_unread(&[&statement]);
        let written = interpreter.program.as_written(&handler.name);
        interpreter.doubt(
            place,
            format!(
                "the interrupt that runs `{written}` could move the arm, and when it comes is not known{remedy}"
            ),
        )
    }
    Ok(())
}

/// Whether this is the controller's own handler of a stop, and its file lets it do no more than to
/// stop: the arm stands by then.
pub(in crate::krl) fn only_stops(interpreter: &BlockInterpreter<Krl>, handler: &Call) -> bool {
    let reached = interpreter.program.reached([handler.name.clone()]);
    let mut statements = reached.iter().flat_map(|routine| routine.statements());
    let moves = |statement: &Statement| match &statement.what {
        StatementKind::Unread(reason, _) => !reason.starts_with("`BRAKE`"),
        StatementKind::Assign(path, _) => {
            path.name.starts_with('$') && interpreter.matters(&path.name)
        }
        _ => statement
            .calls()
            .iter()
            .any(|c| builtin::is_motion(&c.name)),
    };
    *handler.name == *"ir_stopm" && !reached.is_empty() && !statements.any(moves)
}

/// Whether a name that the routines of a handler use means variables of their own there: of the routine,
/// or of a module that no other routine is in.
pub(in crate::krl) fn is_its_own(
    interpreter: &BlockInterpreter<Krl>,
    handler: &Call,
    name: &Name,
) -> bool {
    let program = interpreter.program;
    let reached = program.reached([handler.name.clone()]);
    let of_module = |routine: &Routine| {
        let mut data = program.modules[routine.module].data.iter();
        let mut others = program.routines.iter();
        data.any(|d| d.local && d.name == *name)
            && !others.any(|other| {
                other.module == routine.module && !reached.iter().any(|r| Rc::ptr_eq(r, other))
            })
    };
    let uses = |routine: &&&Rc<Routine>| {
        let named = |path: &VariablePath| path.name == *name;
        let asked = routine
            .parts()
            .into_iter()
            .filter_map(Expression::as_variable);
        let mut set = routine.statements().into_iter();
        asked.into_iter().any(|asked| asked == name)
            || set.any(|s| match &s.what {
                StatementKind::Assign(path, _) => named(path),
                StatementKind::For(counting) => counting.name == *name,
                _ => false,
            })
    };
    let using: Vec<_> = reached.iter().filter(uses).collect();
    let is_own = |routine: &&&Rc<Routine>| routine.declares(name) || of_module(routine);
    !using.is_empty() && using.iter().all(is_own)
}

/// An interrupt may set a variable at any time.
fn interrupt_sets(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    path: &VariablePath,
    place: &Location,
) -> Result<(), Fault> {
    let name = &path.name;
    // Outputs and the like, unless a list declares them: then they can be read back.
    let is_output = name.starts_with('$') && builtin::does(name) == Does::Nothing;
    if is_output && matches!(interpreter.seen(name), Ok(None)) {
        interpreter.record.pass_over("INTERRUPT");
        return Ok(());
    }
    let written = interpreter.program.as_written(name);
    let reason = format!("an interrupt sets `{written}`, and when it comes is not known");
    interpreter.doubt(place, reason.clone());
    interpreter.forget_handed(call, &Value::unknown(place, reason))
}
