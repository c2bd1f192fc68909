//! Joint limits, on the interpolated trajectory and not at samples.
//!
//! Within a segment a joint follows a polynomial: its extremes, and those of its speed, are
//! enclosed by subdivision to 1e-9 (`Segment::extreme` of the proof), so an overshoot of a cubic or
//! quintic between two waypoints is found.
//!
//! **Rounding in files.** Programs and URDFs are printed with few digits; six decimals, as ROS and
//! many controllers print, move a value by up to 5e-7. A position is reported when it passes its
//! limit by more than 1e-6 rad (m). A speed comes from two such positions and two such times; it is
//! reported when it passes its limit v by more than 1e-6·(1 + v)/T, T being the duration of the
//! segment. An acceleration comes from all that: positions count with 6/T², speeds with 6/T, and
//! times with 4·a/T; it is reported when it passes its limit a by more than 1e-6·(12/T² + 12/T +
//! 4·a/T).
//!
//! **Acceleration** is judged on cubic and quintic trajectories, between waypoints. A linear
//! trajectory changes its speed at once at every waypoint, which no motor does: there is nothing to
//! judge, and [`unjudged`] says so.
//!
//! A joint that follows another one (`mimic`) is judged apart ([`of_followers`]): its value follows
//! from its leader's, which is checked.
//!
//! A continuous joint has a range only where a file of joint limits states one.

use clearance_proof::model::{Cell, Interpolation, JointId, Trajectory};

use crate::findings::{LimitKind, LimitViolation};

/// Excess that rounding in files explains, radians or metres (and seconds).
const PRINTED: f64 = 1e-6;
/// How closely extremes are enclosed.
const TOLERANCE: f64 = 1e-9;

/// The worst place found so far.
struct Worst {
    excess: f64,
    found: LimitViolation,
}

/// Every joint that leaves its limits somewhere on the trajectory, in the cell's order of joints:
/// one entry per joint and kind (position; speed when the trajectory has times; acceleration when
/// it is not a linear one besides), with the worst value and when it is attained.
pub fn violations(cell: &Cell, trajectory: &Trajectory) -> Vec<LimitViolation> {
    let all: Vec<JointId> = (0..cell.joints.len()).collect();
    let found = violations_of(cell, trajectory, &all);
    found.into_iter().map(|(_, violation)| violation).collect()
}

/// Those of some joints, each with its joint.
pub fn violations_of(
    cell: &Cell,
    trajectory: &Trajectory,
    joints: &[JointId],
) -> Vec<(JointId, LimitViolation)> {
    let own = joints.iter().filter(|&&id| cell.joints[id].mimic.is_none());
    own.flat_map(|&id| beyond(cell, trajectory, id)).collect()
}

/// Where joints that follow another one leave their own limits. What a motion may do is up to the
/// limits of the leader: those of followers are often written without care, and are no findings.
pub fn of_followers(cell: &Cell, trajectory: &Trajectory) -> Vec<(JointId, LimitViolation)> {
    let followers = (0..cell.joints.len()).filter(|&id| cell.joints[id].mimic.is_some());
    followers
        .flat_map(|id| beyond(cell, trajectory, id))
        .collect()
}

