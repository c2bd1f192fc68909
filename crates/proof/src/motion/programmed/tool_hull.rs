//! The triangle of a corner in space.
//!
//! **Orientations** are no plane: where both ends of a turn of θ move by δ, its middle moves by up
//! to δ / cos ¼θ. For unit quaternions lie on a sphere, on which the turn is an arc of ½θ, and a
//! field of ways from one arc to the next is at the share t of it at most
//! (sin((1 − t)½θ) + sin(t½θ)) / sin ½θ times the greater of its ends, which is greatest at ½.

use nalgebra::Vector6;

use super::arcs::{BentLayer, CornerArcs};
use super::layers::{Layers, Lead};
use super::stopped_within;
use super::strips::{MOST_BETWEEN, Strip, Template, end_of};
use crate::geometry::pose::Pose;
use crate::model::Segment;
use crate::motion::tool_line::{
    Arm, LostCurve, PoseCurve, PoseError, SIX, follow_curve, follow_curve_with, turn_between,
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
    /// How the moves leave the sides of the triangle; none: they do not.
    pub(super) arcs: Option<Box<CornerArcs>>,
    pub(super) arm: Box<Arm>,
    pub(super) template: Template,
}

impl ToolHull {
    /// The motion of each layer. Layers are shares of the turn by which the orientation is ahead of
    /// the tool's point or behind it (`layers.rs`), and how far the tool is bent as the arcs are
    /// (`arcs.rs`).
    pub(super) fn layers(&self, strip: Strip) -> Result<Vec<Vec<Segment>>, String> {
        let turns = self.turns(strip)?;
        let bent = self.arcs.as_ref();
        let bent = bent.map(|arcs| arcs.layers(strip, self.wide(strip)));
        let mut layers = Vec::new();
        for mut across in turns {
            match &bent {
                None => layers.push(self.segments(strip, across)?),
                Some(bent) => {
                    across.layers *= bent.len();
                    for &layer in bent {
                        let bent = Some(layer);
                        layers.push(self.segments(strip, AcrossHull { bent, ..across })?);
                    }
                }
            }
        }
        Ok(layers)
    }

    /// The line across the triangle, for each layer of a lead.
    pub(super) fn turns(&self, strip: Strip) -> Result<Vec<AcrossHull>, String> {
        let Some(lead) = &self.lead else {
            return Ok(vec![self.on_sides(strip)?]);
        };
        // No orientation is farther back than the tip.
        let shares = [-lead.share.min(strip.middle + strip.half), lead.share];
        let shares = Layers::new(shares, strip.half, self.turn_of(lead));
        let layers = shares.middles();
        layers
            .map(|ahead| self.ahead(strip, lead, &shares, ahead))
            .collect()
    }

    /// How far the points of a strip are from its middle, metres.
    fn wide(&self, strip: Strip) -> f64 {
        let [e, b, x] = &*self.corners;
        let reach = |end: &Pose| (end.translation - b.translation).norm();
        let arcs = self.arcs.as_ref().map_or(0.0, |arcs| arcs.length());
        strip.half * reach(e).max(reach(x)).max(arcs)
    }

    /// By how much the tool turns on the side of which a lead is, radians.
    fn turn_of(&self, lead: &Lead) -> f64 {
        let [e, b, x] = &*self.corners;
        let end = if lead.on_second { x } else { e };
        turn_between(&b.rotation, &end.rotation).1
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
            bent: None,
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
            bent: None,
        })
    }

    fn segments(&self, strip: Strip, across: AcrossHull) -> Result<Vec<Segment>, String> {
        let [e, b, _] = &*self.corners;
        let error = self.error.plus(self.wide(strip), across.turn);
        let parts = self.parts(strip, &across)?;
        // From the tip, whose joint values are known, to the start of the strip, from there to that
        // of the layer, and along it.
        let side = PoseCurve::line(b, e)?.at(strip.middle);
        let mut at = (self.tip, self.off);
        at = self.end_of(&PoseCurve::line(b, &side)?, at)?;
        if self.lead.is_some() || across.bent.is_some() {
            let start = parts[0].curve.at(0.0);
            at = self.end_of(&PoseCurve::line(&side, &start)?, at)?;
        }
        let mut segments = Vec::new();
        for (n, part) in parts.iter().enumerate() {
            let error = error.plus(part.beside, 0.0);
            let effort = strip.effort(across.layers * parts.len());
            let pieces = follow_curve_with(&self.arm, &part.curve, &at.0, &at.1, error, effort);
            for mut piece in pieces.map_err(|lost| self.lost(&lost))? {
                let [s0, s1] = part.span;
                (piece.from, piece.to) = (s0 + (s1 - s0) * piece.from, s0 + (s1 - s0) * piece.to);
                segments.push(self.template.piece(&self.arm, &piece, strip.moved));
            }
            if n + 1 < parts.len() {
                // What is said of the joints there has all errors in it.
                at = self.end_of(&part.curve, at)?;
            }
        }
        Ok(segments)
    }

    /// The curves that a layer is followed along.
    fn parts(&self, strip: Strip, across: &AcrossHull) -> Result<Vec<AcrossPart>, String> {
        let whole = PoseCurve::line(&across.from, &across.to)?;
        let (Some(arcs), Some(layer)) = (&self.arcs, across.bent) else {
            return Ok(vec![AcrossPart {
                curve: whole,
                span: [0.0, 1.0],
                beside: 0.0,
            }]);
        };
        let parts = arcs.parts(layer, strip).map(|part| {
            let [start, end] = part.span.map(|s| whole.at(s));
            Ok(AcrossPart {
                curve: PoseCurve::bent_line(&start, &end, part.bends)?,
                span: part.span,
                beside: part.beside,
            })
        });
        parts.collect()
    }

    /// Where joint values are at the end of a curve, and how far they may be off.
    fn end_of(
        &self,
        curve: &PoseCurve,
        (q, off): (Vector6<f64>, [f64; SIX]),
    ) -> Result<(Vector6<f64>, [f64; SIX]), String> {
        let way = follow_curve(&self.arm, curve, &q, &off, PoseError::default());
        let way = way.map_err(|lost| self.lost(&lost))?;
        Ok(way.last().map_or((q, off), |last| (end_of(last), last.off)))
    }

    fn lost(&self, lost: &LostCurve) -> String {
        stopped_within(lost, self.template.tube, "")
    }
}

/// A line across a corner's triangle, and what its orientations may be off for a strip around it.
#[derive(Clone, Copy)]
pub(super) struct AcrossHull {
    pub(super) from: Pose,
    pub(super) to: Pose,
    /// What orientations may be off it, radians.
    pub(super) turn: f64,
    /// How many layers share the strip's cells.
    layers: usize,
    /// How it is bent; none: it is not.
    bent: Option<BentLayer>,
}

/// A part of it.
struct AcrossPart {
    curve: PoseCurve,
    /// Shares of it between which the part goes.
    span: [f64; 2],
    /// How far the tool may be beside it because of the arcs, metres.
    beside: f64,
}

/// How far the orientations of a strip are from those of its middle, where the tool turns by these
/// angles from the tip to either side.
pub(super) fn turned_within(half: f64, [to_e, to_x]: [f64; 2]) -> f64 {
    // Larger turns are refused by whoever makes a curve of them.
    let between = (to_e + to_x).min(std::f64::consts::PI);
    half * to_e.max(to_x) / (0.25 * between).cos()
}
