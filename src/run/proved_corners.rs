//! Corners that need no second proof.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use clearance_proof::motion::programmed::Corner;

/// So many corners are kept as proved.
const MOST_KEPT: usize = 4096;

/// Corners that are proved to be free of a cell in which nothing else moves: loops pass the same
/// ones again and again, and so do ways through a program that differ elsewhere.
#[derive(Debug, Default)]
pub(super) struct ProvedCorners(Mutex<CornersByLine>);

#[derive(Debug, Default)]
struct CornersByLine {
    corners: HashMap<Option<usize>, Vec<Corner>>,
    count: usize,
}

impl ProvedCorners {
    /// Whether a corner is known to be free.
    pub fn has(&self, corner: &Corner) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let on_line = known.corners.get(&corner.place.line);
        on_line.is_some_and(|known| known.iter().any(|other| corner.has_hulls_of(other)))
    }

    /// Takes in one that was proved.
    pub fn add(&self, corner: &Corner) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.count < MOST_KEPT {
            known.count += 1;
            let on_line = known.corners.entry(corner.place.line);
            on_line.or_default().push(corner.clone());
        }
    }
}
