//! Files on which the two checkers of certificates once did not agree.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use clearance_recheck::numbers::sha256;

use super::certified;

/// The certificate with a changed geometry file beside it, under another name.
pub(super) fn changed(from: &Path, name: &str, geometry: &[u8]) -> PathBuf {
    let to = from.with_file_name(format!("{name}.cert"));
    std::fs::write(to.with_extension("geometry"), geometry).unwrap();
    let mut bytes = std::fs::read(from).unwrap();
    let head = bytes.windows(9).position(|w| w == b"geometry ").unwrap();
    let end = head + bytes[head..].iter().position(|&b| b == b'\n').unwrap();
    let line = format!("geometry {} {name}.geometry", sha256(geometry));
    bytes.splice(head..end, line.into_bytes());
    std::fs::write(&to, bytes).unwrap();
    to
}

/// Whether the checker in Python takes it, and what it says.
pub(super) fn python(file: &Path) -> (bool, String) {
    let mut python = Command::new("python3");
    let asked = python.arg(super::ours("tests/recheck.py")).arg(file);
    let output = asked.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), said)
}

/// The certificate of a program in a cell, both written here.
fn written(folder: &Path, name: &str, cell: &str, program: &str) -> PathBuf {
    let file = |end: &str| folder.join(format!("{name}.{end}"));
    std::fs::write(file("toml"), cell).unwrap();
    std::fs::write(file("csv"), program).unwrap();
    let (cell, program) = (file("toml"), file("csv").display().to_string());
    let (code, said) = certified(&cell.display().to_string(), &[&program], &file("cert"));
    assert_eq!(code, 0, "{name}: {said}");
    file("cert")
}

/// A block between the prongs of a U whose ends lie in the same planes as its own, with a ray that
/// runs in such a plane.
fn flush(folder: &Path) -> PathBuf {
    let outline = [
        (-0.3, 0.0),
        (0.3, 0.0),
        (0.3, 0.4),
        (0.2, 0.4),
        (0.2, 0.1),
        (-0.2, 0.1),
        (-0.2, 0.4),
        (-0.3, 0.4),
    ];
    let mut mesh = String::new();
    for y in [-0.1, 0.1] {
        for (x, z) in outline {
            mesh += &format!("v {x} {y} {z}\n");
        }
    }
    for [a, b, c] in [
        [1, 2, 5],
        [1, 5, 6],
        [2, 3, 4],
        [2, 4, 5],
        [1, 6, 7],
        [1, 7, 8],
    ] {
        mesh += &format!("f {a} {b} {c}\nf {} {} {}\n", c + 8, b + 8, a + 8);
    }
    for i in 1..9 {
        let j = i % 8 + 1;
        mesh += &format!("f {j} {i} {}\nf {j} {} {}\n", i + 8, i + 8, j + 8);
    }
    std::fs::write(folder.join("u.obj"), mesh).unwrap();
    let cell = "[[obstacle]]\nname = \"u\"\nmesh = \"u.obj\"\n[[free]]\nname = \"block\"\nbox = [0.2, 0.2, 0.1]\n\
                pose = { xyz = [0, 0, 0.25] }\n";
    let file = written(folder, "flush", cell, "time,block/x\n0,-0.05\n1,0.05\n");
    let mut bytes = std::fs::read(&file).unwrap();
    let end = bytes.len() - b"end\n".len();
    bytes[end - 3..end].copy_from_slice(&[9, 0, 127]);
    std::fs::write(&file, bytes).unwrap();
    file
}

/// A plate that turns about its middle at the end of an arm that may be off by 0.2 degrees: the
/// bound of all its points is less than that of its corners.
fn off_at_the_far_end(folder: &Path) -> PathBuf {
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            r#"<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{x} 0 0"/>
            <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="9" effort="1"/></joint>"#
        )
    };
    let (first, second) = (
        joint("j1", "base", "l1", 0.0),
        joint("j2", "l1", "plate", 1.0),
    );
    let plate = "<collision><geometry><box size=\"2 0.02 0.02\"/></geometry></collision>";
    let robot = format!(
        "<robot name=\"r\"><link name=\"base\"/><link name=\"l1\"/><link name=\"plate\">{plate}</link>{first}{second}</robot>"
    );
    std::fs::write(folder.join("plate.urdf"), robot).unwrap();
    let cell = "[[robot]]\nurdf = \"plate.urdf\"\n[[obstacle]]\nname = \"wall\"\nbox = [10, 10, 0.2]\n\
                pose = { xyz = [0, 0, 0.12495] }\n[check]\nclearance = 0\n[uncertainty]\njoint = { j1 = \"0.00349rad\" }\n";
    written(folder, "plate", cell, "time,j1,j2\n0,0,-0.5\n1,0,0.5\n")
}

/// True statements that one of them refused.
pub(super) fn once_refused(folder: &Path) -> [PathBuf; 2] {
    [flush(folder), off_at_the_far_end(folder)]
}

/// Files that one of them took, each with a word for what is wrong with it.
pub(super) fn once_taken(folder: &Path) -> Vec<PathBuf> {
    let from = off_at_the_far_end(folder);
    let whole = std::fs::read(from.with_extension("geometry")).unwrap();
    let put = |old: &str, new: &str| {
        let at = whole.windows(old.len()).rposition(|w| w == old.as_bytes());
        let at = at.unwrap_or_else(|| panic!("{old}"));
        [&whole[..at], new.as_bytes(), &whole[at + old.len()..]].concat()
    };
    let mut files = Vec::new();
    for (name, old, new) in [
        ("no pair", "check 2 3 0", "leave 2 3 0"),
        ("bodies", " wall\n", " plate\n"),
        ("joints", " j2\n", " j1\n"),
        ("during", "\nend\n", "\nduring 5 3\nend\n"),
        ("off", "\nend\n", "\noff 1 0 0\nend\n"),
        ("underscore", "\nend\n", "\noff 1 0 1_0\nend\n"),
        ("arabic", "\nend\n", "\noff 1 0 \u{661}\nend\n"),
        ("return", "\nend\n", "\noff 1 0 1\r\nend\n"),
        ("tab", "\nend\n", "\noff 1 0 \t1\nend\n"),
        ("plus", "\nend\n", "\noff 1 0 +1\nend\n"),
        ("minus", "check 2 3 0", "check 2 3 -0"),
        ("zeros", "check 2 3 0", "check 2 3 00"),
        // |q|² is 2 and a little more.
        (
            "quaternion",
            "turns 1152921504606846976 ",
            "turns 1630477228166597777 ",
        ),
    ] {
        files.push(changed(&from, name, &put(old, new)));
    }
    let bytes = std::fs::read(&from).unwrap();
    let head = bytes.iter().position(|&b| b == b'\n').unwrap() + 1;
    let hash = folder.join("hash.cert");
    std::fs::write(
        &hash,
        [
            &bytes[..head],
            b"geometry  plate.geometry\n",
            &bytes[head..],
        ]
        .concat(),
    )
    .unwrap();
    files.push(hash);
    files
}
