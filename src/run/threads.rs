//! How many threads work.

/// Runs with so many threads; with all cores where none are given, or where they cannot be had.
pub(crate) fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    match threads.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build()) {
        Some(Ok(pool)) => pool.install(work),
        _ => work(),
    }
}
