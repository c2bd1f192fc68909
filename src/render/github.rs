//! Annotations for GitHub's workflow logs: one workflow command a finding.

use super::list::findings;
use super::printable::printable;
use crate::findings::{FailOn, Outcome};

/// The findings as workflow commands, one a line: `error` where the finding makes the run fail,
/// else `warning`.
pub fn github(outcome: &Outcome, fail_on: &FailOn) -> String {
    let mut out = String::new();
    for finding in findings(outcome) {
        let level = match finding.rule.fails(fail_on) || outcome.error.is_some() {
            _ if finding.rule.is_record() => "notice",
            true => "error",
            false => "warning",
        };
        out += &format!(
            "::{level} file={}",
            property(&printable(&finding.place.file))
        );
        if let Some(line) = finding.place.line {
            out += &format!(",line={line}");
            if let Some(column) = finding.place.column {
                out += &format!(",col={column}");
            }
        }
        let title = format!("clearance: {}", finding.rule.as_str());
        out += &format!(
            ",title={}::{}\n",
            property(&title),
            message(&finding.message)
        );
    }
    out
}

/// Text behind `::`: what would end the command or start another one is escaped.
fn message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A value in front of `::`: separators are escaped too.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
