//! Tools and user frames as the controller saves them (`TOOL.CND`, `UFRAME.CND`).
//!
//! A tool is six numbers on the first line of numbers under `//TOOL n`; a user frame those of
//! `////BUSER` under `//UFRAME n`. Both are millimetres, and degrees about the fixed axes x, y, z,
//! one after another.

use std::collections::BTreeMap;

use clearance_formats::controller::ControllerFile;
use clearance_formats::{ImportError, Problem};
use clearance_proof::report::Location;

use crate::block::text::decode;
use crate::lines::cursor::{LineCursor, numbers};

/// The content of the lists.
#[derive(Debug, Default)]
pub(super) struct InformBackup {
    /// By number, in the flange.
    pub(super) tools: BTreeMap<u32, [f64; 6]>,
    /// By number, in the robot frame; or why the frame is not one of it.
    pub(super) frames: BTreeMap<u32, Result<[f64; 6], String>>,
}

/// A tool or user frame while it is read.
struct ListEntry {
    line: usize,
    number: u32,
    is_tool: bool,
    values: Option<[f64; 6]>,
    /// Why the frame is not one of the robot frame.
    elsewhere: Option<String>,
}

impl InformBackup {
    /// Reads a list.
    ///
    /// # Errors
    /// When it is neither of tools nor of user frames, or an entry does not follow the form.
    pub(super) fn read(&mut self, file: &ControllerFile) -> Result<(), ImportError> {
        let text = decode(&file.bytes);
        let fail = |line: usize, cause: String| ImportError {
            place: Location::at(&file.path, line, None),
            problem: Problem::Syntax {
                cause,
                remedy:
                    "name TOOL.CND and UFRAME.CND as the controller saved them, and no other files"
                        .into(),
            },
        };
        let first = text.lines().map(str::trim).find(|line| !line.is_empty());
        if let Some("//VAR" | "//VARNAME") = first {
            let cause = "this is a list of variables, whose values are not read: they are those of one moment";
            return Err(fail(1, cause.into()));
        }
        let mut entry: Option<ListEntry> = None;
        let mut begun = false;
        for (k, line) in text.lines().enumerate() {
            let line = line.trim();
            let not_understood = || fail(k + 1, format!("`{line}` is not understood"));
            if let Some(begin) = ListEntry::begin(line, k + 1) {
                self.keep(entry.take()).map_err(|(n, why)| fail(n, why))?;
                entry = Some(begin.ok_or_else(not_understood)?);
                begun = true;
            } else if let Some(entry) = &mut entry {
                entry.line(line).ok_or_else(not_understood)?;
            } else if !line.is_empty() {
                return Err(not_understood());
            }
        }
        self.keep(entry).map_err(|(n, why)| fail(n, why))?;
        if begun {
            Ok(())
        } else {
            Err(fail(1, "there are neither tools nor user frames".into()))
        }
    }

    fn keep(&mut self, entry: Option<ListEntry>) -> Result<(), (usize, String)> {
        let Some(entry) = entry else { return Ok(()) };
        let (line, number) = (entry.line, entry.number);
        let what = if entry.is_tool { "tool" } else { "user frame" };
        let Some(values) = entry.values else {
            return Err((line, format!("{what} {number} has no pose")));
        };
        let is_new = if entry.is_tool {
            self.tools.insert(number, values).is_none()
        } else {
            let frame = entry.elsewhere.map_or(Ok(values), Err);
            self.frames.insert(number, frame).is_none()
        };
        if is_new {
            Ok(())
        } else {
            Err((line, format!("{what} {number} is there twice")))
        }
    }
}

impl ListEntry {
    /// The entry that a heading begins. None: the line is not a heading of one; none inside: a
    /// damaged one.
    fn begin(line: &str, place: usize) -> Option<Option<Self>> {
        let headings = [("//TOOL", true), ("//UFRAME", false)];
        let found = headings
            .iter()
            .find_map(|(word, tool)| Some((line.strip_prefix(word)?, *tool)));
        let Some((rest, is_tool)) = found else {
            // Any other heading of that rank belongs to another list.
            let other = line.starts_with("//") && !line.starts_with("///");
            return other.then_some(None);
        };
        let mut cursor = LineCursor::new(rest);
        let number = cursor.index().filter(|_| cursor.is_done());
        Some(number.map(|number| Self {
            line: place,
            number,
            is_tool,
            values: None,
            elsewhere: None,
        }))
    }

    fn line(&mut self, line: &str) -> Option<()> {
        if self.is_tool {
            // Further lines of numbers are its weight and inertia.
            if self.values.is_none() && !line.starts_with('/') && !line.is_empty() {
                self.values = Some(pose(line)?);
            }
        } else if let Some(values) = line.strip_prefix("////BUSER") {
            (self.values.is_none()).then_some(())?;
            self.values = Some(pose(values)?);
        } else if let Some(groups) = line.strip_prefix("///GROUP") {
            let groups = numbers(groups)?;
            let is_first = |(k, used): (usize, &f64)| *used == f64::from(u8::from(k == 0));
            if !groups.iter().enumerate().all(is_first) {
                let reason =
                    "is one of other groups than R1: in which frame it stands is not known";
                self.elsewhere = Some(format!("USER {} {reason}", self.number));
            }
        }
        Some(())
    }
}

fn pose(text: &str) -> Option<[f64; 6]> {
    numbers(text)?.try_into().ok()
}
