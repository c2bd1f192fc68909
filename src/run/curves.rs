//! The distances of the nearest pairs over time, for the plot of a report.
//!
//! Events cut a motion into acts: in each the same bodies move with the same pairs. A pair has a
//! curve over the acts in which it is checked.

use std::collections::BTreeMap;

use clearance_proof::check::Snapshot;
use clearance_proof::check::profile::PairProfile;
use clearance_proof::check::scene::{BodyPair, Scene};
use clearance_proof::model::{BodyId, Phase, Trajectory};
use rayon::prelude::*;

use super::Verifier;
use crate::findings::{Curve, MinimumClearance, ProgramOutcome};

/// So many pairs are followed over time, beside those that the findings name: more lines than that
/// nobody can read.
const CURVES: usize = 12;
/// About so many instants of the motion are looked at for each of the nearest of them before the
/// bounds ask for more.
const INSTANTS: usize = 96;
/// The nearest.
const CLOSE: usize = 4;
/// And so many for each of the others: who is farther away moves less in the picture.
const FAR_INSTANTS: usize = 40;
/// At so many instants of the motion all pairs are looked at, to find the nearest ones.
const LOOKS: usize = 12;
/// Even a short act is looked at so often.
const FEWEST: usize = 4;
/// How often a pair that was not among the nearest may turn out to be.
const SURPRISES: usize = 6;

/// An interval of a motion in which the same pairs are checked.
pub(super) struct Act<'a> {
    scene: Scene<'a>,
    trajectory: &'a Trajectory,
}

impl<'a> Act<'a> {
    /// A motion without events.
    pub fn whole(scene: Scene<'a>, trajectory: &'a Trajectory) -> Self {
        Act { scene, trajectory }
    }

    /// A phase of one with events.
    pub fn of(phase: &'a Phase, verifier: &Verifier) -> Self {
        let trees = &verifier.prepared().trees;
        let clearance = verifier.settings().clearance;
        Act {
            scene: Scene::of_phase(phase, trees, clearance),
            trajectory: &phase.trajectory,
        }
    }

    fn start(&self) -> f64 {
        self.trajectory.segments[0].start
    }

    /// How many of so many instants of the whole motion belong to it.
    fn share(&self, of: usize, whole: &Trajectory) -> usize {
        let duration = whole.duration();
        if duration > 0.0 {
            ((of as f64 * self.trajectory.duration() / duration).round() as usize).max(FEWEST)
        } else {
            of
        }
    }

    fn name(&self, body: BodyId) -> &str {
        &self.scene.cell.bodies[body].name
    }
}

/// All pairs that are checked at some time, by the indices of their bodies.
pub(super) struct Cast {
    pairs: Vec<BodyPair>,
    /// For every act and pair its index in the act's scene, where it is checked.
    of_act: Vec<Vec<Option<usize>>>,
}

impl Cast {
    pub fn of(acts: &[Act]) -> Self {
        let mut known: BTreeMap<(BodyId, BodyId), f64> = BTreeMap::new();
        for pair in acts.iter().flat_map(|act| &act.scene.pairs) {
            known.insert((pair.a, pair.b), pair.clearance);
        }
        let pairs: Vec<BodyPair> = known
            .iter()
            .map(|(&(a, b), &clearance)| BodyPair { a, b, clearance })
            .collect();
        let in_act = |act: &Act| {
            let here = act.scene.pairs.iter().enumerate();
            let here: BTreeMap<(BodyId, BodyId), usize> =
                here.map(|(k, pair)| ((pair.a, pair.b), k)).collect();
            let place = |pair: &BodyPair| here.get(&(pair.a, pair.b)).copied();
            pairs.iter().map(place).collect()
        };
        Cast {
            of_act: acts.iter().map(in_act).collect(),
            pairs,
        }
    }

    pub fn pairs(&self) -> Vec<BodyPair> {
        self.pairs.clone()
    }

