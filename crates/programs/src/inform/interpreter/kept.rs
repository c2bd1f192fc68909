//! Position variables that jobs change.

use std::path::Path;

use clearance_formats::ImportError;

use super::FORGETS;
use super::assign::several_points;
use crate::inform::job::{InformJob, PointKind, parse, point_name};
use crate::lines::SourceLine;
use crate::lines::cursor::LineCursor;
use crate::lines::kept::StoredProgram;

const CHANGES: [&str; 7] = ["SET", "ADD", "SUB", "MUL", "DIV", "INC", "DEC"];

impl StoredProgram for InformJob {
    type Kept = PointKind;
    const EXTENSION: &str = "JBI";
    const WHAT: &str = "job";

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ImportError> {
        parse(path, bytes)
    }

    fn statements(&self) -> impl Iterator<Item = &SourceLine> {
        self.lines.iter()
    }

    fn called(text: &str) -> impl Iterator<Item = &str> {
        let names = text.split_once("JOB:").into_iter();
        names.map(|(_, name)| LineCursor::new(name).until(char::is_whitespace))
    }

    fn changed(text: &str) -> impl Iterator<Item = (PointKind, Option<u32>)> {
        changed(text).into_iter()
    }
}

/// What a line changes; no number: only the controller knows which one.
fn changed(text: &str) -> Vec<(PointKind, Option<u32>)> {
    let mut cursor = LineCursor::new(text);
    let word = cursor.word();
    if !(CHANGES.contains(&word) || FORGETS.contains(&word)) {
        return Vec::new();
    }
    let name = cursor.peek_word();
    let all = [
        PointKind::Variable,
        PointKind::BaseVariable,
        PointKind::StationVariable,
    ];
    match (several_points(name), point_name(name)) {
        (Some(Some(number)), _) => all.map(|kind| (kind, Some(number))).to_vec(),
        (None, Some((kind, number))) => vec![(kind, Some(number))],
        // `P[B000]`
        (None, None) if name == "P" => vec![(PointKind::Variable, None)],
        _ => Vec::new(),
    }
}
