//! Two arms that differ a little: the one that is computed, and one whose controller finds joint
//! values with its own model.

use super::*;
use crate::model::{Joint, Mimic, RigidError};

/// An arm that is built a little differently.
fn built(cell: &Cell, random: &mut Random) -> Cell {
    let mut built = cell.clone();
    for joint in &mut built.joints {
        let [shift, turn] = [2e-4, 5e-4].map(|size| random.direction().into_inner() * size);
        joint.parent_from_joint *= Isometry3::new(shift, turn);
    }
    built
}

/// How far two placements of the same frame are apart.
fn apart(a: &Isometry3<f64>, b: &Isometry3<f64>) -> RigidError {
    RigidError {
        shift_m: (a.translation.vector - b.translation.vector).norm(),
        turn_rad: a.rotation.angle_to(&b.rotation),
    }
}

fn greatest_of(cells: [&Cell; 2], q: &[f64]) -> RigidError {
    let [a, b] = cells.map(|cell| cell.forward(q));
    let each = a.iter().zip(&b).map(|(a, b)| apart(a, b));
    each.fold(RigidError::default(), RigidError::max)
}

fn joints_at(trajectory: &Trajectory, t: f64) -> Vec<f64> {
    let found = trajectory.segments.iter().find(|s| t <= s.end);
    let segment = found.or(trajectory.segments.last()).unwrap();
    let fraction = (t - segment.start) / (segment.end - segment.start);
    let joints = 0..segment.joints.len();
    joints.map(|k| segment.position(k, fraction)).collect()
}

#[test]
fn frames_of_an_arm_that_is_built_otherwise_are_where_they_are_said_to_be() {
    let mut random = Random(51);
    // How often a frame before the last one is farther off than any at the same joint values, and
    // how much of what is said is used.
    let (mut farther, mut used) = (0, 0.0_f64);
    for case in 0..18 {
        let cell = ur();
        let mut start = HERE;
        start[4] = [0.8, 0.4, 0.25][case % 3];
        let from = arm(&cell).at(&Vector6::from(start)).tool;
        let pose = |by: [f64; 3]| at(&shifted(&from, by), Branch::NearestToStart);
        let next = |kind: MoveKind, by: [f64; 3]| step(kind, pose(by), Zone::Stop, "p");
        let mut moves = program(vec![
            next(MoveKind::Linear, [0.03, 0.0, -0.04]),
            next(MoveKind::Linear, [0.02, 0.03, -0.05]),
            next(MoveKind::Joint, [-0.03, 0.01, 0.02]),
            step(
                MoveKind::Joint,
                Target::Joints(start.to_vec()),
                Zone::Stop,
                "q",
            ),
        ]);
        moves.start = Some(start.to_vec());
        let real = built(&cell, &mut random);
        let [computed, driven] = [&cell, &real].map(|cell| for_cell(&moves, cell).unwrap());
        let times: Vec<f64> = (0..=80).map(|n| f64::from(n) / 20.0).collect();
        let values = |laid: &CellMoves, t: f64| joints_at(&laid.trajectory, t);
        let both = times
            .iter()
            .flat_map(|&t| [&computed, &driven].map(|laid| values(laid, t)));
        let error = both
            .map(|q| greatest_of([&cell, &real], &q))
            .fold(RigidError::default(), RigidError::max);
        let said = computed.own_model(&moves, &cell, error, true);
        assert_eq!(said.unproved, None, "case {case}");
        for &t in &times {
            let ought = cell.forward(&values(&computed, t));
            let is = real.forward(&values(&driven, t));
            for k in 0..6 {
                let off = apart(&ought[k], &is[k]);
                let most = error.and(said.frames[k]);
                let shares = [off.shift_m / most.shift_m, off.turn_rad / most.turn_rad];
                used = used.max(shares[0]).max(shares[1]);
                assert!(
                    shares.iter().all(|share| *share <= 1.0),
                    "{t}, {k}: {shares:?}"
                );
                farther += usize::from(off.turn_rad > 1.5 * error.turn_rad && k < 5);
                // Between poses the end of the arm is where it ought to be.
                let is_line = (1.0..=2.0).contains(&t);
                assert!(!is_line || k < 5 || off.shift_m < 1e-6 + error.shift_m);
            }
        }
    }
    assert!(farther > 100 && used > 0.2, "{farther}, {used}");
}

/// What hangs on a link of the arm is carried along, and what follows a joint turns with it.
#[test]
fn frames_beside_the_arm_are_off_by_what_carries_them() {
    let mut cell = ur();
    let mut add = |name: &str, parent: usize, mimic: Option<usize>| {
        let place = Isometry3::translation(0.2, 0.0, 0.0);
        let mut joint = Joint::revolute(name, Some(parent), place, Vector3::z_axis());
        joint.mimic = mimic.map(|source| Mimic {
            source,
            multiplier: -2.0,
            offset: 0.0,
        });
        cell.add_joint(joint)
    };
    let carried = add("carried", 3, None);
    let follows = add("follows", 3, Some(4));
    let on_tool = add("on_tool", 5, None);
    let line = at(
        &shifted(&here(&cell), [0.03, 0.0, -0.04]),
        Branch::Continued,
    );
    let mut moves = program(vec![step(MoveKind::Linear, line, Zone::Stop, "p")]);
    let error = RigidError {
        shift_m: 1e-3,
        turn_rad: 1e-3,
    };
    let said = for_cell(&moves, &cell)
        .unwrap()
        .own_model(&moves, &cell, error, true);
    let of_link = said.frames[3];
    assert!(of_link.turn_rad > 1e-3, "{said:?}");
    let expected = of_link.at_distance(0.2);
    assert!((said.frames[carried].shift_m - expected.shift_m).abs() < 1e-9);
    assert_eq!(said.frames[carried].turn_rad, expected.turn_rad);
    assert!(said.frames[follows].turn_rad > expected.turn_rad + 2e-3);
    assert_eq!(
        [5, on_tool].map(|k| said.frames[k]),
        [RigidError::default(); 2]
    );
    // A joint move to a pose has the end of the arm farther off on the way, too.
    moves.moves[0].kind = MoveKind::Joint;
    let near = Branch::NearestToStart;
    moves.moves[0].target = at(&shifted(&here(&cell), [0.03, 0.0, -0.04]), near);
    let said = for_cell(&moves, &cell)
        .unwrap()
        .own_model(&moves, &cell, error, true);
    assert!(
        said.frames[on_tool].shift_m > said.frames[5].shift_m && said.frames[5].shift_m > 0.9e-3
    );
    // Between joint values nothing is off, and beside a singularity anything may be.
    moves.moves[0].target = Target::Joints(vec![0.3, -1.0, 1.1, 0.4, 0.8, 0.2]);
    let said = for_cell(&moves, &cell)
        .unwrap()
        .own_model(&moves, &cell, error, true);
    assert_eq!(said.frames, vec![RigidError::default(); cell.joints.len()]);
    let start = [0.3, -1.0, 1.2, 0.4, 0.02, 0.2];
    let beside = arm(&cell).at(&Vector6::from(start)).tool;
    moves.start = Some(start.to_vec());
    moves.moves[0].target = at(&shifted(&beside, [1e-4, 0.0, 0.0]), Branch::NearestToStart);
    let said = for_cell(&moves, &cell)
        .unwrap()
        .own_model(&moves, &cell, error, true);
    assert_eq!(said.unproved.unwrap().line, Some(7));
    assert_eq!(said.frames[3].turn_rad, std::f64::consts::PI);
}
