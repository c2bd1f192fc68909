//! `asserted/`: outcomes that the tests of other projects assert.

use std::path::Path;

use clearance::findings::{ProgramOutcome, Verdict};
use clearance_proof::geometry::mesh::Mesh;
use serde_json::Value;

use super::door::{CellFile, JobOptions, PLAIN, pose};
use super::{joints, json_files, number, read_json, text, triple};
use crate::common::real_data;

/// A carrier that slides along x, y and z: what hangs on it is a body that moves.
const CARRIER: &str = r#"<robot name="carrier">
  <link name="base"/> <link name="at_x"/> <link name="at_y"/> <link name="carrier"/>
  <joint name="x" type="prismatic">
    <parent link="base"/> <child link="at_x"/> <axis xyz="1 0 0"/>
    <limit lower="-100" upper="100" effort="1" velocity="1000"/>
  </joint>
  <joint name="y" type="prismatic">
    <parent link="at_x"/> <child link="at_y"/> <axis xyz="0 1 0"/>
    <limit lower="-100" upper="100" effort="1" velocity="1000"/>
  </joint>
  <joint name="z" type="prismatic">
    <parent link="at_y"/> <child link="carrier"/> <axis xyz="0 0 1"/>
    <limit lower="-100" upper="100" effort="1" velocity="1000"/>
  </joint>
</robot>"#;

/// `a` on the carrier, `b` in the world; their poses are given as lines of a cell file.
fn pair(folder: &Path, case: &Value, pose_a: &str, pose_b: &str) -> CellFile {
    let mut file = CellFile::new();
    let urdf = file.beside("carrier.urdf", CARRIER);
    file.line(&format!("[[robot]]\nurdf = {urdf:?}"));
    file.line("[[attach]]\nname = \"a\"\nparent = \"carrier\"");
    let form = file.form(&case["a"]["shape"], folder);
    file.line(&form);
    file.line(pose_a);
    file.line("[[obstacle]]\nname = \"b\"");
    let form = file.form(&case["b"]["shape"], folder);
    file.line(&form);
    file.line(pose_b);
    file
}

fn slides() -> Vec<String> {
    ["x", "y", "z"].map(String::from).to_vec()
}

/// The cases of a kind.
fn cases(folder: &Path, kind: &str) -> Vec<Value> {
    json_files(folder)
        .iter()
        .map(|file| read_json(file))
        .filter(|case| text(&case["kind"]) == kind)
        .collect()
}

