//! VRML97: the shapes that the scene shows, as they are written.
//!
//! A reader of our own: what libraries there are round to single precision, put the corners of
//! round shapes *on* their surface, and have no lines in their errors.

mod nodes;
mod round;
mod scene;
mod shapes;
mod text;
mod words;

use std::path::Path;

use super::checks::{Soup, line_and_column, shown, syntax, unsupported};
use crate::{ImportError, Problem};

/// A problem, and its byte in the text.
struct VrmlFault {
    at: usize,
    problem: Problem,
}

impl VrmlFault {
    fn new(at: usize, problem: Problem) -> Self {
        Self { at, problem }
    }
}

pub fn read(bytes: &[u8], name: &Path) -> Result<Soup, ImportError> {
    let mut soup = read_by(bytes, name, scene::show)?;
    comments(bytes, &mut soup);
    Ok(soup)
}

/// The same by the names that `DEF` gives; what has none comes first. Each part has the comments of
/// the file.
pub fn read_parts(bytes: &[u8], name: &Path) -> Result<Vec<(String, Soup)>, ImportError> {
    let mut parts = read_by(bytes, name, scene::show_parts)?;
    let mut of_file = Soup::default();
    comments(bytes, &mut of_file);
    for (_, soup) in &mut parts {
        soup.comment_unit.clone_from(&of_file.comment_unit);
    }
    Ok(parts)
}

/// Takes note of all comments: they go from a `#` outside of texts to the end of the line. Texts may go
/// over several lines.
fn comments(bytes: &[u8], soup: &mut Soup) {
    let mut in_text = false;
    for line in String::from_utf8_lossy(bytes).lines() {
        let mut is_escaped = false;
        for (at, c) in line.char_indices() {
            match c {
                '#' if !in_text => {
                    soup.comment(&line[at..]);
                    break;
                }
                '"' if !is_escaped => in_text = !in_text,
                _ => {}
            }
            is_escaped = in_text && c == '\\' && !is_escaped;
        }
    }
}

fn read_by<T>(
    bytes: &[u8],
    name: &Path,
    show: impl Fn(&nodes::Document) -> Result<T, VrmlFault>,
) -> Result<T, ImportError> {
    // Names, comments and texts may be in any encoding: nothing of them has a shape.
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let soup = header(bytes, text)
        .map_err(|problem| VrmlFault::new(0, problem))
        .and_then(|()| text::parse(text))
        .and_then(|document| show(&document));
    soup.map_err(|VrmlFault { at, problem }| {
        let (line, column) = line_and_column(text, at);
        ImportError::at(name, line, Some(column), problem)
    })
}

fn header(bytes: &[u8], text: &str) -> Result<(), Problem> {
    if bytes.starts_with(b"\x1f\x8b") {
        return Err(unsupported(
            "a gzip-compressed VRML file",
            "unpack it, for instance with `gunzip -c FILE > part.wrl`, and name the unpacked file",
        ));
    }
    let first = text.lines().next().unwrap_or_default();
    let mut words = first.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("#VRML"), Some("V2.0"), Some("utf8")) => Ok(()),
        (Some("#VRML"), Some("V1.0"), _) => Err(unsupported(
            "VRML 1.0, whose nodes mean other things,",
            "export the mesh as VRML97 (also called VRML 2.0), STL or OBJ",
        )),
        (Some("#X3D"), ..) => Err(unsupported(
            "X3D",
            "export the mesh as VRML97 (also called VRML 2.0), STL or OBJ",
        )),
        _ => Err(syntax(
            format!("the first line is `{}`", shown(first)),
            "a VRML97 file starts with `#VRML V2.0 utf8`",
        )),
    }
}

#[cfg(test)]
mod tests;
