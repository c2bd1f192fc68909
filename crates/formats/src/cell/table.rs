//! TOML tables that know where everything stands and refuse what they do not know.

use std::path::{Path, PathBuf};

use nalgebra::Vector3;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::files::{MOST_TEXT, read_bytes, utf8};
use crate::lines::Lines;
use crate::names::suggestion;
use crate::units::{QuantityError, parse_angle, parse_length, parse_time};
use crate::{ImportError, Location, Problem};

/// A TOML file and its text.
pub(crate) struct TomlText {
    pub(crate) file: PathBuf,
    text: String,
    lines: Lines,
}

impl TomlText {
    pub(crate) fn read(file: &Path) -> Result<Self, ImportError> {
        Self::new(file, read_bytes(file, MOST_TEXT)?)
    }

    pub(crate) fn new(file: &Path, bytes: Vec<u8>) -> Result<Self, ImportError> {
        let text = utf8(file, &bytes)?.to_owned();
        Ok(Self {
            file: file.to_owned(),
            lines: Lines::new(&text),
            text,
        })
    }

    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'_>>, ImportError> {
        // A byte-order mark is skipped by the parser.
        DeTable::parse(&self.text).map_err(|e| {
            let at = e.span().map_or(0, |s| s.start);
            let remedy = remedy(e.message(), self.line_at(at));
            ImportError {
                place: self.place(at),
                problem: Problem::Syntax {
                    cause: e.message().replace('\n', ", "),
                    remedy: remedy.into(),
                },
            }
        })
    }

    /// The line that holds a byte of the text.
    fn line_at(&self, offset: usize) -> &str {
        let before = self.text.get(..offset).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        self.text[start..].lines().next().unwrap_or_default()
    }

    /// The header behind a `#` that a key seems to belong to: it stands between the key and the table
    /// that the key is read in.
    fn header_as_comment(&self, offset: usize) -> Option<&str> {
        let before = self.text.get(..offset)?;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        if !before[start..].trim().is_empty() {
            return None;
        }
        for line in before[..start].lines().rev().map(str::trim) {
            let comment = line.strip_prefix('#').map(str::trim);
            match comment.map(header) {
                Some(Some(header)) => return Some(header),
                // The table that it is read in.
                None if line.starts_with('[') => return None,
                _ => {}
            }
        }
        None
    }

    fn place(&self, offset: usize) -> Location {
        let (line, column) = self.lines.position(&self.text, offset);
        Location::at(&self.file, line, Some(column))
    }
}

/// What to do about a line that is no TOML, by the message of its reader.
fn remedy(message: &str, line: &str) -> &'static str {
    let is_number = ["mantissa", "fraction", "leading zero"]
        .iter()
        .any(|word| message.contains(word));
    let value = line.split_once('=').map_or("", |(_, value)| value.trim());
    let is_list = value.contains('[') && value.contains(|c: char| c.is_ascii_digit());
    match () {
        () if line.contains('\\') => {
            "in a text of toml `\\` begins an escape: write paths with `/`, as in `meshes/table.stl`"
        }
        () if is_number => {
            "numbers of toml have a digit on both sides of the point, and no zeros in front: write `0.1`, `1.0`, `1`"
        }
        () if is_list => {
            "numbers of a list have a comma between them, and a point for the decimals: `[0.1, 0.2, 0.3]`"
        }
        () => "the file must be well-formed toml",
    }
}

/// The header of a table at the beginning of a line: `[check]`, `[[robot]]`, `[robot.controller]`.
fn header(line: &str) -> Option<&str> {
    let name = line.trim_start_matches('[');
    let inside = name.find(']')?;
    let end = line.len() - name[inside..].trim_start_matches(']').len();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let is_header = line.starts_with('[')
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name[..inside].chars().all(is_name);
    is_header.then_some(&line[..end])
}

/// A table whose keys are all known.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    source: &'a TomlText,
    table: &'a DeTable<'a>,
    /// `[[robot]]`, `pose`, … for messages.
    what: &'a str,
    offset: usize,
}

impl<'a> Table<'a> {
    /// The whole file.
    pub(crate) fn root(
        source: &'a TomlText,
        table: &'a DeTable<'a>,
        known: &[&str],
    ) -> Result<Self, ImportError> {
        Self::root_of("the cell file", source, table, known)
    }

    /// The whole of a file that is called so in messages.
    pub(crate) fn root_of(
        what: &'a str,
        source: &'a TomlText,
        table: &'a DeTable<'a>,
        known: &[&str],
    ) -> Result<Self, ImportError> {
        let table = Self {
            source,
            table,
            what,
            offset: 0,
        };
        table.refuse_unknown(known)?;
        Ok(table)
    }

