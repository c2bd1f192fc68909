//! The report for people: what a robot programmer wants to read at a glance. Millimetres and degrees; waypoints are
//! counted from 1.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::lists::{grouped, some_of};
use super::units::{
    count, degrees, millimetres, millimetres_down, millimetres_up, percent, seconds, seconds_down,
};
use super::{audit, timeline};
use crate::findings::{
    Contact, ContactFeature, ContactKind, LimitKind, LimitViolation, MinimumClearance, NearMiss,
    Outcome, ProgramOutcome, Unchecked, Verdict,
};

mod guarantee;

/// How the text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Colour the verdicts with ANSI codes.
    pub color: bool,
}

/// The outcome as text, with a line break at the end.
pub fn text(outcome: &Outcome, style: &Style) -> String {
    let longest = outcome.programs.iter().map(|p| p.program.chars().count());
    let mut page = Page::new(outcome, *style, longest.max().unwrap_or(0));
    page.write();
    page.out
}

/// What stands in front of a program.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Label {
    Clear,
    /// Nothing is hit, but a joint leaves its limits.
    Limit,
    Unverified,
    Undecided,
    Collision,
}

impl Label {
    pub(super) fn of(program: &ProgramOutcome) -> Self {
        match program.verdict {
            Verdict::Clear if program.limits.is_empty() => Label::Clear,
            Verdict::Clear => Label::Limit,
            Verdict::Unverified => Label::Unverified,
            Verdict::Undecided => Label::Undecided,
            Verdict::Collision => Label::Collision,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Label::Clear => "CLEAR",
            Label::Limit => "LIMIT",
            Label::Unverified => "UNVERIFIED",
            Label::Undecided => "UNDECIDED",
            Label::Collision => "COLLISION",
        }
    }

    /// Green, red, yellow.
    fn color(self) -> &'static str {
        match self {
            Label::Clear => "\x1b[1;32m",
            Label::Collision | Label::Limit => "\x1b[1;31m",
            Label::Unverified | Label::Undecided => "\x1b[1;33m",
        }
    }
}

pub(super) struct Page<'a> {
    pub(super) out: String,
    outcome: &'a Outcome,
    style: Style,
    name_width: usize,
    seen: Seen,
}

/// What the last lines say of all programs.
#[derive(Default)]
struct Seen {
    programs: usize,
    /// By label, in their order.
    labels: [usize; 5],
    /// Path laws of the programs that were checked.
    laws: BTreeSet<String>,
    /// Worst verdict of those.
    worst: Option<Verdict>,
    contacts: bool,
    /// Fewest and most pairs checked at a time, and the most of them with a threshold of their own.
    pairs: Option<[usize; 2]>,
    own_thresholds: usize,
    /// Instants that samplers looked at; `None`: no program was sampled.
    instants: Option<u64>,
    /// How much farther apart than the threshold contacts may be, metres.
    coarseness: f64,
}

impl<'a> Page<'a> {
    /// An empty page; `longest` is the length of the longest name of a program.
    pub(super) fn new(outcome: &'a Outcome, style: Style, longest: usize) -> Self {
        Page {
            out: String::new(),
            outcome,
            style,
            name_width: longest.min(60),
            seen: Seen::default(),
        }
    }

