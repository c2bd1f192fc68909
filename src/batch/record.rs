//! The lines of a result file.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::findings::{Code, Outcome, ProgramOutcome, SCHEMA, Tally, Timing, Verdict};

/// Version of the result file. Its lines are entries of the JSON report, so the two have one
/// number.
pub const RESULTS: u32 = SCHEMA;

/// The sources that this program is built of, as a digest: answers that another build has found
/// are found again.
pub const BUILD: &str = env!("CLEARANCE_SOURCES");

/// A box in the world: least x, y, z, then greatest x, y, z, metres.
pub type Corners = [f64; 6];

/// The question. Answers to different questions are not joined.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnswerOptions {
    /// Threshold D, metres.
    pub required_clearance: f64,
    /// Warn distance, metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub warn: Option<f64>,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// Whether joint limits are checked.
    pub limits: bool,
    /// Every contact interval of every pair.
    pub all: bool,
    /// Certified least clearance.
    pub minimum: bool,
    /// Whether `--minimum` asks for that of all pairs together only.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub minimum_overall: bool,
    /// With `--minimum-pairs`: the distance below which a pair is listed, metres.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub minimum_pairs: Option<f64>,
    /// Whether it is asked how many times the budget of errors is still clear.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub margin: bool,
    /// Whether allowed pairs are audited.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub audit_allowed: bool,
    /// Path law, where it is not the program's own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interpolation: Option<String>,
    /// The routine that was named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub routine: Option<String>,
    /// How far the tool may be off an even turn, as a share of the angle.
    #[serde(default)]
    pub orientation_tube: f64,
    /// Whether rounded corners are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub exact_corners: bool,
    /// Method in time.
    pub method: String,
    /// Method in shape.
    pub shape: String,
    /// Whether lines hold the time that each check took.
    pub timings: bool,
}

/// The programs of the batch.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BatchExtent {
    /// How many programs the whole batch has.
    pub programs: usize,
    /// Hash of their names.
    pub names: String,
    /// Which part of them this file is about, `K/N`; absent: all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shard: Option<String>,
}

/// The earlier run that answers are compared with.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Earlier {
    /// Its result file, as the user named it.
    pub file: String,
    /// Hash of that file.
    pub hash: String,
}

/// A body that is fixed to the world.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StandingBody {
    /// Its name.
    pub name: String,
    /// Hash of its shapes.
    pub hash: String,
    /// Where it stands: x, y, z (metres), then the quaternion x, y, z, w.
    pub pose: [f64; 7],
    /// Boxes that hold it.
    pub boxes: Vec<Corners>,
    /// Moving bodies that it is checked against: their place in `moving`, the threshold of the
    /// pair, and the distance from which on the pair cannot be a near miss either, metres.
    pub pairs: Vec<(usize, f64, f64)>,
}

/// First line: what was asked, about which cell.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ResultHeader {
    /// Version of the file's structure.
    pub results: u32,
    /// Always `clearance`.
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// `BUILD` of the tool; empty in files from before there was such a digest.
    #[serde(default)]
    pub build: String,
    /// Hash of everything besides a program that its answer depends on: tool version, question,
    /// cell.
    pub key: String,
    /// Hash of the cell: joints, bodies, meshes, poses, pairs.
    pub cell_hash: String,
    /// The question.
    pub options: AnswerOptions,
    /// The programs of the batch.
    pub batch: BatchExtent,
    /// The earlier run that answers are compared with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub baseline: Option<Earlier>,
    /// The JSON report without programs, verdict and timing.
    pub about: serde_json::Map<String, serde_json::Value>,
    /// Hash of what moves: joints, moving bodies, pairs among them, and what stays open in the
    /// cell.
    pub moving_hash: String,
    /// Moving bodies, as `pairs` of a standing body counts them.
    pub moving: Vec<String>,
    /// Bodies that are fixed to the world.
    pub standing: Vec<StandingBody>,
}

/// Fields of the report that a header cannot know.
const LATER: [&str; 3] = ["programs", "verdict", "timing"];

/// The report without its programs, for the header, and without what is of the machine: equal runs
/// give equal files.
pub(super) fn about(mut outcome: Outcome) -> serde_json::Map<String, serde_json::Value> {
    outcome.notes.retain(|note| note.code != Code::TreeCache);
    let mut fields = match serde_json::to_value(outcome) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    fields.retain(|name, _| !LATER.contains(&name.as_str()));
    fields
}

/// Fields of the report that list what has to be known of the cell. Its notes may be of the machine.
const REMARKS: [&str; 2] = ["notices", "unchecked"];

