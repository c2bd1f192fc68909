//! Which of the joint values that reach a pose is meant.

use std::f64::consts::TAU;

use nalgebra::Vector6;

use super::arm::Arm;
use super::inverse::InverseKinematics;
use super::piece::SIX;
use super::point::{reach, solution_enclosure};
use crate::geometry::pose::Pose;
use crate::model::moves::{Branch, Configuration};
use crate::motion::JointRange;

/// A value may be beyond a limit, or a stated range, by so much: programs carry rounded numbers.
/// Radians.
const ROUNDED: f64 = 1e-6;
/// Any other solution must be farther than the nearest one by this factor.
const CLEARLY: f64 = 1.05;

/// A range of so many turns says a side of zero. Radians.
const ONE_SIDED: f64 = 50.0 * TAU;
/// So near to zero a KR C is known to go the short way, whatever side of zero is stated. Radians.
const BESIDE_ZERO: f64 = 2.0 * TAU / 360.0;

/// The one solution that is meant, and how far off its values can be.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenSolution {
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
pub fn choose_solution(
    arm: &Arm,
    inverse: &InverseKinematics,
    pose: &Pose,
    branch: &Branch,
    before: Option<&Vector6<f64>>,
) -> Result<ChosenSolution, String> {
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
        (Some(near), _) => nearest_solution(arm, inverse, pose, near)?,
        (None, Branch::Configuration(wanted)) => configured_solution(arm, inverse, pose, wanted)?,
        (None, _) => {
            return Err("it is not said which of the arm's configurations is meant".to_owned());
        }
    };
    let off = solution_enclosure(arm, pose, &q).ok_or(
        "the pose is at a singularity of the arm, where its joint values are not certain; give joint values",
    )?;
    Ok(ChosenSolution { q, off })
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

/// A joint's values that mean the same place: a value and whole turns of it, as far as they lie
/// within a range. A joint that slides has one.
#[derive(Debug, Clone, Copy)]
struct WholeTurns {
    value: f64,
    /// The fewest turns that are added to it.
    first: i64,
    /// The most; fewer than `first`: none are allowed.
    last: i64,
}

impl WholeTurns {
    /// Those that lie within a range.
    fn between(value: f64, range: JointRange) -> Self {
        Self {
            value,
            first: ((range.low - ROUNDED - value) / TAU).ceil() as i64,
            last: ((range.high + ROUNDED - value) / TAU).floor() as i64,
        }
    }

    /// All that a joint's limits allow; all of them, where it has none, or where they do not count.
    fn of_joint(arm: &Arm, k: usize, value: f64, limits_count: bool) -> Self {
        if arm.prismatic[k] {
            return Self::only(value);
        }
        let limits = limits_of(arm, k).filter(|_| limits_count);
        Self::between(value, limits.unwrap_or(JointRange::ANY))
    }

    /// Those that a stated configuration means, within the joint's limits. A range of many turns
    /// says a side of zero only: a joint without limits is then within a turn of it.
    fn configured(arm: &Arm, wanted: &Configuration, k: usize, value: f64) -> Self {
        if arm.prismatic[k] {
            let last = if in_ranges(arm, wanted, k, value) {
                0
            } else {
                -1
            };
            return Self {
                last,
                ..Self::only(value)
            };
        }
        let stated = stated_range(arm, wanted, k);
        let limits = match limits_of(arm, k) {
            Some(limits) => limits,
            None if stated.high - stated.low < 2.0 * TAU => stated,
            None => JointRange {
                low: -TAU,
                high: TAU,
            },
        };
        Self::between(value, narrower(stated, limits))
    }

    fn only(value: f64) -> Self {
        Self {
            value,
            first: 0,
            last: 0,
        }
    }

    fn count(&self) -> u64 {
        u64::try_from(self.last.saturating_sub(self.first).saturating_add(1)).unwrap_or(0)
    }

    fn at(&self, turns: i64) -> f64 {
        self.value + turns as f64 * TAU
    }

    /// The nearest one to a value, and the second nearest.
    fn nearest_two(&self, to: f64) -> [Option<f64>; 2] {
        if self.count() == 0 {
            return [None, None];
        }
        let turns = (((to - self.value) / TAU).round() as i64).clamp(self.first, self.last);
        let beside = [turns.checked_sub(1), Some(turns), turns.checked_add(1)];
        let mut all: Vec<f64> = (beside.into_iter().flatten())
            .filter(|turns| (self.first..=self.last).contains(turns))
            .map(|turns| self.at(turns))
            .collect();
        all.sort_by(|x, y| (x - to).abs().total_cmp(&(y - to).abs()));
        [all.first().copied(), all.get(1).copied()]
    }
}

