//! Programs of the exporter with tokens deleted, renamed, doubled and moved, through to their
//! verdicts. What a mutant means is judged without the readers: it is matched against the very few
//! shapes of lines that the exporter writes ([`super::meaning`]), its numbers are turned into joint
//! values or poses by plain formulas, and those are held against the motion that was checked, poses
//! by forward kinematics. A mutant that has none of these shapes means nothing here, and must not
//! be verified.
//!
//! `CLEARANCE_MUTANTS=10000 cargo test --test suite -- dialects::mutants --nocapture` tries so many
//! of each dialect.

use clearance::findings::Verdict;
use clearance::run::{Job, NoProgress, Verifier, prepare};
use clearance_formats::LoadedCell;
use clearance_programs::{Bounds, ControlledArm, Options};
use clearance_proof::model::moves::{MoveKind, Zone};
use clearance_proof::motion::programmed::CellMoves;
use nalgebra::Isometry3;

use super::export::{Dialect, Step, Writer, dialects};
use super::meaning::{End, Meant, meaning};
use super::*;
use crate::common::Random;

/// Mutants of each dialect: a few, or as many as `CLEARANCE_MUTANTS` says.
fn tries() -> usize {
    let asked = std::env::var("CLEARANCE_MUTANTS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(150)
}

/// The example arm with one small ball at its end, and another one out of its reach: checks cost
/// little.
fn folder(dialect: &Dialect) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/arm6/robot.urdf");
    let mut urdf = std::fs::read_to_string(example).expect("the example");
    for tag in ["visual", "collision"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        while let (Some(from), Some(to)) = (urdf.find(&open), urdf.find(&close)) {
            urdf.replace_range(from..to + close.len(), "");
        }
    }
    let ball = "<link name=\"link_6\"><collision><geometry><sphere radius=\"0.02\"/></geometry></collision>";
    let urdf = urdf.replace("<link name=\"link_6\">", ball);
    std::fs::write(folder.path().join("robot.urdf"), urdf).expect("a robot");
    let controller = controller_text(dialect);
    let cell = format!(
        "[[robot]]\nname = \"arm\"\nurdf = \"robot.urdf\"\n{controller}\n\n[[obstacle]]\nname = \"far\"\nsphere = 0.1\npose = {{ xyz = [4, 0, 0] }}\n"
    );
    std::fs::write(folder.path().join("cell.toml"), cell).expect("a cell");
    folder
}

/// A word of letters and digits, or a sign; with what is blank before it.
type Token = (String, String);

fn tokens(text: &str) -> Vec<Token> {
    let word = |c: char| c.is_alphanumeric() || "_.".contains(c);
    let mut found: Vec<Token> = Vec::new();
    let (mut blank, mut current) = (String::new(), String::new());
    for c in text.chars() {
        let goes_on = current.is_empty() || word(c) && current.chars().all(word);
        if !goes_on {
            found.push((std::mem::take(&mut blank), std::mem::take(&mut current)));
        }
        if c.is_whitespace() {
            blank.push(c)
        } else {
            current.push(c)
        }
    }
    if !current.is_empty() {
        found.push((blank, current));
    }
    found
}

fn renamed(word: &str, all: &[Token], random: &mut Random) -> String {
    match word.parse::<f64>() {
        Ok(number) if random.below(2) == 0 => (number + 1.0).to_string(),
        Ok(number) if number.fract() != 0.0 && random.below(2) == 0 => (number * 1.01).to_string(),
        _ if random.below(3) == 0 => format!("{word}X"),
        // By another word of the program: names that exist are worse than names that do not.
        _ => all[random.below(all.len())].1.clone(),
    }
}

/// One to three changes.
fn mutated(original: &[Token], random: &mut Random) -> Vec<Token> {
    let mut tokens = original.to_vec();
    for _ in 0..[1, 1, 1, 1, 2, 3][random.below(6)] {
        let k = random.below(tokens.len());
        match random.below(4) {
            // Blanks stay, so that lines do not run together.
            0 => {
                let (blank, _) = tokens.remove(k);
                if let Some(next) = tokens.get_mut(k) {
                    next.0 = blank + &next.0;
                }
            }
            1 => tokens.insert(k + 1, (" ".to_owned(), tokens[k].1.clone())),
            2 => tokens[k].1 = renamed(&tokens[k].1, original, random),
            _ => {
                let far = random.below(12);
                let other = (k + 1 + far * far / 12).min(tokens.len() - 1);
                let (a, b) = (tokens[k].1.clone(), tokens[other].1.clone());
                (tokens[k].1, tokens[other].1) = (b, a);
            }
        }
    }
    tokens
}

/// The answer of the readers to a text: the moves that are checked, and the joint values at their
/// ends. `None`: it is not all known.
fn read(
    loaded: &LoadedCell,
    file: &Path,
    text: &str,
) -> Option<(Vec<(MoveKind, Zone)>, CellMoves)> {
    let controller = ControlledArm::of(loaded, None).expect("the controller");
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        read_neighbour: &clearance_formats::program::read,
        orientation_tube: 0.1,
    };
    let reading = clearance_programs::read(file, text.as_bytes(), &controller, &options).ok()?;
    let [way] = &reading.ways[..] else {
        return None;
    };
    if !way.unknown.is_empty() {
        return None;
    }
    let for_cell = CellMoves::new(way, &loaded.cell, 0.1).ok()?;
    let moves = way.moves.iter().map(|m| (m.kind.clone(), m.zone));
    Some((moves.collect(), for_cell))
}

