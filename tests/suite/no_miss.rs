//! Random scenes against a sampling oracle: the engine may never call an interval free in which a
//! sample is not, and what it reports must be so.
//!
//! `CLEARANCE_SCENES` sets the number of scenes, `CLEARANCE_FIRST_SCENE` the first of them (scene n
//! is always the same).

mod case;
mod clouds;
mod methods;
mod solids;

use clearance::findings::{Contact, ContactKind, Verdict};
use clearance_proof::check::bisection::CheckResult;
use clearance_proof::model::BodyId;
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::common::oracle::{Oracle, Sample};
use case::Case;

/// Resolution, metres.
const EPSILON: f64 = 1e-4;

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.map_or(otherwise, |t| t.parse().expect("a number of scenes"))
}

/// The oracle's answer for each scene, unless something is wrong with one.
fn every_scene<T: Send>(oracle: impl Fn(u64) -> Result<T, String> + Sync) -> Vec<T> {
    let first = number("CLEARANCE_FIRST_SCENE", 0);
    let count = number("CLEARANCE_SCENES", 1000);
    let results: Vec<_> = (first..first + count)
        .into_par_iter()
        .map(|seed| oracle(seed).map_err(|wrong| format!("scene {seed}: {wrong}")))
        .collect();
    let wrong: Vec<_> = results.iter().filter_map(|r| r.as_ref().err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {count} scenes:\n{:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(20)]
    );
    results.into_iter().flatten().collect()
}

/// Says what is wrong unless a condition holds.
macro_rules! demand {
    ($condition:expr, $($text:tt)*) => {
        let holds: bool = $condition;
        if !holds {
            return Err(format!($($text)*));
        }
    };
}

/// A reported contact must be true at its instant.
fn contact_holds(case: &Case, oracle: &Oracle, contact: &Contact) -> Result<(), String> {
    let cell = &case.scenario.cell;
    let body = |name: &str| cell.body(name).expect("a body of the cell");
    let (a, b) = (body(&contact.a), body(&contact.b));
    let place = contact.instant();
    let time = case.scenario.trajectory.time_at(place);
    demand!(
        (time - contact.time).abs() < 1e-12,
        "time {time} is not {}",
        contact.time
    );
    let distance = oracle.distance(place.segment, place.fraction, (a, b));
    let tiny = case.rounding;
    demand!(
        (distance - contact.distance).abs() <= tiny,
        "distance {} is {distance}",
        contact.distance
    );
    let within = case.clearance
        + tiny
        + match contact.kind {
            ContactKind::Unresolved => EPSILON,
            _ => 0.0,
        };
    demand!(
        distance <= within,
        "{:?} at distance {distance}",
        contact.kind
    );
    if contact.kind == ContactKind::Unresolved {
        demand!(
            distance >= case.clearance - tiny,
            "unresolved at distance {distance}"
        );
    }
    for (body, point) in [(a, contact.point_a), (b, contact.point_b)] {
        let off = oracle.off_surface(place.segment, place.fraction, body, point);
        demand!(off <= tiny, "point {point:?} is {off} off its body");
    }
    if contact.distance == 0.0 && oracle.rounded((a, b)) {
        // Points of balls and capsules that overlap others lie somewhere within.
        return joints_hold(case, contact);
    }
    let step = Vector3::from(contact.point_a) - Vector3::from(contact.point_b);
    demand!(
        (step.norm() - contact.distance).abs() <= tiny,
        "points are {} apart, distance {}",
        step.norm(),
        contact.distance
    );
    let normal = Vector3::from(contact.normal);
    if contact.distance > 1e-6 {
        demand!(
            (normal * contact.distance - step).norm() <= tiny,
            "normal {normal:?} for step {step:?}"
        );
    }
    joints_hold(case, contact)
}

/// The joints of a contact stand where the motion has them.
fn joints_hold(case: &Case, contact: &Contact) -> Result<(), String> {
    for (k, joint) in case.scenario.cell.joints.iter().enumerate() {
        let q = case.scenario.trajectory.segments[contact.segment].position(k, contact.fraction);
        demand!(
            contact
                .joints
                .get(&joint.name)
                .is_some_and(|x| (x - q).abs() < 1e-12),
            "joint {} at {q}: {:?}",
            joint.name,
            contact.joints
        );
    }
    Ok(())
}

