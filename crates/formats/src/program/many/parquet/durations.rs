//! Which columns Arrow wrote as durations, or as lists of them. Parquet has no such type: the file holds bare whole
//! numbers, and only Arrow's own schema beside them (`ARROW:schema`, a flatbuffer in base64) says
//! that they are durations, and of which unit. Pandas, Polars and pyarrow write such files.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_PAD_INDIFFERENT;

/// `Duration` among the types of Arrow.
const DURATION: u8 = 18;

/// The names of the columns that are (or hold) durations by this schema; none where it cannot be read.
pub(super) fn durations(schema: &str) -> Vec<String> {
    (STANDARD_PAD_INDIFFERENT.decode(schema).ok())
        .and_then(|bytes| of_message(&bytes))
        .unwrap_or_default()
}

fn of_message(bytes: &[u8]) -> Option<Vec<String>> {
    // Before the message stand its length and, since 2019, four bytes of ones.
    let start = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let buffer = Buffer(bytes.get(start..)?);
    let message = buffer.behind(0)?;
    let schema = buffer.behind(buffer.field(message, 2)?)?;
    let fields = buffer.behind(buffer.field(schema, 1)?)?;
    let mut found = Vec::new();
    for k in 0..buffer.length(fields)? {
        let field = buffer.behind(fields.checked_add(4 + 4 * k)?)?;
        if buffer.is_duration(field)? || buffer.holds_durations(field)? {
            let name = buffer.behind(buffer.field(field, 0)?)?;
            let text = buffer.0.get(name + 4..)?.get(..buffer.length(name)?)?;
            found.push(String::from_utf8_lossy(text).into_owned());
        }
    }
    Some(found)
}

/// The bytes of a flatbuffer; places in it count from its beginning.
struct Buffer<'b>(&'b [u8]);

impl Buffer<'_> {
    fn four(&self, at: usize) -> Option<[u8; 4]> {
        self.0.get(at..at.checked_add(4)?)?.try_into().ok()
    }

    fn two(&self, at: usize) -> Option<usize> {
        let bytes = self.0.get(at..at.checked_add(2)?)?;
        Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
    }

    /// Entries of the vector, or bytes of the text, that begins here.
    fn length(&self, at: usize) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.four(at)?)).ok()
    }

    /// Where the offset that stands here leads.
    fn behind(&self, at: usize) -> Option<usize> {
        at.checked_add(self.length(at)?)
    }

    /// Whether this column is one of durations.
    fn is_duration(&self, field: usize) -> Option<bool> {
        self.field(field, 2)
            .map_or(Some(false), |kind| Some(*self.0.get(kind)? == DURATION))
    }

    /// Whether this column has lists of durations, or the like.
    fn holds_durations(&self, field: usize) -> Option<bool> {
        let Some(within) = self.field(field, 5) else {
            return Some(false);
        };
        let within = self.behind(within)?;
        for k in 0..self.length(within)? {
            if self.is_duration(self.behind(within.checked_add(4 + 4 * k)?)?)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Where a table has one of its fields; `None`: it does not have it.
    fn field(&self, table: usize, number: usize) -> Option<usize> {
        let back = i32::from_le_bytes(self.four(table)?);
        let list = usize::try_from(i64::try_from(table).ok()? - i64::from(back)).ok()?;
        let slot = 4 + 2 * number;
        if slot >= self.two(list)? {
            return None;
        }
        match self.two(list + slot)? {
            0 => None,
            offset => table.checked_add(offset),
        }
    }
}
