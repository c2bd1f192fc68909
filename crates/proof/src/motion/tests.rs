//! Sampled motion against the bounds. The oracle is `model::kinematics`, which shares no code with
//! this room.
//!
//! Planted errors and what catches each of them (tried by hand):
//!
//! | plant | caught by |
//! |---|---|
//! | chord bound halved (`ROUND_UP / 16.0`) | all tests of `ChainInterval::chord_bound` |
//! | cross term dropped (`2.0 * turned` → 0), turning or sliding joint | `no_point_leaves_…`, `chord_bounds_are_not_slack` |
//! | Lipschitz term dropped (`beyond` stays 0) | `axis_distances_hold_while_outer_joints_move` |
//! | angular acceleration or the slope's share forgotten | `no_point_leaves_…`, `two_branches_…` |
//! | parabola between the ends half as deep, or its ends forgotten | `what_two_ends_leave_…` |
//! | first-order bound halved | `long_turns_are_covered` |
//! | first joint beyond the shared frame forgotten | all tests of `ChainInterval::chord_bound` |

mod cubic;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::{
    AxisDistances, ChainInterval, Chains, ChordBound, JointBounds, JointPoses, axis_distances_at,
    least_between_ends,
};
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;
use crate::model::{Cell, Joint, JointId, JointKind, Limits, Segment};

/// Lengths are spread evenly over their orders of magnitude.
fn spread(random: &mut Random, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.unit())
}

fn pose(random: &mut Random, length: f64) -> Isometry3<f64> {
    let direction = random.vector().try_normalize(1e-3).unwrap_or(Vector3::x());
    Isometry3::from_parts(
        Translation3::from(direction * length),
        UnitQuaternion::from_scaled_axis(random.vector() * 3.0),
    )
}

fn joint(parent: Option<JointId>, at: Isometry3<f64>, axis: Vector3<f64>, slides: bool) -> Joint {
    Joint {
        name: String::new(),
        robot: 0,
        parent,
        parent_from_joint: at,
        axis: nalgebra::Unit::new_normalize(axis),
        kind: if slides {
            JointKind::Prismatic
        } else {
            JointKind::Revolute
        },
        limits: Limits::default(),
        mimic: None,
    }
}

/// Appends a chain of joints to a cell and returns its last one.
fn grow(random: &mut Random, cell: &mut Cell, mut from: Option<JointId>, count: usize) {
    for _ in 0..count {
        let length = spread(random, 0.01, 2.0);
        let axis = random.vector() + Vector3::new(0.0, 0.0, 1e-3);
        let slides = random.below(4) == 0;
        // The first joint may stand far from the world's origin.
        let far = from.is_none() && random.below(4) == 0;
        let at = pose(random, if far { 100.0 } else { length });
        cell.joints.push(joint(from, at, axis, slides));
        from = Some(cell.joints.len() - 1);
    }
}

/// A segment of random law in which every joint moves by about `reach` (radians, or metres up to
/// 1).
fn segment(random: &mut Random, cell: &Cell, reach: f64) -> Segment {
    let degree = [1, 3, 5][random.below(3)];
    let joints = cell.joints.iter().map(|joint| {
        let still = random.below(8) == 0;
        let share = match joint.kind {
            JointKind::Prismatic => reach.min(1.0),
            _ => reach,
        };
        let mut c = [0.0; 6];
        c[0] = 3.0 * random.signed();
        if !still {
            for k in 1..=degree {
                c[k] = share * random.signed();
            }
        }
        c
    });
    Segment {
        start: 0.0,
        end: 1.0,
        joints: joints.collect(),
        errors: None,
    }
}

/// A point carried by a joint, at every sample of an interval, seen from the frame that another
/// joint carries.
struct Track<'t> {
    cell: &'t Cell,
    segment: &'t Segment,
    s: [f64; 2],
}

