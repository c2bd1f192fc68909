//! Statements that move the arm.

mod configuration;
mod frames;
mod options;

use clearance_proof::model::moves::{
    ArcTurning, Branch, Frame, Move, MoveKind, Speed, Target, Zone,
};
use clearance_proof::report::Location;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::super::listing::{FrameNumber, Listing, P_SPS, Position};
use super::FanucInterpreter;
use crate::controller::JointUnit;
use crate::lines::arc::{ArcPoints, note_turning};
use crate::lines::cursor::LineCursor;
use crate::lines::{here, pose};
use crate::value::{Fault, Known, Value};
use configuration::configuration;
use options::MoveOptions;

/// A position that a statement names, with the frame and tool that belong to it.
struct Aim {
    position: Position,
    frame: Option<FrameNumber>,
    tool: Option<FrameNumber>,
    label: String,
}

impl FanucInterpreter<'_> {
    pub(super) fn motion(
        &mut self,
        program: &Listing,
        at: usize,
        word: &str,
        cursor: &mut LineCursor,
    ) -> Result<(), Fault> {
        let place = &program.lines[at].place;
        if word == "A" {
            return Err(Fault::new(place, "the arc of A statements is not known"));
        }
        let via = match word {
            "C" => Some(self.aim(program, cursor, place)?),
            _ => None,
        };
        let aim = self.aim(program, cursor, place)?;
        let options = self.options(word, cursor, place)?;
        for doubt in &options.doubts {
            self.way.record.unknown(Fault::new(place, doubt.clone()));
        }
        let tool = self.tool(&aim, place)?;
        let (target, kind) = match via {
            None => {
                let kind = match word {
                    "J" => MoveKind::Joint,
                    _ => MoveKind::Linear,
                };
                (self.target(&aim, &options, &tool, place)?, kind)
            }
            Some(via) => {
                if options.increment {
                    return Err(Fault::new(place, "an incremental arc is not read"));
                }
                if options.offset.is_some() || options.tool_offset.is_some() {
                    let reason = "an arc with an offset is not read: whether its point in between is shifted, too, is not certain";
                    return Err(Fault::new(place, reason));
                }
                if self.tool(&via, place)? != tool {
                    return Err(Fault::new(
                        place,
                        "the points of an arc have different tools",
                    ));
                }
                let via = self.target(&via, &options, &tool, place)?;
                let target = self.target(&aim, &options, &tool, place)?;
                let arc = ArcPoints {
                    via: &via,
                    end: &target,
                    tool: &tool,
                };
                let tube = self.way.options.orientation_tube;
                note_turning(&mut self.way.record, self.way.controller, &arc, tube, place);
                (
                    target,
                    MoveKind::Circular {
                        via,
                        turning: ArcTurning::Still,
                    },
                )
            }
        };
        self.way.record.move_to(Move {
            kind,
            target,
            tool,
            zone: options.zone,
            speed: options.speed,
            label: aim.label,
            routine: program.name.clone(),
            place: place.clone(),
        });
        if program.while_moving.contains_key(&at)
            && !options.while_moving.iter().any(|a| a == P_SPS)
        {
            let reason = format!("lines of {P_SPS} stand below a move that does not name it");
            return Err(Fault::new(place, reason));
        }
        for action in &options.while_moving {
            self.runs_while_moving(program, at, action)?;
        }
        match options.lost {
            Some(reason) => Err(Fault::new(place, reason)),
            None => Ok(()),
        }
    }

    fn aim(
        &mut self,
        program: &Listing,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Aim, Fault> {
        let word = cursor.word();
        if word != "P" && word != "PR" {
            return Err(Fault::new(place, "a move has no position"));
        }
        let before = cursor.rest();
        let number = self.known_index(cursor, place)?;
        let name = before[..before.len() - cursor.rest().len()].split_once(':');
        let name = name.map_or("", |(_, n)| n.trim().trim_end_matches(']'));
        let label = match name {
            "" => format!("{word}[{number}]"),
            name => format!("{word}[{number}: {name}]"),
        };
        let known = |position: Known<Position>| {
            position.map_err(|why| {
                Fault::new(place, format!("the target is not known: {}", why.reason))
            })
        };
        if word == "PR" {
            let groups = program.groups.iter().flatten().filter(|g| **g != 1);
            for group in groups.filter(|g| !self.way.controller.leaves_out(**g)) {
                let told = left_out(*group);
                let reason = format!("where PR[{number}] has group {group} is not read; {told}");
                self.way.record.unknown(Fault::new(place, reason));
            }
            let position = known(self.position_register(number, place))?;
            let current = Some(FrameNumber::Current);
            return Ok(Aim {
                position,
                frame: current,
                tool: current,
                label,
            });
        }
        let point = program
            .points
            .get(&number)
            .ok_or_else(|| Fault::new(place, format!("P[{number}] is not in the program")))?;
        let others = point.others.iter();
        for (group, joints) in others.filter(|(group, _)| !self.way.controller.leaves_out(**group))
        {
            let stands = self
                .way
                .state
                .others
                .entry(*group)
                .or_insert_with(|| joints.clone());
            if stands != joints {
                return Err(Fault::new(
                    place,
                    format!("group {group} moves at the same time; {}", left_out(*group)),
                ));
            }
            if !self.way.controller.is_still(&format!("GP{group}")) {
                self.way.record.unknown(Fault::new(
                    place,
                    format!("group {group} moves too; {}", other_group(*group)),
                ));
            }
        }
        Ok(Aim {
            position: known(point.position.clone())?,
            frame: point.frame,
            tool: point.tool,
            label,
        })
    }

    /// The number of a frame or tool: that of the position, which has to be the one that counts.
    fn number(
        &mut self,
        stated: Option<FrameNumber>,
        counts: Option<Value>,
        what: &str,
        place: &Location,
    ) -> Result<u32, Fault> {
        let counts = match counts {
            None => None,
            Some(value) => match value.number(place)? {
                Ok(k) if k >= 0.0 && k.fract() == 0.0 && k < 1e3 => Some(Ok(k as u32)),
                Ok(k) => {
                    return Err(Fault::new(
                        place,
                        format!("{k} is not a number of a {what}"),
                    ));
                }
                Err(why) => Some(Err(why)),
            },
        };
        match (stated, counts) {
            (Some(FrameNumber::Stated(own)), Some(Ok(other))) if own != other => Err(Fault::new(
                place,
                format!(
                    "the position is taught with {what} {own}, and {other} counts: the controller stops"
                ),
            )),
            (Some(FrameNumber::Stated(own)), _) => Ok(own),
            (_, Some(Ok(number))) => Ok(number),
            (_, Some(Err(why))) => Err(Fault::new(
                place,
                format!("which {what} counts is not known: {}", why.reason),
            )),
            (_, None) => Err(Fault::new(
                place,
                format!("the program does not say which {what} counts"),
            )),
        }
    }

    fn target(
        &mut self,
        aim: &Aim,
        options: &MoveOptions,
        tool: &Frame,
        place: &Location,
    ) -> Result<Target, Fault> {
        let fail = |reason: String| Fault::new(place, reason);
        let settings = self.way.controller.settings();
        if !(settings.is_some_and(|s| s.dialect == "fanuc") && self.way.controller.states_joints())
        {
            return Err(fail(format!(
                "the cell does not say how this controller counts its joints: J3 may count from the horizontal, and N and F are the sign of J5; {}",
                self.way.controller.joints_to_write("fanuc")
            )));
        }
        let moved = options.offset.is_some() || options.tool_offset.is_some();
        match &aim.position {
            Position::Joints(degrees) => {
                if moved {
                    return Err(fail("an offset of joint values is not read".into()));
                }
                let to = |degrees: &[f64]| {
                    self.way
                        .controller
                        .to_urdf(degrees, JointUnit::Degrees)
                        .map_err(fail)
                };
                let mut joints = to(degrees)?;
                if options.increment {
                    let before = match self.way.record.moves().last().map(|m| &m.target) {
                        Some(Target::Joints(before)) => before.clone(),
                        Some(Target::Pose { .. }) => {
                            return Err(fail("an incremental move starts at a pose whose joint values are not stated".into()));
                        }
                        None => {
                            self.way.controller.start().ok_or_else(|| {
                                fail("where the arm is before is not known".into())
                            })?
                        }
                    };
                    let zero = to(&vec![0.0; degrees.len()])?;
                    for ((joint, before), zero) in joints.iter_mut().zip(&before).zip(&zero) {
                        *joint += before - zero;
                    }
                }
                Ok(Target::Joints(joints))
            }
            Position::Pose { values, config } => {
                let number =
                    self.number(aim.frame, self.way.state.frame.clone(), "UFRAME", place)?;
                let frame = self.frame_of(number, place)?;
                let mut frame_from_tool = pose(values);
                let mut branch = None;
                if options.increment {
                    if values[3..] != [0.0; 3] {
                        return Err(fail(
                            "an incremental move that turns the tool is not read".into(),
                        ));
                    }
                    let moves = self.way.record.moves();
                    let now = here(self.way.controller, moves, tool, &frame).map_err(fail)?;
                    frame_from_tool = shift(values) * now;
                    branch = Some(Branch::NearestToStart);
                }
                if let Some(offset) = &options.offset {
                    frame_from_tool = shift(&translation(offset, place)?) * frame_from_tool;
                }
                if let Some(offset) = &options.tool_offset {
                    frame_from_tool *= shift(&translation(offset, place)?);
                }
                let branch = match (branch, config) {
                    (Some(branch), _) => branch,
                    (None, Some(config)) => {
                        Branch::Configuration(configuration(self, config).map_err(fail)?)
                    }
                    (None, None) => return Err(fail("the position has no configuration".into())),
                };
                Ok(Target::Pose {
                    frame,
                    frame_from_tool,
                    branch,
                })
            }
        }
    }
}

/// The remedy in the cell file for a group that moves something else than the arm.
fn left_out(group: u32) -> String {
    format!(
        "if the cell has what it moves where it is largest, write `not_modelled = {{ GP{group} = \"…\" }}` with the reason in the robot's `controller`"
    )
}

/// The same of one that may stand still.
pub(super) fn other_group(group: u32) -> String {
    format!(
        "if it stands still where the cell has it, write `still = [\"GP{group}\"]` in the robot's `controller`; {}",
        left_out(group)
    )
}

fn shift(values: &[f64; 6]) -> Isometry3<f64> {
    let [x, y, z, ..] = values.map(|v| v / 1e3);
    Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::identity())
}

/// The numbers of an offset that turns nothing.
fn translation(offset: &Position, place: &Location) -> Result<[f64; 6], Fault> {
    match offset {
        Position::Pose { values, .. } if values[3..] == [0.0; 3] => Ok(*values),
        Position::Pose { .. } => Err(Fault::new(
            place,
            "an offset that turns the tool is not read",
        )),
        Position::Joints(_) => Err(Fault::new(place, "an offset of joint values is not read")),
    }
}
