//! Arms for tests, without shapes: a UR10e by its published Denavit-Hartenberg parameters, and
//! others by their axes.

pub(crate) mod mutants;

use std::path::Path;

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use clearance_formats::{ImportError, LoadedCell, Problem};

use clearance_formats::controller::Controller;
use clearance_proof::model::moves::{Move, MoveKind, MoveProgram, Target};
use clearance_proof::model::{Body, Cell, Joint, JointKind, Limits, Role};
use clearance_proof::report::Location;

use crate::{Bounds, ControlledArm, Options, Reading};

/// How many ways there are, but for those that differ only in conditions of which both answers are
/// followed because the program has only one.
pub(crate) fn own_ways(ways: &[MoveProgram]) -> usize {
    let names = ways.iter().map(|way| {
        let branches = way.name.split("; ");
        let own = branches.filter(|branch| !branch.contains(ONE_SIDED));
        own.collect::<Vec<_>>()
    });
    names.collect::<std::collections::BTreeSet<_>>().len()
}

/// Stands in the names of the ways through such a condition.
pub(crate) const ONE_SIDED: &str = "(something else may set it)";

/// d, a, alpha.
const LINKS: [[f64; 3]; 6] = {
    let quarter = std::f64::consts::FRAC_PI_2;
    [
        [0.1807, 0.0, quarter],
        [0.0, -0.6127, 0.0],
        [0.0, -0.57155, 0.0],
        [0.17415, 0.0, quarter],
        [0.11985, 0.0, -quarter],
        [0.11655, 0.0, 0.0],
    ]
};

/// A cell with this arm; its links are `base` and `tool0`.
pub(crate) fn arm() -> LoadedCell {
    let mut cell = Cell::with_one_robot();
    let mut carried = Isometry3::identity();
    for (k, [d, a, alpha]) in LINKS.into_iter().enumerate() {
        let id = cell.add_joint(Joint {
            name: crate::ur::JOINTS[k].into(),
            robot: 0,
            parent: k.checked_sub(1),
            parent_from_joint: carried,
            axis: Vector3::z_axis(),
            kind: JointKind::Revolute,
            limits: Limits::default(),
            mimic: None,
        });
        assert_eq!(id, k);
        carried = Isometry3::from_parts(
            Translation3::new(a, 0.0, d),
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), alpha),
        );
    }
    for (name, joint, joint_from_body) in [
        ("base", None, Isometry3::identity()),
        ("tool0", Some(5), carried),
    ] {
        cell.add_body(Body {
            name: name.into(),
            role: Role::Link { robot: 0 },
            joint,
            joint_from_body,
            parent: None,
            shapes: Vec::new(),
        });
    }
    LoadedCell::of(cell)
}

/// The parameters of the same arm, as files of PolyScope have them.
pub(crate) fn nominal() -> crate::ur::Chain {
    crate::ur::Chain {
        theta: [0.0; 6],
        a: LINKS.map(|[_, a, _]| a),
        d: LINKS.map(|[d, _, _]| d),
        alpha: LINKS.map(|[_, _, alpha]| alpha),
    }
}

/// An arm whose cell says that functions of these names keep it still.
pub(crate) fn still(names: &[&str]) -> LoadedCell {
    let mut cell = arm();
    cell.robots[0].controller = Some(Controller {
        still: names.iter().map(|&n| n.to_owned()).collect(),
        ..controller("ur")
    });
    cell
}

/// What a cell says of a controller of this language, if it says no more.
pub(crate) fn controller(dialect: &str) -> Controller {
    Controller {
        place: Location::file(Path::new("cell.toml")),
        dialect: dialect.into(),
        joints: Vec::new(),
        base: None,
        flange: None,
        frames: Default::default(),
        tools: Default::default(),
        files: Vec::new(),
        still: Vec::new(),
        not_modelled: Default::default(),
        points: Vec::new(),
        books_model_difference: true,
        home: None,
    }
}

