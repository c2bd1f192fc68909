//! PLY: ASCII, and binary of both byte orders; vertices and faces of any number of corners.
//!
//! A reader of our own, since counts must be weighed against the size of the file before anything
//! is allocated, and errors should say where.

mod body;
mod header;
#[cfg(test)]
mod tests;

use std::path::Path;

use nalgebra::Point3;

use body::{BinaryReader, PlyBody, PlyPlace, Text};
use header::{PlyFormat, PlyHeader, PlyKind, PlyRole};

use super::checks::{Soup, geometry, shown, vertex_index};
use crate::mesh::count;
use crate::{ImportError, Problem};

pub fn read(bytes: &[u8], name: &Path) -> Result<Soup, ImportError> {
    let header = PlyHeader::read(bytes, name)?;
    let mut body: Box<dyn PlyBody> = match header.format {
        PlyFormat::Ascii => Box::new(Text::new(&bytes[header.length..], header.lines)),
        PlyFormat::Binary { big_endian } => Box::new(BinaryReader {
            bytes,
            at: header.length,
            big_endian,
        }),
    };
    let mut content = Content::default();
    (header.comments.iter()).for_each(|comment| content.soup.comment(comment));
    content
        .read(&header, body.as_mut())
        .map_err(|problem| body.place().error(name, problem))?;
    content.into_soup(name)
}

/// Elements that are read, or say nothing of a surface.
const KNOWN: [&str; 5] = ["vertex", "face", "edge", "camera", "material"];

/// The content of the body.
#[derive(Default)]
struct Content {
    soup: Soup,
    /// Corners of all faces, one after the other. Faces wait for their vertices, which may come
    /// after them.
    corners: Vec<i64>,
    /// End of each face in `corners`, and its place.
    faces: Vec<(usize, PlyPlace)>,
}

impl Content {
    fn read(&mut self, header: &PlyHeader, body: &mut dyn PlyBody) -> Result<(), Problem> {
        for element in header.elements.iter().filter(|e| !e.properties.is_empty()) {
            body.check_room(element)?;
            for _ in 0..element.rows {
                body.start_row(element)?;
                let mut p = Point3::origin();
                for property in &element.properties {
                    match property.kind {
                        PlyKind::Scalar(number) => {
                            let value = body.value(number)?;
                            if let PlyRole::Coordinate(axis) = property.role {
                                p[axis] = coordinate(value)?;
                            }
                        }
                        PlyKind::List { length, item } => {
                            let n = body.length(length, item)?;
                            let faces = property.role == PlyRole::Corners;
                            for _ in 0..n {
                                let value = body.value(item)?;
                                if faces {
                                    self.corners.push(value as i64);
                                }
                            }
                            if faces {
                                self.end_face(n, body.place())?;
                            }
                        }
                    }
                }
                body.end_row(element)?;
                if element.name == "vertex" {
                    self.soup.vertices.push(p);
                }
            }
        }
        let others = header
            .elements
            .iter()
            .filter(|e| !KNOWN.contains(&&*e.name));
        for element in others.filter(|e| e.rows > 0) {
            self.soup.notes.push(format!(
                "{} of the element `{}` ignored",
                count(element.rows, "row"),
                shown(&element.name)
            ));
        }
        body.finish()
    }

    fn end_face(&mut self, corners: usize, place: PlyPlace) -> Result<(), Problem> {
        if corners < 3 {
            return Err(geometry(
                format!("a face has {}", count(corners, "corner")),
                "a face needs three corners or more",
            ));
        }
        self.faces.push((self.corners.len(), place));
        Ok(())
    }

    fn into_soup(self, name: &Path) -> Result<Soup, ImportError> {
        let mut soup = self.soup;
        let mut start = 0;
        let mut face = vec![];
        let mut used = vec![false; soup.vertices.len()];
        for (end, place) in self.faces {
            face.clear();
            for &corner in &self.corners[start..end] {
                let index = vertex_index(corner, soup.vertices.len());
                let index = index.map_err(|problem| place.error(name, problem))?;
                used[index as usize] = true;
                face.push(index);
            }
            soup.add_face(&face);
            start = end;
        }
        let unused = used.iter().filter(|used| !**used).count();
        if unused > 0 && !soup.triangles.is_empty() {
            let what = count(unused, "vertex").replace("vertexs", "vertices");
            soup.notes.push(format!(
                "{what} that no face uses left out: points have no surface"
            ));
        }
        Ok(soup)
    }
}

fn coordinate(value: f64) -> Result<f64, Problem> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(Problem::BadValue {
        what: "a coordinate".to_owned(),
        value: format!("`{value}`"),
        remedy: "every coordinate must be finite".to_owned(),
    })
}
