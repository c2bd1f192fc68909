//! The triangles of bodies, as a geometry file has them.

use std::collections::HashMap;
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::model::Body;
use nalgebra::{Isometry3, Point3};

use crate::CertifyError;
use crate::integers::{length_up, point};
use crate::lines::line;
use crate::order::{FileTriangle, sort};
use crate::sides::sides;

/// All triangles of a body that have one radius: one part of the file.
#[derive(Default)]
pub(crate) struct TrianglesOfRadius {
    radius: i64,
    corners: Vec<PartCorner>,
    triangles: Vec<FileTriangle>,
    /// Where the shapes are that it has corners of.
    body_from_shapes: Vec<Isometry3<f64>>,
    known: HashMap<[i64; 3], u32>,
}

struct PartCorner {
    /// Which one of `body_from_shapes`.
    shape: u32,
    /// In the frame of the shape, metres.
    at: Point3<f64>,
}

/// The body and the frame that a part is written for.
pub(crate) struct PartFrame {
    /// The number of its body in the file.
    pub(crate) body: usize,
    pub(crate) joint_from_body: Isometry3<f64>,
    /// Of the frame that it hangs on, seen from the joint, 2⁻⁴⁰ m.
    pub(crate) origin: [i64; 3],
}

/// The triangles of a body, by their radius. They are in the order that suits this pose of it.
pub(crate) fn triangles(
    body: &Body,
    trees: &[Arc<SphereTree>],
    joint_from_body: &Isometry3<f64>,
) -> Result<Vec<TrianglesOfRadius>, CertifyError> {
    let mut by_radius: Vec<TrianglesOfRadius> = Vec::new();
    for (shape, tree) in body.shapes.iter().zip(trees) {
        let (mesh, radius) = shape.form.mesh_and_radius();
        let sides = match shape.solid {
            Some(false) => vec![0; mesh.triangles.len()],
            _ => sides(&mesh, tree)?,
        };
        let radius = length_up(radius)?;
        let known = by_radius.iter().position(|part| part.radius == radius);
        let known = known.unwrap_or_else(|| {
            by_radius.push(TrianglesOfRadius {
                radius,
                ..TrianglesOfRadius::default()
            });
            by_radius.len() - 1
        });
        let part = &mut by_radius[known];
        let joint_from_shape = joint_from_body * shape.body_from_shape;
        part.body_from_shapes.push(shape.body_from_shape);
        let number = part.body_from_shapes.len() as u32 - 1;
        // Of each vertex of the mesh, the corner that it is, if a triangle has asked.
        let mut of_vertex = vec![None; mesh.vertices.len()];
        for (triangle, side) in mesh.triangles.iter().zip(sides) {
            let mut corners = [0; 3];
            for (corner, &vertex) in corners.iter_mut().zip(triangle) {
                let of_vertex = &mut of_vertex[vertex as usize];
                *corner = match *of_vertex {
                    Some(known) => known,
                    None => {
                        let at = mesh.vertices[vertex as usize];
                        let point = point(&(joint_from_shape * at).coords)?;
                        *of_vertex.insert(part.corner(point, PartCorner { shape: number, at }))
                    }
                };
            }
            if side < 0 {
                corners.swap(1, 2);
            }
            let solid = side != 0;
            part.triangles.push(FileTriangle { corners, solid });
        }
    }
    by_radius.retain(|part| !part.triangles.is_empty());
    for part in &mut by_radius {
        let known = std::mem::take(&mut part.known);
        let mut corners = vec![[0; 3]; known.len()];
        for (point, k) in known {
            corners[k as usize] = point;
        }
        sort(&corners, &mut part.triangles);
    }
    Ok(by_radius)
}

impl TrianglesOfRadius {
    fn corner(&mut self, point: [i64; 3], corner: PartCorner) -> u32 {
        *self.known.entry(point).or_insert_with(|| {
            self.corners.push(corner);
            self.corners.len() as u32 - 1
        })
    }

    /// As a part of a body that stands there.
    pub(crate) fn write(&self, file: &mut Vec<u8>, to: &PartFrame) -> Result<(), CertifyError> {
        let (body, radius) = (to.body, self.radius);
        let (corners, triangles) = (self.corners.len(), self.triangles.len());
        line(file, &format!("part {body} {radius} {corners} {triangles}"));
        for PartCorner { shape, at } in &self.corners {
            let body_from_shape = self.body_from_shapes[*shape as usize];
            let at = point(&(to.joint_from_body * body_from_shape * at).coords)?;
            let at = [0, 1, 2].map(|k| at[k] - to.origin[k]);
            file.extend(at.iter().flat_map(|x| x.to_le_bytes()));
        }
        let corners = self.triangles.iter().flat_map(|t| t.corners);
        file.extend(corners.flat_map(u32::to_le_bytes));
        let bits = (self.triangles.chunks(8))
            .map(|eight| (eight.iter().rev()).fold(0u8, |bits, t| bits << 1 | u8::from(t.solid)));
        file.extend(bits);
        Ok(())
    }
}
