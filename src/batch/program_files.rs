//! Programs by where they come from: each from a file of its own, or many from one file, which is
//! read as a stream.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use clearance_formats::program::many::Member;
use clearance_formats::program::{events, many};
use clearance_formats::{ImportError, Problem};
use rayon::prelude::*;

use super::names::{in_order, shown};
use super::stdin_programs::StdinPrograms;
use crate::error::Error;
use crate::run::{Fetched, OpenedProgram, RobotProgram, Verifier};

/// Called for each program that has been opened, with its place in the list.
pub(super) type Done<'d> = &'d (dyn Fn(usize, OpenedProgram) -> Result<(), Error> + Sync);

/// Programs of a batch, to be fetched.
pub(super) struct ProgramsByFile<'p> {
    programs: &'p [&'p Path],
    given: Option<&'p StdinPrograms>,
    /// Programs with a file, or a line, of their own.
    alone: Vec<usize>,
    many: Vec<ProgramFile>,
}

/// Programs of one file (of a recording: of one topic), in the order of their names.
struct ProgramFile {
    file: PathBuf,
    whole: Option<String>,
    programs: Vec<usize>,
}

impl<'p> ProgramsByFile<'p> {
    /// Sorts those of `wanted`, which are places in the sorted list of `programs`.
    pub(super) fn new(
        programs: &'p [&'p Path],
        given: Option<&'p StdinPrograms>,
        wanted: impl Iterator<Item = usize>,
    ) -> Self {
        let mut shelves = Self {
            programs,
            given,
            alone: Vec::new(),
            many: Vec::new(),
        };
        for index in wanted {
            shelves.put(index);
        }
        shelves
    }

    fn put(&mut self, index: usize) {
        let text = shown(self.programs[index]);
        // Most stand in the same table as the one before.
        if let Some(last) = self.many.last_mut()
            && last.whole.is_none()
            && let Some(rest) = text.strip_prefix(&*shown(&last.file))
            && rest.starts_with('#')
            // Events that nobody reads are a file of their own.
            && !(rest.ends_with(['l', 'L']) && events::is_named_like_events(self.programs[index]))
        {
            last.programs.push(index);
            return;
        }
        let place = if self
            .given
            .is_some_and(|given| given.has(self.programs[index]))
        {
            None
        } else {
            many::place(self.programs[index])
        };
        // A file of which no program is named is one that could not be read so far.
        let Some(place) = place.filter(|place| place.id.is_some()) else {
            self.alone.push(index);
            return;
        };
        let whole = place.whole();
        let known =
            |of_file: &&mut ProgramFile| of_file.file == place.file && of_file.whole == whole;
        match self.many.iter_mut().find(known) {
            Some(of_file) => of_file.programs.push(index),
            None => self.many.push(ProgramFile {
                file: place.file,
                whole,
                programs: vec![index],
            }),
        }
    }

    /// Fetches all of them, from many threads at once. What cannot be fetched is told like what
    /// can.
    ///
    /// # Errors
    /// Those of `done`.
    pub(super) fn open(&self, verifier: &Verifier, done: Done) -> Result<(), Error> {
        self.alone.par_iter().try_for_each(|&index| {
            let program = self.programs[index];
            let given = self.given.and_then(|given| given.fetch(program));
            done(
                index,
                match given {
                    Some(given) => {
                        verifier.open_fetched(RobotProgram::without_events(program), given)
                    }
                    None => verifier.open(program),
                },
            )
        })?;
        for of_file in &self.many {
            self.stream(of_file, verifier, done)?;
        }
        Ok(())
    }

    /// Reads a file once, from its beginning to its end.
    fn stream(&self, of_file: &ProgramFile, verifier: &Verifier, done: Done) -> Result<(), Error> {
        let ProgramFile {
            file,
            whole,
            programs,
        } = of_file;
        let layout = &verifier.job().layout;
        let cell = &verifier.prepared().loaded.cell;
        let named: fn(&Path) -> RobotProgram = if self.may_have_events(of_file) {
            RobotProgram::alone
        } else {
            RobotProgram::without_events
        };
        let seen: Vec<AtomicBool> = programs.iter().map(|_| AtomicBool::new(false)).collect();
        let failure: Mutex<Option<ImportError>> = Mutex::new(None);
        let stop = |error: ImportError| {
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        };
        let check = |(at, member): (usize, Member)| {
            if seen[at].swap(true, Ordering::Relaxed) {
                return Err(Error::unusable(format!(
                    "{}: program `{}` came twice: the file was changed while it was read",
                    file.display(),
                    member.name.display()
                )));
            }
            let fetched = member.program.map(Box::new).map(Fetched::Program);
            done(
                programs[at],
                verifier.open_fetched(named(&member.name), fetched),
            )
        };
        match many::members(file, whole.as_deref(), layout, cell) {
            Err(error) => stop(error),
            Ok(members) => {
                let chunks = Chunks::new(members, programs, self.programs);
                chunks.par_bridge().try_for_each(|chunk| match chunk {
                    Ok(members) => members.into_iter().try_for_each(check),
                    Err(error) => {
                        stop(error);
                        Ok(())
                    }
                })?;
            }
        }
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rest = (0..programs.len()).filter(|&at| !seen[at].load(Ordering::Relaxed));
        let rest: Vec<usize> = rest.map(|at| programs[at]).collect();
        rest.into_par_iter().try_for_each(|index| {
            let error = failure
                .clone()
                .unwrap_or_else(|| self.missing(of_file, index));
            done(
                index,
                verifier.open_fetched(named(self.programs[index]), Err(error)),
            )
        })
    }

    /// Whether its programs have events, or a file beside them means to be these. They share one
    /// file of events, so they need not look one by one.
    fn may_have_events(&self, of_file: &ProgramFile) -> bool {
        let Some(&first) = of_file.programs.first() else {
            return true;
        };
        let program = self.programs[first];
        let shared = many::place(program).is_some_and(|place| place.file == of_file.file);
        !shared || events::any_beside(program) || many::may_be_shadowed(&of_file.file)
    }

    /// The error about a program that its file does not have.
    fn missing(&self, of_file: &ProgramFile, index: usize) -> ImportError {
        let problem = Problem::Syntax {
            cause: format!(
                "there is no program `{}` in {}",
                self.programs[index].display(),
                of_file.file.display()
            ),
            remedy: "name one that is there, or the file for all of them".to_owned(),
        };
        ImportError::file(self.programs[index], problem)
    }
}

