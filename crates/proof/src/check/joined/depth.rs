//! How deep contacts get: every one is followed along the motion, over events, until the two are
//! free of each other.

use std::sync::Arc;

use crate::bvh::SphereTree;
use crate::check::depth::track_depth;
use crate::check::scene::Scene;
use crate::model::Phase;
use crate::report::Contact;

impl Contact {
    /// Says of every contact how deep it gets and when, whatever method found it. `clearance` is
    /// the threshold of pairs that have none of their own, metres.
    pub fn follow_depths(
        contacts: Vec<&mut Contact>,
        phases: &[Phase],
        trees: &[Vec<Arc<SphereTree>>],
        clearance: f64,
    ) {
        let mut scenes: Vec<Option<Scene>> = phases.iter().map(|_| None).collect();
        for contact in contacts {
            let mut from = contact.time;
            for (phase, scene) in phases.iter().zip(&mut scenes) {
                let segments = &phase.trajectory.segments;
                let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
                    continue;
                };
                if from < first.start || from > last.end {
                    continue;
                }
                let scene = scene.get_or_insert_with(|| Scene::of_phase(phase, trees, clearance));
                let name = |body: usize| &phase.cell.bodies[body].name;
                let pairs = &scene.pairs;
                let same =
                    |p: usize| *name(pairs[p].a) == contact.a && *name(pairs[p].b) == contact.b;
                let Some(pair) = (0..pairs.len()).find(|&p| same(p)) else {
                    // The pair is not checked in this phase. A contact that was followed before is
                    // over; one that was not yet found may come later.
                    match contact.depth_time {
                        Some(_) => break,
                        None => continue,
                    }
                };
                let at = phase.trajectory.locate(from);
                let seen = track_depth(scene, &phase.trajectory, pair, at, contact.until);
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
}
