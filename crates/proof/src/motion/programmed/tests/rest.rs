//! Joints that carry tools and frames, and that the program does not move.

use super::*;
use crate::model::{Joint, Mimic};

/// The arm on a rail that its program does not move; the rail is joint 0.
fn on_a_rail() -> Cell {
    let mut cell = ur();
    let rail = Joint::prismatic("rail", None, Isometry3::identity(), Vector3::x_axis());
    for joint in &mut cell.joints {
        joint.parent = Some(joint.parent.map_or(0, |parent| parent + 1));
    }
    for body in &mut cell.bodies {
        body.joint = body.joint.map(|joint| joint + 1);
    }
    cell.joints.insert(0, rail);
    cell.rest.insert(0, 0.0);
    cell
}

/// A line was solved with the rail where the cell has it: moved by something else, the tool would
/// be beside its line by as much. What is beyond the tool, and joint values, do not depend on it.
#[test]
fn what_carries_a_tool_must_rest() {
    let mut cell = on_a_rail();
    let gripper = Joint::prismatic("gripper", Some(6), Isometry3::identity(), Vector3::x_axis());
    let gripper = cell.add_joint(gripper);
    let b = shifted(&here(&ur()), [0.0, 0.1, 0.0]);
    let line = step(MoveKind::Linear, at(&b, Branch::Continued), Zone::Stop, "b");
    let must_rest = |moves: Vec<Move>, cell: &Cell, moved: JointId| {
        let moves = for_cell(&program(moves), cell).unwrap();
        moves.must_rest(cell, [gripper, moved].into_iter())
    };
    assert_eq!(must_rest(vec![line.clone()], &cell, 0), Some(0));
    assert_eq!(must_rest(vec![line.clone()], &cell, gripper), None);
    // Its own joints are looked at elsewhere.
    assert_eq!(must_rest(vec![line.clone()], &cell, 3), None);
    let joints = Target::Joints(HERE.map(|q| q + 0.1).to_vec());
    let to_joints = |zone| step(MoveKind::Joint, joints.clone(), zone, "c");
    assert_eq!(must_rest(vec![to_joints(Zone::Stop)], &cell, 0), None);
    // How far the tool is from a corner does not depend on where the whole arm is, but on what is
    // between its joints and the tool.
    let mut rounded = vec![to_joints(Zone::Radius(0.01)), to_joints(Zone::Stop)];
    assert_eq!(must_rest(rounded.clone(), &cell, 0), None);
    (rounded.iter_mut()).for_each(|step| step.tool.link = "jaw".to_owned());
    let ball = Form::Sphere { radius: 0.01 };
    cell.add_body(Body::link(
        "jaw",
        ball,
        gripper,
        Isometry3::identity(),
        None,
    ));
    assert_eq!(must_rest(rounded, &cell, 0), Some(gripper));
    // A line between joint values is one as the arm sees it, and so is one in a frame that goes along.
    let short = Target::Joints(HERE.map(|q| q + 0.01).to_vec());
    let straight = step(MoveKind::Linear, short, Zone::Stop, "c");
    assert_eq!(must_rest(vec![straight], &cell, 0), None);
    let mut along = line.clone();
    let Target::Pose { frame, .. } = &mut along.target else {
        panic!("a line to a pose")
    };
    frame.link = "sled".to_owned();
    let ball = Form::Sphere { radius: 0.01 };
    cell.add_body(Body::link("sled", ball, 0, Isometry3::identity(), None));
    assert_eq!(must_rest(vec![along], &cell, 0), None);
    // The frame of a target may be carried alone.
    let mut elsewhere = line.clone();
    let Target::Pose { frame, .. } = &mut elsewhere.target else {
        panic!("a line to a pose")
    };
    frame.link = "table".to_owned();
    let turn = Joint::revolute("turn", None, Isometry3::identity(), Vector3::z_axis());
    let turn = cell.add_joint(turn);
    let ball = Form::Sphere { radius: 0.01 };
    cell.add_body(Body::link("table", ball, turn, Isometry3::identity(), None));
    assert_eq!(must_rest(vec![elsewhere.clone()], &cell, turn), Some(turn));
    assert_eq!(must_rest(vec![line], &cell, turn), None);
    // Whoever moves the leader moves the follower.
    cell.joints[turn].mimic = Some(Mimic {
        source: gripper,
        multiplier: 0.5,
        offset: 0.0,
    });
    assert_eq!(must_rest(vec![elsewhere], &cell, turn), Some(gripper));
}
