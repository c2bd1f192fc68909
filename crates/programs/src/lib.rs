//! Programs as robots' controllers store them: every dialect that is read or refused.
//!
//! A reader follows the program statement by statement with values that may be unknown ([`value`]),
//! one way through it after another ([`flow`]), and writes down moves and whatever keeps them from
//! being known ([`record`]). Nothing that could move the arm is passed over in silence, and nothing
//! is guessed: what the program does not say, the cell file says ([`controller`]), or the program
//! is not verified.

mod answers;
mod block;
mod comes_back;
pub mod controller;
mod dialect;
mod fanuc;
pub mod flow;
mod inform;
mod krl;
mod lines;
mod most_moves;
mod neighbour_files;
mod one_sided;
mod ranges;
mod rapid;
pub mod record;
#[cfg(test)]
mod testing;
mod token_error;
mod ur;
pub mod value;
mod ways_join;

use std::path::{Path, PathBuf};

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::MoveProgram;
use clearance_proof::report::Location;

pub use clearance_formats::program::motion::Assumption;
pub use controller::ControlledArm;
use controller::JointUnit;
pub use dialect::{Dialect, misnamed, recognise};
pub use flow::Bounds;

/// How a file is read.
pub struct Options<'o> {
    /// The routine that runs, where the file has several and the user names one.
    pub routine: Option<&'o str>,
    /// How far programs are followed.
    pub bounds: Bounds,
    /// Reads another file that the program needs, such as the `.dat` beside a `.src`. It is asked
    /// for every file that an answer depends on, and for no other.
    pub read_neighbour: &'o dyn Fn(&Path) -> Result<Vec<u8>, ImportError>,
    /// How far the tool may turn otherwise than evenly in what is proved of the program, as a share
    /// of its turn: so far may the point in between of an arc be turned otherwise.
    pub orientation_tube: f64,
}

impl Options<'_> {
    /// A file that need not be there; none: it is not.
    ///
    /// # Errors
    /// When it is there and cannot be read: without it the program would be another one.
    pub(crate) fn optional(&self, path: &Path) -> Result<Option<Vec<u8>>, ImportError> {
        match (self.read_neighbour)(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) => match &error.problem {
                Problem::Unreadable { .. } | Problem::NotFound { .. } if is_missing(path) => {
                    Ok(None)
                }
                _ => Err(error),
            },
        }
    }
}

/// Whether there is nothing of that name, a folder or a broken link included.
pub fn is_missing(path: &Path) -> bool {
    let found = std::fs::symlink_metadata(path);
    found.is_err_and(|e| {
        matches!(
            e.kind(),
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
        )
    })
}

/// The content of a program file.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Its language.
    pub dialect: Dialect,
    /// One for each way through it; more than one where its flow depends on something that is not
    /// known.
    pub ways: Vec<MoveProgram>,
    /// How joint values and poses of the same points differ in the model, where the file has both.
    pub point_differences: Vec<controller::PointDifference>,
    /// What was taken for granted, and could be otherwise.
    pub assumed: Vec<Assumption>,
    /// Whether a way ends where another one went on from the same state: what follows stands on that
    /// other way only, behind other moves.
    pub join: bool,
}

/// Reads a program. Whatever the bytes are, the answer is a reading or an error with its place;
/// never a panic.
///
/// # Errors
/// When the language is not read, or the file does not follow it, or joint values and poses in it
/// contradict each other.
pub fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    neighbour_files::look_anew();
    is_text(path, bytes)?;
    for file in controller
        .settings()
        .into_iter()
        .flat_map(|settings| &settings.files)
    {
        is_text(&file.path, &file.bytes)?;
    }
    let read_neighbour = |path: &Path| {
        let bytes = (options.read_neighbour)(path)?;
        is_text(path, &bytes).map(|()| bytes)
    };
    let options = &Options {
        read_neighbour: &read_neighbour,
        ..*options
    };
    let mut reading = dialect_read(path, bytes, controller, options)?;
    // Points that were read at the pendant count as much as the points of a program.
    reading.point_differences.extend(match reading.dialect {
        Dialect::PolyScope | Dialect::UrScript => {
            let controller = controller.narrowed(&ur::JOINTS);
            controller.points(JointUnit::Radians, Some("base"))?
        }
        Dialect::Inform => controller.points(JointUnit::Pulses, None)?,
        _ => controller.points(JointUnit::Degrees, None)?,
    });
    // An arm does not come nearer to its model because another way is taken.
    let model_difference = controller::model_difference(&reading.point_differences);
    for way in &mut reading.ways {
        way.model_difference = way.model_difference.and(model_difference);
    }
    Ok(reading)
}

