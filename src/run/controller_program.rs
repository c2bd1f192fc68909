//! Programs in the languages of controllers: every way through one becomes a motion of its own, and
//! the program's answer is the worst of them.

mod all_ways;

use std::path::Path;
use std::time::Instant;

use clearance_formats::program::motion::ImportedMoves;
use clearance_formats::{ImportError, LoadedCell, Problem};
use clearance_programs::controller::PointDifference;
use clearance_programs::{Bounds, ControlledArm, Dialect, Options, Reading, recognise};
use clearance_proof::model::moves::MoveProgram;
use clearance_proof::model::{Cell, JointKind};

use all_ways::WayAnswer;

use super::Job;
use super::taught::{Taught, taken_for_granted};
use super::uncovered::open_question;
use crate::findings::{Code, Diagnostic, Location, ProgramOutcome, Severity, Verdict};

/// Ways whose names a report lists.
const MOST_NAMED: usize = 8;

/// Reads a program of a controller; none: it is a table or a message. `read_neighbour` reads the other
/// files that it takes.
pub(super) fn ways(
    file: &Path,
    bytes: &[u8],
    robot: Option<&str>,
    job: &Job,
    loaded: &LoadedCell,
    read_neighbour: &dyn Fn(&Path) -> Result<Vec<u8>, ImportError>,
) -> Option<Result<Reading, ImportError>> {
    recognise(bytes, file)?;
    let options = Options {
        routine: job.routine.as_deref(),
        bounds: Bounds {
            until: job
                .time_limit
                .and_then(|limit| Instant::now().checked_add(limit)),
            ..Bounds::default()
        },
        read_neighbour,
        orientation_tube: job.orientation_tube,
    };
    let controller =
        ControlledArm::of(loaded, robot).map_err(|problem| ImportError::file(file, problem));
    Some(controller.and_then(|c| clearance_programs::read(file, bytes, &c, &options)))
}

/// The ways that are verified: those that move the arm, or may do so, if any does. On the others it
/// stands where it was.
pub(super) fn moving(reading: &Reading) -> Vec<&MoveProgram> {
    let moves = |way: &&MoveProgram| !(way.moves.is_empty() && way.unknown.is_empty());
    let moving: Vec<&MoveProgram> = reading.ways.iter().filter(moves).collect();
    if moving.is_empty() {
        reading.ways.iter().collect()
    } else {
        moving
    }
}

/// The only way through a program: what several programs on one clock, and pictures, are made of.
///
/// # Errors
/// When there are several, or its path cannot be built.
pub(super) fn only(file: &Path, reading: &Reading, cell: &Cell) -> Result<Taught, ImportError> {
    // Ways without motion count as well: other programs may move beside the arm that stands.
    match &reading.ways[..] {
        // Where ways join, another one may go on earlier or later as this one does.
        [way] if !reading.join => Ok(Taught::Moves(Box::new(known_moves(way, reading, cell)?))),
        ways => Err(ImportError::file(
            file,
            Problem::Unsupported {
                what: match ways.len() {
                    1 => "a program with ways that part and join, together with others or in a picture".to_owned(),
                    n => format!(
                        "a program with {n} ways through it, together with others or in a picture"
                    ),
                },
                remedy: if reading.join {
                    "verify it alone and without a page"
                } else {
                    "verify it alone and without a page, or choose a way with `clearance convert --way` and use what that writes"
                }
                .into(),
            },
        )),
    }
}

/// A way as moves whose joint values are still to be found. Of what it takes for granted only that
/// is in it which the files contradict, and which leaves the answer open: the rest is told beside
/// the answers for all ways.
///
/// # Errors
/// When something of its motion is not known, or when there is no motion.
pub(super) fn taught(
    way: &MoveProgram,
    reading: &Reading,
    cell: &Cell,
) -> Result<Taught, ImportError> {
    let mut motion = known_moves(way, reading, cell)?;
    motion.assumed.retain(|assumed| assumed.contradicted);
    Ok(Taught::Moves(Box::new(motion)))
}

/// The same, with what it takes for granted.
fn known_moves(
    way: &MoveProgram,
    reading: &Reading,
    cell: &Cell,
) -> Result<ImportedMoves, ImportError> {
    known(way)?;
    if way.moves.is_empty() {
        return Err(ImportError::at(
            &way.source,
            1,
            None,
            Problem::Syntax {
                cause: "there is no move in it".into(),
                remedy: "name the program that moves the arm".into(),
            },
        ));
    }
    Ok(moves(way, reading, cell))
}

