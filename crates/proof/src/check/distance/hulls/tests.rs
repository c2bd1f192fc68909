use nalgebra::{Point3, Rotation3};

use super::*;
use crate::bvh::SphereTree;
use crate::check::fixture::{cube, shape};
use crate::geometry::made::{moved, reversed, torus};
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;
use crate::geometry::triangle::Closest;

/// Bodies of every kind: thin plates, boxes, rings, mirrored ones, loose triangles, points.
fn any(random: &mut Random) -> Mesh {
    match random.below(7) {
        0 => cube(1.0).scaled(Vector3::new(2.0, 1.0, 1e-4)),
        1 => moved(torus(4), Vector3::new(-3.0, 0.0, 0.0)),
        2 => reversed(cube(1.0).scaled(Vector3::new(-1.0, 1.0, 0.5))),
        3 => {
            // Grains of a point cloud.
            let places = (0..5).map(|_| Point3::from(random.vector() * 0.3));
            Mesh {
                vertices: places.collect(),
                triangles: (0..5).map(|k| [k; 3]).collect(),
            }
        }
        4 => shape(random, 0.5, true).0,
        _ => shape(random, 0.5, false).0,
    }
}

fn reach(tree: &SphereTree) -> f64 {
    let root = &tree.nodes[0];
    root.ball_center().norm() + f64::from(root.radius)
}

fn hulls<'t>(trees: &'t [SphereTree; 2], poses: [Pose; 2]) -> ClusterPair<'t> {
    let whole = |tree: &'t SphereTree| tree.clusters().at_node(0).expect("a small tree");
    let [a, b] = [0, 1].map(|k| whole(&trees[k]));
    ClusterPair {
        a,
        b,
        poses,
        size: (poses[0].translation - poses[1].translation).norm()
            + reach(&trees[0])
            + reach(&trees[1]),
    }
}

/// The triangles of both where they are.
fn placed(trees: &[SphereTree; 2], poses: [Pose; 2]) -> [Vec<[Point3<f64>; 3]>; 2] {
    [0, 1].map(|k| {
        let moved = |c: Point3<f64>| Point3::from(poses[k].apply(&(c - trees[k].origin)));
        (0..trees[k].triangles.len())
            .map(|t| trees[k].corners(t).map(moved))
            .collect()
    })
}

/// All triangles against all, metres.
fn distance([a, b]: &[Vec<[Point3<f64>; 3]>; 2]) -> f64 {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    pairs
        .map(|(a, b)| Closest::of_triangles(a, b).distance)
        .fold(f64::INFINITY, f64::min)
}

/// All corners along a direction, metres.
fn along([a, b]: &[Vec<[Point3<f64>; 3]>; 2], towards: &Vector3<f64>) -> f64 {
    let most = |triangles: &[[Point3<f64>; 3]], along: Vector3<f64>| {
        let corners = triangles.iter().flatten();
        corners.fold(f64::NEG_INFINITY, |most, c| most.max(along.dot(&c.coords)))
    };
    -most(a, -towards) - most(b, *towards)
}

/// Catches a bound that is none: a corner that is passed over, a pose that is not that of the part,
/// a direction that is not of length 1, a rounding that is forgotten. And one that is far too low:
/// the plane of two convex bodies is as far as they are apart.
#[test]
fn planes_keep_no_more_apart_than_all_triangles_are() {
    let mut random = Random(63);
    let (mut found, mut none, mut tight) = (0, 0, 0);
    for case in 0..3000 {
        let trees = [(); 2].map(|()| SphereTree::new(&any(&mut random), 0.0));
        let far = [0.3, 1.0, 1.0, 3.0, 100.0][random.below(5)];
        // Where rounding shows: both far from the origin of the frame, near each other.
        let away = random.vector() * [0.0, 0.0, 1e3][random.below(3)];
        let mut pose = |far: f64| Pose {
            rotation: match random.below(3) {
                0 => Rotation3::identity().into_inner(),
                _ => Rotation3::from_scaled_axis(random.vector() * 3.0).into_inner(),
            },
            translation: random.vector() * far + away,
        };
        let poses = [pose(far), pose(0.1)];
        let hulls = hulls(&trees, poses);
        let placed = placed(&trees, poses);
        let truth = distance(&placed);
        let rounding = 1e-15 * (hulls.size + away.norm());
        let Some(plane) = hulls.plane(f64::INFINITY, &mut 0) else {
            none += 1;
            continue;
        };
        found += 1;
        let context = format!("case {case}: {plane:?}, {truth}");
        assert!(plane.at_least <= truth + rounding, "{context}");
        assert!((plane.towards.norm() - 1.0).abs() < 1e-14, "{context}");
        // Of the whole clusters, and no less than what is proved by this direction.
        let by_corners = along(&placed, &plane.towards);
        assert!(
            (plane.at_least - by_corners).abs() < 1e-14 * hulls.size + rounding,
            "{context}: {by_corners}"
        );
        // Its margin is more than what by_corners can be off by where all is near the origin.
        if away == Vector3::zeros() {
            assert!(
                plane.at_least < by_corners - 1e-15 * hulls.size,
                "{context}"
            );
        }
        tight += usize::from(plane.at_least >= truth - 1e-12 * hulls.size - rounding);
        // Asked for less, less is proved, but enough.
        let enough = plane.at_least * random.unit();
        let less = hulls.plane(enough, &mut 0).expect("they are apart");
        assert!(less.at_least >= enough, "{context}: {less:?}, {enough}");
        assert!(less.at_least <= truth + rounding, "{context}: {less:?}");
    }
    assert!(found > 1200 && none > 300, "{found} {none}");
    assert!(tight > found / 2, "{tight} of {found}");
}

/// Catches a margin that is forgotten: faces that lie flat on each other, and bodies of which one
/// is inside the other. Nothing is proved of them by more than nothing.
#[test]
fn nothing_is_said_of_bodies_that_touch_or_hold_each_other() {
    let mut random = Random(64);
    for _ in 0..300 {
        let trees = [0.5, 1.0].map(|edge| SphereTree::new(&cube(edge), 0.0));
        let rotation = Rotation3::from_scaled_axis(random.vector() * 3.0).into_inner();
        let at = |translation: Vector3<f64>| Pose {
            rotation,
            translation,
        };
        let origin = random.vector();
        let slide = Vector3::new(0.75, 0.3 * random.signed(), 0.3 * random.signed());
        for at_position in [origin + rotation * slide, origin + random.vector() * 0.2] {
            let plane = hulls(&trees, [at(at_position), at(origin)]).plane(f64::INFINITY, &mut 0);
            assert!(plane.is_none(), "{plane:?}");
        }
    }
}