impl ResultHeader {
    /// Adds what another part of the batch has to say of the cell: runs whose answers are the same
    /// may have noticed different things.
    pub(super) fn add_remarks(&mut self, other: &ResultHeader) {
        for field in REMARKS {
            let list = |header: &ResultHeader| {
                let list = header.about.get(field).and_then(Value::as_array);
                list.cloned().unwrap_or_default()
            };
            let mut all = list(self);
            let new = list(other).into_iter().filter(|new| !all.contains(new));
            let new: Vec<Value> = new.collect();
            if !new.is_empty() {
                all.extend(new);
                self.about.insert(field.to_owned(), Value::Array(all));
            }
        }
    }

    /// The report with this verdict, without its programs.
    ///
    /// # Errors
    /// When the header does not hold one.
    pub fn outcome(&self, verdict: Verdict) -> Result<Outcome, serde_json::Error> {
        let mut fields = self.about.clone();
        fields.insert("programs".to_owned(), serde_json::Value::Array(Vec::new()));
        fields.insert("verdict".to_owned(), serde_json::to_value(verdict)?);
        fields.insert(
            "timing".to_owned(),
            serde_json::to_value(Timing::default())?,
        );
        serde_json::from_value(serde_json::Value::Object(fields))
    }
}

/// One program's line.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Record {
    /// Its answer.
    #[serde(flatten)]
    pub outcome: ProgramOutcome,
    /// Lines of its waypoints: [first line, step, count] for every run of lines with the same step.
    /// None are given of more than 2^24 waypoints.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        default,
        deserialize_with = "few_lines"
    )]
    pub lines: Vec<[usize; 3]>,
    /// Hash of its file; absent if that could not be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hash: Option<String>,
}

impl Record {
    /// A record of this answer; lines go into their own field.
    pub fn new(mut outcome: ProgramOutcome) -> Self {
        let lines = runs(&std::mem::take(&mut outcome.lines));
        Self {
            lines: if are_few(&lines) { lines } else { Vec::new() },
            outcome,
            hash: None,
        }
    }

    /// Reads one from the text of a line.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn read(text: &[u8]) -> Result<Self, serde_json::Error> {
        /// What stands beside the answer.
        #[derive(serde::Deserialize)]
        struct RecordExtras {
            #[serde(default, deserialize_with = "few_lines")]
            lines: Vec<[usize; 3]>,
            #[serde(default)]
            hash: Option<String>,
        }
        // Reading twice takes half of the time: a reader of both at once has to keep every field
        // until it is known whose it is.
        let RecordExtras { lines, hash } = serde_json::from_slice(text)?;
        Ok(Self {
            outcome: serde_json::from_slice(text)?,
            lines,
            hash,
        })
    }

    /// How much room its name takes in a report that names what there is something to say about.
    pub(super) fn name_width(&self) -> usize {
        name_width(&self.outcome.program, self.is_good())
    }

    fn is_good(&self) -> bool {
        let found = &self.outcome;
        found.verdict == Verdict::Clear
            && found.limits.is_empty()
            && found.near_misses.is_empty()
            && found.notices.is_empty()
    }

    /// The answer with its lines and its hash.
    pub fn into_outcome(mut self) -> ProgramOutcome {
        self.give_lines_to_outcome();
        self.outcome.hash = self.hash;
        self.outcome
    }

    pub(super) fn give_lines_to_outcome(&mut self) {
        self.outcome.lines = expanded(&self.lines);
    }
}

/// The part of a record that resuming and counting need: the rest is skipped over.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Brief {
    pub(super) program: String,
    pub(super) verdict: Verdict,
    #[serde(default)]
    limits: Vec<IgnoredAny>,
    #[serde(default)]
    near_misses: Vec<IgnoredAny>,
    #[serde(default)]
    notices: Vec<IgnoredAny>,
    #[serde(default)]
    pub(super) hash: Option<String>,
    #[serde(default)]
    pub(super) given_up_after: Option<f64>,
    #[serde(default)]
    unsettled: bool,
}

impl Brief {
    /// Whether both are the answer for one program.
    pub(super) fn says_the_same(&self, other: &Brief) -> bool {
        (&self.hash, self.verdict) == (&other.hash, other.verdict)
    }

    /// Whether there is nothing to say about it.
    fn is_good(&self) -> bool {
        self.verdict == Verdict::Clear
            && self.limits.is_empty()
            && self.near_misses.is_empty()
            && self.notices.is_empty()
    }

    /// How much room its name takes in a report that names what there is something to say about.
    pub(super) fn name_width(&self) -> usize {
        name_width(&self.program, self.is_good())
    }

    pub(super) fn count(&self, tally: &mut Tally) {
        tally.add_one(
            self.verdict,
            !self.limits.is_empty(),
            !self.near_misses.is_empty(),
        );
        tally.suspicious += usize::from(!self.notices.is_empty());
        tally.unsettled += usize::from(self.unsettled);
    }
}

/// Room of a name in characters; none for a program of which there is nothing to say.
fn name_width(name: &str, good: bool) -> usize {
    if good { 0 } else { name.chars().count() }
}

