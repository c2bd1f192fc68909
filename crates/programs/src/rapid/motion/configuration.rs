//! In which configuration of the arm a move ends.

use clearance_proof::model::moves::Configuration;

use crate::block::interpreter::BlockInterpreter;
use crate::ranges::{AT_ZERO, FAR_DEG, range};
use crate::rapid::Rapid;

/// In which configuration a move ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Where the line leads.
    Continued,
    /// The nearest.
    Nearest,
    /// As its target states.
    Stated,
}

impl Rapid {
    /// That of a joint move.
    pub(super) fn choice(&self) -> Choice {
        if self.choose_stated {
            Choice::Stated
        } else {
            Choice::Nearest
        }
    }
}

/// Quadrants of the joints 1, 4 and 6, and what is left open by them.
pub(super) fn configuration(
    interpreter: &BlockInterpreter<Rapid>,
    [cf1, cf4, cf6, cfx]: [f64; 4],
) -> Result<Configuration, String> {
    let whole = |x: f64| x.fract() == 0.0 && x.abs() <= 100.0;
    if ![cf1, cf4, cf6, cfx].into_iter().all(whole) || !(0.0..=7.0).contains(&cfx) {
        return Err(format!(
            "[{cf1}, {cf4}, {cf6}, {cfx}] is not a configuration of an arm with six joints"
        ));
    }
    let mut found = Configuration::default();
    for (joint, quadrant) in [(0, cf1), (3, cf4), (5, cf6)] {
        let from = quadrant * 90.0;
        found
            .ranges
            .push(range(interpreter.controller, joint, from, from + 90.0)?);
    }
    // Arms whose forearm is led by a rod from below have nothing to say by the fourth number.
    let led = interpreter
        .controller
        .settings()
        .is_some_and(|s| s.joints.iter().any(|j| !j.coupled.is_empty()));
    if !led {
        let cfx = cfx as u8;
        found.in_front = Some(cfx & 4 == 0);
        found.elbow_up = Some(cfx & 2 == 0);
        found.ranges.push(match cfx & 1 {
            0 => range(interpreter.controller, 4, 0.0, FAR_DEG)?,
            _ => range(interpreter.controller, 4, -FAR_DEG, 0.0)?,
        });
    }
    interpreter.controller.of_model(found, AT_ZERO)
}
