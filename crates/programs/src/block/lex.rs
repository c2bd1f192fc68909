//! Words, numbers and signs of a text, each with its line and column.

use std::sync::Arc;

use super::syntax::Name;
use crate::token_error::TokenError;

/// The rules in which the two languages differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// A comment runs from here to the end of the line.
    pub(crate) comment: char,
    /// Whether a line ends a statement.
    pub(crate) lines: bool,
    /// Whether `$` and `#` begin names, and `'B01'` is a number.
    pub(crate) signs: bool,
    /// Signs of several characters, longest first.
    pub(crate) symbols: &'static [&'static str],
}

/// A word, number or sign.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) what: TokenKind,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The kind of a token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind {
    /// A name in lower case, and as it is written.
    Name(Name, Name),
    /// A number, and whether it is written as a whole one.
    Number(f64, bool),
    Text(Name),
    Symbol(&'static str),
    /// Something else.
    Other(char),
    /// The end of a line, where it counts.
    Line,
    /// The end of the text.
    End,
}

const SINGLE: &[&str] = &[
    "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "\\", "+", "-", "*", "/", "<", ">", "=", "|",
    "?", "%",
];

/// The tokens of a text; the last one is [`TokenKind::End`].
///
/// # Errors
/// Where a text or number has no end or no value.
pub(crate) fn tokens(text: &str, rules: Rules) -> Result<Vec<Token>, TokenError> {
    let mut tokens = Vec::new();
    let mut line = 0;
    for (k, content) in text.split('\n').enumerate() {
        line = k + 1;
        let characters: Vec<char> = content.trim_end_matches('\r').chars().collect();
        if rules.signs && characters.first() == Some(&'&') {
            continue;
        }
        let mut at = 0;
        while at < characters.len() {
            let (start, column) = (at, at + 1);
            let c = characters[at];
            let mut push = |what| tokens.push(Token { what, line, column });
            let wrong = |cause: String| TokenError {
                line,
                column,
                cause,
            };
            if c == rules.comment {
                break;
            } else if c.is_whitespace() || c == '\u{1a}' {
                at += 1;
            } else if c == '"' {
                let mut inner = String::new();
                at += 1;
                loop {
                    match characters.get(at) {
                        Some('"') if characters.get(at + 1) == Some(&'"') => {
                            inner.push('"');
                            at += 2;
                        }
                        Some('"') => break,
                        Some(&c) => {
                            inner.push(c);
                            at += 1;
                        }
                        None => return Err(wrong("this text has no end".into())),
                    }
                }
                at += 1;
                push(TokenKind::Text(inner.into()));
            } else if rules.signs && c == '\'' {
                let end = characters[at + 1..].iter().position(|&c| c == '\'');
                let Some(end) = end.map(|k| at + 1 + k) else {
                    return Err(wrong("this number has no end".into()));
                };
                let inner: String = characters[at + 1..end].iter().collect();
                let number = match inner.split_at_checked(1) {
                    Some(("B" | "b", digits)) => u32::from_str_radix(digits, 2).ok(),
                    Some(("H" | "h", digits)) => u32::from_str_radix(digits, 16).ok(),
                    _ => None,
                };
                let Some(number) = number else {
                    return Err(wrong(format!("`'{inner}'` is not a number")));
                };
                at = end + 1;
                push(TokenKind::Number(f64::from(number), true));
            } else if c.is_ascii_digit()
                || c == '.' && characters.get(at + 1).is_some_and(char::is_ascii_digit)
            {
                if let Some((base, digits)) = base(&characters[at..]).filter(|_| !rules.signs) {
                    let inner = characters[at + 2..].iter();
                    let inner: String = inner.take_while(|c| c.is_alphanumeric()).collect();
                    let number = u32::from_str_radix(&inner, base)
                        .map_err(|_| wrong(format!("`0{digits}{inner}` is not a number")))?;
                    at += 2 + inner.chars().count();
                    push(TokenKind::Number(f64::from(number), true));
                    continue;
                }
                at = number_end(&characters, at);
                let written: String = characters[start..at].iter().collect();
                let Ok(number) = written.parse::<f64>() else {
                    return Err(wrong(format!("`{written}` is not a number")));
                };
                if !number.is_finite() {
                    return Err(wrong(format!("`{written}` is too large")));
                }
                let whole = written.bytes().all(|b| b.is_ascii_digit());
                push(TokenKind::Number(number, whole));
            } else if c.is_alphabetic() || c == '_' || rules.signs && (c == '$' || c == '#') {
                at += 1;
                let goes_on =
                    |c: &char| c.is_alphanumeric() || *c == '_' || rules.signs && *c == '$';
                while characters.get(at).is_some_and(goes_on) {
                    at += 1;
                }
                let written: String = characters[start..at].iter().collect();
                let lower: Name = written.to_lowercase().into();
                push(TokenKind::Name(lower, Arc::from(written)));
            } else if let Some(symbol) = symbol(&characters[at..], rules) {
                at += symbol.chars().count();
                push(TokenKind::Symbol(symbol));
            } else {
                at += 1;
                push(TokenKind::Other(c));
            }
        }
        if rules.lines {
            let column = characters.len() + 1;
            let what = TokenKind::Line;
            tokens.push(Token { what, line, column });
        }
    }
    tokens.push(Token {
        what: TokenKind::End,
        line,
        column: 1,
    });
    Ok(tokens)
}