/// Holds a still configuration to what is asserted: clear or not; and clear up to the distance,
/// contact from it on.
fn holds(id: &str, expected: &Value, ask: impl Fn(JobOptions) -> ProgramOutcome) {
    let collides = expected["collision"].as_bool().unwrap();
    let answer = ask(PLAIN);
    let verdict = if collides {
        Verdict::Collision
    } else {
        Verdict::Clear
    };
    assert_eq!(answer.verdict, verdict, "{id}: {:?}", answer.first_contact);
    let (false, Some(distance)) = (collides, expected["distance"].as_f64()) else {
        return;
    };
    let tolerance = number(&expected["tolerance"]);
    let resolution = tolerance / 10.0;
    let at = |clearance| {
        ask(JobOptions {
            clearance,
            resolution,
            ..PLAIN
        })
    };
    let below = at(distance - tolerance);
    assert_eq!(
        below.verdict,
        Verdict::Clear,
        "{id}: {:?}",
        below.first_contact
    );
    let above = at(distance + tolerance);
    let contact = above
        .first_contact
        .unwrap_or_else(|| panic!("{id}: {:?}", above.verdict));
    assert_eq!(above.verdict, Verdict::Collision, "{id}");
    assert!(
        (contact.distance - distance).abs() <= tolerance,
        "{id}: {}",
        contact.distance
    );
    if let Some(nearest) = expected["nearest"].as_array() {
        for (ours, theirs) in [contact.point_a, contact.point_b].iter().zip(nearest) {
            let theirs = triple(theirs);
            let distance = (0..3)
                .map(|k| (ours[k] - theirs[k]).abs())
                .fold(0.0, f64::max);
            assert!(distance <= tolerance, "{id}: {ours:?}, not {theirs:?}");
        }
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn no_case_is_of_an_unknown_kind() {
    let data = real_data();
    let folder = data.join("asserted");
    let known = ["pair", "pair_sweep", "robot_state", "robot_trajectory"];
    let counts = known.map(|kind| cases(&folder, kind).len());
    assert_eq!(counts.iter().sum::<usize>(), json_files(&folder).len());
    assert!(counts.iter().all(|&n| n > 0), "{counts:?}");
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn pairs_of_shapes() {
    let data = real_data();
    let folder = data.join("asserted");
    let mut wrong = Vec::new();
    for case in cases(&folder, "pair") {
        let id = text(&case["id"]).to_owned();
        let judged = std::panic::catch_unwind(|| {
            let mut file = pair(&folder, &case, &pose(&case["a"]), &pose(&case["b"]));
            let program = file.program(&slides(), &[vec![0.0; 3]]);
            holds(&id, &case["expected"], |options| {
                file.ask(&program, options)
            });
        });
        if judged.is_err() {
            wrong.push(id);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The variant on convex hulls asserts the same as the one on meshes: the mesh is its own hull.
#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn the_hull_case_is_about_a_convex_mesh() {
    let data = real_data();
    let folder = data.join("asserted");
    let case = read_json(&folder.join("tess_hull_mesh_sphere_x.json"));
    let file = folder.join(text(&case["a"]["shape"]["file"]));
    let mesh: Mesh = clearance_formats::mesh::load(&file, nalgebra::Vector3::repeat(1.0))
        .unwrap()
        .mesh;
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t);
        let Some(normal) = (b - a).cross(&(c - a)).try_normalize(1e-12) else {
            continue;
        };
        let sides = mesh.vertices.iter().map(|v| normal.dot(&(v - a)));
        let (low, high) = sides.fold((0.0_f64, 0.0_f64), |(l, h), s| (l.min(s), h.max(s)));
        assert!(low.abs().min(high) < 1e-6, "triangle {t}: {low} … {high}");
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn pairs_in_motion() {
    let data = real_data();
    let folder = data.join("asserted");
    for case in cases(&folder, "pair_sweep") {
        let id = text(&case["id"]);
        let offset = |body: &Value| {
            assert_eq!(body["start"]["quat_xyzw"], serde_json::json!([0, 0, 0, 1]));
            assert_eq!(body["end"]["quat_xyzw"], body["start"]["quat_xyzw"]);
            format!("pose = {{ xyz = {} }}", body["shape_offset"])
        };
        assert_eq!(case["b"]["start"]["xyz"], serde_json::json!([0, 0, 0]));
        assert_eq!(case["b"]["end"]["xyz"], case["b"]["start"]["xyz"]);
        let mut file = pair(&folder, &case, &offset(&case["a"]), &offset(&case["b"]));
        let rows = ["start", "end"].map(|at| triple(&case["a"][at]["xyz"]).to_vec());
        let program = file.program(&slides(), &rows);
        let answer = file.ask(&program, JobOptions { all: true, ..PLAIN });
        assert_eq!(
            answer.verdict == Verdict::Collision,
            case["expected"]["collision"].as_bool().unwrap(),
            "{id}"
        );
        // Both are boxes that move along straight lines: the instants of first and last contact are
        // known exactly. Their deepest point is where upstream finds contact.
        let contact = answer.first_contact.unwrap();
        let (first, last) = (0.775 / 3.8, 1.125 / 3.8);
        assert!(
            contact.free_until <= first && first <= contact.time,
            "{id}: {contact:?}"
        );
        assert!(
            contact.time - contact.free_until < 1e-4,
            "{id}: {contact:?}"
        );
        assert_eq!(answer.contacts.len(), 1, "{id}: {:?}", answer.contacts);
        let until = answer.contacts[0].until.unwrap();
        assert!((last..last + 1e-4).contains(&until), "{id}: {until}");
        let theirs = number(&case["expected"]["cast_cc_time"]);
        assert!((contact.free_until..until).contains(&theirs), "{id}");
    }
}

fn robot_in_world(data: &Path, case: &Value) -> CellFile {
    let mut file = CellFile::robot(data, text(&case["robot"]), &[]);
    assert_eq!(text(&case["allowed_pairs"]), "srdf");
    file.obstacles(&case["world"], data);
    file
}

/// Only pairs with the world, or only pairs of links: the others are allowed.
fn only(file: &mut CellFile, case: &Value) {
    match text(&case["check"]) {
        "world" => file.allow("panda_*", "panda_*"),
        "self" => file.allow("panda_*", "world::*"),
        other => panic!("check what? {other}"),
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn robot_states() {
    let data = real_data();
    for case in cases(&data.join("asserted"), "robot_state") {
        let id = text(&case["id"]);
        let mut file = robot_in_world(&data, &case);
        only(&mut file, &case);
        let program = file.state(&joints(&case["joints"]));
        holds(id, &case["expected"], |options| file.ask(&program, options));
        // Beyond what upstream asserts: the nearest pair, and its distance to the reference's six
        // decimals.
        if case["expected"]["collision"].as_bool().unwrap() {
            continue;
        }
        let oracle = &case["oracle"];
        let (distance, pair) = (number(&oracle["min_distance"]), &oracle["min_pair"]);
        let contact = file.comes_near(&program, [text(&pair[0]), text(&pair[1])], distance, 1e-6);
        assert!(
            (contact.distance - distance).abs() <= 1e-6,
            "{id}: {contact:?}"
        );
        let nearer = file.ask(
            &program,
            JobOptions {
                clearance: distance - 1e-6,
                resolution: 1e-7,
                ..PLAIN
            },
        );
        assert_eq!(
            nearer.verdict,
            Verdict::Clear,
            "{id}: {:?}",
            nearer.first_contact
        );
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn robot_trajectories() {
    let data = real_data();
    for case in cases(&data.join("asserted"), "robot_trajectory") {
        let id = text(&case["id"]);
        let mut file = robot_in_world(&data, &case);
        // In an empty world pairs of links are all that there is: without them nothing would be
        // checked.
        if case["world"].as_array().is_some_and(|w| !w.is_empty()) {
            only(&mut file, &case);
        }
        let waypoints: Vec<_> = case["waypoints"]
            .as_array()
            .unwrap()
            .iter()
            .map(joints)
            .collect();
        let names: Vec<String> = waypoints[0].iter().map(|(n, _)| n.clone()).collect();
        let rows: Vec<Vec<f64>> = waypoints
            .iter()
            .map(|w| w.iter().map(|(_, v)| *v).collect())
            .collect();
        let program = file.program(&names, &rows);
        let answer = file.ask(&program, PLAIN);
        if !case["expected"]["collision"].as_bool().unwrap() {
            assert_eq!(answer.verdict, Verdict::Clear, "{id}");
            continue;
        }
        assert_eq!(answer.verdict, Verdict::Collision, "{id}");
        let contact = answer.first_contact.unwrap();
        let oracle = &case["oracle"]["first_collision"];
        assert_eq!(
            contact.segment as u64,
            oracle["segment"].as_u64().unwrap(),
            "{id}"
        );
        // Sampled in steps of about 0.006: it began no later, and no earlier than the sample
        // before.
        let theirs = number(&oracle["fraction"]);
        assert!(
            (theirs - 0.02..=theirs).contains(&contact.fraction),
            "{id}: {contact:?}"
        );
        assert_eq!(
            [&contact.a, &contact.b],
            [text(&oracle["pairs"][0][0]), text(&oracle["pairs"][0][1])],
            "{id}"
        );
    }
}
