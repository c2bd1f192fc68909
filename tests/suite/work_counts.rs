//! How much work a verdict takes, counted rather than timed: a regression shows without a clock.
//!
//! The counts do not depend on the width of the instructions or on threads. When they change on
//! purpose: `INSTA_UPDATE=always cargo test --test suite work_counts`, and look at what went up.
#![allow(missing_docs)]

#[path = "../../benches/common/mod.rs"]
mod common;

use std::fmt::Write as _;

use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;
use clearance_proof::report::Verdict;
use common::groove::sled;
use common::scenes::{arm_over, balls, joined, sweep, terrain};
use common::{Workload, ours, programs, stem};

/// One line per check.
struct Counts {
    text: String,
}

impl Counts {
    fn new() -> Self {
        let text = format!(
            "{:44} {:10} {:>9} {:>9} {:>14}\n",
            "program", "verdict", "intervals", "tests", "triangle pairs"
        );
        Self { text }
    }

    fn add(&mut self, name: &str, scene: &Scene, trajectory: &Trajectory, options: &CheckOptions) {
        let result = scene.check(trajectory, options, &|_| ());
        let work = result.statistics;
        writeln!(
            self.text,
            "{name:44} {:10} {:>9} {:>9} {:>14}",
            format!("{:?}", result.verdict).to_lowercase(),
            work.intervals,
            work.distance_tests,
            work.triangle_tests
        )
        .expect("text takes all");
    }

    fn add_both(&mut self, name: &str, workload: &Workload, trajectory: &Trajectory) {
        let (scene, plain) = (workload.scene(), workload.options());
        self.add(name, &scene, trajectory, &plain);
        let minimum = CheckOptions {
            minimum: true,
            minimum_by_class: true,
            ..plain
        };
        self.add(&format!("{name} --minimum"), &scene, trajectory, &minimum);
    }
}

fn examples(robot: &str) -> String {
    let cell = ours(&format!("robots/{robot}/cell.toml"));
    let workload = Workload::file(cell).expect("our own cell can be read");
    let mut counts = Counts::new();
    let files = programs(&ours(&format!("trajectories/{robot}"))).expect("there are programs");
    assert!(!files.is_empty());
    for file in files {
        let trajectory = workload
            .trajectory(&file)
            .expect("our own program can be read");
        counts.add_both(&stem(&file), &workload, &trajectory);
    }
    counts.text
}

/// Distance tests of a question.
fn tests(scene: &Scene, trajectory: &Trajectory, options: &CheckOptions) -> (u64, CheckResult) {
    let result = scene.check(trajectory, options, &|_| ());
    let work = result.statistics;
    (work.distance_tests + work.triangle_tests, result)
}

/// The least clearance of every class beside the check that has what is proved of a class as the
/// threshold of its pairs: nobody can do without that.
#[test]
fn least_distances_cost_little_more_than_their_proof() {
    let workload = Workload::file(ours("robots/arm6/cell.toml")).expect("our own cell");
    let plain = workload.options();
    let minimum = CheckOptions {
        minimum: true,
        minimum_by_class: true,
        ..plain
    };
    for name in ["pick_place", "near_miss", "too_fast", "degrees"] {
        let file = ours(&format!("trajectories/arm6/{name}.csv"));
        let trajectory = workload.trajectory(&file).expect("our own program");
        let (asked, found) = tests(&workload.scene(), &trajectory, &minimum);
        let mut scene = workload.scene();
        for pair in &mut scene.pairs {
            let class = scene.cell.pair_class(pair.a, pair.b);
            let mut classes = found.minimum_by_class.iter();
            let known = classes.find(|known| Some(known.class) == class);
            pair.clearance = known.expect("its class").least.lower_bound;
        }
        let (proof, proved) = tests(&scene, &trajectory, &plain);
        assert_eq!(proved.verdict, Verdict::Clear, "{name}");
        assert!(
            asked <= 3 * proof,
            "{name}: {asked} tests, the proof {proof}"
        );
    }
}

