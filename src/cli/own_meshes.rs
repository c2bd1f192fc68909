//! Meshes that are given for obstacles and called like those of robots, as a pattern for the folder of
//! a robot matches them. A name is no reason to leave one out: other packages have a
//! `meshes/base.stl` too.

use std::path::{Path, PathBuf};

use clearance_formats::folder_of;

use crate::error::Error;

/// Of these meshes those that are called like one in the URDFs, wherever these name it.
pub(super) fn called_like_own(
    urdfs: &[PathBuf],
    meshes: &[PathBuf],
) -> Result<Vec<PathBuf>, Error> {
    let mut ends: Vec<PathBuf> = Vec::new();
    for urdf in urdfs {
        let text = std::fs::read(urdf).map_err(|e| Error::unreadable(urdf, e))?;
        let text = String::from_utf8_lossy(&text);
        ends.extend(names_in(&text).filter_map(|name| end_of(name, folder_of(urdf))));
    }
    let is_alike = |mesh: &&PathBuf| {
        let full = mesh.canonicalize().unwrap_or_else(|_| mesh.to_path_buf());
        ends.iter().any(|end| full.ends_with(end))
    };
    Ok(meshes.iter().filter(is_alike).cloned().collect())
}

/// The names of meshes in a URDF.
fn names_in(urdf: &str) -> impl Iterator<Item = &str> {
    urdf.split("filename=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|c| ['"', '\''].contains(c))?;
        rest[1..].split(quote).next()
    })
}

/// How the path of a mesh ends that a URDF in this folder names: of a package the file with its
/// folder, for where the package lies is not looked up.
fn end_of(name: &str, folder: &Path) -> Option<PathBuf> {
    let Some((_, name)) = name.split_once("://") else {
        return folder.join(name).canonicalize().ok();
    };
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    (parts.len() > 1).then(|| parts[parts.len() - 2..].iter().collect())
}

/// The language of the controller whose programs have such names, as cell files call it. Those of
/// Universal Robots need nothing to be said.
pub(super) fn dialect(program: &Path) -> Option<&'static str> {
    match super::options::extension(program).as_str() {
        "mod" | "modx" | "prg" | "pgf" => Some("rapid"),
        "src" => Some("krl"),
        "ls" => Some("fanuc"),
        "jbi" => Some("inform"),
        _ => None,
    }
}
