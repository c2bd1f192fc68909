//! What allowances hid along a program: the pairs that somebody allows are checked like all others, but apart from them, so
//! that no verdict depends on it.

use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::Budget;
use clearance_proof::check::bisection::{Encounter, PairAudit, audit};
use clearance_proof::check::join_neighbours;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Allowance, AllowedBy, Cell, Phase};
use clearance_proof::pairs::{Idle, PairTable};

use super::Settings;
use crate::findings::{
    AllowanceEffect, AllowanceSource, AllowedContact, Audit, AuditedAllowance, AuditedPair,
    ContactKind, Location, Statistics, Touches,
};

/// An allowance while the phases are gone through.
struct Entry {
    allowance: Allowance,
    /// Line that says so, where it is known.
    line: Option<usize>,
    idle: Option<Idle>,
    pairs: Vec<Pair>,
}

/// A pair of an allowance likewise.
struct Pair {
    found: AuditedPair,
    /// In all phases so far: whether it touches from beginning to end, and whether it keeps its place.
    throughout: bool,
    still: bool,
}

/// Audits the allowances that hold in each phase of a motion. `progress` is told the share that is done, 0 … 1.
pub(super) fn audited(
    phases: &[Phase],
    trees: &[Vec<Arc<SphereTree>>],
    (settings, budget): (&Settings, &Budget),
    progress: &dyn Fn(f64),
) -> (Audit, Statistics) {
    let mut entries: Vec<Entry> = Vec::new();
    let mut work = Statistics::default();
    let segments: usize = phases.iter().map(|p| p.path.segments.len()).sum();
    let mut passed = 0;
    for phase in phases {
        let all = PairTable::new(&phase.cell);
        let (pairs, by) = all.of_allowed(&phase.cell);
        let mut scene = Scene::new(&phase.cell, trees, &pairs, settings.clearance)
            .placed_by_events(&phase.taken_over_m);
        scene.budget = budget.clone();
        let length = phase.path.segments.len();
        let share = |part: f64| progress((passed as f64 + part * length as f64) / segments as f64);
        let (found, statistics) = audit(&scene, &phase.path, settings.resolution, &share);
        passed += length;
        work.intervals += statistics.intervals;
        work.distance_tests += statistics.distance_tests;
        work.triangle_tests += statistics.triangle_tests;
        list(&mut entries, &phase.cell, &all);
        for (pair, (found, by)) in found.into_iter().zip(by).enumerate() {
            let entry = entry(&mut entries, &phase.cell.allowed[by]);
            entry.idle = None;
            take_in(&mut entry.pairs, phase, &scene, pair, found);
        }
    }
    let stale = phases.first().map_or(&[][..], |p| &p.cell.stale);
    entries.extend(stale.iter().map(|stale| Entry {
        allowance: stale.allowance.clone(),
        line: Some(stale.line),
        idle: Some(Idle::Stale(stale.missing.clone())),
        pairs: Vec::new(),
    }));
    let cell = phases.first().map(|p| &p.cell);
    let allowances = entries.into_iter().map(|e| reported(e, cell)).collect();
    let unlisted = None;
    (
        Audit {
            allowances,
            unlisted,
        },
        work,
    )
}

/// Puts all allowances of a phase on the list that are not there yet.
fn list(entries: &mut Vec<Entry>, cell: &Cell, table: &PairTable) {
    for (k, allowance) in cell.allowed.iter().enumerate() {
        if entries.iter().any(|e| e.allowance == *allowance) {
            continue;
        }
        let idle = table.idle.contains(&k);
        entries.push(Entry {
            allowance: allowance.clone(),
            line: None,
            idle: idle.then(|| table.why_idle(cell, k)),
            pairs: Vec::new(),
        });
    }
}

fn entry<'e>(entries: &'e mut Vec<Entry>, allowance: &Allowance) -> &'e mut Entry {
    let known = entries.iter().position(|e| e.allowance == *allowance);
    let at = known.unwrap_or(entries.len());
    if known.is_none() {
        entries.push(Entry {
            allowance: allowance.clone(),
            line: None,
            idle: None,
            pairs: Vec::new(),
        });
    }
    &mut entries[at]
}

