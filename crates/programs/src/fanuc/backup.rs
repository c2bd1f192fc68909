//! Position registers and frames as the controller lists them (`POSREG.VA`, `SYSFRAME.VA`), and to which
//! axes turn numbers belong (`SYMOTN.VA`).

use std::collections::{BTreeMap, BTreeSet};

use clearance_formats::controller::ControllerFile;
use clearance_formats::{ImportError, Problem};
use clearance_proof::report::Location;

use super::listing::Position;
use crate::block::text::decode;
use crate::lines::cursor::LineCursor;

/// The statements of the lists about the first group.
#[derive(Debug, Default)]
pub(super) struct Backup {
    pub(super) registers: BTreeMap<u32, Position>,
    /// Position registers with extended axes (a rail, a table).
    pub(super) extended: BTreeSet<u32>,
    pub(super) frames: BTreeMap<u32, [f64; 6]>,
    pub(super) tools: BTreeMap<u32, [f64; 6]>,
    /// The axes of the three turn numbers of a configuration, counted from 1; 0: of none.
    pub(super) turn_axes: Option<[u32; 3]>,
}

/// The field of the axes of turn numbers, of the first group.
const TURN_AXIS: &str = "$SCR_GRP[1].$TURN_AXIS";

/// Which list is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Registers,
    Frames,
    Tools,
    Other,
}

impl Backup {
    /// Reads a file; what it holds beside these lists does not matter.
    ///
    /// # Errors
    /// When an entry does not follow the form.
    pub(super) fn read(&mut self, file: &ControllerFile) -> Result<(), ImportError> {
        let text = decode(&file.bytes);
        let mut list = List::Other;
        let mut entry: Option<Entry> = None;
        // The axes of turn numbers, while these are read.
        let mut axes: Option<Vec<u32>> = None;
        for (k, line) in text.lines().enumerate() {
            let line = line.trim();
            let place = Location::at(&file.path, k + 1, None);
            let fail = || ImportError {
                place: place.clone(),
                problem: Problem::Syntax {
                    cause: format!("`{line}` of the controller's list is not understood"),
                    remedy: "name the list as the controller saved it".into(),
                },
            };
            if let Some(mut known) = axes.take() {
                let mut cursor = LineCursor::new(line);
                let opens = cursor.eat("[") && cursor.index() == Some(known.len() as u32 + 1);
                let value = cursor.eat("]") && cursor.eat("=");
                known.push(cursor.index().filter(|_| opens && value).ok_or_else(fail)?);
                match <[u32; 3]>::try_from(known) {
                    Ok(three) => self.keep_turn_axes(three, &place)?,
                    Err(fewer) => axes = Some(fewer),
                }
                continue;
            }
            let mut words = line.split_whitespace();
            if words.next() == Some("Field:") && words.next() == Some(TURN_AXIS) {
                axes = Some(Vec::new());
                continue;
            }
            if let Some(header) = line.strip_prefix("[*") {
                self.keep(list, entry.take(), &place)?;
                let name = header.split_once(']').map_or("", |(_, n)| n);
                list = match name.split_whitespace().next() {
                    Some("$POSREG") => List::Registers,
                    Some("$MNUFRAME") => List::Frames,
                    Some("$MNUTOOL") => List::Tools,
                    _ => List::Other,
                };
                continue;
            }
            if list == List::Other || line.is_empty() {
                continue;
            }
            let mut rest = line;
            if line.starts_with('[') {
                self.keep(list, entry.take(), &place)?;
                let (new, behind) = Entry::begin(line).ok_or_else(fail)?;
                entry = Some(new);
                rest = behind;
            }
            let entry = entry.as_mut().ok_or_else(fail)?;
            entry.items(rest).ok_or_else(fail)?;
        }
        self.keep(list, entry, &Location::file(&file.path))
    }

    fn keep_turn_axes(&mut self, axes: [u32; 3], place: &Location) -> Result<(), ImportError> {
        if *self.turn_axes.get_or_insert(axes) == axes {
            return Ok(());
        }
        Err(ImportError {
            place: place.clone(),
            problem: Problem::Syntax {
                cause: "another list says something else of $TURN_AXIS".into(),
                remedy: "name each list once, as the controller saved it".into(),
            },
        })
    }

