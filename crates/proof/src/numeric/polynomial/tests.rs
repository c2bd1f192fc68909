//! Bounds against dense sampling.

use super::*;
use proptest::prelude::*;

const SAMPLES: usize = 400;

fn sampled_max(c: &Polynomial, s0: f64, s1: f64) -> f64 {
    (0..=SAMPLES)
        .map(|i| value(c, s0 + (s1 - s0) * i as f64 / SAMPLES as f64).abs())
        .fold(0.0, f64::max)
}

/// Coefficients over many magnitudes; some of them zero, so that every degree occurs.
fn coefficients() -> impl Strategy<Value = Polynomial> {
    let one = prop_oneof![
        2 => Just(0.0),
        5 => -10.0..10.0_f64,
        1 => -1e6..1e6_f64,
        1 => -1e-6..1e-6_f64,
    ];
    prop::array::uniform6(one)
}

fn interval() -> impl Strategy<Value = (f64, f64)> {
    (0.0..=1.0_f64, 0.0..=1.0_f64, 0..50_u32).prop_map(|(a, b, halvings)| {
        let (low, high) = (a.min(b), a.max(b));
        (low, low + (high - low) * 0.5_f64.powi(halvings as i32))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn bounds_hold((c, (s0, s1)) in (coefficients(), interval())) {
        let first = derivative(&c);
        let second = derivative(&first);
        // The twin's own sampling rounds too: a few ulp of the sum of its coefficients.
        let ulp = |p: &Polynomial| 8.0 * f64::EPSILON * p.iter().map(|x| x.abs()).sum::<f64>();
        prop_assert!(speed_bound(&c, s0, s1) + ulp(&first) >= sampled_max(&first, s0, s1));
        prop_assert!(accel_bound(&c, s0, s1) + ulp(&second) >= sampled_max(&second, s0, s1));
        let (low, high) = range(&c, s0, s1);
        for i in 0..=SAMPLES {
            let v = value(&c, (s0 + (s1 - s0) * i as f64 / SAMPLES as f64).min(s1));
            prop_assert!(low - ulp(&c) <= v && v <= high + ulp(&c), "{v} outside {low} … {high}");
        }
    }

    #[test]
    fn bounds_close_in_on_the_truth((c, s) in (coefficients(), 0.0..0.999_f64)) {
        let first = derivative(&c);
        let size: f64 = first.iter().map(|x| x.abs()).sum();
        let mut width = 0.25_f64;
        while width > 1e-7 {
            let s1 = (s + width).min(1.0);
            let excess = speed_bound(&c, s, s1) - sampled_max(&first, s, s1);
            // Hull minus range is of second order in the width; sampling misses as much; then
            // rounding remains.
            prop_assert!(excess <= size * (30.0 * width * width + 100.0 * f64::EPSILON), "{excess} at {width}");
            width *= 0.5;
        }
    }

    #[test]
    fn maxima_are_enclosed(c in coefficients()) {
        let size: f64 = c.iter().map(|x| x.abs()).sum();
        let m = maximum(&c, 1e-9);
        let ulp = 8.0 * f64::EPSILON * size;
        prop_assert_eq!(m.attained, value(&c, m.s));
        prop_assert!(m.upper - m.attained <= 1e-9 + 200.0 * f64::EPSILON * size);
        for i in 0..=2000 {
            prop_assert!(value(&c, i as f64 / 2000.0) <= m.upper + ulp);
        }
    }
}

#[test]
fn linear_bounds_are_exact() {
    let c = [0.3, -1.7, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(speed_bound(&c, 0.1, 0.2), 1.7);
    assert_eq!(accel_bound(&c, 0.1, 0.2), 0.0);
    assert_eq!(range(&[2.5, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0, 1.0), (2.5, 2.5));
    assert_eq!(speed_bound(&[7.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0, 1.0), 0.0);
}

#[test]
fn a_peak_between_samples_is_found() {
    // 4·s·(1 − s) has its peak 1 at one half; shifted so that no bisection point hits it.
    let c = [0.0, 2.0 * 1.234, -1.234 / 0.37, 0.0, 0.0, 0.0];
    let m = maximum(&c, 1e-12);
    assert!((m.s - 0.37).abs() < 1e-5, "{m:?}");
    assert!((m.attained - 0.37 * 1.234).abs() < 1e-11);
}

#[test]
fn what_is_not_a_number_bounds_nothing() {
    let c = [0.0, f64::NAN, 1.0, 0.0, 0.0, 0.0];
    assert_eq!(speed_bound(&c, 0.0, 1.0), f64::INFINITY);
    assert_eq!(
        range(&[1.0, f64::INFINITY, 0.0, 0.0, 0.0, 0.0], 0.0, 1.0),
        (f64::NEG_INFINITY, f64::INFINITY)
    );
}

/// Whole coefficients at shares of 1/16 have values that whole numbers hold.
fn exactly(c: &[i128; 6], k: i128) -> i128 {
    (0..6)
        .map(|n| c[n as usize] * k.pow(n) * 16i128.pow(5 - n))
        .sum()
}

/// Large coefficients that cancel each other: what is left of a value is then mostly rounding.
/// Catches a margin that is left out, or relative to the value rather than to what it is made of.
#[test]
fn bounds_hold_exactly_where_coefficients_cancel() {
    let mut random = crate::geometry::random::Random(71);
    let mut rounded = 0;
    for case in 0..4000 {
        // A multiple of (s − a)·(…), with a root at a share that is looked at.
        let root = random.below(17) as i128;
        let size = 2f64.powi(36 + random.below(11) as i32);
        let q: Vec<i128> = (0..5).map(|_| (size * random.signed()) as i128).collect();
        let mut whole = [0i128; 6];
        for (n, x) in q.iter().enumerate() {
            whole[n] -= x * root;
            whole[n + 1] += x * 16;
        }
        let c = whole.map(|x| x as f64);
        assert!(whole.iter().zip(&c).all(|(x, y)| *y as i128 == *x));
        assert_eq!(exactly(&whole, root), 0);
        let first = random.below(17) as i128;
        for [from, to] in [
            [root, root],
            [root.min(first), root.max(first)],
            [first, first],
        ] {
            let (low, high) = range(&c, from as f64 / 16.0, to as f64 / 16.0);
            let scale = 16f64.powi(5);
            for k in from..=to {
                let exact = exactly(&whole, k);
                // Rounded towards the inside of what it must lie in: by less than a share of 10⁻¹⁵.
                let near = exact as f64 / scale;
                let slack = 1e-15 * near.abs();
                assert!(
                    low <= near + slack && near - slack <= high,
                    "case {case}: {near} is not in {low} … {high}"
                );
                if from == to {
                    rounded += usize::from(value(&c, k as f64 / 16.0) != near);
                }
            }
        }
    }
    assert!(rounded > 1000, "{rounded}");
}
