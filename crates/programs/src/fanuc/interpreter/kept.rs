//! Positions and frames that programs change.

use std::path::Path;

use clearance_formats::ImportError;

use crate::fanuc::listing::{Listing, parse};
use crate::lines::SourceLine;
use crate::lines::cursor::LineCursor;
use crate::lines::kept::StoredProgram;

/// What a controller keeps until the next start, and its lists have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::fanuc) enum Kept {
    Position,
    Frame,
    Tool,
}

const NAMES: [(&str, Kept); 3] = [
    ("PR[", Kept::Position),
    ("UFRAME[", Kept::Frame),
    ("UTOOL[", Kept::Tool),
];

impl StoredProgram for Listing {
    type Kept = Kept;
    const EXTENSION: &str = "LS";
    const WHAT: &str = "program";

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ImportError> {
        parse(path, bytes)
    }

    fn statements(&self) -> impl Iterator<Item = &SourceLine> {
        self.lines
            .iter()
            .chain(self.while_moving.values().flatten())
    }

    fn called(text: &str) -> impl Iterator<Item = &str> {
        let calls = text.match_indices("CALL");
        calls.map(|(at, call)| LineCursor::new(&text[at + call.len()..]).word())
    }

    fn changed(text: &str) -> impl Iterator<Item = (Kept, Option<u32>)> {
        changed(text).into_iter()
    }
}

/// A line with one space where it has any, and none before brackets.
pub(super) fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(" [", "[")
}

/// What a line changes; no number: only the controller knows which one.
fn changed(text: &str) -> Vec<(Kept, Option<u32>)> {
    let text = &plain(text);
    let mut found = Vec::new();
    for (name, kind) in NAMES {
        for (at, _) in text.match_indices(name) {
            // `IF …,PR[1]=…` changes it, `IF PR[1,2]=…` asks for it.
            let before = text[..at].trim_end();
            if !(before.is_empty() || before.ends_with([',', ':']) || before.ends_with("sec")) {
                continue;
            }
            let inner = &text[at + name.len()..];
            // `PR[GP2:3]`: the part of another group.
            let group = inner
                .split_once(':')
                .and_then(|(group, _)| group.strip_prefix("GP"));
            if group.is_some_and(|number| number != "1" && number.parse::<u32>().is_ok()) {
                continue;
            }
            // Names in brackets may have any sign but a closing one.
            let mut ends = inner.match_indices(']');
            if ends.any(|(end, _)| inner[end + 1..].trim_start().starts_with('=')) {
                // `PR[GP1:3]`: of the arm.
                let mut cursor = LineCursor::new(inner.strip_prefix("GP1:").unwrap_or(inner));
                let number = cursor.index();
                let is_whole = cursor.rest().starts_with([',', ':', ']']);
                found.push((kind, number.filter(|_| is_whole)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_change_positions_are_told_from_those_that_ask() {
        let one = |text: &str| changed(text);
        assert_eq!(one("PR[3,2:a]=5"), [(Kept::Position, Some(3))]);
        assert_eq!(one("PR\t [3]=P[1]"), [(Kept::Position, Some(3))]);
        assert_eq!(one("PR[3:a[b]=P[1]"), [(Kept::Position, Some(3))]);
        assert_eq!(one("PR[R[1],2]=PR[4]"), [(Kept::Position, None)]);
        assert_eq!(one("IF (DI[1]),PR[2:a] =P[1]"), [(Kept::Position, Some(2))]);
        assert_eq!(one("PR[GP1:3,1]=5"), [(Kept::Position, Some(3))]);
        assert_eq!(one("PR[GP2:3,1]=5"), []);
        assert_eq!(one("UFRAME[4]=PR[1]"), [(Kept::Frame, Some(4))]);
        assert_eq!(one("IF PR[1,2]=5,JMP LBL[1]"), []);
        assert_eq!(one("L P[1] 5mm/sec FINE Offset,PR[1]"), []);
    }
}
