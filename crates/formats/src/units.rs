//! Lengths and angles with units, as people write them; metres and radians inside.

use super::names::suggestion;

/// Why a text is not a length, an angle or a time, and what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct QuantityError(String);

impl From<QuantityError> for String {
    fn from(error: QuantityError) -> Self {
        error.0
    }
}

/// A unit as a fraction of the base unit: numerator and denominator, both exact, so that `5mm` is
/// 0.005 to the last bit.
pub(crate) type Unit = (&'static str, f64, f64);

/// Units of length, in metres.
pub(crate) const LENGTHS: [Unit; 10] = [
    ("m", 1.0, 1.0),
    ("dm", 1.0, 10.0),
    ("cm", 1.0, 100.0),
    ("mm", 1.0, 1e3),
    ("um", 1.0, 1e6),
    ("µm", 1.0, 1e6),
    ("nm", 1.0, 1e9),
    ("in", 127.0, 5000.0),
    ("ft", 381.0, 1250.0),
    ("us-ft", 1200.0, 3937.0), // the US survey foot, of maps
];

/// Units of angle, in radians.
pub(crate) const ANGLES: [Unit; 3] = [
    ("rad", 1.0, 1.0),
    ("deg", std::f64::consts::PI, 180.0),
    ("°", std::f64::consts::PI, 180.0),
];

/// Units of time, in seconds.
pub(crate) const TIMES: [Unit; 6] = [
    ("s", 1.0, 1.0),
    ("ms", 1.0, 1e3),
    ("us", 1.0, 1e6),
    ("µs", 1.0, 1e6),
    ("ns", 1.0, 1e9),
    ("min", 60.0, 1.0),
];

/// Names of units of length, as exporters and people write them out, in metres.
const NAMES: [(&[&str], f64); 8] = [
    (&["meter", "metre", "meters", "metres"], 1.0),
    (&["decimeter", "decimetre", "decimeters", "decimetres"], 0.1),
    (
        &["centimeter", "centimetre", "centimeters", "centimetres"],
        0.01,
    ),
    (
        &["millimeter", "millimetre", "millimeters", "millimetres"],
        0.001,
    ),
    (&["inch", "inches"], 0.0254),
    (&["foot", "feet"], 0.3048),
    (
        &["kilometer", "kilometre", "kilometers", "kilometres", "km"],
        1000.0,
    ),
    (
        &[
            "us survey foot",
            "us survey feet",
            "survey feet",
            "usft",
            "ftus",
        ],
        1200.0 / 3937.0,
    ),
];

/// Metres of a unit of length by its sign or its name, in any case: `mm` and `Millimetre` are 0.001.
pub(crate) fn length_called(name: &str) -> Option<f64> {
    let named = NAMES
        .iter()
        .find(|(names, _)| names.iter().any(|known| name.eq_ignore_ascii_case(known)));
    let metres = named.map(|&(_, metres)| metres);
    metres.or_else(|| length_unit(&name.to_ascii_lowercase()))
}

/// A length such as `5mm`, `0.2 in`, `1e-3` (a bare number is metres), in metres.
///
/// # Errors
/// When it is none; the message says what to write.
pub fn parse_length(text: &str) -> Result<f64, QuantityError> {
    parse(
        text,
        "length",
        &LENGTHS,
        "`5mm`, `0.2in` or a number of metres",
    )
}

/// Whether a word is a unit of length.
pub fn is_length_unit(word: &str) -> bool {
    LENGTHS.iter().any(|u| u.0 == word)
}

/// Metres of a unit of length by its name: `mm` is 0.001. A number is none, nor is `2mm`.
pub fn length_unit(word: &str) -> Option<f64> {
    let unit = LENGTHS.iter().find(|u| u.0 == word);
    unit.map(|&(_, numerator, denominator)| numerator / denominator)
}

/// An angle such as `90deg`, `1.57 rad` (a bare number is radians), in radians.
///
/// # Errors
/// When it is none; the message says what to write.
pub fn parse_angle(text: &str) -> Result<f64, QuantityError> {
    parse(text, "angle", &ANGLES, "`90deg` or a number of radians")
}

/// A time such as `250ms`, `1.5 s` (a bare number is seconds), in seconds.
///
/// # Errors
/// When it is none; the message says what to write.
pub fn parse_time(text: &str) -> Result<f64, QuantityError> {
    parse(text, "time", &TIMES, "`250ms` or a number of seconds")
}

fn parse(text: &str, what: &str, units: &[Unit], example: &str) -> Result<f64, QuantityError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QuantityError(format!(
            "the {what} is empty; write {example}"
        )));
    }
    // The unit is what follows the last digit or point: `1e-3m` must not end at the `e`.
    let split = text
        .rfind(|c: char| c.is_ascii_digit() || c == '.')
        .map_or(0, |i| i + 1);
    let (number, unit) = (text[..split].trim(), text[split..].trim());
    // A bare number is in the base unit, which stands first.
    let factor = units.iter().find(|u| unit.is_empty() || u.0 == unit);
    let value: f64 = number
        .parse()
        .map_err(|_| QuantityError(format!("`{text}` is no {what}; write {example}")))?;
    let Some(&(_, numerator, denominator)) = factor else {
        return Err(QuantityError(format!(
            "unknown unit `{unit}` of {what} `{text}`; {}",
            suggestion(unit, units.iter().map(|u| u.0))
        )));
    };
    let value = value * numerator / denominator;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(QuantityError(format!(
            "`{text}` is not finite; write {example}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        for (text, metres) in [
            ("5mm", 0.005),
            ("0.5mm", 0.0005),
            ("0.1mm", 0.0001),
            ("0.2in", 0.00508),
            ("1e-3", 0.001),
            ("2 cm", 0.02),
            ("1m", 1.0),
            ("10um", 1e-5),
            ("-3mm", -0.003),
            ("1e-3m", 0.001),
            (" .5 ", 0.5),
            ("1ft", 0.3048),
            ("2us-ft", 2400.0 / 3937.0),
            ("1.", 1.0),
        ] {
            let got = parse_length(text).unwrap();
            assert!(
                (got - metres).abs() <= f64::EPSILON * metres.abs(),
                "{text}: {got}"
            );
        }
        assert_eq!(parse_length("5mm"), Ok(0.005));
        assert_eq!(parse_length("0.1mm"), Ok(0.0001));
    }

    #[test]
    fn a_number_is_no_unit() {
        assert_eq!(length_unit("mm"), Some(0.001));
        assert_eq!(length_unit("in"), Some(0.0254));
        assert_eq!(length_unit("m"), Some(1.0));
        for word in ["", "1", "0.001", "2mm", ".5m", "e3m", "e-3", "deg", " mm"] {
            assert_eq!(length_unit(word), None, "{word}");
        }
    }

    #[test]
    fn what_is_no_length_says_what_would_be() {
        for text in [
            "",
            "mm",
            "5 parsecs",
            "NaN",
            "inf",
            "1e999",
            "5mm 3",
            "1,5mm",
            "five mm",
            "5e",
            "--5",
            "5°",
        ] {
            let message = parse_length(text).unwrap_err().to_string();
            assert!(
                message.contains("write")
                    || message.contains("known are")
                    || message.contains("mean"),
                "{text}: {message}"
            );
        }
        assert!(
            parse_length("5 mmm")
                .unwrap_err()
                .to_string()
                .contains("did you mean `mm`")
        );
    }

    #[test]
    fn angles() {
        use std::f64::consts::PI;
        assert!((parse_angle("180deg").unwrap() - PI).abs() < 1e-15);
        assert!((parse_angle("90 °").unwrap() - PI / 2.0).abs() < 1e-15);
        assert_eq!(parse_angle("1.5"), Ok(1.5));
        assert_eq!(parse_angle("-1.5rad"), Ok(-1.5));
        assert!(parse_angle("1mm").is_err());
    }
}
