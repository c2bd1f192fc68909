//! Makes certificates: of a whole motion, or of what lies before a first contact and of that.

use clearance_proof::model::Trajectory;
use clearance_recheck::cell::INSTANT_BITS;
use clearance_recheck::contact::{STAYS, moved};
use clearance_recheck::files::{Certificate, FirstContact, Geometry, JointError, MotionSegment};
use clearance_recheck::motion::CellMotion;
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::CertifyError;
use crate::contact::{NearestSearch, ReportedContact, instants};
use crate::drive::{FloatMotion, Joints};
use crate::float_part::{FloatPart, METRE};
use crate::hash::sha256;
use crate::inside::rays;
use crate::lines::{line, name_line, one_line};
use crate::motion;
use crate::walk::{NoProof, PairToProve, ProofWalk, Rectangle, SPARE};

/// A certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The file.
    pub bytes: Vec<u8>,
    /// Rectangles that were settled.
    pub cells: u64,
    /// Bytes of the motion in it.
    pub motion_bytes: usize,
}

/// The geometry file that a certificate is about.
#[derive(Debug, Clone, Copy)]
pub struct AboutGeometry<'f> {
    /// Its SHA-256, in hexadecimal.
    pub sha256: &'f str,
    /// What it is called.
    pub name: &'f str,
}

/// The certificate for a motion in a cell: of all of it, or of what lies before a first contact and
/// of that. `geometry` is the file that [`geometry`](crate::geometry()) makes, `name` what it will
/// be called; `notes` are for people.
///
/// # Errors
/// When there is none, or none is found.
pub fn certificate(
    geometry: &[u8],
    name: &str,
    trajectory: &Trajectory,
    contact: Option<&ReportedContact>,
    notes: &[String],
) -> Result<Made, CertifyError> {
    let read = Geometry::read(geometry).map_err(|e| CertifyError::NotFound(e.to_string()))?;
    let about = AboutGeometry {
        sha256: &sha256(geometry),
        name,
    };
    Maker::new(read).certificate(about, trajectory, contact, notes)
}

/// Makes certificates in one cell.
#[derive(Debug)]
pub struct Maker {
    geometry: Geometry,
    joints: Joints,
    parts: Vec<FloatPart>,
    pairs: Vec<PairToProve>,
    /// For each body of the file: the body that it was before any event.
    origins: Vec<usize>,
}

impl Maker {
    /// Gets ready: whatever all certificates in a cell have in common.
    pub fn new(geometry: Geometry) -> Self {
        let joints = Joints::new(&geometry.joints);
        let parts = geometry.parts.par_iter();
        let parts: Vec<FloatPart> = parts
            .map(|part| FloatPart::new(part, joints.chain(geometry.bodies[part.body].joint)))
            .collect();
        let mut pairs = Vec::new();
        let of = |body: usize| {
            let parts = geometry.parts.iter().enumerate();
            parts.filter(move |(_, p)| p.body == body).map(|(k, _)| k)
        };
        for pair in &geometry.pairs {
            let Ok(clearance) = pair.clearance else {
                continue;
            };
            for a in of(pair.a) {
                for b in of(pair.b) {
                    let (p, q) = (&parts[a], &parts[b]);
                    let chains = p.chain.iter().zip(&q.chain);
                    pairs.push(PairToProve {
                        parts: [a, b],
                        required_gap: clearance as f64 / METRE + p.radius + q.radius + SPARE,
                        shared: chains.take_while(|(x, y)| x == y).count(),
                        during: pair.during,
                    });
                }
            }
        }
        let mut origins: Vec<usize> = Vec::new();
        for (k, body) in geometry.bodies.iter().enumerate() {
            origins.push(body.before.map_or(k, |before| origins[before]));
        }
        Maker {
            geometry,
            joints,
            parts,
            pairs,
            origins,
        }
    }