/// The verdict, and the first contact.
fn verdict_holds(
    case: &Case,
    oracle: &Oracle,
    watched: &[Vec<Sample>],
    result: &CheckResult,
) -> Result<(), String> {
    let samples = || watched.iter().flatten();
    let least = samples().map(|x| x.distance).fold(f64::INFINITY, f64::min);
    let d = case.clearance;
    match result.verdict {
        Verdict::Clear => {
            demand!(least > d, "clear, but a sample has distance {least}");
            demand!(result.first_contact.is_none(), "clear with a contact");
        }
        Verdict::Undecided => {
            // A final answer moves by less than an eighth of the resolution.
            demand!(
                least >= d - EPSILON / 8.0,
                "undecided, but a sample has distance {least}"
            );
        }
        Verdict::Collision => {}
        Verdict::Unverified | Verdict::Possible => return Err("no such verdict".into()),
    }
    let Some(first) = &result.first_contact else {
        demand!(
            result.verdict == Verdict::Clear,
            "no place for {:?}",
            result.verdict
        );
        return Ok(());
    };
    let kind = match result.verdict {
        Verdict::Collision => ContactKind::Contact,
        _ => ContactKind::Unresolved,
    };
    demand!(first.kind == kind, "kind {:?}", first.kind);
    demand!(first.free_until <= first.time, "free after the contact");
    contact_holds(case, oracle, first)?;
    if let Some(early) = samples().find(|x| x.time < first.free_until && x.distance <= d) {
        return Err(format!("free until {}, but {early:?}", first.free_until));
    }
    Ok(())
}

/// Every contact interval of every pair.
fn intervals_hold(
    case: &Case,
    oracle: &Oracle,
    pairs: &[(BodyId, BodyId)],
    watched: &[Vec<Sample>],
    result: &CheckResult,
) -> Result<(), String> {
    let touching = result
        .contacts
        .iter()
        .any(|c| c.kind == ContactKind::Contact);
    demand!(
        touching == (result.verdict == Verdict::Collision),
        "{:?}, all: {:?}",
        result.verdict,
        result.contacts
    );
    for w in result.contacts.windows(2) {
        demand!(w[0].free_until <= w[1].free_until, "intervals out of order");
    }
    for (&(a, b), samples) in pairs.iter().zip(watched) {
        let name = |body: BodyId| &case.scenario.cell.bodies[body].name;
        let of_pair: Vec<(&Contact, f64)> = result
            .contacts
            .iter()
            .filter(|c| &c.a == name(a) && &c.b == name(b))
            .map(|c| (c, c.until.unwrap_or(f64::NEG_INFINITY)))
            .collect();
        for (contact, until) in &of_pair {
            demand!(
                contact.free_until <= contact.time && contact.time <= *until,
                "time outside its interval: {contact:?}"
            );
            contact_holds(case, oracle, contact)?;
        }
        for w in of_pair.windows(2) {
            demand!(w[0].1 < w[1].0.free_until, "intervals of a pair overlap");
        }
        for x in samples.iter().filter(|x| x.distance <= case.clearance) {
            let covered = |&(c, until): &(&Contact, f64)| c.free_until <= x.time && x.time <= until;
            demand!(
                of_pair.iter().any(covered),
                "{} and {}: {x:?} in no interval",
                name(a),
                name(b)
            );
        }
    }
    Ok(())
}

