//! Thousands of damaged files: every one loads or is refused, and none brings the reader down.

use std::path::Path;

use super::{LoadOptions, load_cell, load_robot};

const URDF: &str = r#"<?xml version="1.0"?>
<!-- a -- comment -->
<robot name="r" a:b="1" version="1.1"><link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>
<link name="b"><collision name="c"><origin xyz="0 0 1" rpy="0.1 .2 3e-1"/><geometry><box size="1 2 3"/></geometry></collision>
<collision><geometry><mesh filename="package://p/m.stl" scale="1 -1 1"/></geometry></collision></link><link name="c"/><link name="d"/>
<joint name="i" type="revolute"><origin quat_xyzw="0 0 0 1"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="j" type="prismatic"><parent link="b"/><child link="c"/><mimic joint="i" multiplier="-2" offset=".5"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="d"/></joint></robot>
"#;

const SRDF: &str = r#"<robot name="r"><virtual_joint name="v" type="fixed" parent_frame="w" child_link="a"/>
<group_state name="home" group="g"><joint name="i" value="0.5"/><joint name="v" value="0 0 0"/></group_state>
<disable_collisions link1="a" link2="b" reason="Adjacent"/><disable_default_collisions link="c"/>
<enable_collisions link1="c" link2="d"/></robot>
"#;

const CELL: &str = r#"[[robot]]
urdf = "r.urdf"
srdf = "r.srdf"
base = { xyz = [0, "5mm", 1e-3], rpy = [0, "90deg", -1] }
joints = { i = 0.5 }
[[attach]]
name = "tool"
parent = "c"
cylinder = { radius = 0.1, length = "2cm" }
pose = { quat = [0, 0, 0, 1] }
touch = ["b"]
[[obstacle]]
name = "täble"
mesh = "m.stl"
scale = [1, 2.0, 0x3]
solid = true
[packages]
p = "."
[check]
clearance = "5mm"
limits = true
[[allow]]
a = "*"
b = "t*"
[[pair]]
a = "a"
b = "b"
clearance = "1in"
"#;

const MESH: &str = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n";

/// xorshift: the same damage in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Pieces that readers stumble over.
const PIECES: [&[u8]; 24] = [
    b"<",
    b">",
    b"/>",
    b"\"",
    b"'",
    b"<!--",
    b"-->",
    b"<?xml ?>",
    b"<![CDATA[",
    b"&",
    b"&amp;",
    b"x:y=\"1\"",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    "°".as_bytes(),
    b"1e999",
    b"nan",
    b"-",
    b"[[",
    b"]",
    b"{",
    b"%2",
    b"*",
];

fn damaged(text: &str, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + dice.below(3) {
        let (i, j) = (dice.below(bytes.len()), dice.below(bytes.len()));
        match dice.below(7) {
            0 => bytes.truncate(i),
            1 => drop(bytes.drain(i.min(j)..i.max(j))),
            2 => drop(bytes.drain(i..(i + 1 + dice.below(12)).min(bytes.len()))),
            3 => bytes[i] = dice.below(256) as u8,
            4 => {
                let copy: Vec<u8> = bytes[i..(i + dice.below(80)).min(bytes.len())].to_vec();
                bytes.splice(j..j, copy);
            }
            _ => {
                let piece = PIECES[dice.below(PIECES.len())];
                bytes.splice(i..i, piece.iter().copied());
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    bytes
}

/// Damages one file of a good set again and again; returns how often the cell still loaded.
fn survive(file: &str, text: &str, rounds: usize) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for (name, text) in [
        ("r.urdf", URDF),
        ("r.srdf", SRDF),
        ("cell.toml", CELL),
        ("m.stl", MESH),
    ] {
        std::fs::write(path(name), text).unwrap();
    }
    std::fs::create_dir(path("p")).unwrap();
    std::fs::write(path("p/m.stl"), MESH).unwrap();
    let options = LoadOptions::default();
    load_cell(&path("cell.toml"), &options).unwrap();
    let visual = LoadOptions {
        visual_as_collision: true,
        srdf: Some(path("r.srdf")),
        ..LoadOptions::default()
    };
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut loaded = 0;
    for _ in 0..rounds {
        let bytes = damaged(text, &mut dice);
        std::fs::write(path(file), &bytes).unwrap();
        for result in [
            load_cell(&path("cell.toml"), &options),
            load_robot(&path("r.urdf"), &[], &visual),
        ] {
            match result {
                Ok(cell) => {
                    loaded += 1;
                    // Whatever loads is sound enough to be moved.
                    assert_eq!(cell.rest.len(), cell.joints.len());
                    let poses = crate::model::kinematics::forward(&cell, &cell.rest);
                    assert!(
                        poses
                            .iter()
                            .all(|p| p.translation.vector.iter().all(|v| v.is_finite())),
                        "{}",
                        String::from_utf8_lossy(&bytes)
                    );
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(error.place.file.starts_with(dir.path()), "{text}");
                    assert!(
                        error.place.line.is_none_or(|l| l >= 1)
                            && error.place.column.is_none_or(|c| c >= 1),
                        "{text}"
                    );
                }
            }
        }
    }
    loaded
}

#[test]
fn damaged_urdf() {
    let rounds = 4000;
    let loaded = survive("r.urdf", URDF, rounds);
    assert!(loaded > 0 && loaded < 2 * rounds, "{loaded}");
}

#[test]
fn damaged_srdf() {
    let rounds = 1500;
    let loaded = survive("r.srdf", SRDF, rounds);
    assert!(loaded > 0 && loaded < 2 * rounds, "{loaded}");
}

#[test]
fn damaged_cell_file() {
    let rounds = 3000;
    let loaded = survive("cell.toml", CELL, rounds);
    assert!(loaded > rounds && loaded < 2 * rounds, "{loaded}");
}

#[test]
fn every_truncation() {
    let dir = tempfile::tempdir().unwrap();
    let whole = |text: &str, name: &str, load: &dyn Fn(&Path) -> bool| {
        let path = dir.path().join(name);
        let end = text.trim_end().len();
        for at in (0..end).filter(|&i| text.is_char_boundary(i)) {
            std::fs::write(&path, &text[..at]).unwrap();
            assert!(!load(&path), "{name} cut at {at} loaded");
        }
    };
    whole(URDF, "r.urdf", &|p| {
        load_robot(p, &[], &LoadOptions::default()).is_ok()
    });
}
