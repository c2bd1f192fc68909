//! Joints of a program of moves that follow others.

use clearance_proof::model::moves::{MoveProgram, Target};
use clearance_proof::model::{Cell, JointId, Mimic};

/// As far as a stated value may be off the one that the joint has then: files carry six decimals.
const SAME: f64 = 1e-6;

/// Takes joints out that follow others, where all values that are stated of them are those that they
/// have anyway: recorded states of a robot name all its joints. One of which another value is stated
/// stays, and is refused as a joint that no program moves.
pub(super) fn leave_out_followers(program: &mut MoveProgram, cell: &Cell) {
    let robot = program.robot.clone();
    let joint = |name: &String| -> Option<JointId> {
        let of_robot = |joint: &JointId| {
            let own = cell.robots.get(cell.joints[*joint].robot);
            robot.is_none() || own.is_some_and(|own| robot.as_ref() == Some(&own.name))
        };
        let mut found = cell.joints_named(name).into_iter().filter(of_robot);
        found.next().filter(|_| found.next().is_none())
    };
    let joints: Vec<Option<JointId>> = program.joints.iter().map(joint).collect();
    let followed = |k: usize| -> Option<(Mimic, usize)> {
        let mimic = cell.joints[joints[k]?].mimic?;
        let source = joints.iter().position(|j| *j == Some(mimic.source))?;
        Some((mimic, source))
    };
    let follows = |values: &[f64], k: usize, (mimic, source): &(Mimic, usize)| {
        let law = mimic.multiplier * values[*source] + mimic.offset;
        (values[k] - law).abs() <= SAME * law.abs().max(1.0)
    };
    let stated: Vec<&Vec<f64>> = (program.moves.iter())
        .filter_map(|step| match &step.target {
            Target::Joints(values) => Some(values),
            Target::Pose { .. } => None,
        })
        .chain(&program.start)
        .collect();
    if stated.iter().any(|values| values.len() != joints.len()) {
        return;
    }
    let obeys = |k: &usize| {
        followed(*k).is_some_and(|law| stated.iter().all(|values| follows(values, *k, &law)))
    };
    let mut out: Vec<usize> = (0..joints.len()).filter(obeys).collect();
    // From the last one on, so that the others keep their places.
    out.reverse();
    for k in out {
        program.joints.remove(k);
        let targets = program
            .moves
            .iter_mut()
            .filter_map(|step| match &mut step.target {
                Target::Joints(values) => Some(values),
                Target::Pose { .. } => None,
            });
        for values in targets.chain(&mut program.start) {
            values.remove(k);
        }
    }
}
