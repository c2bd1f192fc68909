use clearance_proof::check::Snapshot;
use clearance_proof::geometry::random::Random;
use clearance_proof::model::{Cell, JointKind, Segment};

use super::*;
use crate::run::{CellJob, NoProgress, prepare};

/// A configuration within the limits, some joints at their ends; without limits, anywhere.
fn configuration(cell: &Cell, random: &mut Random) -> Vec<f64> {
    let mut q: Vec<f64> = cell
        .joints
        .iter()
        .map(|joint| {
            let (low, high) = joint.limits.position.unwrap_or(match joint.kind {
                JointKind::Prismatic => (-5.0, 5.0),
                _ => (-7.0, 7.0),
            });
            match random.below(10) {
                0 => low,
                1 => high,
                _ => low + random.unit() * (high - low),
            }
        })
        .collect();
    cell.resolve_mimic(&mut q);
    q
}

/// Random configurations against what was said to be impossible; how many pairs that was said of.
fn holds(prepared: &Prepared, configurations: usize) -> usize {
    let least = least_possible(prepared, 0.0);
    let scene = Scene::new(&prepared.loaded.cell, &prepared.trees, &prepared.pairs, 0.0);
    let mut random = Random(11);
    let mut snapshot = Snapshot::default();
    for _ in 0..configurations {
        let q = configuration(&prepared.loaded.cell, &mut random);
        let stands = Segment::instant(&q);
        snapshot.set(&scene, &stands, 0.0);
        for (pair, least) in least.iter().enumerate() {
            let Some(least) = *least else { continue };
            let nearer = scene.pair_distance(pair, &mut snapshot, least - 1e-9, &mut 0);
            if let Some(nearer) = nearer {
                let name = |body: usize| &prepared.loaded.cell.bodies[body].name;
                let pair = scene.pairs[pair];
                panic!(
                    "{} – {}: {} m apart, stated {least} m, at {q:?}",
                    name(pair.a),
                    name(pair.b),
                    nearer.distance
                );
            }
        }
    }
    least.iter().flatten().count()
}

/// Number of random configurations per robot; `tests/suite/real_cases/unreachable.rs` looks at real
/// robots.
fn configurations() -> usize {
    let asked = std::env::var("CLEARANCE_CONFIGURATIONS").ok();
    asked.map_or(2000, |n| n.parse().unwrap())
}

#[test]
fn no_configuration_brings_an_unreachable_pair_nearer_than_stated() {
    let root = env!("CARGO_MANIFEST_DIR");
    for robot in ["arm6", "scara", "two_arms"] {
        let job = CellJob::file(format!("{root}/robots/{robot}/cell.toml"));
        let prepared = prepare(&job, &NoProgress).unwrap();
        let unreachable = holds(&prepared, configurations());
        let all = prepared.pairs.checked.len();
        // Those that the programs of the examples bring near each other are not secret: some must
        // stay reachable.
        assert!(
            unreachable > 0 && unreachable < all / 2,
            "{robot}: {unreachable} of {all}"
        );
    }
}

/// A ball on a hinge that turns to either side of straight away from a post: the least distance is
/// known.
#[test]
fn the_least_possible_distance_of_a_hinge() {
    let folder = tempfile::tempdir().unwrap();
    let urdf = folder.path().join("hinge.urdf");
    let joint = |limits: &str| {
        format!(
            r#"<robot name="hinge"><link name="base"/>
            <link name="arm"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
            <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>{limits}</joint></robot>"#
        )
    };
    let cell = folder.path().join("cell.toml");
    std::fs::write(
        &cell,
        "[[robot]]\nurdf = \"hinge.urdf\"\n[[obstacle]]\nname = \"post\"\nsphere = 0.2\npose = { xyz = [-1, 0, 0] }\n",
    )
    .unwrap();
    for (lower, upper, known) in [
        (-1.5, 1.5, Some(2.0 * 0.75f64.cos() - 0.3)),
        (0.0, 0.5, Some(2.0 * 0.25f64.cos() - 0.3)),
        (-3.0, 3.0, None),
    ] {
        let limits = format!(r#"<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>"#);
        std::fs::write(&urdf, joint(&limits)).unwrap();
        let prepared = prepare(&CellJob::file(&cell), &NoProgress).unwrap();
        let least = least_possible(&prepared, 0.0);
        assert_eq!(least.len(), 1);
        match (least[0], known) {
            (None, None) => {}
            (Some(least), Some(known)) => {
                assert!(
                    least <= known + 1e-4 && least > 0.9 * known,
                    "{least}, not {known}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A room around the robot, far from all its surfaces: one is inside the other wherever joints
/// stand.
#[test]
fn what_is_inside_of_a_solid_is_not_unreachable() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("hinge.urdf"),
        r#"<robot name="hinge"><link name="base"/>
        <link name="arm"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
        <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"#,
    )
    .unwrap();
    let cell = folder.path().join("cell.toml");
    for (solid, unreachable) in [("", false), ("solid = false", true)] {
        let text = format!(
            "[[robot]]\nurdf = \"hinge.urdf\"\n[[obstacle]]\nname = \"room\"\nbox = [9, 9, 9]\n{solid}\n"
        );
        std::fs::write(&cell, text).unwrap();
        let prepared = prepare(&CellJob::file(&cell), &NoProgress).unwrap();
        let least = least_possible(&prepared, 0.0);
        assert_eq!(least[0].is_some(), unreachable, "{least:?}");
    }
}
