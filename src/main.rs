//! The `clearance` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    clearance::cli::run(std::env::args_os())
}
