//! A cell in one file, for machines that have nothing else of it: the cell file, every file that it
//! names, and the sphere trees. It is a tar archive; its first entry says what the others are.
//!
//! Nothing in it is believed because it is there: files are held to their digests, and a tree
//! counts only once it is proved of its mesh, as one from the tree cache.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clearance_formats::{LoadedCell, PackageFolder, folder_of};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use super::unpack::{FILES, LIST, PackList, TREES, VERSION, is_pack};
use super::{CacheFolder, CellJob, CellSource, ProgressListener, prepare};
use crate::error::Error;

/// The content of a pack, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// Files of the cell.
    pub files: usize,
    /// Sphere trees.
    pub trees: usize,
}

/// Writes a cell with all its files and sphere trees.
///
/// # Errors
/// When the cell cannot be read, or lies where no pack can take it from.
pub fn pack(
    job: &CellJob,
    out: &mut dyn Write,
    listener: &dyn ProgressListener,
) -> Result<Packed, Error> {
    let CellSource::File(cell_file) = &job.source else {
        return Err(Error::usage(
            "only a cell with a cell file can be packed: write one with `clearance init`",
        ));
    };
    if let Some(scene) = job.scenes.first() {
        return Err(Error::usage(format!(
            "a pack holds what the cell file names: write `scene = \"{}\"` under [world] there, in place of --scene",
            scene.display()
        )));
    }
    if is_pack(cell_file) {
        return Err(Error::usage(format!(
            "{} is a pack already",
            cell_file.display()
        )));
    }
    let scratch = TempDir::new().map_err(Error::no_temporary)?;
    let trees = scratch.path().join(TREES);
    let fresh = CellJob {
        cache: CacheFolder::At(trees.clone()),
        ..job.clone()
    };
    let prepared = prepare(&fresh, listener)?;
    let files = FilesOfCell::of(&prepared.loaded, cell_file, job)?;
    write(&files, &trees, out)
}

/// Where everything goes.
struct FilesOfCell {
    list: PackList,
    /// Entry and file.
    files: BTreeMap<String, PathBuf>,
}

impl FilesOfCell {
    fn of(loaded: &LoadedCell, cell_file: &Path, job: &CellJob) -> Result<Self, Error> {
        let whole = |path: &Path| (path.canonicalize()).map_err(|e| Error::unreadable(path, e));
        // Folders are looked up, links to files are not: names within the cell lead to them.
        let placed = |path: &Path| -> Result<PathBuf, Error> {
            let name = path.file_name().unwrap_or_default();
            Ok(whole(folder_of(path))?.join(name))
        };
        let mut places: BTreeSet<PathBuf> = (loaded.files.iter())
            .map(|file| placed(file))
            .collect::<Result<_, _>>()?;
        let Packages { packages, beside } = Packages::of(&loaded.packages, &whole)?;
        // A folder with another name says in there which package it is.
        let manifests = beside.iter().map(|folder| folder.join("package.xml"));
        places.extend(manifests.filter(|manifest| manifest.is_file()));
        let folders = (places.iter().filter_map(|place| place.parent()))
            .chain(packages.values().map(PathBuf::as_path));
        let root = common_folder(folders).ok_or_else(|| {
            Error::unusable("the cell's files lie on several drives: no pack can hold them")
        })?;
        let entry = |path: &Path| -> Result<String, Error> {
            let inner = path.strip_prefix(&root).unwrap_or(path);
            let mut name = FILES.to_owned();
            for part in inner.components() {
                let part = part.as_os_str().to_str();
                let part = part.ok_or_else(|| {
                    Error::unusable(format!(
                        "the name {} is not UTF-8; rename it",
                        path.display()
                    ))
                })?;
                name += "/";
                name += part;
            }
            Ok(name)
        };
        let mut files = BTreeMap::new();
        let mut digests = BTreeMap::new();
        for place in &places {
            let name = entry(place)?;
            let bytes = fs::read(place).map_err(|e| Error::unreadable(place, e))?;
            digests.insert(name.clone(), blake3::hash(&bytes).to_hex().to_string());
            files.insert(name, place.clone());
        }
        let mut roots = BTreeMap::new();
        for (name, folder) in packages {
            roots.insert(name, entry(&folder)?);
        }
        let list = PackList {
            clearance_pack: VERSION,
            cell: entry(&placed(cell_file)?)?,
            packages: roots,
            visual_as_collision: job.visual_as_collision,
            files: digests,
        };
        Ok(Self { list, files })
    }
}

