//! The contacts that allowances hid along a program: pairs that somebody allows are checked like
//! all others, but apart from them, so that no verdict depends on it.

use clearance_formats::StaleAllowance;
use clearance_proof::check::bisection::Encounter;
use clearance_proof::check::joined::{AllowanceAudit, AllowedPair, PhaseQuestion};
use clearance_proof::model::{Allowance, AllowedBy, Cell};
use clearance_proof::pairs::Idle;

use crate::findings::{
    AllowanceEffect, AllowanceSource, AllowedContact, Audit, AuditedAllowance, AuditedPair,
    Location, Statistics, Touches,
};

/// Audits the allowances that hold in each phase of a motion, and lists those of SRDFs that are
/// `stale`. `progress` is told the share that is done, 0 … 1.
pub(super) fn audited(
    question: &PhaseQuestion,
    stale: &[StaleAllowance],
    progress: &dyn Fn(f64),
) -> (Audit, Statistics) {
    let (found, work) = question.audit(progress);
    let cell = question.phases.first().map(|p| &p.cell);
    let found = found.into_iter().map(|e| reported(e, cell));
    let stale = stale.iter().map(|stale| AuditedAllowance {
        effect: AllowanceEffect::Stale,
        missing: stale.missing.clone(),
        ..entry(stale.allowance.clone(), Some(stale.line), cell)
    });
    let allowances = found.chain(stale).collect();
    let unlisted = None;
    (
        Audit {
            allowances,
            unlisted,
        },
        work,
    )
}

/// The report's entry for a pair.
fn pair(found: &AllowedPair, cell: Option<&Cell>) -> AuditedPair {
    let name = |body: usize| cell.map_or_else(String::new, |c| c.bodies[body].name.clone());
    AuditedPair {
        a: name(found.a),
        b: name(found.b),
        required_clearance: found.clearance,
        touches: match (found.encounters.is_empty(), found.throughout, found.still) {
            (true, ..) => Touches::Never,
            (_, true, true) => Touches::Fixed,
            (_, true, false) => Touches::Always,
            (_, false, _) => Touches::Here,
        },
        contacts: found.encounters.iter().map(contact).collect(),
    }
}

fn contact(encounter: &Encounter) -> AllowedContact {
    AllowedContact {
        entered: encounter.start,
        left: encounter.end,
        kind: encounter.kind,
        distance: encounter.distance,
        depth: encounter.depth,
        time: encounter.time,
        segment: encounter.at.segment,
        fraction: encounter.at.fraction,
    }
}

fn reported(found: AllowanceAudit, cell: Option<&Cell>) -> AuditedAllowance {
    let mut effect = AllowanceEffect::Nothing;
    let mut pairs = Vec::with_capacity(found.pairs.len());
    for own in &found.pairs {
        let pair = pair(own, cell);
        effect = match (pair.touches, effect) {
            (Touches::Here, _) | (_, AllowanceEffect::Hid) => AllowanceEffect::Hid,
            (Touches::Never, effect) => effect,
            _ => AllowanceEffect::Standing,
        };
        pairs.push(pair);
    }
    let (effect, why, missing) = match found.idle {
        None => (effect, None, Vec::new()),
        Some(Idle::Stale(missing)) => (AllowanceEffect::Stale, None, missing),
        Some(Idle::Needless(why)) => (AllowanceEffect::Idle, Some(why), Vec::new()),
    };
    AuditedAllowance {
        effect,
        why,
        missing,
        pairs,
        ..entry(found.allowance, None, cell)
    }
}

/// An allowance of which nothing is known yet; `line_of_file` says where it is
/// where the allowance does not know.
fn entry(
    allowance: Allowance,
    line_of_file: Option<usize>,
    cell: Option<&Cell>,
) -> AuditedAllowance {
    let Allowance { a, b, reason, by } = allowance;
    let in_cell = || cell.map_or_else(String::new, |c| c.source.display().to_string());
    let (by, file, line) = match by {
        AllowedBy::Srdf(file) => (AllowanceSource::Srdf, file.display().to_string(), None),
        AllowedBy::Cell => (AllowanceSource::Allow, in_cell(), None),
        AllowedBy::Touch => (AllowanceSource::Touch, in_cell(), None),
        AllowedBy::Scene(file, line) | AllowedBy::SceneTouch(file, line) => {
            let file = file.display().to_string();
            (AllowanceSource::Scene, file, Some(line))
        }
        AllowedBy::Event(file, line) => {
            let file = file.display().to_string();
            (AllowanceSource::Event, file, Some(line))
        }
    };
    AuditedAllowance {
        a,
        b,
        by,
        at: Location {
            file,
            line: line.or(line_of_file),
            column: None,
        },
        reason,
        effect: AllowanceEffect::Nothing,
        why: None,
        missing: Vec::new(),
        pairs: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
