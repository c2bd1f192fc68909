//! How far computed places are off.

/// Rounding of positions at the end of a chain of up to [`LONGEST_COUNTED`] joints, relative to the
/// size of the numbers.
///
/// Each joint turns by a matrix that is off by fewer than 40 u (u = ε/2, one rounding: its own
/// entries 10, those of the pose it starts from 12, two products 9 each), which moves what is
/// beyond it by 40 u times its distance, at most twice the size; and its place is the sum of four
/// numbers of that size. That is less than 84 u = 42 ε a joint, whatever the others do.
pub const POSITION_ROUNDING: f64 = 4096.0 * f64::EPSILON;

/// 2^-53, the rounding of one operation.
pub const UNIT: f64 = f64::EPSILON / 2.0;

/// Covers the rounding of the few dozen operations behind a bound.
pub const ROUND_UP: f64 = 1.0 + 1e-12;

/// Covers the rounding of places as well, and of long sums of positive numbers.
pub const ROUND_UP_FAR: f64 = 1.0 + 1e-9;

/// The least single-precision number that is not below `x`.
#[inline]
pub fn round_up(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) >= x {
        near
    } else {
        near.next_up()
    }
}

/// Up to so many joints [`POSITION_ROUNDING`] holds; beyond, it grows with their number. They take
/// 3990 ε of it: 106 ε of each of two parts are left for what distances of triangles are off by
/// (64 u) and for how far above the least one their search may end (128 u).
pub const LONGEST_COUNTED: usize = 95;
