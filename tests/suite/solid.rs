//! Bodies inside other bodies, from a cell file to an answer: holes that are closed, bodies in
//! bodies, and for how long.

use std::fmt::Write as _;
use std::path::PathBuf;

use clearance::findings::{Contact, ContactKind, Outcome, ProgramOutcome, Verdict};
use clearance::run::{CacheFolder, Job, MinimumScope, NoProgress, RobotProgram, run};
use clearance_formats::{LoadOptions, load_cell};
use clearance_methods::backends::BackendKind;
use clearance_methods::{Method, TimeMethod};
use clearance_proof::bvh::SphereTree;
use clearance_proof::model::Form;
use tempfile::TempDir;

use crate::common::real_data;

/// A slide along z that carries a block.
fn slide(size: f64) -> String {
    format!(
        r#"<robot name="slide"><link name="base"/><link name="block"><collision><geometry><box size="{size} {size} {size}"/></geometry></collision></link>
           <joint name="z" type="prismatic"><parent link="base"/><child link="block"/><axis xyz="0 0 1"/>
           <limit lower="-9" upper="9" velocity="99" effort="1"/></joint></robot>"#
    )
}

/// A box of 1 m as an STL file, with its lid or without.
fn stl(lid: bool, shift: [f64; 3], size: f64) -> String {
    let h = 0.5 * size;
    let corner = |k: usize| [0, 1, 2].map(|i| shift[i] + if k >> i & 1 == 1 { h } else { -h });
    let mut faces = vec![
        [0, 2, 3],
        [0, 3, 1],
        [0, 1, 5],
        [0, 5, 4],
        [1, 3, 7],
        [1, 7, 5],
        [3, 2, 6],
        [3, 6, 7],
        [2, 0, 4],
        [2, 4, 6],
    ];
    if lid {
        faces.extend([[4, 5, 7], [4, 7, 6]]);
    }
    let mut text = String::new();
    for face in faces {
        text += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in face.map(corner) {
            writeln!(text, "vertex {x} {y} {z}").unwrap();
        }
        text += "endloop\nendfacet\n";
    }
    text
}

/// A folder with a slide, a mesh `box.stl` and a cell.
struct Lab(TempDir);

impl Lab {
    fn new(block: f64, mesh: &str, cell: &str) -> Self {
        let lab = Lab(tempfile::tempdir().unwrap());
        lab.write("slide.urdf", &slide(block));
        lab.write("box.stl", &format!("solid box\n{mesh}endsolid box\n"));
        lab.write(
            "cell.toml",
            &format!("[[robot]]\nurdf = \"slide.urdf\"\n{cell}"),
        );
        lab
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    }

    /// Heights, one a second.
    fn program(&self, heights: &[f64]) -> PathBuf {
        let mut text = "time,z\n".to_owned();
        for (k, z) in heights.iter().enumerate() {
            writeln!(text, "{k},{z}").unwrap();
        }
        self.write("program.csv", &text)
    }

    fn run(&self, heights: &[f64], change: impl FnOnce(&mut Job)) -> Outcome {
        let mut job = Job::new(self.0.path().join("cell.toml"), vec![self.program(heights)]);
        job.cell.cache = CacheFolder::Off;
        job.cell.threads = Some(1);
        change(&mut job);
        run(&job, &NoProgress)
    }

    fn ask(&self, heights: &[f64], change: impl FnOnce(&mut Job)) -> ProgramOutcome {
        self.run(heights, change).programs.swap_remove(0)
    }
}

const OPEN_BOX: &str = "[[obstacle]]\nname = \"bin\"\nmesh = \"box.stl\"\nsolid = true\n";

/// All methods that answer in every cell.
fn methods() -> Vec<Method> {
    let mut methods = vec![Method {
        time: TimeMethod::Intersection,
        ..Method::default()
    }];
    for shape in [
        BackendKind::SphereTree,
        BackendKind::Greedy,
        BackendKind::Octree,
        BackendKind::Grid,
        BackendKind::Raw,
    ] {
        for method in [
            TimeMethod::Bisection,
            TimeMethod::Sampling(Default::default()),
        ] {
            methods.push(Method {
                time: method,
                backend: shape,
                ..Method::default()
            });
        }
    }
    methods
}

