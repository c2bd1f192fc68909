//! Random scenes against a sampling oracle: the engine may never call an interval free in which a sample is not, and what
//! it reports must be so.
//!
//! `CLEARANCE_SCENES` sets the number of scenes, `CLEARANCE_FIRST_SCENE` the first of them (scene n is always the same).

mod clouds;
mod methods;
mod solids;

use clearance::findings::{Contact, ContactKind, Verdict};
use clearance_proof::check::bisection::CheckResult;
use clearance_proof::model::{BodyId, Form, Interpolation, JointKind, Polynomial};
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::common::oracle::{Oracle, Sample};
use crate::common::{Random, Scenario, form, shapes};

/// Resolution, metres.
const EPSILON: f64 = 1e-4;

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.map_or(otherwise, |t| t.parse().expect("a number of scenes"))
}

/// What an oracle says of each scene, unless something is wrong with one.
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

/// A scene: robots with random links, obstacles near their way, a motion, a threshold.
struct Case {
    scenario: Scenario,
    clearance: f64,
    /// What rounding may amount to, metres.
    rounding: f64,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x5851_F42D_4C95_7F2D));
        let r = &mut random;
        let mut scenario = Scenario::new();
        let far = r.one_in(4);
        let base = if far {
            Vector3::new(70.0, -70.0, 10.0)
        } else {
            Vector3::zeros()
        };
        for robot in 0..1 + usize::from(r.one_in(4)) {
            add_robot(r, &mut scenario, base, robot == 0);
        }
        add_motion(r, &mut scenario);
        let robots = scenario.cell.bodies.len();
        for _ in 0..1 + r.below(3) {
            add_obstacle(r, &mut scenario, robots, base);
        }
        Case {
            scenario,
            clearance: [0.0, 1e-3, 1e-2][r.below(3)],
            rounding: if far { 1e-8 } else { 1e-9 },
        }
    }

    fn pairs(&self) -> Vec<(BodyId, BodyId)> {
        let table = self.scenario.table();
        table.checked.iter().map(|p| (p.a, p.b)).collect()
    }
}

/// 10 µm to 3 m, mostly what links and tools measure.
fn size(r: &mut Random) -> f64 {
    if r.one_in(4) {
        r.spread(1e-5, 1.5)
    } else {
        r.spread(0.02, 0.3)
    }
}

/// A mesh, or now and then a primitive.
fn any_form(r: &mut Random, size: f64) -> Form {
    if !r.one_in(4) {
        return form(shapes::any(r, size));
    }
    let radius = size * r.spread(0.05, 0.5);
    match r.below(6) {
        0 | 1 => Form::Capsule {
            radius,
            length: size,
        },
        2 => Form::Sphere { radius },
        3 => Form::Box {
            size: Vector3::new(size, radius, size * r.unit()),
        },
        4 => Form::Cone {
            radius: radius.min(0.01),
            length: size,
        },
        _ => Form::Cylinder {
            radius: radius.min(0.01),
            length: size,
        },
    }
}

fn add_robot(r: &mut Random, scenario: &mut Scenario, base: Vector3<f64>, main: bool) {
    let count = if main { 1 + r.below(6) } else { 1 + r.below(2) };
    let mut parent = None;
    let mut carrier = None;
    let first = scenario.cell.joints.len();
    for k in 0..count {
        let (joint_parent, body_parent) = if k > 1 && r.one_in(6) {
            // A second arm.
            (Some(first), None)
        } else {
            (parent, carrier)
        };
        let mut at = r.pose(0.0);
        let length = r.spread(0.02, 0.8);
        at.translation.vector = match joint_parent {
            Some(_) => r.vector() * length,
            None => base + r.vector() * if main { 0.1 } else { 1.0 },
        };
        let kind = if r.one_in(5) {
            JointKind::Prismatic
        } else {
            JointKind::Revolute
        };
        let axis = if r.one_in(2) {
            Vector3::z()
        } else {
            r.direction().into_inner()
        };
        let joint = scenario.joint(joint_parent, at, axis, kind);
        parent = Some(joint);
        if k + 1 == count || !r.one_in(4) {
            let shapes = (0..1 + usize::from(r.one_in(6))).map(|_| {
                let place = if r.one_in(3) { 0.0 } else { 0.3 };
                let size = size(r);
                (r.pose(place), any_form(r, size))
            });
            let shapes = shapes.collect();
            carrier = Some(scenario.body(Some(joint), body_parent, shapes));
        }
    }
}

