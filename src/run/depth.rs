//! How deep contacts get, whatever method found them: each is followed along the motion, or along
//! the one with its delays.

use std::collections::BTreeMap;
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::bisection::CheckResult;
use clearance_proof::model::{Cell, Phase, Schedule};

use super::Settings;
use super::motion::Motion;
use crate::findings::{Contact, ContactKind};

/// A cell with its trees, and the thresholds that hold.
#[derive(Clone, Copy)]
pub(super) struct DepthSetting<'s> {
    pub cell: &'s Cell,
    pub trees: &'s [Vec<Arc<SphereTree>>],
    pub settings: &'s Settings,
}

/// Says of every contact how deep it gets and when. `phases` is what events make of the motion.
pub(super) fn deepen(
    found: &mut CheckResult,
    motion: &Motion,
    phases: Option<&[Phase]>,
    setting: &DepthSetting,
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
        let may_be_free = [ContactKind::Unresolved, ContactKind::Possible];
        if !may_be_free.contains(&contact.kind) {
            let delays = contact.delays.iter().map(|d| d.to_bits()).collect();
            late.entry(delays).or_default().push(contact);
        }
    }
    let follow = |contacts, phases: &[Phase]| {
        Contact::follow_depths(contacts, phases, setting.trees, setting.settings.clearance);
    };
    for (delays, contacts) in late {
        if delays.is_empty() {
            match phases {
                Some(phases) => follow(contacts, phases),
                None => follow(contacts, &[Phase::whole(setting.cell, &motion.trajectory)]),
            }
            continue;
        }
        let delays: Vec<f64> = delays.into_iter().map(f64::from_bits).collect();
        // The contact stands; only its depth stays unknown where this motion cannot be built.
        let Ok(motion) = motion.late(&delays, setting.cell) else {
            continue;
        };
        if let Ok(late) = Schedule::new(setting.cell, &motion.trajectory, &motion.timeline) {
            follow(contacts, &late.phases);
        }
    }
    if let Some(first) = &mut found.first_contact
        && let Some(listed) = found.contacts.iter().find(|c| same(c, first))
    {
        (first.depth, first.depth_time) = (listed.depth, listed.depth_time);
    }
}
