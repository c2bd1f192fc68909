//! One program against a prepared cell.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use clearance_formats::ImportError;
use clearance_proof::check::Budget;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::delay::{DelayOptions, MOST_BOXES};
use clearance_proof::model::{Cell, Path};

use super::audit::audited;
use super::check_error::CheckError;
use super::classes::take_in;
use super::corners::{self, unproved};
use super::delays::{Delayed, Lanes, Minimums};
use super::depth::{Setting, deepen};
use super::load::Taught;
use super::margin::margin;
use super::motion::Motion;
use super::phases::{Phase, check_phases, claim_nothing, cut, take_in_least};
use super::prepare::Prepared;
use super::scenes::{FoundScene, Scenes};
use super::uncovered::{nothing_checked, nothing_checked_while, open_question};
use super::{Job, RobotProgram, Settings};
use crate::findings::{
    Contact, ContactKind, Diagnostic, MinimumClearance, ProgramOutcome, Statistics, Verdict,
};

/// A program about which nothing is known yet.
pub(super) fn unverified(programs: &[RobotProgram], error: Option<String>) -> ProgramOutcome {
    let names: Vec<String> = programs.iter().map(RobotProgram::to_string).collect();
    ProgramOutcome {
        program: names.join(" + "),
        files: programs
            .iter()
            .map(|p| p.file.display().to_string())
            .collect(),
        verdict: Verdict::Unverified,
        interpolation: None,
        duration: None,
        timed: None,
        waypoints: None,
        joints: Vec::new(),
        lines: Vec::new(),
        moves: Vec::new(),
        first_contact: None,
        contacts: Vec::new(),
        near_misses: Vec::new(),
        minimum_clearance: None,
        pair_minimums: Vec::new(),
        others_farther_than: None,
        minimum_by_class: Vec::new(),
        margin: None,
        audit: None,
        limits: Vec::new(),
        full_turns: Vec::new(),
        notices: Vec::new(),
        unchecked: Vec::new(),
        timeline: None,
        sampled: None,
        coarseness: None,
        refused: false,
        given_up_after: None,
        error,
        error_at: None,
        statistics: Statistics::default(),
    }
}

/// How programs are read, and who looks on.
pub(super) struct Hooks<'h> {
    /// Reads one.
    pub(super) load: &'h dyn Fn(&RobotProgram) -> Result<Taught, ImportError>,
    /// Is shown the path before the check, unless events change what moves along it.
    pub(super) laid: &'h dyn Fn(&Path),
    /// Is told the share of the check that is done, 0 … 1.
    pub(super) progress: &'h dyn Fn(f64),
}

/// Reads a program (or several that run together), lays it onto the cell, and checks it. Whatever goes wrong stays within
/// this question.
pub(super) fn program(
    programs: &[RobotProgram],
    prepared: &Prepared,
    scenes: &Scenes,
    (job, settings): (&Job, &Settings),
    hooks: &Hooks,
) -> ProgramOutcome {
    match catch_panic(|| verified(programs, prepared, scenes, (job, settings), hooks)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(trouble)) => ProgramOutcome {
            error_at: trouble.at,
            refused: trouble.refused,
            ..unverified(programs, Some(trouble.error))
        },
        Err(error) => unverified(programs, Some(error)),
    }
}

/// Does something. A fault of ours in it must neither stop what else is to be done nor pass for a verdict.
///
/// # Errors
/// When it panics.
pub(super) fn catch_panic<T>(what: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(what)).map_err(|_| {
        "internal error: the check broke off; please report it with this program and cell"
            .to_owned()
    })
}

