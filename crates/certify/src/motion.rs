//! The motion as integers.

use clearance_proof::model::Path;
use clearance_recheck::files::MotionSegment;

use crate::CertifyError;
use crate::place::coefficient;

/// Joints may be off by at most this much by rounding, rad or m. A joint that is off by more is not
/// known, rather than rounded.
const ROUNDING: f64 = 1e-10;

/// The segments of a motion, and the time at which it starts.
pub(crate) fn segments(path: &Path) -> Result<(i64, Vec<MotionSegment>), CertifyError> {
    let time = |t: f64| (t * 2f64.powi(40)).round() as i64;
    let start = path.segments.first().map_or(0, |s| time(s.start));
    let off = path.segments.iter().flat_map(|s| s.taken_over());
    let off = off.copied().fold(0.0, f64::max);
    if off > ROUNDING {
        return Err(CertifyError::NotCovered(format!(
            "the motion is known to {off:e} rad or m only, and a certificate is about one motion exactly"
        )));
    }
    let segments = path.segments.iter().map(|s| {
        let mut joints = Vec::with_capacity(s.joints.len());
        for polynomial in s.joints.iter() {
            let mut c = [0; 6];
            for (c, x) in c.iter_mut().zip(polynomial) {
                *c = coefficient(x)?;
            }
            joints.push(c);
        }
        let duration = time(s.end) - time(s.start);
        Ok(MotionSegment { duration, joints })
    });
    Ok((start, segments.collect::<Result<_, _>>()?))
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
pub(crate) fn write(out: &mut Vec<u8>, segments: &[MotionSegment]) {
    let joints = segments.first().map_or(0, |s| s.joints.len());
    let mut end = vec![0; joints];
    for segment in segments {
        number(out, segment.duration);
        for (end, c) in end.iter_mut().zip(&segment.joints) {
            let mut said = *c;
            said[0] -= *end;
            let count = said.iter().rposition(|&x| x != 0).map_or(0, |k| k + 1);
            out.push(count as u8);
            said[..count].iter().for_each(|&x| number(out, x));
            *end = c.iter().sum();
        }
    }
}
