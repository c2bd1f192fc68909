//! The answer to one line of `clearance serve`.

use super::{ProgramOutcome, Verdict};

/// The answer to one line.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ServedAnswer {
    /// Its place in the input, counted from 1.
    pub line: usize,
    /// The line's own id, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<serde_json::Value>,
    /// Answer; `unverified` where the line could not be understood.
    pub verdict: Verdict,
    /// The program's entry of the JSON report.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub outcome: Option<Box<ProgramOutcome>>,
    /// Why the line could not be understood: there is no outcome then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}
