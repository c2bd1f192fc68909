//! XML as ROS reads it, with the position of everything.
//!
//! ROS reads URDF and SRDF with a forgiving reader. What it forgives and standard XML does not is
//! smoothed out here before roxmltree sees the text, without moving a line: text before the `<?xml`
//! declaration, `--` inside comments, prefixes that nobody declared.

mod element;
pub(crate) mod guard;
#[cfg(test)]
mod tests;
pub(crate) mod unexpanded;

use std::path::{Path, PathBuf};

pub(crate) use element::Element;

use super::lines::Lines;
use super::{ImportError, Location, Problem};

/// Deeper nesting than any real file has; what is deeper is refused before a recursive reader can
/// run out of stack.
const MAX_DEPTH: usize = 200;
/// What files of meshes end in that are no XML.
const MESHES: [&str; 5] = ["stl", "obj", "ply", "wrl", "glb"];
/// More undeclared prefixes than any real file has.
const MAX_PREFIXES: usize = 64;

/// Where a piece of an expanded text was written.
#[derive(Debug)]
pub(crate) struct Origin {
    /// Where the piece begins in the text.
    pub(crate) offset: usize,
    pub(crate) place: Location,
}

/// The text of an XML file, made acceptable to a strict reader.
#[derive(Debug)]
pub struct XmlText {
    file: PathBuf,
    /// As it was before declarations were put in: positions are told in this one.
    original: String,
    text: String,
    /// Those of `original`.
    lines: Lines,
    /// Namespace declarations that were put in: where, and how many bytes.
    inserted: (usize, usize),
    /// Of a text that was made of other files, in order: positions are told in those. Empty for a
    /// text from its own file.
    origins: Vec<Origin>,
}

impl XmlText {
    /// Reads a file.
    pub(crate) fn read(file: &Path) -> Result<Self, ImportError> {
        let bytes = super::files::read_bytes(file, super::files::MOST_TEXT)?;
        Self::new(file, bytes)
    }