impl Track<'_> {
    fn position(
        &self,
        u: f64,
        carrier: JointId,
        seen_from: Option<JointId>,
        p: &Point3<f64>,
    ) -> Vector3<f64> {
        let mut q = Vec::new();
        let s = self.s[0] + u * (self.s[1] - self.s[0]);
        self.segment.configuration(s, &mut q);
        let poses = self.cell.forward(&q);
        let seen = seen_from.map_or_else(Isometry3::identity, |j| poses[j]);
        (seen.inv_mul(&poses[carrier]) * p).coords
    }

    /// Greatest deviation from the chord, beside the parabola 4 u (1 − u).
    fn deviation(&self, position: &dyn Fn(f64) -> Vector3<f64>) -> f64 {
        let (p0, p1) = (position(0.0), position(1.0));
        (1..SAMPLES)
            .map(|i| {
                let u = i as f64 / SAMPLES as f64;
                let off = (position(u) - p0 * (1.0 - u) - p1 * u).norm();
                // Towards the ends rounding must not grow with it.
                (off - JUDGE).max(0.0) / (4.0 * u * (1.0 - u))
            })
            .fold(0.0, f64::max)
    }
}

const SAMPLES: usize = 32;

/// The chord bound of a body whose reference point is `origin` in the frame of the last joint of
/// `chain`.
fn chord_bound(
    chains: &Chains,
    chain: &[JointId],
    shared: usize,
    track: &Track,
    origin: &Point3<f64>,
    reach: f64,
) -> (ChordBound, AxisDistances) {
    let carrier = *chain.last().expect("a chain that moves");
    let rho = track.s.map(|s| {
        let mut instant = JointPoses::default();
        instant.set(chains, track.segment, s);
        let at = instant.pose(Some(carrier)).apply(&origin.coords);
        let mut out = AxisDistances::new();
        axis_distances_at(chains, chain, &instant, &at, &mut out);
        out
    });
    let mut joint_bounds = JointBounds::default();
    joint_bounds.set(track.segment, track.s[0], track.s[1]);
    let mut f = AxisDistances::new();
    let interval = ChainInterval {
        chains,
        chain,
        joint_bounds: &joint_bounds,
    };
    interval.axis_distances([&rho[0], &rho[1]], &mut f);
    (interval.chord_bound(shared, &f, reach), f)
}

fn interval(random: &mut Random) -> [f64; 2] {
    if random.below(3) == 0 {
        return [0.0, 1.0];
    }
    let (a, b) = (random.unit(), random.unit());
    [a.min(b), a.max(b).max(a.min(b) + 1e-3).min(1.0)]
}

/// The oracle's rounding error, metres: positions up to about 100 m.
const JUDGE: f64 = 1e-12;

#[test]
fn no_point_leaves_its_chord_by_more_than_the_chord_bound() {
    let mut random = Random(1);
    let mut greatest: f64 = 0.0;
    for case in 0..6000 {
        let mut cell = Cell::default();
        let count = 1 + random.below(8);
        grow(&mut random, &mut cell, None, count);
        let chains = Chains::new(&cell);
        let reach = spread(&mut random, 0.001, 3.0);
        let segment = segment(&mut random, &cell, reach);
        let track = Track {
            cell: &cell,
            segment: &segment,
            s: interval(&mut random),
        };
        let chain = chains.of(Some(count - 1));
        let shared = random.below(count);
        let seen_from = shared.checked_sub(1);
        let origin = random.point();
        let size = spread(&mut random, 0.01, 2.0);
        let (chord_bound, _) = chord_bound(&chains, chain, shared, &track, &origin, size);
        for _ in 0..3 {
            let away = random.vector() * size / 2.0;
            let p = origin + away;
            let bound = chord_bound.at(away.norm());
            let found = track.deviation(&|u| track.position(u, count - 1, seen_from, &p));
            assert!(
                found <= bound + JUDGE,
                "case {case}: off its chord by {found}, bound {bound}"
            );
            if bound > 1e-6 {
                greatest = greatest.max(found / bound);
            }
        }
    }
    // Random cases come close to the bound, so that a bound that is too small would not have gone
    // unseen.
    assert!(greatest > 0.95, "greatest ratio {greatest}");
}

#[test]
fn two_branches_of_a_tree_move_against_each_other_within_both_chord_bounds() {
    let mut random = Random(2);
    for case in 0..2000 {
        let mut cell = Cell::default();
        let shared = random.below(4);
        grow(&mut random, &mut cell, None, shared);
        let fork = shared.checked_sub(1);
        let ends = [0, 1].map(|_| {
            let count = 1 + random.below(4);
            grow(&mut random, &mut cell, fork, count);
            cell.joints.len() - 1
        });
        let chains = Chains::new(&cell);
        let reach = spread(&mut random, 0.001, 3.0);
        let segment = segment(&mut random, &cell, reach);
        let track = Track {
            cell: &cell,
            segment: &segment,
            s: interval(&mut random),
        };
        let origin = random.point();
        let away = random.vector();
        let bound: f64 = ends
            .iter()
            .map(|&end| {
                let chain = chains.of(Some(end));
                let (chord_bound, _) = chord_bound(&chains, chain, shared, &track, &origin, 2.0);
                chord_bound.at(away.norm())
            })
            .sum();
        let p = origin + away;
        let found = track.deviation(&|u| {
            track.position(u, ends[0], fork, &p) - track.position(u, ends[1], fork, &p)
        });
        assert!(
            found <= bound + JUDGE,
            "case {case}: off the chord by {found}, bound {bound}"
        );
    }
}

