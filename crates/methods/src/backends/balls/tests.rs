use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::pose::Pose;
use clearance_proof::geometry::random::Random;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::Segment;
use nalgebra::Rotation3;

use super::*;
use crate::testing::{Example, example};

/// Loose triangles, flat plates of two, or both; sometimes the core of a capsule.
fn shape(random: &mut Random) -> (SphereTree, f64) {
    let mut mesh = Mesh::default();
    let size = 10f64.powf(-random.unit());
    for i in 0..1 + random.below(14) as u32 {
        let place = random.vector() * size;
        let grain = size * [1.0, 0.1][random.below(2)];
        for _ in 0..3 {
            mesh.vertices.push((place + random.vector() * grain).into());
        }
        let [a, b, c] = [3 * i, 3 * i + 1, 3 * i + 2];
        mesh.triangles.push(if random.below(8) == 0 {
            [a, b, b]
        } else {
            [a, b, c]
        });
    }
    let radius = if random.below(4) == 0 {
        0.1 * size * random.unit()
    } else {
        0.0
    };
    (SphereTree::new(&mesh, radius), size)
}

fn pose(random: &mut Random, away: f64) -> Pose {
    Pose {
        rotation: *Rotation3::from_scaled_axis(random.vector() * 3.0).matrix(),
        translation: random.vector() * away,
    }
}

/// Two placed parts and their distance by all pairs of triangles.
struct Case {
    trees: [BallTree; 2],
    poses: [Pose; 2],
    radii: [f64; 2],
    truth: f64,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let shapes = [shape(random), shape(random)];
        let away = (shapes[0].1 + shapes[1].1) * [0.3, 1.0, 3.0][random.below(3)];
        let poses = [pose(random, away), pose(random, away)];
        let trees = [0, 1].map(|k| {
            let combine = [Combine::Compact, Combine::Greedy][random.below(2)];
            let leaves = match random.below(2) {
                0 => BallLeaves::Whole,
                _ => BallLeaves::Tiled {
                    radius: shapes[k].1 * (0.1 + random.unit()),
                },
            };
            BallTree::new(&shapes[k].0, combine, leaves).unwrap()
        });
        let radii = [0, 1].map(|k| shapes[k].0.radius);
        let mut truth = f64::INFINITY;
        for a in &trees[0].triangles {
            for b in &trees[1].triangles {
                let a = a.map(|c| Point3::from(poses[0].apply(&c)));
                let b = b.map(|c| Point3::from(poses[1].apply(&c)));
                truth = truth.min(Closest::of_triangles(&a, &b).distance);
            }
        }
        Case {
            trees,
            poses,
            radii,
            truth: (truth - radii[0] - radii[1]).max(0.0),
        }
    }

    fn ask(&self, range: DistanceRange, options: &QueryOptions) -> (QueryResult, QueryTally) {
        let [a, b] = [0, 1].map(|k| PlacedBalls {
            tree: &self.trees[k],
            pose: self.poses[k],
            radius: self.radii[k],
        });
        let mut tally = QueryTally::default();
        (distance(a, b, range, options, &mut tally), tally)
    }
}

const EVERYTHING: DistanceRange = DistanceRange {
    min: 0.0,
    max: f64::INFINITY,
    tolerance: 0.0,
};

/// Rounding of coordinates of a few metres.
const TINY: f64 = 1e-13;

#[test]
fn distances_are_those_of_all_pairs_of_triangles() {
    let mut random = Random(41);
    let (mut separate, mut spared) = (0, 0);
    for case_number in 0..6000 {
        let case = Case::new(&mut random);
        let (found, tally) = case.ask(EVERYTHING, &QueryOptions::default());
        let attained = found.attained.unwrap();
        let truth = case.truth;
        assert!(
            (attained.distance - truth).abs() < TINY && (found.at_least - truth).abs() < TINY,
            "case {case_number}: {found:?}, {truth}"
        );
        let [p, q] = attained.points;
        let between = ((p - q).norm() - case.radii[0] - case.radii[1]).max(0.0);
        assert!((between - truth).abs() < TINY, "case {case_number}: points");
        separate += usize::from(truth > 0.0);
        let all = case.trees[0].triangles.len() * case.trees[1].triangles.len();
        spared += usize::from((tally.triangle_tests as usize) < all);
    }
    assert!(
        separate > 2000 && separate < 5900 && spared > 4000,
        "{separate} {spared}"
    );
}

