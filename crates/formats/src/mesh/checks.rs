//! The checks of every mesh, whatever format it came in.

use std::cmp::Ordering;
use std::path::Path;

use clearance_proof::geometry::mesh::{Mesh, Welder};
use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use rayon::prelude::*;

use super::count;
use super::polygon::Cutter;
use super::{CommentUnit, LoadedMesh};
pub(crate) use crate::error::shown;
use crate::lines::{LONE_RETURN, break_of_some_readers, lone_return};
use crate::{ImportError, Problem};

/// Nothing that a robot can reach is this far away, in metres: beyond it a number is a mistake, not
/// a place.
const FARTHEST_M: f64 = 1e7;

/// No file may grow into more triangles than this (instances of instances can, from a few lines).
pub const MOST_TRIANGLES: usize = 20_000_000;

/// Triangles that copies may always grow to; a file may become memory beyond that only in
/// proportion to what it describes.
const COPIES_ANYWAY: usize = 4_000_000;

/// Copies of all that a file describes, on the average, beyond [`COPIES_ANYWAY`] triangles.
const MOST_COPIES: usize = 100;

/// The result of a reader: points and triangles as the file has them.
#[derive(Debug, Default)]
pub struct Soup {
    pub vertices: Vec<Point3<f64>>,
    pub triangles: Vec<[u32; 3]>,
    /// Whether the points come from a [`Welder`]: finite, all different, all used.
    pub welded: bool,
    pub notes: Vec<String>,
    /// The up axis that the file states, where it is another one than z.
    pub up_axis: Option<&'static str>,
    /// What can be read in two ways until somebody states the scale.
    pub unit_doubt: Option<String>,
    /// The first comment that states another unit than metres.
    pub comment_unit: Option<CommentUnit>,
    /// How far the triangles may be from those of another way of cutting the polygons.
    pub bend: f64,
    /// Whether it has open round shapes, whose walls have both sides: no hole of them is to be seen.
    pub open_walls: bool,
    /// Size of the shapes of which copies are placed, in triangles, each shape counted once.
    pub described: usize,
    /// Cuts polygons into triangles and remembers what was unusual about them.
    pub cutter: Cutter,
}

impl Soup {
    /// Adds one face of three corners or more, given as indices into `vertices` that were checked
    /// before.
    pub fn add_face(&mut self, corners: &[u32]) {
        let bend = self
            .cutter
            .cut(&self.vertices, corners, &mut self.triangles);
        self.bend = self.bend.max(bend);
    }

    /// Takes note of a comment or a heading, if it states another unit than metres.
    pub fn comment(&mut self, line: &str) {
        if self.comment_unit.is_none() {
            self.comment_unit = CommentUnit::of(line);
        }
    }

    /// Counts a shape of which copies will be placed.
    pub fn describe(&mut self, shape: &Soup) {
        self.described += shape.triangles.len().max(shape.vertices.len().div_ceil(3));
    }

    /// Triangles that copies may grow to.
    fn most_triangles(&self) -> usize {
        self.described
            .saturating_mul(MOST_COPIES)
            .clamp(COPIES_ANYWAY, MOST_TRIANGLES)
    }

