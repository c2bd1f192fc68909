//! An outcome as a flat list of findings, each with its place in a file: what CI reports have in
//! common.

use std::collections::BTreeSet;

use super::errors::budgets;
use super::lists::some_of;
use super::notices::{KINDS, accepted, kind};
use super::printable::printable;
use super::text::{how_close, limit, near_miss, when};
use super::units::{degrees, stated_millimetres};
use super::{audit, timeline, versus};
use crate::findings::{
    Audit, Change, Code, Contact, ContactKind, Diagnostic, FailOn, FullTurn, LimitKind,
    LimitViolation, Location, NearMiss, Outcome, Participant, ProgramOutcome, Verdict,
};

/// The kind of a finding. The words are stable: scripts and stored alerts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Contact,
    Inside,
    Unresolved,
    Possible,
    NearMiss,
    Limit,
    FullTurn,
    Unverified,
    HiddenContact,
    StaleAllowance,
    /// A link that somebody leaves out of the check, with a reason.
    Accepted,
    /// A notice that a reader must see first: a place in [`KINDS`].
    Notice(usize),
}

impl Rule {
    const OWN: [Rule; 11] = [
        Rule::Contact,
        Rule::Inside,
        Rule::Unresolved,
        Rule::Possible,
        Rule::NearMiss,
        Rule::Limit,
        Rule::FullTurn,
        Rule::Unverified,
        Rule::HiddenContact,
        Rule::StaleAllowance,
        Rule::Accepted,
    ];

