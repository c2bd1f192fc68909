//! Tools and user frames as the controller saves them (`TOOL.CND`, `UFRAME.CND`).
//!
//! A tool is six numbers on the first line of numbers under `//TOOL n`; a user frame those of
//! `////BUSER` under `//UFRAME n`, counted from the frame that `///BASICFRM` names. Both are
//! millimetres, and degrees about the fixed axes x, y, z, one after another.

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
    /// By number; or why it is not known where the frame is.
    pub(super) frames: BTreeMap<u32, Result<ListedFrame, String>>,
}

/// A user frame.
#[derive(Debug)]
pub(super) struct ListedFrame {
    pub(super) values: [f64; 6],
    /// The user frame from which it counts; none: the robot frame.
    pub(super) counts_from: Option<u32>,
}

/// A tool or user frame while it is read.
struct ListEntry {
    line: usize,
    number: u32,
    is_tool: bool,
    values: Option<[f64; 6]>,
    counts_from: Option<u32>,
    /// Why it is not known where the frame is.
    elsewhere: Option<String>,
}

/// Lines of a user frame that do not say where it is: its name, and how it was taught.
const OF_TEACHING: [&str; 8] = [
    "NAME", "TOOL", "PULSE", "RECTAN", "RCONF", "RORG", "RXX", "RXY",
];

/// The kinds of frames that `///BASICFRM` names.
const BASE_FRAME: f64 = 16.0;
const USER_FRAME: f64 = 19.0;

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
            let listed = ListedFrame {
                values,
                counts_from: entry.counts_from,
            };
            let frame = entry.elsewhere.map_or(Ok(listed), Err);
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
            counts_from: None,
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
            return Some(());
        } else if let Some(reason) = self.doubt(line)? {
            // The first reason is told.
            let number = self.number;
            (self.elsewhere).get_or_insert_with(|| {
                format!(
                    "USER {number} {reason}; write `frames = {{ {number} = {{ xyz = […], rpy = […] }} }}` in the robot's `controller`"
                )
            });
        }
        Some(())
    }

    /// Why it is not known where the user frame is with this line, if that is so.
    fn doubt(&mut self, line: &str) -> Option<Option<String>> {
        let mut cursor = LineCursor::new(line.trim_start_matches('/'));
        let word = cursor.word();
        let rest = cursor.rest();
        let reason = match word {
            _ if line.is_empty() => return Some(None),
            _ if !line.starts_with("///") => format!("has the line `{line}`, which is not read"),
            "GROUP" => {
                let groups = numbers(rest)?;
                let is_first = |(k, used): (usize, &f64)| *used == f64::from(u8::from(k == 0));
                if groups.iter().enumerate().all(is_first) {
                    return Some(None);
                }
                "is one of other groups than R1: in which frame it stands is not known".to_owned()
            }
            "BASICFRM" => match numbers(rest)?[..] {
                [1.0, BASE_FRAME, _] => return Some(None),
                [1.0, USER_FRAME, from] if from.fract() == 0.0 && (0.0..1e5).contains(&from) => {
                    self.counts_from = Some(from as u32);
                    return Some(None);
                }
                _ => format!(
                    "counts from another frame than the base frame and user frames of R1 (BASICFRM {rest})"
                ),
            },
            "BASEP" => {
                if numbers(rest)?.iter().all(|at| *at == 0.0) {
                    return Some(None);
                }
                format!(
                    "was taught where a base axis stood at {rest}: in which frame it stands is not known"
                )
            }
            _ if OF_TEACHING.contains(&word) => return Some(None),
            _ => format!("has the line `{line}`, which is not read"),
        };
        Some(Some(reason))
    }
}

fn pose(text: &str) -> Option<[f64; 6]> {
    numbers(text)?.try_into().ok()
}
