//! From a mesh URI in a URDF to a file.

mod choice;
mod given;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use self::choice::{choice, differ, same_by_any_spelling, two_versions};
use self::given::as_given;
use crate::loaded::PackageFolder;

use super::Problem;
use super::files::{backslashes, near};
use super::packages::{self, Packages};

/// Where `package://` URIs are looked up.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    /// Package names and their folders, as the user stated them: no other place counts for these.
    packages: Vec<(String, PathBuf)>,
    /// Folders that hold packages (or are one): `ROS_PACKAGE_PATH`.
    ros_package_path: Vec<PathBuf>,
    /// Install prefixes: `AMENT_PREFIX_PATH`.
    ament_prefix_path: Vec<PathBuf>,
    /// Whether files may ask the environment (`$(env NAME)`): not those of a pack, which means the
    /// same on every machine.
    pub(crate) asks_environment: bool,
    /// The packages below each folder of `ROS_PACKAGE_PATH`, once somebody has asked.
    below: OnceLock<Vec<Packages>>,
    /// The folders right in a folder that state a name, for each folder and name that somebody has
    /// asked for: a robot has many meshes.
    inside: Mutex<HashMap<(PathBuf, String), Vec<PathBuf>>>,
    /// Folders that names of packages turned out to mean, each once, in the order of first use.
    used: Mutex<Vec<PackageFolder>>,
    /// Files that are not there, and may count in the place of others once they are.
    absent: Mutex<BTreeSet<PathBuf>>,
    /// Folders that `$(find …)` has given by the environment, and that of the same package beside the
    /// file or above it.
    copies: Mutex<Vec<PackageCopies>>,
}

impl Resolver {
    /// These packages, and where the environment says for others. Of one name the first counts.
    pub(crate) fn from_environment(packages: Vec<(String, PathBuf)>) -> Self {
        let paths = |name: &str| {
            std::env::var_os(name)
                .map(|v| {
                    std::env::split_paths(&v)
                        .filter(|p| !p.as_os_str().is_empty())
                        .collect()
                })
                .unwrap_or_default()
        };
        Self {
            packages,
            ros_package_path: paths("ROS_PACKAGE_PATH"),
            ament_prefix_path: paths("AMENT_PREFIX_PATH"),
            asks_environment: true,
            ..Self::default()
        }
    }

    /// Looks in these packages only, and around the URDF; the environment says nothing.
    pub(crate) fn of_packages(packages: Vec<(String, PathBuf)>) -> Self {
        Self {
            packages,
            ..Self::default()
        }
    }

    /// The file that a URI in this URDF means, or the problem with every place that was tried.
    pub(crate) fn resolve(&self, uri: &str, urdf: &Path) -> Result<PathBuf, Problem> {
        let uri = uri.trim();
        if uri.is_empty() {
            return Err(Problem::BadValue {
                what: "mesh file name".into(),
                value: "empty".into(),
                remedy: "name a mesh file".into(),
            });
        }
        let (mut tried, mut found) = (Vec::new(), None);
        for spelling in spellings(uri) {
            let candidates = match self.candidates(&spelling, urdf) {
                Err(_) if found.is_some() => continue,
                candidates => candidates?,
            };
            let (there, missing): (Vec<_>, Vec<_>) = candidates
                .into_iter()
                .partition(|FoundPackage { file, .. }| file.exists() && !file.is_dir());
            match (&found, choice(there)?) {
                (None, one) => found = one,
                (Some(_), None) => {}
                (Some(first), Some(other)) => same_by_any_spelling(uri, &first.file, &other.file)?,
            }
            for FoundPackage { file, .. } in missing {
                if !tried.contains(&file) {
                    tried.push(file);
                }
            }
        }
        if let Some(FoundPackage { file, package }) = found {
            self.note_absent(tried);
            self.has_one_version(&file)?;
            let is_elsewhere = package.as_ref().is_some_and(|package| !package.nearby);
            package.into_iter().for_each(|package| self.note(package));
            return Ok(if is_elsewhere {
                file
            } else {
                as_given(file, urdf)
            });
        }
        let remedy = match uri.strip_prefix("package://") {
            Some(rest) => {
                let name = rest
                    .trim_start_matches('/')
                    .split('/')
                    .next()
                    .unwrap_or_default();
                let of_package = if self.packages.iter().any(|(stated, _)| stated == name) {
                    format!(
                        "this folder is stated for the package `{name}`, with --package or in [packages] of the cell file: state the one that has the file"
                    )
                } else {
                    name_package(name)
                };
                // Where the package is the right one, its name in the file is not.
                match tried.iter().find_map(|file| near(file)) {
                    Some(near) => {
                        format!("did you mean `{}`? If not: {of_package}", near.display())
                    }
                    None => of_package,
                }
            }
            None => backslashes(uri).unwrap_or_else(|| "check the path".into()),
        };
        Err(Problem::NotFound {
            uri: uri.to_owned(),
            tried,
            remedy,
        })
    }

