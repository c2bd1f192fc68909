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
            None => note.subject.replace(&program.program, "the program"),
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
