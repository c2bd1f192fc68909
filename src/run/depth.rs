//! How deep contacts get, whatever method found them: every one is followed along the motion, over events, until the two are
//! free of each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::bisection::CheckResult;
use clearance_proof::check::depth::follow;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Cell, Phase, Schedule};

use super::Settings;
use super::motion::Motion;
use crate::findings::{Contact, ContactKind};

/// A cell with its trees, and the thresholds that hold.
#[derive(Clone, Copy)]
pub(super) struct Setting<'s> {
    pub cell: &'s Cell,
    pub trees: &'s [Vec<Arc<SphereTree>>],
    pub settings: &'s Settings,
}

/// Says of every contact how deep it gets and when. `phases` is what events make of the motion.
pub(super) fn deepen(
    found: &mut CheckResult,
    motion: &Motion,
    phases: Option<&[Phase]>,
    setting: &Setting,
) {
    let mut late: BTreeMap<Vec<u64>, Vec<&mut Contact>> = BTreeMap::new();
    let same = |x: &Contact, y: &Contact| {
        (&x.a, &x.b, x.time, &x.delays) == (&y.a, &y.b, y.time, &y.delays)
    };
    let first = found.first_contact.as_mut();
    let listed = |first: &&mut Contact| found.contacts.iter().any(|c| same(c, first));
    // One that is listed is followed once.
    let alone = first.filter(|first| !listed(first));
    for contact in alone.into_iter().chain(&mut found.contacts) {
        let apart = [ContactKind::Unresolved, ContactKind::Possible];
        if !apart.contains(&contact.kind) {
            let delays = contact.delays.iter().map(|d| d.to_bits()).collect();
            late.entry(delays).or_default().push(contact);
        }
    }
    for (delays, contacts) in late {
        if delays.is_empty() {
            match phases {
                Some(phases) => along(contacts, phases, setting),
                None => along(
                    contacts,
                    &[Phase::whole(setting.cell, &motion.path)],
                    setting,
                ),
            }
            continue;
        }
        let delays: Vec<f64> = delays.into_iter().map(f64::from_bits).collect();
        // The contact stands; only its depth stays unknown where this motion cannot be laid.
        let Ok(motion) = motion.late(&delays, setting.cell) else {
            continue;
        };
        if let Ok(late) = Schedule::new(setting.cell, &motion.path, &motion.timeline) {
            along(contacts, &late.phases, setting);
        }
    }
    if let Some(first) = &mut found.first_contact
        && let Some(listed) = found.contacts.iter().find(|c| same(c, first))
    {
        (first.depth, first.depth_time) = (listed.depth, listed.depth_time);
    }
}

/// The same for contacts along one motion.
fn along(contacts: Vec<&mut Contact>, phases: &[Phase], setting: &Setting) {
    let mut scenes: Vec<Option<Scene>> = phases.iter().map(|_| None).collect();
    for contact in contacts {
        let mut from = contact.time;
        for (phase, scene) in phases.iter().zip(&mut scenes) {
            let segments = &phase.path.segments;
            let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
                continue;
            };
            if from < first.start || from > last.end {
                continue;
            }
            let scene = scene.get_or_insert_with(|| {
                Scene::of_phase(phase, setting.trees, setting.settings.clearance)
            });
            let name = |body: usize| &phase.cell.bodies[body].name;
            let pairs = &scene.pairs;
            let same = |p: usize| *name(pairs[p].a) == contact.a && *name(pairs[p].b) == contact.b;
            let Some(pair) = (0..pairs.len()).find(|&p| same(p)) else {
                // Allowed here, or not yet: a contact that began before is over.
                match contact.depth_time {
                    Some(_) => break,
                    None => continue,
                }
            };
            let at = phase.path.locate(from);
            let seen = follow(scene, &phase.path, pair, at, contact.until);
            if seen.depth.is_some() && (contact.depth.is_none() || seen.depth > contact.depth) {
                contact.depth = seen.depth;
                contact.depth_time = Some(seen.time);
            }
            if seen.free.is_some() || contact.until.is_some_and(|until| until <= last.end) {
                break;
            }
            from = last.end;
        }
    }
}
