//! Where things stand in a text, asked thousands of times.

/// The cause of an error at the line of [`lone_return`].
pub(crate) const LONE_RETURN: &str = "a carriage return without a line feed stands within the line";

/// The first line, counted by line feeds, that has a carriage return within.
pub(crate) fn lone_return(text: &str) -> Option<usize> {
    let mut lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
    lines.position(|line| line.contains('\r')).map(|at| at + 1)
}

/// The first line, counted by line feeds, with a character at which some readers end the line and
/// others do not: a form feed, a vertical tab, a null.
pub(crate) fn break_of_some_readers(text: &str) -> Option<(usize, char)> {
    let found = text.find(['\u{c}', '\u{b}', '\0'])?;
    let line = text[..found].bytes().filter(|&byte| byte == b'\n').count() + 1;
    Some((line, text[found..].chars().next()?))
}

/// Bytes between two counts that are kept.
const STEP: usize = 256;

/// Finds line and column of any byte of a text in logarithmic time, however long its lines are:
/// exporters write whole robots on one.
#[derive(Debug)]
pub(crate) struct Lines {
    /// Offsets at which lines start.
    starts: Vec<usize>,
    /// Bytes before every [`STEP`]th that do not begin a character.
    inner: Vec<usize>,
}

impl Lines {
    /// Goes through a text once.
    pub(crate) fn new(text: &str) -> Self {
        let mut this = Self {
            starts: vec![0],
            inner: Vec::with_capacity(text.len() / STEP + 1),
        };
        let mut inner = 0;
        for (i, byte) in text.bytes().enumerate() {
            if i % STEP == 0 {
                this.inner.push(inner);
            }
            inner += usize::from(is_inner(byte));
            if byte == b'\n' {
                this.starts.push(i + 1);
            }
        }
        this
    }

    /// How many lines there are.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Line and column of a byte of that same text, both from 1. Columns count characters, as
    /// editors do.
    pub(crate) fn position(&self, text: &str, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&s| s <= offset).max(1);
        let start = self.starts[line - 1];
        let inner = self.inner_before(text, offset) - self.inner_before(text, start);
        (line, offset - start - inner + 1)
    }

    fn inner_before(&self, text: &str, offset: usize) -> usize {
        let block = offset / STEP;
        let Some(&before) = self.inner.get(block) else {
            // The end of a text whose length is a multiple of the step.
            let last = self.inner.len().saturating_sub(1);
            let rest = text.as_bytes()[last * STEP..offset].iter();
            return self.inner.last().copied().unwrap_or(0)
                + rest.filter(|&&b| is_inner(b)).count();
        };
        let rest = text.as_bytes()[block * STEP..offset].iter();
        before + rest.filter(|&&b| is_inner(b)).count()
    }
}

/// Whether a byte of UTF-8 continues a character.
fn is_inner(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted from the start each time.
    fn slow(text: &str, offset: usize) -> (usize, usize) {
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        (
            1 + before.matches('\n').count(),
            1 + before[start..].chars().count(),
        )
    }

    #[test]
    fn agrees_with_counting_at_every_byte() {
        let long = "aß\u{1F600}x".repeat(STEP);
        for text in [
            "",
            "\n",
            "a\nbß\n\nc",
            &"x".repeat(STEP),
            &"ß".repeat(STEP),
            &format!("{long}\n{long}\r\n{long}"),
        ] {
            let lines = Lines::new(text);
            for offset in (0..=text.len()).filter(|&o| text.is_char_boundary(o)) {
                assert_eq!(lines.position(text, offset), slow(text, offset), "{offset}");
            }
            assert_eq!(lines.count(), 1 + text.matches('\n').count());
        }
        // Within a character, and behind the end.
        assert_eq!(Lines::new("aß").position("aß", 2), (1, 2));
        assert_eq!(Lines::new("aß").position("aß", 9), (1, 3));
    }
}
