//! Corners that the controller may round.
//!
//! **The model.** Between A → B and B → C with a zone at B, the tool leaves its way at E at the
//! earliest and is back on it at X at the latest: where it enters and leaves the ball of the zone's
//! radius around B, at most half of each way from B (all of it, where the zone says so). Between
//! them it may be anywhere in the triangle of E, B and X: in joint space between joint moves, in
//! space (with the orientations between) between moves of the tool, in either of the two where the
//! kinds differ. There the one move is curved in the space of the other one. So the triangle in
//! joint space is wider by what the move of the tool is curved there; and in space the tool may
//! also be at every sum of both moves: on the joint move, and put off by what the move of the tool
//! does, in either order of the two turns (`bulges.rs`, [`Hull::Sum`]). Joints that do not move the
//! tool, such as those of a turntable, are tied to nothing: controllers have zones of their own for
//! them (`strips.rs`).
//!
//! **Sums of two moves of the tool**, a controller adding what is left of the one to what is done of
//! the other, are within the triangle where both are lines and the tool does not turn on both of
//! them. An arc is off its chord by its sagitta S at most, and by 4 a (1 − a) S at the share a. At
//! the shares a and b of two arcs, a + b ≤ 1, the sum is off the triangle by 4 a (1 − a) S +
//! 4 b (1 − b) T, where a = b = ½ is the most: S + T. What lies between the triangle and the sums is
//! in the hull, too (`arcs.rs`). One turn after the other is none of those between (`bulges.rs`), and
//! each may be off by what is allowed for on its own move.
//!
//! **On joint moves** the tool may enter that ball before half of the joints' way is done, and half
//! of the way may be that of the joints or that of the tool: whichever of the two is longer counts.
//! Around a joint move a ball says no more than how far the corner goes at least: half of both moves
//! counts, too.
//!
//! **A point that stands twice.** A controller may leave out a move that moves nothing, and then
//! rounds the corner between the move before it and the one behind it: that is the corner which is
//! looked at, with each of the zones that are stated there. A stop in it is a stop. Two points that
//! differ by no more than a controller may round them to ([`NEAR`]) are looked at both ways.
//!
//! **The orientation ahead of the point.** With two laws of motion that are alike, one within the
//! zone of the point (r) and one within that of the orientation (R), both at the same time, the
//! orientation is ahead by at most ½ (1 − r/R) of the turns of both moves: at the tip the way across
//! the larger zone has ½ of each, the way across the smaller one ½ r/R. Programs state this share
//! ([`crate::model::moves::MoveProgram::turn_lead`]); the strips have layers for it (`layers.rs`).
//!
//! `strips.rs` cuts such a triangle into strips, `entry.rs` finds E and X.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::arcs::CornerArcs;
use super::corner_moves::CornerMoves;
use super::entry::{BesideCorner, ZoneEntry};
use super::hull::Hull;
use super::layers::Lead;
use super::standing::{NEAR, SAME, moves_nothing};
use super::strips::{BesideTool, CELLS, CELLS_AT_ONCE, JointHull, Template, end_of};
use super::tool_hull::ToolHull;
use super::{
    CellMove, CellMoves, MoveEnd, MovedJoint, ProgramInCell, ToolMove, bulges, error, stopped,
};
use crate::ProofError;
use crate::geometry::pose::Pose;
use crate::model::moves::{Frame, MoveKind, Zone};
use crate::model::{JointId, Trajectory};
use crate::motion::tool_line::{
    Arm, PoseCurve, PoseError, arm_values, follow_curve, link, turn_between,
};
use crate::report::Location;

/// A corner that the controller may round.
#[derive(Debug, Clone)]
pub struct Corner {
    /// Index of its tip among [`CellMoves::ends`](super::CellMoves::ends).
    pub tip: usize,
    /// Index of the end at which the next move begins: another one where the program has the point
    /// twice.
    pub next: usize,
    /// The tip, as the program names it; may be empty.
    pub label: String,
    /// Where it stands.
    pub place: Location,
    /// Whether the zone's size is stated; if not, half of both ways counts.
    pub sized: bool,
    /// Shares of the move to the tip and of the move after it that lie within the corner.
    pub shares: [f64; 2],
    /// Whether the ball of its zone holds the other end of one of the two moves too: a controller
    /// may refuse such a zone.
    pub holds_a_move: bool,
    /// Its hulls.
    pub(super) hulls: Vec<Hull>,
}

