//! Sampled motion against the cubics of `cubic.rs`.

use nalgebra::{Point3, Vector3};

use super::*;
use crate::motion::{Cubic, cubic_error};

/// Greatest distance of a point from the cubic through four of its places, and the bound for it.
fn off_its_cubic(
    chains: &Chains,
    track: &Track,
    carrier: JointId,
    shared: usize,
    joint_from_part: &Pose,
    away: &Vector3<f64>,
) -> (f64, f64) {
    let chain = chains.of(Some(carrier));
    let seen_from = shared.checked_sub(1).map(|k| chain[k]);
    let segment = track.segment;
    let bound = cubic_error(chains, chain, shared, segment, track.s, joint_from_part);
    let poses = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|u| {
        let mut instant = JointPoses::default();
        instant.set(chains, segment, track.s[0] + u * (track.s[1] - track.s[0]));
        let moving = instant.pose(Some(carrier)).compose(joint_from_part);
        instant.pose(seen_from).inverse_compose(&moving)
    });
    let [a, b, c, d] = Cubic::through(&poses).path(away);
    let p = Point3::from(joint_from_part.apply(away));
    let off = |i: usize| {
        let u = i as f64 / SAMPLES as f64;
        let v = 1.0 - u;
        let on_cubic =
            a * (v * v * v) + b * (3.0 * v * v * u) + c * (3.0 * v * u * u) + d * (u * u * u);
        (track.position(u, carrier, seen_from, &p) - on_cubic).norm()
    };
    (
        (0..=SAMPLES).map(off).fold(0.0, f64::max),
        bound.at(away.norm()),
    )
}

#[test]
fn no_point_leaves_its_cubic_by_more_than_the_bound() {
    let mut random = Random(7);
    let mut greatest: f64 = 0.0;
    for case in 0..6000 {
        let mut cell = Cell::default();
        let count = 1 + random.below(5);
        grow(&mut random, &mut cell, None, count);
        let chains = Chains::new(&cell);
        let reach = spread(&mut random, 0.01, 3.0);
        let segment = segment(&mut random, &cell, reach);
        let track = Track {
            cell: &cell,
            segment: &segment,
            s: interval(&mut random),
        };
        let shared = random.below(count);
        let part = Pose::from(&pose(&mut random, 0.3));
        let away = random.vector() * spread(&mut random, 0.01, 2.0);
        let (off, bound) = off_its_cubic(&chains, &track, count - 1, shared, &part, &away);
        // Cubics pass on the oracle's rounding a little enlarged.
        assert!(
            off <= bound + 4.0 * JUDGE,
            "case {case}: off its cubic by {off}, bound {bound}"
        );
        if bound > 1e-6 {
            greatest = greatest.max(off / bound);
        }
    }
    assert!(greatest > 0.9, "greatest ratio {greatest}");
}

/// Small joint bounds of stretched arms attain the bound, so no constant in it can be smaller.
#[test]
fn bounds_of_cubics_are_not_slack() {
    let z = Vector3::z();
    let linear = |by: f64| [0.0, by, 0.0, 0.0, 0.0, 0.0];
    let turn_of_turn: &[_] = &[(z, false), (z, false)];
    for (joints, law) in [
        (&[(z, false)][..], vec![linear(0.05)]),
        (turn_of_turn, vec![linear(0.03), linear(0.05)]),
        (
            &[(Vector3::x(), true)],
            vec![[0.0, 0.0, 0.0, 0.0, 0.2, 0.0]],
        ),
        (
            &[(z, false), (Vector3::x(), true)],
            vec![linear(0.001), linear(1.0)],
        ),
    ] {
        let mut cell = Cell::default();
        for (k, &(axis, slides)) in joints.iter().enumerate() {
            let at =
                Isometry3::translation(0.7 * k as f64 * f64::from(u8::from(!slides)), 0.0, 0.0);
            cell.joints.push(joint(k.checked_sub(1), at, axis, slides));
        }
        let segment = Segment {
            start: 0.0,
            end: 1.0,
            joints: law.into(),
            errors: None,
        };
        let track = Track {
            cell: &cell,
            segment: &segment,
            s: [0.0, 1.0],
        };
        let chains = Chains::new(&cell);
        let last = cell.joints.len() - 1;
        let away = match joints.last() {
            Some((_, false)) => Vector3::x(),
            _ => Vector3::zeros(),
        };
        let part = Pose::identity();
        let (off, bound) = off_its_cubic(&chains, &track, last, 0, &part, &away);
        let ratio = off / bound;
        assert!(
            (0.9..=1.0001).contains(&ratio),
            "{joints:?}: {off} of {bound}"
        );
    }
}
