//! Source 3: greedy against compact trees, and what range, tolerance, carried bounds and kept centres do to the cost of
//! distance queries.

use clearance::engines::Moment;
use clearance::engines::scene::Scene;
use clearance::engines::shapes::Range;
use clearance::engines::shapes::balls::{Balls, Least, Placed, QueryOptions, Tally, distance};
use clearance::geometry::mesh::Mesh;
use clearance::import::mesh::load;
use clearance::model::Segment;
use clearance::motion::Pose;
use clearance::spheres::balls::{BallTree, Combine, Leaves};
use clearance::spheres::build;
use nalgebra::{Rotation3, Vector3};

use crate::common::kitchen::{kitchen, slab};
use crate::common::random::Random;
use crate::common::scenes::{arm_over, joined};
use crate::common::{Workload, milliseconds, ours};

/// No limit.
const EVERYTHING: Range = Range {
    min: 0.0,
    max: f64::INFINITY,
};
/// What counts as near.
const NEAR: Range = Range {
    min: 1e-4,
    max: 0.010,
};
/// Configurations of the arm that a row asks about.
const STATIONS: usize = 20;
/// A time is the shortest of so many.
const RUNS: usize = 2;

/// All tables of this source, as Markdown.
pub fn table() -> Result<String, String> {
    let mut out = String::new();
    levels(&mut out)?;
    cubes(&mut out)?;
    let workload = arm_over(&kitchen());
    let scene = workload.scene_at(0.0);
    Cell::new(&workload, &scene)?.tables(&mut out)?;
    Ok(out)
}

fn heading(out: &mut String, caption: &str, columns: &[&str]) {
    let gap = if out.is_empty() { "" } else { "\n" };
    let line = "---|".repeat(columns.len());
    *out += &format!("{gap}{caption}\n\n| {} |\n|{line}\n", columns.join(" | "));
}

fn row(out: &mut String, cells: &[String]) {
    *out += &format!("| {} |\n", cells.join(" | "));
}

/// The L of source 3's Figure 4: legs of 1 m, a third as thick.
fn l_shape() -> Mesh {
    let third = 1.0 / 3.0;
    joined(&[
        slab([0.0, 0.0, 0.0], [1.0, third, third], f64::INFINITY),
        slab([0.0, third, 0.0], [third, 1.0, third], f64::INFINITY),
    ])
}

