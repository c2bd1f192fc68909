//! Lemmas 1 to 4 and 9 of the checker in floating point: what joints do in an interval, where that
//! takes the parts, and how far from a chord. Nothing is rounded towards anything here: the maker
//! leaves a nanometre for that.

use std::rc::Rc;

use clearance_recheck::cell::INSTANT_BITS;
use clearance_recheck::files::{CellJoint, JointMotion, MotionSegment};
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

use crate::float_part::{FloatPart, METRE, metres};

/// Units of coefficients, and of entries of rotations.
const VALUE: f64 = (1u64 << 50) as f64;
const SHARE: f64 = (1u64 << 60) as f64;

/// A rigid motion, with the axis of its joint in the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FloatPose {
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vector3<f64>,
    axis: Vector3<f64>,
}

impl FloatPose {
    fn compose(&self, inner: &FloatPose) -> FloatPose {
        FloatPose {
            rotation: self.rotation * inner.rotation,
            translation: self.rotation * inner.translation + self.translation,
            axis: self.rotation * inner.axis,
        }
    }

    fn inverse_compose(&self, other: &FloatPose) -> FloatPose {
        FloatPose {
            rotation: self.rotation.tr_mul(&other.rotation),
            translation: self
                .rotation
                .tr_mul(&(other.translation - self.translation)),
            axis: Vector3::zeros(),
        }
    }

    pub(crate) fn apply(&self, p: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * p + self.translation
    }
}

/// V and A of lemma 1, or Δ of lemma 4.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct FloatDrive {
    speed: f64,
    acceleration: f64,
}

/// An interval of a segment, or a stretch of several.
#[derive(Debug, Clone)]
pub(crate) struct FloatSpan {
    segments: (usize, usize),
    /// Which interval of a segment: number `index` of 2^`depth`.
    index: u64,
    depth: u32,
    curves: Vec<[f64; 6]>,
    drives: Vec<FloatDrive>,
    /// How far the value of each joint may be off.
    value_errors: Rc<Vec<f64>>,
    /// Poses of all joints, at both ends or in the middle of a stretch.
    pub(crate) ends: Vec<Rc<Vec<FloatPose>>>,
}

impl FloatSpan {
    /// Its first instant, in 2⁻⁴⁰ of a segment.
    pub(crate) fn start(&self) -> u64 {
        ((self.segments.0 as u64) << INSTANT_BITS) + (self.index << (INSTANT_BITS - self.depth))
    }

    /// Its last one.
    pub(crate) fn end(&self) -> u64 {
        let segments = (self.segments.1 - self.segments.0) as u64;
        self.start() + (segments << (INSTANT_BITS - self.depth))
    }

    /// Its first segment, and the one after its last.
    pub(crate) fn segments(&self) -> [usize; 2] {
        [self.segments.0, self.segments.1]
    }

    /// How often its segment was halved.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether its poses are some of the trajectory: middle values of a stretch need not be.
    pub(crate) fn is_on_path(&self) -> bool {
        self.ends.len() == 2
    }
}

/// A joint in floating point.
#[derive(Debug)]
struct FloatJoint {
    parent: Option<usize>,
    turns: bool,
    parent_from_joint: FloatPose,
    axis: Vector3<f64>,
    error: FloatError,
}

/// How far something may be shifted, metres, and turned, radians.
#[derive(Debug, Clone, Copy, Default)]
struct FloatError {
    shift: f64,
    turn: f64,
}

/// The joints of a cell.
#[derive(Debug)]
pub(crate) struct Joints {
    all: Vec<FloatJoint>,
}

