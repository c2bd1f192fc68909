//! The answer to "how near is it, standing like this?".

use super::{ContactKind, Verdict};

/// Two bodies at one configuration.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PairDistance {
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// `contact`: surfaces; `inside`: one body within the other, a solid (the distance is then 0).
    pub kind: ContactKind,
    /// Distance of the surfaces, metres.
    pub distance: f64,
    /// Closest point on `a`, world frame, metres.
    pub point_a: [f64; 3],
    /// Closest point on `b`, world frame, metres.
    pub point_b: [f64; 3],
    /// Unit direction from `b` to `a`, world frame. None where the surfaces meet: the two points are
    /// one then, and have no direction between them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub normal: Option<[f64; 3]>,
}

/// The answer for one configuration: one line of JSON.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DistanceAnswer {
    /// Number of the input line, 1-based.
    pub line: usize,
    /// `clear`: every pair is farther apart than its threshold; `collision`; `unverified`: see
    /// `error`.
    pub verdict: Verdict,
    /// The nearest pair.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nearest: Option<PairDistance>,
    /// Proved: no pair is nearer than this, metres; with `--tolerance` this is what is reported of the
    /// distance. Only with `--min`, `--max` or `--tolerance`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_least: Option<f64>,
    /// Pairs within their thresholds.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub contacts: Vec<PairDistance>,
    /// Joints outside their position limits, by the names that programs use.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub beyond_limits: Vec<String>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

impl DistanceAnswer {
    /// The answer to a line that cannot be answered.
    pub fn refused(line: usize, why: String) -> Self {
        DistanceAnswer {
            line,
            verdict: Verdict::Unverified,
            nearest: None,
            at_least: None,
            contacts: Vec::new(),
            beyond_limits: Vec::new(),
            error: Some(why),
        }
    }
}
