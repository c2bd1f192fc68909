//! Budgets of error in words.

use super::clock::snapshot;
use super::units::{count, degrees, millimetres, millimetres_up};
use crate::findings::{ClassMargin, ErrorBudget, ErrorKind, ErrorShares, Margin, ProgramOutcome};

/// `base 3 mm and 0.2°, 6 joints 0.1°`: things with the same budget are counted.
pub(super) fn budgets(budgets: &[ErrorBudget]) -> String {
    let mut groups: Vec<(&ErrorBudget, usize)> = Vec::new();
    for budget in budgets {
        let same = |(known, _): &&mut (&ErrorBudget, usize)| {
            (known.kind, known.shift, known.turn) == (budget.kind, budget.shift, budget.turn)
        };
        match groups.iter_mut().find(same) {
            Some((_, n)) => *n += 1,
            None => groups.push((budget, 1)),
        }
    }
    let words: Vec<String> = groups.iter().map(|&(budget, n)| group(budget, n)).collect();
    words.join(", ")
}

fn group(budget: &ErrorBudget, n: usize) -> String {
    let what = match (n, budget.kind, budget.name.as_str()) {
        (1, ErrorKind::Base, "") => "base".to_owned(),
        (1, ErrorKind::Base, name) => format!("base of {name}"),
        (1, ErrorKind::Model, "") => "model of the arm".to_owned(),
        (1, ErrorKind::Model, name) => format!("model of {name}"),
        (1, ErrorKind::Mesh, name) => format!("surface of {name}"),
        (1, _, name) => name.to_owned(),
        (n, ErrorKind::Mesh, _) => count(n, "surface"),
        (n, kind, _) => count(n, word(kind)),
    };
    let size = match (budget.shift > 0.0, budget.turn > 0.0) {
        (true, true) => format!("{} and {}", millimetres(budget.shift), degrees(budget.turn)),
        (false, _) => degrees(budget.turn),
        (_, false) => millimetres(budget.shift),
    };
    format!("{what} {size}")
}

fn word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Base => "base",
        ErrorKind::Tool => "tool",
        ErrorKind::Joint => "joint",
        ErrorKind::Model => "model",
        ErrorKind::Obstacle => "obstacle",
        ErrorKind::Mesh => "surface",
    }
}

/// `up to 8.2 mm by errors: base 7.1 mm, tool 1.1 mm`.
pub(super) fn shares(shares: &ErrorShares) -> String {
    let of = [
        (shares.base, ErrorKind::Base),
        (shares.tool, ErrorKind::Tool),
        (shares.joint, ErrorKind::Joint),
        (shares.model, ErrorKind::Model),
        (shares.obstacle, ErrorKind::Obstacle),
        (shares.mesh, ErrorKind::Mesh),
    ];
    let parts = of.iter().filter(|(share, _)| *share > 0.0);
    let parts: Vec<String> = parts
        .map(|&(share, kind)| format!("{} {}", word(kind), millimetres_up(share)))
        .collect();
    format!(
        "errors may take {}: {}",
        millimetres_up(shares.sum()),
        parts.join(", ")
    )
}

/// The lines about a margin: overall, and where there is room for them those of the classes.
pub(super) fn margin(
    margin: &Margin,
    program: &ProgramOutcome,
    many: bool,
) -> Vec<(&'static str, String)> {
    let of = if margin.budget.is_empty() {
        "the budget of the cell file".to_owned()
    } else {
        format!("the default budget ({})", budgets(&margin.budget))
    };
    let limiting = margin.by_class.iter().filter(|c| c.limit.is_some());
    let least = limiting.min_by(|x, y| x.times.total_cmp(&y.times));
    let place = least.map_or_else(String::new, |least| format!(": {}", limit(least, program)));
    let all = times(margin.times, margin.unlimited);
    let mut lines = vec![("margin", format!("{all} {of}{place}"))];
    if !many {
        lines.extend(margin.by_class.iter().map(|class| {
            let place = match class.limit {
                Some(_) => format!(": {}", limit(class, program)),
                None => String::new(),
            };
            let all = times(class.times, class.unlimited);
            (class.class.as_str(), format!("margin {all}{place}"))
        }));
    }
    lines
}

/// `2.31 times`, rounded down.
fn times(times: f64, unlimited: bool) -> String {
    if unlimited {
        format!("more than {times:.0} times")
    } else {
        format!("{:.2} times", (times * 100.0).floor() / 100.0)
    }
}

/// `gripper – table uses 3.1 mm of 5 mm at 1.200 s`.
fn limit(class: &ClassMargin, program: &ProgramOutcome) -> String {
    let Some(limit) = &class.limit else {
        return String::new();
    };
    format!(
        "{} – {} uses {} of {} {}",
        limit.a,
        limit.b,
        millimetres_up(limit.errors.sum()),
        millimetres((limit.distance - limit.required_clearance).max(0.0)),
        snapshot(limit.time, program)
    )
}
