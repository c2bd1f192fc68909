use clearance_proof::geometry::random::Random;

use super::super::clip::clipped;
use super::*;

/// Triangles around a cube of any kind: large and small, flat in an axis, slivers, segments and
/// points.
fn triangle(r: &mut Random, cube: &Cube) -> [Point3<f64>; 3] {
    let size = cube.edge * 10f64.powf(2.0 * r.signed());
    let middle = cube.center() + r.vector() * cube.edge;
    let mut corners = [(); 3].map(|()| middle + r.vector() * size);
    match r.below(6) {
        0 => {
            let axis = r.below(3);
            corners.iter_mut().for_each(|p| p[axis] = middle[axis]);
        }
        1 => corners[2] = corners[1] + (corners[1] - corners[0]) * 1e-9,
        2 => corners[2] = corners[0],
        3 if r.below(4) == 0 => corners = [corners[0]; 3],
        _ => {}
    }
    corners
}

#[test]
fn sieves_agree_with_clipping() {
    let mut r = Random(51);
    let mut seen = [0; 2];
    for round in 0..60_000 {
        let cube = Cube {
            low: r.point() * 10f64.powi(round % 3),
            edge: 10f64.powf(-2.0 * r.unit()),
        };
        let corners = triangle(&mut r, &cube);
        let grow = [0.0, 0.3 * cube.edge][r.below(2)];
        let found = CubeFace::new(corners).meets(&cube, grow);
        // Within rounding of touching either answer is right.
        let near = 1e-9 * cube.edge;
        let surely = !clipped(&corners, &cube, grow - near).is_empty();
        let perhaps = !clipped(&corners, &cube, grow + near).is_empty();
        assert!(!surely || found, "{cube:?} {corners:?} {grow}");
        assert!(!found || perhaps, "{cube:?} {corners:?} {grow}");
        seen[usize::from(found)] += 1;
    }
    assert!(seen[0] > 10_000 && seen[1] > 10_000, "{seen:?}");
}

#[test]
fn on_whole_coordinates_touching_is_meeting() {
    let mut r = Random(52);
    let cube = Cube {
        low: Point3::new(-1.0, -1.0, -1.0),
        edge: 2.0,
    };
    let mut met = 0;
    for _ in 0..40_000 {
        let corners =
            [(); 3].map(|()| Point3::from(Vector3::from_fn(|_, _| r.within(-4, 4) as f64)));
        let found = CubeFace::new(corners).meets(&cube, 0.0);
        let perhaps = !clipped(&corners, &cube, 1e-9).is_empty();
        assert_eq!(found, perhaps, "{corners:?}");
        met += usize::from(found);
    }
    assert!((5_000..35_000).contains(&met), "{met}");
}

#[test]
fn a_face_is_given_to_the_children_that_it_meets() {
    let mut r = Random(53);
    for _ in 0..20_000 {
        let cube = Cube {
            low: r.point(),
            edge: 0.5,
        };
        let face = CubeFace::new(triangle(&mut r, &cube));
        let (grow, wanted) = ([0.0, 0.1][r.below(2)], r.below(256) as u8);
        let found = face.children(&cube, grow, wanted);
        for k in 0..8 {
            let expected = wanted >> k & 1 == 1 && face.meets(&cube.child(k), grow);
            assert_eq!(found >> k & 1 == 1, expected, "{k} {cube:?} {face:?}");
        }
    }
}

#[test]
fn children_part_the_cube() {
    let mut r = Random(54);
    let cube = Cube {
        low: Point3::new(-1.0, 0.5, 2.0),
        edge: 4.0,
    };
    for _ in 0..1000 {
        let p = cube.low + (r.vector().add_scalar(1.0)) * 2.0;
        let holding: Vec<usize> = (0..8).filter(|&k| cube.child(k).holds(&p)).collect();
        assert_eq!(holding, [cube.child_of(&p)]);
    }
}

#[test]
fn distance_of_a_cube_is_that_of_its_nearest_point() {
    let mut r = Random(55);
    for _ in 0..300 {
        let cube = Cube {
            low: r.point(),
            edge: 0.5,
        };
        let corners = [(); 3].map(|()| r.point() * 2.0);
        let found = cube.distance(&corners);
        // Dense sampling of the triangle, each point against the box.
        let mut least = f64::INFINITY;
        let steps = 120;
        for i in 0..=steps {
            for k in 0..=steps - i {
                let (s, t) = (
                    f64::from(i) / f64::from(steps),
                    f64::from(k) / f64::from(steps),
                );
                let p = corners[0] + (corners[1] - corners[0]) * s + (corners[2] - corners[0]) * t;
                least = least.min(cube.bounds().gap(&Aabb::at(&p)));
            }
        }
        assert!(
            found <= least + 1e-12 && least <= found + 0.06,
            "{found} {least}"
        );
    }
}
