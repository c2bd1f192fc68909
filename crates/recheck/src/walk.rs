//! Lemmas 5 and 6: groups of triangles that are apart, and the walk that leaves none of them out.

use std::fmt::Display;
use std::rc::Rc;

use crate::Invalid;
use crate::cell::INSTANT_BITS;
use crate::contact::{STAYS, meet, moved};
use crate::files::{Certificate, During, END, Geometry, JointError};
use crate::inside::none_inside;
use crate::motion::{CellMotion, HUGE, PartBounds, Span};
use crate::numbers::{V3, dot, length_up};
use crate::pairs::{PartsToProve, part_pairs};
use crate::pose::{IntPose, lever};
use crate::shapes::{BodyPart, FEW, Range};

/// Rectangle of lemma 6.
#[derive(Debug, Clone, Copy)]
struct Rectangle {
    pair: usize,
    /// Triangles of both parts.
    ranges: [Range; 2],
}

/// The next step for a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Hand it on to both halves of the time.
    Later,
    /// Halve the triangles of the first part.
    HalveA,
    /// Halve those of the second part.
    HalveB,
    /// It is settled by lemma 5, along a direction from the second range to the first.
    Separated(Along),
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    /// The direction along which this pair of parts was last proved apart.
    Same,
    /// This one, in the frame that the parts share.
    Given(V3),
}

impl Operation {
    /// Takes the next one off the proof.
    fn next(proof: &mut &[u8]) -> Result<Self, Invalid> {
        let mut take = || {
            let (byte, left) = proof.split_first().ok_or("the proof ends too early")?;
            *proof = left;
            Ok::<_, Invalid>(*byte)
        };
        let operation = take()?;
        // A direction's coordinates have one, two or four bytes each, the highest first.
        let mut given = |bytes: u32| {
            let mut number = || {
                let first = i64::from(take()? as i8);
                (1..bytes).try_fold(first, |x, _| Ok::<_, Invalid>(x << 8 | i64::from(take()?)))
            };
            Ok::<_, Invalid>(Along::Given([number()?, number()?, number()?]))
        };
        Ok(match operation {
            0 => Operation::Later,
            1 => Operation::HalveA,
            2 => Operation::HalveB,
            3 => Operation::Separated(Along::Same),
            4..=6 => Operation::Separated(given(1 << (operation - 4))?),
            other => return Err(format!("operation {other} is none").into()),
        })
    }
}

/// A direction with its largest coordinate 2⁵⁴ or more and below 2⁵⁵, and a number not less than
/// its length.
#[derive(Debug, Clone, Copy, Default)]
struct Direction {
    n: V3,
    length: i64,
}

impl Direction {
    fn new(n: &V3) -> Self {
        let most = n.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0);
        // At most 2³¹ before.
        let n = n.map(|x| x << most.leading_zeros().saturating_sub(9));
        Direction {
            n,
            length: length_up(&n),
        }
    }
}

/// A part in an interval, seen from one of the joints that move it.
struct PartView<'g> {
    part: &'g BodyPart,
    /// The joint is this one of its chain; 0: seen from the world.
    shared: usize,
    /// Its poses at each end; `None`: fixed in the frame of that joint.
    ends: Option<Vec<IntPose>>,
    /// Distances of its middle from its axes, where it moves.
    distances: Option<Rc<Vec<i64>>>,
    /// How far its points can be from their chords.
    chord_bound: PartBounds,
    /// How far corners may be off for what is rounded in its poses, 2⁻⁴⁰ m.
    rounded: i64,
}

