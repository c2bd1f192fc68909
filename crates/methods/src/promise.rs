//! The worth of a method's answer.

/// The guarantee behind a method's answer.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// Proves `clear`; contacts are those of the exact triangles.
    Exact,
    /// Proves `clear`; may call contact what is a little farther apart than the threshold.
    Conservative,
    /// Looks at instants: never says `clear`.
    Samples,
    /// Looks at instants, and may call contact what is a little farther apart than the threshold.
    RoughSamples,
}

impl Promise {
    /// Whether it proves `clear`.
    pub fn proves(self) -> bool {
        matches!(self, Promise::Exact | Promise::Conservative)
    }

    /// Whether its contacts are those of the exact triangles.
    pub fn hits_exactly(self) -> bool {
        matches!(self, Promise::Exact | Promise::Samples)
    }
}
