//! All joint values that reach a pose.
//!
//! Two arrangements have closed forms, whatever the signs, zeros and offsets of their joints: they
//! are read off the axes at zero, a_1 … a_6 through points o_1 … o_6 (product of exponentials, T =
//! e₁ … e₆ T₀). In both a_2 ∥ a_3 and a_1 ∦ a_2. Let G = T·T₀⁻¹.
//! - *Spherical wrist*: axes 4 to 6 meet in W. e₁e₂e₃W = GW; turns about a_2 keep the component
//!   along a_2, which gives q₁; the distance from axis 2 gives q₃, the angle q₂. The rest is a
//!   rotation R = R₄R₅R₆: a_4·R₅a_6 = a_4·Ra_6 gives q₅, and so on.
//! - *Three parallel axes* (UR): a_2 ∥ a_3 ∥ a_4, axes 5 and 6 meet in P. The component of GP along
//!   a_2 gives q₁, that of R_G a_6 gives q₅, the rest of R_G q₆ and the sum of the parallel turns;
//!   then o_4 is the end of two links.
//!
//! Every equation on the way is A cos q + B sin q = C. What they find is a start for Newton's
//! method and counts only if it gets there. Other arms are searched from many starts, and nothing
//! says that all were found.

use nalgebra::{Matrix3, Vector3, Vector6};

use super::arm::{Arm, Posture};
use super::piece::SIX;
use super::point::reach;
use crate::geometry::pose::Pose;
use crate::motion::joint_poses::rotation;

/// Axes that pass one another by less meet, metres: files carry rounded numbers.
const MEET_M: f64 = 1e-5;
/// Sines below this are those of parallel axes.
const PARALLEL: f64 = 1e-5;
/// A cosine below this is nearly that of a right angle (84° to 96°), where up is to be told.
const RIGHT_ANGLE: f64 = 0.1;
/// A wrist that is not as far from axis 1 does not tell what is forward.
const OVER_AXIS_M: f64 = 1e-3;
/// Solutions that differ by less are one, radians.
const SAME: f64 = 1e-6;
/// Starts of the search where there is no closed form.
const STARTS: usize = 400;

/// How the axes lie to one another.
#[derive(Debug, Clone, Copy, PartialEq)]
enum AxisLayout {
    /// Axes 4 to 6 meet here.
    SphericalWrist(Vector3<f64>),
    /// Axes 2 to 4 are parallel, axes 5 and 6 meet here.
    ThreeParallel(Vector3<f64>),
    /// Neither.
    Other,
}

/// The arm with all joints at zero.
#[derive(Debug, Clone)]
pub struct InverseKinematics {
    kind: AxisLayout,
    zero: Posture,
}

/// The joint values that were found.
#[derive(Debug, Clone)]
pub struct Solutions {
    /// Joint values in (−π, π], slides as they are.
    pub all: Vec<Vector6<f64>>,
    /// Whether a closed form says that there are no others.
    pub complete: bool,
}

impl InverseKinematics {
    /// Reads it off an arm.
    pub fn new(arm: &Arm) -> Self {
        let zero = arm.at(&Vector6::zeros());
        let (a, o) = (&zero.axis, &zero.origin);
        let parallel = |i: usize, j: usize| a[i].cross(&a[j]).norm() < PARALLEL;
        let planar = !arm.prismatic.contains(&true) && parallel(1, 2) && !parallel(0, 1);
        let meeting = |i: usize, j: usize| {
            let (p, q) = nearest([&o[i], &a[i]], [&o[j], &a[j]])?;
            ((p - q).norm() < MEET_M).then_some(0.5 * (p + q))
        };
        let kind = if !planar || parallel(4, 5) || parallel(3, 4) {
            AxisLayout::Other
        } else if parallel(2, 3) {
            meeting(4, 5).map_or(AxisLayout::Other, AxisLayout::ThreeParallel)
        } else {
            let of = |centre: &Vector3<f64>| (centre - o[5]).cross(&a[5]).norm() < MEET_M;
            match meeting(3, 4).filter(of) {
                Some(centre) => AxisLayout::SphericalWrist(centre),
                None => AxisLayout::Other,
            }
        };
        Self { kind, zero }
    }

