//! Files are told as the user named those that lead to them.

use std::path::{Path, PathBuf};

/// A file that was found by way of this URDF: from the working folder on, if the URDF was named so
/// and the file lies there. So two copies of the same files have the same reports.
pub(super) fn as_given(file: PathBuf, urdf: &Path) -> PathBuf {
    if urdf.is_absolute() {
        return file;
    }
    let here = std::env::current_dir().ok();
    match here.as_deref().map(|here| file.strip_prefix(here)) {
        Some(Ok(inside)) => inside.to_owned(),
        _ => file,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Resolver;

    /// Regression: reports named the mesh of a URDF by its whole path, which is another one in
    /// every copy of the same files.
    #[test]
    fn meshes_are_named_from_where_the_urdf_is() {
        let resolver = Resolver::default();
        let urdf = Path::new("../../robots/scara/robot.urdf");
        for (uri, told) in [
            ("meshes/base.stl", "../../robots/scara/meshes/base.stl"),
            (
                "package://scara/meshes/base.stl",
                "../../robots/scara/meshes/base.stl",
            ),
        ] {
            let file = resolver.resolve(uri, urdf).unwrap();
            assert_eq!(file.as_os_str(), told, "{uri}");
            // A URDF that is named by its whole path keeps it.
            let whole = std::path::absolute(urdf).unwrap();
            let file = resolver.resolve(uri, &whole).unwrap();
            assert!(file.is_absolute() && file.is_file(), "{}", file.display());
        }
    }
}
