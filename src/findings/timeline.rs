//! Facts about runs with several programs on one clock, and about events along a program.

/// The programs and events behind a motion.
#[derive(
    Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct TimelineFacts {
    /// The programs that share the clock, when there are several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub programs: Vec<Participant>,
    /// The verdict holds for every relative delay of their starts up to this, seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub any_delay: Option<f64>,
    /// The verdict holds for every instant of each program beside every instant of the others:
    /// whatever their delays, their speeds and where they wait.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub any_progress: bool,
    /// The intervals between events that change bodies or pairs, where there are such.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub phases: Vec<PhaseFact>,
    /// The events along the motion, by time.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub events: Vec<EventFact>,
}

/// One of several programs.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Participant {
    /// File as the user named it.
    pub program: String,
    /// Robot that it moves, where the user named it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub robot: Option<String>,
    /// Time on the common clock at which its own clock is at 0, seconds.
    pub offset: f64,
    /// Its own last time minus its first, seconds.
    pub duration: f64,
    /// Whether its times are estimates.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub estimated: bool,
    /// Number of waypoints.
    pub waypoints: usize,
    /// By how much its start is delayed in the case that was found, seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub delay: Option<f64>,
    /// Where it is at the first contact.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<ProgramPlace>,
    /// Bodies and joints that it moves, by their names.
    #[serde(skip)]
    pub moves: Vec<String>,
    /// Its waypoints: time on the common clock, and line in the file.
    #[serde(skip)]
    pub lines: Vec<(f64, usize)>,
}

/// An interval of the motion in which the same bodies move and the same pairs are checked.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct PhaseFact {
    /// Begin, on the clock of the motion.
    pub from: f64,
    /// End.
    pub until: f64,
    /// Pairs of bodies that are checked in it.
    pub pairs: usize,
    /// How many of them have a threshold of their own.
    pub own_thresholds: usize,
}

/// A place in one program.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ProgramPlace {
    /// Time on the program's own clock, seconds; before its start and after its end it waits.
    pub time: f64,
    /// Segment: 0 lies between the first and the second waypoint.
    pub segment: usize,
    /// Share of that segment that has passed, 0 … 1.
    pub fraction: f64,
    /// Lines of the two waypoints in the program's file, 1-based.
    pub lines: [usize; 2],
}

/// Something that happened along the motion.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct EventFact {
    /// When, on the clock of the motion (seconds, or waypoint number from 0).
    pub time: f64,
    /// What, as a sentence.
    pub what: String,
    /// File and line that say so.
    pub by: String,
    /// Lines of the waypoints before and after it in the program's file, 1-based; twice the same
    /// at a waypoint. Not where several programs share the clock.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<[usize; 2]>,
    /// The files of these lines, where one is not the program's own: a routine of another file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub files: Option<[String; 2]>,
    /// The same of its end, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until_lines: Option<[usize; 2]>,
    /// The files of those.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until_files: Option<[String; 2]>,
}
