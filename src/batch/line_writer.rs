//! Lines of a result file that wait a moment, so that many are written at once: a call of the
//! system for each of a million programs costs more than what is in it. No line waits for another
//! program to be done: a thread of its own looks to it that none waits long.

use std::fs::File;
use std::io::{Error, Result, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes that wait at most.
const MOST: usize = 1 << 16;
/// How long a line waits at most. What a killed run can lose is what was finished in this time.
const LONGEST: Duration = Duration::from_millis(500);

/// A file that grows by lines.
#[derive(Debug)]
pub(super) struct LineWriter {
    shared: Arc<Shared>,
    /// None: no thread can be had, and no line waits.
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// A first line waits, or there will be no more.
    news: Condvar,
}

#[derive(Debug)]
struct Waiting {
    file: File,
    lines: Vec<u8>,
    /// Since when the first of them waits.
    since: Option<Instant>,
    /// Where the next line will stand.
    end: u64,
    /// Why nothing can be written any more.
    failed: Option<String>,
    over: bool,
}

impl LineWriter {
    /// Goes on behind `end`, where the file is at its end.
    pub(super) fn new(file: File, end: u64) -> Self {
        let waiting = Waiting {
            file,
            lines: Vec::with_capacity(MOST),
            since: None,
            end,
            failed: None,
            over: false,
        };
        let shared = Arc::new(Shared {
            waiting: Mutex::new(waiting),
            news: Condvar::new(),
        });
        let own = shared.clone();
        let thread = std::thread::Builder::new()
            .name("lines".to_owned())
            .spawn(move || own.see_to_it());
        Self {
            shared,
            thread: thread.ok(),
        }
    }

    /// Adds a line, and says where it stands. It is in the file a moment later.
    ///
    /// # Errors
    /// When this line, or one before it, cannot be written.
    pub(super) fn put(&self, line: &[u8]) -> Result<u64> {
        let mut waiting = self.shared.lock();
        let start = waiting.end;
        waiting.lines.extend_from_slice(line);
        waiting.end += line.len() as u64;
        if waiting.lines.len() >= MOST || self.thread.is_none() {
            waiting.write();
        } else if waiting.since.is_none() {
            waiting.since = Some(Instant::now());
            self.shared.news.notify_one();
        }
        waiting.sound().map(|()| start)
    }

    /// Writes what waits; the file as it then is.
    ///
    /// # Errors
    /// When a line cannot be written.
    pub(super) fn finish(mut self) -> Result<File> {
        self.end();
        let waiting = self.shared.lock();
        waiting.sound()?;
        waiting.file.try_clone()
    }

    fn end(&mut self) {
        self.shared.lock().over = true;
        self.shared.news.notify_one();
        if let Some(thread) = self.thread.take() {
            // It has nothing that could panic.
            let _ = thread.join();
        }
        self.shared.lock().write();
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

    /// Writes lines that have waited long enough, until it is over.
    fn see_to_it(&self) {
        let mut waiting = self.lock();
        while !waiting.over {
            let left = waiting.since.map(|at| LONGEST.saturating_sub(at.elapsed()));
            waiting = match left {
                None => (self.news.wait(waiting)).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => {
                    waiting.write();
                    waiting
                }
                Some(left) => {
                    let woken = self.news.wait_timeout(waiting, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl Waiting {
    fn write(&mut self) {
        self.since = None;
        // Behind a line of which a part was written another one would be damaged, too.
        if self.failed.is_none()
            && let Err(why) = self.file.write_all(&self.lines)
        {
            self.failed = Some(why.to_string());
        }
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

    fn grown(path: &Path) -> LineWriter {
        std::fs::write(path, "head\n").unwrap();
        let file = File::options().append(true).open(path).unwrap();
        LineWriter::new(file, 5)
    }

    /// Waits until the file has this text: as long as it takes.
    fn until(path: &Path, text: &str) {
        while std::fs::read_to_string(path).unwrap() != text {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Hangs when a line waits for the next one, or for the end.
    #[test]
    fn a_line_does_not_wait_for_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let lines = grown(&path);
        assert_eq!(lines.put(b"one\n").unwrap(), 5);
        until(&path, "head\none\n");
        assert_eq!(lines.put(b"two\n").unwrap(), 9);
        assert_eq!(lines.put(b"three\n").unwrap(), 13);
        until(&path, "head\none\ntwo\nthree\n");
    }

    #[test]
    fn many_lines_do_not_wait_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let lines = grown(&path);
        let long = [b'x'; MOST];
        lines.put(&long).unwrap();
        assert_eq!(std::fs::read(&path).unwrap().len(), 5 + MOST);
    }

    /// Whatever the end is, and wherever the lines came from, each stands where it was said to.
    #[test]
    fn nothing_is_lost_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        for finished in [true, false] {
            let lines = grown(&path);
            let put = |thread: usize| -> Vec<(u64, String)> {
                let line = |k: usize| format!("{thread} {k} {}\n", "y".repeat(k % 200));
                let lines = (0..3000).map(|k| (lines.put(line(k).as_bytes()).unwrap(), line(k)));
                lines.collect()
            };
            let mut all: Vec<(u64, String)> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4).map(|t| scope.spawn(move || put(t))).collect();
                let all = threads.into_iter().flat_map(|t| t.join().unwrap());
                all.collect()
            });
            if finished {
                lines.finish().unwrap();
            } else {
                drop(lines);
            }
            all.sort_unstable();
            let mut text = "head\n".to_owned();
            for (start, line) in all {
                assert_eq!(start, text.len() as u64);
                text += &line;
            }
            assert!(std::fs::read_to_string(&path).unwrap() == text);
        }
    }

    /// An error that nobody was there to hear is heard by the next one, and at the end.
    #[test]
    fn what_cannot_be_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        drop(grown(&path));
        let only_read = || LineWriter::new(File::open(&path).unwrap(), 5);
        assert!(only_read().put(&[b'x'; MOST]).is_err());
        let lines = only_read();
        lines.put(b"one\n").unwrap();
        while lines.put(b"").is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(lines.finish().is_err());
        let lines = only_read();
        lines.put(b"one\n").unwrap();
        assert!(lines.finish().is_err());
    }
}
