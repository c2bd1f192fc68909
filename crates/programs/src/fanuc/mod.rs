//! Listings of FANUC's controllers (TP, `.ls`): statements and taught positions (`listing`), which
//! are followed (`interpreter`), with position registers and frames of the controller's own lists
//! (`backup`).

mod backup;
mod interpreter;
mod listing;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use clearance_formats::ImportError;

use self::backup::Backup;
use self::interpreter::{FanucInterpreter, FanucText};
use crate::controller::ControlledArm;
use crate::lines::at_hand::ProgramsAtHand;
use crate::lines::kept::kept_changes;
use crate::lines::unread::UnreadValues;
use crate::lines::waited::WaitedValues;
use crate::lines::{first_line, follow, only_routine};
use crate::{Dialect, Options, Reading};

/// Reads a listing.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let program = listing::parse(path, bytes)?;
    only_routine(path, &program.name, "program", options)?;
    let mut backup = Backup::default();
    for file in controller.files() {
        backup.read(file)?;
    }
    let program = Rc::new(program);
    let mut at_hand = ProgramsAtHand::default();
    let programs = at_hand.all_from(&program, options);
    let text = FanucText {
        programs: RefCell::new(at_hand),
        kept: kept_changes(&programs),
        unread: UnreadValues::of(&programs),
        waited: WaitedValues::of(&programs),
    };
    let (ways, join) = follow(path, &program.name, controller, options, |flow, known| {
        FanucInterpreter::new(controller, &backup, options, &text, known, flow).follow(&program)
    });
    Ok(Reading {
        dialect: Dialect::Fanuc,
        assumed: first_line(&ways),
        join,
        ways,
        point_differences: Vec::new(),
    })
}