fn nearest_solution(
    arm: &Arm,
    inverse: &InverseKinematics,
    pose: &Pose,
    near: &Vector6<f64>,
) -> Result<Vector6<f64>, String> {
    let mut found = inverse.solutions(arm, pose);
    // Without a closed form the search may miss solutions, so Newton's method from the reference is
    // tried as well.
    if !found.complete {
        found.all.extend(reach(arm, pose, near, 40));
    }
    let allowed = solutions_by_distance(arm, &found.all, near, true);
    let Some(((_, q), others)) = allowed.split_first() else {
        return Err(out_of_reach(&found.all));
    };
    let may_be_nearer = |other: &Vector6<f64>| may_be_nearer(near, q, other);
    if let Some((_, other)) = others.iter().find(|(_, other)| may_be_nearer(other)) {
        return Err(undecided(arm, q, other));
    }
    // The controller goes by its own limits, and the files may have narrower ones.
    let nearer = solutions_by_distance(arm, &found.all, near, false).into_iter();
    let mut nearer = nearer.filter(|(_, other)| other == q || may_be_nearer(other));
    match nearer.find_map(|(_, other)| beyond_limits(arm, &other)) {
        None => Ok(*q),
        Some((k, value)) => Err(format!(
            "the nearest joint values have `{}` at {:.1}°, beyond its limits in the cell's files, and which ones the controller \
             takes depends on its own limits; state joint values",
            arm.names[k],
            value.to_degrees()
        )),
    }
}

/// Whether other joint values may be the nearer ones, however that is measured.
fn may_be_nearer(near: &Vector6<f64>, q: &Vector6<f64>, other: &Vector6<f64>) -> bool {
    let [own, other] = [q, other].map(|q| measures(&(q - near)));
    let mut both = own.into_iter().zip(other);
    both.any(|(own, other)| other < own * CLEARLY + ROUNDED)
}

/// Joint values from which the nearest solution may be asked for: all that differ from the middle by no
/// more than `off`.
#[derive(Debug)]
pub struct SolutionsAround {
    /// The middle.
    pub near: Vector6<f64>,
    /// By how much others differ from it, radians or metres.
    pub off: Vector6<f64>,
}

impl SolutionsAround {
    /// Whether this solution of a pose is clearly the nearest one from all of them. Of any two joint
    /// values each measure of a distance differs by no more than that of what is between them.
    pub fn all_choose(
        &self,
        arm: &Arm,
        inverse: &InverseKinematics,
        pose: &Pose,
        chosen: &Vector6<f64>,
    ) -> bool {
        // The turns that are looked at are those around the middle.
        if self.off.amax() > 0.25 * TAU {
            return false;
        }
        let mut found = inverse.solutions(arm, pose);
        if !found.complete {
            found.all.extend(reach(arm, pose, &self.near, 40));
        }
        let off = measures(&self.off);
        let own = measures(&(chosen - self.near));
        let is_farther = |other: &Vector6<f64>| {
            let other = measures(&(other - self.near));
            (0..3).all(|m| other[m] - off[m] >= (own[m] + off[m]) * CLEARLY + ROUNDED)
        };
        let all = solutions_by_distance(arm, &found.all, &self.near, false);
        (all.iter()).all(|(_, other)| (other - chosen).amax() < ROUNDED || is_farther(other))
    }
}

/// How far joint values are apart. Makers do not say how they measure it: it may be by the joint that
/// turns farthest, by all turns together, or by the root of their squares.
fn measures(between: &Vector6<f64>) -> [f64; 3] {
    [between.amax(), between.lp_norm(1), between.norm()]
}

/// The joint values that solutions mean, the nearest first, each with its distance. Of each solution
/// the nearest turns are among them, and those with one joint turned the other way.
fn solutions_by_distance(
    arm: &Arm,
    solutions: &[Vector6<f64>],
    near: &Vector6<f64>,
    limits_count: bool,
) -> Vec<(f64, Vector6<f64>)> {
    let mut all: Vec<(f64, Vector6<f64>)> = Vec::new();
    let mut add = |q: Vector6<f64>| {
        if !all.iter().any(|(_, known)| (known - q).amax() < ROUNDED) {
            all.push(((q - near).norm(), q));
        }
    };
    for q in solutions {
        let two: [_; SIX] = std::array::from_fn(|k| {
            WholeTurns::of_joint(arm, k, q[k], limits_count).nearest_two(near[k])
        });
        let values: Option<Vec<f64>> = two.iter().map(|[first, _]| *first).collect();
        if let Some(values) = values {
            let q = Vector6::from_iterator(values);
            add(q);
            for (k, [_, second]) in two.iter().enumerate() {
                if let Some(second) = second {
                    let mut other = q;
                    other[k] = *second;
                    add(other);
                }
            }
        }
    }
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    all
}

