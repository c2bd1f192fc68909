//! A job as it is written: positions with the headers that stand before them, and instructions line
//! by line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

use crate::block::text::decode;
use crate::lines::cursor::numbers;
use crate::lines::{SourceLine, TOO_DEEP, is_too_deep};
use crate::value::Known;

/// Whose position it is (of the arm, of its carrier or of a station), and whether it is a step or a
/// variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PointKind {
    /// A step of the arm.
    Step,
    /// A variable of the arm.
    Variable,
    /// A step of what carries the arm.
    BaseStep,
    /// A variable of what carries the arm.
    BaseVariable,
    /// A step of a station.
    StationStep,
    /// A variable of a station.
    StationVariable,
}

/// Words before the numbers of positions, in the order of `NPOS`.
const KINDS: [(&str, PointKind); 6] = [
    ("C", PointKind::Step),
    ("BC", PointKind::BaseStep),
    ("EC", PointKind::StationStep),
    ("P", PointKind::Variable),
    ("BP", PointKind::BaseVariable),
    ("EX", PointKind::StationVariable),
];

/// A position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InformPoint {
    pub(super) data: Known<PointData>,
    pub(super) tool: Known<u32>,
    pub(super) place: Location,
}

/// Its numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PointData {
    /// Pulses of the axes.
    Pulses(Vec<f64>),
    /// A pose: millimetres and degrees.
    Pose {
        values: [f64; 6],
        /// The user frame; none: the robot's own.
        user: Option<u32>,
        /// The numbers of `RCONF`.
        arm: Vec<f64>,
    },
}

/// A job.
#[derive(Debug)]
pub(super) struct InformJob {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) points: BTreeMap<(PointKind, u32), InformPoint>,
    pub(super) lines: Vec<SourceLine>,
    /// The places in `lines` of every label, by its name.
    pub(super) labels: BTreeMap<String, Vec<usize>>,
    /// Control groups, the first ones those that the job's own moves are of.
    pub(super) groups: Vec<String>,
    /// Where the groups are named.
    pub(super) groups_at: Location,
    /// Where the first pose in the base frame is stated.
    pub(super) based: Option<Location>,
    /// The parts of its headers that are not understood.
    pub(super) doubts: Vec<Unknown>,
}

/// The kind and number of a position by its name.
pub(super) fn point_name(name: &str) -> Option<(PointKind, u32)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (word, number) = name.split_at(digits);
    let (_, kind) = KINDS.iter().find(|(w, _)| *w == word)?;
    if number.len() > 6 {
        return None;
    }
    Some((*kind, number.parse().ok()?))
}

/// The same without a number.
pub(super) fn point_word(word: &str) -> Option<PointKind> {
    KINDS
        .iter()
        .find(|(w, _)| *w == word)
        .map(|(_, kind)| *kind)
}

/// Reads a job.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<InformJob, ImportError> {
    let text = decode(bytes);
    let mut reader = Reader {
        job: InformJob {
            path: path.to_owned(),
            name: String::new(),
            points: BTreeMap::new(),
            lines: Vec::new(),
            labels: BTreeMap::new(),
            groups: Vec::new(),
            groups_at: Location::at(path, 1, None),
            based: None,
            doubts: Vec::new(),
        },
        tool: not_said(path, "which TOOL counts is not said"),
        form: not_said(
            path,
            "there is no header that says how positions are stated",
        ),
        frame: Ok(None),
        user: not_said(path, "there is no header USER"),
        arm: not_said(path, "there is no header RCONF"),
        counts: None,
    };
    let mut part = "";
    for (k, line) in text.lines().enumerate() {
        let place = Location::at(path, k + 1, None);
        let line = line.trim().trim_start_matches('\u{feff}');
        match line {
            "" => {}
            // A comment among the headers; those among the instructions are theirs.
            _ if line.starts_with('\'') && part != "//INST" && !part.is_empty() => {}
            "/JOB" if part.is_empty() => part = "/JOB",
            "//POS" if part == "/JOB" => part = "//POS",
            "//ARGINFO" if part == "/JOB" || part == "//POS" => {
                part = "//ARGINFO";
                let reason = "the job takes arguments (`//ARGINFO`): what calls it hand over is not known; check the job that calls it, or write the values into the job for the check";
                reader.job.doubts.push((*why(&place, reason)).clone());
            }
            "//INST" if ["/JOB", "//POS", "//ARGINFO"].contains(&part) => part = "//INST",
            // Their types and what they are for.
            _ if part == "//ARGINFO" => {}
            _ if part == "/JOB" => match line.strip_prefix("//NAME ") {
                Some(name) if reader.job.name.is_empty() => {
                    name.trim().clone_into(&mut reader.job.name)
                }
                // The folder of the list of jobs in which the pendant shows it.
                _ if line.starts_with("///FOLDERNAME ") => {}
                _ => reader.doubt(&place, line),
            },
            _ if part == "//POS" => reader.position(line, &place),
            _ if part == "//INST" && is_too_deep(without_comment(line)) => {
                return Err(refused(place, TOO_DEEP));
            }
            _ if part == "//INST" => reader.instruction(line, &place),
            _ => return Err(refused(place, "a job begins with `/JOB`")),
        }
    }
    let last = Location::at(path, text.lines().count().max(1), None);
    if part != "//INST" {
        return Err(refused(last, "the job has no `//INST`: it is cut off"));
    }
    reader.count();
    Ok(reader.job)
}

