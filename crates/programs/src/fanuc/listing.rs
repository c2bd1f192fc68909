//! A listing as it is written: attributes, statements, and positions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

use crate::block::text::decode;
use crate::lines::cursor::LineCursor;
use crate::lines::{SourceLine, TOO_DEEP, is_too_deep};
use crate::value::Known;

/// The option of a move below which its own lines are written.
pub(super) const P_SPS: &str = "P-SPS";

/// A position of the arm.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Position {
    /// Degrees as the pendant counts them.
    Joints(Vec<f64>),
    /// Millimetres and degrees.
    Pose {
        values: [f64; 6],
        /// `N U T, 0, 0, 0`; positions that are computed may have none.
        config: Option<String>,
    },
}

/// A number of a frame or tool: stated, or the one that counts at that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameNumber {
    Stated(u32),
    Current,
}

/// A taught position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FanucPoint {
    pub(super) position: Known<Position>,
    pub(super) frame: Option<FrameNumber>,
    pub(super) tool: Option<FrameNumber>,
    /// The values of other groups, as they are written.
    pub(super) others: BTreeMap<u32, String>,
    pub(super) place: Location,
}

/// A program.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) points: BTreeMap<u32, FanucPoint>,
    pub(super) lines: Vec<SourceLine>,
    /// The places in `lines` of every label.
    pub(super) labels: BTreeMap<u32, Vec<usize>>,
    /// The lines that run while the arm moves (`P-SPS`), by the place in `lines` of the move above
    /// them.
    pub(super) while_moving: BTreeMap<usize, Vec<SourceLine>>,
    /// Groups that it moves; none: not said.
    pub(super) groups: Option<Vec<u32>>,
    pub(super) groups_at: Location,
    pub(super) doubts: Vec<Unknown>,
    /// The doubt about its straight moves, if it has any.
    pub(super) near_singularities: Option<Unknown>,
}

/// Whether a statement moves the arm.
pub(super) fn is_move(text: &str) -> bool {
    ["J", "L", "C", "A"].contains(&LineCursor::new(text).word())
}

/// Whether a statement moves the tool on a line or an arc.
pub(super) fn is_straight_move(text: &str) -> bool {
    ["L", "C", "A"].contains(&LineCursor::new(text).word())
}

/// The statement that a remark has put out of work.
fn remarked(text: &str) -> Option<&str> {
    text.strip_prefix("//")
}

/// The number of the label that comes next.
pub(super) fn label(mut cursor: LineCursor) -> Option<u32> {
    let is_label = cursor.eat_word("LBL") && cursor.eat("[");
    is_label.then(|| cursor.index()).flatten()
}

fn why(place: &Location, reason: impl Into<String>) -> Arc<Unknown> {
    Arc::new(Unknown {
        place: place.clone(),
        reason: reason.into(),
    })
}

