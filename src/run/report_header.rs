//! A report without its programs, and the one where there is no answer.

use clearance_formats::ImportError;
use clearance_proof::model::JointKind;
use clearance_proof::pairs::Reason;

use super::prepare::Prepared;
use super::scenes::warn_distances;
use super::{Job, Settings, check, load, suspicious, uncertainty};
use crate::error::Error;
use crate::findings::{Code, Diagnostic, Outcome, SCHEMA, Severity, Timing, Verdict};

/// The answer to a job whose cell could not be read.
pub fn refuse(job: &Job, error: &ImportError) -> Outcome {
    refused(job, None, &Error::Input(error.clone()))
}

/// The answer when the question cannot even be asked.
pub(crate) fn refused(job: &Job, prepared: Option<&Prepared>, error: &Error) -> Outcome {
    let checks = job.checks();
    Outcome {
        programs: checks
            .iter()
            .map(|programs| check::unverified(programs, Some(error)))
            .collect(),
        error: Some(error.to_string()),
        error_at: error.place(),
        ..unanswered(job, prepared)
    }
}

/// A report without an answer. Settings that cannot be meant are those that hold where nobody says
/// otherwise.
pub(super) fn unanswered(job: &Job, prepared: Option<&Prepared>) -> Outcome {
    let settings = Settings::of(job, prepared.map(|p| &p.loaded.settings)).unwrap_or(Settings {
        clearance: 0.0,
        resolution: Settings::RESOLUTION_M,
        warn: None,
        limits: true,
        method: job.method,
        time_limit: job.time_limit,
    });
    described(job, prepared, &settings)
}

/// Everything but the answer.
pub(super) fn described(job: &Job, prepared: Option<&Prepared>, settings: &Settings) -> Outcome {
    let mut outcome = Outcome {
        schema: SCHEMA,
        tool: "clearance".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cell: job.cell.source.name(),
        required_clearance: settings.clearance,
        warn: settings.warn,
        uncertainty: Vec::new(),
        resolution: settings.resolution,
        method: settings.method.time.as_str().to_owned(),
        shape: settings.method.backend.as_str().to_owned(),
        verdict: Verdict::Unverified,
        bodies: 0,
        pairs: 0,
        own_thresholds: 0,
        least_own_threshold: None,
        allowed_pairs: 0,
        warn_pairs: 0,
        sliding_joints: Vec::new(),
        notices: Vec::new(),
        unchecked: Vec::new(),
        notes: Vec::new(),
        error: None,
        error_at: None,
        programs: Vec::new(),
        timing: Timing::default(),
    };
    outcome.notes.extend(job.cell.default_cell());
    outcome.unchecked.extend(settings.unjudged_limits(job));
    if let Some(prepared) = prepared {
        let cell = &prepared.loaded.cell;
        let sliding =
            (0..cell.joints.len()).filter(|&j| cell.joints[j].kind == JointKind::Prismatic);
        outcome.sliding_joints = sliding.map(|j| cell.joint_label(j)).collect();
        outcome.uncertainty = uncertainty::budgets(cell);
        outcome.bodies = cell.bodies.iter().filter(|b| !b.shapes.is_empty()).count();
        outcome.pairs = prepared.pairs.checked.len();
        let own = prepared.pairs.checked.iter().filter_map(|p| p.clearance);
        outcome.own_thresholds = own.clone().count();
        outcome.least_own_threshold = own.reduce(f64::min);
        let excluded = prepared.pairs.excluded.iter();
        let allowed = excluded.filter(|p| matches!(p.reason, Reason::Allowed(_)));
        outcome.allowed_pairs = allowed.count();
        let watched = warn_distances(&prepared.pairs, settings);
        outcome.warn_pairs = watched.iter().flatten().count();
        outcome.notices = prepared.notices.clone();
        let wide = suspicious::wide_clearance(cell, settings.clearance);
        outcome.notices.extend(wide);
        outcome.unchecked.extend(prepared.unchecked.iter().cloned());
        outcome.notes.extend(prepared.notes.iter().cloned());
        outcome.notes.extend(unwatched(prepared, settings));
        outcome.notes.extend(load::passed_over(job, cell));
        outcome.timing.load_seconds = prepared.load_seconds;
        outcome.timing.tree_seconds = prepared.tree_seconds;
    }
    outcome
}

/// Says so when pairs are not watched for near misses although others are.
fn unwatched(prepared: &Prepared, settings: &Settings) -> Option<Diagnostic> {
    settings.warn?;
    let warn = warn_distances(&prepared.pairs, settings);
    let pairs = prepared.pairs.checked.iter().zip(&warn);
    let mut without = pairs.filter(|(_, warn)| warn.is_none()).map(|(p, _)| p);
    let first = without.next()?;
    let name = |body: usize| prepared.loaded.cell.bodies[body].name.as_str();
    let more = match without.count() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Some(Diagnostic {
        subject: format!("{} – {}{more}", name(first.a), name(first.b)),
        message: "not watched for near misses: the pair's own clearance is not below the warn distance; give its [[pair]] a \
              `warn`"
            .to_owned(),
        place: None,
severity: Severity::Note,
        code: Code::UnwatchedPair,
    })
}
