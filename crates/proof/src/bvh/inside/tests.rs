use super::*;
use std::f64::consts::TAU;

use crate::bvh::SphereTree;
use crate::geometry::made::{moved, reversed, together};
use crate::geometry::mesh::Mesh;
use crate::geometry::primitive::cylinder_cover;
use crate::geometry::random::Random;
use crate::geometry::triangle::Closest;

fn cube(edge: f64, at: Vector3<f64>) -> Mesh {
    moved(Mesh::cuboid(&Vector3::repeat(edge)), at)
}

fn contains(mesh: &Mesh, x: f64) -> bool {
    let tree = SphereTree::new(mesh, 0.0);
    assert!(tree.closed);
    tree.contains(&Point3::new(x, 0.01, 0.02), None)
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
        let tree = SphereTree::new(&mesh, 0.0);
        assert!(tree.closed);
        let (mut within, mut without) = (0, 0);
        for _ in 0..500 {
            let p = r.point();
            let d = p.coords.norm();
            // The facets lie up to 1 % below the ball.
            if d < 0.99 {
                within += 1;
                assert!(tree.contains(&p, None), "{p}");
            } else if d > 1.0 {
                without += 1;
                assert!(!tree.contains(&p, None), "{p}");
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
fn a_mirrored_component_beside_a_proper_one() {
    let aside = reversed(cube(2.0, Vector3::new(1.5, 0.0, 0.0)));
    let both = together(&[cube(2.0, Vector3::zeros()), aside]);
    // Also where the two overlap.
    for x in [-0.9, 0.2, 0.7, 1.2, 2.4] {
        assert!(contains(&both, x), "{x}");
    }
    assert!(!contains(&both, 2.6) && !contains(&both, -1.1));
}

/// Regression: of a piece that is sunk into another one only two corners were asked. Where both lie in
/// the other one, a piece that is wound against it was taken for a hollow: a block with a mirrored
/// handle had nothing inside at the foot of the handle.
#[test]
fn pieces_that_stick_out_of_another_one_are_no_hollows() {
    let block = cube(2.0, Vector3::zeros());
    // Its corners lie in the block, all but one.
    for which in 0..8 {
        let mut spike = cube(1.0, Vector3::zeros());
        spike.vertices[which] *= 5.0;
        for part in [reversed(spike.clone()), spike] {
            let both = together(&[block.clone(), part]);
            for x in [-0.4, 0.4, 0.9] {
                assert!(contains(&both, x), "{which} {x}");
            }
        }
    }
    // All corners of the bar lie in the block, and a notch of the block goes through the bar.
    let bar = reversed(cube(1.0, Vector3::zeros()).scaled(Vector3::new(1.9, 0.2, 0.2)));
    let mut notched = cube(2.0, Vector3::zeros());
    let vertices = &notched.vertices;
    let is_front = |t: &[u32; 3]| t.iter().all(|&c| vertices[c as usize].y < -0.9);
    let (front, mut rest): (Vec<_>, Vec<_>) = notched.triangles.iter().copied().partition(is_front);
    let edges: Vec<[u32; 2]> = (front.iter())
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .collect();
    let rim = edges.iter().filter(|[a, b]| !edges.contains(&[*b, *a]));
    let tip = notched.vertices.len() as u32;
    rest.extend(rim.map(|&[a, b]| [a, b, tip]));
    notched.vertices.push(Point3::new(0.0, 0.5, 0.0));
    notched.triangles = rest;
    assert!(!contains(&notched, 0.0) && contains(&notched, 0.9));
    let both = together(&[notched, bar]);
    for x in [-0.9, 0.0, 0.9] {
        assert!(contains(&both, x), "{x}");
    }
}

/// Regression: a piece whose face is flush with that of the block but for rounding counted as a hollow.
#[test]
fn pieces_that_are_flush_but_for_rounding_are_no_hollows() {
    let block = cube(2.0, Vector3::zeros());
    for (below, is_hollow) in [(-1e-10, false), (0.0, false), (1e-10, false), (1e-4, true)] {
        let at = Vector3::new(0.5 - below, 0.0, 0.0);
        let both = together(&[block.clone(), reversed(cube(1.0, at))]);
        assert_eq!(contains(&both, 0.5), !is_hollow, "{below}");
        assert!(contains(&both, -0.5));
    }
}

/// Regression: two plates that share an edge were one piece, and where they overlap the one that is
/// wound against the other took away what is solid.
#[test]
fn pieces_that_share_an_edge_are_solid_where_they_overlap() {
    let plate = |size: [f64; 3]| {
        let size = Vector3::from(size);
        moved(Mesh::cuboid(&size), size * 0.5)
    };
    let first = plate([1.0, 1.0, 1.0]);
    for second in [plate([2.0, 0.5, 1.0]), reversed(plate([2.0, 0.5, 1.0]))] {
        let mut mesh = together(&[first.clone(), second]);
        let same = mesh.welded();
        for corner in mesh.triangles.iter_mut().flatten() {
            *corner = same[*corner as usize];
        }
        let tree = SphereTree::new(&mesh, 0.0);
        for (x, y, inside) in [
            (0.5, 0.25, true),
            (0.5, 0.75, true),
            (1.5, 0.25, true),
            (1.5, 0.75, false),
        ] {
            let point = Point3::new(x, y, 0.5);
            assert_eq!(tree.contains(&point, None), inside, "{x} {y}");
        }
    }
}

#[test]
fn boxes_that_share_an_edge_are_closed() {
    // Four triangles meet at that edge.
    let both = together(&[
        cube(1.0, Vector3::zeros()),
        cube(1.0, Vector3::new(1.0, 1.0, 0.0)),
    ]);
    let tree = SphereTree::new(&both, 0.0);
    assert!(tree.closed);
    for (x, y, expected) in [(0.1, 0.0, true), (1.1, 1.0, true), (1.1, 0.1, false)] {
        assert_eq!(tree.contains(&Point3::new(x, y, 0.2), None), expected);
    }
}

#[test]
fn open_meshes_are_solid_once_they_are_closed() {
    let mut mesh = cube(2.0, Vector3::zeros());
    mesh.triangles.remove(3);
    let p = Point3::new(0.1, 0.2, -0.3);
    let far = Point3::new(0.1, 0.2, 3.0);
    let tree = SphereTree::new(&mesh, 0.0);
    assert!(!tree.closed && !tree.contains(&p, None));
    assert!(!tree.contains(&p, Some(true)));
    let closed = SphereTree::new(&mesh.holes_closed().unwrap().mesh, 0.0);
    assert!(closed.closed && closed.contains(&p, None) && !closed.contains(&far, None));
    // Beside it a closed component stays solid.
    let tree = SphereTree::new(
        &together(&[mesh, cube(1.0, Vector3::new(5.0, 0.0, 0.0))]),
        0.0,
    );
    let aside = Point3::new(5.0, 0.1, 0.1);
    assert!(!tree.closed && tree.contains(&aside, None) && !tree.contains(&p, None));
    assert!(tree.contains(&aside, Some(true)) && !tree.contains(&p, Some(true)));
    assert!(!tree.contains(&aside, Some(false)));
    assert!(!SphereTree::new(&Mesh::default(), 0.0).closed);
    assert!(!SphereTree::new(&Mesh::default(), 0.0).contains(&p, Some(true)));
}

#[test]
fn a_pipe_is_hollow() {
    // An outer cylinder and a bore that pierces neither cap: a closed can.
    let can = together(&[
        cylinder_cover(0.1, 1.0),
        reversed(cylinder_cover(0.09, 0.98)),
    ]);
    let tree = SphereTree::new(&can, 0.0);
    for (p, expected) in [
        ([0.0; 3], false),
        ([0.095, 0.0, 0.1], true),
        ([0.01, 0.0, 0.495], true),
        ([0.11, 0.0, 0.0], false),
    ] {
        assert_eq!(tree.contains(&Point3::from(p), None), expected, "{p:?}");
    }
}

#[test]
fn one_triangle_for_each_component() {
    let mut mesh = together(&[
        sphere(1),
        cube(1.0, Vector3::x() * 5.0),
        cube(1.0, Vector3::x() * 6.0),
    ]);
    // The last two share corners; an unused vertex is not a component.
    mesh.vertices.push(Point3::new(9.0, 9.0, 9.0));
    let tree = SphereTree::new(&mesh, 0.0);
    let mut found: Vec<f64> = tree
        .components
        .iter()
        .map(|&t| tree.corners(t as usize)[0].x)
        .collect();
    found.sort_by(f64::total_cmp);
    assert_eq!(found.len(), 2);
    assert!(found[0] < 2.0 && found[1] > 4.0);
    // What bounds nothing is one too, beside a single body.
    let mut mesh = cube(1.0, Vector3::zeros());
    mesh.vertices.push(Point3::new(9.0, 9.0, 9.0));
    mesh.triangles.push([mesh.vertices.len() as u32 - 1; 3]);
    let tree = SphereTree::new(&mesh, 0.0);
    assert!(tree.closed);
    assert_eq!(tree.components.len(), 2);
    assert!(SphereTree::new(&Mesh::default(), 0.0).components.is_empty());
}

#[test]
fn components_are_found_down_the_tree_as_one_by_one() {
    let mut r = Random(77);
    let scattered: Vec<Mesh> = (0..500)
        .map(|_| cube(0.01 + 0.04 * r.unit(), r.vector() * 2.0))
        .collect();
    let inner = SphereTree::new(&together(&scattered), 0.0);
    let outer = SphereTree::new(&cube(0.5, Vector3::x() * 3.0), 0.0);
    let (mut some, mut asked) = (0, 0);
    for _ in 0..300 {
        let shift = r.vector() * 3.0;
        let is_in = |corner: &Vector3<f64>| {
            outer.contains(&(outer.origin + inner.origin.coords + corner + shift), None)
        };
        let one_by_one = inner
            .components
            .iter()
            .map(|&t| inner.corners(t as usize)[0] - inner.origin)
            .filter(is_in)
            .count();
        let calls = std::cell::Cell::new(0);
        let found = inner.component_corner(
            |center, radius| outer.box_may_meet(&(inner.origin.coords + center + shift), radius),
            |corner| {
                calls.set(calls.get() + 1);
                is_in(corner)
            },
        );
        assert_eq!(found.is_some(), one_by_one > 0, "{shift}");
        assert!(found.is_none_or(|corner| is_in(&corner)));
        some += usize::from(found.is_some());
        asked += calls.get();
    }
    // Both answers occur, and few components are asked.
    assert!((30..270).contains(&some), "{some}");
    assert!(asked < 300 * 500 / 20, "{asked}");
}

/// The solid angle under which a triangle is seen from a point, positive from behind.
fn solid_angle(corners: &[Point3<f64>; 3], point: &Point3<f64>) -> f64 {
    let [a, b, c] = corners.map(|v| v - point);
    let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
    let across = a.dot(&b.cross(&c));
    let along = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * across.atan2(along)
}

/// The twin: the winding number of all that is closed, rounded. Four corners in a plane are no
/// solid.
fn turns(tree: &SphereTree, p: &Point3<f64>) -> f64 {
    let closed = |t: &usize| tree.sides[*t].abs() == side::CLOSED;
    let angles = (0..tree.triangles.len()).filter(closed).map(|t| {
        let side = f64::from(tree.sides[t]);
        side * solid_angle(&tree.corners(t), p)
    });
    angles.sum::<f64>() / (2.0 * TAU)
}

/// Least distance of a point from the surface.
fn off(tree: &SphereTree, p: &Point3<f64>) -> f64 {
    let corners = (0..tree.triangles.len()).map(|t| tree.corners(t));
    corners
        .map(|c| Closest::of_point(p, &c).distance)
        .fold(f64::INFINITY, f64::min)
}

/// Closed components of any kind, some in others, some wound the wrong way round or at random. On
/// whole coordinates, points are level with corners and edges.
fn closed_mesh(r: &mut Random, whole: bool) -> Mesh {
    let mut parts = Vec::new();
    for _ in 0..1 + r.below(5) {
        let mut part = match r.below(3) {
            0 => Mesh::cuboid(&Vector3::new(2.0, 2.0, 2.0)),
            1 => sphere(1 - usize::from(whole)),
            _ => tetrahedron(r, whole),
        };
        let (size, at) = if whole {
            let mut number = || r.within(1, 3) as f64;
            let size = Vector3::new(number(), number(), number());
            (size, Vector3::from_fn(|_, _| r.within(-2, 2) as f64))
        } else {
            let size = r.vector().add_scalar(1.2);
            (size, r.vector())
        };
        part = part.scaled(size);
        part.vertices.iter_mut().for_each(|v| *v += at);
        match r.below(4) {
            0 => part = reversed(part),
            1 => {
                let flipped = r.below(part.triangles.len());
                part.triangles[flipped].swap(0, 1);
            }
            _ => {}
        }
        parts.push(part);
    }
    together(&parts)
}

fn tetrahedron(r: &mut Random, whole: bool) -> Mesh {
    let vertices = (0..4).map(|_| {
        if whole {
            Point3::from(Vector3::from_fn(|_, _| r.within(-2, 2) as f64))
        } else {
            r.point()
        }
    });
    Mesh {
        vertices: vertices.collect(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    }
}

#[test]
fn rays_agree_with_winding_numbers() {
    let mut r = Random(11);
    let (mut within, mut without) = (0, 0);
    for round in 0..600 {
        let whole = round % 2 == 0;
        let mesh = closed_mesh(&mut r, whole);
        let mut tree = SphereTree::new(&mesh, 0.0);
        if round % 5 == 0 {
            // A part far from the frame's origin: coordinates relative to the tree's origin are
            // rounded.
            let away = Vector3::new(1e3, -1e4 / 3.0, 0.1);
            let mut moved = mesh.clone();
            moved.vertices.iter_mut().for_each(|v| *v += away);
            tree = SphereTree::new(&moved, 0.0);
        }
        let shift = if round % 5 == 0 {
            tree.vertices[0].coords
        } else {
            Vector3::zeros()
        };
        for _ in 0..60 {
            let p = if whole {
                Point3::from(Vector3::from_fn(|_, _| r.within(-10, 10) as f64 / 2.0)) + shift
            } else if r.below(4) == 0 {
                // Level with a corner in two coordinates: a ray may go right through it.
                let v = tree.vertices[r.below(tree.vertices.len())];
                let mut p = v + r.vector();
                let k = r.below(3);
                p[k] = v[k];
                p[(k + 1) % 3] = v[(k + 1) % 3];
                p
            } else {
                r.point() * 1.5 + shift
            };
            let turns = turns(&tree, &p);
            if off(&tree, &p) < 1e-9 {
                continue;
            }
            assert!(
                (turns - turns.round()).abs() < 1e-6,
                "round {round}: {turns}"
            );
            let expected = turns.round() != 0.0;
            assert_eq!(tree.contains(&p, None), expected, "round {round}: {p}");
            *if expected { &mut within } else { &mut without } += 1;
        }
    }
    assert!(
        within > 3000 && without > 3000,
        "{within} within, {without} without"
    );
}

/// Regression: the volumes of two halves that share an edge and are wound against each other cancel,
/// and a solid of a metre was taken for a sheet.
#[test]
fn pieces_that_are_wound_against_each_other_enclose_what_they_do() {
    let second = reversed(cube(1.0, Vector3::new(1.0, 1.0, 0.0)));
    // Corners at the same place have the same index.
    let one = |parts: &[Mesh]| {
        let mut mesh = together(parts);
        let same = mesh.welded();
        mesh.triangles
            .iter_mut()
            .for_each(|t| *t = t.map(|c| same[c as usize]));
        mesh
    };
    let mesh = one(&[cube(1.0, Vector3::zeros()), second]);
    assert_eq!(mesh.flat_components(), 0);
    let tree = SphereTree::new(&mesh, 0.0);
    assert!(tree.closed);
    for (x, y, inside) in [(0.0, 0.0, true), (1.0, 1.0, true), (1.0, 0.0, false)] {
        let point = Point3::new(x, y, 0.01);
        assert_eq!(tree.contains(&point, None), inside, "{x} {y}");
    }
    // A box that is drawn from both sides, by other triangles, encloses nothing.
    let mut inner = reversed(cube(1.0, Vector3::zeros()));
    for pair in inner.triangles.chunks_mut(2) {
        let [a, b] = pair else { unreachable!() };
        let shared: Vec<u32> = a.iter().copied().filter(|c| b.contains(c)).collect();
        let own = |t: &[u32; 3]| *t.iter().find(|c| !shared.contains(c)).unwrap();
        let (p, q) = (own(a), own(b));
        let flipped = |t: &[u32; 3], kept: u32, new: u32| {
            t.map(|c| {
                if shared.contains(&c) && c != kept {
                    new
                } else {
                    c
                }
            })
        };
        (*a, *b) = (flipped(a, shared[0], q), flipped(b, shared[1], p));
    }
    let sheet = one(&[cube(1.0, Vector3::zeros()), inner]);
    assert_eq!(sheet.flat_components(), 1);
    assert!(!SphereTree::new(&sheet, 0.0).closed);
}
