//! One program against a prepared cell.

use std::time::Instant;

use clearance_formats::ImportError;
use clearance_proof::check::TimeLimit;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::delay::WholeCell;
use clearance_proof::check::joined::PhaseQuestion;
use clearance_proof::model::{Cell, Phase, Schedule, Trajectory};
use clearance_proof::pairs::PairTable;

use super::audit::audited;
use super::corners::{self, CornerSetting, open_corners};
use super::delays::{DelayQuestion, delayable, over_delays};
use super::depth::{Setting, deepen};
use super::margin::margin;
use super::motion::Motion;
use super::panics::catch_panic;
use super::prepare::Prepared;
use super::scenes::{FoundScene, Scenes};
use super::taught::Taught;
use super::uncovered::{nothing_checked, nothing_checked_while, open_question};
use super::{Job, RobotProgram, Settings};
use crate::error::Error;
use crate::findings::{
    Code, Contact, ContactKind, Diagnostic, PhaseFact, ProgramOutcome, Statistics, Verdict,
};

/// A program about which nothing is known yet.
pub(super) fn unverified(programs: &[RobotProgram], error: Option<&Error>) -> ProgramOutcome {
    let files = programs.iter().map(|p| match p.file.to_str() {
        // Faster: a batch has very many of them.
        Some(text) => text.to_owned(),
        None => p.file.display().to_string(),
    });
    ProgramOutcome {
        program: match programs {
            [alone] => alone.to_string(),
            _ => {
                let names: Vec<String> = programs.iter().map(RobotProgram::to_string).collect();
                names.join(" + ")
            }
        },
        files: files.collect(),
        error: error.map(Error::to_string),
        ..ProgramOutcome::unknown()
    }
}

/// How programs are read, and who hears of it.
pub(super) struct Hooks<'h> {
    /// Reads one.
    pub(super) load: &'h dyn Fn(&RobotProgram) -> Result<Taught, ImportError>,
    /// Is told the share of the check that is done, 0 … 1.
    pub(super) progress: &'h dyn Fn(f64),
}

/// Reads a program (or several that run together), lays it onto the cell, and checks it. Whatever
/// goes wrong stays within this question.
pub(super) fn program(
    programs: &[RobotProgram],
    prepared: &Prepared,
    scenes: &Scenes,
    (job, settings): (&Job, &Settings),
    hooks: &Hooks,
) -> ProgramOutcome {
    match catch_panic(|| verified(programs, prepared, scenes, (job, settings), hooks)).flatten() {
        Ok(outcome) => outcome,
        Err(error) => ProgramOutcome {
            error_at: error.place(),
            refused: error.is_refusal(),
            ..unverified(programs, Some(&error))
        },
    }
}

