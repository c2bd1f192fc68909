//! Two moves that meet in a corner, and their sum where one is a joint move.

use super::hull::Hull;
use super::strips::{BesideTool, Template};
use super::sum_hull::{SumHull, TurnOrder};
use super::{CellMove, MoveEnd, ToolMove, bulges};
use crate::geometry::pose::Pose;
use crate::motion::tool_line::{ArcFromTip, Arm, PoseError, arm_values, turn_between};

/// Two moves that meet in a corner.
pub(super) struct CornerMoves<'s> {
    pub(super) to: &'s CellMove,
    pub(super) from: &'s CellMove,
    /// Where the first one begins, and its end: the tip.
    pub(super) start: &'s MoveEnd,
    pub(super) tip: &'s MoveEnd,
    /// Where the second one begins, another end where the program has the point twice, and ends.
    pub(super) next_start: &'s MoveEnd,
    pub(super) end: &'s MoveEnd,
    /// Shares of both that lie in the corner.
    pub(super) shares: [f64; 2],
}

impl<'s> CornerMoves<'s> {
    /// The first move, from its other end to the tip.
    pub(super) fn first(&self) -> [&'s MoveEnd; 2] {
        [self.start, self.tip]
    }

    /// The second one likewise.
    pub(super) fn second(&self) -> [&'s MoveEnd; 2] {
        [self.end, self.next_start]
    }

    pub(super) fn tools(&self) -> [Option<&'s ToolMove>; 2] {
        [self.to.tool.as_ref(), self.from.tool.as_ref()]
    }

    /// The parts of both that lie in the corner, from its tip, where they are arcs.
    pub(super) fn arcs(&self) -> [Option<ArcFromTip>; 2] {
        let [to, from] = self.tools();
        let part = |tool: Option<&ToolMove>, share: f64, backwards: bool| {
            tool.and_then(|tool| tool.curve.arc_from_tip(share, backwards))
        };
        [
            part(to, self.shares[0], true),
            part(from, self.shares[1], false),
        ]
    }

    /// Whether both are joint moves.
    pub(super) fn is_in_joints(&self) -> bool {
        self.to.tool.is_none() && self.from.tool.is_none()
    }

    /// How far a joint's value at the tip is off, for both moves.
    pub(super) fn off_at_tip(&self, k: usize) -> f64 {
        let apart = (self.tip.q[k] - self.next_start.q[k]).abs();
        apart + self.tip.off[k].max(self.next_start.off[k])
    }

    /// Joints of the program that do not move the tool, between a joint move and a move of the tool:
    /// they move in the joint move only.
    pub(super) fn beside_joint_move(&self) -> Option<Vec<BesideTool>> {
        let [u, v] = self.shares;
        let (other, share, arm) = match self.tools() {
            [None, Some(tool)] => (self.start, u, &tool.arm),
            [Some(tool), None] => (self.end, v, &tool.arm),
            _ => return None,
        };
        let tip = &self.tip.q;
        let along = |k: usize| BesideTool {
            column: k,
            from: tip[k],
            to: tip[k] + share * (other.q[k] - tip[k]),
            off: self.off_at_tip(k) + other.off[k],
        };
        let columns = (0..tip.len()).filter(|k| !arm.columns.contains(k));
        Some(columns.map(along).collect())
    }

    /// The two as a sum, where one is a joint move and the other one is not.
    pub(super) fn sum_of_moves(&self, [e, at_tip, x]: [Pose; 3]) -> Option<SumOfMoves<'s>> {
        let [u, v] = self.shares;
        match self.tools() {
            [None, Some(_)] => Some(SumOfMoves {
                joint_move: [self.tip, self.start],
                share: u,
                next_start: self.next_start,
                line: [at_tip, x],
            }),
            [Some(_), None] => Some(SumOfMoves {
                joint_move: [self.next_start, self.end],
                share: v,
                next_start: self.tip,
                line: [at_tip, e],
            }),
            _ => None,
        }
    }
}

/// A joint move and a move of the tool that meet in a corner, both from its tip.
pub(super) struct SumOfMoves<'s> {
    /// Both ends of the joint move: at the tip, and at its other end.
    joint_move: [&'s MoveEnd; 2],
    /// Share of the joint move that lies in the corner.
    share: f64,
    /// The second move end at the tip, where the program has the point twice.
    pub(super) next_start: &'s MoveEnd,
    /// Poses of the tool on its own move: at the tip, and where it leaves the corner.
    line: [Pose; 2],
}

impl SumOfMoves<'_> {
    /// The hull of each order of the two turns; of one where the tool does not turn on its own
    /// move. `lead`: by what share of each turn the orientation may be ahead of the tool's point, or
    /// behind it.
    pub(super) fn hulls(
        self,
        arm: &Arm,
        error: PoseError,
        lead: f64,
        template: &Template,
    ) -> Result<Vec<Hull>, String> {
        let [tip, other] = self.joint_move;
        let first = arm_values(arm, &tip.q)?;
        let last = first + (arm_values(arm, &other.q)? - first) * self.share;
        let off = |k: usize| {
            let of = |end: &MoveEnd| end.off[arm.columns[k]];
            of(tip).max(of(other)).max(of(self.next_start)) + 1e-15
        };
        let [at_tip, end] = &self.line;
        let turn = turn_between(&at_tip.rotation, &end.rotation).1;
        let orders = [TurnOrder::ToolMoveLast, TurnOrder::JointMoveLast];
        let orders = orders.into_iter().take(if turn > 1e-9 { 2 } else { 1 });
        let hull = |turns: TurnOrder| SumHull {
            joints: [first, last],
            speed: bulges::speed_of_joint_move(arm, [&first, &last]),
            line: Box::new(self.line),
            turns,
            off: std::array::from_fn(off),
            // Turns that are too small for a hull of their own, in the other order.
            error: error.plus(0.0, lead * turn + 4e-9),
            lead,
            arm: Box::new(arm.clone()),
            template: template.clone(),
        };
        Ok(orders.map(|turns| Hull::Sum(hull(turns))).collect())
    }
}
