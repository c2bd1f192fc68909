//! A kitchen by formula, of about 170,000 triangles, for an arm that stands in the origin on the
//! counter. Only sums, products and roots make the shapes, so they are the same to the last bit
//! everywhere.

use clearance_proof::geometry::mesh::Mesh;
use nalgebra::{Point3, Vector3};

/// Points of a circle of radius 1: a power of two, at least 4.
fn circle(count: usize) -> Vec<[f64; 2]> {
    let mut points = vec![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    while points.len() < count {
        let n = points.len();
        let halved = (0..n).flat_map(|k| {
            let ([x, y], [u, v]) = (points[k], points[(k + 1) % n]);
            let (a, b) = (x + u, y + v);
            let length = f64::sqrt(a * a + b * b);
            [[x, y], [a / length, b / length]]
        });
        points = halved.collect();
    }
    points
}

/// A closed profile of (radius, height) turned about the vertical through `at`; radius 0 only at
/// both ends, or nowhere (a ring). Each interval of the profile is cut into `cuts`, the circle into
/// `around`.
fn turned(at: [f64; 3], profile: &[[f64; 2]], ring: bool, cuts: usize, around: usize) -> Mesh {
    let mut fine = Vec::new();
    let intervals = if ring {
        profile.len()
    } else {
        profile.len() - 1
    };
    for k in 0..intervals {
        let ([r, z], [s, w]) = (profile[k], profile[(k + 1) % profile.len()]);
        for cut in 0..cuts {
            let share = cut as f64 / cuts as f64;
            fine.push([r + (s - r) * share, z + (w - z) * share]);
        }
    }
    if !ring {
        fine.extend(profile.last());
    }
    let circle = circle(around);
    let mut mesh = Mesh::default();
    for [r, z] in &fine {
        let place = |[x, y]: &[f64; 2]| Point3::new(at[0] + r * x, at[1] + r * y, at[2] + z);
        mesh.vertices.extend(circle.iter().map(place));
    }
    let n = circle.len();
    let index = |row: usize, k: usize| ((row % fine.len()) * n + k % n) as u32;
    let rows = if ring { fine.len() } else { fine.len() - 1 };
    for row in 0..rows {
        for k in 0..n {
            let [a, b, c, d] = [
                index(row, k),
                index(row, k + 1),
                index(row + 1, k + 1),
                index(row + 1, k),
            ];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    // Where the profile meets the axis a ring of corners is one point.
    let distinct = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
        a != b && b != c && c != a
    };
    mesh.triangles = mesh
        .triangles
        .iter()
        .filter(|t| distinct(t))
        .copied()
        .collect();
    mesh
}

/// A box between two corners, each face cut into squares of about that edge.
pub fn slab(low: [f64; 3], high: [f64; 3], edge: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let (low, high) = (Vector3::from(low), Vector3::from(high));
    let count = |k: usize| (((high[k] - low[k]) / edge).round() as usize).max(1);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (nu, nv) = (count(u), count(v));
        for side in 0..2 {
            let first = mesh.vertices.len() as u32;
            for i in 0..=nu {
                for j in 0..=nv {
                    let mut p = if side == 0 { low } else { high };
                    p[u] = low[u] + (high[u] - low[u]) * i as f64 / nu as f64;
                    p[v] = low[v] + (high[v] - low[v]) * j as f64 / nv as f64;
                    mesh.vertices.push(Point3::from(p));
                }
            }
            let at = |i: usize, j: usize| first + (i * (nv + 1) + j) as u32;
            for i in 0..nu {
                for j in 0..nv {
                    let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                    let faces = [[a, b, c], [a, c, d]];
                    // Seen from outside, counter-clockwise.
                    mesh.triangles.extend(
                        faces.map(|[a, b, c]| if side == 0 { [a, c, b] } else { [a, b, c] }),
                    );
                }
            }
        }
    }
    mesh
}

/// A plain box of twelve triangles.
fn block(low: [f64; 3], high: [f64; 3]) -> Mesh {
    slab(low, high, f64::INFINITY)
}

/// A vessel with a wall: outer radii and heights from the bottom up, and the wall's thickness,
/// metres.
fn vessel(at: [f64; 3], outside: &[[f64; 2]], wall: f64, cuts: usize, around: usize) -> Mesh {
    let mut profile = vec![[0.0, outside[0][1]]];
    profile.extend(outside);
    for [r, z] in outside.iter().rev() {
        profile.push([r - wall, z.max(outside[0][1] + wall)]);
    }
    profile.push([0.0, outside[0][1] + wall]);
    turned(at, &profile, false, cuts, around)
}

/// Everything in the kitchen, one mesh a thing. The counter's top lies at −5 mm, the arm's foot
/// at 0.
pub fn kitchen() -> Vec<Mesh> {
    let top = -0.005;
    let mut things = vec![
        // Floor, two walls, the counter behind and beside the arm, its top.
        block([-1.6, -1.8, -0.95], [1.8, 1.8, -0.90]),
        block([-1.65, -1.8, -0.95], [-1.6, 1.8, 1.6]),
        block([-1.6, 1.8, -0.95], [1.8, 1.85, 1.6]),
        slab([-0.75, -1.5, -0.04], [0.75, 1.5, top], 0.1),
    ];
    // Cupboards under the counter with their doors and handles.
    for k in 0..5 {
        let y = -1.5 + 0.6 * k as f64;
        things.push(block([-0.7, y + 0.005, -0.85], [0.70, y + 0.595, -0.05]));
        things.push(block([0.705, y + 0.01, -0.84], [0.725, y + 0.59, -0.06]));
        let ring = [[0.035, 0.0], [0.042, 0.004], [0.035, 0.008], [0.028, 0.004]];
        things.push(turned([0.755, y + 0.3, -0.3], &ring, true, 2, 32));
    }
    // A hob of four burners with pots on two of them.
    for (k, [x, y]) in [[0.30, 0.42], [0.56, 0.42], [0.30, 0.72], [0.56, 0.72]]
        .into_iter()
        .enumerate()
    {
        let ring = [[0.085, 0.0], [0.095, 0.006], [0.085, 0.012], [0.075, 0.006]];
        things.push(turned([x, y, top + 0.002], &ring, true, 3, 64));
        if k % 3 != 1 {
            let pot = [[0.090, 0.0], [0.100, 0.010], [0.102, 0.12], [0.108, 0.125]];
            things.push(vessel([x, y, top + 0.016], &pot, 0.003, 9, 64));
        }
    }
    // Bowls, cups with their saucers, a stack of plates.
    for (x, y) in [(0.38, -0.10), (0.20, -0.45), (0.52, -0.42)] {
        let bowl = [[0.030, 0.0], [0.060, 0.015], [0.085, 0.045], [0.095, 0.080]];
        things.push(vessel([x, y, top + 0.001], &bowl, 0.004, 7, 64));
    }
    for k in 0..6 {
        let (x, y) = (0.30 + 0.09 * k as f64, -0.72 - 0.02 * (k % 2) as f64);
        let saucer = [[0.030, 0.0], [0.040, 0.003], [0.042, 0.008]];
        things.push(vessel([x, y, top + 0.001], &saucer, 0.002, 3, 32));
        let cup = [[0.022, 0.0], [0.032, 0.02], [0.036, 0.06]];
        things.push(vessel([x, y, top + 0.006], &cup, 0.003, 6, 32));
    }
    for k in 0..8 {
        let plate = [[0.060, 0.0], [0.085, 0.004], [0.120, 0.016]];
        let z = top + 0.001 + 0.006 * k as f64;
        things.push(vessel([0.55, 0.02, z], &plate, 0.004, 3, 64));
    }
    // Bottles at the wall, jars on a shelf over the counter, a lamp over everything.
    for k in 0..6 {
        let bottle = [
            [0.036, 0.0],
            [0.038, 0.01],
            [0.038, 0.16],
            [0.016, 0.21],
            [0.014, 0.29],
        ];
        let at = [
            -0.55 + 0.02 * (k % 2) as f64,
            -0.60 + 0.12 * k as f64,
            top + 0.001,
        ];
        things.push(vessel(at, &bottle, 0.003, 6, 32));
    }
    things.push(block([-0.72, -0.8, 0.62], [-0.42, 0.8, 0.64]));
    for k in 0..7 {
        let jar = [[0.045, 0.0], [0.050, 0.01], [0.050, 0.12], [0.040, 0.13]];
        things.push(vessel(
            [-0.57, -0.6 + 0.2 * k as f64, 0.641],
            &jar,
            0.003,
            7,
            32,
        ));
    }
    let lamp = [[0.02, 0.0], [0.16, -0.02], [0.17, -0.12]];
    let shade: Vec<[f64; 2]> = lamp.iter().rev().copied().collect();
    things.push(turned(
        [0.30, 0.10, 1.15],
        &[
            shade.clone(),
            lamp.map(|[r, z]| [r - 0.004, z - 0.004]).to_vec(),
        ]
        .concat(),
        true,
        6,
        64,
    ));
    // A tap over a sink, and a rack of rods.
    let tap = [[0.012, 0.0], [0.014, 0.01], [0.012, 0.25], [0.0, 0.26]];
    things.push(turned(
        [-0.40, 0.95, top + 0.001],
        &[[[0.0, 0.0]].to_vec(), tap.to_vec()].concat(),
        false,
        5,
        32,
    ));
    for k in 0..16 {
        let rod = [[0.0, 0.0], [0.003, 0.0], [0.003, 0.18], [0.0, 0.18]];
        let at = [
            -0.10 + 0.03 * (k % 8) as f64,
            -0.55 - 0.12 * (k / 8) as f64,
            top + 0.001,
        ];
        things.push(turned(at, &rod, false, 3, 16));
    }
    things
}
