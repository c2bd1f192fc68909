//! `<xacro:include>`: files within files.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Expander;
use super::attributes::known;
use super::fault::{ExpansionError, ExpansionResult, unsupported, wrong};
use crate::patterns::FilePattern;
use crate::xacro::scopes::ScopeId;
use crate::xacro::tree::{ExpandedElement, SourceElement, SourceNode};
use crate::xml::XmlText;
use crate::{ImportError, Problem};

impl Expander<'_> {
    pub(super) fn include(
        &mut self,
        source: &SourceElement,
        scope: ScopeId,
        out: &mut ExpandedElement,
    ) -> Result<(), ImportError> {
        let here = |fault: ExpansionError| fault.at(&source.place);
        let [file, name, optional] =
            known(source, &["filename"], &["ns", "optional"]).map_err(here)?;
        let mut inside = scope;
        if let Some(name) = name {
            let name = self.written(name, scope).map_err(here)?;
            inside = self.scopes.named(scope, &name);
        }
        let optional = self
            .flag(optional.unwrap_or("false"), scope)
            .map_err(here)?;
        // Makers write arguments for the file into it, and xacro does not hand them on.
        let is_lost =
            |c: &SourceNode| matches!(c, SourceNode::Element(inside) if inside.name != "xacro:arg");
        if source.children.iter().any(is_lost) {
            return Err(here(wrong(
                "`<xacro:include>` has elements in it, which xacro ignores",
                "take them out",
            )));
        }
        let file = self
            .written(file.unwrap_or_default(), scope)
            .map_err(here)?;
        for file in self.matching(&file).map_err(here)? {
            if optional && !file.exists() {
                self.missing.push((source.place.clone(), file));
                continue;
            }
            let read = self.read(&file);
            let included = read.map_err(|error| {
                error.referred(
                    "a file that xacro includes".to_owned(),
                    &source.place.location(),
                )
            })?;
            self.stack.push(file);
            let mut attributes = Ok(());
            for (_, value) in &included.attributes {
                attributes = attributes.and_then(|()| self.written(value, inside).map(drop));
            }
            let done = match attributes {
                Ok(()) => self.nodes(&included.children, inside, out, false),
                Err(fault) => Err(fault.at(&included.place)),
            };
            self.stack.pop();
            done?;
        }
        Ok(())
    }

    /// A file name as the file that is expanded means it.
    pub(super) fn in_own_folder(&self, file: &str) -> PathBuf {
        let current = self.stack.last().map_or(self.root, PathBuf::as_path);
        current.parent().unwrap_or(Path::new("")).join(file)
    }

    /// The files of a name, which may be a pattern.
    fn matching(&self, file: &str) -> ExpansionResult<Vec<PathBuf>> {
        if !file.contains(['*', '?', '[']) {
            return Ok(vec![self.in_own_folder(file)]);
        }
        if file.contains("**") {
            return Err(unsupported(format!("`**` in `{file}`"), "name the folder"));
        }
        let pattern = FilePattern::new(&self.in_own_folder(""), file);
        let found = pattern.and_then(|pattern| pattern.files());
        found.map_err(ExpansionError::Here)
    }

    pub(super) fn note_file(&mut self, file: &Path) {
        if !self.files.iter().any(|f| f == file) {
            self.files.push(file.to_owned());
        }
    }

    fn read(&mut self, file: &Path) -> Result<Rc<SourceElement>, ImportError> {
        if let Some(known) = self.sources.get(file) {
            return Ok(known.clone());
        }
        let one = self.resolver.has_one_version(file);
        one.map_err(|problem| ImportError::file(file, problem))?;
        let xml = XmlText::read(file)?;
        if let Err(why) = self.budget.spend(xml.text().len() as u64) {
            return Err(ImportError::file(
                file,
                Problem::Unsupported {
                    what: why,
                    remedy: "check what it includes".to_owned(),
                },
            ));
        }
        self.note_file(file);
        let source = SourceElement::read(&xml)?;
        self.sources.insert(file.to_owned(), source.clone());
        Ok(source)
    }
}
