//! The distances of the nearest pairs over time, for the plot of a report.
//!
//! Events cut a motion into phases: in each the same bodies move with the same pairs. A pair has a
//! curve over the phases in which it is checked.

use std::collections::BTreeMap;

use clearance_proof::check::Snapshot;
use clearance_proof::check::profile::PairProfile;
use clearance_proof::check::scene::{BodyPair, Scene};
use clearance_proof::model::{BodyId, MotionInstant, Phase, Trajectory};
use rayon::prelude::*;

use super::Verifier;
use crate::findings::{Curve, MinimumClearance, ProgramOutcome};

/// So many pairs are followed over time, beside those that the findings name: more lines than that
/// nobody can read.
const CURVES: usize = 12;
/// About so many instants of the motion are looked at for each of the nearest of them before the
/// bounds ask for more.
const INSTANTS: usize = 96;
/// How many pairs count as the nearest.
const NEAREST_SHOWN: usize = 4;
/// Instants for each other pair: fewer, because its curve changes less in the picture.
const FAR_INSTANTS: usize = 40;
/// At so many instants of the motion all pairs are looked at, to find the nearest ones.
const RANKING_INSTANTS: usize = 12;
/// Even a short phase is looked at so often.
const FEWEST_INSTANTS: usize = 4;
/// How often a pair that was not among the nearest may turn out to be.
const MOST_LATE_PAIRS: usize = 6;

/// An interval of a motion in which the same pairs are checked.
pub(super) struct PlotPhase<'a> {
    scene: Scene<'a>,
    trajectory: &'a Trajectory,
}

impl<'a> PlotPhase<'a> {
    /// A motion without events.
    pub fn whole(scene: Scene<'a>, trajectory: &'a Trajectory) -> Self {
        PlotPhase { scene, trajectory }
    }

    /// A phase of one with events.
    pub fn of(phase: &'a Phase, verifier: &Verifier) -> Self {
        let trees = &verifier.prepared().trees;
        let clearance = verifier.settings().clearance;
        PlotPhase {
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
            ((of as f64 * self.trajectory.duration() / duration).round() as usize)
                .max(FEWEST_INSTANTS)
        } else {
            of
        }
    }

    fn name(&self, body: BodyId) -> &str {
        &self.scene.cell.bodies[body].name
    }
}

/// All pairs that are checked at some time, by the indices of their bodies.
pub(super) struct PlotPairs {
    pairs: Vec<BodyPair>,
    /// For every phase and pair its index in the phase's scene, where it is checked.
    index_in_phase: Vec<Vec<Option<usize>>>,
}

impl PlotPairs {
    pub fn of(phases: &[PlotPhase]) -> Self {
        let mut known: BTreeMap<(BodyId, BodyId), f64> = BTreeMap::new();
        for pair in phases.iter().flat_map(|phase| &phase.scene.pairs) {
            known.insert((pair.a, pair.b), pair.clearance);
        }
        let pairs: Vec<BodyPair> = known
            .iter()
            .map(|(&(a, b), &clearance)| BodyPair { a, b, clearance })
            .collect();
        let indices = |phase: &PlotPhase| {
            let here = phase.scene.pairs.iter().enumerate();
            let here: BTreeMap<(BodyId, BodyId), usize> =
                here.map(|(k, pair)| ((pair.a, pair.b), k)).collect();
            let place = |pair: &BodyPair| here.get(&(pair.a, pair.b)).copied();
            pairs.iter().map(place).collect()
        };
        PlotPairs {
            index_in_phase: phases.iter().map(indices).collect(),
            pairs,
        }
    }

    pub fn pairs(&self) -> Vec<BodyPair> {
        self.pairs.clone()
    }

    /// The pair of this index in a phase's scene.
    fn pair_of_index(&self, phase: usize, local: usize) -> Option<usize> {
        self.index_in_phase[phase]
            .iter()
            .position(|&p| p == Some(local))
    }
}