    /// Takes the bytes of a file.
    ///
    /// # Errors
    /// When they are those of another kind of file, or text in UTF-16.
    pub fn new(file: &Path, bytes: Vec<u8>) -> Result<Self, ImportError> {
        if let Some(problem) = super::foreign::foreign(&bytes) {
            return Err(ImportError::file(file, problem));
        }
        if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
            return Err(ImportError::file(
                file,
                Problem::Unsupported {
                    what: "utf-16 text".into(),
                    remedy: "save the file as utf-8".into(),
                },
            ));
        }
        // ROS passes bytes through unread. Latin-1 gives every byte a meaning, so that an accent in
        // a comment is not an error.
        let mut bytes = match String::from_utf8(bytes) {
            Ok(text) => text.into_bytes(),
            Err(e) => {
                let latin1: String = e.into_bytes().iter().map(|&b| char::from(b)).collect();
                latin1.into_bytes()
            }
        };
        blank_comments(&mut bytes);
        blank_declaration(&mut bytes);
        let text = String::from_utf8(bytes).map_err(|e| {
            ImportError::file(
                file,
                Problem::Syntax {
                    cause: format!("text cannot be decoded: {e}"),
                    remedy: "save the file as utf-8".into(),
                },
            )
        })?;
        let mut this = Self {
            file: file.to_owned(),
            lines: Lines::new(&text),
            original: text.clone(),
            text,
            inserted: (0, 0),
            origins: Vec::new(),
        };
        this.refuse_harmful()?;
        this.declare_prefixes();
        Ok(this)
    }

    /// A text that was made of a file and of what it includes, with the places that its pieces come
    /// from.
    pub(crate) fn expanded(
        file: &Path,
        text: String,
        origins: Vec<Origin>,
    ) -> Result<Self, ImportError> {
        if text.len() as u64 > super::files::MOST_TEXT {
            let problem = Problem::Unsupported {
                what: format!(
                    "more than {} MiB of expanded text",
                    super::files::MOST_TEXT >> 20
                ),
                remedy: "check whether the macros end".into(),
            };
            return Err(ImportError::file(file, problem));
        }
        let mut this = Self::new(file, text.into_bytes())?;
        this.origins = origins;
        Ok(this)
    }

    /// Whether the text was made of other files.
    pub(crate) fn is_expanded(&self) -> bool {
        !self.origins.is_empty()
    }

    /// The text that [`XmlText::parse`] reads: every line is where it is in the file.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// File that the text came from.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The document, or the place at which it stops being XML.
    ///
    /// # Errors
    /// When it is no XML, or holds what only `xacro` expands.
    pub fn parse(&self) -> Result<roxmltree::Document<'_>, ImportError> {
        let document = self.document()?;
        unexpanded::refuse(self, &document)?;
        Ok(document)
    }

    /// The same, whatever there is of xacro in it.
    pub(crate) fn document(&self) -> Result<roxmltree::Document<'_>, ImportError> {
        let document = parse(&self.text).map_err(|e| self.syntax(&e))?;
        let mut stack = vec![(document.root_element(), 1)];
        while let Some((node, depth)) = stack.pop() {
            if depth > MAX_DEPTH {
                return Err(ImportError {
                    place: self.place(node.range().start),
                    problem: Problem::Unsupported {
                        what: format!("xml nested more than {MAX_DEPTH} levels deep"),
                        remedy: "check how the file was generated".into(),
                    },
                });
            }
            stack.extend(
                node.children()
                    .filter(|n| n.is_element())
                    .map(|n| (n, depth + 1)),
            );
        }
        Ok(document)
    }

    /// Where an offset of the text was written: file, line and (where it is known) column.
    pub fn place(&self, offset: usize) -> Location {
        let (line, column) = self.position(offset);
        if self.origins.is_empty() {
            return Location::at(&self.file, line, Some(column));
        }
        let offset = self.original_offset(offset);
        let behind = self.origins.partition_point(|o| o.offset <= offset);
        match self.origins.get(behind.saturating_sub(1)) {
            Some(origin) => origin.place.clone(),
            None => Location::file(&self.file),
        }
    }

    /// Line and column (1-based) in the file of an offset in its text.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        self.lines
            .position(&self.original, self.original_offset(offset))
    }

    /// An offset before declarations were put in.
    fn original_offset(&self, offset: usize) -> usize {
        let (at, length) = self.inserted;
        if offset >= at + length {
            offset - length
        } else {
            offset.min(at)
        }
    }

    /// Before the text is parsed: see [`guard`].
    fn refuse_harmful(&self) -> Result<(), ImportError> {
        let Some((at, problem)) = guard::refused(&self.text) else {
            return Ok(());
        };
        let (line, column) = self.position(at);
        Err(ImportError::at(&self.file, line, Some(column), problem))
    }

    fn syntax(&self, error: &roxmltree::Error) -> ImportError {
        if let Some(cut) = self.cut_off(error) {
            return cut;
        }
        let pos = error.pos();
        let message = error.to_string();
        // The message repeats the position, and in the wrong column where a declaration was put in.
        let mut cause = message.replace(&format!(" at {pos}"), "");
        let start = self.text.trim_start();
        let remedy = if !start.is_empty() && !start.starts_with('<') {
            // Most likely it is another file than was meant.
            cause = "this is not xml".to_owned();
            let extension = self.file.extension().unwrap_or_default();
            let extension = extension.to_string_lossy().to_lowercase();
            if MESHES.contains(&&*extension) {
                "by its name it is a mesh, and a urdf or srdf is wanted here: name a mesh as `mesh` of an [[obstacle]] in the \
                 cell file, or by --obstacle"
            } else {
                "a urdf or srdf is wanted here: name one in the cell file, or by the option (such as --robot) that names this file"
            }
        } else if message.contains("escaped") || cause.contains('&') {
            "write `&amp;` for `&` and `&lt;` for `<`"
        } else {
            "the file must be well-formed xml"
        };
        ImportError::at(
            &self.file,
            (pos.row as usize).clamp(1, self.lines.count()),
            Some(pos.col as usize),
            Problem::Syntax {
                cause,
                remedy: remedy.into(),
            },
        )
    }

    /// The error for a file that ends before its root does; its reader tells no place of that.
    fn cut_off(&self, error: &roxmltree::Error) -> Option<ImportError> {
        use roxmltree::Error::{UnclosedRootNode, UnexpectedEndOfStream};
        if !matches!(error, UnclosedRootNode | UnexpectedEndOfStream) {
            return None;
        }
        let after = end_of_root_name(&self.text)?;
        let (_, root) = self.text[..after].rsplit_once('<')?;
        let (line, _) = self.position(self.text.trim_end().len());
        let problem = Problem::Syntax {
            cause: format!("the file ends within `<{root}>`"),
            remedy: "it may be cut off: fetch or save it again, or close what is open in it".into(),
        };
        Some(ImportError::at(&self.file, line, None, problem))
    }

    /// Declares, at the end of the root's start tag, every prefix that the file uses and nobody
    /// declared.
    fn declare_prefixes(&mut self) {
        let Some(at) = end_of_root_name(&self.text) else {
            return;
        };
        let mut declared = 0;
        let mut length = 0;
        while declared < MAX_PREFIXES {
            let Err(roxmltree::Error::UnknownNamespace(prefix, _)) = parse(&self.text) else {
                break;
            };
            let declaration = format!(" xmlns:{prefix}=\"undeclared:{prefix}\"");
            self.text.insert_str(at, &declaration);
            length += declaration.len();
            declared += 1;
        }
        self.inserted = (at, length);
    }
}

