//! A program of moves in a cell: joint moves as lines in joint space, moves of the tool as
//! certified pieces (`tool_line.rs`), and the corners between them.
//!
//! **What holds.** Every segment's joints are within `taken_over` of its polynomials, for every
//! motion that follows the moves as stated (and whose orientation stays within the tube). A move
//! starts where the one before ended; ends that are stated as poses are solved, and how far the
//! solution can be off is carried along.
//!
//! **From the errors of joints to those of points.** A point at distances ρ_j from the axes is
//! moved by an error of each joint, from the outermost inwards, D := D + δ_j (ρ_j + D). That is at
//! most Σ δ_j ρ_j · Π (1 + δ_j), so δ_j · Π (1 + δ_j) is stored: the engine's sum Σ δ_j ρ_j then
//! bounds it without leaving anything out.

mod arcs;
mod bulges;
mod columns;
mod corner_moves;
mod corners;
mod durations;
mod early;
mod ends;
mod entry;
mod half_corners;
mod hull;
mod layers;
mod own_model;
mod rest;
mod segments;
mod sides;
mod standing;
mod strips;
mod sum_hull;
mod tool_hull;

use std::path::Path;

use nalgebra::Isometry3;

use columns::columns;
pub use corners::Corner;
pub use half_corners::HalfCorner;
pub use own_model::OwnModel;

use super::tool_line::{Arm, LostCurve, LostReason, PoseCurve, PoseError, link};
use crate::ProofError;
use crate::model::moves::{Frame, Move, MoveKind, MoveProgram, Zone};
use crate::model::{BodyId, Cell, Interpolation, JointId, Segment, SegmentSpan, Trajectory};
use crate::report::Location;

/// A program of moves for a cell, as [`CellTrajectory`](crate::model::CellTrajectory) is one of
/// waypoints.
#[derive(Debug, Clone)]
pub struct CellMoves {
    /// The motion without rounded corners; one unit of time per move.
    pub trajectory: Trajectory,
    /// The joint of every column of the program.
    pub columns: Vec<JointId>,
    /// Where the motion is at the start and after every move: joint values in the order of
    /// `columns`, and the move's place. Move `k` leads from `ends[k]` to `ends[k + 1]`.
    pub ends: Vec<MoveEnd>,
    /// For every segment, the move (counted from the first that is part of the motion) and the
    /// share of it that is passed.
    pub spans: Vec<SegmentSpan>,
    /// Which curve each of these moves follows.
    pub kinds: Vec<MoveKind>,
    /// How long each of these moves takes by the speed that it states, seconds: an estimate,
    /// without acceleration, waiting and rounded corners. None: it states no speed that gives a
    /// time.
    pub durations_s: Vec<Option<f64>>,
    /// The tool of each of these moves.
    tools: Vec<Frame>,
    /// The greatest angle by which the tool turns in a move whose curve it defines, radians.
    pub greatest_turn: f64,
    /// Corners that the controller may round.
    pub corners: Vec<Corner>,
    /// Whether the motion starts at the target of the first move: how the arm gets there is not
    /// covered.
    pub from_first_target: bool,
    /// The corner at that target, unless the arm stops there.
    pub first_corner: Option<HalfCorner>,
    /// The corner at the end of the last move, unless the arm stops there.
    pub last_corner: Option<HalfCorner>,
    /// Joints that the program does not move, and that carry a tool or a frame of its moves: joint
    /// values were found with these where the cell has them.
    at_rest: Vec<JointId>,
}

/// Where the arm is at an end of a move: where one ends, the next one begins.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveEnd {
    /// Joint values in the order of the program's joints.
    pub q: Vec<f64>,
    /// How far the true ones can be off.
    pub off: Vec<f64>,
    /// As the program names it; may be empty.
    pub label: String,
    /// The routine of its move; may be empty.
    pub routine: String,
    /// Where it stands.
    pub place: Location,
}

/// A joint that something else moves while a corner is passed: it may be anywhere between these
/// values, radians or metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovedJoint {
    /// The joint.
    pub joint: JointId,
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub greatest: f64,
}

/// A move in the cell.
#[derive(Debug, Clone)]
struct CellMove {
    kind: MoveKind,
    /// The arm that follows the curve, the curve, and how far poses may be off; `None` for joint
    /// moves.
    tool: Option<ToolMove>,
    zone: Zone,
    frame: Frame,
    /// Estimate, seconds.
    duration_s: Option<f64>,
    /// Index of its end among [`CellMoves::ends`].
    end: usize,
}

#[derive(Debug, Clone)]
struct ToolMove {
    arm: Arm,
    curve: PoseCurve,
    error: PoseError,
}

/// Moves, one after the other, and the segments of the motion that they make.
#[derive(Debug, Default)]
struct MoveSequence {
    ends: Vec<MoveEnd>,
    moves: Vec<CellMove>,
    segments: Vec<Segment>,
    spans: Vec<SegmentSpan>,
}

