//! Conformance: every method over every shape, in the same scenes, each held to what it promises.

use std::time::Duration;

use clearance::findings::Verdict;
use clearance_methods::Promise;
use clearance_methods::backends::{BackendKind, Prebuilt};
use clearance_methods::sampling::SamplingStep;
use clearance_methods::{Method, TimeMethod};
use clearance_proof::check::TimeLimit;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use rayon::prelude::*;

use super::{Case, EPSILON, number};
use crate::common::oracle::{Oracle, Sample};

/// Resolution: coarse, because the plain methods are slow.
pub const RESOLUTION: f64 = 10.0 * EPSILON;

/// Of shapes with smallest parts, metres.
const LEAF_RADIUS: f64 = 0.02;

/// How long a segment of a scene takes, seconds.
const SEGMENT_S: f64 = 1.0;

/// Instants in a segment that the oracle looks at, and samplers, whose instants are among those of
/// the oracle.
const WATCHED: usize = 60;
const LOOKS: usize = 20;

/// The answer of a way in one scene.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Answer {
    Verdict(Verdict),
    /// It said that it cannot answer in this scene, or not in time.
    Refused,
}

/// Every way that there is.
pub fn methods() -> Vec<Method> {
    let step = SamplingStep::Time(SEGMENT_S / LOOKS as f64);
    let methods = Method::all(step).into_iter();
    methods
        .map(|method| Method {
            leaf_radius: method.backend.has_leaf_radius().then_some(LEAF_RADIUS),
            ..method
        })
        .collect()
}

/// Every triangle against every other takes long, and is given up where there are many.
fn time_limit(method: &Method) -> TimeLimit {
    let seconds = match method.backend {
        BackendKind::Raw => 4,
        _ => 20,
    };
    TimeLimit::of(Some(Duration::from_secs(seconds)))
}

/// The threshold that a way is asked about in a scene, metres: feature intersection knows surfaces
/// that touch, no clearances.
fn threshold(case: &Case, method: &Method) -> f64 {
    match method.time {
        TimeMethod::Intersection => 0.0,
        _ => case.clearance,
    }
}

/// Says what is wrong unless an answer keeps its promise.
fn keeps_its_promise(
    case: &Case,
    method: &Method,
    oracle: &Oracle,
    watched: &[Vec<Sample>],
    result: &CheckResult,
) -> Result<(), String> {
    let d = threshold(case, method);
    let hits = watched.iter().flatten().filter(|x| x.distance <= d);
    let earliest = hits.map(|x| x.time).fold(f64::INFINITY, f64::min);
    let (promise, tiny) = (method.promise(), case.rounding);
    if result.given_up {
        return match result.verdict {
            Verdict::Clear | Verdict::Undecided => Err("a verdict without an end".into()),
            _ => Ok(()),
        };
    }
    match result.verdict {
        Verdict::Clear if !promise.proves() => Err("a sampler says clear".into()),
        Verdict::Clear if earliest.is_finite() => Err(format!("clear, but hit at {earliest}")),
        Verdict::Unverified if promise.proves() => Err("no answer".into()),
        _ => Ok(()),
    }?;
    if !promise.proves() {
        // A sampler sees what touches at the instants that it looks at.
        let looked_at =
            |x: &&Sample| ((x.s * LOOKS as f64).fract() == 0.0) && x.distance < d - tiny;
        let seen = watched.iter().flatten().filter(looked_at);
        let seen = seen.map(|x| x.time).fold(f64::INFINITY, f64::min);
        let told = result.first_contact.as_ref().map(|first| first.time);
        if told.unwrap_or(f64::INFINITY) > seen + 1e-9 {
            return Err(format!(
                "sampled {told:?}, but hit at {seen}, which it looked at"
            ));
        }
    }
    let Some(first) = &result.first_contact else {
        return match result.verdict {
            Verdict::Collision | Verdict::Undecided => Err("nowhere".into()),
            _ => Ok(()),
        };
    };
    if earliest < first.free_until {
        return Err(format!(
            "free until {}, but hit at {earliest}",
            first.free_until
        ));
    }
    if result.verdict == Verdict::Collision {
        let body = |name: &str| case.scenario.cell.body(name).expect("a body of the cell");
        let pair = (body(&first.a), body(&first.b));
        let distance = oracle.distance(first.segment, first.fraction, pair);
        let most = d + tiny + result.coarseness;
        if distance > most {
            return Err(format!("contact at distance {distance}, allowed is {most}"));
        }
        if promise == Promise::Exact && result.coarseness > 0.0 {
            return Err("exact, but coarse".into());
        }
    }
    Ok(())
}