    /// Every rule.
    pub(super) fn all() -> impl Iterator<Item = Rule> {
        let notices = (0..KINDS.len()).map(Rule::Notice);
        Rule::OWN.into_iter().chain(notices)
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Rule::Contact => "contact",
            Rule::Inside => "inside",
            Rule::Unresolved => "unresolved",
            Rule::Possible => "possible",
            Rule::NearMiss => "near-miss",
            Rule::Limit => "limit",
            Rule::FullTurn => "full-turn",
            Rule::Unverified => "unverified",
            Rule::HiddenContact => "hidden-contact",
            Rule::StaleAllowance => "stale-allowance",
            Rule::Accepted => Code::Accepted.as_str(),
            Rule::Notice(k) => KINDS[k].code,
        }
    }

    /// Its meaning, in a sentence.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Rule::Contact => "Two bodies come as close as their threshold, or closer.",
            Rule::Inside => "A body lies wholly within a closed solid.",
            Rule::Unresolved => {
                "The distance of two bodies could not be told from their threshold at the resolution."
            }
            Rule::Possible => {
                "Errors within the budgets of the cell file, or the way round a corner, may bring two bodies within their threshold; the ideal motion is clear."
            }
            Rule::NearMiss => "Two bodies come nearer than their warn distance.",
            Rule::Limit => "A joint leaves its limits somewhere on the path.",
            Rule::FullTurn => "A joint makes about a full turn from one waypoint to the next.",
            Rule::Unverified => "The question could not be answered.",
            Rule::HiddenContact => {
                "Two bodies that are allowed to touch come within their threshold for a part of the time."
            }
            Rule::StaleAllowance => "An allowance names what does not exist.",
            Rule::Accepted => "A link is left out of the check by the cell file, with a reason.",
            Rule::Notice(k) => KINDS[k].meaning,
        }
    }

    /// The remedy.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Rule::Contact | Rule::Inside => {
                "Move or add a waypoint; or, if the contact is meant, allow the pair in the cell file with a reason."
            }
            Rule::Unresolved => {
                "Move the waypoint, ask for a finer resolution, or lower the clearance if you may."
            }
            Rule::Possible => {
                "Move or add a waypoint, or make the error smaller that takes most of the room (calibrate) and lower its budget; in a corner, make its zone smaller or stop there."
            }
            Rule::NearMiss => {
                "Look whether so little room is meant here; move or add a waypoint if it is not."
            }
            Rule::Limit => "Move the waypoint, or slow down.",
            Rule::FullTurn => {
                "Look whether the turn is meant. Values are never wrapped: if it is not, write the angle without it."
            }
            Rule::Unverified => {
                "Correct the input: the message names the file and what would be right."
            }
            Rule::HiddenContact => {
                "Look whether this contact is what the allowance was meant for; remove the allowance if it is not."
            }
            Rule::StaleAllowance => "Correct the name, or remove the allowance.",
            Rule::Accepted => "Look whether the reason still holds.",
            Rule::Notice(k) => KINDS[k].remedy,
        }
    }

    /// Whether such a finding makes a run fail.
    pub(super) fn fails(self, fail_on: &FailOn) -> bool {
        match self {
            Rule::Contact | Rule::Inside | Rule::Unresolved | Rule::Possible => fail_on.collision,
            Rule::NearMiss => fail_on.near_miss,
            Rule::Limit => fail_on.limit,
            Rule::Unverified => true,
            Rule::Notice(_) => fail_on.suspicious,
            // A turn may be meant; the audit of what is allowed never makes a run fail.
            Rule::FullTurn | Rule::HiddenContact | Rule::StaleAllowance | Rule::Accepted => false,
        }
    }

    /// Whether it is said for the record only.
    pub(super) fn is_record(self) -> bool {
        self == Rule::Accepted
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finding {
    pub rule: Rule,
    /// Where.
    pub place: Location,
    /// What, on one line, for people; printable.
    pub message: String,
    /// The part that stays the same when lines and times shift.
    pub identity: String,
}

/// All findings of an outcome, in the order of its programs. What is wrong with the cell itself is
/// said once.
pub(super) fn findings(outcome: &Outcome) -> Vec<Finding> {
    let mut list = Vec::new();
    if let Some(error) = &outcome.error {
        list.push(Finding {
            rule: Rule::Unverified,
            place: outcome
                .error_at
                .clone()
                .unwrap_or_else(|| file(&outcome.cell)),
            message: printable(error).into_owned(),
            identity: outcome.cell.clone(),
        });
    }
    list.extend(notices(outcome));
    // An allowance of the cell is wrong in the same way in the next program.
    let mut stale = BTreeSet::new();
    for program in &outcome.programs {
        let mut of_it = of_program(program, outcome);
        of_it.retain(|f| {
            f.rule != Rule::StaleAllowance
                || stale.insert((f.place.file.clone(), f.place.line, f.message.clone()))
        });
        list.extend(of_it);
    }
    list
}

/// The place at which the cell file has a name that stands for nothing.
fn place_of_stale(name: &str, known: &Location, outcome: &Outcome) -> Location {
    let quoted = format!("`{name}`");
    let mut notes = outcome
        .notes
        .iter()
        .filter(|n| n.code == Code::StaleName && n.message.contains(&quoted));
    let place = notes.find_map(|n| n.place.clone().filter(|p| p.file == known.file));
    match known.line {
        None => place.unwrap_or_else(|| known.clone()),
        Some(_) => known.clone(),
    }
}

/// Notices about the cell as a whole, which a reader must see first; and the links that somebody
/// leaves out of the check.
pub(super) fn notices(outcome: &Outcome) -> Vec<Finding> {
    let finding = |rule: Rule, n: &Diagnostic| Finding {
        rule,
        place: n.place.clone().unwrap_or_else(|| file(&outcome.cell)),
        message: printable(&format!("{}: {}", n.subject, n.message)).into_owned(),
        identity: format!("{}\n{}", outcome.cell, n.subject),
    };
    let notices = outcome.notices.iter();
    let notices = notices.map(|n| finding(Rule::Notice(kind(n)), n));
    let accepted = accepted(outcome).map(|n| finding(Rule::Accepted, n));
    notices.chain(accepted).collect()
}

/// The findings of one program, apart from an error that is the cell's.
pub(super) fn of_program(program: &ProgramOutcome, outcome: &Outcome) -> Vec<Finding> {
    let found = ProgramFindings { program, outcome };
    let mut list = found.notices();
    list.extend(found.contacts().into_iter().map(|c| found.contact(c)));
    list.extend(program.limits.iter().map(|l| found.limit(l)));
    list.extend(program.full_turns.iter().map(|t| found.full_turn(t)));
    list.extend(found.near_misses());
    if let Some(audit) = &program.audit {
        list.extend(found.audit(audit));
    }
    list.extend(found.error());
    // Once, where the reader looks for what is wrong.
    let broken = (program.baseline.as_ref()).filter(|v| v.change == Change::NewlyBroken);
    let wrong = list.iter_mut().find(|f| !matches!(f.rule, Rule::Notice(_)));
    if let (Some(said), Some(first)) = (broken.and_then(versus::said), wrong) {
        first.message += &format!(" ({said})");
    }
    list
}

/// One program of an outcome, to be told by findings.
struct ProgramFindings<'o> {
    program: &'o ProgramOutcome,
    outcome: &'o Outcome,
}

