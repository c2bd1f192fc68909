use nalgebra::{Isometry3, Vector3};

use super::*;
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;
use crate::model::{Body, Joint, Mimic, PairThreshold};
use crate::report::{Code, Diagnostic};

fn beam(obstacle: Option<Body>) -> Checker {
    let mut cell = Cell::with_one_robot();
    let turn = cell.add_joint(Joint::revolute(
        "turn",
        None,
        Isometry3::identity(),
        Vector3::z_axis(),
    ));
    let form = Form::Box {
        size: Vector3::new(1.0, 0.1, 0.1),
    };
    cell.add_body(Body::link(
        "beam",
        form,
        turn,
        Isometry3::translation(0.5, 0.0, 0.0),
        None,
    ));
    if let Some(body) = obstacle {
        cell.add_body(body);
    }
    Checker::new(cell)
}

fn ball(y: f64) -> Body {
    let form = Form::Sphere { radius: 0.1 };
    Body::obstacle("ball", form, Isometry3::translation(0.0, y, 0.0))
}

/// The beam turns by a quarter: its end is at (0, 1, 0) then, and passes the ball on the way or
/// does not.
#[test]
fn a_cell_made_in_code_is_checked() {
    for (y, verdict) in [(0.8, Verdict::Collision), (1.2, Verdict::Clear)] {
        let checker = beam(Some(ball(y)));
        let trajectory =
            Trajectory::linear(checker.cell(), &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
        let result = checker
            .check(&trajectory, 1e-3, &CheckOptions::default())
            .unwrap();
        assert_eq!(result.verdict, verdict, "{y}");
    }
}

/// Catches budgets and thresholds (NaN, infinite, negative) for which a comparison always says
/// that the bodies are far enough apart.
#[test]
fn budgets_and_thresholds_are_numbers() {
    let checker = beam(Some(ball(1.2)));
    let motion = [(0.0, vec![0.0]), (1.0, vec![1.57])];
    let trajectory = Trajectory::linear(checker.cell(), &motion).unwrap();
    let told = |cell: Cell| {
        let checker = Checker::new(cell);
        let answer = checker.check(&trajectory, 1e-3, &CheckOptions::default());
        let told = [answer.err(), checker.distance(&[0.0], 1e-3).err()];
        told.map(|e| e.map_or(String::new(), |e| e.to_string()))
    };
    let joint = |u: &mut Uncertainty, x| u.joint[0] = x;
    let base = |u: &mut Uncertainty, x| u.base[0].turn_rad = x;
    let mesh = |u: &mut Uncertainty, x| u.mesh[1] = x;
    for bad in [f64::NAN, f64::INFINITY, -1e-3] {
        for set in [joint as fn(&mut Uncertainty, f64), base, mesh] {
            let mut cell = checker.cell().clone();
            let mut budget = Uncertainty::none(&cell);
            set(&mut budget, bad);
            cell.uncertainty = Some(budget);
            let [answer, _] = told(cell);
            assert!(answer.contains("every error"), "{bad}: {answer}");
        }
        let mut cell = checker.cell().clone();
        cell.thresholds.push(PairThreshold {
            a: "beam".into(),
            b: "ball".into(),
            clearance: bad,
            warn: None,
            place: None,
        });
        for told in told(cell) {
            assert!(told.contains("own clearance"), "{bad}: {told}");
        }
    }
}

/// Catches corners, sizes, places and followers for which boxes are too small or comparisons always
/// say that bodies are far enough apart.
#[test]
fn cells_of_numbers_that_are_none_are_refused() {
    let refused = |change: &dyn Fn(&mut Cell)| {
        let mut cell = beam(Some(ball(0.8))).cell().clone();
        change(&mut cell);
        let motion = [(0.0, vec![0.0]), (1.0, vec![1.57])];
        let trajectory = Trajectory::linear(beam(None).cell(), &motion).unwrap();
        let checker = Checker::new(cell);
        let answer = checker.check(&trajectory, 1e-3, &CheckOptions::default());
        answer.is_err() && checker.distance(&[0.0], 1e-3).is_err()
    };
    assert!(!refused(&|_| ()));
    let form = |form: Form| move |cell: &mut Cell| cell.bodies[1].shapes[0].form = form.clone();
    for radius in [f64::NAN, f64::INFINITY, -0.1] {
        assert!(refused(&form(Form::Sphere { radius })));
        assert!(refused(&form(Form::Capsule {
            radius,
            length: 0.1
        })));
        let size = Vector3::new(0.1, radius, 0.1);
        assert!(refused(&form(Form::Box { size })));
    }
    let mut mesh = Mesh::cuboid(&Vector3::repeat(0.2));
    let with = |mesh: &Mesh| {
        form(Form::Mesh {
            mesh: Arc::new(mesh.clone()),
            file: "made in code".into(),
        })
    };
    assert!(!refused(&with(&mesh)));
    mesh.vertices[3].y = f64::NAN;
    assert!(refused(&with(&mesh)));
    mesh.vertices[3].y = 0.1;
    mesh.triangles[2][1] = 8;
    assert!(refused(&with(&mesh)));
    assert!(refused(&|cell| cell.joints[0]
        .parent_from_joint
        .translation
        .x = f64::NAN));
    assert!(refused(&|cell| cell.bodies[1]
        .joint_from_body
        .translation
        .x = f64::NAN));
    let mimic = Mimic {
        source: 0,
        multiplier: 1.0,
        offset: 0.0,
    };
    assert!(refused(&|cell| cell.joints[0].mimic = Some(mimic)));
}

/// A box one face of which has corners of its own, 10⁻⁸ m off, around a small ball: by the
/// triangles alone it is an open shell. Catches seams that are closed for cell files only.
#[test]
fn seams_of_rounding_are_closed() {
    let mut mesh = Mesh::cuboid(&Vector3::repeat(1.0));
    let is_top = |t: &[u32; 3], mesh: &Mesh| t.iter().all(|&v| mesh.vertices[v as usize].z > 0.0);
    let shift = Vector3::new(0.0, 0.0, 1e-8);
    for k in 0..mesh.triangles.len() {
        if is_top(&mesh.triangles[k], &mesh) {
            for corner in 0..3 {
                let point = mesh.vertices[mesh.triangles[k][corner] as usize] + shift;
                mesh.vertices.push(point);
                mesh.triangles[k][corner] = mesh.vertices.len() as u32 - 1;
            }
        }
    }
    let form = Form::Mesh {
        mesh: Arc::new(mesh),
        file: "made in code".into(),
    };
    let box_around = Body::obstacle("box", form, Isometry3::translation(0.9, 0.0, 0.0));
    let mut cell = Cell::with_one_robot();
    let turn = Joint::revolute("turn", None, Isometry3::identity(), Vector3::z_axis());
    let turn = cell.add_joint(turn);
    let small = Form::Sphere { radius: 0.05 };
    let at = Isometry3::translation(0.9, 0.0, 0.0);
    cell.add_body(Body::link("small", small, turn, at, None));
    cell.add_body(box_around);
    let checker = Checker::new(cell);
    let motion = [(0.0, vec![0.0]), (1.0, vec![0.1])];
    let trajectory = Trajectory::linear(checker.cell(), &motion).unwrap();
    let result = checker.check(&trajectory, 1e-3, &CheckOptions::default());
    assert_eq!(result.unwrap().verdict, Verdict::Collision);
}

/// A box without its lid that is called solid, and a beam that turns into it through the hole
/// only: it touches no wall, and is outside when containment is asked. Catches holes that stay
/// open, also where no two triangles share a corner.
#[test]
fn holes_of_solid_bodies_are_closed() {
    let mut open = Mesh::cuboid(&Vector3::new(0.4, 0.6, 0.4));
    // The side towards the beam.
    let lid = |t: &[u32; 3]| t.iter().all(|&v| open.vertices[v as usize].y < 0.0);
    let walls: Vec<[u32; 3]> = open.triangles.iter().copied().filter(|t| !lid(t)).collect();
    assert_eq!(walls.len(), 10);
    open.triangles = walls;
    let two_pieces = Mesh {
        vertices: (open.triangles.iter().flatten())
            .map(|&v| open.vertices[v as usize])
            .collect(),
        triangles: (0..10).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
    };
    for mesh in [open, two_pieces] {
        for (solid, verdict) in [(Some(true), Verdict::Collision), (None, Verdict::Clear)] {
            let form = Form::Mesh {
                mesh: Arc::new(mesh.clone()),
                file: "made in code".into(),
            };
            let pose = Isometry3::translation(0.66, 0.9, 0.0);
            let mut body = Body::obstacle("housing", form, pose);
            body.shapes[0].solid = solid;
            let checker = beam(Some(body));
            let motion = [(0.0, vec![0.0]), (1.0, vec![0.75])];
            let trajectory = Trajectory::linear(checker.cell(), &motion).unwrap();
            let result = checker.check(&trajectory, 1e-3, &CheckOptions::default());
            assert_eq!(result.unwrap().verdict, verdict, "{solid:?}");
        }
    }
}

/// A ball on an arm that turns past a wall, which it comes nearest to on the way: `beyond`
/// metres more than the threshold. The elbow in the middle of the arm turns by `elbow` times as
/// much.
fn passes(beyond: f64, turn: [f64; 2], elbow: f64, resolution: f64) -> Verdict {
    let (arm, radius, clearance) = (0.7, 0.1, 1e-3);
    let mut cell = Cell::with_one_robot();
    let joint = Joint::revolute("turn", None, Isometry3::identity(), Vector3::z_axis());
    let joint = cell.add_joint(joint);
    let half = Isometry3::translation(0.5 * arm, 0.0, 0.0);
    let fold = Joint::revolute("elbow", Some(joint), half, Vector3::z_axis());
    let fold = cell.add_joint(fold);
    let form = Form::Sphere { radius };
    cell.add_body(Body::link("ball", form, fold, half, None));
    let form = Form::Box {
        size: Vector3::new(0.2, 4.0, 0.4),
    };
    let wall = arm + radius + clearance + beyond;
    let pose = Isometry3::translation(wall + 0.1, 0.0, 0.0);
    cell.add_body(Body::obstacle("wall", form, pose));
    let checker = Checker::new(cell);
    let [from, to] = turn.map(|turn| vec![turn, elbow * turn]);
    let motion = [(0.0, from), (1.0, to)];
    let trajectory = Trajectory::linear(checker.cell(), &motion).unwrap();
    let options = CheckOptions {
        resolution,
        ..CheckOptions::default()
    };
    checker
        .check(&trajectory, clearance, &options)
        .unwrap()
        .verdict
}

/// A coarse resolution ε, as docs/guarantee.md describes it: beyond D + ε it is clear, by ε/8
/// and more below D a collision, and nothing below D is ever clear. Catches an end of
/// refinement that decides for clear, or gives up too early.
#[test]
fn a_coarse_resolution_decides_what_lies_beyond_it() {
    let mut r = Random(143);
    let mut undecided = 0;
    for case in 0..400 {
        let resolution = r.spread(1e-6, 2e-2);
        let beyond = match case % 4 {
            0 => resolution * (1.0 + r.unit()),
            1 => resolution * (r.unit() - 0.25),
            2 => resolution * r.spread(1e-8, 1.0),
            _ => -resolution * (0.126 + r.unit()),
        };
        let turn = [-0.1 - r.unit(), 0.1 + r.unit()];
        let elbow = [0.0, -2.0][r.below(2)];
        let verdict = passes(beyond, turn, elbow, resolution);
        let case = format!("{beyond:e} of {resolution:e}, {turn:?}, elbow {elbow}");
        match beyond / resolution {
            1.0.. => assert_eq!(verdict, Verdict::Clear, "{case}"),
            ..=-0.125 => assert_eq!(verdict, Verdict::Collision, "{case}"),
            x => assert!(x > 0.0 || verdict != Verdict::Clear, "{case}"),
        }
        undecided += usize::from(verdict == Verdict::Undecided);
    }
    assert!(undecided > 0);
    let turn = [-0.61, 0.83];
    // With a stiff elbow the ball moves on one arc, and the bound is nearly exact. With a
    // folding elbow its path is far less curved than the bound allows for.
    assert_eq!(passes(1e-9, turn, 0.0, 1e-3), Verdict::Clear);
    for (beyond, coarse, fine) in [(1e-5, 1e-3, 1e-4), (1e-7, 1e-4, 1e-6)] {
        let verdicts = [coarse, fine].map(|e| passes(beyond, turn, -2.0, e));
        assert_eq!(verdicts, [Verdict::Undecided, Verdict::Clear]);
    }
}

/// A square across x about the origin, of `count` times `count` squares of two triangles.
fn grid(count: u32, edge: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let at = |k: u32| edge * (f64::from(k) / f64::from(count) - 0.5);
    for (i, k) in (0..=count).flat_map(|i| (0..=count).map(move |k| (i, k))) {
        mesh.vertices.push(Vector3::new(0.0, at(i), at(k)).into());
    }
    let row = count + 1;
    for first in (0..count).flat_map(|i| (0..count).map(move |k| i * row + k)) {
        mesh.triangles.push([first, first + row, first + row + 1]);
        mesh.triangles.push([first, first + row + 1, first + 1]);
    }
    mesh
}

/// Catches errors in the test of many nodes, which only shows where long arms pass large walls of
/// many triangles: a block on an arm turns past such a wall, and one of its corners comes nearest.
#[test]
fn no_corner_on_a_long_arm_passes_through_a_wall() {
    let mut r = Random(144);
    let (mut clear, mut near) = (0, 0);
    for case in 0..150 {
        let arm = r.spread(0.5, 50.0);
        let edge = arm * r.spread(0.001, 0.1);
        let mut cell = Cell::with_one_robot();
        let joint = Joint::revolute("turn", None, Isometry3::identity(), Vector3::z_axis());
        let joint = cell.add_joint(joint);
        let mesh = |mesh: Mesh| Form::Mesh {
            mesh: mesh.into(),
            file: "mesh.stl".into(),
        };
        let block = mesh(Mesh::cuboid(&Vector3::repeat(edge)));
        let pose = Isometry3::translation(arm, 0.0, 0.0);
        cell.add_body(Body::link("block", block, joint, pose, None));
        // The corner that comes nearest to the wall is at this angle behind the arm.
        let corner = Vector3::new(arm + edge / 2.0, edge / 2.0, 0.0);
        let (reach, behind) = (corner.norm(), (corner.y / corner.x).atan());
        let clearance = arm * r.spread(1e-5, 1e-2);
        let beyond = clearance * [-0.3, -1e-3, 1e-3, 0.3][case % 4];
        let wall = mesh(grid(30, 3.0 * arm));
        let pose = Isometry3::translation(reach + clearance + beyond, 0.0, 0.0);
        cell.add_body(Body::obstacle("wall", wall, pose));
        let checker = Checker::new(cell);
        let turn = [-behind - r.spread(1e-3, 1.0), -behind + r.spread(1e-3, 1.0)];
        let motion = [(0.0, vec![turn[0]]), (1.0, vec![turn[1]])];
        let trajectory = Trajectory::linear(checker.cell(), &motion).unwrap();
        let options = CheckOptions {
            resolution: 1e-4 * clearance,
            ..CheckOptions::default()
        };
        let result = checker.check(&trajectory, clearance, &options).unwrap();
        let told = format!("case {case}: {arm} {edge} {beyond:e} {turn:?}");
        if beyond < 0.0 {
            assert_eq!(result.verdict, Verdict::Collision, "{told}");
            near += 1;
        } else {
            assert_eq!(result.verdict, Verdict::Clear, "{told}");
            clear += 1;
        }
    }
    assert!(clear > 50 && near > 50);
}

#[test]
fn nothing_to_compare_is_never_clear() {
    let checker = beam(None);
    let trajectory =
        Trajectory::linear(checker.cell(), &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
    let result = checker
        .check(&trajectory, 1e-3, &CheckOptions::default())
        .unwrap();
    assert_eq!(result.verdict, Verdict::Unverified);
}

#[test]
fn distances_at_an_instant() {
    let checker = beam(Some(ball(1.2)));
    let nearest = checker
        .distance(&[std::f64::consts::FRAC_PI_2], 1e-3)
        .unwrap()
        .nearest;
    let distance = nearest.unwrap().nearest.distance;
    assert!((distance - 0.1).abs() < 1e-9, "{distance}");
    let hit = checker.distance(&[0.0], 1.2).unwrap().contacts;
    assert_eq!(hit.len(), 1);
}

#[test]
fn waypoints_that_go_back_in_time_are_refused() {
    let checker = beam(None);
    let back = [(0.0, vec![0.0]), (0.0, vec![1.0])];
    let error = Trajectory::linear(checker.cell(), &back).unwrap_err();
    assert!(
        matches!(error, ProofError::Program { line: Some(2), .. }),
        "{error}"
    );
    assert!(Trajectory::linear(checker.cell(), &[(0.0, vec![])]).is_err());
}

#[test]
fn what_the_cell_leaves_open_is_never_clear() {
    let mut cell = beam(Some(ball(1.2))).cell;
    cell.unchecked.push(Diagnostic {
        code: Code::UncheckedLink,
        place: None,
        severity: Severity::Open,
        subject: "camera".to_owned(),
        message: "moves and has no collision geometry".to_owned(),
    });
    let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
    let result = Checker::new(cell).check(&trajectory, 1e-3, &CheckOptions::default());
    assert_eq!(result.unwrap().verdict, Verdict::Unverified);
}

#[test]
fn questions_without_a_meaning_are_refused() {
    let checker = beam(Some(ball(1.2)));
    let trajectory =
        Trajectory::linear(checker.cell(), &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
    let options = CheckOptions::default();
    for clearance in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(checker.check(&trajectory, clearance, &options).is_err());
        assert!(checker.distance(&[0.0], clearance).is_err());
    }
    for resolution in [f64::NAN, 0.0] {
        let options = CheckOptions {
            resolution,
            ..options
        };
        assert!(checker.check(&trajectory, 0.0, &options).is_err());
    }
    let mut other = trajectory.clone();
    other.segments[0].joints = Polynomials::default();
    assert!(checker.check(&other, 0.0, &options).is_err());
    other.segments.clear();
    assert!(checker.check(&other, 0.0, &options).is_err());
    assert!(checker.distance(&[], 0.0).is_err());
    assert!(checker.distance(&[f64::NAN], 0.0).is_err());
}
