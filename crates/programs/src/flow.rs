//! The common part of all readers when they follow a program: bounds on the work, one way after
//! another where a condition is not known, and loops that come back to where they were.
//!
//! A way is followed from the start with a list of answers for the conditions that are not known;
//! the next way takes the other answer at the last of them. So readers are plain evaluators that
//! ask [`Flow::decide`].

use std::cell::Cell;
use std::collections::BTreeMap;

use clearance_proof::report::Location;

mod bounds;

pub use bounds::Bounds;

use crate::one_sided::{ConditionId, OneSidedConditions, QuestionId};
use crate::value::Fault;

/// So many parts of expressions take as long as a statement.
const COUNTED: usize = 100;

/// A way costs as much as so many statements, however short it is.
const LEAST_WORK: usize = 500;

/// Where a way is not known, the program is not verified whatever others bring: so many statements are
/// followed to find more.
const MOST_WORK_IF_UNKNOWN: usize = 500_000;

/// The clock is read at the first of so many statements.
const READ_CLOCK: usize = 64;

/// Why a program is not followed further where a time is stated.
const LATE: &str =
    "the time limit was spent while the program was read (`--time-limit` states more)";

/// So many blocks, calls and parentheses within each other are followed.
const DEEPEST: usize = 600;

/// An answer to a condition that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decision {
    place: Location,
    question: String,
    yes: bool,
    /// The one that is followed first.
    first: bool,
}

/// The answer of a way to a condition about what something beside the program may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SharedAnswer {
    /// That of the values of the program.
    Own,
    /// Whatever they say.
    Open(bool),
}

/// One way through a program while it is followed.
#[derive(Debug)]
pub struct Flow {
    bounds: Bounds,
    decisions: Vec<Decision>,
    /// How many of them were asked for on this way.
    asked: usize,
    steps: usize,
    depth: usize,
    /// Parts of expressions, and values that loops have to come back to.
    counted: Cell<usize>,
    one_sided: OneSidedConditions,
}

/// A way that was followed, or the question of ways that were not.
#[derive(Debug, Clone, PartialEq)]
pub struct Way<T> {
    /// Each condition that is not known, and how it was answered:
    /// `line 12: digital_in(0) is false`. Empty for the only way.
    pub branches: Vec<String>,
    /// The result of following it.
    pub found: T,
}

/// All ways.
#[derive(Debug, Clone, PartialEq)]
pub struct Ways<T> {
    /// Those that were followed, the one first on which every unknown condition is true.
    pub ways: Vec<Way<T>>,
    /// Why there are others that were not followed, if there are.
    pub left: Option<String>,
}

/// Follows a program on every way through it. `take_in` puts what was found on a way to what was
/// found before, if it adds anything. Both answers count at the conditions that are open in
/// `one_sided`, which takes in the answers of the others.
pub(crate) fn ways<T: Followed>(
    bounds: Bounds,
    one_sided: &mut OneSidedConditions,
    mut follow: impl FnMut(&mut Flow) -> T,
    take_in: impl FnMut(&mut Vec<Way<T>>, Way<T>),
) -> Ways<T> {
    let mut flow = Flow::new(bounds);
    flow.one_sided = std::mem::take(one_sided);
    let ways = ways_of(&mut flow, &mut follow, take_in);
    *one_sided = flow.one_sided;
    ways
}

/// The result of following a way.
pub(crate) trait Followed {
    /// Whether all of it is known.
    fn is_known(&self) -> bool {
        true
    }
}

