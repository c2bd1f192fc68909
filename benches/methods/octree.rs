//! Noborio, Fukuda and Arimoto: what the octree costs against the distance of the obstacle, against
//! the number of obstacles, and against its own fineness.

use std::time::Instant;

use clearance::findings::Work;
use clearance_methods::backends::octree::{Colour, CubeFineness, Divided, Octree};
use clearance_methods::backends::{Backend, Prebuilt};
use clearance_proof::bvh::SphereTree;
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{
    Body, Cell, Form, Joint, JointKind, Limits, Role, Segment, Shape as Solid, Trajectory,
};
use clearance_proof::pairs::PairTable;
use nalgebra::{Isometry3, Point3, Vector3};

mod pieces;

use crate::common::scenes::{arm_over, balls, sweep};
use crate::common::{Workload, milliseconds, ours};

/// Instants of each segment that are looked at.
const INSTANTS: usize = 10;

/// All tables of this source, as Markdown.
pub fn table() -> Result<String, Box<dyn std::error::Error>> {
    let tables = [
        against_distance(),
        against_obstacles()?,
        pieces::against_pieces(),
        against_fineness()?,
        moving_solids()?,
        in_parallel()?,
    ];
    Ok(tables.join("\n"))
}

fn start(caption: &str, columns: &[&str]) -> String {
    let line = "---|".repeat(columns.len());
    format!("{caption}\n\n| {} |\n|{line}\n", columns.join(" | "))
}

fn row(out: &mut String, cells: &[String]) {
    *out += &format!("| {} |\n", cells.join(" | "));
}

/// Their ball of 100 faces, radius 50 mm.
fn ball() -> Mesh {
    const AROUND: u32 = 10;
    const RINGS: u32 = 5;
    let mut mesh = Mesh::default();
    let turn = |part: u32, of: u32| std::f64::consts::PI * f64::from(part) / f64::from(of);
    for ring in 1..=RINGS {
        for k in 0..AROUND {
            let (down, along) = (turn(ring, RINGS + 1), turn(2 * k, AROUND));
            let at = [
                down.sin() * along.cos(),
                down.sin() * along.sin(),
                down.cos(),
            ];
            mesh.vertices.push(Point3::from(at.map(|x| 0.05 * x)));
        }
    }
    let (top, bottom) = (AROUND * RINGS, AROUND * RINGS + 1);
    mesh.vertices
        .extend([0.05, -0.05].map(|z| Point3::new(0.0, 0.0, z)));
    for k in 0..AROUND {
        let next = (k + 1) % AROUND;
        mesh.triangles.push([top, k, next]);
        for ring in 0..RINGS - 1 {
            let (high, low) = (ring * AROUND, (ring + 1) * AROUND);
            mesh.triangles.push([high + k, low + k, low + next]);
            mesh.triangles.push([high + k, low + next, high + next]);
        }
        let low = (RINGS - 1) * AROUND;
        mesh.triangles.push([low + k, bottom, low + next]);
    }
    mesh
}

/// Their setting A: the ball slides along x towards a box, 511 … 711, 0 … 512, 0 … 512 mm.
fn setting_a() -> Cell {
    let mut cell = Cell::default();
    cell.joints.push(Joint {
        name: "slide".into(),
        robot: 0,
        parent: None,
        parent_from_joint: Isometry3::translation(0.0, 0.256, 0.256),
        axis: Vector3::x_axis(),
        kind: JointKind::Prismatic,
        limits: Limits::default(),
        mimic: None,
    });
    let size = Vector3::new(0.200, 0.512, 0.512);
    let place = Vector3::new(0.511, 0.0, 0.0) + size / 2.0;
    for (name, joint, at, mesh) in [
        ("ball", Some(0), Isometry3::identity(), ball()),
        (
            "box",
            None,
            Isometry3::translation(place.x, place.y, place.z),
            Mesh::cuboid(&size),
        ),
    ] {
        cell.bodies.push(Body {
            name: name.into(),
            role: if joint.is_some() {
                Role::Attached
            } else {
                Role::Obstacle
            },
            joint,
            joint_from_body: at,
            parent: None,
            shapes: vec![Solid {
                name: String::new(),
                body_from_shape: Isometry3::identity(),
                form: Form::Mesh {
                    mesh: mesh.into(),
                    file: "".into(),
                },
                solid: None,
                scale: None,
            }],
        });
    }
    cell
}

