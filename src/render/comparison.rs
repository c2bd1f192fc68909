//! The same question by every way: a table a program.

use std::collections::BTreeSet;

use super::printable;
use super::table::table;
use super::units::{millimetres_up, seconds};
use crate::findings::{Comparison, ProgramComparison, Verdict, WayAnswer};

/// The comparison as JSON text, with a line break at the end.
pub fn comparison_json(comparison: &Comparison) -> String {
    // Plain data with strings as keys: this cannot fail.
    let mut text = serde_json::to_string_pretty(comparison).unwrap_or_default();
    text.push('\n');
    printable::json(text)
}

/// The comparison as text.
pub fn comparison_text(comparison: &Comparison) -> String {
    let mut lines = Vec::new();
    for program in &comparison.programs {
        lines.push(program.program.clone());
        let rows = program.ways.iter().map(|way| row(way, program)).collect();
        table(
            &[
                "method",
                "shape",
                "verdict",
                "first contact",
                "L",
                "I",
                "spheres",
                "triangles",
                "cells",
                "check ms",
                "build ms",
                "memory kB",
            ],
            rows,
            &mut lines,
        );
        let mut said = BTreeSet::new();
        for way in &program.ways {
            if let (Some(coarseness), Some(_)) = (way.coarseness, &way.first_contact) {
                lines.push(format!(
                    "  {} / {}: contacts may be up to {} farther apart than the threshold",
                    way.method,
                    way.shape,
                    millimetres_up(coarseness)
                ));
            }
            // A sampler that saw nothing gives no other reason.
            let told = !way.promise.proves() && has_looked(way);
            // What the cell leaves open it leaves open for every way.
            if let (Some(error), false) = (&way.error, told || given_up(way))
                && said.insert(error)
            {
                lines.push(format!("  {} / {}: {error}", way.method, way.shape));
            }
        }
        for contradiction in &program.contradictions {
            lines.push(format!("  CONTRADICTION: {contradiction}"));
        }
        lines.push(String::new());
    }
    lines.push(
        "L: distance queries of pairs (the default: intervals). I: interference queries of pairs. spheres, triangles, cells: \
         how many were compared or looked into."
            .to_owned(),
    );
    lines.push(format!(
        "Samplers look every {}; they never prove that there is no contact. Sphere trees of the default were built before.",
        comparison.step
    ));
    printable::page(&lines)
}

fn row(way: &WayAnswer, program: &ProgramComparison) -> Vec<String> {
    // Refused is no answer about the program.
    let verdict = match (way.verdict, !way.promise.proves() && has_looked(way)) {
        (Verdict::Unverified, _) if way.refused => "refused",
        (Verdict::Unverified, _) if given_up(way) => "given up",
        (Verdict::Clear, _) => "clear",
        (Verdict::Undecided, _) => "undecided",
        (Verdict::Collision, _) => "collision",
        (Verdict::Unverified, true) => "nothing seen",
        (Verdict::Unverified, _) => "unverified",
    };
    let first = way
        .first_contact
        .as_ref()
        .map_or_else(none, |contact| match program.timed {
            Some(false) => format!("{:.4}", contact.time),
            _ => seconds(contact.time),
        });
    let statistics = &way.statistics;
    let count = |n: u64| if n == 0 { none() } else { n.to_string() };
    let milliseconds = |seconds: f64| format!("{:.2}", 1e3 * seconds);
    let (l, i, spheres, cells, build, memory) = match &statistics.work {
        Some(work) => (
            count(work.distance_queries),
            count(work.interference_queries),
            count(work.sphere_tests),
            count(work.cell_tests),
            milliseconds(work.build_seconds),
            count(work.memory_bytes.div_ceil(1000)),
        ),
        None => (
            count(statistics.intervals),
            none(),
            count(statistics.distance_tests),
            none(),
            none(),
            none(),
        ),
    };
    vec![
        way.method.clone(),
        way.shape.clone(),
        verdict.to_owned(),
        first,
        l,
        i,
        spheres,
        count(statistics.triangle_tests),
        cells,
        milliseconds(statistics.check_seconds),
        build,
        memory,
    ]
}

/// Whether it did anything at all; else it was refused.
fn has_looked(way: &WayAnswer) -> bool {
    way.statistics.work.is_some()
}

/// Whether the time that it was given was spent before the end.
fn given_up(way: &WayAnswer) -> bool {
    way.statistics.work.is_some_and(|w| w.given_up)
}

fn none() -> String {
    "–".to_owned()
}