    fn keep(
        &mut self,
        list: List,
        entry: Option<Entry>,
        place: &Location,
    ) -> Result<(), ImportError> {
        let Some(entry) = entry.filter(|e| e.group == 1 && !e.empty) else {
            return Ok(());
        };
        let refused = |cause: String| ImportError {
            place: place.clone(),
            problem: Problem::Syntax {
                cause,
                remedy: "name each list once, as the controller saved it".into(),
            },
        };
        let number = entry.number;
        if list == List::Registers && entry.is_extended() {
            self.extended.insert(number);
            return Ok(());
        }
        let incomplete = || refused(format!("the entry {number} before is not complete"));
        let position = entry.position().ok_or_else(incomplete)?;
        let values = match &position {
            Position::Pose { values, .. } => Ok(*values),
            Position::Joints(_) => Err(incomplete()),
        };
        let is_same = match list {
            List::Registers => add(&mut self.registers, number, position),
            List::Frames => add(&mut self.frames, number, values?),
            List::Tools => add(&mut self.tools, number, values?),
            List::Other => true,
        };
        if is_same {
            Ok(())
        } else {
            let cause = format!("another list says something else of the entry {number} before");
            Err(refused(cause))
        }
    }
}

/// Adds an entry. Whether there is no other one of that number.
fn add<T: PartialEq + Clone>(list: &mut BTreeMap<u32, T>, number: u32, value: T) -> bool {
    *list.entry(number).or_insert_with(|| value.clone()) == value
}

/// One position of a list.
struct Entry {
    group: u32,
    number: u32,
    empty: bool,
    numbers: BTreeMap<String, f64>,
    config: Option<String>,
}

impl Entry {
    /// `[1,3] = 'NAME'`, and what stands behind it.
    fn begin(line: &str) -> Option<(Self, &str)> {
        let mut cursor = LineCursor::new(line);
        let opens = cursor.eat("[");
        let group = cursor.index().filter(|_| opens && cursor.eat(","))?;
        let number = cursor
            .index()
            .filter(|_| cursor.eat("]") && cursor.eat("="))?;
        if cursor.eat("'") {
            cursor.until(|c| c == '\'');
            cursor.eat("'").then_some(())?;
        }
        let entry = Self {
            group,
            number,
            empty: false,
            numbers: BTreeMap::new(),
            config: None,
        };
        Some((entry, cursor.rest()))
    }

    fn items(&mut self, text: &str) -> Option<()> {
        let mut cursor = LineCursor::new(text);
        while !cursor.is_done() {
            let key = cursor.word().to_owned();
            match key.as_str() {
                "Uninitialized" => self.empty = true,
                "Group" => {
                    cursor.eat(":").then_some(())?;
                    (cursor.index()? == self.group).then_some(())?;
                }
                "Config" => {
                    cursor.eat(":").then_some(())?;
                    self.config = Some(cursor.rest().to_owned());
                    return Some(());
                }
                _ => {
                    (cursor.eat(":") || cursor.eat("=")).then_some(())?;
                    if cursor.rest().starts_with("***") {
                        cursor.until(|c| c != '*');
                        self.empty = true;
                    } else {
                        let number = cursor.number()?;
                        let old = self.numbers.insert(key, number);
                        old.is_none().then_some(())?;
                    }
                    let _ = cursor.eat_word("deg") || cursor.eat_word("mm");
                }
            }
        }
        Some(())
    }

    /// Whether it has an axis beside those of the arm: `EXT1:    40.492 mm`.
    fn is_extended(&self) -> bool {
        let number = |key: &str| {
            Some(
                key.strip_prefix("EXT")
                    .or(key.strip_prefix('E'))?
                    .to_owned(),
            )
        };
        let mut keys = self.numbers.keys();
        keys.any(|key| number(key).is_some_and(|number| number.parse::<u32>().is_ok()))
    }

    fn position(&self) -> Option<Position> {
        let of = |key: &str| self.numbers.get(key).copied();
        if let Some(x) = of("X") {
            let values = [x, of("Y")?, of("Z")?, of("W")?, of("P")?, of("R")?];
            let config = self.config.clone();
            return (self.numbers.len() == 6).then_some(Position::Pose { values, config });
        }
        let count = self.numbers.len();
        let joints: Option<Vec<f64>> = (1..=count).map(|k| of(&format!("J{k}"))).collect();
        joints.filter(|j| !j.is_empty()).map(Position::Joints)
    }
}
