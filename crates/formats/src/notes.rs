//! Remarks about what was read.

use clearance_proof::report::{Code, Diagnostic, Location};

/// What leaves nothing unchecked.
pub(crate) fn note(code: Code, what: String, why: String) -> Diagnostic {
    Diagnostic::note(code, Diagnostic::quote(&what), Diagnostic::quote(&why))
}

/// The same about a place in a file.
pub(crate) fn note_at(code: Code, place: Location, why: String) -> Diagnostic {
    note(code, place.to_string(), why).at(place)
}