/// Reads a listing.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Listing, ImportError> {
    let text = decode(bytes);
    let first = Location::at(path, 1, None);
    let mut program = Listing {
        path: path.to_owned(),
        name: String::new(),
        points: BTreeMap::new(),
        lines: Vec::new(),
        labels: BTreeMap::new(),
        while_moving: BTreeMap::new(),
        groups: None,
        groups_at: first.clone(),
        doubts: Vec::new(),
        near_singularities: None,
    };
    let fail = |place: &Location, cause: &str| ImportError {
        place: place.clone(),
        problem: Problem::Syntax {
            cause: cause.to_owned(),
            remedy: "save the program on the controller as a listing (ASCII)".to_owned(),
        },
    };
    let mut section = "";
    let mut statements = Statements::default();
    let mut taught: Option<TaughtPoint> = None;
    let mut last = first;
    for (k, line) in text.lines().enumerate() {
        let place = Location::at(path, k + 1, None);
        last = place.clone();
        let line = line.trim().trim_start_matches('\u{feff}');
        let head = line.split_whitespace().next().unwrap_or("");
        match head {
            "" => continue,
            "/PROG" if section.is_empty() => {
                section = "/PROG";
                let name = line.split_whitespace().nth(1);
                name.unwrap_or_default().clone_into(&mut program.name);
                continue;
            }
            "/ATTR" | "/APPL" | "/MN" | "/POS" | "/END" if !section.is_empty() => {
                if statements.are_cut_off(&program) || taught.is_some() {
                    return Err(fail(&place, "the section before is cut off"));
                }
                section = ["/ATTR", "/APPL", "/MN", "/POS", "/END"]
                    .into_iter()
                    .find(|s| *s == head)
                    .unwrap_or_default();
                continue;
            }
            _ => {}
        }
        match section {
            "/ATTR" => program.attribute(line, &place),
            "/APPL" => program.application(line, &place),
            "/MN" => {
                let read = statements.read(line, &place, &mut program);
                read.map_err(|cause| fail(&place, cause))?;
            }
            "/POS" => match &mut taught {
                None => {
                    let begun = TaughtPoint::begin(line, &place);
                    taught = Some(begun.ok_or_else(|| fail(&place, "this is not a position"))?);
                }
                Some(point) if line.starts_with('}') => {
                    if !["", ";"].contains(&line[1..].trim()) {
                        return Err(fail(&place, "more stands behind a position than `;`"));
                    }
                    let (number, point) = point.finish();
                    taught = None;
                    if program.points.insert(number, point).is_some() {
                        let reason = format!("P[{number}] is stated twice");
                        program.doubts.push((*why(&place, reason)).clone());
                    }
                }
                Some(point) => point.read(line, &place),
            },
            "/END" | "/PROG" => {
                let reason = format!("the line `{line}` is not understood");
                program.doubts.push((*why(&place, reason)).clone());
            }
            _ => return Err(fail(&place, "a listing begins with `/PROG`")),
        }
    }
    if section != "/END" || taught.is_some() {
        return Err(fail(&last, "the listing has no `/END`: it is cut off"));
    }
    Ok(program)
}

impl Listing {
    fn attribute(&mut self, line: &str, place: &Location) {
        let Some((key, value)) = line.split_once('=') else {
            return;
        };
        // The second is German.
        if !["DEFAULT_GROUP", "DEFAULT_GRUP"].contains(&key.trim()) {
            return;
        }
        self.groups_at = place.clone();
        let parts: Vec<&str> = value.trim().trim_end_matches(';').split(',').collect();
        let clear = parts.iter().all(|p| ["1", "*"].contains(&p.trim()));
        if clear && self.groups.is_none() {
            let used = parts.iter().zip(1..).filter(|(p, _)| p.trim() == "1");
            self.groups = Some(used.map(|(_, group)| group).collect());
        } else {
            let reason = format!("the line `{line}` is not understood");
            self.doubts.push((*why(place, reason)).clone());
        }
    }

    /// Of applications only those matter that change how the arm moves.
    fn application(&mut self, line: &str, place: &Location) {
        let set = |word: &str| {
            let value = line
                .split_once(':')
                .map(|(_, v)| v.trim().trim_end_matches(';').trim());
            line.contains(word) && !matches!(value, None | Some("0" | "FALSE" | "no" | ""))
        };
        if set("ENABLE_SINGULARITY_AVOIDANCE") {
            let reason = "straight moves leave their line near singularities, and where is not published; set ENABLE_SINGULARITY_AVOIDANCE of the program to FALSE, in its details on the pendant, if it is not needed";
            self.near_singularities = Some((*why(place, reason)).clone());
        }
        if set("LINE_TRACK_SCHEDULE") || set("TRACKING_PROCESS") {
            let reason = "the program follows a conveyor (LINE_TRACK or TRACKING_PROCESS)";
            self.doubts.push((*why(place, reason)).clone());
        }
    }
}

fn is_number(text: &str) -> bool {
    text.parse::<u32>().is_ok()
}

/// Whether text behind a semicolon is the number of another statement.
fn begins_statement(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.trim_start().starts_with(':')
}

/// Statements while they are read.
#[derive(Default)]
struct Statements {
    /// One that is not at its `;` yet.
    open: Option<SourceLine>,
    /// The move with P-SPS whose lines may come next.
    above: Option<usize>,
}

