//! Curved shapes: the triangles enclose the true surface.

use clearance_proof::geometry::made::Components;
use clearance_proof::geometry::random::Random;

use super::super::round::{self, Cone, Cylinder};
use super::*;

/// How far a point is outside of a convex mesh that is wound outwards; negative inside.
fn outside(mesh: &Mesh, p: &Point3<f64>) -> f64 {
    (0..mesh.triangles.len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            (b - a).cross(&(c - a)).normalize().dot(&(p - a))
        })
        .fold(f64::NEG_INFINITY, f64::max)
}

/// The components of a mesh, and whether all are closed.
fn components(mesh: &Mesh) -> (Vec<Mesh>, bool) {
    let components = Components::new(&mesh.triangles, mesh.vertices.len());
    let part = |component: usize| {
        let of_component = |t: &usize| components.of[*t] as usize == component;
        Mesh {
            vertices: mesh.vertices.clone(),
            triangles: (0..mesh.triangles.len())
                .filter(of_component)
                .map(|t| mesh.triangles[t])
                .collect(),
        }
    };
    assert!(!components.flipped.contains(&true), "neighbours agree");
    let all = (0..components.closed.len()).map(part).collect();
    (all, !components.closed.contains(&false))
}

fn whole_cylinder(radius: f64, height: f64) -> Cylinder {
    Cylinder {
        radius,
        height,
        side: true,
        top: true,
        bottom: true,
    }
}

fn whole_cone(radius: f64, height: f64) -> Cone {
    Cone {
        radius,
        height,
        side: true,
        bottom: true,
    }
}

#[test]
fn solid_round_shapes_lie_between_two_closed_surfaces() {
    let mut r = Random(11);
    for radius in [1e-4, 0.07, 1.0, 40.0] {
        let height = radius * (0.3 + 3.0 * r.unit());
        let turn = std::f64::consts::TAU;
        let (cylinder, cone) = (whole_cylinder(radius, height), whole_cone(radius, height));
        for (shape, what) in [
            (round::sphere(radius), 0),
            (cylinder.round(), 1),
            (cone.round(), 2),
        ] {
            assert!(shape.excess > 0.0 && shape.excess < 1.2e-3 * radius);
            let (parts, closed) = components(&shape.mesh);
            assert!(closed && parts.len() == 2);
            let [outer, inner] = &parts[..] else {
                unreachable!()
            };
            assert!(volume(outer) > volume(inner) && volume(inner) > 0.0);
            for _ in 0..500 {
                let (a, up) = (turn * r.unit(), r.unit());
                let ring = |r: f64, y: f64| Point3::new(r * a.sin(), y, r * a.cos());
                // A point of the curved surface, and its direction outwards.
                let p = match what {
                    0 => ring(
                        radius * (1.0 - (2.0 * up - 1.0).powi(2)).sqrt(),
                        radius * (2.0 * up - 1.0),
                    ),
                    1 => ring(radius, height * (up - 0.5)),
                    _ => ring(radius * (1.0 - up), height * (up - 0.5)),
                };
                assert!(outside(outer, &p) < 1e-15 * radius, "{what} {p}");
                assert!(outside(inner, &p) > -1e-15 * radius, "{what} {p}");
            }
            // No corner stands out by more than the excess.
            for p in outer
                .triangles
                .iter()
                .flatten()
                .map(|&v| outer.vertices[v as usize])
            {
                let allowed = match what {
                    0 => radius,
                    1 => radius,
                    _ => radius * (0.5 - p.y / height),
                };
                let from_axis = if what == 0 {
                    p.coords.norm()
                } else {
                    p.x.hypot(p.z)
                };
                assert!(from_axis - allowed <= shape.excess);
                assert!(what == 0 || p.y.abs() == height / 2.0);
            }
        }
    }
}

#[test]
fn pipes_and_cups_are_walls_and_what_is_left_are_disks() {
    let (radius, height) = (0.5, 2.0);
    let (cylinder, cone) = (whole_cylinder(radius, height), whole_cone(radius, height));
    let open = |top, bottom| {
        let open = Cylinder {
            top,
            bottom,
            ..cylinder
        };
        open.round()
    };
    let open_cone = Cone {
        bottom: false,
        ..cone
    };
    let thin = std::f64::consts::TAU * radius * height * 1e-3;
    for (round, corners) in [
        (open(false, false), 4),
        (open(true, false), 4),
        (open(false, true), 4),
        (open_cone.round(), 2),
    ] {
        let (parts, closed) = components(&round.mesh);
        assert!(closed && parts.len() == 1);
        let volume = volume(&round.mesh);
        assert!(volume > 0.0 && volume < thin, "{volume}");
        assert!(round.mesh.vertices.len() >= corners * round::SIDES as usize);
    }
    // The inside of a pipe is not full.
    let loaded = load("Shape { geometry Cylinder { radius .5 top FALSE bottom FALSE } }");
    assert!(loaded.mesh.triangles.len() == 8 * round::SIDES as usize);
    let disk = Cylinder {
        side: false,
        bottom: false,
        ..cylinder
    };
    let disk = disk.round().mesh;
    assert_eq!(disk.triangles.len(), round::SIDES as usize - 2);
    assert!(
        disk.triangles
            .iter()
            .flatten()
            .all(|&v| disk.vertices[v as usize].y == 1.0)
    );
    let [a, b, c] = disk.corners(0);
    assert!((b - a).cross(&(c - a)).y > 0.0);
    let bottom = Cone {
        side: false,
        ..cone
    };
    let bottom = bottom.round().mesh;
    let [a, b, c] = bottom.corners(0);
    assert!((b - a).cross(&(c - a)).y < 0.0 && a.y == -1.0);
}

#[test]
fn how_far_round_shapes_stand_out_is_said_after_all_transforms() {
    let loaded = load(
        "Transform { scale 10 10 10 rotation 1 1 1 1 children [ Shape { geometry Cylinder { } } Shape { geometry DEF C Cone { } } Shape { geometry USE C } ] }",
    );
    let excess = 10.0 * ((1.0 / (std::f64::consts::PI / f64::from(round::SIDES)).cos()) - 1.0);
    let shown = format!(
        "3 round shapes (sphere, cylinder, cone) between triangles that stand out by at most {:.2e}, in the file's unit",
        excess * 1.01
    );
    assert_eq!(loaded.notes, [shown]);
}
