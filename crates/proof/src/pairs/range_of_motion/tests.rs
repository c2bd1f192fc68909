use nalgebra::{Isometry3, Translation3, Unit};

use super::*;
use crate::bvh::SphereTree;
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;
use crate::model::{Joint, JointKind, Limits, Mimic};
use crate::motion::Chains;

/// A random forest of joints with short limits.
fn forest(random: &mut Random, joints: usize) -> Cell {
    let mut cell = Cell::default();
    for j in 0..joints {
        let turn = nalgebra::UnitQuaternion::from_scaled_axis(random.vector() * 3.0);
        let low = 2.0 * random.signed();
        cell.joints.push(Joint {
            name: format!("j{j}"),
            robot: 0,
            parent: (j > 0 && random.below(6) > 0).then(|| random.below(j)),
            parent_from_joint: Isometry3::from_parts(Translation3::from(random.vector()), turn),
            axis: Unit::new_normalize(random.vector()),
            kind: [JointKind::Revolute, JointKind::Prismatic][usize::from(random.below(4) == 0)],
            limits: Limits {
                position: Some((low, low + 0.8 * random.unit())),
                velocity: None,
                acceleration: None,
            },
            mimic: (j > 2 && random.below(5) == 0).then(|| Mimic {
                source: 0,
                multiplier: -1.5,
                offset: 0.2,
            }),
        });
    }
    cell.joints[0].mimic = None;
    cell.rest = vec![0.0; joints];
    cell
}

fn tetrahedron() -> SphereTree {
    let corner = |x, y, z| nalgebra::Point3::new(x, y, z) * 0.05;
    let mesh = Mesh {
        vertices: vec![
            corner(1.0, 0.0, 0.0),
            corner(0.0, 1.0, 0.0),
            corner(0.0, 0.0, 1.0),
            corner(-1.0, -1.0, -1.0),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
    };
    SphereTree::new(&mesh, 0.0)
}

/// Two tetrahedra on every joint and two in the world, and all pairs of those that can move against
/// each other.
fn shapes<'t>(
    cell: &Cell,
    tree: &'t SphereTree,
    random: &mut Random,
) -> (Vec<PlacedShape<'t>>, Vec<Candidate>) {
    let chains = Chains::new(cell);
    let shapes: Vec<PlacedShape> = (0..2 * (cell.joints.len() + 1))
        .map(|k| PlacedShape {
            joint: (k / 2).checked_sub(1),
            joint_from_part: Pose::from(&Isometry3::from(Translation3::from(
                random.vector() * 0.3,
            ))),
            tree,
            slack: 1e-12,
        })
        .collect();
    let mut pairs = Vec::new();
    for a in 0..shapes.len() {
        for b in a + 1..shapes.len() {
            if shapes[a].joint != shapes[b].joint && random.below(5) > 0 {
                let (x, y) = (chains.of(shapes[a].joint), chains.of(shapes[b].joint));
                pairs.push(Candidate {
                    a,
                    b,
                    shared: x.iter().zip(y).take_while(|(x, y)| x == y).count(),
                    threshold: 0.01 * random.unit(),
                });
            }
        }
    }
    (shapes, pairs)
}

/// The tables agree with the flat list, and the hulls with corners at random configurations.
#[test]
fn tables_and_hulls_agree_with_their_slow_twins() {
    let mut random = Random(3);
    let tree = tetrahedron();
    let (mut unreachable, mut nearest) = (0, f64::INFINITY);
    for _ in 0..60 {
        let joints = 2 + random.below(9);
        let cell = forest(&mut random, joints);
        let chains = Chains::new(&cell);
        let (shapes, pairs) = shapes(&cell, &tree, &mut random);
        let ranges = ranges_within_limits(&cell);
        let least = least_by_hulls(&chains, &shapes, &ranges, &pairs);
        let tables = Tables::new(&chains, &shapes, &pairs, &least);
        let flat: Vec<usize> = (0..pairs.len())
            .filter(|&k| least[k] <= pairs[k].threshold)
            .collect();
        assert_eq!(tables.search(), flat);
        unreachable += pairs.len() - flat.len();
        for _ in 0..200 {
            let mut q: Vec<f64> = cell
                .joints
                .iter()
                .map(|j| j.limits.position.unwrap())
                .map(|(low, high)| low + (high - low) * random.unit())
                .collect();
            cell.resolve_mimic(&mut q);
            let at = cell.forward(&q);
            let corner = |s: &PlacedShape, k: usize| {
                let p = nalgebra::Point3::from(
                    s.joint_from_part.apply(&(tree.vertices[k] - tree.origin)),
                );
                s.joint.map_or(p, |j| at[j] * p)
            };
            for (pair, &least) in pairs.iter().zip(&least) {
                let [x, y] = [pair.a, pair.b].map(|s| corner(&shapes[s], random.below(4)));
                let distance = (x - y).norm();
                assert!(distance >= least - 1e-12, "{distance} m, stated {least} m");
                nearest = nearest.min(distance - least);
            }
        }
    }
    assert!(unreachable > 1000, "{unreachable}");
    assert!(nearest < 0.05, "the hulls are {nearest} m too wide");
}

#[test]
fn mimic_joints_follow_their_leaders_and_joints_may_rest_outside() {
    let mut cell = forest(&mut Random(1), 3);
    for joint in &mut cell.joints {
        joint.limits.position = Some((-0.5, 1.0));
        joint.mimic = None;
    }
    cell.joints[1].mimic = Some(Mimic {
        source: 0,
        multiplier: -2.0,
        offset: 0.25,
    });
    cell.joints[2].limits.position = None;
    cell.rest = vec![1.5, -2.75, 0.0];
    let ranges = ranges_within_limits(&cell);
    let near = |range: JointRange, low: f64, high: f64| {
        (low - 1e-6..=low).contains(&range.low) && (high..=high + 1e-6).contains(&range.high)
    };
    assert!(near(ranges[0], -0.5, 1.5), "{ranges:?}");
    assert!(near(ranges[1], -2.75, 1.25), "{ranges:?}");
    assert_eq!(ranges[2], JointRange::ANY);
}

/// Catches hulls of the values at waypoints: a cubic that sets out fast goes beyond both.
#[test]
fn the_values_of_a_segment_are_those_between_its_ends_too() {
    // 4 s (1 − s): from 0 back to 0 over 1.
    let segment = Segment {
        start: 0.0,
        end: 1.0,
        joints: vec![[0.0, 4.0, -4.0, 0.0, 0.0, 0.0]].into(),
        errors: None,
    };
    let ranges: Vec<JointRange> = ranges_of(&segment).collect();
    assert!(ranges[0].low <= 0.0 && ranges[0].high >= 1.0, "{ranges:?}");
}