fn not_said<T>(path: &Path, reason: &str) -> Known<T> {
    Err(why(&Location::at(path, 1, None), reason))
}

fn why(place: &Location, reason: impl Into<String>) -> Arc<Unknown> {
    Arc::new(Unknown {
        place: place.clone(),
        reason: reason.into(),
    })
}

/// How the positions that follow are stated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PointForm {
    Pulses,
    Pose,
}

/// In what.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stated {
    Pulses,
    Robot,
    Base,
    User,
}

struct Reader {
    job: InformJob,
    tool: Known<u32>,
    form: Known<PointForm>,
    /// None: not said.
    frame: Known<Option<Stated>>,
    user: Known<u32>,
    arm: Known<Vec<f64>>,
    counts: Option<(Location, Vec<f64>)>,
}

impl Reader {
    fn doubt(&mut self, place: &Location, line: &str) {
        self.job.doubts.push(Unknown {
            place: place.clone(),
            reason: format!("the line `{line}` is not understood"),
        });
    }

    fn position(&mut self, line: &str, place: &Location) {
        let Some(header) = line.strip_prefix("///") else {
            return self.point(line, place);
        };
        let (word, rest) = header.split_once(' ').unwrap_or((header, ""));
        let rest = rest.trim();
        let unclear = || why(place, format!("the header `{line}` is not understood"));
        let number = || rest.parse::<u32>().map_err(|_| unclear());
        match word {
            "NPOS" if self.counts.is_none() => match numbers(rest) {
                Some(counts) => self.counts = Some((place.clone(), counts)),
                None => self.doubt(place, line),
            },
            "TOOL" => self.tool = number(),
            "USER" => self.user = number(),
            "POSTYPE" => {
                self.frame = match rest {
                    "PULSE" => Ok(Some(Stated::Pulses)),
                    "ROBOT" => Ok(Some(Stated::Robot)),
                    "BASE" => Ok(Some(Stated::Base)),
                    "USER" => Ok(Some(Stated::User)),
                    _ => Err(why(
                        place,
                        format!("positions of the type `{rest}` are not read"),
                    )),
                };
            }
            "PULSE" if rest.is_empty() => self.form = Ok(PointForm::Pulses),
            "RECTAN" if rest.is_empty() => self.form = Ok(PointForm::Pose),
            "RCONF" => self.arm = numbers(rest).filter(|n| n.len() >= 6).ok_or_else(unclear),
            _ => {
                // Whatever it changes, what follows is not known.
                (self.tool, self.form) = (Err(unclear()), Err(unclear()));
                self.doubt(place, line);
            }
        }
    }

    fn point(&mut self, line: &str, place: &Location) {
        let Some((name, values)) = line.split_once('=') else {
            return self.doubt(place, line);
        };
        let Some(key) = point_name(name.trim()) else {
            return self.doubt(place, line);
        };
        let Some(values) = numbers(values) else {
            return self.doubt(place, line);
        };
        let data = self.data(values, place);
        let point = InformPoint {
            data,
            tool: self.tool.clone(),
            place: place.clone(),
        };
        if let Some(old) = self.job.points.insert(key, point) {
            let line = old.place.line.unwrap_or(1);
            let reason = format!("`{}` is stated twice, first in line {line}", name.trim());
            self.job.doubts.push((*why(place, reason)).clone());
        }
    }