fn add_motion(r: &mut Random, scenario: &mut Scenario) {
    let law = [
        Interpolation::Linear,
        Interpolation::Cubic,
        Interpolation::Quintic,
    ][r.below(3)];
    scenario.path.interpolation = law;
    let kinds: Vec<JointKind> = scenario.cell.joints.iter().map(|j| j.kind).collect();
    let joint_bounds = r.spread(0.01, 6.0);
    let reach: Vec<f64> = kinds
        .iter()
        .map(|kind| match kind {
            JointKind::Prismatic => joint_bounds.min(0.5),
            _ => joint_bounds,
        })
        .collect();
    let waypoint = |r: &mut Random, from: &[[f64; 3]]| -> Vec<[f64; 3]> {
        let still = r.one_in(6);
        (0..reach.len())
            .map(|k| {
                let move_by = if still && r.one_in(2) { 0.0 } else { reach[k] };
                [
                    from[k][0] + move_by * r.signed(),
                    reach[k] * r.signed(),
                    2.0 * reach[k] * r.signed(),
                ]
            })
            .collect()
    };
    let start: Vec<[f64; 3]> = reach.iter().map(|_| [r.signed() * 0.5, 0.0, 0.0]).collect();
    let mut here = waypoint(r, &start);
    for _ in 0..1 + r.below(2) {
        let next = waypoint(r, &here);
        let pieces = here.iter().zip(&next);
        scenario.segment(pieces.map(|(p, q)| polynomial(law, p, q)).collect());
        here = next;
    }
}

/// Position, speed and acceleration at both ends of a segment of one second.
fn polynomial(law: Interpolation, p: &[f64; 3], q: &[f64; 3]) -> Polynomial {
    let d = q[0] - p[0];
    let (m0, m1, b0, b1) = (p[1], q[1], p[2], q[2]);
    match law {
        Interpolation::Linear => [p[0], d, 0.0, 0.0, 0.0, 0.0],
        Interpolation::Cubic => [
            p[0],
            m0,
            3.0 * d - 2.0 * m0 - m1,
            m0 + m1 - 2.0 * d,
            0.0,
            0.0,
        ],
        Interpolation::Quintic => [
            p[0],
            m0,
            b0 / 2.0,
            10.0 * d - 6.0 * m0 - 4.0 * m1 - (3.0 * b0 - b1) / 2.0,
            7.0 * m1 + 8.0 * m0 - 15.0 * d + (3.0 * b0 - 2.0 * b1) / 2.0,
            6.0 * d - 3.0 * (m0 + m1) - (b0 - b1) / 2.0,
        ],
    }
}

/// Puts an obstacle near the way of the robots, mostly so that they only just pass it, or only just hit it.
fn add_obstacle(r: &mut Random, scenario: &mut Scenario, robots: usize, base: Vector3<f64>) {
    let size = size(r);
    let at = r.pose(0.0);
    let shape = any_form(r, size);
    let body = scenario.body(None, None, vec![(at, shape)]);
    let moves = |scenario: &mut Scenario, by: Vector3<f64>| {
        scenario.cell.bodies[body]
            .joint_from_body
            .translation
            .vector += by;
    };
    // Somewhere within reach, well away from the first instant.
    let away = r.direction().into_inner() * r.spread(0.05, 1.5);
    moves(scenario, base + away);
    for _ in 0..3 {
        let oracle = Oracle::new(scenario);
        let mut least = (f64::INFINITY, Vector3::zeros());
        for segment in 0..scenario.path.segments.len() {
            for i in 0..=24 {
                let poses = oracle.poses(segment, f64::from(i) / 24.0);
                for link in 0..robots {
                    let found = oracle.closest(&poses, link, body);
                    if found.0 < least.0 {
                        least = found;
                    }
                }
            }
        }
        if least.0 > 0.0 {
            let target = if r.one_in(2) {
                r.spread(1e-5, 0.03)
            } else {
                [1e-2, 1e-3][r.below(2)] + 1e-4 * r.signed()
            };
            moves(scenario, least.1.normalize() * (target - least.0));
        } else if r.one_in(3) {
            break; // Some scenes are hit hard.
        } else {
            moves(scenario, away * 0.5);
        }
    }
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

/// What is reported about an instant must be so.
fn contact_holds(case: &Case, oracle: &Oracle, contact: &Contact) -> Result<(), String> {
    let cell = &case.scenario.cell;
    let body = |name: &str| cell.body(name).expect("a body of the cell");
    let (a, b) = (body(&contact.a), body(&contact.b));
    let (segment, s) = (contact.segment, contact.fraction);
    let time = case.scenario.path.segments[segment].time(s);
    demand!(
        (time - contact.time).abs() < 1e-12,
        "time {time} is not {}",
        contact.time
    );
    let distance = oracle.distance(segment, s, (a, b));
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
        let off = oracle.off_surface(segment, s, body, point);
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
        let q = case.scenario.path.segments[contact.segment].position(k, contact.fraction);
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
            // What is final moves by less than an eighth of the resolution.
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
        let (segment, s) = case.scenario.path.locate(m.time);
        let attained = oracle.distance(segment, s, pair);
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
        let (segment, s) = case.scenario.path.locate(least.time);
        let attained = oracle.distance(segment, s, (a, b));
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

/// Pairs that are not listed stay farther apart than what was asked for, those that are listed are as near as they are said to be.
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
    assert_eq!(x.scenario.path, y.scenario.path);
    assert_ne!(x.scenario.cell, Case::new(8).scenario.cell);
}