    fn refuse_unknown(&self, known: &[&str]) -> Result<(), ImportError> {
        let mut unknown: Vec<_> = self
            .table
            .keys()
            .filter(|k| !known.contains(&k.get_ref().as_ref()))
            .collect();
        unknown.sort_by_key(|k| k.span().start); // the map sorts by name; people read from the top
        let Some(key) = unknown.first() else {
            return Ok(());
        };
        let name = key.get_ref().as_ref();
        // Whoever writes the parts of a pose straight into the table knows what they are called.
        let pose = (["xyz", "rpy", "quat"].contains(&name))
            .then(|| known.iter().find(|known| ["pose", "base"].contains(known)));
        let remedy = match pose.flatten() {
            Some(pose) => format!("`{name}` is a part of the pose: `{pose} = {{ {name} = […] }}`"),
            None => suggestion(name, known.iter().copied()),
        };
        let remedy = match self.source.header_as_comment(key.span().start) {
            Some(header) => format!(
                "{remedy}; `{header}` above it stands behind a `#`: take that away if the key belongs to it"
            ),
            None => remedy,
        };
        Err(ImportError {
            place: self.source.place(key.span().start),
            problem: Problem::UnknownName {
                what: "key",
                name: name.to_owned(),
                remedy: format!("in {}, {remedy}", self.what),
            },
        })
    }

    pub(crate) fn get(&self, key: &'a str) -> Option<TableValue<'a>> {
        self.entries().find(|v| v.key == key)
    }

    pub(crate) fn required(&self, key: &'a str) -> Result<TableValue<'a>, ImportError> {
        self.get(key).ok_or_else(|| {
            self.error(Problem::Syntax {
                cause: format!("{} has no `{key}`", self.what),
                remedy: format!("add `{key} = …`"),
            })
        })
    }

    /// Every key with its value.
    pub(crate) fn entries(&self) -> impl Iterator<Item = TableValue<'a>> + use<'a> {
        let source = self.source;
        self.table.iter().map(move |(key, value)| TableValue {
            source,
            key: key.get_ref().as_ref(),
            key_offset: key.span().start,
            value,
        })
    }

    pub(crate) fn place(&self) -> Location {
        self.source.place(self.offset)
    }

    pub(crate) fn error(&self, problem: Problem) -> ImportError {
        ImportError {
            place: self.place(),
            problem,
        }
    }
}

/// A value with its key.
#[derive(Clone, Copy)]
pub(crate) struct TableValue<'a> {
    source: &'a TomlText,
    pub(crate) key: &'a str,
    key_offset: usize,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> TableValue<'a> {
    pub(crate) fn place(&self) -> Location {
        self.source.place(self.value.span().start)
    }

    /// An error about the value.
    pub(crate) fn error(&self, problem: Problem) -> ImportError {
        ImportError {
            place: self.place(),
            problem,
        }
    }

    /// An error about the key.
    pub(crate) fn key_error(&self, problem: Problem) -> ImportError {
        ImportError {
            place: self.source.place(self.key_offset),
            problem,
        }
    }

    /// The value is not what it should be.
    pub(crate) fn bad(&self, remedy: impl Into<String>) -> ImportError {
        let span = self.value.span();
        let text = self.source.text.get(span).unwrap_or_default();
        let first: String = text
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(60)
            .collect();
        self.error(Problem::BadValue {
            what: format!("`{}`", self.key),
            value: format!("`{first}`"),
            remedy: remedy.into(),
        })
    }

    fn child(&self, value: &'a Spanned<DeValue<'a>>) -> TableValue<'a> {
        TableValue { value, ..*self }
    }

