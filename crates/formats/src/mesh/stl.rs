//! STL, ASCII and binary.
//!
//! Which of the two a file is follows from its size, not from its first word: many binary files
//! begin with `solid`.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::iter::Peekable;
use std::path::Path;

use clearance_proof::geometry::mesh::Welder;
use nalgebra::Point3;

use super::CommentUnit;
use super::checks::{Soup, geometry, number, one_kind_of_line_end, shown, syntax};
use crate::mesh::count;
use crate::{ImportError, Problem};

const HEADER: usize = 80;
/// Bytes before the triangles of a binary file.
pub(super) const PREAMBLE: usize = HEADER + 4;
/// Bytes of a triangle in it.
pub(super) const RECORD: usize = 50;

pub fn read(bytes: &[u8], name: &Path) -> Result<Soup, ImportError> {
    let claimed = claimed_triangles(bytes);
    let fits = is_binary(bytes);
    if !fits && looks_like_text(bytes) {
        return ascii(bytes, name);
    }
    let whole_file = |problem| ImportError::file(name, problem);
    let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |k| k + 1);
    if !fits && end < bytes.len() && looks_like_text(&bytes[..end]) {
        return Err(whole_file(syntax(
            format!(
                "zero bytes follow the text of this STL ({})",
                count(bytes.len() - end, "byte")
            ),
            "cut them off, or export the mesh again",
        )));
    }
    match claimed {
        None => Err(whole_file(geometry(
            format!(
                "a binary STL has a header of {HEADER} bytes and a triangle count of 4, but the file ends after {}",
                count(bytes.len(), "byte")
            ),
            "export the mesh again",
        ))),
        Some(claimed) if !fits => {
            let body = bytes.len() - PREAMBLE;
            Err(whole_file(geometry(
                format!(
                    "the header says {claimed} triangles, but the file has room for {} ({body} bytes after the \
                     header, {RECORD} a triangle)",
                    (body as f64 / RECORD as f64 * 100.0).round() / 100.0
                ),
                "the file is damaged or cut off: export the mesh again",
            )))
        }
        Some(_) => binary(bytes).map_err(whole_file),
    }
}

fn claimed_triangles(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEADER..PREAMBLE)?.try_into().ok()?;
    Some(u64::from(u32::from_le_bytes(count)))
}

/// `solid`, and then nothing that text does not have. (Names may be in any encoding of eight bits.)
fn looks_like_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    start
        .get(..5)
        .is_some_and(|s| s.eq_ignore_ascii_case(b"solid"))
        && !bytes.contains(&0)
}

/// A file whose size agrees with its count.
fn binary(bytes: &[u8]) -> Result<Soup, Problem> {
    let unreadable = |e: std::io::Error| geometry(e.to_string(), "export the mesh again");
    let triangles = (bytes.len() - PREAMBLE) / RECORD;
    let mut soup = Soup {
        triangles: Vec::with_capacity(triangles),
        welded: true,
        comment_unit: heading_unit(bytes),
        ..Soup::default()
    };
    // A closed surface has half as many corners as triangles.
    let mut welder = Welder::with_capacity(triangles / 2);
    let mut unnamed = Unnamed(Cursor::new(bytes));
    for (i, triangle) in stl_io::create_stl_reader(&mut unnamed)
        .map_err(unreadable)?
        .enumerate()
    {
        let mut corners = [0; 3];
        for (corner, vertex) in corners
            .iter_mut()
            .zip(triangle.map_err(unreadable)?.vertices)
        {
            let p = Point3::from(vertex.0).map(f64::from);
            if !p.iter().all(|x| x.is_finite()) {
                return Err(geometry(
                    format!(
                        "triangle {i} (counted from 0, byte {}) has the corner {} {} {}, which is not finite",
                        PREAMBLE + i * RECORD,
                        p.x,
                        p.y,
                        p.z
                    ),
                    "export the mesh again",
                ));
            }
            *corner = welder.add(p);
        }
        soup.triangles.push(corners);
    }
    soup.vertices = welder.into_points();
    Ok(soup)
}

/// The unit that the 80 bytes before a binary file state, where it is another one than the metre.
pub(super) fn heading_unit(bytes: &[u8]) -> Option<CommentUnit> {
    let heading = String::from_utf8_lossy(bytes.get(..HEADER)?);
    // Some exporters fill it with zeros behind the text, others begin it with `solid`.
    let text = heading.split('\0').next().unwrap_or_default();
    let text = text.strip_prefix("solid ").unwrap_or(text);
    text.split(',').find_map(CommentUnit::of)
}

/// A binary file whose header reads as zeros: the library takes one that starts with `solid` for
/// text.
struct Unnamed<'a>(Cursor<&'a [u8]>);

impl Read for Unnamed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let from = self.0.position();
        let read = self.0.read(buffer)?;
        let header = usize::try_from(HEADER as u64 - from.min(HEADER as u64)).unwrap_or(HEADER);
        buffer[..read.min(header)].fill(0);
        Ok(read)
    }
}

