//! The answer for a program and for a run, as plain data. Every word and field here is the one that
//! reports use.

use clearance_proof::report::Location;

use super::{
    ClassMinimum, Contact, Diagnostic, ErrorKind, ErrorShares, MinimumClearance, NearMiss,
    PairClass, Severity, Statistics, Verdict,
};

/// Version of the JSON reports and of what result files hold of them. Raised when a field gets
/// another name or meaning.
pub const SCHEMA: u32 = 3;

/// The kind of limit that is violated.
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
    /// Of a controller's program: what holds on the way through it on which this is, where that is not
    /// the way that is told; `time` is that of this way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub way: Option<String>,
}

/// A turning joint that makes about one or more whole turns from one waypoint to the next. It is
/// checked as it is written.
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
    pub at: Location,
}

/// A move of a program, as reports name it.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct MoveFact {
    /// `joint`, `linear` or `circular`.
    pub kind: String,
    /// The point to which it leads, as the program names it; may be empty.
    pub to: String,
    /// The routine in which it stands, where the program names it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub routine: String,
    /// The file that has it, where that is not the program's: a routine of another module.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Line of that file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<usize>,
}

impl ProgramOutcome {
    /// An answer about which nothing is known, not even its program.
    pub fn unknown() -> Self {
        Self {
            program: String::new(),
            files: Vec::new(),
            hash: None,
            verdict: Verdict::Unverified,
            interpolation: None,
            duration: None,
            timed: None,
            waypoints: None,
            joints: Vec::new(),
            lines: Vec::new(),
            moves: Vec::new(),
            first_contact: None,
            contacts: Vec::new(),
            near_misses: Vec::new(),
            minimum_clearance: None,
            pair_minimums: Vec::new(),
            others_farther_than: None,
            minimum_by_class: Vec::new(),
            margin: None,
            audit: None,
            limits: Vec::new(),
            full_turns: Vec::new(),
            notices: Vec::new(),
            unchecked: Vec::new(),
            timeline: None,
            sampled: None,
            coarseness: None,
            narrow_joint_ranges: false,
            refused: false,
            given_up_after: None,
            unsettled: false,
            error: None,
            error_at: None,
            statistics: Statistics::default(),
            baseline: None,
        }
    }
}

/// The answer for one program.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ProgramOutcome {
    /// File as the user named it.
    pub program: String,
    /// Program files behind it, as the user named them: several where programs run together; empty:
    /// `program` is the file.
    #[serde(skip)]
    pub files: Vec<String>,
    /// Hash of what was read of it; absent where another program cannot be told from it.
    #[serde(skip)]
    pub hash: Option<String>,
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
    /// Moves of a program of moves: the k-th leads to waypoint k + 1 (counted from 0).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub moves: Vec<MoveFact>,
    /// Earliest contact, or the earliest undecided interval when there is no contact.
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
    /// With `--minimum-pairs`: per pair that is not proved farther apart than the stated distance,
    /// nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pair_minimums: Vec<MinimumClearance>,
    /// With `--minimum-pairs`: every checked pair that is not in `pair_minimums` is proved farther
    /// apart than this at every instant, metres; absent where that is not proved of all of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub others_farther_than: Option<f64>,
    /// With `--minimum`: per class of pairs, for those classes that have any.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub minimum_by_class: Vec<ClassMinimum>,
    /// With `--margin`: how many times the budget of errors the program stands.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub margin: Option<Margin>,
    /// With `--audit-allowed`: what allowed pairs did. The verdict does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub audit: Option<super::Audit>,
    /// Joints outside their limits.
    #[serde(default)]
    pub limits: Vec<LimitViolation>,
    /// Joints that make about a full turn from one waypoint to the next: often a slip of what wrote
    /// the program.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub full_turns: Vec<FullTurn>,
    /// Notices that a reader must see first, where they concern this program only.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notices: Vec<Diagnostic>,
    /// What else is to be said of this program: parts that were not checked, and notes, which leave
    /// nothing unchecked; `severity` tells them apart.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unchecked: Vec<Diagnostic>,
    /// Whether the ranges of the joints on straight moves whose tool turns are narrower than usual:
    /// the usual ones left the program undecided.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub narrow_joint_ranges: bool,
    /// Programs and events behind the motion, when there are several or any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timeline: Option<super::TimelineFacts>,
    /// By a method that only looks at instants: how closely it looked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sampled: Option<super::Sampled>,
    /// By a shape that knows no exact triangles: contacts may be farther apart than the threshold
    /// by so much, metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coarseness: Option<f64>,
    /// Whether the method or the shape that was asked for cannot be used in this cell; `error` says
    /// why.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub refused: bool,
    /// The time limit, seconds, where it was spent before all was answered: findings are those
    /// until then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub given_up_after: Option<f64>,
    /// Whether something about it, or about its cell, is not settled; `error` says what. Such a
    /// program never passes, also where a contact gives it another verdict than `unverified`.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unsettled: bool,
    /// Why the program is `unverified`, or `undecided` for lack of time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// Where in the input that is, when it lies in one place of a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_at: Option<Location>,
    /// Work done.
    pub statistics: Statistics,
    /// With `batch --baseline`: the answer beside that of the earlier run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub baseline: Option<super::Versus>,
}

