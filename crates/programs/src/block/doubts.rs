//! What both languages say of a move that is not known.

use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

use super::Language;
use super::interpreter::BlockInterpreter;
use crate::value::Fault;

/// That a point is not known, by the name that the program has for it; it may be empty.
pub(crate) fn unknown_point(label: &str, why: &Unknown, place: &Location) -> Fault {
    let point = match label {
        "" => "this point".to_owned(),
        label => format!("`{label}`"),
    };
    let reason = format!(
        "where {point} lies is not known: {} ({})",
        why.reason, why.place
    );
    Fault::new(place, reason)
}

impl<L: Language> BlockInterpreter<'_, L> {
    /// Says once that the cell does not know how this controller counts its joints; `arms`: in what
    /// arms of its maker differ.
    pub(crate) fn doubt_joint_count(&mut self, dialect: &str, arms: &str, place: &Location) {
        let settings = self.controller.settings();
        let is_own = settings.is_some_and(|settings| settings.dialect == dialect);
        let known = self.controller.states_joints() && is_own;
        if !known && self.record.moves().is_empty() {
            let reason = format!(
                "the cell does not say how this controller counts its joints: {arms}; {}",
                self.controller.joints_to_write(dialect)
            );
            self.doubt(place, reason);
        }
    }
}
