//! The content of a file of moves, as it is written: its JSON schema is made from this.

use std::collections::BTreeMap;
use std::fmt::Formatter;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A program of moves.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MotionFile {
    /// Version of this format: 1.
    pub(super) clearance_motion: u32,
    /// Units of all numbers.
    pub(super) units: Units,
    /// The robot of the cell that it moves; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) robot: Option<String>,
    /// Name of the routine, for reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    /// The URDF's joints, in the order in which targets give their values.
    pub(super) joints: Vec<String>,
    /// Those of `joints` that slide: their values are lengths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) slides: Vec<String>,
    /// Joint values before the first move; without them the motion starts at the first target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) start: Option<Vec<f64>>,
    /// Frames in which poses are stated, by name.
    #[serde(default, deserialize_with = "each_once")]
    pub(super) frames: BTreeMap<String, OnLink>,
    /// Tools, by name.
    #[serde(default, deserialize_with = "each_once")]
    pub(super) tools: BTreeMap<String, OnLink>,
    /// How far the frames that the arm moves may stand beside the robot's model: joint values and
    /// poses of the program that this was made from differ so much. The check allows for it.
    #[serde(
        default,
        rename = "beside_model",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) model_difference: Option<DifferenceText>,
    /// The moves, in order.
    pub(super) moves: Vec<MoveText>,
    /// Behind the last move the program goes on as it did behind an earlier one: the corner at its
    /// end is one of those before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) goes_round: bool,
    /// In corners the tool's orientation may be ahead of the tool's point, or behind it, by this share
    /// of the turns of both moves within the corner: its zone is larger than that of the point.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) turn_lead: f64,
    /// The parts of the motion that are not known: with an entry in it the program is unverified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unknown: Vec<UnknownText>,
    /// What the motion takes for granted, and could be otherwise: reports say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) assumed: Vec<AssumedText>,
    /// Nothing shows that joints, frames and tools are understood as the controller means them: the
    /// program that this was made from has no joint values and pose of the same point. Reports say
    /// where it begins, to be held against the pendant.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) unproved: bool,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn is_false(value: &bool) -> bool {
    !value
}

/// An error of place.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DifferenceText {
    /// Any shift of up to this length.
    pub(super) xyz: f64,
    /// Any turn of up to this angle.
    pub(super) angle: f64,
}

/// Something of the motion that is not known.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UnknownText {
    /// The file that says it, where that is not this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Its line there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// The part that is not known, and why.
    pub(super) reason: String,
}

/// Something that is taken for granted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AssumedText {
    /// The file that leaves it open, where that is not this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Its line there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// What is taken for granted, and what to do about it.
    pub(super) message: String,
    /// Whether something shows that it may be otherwise.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) contradicted: bool,
}

/// Units of all numbers of the file.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Units {
    /// Of lengths, and of joints that slide: `mm` or `m`.
    pub(super) length: Length,
    /// Of angles, and of joints that turn: `deg` or `rad`.
    pub(super) angle: Angle,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Length {
    Mm,
    M,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Angle {
    Deg,
    Rad,
}

/// A frame on a link of the URDF.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OnLink {
    /// The link.
    pub(super) link: String,
    /// Its place on the link.
    pub(super) pose: PoseText,
}

/// A place and an orientation; without an orientation it is not turned.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PoseText {
    /// Place.
    pub(super) xyz: [f64; 3],
    /// Roll, pitch, yaw as in a URDF: about fixed x, then y, then z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rpy: Option<[f64; 3]>,
    /// Rotation vector: axis times angle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rotvec: Option<[f64; 3]>,
    /// Unit quaternion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) quaternion: Option<QuaternionText>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QuaternionText {
    pub(super) w: f64,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) z: f64,
}

/// One move.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MoveText {
    /// Which curve it follows.
    #[serde(rename = "move")]
    pub(super) kind: Kind,
    /// Where it ends.
    pub(super) to: TargetText,
    /// For `circular`: a point of the arc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) via: Option<TargetText>,
    /// For `circular`: how the tool turns; `still` where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) turning: Option<TurningText>,
    /// Name of the tool. A joint move to joint values that stops there needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
    /// How it passes its end.
    pub(super) zone: ZoneText,
    /// How fast; times are estimates and no part of the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) speed: Option<SpeedText>,
    /// The point's name in the program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) label: String,
    /// The routine that it was made from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) routine: String,
    /// The file that it was made from, where that is not this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Line of the program that it was made from: of `file`, if that is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Straight in joint space.
    Joint,
    /// The tool on a straight line.
    Linear,
    /// The tool on an arc.
    Circular,
}

/// How the tool turns on an arc.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TurningText {
    /// Evenly about one axis that stands still, the shorter way round.
    Still,
    /// Evenly as seen from a frame that goes round with the arc; the orientation of `via` says which
    /// way round.
    Along,
}

/// Where a move ends: joint values, or a pose of the tool.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetText {
    /// Joint values in the order of `joints`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) joints: Option<Vec<f64>>,
    /// Pose of the tool in `frame`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pose: Option<PoseText>,
    /// Name of the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) frame: Option<String>,
    /// Which of the arm's configurations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) branch: Option<BranchText>,
}

/// Which of the joint values that reach a pose are meant.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BranchText {
    /// Those to which the line or arc leads.
    Continued,
    /// The nearest to those before the move.
    Nearest,
    /// The nearest to these joint values.
    Near(Vec<f64>),
    /// Those of this configuration; what is not stated does not count.
    Configuration(ConfigurationText),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigurationText {
    /// Whether the wrist centre lies in front of axis 1, on the side where it is when all joints
    /// are at zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) in_front: Option<bool>,
    /// Whether the elbow lies above the line from shoulder to wrist centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) elbow_up: Option<bool>,
    /// For joints by name: from (included) and to (excluded).
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "each_once"
    )]
    pub(super) ranges: BTreeMap<String, [f64; 2]>,
}

/// How a move passes its end.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ZoneText {
    /// It stops there.
    Stop,
    /// It may round the corner, nobody says how far before.
    Unknown,
    /// It leaves its curve within this distance of the end only, and no farther than half of the
    /// way.
    Radius(f64),
    /// It leaves its curve within this distance of the end, be that more than half of the way.
    Ball(f64),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SpeedText {
    /// Of the tool: lengths per second.
    Tool(f64),
    /// Of the joint that turns farthest: angles per second.
    Joint(f64),
    /// Share (0 to 1) of each joint's greatest speed.
    Share(f64),
    /// The move takes so many seconds.
    Seconds(f64),
}

/// A map in which no name stands twice: readers differ in which of two they take.
fn each_once<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct EachOnce<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for EachOnce<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut Formatter) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut given: A) -> Result<Self::Value, A::Error> {
            let mut found = BTreeMap::new();
            while let Some((name, value)) = given.next_entry::<String, V>()? {
                if found.contains_key(&name) {
                    return Err(A::Error::custom(format!("`{name}` is stated twice")));
                }
                found.insert(name, value);
            }
            Ok(found)
        }
    }
    deserializer.deserialize_map(EachOnce(PhantomData))
}
