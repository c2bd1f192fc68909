//! Joint values along a piece of a curve of the tool, as cubics through both of its ends.

use nalgebra::Vector6;

use super::arm::Arm;
use super::curve::PoseCurve;
use super::piece::SIX;
use super::point::{NewtonPoint, reached};
use crate::model::Polynomial;

/// The cubics over a piece that begins at these joint values, and the joint values at its end.
pub(super) fn cubics(
    arm: &Arm,
    curve: &PoseCurve,
    [s0, s1]: [f64; 2],
    start: &NewtonPoint,
) -> Result<([Polynomial; SIX], NewtonPoint), ()> {
    let slope = |at: &NewtonPoint, s: f64| {
        let (linear, turning) = curve.twist(s);
        let twist = Vector6::new(
            linear.x, linear.y, linear.z, turning.x, turning.y, turning.z,
        );
        at.slope(&twist).map(|q| q * (s1 - s0)).ok_or(())
    };
    let m0 = slope(start, s0)?;
    let q0 = start.q;
    // A step as far as the slope says, from there Newton.
    let guess = q0 + m0;
    // A slope that is not a number is not a slope either.
    if m0.iter().any(|x| x.is_nan() || x.abs() > 1.5) {
        return Err(());
    }
    let end = reached(arm, &curve.at(s1), &guess, 12).ok_or(())?;
    let m1 = slope(&end, s1)?;
    let q1 = end.q;
    let joints: [Polynomial; SIX] = std::array::from_fn(|k| {
        let d = q1[k] - q0[k];
        [
            q0[k],
            m0[k],
            3.0 * d - 2.0 * m0[k] - m1[k],
            m0[k] + m1[k] - 2.0 * d,
            0.0,
            0.0,
        ]
    });
    Ok((joints, end))
}
