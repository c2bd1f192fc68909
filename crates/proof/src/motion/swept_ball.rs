//! Balls swept by joints: proved outer bounds on all places that something takes while a joint
//! takes any value of a range.
//!
//! A ball turns with its centre only. The centres lie on an arc of radius ρ (their distance from
//! the axis) with half angle h; for h ≤ 90° the smallest ball around the arc is that around its
//! chord: its centre lies ρ·cos h from the axis, its radius is ρ·sin h, and the arc's middle, ρ·(1
//! − cos h) from that centre, is inside. Wider arcs are put into the ball around the whole circle.
//! Nothing is sampled, so there is no sampling error to add; rounding is.

use nalgebra::{Point3, Vector3};

use super::chain::Chains;
use super::joint_poses::rotation;
use crate::geometry::enclosing_ball::Ball;
use crate::geometry::pose::Pose;
use crate::model::JointId;

/// The values that a joint takes: least and greatest, radians or metres; infinite where nothing
/// bounds them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRange {
    /// Least.
    pub low: f64,
    /// Greatest.
    pub high: f64,
}

impl JointRange {
    /// No value at all.
    pub const EMPTY: JointRange = JointRange {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
    };
    /// Any value.
    pub const ANY: JointRange = JointRange {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// The range that holds both.
    pub fn with(&self, other: &JointRange) -> JointRange {
        JointRange {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether every value of the other one is a value of this one.
    pub fn holds(&self, other: &JointRange) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The value in the middle; 0 where there is none.
    pub fn middle(&self) -> f64 {
        let middle = 0.5 * self.low + 0.5 * self.high;
        if middle.is_finite() { middle } else { 0.0 }
    }

    /// Half of its width.
    pub fn half(&self) -> f64 {
        0.5 * self.high - 0.5 * self.low
    }
}

/// Rounding of a step from one frame to the next, relative to the size of the numbers: a few dozen
/// operations.
const ROUNDING: f64 = 256.0 * f64::EPSILON;

/// A joint that takes any value of a range.
#[derive(Debug, Clone, Copy)]
pub struct SweptBall {
    /// Pose of the moving frame at the middle of the range, in the parent's moving frame.
    pub parent_from_middle: Pose,
    axis: Vector3<f64>,
    /// Cosine and sine of half the angle, which counts as 90° where it is more.
    cos: f64,
    sin: f64,
    /// The farthest that a point one metre from the axis gets from where it is in the middle,
    /// metres.
    chord: f64,
    /// Half the travel of a prismatic joint, metres.
    travel: f64,
    /// Rounding per metre of distance from the joint, and where the joint is.
    rounding: [f64; 2],
}

impl SweptBall {
    /// A joint over a range. Whatever is not a range counts as all values.
    pub fn new(chains: &Chains, joint: JointId, range: &JointRange) -> Self {
        let link = &chains.links[joint];
        let (middle, half) = (range.middle(), range.half());
        let mut parent_from_middle = link.parent_from_joint;
        let (mut cos, mut sin, mut chord, mut travel) = (1.0, 0.0, 0.0, 0.0);
        if link.prismatic {
            parent_from_middle.translation +=
                link.parent_from_joint.rotation * (link.axis * middle);
            travel = if half >= 0.0 { half } else { f64::INFINITY };
        } else {
            parent_from_middle.rotation *= rotation(&link.axis, middle);
            if (0.0..std::f64::consts::FRAC_PI_2).contains(&half) {
                (sin, cos) = half.sin_cos();
                chord = 2.0 * (0.5 * half).sin();
            } else {
                (sin, cos) = (1.0, 0.0);
                chord = if half < std::f64::consts::PI {
                    2.0 * (0.5 * half).sin()
                } else {
                    2.0
                };
            }
        }
        let place = link.parent_from_joint.translation.norm();
        SweptBall {
            parent_from_middle,
            axis: link.axis,
            cos,
            sin,
            chord,
            travel,
            // Angles are rounded relative to their own size.
            rounding: [
                ROUNDING * (1.0 + middle.abs()),
                ROUNDING * (place + middle.abs() + travel),
            ],
        }
    }

    /// A ball in the parent's moving frame that holds a ball of the joint's moving frame for every
    /// value of the range.
    pub fn sweep(&self, ball: &Ball) -> Ball {
        let center = ball.center.coords;
        let along = self.axis * self.axis.dot(&center);
        let out = center - along;
        let swept = self.parent_from_middle.apply(&(along + out * self.cos));
        let size = center.norm() + ball.radius;
        Ball {
            center: Point3::from(swept),
            radius: ball.radius
                + out.norm() * self.sin
                + self.travel
                + self.rounding[0] * size
                + self.rounding[1],
        }
    }

    /// How far points within `radius` of a point get from where they are in the middle of the
    /// range, at most, if joints further out have moved them by up to `moved` already, metres.
    pub fn travel(&self, point: &Vector3<f64>, radius: f64, moved: f64) -> f64 {
        let out = (point - self.axis * self.axis.dot(point)).norm() + radius + moved;
        moved
            + self.chord * out
            + self.travel
            + self.rounding[0] * (point.norm() + radius)
            + self.rounding[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;
    use crate::model::{Cell, Joint, JointKind, Limits};
    use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion};

    /// Two joints in a chain, of random kinds and places.
    fn chain(random: &mut Random) -> Cell {
        let mut cell = Cell::default();
        for j in 0..2usize {
            let turn = UnitQuaternion::from_scaled_axis(random.vector() * 3.0);
            cell.joints.push(Joint {
                name: format!("j{j}"),
                robot: 0,
                parent: j.checked_sub(1),
                parent_from_joint: Isometry3::from_parts(Translation3::from(random.vector()), turn),
                axis: Unit::new_normalize(random.vector()),
                kind: match random.below(3) {
                    0 => JointKind::Prismatic,
                    _ => JointKind::Revolute,
                },
                limits: Limits::default(),
                mimic: None,
            });
        }
        cell
    }

    /// Forward kinematics is the slow twin: no point of the ball gets out of the swept ball, and
    /// for one joint with up to half a turn nothing smaller would do.
    #[test]
    fn nothing_gets_out_of_a_swept_ball() {
        let mut random = Random(5);
        let mut tight = 0;
        for _ in 0..2000 {
            let cell = chain(&mut random);
            let chains = Chains::new(&cell);
            let width = [0.0, 0.2, 1.5, 3.1, 4.0, 9.0][random.below(6)];
            let ranges: Vec<JointRange> = (0..2)
                .map(|_| {
                    let low = 4.0 * random.signed();
                    JointRange {
                        low,
                        high: low + width,
                    }
                })
                .collect();
            let ball = Ball {
                center: Point3::from(random.vector()),
                radius: 0.3 * random.unit(),
            };
            let swept_balls = [0, 1].map(|j| SweptBall::new(&chains, j, &ranges[j]));
            let one = swept_balls[1].sweep(&ball);
            let both = swept_balls[0].sweep(&one);
            let (mut farthest, mut farthest_travel) = (0.0f64, 0.0f64);
            let middle: Vec<f64> = ranges.iter().map(JointRange::middle).collect();
            let at = |q: &[f64], joint: usize, p: &Point3<f64>| cell.forward(q)[joint] * p;
            let travel = {
                let first = swept_balls[1].travel(&ball.center.coords, ball.radius, 0.0);
                let next = swept_balls[1].parent_from_middle.apply(&ball.center.coords);
                swept_balls[0].travel(&next, ball.radius, first)
            };
            for _ in 0..50 {
                let q: Vec<f64> = ranges
                    .iter()
                    .map(|r| r.low + width * [0.0, 1.0, random.unit()][random.below(3)])
                    .collect();
                let direction = random.vector().normalize();
                let point = ball.center + direction * ball.radius;
                let place = at(&q, 1, &point);
                assert!((place - both.center).norm() <= both.radius + 1e-12);
                let moved = (place - at(&middle, 1, &point)).norm();
                assert!(moved <= travel + 1e-12, "{moved} {travel}");
                farthest_travel = farthest_travel.max(moved);
                // The last joint alone, seen from the first one.
                let back = cell.forward(&q)[0].inverse();
                let center = back * at(&q, 1, &ball.center);
                farthest = farthest.max((center - one.center).norm() + ball.radius);
            }
            assert!(farthest <= one.radius + 1e-12);
            tight += usize::from(farthest > one.radius - 1e-9 && width > 0.0);
        }
        assert!(tight > 500, "{tight}");
    }

    #[test]
    fn what_is_no_range_is_all_values() {
        let mut random = Random(6);
        let cell = chain(&mut random);
        let chains = Chains::new(&cell);
        let ball = Ball {
            center: Point3::new(1.0, 2.0, 3.0),
            radius: 0.5,
        };
        let full = JointRange {
            low: -4.0,
            high: 4.0,
        };
        for joint in 0..2 {
            for range in [
                JointRange::ANY,
                JointRange::EMPTY,
                JointRange {
                    low: f64::NAN,
                    high: 1.0,
                },
            ] {
                let swept = SweptBall::new(&chains, joint, &range).sweep(&ball);
                let known = if chains.is_prismatic(joint) {
                    f64::INFINITY
                } else {
                    SweptBall::new(&chains, joint, &full).sweep(&ball).radius
                };
                assert!(swept.radius >= known - 1e-9, "{swept:?}");
            }
        }
    }
}
