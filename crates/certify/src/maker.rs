//! Finds how a question is taken apart so that the checker settles each piece of it.
//!
//! It walks as the checker does, but in floating point, and says what to do with each rectangle. It
//! leaves a nanometre more than is needed: what the numbers here are off by is far less, so the
//! checker's integers agree.

use clearance_proof::model::Path;
use clearance_recheck::files::{
    Certificate, During, FirstContact, Geometry, JointError, MotionSegment,
};
use clearance_recheck::motion::DEEPEST;
use clearance_recheck::numbers::sha256;
use clearance_recheck::shapes::Range;
use clearance_recheck::walk::{Along, Operation};
use nalgebra::Vector3;

use crate::CertifyError;
use crate::contact::{NearestSearch, ReportedContact, instants};
use crate::drive::{FloatBulge, FloatMotion, FloatSpan, Joints};
use crate::geometry::{line, one_line};
use crate::inside::rays;
use crate::look::{Between, Direction, DirectionSearch, Levers, PairInInterval};
use crate::motion;
use crate::solid::{FloatPart, METRE};

/// The reserve for rounding, metres.
const SPARE: f64 = 1e-9;
/// No certificate has more bytes of operations.
const MOST: usize = 200_000_000;
/// Time is halved rather than triangles where both ranges are smaller than so many times what they
/// may be from their chords.
const TIME: f64 = 20.0;
/// From an interval of a segment that was halved so often on, two triangles that are not apart are
/// asked whether they are within their distance.
const ASKED: u32 = 5;
/// The same where errors count: their levers are known the better the shorter an interval is.
const ASKED_WITH_ERRORS: u32 = 24;

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

/// The certificate for a motion in a cell: of all of it, or of what lies before a first contact and
/// of that. `geometry` is the file that [`geometry`](crate::geometry()) makes, `name` what it will
/// be called; `notes` are for people.
///
/// # Errors
/// When there is none, or none is found.
pub fn certificate(
    geometry: &[u8],
    name: &str,
    path: &Path,
    contact: Option<&ReportedContact>,
    notes: &[String],
) -> Result<Made, CertifyError> {
    let read = Geometry::read(geometry).map_err(|e| CertifyError::NotFound(e.to_string()))?;
    Maker::new(read).certificate((&sha256(geometry), name), path, contact, notes)
}

/// Two parts of two bodies.
#[derive(Debug)]
struct Pair {
    parts: [usize; 2],
    /// The distance to be proved: D plus both radii, plus a reserve for rounding, metres.
    apart: f64,
    /// How many joints both chains share.
    shared: usize,
    /// Of which segments it is to be proved.
    during: During,
}

/// Makes certificates in one cell.
#[derive(Debug)]
pub struct Maker {
    geometry: Geometry,
    joints: Joints,
    solids: Vec<FloatPart>,
    pairs: Vec<Pair>,
    /// Of each body of the file, the one that it was before any event.
    origins: Vec<usize>,
}

