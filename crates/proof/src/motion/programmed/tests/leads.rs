//! Orientations ahead of the tool's point beside a joint move, sampled, against the layers of
//! strips.

use super::super::hull::Hull;
use super::super::layers::{Layers, Lead};
use super::super::strips::{CELLS, Strip};
use super::corners::{lies_in, turned};
use super::*;

/// The lead of RAPID's predefined zones.
const LEAD: f64 = 1.0 / 6.0;

/// A corner of a joint move that turns the tool far and of a line, which turns it by so much; the
/// line comes first or last.
struct LeadCorner {
    arm: Arm,
    moves: CellMoves,
    /// Joint values of the joint move at the tip, and where it leaves the corner.
    joints: [Vector6<f64>; 2],
    /// Poses of the line likewise.
    line: [Pose; 2],
}

impl LeadCorner {
    fn new(cell: &Cell, line_first: bool, line_turns: f64) -> Self {
        let tip = here(cell);
        let end = turned(&shifted(&tip, [0.02, 0.05, 0.08]), Vector3::x(), line_turns);
        let mut far = HERE;
        for (q, by) in far.iter_mut().zip([0.6, -0.2, 0.3, 0.4, 0.2, -0.9]) {
            *q += by;
        }
        let arm = arm(cell);
        let q = reach(&arm, &end, &Vector6::from(HERE), 30).unwrap();
        let q: Vec<f64> = q.iter().copied().collect();
        let line = |to: &Pose, zone| step(MoveKind::Linear, at(to, Branch::Continued), zone, "l");
        let joint = |q: &[f64], zone| step(MoveKind::Joint, Target::Joints(q.to_vec()), zone, "j");
        let (start, steps) = if line_first {
            let steps = vec![line(&tip, Zone::Unknown), joint(&far, Zone::Stop)];
            (q, steps)
        } else {
            let steps = vec![joint(&HERE, Zone::Unknown), line(&end, Zone::Stop)];
            (far.to_vec(), steps)
        };
        let way = MoveProgram {
            start: Some(start),
            turn_lead: LEAD,
            ..program(steps)
        };
        let moves = CellMoves::new(&way, cell, 0.0).unwrap();
        let [first, second] = moves.corners[0].shares;
        let (of_line, of_joints) = if line_first {
            (first, second)
        } else {
            (second, first)
        };
        let tip_q = Vector6::from(HERE);
        let left = tip_q + (Vector6::from(far) - tip_q) * of_joints;
        let line = PoseCurve::line(&tip, &end).unwrap().at(of_line);
        LeadCorner {
            joints: [tip_q, left],
            line: [tip, line],
            arm,
            moves,
        }
    }

    fn on_joint_move(&self, share: f64) -> Pose {
        let [tip, left] = self.joints;
        self.arm.at(&(tip + (left - tip) * share)).tool
    }

    fn on_line(&self, share: f64) -> Pose {
        let [tip, end] = &self.line;
        PoseCurve::line(tip, end).unwrap().at(share)
    }

    fn strips(&self, count: usize, wanted: impl Fn(&Hull) -> bool) -> Vec<Trajectory> {
        let hulls = self.moves.corners[0]
            .hulls
            .iter()
            .filter(|hull| wanted(hull));
        let strip = |hull: &Hull, n: usize| {
            let middle = (n as f64 + 0.5) / count as f64;
            hull.strip([middle, 0.5 / count as f64], CELLS, &[])
                .unwrap()
        };
        hulls
            .flat_map(|hull| (0..count).flat_map(|n| strip(hull, n)).collect::<Vec<_>>())
            .collect()
    }
}

/// Shares of both moves at which the point is, and others at which the orientation is: at most by
/// the lead from these, often by all of it.
fn shares(random: &mut Random) -> [[f64; 2]; 2] {
    let lambda = random.unit().sqrt();
    let t = random.unit();
    let point = [lambda * (1.0 - t), lambda * t];
    let mut ahead =
        || LEAD * [-1.0, 1.0, 2.0 * random.unit() - 1.0][(3.0 * random.unit()) as usize];
    let turned = point.map(|share| (share + ahead()).clamp(0.0, 1.0));
    [point, turned]
}

/// Sums of a joint move and a line, with orientations that are ahead, and behind: in the layers of
/// the strips of the sums. Catches a layer left out, a lead of half the size or to one side only,
/// and strips that forget what the layer itself is wide.
#[test]
fn sums_whose_orientation_is_ahead_lie_in_the_layers() {
    let cell = ur();
    let mut random = Random(31);
    for (line_first, line_turns) in [(true, 0.0), (false, 0.0), (false, 0.08)] {
        let corner = LeadCorner::new(&cell, line_first, line_turns);
        let strips = corner.strips(32, |hull| matches!(hull, Hull::Sum(_)));
        let at_tip = &corner.line[0];
        for n in 0..80 {
            let [[b, a], [turned_b, turned_a]] = shares(&mut random);
            let (own, done) = (corner.on_joint_move(b), corner.on_line(a));
            let turns = [
                corner.on_joint_move(turned_b).rotation,
                corner.on_line(turned_a).rotation,
            ];
            let [last, before] = if n % 2 == 0 {
                turns
            } else {
                [turns[1], turns[0]]
            };
            let sum = Pose {
                translation: own.translation + done.translation - at_tip.translation,
                rotation: last * at_tip.rotation.transpose() * before,
            };
            let [tip, left] = corner.joints;
            let q = reach(&corner.arm, &sum, &(tip + (left - tip) * b), 30).unwrap();
            assert!(
                lies_in(&strips, q.as_slice()),
                "{line_first}: {a} {b} {turned_a} {turned_b}"
            );
        }
    }
}

