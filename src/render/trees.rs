//! Sphere trees and octrees, for people (millimetres) and machines (SI).

use super::lists::{grouped, some_of};
use super::printable;
use super::table::table;
use super::units::count;
use crate::findings::{LevelFacts, TreeFacts, TreeReport};

/// The trees as JSON text, with a line break at the end.
pub fn trees_json(report: &TreeReport) -> String {
    // Plain data with strings as keys: this cannot fail.
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    printable::json(text)
}

/// The trees as text.
pub fn trees_text(report: &TreeReport) -> String {
    let fineness = match (report.leaf_radius, report.ratio) {
        (Some(radius), Some(ratio)) => {
            format!(
                ", leaf radius {} mm, ratio {ratio}",
                significant(radius * 1e3)
            )
        }
        (Some(radius), None) => format!(", leaf radius {} mm", significant(radius * 1e3)),
        _ => String::new(),
    };
    let mut lines = vec![
        format!("{}: {}{fineness}", report.source, report.shape),
        String::new(),
    ];
    for tree in &report.trees {
        one(tree, report, &mut lines);
    }
    let octrees = is_octree(report);
    let what = if octrees { "octree" } else { "shape" };
    let proved = if octrees {
        (
            "proved to say the truth about every cube",
            "NOT PROVED to say the truth",
        )
    } else {
        ("proved to cover its shape", "NOT PROVED to cover")
    };
    if report.trees.len() > 1 {
        let sum = |part: fn(&TreeFacts) -> f64| report.trees.iter().map(part).sum::<f64>();
        let parts: usize = report.trees.iter().map(parts).sum();
        lines.push(format!(
            "together: {}, {}, {}, {}, built in {}",
            count(report.trees.len(), what),
            count(report.trees.iter().map(|t| t.triangles).sum(), "triangle"),
            count(parts, part_of(report)),
            kilobytes(report.trees.iter().map(|t| t.bytes).sum()),
            duration(sum(|t| t.build_seconds)),
        ));
        let open = report.trees.iter().filter(|t| !t.covered).count();
        lines.push(match open {
            0 => format!("every one is {}", proved.0),
            n => format!("{}: {}", proved.1, count(n, what)),
        });
        lines.push(String::new());
    }
    for (title, list) in [("not checked", &report.unchecked), ("note", &report.notes)] {
        for (why, names) in grouped(list) {
            lines.push(format!("{title}: {} ({why})", some_of(&names)));
        }
    }
    printable::page(&lines)
}

fn one(tree: &TreeFacts, report: &TreeReport, lines: &mut Vec<String>) {
    let rounding = match tree.rounding {
        r if r > 0.0 => format!(", and {} mm around them", significant(r * 1e3)),
        _ => String::new(),
    };
    let triangles = count(tree.triangles, "triangle");
    lines.push(format!("{}: {triangles}{rounding}", tree.name));
    let octree = is_octree(report);
    if octree {
        cube_levels(tree, lines)
    } else {
        sphere_levels(tree, report.ratio.is_some(), lines)
    }
    lines.push(format!(
        "  {}, {}, built in {}",
        count(parts(tree), part_of(report)),
        kilobytes(tree.bytes),
        duration(tree.build_seconds)
    ));
    let what = if octree { "every cube" } else { "cover" };
    lines.push(match &tree.gap {
        None => format!("  {what} proved in {}", duration(tree.check_seconds)),
        Some(gap) if octree => format!("  NOT PROVED to say the truth: {gap}"),
        Some(gap) => format!("  NOT PROVED to cover: {gap}"),
    });
    lines.push(String::new());
}

fn sphere_levels(tree: &TreeFacts, ranked: bool, lines: &mut Vec<String>) {
    let mut head = vec![if ranked { "rank" } else { "level" }, "spheres"];
    if ranked {
        head.push("radius in mm");
    }
    head.extend(["least", "mean", "greatest"]);
    let rows = tree.levels.iter().enumerate().map(|(k, level)| {
        let LevelFacts {
            least_radius,
            mean_radius,
            greatest_radius,
            ..
        } = level;
        let mut row = vec![(k + 1).to_string(), level.spheres.to_string()];
        row.extend(level.nominal_radius.map(|r| significant(r * 1e3)));
        row.extend([least_radius, mean_radius, greatest_radius].map(|r| significant(r * 1e3)));
        row
    });
    table(&head, rows.collect(), lines);
}

fn cube_levels(tree: &TreeFacts, lines: &mut Vec<String>) {
    let head = ["level", "edge in mm", "white", "mixed", "black"];
    let rows = tree.cubes.iter().enumerate().map(|(k, level)| {
        let counts = [level.white, level.mixed, level.black].map(|n| n.to_string());
        let mut row = vec![(k + 1).to_string(), significant(level.edge * 1e3)];
        row.extend(counts);
        row
    });
    table(&head, rows.collect(), lines);
}

fn is_octree(report: &TreeReport) -> bool {
    report.trees.iter().any(|tree| !tree.cubes.is_empty())
}

fn part_of(report: &TreeReport) -> &'static str {
    if is_octree(report) { "cube" } else { "sphere" }
}

/// Spheres or cubes of all levels.
fn parts(tree: &TreeFacts) -> usize {
    let spheres: usize = tree.levels.iter().map(|l| l.spheres).sum();
    let cubes = tree.cubes.iter().map(|l| l.white + l.mixed + l.black);
    spheres + cubes.sum::<usize>()
}

fn kilobytes(bytes: usize) -> String {
    format!("{:.1} kB", bytes as f64 / 1e3)
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Four significant digits.
fn significant(x: f64) -> String {
    let before = if x > 0.0 { x.log10().floor() } else { 0.0 };
    let behind = (3.0 - before).clamp(0.0, 9.0) as usize;
    format!("{x:.behind$}")
}
