//! Lines of a result file that wait a moment, so that many are written at once, and in the order of
//! their programs: a call of the system for each of a million programs costs more than what is in
//! it, and a file that is in order need not be copied at the end. No line waits long for another
//! program to be done: a thread of its own looks to that. Lines may then stand out of order.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Error, Result, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::result_file::LinePlace;

/// Bytes that wait at most to be written.
const MOST_WAITING: usize = 1 << 16;
/// Bytes of lines that wait at most for one before them.
const MOST_EARLY: usize = 1 << 20;
/// Bytes that wait at most to be put onto the disk, about: if all of them did, the end of a run
/// would wait for its disk.
const MOST_UNSYNCED: usize = 1 << 24;
/// How long a line waits at most. What a killed run can lose is what was finished in this time.
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// A file that grows by lines.
#[derive(Debug)]
pub(super) struct LineWriter {
    shared: Arc<Shared>,
    /// None: no thread can be had, and no line waits.
    thread: Option<JoinHandle<()>>,
}

/// A file with all its lines.
#[derive(Debug)]
pub(super) struct WrittenLines {
    /// At its end.
    pub(super) file: File,
    /// By program.
    pub(super) places: Vec<LinePlace>,
}

#[derive(Debug)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Who locks it to write holds `waiting` until then, so that lines keep their order; others add
    /// lines meanwhile.
    file: Mutex<LineFile>,
    /// Signals that a line waits, or that no more will come.
    changed: Condvar,
}

#[derive(Debug)]
struct LineFile {
    file: File,
    /// Whether a line could not be written: behind a part of it another one would be damaged, too.
    failed: bool,
}

#[derive(Debug)]
struct Waiting {
    /// Text that is written next.
    lines: Vec<u8>,
    /// Room for more of it.
    spare: Vec<u8>,
    /// Bytes that were written since the file was put onto the disk.
    unsynced: usize,
    /// When the first of `lines` began to wait.
    since: Option<Instant>,
    /// Lines of programs behind `next`, in their order.
    early: VecDeque<EarlyLine>,
    /// Their text, and that of lines which were early. A line that is kept as it came would be freed
    /// by another thread than made it, and threads that do so wait for each other.
    early_text: Vec<u8>,
    /// Where lines stand, or will; by program.
    places: Vec<LinePlace>,
    /// The first program that has no place.
    next: usize,
    /// Where the next line will stand.
    end: u64,
    /// Why nothing can be written any more.
    failed: Option<String>,
    /// Whether the thread sleeps until it is woken.
    dozing: bool,
    closed: bool,
}

#[derive(Debug)]
struct EarlyLine {
    program: usize,
    /// Its place in the text of early lines.
    start: usize,
    length: usize,
    since: Instant,
}

impl LineWriter {
    /// Goes on behind `end`, where the file is at its end. `places` are those of all programs: the
    /// ones without a place will come.
    pub(super) fn new(file: File, end: u64, places: Vec<LinePlace>) -> Self {
        let shared = Arc::new(Shared::new(file, end, places));
        let own = shared.clone();
        let thread = std::thread::Builder::new()
            .name("lines".to_owned())
            .spawn(move || own.write_when_due());
        Self {
            shared,
            thread: thread.ok(),
        }
    }

    /// Adds the line of a program. It is in the file a moment later.
    ///
    /// # Errors
    /// When this line, or one before it, cannot be written.
    pub(super) fn put(&self, program: usize, line: &[u8]) -> Result<()> {
        let mut waiting = self.shared.lock();
        waiting.put(program, line);
        if self.thread.is_none() {
            waiting = self.shared.write_all(waiting);
        } else if waiting.lines.len() >= MOST_WAITING {
            waiting = self.shared.write(waiting);
        } else if std::mem::take(&mut waiting.dozing) {
            self.shared.changed.notify_one();
        }
        waiting.sound()
    }

    /// Writes what waits; the file as it then is.
    ///
    /// # Errors
    /// When a line cannot be written.
    pub(super) fn finish(mut self) -> Result<WrittenLines> {
        self.end();
        let mut waiting = self.shared.lock();
        waiting.sound()?;
        Ok(WrittenLines {
            file: self.shared.lock_file().file.try_clone()?,
            places: std::mem::take(&mut waiting.places),
        })
    }

    fn end(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // The thread has nothing that could panic, so there is no error to report.
            let _ = thread.join();
        }
        drop(self.shared.write_all(self.shared.lock()));
    }
}