/// A joint that is beyond its limits, and its value.
fn beyond_limits(arm: &Arm, q: &Vector6<f64>) -> Option<(usize, f64)> {
    (0..SIX).find_map(|k| {
        let (low, high) = arm.limits[k].filter(|_| !arm.prismatic[k])?;
        let inside = (low - ROUNDED..=high + ROUNDED).contains(&q[k]);
        (!inside).then_some((k, q[k]))
    })
}

/// The reason where two sets of joint values are about equally near.
fn undecided(arm: &Arm, one: &Vector6<f64>, other: &Vector6<f64>) -> String {
    let beside = one - other;
    let turned = beside.iamax();
    let is_turn = |k: usize| k == turned || beside[k].abs() < ROUNDED;
    // No minus stands before a zero.
    let shown = |value: f64| (10.0 * value.to_degrees()).round() / 10.0 + 0.0;
    if (0..SIX).all(is_turn) {
        return format!(
            "`{}` reaches the pose by about equally far turns to both sides, at {:.1}° and at {:.1}°; state joint values near the one that is meant",
            arm.names[turned],
            shown(one[turned]),
            shown(other[turned])
        );
    }
    "two configurations of the arm reach the pose from about equally near joint values; state which one is meant"
        .to_owned()
}

/// The greater of two lower ends, and the lesser of two upper ones.
fn narrower(one: JointRange, other: JointRange) -> JointRange {
    JointRange {
        low: one.low.max(other.low),
        high: one.high.min(other.high),
    }
}

/// The limits of a joint of the arm; none: it has none.
fn limits_of(arm: &Arm, k: usize) -> Option<JointRange> {
    arm.limits[k].map(|(low, high)| JointRange { low, high })
}

/// All that the ranges of a configuration leave of a joint.
fn stated_range(arm: &Arm, wanted: &Configuration, k: usize) -> JointRange {
    let own = wanted.ranges.iter().filter(|r| r.joint == arm.columns[k]);
    own.map(|r| JointRange {
        low: r.from,
        high: r.to,
    })
    .fold(JointRange::ANY, narrower)
}

/// The axis between the other two of a wrist. None turns by more than half a turn to either side;
/// other axes may by a whole one.
const BETWEEN: usize = 4;

/// Whether a solution is one that a configuration means to a controller whose limits may be wider.
fn is_meant_with_wider_limits(arm: &Arm, wanted: &Configuration, q: &Vector6<f64>) -> bool {
    (0..SIX).all(|k| {
        if arm.prismatic[k] {
            return in_ranges(arm, wanted, k, q[k]);
        }
        let most = if k == BETWEEN { 0.5 * TAU } else { TAU };
        let (low, high) = arm.limits[k].unwrap_or((-most, most));
        let wide = JointRange {
            low: low.min(-most),
            high: high.max(most),
        };
        let within = narrower(stated_range(arm, wanted, k), wide);
        WholeTurns::between(q[k], within).count() > 0
    })
}

/// The reason where an arm has no sides.
pub const NO_SIDES: &str = "a configuration of front and back, elbow up and down says nothing about an arm whose wrist axes do not meet; \
                            state joint values near the pose";

