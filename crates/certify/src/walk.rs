//! Finds how a question is taken apart so that the checker settles each piece of it.
//!
//! It walks as the checker does, but in floating point, and says what to do with each rectangle. It
//! leaves a nanometre more than is needed: what the numbers here are off by is far less, so the
//! checker's integers agree.

use std::rc::Rc;

use clearance_recheck::files::During;
use clearance_recheck::shapes::Range;
use clearance_recheck::walk::{Along, Operation};
use nalgebra::Vector3;

use crate::CertifyError;
use crate::drive::{FloatMotion, FloatSpan};
use crate::float_part::FloatPart;
use crate::look::{
    Between, Direction, DirectionSearch, PairInInterval, PairJoints, PartInInterval,
};

/// The reserve for rounding, metres.
pub(crate) const SPARE: f64 = 1e-9;
/// No certificate has more bytes of operations.
const MOST: usize = 200_000_000;
/// Time is halved rather than triangles where both ranges are smaller than so many times what they
/// may be from their chords.
const TIME: f64 = 10.0;
/// From an interval of a segment that was halved so often on, two triangles that are not apart are
/// asked whether they are within their distance.
const ASKED: u32 = 5;
/// The same where errors count: their levers are known the better the shorter an interval is.
const ASKED_WITH_ERRORS: u32 = 24;

/// Two parts of two bodies.
#[derive(Debug)]
pub(crate) struct PairToProve {
    pub(crate) parts: [usize; 2],
    /// The distance to be proved: D plus both radii, plus a reserve for rounding, metres.
    pub(crate) required_gap: f64,
    /// How many joints both chains share.
    pub(crate) shared: usize,
    /// Of which segments it is to be proved.
    pub(crate) during: During,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Rectangle {
    pub(crate) pair: usize,
    pub(crate) ranges: [Range; 2],
    /// A direction that may tell them apart, from a larger rectangle; 0: none is known.
    pub(crate) guess: Vector3<f64>,
}

/// Why there is no proof.
pub(crate) struct NoProof {
    pub(crate) error: CertifyError,
    /// Everything before this instant was settled, and then a pair is as near as rounding allows,
    /// though not within its distance.
    pub(crate) stuck: Option<u64>,
}

pub(crate) struct ProofWalk<'m> {
    pub(crate) pairs: &'m [PairToProve],
    pub(crate) parts: &'m [FloatPart],
    /// See [`NoProof`].
    pub(crate) stuck: Option<u64>,
    /// First instant of which nothing is to be said, in 2⁻⁴⁰ of a segment.
    pub(crate) until: u64,
    pub(crate) motion: FloatMotion<'m>,
    /// Per pair of parts, the direction along which it was last proved apart.
    pub(crate) same: Vec<Vector3<f64>>,
    /// Per pair of parts, whether all their triangles have once been proved apart together.
    pub(crate) parted: Vec<bool>,
    /// Of each part, how it is seen in the interval that is looked at; empty in between.
    pub(crate) known: Vec<Vec<Rc<PartInInterval>>>,
    pub(crate) proof: Vec<u8>,
    pub(crate) cells: u64,
}

