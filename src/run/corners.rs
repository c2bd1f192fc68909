//! Corners that the controller may round: a strip that is not proved leaves the program open.

use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::motion::programmed::Corner;

use super::motion::Motion;
use super::scenes::Scenes;
use crate::findings::Verdict;

/// Into how many strips a corner is cut, until all are proved.
const STRIPS: [usize; 5] = [4, 8, 16, 32, 64];

/// A corner that is not proved.
#[derive(Debug, Clone)]
pub(super) struct OpenCorner {
    /// As the program names it, with its line.
    pub name: String,
    /// Why not.
    pub why: String,
}

/// The corners of a motion that are not proved to be free everywhere.
pub(super) fn unproved(
    motion: &Motion,
    scenes: &Scenes,
    resolution: f64,
    has_phases: bool,
) -> Vec<OpenCorner> {
    let mut open = Vec::new();
    for corner in motion.corners() {
        let why = if has_phases {
            Some(
                "events change the cell on the way; rounded corners are proved without events only"
                    .to_owned(),
            )
        } else {
            why_open(corner, scenes, resolution)
        };
        if let Some(why) = why {
            let line = corner
                .place
                .line
                .map_or(String::new(), |l| format!(" (line {l})"));
            open.push(OpenCorner {
                name: format!("`{}`{line}", corner.label),
                why,
            });
        }
    }
    open
}

/// One sentence about all of them.
pub(super) fn told(open: &[OpenCorner]) -> String {
    let Some(first) = open.first() else {
        return String::new();
    };
    let more = match open.len() {
        1 => String::new(),
        n => format!(" ({} more corners likewise)", n - 1),
    };
    format!(
        "the rounded corner at {} is not proved: {}{more}; make its zone smaller, stop there, or leave corners out with \
         --corners exact",
        first.name, first.why
    )
}

fn why_open(corner: &Corner, scenes: &Scenes, resolution: f64) -> Option<String> {
    let options = CheckOptions {
        resolution,
        all: false,
        minimum: false,
        minimum_pairs: None,
    };
    let mut why = None;
    for count in STRIPS {
        // Wide strips leave joint values uncertain; narrower ones may not.
        let strips = match corner.strips(count) {
            Ok(strips) => strips,
            Err(reason) => {
                why = Some(reason.to_string());
                continue;
            }
        };
        let mut all = true;
        for strip in &strips {
            let found = match scenes.check(&strip.path, &options, &|_| ()) {
                Ok(found) => found.result,
                Err(error) => return Some(error.to_string()),
            };
            if found.verdict == Verdict::Clear {
                continue;
            }
            let pair = found
                .first_contact
                .map_or("a pair".to_owned(), |c| format!("{} – {}", c.a, c.b));
            if found.verdict == Verdict::Collision {
                return Some(format!("{pair} can touch inside of it"));
            }
            why = Some(format!("{pair} cannot be told apart inside of it"));
            all = false;
            break;
        }
        if all {
            return None;
        }
    }
    why.or_else(|| Some("it could not be looked at".to_owned()))
}
