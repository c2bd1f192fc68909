//! Lemmas 1 to 4: what joints do in an interval, where that takes the parts, and how far from a
//! chord.

use std::rc::Rc;

use crate::Invalid;
use crate::cell::INSTANT_BITS;
use crate::files::{Geometry, JointMotion, MotionSegment};
use crate::numbers::{V3, cross, length_roughly, length_up, minus};
use crate::pose::{IntPose, lever};

/// How far a joint's value can get from the middle of a stretch, or its speed and acceleration in
/// an interval's own unit time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drive {
    /// V of lemma 1, or Δ of lemma 4, 2⁻⁴⁰.
    pub speed: i64,
    /// A of lemma 1; 0 for a stretch, 2⁻⁴⁰.
    pub acceleration: i64,
}

/// An interval of the motion.
#[derive(Debug, Clone)]
pub struct Span {
    /// First segment, and the one after the last.
    pub segments: (usize, usize),
    /// Which interval of a segment: number `index` of 2^`depth`.
    pub index: u64,
    /// How often the segment was halved.
    pub depth: u32,
    /// Bernstein coefficients of each joint, 2⁻⁹⁰; empty for a stretch.
    curves: Vec<[i128; 6]>,
    /// How each joint moves.
    pub drives: Vec<Drive>,
    /// How far the value of each joint may be off its polynomial, 2⁻⁴⁰.
    value_errors: Rc<Vec<i64>>,
    /// Poses of all joints: at both ends, or at the middle values of a stretch.
    pub ends: Vec<Rc<Vec<IntPose>>>,
}

/// A motion of the joints of a cell.
#[derive(Debug, Clone)]
pub struct CellMotion<'g> {
    /// The cell.
    pub geometry: &'g Geometry,
    segments: &'g [MotionSegment],
    /// Joints from the world to each one, itself included.
    chains: Vec<Vec<usize>>,
    /// Whether each joint carries a part. The others concern nothing: they are taken to stand still.
    carries: Vec<bool>,
}

/// Bernstein coefficients of a polynomial with coefficients in 2⁻⁵⁰; each is off by less than 1.
fn bernstein(c: &[i64; 6]) -> [i128; 6] {
    // C(i, k), and 10 / C(5, k).
    const CHOOSE: [[i128; 6]; 6] = [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 2, 1, 0, 0, 0],
        [1, 3, 3, 1, 0, 0],
        [1, 4, 6, 4, 1, 0],
        [1, 5, 10, 10, 5, 1],
    ];
    const TENTHS: [i128; 6] = [10, 2, 1, 1, 2, 10];
    CHOOSE.map(|row| {
        let terms = (0..6).map(|k| row[k] * TENTHS[k] * i128::from(c[k]));
        (terms.sum::<i128>() << 40).div_euclid(10)
    })
}

/// De Casteljau: the same polynomial on both halves.
fn halved(b: &[i128; 6]) -> [[i128; 6]; 2] {
    let (mut row, mut first, mut second) = (*b, [b[0]; 6], [b[5]; 6]);
    for k in 1..6 {
        for i in 0..6 - k {
            row[i] = (row[i] + row[i + 1]) >> 1;
        }
        first[k] = row[0];
        second[5 - k] = row[5 - k];
    }
    [first, second]
}

/// From 2⁻⁹⁰ to 2⁻⁴⁰, upwards by more than what all numbers here are off by.
fn up(x: i128) -> i64 {
    (x >> 50) as i64 + 2
}

/// Lemma 1, for a joint that moves.
fn drive(b: &[i128; 6]) -> Drive {
    let first = (0..5).map(|i| (b[i + 1] - b[i]).abs());
    let second = (0..4).map(|i| (b[i + 2] - 2 * b[i + 1] + b[i]).abs());
    Drive {
        speed: up(5 * first.max().unwrap_or(0)),
        acceleration: up(20 * second.max().unwrap_or(0)),
    }
}

impl Span {
    /// Its first instant.
    pub fn start(&self) -> u64 {
        ((self.segments.0 as u64) << INSTANT_BITS) + (self.index << (INSTANT_BITS - self.depth))
    }
}

