//! Bodies inside others, surfaces apart: no certificate says that they are not.

use std::sync::Arc;

use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{Event, EventChange, Merged, Schedule, Timeline, Track};
use clearance_recheck::inside::none_inside;
use clearance_recheck::motion::CellMotion;
use clearance_recheck::pairs::part_pairs;
use clearance_recheck::shapes::BodyPart;
use clearance_recheck::statement::statement;
use nalgebra::Point3;

use super::events::SceneWithEvents;
use super::*;

mod mutants;

/// Corners of the square of this half width at a height, counter-clockwise seen from above.
fn square(half: f64, height: f64) -> [Point3<f64>; 4] {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| Point3::new(x * half, y * half, height))
}

fn mesh(quads: &[[Point3<f64>; 4]]) -> Mesh {
    let first = |quad: usize| 4 * quad as u32;
    let two = |k: u32| [[k, k + 1, k + 2], [k, k + 2, k + 3]];
    Mesh {
        vertices: quads.iter().flatten().copied().collect(),
        triangles: (0..quads.len()).flat_map(|q| two(first(q))).collect(),
    }
}

/// Four sides between a lower and an upper square, seen from outside.
fn sides(low: [Point3<f64>; 4], high: [Point3<f64>; 4]) -> Vec<[Point3<f64>; 4]> {
    let at = |k: usize| [low[k], low[(k + 1) % 4], high[(k + 1) % 4], high[k]];
    (0..4).map(at).collect()
}

fn backwards([a, b, c, d]: [Point3<f64>; 4]) -> [Point3<f64>; 4] {
    [d, c, b, a]
}

/// A closed box about the origin.
fn cube(half: f64) -> Mesh {
    let (low, high) = (square(half, -half), square(half, half));
    mesh(&[vec![backwards(low), high], sides(low, high)].concat())
}

/// A box that is open above and solid between its inner and its outer walls.
fn cup(half: f64, thick: f64) -> Mesh {
    let (low, high) = (square(half, -half), square(half, half));
    let (floor, rim) = (
        square(half - thick, thick - half),
        square(half - thick, half),
    );
    let mut quads = vec![backwards(low), floor];
    quads.extend(sides(low, high));
    quads.extend(sides(high, rim));
    quads.extend(sides(rim, floor));
    mesh(&quads)
}

fn turned_round(mut mesh: Mesh) -> Mesh {
    for t in &mut mesh.triangles {
        t.swap(1, 2);
    }
    mesh
}

fn shifted(mut mesh: Mesh, by: [f64; 3]) -> Mesh {
    for p in &mut mesh.vertices {
        *p += Vector3::from(by);
    }
    mesh
}

fn both(mut one: Mesh, other: &Mesh) -> Mesh {
    let more = one.vertices.len() as u32;
    one.vertices.extend(&other.vertices);
    let triangles = other.triangles.iter().map(|t| t.map(|k| k + more));
    one.triangles.extend(triangles);
    one
}

/// A body that slides by a tenth of a metre along x beside one that stands; they are solid, or not,
/// or as their meshes say.
fn slides(moving: Mesh, stands: Mesh, solid: Option<bool>) -> (Checker, Trajectory) {
    let mut cell = Cell::with_one_robot();
    let still = Isometry3::identity();
    let id = cell.add_joint(Joint::prismatic("slide", None, still, Vector3::x_axis()));
    let form = |mesh: Mesh| Form::Mesh {
        mesh: Arc::new(mesh),
        file: "made".into(),
    };
    cell.add_body(Body::link("slider", form(moving), id, still, None));
    cell.add_body(Body::obstacle("thing", form(stands), still));
    for body in &mut cell.bodies {
        body.shapes[0].solid = solid;
    }
    let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![0.1])]).unwrap();
    (Checker::new(cell), trajectory)
}

/// The engine's verdict, the geometry file, and the result of asking for a certificate.
fn asked(
    (checker, trajectory): &(Checker, Trajectory),
) -> (Verdict, Geometry, Result<Certificate, CertifyError>) {
    let result = checker
        .check(trajectory, 0.001, &CheckOptions::default())
        .unwrap();
    let bytes = geometry(checker.cell(), checker.trees(), checker.pairs(), 0.001).unwrap();
    let file = Geometry::read(&bytes).unwrap();
    let made = certificate(&bytes, "geometry", trajectory, None, &[]);
    let made = made.map(|made| whole(&made.bytes, &file));
    (result.verdict, file, made)
}

