//! Which of the joint values that reach a pose is meant.

use nalgebra::Vector6;

use super::arm::Arm;
use super::inverse::{Arrangement, wrap};
use super::piece::SIX;
use super::point::{proved, reach};
use crate::geometry::pose::Pose;
use crate::model::moves::{Branch, Configuration};

/// A value may be beyond a limit, or a stated range, by so much: programs carry rounded numbers.
/// Radians.
const ROUNDED: f64 = 1e-6;
/// The second nearest solution must be farther than the nearest one by this factor.
const CLEARLY: f64 = 1.05;

/// The one solution that is meant, and how far off its values can be.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// Values of the arm's joints.
    pub q: Vector6<f64>,
    /// How far the true ones can be off.
    pub off: [f64; SIX],
}

/// Solves a pose for the stated branch. `before`: the arm's joint values before the move, where
/// they are known.
///
/// # Errors
/// The reason, when not exactly one solution is meant.
pub fn choose(
    arm: &Arm,
    arrangement: &Arrangement,
    pose: &Pose,
    branch: &Branch,
    before: Option<&Vector6<f64>>,
) -> Result<Chosen, String> {
    if !pose
        .rotation
        .iter()
        .chain(&pose.translation)
        .all(|x| x.is_finite())
    {
        return Err("the pose has numbers that cannot be computed with".to_owned());
    }
    let reference = match branch {
        Branch::NearestTo(values) => Some(arm_values(arm, values)?),
        Branch::NearestToStart | Branch::Continued => match before {
            Some(q) => Some(*q),
            None => {
                return Err(
                    "it is not said which of the arm's configurations is meant, and where the arm is before is not known; state \
                     the configuration, or joint values"
                        .to_owned(),
                );
            }
        },
        Branch::Configuration(_) => None,
    };
    let q = match (&reference, branch) {
        (Some(near), _) => nearest(arm, arrangement, pose, near)?,
        (None, Branch::Configuration(wanted)) => configured(arm, arrangement, pose, wanted)?,
        (None, _) => {
            return Err("it is not said which of the arm's configurations is meant".to_owned());
        }
    };
    let off = proved(arm, pose, &q).ok_or(
        "the pose is at a singularity of the arm, where its joint values are not certain; give joint values",
    )?;
    Ok(Chosen { q, off })
}

/// The values of the arm's joints among those of the program.
pub fn arm_values(arm: &Arm, values: &[f64]) -> Result<Vector6<f64>, String> {
    let mut q = Vector6::zeros();
    for (k, &column) in arm.columns.iter().enumerate() {
        q[k] = *values
            .get(column)
            .ok_or("the target has fewer values than the program has joints")?;
    }
    Ok(q)
}

/// All values of one joint that mean the same place and that its limits allow.
fn turns(arm: &Arm, k: usize, value: f64) -> Vec<f64> {
    if arm.prismatic[k] {
        return vec![value];
    }
    let (low, high) = arm.limits[k].unwrap_or((-std::f64::consts::TAU, std::f64::consts::TAU));
    let first = ((low - ROUNDED - value) / std::f64::consts::TAU).ceil() as i64;
    let last = ((high + ROUNDED - value) / std::f64::consts::TAU).floor() as i64;
    (first..=last.min(first + 8))
        .map(|n| value + n as f64 * std::f64::consts::TAU)
        .collect()
}