/// The folders that names of packages mean.
struct Packages {
    /// Those that mean one.
    packages: BTreeMap<String, PathBuf>,
    /// Those of names that mean folders beside the files that have them, one for each: they mean them
    /// in the pack too, and need no mention.
    beside: Vec<PathBuf>,
}

impl Packages {
    fn of(
        named: &[PackageFolder],
        whole: &dyn Fn(&Path) -> Result<PathBuf, Error>,
    ) -> Result<Self, Error> {
        let mut meant: BTreeMap<&str, BTreeMap<PathBuf, bool>> = BTreeMap::new();
        for package in named {
            let folders = meant.entry(&package.name).or_default();
            let nearby = folders.entry(whole(&package.folder)?).or_insert(true);
            *nearby &= package.nearby;
        }
        let mut found = Self {
            packages: BTreeMap::new(),
            beside: Vec::new(),
        };
        for (name, folders) in meant {
            let mut all = folders.iter();
            match (all.next(), all.next()) {
                (Some((only, _)), None) => {
                    found.packages.insert(name.to_owned(), only.clone());
                }
                (Some((first, _)), Some((second, _)))
                    if !folders.values().all(|nearby| *nearby) =>
                {
                    return Err(Error::unusable(format!(
                        "files of the package `{name}` are in {} and in {}, and a pack has one folder for it: put them into one folder, and name it in the cell file: [packages] {name} = \"…\"",
                        first.display(),
                        second.display()
                    )));
                }
                _ => found.beside.extend(folders.into_keys()),
            }
        }
        Ok(found)
    }
}

/// The deepest folder that all of these are, or lie in.
fn common_folder<'f>(folders: impl Iterator<Item = &'f Path>) -> Option<PathBuf> {
    let mut common: Option<PathBuf> = None;
    for parent in folders {
        let so_far = common.get_or_insert_with(|| parent.to_owned());
        while !parent.starts_with(&so_far) {
            if !so_far.pop() {
                return None;
            }
        }
    }
    common
}

fn write(files: &FilesOfCell, trees: &Path, out: &mut dyn Write) -> Result<Packed, Error> {
    let failed = |e: io::Error| Error::unwritable("the pack", e);
    let mut archive = Builder::new(out);
    let list = serde_json::to_vec_pretty(&files.list).map_err(Error::internal)?;
    append(&mut archive, LIST, list.len() as u64, &list[..]).map_err(failed)?;
    for (name, file) in &files.files {
        append_file(&mut archive, name, file).map_err(failed)?;
    }
    let mut kept: Vec<PathBuf> = match fs::read_dir(trees) {
        // Welded meshes are not worth their size: they can be made of the files in the pack.
        Ok(entries) => (entries.filter_map(|e| Some(e.ok()?.path())))
            .filter(|path| path.extension().is_some_and(|e| e == "tree"))
            .collect(),
        // A cell without a shape has none.
        Err(_) => Vec::new(),
    };
    kept.sort();
    for tree in &kept {
        let name = tree.file_name().unwrap_or_default().to_string_lossy();
        append_file(&mut archive, &format!("{TREES}/{name}"), tree).map_err(failed)?;
    }
    archive
        .into_inner()
        .and_then(|out| out.flush())
        .map_err(failed)?;
    Ok(Packed {
        files: files.files.len(),
        trees: kept.len(),
    })
}

fn append_file(archive: &mut Builder<&mut dyn Write>, name: &str, file: &Path) -> io::Result<()> {
    let opened = File::open(file)?;
    let length = opened.metadata()?.len();
    append(archive, name, length, opened.take(length))
}

/// An entry that says nothing of who wrote it and when: the same cell is the same pack.
fn append(
    archive: &mut Builder<&mut dyn Write>,
    name: &str,
    length: u64,
    data: impl Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(length);
    header.set_mode(0o644);
    header.set_mtime(0);
    archive.append_data(&mut header, name, data)
}
