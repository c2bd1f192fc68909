//! Output to the terminal: standard output and standard error.

use std::ffi::OsStr;
use std::io::{ErrorKind, IsTerminal, Write};

use crate::error::Error;
use crate::render::printable_line;

/// Whether text on standard output may have colours: a terminal that has them, and nobody asked for
/// none.
pub(super) fn has_color() -> bool {
    std::io::stdout().is_terminal()
        && !is_dumb(std::env::var_os("TERM").as_deref())
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// A terminal that can do nothing but print: no colours, and nothing that is drawn again.
pub(super) fn is_dumb(term: Option<&OsStr>) -> bool {
    term.is_some_and(|name| name == "dumb")
}

/// Columns that a line on standard output may have: what COLUMNS says, or as many as the terminal
/// has. Lines that go elsewhere are not broken, so that `grep` and `diff` find them whole.
pub(super) fn width() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok();
    let said = said
        .and_then(|columns| columns.parse().ok())
        .filter(|&n| n > 0);
    let terminal = || console::Term::stdout().size_checked();
    said.or_else(|| terminal().map(|(_, columns)| usize::from(columns)))
}

/// A line on standard error; nobody has to read it.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable_line(line));
}

/// Input errors that are named one by one.
const ERRORS: usize = 20;

/// Says what of the input could not be used, on standard error, each thing once.
pub(super) fn say_errors(errors: impl IntoIterator<Item = String>) {
    let mut said: Vec<String> = Vec::new();
    let mut more = 0;
    for error in errors {
        if said.contains(&error) {
        } else if said.len() < ERRORS {
            say(&format!("error: {error}"));
            said.push(error);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        say(&format!("error: … and {more} more"));
    }
}

/// Writes to standard output. Whoever closes the pipe has read enough: that is not an error. Gives
/// whether somebody may read on.
pub(super) fn print(text: &str) -> Result<bool, Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(e) => Err(Error::unwritable("standard output", e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dumb_terminal_is_one_that_says_so() {
        assert!(is_dumb(Some(OsStr::new("dumb"))));
        assert!(!is_dumb(Some(OsStr::new("xterm-256color"))) && !is_dumb(None));
    }
}
