//! Sphere trees kept on disk, by the content of what they were built from, and welded meshes, by
//! the bytes of their files.
//!
//! A folder may be shared, or restored by a CI server: what a file says is believed only once it is
//! proved of the mesh in memory (see `format.rs`), or of the bytes of the file (`KeptMeshes` of
//! clearance-formats), and only regular files of one's own or of root are opened.
//!
//! A file is written beside its place and then renamed, so that many processes can share a folder.
//! Whatever is wrong with a file, the tree is built anew; whatever is wrong with the folder,
//! nothing is kept, which costs time but no answer.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::mesh::Mesh;

mod digest;
mod format;
mod key;
mod meshes;
#[cfg(test)]
mod tests;

const SUFFIX: &str = "tree";
const MESH_SUFFIX: &str = "mesh";
const UNFINISHED: &str = ".unfinished-";

/// Where trees come from: built once in a run, and once on a machine where there is a folder to
/// keep them in.
#[derive(Debug, Default)]
pub struct Cache {
    folder: Option<PathBuf>,
    /// Another folder that trees are read from, and none is written to.
    beside: Option<PathBuf>,
    /// Trees of this run, by key.
    known: Mutex<HashMap<[u8; 32], Arc<SphereTree>>>,
    problem: Mutex<Option<String>>,
}

/// A file in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    /// Where it is.
    pub file: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Triangles of the tree or the mesh, as the file says.
    pub triangles: u64,
    /// Time since the file was written.
    pub age: Duration,
}

impl Cache {
    /// The cache in this folder, which need not exist yet. `None`: the user's cache folder.
    pub fn open(folder: Option<&Path>) -> Self {
        let folder = folder
            .map(Path::to_owned)
            .or_else(|| user_folder(|name| std::env::var_os(name)));
        let problem = folder.is_none().then(|| {
            "there is no user cache folder (neither XDG_CACHE_HOME nor HOME is set); trees are not kept".to_owned()
        });
        Self {
            folder,
            problem: Mutex::new(problem),
            ..Self::default()
        }
    }

    /// Nothing is read or written.
    pub fn off() -> Self {
        Self::default()
    }

    /// The same cache, which reads trees of this folder too. They are proved like its own.
    pub fn with_trees_of(self, folder: PathBuf) -> Self {
        Self {
            beside: Some(folder),
            ..self
        }
    }

    /// The folder, unless the cache is off.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Why trees could not be kept, if that happened; the first reason.
    pub fn problem(&self) -> Option<String> {
        lock(&self.problem).clone()
    }

    /// The tree of this mesh, from this run, from disk, or built (and then kept). The mesh must be
    /// fit for [`SphereTree::new`].
    pub fn tree(&self, mesh: &Mesh, radius: f64) -> Arc<SphereTree> {
        let key = key::key(mesh, radius);
        if let Some(tree) = lock(&self.known).get(key.as_bytes()) {
            return tree.clone();
        }
        let named = |folder: &PathBuf| folder.join(format!("{}.{SUFFIX}", key.to_hex()));
        let file = self.folder.as_ref().map(named);
        let beside = self.beside.as_ref().map(named);
        let mut files = file.iter().chain(&beside);
        let kept = files.find_map(|file| read(file, &key, mesh, radius));
        let tree = Arc::new(kept.unwrap_or_else(|| {
            let (nodes, order) = SphereTree::build_nodes(mesh);
            if let Some(file) = &file {
                self.keep(file, &format::encode(&nodes, &order, &key));
            }
            let mut tree = SphereTree::from_nodes(mesh, radius, nodes, &order);
            tree.find_solids();
            tree
        }));
        // If another thread was faster, its tree is the same one.
        lock(&self.known)
            .entry(*key.as_bytes())
            .or_insert(tree)
            .clone()
    }

    /// The key of what reading a file of so many bytes gives.
    ///
    /// # Errors
    /// When the file cannot be read, or ends sooner.
    pub fn mesh_key(length: u64, file: &mut dyn Read) -> io::Result<[u8; 32]> {
        Ok(*meshes::key(length, file)?.as_bytes())
    }

    /// The mesh that reading the file of this key gave, and how many of its triangles are
    /// degenerate. It is undamaged, but nothing else is sure: anybody may have written it.
    pub fn mesh(&self, key: &[u8; 32]) -> Option<(Mesh, u64)> {
        let key = blake3::Hash::from_bytes(*key);
        let (opened, about) = open(&self.mesh_file(&key)?)?;
        let read = |from: u64, buffer: &mut [u8]| read_at(&opened, from, buffer);
        let length = about.len();
        meshes::decode(&format::TreeReader { length, read }, &key)
    }

    /// Keeps such a mesh.
    pub fn keep_mesh(&self, key: &[u8; 32], mesh: &Mesh, degenerate: u64) {
        let key = blake3::Hash::from_bytes(*key);
        if let Some(file) = self.mesh_file(&key) {
            self.keep(&file, &meshes::encode(mesh, degenerate, &key));
        }
    }

