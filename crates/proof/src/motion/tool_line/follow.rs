//! From one end of a curve to the other, piece by piece.

use nalgebra::Vector6;

use super::arm::Arm;
use super::certify::PieceTest;
use super::cubics::cubics;
use super::curve::PoseCurve;
use super::middle::{PieceMiddle, PieceToProve, PoseError};
use super::piece::{CurvePiece, SIX};
use super::point::{NewtonPoint, reach};
use super::spread::{Spread, Tube};
use super::wide::{ErrorBoxes, FINENESS, WideErrors};
use crate::numeric::polynomial::{range, value};

/// Shorter pieces (shares of the curve) are not tried: there a singularity is near.
const SHORTEST: f64 = 1.0 / 16_384.0;
/// Equal steps at which the error is computed: few while the length of the piece is looked for,
/// more for a narrow tube.
const STEPS: [usize; 4] = [4, 8, 16, 32];
/// The tube is made narrower, with more steps, until it moves the tool by less than this, metres,
const NARROW_M: f64 = 5e-6;
/// or until twice as many steps leave more than this share of it: then the cubics are so far off.
const AS_WIDE: f64 = 0.7;
/// Errors of the pose up to this are proved with the piece itself, metres and radians, and tools
/// need not be told of them; what larger ones do is a question of its own.
const NO_TUBE: f64 = 1e-4;
/// Pieces of this share of the curve are not made shorter where errors are wide: finer boxes are
/// tried instead.
const SHORTEST_WIDE: f64 = 1.0 / 64.0;
/// No more cells than this are tried for one curve: some seconds of work.
const MOST_CELLS: usize = 100_000;
/// A tube is loose if it is wider than this times what some error of the pose is seen to need,
const LOOSE: f64 = 1.2;
/// and if it moves the tool by more than this, metres.
const LOOSE_M: f64 = 0.01;
/// A loose tube is not cut into more boxes than this.
const MOST_TO_NARROW: usize = 1500;
/// A piece is not cut into more boxes than this at once.
const MOST_OF_PIECE: usize = 3000;
/// Where the tube moves the tool by more than this, metres, the cubics are too far from the
/// solution: shorter ones are taken.
const FAR_M: f64 = 1e-4;
/// Pieces shorter than this (shares of the curve) are not made shorter for that.
const SHORT: f64 = 1.0 / 256.0;
/// A joint may be beyond its limit by so much: programs carry rounded values. Radians or metres.
const BEYOND_LIMIT: f64 = 1e-6;

/// Why a curve could not be followed.
#[derive(Debug, Clone, PartialEq)]
pub struct LostCurve {
    /// Share of the curve up to which it was followed.
    pub at: f64,
    /// Why not farther.
    pub why: LostReason,
}

/// Why a curve of the tool could not be followed further.
#[derive(Debug, Clone, PartialEq)]
pub enum LostReason {
    /// No joint values near those before reach the next pose.
    OutOfReach,
    /// The joint values are not certain: a singularity is near. `conditioned`: least singular value
    /// of the Jacobian.
    Singular {
        /// Least singular value of the Jacobian, metres per radian.
        conditioned: f64,
    },
    /// The curve itself could be followed, but not with all errors of the pose that it may have.
    TooWide,
    /// A joint passes its limit.
    Limit {
        /// Name.
        joint: String,
        /// Value there, radians or metres.
        value: f64,
        /// The limit.
        limit: f64,
        /// Whether it slides.
        prismatic: bool,
    },
}

