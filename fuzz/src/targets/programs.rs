//! Programs of controllers, programs of moves, and certificates: what is read is sound, what is not
//! is refused with a place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clearance_formats::program::{motion, sequence};
use clearance_formats::{ImportError, LoadOptions, LoadedCell, parse_cell};
use clearance_programs::{Bounds, ControlledArm, Options};
use clearance_proof::model::Cell;
use clearance_proof::model::moves::{Branch, Frame, Move, MoveKind, MoveProgram, Target, Zone};
use clearance_proof::motion::programmed::CellMoves;
use clearance_recheck::files::{Certificate, Geometry};
use nalgebra::Isometry3;

use super::readers::refused;

/// A cell whose robot has a controller of this dialect.
struct Arm {
    cell: OnceLock<LoadedCell>,
    file: &'static str,
}

impl Arm {
    const fn new(file: &'static str) -> Self {
        Arm {
            cell: OnceLock::new(),
            file,
        }
    }

    fn cell(&self) -> &LoadedCell {
        self.cell.get_or_init(|| {
            let name = Path::new(super::super::FUZZ).join("cell").join(self.file);
            let bytes = std::fs::read(&name).expect("the cell in fuzz/cell");
            parse_cell(&name, &bytes, &LoadOptions::default()).expect("a cell without errors")
        })
    }

    /// A program in the language of this arm's controller.
    fn reads(&self, data: &[u8], name: &str) -> bool {
        let cell = self.cell();
        let name = Path::new(name);
        let nothing_beside = |file: &Path| -> Result<Vec<u8>, ImportError> {
            clearance_formats::program::read(&PathBuf::from("/nowhere").join(file))
        };
        let options = Options {
            routine: None,
            // A damaged program may go round for ever: the bounds end it, and small ones end it
            // soon.
            bounds: Bounds {
                steps: 2_000,
                ..Bounds::default()
            },
            read_neighbour: &nothing_beside,
            orientation_tube: 0.1,
        };
        let controller = ControlledArm::of(cell, None).expect("one robot");
        let ask = || clearance_programs::read(name, data, &controller, &options);
        let reading = match ask() {
            Ok(reading) => reading,
            Err(error) => return refused(&error, data, name),
        };
        assert!(!reading.ways.is_empty(), "a reading without a way");
        for way in &reading.ways {
            sound(way);
        }
        // The reading depends on nothing but the bytes.
        if data.len().is_multiple_of(16) {
            assert_eq!(ask().ok().as_ref(), Some(&reading));
            move_in_cell(&reading.ways[0], &cell.cell);
        }
        let known = |way: &MoveProgram| way.unknown.is_empty() && !way.moves.is_empty();
        reading.ways.iter().all(known)
    }
}

/// The start of a program becomes curves of the joints, or is refused.
fn move_in_cell(way: &MoveProgram, cell: &Cell) {
    let mut way = way.clone();
    way.moves.truncate(4);
    if let Ok(for_cell) = CellMoves::new(&way, cell, 0.0) {
        assert!(
            for_cell
                .ends
                .iter()
                .flat_map(|s| &s.q)
                .all(|q| q.is_finite())
        );
    }
}

/// No number is missing, and every move and every doubt has a line.
fn sound(way: &MoveProgram) {
    for doubt in &way.unknown {
        assert!(!doubt.reason.is_empty() && doubt.place.line != Some(0));
    }
    if let Some(start) = &way.start {
        assert!(start.len() == way.joints.len() && start.iter().all(|q| q.is_finite()));
    }
    for step in &way.moves {
        let Move {
            kind, target, tool, ..
        } = step;
        assert!(step.place.line != Some(0));
        assert!(is_pose(&tool.link_from_frame), "{step:?}");
        let via = match kind {
            MoveKind::Circular { via, .. } => Some(via),
            MoveKind::Joint | MoveKind::Linear => None,
        };
        for target in via.into_iter().chain([target]) {
            sound_target(target, way.joints.len());
        }
        if let Zone::Radius(radius) | Zone::Ball(radius) = step.zone {
            assert!(radius.is_finite() && radius >= 0.0, "{radius}");
        }
    }
}

fn sound_target(target: &Target, joints: usize) {
    let values = |list: &[f64]| list.len() == joints && list.iter().all(|q| q.is_finite());
    match target {
        Target::Joints(list) => assert!(values(list), "{list:?}"),
        Target::Pose {
            frame: Frame {
                link_from_frame, ..
            },
            frame_from_tool,
            branch,
        } => {
            assert!(is_pose(link_from_frame) && is_pose(frame_from_tool));
            if let Branch::NearestTo(list) = branch {
                assert!(values(list), "{list:?}");
            }
        }
    }
}

fn is_pose(pose: &Isometry3<f64>) -> bool {
    let place = pose.translation.vector.iter().all(|x| x.is_finite());
    place && (pose.rotation.norm() - 1.0).abs() < 1e-9
}

/// A script of Universal Robots.
pub fn ur_script(data: &[u8]) -> bool {
    static ARM: Arm = Arm::new("ur.toml");
    ARM.reads(data, "input.script")
}

/// A program of PolyScope, packed or not.
pub fn polyscope(data: &[u8]) -> bool {
    static ARM: Arm = Arm::new("polyscope.toml");
    ARM.reads(data, "input.urp")
}

/// A RAPID module.
pub fn rapid(data: &[u8]) -> bool {
    static ARM: Arm = Arm::new("rapid.toml");
    ARM.reads(data, "input.mod")
}

/// A KRL program.
pub fn krl(data: &[u8]) -> bool {
    static ARM: Arm = Arm::new("krl.toml");
    ARM.reads(data, "input.src")
}

/// A TP listing.
pub fn fanuc(data: &[u8]) -> bool {
    static ARM: Arm = Arm::new("fanuc.toml");
    ARM.reads(data, "input.ls")
}

/// An INFORM job.
pub fn inform(data: &[u8]) -> bool {
    static ARM: Arm = Arm::new("inform.toml");
    ARM.reads(data, "input.jbi")
}

/// A program of moves, or a sequence of MoveIt's. Written and read again it is the same.
pub fn moves(data: &[u8]) -> bool {
    let name = Path::new("input.motion.json");
    let read =
        sequence::read(name, data, &BTreeMap::new()).unwrap_or_else(|| motion::parse(name, data));
    let read = match read {
        Ok(read) => read,
        Err(error) => return refused(&error, data, name),
    };
    sound(&read.program);
    true
}

/// A geometry file, and behind it a certificate: whatever both say, the checker ends with an
/// answer.
pub fn certificate(data: &[u8]) -> bool {
    const BETWEEN: &[u8] = b"clearance-certificate";
    let at = data.windows(BETWEEN.len()).position(|w| w == BETWEEN);
    let (geometry, certificate) = data.split_at(at.unwrap_or(data.len()));
    let Ok(geometry) = Geometry::read(geometry) else {
        return false;
    };
    let read = Certificate::read(certificate, |_| Ok(geometry.kinds()));
    read.is_ok_and(|read| clearance_recheck::walk::check(&geometry, &read, &mut |_, _| {}).is_ok())
}