fn ways_of<T: Followed>(
    flow: &mut Flow,
    follow: &mut impl FnMut(&mut Flow) -> T,
    mut take_in: impl FnMut(&mut Vec<Way<T>>, Way<T>),
) -> Ways<T> {
    let bounds = flow.bounds;
    let mut ways = Vec::new();
    let (mut work, mut most_work) = (0, bounds.work);
    let mut asked = AskedConditions::default();
    loop {
        let found = follow(flow);
        if !found.is_known() {
            most_work = most_work.min(MOST_WORK_IF_UNKNOWN);
        }
        work += LEAST_WORK.max(flow.steps + flow.counted.get() / COUNTED);
        // Answers that were not asked for belong to no condition of this way.
        flow.decisions.truncate(flow.asked);
        asked.add(&flow.decisions);
        let branches = flow.decisions.iter().map(Decision::branch).collect();
        take_in(&mut ways, Way { branches, found });
        let left = match () {
            () if bounds.is_late() => {
                return Ways {
                    ways,
                    left: Some(LATE.to_owned()),
                };
            }
            () if ways.len() > bounds.ways => {
                ways.truncate(bounds.ways);
                format!(
                    "the program has more than {} ways through conditions that are not known",
                    bounds.ways
                )
            }
            () => {
                while flow.decisions.last().is_some_and(|d| d.yes != d.first) {
                    flow.decisions.pop();
                }
                let Some(last) = flow.decisions.last_mut() else {
                    return Ways { ways, left: None };
                };
                last.yes = !last.first;
                if work < most_work {
                    (flow.asked, flow.steps, flow.depth) = (0, 0, 0);
                    flow.counted.set(0);
                    continue;
                }
                format!(
                    "its ways through conditions that are not known take as long as {most_work} statements altogether"
                )
            }
        };
        return Ways {
            ways,
            left: Some(format!("{left}; most often asked: {}", asked.most_often())),
        };
    }
}

/// How often each condition was asked, by its file, line and text.
#[derive(Debug, Default)]
struct AskedConditions(BTreeMap<(String, Option<usize>, String), usize>);

impl AskedConditions {
    fn add(&mut self, decisions: &[Decision]) {
        for Decision {
            place, question, ..
        } in decisions
        {
            let key = (place.file.clone(), place.line, question.clone());
            *self.0.entry(key).or_default() += 1;
        }
    }

