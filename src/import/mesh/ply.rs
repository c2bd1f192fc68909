//! PLY: ASCII, and binary of both byte orders; vertices and faces of any number of corners.
//!
//! A reader of our own, since counts must be weighed against the size of the file before anything is allocated, and
//! errors should say where.

use std::path::Path;

use nalgebra::Point3;

use super::checks::{Soup, count, geometry, number, shown, syntax, unsupported, vertex_index};
use crate::import::{ImportError, Problem};

pub fn read(bytes: &[u8], name: &Path) -> Result<Soup, ImportError> {
    let header = Header::read(bytes, name)?;
    let mut body: Box<dyn Body> = match header.format {
        Format::Ascii => Box::new(Text::new(&bytes[header.length..], header.lines)),
        Format::Binary { big_endian } => Box::new(Binary {
            bytes,
            at: header.length,
            big_endian,
        }),
    };
    let mut content = Content::default();
    content
        .read(&header, body.as_mut())
        .map_err(|problem| body.place().error(name, problem))?;
    content.into_soup(name)
}

/// What the body says.
#[derive(Default)]
struct Content {
    soup: Soup,
    /// Corners of all faces, one after the other. Faces wait for their vertices, which may come after them.
    corners: Vec<i64>,
    /// End of each face in `corners`, and its place.
    faces: Vec<(usize, Place)>,
}

