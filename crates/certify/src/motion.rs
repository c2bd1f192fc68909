//! The motion as integers.

use clearance_proof::model::Trajectory;
use clearance_recheck::files::{JointMotion, MotionSegment};

use crate::CertifyError;
use crate::integers::{coefficient, length_up};

/// Joints may be off by at most this much by rounding, rad or m. By how much a joint is off that is
/// off by more stands in the certificate.
const ROUNDING: f64 = 1e-10;

/// Ends of segments that are no farther apart are the same, 2⁻⁵⁰ rad or m.
const ROUNDED: u64 = 1 << 10;

/// The segments of a motion of such joints, and the time at which it starts.
pub(crate) fn segments(
    trajectory: &Trajectory,
    kinds: &[JointMotion],
) -> Result<(i64, Vec<MotionSegment>), CertifyError> {
    let time = |t: f64| (t * 2f64.powi(40)).round() as i64;
    let start = trajectory.segments.first().map_or(0, |s| time(s.start));
    let segments = trajectory.segments.iter().map(|s| {
        let mut joints = Vec::with_capacity(kinds.len());
        let mut value_errors = vec![0; kinds.len()];
        let mut polynomials = s.joints().zip(0..);
        for (kind, value_error) in kinds.iter().zip(&mut value_errors) {
            let mut c = [0; 6];
            if *kind != JointMotion::Stands
                && let Some((polynomial, joint)) = polynomials.next()
            {
                for (c, x) in c.iter_mut().zip(polynomial) {
                    *c = coefficient(x)?;
                }
                let by: f64 = s.taken_over().get(joint).copied().unwrap_or(0.0);
                if by > ROUNDING {
                    *value_error = length_up(by)?;
                }
            }
            joints.push(c);
        }
        if polynomials.next().is_some() || joints.len() < s.joints().len() {
            let why = "the motion is one of other joints".to_owned();
            return Err(CertifyError::NotCovered(why));
        }
        let duration = time(s.end) - time(s.start);
        Ok(MotionSegment {
            duration,
            joints,
            value_errors,
        })
    });
    let mut segments: Vec<MotionSegment> = segments.collect::<Result<_, _>>()?;
    join(&mut segments)?;
    Ok((start, segments))
}

/// Lets every segment begin exactly where the one before ends: the coefficients were rounded each
/// by itself.
fn join(segments: &mut [MotionSegment]) -> Result<(), CertifyError> {
    let mut ends: Vec<i64> =
        (segments.first()).map_or(Vec::new(), |s| s.joints.iter().map(|c| c[0]).collect());
    for k in 0..segments.len() {
        let next: Option<Vec<i64>> = segments
            .get(k + 1)
            .map(|s| s.joints.iter().map(|c| c[0]).collect());
        for (j, c) in segments[k].joints.iter_mut().enumerate() {
            c[0] = ends[j];
            ends[j] = c.iter().sum();
            let Some(next) = next.as_ref().map(|next| next[j]) else {
                continue;
            };
            let between = next - ends[j];
            if between.unsigned_abs() > ROUNDED {
                let why = "a segment does not begin where the one before ends".to_owned();
                return Err(CertifyError::NotCovered(why));
            }
            // A joint that stands still goes on doing so.
            if c[1..].iter().any(|&x| x != 0) {
                c[1] += between;
                ends[j] = next;
            }
        }
    }
    Ok(())
}

/// Seven bits a byte, the lowest first; its lowest bit is the sign.
fn number(out: &mut Vec<u8>, x: i64) {
    let mut left = (x << 1 ^ x >> 63) as u64;
    while left >= 128 {
        out.push(left as u8 | 128);
        left >>= 7;
    }
    out.push(left as u8);
}

/// The segments as a certificate has them.
pub(crate) fn write(out: &mut Vec<u8>, kinds: &[JointMotion], segments: &[MotionSegment]) {
    let mut end = vec![0; kinds.len()];
    for segment in segments {
        number(out, segment.duration);
        let joints = segment.joints.iter().zip(&segment.value_errors).zip(kinds);
        let moving = (end.iter_mut().zip(joints)).filter(|(_, (_, k))| **k != JointMotion::Stands);
        for (end, ((c, value_error), _)) in moving {
            let mut said = *c;
            said[0] -= *end;
            let count = said.iter().rposition(|&x| x != 0).map_or(0, |k| k + 1);
            let more = if *value_error > 0 { 8 } else { 0 };
            out.push(count as u8 | more);
            said[..count].iter().for_each(|&x| number(out, x));
            if *value_error > 0 {
                number(out, *value_error);
            }
            *end = c.iter().sum();
        }
    }
}