    /// Adds one copy of a shape, moved by an affine transform.
    pub fn place(&mut self, shape: &Soup, here_from_shape: &Matrix4<f64>) -> Result<(), Problem> {
        let most = self.most_triangles();
        if self.triangles.len().saturating_add(shape.triangles.len()) > most
            || self.vertices.len().saturating_add(shape.vertices.len()) > 3 * most
        {
            return Err(geometry(
                format!(
                    "the instances of the scene grow to more than {most} triangles, from {} that it describes",
                    self.described
                ),
                "export a simpler mesh for collision checking",
            ));
        }
        let turn: Matrix3<f64> = here_from_shape.fixed_view::<3, 3>(0, 0).into();
        let shift: Vector3<f64> = here_from_shape.fixed_view::<3, 1>(0, 3).into();
        let first = self.vertices.len() as u32;
        let moved = |p: &Point3<f64>| Point3::from(turn * p.coords + shift);
        self.vertices.extend(shape.vertices.iter().map(moved));
        if shape.bend > 0.0 {
            let stretch = turn.singular_values().max();
            self.bend = self.bend.max(stretch * shape.bend);
        }
        self.open_walls |= shape.open_walls;
        // A mirror turns triangles round, so that outside stays outside.
        let mirrored = turn.determinant() < 0.0;
        self.triangles
            .extend(shape.triangles.iter().map(|&[a, b, c]| {
                let [b, c] = if mirrored { [c, b] } else { [b, c] };
                [first + a, first + b, first + c]
            }));
        Ok(())
    }
}

/// Line and column of a byte of a text, both counted from 1.
pub fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let text = text.as_bytes();
    let before = &text[..byte.min(text.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
    (line, column)
}

pub fn syntax(cause: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.into(),
    }
}

pub fn geometry(cause: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem::Geometry {
        cause: cause.into(),
        remedy: remedy.into(),
    }
}

pub fn unsupported(what: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem::Unsupported {
        what: what.into(),
        remedy: remedy.into(),
    }
}

/// A finite number from text.
pub fn number(token: &str) -> Result<f64, Problem> {
    let problem = |what: &str, remedy: &str| Problem::BadValue {
        what: what.to_owned(),
        value: format!("`{}`", shown(token)),
        remedy: remedy.to_owned(),
    };
    match token.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err(problem("a coordinate", "every coordinate must be finite")),
        Err(_) => Err(problem(
            "what should be a number",
            "write numbers like 0.125 or 1.25e-1",
        )),
    }
}

/// The 32-bit index of a vertex, if it is one of `vertices`.
pub fn vertex_index(index: i64, vertices: usize) -> Result<u32, Problem> {
    match u32::try_from(index) {
        Ok(i) if (i as usize) < vertices => Ok(i),
        _ => Err(geometry(
            format!("a face refers to vertex {index} (counted from 0) of {vertices}"),
            "export the mesh again",
        )),
    }
}

/// A scale that keeps a body a body.
pub fn scale(scale: Vector3<f64>) -> Result<(), Problem> {
    if scale.iter().all(|s| s.is_finite() && *s != 0.0) {
        return Ok(());
    }
    Err(Problem::BadValue {
        what: "the mesh scale".to_owned(),
        value: format!("`{} {} {}`", scale.x, scale.y, scale.z),
        remedy: "give three finite numbers other than zero, such as 0.001 0.001 0.001".to_owned(),
    })
}

/// No coordinate is out of any robot's world once the scale is applied.
pub fn within_reach(mesh: &Mesh) -> Result<(), Problem> {
    // Not `amax` of each vertex: it would pass over a NaN.
    let far = |x: &&f64| {
        !matches!(
            x.abs().partial_cmp(&FARTHEST_M),
            Some(Ordering::Less | Ordering::Equal)
        )
    };
    let mut vertices = mesh.vertices.iter();
    match vertices.find_map(|v| v.iter().find(far)) {
        None => Ok(()),
        Some(x) => Err(geometry(
            format!("a coordinate is {x:e} m after scaling, farther than {FARTHEST_M:e} m"),
            "check the mesh scale and the unit in which the mesh was exported",
        )),
    }
}