/// An arm of six joints that turn about these axes, each at its place in the frame of the one
/// before; its links are `base` and `flange`.
pub(crate) fn six_joints(
    axes: [Unit<Vector3<f64>>; 6],
    at: [[f64; 3]; 6],
    flange: &str,
) -> LoadedCell {
    let mut cell = Cell::with_one_robot();
    for (k, (axis, [x, y, z])) in axes.into_iter().zip(at).enumerate() {
        cell.add_joint(Joint {
            name: format!("joint_{}", k + 1),
            robot: 0,
            parent: k.checked_sub(1),
            parent_from_joint: Isometry3::translation(x, y, z),
            axis,
            kind: JointKind::Revolute,
            limits: Limits::default(),
            mimic: None,
        });
    }
    for (name, joint) in [("base", None), (flange, Some(5))] {
        cell.add_body(Body {
            name: name.into(),
            role: Role::Link { robot: 0 },
            joint,
            joint_from_body: Isometry3::identity(),
            parent: None,
            shapes: Vec::new(),
        });
    }
    LoadedCell::of(cell)
}

/// The settings of the controller in the cell, to be changed.
pub(crate) fn said(cell: &mut LoadedCell) -> &mut Controller {
    cell.robots[0].controller.as_mut().unwrap()
}

/// The bytes of a file beside a program, as on the disk.
pub(crate) fn on_disk(path: &Path) -> Result<Vec<u8>, ImportError> {
    std::fs::read(path).map_err(|e| {
        let (cause, remedy) = (e.to_string(), String::new());
        ImportError::file(path, Problem::Unreadable { cause, remedy })
    })
}

/// Reads a program beside which these files lie.
pub(crate) fn read_beside(
    cell: &LoadedCell,
    file: &str,
    bytes: &[u8],
    files: &[(&str, &str)],
    routine: Option<&str>,
    bounds: Bounds,
) -> Result<Reading, ImportError> {
    let read_neighbour = |path: &Path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        let missing = || {
            let cause = "it is not there".into();
            let remedy = String::new();
            ImportError::file(path, Problem::Unreadable { cause, remedy })
        };
        let found = found.map(|(_, text)| text.as_bytes().to_vec());
        found.ok_or_else(missing)
    };
    let options = Options {
        routine,
        bounds,
        read_neighbour: &read_neighbour,
        orientation_tube: 0.1,
    };
    let controller = ControlledArm::of(cell, None)
        .map_err(|problem| ImportError::file(Path::new("cell.toml"), problem))?;
    crate::read(Path::new(file), bytes, &controller, &options)
}

/// A target in a few letters: joint values in degrees, or the position in millimetres, of the link
/// of the frame. Numbers are rounded to one of `parts` parts.
fn target(target: &Target, parts: f64) -> String {
    let number = |x: f64| {
        let x = (x * parts).round() / parts;
        if x == 0.0 { 0.0 } else { x }.to_string()
    };
    match target {
        Target::Joints(q) => {
            let all: Vec<_> = q.iter().map(|q| number(q.to_degrees())).collect();
            format!("[{}]", all.join(" "))
        }
        Target::Pose {
            frame,
            frame_from_tool,
            ..
        } => {
            let p = (frame.link_from_frame * frame_from_tool).translation.vector * 1e3;
            format!("({} {} {})", number(p.x), number(p.y), number(p.z))
        }
    }
}

/// The moves of a way in a few letters: `J`, `L` or `C`, and their targets.
pub(crate) fn short(way: &MoveProgram, parts: f64) -> String {
    let one = |step: &Move| match &step.kind {
        MoveKind::Joint => format!("J{}", target(&step.target, parts)),
        MoveKind::Linear => format!("L{}", target(&step.target, parts)),
        MoveKind::Circular { via, .. } => {
            format!("C{}{}", target(via, parts), target(&step.target, parts))
        }
    };
    way.moves.iter().map(one).collect::<Vec<_>>().join(" ")
}
