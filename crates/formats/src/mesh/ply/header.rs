//! The header: the elements that a file says it has.

use std::path::Path;

use crate::mesh::checks::{geometry, shown, syntax, unsupported};
use crate::{ImportError, Problem};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum PlyFormat {
    Ascii,
    Binary { big_endian: bool },
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum PlyNumber {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl PlyNumber {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => PlyNumber::I8,
            "uchar" | "uint8" => PlyNumber::U8,
            "short" | "int16" => PlyNumber::I16,
            "ushort" | "uint16" => PlyNumber::U16,
            "int" | "int32" => PlyNumber::I32,
            "uint" | "uint32" => PlyNumber::U32,
            "float" | "float32" => PlyNumber::F32,
            "double" | "float64" => PlyNumber::F64,
            _ => return None,
        })
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            PlyNumber::I8 | PlyNumber::U8 => 1,
            PlyNumber::I16 | PlyNumber::U16 => 2,
            PlyNumber::I32 | PlyNumber::U32 | PlyNumber::F32 => 4,
            PlyNumber::F64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, PlyNumber::F32 | PlyNumber::F64)
    }
}

#[derive(Clone, Copy)]
pub(super) enum PlyKind {
    Scalar(PlyNumber),
    List { length: PlyNumber, item: PlyNumber },
}

impl PlyKind {
    pub(super) fn least_bytes(self) -> usize {
        match self {
            PlyKind::Scalar(number) => number.bytes(),
            PlyKind::List { length, .. } => length.bytes(),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum PlyRole {
    Coordinate(usize),
    Corners,
    /// A list of whole numbers in an element that is not known: it may be corners of surface.
    Numbers,
    Ignored,
}

pub(super) struct Property {
    pub(super) kind: PlyKind,
    pub(super) role: PlyRole,
}

pub(super) struct PlyElement {
    pub(super) name: String,
    pub(super) rows: usize,
    pub(super) properties: Vec<Property>,
}

impl PlyElement {
    fn roles(&self, wanted: impl Fn(PlyRole) -> bool) -> usize {
        self.properties.iter().filter(|p| wanted(p.role)).count()
    }
}

pub(super) struct PlyHeader {
    pub(super) format: PlyFormat,
    pub(super) elements: Vec<PlyElement>,
    /// What stands behind `comment` and `obj_info`.
    pub(super) comments: Vec<String>,
    /// Bytes up to the end of the line `end_header`.
    pub(super) length: usize,
    pub(super) lines: usize,
}

impl PlyHeader {
    pub(super) fn read(bytes: &[u8], name: &Path) -> Result<Self, ImportError> {
        let mut format = None;
        let mut elements: Vec<PlyElement> = vec![];
        let mut length = 0;
        let mut comments = Vec::new();
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
                [] => {}
                ["comment" | "obj_info", ..] => comments.push(words[1..].join(" ")),
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
                        comments,
                        length,
                        lines: i + 1,
                    });
                }
                _ => {
                    return Err(at(syntax(
                        format!("`{}` is not a line of a PLY header", shown(line.trim_end())),
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

fn format_named(kind: &str) -> Result<PlyFormat, Problem> {
    match kind {
        "ascii" => Ok(PlyFormat::Ascii),
        "binary_little_endian" => Ok(PlyFormat::Binary { big_endian: false }),
        "binary_big_endian" => Ok(PlyFormat::Binary { big_endian: true }),
        _ => Err(Problem::UnknownName {
            what: "PLY format",
            name: shown(kind),
            remedy: "known are ascii, binary_little_endian and binary_big_endian".to_owned(),
        }),
    }
}

fn element(kind: &str, rows: &str, before: &[PlyElement]) -> Result<PlyElement, Problem> {
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
    Ok(PlyElement {
        name: kind.to_owned(),
        rows,
        properties: vec![],
    })
}

fn property(element: &str, words: &[&str]) -> Result<Property, Problem> {
    let known = |name: &str| {
        PlyNumber::named(name).ok_or_else(|| Problem::UnknownName {
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
            (PlyKind::List { length, item }, name)
        }
        [number, name] if number != "list" => (PlyKind::Scalar(known(number)?), name),
        _ => {
            return Err(syntax(
                "a property has a type and a name",
                "write `property float x`",
            ));
        }
    };
    let role = match (element, name, kind) {
        ("vertex", "x", PlyKind::Scalar(_)) => PlyRole::Coordinate(0),
        ("vertex", "y", PlyKind::Scalar(_)) => PlyRole::Coordinate(1),
        ("vertex", "z", PlyKind::Scalar(_)) => PlyRole::Coordinate(2),
        ("face", "vertex_indices" | "vertex_index", PlyKind::List { item, .. })
            if !item.is_float() =>
        {
            PlyRole::Corners
        }
        ("face", "vertex_indices" | "vertex_index", _) => {
            return Err(syntax(
                "the corners of faces are not a list of whole numbers",
                "write `property list uchar int vertex_indices`",
            ));
        }
        // Its surface would be left out.
        (other, "vertex_indices" | "vertex_index", PlyKind::List { .. }) if other != "vertex" => {
            return Err(unsupported(
                format!("an element `{}` with corners of faces", shown(other)),
                "call it `face`, or export the mesh again",
            ));
        }
        (other, name, PlyKind::List { item, .. })
            if !item.is_float() && !["vertex", "face", "edge"].contains(&other) =>
        {
            if is_of_texture(other) || is_of_texture(name) {
                PlyRole::Ignored
            } else {
                PlyRole::Numbers
            }
        }
        _ => PlyRole::Ignored,
    };
    Ok(Property { kind, role })
}

/// Whether an element or a property is what images on the surface need. Not by part of the name: it is
/// in `vertex` too.
fn is_of_texture(name: &str) -> bool {
    let begins = ["texture", "multi_texture"]
        .iter()
        .any(|word| name.starts_with(word));
    begins || ["texcoord", "texcoords", "texnumber"].contains(&name)
}

/// Vertices with x, y and z, and faces with corners, each once.
fn check_elements(elements: &[PlyElement]) -> Result<(), Problem> {
    let named = |name: &str| elements.iter().find(|e| e.name == name);
    let vertex = named("vertex")
        .ok_or_else(|| syntax("there is no element `vertex`", "export the mesh again"))?;
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        if vertex.roles(|r| r == PlyRole::Coordinate(axis)) != 1 {
            return Err(syntax(
                format!("the element `vertex` needs one property `{name}`"),
                "write `property float x`, and the same for y and z",
            ));
        }
    }
    let lists = |e: &&PlyElement| e.rows > 0 && e.roles(|r| r == PlyRole::Numbers) > 0;
    if let Some(element) = elements.iter().find(lists) {
        return Err(unsupported(
            format!(
                "an element `{}` with lists of whole numbers, which may be surface,",
                shown(&element.name)
            ),
            "export the mesh with faces only",
        ));
    }
    let face = named("face").ok_or_else(|| {
        geometry(
            "there is no element `face`: a cloud of points has no surface",
            "export the surface as a mesh",
        )
    })?;
    if face.rows > 0 && face.roles(|r| r == PlyRole::Corners) != 1 {
        return Err(syntax(
            "the element `face` needs one property `vertex_indices` or `vertex_index`",
            "write `property list uchar int vertex_indices`",
        ));
    }
    Ok(())
}
