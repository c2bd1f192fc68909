//! Threads that have nothing to do: a long motion may be searched with their help.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads may work, and how many do. A thread that answers a question counts while it
/// holds the guard of [`Self::work`]; the rest may help. Clones share one count. Answers do not
/// depend on it.
#[derive(Debug, Clone, Default)]
pub struct SpareThreads(Option<Arc<Threads>>);

#[derive(Debug)]
struct Threads {
    most: usize,
    at_work: AtomicUsize,
}

/// A thread at work, until this is dropped.
#[derive(Debug)]
pub(crate) struct AtWork(Option<Arc<Threads>>);

impl Drop for AtWork {
    fn drop(&mut self) {
        if let Some(threads) = &self.0 {
            threads.at_work.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl SpareThreads {
    /// At most this many threads; with one, nobody helps.
    pub fn of(most: usize) -> Self {
        let at_work = AtomicUsize::new(0);
        Self((most > 1).then(|| Arc::new(Threads { most, at_work })))
    }

    /// Counts this thread as working until the result is dropped.
    pub fn work(&self) -> impl Sized + use<> {
        if let Some(threads) = &self.0 {
            threads.at_work.fetch_add(1, Ordering::Relaxed);
        }
        AtWork(self.0.clone())
    }

    /// A helper thread, if fewer threads work than may. Where no thread holds a guard of
    /// [`Self::work`], none helps.
    pub(crate) fn help(&self) -> Option<AtWork> {
        let threads = self.0.as_ref()?;
        let more = |at_work| (0 < at_work && at_work < threads.most).then_some(at_work + 1);
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        let taken = threads.at_work.fetch_update(set, get, more).ok();
        taken.map(|_| AtWork(self.0.clone()))
    }

    /// Whether more threads work than may: helpers stop then.
    pub(crate) fn too_many(&self) -> bool {
        let threads = self.0.as_ref();
        threads.is_some_and(|threads| threads.at_work.load(Ordering::Relaxed) > threads.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_threads_without_a_question_help() {
        for alone in [
            SpareThreads::default(),
            SpareThreads::of(0),
            SpareThreads::of(1),
        ] {
            let _own = alone.work();
            assert!(alone.help().is_none() && !alone.too_many());
        }
        let three = SpareThreads::of(3);
        assert!(three.help().is_none(), "nobody works");
        let own = three.work();
        let (first, second) = (three.help(), three.clone().help());
        assert!(first.is_some() && second.is_some() && three.help().is_none());
        assert!(!three.too_many());
        let other = three.work();
        assert!(
            three.too_many(),
            "three at work, and one that helps too many"
        );
        drop(second);
        assert!(!three.too_many() && three.help().is_none());
        drop((own, other));
        assert!(three.help().is_some());
    }
}