fn against_distance() -> String {
    const LEVELS: [i32; 3] = [5, 7, 9];
    let mut out = start(
        "Their setting A: a ball of 100 faces comes towards a box. Cubes looked into and comparisons with cubes, by level; \
         triangle pairs compared at level 7.",
        &[
            "distance mm",
            "cubes n = 5",
            "n = 7",
            "n = 9",
            "comparisons n = 5",
            "n = 7",
            "n = 9",
            "triangle pairs",
            "answer",
        ],
    );
    let cell = setting_a();
    let trees = trees_of(&cell);
    let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
    for gap in [
        400.0, 200.0, 100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, -1.0, -50.0, -150.0,
    ] {
        let segment = Segment::instant(&[0.511 - 0.05 - gap * 1e-3]);
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &segment, 0.0);
        let counts = LEVELS.map(|level| {
            let fineness = CubeFineness {
                edge: Some(0.5f64.powi(level)),
                ..CubeFineness::default()
            };
            let mut octree = Octree::new(&scene, &fineness, &Prebuilt::default());
            let mut work = Work::default();
            let found = octree.touching(&mut snapshot, true, &mut work);
            (octree.cubes_seen(), work, !found.is_empty())
        });
        let mut cells = vec![format!("{gap}")];
        cells.extend(counts.iter().map(|c| c.0.to_string()));
        cells.extend(counts.iter().map(|c| c.1.cell_tests.to_string()));
        cells.push(counts[1].1.triangle_tests.to_string());
        cells.push(if counts[1].2 { "interference" } else { "free" }.to_owned());
        row(&mut out, &cells);
    }
    out
}

/// The cost of a motion, on average over its instants.
#[derive(Default)]
struct Cost {
    instants: f64,
    cubes: f64,
    comparisons: f64,
    triangles: f64,
    ms: f64,
    touching: usize,
    /// Pairs of triangles without any structure.
    raw: f64,
}

impl Cost {
    fn of(scene: &Scene, trajectory: &Trajectory, octree: &mut Octree) -> Self {
        let mut cost = Cost::default();
        let mut snapshot = Snapshot::default();
        let triangles = |part: usize| scene.parts[part].tree.triangles.len() as f64;
        let by_cubes = scene.part_pairs.iter().filter(|p| octree.by_cubes(p.pair));
        cost.raw = by_cubes.map(|p| triangles(p.a) * triangles(p.b)).sum();
        let mut work = Work::default();
        for segment in &trajectory.segments {
            for k in 0..INSTANTS {
                snapshot.set(scene, segment, k as f64 / INSTANTS as f64);
                let (ms, found) = milliseconds(|| octree.touching(&mut snapshot, false, &mut work));
                cost.ms += ms;
                cost.instants += 1.0;
                let found = found.iter().filter(|touch| octree.by_cubes(touch.pair));
                cost.touching += usize::from(found.count() > 0);
            }
        }
        cost.cubes = octree.cubes_seen() as f64 / cost.instants;
        cost.comparisons = work.cell_tests as f64 / cost.instants;
        cost.triangles = work.triangle_tests as f64 / cost.instants;
        cost.ms /= cost.instants;
        cost
    }
}

