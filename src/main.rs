//! The `clearance` binary.

use std::process::ExitCode;

/// The allocator of musl has one lock for all threads, so mimalloc replaces it there.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    clearance::cli::run(std::env::args_os())
}