fn nearest(
    arm: &Arm,
    arrangement: &Arrangement,
    pose: &Pose,
    near: &Vector6<f64>,
) -> Result<Vector6<f64>, String> {
    let mut found = arrangement.solutions(arm, pose);
    // Where all are searched for by chance, at least the way from the reference is gone.
    if !found.complete {
        found.all.extend(reach(arm, pose, near, 40));
    }
    let mut allowed: Vec<(f64, Vector6<f64>)> = Vec::new();
    for q in &found.all {
        let closest = |k: usize| {
            let distance = |v: &f64| (v - near[k]).abs();
            // A joint without limits turns on from where it is.
            let values = match (arm.limits[k], arm.prismatic[k]) {
                (None, false) => vec![near[k] + wrap(q[k] - near[k])],
                _ => turns(arm, k, q[k]),
            };
            values
                .into_iter()
                .min_by(|x, y| distance(x).total_cmp(&distance(y)))
        };
        let values: Option<Vec<f64>> = (0..SIX).map(closest).collect();
        if let Some(values) = values {
            let q = Vector6::from_iterator(values);
            let distance = (q - near).norm();
            if !allowed
                .iter()
                .any(|(_, known)| (known - q).amax() < ROUNDED)
            {
                allowed.push((distance, q));
            }
        }
    }
    allowed.sort_by(|x, y| x.0.total_cmp(&y.0));
    match &allowed[..] {
        [] => Err(out_of_reach(&found.all)),
        [(first, _), (second, _), ..] if *second < first * CLEARLY + ROUNDED => Err(
            "two configurations of the arm reach the pose from about equally near joint values; state which one is meant"
                .to_owned(),
        ),
        [(_, q), ..] => Ok(*q),
    }
}

fn configured(
    arm: &Arm,
    arrangement: &Arrangement,
    pose: &Pose,
    wanted: &Configuration,
) -> Result<Vector6<f64>, String> {
    let sided = wanted.in_front.is_some() || wanted.elbow_up.is_some();
    if sided && !arrangement.is_closed() {
        return Err(
            "a configuration of front and back, elbow up and down says nothing about an arm whose wrist axes do not meet; state \
             joint values near the pose"
                .to_owned(),
        );
    }
    let found = arrangement.solutions(arm, pose);
    let mut meant: Vec<Vector6<f64>> = Vec::new();
    for q in &found.all {
        if !sides(arm, arrangement, q, wanted) {
            continue;
        }
        let mut variants = vec![*q];
        for k in 0..SIX {
            let values: Vec<f64> = turns(arm, k, q[k])
                .into_iter()
                .filter(|v| in_ranges(arm, wanted, k, *v))
                .collect();
            variants = variants
                .iter()
                .flat_map(|q| values.iter().map(|v| (*q, *v)))
                .map(|(mut q, v)| {
                    q[k] = v;
                    q
                })
                .collect();
        }
        meant.extend(variants);
    }
    match &meant[..] {
        [] if found.all.is_empty() => Err(out_of_reach(&found.all)),
        [] => Err(format!(
            "none of the {} ways in which the arm reaches the pose has the stated configuration within the joints' limits",
            found.all.len()
        )),
        [q] if found.complete => Ok(*q),
        [_] => Err(
            "a configuration does not decide for an arm without closed inverse kinematics; state joint values near the pose"
                .to_owned(),
        ),
        many => Err(format!(
            "the stated configuration leaves {} sets of joint values (whole turns of a joint count); state ranges of the joints",
            many.len()
        )),
    }
}

/// Whether joint values have a configuration, as far as it is stated.
pub fn has(arm: &Arm, arrangement: &Arrangement, q: &Vector6<f64>, wanted: &Configuration) -> bool {
    sides(arm, arrangement, q, wanted) && (0..SIX).all(|k| in_ranges(arm, wanted, k, q[k]))
}

fn sides(arm: &Arm, arrangement: &Arrangement, q: &Vector6<f64>, wanted: &Configuration) -> bool {
    let front = wanted.in_front;
    let up = wanted.elbow_up;
    front.is_none_or(|w| arrangement.in_front(arm, q) == Some(w))
        && up.is_none_or(|w| arrangement.elbow_up(arm, q) == Some(w))
}

fn in_ranges(arm: &Arm, wanted: &Configuration, k: usize, value: f64) -> bool {
    let own = wanted.ranges.iter().filter(|r| r.joint == arm.columns[k]);
    own.into_iter()
        .all(|r| r.from - ROUNDED <= value && value < r.to + ROUNDED)
}

fn out_of_reach(found: &[Vector6<f64>]) -> String {
    match found.len() {
        0 => "the pose is out of reach".to_owned(),
        _ => "the arm reaches the pose only with joints beyond their limits".to_owned(),
    }
}
