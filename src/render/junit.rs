//! JUnit XML: one case a program, in a suite of its own, because only suites may carry properties.

use std::io::{self, Write};

use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::Writer;

use super::list::{Rule, findings, notices, of_program, result_word, scope};
use super::printable::printable;
use crate::findings::{FailOn, Outcome, PairClass, ProgramOutcome, Severity};

/// The outcome as JUnit XML. A program that fails is a `failure`, one about which nothing could be
/// said an `error`; findings that do not make the run fail stand in the case's output.
pub fn junit(outcome: &Outcome, fail_on: &FailOn) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail, and only text is written.
    let done = write(&mut bytes, outcome, fail_on);
    debug_assert!(done.is_ok());
    String::from_utf8(bytes).unwrap_or_default()
}

/// The result of a program.
#[derive(Clone, Copy, PartialEq)]
enum JunitStatus {
    Passed,
    Failure,
    Error,
}

fn status(program: &ProgramOutcome, outcome: &Outcome, fail_on: &FailOn) -> JunitStatus {
    if fail_on.found(program, outcome) {
        JunitStatus::Failure
    } else if outcome.error.is_some() || FailOn::unanswered(program) {
        JunitStatus::Error
    } else {
        JunitStatus::Passed
    }
}

fn write(bytes: &mut Vec<u8>, outcome: &Outcome, fail_on: &FailOn) -> io::Result<()> {
    let mut writer = Writer::new_with_indent(bytes, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let fates: Vec<JunitStatus> = outcome
        .programs
        .iter()
        .map(|p| status(p, outcome, fail_on))
        .collect();
    let count = |status| fates.iter().filter(|&&f| f == status).count();
    // A run without programs has answered nothing: that must not pass for a green report.
    let nothing = usize::from(outcome.programs.is_empty());
    let total: f64 = outcome
        .programs
        .iter()
        .map(|p| p.statistics.check_seconds)
        // The sum of no durations is −0, which the schema refuses.
        .fold(0.0, |sum, seconds| sum + seconds);
    writer
        .create_element("testsuites")
        .with_attributes(attributes(&[
            ("name", &outcome.tool),
            ("tests", &(fates.len() + nothing).to_string()),
            ("failures", &count(JunitStatus::Failure).to_string()),
            ("errors", &(count(JunitStatus::Error) + nothing).to_string()),
            ("time", &format!("{total:.3}")),
        ]))
        .write_inner_content(|w| {
            for (program, &status) in outcome.programs.iter().zip(&fates) {
                suite(w, program, status, outcome, fail_on)?;
            }
            if nothing > 0 {
                no_program(w, outcome)?;
            }
            w.get_mut().flush()
        })?;
    writer.get_mut().write_all(b"\n")
}

fn suite<W: Write>(
    writer: &mut Writer<W>,
    program: &ProgramOutcome,
    status: JunitStatus,
    outcome: &Outcome,
    fail_on: &FailOn,
) -> io::Result<()> {
    let seconds = format!("{:.3}", program.statistics.check_seconds);
    let one_if = |yes: bool| if yes { "1" } else { "0" };
    writer
        .create_element("testsuite")
        .with_attributes(attributes(&[
            ("name", &program.program),
            ("tests", "1"),
            ("failures", one_if(status == JunitStatus::Failure)),
            ("errors", one_if(status == JunitStatus::Error)),
            ("skipped", "0"),
            ("time", &seconds),
        ]))
        .write_inner_content(|w| {
            w.create_element("properties").write_inner_content(|w| {
                for (name, value) in properties(program, outcome) {
                    w.create_element("property")
                        .with_attributes(attributes(&[("name", name), ("value", &value)]))
                        .write_empty()?;
                }
                Ok(())
            })?;
            let case = w.create_element("testcase").with_attributes(attributes(&[
                ("name", &program.program),
                ("classname", class(&outcome.cell)),
                ("time", &seconds),
            ]));
            let (failing, other) = failing_and_other(program, outcome, fail_on);
            if status == JunitStatus::Passed && other.is_empty() {
                case.write_empty()?;
                return Ok(());
            }
            case.write_inner_content(|w| {
                if status != JunitStatus::Passed {
                    let kind = if status == JunitStatus::Error {
                        "error"
                    } else {
                        "failure"
                    };
                    let first = failing.first().map_or("", String::as_str);
                    w.create_element(kind)
                        .with_attributes(attributes(&[
                            (
                                "type",
                                if outcome.error.is_some() {
                                    "unverified"
                                } else {
                                    result_word(program)
                                },
                            ),
                            ("message", first),
                        ]))
                        .write_text_content(text(&body(&failing, outcome)))?;
                }
                if !other.is_empty() {
                    w.create_element("system-out")
                        .write_text_content(text(&other.join("\n")))?;
                }
                Ok(())
            })?;
            Ok(())
        })?;
    Ok(())
}

/// The findings of a program that make it fail, and the others, a line each.
fn failing_and_other(
    program: &ProgramOutcome,
    outcome: &Outcome,
    fail_on: &FailOn,
) -> (Vec<String>, Vec<String>) {
    let mut list = of_program(program, outcome);
    // A case stands alone in most viewers: what concerns all of them is said in each.
    list.extend(notices(outcome));
    if outcome.error.is_some() {
        list.extend(findings(outcome).into_iter().take(1).map(|mut f| {
            f.rule = Rule::Unverified;
            f
        }));
    }
    let (failing, other): (Vec<_>, Vec<_>) = list
        .into_iter()
        .partition(|f| !f.rule.is_record() && (outcome.error.is_some() || f.rule.fails(fail_on)));
    let line = |f: &super::list::Finding| {
        let place = &f.place;
        // Errors of input begin with their place.
        let at = match (f.rule, place.line) {
            (Rule::Unverified, _) => String::new(),
            (_, Some(line)) => format!("{}:{line}: ", printable(&place.file)),
            (_, None) => format!("{}: ", printable(&place.file)),
        };
        format!("{at}{}: {}", f.rule.as_str(), f.message)
    };
    (
        failing.iter().map(line).collect(),
        other.iter().map(line).collect(),
    )
}

fn body(failing: &[String], outcome: &Outcome) -> String {
    format!(
        "{}\n{}: {}",
        failing.join("\n"),
        printable(&outcome.cell),
        scope(outcome)
    )
}

/// Numbers that a dashboard may want, SI.
fn properties(program: &ProgramOutcome, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let mut list = vec![
        ("cell", outcome.cell.clone()),
        ("verdict", result_word(program).to_owned()),
        ("threshold_m", outcome.required_clearance.to_string()),
        ("resolution_m", outcome.resolution.to_string()),
    ];
    if let Some(warn) = outcome.warn {
        list.push(("warn_m", warn.to_string()));
    }
    if let Some(interpolation) = &program.interpolation {
        list.push(("interpolation", interpolation.clone()));
    }
    if let Some(duration) = program.duration {
        list.push(("duration", duration.to_string()));
    }
    if let Some(contact) = &program.first_contact {
        list.push(("contact_distance_m", contact.distance.to_string()));
        list.push(("contact_time", contact.time.to_string()));
        let deep = contact.depth.zip(contact.depth_time);
        if let Some((depth, time)) = deep.filter(|(depth, _)| *depth > 0.0) {
            list.push(("contact_depth_m", depth.to_string()));
            list.push(("contact_depth_time", time.to_string()));
        }
        list.push(("free_until", contact.free_until.to_string()));
    }
    let nearest = program
        .near_misses
        .iter()
        .map(|m| m.distance)
        .min_by(f64::total_cmp);
    if let Some(nearest) = nearest {
        list.push(("near_misses", program.near_misses.len().to_string()));
        list.push(("near_miss_distance_m", nearest.to_string()));
    }
    for least in &program.minimum_by_class {
        let name = match least.class {
            PairClass::RobotCell => "minimum_clearance_robot_cell_m",
            PairClass::Tool => "minimum_clearance_tool_m",
            PairClass::RobotRobot => "minimum_clearance_robot_robot_m",
            PairClass::WithinRobot => "minimum_clearance_within_robot_m",
        };
        list.push((name, least.least.distance.to_string()));
    }
    if let Some(least) = &program.minimum_clearance {
        list.push(("minimum_clearance_m", least.distance.to_string()));
        list.push((
            "minimum_clearance_lower_bound_m",
            least.lower_bound.to_string(),
        ));
        list.push((
            "minimum_clearance_pair",
            format!("{} – {}", least.a, least.b),
        ));
    }
    list.extend(not_checked(program, outcome).map(|what| ("not_checked", what)));
    list
}

/// What is named of the things that are not checked: a batch says it once for each program.
const NAMED: usize = 5;

/// What is not checked in the cell and for a program.
fn not_checked(program: &ProgramOutcome, outcome: &Outcome) -> Option<String> {
    let in_cell = outcome.unchecked.iter();
    let in_cell = in_cell.filter(|d| d.severity != Severity::Note);
    let subjects: Vec<&str> = in_cell
        .chain(program.left_out())
        .map(|d| d.subject.as_str())
        .collect();
    let named = &subjects[..subjects.len().min(NAMED)];
    let more = match subjects.len() - named.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!subjects.is_empty()).then(|| format!("{}{more}", named.join(", ")))
}

