//! A summary in Markdown, fit for a job summary or a comment on a change.

use std::fmt::Write;

use super::list::{of_program, result_word, scope};
use super::notices::{accepted, sentence};
use super::printable::printable;
use super::units::{count, millimetres_down, millimetres_up};
use super::versus::Changes;
use crate::findings::{FailOn, Outcome, ProgramOutcome};

/// Rows of programs that are shown: GitHub cuts a summary off at 1 MiB.
const ROWS: usize = 500;
/// Findings that are shown of one program.
const LINES: usize = 5;

/// The outcome as Markdown: a heading with counts, and a table of the programs, those with findings
/// first.
pub fn markdown(outcome: &Outcome, fail_on: &FailOn) -> String {
    let mut out = String::new();
    let programs = &outcome.programs;
    let words = [
        "collision",
        "possible",
        "undecided",
        "limit",
        "unverified",
        "clear",
    ];
    let counts: Vec<String> = words
        .iter()
        .map(|&word| {
            let n = programs.iter().filter(|p| result_word(p) == word).count();
            (word, n)
        })
        .filter(|&(_, n)| n > 0)
        .map(|(word, n)| format!("{n} {word}"))
        .collect();
    let counts = if counts.is_empty() {
        "no program".to_owned()
    } else {
        counts.join(", ")
    };
    // What there is of an answer that is not whole is no answer.
    let heading = match &outcome.error {
        Some(_) => format!("no answer ({counts})"),
        None => counts,
    };
    let _ = writeln!(out, "## clearance: {heading}\n");
    for notice in &outcome.notices {
        let _ = writeln!(out, "⚠️ {}\n", plain(&sentence(notice)));
    }
    for left_out in accepted(outcome) {
        let _ = writeln!(out, "Not checked: {}\n", plain(&sentence(left_out)));
    }
    let _ = writeln!(
        out,
        "Cell {}: {}.\n",
        plain(&outcome.cell),
        plain(&scope(outcome))
    );
    if let Some(changes) = Changes::of(outcome) {
        let said = changes.said().join(", ");
        let _ = writeln!(out, "Against the baseline: {said}.\n");
    }
    if let Some(error) = &outcome.error {
        let _ = writeln!(out, "❌ {}\n", plain(error));
    }
    if programs.is_empty() {
        return out;
    }
    out += "| | program | result | what |\n|---|---|---|---|\n";
    let mut order: Vec<&ProgramOutcome> = programs.iter().collect();
    // Stable: within each kind the order is that of the programs.
    order.sort_by_key(|p| words.iter().position(|&w| w == result_word(p)));
    for program in order.iter().take(ROWS) {
        row(&mut out, program, outcome, fail_on);
    }
    match order.len().saturating_sub(ROWS) {
        0 => {}
        more => {
            let _ = writeln!(out, "\n… and {} more.", count(more, "program"));
        }
    }
    out
}

fn row(out: &mut String, program: &ProgramOutcome, outcome: &Outcome, fail_on: &FailOn) {
    let word = result_word(program);
    let list = of_program(program, outcome);
    let sign = if fail_on.found(program, outcome)
        || FailOn::unanswered(program)
        || outcome.error.is_some()
    {
        "❌"
    } else if word == "clear" && list.is_empty() {
        "✅"
    } else {
        "⚠️"
    };
    let mut what: Vec<String> = list
        .iter()
        .take(LINES)
        .map(|f| match f.place.line {
            Some(line) if f.rule.as_str() != "unverified" => {
                format!("line {line}: {}", plain(&f.message))
            }
            _ => plain(&f.message),
        })
        .collect();
    match list.len().saturating_sub(LINES) {
        0 => {}
        more => what.push(format!("… and {}", count(more, "finding"))),
    }
    if let Some(least) = &program.minimum_clearance {
        what.push(format!(
            "least {} ({} – {}), proved never below {}",
            millimetres_up(least.distance),
            plain(&least.a),
            plain(&least.b),
            millimetres_down(least.lower_bound)
        ));
        let classes = &program.minimum_by_class;
        if classes.len() > 1 {
            let each = classes.iter().map(|c| {
                let least = &c.least;
                format!("{} {}", c.class.as_str(), millimetres_up(least.distance))
            });
            what.push(each.collect::<Vec<_>>().join(", "));
        }
    }
    let _ = writeln!(
        out,
        "| {sign} | {} | {word} | {} |",
        plain(&program.program),
        what.join("<br>")
    );
}

/// Text without a meaning to Markdown or HTML, on one line.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Addresses become links by themselves.
    let text = printable(text);
    let text = text.replace("://", "\u{1}//").replace("www.", "www\u{2}");
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '@' | '$' | '!' => {
                out.push('\\');
                out.push(c);
            }
            '\u{1}' => out += "&#58;",
            '\u{2}' => out += "&#46;",
            c => out.push(c),
        }
    }
    out
}