impl std::fmt::Display for LostReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LostReason::OutOfReach => write!(
                f,
                "the next pose is out of reach without a change of the arm's configuration"
            ),
            LostReason::Singular { conditioned } => write!(
                f,
                "near a singularity (a joint turns by more than {:.0}° for 1° or 1 cm of the tool), where joint values are not \
                 certain",
                // 1 cm per radian of joint, against degrees.
                (0.01 / conditioned.max(1e-9)).to_degrees().min(9999.0)
            ),
            LostReason::TooWide => write!(
                f,
                "the tool's pose on the way is known too loosely here to prove where the joints are"
            ),
            LostReason::Limit {
                joint,
                value,
                limit,
                prismatic,
            } => {
                let kind = if *prismatic {
                    crate::model::JointKind::Prismatic
                } else {
                    crate::model::JointKind::Revolute
                };
                let (value, limit) = (kind.show(*value), kind.show(*limit));
                write!(
                    f,
                    "`{joint}` would have to go to {value}, beyond its limit of {limit}"
                )
            }
        }
    }
}

/// How much work may be spent on a curve.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// No more cells than this are tried.
    pub most_cells: usize,
    /// Whether tubes that are proved are made narrower by finer cells.
    pub narrow: bool,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            most_cells: MOST_CELLS,
            narrow: false,
        }
    }
}

/// Follows a curve from joint values that reach its start up to `start_off`.
///
/// # Errors
/// Where and why it was lost.
pub fn follow_curve(
    arm: &Arm,
    curve: &PoseCurve,
    start: &Vector6<f64>,
    start_off: &[f64; SIX],
    error: PoseError,
) -> Result<Vec<CurvePiece>, LostCurve> {
    follow_curve_with(arm, curve, start, start_off, error, Effort::default())
}

/// The same with another effort.
pub fn follow_curve_with(
    arm: &Arm,
    curve: &PoseCurve,
    start: &Vector6<f64>,
    start_off: &[f64; SIX],
    error: PoseError,
    effort: Effort,
) -> Result<Vec<CurvePiece>, LostCurve> {
    let mut pieces: Vec<CurvePiece> = Vec::new();
    let mut now = NewtonPoint::at(arm, start);
    let mut before = (*start, *start_off);
    let mut cells = CellsTried {
        fineness: 0,
        tried: 0,
        effort,
    };
    // The true start is one of the poses that are proved with the piece itself.
    let at = arm.at(start);
    let at_start: f64 = (0..SIX)
        .map(|k| start_off[k] * (1.0 + arm.lever(&at, k)))
        .sum();
    let small = NO_TUBE.max(2.0 * at_start);
    let exact = PoseError {
        position: error.position.min(small),
        turn: error.turn.min(small),
    };
    let errors = PieceErrors {
        exact,
        wider: error,
    };
    let (mut s0, mut h) = (0.0_f64, 1.0_f64);
    while s0 < 1.0 {
        // All shares are multiples of a power of two, so that they are exact.
        h = h.min(1.0 - s0);
        let s1 = s0 + h;
        let tried = prove_piece(arm, curve, [s0, s1], &now, &before, errors);
        let Proved {
            mut piece,
            end: next,
            test,
        } = match tried {
            Ok(found) => found,
            Err(_) if h > SHORTEST => {
                h *= 0.5;
                continue;
            }
            Err(()) => {
                return Err(LostCurve {
                    at: s0,
                    why: reason_lost(arm, curve, [s0, s1], &now, &before, exact),
                });
            }
        };
        if let Some(limit) = beyond_limit(arm, &piece) {
            // A shorter piece says better where.
            if h > 1.0 / 64.0 {
                h *= 0.5;
                continue;
            }
            return Err(LostCurve { at: s0, why: limit });
        }
        let end = (end_of(&piece), piece.off);
        if exact != error {
            match widen_tube(arm, curve, &piece, test.middle(), error, &mut cells) {
                Some(off) => piece.off = off,
                None if h > SHORTEST_WIDE && cells.tried < cells.effort.most_cells => {
                    h *= 0.5;
                    continue;
                }
                None => {
                    return Err(LostCurve {
                        at: s0,
                        why: LostReason::TooWide,
                    });
                }
            }
        }
        pieces.push(piece);
        before = end;
        (now, s0) = (next, s1);
        // Twice as long next time, where the grid of shares allows it.
        if (s0 / (2.0 * h)).fract() == 0.0 {
            h *= 2.0;
        }
    }
    Ok(pieces)
}

