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
pub(super) fn choice(mut found: Vec<FoundPackage>) -> Result<Option<FoundPackage>, Problem> {
    if found.len() > 1 && found.iter().any(states_its_name) {
        found.retain(states_its_name);
    }
    let mut found = found.into_iter();
    let Some(first) = found.next() else {
        return Ok(None);
    };
    let other = found.find(|other| {
        let is_nearby = other.package.as_ref().is_some_and(|p| p.nearby);
        // A file that cannot be read is told when it is used.
        is_nearby && !same_content(&first.file, &other.file).unwrap_or(true)
    });
    match (other, &first.package) {
        (Some(other), Some(package)) => Err(Problem::BadValue {
            what: format!("the package `{}`", package.name),
            value: format!(
                "in two places, with different files: {} and {}",
                first.file.display(),
                other.file.display()
            ),
            remedy: format!(
                "say which one is meant: [packages] {} = \"…\" in the cell file, or --package",
                package.name
            ),
        }),
        _ => Ok(Some(first)),
    }
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