    /// Counts a program.
    pub(super) fn see(&mut self, program: &ProgramOutcome) {
        let seen = &mut self.seen;
        seen.programs += 1;
        seen.labels[Label::of(program) as usize] += 1;
        if let Some(law) = &program.interpolation {
            if !seen.laws.contains(law) {
                seen.laws.insert(law.clone());
            }
            seen.worst = seen.worst.max(Some(program.verdict));
            seen.contacts |= program.first_contact.is_some();
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
    }

    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref().trim_end());
        self.out.push('\n');
    }

    /// An indented line under a program.
    pub(super) fn detail(&mut self, name: &str, text: impl AsRef<str>) {
        self.line(format!("  {name:<10} {}", text.as_ref()));
    }

    fn label(&self, label: Label) -> String {
        let word = format!("{:<10}", label.word());
        match self.style.color {
            true => format!("{}{word}\x1b[0m", label.color()),
            false => word,
        }
    }

    fn write(&mut self) {
        let outcome = self.outcome;
        self.error();
        let many = outcome.programs.len() > 1;
        for program in &outcome.programs {
            self.see(program);
            // The cell's own error has been said; it is every program's error.
            if outcome.error.is_some() && program.error == outcome.error {
                continue;
            }
            self.program(program, many);
        }
        if many {
            self.summary();
        }
        self.lists();
        self.guarantee();
    }

    /// Why there is no answer, or not the whole one.
    pub(super) fn error(&mut self) {
        if let Some(error) = &self.outcome.error {
            let label = self.label(Label::Unverified);
            self.line(format!("{label} {}", self.outcome.cell));
            self.detail("why", error);
        }
    }

    pub(super) fn program(&mut self, program: &ProgramOutcome, many: bool) {
        let label = Label::of(program);
        let name = format!("{:<width$}", program.program, width = self.name_width);
        let mut rest = match (&program.first_contact, label) {
            (Some(contact), _) => when(contact, program),
            (None, Label::Clear | Label::Limit) => duration(program),
            _ => String::new(),
        };
        if let (Some(contact), true) = (&program.first_contact, many) {
            let _ = write!(rest, "  {} – {}", contact.a, contact.b);
        }
        let label = self.label(label);
        self.line(format!("{label} {name}   {rest}"));
        if let Some(error) = &program.error {
            self.detail("why", error);
        }
        if let (Some(contact), false) = (&program.first_contact, many) {
            self.contact(contact, program);
        }
        if let (Some(facts), false) = (&program.timeline, many) {
            for (name, text) in timeline::lines(facts, program) {
                self.detail(name, text);
            }
        }
        for violation in &program.limits {
            self.detail("limit", limit(violation, program, self.outcome));
        }
        self.contacts(program);
        self.near_misses(program);
        self.minimum(program, many);
        if let Some(audit) = &program.audit {
            for (name, text) in audit::lines(audit, program, self.outcome.resolution, many) {
                self.detail(name, text);
            }
        }
        for Unchecked { what, why } in &program.unchecked {
            self.detail("note", format!("{what}: {why}"));
        }
    }

    fn contact(&mut self, contact: &Contact, program: &ProgramOutcome) {
        let (a, b) = (&contact.a, &contact.b);
        self.detail("who", format!("{a} against {b}"));
        self.detail("how close", how_close(contact, self.outcome.resolution));
        let place = match contact.distance > 0.0 {
            true => format!(
                "{} on {a}, {} on {b}",
                point(contact.point_a),
                point(contact.point_b)
            ),
            false => point(contact.point_a),
        };
        self.detail("where", format!("{place} (world, x y z in mm)"));
        if let Some(meeting) = meeting(contact, program) {
            self.detail("first", meeting);
        }
        let mut joints = self.joints(contact, program);
        if joints.is_empty() {
            joints.push_str("the cell has no joints");
        }
        self.detail("joints", joints);
        // A sampler proves nothing.
        if program.timed == Some(true) && program.sampled.is_none() {
            let free = format!(
                "everything before {} is proved free",
                seconds_down(contact.free_until)
            );
            self.detail("free", free);
        }
        if let (Some(from), Some(to)) = (
            program.lines.get(contact.segment),
            program.lines.get(contact.segment + 1),
        ) {
            let name = program.file();
            self.detail("line", format!("{name}:{from} → {name}:{to}"));
        }
    }

    /// Values of the joints that the program moves, in its order; of all joints if it moves none.
    fn joints(&self, contact: &Contact, program: &ProgramOutcome) -> String {
        let named =
            |name: &str, value: f64| format!("{name} {}", joint_value(self.outcome, name, value));
        let moved = program
            .joints
            .iter()
            .filter_map(|name| Some(named(name, *contact.joints.get(name)?)));
        let values: Vec<String> = moved.collect();
        if values.is_empty() {
            let all = contact.joints.iter();
            return all
                .map(|(name, &v)| named(name, v))
                .collect::<Vec<_>>()
                .join(", ");
        }
        values.join(", ")
    }

    /// Near misses, each a line: who, from when to when, and how near.
    fn near_misses(&mut self, program: &ProgramOutcome) {
        const SHOWN: usize = 8;
        for miss in program.near_misses.iter().take(SHOWN) {
            self.detail("near miss", near_miss(miss, program));
        }
        match program.near_misses.len().saturating_sub(SHOWN) {
            0 => {}
            more => self.detail(
                "",
                format!("and {} more in the JSON report", count(more, "interval")),
            ),
        }
    }

    fn contacts(&mut self, program: &ProgramOutcome) {
        for contact in &program.contacts {
            // Over all delays a pair has a first contact, but no interval.
            let when = match (contact.until, contact.delays.is_empty()) {
                (_, false) => {
                    let late = timeline::late(contact, program);
                    format!("first {}{late}", moment(contact.time, program))
                }
                (until, true) => {
                    let from = moment(contact.free_until, program);
                    match until {
                        Some(until) => format!("{from} until {}", clock(until, program)),
                        None => format!("{from} to the end"),
                    }
                }
            };
            let close = how_close(contact, self.outcome.resolution);
            self.detail(
                "contact",
                format!("{} – {}  {when}: {close}", contact.a, contact.b),
            );
        }
    }

    fn minimum(&mut self, program: &ProgramOutcome, many: bool) {
        const SHOWN: usize = 5;
        let Some(least) = &program.minimum_clearance else {
            return;
        };
        let sentence = |m: &MinimumClearance| {
            format!(
                "{} – {}  {} {}, proved never below {}",
                m.a,
                m.b,
                millimetres_up(m.distance),
                moment(m.time, program),
                millimetres_down(m.lower_bound)
            )
        };
        self.detail("least", sentence(least));
        if many {
            return;
        }
        // The nearest pair has just been named.
        let mut others = program
            .pair_minimums
            .iter()
            .filter(|m| (&m.a, &m.b) != (&least.a, &least.b));
        for pair in others.by_ref().take(SHOWN) {
            self.detail("", sentence(pair));
        }
        match others.count() {
            0 => {}
            more => self.detail(
                "",
                format!("and {} more in the JSON report", count(more, "pair")),
            ),
        }
    }

    pub(super) fn summary(&mut self) {
        let labels = [
            Label::Clear,
            Label::Limit,
            Label::Unverified,
            Label::Undecided,
            Label::Collision,
        ];
        let counts: Vec<String> = labels
            .iter()
            .map(|&label| (label, self.seen.labels[label as usize]))
            .filter(|&(_, n)| n > 0)
            .map(|(label, n)| format!("{n} {}", label.word().to_lowercase()))
            .collect();
        let total = count(self.seen.programs, "program");
        self.line(format!("{total}: {}", counts.join(", ")));
    }

    /// What was not checked, and what was noticed: grouped by the reason, since cells have many bare frames.
    pub(super) fn lists(&mut self) {
        const SHOWN: usize = 4;
        let outcome = self.outcome;
        for (why, names) in grouped(&outcome.unchecked) {
            self.line(format!("not checked: {} ({why})", some_of(&names)));
        }
        let mut notes = grouped(&outcome.notes).into_iter();
        for (why, names) in notes.by_ref().take(SHOWN) {
            self.line(format!("noticed: {} ({why})", some_of(&names)));
        }
        match notes.count() {
            0 => {}
            more => self.line(format!(
                "noticed: {} more, which `inspect` shows",
                count(more, "thing")
            )),
        }
    }
}

