//! Where the lines of programs lead, and which of them ask in a loop that waits: one that can go round
//! though nothing moves. Something else sets what such a loop asks for, and the rest with it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::known_by;
use super::unread::UsesValues;

/// So many lines are looked at to find the loops of one program; where that is not enough, each line
/// that asks counts as one of a loop that waits.
const MOST_LOOKED_AT: usize = 5_000_000;

/// How a program may go on behind a line, by its text.
#[derive(Debug)]
pub(crate) struct LineCourse<V> {
    /// Where it goes on. The number of all lines: where the program was called.
    pub(crate) to: Vec<usize>,
    /// Where it goes on behind programs that it calls.
    pub(crate) calls: Vec<CalledOnTheWay>,
    /// Whether it moves the arm.
    pub(crate) moves: bool,
    /// Whether time passes in it.
    pub(crate) waits: bool,
    /// The value that it sets.
    pub(crate) sets: Option<V>,
    /// The values that it reads; none: only the controller knows which.
    pub(crate) reads: Option<BTreeSet<V>>,
    /// What it asks for, if it chooses among lines or statements.
    pub(crate) asks: Option<AskedValues<V>>,
}

/// A call of another program.
#[derive(Debug)]
pub(crate) struct CalledOnTheWay {
    pub(crate) program: String,
    /// The line in which it goes on behind the call.
    pub(crate) back: usize,
}

/// What a line asks for that something else may set.
#[derive(Debug)]
pub(crate) struct AskedValues<V> {
    pub(crate) values: BTreeSet<V>,
    /// Whether it asks for more than these: by a number that only the controller knows, or for what
    /// is not followed by number.
    pub(crate) more: bool,
}

impl<V> LineCourse<V> {
    /// A line that leads to these, and does nothing else.
    pub(crate) fn leads(to: Vec<usize>) -> Self {
        Self {
            to,
            calls: Vec::new(),
            moves: false,
            waits: false,
            sets: None,
            reads: Some(BTreeSet::new()),
            asks: None,
        }
    }
}

/// Lines that ask in a loop that waits, with what each of them asks for.
pub(crate) type PolledLines<V> = BTreeMap<usize, BTreeSet<V>>;

/// The lines of each of these programs that ask in a loop that waits.
pub(crate) fn polled_in<P: UsesValues>(programs: &[Rc<P>]) -> Vec<PolledLines<P::Value>> {
    let courses: Vec<_> = programs.iter().map(|program| program.courses()).collect();
    let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (k, program) in programs.iter().enumerate() {
        names.entry(known_by(program.name())).or_default().push(k);
    }
    let mut comes_back = vec![false; programs.len()];
    loop {
        let before = comes_back.clone();
        let passes = |name: &str| match names.get(&known_by(name)) {
            Some(all) => all.iter().any(|&k| before[k]),
            // One that is not there is followed nowhere: the cell says that it keeps the arm still.
            None => true,
        };
        for (back, lines) in comes_back.iter_mut().zip(&courses) {
            *back = *back
                || Courses {
                    lines,
                    passes: &passes,
                }
                .comes_back();
        }
        if comes_back == before {
            let polled = courses.iter().map(|lines| {
                Courses {
                    lines,
                    passes: &passes,
                }
                .polled()
            });
            return polled.collect();
        }
    }
}

/// The same in a program that keeps the arm still with all that it calls.
pub(crate) fn polled_in_still<P: UsesValues>(program: &P) -> PolledLines<P::Value> {
    let lines = program.courses();
    let passes = |_: &str| true;
    Courses {
        lines: &lines,
        passes: &passes,
    }
    .polled()
}

/// The lines of a program.
struct Courses<'c, V> {
    lines: &'c [LineCourse<V>],
    /// Whether a program of this name may come back though nothing has moved.
    passes: &'c dyn Fn(&str) -> bool,
}

impl<V: Copy + Ord> Courses<'_, V> {
    /// The lines to which one leads though nothing moves.
    fn next(&self, at: usize) -> Vec<usize> {
        let Some(line) = self.lines.get(at).filter(|line| !line.moves) else {
            return Vec::new();
        };
        let calls = line
            .calls
            .iter()
            .filter(|call| (self.passes)(&call.program));
        let back = calls.map(|call| call.back);
        line.to.iter().copied().chain(back).collect()
    }

    /// Whether the program may come to its end though nothing has moved.
    fn comes_back(&self) -> bool {
        let next: Vec<_> = (0..self.lines.len()).map(|at| self.next(at)).collect();
        let all = 0..self.lines.len() + 1;
        reached(0, &next, &all).contains(&self.lines.len())
    }

    fn polled(&self) -> PolledLines<V> {
        let count = self.lines.len();
        let next: Vec<_> = (0..count).map(|at| self.next(at)).collect();
        let mut before = vec![Vec::new(); count];
        let mut back = BTreeSet::new();
        for (at, to) in next.iter().enumerate() {
            for &to in to.iter().filter(|&&to| to < count) {
                before[to].push(at);
                if to <= at {
                    back.insert((to, at));
                }
            }
        }
        let mut found = PolledLines::new();
        let mut looked_at = 0;
        for (first, last) in back {
            // The loop alone, and with the lines to which it leads aside.
            for all in [first..last + 1, 0..count] {
                looked_at += all.len();
                if looked_at > MOST_LOOKED_AT {
                    let asks = self.lines.iter().map(|line| line.asks.as_ref());
                    let asks = asks.enumerate();
                    return asks
                        .filter_map(|(at, asks)| Some((at, asks?.values.clone())))
                        .collect();
                }
                let mut round = reached(first, &next, &all);
                let leads_back = reached(first, &before, &all);
                if !round.contains(&last) {
                    continue;
                }
                round.retain(|at| leads_back.contains(at));
                self.add_polled(&round, &next, &mut found);
            }
        }
        found
    }

    /// Takes in the lines of a loop that ask for what the loop itself does not set.
    fn add_polled(&self, round: &BTreeSet<usize>, next: &[Vec<usize>], found: &mut PolledLines<V>) {
        let lines = || round.iter().map(|&at| &self.lines[at]);
        let sets: BTreeSet<V> = lines().filter_map(|line| line.sets).collect();
        let reads = |value: &V| {
            let mut others = lines().filter(|line| line.sets != Some(*value));
            others.any(|line| line.reads.as_ref().is_none_or(|all| all.contains(value)))
        };
        // A loop that looks for something in a list is no wait.
        if sets.iter().any(reads) && !lines().any(|line| line.waits) {
            return;
        }
        let asked = lines().filter_map(|line| line.asks.as_ref());
        let sets_asked = asked
            .flat_map(|asks| &asks.values)
            .any(|value| sets.contains(value));
        for &at in round {
            let line = &self.lines[at];
            let Some(asks) = &line.asks else {
                continue;
            };
            let values: BTreeSet<V> = asks.values.difference(&sets).copied().collect();
            let leads = next[at].iter().any(|to| !round.contains(to));
            let leads = leads || !line.calls.is_empty() || sets_asked;
            if leads && (asks.more || !values.is_empty()) {
                found.entry(at).or_default().extend(values);
            }
        }
    }
}

/// The lines among these to which one leads, itself included.
fn reached(from: usize, next: &[Vec<usize>], among: &std::ops::Range<usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([from]);
    let mut left = vec![from];
    while let Some(at) = left.pop() {
        for &to in next.get(at).into_iter().flatten() {
            if among.contains(&to) && found.insert(to) {
                left.push(to);
            }
        }
    }
    found
}
