use clearance_proof::bvh::SphereTree;
use clearance_proof::check::scene::{BodyPair, Part};
use clearance_proof::geometry::made::{capsule_core, sphere_core};
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::random::Random;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::{Cell, Segment};
use nalgebra::Rotation3;

use nalgebra::Vector3;

use super::*;
use crate::ranked::CoverCells;
use crate::testing::example;

/// Boxes, balls, capsules, plates, needles, crumbs.
fn tree(random: &mut Random) -> Arc<SphereTree> {
    let size = [0.3, 0.05][random.below(2)];
    let (mesh, radius) = match random.below(5) {
        0 => (Mesh::cuboid(&(random.vector().abs() * size)), 0.0),
        1 => (sphere_core(), size * random.unit()),
        2 => (capsule_core(size), size * 0.3 * random.unit()),
        _ => {
            let thin = |random: &mut Random| [1.0, 1e-3, 0.0][random.below(3)];
            let flat = Vector3::new(1.0, thin(random), thin(random)) * size;
            let mut mesh = Mesh::default();
            for i in 0..1 + random.below(5) as u32 {
                for _ in 0..3 {
                    let corner = random.vector().component_mul(&flat);
                    mesh.vertices.push(corner.into());
                }
                mesh.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
            }
            (mesh, 0.0)
        }
    };
    Arc::new(SphereTree::new(&mesh, radius))
}

/// A few parts that stand somewhere, every two of them a pair of bodies.
fn strewn<'c>(random: &mut Random, cell: &'c Cell, clearance: f64) -> Scene<'c> {
    let count = 2 + random.below(3);
    let away = [0.0, 100.0][random.below(2)] * random.vector();
    let parts: Vec<Part> = (0..count)
        .map(|body| {
            let tree = tree(random);
            let radii = tree.vertices.iter().map(|v| (v - tree.origin).norm());
            Part {
                body,
                joint: None,
                joint_from_part: Pose {
                    rotation: *Rotation3::from_scaled_axis(random.vector() * 2.0).matrix(),
                    translation: random.vector() * 0.2 + away,
                },
                bounding_radius: radii.fold(0.0, f64::max) + tree.radius,
                offset: 0.0,
                handover_error: 0.0,
                may_be_solid: None,
                tree,
            }
        })
        .collect();
    let mut scene = Scene::of_parts(cell, parts);
    for a in 0..count {
        for b in 0..a {
            let pair = scene.pairs.len();
            // Part pairs may name the bodies the other way round.
            let [x, y] = [[a, b], [b, a]][random.below(2)];
            scene.pairs.push(BodyPair { a, b, clearance });
            scene.part_pairs.push(PartPair {
                a: x,
                b: y,
                pair,
                shared: 0,
                one_sided: true,
                radii: scene.parts[x].tree.radius + scene.parts[y].tree.radius,
            });
        }
    }
    scene
}

fn standing(scene: &Scene, q: &[f64]) -> Snapshot {
    let still = Segment::instant(q);
    let mut snapshot = Snapshot::default();
    snapshot.set(scene, &still, 0.0);
    snapshot
}

/// Every triangle against every other.
fn true_distance(scene: &Scene, pair: usize, snapshot: &mut Snapshot) -> f64 {
    let PartPair { a, b, radii, .. } = scene.part_pairs[pair];
    let placed = [a, b].map(|part| {
        let pose = snapshot.part_pose(scene, part);
        let tree = &scene.parts[part].tree;
        let place = |v| Point3::from(pose.apply(&(v - tree.origin)));
        (0..tree.triangles.len())
            .map(|t| tree.corners(t).map(place))
            .collect::<Vec<_>>()
    });
    let mut least = f64::INFINITY;
    for a in &placed[0] {
        for b in &placed[1] {
            least = least.min(Closest::of_triangles(a, b).distance - radii);
        }
    }
    least.max(0.0)
}

const ROUNDING: f64 = 1e-9;

