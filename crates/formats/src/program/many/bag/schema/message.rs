//! Messages, read by their definitions.

use super::{Base, Count, Definitions, Field, Wire};
use crate::program::node::{NodeKind, ProgramNode};

/// Values that one message may have.
const MOST_VALUES: usize = 4 << 20;
/// Messages within messages.
const DEEPEST: usize = 32;

impl Definitions {
    /// Reads a message.
    pub(in super::super) fn read(&self, wire: Wire, bytes: &[u8]) -> Result<ProgramNode, String> {
        let (bytes, big) = match wire {
            Wire::Ros1 => (bytes, false),
            Wire::Cdr => match bytes {
                [0, 0, _, _, rest @ ..] => (rest, true),
                [0, 1, _, _, rest @ ..] => (rest, false),
                _ => return Err("it has no head of CDR".to_owned()),
            },
        };
        let mut reader = Reader {
            definitions: self,
            wire,
            big,
            bytes,
            at: 0,
            values: 0,
            points: 0,
        };
        let kind = reader.message(&self.root, 0)?;
        // CDR may be filled up to the next four bytes.
        let left = bytes.len() - reader.at;
        let slack = if wire == Wire::Cdr { 3 } else { 0 };
        if left <= slack {
            Ok(node(kind))
        } else {
            Err(format!("{left} bytes are left behind its end"))
        }
    }
}

fn node(kind: NodeKind) -> ProgramNode {
    ProgramNode {
        line: None,
        column: None,
        kind,
    }
}

fn text(text: &str) -> ProgramNode {
    node(NodeKind::Text(text.to_owned()))
}

struct Reader<'r> {
    definitions: &'r Definitions,
    wire: Wire,
    big: bool,
    bytes: &'r [u8],
    at: usize,
    values: usize,
    /// Points of trajectories so far: reports count them.
    points: usize,
}

impl Reader<'_> {
    fn message(&mut self, name: &str, depth: usize) -> Result<NodeKind, String> {
        if depth > DEEPEST {
            return Err(format!(
                "messages lie more than {DEEPEST} deep in one another"
            ));
        }
        let definitions = self.definitions;
        let fields = definitions
            .types
            .get(name)
            .ok_or_else(|| format!("the definition of {name} is missing"))?;
        if fields.is_empty() && self.wire == Wire::Cdr {
            // Nothing takes a byte in C++.
            self.take(1)?;
        }
        let mut entries = Vec::with_capacity(fields.len());
        for field in fields {
            let value = self.field(field, depth).map_err(|why| {
                if why.contains('`') {
                    why
                } else {
                    format!("`{}`: {why}", field.name)
                }
            })?;
            entries.push((text(&field.name), value));
        }
        Ok(NodeKind::Map(entries))
    }

    fn field(&mut self, field: &Field, depth: usize) -> Result<ProgramNode, String> {
        let count = match field.count {
            Count::One => return self.value(&field.base, depth),
            Count::Fixed(count) => count,
            Count::Any => self.unsigned(4)? as usize,
        };
        // Nothing that is read takes less than a byte, so a forged count ends here.
        if count > self.bytes.len() - self.at {
            return Err(format!(
                "it says that it has {count} values, more than there are bytes"
            ));
        }
        if matches!(field.base, Base::Whole { bytes: 1, .. }) {
            // Pictures and the like: nobody asks for them.
            self.take(count)?;
            return Ok(node(NodeKind::Null));
        }
        let mut list = Vec::new();
        for _ in 0..count {
            let mut value = self.value(&field.base, depth)?;
            if field.name == "points" {
                self.points += 1;
                value.line = Some(self.points);
            }
            list.push(value);
        }
        Ok(node(NodeKind::List(list)))
    }

    fn value(&mut self, base: &Base, depth: usize) -> Result<ProgramNode, String> {
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(format!("it has more than {MOST_VALUES} values"));
        }
        Ok(node(match base {
            Base::Bool => NodeKind::Bool(self.unsigned(1)? != 0),
            Base::Whole { bytes, signed } => NodeKind::Number(if *signed {
                self.signed(*bytes)? as f64
            } else {
                self.unsigned(*bytes)? as f64
            }),
            Base::Real { bytes: 4 } => {
                let bits = self.unsigned(4)? as u32;
                NodeKind::Number(f64::from(f32::from_bits(bits)))
            }
            Base::Real { .. } => NodeKind::Number(f64::from_bits(self.unsigned(8)?)),
            Base::Text => NodeKind::Text(self.text()?),
            Base::Time { signed } => {
                let seconds = if *signed {
                    self.signed(4)? as f64
                } else {
                    self.unsigned(4)? as f64
                };
                let nano = self.unsigned(4)? as f64;
                let number = |x| node(NodeKind::Number(x));
                NodeKind::Map(vec![
                    (text("sec"), number(seconds)),
                    (text("nanosec"), number(nano)),
                ])
            }
            Base::Message(name) => self.message(name, depth + 1)?,
        }))
    }

    fn take(&mut self, count: usize) -> Result<&[u8], String> {
        let end = self.at.checked_add(count);
        let end = end.filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| "the message ends too early".to_owned())?;
        let bytes = &self.bytes[self.at..end];
        self.at = end;
        Ok(bytes)
    }

    fn unsigned(&mut self, bytes: usize) -> Result<u64, String> {
        if self.wire == Wire::Cdr {
            let over = self.at % bytes;
            if over > 0 {
                self.take(bytes - over)?;
            }
        }
        let big = self.big;
        let taken = self.take(bytes)?;
        let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Ok(if big {
            taken.iter().fold(0, fold)
        } else {
            taken.iter().rev().fold(0, fold)
        })
    }

    fn signed(&mut self, bytes: usize) -> Result<i64, String> {
        let shift = 64 - 8 * bytes as u32;
        Ok((self.unsigned(bytes)? << shift) as i64 >> shift)
    }

    fn text(&mut self) -> Result<String, String> {
        let length = self.unsigned(4)? as usize;
        let wire = self.wire;
        let bytes = self.take(length)?;
        let bytes = match (wire, bytes) {
            // With the zero that ends it.
            (Wire::Cdr, [text @ .., 0]) => text,
            (Wire::Cdr, [_, ..]) => return Err("a text does not end with a zero".to_owned()),
            _ => bytes,
        };
        String::from_utf8(bytes.to_vec()).map_err(|_| "a text is not UTF-8".to_owned())
    }
}
