//! The program tested by itself, on the machine in use: questions whose answers are known by other means.
//!
//! Four suites need nothing but the program: the examples, which it carries along; motions whose first contact is known in closed
//! form; random scenes, judged by sampling with places and distances found here; and certificates of all that is clear, which the
//! independent checker has to accept, and of which it has to refuse what was damaged.

mod closed_forms;
mod examples;
mod scenes;

use crate::error::Error;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clearance_certify::{certificate, geometry};
use clearance_proof::check::Checker;
use clearance_proof::model::Path;
use clearance_recheck::files::{Certificate, Geometry};
use clearance_recheck::numbers::sha256;
use clearance_recheck::walk::check;
use serde::Serialize;

/// What is tested.
#[derive(Debug, Clone, Copy)]
pub struct SelfTest {
    /// First number of everything random.
    pub seed: u64,
    /// How many motions in closed form, and how many random scenes.
    pub scenes: u64,
}

/// What became of a self-test.
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

/// What became of one suite.
#[derive(Debug, Default, Serialize)]
pub struct Suite {
    /// What it is called.
    pub name: &'static str,
    /// How many questions were asked.
    pub asked: u64,
    /// How many answers were `clear`.
    pub clear: u64,
    /// How many were `collision`.
    pub collision: u64,
    /// How many were neither, where that is allowed.
    pub other: u64,
    /// Every answer that is wrong, in a sentence.
    pub wrong: Vec<String>,
}

impl Suite {
    fn new(name: &'static str) -> Self {
        Suite {
            name,
            ..Suite::default()
        }
    }
}

/// Certificates of what the other suites find clear.
struct Certificates {
    suite: Suite,
    random: Random,
}

/// So many damaged copies of each certificate are shown to the checker.
const DAMAGED: usize = 4;

impl Certificates {
    /// Asks for the certificate of a motion that is clear: the checker has to accept it, and nothing that was cut from it.
    fn of(&mut self, what: &str, checker: &Checker, path: &Path, clearance: f64) {
        self.suite.asked += 1;
        match self.checked(checker, path, clearance) {
            Ok(()) => self.suite.clear += 1,
            Err(why) => self.suite.wrong.push(format!("{what}: {why}")),
        }
    }

    fn checked(&mut self, checker: &Checker, path: &Path, clearance: f64) -> Result<(), Error> {
        let bytes = geometry(checker.cell(), checker.pairs(), clearance);
        let bytes = bytes.map_err(Error::internal)?;
        let made = certificate(&bytes, "geometry", path, &[]).map_err(Error::internal)?;
        let file = Geometry::read(&bytes).map_err(Error::internal)?;
        let whole =
            Certificate::read(&made.bytes, |_| Ok(file.joints.len())).map_err(Error::internal)?;
        check(&file, &whole, &mut |_, _| ()).map_err(Error::internal)?;
        for _ in 0..DAMAGED {
            let end = self.random.below(whole.proof.len());
            let cut = Certificate {
                proof: whole.proof[..end].to_vec(),
                ..whole.clone()
            };
            if check(&file, &cut, &mut |_, _| ()).is_ok() {
                return Err(Error::internal(format!(
                    "valid, though cut off after {end} bytes"
                )));
            }
        }
        // A checker that says yes to everything would accept the distances of another planet.
        let mut farther = file.clone();
        for apart in farther
            .pairs
            .iter_mut()
            .filter_map(|p| p.apart.as_mut().ok())
        {
            *apart = 1 << 51;
        }
        match check(&farther, &whole, &mut |_, _| ()) {
            Ok(_) => Err(Error::internal("valid for 2 km too")),
            Err(_) => Ok(()),
        }
    }
}

impl SelfTest {
    /// Runs all suites. `progress` is told the share that is done, 0 … 1.
    ///
    /// # Errors
    /// When no folder can be had for the examples.
    pub fn run(&self, progress: &dyn Fn(f64)) -> Result<SelfTestRecord, Error> {
        let start = Instant::now();
        let began = now();
        let mut certificates = Certificates {
            suite: Suite::new("certificates"),
            random: Random(self.seed | 1),
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

/// Numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 11) as usize % n.max(1)
    }

    fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
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
