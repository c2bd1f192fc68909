//! One program against a prepared cell.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path as FilePath;
use std::time::Instant;

use super::audit::audited;
use super::motion::{Motion, Part};
use super::phases::{Phase, check_phases, cut};
use super::prepare::{Prepared, reported};
use super::scenes::{Found, Scenes};
use super::trouble::Trouble;
use super::{Job, RobotProgram, Settings};
use crate::engines::bisection::{CheckOptions, CheckResult};
use crate::engines::delay::{check_delays, out_of_reach};
use crate::engines::scene::Scene;
use crate::findings::{ProgramOutcome, Statistics, TimelineFacts, Verdict};
use crate::import::ImportError;
use crate::model::{Path, Program, Remark, Track};

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
        first_contact: None,
        contacts: Vec::new(),
        near_misses: Vec::new(),
        minimum_clearance: None,
        pair_minimums: Vec::new(),
        audit: None,
        limits: Vec::new(),
        unchecked: Vec::new(),
        timeline: None,
        sampled: None,
        error,
        error_at: None,
        statistics: Statistics::default(),
    }
}

/// How programs are read, and who looks on.
pub(super) struct Hooks<'h> {
    /// Reads one.
    pub(super) load: &'h dyn Fn(&FilePath) -> Result<Program, ImportError>,
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
    let attempt = || verified(programs, prepared, scenes, (job, settings), hooks);
    // A fault of ours in one program must neither stop the others nor pass for a verdict.
    match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(trouble)) => ProgramOutcome {
            error_at: trouble.at,
            ..unverified(programs, Some(trouble.error))
        },
        Err(_) => unverified(
            programs,
            Some(
                "internal error: the check broke off; please report it with this program and cell"
                    .to_owned(),
            ),
        ),
    }
}

fn verified(
    programs: &[RobotProgram],
    prepared: &Prepared,
    scenes: &Scenes,
    (job, settings): (&Job, &Settings),
    hooks: &Hooks,
) -> Result<ProgramOutcome, Trouble> {
    let cell = &prepared.cell;
    let motion = Motion::read(programs, job, hooks.load, cell)?;
    if job.any_delay.is_some() {
        delays_can_be_asked(job, &motion)?;
    }
    let mut remarks = motion.remarks.clone();
    if motion.timeline.events.is_empty() {
        (hooks.laid)(&motion.path);
    }
    // The audit is a check of its own, over the same motion.
    let checks = 1.0 + f64::from(u8::from(job.audit_allowed));
    let progress = &|share: f64| (hooks.progress)(share / checks);
    let options = CheckOptions {
        resolution: settings.resolution,
        all: job.all,
        minimum: job.minimum,
    };
    let start = Instant::now();
    let phases = match motion.timeline.cuts().is_empty() {
        true => None,
        false => Some(cut(cell, &motion.path, &motion.timeline)?),
    };
    let Found {
        result: mut found,
        mut near,
    } = match &phases {
        None => scenes.check(&motion.path, &options, progress)?,
        Some((phases, moved)) => {
            remarks.extend(moved.iter().cloned());
            let hulls = scenes.contact.hulls;
            check_phases(
                phases,
                &prepared.trees,
                settings,
                (&options, hulls),
                progress,
            )?
        }
    };
    let audit = job.audit_allowed.then(|| {
        let phases = match &phases {
            Some((phases, _)) => phases,
            None => &vec![Phase::whole(cell, &motion.path)],
        };
        let progress = |share: f64| (hooks.progress)((1.0 + share) / checks);
        let (mut audit, work) = audited(phases, &prepared.trees, settings, &progress);
        add(&mut found.statistics, &work);
        for contact in audit.contacts_mut() {
            (contact.segment, contact.fraction) = motion.place(contact.segment, contact.fraction);
        }
        audit
    });
    let mut timeline = motion.facts(found.first_contact.as_ref(), cell);
    if let (Some((phases, _)), Some(facts)) = (&phases, &mut timeline) {
        facts.phases = phases.iter().map(Phase::fact).collect();
    }
    if let (Some(delay_s), Some(facts)) = (job.any_delay, &mut timeline) {
        facts.any_delay = Some(delay_s);
        delays(
            delay_s,
            &motion,
            &scenes.contact,
            settings,
            &mut found,
            facts,
        )?;
    }
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
    let left_open = unseen(&found, settings);
    let columns = motion.parts.iter().flat_map(|p| &p.laid.columns);
    let open = || {
        prepared
            .unchecked
            .iter()
            .chain(&prepared.notes)
            .chain(&remarks)
            .filter(|r| r.open)
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
        joints: columns.map(|&j| cell.joint_label(j)).collect(),
        lines: only.map_or(Vec::new(), |p| p.waypoints.iter().map(|w| w.line).collect()),
        first_contact: found.first_contact,
        contacts: found.contacts,
        near_misses: near,
        minimum_clearance: found.minimum,
        pair_minimums: found.pair_minimums,
        audit,
        limits,
        unchecked: reported(&remarks),
        timeline,
        error: open()
            .next()
            .map(|first| open_question(first, open().count()))
            .or(left_open),
        sampled: found.sampled,
        statistics: Statistics {
            check_seconds: start.elapsed().as_secs_f64(),
            ..found.statistics
        },
        ..unverified(programs, None)
    })
}

