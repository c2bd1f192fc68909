//! Lines of a result file that wait a moment, so that many are written at once, and in the order of
//! their programs: a call of the system for each of a million programs costs more than what is in
//! it, and a file that is in order need not be copied at the end. No line waits long for another
//! program to be done: a thread of its own looks to that. Lines may then stand out of order.

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
    /// Signals that a line waits, or that no more will come.
    changed: Condvar,
}

#[derive(Debug)]
struct Waiting {
    file: File,
    /// Text that is written next.
    lines: Vec<u8>,
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
        let shared = Arc::new(Shared {
            waiting: Mutex::new(Waiting::new(file, end, places)),
            changed: Condvar::new(),
        });
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
        let idle = waiting.since.is_none() && waiting.early.is_empty();
        waiting.put(program, line);
        if self.thread.is_none() {
            waiting.write_all();
        } else if waiting.lines.len() >= MOST_WAITING {
            waiting.write();
        } else if idle {
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
            file: waiting.file.try_clone()?,
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
        self.shared.lock().write_all();
    }
}

/// A run that breaks off leaves what was finished.
impl Drop for LineWriter {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loop of the writing thread: writes lines once they have waited long enough.
    fn write_when_due(&self) {
        let mut waiting = self.lock();
        while !waiting.closed {
            if waiting.unsynced >= MOST_UNSYNCED {
                waiting.unsynced = 0;
                let file = waiting.file.try_clone();
                drop(waiting);
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
                None => (self.changed.wait(waiting)).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => {
                    waiting.write_all();
                    waiting
                }
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
    fn new(file: File, end: u64, places: Vec<LinePlace>) -> Self {
        let mut waiting = Self {
            file,
            lines: Vec::with_capacity(MOST_WAITING),
            unsynced: 0,
            since: None,
            early: VecDeque::new(),
            early_text: Vec::new(),
            places,
            next: 0,
            end,
            failed: None,
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

    fn write_all(&mut self) {
        self.take_early();
        self.write();
    }

    fn write(&mut self) {
        self.since = None;
        // Behind a line of which a part was written another one would be damaged, too.
        if self.failed.is_none()
            && let Err(why) = self.file.write_all(&self.lines)
        {
            self.failed = Some(why.to_string());
        }
        self.unsynced += self.lines.len();
        self.lines.clear();
    }

    fn sound(&self) -> Result<()> {
        match &self.failed {
            None => Ok(()),
            Some(why) => Err(Error::other(why.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn grown(path: &Path, programs: usize) -> LineWriter {
        std::fs::write(path, "head\n").unwrap();
        let file = File::options().append(true).open(path).unwrap();
        LineWriter::new(file, 5, vec![LinePlace::default(); programs])
    }

    /// Waits until the file has this text: as long as it takes.
    fn until(path: &Path, text: &str) {
        while std::fs::read_to_string(path).unwrap() != text {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Hangs when a line waits for the next one, for one before it, or for the end.
    #[test]
    fn a_line_does_not_wait_for_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let lines = grown(&path, 6);
        let put = |program: usize, line: &[u8]| lines.put(program, line).unwrap();
        put(0, b"one\n");
        until(&path, "head\none\n");
        put(1, b"two\n");
        put(2, b"three\n");
        until(&path, "head\none\ntwo\nthree\n");
        put(5, b"six\n");
        until(&path, "head\none\ntwo\nthree\nsix\n");
        put(3, b"four\n");
        until(&path, "head\none\ntwo\nthree\nsix\nfour\n");
        put(4, b"five\n");
        let places = lines.finish().unwrap().places;
        let starts: Vec<u64> = places.iter().map(|place| place.start).collect();
        assert_eq!(starts, [5, 9, 13, 23, 28, 19]);
    }

    #[test]
    fn many_lines_do_not_wait_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let lines = grown(&path, 1);
        lines.put(0, &vec![b'x'; MOST_WAITING]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap().len(), 5 + MOST_WAITING);
        // Neither do many that are early.
        let lines = grown(&path, 2);
        lines.put(1, &vec![b'x'; MOST_EARLY + 1]).unwrap();
        lines.put(0, &vec![b'y'; MOST_WAITING]).unwrap();
        let text = std::fs::read(&path).unwrap();
        assert_eq!(text.len(), 5 + MOST_EARLY + 1 + MOST_WAITING);
        assert_eq!((text[5], text.last()), (b'x', Some(&b'y')));
    }

    /// Lines that come a little out of order are put into it, beside those that were kept.
    #[test]
    fn lines_have_the_order_of_their_programs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        std::fs::write(&path, "head\n").unwrap();
        let file = File::options().append(true).open(&path).unwrap();
        let kept = LinePlace {
            start: 0,
            length: 5,
        };
        let mut places = vec![LinePlace::default(); 1000];
        (0..1000)
            .step_by(10)
            .for_each(|program| places[program] = kept);
        // Without the thread, which would let none wait for long.
        let mut lines = Waiting::new(file, 5, places);
        let mut text = "head\n".to_owned();
        for chunk in (0..1000).collect::<Vec<usize>>().chunks(32) {
            let (first, second) = chunk.split_at(chunk.len().min(16));
            for program in second.iter().chain(first).filter(|&k| k % 10 != 0) {
                lines.put(*program, format!("{program}\n").as_bytes());
            }
            for program in chunk.iter().filter(|&k| k % 10 != 0) {
                text += &format!("{program}\n");
            }
        }
        assert!(lines.early.is_empty() && lines.early_text.is_empty());
        lines.write();
        assert!(lines.sound().is_ok());
        assert!(lines.places.iter().step_by(10).all(|&place| place == kept));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    /// With many threads some line is always early: what was early and is written takes no room.
    #[test]
    fn lines_keep_their_order_where_one_is_always_early() {
        const LINES: usize = 4 * MOST_EARLY / 1000;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        std::fs::write(&path, "head\n").unwrap();
        let file = File::options().append(true).open(&path).unwrap();
        let mut lines = Waiting::new(file, 5, vec![LinePlace::default(); LINES + 3]);
        let line = |program: usize| format!("{program:0>1000}\n");
        let mut put = |program: usize| lines.put(program, line(program).as_bytes());
        put(1);
        for even in (0..LINES).step_by(2) {
            put(even + 3);
            put(even);
        }
        lines.write();
        let text = std::fs::read_to_string(&path).unwrap();
        let in_order: String = (0..text.len() / 1001).map(line).collect();
        assert!(text.len() > 3 * MOST_EARLY && text == format!("head\n{in_order}"));
    }

    /// Whatever the end is, and wherever the lines came from, each stands where it was said to.
    #[test]
    fn nothing_is_lost_at_the_end() {
        const EACH: usize = 3000;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let line = |program: usize| format!("{program} {}\n", "y".repeat(program % 200));
        for finished in [true, false] {
            let lines = grown(&path, 4 * EACH);
            // The first thread has the last programs.
            let put = |thread: usize| {
                let programs = (3 - thread) * EACH..(4 - thread) * EACH;
                programs.for_each(|k| lines.put(k, line(k).as_bytes()).unwrap());
            };
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || put(thread));
                }
            });
            let mut places = None;
            if finished {
                places = Some(lines.finish().unwrap().places);
            } else {
                drop(lines);
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for (program, place) in places.iter().flatten().enumerate() {
                let start = place.start as usize;
                assert_eq!(text[start..][..place.length as usize], line(program));
            }
            let mut written: Vec<&str> = text.split_inclusive('\n').skip(1).collect();
            written.sort_unstable();
            let mut all: Vec<String> = (0..4 * EACH).map(line).collect();
            all.sort_unstable();
            assert!(written == all);
        }
    }

    /// An error that nobody was there to hear is heard by the next one, and at the end.
    #[test]
    fn what_cannot_be_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        drop(grown(&path, 0));
        let only_read = || {
            let file = File::open(&path).unwrap();
            LineWriter::new(file, 5, vec![LinePlace::default(); 3])
        };
        assert!(only_read().put(0, &vec![b'x'; MOST_WAITING]).is_err());
        let lines = only_read();
        lines.put(0, b"one\n").unwrap();
        while lines.put(1, &[]).is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(lines.finish().is_err());
        for program in [0, 2] {
            let lines = only_read();
            lines.put(program, b"one\n").unwrap();
            assert!(lines.finish().is_err());
        }
    }
}