impl Corner {
    /// The hulls in `count` strips each, in which `moved` may be anywhere in their ranges; all
    /// other joints that the program does not move are where the cell has them.
    ///
    /// # Errors
    /// When the joint values of one are not certain, with the reason.
    pub fn strips(
        &self,
        count: usize,
        moved: &[MovedJoint],
    ) -> Result<Vec<Trajectory>, ProofError> {
        self.strips_of(count, CELLS, moved)
    }

    /// The same with little work for each strip. Orientations that are too loose for wide strips
    /// are so for that work mostly; narrow strips need no more.
    ///
    /// # Errors
    /// As for [`Corner::strips`], and when the joint values of one would take more work.
    pub fn strips_at_once(
        &self,
        count: usize,
        moved: &[MovedJoint],
    ) -> Result<Vec<Trajectory>, ProofError> {
        self.strips_of(count, CELLS_AT_ONCE.saturating_mul(count), moved)
    }

    /// Whether another corner has the same hulls.
    pub fn has_hulls_of(&self, other: &Corner) -> bool {
        self.hulls == other.hulls
    }

    /// The hulls in strips, where all strips of one are given so many cells of orientations.
    fn strips_of(
        &self,
        count: usize,
        cells: usize,
        moved: &[MovedJoint],
    ) -> Result<Vec<Trajectory>, ProofError> {
        // Strips from the first that fails on are not needed.
        let failed = AtomicUsize::new(usize::MAX);
        let made: Vec<Option<Result<Vec<Trajectory>, String>>> = (0..count * self.hulls.len())
            .into_par_iter()
            .map(|at| {
                if at > failed.load(Ordering::Relaxed) {
                    return None;
                }
                let middle = ((at % count) as f64 + 0.5) / count as f64;
                let wide = [middle, 0.5 / count as f64];
                let strip = self.hulls[at / count].strip(wide, cells, moved);
                if strip.is_err() {
                    failed.fetch_min(at, Ordering::Relaxed);
                }
                Some(strip)
            })
            .collect();
        // All before the first that failed were made.
        let strips: Result<Vec<_>, String> = made.into_iter().flatten().collect();
        let strips = strips.map_err(ProofError::UncertainJoints)?;
        Ok(strips.into_iter().flatten().collect())
    }
}

/// A side of a corner's triangle in joint space, in the order of the program's joints.
pub(super) struct JointSide {
    /// Joint values at its end.
    end: Vec<f64>,
    /// How far the values of its two ends in joint space are off.
    off: Vec<f64>,
    /// How far the move leaves the straight side between these.
    bulge: Vec<f64>,
}

