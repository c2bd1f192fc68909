//! Which of several files is the one that a `package://` URI means.

use std::io::Read;
use std::path::Path;

use super::FoundPackage;
use crate::Problem;
use crate::packages;

/// The first of the files that are there. A folder that only has the name of the package counts
/// where no other one states the name in its `package.xml`.
///
/// # Errors
/// When one of the others lies beside the URDF or above it and has another content: the environment
/// may mean another version of the package than the one that the URDF is part of.
pub(super) fn choice(found: Vec<FoundPackage>) -> Result<Option<FoundPackage>, Problem> {
    let has_name = found.len() > 1 && found.iter().any(states_its_name);
    let (stated, only_called): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|found| !has_name || states_its_name(found));
    let is_nearby = |found: &FoundPackage| found.package.as_ref().is_some_and(|p| p.nearby);
    let mut found = stated.into_iter();
    let Some(first) = found.next() else {
        return Ok(None);
    };
    // Beside the URDF a folder that only has the name counts less than one that states it there. But
    // meshes that somebody has copied there are not those of the environment.
    let copied = only_called.into_iter().filter(|_| !is_nearby(&first));
    let mut others = found.chain(copied);
    let other = others.find(|other| is_nearby(other) && differ(&first.file, &other.file));
    match (other, &first.package) {
        (Some(other), Some(package)) => {
            Err(two_versions(&package.name, [&first.file, &other.file]))
        }
        _ => Ok(Some(first)),
    }
}

/// The error for a package that is there twice, with different files.
pub(super) fn two_versions(package: &str, [one, other]: [&Path; 2]) -> Problem {
    Problem::BadValue {
        what: format!("the package `{package}`"),
        value: format!(
            "in two places, with different files: {} and {}",
            one.display(),
            other.display()
        ),
        remedy: format!(
            "say which one is meant: [packages] {package} = \"…\" in the cell file, or --package"
        ),
    }
}

/// Whether two files have different bytes. One that cannot be read is told when it is used.
pub(super) fn differ(a: &Path, b: &Path) -> bool {
    !same_content(a, b).unwrap_or(true)
}

/// A URI means one file: whether percent codes in it are decoded is not the same everywhere.
///
/// # Errors
/// When by another spelling it is a file with another content.
pub(super) fn same_by_any_spelling(uri: &str, a: &Path, b: &Path) -> Result<(), Problem> {
    if !differ(a, b) {
        return Ok(());
    }
    Err(Problem::BadValue {
        what: format!("the file that `{uri}` means"),
        value: format!("either {} or {}, which differ", a.display(), b.display()),
        remedy: "rename one of the two, or take it away".into(),
    })
}

fn states_its_name(found: &FoundPackage) -> bool {
    let package = found.package.as_ref();
    package.is_some_and(|p| packages::name_of(&p.folder).is_some_and(|name| name == p.name))
}

