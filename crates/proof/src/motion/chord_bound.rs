//! How far a point of a body can leave the chord between its two end positions in an interval.
//!
//! Let the interval have unit duration, V_j ≥ |q_j'| and A_j ≥ |q_j''| on it, and let the joints be
//! ordered from the shared frame outwards. A point p at distance ρ_j from the axis of joint j has
//! ‖p''‖ ≤ Σ_j ρ_j (A_j + V_j (V_j + 2 Σ_{i before j} V_i)), because ∂²p/∂q_i∂q_j = a_i × ∂p/∂q_j
//! for i before j; a prismatic joint has ∂p/∂q_j of length 1, no second derivative of its own, and
//! turns nothing behind it. A curve with ‖p''‖ ≤ K leaves its chord by at most K/8; a curve of
//! speed ≤ S leaves it by at most S/2. Both bounds are used, the smaller one counts. At the time τ
//! between 0 and 1 the curve is nearer to its chord: by both, it leaves it there by at most
//! 4 B τ (1 − τ), with B the bound ([`least_between_ends`]).
//!
//! ρ_j changes while the joints beyond j move: with f_j a bound for a reference point, f_j = ½
//! (ρ_j(t0) + ρ_j(t1) + Σ_{k beyond j} V_k f_k), from the outermost joint inwards (Lipschitz from
//! both ends), and ρ_j ≤ f_j + |c − reference| for any other point c of the body.

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::chain::Chains;
use super::joint_poses::JointPoses;
use crate::model::{JointId, Segment};
use crate::numeric::polynomial::{accel_bound, speed_bound};
use crate::numeric::{ROUND_UP, max_or_nan};

/// Distances of a point from each axis of a chain, metres. Most chains have six or seven joints.
pub type AxisDistances = SmallVec<[f64; 8]>;

/// How much every joint can do in an interval of a segment.
#[derive(Debug, Clone, Default)]
pub struct JointBounds {
    speed: Vec<f64>,
    accel: Vec<f64>,
}

impl JointBounds {
    /// Bounds for the interval [s0, s1] of a segment, in the interval's own unit time.
    pub fn set(&mut self, segment: &Segment, s0: f64, s1: f64) {
        let h = s1 - s0;
        self.speed.clear();
        self.accel.clear();
        self.speed.reserve(segment.joints.len());
        self.accel.reserve(segment.joints.len());
        for c in segment.joints.iter() {
            self.speed.push(h * speed_bound(&c, s0, s1));
            self.accel.push(h * h * accel_bound(&c, s0, s1));
        }
    }

    /// The most by which the value of a joint changes in the interval, radians or metres.
    pub(crate) fn speed(&self, joint: JointId) -> f64 {
        self.speed[joint]
    }

    /// The most by which the value of any joint changes in the interval, radians or metres.
    pub fn greatest(&self) -> f64 {
        self.speed.iter().copied().fold(0.0, max_or_nan)
    }
}

/// Bound on the deviation from the chord: `base + slope·|c − reference|` for a point c of the body,
/// metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ChordBound {
    /// At the reference point.
    pub base: f64,
    /// Per metre from it.
    pub slope: f64,
}

impl ChordBound {
    /// The bound for a point at this distance from the reference point.
    pub fn at(&self, distance: f64) -> f64 {
        self.base + self.slope * distance
    }

    fn times(self, k: f64) -> ChordBound {
        ChordBound {
            base: self.base * k,
            slope: self.slope * k,
        }
    }
}

/// Two bounds on how far points leave their chords; both hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChordBounds {
    by_speed: ChordBound,
    by_acceleration: ChordBound,
}

/// The joints that carry a body, over an interval of a segment.
///
/// Bounds are seen from the frame that the first `shared` joints of the chain carry.
#[derive(Clone, Copy)]
pub struct ChainInterval<'c> {
    /// All joints of the cell.
    pub chains: &'c Chains,
    /// The joints that carry the body, world outwards.
    pub chain: &'c [JointId],
    /// How much every joint can do in the interval.
    pub joint_bounds: &'c JointBounds,
}

