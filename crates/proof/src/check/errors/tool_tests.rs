//! A tool whose joints may be far off while it is not: its own bound counts, where it may.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::tests::trees;
use super::*;
use crate::check::bisection::sweep::Sweeps;
use crate::geometry::random::Random;
use crate::model::{Body, Cell, Form, Joint, JointKind, Segment, SegmentErrors, ToolTube};
use crate::motion::tool_line::tests::arms;
use crate::pairs::PairTable;

const SIX: usize = 6;

/// An arm with a finger that slides on its flange, a link in its middle, and a post.
fn cell(mut cell: Cell) -> Cell {
    let frame = Isometry3::translation(0.01, 0.02, 0.1);
    let mut finger = Joint::revolute("finger", Some(5), frame, Vector3::x_axis());
    finger.kind = JointKind::Prismatic;
    let finger = cell.add_joint(finger);
    let block = |size: f64| Form::Box {
        size: Vector3::repeat(size),
    };
    let at = Isometry3::translation(0.05, 0.0, 0.02);
    cell.add_body(Body::link("finger", block(0.06), finger, at, None));
    cell.add_body(Body::link("elbow", block(0.1), 2, at, None));
    cell.add_body(Body::obstacle(
        "post",
        block(0.2),
        Isometry3::translation(2.0, 0.0, 0.0),
    ));
    cell
}

fn moving(from: &[f64], by: &[f64], tube: ToolTube) -> Segment {
    let joints = from.iter().zip(by);
    Segment {
        start: 0.0,
        end: 1.0,
        joints: joints
            .map(|(&q, &by)| [q, by, 0.0, 0.0, 0.0, 0.0])
            .collect(),
        // The finger is off as well.
        errors: SegmentErrors::new(vec![0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.002], vec![tube]),
    }
}

#[test]
fn what_is_known_of_a_tool_bounds_what_it_carries() {
    let mut random = Random(5);
    let (mut most, mut pairs) = (0.0_f64, 0);
    for (_, arm) in arms() {
        let cell = cell(arm);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let errors = ErrorBounds::new(&scene, None);
        let name = |part: usize| cell.bodies[scene.parts[part].body].name.as_str();
        for _ in 0..20 {
            let tube = ToolTube {
                first: 0,
                last: 5,
                point: random.vector() * 0.2,
                shift: 0.01,
                turn: [0.0, 0.05, 0.4][random.below(3)],
            };
            let q: Vec<f64> = (0..=SIX).map(|_| random.signed()).collect();
            let by: Vec<f64> = (0..=SIX).map(|_| 0.1 * random.signed()).collect();
            let segment = moving(&q, &by, tube);
            let mut tubes = Tubes::default();
            tubes.set(&segment);
            let mut ends = [Snapshot::default(), Snapshot::default()];
            ends[0].set(&scene, &segment, 0.0);
            ends[1].set(&scene, &segment, 1.0);
            let mut sweeps = Sweeps::without_tubes();
            sweeps.clear(&scene);
            sweeps.joint_bounds.set(&segment, 0.0, 1.0);
            for pair in &scene.part_pairs {
                let [first, last] = &mut ends;
                let over = sweeps.deviations(&errors, &scene, pair, &mut [first, last], &tubes);
                let s = random.unit();
                let mut at = Snapshot::default();
                at.set(&scene, &segment, s);
                for (part, over) in [pair.a, pair.b].into_iter().zip(over) {
                    let deviation = errors.deviation_at(pair, part, &mut at, &tubes);
                    let at_edge = scene.parts[part].bounding_radius;
                    assert!(deviation.at(at_edge) <= over.at(at_edge) * (1.0 + 1e-9));
                    let carried = ["flange", "finger"].contains(&name(part));
                    if !carried {
                        continue;
                    }
                    pairs += 1;
                    if pair.shared > 0 {
                        // Seen from the arm itself its joints count.
                        let joints = Tubes {
                            tools: Vec::new(),
                            ..tubes.clone()
                        };
                        let by_joints = errors.deviation_at(pair, part, &mut at, &joints);
                        assert_eq!(deviation, by_joints);
                        continue;
                    }
                    for _ in 0..20 {
                        // The flange is really elsewhere, and the finger on it.
                        let mut unit = || random.direction().into_inner();
                        let world = at.instant().pose(Some(5)).apply(&tube.point);
                        let turn = UnitQuaternion::from_scaled_axis(unit() * tube.turn);
                        let about = Translation3::from(world + unit() * tube.shift - turn * world);
                        let slid = match name(part) {
                            "finger" => unit() * 0.002,
                            _ => Vector3::zeros(),
                        };
                        let point = unit() * scene.parts[part].bounding_radius;
                        let nominal = at.part(&scene, part).pose.apply(&point);
                        let real = turn * (nominal + slid) + about.vector;
                        let share = (real - nominal).norm() / deviation.at(point.norm());
                        assert!(share <= 1.0 + 1e-9, "{}: {share}", name(part));
                        most = most.max(share);
                    }
                }
            }
        }
    }
    assert!(pairs > 100 && most > 0.6, "{pairs}, {most}");
}

