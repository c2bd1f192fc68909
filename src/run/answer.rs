//! The answer about one motion in a cell: the search, what is asked beside it, and what of both
//! leaves the question open.

use clearance_proof::check::TimeLimit;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::delay::{DelayedPrograms, WholeCell};
use clearance_proof::check::joined::PhaseQuestion;
use clearance_proof::model::{Cell, MotionInstant, Phase, Schedule, Trajectory};
use clearance_proof::pairs::PairTable;

use super::audit::audited;
use super::corners::{self, CornerSetting, open_corners};
use super::delays::{DelayQuestion, over_delays};
use super::depth::{DepthSetting, deepen};
use super::margin::{MarginQuestion, margin};
use super::motion::Motion;
use super::prepare::Prepared;
use super::scenes::{FoundScene, Scenes};
use super::uncovered::{nothing_checked, open_question, uncompared_while};
use super::{Job, MinimumScope, Settings};
use crate::error::Error;
use crate::findings::{
    Audit, Code, Contact, ContactKind, Diagnostic, Margin, NearMiss, PhaseFact, ProgramOutcome,
    TimelineFacts, Verdict,
};

/// One motion and what is asked about it.
pub(super) struct ProgramQuestion<'q> {
    pub job: &'q Job,
    pub settings: &'q Settings,
    pub prepared: &'q Prepared,
    /// The cell, with the errors that are allowed for in this program.
    pub cell: &'q Cell,
    /// The scenes of that cell, with the time limit.
    pub scenes: &'q Scenes<'q>,
    pub motion: &'q Motion,
    /// Where events change the cell.
    pub schedule: Option<&'q Schedule>,
    pub time_limit: &'q TimeLimit,
}

/// Reasons why the answer about delays is open.
#[derive(Default)]
struct OpenDelays {
    /// Some delay leaves no pair to compare.
    unpaired: Option<Diagnostic>,
    /// Why the least clearance stays open.
    least: Option<String>,
}

/// What was found along the motion.
struct Found {
    result: CheckResult,
    near: Vec<NearMiss>,
    audit: Option<Audit>,
    margin: Option<Margin>,
    timeline: Option<TimelineFacts>,
    open_delays: OpenDelays,
}

/// Why the verdict may be worse than what was found.
struct Settled {
    /// The time limit, if it was spent, seconds.
    given_up_after: Option<f64>,
    left_open: Option<String>,
}

