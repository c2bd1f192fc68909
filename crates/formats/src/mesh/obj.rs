//! Wavefront OBJ: the surface of it. Materials, normals and texture coordinates have no shape.
//!
//! Our own scan of the three statements that matter, since the OBJ library rounds to single
//! precision, has no lines in its errors and cuts concave polygons wrong; the tests read the same
//! files with it and compare.

use std::path::Path;

use nalgebra::Point3;

use super::checks::{Soup, geometry, number, one_kind_of_line_end, shown, syntax, unsupported};
use super::stl::binary_triangles;
use crate::mesh::count;
use crate::{ImportError, Problem};

/// Statements that are made of numbers.
const NUMBERS: [&str; 17] = [
    "v", "f", "fo", "l", "p", "vt", "vn", "vp", "curv", "curv2", "surf", "parm", "trim", "hole",
    "scrv", "sp", "con",
];

pub fn read(bytes: &[u8], name: &Path) -> Result<Soup, ImportError> {
    if binary_triangles(bytes, bytes.len() as u64).is_some() {
        let said = syntax("this is a binary STL", "name it `.stl`");
        return Err(ImportError::file(name, said));
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    one_kind_of_line_end(text, name)?;
    let mut reader = Reader::default();
    let mut statement = String::new();
    let mut first_line = 1;
    let mut joins = false;
    for (i, line) in text.lines().enumerate() {
        // A backslash at the end of a line joins the next one to it; at the end of a comment, or of
        // a name such as that of a folder, it is part of the text.
        if statement.is_empty() {
            first_line = i + 1;
            let mut words = line.split_whitespace();
            joins = words.next().is_some_and(|w| NUMBERS.contains(&w));
        }
        if joins
            && !line.contains('#')
            && let Some(start) = line.trim_end().strip_suffix('\\')
        {
            statement.push_str(start);
            statement.push(' ');
            continue;
        }
        let is_joined = !statement.is_empty();
        statement.push_str(line);
        let result = if is_joined {
            is_one(&statement).and_then(|()| reader.statement(&statement, first_line))
        } else {
            reader.statement(&statement, first_line)
        };
        result.map_err(|problem| ImportError::at(name, first_line, None, problem))?;
        statement.clear();
    }
    let last = reader.statement(&statement, first_line);
    last.map_err(|problem| ImportError::at(name, first_line, None, problem))?;
    reader.finish(name)
}

/// Refuses a joined statement with another one in it, which would be lost: readers pass over what
/// follows numbers that they do not need.
fn is_one(statement: &str) -> Result<(), Problem> {
    let mut words = statement.split_whitespace();
    // Parameters are those of `u` or `v`.
    let names_v = words.next() == Some("parm");
    let more = words.find(|word| NUMBERS.contains(word) && !(names_v && *word == "v"));
    match more {
        None => Ok(()),
        Some(word) => Err(syntax(
            format!("a statement `{word}` stands in a line that goes on from the one before"),
            "a `\\` at the end of a line joins the next one to it: remove it",
        )),
    }
}

#[derive(Default)]
struct Reader {
    soup: Soup,
    /// Corners of all faces, one after the other, counted from 0 and not yet compared with the
    /// number of vertices: a face may come before its vertices.
    corners: Vec<i64>,
    /// End of each face in `corners`, and its line.
    faces: Vec<(usize, usize)>,
    /// Runs of faces between `o`, `g` and `usemtl` statements.
    groups: usize,
    in_group: bool,
    without_surface: usize,
}

impl Reader {
    fn statement(&mut self, text: &str, line: usize) -> Result<(), Problem> {
        let text = match text.split_once('#') {
            Some((text, comment)) => {
                self.soup.comment(comment);
                text
            }
            None => text,
        };
        let mut words = text.split_whitespace();
        match words.next() {
            None => Ok(()),
            Some("v") => self.vertex(words),
            Some("f" | "fo") => self.face(words, line),
            Some("o" | "g" | "usemtl") => {
                self.in_group = false;
                Ok(())
            }
            Some("l" | "p" | "curv" | "curv2") => {
                self.without_surface += 1;
                Ok(())
            }
            Some("surf") => Err(unsupported(
                "a free-form surface (`surf`)",
                "export the surface as polygons",
            )),
            Some(word @ ("call" | "csh")) => Err(unsupported(
                format!("`{word}`, which reads another file,"),
                "export the mesh as one file",
            )),
            // Appearance, and the parameters of curves and surfaces.
            Some(
                "vt" | "vn" | "vp" | "s" | "mg" | "mtllib" | "usemap" | "maplib" | "bevel"
                | "c_interp" | "d_interp" | "lod" | "shadow_obj" | "trace_obj" | "cstype" | "deg"
                | "bmat" | "step" | "parm" | "trim" | "hole" | "scrv" | "sp" | "end" | "con"
                | "ctech" | "stech",
            ) => Ok(()),
            // Some exporters write their counts before the first statement. Later, numbers may be
            // half a face.
            Some(_)
                if self.is_start() && text.split_whitespace().all(|w| w.parse::<u64>().is_ok()) =>
            {
                let counts = shown(text.trim());
                let note = format!("line {line} (`{counts}`) is not an OBJ statement: ignored");
                self.soup.notes.push(note);
                Ok(())
            }
            Some(word) => Err(Problem::UnknownName {
                what: "OBJ statement",
                name: shown(word),
                remedy: "a line starts with v, vt, vn, f, l, p, o, g, s, usemtl, mtllib or #"
                    .to_owned(),
            }),
        }
    }

    fn is_start(&self) -> bool {
        self.soup.vertices.is_empty() && self.faces.is_empty()
    }

    fn vertex<'a>(&mut self, mut words: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
        let mut p = Point3::origin();
        for x in p.iter_mut() {
            *x = number(words.next().ok_or_else(|| {
                syntax(
                    "a vertex has fewer than three coordinates",
                    "write `v x y z`",
                )
            })?)?;
        }
        // The numbers that follow are a weight or a colour.
        let more: Vec<f64> = words.map(number).collect::<Result<_, _>>()?;
        if let [weight] = more[..]
            && weight != 1.0
        {
            return Err(unsupported(
                "a vertex with a weight other than 1",
                "export the mesh without weights",
            ));
        }
        self.soup.vertices.push(p);
        Ok(())
    }

    fn face<'a>(
        &mut self,
        words: impl Iterator<Item = &'a str>,
        line: usize,
    ) -> Result<(), Problem> {
        let start = self.corners.len();
        for word in words {
            let corner = self.corner(word)?;
            self.corners.push(corner);
        }
        let n = self.corners.len() - start;
        if n < 3 {
            return Err(syntax(
                format!("a face has {}", count(n, "corner")),
                "a face needs three corners or more",
            ));
        }
        self.faces.push((self.corners.len(), line));
        if !std::mem::replace(&mut self.in_group, true) {
            self.groups += 1;
        }
        Ok(())
    }

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative numbers count back from the last vertex so far.
    fn corner(&self, word: &str) -> Result<i64, Problem> {
        let malformed = || {
            syntax(
                format!("`{}` is not a corner of a face", shown(word)),
                "write it as v, v/vt, v//vn or v/vt/vn, in whole numbers",
            )
        };
        let mut parts = word.split('/');
        let vertex: i64 = parts
            .next()
            .and_then(|v| v.parse().ok())
            .ok_or_else(malformed)?;
        let others = parts.try_fold(0, |n, part| {
            (part.is_empty() || part.parse::<i64>().is_ok()).then_some(n + 1)
        });
        if !matches!(others, Some(0..=2)) {
            return Err(malformed());
        }
        let so_far = self.soup.vertices.len() as i64;
        match vertex {
            1.. => Ok(vertex - 1),
            ..0 if so_far.checked_add(vertex).is_some_and(|v| v >= 0) => Ok(so_far + vertex),
            0 => Err(geometry(
                "a face refers to vertex 0",
                "vertices are counted from 1, or back from the last one with -1",
            )),
            _ => Err(geometry(
                format!("a face refers to vertex {vertex}, but only {so_far} come before it"),
                "export the mesh again",
            )),
        }
    }

    fn finish(self, name: &Path) -> Result<Soup, ImportError> {
        let mut soup = self.soup;
        let mut start = 0;
        let mut face = vec![];
        for (end, line) in self.faces {
            face.clear();
            for &corner in &self.corners[start..end] {
                let index = u32::try_from(corner)
                    .ok()
                    .filter(|&i| (i as usize) < soup.vertices.len());
                face.push(index.ok_or_else(|| {
                    let problem = geometry(
                        format!(
                            "a face refers to vertex {}, but the file has {}",
                            corner.saturating_add(1),
                            soup.vertices.len()
                        ),
                        "export the mesh again",
                    );
                    ImportError::at(name, line, None, problem)
                })?);
            }
            soup.add_face(&face);
            start = end;
        }
        if self.groups > 1 {
            soup.notes
                .push(format!("{} of faces merged", count(self.groups, "group")));
        }
        if self.without_surface > 0 {
            let what = count(self.without_surface, "point or line element");
            soup.notes.push(format!("{what} without surface ignored"));
        }
        Ok(soup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{LoadedMesh, parse};

    fn load(text: &str) -> LoadedMesh {
        parse(text.as_bytes(), Path::new("a.obj")).unwrap()
    }

    #[test]
    fn a_binary_stl_that_is_named_obj_is_told_as_one() {
        let bytes = [&[0; 80][..], &1u32.to_le_bytes(), &[0; 50]].concat();
        let said = parse(&bytes, Path::new("a.obj")).unwrap_err().to_string();
        assert!(
            said.contains("this is a binary STL; name it `.stl`"),
            "{said}"
        );
    }

    fn error(text: &str) -> String {
        parse(text.as_bytes(), Path::new("a.obj"))
            .unwrap_err()
            .to_string()
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n";

    #[test]
    fn all_forms_of_a_corner_say_the_same() {
        for face in [
            "f 1 2 3",
            "f 1/1 2/1 3/1",
            "f 1//1 2//1 3//1",
            "f 1/1/1 2/1/1 3/1/1",
            "f -4 -3 -2",
            "f -4//-1 2 \\\n 3",
            "f 1 2 3 # end",
        ] {
            let loaded = load(&format!("{SQUARE}{face}\n"));
            assert_eq!(loaded.mesh.triangles, [[0, 1, 2]], "{face}");
            assert!(loaded.notes.is_empty());
        }
        // Before its vertices, too.
        assert_eq!(load(&format!("f 1 2 3\n{SQUARE}")).mesh.triangles.len(), 1);
    }

    #[test]
    fn only_numbers_go_on_in_the_next_line() {
        for before in [
            "# saved from D:\\cad\\",
            "g plate\\",
            "mtllib C:\\parts\\",
            "f 1 2 3 # x\\",
        ] {
            let loaded = load(&format!("{SQUARE}{before}\nf 1 3 4\n"));
            let count = 1 + usize::from(before.starts_with('f'));
            assert_eq!(loaded.mesh.triangles.len(), count, "{before}");
        }
        assert!(load(&format!("{SQUARE}f 1 2 3\r\r\n")).notes.is_empty());
        let said = error(&format!("{SQUARE}g a\rf 1 2 3\nf 1 3 4\n"));
        assert!(said.contains("a.obj:7: a carriage return"), "{said}");
    }

    /// Regression: a line that goes on swallowed a face where nobody looks at its numbers.
    #[test]
    fn a_joined_line_holds_one_statement() {
        for begun in ["vt 0 0", "vn 0 0 1", "l 1 2", "parm u 0"] {
            let said = error(&format!("{SQUARE}f 1 2 3\n{begun} \\\nf 1 3 4\n"));
            assert!(
                said.starts_with("a.obj:8: a statement `f` stands"),
                "{said}"
            );
        }
        let loaded = load(&format!(
            "{SQUARE}f 1 2 \\\n3\nvt 0 \\\n 0\nparm v 0 \\\n1\n"
        ));
        assert_eq!(loaded.mesh.triangles.len(), 1);
    }

    #[test]
    fn weights_of_vertices_are_one() {
        let with = |more: &str| format!("v 0 0 0 {more}\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
        for more in ["", "1", "0.5 0.5 0.5", "0.5 0.5 0.5 1"] {
            assert_eq!(load(&with(more)).mesh.triangles.len(), 1, "{more}");
        }
        assert!(error(&with("2")).contains("a weight other than 1"));
    }

    #[test]
    fn groups_and_materials_become_one_mesh() {
        let text = format!(
            "mtllib a.mtl\no thing\n{SQUARE}usemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\ng other\nv 5 5 5\nf 1 2 5\nl 1 2\np 1\n"
        );
        let loaded = load(&text);
        let corner = |t: usize, c: usize| loaded.mesh.corners(t)[c];
        assert_eq!(loaded.mesh.triangles.len(), 3);
        assert_eq!(corner(1, 2), Point3::new(0., 1., 0.));
        assert_eq!(corner(2, 2), Point3::new(5., 5., 5.));
        assert_eq!(
            loaded.notes,
            [
                "3 groups of faces merged",
                "2 point or line elements without surface ignored"
            ]
        );
    }

    #[test]
    fn counts_before_the_first_statement_are_ignored_and_noted() {
        let loaded = load(&format!("4 1\n{SQUARE}f 1 2 3\n"));
        assert_eq!(loaded.mesh.triangles.len(), 1);
        assert_eq!(
            loaded.notes,
            ["line 1 (`4 1`) is not an OBJ statement: ignored"]
        );
        assert!(error(&format!("{SQUARE}f 1 2 3\n4\n")).contains(":8: unknown OBJ statement `4`"));
    }

    #[test]
    fn polygons_are_cut_and_the_note_says_so() {
        let loaded = load("v 0 0 0\nv 2 2 0\nv 0 1 0\nv -2 2 0\nf 1 2 3 4\n");
        assert_eq!(loaded.mesh.triangles.len(), 2);
        assert_eq!(loaded.notes, ["1 polygon cut into triangles"]);
        // The diagonal from the notch, not the other one, which leaves the polygon.
        let notch = loaded
            .mesh
            .vertices
            .iter()
            .position(|v| v.y == 1.0)
            .unwrap() as u32;
        assert!(loaded.mesh.triangles.iter().all(|t| t.contains(&notch)));
    }

    #[test]
    fn errors_name_their_line() {
        for (end, place, words) in [
            ("f 1 2", 7, "a face has 2 corners"),
            ("f 1 2 5", 7, "vertex 5, but the file has 4"),
            ("f 1 2 0", 7, "vertex 0"),
            ("f 1 2 -5", 7, "vertex -5"),
            ("f 1 2 99999999999999999999", 7, "not a corner"),
            ("f 1 2 x", 7, "`x` is not a corner"),
            ("f 1 2 3/1/1/1", 7, "not a corner"),
            ("f 1 2 3\nv 1 2", 8, "fewer than three"),
            ("f 1 2 3\nv 1 2 nan", 8, "finite"),
            ("f 1 2 3\nv 1 2 0,5", 8, "`0,5`"),
            ("\nface 1 2 3", 8, "unknown OBJ statement `face`"),
            ("surf 0 1 0 1 1 2 3", 7, "free-form"),
        ] {
            let said = error(&format!("{SQUARE}{end}\n"));
            assert!(
                said.starts_with(&format!("a.obj:{place}: ")) && said.contains(words),
                "{end}: {said}"
            );
        }
        assert!(error(SQUARE).contains("no triangles"));
    }

    /// Catches a face that is read over because the line before it has no line feed.
    #[test]
    fn a_line_that_only_some_readers_end_is_refused() {
        for sign in ['\u{c}', '\u{b}', '\0'] {
            let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1{sign}f 1 2 3\nf 1 2 3\n");
            let read = read(text.as_bytes(), Path::new("a.obj"));
            let Err(error) = read else {
                panic!("{sign:?} is read over");
            };
            let said = error.to_string();
            assert!(said.starts_with("a.obj:4: the character"), "{said}");
        }
    }

    /// The library cuts as a fan and rounds to single precision, but finds the same triangles in a
    /// file of triangles.
    #[test]
    fn the_library_reads_the_same_triangles() {
        let mut text = String::new();
        for i in 0..60 {
            let (x, y, z) = (i * 37 % 61, i * 17 % 59, i * 5 % 53);
            text += &format!("v {x} {y} {z}\nvn 0 0 1\n");
            if i % 7 == 3 {
                text += &format!("usemtl m{i}\ng part{i}\n");
            }
            if i > 8 {
                text += &format!("f {}//1 -1//-1 {}//2\n", 1 + i * 11 % i, 1 + i / 2);
            }
        }
        let ours = load(&text);
        let options = tobj::LoadOptions::default();
        let no_materials = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
        let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &options, no_materials).unwrap();
        let theirs: Vec<[Point3<f64>; 3]> = models
            .iter()
            .flat_map(|m| {
                let at = |i: u32| {
                    let p = &m.mesh.positions[3 * i as usize..];
                    Point3::new(p[0], p[1], p[2]).map(f64::from)
                };
                m.mesh
                    .indices
                    .chunks(3)
                    .map(move |t| [at(t[0]), at(t[1]), at(t[2])])
            })
            .collect();
        let ours: Vec<_> = (0..ours.mesh.triangles.len())
            .map(|t| ours.mesh.corners(t))
            .collect();
        assert_eq!(ours.len(), 51);
        assert_eq!(ours, theirs);
    }
}