/// Programs that one thread takes from a file at a time, at most: to take each alone costs more
/// than a hundredth of a small check.
const MOST_IN_CHUNK: usize = 16;
/// A chunk with more waypoints than that is full: long programs are taken one by one.
const MOST_WAYPOINTS: usize = 1000;

/// Those programs of a file that are listed, each with its place in the list, in chunks for many
/// threads.
struct Chunks<'l, M> {
    members: M,
    /// Their places among all names, in order.
    list: &'l [usize],
    names: &'l [&'l Path],
    /// Where in the list the next one stands, if names have the order of the file.
    guess: usize,
    /// How many of the list have come.
    taken: usize,
    /// Why nothing more can be read.
    failed: Option<ImportError>,
}

impl<'l, M: Iterator<Item = Result<Member, ImportError>>> Chunks<'l, M> {
    fn new(members: M, list: &'l [usize], names: &'l [&'l Path]) -> Self {
        Self {
            members,
            list,
            names,
            guess: 0,
            taken: 0,
            failed: None,
        }
    }

    /// How many the next chunk has at most. Towards the end there are fewer, so that no thread has
    /// much left to do when the others are done.
    fn most(&self) -> usize {
        let left = self.list.len().saturating_sub(self.taken);
        (left / (8 * rayon::current_num_threads())).clamp(1, MOST_IN_CHUNK)
    }

    /// Where a name stands in the list; `None`: of another part of the batch, or done already.
    fn place(&self, name: &Path) -> Option<usize> {
        // Most stand by name where they stand in the file: behind the one before.
        if let Some(&guess) = self.list.get(self.guess)
            && self.names[guess].as_os_str() == name.as_os_str()
        {
            return Some(self.guess);
        }
        let order = |&index: &usize| in_order(self.names[index], name);
        self.list.binary_search_by(order).ok()
    }
}

impl<M: Iterator<Item = Result<Member, ImportError>>> Iterator for Chunks<'_, M> {
    /// An error is about the rest of the file: nothing follows it.
    type Item = Result<Vec<(usize, Member)>, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let most = self.most();
        let mut chunk = Vec::with_capacity(most);
        let mut waypoints = 0;
        while chunk.len() < most && waypoints < MOST_WAYPOINTS && self.failed.is_none() {
            let member = match self.members.next() {
                Some(Ok(member)) => member,
                Some(Err(error)) => {
                    self.failed = Some(error);
                    break;
                }
                None => break,
            };
            if let Some(at) = self.place(&member.name) {
                self.guess = at + 1;
                self.taken += 1;
                waypoints += member.program.as_ref().map_or(0, |p| p.waypoints.len());
                chunk.push((at, member));
            }
        }
        if chunk.is_empty() {
            self.failed.take().map(Err)
        } else {
            Some(Ok(chunk))
        }
    }
}

