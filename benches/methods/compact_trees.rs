//! Greedy against compact trees, and what range, tolerance, carried bounds and kept centres do to
//! the cost of distance queries.

use clearance::run::least_possible;
use clearance_formats::mesh::load;
use clearance_methods::backends::DistanceRange;
use clearance_methods::backends::balls::{PlacedBalls, QueryOptions, QueryTally, distance};
use clearance_methods::balls::{BallLeaves, BallTree, Combine};
use clearance_proof::bvh::SphereTree;
use clearance_proof::check::Snapshot;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::pose::Pose;
use clearance_proof::geometry::random::Random;
use clearance_proof::model::Segment;
use nalgebra::{Rotation3, Vector3};

use crate::common::kitchen::slab;
use crate::common::scenes::{arm_over, joined};
use crate::common::{Workload, milliseconds, ours};

mod kitchen;

/// No limit.
const EVERYTHING: DistanceRange = DistanceRange {
    min: 0.0,
    max: f64::INFINITY,
    tolerance: 0.0,
};
/// A time is the shortest of so many.
const RUNS: usize = 2;

/// All tables of this source, as Markdown.
pub fn table() -> Result<String, Box<dyn std::error::Error>> {
    let mut out = String::new();
    levels(&mut out)?;
    cubes(&mut out)?;
    let workload = arm_over(&crate::common::kitchen::kitchen());
    let scene = workload.scene_at(0.0);
    kitchen::Cell::new(&workload, &scene)?.tables(&mut out)?;
    self_queries(&mut out)?;
    Ok(out)
}

/// The least distance of configurations with and without the tables of the three-step search.
fn self_queries(out: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    const STATIONS: usize = 500;
    let workload = Workload::file(ours("robots/arm6/cell.toml"))?;
    let all = workload.scene();
    let robot = |body: usize| all.cell.bodies[body].joint.is_some();
    let kinds: [(&str, bool); 2] = [
        ("the arm with itself and what it carries", true),
        ("all pairs of the cell", false),
    ];
    let (made_ms, least) =
        milliseconds(|| least_possible(&workload.prepared, workload.settings.clearance));
    heading(
        out,
        &format!(
            "Tables of which pairs can come how near within the limits of the joints (`clearance distance --tables`): `arm6` in its cell, \
             {STATIONS} random configurations within the limits; made in {made_ms:.0} ms."
        ),
        &[
            "pairs",
            "of them known never to be within their threshold",
            "pairs measured a query, without",
            "with",
            "µs, without",
            "with",
        ],
    );
    for (name, own) in kinds {
        let keep = |pair: usize| {
            let what = &all.pairs[pair];
            !own || [what.a, what.b].into_iter().all(robot)
        };
        let scene = all.only(keep);
        let known: Vec<f64> = (0..all.pairs.len())
            .filter(|&pair| keep(pair))
            .map(|pair| least[pair].unwrap_or(0.0))
            .collect();
        let mut cost = [(0usize, f64::INFINITY); 2];
        for (k, known) in [&[][..], &known[..]].into_iter().enumerate() {
            for _ in 0..RUNS {
                let mut random = Random(5);
                let mut measured = 0;
                let (ms, ()) = milliseconds(|| {
                    for _ in 0..STATIONS {
                        let joints = all.cell.joints.iter().map(|joint| {
                            let (low, high) = joint.limits.position.unwrap_or((-3.0, 3.0));
                            [low + (high - low) * random.unit(), 0.0, 0.0, 0.0, 0.0, 0.0]
                        });
                        let segment = Segment::new(0.0, 1.0, joints);
                        let mut snapshot = Snapshot::default();
                        snapshot.set(&scene, &segment, 0.0);
                        measured += scene.at_instant(&mut snapshot, known).measured;
                    }
                });
                cost[k] = (measured, cost[k].1.min(ms));
            }
        }
        let each = |measured: usize| format!("{:.2}", measured as f64 / STATIONS as f64);
        let micros = |ms: f64| format!("{:.1}", 1e3 * ms / STATIONS as f64);
        row(
            out,
            &[
                format!("{name}: {}", scene.pairs.len()),
                known.iter().filter(|&&d| d > 0.0).count().to_string(),
                each(cost[0].0),
                each(cost[1].0),
                micros(cost[0].1),
                micros(cost[1].1),
            ],
        );
    }
    Ok(())
}

fn heading(out: &mut String, caption: &str, columns: &[&str]) {
    let gap = if out.is_empty() { "" } else { "\n" };
    let line = "---|".repeat(columns.len());
    *out += &format!("{gap}{caption}\n\n| {} |\n|{line}\n", columns.join(" | "));
}

fn row(out: &mut String, cells: &[String]) {
    *out += &format!("| {} |\n", cells.join(" | "));
}

/// The L of Figure 4 about compact sphere trees: legs of 1 m, a third as thick.
fn l_shape() -> Mesh {
    let third = 1.0 / 3.0;
    joined(&[
        slab([0.0, 0.0, 0.0], [1.0, third, third], f64::INFINITY),
        slab([0.0, third, 0.0], [third, 1.0, third], f64::INFINITY),
    ])
}