/// The scene of the hole: a peg comes down through it, touches no wall, and goes up again.
#[test]
fn what_enters_a_solid_through_a_hole_is_seen() {
    let lab = Lab::new(0.2, &stl(false, [0.0; 3], 1.0), OPEN_BOX);
    let way_down = [1.0, 0.0, 1.0];
    let plain = lab.ask(&way_down, |_| ());
    let first = plain.first_contact.expect("it meets the hole");
    assert_eq!(
        (plain.verdict, first.kind),
        (Verdict::Collision, ContactKind::Contact)
    );
    // Its lower side comes to 0.5 m.
    assert!((first.time - 0.4).abs() < 1e-3, "{first:?}");
    let all = lab.ask(&way_down, |job| {
        job.all = true;
        job.minimum = Some(MinimumScope::Classes);
        job.warn = Some(0.05);
    });
    let least = all.minimum_clearance.expect("a least clearance");
    assert_eq!((least.distance, least.lower_bound), (0.0, 0.0));
    // From 50 mm above the lid until there again, also while it is far from all walls.
    let [near] = &all.near_misses[..] else {
        panic!("{:?}", all.near_misses);
    };
    assert!((near.entered - 0.35).abs() < 0.01 && (near.left - 1.65).abs() < 0.01);
    assert_eq!(near.distance, 0.0);
    assert!(near.entered <= near.time && near.time <= near.left);
    // Through the lid, inside, and out again.
    let kinds: Vec<_> = all.contacts.iter().map(|c| c.kind).collect();
    let [contact, inside] = [ContactKind::Contact, ContactKind::Inside];
    assert_eq!(kinds, [contact, inside, contact]);
    for method in methods() {
        let found = lab.ask(&way_down, |job| job.method = method);
        assert_ne!(found.verdict, Verdict::Clear, "{method}");
        assert_eq!(
            found.verdict,
            Verdict::Collision,
            "{method}: {:?}",
            found.error
        );
    }
    // It is not solid unless that is said.
    for (cell, verdict) in [
        (OPEN_BOX.replace("solid = true", ""), Verdict::Clear),
        (OPEN_BOX.replace("true", "false"), Verdict::Clear),
    ] {
        let lab = Lab::new(0.2, &stl(false, [0.0; 3], 1.0), &cell);
        assert_eq!(lab.ask(&way_down, |_| ()).verdict, verdict);
    }
}

/// Whoever calls an open mesh solid is told what was closed.
#[test]
fn what_was_closed_is_said() {
    let lab = Lab::new(0.2, &stl(false, [0.0; 3], 1.0), OPEN_BOX);
    let outcome = lab.run(&[1.0, 0.8], |_| ());
    assert_eq!(outcome.programs[0].verdict, Verdict::Clear);
    let note = outcome
        .notes
        .iter()
        .find(|n| n.subject == "bin")
        .expect("a note");
    assert!(
        note.message.contains("1 hole, at most 1414.2") && note.message.contains("4 triangles"),
        "{note:?}"
    );
    let closed = Lab::new(0.2, &stl(true, [0.0; 3], 1.0), OPEN_BOX);
    assert!(
        closed
            .run(&[1.0, 0.8], |_| ())
            .notes
            .iter()
            .all(|n| n.subject != "bin")
    );
}

/// An allowed pair and any delay: the hole is a surface there too.
#[test]
fn solid_counts_for_allowed_pairs_and_delays() {
    let allow = format!("{OPEN_BOX}[[allow]]\na = \"block\"\nb = \"bin\"\n");
    let lab = Lab::new(0.2, &stl(false, [0.0; 3], 1.0), &allow);
    let outcome = lab.run(&[1.0, 0.0, 1.0], |job| job.audit_allowed = true);
    let text = serde_json::to_string(&outcome).unwrap();
    assert!(
        text.contains("\"encounters\"")
            || text.contains("\"inside\"")
            || text.contains("\"contact\""),
        "{text}"
    );

    let lab = Lab::new(0.2, &stl(false, [0.0; 3], 1.0), "");
    lab.write(
        "cell.toml",
        "[[robot]]\nname = \"peg\"\nurdf = \"slide.urdf\"\n[[robot]]\nname = \"bin\"\nurdf = \"slide.urdf\"\nbase = { xyz = [9, 0, 0] }\n\
         [[attach]]\nname = \"tub\"\nparent = \"bin/block\"\nmesh = \"box.stl\"\nsolid = true\npose = { xyz = [-9, 0, 0] }\n",
    );
    let programs = [
        ("peg", "down.csv", "time,z\n0,1.5\n1,0\n2,1.5\n"),
        ("bin", "still.csv", "time,z\n0,0\n1,0.1\n2,0\n"),
    ];
    let programs = programs.map(|(robot, file, text)| RobotProgram {
        robot: Some(robot.into()),
        ..RobotProgram::alone(&lab.write(file, text))
    });
    let mut job = Job::new(lab.0.path().join("cell.toml"), Vec::new());
    job.cell.cache = CacheFolder::Off;
    job.together = programs.to_vec();
    job.any_delay = Some(0.2);
    let outcome = run(&job, &NoProgress);
    assert_eq!(
        outcome.programs[0].verdict,
        Verdict::Collision,
        "{:?}",
        outcome.programs[0].error
    );
}