impl<'g> CellMotion<'g> {
    /// A motion.
    pub fn new(geometry: &'g Geometry, segments: &'g [MotionSegment]) -> Self {
        let mut chains: Vec<Vec<usize>> = Vec::new();
        for (index, joint) in geometry.joints.iter().enumerate() {
            let mut chain = joint.parent.map_or(Vec::new(), |p| chains[p].clone());
            chain.push(index);
            chains.push(chain);
        }
        let mut carries = vec![false; chains.len()];
        for part in &geometry.parts {
            let joint = geometry.bodies[part.body].joint;
            for &j in joint.map_or(&[][..], |j| &chains[j]) {
                carries[j] = true;
            }
        }
        CellMotion {
            geometry,
            segments,
            chains,
            carries,
        }
    }

    /// Joints from the world to a body.
    pub fn chain(&self, body: usize) -> &[usize] {
        let joint = self.geometry.bodies[body].joint;
        joint.map_or(&[], |j| &self.chains[j])
    }

    /// The first segments of the motion, at least one.
    pub fn first(&self, segments: usize) -> Span {
        self.stretch(0, segments)
    }

    /// An instant: its one end has the poses of all joints.
    ///
    /// # Errors
    /// When the motion is over by then.
    pub fn at(&self, instant: u64) -> Result<Span, Invalid> {
        let count = self.segments.len() as u64;
        let (mut segment, mut share) = (instant >> INSTANT_BITS, instant % (1 << INSTANT_BITS));
        if segment == count && share == 0 && count > 0 {
            (segment, share) = (count - 1, 1 << INSTANT_BITS);
        }
        if segment >= count {
            return Err("an instant after the end of the motion".into());
        }
        let mut span = self.stretch(segment as usize, segment as usize + 1);
        if share == 1 << INSTANT_BITS {
            span.ends.swap(0, 1);
        } else if share > 0 {
            for bit in (0..INSTANT_BITS).rev() {
                let [first, second] = self.halves(&span)?;
                span = if share >> bit & 1 == 0 { first } else { second };
            }
        }
        span.ends.truncate(1);
        span.drives.fill(Drive::default());
        Ok(span)
    }

    fn stretch(&self, from: usize, to: usize) -> Span {
        let joints = 0..self.geometry.joints.len();
        let value_error = |j: usize| {
            self.segments[from..to]
                .iter()
                .map(|s| s.value_errors[j])
                .max()
        };
        let mut span = Span {
            segments: (from, to),
            index: 0,
            depth: 0,
            curves: Vec::new(),
            drives: Vec::new(),
            value_errors: Rc::new(
                joints
                    .clone()
                    .map(|j| value_error(j).unwrap_or(0))
                    .collect(),
            ),
            ends: Vec::new(),
        };
        if to - from == 1 {
            let segment = &self.segments[from];
            let curve = |j: usize| {
                let moves = self.carries[j].then(|| bernstein(&segment.joints[j]));
                moves.unwrap_or_default()
            };
            span.curves = joints.map(curve).collect();
            self.set(&mut span, None);
            let ends = [0, 5].map(|k| Rc::new(self.poses(&span.curves, |b| b[k], None)));
            span.ends = ends.into();
            return span;
        }
        let range = |j: usize| {
            if !self.carries[j] {
                return [0; 6];
            }
            let segments = self.segments[from..to].iter();
            let all = segments.flat_map(|s| bernstein(&s.joints[j]));
            let (least, most) = all.fold((i128::MAX, i128::MIN), |(l, h), x| (l.min(x), h.max(x)));
            [least, most, 0, 0, 0, 0]
        };
        let ranges: Vec<[i128; 6]> = joints.map(range).collect();
        let middle = |b: &[i128; 6]| (b[0] + b[1]) >> 1;
        span.ends = vec![Rc::new(self.poses(&ranges, middle, None))];
        let drive = |b: &[i128; 6]| match b[1] - b[0] {
            0 => Drive::default(),
            width => Drive {
                speed: up(width >> 1),
                acceleration: 0,
            },
        };
        span.drives = ranges.iter().map(drive).collect();
        span
    }

    /// A joint that stands still in a segment does so in every interval of it, whatever is rounded.
    fn set(&self, span: &mut Span, above: Option<&Span>) {
        let still = |j: usize| match above {
            Some(above) => above.drives[j] == Drive::default(),
            None => !self.carries[j] || self.segments[span.segments.0].joints[j][1..] == [0; 5],
        };
        let drive = |(j, curve): (usize, _)| {
            if still(j) {
                Drive::default()
            } else {
                drive(curve)
            }
        };
        span.drives = span.curves.iter().enumerate().map(drive).collect();
    }