impl Seek for Unnamed<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

/// The corners of the triangle in a record of a binary file, at the speed of memory: what is kept
/// of a file is held to them. Normal and attribute are passed over.
pub(super) fn corners(record: &[u8; RECORD]) -> [Point3<f64>; 3] {
    let number = |at: usize| {
        let at = 12 + 4 * at;
        let bytes = [record[at], record[at + 1], record[at + 2], record[at + 3]];
        f64::from(f32::from_le_bytes(bytes))
    };
    let corner = |k: usize| Point3::new(number(k), number(k + 1), number(k + 2));
    // One by one: mapped over an array it takes five times as long.
    [corner(0), corner(3), corner(6)]
}

/// Whether these bytes are a binary file whose size agrees with its count.
fn is_binary(bytes: &[u8]) -> bool {
    binary_triangles(bytes, bytes.len() as u64).is_some()
}

/// The triangles of a file of so many bytes that begins with these, if it is a binary one whose
/// size agrees with its count.
pub(super) fn binary_triangles(start: &[u8], length: u64) -> Option<u64> {
    let claimed = claimed_triangles(start)?;
    (length == PREAMBLE as u64 + claimed * RECORD as u64).then_some(claimed)
}

/// Reads the text form, in double precision (the library rounds to single) and knowing its lines.
struct Ascii<'a, W: Iterator<Item = (usize, &'a str)>> {
    name: &'a Path,
    /// Words with their lines, counted from 1.
    words: Peekable<W>,
    /// Line of the last word that was read.
    line: usize,
}

fn ascii(bytes: &[u8], name: &Path) -> Result<Soup, ImportError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    one_kind_of_line_end(&text, name)?;
    let words = text
        .lines()
        .enumerate()
        .flat_map(|(i, line)| line.split_ascii_whitespace().map(move |word| (i + 1, word)));
    Ascii {
        name,
        words: words.peekable(),
        line: 1,
    }
    .read()
}