    /// The first three, with their lines.
    fn most_often(&self) -> String {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let shown = all.into_iter().take(3).map(|((_, line, question), _)| {
            let line = line.map_or(String::new(), |line| format!(" (line {line})"));
            format!("`{question}`{line}")
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

impl Decision {
    fn branch(&self) -> String {
        let line = match self.place.line {
            Some(line) => format!("line {line}: "),
            None => String::new(),
        };
        let answer = if self.yes { "true" } else { "false" };
        format!("{line}{} is {answer}", self.question)
    }
}

impl Flow {
    fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            decisions: Vec::new(),
            asked: 0,
            steps: 0,
            depth: 0,
            counted: Cell::new(0),
            one_sided: OneSidedConditions::default(),
        }
    }

    /// The answer of this way to a condition about what something beside the program may set, which
    /// its own values answer by `truth`: that, or either where the program never has the other one.
    pub(crate) fn decide_shared(
        &mut self,
        (place, question): (&Location, QuestionId),
        told: &str,
        truth: bool,
    ) -> SharedAnswer {
        let condition = condition_at(place, question);
        if !self.one_sided.is_open(&condition) {
            self.one_sided.answered(condition, truth);
            return SharedAnswer::Own;
        }
        let told = format!("{told} (something else may set it)");
        // Behind the other answer less is known: later ways join those that come from there.
        SharedAnswer::Open(self.decide_from(place, &told, !truth))
    }

    /// Whether both answers to such a condition are followed.
    pub(crate) fn is_open(&self, (place, question): (&Location, QuestionId)) -> bool {
        self.one_sided.is_open(&condition_at(place, question))
    }

    /// The answer of this way to a condition that is not known.
    pub fn decide(&mut self, place: &Location, question: &str) -> bool {
        self.decide_from(place, question, true)
    }

    fn decide_from(&mut self, place: &Location, question: &str, first: bool) -> bool {
        self.asked += 1;
        if let Some(known) = self.decisions.get(self.asked - 1) {
            return known.yes;
        }
        self.decisions.push(Decision {
            place: place.clone(),
            question: question.to_owned(),
            yes: first,
            first,
        });
        first
    }

    /// How many conditions were not known on this way so far.
    pub fn decisions(&self) -> usize {
        self.asked
    }

    /// The answers of this way to them.
    pub(crate) fn answers(&self) -> Vec<bool> {
        self.decisions[..self.asked].iter().map(|d| d.yes).collect()
    }

    /// Within how many calls it is.
    pub(crate) fn calls(&self) -> usize {
        self.depth
    }

    /// Counts a statement.
    ///
    /// # Errors
    /// When there were too many.
    pub fn step(&mut self, place: &Location) -> Result<(), Fault> {
        if self.steps.is_multiple_of(READ_CLOCK) && self.bounds.is_late() {
            return Err(Fault::new(place, LATE));
        }
        self.steps += 1;
        self.bounded(place)?;
        if self.steps <= self.bounds.steps {
            return Ok(());
        }
        let most = self.bounds.steps;
        let reason =
            format!("more than {most} statements were followed; what comes after is not known");
        Err(Fault::new(place, reason))
    }

    /// Sees to it that what was counted is not too much.
    ///
    /// # Errors
    /// When it is.
    pub fn bounded(&self, place: &Location) -> Result<(), Fault> {
        if self.counted.get() / COUNTED > self.bounds.steps {
            let reason = "so much was computed up to here that it is not followed further; what comes after is not known";
            return Err(Fault::new(place, reason));
        }
        Ok(())
    }

    /// Counts parts of expressions, and values that a loop has to come back to.
    pub fn count(&self, parts: usize) {
        self.counted.set(self.counted.get().saturating_add(parts));
    }

    /// Goes into a routine; [`Flow::leave`] comes back.
    ///
    /// # Errors
    /// When there are too many calls within calls.
    pub fn enter(&mut self, place: &Location) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth <= self.bounds.depth {
            return Ok(());
        }
        let most = self.bounds.depth;
        let reason = format!("more than {most} calls within calls are not followed");
        Err(Fault::new(place, reason))
    }

    /// Comes back from a routine.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// How many blocks, calls and parentheses lie around what is followed. The interpreters are functions
/// that call themselves, and the stack has to hold them all, those of calls within calls too.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    depth: usize,
}

impl Nesting {
    /// Goes into one more; [`Nesting::leave`] comes back.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn enter(&mut self, place: &Location) -> Result<(), Fault> {
        if self.depth >= DEEPEST {
            let reason = "so many blocks, calls and parentheses within each other are not followed";
            return Err(Fault::new(place, reason));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from the innermost one.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// Which condition it is, by its file, its line, and which of that line.
fn condition_at(place: &Location, question: QuestionId) -> ConditionId {
    (place.file.clone(), place.line.unwrap_or(1), question)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    impl Followed for Vec<bool> {}

    impl Followed for () {}

    struct NotKnown;

    impl Followed for NotKnown {
        fn is_known(&self) -> bool {
            false
        }
    }

    /// A program with a way that is not known is not verified: the others are not followed as far.
    #[test]
    fn where_a_way_is_not_known_less_is_followed() {
        let steps = MOST_WORK_IF_UNKNOWN / 4;
        let follow = |flow: &mut Flow| {
            (0..10).for_each(|k| _ = flow.decide(&place(k), "x"));
            (0..steps).for_each(|_| _ = flow.step(&place(1)));
        };
        let known = all_ways(Bounds::default(), follow, |ways, way| ways.push(way));
        let unknown = |flow: &mut Flow| {
            follow(flow);
            NotKnown
        };
        let unknown = all_ways(Bounds::default(), unknown, |ways, way| ways.push(way));
        assert_eq!((known.ways.len(), unknown.ways.len()), (64, 4));
        let left = unknown.left.unwrap_or_default();
        assert!(left.contains("as long as 500000 statements"), "{left}");
    }

    fn all_ways<T: Followed>(
        bounds: Bounds,
        follow: impl FnMut(&mut Flow) -> T,
        take_in: impl FnMut(&mut Vec<Way<T>>, Way<T>),
    ) -> Ways<T> {
        ways(bounds, &mut OneSidedConditions::default(), follow, take_in)
    }

    fn place(line: usize) -> Location {
        Location::at("a.src".as_ref(), line, None)
    }

    #[test]
    fn every_way_is_followed_once_and_named_by_its_branches() {
        let follow = |flow: &mut Flow| {
            if flow.decide(&place(1), "a") {
                vec![true, flow.decide(&place(2), "b")]
            } else {
                vec![false]
            }
        };
        let found = all_ways(Bounds::default(), follow, |ways, way| ways.push(way));
        assert_eq!(found.left, None);
        let told: Vec<_> = (found.ways.iter())
            .map(|w| (w.branches.join(", "), w.found.clone()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "line 1: a is true, line 2: b is true".into(),
                    vec![true, true]
                ),
                (
                    "line 1: a is true, line 2: b is false".into(),
                    vec![true, false]
                ),
                ("line 1: a is false".into(), vec![false]),
            ]
        );
    }

    #[test]
    fn ways_beyond_the_bound_are_told() {
        let bounds = Bounds {
            ways: 5,
            ..Bounds::default()
        };
        let eight = |flow: &mut Flow| (0..3).for_each(|k| _ = flow.decide(&place(k), "x"));
        let found = all_ways(bounds, eight, |ways, way| ways.push(way));
        assert_eq!(found.ways.len(), 5);
        let left = found.left.unwrap_or_default();
        assert!(left.contains("more than 5 ways"), "{left}");
        assert!(
            left.contains("most often asked: `x` (line 0), `x` (line 1)"),
            "{left}"
        );
        // Those that add nothing are not counted.
        let found = all_ways(bounds, eight, |ways, way| {
            if ways.len() < 5 {
                ways.push(way);
            }
        });
        assert_eq!((found.ways.len(), found.left), (5, None));
        let work = 2 * LEAST_WORK;
        for (steps, count) in [(0, 2), (LEAST_WORK, 2), (2 * LEAST_WORK, 1)] {
            let follow = |flow: &mut Flow| {
                for k in 0..steps {
                    _ = flow.step(&place(k));
                }
                eight(flow);
            };
            let found = all_ways(Bounds { work, ..bounds }, follow, |ways, way| {
                ways.push(way)
            });
            assert_eq!(found.ways.len(), count);
            assert!(found.left.is_some_and(|l| l.contains("altogether")));
        }
    }

    #[test]
    fn nothing_is_followed_once_the_time_is_up() {
        let bounds = Bounds {
            until: Some(Instant::now()),
            ..Bounds::default()
        };
        let follow = |flow: &mut Flow| {
            _ = flow.decide(&place(1), "x");
            assert_eq!(flow.step(&place(1)), Err(Fault::new(&place(1), LATE)));
        };
        let found = all_ways(bounds, follow, |ways, way: Way<()>| ways.push(way));
        assert_eq!((found.ways.len(), found.left.as_deref()), (1, Some(LATE)));
    }

    #[test]
    fn steps_and_calls_have_an_end() {
        let bounds = Bounds {
            steps: 2,
            depth: 1,
            ..Bounds::default()
        };
        let follow = |flow: &mut Flow| {
            assert!(flow.step(&place(1)).is_ok() && flow.step(&place(1)).is_ok());
            assert!(flow.step(&place(1)).is_err());
            assert!(flow.enter(&place(1)).is_ok());
            assert!(flow.enter(&place(1)).is_err());
        };
        all_ways(bounds, follow, |ways, way: Way<()>| ways.push(way));
    }
}
