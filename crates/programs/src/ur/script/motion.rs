//! The statements of URScript that move the arm, and what they need: tools, targets, corners.

use nalgebra::Isometry3;

use clearance_proof::model::moves::{
    ArcTurning, Branch, Frame, Move, MoveKind, Speed, Target, Zone,
};
use clearance_proof::report::Location;

use super::super::poses;
use super::interpreter::{ScriptInterpreter, named_last};
use super::syntax::{ScriptArgument, ScriptCall, ScriptExpression};
use crate::block::arm::too_many;
use crate::controller::JointUnit;
use crate::most_moves::too_many_moves;
use crate::value::{Fault, Known, Value};

/// Fields of the joint values that inverse kinematics give, which are found only when the motion is
/// made.
const IK_POSE: &str = "pose";
const IK_TOOL: &str = "tool";
const IK_NEAR: &str = "near";
const IK_MOVES: &str = "moves";

/// Where a move ends, and the tool that is meant by it.
struct Aim {
    target: Target,
    /// The tool in the flange; none where the target needs none and it is not known.
    tool: Option<Isometry3<f64>>,
}

impl ScriptInterpreter<'_> {
    pub(super) fn motion(&mut self, call: &ScriptCall, place: &Location) -> Result<Value, Fault> {
        let name = &*call.name;
        let (wanted, optional): (&[&str], &[&str]) = match name {
            "movej" => (&["q"], &["a", "v", "t", "r"]),
            "movel" => (&["pose"], &["a", "v", "t", "r"]),
            "movep" => (&["pose"], &["a", "v", "r"]),
            _ => (&["pose_via", "pose_to"], &["a", "v", "r", "mode"]),
        };
        self.asks_in_order(call, place)?;
        let given = Given::new(call, wanted, optional, place)?;
        let joint = name == "movej";
        self.tools.borrow_mut().add(&self.tool);
        let target = given.expression(wanted[wanted.len() - 1]);
        let target = target.ok_or_else(|| Fault::new(place, format!("`{name}` has no target")))?;
        let aim = self.aim(target, joint, place)?;
        let kind = match name {
            "movej" => MoveKind::Joint,
            "movec" => {
                if let Some(mode) = given.expression("mode")
                    && self.value(mode, place)? != Value::Number(0.0)
                {
                    return Err(Fault::new(
                        place,
                        "a `movec` that turns the tool with the arc (`mode=1`) is not read",
                    ));
                }
                let via = given.expression("pose_via");
                let via = via.ok_or_else(|| Fault::new(place, "`movec` has no via point"))?;
                MoveKind::Circular {
                    via: self.aim(via, false, place)?.target,
                    turning: ArcTurning::Still,
                }
            }
            _ => MoveKind::Linear,
        };
        let mut number = |of: &str| -> Result<Option<Known<f64>>, Fault> {
            match given.expression(of) {
                Some(value) => Ok(Some(self.value(value, place)?.number(place)?)),
                None => Ok(None),
            }
        };
        let radius = number("r")?.unwrap_or(Ok(0.0));
        let (duration, speed) = (number("t")?, number("v")?);
        let radius = match radius {
            Ok(r) if r < 0.0 => return Err(Fault::new(place, "a corner has a radius below 0")),
            Ok(r) => r,
            Err(_) => f64::INFINITY,
        };
        let rounds = radius != 0.0 || self.radii.last().is_some_and(|r| *r != 0.0);
        if let (true, Err(why)) = (rounds, &self.tool) {
            // The corners at both ends are as large as the way of the tool has it.
            self.record.unknown(Fault::new(place, why.reason.clone()));
        }
        let zone = match radius {
            0.0 => Zone::Stop,
            r if !r.is_finite() => Zone::Unknown,
            // Nothing keeps it to half of the way. A corner of a joint move is rounded in joint
            // space, where its radius says only how far it goes at least.
            r => Zone::Ball(r),
        };
        let speed = match (duration, speed) {
            (Some(Ok(t)), _) if t > 0.0 => Speed::Duration(t),
            (None | Some(Ok(_)), Some(Ok(v))) if v > 0.0 => {
                if joint {
                    Speed::Joint(v)
                } else {
                    Speed::Tool(v)
                }
            }
            _ => Speed::Unknown,
        };
        let label = target.first_name().unwrap_or_default();
        let label = (label.strip_suffix("_p").or(label.strip_suffix("_q"))).unwrap_or(label);
        let tool = aim.tool.unwrap_or_else(Isometry3::identity);
        let flange = self.flange.clone().map_err(|r| Fault::new(place, r))?;
        if !self.record.is_lost() {
            self.radii.push(radius);
        }
        self.record.move_to(Move {
            kind,
            target: aim.target,
            tool: Frame {
                link_from_frame: flange.link_from_frame * tool,
                link: flange.link,
            },
            zone,
            speed,
            label: label.to_owned(),
            routine: self
                .routines
                .last()
                .map_or(String::new(), |name| name.to_string()),
            place: place.clone(),
        });
        if too_many(self.record.moves()) {
            return Err(Fault::new(place, too_many_moves(self.record.moves().len())));
        }
        Ok(Value::unknown(place, format!("`{name}` returns nothing")))
    }

    /// Arguments are asked for in an order of our own, and not all of them: only the first may do
    /// more than to compute.
    fn asks_in_order(&self, call: &ScriptCall, place: &Location) -> Result<(), Fault> {
        if call.arguments.iter().skip(1).any(|a| self.acts(&a.value)) {
            let reason = format!("an argument of `{}` does more than to compute", call.name);
            return Err(Fault::new(place, reason));
        }
        Ok(())
    }

    pub(super) fn set_tool(&mut self, call: &ScriptCall, place: &Location) -> Result<Value, Fault> {
        // The second argument is a name for the eye.
        self.asks_in_order(call, place)?;
        let given = Given::new(call, &["pose"], &["tcp_name"], place)?;
        let pose = given.expression("pose");
        let pose = pose.ok_or_else(|| Fault::new(place, "`set_tcp` has no pose"))?;
        let read = self.value(pose, place);
        let read = read.and_then(|value| poses::read(&value, place));
        self.tools.borrow_mut().set(&read, place);
        self.tool = read?;
        Ok(Value::unknown(place, "`set_tcp` returns nothing"))
    }

    fn aim(
        &mut self,
        target: &ScriptExpression,
        joint: bool,
        place: &Location,
    ) -> Result<Aim, Fault> {
        let value = self.value(target, place)?;
        let fail = |reason: String| Fault::new(place, reason);
        match &value {
            Value::Unknown(why) => Err(fail(unknown_target(why))),
            Value::Array(_) => {
                let joints = self.joints(&value, place)?;
                if joint {
                    return Ok(Aim {
                        target: Target::Joints(joints),
                        tool: self.tool.clone().ok(),
                    });
                }
                // The end of a line is where the tool is at these joint values.
                let (base, tool) = (self.base(place)?, self.tool(place)?);
                let frame = self.tool_frame(&tool, place)?;
                let pose = self.controller.pose(&joints, &frame, &base).map_err(fail)?;
                self.at(&pose, tool, Branch::Continued, place)
            }
            Value::Pose(_) => {
                let tool = self.tool(place)?;
                let pose = poses::read(&value, place)?;
                let pose = pose.map_err(|why| fail(unknown_target(&why)))?;
                let branch = if joint {
                    Branch::NearestToStart
                } else {
                    Branch::Continued
                };
                self.at(&pose, tool, branch, place)
            }
            Value::Record(fields) if fields.contains_key(IK_POSE) => {
                let part = |name: &str| {
                    let known = poses::read(&fields[name], place)?;
                    known.map_err(|why| fail(unknown_target(&why)))
                };
                let (mut pose, mut tool) = (part(IK_POSE)?, part(IK_TOOL)?);
                // A line is that of the tool that counts, and a corner is rounded about it, whichever
                // tool was meant by the pose.
                match self.tool(place) {
                    Ok(active) if active != tool => {
                        pose = pose * tool.inverse() * active;
                        tool = active;
                    }
                    // The joint values do not depend on it; a corner does, and is told.
                    Err(_) if joint => {}
                    known => _ = known?,
                }
                let branch = match fields.get(IK_NEAR) {
                    _ if !joint => Branch::Continued,
                    Some(near) => Branch::NearestTo(self.joints(near, place)?),
                    None if fields.get(IK_MOVES) == Some(&self.moves()) => Branch::NearestToStart,
                    None => {
                        return Err(fail(
                            "`get_inverse_kin` without `qnear` was asked from another place".into(),
                        ));
                    }
                };
                self.at(&pose, tool, branch, place)
            }
            other => Err(fail(format!("{} is not a target", other.kind()))),
        }
    }

    fn at(
        &self,
        pose: &Isometry3<f64>,
        tool: Isometry3<f64>,
        branch: Branch,
        place: &Location,
    ) -> Result<Aim, Fault> {
        let frame = (self.base.clone()).map_err(|reason| Fault::new(place, reason))?;
        Ok(Aim {
            target: Target::Pose {
                frame,
                frame_from_tool: *pose,
                branch,
            },
            tool: Some(tool),
        })
    }

    fn moves(&self) -> Value {
        Value::Number(self.record.moves().len() as f64)
    }

    fn base(&self, place: &Location) -> Result<Frame, Fault> {
        self.base.clone().map_err(|r| Fault::new(place, r))
    }

    /// The tool that counts here.
    fn tool(&self, place: &Location) -> Result<Isometry3<f64>, Fault> {
        self.tool
            .clone()
            .map_err(|why| Fault::new(place, why.reason.clone()))
    }

    fn tool_frame(&self, tool: &Isometry3<f64>, place: &Location) -> Result<Frame, Fault> {
        let flange = (self.flange.clone()).map_err(|r| Fault::new(place, r))?;
        Ok(Frame {
            link_from_frame: flange.link_from_frame * tool,
            link: flange.link,
        })
    }

    /// Joint values of the URDF.
    fn joints(&self, value: &Value, place: &Location) -> Result<Vec<f64>, Fault> {
        let list = match value {
            Value::Array(_) => value.list(place)?,
            other => {
                let reason = format!("{} stands where joint values are needed", other.kind());
                return Err(Fault::new(place, reason));
            }
        };
        let list = list.map_err(|why| Fault::new(place, unknown_target(&why)))?;
        (self.controller.to_urdf(&list, JointUnit::Radians)).map_err(|r| Fault::new(place, r))
    }

    pub(super) fn kinematics(
        &mut self,
        call: &ScriptCall,
        place: &Location,
    ) -> Result<Value, Fault> {
        let mut fields = std::collections::BTreeMap::new();
        self.asks_in_order(call, place)?;
        let given = match &*call.name {
            "get_forward_kin" => Given::new(call, &["q"], &["tcp"], place)?,
            _ => Given::new(
                call,
                &["x"],
                &["qnear", "maxPositionError", "maxOrientationError", "tcp"],
                place,
            )?,
        };
        let tool = match given.expression("tcp") {
            Some(tool) => self.value(tool, place)?,
            None => match &self.tool {
                Ok(tool) => poses::value(tool, place),
                Err(why) => Value::Unknown(why.clone()),
            },
        };
        let tool = match tool {
            Value::Pose(_) => tool,
            Value::Unknown(why) => return Ok(Value::Unknown(why)),
            _ => return Ok(Value::unknown(place, "a tool by its name is not read")),
        };
        if &*call.name == "get_forward_kin" {
            let Some(joints) = given.expression("q") else {
                return Ok(Value::unknown(place, "where the arm is, is not asked for"));
            };
            let joints = self.value(joints, place)?;
            if let Some(why) = joints.first_unknown() {
                return Ok(Value::Unknown(why.clone()));
            }
            let joints = self.joints(&joints, place)?;
            let tool = match poses::read(&tool, place)? {
                Ok(tool) => self.tool_frame(&tool, place)?,
                Err(why) => return Ok(Value::Unknown(why)),
            };
            let pose = self.controller.pose(&joints, &tool, &self.base(place)?);
            return Ok(match pose {
                Ok(pose) => poses::value(&pose, place),
                Err(reason) => Value::unknown(place, reason),
            });
        }
        let Some(pose) = given.expression("x") else {
            return Err(Fault::new(place, "`get_inverse_kin` has no pose"));
        };
        let pose = match self.value(pose, place)? {
            Value::Unknown(why) => return Ok(Value::Unknown(why)),
            pose => pose,
        };
        fields.insert(IK_POSE.into(), pose);
        fields.insert(IK_TOOL.into(), tool);
        let near = given.expression("qnear");
        // Without it the solution is the one near to where the arm is.
        if near.is_none() {
            fields.insert(IK_MOVES.into(), self.moves());
        }
        if let Some(near) = near {
            let near = match self.value(near, place)? {
                Value::Unknown(why) => {
                    let reason = format!(
                        "{}; leave `qnear` out, or give joint values that the solution is near to",
                        why.reason
                    );
                    Value::unknown(place, reason)
                }
                near => near,
            };
            fields.insert(IK_NEAR.into(), near);
        }
        Ok(Value::Record(fields))
    }

    /// Corners that are larger than the way between two points: a controller leaves out such a
    /// point, or stops.
    pub(super) fn overlapping(&mut self) {
        let (mut found, mut within_half) = (Vec::new(), Vec::new());
        let moves = self.record.moves();
        // Where the tool of a later move is at the end of this one.
        let position = |step: &Move, tool: &Frame| match &step.target {
            Target::Pose {
                frame_from_tool, ..
            } => {
                let from_tool = step.tool.link_from_frame.inverse() * tool.link_from_frame;
                let same = step.tool.link == tool.link;
                same.then(|| (frame_from_tool * from_tool).translation.vector)
            }
            Target::Joints(joints) => {
                let base = self.base.as_ref().ok()?;
                let pose = self.controller.pose(joints, tool, base).ok()?;
                Some(pose.translation.vector)
            }
        };
        // The way to the first point is one as well, where it is known from where.
        let start = self
            .controller
            .start()
            .zip(moves.first())
            .map(|(q, first)| Move {
                target: Target::Joints(q),
                zone: Zone::Stop,
                ..first.clone()
            });
        let start = start.iter().map(|start| (start, 0.0));
        let ends = moves.iter().zip(self.radii.iter().copied());
        let ends: Vec<(&Move, f64)> = start.chain(ends).collect();
        let starts = ends.len() - moves.len();
        let mut way_before = None;
        for (k, pair) in ends.windows(2).enumerate() {
            let [(before, r), (after, next)] = [pair[0], pair[1]];
            let apart = position(before, &after.tool)
                .zip(position(after, &after.tool))
                .map(|(a, b)| (a - b).norm());
            let ways = [way_before, apart];
            way_before = apart;
            if r == 0.0 && next == 0.0 {
                continue;
            }
            // Told where it ends the way; that of the first move may end none.
            if !next.is_finite() || !r.is_finite() && k == 0 {
                let at = if next.is_finite() { before } else { after };
                let reason = "the blend radius `r` of this move is not known: how far its corner goes is not known either";
                found.push(Fault::new(&at.place, reason));
            }
            if !next.is_finite() || !r.is_finite() {
                continue;
            }
            // From a line to a joint move the corner stays within its radius of the point.
            let is_half = |way: Option<f64>| way.is_some_and(|way| r <= 0.5 * way);
            if matches!(before.zone, Zone::Ball(_))
                && before.kind != MoveKind::Joint
                && after.kind == MoveKind::Joint
                && ways.into_iter().all(is_half)
            {
                within_half.push((k - starts, Zone::Radius(r)));
            }
            let fits = apart.is_some_and(|apart| r + next <= apart * (1.0 + 1e-12));
            // A corner in joint space is looked for on half of both ways.
            let in_joints = [(r, before), (next, after)].into_iter();
            let wide = in_joints
                .filter(|(_, at)| at.kind == MoveKind::Joint)
                .find(|&(r, _)| apart.is_some_and(|apart| r > 0.5 * apart));
            if let (true, Some((r, at))) = (fits, wide) {
                let reason = format!(
                    "the corner of a joint move, {r} m, is more than half of the way: where it begins in joint space is not known"
                );
                found.push(Fault::new(&at.place, reason));
            }
            if !fits {
                let reason = match apart {
                    Some(apart) => format!(
                        "the corners at its ends, {r} m and {next} m, overlap on {apart:.6} m: a controller may leave out a point",
                    ),
                    None => {
                        "the corners at its ends may overlap: a controller may leave out a point"
                            .to_owned()
                    }
                };
                found.push(Fault::new(&after.place, reason));
            }
        }
        for (k, zone) in within_half {
            self.record.set_zone(k, zone);
        }
        found
            .into_iter()
            .for_each(|fault| self.record.unknown(fault));
    }
}

