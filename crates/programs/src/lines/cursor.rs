//! One statement, read from left to right.

use clearance_proof::report::Location;

use crate::value::Fault;

/// A place in the text of a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineCursor<'t> {
    rest: &'t str,
}

impl<'t> LineCursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { rest: text.trim() }
    }

    /// The text that has not been read yet.
    pub(crate) fn rest(&self) -> &'t str {
        self.rest
    }

    /// A word that was read, for a message; where there was none, the text that is left.
    pub(crate) fn or_rest<'w>(&self, word: &'w str) -> &'w str
    where
        't: 'w,
    {
        if word.is_empty() { self.rest } else { word }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// Refuses a statement that goes on here.
    pub(crate) fn ends(&self, place: &Location) -> Result<(), Fault> {
        if self.is_done() {
            return Ok(());
        }
        let reason = format!("`{}` is not understood", self.rest);
        Err(Fault::new(place, reason))
    }

    fn advance(&mut self, bytes: usize) -> &'t str {
        let (read, rest) = self.rest.split_at(bytes);
        self.rest = rest.trim_start();
        read
    }

    /// Reads a sign, if it comes next.
    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        let found = self.rest.starts_with(sign);
        if found {
            self.advance(sign.len());
        }
        found
    }

    /// The word that comes next, which is not read.
    pub(crate) fn peek_word(&self) -> &'t str {
        let stop = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
        let end = self.rest.find(stop).unwrap_or(self.rest.len());
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            ""
        } else {
            &self.rest[..end]
        }
    }

    /// Reads a word: letters, digits and underscores, no digit first. Empty if none comes next.
    pub(crate) fn word(&mut self) -> &'t str {
        let length = self.peek_word().len();
        self.advance(length)
    }

    /// Reads this word, if it comes next and ends there.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.advance(word.len());
        }
        found
    }

    /// Reads a number, with a sign; the digits before its point may be missing.
    pub(crate) fn number(&mut self) -> Option<f64> {
        let unsigned = self.rest.strip_prefix(['-', '+']).unwrap_or(self.rest);
        let sign = self.rest.len() - unsigned.len();
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(unsigned);
        let part = match unsigned[whole..].strip_prefix('.') {
            Some(rest) => 1 + digits(rest),
            None => 0,
        };
        if whole + part == 0 || (whole == 0 && part == 1) {
            return None;
        }
        let text = &self.rest[..sign + whole + part];
        let number = text.parse::<f64>().ok().filter(|x| x.is_finite())?;
        self.advance(text.len());
        Some(number)
    }

    /// Reads a whole number that is not negative.
    pub(crate) fn index(&mut self) -> Option<u32> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest[..digits].parse().ok()?;
        self.advance(digits);
        Some(number)
    }

    /// Reads up to a character, which is left; everything if it does not come.
    pub(crate) fn until(&mut self, end: impl Fn(char) -> bool) -> &'t str {
        let length = self.rest.find(end).unwrap_or(self.rest.len());
        self.advance(length)
    }
}

/// Numbers in a list, and nothing else.
pub(crate) fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split(',')
        .map(|part| {
            let mut cursor = LineCursor::new(part);
            cursor.number().filter(|_| cursor.is_done())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_signs_are_read_in_turn() {
        let mut cursor = LineCursor::new("J P[3:a b] .094 -.5+12. ÄB");
        assert!(!cursor.eat_word("P") && cursor.eat_word("J"));
        assert!(cursor.eat_word("P") && cursor.eat("["));
        assert_eq!(cursor.index(), Some(3));
        assert_eq!(cursor.until(|c| c == ']'), ":a b");
        assert!(cursor.eat("]"));
        assert_eq!(cursor.number(), Some(0.094));
        assert_eq!(cursor.number(), Some(-0.5));
        assert_eq!(cursor.number(), Some(12.0));
        assert_eq!(cursor.number(), None);
        assert_eq!(cursor.word(), "ÄB");
        assert!(cursor.is_done() && cursor.word().is_empty());
        assert_eq!(numbers("1,-2, .5"), Some(vec![1.0, -2.0, 0.5]));
        assert_eq!(numbers("1,,2"), None);
        assert_eq!(numbers("1 2"), None);
    }
}