impl<'g> PartView<'g> {
    /// `known`: views of the same part in the same interval.
    fn new(
        motion: &CellMotion<'g>,
        span: &Span,
        part: &'g BodyPart,
        shared: usize,
        known: &[Rc<Self>],
    ) -> Self {
        let chain = motion.chain(part.body);
        let mut view = PartView {
            part,
            shared,
            ends: None,
            distances: None,
            chord_bound: PartBounds::default(),
            rounded: 0,
        };
        let Some(&last) = chain[shared..].last() else {
            return view;
        };
        let poses = span.ends.iter().map(|joint_poses| match shared {
            0 => joint_poses[last],
            k => joint_poses[chain[k - 1]].inverse_compose(&joint_poses[last]),
        });
        let poses: Vec<IntPose> = poses.collect();
        let rounded = |pose: &IntPose| pose.shift + lever(pose.turn + 512, part.far) + 2;
        view.rounded = poses.iter().map(rounded).max().unwrap_or(0);
        view.ends = Some(poses);
        let distances = known.iter().find_map(|view| view.distances.clone());
        let distances =
            distances.unwrap_or_else(|| Rc::new(motion.axis_distances(span, chain, &part.middle)));
        view.chord_bound = motion.chord_bound(span, chain, shared, &distances);
        view.distances = Some(distances);
        view
    }
}

