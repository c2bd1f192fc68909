use clearance_proof::bvh::SphereTree;
use clearance_proof::check::fixture::{
    Fixture, JOINTS, anywhere, at, both_at, cube, moved, random_bench, shape, surface_distance,
};
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::pose::Pose;
use clearance_proof::geometry::random::Random;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::{Allowance, AllowedBy, PairThreshold};
use nalgebra::{Isometry3, Point3, Vector3};

use super::*;

fn standing(mesh: &Mesh, radius: f64, slot: usize, at: &Isometry3<f64>) -> PlacedSolid {
    let tree = SphereTree::new(mesh, radius);
    let placed = at * nalgebra::Translation3::from(tree.origin.coords);
    PlacedSolid {
        tree: Arc::new(tree),
        pose: Pose::from(&placed),
        solid: None,
        slot,
    }
}

/// A few shapes at random places.
fn solids(r: &mut Random, whole: bool) -> Vec<PlacedSolid> {
    (0..1 + r.below(4))
        .map(|slot| {
            let (mesh, radius) = shape(r, 1.0, whole);
            let turn = if whole {
                Vector3::zeros()
            } else {
                r.vector() * 3.0
            };
            let place = Vector3::from_fn(|_, _| r.within(-4, 4) as f64);
            standing(&mesh, radius, slot, &Isometry3::new(place, turn))
        })
        .collect()
}

#[test]
fn octrees_tell_the_truth_about_every_cube() {
    let mut r = Random(61);
    let mut colours = [0; 3];
    for round in 0..60 {
        let solids = solids(&mut r, round % 2 == 0);
        let fineness = CubeFineness {
            edge: Some([2.0, 0.6, 0.3][r.below(3)]),
            cubes: [40, 2_000, 1 << 20][r.below(3)],
        };
        let cubes = Cubes::new(solids, &fineness);
        assert_eq!(cubes.check(), Ok(()), "round {round}");
        for node in cubes.nodes.iter().filter(|n| n.children == 0) {
            colours[cubes.colour(node) as usize] += 1;
        }
        assert!(cubes.nodes.len() <= fineness.cubes);
    }
    assert!(colours.iter().all(|&c| c > 1000), "{colours:?}");
}

/// The proof finds what is wrong: a face left out or made up, a colour that is not so, a lost
/// component, a broken tree.
#[test]
fn lies_of_an_octree_are_found() {
    let places = [
        Isometry3::translation(0.1, 0.2, 0.3),
        Isometry3::new(Vector3::x() * 5.0, Vector3::new(0.3, 0.4, 0.5)),
    ];
    let solids = [0, 1].map(|slot| standing(&cube(2.0), 0.0, slot, &places[slot]));
    let fineness = CubeFineness {
        edge: Some(0.3),
        cubes: 1 << 20,
    };
    let truth = Cubes::new(solids.to_vec(), &fineness);
    assert_eq!(truth.check(), Ok(()));
    let leaf = |wanted: Colour| {
        let ends = |n: &CubeNode| n.children == 0 && truth.colour(n) == wanted;
        truth.nodes.iter().position(ends).unwrap()
    };
    let inner = truth.nodes.iter().position(|n| n.children > 0).unwrap();
    let [white, mixed, black] = [Colour::White, Colour::Mixed, Colour::Black].map(leaf);
    let within = truth.nodes[black].within;
    type Lie<'l> = (&'l str, &'l dyn Fn(&mut Cubes));
    let lies: [Lie; 7] = [
        ("a face left out", &|c| c.nodes[mixed].count -= 1),
        ("another face", &|c| {
            let first = c.nodes[mixed].first as usize;
            let far = c.faces.len() as u32 - 1;
            c.listed[first] = if c.solid_of[c.listed[first] as usize] == 0 {
                far
            } else {
                0
            };
        }),
        ("white called black", &|c| c.nodes[white].within = within),
        ("black called white", &|c| c.nodes[black].within = 0),
        ("a cube cut off", &|c| c.nodes[inner].children = 0),
        ("a lost component", &|c| {
            c.components.pop_first();
        }),
        ("a cube too many", &|c| c.nodes.push(c.nodes[white])),
    ];
    for (what, lie) in lies {
        let mut cubes = truth.clone();
        lie(&mut cubes);
        assert!(cubes.check().is_err(), "{what}");
    }
}

