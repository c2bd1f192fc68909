//! What all sections of a cell file need.

use std::path::PathBuf;

use super::build::Builder;
use super::table::{Table, TableValue};
use crate::files::{backslashes, is_address};
use crate::mesh::UpAxisRule;
use crate::{ImportError, Problem};

/// The warn distance of a section: above its threshold, metres.
pub(super) fn warn(table: &Table, clearance: f64) -> Result<Option<f64>, ImportError> {
    let Some(value) = table.get("warn") else {
        return Ok(None);
    };
    let warn = value.positive_length()?;
    if warn > clearance {
        Ok(Some(warn))
    } else {
        Err(value.bad("it must be above `clearance`: near misses lie between the two"))
    }
}

/// `dae_up_axis` of a robot or a body.
pub(super) fn up_axis(table: &Table) -> Result<Option<UpAxisRule>, ImportError> {
    let Some(value) = table.get("dae_up_axis") else {
        return Ok(None);
    };
    match value.string()? {
        "ignore" => Ok(Some(UpAxisRule::Ignore)),
        "apply" => Ok(Some(UpAxisRule::Apply)),
        _ => Err(value.bad(
            "write \"ignore\" (meshes stay as they are, as in RViz and MoveIt) or \"apply\" (they are turned, as COLLADA says)",
        )),
    }
}

/// A cell file that is being read: its folder, and the cell so far.
pub(super) struct CellReader {
    pub(super) folder: PathBuf,
    pub(super) builder: Builder,
}

impl CellReader {
    /// A file that the cell file names: relative to it, and it must exist.
    pub(super) fn file(&self, value: &TableValue) -> Result<PathBuf, ImportError> {
        let name = value.name()?;
        let path = self.folder.join(name);
        let is_folder = path.is_dir();
        // If the file is not a regular one, the function that opens it says so.
        if path.exists() && !is_folder {
            return Ok(path);
        }
        if is_address(name) {
            return Err(value.error(Problem::Unsupported {
                what: format!("the address `{name}`"),
                remedy: "download the file, and name it here".into(),
            }));
        }
        Err(value.error(Problem::NotFound {
            uri: name.to_owned(),
            tried: vec![path],
            remedy: if is_folder {
                "it is a folder: name a file".into()
            } else {
                let of_folders = "paths are relative to the cell file";
                // `\t` of `C:\temp` is a tab.
                let escaped = name.chars().any(char::is_control);
                let of_escapes = || "write paths with `/`, as in `meshes/table.stl`".to_owned();
                let of_paths = || backslashes(name).unwrap_or_else(|| of_folders.into());
                if escaped { of_escapes() } else { of_paths() }
            },
        }))
    }
}

/// The tables of a section that may occur several times.
pub(super) fn section<'a>(
    root: &Table<'a>,
    key: &'a str,
    what: &'a str,
    known: &[&str],
) -> Result<Vec<Table<'a>>, ImportError> {
    root.get(key)
        .map_or(Ok(Vec::new()), |v| v.tables(what, known))
}
