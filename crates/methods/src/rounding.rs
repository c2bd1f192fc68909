//! How far computed numbers are off.

/// 2^-53, the rounding of one operation.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;
