//! Names that are hard to write into a line of a file.

use std::fs;

use clearance_recheck::files::read;

use super::{certified, ours, valid};

/// Bodies, and the files themselves: two blanks, a blank at an end, a tab. Catches two names that
/// become one, and a certificate that names a file which is not there.
#[test]
#[cfg(unix)]
fn names_stay_what_they_are_in_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let cell = folder.path().join("cell.toml");
    let with = |names: &[&str]| {
        let urdf = ours("robots/arm6/robot.urdf");
        let mut text = format!("[[robot]]\nurdf = {:?}\n", urdf.display().to_string());
        for (k, name) in names.iter().enumerate() {
            text += &format!(
                "[[obstacle]]\nname = {name:?}\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [\"9m\", {k}, 0] }}\n"
            );
        }
        fs::write(&cell, text).unwrap();
    };
    let program = ours("trajectories/arm6/pick_place.csv")
        .display()
        .to_string();
    let run = |file: &str| {
        let file = folder.path().join(file);
        let cell = cell.display().to_string();
        (certified(&cell, &[&program], &file), file)
    };
    let names = ["my  table", "my table", "a\tb", "a?b", " c"];
    with(&names);
    for file in ["a  b.cert", " a.cert", "a\tb.cert"] {
        let ((code, said), file) = run(file);
        assert_eq!(code, 0, "{file:?}: {said}");
        let (geometry, certificate) = read(&file).unwrap();
        assert!(valid(&geometry, &certificate).is_ok());
        for name in names {
            assert!(
                geometry.bodies.iter().any(|body| body.name == name),
                "{name:?}"
            );
        }
    }
    let ((code, said), file) = run("a\nb.cert");
    assert!(
        code == 2 && said.contains("no name for a certificate"),
        "{said}"
    );
    assert!(!file.exists());
    with(&["a\nb"]);
    let ((code, said), file) = run("a.cert");
    assert!(code == 2 && said.contains("line break"), "{said}");
    assert!(!file.exists());
}
