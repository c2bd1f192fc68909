//! The report for machines: SI units.

use super::printable;
use crate::findings::Outcome;

/// The outcome as JSON text, with a line break at the end.
pub fn json(outcome: &Outcome) -> String {
    // Serializing plain data to a string cannot fail: no map has keys other than strings, and
    // nothing is written to disk.
    let mut text = serde_json::to_string_pretty(outcome).unwrap_or_default();
    text.push('\n');
    printable::json(text)
}
