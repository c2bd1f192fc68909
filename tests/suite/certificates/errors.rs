//! Certificates of programs that are `clear` for a budget of error.

use std::path::{Path, PathBuf};

use clearance_recheck::files::read;
use clearance_recheck::statement::statement;

use super::{certified, ours, rounded, valid};

/// Certificates of programs for whose clear errors are allowed: of a table of joint values, and of a
/// straight move of the tool.
pub(super) fn with_errors(folder: &Path) -> Vec<PathBuf> {
    let cell = std::fs::read_to_string(ours("robots/arm6/cell.toml")).unwrap();
    let at = |file: &str| format!("\"{}", ours("robots/arm6").join(file).display());
    let cell = cell.replace("\"meshes", &at("meshes"));
    let cell = cell.replace("\"robot.urdf", &at("robot.urdf"));
    let budget = r#"
[uncertainty]
base = { xyz = "1mm", angle = "0.1deg" }
tool = { xyz = "0.5mm", angle = "0.1deg" }
joint = "0.02deg"
obstacle = { "f*" = { xyz = "1mm", angle = "0.05deg" } }
mesh = { "table" = "0.2mm" }
"#;
    let cells = [cell.clone() + budget, cell];
    let line = rounded(folder);
    let text = std::fs::read_to_string(&line).unwrap();
    std::fs::write(&line, text.replace("\"joint\"", "\"linear\"")).unwrap();
    let table = ours("trajectories/arm6/pick_place.csv");
    let mut files = Vec::new();
    for (number, (cell, program)) in [(0, &table), (0, &line), (1, &line)].iter().enumerate() {
        let toml = folder.join(format!("errors {number}.toml"));
        std::fs::write(&toml, &cells[*cell]).unwrap();
        let file = folder.join(format!("errors {number}.cert"));
        let program = program.display().to_string();
        let words = [program.as_str(), "--corners", "exact"];
        let (code, said) = certified(&toml.display().to_string(), &words, &file);
        assert_eq!(code, 0, "{said}");
        files.push(file);
    }
    files
}

/// A budget of error, and how far the joints of a straight move are known, are part of what is
/// proved and said.
#[test]
fn budgets_of_error_are_part_of_what_is_proved() {
    let folder = tempfile::tempdir().unwrap();
    let said: Vec<String> = (with_errors(folder.path()).iter())
        .map(|file| {
            let (geometry, certificate) = read(file).unwrap();
            valid(&geometry, &certificate).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            statement(&geometry, &certificate)
        })
        .collect();
    let all = "At every instant of the motion the bodies of each pair below are farther apart than stated, with all that MAY BE OFF.\n";
    for said in &said {
        assert!(said.starts_with(all), "{said}");
    }
    for words in [
        "  frame \"base of arm\"; MAY BE OFF by up to 0.001 m and turned by up to 0.001745329 rad\n",
        "rad; MAY BE OFF by up to 0.000349065 rad\n",
        "  frame \"place of gripper\"; MAY BE OFF by up to 0.0005 m and turned by up to 0.001745329 rad\n",
        "  frame \"place of fixture\"; MAY BE OFF by up to 0.001 m and turned by up to 0.000872664 rad\n",
        "moves with \"joint_6\" in the frame \"place of gripper\"",
        "stands still in the frame \"place of fixture\"",
        "\"arm/link_6\" and \"table\": more than 0.0012 m\n",
        "the true surface of table may lie 0.0002 m outside of its triangles; so much is added",
    ] {
        assert!(said[0].contains(words), "{words}: {}", said[0]);
    }
    assert!(said[1].contains("rad; MAY BE OFF by up to 0.000349065 rad and in some segments by "));
    assert!(said[2].contains("rad; MAY BE OFF in some segments by up to "));
    assert!(!said[2].contains("frame"));
}