/// Curves of the pairs that come nearest and of those that findings name, the nearest first; and a
/// length that all other pairs are proved to stay farther apart than, metres.
pub(super) fn curves(
    plotted: &PlotPairs,
    phases: &[PlotPhase],
    whole: &Trajectory,
    outcome: &ProgramOutcome,
) -> (Vec<Curve>, Option<f64>) {
    let nearest = nearest(plotted, phases, whole);
    let named = named(plotted, phases, outcome);
    let mut chosen: Vec<usize> = Vec::new();
    for pair in named.iter().chain(nearest.iter().map(|(pair, _)| pair)) {
        if !chosen.contains(pair) && (chosen.len() < CURVES || named.contains(pair)) {
            chosen.push(*pair);
        }
    }
    let others_farther_than = others(plotted, phases, &nearest, &mut chosen);
    let [fine, coarse] = [INSTANTS, FAR_INSTANTS].map(|instants| -> Vec<Vec<MotionInstant>> {
        let phases = phases.iter();
        phases
            .map(|a| instants_of(a, a.share(instants, whole), outcome))
            .collect()
    });
    let close = |pair: &usize| {
        let mut nearest = nearest.iter().take(NEAREST_SHOWN);
        named.contains(pair) || nearest.any(|(near, _)| near == pair)
    };
    let mut curves: Vec<Curve> = chosen
        .par_iter()
        .map(|&pair| {
            let looked_at = if close(&pair) { &fine } else { &coarse };
            curve(pair, plotted, phases, looked_at, outcome)
        })
        .collect();
    curves.sort_by(|x, y| {
        let least = |c: &Curve| c.distances.iter().copied().fold(f64::INFINITY, f64::min);
        least(x).total_cmp(&least(y)).then(x.pair.cmp(&y.pair))
    });
    (curves, others_farther_than)
}

