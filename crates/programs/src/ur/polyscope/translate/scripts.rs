//! Nodes that hold text of URScript: a line, or what the program keeps of a file.

use roxmltree::Node;

use super::super::super::script::{ScriptAction, ScriptStatement, statements};
use super::super::tree::{child, resolved};
use super::Translator;
use crate::neighbour_files::neighbour_file;

impl Translator<'_> {
    pub(super) fn script(&self, node: Node) -> ScriptStatement {
        let (text, line) = match node.attribute("type") {
            Some("Line") => match child(node, "expression").map(|e| self.tree.written(e)) {
                Some(Ok(text)) => (text, self.tree.line(node)),
                Some(Err(why)) => return self.unread(node, why),
                None => return self.at(node, ScriptAction::Pass("Script".into())),
            },
            Some("File") => match child(node, "cachedContents").map(resolved) {
                Some(Some(content)) => {
                    let text = content.text().unwrap_or_default().to_owned();
                    if text.trim().is_empty() && child(node, "file").is_some() {
                        return self.unread(node, "a script file whose text is not in the program");
                    }
                    if let Some(why) = self.differs_from_its_file(node, &text) {
                        return self.unread(node, why);
                    }
                    (text, self.tree.line(content))
                }
                Some(None) => return self.unread(node, "a script file whose text is not found"),
                None => return self.unread(node, "a script file whose text is not in the program"),
            },
            _ => return self.unread(node, "this script is not understood"),
        };
        match statements(self.tree.text.file(), &text, line) {
            Ok(body) => self.at(node, ScriptAction::Block(body)),
            Err(error) => self.unread(node, error.problem.to_string()),
        }
    }

    /// Why the text of a script file may be out of date: a file of its name beside the program says
    /// something else, and which of the two the controller takes depends on how it is loaded.
    fn differs_from_its_file(&self, node: Node, kept: &str) -> Option<String> {
        let named = child(node, "file").and_then(resolved)?.text()?;
        let name = named.trim().rsplit(['/', '\\']).next()?;
        let path = self.tree.text.file().with_file_name(name);
        // Blanks before a line, and empty lines, say nothing.
        let lines = |text: &str| -> Vec<String> {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.map(str::to_owned).collect()
        };
        match neighbour_file(&path, self.options) {
            Ok(None) => None,
            Ok(Some(file)) => match std::str::from_utf8(&file.bytes) {
                Ok(text) if lines(text) == lines(kept) => None,
                _ => Some(format!(
                    "the script file `{}` says something else than the text that the program keeps of it: load and save the program on the controller",
                    file.path.display()
                )),
            },
            Err(error) => Some(error.to_string()),
        }
    }
}
