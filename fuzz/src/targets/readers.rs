//! Every reader: what it takes is sound, what it refuses it refuses with a place in the file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clearance_formats::cloud::{self as clouds, CloudOptions};
use clearance_formats::program::{self, events as events_file};
use clearance_formats::{
    ImportError, LoadOptions, LoadedCell, joint_limits as limits_file, mesh, parse_cell,
    parse_robot, parse_scene, srdf as srdf_file, units as units_text,
};
use clearance_proof::model::{Cell, Form, Program};
use nalgebra::Vector3;

/// A file beside which others stand that inputs may name.
fn beside(name: &str) -> PathBuf {
    Path::new(super::super::FUZZ).join("cell").join(name)
}

/// The conditions that every error must meet: it is about this file or one that it names, with a
/// line that is there.
pub(super) fn refused(error: &ImportError, bytes: &[u8], name: &Path) -> bool {
    let text = error.to_string();
    assert!(text.len() > name.as_os_str().len(), "{text}");
    if std::env::var_os("CLEARANCE_FUZZ_SHOW").is_some() {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
    // A lone carriage return ends a line in CSV and YAML.
    let lines = 1 + bytes.iter().filter(|&&b| b == b'\n' || b == b'\r').count();
    let (line, column) = (error.place.line, error.place.column);
    assert!(line != Some(0) && column != Some(0), "{text}");
    if Path::new(&error.place.file) == name {
        assert!(line.is_none_or(|l| l <= lines + 1), "{text}, of {lines}");
    }
    false
}

/// Whatever loads is sound enough to be moved.
fn sound(cell: &Cell) -> bool {
    assert_eq!(cell.rest.len(), cell.joints.len());
    for (k, joint) in cell.joints.iter().enumerate() {
        assert!(joint.parent.is_none_or(|p| p < k), "{}", joint.name);
        assert!((joint.axis.norm() - 1.0).abs() < 1e-9, "{}", joint.name);
        assert!(joint.robot < cell.robots.len());
    }
    let poses = cell.forward(&cell.rest);
    assert!(poses.iter().all(|p| finite(&p.translation.vector)));
    assert!(poses.iter().all(|p| (p.rotation.norm() - 1.0).abs() < 1e-9));
    for body in &cell.bodies {
        assert!(body.joint.is_none_or(|j| j < cell.joints.len()));
        assert!(body.parent.is_none_or(|b| b < cell.bodies.len()));
        assert!(finite(&body.joint_from_body.translation.vector));
        for shape in &body.shapes {
            match &shape.form {
                Form::Mesh { mesh, .. } => sound_mesh(mesh),
                Form::Cloud { cloud, .. } => sound_mesh(&cloud.mesh()),
                Form::Box { size } => assert!(size.iter().all(|x| *x > 0.0 && x.is_finite())),
                Form::Sphere { radius } => assert!(*radius > 0.0 && radius.is_finite()),
                Form::Cylinder { radius, length }
                | Form::Cone { radius, length }
                | Form::Capsule { radius, length } => {
                    assert!(*radius > 0.0 && radius.is_finite());
                    assert!(*length >= 0.0 && length.is_finite());
                }
            }
        }
    }
    true
}

fn finite(v: &Vector3<f64>) -> bool {
    v.iter().all(|x| x.is_finite())
}

fn sound_mesh(mesh: &clearance_proof::geometry::mesh::Mesh) {
    assert!(!mesh.triangles.is_empty());
    assert!(mesh.vertices.iter().all(|v| finite(&v.coords)));
    let count = mesh.vertices.len() as u32;
    assert!(mesh.triangles.iter().flatten().all(|&v| v < count));
}

/// A URDF; with `<visual>` in place of `<collision>` where the number of bytes is odd.
pub fn urdf(data: &[u8]) -> bool {
    let name = beside("input.urdf");
    let options = LoadOptions {
        visual_as_collision: data.len() % 2 == 1,
        ..LoadOptions::default()
    };
    match parse_robot(&name, data, &options) {
        Ok(loaded) => sound(&loaded.cell),
        Err(error) => refused(&error, data, &name),
    }
}

/// A URDF of macros.
pub fn xacro(data: &[u8]) -> bool {
    let name = beside("input.urdf.xacro");
    match parse_robot(&name, data, &LoadOptions::default()) {
        Ok(loaded) => sound(&loaded.cell),
        Err(error) => refused(&error, data, &name),
    }
}

/// A cell file beside a URDF, an SRDF, a file of joint limits and a mesh.
pub fn cell(data: &[u8]) -> bool {
    let name = beside("input.toml");
    match parse_cell(&name, data, &LoadOptions::default()) {
        Ok(loaded) => sound(&loaded.cell),
        Err(error) => refused(&error, data, &name),
    }
}

/// A scene of MoveIt: text, or a message where the number of bytes is odd.
pub fn scene(data: &[u8]) -> bool {
    let name = beside(if data.len() % 2 == 1 {
        "input.yaml"
    } else {
        "input.scene"
    });
    match parse_scene(&name, data) {
        Ok(loaded) => sound(&loaded.cell),
        Err(error) => refused(&error, data, &name),
    }
}

/// The robot that SRDF, joint limits and events are about.
fn robot() -> &'static LoadedCell {
    static ROBOT: OnceLock<LoadedCell> = OnceLock::new();
    ROBOT.get_or_init(|| {
        let name = beside("cell.toml");
        let bytes = std::fs::read(&name).expect("the cell in fuzz/cell");
        parse_cell(&name, &bytes, &LoadOptions::default()).expect("a cell without errors")
    })
}

