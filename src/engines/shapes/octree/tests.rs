use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Rotation3, Unit, Vector3};

use super::*;
use crate::geometry::mesh::Mesh;
use crate::geometry::primitive::{box_mesh, capsule_core, sphere_core};
use crate::geometry::random::Random;
use crate::geometry::triangle::{distance_point_triangle, distance_triangle_triangle};
use crate::model::{
    Allowance, AllowedBy, Body, Cell, Form, Joint, JointKind, Limits, PairThreshold, Role, Segment,
    Shape as ModelShape,
};
use crate::motion::Pose;
use crate::pairs::table;
use crate::spheres::{SphereTree, build};

/// Six joints: a body that they carry stands anywhere.
const JOINTS: usize = 6;

/// Shapes with their roundings; what stands and what moves.
#[derive(Default)]
struct Bench {
    cell: Cell,
    trees: Vec<Vec<Arc<SphereTree>>>,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Bench::default();
        for k in 0..JOINTS {
            bench.cell.joints.push(Joint {
                name: format!("joint{k}"),
                robot: 0,
                parent: k.checked_sub(1),
                parent_from_joint: Isometry3::identity(),
                axis: Unit::new_normalize(Vector3::from_fn(|i, _| f64::from(u8::from(i == k % 3)))),
                kind: if k < 3 {
                    JointKind::Prismatic
                } else {
                    JointKind::Revolute
                },
                limits: Limits::default(),
                mimic: None,
            });
        }
        bench
    }

    fn body(&mut self, moves: bool, shapes: &[(Mesh, f64)], solid: Option<bool>) -> usize {
        let id = self.cell.bodies.len();
        let trees = shapes
            .iter()
            .map(|(mesh, rounding)| Arc::new(build(mesh, *rounding)));
        self.trees.push(trees.collect());
        let shapes = shapes.iter().map(|(mesh, _)| ModelShape {
            name: String::new(),
            body_from_shape: Isometry3::identity(),
            form: Form::Mesh {
                mesh: Arc::new(mesh.clone()),
                file: "mesh.stl".into(),
            },
            solid,
            scaled: false,
        });
        self.cell.bodies.push(Body {
            name: format!("body{id}"),
            role: if moves {
                Role::Attached
            } else {
                Role::Obstacle
            },
            joint: moves.then_some(JOINTS - 1),
            joint_from_body: Isometry3::identity(),
            parent: None,
            shapes: shapes.collect(),
        });
        id
    }

    fn scene(&self, clearance: f64) -> Scene<'_> {
        Scene::new(&self.cell, &self.trees, &table(&self.cell), clearance)
    }
}

/// The moving bodies at joint values.
fn at(scene: &Scene, q: [f64; JOINTS]) -> Moment {
    let mut moment = Moment::default();
    let segment = Segment {
        start: 0.0,
        end: 1.0,
        joints: q.map(|q| [q, 0.0, 0.0, 0.0, 0.0, 0.0]).to_vec(),
    };
    moment.set(scene, &segment, 0.0);
    moment
}

fn moved(mut mesh: Mesh, by: Vector3<f64>) -> Mesh {
    mesh.vertices.iter_mut().for_each(|v| *v += by);
    mesh
}

