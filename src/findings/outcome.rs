//! What a check found, as plain data. Every word and field here is the one that reports use.

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
    /// Everything before this instant is proved free (of this pair for `contacts`, of all pairs for the first one). Where a
    /// program was `sampled` nothing is proved: for `contacts` it is then the last instant that saw the pair apart.
    pub free_until: f64,
    /// For `contacts`: the pair is proved free again from here on (until the next entry, if any); where a program was
    /// `sampled`, the next instant that saw it apart. The end of the program where the contact lasts.
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
    /// What meets what when these two bodies first touch, where that can be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub feature: Option<ContactFeature>,
    /// When they first touch, as exact as numbers are; it lies in `free_until … time`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exact_time: Option<f64>,
    /// Distance of the two bodies at `time`, metres.
    pub distance: f64,
    /// Proved: at `depth_time` a surface point of one body lies at least this deep in the other one, metres. 0: the surfaces
    /// come within the threshold but do not cross. Absent: not known (a body without an inside, or not looked for).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<f64>,
    /// When the two are that deep in each other, like `time`; within the contact, as far as it was followed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth_time: Option<f64>,
    /// Closest point on `a` at `time`, world frame, metres.
    pub point_a: [f64; 3],
    /// Closest point on `b` at `time`, world frame, metres.
    pub point_b: [f64; 3],
    /// Unit direction from `b` to `a`, world frame (zero if the surfaces cross).
    pub normal: [f64; 3],
    /// Value of every joint at `time`, by the names that programs use.
    pub joints: std::collections::BTreeMap<String, f64>,
    /// With `--any-delay`, where it takes one: by how much the start of each program is delayed, seconds, in the order of
    /// `timeline.programs`.
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
    /// With `--any-delay`, where it takes one: by how much the start of each program is delayed where `distance` was
    /// attained, seconds, in the order of `timeline.programs`. `lower_bound` holds for every delay.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub delays: Vec<f64>,
}

/// What kind of pair two bodies are, for those who ask for the least clearance of each kind.
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
    /// What a robot carries, and the cell or another robot or what that one carries.
    Tool,
    /// Links of two robots.
    RobotRobot,
    /// Two links of one robot, or one of them and what it carries.
    WithinRobot,
}

impl PairClass {
    /// As reports write it.
    pub fn word(self) -> &'static str {
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

/// A stretch of time in which a pair came nearer than its warn distance. Contact intervals of the pair lie inside such stretches.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct NearMiss {
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// The pair's warn distance, metres.
    pub warn: f64,
    /// Up to here, from the stretch before or from the start, the pair is proved farther apart than `warn`.
    pub entered: f64,
    /// From here on, up to the next stretch or the end, it is again.
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

/// What kind of limit is violated.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum LimitKind {
    /// Joint position.
    Position,
    /// Joint velocity.
    Velocity,
    /// Joint acceleration, speeding up or slowing down.
    Acceleration,
}

/// A joint outside its limits somewhere on the interpolated path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct LimitViolation {
    /// Joint, by the name that programs use.
    pub joint: String,
    /// Kind.
    pub what: LimitKind,
    /// Instant of the worst value.
    pub time: f64,
    /// Worst value, SI.
    pub value: f64,
    /// Limit that it passes, SI.
    pub limit: f64,
    /// Segment in which that instant lies: 0 lies between the first and the second waypoint.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub segment: Option<usize>,
}

/// A place in an input file.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct FilePlace {
    /// File, as the user or the referring file named it.
    pub file: String,
    /// Line, 1-based.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<usize>,
    /// Column, 1-based.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<usize>,
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
    /// Those of them that were not searched, because they cannot come within their threshold whatever values the joints
    /// take between the least and the greatest of this motion.
    #[serde(skip_serializing_if = "is_none", default)]
    pub unreachable: u64,
    /// By other methods than the default one: unit operations.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work: Option<super::Work>,
    /// Wall-clock seconds of the check itself; 0 (and absent in reports) where they were not to be told.
    #[serde(skip_serializing_if = "is_untold", default)]
    pub check_seconds: f64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn is_untold(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Something a reader must know.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Unchecked {
    /// What it is about.
    pub what: String,
    /// Why it was not checked, or what was noticed.
    pub why: String,
    /// Stable code in kebab-case, where it has one: docs/findings.md has a heading for each.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
}

/// A turning joint that makes about one or more whole turns from one waypoint to the next. It is checked as it is written.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct FullTurn {
    /// Joint.
    pub joint: String,
    /// Value at the first waypoint, radians.
    pub from: f64,
    /// Value at the second waypoint, radians.
    pub to: f64,
    /// Whole turns; negative where the joint turns back.
    pub turns: f64,
    /// The program's file and the line of the second waypoint.
    pub at: FilePlace,
}

