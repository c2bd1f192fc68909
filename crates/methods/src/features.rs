//! Feature intersection pair by pair: what has faces and a threshold of 0 is looked at through its
//! features, every other pair by the bisection of the default check.

use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;
use clearance_proof::report::{Contact, Statistics};

use crate::MethodError;

/// The message for a scene where bisection looks at some pairs; `None`: features look at all of
/// them.
pub fn fallback(scene: &Scene) -> Option<String> {
    let pairs = 0..scene.pairs.len();
    let others: Vec<usize> = pairs
        .filter(|&pair| !scene.has_features_only(pair))
        .collect();
    let first = &scene.pairs[*others.first()?];
    let thresholds = others
        .iter()
        .filter(|&&pair| scene.pairs[pair].clearance > 0.0);
    let thresholds = thresholds.count();
    let why = match (thresholds, others.len() - thresholds) {
        (thresholds, 0) => format!("{thresholds} with a threshold above 0"),
        (0, round) => format!("{round} with a ball or a capsule"),
        (thresholds, round) => {
            format!("{thresholds} with a threshold above 0, {round} more with a ball or a capsule")
        }
    };
    let name = |body: usize| &scene.cell.bodies[body].name;
    Some(format!(
        "{} of {} pairs are checked by bisection, which proves them as well, but tells no features ({why}; the first is `{}` – `{}`)",
        others.len(),
        scene.pairs.len(),
        name(first.a),
        name(first.b)
    ))
}

/// Checks a motion: features where they suit, bisection for the rest.
///
/// # Errors
/// The errors of [`Scene::intersect_features`], whatever the pairs are.
pub fn check(
    scene: &Scene,
    trajectory: &Trajectory,
    options: &CheckOptions,
    progress: &dyn Fn(f64),
) -> Result<CheckResult, MethodError> {
    let of_features: Vec<bool> = (0..scene.pairs.len())
        .map(|pair| scene.has_features_only(pair))
        .collect();
    if of_features.iter().all(|&suits| suits) {
        return Ok(scene.intersect_features(trajectory, options, progress)?);
    }
    let by_features = scene.only(|pair| of_features[pair]);
    let half = |from: f64| move |share: f64| progress(from + share / 2.0);
    let found = by_features.intersect_features(trajectory, options, &half(0.0))?;
    let others = scene.only(|pair| !of_features[pair]);
    let rest = others.check(trajectory, options, &half(0.5));
    Ok(together(found, rest, trajectory))
}

/// Two answers about the same motion and different pairs, as one.
fn together(one: CheckResult, other: CheckResult, trajectory: &Trajectory) -> CheckResult {
    let start = trajectory
        .segments
        .first()
        .map_or(0.0, |segment| segment.start);
    // A check that gave up has proved nothing; a clear one has proved everything.
    let free_until = |result: &CheckResult| match (result.given_up, &result.first_contact) {
        (true, _) => start,
        (false, Some(contact)) => contact.free_until,
        (false, None) => f64::INFINITY,
    };
    let free = free_until(&one).min(free_until(&other));
    let given_up = one.given_up || other.given_up;
    let statistics = Statistics {
        intervals: one.statistics.intervals + other.statistics.intervals,
        distance_tests: one.statistics.distance_tests + other.statistics.distance_tests,
        triangle_tests: one.statistics.triangle_tests + other.statistics.triangle_tests,
        pairs: one.statistics.pairs + other.statistics.pairs,
        ..one.statistics
    };
    let time = |result: &CheckResult| {
        let first = result.first_contact.as_ref();
        first.map_or(f64::INFINITY, |contact| contact.time)
    };
    // The worse verdict counts, and of two alike the earlier contact.
    let worse = (other.verdict, -time(&other)) > (one.verdict, -time(&one));
    let result = if worse { other } else { one };
    CheckResult {
        first_contact: result.first_contact.map(|contact| Contact {
            free_until: free.min(contact.free_until),
            ..contact
        }),
        given_up,
        statistics,
        ..result
    }
}

#[cfg(test)]
mod tests;