    fn mesh_file(&self, key: &blake3::Hash) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{}.{MESH_SUFFIX}", key.to_hex())))
    }

    fn keep(&self, file: &Path, bytes: &[u8]) {
        if let Err(cause) = write(file, bytes) {
            lock(&self.problem)
                .get_or_insert_with(|| format!("{}; trees are not kept", bare_cause(&cause)));
        }
    }

    /// The trees and meshes on disk, by file name.
    pub fn list(&self) -> Vec<CacheEntry> {
        let mut entries: Vec<CacheEntry> = self.files().filter_map(|file| entry(&file)).collect();
        entries.sort_by(|a, b| a.file.cmp(&b.file));
        entries
    }

    /// Removes the trees and meshes on disk, what writers left unfinished, and nothing else.
    /// Returns how many files went; a file that cannot be removed is an error.
    pub fn clear(&self) -> std::io::Result<usize> {
        let mut removed = 0;
        for file in self.files() {
            if entry(&file).is_some() || is_unfinished(&file) {
                fs::remove_file(&file)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.folder
            .iter()
            .filter_map(|f| fs::read_dir(f).ok())
            .flatten()
            .filter_map(|e| Some(e.ok()?.path()))
    }
}

/// The user's cache folder by the custom of the system; `variable` looks up the environment.
fn user_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // An empty or relative folder is as good as none (the rule of the XDG base directories).
    let folder = |name: &str| {
        variable(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let base = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    };
    base.map(|b| b.join("clearance"))
}

/// The facts about a file from its own name and beginning; none if these are not ours.
fn entry(file: &Path) -> Option<CacheEntry> {
    let stem = file.file_stem()?.to_str()?;
    let extension = file.extension()?;
    let is_mesh = extension == MESH_SUFFIX;
    let named = (is_mesh || extension == SUFFIX) && stem.len() == 64;
    if !named || !stem.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let (opened, about) = open(file)?;
    let mut start = Vec::new();
    let limit = format::SUMMARY.max(meshes::SUMMARY) as u64;
    opened.take(limit).read_to_end(&mut start).ok()?;
    let triangles = if is_mesh {
        meshes::summary(&start)?
    } else {
        format::summary(&start)?.triangles
    };
    let written = about.modified().ok()?;
    Some(CacheEntry {
        file: file.to_owned(),
        bytes: about.len(),
        triangles,
        age: SystemTime::now()
            .duration_since(written)
            .unwrap_or_default(),
    })
}

/// Whether a writer left this behind: an hour is more than any needs.
fn is_unfinished(file: &Path) -> bool {
    let named = file
        .file_name()
        .and_then(|n| n.to_str())
        .is_some_and(|n| n.starts_with(UNFINISHED) && n.ends_with(SUFFIX));
    let old = fs::symlink_metadata(file)
        .and_then(|m| m.modified())
        .is_ok_and(|t| t.elapsed().is_ok_and(|age| age > Duration::from_secs(3600)));
    named && old
}

/// The tree in a file, if that is whole and is one of this mesh. Blocks are read side by side
/// through one handle: should the file be replaced meanwhile, the handle keeps the old one.
fn read(file: &Path, key: &blake3::Hash, mesh: &Mesh, radius: f64) -> Option<SphereTree> {
    let (opened, about) = open(file)?;
    let read = |from: u64, buffer: &mut [u8]| read_at(&opened, from, buffer);
    let length = about.len();
    format::decode(&format::TreeReader { length, read }, key, mesh, radius)
}

/// Opens a regular file of one's own or of root, and nothing else: no link to somewhere, no device,
/// no pipe that would let one wait.
#[cfg(unix)]
fn open(file: &Path) -> Option<(fs::File, fs::Metadata)> {
    use std::os::unix::fs::MetadataExt;

    use rustix::fs::{Mode, OFlags};
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = fs::File::from(rustix::fs::open(file, flags, Mode::empty()).ok()?);
    let about = opened.metadata().ok()?;
    let trusted = [0, rustix::process::geteuid().as_raw()];
    (about.is_file() && trusted.contains(&about.uid())).then_some((opened, about))
}

/// Opens a regular file, and nothing else.
#[cfg(not(unix))]
fn open(file: &Path) -> Option<(fs::File, fs::Metadata)> {
    fs::symlink_metadata(file).ok().filter(|m| m.is_file())?;
    let opened = fs::File::open(file).ok()?;
    let about = opened.metadata().ok()?;
    about.is_file().then_some((opened, about))
}

/// Fills the buffer from this offset on.
#[cfg(unix)]
fn read_at(file: &fs::File, from: u64, buffer: &mut [u8]) -> Option<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, from).ok()
}

/// Fills the buffer from this offset on.
#[cfg(windows)]
fn read_at(file: &fs::File, from: u64, buffer: &mut [u8]) -> Option<()> {
    let mut done = 0;
    while done < buffer.len() {
        let rest = &mut buffer[done..];
        match std::os::windows::fs::FileExt::seek_read(file, rest, from + done as u64).ok()? {
            0 => return None,
            n => done += n,
        }
    }
    Some(())
}

/// The cause alone: `tempfile` adds the name of its file, which is another one each time.
fn bare_cause(error: &io::Error) -> String {
    match error.get_ref() {
        Some(_) => error.kind().to_string(),
        None => error.to_string(),
    }
}

/// Whoever reads meanwhile sees the old file or the new one, never a part.
fn write(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut unfinished = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .suffix(&format!(".{SUFFIX}"))
        .tempfile_in(folder)?;
    unfinished.write_all(bytes)?;
    unfinished.persist(file)?;
    Ok(())
}

/// A panic elsewhere cannot leave these maps half-written.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