/// An SRDF of a known robot.
pub fn srdf(data: &[u8]) -> bool {
    let name = beside("input.srdf");
    let mut loaded = robot().clone();
    let pairs = loaded.cell.allowed.len();
    match srdf_file::parse(&name, data, &mut loaded, 0) {
        Ok(()) => {
            let cell = &loaded.cell;
            for added in &cell.allowed[pairs..] {
                assert!(cell.body(&added.a).is_some() && cell.body(&added.b).is_some());
            }
            sound(cell)
        }
        Err(error) => refused(&error, data, &name),
    }
}

/// Joint limits of a known robot: they only get tighter.
pub fn joint_limits(data: &[u8]) -> bool {
    let name = beside("input.yaml");
    let mut cell = robot().cell.clone();
    if let Err(error) = limits_file::parse(&name, data, &mut cell, 0) {
        return refused(&error, data, &name);
    }
    for (now, before) in cell.joints.iter().zip(&robot().cell.joints) {
        let (now, before) = (now.limits, before.limits);
        if let Some((low, high)) = before.position {
            assert!(
                now.position
                    .is_some_and(|(l, h)| l >= low && h <= high && l <= h)
            );
        }
        for (now, before) in [
            (now.velocity, before.velocity),
            (now.acceleration, before.acceleration),
        ] {
            assert!(before.is_none_or(|b| now.is_some_and(|n| n <= b)));
            assert!(now.is_none_or(|n| n.is_finite() && n >= 0.0));
        }
    }
    true
}

/// Events of a known program.
pub fn events(data: &[u8]) -> bool {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let text = b"time,turn,slide\n0,0,0\n1,0.5,0.1\n2.5,1,0\n";
        program::parse(Path::new("p.csv"), text).expect("a program without errors")
    });
    let name = beside("input.events.toml");
    match events_file::parse(&name, data, Some(program), None, &robot().cell) {
        Ok(read) => {
            let times: Vec<f64> = read.timeline.events.iter().map(|e| e.time).collect();
            assert!(times.iter().all(|t| t.is_finite()), "{times:?}");
            assert!(times.is_sorted(), "{times:?}");
            true
        }
        Err(error) => refused(&error, data, &name),
    }
}

