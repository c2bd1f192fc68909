//! The oracle for bulk is exact: triangles on an integer grid, every feature pair in 128-bit
//! integers.

use super::*;
use crate::geometry::random::Random;

type I3 = [i128; 3];
type Grid = [I3; 3];

fn sub(a: I3, b: I3) -> I3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
fn dot(a: I3, b: I3) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross(a: I3, b: I3) -> I3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn point_point(p: I3, q: I3) -> f64 {
    dot(sub(p, q), sub(p, q)) as f64
}

fn point_edge(p: I3, e: [I3; 2]) -> f64 {
    let (d, r) = (sub(e[1], e[0]), sub(p, e[0]));
    let (c, dd) = (dot(d, r), dot(d, d));
    if c <= 0 {
        point_point(p, e[0])
    } else if c >= dd {
        point_point(p, e[1])
    } else {
        let n = cross(d, r);
        dot(n, n) as f64 / dd as f64
    }
}

fn edge_edge(e: [I3; 2], f: [I3; 2]) -> f64 {
    let (d, g, r) = (sub(e[1], e[0]), sub(f[1], f[0]), sub(f[0], e[0]));
    let n = cross(d, g);
    let nn = dot(n, n);
    if nn > 0 {
        let (s, t) = (dot(cross(r, g), n), dot(cross(r, d), n));
        if s >= 0 && s <= nn && t >= 0 && t <= nn {
            let h = dot(n, r);
            return (h * h) as f64 / nn as f64;
        }
    }
    point_edge(e[0], f)
        .min(point_edge(e[1], f))
        .min(point_edge(f[0], e))
        .min(point_edge(f[1], e))
}

/// Height over the plane if the foot lies in the triangle.
fn point_face(p: I3, t: &Grid) -> f64 {
    let n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    let within = (0..3).all(|i| dot(cross(sub(t[(i + 1) % 3], t[i]), sub(p, t[i])), n) >= 0);
    if dot(n, n) == 0 || !within {
        return f64::INFINITY;
    }
    let h = dot(n, sub(p, t[0]));
    (h * h) as f64 / dot(n, n) as f64
}

fn pierces(e: [I3; 2], t: &Grid) -> bool {
    let n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    let (h, k) = (dot(n, sub(e[0], t[0])), dot(n, sub(e[1], t[0])));
    if h.signum() * k.signum() >= 0 {
        return false;
    }
    let d = sub(e[1], e[0]);
    let around = [0, 1, 2].map(|i| dot(d, cross(sub(t[i], e[0]), sub(t[(i + 1) % 3], e[0]))));
    around.iter().all(|&v| v >= 0) || around.iter().all(|&v| v <= 0)
}

