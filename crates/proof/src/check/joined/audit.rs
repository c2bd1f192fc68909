//! Contacts that allowances hide along a motion: the pairs that somebody allows, in every phase in
//! which they are allowed.

use super::{PhaseQuestion, join_neighbours, shares};
use crate::check::bisection::{Encounter, audit};
use crate::check::scene::Scene;
use crate::model::{Allowance, BodyId, Cell, Phase};
use crate::pairs::{Idle, PairTable};
use crate::report::{ContactKind, Statistics};

/// An allowance of some phase, and what its pairs do.
#[derive(Debug, Clone, PartialEq)]
pub struct AllowanceAudit {
    /// The allowance.
    pub allowance: Allowance,
    /// Why it takes no pair out of the check in any phase; `None`: it does.
    pub idle: Option<Idle>,
    /// Its pairs.
    pub pairs: Vec<AllowedPair>,
}

/// A pair that may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct AllowedPair {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Threshold D, metres.
    pub clearance: f64,
    /// Whether it touches from beginning to end of all phases in which it is allowed.
    pub throughout: bool,
    /// Whether the two keep their places relative to each other in each of them.
    pub still: bool,
    /// When it is not proved farther apart than D, by time.
    pub encounters: Vec<Encounter>,
}

/// Audits the allowances that hold in each phase, and adds up the work.
pub(super) fn audit_phases(
    question: &PhaseQuestion,
    progress: &dyn Fn(f64),
) -> (Vec<AllowanceAudit>, Statistics) {
    let phases = question.phases;
    let mut audits: Vec<AllowanceAudit> = Vec::new();
    let mut work = Statistics::default();
    for (phase, [from, to]) in phases.iter().zip(shares(phases)) {
        let all = PairTable::new(&phase.cell);
        let (pairs, by) = all.of_allowed(&phase.cell);
        let mut scene = Scene::new(&phase.cell, question.trees, &pairs, question.clearance)
            .placed_by_events(&phase.taken_over_m, &phase.handover_errors);
        scene.time_limit = question.time_limit.clone();
        let share = |part: f64| progress(from + part * (to - from));
        let (found, statistics) = audit(&scene, &phase.trajectory, question.resolution, &share);
        work.add_work(&statistics);
        list(&mut audits, &phase.cell, &all);
        for (pair, (found, by)) in found.into_iter().zip(by).enumerate() {
            let known = of_allowance(&mut audits, &phase.cell.allowed[by]);
            known.idle = None;
            let pair = of_pair(&mut known.pairs, &scene, pair);
            let [start, end] = phase.times();
            let through = |e: &Encounter| e.start <= start && e.end >= end;
            pair.throughout &= found.encounters.iter().any(through);
            pair.still &= found.still;
            let before = std::mem::take(&mut pair.encounters);
            let next = found.encounters.iter().map(|e| in_motion(phase, e));
            // It may touch over the instant of an event.
            let meet = |last: &Encounter, next: &Encounter| last.end >= next.start;
            pair.encounters = join_neighbours(before.into_iter().chain(next), meet, join);
        }
    }
    (audits, work)
}

impl AllowanceAudit {
    fn new(allowance: &Allowance) -> Self {
        AllowanceAudit {
            allowance: allowance.clone(),
            idle: None,
            pairs: Vec::new(),
        }
    }
}

/// Puts all allowances of a phase on the list that are not there yet.
fn list(audits: &mut Vec<AllowanceAudit>, cell: &Cell, table: &PairTable) {
    for (k, allowance) in cell.allowed.iter().enumerate() {
        if audits.iter().any(|known| known.allowance == *allowance) {
            continue;
        }
        let idle = table.idle.contains(&k);
        audits.push(AllowanceAudit {
            idle: idle.then(|| table.why_idle(cell, k)),
            ..AllowanceAudit::new(allowance)
        });
    }
}

fn of_allowance<'e>(
    audits: &'e mut Vec<AllowanceAudit>,
    allowance: &Allowance,
) -> &'e mut AllowanceAudit {
    let known = audits.iter().position(|e| e.allowance == *allowance);
    let at = known.unwrap_or(audits.len());
    if known.is_none() {
        audits.push(AllowanceAudit::new(allowance));
    }
    &mut audits[at]
}

/// The entry of a pair of bodies; a new one where no phase before had the pair.
fn of_pair<'p>(pairs: &'p mut Vec<AllowedPair>, scene: &Scene, pair: usize) -> &'p mut AllowedPair {
    let bodies = scene.pairs[pair];
    let known = pairs
        .iter()
        .position(|p| (p.a, p.b) == (bodies.a, bodies.b));
    let at = known.unwrap_or(pairs.len());
    if known.is_none() {
        pairs.push(AllowedPair {
            a: bodies.a,
            b: bodies.b,
            clearance: bodies.clearance,
            throughout: true,
            still: true,
            encounters: Vec::new(),
        });
    }
    &mut pairs[at]
}

fn in_motion(phase: &Phase, encounter: &Encounter) -> Encounter {
    Encounter {
        at: phase.whole_instant(encounter.at),
        ..*encounter
    }
}

/// Makes one interval of two: it tells the nearer, or the deeper, of both.
fn join(last: &mut Encounter, next: Encounter) {
    let (start, end) = (last.start, last.end.max(next.end));
    let kind = match (last.kind, next.kind) {
        (ContactKind::Unresolved, kind) | (kind, ContactKind::Unresolved) => kind,
        (ContactKind::Inside, ContactKind::Inside) => ContactKind::Inside,
        _ => ContactKind::Contact,
    };
    if (next.distance, last.depth) < (last.distance, next.depth) {
        *last = next;
    }
    (last.start, last.end, last.kind) = (start, end, kind);
}