impl Joints {
    pub(crate) fn new(joints: &[CellJoint]) -> Self {
        let all = joints.iter().map(|joint| {
            let rows = joint
                .parent_from_joint
                .rows
                .map(|row| row.map(|x| x as f64 / SHARE));
            let axis = Vector3::from(joint.axis.map(|x| x as f64 / SHARE));
            let rotation = Matrix3::from_fn(|i, k| rows[i][k]);
            FloatJoint {
                parent: joint.parent,
                turns: joint.kind == JointMotion::Turns,
                error: FloatError {
                    shift: joint.error.shift as f64 / METRE,
                    turn: joint.error.turn as f64 / METRE,
                },
                parent_from_joint: FloatPose {
                    rotation,
                    translation: metres(&joint.parent_from_joint.translation),
                    axis: rotation * axis,
                },
                axis,
            }
        });
        Joints { all: all.collect() }
    }

    /// The joints from the world to one.
    pub(crate) fn chain(&self, joint: Option<usize>) -> Vec<usize> {
        let mut chain: Vec<usize> = std::iter::successors(joint, |&j| self.all[j].parent).collect();
        chain.reverse();
        chain
    }

    fn pose(&self, j: usize, value: f64, before: &[FloatPose]) -> FloatPose {
        let FloatJoint {
            parent,
            turns,
            parent_from_joint,
            axis,
            ..
        } = &self.all[j];
        let moved = if *turns {
            let about = Unit::new_unchecked(*axis);
            let turn = Rotation3::from_axis_angle(&about, value);
            FloatPose {
                rotation: parent_from_joint.rotation * turn.matrix(),
                ..*parent_from_joint
            }
        } else {
            FloatPose {
                translation: parent_from_joint.translation + parent_from_joint.axis * value,
                ..*parent_from_joint
            }
        };
        parent.map_or(moved, |p| before[p].compose(&moved))
    }
}

/// A motion of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FloatMotion<'m> {
    joints: &'m Joints,
    segments: &'m [MotionSegment],
}

fn bernstein(c: &[i64; 6]) -> [f64; 6] {
    // C(i, k) / C(5, k).
    const SHARES: [[f64; 6]; 6] = [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 0.2, 0.0, 0.0, 0.0, 0.0],
        [1.0, 0.4, 0.1, 0.0, 0.0, 0.0],
        [1.0, 0.6, 0.3, 0.1, 0.0, 0.0],
        [1.0, 0.8, 0.6, 0.4, 0.2, 0.0],
        [1.0; 6],
    ];
    let c = c.map(|c| c as f64 / VALUE);
    SHARES.map(|row| row.iter().zip(&c).map(|(share, c)| share * c).sum())
}

fn halved(b: &[f64; 6]) -> [[f64; 6]; 2] {
    let (mut row, mut first, mut second) = (*b, [b[0]; 6], [b[5]; 6]);
    for k in 1..6 {
        for i in 0..6 - k {
            row[i] = (row[i] + row[i + 1]) / 2.0;
        }
        first[k] = row[0];
        second[5 - k] = row[5 - k];
    }
    [first, second]
}

fn drive(b: &[f64; 6]) -> FloatDrive {
    let first = (0..5).map(|i| (b[i + 1] - b[i]).abs());
    let second = (0..4).map(|i| (b[i + 2] - 2.0 * b[i + 1] + b[i]).abs());
    FloatDrive {
        speed: 5.0 * first.fold(0.0, f64::max),
        acceleration: 20.0 * second.fold(0.0, f64::max),
    }
}

impl<'m> FloatMotion<'m> {
    pub(crate) fn new(joints: &'m Joints, segments: &'m [MotionSegment]) -> Self {
        FloatMotion { joints, segments }
    }

    /// The first segments of it, at least one.
    pub(crate) fn first(&self, segments: usize) -> FloatSpan {
        self.stretch(0, segments)
    }

    /// Poses of all joints at an instant, in 2⁻⁴⁰ of a segment.
    pub(crate) fn at(&self, instant: u64) -> Rc<Vec<FloatPose>> {
        let last = self.segments.len().saturating_sub(1);
        let segment = ((instant >> INSTANT_BITS) as usize).min(last);
        let share =
            (instant - ((segment as u64) << INSTANT_BITS)) as f64 / (1u64 << INSTANT_BITS) as f64;
        self.poses(|j| {
            let c = &self.segments[segment].joints[j];
            c.iter()
                .rev()
                .fold(0.0, |v, &c| v * share + c as f64 / VALUE)
        })
    }