fn against_obstacles() -> Result<String, Box<dyn std::error::Error>> {
    let mut out = start(
        "The arm of robots/arm6 sweeps 5 mm over a field of that many balls of 128 faces each, or of the same number 3 m away \
         (one ball stays). Each ball is a body. Averages an instant.",
        &[
            "balls",
            "triangle pairs without cubes",
            "cubes",
            "comparisons",
            "triangle pairs",
            "ms",
            "3 m away: cubes",
            "comparisons",
            "triangle pairs",
            "ms",
        ],
    );
    for count in [2, 8, 32, 128, 512, 2048] {
        let near = balls(count);
        let mut far = near.clone();
        for mesh in &mut far[1..] {
            mesh.vertices.iter_mut().for_each(|v| v.x += 3.0);
        }
        let mut cells = vec![count.to_string()];
        for field in [near, far] {
            let workload = arm_over(&field);
            let trajectory = sweep(&workload, 0.005, 1, 1);
            let scene = workload.scene();
            let mut octree = Octree::new(&scene, &fine(), &Prebuilt::default());
            let cost = Cost::of(&scene, &trajectory, &mut octree);
            if cells.len() == 1 {
                cells.push(format!("{:.0}", cost.raw));
            }
            cells.extend([cost.cubes, cost.comparisons, cost.triangles].map(|x| format!("{x:.0}")));
            cells.push(format!("{:.3}", cost.ms));
        }
        row(&mut out, &cells);
    }
    Ok(out)
}

fn trees_of(cell: &Cell) -> Vec<Vec<std::sync::Arc<clearance_proof::bvh::SphereTree>>> {
    let of = |shape: &Solid| match &shape.form {
        Form::Mesh { mesh, .. } => SphereTree::new(mesh, 0.0).into(),
        _ => SphereTree::new(&Mesh::default(), 0.0).into(),
    };
    let bodies = cell.bodies.iter();
    bodies.map(|b| b.shapes.iter().map(of).collect()).collect()
}

/// Of two bodies that move one divided into cubes, against the exact distance of their sphere
/// trees.
fn moving_solids() -> Result<String, Box<dyn std::error::Error>> {
    let mut out = start(
        "Moving solids against moving solids: robots/arm6, trajectories/arm6/folds_onto_itself.csv, all pairs.",
        &[
            "of two that move",
            "octrees",
            "kB",
            "built in ms",
            "cubes an instant",
            "comparisons",
            "sphere tests",
            "triangle pairs",
            "ms an instant",
        ],
    );
    let workload = Workload::file(ours("robots/arm6/cell.toml"))?;
    let scene = workload.scene();
    let trajectory = workload.trajectory(&ours("trajectories/arm6/folds_onto_itself.csv"))?;
    let mut verdicts = Vec::new();
    for (name, divided) in [
        ("their sphere trees", Divided::Standing),
        ("one is cubes (`--cubes all`)", Divided::All),
    ] {
        let start = Instant::now();
        let mut octree = Octree::of(
            &scene,
            &CubeFineness::default(),
            divided,
            &Prebuilt::default(),
        );
        let built = start.elapsed().as_secs_f64() * 1e3;
        let (mut work, mut instants, mut ms) = (Work::default(), 0.0, 0.0);
        let mut snapshot = Snapshot::default();
        let mut touched = Vec::new();
        for segment in &trajectory.segments {
            for k in 0..INSTANTS {
                snapshot.set(&scene, segment, k as f64 / INSTANTS as f64);
                let (took, found) =
                    milliseconds(|| octree.touching(&mut snapshot, false, &mut work));
                touched.push(found.iter().map(|t| t.pair).collect::<Vec<_>>());
                ms += took;
                instants += 1.0;
            }
        }
        verdicts.push(touched);
        let each = |count: u64| format!("{:.0}", count as f64 / instants);
        row(
            &mut out,
            &[
                name.to_owned(),
                octree.cubes().count().to_string(),
                format!("{:.0}", octree.memory_bytes() as f64 / 1e3),
                format!("{built:.1}"),
                each(octree.cubes_seen()),
                each(work.cell_tests),
                each(work.sphere_tests),
                each(work.triangle_tests),
                format!("{:.3}", ms / instants),
            ],
        );
    }
    if verdicts[0] == verdicts[1] {
        Ok(out)
    } else {
        Err("cubes and sphere trees find other pairs".into())
    }
}

