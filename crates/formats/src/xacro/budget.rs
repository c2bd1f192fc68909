//! How much work one file of xacro may make: macros that call themselves twice would never end.

use super::EvaluationError;

/// Work for one file and all that it includes: several hundred times what the largest real robots
/// need.
const MOST_WORK: u64 = 1 << 25;
/// How deep macros, elements and properties may lie within one another, together. A macro that calls
/// itself is the only loop that xacro has, and takes two levels a round: xacro itself ends at about 250
/// rounds.
pub(super) const MOST_DEPTH: usize = 600;

/// The work that is left.
#[derive(Debug)]
pub(super) struct ExpansionBudget {
    left: u64,
}

impl Default for ExpansionBudget {
    fn default() -> Self {
        Self { left: MOST_WORK }
    }
}

impl ExpansionBudget {
    /// Takes some of it: about one for every byte that is written, more for what is slower.
    pub(super) fn spend(&mut self, work: u64) -> Result<(), EvaluationError> {
        match self.left.checked_sub(work) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err("the macros make more work than any robot needs".to_owned())
            }
        }
    }
}
