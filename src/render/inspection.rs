//! The parts of a cell, for people (millimetres, degrees) and machines (SI).

use std::collections::BTreeMap;

use super::lists::{grouped, some_of};
use super::notices::sentence;
use super::printable;
use super::table::table;
use super::units::{count, degrees, millimetres, millimetres_down, stated_millimetres};
use crate::findings::{BodyFacts, Code, Diagnostic, Inspection, JointFacts, PairFacts};

/// The inspection as JSON text, with a line break at the end.
pub fn inspection_json(inspection: &Inspection) -> String {
    // Plain data with strings as keys: this cannot fail.
    let mut text = serde_json::to_string_pretty(inspection).unwrap_or_default();
    text.push('\n');
    printable::json(text)
}

/// The inspection as text; `all_pairs` lists every pair rather than counts.
pub fn inspection_text(inspection: &Inspection, all_pairs: bool) -> String {
    let default = |note: &&Diagnostic| note.code == Code::DefaultCell;
    let mut lines = vec![match inspection.notes.iter().find(default) {
        Some(note) => format!("{} ({})", inspection.cell, note.message),
        None => inspection.cell.clone(),
    }];
    // A size that cannot be meant is the cause of much that is suspicious.
    lines.extend(remarks("WARNING", &inspection.impossible));
    let notices = inspection.notices.iter().map(sentence);
    lines.extend(notices.map(|said| format!("notice: {said}")));
    lines.push(String::new());
    bodies(inspection, &mut lines);
    joints(inspection, &mut lines);
    pairs(inspection, all_pairs, &mut lines);
    for (by, stated) in grouped(&inspection.idle_allowances) {
        let stated = some_of(&stated);
        lines.push(format!("allowances without effect in {by}: {stated}"));
    }
    lines.extend(remarks("not checked", &inspection.unchecked));
    lines.extend(remarks("note", &inspection.notes));
    leave_out(inspection, &mut lines);
    printable::page(&lines)
}

/// A line for each reason, with the names that it is about.
fn remarks(title: &str, list: &[Diagnostic]) -> Vec<String> {
    // The first line of the page has said which cell it is.
    let other = list.iter().filter(|n| n.code != Code::DefaultCell);
    let reasons = grouped(other).into_iter();
    reasons
        .map(|(why, names)| format!("{title}: {} ({why})", some_of(&names)))
        .collect()
}

/// Lines for the cell file that leave links out which have no collision geometry.
fn leave_out(inspection: &Inspection, lines: &mut Vec<String>) {
    let codes = [
        Code::UncheckedLink,
        Code::UncheckedBody,
        Code::UncheckedMass,
    ];
    let mut links = inspection
        .unchecked
        .iter()
        .filter(|u| codes.contains(&u.code))
        .peekable();
    if links.peek().is_none() {
        return;
    }
    lines.push(String::new());
    lines.push("To leave these links out of the check, put this into the cell file, with a reason of your own:".to_owned());
    for link in links {
        lines.push("[[unchecked]]".to_owned());
        // JSON strings without control characters are TOML strings too.
        lines.push(format!(
            "link = {}",
            serde_json::Value::from(link.subject.as_str())
        ));
        let reason = match link.code {
            Code::UncheckedMass => "no geometry",
            _ => "visual geometry only",
        };
        lines.push(format!("reason = \"{reason}\""));
    }
}

fn bodies(inspection: &Inspection, lines: &mut Vec<String>) {
    let (with, without): (Vec<_>, Vec<_>) =
        inspection.bodies.iter().partition(|b| b.size.is_some());
    // It ends at the last frame: of an arm on a single joint it says nothing.
    let reach = match inspection.reach {
        0.0 => String::new(),
        reach => format!(" (reach of the robots: {})", millimetres(reach)),
    };
    lines.push(format!(
        "{} with geometry{reach}",
        count(with.len(), "body")
    ));
    let rows = with.into_iter().map(body).collect();
    table(
        &[
            "body",
            "is",
            "moves with",
            "size x y z in mm",
            "shapes",
            "triangles",
            "nodes",
            "tree kB",
        ],
        rows,
        lines,
    );
    if !without.is_empty() {
        let names: Vec<&str> = without.iter().map(|b| b.name.as_str()).collect();
        lines.push(format!("  without geometry: {}", some_of(&names)));
    }
    lines.push(String::new());
}