/// A pair within its threshold is found. A pair that is beyond its threshold by more than the
/// coarseness is not found. Every distance is a bound.
#[test]
fn nothing_is_missed_and_no_answer_is_off_by_more_than_the_coarseness() {
    let cell = Cell::default();
    let mut random = Random(41);
    let mut seen = [0; 3];
    for case in 0..1500 {
        let clearance = [0.0, 0.02][random.below(2)];
        let scene = strewn(&mut random, &cell, clearance);
        let leaf_radius = [0.1, 0.02, 0.005][random.below(3)];
        let ratio = [1.4, 2.0, 4.0][random.below(3)];
        let mut fineness = CoverFineness::with_ratio(leaf_radius, ratio);
        // Cells that overlap take many more spheres.
        let kinds = [CoverCells::Cut, CoverCells::Equal, CoverCells::Overlapping];
        let most = if leaf_radius < 0.05 { 2 } else { 3 };
        fineness.ranks.cells = kinds[random.below(most)];
        let mut ranked = Ranked::new(&scene, &fineness, &Prebuilt::default()).unwrap();
        let coarseness = ranked.coarseness();
        assert!(coarseness <= 4.0 * leaf_radius, "case {case}");
        let mut snapshot = standing(&scene, &[]);
        let mut work = Work::default();
        let touches = ranked.touching(&mut snapshot, false, &mut work);
        let mut last = None;
        for pair in 0..scene.pairs.len() {
            let exact = true_distance(&scene, pair, &mut snapshot);
            let touch = touches.iter().find(|t| t.pair == pair);
            assert!(
                touch.is_some() || exact > clearance,
                "case {case}: a pair {exact} apart is missed"
            );
            if let Some(touch) = touch {
                assert!(Some(pair) > last && touch.distance <= clearance + ROUNDING);
                last = Some(pair);
                assert!(
                    exact <= clearance + coarseness + ROUNDING,
                    "case {case}: {exact} is far from {clearance}, {coarseness}"
                );
            }
            let group = match (touch.is_some(), exact <= clearance) {
                (false, _) => 0,
                (true, true) => 1,
                (true, false) => 2,
            };
            seen[group] += 1;

            let whole = DistanceRange {
                min: 0.0,
                max: 1e3,
                tolerance: 0.0,
            };
            let bound = ranked.lower_bound(pair, &mut snapshot, whole, &mut work);
            assert!(bound <= exact, "case {case}: {bound} for {exact}");
            assert!(bound >= exact - coarseness - ROUNDING, "case {case}");
            // A range may only make it vaguer outside.
            let range = DistanceRange {
                min: 0.05,
                max: 0.3,
                tolerance: 0.0,
            };
            let within = ranked.lower_bound(pair, &mut snapshot, range, &mut work);
            assert!(within <= exact.max(range.max), "case {case}");
            assert!(exact >= range.max || within <= exact, "case {case}");
            if bound > range.min + ROUNDING {
                assert!(within >= bound.min(range.max) - ROUNDING, "case {case}");
            }
        }
        let first = ranked.touching(&mut snapshot, true, &mut work);
        assert_eq!(first.len(), touches.len().min(1));
        assert_eq!(first.first(), touches.first());
    }
    assert!(seen.iter().all(|&n| n > 200), "{seen:?}");
}

/// Points of an answer lie on the bodies in the order of the pair, whatever the order of its parts.
#[test]
fn points_belong_to_their_bodies() {
    let cell = Cell::default();
    let mut random = Random(42);
    let mut near = 0;
    for case in 0..150 {
        let scene = strewn(&mut random, &cell, 0.02);
        let ranked = Ranked::new(&scene, &CoverFineness::of(0.02), &Prebuilt::default()).unwrap();
        let mut snapshot = standing(&scene, &[]);
        for pair in 0..scene.pairs.len() {
            let parts = ranked.colliding_parts(pair, &mut snapshot, &mut Work::default());
            for meeting in parts.iter().step_by(1 + parts.len() / 10) {
                let [p, q] = meeting.points;
                assert!(((p - q).norm() - meeting.distance).abs() < ROUNDING);
                // Parts and bodies have the same numbers here.
                let bodies = [scene.pairs[pair].a, scene.pairs[pair].b];
                for (body, point) in bodies.into_iter().zip(meeting.points) {
                    let pose = snapshot.part_pose(&scene, body);
                    let tree = &scene.parts[body].tree;
                    let seen = pose.rotation.tr_mul(&(point.coords - pose.translation));
                    let place = tree.origin + seen;
                    let away = (0..tree.triangles.len())
                        .map(|t| Closest::of_point(&place, &tree.corners(t)).distance)
                        .fold(f64::INFINITY, f64::min);
                    assert!(away <= tree.radius + 2.0 * 0.02 + ROUNDING, "case {case}");
                    near += 1;
                }
            }
        }
    }
    assert!(near > 300, "{near}");
}

/// The chain of spheres above one of the last rank, from the first rank on.
fn chain(cover: &RankedCover, leaf: usize) -> Vec<usize> {
    let mut chain = vec![leaf];
    for rank in (0..cover.ranks.len() - 1).rev() {
        let below = chain[chain.len() - 1];
        let spheres = 0..cover.ranks[rank].len();
        let above = spheres
            .into_iter()
            .find(|&i| cover.below(rank, i).contains(&below));
        chain.push(above.unwrap());
    }
    chain.reverse();
    chain
}

