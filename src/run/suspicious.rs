//! Proportions and thresholds that can hardly be meant: each is said first, and decides nothing.

use clearance_proof::model::Cell;

use super::extent::{LEAST_REACH_M, bounds, metres, reach};
use crate::findings::{Code, Diagnostic};

/// A link so many times larger than all its neighbours, or so many times smaller, is drawn in
/// another unit: inches are 25.4. Links of real robots stay below 10.
const LARGER: f64 = 20.0;
const SMALLER: f64 = 1.0 / 20.0;
/// A threshold of so much of the robot's reach leaves it no room.
const SHARE_OF_REACH: f64 = 0.5;
/// A threshold from here on is not one of a cell, metres.
const WIDE_M: f64 = 1.0;

/// A threshold that no motion of the robot can keep; `clearance` is that of the run, metres.
pub(crate) fn wide_clearance(cell: &Cell, clearance: f64) -> Option<Diagnostic> {
    let stated = cell.thresholds.iter().map(|t| t.clearance);
    let widest = stated.fold(clearance, f64::max);
    let reach = reach(cell);
    let too_wide = reach >= LEAST_REACH_M && widest >= SHARE_OF_REACH * reach;
    (too_wide || widest >= WIDE_M).then(|| {
        let why = format!(
            "the clearance is {}, the robot's reach {}: a number without a unit is metres; write `{}mm` if millimetres are meant",
            metres(widest),
            metres(reach),
            widest
        );
        Diagnostic::notice(Code::SuspiciousClearance, "clearance", why)
    })
}

/// Links and parts that are much larger, or much smaller, than everything that they are joined to.
pub(super) fn suspicious(cell: &Cell) -> Vec<Diagnostic> {
    let size = |body| bounds(body).map(|around| around.size().norm());
    let sizes: Vec<Option<f64>> = cell.bodies.iter().map(size).collect();
    let mut beside: Vec<Vec<f64>> = vec![Vec::new(); cell.bodies.len()];
    for (id, body) in cell.bodies.iter().enumerate() {
        let Some(own) = sizes[id] else { continue };
        let mut at = body.parent;
        while let Some(parent) = at {
            if let Some(other) = sizes[parent] {
                beside[id].push(other);
                beside[parent].push(own);
                break;
            }
            at = cell.bodies[parent].parent;
        }
    }
    let ids = 0..cell.bodies.len();
    ids.filter(|&id| cell.bodies[id].joint.is_some())
        .filter_map(|id| {
            let own = sizes[id]?;
            let largest = beside[id].iter().copied().reduce(f64::max)?;
            let least = beside[id].iter().copied().reduce(f64::min)?;
            let says = match () {
                () if own >= LARGER * largest => format!("{:.0} times the size", own / largest),
                () if own <= SMALLER * least => format!("1/{:.0} of the size", least / own),
                () => return None,
            };
            let why = format!(
                "it is {} large, {says} of the links that it is joined to: look whether its `scale` is right (0.001 for a file in \
                 millimetres, 0.0254 for inches)",
                metres(own)
            );
            let name = cell.bodies[id].name.clone();
            let said = Diagnostic::notice(Code::SuspiciousScale, name, why);
            Some(said.at(cell.place(id)))
        })
        .collect()
}
