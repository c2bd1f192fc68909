//! Numbers for people: millimetres and degrees, rounded so that a bound stays a bound.

/// Which way the last digit may go.
#[derive(Clone, Copy)]
enum Towards {
    Nearest,
    Down,
    Up,
}

/// A length in metres as `12.3 mm`.
pub(super) fn millimetres(metres: f64) -> String {
    length(metres, Towards::Nearest)
}

/// A length that somebody has stated, to a picometre: what is proved of it must not be said of a
/// rounder one.
pub(super) fn stated_millimetres(metres: f64) -> String {
    format!("{} mm", rounded(metres * 1e3, 9, Towards::Nearest))
}

/// A length in metres as `12.3 mm`, never more than it is.
pub(super) fn millimetres_down(metres: f64) -> String {
    length(metres, Towards::Down)
}

/// A length in metres as `12.3 mm`, never less than it is.
pub(super) fn millimetres_up(metres: f64) -> String {
    length(metres, Towards::Up)
}

fn length(metres: f64, towards: Towards) -> String {
    format!("{} mm", number(metres * 1e3, towards))
}

/// About four digits, without zeros at the end. What is less than a micrometre is not shown as
/// nothing, nor as a whole one; what is less than a picometre is nothing.
fn number(value: f64, towards: Towards) -> String {
    let decimals = match value.abs() {
        x if x < 1e-9 => return "0".to_owned(),
        x if x < 1e-3 => 9,
        x if x < 10.0 => 3,
        x if x < 100.0 => 2,
        x if x < 1000.0 => 1,
        _ => 0,
    };
    rounded(value, decimals, towards)
}