impl ProgramQuestion<'_> {
    /// The answer, in an outcome that has the names of the programs. `delayed`: the programs, where
    /// delays are asked about.
    pub(super) fn answer(
        &self,
        delayed: Option<&DelayedPrograms>,
        progress: &dyn Fn(f64),
        names: ProgramOutcome,
    ) -> Result<ProgramOutcome, Error> {
        let mut found = self.find(delayed, progress)?;
        let notices: Vec<Diagnostic> = self
            .nothing_checked()
            .into_iter()
            .chain(found.open_delays.unpaired.take())
            .collect();
        let remarks = self.remarks();
        let end = self.settle(&mut found);
        let open = self.open_questions(&[&notices, &remarks]);
        let Self {
            settings,
            cell,
            motion,
            ..
        } = *self;
        // Waypoints and lines are those of a file: with several, `timeline` tells of each.
        let only = match &motion.parts[..] {
            [only] => Some(&only.program),
            _ => None,
        };
        let columns = motion.parts.iter().flat_map(|p| &p.for_cell.columns);
        let limits = (settings.limits).then(|| motion.limits(cell));
        let result = found.result;
        let mut outcome = ProgramOutcome {
            verdict: match open.first() {
                Some(_) => result.verdict.max(Verdict::Unverified),
                None => result.verdict,
            },
            interpolation: Some(motion.interpolation()),
            duration: Some(motion.trajectory.duration()),
            timed: Some(motion.trajectory.timed),
            waypoints: only.map(|p| p.waypoints.len()),
            moves: motion.moves(),
            joints: columns.map(|&j| cell.joint_label(j)).collect(),
            lines: only.map_or(Vec::new(), |p| p.waypoints.iter().map(|w| w.line).collect()),
            error: open
                .first()
                .map(|first| open_question(first, open.len()))
                .or(end.left_open),
            unsettled: !open.is_empty(),
            first_contact: result.first_contact,
            contacts: result.contacts,
            near_misses: found.near,
            minimum_clearance: result.minimum,
            pair_minimums: result.pair_minimums,
            others_farther_than: result.others_farther_than,
            minimum_by_class: result.minimum_by_class,
            margin: found.margin,
            audit: found.audit,
            limits: limits.unwrap_or_default(),
            full_turns: motion.full_turns(cell),
            timeline: found.timeline,
            sampled: result.sampled,
            given_up_after: end.given_up_after,
            coarseness: (result.coarseness > 0.0).then_some(result.coarseness),
            statistics: result.statistics,
            notices,
            ..names
        };
        outcome.add_remarks(remarks);
        Ok(outcome)
    }

    /// Everything that is searched for, with places as the programs have them.
    fn find(
        &self,
        delayed: Option<&DelayedPrograms>,
        progress: &dyn Fn(f64),
    ) -> Result<Found, Error> {
        // The audit is a check of its own over the same motion, and so are delays, which are not
        // asked with it.
        let checks = if self.job.audit_allowed || delayed.is_some() {
            2.0
        } else {
            1.0
        };
        let FoundScene { mut result, near } = self.search(&|share| progress(share / checks))?;
        let second = |share: f64| progress((1.0 + share) / checks);
        let audit = (self.job.audit_allowed).then(|| self.audit(&mut result, &second));
        let margin = if self.job.margin {
            let mut margin = self.margin(&mut result)?;
            if result.verdict == Verdict::Clear && self.cell.allowed_errors().is_some() {
                margin.take_in_the_proof();
            }
            Some(margin)
        } else {
            None
        };
        let mut timeline = self.timeline(&result);
        let mut open_delays = OpenDelays::default();
        if let (Some(programs), Some(facts)) = (delayed, &mut timeline) {
            open_delays = self.over_delays(programs, &mut result, facts, &second)?;
        }
        self.deepen(&mut result);
        let mut found = Found {
            result,
            near,
            audit,
            margin,
            timeline,
            open_delays,
        };
        for miss in &mut found.near {
            miss.set_instant(self.motion.among_waypoints(miss.instant()));
        }
        Ok(found)
    }

    /// What is to be said of the motion, the method and the events.
    fn remarks(&self) -> Vec<Diagnostic> {
        let mut remarks = self.motion.remarks.clone();
        let method = self.settings.method;
        let fallback = method.fallback(&self.scenes.contact);
        let fallback =
            fallback.map(|why| Diagnostic::note(Code::OtherMethod, method.to_string(), why));
        remarks.extend(fallback);
        remarks.extend(self.schedule.iter().flat_map(|s| s.moved.iter().cloned()));
        if self.settings.limits {
            remarks.extend(self.motion.unjudged_accelerations(self.cell));
            remarks.extend(self.motion.followers_beyond(self.cell));
        }
        remarks
    }

    /// Brings the verdict to what is proved where time was spent, delays are open or corners may be
    /// rounded, and says why.
    fn settle(&self, found: &mut Found) -> Settled {
        let result = &mut found.result;
        let limit = self.settings.time_limit;
        let given_up = limit.is_some() && (self.time_limit.was_exceeded() || result.given_up);
        if given_up {
            // Where the time limit was spent the answer is undecided, also for the sampling method.
            result.verdict = result.verdict.max(Verdict::Undecided);
            // An audit that was cut short would say of pairs it did not look at that they never
            // touch.
            found.audit = None;
        }
        let least = found.open_delays.least.take();
        if least.is_some() {
            result.verdict = result.verdict.max(Verdict::Undecided);
        }
        let unproved = why_unproved(result, self.settings);
        let rounded = if self.job.exact_corners {
            None
        } else {
            self.with_corners(result, found.timeline.as_mut())
        };
        // Corners take time too.
        let given_up_after = limit
            .filter(|_| given_up || self.time_limit.was_exceeded())
            .map(|limit| limit.as_secs_f64());
        let left_open = match given_up_after {
            Some(seconds) => Some(out_of_time(result, &self.motion.trajectory, seconds)),
            None => least.or(rounded).or(unproved),
        };
        Settled {
            given_up_after,
            left_open,
        }
    }

    /// The search of the motion.
    fn search(&self, progress: &dyn Fn(f64)) -> Result<FoundScene, Error> {
        let least = self.job.minimum_scope();
        let options = CheckOptions {
            resolution: self.settings.resolution,
            all: self.job.all,
            minimum: least.is_some(),
            minimum_by_class: least == Some(MinimumScope::Classes),
            minimum_pairs: self.job.minimum_pairs,
        };
        let scenes = self.scenes;
        match self.schedule {
            None => scenes.check(&self.motion.trajectory, &options, progress),
            Some(Schedule { phases, .. }) => {
                let trees = &self.prepared.trees;
                scenes.check_phases(phases, trees, self.settings, &options, progress)
            }
        }
    }

    /// What allowed pairs do; the work is added to what was found.
    fn audit(&self, found: &mut CheckResult, progress: &dyn Fn(f64)) -> Audit {
        let whole;
        let phases = match self.schedule {
            Some(schedule) => &schedule.phases[..],
            None => {
                whole = [Phase::whole(self.cell, &self.motion.trajectory)];
                &whole[..]
            }
        };
        let question = PhaseQuestion {
            phases,
            trees: &self.prepared.trees,
            clearance: self.settings.clearance,
            resolution: self.settings.resolution,
            time_limit: self.time_limit,
        };
        let (mut audit, work) = audited(&question, &self.prepared.loaded.stale, progress);
        found.statistics.add_work(&work);
        for contact in audit.contacts_mut() {
            let instant = MotionInstant::new(contact.segment, contact.fraction);
            let instant = self.motion.among_waypoints(instant);
            (contact.segment, contact.fraction) = (instant.segment, instant.fraction);
        }
        audit
    }

    /// How many times the errors the motion stands; the work is added to what was found.
    fn margin(&self, found: &mut CheckResult) -> Result<Margin, Error> {
        let question = MarginQuestion {
            cell: self.cell,
            trajectory: &self.motion.trajectory,
            timeline: &self.motion.timeline,
            trees: &self.prepared.trees,
            settings: self.settings,
            time_limit: self.time_limit,
        };
        let (margin, work) = margin(&question, &|_| ())?;
        found.statistics.add_work(&work);
        Ok(margin)
    }

    /// The report's facts about programs on one clock and events.
    fn timeline(&self, found: &CheckResult) -> Option<TimelineFacts> {
        let first = found.first_contact.as_ref();
        let mut timeline = self.motion.facts(first, self.cell)?;
        if let Some(schedule) = self.schedule {
            timeline.phases = schedule.phases.iter().map(phase_fact).collect();
        }
        Some(timeline)
    }

    /// Takes in what delays lead to.
    fn over_delays(
        &self,
        programs: &DelayedPrograms,
        found: &mut CheckResult,
        facts: &mut TimelineFacts,
        progress: &dyn Fn(f64),
    ) -> Result<OpenDelays, Error> {
        let Some(delay_s) = self.job.any_delay else {
            return Ok(OpenDelays::default());
        };
        let (delay_s, every) = self.motion.delay(delay_s);
        (facts.any_delay, facts.any_progress) = (Some(delay_s), every);
        let question = DelayQuestion {
            job: self.job,
            motion: self.motion,
            events: self.schedule.is_some(),
            whole: WholeCell {
                scene: &self.scenes.contact,
                trees: &self.prepared.trees,
                clearance: self.settings.clearance,
            },
            resolution: self.settings.resolution,
        };
        let answer = over_delays(programs, &question, delay_s, found, progress)?;
        if let Some(times) = answer.times {
            self.motion.delayed(facts, &times);
        }
        Ok(OpenDelays {
            unpaired: answer.unpaired,
            least: answer.least_open,
        })
    }

    /// Says where no pair of bodies is checked, or no pair of a body.
    fn nothing_checked(&self) -> Vec<Diagnostic> {
        match self.schedule {
            // Pairs of one interval say nothing about another one.
            Some(schedule) => uncompared_while(
                &schedule.phases,
                &self.motion.timeline,
                self.motion.trajectory.timed,
            ),
            None if self.scenes.contact.pairs.is_empty() => vec![nothing_checked(self.cell)],
            None => Vec::new(),
        }
    }

    fn phases(&self) -> Option<&[Phase]> {
        self.schedule.map(|schedule| &schedule.phases[..])
    }

    /// Says of contacts how deep they get, and between which waypoints they are.
    fn deepen(&self, found: &mut CheckResult) {
        align_with_list(found);
        let setting = DepthSetting {
            cell: self.cell,
            trees: &self.prepared.trees,
            settings: self.settings,
        };
        deepen(found, self.motion, self.phases(), &setting);
        for contact in found.first_contact.iter_mut().chain(&mut found.contacts) {
            contact.set_instant(self.motion.among_waypoints(contact.instant()));
        }
    }

    /// Takes in what rounded corners leave open; why, where they could not be looked at.
    fn with_corners(
        &self,
        found: &mut CheckResult,
        timeline: Option<&mut TimelineFacts>,
    ) -> Option<String> {
        // A sampler proves nothing, of corners neither.
        if found.sampled.is_some() {
            return None;
        }
        let setting = CornerSetting {
            scenes: self.scenes,
            phases: self.phases(),
            trees: &self.prepared.trees,
            settings: self.settings,
        };
        let open = open_corners(self.motion, &setting);
        let remarks = corners::add_to_result(&open, self.job.all, found);
        if let (Some(which), Some(facts), Some(first)) =
            (remarks.first_of, timeline, &found.first_contact)
        {
            self.motion.at_corner(facts, which, first.segment);
        }
        remarks.left_open
    }

    /// The diagnostics, of the cell and, in `more`, of the program, that leave the question open.
    fn open_questions<'d>(&'d self, more: &[&'d [Diagnostic]]) -> Vec<&'d Diagnostic> {
        let far = self.prepared.far_obstacles.as_ref();
        let is_settled =
            |r: &Diagnostic| far.is_some_and(|far| far.are_brought(r, &self.motion.timeline));
        let of_cell = (self.prepared.unchecked.iter())
            .chain(&self.prepared.notes)
            .chain(&self.prepared.notices);
        of_cell
            .filter(|r| !is_settled(r))
            .chain(more.iter().copied().flatten())
            .filter(|r| r.is_open())
            .collect()
    }
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
fn align_with_list(found: &mut CheckResult) {
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
fn why_unproved(found: &CheckResult, settings: &Settings) -> Option<String> {
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
