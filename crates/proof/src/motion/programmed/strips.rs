//! Corners in strips, each a motion of its own.
//!
//! **Strips.** A point of the triangle of E, B and X is B + λ((1 − t)(E − B) + t(X − B)). For λ
//! within ½Δ of a middle, it is off the line of the middle one by at most
//! ½Δ max(|E − B|, |X − B|), joint by joint, or in space. So strip n of N is that line with this
//! much error, and N strips cover the triangle. One turn after the other is off those of the strips
//! (`corners.rs`): that is added. Beside arcs strips are bent, in layers (`arcs.rs`).
//!
//! **Sums** of a joint move and a move of the tool have strips of their own (`sum_hull.rs`), and where
//! the orientation of the tool may be ahead of its point, strips have layers (`layers.rs`).
//!
//! **Joints of the program that do not move the tool** may be anywhere between where the joint moves
//! have them at the tip and where the corner is left, in all strips: controllers have zones of their
//! own for them.

use nalgebra::Vector6;

use super::MovedJoint;
use crate::model::{JointId, Mimic, Segment};
use crate::motion::tool_line::{Arm, CurvePiece, Effort};
use crate::numeric::polynomial::value;

/// All strips of a hull together are given no more cells of orientations than this: about two
/// seconds of work. Each has its share, so that what one may use does not depend on another.
pub(super) const CELLS: usize = 40_000;
/// The cells of each strip where little work is wanted.
pub(super) const CELLS_AT_ONCE: usize = 40;
/// Where the ways from one side to the other turn by more than this, the shorter way round may not
/// be the same for all of them, radians.
pub(super) const MOST_BETWEEN: f64 = 175.0 * std::f64::consts::PI / 180.0;

/// The triangle in joint space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JointHull {
    /// E, B and X in the order of the program's joints.
    pub(super) corners: [Vec<f64>; 3],
    /// How far these are off.
    pub(super) off: Vec<f64>,
    pub(super) template: Template,
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
pub(super) struct Strip<'m> {
    pub(super) middle: f64,
    pub(super) half: f64,
    /// The cells of orientations that all strips of the hull together may use.
    pub(super) cells: usize,
    pub(super) moved: &'m [MovedJoint],
}

impl Strip<'_> {
    /// How much work it may take to follow the tool along one of so many layers of it.
    pub(super) fn effort(&self, layers: usize) -> Effort {
        let share = share_of_cells(self.half, self.cells);
        Effort {
            // Few do no harm, and without any no curve is followed in shorter pieces.
            most_cells: (share / layers).max(share.min(CELLS_AT_ONCE)),
            narrow: false,
        }
    }
}

impl JointHull {
    pub(super) fn segment(&self, strip: Strip) -> Segment {
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

/// The cells, of so many, that a strip may use which is `half` as wide to either side of its middle:
/// it goes by what it covers of its hull.
pub(super) fn share_of_cells(half: f64, cells: usize) -> usize {
    (2.0 * half * cells as f64) as usize
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

    pub(super) fn piece(&self, arm: &Arm, piece: &CurvePiece, moved: &[MovedJoint]) -> Segment {
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
