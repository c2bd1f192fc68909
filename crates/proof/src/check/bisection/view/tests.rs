//! Points against their chord bounds, and first looks against sampled motion.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::super::cases::{Case, points_below};
use super::*;
use crate::check::distance::corners;
use crate::check::fixture::{Fixture, JOINTS, cube, moved};
use crate::geometry::random::Random;
use crate::model::{Segment, SegmentErrors};

/// Two bodies on two chains of joints that stand anywhere; the second chain begins at the world
/// or at a joint of the first one.
fn branches(r: &mut Random) -> Fixture {
    let mut fixture = Fixture::new();
    for joint in &mut fixture.cell.joints {
        let turn = UnitQuaternion::from_scaled_axis(r.vector() * 2.0);
        let position = Translation3::from(r.vector() * 0.4);
        joint.parent_from_joint = Isometry3::from_parts(position, turn);
    }
    fixture.cell.joints[JOINTS].parent = r.below(4).checked_sub(1);
    for chain in [0, 1] {
        let mesh = moved(cube(0.3), r.vector() * 0.5);
        fixture.carried(Some(chain), &[(mesh, 0.0)], None);
    }
    fixture
}

/// Catches the chord bound of either part left out or halved, and joints between the two that
/// are not counted.
#[test]
fn points_stay_within_their_chord_bounds_in_the_common_frame() {
    let mut r = Random(41);
    let mut nearly = [0; 2];
    for case in 0..400 {
        let fixture = branches(&mut r);
        let scene = fixture.scene(0.0);
        let pair = &scene.part_pairs[0];
        assert!(!pair.one_sided, "case {case}");
        // One joint alone mostly: all that is counted of it shows.
        let alone = (!r.one_in(4)).then(|| r.below(2 * JOINTS));
        let reach = r.spread(0.02, 1.0);
        let joints = (0..2 * JOINTS).map(|joint| {
            let mut c = [2.0 * r.signed(), 0.0, 0.0, 0.0, 0.0, 0.0];
            if alone.is_none_or(|alone| alone == joint) {
                (c[1], c[2]) = (reach * r.signed(), reach * r.signed());
            }
            c
        });
        let segment = Segment {
            start: 0.0,
            end: 1.0,
            joints: joints.collect(),
            errors: SegmentErrors::new(vec![0.0; 2 * JOINTS], Vec::new()),
        };
        let at = |s: f64| {
            let mut snapshot = Snapshot::default();
            snapshot.set(&scene, &segment, s);
            snapshot
        };
        let mut snapshots = [at(0.0), at(1.0)];
        let mut sweeps = Sweeps::default();
        sweeps.clear(&scene);
        sweeps.joint_bounds.set(&segment, 0.0, 1.0);
        let mut ends = snapshots.each_mut();
        let view = View::new(&scene, pair, &mut sweeps, &mut ends);
        for k in 1..16 {
            let t = f64::from(k) / 16.0;
            let now = pair.in_common_frame(&scene, &mut at(t));
            for (side, part, ends, bound) in [
                (0, pair.a, &view.a, view.chord_bound_a),
                (1, pair.b, &view.b, view.chord_bound_b),
            ] {
                let tree = &scene.parts[part].tree;
                for c in (0..tree.triangles.len()).flat_map(|i| corners(tree, i)) {
                    let chord = ends[0].apply(&c) * (1.0 - t) + ends[1].apply(&c) * t;
                    let deviation = (now[side].apply(&c) - chord).norm();
                    let bound = bound.at(c.norm());
                    assert!(
                        deviation <= bound + 1e-12,
                        "case {case}, part {side}: {deviation} off its chord, {bound} said"
                    );
                    nearly[side] += usize::from(deviation > 1e-4 && deviation > 0.8 * bound);
                }
            }
        }
    }
    // The bounds are not far larger than the greatest deviations from a chord.
    assert!(nearly.iter().all(|&n| n > 100), "{nearly:?}");
}