fn interval(contact: &Contact) -> (ContactKind, f64, f64) {
    (
        contact.kind,
        contact.free_until,
        contact.until.expect("an end"),
    )
}

/// A block in a closed box: inside until it comes to the wall, and again once it has left it.
#[test]
fn a_body_that_is_inside_is_so_until_it_meets_the_wall() {
    let lab = Lab::new(0.2, &stl(true, [0.0; 3], 1.0), OPEN_BOX);
    let near = |x: f64, y: f64| (x - y).abs() < 1e-3;
    let all = lab.ask(&[0.0, 0.6, 0.0, 1.0], |job| job.all = true);
    let found: Vec<_> = all.contacts.iter().map(interval).collect();
    let [inside, contact] = [ContactKind::Inside, ContactKind::Contact];
    let expected = [
        (inside, 0.0, 0.4 / 0.6),
        (contact, 0.4 / 0.6, 2.0 - 0.4 / 0.6),
        (inside, 2.0 - 0.4 / 0.6, 2.4),
        (contact, 2.4, 2.6),
    ];
    assert_eq!(found.len(), 4, "{found:?}");
    for (x, y) in found.iter().zip(&expected) {
        assert!(
            x.0 == y.0 && near(x.1, y.1) && near(x.2, y.2),
            "{x:?} is not {y:?}"
        );
    }
    let near_misses = lab.ask(&[0.0, 0.6, 0.0, 1.0], |job| job.warn = Some(0.05));
    let [miss] = &near_misses.near_misses[..] else {
        panic!("{:?}", near_misses.near_misses);
    };
    assert_eq!((miss.entered, miss.time, miss.distance), (0.0, 0.0, 0.0));
    assert!(near(miss.left, 2.65), "{miss:?}");
    // Inside all the time, over several segments.
    let heights = [0.0, 0.2, -0.2, 0.1, 0.0];
    for method in methods() {
        let all = method.time != TimeMethod::Intersection;
        let found = lab.ask(&heights, |job| {
            job.method = method;
            job.all = all;
        });
        let first = found.first_contact.expect("it is inside");
        assert_eq!(
            (found.verdict, first.kind, first.distance),
            (Verdict::Collision, inside, 0.0),
            "{method}"
        );
        if all {
            let found: Vec<_> = found.contacts.iter().map(interval).collect();
            assert_eq!(found, [(inside, 0.0, 4.0)], "{method}");
        }
    }
    let least = lab.ask(&heights, |job| job.minimum = Some(MinimumScope::Classes));
    assert_eq!(least.minimum_clearance.map(|m| m.distance), Some(0.0));
}

/// The other way round: what stands is inside of what moves.
#[test]
fn a_standing_body_inside_a_moving_solid_is_seen() {
    let lab = Lab::new(1.0, &stl(true, [0.0; 3], 0.2), OPEN_BOX);
    for method in methods() {
        let found = lab.ask(&[0.0, 0.2, -0.2], |job| job.method = method);
        let first = found.first_contact.expect("it is inside");
        assert_eq!(
            (found.verdict, first.kind),
            (Verdict::Collision, ContactKind::Inside),
            "{method}"
        );
    }
    assert_eq!(lab.ask(&[2.0, 2.2], |_| ()).verdict, Verdict::Clear);
}