impl<'m> ProofWalk<'m> {
    pub(crate) fn visit(
        &mut self,
        span: &FloatSpan,
        list: &[Rectangle],
    ) -> Result<(), CertifyError> {
        if self.proof.len() > MOST {
            let why = "it would take too many cells".to_owned();
            return Err(CertifyError::NotFound(why));
        }
        let mut known = std::mem::take(&mut self.known);
        let mut view: Option<(usize, PairInInterval)> = None;
        let (mut later, mut open) = (Vec::new(), Vec::new());
        let [from, to] = span.segments();
        for &first in list {
            let during = self.pairs[first.pair].during;
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
                    Operation::Separated(along) => {
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
        known.iter_mut().for_each(Vec::clear);
        self.known = known;
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
        known: &mut [Vec<Rc<PartInInterval>>],
    ) -> PairInInterval<'v>
    where
        'm: 'v,
    {
        let PairToProve {
            parts,
            required_gap,
            shared,
            ..
        } = self.pairs[pair];
        let mut view = PairInInterval {
            levers: Some(PairJoints {
                motion: self.motion,
                span,
                shared,
            }),
            parts: parts.map(|part| &self.parts[part]),
            sides: parts.map(|part| self.seen(span, part, shared, &mut known[part])),
            count: span.ends.len(),
            need: required_gap,
            same: None,
        };
        let same = self.same[pair];
        view.same = (same != Vector3::zeros()).then(|| view.direction(same));
        view
    }

    /// A part as it is seen from a joint; `known`: as it was for other pairs.
    fn seen(
        &self,
        span: &FloatSpan,
        part: usize,
        shared: usize,
        known: &mut Vec<Rc<PartInInterval>>,
    ) -> Rc<PartInInterval> {
        if let Some(found) = known.iter().find(|seen| seen.shared == shared) {
            return Rc::clone(found);
        }
        let part = &self.parts[part];
        let mut seen = PartInInterval {
            shared,
            ..PartInInterval::default()
        };
        if part.chain.len() > shared {
            for (pose, poses) in seen.ends.iter_mut().zip(&span.ends) {
                *pose = self.motion.pose_from_shared_joint(poses, part, shared);
            }
            let distances = known.iter().find_map(|seen| seen.distances.clone());
            let distances = distances.unwrap_or_else(|| {
                Rc::new(self.motion.axis_distances(span, &part.chain, &part.middle))
            });
            seen.chord_bound = (self.motion).chord_bound(span, &part.chain, shared, &distances);
            seen.distances = Some(distances);
        }
        let seen = Rc::new(seen);
        known.push(Rc::clone(&seen));
        seen
    }

    fn operation(
        &self,
        span: &FloatSpan,
        view: &mut PairInInterval,
        rectangle: &mut Rectangle,
    ) -> Result<Operation, CertifyError> {
        let mut look = DirectionSearch::new(view, rectangle.ranges);
        match look.between_them(&rectangle.guess, span.depth() >= ASKED) {
            Between::Same => return Ok(Operation::Separated(Along::Same)),
            Between::Separated => {
                let Direction { n, .. } = look.tried;
                let given = [n.x, n.y, n.z].map(|x| x as i64);
                view.same = Some(look.tried);
                return Ok(Operation::Separated(Along::Given(given)));
            }
            Between::Within(nearest) => rectangle.guess = nearest,
        }
        let counts = rectangle.ranges.map(|r| r.to - r.from);
        if counts == [1, 1] {
            let required_gap = self.pairs[rectangle.pair].required_gap - SPARE;
            let asked = span.is_on_path() && span.depth() >= ASKED && span.end() < self.until;
            if asked && look.distance() <= required_gap {
                let why = "two triangles are within their distance".to_owned();
                return Err(CertifyError::Contradiction(why));
            }
            let close = asked && span.depth() >= ASKED_WITH_ERRORS;
            if close
                && look.least_errors() > 0.0
                && look.distance() <= required_gap + look.least_errors()
            {
                let why = "by the bounds of the checker errors may bring two triangles within their distance";
                return Err(CertifyError::NotFound(why.to_owned()));
            }
            return Ok(Operation::Later);
        }
        // A single triangle does not get smaller.
        let size = |side: usize| match counts[side] {
            1 => 0.0,
            _ => look.size(side),
        };
        let [a, b] = [size(0), size(1)];
        let by_time = a + b < TIME * look.chord_bound + look.chord();
        Ok(match counts {
            _ if by_time || look.is_apart_at_ends() => Operation::Later,
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
            Operation::Separated(Along::Same) => 3,
            Operation::Separated(Along::Given(n)) => {
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
