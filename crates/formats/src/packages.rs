//! Folders of ROS packages, found as `rospack` finds them: below each folder of `ROS_PACKAGE_PATH`,
//! by the name that `package.xml` states; nothing is looked for below a package.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::files::read_bytes;

/// Folders that are looked into below one root.
const MOST_FOLDERS: usize = 50_000;
/// Bytes that a `package.xml` may have.
const MOST_BYTES: u64 = 1 << 20;
/// The file that tells the search to leave a folder alone, the package that it is too. Those of
/// builds with colcon mean nothing to it.
const IGNORE: &str = "CATKIN_IGNORE";
/// The file that tells it to look into none of the folders below.
const NO_FOLDERS: &str = "rospack_nosubdirs";

/// The packages below one folder: name, and the folders that state it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Packages {
    pub(crate) by_name: BTreeMap<String, Vec<PathBuf>>,
    /// A `package.xml` that cannot be read: which package it states is not known.
    pub(crate) unreadable: Option<PathBuf>,
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
        if folder.join(IGNORE).exists() {
            continue;
        }
        match manifest(&folder) {
            Manifest::None => {}
            Manifest::States(name) => {
                found.by_name.entry(name).or_default().push(folder);
                continue;
            }
            Manifest::Unreadable => {
                let manifest = folder.join("package.xml");
                found.unreadable.get_or_insert(manifest);
                continue;
            }
        }
        if folder.join(NO_FOLDERS).exists() {
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

/// The folders right in this one that state this name in their `package.xml`.
pub(crate) fn inside(folder: &Path, name: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| !path.join(IGNORE).exists() && states(path, name))
        .collect();
    found.sort();
    found
}

/// Whether a folder states that it is the package of this name.
pub(crate) fn states(folder: &Path, name: &str) -> bool {
    name_of(folder).is_some_and(|stated| stated == name)
}

/// What a folder says of the package that it is.
enum Manifest {
    /// It is none.
    None,
    /// It is the one of this name.
    States(String),
    /// It is one, and the file that says which cannot be read.
    Unreadable,
}

/// The name of the package that a folder is, if it is one.
pub(crate) fn name_of(folder: &Path) -> Option<String> {
    match manifest(folder) {
        Manifest::States(name) => Some(name),
        Manifest::None | Manifest::Unreadable => None,
    }
}

fn manifest(folder: &Path) -> Manifest {
    let file = folder.join("package.xml");
    if !file.is_file() {
        // As packages were before they had a name of their own.
        let old = folder.join("manifest.xml").is_file();
        let name = folder.file_name().and_then(|name| name.to_str());
        let named = name.filter(|_| old).map(str::to_owned);
        return named.map_or(Manifest::None, Manifest::States);
    }
    let bytes = read_bytes(&file, MOST_BYTES).ok();
    let name = bytes.and_then(|bytes| stated_name(&text_of(bytes)));
    name.map_or(Manifest::Unreadable, Manifest::States)
}

/// The text of a manifest: in UTF-8, in UTF-16 with its mark, or with one byte a letter. Names of
/// packages are the same in all of these.
fn text_of(bytes: Vec<u8>) -> String {
    let pairs = |of: fn([u8; 2]) -> u16| {
        let pairs = bytes[2..].chunks_exact(2);
        let letters: Vec<u16> = pairs.map(|pair| of([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&letters)
    };
    match bytes[..] {
        [0xff, 0xfe, ..] => pairs(u16::from_le_bytes),
        [0xfe, 0xff, ..] => pairs(u16::from_be_bytes),
        _ => String::from_utf8(bytes).unwrap_or_else(|wrong| {
            let letters = wrong.as_bytes().iter();
            letters.map(|&letter| char::from(letter)).collect()
        }),
    }
}

/// The name that the text of a manifest states.
fn stated_name(text: &str) -> Option<String> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let document = roxmltree::Document::parse_with_options(text, options).ok()?;
    let mut parts = document.root_element().children();
    let name = parts.find(|part| part.has_tag_name("name"))?;
    // Around comments.
    let texts = name
        .children()
        .filter_map(|part| part.text().filter(|_| part.is_text()));
    let name: String = texts.collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: a manifest that could not be read was none, and another package of that name was
    /// taken.
    #[test]
    fn manifests_are_read_however_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let name = |bytes: &[u8]| {
            std::fs::write(folder.path().join("package.xml"), bytes).unwrap();
            let found = below(folder.path());
            assert_eq!(found.unreadable.is_some(), found.by_name.is_empty());
            found.by_name.into_keys().next()
        };
        let plain = "<package><maintainer>J\u{fc}rgen</maintainer><name>pk</name></package>";
        let latin: Vec<u8> = plain.chars().map(|c| c as u8).collect();
        let mut wide = vec![0xff, 0xfe];
        wide.extend(plain.encode_utf16().flat_map(u16::to_le_bytes));
        let with_type = format!("<!DOCTYPE package>{plain}");
        let comment = plain.replace("<name>", "<name><!-- c --> ");
        for sound in [
            plain.as_bytes(),
            &latin,
            &wide,
            with_type.as_bytes(),
            comment.as_bytes(),
        ] {
            assert_eq!(name(sound).as_deref(), Some("pk"));
        }
        for broken in ["<package><name>pk</package>", "<package/>", ""] {
            assert_eq!(name(broken.as_bytes()), None, "{broken}");
        }
    }
}
