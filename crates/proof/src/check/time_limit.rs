//! How long a check may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A limit of time for everything that is done about one program. Searches ask it in their
/// innermost loops and leave the rest open once it is spent. Without a limit no clock is read, and
/// answers depend on nothing but the question.
#[derive(Debug, Clone, Default)]
pub struct TimeLimit(Option<Arc<Limit>>);

#[derive(Debug)]
struct Limit {
    until: Until,
    asked: AtomicU32,
    spent: AtomicBool,
}

#[derive(Debug)]
enum Until {
    /// Spent from this instant on.
    Time(Instant),
    /// Spent after this many questions: for tests.
    Asked(u32),
}

/// In short loops the clock is read at the first question, and then at every n-th.
const EVERY: u32 = 16;

impl TimeLimit {
    /// A limit that begins now; `None`: no limit.
    pub fn of(limit: Option<Duration>) -> Self {
        let Some(limit) = limit else {
            return Self(None);
        };
        let until = if limit.is_zero() {
            Until::Asked(0)
        } else {
            // Too far away for the clock to represent: no limit.
            match Instant::now().checked_add(limit) {
                Some(until) => Until::Time(until),
                None => return Self(None),
            }
        };
        Self::until(until)
    }

    /// A limit that is spent after this many questions, so that tests stop at the same place each
    /// time.
    #[cfg(test)]
    pub fn of_questions(most: u32) -> Self {
        Self::until(Until::Asked(most))
    }

    fn until(until: Until) -> Self {
        Self(Some(Arc::new(Limit {
            until,
            asked: AtomicU32::new(0),
            spent: AtomicBool::new(false),
        })))
    }

    /// Whether there is a limit.
    pub fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    /// Whether the caller must stop. Once spent it stays spent. The answer may come some questions
    /// late: for loops with short turns.
    pub fn is_exceeded(&self) -> bool {
        self.ask(EVERY)
    }

    /// Like [`Self::is_exceeded`], but the clock is read each time: for loops with long turns.
    pub fn is_exceeded_now(&self) -> bool {
        self.ask(1)
    }

    fn ask(&self, every: u32) -> bool {
        let Some(limit) = &self.0 else {
            return false;
        };
        if limit.spent.load(Ordering::Relaxed) {
            return true;
        }
        let asked = limit.asked.fetch_add(1, Ordering::Relaxed);
        let spent = match limit.until {
            Until::Time(until) => asked % every == 0 && Instant::now() >= until,
            Until::Asked(most) => asked >= most,
        };
        if spent {
            limit.spent.store(true, Ordering::Relaxed);
        }
        spent
    }

    /// Whether some caller was told to stop, so that something was left out.
    pub fn was_exceeded(&self) -> bool {
        let limit = self.0.as_ref();
        limit.is_some_and(|limit| limit.spent.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_spent_before_somebody_asks() {
        let none = TimeLimit::of(None);
        assert!(!none.is_limited() && !none.is_exceeded() && !none.was_exceeded());
        let nothing = TimeLimit::of(Some(Duration::ZERO));
        assert!(nothing.is_limited() && !nothing.was_exceeded());
        assert!(nothing.clone().is_exceeded());
        assert!(nothing.was_exceeded(), "all clones know");
        for long in [Duration::from_secs(1 << 40), Duration::MAX] {
            let long = TimeLimit::of(Some(long));
            assert!((0..100).all(|_| !long.is_exceeded()) && !long.was_exceeded());
        }
    }
}
