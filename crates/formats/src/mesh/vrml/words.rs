//! The words, brackets and texts of a VRML97 file.

use super::VrmlFault;
use crate::mesh::checks::{shown, syntax};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum VrmlToken<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// Text in quotes.
    Text,
    /// One of `{`, `}`, `[`, `]`.
    Bracket(char),
    End,
}

impl VrmlToken<'_> {
    pub(super) fn shown(self) -> String {
        match self {
            VrmlToken::Word(word) => format!("`{}`", shown(word)),
            VrmlToken::Text => "a text in quotes".to_owned(),
            VrmlToken::Bracket(c) => format!("`{c}`"),
            VrmlToken::End => "the end of the file".to_owned(),
        }
    }
}

/// The tokens of a text, from a byte of it on.
pub(super) struct VrmlWords<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> VrmlWords<'a> {
    /// The next token and the byte where it starts.
    pub(super) fn next(&mut self) -> Result<(usize, VrmlToken<'a>), VrmlFault> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                // To VRML a comma is a blank.
                Some(b' ' | b'\t' | b'\r' | b'\n' | b',') => self.at += 1,
                Some(b'#') => {
                    let rest = &bytes[self.at..];
                    let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
                    self.at += end.unwrap_or(rest.len());
                }
                _ => break,
            }
        }
        let start = self.at;
        match bytes.get(start) {
            None => Ok((start, VrmlToken::End)),
            Some(&b @ (b'{' | b'}' | b'[' | b']')) => {
                self.at += 1;
                Ok((start, VrmlToken::Bracket(char::from(b))))
            }
            Some(b'"') => {
                self.skip_text()?;
                Ok((start, VrmlToken::Text))
            }
            Some(_) => {
                let rest = &bytes[start..];
                let end = rest.iter().position(|b| b" \t\r\n,#\"{}[]".contains(b));
                self.at += end.unwrap_or(rest.len());
                // Windows programs write numbers that are none as 1.#QNAN, which would read as 1
                // and a comment.
                let rest = &bytes[self.at..];
                let odd: [&[u8]; 4] = [b"#INF", b"#IND", b"#QNAN", b"#SNAN"];
                if looks_like_number(&self.text[start..self.at])
                    && odd.iter().any(|odd| rest.starts_with(odd))
                {
                    let odd = rest[1..].iter().take_while(|b| b.is_ascii_alphanumeric());
                    self.at += 1 + odd.count();
                }
                let word = &self.text[start..self.at];
                Ok((start, VrmlToken::Word(word)))
            }
        }
    }

    fn skip_text(&mut self) -> Result<(), VrmlFault> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        self.at += 1;
        loop {
            match bytes.get(self.at) {
                None => {
                    let problem = syntax(
                        "a text in quotes does not end",
                        "add the closing quote, or export the mesh again",
                    );
                    return Err(VrmlFault::new(start, problem));
                }
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }
}

/// The byte where a number of a list stands, given where the list starts.
pub(super) fn place_of(text: &str, list: usize, index: usize) -> usize {
    let mut words = VrmlWords { text, at: list };
    let mut left = index;
    // The list was read before: nothing can be wrong with it now.
    while let Ok((at, token)) = words.next() {
        match token {
            VrmlToken::Word(_) if left == 0 => return at,
            VrmlToken::Word(_) => left -= 1,
            VrmlToken::End => break,
            _ => {}
        }
    }
    list
}

pub(super) fn looks_like_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
        || ["nan", "inf", "infinity"].contains(&word.to_ascii_lowercase().as_str())
}
