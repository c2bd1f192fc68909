//! Certain bounds on polynomials of degree ≤ 5 over parts of [0, 1].
//!
//! On [s0, s1] a polynomial of degree n is written in the Bernstein basis; it then lies between its
//! smallest and its largest Bernstein coefficient, and both come as close as O((s1 − s0)²) to the
//! true range.
//!
//! **Rounding.** With M = Σ|cₖ| (on 0 ≤ s0 ≤ s1 ≤ 1) every intermediate of the conversion is at
//! most M, and fewer than 130 roundings enter a coefficient. Each bound is therefore widened by
//! 64·ε·M, ε = 2⁻⁵², twice what is needed.

/// Coefficients of a polynomial of degree ≤ 5 in s ∈ [0, 1]: `c[0] + c[1]·s + … + c[5]·s⁵`.
pub type Polynomial = [f64; 6];

/// Binomial coefficients up to 5.
const BINOMIAL: [[f64; 6]; 6] = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0, 0.0],
    [1.0, 5.0, 10.0, 10.0, 5.0, 1.0],
];

/// The value at `s`.
#[inline]
pub(crate) fn value(c: &Polynomial, s: f64) -> f64 {
    ((((c[5] * s + c[4]) * s + c[3]) * s + c[2]) * s + c[1]) * s + c[0]
}

/// The polynomial that is its derivative by s.
#[inline]
pub(crate) fn derivative(c: &Polynomial) -> Polynomial {
    [c[1], 2.0 * c[2], 3.0 * c[3], 4.0 * c[4], 5.0 * c[5], 0.0]
}

/// The polynomial on [from, to], as one on [0, 1]: Taylor's formula at `from`, then the k-th
/// coefficient times (to − from)ᵏ.
pub(crate) fn restricted(c: &Polynomial, from: f64, to: f64) -> Polynomial {
    if from == 0.0 && to == 1.0 {
        return *c;
    }
    let mut out = *c;
    // Repeated synthetic division by (s − from).
    for k in 0..out.len() {
        for n in (k..out.len() - 1).rev() {
            out[n] += from * out[n + 1];
        }
    }
    let mut power = 1.0;
    for x in &mut out {
        *x *= power;
        power *= to - from;
    }
    out
}

/// How much rounding can move a bound of this polynomial on [0, 1].
fn rounding(c: &Polynomial) -> f64 {
    // The last term covers underflow, where roundings are not relative to the size.
    64.0 * f64::EPSILON * c.iter().map(|x| x.abs()).sum::<f64>() + f64::MIN_POSITIVE
}

/// Certain (least, greatest) value over [s0, s1], 0 ≤ s0 ≤ s1 ≤ 1. Exact for constants. NaN
/// coefficients give (−∞, ∞).
pub(crate) fn range(c: &Polynomial, s0: f64, s1: f64) -> (f64, f64) {
    debug_assert!(0.0 <= s0 && s0 <= s1 && s1 <= 1.0);
    let Some(degree) = c.iter().rposition(|&x| x != 0.0) else {
        return (0.0, 0.0);
    };
    if degree == 0 && !c[0].is_nan() {
        return (c[0], c[0]);
    }
    let margin = rounding(c);
    if !margin.is_finite() {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    // Taylor shift to s0, then stretch: p(s0 + h·u) = Σ t[k]·uᵏ for u in [0, 1].
    let mut t = *c;
    for i in 0..degree {
        for k in (i..degree).rev() {
            t[k] += s0 * t[k + 1];
        }
    }
    let h = s1 - s0;
    let mut power = 1.0;
    for k in 1..=degree {
        power *= h;
        t[k] *= power;
    }
    let (mut low, mut high) = (t[0], t[0]);
    for i in 1..=degree {
        let mut b = t[0];
        for k in 1..=i {
            b += BINOMIAL[i][k] / BINOMIAL[degree][k] * t[k];
        }
        low = low.min(b);
        high = high.max(b);
    }
    (low - margin, high + margin)
}

/// Upper bound on |c'(s)| over [s0, s1] (0 ≤ s0 ≤ s1 ≤ 1); exact for linear polynomials.
pub(crate) fn speed_bound(c: &Polynomial, s0: f64, s1: f64) -> f64 {
    if c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0 && c[5] == 0.0 {
        return c[1].abs();
    }
    let (low, high) = range(&derivative(c), s0, s1);
    high.max(-low)
}

/// Upper bound on |c''(s)| over [s0, s1] (0 ≤ s0 ≤ s1 ≤ 1); exact for quadratic and lower
/// polynomials.
pub(crate) fn accel_bound(c: &Polynomial, s0: f64, s1: f64) -> f64 {
    if c[3] == 0.0 && c[4] == 0.0 && c[5] == 0.0 {
        return (2.0 * c[2]).abs();
    }
    let (low, high) = range(&derivative(&derivative(c)), s0, s1);
    high.max(-low)
}

/// Upper bound on the absolute value of a derivative of any order over [s0, s1] (0 ≤ s0 ≤ s1 ≤ 1);
/// order 0: of the polynomial itself. Exact where that derivative is constant.
pub(crate) fn derivative_bound(c: &Polynomial, order: usize, s0: f64, s1: f64) -> f64 {
    let of = (0..order).fold(*c, |c, _| derivative(&c));
    let (low, high) = range(&of, s0, s1);
    high.max(-low)
}

/// The greatest value over [0, 1], enclosed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Maximum {
    /// Where `attained` is attained.
    pub s: f64,
    /// Value at `s`: the true maximum is not less (but for the rounding of one evaluation).
    pub attained: f64,
    /// The true maximum is not greater.
    pub upper: f64,
}

/// The greatest value of `c` over [0, 1], with `upper − attained ≤ tolerance` (plus rounding,
/// 128·ε·Σ|cₖ|).
pub(crate) fn maximum(c: &Polynomial, tolerance: f64) -> Maximum {
    let slack = tolerance.max(0.0) + 2.0 * rounding(c);
    let (at_start, at_end) = (value(c, 0.0), value(c, 1.0));
    let mut best = if at_end > at_start {
        Maximum {
            s: 1.0,
            attained: at_end,
            upper: at_end,
        }
    } else {
        Maximum {
            s: 0.0,
            attained: at_start,
            upper: at_start,
        }
    };
    // Depth first; a part whose hull cannot beat what was attained by more than the slack is
    // settled. Intervals below 2⁻⁴⁰ are settled as they are: their hull is the value up to
    // rounding.
    // Most are straight lines, and settled at once: for them no memory is asked for.
    let mut open = Vec::new();
    let mut next = Some((0.0, 1.0));
    while let Some((s0, s1)) = next.take().or_else(|| open.pop()) {
        let high = range(c, s0, s1).1;
        let middle = 0.5 * (s0 + s1);
        let here = value(c, middle);
        if here > best.attained {
            best.s = middle;
            best.attained = here;
        }
        if high <= best.attained + slack || s1 - s0 < 1e-12 {
            best.upper = best.upper.max(high);
        } else {
            open.push((s0, middle));
            open.push((middle, s1));
        }
    }
    best
}

#[cfg(test)]
mod tests;
