//! Where the zone of a corner begins on a move.

use nalgebra::Vector3;

use super::standing::{NEAR, SAME, moves_nothing};
use super::{CellMove, MoveEnd, ProgramInCell};
use crate::ProofError;
use crate::model::moves::{Frame, MoveKind, Zone};
use crate::motion::tool_line::{Arm, arm_values, link};

/// Steps in which the entry into a zone is looked for.
const STEPS: usize = 256;

/// Where a zone begins on a move.
#[derive(Debug, Clone, Copy)]
pub(super) struct ZoneEntry {
    /// Share of the move that lies within, counted from the corner.
    pub(super) share: f64,
    /// Whether the whole move lies within.
    pub(super) holds_all: bool,
}

/// The corner, as far as the share of one of its moves depends on it.
pub(super) struct BesideCorner<'c> {
    /// Whether one of its two moves is a joint move.
    pub(super) joint_move: bool,
    /// The tools that may go round it.
    pub(super) tools: Vec<&'c Frame>,
}

impl<'c> BesideCorner<'c> {
    /// The corner between two moves.
    pub(super) fn of(moves: [&CellMove; 2], tools: [&'c Frame; 2]) -> Self {
        let joint_move = moves.iter().any(|cell_move| cell_move.tool.is_none());
        Self::between(joint_move, tools)
    }

    /// The same, of moves of which one is perhaps not part of the motion.
    pub(super) fn between(joint_move: bool, tools: [&'c Frame; 2]) -> Self {
        let tools = if tools[0] == tools[1] {
            vec![tools[0]]
        } else {
            tools.to_vec()
        };
        Self { joint_move, tools }
    }
}

impl ZoneEntry {
    /// A zone that takes this share and does not hold the whole move.
    fn at(share: f64) -> Self {
        ZoneEntry {
            share,
            holds_all: false,
        }
    }
}

impl ProgramInCell<'_> {
    /// How much of a move the zone of a corner takes. The corner is at the second of its `ends`.
    pub(super) fn zone_entry(
        &self,
        zone: Zone,
        cell_move: &CellMove,
        ends: [&MoveEnd; 2],
        backwards: bool,
        corner: &BesideCorner,
    ) -> Result<ZoneEntry, String> {
        let on_joints = cell_move.tool.is_none();
        match zone {
            Zone::Unknown if on_joints => {
                let shares = corner.tools.iter().map(|tool| {
                    let way = self.tool_path(tool, ends);
                    way.map_or(0.5, |way| way.half())
                });
                Ok(ZoneEntry::at(shares.fold(0.5, f64::max)))
            }
            Zone::Stop | Zone::Unknown => Ok(ZoneEntry::at(0.5)),
            Zone::Radius(r) if on_joints => {
                let shares = corner.tools.iter().map(|tool| {
                    let way = self.tool_path(tool, ends);
                    way.map_or(0.5, |way| way.within(r).min(way.half()))
                });
                Ok(ZoneEntry::at(shares.fold(0.0, f64::max)))
            }
            Zone::Ball(r) if on_joints => {
                let shares = corner.tools.iter().map(|tool| {
                    let way = self.tool_path(tool, ends);
                    way.map_or(1.0, |way| way.within(r).max(way.half()))
                });
                Ok(ZoneEntry::at(shares.fold(0.5, f64::max)))
            }
            Zone::Radius(r) => self.tool_zone_entry(cell_move, ends, backwards, r, 0.5),
            Zone::Ball(r) if corner.joint_move => {
                let entry = self.tool_zone_entry(cell_move, ends, backwards, r, 1.0)?;
                Ok(ZoneEntry::at(entry.share.max(0.5)))
            }
            Zone::Ball(r) => self.tool_zone_entry(cell_move, ends, backwards, r, 1.0),
        }
    }

    /// Where the ball of a radius is entered or left on a move of the tool, at most at the share
    /// `most`.
    fn tool_zone_entry(
        &self,
        cell_move: &CellMove,
        ends: [&MoveEnd; 2],
        backwards: bool,
        radius: f64,
        most: f64,
    ) -> Result<ZoneEntry, String> {
        let Some(tool) = &cell_move.tool else {
            return Ok(ZoneEntry::at(most));
        };
        let arm = &tool.arm;
        let tip = arm.at(&arm_values(arm, &ends[1].q)?).tool.translation;
        let place = |u: f64| -> Result<f64, String> {
            let pose = self.pose_at(arm, cell_move, ends, u, backwards)?;
            Ok((pose.translation - tip).norm())
        };
        let step = most / STEPS as f64;
        let mut last = 0;
        for n in 1..=STEPS {
            if place(n as f64 * step)? <= radius {
                last = n;
            }
        }
        Ok(ZoneEntry {
            share: ((last + 1) as f64 * step).min(most),
            holds_all: most == 1.0 && last == STEPS,
        })
    }

    /// That no two zones which are balls overlap on the move between them: a controller may then leave
    /// out a point.
    pub(super) fn no_balls_overlap(
        &self,
        moves: &[CellMove],
        ends: &[MoveEnd],
    ) -> Result<(), ProofError> {
        for near in [SAME, NEAR] {
            self.no_balls_overlap_where(moves, ends, near)?;
        }
        Ok(())
    }

    /// The same where a move stands whose ends are so near: a point then has the zones of all moves
    /// that end there, of which a controller may take any.
    fn no_balls_overlap_where(
        &self,
        moves: &[CellMove],
        ends: &[MoveEnd],
        near: f64,
    ) -> Result<(), ProofError> {
        let stands = |step: &&CellMove| moves_nothing(step, ends, near);
        let mut before = None;
        for (k, step) in moves.iter().enumerate().filter(|(_, step)| !stands(step)) {
            let standing = moves[k + 1..].iter().take_while(stands);
            let zones = standing.map(|step| step.zone);
            let ball = greatest_ball(std::iter::once(step.zone).chain(zones));
            if let (Some(first), Some(second)) = (before, ball) {
                let tip = &ends[step.end];
                let overlap = self.balls_overlap(step, ends, [first, second]);
                if overlap.map_err(|why| self.corner_error(tip, &why))? {
                    let why = "its zone and the one at the beginning of the move overlap, and a controller may leave out a point \
                               between them: make them smaller";
                    return Err(self.corner_error(tip, why));
                }
            }
            before = ball;
        }
        Ok(())
    }

    fn balls_overlap(
        &self,
        step: &CellMove,
        ends: &[MoveEnd],
        [first, second]: [f64; 2],
    ) -> Result<bool, String> {
        let [start, end] = [&ends[step.end - 1], &ends[step.end]];
        // On a line the balls themselves tell; elsewhere shares, which are rounded up.
        if let (Some(tool), MoveKind::Linear) = (&step.tool, &step.kind) {
            let [a, b] = [0.0, 1.0].map(|u| tool.curve.at(u).translation);
            return Ok(first + second > (b - a).norm() * (1.0 + 1e-9) + 1e-9);
        }
        let share = |radius: f64, ends: [&MoveEnd; 2], backwards: bool| match &step.tool {
            Some(_) => Ok(self
                .tool_zone_entry(step, ends, backwards, radius, 1.0)?
                .share),
            None => {
                let way = self.tool_path(&step.frame, ends);
                Ok::<f64, String>(way.map_or(1.0, |way| way.within(radius)))
            }
        };
        Ok(share(first, [end, start], false)? + share(second, [start, end], true)? > 1.0)
    }

    /// Where a tool is on a joint move, in equal steps from the corner; none: the cell lacks it.
    fn tool_path(&self, tool: &Frame, [other, tip]: [&MoveEnd; 2]) -> Option<ToolPath> {
        let at = |u: f64| -> Vec<f64> {
            let values = tip.q.iter().zip(&other.q);
            values.map(|(q, end)| q + u * (end - q)).collect()
        };
        let shares = (0..=STEPS).map(|n| n as f64 / STEPS as f64);
        let places: Option<Vec<Vector3<f64>>> = match Arm::new(self.cell, &self.columns, tool) {
            Ok(arm) => shares
                .map(|u| Some(arm.at(&arm_values(&arm, &at(u)).ok()?).tool.translation))
                .collect(),
            // Not six joints move it.
            Err(_) => {
                let body = link(self.cell, &tool.link, &self.columns).ok()?;
                let place = |u: f64| {
                    let mut q = self.cell.rest.clone();
                    for (&joint, value) in self.columns.iter().zip(at(u)) {
                        q[joint] = value;
                    }
                    self.cell.resolve_mimic(&mut q);
                    let pose = self.cell.body_pose(&self.cell.forward(&q), body);
                    (pose * tool.link_from_frame).translation.vector
                };
                Some(shares.map(place).collect())
            }
        };
        Some(ToolPath { places: places? })
    }
}

/// The share of a move so far within one of its steps: a half is a half, and all else the end of the
/// step, for within a step the tool does not go evenly.
fn round_up_to_step(step: usize, within: f64) -> f64 {
    let share = (step as f64 + within) / STEPS as f64;
    if (share - 0.5).abs() < 1e-9 {
        return 0.5;
    }
    (step + 1) as f64 / STEPS as f64
}

/// The way of a tool on a joint move, in equal steps of the joints from the corner.
struct ToolPath {
    places: Vec<Vector3<f64>>,
}

impl ToolPath {
    /// The share of the joints' way from the corner to where the tool is in the ball of this radius
    /// for the last time.
    fn within(&self, radius: f64) -> f64 {
        let steps: Vec<f64> = self.steps().collect();
        // Between two places the tool is nearer to one of them than half of what it moves.
        let beside = |n: usize| {
            let before = n.checked_sub(1).and_then(|k| steps.get(k));
            before
                .into_iter()
                .chain(steps.get(n))
                .fold(0.0, |a: f64, b| a.max(*b))
        };
        let inside = |n: &usize| {
            let distance = (self.places[*n] - self.places[0]).norm();
            distance <= radius + 0.51 * beside(*n)
        };
        let last = (1..self.places.len()).rev().find(inside).unwrap_or(0);
        ((last + 1) as f64 / STEPS as f64).min(1.0)
    }