    /// The certificate for a motion: of all of it, or of what lies before a first contact and of
    /// that.
    ///
    /// # Errors
    /// When there is none, or none is found.
    pub fn certificate(
        &self,
        about: AboutGeometry,
        trajectory: &Trajectory,
        contact: Option<&ReportedContact>,
        notes: &[String],
    ) -> Result<Made, CertifyError> {
        if self.pairs.is_empty() {
            let why = "no pair is left that certificates are about: all that are checked hang on one joint, where an event has put \
                       them, or none is checked";
            return Err(CertifyError::NotCovered(why.to_owned()));
        }
        let kinds = self.geometry.kinds();
        let (start, segments) = motion::segments(trajectory, &kinds)?;
        if contact.is_some() {
            self.is_one_motion(&segments)?;
        }
        let mut bytes = b"clearance-certificate 3\n".to_vec();
        let AboutGeometry { sha256, name } = about;
        line(
            &mut bytes,
            &format!("geometry {sha256} {}", name_line(name)?),
        );
        for note in notes {
            line(&mut bytes, &format!("note {}", one_line(note)));
        }
        line(&mut bytes, &format!("motion {start} {}", segments.len()));
        let before = bytes.len();
        motion::write(&mut bytes, &kinds, &segments);
        let motion_bytes = bytes.len() - before;
        // The motion is taken as the checker reads it.
        let whole = [&bytes[..], b"end\n"].concat();
        let read = Certificate::read(&whole, |_| Ok(kinds))
            .map_err(|e| CertifyError::NotCovered(e.to_string()))?;
        self.hands_over(&read.segments)?;
        let (proof, cells) = match contact {
            None => self
                .proof(&read.segments, u64::MAX)
                .map_err(|no| no.error)?,
            Some(reported) => {
                let mut contact = self.contact(trajectory, &read.segments, reported)?;
                let mut proof = self.proof(&read.segments, contact.free_until);
                if let Err(NoProof {
                    stuck: Some(at), ..
                }) = proof
                {
                    self.are_separated(&read.segments, contact.free_until)?;
                    // From then on a pair is within a nanometre of its distance.
                    let (before, of) = (contact.free_until - at, 1u64 << INSTANT_BITS);
                    let note = "free until a little less than reported, where a pair is within a nanometre of its distance";
                    line(
                        &mut bytes,
                        &format!("note {note}: {before}/{of} of a segment"),
                    );
                    contact.free_until = at;
                    proof = self.proof(&read.segments, at);
                }
                let [a, b] = contact.points.map(|on| {
                    let [u, v] = on.weights;
                    format!("{} {} {u} {v}", on.part, on.triangle)
                });
                let [free, time] = [contact.free_until, contact.time];
                line(&mut bytes, &format!("contact {free} {time} {a} {b}"));
                proof.map_err(|no| no.error)?
            }
        };
        line(&mut bytes, &format!("proof {}", proof.len()));
        bytes.extend(&proof);
        line(&mut bytes, "end");
        Ok(Made {
            bytes,
            cells,
            motion_bytes,
        })
    }

    /// Certificates of contacts are about one motion.
    ///
    /// # Errors
    /// When something may be off it.
    fn is_one_motion(&self, segments: &[MotionSegment]) -> Result<(), CertifyError> {
        let tube = segments
            .iter()
            .any(|s| s.value_errors.iter().any(|&error| error > 0));
        let mut joints = self.geometry.joints.iter();
        let errors = joints.any(|j| j.error != JointError::default());
        let why = match (tube, errors) {
            // Without [uncertainty] it would still be no one motion.
            (true, _) => {
                "its joint values are known within a tolerance only, as those of a straight move of the tool are, and those of a \
                 table that are so large that their rounding counts (more than 10⁻¹⁰ rad or m), and certificates of contacts are \
                 about one motion; there is none of this program, only of a table of smaller joint values that are near its way"
            }
            (false, true) => {
                "errors are allowed for, and certificates of contacts are about one motion; certify the ideal motion, in a cell \
                 file without [uncertainty]"
            }
            (false, false) => return Ok(()),
        };
        Err(CertifyError::NotCovered(why.to_owned()))
    }

    /// A body that is handed over while joints may be off begins where that has brought it: the
    /// frame that it hangs on then has to take that in, or the file would say less than the answer.
    fn hands_over(&self, segments: &[MotionSegment]) -> Result<(), CertifyError> {
        let motion = CellMotion::new(&self.geometry, segments);
        for (number, body) in self.geometry.bodies.iter().enumerate() {
            let handed_over =
                moved(&motion, number).map_err(|e| CertifyError::NotCovered(e.to_string()))?;
            if handed_over.is_some_and(|moved| moved.uncovered >= STAYS) {
                return Err(CertifyError::NotCovered(format!(
                    "{:?} is handed over while joints may be off, and its own frame in the file does not take all of that in \
                     (it does not where another body that an event has handed over carries it); certify the way before that event",
                    body.name
                )));
            }
        }
        Ok(())
    }