    /// The pair of this index in an act's scene.
    fn named_in(&self, act: usize, local: usize) -> Option<usize> {
        self.of_act[act].iter().position(|&p| p == Some(local))
    }
}

/// Curves of the pairs that come nearest and of those that findings name, the nearest first; and a
/// length that all other pairs are proved to stay farther apart than, metres.
pub(super) fn curves(
    cast: &Cast,
    acts: &[Act],
    whole: &Trajectory,
    outcome: &ProgramOutcome,
) -> (Vec<Curve>, Option<f64>) {
    let nearest = nearest(cast, acts, whole);
    let named = named(cast, acts, outcome);
    let mut chosen: Vec<usize> = Vec::new();
    for pair in named.iter().chain(nearest.iter().map(|(pair, _)| pair)) {
        if !chosen.contains(pair) && (chosen.len() < CURVES || named.contains(pair)) {
            chosen.push(*pair);
        }
    }
    let others_farther_than = others(cast, acts, &nearest, &mut chosen);
    let [fine, coarse] = [INSTANTS, FAR_INSTANTS].map(|instants| -> Vec<Vec<(usize, f64)>> {
        let acts = acts.iter();
        acts.map(|a| places(a, a.share(instants, whole), outcome))
            .collect()
    });
    let close = |pair: &usize| {
        let mut nearest = nearest.iter().take(CLOSE);
        named.contains(pair) || nearest.any(|(near, _)| near == pair)
    };
    let mut curves: Vec<Curve> = chosen
        .par_iter()
        .map(|&pair| {
            let places = if close(&pair) { &fine } else { &coarse };
            curve(pair, cast, acts, places, outcome)
        })
        .collect();
    curves.sort_by(|x, y| {
        let least = |c: &Curve| c.distances.iter().copied().fold(f64::INFINITY, f64::min);
        least(x).total_cmp(&least(y)).then(x.pair.cmp(&y.pair))
    });
    (curves, others_farther_than)
}

/// One pair over all acts in which it is checked.
fn curve(
    pair: usize,
    cast: &Cast,
    acts: &[Act],
    places: &[Vec<(usize, f64)>],
    outcome: &ProgramOutcome,
) -> Curve {
    let mut curve = Curve {
        pair,
        times: Vec::new(),
        distances: Vec::new(),
        bounds: Vec::new(),
        points: None,
    };
    let (mut least, mut before) = (f64::INFINITY, None);
    for (k, act) in acts.iter().enumerate() {
        let Some(local) = cast.of_act[k][pair] else {
            continue;
        };
        let mut profile = act.scene.pair_profile(local, act.trajectory, &places[k]);
        agree(act, &mut profile, outcome);
        let Some(first) = profile.samples.first() else {
            continue;
        };
        if let Some(&last) = curve.distances.last() {
            // The instant of an event has two sides; while the pair is not checked, nothing is
            // known.
            curve.bounds.push(if before == k.checked_sub(1) {
                f64::min(last, first.distance)
            } else {
                f64::NAN
            });
        }
        before = Some(k);
        if let Some(nearest) = profile.least().filter(|s| s.distance < least) {
            least = nearest.distance;
            let points = nearest.points;
            curve.points = points.map(|points| points.map(|p| p.coords.into()));
        }
        curve.times.extend(profile.samples.iter().map(|s| s.time));
        let distances = profile.samples.iter().map(|s| s.distance);
        curve.distances.extend(distances);
        curve.bounds.extend(profile.bounds);
    }
    curve
}