/// Takes in what a pair did in a phase.
fn take_in(pairs: &mut Vec<Pair>, phase: &Phase, scene: &Scene, pair: usize, found: PairAudit) {
    let bodies = scene.pairs[pair];
    let name = |body: usize| scene.cell.bodies[body].name.as_str();
    let (a, b) = (name(bodies.a), name(bodies.b));
    let segments = &phase.path.segments;
    let (start, end) = (segments[0].start, segments[segments.len() - 1].end);
    let through = |e: &Encounter| e.start <= start && e.end >= end;
    let throughout = found.encounters.iter().any(through);
    let at = match pairs.iter().position(|p| p.found.a == a && p.found.b == b) {
        Some(at) => at,
        None => {
            pairs.push(Pair {
                found: AuditedPair {
                    a: a.to_owned(),
                    b: b.to_owned(),
                    required_clearance: bodies.clearance,
                    touches: Touches::Never,
                    contacts: Vec::new(),
                },
                throughout: true,
                still: true,
            });
            pairs.len() - 1
        }
    };
    let known = &mut pairs[at];
    known.throughout &= throughout;
    known.still &= found.still;
    let before = std::mem::take(&mut known.found.contacts);
    let next = found.encounters.iter().map(|e| contact(phase, e));
    // It may touch over the instant of an event.
    let meet = |last: &AllowedContact, next: &AllowedContact| last.left >= next.entered;
    known.found.contacts = join_neighbours(before.into_iter().chain(next), meet, join);
}

fn contact(phase: &Phase, encounter: &Encounter) -> AllowedContact {
    let (segment, fraction) = encounter.at;
    let time = phase.path.segments[segment].time(fraction);
    let (segment, fraction) = phase.whole_place(segment, fraction);
    AllowedContact {
        entered: encounter.start,
        left: encounter.end,
        kind: encounter.kind,
        distance: encounter.distance,
        depth: encounter.depth,
        time,
        segment,
        fraction,
    }
}

/// Makes one interval of two: it tells the nearer, or the deeper, of both.
fn join(last: &mut AllowedContact, next: AllowedContact) {
    let (entered, left) = (last.entered, last.left.max(next.left));
    let kind = match (last.kind, next.kind) {
        (ContactKind::Unresolved, kind) | (kind, ContactKind::Unresolved) => kind,
        (ContactKind::Inside, ContactKind::Inside) => ContactKind::Inside,
        _ => ContactKind::Contact,
    };
    if (next.distance, last.depth) < (last.distance, next.depth) {
        *last = next;
    }
    (last.entered, last.left, last.kind) = (entered, left, kind);
}

fn reported(entry: Entry, cell: Option<&Cell>) -> AuditedAllowance {
    let mut effect = AllowanceEffect::Nothing;
    let mut pairs = Vec::with_capacity(entry.pairs.len());
    for mut pair in entry.pairs {
        pair.found.touches = match (pair.found.contacts.is_empty(), pair.throughout, pair.still) {
            (true, ..) => Touches::Never,
            (_, true, true) => Touches::Fixed,
            (_, true, false) => Touches::Always,
            (_, false, _) => Touches::Here,
        };
        effect = match (pair.found.touches, effect) {
            (Touches::Here, _) | (_, AllowanceEffect::Hid) => AllowanceEffect::Hid,
            (Touches::Never, effect) => effect,
            _ => AllowanceEffect::Standing,
        };
        pairs.push(pair.found);
    }
    let (effect, why, missing) = match entry.idle {
        None => (effect, None, Vec::new()),
        Some(Idle::Stale(missing)) => (AllowanceEffect::Stale, None, missing),
        Some(Idle::Needless(why)) => (AllowanceEffect::Idle, Some(why), Vec::new()),
    };
    let Allowance { a, b, reason, by } = entry.allowance;
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
            line: line.or(entry.line),
            column: None,
        },
        reason,
        effect,
        why,
        missing,
        pairs,
    }
}

#[cfg(test)]
mod tests;
