//! A program of moves, as controllers store it: targets as joint values or as poses of the tool,
//! how the arm goes from one to the next, and how it rounds the corners between. Readers of
//! controllers' programs make it; the motion is made of it once the robot is known.

use std::path::PathBuf;

use nalgebra::Isometry3;

use super::RigidError;
use crate::report::Location;

/// One way through a program, move by move. A program whose flow depends on something that is not
/// known has several.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveProgram {
    /// File.
    pub source: PathBuf,
    /// Routine, and the branches that were taken; empty where the file has one way only.
    pub name: String,
    /// The robot of the cell that it moves; none: the only one.
    pub robot: Option<String>,
    /// Joints whose values targets give, in their order, as the URDF names them.
    pub joints: Vec<String>,
    /// Joint values before the first move (radians or metres, in the order of `joints`); none: not
    /// known.
    pub start: Option<Vec<f64>>,
    /// The moves, in order.
    pub moves: Vec<Move>,
    /// Whether the program goes on behind the last of them as it did behind an earlier one, so that
    /// the corner at its end is one of those before.
    pub goes_round: bool,
    /// In its corners the tool's orientation may be ahead of the tool's point, or behind it, by this
    /// share of the turns of both moves within the corner, 0 … 1: the zone of the orientation is
    /// larger than that of the point. 0: they go together.
    pub turn_lead: f64,
    /// How far the frames that the arm moves were seen to stand beside the robot's model, about
    /// their origins: joint values and poses of the same points in the program differ so much.
    /// Nothing where they agree, or where there are none.
    pub model_difference: RigidError,
    /// Reasons why the motion is not known. If there are any, the program is not verified.
    pub unknown: Vec<Unknown>,
    /// Statements that cannot move the arm and were passed over: their word, and how often.
    pub passed_over: Vec<(String, usize)>,
}

/// Something that could move the arm, change a frame, a target or the flow, and is not understood
/// or not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Where it stands.
    pub place: Location,
    /// The thing itself, why it matters, and what would help.
    pub reason: String,
}

/// One move, from wherever the one before ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// Which curve it follows.
    pub kind: MoveKind,
    /// Where it ends.
    pub target: Target,
    /// The tool: what follows lines and arcs, and what poses are poses of.
    pub tool: Frame,
    /// How it passes its end.
    pub zone: Zone,
    /// How fast.
    pub speed: Speed,
    /// The taught point as the program names it; may be empty.
    pub label: String,
    /// The routine in which the move stands, as the program names it; empty where there is no name.
    pub routine: String,
    /// Line of the program.
    pub place: Location,
}

/// Which curve a move follows.
#[derive(Debug, Clone, PartialEq)]
pub enum MoveKind {
    /// Straight in joint space.
    Joint,
    /// The tool on a straight line, its orientation turning from start to end.
    Linear,
    /// The tool on the arc through the position of `via`.
    Circular {
        /// A point of the arc.
        via: Target,
        /// How the tool turns.
        turning: ArcTurning,
    },
}

/// How the tool turns on an arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArcTurning {
    /// Evenly about one axis that stands still, the shorter way round. Of the point on the way only
    /// the position counts.
    Still,
    /// Seen from a frame that goes round with the arc, evenly about one axis; whether the shorter or
    /// the longer way round, the orientation of the point on the way says.
    Along,
}

/// A frame that is fixed to a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The link, as the URDF names it.
    pub link: String,
    /// Takes a point of the frame to the link.
    pub link_from_frame: Isometry3<f64>,
}

/// Where a move ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Joint values, radians or metres, in the order of the program's joints.
    Joints(Vec<f64>),
    /// A pose of the tool.
    Pose {
        /// The frame in which it is stated. Its link does not move with the joints of the program.
        frame: Frame,
        /// Takes a point of the tool to the frame.
        frame_from_tool: Isometry3<f64>,
        /// Which of the arm's solutions.
        branch: Branch,
    },
}

/// Which of the joint values that reach a pose are meant.
#[derive(Debug, Clone, PartialEq)]
pub enum Branch {
    /// Those to which the line or arc leads.
    Continued,
    /// The nearest to the joint values before the move, as controllers choose that store no
    /// configuration.
    NearestToStart,
    /// The nearest to these joint values, in the order of the program's joints, radians or metres.
    NearestTo(Vec<f64>),
    /// The one of this configuration.
    Configuration(Configuration),
}

/// Which branch of the inverse kinematics of a six-joint arm. What is not stated does not count; a
/// configuration that several solutions have decides nothing, and the program is not verified.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Configuration {
    /// Whether the wrist centre lies in front of axis 1; behind it the arm reaches over its own
    /// back. In front is the side on which the wrist centre lies when all joints of the URDF are at
    /// zero (where it is nearer than 1 mm to axis 1 then, the side to which axis 2 × axis 1 points); it turns with
    /// the first joint. So signs of joints do not matter. (Wrist centre: where axes 4 to 6 meet; for
    /// arms with three parallel axes, like UR's, axis 4.)
    pub in_front: Option<bool>,
    /// Whether the elbow (axis 3) lies above the line from shoulder (axis 2) to wrist centre while
    /// the arm reaches forward; an arm that then leans over its own back keeps the side. Up is
    /// along axis 1, to the side of the root link's z axis; where these are 84° to 96° apart, as
    /// axis 1 points.
    pub elbow_up: Option<bool>,
    /// Ranges of single joints, radians: quadrants, turns, the sign of the wrist's second axis.
    pub ranges: Vec<ConfigurationRange>,
}

/// `from ≤ q < to` for one joint, radians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfigurationRange {
    /// Place in the program's joints.
    pub joint: usize,
    /// Least value.
    pub from: f64,
    /// First value beyond it.
    pub to: f64,
}

/// How a move passes its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Zone {
    /// It stops there.
    Stop,
    /// It leaves its curve no farther than this from the end, metres of the tool, and no farther
    /// than half of the way; the same on the next curve.
    Radius(f64),
    /// It leaves its curve where the tool enters the ball of this radius (metres) about the end, be
    /// that more than half of the way; the same on the next curve.
    Ball(f64),
    /// It may round the corner, and nothing is known of how far before: half of both curves counts.
    Unknown,
}

impl Zone {
    /// Whether the arm stops at the end of the move.
    pub fn stops(&self) -> bool {
        match self {
            Zone::Stop => true,
            Zone::Radius(r) | Zone::Ball(r) => *r <= 0.0,
            Zone::Unknown => false,
        }
    }
}

/// How fast a move is, as far as the program says it. Only times depend on it, never the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// Of the tool, m/s.
    Tool(f64),
    /// Of the joint that turns farthest, rad/s.
    Joint(f64),
    /// A share (0 to 1) of each joint's greatest speed.
    Share(f64),
    /// The move takes this long, seconds.
    Duration(f64),
    /// Not said.
    Unknown,
}
