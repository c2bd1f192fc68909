//! Programs of moves as `*.motion.json`: what post-processors write, and what `clearance convert`
//! prints.
//!
//! Units stand in the file and are never guessed. Frames and tools have names and links; a target
//! is joint values, or a pose with the branch of the arm that is meant.

mod lines;
mod text;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use clearance_proof::model::RigidError;
use clearance_proof::model::moves::{
    ArcTurning, Branch, Configuration, ConfigurationRange, Frame, Move, MoveKind, MoveProgram,
    Speed, Target, Unknown, Zone,
};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::json_words::json_words;
use crate::{ImportError, Location, Problem};
use text::{
    Angle, AssumedText, BranchText, DifferenceText, Kind, Length, MotionFile, MoveText, OnLink,
    PoseText, SpeedText, TargetText, TurningText, UnknownText, ZoneText,
};
pub use write::write;

/// Version of the format.
const VERSION: u32 = 1;
/// How far a quaternion's length may be from 1.
const UNIT: f64 = 1e-3;

/// Whether a file of this name is a program of moves.
pub fn is_motion(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.to_lowercase().ends_with(".motion.json")
}

/// The JSON schema of the format.
pub fn schema() -> String {
    let schema = schemars::schema_for!(MotionFile);
    format!("{:#}\n", schema.to_value())
}

/// Reads a program of moves.
///
/// # Errors
/// When it is none, or has a value that makes no sense.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<ImportedMoves, ImportError> {
    let text = super::text(path, bytes)?;
    let file: MotionFile = serde_json::from_str(text).map_err(|e| {
        let line = e.line().max(1);
        fail_at(
            path,
            Some(line),
            &json_words(&e),
            "`clearance schema motion` prints what a program of moves may hold",
        )
    })?;
    if file.clearance_motion != VERSION {
        return Err(fail(
            path,
            &format!(
                "version {} of the format is not known",
                file.clearance_motion
            ),
            "write `\"clearance_motion\": 1`",
        ));
    }
    let reader = Reader {
        path,
        file: &file,
        lines: lines::of_moves(text),
    };
    let program = reader.program()?;
    let assumed = (file.assumed.iter())
        .map(|assumed| assumption(assumed, path))
        .collect();
    Ok(ImportedMoves {
        program,
        unproved: file.unproved,
        assumed,
        slides: Some(file.slides),
        in_radians: matches!(file.units.angle, Angle::Rad),
    })
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedMoves {
    /// The program.
    pub program: MoveProgram,
    /// Whether nothing shows that joints, frames and tools are understood as the controller means
    /// them: neither the program nor the cell has joint values and pose of the same point.
    pub unproved: bool,
    /// What is taken for granted, and could be otherwise.
    pub assumed: Vec<Assumption>,
    /// Joints whose values are lengths. Whether they are those that slide, only the robot can tell.
    /// `None`: values are in radians or metres, as each joint needs it.
    pub slides: Option<Vec<String>>,
    /// Whether its joint values are written in radians, so that somebody may have written degrees.
    pub in_radians: bool,
}

/// Something that a program leaves open, and that its verdict takes for granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption {
    /// Where it is left open.
    pub place: Location,
    /// What is taken for granted, and what to do about it.
    pub message: String,
    /// Whether the files that were read show that it may be otherwise.
    pub contradicted: bool,
}

fn assumption(assumed: &AssumedText, path: &Path) -> Assumption {
    Assumption {
        place: place(&assumed.file, assumed.line, path),
        message: assumed.message.clone(),
        contradicted: assumed.contradicted,
    }
}

/// A place in the file that a file of moves was made from, or in itself.
fn place(file: &Option<String>, line: Option<usize>, own: &Path) -> Location {
    Location {
        file: file.clone().unwrap_or_else(|| own.display().to_string()),
        line,
        column: None,
    }
}

struct Reader<'r> {
    path: &'r Path,
    file: &'r MotionFile,
    /// Where the moves begin.
    lines: Vec<usize>,
}

