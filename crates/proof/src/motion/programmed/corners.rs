//! Corners that the controller may round.
//!
//! **The model.** Between A → B and B → C with a zone at B, the tool leaves its way at E at the
//! earliest and is back on it at X at the latest: where it enters and leaves the ball of the zone's
//! radius around B, at most half of each way from B (all of it, where the zone says so). Between
//! them it may be anywhere in the triangle of E, B and X: in joint space between joint moves, in
//! space (with the orientations between) between moves of the tool, in either of the two where the
//! kinds differ.
//!
//! **Strips.** A point of the triangle is B + λ((1 − t)(E − B) + t(X − B)). For λ within ½Δ of a
//! middle, it is off the line of the middle one by at most ½Δ max(|E − B|, |X − B|), joint by
//! joint, or in space. So strip n of N is that line with this much error, and N strips cover the
//! triangle. An arc leaves the side of the triangle by its sagitta, which is added.
//!
//! **Orientations** are no plane: where both ends of a turn of θ move by δ, its middle moves by up
//! to δ / cos ¼θ. For unit quaternions lie on a sphere, on which the turn is an arc of ½θ, and a
//! field of ways from one arc to the next is at the share t of it at most
//! (sin((1 − t)½θ) + sin(t½θ)) / sin ½θ times the greater of its ends, which is greatest at ½.

use std::sync::atomic::{AtomicUsize, Ordering};

use nalgebra::Vector6;
use rayon::prelude::*;

use super::{Laid, Laying, Station, ToolMove};
use crate::ProofError;
use crate::geometry::pose::Pose;
use crate::model::moves::Zone;
use crate::model::{Interpolation, JointId, Path, Segment};
use crate::motion::tool_line::{
    Arm, CurvePiece, PoseCurve, PoseError, SIX, arm_values, follow, follow_within, turn_between,
};
use crate::numeric::polynomial::value;
use crate::report::Location;

/// All strips of a hull together are given no more cells of orientations than this: about two seconds
/// of work. Each has its share, so that what one may use does not depend on another.
const CELLS: usize = 40_000;
/// Where the ways from one side to the other turn by more than this, the shorter way round may not be
/// the same for all of them, radians.
pub(super) const MOST_BETWEEN: f64 = 175.0 * std::f64::consts::PI / 180.0;
/// Steps in which the entry into a zone is looked for.
const STEPS: usize = 256;

/// A corner that the controller may round.
#[derive(Debug, Clone)]
pub struct Corner {
    /// The station at its tip.
    pub station: usize,
    /// The tip, as the program names it; may be empty.
    pub label: String,
    /// Where it stands.
    pub place: Location,
    /// Whether the zone's size is stated; if not, half of both ways counts.
    pub sized: bool,
    /// How much of the move to its tip, and of the one behind it, lies within: shares.
    pub shares: [f64; 2],
    /// Whether the ball of its zone holds the other end of one of the two moves too: a controller
    /// may refuse such a zone.
    pub holds_a_move: bool,
    /// Its hulls.
    hulls: Vec<Hull>,
}

/// One way to look at a corner.
#[derive(Debug, Clone)]
enum Hull {
    /// The triangle in joint space: E, B and X in the order of the program's joints, and how far
    /// these are off.
    Joints {
        corners: [Vec<f64>; 3],
        off: Vec<f64>,
        template: Template,
    },
    /// The triangle in space.
    Tool {
        corners: Box<[Pose; 3]>,
        tip: Vector6<f64>,
        off: [f64; SIX],
        error: PoseError,
        arm: Box<Arm>,
        template: Template,
    },
}

/// Where a zone begins on a move.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Share of the move that lies within, counted from the corner.
    share: f64,
    /// Whether all of it does.
    holds_all: bool,
}

impl Entry {
    /// Of a move of which nothing else is known.
    fn at(share: f64) -> Self {
        Entry {
            share,
            holds_all: false,
        }
    }
}

