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

    /// The same for one of the job's own.
    pub(super) fn own(self) -> SharedValue {
        (self.kind.letter.to_ascii_lowercase(), self.number)
    }
}

/// A place of a text that names variables.
pub(super) struct NamedVariables<'t> {
    pub(super) kind: VariableKind,
    /// `000` of `B000`.
    pub(super) digits: &'t str,
    /// Whether a number in brackets follows (`B[B000]`).
    pub(super) in_brackets: bool,
}

impl NamedVariables<'_> {
    /// The variable; none: its number does not stand in the name.
    pub(super) fn variable(&self) -> Option<InformVariable> {
        let number = self.digits.parse().ok()?;
        Some(self.kind.numbered(number))
    }
}

/// All variables that a text names, wherever it does.
pub(super) fn named(text: &str) -> impl Iterator<Item = NamedVariables<'_>> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    let names = std::iter::from_fn(move || {
        rest = &rest[rest.find(is_of_name)?..];
        let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        rest = behind;
        Some((name, behind))
    });
    names.filter_map(|(name, behind)| {
        let (kind, digits) = VariableKind::of(name)?;
        let in_brackets = behind.trim_start().starts_with('[');
        Some(NamedVariables {
            kind,
            digits,
            in_brackets,
        })
    })
}

impl fmt::Display for InformVariable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let own = if self.kind.own { "L" } else { "" };
        write!(f, "{own}{}{:03}", self.kind.letter, self.number)
    }
}