fn levels(out: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let arm = load(&ours("robots/arm6/meshes/link_2.stl"), Vector3::repeat(1.0));
    let arm = arm.map_err(|e| e.to_string())?.mesh;
    let tiled = BallLeaves::Tiled { radius: 0.04 };
    let shapes = [
        (
            "an L of 1 m, 24 triangles, tiled by leaf spheres of 40 mm at most (the paper's Figure 4)",
            l_shape(),
            tiled,
        ),
        (
            "link 2 of `arm6`, 1,408 triangles, a leaf each",
            arm,
            BallLeaves::Whole,
        ),
    ];
    for (name, mesh, leaves) in shapes {
        let name = name.replace("1,408", &thousands(mesh.triangles.len()));
        let shape = SphereTree::new(&mesh, 0.0);
        let [compact, greedy] =
            [Combine::Compact, Combine::Greedy].map(|c| BallTree::new(&shape, c, leaves));
        let (compact, greedy) = (compact?.levels(), greedy?.levels());
        let caption = format!("Mean radius per level: {name}.");
        heading(
            out,
            &caption,
            &[
                "level",
                "spheres",
                "compact, mm",
                "greedy, mm",
                "greedy / compact",
                "volume ×",
            ],
        );
        for (depth, (c, g)) in compact.iter().zip(&greedy).enumerate() {
            let times = g.mean_radius / c.mean_radius;
            row(
                out,
                &[
                    format!("{}", depth + 1),
                    format!("{}", c.nodes),
                    format!("{:.2}", c.mean_radius * 1e3),
                    format!("{:.2}", g.mean_radius * 1e3),
                    format!("{times:.3}"),
                    format!("{:.2}", times.powi(3)),
                ],
            );
        }
    }
    Ok(())
}

fn thousands(n: usize) -> String {
    if n < 1000 {
        n.to_string()
    } else {
        format!("{},{:03}", n / 1000, n % 1000)
    }
}

/// The paper's Figure 9(a): two cubes turned at random, at given distances.
fn cubes(out: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    const CASES: usize = 60;
    let shape = SphereTree::new(&slab([-0.05; 3], [0.05; 3], 0.005), 0.0);
    let trees =
        [Combine::Compact, Combine::Greedy].map(|c| BallTree::new(&shape, c, BallLeaves::Whole));
    let [compact, greedy] = trees;
    let (compact, greedy) = (compact?, greedy?);
    let caption = format!(
        "Two cubes of 100 mm ({} triangles each), a query; mean of {CASES} random turns.",
        thousands(shape.triangles.len())
    );
    let columns = [
        "distance, mm",
        "α",
        "sphere tests, compact",
        "greedy",
        "more for greedy",
        "triangle tests, compact",
        "greedy",
        "more time for greedy",
    ];
    heading(out, &caption, &columns);
    let ask =
        |tree: &BallTree, poses: &[Pose; 2], options: &QueryOptions, tally: &mut QueryTally| {
            let [a, b] = placed(tree, poses);
            distance(a, b, EVERYTHING, options, tally)
        };
    let nearer = |poses: &[Pose; 2], gap: f64| {
        let [a, b] = placed(&compact, poses);
        let range = DistanceRange {
            min: gap,
            max: gap,
            tolerance: 0.0,
        };
        let options = QueryOptions::default();
        distance(a, b, range, &options, &mut QueryTally::default()).at_least < gap
    };
    for gap in [0.5, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0001] {
        let mut random = Random(7);
        let turn =
            |random: &mut Random| *Rotation3::from_scaled_axis(random.vector() * 3.0).matrix();
        let cases: Vec<[Pose; 2]> = (0..CASES)
            .map(|_| {
                let still = Pose {
                    rotation: turn(&mut random),
                    translation: Vector3::zeros(),
                };
                let (rotation, direction) = (turn(&mut random), random.vector().normalize());
                let at = |far: f64| Pose {
                    rotation,
                    translation: direction * far,
                };
                // Farther along the direction is farther apart.
                let (mut near, mut far) = (0.0, 2.0);
                for _ in 0..50 {
                    let middle = 0.5 * (near + far);
                    if nearer(&[at(middle), still], gap) {
                        near = middle
                    } else {
                        far = middle
                    }
                }
                [at(far), still]
            })
            .collect();
        for tolerance in [0.0, 0.3] {
            let options = QueryOptions {
                tolerance,
                ..QueryOptions::default()
            };
            let cost = |tree: &BallTree| {
                let (mut best, mut tally) = (f64::INFINITY, QueryTally::default());
                for _ in 0..RUNS {
                    tally = QueryTally::default();
                    let once = || {
                        cases.iter().for_each(|c| {
                            ask(tree, c, &options, &mut tally);
                        })
                    };
                    best = best.min(milliseconds(once).0);
                }
                (best, tally)
            };
            let ((ms_c, c), (ms_g, g)) = (cost(&compact), cost(&greedy));
            let each = |n: u64| format!("{:.0}", n as f64 / CASES as f64);
            let more = |g: f64, c: f64| format!("{:+.0} %", 100.0 * (g / c - 1.0));
            row(
                out,
                &[
                    format!("{}", gap * 1e3),
                    format!("{tolerance}"),
                    each(c.sphere_tests),
                    each(g.sphere_tests),
                    more(g.sphere_tests as f64, c.sphere_tests as f64),
                    each(c.triangle_tests),
                    each(g.triangle_tests),
                    more(ms_g, ms_c),
                ],
            );
        }
    }
    Ok(())
}

/// A tree at two places.
fn placed<'t>(tree: &'t BallTree, poses: &[Pose; 2]) -> [PlacedBalls<'t>; 2] {
    poses.map(|pose| PlacedBalls {
        tree,
        pose,
        radius: 0.0,
    })
}