impl Content {
    fn read(&mut self, header: &Header, body: &mut dyn Body) -> Result<(), Problem> {
        for element in header.elements.iter().filter(|e| !e.properties.is_empty()) {
            body.check_room(element)?;
            for _ in 0..element.rows {
                body.start_row(element)?;
                let mut p = Point3::origin();
                for property in &element.properties {
                    match property.kind {
                        Kind::Scalar(number) => {
                            let value = body.value(number)?;
                            if let Role::Coordinate(axis) = property.role {
                                p[axis] = coordinate(value)?;
                            }
                        }
                        Kind::List { length, item } => {
                            let n = body.length(length, item)?;
                            let faces = property.role == Role::Corners;
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
        body.finish()
    }

    fn end_face(&mut self, corners: usize, place: Place) -> Result<(), Problem> {
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
        for (end, place) in self.faces {
            face.clear();
            for &corner in &self.corners[start..end] {
                let index = vertex_index(corner, soup.vertices.len());
                face.push(index.map_err(|problem| place.error(name, problem))?);
            }
            soup.add_face(&face);
            start = end;
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

/// A line of text, or a byte of a binary body.
#[derive(Clone, Copy)]
enum Place {
    Line(usize),
    Byte(usize),
}

impl Place {
    fn error(self, name: &Path, problem: Problem) -> ImportError {
        match (self, problem) {
            (Place::Line(line), problem) => ImportError::at(name, line, None, problem),
            // Binary files have no lines: the byte goes into the words.
            (Place::Byte(at), Problem::Syntax { cause, remedy }) => {
                ImportError::file(name, syntax(format!("{cause} (at byte {at})"), remedy))
            }
            (Place::Byte(at), Problem::Geometry { cause, remedy }) => {
                ImportError::file(name, geometry(format!("{cause} (at byte {at})"), remedy))
            }
            (
                Place::Byte(at),
                Problem::BadValue {
                    what,
                    value,
                    remedy,
                },
            ) => {
                let value = format!("{value} (at byte {at})");
                ImportError::file(
                    name,
                    Problem::BadValue {
                        what,
                        value,
                        remedy,
                    },
                )
            }
            (Place::Byte(_), problem) => ImportError::file(name, problem),
        }
    }
}

/// How the numbers of the body are written.
trait Body {
    /// Refuses a count of rows that the file has no room for.
    fn check_room(&self, element: &Element) -> Result<(), Problem>;
    fn start_row(&mut self, element: &Element) -> Result<(), Problem>;
    fn value(&mut self, number: Number) -> Result<f64, Problem>;
    /// The number of items in a list, which the file has room for.
    fn length(&mut self, length: Number, item: Number) -> Result<usize, Problem>;
    fn end_row(&mut self, element: &Element) -> Result<(), Problem>;
    /// Nothing may be left over: it would be surface that the header forgot.
    fn finish(&mut self) -> Result<(), Problem>;
    fn place(&self) -> Place;
}

const CUT_OFF: &str = "the file is damaged or cut off: export the mesh again";

fn list_length(value: f64) -> Result<usize, Problem> {
    if value < 0.0 {
        return Err(geometry(format!("a list has {value} items"), CUT_OFF));
    }
    Ok(value as usize)
}

fn too_many_rows(element: &Element, room: usize) -> Problem {
    geometry(
        format!(
            "the header says {} rows of `{}`, but the file has room for {room}",
            element.rows, element.name
        ),
        CUT_OFF,
    )
}

struct Text<'a> {
    lines: std::str::Lines<'a>,
    words: std::str::SplitAsciiWhitespace<'a>,
    line: usize,
    bytes_left: usize,
    /// Where the body stops being text.
    broken: bool,
}

impl<'a> Text<'a> {
    fn new(body: &'a [u8], lines_before: usize) -> Self {
        let (text, broken) = match std::str::from_utf8(body) {
            Ok(text) => (text, false),
            Err(e) => (
                std::str::from_utf8(&body[..e.valid_up_to()]).unwrap_or(""),
                true,
            ),
        };
        Self {
            lines: text.lines(),
            words: "".split_ascii_whitespace(),
            line: lines_before,
            bytes_left: body.len(),
            broken,
        }
    }

    fn next_line(&mut self) -> Option<&'a str> {
        loop {
            let line = self.lines.next()?;
            self.line += 1;
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }
}

impl Body for Text<'_> {
    fn check_room(&self, element: &Element) -> Result<(), Problem> {
        // A row is a digit and a line end at least.
        let room = self.bytes_left.div_ceil(2);
        if element.rows > room {
            return Err(too_many_rows(element, room));
        }
        Ok(())
    }

    fn start_row(&mut self, element: &Element) -> Result<(), Problem> {
        match self.next_line() {
            Some(line) => {
                self.words = line.split_ascii_whitespace();
                Ok(())
            }
            None if self.broken => Err(syntax(
                "this is not text, but the header says `format ascii`",
                CUT_OFF,
            )),
            None => Err(geometry(
                format!(
                    "the file ends before its {} rows of `{}` do",
                    element.rows, element.name
                ),
                CUT_OFF,
            )),
        }
    }

    fn value(&mut self, kind: Number) -> Result<f64, Problem> {
        let word = self.words.next().ok_or_else(|| {
            syntax(
                "the line has too few numbers",
                "write one number for each property",
            )
        })?;
        if kind.is_float() {
            // What is not a coordinate may be `nan`; coordinates are looked at later.
            return word.parse().or_else(|_| number(word));
        }
        match word.parse::<i64>() {
            Ok(n) => Ok(n as f64),
            Err(_) => Err(syntax(
                format!("`{}` is not a whole number", shown(word)),
                "the header says that this property is one",
            )),
        }
    }

    fn length(&mut self, length: Number, _item: Number) -> Result<usize, Problem> {
        list_length(self.value(length)?)
    }

    fn end_row(&mut self, element: &Element) -> Result<(), Problem> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(syntax(
                format!(
                    "`{}` follows after the last property of `{}`",
                    shown(word),
                    element.name
                ),
                "write one element a line, with the properties of the header",
            )),
        }
    }

    fn finish(&mut self) -> Result<(), Problem> {
        match self.next_line() {
            None if !self.broken => Ok(()),
            _ => Err(geometry(
                "the file goes on after the rows that the header counts",
                "correct the counts of the header, or export the mesh again",
            )),
        }
    }

    fn place(&self) -> Place {
        Place::Line(self.line)
    }
}

struct Binary<'a> {
    bytes: &'a [u8],
    at: usize,
    big_endian: bool,
}

impl Binary<'_> {
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let bytes = self
            .bytes
            .get(self.at..self.at + N)
            .and_then(|b| <[u8; N]>::try_from(b).ok());
        let mut bytes =
            bytes.ok_or_else(|| geometry("the file ends in the middle of an element", CUT_OFF))?;
        self.at += N;
        if self.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }
}

impl Body for Binary<'_> {
    fn check_room(&self, element: &Element) -> Result<(), Problem> {
        let least: usize = element
            .properties
            .iter()
            .map(|p| p.kind.least_bytes())
            .sum();
        let room = self.left() / least.max(1);
        if element.rows > room {
            return Err(too_many_rows(element, room));
        }
        Ok(())
    }

    fn start_row(&mut self, _: &Element) -> Result<(), Problem> {
        Ok(())
    }