/// Data that turns a strip into a segment of the cell.
#[derive(Debug, Clone)]
struct Template {
    /// A segment in which all stands at the corner's tip.
    standing: Segment,
    /// The joint of every column.
    columns: Vec<usize>,
    /// Joints that follow others: which, whom, factor, offset.
    mimics: Vec<(usize, usize, f64, f64)>,
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

/// A strip of a corner's hull.
#[derive(Debug, Clone, PartialEq)]
pub struct Strip {
    /// A motion of its own, from one side of the corner to the other.
    pub path: Path,
}

impl Corner {
    /// The hulls in `count` strips each, in which `moved` may be anywhere in their ranges; all
    /// other joints that the program does not move are where the cell has them.
    ///
    /// # Errors
    /// When the joint values of one are not certain, with the reason.
    pub fn strips(&self, count: usize, moved: &[MovedJoint]) -> Result<Vec<Strip>, ProofError> {
        // Strips from the first that fails on are not needed.
        let failed = AtomicUsize::new(usize::MAX);
        let made: Vec<Option<Result<Strip, String>>> = (0..count * self.hulls.len())
            .into_par_iter()
            .map(|at| {
                if at > failed.load(Ordering::Relaxed) {
                    return None;
                }
                let middle = ((at % count) as f64 + 0.5) / count as f64;
                let strip = self.hulls[at / count].strip(middle, 0.5 / count as f64, moved);
                if strip.is_err() {
                    failed.fetch_min(at, Ordering::Relaxed);
                }
                Some(strip)
            })
            .collect();
        // All before the first that failed were made.
        let strips: Result<Vec<Strip>, String> = made.into_iter().flatten().collect();
        strips.map_err(ProofError::UncertainJoints)
    }
}

impl Hull {
    /// The strip of all λ within `half` of `middle`.
    fn strip(&self, middle: f64, half: f64, moved: &[MovedJoint]) -> Result<Strip, String> {
        // Shares and sides are rounded.
        let half = half * (1.0 + 1e-9) + 1e-12;
        let segments = match self {
            Hull::Joints {
                corners: [e, b, x],
                off,
                template,
            } => {
                let side = |end: &[f64], c: usize| b[c] + middle * (end[c] - b[c]);
                let pieces = (0..b.len()).map(|c| {
                    let (q0, q1) = (side(e, c), side(x, c));
                    let wide = half * (e[c] - b[c]).abs().max((x[c] - b[c]).abs());
                    ([q0, q1 - q0, 0.0, 0.0, 0.0, 0.0], off[c] + wide)
                });
                vec![template.segment(&pieces.collect::<Vec<_>>(), moved, [0.0, 1.0])]
            }
            Hull::Tool {
                corners,
                tip,
                off,
                error,
                arm,
                template,
            } => {
                let [e, b, x] = &**corners;
                let side = |end: &Pose| PoseCurve::line(b, end).map(|c| c.at(middle));
                let turn = |end: &Pose| turn_between(&b.rotation, &end.rotation).1;
                let (from, to) = (side(e)?, side(x)?);
                let sides = [turn(e), turn(x)];
                let between = turn_between(&from.rotation, &to.rotation).1;
                if between + half * (sides[0] + sides[1]) > MOST_BETWEEN {
                    return Err("the tool may turn by nearly 180° across it".to_owned());
                }
                let reach = |end: &Pose| (end.translation - b.translation).norm();
                let error = PoseError {
                    position: error.position + half * reach(e).max(reach(x)),
                    turn: error.turn + turned_within(half, sides),
                };
                // From the tip, whose joint values are known, to the start of the strip, and along
                // it.
                let lost = |lost: super::Lost| super::stopped(&lost);
                let own = PoseCurve::line(b, &from)?;
                let way = follow(arm, &own, tip, off, PoseError::default()).map_err(lost)?;
                let q = way.last().map_or(*tip, end_of);
                let off = way.last().map_or(*off, |last| last.off);
                let along = PoseCurve::line(&from, &to)?;
                let cells = (2.0 * half * CELLS as f64) as usize;
                let pieces = follow_within(arm, &along, (&q, &off), error, cells).map_err(lost)?;
                (pieces.iter())
                    .map(|p| template.piece(arm, p, moved))
                    .collect()
            }
        };
        Ok(Strip {
            path: Path {
                segments,
                interpolation: Interpolation::Cubic,
                timed: false,
            },
        })
    }
}

/// How far the orientations of a strip are from those of its middle, where the tool turns by these
/// angles from the tip to either side.
pub(super) fn turned_within(half: f64, [to_e, to_x]: [f64; 2]) -> f64 {
    // Larger turns are refused by whoever makes a curve of them.
    let between = (to_e + to_x).min(std::f64::consts::PI);
    half * to_e.max(to_x) / (0.25 * between).cos()
}

fn end_of(piece: &CurvePiece) -> Vector6<f64> {
    Vector6::from_fn(|k, _| value(&piece.joints[k], 1.0))
}

impl Template {
    fn segment(
        &self,
        columns: &[([f64; 6], f64)],
        moved: &[MovedJoint],
        [start, end]: [f64; 2],
    ) -> Segment {
        let mut segment = self.standing.clone();
        (segment.start, segment.end) = (start, end);
        let own = columns.iter().zip(&self.columns);
        let own = own.map(|(&(polynomial, off), &joint)| (joint, polynomial, off));
        let others = moved.iter().map(|range| {
            let middle = 0.5 * (range.least + range.greatest);
            let off = (range.greatest - middle).max(middle - range.least);
            let rounding = 4.0 * f64::EPSILON * (1.0 + range.least.abs() + range.greatest.abs());
            (
                range.joint,
                [middle, 0.0, 0.0, 0.0, 0.0, 0.0],
                off + rounding,
            )
        });
        let all: Vec<(JointId, [f64; 6], f64)> = own.chain(others).collect();
        let grown: f64 = all.iter().map(|(_, _, off)| 1.0 + off).product();
        segment.joints.change(|joints| {
            for &(joint, polynomial, _) in &all {
                joints[joint] = polynomial;
            }
            for &(joint, source, multiplier, offset) in &self.mimics {
                joints[joint] = joints[source].map(|c| multiplier * c);
                joints[joint][0] += offset;
            }
        });
        for (joint, _, off) in all {
            *segment.taken_over_of(joint) = off * grown * (1.0 + 1e-12);
        }
        for &(joint, source, multiplier, offset) in &self.mimics {
            *segment.taken_over_of(joint) = 2.0 * multiplier.abs() * segment.value_rounding(source)
                + 8.0 * f64::EPSILON * offset.abs();
        }
        segment
    }