/// Whether two files have the same bytes.
fn same_content(a: &Path, b: &Path) -> std::io::Result<bool> {
    if a.canonicalize()? == b.canonicalize()? {
        return Ok(true);
    }
    let [mut a, mut b] = [std::fs::File::open(a)?, std::fs::File::open(b)?];
    let length = a.metadata()?.len();
    if b.metadata()?.len() != length {
        return Ok(false);
    }
    let mut left = length;
    let (mut of_a, mut of_b) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    while left > 0 {
        let now = left.min(1 << 16) as usize;
        a.read_exact(&mut of_a[..now])?;
        b.read_exact(&mut of_b[..now])?;
        if of_a[..now] != of_b[..now] {
            return Ok(false);
        }
        left -= now as u64;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::Resolver;
    use super::*;

    /// A folder with these files and their contents.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        folder
    }

    fn resolved(resolver: &Resolver, folder: &Path) -> Result<PathBuf, String> {
        let urdf = folder.join("work/arm/urdf/r.urdf");
        let file = resolver.resolve("package://arm/meshes/m.stl", &urdf);
        let file = file.map_err(|problem| problem.to_string())?;
        Ok(file.strip_prefix(folder).unwrap().to_owned())
    }

    const MANIFEST: &str = "<package><name>arm</name></package>";

    /// Catches a folder that only has the name of the package, and is nearer to the URDF.
    #[test]
    fn the_folder_that_states_the_name_comes_first() {
        let folder = folder(&[
            ("work/arm/urdf/arm/meshes/m.stl", "old"),
            ("work/arm/meshes/m.stl", "new"),
            ("work/arm/package.xml", MANIFEST),
        ]);
        let place = resolved(&Resolver::default(), folder.path());
        assert_eq!(place, Ok("work/arm/meshes/m.stl".into()));
        // What the package lacks may be in the other one.
        std::fs::remove_file(folder.path().join("work/arm/meshes/m.stl")).unwrap();
        let place = resolved(&Resolver::default(), folder.path());
        assert_eq!(place, Ok("work/arm/urdf/arm/meshes/m.stl".into()));
    }

    /// Catches one of two versions that is taken without a word.
    #[test]
    fn two_files_that_differ_are_told() {
        let folder = folder(&[
            ("work/arm/urdf/arm/meshes/m.stl", "old"),
            ("work/arm/meshes/m.stl", "new"),
        ]);
        let said = resolved(&Resolver::default(), folder.path()).unwrap_err();
        assert!(said.contains("in two places"), "{said}");
        assert!(said.contains("[packages] arm = "), "{said}");
        let path = |name: &str| folder.path().join(name);
        let stated = Resolver::of_packages(vec![("arm".into(), path("work/arm"))]);
        let place = resolved(&stated, folder.path());
        assert_eq!(place, Ok("work/arm/meshes/m.stl".into()));
        // The same bytes twice are one.
        std::fs::write(path("work/arm/meshes/m.stl"), "old").unwrap();
        assert!(resolved(&Resolver::default(), folder.path()).is_ok());
    }

    /// Regression: the meshes beside the URDF gave way to those of the environment without a word,
    /// where their folder had no `package.xml`.
    #[test]
    fn meshes_beside_the_urdf_are_compared_with_those_of_the_environment() {
        let folder = folder(&[
            ("a/arm/package.xml", MANIFEST),
            ("a/arm/meshes/m.stl", "one"),
            ("work/arm/urdf/arm/meshes/m.stl", "two"),
        ]);
        let resolver = Resolver {
            ros_package_path: vec![folder.path().join("a")],
            ..Resolver::default()
        };
        let said = resolved(&resolver, folder.path()).unwrap_err();
        assert!(said.contains("in two places"), "{said}");
        let own = folder.path().join("work/arm/urdf/arm/meshes/m.stl");
        std::fs::write(own, "one").unwrap();
        let place = resolved(&resolver, folder.path());
        assert_eq!(place, Ok("a/arm/meshes/m.stl".into()));
    }

    /// Regression: files by `$(find …)` were those of the last build, and those beside the robot's file
    /// were not compared with them.
    #[test]
    fn files_by_find_have_one_version() {
        let folder = folder(&[
            ("a/arm/package.xml", MANIFEST),
            ("a/arm/inc.xacro", "old"),
            ("a/arm/same.xacro", "same"),
            ("a/arm/only.xacro", "only"),
            ("work/arm/package.xml", MANIFEST),
            ("work/arm/inc.xacro", "new"),
            ("work/arm/same.xacro", "same"),
        ]);
        let path = |name: &str| folder.path().join(name);
        let resolver = Resolver {
            ros_package_path: vec![path("a")],
            ..Resolver::default()
        };
        let found = resolver.package("arm", &path("work/arm/urdf/r.xacro"));
        let found = found.unwrap();
        assert_eq!(found, path("a/arm"));
        for name in ["same.xacro", "only.xacro"] {
            assert!(
                resolver.has_one_version(&found.join(name)).is_ok(),
                "{name}"
            );
        }
        let said = resolver.has_one_version(&found.join("inc.xacro"));
        let said = said.unwrap_err().to_string();
        assert!(
            said.contains("in two places") && said.contains("[packages] arm"),
            "{said}"
        );
        let mesh = format!("file://{}", found.join("inc.xacro").display());
        assert!(
            resolver
                .resolve(&mesh, &path("work/arm/urdf/r.xacro"))
                .is_err()
        );
    }

    /// Whoever waits for changes has to look for a package that comes before this one.
    #[test]
    fn places_where_another_file_would_count_are_known() {
        let folder = folder(&[("b/arm/meshes/m.stl", "two"), ("work/arm/urdf/r.urdf", "")]);
        let path = |name: &str| folder.path().join(name);
        let resolver = Resolver {
            ros_package_path: vec![path("a"), path("b")],
            ..Resolver::default()
        };
        let place = resolved(&resolver, folder.path());
        assert_eq!(place, Ok("b/arm/meshes/m.stl".into()));
        assert!(resolver.absent().contains(&path("a/arm/meshes/m.stl")));
    }

    /// Catches one of two files that is taken without a word: RViz decodes the codes.
    #[test]
    fn a_file_by_each_spelling_is_a_question() {
        let folder = folder(&[("work/a%20b.stl", "one"), ("work/c%20d.stl", "one")]);
        let urdf = folder.path().join("work/r.urdf");
        let resolver = Resolver::default();
        let of = |uri: &str| resolver.resolve(uri, &urdf).map_err(|why| why.to_string());
        assert!(of("a%20b.stl").is_ok());
        let plain =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        plain("work/a b.stl", "two");
        plain("work/c d.stl", "one");
        let said = of("a%20b.stl").unwrap_err();
        assert!(said.contains("which differ"), "{said}");
        assert!(of("c%20d.stl").is_ok());
    }

    /// Of two places that the environment names the first counts, as in ROS; one of them and the
    /// package that the URDF is part of are a question.
    #[test]
    fn the_environment_has_an_order_of_its_own() {
        let folder = folder(&[
            ("a/arm/meshes/m.stl", "one"),
            ("b/arm/meshes/m.stl", "two"),
            ("work/arm/urdf/r.urdf", ""),
        ]);
        let path = |name: &str| folder.path().join(name);
        let resolver = Resolver {
            ros_package_path: vec![path("a"), path("b")],
            ..Resolver::default()
        };
        let place = resolved(&resolver, folder.path());
        assert_eq!(place, Ok("a/arm/meshes/m.stl".into()));
        std::fs::create_dir_all(path("work/arm/meshes")).unwrap();
        std::fs::write(path("work/arm/meshes/m.stl"), "own").unwrap();
        assert!(resolved(&resolver, folder.path()).is_err());
    }
}