fn verified(
    programs: &[RobotProgram],
    prepared: &Prepared,
    scenes: &Scenes,
    (job, settings): (&Job, &Settings),
    hooks: &Hooks,
) -> Result<ProgramOutcome, CheckError> {
    let cell = &prepared.cell;
    let budget = Budget::of(settings.time_limit);
    let limited = budget.is_limited().then(|| scenes.within(&budget));
    let scenes = limited.as_ref().unwrap_or(scenes);
    let motion = Motion::read(programs, job, hooks.load, cell)?;
    let allows = cell.uncertainty.as_ref().is_some_and(|u| !u.is_none());
    if allows && job.any_delay.is_some() {
        return Err(CheckError::from(
            "errors within [uncertainty] are not allowed for with --any-delay: check the delays in a cell file without \
             [uncertainty], and the errors without --any-delay"
                .to_owned(),
        ));
    }
    let lanes = match job.any_delay {
        Some(_) => Some(Lanes::new(job, &motion, cell)?),
        None => None,
    };
    let mut remarks = motion.remarks.clone();
    // The way through rounded corners is not that of the path.
    if motion.timeline.events.is_empty() && !motion.has_moves() {
        (hooks.laid)(&motion.path);
    }
    // The audit is a check of its own over the same motion, and so are delays, which are not asked with it.
    let checks = match job.audit_allowed || lanes.is_some() {
        true => 2.0,
        false => 1.0,
    };
    let progress = &|share: f64| (hooks.progress)(share / checks);
    let options = CheckOptions {
        resolution: settings.resolution,
        all: job.all,
        minimum: job.asks_minimum(),
        minimum_pairs: job.minimum_pairs,
    };
    let start = Instant::now();
    let phases = match motion.timeline.cuts().is_empty() {
        true => None,
        false => {
            let mut cut = cut(cell, &motion.path, &motion.timeline)?;
            // A program that is late waits for the events at its start.
            if lanes.is_some() && motion.starts_with_an_event() {
                cut.0.insert(0, Phase::before(cell, &motion.path));
            }
            Some(cut)
        }
    };
    let FoundScene {
        result: mut found,
        mut near,
    } = match &phases {
        None => scenes
            .check(&motion.path, &options, progress)
            .map_err(CheckError::refused)?,
        Some((phases, moved)) => {
            remarks.extend(moved.iter().cloned());
            check_phases(
                phases,
                &prepared.trees,
                settings,
                (scenes, &options),
                progress,
            )
            .map_err(CheckError::refused)?
        }
    };
    let second = |share: f64| (hooks.progress)((1.0 + share) / checks);
    let mut audit = job.audit_allowed.then(|| {
        let phases = match &phases {
            Some((phases, _)) => phases,
            None => &vec![Phase::whole(cell, &motion.path)],
        };
        let (mut audit, work) = audited(phases, &prepared.trees, (settings, &budget), &second);
        add(&mut found.statistics, &work);
        for contact in audit.contacts_mut() {
            (contact.segment, contact.fraction) = motion.place(contact.segment, contact.fraction);
        }
        audit
    });
    let margin = match job.margin {
        true => {
            let along = (&motion.path, &motion.timeline);
            let question = (settings, &budget);
            let (margin, work) = margin(cell, along, &prepared.trees, question, &|_| ())?;
            add(&mut found.statistics, &work);
            Some(margin)
        }
        false => None,
    };
    let mut timeline = motion.facts(found.first_contact.as_ref(), cell);
    if let (Some((phases, _)), Some(facts)) = (&phases, &mut timeline) {
        facts.phases = phases.iter().map(Phase::fact).collect();
    }
    let mut unpaired = None;
    let mut least_open = None;
    if let (Some(delay_s), Some(lanes), Some(facts)) = (job.any_delay, &lanes, &mut timeline) {
        facts.any_delay = Some(delay_s);
        // A contact that needs no delay does not say what comes before it at other delays.
        let touches = found.verdict == Verdict::Collision;
        let known = found.first_contact.iter().filter(|_| touches);
        let options = DelayOptions {
            delay_s,
            resolution: settings.resolution,
            all: job.all,
            span: motion.span(),
            until: known.map(|c| c.time).fold(f64::INFINITY, f64::min),
            minimum: job.asks_minimum(),
            most_boxes: MOST_BOXES,
        };
        if phases.is_some() {
            unpaired = lanes.unpaired(cell, options)?;
        }
        let known: Vec<MinimumClearance> = (found.pair_minimums.iter().cloned())
            .chain(found.minimum_by_class.iter().map(|c| c.least.clone()))
            .chain(found.minimum.clone())
            .collect();
        let whole = (&scenes.contact, &known[..]);
        let delayed = lanes.search(prepared, settings, options, whole, &second)?;
        let unsearched = delayed.result.minimum_given_up && !budget.was_spent();
        least_open = unsearched.then(|| open_minimum(MOST_BOXES));
        with_least(
            &mut found,
            &delayed.least,
            job.minimum_pairs,
            budget.was_spent(),
        );
        if let Some(times) = with_delays(&mut found, delayed, cell) {
            motion.delayed(facts, &times);
        }
    }
    let nothing = match &phases {
        // Pairs of one interval say nothing about another one.
        Some((phases, _)) => nothing_checked_while(phases, motion.path.timed),
        None => (scenes.contact.pairs.is_empty()).then(|| nothing_checked(cell)),
    };
    let nothing: Vec<Diagnostic> = nothing.into_iter().chain(unpaired).collect();
    agree(&mut found);
    let setting = Setting {
        cell,
        trees: &prepared.trees,
        settings,
    };
    let along = phases.as_ref().map(|(phases, _)| &phases[..]);
    deepen(&mut found, &motion, along, &setting);
    for contact in found.first_contact.iter_mut().chain(&mut found.contacts) {
        (contact.segment, contact.fraction) = motion.place(contact.segment, contact.fraction);
    }
    for miss in &mut near {
        (miss.segment, miss.fraction) = motion.place(miss.segment, miss.fraction);
    }
    let limits = match settings.limits {
        true => motion.limits(cell),
        false => Vec::new(),
    };
    if settings.limits {
        remarks.extend(motion.unjudged_accelerations(cell));
    }
    // Waypoints and lines are those of a file: with several, `timeline` tells of each.
    let only = match &motion.parts[..] {
        [only] => Some(&only.program),
        _ => None,
    };
    let given_up_after = match settings.time_limit {
        Some(limit) if budget.was_spent() || found.given_up => {
            // What a sampler has not seen is nothing that the limit has to do with.
            found.verdict = found.verdict.max(Verdict::Undecided);
            // Of pairs that were not looked at it would say that they do nothing.
            audit = None;
            Some(limit.as_secs_f64())
        }
        _ => None,
    };
    if least_open.is_some() {
        found.verdict = found.verdict.max(Verdict::Undecided);
    }
    let mut rounded = None;
    if !job.exact_corners {
        let open = unproved(&motion, scenes, settings.resolution, phases.is_some());
        if !open.is_empty() {
            found.verdict = found.verdict.max(Verdict::Undecided);
            rounded = Some(corners::told(&open));
        }
    }
    let left_open = match given_up_after {
        Some(seconds) => Some(out_of_time(&found, &motion.path, seconds)),
        None => unseen(&found, settings).or(least_open).or(rounded),
    };
    let columns = motion.parts.iter().flat_map(|p| &p.laid.columns);
    let open = || {
        prepared
            .unchecked
            .iter()
            .chain(&prepared.notes)
            .chain(&prepared.notices)
            .chain(&nothing)
            .chain(&remarks)
            .filter(|r| r.is_open())
    };
    Ok(ProgramOutcome {
        verdict: match open().next() {
            Some(_) => found.verdict.max(Verdict::Unverified),
            None => found.verdict,
        },
        interpolation: Some(motion.law()),
        duration: Some(motion.path.duration()),
        timed: Some(motion.path.timed),
        waypoints: only.map(|p| p.waypoints.len()),
        moves: motion.moves(),
        joints: columns.map(|&j| cell.joint_label(j)).collect(),
        lines: only.map_or(Vec::new(), |p| p.waypoints.iter().map(|w| w.line).collect()),
        first_contact: found.first_contact,
        contacts: found.contacts,
        near_misses: near,
        minimum_clearance: found.minimum,
        pair_minimums: found.pair_minimums,
        others_farther_than: found.others_farther_than,
        minimum_by_class: found.minimum_by_class,
        margin,
        audit,
        limits,
        full_turns: motion.full_turns(cell),
        notices: nothing.clone(),
        unchecked: remarks.clone(),
        timeline,
        error: open()
            .next()
            .map(|first| open_question(first, open().count()))
            .or(left_open),
        sampled: found.sampled,
        given_up_after,
        coarseness: (found.coarseness > 0.0).then_some(found.coarseness),
        statistics: Statistics {
            check_seconds: start.elapsed().as_secs_f64(),
            ..found.statistics
        },
        ..unverified(programs, None)
    })
}