/// Why a motion is not that of a meaning; none: it is.
fn differs(loaded: &LoadedCell, file: &Path, text: &str, meant: &[Meant]) -> Option<String> {
    let Some((moves, for_cell)) = read(loaded, file, text) else {
        return Some("it has several ways, or none".to_owned());
    };
    if moves.len() != meant.len() || for_cell.ends.len() != meant.len() + 1 {
        return Some(format!("{} moves of {}", moves.len(), meant.len()));
    }
    let cell = &loaded.cell;
    let flange = cell.bodies.iter().find(|b| b.name == "arm/tool0");
    let flange = flange.expect("the flange");
    for (k, meant) in meant.iter().enumerate() {
        let (kind, zone) = &moves[k];
        let q = &for_cell.ends[k + 1].q;
        let (joint, off) = match &meant.to {
            End::Joints { joint, degrees } => {
                let off = q.iter().zip(degrees);
                let off = off.map(|(q, d)| (q - d.to_radians()).abs());
                (*joint, off.fold(0.0, f64::max))
            }
            End::Line { pose, tool } | End::Reached { pose, tool } => {
                let world_from_joint = cell.forward(q);
                let carrier = world_from_joint[flange.joint.expect("a joint")];
                let found: Isometry3<f64> = carrier * flange.joint_from_body * tool;
                let away = (found.translation.vector - pose.translation.vector).norm();
                let joint = matches!(meant.to, End::Reached { .. });
                (joint, away.max(found.rotation.angle_to(&pose.rotation)))
            }
        };
        let same_kind = *kind
            == if joint {
                MoveKind::Joint
            } else {
                MoveKind::Linear
            };
        let same_zone = if meant.stops {
            *zone == Zone::Stop
        } else {
            *zone == Zone::Unknown
        };
        if !same_kind || !same_zone || off.is_nan() || off > 1e-6 {
            return Some(format!("move {}: {kind:?} {zone:?}, {off:e} off", k + 1));
        }
    }
    None
}

/// Whether an error names a line: `file:12`.
fn has_line(error: &str) -> bool {
    let mut after = error.split(':').skip(1);
    after.any(|part| part.chars().next().is_some_and(|c| c.is_ascii_digit()))
}

#[derive(Debug, Default)]
struct Counts {
    original: usize,
    other: usize,
    unverified: usize,
    refused_with_meaning: usize,
}

/// Tries mutants of one dialect; with what is wrong.
fn tried(dialect: &Dialect, tries: usize) -> (Counts, Vec<String>) {
    let folder = folder(dialect);
    let job = Job::new(folder.path().join("cell.toml"), Vec::new());
    let prepared = prepare(&job_of(&folder.path().join("cell.toml")), &NoProgress);
    let prepared = prepared.unwrap_or_else(|e| panic!("{}: {e}", dialect.name));
    let verifier = Verifier::new(&job, &prepared).expect("a cell");
    let loaded = &prepared.loaded;
    let cell = &loaded.cell;
    let text = (dialect.write)(&Writer {
        axes: &dialect.axes,
        cell,
        steps: &[
            Step::Joint(ABOVE),
            Step::Linear(PLACE),
            Step::Linear(ABOVE),
            Step::Joint(BESIDE),
        ],
    });
    let file = folder.path().join(dialect.file);
    let right = meaning(dialect, &text).expect("what the exporter writes has a meaning");
    assert_eq!(differs(loaded, &file, &text, &right), None, "{text}");
    let original = tokens(&text);
    let joined = |tokens: &[Token]| -> String {
        let parts = tokens.iter().map(|(blank, word)| format!("{blank}{word}"));
        parts.collect::<String>() + "\n"
    };
    assert_eq!(joined(&original), text);
    let mut random = Random(7);
    let mut counts = Counts::default();
    let mut wrong: Vec<String> = Vec::new();
    for _ in 0..tries {
        let mutant = joined(&mutated(&original, &mut random));
        std::fs::write(&file, &mutant).expect("a program");
        let outcome = verifier.verify_file(&file, &|_| ());
        let error = outcome.error.clone().unwrap_or_default();
        let meant = meaning(dialect, &mutant);
        let why = match (outcome.verdict, &meant) {
            (Verdict::Unverified, meant) => {
                counts.unverified += 1;
                counts.refused_with_meaning += usize::from(meant.is_some());
                match () {
                    () if error.contains("internal error") => Some(error),
                    () if !has_line(&error) => Some(format!("no line: {error}")),
                    () => None,
                }
            }
            (verdict, None) => Some(format!("{verdict:?}, and it means nothing")),
            (_, Some(meant)) => {
                if *meant == right {
                    counts.original += 1
                } else {
                    counts.other += 1
                }
                differs(loaded, &file, &mutant, meant)
            }
        };
        if let Some(why) = why {
            wrong.push(format!(
                "{}: {why}\n{}",
                dialect.name,
                changes(&text, &mutant)
            ));
        }
    }
    (counts, wrong)
}

/// The lines that differ.
fn changes(text: &str, mutant: &str) -> String {
    let lines = text.lines().zip(mutant.lines());
    let lines = lines.filter(|(a, b)| a != b);
    let told: Vec<String> = lines.map(|(a, b)| format!("  - {a}\n  + {b}")).collect();
    told.join("\n")
}

#[test]
#[allow(clippy::print_stdout)] // The figures of docs/qualification.md.
fn no_mutant_is_verified_for_another_motion_than_its_own() {
    let mut all: Vec<String> = Vec::new();
    for dialect in dialects() {
        let (counts, wrong) = tried(&dialect, tries());
        println!("{}: {counts:?}, {} wrong", dialect.name, wrong.len());
        all.extend(wrong.into_iter().take(15));
        // Each happens, so each is looked at.
        assert!(counts.unverified > 50, "{counts:?}");
        assert!(counts.original > 0 && counts.other > 0, "{counts:?}");
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