/// A way with all that the reading says of it.
pub(super) fn moves(way: &MoveProgram, reading: &Reading, cell: &Cell) -> ImportedMoves {
    ImportedMoves {
        program: way.clone(),
        unproved: reading.point_differences.is_empty(),
        assumed: reading.assumed.clone(),
        slides: Some(slides(way, cell)),
        in_radians: matches!(reading.dialect, Dialect::UrScript | Dialect::PolyScope),
    }
}

/// Which of its joints slide. Readers give each joint its own unit, as the cell's map from the
/// controller does.
pub(super) fn slides(way: &MoveProgram, cell: &Cell) -> Vec<String> {
    let slides = |name: &&String| {
        let mut joints = cell.joints.iter();
        joints.any(|j| j.name == **name && j.kind == JointKind::Prismatic)
    };
    way.joints.iter().filter(slides).cloned().collect()
}

/// That all of a program's motion is known.
///
/// # Errors
/// With the first thing that is not.
fn known(program: &MoveProgram) -> Result<(), ImportError> {
    let Some(first) = program.unknown.first() else {
        return Ok(());
    };
    let more = match program.unknown.len() - 1 {
        0 => String::new(),
        1 => " (1 more reason)".to_owned(),
        n => format!(" ({n} more reasons)"),
    };
    let remedy = format!(
        "rewrite the statement, or check an export of the joint values; see `clearance explain unknown-motion`{more}"
    );
    let cause = first.reason.clone();
    Err(ImportError {
        place: first.place.clone(),
        problem: Problem::Syntax { cause, remedy },
    })
}

/// The answer for a program from those for the ways through it, in their order.
pub(super) fn together(
    reading: &Reading,
    ways: &[&MoveProgram],
    answers: Vec<ProgramOutcome>,
) -> Option<ProgramOutcome> {
    let several = answers.len() > 1;
    let mut told: Vec<Diagnostic> = if several {
        notices_of_ways(ways, &answers)
    } else {
        Vec::new()
    };
    let motionless = reading.ways.len() - ways.len();
    if motionless > 0 {
        let message = format!(
            "on {motionless} of {} ways through the program nothing moves",
            reading.ways.len()
        );
        told.push(Diagnostic::note(Code::Way, String::new(), message));
    }
    let mut unlike = events_at_unlike_lines(ways, &answers);
    if reading.join && unlike.is_empty() {
        unlike.extend(events_behind_joints(&answers));
    }
    let k = all_ways::told(&answers)?;
    let way = ways.get(k)?;
    let mut others: Vec<WayAnswer> = (ways.iter().zip(answers))
        .map(|(way, answer)| WayAnswer {
            name: &way.name,
            answer,
        })
        .collect();
    let mut answer = others.remove(k).answer;
    if several {
        answer.error = answer.error.map(|error| {
            if way.name.is_empty() {
                error
            } else {
                format!("{error} (on the way where {})", way.name)
            }
        });
    }
    all_ways::take_in(&mut answer, others);
    if let Some(first) = unlike.first() {
        answer.verdict = answer.verdict.max(Verdict::Unverified);
        answer.unsettled = true;
        let open = || open_question(first, unlike.len());
        answer.error.get_or_insert_with(open);
        answer.add_remarks(unlike);
    }
    answer.add_remarks(told);
    // What leaves the question open was told with the answer already.
    let mut more = remarks(reading, way);
    more.retain(|remark| !answer.unchecked.contains(remark));
    answer.add_remarks(more);
    Some(answer)
}

/// Events whose waypoint is another line of the program on another way: each way counts its own
/// waypoints, and the number cannot be meant for both.
fn events_at_unlike_lines(ways: &[&MoveProgram], answers: &[ProgramOutcome]) -> Vec<Diagnostic> {
    let events = |k: usize| match &answers[k].timeline {
        Some(facts) => &facts.events[..],
        None => &[],
    };
    let mut unlike = Vec::new();
    for k in 1..answers.len() {
        for (one, other) in events(0).iter().zip(events(k)) {
            let [ends, other_ends] = [one, other].map(|event| {
                [
                    (event.lines, &event.files),
                    (event.until_lines, &event.until_files),
                ]
            });
            let mut ends = ends.into_iter().zip(other_ends);
            let Some((on_one, on_other)) = ends.find(|(end, other)| end != other) else {
                continue;
            };
            let (Some(place), Some(other_place)) = (line_of(on_one), line_of(on_other)) else {
                continue;
            };
            let is_told = unlike
                .iter()
                .any(|told: &Diagnostic| told.subject == one.by);
            if one.by != other.by || is_told {
                continue;
            }
            let on = |way: &MoveProgram| match way.name.as_str() {
                "" => "on one way".to_owned(),
                name => format!("on the way where {name}"),
            };
            unlike.push(Diagnostic {
                subject: one.by.clone(),
                message: format!(
                    "its waypoint is {place} {}, and {other_place} {}: a number of a waypoint is counted on each way anew; put \
                     the event before the ways part, or verify each way as a program of its own",
                    on(ways[0]),
                    on(ways[k]),
                ),
                place: None,
                severity: Severity::Open,
                code: Code::Way,
            });
        }
    }
    unlike
}

