//! Point clouds in: E57, LAS, PCD, and text (XYZ, PTS). What is a place counts; what is none is
//! counted.

mod e57_file;
mod las;
mod pcd;
mod spacing;
#[cfg(test)]
mod tests;
mod text;

pub use self::spacing::{Isolated, Lump};

use std::path::Path;

use clearance_proof::geometry::cloud::Cloud;
use nalgebra::Point3;

use super::files::{MOST_CLOUD, read_bytes};
use super::foreign::foreign;
use super::units::length_unit;
use super::{ImportError, Problem};

/// No robot's world is larger, metres.
const FARTHEST_M: f64 = 1e7;

/// The cell file's options of a cloud.
#[derive(Debug, Clone, PartialEq)]
pub struct CloudOptions {
    /// Of the ball about each point, metres, above 0.
    pub radius: f64,
    /// The unit of the coordinates, such as `mm`; for E57, which states its own, `None` or metres.
    pub unit: Option<String>,
}

/// A cloud as it came out of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedCloud {
    /// The balls.
    pub cloud: Cloud,
    /// Entries of the file that are not a place: not finite, or marked as invalid.
    pub invalid: usize,
    /// Said of a cloud whose balls touch no other ones.
    pub isolated: Option<Isolated>,
    /// Said of a scan whose balls are all in one place.
    pub lump: Option<Lump>,
}

/// Points of a file in its own unit, and how many entries are none.
#[derive(Debug, Default)]
struct PointsInFile {
    points: Vec<Point3<f64>>,
    invalid: usize,
}

impl PointsInFile {
    /// Room for as many as there are sure to be.
    fn with_room(count: usize) -> Self {
        Self {
            points: Vec::with_capacity(count),
            invalid: 0,
        }
    }

    fn add(&mut self, point: [f64; 3]) {
        if point.iter().all(|x| x.is_finite()) {
            self.points.push(Point3::from(point))
        } else {
            self.invalid += 1
        }
    }
}

/// Reads a cloud. The format follows from the extension in any case: `e57`, `las`, `pcd`, `xyz`,
/// `pts`.
///
/// # Errors
/// When the file is damaged or no cloud, or its unit is not known.
pub fn load(path: &Path, options: &CloudOptions) -> Result<LoadedCloud, ImportError> {
    let unit = unit(path, options)?;
    let read = points(&read_bytes(path, MOST_CLOUD)?, path, unit)?;
    made(read, path, unit, options.radius)
}

/// The same with the bytes of the file.
///
/// # Errors
/// As [`load`].
pub fn parse(
    bytes: &[u8],
    name: &Path,
    options: &CloudOptions,
) -> Result<LoadedCloud, ImportError> {
    let unit = unit(name, options)?;
    made(points(bytes, name, unit)?, name, unit, options.radius)
}

fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Metres of one unit of the file.
fn unit(path: &Path, options: &CloudOptions) -> Result<f64, ImportError> {
    let problem = |problem| Err(ImportError::file(path, problem));
    let stated = match &options.unit {
        None => None,
        Some(word) => match length_unit(word) {
            Some(metres) => Some(metres),
            None => {
                return problem(Problem::BadValue {
                    what: "`unit`".to_owned(),
                    value: format!("`{word}`"),
                    remedy: "write a unit of length, such as \"m\" or \"mm\"".to_owned(),
                });
            }
        },
    };
    match (extension(path).as_str(), stated) {
        ("e57", None) => Ok(1.0),
        ("e57", Some(metres)) if metres != 1.0 => problem(Problem::BadValue {
            what: "`unit`".to_owned(),
            value: format!("`{}`", options.unit.as_deref().unwrap_or_default()),
            remedy: "E57 files are in metres: leave it out".to_owned(),
        }),
        (_, Some(metres)) => Ok(metres),
        (_, None) => problem(Problem::Syntax {
            cause: "the file does not say in which unit its coordinates are".to_owned(),
            remedy: "add `unit = \"m\"` (or \"mm\", …) beside `cloud`".to_owned(),
        }),
    }
}

/// The points of a file, in its own unit: one of so many metres, as the cell states it.
fn points(bytes: &[u8], name: &Path, metres: f64) -> Result<PointsInFile, ImportError> {
    if let Some(problem) = foreign(bytes) {
        return Err(ImportError::file(name, problem));
    }
    let unsupported = |what: &str, remedy: &str| {
        Err(ImportError::file(
            name,
            Problem::Unsupported {
                what: what.to_owned(),
                remedy: remedy.to_owned(),
            },
        ))
    };
    match extension(name).as_str() {
        "e57" => e57_file::read(bytes).map_err(|problem| ImportError::file(name, problem)),
        "las" => las::read(bytes, metres).map_err(|problem| ImportError::file(name, problem)),
        "pcd" => pcd::read(bytes, name, metres),
        "xyz" => text::read(bytes, name, text::TextKind::Xyz, metres),
        "pts" => text::read(bytes, name, text::TextKind::Pts, metres),
        "laz" => unsupported(
            "LAZ, the compressed form of LAS,",
            "unpack it: `laszip -i scan.laz -o scan.las`, or `pdal translate scan.laz scan.las`",
        ),
        "ply" => unsupported(
            "a point cloud in PLY",
            "save it as PCD, LAS, E57, XYZ or PTS; a PLY with faces is a `mesh`",
        ),
        _ => unsupported(
            "a point cloud of this kind",
            "name an `.e57`, `.las`, `.pcd`, `.xyz` or `.pts` file",
        ),
    }
}

fn made(
    read: PointsInFile,
    name: &Path,
    unit: f64,
    radius: f64,
) -> Result<LoadedCloud, ImportError> {
    let PointsInFile {
        mut points,
        invalid,
    } = read;
    for p in &mut points {
        *p *= unit;
    }
    let far = |p: &&Point3<f64>| !p.iter().all(|x| x.abs() <= FARTHEST_M);
    if let Some(p) = points.iter().find(far) {
        return Err(ImportError::file(
            name,
            Problem::Geometry {
                cause: format!(
                    "a point is at [{:e}, {:e}, {:e}] m, farther than {FARTHEST_M:e} m",
                    p.x, p.y, p.z
                ),
                remedy: "check `unit`".to_owned(),
            },
        ));
    }
    points.shrink_to_fit();
    let none = || {
        ImportError::file(
            name,
            Problem::Geometry {
                cause: match invalid {
                    0 => "the cloud has no points, or more than 4 billion".to_owned(),
                    n => format!("none of the {n} points is a place"),
                },
                remedy: "export it again".to_owned(),
            },
        )
    };
    let cloud = Cloud::new(points, radius).ok_or_else(none)?;
    Ok(LoadedCloud {
        isolated: spacing::isolated(&cloud),
        lump: spacing::lump(&cloud),
        cloud,
        invalid,
    })
}

/// A number in text. `inf` and `nan` are numbers, and no places; digits of which none can be made are
/// no number.
fn coordinate(word: &str) -> Option<f64> {
    let number: f64 = word.parse().ok()?;
    let too_large = number.is_infinite() && word.contains(|c: char| c.is_ascii_digit());
    (!too_large).then_some(number)
}

/// The problem of a damaged file.
fn damaged(cause: impl Into<String>) -> Problem {
    Problem::Syntax {
        cause: cause.into(),
        remedy: "the file is damaged or cut off: export it again".to_owned(),
    }
}