/// The same walk on one thread and on two.
fn in_parallel() -> Result<String, Box<dyn std::error::Error>> {
    let mut out = start(
        "Bodies that go down the cubes at the same time: robots/arm6 in its own cell, trajectories/arm6/place_too_low.csv, cubes of 16 mm; and \
         81 balls before the wall. Wall clock.",
        &["threads", "arm6: ms an instant", "81 balls: ms"],
    );
    let workload = Workload::file(ours("robots/arm6/cell.toml"))?;
    let scene = workload.scene();
    let trajectory = workload.trajectory(&ours("trajectories/arm6/place_too_low.csv"))?;
    let cell = pieces::wall(81, 100);
    let trees = trees_of(&cell);
    let balls = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let (arm, wall) = pool.install(|| {
            let mut octree = Octree::new(&scene, &fine(), &Prebuilt::default());
            let arm = Cost::of(&scene, &trajectory, &mut octree).ms;
            let mut octree = Octree::new(&balls, &fine(), &Prebuilt::default());
            let mut snapshot = Snapshot::default();
            let segment = Segment::instant(&[0.511 - 0.05 + 1e-3]);
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                snapshot.set(&balls, &segment, 0.0);
                let (ms, _) =
                    milliseconds(|| octree.touching(&mut snapshot, false, &mut Work::default()));
                best = best.min(ms);
            }
            (arm, best)
        });
        row(
            &mut out,
            &[
                threads.to_string(),
                format!("{arm:.3}"),
                format!("{wall:.3}"),
            ],
        );
    }
    Ok(out)
}

/// Cubes of 16 mm.
fn fine() -> CubeFineness {
    CubeFineness {
        edge: Some(0.5f64.powi(6)),
        ..CubeFineness::default()
    }
}

fn against_fineness() -> Result<String, Box<dyn std::error::Error>> {
    let mut out = start(
        "robots/arm6 in its own cell, trajectories/arm6/place_too_low.csv, by the least edge of a cube.",
        &[
            "edge mm",
            "white",
            "mixed",
            "black",
            "kB",
            "built in ms",
            "cubes an instant",
            "comparisons",
            "triangle pairs",
            "ms",
            "instants in contact",
        ],
    );
    let workload = Workload::file(ours("robots/arm6/cell.toml"))?;
    let scene = workload.scene();
    let trajectory = workload.trajectory(&ours("trajectories/arm6/place_too_low.csv"))?;
    for level in [1, 2, 3, 4, 5, 6, 7] {
        let edge = 0.5f64.powi(level);
        let fineness = CubeFineness {
            edge: Some(edge),
            ..CubeFineness::default()
        };
        // Wall clock: cubes are divided in parallel.
        let start = Instant::now();
        let mut octree = Octree::new(&scene, &fineness, &Prebuilt::default());
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let mut colours = [0; 3];
        for cubes in octree.cubes() {
            for node in cubes.nodes.iter().filter(|n| n.children == 0) {
                colours[match cubes.colour(node) {
                    Colour::White => 0,
                    Colour::Mixed => 1,
                    Colour::Black => 2,
                }] += 1;
            }
        }
        let cost = Cost::of(&scene, &trajectory, &mut octree);
        let mut cells = vec![format!("{:.1}", edge * 1e3)];
        cells.extend(colours.map(|n: usize| n.to_string()));
        cells.push(format!("{:.0}", octree.memory_bytes() as f64 / 1e3));
        cells.push(format!("{ms:.1}"));
        cells.extend([cost.cubes, cost.comparisons, cost.triangles].map(|x| format!("{x:.0}")));
        cells.push(format!("{:.3}", cost.ms));
        cells.push(format!("{} of {:.0}", cost.touching, cost.instants));
        row(&mut out, &cells);
    }
    Ok(out)
}