    /// Whether there is a closed form.
    pub fn has_closed_form(&self) -> bool {
        self.kind != AxisLayout::Other
    }

    /// All joint values that reach a pose.
    pub fn solutions(&self, arm: &Arm, pose: &Pose) -> Solutions {
        let mut all: Vec<Vector6<f64>> = Vec::new();
        let mut take = |start: &Vector6<f64>, most: usize, near: f64| {
            let Some(q) = reach(arm, pose, start, most) else {
                return;
            };
            let wrapped = Vector6::from_fn(|k, _| if arm.prismatic[k] { q[k] } else { wrap(q[k]) });
            let far = (0..SIX).any(|k| wrap(q[k] - start[k]).abs() > near);
            if !far && !all.iter().any(|known| same(arm, known, &wrapped)) {
                all.push(wrapped);
            }
        };
        match self.kind {
            AxisLayout::SphericalWrist(centre) => {
                for start in self.spherical(&centre, pose) {
                    take(&start, 12, 0.1);
                }
            }
            AxisLayout::ThreeParallel(meeting) => {
                for start in self.three_parallel(&meeting, pose) {
                    take(&start, 12, 0.1);
                }
            }
            AxisLayout::Other => {
                for start in starts(arm) {
                    take(&start, 40, f64::INFINITY);
                }
            }
        }
        all.sort_by(|p, q| {
            p.iter()
                .partial_cmp(q.iter())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        Solutions {
            all,
            complete: self.has_closed_form(),
        }
    }

    /// Whether the wrist centre (or, with three parallel axes, axis 4) lies in front of axis 1. In
    /// front is the side on which it lies with all joints at zero (where it is over axis 1 then, the
    /// side to which axis 2 × axis 1 points), and turns with joint 1. `None` where the arm has no
    /// such point, or it lies on the border.
    pub fn in_front(&self, arm: &Arm, q: &Vector6<f64>) -> Option<bool> {
        let (_, forward) = self.up_and_forward(arm)?;
        let (turn, [_, _, wrist]) = self.arm_points(arm, q)?;
        let side = (turn * forward).dot(&(wrist - self.zero.origin[0]));
        (side.abs() > MEET_M).then_some(side > 0.0)
    }

    /// Whether the elbow lies above the line from shoulder to wrist centre, for an arm that reaches
    /// forward; reaching over its back it keeps the side. Up is where the root link's z axis
    /// points, along axis 1; where these are 84° to 96° apart, as axis 1 does.
    pub fn elbow_up(&self, arm: &Arm, q: &Vector6<f64>) -> Option<bool> {
        let (up, forward) = self.up_and_forward(arm)?;
        let (turn, [shoulder, elbow, wrist]) = self.arm_points(arm, q)?;
        let across = turn * forward.cross(&up);
        let side = (wrist - shoulder).cross(&(elbow - shoulder)).dot(&across);
        (side.abs() > MEET_M * MEET_M).then_some(side > 0.0)
    }

    /// Up along axis 1 and forward, with all joints at zero. They are conventions only: what a
    /// controller takes for up and forward is asked for at one posture of it
    /// ([`Configuration::of_arm`](crate::model::moves::Configuration::of_arm)).
    fn up_and_forward(&self, arm: &Arm) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let (a, o) = (&self.zero.axis, &self.zero.origin);
        let z = arm.world_from_root.rotation * Vector3::z();
        let up = match a[0].dot(&z) {
            along if along.abs() < RIGHT_ANGLE => a[0],
            along => a[0] * along.signum(),
        };
        let across = a[1].cross(&a[0]).normalize();
        let wrist = self.wrist()? - o[0];
        let forward = match across.dot(&wrist) {
            side if side.abs() < OVER_AXIS_M => across,
            side => across * side.signum(),
        };
        Some((up, forward))
    }

    /// The point that joints 1 to 3 carry.
    fn wrist(&self) -> Option<Vector3<f64>> {
        match self.kind {
            AxisLayout::SphericalWrist(centre) => Some(centre),
            AxisLayout::ThreeParallel(_) => Some(self.zero.origin[3]),
            AxisLayout::Other => None,
        }
    }

    /// The turn of joint 1, and the places of axes 2, 3 and of the wrist.
    fn arm_points(&self, arm: &Arm, q: &Vector6<f64>) -> Option<(Matrix3<f64>, [Vector3<f64>; 3])> {
        let wrist = self.wrist()?;
        let at = arm.at(q);
        let carried = rotation(&at.axis[0], q[0])
            * rotation(&self.zero.axis[1], q[1])
            * rotation(&self.zero.axis[2], q[2]);
        let moved = at.origin[2] + carried * (wrist - self.zero.origin[2]);
        Some((
            rotation(&self.zero.axis[0], q[0]),
            [at.origin[1], at.origin[2], moved],
        ))
    }

    /// G and what it makes of a point.
    fn motion_from_zero(&self, pose: &Pose) -> Pose {
        let back = self.zero.tool.rotation.transpose();
        Pose {
            rotation: pose.rotation * back,
            translation: pose.translation - pose.rotation * back * self.zero.tool.translation,
        }
    }

    fn spherical(&self, centre: &Vector3<f64>, pose: &Pose) -> Vec<Vector6<f64>> {
        let a = &self.zero.axis;
        let g = self.motion_from_zero(pose);
        let mut found = Vec::new();
        for q1 in self.solve_first_joint(centre, &g.apply(centre)) {
            let r1 = rotation(&a[0], q1);
            let there = self.undo_first_joint(&r1, &g.apply(centre));
            for [q2, q3] in self.solve_two_links(centre, &there) {
                let arm = r1 * rotation(&a[1], q2) * rotation(&a[2], q3);
                let wrist = arm.transpose() * g.rotation;
                let along = wrist * a[5];
                for q5 in solve_rotated_dot(&a[3], &a[4], &a[5], a[3].dot(&along)) {
                    let r5 = rotation(&a[4], q5);
                    let q4 = angle(&a[3], &(r5 * a[5]), &along);
                    let rest = (rotation(&a[3], q4) * r5).transpose() * wrist;
                    let out = across(&a[5]);
                    let q6 = angle(&a[5], &out, &(rest * out));
                    found.push(Vector6::new(q1, q2, q3, q4, q5, q6));
                }
            }
        }
        found
    }

    fn three_parallel(&self, meeting: &Vector3<f64>, pose: &Pose) -> Vec<Vector6<f64>> {
        let (a, o) = (&self.zero.axis, &self.zero.origin);
        let sign = |k: usize| a[k].dot(&a[1]).signum();
        let g = self.motion_from_zero(pose);
        let mut found = Vec::new();
        for q1 in self.solve_first_joint(meeting, &g.apply(meeting)) {
            let r1 = rotation(&a[0], q1);
            let rest = r1.transpose() * g.rotation;
            for q5 in solve_rotated_dot(&a[1], &a[4], &a[5], a[1].dot(&(rest * a[5]))) {
                let r5 = rotation(&a[4], q5);
                let q6 = angle(&a[5], &(rest.transpose() * a[1]), &(r5.transpose() * a[1]));
                let parallel = rest * (r5 * rotation(&a[5], q6)).transpose();
                let out = across(&a[1]);
                let sum = angle(&a[1], &out, &(parallel * out));
                let there =
                    self.undo_first_joint(&r1, &g.apply(meeting)) - parallel * (meeting - o[3]);
                for [q2, q3] in self.solve_two_links(&o[3], &there) {
                    let q4 = sign(3) * (sum - q2 - sign(2) * q3);
                    found.push(Vector6::new(q1, q2, q3, wrap(q4), q5, q6));
                }
            }
        }
        found
    }

    /// q₁ for which `point`, moved by joints 2 and 3 (and by what keeps it in place), gets to
    /// `there`.
    fn solve_first_joint(&self, point: &Vector3<f64>, there: &Vector3<f64>) -> Vec<f64> {
        let (a, o) = (&self.zero.axis, &self.zero.origin);
        let (v, across) = (there - o[0], a[1]);
        let along = a[0].dot(&v) * a[0];
        let aside = v - along;
        solve_cosine_sine(
            across.dot(&aside),
            -across.dot(&a[0].cross(&v)),
            across.dot(&(point - o[0])) - across.dot(&along),
        )
    }

    /// A place with joint 1 turned back.
    fn undo_first_joint(&self, r1: &Matrix3<f64>, there: &Vector3<f64>) -> Vector3<f64> {
        let o = &self.zero.origin[0];
        o + r1.transpose() * (there - o)
    }

    /// q₂ and q₃ that take `point` to `there`.
    fn solve_two_links(&self, point: &Vector3<f64>, there: &Vector3<f64>) -> Vec<[f64; 2]> {
        let (a, o) = (&self.zero.axis, &self.zero.origin);
        let flat = |v: Vector3<f64>| v - a[1] * a[1].dot(&v);
        let (l, w, d) = (flat(o[2] - o[1]), flat(point - o[2]), flat(there - o[1]));
        let far = 0.5 * (d.norm_squared() - l.norm_squared() - w.norm_squared());
        let q3 = solve_cosine_sine(l.dot(&w), l.dot(&a[2].cross(&w)), far);
        let pair = |q3: f64| [angle(&a[1], &(l + rotation(&a[2], q3) * w), &d), q3];
        q3.into_iter().map(pair).collect()
    }
}

/// Starts for the search: spread evenly over the joints' ranges (Kronecker's sequence).
fn starts(arm: &Arm) -> impl Iterator<Item = Vector6<f64>> + '_ {
    // Powers of the inverse of the root of x⁷ = x + 1: no two coordinates repeat together.
    const ROOT: f64 = 1.112_775_684_278_705_5;
    (0..STARTS).map(|n| {
        Vector6::from_fn(|k, _| {
            let share = (0.5 + n as f64 / ROOT.powi(k as i32 + 1)).fract();
            let (low, high) = match (arm.prismatic[k], arm.limits[k]) {
                (true, Some(limits)) => limits,
                (true, None) => (-1.0, 1.0),
                (false, _) => (-std::f64::consts::PI, std::f64::consts::PI),
            };
            low + share * (high - low)
        })
    })
}

