//! Numbers of the model as integers of a file.

use nalgebra::Vector3;

use crate::CertifyError;

/// Beyond this the checker does not count: 4 km, or 4096 rad.
const FARTHEST: f64 = 4096.0;

fn whole(x: f64, what: &str) -> Result<(), CertifyError> {
    if x.abs() <= FARTHEST {
        Ok(())
    } else {
        Err(CertifyError::NotCovered(format!(
            "{what} is {x:e}, beyond {FARTHEST}"
        )))
    }
}

/// To the nearest 2⁻⁴⁰ m.
pub(crate) fn length(x: f64) -> Result<i64, CertifyError> {
    whole(x, "a length in metres")?;
    Ok((x * 2f64.powi(40)).round() as i64)
}

/// Not less.
pub(crate) fn length_up(x: f64) -> Result<i64, CertifyError> {
    whole(x, "a length in metres")?;
    Ok((x * 2f64.powi(40)).ceil() as i64)
}

/// A point, metres.
pub(crate) fn point(v: &Vector3<f64>) -> Result<[i64; 3], CertifyError> {
    Ok([length(v.x)?, length(v.y)?, length(v.z)?])
}

/// A coordinate of a unit vector or quaternion, in units of 2⁻⁶⁰.
pub(crate) fn share(x: f64) -> i64 {
    (x * 2f64.powi(60)).round() as i64
}

/// A coefficient of a joint, radians or metres, in units of 2⁻⁵⁰.
pub(crate) fn coefficient(x: f64) -> Result<i64, CertifyError> {
    whole(x, "a coefficient of a joint in radians or metres")?;
    Ok((x * 2f64.powi(50)).round() as i64)
}
