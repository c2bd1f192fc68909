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
        let mut lexer = LineLexer {
            rules,
            characters: &characters,
            at: 0,
        };
        loop {
            lexer.skip_blanks();
            let column = lexer.at + 1;
            match lexer.token() {
                Ok(Some(what)) => tokens.push(Token { what, line, column }),
                Ok(None) => break,
                Err(cause) => {
                    return Err(TokenError {
                        line,
                        column,
                        cause,
                    });
                }
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

/// One line, read from left to right.
struct LineLexer<'l> {
    rules: Rules,
    characters: &'l [char],
    /// The place of the next character.
    at: usize,
}

impl LineLexer<'_> {
    fn skip_blanks(&mut self) {
        let is_blank = |c: &char| c.is_whitespace() || *c == '\u{1a}';
        while self.characters.get(self.at).is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// The token that begins here; none: nothing follows but a comment.
    fn token(&mut self) -> Result<Option<TokenKind>, String> {
        let [c, rest @ ..] = &self.characters[self.at..] else {
            return Ok(None);
        };
        let signs = self.rules.signs;
        let is_number =
            c.is_ascii_digit() || *c == '.' && rest.first().is_some_and(char::is_ascii_digit);
        let what = match c {
            c if *c == self.rules.comment => return Ok(None),
            '"' => self.text()?,
            '\'' if signs => self.quoted_number()?,
            _ if is_number => self.number()?,
            '_' => self.name(),
            '$' | '#' if signs => self.name(),
            c if c.is_alphabetic() => self.name(),
            &c => self.sign(c),
        };
        Ok(Some(what))
    }

    /// `"text"`, in which two quotes are one.
    fn text(&mut self) -> Result<TokenKind, String> {
        let mut inner = String::new();
        self.at += 1;
        loop {
            match self.characters[self.at..] {
                ['"', '"', ..] => {
                    inner.push('"');
                    self.at += 2;
                }
                ['"', ..] => break,
                [c, ..] => {
                    inner.push(c);
                    self.at += 1;
                }
                [] => return Err("this text has no end".to_owned()),
            }
        }
        self.at += 1;
        Ok(TokenKind::Text(inner.into()))
    }

    /// `'B101'`, `'H1F'`.
    fn quoted_number(&mut self) -> Result<TokenKind, String> {
        let behind = &self.characters[self.at + 1..];
        let Some(length) = behind.iter().position(|&c| c == '\'') else {
            return Err("this number has no end".to_owned());
        };
        let inner: String = behind[..length].iter().collect();
        let number = match inner.split_at_checked(1) {
            Some(("B" | "b", digits)) => u32::from_str_radix(digits, 2).ok(),
            Some(("H" | "h", digits)) => u32::from_str_radix(digits, 16).ok(),
            _ => None,
        };
        let number = number.ok_or_else(|| format!("`'{inner}'` is not a number"))?;
        self.at += length + 2;
        Ok(TokenKind::Number(f64::from(number), true))
    }

    fn number(&mut self) -> Result<TokenKind, String> {
        let start = self.at;
        if let Some((base, letter)) = base(&self.characters[start..]).filter(|_| !self.rules.signs)
        {
            let inner = self.characters[start + 2..].iter();
            let inner: String = inner.take_while(|c| c.is_alphanumeric()).collect();
            let number = u32::from_str_radix(&inner, base)
                .map_err(|_| format!("`0{letter}{inner}` is not a number"))?;
            self.at += 2 + inner.chars().count();
            return Ok(TokenKind::Number(f64::from(number), true));
        }
        self.at = number_end(self.characters, start);
        let written: String = self.characters[start..self.at].iter().collect();
        let Ok(number) = written.parse::<f64>() else {
            return Err(format!("`{written}` is not a number"));
        };
        if !number.is_finite() {
            return Err(format!("`{written}` is too large"));
        }
        let whole = written.bytes().all(|b| b.is_ascii_digit());
        Ok(TokenKind::Number(number, whole))
    }

    fn name(&mut self) -> TokenKind {
        let start = self.at;
        let signs = self.rules.signs;
        let goes_on = |c: &char| c.is_alphanumeric() || *c == '_' || signs && *c == '$';
        self.at += 1;
        while self.characters.get(self.at).is_some_and(goes_on) {
            self.at += 1;
        }
        let written: String = self.characters[start..self.at].iter().collect();
        let lower: Name = written.to_lowercase().into();
        TokenKind::Name(lower, Arc::from(written))
    }

    /// A sign of the language, or a character that has no meaning in it.
    fn sign(&mut self, c: char) -> TokenKind {
        match symbol(&self.characters[self.at..], self.rules) {
            Some(symbol) => {
                self.at += symbol.chars().count();
                TokenKind::Symbol(symbol)
            }
            None => {
                self.at += 1;
                TokenKind::Other(c)
            }
        }
    }
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