fn edges_of(t: &Grid) -> [[I3; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

/// Exact distance, rounded at the very end.
fn twin(a: &Grid, b: &Grid) -> f64 {
    let mut best = f64::INFINITY;
    for e in edges_of(a) {
        for f in edges_of(b) {
            best = best.min(edge_edge(e, f));
        }
        if pierces(e, b) {
            return 0.0;
        }
    }
    for f in edges_of(b) {
        if pierces(f, a) {
            return 0.0;
        }
    }
    for i in 0..3 {
        best = best.min(point_face(a[i], b)).min(point_face(b[i], a));
    }
    best.sqrt()
}

fn extent(corners: &[Point3<f64>]) -> f64 {
    corners
        .iter()
        .flat_map(|p| corners.iter().map(move |q| (p - q).norm()))
        .fold(0.0, f64::max)
}

/// Grid triangles of many kinds: general, flat, needle, degenerate to a segment or a point.
fn grid_triangle(r: &mut Random, size: usize) -> Grid {
    let mut any = |size| [0; 3].map(|_: i32| r.below(size) as i128);
    let (p, q, s) = (any(size), any(size), any(size));
    match r.below(8) {
        0 => [p, q, q],
        1 => [p, p, p],
        2 => [p, [2 * q[0] - p[0], 2 * q[1] - p[1], 2 * q[2] - p[2]], q],
        3 => [p, q, [q[0] + 1, q[1], q[2]]],
        4 => [
            p,
            q,
            [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2 + 1, (p[2] + q[2]) / 2],
        ],
        _ => [p, q, s],
    }
}

/// A partner: free, in the same plane, nearly parallel to an edge, sharing a corner.
fn grid_partner(r: &mut Random, a: &Grid, size: usize) -> Grid {
    let mut b = grid_triangle(r, size);
    match r.below(8) {
        0 => b[0] = a[r.below(3)],
        1 => {
            // In the plane of `a` (integer combinations of its edges).
            let (e, f) = (sub(a[1], a[0]), sub(a[2], a[0]));
            for p in &mut b {
                let (s, t) = (r.within(-1, 2) as i128, r.within(-1, 2) as i128);
                *p = [0, 1, 2].map(|k| a[0][k] + s * e[k] + t * f[k]);
            }
        }
        2 | 3 => {
            // Edges parallel to one of `a`, or off by one unit.
            let shift = [0; 3].map(|_: i32| r.within(-3, 3) as i128);
            let bend = [0; 3].map(|_: i32| r.within(-1, 1) as i128);
            b[0] = [0, 1, 2].map(|k| a[0][k] + shift[k]);
            b[1] = [0, 1, 2].map(|k| a[1][k] + shift[k] + bend[k]);
        }
        _ => {}
    }
    b
}

#[test]
fn agrees_with_exact_integers() {
    let mut r = Random(1);
    let mut worst = 0.0f64;
    let mut crossings = 0;
    for case in 0..200_000 {
        let size = [4, 16, 1024][case % 3];
        let a = grid_triangle(&mut r, size);
        let b = grid_partner(&mut r, &a, size);
        let truth = twin(&a, &b);
        // A unit from 10 µm / 1024 to 1 m, at the origin or 100 m from it; all of it exact in
        // binary.
        let unit = [1.0, 1.0 / 1024.0, 1.0 / 67_108_864.0][case / 3 % 3];
        let offset = [0.0, 100.0][case / 9 % 2];
        let point = |t: &Grid| t.map(|p| Point3::from(p.map(|c| c as f64 * unit + offset)));
        let (fa, fb) = (point(&a), point(&b));
        let found = Closest::of_triangles(&fa, &fb);
        let scale = extent(&[fa, fb].concat());
        let error = (found.distance - truth * unit).abs();
        assert!(
            error <= Closest::ERROR * scale,
            "{a:?} {b:?}: {} instead of {}",
            found.distance,
            truth * unit
        );
        if scale > 0.0 {
            worst = worst.max(error / scale / (f64::EPSILON / 2.0));
        }
        if edges_of(&a).iter().any(|&e| pierces(e, &b)) {
            crossings += 1;
            assert_eq!(found.distance, 0.0);
        }
        // The points are where they should be and as far apart as stated.
        let near = Closest::ERROR * (scale + offset);
        let off_a = Closest::of_point(&found.point_a, &fa).distance;
        let off_b = Closest::of_point(&found.point_b, &fb).distance;
        let gap = (found.point_a - found.point_b).norm();
        assert!(
            off_a <= near && off_b <= near,
            "{a:?} {b:?}: off by {off_a} {off_b}"
        );
        assert!((gap - found.distance).abs() <= near);
        // Either order, either direction.
        let swapped = Closest::of_triangles(&fb, &fa);
        assert!((swapped.distance - found.distance).abs() <= 2.0 * Closest::ERROR * scale);
    }
    assert!(crossings > 5_000, "only {crossings} crossings tried");
    // The documented bound has room: what is seen stays far below it.
    assert!(worst < 16.0, "worst error {worst} units");
}

#[test]
fn parts_agree_with_exact_integers() {
    let mut r = Random(1);
    for case in 0..50_000 {
        let size = [3, 20, 1024][case % 3];
        let a = grid_triangle(&mut r, size);
        let b = grid_partner(&mut r, &a, size);
        let point = |p: I3| Point3::from(p.map(|c| c as f64 + 100.0));
        let (fa, fb) = (a.map(point), b.map(point));
        let error = Closest::ERROR * extent(&[fa, fb].concat());
        let segments = Closest::of_segments(&[fa[0], fa[1]], &[fb[0], fb[1]]);
        let truth = edge_edge([a[0], a[1]], [b[0], b[1]]).sqrt();
        assert!((segments.distance - truth).abs() <= error, "{a:?} {b:?}");
        let point = Closest::of_point(&fa[2], &fb);
        let truth = twin(&[a[2]; 3], &b);
        assert!((point.distance - truth).abs() <= error, "{a:?} {b:?}");
        assert_eq!(point.point_a, fa[2]);
    }
}

#[test]
fn contacts_made_on_purpose_are_found() {
    // Two triangles through one common point, at angles from 1 down to 1e-16, also needles, also
    // 100 m away.
    let mut r = Random(1);
    for case in 0..100_000 {
        let angle = 10f64.powi(-(case % 17));
        let offset = [0.0, 1.0, 100.0][r.below(3)];
        let size = [1e-5, 1e-2, 1.0][r.below(3)];
        let common = r.point() * size + Vector3::repeat(offset);
        let along = r.vector() * size;
        let width = r.vector() * size * [1.0, angle][r.below(2)];
        let triangle = |r: &mut Random, along: Vector3<f64>, width: Vector3<f64>| {
            // The common point on an edge, or inside.
            let share = r.unit();
            let inset = [0.0, r.unit()][r.below(2)];
            [
                common - along * share - width * inset,
                common + along * (1.0 - share) - width * inset,
                common + width,
            ]
        };
        let a = triangle(&mut r, along, width);
        let tilt = r.vector() * size * angle;
        let width = width + r.vector() * size * angle;
        let b = triangle(&mut r, along + tilt, width);
        let found = Closest::of_triangles(&a, &b).distance;
        let scale = extent(&[a, b].concat());
        let limit = Closest::ERROR * scale + 8.0 * f64::EPSILON * (scale + offset);
        assert!(found <= limit, "{found:e} at angle {angle:e}: {a:?} {b:?}");
    }
}

#[test]
fn separations_prove_themselves() {
    // Convex sets: the slab between the closest points is a lower bound that owes nothing to how
    // they were found.
    let mut r = Random(1);
    let mut proved = 0;
    for case in 0..100_000 {
        let flat = 10f64.powi(-(case % 17));
        let vector = |r: &mut Random| Vector3::new(r.signed(), r.signed(), r.signed() * flat);
        let a = [0; 3].map(|_: i32| Point3::from(vector(&mut r)));
        let shift = Vector3::new(r.signed(), r.signed(), r.unit());
        let mut b = [0; 3].map(|_: i32| Point3::from(vector(&mut r) + shift));
        if case % 2 == 0 {
            b[1] = b[0] + (a[1] - a[0]) + vector(&mut r) * flat;
        }
        let found = Closest::of_triangles(&a, &b);
        if found.distance < 1e-3 {
            continue;
        }
        // Where many points are equally near within rounding, a normal of the features proves more
        // than the points do.
        let sides = |t: &[Point3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let (sa, sb) = (sides(&a), sides(&b));
        let mut directions = vec![
            found.point_b - found.point_a,
            sa[0].cross(&sa[1]),
            sb[0].cross(&sb[1]),
        ];
        directions.extend(sa.iter().flat_map(|e| sb.iter().map(move |f| e.cross(f))));
        let short = directions
            .into_iter()
            .flat_map(|n| [n.normalize(), -n.normalize()])
            .map(|n| {
                let top = a
                    .iter()
                    .map(|p| n.dot(&(p - a[0])))
                    .fold(f64::MIN, f64::max);
                let bottom = b
                    .iter()
                    .map(|p| n.dot(&(p - a[0])))
                    .fold(f64::MAX, f64::min);
                found.distance - (bottom - top)
            })
            .fold(f64::INFINITY, f64::min);
        assert!(
            short <= 1e-14 * (1.0 + 1.0 / found.distance),
            "{short:e} short of {}: {a:?} {b:?}",
            found.distance
        );
        proved += 1;
    }
    assert!(proved > 30_000);
}

#[test]
fn a_needle_through_a_needle() {
    let p = |x, y, z| Point3::new(x, y, z);
    let a = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.5, 1e-12, 0.0)];
    let b = [p(0.5, 4e-13, -1.0), p(0.5, 4e-13, 1.0), p(0.5, 5e-13, 0.0)];
    let found = Closest::of_triangles(&a, &b);
    assert_eq!(found.distance, 0.0);
    assert!((found.point_a - p(0.5, 4.5e-13, 0.0)).norm() < 1e-12);
}
