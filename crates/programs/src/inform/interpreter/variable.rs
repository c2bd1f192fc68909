//! Variables of jobs, by their names.

use std::fmt;

use crate::answers::SharedValue;

/// Bytes, integers, double integers and reals.
const LETTERS: &str = "BIDR";

/// Which variables a name is one of: `B` in `B000`, `LB` in `LB000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::inform) struct VariableKind {
    /// Whether they are the job's own (`LB000`).
    pub(super) own: bool,
    /// `B`, `I`, `D` or `R`.
    pub(super) letter: char,
}

impl VariableKind {
    /// The kind at the start of a name, and what stands behind it; none: it names something else.
    pub(super) fn of(name: &str) -> Option<(Self, &str)> {
        let own = name.strip_prefix('L');
        let mut rest = own.unwrap_or(name).chars();
        let letter = rest.next().filter(|&c| LETTERS.contains(c))?;
        let own = own.is_some();
        Some((Self { own, letter }, rest.as_str()))
    }

    /// The variable of this number.
    pub(super) fn numbered(self, number: u32) -> InformVariable {
        InformVariable { kind: self, number }
    }
}

/// A variable that holds a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::inform) struct InformVariable {
    pub(super) kind: VariableKind,
    pub(super) number: u32,
}

impl InformVariable {
    /// What it is for answers; none: it is the job's own, which nothing else sets.
    pub(super) fn shared(self) -> Option<SharedValue> {
        (!self.kind.own).then_some((self.kind.letter, self.number))
    }
}

impl fmt::Display for InformVariable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let own = if self.kind.own { "L" } else { "" };
        write!(f, "{own}{}{:03}", self.kind.letter, self.number)
    }
}