/// Catches a bound, a pose or a margin that is kept from an interval or an instant before, or of
/// another frame, and a look from the world that leaves something out.
#[test]
fn what_is_kept_of_parts_is_what_a_new_look_gives() {
    let mut r = Random(43);
    let (mut shared, mut several, mut in_world) = (0, 0, 0);
    for case in 0..200 {
        let fixture = branches(&mut r);
        let scene = fixture.scene(0.0);
        let pair = &scene.part_pairs[0];
        shared += usize::from(pair.shared > 0);
        let mut sweeps = Sweeps::default();
        let mut snapshots: [Snapshot; 2] = Default::default();
        for interval in [[0.0, 1.0], [0.0, 0.5], [0.5, 1.0], [0.5, 0.6]] {
            let joints =
                (0..2 * JOINTS).map(|_| [r.signed(), r.signed(), r.signed(), 0.0, 0.0, 0.0]);
            let segment = Segment {
                start: 0.0,
                end: 1.0,
                joints: joints.collect(),
                errors: SegmentErrors::new(vec![0.0; 2 * JOINTS], Vec::new()),
            };
            let [from, to] = interval;
            let begin = |sweeps: &mut Sweeps, snapshots: &mut [Snapshot; 2]| {
                sweeps.clear(&scene);
                sweeps.joint_bounds.set(&segment, from, to);
                snapshots[0].set(&scene, &segment, from);
                snapshots[1].set(&scene, &segment, to);
            };
            begin(&mut sweeps, &mut snapshots);
            for _ in 0..12 {
                let part = [pair.a, pair.b][r.below(2)];
                let chain = scene.chains.of(scene.parts[part].joint);
                let beyond = r.below(chain.len() + 1);
                let (mut new, mut new_snapshots) = (Sweeps::default(), Default::default());
                begin(&mut new, &mut new_snapshots);
                let bound = |sweeps: &mut Sweeps, snapshots: &mut [Snapshot; 2]| {
                    sweeps.chord_bound(&scene, part, beyond, &mut snapshots.each_mut())
                };
                let (kept, anew) = (
                    bound(&mut sweeps, &mut snapshots),
                    bound(&mut new, &mut new_snapshots),
                );
                assert_eq!(
                    kept, anew,
                    "case {case}, part {part} beyond {beyond} joints"
                );
                several += usize::from(0 < beyond && kept.slope > 0.0);

                let joint = r.below(4).checked_sub(1);
                let poses = [0, 1].map(|end: usize| {
                    let kept = snapshots[end].part_seen_from(&scene, joint, part);
                    let at = new_snapshots[end].part(&scene, part).pose;
                    (
                        kept,
                        new_snapshots[end].joint_pose(joint).inverse_compose(&at),
                    )
                });
                for (kept, anew) in poses {
                    assert_eq!(kept, anew, "case {case}, part {part} from joint {joint:?}");
                }
                let margins = [&mut sweeps, &mut new]
                    .into_iter()
                    .zip([&mut snapshots, &mut new_snapshots])
                    .map(|(sweeps, ends)| sweeps.margin(&scene, pair, &mut ends.each_mut()));
                let margins: Vec<f64> = margins.collect();
                assert!(margins[0] == margins[1], "case {case}: {margins:?}");
            }
            if pair.shared > 0 {
                continue;
            }
            let mut ends = snapshots.each_mut();
            let view = View::new(&scene, pair, &mut sweeps, &mut ends);
            let (seen, of_view) = (
                WholeParts::from_world(&scene, pair, &mut sweeps, &mut ends),
                view.whole_parts(),
            );
            assert_eq!(seen.poses, of_view.poses, "case {case}");
            assert_eq!(seen.chord_bounds, of_view.chord_bounds, "case {case}");
            assert!(seen.margin == of_view.margin, "case {case}");
            in_world += 1;
        }
    }
    assert!(
        shared > 50 && several > 1000 && in_world > 100,
        "{shared} {several} {in_world}"
    );
}

