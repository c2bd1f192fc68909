//! Programs without certain times on one clock with others: their times are an estimate, and
//! nothing may depend on it.
//!
//! **Why that is sound.** With `--any-delay` every instant of one program is looked at beside every
//! instant of the others (`Motion::delay`). Whatever speeds a controller drives at, and wherever it
//! waits on its trajectory, at each moment it is somewhere on its trajectory, and so are the
//! others: that is one of these combinations.

use std::sync::Arc;

use super::Motion;
use super::part::ProgramPart;
use super::wrong::wrong;
use crate::error::Error;
use crate::findings::{Code, Diagnostic, Location, Severity};
use crate::run::Job;

/// A move whose duration nobody knows takes this long on the clock, seconds.
const UNKNOWN_S: f64 = 1.0;

impl ProgramPart {
    /// Gives a program without times estimated ones, for a clock that it shares with others, and
    /// says so.
    ///
    /// # Errors
    /// When the question depends on its times.
    pub(super) fn estimate_times(&mut self, job: &Job) -> Result<(), Error> {
        if self.program.timed {
            return Ok(());
        }
        let file = &self.program.source;
        if job.any_delay.is_none() {
            let line = self.program.columns.first().map_or(Some(1), |c| c.line);
            let (problem, remedy) = match self.moves {
                Some(_) => (
                    "how long moves take is not certain, so the program cannot share a clock with others",
                    "ask with `--any-delay any`: the verdict then holds wherever each program is while the others move",
                ),
                None => (
                    "the program has no times, so it cannot share a clock with others",
                    "add a `time` column, or ask with `--any-delay any`: the verdict then holds wherever each program is while \
                     the others move",
                ),
            };
            return Err(wrong(file, line, problem.into(), remedy.into()));
        }
        let ways = self.program.waypoints.len().saturating_sub(1);
        let stated = self.moves.as_ref().map(|for_cell| &for_cell.durations_s);
        let stated = |k: usize| stated.and_then(|d| d.get(k).copied().flatten());
        let mut times = vec![0.0];
        for k in 0..ways {
            times.push(times[k] + stated(k).unwrap_or(UNKNOWN_S));
        }
        let unknown = (0..ways).filter(|&k| stated(k).is_none()).count();
        let trajectory = Arc::make_mut(&mut self.for_cell.trajectory);
        if let Some(for_cell) = &self.moves {
            let at = |way: usize, share: f64| match (times.get(way), times.get(way + 1)) {
                (Some(from), Some(to)) if share < 1.0 => from + share * (to - from),
                (_, Some(to)) => *to,
                (from, None) => from.copied().unwrap_or(0.0),
            };
            for (segment, span) in trajectory.segments.iter_mut().zip(&for_cell.spans) {
                segment.start = at(span.segment, span.from);
                segment.end = at(span.segment, span.to);
            }
        }
        let whole = trajectory.duration();
        for (waypoint, &time) in self.program.waypoints.iter_mut().zip(&times) {
            waypoint.time = time;
        }
        let counted = match (&self.moves, unknown) {
            (Some(_), 0) => "by the speeds that its moves state".to_owned(),
            (Some(_), n) if n < ways => format!(
                "by the speeds that its moves state ({n} of {ways} state none that gives a time, and count as {UNKNOWN_S} s each)"
            ),
            (Some(_), _) => format!("its moves state no speeds, and count as {UNKNOWN_S} s each"),
            (None, _) => format!("the way to each waypoint counts as {UNKNOWN_S} s"),
        };
        self.for_cell.remarks.push(Diagnostic {
            code: Code::EstimatedTimes,
            place: Some(Location::file(&self.program.source)),
            severity: Severity::Note,
            subject: format!("times of {}", self.program.source.display()),
            message: format!(
                "about {whole:.1} s, an estimate: {counted}, without acceleration, waiting and rounded corners; the verdict does \
                 not depend on it, and no speed limit is judged by it"
            ),
        });
        self.estimated = true;
        Ok(())
    }
}

impl Motion {
    /// Which delays are looked at when those up to `asked` are asked for, seconds, and whether that
    /// is every instant of each program beside every instant of the others: where times are not
    /// certain no less will do.
    pub fn delay(&self, asked: f64) -> (f64, bool) {
        let every = asked.is_infinite() || self.parts.iter().any(|part| part.estimated);
        let (start, end) = self.span();
        if every {
            (end - start, true)
        } else {
            (asked, false)
        }
    }

    /// Refuses events where times are estimates: when they happen would be one too.
    pub(super) fn events_are_timed(&self) -> Result<(), Error> {
        let estimated = self.parts.iter().find(|part| part.estimated);
        match (estimated, self.timeline.events.first()) {
            (Some(part), Some(event)) => Err(event
                .error(
                    format!(
                        "events are not known beside several programs of which one, {}, has no certain times",
                        part.program.source.display()
                    ),
                    "check each program with its events alone, and the programs together without events",
                )
                .into()),
            _ => Ok(()),
        }
    }
}
