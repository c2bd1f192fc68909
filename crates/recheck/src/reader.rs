//! Lines, words and bytes of a file, one after the other; an error says in which line.

use std::fmt::Display;
use std::str::FromStr;

use crate::Invalid;
use crate::numbers::V3;

/// No length is greater, 2⁻⁴⁰ m.
pub(crate) const FARTHEST: u64 = 1 << 52;

/// The rest of a file.
pub(crate) struct Reader<'b> {
    pub(crate) left: &'b [u8],
    line: usize,
}

/// The rest of a line: words with one blank between two of them.
pub(crate) struct LineWords<'b> {
    /// Behind the blank; `None`: the line is at its end.
    pub(crate) left: Option<&'b str>,
    text: &'b str,
    line: usize,
}

impl<'b> LineWords<'b> {
    pub(crate) fn error(&self, what: impl Display) -> Invalid {
        let text = self.text.escape_debug();
        Invalid::from(format!("line {} (`{text}`): {what}", self.line))
    }

    pub(crate) fn word(&mut self) -> Result<&'b str, Invalid> {
        let left = self.left.ok_or_else(|| self.error("too short"))?;
        let cut = left.split_once(' ');
        self.left = cut.map(|(_, left)| left);
        Ok(cut.map_or(left, |(word, _)| word))
    }

    /// A number: digits, none of which is left out or added for nothing, and a minus at most.
    pub(crate) fn next<T: FromStr<Err: Display>>(&mut self) -> Result<T, Invalid> {
        let word = self.word()?;
        let digits = word.strip_prefix('-').unwrap_or(word);
        if word.starts_with('+') || digits.starts_with('0') && word != "0" {
            return Err(self.error("a number is written in two ways"));
        }
        word.parse().map_err(|e: T::Err| self.error(e))
    }

    pub(crate) fn array<T: FromStr<Err: Display>, const N: usize>(
        &mut self,
    ) -> Result<[T; N], Invalid> {
        let all: Vec<T> = (0..N).map(|_| self.next()).collect::<Result<_, _>>()?;
        all.try_into().map_err(|_| self.error("too short"))
    }

    pub(crate) fn length(&mut self) -> Result<i64, Invalid> {
        let x: i64 = self.next()?;
        let fits = x.unsigned_abs() <= FARTHEST;
        fits.then_some(x).ok_or_else(|| self.error("too far"))
    }

    pub(crate) fn point(&mut self) -> Result<V3, Invalid> {
        Ok([self.length()?, self.length()?, self.length()?])
    }

    /// An index below `end`; −1 is none.
    pub(crate) fn below(&mut self, end: usize) -> Result<Option<usize>, Invalid> {
        match self.next::<i64>()? {
            -1 => Ok(None),
            k => match usize::try_from(k) {
                Ok(k) if k < end => Ok(Some(k)),
                _ => Err(self.error("no such one before")),
            },
        }
    }

    /// A name or a text, as it is.
    pub(crate) fn rest(&mut self) -> String {
        self.left.take().unwrap_or_default().into()
    }

    pub(crate) fn end(&self) -> Result<(), Invalid> {
        match self.left {
            None => Ok(()),
            Some(_) => Err(self.error("too long")),
        }
    }
}

impl<'b> Reader<'b> {
    pub(crate) fn new(left: &'b [u8]) -> Self {
        Reader { left, line: 0 }
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'b [u8], Invalid> {
        let (block, left) = (self.left.split_at_checked(count))
            .ok_or_else(|| format!("after line {}: the file ends too early", self.line))?;
        self.left = left;
        Ok(block)
    }

    pub(crate) fn line(&mut self) -> Result<(&'b str, LineWords<'b>), Invalid> {
        self.line += 1;
        let end = self.left.iter().position(|&b| b == b'\n');
        let end = end.ok_or_else(|| format!("line {}: the file ends too early", self.line))?;
        let text = std::str::from_utf8(self.take(end)?)
            .map_err(|_| format!("line {}: not UTF-8", self.line))?;
        self.take(1)?;
        let cut = text.split_once(' ');
        let (first, left) = cut.map_or((text, None), |(first, left)| (first, Some(left)));
        let line = self.line;
        Ok((first, LineWords { left, text, line }))
    }

    pub(crate) fn starts(&mut self, with: &str) -> Result<(), Invalid> {
        let (_, words) = self.line()?;
        let remedy = "files of another version of clearance have to be made anew";
        let error = || words.error(format!("expected `{with}`; {remedy}"));
        (words.text == with).then_some(()).ok_or_else(error)
    }

    /// A number in groups of seven bits, the last one below 128; then the sign is its lowest bit.
    pub(crate) fn number(&mut self) -> Result<i64, Invalid> {
        let mut x = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.take(1)?[0];
            x |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok((x >> 1) as i64 ^ -((x & 1) as i64));
            }
        }
        Err("a number of the motion has more than 63 bits".into())
    }
}