/// The first contact and its interval in the list are found by two searches: both tell of the earlier instant.
fn agree(found: &mut CheckResult) {
    let Some(first) = &mut found.first_contact else {
        return;
    };
    let same = |c: &&mut Contact| {
        let (from, until) = (c.free_until, c.until.unwrap_or(f64::INFINITY));
        (&c.a, &c.b, &c.delays) == (&first.a, &first.b, &first.delays)
            && from <= first.time
            && first.time <= until
    };
    let Some(entry) = found.contacts.iter_mut().find(same) else {
        return;
    };
    let unresolved = |c: &Contact| c.kind == ContactKind::Unresolved;
    let earlier = (unresolved(entry), entry.time) < (unresolved(first), first.time);
    let stated = if earlier {
        entry.clone()
    } else {
        first.clone()
    };
    *entry = Contact {
        // Of this pair only.
        free_until: entry.free_until.min(stated.time),
        until: entry.until,
        ..stated.clone()
    };
    *first = Contact {
        free_until: first.free_until.min(stated.time),
        until: None,
        feature: first.feature.filter(|_| !earlier),
        exact_time: first.exact_time.filter(|_| !earlier),
        ..stated
    };
    (entry.feature, entry.exact_time) = (first.feature, first.exact_time);
}

/// Takes in what delays lead to; the times of all programs when the first contact takes one.
fn with_delays(found: &mut CheckResult, delayed: Delayed, cell: &Cell) -> Option<Vec<f64>> {
    let Delayed {
        result: delayed,
        pairs,
        ..
    } = delayed;
    add(&mut found.statistics, &delayed.statistics);
    // Of these pairs the earliest contact over all delays is told, in place of those without delay.
    let name = |body: usize| cell.bodies[body].name.as_str();
    let names: BTreeSet<(&str, &str)> = pairs.iter().map(|&(a, b)| (name(a), name(b))).collect();
    found
        .contacts
        .retain(|c| !names.contains(&(c.a.as_str(), c.b.as_str())));
    found
        .contacts
        .extend(delayed.contacts.into_iter().map(|c| c.contact));
    found.contacts.sort_by(|x, y| x.time.total_cmp(&y.time));
    let mut first = delayed.first?;
    let known = found.first_contact.as_ref();
    let free_until = known.map_or(f64::INFINITY, |k| k.free_until);
    let free_until = free_until.min(first.contact.free_until);
    let earlier = known.is_none_or(|k| first.contact.time < k.time);
    let counts = delayed.verdict > found.verdict || delayed.verdict == found.verdict && earlier;
    found.verdict = found.verdict.max(delayed.verdict);
    if counts {
        first.contact.free_until = free_until;
        found.first_contact = Some(first.contact);
        return Some(first.times);
    }
    if let Some(known) = &mut found.first_contact {
        known.free_until = free_until;
    }
    None
}