#[test]
fn cubes_and_rays_agree_on_what_is_inside() {
    let mut r = Random(62);
    let mut seen = [0; 2];
    for round in 0..120 {
        let whole = round % 2 == 0;
        let solids: Vec<PlacedSolid> = solids(&mut r, whole)
            .into_iter()
            .filter(|s| s.tree.radius == 0.0)
            .collect();
        if solids.is_empty() {
            continue;
        }
        // Few cubes leave much to the rays through them.
        let fineness = CubeFineness {
            edge: Some(0.3),
            cubes: [1, 80, 1 << 20][r.below(3)],
        };
        let cubes = Cubes::new(solids, &fineness);
        for _ in 0..200 {
            let mut p = Point3::from(Vector3::from_fn(|_, _| 6.0 * r.signed()));
            if r.below(3) > 0 {
                // Between corners of a solid: inside it or near it.
                let solid = r.below(cubes.solids.len());
                let count = cubes.solids[solid].tree.triangles.len();
                let mut corner = || {
                    let face = cubes.first_face[solid] + r.below(count);
                    cubes.faces[face][r.below(3)]
                };
                let (a, b, c) = (corner(), corner(), corner());
                p = nalgebra::center(&nalgebra::center(&a, &b), &c);
            }
            if whole {
                // Level with corners and edges.
                p = p.map(|x| (2.0 * x).round() / 2.0);
                p[r.below(3)] += 0.013;
            }
            // On a surface either answer is right.
            let off = |face: &[Point3<f64>; 3]| Closest::of_point(&p, face).distance > 1e-9;
            if !cubes.faces.iter().all(off) {
                continue;
            }
            let holding = cubes.holding(&p);
            for solid in 0..cubes.solids.len() as u32 {
                let expected = cubes.solids[solid as usize].contains(&p);
                assert_eq!(holding.contains(&solid), expected, "round {round}: {p}");
                seen[usize::from(expected)] += 1;
            }
        }
    }
    assert!(seen[0] > 5_000 && seen[1] > 1_000, "{seen:?}");
}

/// Distance of a pair: 0 where one body is in the other.
fn exact(scene: &Scene, pair: usize, snapshot: &mut Snapshot) -> f64 {
    if scene.is_contained(pair, snapshot) {
        return 0.0;
    }
    surface_distance(scene, pair, snapshot)
}

fn fineness(r: &mut Random) -> CubeFineness {
    CubeFineness {
        edge: Some([1.0, 0.4, 0.2][r.below(3)]),
        cubes: [1, 100, 5_000, 1 << 20][r.below(4)],
    }
}