fn end_of(piece: &CurvePiece) -> Vector6<f64> {
    Vector6::from_fn(|k, _| value(&piece.joints[k], 1.0))
}

/// The cells of a curve so far.
struct CellsTried {
    /// Which of [`FINENESS`] to begin with.
    fineness: usize,
    tried: usize,
    effort: Effort,
}

/// How far the joint values of a piece can be from its cubics where the pose may be off by more than
/// its own proof allows.
fn widen_tube(
    arm: &Arm,
    curve: &PoseCurve,
    piece: &CurvePiece,
    middle: &PieceMiddle,
    error: PoseError,
    cells: &mut CellsTried,
) -> Option<[f64; SIX]> {
    // One spread for all errors.
    let mut tube = Spread::new(middle, &piece.off, &error.into()).map(|spread| spread.tube());
    let narrow = cells.effort.narrow;
    let is_enough = |tube: &Tube| !narrow || !is_loose(arm, piece, tube);
    if tube.as_ref().is_some_and(is_enough) {
        return tube.map(|tube| tube.off);
    }
    let span = [piece.from, piece.to];
    let wide = WideErrors {
        arm,
        curve,
        span,
        joints: &piece.joints,
        off: &piece.off,
        middle,
        error,
    };
    // Shorter pieces are tried before much finer cells.
    let finest = if piece.to - piece.from > SHORTEST_WIDE {
        (cells.fineness + 1).min(FINENESS.len() - 1)
    } else {
        FINENESS.len() - 1
    };
    for (k, &fineness) in FINENESS.iter().enumerate().skip(cells.fineness) {
        let enough = match &tube {
            Some(tube) => is_enough(tube),
            None => k > finest,
        };
        // What is left of a curve needs cells, too: narrowing leaves it half of them.
        let allowed = match &tube {
            Some(_) => cells.effort.most_cells / 2,
            None => cells.effort.most_cells,
        };
        if enough || cells.tried >= allowed {
            break;
        }
        let Some(boxes) = ErrorBoxes::new(middle, error.turn, fineness) else {
            continue;
        };
        let most = if tube.is_some() {
            MOST_TO_NARROW
        } else {
            MOST_OF_PIECE
        };
        if boxes.most() > most {
            break;
        }
        let Some(found) = wide.tube(&boxes, &mut cells.tried) else {
            continue;
        };
        tube = Some(match tube {
            // Both hold, of the same values.
            Some(known) => known.within(&found),
            None => {
                cells.fineness = k;
                found
            }
        });
    }
    tube.map(|tube| tube.off)
}

/// Whether a tube is much wider than the errors that make it.
fn is_loose(arm: &Arm, piece: &CurvePiece, tube: &Tube) -> bool {
    let start = Vector6::from_fn(|k, _| piece.joints[k][0]);
    let at = arm.at(&start);
    let moved = |by: &[f64; SIX]| -> f64 { (0..SIX).map(|k| by[k] * arm.lever(&at, k)).sum() };
    let off = moved(&tube.off);
    off > LOOSE_M && off > LOOSE * moved(&tube.reached)
}

/// A piece of a curve that is proved.
struct Proved {
    piece: CurvePiece,
    /// The joint values at its end.
    end: NewtonPoint,
    test: PieceTest,
}

/// What poses of a piece are off by: where its cubics are proved, and with all that they may be.
#[derive(Debug, Clone, Copy)]
struct PieceErrors {
    exact: PoseError,
    wider: PoseError,
}

