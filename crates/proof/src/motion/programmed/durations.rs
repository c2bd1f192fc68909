//! How long moves take, as an estimate: the way divided by the speed that the program states.
//!
//! Acceleration, waiting, rounded corners and the speed that the operator chooses are not in it, so
//! nothing that is proved depends on it.

use super::{MoveEnd, ProgramInCell, ToolMove};
use crate::model::JointKind;
use crate::model::moves::{Move, Speed};
use crate::motion::tool_line::arm_values;

impl ProgramInCell<'_> {
    /// Seconds by the speed that the move states; none: it states none that gives a time.
    pub(super) fn duration(
        &self,
        step: &Move,
        [from, to]: [&MoveEnd; 2],
        tool: Option<&ToolMove>,
    ) -> Option<f64> {
        let seconds = match step.speed {
            Speed::Duration(seconds) => seconds,
            Speed::Tool(speed) => {
                let length = match tool {
                    Some(tool) => tool.curve.length(),
                    // Of a joint move the straight way between its ends.
                    None => {
                        let arm = self.arm(step).ok()?;
                        let [a, b] = [from, to].map(|end| arm_values(&arm, &end.q));
                        let [a, b] = [a.ok()?, b.ok()?].map(|q| arm.at(&q).tool.translation);
                        (b - a).norm()
                    }
                };
                // Where it only turns, the speed of the tool's point says nothing.
                (length > 1e-6).then(|| length / speed)?
            }
            Speed::Share(share) => {
                let joints = self.columns.iter().zip(from.q.iter().zip(&to.q));
                let mut longest = 0.0_f64;
                for (&joint, (q0, q1)) in joints {
                    let way = (q1 - q0).abs();
                    if way > 0.0 {
                        let fastest = self.cell.joints[joint].limits.velocity?;
                        longest = longest.max(way / (share * fastest));
                    }
                }
                longest
            }
            Speed::Joint(speed) => {
                let mut farthest = 0.0_f64;
                for (&joint, (q0, q1)) in self.columns.iter().zip(from.q.iter().zip(&to.q)) {
                    let way = (q1 - q0).abs();
                    if way > 0.0 && self.cell.joints[joint].kind == JointKind::Prismatic {
                        return None;
                    }
                    farthest = farthest.max(way);
                }
                farthest / speed
            }
            Speed::Unknown => return None,
        };
        (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
    }
}