/// `a vertex of gripper on a face of table, at 3.209931 s`: how and when the two first touch.
fn meeting(contact: &Contact, program: &ProgramOutcome) -> Option<String> {
    let (a, b) = (&contact.a, &contact.b);
    let what = match contact.feature? {
        ContactFeature::VertexFace => format!("a vertex of {a} on a face of {b}"),
        ContactFeature::FaceVertex => format!("a vertex of {b} on a face of {a}"),
        ContactFeature::EdgeEdge => format!("an edge of {a} on an edge of {b}"),
    };
    Some(match (contact.exact_time, program.timed) {
        (Some(time), Some(true)) => format!("{what}, at {time:.6} s"),
        _ => what,
    })
}

/// A joint's value as people read it.
fn joint_value(outcome: &Outcome, joint: &str, value: f64) -> String {
    if outcome.sliding_joints.iter().any(|s| s == joint) {
        millimetres(value)
    } else {
        degrees(value)
    }
}

/// `position of elbow is 189.08° at 5.000 s, its limit is 177.62°`.
pub(super) fn limit(
    violation: &LimitViolation,
    program: &ProgramOutcome,
    outcome: &Outcome,
) -> String {
    let (what, per_second) = match violation.what {
        LimitKind::Position => ("position", ""),
        LimitKind::Velocity => ("speed", "/s"),
        LimitKind::Acceleration => ("acceleration", "/s²"),
    };
    let show = |value| {
        let value = joint_value(outcome, &violation.joint, value);
        format!("{value}{per_second}")
    };
    format!(
        "{what} of {} is {} {}, its limit is {}",
        violation.joint,
        show(violation.value),
        moment(violation.time, program),
        show(violation.limit),
    )
}