/// One pair over all phases in which it is checked.
fn curve(
    pair: usize,
    plotted: &PlotPairs,
    phases: &[PlotPhase],
    looked_at: &[Vec<MotionInstant>],
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
    for (k, phase) in phases.iter().enumerate() {
        let Some(local) = plotted.index_in_phase[k][pair] else {
            continue;
        };
        let mut profile = phase
            .scene
            .pair_profile(local, phase.trajectory, &looked_at[k]);
        align_with_report(phase, &mut profile, outcome);
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
fn instants_of(phase: &PlotPhase, instants: usize, outcome: &ProgramOutcome) -> Vec<MotionInstant> {
    let trajectory = phase.trajectory;
    let last = trajectory.segments.len() - 1;
    let mut found_instants = vec![MotionInstant::START, MotionInstant::new(last, 1.0)];
    let every = trajectory.segments.len().div_ceil(instants);
    found_instants.extend(
        (0..=last)
            .step_by(every)
            .map(|k| MotionInstant::new(k, 0.0)),
    );
    let (start, duration) = (phase.start(), trajectory.duration());
    if duration > 0.0 {
        let steps = instants as f64;
        found_instants
            .extend((1..instants).map(|k| trajectory.locate(start + duration * k as f64 / steps)));
    }
    let contacts = outcome.contacts.iter().chain(&outcome.first_contact);
    found_instants.extend(contacts.map(|c| trajectory.locate(c.time)));
    let near_misses = outcome.near_misses.iter();
    found_instants.extend(near_misses.map(|n| trajectory.locate(n.time)));
    found_instants.extend(minimums(outcome).map(|m| trajectory.locate(m.time)));
    found_instants
}

/// The pairs that come nearest at a few instants, with the least distance that was seen, the
/// nearest first.
fn nearest(plotted: &PlotPairs, phases: &[PlotPhase], whole: &Trajectory) -> Vec<(usize, f64)> {
    let mut least = vec![f64::INFINITY; plotted.pairs.len()];
    let mut snapshot = Snapshot::default();
    for (phase, local) in phases.iter().zip(&plotted.index_in_phase) {
        let (start, duration) = (phase.start(), phase.trajectory.duration());
        let looks = phase.share(RANKING_INSTANTS, whole);
        for k in 0..=looks {
            let time = start + duration * k as f64 / looks as f64;
            let instant = phase.trajectory.locate(time);
            snapshot.set_at(&phase.scene, phase.trajectory, instant);
            let index_in_phase = local.iter().enumerate();
            let index_in_phase = index_in_phase.filter_map(|(pair, local)| Some((pair, (*local)?)));
            let mut bounded: Vec<(f64, usize, usize)> = index_in_phase
                .map(|(pair, local)| {
                    let bound = phase.scene.pair_at_least(local, &mut snapshot);
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
                let found = phase
                    .scene
                    .pair_distance(local, &mut snapshot, below, &mut 0);
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
fn named(plotted: &PlotPairs, phases: &[PlotPhase], outcome: &ProgramOutcome) -> Vec<usize> {
    let contacts = outcome.first_contact.iter().chain(&outcome.contacts);
    let of_contacts = contacts.map(|c| (&c.a, &c.b));
    let of_near_misses = outcome.near_misses.iter().map(|n| (&n.a, &n.b));
    let of_minimum = outcome.minimum_clearance.iter().map(|m| (&m.a, &m.b));
    let mut found = Vec::new();
    let Some(phase) = phases.first() else {
        return found;
    };
    for (a, b) in of_contacts.chain(of_near_misses).chain(of_minimum) {
        let mut pairs = plotted.pairs.iter();
        let pair = pairs.position(|p| phase.name(p.a) == a && phase.name(p.b) == b);
        found.extend(pair.filter(|p| !found.contains(p)));
    }
    found
}

/// A length that all pairs that are not `chosen` are proved to stay farther apart than, metres. A
/// pair that comes nearer than its looks promised is chosen too.
fn others(
    plotted: &PlotPairs,
    phases: &[PlotPhase],
    nearest: &[(usize, f64)],
    chosen: &mut Vec<usize>,
) -> Option<f64> {
    let clearance = 0.9 * nearest.last()?.1;
    if clearance == 0.0 || !clearance.is_finite() || chosen.len() == plotted.pairs.len() {
        return None;
    }
    let mut late = 0;
    for (k, phase) in phases.iter().enumerate() {
        loop {
            let rest = (0..plotted.pairs.len()).filter(|pair| !chosen.contains(pair));
            let rest: Vec<usize> = rest
                .filter_map(|pair| plotted.index_in_phase[k][pair])
                .collect();
            if rest.is_empty() {
                break;
            }
            match phase
                .scene
                .farther_than(&rest, phase.trajectory, clearance, 0.01 * clearance)
            {
                Ok(()) => break,
                Err(nearer) => chosen.push(plotted.pair_of_index(k, nearer)?),
            }
            late += 1;
            if late >= MOST_LATE_PAIRS {
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
fn align_with_report(phase: &PlotPhase, profile: &mut PairProfile, outcome: &ProgramOutcome) {
    /// Distances of the same instant may differ by rounding, metres.
    const SAME_M: f64 = 1e-12;
    let pair = &phase.scene.pairs[profile.pair];
    let names = (phase.name(pair.a), phase.name(pair.b));
    if let Some(least) = minimums(outcome).find(|m| (m.a.as_str(), m.b.as_str()) == names) {
        profile.retain(|s| s.distance >= least.distance - SAME_M);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::verifier::CheckedMotion;
    use super::super::{CacheFolder, Job, NoProgress, RobotProgram, prepare};
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
            let prepared = prepare(&job.cell, &NoProgress).unwrap();
            let verifier = Verifier::new(&job, &prepared).unwrap();
            let answer = ProgramOutcome::unknown();
            let programs = [RobotProgram::alone(&program)];
            let opened = verifier.open_all(&programs);
            let checked_motion = verifier.motion_of(&opened, &[], &answer);
            let CheckedMotion { trajectory, .. } = checked_motion.unwrap();
            let phases = [PlotPhase::whole(verifier.scene().clone(), &trajectory)];
            let plotted = PlotPairs::of(&phases);

            let mut least = vec![f64::INFINITY; plotted.pairs.len()];
            let mut snapshot = Snapshot::default();
            let scene = &phases[0].scene;
            for k in 0..=RANKING_INSTANTS {
                let time =
                    phases[0].start() + trajectory.duration() * k as f64 / RANKING_INSTANTS as f64;
                snapshot.set_at(scene, &trajectory, trajectory.locate(time));
                for (least, local) in least.iter_mut().zip(&plotted.index_in_phase[0]) {
                    let (local, all) = (local.unwrap(), f64::INFINITY);
                    let found = scene.pair_distance(local, &mut snapshot, all, &mut 0);
                    *least = least.min(found.unwrap().distance);
                }
            }
            let mut truth = least.clone();
            truth.sort_by(f64::total_cmp);
            let found = nearest(&plotted, &phases, &trajectory);
            assert_eq!(found.len(), CURVES);
            for ((pair, distance), truth) in found.iter().zip(truth) {
                assert!((distance - truth).abs() < 1e-12, "{distance}, but {truth}");
                assert!((least[*pair] - truth).abs() < 1e-12, "pair {pair}");
            }
        }
    }
}