    pub(crate) fn string(&self) -> Result<&'a str, ImportError> {
        self.value
            .get_ref()
            .as_str()
            .ok_or_else(|| self.bad("write text in quotes"))
    }

    /// A string that is not blank.
    pub(crate) fn name(&self) -> Result<&'a str, ImportError> {
        let name = self.string()?;
        if name.trim().is_empty() {
            Err(self.bad("write a name"))
        } else {
            Ok(name)
        }
    }

    pub(crate) fn boolean(&self) -> Result<bool, ImportError> {
        self.value
            .get_ref()
            .as_bool()
            .ok_or_else(|| self.bad("write true or false"))
    }

    /// A text, a number or a truth value, as text.
    pub(crate) fn scalar(&self) -> Result<String, ImportError> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(i) if i.radix() == 10 => Ok(i.as_str().to_owned()),
            DeValue::Float(f) => Ok(f.as_str().to_owned()),
            DeValue::Boolean(b) => Ok(b.to_string()),
            _ => Err(self.bad("write a text, a number, true or false")),
        }
    }

    /// The number, or `None` where the value is something else.
    fn maybe_number(&self) -> Result<Option<f64>, ImportError> {
        let value = match self.value.get_ref() {
            DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix())
                .ok()
                .map(|v| v as f64),
            DeValue::Float(f) => f.as_str().parse::<f64>().ok(),
            _ => return Ok(None),
        };
        match value {
            Some(v) if v.is_finite() => Ok(Some(v)),
            _ => Err(self.bad("write a finite number")),
        }
    }

    fn with_unit(
        &self,
        parse: fn(&str) -> Result<f64, QuantityError>,
        expected: &str,
    ) -> Result<f64, ImportError> {
        if let Some(number) = self.maybe_number()? {
            return Ok(number);
        }
        match self.value.get_ref().as_str() {
            Some(text) => parse(text).map_err(|e| self.bad(e)),
            None => Err(self.bad(expected)),
        }
    }

    pub(crate) fn number(&self) -> Result<f64, ImportError> {
        self.maybe_number()?
            .ok_or_else(|| self.bad("write a number"))
    }

    /// Metres; text may carry a unit.
    pub(crate) fn length(&self) -> Result<f64, ImportError> {
        self.with_unit(
            parse_length,
            "write a number of metres, or text with a unit, for example \"5mm\"",
        )
    }

    /// Metres, above 0.
    pub(crate) fn positive_length(&self) -> Result<f64, ImportError> {
        let length = self.length()?;
        if length > 0.0 {
            Ok(length)
        } else {
            Err(self.bad("write a length above 0"))
        }
    }

    /// Metres, 0 or more.
    pub(crate) fn length_from_zero(&self) -> Result<f64, ImportError> {
        let length = self.length()?;
        if length >= 0.0 {
            Ok(length)
        } else {
            Err(self.bad("write a length of 0 or more"))
        }
    }

    /// Radians; text may carry a unit.
    pub(crate) fn angle(&self) -> Result<f64, ImportError> {
        self.with_unit(
            parse_angle,
            "write a number of radians, or text with a unit, for example \"90deg\"",
        )
    }

    /// Seconds; text may carry a unit.
    pub(crate) fn seconds(&self) -> Result<f64, ImportError> {
        self.with_unit(
            parse_time,
            "write a number of seconds, or text with a unit, for example \"250ms\"",
        )
    }

    pub(crate) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    pub(crate) fn list(&self) -> Result<Vec<TableValue<'a>>, ImportError> {
        match self.value.get_ref().as_array() {
            Some(items) => Ok(items.iter().map(|v| self.child(v)).collect()),
            None => Err(self.bad("write a list in square brackets")),
        }
    }

    /// Exactly `N` values, each read by `read`.
    pub(crate) fn array<const N: usize>(
        &self,
        read: fn(&TableValue<'a>) -> Result<f64, ImportError>,
    ) -> Result<[f64; N], ImportError> {
        let items = match self.value.get_ref().as_array() {
            Some(items) if items.len() == N => items,
            Some(items) if items.len() > N => {
                let wanted = "numbers; a decimal number has a point and not a comma, as in 0.25";
                return Err(self.bad(format!("write a list of {N} {wanted}")));
            }
            _ => return Err(self.bad(format!("write a list of {N} numbers"))),
        };
        let mut out = [0.0; N];
        for (slot, item) in out.iter_mut().zip(items.iter()) {
            *slot = read(&self.child(item))?;
        }
        Ok(out)
    }

    /// One factor for all axes, or three; not 0.
    pub(crate) fn scale(&self) -> Result<Vector3<f64>, ImportError> {
        let scale = match self.maybe_number()? {
            Some(factor) => [factor; 3],
            None if self.value.get_ref().is_array() => self.array(TableValue::number)?,
            None => {
                return Err(self.bad("write a number or three, for example 0.001 for millimetres"));
            }
        };
        if scale.contains(&0.0) {
            return Err(self.bad("a scale of 0 flattens the mesh; write 1 to keep its size"));
        }
        Ok(scale.into())
    }

    /// A table with these keys only.
    pub(crate) fn table(&self, what: &'a str, known: &[&str]) -> Result<Table<'a>, ImportError> {
        let table = self.free_table(what)?;
        table.refuse_unknown(known)?;
        Ok(table)
    }

    /// A table whose keys are names of the user's.
    pub(crate) fn free_table(&self, what: &'a str) -> Result<Table<'a>, ImportError> {
        match self.value.get_ref().as_table() {
            Some(table) => Ok(Table {
                source: self.source,
                table,
                what,
                offset: self.value.span().start,
            }),
            None if what.starts_with('[') => Err(self.bad(format!("write {what}, once"))),
            None => Err(self.bad(format!("{what} is a table: write `{{ key = value }}`"))),
        }
    }

    /// `[[what]]`: a list of tables with these keys only.
    pub(crate) fn tables(
        &self,
        what: &'a str,
        known: &[&str],
    ) -> Result<Vec<Table<'a>>, ImportError> {
        if self.value.get_ref().is_table() {
            return Err(self.key_error(Problem::Syntax {
                cause: format!("`[{}]` is a single table", self.key),
                remedy: format!("write {what}: there may be several"),
            }));
        }
        self.list()
            .map_err(|_| self.bad(format!("write {what}")))?
            .iter()
            .map(|v| v.table(what, known))
            .collect()
    }
}
