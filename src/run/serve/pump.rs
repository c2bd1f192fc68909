//! Lines in, answers out, and never more on the way than fit.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};

use super::Line;
use super::lines::{next_line, without_mark};
use crate::error::Error;

/// How lines become answers.
#[derive(Debug, Clone, Copy)]
pub struct Pump {
    /// Threads that answer.
    pub threads: usize,
    /// Lines that are on the way at most: read, and not answered yet.
    pub window: usize,
    /// Bytes that a line may have.
    pub most_line: u64,
    /// Whether an answer need not wait for those of the lines before.
    pub as_ready: bool,
}

/// How it came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Served {
    /// The input has ended, and all is answered.
    All,
    /// Nobody reads the answers any more.
    Left,
    /// The input broke off; what was read of it is answered.
    Broken(String),
}

/// Messages to the thread that writes.
enum News<A> {
    Line(usize, Line),
    Answer(usize, A),
    End(Option<String>),
}

impl Pump {
    /// Reads lines, has each one answered that is not blank, and hands the answers to `put`, which
    /// says whether somebody still listens. The next line is read only when there is room: an
    /// answer that was put makes room for one.
    ///
    /// # Errors
    /// Those of `put`.
    pub fn run<A: Send + 'static>(
        self,
        input: impl BufRead + Send + 'static,
        answer: &(dyn Fn(usize, &Line) -> A + Sync),
        put: &mut dyn FnMut(A) -> Result<bool, Error>,
    ) -> Result<Served, Error> {
        let (tell, news) = channel();
        let (grant, room) = sync_channel(self.window);
        for _ in 0..self.window {
            // The channel has room for all of these.
            let _ = grant.send(());
        }
        let most = self.most_line;
        let reader = tell.clone();
        // The reader may block for ever on a line that never comes, so it is not joined.
        std::thread::spawn(move || read(input, most, &room, &reader));
        let (work, waiting) = channel::<(usize, Line)>();
        let waiting = Mutex::new(waiting);
        let stopped = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                let (waiting, stopped, tell) = (&waiting, &stopped, tell.clone());
                scope.spawn(move || {
                    while let Some((number, line)) = next(waiting) {
                        // The answers are no longer read.
                        if stopped.load(Ordering::Relaxed) {
                            break;
                        }
                        let _ = tell.send(News::Answer(number, answer(number, &line)));
                    }
                });
            }
            drop(tell);
            let served = self.write(&news, &work, &grant, put);
            stopped.store(true, Ordering::Relaxed);
            // Closing the channel ends the threads that wait for lines.
            drop(work);
            served
        })
    }

    /// Hands lines to the threads and their answers to `put`.
    fn write<A>(
        self,
        news: &Receiver<News<A>>,
        work: &Sender<(usize, Line)>,
        grant: &std::sync::mpsc::SyncSender<()>,
        put: &mut dyn FnMut(A) -> Result<bool, Error>,
    ) -> Result<Served, Error> {
        let mut ended = None;
        let mut open = 0;
        // Numbers of lines that are not answered yet, with the answers that wait for those before.
        let mut row: BTreeMap<usize, Option<A>> = BTreeMap::new();
        while ended.is_none() || open > 0 {
            let Ok(heard) = news.recv() else { break };
            match heard {
                News::Line(number, line) => {
                    open += 1;
                    row.insert(number, None);
                    let _ = work.send((number, line));
                }
                News::End(why) => ended = Some(why),
                News::Answer(number, answer) => {
                    row.insert(number, Some(answer));
                    while let Some(answer) = self.ready(&mut row, number) {
                        open -= 1;
                        if !put(answer)? {
                            return Ok(Served::Left);
                        }
                        let _ = grant.try_send(());
                    }
                }
            }
        }
        Ok(match ended.flatten() {
            Some(why) => Served::Broken(why),
            None => Served::All,
        })
    }
}

impl Pump {
    /// The answer that is next, if it is there; `came` has just come.
    fn ready<A>(self, row: &mut BTreeMap<usize, Option<A>>, came: usize) -> Option<A> {
        let next = if self.as_ready {
            came
        } else {
            *row.keys().next()?
        };
        row.get(&next)?.as_ref()?;
        row.remove(&next)?
    }
}

/// Reads lines as there is room for them.
fn read<A>(mut input: impl BufRead, most: u64, room: &Receiver<()>, tell: &Sender<News<A>>) {
    let mut number = 0;
    while room.recv().is_ok() {
        let line = loop {
            number += 1;
            let mut line = next_line(&mut input, most);
            if number == 1 {
                line = line.map(|line| line.map(without_mark));
            }
            match line {
                Ok(Some(Line::Text(blank))) if blank.trim().is_empty() => {}
                other => break other,
            }
        };
        let news = match line {
            Ok(Some(line)) => News::Line(number, line),
            Ok(None) => News::End(None),
            Err(e) => News::End(Some(format!("standard input, line {number}: {e}"))),
        };
        let last = matches!(news, News::End(_));
        if tell.send(news).is_err() || last {
            return;
        }
    }
}

/// The next line that waits to be answered; one thread waits, the others for it.
fn next(waiting: &Mutex<Receiver<(usize, Line)>>) -> Option<(usize, Line)> {
    let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.recv().ok()
}

#[cfg(test)]
mod tests;