impl ProgramOutcome {
    /// Leaves out how long it took: equal runs give equal answers then.
    pub fn forget_durations(&mut self) {
        self.statistics.check_seconds = 0.0;
        if let Some(work) = &mut self.statistics.work {
            work.build_seconds = 0.0;
        }
    }

    /// Takes in what must be known besides the answer. Notices stand by themselves: reports say them
    /// first, and `--fail-on suspicious` counts them.
    pub fn add_remarks(&mut self, remarks: impl IntoIterator<Item = Diagnostic>) {
        for remark in remarks {
            let list = match remark.severity {
                Severity::Notice => &mut self.notices,
                Severity::Note | Severity::Unchecked | Severity::Open => &mut self.unchecked,
            };
            list.push(remark);
        }
    }

    /// Its remarks without notes: what is not checked or not settled.
    pub fn left_out(&self) -> impl Iterator<Item = &Diagnostic> {
        let all = self.unchecked.iter();
        all.filter(|d| d.severity != Severity::Note)
    }

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

/// How much larger errors may be.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Margin {
    /// Proved clear for every error within so many times the budget; 0 where errors of no size are
    /// proved harmless.
    pub times: f64,
    /// Whether nothing limits it: `times` is the most that was asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unlimited: bool,
    /// The budget that was asked about, where the cell file states none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub budget: Vec<ErrorBudget>,
    /// The same for each class of pairs that there is.
    pub by_class: Vec<ClassMargin>,
}

impl Margin {
    /// The budget itself is proved: its own search ends a little before its limit.
    pub fn take_in_the_proof(&mut self) {
        for class in &mut self.by_class {
            class.times = class.times.max(1.0);
        }
        if !self.by_class.is_empty() {
            self.times = self.times.max(1.0);
        }
    }
}

/// How much larger errors may be for the pairs of a class.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ClassMargin {
    /// The class of pairs.
    pub class: PairClass,
    /// Multiple of the budget, as in the margin of all pairs.
    pub times: f64,
    /// Whether nothing limits it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unlimited: bool,
    /// The place that allows no more.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<MarginLimit>,
}

/// The place that limits a margin.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct MarginLimit {
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// Time of the place, seconds; the number of the waypoint for a program without times.
    pub time: f64,
    /// Distance there without errors, metres.
    pub distance: f64,
    /// Threshold of the pair, metres.
    pub required_clearance: f64,
    /// How much of the distance each kind of error may use there, at once the budget, metres.
    pub errors: ErrorShares,
}

/// The errors of one thing that are allowed for.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ErrorBudget {
    /// Which budget.
    pub kind: ErrorKind,
    /// Robot, body or joint; empty for the only robot.
    pub name: String,
    /// Any shift of up to this, metres.
    #[serde(skip_serializing_if = "is_nothing", default)]
    pub shift: f64,
    /// Any turn of up to this, radians.
    #[serde(skip_serializing_if = "is_nothing", default)]
    pub turn: f64,
}

fn is_nothing(x: &f64) -> bool {
    *x == 0.0
}

/// The answer for a whole run. Field names and order are the public JSON report.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Outcome {
    /// Version of this structure: [`SCHEMA`].
    pub schema: u32,
    /// Always `clearance`.
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Cell file, or the URDF in the short form.
    pub cell: String,
    /// Threshold D, metres.
    pub required_clearance: f64,
    /// Warn distance, metres: pairs that come nearer than it are listed as near misses.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub warn: Option<f64>,
    /// Budgets of error that the answers hold for; absent: for the ideal motion in the cell as it
    /// is described.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub uncertainty: Vec<ErrorBudget>,
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
    /// How many of them have a threshold of their own in place of `required_clearance`.
    #[serde(default)]
    pub own_thresholds: usize,
    /// The least threshold of these, metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub least_own_threshold: Option<f64>,
    /// How many pairs are not checked because somebody says that they may touch: in the cell file,
    /// an SRDF or a scene.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub allowed_pairs: usize,
    /// How many pairs are watched for near misses.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub warn_pairs: usize,
    /// Joints whose values are metres (all others: radians), by the names that programs use.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sliding_joints: Vec<String>,
    /// Notices that a reader must see first, in the first lines of every report: input that can be
    /// read in two ways, sizes and places that can hardly be meant, bodies that move and are not
    /// checked.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notices: Vec<Diagnostic>,
    /// Parts of this cell that are not checked.
    pub unchecked: Vec<Diagnostic>,
    /// Notes that leave nothing unchecked.
    #[serde(default)]
    pub notes: Vec<Diagnostic>,
    /// Why nothing could be answered, when the cell itself could not be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// Where in the input that is, when it lies in one place of a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_at: Option<Location>,
    /// One entry per program, in the order given.
    pub programs: Vec<ProgramOutcome>,
    /// Where the seconds went.
    pub timing: Timing,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}