/// Certified least distances.
fn minimums_hold(
    case: &Case,
    oracle: &Oracle,
    pairs: &[(BodyId, BodyId)],
    watched: &[Vec<Sample>],
    result: &CheckResult,
) -> Result<(), String> {
    let tiny = case.rounding;
    let cell = &case.scenario.cell;
    demand!(
        result.pair_minimums.len() == pairs.len(),
        "a pair has no minimum"
    );
    for w in result.pair_minimums.windows(2) {
        demand!(w[0].distance <= w[1].distance, "minimums out of order");
    }
    for (&pair, samples) in pairs.iter().zip(watched) {
        let (a, b) = (&cell.bodies[pair.0].name, &cell.bodies[pair.1].name);
        let found = result.pair_minimums.iter().find(|m| &m.a == a && &m.b == b);
        let Some(m) = found else {
            return Err(format!("{a} and {b} have no minimum"));
        };
        let least = samples
            .iter()
            .map(|x| x.distance)
            .fold(f64::INFINITY, f64::min);
        demand!(
            m.lower_bound <= least,
            "proved {}, sampled {least}",
            m.lower_bound
        );
        let place = case.scenario.trajectory.locate(m.time);
        let attained = oracle.distance(place.segment, place.fraction, pair);
        demand!(
            (attained - m.distance).abs() <= tiny,
            "{attained} at the time of {m:?}"
        );
        let open = m.distance - m.lower_bound;
        demand!(
            open <= EPSILON.max(0.02 * m.distance) + tiny,
            "{m:?} is too wide"
        );
    }
    let all = result.minimum.as_ref().ok_or("no minimum")?;
    demand!(
        all.distance == result.pair_minimums[0].distance,
        "not the least of all"
    );
    let open = all.distance - all.lower_bound;
    demand!(open <= EPSILON + tiny, "proved only to {open}: {all:?}");
    let lowest = result.pair_minimums.iter().map(|m| m.lower_bound);
    demand!(
        all.lower_bound <= lowest.fold(f64::INFINITY, f64::min),
        "some pair is proved less than all pairs are"
    );
    classes_hold(case, oracle, pairs, watched, all.distance)?;
    others_hold(case, pairs, watched, 2.0 * all.distance + 1e-3)
}

/// The least distance that was sampled of some pairs.
fn least_sampled<'w>(watched: impl Iterator<Item = &'w Vec<Sample>>) -> f64 {
    let samples = watched.flatten().map(|x| x.distance);
    samples.fold(f64::INFINITY, f64::min)
}

/// Certified least distances of classes alone.
fn classes_hold(
    case: &Case,
    oracle: &Oracle,
    pairs: &[(BodyId, BodyId)],
    watched: &[Vec<Sample>],
    nearest: f64,
) -> Result<(), String> {
    let cell = &case.scenario.cell;
    let result = case.scenario.least(EPSILON, None);
    demand!(
        result.pair_minimums.is_empty() && result.others_farther_than.is_none(),
        "pairs are told that nobody asked for"
    );
    let all = result.minimum.as_ref().ok_or("no minimum")?;
    demand!(
        (all.distance - nearest).abs() <= EPSILON + case.rounding,
        "{} of classes, {nearest} of pairs",
        all.distance
    );
    demand!(
        all.distance - all.lower_bound <= EPSILON + case.rounding,
        "proved only to {all:?}"
    );
    demand!(
        all.lower_bound <= least_sampled(watched.iter()),
        "all pairs: {all:?}"
    );
    for found in &result.minimum_by_class {
        let of_class = |&(a, b): &(BodyId, BodyId)| cell.pair_class(a, b) == Some(found.class);
        let of_class = pairs.iter().zip(watched).filter(|(pair, _)| of_class(pair));
        let sampled = least_sampled(of_class.map(|(_, samples)| samples));
        let least = &found.least;
        demand!(least.lower_bound <= sampled, "{found:?}, sampled {sampled}");
        let [a, b] = [&least.a, &least.b].map(|name| cell.body(name).expect("a body"));
        demand!(
            cell.pair_class(a, b) == Some(found.class),
            "a pair of another class: {found:?}"
        );
        let place = case.scenario.trajectory.locate(least.time);
        let attained = oracle.distance(place.segment, place.fraction, (a, b));
        demand!(
            (attained - least.distance).abs() <= case.rounding,
            "{attained} at the time of {found:?}"
        );
        let open = least.distance - least.lower_bound;
        demand!(
            open <= EPSILON.max(0.02 * least.distance) + case.rounding,
            "{found:?} is too wide"
        );
    }
    Ok(())
}

