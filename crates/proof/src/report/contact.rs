//! The findings of a check. Every word and field here is the one that reports use.

/// The answer to "does anything hit anything, at any instant?". Ordered from best to worst.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Proved: every pair is more than its threshold apart at every instant.
    Clear,
    /// The question could not be answered: input missing or wrong, geometry missing.
    Unverified,
    /// Somewhere the distance is between D and D + ε and could not be separated.
    Undecided,
    /// The ideal motion is clear, but not for every error within the budgets: somewhere those that
    /// count for a pair may use up all that it is farther apart than D. Or a pair is not proved
    /// farther apart than D everywhere in the hull of a corner that the controller may round.
    Possible,
    /// D or less was attained.
    Collision,
}

/// How two bodies touch.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ContactKind {
    /// Surfaces within D.
    Contact,
    /// A body within a closed solid, surfaces apart.
    Inside,
    /// Undecided: neither separated nor brought within D at the resolution.
    Unresolved,
    /// Apart in the ideal motion, but errors within the budgets, or the way round a corner, may
    /// bring the two within D.
    Possible,
}

/// The kind of error: which budget it belongs to.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// A robot's base.
    Base,
    /// A tool or workpiece that a link carries.
    Tool,
    /// A joint value.
    Joint,
    /// The arm beside its model.
    Model,
    /// Something that stands in the cell.
    Obstacle,
    /// A surface between its triangles.
    Mesh,
}

/// How much of the way between two bodies each kind of error within its budget may use, metres.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct ErrorShares {
    /// Bases of robots.
    pub base: f64,
    /// Tools and workpieces against the links that carry them.
    pub tool: f64,
    /// Joint values.
    pub joint: f64,
    /// Arms beside their models.
    #[serde(default)]
    pub model: f64,
    /// Bodies that stand in the cell.
    pub obstacle: f64,
    /// Surfaces between the triangles of their meshes.
    pub mesh: f64,
}

impl ErrorShares {
    /// That of a kind.
    pub fn of_mut(&mut self, kind: ErrorKind) -> &mut f64 {
        match kind {
            ErrorKind::Base => &mut self.base,
            ErrorKind::Tool => &mut self.tool,
            ErrorKind::Joint => &mut self.joint,
            ErrorKind::Model => &mut self.model,
            ErrorKind::Obstacle => &mut self.obstacle,
            ErrorKind::Mesh => &mut self.mesh,
        }
    }

    /// All of them together, metres.
    pub fn sum(&self) -> f64 {
        self.base + self.tool + self.joint + self.model + self.obstacle + self.mesh
    }
}

/// Which features of two bodies meet when they first touch.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ContactFeature {
    /// A vertex of the first body, a face of the second one.
    VertexFace,
    /// A face of the first body, a vertex of the second one.
    FaceVertex,
    /// An edge of each.
    EdgeEdge,
}

/// An instant at which a pair came within its threshold.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Contact {
    /// Instant at which it was found (seconds, or waypoint number).
    pub time: f64,
    /// Everything before this instant is proved free (of this pair for `contacts`, of all pairs for
    /// the first one). Where a program was `sampled` nothing is proved: for `contacts` it is then
    /// the last instant that saw the pair apart.
    pub free_until: f64,
    /// For `contacts`: the pair is proved free again from here on (until the next entry, if any);
    /// where a program was `sampled`, the next instant that saw it apart. The end of the program
    /// where the contact lasts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until: Option<f64>,
    /// Segment: 0 lies between the first and the second waypoint.
    pub segment: usize,
    /// Share of that segment that has passed at `time`, 0 … 1.
    pub fraction: f64,
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// Kind.
    pub kind: ContactKind,
    /// The features that meet when these two bodies first touch, where they are known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub feature: Option<ContactFeature>,
    /// When they first touch, as exact as numbers are; it lies in `free_until … time`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exact_time: Option<f64>,
    /// Distance of the two bodies at `time`, metres. For `possible` that of `point_a` and
    /// `point_b`, where errors leave the least.
    pub distance: f64,
    /// Proved: at `depth_time` a surface point of one body lies at least this deep in the other
    /// one, metres. 0: the surfaces come within the threshold but do not cross. Absent: not known
    /// (a body without an inside, or not looked for).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<f64>,
    /// When the two are that deep in each other, like `time`; within the contact, as far as it was
    /// followed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth_time: Option<f64>,
    /// For `possible`: how much of the way between the two each kind of error may use at `time`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub errors: Option<ErrorShares>,
    /// For `possible`: what is reported lies in the hull of the corner at the end of `segment`, which
    /// the controller may round, and not on the way through the taught points.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub in_corner: bool,
    /// Closest point on `a` at `time`, world frame, metres.
    pub point_a: [f64; 3],
    /// Closest point on `b` at `time`, world frame, metres.
    pub point_b: [f64; 3],
    /// Unit direction from `b` to `a`, world frame (zero if the surfaces cross).
    pub normal: [f64; 3],
    /// Value of every joint at `time`, by the names that programs use.
    pub joints: std::collections::BTreeMap<String, f64>,
    /// Where shape is nothing but spheres (`--shape ranked`) and everything was asked for: the
    /// spheres that meet at `time`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spheres: Option<CollidingSpheres>,
    /// With `--any-delay`, where it takes one: by how much the start of each program is delayed,
    /// seconds, in the order of `timeline.programs`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub delays: Vec<f64>,
}

