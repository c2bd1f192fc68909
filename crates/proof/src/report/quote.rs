//! Values from files in messages: long ones are cut, and it is said that they were.

use std::borrow::Cow;

use super::Diagnostic;

impl Diagnostic {
    /// The longest piece of a file that stands in a message, bytes.
    pub const LONGEST_QUOTE: usize = 1024;

    /// The text, or its first [`Self::LONGEST_QUOTE`] bytes and how long it is.
    ///
    /// A value from a file may be of any length; nobody reads a megabyte of it, and logs break by
    /// it.
    pub fn quote(text: &str) -> Cow<'_, str> {
        if text.len() <= Self::LONGEST_QUOTE {
            return Cow::Borrowed(text);
        }
        let mut end = Self::LONGEST_QUOTE;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Cow::Owned(format!(
            "{}… (cut, {} bytes in all)",
            &text[..end],
            text.len()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_between_characters_and_say_so() {
        let fits = "x".repeat(Diagnostic::LONGEST_QUOTE);
        assert_eq!(Diagnostic::quote(&fits), fits);
        let long = "ä".repeat(Diagnostic::LONGEST_QUOTE); // two bytes each
        let said = Diagnostic::quote(&format!("x{long}")).into_owned();
        assert!(said.ends_with("… (cut, 2049 bytes in all)"), "{said}");
        assert!(said.len() < Diagnostic::LONGEST_QUOTE + 40);
    }
}
