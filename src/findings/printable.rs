//! A name from outside as harmless text. How writers use it: `render/printable.rs`.

use std::borrow::Cow;
use std::fmt::Write;

/// The text on one line, with everything that acts rather than shows written as `\n`, `\x1b` or
/// `\u{202e}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    let harmless = |text: &str| !text.chars().any(acts) && !text.contains("##");
    if harmless(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            // `##[error]` and `##vso[…]` are commands wherever they stand in a line.
            '#' if before == '#' => out += "\\x23",
            c if acts(c) && c.is_ascii() => _ = write!(out, "\\x{:02x}", u32::from(c)),
            c if acts(c) => _ = write!(out, "\\u{{{:x}}}", u32::from(c)),
            c => out.push(c),
        }
        before = c;
    }
    Cow::Owned(out)
}

/// Control characters (C0, DEL, C1), ends of lines and paragraphs, what changes the direction of
/// writing, and what nobody sees (the code points that Unicode calls default-ignorable).
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_shown_and_the_rest_stays() {
        for (text, shown) in [
            ("arm/link_1 – täble 箱", "arm/link_1 – täble 箱"),
            ("a\x1b[31mb\x07", "a\\x1b[31mb\\x07"),
            ("a\r\nb\tc", "a\\r\\nb\\tc"),
            ("\u{9b}2J\u{7f}", "\\u{9b}2J\\x7f"),
            (
                "x\u{202e}y\u{2066}z\u{2028}",
                "x\\u{202e}y\\u{2066}z\\u{2028}",
            ),
            ("##[error]x", "#\\x23[error]x"),
            ("###vso[task]", "#\\x23\\x23vso[task]"),
            ("# one", "# one"),
            // Who does not see them takes two names for one.
            ("z\u{200b}w\u{ad}\u{3164}", "z\\u{200b}w\\u{ad}\\u{3164}"),
            ("\u{fe0f}\u{e0041}", "\\u{fe0f}\\u{e0041}"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
