//! How far what moves can be from where the polynomials of a segment put it.

use nalgebra::Vector3;

use super::Segment;
use crate::model::JointId;

/// A joint value that may be off by more than this (radians or metres) is not just rounded: its
/// polynomial is only near to the curve that is followed.
pub(crate) const MOST_ROUNDING: f64 = 1e-9;

/// How far a tool can be from where the joint values of a segment put it, whatever its joints do:
/// they may be off by much and the tool by little, because they keep it on its way together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ToolTube {
    /// The innermost of the joints that move the tool: it is off as seen from what carries this
    /// joint.
    pub first: JointId,
    /// The outermost one: the tool is fixed in its moving frame.
    pub last: JointId,
    /// A point of the tool in that frame, metres.
    pub point: Vector3<f64>,
    /// How far this point can be off, metres.
    pub shift: f64,
    /// How far the tool can be turned about it, radians.
    pub turn: f64,
}

/// Everything that a segment says of how far joints and tools can be off, where that is more than
/// rounding.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tubes {
    /// Per joint, radians or metres; empty where no joint is off.
    pub joints: Vec<f64>,
    /// The tubes of tools.
    pub tools: Vec<ToolTube>,
}

impl Tubes {
    /// Takes those of a segment. Joints whose values are off by no more than [`MOST_ROUNDING`] are
    /// not among them.
    pub fn set(&mut self, segment: &Segment) {
        self.joints.clear();
        self.tools.clear();
        let joints = 0..segment.joints.len();
        let value_roundings = joints.map(|joint| segment.value_rounding(joint));
        if value_roundings
            .clone()
            .any(|rounding| rounding > MOST_ROUNDING)
        {
            let wide = value_roundings.map(|rounding| {
                if rounding > MOST_ROUNDING {
                    rounding
                } else {
                    0.0
                }
            });
            self.joints.extend(wide);
            self.tools.extend_from_slice(segment.tool_tubes());
        }
    }

    /// Whether nothing is off.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// How far a joint can be off, radians or metres.
    pub fn of(&self, joint: JointId) -> f64 {
        self.joints.get(joint).copied().unwrap_or(0.0)
    }

    /// The tool that a chain of joints carries, if all the joints that move it come after the first
    /// `shared`: with the places of the innermost and the outermost one of them in the chain.
    pub fn tool_on(&self, chain: &[JointId], shared: usize) -> Option<(&ToolTube, usize, usize)> {
        self.tools.iter().find_map(|tool| {
            let at = |joint: JointId| chain.iter().position(|&j| j == joint);
            let (first, last) = (at(tool.first)?, at(tool.last)?);
            (first >= shared).then_some((tool, first, last))
        })
    }
}
