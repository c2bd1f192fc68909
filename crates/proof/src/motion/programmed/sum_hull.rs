//! Sums of a joint move and a move of the tool, in space.
//!
//! p(b) + a (E − B) for a + b ≤ 1, p being where the tool is on the joint move: a strip is the
//! straight move of the tool from p at the middle of some b. It has an error of how far p gets from
//! there, and lengths up to 1 − b. The turn of the tool's own move comes behind that of the joint
//! move, or in front of it: each is a hull of its own. Where the orientation may be ahead of the
//! tool's point, a strip has layers (`layers.rs`).

use nalgebra::Vector6;

use super::layers::Layers;
use super::stopped_within;
use super::strips::{Strip, Template, end_of};
use crate::geometry::pose::Pose;
use crate::model::Segment;
use crate::motion::tool_line::{
    Arm, LostCurve, PoseCurve, PoseError, SIX, follow_curve, follow_curve_with,
};

/// Sums of a joint move and a move of the tool, in space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SumHull {
    /// The joint move from the tip to where it is left, or come back to.
    pub(super) joints: [Vector6<f64>; 2],
    /// How fast the tool goes and turns there at most, in a unit of time.
    pub(super) speed: PoseError,
    /// The move of the tool, from the tip likewise.
    pub(super) line: Box<[Pose; 2]>,
    /// Which of the two turns is seen from the other.
    pub(super) turns: TurnOrder,
    pub(super) off: [f64; SIX],
    pub(super) error: PoseError,
    /// By what share of the joint move's part in the corner the orientation may be ahead of the
    /// tool's point, or behind it.
    pub(super) lead: f64,
    pub(super) arm: Box<Arm>,
    pub(super) template: Template,
}

/// Two turns of the tool, one behind the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TurnOrder {
    /// The tool turns in the world as on its own move, wherever the joint move has it.
    ToolMoveLast,
    /// The tool turns in its own frame as on its own move.
    JointMoveLast,
}

impl SumHull {
    /// The motion of each layer. Layers are shares of the joint move at which the orientation is,
    /// while the tool's point is at one that lies in the strip.
    pub(super) fn layers(&self, strip: Strip) -> Result<Vec<Vec<Segment>>, String> {
        let Strip { middle, half, .. } = strip;
        let beyond = half + self.lead;
        let mut shares = [middle - beyond, middle + beyond];
        if self.lead > 0.0 {
            // No orientation is beyond the corner's part of the move.
            shares = shares.map(|share| share.clamp(0.0, 1.0));
        }
        let shares = Layers::new(shares, half, self.speed.turn);
        let layers = shares.middles();
        layers.map(|at| self.segments(strip, &shares, at)).collect()
    }

    fn segments(&self, strip: Strip, shares: &Layers, at: f64) -> Result<Vec<Segment>, String> {
        let Strip {
            middle,
            half,
            moved,
            ..
        } = strip;
        let [first, last] = self.joints;
        let lost = |lost: LostCurve| stopped_within(&lost, self.template.tube, "");
        let at_share = |share: f64| first + (last - first) * share;
        let on_move = self.arm.at(&at_share(middle)).tool;
        let from = Pose {
            rotation: self.arm.at(&at_share(at)).tool.rotation,
            ..on_move
        };
        let (mut q, mut off) = (at_share(middle), self.off);
        if self.lead > 0.0 {
            // From the joint move, whose joint values are known, to where the strip begins.
            let own = PoseCurve::line(&on_move, &from)?;
            let way = follow_curve(&self.arm, &own, &q, &off, PoseError::default());
            if let Some(last) = way.map_err(lost)?.last() {
                (q, off) = (end_of(last), last.off);
            }
        }
        let [tip, end] = &*self.line;
        let left = (1.0 - middle + half).min(1.0);
        let done = PoseCurve::line(tip, end)?.at(left);
        let from_tip = tip.rotation.transpose();
        let to = Pose {
            translation: from.translation + (done.translation - tip.translation),
            rotation: match self.turns {
                TurnOrder::ToolMoveLast => done.rotation * from_tip * from.rotation,
                TurnOrder::JointMoveLast => from.rotation * from_tip * done.rotation,
            },
        };
        let error = (self.error).plus(half * self.speed.position, shares.half * self.speed.turn);
        let along = PoseCurve::line(&from, &to)?;
        let effort = strip.effort(shares.count);
        let pieces = follow_curve_with(&self.arm, &along, &q, &off, error, effort);
        Ok((pieces.map_err(lost)?.iter())
            .map(|p| self.template.piece(&self.arm, p, moved))
            .collect())
    }
}