/// Points of the triangle in space with orientations that are ahead, and behind.
#[test]
fn points_whose_orientation_is_ahead_lie_in_the_layers_of_the_triangle() {
    let cell = ur();
    let mut random = Random(32);
    for (line_first, line_turns) in [(true, 0.0), (false, 0.0), (false, 0.004)] {
        let corner = LeadCorner::new(&cell, line_first, line_turns);
        let strips = corner.strips(32, |hull| matches!(hull, Hull::Tool(_)));
        let tip = corner.line[0];
        let [e, x] = [corner.on_joint_move(1.0), corner.on_line(1.0)];
        for _ in 0..80 {
            let [[b, a], turned] = shares(&mut random);
            let translation = tip.translation
                + (e.translation - tip.translation) * b
                + (x.translation - tip.translation) * a;
            // In the triangle, as the points are.
            let [turned_b, turned_a] = turned;
            let turned_a = turned_a.min(1.0 - turned_b);
            let lambda = turned_a + turned_b;
            let on = |end: &Pose| PoseCurve::line(&tip, end).unwrap().at(lambda);
            let t = if lambda > 0.0 { turned_a / lambda } else { 0.0 };
            let rotation = PoseCurve::line(&on(&e), &on(&x)).unwrap().at(t).rotation;
            let pose = Pose {
                translation,
                rotation,
            };
            let [q_tip, left] = corner.joints;
            let q = reach(&corner.arm, &pose, &(q_tip + (left - q_tip) * b), 30).unwrap();
            assert!(
                lies_in(&strips, q.as_slice()),
                "{line_first}: {a} {b} {turned_a} {turned_b}"
            );
        }
    }
}

/// Orientations of the triangle that are ahead, and behind, against the lines of the layers: none
/// is farther off all of them than the error, and some are nearly as far. Catches an error that
/// forgets what the strip is wide, or the layer.
#[test]
fn orientations_that_are_ahead_are_near_those_of_a_layer() {
    let cell = ur();
    let mut random = Random(34);
    for line_first in [true, false] {
        let corner = LeadCorner::new(&cell, line_first, 0.0);
        let hull = corner.moves.corners[0]
            .hulls
            .iter()
            .find_map(|hull| match hull {
                Hull::Tool(hull) => Some(hull),
                _ => None,
            });
        let hull = hull.unwrap();
        let turning = PoseCurve::line(&corner.line[0], &corner.on_joint_move(1.0)).unwrap();
        let mut most = 0.0_f64;
        for n in 0..4000 {
            let half = [0.1, 0.02, 0.004][n % 3];
            let strip = Strip {
                middle: half + (1.0 - 2.0 * half) * random.unit(),
                half,
                cells: CELLS,
                moved: &[],
            };
            let mut end = || [-1.0, 1.0, 2.0 * random.unit() - 1.0][(3.0 * random.unit()) as usize];
            let lambda = strip.middle + half * end();
            let t = random.unit() * random.unit();
            let share = lambda * if line_first { t } else { 1.0 - t };
            let ahead = (share + LEAD * (2.0 * random.unit() - 1.0)).clamp(0.0, 1.0);
            let orientation = turning.at(ahead).rotation;
            let off = hull.turns(strip).unwrap().into_iter().map(|across| {
                let line = PoseCurve::line(&across.from, &across.to).unwrap();
                let off = turn_between(&line.at(t).rotation, &orientation).1;
                off / (across.turn + 1e-8)
            });
            let off = off.fold(f64::INFINITY, f64::min);
            assert!(off <= 1.0, "{off}: {strip:?} {lambda} {t} {ahead}");
            most = most.max(off);
        }
        assert!(most > 0.8, "{most}");
    }
}

/// Layers cover their range, and none is wider than it was to be.
#[test]
fn layers_cover_their_range() {
    let mut random = Random(33);
    for _ in 0..300 {
        let from = 2.0 * random.unit() - 1.0;
        let range = [from, from + random.unit()];
        let half = 0.001 + 0.3 * random.unit();
        let turn = 2.0 * random.unit();
        let layers = Layers::new(range, half, turn);
        assert!(layers.half * turn <= (half * turn).max(0.005) * (1.0 + 1e-5) + 1e-11);
        assert_eq!(layers.middles().count(), layers.count);
        for _ in 0..20 {
            let at = range[0] + (range[1] - range[0]) * random.unit();
            assert!(layers.middles().any(|m| (at - m).abs() <= layers.half));
        }
    }
}

/// Where both moves turn the tool by much, the lead stays in the error; where one does, the other's
/// turn does.
#[test]
fn a_lead_has_layers_where_one_move_turns() {
    for (turns, on_second) in [
        ([1.0, 0.01], Some(false)),
        ([0.0, 0.5], Some(true)),
        ([1.0, 0.5], None),
    ] {
        let (lead, error) = Lead::of(LEAD, turns);
        assert_eq!(lead.map(|lead| lead.on_second), on_second);
        let both = LEAD * (turns[0] + turns[1]);
        match lead {
            Some(_) => assert!(error < both && error >= turns[0].min(turns[1])),
            None => assert_eq!(error, both),
        }
    }
    assert_eq!(Lead::of(0.0, [1.0, 0.0]), (None, 0.0));
}
