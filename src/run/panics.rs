//! A panic while one question is answered does not stop the others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Error;

/// Does something. A fault of ours in it must neither stop what else is to be done nor pass for a
/// verdict.
///
/// # Errors
/// When it panics.
pub(super) fn catch_panic<T>(what: impl FnOnce() -> T) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(what)).map_err(|_| {
        Error::internal(
            "internal error: the check broke off; please report it with this program and cell",
        )
    })
}
