//! The program tested by itself, on the machine in use: questions whose answers are known by other
//! means.
//!
//! Four suites need nothing but the program: the examples, which it carries along; motions whose
//! first contact is known in closed form; random scenes, judged by sampling with places and
//! distances found here; and certificates of all that is clear, which the independent checker has
//! to accept, and of which it has to refuse what was damaged.

mod closed_forms;
mod examples;
mod scenes;
mod suite;

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clearance_certify::sha256;
use serde::Serialize;

use crate::error::Error;
use suite::{CertificateSuite, Xorshift};
pub use suite::{SelfTest, Suite};

/// The record of a self-test.
#[derive(Debug, Serialize)]
pub struct SelfTestRecord {
    /// Always `clearance`.
    pub tool: &'static str,
    /// Its version.
    pub version: &'static str,
    /// When it began, UTC.
    pub began: String,
    /// SHA-256 of the program's file; `None`: it cannot be read.
    pub program_sha256: Option<String>,
    /// SHA-256 of the examples that it carries, all together.
    pub examples_sha256: String,
    /// Operating system and processor.
    pub system: String,
    /// First number of everything random.
    pub seed: u64,
    /// How long it took, seconds.
    pub seconds: f64,
    /// Whether all suites passed.
    pub passed: bool,
    /// The suites.
    pub suites: Vec<Suite>,
}

impl SelfTest {
    /// Runs all suites. `progress` is told the share that is done, 0 … 1.
    ///
    /// # Errors
    /// When no folder can be had for the examples.
    pub fn run(&self, progress: &dyn Fn(f64)) -> Result<SelfTestRecord, Error> {
        let start = Instant::now();
        let began = now();
        let mut certificates = CertificateSuite {
            suite: Suite::new("certificates"),
            random: Xorshift(self.seed | 1),
        };
        let third = |part: f64| move |share: f64| progress((part + share) / 3.0);
        let examples = examples::run(&third(0.0))?;
        let closed_forms = closed_forms::run(self, &mut certificates, &third(1.0));
        let scenes = scenes::run(self, &mut certificates, &third(2.0));
        let suites = vec![examples, closed_forms, scenes, certificates.suite];
        let program = std::env::current_exe().and_then(std::fs::read);
        Ok(SelfTestRecord {
            tool: "clearance",
            version: env!("CARGO_PKG_VERSION"),
            began,
            program_sha256: program.ok().map(|bytes| sha256(&bytes)),
            examples_sha256: examples::hash(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            seed: self.seed,
            seconds: start.elapsed().as_secs_f64(),
            passed: suites.iter().all(|s| s.wrong.is_empty() && s.asked > 0),
            suites,
        })
    }
}

/// The time as `2026-01-31T12:00:00Z`.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.map_or(0, |s| s.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of the day that is so many days after 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_454, (2026, 1, 1)),
        ] {
            assert_eq!(date(days), expected);
        }
    }
}
