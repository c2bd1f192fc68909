//! A program of moves laid onto a cell: joint moves as lines in joint space, moves of the tool as
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

mod columns;
mod corners;
mod durations;
mod rest;
mod segments;

use std::path::Path as FilePath;

use nalgebra::{Isometry3, Vector6};

use columns::columns;
pub use corners::{Corner, MovedJoint, Strip};

use super::tool_line::{
    Arm, Arrangement, CurvePiece, Lost, PoseCurve, PoseError, SIX, arm_values, choose, follow, has,
    link, proved,
};
use crate::ProofError;
use crate::geometry::pose::Pose;
use crate::model::moves::{ArcTurning, Branch, Frame, Move, MoveKind, MoveProgram, Target, Zone};
use crate::model::{BodyId, Cell, Interpolation, JointId, Path, SegmentSpan};
use crate::report::Location;

/// Joint values nearer than this are the same solution (where only one lies within the tube),
/// radians.
const SAME: f64 = 1e-8;

/// Joint values nearer than this are the same solution, found from another place, radians.
const AGAIN: f64 = 1e-6;

/// Assumptions about the motion that its program does not state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumptions {
    /// How far the orientation of the tool may be off its even turn on the way, as a share of the
    /// angle that it turns.
    pub orientation_tube: f64,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self {
            orientation_tube: 0.1,
        }
    }
}

/// A program of moves for a cell, as [`CellPath`](crate::model::CellPath) is one of waypoints.
#[derive(Debug, Clone)]
pub struct CellMoves {
    /// The motion without rounded corners; one unit of time per move.
    pub path: Path,
    /// The joint of every column of the program.
    pub columns: Vec<JointId>,
    /// Where the motion is at the start and after every move: joint values in the order of
    /// `columns`, and the move's place.
    pub stations: Vec<Station>,
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
    /// Joints that the program does not move, and that carry a tool or a frame of its moves: joint
    /// values were found with these where the cell has them.
    at_rest: Vec<JointId>,
}

/// A place at which a move ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
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

/// A move as it was laid.
#[derive(Debug, Clone)]
struct Laid {
    kind: MoveKind,
    /// The arm that follows the curve, the curve, and how far poses may be off; `None` for joint
    /// moves.
    tool: Option<ToolMove>,
    zone: Zone,
    frame: Frame,
    /// Estimate, seconds.
    duration_s: Option<f64>,
    /// Index of the station at its end.
    end: usize,
}

#[derive(Debug, Clone)]
struct ToolMove {
    arm: Arm,
    curve: PoseCurve,
    error: PoseError,
}

/// The inputs that stay the same from move to move.
struct Laying<'l> {
    cell: &'l Cell,
    program: &'l MoveProgram,
    columns: Vec<JointId>,
    assumed: Assumptions,
}

impl CellMoves {
    /// Lays a program of moves onto a cell.
    ///
    /// # Errors
    /// The first move whose motion is not known or not proved, with its line and the reason.
    pub fn new(
        program: &MoveProgram,
        cell: &Cell,
        assumed: Assumptions,
    ) -> Result<Self, ProofError> {
        if let Some(first) = program.unknown.first() {
            return Err(error(
                &program.source,
                &first.place,
                first.reason.clone(),
                "the motion is not known from here on",
            ));
        }
        let laying = Laying {
            cell,
            program,
            columns: columns(program, cell)?,
            assumed,
        };
        laying.laid()
    }

    /// The tool of a move, counted as `kinds` are: the body that carries it, and its pose on that
    /// body. `None`: the cell lacks it.
    pub fn tool(&self, cell: &Cell, index: usize) -> Option<(BodyId, Isometry3<f64>)> {
        let tool = self.tools.get(index)?;
        let body = link(cell, &tool.link, &self.columns).ok()?;
        Some((body, tool.link_from_frame))
    }
}