impl Maker {
    /// Gets ready: whatever all certificates in a cell have in common.
    pub fn new(geometry: Geometry) -> Self {
        let joints = Joints::new(&geometry.joints);
        let parts = geometry.parts.iter();
        let solids: Vec<FloatPart> = parts
            .map(|part| FloatPart::new(part, joints.chain(geometry.bodies[part.body].joint)))
            .collect();
        let mut pairs = Vec::new();
        let of = |body: usize| {
            let parts = geometry.parts.iter().enumerate();
            parts.filter(move |(_, p)| p.body == body).map(|(k, _)| k)
        };
        for pair in &geometry.pairs {
            let Ok(apart) = pair.apart else { continue };
            for a in of(pair.a) {
                for b in of(pair.b) {
                    let (p, q) = (&solids[a], &solids[b]);
                    let chains = p.chain.iter().zip(&q.chain);
                    pairs.push(Pair {
                        parts: [a, b],
                        apart: apart as f64 / METRE + p.radius + q.radius + SPARE,
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
            solids,
            pairs,
            origins,
        }
    }

    /// The certificate for a motion: of all of it, or of what lies before a first contact and of
    /// that. The geometry file has the SHA-256 `hash`, and is called `name`.
    ///
    /// # Errors
    /// When there is none, or none is found.
    pub fn certificate(
        &self,
        (hash, name): (&str, &str),
        path: &Path,
        contact: Option<&ReportedContact>,
        notes: &[String],
    ) -> Result<Made, CertifyError> {
        let kinds = self.geometry.kinds();
        let (start, segments) = motion::segments(path, &kinds)?;
        let errors = self
            .geometry
            .joints
            .iter()
            .any(|j| j.off != JointError::default());
        let tube = segments.iter().any(|s| s.off.iter().any(|&off| off > 0));
        if contact.is_some() && (errors || tube) {
            let why = "errors are allowed for, or the path is known within a tolerance, and certificates of contacts are \
                       about one motion; certify the ideal motion, in a cell file without [uncertainty]";
            return Err(CertifyError::NotCovered(why.to_owned()));
        }
        let mut bytes = b"clearance-certificate 3\n".to_vec();
        line(&mut bytes, &format!("geometry {hash} {}", one_line(name)));
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
        let (proof, cells) = match contact {
            None => self
                .proof(&read.segments, u64::MAX)
                .map_err(|no| no.error)?,
            Some(reported) => {
                let mut contact = self.contact(path, &read.segments, reported)?;
                let mut proof = self.proof(&read.segments, contact.free_until);
                if let Err(NoProof {
                    stuck: Some(at), ..
                }) = proof
                {
                    self.are_apart(&read.segments, contact.free_until)?;
                    // From then on a pair is within a nanometre of its distance.
                    let (before, of) = (contact.free_until - at, 1u64 << DEEPEST);
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

    /// A first contact as a certificate says it.
    fn contact(
        &self,
        path: &Path,
        segments: &[MotionSegment],
        reported: &ReportedContact,
    ) -> Result<FirstContact, CertifyError> {
        let [a, b] = reported.bodies;
        let is_of = |pair: &&Pair| {
            let [p, q] = pair.parts.map(|part| self.origins[self.solids[part].body]);
            [p.min(q), p.max(q)] == [a.min(b), a.max(b)]
        };
        for time in instants(path, reported.time) {
            let places = FloatMotion::new(&self.joints, segments).at(time);
            let mut search = NearestSearch::new(&self.solids, places);
            for pair in (self.pairs.iter()).filter(|pair| is_of(pair) && pair.during.has(time)) {
                search.look(pair.parts, pair.apart, SPARE);
            }
            if let Some(points) = search.points() {
                let free_until = instants(path, reported.free_until).first().copied();
                return Ok(FirstContact {
                    free_until: free_until.unwrap_or(0),
                    time,
                    points,
                });
            }
        }
        Err(CertifyError::NotFound(
            "no two triangles are within their distance at the contact".to_owned(),
        ))
    }

    /// Looks at one instant: a pair that is within its distance then, and not by rounding, is no
    /// matter of rounding before it either.
    fn are_apart(&self, segments: &[MotionSegment], instant: u64) -> Result<(), CertifyError> {
        let places = FloatMotion::new(&self.joints, segments).at(instant);
        // At an event it is what was said until then.
        let before = instant.saturating_sub(1);
        let mut search = NearestSearch::new(&self.solids, places);
        for pair in self.pairs.iter().filter(|pair| pair.during.has(before)) {
            search.look(pair.parts, pair.apart - 2.0 * SPARE, 0.0);
        }
        match search.points() {
            None => Ok(()),
            Some(_) => Err(CertifyError::Contradiction(
                "two triangles are within their distance when all is said to be free".to_owned(),
            )),
        }
    }

    /// Of all instants before `until`.
    fn proof(&self, segments: &[MotionSegment], until: u64) -> Result<(Vec<u8>, u64), NoProof> {
        let mut walk = Walk {
            maker: self,
            until,
            stuck: None,
            motion: FloatMotion::new(&self.joints, segments),
            same: vec![Vector3::zeros(); self.pairs.len()],
            parted: vec![false; self.pairs.len()],
            proof: Vec::new(),
            cells: 0,
        };
        let pairs = self.pairs.iter().enumerate();
        let all = pairs.map(|(pair, p)| Rectangle {
            pair,
            ranges: p.parts.map(|part| self.solids[part].all()),
            guess: Vector3::zeros(),
        });
        let begun = usize::try_from(until.div_ceil(1 << DEEPEST)).unwrap_or(usize::MAX);
        if begun > 0 {
            let first = walk.motion.first(begun.min(segments.len()));
            let walked = walk.visit(&first, &all.collect::<Vec<_>>());
            let stuck = walk.stuck;
            walked.map_err(|error| NoProof { error, stuck })?;
        }
        let before = until.min((segments.len() as u64) << DEEPEST);
        let rays = rays(&self.geometry, segments, (&walk.parted, before));
        walk.proof
            .extend(rays.map_err(|error| NoProof { error, stuck: None })?);
        Ok((walk.proof, walk.cells))
    }
}

#[derive(Debug, Clone, Copy)]
struct Rectangle {
    pair: usize,
    ranges: [Range; 2],
    /// A direction that may tell them apart, from a larger rectangle; 0: none is known.
    guess: Vector3<f64>,
}

/// Facts about a part in an interval.
#[derive(Debug, Clone)]
struct Known {
    distances: Vec<f64>,
    /// Seen from the world.
    bulge: FloatBulge,
}

/// Why there is no proof.
struct NoProof {
    error: CertifyError,
    /// Everything before this instant was settled, and then a pair is as near as rounding allows,
    /// though not within its distance.
    stuck: Option<u64>,
}

struct Walk<'m> {
    maker: &'m Maker,
    /// See [`NoProof`].
    stuck: Option<u64>,
    /// First instant of which nothing is to be said, in 2⁻⁴⁰ of a segment.
    until: u64,
    motion: FloatMotion<'m>,
    /// Per pair of parts, the direction along which it was last proved apart.
    same: Vec<Vector3<f64>>,
    /// Per pair of parts, whether all their triangles have once been proved apart together.
    parted: Vec<bool>,
    proof: Vec<u8>,
    cells: u64,
}

impl<'m> Walk<'m> {
    fn visit(&mut self, span: &FloatSpan, list: &[Rectangle]) -> Result<(), CertifyError> {
        if self.proof.len() > MOST {
            let why = "it would take too many cells".to_owned();
            return Err(CertifyError::NotFound(why));
        }
        let mut known = vec![None; self.maker.solids.len()];
        let mut view: Option<(usize, PairInInterval)> = None;
        let (mut later, mut open) = (Vec::new(), Vec::new());
        let [from, to] = span.segments();
        for &first in list {
            let during = self.maker.pairs[first.pair].during;
            if !during.and(&During { from, to }).is_any() {
                continue;
            }
            let view = match &mut view {
                Some((pair, view)) if *pair == first.pair => view,
                view => {
                    let made = self.view(span, first.pair, &mut known);
                    &mut view.insert((first.pair, made)).1
                }
            };
            open.push(first);
            while let Some(mut rectangle) = open.pop() {
                let Rectangle { pair, ranges, .. } = rectangle;
                let operation = self.operation(span, view, &mut rectangle)?;
                self.write(&operation);
                let side = match operation {
                    Operation::Later => {
                        later.push(rectangle);
                        continue;
                    }
                    Operation::Apart(along) => {
                        self.cells += 1;
                        self.parted[pair] |= ranges.iter().all(|range| range.id == 1);
                        if let (Along::Given(_), Some(Direction { n, .. })) = (along, &view.same) {
                            self.same[pair] = *n;
                        }
                        continue;
                    }
                    Operation::HalveA => 0,
                    Operation::HalveB => 1,
                };
                for half in ranges[side].halves().into_iter().flatten() {
                    let mut halved = rectangle;
                    halved.ranges[side] = half;
                    open.push(halved);
                }
            }
        }
        if later.is_empty() {
            return Ok(());
        }
        let Some([first, second]) = self.motion.halves(span) else {
            self.stuck = Some(span.start());
            let why = "an interval would have to be halved too often".to_owned();
            return Err(CertifyError::NotFound(why));
        };
        for half in [first, second] {
            if half.start() < self.until {
                self.visit(&half, &later)?;
            }
        }
        Ok(())
    }

    fn view<'v>(
        &self,
        span: &'v FloatSpan,
        pair: usize,
        known: &mut [Option<Known>],
    ) -> PairInInterval<'v>
    where
        'm: 'v,
    {
        let Pair {
            parts,
            apart,
            shared,
            ..
        } = self.maker.pairs[pair];
        let mut view = PairInInterval {
            levers: Some(Levers {
                motion: self.motion,
                span,
                shared,
            }),
            solids: parts.map(|part| &self.maker.solids[part]),
            ends: [[None; 2]; 2],
            count: span.ends.len(),
            bulges: [FloatBulge::default(); 2],
            need: apart,
            same: None,
        };
        for (side, part) in parts.into_iter().enumerate() {
            let solid = &self.maker.solids[part];
            if solid.chain.len() == shared {
                continue;
            }
            for (end, places) in span.ends.iter().enumerate() {
                view.ends[end][side] = self.motion.seen(places, solid, shared);
            }
            let known = known[part].get_or_insert_with(|| {
                let distances = self
                    .motion
                    .axis_distances(span, &solid.chain, &solid.middle);
                Known {
                    bulge: self.motion.bulge(span, &solid.chain, 0, &distances),
                    distances,
                }
            });
            view.bulges[side] = match shared {
                0 => known.bulge,
                _ => self
                    .motion
                    .bulge(span, &solid.chain, shared, &known.distances),
            };
        }
        let same = self.same[pair];
        view.same = (same != Vector3::zeros()).then(|| view.direction(same));
        view
    }

    fn operation(
        &self,
        span: &FloatSpan,
        view: &mut PairInInterval,
        rectangle: &mut Rectangle,
    ) -> Result<Operation, CertifyError> {
        let look = DirectionSearch::new(view, rectangle.ranges);
        match look.between_them(&rectangle.guess, span.depth() >= ASKED) {
            Between::Same => return Ok(Operation::Apart(Along::Same)),
            Between::Apart(direction) => {
                let Direction { n, .. } = direction;
                let given = [n.x, n.y, n.z].map(|x| x as i64);
                view.same = Some(direction);
                return Ok(Operation::Apart(Along::Given(given)));
            }
            Between::Within(nearest) => rectangle.guess = nearest,
        }
        let counts = rectangle.ranges.map(|r| r.to - r.from);
        if counts == [1, 1] {
            let apart = self.maker.pairs[rectangle.pair].apart - SPARE;
            let asked = span.is_on_path() && span.depth() >= ASKED && span.end() < self.until;
            if asked && look.distance() <= apart {
                let why = "two triangles are within their distance".to_owned();
                return Err(CertifyError::Contradiction(why));
            }
            let close = asked && span.depth() >= ASKED_WITH_ERRORS;
            if close && look.least_errors() > 0.0 && look.distance() <= apart + look.least_errors()
            {
                let why = "by the bounds of the checker errors may bring two triangles within their distance";
                return Err(CertifyError::NotFound(why.to_owned()));
            }
            return Ok(Operation::Later);
        }
        // A single triangle does not get smaller.
        let size = |side: usize| match counts[side] {
            1 => 0.0,
            _ => look.radius(side),
        };
        let [a, b] = [size(0), size(1)];
        Ok(match counts {
            _ if a + b < TIME * look.bulge + 2.0 * look.chord() => Operation::Later,
            [1, _] => Operation::HalveB,
            [_, 1] => Operation::HalveA,
            _ if a > b => Operation::HalveA,
            _ => Operation::HalveB,
        })
    }

    fn write(&mut self, operation: &Operation) {
        let code = match operation {
            Operation::Later => 0,
            Operation::HalveA => 1,
            Operation::HalveB => 2,
            Operation::Apart(Along::Same) => 3,
            Operation::Apart(Along::Given(n)) => {
                let fits = |bytes: u32| n.iter().all(|x| x.unsigned_abs() < 1 << (8 * bytes - 1));
                let size = (0..3).find(|&size| fits(1 << size)).unwrap_or(2);
                self.proof.push(4 + size as u8);
                for x in n {
                    self.proof.extend(&x.to_be_bytes()[8 - (1 << size)..]);
                }
                return;
            }
        };
        self.proof.push(code);
    }
}
