//! The content of a result file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::record::{ANSWERS, Brief, Footer, RESULTS, ResultHeader};
use super::seal::is_whole;
use crate::error::Error;

/// Where a line stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LinePlace {
    pub(super) start: u64,
    /// With its line break; 0: nowhere.
    pub(super) length: u64,
}

impl LinePlace {
    pub(super) fn is_known(self) -> bool {
        self.length > 0
    }
}

/// The content of an unfinished or finished file: the last line of every program.
pub(super) struct Held {
    pub(super) header: ResultHeader,
    pub(super) programs: HashMap<String, (LinePlace, Brief)>,
    pub(super) footer: Option<Footer>,
    /// The faults of lines that are not as they were written. Nothing in these lines is known.
    pub(super) damaged: Vec<String>,
    /// The file that was read: another one may have its name by now.
    pub(super) file: File,
}

/// Reads a result file. A last line that was torn off while it was written is passed over, and of a
/// line that is damaged nothing is taken. Lines of files from before there were hashes are taken as
/// they are: no answer of such a file is kept.
pub(super) fn held(path: &Path) -> Result<Held, Error> {
    let failed = |e: std::io::Error| Error::unreadable(path, e);
    let file = File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(not_ours(path));
    }
    let mut reader = BufReader::new(&file);
    let mut text = Vec::new();
    let mut start = 0;
    let mut next = |text: &mut Vec<u8>| -> std::io::Result<Option<LinePlace>> {
        text.clear();
        let length = reader.read_until(b'\n', text)? as u64;
        let place = LinePlace { start, length };
        start += length;
        Ok((text.last() == Some(&b'\n')).then_some(place))
    };
    if next(&mut text).map_err(failed)?.is_none() {
        return Err(not_ours(path));
    }
    let header = first_line(path, &text)?;
    let mut programs = HashMap::new();
    let mut footer = None;
    let mut damaged = Vec::new();
    let mut number = 1;
    while let Some(place) = next(&mut text).map_err(failed)? {
        number += 1;
        let known = header.answers == 0 || is_whole(&text, &header.key);
        let read = match known {
            false => Err("it is not as it was written".to_owned()),
            true if text.starts_with(b"{\"finished\":") => serde_json::from_slice(&text)
                .map(|last| footer = Some(last))
                .map_err(|e| e.to_string()),
            true => serde_json::from_slice(&text)
                .map(|brief: Brief| {
                    programs.insert(brief.program.clone(), (place, brief));
                })
                .map_err(|e| e.to_string()),
        };
        if let Err(why) = read {
            damaged.push(format!(
                "{}:{number}: this line is damaged ({why}); --resume verifies its program again",
                path.display()
            ));
        }
    }
    Ok(Held {
        header,
        programs,
        footer,
        damaged,
        file,
    })
}

/// The first ones of many lines of news.
pub(super) fn few(many: &[String]) -> Vec<String> {
    const FEW: usize = 5;
    let mut few: Vec<String> = many.iter().take(FEW).cloned().collect();
    if many.len() > FEW {
        few.push(format!("{} more lines are damaged", many.len() - FEW));
    }
    few
}

fn not_ours(path: &Path) -> Error {
    Error::Unusable(format!(
        "{} is not a result file of `clearance batch`; name one, or a file that does not exist yet",
        path.display()
    ))
}

fn first_line(path: &Path, text: &[u8]) -> Result<ResultHeader, Error> {
    /// Kept in every version.
    #[derive(serde::Deserialize)]
    struct Version {
        results: u32,
        tool: String,
    }
    let damaged = |why: &str| {
        Error::Damaged(format!(
            "{}:1: this line is damaged ({why}); --resume verifies every program again",
            path.display()
        ))
    };
    match serde_json::from_slice::<Version>(text) {
        Ok(v) if v.tool == "clearance" && v.results != RESULTS => {
            let age = if v.results < RESULTS {
                "older"
            } else {
                "newer"
            };
            Err(Error::Unusable(format!(
                "{}:1: this result file is of schema {}, {age} than schema {RESULTS}, which this clearance reads: nothing of it \
                 is used; verify its programs again, with `batch --results` and the name of another file",
                path.display(),
                v.results
            )))
        }
        Ok(v) if v.tool == "clearance" => match serde_json::from_slice::<ResultHeader>(text) {
            Err(e) => Err(damaged(&e.to_string())),
            // Other builds may write their lines in another way; nothing of theirs is kept.
            Ok(header) if header.answers == ANSWERS && !is_whole(text, "") => {
                Err(damaged("it is not as it was written"))
            }
            Ok(header) => Ok(header),
        },
        // Damage may have hit the very beginning.
        Err(_) if text.windows(SIGN.len()).any(|w| w == SIGN) => Err(damaged("it is not JSON")),
        _ => Err(not_ours(path)),
    }
}

/// The text that stands in every first line of ours.
const SIGN: &[u8] = b"\"tool\":\"clearance\"";

/// Reads one line.
pub(super) fn line_at(file: &mut File, place: LinePlace) -> std::io::Result<Vec<u8>> {
    let mut text = vec![0; usize::try_from(place.length).unwrap_or(usize::MAX)];
    file.seek(SeekFrom::Start(place.start))?;
    file.read_exact(&mut text)?;
    Ok(text)
}
