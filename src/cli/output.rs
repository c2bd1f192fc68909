//! Where reports go.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

/// Whether text on standard output may have colours: a terminal, and nobody asked for none.
pub(super) fn color() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Writes to standard output. Whoever closes the pipe has read enough: that is no error.
pub(super) fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(format!("standard output cannot be written: {e}"))
        }
        _ => Ok(()),
    }
}

/// Formats of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For machines, SI units
    Json,
}

/// A report that was asked for: `json`, `json=out.json`, `text=-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) format: Format,
    /// `None`: standard output.
    path: Option<PathBuf>,
}

impl Report {
    pub(super) const TEXT: Report = Report {
        format: Format::Text,
        path: None,
    };

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (format, path) = match text.split_once('=') {
            Some((_, "")) => {
                return Err("a file is missing behind `=`; `-` is standard output".to_owned());
            }
            Some((format, path)) => (format, Some(path)),
            None => (text, None),
        };
        let format = match format {
            "text" => Format::Text,
            "json" => Format::Json,
            _ => {
                return Err(format!(
                    "unknown format `{format}`; known are `text` and `json`"
                ));
            }
        };
        Ok(Self {
            format,
            path: path.filter(|&p| p != "-").map(PathBuf::from),
        })
    }

    pub(super) fn to_stdout(&self) -> bool {
        self.path.is_none()
    }

    pub(super) fn write(&self, text: &str) -> Result<(), String> {
        match &self.path {
            None => print(text),
            Some(path) => std::fs::write(path, text)
                .map_err(|e| format!("the report {} cannot be written: {e}", path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_name_a_format_and_perhaps_a_file() {
        assert_eq!(Report::parse("text"), Ok(Report::TEXT));
        assert_eq!(Report::parse("text=-"), Ok(Report::TEXT));
        let file = Report::parse("json=a=b.json").unwrap();
        assert_eq!(
            (file.format, file.path),
            (Format::Json, Some(PathBuf::from("a=b.json")))
        );
        for wrong in ["xml", "", "json=", "=x"] {
            assert!(Report::parse(wrong).is_err(), "{wrong}");
        }
    }
}
