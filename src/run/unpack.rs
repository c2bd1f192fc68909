//! The structure of a pack, and how it is read: laid out in a folder of its own, every file held to
//! its digest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clearance_formats::mesh::KeptMeshes;
use clearance_formats::{ImportError, LoadOptions, LoadedCell, Problem, load_cell};
use clearance_proof::model::{AllowedBy, Form};
use clearance_proof::report::Diagnostic;
use serde::{Deserialize, Serialize};
use tar::{Archive, EntryType};
use tempfile::TempDir;

use super::CellJob;
use crate::error::Error;

/// Version of the layout.
pub(super) const VERSION: u32 = 3;
/// Name of the first entry.
pub(super) const LIST: &str = "clearance-pack.json";
/// Folders within.
pub(super) const FILES: &str = "files";
pub(super) const TREES: &str = "trees";
/// Bytes that the list may have, and an entry.
const MOST_LIST: u64 = 64 << 20;
const MOST_ENTRY: u64 = 8 << 30;

/// The content of the first entry.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PackList {
    pub(super) clearance_pack: u32,
    /// The cell file among the entries.
    pub(super) cell: String,
    /// Folders of `package://` names among the entries.
    pub(super) packages: BTreeMap<String, String>,
    /// Whether it was packed with links without `<collision>` by their `<visual>` geometry.
    pub(super) visual_as_collision: bool,
    /// Digest of every file, trees aside.
    pub(super) files: BTreeMap<String, String>,
}

/// Whether this file is a pack: it begins with the name of the list.
pub(super) fn is_pack(file: &Path) -> bool {
    let mut start = [0; LIST.len() + 1];
    let regular = fs::metadata(file).is_ok_and(|about| about.is_file());
    let mut read = || File::open(file)?.read_exact(&mut start);
    regular && read().is_ok() && start[..LIST.len()] == *LIST.as_bytes() && start[LIST.len()] == 0
}

/// A pack laid out in a folder of its own, as long as this lives.
pub(super) struct Unpacked {
    pack: PathBuf,
    folder: TempDir,
    list: PackList,
}

impl Unpacked {
    /// Lays a pack out; every file is what the list says.
    pub(super) fn open(pack: &Path) -> Result<Self, ImportError> {
        let fail = |cause: String, remedy: &str| {
            let remedy = remedy.to_owned();
            ImportError::file(pack, Problem::Unreadable { cause, remedy })
        };
        let folder = TempDir::new().map_err(|e| {
            let cause = format!("no temporary folder can be had to lay it out: {e}");
            fail(cause, "set TMPDIR to a folder that takes files")
        })?;
        let list = write_files(pack, folder.path())
            .map_err(|e| fail(e.to_string(), "make it again with `clearance pack`"))?;
        Ok(Self {
            pack: pack.to_owned(),
            folder,
            list,
        })
    }

    /// Where its sphere trees are.
    pub(super) fn trees(&self) -> PathBuf {
        self.folder.path().join(TREES)
    }

    /// Reads the cell. What it says of files names them within the pack.
    pub(super) fn load(
        &self,
        job: &CellJob,
        kept: Option<Arc<dyn KeptMeshes>>,
    ) -> Result<LoadedCell, ImportError> {
        let within = |name: &String| self.folder.path().join(name);
        let mut stated = job.packages.iter().map(|(name, _)| name);
        if let Some(name) = stated.find(|name| self.list.packages.contains_key(*name)) {
            return Err(ImportError::file(
                &self.pack,
                Problem::BadValue {
                    what: format!("--package {name}"),
                    value: "not for a pack that has its own folder of this package".to_owned(),
                    remedy: format!(
                        "leave it out, or make the pack again with `clearance pack --package {name}=…`"
                    ),
                },
            ));
        }
        let mut package_roots = job.packages.clone();
        package_roots.extend(
            self.list
                .packages
                .iter()
                .map(|(name, at)| (name.clone(), within(at))),
        );
        let options = LoadOptions {
            visual_as_collision: self.list.visual_as_collision || job.visual_as_collision,
            scenes: job.scenes.clone(),
            package_roots,
            only_package_roots: true,
            kept,
            ..LoadOptions::default()
        };
        let mut loaded = load_cell(&within(&self.list.cell), &options).map_err(|mut error| {
            error.place.file = self.shown(&error.place.file);
            error
        })?;
        // Files that the command line names are beside the pack.
        let outside = |f: &&PathBuf| !self.holds(f) && !job.scenes.contains(f);
        if let Some(outside) = loaded.files.iter().find(outside) {
            return Err(ImportError::file(
                &self.pack,
                Problem::Unreadable {
                    cause: format!("its cell names {}, which is not in it", outside.display()),
                    remedy: "name files relative to the cell file, and pack it again".to_owned(),
                },
            ));
        }
        self.rename(&mut loaded);
        loaded.files.extend(job.scenes.iter().cloned());
        Ok(loaded)
    }

    /// Whether a file is one of the pack, whatever `..` there is in its name.
    fn holds(&self, file: &Path) -> bool {
        match (file.canonicalize(), self.folder.path().canonicalize()) {
            (Ok(file), Ok(folder)) => file.starts_with(folder),
            _ => false,
        }
    }

    /// A text in which files of the folder are named as in the pack.
    fn shown(&self, text: &str) -> String {
        let folder = self.folder.path().join(FILES);
        text.replace(&*folder.to_string_lossy(), &self.pack.to_string_lossy())
    }