/// Catches: a direction tried at one end only, a chord bound or a half-width left out, a
/// remembered direction believed.
#[test]
fn parts_that_are_apart_at_a_first_look_never_meet() {
    let mut random = Random(9);
    let (mut proved, mut by_boxes) = (0, 0);
    for case_number in 0..6000 {
        let case = Case::new(&mut random);
        let roots = [0, 1].map(|side| &case.trees[side].nodes[0]);
        let mut points = [Vec::new(), Vec::new()];
        for side in 0..2 {
            points_below(
                &mut random,
                &case.trees[side],
                roots[side],
                &mut points[side],
            );
        }
        let bounding_radii = [0, 1].map(|side| {
            let far = points[side].iter().map(|p| p.norm());
            far.fold(0.0, f64::max) * (1.0 + 1e-6)
        });
        let nearest = case.nearest(&points);
        let view = case.view();
        for share in [1.0 + 1e-9, 0.8, 0.3] {
            let required_gap = nearest * share;
            let mut known = random.vector().normalize();
            let first = known;
            let next = if view.balls_are_separated(bounding_radii, required_gap) {
                NextStep::Separated
            } else {
                view.whole_parts()
                    .test_roots(roots, bounding_radii, required_gap, 0.0, &mut known)
            };
            assert!(
                share < 1.0 || next != NextStep::Separated,
                "case {case_number}: points come to {nearest}, \"apart\" at {required_gap}"
            );
            proved += usize::from(next == NextStep::Separated);
            if known != first {
                by_boxes += 1;
                let again = view.whole_parts().test_roots(
                    roots,
                    bounding_radii,
                    required_gap,
                    0.0,
                    &mut known,
                );
                assert_eq!(
                    again,
                    NextStep::Separated,
                    "a direction that was kept serves again"
                );
            }
        }
    }
    assert!(proved > 4000 && by_boxes > 1000, "{proved} {by_boxes}");
}

/// A box that reaches 0.1 m from the origin along each axis. Its ball is not asked for here.
const BOX: Node = Node {
    center: [0.0; 3],
    radius: 0.1,
    box_center: [0.0; 3],
    first: 0,
    box_half: [0.1; 3],
    count: 1,
};

/// Parts that stand 1 m apart at both ends, and may leave their chords by this much.
fn still(chord_bound_a: ChordBound, chord_bound_b: ChordBound) -> View {
    let at = |x: f64| Pose {
        translation: Vector3::x() * x,
        ..Pose::identity()
    };
    View {
        a: [at(1.2); 2],
        b: [at(0.0); 2],
        chord_bound_a,
        chord_bound_b,
        margin: 0.0,
        deviations: [ChordBound::default(); 2],
    }
}

/// Catches the chord bound of either part left out of a look at balls or boxes, or taken
/// without its slope.
#[test]
fn both_chord_bounds_count_at_a_first_look() {
    // Boxes of 0.1 m around the origins, so 1 m between them along x.
    let node = BOX;
    let none = ChordBound::default();
    let base = ChordBound {
        base: 0.4,
        slope: 0.0,
    };
    let slope = ChordBound {
        base: 0.0,
        slope: 4.0,
    };
    for (a, b, sum) in [
        (none, none, 0.0),
        (base, none, 0.4),
        (none, base, 0.4),
        (base, base, 0.8),
        (slope, none, 0.4),
        (none, slope, 0.4),
        (slope, base, 0.8),
    ] {
        let view = still(a, b);
        let bounding_radii = [0.1, 0.1];
        for (required_gap, proved) in [(1.0 - sum - 1e-6, true), (1.0 - sum + 1e-6, false)] {
            let next = view.whole_parts().test_roots(
                [&node, &node],
                bounding_radii,
                required_gap,
                0.0,
                &mut Vector3::x(),
            );
            assert_eq!(
                next == NextStep::Separated,
                proved,
                "{a:?} {b:?} {required_gap}"
            );
        }
        // Of balls only the centres' paths count.
        let centres = a.base + b.base;
        for (required_gap, proved) in [(1.0 - centres - 1e-6, true), (1.0 - centres + 1e-6, false)]
        {
            assert_eq!(
                view.balls_are_separated(bounding_radii, required_gap),
                proved,
                "{a:?} {b:?} {required_gap}"
            );
        }
    }
}

/// Two parts of which one comes up to the other within 0.1 m, and 0.05 m are to be left. Catches
/// errors that count as chord bounds, which fade towards the ends of an interval.
#[test]
fn errors_count_in_full_at_the_ends_of_a_first_look() {
    let node = BOX;
    let none = ChordBound::default();
    for (deviation, left) in [(0.024, true), (0.026, false)] {
        let mut view = still(none, none);
        view.a[1].translation.x = 0.3;
        view.deviations = [ChordBound {
            base: deviation,
            ..none
        }; 2];
        let next =
            view.whole_parts()
                .test_roots([&node; 2], [0.1; 2], 0.05, 0.0, &mut Vector3::x());
        assert_eq!(next == NextStep::Separated, left, "{deviation}");
    }
}