fn reversed(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

fn together(parts: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for part in parts {
        let n = all.vertices.len() as u32;
        all.vertices.extend(&part.vertices);
        all.triangles
            .extend(part.triangles.iter().map(|t| t.map(|v| v + n)));
    }
    all
}

fn cube(edge: f64) -> Mesh {
    box_mesh(&Vector3::repeat(edge))
}

/// A closed piece: a box, an octahedron, a tetrahedron, or a dented box, about `size` large.
fn piece(r: &mut Random, size: f64, whole: bool) -> Mesh {
    let mut mesh = match r.below(4) {
        0 => cube(2.0),
        1 => Mesh {
            vertices: [
                [1, 0, 0],
                [0, 1, 0],
                [0, 0, 1],
                [-1, 0, 0],
                [0, -1, 0],
                [0, 0, -1],
            ]
            .map(|v: [i8; 3]| Point3::from(v.map(f64::from)))
            .to_vec(),
            triangles: vec![
                [0, 1, 2],
                [1, 3, 2],
                [3, 4, 2],
                [4, 0, 2],
                [1, 0, 5],
                [3, 1, 5],
                [4, 3, 5],
                [0, 4, 5],
            ],
        },
        2 => Mesh {
            vertices: [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
                .map(|v: [i8; 3]| Point3::from(v.map(f64::from)))
                .to_vec(),
            triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]],
        },
        _ => {
            // One corner of a box pushed in: not convex.
            let mut mesh = cube(2.0);
            mesh.vertices[7] = Point3::new(-0.5, -0.5, -0.5);
            mesh
        }
    };
    let shape = if whole {
        Vector3::from_fn(|_, _| r.within(1, 3) as f64)
    } else {
        let turn = Rotation3::from_scaled_axis(r.vector() * 3.0);
        mesh.vertices.iter_mut().for_each(|v| *v = turn * *v);
        Vector3::from_fn(|_, _| 0.2 + r.unit())
    };
    mesh = mesh.scaled(shape * size);
    match r.below(4) {
        0 => reversed(mesh),
        1 => mesh.scaled(Vector3::new(-1.0, 1.0, 1.0)),
        _ => mesh,
    }
}

/// Closed pieces beside, across and in each other; hollows among them.
fn closed(r: &mut Random, size: f64, whole: bool) -> Mesh {
    let first = piece(r, size, whole);
    let mut parts = vec![first.clone()];
    match r.below(4) {
        0 => parts.push(reversed(first.scaled(Vector3::repeat(0.5)))),
        1 => parts.push(first.scaled(Vector3::repeat(0.5))),
        2 => {
            let by = Vector3::from_fn(|_, _| r.within(-2, 2) as f64) * size;
            parts.push(moved(piece(r, size, whole), by));
        }
        _ => {}
    }
    together(&parts)
}

/// Closed meshes mostly, balls, capsules, and loose triangles.
fn shape(r: &mut Random, size: f64, whole: bool) -> (Mesh, f64) {
    match r.below(10) {
        0 => (sphere_core(), size),
        1 => (capsule_core(2.0 * size), 0.5 * size),
        2 => {
            let mut soup = Mesh::default();
            for i in 0..3 {
                soup.vertices.extend((0..3).map(|_| r.point() * size));
                soup.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
            }
            (soup, 0.0)
        }
        3 => (closed(r, 0.05 * size, false), 0.0),
        _ => (closed(r, size, whole), 0.0),
    }
}

fn standing(mesh: &Mesh, rounding: f64, slot: usize, at: &Isometry3<f64>) -> Placed {
    let tree = build(mesh, rounding);
    let placed = at * nalgebra::Translation3::from(tree.origin.coords);
    Placed {
        tree: Arc::new(tree),
        pose: Pose::from(&placed),
        solid: None,
        slot,
    }
}

/// A few shapes at random places.
fn solids(r: &mut Random, whole: bool) -> Vec<Placed> {
    (0..1 + r.below(4))
        .map(|slot| {
            let (mesh, rounding) = shape(r, 1.0, whole);
            let turn = if whole {
                Vector3::zeros()
            } else {
                r.vector() * 3.0
            };
            let place = Vector3::from_fn(|_, _| r.within(-4, 4) as f64);
            standing(&mesh, rounding, slot, &Isometry3::new(place, turn))
        })
        .collect()
}