impl MoveSequence {
    /// Adds the segments of the next move, each with the share of the move from which to which it
    /// goes.
    fn add_segments(&mut self, pieces: Vec<(Segment, [f64; 2])>) {
        let number = self.moves.len();
        let start = number as f64;
        for (mut segment, [from, to]) in pieces {
            (segment.start, segment.end) = (start + from, start + to);
            self.segments.push(segment);
            self.spans.push(SegmentSpan {
                segment: number,
                from,
                to,
            });
        }
    }
}

/// A program of moves and the cell that it is for: what stays the same from move to move.
struct ProgramInCell<'a> {
    cell: &'a Cell,
    program: &'a MoveProgram,
    columns: Vec<JointId>,
    /// How far the orientation may be off its even turn, as a share of the angle that it turns.
    orientation_tube: f64,
    /// Whether the joints' tubes are made as narrow as some more work makes them.
    narrow: bool,
}

impl CellMoves {
    /// The share of a tool's turn by which its orientation may be off an even turn, where nobody
    /// states another one.
    pub const USUAL_TUBE: f64 = 0.1;

    /// How far the orientation of the tool may be off an even turn by this angle, radians, for a
    /// stated share of the angle.
    ///
    /// Controllers that turn an axis of the tool and, at the same time, the tool about that axis
    /// (KUKA's `#VAR`, FANUC's two angles) are off by at most ½ (turn / π)² of the angle: from some
    /// 80° on that is more than the usual share. Who states less than this share knows better.
    pub fn orientation_tube(share: f64, turn: f64) -> f64 {
        let two_turns_deviation = 0.5 * (turn / std::f64::consts::PI).powi(2);
        if share < Self::USUAL_TUBE {
            share * turn
        } else {
            share.max(two_turns_deviation) * turn
        }
    }

    /// What a program of moves does in a cell. `orientation_tube`, which programs do not state: how
    /// far the orientation of the tool may be off its even turn on the way, as a share of the angle
    /// that it turns.
    ///
    /// # Errors
    /// The first move whose motion is not known or not proved, with its line and the reason.
    pub fn new(
        program: &MoveProgram,
        cell: &Cell,
        orientation_tube: f64,
    ) -> Result<Self, ProofError> {
        ProgramInCell::new(program, cell, orientation_tube)?.cell_moves()
    }

    /// The same, with what is said of the joints on the way as narrow as some more work makes it.
    ///
    /// # Errors
    /// As for [`CellMoves::new`].
    pub fn with_narrow_ranges(
        program: &MoveProgram,
        cell: &Cell,
        orientation_tube: f64,
    ) -> Result<Self, ProofError> {
        let given = ProgramInCell::new(program, cell, orientation_tube)?;
        let narrow = ProgramInCell {
            narrow: true,
            ..given
        };
        narrow.cell_moves()
    }

    /// The tool of a move, counted as `kinds` are: the body that carries it, and its pose on that
    /// body. `None`: the cell lacks it.
    pub fn tool(&self, cell: &Cell, index: usize) -> Option<(BodyId, Isometry3<f64>)> {
        let tool = self.tools.get(index)?;
        let body = link(cell, &tool.link, &self.columns).ok()?;
        Some((body, tool.link_from_frame))
    }
}

impl<'a> ProgramInCell<'a> {
    fn new(
        program: &'a MoveProgram,
        cell: &'a Cell,
        orientation_tube: f64,
    ) -> Result<Self, ProofError> {
        if let Some(first) = program.unknown.first() {
            return Err(error(
                &program.source,
                &first.place,
                first.reason.clone(),
                "the motion is not known from here on",
            ));
        }
        Ok(ProgramInCell {
            cell,
            program,
            columns: columns(program, cell)?,
            orientation_tube,
            narrow: false,
        })
    }

    fn cell_moves(self) -> Result<CellMoves, ProofError> {
        let sequence = self.solve_moves()?;
        let (moves, ends) = (sequence.moves, sequence.ends);
        let (Some(first), Some(last)) = (ends.first(), ends.last()) else {
            return Err(self.file_error("the program has no move"));
        };
        let (mut segments, mut spans) = (sequence.segments, sequence.spans);
        if segments.is_empty() {
            let mut segment = self.joint_segment([&first.q, &first.q], [&first.off, &first.off]);
            (segment.start, segment.end) = (0.0, 0.0);
            segments.push(segment);
            spans.push(SegmentSpan {
                segment: 0,
                from: 0.0,
                to: 0.0,
            });
        }
        let from_first_target = self.program.start.is_none();
        let corners = self.corners(&moves, &ends)?;
        let first_corner = if from_first_target {
            let corner = self.first_corner(&moves, &ends);
            corner.map_err(|why| self.corner_error(first, &why))?
        } else {
            None
        };
        let last_corner = self.last_corner(&moves, &ends);
        let last_corner = last_corner.map_err(|why| self.corner_error(last, &why))?;
        let at_rest = self.at_rest();
        let turns = moves
            .iter()
            .filter_map(|m| Some(m.tool.as_ref()?.curve.turn));
        let greatest_turn = turns.fold(0.0, f64::max);
        Ok(CellMoves {
            trajectory: Trajectory {
                segments,
                interpolation: if moves.iter().any(|m| m.tool.is_some()) {
                    Interpolation::Cubic
                } else {
                    Interpolation::Linear
                },
                timed: false,
            },
            columns: self.columns,
            ends,
            spans,
            durations_s: moves.iter().map(|m| m.duration_s).collect(),
            tools: moves.iter().map(|m| m.frame.clone()).collect(),
            kinds: moves.into_iter().map(|m| m.kind).collect(),
            greatest_turn,
            corners,
            from_first_target,
            first_corner,
            last_corner,
            at_rest,
        })
    }