/// Welds equal points, drops points without surface, counts degenerate triangles, and refuses what
/// is not a surface at all.
pub fn finish(soup: Soup) -> Result<LoadedMesh, Problem> {
    let Soup {
        vertices,
        triangles,
        welded,
        mut notes,
        up_axis,
        unit_doubt,
        comment_unit,
        bend,
        open_walls,
        cutter,
        described: _,
    } = soup;
    if triangles.is_empty() {
        return Err(geometry(
            "the mesh has no triangles",
            "export it again as a triangle surface, or remove it from the model",
        ));
    }
    notes.extend(cutter.notes());
    let mesh = if welded {
        Mesh {
            vertices,
            triangles,
        }
    } else {
        weld(&vertices, &triangles)?
    };
    notes.extend(degenerate_note(degenerate(&mesh)));
    let mesh = match mesh.seams_closed() {
        Some(closed) => {
            notes.push(format!(
                "seams of {} that only rounding has opened, at most {:.1e} wide in the unit of the file, closed by {}",
                count(closed.places, "piece"),
                closed.widest,
                count(closed.added, "sliver"),
            ));
            closed.mesh
        }
        None => mesh,
    };
    Ok(LoadedMesh {
        mesh,
        notes,
        up_axis,
        unit_doubt,
        comment_unit,
        bend,
        open_walls,
    })
}

/// How many triangles are degenerate. They are still a segment or a point of surface, often one
/// that a neighbour does not have.
pub(super) fn degenerate(mesh: &Mesh) -> usize {
    (0..mesh.triangles.len())
        .into_par_iter()
        .filter(|&t| is_degenerate(mesh.corners(t)))
        .count()
}

/// The note about so many of them.
pub(super) fn degenerate_note(degenerate: usize) -> Option<String> {
    (degenerate > 0).then(|| format!("{} kept", count(degenerate, "degenerate triangle")))
}

