//! Corners in strips, each a motion of its own.
//!
//! **Strips.** A point of the triangle of E, B and X is B + λ((1 − t)(E − B) + t(X − B)). For λ
//! within ½Δ of a middle, it is off the line of the middle one by at most
//! ½Δ max(|E − B|, |X − B|), joint by joint, or in space. So strip n of N is that line with this
//! much error, and N strips cover the triangle. Sums of two arcs are off the triangle by both
//! sagittas together, and one turn after the other is off those of the strips (`corners.rs`): both
//! are added.
//!
//! **Sums** of a joint move and a move of the tool, p(b) + a (E − B) for a + b ≤ 1, p being where
//! the tool is on the joint move: a strip is the straight move of the tool from p at the middle of
//! some b. It has an error of how far p gets from there, and lengths up to 1 − b. The turn of the
//! tool's own move comes behind that of the joint move, or in front of it: each is a hull of its own.
//!
//! **Joints of the program that do not move the tool** may be anywhere between where the joint moves
//! have them at the tip and where the corner is left, in all strips: controllers have zones of their
//! own for them.
//!
//! **Orientations** are no plane: where both ends of a turn of θ move by δ, its middle moves by up
//! to δ / cos ¼θ. For unit quaternions lie on a sphere, on which the turn is an arc of ½θ, and a
//! field of ways from one arc to the next is at the share t of it at most
//! (sin((1 − t)½θ) + sin(t½θ)) / sin ½θ times the greater of its ends, which is greatest at ½.

use nalgebra::Vector6;

use super::{MovedJoint, stopped_within};
use crate::geometry::pose::Pose;
use crate::model::{Interpolation, JointId, Mimic, Segment, Trajectory};
use crate::motion::tool_line::{
    Arm, CurvePiece, Effort, LostCurve, PoseCurve, PoseError, SIX, follow_curve, follow_curve_with,
    turn_between,
};
use crate::numeric::polynomial::value;

/// All strips of a hull together are given no more cells of orientations than this: about two
/// seconds of work. Each has its share, so that what one may use does not depend on another.
pub(super) const CELLS: usize = 40_000;
/// The cells of each strip where little work is wanted.
pub(super) const CELLS_AT_ONCE: usize = 40;
/// Where the ways from one side to the other turn by more than this, the shorter way round may not
/// be the same for all of them, radians.
pub(super) const MOST_BETWEEN: f64 = 175.0 * std::f64::consts::PI / 180.0;

/// One way to look at a corner.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hull {
    Joints(JointHull),
    Sum(SumHull),
    Tool(ToolHull),
}

/// The triangle in joint space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JointHull {
    /// E, B and X in the order of the program's joints.
    pub(super) corners: [Vec<f64>; 3],
    /// How far these are off.
    pub(super) off: Vec<f64>,
    pub(super) template: Template,
}

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
    pub(super) arm: Box<Arm>,
    pub(super) template: Template,
}

/// The triangle in space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolHull {
    /// The tool at E, B and X.
    pub(super) corners: Box<[Pose; 3]>,
    pub(super) tip: Vector6<f64>,
    pub(super) off: [f64; SIX],
    pub(super) error: PoseError,
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

/// Data that turns a strip into a segment of the cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Template {
    /// A segment in which all stands at the corner's tip.
    pub(super) standing: Segment,
    /// The joint of every column.
    pub(super) columns: Vec<JointId>,
    /// Joints that follow others, and how.
    pub(super) mimics: Vec<(JointId, Mimic)>,
    /// How far the tool may be off its even turn on the moves beside the corner, radians.
    pub(super) tube: f64,
    /// Joints of the program that do not move the tool, where a joint move moves them.
    pub(super) beside_tool: Vec<BesideTool>,
}

/// A joint of the program that does not move the tool, while the controller goes round a corner.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BesideTool {
    /// Its column.
    pub(super) column: usize,
    /// Two values between which it is all the while.
    pub(super) from: f64,
    pub(super) to: f64,
    /// How far these are off.
    pub(super) off: f64,
}

/// All λ within `half` of `middle`.
#[derive(Debug, Clone, Copy)]
struct Strip<'m> {
    middle: f64,
    half: f64,
    /// The cells of orientations that all strips of the hull together may use.
    cells: usize,
    moved: &'m [MovedJoint],
}

impl Strip<'_> {
    /// How much work it may take to follow the tool along it.
    fn effort(&self) -> Effort {
        Effort {
            most_cells: share_of_cells(self.half, self.cells),
            narrow: false,
        }
    }
}

impl Hull {
    /// The strip of all λ within `half` of `middle`, where all strips together are given so many
    /// cells of orientations.
    pub(super) fn strip(
        &self,
        [middle, half]: [f64; 2],
        cells: usize,
        moved: &[MovedJoint],
    ) -> Result<Trajectory, String> {
        let strip = Strip {
            middle,
            // Shares and sides are rounded.
            half: half * (1.0 + 1e-9) + 1e-12,
            cells,
            moved,
        };
        let segments = match self {
            Hull::Joints(hull) => vec![hull.segment(strip)],
            Hull::Sum(hull) => hull.segments(strip)?,
            Hull::Tool(hull) => hull.segments(strip)?,
        };
        Ok(Trajectory {
            segments,
            interpolation: Interpolation::Cubic,
            timed: false,
        })
    }
}

