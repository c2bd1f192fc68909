//! What is read of a program of lines.

use std::path::Path;
use std::rc::Rc;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::{Branch, MoveKind, MoveProgram, Target};
use clearance_proof::report::Location;

use super::way::{LineProgram, LineWay, ProgramTexts};
use crate::comes_back::note_what_stands_elsewhere;
use crate::controller::ControlledArm;
use crate::record::{MoveRecord, into_programs, unread};
use crate::ways_join::ways_that_join;
use crate::{Assumption, Dialect, Options, Reading};

/// Sees to it that a routine that is asked for is the one of the file.
///
/// # Errors
/// When it is another one.
pub(crate) fn only_routine<P: LineProgram>(
    path: &Path,
    program: &P,
    options: &Options,
) -> Result<(), ImportError> {
    let own = program.name();
    match options.routine {
        Some(routine) if routine != own => Err(ImportError::file(
            path,
            Problem::UnknownName {
                what: "routine",
                name: routine.to_owned(),
                remedy: format!("the file has one {}, `{own}`", P::WHAT),
            },
        )),
        _ => Ok(()),
    }
}

/// Every way through a program, each of which `follow` follows to its end.
pub(crate) fn reading<P: LineProgram>(
    path: &Path,
    dialect: Dialect,
    program: P,
    controller: &ControlledArm,
    options: &Options,
    mut follow: impl FnMut(LineWay<P>, &Rc<P>) -> MoveRecord,
) -> Reading {
    let program = Rc::new(program);
    let text = ProgramTexts::of(&program, options);
    let mut found = ways_that_join(options.bounds, |flow, ways_join| {
        let way = LineWay::new(controller, options, &text, ways_join, flow);
        follow(way, &program)
    });
    let name = program.name();
    let tube = options.orientation_tube;
    note_what_stands_elsewhere(&mut found.ways.ways, path, controller, tube);
    let mut ways = into_programs(found.ways.ways, path, name, controller);
    if let Some(reason) = found.ways.left {
        let place = Location::at(path, 1, None);
        let name = format!("{name}; further ways");
        ways.push(unread(path, name, controller, place, reason));
    }
    Reading {
        dialect,
        assumed: first_line(&ways),
        join: found.join,
        ways,
        point_differences: Vec::new(),
    }
}

/// What is taken for granted of a first move that is a line to a pose: nothing that is known of
/// these controllers says that a configuration binds a line.
fn first_line(ways: &[MoveProgram]) -> Vec<Assumption> {
    let mut found: Vec<Assumption> = Vec::new();
    for way in ways.iter().filter(|way| way.start.is_none()) {
        let Some(first) = way.moves.first().filter(|m| m.kind != MoveKind::Joint) else {
            continue;
        };
        let states = |branch: &Branch| matches!(branch, Branch::Configuration(_));
        if matches!(&first.target, Target::Pose { branch, .. } if states(branch))
            && !found.iter().any(|known| known.place == first.place)
        {
            found.push(Assumption {
                place: first.place.clone(),
                message: "the first target is taken in the configuration that is stated, though a line may not be bound by it: it may arrive in the one in which the arm stands before; begin with a joint move, or say by `start` in the cell file where the arm comes from".into(),
                contradicted: false,
            });
        }
    }
    found
}
