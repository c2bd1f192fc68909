//! The label in front of a program.

use crate::findings::{ProgramOutcome, Verdict};

/// The label in front of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::render) enum Label {
    Clear,
    /// Nothing is hit, but a joint leaves its limits.
    Limit,
    Unverified,
    Undecided,
    /// Clear, but not for every error within the budgets.
    Possible,
    Collision,
}

impl Label {
    pub(in crate::render) fn of(program: &ProgramOutcome) -> Self {
        match program.verdict {
            Verdict::Clear if program.limits.is_empty() => Label::Clear,
            Verdict::Clear => Label::Limit,
            Verdict::Unverified => Label::Unverified,
            Verdict::Undecided => Label::Undecided,
            Verdict::Possible => Label::Possible,
            Verdict::Collision => Label::Collision,
        }
    }

    /// From best to worst.
    pub(super) const ALL: [Label; 6] = [
        Label::Clear,
        Label::Limit,
        Label::Unverified,
        Label::Undecided,
        Label::Possible,
        Label::Collision,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Label::Clear => "CLEAR",
            Label::Limit => "LIMIT",
            Label::Unverified => "UNVERIFIED",
            Label::Undecided => "UNDECIDED",
            Label::Possible => "POSSIBLE",
            Label::Collision => "COLLISION",
        }
    }

    /// Green, red, yellow.
    pub(super) fn color(self) -> &'static str {
        match self {
            Label::Clear => "\x1b[1;32m",
            Label::Collision | Label::Limit => "\x1b[1;31m",
            Label::Unverified | Label::Undecided | Label::Possible => "\x1b[1;33m",
        }
    }
}