impl<'o> ProgramFindings<'o> {
    /// `about` tells findings of one rule apart.
    fn finding(&self, rule: Rule, place: Location, message: &str, about: &str) -> Finding {
        Finding {
            rule,
            place,
            message: printable(message).into_owned(),
            identity: format!("{}\n{about}", self.program.program),
        }
    }

    fn notices(&self) -> Vec<Finding> {
        let notices = self.program.notices.iter().map(|n| {
            let message = format!("{}: {}", n.subject, n.message);
            let place = (n.place.clone()).unwrap_or_else(|| file(self.program.file()));
            self.finding(Rule::Notice(kind(n)), place, &message, &n.subject)
        });
        notices.collect()
    }

    /// With `--all` the first contact is one of the list.
    fn contacts(&self) -> Vec<&'o Contact> {
        if self.program.contacts.is_empty() {
            self.program.first_contact.iter().collect()
        } else {
            self.program.contacts.iter().collect()
        }
    }

    fn contact(&self, contact: &Contact) -> Finding {
        let program = self.program;
        let rule = match contact.kind {
            ContactKind::Contact => Rule::Contact,
            ContactKind::Inside => Rule::Inside,
            ContactKind::Unresolved => Rule::Unresolved,
            ContactKind::Possible => Rule::Possible,
        };
        let (a, b) = (&contact.a, &contact.b);
        let message = format!(
            "{a} against {b} {}{}: {}",
            when(contact, program),
            timeline::late(&contact.delays, program),
            how_close(contact, program, self.outcome.resolution)
        );
        let segment = Some(contact.segment);
        let place = at(program, &[a, b], contact.time, segment, &contact.delays);
        self.finding(rule, place, &message, &format!("{a}\n{b}"))
    }

    fn limit(&self, violation: &LimitViolation) -> Finding {
        let what = match violation.what {
            LimitKind::Position => "position",
            LimitKind::Velocity => "velocity",
            LimitKind::Acceleration => "acceleration",
        };
        let joint = &violation.joint;
        let place = at(
            self.program,
            &[joint],
            violation.time,
            violation.segment,
            &[],
        );
        let message = limit(violation, self.program, self.outcome);
        self.finding(Rule::Limit, place, &message, &format!("{joint}\n{what}"))
    }

    fn full_turn(&self, turn: &FullTurn) -> Finding {
        let turns = match turn.turns.abs() {
            1.0 => "a full turn".to_owned(),
            n => format!("{n} full turns"),
        };
        let message = format!(
            "{} goes from {} to {}, about {turns} in one segment; it is checked as it is written",
            turn.joint,
            degrees(turn.from),
            degrees(turn.to),
        );
        self.finding(Rule::FullTurn, turn.at.clone(), &message, &turn.joint)
    }

    /// A near miss around a contact that has been named says nothing new.
    fn near_misses(&self) -> Vec<Finding> {
        let contacts = self.contacts();
        let around_contact = |miss: &&NearMiss| {
            contacts.iter().any(|c| {
                (&c.a, &c.b) == (&miss.a, &miss.b) && (miss.entered..=miss.left).contains(&c.time)
            })
        };
        let misses = (self.program.near_misses.iter()).filter(|m| !around_contact(m));
        let misses = misses.map(|miss| {
            let (a, b) = (&miss.a, &miss.b);
            let place = at(self.program, &[a, b], miss.time, Some(miss.segment), &[]);
            let message = near_miss(miss, self.program);
            self.finding(Rule::NearMiss, place, &message, &format!("{a}\n{b}"))
        });
        misses.collect()
    }

    /// Contacts that an allowance hides, and allowances that stand for nothing.
    fn audit(&self, audit: &Audit) -> Vec<Finding> {
        let mut list = Vec::new();
        for (allowance, pair, contact) in audit::hidden(audit) {
            let text = audit::sentence(pair, contact, self.program, self.outcome.resolution);
            let message = format!("{text}, allowed by {}", audit::source(allowance));
            let (a, b) = (&pair.a, &pair.b);
            let segment = Some(contact.segment);
            let place = at(self.program, &[a, b], contact.time, segment, &[]);
            let about = format!("{a}\n{b}");
            list.push(self.finding(Rule::HiddenContact, place, &message, &about));
        }
        list.extend(audit::stale(audit).map(|stale| {
            let place = place_of_stale(stale.name, &stale.first.at, self.outcome);
            self.finding(Rule::StaleAllowance, place, &stale.sentence(), stale.name)
        }));
        list
    }

    fn error(&self) -> Option<Finding> {
        let program = self.program;
        let error = program.error.as_ref()?;
        if self.outcome.error.is_some() {
            return None;
        }
        let place = (program.error_at.clone()).unwrap_or_else(|| file(program.file()));
        // For lack of time a program is undecided, and stays so; a corner that is not proved too.
        let rule = if FailOn::unanswered(program) {
            Rule::Unverified
        } else {
            Rule::Unresolved
        };
        Some(self.finding(rule, place, error, ""))
    }
}