/// The least clearance of all pairs together beside that of each class: it needs no proof of classes
/// that are farther apart.
#[test]
fn the_least_distance_of_all_costs_a_third_of_that_of_each_class() {
    let workload = Workload::file(ours("robots/arm6/cell.toml")).expect("our own cell");
    let by_class = CheckOptions {
        minimum: true,
        minimum_by_class: true,
        ..workload.options()
    };
    let overall = CheckOptions {
        minimum_by_class: false,
        ..by_class
    };
    let mut sums = [0; 2];
    for name in ["pick_place", "near_miss", "too_fast", "degrees"] {
        let file = ours(&format!("trajectories/arm6/{name}.csv"));
        let trajectory = workload.trajectory(&file).expect("our own program");
        for (sum, options) in sums.iter_mut().zip([&overall, &by_class]) {
            *sum += tests(&workload.scene(), &trajectory, options).0;
        }
    }
    let [overall, by_class] = sums;
    assert!(
        3 * overall <= by_class,
        "{overall} tests, by class {by_class}"
    );
}

/// Questions beside the check, with the height at which the arm goes: all contacts where it touches
/// the ground, the least distance where it does not.
fn questions(workload: &Workload) -> [(&'static str, f64, CheckOptions); 2] {
    let plain = workload.options();
    let all = CheckOptions { all: true, ..plain };
    let minimum = CheckOptions {
        minimum: true,
        minimum_by_class: true,
        ..plain
    };
    [("--all", -0.004, all), ("--minimum", 0.006, minimum)]
}

#[test]
fn no_question_costs_more_than_twice_as_much_for_ten_times_the_triangles() {
    let counts = [1_000, 10_000, 100_000].map(|triangles| {
        let workload = arm_over(&[terrain(triangles)]);
        let scene = workload.scene();
        questions(&workload).map(|(_, height, question)| {
            let trajectory = sweep(&workload, height, 1, 1);
            tests(&scene, &trajectory, &question).0
        })
    });
    for rows in counts.windows(2) {
        for (question, name) in ["--all", "--minimum"].into_iter().enumerate() {
            let [fewer, more] = [0, 1].map(|row| rows[row][question]);
            assert!(fewer > 10_000 && more <= 2 * fewer, "{name}: {counts:?}");
        }
    }
}

/// Ten times the waypoints: a motion that goes on, and the same motion, cut finer.
#[test]
fn no_question_costs_more_than_in_proportion_to_the_waypoints() {
    let workload = arm_over(&[terrain(1_000)]);
    let scene = workload.scene();
    for (name, height, question) in questions(&workload) {
        for [one, ten] in [[[1, 1], [10, 1]], [[1, 1], [1, 10]]] {
            let [one, ten] = [one, ten].map(|[passes, cuts]| {
                let trajectory = sweep(&workload, height, passes, cuts);
                tests(&scene, &trajectory, &question).0
            });
            assert!(
                one > 10_000 && ten <= 10 * one + one / 5,
                "{name}: {one} tests, {ten} for ten times the waypoints"
            );
        }
    }
}

#[test]
fn of_the_arm6_programs() {
    insta::assert_snapshot!(examples("arm6"));
}

#[test]
fn of_the_scara_programs() {
    insta::assert_snapshot!(examples("scara"));
}

#[test]
fn of_generated_scenes() {
    let mut counts = Counts::new();
    let cells = [
        ("terrain of 1,000 triangles", vec![terrain(1_000)]),
        ("terrain of 10,000", vec![terrain(10_000)]),
        ("300 balls as one body", vec![joined(&balls(300))]),
        ("30 balls as 30 bodies", balls(30)),
    ];
    for (name, ground) in cells {
        let workload = arm_over(&ground);
        for (what, height) in [("over", 0.006), ("into", -0.004)] {
            let trajectory = sweep(&workload, height, 1, 1);
            counts.add_both(&format!("{what} {name}"), &workload, &trajectory);
        }
    }
    // More than the threshold is left between the surfaces, and a little less.
    for (what, raised) in [("slides over", 0.002), ("scrapes", 0.0011)] {
        let (workload, trajectory) = sled(raised);
        let name = format!("a sled {what} its bed");
        counts.add(&name, &workload.scene(), &trajectory, &workload.options());
    }
    insta::assert_snapshot!(counts.text);
}
