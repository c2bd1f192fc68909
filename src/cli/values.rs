//! Values of options: lengths and times.

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
    match parse_length(text).map_err(Error::usage)? {
        metres if metres > 0.0 => Ok(metres),
        _ => Err(Error::usage(
            "the length must be above 0; the default is 0.1mm",
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