    /// Half of the move, whichever way it is measured: by the joints, by the way of the tool, or by
    /// how far its ends are apart.
    fn half(&self) -> f64 {
        self.half_of_way().max(self.half_of_distance()).max(0.5)
    }

    /// The share of the joints' way at which half of the tool's is done.
    fn half_of_way(&self) -> f64 {
        let whole: f64 = self.steps().sum();
        let mut passed = 0.0;
        for (n, step) in self.steps().enumerate() {
            let left = 0.5 * whole - passed;
            passed += step;
            if left < step {
                return round_up_to_step(n, left / step);
            }
        }
        0.5
    }

    /// The share at which the tool is half as far from the corner as its other end for the last
    /// time.
    fn half_of_distance(&self) -> f64 {
        let distance = |n: usize| (self.places[n] - self.places[0]).norm();
        let end = self.places.len() - 1;
        let half = 0.5 * distance(end);
        // A tool that hardly moves is near all the time.
        if half < 5e-7 {
            return 0.5;
        }
        let Some(last) = (0..end).rev().find(|&n| distance(n) <= half) else {
            return 0.5;
        };
        let [near, far] = [distance(last), distance(last + 1)];
        let exact = round_up_to_step(last, (half - near) / (far - near));
        // Between two places farther out it may come back once more.
        if exact == 0.5 {
            exact
        } else {
            self.within(half).max(exact)
        }
    }

    /// How far the tool moves in each step.
    fn steps(&self) -> impl Iterator<Item = f64> {
        self.places.windows(2).map(|two| (two[1] - two[0]).norm())
    }
}

/// The greatest of the zones at a point that are balls; none where a move stops there.
fn greatest_ball(zones: impl Iterator<Item = Zone> + Clone) -> Option<f64> {
    if zones.clone().any(|zone| zone.stops()) {
        return None;
    }
    zones
        .filter_map(|zone| match zone {
            Zone::Ball(radius) => Some(radius),
            _ => None,
        })
        .reduce(f64::max)
}