/// The limits that a joint leaves, each at its worst.
fn beyond(cell: &Cell, trajectory: &Trajectory, id: JointId) -> Vec<(JointId, LimitViolation)> {
    let joint = &cell.joints[id];
    let mut position: Option<Worst> = None;
    let mut speed: Option<Worst> = None;
    let mut acceleration: Option<Worst> = None;
    for (index, segment) in trajectory.segments.iter().enumerate() {
        // Few joints leave their limits, so names are made for those that do.
        let entry = |what, time, value, limit| {
            move || LimitViolation {
                joint: cell.joint_label(id),
                what,
                time,
                value,
                limit,
                segment: Some(index),
                way: None,
            }
        };
        if let Some((low, high)) = joint.limits.position {
            for (limit, sign) in [(low, -1.0), (high, 1.0)] {
                let (value, time) = segment.extreme(id, 0, sign, TOLERANCE);
                keep(
                    &mut position,
                    sign * (value - limit),
                    PRINTED,
                    entry(LimitKind::Position, time, value, limit),
                );
            }
        }
        let duration = segment.duration();
        if let Some(limit) = joint.limits.velocity
            && trajectory.timed
            && duration > 0.0
        {
            for sign in [-1.0, 1.0] {
                let (value, time) = segment.extreme(id, 1, sign, TOLERANCE);
                keep(
                    &mut speed,
                    sign * value - limit,
                    PRINTED * (1.0 + limit) / duration,
                    entry(LimitKind::Velocity, time, value, sign * limit),
                );
            }
        }
        if let Some(limit) = joint.limits.acceleration
            && is_judged(trajectory)
            && duration > 0.0
        {
            let explained = 12.0 / (duration * duration) + (12.0 + 4.0 * limit) / duration;
            for sign in [-1.0, 1.0] {
                let (value, time) = segment.extreme(id, 2, sign, TOLERANCE);
                keep(
                    &mut acceleration,
                    sign * value - limit,
                    PRINTED * explained,
                    entry(LimitKind::Acceleration, time, value, sign * limit),
                );
            }
        }
    }
    let found = [position, speed, acceleration].into_iter().flatten();
    found.map(|w| (id, w.found)).collect()
}

fn is_judged(trajectory: &Trajectory) -> bool {
    trajectory.timed && trajectory.interpolation != Interpolation::Linear
}

/// Those of some joints that move on a trajectory and have acceleration limits which cannot be
/// judged on it.
pub fn unjudged(cell: &Cell, trajectory: &Trajectory, joints: &[JointId]) -> Vec<JointId> {
    if is_judged(trajectory) {
        return Vec::new();
    }
    let moves = |j: JointId| {
        let mut segments = trajectory.segments.iter();
        segments.any(|s| s.joint(j)[1..].iter().any(|&x| x != 0.0))
    };
    let mut own: Vec<JointId> = joints.to_vec();
    own.sort_unstable();
    own.retain(|&j| {
        let joint = &cell.joints[j];
        joint.mimic.is_none() && joint.limits.acceleration.is_some() && moves(j)
    });
    own
}

/// Keeps the entry if it exceeds what rounding explains, and the worst one so far; the first of
/// equals.
fn keep(
    worst: &mut Option<Worst>,
    excess: f64,
    explained: f64,
    found: impl FnOnce() -> LimitViolation,
) {
    if excess > explained && worst.as_ref().is_none_or(|w| excess > w.excess) {
        *worst = Some(Worst {
            excess,
            found: found(),
        });
    }
}

#[cfg(test)]
mod tests {
    use clearance_proof::model::*;
    use nalgebra::{Isometry3, Vector3};
    use proptest::prelude::*;

    use super::*;

    fn cell(kind: JointKind, position: Option<(f64, f64)>, velocity: Option<f64>) -> Cell {
        Cell {
            joints: vec![Joint {
                name: "j".into(),
                robot: 0,
                parent: None,
                parent_from_joint: Isometry3::identity(),
                axis: Vector3::z_axis(),
                kind,
                limits: Limits {
                    position,
                    velocity,
                    acceleration: None,
                },
                mimic: None,
            }],
            rest: vec![0.0],
            ..Cell::default()
        }
    }

    fn trajectory(segments: &[(f64, f64, [f64; 6])]) -> Trajectory {
        Trajectory {
            segments: segments
                .iter()
                .map(|&(start, end, c)| Segment::new(start, end, vec![c]))
                .collect(),
            interpolation: Interpolation::Cubic,
            timed: true,
        }
    }

    /// 4·h·s·(1 − s): starts and ends at 0, peaks at h in the middle.
    fn hump(height: f64) -> [f64; 6] {
        [0.0, 4.0 * height, -4.0 * height, 0.0, 0.0, 0.0]
    }