#[test]
fn octrees_tell_the_truth_about_every_cube() {
    let mut r = Random(61);
    let mut colours = [0; 3];
    for round in 0..60 {
        let solids = solids(&mut r, round % 2 == 0);
        let fineness = Fineness {
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

#[test]
fn cubes_and_rays_agree_on_what_is_inside() {
    let mut r = Random(62);
    let mut seen = [0; 2];
    for round in 0..120 {
        let whole = round % 2 == 0;
        let solids: Vec<Placed> = solids(&mut r, whole)
            .into_iter()
            .filter(|s| s.tree.rounding == 0.0)
            .collect();
        if solids.is_empty() {
            continue;
        }
        // Few cubes leave much to the rays through them.
        let fineness = Fineness {
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
            let off = |face: &[Point3<f64>; 3]| distance_point_triangle(&p, face).distance > 1e-9;
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

/// Distance of a pair: all triangles against all, 0 where one body is in the other.
fn exact(scene: &Scene, pair: usize, moment: &mut Moment) -> f64 {
    if is_contained(scene, pair, moment) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for p in &scene.part_pairs[scene.part_pairs_of(pair)] {
        let placed = [p.a, p.b].map(|part| {
            let pose = moment.part(scene, part).pose;
            let tree = &scene.parts[part].tree;
            let place = |v: Point3<f64>| Point3::from(pose.apply(&(v - tree.origin)));
            (0..tree.triangles.len())
                .map(|t| tree.corners(t).map(place))
                .collect::<Vec<_>>()
        });
        for a in &placed[0] {
            for b in &placed[1] {
                least = least.min(distance_triangle_triangle(a, b).distance - p.rounding);
            }
        }
    }
    least.max(0.0)
}

/// Obstacles and one or two moving bodies.
fn random_bench(r: &mut Random, whole: bool) -> Bench {
    let mut bench = Bench::new();
    for _ in 0..1 + r.below(4) {
        let shapes: Vec<_> = (0..1 + r.below(2))
            .map(|_| {
                let (mesh, rounding) = shape(r, 1.0, whole);
                let place = Vector3::from_fn(|_, _| r.within(-4, 4) as f64);
                (moved(mesh, place), rounding)
            })
            .collect();
        bench.body(false, &shapes, None);
    }
    let size = [0.1, 1.0, 3.0][r.below(3)];
    let shapes: Vec<_> = (0..1 + r.below(2)).map(|_| shape(r, size, whole)).collect();
    bench.body(true, &shapes, None);
    bench
}

fn anywhere(r: &mut Random, whole: bool) -> [f64; JOINTS] {
    std::array::from_fn(|k| match (k < 3, whole) {
        (true, true) => r.within(-8, 8) as f64 / 2.0,
        (true, false) => 5.0 * r.signed(),
        (false, true) => 0.0,
        (false, false) => 3.0 * r.signed(),
    })
}

fn fineness(r: &mut Random) -> Fineness {
    Fineness {
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
        let bench = random_bench(&mut r, whole);
        let clearance = [0.0, 0.05, 0.5][r.below(3)];
        let scene = bench.scene(clearance);
        let mut octree = Octree::new(&scene, &fineness(&mut r));
        for _ in 0..20 {
            let mut moment = at(&scene, anywhere(&mut r, whole));
            let mut work = Work::default();
            let found = octree.touching(&mut moment, false, &mut work);
            let first = octree.touching(&mut moment, true, &mut work);
            assert_eq!(first.is_empty(), found.is_empty(), "round {round}");
            for pair in 0..scene.pairs.len() {
                assert!(octree.by_cubes(pair));
                let exact = exact(&scene, pair, &mut moment);
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
                let inside = is_contained(&scene, pair, &mut moment);
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

/// Ten thousand questions. Catches a bound of white cubes that is too high, and one that forgets what lies inside.
#[test]
fn apart_is_never_more_than_the_distance() {
    let mut r = Random(64);
    let mut seen = [0; 3];
    for round in 0..250 {
        let whole = round % 3 == 0;
        let bench = random_bench(&mut r, whole);
        let scene = bench.scene(0.0);
        let mut octree = Octree::new(&scene, &fineness(&mut r));
        for _ in 0..16 {
            let mut moment = at(&scene, anywhere(&mut r, whole));
            for pair in 0..scene.pairs.len() {
                let exact = exact(&scene, pair, &mut moment);
                for max in [f64::INFINITY, r.unit(), 5.0 * r.unit()] {
                    let range = Range { min: 0.0, max };
                    let found = octree.apart(pair, &mut moment, range, &mut Work::default());
                    assert!(found <= exact, "round {round}: {found:?}, {exact}");
                    let enough = exact.min(max) - 1e-9;
                    assert!(found >= enough, "round {round}: {found:?}, {exact}, {max}");
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
    let mut bench = Bench::new();
    for x in [0.0, 3.0, 6.0] {
        bench.body(false, &[(moved(cube(1.0), Vector3::x() * x), 0.0)], None);
    }
    for y in [0.0, 3.0] {
        bench.body(true, &[(moved(cube(1.0), Vector3::y() * y), 0.0)], None);
    }
    // Rigid to each other; the first may touch the first obstacle, the second keeps its distance from the last one.
    bench.cell.allowed.push(Allowance {
        a: "body0".into(),
        b: "body3".into(),
        reason: String::new(),
        by: AllowedBy::Cell,
    });
    bench.cell.thresholds.push(PairThreshold {
        a: "body2".into(),
        b: "body4".into(),
        clearance: 0.5,
        warn: None,
    });
    let scene = bench.scene(0.0);
    let mut octree = Octree::new(&scene, &Fineness::default());
    assert_eq!(octree.cubes().count(), 3);
    let mut touching = |q: [f64; 3]| {
        let mut moment = at(&scene, [q[0], q[1], q[2], 0.0, 0.0, 0.0]);
        let found = octree.touching(&mut moment, false, &mut Work::default());
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
fn open_meshes_are_surfaces_unless_the_cell_says_otherwise() {
    let mut open = cube(2.0);
    open.triangles.truncate(11);
    for (solid, contained, by_cubes) in [
        (None, false, true),
        (Some(true), true, false),
        (Some(false), false, true),
    ] {
        let mut bench = Bench::new();
        bench.body(false, &[(open.clone(), 0.0)], solid);
        bench.body(true, &[(cube(0.1), 0.0)], None);
        let scene = bench.scene(0.0);
        let mut octree = Octree::new(&scene, &Fineness::default());
        assert_eq!(octree.by_cubes(0), by_cubes);
        let mut moment = at(&scene, [0.0; JOINTS]);
        let found = octree.touching(&mut moment, false, &mut Work::default());
        assert_eq!(!found.is_empty(), contained);
        // Its surface is there in any case.
        let mut moment = at(&scene, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(
            octree
                .touching(&mut moment, true, &mut Work::default())
                .len(),
            1
        );
    }
}

/// The method's claim: what is far away costs nothing.
#[test]
fn work_does_not_grow_with_obstacles_elsewhere() {
    let counts = |others: usize| {
        let mut bench = Bench::new();
        let place = |k: usize| {
            Vector3::new(
                8.0,
                (k % 32) as f64 * 0.4 - 6.4,
                (k / 32) as f64 * 0.4 - 6.4,
            )
        };
        bench.body(false, &[(moved(cube(1.0), Vector3::x() * -2.0), 0.0)], None);
        // The outermost two always stand there, so that the root cube is the same.
        for k in [0, 1023].into_iter().chain((0..others).map(|k| 40 + k)) {
            bench.body(false, &[(moved(cube(0.2), place(k)), 0.0)], None);
        }
        bench.body(true, &[(cube(1.0), 0.0)], None);
        let scene = bench.scene(0.0);
        let mut octree = Octree::new(&scene, &Fineness::default());
        let mut moment = at(&scene, [-0.98, 0.1, 0.2, 0.3, 0.2, 0.1]);
        let mut work = Work::default();
        let found = octree.touching(&mut moment, false, &mut work);
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