/// Each switch may change the counts and, with a range or a tolerance, as much of the answer as was
/// given away.
#[test]
fn ranges_and_tolerances_keep_their_promises() {
    let mut random = Random(42);
    let [mut beyond, mut early, mut low] = [0; 3];
    for case_number in 0..6000 {
        let case = Case::new(&mut random);
        let truth = case.truth;
        let near = |random: &mut Random| match random.below(4) {
            0 => 0.0,
            1 => truth * (0.5 + random.unit()),
            _ => 2.0 * random.unit(),
        };
        let range = DistanceRange {
            min: near(&mut random),
            max: if random.below(3) == 0 {
                f64::INFINITY
            } else {
                near(&mut random)
            },
            tolerance: 0.0,
        };
        let tolerance = [0.0, 0.1, 0.3, 0.9][random.below(4)];
        let options = QueryOptions {
            tolerance,
            ..QueryOptions::default()
        };
        let (found, _) = case.ask(range, &options);
        let name = format!("case {case_number}: {found:?}, {truth}, {range:?}, {tolerance}");
        assert!(found.at_least <= truth + TINY, "{name}");
        if let Some(attained) = found.attained {
            assert!(
                attained.distance >= truth - TINY && attained.distance < range.max,
                "{name}"
            );
            if attained.distance > range.min {
                assert!(
                    found.at_least >= attained.distance * (1.0 - tolerance) - TINY,
                    "{name}"
                );
            } else {
                early += usize::from(found.at_least < truth - TINY);
            }
            low += usize::from(attained.distance > truth + TINY);
        } else {
            assert!(truth >= range.max * (1.0 - tolerance) - TINY, "{name}");
            assert!(
                found.at_least >= range.max * (1.0 - tolerance) - TINY,
                "{name}"
            );
            beyond += 1;
        }
    }
    assert!(
        beyond > 300 && early > 100 && low > 100,
        "{beyond} {early} {low}"
    );
}

#[test]
fn kept_centers_save_transforms_and_change_nothing_else() {
    let mut random = Random(43);
    let [mut with, mut without] = [0; 2];
    for case_number in 0..1500 {
        let case = Case::new(&mut random);
        let ask = |kept_centers| {
            let options = QueryOptions {
                kept_centers,
                ..QueryOptions::default()
            };
            case.ask(EVERYTHING, &options)
        };
        let ((kept, tally), (plain, plain_tally)) = (ask(true), ask(false));
        assert!(
            (kept.at_least - plain.at_least).abs() < TINY,
            "case {case_number}: {kept:?} {plain:?}"
        );
        assert_eq!(plain_tally.transforms, plain_tally.sphere_tests);
        with += tally.transforms;
        without += plain_tally.transforms;
    }
    assert!(2 * with <= without + 3000, "{with} of {without}");
}

fn arm() -> Example {
    example("arm6")
}

/// The arm somewhere: at rest there in a segment of its own.
fn anywhere(random: &mut Random, joints: usize, reach: f64) -> Segment {
    Segment::new(
        0.0,
        1.0,
        (0..joints).map(|_| [reach * random.signed(), 0.0, 0.0, 0.0, 0.0, 0.0]),
    )
}

/// Whole-cell queries with every switch, against the distances that the default engine measures
/// pair by pair.
#[test]
fn carried_bounds_give_the_same_least_distance() {
    let prepared = arm();
    let scene = Scene::new(&prepared.cell, &prepared.trees, &prepared.pairs, 0.0);
    let mut random = Random(44);
    let mut greedy = Balls::greedy(&scene, None, &Prebuilt::default()).unwrap();
    let mut compact = Balls::new(&scene, Combine::Compact, BallLeaves::Whole).unwrap();
    let mut snapshot = Snapshot::default();
    // The long wires of the fences take spheres a while.
    let name = |body: usize| &prepared.cell.bodies[body].name;
    let short = |pair: usize| !name(scene.pairs[pair].b).starts_with("fence");
    let part_pairs: Vec<usize> = (0..scene.part_pairs.len())
        .filter(|&p| short(scene.part_pairs[p].pair))
        .collect();
    assert!(part_pairs.len() > 30 && part_pairs.len() < scene.part_pairs.len());
    // Sphere tests with nothing, with carried bounds, and with the nearest pair first too.
    let mut tests = [0; 3];
    let mut separate = 0;
    for _ in 0..12 {
        snapshot.set(
            &scene,
            &anywhere(&mut random, prepared.cell.joints.len(), 1.0),
            0.0,
        );
        let truth = (0..scene.pairs.len())
            .filter(|&pair| short(pair))
            .map(|pair| {
                let nearest = scene.pair_distance(pair, &mut snapshot, f64::INFINITY, &mut 0);
                nearest.unwrap().distance
            })
            .fold(f64::INFINITY, f64::min);
        separate += usize::from(truth > 0.0);
        for shape in [&mut greedy, &mut compact] {
            for (k, (carried, nearest_first)) in [(false, false), (true, false), (true, true)]
                .into_iter()
                .enumerate()
            {
                shape.options = QueryOptions {
                    carried,
                    nearest_first,
                    ..QueryOptions::default()
                };
                let mut tally = QueryTally::default();
                let least = shape.least(
                    part_pairs.iter().copied(),
                    &mut snapshot,
                    EVERYTHING,
                    &mut tally,
                );
                let nearest = least.nearest.unwrap();
                assert!(
                    (nearest.distance - truth).abs() < 1e-9,
                    "{nearest:?} {truth}"
                );
                assert!(least.at_least <= truth && least.at_least >= truth - 1e-9);
                let [p, q] = nearest.points;
                assert!(
                    ((p - q).norm() - truth).abs() < 1e-9,
                    "points on the surfaces"
                );
                tests[k] += tally.sphere_tests;
            }
        }
    }
    assert!(separate > 2 && separate <= 12, "{separate}");
    assert!(tests[1] * 2 < tests[0] && tests[2] < tests[1], "{tests:?}");
}

