//! The record of one way through a program: its moves, the reasons why they are not known, and the
//! instructions that were passed over.

use std::collections::BTreeMap;
use std::path::Path;

use clearance_proof::model::RigidError;
use clearance_proof::model::moves::{Move, MoveKind, MoveProgram, Target, Unknown, Zone};
use clearance_proof::report::Location;
use nalgebra::Isometry3;

use crate::controller::ControlledArm;
use crate::flow::{Followed, Way};
use crate::value::Fault;

/// At most so many unknown things are listed: the first reasons are those that help.
const MOST_UNKNOWN: usize = 50;

/// No arm reaches farther, metres.
const FARTHEST: f64 = 1e6;

/// Whether an arm could stand so: no number has overflowed on the way, and it is not beyond reach.
pub(crate) fn can_be_meant(pose: &Isometry3<f64>) -> bool {
    let turns = pose.rotation.coords.iter().all(|x| x.is_finite());
    turns && (pose.translation.vector.iter()).all(|x| x.abs() <= FARTHEST)
}

/// One way as far as it has been followed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MoveRecord {
    moves: Vec<Move>,
    unknown: Vec<Unknown>,
    passed_over: BTreeMap<String, usize>,
    lost: bool,
    /// Two moves each, behind which the rest of the way is the same if the arm stands the same there.
    comes_back: Vec<[usize; 2]>,
    /// Whether the way goes on behind its last move as it did behind an earlier one.
    goes_round: bool,
    /// Whether it ends where another way went on.
    joins: bool,
    /// [`MoveProgram::turn_lead`].
    turn_lead: f64,
}

impl MoveRecord {
    /// The arm moves. After [`MoveRecord::lose`] nothing is written down: nobody knows from where
    /// it would.
    pub fn move_to(&mut self, step: Move) {
        if self.lost {
            return;
        }
        let mut frames = vec![&step.tool.link_from_frame];
        let via = match &step.kind {
            MoveKind::Circular { via, .. } => Some(via),
            MoveKind::Joint | MoveKind::Linear => None,
        };
        for target in via.into_iter().chain([&step.target]) {
            if let Target::Pose {
                frame,
                frame_from_tool,
                ..
            } = target
            {
                frames.extend([&frame.link_from_frame, frame_from_tool]);
            }
        }
        let joints = match &step.target {
            Target::Joints(joints) => joints.iter().all(|q| q.is_finite()),
            Target::Pose { .. } => true,
        };
        if joints && frames.into_iter().all(can_be_meant) {
            self.moves.push(step);
            self.goes_round = false;
        } else {
            let reason = "its target, tool or frame has a number that cannot be right: too large, or overflowed";
            self.lose(Fault::new(&step.place, reason));
        }
    }

    /// Something is not known, and yet the moves are: the program is not verified on its account.
    pub fn unknown(&mut self, what: impl Into<Unknown>) {
        let what = what.into();
        if self.unknown.len() < MOST_UNKNOWN && !self.unknown.contains(&what) {
            self.unknown.push(what);
        }
    }

    /// From here on it is not known where the arm is.
    pub fn lose(&mut self, what: impl Into<Unknown>) {
        self.unknown(what);
        self.lost = true;
    }

    /// How many things are not known.
    pub fn reasons(&self) -> usize {
        self.unknown.len()
    }

    /// The way begins anew behind the second of these moves, as it went on behind the first one: that
    /// is so if both end with the arm in the same place.
    pub fn comes_back(&mut self, ends: [usize; 2]) {
        self.comes_back.push(ends);
    }

    /// The way goes on behind its last move as it did behind an earlier one.
    pub fn goes_round(&mut self) {
        self.goes_round = true;
    }

    /// The way goes on behind its last move as another one did, from the same state.
    pub(crate) fn joins(&mut self) {
        self.goes_round = true;
        self.joins = true;
    }

    /// A zone in which the orientation may be so far ahead of the tool's point, or behind it.
    pub(crate) fn turn_leads_by(&mut self, share: f64) {
        self.turn_lead = self.turn_lead.max(share);
    }

