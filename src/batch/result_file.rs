//! The content of a result file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::iter::Peekable;
use std::path::Path;

use super::record::{BUILD, Brief, Footer, RESULTS, ResultHeader};
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

/// The content of an unfinished or finished file: a line of every program.
pub(super) struct ResultFileContent {
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
pub(super) fn read_results(path: &Path, remedies: &Remedies) -> Result<ResultFileContent, Error> {
    let failed = |e: std::io::Error| Error::unreadable(path, e);
    // To open a pipe would wait for somebody who writes to it.
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        return Err(not_ours(path, remedies));
    }
    let file = File::open(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => Error::unreadable(path, format!("{e}; {}", remedies.stranger)),
        _ => failed(e),
    })?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(not_ours(path, remedies));
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
        return Err(not_ours(path, remedies));
    }
    let header = first_line(path, &text, remedies)?;
    let mut programs = HashMap::new();
    let mut footer = None;
    let mut damaged = Vec::new();
    let mut number = 1;
    while let Some(place) = next(&mut text).map_err(failed)? {
        number += 1;
        let known = header.build.is_empty() || is_whole(&text, &header.key);
        let read = match known {
            false => Err("it is not as it was written".to_owned()),
            true if footer.is_some() => Err("it stands behind the end of a run".to_owned()),
            true if text.starts_with(b"{\"finished\":") => serde_json::from_slice(&text)
                .map(|last| footer = Some(last))
                .map_err(|e| e.to_string()),
            true => serde_json::from_slice(&text)
                .map_err(|e| e.to_string())
                .and_then(|brief: Brief| enter(&mut programs, place, brief)),
        };
        if let Err(why) = read {
            damaged.push(format!(
                "{}:{number}: this line is damaged ({why}); {}",
                path.display(),
                remedies.line
            ));
        }
    }
    Ok(ResultFileContent {
        header,
        programs,
        footer,
        damaged,
        file,
    })
}

/// Adds what a line says of a program.
fn enter(
    programs: &mut HashMap<String, (LinePlace, Brief)>,
    place: LinePlace,
    brief: Brief,
) -> Result<(), String> {
    let name = brief.program.clone();
    match programs.get(&name) {
        // A tool that joins versions of a file line by line may have joined two runs.
        Some((_, known)) if !known.says_the_same(&brief) => {
            Err(format!("a line before it has another result of {name}"))
        }
        _ => {
            programs.insert(name, (place, brief));
            Ok(())
        }
    }
}

/// Bytes at the end of a file in which its last line is looked for.
const TAIL: u64 = 1 << 16;

/// Whether a result file is of a run that came to its end, as far as its first and its last line
/// tell: one with a very long last line may be, although this says no.
///
/// # Errors
/// When the file cannot be read, or its first line is not that of a result file.
pub(super) fn is_finished(path: &Path, remedies: &Remedies) -> Result<bool, Error> {
    let failed = |e: std::io::Error| Error::unreadable(path, e);
    let mut file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(not_ours(path, remedies));
    }
    let mut text = Vec::new();
    let mut reader = BufReader::new(&file);
    reader.read_until(b'\n', &mut text).map_err(failed)?;
    if text.last() != Some(&b'\n') {
        return Err(not_ours(path, remedies));
    }
    let header = first_line(path, &text, remedies)?;
    let tail = about.len().saturating_sub(TAIL).max(text.len() as u64);
    text.clear();
    file.seek(SeekFrom::Start(tail)).map_err(failed)?;
    file.take(TAIL).read_to_end(&mut text).map_err(failed)?;
    let whole = text.strip_suffix(b"\n").unwrap_or_default();
    let last = whole
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |at| at + 1);
    let last = &text[last..];
    let known = header.build.is_empty() || is_whole(last, &header.key);
    Ok(known && serde_json::from_slice::<Footer>(last).is_ok())
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

fn not_ours(path: &Path, remedies: &Remedies) -> Error {
    Error::Unusable(format!(
        "{} is not a result file of `clearance batch`; {}",
        path.display(),
        remedies.stranger
    ))
}

/// What the user can do about a result file that cannot be used.
pub(super) struct Remedies {
    /// It was not written by `clearance`, or does not exist.
    stranger: &'static str,
    /// It has another version of the format.
    schema: &'static str,
    /// It is damaged.
    damage: &'static str,
    /// One of its lines is damaged.
    line: &'static str,
}

/// For a file that is read and then written.
pub(super) const READ: Remedies = Remedies {
    stranger: "name one, or a file that does not exist yet",
    schema: "nothing of it is used; verify its programs again, with `batch --results` and the name of another file",
    damage: "--resume verifies every program again",
    line: "--resume verifies its program again",
};