    #[test]
    fn overshoot_between_waypoints_is_found() {
        let arm = cell(JointKind::Revolute, Some((-1.0, 1.0)), None);
        let found = violations(
            &arm,
            &trajectory(&[(0.0, 2.0, hump(1.1)), (2.0, 4.0, hump(-1.3))]),
        );
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].what, found[0].limit), (LimitKind::Position, -1.0));
        assert!((found[0].value + 1.3).abs() < 1e-9);
        assert!((found[0].time - 3.0).abs() < 1e-4);
        assert!(violations(&arm, &trajectory(&[(0.0, 2.0, hump(0.999))])).is_empty());
    }

    #[test]
    fn printed_digits_are_no_violation() {
        let arm = cell(JointKind::Revolute, Some((-1.0, 1.0)), None);
        let constant = |q| trajectory(&[(0.0, 0.0, [q, 0.0, 0.0, 0.0, 0.0, 0.0])]);
        assert!(violations(&arm, &constant(1.0 + 0.9e-6)).is_empty());
        assert_eq!(violations(&arm, &constant(1.0 + 1.1e-6)).len(), 1);
    }

    #[test]
    fn speed_needs_times_and_a_duration() {
        let rail = cell(JointKind::Prismatic, Some((0.0, 9.0)), Some(0.5));
        let forth = [0.0, 1.2, 0.0, 0.0, 0.0, 0.0];
        let back = [1.2, -1.2, 0.0, 0.0, 0.0, 0.0];
        let mut p = trajectory(&[(0.0, 2.0, forth), (2.0, 2.0, back), (2.0, 3.0, back)]);
        let found = violations(&rail, &p);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].what, found[0].value, found[0].limit, found[0].time),
            (LimitKind::Velocity, -1.2, -0.5, 2.0)
        );
        p.timed = false;
        assert!(violations(&rail, &p).is_empty());
    }

    #[test]
    fn a_range_counts_for_continuous_joints_and_not_for_followers() {
        let far = trajectory(&[(0.0, 1.0, [50.0, 1.0, 0.0, 0.0, 0.0, 0.0])]);
        assert!(violations(&cell(JointKind::Continuous, None, None), &far).is_empty());
        // A file of joint limits has stated it.
        let ranged = cell(JointKind::Continuous, Some((-1.0, 1.0)), None);
        assert_eq!(violations(&ranged, &far).len(), 1);
        let mut follower = cell(JointKind::Revolute, Some((-1.0, 1.0)), None);
        assert_eq!(violations(&follower, &far).len(), 1);
        assert!(of_followers(&follower, &far).is_empty());
        follower.joints[0].mimic = Some(Mimic {
            source: 0,
            multiplier: 1.0,
            offset: 0.0,
        });
        assert!(violations(&follower, &far).is_empty());
        assert_eq!(of_followers(&follower, &far).len(), 1);
    }

    /// From rest to rest by `way` in `time` seconds: the cubic starts and ends with 6·way/time²,
    /// speeding up and slowing down.
    #[test]
    fn acceleration_of_a_cubic_by_formula() {
        let (way, time) = (1.2, 2.0);
        let cubic = [0.3, 0.0, 3.0 * way, -2.0 * way, 0.0, 0.0];
        let peak = 6.0 * way / (time * time);
        let mut arm = cell(JointKind::Revolute, None, None);
        let mut trajectory = trajectory(&[(1.0, 1.0 + time, cubic)]);
        arm.joints[0].limits.acceleration = Some(peak * 1.001);
        assert_eq!(violations(&arm, &trajectory), []);
        arm.joints[0].limits.acceleration = Some(peak * 0.999);
        let found = violations(&arm, &trajectory);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, LimitKind::Acceleration);
        assert!((found[0].value.abs() - peak).abs() < 1e-12, "{found:?}");
        assert!([1.0, 3.0].contains(&found[0].time));
        assert_eq!(found[0].limit, found[0].value.signum() * peak * 0.999);
        assert_eq!(unjudged(&arm, &trajectory, &[0]), [0; 0]);
        // The same polynomial as a linear or untimed trajectory: nothing is said, but that nothing
        // is.
        trajectory.timed = false;
        assert_eq!(violations(&arm, &trajectory), []);
        assert_eq!(unjudged(&arm, &trajectory, &[0]), [0]);
        trajectory.timed = true;
        trajectory.interpolation = Interpolation::Linear;
        assert_eq!(violations(&arm, &trajectory), []);
        assert_eq!(unjudged(&arm, &trajectory, &[0]), [0]);
        assert_eq!(unjudged(&arm, &trajectory, &[]), [0; 0]);
    }

    /// From rest to rest with a quintic: 10·√3/3·way/time², not at its ends and not where samples
    /// at waypoints would look.
    #[test]
    fn acceleration_of_a_quintic_peaks_between_waypoints() {
        let (way, time) = (0.8, 0.5);
        let quintic = [0.0, 0.0, 0.0, 10.0 * way, -15.0 * way, 6.0 * way];
        let peak = 10.0 * 3f64.sqrt() / 3.0 * way / (time * time);
        let mut arm = cell(JointKind::Prismatic, None, None);
        arm.joints[0].limits.acceleration = Some(peak - 0.01);
        let found = violations(&arm, &trajectory(&[(0.0, time, quintic)]));
        assert_eq!(found.len(), 1);
        assert!((found[0].value.abs() - peak).abs() < 1e-6, "{found:?}");
        let s = 0.5 - 3f64.sqrt() / 6.0;
        let off = (found[0].time / time - s)
            .abs()
            .min((found[0].time / time - 1.0 + s).abs());
        assert!(off < 1e-3, "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Against dense sampling: what samples see is reported, no less bad; what is reported is
        /// attained.
        #[test]
        fn agrees_with_dense_sampling(c in prop::array::uniform6(-2.0..2.0_f64), limit in 0.1..6.0_f64) {
            let mut arm = cell(JointKind::Revolute, Some((-limit, limit)), Some(limit));
            arm.joints[0].limits.acceleration = Some(limit);
            let trajectory = trajectory(&[(1.0, 3.0, c)]);
            let found = violations(&arm, &trajectory);
            let segment = &trajectory.segments[0];
            let derivative = |c: &[f64; 6]| -> [f64; 6] {
                [1, 2, 3, 4, 5, 6].map(|k| c.get(k).map_or(0.0, |x| k as f64 * x))
            };
            let value = |c: &[f64; 6], s: f64| c.iter().rev().fold(0.0, |sum, x| sum * s + x);
            let rate = derivative(&c);
            let push = derivative(&rate);
            let (mut q, mut v, mut a) = (0.0_f64, 0.0_f64, 0.0_f64);
            for i in 0..=1000 {
                let s = f64::from(i) / 1000.0;
                q = q.max(segment.position(0, s).abs());
                v = v.max((value(&rate, s) / 2.0).abs());
                a = a.max((value(&push, s) / 4.0).abs());
            }
            for (what, sampled) in [(LimitKind::Position, q), (LimitKind::Velocity, v), (LimitKind::Acceleration, a)] {
                match found.iter().find(|f| f.what == what) {
                    Some(f) => {
                        prop_assert!(f.value.abs() > limit && f.value.abs() >= sampled - 2e-9);
                        let s = (f.time - 1.0) / 2.0;
                        let again = match what {
                            LimitKind::Position => segment.position(0, s),
                            LimitKind::Velocity => value(&rate, s) / 2.0,
                            LimitKind::Acceleration => value(&push, s) / 4.0,
                        };
                        prop_assert!((again - f.value).abs() < 1e-9);
                    }
                    None => {
                        let explained = match what {
                            LimitKind::Acceleration => 9.0 + 2.0 * limit,
                            _ => 1.0 + limit,
                        };
                        prop_assert!(sampled <= limit + 1e-6 * explained + 2e-9);
                    }
                }
            }
        }
    }
}
