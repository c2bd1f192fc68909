//! Shimada, Okano and Kawabe, section 3: what it costs to find the first contact by roots of
//! determinants, beside bisection.

use std::fmt::Write as _;

use clearance::findings::{ContactFeature, Verdict};
use clearance_proof::check::bisection;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;

use crate::common::scenes::{arm_over, sweep, terrain};
use crate::common::{milliseconds, ours};

/// A time is the shortest of so many.
const RUNS: usize = 5;

/// The table, as Markdown.
pub fn table() -> Result<String, Box<dyn std::error::Error>> {
    let mut out = String::from(
        "| motion | verdict | bisection: pairs tested | exact triangle distances | ms | intersection: nodes and triangles compared | \
         determinants | intervals with roots | ms | bracket of bisection, µs | features |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for triangles in [2_000, 20_000] {
        let workload = arm_over(&[terrain(triangles)]);
        let scene = workload.scene_at(0.0);
        for (height, name) in [
            (0.020, "20 mm over"),
            (0.001, "1 mm over"),
            (-0.005, "5 mm into"),
        ] {
            let trajectory = sweep(&workload, height, 1, 1);
            let name = format!("{name} hills of {triangles} triangles");
            row(
                &mut out,
                &name,
                &scene,
                &trajectory,
                workload.settings.resolution,
            )?;
        }
    }
    let workload = arm_over(&[]);
    let scene = workload.scene_at(0.0);
    let trajectory = workload.trajectory(&ours("trajectories/arm6/folds_onto_itself.csv"))?;
    row(
        &mut out,
        "the arm folds, without its gripper",
        &scene,
        &trajectory,
        workload.settings.resolution,
    )?;
    Ok(out)
}

fn row(
    out: &mut String,
    name: &str,
    scene: &Scene,
    trajectory: &Trajectory,
    resolution: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let options = bisection::CheckOptions {
        resolution,
        all: false,
        minimum: false,
        minimum_by_class: false,
        minimum_pairs: None,
    };
    let (mut halving_ms, mut roots_ms) = (f64::INFINITY, f64::INFINITY);
    let mut last = None;
    for _ in 0..RUNS {
        let (ms, halved) = milliseconds(|| scene.check(trajectory, &options, &|_| ()));
        halving_ms = halving_ms.min(ms);
        let (ms, found) = milliseconds(|| scene.intersection_work(trajectory, &options));
        roots_ms = roots_ms.min(ms);
        last = Some((halved, found?));
    }
    let (halved, (found, work)) = last.ok_or("no runs")?;
    if halved.verdict != found.verdict {
        return Err(format!("{name}: {:?} against {:?}", halved.verdict, found.verdict).into());
    }
    let verdict = match found.verdict {
        Verdict::Clear => "clear",
        Verdict::Collision => "collision",
        Verdict::Unverified | Verdict::Undecided | Verdict::Possible => "undecided",
    };
    let told = halved.first_contact.zip(found.first_contact);
    let (bracket, feature) = match told {
        None => ("–".to_owned(), "–"),
        Some((halved, found)) => {
            if !(halved.free_until..=halved.time).contains(&found.time) {
                return Err(format!("{name}: {} is not in the bracket", found.time).into());
            }
            let feature = match found.feature {
                Some(ContactFeature::EdgeEdge) => "edge on edge",
                Some(_) => "vertex on face",
                None => "–",
            };
            (
                format!("{:.1}", 1e6 * (halved.time - halved.free_until)),
                feature,
            )
        }
    };
    let tests = halved.statistics;
    writeln!(
        out,
        "| {name} | {verdict} | {} | {} | {halving_ms:.2} | {} | {} | {} | {roots_ms:.2} | {bracket} | {feature} |",
        tests.distance_tests,
        tests.triangle_tests,
        work.node_tests + work.triangle_tests,
        work.determinants,
        work.roots,
    )?;
    Ok(())
}