fn oracle_scene(seed: u64, methods: &[Method]) -> Result<Vec<Answer>, String> {
    let case = Case::new(seed);
    let pairs = case.pairs();
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let oracle = Oracle::new(&case.scenario);
    let watched = oracle.watch(&pairs, WATCHED);
    let (trees, table) = (case.scenario.trees(), case.scenario.table());
    let options = CheckOptions {
        resolution: RESOLUTION,
        all: false,
        minimum: false,
        minimum_by_class: false,
        minimum_pairs: None,
    };
    let mut answers = Vec::new();
    for method in methods {
        // Exact answers do not depend on it: every other scene leaves the choice to the shape.
        let chooses = seed.is_multiple_of(2) && method.backend.is_exact();
        let method = Method {
            leaf_radius: method.leaf_radius.filter(|_| !chooses),
            ..*method
        };
        let mut scene = Scene::new(
            &case.scenario.cell,
            &trees,
            &table,
            threshold(&case, &method),
        );
        if !method.is_default() {
            scene.time_limit = time_limit(&method);
        }
        let Ok(result) = method.check(
            &scene,
            &case.scenario.trajectory,
            &Prebuilt::default(),
            &options,
            &|_| (),
        ) else {
            answers.push(Answer::Refused);
            continue;
        };
        keeps_its_promise(&case, &method, &oracle, &watched, &result)
            .map_err(|why| format!("{method}: {why}"))?;
        answers.push(if result.given_up {
            Answer::Refused
        } else {
            Answer::Verdict(result.verdict)
        });
    }
    // All proofs of one scene agree, unless one of them only erred towards contact or could not
    // decide.
    let exact = methods.iter().zip(&answers).filter(|(method, answer)| {
        let decided = [Verdict::Clear, Verdict::Collision].map(Answer::Verdict);
        let same = threshold(&case, method) == case.clearance;
        method.promise() == Promise::Exact && same && decided.contains(answer)
    });
    let verdicts: Vec<_> = exact.collect();
    match verdicts.iter().find(|(_, answer)| *answer != verdicts[0].1) {
        Some((method, answer)) => Err(format!(
            "{method}: {answer:?}, {}: {:?}",
            verdicts[0].0, verdicts[0].1
        )),
        None => Ok(answers),
    }
}

/// Catches a `clear` that is none, a contact that is none, an interval called free that is not: by
/// any way.
#[test]
fn every_method_keeps_its_promise() {
    let first = number("CLEARANCE_FIRST_SCENE", 0);
    let count = number("CLEARANCE_SCENES", 1000).div_ceil(5);
    let methods = methods();
    let results: Vec<_> = (first..first + count)
        .into_par_iter()
        .map(|seed| (seed, oracle_scene(seed, &methods)))
        .collect();
    let wrong: Vec<String> = results
        .iter()
        .filter_map(|(seed, result)| Some(format!("scene {seed}: {}", result.as_ref().err()?)))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {count} scenes:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    // No way may get through by saying nothing.
    for (k, method) in methods.iter().enumerate() {
        let answers = results.iter().filter_map(|(_, r)| r.as_ref().ok()?.get(k));
        let seen = |verdict| {
            answers
                .clone()
                .filter(|&&a| a == Answer::Verdict(verdict))
                .count() as u64
        };
        let free = match method.time {
            TimeMethod::Sampling(_) => Verdict::Unverified,
            _ => Verdict::Clear,
        };
        let (free, hit) = (seen(free), seen(Verdict::Collision));
        assert!(
            free > count / 50 && hit > count / 50,
            "{method}: {free} free, {hit} hit of {count}"
        );
    }
}