impl JointHull {
    fn segment(&self, strip: Strip) -> Segment {
        let [e, b, x] = &self.corners;
        let side = |end: &[f64], c: usize| b[c] + strip.middle * (end[c] - b[c]);
        let pieces = (0..b.len()).map(|c| {
            let (q0, q1) = (side(e, c), side(x, c));
            let wide = strip.half * (e[c] - b[c]).abs().max((x[c] - b[c]).abs());
            ([q0, q1 - q0, 0.0, 0.0, 0.0, 0.0], self.off[c] + wide)
        });
        let mut columns: Vec<([f64; 6], f64)> = pieces.collect();
        self.template.put_beside(&mut columns);
        self.template.segment(&columns, strip.moved, [0.0, 1.0])
    }
}

impl SumHull {
    fn segments(&self, strip: Strip) -> Result<Vec<Segment>, String> {
        let Strip {
            middle,
            half,
            moved,
            ..
        } = strip;
        let [first, last] = self.joints;
        let lost = |lost: LostCurve| stopped_within(&lost, self.template.tube, "");
        let q = first + (last - first) * middle;
        let from = self.arm.at(&q).tool;
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
        let error = (self.error).plus(half * self.speed.position, half * self.speed.turn);
        let along = PoseCurve::line(&from, &to)?;
        let pieces = follow_curve_with(&self.arm, &along, &q, &self.off, error, strip.effort());
        Ok((pieces.map_err(lost)?.iter())
            .map(|p| self.template.piece(&self.arm, p, moved))
            .collect())
    }
}

impl ToolHull {
    fn segments(&self, strip: Strip) -> Result<Vec<Segment>, String> {
        let Strip {
            middle,
            half,
            moved,
            ..
        } = strip;
        let [e, b, x] = &*self.corners;
        let side = |end: &Pose| PoseCurve::line(b, end).map(|c| c.at(middle));
        let turn = |end: &Pose| turn_between(&b.rotation, &end.rotation).1;
        let (from, to) = (side(e)?, side(x)?);
        let sides = [turn(e), turn(x)];
        let between = turn_between(&from.rotation, &to.rotation).1;
        if between + half * (sides[0] + sides[1]) > MOST_BETWEEN {
            return Err("the tool may turn by nearly 180° across it".to_owned());
        }
        let reach = |end: &Pose| (end.translation - b.translation).norm();
        let wide = half * reach(e).max(reach(x));
        let error = self.error.plus(wide, turned_within(half, sides));
        // From the tip, whose joint values are known, to the start of the strip, and along it.
        let lost = |lost: LostCurve| stopped_within(&lost, self.template.tube, "");
        let own = PoseCurve::line(b, &from)?;
        let way = follow_curve(&self.arm, &own, &self.tip, &self.off, PoseError::default());
        let way = way.map_err(lost)?;
        let q = way.last().map_or(self.tip, end_of);
        let off = way.last().map_or(self.off, |last| last.off);
        let along = PoseCurve::line(&from, &to)?;
        let pieces = follow_curve_with(&self.arm, &along, &q, &off, error, strip.effort());
        Ok((pieces.map_err(lost)?.iter())
            .map(|p| self.template.piece(&self.arm, p, moved))
            .collect())
    }
}

/// The cells, of so many, that a strip may use which is `half` as wide to either side of its middle:
/// it goes by what it covers of its hull.
pub(super) fn share_of_cells(half: f64, cells: usize) -> usize {
    (2.0 * half * cells as f64) as usize
}

/// How far the orientations of a strip are from those of its middle, where the tool turns by these
/// angles from the tip to either side.
pub(super) fn turned_within(half: f64, [to_e, to_x]: [f64; 2]) -> f64 {
    // Larger turns are refused by whoever makes a curve of them.
    let between = (to_e + to_x).min(std::f64::consts::PI);
    half * to_e.max(to_x) / (0.25 * between).cos()
}

pub(super) fn end_of(piece: &CurvePiece) -> Vector6<f64> {
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
            for &(joint, mimic) in &self.mimics {
                joints[joint] = joints[mimic.source].map(|c| mimic.multiplier * c);
                joints[joint][0] += mimic.offset;
            }
        });
        for (joint, _, off) in all {
            *segment.taken_over_of(joint) = off * grown * (1.0 + 1e-12);
        }
        for &(joint, mimic) in &self.mimics {
            let rounding = segment.value_rounding(mimic.source);
            *segment.taken_over_of(joint) =
                2.0 * mimic.multiplier.abs() * rounding + 8.0 * f64::EPSILON * mimic.offset.abs();
        }
        segment
    }

    /// Puts the joints that do not move the tool anywhere between the tip and where the joint move
    /// is left.
    fn put_beside(&self, columns: &mut [([f64; 6], f64)]) {
        for &BesideTool {
            column,
            from,
            to,
            off,
        } in &self.beside_tool
        {
            let rounding = 4.0 * f64::EPSILON * (1.0 + from.abs() + to.abs());
            let wide = 0.5 * (to - from).abs() + rounding;
            let middle = 0.5 * (from + to);
            columns[column] = ([middle, 0.0, 0.0, 0.0, 0.0, 0.0], off + wide);
        }
    }

    fn piece(&self, arm: &Arm, piece: &CurvePiece, moved: &[MovedJoint]) -> Segment {
        let standing = &self.standing;
        let still = |&joint: &usize| (standing.joints.of(joint), standing.taken_over()[joint]);
        let mut columns: Vec<([f64; 6], f64)> = self.columns.iter().map(still).collect();
        self.put_beside(&mut columns);
        for (k, &column) in arm.columns.iter().enumerate() {
            columns[column] = (piece.joints[k], piece.off[k]);
        }
        let mut segment = self.segment(&columns, moved, [piece.from, piece.to]);
        segment
            .errors
            .get_or_insert_default()
            .tool_tubes
            .extend(arm.tool_tube(piece));
        segment
    }
}
