//! xacro: macros that stand for URDF and SRDF.
//!
//! A file that ends in `.xacro` is expanded here, to what the `xacro` of ROS 2 makes of it. What
//! this cannot do exactly as that does is an error with its file and line: a link or a dimension
//! that is lost would be a robot that is too small. Whatever else has something of xacro left in it
//! is refused (`xml/unexpanded.rs`).

mod budget;
mod builtins;
mod evaluate;
mod expand;
mod format;
mod functions;
mod names;
mod operators;
mod parser;
mod scopes;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod tree;
mod value;
mod yaml;

use std::path::{Path, PathBuf};

use self::expand::Expander;
use self::tree::{Output, SourceElement};
use clearance_proof::report::{Code, Diagnostic};

use super::names::suggestion;
use super::resolve::Resolver;
use super::xml::XmlText;
use super::{ImportError, Location, Problem};
use crate::notes::note_at;

/// Why an expression has no value.
type EvaluationError = String;

/// Stack for [`budget::MOST_DEPTH`] levels, several times what they need in any build.
const STACK: usize = 160 << 20;

/// Whether a file is expanded: by its name.
pub(crate) fn is_xacro(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("xacro"))
}

/// Arguments of a file, as `xacro name:=value` has them.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    given: Vec<GivenArgument>,
    /// By name.
    defaults: Vec<(String, String)>,
}

/// An argument that the user gave.
#[derive(Debug)]
struct GivenArgument {
    name: String,
    value: String,
    /// Whether some file asked for it.
    asked: bool,
}

impl Arguments {
    pub(crate) fn new(given: &[(String, String)]) -> Self {
        let given = given.iter().map(|(name, value)| GivenArgument {
            name: name.clone(),
            value: value.clone(),
            asked: false,
        });
        Self {
            given: given.collect(),
            defaults: Vec::new(),
        }
    }

    /// An `<xacro:arg>` was met; whether the argument has a value already.
    fn declare(&mut self, name: &str) -> bool {
        self.value(name).is_some()
    }

    fn set_default(&mut self, name: &str, value: &str) {
        self.defaults.push((name.to_owned(), value.to_owned()));
    }

    fn value(&mut self, name: &str) -> Option<String> {
        if let Some(given) = self.given.iter_mut().find(|given| given.name == name) {
            given.asked = true;
            return Some(given.value.clone());
        }
        let default = self.defaults.iter().find(|(n, _)| n == name);
        default.map(|(_, value)| value.clone())
    }

    /// Refuses an argument that no file has asked for: it would change nothing, and somebody meant
    /// it to.
    pub(crate) fn all_used(&self) -> Result<(), Problem> {
        match self.given.iter().find(|given| !given.asked) {
            None => Ok(()),
            Some(GivenArgument { name, .. }) => Err(Problem::UnknownName {
                what: "xacro argument",
                name: name.clone(),
                remedy: suggestion(name, self.defaults.iter().map(|(n, _)| n.as_str())),
            }),
        }
    }

    /// Defaults are those of one file; what was given counts for the next one too.
    fn begin(&mut self) {
        self.defaults.clear();
    }
}

/// The text of a URDF or SRDF, expanded where its name says that it must be.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) xml: XmlText,
    /// Everything that was read for it, itself first.
    pub(crate) files: Vec<PathBuf>,
    /// Files that would have been included if they were there: where, and which.
    pub(crate) missing: Vec<(Location, PathBuf)>,
    /// The macros of a file that defines some, and has nothing else: none of them is called.
    pub(crate) only_macros: Vec<String>,
}

/// Reads a URDF or SRDF.
pub(crate) fn open(
    file: &Path,
    arguments: &mut Arguments,
    resolver: &Resolver,
) -> Result<Opened, ImportError> {
    expanded(XmlText::read(file)?, arguments, resolver)
}

/// The same with a text that has been read.
pub(crate) fn expanded(
    xml: XmlText,
    arguments: &mut Arguments,
    resolver: &Resolver,
) -> Result<Opened, ImportError> {
    let file = xml.file().to_owned();
    if !is_xacro(&file) {
        return Ok(Opened {
            files: vec![file],
            xml,
            missing: Vec::new(),
            only_macros: Vec::new(),
        });
    }
    arguments.begin();
    // Macros call one another: a thread whose stack is large enough for as deep as they may.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let work = || in_thread(&xml, arguments, resolver);
        let failed = |cause: String| {
            let remedy = "close other programs and try again".to_owned();
            Err(ImportError::file(
                &file,
                Problem::Unreadable { cause, remedy },
            ))
        };
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => match thread.join() {
                Ok(opened) => opened,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(error) => failed(format!("no thread to expand it in: {error}")),
        }
    })
}

fn in_thread(
    xml: &XmlText,
    arguments: &mut Arguments,
    resolver: &Resolver,
) -> Result<Opened, ImportError> {
    let file = xml.file();
    let source = SourceElement::read(xml)?;
    let mut expander = Expander::new(resolver, file, arguments);
    let root = expander.root(&source)?;
    let mut output = Output::default();
    root.write(&mut output);
    let missing = std::mem::take(&mut expander.missing).into_iter();
    let only_macros = if root.has_elements() {
        Vec::new()
    } else {
        expander.macros()
    };
    Ok(Opened {
        only_macros,
        missing: missing
            .map(|(place, file)| (place.location(), file))
            .collect(),
        files: std::mem::take(&mut expander.files),
        xml: XmlText::expanded(file, output.text, output.origins)?,
    })
}

impl Opened {
    /// Refuses a robot of which only macros are there: a file of parts, which another one calls.
    pub(crate) fn has_more_than_macros(&self) -> Result<(), ImportError> {
        if self.only_macros.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = self.only_macros.iter().map(|n| format!("`{n}`")).collect();
        let problem = Problem::Syntax {
            cause: format!(
                "it only defines macros ({}), and none of them is called",
                names.join(", ")
            ),
            remedy: "name the file that includes this one and calls them".to_owned(),
        };
        Err(ImportError::at(self.xml.file(), 1, None, problem))
    }

    /// The notes about files that would have been included.
    pub(crate) fn missing_notes(&self) -> impl Iterator<Item = Diagnostic> {
        self.missing.iter().map(|(place, file)| {
            let why = format!(
                "the file {}, which is included where it is there, is not there",
                file.display()
            );
            note_at(Code::SkippedInclude, place.clone(), why)
        })
    }
}
