//! `clearance-recheck CERT`: 0 valid, 1 invalid, 2 unreadable, 3 valid and of a contact.
#![forbid(unsafe_code)]

use std::io::Write;
use std::panic::{UnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clearance_recheck::files::read;
use clearance_recheck::statement::statement;
use clearance_recheck::walk::check;

const HELP: &str = "usage: clearance-recheck CERTIFICATE

Checks a certificate in integers, without the program that made it. Its geometry file lies beside it.
Prints what is shown: of which robot, cell and motion, with their SHA-256, and how far apart all stays.

Exit codes: 0 valid, and nothing comes within the distance; 1 invalid; 2 unreadable, or no certificate is named;
3 valid, and of a contact";

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (text, code) = answer(&arguments);
    match writeln!(std::io::stdout(), "{text}") {
        Ok(()) => ExitCode::from(code),
        // Nobody has read the answer.
        Err(_) => ExitCode::from(2),
    }
}

/// The text to print, and the exit code.
fn answer(arguments: &[PathBuf]) -> (String, u8) {
    let [file] = arguments else {
        return (HELP.into(), 2);
    };
    match file.to_str() {
        // Help and options of something else. 0 is for what is valid: a script may hand a name on.
        Some(word) if word.starts_with('-') && !file.exists() => (HELP.into(), 2),
        _ => sure(|| judged(file)),
    }
}

/// The answer, or that there is none: sums and products that grow too large stop the checker.
fn sure(judge: impl FnOnce() -> (String, u8) + UnwindSafe) -> (String, u8) {
    let stopped = "invalid: its numbers are larger than the checker counts, or it has a fault";
    catch_unwind(judge).unwrap_or_else(|_| (stopped.into(), 1))
}

fn judged(file: &Path) -> (String, u8) {
    let (geometry, certificate) = match read(file) {
        Ok(both) => both,
        Err(error) => return (format!("unreadable: {error}"), 2),
    };
    match check(&geometry, &certificate, &mut |_, _| ()) {
        Err(error) => (format!("invalid: {error}"), 1),
        Ok(cells) => {
            let said = statement(&geometry, &certificate);
            // Who goes on after a 0 must not go into a contact.
            let code = if certificate.contact.is_some() { 3 } else { 0 };
            (format!("valid\n{said}cells: {cells}"), code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_no_certificate() {
        let asked = |words: &[&str]| answer(&words.iter().map(PathBuf::from).collect::<Vec<_>>());
        for (words, said, code) in [
            (&["--help"][..], "usage: ", 2),
            (&["-h"], "usage: ", 2),
            (&[], "usage: ", 2),
            (&["a.cert", "b.cert"], "usage: ", 2),
            (&["--fast"], "usage: ", 2),
            (&["nowhere.cert"], "unreadable: ", 2),
        ] {
            let (text, got) = asked(words);
            assert!(text.starts_with(said) && got == code, "{words:?}: {text}");
        }
        let (text, _) = asked(&["nowhere.cert"]);
        assert!(text.ends_with("is the path right?"), "{text}");
        let (text, code) = sure(|| (i64::MAX.checked_add(1).unwrap().to_string(), 0));
        assert!(text.starts_with("invalid: ") && code == 1, "{text}");
    }
}