/// Solutions of A cos q + B sin q = C.
fn solve_cosine_sine(a: f64, b: f64, c: f64) -> Vec<f64> {
    let r = a.hypot(b);
    if r < 1e-12 || c.abs() > r * (1.0 + 1e-9) {
        return Vec::new();
    }
    let (middle, aside) = (b.atan2(a), (c / r).clamp(-1.0, 1.0).acos());
    vec![wrap(middle + aside), wrap(middle - aside)]
}

/// Solutions q of to·R(axis, q)·of = c.
fn solve_rotated_dot(
    to: &Vector3<f64>,
    axis: &Vector3<f64>,
    of: &Vector3<f64>,
    c: f64,
) -> Vec<f64> {
    let along = axis * axis.dot(of);
    let aside = of - along;
    solve_cosine_sine(to.dot(&aside), to.dot(&axis.cross(of)), c - to.dot(&along))
}

/// Angle about an axis from one vector to another.
fn angle(axis: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> f64 {
    let flat = |v: &Vector3<f64>| v - axis * axis.dot(v);
    let (from, to) = (flat(from), flat(to));
    axis.dot(&from.cross(&to)).atan2(from.dot(&to))
}

/// Some direction across another one.
fn across(a: &Vector3<f64>) -> Vector3<f64> {
    let least = a.iamin();
    a.cross(&Vector3::ith(least, 1.0)).normalize()
}

/// The points of two lines that are nearest to one another; `None` where they are parallel.
fn nearest(
    [p, a]: [&Vector3<f64>; 2],
    [q, b]: [&Vector3<f64>; 2],
) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let normal = a.cross(b);
    let square = normal.norm_squared();
    if square < PARALLEL * PARALLEL {
        return None;
    }
    let between = q - p;
    let s = between.cross(b).dot(&normal) / square;
    let t = between.cross(a).dot(&normal) / square;
    Some((p + a * s, q + b * t))
}

/// The same angle in (−π, π].
pub fn wrap(angle: f64) -> f64 {
    let turns = (angle / std::f64::consts::TAU).round();
    angle - turns * std::f64::consts::TAU
}

fn same(arm: &Arm, p: &Vector6<f64>, q: &Vector6<f64>) -> bool {
    (0..SIX).all(|k| {
        if arm.prismatic[k] {
            (p[k] - q[k]).abs() < SAME
        } else {
            wrap(p[k] - q[k]).abs() < SAME
        }
    })
}
