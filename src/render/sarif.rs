//! SARIF 2.1.0, for code scanning: every finding points at the line of the waypoint where its
//! segment starts.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::list::{Finding, Rule, findings};
use super::printable;
use crate::findings::{FailOn, Outcome};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The findings as a SARIF log with one run, with a line break at the end. A finding is an `error`
/// where it makes the run fail, else a `warning`.
pub fn sarif(outcome: &Outcome, fail_on: &FailOn) -> String {
    let rules: Vec<Value> = Rule::all().map(|r| rule(r, fail_on)).collect();
    let mut seen = HashMap::new();
    let results: Vec<Value> = findings(outcome)
        .iter()
        .map(|finding| {
            // Contact intervals of one pair differ by their number only: lines and times shift when
            // a program is edited.
            let number = seen
                .entry((finding.rule.as_str(), finding.identity.clone()))
                .and_modify(|n| *n += 1)
                .or_insert(0usize);
            result(finding, *number, outcome.error.is_some(), fail_on)
        })
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": outcome.tool,
                "semanticVersion": outcome.version,
                "rules": rules,
            }},
            // Columns are counted in characters.
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": outcome.error.is_none()}],
            "results": results,
        }],
    });
    // Plain data: serializing it cannot fail.
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    printable::json(text)
}

fn level(fails: bool) -> &'static str {
    if fails { "error" } else { "warning" }
}

fn rule(rule: Rule, fail_on: &FailOn) -> Value {
    json!({
        "id": rule.as_str(),
        "shortDescription": {"text": rule.meaning()},
        "fullDescription": {"text": format!("{} {}", rule.meaning(), rule.remedy())},
        "help": {"text": rule.remedy()},
        "defaultConfiguration": {"level": level(rule.fails(fail_on))},
    })
}

fn result(finding: &Finding, number: usize, no_answer: bool, fail_on: &FailOn) -> Value {
    let mut location = json!({"artifactLocation": {"uri": uri(&finding.place.file)}});
    if let Some(line) = finding.place.line {
        location["region"] = json!({"startLine": line});
        if let Some(column) = finding.place.column {
            location["region"]["startColumn"] = column.into();
        }
    }
    let identity = format!("{}\n{}\n{number}", finding.rule.as_str(), finding.identity);
    let fingerprint = blake3::hash(identity.as_bytes()).to_hex();
    json!({
            "ruleId": finding.rule.as_str(),
            "ruleIndex": Rule::all().position(|r| r == finding.rule),
            "level": if finding.rule.is_record() {
    "note"
    } else {
    level(no_answer || finding.rule.fails(fail_on))
    },
            "message": {"text": finding.message},
            "locations": [{"physicalLocation": location}],
            "partialFingerprints": {"clearanceFinding/v1": &fingerprint[..32]},
        })
}

/// A path as a reference of RFC 3986: relative paths stay relative to where the run was started.
fn uri(path: &str) -> String {
    let path = match std::path::MAIN_SEPARATOR {
        '/' => path.to_owned(),
        other => path.replace(other, "/"),
    };
    let path = path.strip_prefix("./").unwrap_or(&path);
    let drive = path.as_bytes().get(1) == Some(&b':') && std::path::MAIN_SEPARATOR == '\\';
    let mut out = match (path.starts_with('/'), drive) {
        (true, _) => "file://".to_owned(),
        (false, true) => "file:///".to_owned(),
        (false, false) => String::new(),
    };
    for (index, byte) in path.bytes().enumerate() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            b':' if drive && index == 1 => out.push(':'),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        for (path, expected) in [
            ("pick.csv", "pick.csv"),
            ("./a/pick up.csv", "a/pick%20up.csv"),
            ("../x#1%.csv", "../x%231%25.csv"),
            ("/a/grün.csv", "file:///a/gr%C3%BCn.csv"),
            ("a:b.csv", "a%3Ab.csv"),
            ("bad\u{fffd}\n.csv", "bad%EF%BF%BD%0A.csv"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
