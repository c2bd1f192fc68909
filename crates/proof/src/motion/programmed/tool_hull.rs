//! The triangle of a corner in space.
//!
//! **Orientations** are no plane: where both ends of a turn of θ move by δ, its middle moves by up
//! to δ / cos ¼θ. For unit quaternions lie on a sphere, on which the turn is an arc of ½θ, and a
//! field of ways from one arc to the next is at the share t of it at most
//! (sin((1 − t)½θ) + sin(t½θ)) / sin ½θ times the greater of its ends, which is greatest at ½.

use nalgebra::Vector6;

use super::layers::{Layers, Lead};
use super::stopped_within;
use super::strips::{MOST_BETWEEN, Strip, Template, end_of};
use crate::geometry::pose::Pose;
use crate::model::Segment;
use crate::motion::tool_line::{
    Arm, CurvePiece, LostCurve, PoseCurve, PoseError, SIX, follow_curve, follow_curve_with,
    turn_between,
};

/// The triangle in space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolHull {
    /// The tool at E, B and X.
    pub(super) corners: Box<[Pose; 3]>,
    pub(super) tip: Vector6<f64>,
    pub(super) off: [f64; SIX],
    pub(super) error: PoseError,
    /// The orientation ahead of the tool's point; none: it is not, or that is in `error`.
    pub(super) lead: Option<Lead>,
    pub(super) arm: Box<Arm>,
    pub(super) template: Template,
}

impl ToolHull {
    /// The motion of each layer. Layers are shares of the turn by which the orientation is ahead of
    /// the tool's point or behind it.
    pub(super) fn layers(&self, strip: Strip) -> Result<Vec<Vec<Segment>>, String> {
        let Some(lead) = &self.lead else {
            return Ok(vec![self.segments(strip, self.on_sides(strip)?)?]);
        };
        // No orientation is farther back than the tip.
        let shares = [-lead.share.min(strip.middle + strip.half), lead.share];
        let shares = Layers::new(shares, strip.half);
        let layers = shares.middles();
        layers
            .map(|ahead| self.segments(strip, self.ahead(strip, lead, &shares, ahead)?))
            .collect()
    }

    /// From the one side of the triangle to the other, turning as the sides do.
    fn on_sides(&self, strip: Strip) -> Result<AcrossHull, String> {
        let Strip { middle, half, .. } = strip;
        let [e, b, x] = &*self.corners;
        let side = |end: &Pose| PoseCurve::line(b, end).map(|c| c.at(middle));
        let turn = |end: &Pose| turn_between(&b.rotation, &end.rotation).1;
        let (from, to) = (side(e)?, side(x)?);
        let sides = [turn(e), turn(x)];
        let between = turn_between(&from.rotation, &to.rotation).1;
        if between + half * (sides[0] + sides[1]) > MOST_BETWEEN {
            return Err("the tool may turn by nearly 180° across it".to_owned());
        }
        Ok(AcrossHull {
            from,
            to,
            turn: turned_within(half, sides),
            layers: 1,
        })
    }

    /// The same where the orientation is at shares of the one turn that are by `ahead` more, or by
    /// any number in the same layer.
    fn ahead(
        &self,
        strip: Strip,
        lead: &Lead,
        shares: &Layers,
        ahead: f64,
    ) -> Result<AcrossHull, String> {
        let Strip { middle, half, .. } = strip;
        let [e, b, x] = &*self.corners;
        let turning = if lead.on_second { x } else { e };
        let turn = PoseCurve::line(b, turning)?;
        let shares_of = if lead.on_second {
            [ahead, middle + ahead]
        } else {
            [middle + ahead, ahead]
        };
        let side = |end: &Pose, share: f64| Pose {
            translation: b.translation + (end.translation - b.translation) * middle,
            rotation: turn.at(share).rotation,
        };
        Ok(AcrossHull {
            from: side(e, shares_of[0]),
            to: side(x, shares_of[1]),
            turn: (half + shares.half) * turn.turn,
            layers: shares.count,
        })
    }

    fn segments(&self, strip: Strip, across: AcrossHull) -> Result<Vec<Segment>, String> {
        let [e, b, x] = &*self.corners;
        let reach = |end: &Pose| (end.translation - b.translation).norm();
        let wide = strip.half * reach(e).max(reach(x));
        let error = self.error.plus(wide, across.turn);
        // From the tip, whose joint values are known, to the start of the strip, from there to that
        // of the layer, and along it.
        let lost = |lost: LostCurve| stopped_within(&lost, self.template.tube, "");
        let mut at = (self.tip, self.off);
        let side = PoseCurve::line(b, e)?.at(strip.middle);
        let mut ways = vec![PoseCurve::line(b, &side)?];
        if self.lead.is_some() {
            ways.push(PoseCurve::line(&side, &across.from)?);
        }
        for way in ways {
            let (q, off) = &at;
            let way = follow_curve(&self.arm, &way, q, off, PoseError::default());
            if let Some(last) = way.map_err(lost)?.last() {
                at = (end_of(last), last.off);
            }
        }
        let along = PoseCurve::line(&across.from, &across.to)?;
        let effort = strip.effort(across.layers);
        let pieces = follow_curve_with(&self.arm, &along, &at.0, &at.1, error, effort);
        let segment = |p: &CurvePiece| self.template.piece(&self.arm, p, strip.moved);
        Ok(pieces.map_err(lost)?.iter().map(segment).collect())
    }
}

/// A line across a corner's triangle, and what its orientations may be off for a strip around it.
struct AcrossHull {
    from: Pose,
    to: Pose,
    turn: f64,
    /// How many layers share the strip's cells.
    layers: usize,
}

/// How far the orientations of a strip are from those of its middle, where the tool turns by these
/// angles from the tip to either side.
pub(super) fn turned_within(half: f64, [to_e, to_x]: [f64; 2]) -> f64 {
    // Larger turns are refused by whoever makes a curve of them.
    let between = (to_e + to_x).min(std::f64::consts::PI);
    half * to_e.max(to_x) / (0.25 * between).cos()
}
