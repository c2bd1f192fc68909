//! Motions replaced by cubics: every entry of a transform a polynomial of degree 3 in time, through
//! four equally spaced instants. And how far that is from the true motion.
//!
//! A curve with ‖p''''‖ ≤ K (time from 0 to 1) leaves the cubic through its points at 0, ⅓, ⅔, 1 by
//! at most K/24 · max |t (t − ⅓)(t − ⅔)(t − 1)| = K/24/81 = K/1944.
//!
//! K comes from majorants. A joint that turns by q(t) has a rotation R with ‖dᵏR/dqᵏ‖ ≤ 1, so
//! with |q⁽ᵏ⁾| ≤ x_k its n-th derivative by time is at most Bₙ(x₁ … xₙ), the n-th derivative at 0
//! of exp(x₁t + x₂t²/2! + x₃t³/3! + x₄t⁴/4!) (Faà di Bruno). Products of rotations multiply their
//! majorants: the exponents add up. A point of the part is a sum of constant offsets, each turned
//! by the joints before it, and of what joints slide, likewise turned.

use nalgebra::Vector3;

use super::chain::Chains;
use super::chord_bound::ChordBound;
use crate::geometry::pose::Pose;
use crate::model::{JointId, Segment};
use crate::numeric::ROUND_UP;
use crate::numeric::polynomial::derivative_bound;

/// A motion whose matrix entries are cubics over [0, 1], as four control matrices (Bernstein
/// basis). The matrices in between are not rotations, but near them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cubic {
    control: [Pose; 4],
}

impl Cubic {
    /// The one through the poses at 0, ⅓, ⅔ and 1.
    pub fn through(poses: &[Pose; 4]) -> Self {
        let mixed = |w: [f64; 4]| {
            let mut sum = Pose {
                rotation: nalgebra::Matrix3::zeros(),
                translation: Vector3::zeros(),
            };
            for (pose, w) in poses.iter().zip(w) {
                sum.rotation += pose.rotation * (w / 6.0);
                sum.translation += pose.translation * (w / 6.0);
            }
            sum
        };
        Cubic {
            control: [
                poses[0],
                mixed([-5.0, 18.0, -9.0, 2.0]),
                mixed([2.0, -9.0, 18.0, -5.0]),
                poses[3],
            ],
        }
    }

    /// The path of a point: control points of a cubic.
    #[inline]
    pub fn path(&self, p: &Vector3<f64>) -> [Vector3<f64>; 4] {
        let [a, b, c, d] = &self.control;
        [a.apply(p), b.apply(p), c.apply(p), d.apply(p)]
    }
}

/// Derivatives of order 1 … 4 of an exponent.
#[derive(Debug, Clone, Copy, Default)]
struct Exponent([f64; 4]);

impl Exponent {
    /// Derivatives of order 0 … 4 of the exponential at 0: complete Bell polynomials.
    fn exponential(&self) -> [f64; 5] {
        let [x, y, z, w] = self.0;
        [
            1.0,
            x,
            x * x + y,
            x * x * x + 3.0 * x * y + z,
            x * x * x * x + 6.0 * x * x * y + 4.0 * x * z + 3.0 * y * y + w,
        ]
    }
}

/// How far a point of a part can be from the cubic through its places at four equally spaced
/// instants of the part [s0, s1] of a segment, seen from the frame that the first `shared` joints
/// of the chain carry. The reference point of the bound is the part's origin.
pub fn cubic_error(
    chains: &Chains,
    chain: &[JointId],
    shared: usize,
    segment: &Segment,
    [s0, s1]: [f64; 2],
    joint_from_part: &Pose,
) -> ChordBound {
    let h = s1 - s0;
    let mut turned = Exponent::default();
    let mut base = 0.0;
    for &joint in &chain[shared..] {
        let link = &chains.links[joint];
        let rotation = turned.exponential();
        base += rotation[4] * link.parent_from_joint.translation.norm();
        let c = &segment.joints.of(joint);
        let mut power = 1.0;
        let bound = [0, 1, 2, 3, 4].map(|order| {
            let bound = power * derivative_bound(c, order, s0, s1);
            power *= h;
            bound
        });
        if link.prismatic {
            let [q, q1, q2, q3, q4] = bound;
            let [_, r1, r2, r3, r4] = rotation;
            base += r4 * q + 4.0 * r3 * q1 + 6.0 * r2 * q2 + 4.0 * r1 * q3 + q4;
        } else {
            for k in 0..4 {
                turned.0[k] += bound[k + 1];
            }
        }
    }
    let slope = turned.exponential()[4];
    base += slope * joint_from_part.translation.norm();
    ChordBound {
        base: base * ROUND_UP / 1944.0,
        slope: slope * ROUND_UP / 1944.0,
    }
}