impl Statements {
    fn are_cut_off(&self, program: &Listing) -> bool {
        let block = self.above.and_then(|at| program.while_moving.get(&at));
        self.open.as_ref().is_some_and(|open| !open.text.is_empty()) || block.is_some()
    }

    fn read(
        &mut self,
        line: &str,
        place: &Location,
        program: &mut Listing,
    ) -> Result<(), &'static str> {
        let bare = line.trim_end_matches(';').trim();
        // A line without a statement in it.
        if self.open.is_none() && bare.is_empty() {
            return Ok(());
        }
        // Dashes end the lines of P-SPS.
        if self.open.is_none() && bare.bytes().all(|b| b == b'-') {
            let at = self.above.take().ok_or("nothing of P-SPS ends here")?;
            // The lines below a move that is a remark belong to the remark.
            if remarked(&program.lines[at].text).is_some() {
                program.while_moving.remove(&at);
            }
            return Ok(());
        }
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &line[..line.len() - rest.len()];
        let rest = rest.strip_prefix(':').ok_or("a statement has no number")?;
        // An empty statement may have no `;`.
        if !number.is_empty()
            && let Some(line) = self.open.take_if(|open| open.text.is_empty())
        {
            self.add(line, program);
        }
        match (&mut self.open, number) {
            (Some(open), "") => {
                open.text.push(' ');
                open.text.push_str(rest.trim());
            }
            (Some(_), _) => return Err("the statement before has no `;`"),
            (None, _) => {
                // Lines of P-SPS count from 1 again; without any the program goes on.
                self.above = self
                    .above
                    .filter(|at| program.while_moving.contains_key(at) || number == "1");
                self.open = Some(SourceLine {
                    text: rest.trim().to_owned(),
                    place: place.clone(),
                });
            }
        }
        if let Some(line) = self.open.take_if(|l| l.text.ends_with(';')) {
            let text = line.text.trim_end_matches(';').trim().to_owned();
            if is_too_deep(&text) {
                return Err(TOO_DEEP);
            }
            if text.split(';').skip(1).any(begins_statement) {
                return Err("several statements stand in one line");
            }
            self.add(SourceLine { text, ..line }, program);
        }
        Ok(())
    }

    fn add(&mut self, line: SourceLine, program: &mut Listing) {
        if let Some(at) = self.above {
            program.while_moving.entry(at).or_default().push(line);
        } else {
            let text = remarked(&line.text).unwrap_or(&line.text);
            let has_block = is_move(text) && text.contains(P_SPS);
            self.above = has_block.then_some(program.lines.len());
            if let Some(number) = label(LineCursor::new(&line.text)) {
                let places = program.labels.entry(number).or_default();
                places.push(program.lines.len());
            }
            program.lines.push(line);
        }
    }
}

/// A position while it is read.
struct TaughtPoint {
    number: u32,
    group: u32,
    numbers: BTreeMap<String, Known<f64>>,
    config: Option<String>,
    frame: Option<FrameNumber>,
    tool: Option<FrameNumber>,
    others: BTreeMap<u32, String>,
    unclear: Option<Arc<Unknown>>,
    place: Location,
}

impl TaughtPoint {
    fn begin(line: &str, place: &Location) -> Option<Self> {
        let mut cursor = LineCursor::new(line);
        let is_point = cursor.eat_word("P") && cursor.eat("[");
        let number = cursor.index().filter(|_| is_point)?;
        if cursor.eat(":") {
            // The name may hold any sign but this one.
            cursor.until(|c| c == ']');
        }
        (cursor.eat("]") && cursor.eat("{") && cursor.is_done()).then(|| Self {
            number,
            group: 0,
            numbers: BTreeMap::new(),
            config: None,
            frame: None,
            tool: None,
            others: BTreeMap::new(),
            unclear: None,
            place: place.clone(),
        })
    }

