//! Solids within solids: what starts inside is found, what starts outside or in a hollow is not
//! taken for inside, and whatever is called clear is neither touched nor inside at any sample.

use std::f64::consts::TAU;

use clearance::findings::{ContactKind, Verdict};
use clearance_methods::TimeMethod;
use clearance_methods::backends::Prebuilt;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{BodyId, JointKind};
use nalgebra::{Isometry3, Point3, Vector3};

use super::methods::{RESOLUTION, methods};
use super::{EPSILON, every_scene};
use crate::common::oracle::{Oracle, Sample};
use crate::common::{Random, Scenario, shapes};

/// A closed piece, wound outwards.
fn piece(r: &mut Random, size: f64) -> Mesh {
    let unit = match r.below(3) {
        0 => shapes::block(Vector3::new(0.6, 0.6, 0.6)),
        1 => shapes::ball(true),
        _ => shapes::ball(false),
    };
    let turn = r.pose(0.0);
    let mut piece = unit.scaled(Vector3::repeat(size));
    piece.vertices.iter_mut().for_each(|v| *v = turn * *v);
    piece
}

fn turned(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

/// A body of a few pieces. As wound here they make up what is solid; as the engine gets them they
/// may be wound the other way round altogether, or single triangles may be.
struct Body {
    /// Every piece by itself, with the sign that it was wound with.
    pieces: Vec<Mesh>,
    given: Mesh,
}

impl Body {
    /// Solid, or with a hollow, or with a core in the hollow; now and then with a second piece
    /// aside.
    fn new(r: &mut Random, size: f64) -> Self {
        let mut pieces = vec![piece(r, size)];
        let shells = r.below(3);
        if shells > 0 {
            pieces.push(turned(piece(r, 0.45 * size)));
        }
        if shells > 1 {
            pieces.push(piece(r, 0.2 * size));
        }
        if r.one_in(3) {
            let mut aside = piece(r, 0.5 * size);
            let step = r.direction().into_inner() * 2.0 * size;
            aside.vertices.iter_mut().for_each(|v| *v += step);
            pieces.push(aside);
        }
        let mut given = pieces.iter().fold(Mesh::default(), shapes::joined);
        match r.below(4) {
            0 => given = turned(given),
            1 => {
                let t = r.below(given.triangles.len());
                given.triangles[t].swap(1, 2);
            }
            _ => {}
        }
        Body { pieces, given }
    }

    /// Whether a point lies in the solid: by solid angles over everything.
    fn contains(&self, p: &Point3<f64>) -> bool {
        let mut angle = 0.0;
        for piece in &self.pieces {
            for t in 0..piece.triangles.len() {
                let [a, b, c] = piece.corners(t).map(|v| v - p);
                let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
                let along = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
                angle += 2.0 * a.dot(&b.cross(&c)).atan2(along);
            }
        }
        angle.abs() > TAU
    }

    /// Whether a piece of the other body, which does not touch this one, lies in the solid.
    fn holds(&self, other: &Body, self_from_other: &Isometry3<f64>) -> bool {
        let mut pieces = other.pieces.iter();
        pieces.any(|piece| self.contains(&(self_from_other * piece.vertices[0])))
    }
}

struct Case {
    scenario: Scenario,
    bodies: [Body; 2],
    clearance: f64,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E6C_63D0_876A_3F6B));
        let r = &mut random;
        let outer = Body::new(r, 1.0);
        let inner_size = r.spread(0.02, 0.3);
        let inner = Body::new(r, inner_size);
        let base = r.vector() * [0.0, 30.0][r.below(2)];
        let mut scenario = Scenario::new();
        let axis = r.direction().into_inner();
        let kind = if r.one_in(3) {
            JointKind::Prismatic
        } else {
            JointKind::Revolute
        };
        let mut at = r.pose(0.0);
        at.translation.vector = base + r.vector() * 0.8;
        let joint = scenario.joint(None, at, axis, kind);
        let away = [0.0, 0.2][r.below(2)];
        let place = r.pose(away);
        let moving = scenario.mesh(Some(joint), place, inner.given.clone());
        let still = scenario.mesh(
            None,
            Isometry3::translation(base.x, base.y, base.z),
            outer.given.clone(),
        );
        for body in [moving, still] {
            // As it is without a word in the cell file, or as it is demanded.
            scenario.cell.bodies[body].shapes[0].solid = [None, Some(true)][r.below(2)];
        }
        let joint_bounds = r.spread(1e-3, 1.0);
        let mut here = r.signed();
        for _ in 0..1 + r.below(2) {
            let next = here + joint_bounds * r.signed();
            scenario.linear(&[(here, next)]);
            here = next;
        }
        Case {
            scenario,
            bodies: [inner, outer],
            clearance: [0.0, 1e-2][r.below(2)],
        }
    }

    /// Whether one body lies in the other one's solid at an instant.
    fn inside(&self, oracle: &Oracle, segment: usize, s: f64) -> bool {
        let poses = oracle.poses(segment, s);
        let pose = |body: BodyId| {
            let body = &self.scenario.cell.bodies[body];
            let joint = body.joint.map_or_else(Isometry3::identity, |j| poses[j]);
            joint * body.joint_from_body * body.shapes[0].body_from_shape
        };
        let b_from_a = pose(1).inv_mul(&pose(0));
        let [a, b] = &self.bodies;
        b.holds(a, &b_from_a) || a.holds(b, &b_from_a.inverse())
    }
}