    fn piece(&self, arm: &Arm, piece: &CurvePiece, moved: &[MovedJoint]) -> Segment {
        let standing = &self.standing;
        let still = |&joint: &usize| (standing.joints.of(joint), standing.taken_over()[joint]);
        let mut columns: Vec<([f64; 6], f64)> = self.columns.iter().map(still).collect();
        for (k, &column) in arm.columns.iter().enumerate() {
            columns[column] = (piece.joints[k], piece.off[k]);
        }
        let mut segment = self.segment(&columns, moved, [piece.from, piece.to]);
        segment
            .off
            .get_or_insert_default()
            .tool_tubes
            .extend(arm.tool_tube(piece));
        segment
    }
}

impl Laying<'_> {
    /// The corners between moves that do not stop.
    pub(super) fn corners(
        &self,
        laid: &[Laid],
        stations: &[Station],
    ) -> Result<Vec<Corner>, ProofError> {
        let mut corners = Vec::new();
        for pair in laid.windows(2) {
            let sized = match pair[0].zone {
                Zone::Stop => continue,
                Zone::Radius(r) | Zone::Ball(r) if r <= 0.0 => continue,
                Zone::Radius(_) | Zone::Ball(_) => true,
                Zone::Unknown => false,
            };
            let tip = &stations[pair[0].end];
            let hulls = self.hulls([&pair[0], &pair[1]], stations);
            let (entries, hulls) = hulls.map_err(|why| ProofError::Program {
                file: self.program.source.clone(),
                line: tip.place.line.unwrap_or(1),
                problem: format!("the corner at `{}`: {why}", tip.label),
                remedy: "nothing is said about the program before this is settled".to_owned(),
            })?;
            corners.push(Corner {
                station: pair[0].end,
                label: tip.label.clone(),
                place: tip.place.clone(),
                sized,
                shares: entries.map(|entry| entry.share),
                holds_a_move: entries.iter().any(|entry| entry.holds_all),
                hulls,
            });
        }
        Ok(corners)
    }

    /// How much of both moves a corner takes, and its hulls.
    fn hulls(
        &self,
        [to, from]: [&Laid; 2],
        stations: &[Station],
    ) -> Result<([Entry; 2], Vec<Hull>), String> {
        let (a, b, c) = (
            &stations[to.end - 1],
            &stations[to.end],
            &stations[from.end],
        );
        let sized = matches!(to.zone, Zone::Radius(_) | Zone::Ball(_));
        if (sized || to.tool.is_some() || from.tool.is_some()) && to.frame != from.frame {
            return Err(
                "the tool changes there, and which one goes round the corner is not known".into(),
            );
        }
        let template = self.template(b);
        let share =
            |laid: &Laid, [other, tip]: [&Station; 2], backwards: bool| -> Result<Entry, String> {
                match to.zone {
                    Zone::Radius(r) => self.entry(laid, [other, tip], backwards, (r, 0.5)),
                    Zone::Ball(r) => self.entry(laid, [other, tip], backwards, (r, 1.0)),
                    Zone::Stop | Zone::Unknown => Ok(Entry::at(0.5)),
                }
            };
        let entries = [share(to, [a, b], true)?, share(from, [c, b], false)?];
        let [u, v] = entries.map(|entry| entry.share);
        let mut hulls = Vec::new();
        if to.tool.is_none() || from.tool.is_none() {
            // E and X in joint space; on a move of the tool, where its own joint curve is.
            let e = self.joints_at(to, [a, b], u, true)?;
            let x = self.joints_at(from, [c, b], v, false)?;
            let off = (0..b.q.len()).map(|k| e.1[k].max(x.1[k]).max(b.off[k]));
            hulls.push(Hull::Joints {
                off: off.collect(),
                corners: [e.0, b.q.clone(), x.0],
                template: template.clone(),
            });
        }
        let tools = [&to.tool, &from.tool];
        if let Some(tool) = tools.into_iter().flatten().next() {
            let arm = &tool.arm;
            let tip = arm_values(arm, &b.q)?;
            let (e, s0) = self.pose_at(arm, to, [a, b], u, true)?;
            let (x, s1) = self.pose_at(arm, from, [c, b], v, false)?;
            let errors = tools.into_iter().flatten().map(|t| t.error);
            let widest = errors.fold(PoseError::default(), |w, e| PoseError {
                position: w.position.max(e.position),
                turn: w.turn.max(e.turn),
            });
            hulls.push(Hull::Tool {
                corners: Box::new([e, arm.at(&tip).tool, x]),
                tip,
                off: std::array::from_fn(|k| b.off[arm.columns[k]] + 1e-15),
                error: PoseError {
                    position: widest.position + s0.max(s1),
                    turn: widest.turn,
                },
                arm: Box::new(arm.clone()),
                template,
            });
        }
        Ok((entries, hulls))
    }