    /// The folder of a package, as `$(find name)` in this file means it.
    pub(crate) fn package(&self, name: &str, file: &Path) -> Result<PathBuf, Problem> {
        let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let folder = whole.parent().unwrap_or(Path::new(""));
        let candidates = self.package_folders(name, folder)?;
        // A folder that only has the name of a package is one where nothing else is.
        let says = ["package.xml", "manifest.xml"];
        let is_package = |c: &&PackageFolder| says.iter().any(|s| c.folder.join(s).is_file());
        let mut packages = candidates.iter().filter(is_package);
        let first = packages.next();
        if let Some(first) = first.filter(|first| first.nearby)
            && let Some(other) = packages.find(|other| !is_same(first, other))
            && !folder.starts_with(&first.folder)
        {
            return Err(Problem::BadValue {
                what: format!("the package `{name}`"),
                value: format!(
                    "in two places: {} and {}",
                    first.folder.display(),
                    other.folder.display()
                ),
                remedy: format!(
                    "say which one is meant: [packages] {name} = \"…\" in the cell file, or --package"
                ),
            });
        }
        let found = first.or_else(|| candidates.iter().find(|c| c.folder.is_dir()));
        match found {
            Some(found) => {
                let manifests = candidates.iter().map(|c| c.folder.join(says[0]));
                self.note_absent(manifests.filter(|manifest| !manifest.exists()));
                self.note(found.clone());
                let taken: PathBuf = found.folder.components().collect();
                let is_other = |other: &&PackageFolder| {
                    !found.nearby && other.nearby && other.folder.is_dir() && !is_same(found, other)
                };
                let copies = candidates
                    .iter()
                    .filter(is_other)
                    .map(|other| PackageCopies {
                        name: name.to_owned(),
                        taken: taken.clone(),
                        nearby: other.folder.clone(),
                    });
                let known = self.copies.lock();
                known.unwrap_or_else(PoisonError::into_inner).extend(copies);
                Ok(taken)
            }
            None => Err(Problem::NotFound {
                uri: format!("$(find {name})"),
                tried: candidates.into_iter().map(|c| c.folder).collect(),
                remedy: name_package(name),
            }),
        }
    }

    /// Sees to it that a file of a package by `$(find …)` has no other version in the copy of the
    /// package that the files around it are part of.
    ///
    /// # Errors
    /// When it has: which of the two is meant is not known.
    pub(crate) fn has_one_version(&self, file: &Path) -> Result<(), Problem> {
        let copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        for PackageCopies {
            name,
            taken,
            nearby,
        } in copies.iter()
        {
            let Ok(inside) = file.strip_prefix(taken) else {
                continue;
            };
            let other = nearby.join(inside);
            if other.is_file() && differ(file, &other) {
                return Err(two_versions(name, [file, &other]));
            }
        }
        Ok(())
    }

