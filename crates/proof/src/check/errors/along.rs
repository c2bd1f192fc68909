//! What errors of joints do along one direction.
//!
//! As a length an error of a joint counts in full, whatever way it moves a point. Along a direction
//! n only a share does: a joint k that is off by up to δ_k moves the point p by δ_k v_k to first
//! order, v_k = ∂p/∂q_k = a_k × r_k (a_k itself where it slides), and along n by δ_k |n·v_k|. Links
//! that are beside each other along an axis are not brought together by turns about it.
//!
//! **An instant.** All joints of the chain beyond the frame of the pair are off at once, by e with
//! |e_k| ≤ δ_k. Then p is put to R_1 R_2 … R_n p, the innermost joint being 1, where R_k turns by
//! e_k about axis k as it is without errors, or slides by e_k along it (the product of
//! exponentials; Lynch and Park, Modern Robotics, 4.1). The whole is the sum of
//!
//! > R_1 … R_(k−1) w_k, as a vector is turned, with w_k = R_k p − p
//!
//! so each joint moves p itself, wherever joints beyond have put it. With ρ_k, the distance of p
//! from axis k (1 where it slides), w_k is e_k v_k to within ½ e_k² ρ_k (nothing where it slides),
//! is no longer than |e_k| ρ_k, and the joints inside turn it by no more than Σ e_i in all:
//!
//! > |p(q + e) − p(q) − Σ e_k v_k| ≤ ½ Σ_k δ_k ρ_k (δ_k + 2 Σ_{i inside k} δ_i)
//!
//! where only turning i count, and the single δ_k is left out if k slides.
//!
//! **An interval.** v_k is known in its middle, from which joint j moves by up to ½ V_j. In the
//! same way v_k(t) is v_k + a_k × (R_(k+1) … R_n p − p), the second term only if k turns, turned by
//! the joints up to k:
//!
//! > |v_k(t) − v_k(middle)| ≤ ½ (ρ_k Σ_{j up to k} V_j + Σ_{j beyond k} V_j ρ_j)
//!
//! with ρ of the middle, and only turning j in the first sum. At t itself ρ_k has grown by no more
//! than ½ Σ_{j beyond k} V_j ρ_j. All bounds grow with the distance of p from the origin of its
//! part no more than evenly, as ρ_k do.
//!
//! **A box.** n·v_k is affine in p: over a box it is no more than its value in the centre and what
//! the half edges add.

use nalgebra::{Matrix3, Vector3};
use smallvec::SmallVec;

use super::ErrorBounds;
use crate::check::Snapshot;
use crate::check::scene::PartPair;
use crate::geometry::pose::Pose;
use crate::model::Tubes;
use crate::motion::{ChordBound, JointBounds};
use crate::numeric::ROUND_UP_FAR;

/// A joint that has an error, in the frame of the part in the middle of the interval.
#[derive(Debug, Clone, Copy)]
struct PlacedJointError {
    /// How far it can be off, radians or metres.
    by: f64,
    axis: Vector3<f64>,
    /// A point of the axis; `None`: it slides.
    origin: Option<Vector3<f64>>,
}

/// Errors of the joints that move a part of a pair, in an interval.
#[derive(Debug, Clone)]
pub(crate) struct AlongErrors {
    joints: SmallVec<[PlacedJointError; 6]>,
    /// The errors that count in every direction.
    beside: ChordBound,
    /// From the frame of the part to that of the pair, in the middle.
    rotation: Matrix3<f64>,
}

impl AlongErrors {
    /// Of the first (0) or second part, which has been placed in the `snapshot` of the middle of an
    /// interval, `pose` in the frame of the pair. `None` where more than joints counts, or where
    /// tools count as a whole.
    pub fn new(
        errors: &ErrorBounds,
        pair: &PartPair,
        (side, pose): (usize, &Pose),
        (snapshot, bounds): (&Snapshot, &JointBounds),
        tubes: &Tubes,
    ) -> Option<Self> {
        let (scene, part) = (errors.scene, [pair.a, pair.b][side]);
        let what = &scene.parts[part];
        let chain = scene.chains.of(what.joint);
        if !errors.are_of_joints(pair, part) || tubes.tool_on(chain, pair.shared).is_some() {
            return None;
        }
        let chain = chain.get(pair.shared..).unwrap_or_default();
        let (placed, instant) = (&snapshot.placed(part).pose, snapshot.instant());
        let position = &placed.translation;
        let size = position.norm() + what.offset + what.bounding_radius;
        let rounding = snapshot.rounding(size) + what.handover_error;
        let mut new = AlongErrors {
            joints: SmallVec::new(),
            beside: ChordBound::default(),
            rotation: pose.rotation,
        };
        // V_j ρ_j of the joints beyond.
        let mut moved = ChordBound::default();
        let turns = |joint: usize| !scene.chains.is_prismatic(joint);
        for (k, &joint) in chain.iter().enumerate().rev() {
            let by = errors.joint_error(joint, tubes);
            let speed = bounds.speed(joint);
            let inside = || chain[..k].iter().copied().filter(|&j| turns(j));
            let error_inside: f64 = inside().map(|j| errors.joint_error(j, tubes)).sum();
            let mut speeds: f64 = inside().map(|j| bounds.speed(j)).sum();
            let (mut lever, mut farthest, mut twice) = (ONE, ONE, 2.0 * error_inside);
            let seen = placed.inverse_compose(&instant.pose(Some(joint)));
            let mut change = ChordBound::default();
            if turns(joint) {
                lever = ChordBound {
                    base: instant.axis_distance(joint, position) + rounding,
                    slope: 1.0,
                };
                farthest = sum(lever, 0.5, moved);
                twice += by;
                speeds += speed;
                change = moved;
            }
            change = sum(change, speeds, lever);
            new.beside = sum(new.beside, 0.5 * by * twice, farthest);
            new.beside = sum(new.beside, 0.5 * by, change);
            new.beside.base += 4.0 * by * rounding;
            moved = sum(moved, speed, lever);
            if by > 0.0 {
                new.joints.push(PlacedJointError {
                    by: by * ROUND_UP_FAR,
                    axis: seen.rotation * scene.chains.axis(joint),
                    origin: turns(joint).then_some(seen.translation),
                });
            }
        }
        new.beside = sum(ChordBound::default(), ROUND_UP_FAR, new.beside);
        Some(new)
    }

    /// How far errors can put any point of a box off along a unit direction in the frame of the
    /// pair, metres. The box is given in the frame of the part, by its centre and half edges; no
    /// point of it is more than `far` from the part's origin.
    pub fn most(
        &self,
        n: &Vector3<f64>,
        (center, half): (&Vector3<f64>, &Vector3<f64>),
        far: f64,
    ) -> f64 {
        let n = self.rotation.tr_mul(n);
        let along = self.joints.iter().map(|joint| {
            let share = match &joint.origin {
                Some(origin) => {
                    let across = n.cross(&joint.axis);
                    across.dot(&(center - origin)).abs() + across.abs().dot(half)
                }
                None => n.dot(&joint.axis).abs(),
            };
            joint.by * share
        });
        along.sum::<f64>() + self.beside.at(far)
    }
}

/// The bound for a joint that slides: it moves every point by its own error.
const ONE: ChordBound = ChordBound {
    base: 1.0,
    slope: 0.0,
};

fn sum(a: ChordBound, times: f64, b: ChordBound) -> ChordBound {
    ChordBound {
        base: a.base + times * b.base,
        slope: a.slope + times * b.slope,
    }
}

#[cfg(test)]
mod tests;
