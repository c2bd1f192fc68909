//! Small meshes.

use clearance_proof::geometry::mesh::Mesh;
use nalgebra::{Point3, Vector3};

use super::Random;

/// Corners and triangles.
pub fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
    Mesh {
        vertices: vertices.iter().map(|&v| Point3::from(v)).collect(),
        triangles: triangles.to_vec(),
    }
}

/// The core of a ball.
pub fn point() -> Mesh {
    mesh(&[[0.0; 3]], &[[0, 0, 0]])
}

/// A box between two corners.
pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> Mesh {
    let pick = |bit: usize, k: usize| if bit >> k & 1 == 0 { low[k] } else { high[k] };
    let corners: Vec<[f64; 3]> = (0..8)
        .map(|i| [pick(i, 0), pick(i, 1), pick(i, 2)])
        .collect();
    let faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles: Vec<[u32; 3]> = faces
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    mesh(&corners, &triangles)
}

/// A box of these half edges about the origin.
pub fn block(half: Vector3<f64>) -> Mesh {
    cuboid((-half).into(), half.into())
}

/// An octahedron, or (32 triangles) one with its edges halved, on a sphere of radius 1.
pub fn ball(fine: bool) -> Mesh {
    let axes: Vec<[f64; 3]> = vec![
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [-1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, -1.0],
    ];
    let mut faces = vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2]];
    faces.extend([[1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]);
    let coarse = mesh(&axes, &faces);
    if !fine {
        return coarse;
    }
    let mut out = Mesh::default();
    for i in 0..coarse.triangles.len() {
        let [a, b, c] = coarse.corners(i).map(|p| p.coords);
        let [ab, bc, ca] = [a + b, b + c, c + a].map(|v| v.normalize());
        for t in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            let first = out.vertices.len() as u32;
            out.vertices.extend(t.map(Point3::from));
            out.triangles.push([first, first + 1, first + 2]);
        }
    }
    out
}

/// Two meshes as one.
pub fn joined(mut a: Mesh, b: &Mesh) -> Mesh {
    let first = a.vertices.len() as u32;
    a.vertices.extend(&b.vertices);
    let moved = b.triangles.iter().map(|t| t.map(|v| v + first));
    a.triangles.extend(moved);
    a
}

/// A shape of any kind, at most about `size` large.
pub fn any(random: &mut Random, size: f64) -> Mesh {
    let shape = match random.below(8) {
        0 => Mesh {
            vertices: (0..4).map(|_| Point3::from(random.vector())).collect(),
            triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]],
        },
        1 => block(Vector3::new(random.unit(), random.unit(), 1.0)),
        // A needle, a thin plate.
        2 => block(Vector3::new(1e-3, 1e-3, 1.0)),
        3 => block(Vector3::new(1.0, 1.0, random.spread(1e-5, 1e-2))),
        4 => ball(random.one_in(2)),
        // A wall of two triangles.
        5 => mesh(
            &[
                [-1.0, -1.0, 0.0],
                [1.0, -1.0, 0.0],
                [1.0, 1.0, 0.0],
                [-1.0, 1.0, 0.0],
            ],
            &[[0, 1, 2], [0, 2, 3]],
        ),
        // Nested shells.
        6 => joined(ball(false), &ball(false).scaled(Vector3::repeat(0.6))),
        // Loose triangles, slivers among them.
        _ => {
            let mut soup = Mesh::default();
            for i in 0..1 + random.below(10) as u32 {
                let p = random.vector();
                let grain = random.spread(1e-3, 1.0);
                for _ in 0..3 {
                    soup.vertices
                        .push(Point3::from(p + random.vector() * grain));
                }
                soup.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
            }
            soup
        }
    };
    let mirror = if random.one_in(4) { -1.0 } else { 1.0 };
    let mut shape = shape.scaled(Vector3::new(mirror, 1.0, 1.0) * size);
    if random.one_in(5) {
        // Drawn far from its own origin.
        let away = random.vector() * 2.0;
        for v in &mut shape.vertices {
            *v += away;
        }
    }
    shape
}