    fn data(&mut self, values: Vec<f64>, place: &Location) -> Known<PointData> {
        match (self.form.clone()?, self.frame.clone()?) {
            // Old controllers know pulses only, and have no POSTYPE.
            (PointForm::Pulses, Some(Stated::Pulses) | None) => Ok(PointData::Pulses(values)),
            (PointForm::Pose, Some(stated @ (Stated::Robot | Stated::Base | Stated::User))) => {
                // Without a carriage the base frame is the robot's own.
                if stated == Stated::Base {
                    self.job.based.get_or_insert_with(|| place.clone());
                }
                let user = match stated {
                    Stated::User => Some(self.user.clone()?),
                    _ => None,
                };
                let values = <[f64; 6]>::try_from(values)
                    .map_err(|_| why(place, "a pose of an arm with six axes has six numbers"))?;
                let arm = self.arm.clone()?;
                Ok(PointData::Pose { values, user, arm })
            }
            (PointForm::Pose, None) => Err(why(place, "there is no header POSTYPE")),
            _ => Err(why(
                place,
                "POSTYPE and the form of the numbers contradict each other",
            )),
        }
    }

    fn instruction(&mut self, line: &str, place: &Location) {
        let Some(header) = line.strip_prefix("///") else {
            let text = without_comment(line).trim();
            // An instruction that was commented out at the pendant.
            let is_comment = text.split([' ', '\t']).next() == Some("COMM");
            let text = if is_comment { "" } else { text }.to_owned();
            if let Some(label) = text.strip_prefix('*') {
                let places = self.job.labels.entry(label.trim().to_owned()).or_default();
                places.push(self.job.lines.len());
            }
            self.job.lines.push(SourceLine {
                text,
                place: place.clone(),
            });
            return;
        };
        let (word, rest) = header.split_once(' ').unwrap_or((header, ""));
        match word {
            // How many variables of its own it has: one that it has not set is not known.
            "DATE" | "COMM" | "LVARS" => {}
            "ATTR" => {
                for attribute in rest.split(',').map(str::trim) {
                    match attribute {
                        // A macro job (MC) runs like any other.
                        "SC" | "RO" | "WO" | "RW" | "CJ" | "JD" | "DD" | "MC" => {}
                        "RJ" => self.job.doubts.push(Unknown {
                            place: place.clone(),
                            reason: "a relative job (RJ) is not read: its poses are turned into joint values when it runs".into(),
                        }),
                        _ => self.doubt(place, line),
                    }
                }
            }
            _ if word.starts_with("GROUP") => {
                let number: usize = word[5..].parse().unwrap_or(0);
                let named = rest.split(',').map(|g| g.trim().to_owned());
                let first = self.job.groups.is_empty();
                match number {
                    1 if first => {
                        self.job.groups_at = place.clone();
                        self.job.groups.extend(named);
                    }
                    2.. if !first => self.job.groups.extend(named),
                    _ => self.doubt(place, line),
                }
            }
            _ => self.doubt(place, line),
        }
    }

    /// The header counts the positions; a list that was cut does not agree with it.
    fn count(&mut self) {
        let Some((place, counts)) = self.counts.take() else {
            return;
        };
        for (k, (word, kind)) in KINDS.iter().enumerate() {
            let there = self.job.points.keys().filter(|(of, _)| of == kind).count();
            let stated = counts.get(k).copied().unwrap_or(0.0);
            if there as f64 != stated {
                let reason =
                    format!("NPOS counts {stated} positions {word}, and {there} are there");
                self.job.doubts.push((*why(&place, reason)).clone());
            }
        }
    }
}

fn refused(place: Location, cause: &str) -> ImportError {
    let problem = Problem::Syntax {
        cause: cause.to_owned(),
        remedy: "export the job from the controller".to_owned(),
    };
    ImportError { place, problem }
}

/// Text before an apostrophe, or before ` //` behind an instruction, that is in no quotes.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (k, c) in line.char_indices() {
        let (before, rest) = line.split_at(k);
        match c {
            '"' => quoted = !quoted,
            '\'' if !quoted => return before,
            // Names have no spaces, and no instruction has two strokes.
            '/' if !quoted && rest.starts_with("//") && before.ends_with([' ', '\t']) => {
                return before;
            }
            _ => {}
        }
    }
    line
}
