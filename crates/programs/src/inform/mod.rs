//! Jobs of Yaskawa's controllers (INFORM, `.jbi`): a list of positions under headers that count
//! until the next one (`job`), and instructions that are followed (`interpreter`), with tools and
//! user frames of the controller's own lists (`backup`).

mod backup;
mod interpreter;
mod job;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::path::Path;

use clearance_formats::ImportError;

use self::backup::InformBackup;
use self::interpreter::{InformInterpreter, InformText};
use crate::controller::ControlledArm;
use crate::lines::at_hand::ProgramsAtHand;
use crate::lines::kept::kept_changes;
use crate::lines::unread::UnreadValues;
use crate::lines::waited::WaitedValues;
use crate::lines::{first_line, follow, only_routine};
use crate::{Dialect, Options, Reading};

/// Reads a job.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let job = job::parse(path, bytes)?;
    only_routine(path, &job.name, "job", options)?;
    let mut backup = InformBackup::default();
    for file in controller.files() {
        backup.read(file)?;
    }
    let job = std::rc::Rc::new(job);
    let mut at_hand = ProgramsAtHand::default();
    let jobs = at_hand.all_from(&job, options);
    let text = InformText {
        jobs: RefCell::new(at_hand),
        kept: kept_changes(&jobs),
        unread: UnreadValues::of(&jobs),
        waited: WaitedValues::of(&jobs),
    };
    let (ways, join) = follow(path, &job.name, controller, options, |flow, known| {
        InformInterpreter::new(controller, &backup, options, &text, known, flow).follow(&job)
    });
    Ok(Reading {
        dialect: Dialect::Inform,
        assumed: first_line(&ways),
        join,
        ways,
        point_differences: Vec::new(),
    })
}