#[cfg(test)]
mod tests {
    use clearance_proof::model::{Program, Waypoint};

    use super::*;

    fn member(name: &str, waypoints: usize) -> Result<Member, ImportError> {
        let waypoint = |line| Waypoint::new(line as f64, Vec::new(), line);
        let program = Program {
            source: name.into(),
            waypoints: (0..waypoints).map(waypoint).collect(),
            timed: true,
            ..Program::default()
        };
        Ok(Member {
            name: name.into(),
            program: Ok(program),
        })
    }

    /// Nothing is lost, also where the file has another order than the list, has programs that are
    /// not wanted, and is damaged; and no thread is left with much to do alone.
    #[test]
    fn chunks_have_every_program_once() {
        let names: Vec<String> = (0..2000).map(|k| format!("t.csv#{k:04}")).collect();
        let paths: Vec<&Path> = names.iter().map(Path::new).collect();
        let list: Vec<usize> = (0..2000).filter(|k| k % 7 != 0).collect();
        let long = |k: usize| if k == 40 { MOST_WAYPOINTS + 1 } else { 2 };
        let file = (0..2000)
            .rev()
            .chain([7])
            .map(|k| member(&names[k], long(k)));
        let problem = Problem::Syntax {
            cause: "damaged".to_owned(),
            remedy: String::new(),
        };
        let error = ImportError::file(Path::new("t.csv"), problem);
        let chunks: Vec<_> = Chunks::new(file.chain([Err(error)]), &list, &paths).collect();
        let (last, chunks) = chunks.split_last().unwrap();
        assert!(last.is_err());
        let mut seen = Vec::new();
        for chunk in chunks {
            let chunk = chunk.as_ref().unwrap();
            let left = list.len() - seen.len();
            assert!(!chunk.is_empty() && chunk.len() <= MOST_IN_CHUNK.min(1 + left / 8));
            for (at, member) in chunk {
                assert_eq!(member.name, paths[list[*at]]);
                seen.push(*at);
            }
            let is_long = |(at, _): &(usize, Member)| list[*at] == 40;
            assert!(chunk.iter().rev().skip(1).all(|m| !is_long(m)));
        }
        assert!(chunks[0].as_ref().unwrap().len() > 1 || rayon::current_num_threads() > 100);
        seen.sort_unstable();
        assert_eq!(seen, (0..list.len()).collect::<Vec<_>>());
    }
}
