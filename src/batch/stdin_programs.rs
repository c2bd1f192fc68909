//! Programs that come on standard input, one a line. They are kept in a temporary file: a batch is
//! read by name, perhaps twice.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clearance_formats::{ImportError, Problem};
use serde::Deserialize;
use serde_json::Value;

use super::collect::{listed, text_of_list};
use super::names::in_order;
use crate::error::Error;
use crate::run::{Fetched, Line, next_line, program_of_line, without_mark};

/// Bytes that a line may have: 64 MiB, half a million waypoints of six joints.
const MOST_LINE: u64 = 64 << 20;

/// The content of standard input.
#[derive(Debug)]
pub enum Input {
    /// Names of files, one a line.
    Names(Vec<PathBuf>),
    /// Programs, one a line.
    Programs(StdinPrograms),
}

/// Programs of lines.
#[derive(Debug)]
pub struct StdinPrograms {
    file: Mutex<File>,
    /// In the order of their names.
    lines: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    name: PathBuf,
    number: usize,
    start: u64,
    length: u64,
    /// Why the line is none.
    broken: Option<String>,
}

fn unreadable(cause: impl Display) -> Error {
    Error::Unreadable {
        what: "standard input".to_owned(),
        cause: cause.to_string(),
    }
}

/// Only the id: the rest is read when it is its turn.
#[derive(Deserialize)]
struct Id {
    id: Option<Value>,
}

impl Input {
    /// Reads to the end. The first line that is not blank tells: programs begin with `{`.
    ///
    /// # Errors
    /// When it cannot be read, or two programs have one name.
    pub fn read(mut input: impl BufRead) -> Result<Self, Error> {
        let said = |e: std::io::Error| unreadable(e);
        let mut number = 0;
        let first = loop {
            number += 1;
            let mut line = next_line(&mut input, MOST_LINE).map_err(said)?;
            if number == 1 {
                line = line.map(without_mark);
            }
            match line {
                Some(Line::Text(blank)) if blank.trim().is_empty() => {}
                other => break other,
            }
        };
        match first {
            None => Ok(Input::Names(Vec::new())),
            Some(Line::Text(text)) if !text.trim_start().starts_with('{') => {
                // As many lines as came before it: an error says in which one it is.
                let mut bytes = vec![b'\n'; number - 1];
                bytes.extend_from_slice(text.as_bytes());
                bytes.push(b'\n');
                input.read_to_end(&mut bytes).map_err(said)?;
                let text = text_of_list(bytes).map_err(unreadable)?;
                Ok(Input::Names(listed(&text).map_err(unreadable)?))
            }
            Some(first) => StdinPrograms::read(first, number, input).map(Input::Programs),
        }
    }
}

impl StdinPrograms {
    fn read(first: Line, number: usize, mut input: impl BufRead) -> Result<Self, Error> {
        let said = |e: std::io::Error| unreadable(e);
        let out = tempfile::tempfile().map_err(Error::no_temporary)?;
        let mut out = BufWriter::new(out);
        let (mut number, mut end) = (number, 0);
        let mut lines = Vec::new();
        let mut line = Some(first);
        while let Some(text) = line {
            let mut kept = Kept {
                name: PathBuf::from(format!("line {number}")),
                number,
                start: end,
                length: 0,
                broken: None,
            };
            match text {
                Line::Broken(why) => {
                    kept.broken = Some(why);
                    lines.push(kept);
                }
                Line::Text(text) if text.trim().is_empty() => {}
                Line::Text(text) => {
                    let id = serde_json::from_str::<Id>(&text).ok().and_then(|i| i.id);
                    match id {
                        Some(Value::String(id)) => kept.name = PathBuf::from(id),
                        Some(Value::Number(id)) => kept.name = PathBuf::from(id.to_string()),
                        _ => {}
                    }
                    out.write_all(text.as_bytes())
                        .map_err(Error::no_temporary)?;
                    kept.length = text.len() as u64;
                    end += kept.length;
                    lines.push(kept);
                }
            }
            number += 1;
            line = next_line(&mut input, MOST_LINE).map_err(said)?;
        }
        lines.sort_by(|a, b| in_order(&a.name, &b.name));
        if let Some(pair) = lines
            .windows(2)
            .find(|pair| pair[0].name.as_os_str() == pair[1].name.as_os_str())
        {
            return Err(unreadable(format!(
                "lines {} and {} have the same id `{}`; give each program a name of its own",
                pair[0].number,
                pair[1].number,
                pair[0].name.display()
            )));
        }
        let file = out
            .into_inner()
            .map_err(|e| Error::no_temporary(e.into_error()))?;
        Ok(Self {
            file: Mutex::new(file),
            lines,
        })
    }

    /// The names of all programs.
    pub fn names(&self) -> Vec<PathBuf> {
        self.lines.iter().map(|l| l.name.clone()).collect()
    }

    /// Whether a line has this name.
    pub(super) fn has(&self, name: &Path) -> bool {
        let order = |kept: &Kept| in_order(&kept.name, name);
        self.lines.binary_search_by(order).is_ok()
    }

    /// The program of this name; `None`: no line has it.
    pub(super) fn fetch(&self, name: &Path) -> Option<Result<Fetched, ImportError>> {
        let order = |kept: &Kept| in_order(&kept.name, name);
        let kept = &self.lines[self.lines.binary_search_by(order).ok()?];
        let program = match &kept.broken {
            Some(why) => Err(why.clone()),
            None => self
                .text(kept)
                .and_then(|text| program_of_line(&text, kept.number))
                .map_err(|e| e.to_string()),
        };
        Some(match program {
            Ok(program) => Ok(Fetched::Program(Box::new(program))),
            Err(cause) => {
                let remedy = "docs/serve.md says what a line may hold".to_owned();
                let problem = Problem::Syntax { cause, remedy };
                let input = Path::new("standard input");
                Err(ImportError::at(input, kept.number, None, problem))
            }
        })
    }

    fn text(&self, kept: &Kept) -> Result<String, Error> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let read = file
            .seek(SeekFrom::Start(kept.start))
            .and_then(|_| (&mut *file).take(kept.length).read_to_string(&mut text));
        match read {
            Ok(_) => Ok(text),
            Err(e) => Err(Error::unusable(format!(
                "the line cannot be read again: {e}"
            ))),
        }
    }
}
