//! Values of options: lengths, times, names with values.

use clearance_formats::units::{parse_length, parse_time};

use crate::error::Error;

/// A length from 0 on, metres.
pub(super) fn length(text: &str) -> Result<f64, Error> {
    match parse_length(text).map_err(Error::usage)? {
        metres if metres >= 0.0 => Ok(metres),
        _ => Err(Error::usage("the length is negative; write one from 0 on")),
    }
}

/// A length above 0, metres.
pub(super) fn positive_length(text: &str) -> Result<f64, Error> {
    above_0(text, "write one such as `5mm`")
}

/// The length at which refinement stops, metres.
pub(super) fn resolution(text: &str) -> Result<f64, Error> {
    above_0(text, "the default is 0.1mm")
}

/// The distance from which on nothing is a near miss, metres.
pub(super) fn warn_distance(text: &str) -> Result<f64, Error> {
    above_0(text, "leave the option out to list no near misses")
}

/// The distance up to which the least clearance of every pair is told, metres.
pub(super) fn pair_distance(text: &str) -> Result<f64, Error> {
    above_0(text, "the default is 50mm")
}

/// A length above 0, metres; the remedy is what to do where it is not.
fn above_0(text: &str, remedy: &str) -> Result<f64, Error> {
    match parse_length(text).map_err(Error::usage)? {
        metres if metres > 0.0 => Ok(metres),
        _ => Err(Error::usage(format!(
            "the length must be above 0; {remedy}"
        ))),
    }
}

/// A time that a check may take, seconds. In none at all nothing could be decided.
pub(super) fn time_limit(text: &str) -> Result<f64, Error> {
    match parse_time(text).map_err(Error::usage)? {
        // Clocks count nanoseconds.
        seconds if seconds >= 1e-9 => Ok(seconds),
        _ => Err(Error::usage(
            "the time must be above 0; write one such as `10s`",
        )),
    }
}

/// A time from 0 on, seconds.
pub(super) fn duration(text: &str) -> Result<f64, Error> {
    match parse_time(text).map_err(Error::usage)? {
        seconds if seconds >= 0.0 => Ok(seconds),
        _ => Err(Error::usage("the time is negative; write one from 0 on")),
    }
}

/// A greatest delay, seconds; `any`: infinity.
pub(super) fn delay(text: &str) -> Result<f64, Error> {
    match text {
        "any" => Ok(f64::INFINITY),
        _ => duration(text),
    }
}

/// `name=value`, or `name:=value` as xacro itself has it.
pub(super) fn xacro_arg(text: &str) -> Result<(String, String), Error> {
    let (name, value) = text
        .split_once('=')
        .ok_or(Error::usage("write it as name=value"))?;
    let name = name.strip_suffix(':').unwrap_or(name);
    if name.is_empty() {
        Err(Error::usage("write it as name=value"))
    } else {
        Ok((name.to_owned(), value.to_owned()))
    }
}
