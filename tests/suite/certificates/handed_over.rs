//! Certificates of programs that take a body while joints may be off.

use std::path::{Path, PathBuf};

use clearance_recheck::files::read;
use clearance_recheck::statement::statement;

use super::agree::changed;
use super::{certified, ours, rounded, valid};

/// Certificates of a program that takes a part between two straight moves: joints may be off by
/// these only, and by a budget too. Behind each the same one, with a frame for the part that is
/// not off.
pub(super) fn taken_while_off(folder: &Path) -> Vec<PathBuf> {
    let cell = std::fs::read_to_string(ours("robots/arm6/cell.toml")).unwrap();
    let at = |file: &str| format!("\"{}", ours("robots/arm6").join(file).display());
    let cell = cell.replace("\"meshes", &at("meshes"));
    let cell = cell.replace("\"robot.urdf", &at("robot.urdf"));
    let part = "\n[[obstacle]]\nname = \"part\"\nbox = [0.02, 0.02, 0.02]\npose = { xyz = [0.3, 0.3, 1.9] }\n";
    let budget = "\n[uncertainty]\njoint = \"0.002deg\"\n";
    let line = rounded(folder);
    let text = std::fs::read_to_string(&line).unwrap();
    std::fs::write(&line, text.replace("\"joint\"", "\"linear\"")).unwrap();
    let take = "[[event]]\nwaypoint = 2\nattach = \"part\"\nto = \"arm/tool0\"\n";
    std::fs::write(line.with_extension("events.toml"), take).unwrap();
    let mut files = Vec::new();
    for (number, cell) in [cell.clone() + part, cell + part + budget]
        .iter()
        .enumerate()
    {
        let toml = folder.join(format!("taken {number}.toml"));
        std::fs::write(&toml, cell).unwrap();
        let file = folder.join(format!("taken {number}.cert"));
        let program = line.display().to_string();
        // Only the way of the tool's point leaves the joints open.
        let mut words = vec!["--corners", "exact", "--orientation-tube", "0"];
        words.push(&program);
        let (code, said) = certified(&toml.display().to_string(), &words, &file);
        assert_eq!(code, 0, "{said}");
        files.extend([file.clone(), with_less(&file)]);
    }
    files
}

/// The certificate with a geometry file in which the last frame is not off.
fn with_less(from: &Path) -> PathBuf {
    let mut geometry = std::fs::read(from.with_extension("geometry")).unwrap();
    let start = geometry.windows(5).rposition(|w| w == b"\noff ").unwrap() + 1;
    geometry.splice(start..start + 3, *b"note");
    let name = format!("less {}", from.file_stem().unwrap().display());
    changed(from, &name, &geometry)
}

/// A part begins where the arm really is as it takes it, and a certificate pays for that.
#[test]
fn a_part_that_is_taken_while_joints_are_off_hangs_on_a_frame_that_may_be_off() {
    let folder = tempfile::tempdir().unwrap();
    for file in taken_while_off(folder.path()).chunks(2) {
        let (geometry, certificate) = read(&file[0]).unwrap();
        valid(&geometry, &certificate).unwrap_or_else(|e| panic!("{e}"));
        let said = statement(&geometry, &certificate);
        for words in [
            "  frame \"place of part\"; MAY BE OFF by up to ",
            "; begins where it was, within two nanometres and what MAY BE OFF\n",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        let (geometry, certificate) = read(&file[1]).unwrap();
        let said = valid(&geometry, &certificate).unwrap_err().to_string();
        assert!(
            said.contains("\"part\" is handed over as segment"),
            "{said}"
        );
    }
}