/// `arm – fence: nearer than 20 mm from 1.200 s until 1.900 s, 12.3 mm at 1.500 s`.
pub(super) fn near_miss(miss: &NearMiss, program: &ProgramOutcome) -> String {
    format!(
        "{} – {}: nearer than {} from {} until {}, {} {}",
        miss.a,
        miss.b,
        millimetres(miss.warn),
        clock(miss.entered, program),
        clock(miss.left, program),
        millimetres_up(miss.distance),
        moment(miss.time, program),
    )
}

/// `at 3.210 s (segment 5: waypoint 5 → 6, 37 %)`.
pub(super) fn when(contact: &Contact, program: &ProgramOutcome) -> String {
    if timeline::shared(program) {
        return moment(contact.time, program);
    }
    let from = contact.segment + 1;
    let place = match program.waypoints {
        Some(1) => "waypoint 1".to_owned(),
        _ => format!(
            "segment {from}: waypoint {from} → {}, {}",
            from + 1,
            percent(contact.fraction)
        ),
    };
    match program.timed {
        Some(true) => format!("at {} ({place})", seconds(contact.time)),
        _ => format!("at {place}"),
    }
}

/// `at 3.210 s`, or without times, where the time is the number of the waypoint from 0, `at waypoint 5.37`.
pub(super) fn moment(time: f64, program: &ProgramOutcome) -> String {
    format!("at {}", clock(time, program))
}

pub(super) fn clock(time: f64, program: &ProgramOutcome) -> String {
    match program.timed {
        Some(true) => seconds(time),
        _ => format!("waypoint {:.2}", time + 1.0),
    }
}

fn duration(program: &ProgramOutcome) -> String {
    if let Some(text) = timeline::duration(program) {
        return text;
    }
    let waypoints = count(program.waypoints.unwrap_or(0), "waypoint");
    match (program.timed, program.duration) {
        (Some(true), Some(duration)) => format!("{}, {waypoints}", seconds(duration)),
        _ => waypoints,
    }
}

pub(super) fn how_close(contact: &Contact, resolution: f64) -> String {
    match contact.kind {
        ContactKind::Inside => "one is wholly inside the other".to_owned(),
        ContactKind::Contact if contact.distance <= 0.0 => "the surfaces touch or cross".to_owned(),
        ContactKind::Contact => format!("{} apart", millimetres_up(contact.distance)),
        ContactKind::Unresolved => format!(
            "{} apart; not separable from the threshold at {}",
            millimetres_up(contact.distance),
            millimetres(resolution)
        ),
    }
}

fn point(p: [f64; 3]) -> String {
    let [x, y, z] = p.map(|v| format!("{:.1}", v * 1e3 + 0.0));
    format!("[{x}, {y}, {z}]")
}