/// Whether the question of `--any-delay` makes sense.
fn delays_can_be_asked(job: &Job, motion: &Motion) -> Result<(), Trouble> {
    let why = if motion.parts.len() < 2 {
        "--any-delay is about several programs; give one for each robot with --program"
    } else if let Some(event) = motion.timeline.events.first() {
        return Err(event
            .error(
                "--any-delay cannot be asked of programs with events: what is carried would depend on the delay",
                "leave out the events, or state the delays as offsets",
            )
            .into());
    } else if job.all || job.minimum || job.audit_allowed {
        "--any-delay answers clear or not, with the first contact; leave out --all, --minimum and --audit-allowed"
    } else {
        return Ok(());
    };
    Err(why.to_owned().into())
}

/// Looks at every delay up to `delay_s` between the programs; without delay they have been checked.
fn delays(
    delay_s: f64,
    motion: &Motion,
    scene: &Scene,
    settings: &Settings,
    found: &mut CheckResult,
    facts: &mut TimelineFacts,
) -> Result<(), Trouble> {
    let tracks: Vec<Track> = motion.parts.iter().map(Part::track).collect();
    if let Some(&pair) = out_of_reach(scene, &tracks).first() {
        let name = |body: usize| scene.cell.bodies[body].name.as_str();
        let pair = scene.pairs[pair];
        return Err(format!(
            "three or more programs move `{}` against `{}`: --any-delay looks at two at a time; join some of them into one program",
            name(pair.a),
            name(pair.b)
        )
        .into());
    }
    // A contact that needs no delay says enough.
    if found.verdict == Verdict::Collision {
        return Ok(());
    }
    let result = check_delays(scene, &tracks, delay_s, settings.resolution, &|_| ());
    add(&mut found.statistics, &result.statistics);
    if let (Some(mut first), true) = (result.first, result.verdict > found.verdict) {
        if let Some(open) = &found.first_contact {
            first.contact.free_until = first.contact.free_until.min(open.free_until);
        }
        motion.delayed(facts, &first.times);
        found.first_contact = Some(first.contact);
    }
    found.verdict = found.verdict.max(result.verdict);
    Ok(())
}

/// Why a method that found no contact has not proved that there is none.
fn unseen(found: &CheckResult, settings: &Settings) -> Option<String> {
    if found.verdict != Verdict::Unverified {
        return None;
    }
    let way = settings.way;
    if found.given_up {
        return Some(format!("given up: {way} did not get to the end in time"));
    }
    let sampled = found.sampled?;
    Some(format!(
        "sampled, not proved: no contact at {} instants, but from one to the next bodies move by up to {:.3} mm against each \
         other, and what comes and goes in between is not seen; `--method bisection` proves it",
        sampled.instants,
        1e3 * sampled.unseen
    ))
}

/// Adds work that was done over the same pairs.
fn add(sum: &mut Statistics, more: &Statistics) {
    sum.intervals += more.intervals;
    sum.distance_tests += more.distance_tests;
    sum.triangle_tests += more.triangle_tests;
}

fn open_question(first: &Remark, n: usize) -> String {
    let more = match n {
        1 => String::new(),
        _ => format!(" (and {} more)", n - 1),
    };
    format!(
        "the question stays open: {}: {}{more}",
        first.what, first.why
    )
}
