//! Programs about which a brief report says nothing but that they are clear. One of each kind
//! stands for all, so that the lines of the others are not read again.

use super::record::Record;
use crate::findings::{ProgramOutcome, Verdict};

/// Kinds that are told apart; all others are read one by one.
const MOST: usize = u8::MAX as usize;

/// Which programs of a run are alike.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// By place of the program in the sorted list: its kind, from 1 on; 0: read it by itself.
    kinds: Vec<u8>,
    /// The programs of each kind.
    known: Vec<ProgramKind>,
}

/// The facts that a brief report still tells of programs that are alike.
#[derive(Debug, Clone, PartialEq)]
struct ProgramKind {
    interpolation: Option<String>,
    has_moves: bool,
}

impl Alike {
    /// For this many programs, none of which has been seen yet.
    pub(super) fn new(programs: usize) -> Self {
        Self {
            kinds: vec![0; programs],
            known: Vec::new(),
        }
    }

    /// Records the answer for a program.
    pub(super) fn see(&mut self, index: usize, record: &Record) {
        let Some(kind) = nothing_to_say(record) else {
            return;
        };
        let kind = match self.known.iter().position(|known| *known == kind) {
            Some(kind) => kind,
            None if self.known.len() == MOST => return,
            None => {
                self.known.push(kind);
                self.known.len() - 1
            }
        };
        self.kinds[index] = (kind + 1) as u8;
    }

    /// The kind of a program, if it is like others.
    fn kind(&self, index: usize) -> Option<usize> {
        let kind = self.kinds.get(index).copied().unwrap_or(0);
        usize::from(kind).checked_sub(1)
    }

    /// Of `programs` the first of each kind, with how many there are of it, and all that are like no
    /// other one; in their order.
    pub(super) fn firsts(&self, programs: usize) -> Vec<(usize, usize)> {
        let mut firsts: Vec<(usize, usize)> = Vec::new();
        let mut known: Vec<Option<usize>> = vec![None; self.known.len()];
        for index in 0..programs {
            let known = self.kind(index).map(|kind| &mut known[kind]);
            if let Some(&mut Some(first)) = known {
                firsts[first].1 += 1;
                continue;
            }
            if let Some(known) = known {
                *known = Some(firsts.len());
            }
            firsts.push((index, 1));
        }
        firsts
    }
}

/// The kind of a program about which a brief report says nothing else; `None`: there is more to
/// say. A new field does not compile until it is handled here.
fn nothing_to_say(record: &Record) -> Option<ProgramKind> {
    let Record {
        outcome,
        lines: _, // For findings.
        hash: _,  // Not for reports.
    } = record;
    let ProgramOutcome {
        program: _, // Of programs that are clear the first one may be named, and it is read.
        files: _,   // Likewise.
        hash: _,    // Not for reports.
        verdict,
        interpolation,
        duration: _,  // Not of a program that is clear.
        timed: _,     // Likewise.
        waypoints: _, // Likewise.
        joints: _,    // Likewise.
        lines: _,     // Likewise.
        moves,
        first_contact,
        contacts,
        near_misses,
        minimum_clearance: _,   // Likewise.
        pair_minimums: _,       // Likewise.
        others_farther_than: _, // Likewise.
        minimum_by_class: _,    // Likewise.
        margin: _,              // Likewise.
        audit,
        limits,
        full_turns: _, // They are told by remarks.
        notices,
        unchecked,
        narrow_joint_ranges: _, // For pages and certificates.
        timeline,
        sampled,
        coarseness,
        refused,
        given_up_after,
        unsettled,
        error,
        error_at: _,   // With the error.
        statistics: _, // Not of a program that is clear.
        baseline,
    } = outcome;
    let quiet = *verdict == Verdict::Clear
        && first_contact.is_none()
        && contacts.is_empty()
        && near_misses.is_empty()
        && audit.is_none()
        && limits.is_empty()
        && notices.is_empty()
        && unchecked.is_empty()
        && timeline.is_none()
        && sampled.is_none()
        && coarseness.is_none()
        && !refused
        && given_up_after.is_none()
        && !unsettled
        && error.is_none()
        && baseline.is_none();
    quiet.then(|| ProgramKind {
        interpolation: interpolation.clone(),
        has_moves: !moves.is_empty(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Change, Code, Diagnostic, Versus};

    fn record(interpolation: &str, change: impl FnOnce(&mut Record)) -> Record {
        let mut record = Record::new(ProgramOutcome {
            verdict: Verdict::Clear,
            interpolation: Some(interpolation.to_owned()),
            ..ProgramOutcome::unknown()
        });
        change(&mut record);
        record
    }

    #[test]
    fn only_programs_of_which_nothing_is_said_are_alike() {
        let note = || Diagnostic::note(Code::RestingJoints, "joints", "rest");
        let mut alike = Alike::new(10);
        let records = [
            record("linear", |_| ()),
            record("cubic", |_| ()),
            record("linear", |r| r.outcome.program = "another".into()),
            record("linear", |r| r.outcome.verdict = Verdict::Undecided),
            record("linear", |r| r.outcome.unchecked.push(note())),
            record("linear", |r| r.outcome.notices.push(note())),
            record("linear", |r| r.outcome.coarseness = Some(0.001)),
            record("linear", |r| {
                r.outcome.baseline = Some(Versus {
                    change: Change::New,
                    checked: true,
                    verdict: None,
                    limits: None,
                    distance: None,
                })
            }),
            record("cubic", |r| r.hash = Some("x".into())),
        ];
        for (index, record) in records.iter().enumerate() {
            alike.see(index, record);
        }
        let alone = [3, 4, 5, 6, 7, 9, 10, 11].map(|index| (index, 1));
        let firsts = [(0, 2), (1, 2)].into_iter().chain(alone);
        assert_eq!(alike.firsts(12), firsts.collect::<Vec<_>>());
    }

    /// Interpolations are few; whatever they are, they are not taken for each other.
    #[test]
    fn kinds_beyond_the_most_are_read_one_by_one() {
        let mut alike = Alike::new(600);
        for index in 0..600 {
            alike.see(index, &record(&(index % 300).to_string(), |_| ()));
        }
        for index in 0..600 {
            let kind = alike.kind(index);
            assert_eq!(kind, Some(index % 300).filter(|&kind| kind < MOST));
        }
    }
}
