//! Triangle meshes: the exact shape that everything else bounds.

use nalgebra::{Point3, Vector3};

use super::aabb::Aabb;

/// A triangle mesh in metres, in the frame of its shape.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Corner points.
    pub vertices: Vec<Point3<f64>>,
    /// Corner indices, counter-clockwise seen from outside where the mesh has an outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The three corners of one triangle.
    pub fn corners(&self, triangle: usize) -> [Point3<f64>; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// The box around the vertices that triangles use, or `None` without triangles.
    pub fn bounds(&self) -> Option<Aabb> {
        let used = self.triangles.iter().flatten();
        let corners = used.map(|&v| self.vertices[v as usize]);
        (!self.triangles.is_empty()).then(|| Aabb::of(corners))
    }

    /// The mesh scaled along its axes. A mirroring scale turns every triangle round, so that outside stays outside.
    pub fn scaled(mut self, scale: Vector3<f64>) -> Mesh {
        for v in &mut self.vertices {
            v.coords.component_mul_assign(&scale);
        }
        if scale.x * scale.y * scale.z < 0.0 {
            for t in &mut self.triangles {
                t.swap(1, 2);
            }
        }
        self
    }

    /// The same triangles, with one index for all corners at exactly the same place.
    pub fn with_shared_corners(&self) -> Mesh {
        let first = self.welded();
        let shared = |t: &[u32; 3]| t.map(|v| first[v as usize]);
        Mesh {
            vertices: self.vertices.clone(),
            triangles: self.triangles.iter().map(shared).collect(),
        }
    }

    /// For each vertex the first one at exactly the same place (+0 and −0 are the same).
    pub fn welded(&self) -> Vec<u32> {
        let mut first = std::collections::HashMap::with_capacity(self.vertices.len());
        (0u32..)
            .zip(&self.vertices)
            .map(|(i, v)| {
                // Adding 0 turns −0 into +0.
                let place = [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits());
                *first.entry(place).or_insert(i)
            })
            .collect()
    }
}