fn levels(out: &mut String) -> Result<(), String> {
    let arm = load(&ours("robots/arm6/meshes/link_2.stl"), Vector3::repeat(1.0));
    let arm = arm.map_err(|e| e.to_string())?.mesh;
    let tiled = Leaves::Tiled { radius: 0.04 };
    let shapes = [
        (
            "an L of 1 m, 24 triangles, tiled by leaf spheres of 40 mm at most (source 3's Figure 4)",
            l_shape(),
            tiled,
        ),
        (
            "link 2 of `arm6`, 1,408 triangles, a leaf each",
            arm,
            Leaves::Whole,
        ),
    ];
    for (name, mesh, leaves) in shapes {
        let name = name.replace("1,408", &thousands(mesh.triangles.len()));
        let shape = build(&mesh, 0.0);
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

/// Source 3's Figure 9(a): two cubes turned at random, at given distances.
fn cubes(out: &mut String) -> Result<(), String> {
    const CASES: usize = 60;
    let shape = build(&slab([-0.05; 3], [0.05; 3], 0.005), 0.0);
    let trees =
        [Combine::Compact, Combine::Greedy].map(|c| BallTree::new(&shape, c, Leaves::Whole));
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
    let ask = |tree: &BallTree, poses: &[Pose; 2], options: &QueryOptions, tally: &mut Tally| {
        let [a, b] = poses.map(|pose| Placed {
            tree,
            pose,
            rounding: 0.0,
        });
        distance(a, b, EVERYTHING, options, tally)
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
                    let found = ask(
                        &compact,
                        &[at(middle), still],
                        &QueryOptions::default(),
                        &mut Tally::default(),
                    );
                    if found.at_least < gap {
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
                let (mut best, mut tally) = (f64::INFINITY, Tally::default());
                for _ in 0..RUNS {
                    tally = Tally::default();
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

/// The arm in the kitchen.
struct Cell<'s> {
    scene: &'s Scene<'s>,
    compact: Balls<'s>,
    free: Vec<Segment>,
    near: Vec<Segment>,
    /// Pairs of parts: of the arm with the kitchen, of the arm with itself.
    outside: Vec<usize>,
    within: Vec<usize>,
    triangles: [usize; 2],
}

/// Means over queries.
struct Cost {
    tally: Tally,
    ms: f64,
    answers: Vec<Least>,
}

impl<'s> Cell<'s> {
    fn new(workload: &Workload, scene: &'s Scene<'s>) -> Result<Self, String> {
        let compact = Balls::new(scene, Combine::Compact, Leaves::Whole)?;
        let moves = |part: usize| !scene.chains.of(scene.parts[part].joint).is_empty();
        let moving = |index: &usize| {
            let pair = &scene.part_pairs[*index];
            moves(pair.a) || moves(pair.b)
        };
        let robot = |part: usize| {
            scene.cell.bodies[scene.parts[part].body]
                .name
                .starts_with("ground_")
        };
        let (outside, within) = (0..scene.part_pairs.len())
            .filter(moving)
            .partition(|&index| {
                let pair = &scene.part_pairs[index];
                robot(pair.a) || robot(pair.b)
            });
        let count = |kitchen: bool| {
            let parts = (0..scene.parts.len()).filter(|&p| robot(p) == kitchen);
            parts.map(|p| scene.parts[p].tree.triangles.len()).sum()
        };
        let mut cell = Cell {
            scene,
            compact,
            free: Vec::new(),
            near: Vec::new(),
            outside,
            within,
            triangles: [count(false), count(true)],
        };
        let mut random = Random(3);
        while cell.free.len() < STATIONS || cell.near.len() < STATIONS {
            let joints = workload.prepared.cell.joints.iter().map(|joint| {
                let (low, high) = joint.limits.position.unwrap_or((-3.0, 3.0));
                let q = low + (high - low) * random.unit();
                [q, 0.0, 0.0, 0.0, 0.0, 0.0]
            });
            let station = Segment {
                start: 0.0,
                end: 1.0,
                joints: joints.collect(),
            };
            let all = [&cell.outside[..], &cell.within].concat();
            let cost = cell.cost(&cell.compact, &all, std::slice::from_ref(&station), NEAR, 1);
            let apart = cost.answers[0].at_least;
            if apart > 0.001 && cell.free.len() < STATIONS {
                cell.free.push(station.clone());
            }
            if apart > NEAR.min && apart < NEAR.max && cell.near.len() < STATIONS {
                cell.near.push(station);
            }
        }
        Ok(cell)
    }

    /// Asks for the least distance over some pairs of parts in every configuration.
    fn cost(
        &self,
        balls: &Balls,
        pairs: &[usize],
        stations: &[Segment],
        range: Range,
        runs: usize,
    ) -> Cost {
        let mut moment = Moment::default();
        let mut cost = Cost {
            tally: Tally::default(),
            ms: f64::INFINITY,
            answers: Vec::new(),
        };
        for _ in 0..runs {
            let mut tally = Tally::default();
            let (ms, answers) = milliseconds(|| {
                let ask = |station: &Segment| {
                    moment.set(self.scene, station, 0.0);
                    balls.least(pairs.iter().copied(), &mut moment, range, &mut tally)
                };
                stations.iter().map(ask).collect()
            });
            cost = Cost {
                tally,
                ms: cost.ms.min(ms / stations.len() as f64),
                answers,
            };
        }
        cost
    }

    fn with(&self, options: QueryOptions) -> Balls<'s> {
        let mut balls = self.compact.clone();
        balls.options = options;
        balls
    }

    fn tables(&self, out: &mut String) -> Result<(), String> {
        let about = format!(
            "`arm6` ({} triangles) in a kitchen of {} triangles, {} pairs of parts between them and {} of the arm with \
             itself; {STATIONS} random configurations without contact, a query is one configuration",
            thousands(self.triangles[0]),
            thousands(self.triangles[1]),
            self.outside.len(),
            self.within.len()
        );
        self.trees(out, &about)?;
        self.ranges(out);
        self.tolerance(out);
        self.switches(out);
        Ok(())
    }

    fn trees(&self, out: &mut String, about: &str) -> Result<(), String> {
        let caption = format!("Trees: {about}.");
        let columns = [
            "tree",
            "leaves",
            "MB",
            "sphere tests",
            "triangle tests",
            "ms",
            "time ×",
        ];
        heading(out, &caption, &columns);
        let tiled = Leaves::Tiled { radius: 0.02 };
        let kinds = [
            ("compact, a leaf each triangle", self.compact.clone()),
            (
                "greedy, a leaf each triangle",
                Balls::new(self.scene, Combine::Greedy, Leaves::Whole)?,
            ),
            (
                "compact, tiled at 20 mm",
                Balls::new(self.scene, Combine::Compact, tiled)?,
            ),
            (
                "greedy, tiled at 20 mm",
                Balls::new(self.scene, Combine::Greedy, tiled)?,
            ),
            (
                "greedy, tiled at 1/16 of each part (`--shape greedy`)",
                Balls::greedy(self.scene, None)?,
            ),
        ];
        let mut first = None;
        for (name, balls) in kinds {
            let cost = self.cost(&balls, &self.outside, &self.free, EVERYTHING, RUNS);
            let leaves: usize = balls.trees().iter().map(|t| t.leaves()).sum();
            let memory: usize = balls.trees().iter().map(|t| t.memory_bytes()).sum();
            let base = *first.get_or_insert(cost.ms);
            row(
                out,
                &[
                    name.to_owned(),
                    format!("{leaves}"),
                    format!("{:.1}", memory as f64 / 1e6),
                    each(cost.tally.sphere_tests),
                    each(cost.tally.triangle_tests),
                    format!("{:.3}", cost.ms),
                    format!("{:.2}", cost.ms / base),
                ],
            );
        }
        Ok(())
    }

    /// Source 3's Figures 9(b) and 10(a).
    fn ranges(&self, out: &mut String) {
        let columns = ["max, mm", "sphere tests", "triangle tests", "ms", "time ×"];
        let sets = [
            ("The arm with itself", &self.within),
            ("The arm with the kitchen", &self.outside),
        ];
        for (name, pairs) in sets {
            let all = self.cost(&self.compact, pairs, &self.free, EVERYTHING, RUNS);
            let mut sorted: Vec<f64> = all.answers.iter().map(|a| a.at_least * 1e3).collect();
            sorted.sort_by(f64::total_cmp);
            let caption = format!(
                "{name}, search started at max; least distances are {:.0} to {:.0} mm, half of them below {:.0} mm.",
                sorted[0],
                sorted[sorted.len() - 1],
                sorted[sorted.len() / 2]
            );
            heading(out, &caption, &columns);
            for max in [f64::INFINITY, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001] {
                let range = Range { min: 0.0, max };
                let cost = self.cost(&self.compact, pairs, &self.free, range, RUNS);
                let label = if max.is_finite() {
                    format!("{}", max * 1e3)
                } else {
                    "none".to_owned()
                };
                cost.row(out, label, &all);
            }
        }
        let all = self.cost(&self.compact, &self.outside, &self.near, EVERYTHING, RUNS);
        let caption = format!(
            "The arm with the kitchen, search ended below min; {STATIONS} random configurations 0.1 to 10 mm from contact."
        );
        heading(
            out,
            &caption,
            &["min, mm", "sphere tests", "triangle tests", "ms", "time ×"],
        );
        for min in [0.0, 0.001, 0.005, 0.010, 0.020, 0.050] {
            let range = Range {
                min,
                max: f64::INFINITY,
            };
            let cost = self.cost(&self.compact, &self.outside, &self.near, range, RUNS);
            cost.row(out, format!("{}", min * 1e3), &all);
        }
    }

    /// Source 3's Figures 10(a) and 10(b).
    fn tolerance(&self, out: &mut String) {
        let sets = [
            ("The arm with itself", &self.within),
            ("The arm with the kitchen", &self.outside),
        ];
        for (name, pairs) in sets {
            let caption = format!("{name}, distance told too small by α at most.");
            let columns = [
                "α",
                "told / true, mean",
                "least",
                "sphere tests",
                "triangle tests",
                "ms",
                "time ×",
            ];
            heading(out, &caption, &columns);
            let exact = self.cost(&self.compact, pairs, &self.free, EVERYTHING, RUNS);
            for tolerance in [0.0, 0.05, 0.1, 0.2, 0.3, 0.5] {
                let balls = self.with(QueryOptions {
                    tolerance,
                    ..QueryOptions::default()
                });
                let cost = self.cost(&balls, pairs, &self.free, EVERYTHING, RUNS);
                let told = cost
                    .answers
                    .iter()
                    .zip(&exact.answers)
                    .map(|(x, y)| x.at_least / y.at_least);
                let (mut sum, mut least) = (0.0, f64::INFINITY);
                for share in told {
                    sum += share;
                    least = f64::min(least, share);
                }
                let label = format!(
                    "{tolerance} | {:.3} | {least:.3}",
                    sum / cost.answers.len() as f64
                );
                cost.row(out, label, &exact);
            }
        }
    }

    /// Carried bounds and kept centres.
    fn switches(&self, out: &mut String) {
        let plain = QueryOptions {
            carried: false,
            nearest_first: false,
            kept_centers: false,
            ..QueryOptions::default()
        };
        let carried = QueryOptions {
            carried: true,
            ..plain
        };
        let ordered = QueryOptions {
            nearest_first: true,
            ..carried
        };
        let kept = QueryOptions {
            kept_centers: true,
            ..ordered
        };
        heading(
            out,
            "The arm with the kitchen: one switch after the other.",
            &[
                "switched on",
                "transforms",
                "sphere tests",
                "triangle tests",
                "ms",
                "time ×",
                "× the row before",
            ],
        );
        let first = self.cost(
            &self.with(plain),
            &self.outside,
            &self.free,
            EVERYTHING,
            RUNS,
        );
        let mut before = first.ms;
        for (name, options) in [
            ("none: every pair on its own", plain),
            ("smallest distance carried into the next pair", carried),
            ("… nearest pair first", ordered),
            ("… centres kept", kept),
        ] {
            let cost = self.cost(
                &self.with(options),
                &self.outside,
                &self.free,
                EVERYTHING,
                RUNS,
            );
            row(
                out,
                &[
                    name.to_owned(),
                    each(cost.tally.transforms),
                    each(cost.tally.sphere_tests),
                    each(cost.tally.triangle_tests),
                    format!("{:.3}", cost.ms),
                    format!("{:.3}", cost.ms / first.ms),
                    format!("{:.3}", cost.ms / before),
                ],
            );
            before = cost.ms;
        }
        // The same without what every query does besides: placing the arm and ordering the pairs.
        let kept_only = QueryOptions {
            kept_centers: true,
            ..plain
        };
        heading(
            out,
            "Centres kept, where nothing else spares work.",
            &["centres", "transforms", "sphere tests", "ms", "time ×"],
        );
        for (name, options) in [("transformed each time", plain), ("kept", kept_only)] {
            let cost = self.cost(
                &self.with(options),
                &self.outside,
                &self.free,
                EVERYTHING,
                RUNS,
            );
            row(
                out,
                &[
                    name.to_owned(),
                    each(cost.tally.transforms),
                    each(cost.tally.sphere_tests),
                    format!("{:.3}", cost.ms),
                    format!("{:.3}", cost.ms / first.ms),
                ],
            );
        }
    }
}

impl Cost {
    fn row(&self, out: &mut String, label: String, base: &Cost) {
        row(
            out,
            &[
                label,
                each(self.tally.sphere_tests),
                each(self.tally.triangle_tests),
                format!("{:.3}", self.ms),
                format!("{:.3}", self.ms / base.ms),
            ],
        );
    }
}

/// Per configuration.
fn each(count: u64) -> String {
    format!("{:.1}", count as f64 / STATIONS as f64)
}