    /// Where the ball of a radius is entered or left on a move, at most at the share `most`.
    fn entry(
        &self,
        laid: &Laid,
        ends: [&Station; 2],
        backwards: bool,
        (radius, most): (f64, f64),
    ) -> Result<Entry, String> {
        let arm = match &laid.tool {
            Some(tool) => tool.arm.clone(),
            None => match Arm::new(self.cell, &self.columns, &laid.frame) {
                Ok(arm) => arm,
                // Without a tool that six joints move, nothing is known of its distance.
                Err(_) => return Ok(Entry::at(most)),
            },
        };
        let tip = arm.at(&arm_values(&arm, &ends[1].q)?).tool.translation;
        let place = |u: f64| -> Result<f64, String> {
            let (pose, _) = self.pose_at(&arm, laid, ends, u, backwards)?;
            Ok((pose.translation - tip).norm())
        };
        let step = most / STEPS as f64;
        let mut last = 0;
        for n in 1..=STEPS {
            if place(n as f64 * step)? <= radius {
                last = n;
            }
        }
        Ok(Entry {
            share: ((last + 1) as f64 * step).min(most),
            holds_all: most == 1.0 && last == STEPS,
        })
    }

    /// Joint values at a share of a move from its corner, and how far they are off.
    fn joints_at(
        &self,
        laid: &Laid,
        [other, tip]: [&Station; 2],
        share: f64,
        backwards: bool,
    ) -> Result<(Vec<f64>, Vec<f64>), String> {
        let Some(tool) = &laid.tool else {
            let mixed = (0..tip.q.len()).map(|k| tip.q[k] + share * (other.q[k] - tip.q[k]));
            let off = (0..tip.q.len()).map(|k| tip.off[k].max(other.off[k]));
            return Ok((mixed.collect(), off.collect()));
        };
        let pose = tool.curve.at(if backwards { 1.0 - share } else { share });
        let arm = &tool.arm;
        let q = arm_values(arm, &tip.q)?;
        let off = std::array::from_fn(|k| tip.off[arm.columns[k]] + 1e-15);
        let line = PoseCurve::line(&arm.at(&q).tool, &pose)?;
        let way = follow(arm, &line, &q, &off, PoseError::default());
        let way = way.map_err(|lost| super::stopped(&lost))?;
        let (mut values, mut offs) = (tip.q.clone(), tip.off.clone());
        if let Some(last) = way.last() {
            let end = end_of(last);
            for (k, &column) in arm.columns.iter().enumerate() {
                (values[column], offs[column]) = (end[k], last.off[k]);
            }
        }
        Ok((values, offs))
    }

    /// Pose of the tool at a share of a move from its corner, and how far the way there leaves the
    /// straight line, metres.
    fn pose_at(
        &self,
        arm: &Arm,
        laid: &Laid,
        ends: [&Station; 2],
        share: f64,
        backwards: bool,
    ) -> Result<(Pose, f64), String> {
        match &laid.tool {
            Some(ToolMove { curve, .. }) => {
                let pose = curve.at(if backwards { 1.0 - share } else { share });
                Ok((pose, curve.acceleration() * share * share / 8.0))
            }
            None => {
                let (q, _) = self.joints_at(laid, ends, share, backwards)?;
                let pose = arm.at(&arm_values(arm, &q)?).tool;
                Ok((pose, 0.0))
            }
        }
    }

    fn template(&self, tip: &Station) -> Template {
        let standing = self.joint_segment([&tip.q, &tip.q], [&tip.off, &tip.off]);
        let joints = self.cell.joints.iter().enumerate();
        let mimics = joints.filter_map(|(id, joint)| {
            let mimic = joint.mimic?;
            Some((id, mimic.source, mimic.multiplier, mimic.offset))
        });
        Template {
            standing,
            columns: self.columns.clone(),
            mimics: mimics.collect(),
        }
    }
}
