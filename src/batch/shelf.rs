//! Programs by where they come from: each from a file of its own, or many from one file, which is
//! read as a stream.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use clearance_formats::program::{events, many};
use clearance_formats::{ImportError, Problem};
use rayon::prelude::*;

use super::collect::{in_order, shown};
use super::given::Given;
use crate::error::Error;
use crate::run::{Fetched, OpenedProgram, RobotProgram, Verifier};

/// The action on a program that has been opened.
pub(super) type Done<'d> = &'d (dyn Fn(usize, OpenedProgram) -> Result<(), Error> + Sync);

/// Programs of a batch, to be fetched.
pub(super) struct Shelves<'p> {
    programs: &'p [&'p Path],
    given: Option<&'p Given>,
    /// Programs with a file, or a line, of their own.
    alone: Vec<usize>,
    many: Vec<Shelf>,
}

/// Programs of one file (of a recording: of one topic), in the order of their names.
struct Shelf {
    file: PathBuf,
    whole: Option<String>,
    programs: Vec<usize>,
}

impl<'p> Shelves<'p> {
    /// Sorts those of `wanted`, which are places in the sorted list of `programs`.
    pub(super) fn new(
        programs: &'p [&'p Path],
        given: Option<&'p Given>,
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
        let known = |shelf: &&mut Shelf| shelf.file == place.file && shelf.whole == whole;
        match self.many.iter_mut().find(known) {
            Some(shelf) => shelf.programs.push(index),
            None => self.many.push(Shelf {
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
        for shelf in &self.many {
            self.stream(shelf, verifier, done)?;
        }
        Ok(())
    }

    /// Reads a file once, from its beginning to its end.
    fn stream(&self, shelf: &Shelf, verifier: &Verifier, done: Done) -> Result<(), Error> {
        let Shelf {
            file,
            whole,
            programs,
        } = shelf;
        let layout = &verifier.job().layout;
        let cell = &verifier.prepared().loaded.cell;
        let named: fn(&Path) -> RobotProgram = if self.may_have_events(shelf) {
            RobotProgram::alone
        } else {
            RobotProgram::without_events
        };
        let seen: Vec<AtomicBool> = programs.iter().map(|_| AtomicBool::new(false)).collect();
        let next = AtomicUsize::new(0);
        let failure: Mutex<Option<ImportError>> = Mutex::new(None);
        let stop = |error: ImportError| {
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        };
        match many::members(file, whole.as_deref(), layout, cell) {
            Err(error) => stop(error),
            Ok(members) => members.par_bridge().try_for_each(|member| {
                let member = match member {
                    Ok(member) => member,
                    Err(error) => {
                        stop(error);
                        return Ok(());
                    }
                };
                // Most stand by name where they stand in the file: behind the one before.
                let guess = next.load(Ordering::Relaxed);
                let name = member.name.as_os_str();
                let at = match programs.get(guess) {
                    Some(&index) if self.programs[index].as_os_str() == name => guess,
                    _ => {
                        let order = |&index: &usize| in_order(self.programs[index], &member.name);
                        match programs.binary_search_by(order) {
                            Ok(at) => at,
                            // Of another part of the batch, or done already.
                            Err(_) => return Ok(()),
                        }
                    }
                };
                next.store(at + 1, Ordering::Relaxed);
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
            })?,
        }
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rest = (0..programs.len()).filter(|&at| !seen[at].load(Ordering::Relaxed));
        let rest: Vec<usize> = rest.map(|at| programs[at]).collect();
        rest.into_par_iter().try_for_each(|index| {
            let error = failure
                .clone()
                .unwrap_or_else(|| self.missing(shelf, index));
            done(
                index,
                verifier.open_fetched(named(self.programs[index]), Err(error)),
            )
        })
    }

    /// Whether its programs have events, or a file beside them means to be these. They share one
    /// file of events, so they need not look one by one.
    fn may_have_events(&self, shelf: &Shelf) -> bool {
        let Some(&first) = shelf.programs.first() else {
            return true;
        };
        let program = self.programs[first];
        let shared = many::place(program).is_some_and(|place| place.file == shelf.file);
        !shared || events::any_beside(program)
    }

    /// The error about a program that its file does not have.
    fn missing(&self, shelf: &Shelf, index: usize) -> ImportError {
        let problem = Problem::Syntax {
            cause: format!(
                "there is no program `{}` in {}",
                self.programs[index].display(),
                shelf.file.display()
            ),
            remedy: "name one that is there, or the file for all of them".to_owned(),
        };
        ImportError::file(self.programs[index], problem)
    }
}
