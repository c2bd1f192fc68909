//! Segments of the whole cell, of what a move does to the joints of its program.

use super::{MoveEnd, ProgramInCell};
use crate::model::{Polynomial, Segment, SegmentErrors};
use crate::motion::tool_line::{Arm, CurvePiece};

impl ProgramInCell<'_> {
    /// A line in joint space.
    pub(super) fn joint_segment(
        &self,
        [q0, q1]: [&[f64]; 2],
        [off0, off1]: [&[f64]; 2],
    ) -> Segment {
        let polynomials = (0..q0.len()).map(|c| [q0[c], q1[c] - q0[c], 0.0, 0.0, 0.0, 0.0]);
        let off = (0..q0.len()).map(|c| off0[c].max(off1[c]));
        self.segment(&polynomials.collect::<Vec<_>>(), &off.collect::<Vec<_>>())
    }

    /// A piece of a move of the tool; joints that the tool does not hang on stand as at its end, and
    /// are off by as much.
    pub(super) fn tool_segment(&self, arm: &Arm, piece: &CurvePiece, end: &MoveEnd) -> Segment {
        let standing = end.q.iter().map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let mut polynomials: Vec<Polynomial> = standing.collect();
        let mut off = end.off.clone();
        for (k, &column) in arm.columns.iter().enumerate() {
            polynomials[column] = piece.joints[k];
            off[column] = piece.off[k];
        }
        let mut segment = self.segment(&polynomials, &off);
        segment
            .errors
            .get_or_insert_default()
            .tool_tubes
            .extend(arm.tool_tube(piece));
        segment
    }

    /// A segment of the whole cell.
    fn segment(&self, polynomials: &[Polynomial], off: &[f64]) -> Segment {
        let rest = self.cell.rest.iter();
        let mut joints: Vec<Polynomial> = rest.map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0]).collect();
        let mut taken_over = vec![0.0; joints.len()];
        let grown: f64 = off.iter().map(|d| 1.0 + d).product();
        for (c, &joint) in self.columns.iter().enumerate() {
            joints[joint] = polynomials[c];
            taken_over[joint] = off[c] * grown * (1.0 + 1e-12);
        }
        for (id, joint) in self.cell.joints.iter().enumerate() {
            if let Some(mimic) = joint.mimic {
                let mut c = joints[mimic.source].map(|x| mimic.multiplier * x);
                c[0] += mimic.offset;
                joints[id] = c;
            }
        }
        let mut segment = Segment {
            start: 0.0,
            end: 1.0,
            joints: joints.into(),
            errors: SegmentErrors::new(taken_over, Vec::new()),
        };
        segment.take_over_mimics(self.cell);
        segment
    }
}
