//! The joints that the columns of a program mean.

use crate::ProofError;
use crate::model::{Cell, Column, JointKind, JointNames, Program, Quantity};

/// For so few columns it is less work to look at every joint than to build a table of names.
const FEW: usize = 16;

/// The joint of every column.
pub(super) fn resolve(program: &Program, cell: &Cell) -> Result<Vec<usize>, ProofError> {
    let many = (program.columns.len() > FEW).then(|| JointNames::new(cell));
    let mut columns: Vec<usize> = Vec::with_capacity(program.columns.len());
    let mut column_of: Vec<Option<usize>> = vec![None; cell.joints.len()];
    for (at, column) in program.columns.iter().enumerate() {
        let fail = |problem: String, remedy: String| ProofError::Program {
            file: program.source.clone(),
            line: column.line,
            problem,
            remedy,
        };
        let found = match &many {
            Some(names) => names.get(&column.joint).into(),
            None => cell.joints_named(&column.joint),
        };
        let joint = match found[..] {
            [joint] => joint,
            [] if cell.is_fixed(&column.joint) => {
                return Err(fail(
                    format!("joint `{}` is fixed in the URDF", column.joint),
                    "leave it out of the program: it has no value".into(),
                ));
            }
            [] => {
                return Err(fail(
                    format!("unknown joint `{}`", column.joint),
                    unit_or_time(column, cell)
                        .unwrap_or_else(|| similar_names(&column.joint, cell)),
                ));
            }
            _ => {
                let problem = format!("joint `{}` belongs to several robots", column.joint);
                return Err(fail(problem, remedy_for_ambiguous_name(&found, cell)));
            }
        };
        if let Some(before) = column_of[joint].replace(at) {
            return Err(fail(
                format!(
                    "`{}` (column {}) and `{}` (column {}) are the same joint",
                    program.columns[before].joint,
                    before + 1,
                    column.joint,
                    at + 1
                ),
                "keep one of them".into(),
            ));
        }
        let turns = cell.joints[joint].kind != JointKind::Prismatic;
        match (column.quantity, turns) {
            (Quantity::Angle, false) => {
                return Err(fail(
                    format!("`{}` slides, but its unit is an angle", column.joint),
                    format!(
                        "give it in a length unit, for example `{}[mm]`",
                        column.joint
                    ),
                ));
            }
            (Quantity::Length, true) => {
                return Err(fail(
                    format!("`{}` turns, but its unit is a length", column.joint),
                    format!(
                        "give it in an angle unit, for example `{}[deg]`",
                        column.joint
                    ),
                ));
            }
            _ => columns.push(joint),
        }
    }
    Ok(columns)
}

/// The remedy where a name means several joints.
fn remedy_for_ambiguous_name(found: &[usize], cell: &Cell) -> String {
    // One may be called as another one is in full: its own full name then tells nothing.
    let (told, untold): (Vec<usize>, Vec<usize>) = found
        .iter()
        .partition(|&&joint| cell.joints_named(&cell.joint_label(joint)).len() == 1);
    let names: Vec<String> = told
        .iter()
        .map(|&joint| format!("`{}`", cell.joint_label(joint)))
        .collect();
    match untold.first() {
        None => format!("write {}", names.join(" or ")),
        Some(_) if told.is_empty() => "give one of the robots another name".to_owned(),
        Some(&joint) => format!(
            "write {}, or give robot `{}` another name",
            names.join(" or "),
            cell.robots[cell.joints[joint].robot].name
        ),
    }
}

/// Units as they stand behind the name of a joint.
const UNITS: [(&str, &str); 12] = [
    ("deg", "deg"),
    ("degree", "deg"),
    ("degrees", "deg"),
    ("°", "deg"),
    ("rad", "rad"),
    ("radian", "rad"),
    ("radians", "rad"),
    ("mm", "mm"),
    ("cm", "cm"),
    ("m", "m"),
    ("in", "in"),
    ("inch", "in"),
];

/// What columns of times are called elsewhere, and with which unit.
const TIMES: [(&str, &str); 16] = [
    ("t", ""),
    ("timestamp", ""),
    ("timestamps", ""),
    ("times", ""),
    ("time_s", ""),
    ("time s", ""),
    ("t_s", ""),
    ("sec", ""),
    ("secs", ""),
    ("second", ""),
    ("seconds", ""),
    ("zeit", ""),
    ("time_ms", "[ms]"),
    ("time ms", "[ms]"),
    ("t_ms", "[ms]"),
    ("ms", "[ms]"),
];

/// The remedy where the name of a column is that of a joint with its unit, or means the times.
fn unit_or_time(column: &Column, cell: &Cell) -> Option<String> {
    let is_message = matches!(column.quantity, Quantity::Message | Quantity::Measured);
    if let Some((joint, unit)) = with_unit(&column.joint, cell) {
        return Some(if is_message {
            format!(
                "name it `{joint}`, and convert its values: here they are radians and metres, whatever the name says"
            )
        } else {
            format!("a unit stands in square brackets: write `{joint}[{unit}]`")
        });
    }
    let name = column.joint.to_lowercase();
    let (_, unit) = TIMES.iter().find(|(time, _)| *time == name)?;
    (!is_message).then(|| {
        let other = match *unit {
            "" => "; `time[ms]` where they are milliseconds",
            _ => "",
        };
        format!("if it has the times, call it `time{unit}`{other}")
    })
}

/// A known joint and the unit that stands behind it in a name: `x_mm`, `x mm`, `x[mm]`.
fn with_unit(name: &str, cell: &Cell) -> Option<(String, &'static str)> {
    let open = name.trim_end_matches([']', ')']);
    let units = UNITS.iter().filter_map(|(word, unit)| {
        let at = open.len().checked_sub(word.len())?;
        let ends = open.get(at..)?.eq_ignore_ascii_case(word);
        ends.then(|| (&open[..at], *unit))
    });
    units
        .filter_map(|(rest, unit)| {
            let joint = rest.trim_end_matches(['_', ' ', '-', '.', '[', '(']);
            // `rpm` is no `rp` in metres.
            let is_unit = joint.len() < rest.len() && cell.joints_named(joint).len() == 1;
            is_unit.then(|| (joint.to_owned(), unit))
        })
        .next()
}

/// "did you mean …", with at most three names.
fn similar_names(name: &str, cell: &Cell) -> String {
    if cell.joints.is_empty() {
        return "the cell has no movable joint".into();
    }
    let bare = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let mut known: Vec<(usize, String)> = (0..cell.joints.len())
        .map(|id| {
            let distance = levenshtein_distance(&bare, &cell.joints[id].name.to_lowercase());
            (distance, cell.joint_label(id))
        })
        .collect();
    known.sort();
    let close = known
        .iter()
        .take_while(|k| k.0 <= 2 + bare.len() / 4)
        .count();
    let names = |n: usize| {
        known
            .iter()
            .take(n)
            .map(|k| format!("`{}`", k.1))
            .collect::<Vec<_>>()
            .join(", ")
    };
    if close > 0 {
        format!("did you mean {}?", names(close.min(3)))
    } else {
        let rest = known.len().saturating_sub(12);
        let more = if rest > 0 {
            format!(" and {rest} more")
        } else {
            String::new()
        };
        format!(
            "the cell's movable joints are {}{more} (fixed joints are not moved by programs)",
            names(12)
        )
    }
}

/// Levenshtein distance.
fn levenshtein_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
