//! Robots of a reach that no arm has: their URDF is in millimetres, or in inches. Beside a cell in
//! metres they stand far beyond everything, so such a robot hits nothing.

use clearance_formats::{LoadedCell, LoadedRobot};
use clearance_proof::model::{Cell, JointKind, Role};

use super::extent::{LEAST_REACH_M, bounds};
use crate::findings::{Code, Diagnostic, Location, Severity};

/// No arm of turning joints reaches farther, metres: those of industry end at 5 m. In millimetres an
/// arm of 30 mm does, in inches one of 80 cm.
const LONGEST_ARM_M: f64 = 30.0;

/// Robots that reach too far, but for those whose URDF is said to be in metres.
pub(super) fn too_long_arms(loaded: &LoadedCell) -> Vec<Diagnostic> {
    let cell = &loaded.cell;
    let robots = cell.robots.iter().zip(&loaded.robots).enumerate();
    let unsaid = robots.filter(|(_, (_, stated))| {
        let LoadedRobot { urdf_in_metres, .. } = stated;
        !urdf_in_metres
    });
    let too_long = unsaid.filter_map(|(id, (robot, _))| {
        let reach = reach_of_turning_joints(cell, id);
        (reach > LONGEST_ARM_M).then(|| {
            let file = robot.urdf.display().to_string();
            let subject = if robot.name.is_empty() { &file } else { &robot.name };
            let why = format!(
                "the robot's reach is {reach:.0} m; a URDF is in metres: is this one in millimetres or inches? Write it in metres; if the robot is \
                 as large as that, say so in the cell file: `urdf_unit = \"m\"` under its [[robot]]"
            );
            Diagnostic {
                severity: Severity::Open,
                ..Diagnostic::notice(Code::SuspiciousScale, subject, why)
                    .at(Location::file(&robot.urdf))
            }
        })
    });
    too_long.collect()
}

/// The longest chain of offsets behind a turning joint of a robot, metres; of a turntable, which has
/// no such chain, how far what it turns reaches. A slide may be as long as a hall: how far away it
/// carries an arm does not count.
fn reach_of_turning_joints(cell: &Cell, robot: usize) -> f64 {
    // Parents come first. `None`: nothing turns so far.
    let mut reached: Vec<Option<f64>> = Vec::with_capacity(cell.joints.len());
    for joint in &cell.joints {
        let before = joint.parent.and_then(|parent| reached[parent]);
        let offset = joint.parent_from_joint.translation.vector.norm();
        let turns = joint.kind != JointKind::Prismatic;
        reached.push(match before {
            Some(so_far) => Some(so_far + offset),
            None => turns.then_some(0.0),
        });
    }
    let is_own = |role| matches!(role, Role::Link { robot: of } if of == robot);
    let links = cell.bodies.iter().filter(|body| is_own(body.role));
    let (mut longest, mut farthest) = (0.0f64, 0.0f64);
    for body in links {
        let Some((joint, so_far)) = body.joint.and_then(|j| Some((j, reached[j]?))) else {
            continue;
        };
        longest = longest.max(so_far + body.joint_from_body.translation.vector.norm());
        // What a free body is goes by its own size: it slides before it turns.
        if let (None, Some(around)) = (cell.joints[joint].parent, bounds(body)) {
            let away = around
                .corners()
                .map(|p| (body.joint_from_body * p).coords.norm());
            farthest = away.into_iter().fold(farthest, f64::max);
        }
    }
    if longest >= LEAST_REACH_M {
        longest
    } else {
        farthest
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clearance_formats::{LoadOptions, load_cell};

    use super::*;

    /// Catches a URDF in millimetres, which hits nothing beside a cell in metres, and an arm on a
    /// long rail that is taken for one.
    #[test]
    fn an_arm_that_reaches_too_far_is_told_until_it_is_said_to_be_meant() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/arm6/cell.toml");
        let told = |times: f64, rail: f64, urdf_in_metres: bool| {
            let mut loaded = load_cell(&file, &LoadOptions::default()).unwrap();
            for joint in &mut loaded.cell.joints {
                joint.parent_from_joint.translation.vector *= times;
            }
            loaded.cell.joints[0].parent_from_joint.translation.vector.y += rail;
            loaded.robots[0].urdf_in_metres = urdf_in_metres;
            let said = too_long_arms(&loaded);
            assert!(said.iter().all(|d| d.severity == Severity::Open));
            said.len()
        };
        assert_eq!(told(1.0, 0.0, false), 0);
        assert_eq!(told(10.0, 0.0, false), 0);
        assert_eq!(told(39.37, 0.0, false), 1);
        assert_eq!(told(1000.0, 0.0, false), 1);
        assert_eq!(told(1000.0, 0.0, true), 0);
        assert_eq!(told(1.0, 200.0, false), 0);
    }
}
