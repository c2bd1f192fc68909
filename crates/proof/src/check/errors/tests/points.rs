//! Errors of single points: no more than what is possible, and no less.

use super::*;
use crate::check::Snapshot;
use crate::model::Tubes;
use crate::motion::JointBounds;

/// Of the two parts of a pair.
pub(super) fn at<'e>(
    errors: &'e ErrorBounds<'e>,
    pair: &'e PartPair,
    (snapshot, bounds): (&'e Snapshot, Option<&'e JointBounds>),
    tubes: &'e Tubes,
) -> PointErrors<'e, 'e> {
    PointErrors::new(errors, pair, (snapshot, bounds), tubes)
}

/// Catches a lever of another frame, an element left out, and a bound that is larger than that for
/// all points of the part.
#[test]
fn no_error_moves_points_by_more_than_their_own_bound() {
    let mut random = Random(51);
    let (mut best, mut cases, mut tighter) = (0.0_f64, 0, 0);
    for _ in 0..40 {
        let cell = random_cell(&mut random);
        let large = [0.01, 0.3][random.below(2)];
        let budget = random_budget(&mut random, &cell, large);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let errors = ErrorBounds::new(&scene, Some(&budget));
        let q: Vec<f64> = cell.joints.iter().map(|_| random.signed()).collect();
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &at_rest(&q), 0.0);
        let tubes = Tubes::default();
        for pair in &scene.part_pairs {
            let parts = [pair.a, pair.b];
            let for_all = parts.map(|part| errors.deviation_at(pair, part, &mut snapshot, &tubes));
            for attempt in 0..6 {
                let random_errors = match attempt {
                    0 => towards(&scene, &budget, pair, &q),
                    _ => RandomErrors::random(&mut random, &budget),
                };
                let real = random_errors.cell(&cell);
                let real_q: Vec<f64> = q
                    .iter()
                    .zip(&random_errors.joint)
                    .map(|(q, error)| q + error)
                    .collect();
                let real_scene = Scene::new(&real, &trees, &PairTable::new(&real), 0.0);
                let mut real_snapshot = Snapshot::default();
                real_snapshot.set(&real_scene, &at_rest(&real_q), 0.0);
                let points = parts.map(|p| random.vector() * scene.parts[p].bounding_radius);
                let own = at(&errors, pair, (&snapshot, None), &tubes);
                let bounds = [0, 1].map(|side| own.at_part_point(side, &points[side]));
                for side in 0..2 {
                    let most = for_all[side].at(points[side].norm());
                    assert!(bounds[side] <= most * (1.0 + 1e-9) + 1e-12);
                    tighter += usize::from(bounds[side] < 0.8 * most);
                }
                let places = [0, 1].map(|side| {
                    let was = snapshot.placed(parts[side]).pose.apply(&points[side]);
                    let is = real_snapshot.part(&real_scene, parts[side]).pose;
                    [was, is.apply(&points[side])]
                });
                let [before, after] = [0, 1].map(|k| (places[0][k] - places[1][k]).norm());
                let (moved, bound) = ((after - before).abs(), bounds[0] + bounds[1]);
                assert!(moved <= bound + 1e-9, "{moved} m nearer, {bound} m said");
                if bound > 1e-6 {
                    best = best.max(moved / bound);
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 3000 && tighter > 500, "{cases} {tighter}");
    assert!(best > 0.8, "the bound is reached to {best} at best");
}

/// Catches what joints beyond do to a lever within an interval left out, or halved, of axes and of
/// bases.
#[test]
fn what_is_said_about_an_instant_holds_in_the_whole_interval() {
    let mut random = Random(52);
    let mut larger = [0; 2];
    for round in 0..120 {
        let mut cell = random_cell(&mut random);
        let all = random_budget(&mut random, &cell, 0.1);
        let mut budget = Uncertainty::none(&cell);
        if round % 2 == 0 {
            budget.joint = all.joint;
        } else {
            budget.base = all.base;
        }
        cell.uncertainty = Some(budget.clone());
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let errors = ErrorBounds::new(&scene, Some(&budget));
        let trajectory = random_trajectory(&mut random, &cell);
        let (segment, tubes) = (&trajectory.segments[0], Tubes::default());
        let h = random.spread(1e-3, 1.0);
        let from = (1.0 - h) * random.unit();
        let mut bounds = JointBounds::default();
        bounds.set(segment, from, from + h);
        let placed = |s: f64| {
            let mut snapshot = Snapshot::default();
            snapshot.set(&scene, segment, s);
            for part in 0..scene.parts.len() {
                snapshot.part(&scene, part);
            }
            snapshot
        };
        let middle = placed(from + 0.5 * h);
        for pair in &scene.part_pairs {
            let over = at(&errors, pair, (&middle, Some(&bounds)), &tubes);
            let then = at(&errors, pair, (&middle, None), &tubes);
            let now = placed(from + h * [0.0, 1.0, random.unit()][random.below(3)]);
            let now = at(&errors, pair, (&now, None), &tubes);
            for (side, part) in [pair.a, pair.b].into_iter().enumerate() {
                let point = random.vector() * scene.parts[part].bounding_radius;
                let (said, is) = (
                    over.at_part_point(side, &point),
                    now.at_part_point(side, &point),
                );
                assert!(is <= said + 1e-12, "round {round}: {is}, {said} said");
                // Most of what is added is needed somewhere.
                let added = said - then.at_part_point(side, &point);
                let needed = is - then.at_part_point(side, &point);
                larger[round % 2] += usize::from(needed > 1e-9 && needed > 0.6 * added);
            }
        }
    }
    assert!(larger.iter().all(|&count| count > 5), "{larger:?}");
}

/// A bar of 2 m that turns about one end, with its origin in the middle, and a post beside that
/// end: the tip can be off by 40 mm, the bar beside the post by 2 mm. Catches levers of the origin
/// for all of a part.
#[test]
fn a_long_bar_is_off_by_little_beside_its_axis() {
    let found = |gap: f64| {
        let mut cell = Cell::with_one_robot();
        let still = Isometry3::identity();
        let joint = cell.add_joint(Joint::revolute("j", None, still, Vector3::z_axis()));
        let bar = Form::Box {
            size: Vector3::new(2.0, 0.02, 0.02),
        };
        let middle = Isometry3::translation(1.0, 0.0, 0.0);
        cell.add_body(Body::link("bar", bar, joint, middle, None));
        let post = Form::Box {
            size: Vector3::new(0.02, 0.02, 0.02),
        };
        let beside = Isometry3::translation(0.09, 0.02 + gap, 0.0);
        cell.add_body(Body::obstacle("post", post, beside));
        let mut budget = Uncertainty::none(&cell);
        budget.joint[0] = 0.02;
        cell.uncertainty = Some(budget);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![-0.3])]).unwrap();
        scene
            .check(&trajectory, &CheckOptions::default(), &|_| ())
            .verdict
    };
    // The nearest corner is 0.1 m from the axis, so 2 mm.
    assert_eq!(found(0.0025), Verdict::Clear);
    assert_eq!(found(0.0018), Verdict::Possible);
}