    fn poses(&self, values: impl Fn(usize) -> f64) -> Rc<Vec<FloatPose>> {
        let mut poses = Vec::with_capacity(self.joints.all.len());
        for j in 0..self.joints.all.len() {
            poses.push(self.joints.pose(j, values(j), &poses));
        }
        Rc::new(poses)
    }

    fn stretch(&self, from: usize, to: usize) -> FloatSpan {
        let joints = 0..self.joints.all.len();
        let most = |j: usize| {
            self.segments[from..to]
                .iter()
                .map(move |s| s.value_errors[j])
                .max()
        };
        let value_errors = joints.clone().map(|j| most(j).unwrap_or(0) as f64 / METRE);
        let value_errors = Rc::new(value_errors.collect());
        if to - from == 1 {
            let segment = &self.segments[from];
            let curves: Vec<_> = segment.joints.iter().map(bernstein).collect();
            let drives = joints.map(|j| {
                if segment.joints[j][1..] == [0; 5] {
                    FloatDrive::default()
                } else {
                    drive(&curves[j])
                }
            });
            return FloatSpan {
                segments: (from, to),
                index: 0,
                depth: 0,
                drives: drives.collect(),
                value_errors,
                ends: vec![self.poses(|j| curves[j][0]), self.poses(|j| curves[j][5])],
                curves,
            };
        }
        let ranges = joints.map(|j| {
            let all = self.segments[from..to].iter();
            let values = all.flat_map(|s| bernstein(&s.joints[j]));
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), x| {
                (l.min(x), m.max(x))
            })
        });
        let ranges: Vec<(f64, f64)> = ranges.collect();
        let drives = ranges.iter().map(|(least, most)| FloatDrive {
            speed: (most - least) / 2.0,
            acceleration: 0.0,
        });
        FloatSpan {
            segments: (from, to),
            index: 0,
            depth: 0,
            curves: Vec::new(),
            drives: drives.collect(),
            value_errors,
            ends: vec![self.poses(|j| (ranges[j].0 + ranges[j].1) / 2.0)],
        }
    }

    /// Both halves of an interval; `None`: it was halved too often.
    pub(crate) fn halves(&self, span: &FloatSpan) -> Option<[FloatSpan; 2]> {
        let (from, to) = span.segments;
        if to - from > 1 {
            let middle = from + (to - from) / 2;
            return Some([self.stretch(from, middle), self.stretch(middle, to)]);
        }
        if span.depth == INSTANT_BITS {
            return None;
        }
        let both: Vec<_> = span.curves.iter().map(halved).collect();
        let middle = self.poses(|j| both[j][0][5]);
        Some([0, 1].map(|k| {
            let curves: Vec<[f64; 6]> = both.iter().map(|halves| halves[k]).collect();
            let drives = curves.iter().zip(&span.drives);
            let ends = match k {
                0 => vec![Rc::clone(&span.ends[0]), Rc::clone(&middle)],
                _ => vec![Rc::clone(&middle), Rc::clone(&span.ends[1])],
            };
            FloatSpan {
                segments: span.segments,
                index: 2 * span.index + k as u64,
                depth: span.depth + 1,
                drives: drives
                    .map(|(curve, above)| {
                        if *above == FloatDrive::default() {
                            FloatDrive::default()
                        } else {
                            drive(curve)
                        }
                    })
                    .collect(),
                curves,
                ends,
                value_errors: Rc::clone(&span.value_errors),
            }
        }))
    }

    /// Pose of a part at an end of an interval, seen from the last joint of its chain that is
    /// shared.
    pub(crate) fn pose_from_shared_joint(
        &self,
        poses: &[FloatPose],
        part: &FloatPart,
        shared: usize,
    ) -> Option<FloatPose> {
        let chain = &part.chain;
        let last = &poses[*chain.get(shared..)?.last()?];
        Some(match shared {
            0 => *last,
            _ => poses[chain[shared - 1]].inverse_compose(last),
        })
    }

    /// Lemma 2.
    pub(crate) fn axis_distances(
        &self,
        span: &FloatSpan,
        chain: &[usize],
        point: &Vector3<f64>,
    ) -> Vec<f64> {
        let Some(&last) = chain.last() else {
            return Vec::new();
        };
        let points = span.ends.iter().map(|at| at[last].apply(point));
        let points: Vec<Vector3<f64>> = points.collect();
        let mut bounds = vec![0.0; chain.len()];
        let mut beyond = 0.0;
        for (k, &j) in chain.iter().enumerate().rev() {
            let joint = &self.joints.all[j];
            if joint.turns || joint.error.turn > 0.0 {
                let ends = span.ends.iter().zip(&points);
                let far = ends.map(|(poses, point)| {
                    let arm = point - poses[j].translation;
                    if joint.turns {
                        poses[j].axis.cross(&arm).norm()
                    } else {
                        arm.norm()
                    }
                });
                bounds[k] = (far.sum::<f64>() + beyond) / span.ends.len() as f64;
            }
            beyond += span.drives[j].speed * if joint.turns { bounds[k] } else { 1.0 };
        }
        bounds
    }

    /// Lemma 9: how far errors take a point of a part.
    pub(crate) fn errors_of(
        &self,
        span: &FloatSpan,
        chain: &[usize],
        shared: usize,
        point: &Vector3<f64>,
    ) -> f64 {
        let distances = self.axis_distances(span, chain, point);
        self.chord_bound(span, chain, shared, &distances)
            .errors
            .base
    }

    /// Lemmas 3, 4 and 9.
    pub(crate) fn chord_bound(
        &self,
        span: &FloatSpan,
        chain: &[usize],
        shared: usize,
        far: &[f64],
    ) -> FloatChordBound {
        let (mut first, mut second) = (Growing::default(), Growing::default());
        let mut errors = Growing::default();
        let mut turned = 0.0;
        for (&j, &distance) in chain.iter().zip(far).skip(shared) {
            let FloatDrive {
                speed,
                acceleration,
            } = span.drives[j];
            let joint = &self.joints.all[j];
            let (mut error, value_error) = (joint.error, span.value_errors[j]);
            if joint.turns {
                error.turn += value_error
            } else {
                error.shift += value_error
            }
            errors.base += error.shift + error.turn * distance;
            errors.slope += error.turn;
            let distance = if joint.turns { distance } else { 1.0 };
            let mut weight = acceleration + 2.0 * speed * turned;
            if joint.turns {
                weight += speed * speed;
                first.slope += speed;
                second.slope += weight;
                turned += speed;
            }
            first.base += speed * distance;
            second.base += weight * distance;
        }
        let chord_bounds = if span.is_on_path() {
            [first.times(0.5), second.times(0.125)]
        } else {
            [first; 2]
        };
        FloatChordBound {
            chord_bounds,
            errors,
        }
    }
}

/// A bound that grows with the distance from a reference point.
#[derive(Debug, Clone, Copy, Default)]
struct Growing {
    base: f64,
    slope: f64,
}

impl Growing {
    fn times(self, share: f64) -> Self {
        Growing {
            base: share * self.base,
            slope: share * self.slope,
        }
    }

    fn at(self, distance: f64) -> f64 {
        self.base + self.slope * distance
    }
}

/// The chord bound of a part in two ways, and what errors add to it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FloatChordBound {
    chord_bounds: [Growing; 2],
    errors: Growing,
}

impl FloatChordBound {
    /// Of points within this distance of the reference point, without errors, metres.
    pub(crate) fn at(&self, distance: f64) -> f64 {
        let [first, second] = self
            .chord_bounds
            .map(|chord_bound| chord_bound.at(distance));
        first.min(second)
    }

    /// How far errors may take such points.
    pub(crate) fn errors_at(&self, distance: f64) -> f64 {
        self.errors.at(distance)
    }
}
