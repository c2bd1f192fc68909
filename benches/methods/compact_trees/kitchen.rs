//! Distance queries of an arm in a kitchen of about 170,000 triangles: which trees, which range,
//! which tolerance, which of the switches.

use clearance_methods::backends::balls::{BallLeast, Balls, QueryOptions, QueryTally};
use clearance_methods::backends::{DistanceRange, Prebuilt};
use clearance_methods::balls::{BallLeaves, Combine};
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::random::Random;
use clearance_proof::model::Segment;

use super::{EVERYTHING, RUNS, heading, row, thousands};
use crate::common::{Workload, milliseconds};

/// Distances that count as near, metres.
const NEAR: DistanceRange = DistanceRange {
    min: 1e-4,
    max: 0.010,
    tolerance: 0.0,
};
/// Configurations of the arm that a row asks about.
const STATIONS: usize = 20;
/// Leaves of the trees by which all but the first table are made.
const TILED: BallLeaves = BallLeaves::Tiled { radius: 0.02 };
/// The arm in the kitchen.
pub struct Cell<'s> {
    scene: &'s Scene<'s>,
    /// Compact and tiled: the best of the trees.
    compact: Balls<'s>,
    free: Vec<Segment>,
    near: Vec<Segment>,
    /// Pairs of parts: of the arm with the kitchen, of the arm with itself.
    outside: Vec<usize>,
    within: Vec<usize>,
    triangles: [usize; 2],
}

/// The arm at rest.
fn station(values: &[f64]) -> Segment {
    Segment {
        start: 0.0,
        end: 1.0,
        joints: values
            .iter()
            .map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0])
            .collect(),
        off: None,
    }
}

/// Means over queries.
struct Cost {
    queries: usize,
    tally: QueryTally,
    ms: f64,
    answers: Vec<BallLeast>,
}

impl<'s> Cell<'s> {
    /// Builds the trees and looks for configurations.
    pub fn new(
        workload: &Workload,
        scene: &'s Scene<'s>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let compact = Balls::new(scene, Combine::Compact, TILED)?;
        let moves = |part: usize| scene.parts[part].joint.is_some();
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
        let anywhere = |random: &mut Random| {
            let joints = workload.prepared.cell.joints.iter().map(|joint| {
                let (low, high) = joint.limits.position.unwrap_or((-3.0, 3.0));
                low + (high - low) * random.unit()
            });
            joints.collect::<Vec<f64>>()
        };
        let mut touching = Vec::new();
        let mut free = Vec::new();
        while free.len() < STATIONS || touching.len() < STATIONS {
            let values = anywhere(&mut random);
            let apart = cell.apart(&values);
            if apart > 0.001 && free.len() < STATIONS {
                cell.free.push(station(&values));
                free.push(values);
            } else if apart < NEAR.min && touching.len() < STATIONS {
                touching.push(values);
            }
        }
        // Near ones are rare: on the way from a free one to a contact there is one.
        for (mut far, mut hit) in free.into_iter().zip(touching) {
            for _ in 0..60 {
                let middle: Vec<f64> = far.iter().zip(&hit).map(|(p, q)| 0.5 * (p + q)).collect();
                let apart = cell.apart(&middle);
                if apart > NEAR.min && apart < NEAR.max {
                    cell.near.push(station(&middle));
                    break;
                }
                *(if apart >= NEAR.max {
                    &mut far
                } else {
                    &mut hit
                }) = middle;
            }
        }
        if cell.near.len() < STATIONS {
            return Err("no near configurations on the way to contacts".into());
        }
        Ok(cell)
    }

    /// About the least distance of all in a configuration: exact where it is near, metres.
    fn apart(&self, values: &[f64]) -> f64 {
        let all = [&self.outside[..], &self.within].concat();
        self.cost(&self.compact, &all, &[station(values)], NEAR, 1)
            .answers[0]
            .at_least
    }