fn parse(text: &str) -> Result<roxmltree::Document<'_>, roxmltree::Error> {
    let options = roxmltree::ParsingOptions {
        // ROS skips a DOCTYPE; entities are refused before.
        allow_dtd: true,
        ..Default::default()
    };
    roxmltree::Document::parse_with_options(text, options)
}

/// Overwrites comments with spaces, line ends kept, so that nothing in them can be wrong. What looks
/// like the begin of one within a value, a CDATA section or a processing instruction is none.
fn blank_comments(bytes: &mut [u8]) {
    let mut i = 0;
    while let Some(start) = find(bytes, b"<", i) {
        let begins = |mark: &[u8]| bytes[start..].starts_with(mark);
        let (open, close): (&[u8], &[u8]) = match () {
            () if begins(b"<!--") => (b"<!--", b"-->"),
            () if begins(b"<![CDATA[") => (b"<![CDATA[", b"]]>"),
            () if begins(b"<?") => (b"<?", b"?>"),
            () => {
                i = end_of_tag(bytes, start + 1);
                continue;
            }
        };
        let is_comment = open == b"<!--";
        let Some(end) = find(bytes, close, start + open.len()) else {
            return; // never closed: the reader says so, with the position
        };
        i = end + close.len();
        if is_comment {
            blank(&mut bytes[start..i]);
        }
    }
}

/// Where a tag ends, or something else begins; its values in quotes are passed over.
fn end_of_tag(bytes: &[u8], from: usize) -> usize {
    // The quotes of a DOCTYPE may be those of a text.
    if bytes.get(from) == Some(&b'!') {
        return from;
    }
    let mut quote = None;
    for (i, &byte) in bytes.iter().enumerate().skip(from) {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'<' | b'>') => return i,
            _ => {}
        }
    }
    // A quote that is never closed: the reader says so.
    bytes.len()
}

/// Overwrites a byte-order mark and the `<?xml … ?>` declaration: the text is decoded already, and
/// ROS accepts declarations that are not at the very start.
fn blank_declaration(bytes: &mut [u8]) {
    if bytes.starts_with("\u{feff}".as_bytes()) {
        blank(&mut bytes[..3]);
    }
    let start = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
    if bytes[start..].starts_with(b"<?xml")
        && bytes.get(start + 5).is_some_and(u8::is_ascii_whitespace)
        && let Some(end) = find(bytes, b"?>", start)
    {
        blank(&mut bytes[start..end + 2]);
    }
}

fn blank(bytes: &mut [u8]) {
    for b in bytes {
        if *b != b'\n' && *b != b'\r' {
            *b = b' ';
        }
    }
}

fn find(bytes: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let found = bytes
        .get(from..)?
        .windows(needle.len())
        .position(|w| w == needle)?;
    Some(from + found)
}

/// Offset just behind the name of the root element.
fn end_of_root_name(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = (0..bytes.len().checked_sub(1)?).find(|&i| {
        bytes[i] == b'<' && (bytes[i + 1].is_ascii_alphabetic() || bytes[i + 1] == b'_')
    })?;
    let length = bytes[start + 1..]
        .iter()
        .position(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'))?;
    Some(start + 1 + length)
}

/// Name of an element as it is written, prefix included.
pub(super) fn written_name<'a>(source: &'a XmlText, node: roxmltree::Node<'a, '_>) -> &'a str {
    let local = node.tag_name().name();
    let raw = source.text.get(node.range()).unwrap_or(local);
    let raw = raw.strip_prefix('<').unwrap_or(local);
    let end = raw
        .find(|c: char| c.is_whitespace() || c == '/' || c == '>')
        .unwrap_or(raw.len());
    &raw[..end]
}