/// Instants to look at: waypoints, those of the findings, and enough in between, evenly spread.
fn places(act: &Act, instants: usize, outcome: &ProgramOutcome) -> Vec<(usize, f64)> {
    let trajectory = act.trajectory;
    let last = trajectory.segments.len() - 1;
    let mut places: Vec<(usize, f64)> = vec![(0, 0.0), (last, 1.0)];
    let every = trajectory.segments.len().div_ceil(instants);
    places.extend((0..=last).step_by(every).map(|k| (k, 0.0)));
    let (start, duration) = (act.start(), trajectory.duration());
    if duration > 0.0 {
        let steps = instants as f64;
        places
            .extend((1..instants).map(|k| trajectory.locate(start + duration * k as f64 / steps)));
    }
    let contacts = outcome.contacts.iter().chain(&outcome.first_contact);
    places.extend(contacts.map(|c| trajectory.locate(c.time)));
    let near_misses = outcome.near_misses.iter();
    places.extend(near_misses.map(|n| trajectory.locate(n.time)));
    places.extend(minimums(outcome).map(|m| trajectory.locate(m.time)));
    places
}

/// The pairs that come nearest at a few instants, with the least distance that was seen, the
/// nearest first.
fn nearest(cast: &Cast, acts: &[Act], whole: &Trajectory) -> Vec<(usize, f64)> {
    let mut least = vec![f64::INFINITY; cast.pairs.len()];
    let mut snapshot = Snapshot::default();
    for (act, local) in acts.iter().zip(&cast.of_act) {
        let (start, duration) = (act.start(), act.trajectory.duration());
        let looks = act.share(LOOKS, whole);
        for k in 0..=looks {
            let (segment, s) = act
                .trajectory
                .locate(start + duration * k as f64 / looks as f64);
            snapshot.set(&act.scene, &act.trajectory.segments[segment], s);
            let of_act = local.iter().enumerate();
            let of_act = of_act.filter_map(|(pair, local)| Some((pair, (*local)?)));
            let mut bounded: Vec<(f64, usize, usize)> = of_act
                .map(|(pair, local)| {
                    let bound = act.scene.pair_at_least(local, &mut snapshot);
                    (bound, pair, local)
                })
                .collect();
            // The nearest pairs come first: they show that the others are not near.
            bounded.sort_by(|x, y| x.0.total_cmp(&y.0));
            let mut cut = cut_of(&least);
            for (bound, pair, local) in bounded {
                let below = least[pair].min(cut);
                if bound >= below {
                    continue;
                }
                let found = act.scene.pair_distance(local, &mut snapshot, below, &mut 0);
                if let Some(found) = found {
                    least[pair] = found.distance;
                    cut = cut_of(&least);
                }
            }
        }
    }
    let mut ranked: Vec<(usize, f64)> = least.into_iter().enumerate().collect();
    ranked.sort_by(|x, y| x.1.total_cmp(&y.1).then(x.0.cmp(&y.0)));
    ranked.truncate(CURVES);
    ranked
}

/// Farther than this a pair is none of the nearest.
fn cut_of(least: &[f64]) -> f64 {
    let mut sorted = least.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(CURVES - 1).copied().unwrap_or(f64::INFINITY)
}

/// The pairs that contacts, near misses and the least distance are about.
fn named(cast: &Cast, acts: &[Act], outcome: &ProgramOutcome) -> Vec<usize> {
    let contacts = outcome.first_contact.iter().chain(&outcome.contacts);
    let of_contacts = contacts.map(|c| (&c.a, &c.b));
    let of_near_misses = outcome.near_misses.iter().map(|n| (&n.a, &n.b));
    let of_minimum = outcome.minimum_clearance.iter().map(|m| (&m.a, &m.b));
    let mut found = Vec::new();
    let Some(act) = acts.first() else {
        return found;
    };
    for (a, b) in of_contacts.chain(of_near_misses).chain(of_minimum) {
        let mut pairs = cast.pairs.iter();
        let pair = pairs.position(|p| act.name(p.a) == a && act.name(p.b) == b);
        found.extend(pair.filter(|p| !found.contains(p)));
    }
    found
}

