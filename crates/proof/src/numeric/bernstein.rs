//! Real roots of polynomials of degree 9 over [0, 1], isolated in order and with certainty.
//!
//! In the Bernstein basis a polynomial lies within the convex hull of its control points (k/9,
//! b_k). So it can vanish only where that hull meets zero, and the hull shrinks to the graph as
//! fast as the square of the interval. Who knows the polynomial only up to an error looks for the
//! places where it may come within that error of zero: the *tube*.

/// Coefficients in the Bernstein basis of degree 9.
pub type Bernstein = [f64; 10];

/// Relative to the greatest coefficient: what the roundings of this module can add up to. Each of
/// at most 40 nested intervals costs two subdivisions of 9 steps, each an average of two numbers
/// that is rounded twice.
pub const ROUNDING: f64 = 1024.0 * f64::EPSILON;

/// Intervals are not divided below this length.
const SHORTEST: f64 = 1.0 / 65536.0;

/// A hull that leaves more than this share of an interval is not worth another look: the interval
/// is halved.
const WORTHWHILE: f64 = 0.6;

/// Appends the intervals of [0, 1], in order and apart from each other, outside which |p| > `tube`.
/// With a `tube` that covers the error of the coefficients (and [`ROUNDING`]), every root of the
/// true polynomial lies in one of them.
pub fn near_zero(p: &Bernstein, tube: f64, out: &mut Vec<[f64; 2]>) {
    if is_beyond(p, tube) {
        return;
    }
    let first = out.len();
    let mut open = vec![(*p, 0.0, 1.0)];
    while let Some((b, start, end)) = open.pop() {
        let Some([u0, u1]) = clip(&b, tube) else {
            continue;
        };
        let length = end - start;
        let flat = b.iter().all(|x| x.abs() <= tube);
        if flat || length <= SHORTEST {
            let [s0, s1] = [start + length * u0, start + length * u1];
            match out[first..].last_mut() {
                Some(last) if s0 <= last[1] => last[1] = last[1].max(s1),
                _ => out.push([s0.max(0.0), s1.min(1.0)]),
            }
        } else if u1 - u0 < WORTHWHILE {
            let part = restrict(&b, u0, u1);
            open.push((part, start + length * u0, start + length * u1));
        } else {
            let middle = start + 0.5 * length;
            open.push((restrict(&b, 0.5, 1.0), middle, end));
            open.push((restrict(&b, 0.0, 0.5), start, middle));
        }
    }
}

/// Whether all coefficients, and so all values, are on one side of the tube.
fn is_beyond(b: &Bernstein, tube: f64) -> bool {
    b.iter().all(|&x| x > tube) || b.iter().all(|&x| x < -tube)
}

/// The interval in which the convex hull of the control points comes within `tube` of zero, rounded
/// outwards; `None`: nowhere.
fn clip(b: &Bernstein, tube: f64) -> Option<[f64; 2]> {
    const SLACK: f64 = 1e-13;
    if is_beyond(b, tube) {
        return None;
    }
    let n = (b.len() - 1) as f64;
    let (mut low, mut high) = (1.0f64, 0.0f64);
    let mut meet = |u: f64| {
        low = low.min(u);
        high = high.max(u);
    };
    for (j, &y) in b.iter().enumerate() {
        if y.is_nan() {
            // Nothing is known then.
            return Some([0.0, 1.0]);
        }
        if y.abs() <= tube {
            meet(j as f64 / n);
            continue;
        }
        // The outline of the hull crosses the border of the tube on a line between two control
        // points.
        let border = tube.copysign(y);
        for (k, &z) in b.iter().enumerate() {
            if (y > 0.0 && z <= border) || (y < 0.0 && z >= border) {
                let (j, k) = (j as f64, k as f64);
                meet((j + (k - j) * ((y - border) / (y - z)).clamp(0.0, 1.0)) / n);
            }
        }
    }
    Some([(low - SLACK).max(0.0), (high + SLACK).min(1.0)])
}