impl Laying<'_> {
    fn laid(self) -> Result<CellMoves, ProofError> {
        let mut stations = Vec::new();
        if let Some(q) = &self.program.start {
            self.fits(q).map_err(|why| self.file_error(&why))?;
            stations.push(Station {
                q: q.clone(),
                off: vec![0.0; q.len()],
                label: String::new(),
                routine: String::new(),
                place: Location::file(&self.program.source),
            });
        }
        let from_first_target = stations.is_empty();
        let (mut segments, mut spans, mut laid) = (Vec::new(), Vec::new(), Vec::new());
        for step in &self.program.moves {
            let failed = |why: String| self.move_error(step, why);
            let Some(here) = stations.last() else {
                stations.push(self.target(step, None, None).map_err(failed)?);
                continue;
            };
            let early = laid.last().and_then(|last| corner_start(last, &stations));
            let start = laid.len() as f64;
            let (end, tool, pieces) = match &step.kind {
                MoveKind::Joint => {
                    let end = self.target(step, Some(here), early.as_deref());
                    let end = end.map_err(failed)?;
                    let segment = self.joint_segment([&here.q, &end.q], [&here.off, &end.off]);
                    (end, None, vec![(segment, [0.0, 1.0])])
                }
                MoveKind::Linear | MoveKind::Circular { .. } => {
                    let (end, tool, pieces) = self.tool_move(step, here).map_err(failed)?;
                    let segments = pieces.iter().map(|p| {
                        let segment = self.tool_segment(&tool.arm, p, &end.q);
                        (segment, [p.from, p.to])
                    });
                    let segments = segments.collect();
                    (end, Some(tool), segments)
                }
            };
            for (mut segment, [from, to]) in pieces {
                (segment.start, segment.end) = (start + from, start + to);
                segments.push(segment);
                spans.push(SegmentSpan {
                    segment: laid.len(),
                    from,
                    to,
                });
            }
            let duration_s = self.duration(step, [here, &end], tool.as_ref());
            stations.push(end);
            laid.push(Laid {
                kind: step.kind.clone(),
                tool,
                duration_s,
                zone: step.zone,
                frame: step.tool.clone(),
                end: stations.len() - 1,
            });
        }
        let Some(first) = stations.first() else {
            return Err(self.file_error("the program has no move"));
        };
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
        let corners = self.corners(&laid, &stations)?;
        let at_rest = self.at_rest();
        let turns = laid
            .iter()
            .filter_map(|l| Some(l.tool.as_ref()?.curve.turn));
        let greatest_turn = turns.fold(0.0, f64::max);
        Ok(CellMoves {
            path: Path {
                segments,
                interpolation: if laid.iter().any(|l| l.tool.is_some()) {
                    Interpolation::Cubic
                } else {
                    Interpolation::Linear
                },
                timed: false,
            },
            columns: self.columns,
            stations,
            spans,
            durations_s: laid.iter().map(|l| l.duration_s).collect(),
            tools: laid.iter().map(|l| l.frame.clone()).collect(),
            kinds: laid.into_iter().map(|l| l.kind).collect(),
            greatest_turn,
            corners,
            from_first_target,
            at_rest,
        })
    }

    /// Where a move ends, unless a line leads there. `early`: where the arm may be already when the
    /// move begins, on its way round a corner.
    fn target(
        &self,
        step: &Move,
        here: Option<&Station>,
        early: Option<&[f64]>,
    ) -> Result<Station, String> {
        let station = |q: Vec<f64>, off: Vec<f64>| Station {
            q,
            off,
            label: step.label.clone(),
            routine: step.routine.clone(),
            place: step.place.clone(),
        };
        match &step.target {
            Target::Joints(q) => {
                self.fits(q)?;
                Ok(station(q.clone(), vec![0.0; q.len()]))
            }
            Target::Pose { branch, .. } => {
                let arm = self.arm(step)?;
                if *branch == Branch::Continued && step.kind == MoveKind::Joint {
                    return Err(
                        "a joint move goes to whichever configuration is stated, and none is"
                            .to_owned(),
                    );
                }
                let pose = self.pose(&step.target)?;
                let before = here.map(|h| arm_values(&arm, &h.q)).transpose()?;
                let arrangement = Arrangement::new(&arm);
                let chosen = choose(&arm, &arrangement, &pose, branch, before.as_ref())?;
                // What is the nearest from both ends of a straight way in joint space, is the
                // nearest from all of it.
                if let (Branch::NearestToStart, Some(early)) = (branch, early) {
                    let early = arm_values(&arm, early)?;
                    let other = choose(&arm, &arrangement, &pose, branch, Some(&early));
                    if !other.is_ok_and(|other| (other.q - chosen.q).amax() < AGAIN) {
                        return Err("the arm goes there from a corner that it rounds, and which of its configurations is the nearest depends on where it is by then; state joint values near the pose".to_owned());
                    }
                }
                // Joints that the pose does not decide stay, if it is known where.
                let mut q = match here {
                    Some(here) => here.q.clone(),
                    None => self.columns.iter().map(|&j| self.cell.rest[j]).collect(),
                };
                let mut off = vec![0.0; q.len()];
                for (k, &column) in arm.columns.iter().enumerate() {
                    (q[column], off[column]) = (chosen.q[k], chosen.off[k]);
                }
                Ok(station(q, off))
            }
        }
    }

    fn tool_move(
        &self,
        step: &Move,
        here: &Station,
    ) -> Result<(Station, ToolMove, Vec<CurvePiece>), String> {
        let arm = self.arm(step)?;
        let q0 = arm_values(&arm, &here.q)?;
        let off0: [f64; SIX] = std::array::from_fn(|k| here.off[arm.columns[k]] + 1e-15);
        let start = arm.at(&q0).tool;
        let (end, stated) = match &step.target {
            Target::Joints(q) => {
                self.fits(q)?;
                let beside = (0..q.len()).filter(|c| !arm.columns.contains(c));
                if beside.into_iter().any(|c| (q[c] - here.q[c]).abs() > SAME) {
                    return Err("another joint moves during a straight move of the tool; which way it goes is not known".to_owned());
                }
                let stated = arm_values(&arm, q)?;
                (arm.at(&stated).tool, Some(stated))
            }
            Target::Pose { .. } => (self.pose(&step.target)?, None),
        };
        let mut beside = 0.0;
        let curve = match &step.kind {
            MoveKind::Circular { via, turning } => {
                let via = match via {
                    Target::Joints(q) => {
                        self.fits(q)?;
                        arm.at(&arm_values(&arm, q)?).tool
                    }
                    pose @ Target::Pose { .. } => self.pose(pose)?,
                };
                let curve = PoseCurve::arc(&start, &via.translation, &end)?;
                if *turning == ArcTurning::Along {
                    beside = curve.beside_turn_along(&via)?;
                }
                curve
            }
            _ => PoseCurve::line(&start, &end)?,
        };
        // The true start is where the joints truly are.
        let at = arm.at(&q0);
        let (off_m, off_rad) = Arm::rounding(&at);
        let places: f64 = (0..SIX).map(|k| off0[k] * (arm.lever(&at, k) + 1.0)).sum();
        let error = PoseError {
            position: places + off_m,
            turn: self.assumed.orientation_tube * curve.turn
                + beside
                + off0.iter().sum::<f64>()
                + off_rad,
        };
        let pieces = follow(&arm, &curve, &q0, &off0, error).map_err(|lost| stopped(&lost))?;
        let q1 = pieces.last().map_or(q0, |last| {
            Vector6::from_fn(|k, _| crate::numeric::polynomial::value(&last.joints[k], 1.0))
        });
        let arrived = self.arrived(step, &arm, &curve.at(1.0), (&q1, stated.as_ref()), here)?;
        let off = proved(&arm, &curve.at(1.0), &arrived)
            .ok_or("it ends at a singularity of the arm, where joint values are not certain")?;
        let (mut q, mut offs) = (here.q.clone(), here.off.clone());
        for (k, &column) in arm.columns.iter().enumerate() {
            (q[column], offs[column]) = (arrived[k], off[k]);
        }
        let station = Station {
            q,
            off: offs,
            label: step.label.clone(),
            routine: step.routine.clone(),
            place: step.place.clone(),
        };
        Ok((station, ToolMove { arm, curve, error }, pieces))
    }

    /// Joint values at the end of a line that leads to `q1`: the stated ones, if they are these.
    fn arrived(
        &self,
        step: &Move,
        arm: &Arm,
        pose: &Pose,
        (q1, stated): (&Vector6<f64>, Option<&Vector6<f64>>),
        here: &Station,
    ) -> Result<Vector6<f64>, String> {
        let other = |stated: &Vector6<f64>| {
            let k = (stated - q1).iamax();
            let kind = self.cell.joints[arm.joints[k]].kind;
            format!(
                "it leads to another configuration of the arm than the stated one: `{}` arrives at {}, not at {}",
                arm.names[k],
                kind.show(q1[k]),
                kind.show(stated[k])
            )
        };
        if let Some(stated) = stated {
            return if (stated - q1).amax() < SAME {
                Ok(*stated)
            } else {
                Err(other(stated))
            };
        }
        let Target::Pose { branch, .. } = &step.target else {
            return Ok(*q1);
        };
        match branch {
            Branch::Continued | Branch::NearestToStart => {}
            Branch::NearestTo(_) => {
                let before = arm_values(arm, &here.q)?;
                let chosen = choose(arm, &Arrangement::new(arm), pose, branch, Some(&before))?;
                if (chosen.q - q1).amax() > SAME {
                    return Err(other(&chosen.q));
                }
            }
            Branch::Configuration(wanted) => {
                if !has(arm, &Arrangement::new(arm), q1, wanted) {
                    return Err(
                        "it leads to another configuration of the arm than the stated one"
                            .to_owned(),
                    );
                }
            }
        }
        Ok(*q1)
    }

    fn arm(&self, step: &Move) -> Result<Arm, String> {
        Arm::new(self.cell, &self.columns, &step.tool)
    }

    /// A stated pose, in the world.
    fn pose(&self, target: &Target) -> Result<Pose, String> {
        let Target::Pose {
            frame,
            frame_from_tool,
            ..
        } = target
        else {
            return Err("the target is not a pose".to_owned());
        };
        let body = super::tool_line::link(self.cell, &frame.link, &self.columns)?;
        let mut pose = self.cell.bodies[body].joint_from_body;
        let mut next = self.cell.bodies[body].joint;
        while let Some(joint) = next {
            let it = &self.cell.joints[joint];
            let moves = |j: &JointId| self.columns.contains(j);
            if moves(&joint) || it.mimic.is_some_and(|m| moves(&m.source)) {
                return Err(format!(
                    "the frame of its target is fixed to `{}`, which the program itself moves",
                    frame.link
                ));
            }
            let value = self.cell.rest[joint];
            pose = it.parent_from_joint * it.motion(value) * pose;
            next = it.parent;
        }
        let world_from_tool: Isometry3<f64> = pose * frame.link_from_frame * frame_from_tool;
        Ok(Pose::from(&world_from_tool))
    }

    fn fits(&self, q: &[f64]) -> Result<(), String> {
        if q.len() != self.columns.len() {
            return Err(format!(
                "{} joint values are given for {} joints",
                q.len(),
                self.columns.len()
            ));
        }
        // Farther values cannot be computed with.
        let far = |x: &f64| !x.is_finite() || x.abs() > crate::model::Path::FARTHEST_RAD;
        if q.iter().any(far) {
            Err("a joint value is too large to be computed with".to_owned())
        } else {
            Ok(())
        }
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

/// Where the corner at the end of a move begins at the earliest; `None`: the arm stops there.
fn corner_start(last: &Laid, stations: &[Station]) -> Option<Vec<f64>> {
    let most = match last.zone {
        Zone::Stop => return None,
        // The joints of a move of the tool do not go on a straight way.
        _ if last.tool.is_some() => 1.0,
        Zone::Radius(_) | Zone::Unknown => 0.5,
        Zone::Ball(_) => 1.0,
    };
    let (tip, before) = (stations.get(last.end)?, stations.get(last.end - 1)?);
    let values = tip.q.iter().zip(&before.q);
    Some(values.map(|(tip, q)| tip + most * (q - tip)).collect())
}

fn stopped(lost: &Lost) -> String {
    format!("{:.0} % of the way: {}", 100.0 * lost.at, lost.why)
}

fn error(file: &FilePath, place: &Location, problem: String, remedy: &str) -> ProofError {
    ProofError::Program {
        file: file.to_owned(),
        line: place.line.unwrap_or(1),
        problem,
        remedy: remedy.to_owned(),
    }
}

#[cfg(test)]
mod tests;