impl ProgramInCell<'_> {
    /// The corners between moves that do not stop.
    pub(super) fn corners(
        &self,
        moves: &[CellMove],
        ends: &[MoveEnd],
    ) -> Result<Vec<Corner>, ProofError> {
        self.no_balls_overlap(moves, ends)?;
        let mut corners = self.corners_where(moves, ends, SAME, &HashSet::new())?;
        let known = corners.iter().map(|c| [c.tip, c.next]).collect();
        corners.extend(self.corners_where(moves, ends, NEAR, &known)?);
        corners.sort_by_key(|corner| corner.tip);
        Ok(corners)
    }

    /// The same where a move stands whose ends are so near; without those that are known, by the
    /// ends of their moves.
    fn corners_where(
        &self,
        moves: &[CellMove],
        ends: &[MoveEnd],
        near: f64,
        known: &HashSet<[usize; 2]>,
    ) -> Result<Vec<Corner>, ProofError> {
        let mut corners = Vec::new();
        let moves_nothing = |step: &CellMove| moves_nothing(step, ends, near);
        for (k, to) in moves
            .iter()
            .enumerate()
            .filter(|(_, to)| !moves_nothing(to))
        {
            let behind = &moves[k + 1..];
            let standing = behind.iter().take_while(|step| moves_nothing(step)).count();
            let Some(from) = behind.get(standing) else {
                continue;
            };
            if known.contains(&[to.end, from.end - 1]) {
                continue;
            }
            let mut zones = vec![to.zone];
            zones.extend(behind[..standing].iter().map(|step| step.zone));
            if zones.iter().any(Zone::stops) {
                continue;
            }
            let mut seen: Vec<Zone> = Vec::new();
            for zone in zones {
                if seen.contains(&zone) {
                    continue;
                }
                seen.push(zone);
                let tip = &ends[to.end];
                let hulls = self.hulls(zone, [to, from], ends);
                let (entries, hulls) = hulls.map_err(|why| self.corner_error(tip, &why))?;
                corners.push(Corner {
                    tip: to.end,
                    next: from.end - 1,
                    label: tip.label.clone(),
                    place: tip.place.clone(),
                    sized: zone != Zone::Unknown,
                    shares: entries.map(|entry| entry.share),
                    holds_a_move: entries.iter().any(|entry| entry.holds_all),
                    hulls,
                });
            }
        }
        Ok(corners)
    }

    /// The program's joints, by column, that move none of these tools. None where no joint moves
    /// one: such a tool stands, and the arm carries the workpiece.
    fn beside_tools(&self, tools: [&Frame; 2]) -> Vec<usize> {
        let mut beside: Vec<usize> = (0..self.columns.len()).collect();
        for tool in tools {
            let Ok(body) = link(self.cell, &tool.link, &self.columns) else {
                return Vec::new();
            };
            let joint = self.cell.bodies[body].joint;
            let chain = std::iter::successors(joint, |&j| self.cell.joints[j].parent);
            let drivers = chain.map(|j| self.cell.joints[j].mimic.map_or(j, |mimic| mimic.source));
            let drivers: Vec<JointId> = drivers.collect();
            let moves_it = |column: &usize| drivers.contains(&self.columns[*column]);
            if !(0..self.columns.len()).any(|column| moves_it(&column)) {
                return Vec::new();
            }
            beside.retain(|column| !moves_it(column));
        }
        beside
    }

    /// That a corner could not be made.
    pub(super) fn corner_error(&self, tip: &MoveEnd, why: &str) -> ProofError {
        // Its line is told anyway.
        let corner = match tip.label.as_str() {
            "" => "the corner".to_owned(),
            label => format!("the corner at `{label}`"),
        };
        error(
            &self.program.source,
            &tip.place,
            format!("{corner}: {why}"),
            "nothing is said about the program before this is settled",
        )
    }

    /// How much of both moves a corner takes, and its hulls.
    fn hulls(
        &self,
        zone: Zone,
        [to, from]: [&CellMove; 2],
        ends: &[MoveEnd],
    ) -> Result<([ZoneEntry; 2], Vec<Hull>), String> {
        let mut corner = CornerMoves {
            to,
            from,
            start: &ends[to.end - 1],
            tip: &ends[to.end],
            next_start: &ends[from.end - 1],
            end: &ends[from.end],
            shares: [0.0; 2],
        };
        if !corner.is_in_joints() && to.frame != from.frame {
            return Err(
                "the tool changes there, and which one goes round the corner is not known; stop there (FINE)".into(),
            );
        }
        let beside = BesideCorner::of([to, from], [&to.frame, &from.frame]);
        let entries = [
            self.zone_entry(zone, to, corner.first(), true, &beside)?,
            self.zone_entry(zone, from, corner.second(), false, &beside)?,
        ];
        corner.shares = entries.map(|entry| entry.share);
        let mut template = self.template(corner.tip, [to, from]);
        let mut hulls = Vec::new();
        if let Some(joints) = corner.beside_joint_move() {
            template.beside_tool = joints;
        }
        if to.tool.is_none() || from.tool.is_none() {
            hulls.push(self.joint_hull(&corner, &mut template)?);
        }
        if let Some(tool) = corner.tools().into_iter().flatten().next() {
            hulls.extend(self.tool_hulls(&corner, &tool.arm, template)?);
        }
        Ok((entries, hulls))
    }

    /// The triangle in joint space. On a move of the tool E and X are where its own joint curve is.
    fn joint_hull(&self, corner: &CornerMoves, template: &mut Template) -> Result<Hull, String> {
        let [u, v] = corner.shares;
        let e = self.joints_at(corner.to, corner.first(), u, true)?;
        let x = self.joints_at(corner.from, corner.second(), v, false)?;
        let tip = &corner.tip.q;
        let off = (0..tip.len()).map(|k| {
            let at_ends = e.off[k].max(x.off[k]).max(corner.off_at_tip(k));
            at_ends + e.bulge[k] + x.bulge[k]
        });
        let off: Vec<f64> = off.collect();
        if corner.is_in_joints() {
            let beside = self.beside_tools([&corner.to.frame, &corner.from.frame]);
            let between = |k: usize| {
                let ends = [e.end[k], tip[k], x.end[k]];
                BesideTool {
                    column: k,
                    from: ends.into_iter().fold(f64::INFINITY, f64::min),
                    to: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
                    off: off[k],
                }
            };
            template.beside_tool = beside.into_iter().map(between).collect();
        }
        Ok(Hull::Joints(JointHull {
            off,
            corners: [e.end, tip.clone(), x.end],
            template: template.clone(),
        }))
    }

    /// The triangle in space, and beside a joint move the sums of both moves.
    fn tool_hulls(
        &self,
        corner: &CornerMoves,
        arm: &Arm,
        template: Template,
    ) -> Result<Vec<Hull>, String> {
        let [u, v] = corner.shares;
        let tip = arm_values(arm, &corner.tip.q)?;
        let at_tip = arm.at(&tip).tool;
        let e = self.pose_at(arm, corner.to, corner.first(), u, true)?;
        let x = self.pose_at(arm, corner.from, corner.second(), v, false)?;
        let error = self.tool_error(corner, arm, [&e, &at_tip, &x])?;
        let arcs = CornerArcs::of(corner.arcs());
        let mut hulls = Vec::new();
        if let Some(sum) = corner.sum_of_moves([e, at_tip, x]) {
            // Of a joint move and an arc.
            let sagitta = arcs.as_ref().map_or(0.0, CornerArcs::sagittas);
            let error = error.plus(sagitta, 0.0);
            hulls = sum.hulls(arm, error, self.program.turn_lead, &template)?;
        }
        let turns = [e, x].map(|end| turn_between(&at_tip.rotation, &end.rotation).1);
        let (lead, turned) = Lead::of(self.program.turn_lead, turns);
        hulls.push(Hull::Tool(ToolHull {
            corners: Box::new([e, at_tip, x]),
            tip,
            off: std::array::from_fn(|k| corner.tip.off[arm.columns[k]] + 1e-15),
            error: error.plus(0.0, turned),
            lead,
            arcs: arcs.map(Box::new),
            arm: Box::new(arm.clone()),
            template,
        }));
        Ok(hulls)
    }

    /// How far the tool may be beside the triangle in space, but for what arcs leave its sides by and
    /// for orientations ahead of the point.
    fn tool_error(
        &self,
        corner: &CornerMoves,
        arm: &Arm,
        [e, at_tip, x]: [&Pose; 3],
    ) -> Result<PoseError, String> {
        // Each may be off by what is allowed for on its own move.
        let own = corner.tools().into_iter().flatten();
        let own = own.fold(PoseError::default(), |sum, tool| {
            sum.plus(tool.error.position, tool.error.turn)
        });
        let both_turns = match corner.tools() {
            [Some(_), Some(_)] => bulges::two_turns_deviation(at_tip, [e, x]),
            _ => 0.0,
        };
        let at_next = arm.at(&arm_values(arm, &corner.next_start.q)?).tool;
        let apart = (at_next.translation - at_tip.translation).norm();
        let turned = turn_between(&at_tip.rotation, &at_next.rotation).1;
        Ok(own.plus(apart, turned + both_turns))
    }

    /// Joint values at a share of a move from its corner, how far those at its tip are off, and
    /// how far the move can be beside the straight way to them: on a move of the tool all that its
    /// orientation may be off is in that.
    pub(super) fn joints_at(
        &self,
        cell_move: &CellMove,
        [other, tip]: [&MoveEnd; 2],
        share: f64,
        backwards: bool,
    ) -> Result<JointSide, String> {
        let mut bulge = vec![0.0; tip.q.len()];
        let Some(tool) = &cell_move.tool else {
            let mixed = (0..tip.q.len()).map(|k| tip.q[k] + share * (other.q[k] - tip.q[k]));
            let off = (0..tip.q.len()).map(|k| tip.off[k].max(other.off[k]));
            return Ok(JointSide {
                end: mixed.collect(),
                off: off.collect(),
                bulge,
            });
        };
        let from_tip = |part: f64| tool.curve.at(if backwards { 1.0 - part } else { part });
        let arm = &tool.arm;
        let q = arm_values(arm, &tip.q)?;
        let off = std::array::from_fn(|k| tip.off[arm.columns[k]] + 1e-15);
        let (here, there) = (arm.at(&q).tool, from_tip(share));
        let (curve, error) = match cell_move.kind {
            MoveKind::Circular { .. } => {
                match PoseCurve::arc(&here, &from_tip(0.5 * share).translation, &there) {
                    Ok(arc) => (arc, tool.error),
                    // So short that it is straight, but for its sagitta.
                    Err(_) => {
                        let sagitta = tool.curve.derivative(2) * share * share / 8.0;
                        (
                            PoseCurve::line(&here, &there)?,
                            tool.error.plus(sagitta, 0.0),
                        )
                    }
                }
            }
            _ => (PoseCurve::line(&here, &there)?, tool.error),
        };
        let error = error.plus(0.0, self.program.turn_lead * curve.turn);
        let way = follow_curve(arm, &curve, &q, &off, error);
        let way = way.map_err(|lost| stopped(&lost))?;
        let mut values = tip.q.clone();
        if let Some(last) = way.last() {
            let end = end_of(last);
            let bulges = bulges::tool_move_bulges(&way, [&q, &end]);
            for (k, &column) in arm.columns.iter().enumerate() {
                values[column] = end[k];
                bulge[column] = bulges[k];
            }
        }
        Ok(JointSide {
            end: values,
            off: tip.off.clone(),
            bulge,
        })
    }

    /// Pose of the tool at a share of a move from its corner.
    pub(super) fn pose_at(
        &self,
        arm: &Arm,
        cell_move: &CellMove,
        ends: [&MoveEnd; 2],
        share: f64,
        backwards: bool,
    ) -> Result<Pose, String> {
        match &cell_move.tool {
            Some(ToolMove { curve, .. }) => {
                Ok(curve.at(if backwards { 1.0 - share } else { share }))
            }
            None => {
                let q = self.joints_at(cell_move, ends, share, backwards)?.end;
                Ok(arm.at(&arm_values(arm, &q)?).tool)
            }
        }
    }

    fn template(&self, tip: &MoveEnd, moves: [&CellMove; 2]) -> Template {
        let turns = moves.into_iter().filter_map(|step| step.tool.as_ref());
        let turn = turns.map(|tool| tool.curve.turn).fold(0.0, f64::max);
        let standing = self.joint_segment([&tip.q, &tip.q], [&tip.off, &tip.off]);
        let joints = self.cell.joints.iter().enumerate();
        let mimics = joints.filter_map(|(id, joint)| Some((id, joint.mimic?)));
        Template {
            standing,
            columns: self.columns.clone(),
            mimics: mimics.collect(),
            tube: CellMoves::orientation_tube(self.orientation_tube, turn),
            beside_tool: Vec::new(),
        }
    }
}