/// For a file that has to exist: results to be joined.
pub(super) const WANTED: Remedies = Remedies {
    stranger: "name a file that `batch --results` has written",
    ..READ
};

/// For a file that is compared with.
pub(super) const BASELINE: Remedies = Remedies {
    damage: "name another one, or make it anew with `batch --results`",
    line: "its program counts as new",
    ..WANTED
};

/// For a file that is to be replaced.
pub(super) const REPLACED: Remedies = Remedies {
    stranger: READ.stranger,
    schema: "it is not replaced; remove it, or name another file",
    damage: "the file is not replaced; remove it, or name another one",
    line: "the file is not replaced",
};

fn first_line(path: &Path, text: &[u8], remedies: &Remedies) -> Result<ResultHeader, Error> {
    /// Kept in every version.
    #[derive(serde::Deserialize)]
    struct Version {
        results: u32,
        tool: String,
    }
    let damaged = |why: &str| {
        Error::Damaged(format!(
            "{}:1: this line is damaged ({why}); {}",
            path.display(),
            remedies.damage
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
                "{}:1: this result file is of schema {}, {age} than schema {RESULTS}, which this clearance reads: {}",
                path.display(),
                v.results,
                remedies.schema
            )))
        }
        Ok(v) if v.tool == "clearance" => match serde_json::from_slice::<ResultHeader>(text) {
            Err(e) => Err(damaged(&e.to_string())),
            // Other builds may write their lines in another way; nothing of theirs is kept.
            Ok(header) if header.build == BUILD && !is_whole(text, "") => {
                Err(damaged("it is not as it was written"))
            }
            Ok(header) => Ok(header),
        },
        // Damage may have hit the very beginning.
        Err(_) if text.windows(SIGN.len()).any(|w| w == SIGN) => Err(damaged("it is not JSON")),
        _ => Err(not_ours(path, remedies)),
    }
}

/// The text that stands in every first line of ours.
const SIGN: &[u8] = b"\"tool\":\"clearance\"";

/// Reads lines one after the other, many at a time: most stand behind the one before.
#[derive(Debug, Default)]
pub(super) struct LineReader {
    start: u64,
    window: Vec<u8>,
}

/// Bytes that are read at a time.
const WINDOW: u64 = 1 << 18;

impl LineReader {
    pub(super) fn line(&mut self, file: &mut File, place: LinePlace) -> std::io::Result<&[u8]> {
        let within = |reader: &Self| {
            let from = usize::try_from(place.start.checked_sub(reader.start)?).ok()?;
            let to = from.checked_add(usize::try_from(place.length).ok()?)?;
            (to <= reader.window.len()).then_some(from..to)
        };
        let range = match within(self) {
            Some(range) => range,
            None => {
                self.start = place.start;
                self.window.clear();
                file.seek(SeekFrom::Start(place.start))?;
                let length = WINDOW.max(place.length);
                file.take(length).read_to_end(&mut self.window)?;
                within(self).ok_or(std::io::ErrorKind::UnexpectedEof)?
            }
        };
        Ok(&self.window[range])
    }
}

/// Bytes of lines that are put into order at a time.
const AT_A_TIME: u64 = 1 << 20;

/// Writes lines in this order, each from its source. While some are written, the next ones are read.
pub(super) fn copy_lines(
    sources: &mut [File],
    order: impl Iterator<Item = (usize, LinePlace)> + Send,
    out: &mut (impl Write + Send),
) -> std::io::Result<()> {
    let mut lines = OrderedLines {
        sources,
        order: order.peekable(),
        lines: Vec::new(),
        run: Vec::new(),
    };
    let (mut text, mut next) = (Vec::new(), Vec::new());
    lines.read(&mut text)?;
    while !text.is_empty() {
        let (written, read) = rayon::join(|| out.write_all(&text), || lines.read(&mut next));
        written?;
        read?;
        std::mem::swap(&mut text, &mut next);
    }
    Ok(())
}

/// A line on its way from a source into the text.
#[derive(Clone, Copy)]
struct CopiedLine {
    source: usize,
    place: LinePlace,
    /// Where in the text it goes, bytes.
    to: usize,
}

/// Lines of some files in the order that they are to have.
struct OrderedLines<'s, I: Iterator> {
    sources: &'s mut [File],
    order: Peekable<I>,
    /// Those that are read now.
    lines: Vec<CopiedLine>,
    /// Lines that stand behind each other in a source.
    run: Vec<u8>,
}