impl Reader<'_> {
    fn length(&self) -> f64 {
        match self.file.units.length {
            Length::Mm => 1e-3,
            Length::M => 1.0,
        }
    }

    fn angle(&self) -> f64 {
        match self.file.units.angle {
            Angle::Deg => std::f64::consts::PI / 180.0,
            Angle::Rad => 1.0,
        }
    }

    fn program(&self) -> Result<MoveProgram, ImportError> {
        let file = self.file;
        let start = file.start.as_ref();
        let start = start.map(|q| self.values(q, "start")).transpose()?;
        let moves = file.moves.iter().enumerate();
        let moves = moves.map(|(n, m)| self.step(m, n));
        Ok(MoveProgram {
            source: self.path.to_owned(),
            name: file.name.clone(),
            robot: file.robot.clone(),
            joints: file.joints.clone(),
            start,
            model_difference: self.model_difference()?,
            moves: moves.collect::<Result<_, _>>()?,
            goes_round: file.goes_round,
            turn_lead: self.turn_lead()?,
            unknown: file.unknown.iter().map(|u| self.unknown(u)).collect(),
            passed_over: Vec::new(),
        })
    }

    fn model_difference(&self) -> Result<RigidError, ImportError> {
        let Some(DifferenceText { xyz, angle }) = self.file.model_difference else {
            return Ok(RigidError::default());
        };
        let off = RigidError {
            shift_m: xyz * self.length(),
            turn_rad: angle * self.angle(),
        };
        let possible = |x: f64| x >= 0.0 && x.is_finite();
        if possible(off.shift_m) && possible(off.turn_rad) {
            Ok(off)
        } else {
            Err(fail(
                self.path,
                "`beside_model` is not a length and an angle",
                "write a length and an angle of 0 or more",
            ))
        }
    }

    fn turn_lead(&self) -> Result<f64, ImportError> {
        let share = self.file.turn_lead;
        if (0.0..=1.0).contains(&share) {
            return Ok(share);
        }
        Err(fail(
            self.path,
            &format!("`turn_lead` is {share}"),
            "write a share, from 0 to 1",
        ))
    }

    fn unknown(&self, unknown: &UnknownText) -> Unknown {
        Unknown {
            place: place(&unknown.file, unknown.line, self.path),
            reason: unknown.reason.clone(),
        }
    }

    fn step(&self, step: &MoveText, number: usize) -> Result<Move, ImportError> {
        let which = &*format!("move {}", number + 1);
        let via = step.via.as_ref();
        let via = via
            .map(|t| self.target(t, &format!("{which}, via"), true))
            .transpose()?;
        let kind = match (step.kind, via) {
            (Kind::Circular, Some(via)) => MoveKind::Circular {
                via,
                turning: match step.turning {
                    None | Some(TurningText::Still) => ArcTurning::Still,
                    Some(TurningText::Along) => ArcTurning::Along,
                },
            },
            (Kind::Circular, None) => {
                return Err(fail(
                    self.path,
                    &format!("{which}: an arc needs a point on its way"),
                    "give `via`",
                ));
            }
            (_, Some(_)) => {
                return Err(fail(
                    self.path,
                    &format!("{which}: only an arc has a `via`"),
                    "leave it out, or write `circular`",
                ));
            }
            (Kind::Joint, None) => MoveKind::Joint,
            (Kind::Linear, None) => MoveKind::Linear,
        };
        if step.turning.is_some() && step.kind != Kind::Circular {
            return Err(fail(
                self.path,
                &format!("{which}: only an arc has a `turning`"),
                "leave it out, or write `circular`",
            ));
        }
        let positive = |x: f64, what: &str| {
            if x.is_finite() && x >= 0.0 {
                Ok(x)
            } else {
                Err(fail(
                    self.path,
                    &format!("{which}: {what} is {x}"),
                    "give a number that is not negative",
                ))
            }
        };
        let share = |x: f64| match positive(x, "the speed")? {
            x if x <= 1.0 => Ok(x),
            x => Err(fail(
                self.path,
                &format!("{which}: the share of the greatest speed is {x}"),
                "give a number from 0 to 1: 25 % is 0.25",
            )),
        };
        Ok(Move {
            kind,
            target: self.target(&step.to, which, false)?,
            tool: self.tool(step, which)?,
            zone: match step.zone {
                ZoneText::Stop => Zone::Stop,
                ZoneText::Unknown => Zone::Unknown,
                ZoneText::Radius(r) => {
                    Zone::Radius(positive(r, "the zone's radius")? * self.length())
                }
                ZoneText::Ball(r) => Zone::Ball(positive(r, "the zone's radius")? * self.length()),
            },
            speed: match step.speed {
                None => Speed::Unknown,
                Some(SpeedText::Tool(v)) => Speed::Tool(positive(v, "the speed")? * self.length()),
                Some(SpeedText::Joint(v)) => Speed::Joint(positive(v, "the speed")? * self.angle()),
                Some(SpeedText::Share(v)) => Speed::Share(share(v)?),
                Some(SpeedText::Seconds(t)) => Speed::Duration(positive(t, "the duration")?),
            },
            label: label(step),
            routine: step.routine.clone(),
            place: match &step.file {
                Some(_) => place(&step.file, step.line, self.path),
                None => Location::at(self.path, self.lines.get(number).copied(), None),
            },
        })
    }

    fn tool(&self, step: &MoveText, which: &str) -> Result<Frame, ImportError> {
        match &step.tool {
            Some(name) => self.frame(&self.file.tools, name, "tool", which),
            None if step.kind == Kind::Joint
                && step.to.joints.is_some()
                && matches!(step.zone, ZoneText::Stop) =>
            {
                Ok(Frame {
                    link: String::new(),
                    link_from_frame: Isometry3::identity(),
                })
            }
            None => Err(fail(
                self.path,
                &format!("{which}: the tool is not stated"),
                "give `tool`; only joint moves to joint values that stop there need none",
            )),
        }
    }

    /// `only_place`: of a point of an arc the branch does not count.
    fn target(&self, t: &TargetText, which: &str, only_place: bool) -> Result<Target, ImportError> {
        let fail = |problem: &str, remedy: &str| {
            Err(fail(self.path, &format!("{which}: {problem}"), remedy))
        };
        let (pose, name) = match (&t.joints, &t.pose, &t.frame, &t.branch) {
            (Some(q), None, None, None) => return Ok(Target::Joints(self.values(q, which)?)),
            (None, Some(pose), Some(frame), _) => (pose, frame),
            (None, Some(_), None, _) => {
                return fail("the pose's frame is not stated", "give `frame`");
            }
            (Some(_), ..) => {
                return fail(
                    "joint values have neither pose, frame nor branch",
                    "leave one out",
                );
            }
            (None, None, ..) => {
                return fail("there is no target", "give `joints`, or `pose` and `frame`");
            }
        };
        let branch = match &t.branch {
            None if only_place => Branch::Continued,
            None => {
                return fail(
                    "it is not said which of the arm's configurations is meant",
                    "give `branch`: \"continued\", \"nearest\", {\"near\": [..]} or {\"configuration\": {..}}",
                );
            }
            Some(BranchText::Continued) => Branch::Continued,
            Some(BranchText::Nearest) => Branch::NearestToStart,
            Some(BranchText::Near(q)) => Branch::NearestTo(self.values(q, which)?),
            Some(BranchText::Configuration(c)) => {
                let mut ranges = Vec::new();
                for (name, [from, to]) in &c.ranges {
                    let Some(joint) = self.file.joints.iter().position(|j| j == name) else {
                        return fail(
                            &format!("`{name}` is not one of its joints"),
                            "name one of `joints`",
                        );
                    };
                    ranges.push(ConfigurationRange {
                        joint,
                        from: from * self.angle(),
                        to: to * self.angle(),
                    });
                }
                Branch::Configuration(Configuration {
                    in_front: c.in_front,
                    elbow_up: c.elbow_up,
                    ranges,
                })
            }
        };
        Ok(Target::Pose {
            frame: self.frame(&self.file.frames, name, "frame", which)?,
            frame_from_tool: self.pose(pose, which)?,
            branch,
        })
    }

    fn frame(
        &self,
        known: &BTreeMap<String, OnLink>,
        name: &str,
        what: &str,
        which: &str,
    ) -> Result<Frame, ImportError> {
        let Some(on) = known.get(name) else {
            return Err(fail(
                self.path,
                &format!("{which}: there is no {what} `{name}`"),
                &format!("state it in `{what}s`"),
            ));
        };
        Ok(Frame {
            link: on.link.clone(),
            link_from_frame: self.pose(&on.pose, &format!("{what} `{name}`"))?,
        })
    }

    /// Values of joints, in SI units.
    fn values(&self, q: &[f64], which: &str) -> Result<Vec<f64>, ImportError> {
        if q.len() != self.file.joints.len() {
            return Err(fail(
                self.path,
                &format!(
                    "{which}: {} values for {} joints",
                    q.len(),
                    self.file.joints.len()
                ),
                "give one value for each of `joints`",
            ));
        }
        let unit = |name: &String| {
            if self.file.slides.contains(name) {
                self.length()
            } else {
                self.angle()
            }
        };
        let joints = self.file.joints.iter();
        Ok(q.iter()
            .zip(joints)
            .map(|(x, name)| x * unit(name))
            .collect())
    }

    fn pose(&self, p: &PoseText, which: &str) -> Result<Isometry3<f64>, ImportError> {
        let fail = |problem: &str, remedy: &str| {
            Err(fail(self.path, &format!("{which}: {problem}"), remedy))
        };
        let angle = self.angle();
        let rotation = match (p.rpy, p.rotvec, p.quaternion) {
            (None, None, None) => UnitQuaternion::identity(),
            (Some([r, p, y]), None, None) => {
                UnitQuaternion::from_euler_angles(r * angle, p * angle, y * angle)
            }
            (None, Some(v), None) => UnitQuaternion::from_scaled_axis(Vector3::from(v) * angle),
            (None, None, Some(q)) => {
                let q = Quaternion::new(q.w, q.x, q.y, q.z);
                let is_unit = (q.norm() - 1.0).abs() < UNIT;
                if !is_unit {
                    return fail("the quaternion is not of length 1", "look at its numbers");
                }
                UnitQuaternion::from_quaternion(q)
            }
            _ => {
                return fail(
                    "the orientation is stated twice",
                    "give one of `rpy`, `rotvec`, `quaternion`",
                );
            }
        };
        let place = Vector3::from(p.xyz) * self.length();
        let numbers = place.iter().chain(rotation.coords.iter());
        if numbers.into_iter().any(|x| !x.is_finite() || x.abs() > 1e6) {
            return fail(
                "the pose has a number that makes no sense",
                "look at its numbers and units",
            );
        }
        Ok(Isometry3::from_parts(Translation3::from(place), rotation))
    }
}

/// What reports call the end of a move. A line of a file that is not named is no place that anybody
/// could open, so it stands here.
fn label(step: &MoveText) -> String {
    match (&*step.label, &step.file, step.line) {
        ("", None, Some(line)) => format!("line {line}"),
        (label, None, Some(line)) => format!("{label}, line {line}"),
        (label, ..) => label.to_owned(),
    }
}

fn fail(path: &Path, cause: &str, remedy: &str) -> ImportError {
    fail_at(path, None, cause, remedy)
}

fn fail_at(path: &Path, line: Option<usize>, cause: &str, remedy: &str) -> ImportError {
    let problem = Problem::Syntax {
        cause: cause.to_owned(),
        remedy: remedy.to_owned(),
    };
    match line {
        Some(line) => ImportError {
            place: Location::at(path, line, None),
            ..ImportError::file(path, problem)
        },
        None => ImportError::file(path, problem),
    }
}

#[cfg(test)]
mod tests;