/// A motion that is clear has a certificate that is valid and true.
#[track_caller]
fn is_certified(question: &(Checker, Trajectory)) -> (Geometry, Certificate) {
    let (verdict, file, made) = asked(question);
    assert_eq!(verdict, Verdict::Clear);
    let made = made.unwrap();
    valid(&file, &made).unwrap_or_else(|e| panic!("{e}"));
    assert!(least_slack(&file, &made, 8) > -1e-9);
    (file, made)
}

/// The rays that a proof needs, and those that are given.
const SOME_RAYS: [[i8; 3]; 9] = [
    [0, 0, 0],
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, 0, -1],
    [0, 0, 127],
    [3, 5, 7],
    [-90, 17, 60],
    [-128, 127, -128],
];

/// A body that the engine finds inside another one has no certificate. A forged certificate does
/// not pass either: of the same bodies as thin surfaces, with any rays behind it.
#[track_caller]
fn is_refused(moving: &Mesh, stands: &Mesh, rays: usize) {
    let (verdict, file, made) = asked(&slides(moving.clone(), stands.clone(), None));
    assert_eq!(verdict, Verdict::Collision);
    assert!(
        matches!(&made, Err(CertifyError::Contradiction(why)) if why.contains("lies inside")),
        "{made:?}"
    );
    // The surfaces are apart.
    let (thin, certificate) = is_certified(&slides(moving.clone(), stands.clone(), Some(false)));
    assert!(
        statement(&thin, &certificate).contains("body \"thing\": 12 triangles (not solid)")
            || stands.triangles.len() != 12
    );
    let mut file = file;
    // The same order of triangles as in the other file.
    for (part, of_thin) in file.parts.iter_mut().zip(&thin.parts) {
        let solid = part.solid.clone();
        *part = of_thin.clone();
        part.solid = solid;
    }
    // Without a ray, with rays for some of the pieces, for all of them, and one more.
    for first in SOME_RAYS {
        let mut forged = certificate.clone();
        for _ in 0..rays + 2 {
            assert!(valid(&file, &forged).is_err(), "{first:?}");
            forged.proof.extend(first.map(|x| x as u8));
        }
    }
}

/// Catches containment that nobody asks for, and a ray that is believed.
#[test]
fn what_lies_inside_a_solid_body_has_no_certificate() {
    is_refused(&cube(0.1), &cube(0.5), 1);
    is_refused(&cube(0.1), &turned_round(cube(0.5)), 1);
    // The other way round: the body that stands is inside.
    is_refused(&cube(0.5), &cube(0.1), 0);
    // One of two pieces, wherever it is in the list.
    let two = both(cube(0.1), &shifted(cube(0.1), [3.0, 0.0, 0.0]));
    is_refused(&two, &cube(0.5), 1);
    let two = both(shifted(cube(0.1), [3.0, 0.0, 0.0]), &cube(0.1));
    is_refused(&two, &cube(0.5), 1);
    // In the wall of a cup, beside what is in its hollow.
    let walls = both(cube(0.1), &shifted(cube(0.02), [0.0, 0.0, -0.4]));
    is_refused(&walls, &cup(0.5, 0.2), 2);
    // More of the same material is not a hollow.
    let twice = both(cube(1.0), &cube(0.5));
    is_refused(&cube(0.1), &twice, 1);
}

/// Catches a proof that asks for more than the engine does: these are clear.
#[test]
fn what_is_outside_or_in_a_hollow_has_a_certificate() {
    // An open mesh is a thin surface: with one triangle less, and where the cell says so.
    let mut open = cube(0.5);
    open.triangles.pop();
    let (file, made) = is_certified(&slides(cube(0.1), open.clone(), None));
    assert!(statement(&file, &made).contains("body \"thing\": 11 triangles (not solid)"));
    is_certified(&slides(cube(0.1), cube(0.5), Some(false)));
    // An open mesh that the cell says is solid was closed.
    let (verdict, file, made) = asked(&slides(cube(0.1), open, Some(true)));
    assert_eq!(
        (verdict, file.parts[1].has_solid()),
        (Verdict::Collision, true)
    );
    assert!(
        matches!(made, Err(CertifyError::Contradiction(_))),
        "{made:?}"
    );
    // A closed piece and a sheet in one body.
    let sheet = mesh(&[square(0.05, 0.8)]);
    let (file, made) = is_certified(&slides(
        shifted(cube(0.05), [0.0, 0.0, 1.2]),
        both(cube(0.5), &sheet),
        None,
    ));
    assert!(statement(&file, &made).contains("body \"thing\": 14 triangles (12 of them solid)"));
    // In a cup, in a hollow, and the other way round.
    let (_, made) = is_certified(&slides(cube(0.1), cup(0.5, 0.1), None));
    assert!(made.proof.len() > 3);
    let hollow = both(cube(1.0), &turned_round(cube(0.5)));
    is_certified(&slides(cube(0.1), hollow.clone(), None));
    is_certified(&slides(hollow, cube(0.1), None));
    is_certified(&slides(
        shifted(cup(0.5, 0.1), [0.0, 0.0, 0.2]),
        cube(0.1),
        None,
    ));
    let inward = turned_round(both(cube(1.0), &turned_round(cube(0.5))));
    is_certified(&slides(cube(0.1), inward, None));
    // Far apart: nothing is asked.
    is_certified(&slides(
        shifted(cube(0.1), [2.0, 0.0, 0.0]),
        cube(0.5),
        None,
    ));
}

