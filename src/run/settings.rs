//! The settings of a check, from the command line, the cell file and the defaults.

use std::time::Duration;

use clearance_formats::CheckSettings;
use clearance_methods::{Method, TimeMethod};

use super::job::Job;
use crate::error::Error;
use crate::findings::{Code, Diagnostic, Severity};

/// Settings as they hold in a run: command line before cell file before default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Threshold D, metres.
    pub clearance: f64,
    /// Warn distance, metres.
    pub warn: Option<f64>,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// Whether joint limits are checked.
    pub limits: bool,
    /// Method in time and in shape.
    pub method: Method,
    /// How long the check of one program may take.
    pub time_limit: Option<Duration>,
}

impl Settings {
    /// Resolution when nobody says otherwise, metres.
    pub const RESOLUTION_M: f64 = 1e-4;

    /// Says so when joint limits are not checked, and who wants it so.
    pub fn unjudged_limits(&self, job: &Job) -> Option<Diagnostic> {
        let by = match job.limits {
            Some(_) => "--no-limits",
            None => "`limits = false` in the cell file",
        };
        (!self.limits).then(|| Diagnostic {
            code: Code::UnjudgedLimits,
            severity: Severity::Unchecked,
            subject: "joint limits".to_owned(),
            place: None,
            message: by.to_owned(),
        })
    }

    /// The settings of a job, or what is wrong with them. `stated` is what the cell file says;
    /// `None`: it could not be read.
    pub fn of(job: &Job, stated: Option<&CheckSettings>) -> Result<Self, Error> {
        let file = stated.copied().unwrap_or_default();
        let settings = Settings {
            clearance: job.clearance.or(file.clearance).unwrap_or(0.0),
            warn: job.warn.or(file.warn),
            resolution: job
                .resolution
                .or(file.resolution)
                .unwrap_or(Self::RESOLUTION_M),
            limits: job.limits.or(file.limits).unwrap_or(true),
            method: job.method,
            time_limit: job.time_limit,
        };
        let is_default = settings.method.is_default();
        if job.margin && job.any_delay.is_some() {
            return Err(Error::usage(
                "--margin is not known for all delays: leave out --any-delay",
            ));
        }
        // The least clearance is proved by halving over any shape that knows distances.
        let by_halving = settings.method.time == TimeMethod::Bisection;
        let minimum = job.minimum_pairs.is_some() || job.minimum.is_some() && !by_halving;
        if !is_default && (minimum || job.margin || job.any_delay.is_some()) {
            return Err(Error::usage(format!(
                "--minimum-pairs, --margin and --any-delay are answered by bisection over sphere trees only, and --minimum by bisection, not by {}; leave out --method and --shape",
                settings.method
            )));
        }
        if !(settings.clearance >= 0.0 && settings.clearance.is_finite()) {
            return Err(Error::usage(format!(
                "the clearance is {} m; it is a length from 0 on",
                settings.clearance
            )));
        }
        if !(settings.resolution > 0.0 && settings.resolution.is_finite()) {
            return Err(Error::usage(format!(
                "the resolution is {} m; it is a length above 0",
                settings.resolution
            )));
        }
        if let Some(warn) = settings.warn
            && !(warn > settings.clearance && warn.is_finite())
        {
            // Nothing is wrong in the cell file where it does not come from there.
            let whose = match job.warn {
                Some(_) => "the warn distance of --warn",
                None => "the warn distance",
            };
            return Err(Error::usage(format!(
                "{whose} is {warn} m and the clearance {} m; near misses lie between the two, so give a warn \
                 distance above the clearance",
                settings.clearance
            )));
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_comes_before_the_file_and_the_file_before_the_default() {
        let mut job = Job::new("cell.toml", vec![]);
        let mut stated = CheckSettings::default();
        let default = Settings {
            clearance: 0.0,
            warn: None,
            resolution: 1e-4,
            limits: true,
            method: Method::default(),
            time_limit: None,
        };
        assert_eq!(Settings::of(&job, Some(&stated)), Ok(default));
        stated = CheckSettings {
            clearance: Some(0.005),
            warn: Some(0.02),
            resolution: Some(0.001),
            limits: Some(false),
        };
        job.clearance = Some(0.0);
        let expected = Settings {
            clearance: 0.0,
            warn: Some(0.02),
            resolution: 0.001,
            limits: false,
            method: Method::default(),
            time_limit: None,
        };
        assert_eq!(Settings::of(&job, Some(&stated)), Ok(expected));
        for (clearance, resolution) in [
            (-1.0, 1.0),
            (f64::NAN, 1.0),
            (0.0, 0.0),
            (0.0, f64::NAN),
            (0.0, f64::INFINITY),
        ] {
            job.clearance = Some(clearance);
            job.resolution = Some(resolution);
            assert!(
                Settings::of(&job, Some(&stated)).is_err(),
                "{clearance} {resolution}"
            );
        }
    }
}
