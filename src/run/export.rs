//! Spheres and cubes as a mesh that any viewer shows.

use std::collections::HashMap;
use std::fmt::Write as _;

use nalgebra::{Point3, Vector3};

/// A sphere or a cube to be shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// Its centre, metres.
    pub center: Point3<f64>,
    /// Its radius, of a cube half its edge, metres.
    pub radius: f64,
}

/// The look of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Spheres.
    Spheres,
    /// Cubes along the axes.
    Cubes,
}

/// File formats that viewers read, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// Wavefront OBJ.
    Obj,
    /// PLY.
    Ply,
}

/// Up to this many spheres are shown with 80 faces each, more with 20.
pub const ROUND: usize = 20_000;

/// Cubes as they are, spheres as small icospheres, whose corners lie on them.
pub fn picture(marks: &[Mark], look: Look, format: PictureFormat) -> String {
    let (corners, faces) = match look {
        Look::Spheres => icosphere(marks.len() <= ROUND),
        Look::Cubes => cube(),
    };
    let mut text = match format {
        PictureFormat::Obj => String::new(),
        PictureFormat::Ply => format!(
            "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
             element face {}\nproperty list uchar int vertex_indices\nend_header\n",
            marks.len() * corners.len(),
            marks.len() * faces.len(),
        ),
    };
    let start = match format {
        PictureFormat::Obj => "v ",
        PictureFormat::Ply => "",
    };
    for mark in marks {
        for corner in &corners {
            let p = mark.center + corner * mark.radius;
            // A text that is written into memory does not fail.
            let _ = writeln!(text, "{start}{:.7} {:.7} {:.7}", p.x, p.y, p.z);
        }
    }
    for mark in 0..marks.len() {
        for face in &faces {
            let [a, b, c] = face.map(|corner| mark * corners.len() + corner);
            // OBJ counts from one.
            let _ = match format {
                PictureFormat::Obj => writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1),
                PictureFormat::Ply => writeln!(text, "3 {a} {b} {c}"),
            };
        }
    }
    text
}

/// Corners of a cube of edge 2 and its faces, wound outwards.
fn cube() -> (Vec<Vector3<f64>>, Vec<[usize; 3]>) {
    let corner = |k: usize| Vector3::from_fn(|axis, _| if k >> axis & 1 == 1 { 1.0 } else { -1.0 });
    let faces = (0..3).flat_map(|axis| {
        let [x, u, v] = [axis, (axis + 1) % 3, (axis + 2) % 3].map(|axis| 1 << axis);
        [
            [0, v, u + v],
            [0, u + v, u],
            [x, x + u, x + u + v],
            [x, x + u + v, x + v],
        ]
    });
    ((0..8).map(corner).collect(), faces.collect())
}

/// Corners of a ball of radius 1 and its faces, wound outwards: an icosahedron, or one with each
/// face cut in four.
fn icosphere(round: bool) -> (Vec<Vector3<f64>>, Vec<[usize; 3]>) {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let mut corners = Vec::new();
    for axis in 0..3 {
        for (short, long) in [
            (1.0, golden),
            (1.0, -golden),
            (-1.0, golden),
            (-1.0, -golden),
        ] {
            let mut corner = Vector3::zeros();
            corner[axis] = short;
            corner[(axis + 1) % 3] = long;
            corners.push(corner.normalize());
        }
    }
    // Faces are the triples of neighbours.
    let edge = 1.0 / (golden * 5f64.sqrt()).sqrt() * 2.0;
    let neighbours = |a: usize, b: usize| (corners[a] - corners[b]).norm() < edge * 1.01;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if neighbours(a, b) && neighbours(b, c) && neighbours(c, a) {
                    let outwards = corners[a].cross(&corners[b]).dot(&corners[c]) > 0.0;
                    faces.push(if outwards { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    if !round {
        return (corners, faces);
    }
    let mut middles = HashMap::new();
    let mut middle = |a: usize, b: usize| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            corners.push((corners[a] + corners[b]).normalize());
            corners.len() - 1
        })
    };
    let cut = faces.iter().flat_map(|&[a, b, c]| {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    });
    let faces = cut.collect();
    (corners, faces)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clearance_formats::mesh::parse;

    use super::*;

    #[test]
    fn pictures_are_closed_spheres_where_they_belong() {
        let balls = [
            Mark {
                center: Point3::new(1.0, -2.0, 0.5),
                radius: 0.25,
            },
            Mark {
                center: Point3::new(-1.0, 0.0, 0.0),
                radius: 0.125,
            },
        ];
        for (format, name) in [(PictureFormat::Obj, "a.obj"), (PictureFormat::Ply, "a.ply")] {
            let text = picture(&balls, Look::Spheres, format);
            let mesh = parse(text.as_bytes(), Path::new(name)).unwrap().mesh;
            assert_eq!(mesh.triangles.len(), 160, "{name}");
            let tree = clearance_proof::bvh::SphereTree::new(&mesh, 0.0);
            assert!(tree.closed && tree.components.len() == 2, "{name}");
            // Every corner lies on its sphere, and the volume is little less than a ball's.
            let mut volume = 0.0;
            for (index, corners) in (0..160).map(|t| (t, mesh.corners(t))) {
                let ball = &balls[index / 80];
                for corner in corners {
                    let away = (corner - ball.center).norm();
                    assert!((away - ball.radius).abs() < 1e-6, "{name}");
                }
                let [a, b, c] = corners.map(|c| c - ball.center);
                volume += a.cross(&b).dot(&c) / 6.0;
            }
            let full: f64 = balls.iter().map(|b| b.radius.powi(3)).sum::<f64>() * 4.18879;
            assert!(
                volume > 0.85 * full && volume < full,
                "{name} {volume} {full}"
            );
        }
        // Cubes are exact, and wound outwards like everything else.
        let text = picture(&balls, Look::Cubes, PictureFormat::Obj);
        let mesh = parse(text.as_bytes(), Path::new("a.obj")).unwrap().mesh;
        let tree = clearance_proof::bvh::SphereTree::new(&mesh, 0.0);
        assert!(tree.closed && tree.components.len() == 2 && mesh.triangles.len() == 24);
        for (ball, first) in balls.iter().zip([0, 12]) {
            let volumes = (first..first + 12).map(|t| {
                let [a, b, c] = mesh.corners(t).map(|c| c - ball.center);
                a.cross(&b).dot(&c) / 6.0
            });
            let volume: f64 = volumes.sum();
            assert!(
                (volume - 8.0 * ball.radius.powi(3)).abs() < 1e-9,
                "{volume}"
            );
        }
        let (corners, faces) = icosphere(false);
        assert_eq!((corners.len(), faces.len()), (12, 20));
        let many = vec![balls[0]; ROUND + 1];
        assert_eq!(
            picture(&many, Look::Spheres, PictureFormat::Obj)
                .matches('f')
                .count(),
            20 * many.len()
        );
    }
}
