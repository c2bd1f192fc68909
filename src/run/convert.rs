//! Any program as a program of moves.

use std::path::Path as FilePath;

use clearance_formats::ImportError;
use clearance_formats::program::motion::write;
use clearance_proof::model::moves::{Frame, Move, MoveKind, MoveProgram, Speed, Target, Zone};
use clearance_proof::model::{Program, Quantity};
use clearance_proof::report::Location;
use nalgebra::Isometry3;

use super::load::{Taught, parse};

/// The text of a program of moves that says what a program says.
///
/// # Errors
/// When it cannot be read, or says more than moves can: velocities at its waypoints.
pub fn convert(file: &FilePath) -> Result<String, String> {
    let bytes = clearance_formats::program::read(file).map_err(|e| e.to_string())?;
    if let Some(dialect) = clearance_programs::recognise(&bytes, file) {
        return Err(ImportError::file(file, dialect.refusal()).to_string());
    }
    match parse(file, &bytes).map_err(|e| e.to_string())? {
        Taught::Moves(motion) => Ok(write(&motion.program, &motion.slides)),
        Taught::Waypoints(program) => {
            if program.waypoints.iter().any(|w| w.velocities.is_some()) {
                return Err(format!(
                    "{}: its waypoints have velocities, so between them it does not go straight as moves do; check it as it is",
                    file.display()
                ));
            }
            let lengths = program
                .columns
                .iter()
                .filter(|c| c.quantity == Quantity::Length);
            let slides: Vec<String> = lengths.map(|c| c.joint.clone()).collect();
            Ok(write(&moves(&program), &slides))
        }
    }
}

fn moves(program: &Program) -> MoveProgram {
    let first = program.waypoints.iter().take(1).map(|w| (w, None));
    let pairs = program.waypoints.windows(2);
    let others = pairs.map(|w| (&w[1], program.timed.then(|| w[1].time - w[0].time)));
    let step = |(to, duration): (&clearance_proof::model::Waypoint, Option<f64>)| Move {
        kind: MoveKind::Joint,
        target: Target::Joints(to.positions.clone()),
        tool: Frame {
            link: String::new(),
            link_from_frame: Isometry3::identity(),
        },
        zone: Zone::Stop,
        speed: duration.map_or(Speed::Unknown, Speed::Duration),
        label: String::new(),
        place: Location::at(&program.source, to.line, None),
    };
    MoveProgram {
        source: program.source.clone(),
        name: String::new(),
        robot: None,
        joints: program.columns.iter().map(|c| c.joint.clone()).collect(),
        start: None,
        moves: first.chain(others).map(step).collect(),
        unknown: Vec::new(),
        passed_over: Vec::new(),
    }
}
