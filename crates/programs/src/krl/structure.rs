//! Lists in structures that programs declare. They are there from the start, so that their elements
//! can be set one by one.

use std::collections::BTreeMap;

use clearance_proof::report::Location;

use super::data;
use crate::block::syntax::{BlockProgram, Name};
use crate::value::Value;

/// So many components and elements of a structure are looked at; no more of its lists are held.
const MOST: usize = 10_000;

/// Structures within each other; one that lies within itself would have no end.
const DEEP: usize = 8;

/// The name, which no program can write, under which the lengths of the lists in a structure stand:
/// the list and a length for each of its dimensions, outermost first.
pub(crate) fn lengths(kind: &Name) -> Name {
    format!("{kind}[]").into()
}

/// A value of that type with the lists that it does not state; what is in them is unknown.
pub(crate) fn with_lists(
    program: &BlockProgram,
    kind: &str,
    value: Value,
    why: &str,
    place: &Location,
) -> Value {
    let missing = Missing {
        program,
        why,
        place,
    };
    let mut left = MOST;
    missing.fill(&kind.into(), value, DEEP, &mut left)
}

struct Missing<'m> {
    program: &'m BlockProgram,
    why: &'m str,
    place: &'m Location,
}

impl Missing<'_> {
    fn fill(&self, kind: &Name, value: Value, depth: usize, left: &mut usize) -> Value {
        let Value::Record(mut fields) = value else {
            return value;
        };
        let records = &self.program.records;
        let (Some(own), Some(lists)) = (records.get(kind), records.get(&lengths(kind))) else {
            return Value::Record(fields);
        };
        for (name, of) in own {
            if depth == 0 || *left == 0 {
                break;
            }
            *left -= 1;
            // Texts are set as a whole.
            if fields.contains_key(name) || &**of == "char" {
                continue;
            }
            let dimensions = lists.iter().filter(|(list, _)| list == name);
            let is_list = dimensions.clone().next().is_some();
            let inner = if records.contains_key(of) || data::is_structure(of) {
                self.fill(of, Value::Record(BTreeMap::new()), depth - 1, left)
            } else {
                let reason = format!("{} {}", self.why, name.to_uppercase());
                Value::unknown(self.place, reason)
            };
            let has_lists = matches!(&inner, Value::Record(fields) if !fields.is_empty());
            let unset = dimensions.rev().try_fold(inner, |inner, (_, length)| {
                let length: usize = length.parse().ok()?;
                let size = inner
                    .size()
                    .checked_mul(length)
                    .filter(|size| *size <= *left)?;
                *left -= size;
                inner.repeated(length as f64)
            });
            if let (Some(unset), true) = (unset, is_list || has_lists) {
                fields.insert(name.clone(), unset);
            }
        }
        Value::Record(fields)
    }
}
