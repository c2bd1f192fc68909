//! Facts that a reader must know besides the answer: one type, from wherever they come.

use super::Location;

/// Something that a reader must know.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Diagnostic {
    /// The kind of fact.
    pub code: Code,
    /// Its meaning for the verdict.
    pub severity: Severity,
    /// Body, file, joint or pair that it is about.
    pub subject: String,
    /// Where the input says what it is about, if that is one place and known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Location>,
    /// The fact itself, in words.
    pub message: String,
}

impl Diagnostic {
    /// What leaves nothing unchecked.
    pub fn note(code: Code, subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Note,
            subject: subject.into(),
            place: None,
            message: message.into(),
        }
    }

    /// Something that can hardly be meant: it is said first.
    pub fn notice(code: Code, subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Notice,
            ..Self::note(code, subject, message)
        }
    }

    /// The same with the place in an input that it is about, where that is known.
    pub fn at(self, place: impl Into<Option<Location>>) -> Self {
        Self {
            place: place.into(),
            ..self
        }
    }

    /// Whether it leaves the question open: the verdict can then not be better than `unverified`.
    pub fn is_open(&self) -> bool {
        self.severity == Severity::Open
    }
}

/// The meaning of a diagnostic for the verdict.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Noticed; nothing is unchecked on its account.
    Note,
    /// Something is not checked; the verdict does not speak of it.
    Unchecked,
    /// To be seen before the verdict is believed.
    Notice,
    /// The question stays open: the verdict cannot be better than `unverified`.
    Open,
}

impl Severity {
    /// As reports write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Unchecked => "unchecked",
            Severity::Notice => "notice",
            Severity::Open => "open",
        }
    }
}

/// The enum, its words and the list of all of them: none can be forgotten in one of the three.
macro_rules! codes {
    ($($(#[$meaning:meta])* $name:ident = $word:literal,)*) => {
        /// Kinds of diagnostics. Reports, scripts and stored alerts rely on the words;
        /// docs/findings.md has a heading for each.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum Code {
            $($(#[$meaning])* #[serde(rename = $word)] $name,)*
        }

        impl Code {
            /// All of them.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// As reports write it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $word,)*
                }
            }
        }
    };
}

codes! {
    /// A COLLADA mesh states an up axis, and nothing says whether it counts.
    UpAxis = "up-axis",
    /// A size that does not fit the robot or the neighbours.
    SuspiciousScale = "suspicious-scale",
    /// A place where a body can hardly be meant to stand.
    SuspiciousPlace = "suspicious-place",
    /// Angles of a pose that look like degrees.
    SuspiciousRpy = "suspicious-rpy",
    /// Joint values of a table that look like radians where its header says degrees.
    SuspiciousAngles = "suspicious-angles",
    /// Parts of a robot that stand where a URDF is not read.
    MisplacedElement = "misplaced-element",
    /// Limits of turning joints that look like degrees.
    SuspiciousLimits = "suspicious-limits",
    /// A threshold that does not fit the robot.
    SuspiciousClearance = "suspicious-clearance",
    /// Times that look like milliseconds.
    SuspiciousTimes = "suspicious-times",
    /// No pair of bodies was checked.
    NothingChecked = "nothing-checked",
    /// A link that moves has a shape to look at and none to check.
    UncheckedLink = "unchecked-link",
    /// A body that stands still has a shape to look at and none to check.
    UncheckedBody = "unchecked-body",
    /// A link that moves has a mass, and no shape at all.
    UncheckedMass = "unchecked-mass",
    /// A link that the cell file leaves out of the check, with a reason.
    Accepted = "accepted",
    /// A mesh that is not closed, or not everywhere.
    SurfaceOnly = "surface-only",
    /// The way to the first waypoint is not part of the program.
    LateStart = "late-start",
    /// Programs with stamps run together, and nothing says how far apart they begin.
    UnstatedOffset = "unstated-offset",
    /// Something in a controller's program could move the arm and is not known.
    UnknownMotion = "unknown-motion",
    /// Poses in a controller's program lie beside the model of the robot.
    ModelDiffers = "model-differs",
    /// Where the first target of a controller's program is, to be held against the pendant.
    FirstTarget = "first-target",
    /// The result of one of several ways through a controller's program.
    Way = "way",
    /// Statements of a controller's program that cannot move the arm.
    PassedOver = "passed-over",
    /// An event puts a body elsewhere; its way there is not checked.
    MovedByEvent = "moved-by-event",
    /// An object that the robot carries by a message, and that the cell does not have.
    CarriedObject = "carried-object",
    /// Corners that the controller may round.
    RoundedCorners = "rounded-corners",
    /// How the tool turns on a straight move.
    ToolOrientation = "tool-orientation",
    /// Times of a program that states none, as they were estimated for a clock that it shares with
    /// others.
    EstimatedTimes = "estimated-times",
    /// Acceleration limits that cannot be judged.
    UnjudgedAcceleration = "unjudged-acceleration",
    /// Joints that follow another one leave their own limits.
    FollowerLimits = "follower-limits",
    /// Joint limits are not checked, as somebody has asked.
    UnjudgedLimits = "unjudged-limits",
    /// Joints that keep the cell's values.
    RestingJoints = "resting-joints",
    /// A column of a joint that follows another one.
    FollowingJoint = "following-joint",
    /// About a whole turn from one waypoint to the next.
    FullTurn = "full-turn",
    /// A long interval of a recording in which nothing was measured.
    RecordingGap = "recording-gap",
    /// Limits of a joint that a URDF does not state, or that mean nothing.
    MissingLimits = "missing-limits",
    /// Limits beyond those of the URDF.
    WiderLimits = "wider-limits",
    /// A value of the cell file outside the limits of its joint.
    RestOutsideLimits = "rest-outside-limits",
    /// Links that count as neighbours across several joints, whose axes meet.
    BallJoint = "ball-joint",
    /// An SRDF of a robot with another name, or a scene of it that allows pairs.
    OtherRobot = "other-robot",
    /// A name or pattern that stands for nothing.
    StaleName = "stale-name",
    /// An attribute that looks like a known one.
    MisspeltAttribute = "misspelt-attribute",
    /// A file that xacro includes where it is there, and is not.
    SkippedInclude = "skipped-include",
    /// A `<mimic>` of a fixed joint.
    IgnoredMimic = "ignored-mimic",
    /// A URDF that the second reader cannot read.
    ReadOnce = "read-once",
    /// How a mesh file was read.
    MeshFile = "mesh-file",
    /// How a point cloud was read.
    CloudFile = "cloud-file",
    /// Space that a point cloud does not show.
    UnseenSpace = "unseen-space",
    /// Parts of a scene that are not used.
    SceneFile = "scene-file",
    /// Holes of a mesh that were closed.
    ClosedMesh = "closed-mesh",
    /// Visual geometry that is checked.
    VisualAsCollision = "visual-as-collision",
    /// A shape that is checked by a larger one.
    LargerShape = "larger-shape",
    /// A `[[pair]]` without effect.
    IdlePair = "idle-pair",
    /// An allowance without effect.
    IdleAllowance = "idle-allowance",
    /// An `[[unchecked]]` without effect.
    IdleUnchecked = "idle-unchecked",
    /// Pairs that are not watched for near misses.
    UnwatchedPair = "unwatched-pair",
    /// Pairs that another method looks at than the one that was asked for.
    OtherMethod = "other-method",
    /// The cell file of the folder is used: none was named.
    DefaultCell = "default-cell",
    /// The tree cache cannot be used.
    TreeCache = "tree-cache",
    /// An octree that is coarser than asked for.
    CoarseCubes = "coarse-cubes",
}
