//! What a picture of a run needs beyond the answer: the cell, the motion, and distances over time. Plain data.

/// A rigid placement: maps a point of the inner frame into the outer one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Rotation as a unit quaternion x, y, z, w.
    pub quaternion: [f64; 4],
    /// Translation, metres.
    pub translation: [f64; 3],
}

/// Outer form of a shape, in its own frame, metres; cylinder and capsule along z, all centred.
#[derive(Debug, Clone, PartialEq)]
pub enum StageForm {
    /// Triangles.
    Mesh {
        /// Corner points.
        vertices: Vec<[f64; 3]>,
        /// Corner indices.
        triangles: Vec<[u32; 3]>,
    },
    /// Full edge lengths.
    Box {
        /// Along x, y, z.
        size: [f64; 3],
    },
    /// Ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full length.
        length: f64,
    },
    /// Cylinder with half balls on both ends.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centres of the half balls.
        length: f64,
    },
}

/// One ball of a sphere tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageBall {
    /// Centre in the shape's frame, metres.
    pub center: [f64; 3],
    /// Radius, metres.
    pub radius: f64,
    /// How many levels it lies below the root.
    pub level: u8,
    /// Whether nothing lies below it but triangles.
    pub leaf: bool,
}

/// One rigid piece of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct StageShape {
    /// Pose in the body's frame.
    pub body_from_shape: Placement,
    /// Its form.
    pub form: StageForm,
    /// The upper levels of its sphere tree, root first, level by level.
    pub balls: Vec<StageBall>,
}

/// One rigid thing.
#[derive(Debug, Clone, PartialEq)]
pub struct StageBody {
    /// Name.
    pub name: String,
    /// `link`, `attached` or `obstacle`.
    pub role: String,
    /// Of a link: its robot, an index into [`Stage::robots`].
    pub robot: Option<usize>,
    /// Joint that it moves with, an index into [`Stage::joints`]; `None`: fixed to the world.
    pub joint: Option<usize>,
    /// Pose in that joint's moving frame (or the world).
    pub joint_from_body: Placement,
    /// Its geometry.
    pub shapes: Vec<StageShape>,
}

/// How a joint follows another one: `multiplier · q[joint] + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageFollow {
    /// The joint that it follows, an index into [`Stage::joints`]; itself one that follows none.
    pub joint: usize,
    /// Factor.
    pub multiplier: f64,
    /// Radians or metres.
    pub offset: f64,
}

/// A movable joint.
#[derive(Debug, Clone, PartialEq)]
pub struct StageJoint {
    /// Name that programs use.
    pub name: String,
    /// Nearest movable joint towards the base; it stands earlier in the list.
    pub parent: Option<usize>,
    /// Pose at value 0 in the parent's moving frame (or the world).
    pub parent_from_joint: Placement,
    /// Unit axis in the joint's frame.
    pub axis: [f64; 3],
    /// Whether it slides (metres) rather than turns (radians).
    pub slides: bool,
    /// Least and greatest position, radians or metres.
    pub position: Option<[f64; 2]>,
    /// Set when it follows another joint.
    pub follows: Option<StageFollow>,
}

/// A pair of bodies that is checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StagePair {
    /// First body, an index into [`Stage::bodies`].
    pub a: usize,
    /// Second body.
    pub b: usize,
    /// Threshold D, metres.
    pub required_clearance: f64,
}

/// The cell: what stands and moves in it. The same for all programs of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stage {
    /// Names of the robots; empty for a single robot without one.
    pub robots: Vec<String>,
    /// Joints, parents first.
    pub joints: Vec<StageJoint>,
    /// Bodies.
    pub bodies: Vec<StageBody>,
    /// Pairs that are checked.
    pub pairs: Vec<StagePair>,
    /// Pairs that are not: indices of the bodies, and the reason.
    pub excluded: Vec<(usize, usize, String)>,
    /// Pairs of bodies that stand still, where they are too many to be listed in `excluded`.
    pub standing_pairs: usize,
    /// Bodies whose path is worth drawing, the best first: tools, and the last link of each robot.
    pub tools: Vec<usize>,
}

/// The motion between two waypoints.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplaySegment {
    /// Time of the first waypoint (seconds, or its number).
    pub start: f64,
    /// Time of the second one.
    pub end: f64,
    /// One polynomial per joint in the share s ∈ [0, 1] of the segment: `c[0] + c[1]·s + … + c[5]·s⁵`, radians or metres.
    pub joints: Vec<[f64; 6]>,
}

/// A pair of bodies over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Index into the pairs of the replay, or else into [`Stage::pairs`].
    pub pair: usize,
    /// Instants at which the pair is checked, by time. The instant of an event stands there twice: before and after it.
    pub times: Vec<f64>,
    /// Exact distance at each of them, metres.
    pub distances: Vec<f64>,
    /// Between each instant and the next the distance is proved never to be less than this, metres; not a number while events
    /// take the pair out of the check.
    pub bounds: Vec<f64>,
    /// Closest points on the first and the second body at the (first) least of the distances, world frame, metres; `None` when
    /// one is inside the other there.
    pub points: Option<[[f64; 3]; 2]>,
}

/// Where a body is while it stands elsewhere, or hangs on something else, than the cell file says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplayPlace {
    /// Index into [`Stage::bodies`].
    pub body: usize,
    /// Joint that it moves with; `None`: fixed to the world.
    pub joint: Option<usize>,
    /// Pose in that joint's moving frame (or the world).
    pub joint_from_body: Placement,
}

/// An interval between two events.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPhase {
    /// From this time on, until the next phase starts.
    pub start: f64,
    /// Bodies that are not where the cell file says.
    pub places: Vec<ReplayPlace>,
}

/// Where the robots of a cell stand before there is any program.
#[derive(Debug, Clone, PartialEq)]
pub struct CellPose {
    /// What it is called: `at rest`, the start of programs, or a state of an SRDF.
    pub name: String,
    /// Value of every joint of the stage, radians or metres.
    pub joints: Vec<f64>,
}

/// A corner that the controller may round, as a picture shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayCorner {
    /// Waypoint at its tip, counted from 0.
    pub waypoint: usize,
    /// Whether the program states how large its zone is; if not, half of both ways counts.
    pub sized: bool,
    /// Places of the tool along strips through what is checked of it, metres in the world.
    pub strips: Vec<Vec<[f64; 3]>>,
}

/// What a program of moves draws in space.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayMoves {
    /// Places of the tool along straight moves and arcs, a line for each, metres in the world.
    pub lines: Vec<Vec<[f64; 3]>>,
    /// Corners that may be rounded.
    pub corners: Vec<ReplayCorner>,
}

/// The motion of one program, and distances over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// The motion, segment by segment.
    pub segments: Vec<ReplaySegment>,
    /// Times of the waypoints, if it is one program: events cut its segments into more.
    pub waypoints: Vec<f64>,
    /// What programs of moves draw in space.
    pub moves: ReplayMoves,
    /// With events that change the cell: what is where, by time.
    pub phases: Vec<ReplayPhase>,
    /// With such events: all pairs that are checked at some time of this program, in place of [`Stage::pairs`].
    pub pairs: Option<Vec<StagePair>>,
    /// Distances of the pairs that come nearest, the nearest first.
    pub curves: Vec<Curve>,
    /// Every other checked pair is proved to stay farther apart than this, metres; `None` when that is not known.
    pub others_farther_than: Option<f64>,
    /// Where any delay of the starts was asked for: how much later each program starts here, seconds (empty: none does). Distances
    /// and bounds are those of these delays only.
    pub delays: Option<Vec<f64>>,
}