impl<I: Iterator<Item = (usize, LinePlace)>> OrderedLines<'_, I> {
    /// The text of the next ones; nothing when there are no more. They are read as they stand in
    /// their sources: those that stand behind each other at once.
    fn read(&mut self, text: &mut Vec<u8>) -> std::io::Result<()> {
        let Self {
            sources,
            order,
            lines,
            run,
        } = self;
        lines.clear();
        let mut bytes = 0;
        while let Some((source, place)) = order.next_if(|_| bytes < AT_A_TIME) {
            let to = bytes as usize;
            lines.push(CopiedLine { source, place, to });
            bytes += place.length;
        }
        lines.sort_unstable_by_key(|line| (line.source, line.place.start));
        text.resize(bytes as usize, 0);
        let behind = |a: &CopiedLine, b: &CopiedLine| {
            a.source == b.source && a.place.start + a.place.length == b.place.start
        };
        for together in lines.chunk_by(behind) {
            let first = together[0];
            let length: u64 = together.iter().map(|line| line.place.length).sum();
            run.resize(length as usize, 0);
            let source = &mut sources[first.source];
            source.seek(SeekFrom::Start(first.place.start))?;
            source.read_exact(run)?;
            let mut rest = &run[..];
            for &CopiedLine { place, to, .. } in together {
                let (line, more) = rest.split_at(place.length as usize);
                text[to..][..line.len()].copy_from_slice(line);
                rest = more;
            }
        }
        Ok(())
    }
}

/// Reads one line.
pub(super) fn line_at(file: &mut File, place: LinePlace) -> std::io::Result<Vec<u8>> {
    let mut text = vec![0; usize::try_from(place.length).unwrap_or(usize::MAX)];
    file.seek(SeekFrom::Start(place.start))?;
    file.read_exact(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source, place and text of a line.
    type Line = (usize, LinePlace, Vec<u8>);

    /// Files of lines of many lengths, and these lines.
    fn lines(folder: &Path) -> (Vec<File>, Vec<Line>) {
        let mut all = Vec::new();
        let files = (0..2).map(|source| {
            let mut text = b"head\n".to_vec();
            for k in 0..4000 {
                let long = [0, 7, 300, 3000][(k + source) % 4] + k % 13;
                let line = format!("{source} {k} {}\n", "z".repeat(long));
                let (start, length) = (text.len() as u64, line.len() as u64);
                all.push((
                    source,
                    LinePlace { start, length },
                    line.clone().into_bytes(),
                ));
                text.extend(line.into_bytes());
            }
            let path = folder.join(source.to_string());
            std::fs::write(&path, text).unwrap();
            File::open(path).unwrap()
        });
        (files.collect(), all)
    }

    /// An order that jumps about, with stretches that follow each other.
    fn shuffled<T: Clone>(all: &[T]) -> Vec<T> {
        let blocks: Vec<&[T]> = all.chunks(17).collect();
        let order = (0..blocks.len()).map(|k| blocks[k * 101 % blocks.len()]);
        order.flatten().cloned().collect()
    }

    /// Catches lines that are read from another place, and borders between pieces.
    #[test]
    fn lines_are_copied_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let (mut files, all) = lines(folder.path());
        for mut order in [all.clone(), shuffled(&all)] {
            // One that is there twice, and one from the beginning.
            order.push(order[5].clone());
            order.push(all[0].clone());
            let expected: Vec<u8> = order.iter().flat_map(|(_, _, line)| line.clone()).collect();
            assert!(expected.len() as u64 > 3 * AT_A_TIME);
            let mut out = Vec::new();
            let places = order.iter().map(|(source, place, _)| (*source, *place));
            copy_lines(&mut files, places, &mut out).unwrap();
            assert!(out == expected);
        }
        let beyond = LinePlace {
            start: 1 << 40,
            length: 5,
        };
        let places = [(0, beyond)].into_iter();
        assert!(copy_lines(&mut files, places, &mut Vec::new()).is_err());
    }

    #[test]
    fn lines_are_read_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let (mut files, all) = lines(folder.path());
        let own: Vec<_> = all
            .into_iter()
            .filter(|(source, ..)| *source == 0)
            .collect();
        for order in [own.clone(), shuffled(&own)] {
            let mut reader = LineReader::default();
            for (_, place, line) in order {
                assert!(reader.line(&mut files[0], place).unwrap() == line);
            }
            // The last line, and what is not there any more.
            let (_, last, _) = own[own.len() - 1];
            assert!(reader.line(&mut files[0], last).is_ok());
            let length = last.length + 1;
            assert!(
                reader
                    .line(&mut files[0], LinePlace { length, ..last })
                    .is_err()
            );
        }
    }
}