/// Cases in which the bound is attained in the limit of small joint bounds: no constant in it can
/// be smaller.
#[test]
fn chord_bounds_are_not_slack() {
    let at = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let z = Vector3::z();
    // Each joint: offset along x, axis, whether it slides; joint bounds; start. All arms are
    // stretched along x.
    type Arm<'a> = (
        &'a str,
        &'a [(f64, Vector3<f64>, bool)],
        &'a [[f64; 6]],
        f64,
    );
    let linear = |from: f64, by: f64| [from, by, 0.0, 0.0, 0.0, 0.0];
    let arms: [Arm; 5] = [
        ("one joint", &[(0.0, z, false)], &[linear(0.0, 0.01)], 1.0),
        (
            "two parallel joints",
            &[(0.0, z, false), (0.7, z, false)],
            &[linear(0.0, 0.01), linear(0.0, 0.02)],
            1.0,
        ),
        (
            "three parallel joints",
            &[(0.0, z, false), (0.7, z, false), (0.2, z, false)],
            &[linear(0.0, 0.01), linear(0.0, 0.02), linear(0.0, 0.005)],
            0.5,
        ),
        (
            "a slide across the axis of a turn",
            &[(0.0, z, false), (0.0, Vector3::x(), true)],
            &[linear(0.0, 0.001), linear(-0.5, 1.0)],
            0.0,
        ),
        (
            "an accelerated slide",
            &[(0.0, Vector3::x(), true)],
            &[[0.0, 0.0, 0.3, 0.0, 0.0, 0.0]],
            1.0,
        ),
    ];
    for (name, joints, law, tip) in arms {
        let mut cell = Cell::default();
        for (k, &(x, axis, slides)) in joints.iter().enumerate() {
            cell.joints
                .push(joint(k.checked_sub(1), at(x), axis, slides));
        }
        let segment = Segment {
            start: 0.0,
            end: 1.0,
            joints: law[..].into(),
            errors: None,
        };
        let chains = Chains::new(&cell);
        let track = Track {
            cell: &cell,
            segment: &segment,
            s: [0.0, 1.0],
        };
        let last = cell.joints.len() - 1;
        let tip = Point3::new(tip, 0.0, 0.0);
        let (chord_bound, _) = chord_bound(&chains, chains.of(Some(last)), 0, &track, &tip, 0.0);
        let found = track.deviation(&|u| track.position(u, last, None, &tip));
        let ratio = found / chord_bound.at(0.0);
        assert!((0.99..=1.0).contains(&ratio), "{name}: ratio {ratio}");
    }
}

/// Catches a parabola that is too flat or too steep, and the wrong end.
#[test]
fn what_two_ends_leave_is_the_least_of_the_parabola() {
    let mut random = Random(4);
    let (mut dips, mut ends_are_least) = (0, 0);
    for case in 0..2000 {
        let ends = [random.signed(), random.signed()];
        let bound = if case % 10 == 0 {
            0.0
        } else {
            spread(&mut random, 1e-4, 10.0)
        };
        let at = |u: f64| (1.0 - u) * ends[0] + u * ends[1] - 4.0 * bound * u * (1.0 - u);
        let least = (0..=2000)
            .map(|i| at(f64::from(i) / 2000.0))
            .fold(f64::INFINITY, f64::min);
        let found = least_between_ends(ends, bound);
        // Between two samples the parabola falls by at most a quarter of its step.
        assert!(
            found <= least + 1e-12 && found >= least - bound * 1e-6 - 1e-12,
            "case {case}: {found}, sampled {least}"
        );
        let low = ends[0].min(ends[1]);
        dips += usize::from(found < low);
        ends_are_least += usize::from(bound > 0.0 && found == low);
    }
    assert!(
        dips > 300 && ends_are_least > 300,
        "{dips} {ends_are_least}"
    );
}