/// One piece for poses that are off by the exact error. Its tube need not be narrower than what the
/// wider one will make of it.
fn prove_piece(
    arm: &Arm,
    curve: &PoseCurve,
    [s0, s1]: [f64; 2],
    start: &NewtonPoint,
    before: &(Vector6<f64>, [f64; SIX]),
    errors: PieceErrors,
) -> Result<Proved, ()> {
    let PieceErrors { exact, wider } = errors;
    let (joints, end) = cubics(arm, curve, [s0, s1], start)?;
    let asked = PieceToProve {
        arm,
        curve,
        span: [s0, s1],
        joints: &joints,
        error: exact,
    };
    let mut test = PieceTest::new(&asked, STEPS[0]).ok_or(())?;
    let demanded = 2.0 * (wider.position + wider.turn);
    let mut best: Option<([f64; SIX], f64)> = None;
    for steps in STEPS {
        if steps > STEPS[0] && !test.refine(&asked, steps) {
            break;
        }
        let Some(off) = test.narrowest_box() else {
            // Hardly ever do more steps help then.
            if best.is_none() && steps < STEPS[1] {
                continue;
            }
            break;
        };
        // The solution at the start is the one at which the piece before ended: it lies in a box in
        // which there is only one.
        let joined: [f64; SIX] = std::array::from_fn(|k| {
            let gap = (joints[k][0] - before.0[k]).abs();
            let rounding = 64.0 * f64::EPSILON * (1.0 + joints[k][0].abs());
            off[k].max((before.1[k] + gap + rounding) * (1.0 + 1e-9))
        });
        if !test.maps_into_itself(&joined) {
            continue;
        }
        let at = arm.at(&start.q);
        let moved: f64 = (0..SIX).map(|k| off[k] * arm.lever(&at, k)).sum();
        let as_wide = best.is_some_and(|(_, last)| moved > AS_WIDE * last);
        best = Some((off, moved));
        // If the demanded tolerance makes the tube wide, more steps do not make it narrow.
        if moved < NARROW_M + demanded || as_wide {
            break;
        }
    }
    let (off, moved) = best.ok_or(())?;
    if moved > FAR_M + demanded && s1 - s0 > SHORT {
        return Err(());
    }
    let tool = (wider != exact).then(|| {
        let (shift, turn) = test.tool_deviation(&off);
        [wider.position + shift, wider.turn + turn]
    });
    let piece = CurvePiece {
        from: s0,
        to: s1,
        joints,
        off,
        tool,
    };
    Ok(Proved { piece, end, test })
}

/// The first joint that passes its limit on a piece.
fn beyond_limit(arm: &Arm, piece: &CurvePiece) -> Option<LostReason> {
    (0..SIX).find_map(|k| {
        let (least, greatest) = arm.limits[k]?;
        let (low, high) = range(&piece.joints[k], 0.0, 1.0);
        let slack = BEYOND_LIMIT + piece.off[k];
        let (value, limit) = if low < least - slack {
            (low, least)
        } else if high > greatest + slack {
            (high, greatest)
        } else {
            return None;
        };
        Some(LostReason::Limit {
            joint: arm.names[k].clone(),
            value,
            limit,
            prismatic: arm.prismatic[k],
        })
    })
}

/// Why the shortest piece could not be proved.
fn reason_lost(
    arm: &Arm,
    curve: &PoseCurve,
    s: [f64; 2],
    start: &NewtonPoint,
    before: &(Vector6<f64>, [f64; SIX]),
    error: PoseError,
) -> LostReason {
    let none = PoseError::default();
    let no_errors = PieceErrors {
        exact: none,
        wider: none,
    };
    if error != none && prove_piece(arm, curve, s, start, before, no_errors).is_ok() {
        return LostReason::TooWide;
    }
    let jacobian = arm.jacobian(&arm.at(&start.q));
    // The decomposition of a matrix that is none would not end.
    let finite = jacobian.iter().all(|x| x.is_finite());
    let conditioned = if finite {
        jacobian.svd(false, false).singular_values.min()
    } else {
        0.0
    };
    if conditioned > 0.02 && reach(arm, &curve.at(s[1]), &start.q, 30).is_none() {
        return LostReason::OutOfReach;
    }
    LostReason::Singular { conditioned }
}
