//! URScript text into tokens.

use std::sync::Arc;

use crate::token_error::TokenError;

/// A piece of text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ScriptTokenKind {
    /// A word.
    Name(Arc<str>),
    /// A number.
    Number(f64),
    /// Quoted text.
    Text(Arc<str>),
    /// An operator, a bracket, a separator.
    Sign(&'static str),
    /// The end of a line outside of brackets.
    EndOfLine,
}

/// A token and its line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptToken {
    pub(crate) token: ScriptTokenKind,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Whether it is a number that is written with a fraction or an exponent.
    pub(crate) fraction: bool,
}

/// Longer ones first.
const SIGNS: [&str; 25] = [
    "==", "!=", "<=", ">=", "(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "<", ">", "+", "-",
    "*", "/", "%", "≟", "≠", "≤", "≥",
];

/// The tokens of a text whose first line has that number.
pub(crate) fn tokens(text: &str, first_line: usize) -> Result<Vec<ScriptToken>, TokenError> {
    let mut found: Vec<ScriptToken> = Vec::new();
    let mut open = 0usize;
    for (k, line) in text.split('\n').enumerate() {
        let number = first_line + k;
        // It ends a line for some, and for others a comment goes on behind it.
        if let Some(at) = line.trim_end_matches('\r').find('\r') {
            return Err(TokenError {
                line: number,
                column: line[..at].chars().count() + 1,
                cause: "a carriage return without a line feed stands within a line".to_owned(),
            });
        }
        let mut rest = line;
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\r', '\u{feff}']);
            let column = line[..line.len() - rest.len()].chars().count() + 1;
            let mut push = |token| {
                found.push(ScriptToken {
                    token,
                    line: number,
                    column,
                    fraction: false,
                });
            };
            let wrong = |cause: String| TokenError {
                line: number,
                column,
                cause,
            };
            let Some(first) = rest.chars().next() else {
                break;
            };
            // `$ 12 "text"` tells PolyScope which node is running.
            if first == '#' || first == '$' && column == line.len() - line.trim_start().len() + 1 {
                break;
            }
            if first.is_alphabetic() || first == '_' {
                let end = rest
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(rest.len());
                push(ScriptTokenKind::Name(rest[..end].into()));
                rest = &rest[end..];
            } else if first.is_ascii_digit()
                || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
            {
                let length = number_length(rest);
                let written = &rest[..length];
                let value: f64 =
                    (written.parse()).map_err(|_| wrong(format!("`{written}` is not a number")))?;
                if !value.is_finite() {
                    return Err(wrong(format!("`{written}` is too large")));
                }
                // `12abc`, `0x1f`, `1.2.3`
                rest = &rest[length..];
                if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.') {
                    return Err(wrong(format!(
                        "`{written}` is followed by more than a number"
                    )));
                }
                push(ScriptTokenKind::Number(value));
                if let Some(last) = found.last_mut() {
                    last.fraction = written.contains(['.', 'e', 'E']);
                }
            } else if first == '"' || first == '\'' {
                let inner = &rest[1..];
                let Some(end) = inner.find(first) else {
                    return Err(wrong("a text is not closed on its line".to_owned()));
                };
                push(ScriptTokenKind::Text(inner[..end].into()));
                rest = &inner[end + 1..];
            } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                match sign {
                    "(" | "[" | "{" => open += 1,
                    ")" | "]" | "}" => open = open.saturating_sub(1),
                    _ => {}
                }
                let meant = match sign {
                    "≟" => "==",
                    "≠" => "!=",
                    "≤" => "<=",
                    "≥" => ">=",
                    same => same,
                };
                push(ScriptTokenKind::Sign(meant));
                rest = &rest[sign.len()..];
            } else {
                return Err(wrong(format!("`{first}` has no meaning in URScript")));
            }
        }
        if open == 0 {
            found.push(ScriptToken {
                token: ScriptTokenKind::EndOfLine,
                line: number,
                column: line.chars().count() + 1,
                fraction: false,
            });
        }
    }
    Ok(found)
}

/// How many bytes at the start belong to a number.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            end = after;
        }
    }
    end
}