/// The later one of two lines, with its file where that is not the program's own.
fn line_of((lines, files): (Option<[usize; 2]>, &Option<[String; 2]>)) -> Option<String> {
    let [_, line] = lines?;
    Some(match files {
        Some([_, file]) => format!("line {line} of {file}"),
        None => format!("line {line}"),
    })
}

/// The first event of a program whose ways lead on from loops as other ways do: which of these an
/// event lies on is counted from the start of each way, and what follows is followed once.
fn events_behind_joints(answers: &[ProgramOutcome]) -> Option<Diagnostic> {
    let mut all = answers.iter().filter_map(|answer| answer.timeline.as_ref());
    let event = all.find_map(|facts| facts.events.first())?;
    Some(Diagnostic {
        subject: event.by.clone(),
        message: "ways through the program go on from a loop as other ways do, and what holds from an event on was not \
                  checked for all of them; verify what stands in the loop as a program of its own"
            .to_owned(),
        place: None,
        severity: Severity::Open,
        code: Code::Way,
    })
}

/// Facts about the program that a reader of the answer must know.
pub(super) fn remarks(reading: &Reading, way: &MoveProgram) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for unknown in &way.unknown {
        found.push(Diagnostic {
            code: Code::UnknownMotion,
            place: Some(unknown.place.clone()),
            severity: Severity::Open,
            subject: unknown.place.to_string(),
            message: unknown.reason.clone(),
        });
    }
    found.extend(reading.assumed.iter().map(taken_for_granted));
    found.extend(model_differs(&reading.point_differences));
    if !way.passed_over.is_empty() {
        let list: Vec<String> = (way.passed_over.iter())
            .map(|(word, count)| format!("{word} ({count})"))
            .collect();
        found.push(
            Diagnostic::note(
                Code::PassedOver,
                way.source.display().to_string(),
                format!("cannot move the arm: {}", list.join(", ")),
            )
            .at(Location::file(&way.source)),
        );
    }
    found
}

/// How far poses in the file lie beside the model of the robot.
fn model_differs(points: &[PointDifference]) -> Option<Diagnostic> {
    let farthest = (points.iter()).max_by(|a, b| a.distance_m.total_cmp(&b.distance_m))?;
    let angle = points.iter().map(|p| p.angle_rad).fold(0.0, f64::max);
    points.iter().any(PointDifference::differs).then(|| Diagnostic {
        code: Code::ModelDiffers,
        place: Some(farthest.place.clone()),
        // Whether the answer allows for it is told with the answer.
        severity: Severity::Note,
        subject: farthest.place.to_string(),
        message: format!(
            "joint values and poses of the file differ in the robot's model by up to {:.2} mm (`{}`) and {:.2}°: the arm lies that far beside its model",
            farthest.distance_m * 1e3,
            farthest.label,
            angle.to_degrees()
        ),
    })
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Clear => "clear",
        Verdict::Unverified => "unverified",
        Verdict::Undecided => "undecided",
        Verdict::Possible => "possible",
        Verdict::Collision => "collision",
    }
}

/// The verdict of each way.
fn notices_of_ways(ways: &[&MoveProgram], answers: &[ProgramOutcome]) -> Vec<Diagnostic> {
    let told = |(way, answer): (&&MoveProgram, &ProgramOutcome)| {
        Diagnostic::note(
            Code::Way,
            way.source.display().to_string(),
            format!("{}: {}", word(answer.verdict), way.name),
        )
        .at(Location::file(&way.source))
    };
    let mut found: Vec<Diagnostic> = (ways.iter())
        .zip(answers)
        .take(MOST_NAMED)
        .map(told)
        .collect();
    if answers.len() > MOST_NAMED {
        let bad = answers.iter().filter(|a| a.verdict != Verdict::Clear);
        let message = format!(
            "{} ways through the program, {} of them not clear",
            answers.len(),
            bad.count()
        );
        found.push(Diagnostic::note(Code::Way, String::new(), message));
    }
    found
}

#[cfg(test)]
mod tests;