    /// Asks for the least distance over some pairs of parts in every configuration.
    fn cost(
        &self,
        balls: &Balls,
        pairs: &[usize],
        stations: &[Segment],
        range: DistanceRange,
        runs: usize,
    ) -> Cost {
        let mut snapshot = Snapshot::default();
        let mut cost = Cost {
            queries: stations.len(),
            tally: QueryTally::default(),
            ms: f64::INFINITY,
            answers: Vec::new(),
        };
        for _ in 0..runs {
            let mut tally = QueryTally::default();
            let (ms, answers) = milliseconds(|| {
                let ask = |station: &Segment| {
                    snapshot.set(self.scene, station, 0.0);
                    balls.least(pairs.iter().copied(), &mut snapshot, range, &mut tally)
                };
                stations.iter().map(ask).collect()
            });
            cost = Cost {
                queries: stations.len(),
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

    /// All tables of this cell.
    pub fn tables(&self, out: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let about = format!(
            "`arm6` ({} triangles) in a kitchen of {} triangles, {} pairs of parts between them and {} of the arm with \
             itself; {STATIONS} random configurations without contact, a query is one configuration",
            thousands(self.triangles[0]),
            thousands(self.triangles[1]),
            self.outside.len(),
            self.within.len()
        );
        self.trees(out, &about)?;
        *out += "\nThe tables below are by the compact trees, tiled at 20 mm.\n";
        self.ranges(out);
        self.tolerance(out);
        self.switches(out);
        self.unguided(out);
        Ok(())
    }

    fn trees(&self, out: &mut String, about: &str) -> Result<(), Box<dyn std::error::Error>> {
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
        let kinds = [
            (
                "compact, a leaf each triangle",
                Balls::new(self.scene, Combine::Compact, BallLeaves::Whole)?,
            ),
            (
                "greedy, a leaf each triangle",
                Balls::new(self.scene, Combine::Greedy, BallLeaves::Whole)?,
            ),
            ("compact, tiled at 20 mm", self.compact.clone()),
            (
                "greedy, tiled at 20 mm",
                Balls::new(self.scene, Combine::Greedy, TILED)?,
            ),
            (
                "greedy, tiled at 1/16 of each part (`--shape greedy`)",
                Balls::greedy(self.scene, None, &Prebuilt::default())?,
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
                    cost.each(|t| t.sphere_tests),
                    cost.each(|t| t.triangle_tests),
                    format!("{:.3}", cost.ms),
                    format!("{:.2}", cost.ms / base),
                ],
            );
        }
        Ok(())
    }

    /// The paper's Figures 9(b) and 10(a).
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
                let range = DistanceRange {
                    min: 0.0,
                    max,
                    tolerance: 0.0,
                };
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
            let range = DistanceRange {
                min,
                max: f64::INFINITY,
                tolerance: 0.0,
            };
            let cost = self.cost(&self.compact, &self.outside, &self.near, range, RUNS);
            cost.row(out, format!("{}", min * 1e3), &all);
        }
    }

    /// The range alone, as the source has it: without a glance, and pairs in the order in which
    /// they stand.
    fn unguided(&self, out: &mut String) {
        heading(
            out,
            "The arm with itself, search started at max, when nothing else tells how near it is: pairs in the order of the cell, no \
             glance; the smallest distance is carried.",
            &[
                "max, mm",
                "sphere tests",
                "triangle tests",
                "ms",
                "time ×",
                "with a glance: sphere tests",
                "time ×",
            ],
        );
        let blind = self.with(QueryOptions {
            nearest_first: false,
            ..QueryOptions::default()
        });
        let all = self.cost(&blind, &self.within, &self.free, EVERYTHING, RUNS);
        for max in [f64::INFINITY, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02] {
            let range = DistanceRange {
                min: 0.0,
                max,
                tolerance: 0.0,
            };
            let cost = self.cost(&blind, &self.within, &self.free, range, RUNS);
            let guided = self.cost(&self.compact, &self.within, &self.free, range, RUNS);
            row(
                out,
                &[
                    if max.is_finite() {
                        format!("{}", max * 1e3)
                    } else {
                        "none".to_owned()
                    },
                    cost.each(|t| t.sphere_tests),
                    cost.each(|t| t.triangle_tests),
                    format!("{:.3}", cost.ms),
                    format!("{:.3}", cost.ms / all.ms),
                    guided.each(|t| t.sphere_tests),
                    format!("{:.3}", guided.ms / all.ms),
                ],
            );
        }
    }

    /// The paper's Figures 10(a) and 10(b).
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
        let kept_only = QueryOptions {
            kept_centers: true,
            ..plain
        };
        let ask = |options, runs| {
            let balls = self.with(options);
            self.cost(&balls, &self.outside, &self.free, EVERYTHING, runs)
        };
        let first = ask(plain, 1);
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
        let mut before = first.ms;
        let mut show = |name: &str, cost: &Cost| {
            row(
                out,
                &[
                    name.to_owned(),
                    cost.each(|t| t.transforms),
                    cost.each(|t| t.sphere_tests),
                    cost.each(|t| t.triangle_tests),
                    format!("{:.3}", cost.ms),
                    format!("{:.4}", cost.ms / first.ms),
                    format!("{:.3}", cost.ms / before),
                ],
            );
            before = cost.ms;
        };
        show("none: every pair on its own", &first);
        show(
            "smallest distance carried into the next pair",
            &ask(carried, RUNS),
        );
        show("… nearest pair first", &ask(ordered, RUNS));
        show("… centres kept", &ask(kept, RUNS));
        // The same without what every query does besides: placing the arm and ordering the pairs.
        heading(
            out,
            "Centres kept, where nothing else spares work.",
            &["centres", "transforms", "sphere tests", "ms", "time ×"],
        );
        for (name, cost) in [
            ("transformed each time", &first),
            ("kept", &ask(kept_only, 1)),
        ] {
            row(
                out,
                &[
                    name.to_owned(),
                    cost.each(|t| t.transforms),
                    cost.each(|t| t.sphere_tests),
                    format!("{:.3}", cost.ms),
                    format!("{:.3}", cost.ms / first.ms),
                ],
            );
        }
    }
}

impl Cost {
    /// Per configuration.
    fn each(&self, count: impl Fn(&QueryTally) -> u64) -> String {
        format!("{:.1}", count(&self.tally) as f64 / self.queries as f64)
    }

    fn row(&self, out: &mut String, label: String, base: &Cost) {
        row(
            out,
            &[
                label,
                self.each(|t| t.sphere_tests),
                self.each(|t| t.triangle_tests),
                format!("{:.3}", self.ms),
                format!("{:.3}", self.ms / base.ms),
            ],
        );
    }
}
