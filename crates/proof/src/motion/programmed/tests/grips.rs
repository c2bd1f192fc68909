//! Parts that are taken while the tool is on a line on which it turns.

use super::corners::turned;
use super::*;
use crate::model::{ChangingCell, Event, EventChange, JointState, Timeline};

/// Wherever the tool is within its tube when it takes a part, the part hangs on it no farther from
/// where it is computed than stated; and the tool is known much better than its joints are.
#[test]
fn a_part_that_is_taken_on_a_line_hangs_within_its_bound() {
    const TUBE: f64 = 0.1;
    let mut cell = ur();
    let start = here(&cell);
    let end = turned(&shifted(&start, [0.0, 0.15, 0.05]), Vector3::x(), 0.6);
    let beside = Vector3::new(0.05, 0.12, -0.1);
    plate(&mut cell, "part", [0.01; 3], start.translation + beside);
    let line = step(
        MoveKind::Linear,
        at(&end, Branch::Continued),
        Zone::Stop,
        "end",
    );
    let moves = CellMoves::new(&program(vec![line]), &cell, TUBE).unwrap();
    let (part, flange) = (cell.body("part").unwrap(), cell.body("flange").unwrap());
    let place = cell.bodies[part].joint_from_body;
    let line = PoseCurve::line(&start, &end).unwrap();
    let mut random = Random(3);
    for time in [0.0, 0.3, 0.5, 0.8] {
        let passed = moves.trajectory.locate(time);
        let joints = JointState::new(moves.trajectory.segment_at(passed), passed.fraction);
        let taken = Event {
            time,
            change: EventChange::Attach {
                bodies: vec![part],
                link: flange,
                link_from_body: None,
                touch: Vec::new(),
            },
            file: "e.toml".into(),
            line: 4,
            program: None,
        };
        let timeline = Timeline {
            events: vec![taken],
        };
        let mut now = ChangingCell::new(&cell);
        now.change(&timeline, time, &joints).unwrap();
        let (computed, bound) = (
            now.cell.bodies[part].joint_from_body,
            now.handover_errors[part],
        );
        let joint = now.cell.bodies[part].joint.unwrap();
        let near = Vector6::from_iterator(joints.q[..6].iter().copied());
        let (mut farthest, mut most) = (0.0_f64, 0.0_f64);
        for n in 0..300 {
            let axis = Vector3::from_fn(|_, _| 2.0 * random.unit() - 1.0);
            let by = if n % 3 == 0 { 1.0 } else { random.unit() };
            let pose = turned(&line.at(time), axis.normalize(), TUBE * 0.6 * by);
            let q = reach(&arm(&cell), &pose, &near, 30).unwrap();
            let mut all = joints.q.clone();
            all[..6].copy_from_slice(q.as_slice());
            let hangs = cell.forward(&all)[joint].inverse() * place;
            let shift = (hangs.translation.vector - computed.translation.vector).norm();
            farthest = farthest.max(shift);
            most = most.max(hangs.rotation.angle_to(&computed.rotation));
        }
        assert!(farthest <= bound.shift_m, "{time}: {farthest} {bound:?}");
        assert!(most <= bound.turn_rad, "{time}: {most} {bound:?}");
        assert!(farthest > 0.5 * bound.shift_m, "{farthest} {bound:?}");
        assert!(bound.shift_m < 0.1 * now.handover_errors_by_joints[part].shift_m);
        let [said] = &now.remarks[..] else {
            panic!("{:?}", now.remarks)
        };
        let millimetres = format!("{:.1} mm", 1e3 * bound.shift_m);
        assert!(said.message.contains(&millimetres), "{}", said.message);
        assert!(said.message.contains("`pose`"), "{}", said.message);
        assert_eq!(said.place.as_ref().and_then(|place| place.line), Some(4));
    }
}