#[test]
fn touching_is_what_all_triangles_say() {
    let mut r = Random(63);
    let mut seen = [0; 3];
    for round in 0..150 {
        let whole = round % 3 == 0;
        let fixture = random_bench(&mut r, whole);
        let clearance = [0.0, 0.05, 0.5][r.below(3)];
        let scene = fixture.scene(clearance);
        let mut octree = Octree::new(&scene, &fineness(&mut r), &Prebuilt::default());
        for _ in 0..20 {
            let mut snapshot = at(&scene, anywhere(&mut r, whole));
            let mut work = Work::default();
            let found = octree.touching(&mut snapshot, false, &mut work);
            let first = octree.touching(&mut snapshot, true, &mut work);
            assert_eq!(first.is_empty(), found.is_empty(), "round {round}");
            for pair in 0..scene.pairs.len() {
                assert!(octree.by_cubes(pair));
                let exact = exact(&scene, pair, &mut snapshot);
                let touch = found.iter().find(|t| t.pair == pair);
                assert!(
                    exact > clearance || touch.is_some(),
                    "round {round}: {exact}"
                );
                if let Some(touch) = touch {
                    assert!(
                        exact <= clearance + 1e-9,
                        "round {round}: {exact}, {touch:?}"
                    );
                    assert!(
                        (touch.distance - exact).abs() < 1e-9,
                        "round {round}: {exact}, {touch:?}"
                    );
                }
                let inside = scene.is_contained(pair, &mut snapshot);
                seen[if inside {
                    2
                } else {
                    usize::from(touch.is_some())
                }] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 300), "{seen:?}");
}

/// Moving solids against moving solids: one of two is divided in the frame of its joint. Catches a
/// frame that is not taken into account, rounding of a frame that moves, and a pair that neither of
/// the two ways looks at.
#[test]
fn of_two_that_move_one_is_divided_in_its_own_frame() {
    let mut r = Random(66);
    let mut seen = [0; 3];
    for round in 0..120 {
        let whole = round % 3 == 0;
        let mut fixture = Fixture::new();
        for chain in [Some(0), Some(1), Some(1), None] {
            let shapes: Vec<_> = (0..1 + r.below(2))
                .map(|_| shape(&mut r, 1.0, whole))
                .collect();
            fixture.carried(chain, &shapes, None);
        }
        let clearance = [0.0, 0.05, 0.5][r.below(3)];
        let scene = fixture.scene(clearance);
        let fine = fineness(&mut r);
        let mut octree = Octree::of(&scene, &fine, Divided::All, &Prebuilt::default());
        for _ in 0..16 {
            let q = [(); 2].map(|()| anywhere(&mut r, whole).map(|q| 0.4 * q));
            let mut snapshot = both_at(&scene, q);
            let found = octree.touching(&mut snapshot, false, &mut Work::default());
            let first = octree.touching(&mut snapshot, true, &mut Work::default());
            assert_eq!(first.is_empty(), found.is_empty(), "round {round}");
            for pair in 0..scene.pairs.len() {
                assert!(octree.by_cubes(pair));
                let exact = exact(&scene, pair, &mut snapshot);
                let touch = found.iter().find(|t| t.pair == pair);
                let what = format!("round {round}, pair {pair}: {exact}, {touch:?}");
                // Joint values are not round numbers here: what is within rounding of the threshold
                // may be either.
                assert!(exact > clearance - 1e-9 || touch.is_some(), "{what}");
                if let Some(touch) = touch {
                    assert!(exact <= clearance + 1e-9, "{what}");
                    assert!((touch.distance - exact).abs() < 1e-9, "{what}");
                }
                let range = DistanceRange {
                    min: 0.0,
                    max: 5.0 * r.unit(),
                    tolerance: 0.0,
                };
                let bound = octree.lower_bound(pair, &mut snapshot, range, &mut Work::default());
                assert!(
                    bound <= exact && bound >= exact.min(range.max) - 1e-9,
                    "{what} {bound}"
                );
                let inside = scene.is_contained(pair, &mut snapshot);
                seen[if inside {
                    2
                } else {
                    usize::from(touch.is_some())
                }] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

/// Ten thousand questions. Catches a bound of white cubes that is too high, and one that forgets
/// what lies inside.
#[test]
fn bound_is_never_more_than_the_distance() {
    let mut r = Random(64);
    let mut seen = [0; 3];
    for round in 0..250 {
        let whole = round % 3 == 0;
        let fixture = random_bench(&mut r, whole);
        let scene = fixture.scene(0.0);
        let mut octree = Octree::new(&scene, &fineness(&mut r), &Prebuilt::default());
        for _ in 0..16 {
            let mut snapshot = at(&scene, anywhere(&mut r, whole));
            for pair in 0..scene.pairs.len() {
                let exact = exact(&scene, pair, &mut snapshot);
                for max in [f64::INFINITY, r.unit(), 5.0 * r.unit()] {
                    let tolerance = [0.0, 0.3][r.below(2)];
                    let range = DistanceRange {
                        min: 0.0,
                        max,
                        tolerance,
                    };
                    let found =
                        octree.lower_bound(pair, &mut snapshot, range, &mut Work::default());
                    assert!(found <= exact, "round {round}: {found:?}, {exact}");
                    let enough = exact.min(max) * (1.0 - tolerance) - 1e-9;
                    assert!(
                        found >= enough,
                        "round {round}: {found:?}, {exact}, {range:?}"
                    );
                    seen[if exact == 0.0 {
                        0
                    } else {
                        1 + usize::from(exact > max)
                    }] += 1;
                }
            }
        }
    }
    assert!(
        seen.iter().sum::<i32>() > 20_000 && seen.iter().all(|&n| n > 2_000),
        "{seen:?}"
    );
}

#[test]
fn allowed_contacts_and_thresholds_keep_their_own_cubes() {
    let mut fixture = Fixture::new();
    for x in [0.0, 3.0, 6.0] {
        fixture.body(false, &[(moved(cube(1.0), Vector3::x() * x), 0.0)], None);
    }
    for y in [0.0, 3.0] {
        fixture.body(true, &[(moved(cube(1.0), Vector3::y() * y), 0.0)], None);
    }
    // Rigid to each other; the first may touch the first obstacle, the second keeps its distance
    // from the last one.
    fixture.cell.allowed.push(Allowance {
        a: "body0".into(),
        b: "body3".into(),
        reason: String::new(),
        by: AllowedBy::Cell,
    });
    fixture.cell.thresholds.push(PairThreshold {
        a: "body2".into(),
        b: "body4".into(),
        clearance: 0.5,
        warn: None,
        place: None,
    });
    let scene = fixture.scene(0.0);
    let mut octree = Octree::new(&scene, &CubeFineness::default(), &Prebuilt::default());
    assert_eq!(octree.cubes().count(), 3);
    let mut touching = |q: [f64; 3]| {
        let mut snapshot = at(&scene, [q[0], q[1], q[2], 0.0, 0.0, 0.0]);
        let found = octree.touching(&mut snapshot, false, &mut Work::default());
        let bodies = found.iter().map(|t| scene.pairs[t.pair]);
        bodies.map(|p| (p.a, p.b)).collect::<Vec<_>>()
    };
    assert_eq!(touching([0.0; 3]), []);
    assert_eq!(touching([3.0, 0.0, 0.0]), [(1, 3)]);
    assert_eq!(touching([0.0, -3.0, 0.0]), [(0, 4)]);
    assert_eq!(touching([6.0, 1.4, 0.0]), []);
    assert_eq!(touching([6.0, -1.6, 0.0]), [(2, 4)]);
    assert_eq!(touching([3.0, -1.6, 0.0]), []);
}

#[test]
fn open_meshes_are_surfaces_until_they_are_closed() {
    let mut open = cube(2.0);
    open.triangles.truncate(11);
    let closed = open.holes_closed().unwrap().mesh;
    for (mesh, solid, contained) in [
        (&open, None, false),
        (&open, Some(true), false),
        (&closed, Some(true), true),
        (&closed, None, true),
        (&closed, Some(false), false),
    ] {
        let mut fixture = Fixture::new();
        fixture.body(false, &[(mesh.clone(), 0.0)], solid);
        fixture.body(true, &[(cube(0.1), 0.0)], None);
        let scene = fixture.scene(0.0);
        let mut octree = Octree::new(&scene, &CubeFineness::default(), &Prebuilt::default());
        assert!(octree.by_cubes(0));
        let mut snapshot = at(&scene, [0.0; JOINTS]);
        let found = octree.touching(&mut snapshot, false, &mut Work::default());
        assert_eq!(!found.is_empty(), contained);
        // Its surface is there in any case.
        let mut snapshot = at(&scene, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(
            octree
                .touching(&mut snapshot, true, &mut Work::default())
                .len(),
            1
        );
    }
}

/// The method's claim: what is far away costs nothing.
#[test]
fn work_does_not_grow_with_obstacles_elsewhere() {
    let counts = |others: usize| {
        let mut fixture = Fixture::new();
        let place = |k: usize| {
            Vector3::new(
                8.0,
                (k % 32) as f64 * 0.4 - 6.4,
                (k / 32) as f64 * 0.4 - 6.4,
            )
        };
        fixture.body(false, &[(moved(cube(1.0), Vector3::x() * -2.0), 0.0)], None);
        // The outermost two always stand there, so that the root cube is the same.
        for k in [0, 1023].into_iter().chain((0..others).map(|k| 40 + k)) {
            fixture.body(false, &[(moved(cube(0.2), place(k)), 0.0)], None);
        }
        fixture.body(true, &[(cube(1.0), 0.0)], None);
        let scene = fixture.scene(0.0);
        let mut octree = Octree::new(&scene, &CubeFineness::default(), &Prebuilt::default());
        let mut snapshot = at(&scene, [-0.98, 0.1, 0.2, 0.3, 0.2, 0.1]);
        let mut work = Work::default();
        let found = octree.touching(&mut snapshot, false, &mut work);
        assert_eq!(found.len(), 1);
        (work, octree.cubes_seen())
    };
    let ((few, few_cubes), (many, many_cubes)) = (counts(2), counts(200));
    assert!(few.triangle_tests > 0 && few.cell_tests > 100);
    assert_eq!(many.triangle_tests, few.triangle_tests);
    // Large cubes between here and there may be mixed that were white.
    assert!(many_cubes <= few_cubes + 8, "{few_cubes}, {many_cubes}");
    assert!(many.cell_tests <= few.cell_tests + 8, "{few:?}, {many:?}");
}
