//! The head of a column: a name, and in square brackets its unit.

use crate::{Problem, units};

/// The meaning of a header cell.
pub(super) struct Head {
    /// Name without the unit.
    pub(super) name: String,
    /// The SI value is the written one times the first divided by the second.
    pub(super) scale: (f64, f64),
    /// The kind of unit that is stated.
    pub(super) quantity: UnitKind,
    /// Whether a unit is stated: a time is one without.
    pub(super) states_unit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitKind {
    Unstated,
    Angle,
    Length,
    Time,
}

/// Whether the unit of all columns that state one of angles is degrees, by their scales; there must
/// be such columns.
pub(super) fn in_degrees(scales: impl Iterator<Item = (f64, f64)>) -> bool {
    let mut scales = scales.peekable();
    scales.peek().is_some() && scales.all(|scale| scale != (1.0, 1.0))
}

/// Every unit that a header may state, with what it measures.
fn known_units() -> impl Iterator<Item = (UnitKind, units::Unit)> {
    let angles = units::ANGLES.map(|u| (UnitKind::Angle, u));
    let lengths = units::LENGTHS.map(|u| (UnitKind::Length, u));
    let times = units::TIMES.map(|u| (UnitKind::Time, u));
    angles.into_iter().chain(lengths).chain(times)
}

/// A problem of the text.
pub(super) fn bad(cause: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.into(),
    }
}

/// The meaning of one cell of the header.
pub(super) fn head(field: &str) -> Result<Head, Problem> {
    if field.is_empty() {
        return Err(bad(
            "a column has no name",
            "name every column: `time` or a joint",
        ));
    }
    if field.parse::<f64>().is_ok() {
        return Err(bad(
            format!("the header has the number {field} in place of a name"),
            "start the table with a header such as `time,<joint>,…`",
        ));
    }
    if let Some(prefix) = ["vel:", "acc:", "velocity:", "acceleration:"]
        .iter()
        .find(|p| field.to_lowercase().starts_with(**p))
    {
        return Err(Problem::Unsupported {
            what: format!("a column `{prefix}…` in a CSV program"),
            remedy: "CSV rows carry positions and are joined by straight lines; write a ROS trajectory message for velocities and accelerations".into(),
        });
    }
    let (name, unit) = match field.split_once('[') {
        None => (field, None),
        Some((name, rest)) => {
            let Some(unit) = rest.strip_suffix(']') else {
                return Err(bad(
                    format!("the unit of `{field}` is not closed"),
                    "write it as in `name[deg]`",
                ));
            };
            (name.trim(), Some(unit.trim()))
        }
    };
    if name.is_empty() {
        return Err(bad(
            format!("column `{field}` has no name"),
            "write it as in `name[deg]`",
        ));
    }
    // `name (deg)`: a usual way to write units, but joint names may contain brackets of that kind.
    if let Some((bare, rest)) = name.split_once('(')
        && let Some(inner) = rest.strip_suffix(')')
        && known_units().any(|(_, u)| u.0 == inner.trim())
    {
        return Err(bad(
            format!("the unit of `{field}` is in round brackets"),
            format!("write `{}[{}]`", bare.trim(), inner.trim()),
        ));
    }
    let is_time = name.eq_ignore_ascii_case("time");
    let unstated = if is_time {
        UnitKind::Time
    } else {
        UnitKind::Unstated
    };
    let (quantity, scale) = match unit {
        None => (unstated, (1.0, 1.0)),
        Some(unit) => {
            let fitting = || known_units().filter(|(what, _)| (*what == UnitKind::Time) == is_time);
            let found = fitting().find(|(_, u)| u.0.eq_ignore_ascii_case(unit));
            let Some((quantity, (_, numerator, denominator))) = found else {
                let names: Vec<&str> = fitting().map(|(_, u)| u.0).collect();
                let of_time = units::TIMES.iter().any(|u| u.0.eq_ignore_ascii_case(unit));
                let time = if of_time && !is_time {
                    format!("; if the column has the times, call it `time[{unit}]`")
                } else {
                    String::new()
                };
                return Err(Problem::UnknownName {
                    what: if is_time {
                        "unit of time"
                    } else {
                        "unit of a joint"
                    },
                    name: unit.to_owned(),
                    remedy: format!("known are {}{time}", names.join(", ")),
                });
            };
            (quantity, (numerator, denominator))
        }
    };
    Ok(Head {
        name: if is_time {
            "time".into()
        } else {
            name.to_owned()
        },
        scale,
        quantity,
        states_unit: unit.is_some(),
    })
}