/// Takes in least distances over all delays: of their pairs these are the answer, and one that no delay brings nearer keeps the
/// instant without delay. Pairs are listed that are not proved farther apart than `within`. `spent`: some were not looked at.
fn with_least(found: &mut CheckResult, delayed: &Minimums, within: Option<f64>, spent: bool) {
    for least in &delayed.by_class {
        take_in(&mut found.minimum_by_class, least.clone());
    }
    for least in &delayed.pairs {
        take_in_least(&mut found.minimum, least.clone());
    }
    let Some(within) = within else {
        if spent {
            claim_nothing(found);
        }
        return;
    };
    for least in &delayed.pairs {
        let same = |m: &&mut MinimumClearance| (&m.a, &m.b) == (&least.a, &least.b);
        match found.pair_minimums.iter_mut().find(same) {
            None if least.lower_bound < within => found.pair_minimums.push(least.clone()),
            None => {}
            Some(known) if least.distance < known.distance => *known = least.clone(),
            // The motion without delay is one of those that were searched.
            Some(known) => known.lower_bound = least.lower_bound.min(known.distance),
        }
    }
    if spent {
        claim_nothing(found);
    }
    let pairs = &mut found.pair_minimums;
    pairs.sort_by(|x, y| x.distance.total_cmp(&y.distance));
}

/// What is said where least distances over delays were left before they were followed to the resolution.
fn open_minimum(boxes: u64) -> String {
    format!(
        "the least clearance over all delays stays open: after {boxes} boxes of times it is only known to lie between the two \
         lengths that are told; ask for a smaller --any-delay, a coarser --resolution, or leave out --minimum"
    )
}

/// Why a method that found no contact has not proved that there is none.
fn unseen(found: &CheckResult, settings: &Settings) -> Option<String> {
    if found.verdict != Verdict::Unverified {
        return None;
    }
    let method = settings.method;
    if found.given_up {
        return Some(format!(
            "given up: {method} did not get to the end within its time or its most steps"
        ));
    }
    let sampled = found.sampled?;
    Some(format!(
        "sampled, not proved: no contact at {} instants, but from one to the next bodies move by up to {:.3} mm against each \
         other, and what comes and goes in between is not seen; `--method bisection` proves it",
        sampled.instants,
        1e3 * sampled.unseen
    ))
}

/// What is said of a program for which the time limit was too short.
fn out_of_time(found: &CheckResult, path: &Path, seconds: f64) -> String {
    let until = match (&found.first_contact, path.segments.first()) {
        (Some(first), Some(start)) if first.free_until > start.start => {
            let unit = if path.timed { " s" } else { "" };
            format!("up to {:.3}{unit} all is proved free; ", first.free_until)
        }
        _ => String::new(),
    };
    format!(
        "the time limit of {seconds} s was spent before everything was checked; {until}give more with --time-limit, a coarser \
         --resolution, or ask for less"
    )
}

/// Adds work that was done over the same pairs.
fn add(sum: &mut Statistics, more: &Statistics) {
    sum.intervals += more.intervals;
    sum.distance_tests += more.distance_tests;
    sum.triangle_tests += more.triangle_tests;
}