fn body(body: &BodyFacts) -> Vec<String> {
    let size = body
        .size
        .unwrap_or_default()
        .map(|m| format!("{:.1}", m * 1e3));
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for shape in &body.shapes {
        let kind = match (shape.form.as_str(), shape.closed) {
            ("mesh", true) => "closed mesh".to_owned(),
            ("mesh", false) => "open mesh".to_owned(),
            (form, _) => form.to_owned(),
        };
        match kinds.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, n)) => *n += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let kinds = kinds.into_iter().map(|(kind, n)| {
        if n == 1 {
            kind
        } else {
            format!("{n} × {kind}")
        }
    });
    let sum =
        |of: fn(&crate::findings::ShapeFacts) -> usize| body.shapes.iter().map(of).sum::<usize>();
    vec![
        body.name.clone(),
        body.role.clone(),
        body.joint.clone().unwrap_or_else(|| "(fixed)".to_owned()),
        size.join(" × "),
        kinds.collect::<Vec<_>>().join(", "),
        sum(|s| s.triangles).to_string(),
        sum(|s| s.nodes).to_string(),
        sum(|s| s.bytes).div_ceil(1000).to_string(),
    ]
}

fn joints(inspection: &Inspection, lines: &mut Vec<String>) {
    lines.push(count(inspection.joints.len(), "joint"));
    let rows = inspection.joints.iter().map(joint).collect();
    table(
        &["joint", "kind", "from", "to", "speed", "rest", "follows"],
        rows,
        lines,
    );
    lines.push(String::new());
}

fn joint(joint: &JointFacts) -> Vec<String> {
    let show = |value: f64| {
        if joint.kind == "prismatic" {
            millimetres(value)
        } else {
            degrees(value)
        }
    };
    let [lower, upper] = joint
        .position
        .map_or([None, None], |[l, u]| [Some(l), Some(u)]);
    let limit = |value: Option<f64>| value.map_or("no limit".to_owned(), show);
    vec![
        joint.name.clone(),
        joint.kind.clone(),
        limit(lower),
        limit(upper),
        match (joint.velocity, joint.acceleration) {
            (None, None) => "no limit".to_owned(),
            (Some(v), None) => format!("{}/s", show(v)),
            (None, Some(a)) => format!("{}/s²", show(a)),
            (Some(v), Some(a)) => format!("{}/s, {}/s²", show(v), show(a)),
        },
        show(joint.rest),
        joint.follows.clone().unwrap_or_default(),
    ]
}

fn pairs(inspection: &Inspection, all: bool, lines: &mut Vec<String>) {
    let (checked, excluded): (Vec<&PairFacts>, Vec<&PairFacts>) =
        inspection.pairs.iter().partition(|p| p.checked);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in &excluded {
        *kinds
            .entry(pair.kind.as_deref().unwrap_or_default())
            .or_default() += 1;
    }
    if inspection.standing_pairs > 0 {
        *kinds.entry("fixed-to-world").or_default() += inspection.standing_pairs;
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, n)| format!("{n} {}", kind.replace('-', " ")))
        .collect();
    let kinds = if kinds.is_empty() {
        String::new()
    } else {
        format!(" ({})", kinds.join(", "))
    };
    let unreachable = checked.iter().filter(|p| p.least_possible.is_some());
    let unreachable = match unreachable.count() {
        0 if inspection.asked_unreachable => {
            " (none unreachable within the joint limits)".to_owned()
        }
        0 => String::new(),
        n => format!(" ({n} unreachable within the joint limits)"),
    };
    let tip = if inspection.asked_unreachable {
        "; `--pairs` lists them"
    } else {
        "; `--pairs` lists them, `--unreachable` says which can never meet"
    };
    lines.push(format!(
        "{} checked{unreachable}, {} not{kinds}{}",
        count(checked.len(), "pair"),
        excluded.len() + inspection.standing_pairs,
        if all { "" } else { tip }
    ));
    if all {
        let rows = inspection.pairs.iter().map(|pair| {
            let state = match (&pair.reason, pair.required_clearance) {
                (Some(reason), _) => format!("not checked: {reason}"),
                (None, clearance) => {
                    let threshold = stated_millimetres(clearance.unwrap_or(0.0));
                    let unreachable = pair.least_possible.map_or(String::new(), |least| {
                        let bound = millimetres_down(least);
                        // Rounded down, a bound may say nothing any more.
                        if bound == millimetres(0.0)
                            || least <= pair.required_clearance.unwrap_or(0.0)
                        {
                            format!("; unreachable, always more than {threshold} apart")
                        } else {
                            format!("; unreachable, never nearer than {bound}")
                        }
                    });
                    format!("checked, threshold {threshold}{unreachable}")
                }
            };
            vec![pair.a.clone(), pair.b.clone(), state]
        });
        table(&["body", "body", "state"], rows.collect(), lines);
        if inspection.standing_pairs > 0 {
            lines.push(format!(
                "and {} of bodies that stand still: not checked",
                count(inspection.standing_pairs, "pair")
            ));
        }
    }
    lines.push(String::new());
}
