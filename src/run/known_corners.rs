//! Corners that need no second look.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use clearance_proof::motion::programmed::Corner;

use crate::findings::Contact;

/// The answers for so many corners are kept.
const MOST_KEPT: usize = 4096;

/// What was found of corners in a cell in which nothing else moves: loops pass the same ones again and
/// again, and so do ways through a program that differ elsewhere.
#[derive(Debug, Default)]
pub(super) struct KnownCorners(Mutex<CornersByLine>);

#[derive(Debug, Default)]
struct CornersByLine {
    corners: HashMap<Option<usize>, Vec<(Corner, CornerAnswer)>>,
    count: usize,
}

/// Where two bodies may come too near to each other in a corner; none: it is proved to be free.
type CornerAnswer = Option<Box<Contact>>;

impl KnownCorners {
    /// What is known of a corner, if it was looked at.
    pub fn answer(&self, corner: &Corner) -> Option<CornerAnswer> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut on_line = known.corners.get(&corner.place.line)?.iter();
        let same = on_line.find(|(other, _)| corner.has_hulls_of(other));
        same.map(|(_, answer)| answer.clone())
    }

    /// Takes in what was found of one.
    pub fn add(&self, corner: &Corner, answer: CornerAnswer) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.count < MOST_KEPT {
            known.count += 1;
            let on_line = known.corners.entry(corner.place.line);
            on_line.or_default().push((corner.clone(), answer));
        }
    }
}