impl ChainInterval<'_> {
    /// Axis distances f_j of the reference point over the whole interval, for the joints of the
    /// chain.
    ///
    /// `rho0`, `rho1` are the distances at the two ends; `out` receives one bound per joint of the
    /// chain (1 for a prismatic joint, which moves every point by its own travel).
    pub fn axis_distances(&self, [rho0, rho1]: [&[f64]; 2], out: &mut AxisDistances) {
        out.resize(self.chain.len(), 0.0);
        let out = &mut out[..];
        let mut beyond = 0.0;
        for (k, &joint) in self.chain.iter().enumerate().rev() {
            out[k] = if self.chains.is_prismatic(joint) {
                1.0
            } else {
                0.5 * (rho0[k] + rho1[k] + beyond) * ROUND_UP
            };
            beyond += self.joint_bounds.speed[joint] * out[k];
        }
    }

    /// How far any point of a body within `radius` of its reference point can move: Σ_j V_j ρ_j,
    /// with `axis_distances` as [`Self::axis_distances`] gives them.
    pub fn travel(&self, shared: usize, axis_distances: &[f64], radius: f64) -> f64 {
        let joints = self.chain.iter().enumerate().skip(shared);
        let sum: f64 = joints
            .map(|(k, &joint)| {
                let beyond = if self.chains.is_prismatic(joint) {
                    0.0
                } else {
                    radius
                };
                self.joint_bounds.speed[joint] * (axis_distances[k] + beyond)
            })
            .sum();
        sum * ROUND_UP
    }

    /// The chord bound; `radius` is the distance of the body's farthest point from the reference
    /// point (it only decides which of the two bounds is smaller).
    pub fn chord_bound(&self, shared: usize, axis_distances: &[f64], radius: f64) -> ChordBound {
        self.chord_bounds(shared, axis_distances).tighter(radius)
    }

    /// Both bounds of [`Self::chord_bound`].
    pub fn chord_bounds(&self, shared: usize, axis_distances: &[f64]) -> ChordBounds {
        let mut turned = 0.0;
        let (mut second, mut first) = (ChordBound::default(), ChordBound::default());
        for (k, &joint) in self.chain.iter().enumerate().skip(shared) {
            let bounds = self.joint_bounds;
            let (v, a) = (bounds.speed[joint], bounds.accel[joint]);
            if v == 0.0 {
                continue;
            }
            first.base += v * axis_distances[k];
            if self.chains.is_prismatic(joint) {
                second.base += a + 2.0 * v * turned;
            } else {
                let weight = a + v * (v + 2.0 * turned);
                second.base += weight * axis_distances[k];
                second.slope += weight;
                first.slope += v;
                turned += v;
            }
        }
        ChordBounds {
            by_speed: first.times(ROUND_UP / 2.0),
            by_acceleration: second.times(ROUND_UP / 8.0),
        }
    }
}

impl ChordBounds {
    /// Both bounds for a body that one joint moves, with its reference point at this distance from
    /// the joint's axis.
    pub fn about(
        chains: &Chains,
        joint: JointId,
        joint_bounds: &JointBounds,
        axis_distance: f64,
    ) -> Self {
        let distance = if chains.is_prismatic(joint) {
            1.0
        } else {
            axis_distance
        };
        let alone = ChainInterval {
            chains,
            chain: &[joint],
            joint_bounds,
        };
        alone.chord_bounds(0, &[distance])
    }

    /// The one that is smaller at `radius` from the reference point, metres.
    pub fn tighter(&self, radius: f64) -> ChordBound {
        if self.by_speed.at(radius) < self.by_acceleration.at(radius) {
            self.by_speed
        } else {
            self.by_acceleration
        }
    }
}

/// The least value over an interval of what is at least `ends` at its ends, and never farther below
/// its chord than a point with this chord bound is from its own.
///
/// The interval has unit duration. Where ‖p''‖ ≤ K, p leaves its chord by at most ½ K τ (1 − τ);
/// where ‖p'‖ ≤ S, it is within S τ of one end and S (1 − τ) of the other, and leaves its chord by
/// at most 2 S τ (1 − τ). Both are 4 B τ (1 − τ), with B = K/8 and B = S/2, and so is every sum of
/// them. So the value is at least (1 − τ) e₀ + τ e₁ − 4 B τ (1 − τ). With Δ = |e₁ − e₀|, the least
/// of that is the lower end where Δ ≥ 4 B, else the lower end less B (1 − Δ / 4 B)².
#[inline(always)]
pub fn least_between_ends(ends: [f64; 2], chord_bound: f64) -> f64 {
    let low = if ends[0] < ends[1] { ends[0] } else { ends[1] };
    let left = 4.0 * chord_bound - (ends[1] - ends[0]).abs();
    // A NaN in any argument makes `left` NaN, and so the result: it proves nothing.
    if left <= 0.0 {
        low
    } else {
        low - left * left / (16.0 * chord_bound)
    }
}

/// How far the points of a body within `radius` of its reference point can be off because the
/// values of its joints are: Σ_j δ_j ρ_j, metres; `value_rounding` tells δ_j, and `axis_distances`
/// are bounds of the reference point's distances from the axes of the chain. No higher order is
/// missing, whatever the size of δ: `deviation.rs` has the reason.
pub fn value_margin(
    chains: &Chains,
    chain: &[JointId],
    value_rounding: impl Fn(JointId) -> f64,
    axis_distances: &[f64],
    radius: f64,
) -> f64 {
    let joints = chain.iter().zip(axis_distances);
    let sum: f64 = joints
        .map(|(&joint, &distance)| {
            let lever = if chains.is_prismatic(joint) {
                1.0
            } else {
                distance + radius
            };
            value_rounding(joint) * lever
        })
        .sum();
    sum * ROUND_UP
}

/// Distances of a world point from the axes of a chain (0 for prismatic joints, which need none).
pub fn axis_distances_at(
    chains: &Chains,
    chain: &[JointId],
    instant: &JointPoses,
    point: &Vector3<f64>,
    out: &mut AxisDistances,
) {
    // The loop writes every element, so the value given here does not matter.
    out.resize(chain.len(), 0.0);
    for (distance, &joint) in out.iter_mut().zip(chain) {
        *distance = if chains.is_prismatic(joint) {
            0.0
        } else {
            instant.axis_distance(joint, point)
        };
    }
}