/// Last line of a file that is complete.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Footer {
    /// How many programs have which answer.
    pub finished: Tally,
    /// Programs of the earlier run that the batch does not have any more.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub gone: Vec<String>,
}

/// Most lines that a record tells of: what is read must not fill the memory.
const MOST_LINES: usize = 1 << 24;

/// Whether runs tell of so few lines that they can be expanded, and of numbers that there are.
fn are_few(runs: &[[usize; 3]]) -> bool {
    let mut counts = runs.iter().map(|&[first, step, count]| {
        let last = step.checked_mul(count)?.checked_add(first);
        last.map(|_| count)
    });
    let sum = counts.try_fold(0usize, |sum, count| sum.checked_add(count?));
    sum.is_some_and(|sum| sum <= MOST_LINES)
}

fn few_lines<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Vec<[usize; 3]>, D::Error> {
    let runs: Vec<[usize; 3]> = serde::Deserialize::deserialize(source)?;
    if are_few(&runs) {
        Ok(runs)
    } else {
        Err(serde::de::Error::custom(format!(
            "it tells of more than {MOST_LINES} lines"
        )))
    }
}

/// Numbers as runs of equal steps: `[first, step, count]`.
fn runs(lines: &[usize]) -> Vec<[usize; 3]> {
    let mut runs: Vec<[usize; 3]> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some(run) if run[2] == 1 && line >= run[0] => {
                run[1] = line - run[0];
                run[2] = 2;
            }
            Some(run) if run[2] > 1 && line == run[0] + run[1] * run[2] => run[2] += 1,
            _ => runs.push([line, 0, 1]),
        }
    }
    runs
}

fn expanded(runs: &[[usize; 3]]) -> Vec<usize> {
    let numbers = runs.iter();
    numbers
        .flat_map(|&[first, step, count]| (0..count).map(move |k| first + k * step))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Versus;

    #[test]
    fn more_lines_than_any_program_has_are_not_read() {
        let whole: ProgramOutcome = serde_json::from_str(
            r#"{"program":"p","verdict":"clear","statistics":{"intervals":0,"distance_tests":0,"triangle_tests":0,"pairs":0}}"#,
        )
        .unwrap();
        let text = serde_json::to_value(Record::new(whole)).unwrap();
        let read = |lines: serde_json::Value| {
            let mut text = text.clone();
            text["lines"] = lines;
            serde_json::from_value::<Record>(text).map(|r| r.into_outcome().lines.len())
        };
        assert_eq!(read(serde_json::json!([[2, 1, 5], [9, 0, 1]])).unwrap(), 6);
        for many in [
            serde_json::json!([[1, 1, 4294967295u64]]),
            serde_json::json!([[1, 1, u64::MAX]]),
            serde_json::json!([[1, 0, 1 << 24], [1, 0, 1]]),
            serde_json::json!([[1, u64::MAX, 3]]),
            serde_json::json!([[u64::MAX, 1, 1]]),
        ] {
            let refused = read(many.clone());
            assert!(refused.is_err(), "{many}: {refused:?}");
        }
    }

    /// Catches a field that is read otherwise than by the derived reader of all at once.
    #[test]
    fn a_line_is_read_as_it_was_written() {
        let mut record = Record::new(ProgramOutcome {
            program: "p#1".to_owned(),
            verdict: Verdict::Undecided,
            duration: Some(1.0 / 3.0),
            lines: vec![4, 5, 6, 9],
            error: Some("\"quoted\"\n".to_owned()),
            ..ProgramOutcome::unknown()
        });
        for hash in [None, Some("00ff".to_owned())] {
            record.hash = hash;
            record.outcome.baseline =
                (record.hash.is_some()).then(|| Versus::new(None, &record.outcome, true));
            let text = serde_json::to_vec(&record).unwrap();
            assert_eq!(Record::read(&text).unwrap(), record);
            let at_once: Record = serde_json::from_slice(&text).unwrap();
            assert_eq!(at_once, record);
        }
        let most =
            r#"{"program":"p","verdict":"clear","lines":[[1,0,16777216],[1,0,1]],"statistics":{}}"#;
        assert!(Record::read(most.as_bytes()).is_err());
        assert!(Record::read(b"{").is_err());
    }

    #[test]
    fn runs_of_lines_come_back() {
        for (lines, count) in [
            (vec![], 0),
            (vec![7], 1),
            (vec![2, 3, 4, 5, 6], 1),
            (vec![5, 9, 13, 17, 18, 19], 2),
            (vec![3, 2, 1], 3),
            (vec![1, 1, 1], 1),
        ] {
            let packed = runs(&lines);
            assert_eq!(expanded(&packed), lines);
            assert_eq!(packed.len(), count, "{packed:?}");
        }
    }
}