fn verified(
    programs: &[RobotProgram],
    prepared: &Prepared,
    scenes: &Scenes,
    (job, settings): (&Job, &Settings),
    hooks: &Hooks,
) -> Result<ProgramOutcome, Error> {
    // Who has no program may help with this one.
    let _at_work = scenes.contact.threads.work();
    let time_limit = TimeLimit::of(settings.time_limit);
    let motion = Motion::read(programs, job, hooks.load, &prepared.loaded)?;
    // Errors of the arm that the program itself shows are allowed for, as well as those that the
    // cell states.
    let more = motion
        .more_errors(&prepared.loaded.cell)
        .filter(|_| !job.ideal);
    let own_cell = more.map(|errors| Cell {
        uncertainty: Some(errors),
        ..prepared.loaded.cell.clone()
    });
    let cell = own_cell.as_ref().unwrap_or(&prepared.loaded.cell);
    let own_scenes = (own_cell.as_ref())
        .map(|cell| scenes.again(cell, (&prepared.trees, &prepared.pairs), settings));
    let scenes = own_scenes.as_ref().unwrap_or(scenes);
    let limited = time_limit.is_limited().then(|| scenes.within(&time_limit));
    let scenes = limited.as_ref().unwrap_or(scenes);
    let allows = cell.allowed_errors().is_some();
    if allows && job.any_delay.is_some() {
        return Err(Error::usage(
            "errors within [uncertainty] (and of a model beside which a program shows its arm to stand) are not allowed for with \
             --any-delay: check the delays in a cell file without [uncertainty] and with `model_difference = \"reported\"`, and the \
             errors without --any-delay",
        ));
    }
    let delayed = match job.any_delay {
        Some(_) => Some(delayable(job, &motion, cell)?),
        None => None,
    };
    let mut remarks = motion.remarks.clone();
    let fallback = settings.method.fallback(&scenes.contact);
    remarks.extend(
        fallback.map(|why| Diagnostic::note(Code::OtherMethod, settings.method.to_string(), why)),
    );
    // The audit is a check of its own over the same motion, and so are delays, which are not asked
    // with it.
    let checks = if job.audit_allowed || delayed.is_some() {
        2.0
    } else {
        1.0
    };
    let progress = &|share: f64| (hooks.progress)(share / checks);
    let options = CheckOptions {
        resolution: settings.resolution,
        all: job.all,
        minimum: job.asks_minimum(),
        minimum_pairs: job.minimum_pairs,
    };
    let start = Instant::now();
    let schedule = if motion.timeline.cuts().is_empty() {
        None
    } else {
        let mut schedule = Schedule::new(cell, &motion.trajectory, &motion.timeline)?;
        // A program that is late waits for the events at its start.
        if delayed.is_some() && motion.starts_with_an_event() {
            let before = Phase::before(cell, &motion.trajectory);
            schedule.phases.insert(0, before);
        }
        Some(schedule)
    };
    let FoundScene {
        result: mut found,
        mut near,
    } = match &schedule {
        None => scenes.check(&motion.trajectory, &options, progress)?,
        Some(Schedule { phases, moved }) => {
            remarks.extend(moved.iter().cloned());
            scenes.check_phases(phases, (&prepared.trees, settings), &options, progress)?
        }
    };
    let second = |share: f64| (hooks.progress)((1.0 + share) / checks);
    let mut audit = job.audit_allowed.then(|| {
        let phases = match &schedule {
            Some(schedule) => &schedule.phases,
            None => &vec![Phase::whole(cell, &motion.trajectory)],
        };
        let question = PhaseQuestion {
            phases,
            trees: &prepared.trees,
            clearance: settings.clearance,
            resolution: settings.resolution,
            time_limit: &time_limit,
        };
        let (mut audit, work) = audited(&question, &prepared.loaded.stale, &second);
        found.statistics.add_work(&work);
        for contact in audit.contacts_mut() {
            (contact.segment, contact.fraction) = motion.place(contact.segment, contact.fraction);
        }
        audit
    });
    let margin = if job.margin {
        let along = (&*motion.trajectory, &motion.timeline);
        let question = (settings, &time_limit);
        let (margin, work) = margin(cell, along, &prepared.trees, question, &|_| ())?;
        found.statistics.add_work(&work);
        Some(margin)
    } else {
        None
    };
    let mut timeline = motion.facts(found.first_contact.as_ref(), cell);
    if let (Some(schedule), Some(facts)) = (&schedule, &mut timeline) {
        facts.phases = schedule.phases.iter().map(phase_fact).collect();
    }
    let mut unpaired = None;
    let mut least_open = None;
    if let (Some(delay_s), Some(programs), Some(facts)) = (job.any_delay, &delayed, &mut timeline) {
        let (delay_s, every) = motion.delay(delay_s);
        (facts.any_delay, facts.any_progress) = (Some(delay_s), every);
        let question = DelayQuestion {
            job,
            motion: &motion,
            events: schedule.is_some(),
            whole: WholeCell {
                scene: &scenes.contact,
                trees: &prepared.trees,
                clearance: settings.clearance,
            },
            resolution: settings.resolution,
        };
        let answer = over_delays(programs, &question, delay_s, &mut found, &second)?;
        unpaired = answer.unpaired;
        least_open = answer.least_open;
        if let Some(times) = answer.times {
            motion.delayed(facts, &times);
        }
    }
    let nothing = match &schedule {
        // Pairs of one interval say nothing about another one.
        Some(schedule) => nothing_checked_while(&schedule.phases, motion.trajectory.timed),
        None => (scenes.contact.pairs.is_empty()).then(|| nothing_checked(cell)),
    };
    let nothing: Vec<Diagnostic> = nothing.into_iter().chain(unpaired).collect();
    agree(&mut found);
    let setting = Setting {
        cell,
        trees: &prepared.trees,
        settings,
    };
    let along = schedule.as_ref().map(|schedule| &schedule.phases[..]);
    deepen(&mut found, &motion, along, &setting);
    for contact in found.first_contact.iter_mut().chain(&mut found.contacts) {
        (contact.segment, contact.fraction) = motion.place(contact.segment, contact.fraction);
    }
    for miss in &mut near {
        (miss.segment, miss.fraction) = motion.place(miss.segment, miss.fraction);
    }
    let limits = if settings.limits {
        motion.limits(cell)
    } else {
        Vec::new()
    };
    if settings.limits {
        remarks.extend(motion.unjudged_accelerations(cell));
        remarks.extend(motion.followers_beyond(cell));
    }
    // Waypoints and lines are those of a file: with several, `timeline` tells of each.
    let only = match &motion.parts[..] {
        [only] => Some(&only.program),
        _ => None,
    };
    let given_up = settings.time_limit.is_some() && (time_limit.was_spent() || found.given_up);
    if given_up {
        // Where the limit was spent the answer is undecided, that of a sampler too.
        found.verdict = found.verdict.max(Verdict::Undecided);
        // Of pairs that were not looked at it would say that they do nothing.
        audit = None;
    }
    if least_open.is_some() {
        found.verdict = found.verdict.max(Verdict::Undecided);
    }
    let unseen = unseen(&found, settings);
    let mut rounded = None;
    if !job.exact_corners {
        let setting = CornerSetting {
            scenes,
            phases: along,
            trees: &prepared.trees,
            settings,
        };
        let remarks = corners::add_to_result(&open_corners(&motion, &setting), job.all, &mut found);
        rounded = remarks.left_open;
        if let (Some(which), Some(facts), Some(first)) =
            (remarks.first_of, &mut timeline, &found.first_contact)
        {
            motion.at_corner(facts, which, first.segment);
        }
    }
    // Corners take time too.
    let given_up_after = (settings.time_limit)
        .filter(|_| given_up || time_limit.was_spent())
        .map(|limit| limit.as_secs_f64());
    let left_open = match given_up_after {
        Some(seconds) => Some(out_of_time(&found, &motion.trajectory, seconds)),
        None => least_open.or(rounded).or(unseen),
    };
    let columns = motion.parts.iter().flat_map(|p| &p.for_cell.columns);
    // What stands out of reach may be brought by an event.
    let is_settled =
        |r: &&Diagnostic| r.code == Code::SuspiciousPlace && !motion.timeline.events.is_empty();
    let open = || {
        prepared
            .unchecked
            .iter()
            .chain(&prepared.notes)
            .chain(&prepared.notices)
            .chain(&nothing)
            .chain(&remarks)
            .filter(|r| r.is_open() && !is_settled(r))
    };
    Ok(ProgramOutcome {
        verdict: match open().next() {
            Some(_) => found.verdict.max(Verdict::Unverified),
            None => found.verdict,
        },
        interpolation: Some(motion.interpolation()),
        duration: Some(motion.trajectory.duration()),
        timed: Some(motion.trajectory.timed),
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
        unsettled: open().next().is_some(),
        coarseness: (found.coarseness > 0.0).then_some(found.coarseness),
        statistics: Statistics {
            check_seconds: start.elapsed().as_secs_f64(),
            ..found.statistics
        },
        ..unverified(programs, None)
    })
}

/// The report's facts about the motion between two events.
fn phase_fact(phase: &Phase) -> PhaseFact {
    let checked = PairTable::new(&phase.cell).checked;
    let own = checked.iter().filter(|p| p.clearance.is_some());
    let [from, until] = phase.times();
    PhaseFact {
        from,
        until,
        pairs: checked.len(),
        own_thresholds: own.count(),
    }
}

/// The first contact and its interval in the list are found by two searches: both tell of the
/// earlier instant.
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

/// The message for a program whose time limit was too short.
fn out_of_time(found: &CheckResult, trajectory: &Trajectory, seconds: f64) -> String {
    let until = match (&found.first_contact, trajectory.segments.first()) {
        (Some(first), Some(start)) if first.free_until > start.start => {
            let unit = if trajectory.timed { " s" } else { "" };
            format!("up to {:.3}{unit} all is proved free; ", first.free_until)
        }
        _ => String::new(),
    };
    format!(
        "the time limit of {seconds} s was spent before everything was checked; {until}give more with --time-limit, a coarser \
         --resolution, or ask for less"
    )
}