/// The slow twin takes every sphere of one last rank against every one of the other. It leaves out,
/// as the search must, those of which some pair of larger spheres on the way down does not meet: no
/// surfaces can be near there.
#[test]
fn the_marked_search_finds_what_all_against_all_finds() {
    let cell = Cell::default();
    let mut random = Random(43);
    let (mut meeting, mut ruled_out) = (0, 0);
    for case in 0..150 {
        let clearance = [0.0, 0.02][random.below(2)];
        let scene = strewn(&mut random, &cell, clearance);
        let ratio = [1.4, 2.0, 4.0][random.below(3)];
        let leaf_radius = [0.04, 0.02][random.below(2)];
        let ranked = Ranked::new(
            &scene,
            &CoverFineness::with_ratio(leaf_radius, ratio),
            &Prebuilt::default(),
        )
        .unwrap();
        let mut snapshot = standing(&scene, &[]);
        for pair in 0..scene.pairs.len() {
            let mut found: Vec<[usize; 2]> = ranked
                .colliding_parts(pair, &mut snapshot, &mut Work::default())
                .iter()
                .map(|m| m.spheres)
                .collect();
            found.sort_unstable();
            let (both, ..) = ranked.roots(pair, &mut snapshot).unwrap();
            let limit = scene.pairs[pair].clearance + both.margin;
            let meet = |at: [(usize, usize); 2]| {
                let [x, y] = [0, 1].map(|side| both.sides[side].seen(at[side].0, at[side].1));
                (x.center - y.center).norm() - x.radius - y.radius <= limit
            };
            let covers = [0, 1].map(|side| both.sides[side].cover);
            let ends = covers.map(|c| c.ranks.len() - 1);
            let chains = covers.map(|c| {
                let leaves = 0..c.ranks[c.ranks.len() - 1].len();
                leaves.map(|leaf| chain(c, leaf)).collect::<Vec<_>>()
            });
            let mut expected = Vec::new();
            for x in &chains[0] {
                for y in &chains[1] {
                    let leaves = [x[ends[0]], y[ends[1]]];
                    if !meet([(ends[0], leaves[0]), (ends[1], leaves[1])]) {
                        continue;
                    }
                    let on_the_way = (0..=ends[0].max(ends[1])).all(|step| {
                        let [i, j] = ends.map(|end| step.min(end));
                        let [k, l] = ends.map(|end| (step + 1).min(end));
                        meet([(i, x[i]), (j, y[j])])
                            && meet([(i, x[i]), (l, y[l])])
                            && meet([(k, x[k]), (j, y[j])])
                    });
                    if on_the_way {
                        expected.push(leaves);
                    } else {
                        ruled_out += 1;
                    }
                }
            }
            expected.sort_unstable();
            assert_eq!(found, expected, "case {case}");
            meeting += found.len();
        }
    }
    assert!(meeting > 10_000, "{meeting}");
    // Smaller spheres hardly stand out of larger ones.
    assert!(ruled_out * 20 < meeting, "{ruled_out} of {meeting}");
}

#[test]
fn a_robot_in_its_cell() {
    let prepared = example("arm6");
    let scene = Scene::new(&prepared.cell, &prepared.trees, &prepared.pairs, 0.0);
    let mut ranked = Ranked::new(&scene, &CoverFineness::of(0.01), &Prebuilt::default()).unwrap();
    for (part, cover) in scene.parts.iter().zip(ranked.covers()) {
        assert_eq!(cover.prove(faces(&part.tree)), Ok(()));
    }
    let coarseness = ranked.coarseness();
    let mut random = Random(44);
    let mut work = Work::default();
    let mut seen = [0; 2];
    for _ in 0..40 {
        let joints = prepared.cell.joints.iter();
        let q: Vec<f64> = joints.map(|_| 2.0 * random.signed()).collect();
        let mut snapshot = standing(&scene, &q);
        let touches = ranked.touching(&mut snapshot, false, &mut work);
        for pair in 0..scene.pairs.len() {
            let exact = scene.pair_distance(pair, &mut snapshot, f64::INFINITY, &mut 0);
            let exact = exact.unwrap().distance;
            let touch = touches.iter().any(|t| t.pair == pair);
            assert!(touch || exact > 0.0);
            assert!(!touch || exact <= coarseness + ROUNDING);
            seen[usize::from(touch)] += 1;
            let range = DistanceRange {
                min: 0.0,
                max: 0.2,
                tolerance: 0.0,
            };
            let bound = ranked.lower_bound(pair, &mut snapshot, range, &mut work);
            assert!(bound <= exact.max(0.2));
            assert!(bound >= exact.min(0.2) - coarseness - ROUNDING);
        }
    }
    assert!(seen[0] > 100 && seen[1] > 20, "{seen:?}");
    assert_eq!(work.interference_queries, 40 * scene.pairs.len() as u64);
    assert_eq!(work.distance_queries, 40 * scene.pairs.len() as u64);
}

#[test]
fn too_fine_is_refused_with_a_radius_that_fits() {
    let prepared = example("arm6");
    let scene = Scene::new(&prepared.cell, &prepared.trees, &prepared.pairs, 0.0);
    let error = Ranked::within(&scene, &CoverFineness::of(1e-4), 20_000)
        .unwrap_err()
        .to_string();
    let radius = error.split("--leaf-radius ").nth(1).unwrap();
    let radius: f64 = radius.split("mm`").next().unwrap().parse().unwrap();
    assert!(radius > 0.1, "{error}");
    assert!(
        Ranked::within(&scene, &CoverFineness::of(radius * 1e-3), 20_000).is_ok(),
        "{error}"
    );
}