    /// Lays one move after the other. Of a program without a start the first one only says where
    /// the next begins.
    fn solve_moves(&self) -> Result<MoveSequence, ProofError> {
        let mut sequence = MoveSequence::default();
        if let Some(q) = &self.program.start {
            self.fits(q).map_err(|why| self.file_error(&why))?;
            sequence.ends.push(MoveEnd {
                q: q.clone(),
                off: vec![0.0; q.len()],
                label: String::new(),
                routine: String::new(),
                place: Location::file(&self.program.source),
            });
        }
        for step in &self.program.moves {
            let failed = |why: String| self.move_error(step, why);
            let Some(here) = sequence.ends.last() else {
                let first = self.target(step, None, &[]).map_err(failed)?;
                sequence.ends.push(first);
                continue;
            };
            let early = match &step.kind {
                MoveKind::Joint => self.early_places(&sequence, step).map_err(failed)?,
                _ => Vec::new(),
            };
            let (end, tool, pieces) = match &step.kind {
                MoveKind::Joint => {
                    let end = self.target(step, Some(here), &early);
                    let end = end.map_err(failed)?;
                    let segment = self.joint_segment([&here.q, &end.q], [&here.off, &end.off]);
                    (end, None, vec![(segment, [0.0, 1.0])])
                }
                MoveKind::Linear | MoveKind::Circular { .. } => {
                    let (end, tool, pieces) = self.tool_move(step, here).map_err(failed)?;
                    let segments = pieces.iter().map(|p| {
                        let segment = self.tool_segment(&tool.arm, p, &end);
                        (segment, [p.from, p.to])
                    });
                    let segments = segments.collect();
                    (end, Some(tool), segments)
                }
            };
            let duration_s = self.duration(step, [here, &end], tool.as_ref());
            sequence.ends.push(end);
            let end = sequence.ends.len() - 1;
            sequence.add_segments(pieces);
            sequence.moves.push(CellMove {
                kind: step.kind.clone(),
                tool,
                duration_s,
                zone: step.zone,
                frame: step.tool.clone(),
                end,
            });
        }
        Ok(sequence)
    }

    fn move_error(&self, step: &Move, why: String) -> ProofError {
        let what = match step.kind {
            MoveKind::Joint => "joint",
            MoveKind::Linear => "linear",
            MoveKind::Circular { .. } => "circular",
        };
        let to = if step.label.is_empty() {
            String::new()
        } else {
            format!(" to `{}`", step.label)
        };
        error(
            &self.program.source,
            &step.place,
            format!("in the {what} move{to}: {why}"),
            "nothing is said about the program before this is settled",
        )
    }

    fn file_error(&self, why: &str) -> ProofError {
        let place = Location::file(&self.program.source);
        error(
            &self.program.source,
            &place,
            why.to_owned(),
            "mend the program",
        )
    }
}

fn stopped(lost: &LostCurve) -> String {
    format!("{:.0} % of the way: {}", 100.0 * lost.at, lost.why)
}

/// The same, with what the user can do about a pose that is known too loosely: by `tube` (radians)
/// the tool may be off its even turn. `more` helps in any case; it may be empty.
fn stopped_within(lost: &LostCurve, tube: f64, more: &str) -> String {
    let mut said = stopped(lost);
    if lost.why == LostReason::TooWide {
        let narrower = (tube > 1e-6).then(|| {
            format!(
                "state a narrower --orientation-tube (it lets the tool be {:.2}° off an even turn)",
                tube.to_degrees()
            )
        });
        let more = (!more.is_empty()).then(|| more.to_owned());
        let remedies: Vec<String> = more.into_iter().chain(narrower).collect();
        if !remedies.is_empty() {
            said += &format!("; {}", remedies.join(", or "));
        }
    }
    said
}

/// An error at a place, which may be in a file that the program takes.
fn error(file: &Path, place: &Location, problem: String, remedy: &str) -> ProofError {
    let file = match &*place.file {
        "" => file.to_owned(),
        file => file.into(),
    };
    ProofError::Program {
        file,
        line: Some(place.line.unwrap_or(1)),
        problem,
        remedy: remedy.to_owned(),
    }
}

#[cfg(test)]
mod tests;