impl<'a, W: Iterator<Item = (usize, &'a str)>> Ascii<'a, W> {
    fn read(mut self) -> Result<Soup, ImportError> {
        let mut soup = Soup::default();
        while self.words.peek().is_some() {
            self.expect("solid")?;
            let name = self.skip_name()?;
            soup.comment(&name);
            loop {
                let word = self.next("`facet` or `endsolid`")?;
                if word.eq_ignore_ascii_case("endsolid") {
                    self.skip_name()?;
                    break;
                }
                if !word.eq_ignore_ascii_case("facet") {
                    return Err(self.unexpected("`facet` or `endsolid`", word));
                }
                self.facet(&mut soup)?;
            }
        }
        Ok(soup)
    }

    fn facet(&mut self, soup: &mut Soup) -> Result<(), ImportError> {
        self.expect("normal")?;
        for _ in 0..3 {
            // The corners say it all; flat triangles often have `nan` here.
            self.next("the three numbers of a normal")?;
        }
        self.expect("outer")?;
        self.expect("loop")?;
        let first = soup.vertices.len() as u32;
        for _ in 0..3 {
            self.expect("vertex")?;
            let mut p = Point3::origin();
            for x in p.iter_mut() {
                let word = self.next("the three coordinates of a vertex")?;
                *x = number(word).map_err(|problem| self.error(problem))?;
            }
            soup.vertices.push(p);
        }
        soup.triangles.push([first, first + 1, first + 2]);
        self.expect("endloop")?;
        self.expect("endfacet")
    }

    fn next(&mut self, wanted: &str) -> Result<&'a str, ImportError> {
        match self.words.next() {
            Some((line, word)) => {
                self.line = line;
                Ok(word)
            }
            None => Err(self.error(syntax(
                format!("the file ends where {wanted} should follow"),
                "the file is cut off: export the mesh again",
            ))),
        }
    }

    fn expect(&mut self, wanted: &str) -> Result<(), ImportError> {
        let word = self.next(&format!("`{wanted}`"))?;
        if word.eq_ignore_ascii_case(wanted) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{wanted}`"), word))
    }

    /// The name after `solid` and `endsolid` goes to the end of the line. Facets are not part of it.
    fn skip_name(&mut self) -> Result<String, ImportError> {
        let mut name = Vec::new();
        let mut before = "";
        while let Some((_, word)) = self.words.next_if(|(line, _)| *line == self.line) {
            if before.eq_ignore_ascii_case("facet") && word.eq_ignore_ascii_case("normal") {
                let cause = "a facet stands in the line of a name";
                return Err(self.error(syntax(cause, "begin a new line before `facet`")));
            }
            before = word;
            name.push(word);
        }
        Ok(name.join(" "))
    }

    fn unexpected(&self, wanted: &str, word: &str) -> ImportError {
        self.error(syntax(
            format!("found `{}` where {wanted} should be", shown(word)),
            "correct the line, or export the mesh again",
        ))
    }

    fn error(&self, problem: Problem) -> ImportError {
        ImportError::at(self.name, self.line, None, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse;

    const TRIANGLE: &str = "solid two words\n facet normal nan nan nan\n  outer loop\n   vertex 0 0 0\n   vertex 0.1 0 0\n   \
                            vertex 0 1e-1 0\n  endloop\n endfacet\nendsolid two words\n";

    #[test]
    fn facets_are_no_part_of_a_name() {
        let far = TRIANGLE.replace('\n', " ");
        let last = format!(
            "{}endsolid {far}",
            TRIANGLE.split("endsolid").next().unwrap()
        );
        for (text, line) in [
            (far.clone(), 1),
            (format!("{TRIANGLE}{far}"), 10),
            (last, 9),
        ] {
            let said = error(text.as_bytes());
            let told = format!("a.STL:{line}: a facet stands in the line of a name");
            assert!(said.contains(&told), "{said}");
        }
        let said = error(TRIANGLE.replacen("words\n", "words\r", 1).as_bytes());
        assert!(said.contains("a carriage return"), "{said}");
    }

    fn error(bytes: &[u8]) -> String {
        parse(bytes, Path::new("a.STL")).unwrap_err().to_string()
    }

    fn binary_file(header: &[u8], claimed: u32, triangles: &[[f32; 9]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(HEADER, b' ');
        bytes.extend(claimed.to_le_bytes());
        for t in triangles {
            bytes.extend([0.0f32; 3].iter().chain(t).flat_map(|x| x.to_le_bytes()));
            bytes.extend([0, 0]);
        }
        bytes
    }

    #[test]
    fn text_is_read_in_double_precision_whatever_its_case_and_line_ends() {
        for text in [
            TRIANGLE.to_owned(),
            TRIANGLE.to_uppercase(),
            TRIANGLE.replace('\n', "\r\n"),
            format!("\u{feff}{TRIANGLE}"),
        ] {
            let loaded = parse(text.as_bytes(), Path::new("a.stl")).unwrap();
            assert_eq!(loaded.mesh.triangles, [[0, 1, 2]]);
            assert_eq!(loaded.mesh.vertices[1].x, 0.1);
        }
        let twice = TRIANGLE.repeat(2);
        assert_eq!(
            parse(twice.as_bytes(), Path::new("a.stl"))
                .unwrap()
                .mesh
                .triangles
                .len(),
            2
        );
    }

    #[test]
    fn errors_in_text_name_their_line() {
        let said = error(TRIANGLE.replace("0.1 0 0", "0,1 0 0").as_bytes());
        assert!(
            said.starts_with("a.STL:5: what should be a number is `0,1`"),
            "{said}"
        );
        let said = error(TRIANGLE.replace("0.1 0 0", "nan 0 0").as_bytes());
        assert!(said.contains(":5: a coordinate is `nan`"), "{said}");
        let said = error(
            TRIANGLE
                .replace("  endloop", "  vertex 1 1 1\n endloop")
                .as_bytes(),
        );
        assert!(
            said.contains(":7: found `vertex` where `endloop`"),
            "{said}"
        );
        let said = error(&TRIANGLE.as_bytes()[..TRIANGLE.len() - 30]);
        assert!(said.contains("the file ends where"), "{said}");
        assert!(error(b"solid\nendsolid\n").contains("no triangles"));
    }

    #[test]
    fn binary_files_may_start_with_solid() {
        let bytes = binary_file(b"solid box", 1, &[[0., 0., 0., 1., 0., 0., 0., 1., 0.]]);
        assert_eq!(
            parse(&bytes, Path::new("a.stl"))
                .unwrap()
                .mesh
                .triangles
                .len(),
            1
        );
    }

    #[test]
    fn counts_that_disagree_with_the_size_are_errors_that_say_both() {
        let t = [0., 0., 0., 1., 0., 0., 0., 1., 0.];
        for claimed in [1, 3, u32::MAX] {
            let said = error(&binary_file(b"solid", claimed, &[t, t]));
            assert!(
                said.contains(&format!("says {claimed} triangles")) && said.contains("room for 2 "),
                "{said}"
            );
        }
        let said = error(&[0; 80]);
        assert!(said.contains("ends after 80 bytes"), "{said}");
        assert!(error(&binary_file(b"", 0, &[])).contains("no triangles"));
    }

    #[test]
    fn numbers_in_binary_files_must_be_finite() {
        for bad in [f32::NAN, f32::INFINITY] {
            let said = error(&binary_file(
                b"",
                1,
                &[[0., 0., 0., 1., bad, 0., 0., 1., 0.]],
            ));
            assert!(
                said.contains("triangle 0") && said.contains("not finite"),
                "{said}"
            );
        }
    }

    /// Catches a text of which it is said that it is a binary file with a strange count.
    #[test]
    fn zero_bytes_behind_a_text_are_called_so() {
        let said = error(format!("{TRIANGLE}\0").as_bytes());
        assert!(
            said.contains("zero bytes follow the text of this STL (1 byte)"),
            "{said}"
        );
    }
}
