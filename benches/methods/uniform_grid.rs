//! Šinjur: the uniform grid against all pairs of triangles, on the same samples of the same motions.

use std::fmt::Write;

use clearance::findings::Verdict;
use clearance_methods::backends::{BackendKind, Prebuilt};
use clearance_methods::sampling::Step;
use clearance_methods::{Method, TimeMethod};
use clearance_proof::check::bisection::CheckOptions;

use crate::common::scenes::{RESOLUTION, arm_over, sweep, terrain};
use crate::common::{Workload, milliseconds, ours, programs, stem};

/// The arm of `robots/arm6` in its own cell and over grounds of more and more triangles.
pub fn table() -> Result<String, Box<dyn std::error::Error>> {
    let mut out = String::from(
        "| motion | instants | raw: triangle tests | grid: triangle tests | saved | raw ms | grid ms | saved |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let own = Workload::file(ours("robots/arm6/cell.toml"))?;
    for file in programs(&ours("trajectories/arm6"))?.iter().take(2) {
        let path = own.path(file)?;
        row(&mut out, &stem(file), &own, &path)?;
    }
    for triangles in [200, 2_000] {
        let over = arm_over(&[terrain(triangles)]);
        let path = sweep(&over, 0.006, 1, 1);
        row(
            &mut out,
            &format!("over {triangles} triangles"),
            &over,
            &path,
        )?;
    }
    Ok(out)
}

fn row(
    out: &mut String,
    name: &str,
    workload: &Workload,
    path: &clearance_proof::model::Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let scene = workload.scene_at(0.0);
    let options = CheckOptions {
        resolution: RESOLUTION,
        all: false,
        minimum: false,
        minimum_pairs: None,
    };
    let step = TimeMethod::Sampling(Step::Travel(0.2));
    let by = |shape| {
        let method = Method::new(step, shape)?;
        let (ms, result) =
            milliseconds(|| method.check(&scene, path, &Prebuilt::default(), &options, &|_| ()));
        Ok::<_, Box<dyn std::error::Error>>((ms, result?))
    };
    let (raw_ms, raw) = by(BackendKind::Raw)?;
    let (grid_ms, grid) = by(BackendKind::Grid)?;
    let hit = |verdict| verdict == Verdict::Collision;
    if hit(raw.verdict) != hit(grid.verdict) {
        return Err(format!("{name}: {:?} and {:?}", raw.verdict, grid.verdict).into());
    }
    let instants = raw.sampled.map_or(0, |s| s.instants);
    let (raw, grid) = (
        raw.statistics.triangle_tests,
        grid.statistics.triangle_tests,
    );
    let saved = |raw: f64, grid: f64| 100.0 * (1.0 - grid / raw);
    let _ = writeln!(
        out,
        "| {name} | {instants} | {raw} | {grid} | {:.1} % | {raw_ms:.1} | {grid_ms:.1} | {:.1} % |",
        saved(raw as f64, grid as f64),
        saved(raw_ms, grid_ms)
    );
    Ok(())
}