/// Where the joints have errors of their own, their levers would be those of an arm that is off
/// already.
#[test]
fn joints_with_a_budget_of_their_own_count_one_by_one() {
    let (_, arm) = arms().remove(1);
    let cell = cell(arm);
    let trees = trees(&cell);
    let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
    let tube = ToolTube {
        first: 0,
        last: 5,
        point: Vector3::zeros(),
        shift: 0.0,
        turn: 0.0,
    };
    let segment = moving(&[0.2; 7], &[0.0; 7], tube);
    let mut tubes = Tubes::default();
    tubes.set(&segment);
    let mut budget = Uncertainty::usual(&cell);
    budget.joint = vec![1e-3; 7];
    budget.base.fill(RigidError::default());
    budget.tool.fill(RigidError::default());
    let mut at = Snapshot::default();
    at.set(&scene, &segment, 0.0);
    let named = |part: usize| cell.bodies[scene.parts[part].body].name.as_str();
    let pair = scene.part_pairs.iter();
    let pair = pair
        .clone()
        .find(|p| [named(p.a), named(p.b)].contains(&"flange") && p.shared == 0);
    let pair = pair.unwrap();
    let with = ErrorBounds::new(&scene, Some(&budget)).deviation_at(pair, pair.a, &mut at, &tubes);
    let without = ErrorBounds::new(&scene, None).deviation_at(pair, pair.a, &mut at, &tubes);
    assert!(
        without.base < 1e-6 && with.base > 0.1,
        "{without:?} {with:?}"
    );
}

/// Between two points of a part no point is off by more than both, by their shares: corners stand
/// for whole triangles. Catches the lesser of two bounds chosen point by point.
#[test]
fn deviations_of_points_are_convex() {
    let mut random = Random(11);
    let mut both = [0; 2];
    for (_, arm) in arms() {
        let cell = cell(arm);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let errors = ErrorBounds::new(&scene, None);
        for _ in 0..300 {
            let tube = ToolTube {
                first: 0,
                last: 5,
                point: random.vector() * 0.2,
                shift: 2.0 * random.unit(),
                turn: 3.0 * random.unit(),
            };
            let q: Vec<f64> = (0..=SIX).map(|_| random.signed()).collect();
            let segment = moving(&q, &[0.0; SIX + 1], tube);
            let mut tubes = Tubes::default();
            tubes.set(&segment);
            let mut snapshot = Snapshot::default();
            snapshot.set(&scene, &segment, 0.5);
            for pair in &scene.part_pairs {
                for part in [pair.a, pair.b] {
                    snapshot.part(&scene, part);
                }
                let points = PointErrors::new(&errors, pair, (&snapshot, None), &tubes);
                for side in 0..2 {
                    let [p, q] = [(); 2].map(|()| random.vector() * 2.0);
                    let between = points.at_part_point(side, &(0.5 * (p + q)));
                    let [p, q] = [
                        points.at_part_point(side, &p),
                        points.at_part_point(side, &q),
                    ];
                    assert!(between <= 0.5 * (p + q) + 1e-9, "{between} {p} {q}");
                    let chain = scene.chains.of(scene.parts[[pair.a, pair.b][side]].joint);
                    if tubes.tool_on(chain, pair.shared).is_some() {
                        both[usize::from(points.by_tool[side])] += 1;
                    }
                }
            }
        }
    }
    assert!(both.iter().all(|&count| count > 20), "{both:?}");
}

