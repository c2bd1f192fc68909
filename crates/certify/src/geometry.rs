//! The geometry file: the cell as integers.

use std::collections::HashMap;
use std::fmt::Write;

use clearance_proof::model::{BodyId, Cell, JointKind};
use clearance_proof::pairs::PairTable;

use crate::CertifyError;
use crate::order::sort;
use crate::place::{length_up, place, share};

/// The geometry file of a cell; `clearance` is the distance D of pairs that have none of their own,
/// metres.
///
/// # Errors
/// When something is too far away for it.
pub fn geometry(cell: &Cell, table: &PairTable, clearance: f64) -> Result<Vec<u8>, CertifyError> {
    let mut file = b"clearance-geometry 1\n".to_vec();
    for (id, joint) in cell.joints.iter().enumerate() {
        let parent = index(joint.parent);
        let kind = match joint.kind {
            JointKind::Prismatic => "slides",
            JointKind::Revolute | JointKind::Continuous => "turns",
        };
        let q = joint.parent_from_joint.rotation;
        let q = numbers(&[q.w, q.i, q.j, q.k].map(share));
        let at = numbers(&place(&joint.parent_from_joint.translation.vector)?);
        let axis = numbers(&[joint.axis.x, joint.axis.y, joint.axis.z].map(share));
        let name = one_line(&cell.joint_label(id));
        line(
            &mut file,
            &format!("joint {parent} {kind} {q} {at} {axis} {name}"),
        );
    }
    for body in &cell.bodies {
        let name = one_line(&body.name);
        line(&mut file, &format!("body {} {name}", index(body.joint)));
    }
    for body in 0..cell.bodies.len() {
        parts(&mut file, cell, body)?;
    }
    for pair in &table.checked {
        let apart = length_up(pair.clearance.unwrap_or(clearance))?;
        line(&mut file, &format!("check {} {} {apart}", pair.a, pair.b));
    }
    for pair in &table.excluded {
        // These keep their distance, and the checker knows that by itself.
        if cell.bodies[pair.a].joint != cell.bodies[pair.b].joint {
            let reason = one_line(&pair.reason.to_string());
            line(&mut file, &format!("leave {} {} {reason}", pair.a, pair.b));
        }
    }
    for said in cell.unchecked.iter().chain(&cell.notices) {
        let text = one_line(&format!("{}: {}", said.subject, said.message));
        line(&mut file, &format!("note {text}"));
    }
    line(&mut file, "end");
    Ok(file)
}

/// All triangles of a body with one radius make one part.
fn parts(file: &mut Vec<u8>, cell: &Cell, body: BodyId) -> Result<(), CertifyError> {
    let what = &cell.bodies[body];
    let mut by_radius: Vec<(i64, BodyPart)> = Vec::new();
    for shape in &what.shapes {
        let (mesh, radius) = shape.form.mesh_and_radius();
        let radius = length_up(radius)?;
        let joint_from_shape = what.joint_from_body * shape.body_from_shape;
        let known = by_radius.iter().position(|(r, _)| *r == radius);
        let known = known.unwrap_or_else(|| {
            by_radius.push((radius, BodyPart::default()));
            by_radius.len() - 1
        });
        let part = &mut by_radius[known].1;
        for triangle in 0..mesh.triangles.len() {
            let mut corners = [0; 3];
            for (corner, p) in corners.iter_mut().zip(mesh.corners(triangle)) {
                *corner = part.corner(place(&(joint_from_shape * p).coords)?);
            }
            part.triangles.push(corners);
        }
    }
    for (radius, mut part) in by_radius {
        if part.triangles.is_empty() {
            continue;
        }
        sort(&part.corners, &mut part.triangles);
        let (corners, triangles) = (part.corners.len(), part.triangles.len());
        line(file, &format!("part {body} {radius} {corners} {triangles}"));
        file.extend(part.corners.iter().flatten().flat_map(|x| x.to_le_bytes()));
        file.extend(
            part.triangles
                .iter()
                .flatten()
                .flat_map(|k| k.to_le_bytes()),
        );
    }
    Ok(())
}

#[derive(Default)]
struct BodyPart {
    corners: Vec<[i64; 3]>,
    triangles: Vec<[u32; 3]>,
    known: HashMap<[i64; 3], u32>,
}

impl BodyPart {
    fn corner(&mut self, place: [i64; 3]) -> u32 {
        *self.known.entry(place).or_insert_with(|| {
            self.corners.push(place);
            self.corners.len() as u32 - 1
        })
    }
}

fn index(which: Option<usize>) -> String {
    which.map_or("-1".to_owned(), |k| k.to_string())
}

fn numbers(all: &[i64]) -> String {
    let mut text = String::new();
    for x in all {
        let gap = if text.is_empty() { "" } else { " " };
        write!(text, "{gap}{x}").unwrap_or(());
    }
    text
}

/// A text from outside as the rest of a line.
pub(crate) fn one_line(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { '?' } else { c });
    plain.collect()
}

pub(crate) fn line(file: &mut Vec<u8>, text: &str) {
    file.extend(text.as_bytes());
    file.push(b'\n');
}
