//! The counts of a suite, and the certificates that are asked along with the other suites.

use clearance_certify::{certificate, geometry};
use clearance_proof::check::Checker;
use clearance_proof::model::Trajectory;
use clearance_recheck::files::{Certificate, Geometry};
use clearance_recheck::walk::check;
use serde::Serialize;

use crate::error::Error;

/// The extent of a self-test.
#[derive(Debug, Clone, Copy)]
pub struct SelfTest {
    /// First number of everything random.
    pub seed: u64,
    /// How many motions in closed form, and how many random scenes.
    pub scenes: u64,
}

/// The result of one suite.
#[derive(Debug, Default, Serialize)]
pub struct Suite {
    /// Its name.
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
    pub(super) fn new(name: &'static str) -> Self {
        Suite {
            name,
            ..Suite::default()
        }
    }
}

/// Certificates of what the other suites find clear.
pub(super) struct CertificateSuite {
    pub(super) suite: Suite,
    pub(super) random: Xorshift,
}

/// So many damaged copies of each certificate are shown to the checker.
const DAMAGED: usize = 4;

impl CertificateSuite {
    /// Asks for the certificate of a motion that is clear: the checker has to accept it, and
    /// nothing that was cut from it.
    pub(super) fn of(
        &mut self,
        what: &str,
        checker: &Checker,
        trajectory: &Trajectory,
        clearance: f64,
    ) {
        self.suite.asked += 1;
        match self.checked(checker, trajectory, clearance) {
            Ok(()) => self.suite.clear += 1,
            Err(why) => self.suite.wrong.push(format!("{what}: {why}")),
        }
    }

    fn checked(
        &mut self,
        checker: &Checker,
        trajectory: &Trajectory,
        clearance: f64,
    ) -> Result<(), Error> {
        let bytes = geometry(checker.cell(), checker.trees(), checker.pairs(), clearance);
        let bytes = bytes.map_err(Error::internal)?;
        let made =
            certificate(&bytes, "geometry", trajectory, None, &[]).map_err(Error::internal)?;
        let file = Geometry::read(&bytes).map_err(Error::internal)?;
        let whole =
            Certificate::read(&made.bytes, |_| Ok(file.kinds())).map_err(Error::internal)?;
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
        for clearance in farther
            .pairs
            .iter_mut()
            .filter_map(|p| p.clearance.as_mut().ok())
        {
            *clearance = 1 << 51;
        }
        match check(&farther, &whole, &mut |_, _| ()) {
            Ok(_) => Err(Error::internal("valid for 2 km too")),
            Err(_) => Ok(()),
        }
    }
}

/// Numbers that are the same on every run.
pub(super) struct Xorshift(pub(super) u64);

impl Xorshift {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 11) as usize % n.max(1)
    }

    pub(super) fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}
