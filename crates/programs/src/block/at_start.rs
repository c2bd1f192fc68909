//! What a routine does before anything moves, and what other routines leave behind for it.

use std::rc::Rc;

use super::syntax::{
    BlockProgram, Call, Declaration, Expression, Routine, Statement, StatementKind,
};

/// The routines that this one does not call itself: what it calls is followed.
pub(crate) fn others<'p>(
    program: &'p BlockProgram,
    entry: &Routine,
) -> impl Iterator<Item = &'p Rc<Routine>> {
    let own = program.reached([entry.name.clone()]);
    let all = program.routines.iter();
    all.filter(move |r| !own.iter().any(|o| Rc::ptr_eq(o, r)))
}

/// The statements with which a routine surely begins: those before the first one in which, or in a
/// block of which, something may move the arm, a routine of the program runs, or the program goes on
/// elsewhere.
pub(crate) fn begins_with<'r>(
    program: &BlockProgram,
    routine: &'r Routine,
    is_move: impl Fn(&str) -> bool,
) -> Vec<&'r Statement> {
    let calls = |call: &Call| calls_routine(program, call);
    let runs_one = |part: &Expression| part.as_call().is_some_and(calls);
    // First values are computed before.
    let mut first = routine.data.iter().flat_map(Declaration::parts);
    if first.any(runs_one) {
        return Vec::new();
    }
    let goes_on = |statement: &Statement| match &statement.what {
        // What it declares runs later, if at all.
        StatementKind::Call(call) if *call.name == *"interrupt decl" => true,
        StatementKind::Call(call) if is_move(&call.name) || calls(call) => false,
        StatementKind::Goto(_) | StatementKind::Unread(..) => false,
        _ => !statement.parts().into_iter().any(runs_one),
    };
    let body = routine.body.iter();
    let passes = |statement: &&Statement| Statement::within([*statement]).into_iter().all(goes_on);
    body.take_while(passes).collect()
}

/// Whether a routine sets back at once what a statement of it sets, with nothing but instructions
/// between.
pub(crate) fn is_set_back(
    program: &BlockProgram,
    routine: &Routine,
    at: &Statement,
    sets_back: impl Fn(&Statement) -> bool,
) -> bool {
    let calls = |call: &Call| calls_routine(program, call);
    let goes_on = |statement: &&Statement| {
        let mut parts = statement.parts().into_iter();
        let asks = parts.any(|part| part.as_call().is_some_and(calls));
        let plain = match &statement.what {
            StatementKind::Call(call) => !calls(call),
            StatementKind::Assign(..) | StatementKind::Pass(_) => true,
            _ => false,
        };
        plain && !asks
    };
    let mut body = routine.body.iter().skip_while(|s| !std::ptr::eq(*s, at));
    body.next();
    body.take_while(goes_on).any(sets_back)
}

fn calls_routine(program: &BlockProgram, call: &Call) -> bool {
    *call.name == *"callbyvar" || program.routines.iter().any(|r| r.name == call.name)
}