fn configured_solution(
    arm: &Arm,
    inverse: &InverseKinematics,
    pose: &Pose,
    wanted: &Configuration,
) -> Result<Vector6<f64>, String> {
    let sided = wanted.in_front.is_some() || wanted.elbow_up.is_some();
    if sided && !inverse.has_closed_form() {
        return Err(NO_SIDES.to_owned());
    }
    let found = inverse.solutions(arm, pose);
    let mut meant = None;
    let mut count = 0_u64;
    let mut postures = 0_u64;
    for q in found
        .all
        .iter()
        .filter(|q| has_sides(arm, inverse, q, wanted))
    {
        postures += u64::from(is_meant_with_wider_limits(arm, wanted, q));
        let turns: [_; SIX] = std::array::from_fn(|k| WholeTurns::configured(arm, wanted, k, q[k]));
        let ways = turns
            .iter()
            .map(WholeTurns::count)
            .fold(1, u64::saturating_mul);
        count = count.saturating_add(ways);
        if ways > 0 {
            meant = Some(Vector6::from_fn(|k, _| turns[k].at(turns[k].first)));
        }
    }
    match meant {
        None if found.all.is_empty() => Err(out_of_reach(&found.all)),
        None => Err(not_configured_reason(arm, &found.all)),
        Some(_) if count > 1 => Err(format!(
            "the stated configuration leaves {count} sets of joint values (whole turns of a joint count); state ranges of the joints"
        )),
        // The controller goes by its own limits, and the files may have narrower ones.
        Some(_) if postures > 1 => Err(format!(
            "the stated configuration leaves {postures} postures of the arm, and only the limits in the cell's files tell which \
             one is meant; the controller goes by its own limits: state ranges of the joints, or joint values"
        )),
        Some(q) if found.complete => match (0..SIX).find(|&k| turns_for_a_side(arm, wanted, k, q[k])) {
            None => Ok(q),
            Some(k) => Err(format!(
                "the side of zero that is stated for `{}` leaves nearly a whole turn, to {:.1}°: some controllers do not obey it so \
                 near to zero; state joint values",
                arm.names[k],
                q[k].to_degrees()
            )),
        },
        Some(_) => Err(
            "a configuration does not decide for an arm without closed inverse kinematics; state joint values near the pose"
                .to_owned(),
        ),
    }
}

/// Whether a joint makes nearly a whole turn only because a side of zero is stated that its place
/// beside zero is just not on.
fn turns_for_a_side(arm: &Arm, wanted: &Configuration, k: usize, value: f64) -> bool {
    let own = wanted.ranges.iter().filter(|r| r.joint == arm.columns[k]);
    let mut sides = own.filter(|r| r.to - r.from > ONE_SIDED);
    sides.any(|r| {
        let zero = if r.from.abs() < r.to.abs() {
            r.from
        } else {
            r.to
        };
        let turns = (value - zero).abs() / TAU;
        (turns.ceil() - turns) * TAU < BESIDE_ZERO && turns > ROUNDED
    })
}

/// Whether joint values have a configuration, as far as it is stated.
pub fn has_configuration(
    arm: &Arm,
    inverse: &InverseKinematics,
    q: &Vector6<f64>,
    wanted: &Configuration,
) -> bool {
    has_sides(arm, inverse, q, wanted) && (0..SIX).all(|k| in_ranges(arm, wanted, k, q[k]))
}

fn has_sides(
    arm: &Arm,
    inverse: &InverseKinematics,
    q: &Vector6<f64>,
    wanted: &Configuration,
) -> bool {
    let front = wanted.in_front;
    let up = wanted.elbow_up;
    front.is_none_or(|w| inverse.in_front(arm, q) == Some(w))
        && up.is_none_or(|w| inverse.elbow_up(arm, q) == Some(w))
}

fn in_ranges(arm: &Arm, wanted: &Configuration, k: usize, value: f64) -> bool {
    let own = wanted.ranges.iter().filter(|r| r.joint == arm.columns[k]);
    own.into_iter()
        .all(|r| r.from - ROUNDED <= value && value < r.to + ROUNDED)
}

/// The reason where no solution within the joints' limits has the stated configuration, with those
/// that there are.
fn not_configured_reason(arm: &Arm, found: &[Vector6<f64>]) -> String {
    let within = found.iter().filter_map(|q| {
        let value = |k| WholeTurns::of_joint(arm, k, q[k], true).nearest_two(0.0)[0];
        let values: Option<Vec<f64>> = (0..SIX).map(value).collect();
        // No minus stands before a zero.
        let shown = |(k, q): (usize, f64)| {
            if arm.prismatic[k] {
                format!("{:.1} mm", (1e4 * q).round() / 10.0 + 0.0)
            } else {
                format!("{:.1}", (10.0 * q.to_degrees()).round() / 10.0 + 0.0)
            }
        };
        let values: Vec<String> = values?.into_iter().enumerate().map(shown).collect();
        Some(format!("[{}]", values.join(" ")))
    });
    let within: Vec<String> = within.collect();
    if within.is_empty() {
        return out_of_reach(found);
    }
    format!(
        "none of the {} ways in which the arm reaches the pose has the stated configuration within the joints' limits; within them \
         the arm reaches it at {} (joints of the URDF, degrees): state the configuration that the controller shows for one of these",
        found.len(),
        within.join(", ")
    )
}

fn out_of_reach(found: &[Vector6<f64>]) -> String {
    match found.len() {
        0 => "the pose is out of reach".to_owned(),
        _ => "the arm reaches the pose only with joints beyond their limits".to_owned(),
    }
}