/// Catches a ray that decides although it meets an edge, and one that is left out or left over.
#[test]
fn a_ray_through_an_edge_decides_nothing() {
    let beside = shifted(cube(0.1), [0.0, 0.0, 0.011]);
    let question = slides(beside, cup(0.5, 0.1), None);
    let (file, certificate) = is_certified(&question);
    let (end, motion) = (certificate.proof.len() - 3, &certificate.segments);
    let motion = CellMotion::new(&file, motion);
    let pairs = part_pairs(&file);
    let mut counts = [0; 2];
    for number in 0..27 {
        let along = [number % 3, number / 3 % 3, number / 9].map(|x| x as i8 - 1);
        let mut turns = None;
        let answer = none_inside(&motion, &pairs, &[false], 1, &mut |corner| {
            turns = corner.turns(&along);
            Ok(along)
        });
        // Outside is outside, along whatever ray; a ray through a corner or an edge says nothing.
        assert!(matches!(turns, None | Some(0)), "{along:?}: {turns:?}");
        assert_eq!(answer.is_ok(), turns.is_some());
        let mut other = certificate.clone();
        other.proof[end..].copy_from_slice(&along.map(|x| x as u8));
        assert_eq!(valid(&file, &other).is_ok(), turns.is_some(), "{along:?}");
        counts[usize::from(turns.is_some())] += 1;
    }
    // Upright edges of the cup are met along diagonals, and the ray that goes nowhere says nothing.
    assert!(counts[0] > 2 && counts[1] > 8, "{counts:?}");
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut other = certificate.clone();
        change(&mut other.proof);
        valid(&file, &other)
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default()
    };
    assert!(with(&|proof| proof.truncate(end)).contains("ends too early"));
    assert!(with(&|proof| proof.truncate(end + 2)).contains("ends too early"));
    assert!(with(&|proof| proof.extend([1, 2, 3])).contains("goes on after its end"));
}

