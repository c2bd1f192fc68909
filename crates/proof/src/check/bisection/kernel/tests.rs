//! The kernel against its own claim in double precision: "apart" means that no two points below the
//! nodes come within the threshold on a motion with these chord bounds.

use nalgebra::{Point3, Rotation3, Vector3};

use super::{Kernel, LaneTest, NextStep, ROUNDINGS};
use crate::bvh::Node;
use crate::check::bisection::cases::{Case, PairMotion, points_below, spread, view};
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;
use crate::motion::ChordBound;

/// Least distance of the origin from a segment.
fn to_segment(d0: &Vector3<f64>, d1: &Vector3<f64>) -> f64 {
    let u = d1 - d0;
    let t = if u.norm_squared() > 0.0 {
        (-d0.dot(&u) / u.norm_squared()).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (d0 + u * t).norm()
}

#[test]
fn every_width_gives_the_same_answers() {
    let mut random = Random(5);
    let mut seen = [0; 3];
    for _ in 0..300 {
        let case = Case::new(&mut random);
        let mut kernel = case.kernel(spread(&mut random, 1e-4, 0.3));
        let pairs = case.all_pairs();
        let nodes = case.nodes();
        let mut answers = [const { Vec::new() }; 7];
        kernel.test_lanes::<4, false>(nodes, &pairs, &mut answers[0]);
        kernel.test_lanes::<8, false>(nodes, &pairs, &mut answers[1]);
        kernel.test_lanes::<16, true>(nodes, &pairs, &mut answers[2]);
        // The machine's own widths: many pairs at a time, and few.
        kernel.test(nodes, &pairs, &mut answers[3]);
        for few in pairs.chunks(1 + random.below(20)) {
            kernel.test(nodes, few, &mut answers[4]);
        }
        for (lanes, answers) in [4, 8].into_iter().zip(&mut answers[5..]) {
            kernel.lanes = lanes;
            kernel.test(nodes, &pairs, answers);
        }
        assert_eq!(answers[0].len(), pairs.len());
        for other in &answers[1..] {
            assert!(*other == answers[0], "widths disagree");
        }
        for &answer in &answers[0] {
            seen[answer as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 300), "answers seen: {seen:?}");
}

/// Catches: a ball or box that ignores the radius, a chord bound, one end, a sense of a direction,
/// the sign of the shift.
#[test]
fn nodes_that_are_apart_hold_no_points_that_meet() {
    let mut random = Random(6);
    let mut proved = 0;
    for case_number in 0..1500 {
        let case = Case::new(&mut random);
        let pairs: Vec<[u32; 2]> = (0..12)
            .map(|_| case.nodes().map(|n| random.below(n.len()) as u32))
            .collect();
        for pair in pairs {
            let mut points = [Vec::new(), Vec::new()];
            for side in 0..2 {
                let tree = &case.trees[side];
                let node = &tree.nodes[pair[side] as usize];
                points_below(&mut random, tree, node, &mut points[side]);
            }
            let nearest = case.nearest(&points);
            // Thresholds just above what the points come to, and well below it.
            for share in [1.0 + 1e-9, 0.8, 0.3] {
                let required_gap = nearest * share;
                let mut answer = Vec::new();
                case.kernel(required_gap)
                    .test(case.nodes(), &[pair], &mut answer);
                assert!(
                    share < 1.0 || answer[0] != NextStep::Separated,
                    "case {case_number}: points come to {nearest}, \"apart\" at {required_gap}"
                );
                proved += usize::from(answer[0] == NextStep::Separated);
            }
        }
    }
    assert!(proved > 2000, "only {proved} proofs: the test says little");
}

/// A leaf that is a block.
fn block(center: [f32; 3], half: [f32; 3]) -> Node {
    Node {
        center,
        radius: half.iter().map(|h| h * h).sum::<f32>().sqrt() * 1.001,
        box_center: center,
        first: 0,
        box_half: half,
        count: 1,
    }
}

/// Catches a proof of two blocks of which nobody knows where they are at one end.
#[test]
fn what_is_no_number_is_not_apart() {
    let blocks = [0.0, 9.0].map(|x| block([x, 0.0, 0.0], [1e-3; 3]));
    let standing = PairMotion::none();
    let view = view(
        [standing.ends(), standing.ends()],
        [ChordBound::default(); 2],
    );
    let answer = |lost: Option<usize>| {
        let mut kernel = Kernel::new(&view, true, 0.0, 2.5, None);
        if let Some(end) = lost {
            kernel.origin_difference[end][0] = f32::NAN;
        }
        let mut out = Vec::new();
        kernel.test([&blocks[..1], &blocks[1..]], &[[0, 0]], &mut out);
        out[0]
    };
    assert_eq!(answer(None), NextStep::Separated);
    for end in 0..2 {
        assert_ne!(answer(Some(end)), NextStep::Separated, "{end}");
    }
}

/// A small block on an arm of 1 m swings through a large wall that neither end reaches: only the
/// chord bound of the box knows.
#[test]
fn a_box_on_an_arc_reaches_beyond_its_chord() {
    let arm = block([1.0, 0.0, 0.0], [1e-3; 3]);
    let swept_ball = PairMotion {
        start: *Rotation3::from_scaled_axis(Vector3::z() * -0.5).matrix(),
        turn: Vector3::z(),
        ..PairMotion::none()
    };
    let answer = |wall_x: f32| {
        let wall = block([wall_x, 0.0, 0.0], [1e-3, 0.6, 0.6]);
        let ends = [swept_ball.ends(), PairMotion::none().ends()];
        let view = view(ends, [swept_ball.chord_bound(), ChordBound::default()]);
        let kernel = Kernel::new(&view, true, 0.0, 2.5, None);
        let mut out = Vec::new();
        kernel.test([&[arm], &[wall]], &[[0, 0]], &mut out);
        out[0]
    };
    assert_ne!(answer(0.95), NextStep::Separated, "the arc passes x = 1");
    assert_eq!(
        answer(1.05),
        NextStep::Separated,
        "the box proves what the ball cannot"
    );
}

/// A block on an arm of 1 m passes the place where it reaches farthest sooner or later. Catches a
/// parabola between the ends that is too flat, and one end that counts as both.
#[test]
fn a_box_on_an_arc_reaches_as_far_as_its_parabola() {
    let arm = block([1.0, 0.0, 0.0], [1e-5; 3]);
    let turn = 0.2;
    for sooner in 0..=20 {
        let before = turn * f64::from(sooner) / 20.0;
        let motion = PairMotion {
            start: *Rotation3::from_scaled_axis(Vector3::z() * -before).matrix(),
            turn: Vector3::z() * turn,
            ..PairMotion::none()
        };
        let ends = [motion.ends(), PairMotion::none().ends()];
        let bounds = [motion.chord_bound(), ChordBound::default()];
        let answer = |gap: f32| {
            let wall = block([1.0 + 2e-5 + gap, 0.0, 0.0], [1e-5, 0.6, 0.6]);
            let kernel = Kernel::new(&view(ends, bounds), true, 0.0, 2.5, None);
            let mut out = Vec::new();
            kernel.test([&[arm], &[wall]], &[[0, 0]], &mut out);
            out[0]
        };
        assert_ne!(
            answer(-1e-5),
            NextStep::Separated,
            "the arc passes x = 1, {sooner}"
        );
        // The chord alone allows for 5 mm.
        assert_eq!(answer(2.5e-4), NextStep::Separated, "{sooner}");
    }
}

/// A block on an arm of 1 m passes a wall beside it, 2 mm behind the place where it reaches
/// farthest; at the second end it is far beside that wall. Catches ends of two directions that are
/// taken for those of one.
#[test]
fn what_is_far_along_another_direction_proves_nothing_along_this_one() {
    let motion = PairMotion {
        start: *Rotation3::from_scaled_axis(Vector3::z() * -0.1).matrix(),
        turn: Vector3::z() * 0.2,
        ..PairMotion::none()
    };
    let ends = [motion.ends(), PairMotion::none().ends()];
    let view = view(ends, [motion.chord_bound(), ChordBound::default()]);
    let kernel = Kernel::new(&view, true, 0.0, 2.5, None);
    let arm = block([1.0, 0.0, 0.0], [1e-5; 3]);
    // From −0.55 to −0.05 m: the arc is 2 mm before its farthest place at −0.063 m.
    let wall = block([0.998, -0.3, 0.0], [1e-5, 0.25, 0.6]);
    let mut out = Vec::new();
    kernel.test([&[arm], &[wall]], &[[0, 0]], &mut out);
    assert_ne!(out[0], NextStep::Separated);
}

/// A block comes straight up to another one within 20 mm, and 10 mm are to be left. Catches errors
/// that count as chord bounds, which fade towards the ends of an interval.
#[test]
fn errors_of_nodes_count_in_full_at_the_ends() {
    let at = |x: f64| Pose {
        translation: Vector3::x() * x,
        ..Pose::identity()
    };
    let node = block([0.0; 3], [0.5; 3]);
    for (deviation, left) in [(0.0049, true), (0.0051, false)] {
        let none = ChordBound::default();
        let mut view = view([[at(-2.0), at(-1.02)], [at(0.0); 2]], [none; 2]);
        view.deviations = [ChordBound {
            base: deviation,
            ..none
        }; 2];
        let kernel = Kernel::new(&view, true, 0.01, 3.0, None);
        let mut out = Vec::new();
        kernel.test([&[node], &[node]], &[[0, 0]], &mut out);
        assert_eq!(out[0] == NextStep::Separated, left, "{deviation}");
    }
}

/// Points far from their part's origin, exactly at the threshold: single precision alone gets them
/// wrong, the margin puts it right. Taking the margin out (`ROUNDINGS` = 0) is the same as passing
/// a threshold that is less by it. Catches one that is left out of a threshold that falls.
#[test]
fn without_the_margin_rounding_would_be_believed() {
    let point = |p: &Vector3<f64>| {
        let center = [p.x as f32, p.y as f32, p.z as f32];
        Node {
            center,
            radius: 0.0,
            box_center: center,
            first: 0,
            box_half: [0.0; 3],
            count: 1,
        }
    };
    let mut random = Random(7);
    let mut wrong_without = 0;
    for case in 0..20_000 {
        let one_sided = random.below(2) == 0;
        let b = if one_sided {
            [Pose::identity(); 2]
        } else {
            PairMotion::new(&mut random, 3.0).ends()
        };
        let a = PairMotion::new(&mut random, 3.0).ends();
        let near = b[0].apply(&random.vector());
        let gap = random.vector() * spread(&mut random, 1e-4, 1.0);
        // A point of a that comes near a point of b at the first end.
        let pa = point(&(a[0].rotation.tr_mul(&(near + gap - a[0].translation))));
        let pb = point(&(b[0].rotation.tr_mul(&(near - b[0].translation))));
        let exact = |n: &Node| n.ball_center();
        let d = [0, 1].map(|i| a[i].apply(&exact(&pa)) - b[i].apply(&exact(&pb)));
        let threshold = to_segment(&d[0], &d[1]) * (1.0 + 1e-12) + 1e-14;
        let reach = exact(&pa).norm() + exact(&pb).norm();
        let size = [0, 1]
            .map(|i| (a[i].translation - b[i].translation).norm())
            .into_iter()
            .fold(0.0, f64::max)
            + reach;
        let margin = ROUNDINGS * f64::from(f32::EPSILON) / 2.0 * size;
        let known = Some((d[0] + d[1]).normalize());
        let kernel = |required_gap: f64| {
            let still = ChordBound::default();
            let view = view([a, b], [still; 2]);
            Kernel::new(&view, one_sided, required_gap, reach, known)
        };
        let of = |kernel: &Kernel| {
            let mut out = Vec::new();
            kernel.test([&[pa], &[pb]], &[[0, 0]], &mut out);
            out[0]
        };
        let answer = |required_gap: f64| of(&kernel(required_gap));
        assert_ne!(answer(threshold), NextStep::Separated, "case {case}");
        let mut fallen = kernel(2.0 * threshold);
        fallen.set_required_gap(threshold);
        assert_ne!(
            of(&fallen),
            NextStep::Separated,
            "case {case}, a threshold that fell"
        );
        wrong_without += usize::from(answer(threshold - margin) == NextStep::Separated);
        assert_eq!(
            answer(threshold - 2.0 * margin - 1e-12),
            NextStep::Separated,
            "case {case}: points are as tight as rounding allows"
        );
    }
    assert!(wrong_without > 1000, "{wrong_without} wrong answers");
}

/// Nodes that stand still are not split in time for ever, however small they are: rounding is not
/// motion.
#[test]
fn rounding_does_not_pass_for_motion() {
    let mut random = Random(8);
    for case in 0..2000 {
        // Less motion than single precision can show, across a step of its grid.
        let grid = (1.0 + 2.0 * random.unit()) as f32;
        let edge = (f64::from(grid) + f64::from(grid.next_up())) / 2.0;
        let mut poses = PairMotion::new(&mut random, 3.0).ends();
        poses[0].translation.x = edge - 1e-14;
        let mut on = poses[0];
        on.translation.x = edge + 1e-14;
        let p = Point3::from(random.vector() * 2.0);
        let at = poses[0].rotation.tr_mul(&(p.coords - poses[0].translation));
        let grain = spread(&mut random, 1e-12, 1e-6) as f32;
        let node = |c: &Vector3<f64>| Node {
            center: [c.x as f32, c.y as f32, c.z as f32],
            radius: grain,
            box_center: [c.x as f32, c.y as f32, c.z as f32],
            first: 0,
            box_half: [grain; 3],
            count: 0,
        };
        let still = ChordBound::default();
        let view = view([[poses[0], on], [Pose::identity(); 2]], [still; 2]);
        let reach = p.coords.norm() + at.norm();
        let kernel = Kernel::new(&view, true, 0.0, reach, None);
        let mut out = Vec::new();
        kernel.test([&[node(&at)], &[node(&p.coords)]], &[[0, 0]], &mut out);
        assert_eq!(out, [NextStep::SplitSpace], "case {case}, grain {grain}");
    }
}

/// Catches the chord bound of either part left out, of the balls or of the boxes, with one part at
/// rest and with none.
#[test]
fn both_chord_bounds_count_for_nodes() {
    let node = Node {
        center: [0.0, 0.3, 0.0],
        radius: 0.1,
        box_center: [0.0, 0.3, 0.0],
        first: 0,
        box_half: [0.1; 3],
        count: 1,
    };
    // From corner to corner of the boxes is farther than from ball to ball: each is looked at
    // without the other one.
    let by_balls = Node {
        box_half: [9.0; 3],
        ..node
    };
    let by_boxes = Node {
        radius: 9.0,
        ..node
    };
    let at = |x: f64| Pose {
        translation: Vector3::x() * x,
        ..Pose::identity()
    };
    let none = ChordBound::default();
    let base = ChordBound {
        base: 0.4,
        slope: 0.0,
    };
    let slope = ChordBound {
        base: 0.0,
        slope: 1.0,
    };
    for (a, b, of_balls, of_boxes) in [
        (none, none, 0.0, 0.0),
        (base, none, 0.4, 0.4),
        (none, base, 0.4, 0.4),
        (slope, none, 0.3, 9.3),
        (none, slope, 0.3, 9.3),
    ] {
        let view = view([[at(20.2); 2], [at(0.0); 2]], [a, b]);
        for (node, chord_bound) in [(by_balls, of_balls), (by_boxes, of_boxes)] {
            for (required_gap, proved) in [
                (20.0 - chord_bound - 1e-3, true),
                (20.0 - chord_bound + 1e-3, false),
            ] {
                let kernel = Kernel::new(&view, false, required_gap, 20.0, None);
                let mut answers = Vec::new();
                kernel.test([&[node], &[node]], &[[0, 0]], &mut answers);
                assert_eq!(
                    answers == [NextStep::Separated],
                    proved,
                    "{a:?} {b:?} {required_gap}"
                );
            }
        }
    }
}

/// A threshold that falls while nodes are tested counts as it is. Catches one that falls too far or
/// not at all.
#[test]
fn another_threshold_gives_the_answers_of_a_kernel_made_for_it() {
    let mut random = Random(8);
    let mut differ = 0;
    for _ in 0..300 {
        let case = Case::new(&mut random);
        let required_gap = spread(&mut random, 1e-3, 1.0);
        let (pairs, nodes) = (case.all_pairs(), case.nodes());
        let mut kernel = case.kernel(1.25 * required_gap);
        let mut answers = [const { Vec::new() }; 3];
        kernel.test(nodes, &pairs, &mut answers[0]);
        kernel.set_required_gap(required_gap);
        kernel.test(nodes, &pairs, &mut answers[1]);
        case.kernel(required_gap)
            .test(nodes, &pairs, &mut answers[2]);
        assert!(
            answers[1] == answers[2],
            "another threshold than {required_gap}"
        );
        differ += usize::from(answers[0] != answers[1]);
    }
    assert!(differ > 50, "{differ}");
}