    /// Poses of the moving frames of all joints; those that do not move against `like` are taken
    /// over from there.
    fn poses(
        &self,
        curves: &[[i128; 6]],
        value: impl Fn(&[i128; 6]) -> i128,
        like: Option<(&Span, &[IntPose])>,
    ) -> Vec<IntPose> {
        let mut poses: Vec<IntPose> = Vec::with_capacity(curves.len());
        let mut same = vec![false; curves.len()];
        for (j, joint) in self.geometry.joints.iter().enumerate() {
            if !self.carries[j] {
                poses.push(joint.parent_from_joint);
                continue;
            }
            if let Some((span, there)) = like
                && span.drives[j].speed == 0
                && joint.parent.is_none_or(|p| same[p])
            {
                same[j] = true;
                poses.push(there[j]);
                continue;
            }
            let value = value(&curves[j]);
            let moved = joint.parent_from_joint.compose(&match joint.kind {
                JointMotion::Turns => IntPose::turning(&joint.axis, value),
                JointMotion::Slides | JointMotion::Stands => IntPose::sliding(&joint.axis, value),
            });
            poses.push(joint.parent.map_or(moved, |p| poses[p].compose(&moved)));
        }
        poses
    }

    /// Both halves of an interval.
    ///
    /// # Errors
    /// When it was halved too often.
    pub fn halves(&self, span: &Span) -> Result<[Span; 2], Invalid> {
        let (from, to) = span.segments;
        if to - from > 1 {
            let middle = from + (to - from) / 2;
            return Ok([self.stretch(from, middle), self.stretch(middle, to)]);
        }
        if span.depth == INSTANT_BITS {
            return Err("an interval is halved too often".into());
        }
        let halves = span.curves.iter().zip(&self.carries);
        let halves = halves.map(
            |(curve, &carries)| {
                if carries { halved(curve) } else { [*curve; 2] }
            },
        );
        let halves: Vec<_> = halves.collect();
        let [first, last] = [&span.ends[0], &span.ends[1]];
        let curves = |k: usize| halves.iter().map(|h| h[k]).collect::<Vec<_>>();
        let first_half = curves(0);
        let middle = Rc::new(self.poses(&first_half, |b| b[5], Some((span, first))));
        let half = |k: u64, curves, ends: [&Rc<Vec<IntPose>>; 2]| {
            let mut half = Span {
                index: 2 * span.index + k,
                depth: span.depth + 1,
                curves,
                ends: ends.map(Rc::clone).into(),
                ..span.clone()
            };
            self.set(&mut half, Some(span));
            half
        };
        Ok([
            half(0, first_half, [first, &middle]),
            half(1, curves(1), [&middle, last]),
        ])
    }
}

/// A bound that grows with the distance from a reference point: `base` + `slope`·d, 2⁻⁴⁰.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GrowingBound {
    base: i64,
    slope: i64,
}

impl GrowingBound {
    /// For points within this distance, 2⁻⁴⁰ m.
    pub fn at(&self, distance: i64) -> i64 {
        plus(self.base, times(self.slope, distance))
    }

    /// Whether it is the same for all points.
    pub fn is_constant(&self) -> bool {
        self.slope == 0
    }
}

/// How far the points of a part can be from their chords, by lemma 3 (or 4), and what lemma 9 adds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartBounds {
    by_speed: GrowingBound,
    by_acceleration: Option<GrowingBound>,
    /// How far errors take its points.
    pub by_errors: GrowingBound,
}

impl PartBounds {
    /// Nothing moves, nor is anything off.
    pub fn is_none(&self) -> bool {
        *self == PartBounds::default()
    }

    /// Of points within this distance of the reference point, without errors, 2⁻⁴⁰ m.
    pub fn at(&self, distance: i64) -> i64 {
        let first = self.by_speed.at(distance);
        self.by_acceleration
            .map_or(first, |second| first.min(second.at(distance)))
    }
}

/// By which a joint that slides moves every point for each metre of its value.
const ONE_METRE: i64 = 1 << 40;

/// Bounds stay below it, 2⁻⁴⁰: one that got there bounds nothing, and no bound from a quarter of it on
/// counts.
pub const HUGE: i64 = 1 << 61;