    /// The ends that were stated so, if any were.
    pub(crate) fn ends_that_come_back(&self) -> &[[usize; 2]] {
        &self.comes_back
    }

    /// Whether it is no longer known where the arm is.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// A statement that cannot move the arm, nor change what moves it, was passed over.
    pub fn pass_over(&mut self, word: &str) {
        match self.passed_over.get_mut(word) {
            Some(count) => *count += 1,
            None => _ = self.passed_over.insert(word.to_owned(), 1),
        }
    }

    /// How often time has passed: moves, and statements that were passed over.
    pub(crate) fn passed(&self) -> usize {
        self.moves.len() + self.passed_over.values().sum::<usize>()
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Changes how a move passes its end.
    pub fn set_zone(&mut self, k: usize, zone: Zone) {
        if let Some(step) = self.moves.get_mut(k) {
            step.zone = zone;
        }
    }

    /// Before a joint move half of the move that leads to it counts, and all that its zone holds:
    /// so it is for each zone that is stated at the point, where the last moves move nothing.
    pub fn widen_zones_of_last_point(&mut self) {
        for k in (0..self.moves.len()).rev() {
            let step = &mut self.moves[k];
            if let Zone::Radius(radius) = step.zone {
                step.zone = Zone::Ball(radius);
            }
            let stands = k > 0 && may_stand(&self.moves[k - 1], &self.moves[k]);
            if !stands {
                return;
            }
        }
    }

    /// The way as a program, called so.
    pub fn into_program(
        self,
        source: &Path,
        name: String,
        controller: &ControlledArm,
    ) -> MoveProgram {
        MoveProgram {
            source: source.to_owned(),
            name,
            robot: controller.robot_name(),
            joints: controller.joint_names(),
            start: controller.start(),
            // The file as a whole says it; see `crate::read`.
            model_difference: RigidError::default(),
            moves: self.moves,
            goes_round: self.goes_round,
            turn_lead: self.turn_lead,
            unknown: self.unknown,
            passed_over: self.passed_over.into_iter().collect(),
        }
    }
}

impl Followed for MoveRecord {
    fn is_known(&self) -> bool {
        self.unknown.is_empty()
    }
}

/// Targets nearer than this may be one place, radians or metres: farther than what counts as one
/// where a program is laid (`NEAR` in `motion/programmed/corners.rs` of the proof).
const ONE_PLACE: f64 = 2e-5;

/// Whether a move may move nothing, behind another one.
fn may_stand(before: &Move, step: &Move) -> bool {
    stands_by_targets(before, step).unwrap_or(true)
}

/// Whether a move moves nothing, behind another one; none: that is not known, as where the tool
/// changes between two poses.
pub(crate) fn stands(controller: &ControlledArm, before: &Move, step: &Move) -> Option<bool> {
    let by_targets = stands_by_targets(before, step);
    // What one states by joint values the other one states by a pose.
    by_targets.or_else(|| {
        let (joints, tool, frame, pose) = match (&before.target, &step.target) {
            (
                Target::Joints(q),
                Target::Pose {
                    frame,
                    frame_from_tool,
                    ..
                },
            ) => (q, &step.tool, frame, frame_from_tool),
            (
                Target::Pose {
                    frame,
                    frame_from_tool,
                    ..
                },
                Target::Joints(q),
            ) => (q, &before.tool, frame, frame_from_tool),
            _ => return None,
        };
        let at = controller.pose(joints, tool, frame).ok()?;
        Some(is_one_place(&at, pose))
    })
}

fn is_one_place(from: &Isometry3<f64>, to: &Isometry3<f64>) -> bool {
    let way = (from.translation.vector - to.translation.vector).norm();
    way <= ONE_PLACE && from.rotation.angle_to(&to.rotation) <= ONE_PLACE
}

fn stands_by_targets(before: &Move, step: &Move) -> Option<bool> {
    if matches!(step.kind, MoveKind::Circular { .. }) {
        return Some(false);
    }
    Some(match (&before.target, &step.target) {
        (Target::Joints(from), Target::Joints(to)) => {
            from.len() != to.len() || from.iter().zip(to).all(|(p, q)| (p - q).abs() <= ONE_PLACE)
        }
        (
            Target::Pose {
                frame,
                frame_from_tool,
                ..
            },
            Target::Pose {
                frame: other_frame,
                frame_from_tool: other,
                ..
            },
        ) if frame.link == other_frame.link && before.tool == step.tool => is_one_place(
            &(frame.link_from_frame * frame_from_tool),
            &(other_frame.link_from_frame * other),
        ),
        _ => return None,
    })
}

/// So many answers are told at the beginning and at the end of the name of a way.
const TOLD: usize = 4;

/// The answers by which a way is called: a loop may have asked for thousands.
fn told_answers(answers: &[String]) -> Vec<String> {
    if answers.len() <= 2 * TOLD + 1 {
        return answers.to_vec();
    }
    let more = answers.len() - 2 * TOLD;
    let mut told = answers[..TOLD].to_vec();
    told.push(format!("{more} more answers"));
    told.extend_from_slice(&answers[answers.len() - TOLD..]);
    told
}

/// Takes in what was found on a way. Ways that differ only in what was passed over are the same
/// motion, and one that joins another may be the beginning of it.
pub(crate) fn take_in(ways: &mut Vec<Way<MoveRecord>>, new: Way<MoveRecord>) {
    let found = &new.found;
    // It goes the way of another one, and on as a way does.
    let is_part = |known: &MoveRecord| {
        known.moves.starts_with(&found.moves)
            && found.unknown.iter().all(|u| known.unknown.contains(u))
    };
    let lead = found.turn_lead;
    let mut others = ways.iter_mut().map(|way| &mut way.found);
    if found.joins
        && let Some(known) = others.find(|known| is_part(known))
    {
        known.turn_lead = known.turn_lead.max(lead);
        return;
    }
    let same = |known: &&mut Way<MoveRecord>| {
        let known = &known.found;
        known.moves == found.moves
            && known.unknown == found.unknown
            && known.comes_back == found.comes_back
    };
    match ways.iter_mut().find(same) {
        // Where one of them ends, something else may follow.
        Some(Way { found: known, .. }) => {
            known.goes_round &= found.goes_round;
            known.turn_lead = known.turn_lead.max(found.turn_lead);
        }
        None => ways.push(new),
    }
}

/// What zones let the orientation lead by on one way they do on all: a way may end in a zone, and
/// another one go on out of it.
pub(crate) fn share_turn_lead(ways: &mut [Way<MoveRecord>]) {
    let leads = ways.iter().map(|way| way.found.turn_lead);
    let most = leads.fold(0.0, f64::max);
    ways.iter_mut().for_each(|way| way.found.turn_lead = most);
}

/// The programs of all ways through one program. Each is called by the name of that program and the
/// answers that lead there.
pub(crate) fn into_programs(
    ways: Vec<Way<MoveRecord>>,
    source: &Path,
    name: &str,
    controller: &ControlledArm,
) -> Vec<MoveProgram> {
    let programs = ways.into_iter().map(|way| {
        let answers = told_answers(&way.branches);
        let told = [name.to_owned()]
            .into_iter()
            .filter(|name| !name.is_empty());
        let told: Vec<String> = told.chain(answers).collect();
        way.found.into_program(source, told.join("; "), controller)
    });
    programs.collect()
}

/// A program of which nothing but this is known: ways that were not followed, for example.
pub fn unread(
    source: &Path,
    name: String,
    controller: &ControlledArm,
    place: Location,
    reason: String,
) -> MoveProgram {
    let mut record = MoveRecord::default();
    record.lose(Unknown { place, reason });
    record.into_program(source, name, controller)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_proof::model::moves::{ArcTurning, Branch, Frame, Speed};

    fn step(place: &Location) -> Move {
        Move {
            kind: MoveKind::Joint,
            target: Target::Joints(vec![0.0]),
            tool: Frame {
                link: "flange".into(),
                link_from_frame: Isometry3::identity(),
            },
            zone: Zone::Stop,
            speed: Speed::Unknown,
            label: String::new(),
            routine: String::new(),
            place: place.clone(),
        }
    }

    /// Numbers that overflow, in whatever language, are not followed.
    #[test]
    fn moves_to_poses_that_cannot_be_meant_are_not_written_down() {
        let place = Location::at("a.ls".as_ref(), 4, None);
        let far = Isometry3::translation(0.0, 2e6, 0.0);
        let turned = Isometry3::rotation(nalgebra::Vector3::new(1e308, 0.0, 0.0));
        let frame = |link_from_frame: Isometry3<f64>| Frame {
            link: "flange".into(),
            link_from_frame,
        };
        let pose = |at: [Isometry3<f64>; 2]| Target::Pose {
            frame: frame(at[0]),
            frame_from_tool: at[1],
            branch: Branch::NearestToStart,
        };
        let near = Isometry3::identity();
        for bad in [far, turned] {
            let mut steps = vec![step(&place); 4];
            steps[0].tool = frame(bad);
            steps[1].target = pose([near, bad]);
            steps[2].target = pose([bad, near]);
            let via = pose([near, bad]);
            let turning = ArcTurning::Still;
            steps[3].kind = MoveKind::Circular { via, turning };
            for step in steps {
                let mut record = MoveRecord::default();
                record.move_to(step);
                assert!(record.moves.is_empty() && record.is_lost());
                assert_eq!(record.unknown[0].place, place);
            }
        }
        let mut record = MoveRecord::default();
        let target = pose([near, near]);
        record.move_to(Move {
            target,
            ..step(&place)
        });
        assert_eq!(record.moves.len(), 1);
    }

    /// Ways of one motion are one, which only goes round if all of them do; ways that begin anew
    /// elsewhere are not, nor is one that ends where another goes on, unless it has joined it.
    #[test]
    fn ways_that_add_nothing_are_not_kept() {
        let place = Location::at("a.ls".as_ref(), 4, None);
        let record = |moves: usize| {
            let mut record = MoveRecord::default();
            (0..moves).for_each(|_| record.move_to(step(&place)));
            record.goes_round();
            record.turn_leads_by(0.1);
            record
        };
        let kept = |found: Vec<MoveRecord>| {
            let mut ways = Vec::new();
            for found in found {
                let branches = Vec::new();
                take_in(&mut ways, Way { branches, found });
            }
            ways
        };
        let mut ends = record(2);
        (ends.goes_round, ends.turn_lead) = (false, 0.2);
        let [one] = <[_; 1]>::try_from(kept(vec![record(2), ends])).unwrap();
        assert!(!one.found.goes_round && one.found.turn_lead == 0.2);
        let mut anew = record(2);
        anew.comes_back([0, 1]);
        assert_eq!(kept(vec![record(2), anew]).len(), 2);
        let mut unknown = record(2);
        unknown.unknown(Fault::new(&place, "a frame"));
        assert_eq!(kept(vec![record(2), unknown.clone()]).len(), 2);
        let mut part = record(1);
        assert_eq!(kept(vec![record(2), part.clone()]).len(), 2);
        part.joins();
        assert_eq!(kept(vec![record(2), part.clone()]).len(), 1);
        unknown.joins();
        assert_eq!(kept(vec![record(3), unknown]).len(), 2);
    }

    #[test]
    fn nothing_is_written_down_after_the_arm_is_lost() {
        let place = Location::at("a.ls".as_ref(), 4, None);
        let step = step(&place);
        let why = |reason: &str| Unknown {
            place: place.clone(),
            reason: reason.into(),
        };
        let mut record = MoveRecord::default();
        record.move_to(step.clone());
        record.unknown(why("a frame"));
        record.move_to(step.clone());
        record.lose(why("a search"));
        record.lose(why("a search"));
        record.move_to(step);
        record.pass_over("WAIT");
        record.pass_over("WAIT");
        assert_eq!(record.moves.len(), 2);
        assert_eq!(record.unknown, [why("a frame"), why("a search")]);
        assert_eq!(record.passed_over["WAIT"], 2);
        // Reasons have an end; that something is not known does not get lost.
        (0..1000).for_each(|k| record.unknown(why(&k.to_string())));
        assert_eq!(record.unknown.len(), MOST_UNKNOWN);
    }
}