    /// A first contact as a certificate says it.
    fn contact(
        &self,
        trajectory: &Trajectory,
        segments: &[MotionSegment],
        reported: &ReportedContact,
    ) -> Result<FirstContact, CertifyError> {
        let [a, b] = reported.bodies;
        let is_of = |pair: &&PairToProve| {
            let [p, q] = pair.parts.map(|part| self.origins[self.parts[part].body]);
            [p.min(q), p.max(q)] == [a.min(b), a.max(b)]
        };
        let mut is_claimed = false;
        let end = (segments.len() as u64) << INSTANT_BITS;
        for time in instants(trajectory, reported.time) {
            let poses = FloatMotion::new(&self.joints, segments).at(time);
            let mut search = NearestSearch::new(&self.parts, poses);
            for pair in (self.pairs.iter()).filter(|pair| is_of(pair) && pair.during.has(time)) {
                // Not where an event puts an end to the pair at that very instant.
                is_claimed |= time == end || pair.during.has(time + 1);
                search.look(pair.parts, pair.required_gap, SPARE);
            }
            if let Some(points) = search.points() {
                let free_until = instants(trajectory, reported.free_until).first().copied();
                return Ok(FirstContact {
                    free_until: free_until.unwrap_or(0),
                    time,
                    points,
                });
            }
        }
        if !is_claimed {
            let why = "the two that meet hang on one joint then, where an event has put them, and certificates claim nothing about \
                       such pairs";
            return Err(CertifyError::NotCovered(why.to_owned()));
        }
        Err(CertifyError::NotFound(
            "no two triangles are within their distance at the contact".to_owned(),
        ))
    }

    /// Looks at one instant: a pair that is within its distance then, and not by rounding, is no
    /// matter of rounding before it either.
    fn are_separated(&self, segments: &[MotionSegment], instant: u64) -> Result<(), CertifyError> {
        let poses = FloatMotion::new(&self.joints, segments).at(instant);
        // At an event it is what was said until then.
        let before = instant.saturating_sub(1);
        let mut search = NearestSearch::new(&self.parts, poses);
        for pair in self.pairs.iter().filter(|pair| pair.during.has(before)) {
            search.look(pair.parts, pair.required_gap - 2.0 * SPARE, 0.0);
        }
        match search.points() {
            None => Ok(()),
            Some(_) => Err(CertifyError::Contradiction(
                "two triangles are within their distance when all is said to be free".to_owned(),
            )),
        }
    }

    /// Of all instants before `until`.
    pub(crate) fn proof(
        &self,
        segments: &[MotionSegment],
        until: u64,
    ) -> Result<(Vec<u8>, u64), NoProof> {
        let mut walk = ProofWalk {
            pairs: &self.pairs,
            parts: &self.parts,
            until,
            stuck: None,
            motion: FloatMotion::new(&self.joints, segments),
            same: vec![Vector3::zeros(); self.pairs.len()],
            parted: vec![false; self.pairs.len()],
            known: vec![Vec::new(); self.parts.len()],
            proof: Vec::new(),
            cells: 0,
        };
        let pairs = self.pairs.iter().enumerate();
        let all = pairs.map(|(pair, p)| Rectangle {
            pair,
            ranges: p.parts.map(|part| self.parts[part].all()),
            guess: Vector3::zeros(),
        });
        let begun = usize::try_from(until.div_ceil(1 << INSTANT_BITS)).unwrap_or(usize::MAX);
        if begun > 0 {
            let first = walk.motion.first(begun.min(segments.len()));
            let walked = walk.visit(&first, &all.collect::<Vec<_>>());
            let stuck = walk.stuck;
            walked.map_err(|error| NoProof { error, stuck })?;
        }
        let before = until.min((segments.len() as u64) << INSTANT_BITS);
        let rays = rays(&self.geometry, segments, &walk.parted, before);
        walk.proof
            .extend(rays.map_err(|error| NoProof { error, stuck: None })?);
        Ok((walk.proof, walk.cells))
    }
}
