//! Šinjur: the uniform grid against all pairs of triangles, on the same samples of the same
//! motions.

use std::fmt::Write;

use clearance::findings::Verdict;
use clearance_methods::backends::Backend;
use clearance_methods::backends::grid::Grid;
use clearance_methods::backends::raw::Raw;
use clearance_methods::sampling::{self, SamplingStep};
use clearance_proof::check::bisection::CheckOptions;

use crate::common::scenes::{RESOLUTION, arm_over, sweep, terrain};
use crate::common::{Workload, milliseconds, ours, programs, stem};

/// The arm of `robots/arm6` in its own cell and over grounds of more and more triangles.
pub fn table() -> Result<String, Box<dyn std::error::Error>> {
    let mut out = String::from(
        "| motion | instants | cell mm | raw: triangle tests | grid: triangle tests | saved | raw ms | grid ms | saved | raw, boxes first ms |\n\
         |---|--:|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let own = Workload::file(ours("robots/arm6/cell.toml"))?;
    for file in programs(&ours("trajectories/arm6"))?.iter().take(2) {
        let trajectory = own.trajectory(file)?;
        row(&mut out, &stem(file), &own, &trajectory)?;
    }
    for triangles in [200, 2_000] {
        let over = arm_over(&[terrain(triangles)]);
        let trajectory = sweep(&over, 0.006, 1, 1);
        row(
            &mut out,
            &format!("over {triangles} triangles"),
            &over,
            &trajectory,
        )?;
    }
    Ok(out)
}

fn row(
    out: &mut String,
    name: &str,
    workload: &Workload,
    trajectory: &clearance_proof::model::Trajectory,
) -> Result<(), Box<dyn std::error::Error>> {
    let scene = workload.scene_at(0.0);
    let options = CheckOptions {
        resolution: RESOLUTION,
        all: false,
        minimum: false,
        minimum_by_class: false,
        minimum_pairs: None,
    };
    let step = SamplingStep::Travel(0.2);
    let by = |shape: &mut dyn Backend| {
        milliseconds(|| sampling::check(&scene, trajectory, shape, step, &options, &|_| ()))
    };
    let (raw_ms, raw) = by(&mut Raw::plain(&scene));
    let (boxes_ms, boxes) = by(&mut Raw::new(&scene));
    let mut shape = Grid::new(&scene);
    let (grid_ms, grid) = by(&mut shape);
    let edge = shape.edge() * 1e3;
    let hit = |verdict| verdict == Verdict::Collision;
    if hit(raw.verdict) != hit(grid.verdict) || hit(raw.verdict) != hit(boxes.verdict) {
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
        "| {name} | {instants} | {:.0} × {:.0} × {:.0} | {raw} | {grid} | {:.2} % | {raw_ms:.1} | {grid_ms:.1} | {:.1} % | {boxes_ms:.1} |",
        edge.x,
        edge.y,
        edge.z,
        saved(raw as f64, grid as f64),
        saved(raw_ms, grid_ms)
    );
    Ok(())
}
