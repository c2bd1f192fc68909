//! Where something stands in an input file.

use std::path::Path;

/// A location in an input file: readers say with it where a file is wrong, and reports pass it on.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Location {
    /// File, as the user or the referring file named it.
    pub file: String,
    /// Line, 1-based.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<usize>,
    /// Column, 1-based.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<usize>,
}

impl Location {
    /// A file as a whole.
    pub fn file(file: &Path) -> Self {
        Self {
            file: file.display().to_string(),
            line: None,
            column: None,
        }
    }

    /// A line of a file, where it has lines, and, where it is known, a column (both 1-based).
    pub fn at(file: &Path, line: impl Into<Option<usize>>, column: Option<usize>) -> Self {
        Self {
            line: line.into(),
            column,
            ..Self::file(file)
        }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}
