//! The contacts of allowed pairs along a program: the answer to `--audit-allowed`.

use super::{ContactKind, Location};

/// The contacts that allowances of a cell and of a program's events hid along the program. The
/// verdict does not depend on them.
#[derive(
    Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Audit {
    /// Every allowance, in the order of the cell's files, then those of events. In results of a
    /// batch only those that hid a contact, each with the pairs that touch.
    pub allowances: Vec<AuditedAllowance>,
    /// In results of a batch: how many there are besides.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unlisted: Option<Unlisted>,
}

/// Numbers of what results of a batch do not list.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct Unlisted {
    /// Allowed pairs that never come within their thresholds.
    pub pairs: usize,
    /// Allowances that hid nothing.
    pub nothing: usize,
    /// Allowances that take no pair out of the check.
    pub idle: usize,
    /// Allowances that name what does not exist.
    pub stale: usize,
}

/// One `disable_collisions` of an SRDF, one `[[allow]]`, one `touch`, or one event.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct AuditedAllowance {
    /// Body or pattern.
    pub a: String,
    /// Body or pattern.
    pub b: String,
    /// Who says so.
    pub by: AllowanceSource,
    /// The file that says so, and the line where it is known.
    pub at: Location,
    /// Its stated reason.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub reason: String,
    /// Its effect along the program.
    pub effect: AllowanceEffect,
    /// Why it is idle, if it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Names and patterns in it that stand for nothing in the cell.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub missing: Vec<String>,
    /// The pairs that are not checked on its account.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pairs: Vec<AuditedPair>,
}

/// Who allows a pair.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum AllowanceSource {
    /// An SRDF.
    Srdf,
    /// `[[allow]]` of the cell file.
    Allow,
    /// `touch` of an attachment.
    Touch,
    /// The allowed collision matrix, or `touch_links`, of a scene.
    Scene,
    /// An event of the program.
    Event,
}

/// The effect of an allowance along the program.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum AllowanceEffect {
    /// It hid a contact that is there for a part of the time only.
    Hid,
    /// It hid nothing but contacts of pairs that touch all the time.
    Standing,
    /// It hid nothing: its pairs are proved farther apart than their thresholds, all the time.
    Nothing,
    /// It takes no pair out of the check: its pairs are not checked for another reason.
    Idle,
    /// It names what does not exist.
    Stale,
}

/// A pair of bodies that an allowance takes out of the check.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct AuditedPair {
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// Threshold of the pair if it were checked, metres.
    pub required_clearance: f64,
    /// When it comes within that threshold.
    pub touches: Touches,
    /// Intervals in which it does, by time. Outside of them the pair is proved farther apart.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub contacts: Vec<AllowedContact>,
}

/// When an allowed pair comes within its threshold, of all the time for which it is allowed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Touches {
    /// For a part of the time.
    Here,
    /// All the time, although the two move against each other.
    Always,
    /// All the time, and the two keep their places relative to each other in this program.
    Fixed,
    /// Never.
    Never,
}

/// An interval of time in which an allowed pair is not proved farther apart than its threshold.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct AllowedContact {
    /// Up to here, from the interval before or from the start, the pair is proved farther apart
    /// than its threshold.
    pub entered: f64,
    /// From here on, up to the next interval or the end, it is again.
    pub left: f64,
    /// How the two touch.
    pub kind: ContactKind,
    /// Least distance seen, metres; 0 where the surfaces meet or one body is inside the other.
    pub distance: f64,
    /// Proved: the two overlap so far at `time` that they would have to be moved apart by at least
    /// this, metres. Absent where no point of the one was seen inside the other: surfaces that
    /// touch, or cross like the bars of a fence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<f64>,
    /// Instant of `depth` if there is one, else of `distance`.
    pub time: f64,
    /// Segment of `time`: 0 lies between the first and the second waypoint.
    pub segment: usize,
    /// Share of that segment that has passed at `time`, 0 … 1.
    pub fraction: f64,
}

impl Audit {
    /// All pairs with their allowances, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (&AuditedAllowance, &AuditedPair)> {
        let all = self.allowances.iter();
        all.flat_map(|x| x.pairs.iter().map(move |pair| (x, pair)))
    }

    /// All contacts of all pairs.
    pub fn contacts_mut(&mut self) -> impl Iterator<Item = &mut AllowedContact> {
        let pairs = self.allowances.iter_mut().flat_map(|x| &mut x.pairs);
        pairs.flat_map(|pair| &mut pair.contacts)
    }

    /// How many allowances had an effect.
    pub fn count(&self, effect: AllowanceEffect) -> usize {
        let all = self.allowances.iter();
        let unlisted = self.unlisted.unwrap_or_default();
        let listed = all.filter(|x| x.effect == effect).count();
        listed
            + match effect {
                AllowanceEffect::Hid | AllowanceEffect::Standing => 0,
                AllowanceEffect::Nothing => unlisted.nothing,
                AllowanceEffect::Idle => unlisted.idle,
                AllowanceEffect::Stale => unlisted.stale,
            }
    }

    /// How many allowed pairs touch at such times.
    pub fn count_pairs(&self, touches: Touches) -> usize {
        let listed = self.pairs().filter(|(_, pair)| pair.touches == touches);
        let unlisted = match touches {
            Touches::Never => self.unlisted.unwrap_or_default().pairs,
            _ => 0,
        };
        listed.count() + unlisted
    }

    /// Only what hid a contact, and the numbers of the rest.
    pub fn shortened(mut self) -> Self {
        self.unlisted = Some(Unlisted {
            pairs: self.count_pairs(Touches::Never),
            nothing: self.count(AllowanceEffect::Nothing),
            idle: self.count(AllowanceEffect::Idle),
            stale: self.count(AllowanceEffect::Stale),
        });
        let hid = |effect| matches!(effect, AllowanceEffect::Hid | AllowanceEffect::Standing);
        self.allowances.retain(|allowance| hid(allowance.effect));
        for allowance in &mut self.allowances {
            allowance
                .pairs
                .retain(|pair| pair.touches != Touches::Never);
        }
        self
    }
}