    /// Folders that names of packages turned out to mean so far.
    pub(crate) fn packages_used(&self) -> Vec<PackageFolder> {
        let used = self.used.lock();
        used.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Files that are not there, and may count in the place of others once they are.
    pub(crate) fn absent(&self) -> BTreeSet<PathBuf> {
        let absent = self.absent.lock();
        absent.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note_absent(&self, files: impl IntoIterator<Item = PathBuf>) {
        let absent = self.absent.lock();
        absent.unwrap_or_else(PoisonError::into_inner).extend(files);
    }

    /// Names of packages whose folders the user stated, and that no file has named so far.
    pub(crate) fn packages_unused(&self) -> BTreeSet<&str> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let names = self.packages.iter().map(|(name, _)| name.as_str());
        names
            .filter(|name| used.iter().all(|u| u.name != *name))
            .collect()
    }

    fn note(&self, package: PackageFolder) {
        let used = self.used.lock();
        let mut used = used.unwrap_or_else(PoisonError::into_inner);
        if !used.contains(&package) {
            used.push(package);
        }
    }

    fn candidates(&self, uri: &str, urdf: &Path) -> Result<Vec<FoundPackage>, Problem> {
        // Walking up needs the whole path, also of `robot.urdf` in the working folder.
        let whole = std::path::absolute(urdf).unwrap_or_else(|_| urdf.to_owned());
        let folder = whole.parent().unwrap_or(Path::new(""));
        let Some((scheme, rest)) = uri.split_once("://") else {
            // `join` keeps absolute names as they are.
            return Ok(vec![FoundPackage::plain(folder.join(uri))]);
        };
        match scheme {
            "file" => {
                let rest = rest
                    .strip_prefix("localhost/")
                    .map_or(rest.to_owned(), |r| format!("/{r}"));
                Ok(vec![FoundPackage::plain(folder.join(rest))])
            }
            "package" => {
                let rest = rest.trim_start_matches('/');
                let (name, inside) = rest.split_once('/').unwrap_or((rest, ""));
                // Joined to a folder, `/meshes` would be a folder of the machine.
                let inside = inside.trim_start_matches('/');
                let found = self.package_folders(name, folder)?.into_iter();
                let within = found.map(|package| FoundPackage {
                    file: package.folder.join(inside),
                    package: Some(package),
                });
                Ok(within.collect())
            }
            _ => Err(Problem::Unsupported {
                what: format!("`{scheme}://` in `{uri}`"),
                remedy: "use a relative path, `file://` or `package://`".into(),
            }),
        }
    }

    /// Where the folder of a package may be, for a file of this folder; the first one that serves
    /// counts.
    fn package_folders(&self, name: &str, folder: &Path) -> Result<Vec<PackageFolder>, Problem> {
        if let Some((_, stated)) = self.packages.iter().find(|(n, _)| n == name) {
            return Ok(vec![stated_folder(name, stated)?]);
        }
        let mut folders: Vec<PathBuf> = Vec::new();
        folders.extend(self.by_manifest(name)?.map(Path::to_owned));
        let is_package = |p: &Path| p.file_name().is_some_and(|f| f == name);
        for path in &self.ros_package_path {
            if is_package(path) {
                folders.push(path.clone());
            }
            folders.push(path.join(name));
        }
        for prefix in &self.ament_prefix_path {
            folders.push(prefix.join("share").join(name));
        }
        let elsewhere = folders.len();
        // Beside the URDF or above it. The first of these also serves `package://meshes/…`, which
        // names no package.
        let mut is_within = false;
        for parent in folder.ancestors() {
            if is_package(parent) || packages::states(parent, name) {
                folders.push(parent.to_owned());
                is_within = true;
            }
            folders.push(parent.join(name));
            // Copies of the package that the file is part of may lie beside it.
            if !is_within {
                let mut known = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
                let found = known.entry((parent.to_owned(), name.to_owned()));
                let found = found.or_insert_with(|| packages::inside(parent, name));
                folders.extend(found.iter().cloned());
            }
        }
        let all = folders.into_iter().enumerate();
        let all = all.map(|(k, folder)| PackageFolder {
            name: name.to_owned(),
            folder,
            nearby: k >= elsewhere,
        });
        // A folder of this name that states another one is another package.
        let is_other = |c: &PackageFolder| packages::name_of(&c.folder).is_some_and(|n| n != name);
        Ok(all.filter(|c| !is_other(c)).collect())
    }

    /// The folder below those of `ROS_PACKAGE_PATH` whose `package.xml` states this name. Folders
    /// come one before the other; two below the same one are one too many.
    fn by_manifest(&self, name: &str) -> Result<Option<&Path>, Problem> {
        let below = self.below.get_or_init(|| {
            let roots = self.ros_package_path.iter();
            roots.map(|root| packages::below(root)).collect()
        });
        for (root, packages) in self.ros_package_path.iter().zip(below) {
            match packages.by_name.get(name).map(Vec::as_slice) {
                Some([only]) => return Ok(Some(only)),
                Some([first, second, ..]) => {
                    return Err(Problem::BadValue {
                        what: format!("the package `{name}`"),
                        value: format!(
                            "in {} and in {}, both below a folder of ROS_PACKAGE_PATH",
                            first.display(),
                            second.display()
                        ),
                        remedy: format!(
                            "say which one is meant in the cell file: [packages] {name} = \"…\""
                        ),
                    });
                }
                None if packages.unreadable.is_some() => {
                    let manifest = packages.unreadable.as_deref().unwrap_or(root);
                    return Err(Problem::BadValue {
                        what: format!("the package `{name}`"),
                        value: format!(
                            "perhaps the one of {}, which cannot be read",
                            manifest.display()
                        ),
                        remedy: format!(
                            "mend that file, or say which package is meant in the cell file: [packages] {name} = \"…\""
                        ),
                    });
                }
                _ if packages.cut => {
                    return Err(Problem::Unsupported {
                        what: format!(
                            "a folder of ROS_PACKAGE_PATH with more than 50,000 folders in it ({})",
                            root.display()
                        ),
                        remedy: name_package(name),
                    });
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// The folder that the user stated. Files of another version elsewhere must not take the place of
/// what is missing in it.
fn stated_folder(name: &str, folder: &Path) -> Result<PackageFolder, Problem> {
    if !folder.is_dir() {
        return Err(Problem::BadValue {
            what: format!("the folder of the package `{name}`"),
            value: format!("{}, which is no folder", folder.display()),
            remedy:
                "correct it where it is stated: in [packages] of the cell file, or with --package"
                    .to_owned(),
        });
    }
    Ok(PackageFolder {
        name: name.to_owned(),
        folder: folder.to_owned(),
        nearby: false,
    })
}

/// A package that is there twice.
#[derive(Debug)]
struct PackageCopies {
    name: String,
    taken: PathBuf,
    nearby: PathBuf,
}

/// Whether both are the same folder.
fn is_same(a: &PackageFolder, b: &PackageFolder) -> bool {
    let real = |p: &PackageFolder| p.folder.canonicalize().ok();
    real(a).is_some() && real(a) == real(b)
}

/// A file that a URI may mean.
struct FoundPackage {
    file: PathBuf,
    /// The package that the URI names, where it names one.
    package: Option<PackageFolder>,
}

impl FoundPackage {
    fn plain(file: PathBuf) -> Self {
        Self {
            file,
            package: None,
        }
    }
}

/// The URI as written, and as it may have been meant: percent codes decoded, backslashes turned.
fn spellings(uri: &str) -> Vec<String> {
    let mut all = vec![uri.to_owned()];
    for spelling in [
        percent_decoded(uri),
        uri.replace('\\', "/"),
        percent_decoded(&uri.replace('\\', "/")),
    ] {
        if !all.contains(&spelling) {
            all.push(spelling);
        }
    }
    all
}

/// `%20` to a space and so on; text that is not a valid code stays.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let code = (bytes[i] == b'%')
            .then(|| text.get(i + 1..i + 3))
            .flatten()
            .filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// The remedy where it is not known where a package lies.
fn name_package(name: &str) -> String {
    format!(
        "name the folder of the package in the cell file: [packages] {name} = \"…\", or `--package {name}=FOLDER`"
    )
}

#[cfg(test)]
mod tests;
