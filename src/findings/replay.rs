//! The data for a picture of a run beyond the answer: the cell, the motion, and distances over
//! time.

use clearance_proof::model::{BodyId, JointId};
use nalgebra::{Isometry3, Point3};

// A picture shows the model as it is; what draws it needs no other part of the proof.
pub use clearance_proof::check::scene::BodyPair;
pub use clearance_proof::geometry::mesh::Mesh;
pub use clearance_proof::model::{
    Body, Cell, Form, JointKind, MotionInstant, Role, Segment, Shape,
};

/// One ball of a sphere tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnBall {
    /// Centre in the shape's frame, metres.
    pub center: Point3<f64>,
    /// Radius, metres.
    pub radius: f64,
    /// How many levels it lies below the root.
    pub level: u8,
    /// Whether nothing lies below it but triangles.
    pub leaf: bool,
}

/// The data of a shape that a picture needs beyond the cell.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnShape {
    /// Triangles in place of a form that a page cannot draw by itself: a cone, a cloud.
    pub outline: Option<Mesh>,
    /// The upper levels of its sphere tree, root first, level by level.
    pub balls: Vec<DrawnBall>,
}

/// The cell as a picture shows it. The same for all programs of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnCell {
    /// The bodies that stand and move in it.
    pub cell: Cell,
    /// For every shape of every body what else is drawn of it.
    pub shapes: Vec<Vec<DrawnShape>>,
    /// Pairs that are checked.
    pub pairs: Vec<BodyPair>,
    /// Pairs that are not, and the reason.
    pub excluded: Vec<(BodyId, BodyId, String)>,
    /// Pairs of bodies that stand still, where they are too many to be listed in `excluded`.
    pub standing_pairs: usize,
    /// Bodies whose path is worth drawing, the best first: tools, and the last link of each robot.
    pub tools: Vec<BodyId>,
}

/// A pair of bodies over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Index into the pairs of the replay, or else into [`DrawnCell::pairs`].
    pub pair: usize,
    /// Instants at which the pair is checked, by time. The instant of an event stands there twice:
    /// before and after it.
    pub times: Vec<f64>,
    /// Exact distance at each of them, metres.
    pub distances: Vec<f64>,
    /// Between each instant and the next the distance is proved never to be less than this, metres;
    /// not a number while events take the pair out of the check.
    pub bounds: Vec<f64>,
    /// Closest points on the first and the second body at the (first) least of the distances, world
    /// frame, metres; `None` when one is inside the other there.
    pub points: Option<[[f64; 3]; 2]>,
}

/// Where a body is while it stands elsewhere, or hangs on something else, than the cell file says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplayPlace {
    /// The body.
    pub body: BodyId,
    /// Joint that it moves with; `None`: fixed to the world.
    pub joint: Option<JointId>,
    /// Pose in that joint's moving frame (or the world).
    pub joint_from_body: Isometry3<f64>,
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
    /// Its name: `at rest`, the start of programs, or a state of an SRDF.
    pub name: String,
    /// Value of every joint of the cell, radians or metres.
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

/// The lines in space of a program of moves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayMoves {
    /// Places of the tool along straight moves and arcs, a line for each, metres in the world.
    pub lines: Vec<Vec<[f64; 3]>>,
    /// Corners that may be rounded.
    pub corners: Vec<ReplayCorner>,
    /// Further straight moves and arcs, and further corners, that are not drawn.
    pub left_out: [usize; 2],
}

/// The motion of one program, and distances over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// The motion, segment by segment.
    pub segments: Vec<Segment>,
    /// Times of the waypoints, if it is one program: events cut its segments into more.
    pub waypoints: Vec<f64>,
    /// The lines in space of programs of moves.
    pub moves: ReplayMoves,
    /// With events that change the cell: what is where, by time.
    pub phases: Vec<ReplayPhase>,
    /// With such events: all pairs that are checked at some time of this program, in place of
    /// [`DrawnCell::pairs`].
    pub pairs: Option<Vec<BodyPair>>,
    /// Distances of the pairs that come nearest, the nearest first.
    pub curves: Vec<Curve>,
    /// Every other checked pair is proved to stay farther apart than this, metres; `None` when that
    /// is not known.
    pub others_farther_than: Option<f64>,
    /// Where any delay of the starts was asked for: how much later each program starts here,
    /// seconds (empty: none does). Distances and bounds are those of these delays only.
    pub delays: Option<Vec<f64>>,
}
