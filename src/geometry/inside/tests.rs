use nalgebra::Vector3;

use super::*;
use crate::geometry::primitive::{box_mesh, cylinder_cover};
use crate::geometry::random::Random;

fn cube(edge: f64, at: Vector3<f64>) -> Mesh {
    let mut mesh = box_mesh(&Vector3::repeat(edge));
    mesh.vertices.iter_mut().for_each(|v| *v += at);
    mesh
}

fn reversed(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

fn together(parts: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for part in parts {
        let n = all.vertices.len() as u32;
        all.vertices.extend(&part.vertices);
        all.triangles
            .extend(part.triangles.iter().map(|t| t.map(|v| v + n)));
    }
    all
}

fn contains(mesh: &Mesh, x: f64) -> bool {
    let inside = Inside::new(mesh, None);
    assert!(inside.closed() && inside.solid());
    inside.contains(&Point3::new(x, 0.01, 0.02))
}

/// Octahedron, each triangle divided in four `times` times, on the unit sphere.
fn sphere(times: usize) -> Mesh {
    let mut soup: Vec<[Vector3<f64>; 3]> = (0..8)
        .map(|i| {
            let sign = |k: usize| if i >> k & 1 == 1 { -1.0 } else { 1.0 };
            let [x, y, z] = [
                Vector3::x() * sign(0),
                Vector3::y() * sign(1),
                Vector3::z() * sign(2),
            ];
            if sign(0) * sign(1) * sign(2) > 0.0 {
                [x, y, z]
            } else {
                [y, x, z]
            }
        })
        .collect();
    for _ in 0..times {
        soup = soup
            .iter()
            .flat_map(|&[a, b, c]| {
                let [d, e, f] = [a + b, b + c, c + a].map(|m| m.normalize());
                [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
            })
            .collect();
    }
    // Every triangle with vertices of its own, as in an STL file.
    Mesh {
        vertices: soup.iter().flatten().map(|&v| Point3::from(v)).collect(),
        triangles: (0..soup.len() as u32)
            .map(|i| [3 * i, 3 * i + 1, 3 * i + 2])
            .collect(),
    }
}

#[test]
fn random_points_against_the_ball() {
    let mut r = Random(7);
    let mut mesh = sphere(4);
    for round in 0..3 {
        match round {
            1 => mesh = mesh.scaled(Vector3::new(1.0, -1.0, 1.0)),
            // Wound at random: repaired.
            2 => mesh.triangles.iter_mut().for_each(|t| {
                if r.below(2) == 0 {
                    t.swap(1, 2);
                }
            }),
            _ => {}
        }
        let inside = Inside::new(&mesh, None);
        assert!(inside.closed());
        let (mut within, mut without) = (0, 0);
        for _ in 0..500 {
            let p = r.point();
            let d = p.coords.norm();
            // The facets lie up to 1 % below the ball.
            if d < 0.99 {
                within += 1;
                assert!(inside.contains(&p), "{p}");
            } else if d > 1.0 {
                without += 1;
                assert!(!inside.contains(&p), "{p}");
            }
        }
        assert!(within > 100 && without > 100);
    }
}

#[test]
fn shells_within_shells() {
    let (outer, inner) = (cube(2.0, Vector3::zeros()), cube(1.0, Vector3::zeros()));
    let core = cube(0.5, Vector3::zeros());
    for mirrored in [false, true] {
        let turn = |m: Mesh| if mirrored { reversed(m) } else { m };
        let nested = turn(together(&[inner.clone(), outer.clone()]));
        assert!(contains(&nested, 0.0) && contains(&nested, 0.7) && !contains(&nested, 1.1));
        let hollow = turn(together(&[reversed(inner.clone()), outer.clone()]));
        assert!(!contains(&hollow, 0.0) && contains(&hollow, 0.7) && !contains(&hollow, 1.1));
        let cored = turn(together(&[
            core.clone(),
            reversed(inner.clone()),
            outer.clone(),
        ]));
        assert!(contains(&cored, 0.0) && !contains(&cored, 0.4) && contains(&cored, 0.7));
    }
}

#[test]
fn a_mirrored_piece_beside_a_proper_one() {
    let aside = reversed(cube(2.0, Vector3::new(1.5, 0.0, 0.0)));
    let both = together(&[cube(2.0, Vector3::zeros()), aside]);
    // Also where the two overlap.
    for x in [-0.9, 0.2, 0.7, 1.2, 2.4] {
        assert!(contains(&both, x), "{x}");
    }
    assert!(!contains(&both, 2.6) && !contains(&both, -1.1));
}

#[test]
fn boxes_that_share_an_edge_are_closed() {
    // Four triangles meet at that edge.
    let both = together(&[
        cube(1.0, Vector3::zeros()),
        cube(1.0, Vector3::new(1.0, 1.0, 0.0)),
    ]);
    let inside = Inside::new(&both, None);
    assert!(inside.closed());
    for (x, y, expected) in [(0.1, 0.0, true), (1.1, 1.0, true), (1.1, 0.1, false)] {
        assert_eq!(inside.contains(&Point3::new(x, y, 0.2)), expected);
    }
}

#[test]
fn open_meshes_are_solid_only_on_demand() {
    let mut mesh = cube(2.0, Vector3::zeros());
    mesh.triangles.remove(3);
    let p = Point3::new(0.1, 0.2, -0.3);
    let far = Point3::new(0.1, 0.2, 3.0);
    let by_itself = Inside::new(&mesh, None);
    assert!(!by_itself.closed() && !by_itself.solid() && !by_itself.contains(&p));
    let demanded = Inside::new(&mesh, Some(true));
    assert!(!demanded.closed() && demanded.contains(&p) && !demanded.contains(&far));
    // Beside it a closed piece stays solid.
    let both = together(&[mesh, cube(1.0, Vector3::new(5.0, 0.0, 0.0))]);
    let inside = Inside::new(&both, None);
    assert!(
        !inside.closed() && inside.contains(&Point3::new(5.0, 0.1, 0.1)) && !inside.contains(&p)
    );
    assert!(!Inside::new(&both, Some(false)).contains(&Point3::new(5.0, 0.1, 0.1)));
    assert!(!Inside::new(&Mesh::default(), None).closed());
}

#[test]
fn a_moebius_band_is_open() {
    let vertices = (0..10).map(|i| Point3::new((i as f64).cos(), (i as f64).sin(), i as f64 % 2.0));
    let triangles = (0..10).map(|i| [i, (i + 1) % 10, (i + 2) % 10]).collect();
    let mesh = Mesh {
        vertices: vertices.collect(),
        triangles,
    };
    assert!(!Inside::new(&mesh, None).closed());
}

#[test]
fn a_pipe_is_hollow() {
    // An outer cylinder and a bore that pierces neither cap: a closed can.
    let can = together(&[
        cylinder_cover(0.1, 1.0),
        reversed(cylinder_cover(0.09, 0.98)),
    ]);
    let inside = Inside::new(&can, None);
    for (p, expected) in [
        ([0.0; 3], false),
        ([0.095, 0.0, 0.1], true),
        ([0.01, 0.0, 0.495], true),
        ([0.11, 0.0, 0.0], false),
    ] {
        assert_eq!(inside.contains(&Point3::from(p)), expected, "{p:?}");
    }
}

#[test]
fn one_vertex_for_each_piece() {
    let mut mesh = together(&[
        sphere(1),
        cube(1.0, Vector3::x() * 5.0),
        cube(1.0, Vector3::x() * 6.0),
    ]);
    // The last two share corners; an unused vertex is no piece.
    mesh.vertices.push(Point3::new(9.0, 9.0, 9.0));
    let found = components(&mesh);
    assert_eq!(found.len(), 2);
    assert!(mesh.vertices[found[0]].x < 2.0 && mesh.vertices[found[1]].x > 4.0);
    assert!(components(&Mesh::default()).is_empty());
}
