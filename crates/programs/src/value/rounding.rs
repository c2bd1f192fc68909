//! What is known of numbers that controllers count in 32 bits.

/// Why a decision between two numbers is not known.
pub(crate) const ROUNDED: &str =
    "controllers count in 32 bits, and by that much this decision may go either way";

/// Up to here 32 bits hold every whole number.
const MOST_WHOLE: f64 = 8_388_608.0;

/// Numbers of this size may have been taken from each other to get a small one, which is off by as
/// much as they were.
const USUAL: f64 = 5.0;

/// Whether two numbers differ by no more than what controllers round in a few steps.
pub(crate) fn is_within_rounding(x: f64, y: f64) -> bool {
    let is_whole = |x: f64| x.fract() == 0.0 && x.abs() <= MOST_WHOLE;
    // Of numbers that fit into 32 bits nothing is rounded.
    let same = x == y && f64::from(x as f32) == x;
    let whole = is_whole(x) && is_whole(y);
    !same && !whole && (x - y).abs() <= 1e-5 * x.abs().max(y.abs()).max(USUAL)
}

/// What comes of two numbers by `+`, `-`, `*` or `/`, never by chance a number that fits into 32
/// bits where one of the two does not: a controller has rounded it, and [`is_within_rounding`] has
/// to see that.
pub(crate) fn computed(x: f64, y: f64, result: f64) -> f64 {
    if fits(x) && fits(y) || x == 0.0 || y == 0.0 {
        result
    } else {
        inexact(result)
    }
}

/// A number that a controller has rounded, never one that fits into 32 bits by chance.
pub(crate) fn inexact(x: f64) -> f64 {
    if fits(x) && x.is_finite() {
        x.next_up()
    } else {
        x
    }
}

/// A number that is made of others by products, sums and perhaps a root: of small whole numbers it is
/// exact where it is a whole one.
pub(crate) fn computed_of(given: &[f64], result: f64) -> f64 {
    let is_small = |x: &f64| x.fract() == 0.0 && x.abs() <= 2_000.0;
    if given.iter().all(is_small) && result.fract() == 0.0 {
        result
    } else {
        inexact(result)
    }
}

/// What a function of one number answers, by its name: sines and the like are rounded but at 0, and
/// so is a root of what is.
pub(crate) fn of_function(name: &str, x: f64, result: f64) -> f64 {
    match name {
        "abs" => result,
        "sqrt" if fits(x) => result,
        "sin" | "cos" | "tan" | "asin" | "atan" | "exp" if x == 0.0 => result,
        _ => inexact(result),
    }
}

/// Whether a number fits into 32 bits: no whole number beyond 2²⁴ that is odd does.
pub(crate) fn fits(x: f64) -> bool {
    f64::from(x as f32) == x
}