/// The result of a scene: how it started, and the verdict.
fn oracle_scene(seed: u64) -> Result<(bool, Verdict), String> {
    let case = Case::new(seed);
    let oracle = Oracle::new(&case.scenario);
    let pair = (0, 1);
    let start = oracle.distance(0, 0.0, pair);
    let inside = start > 0.0 && case.inside(&oracle, 0, 0.0);
    let result = case.scenario.check(case.clearance, EPSILON, true);
    let first = result.first_contact.as_ref();
    let said = first.is_some_and(|c| c.kind == ContactKind::Inside);
    if inside && result.verdict != Verdict::Collision {
        return Err(format!("starts inside, but {:?}", result.verdict));
    }
    // Where surfaces meet at the start, either word is right.
    if start > 1e-9 && inside != said {
        return Err(format!("inside: {inside}, but {first:?}"));
    }
    if let (true, Some(contact)) = (said, first) {
        if contact.time != 0.0 || contact.distance != 0.0 || contact.point_a != contact.point_b {
            return Err(format!("{contact:?}"));
        }
        let minimum = result.minimum.as_ref().map(|m| (m.distance, m.lower_bound));
        if minimum != Some((0.0, 0.0)) {
            return Err(format!("inside, but the least distance is {minimum:?}"));
        }
    }
    if result.verdict == Verdict::Clear {
        let watched = oracle.watch(&[pair], 40);
        for x in watched.iter().flatten() {
            if x.distance <= case.clearance || case.inside(&oracle, x.segment, x.s) {
                return Err(format!("clear, but {x:?}"));
            }
        }
    }
    Ok((inside, result.verdict))
}

#[test]
fn what_starts_inside_is_found_and_nothing_else() {
    let results = every_scene(oracle_scene);
    let count = results.len();
    let seen = |wanted| results.iter().filter(|r| **r == wanted).count();
    let (inside, clear) = (
        seen((true, Verdict::Collision)),
        seen((false, Verdict::Clear)),
    );
    let hit = seen((false, Verdict::Collision));
    assert!(
        inside >= count / 8 && clear >= count / 8 && hit >= count / 16,
        "{inside} inside, {clear} clear, {hit} hit of {count}"
    );
}

/// Checks the answer of every way in a scene. Returns whether something starts inside.
fn oracle_ways(seed: u64) -> Result<bool, String> {
    let case = Case::new(seed);
    let oracle = Oracle::new(&case.scenario);
    let start = oracle.distance(0, 0.0, (0, 1));
    let inside = start > 0.0 && case.inside(&oracle, 0, 0.0);
    let watched = oracle.watch(&[(0, 1)], 40);
    let (trees, table) = (case.scenario.trees(), case.scenario.table());
    let options = CheckOptions {
        resolution: RESOLUTION,
        all: false,
        minimum: false,
        minimum_by_class: false,
        minimum_pairs: None,
    };
    for method in methods() {
        let d = match method.time {
            TimeMethod::Intersection => 0.0,
            _ => case.clearance,
        };
        let scene = Scene::new(&case.scenario.cell, &trees, &table, d);
        let trajectory = &case.scenario.trajectory;
        let Ok(result) = method.check(&scene, trajectory, &Prebuilt::default(), &options, &|_| ())
        else {
            continue;
        };
        let wrong = |what: &str| Err(format!("{method}: {what}: {:?}", result.first_contact));
        let first = result.first_contact.as_ref();
        let at_once = result.verdict == Verdict::Collision && first.is_some_and(|c| c.time == 0.0);
        if inside && !at_once {
            return wrong("starts inside, not found");
        }
        // Where surfaces meet at the start, either word is right.
        let said = first.is_some_and(|c| c.kind == ContactKind::Inside);
        if said && !inside && start > 1e-9 {
            return wrong("not inside");
        }
        let hit = |x: &Sample| x.distance <= d || case.inside(&oracle, x.segment, x.s);
        if result.verdict == Verdict::Clear && watched.iter().flatten().any(hit) {
            return wrong("clear, but hit");
        }
    }
    Ok(inside)
}

/// A fifth of the scenes: there are a dozen methods.
#[test]
fn every_way_finds_what_starts_inside() {
    let asked = |seed: u64| {
        seed.is_multiple_of(5)
            .then(|| oracle_ways(seed))
            .transpose()
    };
    let results = every_scene(asked);
    let results: Vec<bool> = results.into_iter().flatten().collect();
    let inside = results.iter().filter(|inside| **inside).count();
    assert!(inside >= results.len() / 8, "{inside} of {}", results.len());
}
