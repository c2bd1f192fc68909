//! Bounds against dense sampling.

use super::*;
use proptest::prelude::*;

const SAMPLES: usize = 400;

fn sampled_max(c: &Coefficients, s0: f64, s1: f64) -> f64 {
    (0..=SAMPLES)
        .map(|i| value(c, s0 + (s1 - s0) * i as f64 / SAMPLES as f64).abs())
        .fold(0.0, f64::max)
}

/// Coefficients over many magnitudes; some of them zero, so that every degree occurs.
fn coefficients() -> impl Strategy<Value = Coefficients> {
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
        let ulp = |p: &Coefficients| 8.0 * f64::EPSILON * p.iter().map(|x| x.abs()).sum::<f64>();
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
            // Hull minus range is of second order in the width; sampling misses as much; then rounding remains.
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
