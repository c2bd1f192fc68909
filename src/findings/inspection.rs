//! The parts of a cell, as plain data: lengths in metres, angles in radians.

use super::Diagnostic;

/// A shape of a body.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ShapeFacts {
    /// `mesh`, `box`, `cylinder`, `cone`, `sphere` or `capsule`.
    pub form: String,
    /// File of a mesh.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Triangles that are checked.
    pub triangles: usize,
    /// Whether it has an inside (a closed mesh, a primitive).
    pub closed: bool,
    /// Nodes of its sphere tree.
    pub nodes: usize,
    /// Bytes of its sphere tree in memory.
    pub bytes: usize,
}

/// A body.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct BodyFacts {
    /// Name.
    pub name: String,
    /// `link`, `attached` or `obstacle`.
    pub role: String,
    /// Joint that it moves with; absent when it is fixed to the world.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joint: Option<String>,
    /// Body that carries it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<String>,
    /// Extents of its geometry along the axes of its own frame, metres; absent without geometry.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub size: Option<[f64; 3]>,
    /// Its shapes.
    pub shapes: Vec<ShapeFacts>,
}

/// A joint.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct JointFacts {
    /// Name that programs use.
    pub name: String,
    /// `revolute`, `continuous` or `prismatic`.
    pub kind: String,
    /// Least and greatest position, radians or metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub position: Option<[f64; 2]>,
    /// Greatest speed, rad/s or m/s.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub velocity: Option<f64>,
    /// Greatest acceleration, rad/s² or m/s².
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub acceleration: Option<f64>,
    /// Joint that it follows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub follows: Option<String>,
    /// Value while a program does not move it, radians or metres.
    pub rest: f64,
}

/// A pair of bodies with geometry.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct PairFacts {
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// Whether it is checked.
    pub checked: bool,
    /// Threshold of a checked pair, metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub required_clearance: Option<f64>,
    /// Distance below which a checked pair cannot come while all joints stay within their limits,
    /// metres: it is unreachable. Absent where it may come within its threshold, and where nobody
    /// asked. Programs that leave the limits are checked for it all the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub least_possible: Option<f64>,
    /// Kind of reason why it is not checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<String>,
    /// The reason in full.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// Everything about a cell that decides what a verdict covers.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Inspection {
    /// Version of this structure: [`super::SCHEMA`].
    pub schema: u32,
    /// Always `clearance`.
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Cell file, or the URDF in the short form.
    pub cell: String,
    /// Reach of the robots, metres: the longest chain of joint offsets and travels.
    pub reach: f64,
    /// Bodies.
    pub bodies: Vec<BodyFacts>,
    /// Joints.
    pub joints: Vec<JointFacts>,
    /// Every pair of bodies with geometry, but for those that `standing_pairs` counts.
    pub pairs: Vec<PairFacts>,
    /// Whether it was asked which pairs can never meet.
    #[serde(skip)]
    pub asked_unreachable: bool,
    /// Pairs of bodies that stand still, where they are too many to be listed: none of them is
    /// checked.
    #[serde(default)]
    pub standing_pairs: usize,
    /// Allowances that take no pair out of the check: stale, or said elsewhere already.
    /// `what` is the pair as stated, `why` who states it.
    pub idle_allowances: Vec<Diagnostic>,
    /// Bodies of a size that cannot be meant: nothing is verified before that is settled.
    pub impossible: Vec<Diagnostic>,
    /// Notices that a reader must see first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notices: Vec<Diagnostic>,
    /// Parts that are not checked.
    pub unchecked: Vec<Diagnostic>,
    /// Notes that leave nothing unchecked.
    pub notes: Vec<Diagnostic>,
}