/// A pair of parts in an interval, seen from the joint that both share.
struct View<'v, 'g> {
    motion: &'v CellMotion<'g>,
    span: &'v Span,
    sides: [Rc<PartView<'g>>; 2],
    /// The gap that is needed between corners, before chord bounds, 2⁻⁴⁰ m.
    need: i64,
}

impl<'v, 'g> View<'v, 'g> {
    /// `known`: of each part, its views that were made for other pairs.
    fn new(
        motion: &'v CellMotion<'g>,
        span: &'v Span,
        pair: &PartsToProve,
        known: &mut [Vec<Rc<PartView<'g>>>],
    ) -> Self {
        let sides = [pair.a, pair.b].map(|part| {
            let (part, known) = (&motion.geometry.parts[part], &mut known[part]);
            let found = known.iter().find(|view| view.shared == pair.shared);
            found.map(Rc::clone).unwrap_or_else(|| {
                let made = Rc::new(PartView::new(motion, span, part, pair.shared, known));
                known.push(Rc::clone(&made));
                made
            })
        });
        View {
            motion,
            span,
            need: pair.required_gap + sides[0].rounded + sides[1].rounded,
            sides,
        }
    }

    /// Lemmas 5 and 9.
    fn are_separated(&self, ranges: &[Range; 2], along: &Direction) -> bool {
        let boxes = [0, 1].map(|side| self.sides[side].part.around(&ranges[side]));
        let farthest = boxes.map(|around| around.farthest);
        let chord_bounds = [0, 1].map(|side| self.sides[side].chord_bound.at(farthest[side]));
        let errors = [0, 1].map(|side| self.sides[side].chord_bound.by_errors.at(farthest[side]));
        // The sum of all four has no room.
        let mut bounds = chord_bounds.iter().chain(&errors);
        if along.length == 0 || bounds.any(|&bound| bound >= HUGE / 4) {
            return false;
        }
        let chord_bound = chord_bounds[0] + chord_bounds[1];
        let times = |length: i64| i128::from(along.length) * i128::from(length);
        let need = times(self.need + chord_bound);
        let errors = errors.map(times);
        (0..self.span.ends.len()).all(|end| {
            let n = &along.n;
            let mut between = 0;
            let mut turned = [*n, n.map(|x| -x)];
            for (side, turned) in self.sides.iter().zip(&mut turned) {
                if let Some(poses) = &side.ends {
                    let pose = &poses[end];
                    between += dot(turned, &pose.translation);
                    *turned = pose.turned_back(turned);
                }
            }
            let least = [0, 1].map(|side| boxes[side].bounds.least_along(&turned[side]));
            if between + least[0] + least[1] > need + errors[0] + errors[1] {
                return true;
            }
            let closer = [0, 1].map(|side| {
                let (view, range) = (&self.sides[side], &ranges[side]);
                if range.to - range.from > FEW {
                    return least[side] - errors[side];
                }
                let is_constant = view.chord_bound.by_errors.is_constant();
                let each = |p: &V3| times(self.errors_of(view, p));
                let less = |p: &V3| if is_constant { errors[side] } else { each(p) };
                view.part.least_along(&turned[side], range, less)
            });
            between + closer[0] + closer[1] > need
        })
    }
}

impl View<'_, '_> {
    /// How far errors take a corner, by its own distances from the axes.
    fn errors_of(&self, side: &PartView, p: &V3) -> i64 {
        let chain = self.motion.chain(side.part.body);
        let distances = self.motion.axis_distances(self.span, chain, p);
        let chord_bound = (self.motion).chord_bound(self.span, chain, side.shared, &distances);
        chord_bound.by_errors.at(0)
    }
}

/// The walk over all that is to be proved.
struct Walk<'g, 'w> {
    motion: CellMotion<'g>,
    pairs: Vec<PartsToProve>,
    /// First instant of which nothing is said.
    until: u64,
    /// Operations that are left.
    proof: &'g [u8],
    /// Per pair of parts, the direction along which it was last proved apart.
    same: Vec<Direction>,
    /// Per pair of parts, whether lemma 5 has once settled all their triangles together.
    parted: Vec<bool>,
    /// Rectangles that lemma 5 has settled.
    settled: u64,
    /// Is told of each of them: the number of its pair of parts, and the interval.
    watch: &'w mut dyn FnMut(usize, &Span),
}

/// Checks a certificate: all of its statement is proved, by so many cells. `watch` is told of each:
/// which pair of parts, and when.
///
/// # Errors
/// The first cell that does not hold, and why.
pub fn check(
    geometry: &Geometry,
    certificate: &Certificate,
    watch: &mut dyn FnMut(usize, &Span),
) -> Result<u64, Invalid> {
    let count = certificate.segments.len() as u64;
    if !(1..END as u64).contains(&count) {
        return Err("there is no motion, or one of too many segments".into());
    }
    let ranges = geometry.bodies.iter().map(|body| body.during);
    let mut ranges = ranges.chain(geometry.pairs.iter().map(|pair| pair.during));
    if ranges.any(|during| during.from as u64 >= count) {
        return Err("the geometry file is about a longer motion".into());
    }
    let pairs = part_pairs(geometry);
    let motion = CellMotion::new(geometry, &certificate.segments);
    for (body, is) in geometry.bodies.iter().enumerate() {
        if moved(&motion, body)?.is_some_and(|moved| moved.uncovered >= STAYS) {
            return Err(format!(
                "{:?} is handed over as segment {} begins, joints may be off then, and its frame takes in less than that",
                is.name, is.during.from
            )
            .into());
        }
    }
    let mut until = count << INSTANT_BITS;
    if pairs.is_empty() {
        return Err("no pair of bodies is checked".into());
    }
    if let Some(contact) = &certificate.contact {
        let has_error = |error: &JointError| *error != JointError::default();
        let values = certificate.segments.iter().flat_map(|s| &s.value_errors);
        if geometry.joints.iter().any(|j| has_error(&j.error)) || values.into_iter().any(|&x| x > 0)
        {
            return Err("a contact is one of one motion, and something may be off".into());
        }
        let bodies = contact.points.map(|on| on.part);
        let mut then = pairs.iter().filter(|pair| pair.during.has(contact.time));
        let pair = then.find(|pair| [pair.a, pair.b] == bodies);
        let pair = pair.ok_or("the contact is one of no pair that is checked")?;
        if contact.free_until > contact.time || !meet(&motion, contact, pair.required_gap)? {
            return Err("the contact is not shown".into());
        }
        until = contact.free_until;
    }
    let mut walk = Walk {
        motion,
        until,
        same: vec![Direction::default(); pairs.len()],
        parted: vec![false; pairs.len()],
        pairs,
        proof: &certificate.proof,
        settled: 0,
        watch,
    };
    let all = walk.pairs.iter().enumerate().map(|(pair, p)| Rectangle {
        pair,
        ranges: [p.a, p.b].map(|part| geometry.parts[part].all()),
    });
    let all: Vec<Rectangle> = all.collect();
    // Those that begin before.
    let segments = until.div_ceil(1 << INSTANT_BITS) as usize;
    if segments > 0 {
        walk.visit(&walk.motion.first(segments), &all)?;
    }
    let (pairs, parted, proof) = (&walk.pairs, &walk.parted, &mut walk.proof);
    none_inside(&walk.motion, pairs, parted, until, &mut |_| {
        let (ray, left) = proof
            .split_first_chunk()
            .ok_or("the proof ends too early")?;
        *proof = left;
        Ok(ray.map(|byte: u8| byte as i8))
    })?;
    if walk.proof.is_empty() {
        Ok(walk.settled)
    } else {
        Err("the proof goes on after its end".into())
    }
}

impl Walk<'_, '_> {
    fn visit(&mut self, span: &Span, list: &[Rectangle]) -> Result<(), Invalid> {
        let mut known = vec![Vec::new(); self.motion.geometry.parts.len()];
        let mut view: Option<(usize, View)> = None;
        let (mut later, mut open) = (Vec::new(), Vec::new());
        let (from, to) = span.segments;
        for &first in list {
            let during = self.pairs[first.pair].during;
            if !during.and(&During { from, to }).is_any() {
                continue;
            }
            let view = match &view {
                Some((pair, view)) if *pair == first.pair => view,
                _ => {
                    let made = View::new(&self.motion, span, &self.pairs[first.pair], &mut known);
                    &view.insert((first.pair, made)).1
                }
            };
            open.push(first);
            while let Some(rectangle) = open.pop() {
                let Rectangle { pair, ranges } = rectangle;
                let operation = Operation::next(&mut self.proof);
                let side = match operation.map_err(|e| self.fault(span, &rectangle, e))? {
                    Operation::HalveA => 0,
                    Operation::HalveB => 1,
                    Operation::Later => {
                        later.push(rectangle);
                        continue;
                    }
                    Operation::Separated(along) => {
                        if let Along::Given(n) = along {
                            self.same[pair] = Direction::new(&n);
                        }
                        if !view.are_separated(&ranges, &self.same[pair]) {
                            let why = "they are not shown to be apart";
                            return Err(self.fault(span, &rectangle, why));
                        }
                        self.settled += 1;
                        self.parted[pair] |= ranges.iter().all(|range| range.id == 1);
                        (self.watch)(pair, span);
                        continue;
                    }
                };
                let Some(halves) = ranges[side].halves() else {
                    return Err(self.fault(span, &rectangle, "one triangle is not halved"));
                };
                for half in halves {
                    let mut ranges = ranges;
                    ranges[side] = half;
                    open.push(Rectangle { pair, ranges });
                }
            }
        }
        if later.is_empty() {
            return Ok(());
        }
        for half in self.motion.halves(span)? {
            if half.start() < self.until {
                self.visit(&half, &later)?;
            }
        }
        Ok(())
    }

    fn fault(&self, span: &Span, rectangle: &Rectangle, why: impl Display) -> Invalid {
        let (geometry, pair) = (self.motion.geometry, &self.pairs[rectangle.pair]);
        let side = |part: usize, range: &Range| {
            let body = &geometry.bodies[geometry.parts[part].body];
            let name = body.name.escape_debug();
            format!("{name}, triangles {} to {}", range.from, range.to)
        };
        let ([r, s], (first, end)) = (&rectangle.ranges, span.segments);
        let (a, b) = (side(pair.a, r), side(pair.b, s));
        let (cell, index, of) = (self.settled, span.index, 1u64 << span.depth);
        Invalid::from(format!(
            "cell {cell}: {a}, and {b}, in segments {first} to {end}, interval {index} of {of}: {why}"
        ))
    }
}
