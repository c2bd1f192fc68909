//! Interrupts that a program declares.

use super::*;
use crate::block::syntax::{Statement, StatementKind};

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
    let is_still = effects.are_quiet() || only_stops(interpreter, handler);
    let quiet = is_still && !effects.assigns.iter().any(counts);
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