/// A file by its place on the disk: a cell may name the program itself, by another spelling of its
/// path. What is not there goes by its name.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Sees to it that a file is a text whose lines are those of every program.
fn is_text(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    dialect::encoded(path, bytes).map_or(Ok(()), Err)?;
    lines_end(path, bytes)
}

/// Sees to it that every line of a text ends with a line feed: what stands behind a lone carriage
/// return is a line of its own for one program, and the rest of a comment for another.
fn lines_end(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    // A packed program.
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(());
    }
    let is_cut = |line: &[u8]| {
        let end = line.iter().rposition(|&byte| byte != b'\r');
        end.is_some_and(|end| line[..end].contains(&b'\r'))
    };
    match bytes.split(|&byte| byte == b'\n').position(is_cut) {
        None => Ok(()),
        Some(at) => Err(ImportError {
            place: Location::at(path, at + 1, None),
            problem: Problem::Syntax {
                cause: "a carriage return without a line feed stands within a line".into(),
                remedy: "save the file with the line ends of Windows or Linux".into(),
            },
        }),
    }
}

fn dialect_read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let found = recognise(bytes, path);
    if let (Some(found), Some(stated)) = (found, controller.settings())
        && found
            .of_controller()
            .is_some_and(|word| word != stated.dialect)
    {
        let problem = Problem::Syntax {
            cause: format!(
                "the cell's controller is `{}`, this program is {}",
                stated.dialect,
                found.describe()
            ),
            remedy: "correct `dialect` in the cell file, or name the robot that runs the program (ROBOT=FILE)"
                .into(),
        };
        return Err(ImportError::at(path, 1, None, problem));
    }
    match found {
        Some(Dialect::PolyScope) => {
            let controller = controller.narrowed(&ur::JOINTS);
            ur::polyscope::read(path, bytes, &controller, options)
        }
        Some(Dialect::UrScript) => {
            let controller = controller.narrowed(&ur::JOINTS);
            ur::script::read(path, bytes, &controller, options)
        }
        Some(Dialect::Rapid | Dialect::RapidList) => rapid::read(path, bytes, controller, options),
        Some(Dialect::Krl) => krl::read(path, bytes, controller, options),
        Some(Dialect::Fanuc) => fanuc::read(path, bytes, controller, options),
        Some(Dialect::Inform) => inform::read(path, bytes, controller, options),
        Some(dialect) => Err(ImportError::file(path, dialect.refusal())),
        None => Err(ImportError::file(
            path,
            Problem::Syntax {
                cause: "this is not a robot program of a language that is known".into(),
                remedy: "docs/formats.md lists what is read".into(),
            },
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriage_returns_alone_end_no_line() {
        let told = |text: &str| lines_end("A.LS".as_ref(), text.as_bytes()).err();
        let many = "\r".repeat(10_000_000);
        for text in ["a\r\nb\n", "a\r\r\nb\r", "a", "", &many] {
            assert!(told(text).is_none());
        }
        let packed = lines_end("a.urp".as_ref(), b"\x1f\x8b\ra");
        assert!(packed.is_ok());
        let error = told("a\r\n!up\r  J P[2] 100% FINE\n").map(|e| e.to_string());
        let error = error.unwrap_or_default();
        assert!(
            error.contains("A.LS:2") && error.contains("carriage return"),
            "{error}"
        );
    }
}
