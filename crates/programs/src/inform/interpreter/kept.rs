//! Position variables that jobs change.

use std::path::Path;
use std::rc::Rc;

use super::FORGETS;
use crate::Options;
use crate::controller::ControlledArm;
use crate::inform::job::{InformJob, PointKind, parse, point_name};
use crate::lines::beside;
use crate::lines::cursor::LineCursor;
use crate::lines::kept::{KeptChanges, with_called};

const CHANGES: [&str; 7] = ["SET", "ADD", "SUB", "MUL", "DIV", "INC", "DEC"];

/// What a job and all that it may call or jump to change.
pub(in crate::inform) fn kept_changes(
    path: &Path,
    job: &Rc<InformJob>,
    controller: &ControlledArm,
    options: &Options,
) -> KeptChanges<PointKind> {
    let calls = |job: &InformJob| {
        let named = (job.lines.iter()).filter_map(|line| line.text.split_once("JOB:"));
        let names = named.map(|(_, name)| LineCursor::new(name).until(char::is_whitespace));
        let names = names.filter(|name| !controller.is_still(name));
        names.map(str::to_owned).collect()
    };
    let jobs = with_called(job, calls, |name| {
        let (path, bytes) = beside(path, name, ["JBI", "jbi"], options)?;
        parse(&path, &bytes).ok()
    });
    KeptChanges::new(jobs.iter().flat_map(|job| &job.lines), changed)
}

/// What a line changes; no number: only the controller knows which one.
fn changed(text: &str) -> Option<(PointKind, Option<u32>)> {
    let mut cursor = LineCursor::new(text);
    let word = cursor.word();
    if !(CHANGES.contains(&word) || FORGETS.contains(&word)) {
        return None;
    }
    let name = cursor.peek_word();
    match point_name(name) {
        Some((kind, number)) => Some((kind, Some(number))),
        // `P[B000]`
        None => (name == "P").then_some((PointKind::Variable, None)),
    }
}
