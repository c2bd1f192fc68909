//! Every way through a routine.

use std::path::Path;
use std::rc::Rc;

use clearance_proof::model::moves::MoveProgram;

use super::interpreter::{BlockInterpreter, counted};
use super::syntax::{BlockProgram, Call, Expression, Name, Routine, RoutineKind};
use super::{Does, Language};
use crate::Options;
use crate::controller::ControlledArm;
use crate::flow::ways;
use crate::record::{into_programs, unread};

/// Follows every way through a routine; `again`: it starts anew whenever it has ended.
pub(crate) fn follow<'m, L: Language>(
    path: &Path,
    program: &'m BlockProgram,
    (routine, again): (&Rc<Routine>, bool),
    controller: &'m ControlledArm<'m>,
    options: &Options,
    (does, asked): (impl Fn(&Call) -> Does, impl Fn(&Call) -> Does),
    start: impl Fn() -> L,
) -> Vec<MoveProgram> {
    let counted = counted(program, L::READ_UNNAMED, does, asked);
    let found = ways(options.bounds, |flow| {
        let mut interpreter = BlockInterpreter::new(program, controller, start(), flow, &counted);
        interpreter.run(routine, again);
        interpreter.record
    });
    let mut programs = into_programs(found.ways, path, &routine.written, controller);
    if let Some(reason) = found.left {
        let place = routine.place.clone();
        let name = format!("{}; further ways", routine.written);
        programs.push(unread(path, name, controller, place, reason));
    }
    programs
}

/// Routines that could run by themselves and that no other one calls.
pub(crate) fn roots(program: &BlockProgram) -> Vec<&Rc<Routine>> {
    let called = |name: &Name| {
        program.routines.iter().any(|routine| {
            let mut all = Vec::new();
            let own = routine.body.iter().chain(&routine.handlers);
            own.for_each(|s| s.within(&mut all));
            all.iter().any(|statement| {
                let mut parts = Vec::new();
                statement
                    .expressions()
                    .into_iter()
                    .for_each(|e| e.within(&mut parts));
                let asked = |e: &&Expression| matches!(e, Expression::Call(c) if c.name == *name);
                let by_statement = |c: &Call| c.name == *name && routine.name != *name;
                matches!(&statement.what, super::syntax::StatementKind::Call(c) if by_statement(c))
                    || parts.iter().any(asked)
            })
        })
    };
    let all = program.routines.iter();
    let alone = |r: &&Rc<Routine>| {
        r.sort == RoutineKind::Procedure
            && r.parameters.iter().all(|p| p.optional)
            && !called(&r.name)
    };
    all.filter(alone).collect()
}

/// A file of which nothing runs.
pub(crate) fn nothing(path: &Path, controller: &ControlledArm) -> Vec<MoveProgram> {
    let record = crate::record::MoveRecord::default();
    vec![record.into_program(path, String::new(), controller)]
}