/// Catches a file that says of an open surface that it closes something round.
#[test]
fn what_is_solid_is_closed() {
    let (checker, _) = slides(cube(0.1), cup(0.5, 0.1), None);
    let bytes = geometry(checker.cell(), checker.trees(), checker.pairs(), 0.0).unwrap();
    let file = Geometry::read(&bytes).unwrap();
    let of = |change: &dyn Fn(&mut BodyPart)| {
        let mut file = file.clone();
        change(&mut file.parts[1]);
        let answer = file.whole();
        answer.err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert_eq!(of(&|_| ()), "");
    for triangle in 0..file.parts[1].triangles.len() {
        let open = of(&|part| part.solid[triangle / 8] ^= 1 << (triangle % 8));
        assert!(open.contains("\"thing\" is not closed"), "{open}");
        let turned = of(&|part| part.triangles[triangle].swap(0, 1));
        assert!(turned.contains("\"thing\" is not closed"), "{turned}");
    }
    // All of them thin: a weaker statement, which says so.
    assert_eq!(of(&|part| part.solid.fill(0)), "");
    // Bits of triangles that are not there.
    let count = file.parts[0].triangles.len();
    let part = format!("part 0 0 8 {count}\n");
    let at = bytes
        .windows(part.len())
        .position(|w| w == part.as_bytes())
        .unwrap();
    let last = at + part.len() + 8 * 24 + count * 12 + count / 8;
    let mut more = bytes.clone();
    more[last] ^= 0x80;
    let said = Geometry::read(&more).unwrap_err().to_string();
    assert!(
        said.contains("a triangle is solid that is not there"),
        "{said}"
    );
}

/// A question with events: a slider, a thing in which it stands, and what is allowed when.
fn with_events(
    events: &[(f64, EventChange)],
    solid: Option<bool>,
    way: [f64; 3],
) -> SceneWithEvents {
    let (checker, _) = slides(cube(0.1), cube(0.5), solid);
    let mut cell = checker.cell().clone();
    let form = Form::Mesh {
        mesh: Arc::new(cube(0.02)),
        file: "made".into(),
    };
    let at = Isometry3::translation(0.0, 2.0, 0.0);
    cell.add_body(Body::obstacle("pin", form, at));
    let at = |time: f64, x: f64| (time, vec![x]);
    let [a, b, c] = way;
    let trajectory = Trajectory::linear(&cell, &[at(0.0, a), at(1.0, b), at(2.0, c)]).unwrap();
    let timeline = Timeline {
        events: (1..)
            .zip(events)
            .map(|(line, (time, change))| Event {
                time: *time,
                change: change.clone(),
                file: "events.toml".into(),
                line,
                program: None,
            })
            .collect(),
    };
    let track = Track {
        trajectory: &trajectory,
        joints: vec![0],
        shift: 0.0,
    };
    let trajectory = Merged::on_one_clock(&cell, &[track], &timeline.cuts()).trajectory;
    SceneWithEvents {
        phases: Schedule::new(&cell, &trajectory, &timeline).unwrap().phases,
        cell,
        clearance: 0.001,
    }
}

fn allow(until: f64) -> EventChange {
    EventChange::Allow {
        a: "slider".into(),
        b: "thing".into(),
        until: Some(until),
        reason: "it goes in".into(),
    }
}

fn attach(at: [f64; 3]) -> EventChange {
    let [x, y, z] = at;
    EventChange::Attach {
        bodies: vec![2],
        link: 0,
        link_from_body: Some(Isometry3::translation(x, y, z)),
        touch: Vec::new(),
    }
}

/// Catches containment that is asked for at the start of the motion only: a body gets inside while
/// its pair is not checked, or is put there.
#[test]
fn what_gets_inside_while_it_is_not_checked_has_no_certificate() {
    let cases = [
        // In through the wall while it is allowed; out again before it is checked; out and in.
        (vec![(0.0, allow(1.0))], [2.0, 0.0, 0.1], false),
        (vec![(0.0, allow(1.0))], [0.0, 2.0, 2.1], true),
        (vec![(0.5, allow(1.9))], [2.0, 1.0, 0.0], false),
        // Put into the thing; put beside it; put into what carries it.
        (
            vec![(1.0, attach([-2.0, 0.0, 0.0]))],
            [2.0, 2.0, 2.1],
            false,
        ),
        (vec![(1.0, attach([0.0, 0.0, 0.2]))], [2.0, 2.0, 2.1], true),
    ];
    let mut handed = 0;
    for (number, (events, way, clear)) in cases.into_iter().enumerate() {
        let scene = with_events(&events, None, way);
        let result = scene.answer();
        let (bytes, made) = events::made(&scene, None);
        if clear {
            assert_eq!(result.verdict, Verdict::Clear, "{number}");
            let file = Geometry::read(&bytes).unwrap();
            let certificate = whole(&made.unwrap(), &file);
            valid(&file, &certificate).unwrap();
            assert!(least_slack(&file, &certificate, 8) > -1e-9);
            // A body that is handed over stays as solid as it was.
            let handed_over = file.bodies.iter().position(|body| body.before.is_some());
            if let Some(body) = handed_over {
                let mut file = file.clone();
                let part = file.parts.iter_mut().find(|part| part.body == body);
                part.unwrap().solid.fill(0);
                let said = file.whole().unwrap_err().to_string();
                assert!(said.contains("other triangles than before"), "{said}");
                handed += 1;
            }
            continue;
        }
        assert_eq!(
            result.first_contact.map(|first| first.kind),
            Some(ContactKind::Inside),
            "{number}"
        );
        assert!(
            matches!(&made, Err(CertifyError::Contradiction(why)) if why.contains("lies inside")),
            "{number}: {made:?}"
        );
        // The proof that surfaces are apart does not do.
        let thin = with_events(&events, Some(false), way);
        let (_, forged) = events::made(&thin, None);
        let file = Geometry::read(&bytes).unwrap();
        let mut forged = whole(&forged.unwrap(), &file);
        for _ in 0..4 {
            assert!(valid(&file, &forged).is_err(), "{number}");
            forged.proof.extend([40, 3, 100]);
        }
    }
    assert_eq!(handed, 1);
}
