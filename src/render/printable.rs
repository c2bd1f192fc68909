//! Names and values from files as harmless text: whoever names a link or a file must not be able to
//! colour a terminal, turn the direction of writing, start a line, or give commands to a CI server
//! that reads its log.
//!
//! Every writer passes its strings through here in one place: the text report and the tables line
//! by line, the reports for CI where they take findings, JSON behind the serializer, the command
//! line before it prints an error.

use std::fmt::Write;

use crate::findings::acts;
pub use crate::findings::printable;

/// A line of a report: printable, and no command of GitHub's (`::error …` at its start, whatever
/// space is before).
pub fn line(text: &str) -> String {
    no_command(printable(text.trim_end()).into_owned())
}

/// Takes from a line what makes it a command.
pub(super) fn no_command(line: String) -> String {
    let start = line.len() - line.trim_start().len();
    if line[start..].starts_with("::") {
        format!("{}\\x3a{}", &line[..start], &line[start + 1..])
    } else {
        line
    }
}

/// Lines as one text, each of them printable; without empty lines at the end.
pub(super) fn page(lines: &[String]) -> String {
    let mut text: String = lines.iter().map(|l| line(l) + "\n").collect();
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// JSON text with the same values, and nothing in it that acts: what the serializer leaves as it is
/// becomes `\u….`.
pub fn json(text: String) -> String {
    let as_it_is = |c: char| c.is_ascii() && c != '\u{7f}' || !acts(c);
    if text.chars().all(as_it_is) && !text.contains("##") {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    for c in text.chars() {
        // All of them stand in strings only.
        if as_it_is(c) && !(c == '#' && before == '#') {
            out.push(c)
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                _ = write!(out, "\\u{unit:04x}");
            }
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_a_command() {
        for text in [
            "::error::x",
            "  ::error::x",
            "\u{a0}::error::x",
            "\n::error::x",
        ] {
            let line = line(text);
            assert!(!line.trim_start().starts_with("::"), "{line:?}");
            assert!(line.ends_with(":error::x"), "{line:?}");
        }
        assert_eq!(line("a ::b"), "a ::b");
    }

    #[test]
    fn json_keeps_its_values() {
        let value =
            serde_json::json!({"a\u{9b}": "\u{202e}##[error]\x1b\u{7f}\u{feff}\u{e0041} ## ä箱"});
        let text = json(serde_json::to_string(&value).unwrap());
        assert!(!text.chars().any(acts), "{text:?}");
        assert!(!text.contains("##"), "{text}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