fn rounded(value: f64, decimals: usize, towards: Towards) -> String {
    let text = fixed(value, decimals, towards);
    if decimals == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn fixed(value: f64, decimals: usize, towards: Towards) -> String {
    let unit = 10f64.powi(decimals as i32);
    let scaled = value * unit;
    // A number that is a round one but for the noise of the conversion stays that number.
    let near = (scaled - scaled.round()).abs() <= 1e-9 * scaled.abs().max(1e-3);
    let whole = match towards {
        _ if near => scaled.round(),
        Towards::Nearest => scaled.round(),
        Towards::Down => scaled.floor(),
        Towards::Up => scaled.ceil(),
    };
    format!("{:.decimals$}", whole / unit + 0.0)
}

/// An angle in radians as `12.3°`. One that somebody has stated is not shown as nothing.
pub(super) fn degrees(radians: f64) -> String {
    let value = radians.to_degrees();
    let decimals = match value.abs() {
        x if (1e-9..1e-4).contains(&x) => 9,
        x if x < 0.1 => 4,
        _ => 2,
    };
    format!("{}°", rounded(value, decimals, Towards::Nearest))
}

/// An angle in radians with nine decimals.
pub(super) fn exact_degrees(radians: f64) -> String {
    format!("{}°", rounded(radians.to_degrees(), 9, Towards::Nearest))
}

/// Seconds as `3.210 s`.
pub(super) fn seconds(time: f64) -> String {
    format!("{time:.3} s")
}

/// By how much something starts late: that it does is never shown as nothing.
pub(super) fn late_seconds(delay: f64) -> String {
    if delay >= 5e-4 {
        return seconds(delay);
    }
    format!("{} s", rounded(delay, 9, Towards::Up))
}

/// Seconds, never later than they are: up to here something is proved.
pub(super) fn seconds_down(time: f64) -> String {
    format!("{} s", rounded(time, 6, Towards::Down))
}

/// A number with so many decimals, never more than it is.
pub(super) fn fixed_down(value: f64, decimals: usize) -> String {
    fixed(value, decimals, Towards::Down)
}

/// A number with so many decimals, never less than it is.
pub(super) fn fixed_up(value: f64, decimals: usize) -> String {
    fixed(value, decimals, Towards::Up)
}

/// Per cent, kept off 0 and 100 unless it is exactly there.
pub(super) fn percent(share: f64) -> String {
    let value = share * 100.0;
    let shown = if value > 0.0 && value < 100.0 {
        value.round().clamp(1.0, 99.0)
    } else {
        value
    };
    format!("{shown:.0} %")
}

/// `1,234`.
pub(super) fn digits(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// `1 pair`, `2 pairs`, `1,234 pairs`.
pub(super) fn count(n: usize, what: &str) -> String {
    let text = digits(n);
    let plural = match what.strip_suffix('y') {
        _ if n == 1 => what.to_owned(),
        Some(stem) if stem.ends_with('d') => format!("{stem}ies"),
        _ => format!("{what}s"),
    };
    format!("{text} {plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_keep_four_digits_and_no_idle_zeros() {
        for (metres, text) in [
            (0.005, "5 mm"),
            (0.0001, "0.1 mm"),
            (0.0041234, "4.123 mm"),
            (0.066_812, "66.81 mm"),
            (0.51234, "512.3 mm"),
            (8500.0, "8500000 mm"),
            (0.1, "100 mm"),
            (0.0, "0 mm"),
            (-0.0, "0 mm"),
            (-0.012345, "-12.35 mm"),
            (1e-8, "0.00001 mm"),
            (-4.5e-7, "-0.00045 mm"),
            (1e-17, "0 mm"),
        ] {
            assert_eq!(millimetres(metres), text);
        }
    }

    /// Regression: `more than 1 mm apart` was said of a threshold of 0.99996 mm, and a contact at a
    /// nanometre was shown a micrometre away.
    #[test]
    fn what_is_stated_keeps_its_digits_and_what_is_tiny_its_size() {
        for (metres, text) in [
            (0.0009999599, "0.9999599 mm"),
            (0.02999996, "29.99996 mm"),
            (0.005, "5 mm"),
            (0.0, "0 mm"),
        ] {
            assert_eq!(stated_millimetres(metres), text);
        }
        assert_eq!(millimetres_up(1.008e-9), "0.000001008 mm");
        assert_eq!(millimetres_up(1e-17), "0 mm");
        assert_eq!(millimetres_down(2.5e-10), "0.00000025 mm");
        assert_eq!(fixed_down(1.552761, 3), "1.552");
        assert_eq!(fixed_up(1.799239, 3), "1.800");
        assert_eq!([fixed_down(1.5, 3), fixed_up(1.5, 3)], ["1.500", "1.500"]);
    }

    proptest::proptest! {
        /// A number that is printed as a bound is one.
        #[test]
        fn bounds_stay_bounds(metres in 0.0f64..10.0) {
            let value = |text: String| text.trim_end_matches(" mm").parse::<f64>().unwrap() / 1e3;
            let slack = 1e-9 * metres.max(1e-6);
            proptest::prop_assert!(value(millimetres_down(metres)) <= metres + slack);
            proptest::prop_assert!(value(millimetres_up(metres)) >= metres - slack);
            proptest::prop_assert!(value(millimetres_up(metres)) - value(millimetres_down(metres)) <= 1.001e-3);
        }
    }

    #[test]
    fn small_delays_are_no_nothing() {
        for (delay, text) in [
            (1.5, "1.500 s"),
            (0.0005, "0.001 s"),
            (0.00012, "0.00012 s"),
            (1e-12, "0.000000001 s"),
        ] {
            assert_eq!(late_seconds(delay), text);
        }
    }

    #[test]
    fn small_angles_are_no_nothing() {
        for (degree, text) in [
            (12.345, "12.35°"),
            (0.05, "0.05°"),
            (0.001, "0.001°"),
            (0.0005, "0.0005°"),
            (-2e-6, "-0.000002°"),
            (0.0, "0°"),
        ] {
            assert_eq!(degrees(f64::to_radians(degree)), text);
        }
    }

    #[test]
    fn counts_and_shares() {
        assert_eq!(count(1, "body"), "1 body");
        assert_eq!(count(24, "body"), "24 bodies");
        assert_eq!(count(1234567, "pair"), "1,234,567 pairs");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.001), "1 %");
        assert_eq!(percent(0.9999), "99 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(seconds_down(3.209_999_99), "3.209999 s");
    }
}