/// The line of the waypoint where a segment starts. Of several programs on one clock it is that of
/// the first one which moves something that the finding is about, at its last waypoint before;
/// `delays` are those of the programs where it takes some.
fn at(
    program: &ProgramOutcome,
    about: &[&String],
    time: f64,
    segment: Option<usize>,
    delays: &[f64],
) -> Location {
    let together = program.timeline.iter().flat_map(|t| &t.programs);
    let together: Vec<&Participant> = together.collect();
    if together.len() > 1 {
        let of = |name: &&String| together.iter().position(|p| p.moves.contains(name));
        let which = about.iter().find_map(of).unwrap_or(0);
        let mover = together[which];
        let time = time - delays.get(which).unwrap_or(&0.0);
        let after = mover.lines.partition_point(|(t, _)| *t <= time);
        let last = mover.lines.get(after.saturating_sub(1));
        return Location {
            line: last.map(|(_, line)| *line),
            ..file(&mover.program)
        };
    }
    // A move is a line of its own, the one that names its end.
    if let Some(its) = segment.and_then(|s| program.moves.get(s)) {
        return Location {
            line: its.line,
            ..file(its.file.as_deref().unwrap_or(program.file()))
        };
    }
    Location {
        line: segment.and_then(|s| program.lines.get(s).copied()),
        ..file(program.file())
    }
}

fn file(name: &str) -> Location {
    Location {
        file: name.to_owned(),
        line: None,
        column: None,
    }
}

/// The word for a program's result: its verdict, or that it leaves its limits.
pub(super) fn result_word(program: &ProgramOutcome) -> &'static str {
    match program.verdict {
        Verdict::Clear if !program.limits.is_empty() => "limit",
        Verdict::Clear => "clear",
        Verdict::Unverified => "unverified",
        Verdict::Undecided => "undecided",
        Verdict::Possible => "possible",
        Verdict::Collision => "collision",
    }
}

/// The question in one line: threshold, resolution, and the parts that were not checked.
pub(super) fn scope(outcome: &Outcome) -> String {
    let mut text = format!(
        "threshold {}, resolution {}",
        stated_millimetres(outcome.required_clearance),
        stated_millimetres(outcome.resolution)
    );
    if let Some(warn) = outcome.warn {
        text += &format!(", near misses below {}", stated_millimetres(warn));
    }
    if !outcome.uncertainty.is_empty() {
        text += &format!(", errors within {}", budgets(&outcome.uncertainty));
    }
    let names: Vec<&str> = outcome
        .unchecked
        .iter()
        .map(|u| u.subject.as_str())
        .collect();
    if !names.is_empty() {
        text += &format!("; not checked: {}", printable(&some_of(&names)));
    }
    text
}