/// A ball slides away from a joint that may be off by a radian, from 1 m to 1.2 m, and `gap` of it
/// another one stands beside where it ends. Catches levers that are known for the middle of an
/// interval and believed for all of it.
#[test]
fn levers_grow_within_an_interval() {
    let found = |gap: f64| {
        let mut cell = Cell::with_one_robot();
        let still = Isometry3::identity();
        let turns = cell.add_joint(Joint::revolute("turns", None, still, Vector3::z_axis()));
        let slide = Joint::prismatic("slides", Some(turns), still, Vector3::x_axis());
        let slide = cell.add_joint(slide);
        let ball = || Form::Sphere { radius: 0.01 };
        cell.add_body(Body::link("ball", ball(), slide, still, None));
        let beside = Isometry3::translation(1.2, gap + 0.02, 0.0);
        cell.add_body(Body::obstacle("post", ball(), beside));
        let mut budget = Uncertainty::none(&cell);
        budget.joint[turns] = 1.0;
        cell.uncertainty = Some(budget);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let trajectory = [(0.0, vec![0.0, 1.0]), (1.0, vec![0.0, 1.2])];
        let trajectory = Trajectory::linear(&cell, &trajectory).unwrap();
        scene
            .check(&trajectory, &CheckOptions::default(), &|_| ())
            .verdict
    };
    assert_eq!(found(1.1995), Verdict::Possible);
    assert_eq!(found(1.2005), Verdict::Clear);
}

/// Two boxes 1 m out on arms of their own, 5 or 15 cm beside each other, where one of the arms may
/// be off by a tenth of a radian. Catches errors of either part that are left out where nodes are
/// told apart.
#[test]
fn errors_of_either_part_count_between_nodes() {
    let found = |joint_errors: [f64; 2], gap: f64| {
        let mut cell = Cell::with_one_robot();
        let size = Vector3::from_element(0.2);
        let out = Isometry3::translation(1.0, 0.0, 0.0);
        let joints = [0.0, gap + 0.2].map(|beside| {
            let pose = Isometry3::translation(0.0, beside, 0.0);
            let turns = Joint::revolute(&format!("turns {beside}"), None, pose, Vector3::z_axis());
            let joint = cell.add_joint(turns);
            let name = format!("box {beside}");
            cell.add_body(Body::link(&name, Form::Box { size }, joint, out, None));
            joint
        });
        let mut budget = Uncertainty::none(&cell);
        for (joint, error) in joints.into_iter().zip(joint_errors) {
            budget.joint[joint] = error;
        }
        cell.uncertainty = Some(budget);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let trajectory = [(0.0, vec![0.0, 0.0]), (1.0, vec![0.01, 0.01])];
        let trajectory = Trajectory::linear(&cell, &trajectory).unwrap();
        scene
            .check(&trajectory, &CheckOptions::default(), &|_| ())
            .verdict
    };
    for joint_errors in [[0.1, 0.0], [0.0, 0.1]] {
        assert_eq!(found(joint_errors, 0.05), Verdict::Possible);
        assert_eq!(found(joint_errors, 0.15), Verdict::Clear);
    }
}
