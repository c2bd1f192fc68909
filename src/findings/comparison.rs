//! The same question answered by every method, side by side.

use super::{Contact, Promise, Statistics, Verdict};

/// One method and its answer.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct MethodAnswer {
    /// Method in time.
    pub method: String,
    /// Method in shape.
    pub shape: String,
    /// The guarantee behind its answers.
    pub promise: Promise,
    /// Answer.
    pub verdict: Verdict,
    /// Earliest contact, or undecided interval, that it found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_contact: Option<Contact>,
    /// Work done.
    pub statistics: Statistics,
    /// Whether this method cannot be used in this cell at all; `error` says why. The verdict is
    /// `unverified` then, but says nothing about the program.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub refused: bool,
    /// Contacts that it found may be farther apart than the threshold by so much, metres; absent
    /// where triangles are exact.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coarseness: Option<f64>,
    /// Which pairs another method looked at, and why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fallback: Option<String>,
    /// Why it has no verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// One program, by every method.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ProgramComparison {
    /// File as the user named it.
    pub program: String,
    /// Whether times are seconds (else waypoint numbers).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timed: Option<bool>,
    /// Every method, the product's own first.
    pub methods: Vec<MethodAnswer>,
    /// Answers that cannot all be right: there should be none.
    pub contradictions: Vec<String>,
}

impl ProgramComparison {
    /// Answers of the methods that cannot all be right.
    pub fn contradictions(methods: &[MethodAnswer]) -> Vec<String> {
        let name = |method: &MethodAnswer| format!("{} / {}", method.method, method.shape);
        let proved = methods.iter().filter(|w| w.verdict == Verdict::Clear);
        let mut found = Vec::new();
        for clear in proved {
            // A contact that is found from a distance does not contradict a proof.
            let hits = methods
                .iter()
                .filter(|w| w.verdict == Verdict::Collision && w.promise.hits_exactly());
            found.extend(
                hits.map(|hit| format!("{} proves clear what {} hits", name(clear), name(hit))),
            );
        }
        let firsts = methods.iter().filter_map(|method| {
            let found = method.first_contact.as_ref()?;
            (method.verdict == Verdict::Collision).then_some((method, found))
        });
        for (early, hit) in firsts.clone().filter(|(w, _)| w.promise.hits_exactly()) {
            for (late, proof) in firsts.clone().filter(|(w, _)| w.promise.proves()) {
                if hit.time < proof.free_until {
                    found.push(format!(
                        "{} proves free up to {} what {} hits at {}",
                        name(late),
                        proof.free_until,
                        name(early),
                        hit.time
                    ));
                }
            }
        }
        found
    }
}

/// The same question by every method. Field names are those of `compare --format json`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Comparison {
    /// Version of this structure: [`super::SCHEMA`].
    pub schema: u32,
    /// Always `clearance`.
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Cell file, or the URDF in the short form.
    pub cell: String,
    /// Threshold D, metres.
    pub required_clearance: f64,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// From one instant to the next, for methods that look at instants.
    pub step: String,
    /// Whether the cell file has errors in `[uncertainty]`: they are allowed for by none of these
    /// answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ideal_motion_only: bool,
    /// One entry per program, in the order given.
    pub programs: Vec<ProgramComparison>,
}