fn no_program<W: Write>(writer: &mut Writer<W>, outcome: &Outcome) -> io::Result<()> {
    let why = outcome
        .error
        .as_deref()
        .unwrap_or("there is no program to verify");
    writer
        .create_element("testsuite")
        .with_attributes(attributes(&[
            ("name", &outcome.cell),
            ("tests", "1"),
            ("failures", "0"),
            ("errors", "1"),
        ]))
        .write_inner_content(|w| {
            w.create_element("testcase")
                .with_attributes(attributes(&[
                    ("name", "programs"),
                    ("classname", class(&outcome.cell)),
                ]))
                .write_inner_content(|w| {
                    w.create_element("error")
                        .with_attributes(attributes(&[("type", "unverified"), ("message", why)]))
                        .write_empty()?;
                    Ok(())
                })?;
            Ok(())
        })?;
    Ok(())
}

/// The cell without its extension: viewers split class names at points.
fn class(cell: &str) -> &str {
    match cell.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.contains('/') => stem,
        _ => cell,
    }
}

/// Attributes, printable, with everything escaped that XML would refuse.
fn attributes<'a>(list: &[(&'a str, &str)]) -> Vec<quick_xml::events::attributes::Attribute<'a>> {
    list.iter()
        .map(|&(name, value)| quick_xml::events::attributes::Attribute {
            key: quick_xml::name::QName(name),
            value: escaped(&printable(value)).into(),
        })
        .collect()
}

/// Lines that are printable each.
fn text(value: &str) -> BytesText<'static> {
    BytesText::from_escaped(escaped(value))
}

/// Escapes markup; what is printable and still no XML 1.0 document may hold becomes U+FFFD.
fn escaped(value: &str) -> String {
    let clean = value.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    quick_xml::escape::escape(clean).into_owned()
}