    fn value(&mut self, number: Number) -> Result<f64, Problem> {
        Ok(match number {
            Number::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Number::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Number::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Number::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Number::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Number::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Number::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Number::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn length(&mut self, length: Number, item: Number) -> Result<usize, Problem> {
        let n = list_length(self.value(length)?)?;
        let room = self.left() / item.bytes();
        if n > room {
            return Err(geometry(
                format!("a list has {n} items, but the file has room for {room}"),
                CUT_OFF,
            ));
        }
        Ok(n)
    }

    fn end_row(&mut self, _: &Element) -> Result<(), Problem> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Problem> {
        match self.left() {
            0 => Ok(()),
            left => Err(geometry(
                format!(
                    "{} follow after the rows that the header counts",
                    count(left, "byte")
                ),
                "correct the counts of the header, or export the mesh again",
            )),
        }
    }

    fn place(&self) -> Place {
        Place::Byte(self.at)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Ascii,
    Binary { big_endian: bool },
}

#[derive(Clone, Copy, PartialEq)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Number::I8,
            "uchar" | "uint8" => Number::U8,
            "short" | "int16" => Number::I16,
            "ushort" | "uint16" => Number::U16,
            "int" | "int32" => Number::I32,
            "uint" | "uint32" => Number::U32,
            "float" | "float32" => Number::F32,
            "double" | "float64" => Number::F64,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 => 4,
            Number::F64 => 8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Number::F32 | Number::F64)
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Scalar(Number),
    List { length: Number, item: Number },
}

impl Kind {
    fn least_bytes(self) -> usize {
        match self {
            Kind::Scalar(number) => number.bytes(),
            Kind::List { length, .. } => length.bytes(),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Coordinate(usize),
    Corners,
    Ignored,
}

struct Property {
    kind: Kind,
    role: Role,
}

struct Element {
    name: String,
    rows: usize,
    properties: Vec<Property>,
}

impl Element {
    fn roles(&self, wanted: impl Fn(Role) -> bool) -> usize {
        self.properties.iter().filter(|p| wanted(p.role)).count()
    }
}

struct Header {
    format: Format,
    elements: Vec<Element>,
    /// Bytes up to the end of the line `end_header`.
    length: usize,
    lines: usize,
}

impl Header {
    fn read(bytes: &[u8], name: &Path) -> Result<Self, ImportError> {
        let mut format = None;
        let mut elements: Vec<Element> = vec![];
        let mut length = 0;
        for (i, raw) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
            length += raw.len();
            let line = String::from_utf8_lossy(raw);
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let at = |problem| ImportError::at(name, i + 1, None, problem);
            if i == 0 {
                if words != ["ply"] {
                    return Err(at(syntax(
                        "a PLY file starts with the line `ply`",
                        "export the mesh again",
                    )));
                }
                continue;
            }
            match words[..] {
                [] | ["comment" | "obj_info", ..] => {}
                ["format", kind, "1.0"] => format = Some(format_named(kind).map_err(at)?),
                ["element", kind, rows] => {
                    elements.push(element(kind, rows, &elements).map_err(at)?)
                }
                ["property", ref words @ ..] => {
                    let element = elements.last_mut().ok_or_else(|| {
                        at(syntax(
                            "a property comes before the first element",
                            "write `element vertex …` before it",
                        ))
                    })?;
                    let property = property(&element.name, words).map_err(at)?;
                    element.properties.push(property);
                }
                ["end_header"] => {
                    let format = format.ok_or_else(|| {
                        at(syntax(
                            "the header has no `format` line",
                            "write `format ascii 1.0` as its second line",
                        ))
                    })?;
                    check_elements(&elements).map_err(at)?;
                    return Ok(Self {
                        format,
                        elements,
                        length,
                        lines: i + 1,
                    });
                }
                _ => {
                    return Err(at(syntax(
                        format!("`{}` is no line of a PLY header", shown(line.trim_end())),
                        "a header has lines of format, comment, obj_info, element, property and end_header",
                    )));
                }
            }
        }
        Err(ImportError::file(
            name,
            syntax("the header has no end", "the line `end_header` ends it"),
        ))
    }
}

fn format_named(kind: &str) -> Result<Format, Problem> {
    match kind {
        "ascii" => Ok(Format::Ascii),
        "binary_little_endian" => Ok(Format::Binary { big_endian: false }),
        "binary_big_endian" => Ok(Format::Binary { big_endian: true }),
        _ => Err(Problem::UnknownName {
            what: "PLY format",
            name: shown(kind),
            remedy: "known are ascii, binary_little_endian and binary_big_endian".to_owned(),
        }),
    }
}

fn element(kind: &str, rows: &str, before: &[Element]) -> Result<Element, Problem> {
    if kind == "tristrips" {
        return Err(unsupported(
            "a PLY file with triangle strips",
            "export the mesh with faces",
        ));
    }
    if before.iter().any(|e| e.name == kind) {
        return Err(syntax(
            format!("the element `{}` is declared twice", shown(kind)),
            "declare it once",
        ));
    }
    let rows = rows.parse().map_err(|_| Problem::BadValue {
        what: "the number of elements".to_owned(),
        value: format!("`{}`", shown(rows)),
        remedy: "write a whole number, zero or more".to_owned(),
    })?;
    Ok(Element {
        name: kind.to_owned(),
        rows,
        properties: vec![],
    })
}

fn property(element: &str, words: &[&str]) -> Result<Property, Problem> {
    let known = |name: &str| {
        Number::named(name).ok_or_else(|| Problem::UnknownName {
            what: "PLY type",
            name: shown(name),
            remedy:
                "known are char, uchar, short, ushort, int, uint, float, double and int8 to float64"
                    .to_owned(),
        })
    };
    let (kind, name) = match *words {
        ["list", length, item, name] => {
            let (length, item) = (known(length)?, known(item)?);
            if length.is_float() {
                return Err(syntax(
                    "the length of a list is a float type",
                    "it must be a whole number, such as uchar",
                ));
            }
            (Kind::List { length, item }, name)
        }
        [number, name] if number != "list" => (Kind::Scalar(known(number)?), name),
        _ => {
            return Err(syntax(
                "a property has a type and a name",
                "write `property float x`",
            ));
        }
    };
    let role = match (element, name, kind) {
        ("vertex", "x", Kind::Scalar(_)) => Role::Coordinate(0),
        ("vertex", "y", Kind::Scalar(_)) => Role::Coordinate(1),
        ("vertex", "z", Kind::Scalar(_)) => Role::Coordinate(2),
        ("face", "vertex_indices" | "vertex_index", Kind::List { item, .. })
            if !item.is_float() =>
        {
            Role::Corners
        }
        ("face", "vertex_indices" | "vertex_index", _) => {
            return Err(syntax(
                "the corners of faces are not a list of whole numbers",
                "write `property list uchar int vertex_indices`",
            ));
        }
        _ => Role::Ignored,
    };
    Ok(Property { kind, role })
}

/// Vertices with x, y and z, and faces with corners, each once.
fn check_elements(elements: &[Element]) -> Result<(), Problem> {
    let named = |name: &str| elements.iter().find(|e| e.name == name);
    let vertex = named("vertex")
        .ok_or_else(|| syntax("there is no element `vertex`", "export the mesh again"))?;
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        if vertex.roles(|r| r == Role::Coordinate(axis)) != 1 {
            return Err(syntax(
                format!("the element `vertex` needs one property `{name}`"),
                "write `property float x`, and the same for y and z",
            ));
        }
    }
    let face = named("face").ok_or_else(|| {
        geometry(
            "there is no element `face`: a cloud of points has no surface",
            "export the surface as a mesh",
        )
    })?;
    if face.rows > 0 && face.roles(|r| r == Role::Corners) != 1 {
        return Err(syntax(
            "the element `face` needs one property `vertex_indices` or `vertex_index`",
            "write `property list uchar int vertex_indices`",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::mesh::{LoadedMesh, parse};

    fn load(bytes: &[u8]) -> LoadedMesh {
        parse(bytes, Path::new("a.ply")).unwrap()
    }

    fn error(bytes: &[u8]) -> String {
        parse(bytes, Path::new("a.ply")).unwrap_err().to_string()
    }

    const TEXT: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty double y\n\
        property float z\nproperty float nx\nelement face 2\nproperty uchar red\nproperty list uchar int vertex_indices\n\
        property list uchar float texcoord\nelement edge 1\nproperty int a\nend_header\n\
        0 0 0 nan\n2 2 0 1\n0 1 0 1\n-2 2 0 1\n7 4 0 1 2 3 2 .5 .5\n7 3 0 1 2 0\n9\n";

    fn binary(big_endian: bool) -> Vec<u8> {
        let kind = if big_endian {
            "binary_big_endian"
        } else {
            "binary_little_endian"
        };
        let (header, _) = TEXT.split_once("end_header\n").unwrap();
        let mut bytes = format!("{}end_header\n", header.replace("ascii", kind)).into_bytes();
        let mut put = |mut b: Vec<u8>| {
            if big_endian {
                b.reverse();
            }
            bytes.extend(b);
        };
        for [x, y, z] in [[0., 0., 0.], [2., 2., 0.], [0., 1., 0.], [-2f32, 2., 0.]] {
            put(x.to_le_bytes().to_vec());
            put(f64::from(y).to_le_bytes().to_vec());
            put(z.to_le_bytes().to_vec());
            put(f32::NAN.to_le_bytes().to_vec());
        }
        for (corners, texture) in [
            (vec![0i32, 1, 2, 3], vec![0.5f32, 0.5]),
            (vec![0, 1, 2], vec![]),
        ] {
            put(vec![7]);
            put(vec![corners.len() as u8]);
            corners.iter().for_each(|i| put(i.to_le_bytes().to_vec()));
            put(vec![texture.len() as u8]);
            texture.iter().for_each(|i| put(i.to_le_bytes().to_vec()));
        }
        put(9i32.to_le_bytes().to_vec());
        bytes
    }

    #[test]
    fn all_three_forms_say_the_same() {
        let text = load(TEXT.as_bytes());
        assert_eq!(text.mesh.triangles.len(), 3);
        assert_eq!(text.mesh.corners(2)[1], Point3::new(2., 2., 0.));
        assert_eq!(text.notes, ["1 polygon cut into triangles"]);
        assert_eq!(load(&binary(false)), text);
        assert_eq!(load(&binary(true)), text);
        assert_eq!(load(TEXT.replace('\n', "\r\n").as_bytes()), text);
        assert_eq!(
            load(TEXT.replace("vertex_indices", "vertex_index").as_bytes()),
            text
        );
    }

    #[test]
    fn errors_in_text_name_their_line() {
        for (from, to, place, words) in [
            ("2 2 0 1\n", "2 2 0\n", ":17:", "too few"),
            ("2 2 0 1\n", "2 2 0 1 4\n", ":17:", "`4` follows"),
            ("2 2 0 1\n", "2 inf 0 1\n", ":17:", "finite"),
            ("2 2 0 1\n", "2 2,5 0 1\n", ":17:", "`2,5`"),
            ("7 3 0 1 2 0", "7 3 0 1 4 0", ":21:", "vertex 4"),
            ("7 3 0 1 2 0", "7 3 0 1 -1 0", ":21:", "vertex -1"),
            ("7 3 0 1 2 0", "7 2 0 1 0", ":21:", "2 corners"),
            ("7 3 0 1 2 0", "7 3 0 1 2.0 0", ":21:", "whole number"),
            ("7 3 0 1 2 0", "7 -3 0 1 2 0", ":21:", "-3 items"),
            ("7 3 0 1 2 0", "7 99999999 0 1 2 0", ":21:", "too few"),
            ("9\n", "9\n9\n", ":23:", "goes on"),
            ("9\n", "", ":21:", "ends before its 1 rows of `edge`"),
            ("face 2", "face 4000000000", ":19:", "room for"),
            (
                "property double y",
                "property quad y",
                ":6:",
                "unknown PLY type `quad`",
            ),
            ("property double y\n", "", ":14:", "property `y`"),
            ("format ascii 1.0", "format ascii 2.0", ":2:", "header"),
            ("element edge", "element face", ":13:", "twice"),
            (
                "element face 2",
                "element faces 2",
                ":15:",
                "no element `face`",
            ),
            ("list uchar int", "list float int", ":11:", "length"),
        ] {
            assert!(TEXT.contains(from));
            let said = error(TEXT.replace(from, to).as_bytes());
            assert!(
                said.contains(place) && said.contains(words),
                "{from:?} -> {to:?}: {said}"
            );
        }
        assert!(error(b"PLY\n").contains(":1: a PLY file starts"));
        assert!(error(b"ply\nformat ascii 1.0\n").contains("no end"));
    }

    #[test]
    fn binary_counts_are_weighed_against_the_file() {
        let bytes = binary(false);
        assert!(error(&bytes[..bytes.len() - 1]).contains("room for 0"));
        let said = error(&[&bytes[..], &[0, 0]].concat());
        assert!(
            said.contains("2 bytes follow") && said.contains("at byte"),
            "{said}"
        );
        let text = String::from_utf8_lossy(&bytes[..300]).into_owned();
        let end = text.find("end_header").unwrap();
        let huge = [
            text[..end]
                .replace("vertex 4", "vertex 4000000000")
                .as_bytes(),
            &bytes[end..],
        ]
        .concat();
        let said = error(&huge);
        assert!(said.contains("4000000000 rows of `vertex`"), "{said}");
    }
}