#[test]
fn pairs_and_contacts_as_the_default_engine_sees_them() {
    let prepared = arm();
    let scene = Scene::new(&prepared.cell, &prepared.trees, &prepared.pairs, 0.01);
    let mut random = Random(45);
    let mut balls = Balls::greedy(&scene, Some(0.02), &Prebuilt::default()).unwrap();
    let mut snapshot = Snapshot::default();
    let mut contacts = 0;
    for _ in 0..12 {
        snapshot.set(
            &scene,
            &anywhere(&mut random, prepared.cell.joints.len(), 1.5),
            0.0,
        );
        let truth: Vec<f64> = (0..scene.pairs.len())
            .map(|pair| {
                let nearest = scene.pair_distance(pair, &mut snapshot, f64::INFINITY, &mut 0);
                nearest.unwrap().distance
            })
            .collect();
        let mut work = Work::default();
        for (pair, &truth) in truth.iter().enumerate() {
            for tolerance in [0.0, 0.3] {
                let range = DistanceRange {
                    min: 0.0,
                    max: 0.1,
                    tolerance,
                };
                let bound = balls.lower_bound(pair, &mut snapshot, range, &mut work);
                assert!(
                    bound <= truth && bound > truth.min(0.1) * (1.0 - tolerance) - 1e-9,
                    "{bound} {truth} {tolerance}"
                );
            }
        }
        assert_eq!(work.distance_queries as usize, 2 * scene.pairs.len());
        assert!(work.sphere_tests > 0 && work.triangle_tests > 0);
        let touches = balls.touching(&mut snapshot, false, &mut work);
        let expected: Vec<usize> = (0..truth.len())
            .filter(|&pair| truth[pair] <= scene.pairs[pair].clearance)
            .collect();
        assert_eq!(touches.iter().map(|t| t.pair).collect::<Vec<_>>(), expected);
        for touch in &touches {
            assert!((touch.distance - truth[touch.pair]).abs() < 1e-9);
        }
        let first = balls.touching(&mut snapshot, true, &mut work);
        assert_eq!(first.first().map(|t| t.pair), expected.first().copied());
        assert!(first.len() <= 1);
        contacts += touches.len();
    }
    assert!(contacts > 8, "{contacts}");
}

#[test]
fn parts_of_one_shape_share_a_tree_and_refusals_name_the_body() {
    let prepared = arm();
    let scene = Scene::new(&prepared.cell, &prepared.trees, &prepared.pairs, 0.0);
    let balls = Balls::greedy(&scene, None, &Prebuilt::default()).unwrap();
    let named = |name: &str| {
        let of = |part: &clearance_proof::check::scene::Part| {
            prepared.cell.bodies[part.body].name == name
        };
        scene.parts.iter().position(of).unwrap()
    };
    let [left, back] = ["fence_left", "fence_back"].map(named);
    assert!(
        Arc::ptr_eq(&scene.parts[left].tree, &scene.parts[back].tree)
            == Arc::ptr_eq(&balls.trees()[left], &balls.trees()[back])
    );
    for tree in balls.trees() {
        assert_eq!(tree.check(), Ok(()));
    }
    let refused = Balls::greedy(&scene, Some(1e-6), &Prebuilt::default())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`--leaf-radius ") && refused.contains("fits"),
        "{refused}"
    );
}
