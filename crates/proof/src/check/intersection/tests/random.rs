//! Random bodies in random motion, against the default check at a fine resolution.

use super::*;
use crate::check::Snapshot;
use crate::check::intersection::features::{Feature, Points, of_triangles};
use crate::motion::Cubic;

/// Triangles strewn over a ball, or a convex body, or one with notches.
fn mesh(random: &mut Random, size: f64) -> Mesh {
    match random.below(3) {
        0 => {
            let mut mesh = Mesh::default();
            for i in 0..2 + random.below(6) as u32 {
                let center = random.vector() * size;
                for _ in 0..3 {
                    let corner = center + random.vector() * 0.5 * size;
                    mesh.vertices.push(corner.into());
                }
                mesh.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
            }
            mesh
        }
        1 => block(
            size * (0.2 + random.unit()),
            size * (0.2 + random.unit()),
            size * (0.2 + random.unit()),
        ),
        _ => {
            // A block whose corners have moved: faces bend inwards and outwards along their
            // diagonals.
            let mut mesh = block(size, size, size);
            for v in &mut mesh.vertices {
                *v += random.vector() * 0.3 * size;
            }
            mesh
        }
    }
}

/// A chain of three joints with a body on the first and on the last one, an obstacle; two segments
/// of any law.
fn world(random: &mut Random) -> World {
    let mut q = [0.0; 3].map(|_: f64| 3.0 * random.signed());
    let segments = (0..2).map(|_| {
        let degree = [1, 3, 5][random.below(3)];
        let still = random.below(8);
        let laws = q.iter_mut().enumerate().map(|(k, q)| {
            let mut c = linear(*q, 0.0);
            if k != still {
                c[1..=degree].fill_with(|| random.signed());
            }
            *q = c.iter().sum();
            c
        });
        laws.collect()
    });
    let mut world = World::new(segments.collect());
    for k in 0..3usize {
        let pose = Isometry3::new(0.4 * random.vector(), 3.0 * random.vector());
        let axis = random.vector() + Vector3::new(0.0, 0.0, 1e-3);
        let slides = random.below(4) == 0;
        world = world.joint(k.checked_sub(1), pose, axis, slides);
    }
    for (joint, away) in [(Some(2), 0.3), (Some(0), 0.1), (None, 0.7)] {
        let pose = Isometry3::new(away * random.vector(), 3.0 * random.vector());
        let size = [0.05, 0.25, 0.4][random.below(3)];
        let mesh = mesh(random, size);
        world = world.body(joint, pose, mesh);
    }
    world
}

#[test]
fn random_motions_agree_with_the_default_check() {
    let mut random = Random(11);
    let (mut contacts, mut clear, mut undecided, mut kinds) = (0, 0, 0, [0; 3]);
    for case in 0..6000 {
        let world = world(&mut random);
        let scene = world.scene();
        let options = World::options(1e-5);
        let default = scene.check(&world.trajectory, &options, &|_| ());
        let found = check(&scene, &world.trajectory, &options, &|_| ()).expect("no refusal");
        match (found.verdict, default.verdict) {
            (Verdict::Clear, Verdict::Clear) => clear += 1,
            (Verdict::Collision, Verdict::Collision) => {
                let contact = found.first_contact.as_ref().expect("a contact");
                let bracket = default.first_contact.as_ref().expect("a contact");
                assert!(
                    bracket.free_until - 1e-9 <= contact.time
                        && contact.time <= bracket.time + 1e-9,
                    "case {case}: {} is not in {} … {}",
                    contact.time,
                    bracket.free_until,
                    bracket.time
                );
                assert!(contact.distance < 1e-9, "case {case}: {contact:?}");
                if contact.time == 0.0 {
                    continue;
                }
                contacts += 1;
                kinds[contact.feature.expect("a kind") as usize] += 1;
                let exact = bracket.exact_time.expect("an exact time");
                assert!(
                    (contact.a != bracket.a || contact.b != bracket.b)
                        || ((exact - contact.time).abs() < 1e-8
                            && bracket.feature == contact.feature),
                    "case {case}: {contact:?} {bracket:?}"
                );
                let free = contact.time - contact.free_until;
                assert!(free < 1e-4, "case {case}: the bracket is {free} s long");
            }
            (Verdict::Undecided, _) | (_, Verdict::Undecided) => undecided += 1,
            other => panic!("case {case}: {other:?}"),
        }
    }
    assert!(
        contacts > 600 && clear > 3000,
        "{contacts} {clear} {kinds:?}"
    );
    assert!(kinds.iter().all(|&k| k > 100), "{kinds:?}");
    assert!(undecided < 10, "{undecided}");
}

/// The polynomial against volumes of the points that make it, and against those of the true motion.
#[test]
fn determinants_are_volumes() {
    let mut random = Random(12);
    let mut looked = 0;
    for case in 0..300 {
        let world = world(&mut random);
        let scene = world.scene();
        for (index, pair) in scene.part_pairs.iter().enumerate() {
            let mut search = FeatureSearch::new(&scene, &world.trajectory, 1e-4);
            let low = random.unit() * 0.7;
            let s = [low, low + 0.3 * random.unit()];
            search.place_thirds(0, s);
            let motion = search.motion(index, 0, s);
            let trees = [pair.a, pair.b].map(|p| &*scene.parts[p].tree);
            let mut features = Vec::new();
            of_triangles(trees, [0, 0], &mut features);
            assert_eq!(features.len(), 15);
            for feature in &features {
                let points = Points::of(&scene, pair, feature);
                let moving = points.moving([&motion.a, &motion.b]);
                let (b, tube) = moving.determinant(motion.error);
                for u in [0.0, 0.1, 0.5, 0.9, 1.0] {
                    let mut c = b.to_vec();
                    while c.len() > 1 {
                        c = c.windows(2).map(|w| w[0] * (1.0 - u) + w[1] * u).collect();
                    }
                    let on_cubic = moving.at(u).volume();
                    assert!((c[0] - on_cubic).abs() <= 1e-12, "case {case}");
                    let mut snapshot = Snapshot::default();
                    snapshot.set(
                        &scene,
                        &world.trajectory.segments[0],
                        s[0] + u * (s[1] - s[0]),
                    );
                    let placed = points.placed(&pair.in_common_frame(&scene, &mut snapshot));
                    let error = (placed.volume() - c[0]).abs();
                    assert!(error <= tube, "case {case}: off by {error}, tube {tube}");
                    looked += 1;
                }
            }
        }
    }
    assert!(looked > 30_000, "{looked}");
}

/// A cubic motion, restricted, is the same motion.
#[test]
fn parts_of_trajectories() {
    let mut random = Random(13);
    let world = world(&mut random);
    let scene = world.scene();
    let mut search = FeatureSearch::new(&scene, &world.trajectory, 1e-4);
    search.place_thirds(0, [0.0, 1.0]);
    let motion = search.motion(0, 0, [0.0, 1.0]);
    let cubics: [&Cubic; 2] = [&motion.a, &motion.b];
    let points = Points::of(
        &scene,
        &scene.part_pairs[0],
        &Feature::EdgeEdge([0, 1], [0, 1]),
    );
    let whole = points.moving(cubics);
    let part = whole.over([0.3, 0.7]);
    for (u, v) in [(0.3, 0.0), (0.4, 0.25), (0.5, 0.5), (0.7, 1.0)] {
        assert!((whole.at(u).volume() - part.at(v).volume()).abs() < 1e-13);
    }
}