/// The same triangles on points that are all different and all used, in the order of their first
/// use.
fn weld(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Result<Mesh, Problem> {
    let mut welder = Welder::default();
    let mut shared = Vec::with_capacity(triangles.len());
    // Most files share vertices already: ask the table once a vertex, not once a corner.
    const UNSEEN: u32 = u32::MAX;
    let mut index: Vec<u32> = vec![UNSEEN; vertices.len()];
    for triangle in triangles {
        let mut corners = [0; 3];
        for (corner, &v) in corners.iter_mut().zip(triangle) {
            let v = vertex_index(i64::from(v), vertices.len())? as usize;
            if index[v] == UNSEEN {
                if !vertices[v].iter().all(|x| x.is_finite()) {
                    return Err(geometry(
                        format!("vertex {v} (counted from 0) has a coordinate that is not finite"),
                        "export the mesh again",
                    ));
                }
                index[v] = welder.add(vertices[v]);
            }
            *corner = index[v];
        }
        shared.push(corners);
    }
    Ok(Mesh {
        vertices: welder.into_points(),
        triangles: shared,
    })
}

/// Height and longest side are so unlike that the area says nothing: a segment or a point.
fn is_degenerate([a, b, c]: [Point3<f64>; 3]) -> bool {
    let (u, v, w) = (b - a, c - a, c - b);
    let longest = u.amax().max(v.amax()).max(w.amax());
    if longest == 0.0 {
        return true;
    }
    let double_area = (u / longest).cross(&(v / longest)).norm();
    double_area <= 1e-12
}

/// Sees to it that no line has a carriage return, a form feed or a null within: some readers end the
/// line there, for others what follows is part of a comment or a name.
pub fn one_kind_of_line_end(text: &str, name: &Path) -> Result<(), ImportError> {
    match lone_return(text) {
        None => {}
        Some(line) => {
            let problem = syntax(LONE_RETURN, "save the file with line feeds");
            return Err(ImportError::at(name, line, None, problem));
        }
    }
    let Some((line, found)) = break_of_some_readers(text) else {
        return Ok(());
    };
    let problem = syntax(
        format!(
            "the character {} stands within the line",
            found.escape_unicode()
        ),
        "some readers end a line there: take it out, or put a line feed in its place",
    );
    Err(ImportError::at(name, line, None, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soup(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Soup {
        Soup {
            vertices: vertices.iter().map(|&p| Point3::from(p)).collect(),
            triangles: triangles.to_vec(),
            ..Soup::default()
        }
    }

    #[test]
    fn equal_points_are_welded_and_unused_points_dropped() {
        let soup = soup(
            &[
                [9., 9., 9.],
                [0., 0., 0.],
                [1., 0., 0.],
                [0., 1., 0.],
                [-0., 0., -0.],
                [1., 0., 0.],
                [0., 0., 1.],
            ],
            &[[1, 2, 3], [4, 5, 6]],
        );
        let loaded = finish(soup).unwrap();
        assert_eq!(loaded.mesh.vertices.len(), 4);
        assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [0, 1, 3]]);
        assert!(loaded.notes.is_empty());
    }

    /// A few lines must not become gigabytes; what a large file shows once must not be refused.
    #[test]
    fn copies_are_bounded_by_what_is_described() {
        let shape = |n: usize| Soup {
            vertices: vec![Point3::origin(); 3],
            triangles: vec![[0, 1, 2]; n],
            ..Soup::default()
        };
        let small = shape(COPIES_ANYWAY / 8);
        let mut scene = Soup {
            described: 2,
            ..Soup::default()
        };
        for _ in 0..8 {
            scene.place(&small, &Matrix4::identity()).unwrap();
        }
        let said = scene.place(&small, &Matrix4::identity()).unwrap_err();
        let said = said.to_string();
        assert!(
            said.contains("grow to more than 4000000 triangles, from 2 "),
            "{said}"
        );
        assert_eq!(scene.triangles.len(), COPIES_ANYWAY);
        // A scene that describes more may show more, up to what any file may.
        scene.describe(&small);
        scene.place(&small, &Matrix4::identity()).unwrap();
        scene.described = usize::MAX;
        assert_eq!(scene.most_triangles(), MOST_TRIANGLES);
    }

    #[test]
    fn degenerate_triangles_are_kept_and_counted() {
        let soup = soup(
            &[[0., 0., 0.], [1., 0., 0.], [2., 0., 0.], [0., 1., 0.]],
            &[[0, 1, 2], [0, 0, 3], [3, 3, 3], [0, 1, 3]],
        );
        let loaded = finish(soup).unwrap();
        assert_eq!(loaded.mesh.triangles.len(), 4);
        assert_eq!(loaded.notes, ["3 degenerate triangles kept"]);
    }

    #[test]
    fn what_is_no_surface_is_refused() {
        let text = |s| finish(s).unwrap_err().to_string();
        assert!(text(soup(&[[0., 0., 0.]], &[])).contains("no triangles"));
        assert!(text(soup(&[[0., 0., 0.]], &[[0, 0, 1]])).contains("vertex 1"));
        assert!(text(soup(&[[0., f64::NAN, 0.]], &[[0, 0, 0]])).contains("not finite"));
        assert!(text(soup(&[[f64::INFINITY, 0., 0.]], &[[0, 0, 0]])).contains("not finite"));
    }

    #[test]
    fn numbers_must_be_numbers_and_finite() {
        assert_eq!(number("+1.5e-3"), Ok(1.5e-3));
        for bad in [
            "nan",
            "inf",
            "-Infinity",
            "1e999",
            "1,5",
            "",
            "0x10",
            "1.#QNAN",
        ] {
            assert!(number(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn scales_and_reach() {
        assert!(scale(Vector3::new(1., -1., 0.001)).is_ok());
        assert!(scale(Vector3::new(1., 0., 1.)).is_err());
        assert!(scale(Vector3::new(1., f64::NAN, 1.)).is_err());
        let far = |x| Mesh {
            vertices: vec![Point3::new(0., x, 0.)],
            triangles: vec![[0; 3]],
        };
        assert!(within_reach(&far(1e7)).is_ok());
        assert!(within_reach(&far(-1.1e7)).is_err());
        assert!(within_reach(&far(f64::NAN)).is_err());
    }
}