fn mesh_file(data: &[u8], name: &str) -> bool {
    let name = Path::new(name);
    match mesh::parse(data, name) {
        Ok(loaded) => {
            sound_mesh(&loaded.mesh);
            true
        }
        Err(error) => refused(&error, data, name),
    }
}

/// An STL mesh, binary or text.
pub fn stl(data: &[u8]) -> bool {
    mesh_file(data, "input.stl")
}

/// An OBJ mesh.
pub fn obj(data: &[u8]) -> bool {
    mesh_file(data, "input.obj")
}

/// A PLY mesh, binary or text.
pub fn ply(data: &[u8]) -> bool {
    mesh_file(data, "input.ply")
}

/// A COLLADA mesh.
pub fn dae(data: &[u8]) -> bool {
    mesh_file(data, "input.dae")
}

/// A VRML97 mesh.
pub fn vrml(data: &[u8]) -> bool {
    mesh_file(data, "input.wrl")
}

/// A point cloud, of the kind that it looks like.
pub fn cloud(data: &[u8]) -> bool {
    let name = match data {
        d if d.starts_with(b"LAS") => "input.las",
        d if d.starts_with(b"ASTM") => "input.e57",
        d if d.starts_with(b"VERSION") || d.starts_with(b"#") => "input.pcd",
        d if d.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
            && !d[..d.len().min(4)].contains(&b' ') =>
        {
            "input.pts"
        }
        _ => "input.xyz",
    };
    let options = CloudOptions {
        radius: 0.01,
        unit: (name != "input.e57").then(|| "m".to_owned()),
    };
    match clouds::parse(data, Path::new(name), &options) {
        Ok(loaded) => {
            sound_mesh(&loaded.cloud.mesh());
            assert!(loaded.cloud.radius >= 0.01 && loaded.cloud.kept() <= loaded.cloud.given);
            true
        }
        Err(error) => refused(&error, data, Path::new(name)),
    }
}

fn taught(data: &[u8], name: &str) -> bool {
    let name = Path::new(name);
    let program = match program::parse(name, data) {
        Ok(program) => program,
        Err(error) => return refused(&error, data, name),
    };
    let columns = program.columns.len();
    assert!(columns > 0 && !program.waypoints.is_empty());
    for point in &program.waypoints {
        assert!(point.time.is_finite() && point.line > 0);
        for values in [
            Some(&point.positions[..]),
            point.velocities.as_deref(),
            point.accelerations.as_deref(),
        ]
        .into_iter()
        .flatten()
        {
            assert_eq!(values.len(), columns);
            assert!(values.iter().all(|x| x.is_finite()));
        }
    }
    assert!(program.waypoints.is_sorted_by(|a, b| a.time <= b.time));
    true
}

/// A program as a table.
pub fn csv(data: &[u8]) -> bool {
    taught(data, "input.csv")
}

/// A program as a ROS message in JSON.
pub fn json(data: &[u8]) -> bool {
    taught(data, "input.json")
}

/// A program as a ROS message in YAML; one whose name does not tell its format where the number of
/// bytes is odd.
pub fn yaml(data: &[u8]) -> bool {
    let name = ["input.yaml", "input"][data.len() % 2];
    taught(data, name)
}

/// Numbers with units. A bare number is what the standard library reads.
pub fn units(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else {
        return false;
    };
    let results = [
        units_text::parse_length(text),
        units_text::parse_angle(text),
        units_text::parse_time(text),
    ];
    let bare: Option<f64> = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    for result in &results {
        match (result, bare) {
            (Ok(value), _) if !value.is_finite() => panic!("{text:?} is {value}"),
            (Ok(value), Some(bare)) => assert_eq!(value.to_bits(), bare.to_bits(), "{text:?}"),
            (Err(why), Some(_)) => panic!("{text:?}: {why}"),
            _ => (),
        }
    }
    results.iter().any(Result::is_ok)
}