/// Pairs that are not listed stay farther apart than what was asked for, those that are listed are
/// as near as they are said to be.
fn others_hold(
    case: &Case,
    pairs: &[(BodyId, BodyId)],
    watched: &[Vec<Sample>],
    within: f64,
) -> Result<(), String> {
    let cell = &case.scenario.cell;
    let result = case.scenario.least(EPSILON, Some(within));
    demand!(
        result.others_farther_than == Some(within),
        "nothing is said of pairs that are not listed"
    );
    for (&(a, b), samples) in pairs.iter().zip(watched) {
        let (a, b) = (&cell.bodies[a].name, &cell.bodies[b].name);
        let sampled = least_sampled(std::iter::once(samples));
        let mut listed = result.pair_minimums.iter();
        match listed.find(|m| &m.a == a && &m.b == b) {
            None => {
                demand!(sampled > within, "{a} and {b}: {sampled}, not listed");
            }
            Some(m) => {
                demand!(m.lower_bound <= sampled, "{m:?}, sampled {sampled}");
            }
        }
    }
    Ok(())
}

/// A threshold just above the least distance is hit, one just below what is proved is not.
fn grazes(case: &Case, result: &CheckResult) -> Result<(), String> {
    const STEP: f64 = 1e-5;
    let minimum = result.minimum.as_ref().ok_or("no minimum")?;
    let over = case.scenario.check(minimum.distance + STEP, STEP, false);
    demand!(
        over.verdict == Verdict::Collision,
        "least distance {} is {:?} at 10 µm more",
        minimum.distance,
        over.verdict
    );
    let first = over.first_contact.ok_or("a collision without a contact")?;
    demand!(
        first.free_until <= minimum.time,
        "free until {}, but within the threshold at {}",
        first.free_until,
        minimum.time
    );
    let coarse = case.scenario.check(minimum.distance + STEP, EPSILON, false);
    demand!(
        coarse.verdict != Verdict::Clear,
        "clear beyond the least distance"
    );
    if minimum.lower_bound > STEP {
        let under = case.scenario.check(minimum.lower_bound - STEP, STEP, false);
        demand!(
            under.verdict == Verdict::Clear,
            "proved {}, but {:?} at 10 µm less",
            minimum.lower_bound,
            under.verdict
        );
    }
    Ok(())
}

fn oracle_scene(seed: u64) -> Result<Option<Verdict>, String> {
    judged(&Case::new(seed), seed)
}

/// Everything that is said of a scene, held to the oracle.
fn judged(case: &Case, seed: u64) -> Result<Option<Verdict>, String> {
    let pairs = case.pairs();
    if pairs.is_empty() {
        return Ok(None);
    }
    let oracle = Oracle::new(&case.scenario);
    let watched = oracle.watch(&pairs, 60);
    let result = case.scenario.check(case.clearance, EPSILON, true);
    verdict_holds(case, &oracle, &watched, &result)?;
    intervals_hold(case, &oracle, &pairs, &watched, &result)?;
    minimums_hold(case, &oracle, &pairs, &watched, &result)?;
    if seed.is_multiple_of(4) && result.verdict == Verdict::Clear {
        grazes(case, &result)?;
    }
    Ok(Some(result.verdict))
}

#[test]
fn no_sample_contradicts_the_engine() {
    let results = every_scene(oracle_scene);
    let count = results.len();
    // The scenes must not all be easy ones.
    let seen = |verdict| results.iter().filter(|r| **r == Some(verdict)).count();
    let (clear, hit) = (seen(Verdict::Clear), seen(Verdict::Collision));
    let open = seen(Verdict::Undecided);
    assert!(
        clear >= count / 6 && hit >= count / 6 && (open > 0 || count < 10_000),
        "{clear} clear, {hit} hit, {open} undecided of {count}"
    );
}

/// A scene number in a failure is all that is needed to see it again.
#[test]
fn scenes_are_the_same_every_time() {
    let [x, y] = [0, 1].map(|_| Case::new(7));
    assert_eq!(x.scenario.cell, y.scenario.cell);
    assert_eq!(x.scenario.trajectory, y.scenario.trajectory);
    assert_ne!(x.scenario.cell, Case::new(8).scenario.cell);
}