/// The answer for one program.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ProgramOutcome {
    /// File as the user named it.
    pub program: String,
    /// Program files behind it, as the user named them: several where programs run together; empty: `program` is the file.
    #[serde(skip)]
    pub files: Vec<String>,
    /// Answer.
    pub verdict: Verdict,
    /// Path law used; absent when the program could not be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interpolation: Option<String>,
    /// Last time minus first time (seconds, or waypoints).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration: Option<f64>,
    /// Whether times are seconds (else waypoint numbers).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timed: Option<bool>,
    /// Number of waypoints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waypoints: Option<usize>,
    /// Joints that the program moves, by its names and in its order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub joints: Vec<String>,
    /// Line of every waypoint in the program's file, 1-based; empty where lines mean nothing.
    #[serde(skip)]
    pub lines: Vec<usize>,
    /// Earliest contact, or the earliest undecided stretch when there is no contact.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_contact: Option<Contact>,
    /// With `--all`: every contact interval of every pair, by time.
    #[serde(default)]
    pub contacts: Vec<Contact>,
    /// With a warn distance: where pairs came nearer than it, by time.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub near_misses: Vec<NearMiss>,
    /// With `--minimum`: over all pairs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub minimum_clearance: Option<MinimumClearance>,
    /// With `--minimum`: per pair, nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pair_minimums: Vec<MinimumClearance>,
    /// With `--minimum`: per class of pairs, for those classes that have any.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub minimum_by_class: Vec<ClassMinimum>,
    /// With `--audit-allowed`: what allowed pairs did. The verdict does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub audit: Option<super::Audit>,
    /// Joints outside their limits.
    #[serde(default)]
    pub limits: Vec<LimitViolation>,
    /// Joints that make about a full turn from one waypoint to the next: often a slip of what wrote the program.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub full_turns: Vec<FullTurn>,
    /// What a reader must see first, where it concerns this program only.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notices: Vec<Unchecked>,
    /// What was not checked in this program (joints that it does not name, …).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unchecked: Vec<Unchecked>,
    /// Programs and events behind the motion, when there are several or any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timeline: Option<super::TimelineFacts>,
    /// By a method that only looks at instants: how closely it looked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sampled: Option<super::Sampled>,
    /// By a shape that knows no exact triangles: contacts may be farther apart than the threshold by so much, metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coarseness: Option<f64>,
    /// Whether the method or the shape that was asked for cannot be used in this cell; `error` says why.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub refused: bool,
    /// The time limit, seconds, where it was spent before all was answered: findings are those until then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub given_up_after: Option<f64>,
    /// Why the program is `unverified`, or `undecided` for lack of time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// Where in the input that is, when it lies in one place of a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_at: Option<FilePlace>,
    /// Work done.
    pub statistics: Statistics,
}

impl ProgramOutcome {
    /// The program's file; the first one where several run together.
    pub fn file(&self) -> &str {
        self.files.first().unwrap_or(&self.program)
    }
}

/// Where the seconds went.
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
pub struct Timing {
    /// Reading files.
    pub load_seconds: f64,
    /// Building or fetching sphere trees.
    pub tree_seconds: f64,
    /// Checking.
    pub check_seconds: f64,
}

/// The answer for a whole run. Field names and order are the public JSON report, schema 1.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Outcome {
    /// Version of this structure.
    pub schema: u32,
    /// Always `clearance`.
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Cell file, or the URDF in the short form.
    pub cell: String,
    /// Threshold D, metres.
    pub clearance: f64,
    /// Warn distance, metres: pairs that come nearer than it are listed as near misses.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub warn: Option<f64>,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// Method in time.
    pub method: String,
    /// Method in shape.
    pub shape: String,
    /// Worst verdict.
    pub verdict: Verdict,
    /// Bodies with geometry.
    #[serde(default)]
    pub bodies: usize,
    /// Pairs of bodies that are checked.
    #[serde(default)]
    pub pairs: usize,
    /// How many of them have a threshold of their own in place of `clearance`.
    #[serde(default)]
    pub own_thresholds: usize,
    /// How many pairs are watched for near misses.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub warn_pairs: usize,
    /// Joints whose values are metres (all others: radians), by the names that programs use.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sliding_joints: Vec<String>,
    /// What a reader must see first, in the first lines of every report: input that can be read in two ways, sizes and places that
    /// can hardly be meant, what moves and is not checked.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notices: Vec<Unchecked>,
    /// What is not checked in this cell.
    pub unchecked: Vec<Unchecked>,
    /// What was noticed and leaves nothing unchecked.
    #[serde(default)]
    pub notes: Vec<Unchecked>,
    /// Why nothing could be answered, when the cell itself could not be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// Where in the input that is, when it lies in one place of a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_at: Option<FilePlace>,
    /// One entry per program, in the order given.
    pub programs: Vec<ProgramOutcome>,
    /// Where the seconds went.
    pub timing: Timing,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}