/// The same polynomial over the interval [u0, u1] of [0, 1], as one over [0, 1] (de Casteljau).
fn restrict(b: &Bernstein, u0: f64, u1: f64) -> Bernstein {
    let n = b.len() - 1;
    let mut c = *b;
    if u1 < 1.0 {
        for level in 1..=n {
            for k in (level..=n).rev() {
                c[k] = c[k - 1] * (1.0 - u1) + c[k] * u1;
            }
        }
    }
    if u0 > 0.0 {
        let u = u0 / u1;
        for level in 1..=n {
            for k in 0..=n - level {
                c[k] = c[k] * (1.0 - u) + c[k + 1] * u;
            }
        }
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    fn value(b: &Bernstein, u: f64) -> f64 {
        let mut c = *b;
        for level in 1..c.len() {
            for k in 0..c.len() - level {
                c[k] = c[k] * (1.0 - u) + c[k + 1] * u;
            }
        }
        c[0]
    }

    /// The product of nine factors (t − root), in the Bernstein basis.
    fn with_roots(roots: &[f64; 9]) -> Bernstein {
        // Multiplication by a linear factor raises the degree by one.
        let mut b = vec![1.0];
        for r in roots {
            let n = b.len();
            let mut next = vec![0.0; n + 1];
            for (k, x) in b.iter().enumerate() {
                next[k] += x * -r * (n - k) as f64 / n as f64;
                next[k + 1] += x * (1.0 - r) * (k + 1) as f64 / n as f64;
            }
            b = next;
        }
        b.try_into().expect("nine factors make degree 9")
    }

    #[test]
    fn every_known_root_is_in_a_short_interval() {
        let mut random = Random(3);
        let mut intervals = Vec::new();
        let mut short = 0;
        for _ in 0..3000 {
            let mut roots = [0.0; 9].map(|_: f64| 1.6 * random.unit() - 0.3);
            if random.below(3) == 0 {
                roots[1] = roots[0];
            }
            let b = with_roots(&roots);
            let size = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            intervals.clear();
            near_zero(&b, 1e-12 * size + ROUNDING * size, &mut intervals);
            for r in roots.iter().filter(|r| (0.0..=1.0).contains(*r)) {
                let found = intervals.iter().find(|s| s[0] <= *r && *r <= s[1]);
                let s = found.unwrap_or_else(|| panic!("{r} is in none of {intervals:?}"));
                short += usize::from(s[1] - s[0] < 1e-2);
            }
            assert!(intervals.windows(2).all(|w| w[0][1] < w[1][0]));
        }
        assert!(short > 12_000, "{short}");
    }

    #[test]
    fn outside_the_intervals_nothing_comes_into_the_tube() {
        let mut random = Random(4);
        let mut intervals = Vec::new();
        let mut outside = 0;
        for _ in 0..1000 {
            let b: Bernstein = [0.0; 10].map(|_| random.signed() + [0.0, 0.5][random.below(2)]);
            let tube = [1e-9, 0.01, 0.1][random.below(3)];
            intervals.clear();
            near_zero(&b, tube, &mut intervals);
            for i in 0..=200 {
                let u = f64::from(i) / 200.0;
                if !intervals.iter().any(|s| s[0] <= u && u <= s[1]) {
                    outside += 1;
                    let y = value(&b, u);
                    assert!(y.abs() > tube, "{u}: {y} is within {tube}");
                }
            }
        }
        assert!(outside > 150_000, "{outside}");
    }

    #[test]
    fn what_vanishes_everywhere_is_one_interval_and_so_is_the_unknown() {
        for b in [[0.0; 10], [f64::NAN; 10]] {
            let mut intervals = Vec::new();
            near_zero(&b, 0.0, &mut intervals);
            assert_eq!(intervals, [[0.0, 1.0]]);
        }
        let mut intervals = Vec::new();
        near_zero(&[1.0; 10], 0.5, &mut intervals);
        assert!(intervals.is_empty());
    }
}
