//! The facts seen in all programs, for the last lines.

use std::collections::BTreeSet;

use super::label::Label;
use crate::findings::{Diagnostic, ProgramOutcome, Tally, Verdict};

/// Different notes of programs that are kept: a batch may have a million.
const KEPT: usize = 100;

/// The facts about all programs, for the last lines.
#[derive(Default)]
pub(super) struct SeenNotes {
    pub(super) programs: usize,
    /// The same by verdict, but for more of what is clear.
    pub(super) tally: Tally,
    /// By label, in their order.
    pub(super) labels: [usize; 6],
    /// Interpolations of the programs of waypoints that were checked.
    pub(super) interpolations: BTreeSet<String>,
    /// Whether a program of moves was checked.
    pub(super) moves: bool,
    /// Worst verdict of those.
    pub(super) worst: Option<Verdict>,
    pub(super) contacts: bool,
    /// Whether something about a program, or about its cell, is not settled.
    pub(super) unsettled: bool,
    /// Fewest and most pairs checked at a time, and the most of them with a threshold of their own.
    pub(super) pairs: Option<[usize; 2]>,
    pub(super) own_thresholds: usize,
    /// Instants that samplers looked at; `None`: no program was sampled.
    pub(super) instants: Option<u64>,
    /// How much farther apart than the threshold contacts may be, metres.
    pub(super) coarseness: f64,
    /// Notes of programs, each once, with the number of programs.
    pub(super) notes: Vec<(Diagnostic, usize)>,
    /// Notes beyond those that are kept.
    pub(super) more_notes: usize,
    /// The first program with the worst label so far, and what is said of it.
    pub(super) worst_program: Option<(Label, String, String)>,
}

impl SeenNotes {
    /// Takes in a note of a program. What differs by the program's name only is the same note.
    pub(super) fn note(&mut self, note: &Diagnostic, program: &ProgramOutcome) {
        let line = note.subject.strip_prefix(&program.program);
        let line = line.and_then(|rest| rest.strip_prefix(':')?.split(':').next());
        let is_number = |l: &&str| !l.is_empty() && l.bytes().all(|b| b.is_ascii_digit());
        let what = match line.filter(is_number) {
            Some(line) => format!("line {line} of the program"),
            None => without_name(&note.subject, &program.program),
        };
        let same =
            |(n, _): &&mut (Diagnostic, usize)| n.subject == what && n.message == note.message;
        if let Some((_, programs)) = self.notes.iter_mut().find(same) {
            *programs += 1;
        } else if self.notes.len() < KEPT {
            let note = Diagnostic {
                subject: what,
                ..note.clone()
            };
            self.notes.push((note, 1));
        } else {
            self.more_notes += 1;
        }
    }
}

/// A subject with `the program` in place of its name. A name may be short, as an id is, and stand
/// within other names.
fn without_name(subject: &str, name: &str) -> String {
    let of_name = |c: char| c.is_alphanumeric() || "_-./\\".contains(c);
    let stands_alone = |at: usize| {
        let [before, after] = [&subject[..at], &subject[at + name.len()..]];
        !before.ends_with(of_name) && !after.starts_with(of_name)
    };
    let mut said = String::new();
    let mut copied = 0;
    for (at, _) in subject.match_indices(name) {
        if !name.is_empty() && stands_alone(at) {
            said += &subject[copied..at];
            said += "the program";
            copied = at + name.len();
        }
    }
    said + &subject[copied..]
}

#[cfg(test)]
mod tests {
    use super::without_name;

    /// Regression: the program of the id `1` made `arm_the program/x` of `arm_1/x`.
    #[test]
    fn names_are_taken_out_where_they_stand_alone() {
        for (subject, name, said) in [
            ("arm_1/x, 1: y", "1", "arm_1/x, the program: y"),
            ("arm/x", "x", "arm/x"),
            ("joints", "", "joints"),
            (
                "joints that a.csv does not name",
                "a.csv",
                "joints that the program does not name",
            ),
            ("data.csv", "a.csv", "data.csv"),
            ("../a.csv, a.csv", "a.csv", "../a.csv, the program"),
        ] {
            assert_eq!(without_name(subject, name), said);
        }
    }
}