/// The product of two numbers ≥ 0 in units of 2⁻⁴⁰, upwards.
fn times(a: i64, b: i64) -> i64 {
    match (a, b) {
        (0, _) | (_, 0) => 0,
        (HUGE.., _) | (_, HUGE..) => HUGE,
        _ => (((i128::from(a) * i128::from(b)) >> 40) + 1).min(i128::from(HUGE)) as i64,
    }
}

/// Their sum.
fn plus(a: i64, b: i64) -> i64 {
    (a + b).min(HUGE)
}

/// A share of one, upwards.
fn over(a: i64, share: i64) -> i64 {
    if a >= HUGE { HUGE } else { a / share + 1 }
}

impl CellMotion<'_> {
    /// Lemma 2: bounds of the distances of a point (given in the frame of its part) from the axes
    /// of its chain, or from the origins of frames that may be turned.
    pub fn axis_distances(&self, span: &Span, chain: &[usize], point: &V3) -> Vec<i64> {
        let Some(&last) = chain.last() else {
            return Vec::new();
        };
        let joints = &self.geometry.joints;
        let far = length_roughly(point);
        let ends: Vec<(&[IntPose], V3)> = (span.ends.iter())
            .map(|poses| (&poses[..], poses[last].apply(point)))
            .collect();
        let mut bounds = vec![0; chain.len()];
        let mut beyond = 0;
        for (k, &j) in chain.iter().enumerate().rev() {
            let turns = joints[j].kind == JointMotion::Turns;
            if turns || joints[j].error.turn > 0 {
                let at = |(poses, placed): &(&[IntPose], V3)| {
                    let frame = &poses[j];
                    let arm = minus(placed, &frame.translation);
                    let across = if turns {
                        cross(&frame.turned(&joints[j].axis), &arm)
                    } else {
                        arm
                    };
                    let error = lever(frame.turn + 8, length_roughly(&arm)) + frame.shift;
                    let error = error + poses[last].shift + lever(poses[last].turn, far) + 4;
                    length_up(&across) + error
                };
                let sum: i64 = ends.iter().map(at).sum();
                bounds[k] = match ends.len() {
                    1 => plus(sum, beyond),
                    _ => over(plus(sum, beyond), 2),
                };
            }
            let rate = if turns { bounds[k] } else { ONE_METRE };
            beyond = plus(beyond, times(span.drives[j].speed, rate));
        }
        bounds
    }

    /// Lemmas 3, 4 and 9, seen from the frame of the joint number `shared` of a chain.
    pub fn chord_bound(
        &self,
        span: &Span,
        chain: &[usize],
        shared: usize,
        distances: &[i64],
    ) -> PartBounds {
        let (mut first, mut second) = (GrowingBound::default(), GrowingBound::default());
        let mut by_errors = GrowingBound::default();
        let mut turned = 0;
        for (&j, &distance) in chain.iter().zip(distances).skip(shared) {
            let Drive {
                speed,
                acceleration,
            } = span.drives[j];
            let joint = &self.geometry.joints[j];
            let turns = joint.kind == JointMotion::Turns;
            let (shift, turn) = if turns {
                (joint.error.shift, joint.error.turn + span.value_errors[j])
            } else {
                (joint.error.shift + span.value_errors[j], joint.error.turn)
            };
            by_errors.base = plus(by_errors.base, plus(shift, times(turn, distance)));
            by_errors.slope = plus(by_errors.slope, turn);
            let distance = if turns { distance } else { ONE_METRE };
            let mut weight = plus(acceleration, times(plus(speed, speed), turned));
            if turns {
                weight = plus(weight, times(speed, speed));
                first.slope = plus(first.slope, speed);
                second.slope = plus(second.slope, weight);
                turned = plus(turned, speed);
            }
            first.base = plus(first.base, times(speed, distance));
            second.base = plus(second.base, times(weight, distance));
        }
        let part = |whole: GrowingBound, share: i64| GrowingBound {
            base: over(whole.base, share),
            slope: over(whole.slope, share),
        };
        let still = first == GrowingBound::default();
        let (by_speed, by_acceleration) = match span.ends.len() {
            ends if still || ends == 1 => (first, None),
            _ => (part(first, 2), Some(part(second, 8))),
        };
        PartBounds {
            by_speed,
            by_acceleration,
            by_errors,
        }
    }
}

#[cfg(test)]
mod tests;