/// A run that breaks off leaves what was finished.
impl Drop for LineWriter {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn new(file: File, end: u64, places: Vec<LinePlace>) -> Self {
        let failed = false;
        Self {
            waiting: Mutex::new(Waiting::new(end, places)),
            file: Mutex::new(LineFile { file, failed }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_file(&self) -> MutexGuard<'_, LineFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes all lines, also those that wait for one before them.
    fn write_all<'s>(&'s self, mut waiting: MutexGuard<'s, Waiting>) -> MutexGuard<'s, Waiting> {
        waiting.take_early();
        self.write(waiting)
    }

    /// Writes the lines that come next in the file.
    fn write<'s>(&'s self, mut waiting: MutexGuard<'s, Waiting>) -> MutexGuard<'s, Waiting> {
        waiting.since = None;
        let room = std::mem::take(&mut waiting.spare);
        let mut text = std::mem::replace(&mut waiting.lines, room);
        waiting.unsynced += text.len();
        let mut file = self.lock_file();
        drop(waiting);
        let mut why = None;
        if !file.failed
            && let Err(error) = file.file.write_all(&text)
        {
            file.failed = true;
            why = Some(error.to_string());
        }
        drop(file);
        let mut waiting = self.lock();
        text.clear();
        waiting.spare = text;
        waiting.failed = waiting.failed.take().or(why);
        waiting
    }

    /// Loop of the writing thread: writes lines once they have waited long enough.
    fn write_when_due(&self) {
        let mut waiting = self.lock();
        while !waiting.closed {
            if waiting.unsynced >= MOST_UNSYNCED {
                waiting.unsynced = 0;
                drop(waiting);
                let file = self.lock_file().file.try_clone();
                // Lines come meanwhile. A system tells of an error once: it is not lost here.
                let synced = file.and_then(|file| file.sync_data());
                waiting = self.lock();
                if let Err(why) = synced {
                    waiting.failed.get_or_insert(why.to_string());
                }
                continue;
            }
            let left = (waiting.oldest()).map(|at| LONGEST_WAIT.saturating_sub(at.elapsed()));
            waiting = match left {
                None => {
                    waiting.dozing = true;
                    (self.changed.wait(waiting)).unwrap_or_else(PoisonError::into_inner)
                }
                Some(Duration::ZERO) => self.write_all(waiting),
                Some(left) => {
                    let woken = self.changed.wait_timeout(waiting, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl EarlyLine {
    fn of<'t>(&self, early_text: &'t [u8]) -> &'t [u8] {
        &early_text[self.start..][..self.length]
    }
}

impl Waiting {
    fn new(end: u64, places: Vec<LinePlace>) -> Self {
        let mut waiting = Self {
            lines: Vec::with_capacity(MOST_WAITING),
            spare: Vec::with_capacity(MOST_WAITING),
            unsynced: 0,
            since: None,
            early: VecDeque::new(),
            early_text: Vec::new(),
            places,
            next: 0,
            end,
            failed: None,
            dozing: false,
            closed: false,
        };
        waiting.skip_placed();
        waiting
    }

    fn put(&mut self, program: usize, text: &[u8]) {
        if program > self.next {
            let line = EarlyLine {
                program,
                start: self.early_text.len(),
                length: text.len(),
                since: Instant::now(),
            };
            self.early_text.extend_from_slice(text);
            let at = self.early.partition_point(|known| known.program < program);
            self.early.insert(at, line);
            if self.early_text.len() > MOST_EARLY {
                self.drop_written();
                // Half of the room is for lines to come: else it would be cleared for each of them.
                if self.early_text.len() > MOST_EARLY / 2 {
                    self.take_early();
                }
            }
            return;
        }
        self.add(program, text);
        let early_text = std::mem::take(&mut self.early_text);
        while (self.early.front()).is_some_and(|line| line.program == self.next)
            && let Some(line) = self.early.pop_front()
        {
            self.add(line.program, line.of(&early_text));
        }
        self.keep(early_text);
    }

    /// Adds a line to those that are written next.
    fn add(&mut self, program: usize, text: &[u8]) {
        self.lines.extend_from_slice(text);
        let length = text.len() as u64;
        let start = self.end;
        self.places[program] = LinePlace { start, length };
        self.end += length;
        self.since.get_or_insert_with(Instant::now);
        self.skip_placed();
    }

    /// Passes programs that have a place.
    fn skip_placed(&mut self) {
        let ahead = self.places.get(self.next..).unwrap_or_default();
        self.next += ahead.iter().take_while(|place| place.is_known()).count();
    }

    /// Lets all lines wait no longer for those before them.
    fn take_early(&mut self) {
        let early_text = std::mem::take(&mut self.early_text);
        while let Some(line) = self.early.pop_front() {
            self.add(line.program, line.of(&early_text));
        }
        self.keep(early_text);
    }

    /// Drops the text of lines that are early no longer. With many threads some line is always
    /// early.
    fn drop_written(&mut self) {
        let mut kept = Vec::new();
        for line in &mut self.early {
            let start = kept.len();
            kept.extend_from_slice(line.of(&self.early_text));
            line.start = start;
        }
        self.early_text = kept;
    }

    /// Goes on with the text of early lines, and with its room where none is left.
    fn keep(&mut self, mut early_text: Vec<u8>) {
        if self.early.is_empty() {
            early_text.clear();
        }
        self.early_text = early_text;
    }

    /// Since when a line waits.
    fn oldest(&self) -> Option<Instant> {
        let early = self.early.iter().map(|line| line.since);
        early.chain(self.since).min()
    }

    fn sound(&self) -> Result<()> {
        match &self.failed {
            None => Ok(()),
            Some(why) => Err(Error::other(why.clone())),
        }
    }
}