/// A length that all pairs that are not `chosen` are proved to stay farther apart than, metres. A
/// pair that comes nearer than its looks promised is chosen too.
fn others(
    cast: &Cast,
    acts: &[Act],
    nearest: &[(usize, f64)],
    chosen: &mut Vec<usize>,
) -> Option<f64> {
    let clearance = 0.9 * nearest.last()?.1;
    if clearance == 0.0 || !clearance.is_finite() || chosen.len() == cast.pairs.len() {
        return None;
    }
    let mut surprises = 0;
    for (k, act) in acts.iter().enumerate() {
        loop {
            let rest = (0..cast.pairs.len()).filter(|pair| !chosen.contains(pair));
            let rest: Vec<usize> = rest.filter_map(|pair| cast.of_act[k][pair]).collect();
            if rest.is_empty() {
                break;
            }
            match act
                .scene
                .farther_than(&rest, act.trajectory, clearance, 0.01 * clearance)
            {
                Ok(()) => break,
                Err(surprise) => chosen.push(cast.named_in(k, surprise)?),
            }
            surprises += 1;
            if surprises >= SURPRISES {
                return None;
            }
        }
    }
    Some(clearance)
}

/// All least distances of a report.
fn minimums(outcome: &ProgramOutcome) -> impl Iterator<Item = &MinimumClearance> {
    let classes = outcome.minimum_by_class.iter().map(|c| &c.least);
    let pairs = outcome.pair_minimums.iter();
    pairs.chain(classes).chain(&outcome.minimum_clearance)
}

/// The least distance is the report's: instants that are nearer by less than its tolerance are left
/// to the proved bound.
fn agree(act: &Act, profile: &mut PairProfile, outcome: &ProgramOutcome) {
    /// Distances of the same instant may differ by rounding, metres.
    const SAME_M: f64 = 1e-12;
    let pair = &act.scene.pairs[profile.pair];
    let names = (act.name(pair.a), act.name(pair.b));
    if let Some(least) = minimums(outcome).find(|m| (m.a.as_str(), m.b.as_str()) == names) {
        profile.retain(|s| s.distance >= least.distance - SAME_M);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::verifier::CheckedMotion;
    use super::super::{CacheFolder, Job, RobotProgram, Silence, prepare};
    use super::*;

    /// The nearest pairs are those of a look at every pair at every instant. Catches a pair that a
    /// bound, or what others have shown, leaves out wrongly.
    #[test]
    fn the_nearest_pairs_are_those_of_a_look_at_all() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        for name in ["pick_place.csv", "swing_through_guard.csv"] {
            let program = root.join("trajectories/arm6").join(name);
            let mut job = Job::new(root.join("robots/arm6/cell.toml"), vec![program.clone()]);
            job.cell.cache = CacheFolder::Off;
            let prepared = prepare(&job.cell, &Silence).unwrap();
            let verifier = Verifier::new(&job, &prepared).unwrap();
            let checked_motion = verifier.motion(&[RobotProgram::alone(&program)], &[]);
            let CheckedMotion { trajectory, .. } = checked_motion.unwrap();
            let acts = [Act::whole(verifier.scene().clone(), &trajectory)];
            let cast = Cast::of(&acts);

            let mut least = vec![f64::INFINITY; cast.pairs.len()];
            let mut snapshot = Snapshot::default();
            let scene = &acts[0].scene;
            for k in 0..=LOOKS {
                let time = acts[0].start() + trajectory.duration() * k as f64 / LOOKS as f64;
                let (segment, s) = trajectory.locate(time);
                snapshot.set(scene, &trajectory.segments[segment], s);
                for (least, local) in least.iter_mut().zip(&cast.of_act[0]) {
                    let (local, all) = (local.unwrap(), f64::INFINITY);
                    let found = scene.pair_distance(local, &mut snapshot, all, &mut 0);
                    *least = least.min(found.unwrap().distance);
                }
            }
            let mut truth = least.clone();
            truth.sort_by(f64::total_cmp);
            let found = nearest(&cast, &acts, &trajectory);
            assert_eq!(found.len(), CURVES);
            for ((pair, distance), truth) in found.iter().zip(truth) {
                assert!((distance - truth).abs() < 1e-12, "{distance}, but {truth}");
                assert!((least[*pair] - truth).abs() < 1e-12, "pair {pair}");
            }
        }
    }
}
