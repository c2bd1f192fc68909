//! The last lines, about all programs: counts, parts that were not checked, notes.

use super::words::how_close;
use super::{Label, Page};
use crate::findings::{Code, Diagnostic, FailOn, ProgramOutcome, Severity};
use crate::render::clock::snapshot;
use crate::render::lists::{grouped, some_of};
use crate::render::units::{count, digits, stated_millimetres};

/// `3 to 5 pairs`.
pub(super) fn between(least: usize, most: usize) -> String {
    let all = count(most, "pair");
    if least < most {
        format!("{} to {all}", digits(least))
    } else {
        all
    }
}

/// Notes that are shown.
const SHOWN: usize = 5;
/// Characters of an error that the last line repeats.
const ERROR: usize = 160;

impl Page<'_> {
    /// Counts a program.
    pub(in crate::render) fn see(&mut self, program: &ProgramOutcome) {
        let seen = &mut self.seen;
        seen.programs += 1;
        seen.tally.add(program);
        let label = Label::of(program);
        seen.labels[label as usize] += 1;
        for note in &program.unchecked {
            seen.note(note, program);
        }
        if let Some(interpolation) = &program.interpolation {
            if !program.moves.is_empty() {
                // How a controller drives is said by its moves, not by the curve that stands for it.
                seen.moves = true;
            } else if !seen.interpolations.contains(interpolation) {
                seen.interpolations.insert(interpolation.clone());
            }
            seen.worst = seen.worst.max(Some(program.verdict));
            seen.contacts |= program.first_contact.is_some();
            seen.unsettled |= program.unsettled;
            seen.coarseness = seen.coarseness.max(program.coarseness.unwrap_or(0.0));
            if let Some(sampled) = &program.sampled {
                *seen.instants.get_or_insert(0) += sampled.instants;
            }
            let phases = program.timeline.iter().flat_map(|t| &t.phases);
            let mut phases: Vec<_> = phases.map(|p| (p.pairs, p.own_thresholds)).collect();
            if phases.is_empty() {
                phases.push((self.outcome.pairs, self.outcome.own_thresholds));
            }
            for (pairs, own) in phases {
                let [least, most] = seen.pairs.unwrap_or([pairs; 2]);
                seen.pairs = Some([least.min(pairs), most.max(pairs)]);
                seen.own_thresholds = seen.own_thresholds.max(own);
            }
        }
        let worst = self.seen.worst_program.as_ref().map(|w| w.0);
        if worst.is_none_or(|worst| label > worst) {
            let said = self.said(label, program);
            self.seen.worst_program = Some((label, program.program.clone(), said));
        }
    }

    /// Counts as many more like one that was seen and of which nothing is noted.
    pub(in crate::render) fn more_like(&mut self, program: &ProgramOutcome, more: usize) {
        self.seen.programs += more;
        (0..more).for_each(|_| self.seen.tally.add(program));
        self.seen.labels[Label::of(program) as usize] += more;
    }

    /// The words of the last line about a program.
    fn said(&self, label: Label, program: &ProgramOutcome) -> String {
        let outcome = self.outcome;
        if let Some(contact) = &program.first_contact {
            let (a, b) = (&contact.a, &contact.b);
            let close = how_close(contact, program, outcome.resolution);
            let when = snapshot(contact.time, program);
            return format!("{a} against {b} {when}, {close}");
        }
        match (label, &program.error) {
            (Label::Clear | Label::Limit, _) => {
                let limits = match label {
                    Label::Limit => {
                        let limits = count(program.limits.len(), "limit");
                        format!("{limits} violated; nothing is hit: ")
                    }
                    _ => String::new(),
                };
                // Events change what is compared: no phase has more pairs than are claimed of it.
                let phases = program.timeline.iter().flat_map(|t| &t.phases);
                let pairs = || phases.clone().map(|p| p.pairs);
                let least = pairs().min().unwrap_or(outcome.pairs);
                let most = pairs().max().unwrap_or(outcome.pairs);
                let threshold = match outcome.own_thresholds {
                    0 => stated_millimetres(outcome.required_clearance),
                    _ => "their thresholds".to_owned(),
                };
                if most == 0 {
                    return format!("{limits}no pair was checked");
                }
                let pairs = between(least, most);
                format!("{limits}{pairs} more than {threshold} apart at every instant")
            }
            (_, Some(error)) if error.chars().count() > ERROR => {
                error.chars().take(ERROR).chain(['…']).collect()
            }
            (_, Some(error)) => error.clone(),
            (_, None) => "the question stays open".to_owned(),
        }
    }

    /// What the exit code does not say by itself.
    pub(in crate::render) fn exit_code_note(&mut self, fail_on: &FailOn) {
        if let Some(said) = fail_on.exit_code_note(&self.seen.tally, &self.outcome.notices) {
            self.line(said);
        }
    }

    /// The last line: what came out, whatever stands above.
    pub(in crate::render) fn conclusion(&mut self) {
        let counts: Vec<String> = Label::ALL
            .iter()
            .map(|&label| (label, self.seen.labels[label as usize]))
            .filter(|&(_, n)| n > 0)
            .map(|(label, n)| format!("{n} {}", label.as_str().to_lowercase()))
            .collect();
        let total = count(self.seen.programs, "program");
        let refused = self.outcome.error.is_some();
        let (label, text) = match self.seen.worst_program.take() {
            // The cell itself is at fault.
            Some((Label::Clear | Label::Limit | Label::Unverified, ..)) | None if refused => {
                let error = self.outcome.error.as_deref().unwrap_or_default();
                let short: String = error.chars().take(ERROR).collect();
                let more = if short.len() < error.len() { "…" } else { "" };
                (
                    Label::Unverified,
                    format!("{}: {short}{more}", self.outcome.cell),
                )
            }
            None => (Label::Unverified, "no program".to_owned()),
            Some((label, name, said)) if self.seen.programs == 1 => {
                (label, format!("{name}: {said}"))
            }
            Some((Label::Clear, ..)) => (Label::Clear, format!("{total}: {}", counts.join(", "))),
            Some((label, name, _)) => {
                let counts = counts.join(", ");
                let first = match self.seen.labels[label as usize] {
                    1 => format!("it is {name}"),
                    _ => format!("the first {} is {name}", label.as_str().to_lowercase()),
                };
                (label, format!("{total}: {counts}; {first}"))
            }
        };
        self.labelled(label, &text);
    }

    /// A note of one program or of several.
    fn of_programs(&self, (note, programs): &(Diagnostic, usize)) -> String {
        let word = match note.severity {
            Severity::Open => "not settled",
            Severity::Unchecked => "not checked",
            Severity::Notice | Severity::Note => "note",
        };
        let many = match programs {
            _ if self.seen.programs == 1 => String::new(),
            n => format!(" in {}", count(*n, "program")),
        };
        let (what, why) = (&note.subject, &note.message);
        format!("{word}{many}: {what} ({why})")
    }

    /// The parts that were not checked, and the notes: grouped by the reason, since cells have many
    /// bare frames.
    pub(in crate::render) fn lists(&mut self) {
        let outcome = self.outcome;
        for (why, names) in grouped(&outcome.unchecked) {
            self.line(format!("not checked: {} ({why})", some_of(&names)));
        }
        let (left_open, notes): (Vec<_>, Vec<_>) = (self.seen.notes.iter())
            .partition(|(note, _)| matches!(note.severity, Severity::Open | Severity::Unchecked));
        let left_open: Vec<String> = left_open.iter().map(|n| self.of_programs(n)).collect();
        let mut all: Vec<String> = notes.iter().map(|n| self.of_programs(n)).collect();
        let more_open = left_open.len().saturating_sub(SHOWN);
        for said in left_open.into_iter().take(SHOWN) {
            self.line(said);
        }
        if more_open > 0 {
            self.line(format!("… and {more_open} more (`--report json` has all)"));
        }
        // The report has begun with this one.
        let of_cell = outcome.notes.iter();
        let of_cell = grouped(of_cell.filter(|note| note.code != Code::DefaultCell));
        let of_cell = of_cell
            .iter()
            .map(|(why, names)| format!("note: {} ({why})", some_of(names)));
        let mine = all.len() + self.seen.more_notes;
        all.extend(of_cell);
        let total = all.len() + self.seen.more_notes;
        all.truncate(SHOWN);
        let where_ = if mine > SHOWN {
            "`--report json` has all"
        } else {
            "`clearance inspect` lists all"
        };
        for note in all {
            self.line(note);
        }
        if total > SHOWN {
            self.line(format!("… and {} more ({where_})", total - SHOWN));
        }
    }
}
