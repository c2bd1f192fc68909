//! `clearance-recheck CERT`: 0 valid, 1 invalid, 2 unreadable, 3 valid and of a contact.
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clearance_recheck::files::read;
use clearance_recheck::statement::statement;
use clearance_recheck::walk::check;

fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [file] = &files[..] else {
        return say(
            "usage: clearance-recheck CERTIFICATE (its geometry file lies beside it)",
            2,
        );
    };
    let (geometry, certificate) = match read(file) {
        Ok(both) => both,
        Err(error) => return say(&format!("unreadable: {error}"), 2),
    };
    match check(&geometry, &certificate, &mut |_, _| ()) {
        Err(error) => say(&format!("invalid: {error}"), 1),
        Ok(cells) => {
            let said = statement(&geometry, &certificate);
            // Who goes on after a 0 must not go into a contact.
            let code = if certificate.contact.is_some() { 3 } else { 0 };
            say(&format!("valid\n{said}cells: {cells}"), code)
        }
    }
}

fn say(text: &str, code: u8) -> ExitCode {
    match writeln!(std::io::stdout(), "{text}") {
        Ok(()) => ExitCode::from(code),
        // Nobody has read the answer.
        Err(_) => ExitCode::from(2),
    }
}