/// A certified least distance.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct MinimumClearance {
    /// Attained at `time`, metres.
    pub distance: f64,
    /// Proved: never less than this, metres.
    pub lower_bound: f64,
    /// When `distance` was attained; with `delays` by the clock of a program that is not late.
    pub time: f64,
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// With `--any-delay`, where it takes one: by how much the start of each program is delayed
    /// where `distance` was attained, seconds, in the order of `timeline.programs`. `lower_bound`
    /// holds for every delay.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub delays: Vec<f64>,
}

/// The kind of a pair, for those who ask for the least clearance of each kind.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum PairClass {
    /// A robot's link and something of the cell.
    RobotCell,
    /// A body that a robot carries, against the cell, another robot or a body that this one
    /// carries.
    Tool,
    /// Links of two robots.
    RobotRobot,
    /// Two links of one robot, or one of them and what it carries.
    WithinRobot,
}

impl PairClass {
    /// As reports write it.
    pub fn as_str(self) -> &'static str {
        match self {
            PairClass::RobotCell => "robot-cell",
            PairClass::Tool => "tool",
            PairClass::RobotRobot => "robot-robot",
            PairClass::WithinRobot => "within-robot",
        }
    }
}

/// A certified least distance of all pairs of a class.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ClassMinimum {
    /// Which pairs.
    pub class: PairClass,
    /// The nearest of them, and what is proved of all of them.
    #[serde(flatten)]
    pub least: MinimumClearance,
}

/// An interval of time in which a pair came nearer than its warn distance. Contact intervals of the
/// pair lie inside such intervals.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct NearMiss {
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// The pair's warn distance, metres.
    pub warn: f64,
    /// Up to here, from the interval before or from the start, the pair is proved farther apart
    /// than `warn`.
    pub entered: f64,
    /// From here on, up to the next interval or the end, it is again.
    pub left: f64,
    /// Least distance seen in between, metres: attained at `time`, not a bound.
    pub distance: f64,
    /// When `distance` was attained.
    pub time: f64,
    /// Segment of `time`: 0 lies between the first and the second waypoint.
    pub segment: usize,
    /// Share of that segment that has passed at `time`, 0 … 1.
    pub fraction: f64,
}

/// Work done, for those who tune.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct Statistics {
    /// Time intervals looked at.
    pub intervals: u64,
    /// Node pairs and leaf pairs tested against a bound.
    pub distance_tests: u64,
    /// Exact triangle–triangle distances.
    pub triangle_tests: u64,
    /// Pairs of bodies checked.
    pub pairs: u64,
    /// Those of them that were not searched, because they cannot come within their threshold
    /// whatever values the joints take between the least and the greatest of this motion.
    #[serde(skip_serializing_if = "is_none", default)]
    pub unreachable: u64,
    /// By other methods than the default one: unit operations.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work: Option<super::Work>,
    /// Wall-clock seconds of the check itself; 0 (and absent in reports) where they were not to be
    /// reported.
    #[serde(skip_serializing_if = "is_unknown", default)]
    pub check_seconds: f64,
}

impl Statistics {
    /// Those of a method that has looked at so many intervals and pairs of bodies.
    pub fn of_work(work: super::Work, intervals: u64, pairs: usize) -> Self {
        Statistics {
            intervals,
            distance_tests: work.sphere_tests,
            triangle_tests: work.triangle_tests,
            pairs: pairs as u64,
            unreachable: 0,
            work: Some(work),
            check_seconds: 0.0,
        }
    }
}

impl Statistics {
    /// Adds the work of another search over the same pairs.
    pub fn add_work(&mut self, more: &Statistics) {
        self.intervals += more.intervals;
        self.distance_tests += more.distance_tests;
        self.triangle_tests += more.triangle_tests;
    }
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn is_unknown(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// A sphere of a ranked cover that meets one of another body.
#[derive(
    Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct CollidingSphere {
    /// Its rank: 1 is the largest sphere, around the whole shape.
    pub rank: usize,
    /// Its centre, world frame, metres.
    pub center: [f64; 3],
    /// Its radius, metres.
    pub radius: f64,
}

/// The spheres by which two bodies are in contact at an instant.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct CollidingSpheres {
    /// How many there are on the first body and on the second one; no more than 2,000 of each are
    /// listed.
    pub count: [usize; 2],
    /// Those of the first body.
    pub a: Vec<CollidingSphere>,
    /// Those of the second one.
    pub b: Vec<CollidingSphere>,
}
