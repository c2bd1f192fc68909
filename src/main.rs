//! The `clearance` binary.

use std::process::ExitCode;

/// Programs are checked on many threads, and with little memory each: what the system gives for
/// that differs much.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    clearance::cli::run(std::env::args_os())
}