    fn rename(&self, loaded: &mut LoadedCell) {
        let path = |path: &mut PathBuf| *path = self.shown(&path.to_string_lossy()).into();
        // The file that is watched for changes is the pack.
        loaded.files = vec![self.pack.clone()];
        loaded.patterns.clear();
        loaded.absent.clear();
        for robot in &mut loaded.robots {
            let files = robot.controller.iter_mut().flat_map(|c| &mut c.files);
            files.for_each(|file| path(&mut file.path));
        }
        let cell = &mut loaded.cell;
        cell.source.clone_from(&self.pack);
        for robot in &mut cell.robots {
            path(&mut robot.urdf);
        }
        for shape in cell.bodies.iter_mut().flat_map(|body| &mut body.shapes) {
            if let Form::Mesh { file, .. } | Form::Cloud { file, .. } = &mut shape.form {
                path(file);
            }
        }
        let stale = loaded.stale.iter_mut().map(|stale| &mut stale.allowance);
        for allowance in cell.allowed.iter_mut().chain(stale) {
            if let AllowedBy::Srdf(file)
            | AllowedBy::Scene(file, _)
            | AllowedBy::SceneTouch(file, _) = &mut allowance.by
            {
                path(file);
            }
        }
        let lists = [&mut cell.notes, &mut cell.notices, &mut cell.unchecked];
        for Diagnostic {
            subject,
            message,
            place,
            ..
        } in lists.into_iter().flatten()
        {
            *subject = self.shown(subject);
            *message = self.shown(message);
            if let Some(place) = place {
                place.file = self.shown(&place.file);
            }
        }
        let thresholds = cell.thresholds.iter_mut();
        let of_pairs = thresholds.filter_map(|stated| stated.place.as_mut());
        for place in cell.places.values_mut().chain(of_pairs) {
            place.file = self.shown(&place.file);
        }
    }
}

/// Writes the entries of a pack into a folder.
fn write_files(pack: &Path, folder: &Path) -> Result<PackList, Error> {
    let failed = |e: io::Error| Error::unusable(format!("it cannot be unpacked: {e}"));
    let file = File::open(pack).map_err(failed)?;
    let mut archive = Archive::new(BufReader::new(file));
    let mut list: Option<PackList> = None;
    let mut seen = BTreeSet::new();
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        let name = entry.path().map_err(failed)?.into_owned();
        let name = name
            .to_str()
            .ok_or_else(|| Error::unusable("an entry has a name that is not UTF-8"))?
            .to_owned();
        let Some(list) = &list else {
            list = Some(read_list(&mut entry, &name)?);
            continue;
        };
        if entry.header().entry_type() != EntryType::Regular || entry.size() > MOST_ENTRY {
            return Err(Error::unusable(format!(
                "`{name}` in it is not a file that a pack has"
            )));
        }
        let parts: Vec<Component> = Path::new(&name).components().collect();
        let inside = parts.len() > 1
            && parts
                .iter()
                .all(|part| matches!(part, Component::Normal(_)));
        if !inside || !seen.insert(name.clone()) {
            return Err(Error::unusable(format!(
                "`{name}` in it is not a name that a pack has"
            )));
        }
        let place = folder.join(&name);
        fs::create_dir_all(place.parent().unwrap_or(folder)).map_err(failed)?;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(failed)?;
        let tree = parts.len() == 2 && name.starts_with("trees/");
        // A tree is proved of its mesh before it is used.
        if !tree && list.files.get(&name) != Some(&blake3::hash(&bytes).to_hex().to_string()) {
            return Err(Error::unusable(format!(
                "`{name}` in it is not what was packed"
            )));
        }
        fs::write(&place, &bytes).map_err(failed)?;
    }
    let list = list.ok_or_else(|| Error::unusable("it is empty"))?;
    // A package may have none of the files, and be named on the way to one.
    for package in list.packages.values() {
        fs::create_dir_all(folder.join(package)).map_err(failed)?;
    }
    match list.files.keys().find(|name| !seen.contains(*name)) {
        Some(missing) => Err(Error::unusable(format!("`{missing}` is missing in it"))),
        None => Ok(list),
    }
}

fn read_list(entry: &mut impl Read, name: &str) -> Result<PackList, Error> {
    /// Kept in every version.
    #[derive(Deserialize)]
    struct Version {
        clearance_pack: u32,
    }
    let mut text = Vec::new();
    if name != LIST || entry.take(MOST_LIST).read_to_end(&mut text).is_err() {
        return Err(Error::unusable("it does not begin with its list"));
    }
    let version: Version = serde_json::from_slice(&text).map_err(|e| Error::Unreadable {
        what: "its list".to_owned(),
        cause: e.to_string(),
    })?;
    if version.clearance_pack != VERSION {
        return Err(Error::unusable(format!(
            "it was made by another version of clearance (layout {}, this one reads {VERSION})",
            version.clearance_pack
        )));
    }
    let list: PackList = serde_json::from_slice(&text).map_err(|e| Error::Unreadable {
        what: "its list".to_owned(),
        cause: e.to_string(),
    })?;
    // Its names are used as paths.
    let paths = list.packages.values().chain([&list.cell]);
    let normal = |part: Component| matches!(part, Component::Normal(_));
    if !paths
        .flat_map(|path| Path::new(path).components())
        .all(normal)
    {
        return Err(Error::unusable("its list names what lies outside of it"));
    }
    Ok(list)
}
