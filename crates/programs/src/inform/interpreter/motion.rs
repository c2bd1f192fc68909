//! Instructions that move the arm.

use clearance_proof::model::moves::{
    ArcTurning, Branch, Configuration, Frame, Move, MoveKind, Speed, Target, Zone,
};
use clearance_proof::report::Location;
use nalgebra::{Isometry3, Translation3};

use super::super::job::{InformJob, InformPoint, PointData, PointKind};
use super::InformInterpreter;
use super::operands::Operand;
use crate::controller::JointUnit;
use crate::lines::arc::{ArcPoints, note_turning};
use crate::lines::cursor::LineCursor;
use crate::lines::{here, pose};
use crate::ranges::{AT_ZERO, range};
use crate::value::Fault;

/// Where a run of MOVC stands: its first point is gone to on a straight line, the second one lies
/// on the arc to the third.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::inform) enum Arc {
    #[default]
    None,
    First,
    Via(Box<(Target, Frame)>),
    Third,
}

/// The arguments of an instruction beside its positions.
struct Tags {
    zone: Zone,
    speed: Speed,
    /// It may end before its end is reached.
    until: bool,
    /// The frame of an incremental move: `RF`, `BF`, `TF`, or the number of a user frame.
    frame: Option<String>,
}

impl InformInterpreter<'_> {
    pub(super) fn motion(
        &mut self,
        job: &InformJob,
        word: &str,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(), Fault> {
        let label = cursor.peek_word().to_owned();
        let Some(Operand::Point(kind, number)) = self.operand(cursor, place)? else {
            return Err(Fault::new(place, format!("`{word}` has no position")));
        };
        if !matches!(kind, PointKind::Step | PointKind::Variable) {
            return Err(Fault::new(
                place,
                format!("`{word}` has no position of the arm"),
            ));
        }
        let point = self.point(job, kind, number, place)?;
        self.others(job, cursor, place)?;
        let tags = self.tags(cursor, place)?;
        let relative = match (word, &tags.frame) {
            ("IMOV", Some(frame)) => Some(self.increment(&point, frame, place)?),
            ("IMOV", None) => {
                return Err(Fault::new(place, "an incremental move has no frame"));
            }
            (_, None) => None,
            (_, Some(frame)) => {
                return Err(Fault::new(
                    place,
                    format!("`{frame}` of a move is not understood"),
                ));
            }
        };
        if word != "MOVC" {
            self.end_arc(place)?;
        }
        let straight = word != "MOVJ";
        let tool = self.tool(&point, straight, place)?;
        let target = match relative {
            Some(target) => target,
            None => self.target(&point, place)?,
        };
        let kind = match word {
            "MOVJ" => MoveKind::Joint,
            "MOVC" => match std::mem::replace(&mut self.way.state.arc, Arc::None) {
                Arc::None => {
                    self.way.state.arc = Arc::First;
                    MoveKind::Linear
                }
                Arc::First => {
                    self.way.state.arc = Arc::Via(Box::new((target, tool)));
                    return if tags.until {
                        Err(Fault::new(place, "an arc that may end early is not read"))
                    } else {
                        Ok(())
                    };
                }
                Arc::Via(via) if via.1 == tool => {
                    let (via, _) = *via;
                    let arc = ArcPoints {
                        via: &via,
                        end: &target,
                        tool: &tool,
                    };
                    let tube = self.way.options.orientation_tube;
                    note_turning(&mut self.way.record, self.way.controller, &arc, tube, place);
                    self.way.state.arc = Arc::Third;
                    MoveKind::Circular {
                        via,
                        turning: ArcTurning::Still,
                    }
                }
                Arc::Via(..) => {
                    let reason = "the points of an arc are taught with different tools";
                    return Err(Fault::new(place, reason));
                }
                Arc::Third => {
                    let reason =
                        "more than three MOVC in a row: which arc goes through them is not known";
                    return Err(Fault::new(place, reason));
                }
            },
            _ => MoveKind::Linear,
        };
        self.way.record.move_to(Move {
            kind,
            target,
            tool,
            zone: tags.zone,
            speed: tags.speed,
            label,
            routine: job.name.clone(),
            place: place.clone(),
        });
        if tags.until {
            Err(Fault::new(
                place,
                "the move may end before its end is reached (UNTIL): where the arm is afterwards is not known",
            ))
        } else {
            Ok(())
        }
    }

    /// Another instruction comes: an arc that was begun has to be whole.
    pub(super) fn end_arc(&mut self, place: &Location) -> Result<(), Fault> {
        self.is_whole(place)?;
        self.way.state.arc = Arc::None;
        Ok(())
    }

    /// The job goes on elsewhere: whether an arc that was begun does so, too, is not certain.
    pub(super) fn is_whole(&self, place: &Location) -> Result<(), Fault> {
        match self.way.state.arc {
            Arc::None | Arc::Third => Ok(()),
            Arc::First | Arc::Via(..) => Err(Fault::new(place, "an arc needs three MOVC in a row")),
        }
    }

    /// Positions of stations and carriages: they have to be the same in every move.
    fn others(
        &mut self,
        job: &InformJob,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(), Fault> {
        while cursor.peek_word().starts_with(['B', 'E', 'C', 'P']) {
            let Some(Operand::Point(kind, number)) = self.operand(cursor, place)? else {
                break;
            };
            let carries = matches!(kind, PointKind::BaseStep | PointKind::BaseVariable);
            if matches!(kind, PointKind::Step | PointKind::Variable) {
                return Err(Fault::new(place, "a move has several positions of the arm"));
            }
            let point = self.point(job, kind, number, place)?;
            let values = match point.data {
                Ok(PointData::Pulses(values)) => values,
                Ok(PointData::Pose { .. }) => {
                    return Err(Fault::new(
                        place,
                        "an axis beside the arm is stated as a pose",
                    ));
                }
                Err(why) => return Err(Fault::new(place, why.reason.clone())),
            };
            let (stands, what) = if carries {
                (
                    &mut self.way.state.external_axes.carrier,
                    "what carries the arm",
                )
            } else {
                (&mut self.way.state.external_axes.station, "a station")
            };
            if *stands.get_or_insert_with(|| values.clone()) != values {
                return Err(Fault::new(place, format!("{what} moves at the same time")));
            }
        }
        Ok(())
    }

    fn tags(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<Tags, Fault> {
        let mut tags = Tags {
            // Without a level the controller's own counts.
            zone: Zone::Unknown,
            speed: Speed::Unknown,
            until: false,
            frame: None,
        };
        let mut met: Vec<String> = Vec::new();
        let mut cuts = false;
        while !cursor.is_done() {
            let word = cursor.word().to_owned();
            if met.contains(&word) {
                return Err(Fault::new(place, format!("`{word}` is given twice")));
            }
            let mut value = |interpreter: &mut Self| {
                if cursor.eat("=") {
                    interpreter.value(cursor, place)?.number(place)
                } else {
                    Err(Fault::new(place, format!("`{word}` has no value")))
                }
            };
            match word.as_str() {
                "VJ" => tags.speed = speed(value(self)?.ok(), |v| Speed::Share(v / 100.0)),
                "V" => tags.speed = speed(value(self)?.ok(), |v| Speed::Tool(v / 1e3)),
                "VR" | "VE" | "ACC" | "DEC" => _ = value(self)?,
                "PL" => match value(self)? {
                    Ok(0.0) => tags.zone = Zone::Stop,
                    Ok(level) if (1.0..=8.0).contains(&level) && level.fract() == 0.0 => {}
                    Ok(level) => {
                        let reason = format!("{level} is not a level of positioning");
                        return Err(Fault::new(place, reason));
                    }
                    Err(_) => {}
                },
                // The radius of the arc that cuts the corner: it begins farther away than that in
                // sharp corners.
                "CR" => {
                    _ = value(self)?;
                    cuts = true;
                }
                "NWAIT" => {}
                "RF" | "BF" | "TF" if tags.frame.is_none() => tags.frame = Some(word.clone()),
                "UF" if tags.frame.is_none() && cursor.eat("#") && cursor.eat("(") => {
                    match (cursor.index(), cursor.eat(")")) {
                        (Some(number), true) => tags.frame = Some(number.to_string()),
                        _ => return Err(Fault::new(place, "a user frame has no number")),
                    }
                }
                "UNTIL" => {
                    tags.until = true;
                    cursor.until(|_| false);
                }
                "" if cursor.eat("+") => {
                    return Err(Fault::new(place, "another group moves at the same time"));
                }
                _ => {
                    let unread = cursor.or_rest(&word);
                    let reason = format!("`{unread}` of a move is not understood");
                    return Err(Fault::new(place, reason));
                }
            }
            met.push(word);
        }
        // What counts beside `PL=0` is not certain.
        if cuts {
            tags.zone = Zone::Unknown;
        }
        Ok(tags)
    }

    /// The tool of a position. Joint moves to joint values are the same with every tool.
    fn tool(
        &mut self,
        point: &InformPoint,
        straight: bool,
        place: &Location,
    ) -> Result<Frame, Fault> {
        let mut flange =
            (self.way.controller.flange(Some("tool0"))).map_err(|r| Fault::new(place, r))?;
        let found = point.tool.clone().map_err(|why| why.reason.clone());
        let found = found.and_then(|number| {
            let listed = || self.backup.tools.get(&number).map(pose);
            let tool = self.way.controller.tool(&number.to_string()).or_else(listed);
            tool.ok_or_else(|| {
                format!(
                    "TOOL {number} is in no job; name the controller's TOOL.CND in `files`, or write `tools = {{ {number} = {{ xyz = […], rpy = […] }} }}` in the robot's `controller`"
                )
            })
        });
        match found {
            Ok(tool) => flange.link_from_frame *= tool,
            Err(_) if !straight && matches!(point.data, Ok(PointData::Pulses(_))) => {}
            // The end is known all the same.
            Err(reason) if matches!(point.data, Ok(PointData::Pulses(_))) => {
                self.way.record.unknown(Fault::new(place, reason));
            }
            Err(reason) => return Err(Fault::new(place, reason)),
        }
        Ok(flange)
    }

    fn target(&self, point: &InformPoint, place: &Location) -> Result<Target, Fault> {
        let fail = |reason: String| Fault::new(place, reason);
        let data = (point.data.clone())
            .map_err(|why| fail(format!("the position is not known: {}", why.reason)))?;
        match data {
            PointData::Pulses(values) => {
                let joints = self.way.controller.to_urdf(&values, JointUnit::Pulses);
                Ok(Target::Joints(joints.map_err(fail)?))
            }
            PointData::Pose { values, user, arm } => {
                let frame = match user {
                    None => self.way.controller.base(None).map_err(fail)?,
                    Some(number) => self.user(number, place)?,
                };
                let configuration = self.configuration(&arm).map_err(fail)?;
                Ok(Target::Pose {
                    frame,
                    frame_from_tool: pose(&values),
                    branch: Branch::Configuration(configuration),
                })
            }
        }
    }

    fn user(&self, number: u32, place: &Location) -> Result<Frame, Fault> {
        let fail = |reason: String| Fault::new(place, reason);
        let mut number = number;
        // From the frame that is asked for to the one that no other one holds.
        let mut chain: Vec<(u32, Isometry3<f64>)> = Vec::new();
        let mut frame = loop {
            if let Some(frame) = self.way.controller.frame(&number.to_string()) {
                break frame.clone();
            }
            if chain.iter().any(|(passed, _)| *passed == number) {
                let reason = format!("USER {number} counts from itself (BASICFRM in UFRAME.CND)");
                return Err(fail(reason));
            }
            let listed = self.backup.frames.get(&number).ok_or_else(|| {
                let from = chain.last().map_or_else(String::new, |(of, _)| {
                    format!(", from which USER {of} counts,")
                });
                fail(format!(
                    "USER {number}{from} is in no job; name the controller's UFRAME.CND in `files`, or write `frames = {{ {number} = {{ xyz = […], rpy = […] }} }}` in the robot's `controller`"
                ))
            })?;
            let listed = listed.as_ref().map_err(|why| fail(why.clone()))?;
            chain.push((number, pose(&listed.values)));
            match listed.counts_from {
                Some(from) => number = from,
                None if self.way.state.on_carriage => {
                    return Err(fail(format!(
                        "USER {number} of the controller's list counts from the foot of the carriage, and where the arm stands on it is not said; write `frames = {{ {number} = {{ xyz = […], rpy = […] }} }}` in the robot's `controller`"
                    )));
                }
                None => break self.way.controller.base(None).map_err(fail)?,
            }
        };
        for (_, from_next) in chain.iter().rev() {
            frame.link_from_frame *= from_next;
        }
        Ok(frame)
    }

    /// The configuration that `RCONF` states. Its first number, for the wrist, is not used: it is
    /// not certain which side it means.
    fn configuration(&self, arm: &[f64]) -> Result<Configuration, String> {
        let side = |k: usize| match arm.get(k) {
            Some(0.0) => Ok(true),
            Some(1.0) => Ok(false),
            _ => Err("RCONF has a number that is neither 0 nor 1".to_owned()),
        };
        side(0)?;
        if !self.way.controller.states_joints() {
            return Err(format!(
                "which joints are S, L, U, R, B and T is not said; {}",
                self.way.controller.joints_to_write("inform")
            ));
        }
        let mut found = Configuration {
            elbow_up: Some(side(1)?),
            in_front: Some(side(2)?),
            ranges: Vec::new(),
        };
        for (k, joint) in [(3, 3), (4, 5), (5, 0)] {
            if !side(k)? {
                return Err("RCONF states an axis that is half a turn or more from zero, and not on which side; teach the position in pulses".to_owned());
            }
            found
                .ranges
                .push(range(self.way.controller, joint, -180.0, 180.0)?);
        }
        self.way.controller.of_model(found, AT_ZERO)
    }

    /// Where an incremental move ends.
    fn increment(
        &mut self,
        point: &InformPoint,
        frame: &str,
        place: &Location,
    ) -> Result<Target, Fault> {
        let fail = |reason: String| Fault::new(place, reason);
        let Ok(PointData::Pose { values, .. }) = &point.data else {
            return Err(fail(
                "an incremental move needs a position in RECTAN".to_owned(),
            ));
        };
        let [x, y, z, turns @ ..] = *values;
        if turns != [0.0; 3] {
            return Err(fail(
                "an incremental move that turns the tool is not read".to_owned(),
            ));
        }
        let tool = self.tool(point, true, place)?;
        let stated = match frame.parse() {
            Ok(number) => self.user(number, place)?,
            Err(_) => self.way.controller.base(None).map_err(fail)?,
        };
        let moves = self.way.record.moves();
        let now = here(self.way.controller, moves, &tool, &stated).map_err(fail)?;
        let by = Isometry3::from(Translation3::new(x / 1e3, y / 1e3, z / 1e3));
        let frame_from_tool = match frame {
            "TF" => now * by,
            _ => by * now,
        };
        Ok(Target::Pose {
            frame: stated,
            frame_from_tool,
            branch: Branch::Continued,
        })
    }
}

fn speed(value: Option<f64>, make: impl Fn(f64) -> Speed) -> Speed {
    value.filter(|v| *v > 0.0).map_or(Speed::Unknown, make)
}