fn unknown_target(why: &clearance_proof::model::moves::Unknown) -> String {
    let line = why
        .place
        .line
        .map_or(String::new(), |l| format!(" (line {l})"));
    format!("the target is not known: {}{line}", why.reason)
}

/// Arguments by the names of parameters.
struct Given<'g>(Vec<(&'g str, &'g ScriptExpression)>);

impl<'g> Given<'g> {
    fn new(
        call: &'g ScriptCall,
        wanted: &[&'g str],
        optional: &[&'g str],
        place: &Location,
    ) -> Result<Self, Fault> {
        named_last(call, place)?;
        let names: Vec<&str> = wanted.iter().chain(optional).copied().collect();
        let mut found: Vec<(&str, &ScriptExpression)> = Vec::new();
        for (k, ScriptArgument { name, value }) in call.arguments.iter().enumerate() {
            let name = match name {
                Some(name) => names.iter().find(|n| ***n == **name),
                None => names.get(k),
            };
            let Some(name) = name else {
                let told = value.as_text();
                let reason = format!("`{}` has no parameter for `{told}`", call.name);
                return Err(Fault::new(place, reason));
            };
            if found.iter().any(|(n, _)| n == name) {
                return Err(Fault::new(place, format!("`{name}` is given twice")));
            }
            found.push((name, value));
        }
        Ok(Self(found))
    }

    fn expression(&self, name: &str) -> Option<&'g ScriptExpression> {
        let found = self.0.iter().find(|(n, _)| *n == name);
        found.map(|(_, value)| *value)
    }
}