/// Catches an answer that would pass for a proof.
#[test]
fn what_is_no_number_proves_nothing() {
    let none = f64::NAN;
    for (ends, bound) in [
        ([none, 1.0], 0.1),
        ([1.0, none], 0.1),
        ([none, none], 0.1),
        ([1.0, 2.0], none),
        ([none, 1.0], 0.0),
    ] {
        let least = least_between_ends(ends, bound);
        assert!(least.is_nan(), "{ends:?} {bound}: {least}");
    }
    assert_eq!(least_between_ends([1.0, 2.0], 0.0), 1.0);
    assert_eq!(least_between_ends([1.0, 1.0], 0.0), 1.0);
}

/// Beyond about four radians the first-order bound is the smaller one.
#[test]
fn long_turns_are_covered() {
    let mut cell = Cell::default();
    let base = Isometry3::translation(0.0, 0.0, 100.0);
    cell.joints.push(joint(None, base, Vector3::z(), false));
    let chains = Chains::new(&cell);
    let tip = Point3::new(1.0, 0.0, 0.0);
    let mut greatest: f64 = 0.0;
    for i in 1..=700 {
        let turn = 0.01 * f64::from(i);
        let segment = Segment {
            start: 0.0,
            end: 1.0,
            joints: vec![[0.3, turn, 0.0, 0.0, 0.0, 0.0]].into(),
            errors: None,
        };
        let track = Track {
            cell: &cell,
            segment: &segment,
            s: [0.0, 1.0],
        };
        let (chord_bound, _) = chord_bound(&chains, &[0], 0, &track, &tip, 0.0);
        let found = track.deviation(&|u| track.position(u, 0, None, &tip));
        let bound = chord_bound.at(0.0);
        assert!(found <= bound + JUDGE, "{turn} rad: {found}, bound {bound}");
        if turn > 4.0 {
            greatest = greatest.max(found / bound);
        }
    }
    assert!(greatest > 0.7, "greatest ratio {greatest}");
}

#[test]
fn axis_distances_hold_while_outer_joints_move() {
    let mut random = Random(3);
    let mut greatest: f64 = 0.0;
    for case in 0..4000 {
        let mut cell = Cell::default();
        let count = 2 + random.below(6);
        grow(&mut random, &mut cell, None, count);
        let chains = Chains::new(&cell);
        let reach = spread(&mut random, 0.1, 6.0);
        let segment = segment(&mut random, &cell, reach);
        let track = Track {
            cell: &cell,
            segment: &segment,
            s: interval(&mut random),
        };
        let origin = random.point();
        let chain = chains.of(Some(count - 1));
        let (_, bounds) = chord_bound(&chains, chain, 0, &track, &origin, 1.0);
        for i in 0..=SAMPLES {
            let u = i as f64 / SAMPLES as f64;
            for (k, joint) in cell.joints.iter().enumerate() {
                if joint.kind == JointKind::Prismatic {
                    assert_eq!(bounds[k], 1.0, "a slide moves every point by its travel");
                    continue;
                }
                // In the joint's own frame its axis passes through the origin.
                let p = track.position(u, count - 1, Some(k), &origin);
                let found = p.cross(&joint.axis).norm();
                assert!(
                    found <= bounds[k] + JUDGE,
                    "case {case}, joint {k}: {found} from its axis, bound {}",
                    bounds[k]
                );
                if k + 1 < count {
                    greatest = greatest.max(found / bounds[k]);
                }
            }
        }
    }
    assert!(greatest > 0.95, "greatest ratio {greatest}");
}

#[test]
fn instants_agree_with_the_kinematics_of_the_model() {
    let mut random = Random(4);
    for _ in 0..500 {
        let mut cell = Cell::default();
        let count = 1 + random.below(8);
        grow(&mut random, &mut cell, None, count);
        let segment = segment(&mut random, &cell, 3.0);
        let s = random.unit();
        let mut q = Vec::new();
        segment.configuration(s, &mut q);
        let mut instant = JointPoses::default();
        instant.set(&Chains::new(&cell), &segment, s);
        let p = random.point();
        for (k, pose) in cell.forward(&q).iter().enumerate() {
            let away = (pose * p).coords - instant.pose(Some(k)).apply(&p.coords);
            assert!(away.norm() < JUDGE, "joint {k}: {} away", away.norm());
        }
    }
}
