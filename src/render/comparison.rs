//! The same question by every method: a table a program.

use std::collections::BTreeSet;

use super::printable;
use super::table::table;
use super::units::{millimetres_up, seconds};
use crate::findings::{Comparison, MethodAnswer, ProgramComparison, Verdict};

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
        let rows = program
            .methods
            .iter()
            .map(|method| row(method, program))
            .collect();
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
        for method in &program.methods {
            if let (Some(coarseness), Some(_)) = (method.coarseness, &method.first_contact) {
                lines.push(format!(
                    "  {} / {}: contacts may be up to {} farther apart than the threshold",
                    method.method,
                    method.shape,
                    millimetres_up(coarseness)
                ));
            }
            if let (Some(fallback), false) = (&method.fallback, method.refused) {
                lines.push(format!(
                    "  {} / {}: {fallback}",
                    method.method, method.shape
                ));
            }
            // A sampler that saw nothing gives no other reason.
            let sampled = !method.promise.proves() && has_looked(method);
            // A question that the cell leaves open is open for every method.
            if let (Some(error), false) = (&method.error, sampled || given_up(method))
                && said.insert(error)
            {
                lines.push(format!("  {} / {}: {error}", method.method, method.shape));
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
    if comparison.ideal_motion_only {
        lines.push(
            "All answers are about the ideal motion: errors of [uncertainty] are allowed for by `clearance check` only."
                .to_owned(),
        );
    }
    printable::page(&lines)
}

fn row(method: &MethodAnswer, program: &ProgramComparison) -> Vec<String> {
    // Refused is not an answer about the program.
    let verdict = match (
        method.verdict,
        !method.promise.proves() && has_looked(method),
    ) {
        (Verdict::Unverified, _) if method.refused => "refused",
        (Verdict::Unverified, _) if given_up(method) => "given up",
        (Verdict::Clear, _) => "clear",
        (Verdict::Undecided, _) => "undecided",
        (Verdict::Possible, _) => "possible",
        (Verdict::Collision, _) => "collision",
        (Verdict::Unverified, true) => "nothing seen",
        (Verdict::Unverified, _) => "unverified",
    };
    let first = method
        .first_contact
        .as_ref()
        .map_or_else(none, |contact| match program.timed {
            Some(false) => format!("waypoint {:.4}", contact.time + 1.0),
            _ => seconds(contact.time),
        });
    let statistics = &method.statistics;
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
        method.method.clone(),
        method.shape.clone(),
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
fn has_looked(method: &MethodAnswer) -> bool {
    method.statistics.work.is_some()
}

/// Whether the time that it was given was spent before the end.
fn given_up(method: &MethodAnswer) -> bool {
    method.statistics.work.is_some_and(|w| w.given_up)
}

fn none() -> String {
    "–".to_owned()
}
