//! Taught programs: CSV tables, ROS trajectory messages as JSON or YAML, and programs of moves.
//!
//! The format follows from the extension (`.csv`, `.json`, `.yaml`, `.yml`, any case); a file with
//! another extension, or none, is recognised by its content.

use std::path::Path;

use clearance_proof::model::Program;

use crate::files::{MOST_PROGRAM, read_bytes, utf8};
use crate::foreign::foreign;
use crate::{ImportError, Problem};

pub mod arrays;
mod column_head;
mod csv;
pub mod events;
mod fields;
mod goal_scene;
mod headers;
pub mod many;
pub mod motion;
pub(crate) mod node;
pub(crate) mod ros;
pub mod sequence;

pub use headers::{refuse_mixed_units, refuse_poses};

/// The forms that a program may have, for the errors about files that are not programs.
const EXPECTED: &str = "expected a CSV table with joint names in its header, a ROS trajectory message as JSON or YAML, or a program of ABB, FANUC, KUKA, Universal Robots or Yaskawa";

/// How a file of SQLite begins: what rosbag2 records, where it does not write MCAP.
const SQLITE: &[u8] = b"SQLite format 3\0";
const IS_SQLITE: &str =
    "this is an SQLite database, such as rosbag2 writes (.db3), which is not read";
const TO_MCAP: &str =
    "convert it to MCAP: `ros2 bag convert`, with `storage_id: mcap` for its output";

/// Reads a program. Whatever the bytes are, the answer is a program or an error with its place;
/// never a panic.
///
/// # Errors
/// When the file cannot be read, is not a program, or has a value that makes no sense.
pub fn load(path: &Path) -> Result<Program, ImportError> {
    parse(path, &read(path)?)
}

/// The bytes of a program's file.
///
/// # Errors
/// When the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    if path.is_dir() {
        let remedy = "name the program files in it, or give the folder to `batch`";
        let cause = "it is a directory".into();
        let remedy = remedy.into();
        return Err(ImportError::file(
            path,
            Problem::Unreadable { cause, remedy },
        ));
    }
    read_bytes(path, MOST_PROGRAM)
}

/// The same as [`load`], once the bytes are there.
///
/// # Errors
/// When they are not a program, or have a value that makes no sense.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Program, ImportError> {
    let extension = path
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let text = text(path, bytes)?;
    if text.trim().is_empty() {
        return Err(syntax(path, "the file is empty", EXPECTED));
    }
    match extension.as_str() {
        "csv" | "tsv" => csv::read(path, text),
        "json" => ros::read_json(path, text),
        "yaml" | "yml" => ros::read_yaml(path, text),
        _ => match sniff(text) {
            Some(TextFormat::Csv) => csv::read(path, text),
            // One message on many lines may have any name.
            Some(TextFormat::Json) if extension == "jsonl" => {
                ros::read_json(path, text).map_err(|_| {
                    let remedy = "give them to `serve`, or to `batch -`, on standard input";
                    syntax(path, "these are lines of JSON, not a program", remedy)
                })
            }
            Some(TextFormat::Json) => ros::read_json(path, text),
            Some(TextFormat::Yaml) => ros::read_yaml(path, text),
            None if ["urdf", "xacro"].contains(&extension.as_str()) => {
                let remedy = "a robot is named by `--robot`, or in a cell file";
                Err(syntax(path, "this is a robot, not a program", remedy))
            }
            None if is_list(text) => {
                let cause = "this is a list of names, not a program";
                Err(syntax(path, cause, "give it to `batch` by `--list`"))
            }
            None => Err(syntax(path, "this is not a program", EXPECTED)),
        },
    }
}

/// Whether each line is the name of a program.
fn is_list(text: &str) -> bool {
    const ENDS: [&str; 9] = [
        "csv", "json", "yaml", "urp", "script", "mod", "src", "ls", "jbi",
    ];
    let is_name = |line: &str| {
        let end = Path::new(line).extension().unwrap_or_default();
        ENDS.iter().any(|known| end.eq_ignore_ascii_case(known))
    };
    text.lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('#') || is_name(line))
}

enum TextFormat {
    Csv,
    Json,
    Yaml,
}

/// The format by content, for files whose name does not tell.
fn sniff(text: &str) -> Option<TextFormat> {
    if text.trim_start().starts_with('{') {
        return Some(TextFormat::Json);
    }
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    // Every trajectory message has one of these keys at the start of a line.
    if lines.clone().any(|l| {
        let key = l.trim_start_matches("- ");
        [
            "joint_names:",
            "joint_trajectory:",
            "trajectory:",
            "points:",
        ]
        .iter()
        .any(|k| key.starts_with(k))
    }) {
        return Some(TextFormat::Yaml);
    }
    // A header of at least two columns, and a second line with as many that starts like a number.
    let header = lines.next()?;
    let separator = [',', ';', '\t'].into_iter().find(|c| header.contains(*c))?;
    let row = lines.next()?;
    let number = row.split(separator).next()?.trim().trim_matches('"');
    (number.parse::<f64>().is_ok()).then_some(TextFormat::Csv)
}

/// UTF-8 text without byte order mark, or why it is none.
fn text<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str, ImportError> {
    for (magic, what, ending) in [
        (&b"#ROSBAG"[..], "a ROS bag", ".bag"),
        (b"\x89MCAP", "a recording in MCAP", ".mcap"),
        (b"PAR1", "a Parquet table", ".parquet"),
    ] {
        if bytes.starts_with(magic) {
            let remedy = format!("give it a name that ends in {ending}: it is then read as one");
            return Err(syntax(path, &format!("this is {what}"), &remedy));
        }
    }
    if bytes.starts_with(SQLITE) {
        return Err(syntax(path, IS_SQLITE, TO_MCAP));
    }
    // First of all: an archive has zeros as well.
    if let Some(problem) = foreign(bytes) {
        return Err(ImportError::file(path, problem));
    }
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if bytes.contains(&0) && !utf16 {
        return Err(syntax(path, "this is a binary file", EXPECTED));
    }
    let text = utf8(path, bytes)?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn syntax(path: &Path, cause: &str, remedy: &str) -> ImportError {
    ImportError::file(
        path,
        Problem::Syntax {
            cause: cause.into(),
            remedy: remedy.into(),
        },
    )
}

#[cfg(test)]
mod tests;
