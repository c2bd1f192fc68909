//! The columns of a table, some rows at a time. A thread of its own reads ahead: new pages of all
//! columns take some twenty milliseconds to unpack, and all other threads would wait for the next
//! program meanwhile.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::super::calmly;
use super::stream::Batch;
use super::{ROWS, Table, damaged};
use crate::{ImportError, Problem};

/// Bytes that are read ahead, about.
const MOST_AHEAD: usize = 4 << 20;

/// Columns of a table, row by row.
pub(super) struct Columns {
    now: RowBatches,
    /// Rows of `now` that are done.
    done: usize,
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

/// The same rows of all columns.
#[derive(Debug, Default)]
struct RowBatches {
    columns: Vec<Batch>,
    rows: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    /// Signals that there are rows, or room for more, or that one side has ended.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    ready: VecDeque<RowBatches>,
    /// Of those.
    bytes: usize,
    /// Done ones, for their room.
    spare: Option<RowBatches>,
    /// How the table ended behind the last of `ready`.
    end: Option<Result<(), ImportError>>,
    /// Nobody wants more.
    closed: bool,
}

impl Columns {
    /// The columns at these places in the file.
    ///
    /// # Errors
    /// When no thread can be had.
    pub(super) fn new(table: &Arc<Table>, places: Vec<usize>) -> Result<Self, ImportError> {
        let queue = Arc::new(Queue::default());
        let (own, all) = (queue.clone(), table.clone());
        let thread = std::thread::Builder::new()
            .name("table".to_owned())
            .spawn(move || {
                // The other side waits for an end, whatever happens here.
                let end = calmly(|| Ok(read_all(&all, &places, &own)));
                own.end(end.unwrap_or_else(|why| Err(damaged(&all.path, why))));
            });
        let thread = thread.map_err(|error| {
            let problem = Problem::Unreadable {
                cause: format!("no thread can be started: {error}"),
                remedy: "run less beside this".to_owned(),
            };
            ImportError::file(&table.path, problem)
        })?;
        Ok(Self {
            now: RowBatches::default(),
            done: 0,
            queue,
            thread: Some(thread),
        })
    }

    /// The rows of a column that are in memory. Columns are counted as they were given.
    pub(super) fn batch(&self, column: usize) -> &Batch {
        &self.now.columns[column]
    }

    /// How many rows are in memory.
    pub(super) fn rows(&self) -> usize {
        self.now.rows
    }

    /// The place of the next row among those in memory, which are others where it is 0; none at the
    /// end.
    ///
    /// # Errors
    /// When the next row cannot be read: all before it have come.
    pub(super) fn step(&mut self) -> Result<Option<usize>, ImportError> {
        if self.done == self.now.rows {
            let done = std::mem::take(&mut self.now);
            self.done = 0;
            let Some(next) = self.queue.take(done)? else {
                return Ok(None);
            };
            self.now = next;
        }
        self.done += 1;
        Ok(Some(self.done - 1))
    }
}

impl Drop for Columns {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A fault of it has been told as the end of the table.
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'w>(&self, waiting: MutexGuard<'w, Waiting>) -> MutexGuard<'w, Waiting> {
        let woken = self.changed.wait(waiting);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    /// The next rows; none at the end. `done` are those before.
    fn take(&self, done: RowBatches) -> Result<Option<RowBatches>, ImportError> {
        let mut waiting = self.lock();
        waiting.spare = Some(done);
        loop {
            if let Some(next) = waiting.ready.pop_front() {
                waiting.bytes -= next.bytes;
                // To wake the other thread for each batch would cost more than to read it.
                if waiting.bytes <= MOST_AHEAD / 2 {
                    self.changed.notify_one();
                }
                return Ok(Some(next));
            }
            if let Some(end) = &waiting.end {
                return end.clone().map(|()| None);
            }
            waiting = self.wait(waiting);
        }
    }

    /// Adds rows as soon as there is room; gives some that are done. None: nobody wants more.
    fn put(&self, rows: RowBatches) -> Option<RowBatches> {
        let mut waiting = self.lock();
        waiting.bytes += rows.bytes;
        waiting.ready.push_back(rows);
        self.changed.notify_one();
        if waiting.bytes > MOST_AHEAD {
            while waiting.bytes > MOST_AHEAD / 2 && !waiting.closed {
                waiting = self.wait(waiting);
            }
        }
        (!waiting.closed).then(|| waiting.spare.take().unwrap_or_default())
    }

    fn end(&self, end: Result<(), ImportError>) {
        self.lock().end = Some(end);
        self.changed.notify_one();
    }
}

/// Reads these columns of all row groups into the queue.
fn read_all(table: &Table, places: &[usize], queue: &Queue) -> Result<(), ImportError> {
    let mut next = RowBatches::default();
    for group in 0..table.groups() {
        let mut left = table.rows(group)?;
        if left == 0 {
            (places.iter()).try_for_each(|&at| table.is_empty(group, at))?;
            continue;
        }
        let streams = places.iter().map(|&at| table.stream(group, at));
        let mut streams = streams.collect::<Result<Vec<_>, _>>()?;
        while left > 0 {
            next.rows = left.min(ROWS);
            left -= next.rows;
            next.columns.resize_with(places.len(), Batch::default);
            for ((stream, batch), &at) in streams.iter_mut().zip(&mut next.columns).zip(places) {
                table.fill(stream, at, batch, next.rows)?;
            }
            next.bytes = next.columns.iter().map(Batch::bytes).sum();
            next = match queue.put(next) {
                Some(spare) => spare,
                None => return Ok(()),
            };
        }
        for (stream, &at) in streams.iter_mut().zip(places) {
            table.is_done(stream, at)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: usize, bytes: usize) -> RowBatches {
        RowBatches {
            rows,
            bytes,
            ..RowBatches::default()
        }
    }

    /// What was read before an error comes first, no more than fits is read ahead, and a reader that
    /// is no longer heard ends.
    #[test]
    fn rows_come_in_order_before_the_end() {
        let queue = Arc::new(Queue::default());
        let own = queue.clone();
        let reader = std::thread::spawn(move || {
            for k in 1..=100 {
                own.put(rows(k, MOST_AHEAD / 4)).unwrap();
                let waiting = own.lock();
                assert!(waiting.bytes <= MOST_AHEAD && waiting.ready.len() <= 4);
            }
            own.end(Err(damaged(
                std::path::Path::new("t.parquet"),
                "cut".into(),
            )));
        });
        for k in 1..=100 {
            assert_eq!(queue.take(rows(0, 0)).unwrap().unwrap().rows, k);
        }
        assert!(queue.take(rows(0, 0)).is_err());
        // It stays so.
        assert!(queue.take(rows(0, 0)).is_err());
        reader.join().unwrap();

        let queue = Arc::new(Queue::default());
        let own = queue.clone();
        let reader = std::thread::spawn(move || while own.put(rows(1, MOST_AHEAD)).is_some() {});
        queue.take(rows(0, 0)).unwrap().unwrap();
        queue.lock().closed = true;
        queue.changed.notify_one();
        reader.join().unwrap();
    }
}
