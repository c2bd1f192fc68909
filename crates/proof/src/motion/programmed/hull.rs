//! The ways to look at a corner, and their strips as motions.

use super::MovedJoint;
use super::strips::{JointHull, Strip};
use super::sum_hull::SumHull;
use super::tool_hull::ToolHull;
use crate::model::{Interpolation, Trajectory};

/// One way to look at a corner.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hull {
    Joints(JointHull),
    Sum(SumHull),
    Tool(ToolHull),
}

impl Hull {
    /// The strip of all λ within `half` of `middle`, where all strips together are given so many
    /// cells of orientations: a motion for each of its layers.
    pub(super) fn strip(
        &self,
        [middle, half]: [f64; 2],
        cells: usize,
        moved: &[MovedJoint],
    ) -> Result<Vec<Trajectory>, String> {
        let strip = Strip {
            middle,
            // Shares and sides are rounded.
            half: half * (1.0 + 1e-9) + 1e-12,
            cells,
            moved,
        };
        let layers = match self {
            Hull::Joints(hull) => vec![vec![hull.segment(strip)]],
            Hull::Sum(hull) => hull.layers(strip)?,
            Hull::Tool(hull) => hull.layers(strip)?,
        };
        let trajectory = |segments| Trajectory {
            segments,
            interpolation: Interpolation::Cubic,
            timed: false,
        };
        Ok(layers.into_iter().map(trajectory).collect())
    }
}
