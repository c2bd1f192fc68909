//! Folders of ROS packages, found as `rospack` finds them: below each folder of `ROS_PACKAGE_PATH`,
//! by the name that `package.xml` states; nothing is looked for below a package.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::files::read_bytes;

/// Folders that are looked into below one root.
const MOST_FOLDERS: usize = 50_000;
/// Bytes that a `package.xml` may have.
const MOST_BYTES: u64 = 1 << 20;
/// Files that tell a search to leave a folder alone.
const IGNORE: [&str; 4] = [
    "CATKIN_IGNORE",
    "AMENT_IGNORE",
    "COLCON_IGNORE",
    "rospack_nosubdirs",
];

/// The packages below one folder: name, and the folders that state it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Packages {
    pub(crate) by_name: BTreeMap<String, Vec<PathBuf>>,
    /// Whether there were more folders than are looked into.
    pub(crate) cut: bool,
}

/// Looks below a folder.
pub(crate) fn below(root: &Path) -> Packages {
    let mut found = Packages::default();
    let mut seen = HashSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        // Links may lead in circles.
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        if !seen.insert(real) {
            continue;
        }
        if seen.len() > MOST_FOLDERS {
            found.cut = true;
            break;
        }
        if let Some(name) = name_of(&folder) {
            found.by_name.entry(name).or_default().push(folder);
            continue;
        }
        if IGNORE.iter().any(|file| folder.join(file).exists()) {
            continue;
        }
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut inner: Vec<PathBuf> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                let path = entry.path();
                (!hidden && path.is_dir()).then_some(path)
            })
            .collect();
        // The first one by name is looked into first.
        inner.sort();
        inner.reverse();
        folders.extend(inner);
    }
    found
}

/// The name of the package that a folder is, if it is one.
pub(crate) fn name_of(folder: &Path) -> Option<String> {
    let manifest = folder.join("package.xml");
    if !manifest.is_file() {
        // As packages were before they had a name of their own.
        let old = folder.join("manifest.xml").is_file();
        let name = folder.file_name()?.to_str()?;
        return old.then(|| name.to_owned());
    }
    let bytes = read_bytes(&manifest, MOST_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        ..Default::default()
    };
    let document = roxmltree::Document::parse_with_options(&text, options).ok()?;
    let mut parts = document.root_element().children();
    let name = parts.find(|part| part.has_tag_name("name"))?.text()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
