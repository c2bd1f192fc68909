//! A program's answer beside that of an earlier run.

use super::Verdict;

/// The change of a program since an earlier run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The earlier run does not know it.
    New,
    /// It was clear and within its limits, and is not any more.
    NewlyBroken,
    /// It was not, and is now.
    NewlyFixed,
    /// It has another verdict, and was and is not clear.
    Verdict,
    /// The same verdict, and a least clearance that is proved to differ.
    Clearance,
    /// Nothing that matters.
    None,
}

/// A program's answer beside that of an earlier run.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Versus {
    /// The change.
    pub change: Change,
    /// Whether it was checked again; if not, the change of the cell cannot concern it, and the
    /// earlier answer holds.
    pub checked: bool,
    /// Verdict of the earlier run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verdict: Option<Verdict>,
    /// Number of limits that it violated then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limits: Option<usize>,
    /// Least clearance of the earlier run, metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub distance: Option<f64>,
}