/// Base and letter of a number such as `0x1F`, `0o17` or `0b101`.
fn base(characters: &[char]) -> Option<(u32, char)> {
    match characters {
        ['0', letter, ..] => match letter.to_ascii_lowercase() {
            'x' => Some((16, *letter)),
            'o' => Some((8, *letter)),
            'b' => Some((2, *letter)),
            _ => None,
        },
        _ => None,
    }
}

fn number_end(characters: &[char], start: usize) -> usize {
    let digits = |mut at: usize| {
        while characters.get(at).is_some_and(char::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut at = digits(start);
    if characters.get(at) == Some(&'.') {
        at = digits(at + 1);
    }
    if matches!(characters.get(at), Some('e' | 'E')) {
        let signed = matches!(characters.get(at + 1), Some('+' | '-'));
        let from = at + 1 + usize::from(signed);
        if characters.get(from).is_some_and(char::is_ascii_digit) {
            at = digits(from);
        }
    }
    at
}

fn symbol(rest: &[char], rules: Rules) -> Option<&'static str> {
    let fits = |symbol: &&&str| symbol.chars().eq(rest.iter().take(symbol.len()).copied());
    let mut all = rules.symbols.iter().chain(SINGLE);
    all.find(fits).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules {
        comment: ';',
        lines: true,
        signs: true,
        symbols: &["<>"],
    };

    #[test]
    fn words_numbers_and_signs_have_their_places() {
        let all = tokens("&ACCESS\nLIN {X -1.5E+2} ; (\n$Tool<>'B101'", RULES).unwrap();
        let kinds: Vec<_> = all.iter().map(|t| &t.what).collect();
        let name = |lower: &str, written: &str| TokenKind::Name(lower.into(), written.into());
        assert_eq!(
            kinds,
            [
                &name("lin", "LIN"),
                &TokenKind::Symbol("{"),
                &name("x", "X"),
                &TokenKind::Symbol("-"),
                &TokenKind::Number(150.0, false),
                &TokenKind::Symbol("}"),
                &TokenKind::Line,
                &name("$tool", "$Tool"),
                &TokenKind::Symbol("<>"),
                &TokenKind::Number(5.0, true),
                &TokenKind::Line,
                &TokenKind::End
            ]
        );
        assert_eq!((all[4].line, all[4].column), (2, 9));
        assert!(tokens("a = \"x", RULES).is_err_and(|e| (e.line, e.column) == (1, 5)));
        assert!(tokens("1E999", RULES).is_err() && tokens("'B2'", RULES).is_err());
    }
}