/// What is said of a tool about an instant holds in the whole interval, also of what slides on the
/// tool. Catches a distance from the tool's point that is known for the instant only.
#[test]
fn a_tool_deviates_by_no_more_than_is_said_about_the_middle() {
    let mut random = Random(12);
    let mut nearly = 0;
    for (_, arm) in arms() {
        let cell = cell(arm);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let errors = ErrorBounds::new(&scene, None);
        for _ in 0..60 {
            let tube = ToolTube {
                first: 0,
                last: 5,
                point: random.vector() * 0.2,
                shift: 0.0,
                turn: 0.2,
            };
            let q: Vec<f64> = (0..=SIX).map(|_| random.signed()).collect();
            let mut by = [0.0; SIX + 1];
            by[SIX] = random.signed();
            let segment = moving(&q, &by, tube);
            let mut tubes = Tubes::default();
            tubes.set(&segment);
            let placed = |s: f64| {
                let mut snapshot = Snapshot::default();
                snapshot.set(&scene, &segment, s);
                for part in 0..scene.parts.len() {
                    snapshot.part(&scene, part);
                }
                snapshot
            };
            let mut bounds = crate::motion::JointBounds::default();
            bounds.set(&segment, 0.0, 1.0);
            let [middle, end] = [0.5, 1.0].map(placed);
            for pair in &scene.part_pairs {
                let about = |bounds| PointErrors::new(&errors, pair, (&middle, bounds), &tubes);
                let (over, then) = (about(Some(&bounds)), about(None));
                let last = PointErrors::new(&errors, pair, (&end, None), &tubes);
                for side in 0..2 {
                    if !(over.by_tool[side] && then.by_tool[side] && last.by_tool[side]) {
                        continue;
                    }
                    let point = random.vector() * 0.1;
                    let [said, then, is] =
                        [&over, &then, &last].map(|e| e.at_part_point(side, &point));
                    assert!(is <= said + 1e-9, "{is}, {said} said");
                    nearly += usize::from(is > then + 1e-3 && is - then > 0.6 * (said - then));
                }
            }
        }
    }
    assert!(nearly > 10, "{nearly}");
}

/// Of two tools on one chain, the one that counts for a pair is the one beyond the joints that both
/// parts share, and so does its point. Catches a lever to the point of the other tool.
#[test]
fn of_two_tools_on_a_chain_the_lever_is_that_of_the_one_that_counts() {
    let mut random = Random(13);
    let mut compared = 0;
    for (_, arm) in arms() {
        let cell = cell(arm);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let errors = ErrorBounds::new(&scene, None);
        let tool = |first, last, point| ToolTube {
            first,
            last,
            point,
            shift: 0.0,
            turn: 1e-3,
        };
        for _ in 0..20 {
            let q: Vec<f64> = (0..=SIX).map(|_| random.signed()).collect();
            let outer = tool(3, 5, random.vector() * 0.2);
            let alone = moving(&q, &[0.0; SIX + 1], outer);
            let mut both = alone.clone();
            let inner = tool(0, 2, random.vector() * 3.0);
            both.errors.as_mut().unwrap().tool_tubes.insert(0, inner);
            for pair in scene
                .part_pairs
                .iter()
                .filter(|p| (1..=3).contains(&p.shared))
            {
                let deviations = |segment: &Segment, part: usize| {
                    let mut tubes = Tubes::default();
                    tubes.set(segment);
                    let mut snapshot = Snapshot::default();
                    snapshot.set(&scene, segment, 0.5);
                    for part in [pair.a, pair.b] {
                        snapshot.part(&scene, part);
                    }
                    let points = PointErrors::new(&errors, pair, (&snapshot, None), &tubes);
                    let side = usize::from(part == pair.b);
                    let of_point = points.at_part_point(side, &Vector3::new(0.1, 0.2, 0.3));
                    let of_part = errors.deviation_at(pair, part, &mut snapshot, &tubes);
                    [of_point, of_part.base, of_part.slope]
                };
                for part in [pair.a, pair.b] {
                    assert_eq!(
                        deviations(&alone, part),
                        deviations(&both, part),
                        "{pair:?}"
                    );
                    compared += usize::from(deviations(&both, part)[1] > 1e-5);
                }
            }
        }
    }
    assert!(compared > 20, "{compared}");
}
