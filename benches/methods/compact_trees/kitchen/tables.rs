//! Tables of the kitchen: trees, ranges, tolerances, switches.

use clearance_methods::backends::Prebuilt;

use super::super::{EVERYTHING, RUNS, heading, thousands};
use super::*;

impl Cell<'_> {
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