    fn read(&mut self, line: &str, place: &Location) {
        if let Some(group) = line.strip_prefix("GP").and_then(|l| l.strip_suffix(':')) {
            match group.trim().parse() {
                Ok(number) if number != self.group => self.group = number,
                _ => self.doubt(line, place),
            }
            return;
        }
        match self.group {
            0 => self.doubt(line, place),
            1 => {
                if self.items(line, place).is_none() {
                    self.doubt(line, place);
                }
            }
            other => self.others.entry(other).or_default().push_str(line),
        }
    }

    fn doubt(&mut self, line: &str, place: &Location) {
        let mut axis = LineCursor::new(line);
        let is_extended = axis.word().strip_prefix('E').is_some_and(is_number) && axis.eat("=");
        let what = if is_extended {
            "is an extended axis (a rail, a table): positions with one are not read"
        } else if ["RX", "RY", "RZ"].contains(&LineCursor::new(line).word()) {
            "says that the tool stands still and the arm holds the workpiece (remote TCP): such positions are not read"
        } else {
            "is not understood"
        };
        let reason = format!("`{line}` of the position {what}");
        self.unclear.get_or_insert_with(|| why(place, reason));
    }

    fn items(&mut self, line: &str, place: &Location) -> Option<()> {
        let mut cursor = LineCursor::new(line);
        while !cursor.is_done() {
            let key = cursor.word().to_owned();
            let stated = cursor.eat(":");
            let colon = ["UF", "UT", "CONFIG"].contains(&key.as_str());
            if stated != colon || !stated && !cursor.eat("=") {
                return None;
            }
            let new = match key.as_str() {
                "UF" | "UT" => {
                    let number = if cursor.eat_word("F") {
                        FrameNumber::Current
                    } else {
                        FrameNumber::Stated(cursor.index()?)
                    };
                    let place = if key == "UF" {
                        &mut self.frame
                    } else {
                        &mut self.tool
                    };
                    place.replace(number).is_none()
                }
                "CONFIG" => {
                    cursor.eat("'").then_some(())?;
                    let config = cursor.until(|c| c == '\'').to_owned();
                    cursor.eat("'").then_some(())?;
                    self.config.replace(config).is_none()
                }
                _ => {
                    let value = if cursor.rest().starts_with("***") {
                        cursor.until(|c| c != '*');
                        Err(why(place, format!("P[{}] was never taught", self.number)))
                    } else {
                        Ok(cursor.number()?)
                    };
                    let unit = cursor.word();
                    let joint = key.strip_prefix('J').is_some_and(is_number);
                    let right = match key.as_str() {
                        "X" | "Y" | "Z" => unit == "mm",
                        "W" | "P" | "R" => unit == "deg",
                        _ => joint && unit == "deg",
                    };
                    right && self.numbers.insert(key, value).is_none()
                }
            };
            if !new || !(cursor.eat(",") || cursor.is_done()) {
                return None;
            }
        }
        Some(())
    }

    fn finish(&self) -> (u32, FanucPoint) {
        let point = FanucPoint {
            position: self.position(),
            frame: self.frame,
            tool: self.tool,
            others: self.others.clone(),
            place: self.place.clone(),
        };
        (self.number, point)
    }

    fn position(&self) -> Known<Position> {
        if let Some(unclear) = &self.unclear {
            return Err(unclear.clone());
        }
        let incomplete = || why(&self.place, format!("P[{}] is not complete", self.number));
        let number = |key: &str| self.numbers.get(key).cloned().ok_or_else(incomplete)?;
        if self.config.is_some() {
            if self.numbers.len() != 6 {
                return Err(incomplete());
            }
            let mut values = [0.0; 6];
            for (value, key) in values.iter_mut().zip(["X", "Y", "Z", "W", "P", "R"]) {
                *value = number(key)?;
            }
            let config = self.config.clone();
            return Ok(Position::Pose { values, config });
        }
        let count = self.numbers.len();
        let joints = (1..=count)
            .map(|k| number(&format!("J{k}")))
            .collect::<Result<Vec<_>, _>>()?;
        if joints.is_empty() {
            Err(incomplete())
        } else {
            Ok(Position::Joints(joints))
        }
    }
}