/// One mesh of two pieces: the first is far away, the second is inside.
#[test]
fn every_piece_of_a_body_is_asked_for() {
    for far in [[5.0, 0.0, 0.0], [-5.0, 3.0, 1.0]] {
        let mesh = stl(true, far, 0.2) + &stl(true, [0.0; 3], 0.2);
        let mirrored = stl(true, [0.0; 3], 0.2) + &stl(true, far, 0.2);
        for mesh in [mesh, mirrored] {
            let lab = Lab::new(1.0, &mesh, OPEN_BOX);
            for method in methods() {
                let found = lab.ask(&[0.0, 0.2, -0.2], |job| job.method = method);
                let first = found.first_contact.expect("a piece is inside");
                assert_eq!(
                    (found.verdict, first.kind),
                    (Verdict::Collision, ContactKind::Inside),
                    "{method}"
                );
            }
        }
    }
}

/// A sampler's intervals lie between the samples that saw nothing.
#[test]
fn a_samplers_interval_is_bounded_by_the_samples_around_it() {
    let lab = Lab::new(0.2, &stl(true, [0.0; 3], 1.0), OPEN_BOX);
    for shape in [BackendKind::SphereTree, BackendKind::Octree] {
        let found = lab.ask(&[1.0, 0.5, 1.0], |job| {
            job.all = true;
            job.method = Method {
                time: TimeMethod::Sampling(Default::default()),
                backend: shape,
                ..Method::default()
            };
        });
        let [contact] = &found.contacts[..] else {
            panic!("{:?}", found.contacts);
        };
        let until = contact.until.expect("it leaves");
        // In contact below 0.6 m; the samples are 5 mm apart.
        assert!((0.79..=0.8).contains(&contact.free_until), "{contact:?}");
        assert!(
            (0.8..0.81).contains(&contact.time) && (1.2..1.21).contains(&until),
            "{contact:?}"
        );
        let first = found.first_contact.expect("a contact");
        assert_eq!(
            (first.free_until, first.until),
            (0.0, None),
            "nothing is proved"
        );
    }
}

/// Parts of a real gripper: exported with seams that only rounding has opened. They count as
/// closed, and have an inside.
#[test]
#[ignore = "needs CLEARANCE_REAL_DATA"]
fn real_grippers_with_seams_of_rounding_are_solid() {
    let robots = real_data().join("robots");
    for file in [
        "o2ac_dual_ur5e_cell/robotiq_description/meshes/collision/robotiq_85_base_link.stl",
        "o2ac_dual_ur5e_cell/robotiq_description/meshes/collision/robotiq_85_finger_tip_link.stl",
        "ur5_vamp/meshes/robotiq/robotiq_85_base_link_fine.STL",
        "ur5_vamp/meshes/robotiq/inner_finger_fine.STL",
    ] {
        let mesh = robots.join(file);
        let cell = format!("[[obstacle]]\nname = \"part\"\nmesh = {mesh:?}\n");
        let lab = Lab::new(0.01, &stl(true, [0.0; 3], 0.2), &cell);
        let loaded = load_cell(&lab.0.path().join("cell.toml"), &LoadOptions::default());
        let cell = loaded.unwrap().cell;
        let seams = cell.notes.iter().any(|n| n.message.contains("seams of"));
        let part = cell.bodies.iter().find(|b| b.name == "part").unwrap();
        let tree = SphereTree::of(&part.shapes[0].form);
        assert!(seams && tree.closed, "{file}: {:?}", cell.notes);
        let Form::Mesh { mesh, .. } = &part.shapes[0].form else {
            panic!("{file}: not a mesh");
        };
        assert!(mesh.seams_closed().is_none(), "{file}");
        // Below the middles of most triangles is its inside, above them is none.
        let mut right = 0;
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(t);
            let Some(out) = (b - a).cross(&(c - a)).try_normalize(1e-9) else {
                continue;
            };
            let middle = a + ((b - a) + (c - a)) / 3.0;
            let [above, below] = [1e-5, -1e-5].map(|by| tree.contains(&(middle + out * by), None));
            right += usize::from(below && !above);
        }
        assert!(
            2 * right > mesh.triangles.len(),
            "{file}: {right} of {}",
            mesh.triangles.len()
        );
    }
}
