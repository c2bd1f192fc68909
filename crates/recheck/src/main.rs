//! `clearance-recheck CERT`: 0 valid, 1 invalid, 2 unreadable.
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clearance_recheck::files::read;
use clearance_recheck::statement::statement;
use clearance_recheck::walk::{Tape, Walk};

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
    let mut walk = Walk::new(&geometry, &certificate.segments);
    let mut tape = Tape {
        left: &certificate.proof,
    };
    match walk.run(certificate.segments.len(), &mut tape) {
        Err(error) => say(&format!("invalid: {error}"), 1),
        Ok(()) if !tape.left.is_empty() => say("invalid: the proof goes on after its end", 1),
        Ok(()) => say(
            &format!(
                "valid\n{}cells: {}",
                statement(&geometry, &certificate),
                walk.settled
            ),
            0,
        ),
    }
}

fn say(text: &str, code: u8) -> ExitCode {
    match writeln!(std::io::stdout(), "{text}") {
        Ok(()) => ExitCode::from(code),
        // Nobody has read the answer.
        Err(_) => ExitCode::from(2),
    }
}
