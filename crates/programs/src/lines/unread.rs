//! Values that nobody reads: counters of parts, of rounds, of failed tries, which a program counts up
//! for those who look at the pendant. Nothing that the arm does depends on them, so a loop comes back
//! to where it was though they are others in every round.
//!
//! That a value is unread is found in the text of all programs that may run, whichever of their lines
//! are reached. At first all values count as unread that a line does nothing but set. A line does not
//! matter as long as it sets one of these and does nothing else, or asks for something and leads to one
//! line or another from where the course of the program is the same: only lines that do not matter lie
//! in between. Each value that a line reads which matters is taken out, and so on until none is left
//! to take out.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::kept::StoredProgram;
use super::known_by;

/// So many lines that do not matter are passed to find one that does.
const MOST_PASSED: usize = 1_000;

/// So often values are taken out.
const MOST_TURNS: usize = 200;

/// What a line does with the values of the program.
pub(crate) struct LineUse<V> {
    pub(crate) what: LineEffect<V>,
    /// The values that it reads; none: only the controller knows which.
    pub(crate) reads: Option<BTreeSet<V>>,
}

/// What a line does, as far as it is certain from its text.
pub(crate) enum LineEffect<V> {
    /// It sets this value, or does nothing.
    Sets(V),
    /// It leads there, and does nothing else.
    Leads(usize),
    /// It leads to one line or the other.
    Parts([usize; 2]),
    /// Anything else.
    Acts,
}

impl<V: Ord> LineUse<V> {
    /// A line that does anything, and reads these values.
    pub(crate) fn acts(reads: Option<BTreeSet<V>>) -> Self {
        Self {
            what: LineEffect::Acts,
            reads,
        }
    }

    /// A line that leads there, and reads nothing.
    pub(crate) fn leads(to: usize) -> Self {
        Self {
            what: LineEffect::Leads(to),
            reads: Some(BTreeSet::new()),
        }
    }
}

/// A program whose lines say what they do with values.
pub(crate) trait UsesValues: StoredProgram {
    /// A register or variable.
    type Value: Copy + Ord;

    fn name(&self) -> &str;

    /// What each of its lines does; lines that run beside them stand behind them.
    fn uses(&self) -> Vec<LineUse<Self::Value>>;

    /// The values that a statement waits for; none: it does not, or it is not certain for which.
    fn waits_for(text: &str) -> Option<BTreeSet<Self::Value>>;

    /// The values for which a loop waits that asks in this line and does nothing else; none: there is
    /// no such loop. It is a wait as `WAIT` is, which brings other values and positions with it; that
    /// both answers of a condition are followed that has only one ([`crate::one_sided`]) leaves those
    /// alone.
    fn polls(&self, line: usize) -> Option<BTreeSet<Self::Value>>;
}

/// The values that nobody reads, and the lines that are passed by on their account.
#[derive(Debug)]
pub(crate) struct UnreadValues<V> {
    values: BTreeSet<V>,
    /// By what the program is known by, and the place of the line in it.
    lines: BTreeSet<(String, usize)>,
}

impl<V> Default for UnreadValues<V> {
    fn default() -> Self {
        Self {
            values: BTreeSet::new(),
            lines: BTreeSet::new(),
        }
    }
}

impl<V: Copy + Ord> UnreadValues<V> {
    /// Of all programs that may run.
    pub(crate) fn of<P: UsesValues<Value = V>>(programs: &[Rc<P>]) -> Self {
        let uses: Vec<_> = programs.iter().map(|program| program.uses()).collect();
        let all = || uses.iter().flatten();
        let mut values: BTreeSet<V> = all()
            .filter_map(|line| match line.what {
                LineEffect::Sets(value) => Some(value),
                _ => None,
            })
            .collect();
        for _ in 0..MOST_TURNS {
            let mut idle: Vec<Vec<bool>> = Vec::new();
            let mut read = BTreeSet::new();
            for lines in &uses {
                let course = Course::of(lines, &values);
                let is_idle: Vec<bool> = (0..lines.len()).map(|at| course.is_idle(at)).collect();
                for (line, _) in lines.iter().zip(&is_idle).filter(|(_, idle)| !**idle) {
                    match &line.reads {
                        Some(reads) => read.extend(reads.iter().copied()),
                        None => read.extend(values.iter().copied()),
                    }
                }
                idle.push(is_idle);
            }
            if values.is_disjoint(&read) {
                return Self {
                    values,
                    lines: named(programs, &idle),
                };
            }
            values.retain(|value| !read.contains(value));
        }
        Self::default()
    }

    /// Whether nobody reads this one.
    pub(crate) fn contains(&self, value: V) -> bool {
        self.values.contains(&value)
    }

    /// Whether a line of this program does nothing that matters, whatever the answer to what it asks
    /// for is.
    pub(crate) fn passes_by(&self, program: &str, line: usize) -> bool {
        !self.lines.is_empty() && self.lines.contains(&(known_by(program), line))
    }
}

/// The lines that do not matter. Of two programs of one name it is not told which is meant.
fn named<P: UsesValues>(programs: &[Rc<P>], idle: &[Vec<bool>]) -> BTreeSet<(String, usize)> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for program in programs {
        *count.entry(known_by(program.name())).or_default() += 1;
    }
    let mut found = BTreeSet::new();
    for (program, idle) in programs.iter().zip(idle) {
        let name = known_by(program.name());
        if count[&name] == 1 {
            let lines = idle.iter().enumerate().filter(|(_, idle)| **idle);
            found.extend(lines.map(|(at, _)| (name.clone(), at)));
        }
    }
    found
}

/// The course of a program past the lines that do not matter.
struct Course<'u, V> {
    lines: &'u [LineUse<V>],
    unread: &'u BTreeSet<V>,
    /// From each line on, a line to which the program comes from there whatever it asks for, and does
    /// nothing before that matters: the first one that matters, as far as it is looked for.
    next: Vec<usize>,
}

impl<'u, V: Ord> Course<'u, V> {
    fn of(lines: &'u [LineUse<V>], unread: &'u BTreeSet<V>) -> Self {
        let mut course = Self {
            lines,
            unread,
            next: (0..lines.len()).collect(),
        };
        // Most lines lead to later ones.
        for at in (0..lines.len()).rev() {
            course.next[at] = match &lines[at].what {
                LineEffect::Parts(ways) => {
                    let [one, other] = ways.map(|to| course.from(to, at + 1));
                    if one == other { one } else { at }
                }
                _ => course.from(at, at + 1),
            };
        }
        course
    }

    /// The same from a line on, where it is found already from the line `known` on.
    fn from(&self, line: usize, known: usize) -> usize {
        let mut at = line;
        for _ in 0..MOST_PASSED {
            if at >= known {
                return self.next.get(at).copied().unwrap_or(at);
            }
            match &self.lines[at].what {
                LineEffect::Sets(value) if self.unread.contains(value) => at += 1,
                LineEffect::Leads(to) => at = *to,
                _ => break,
            }
        }
        at
    }

    /// Whether a line only sets a value that nobody reads, or the same follows on both its answers.
    fn is_idle(&self, at: usize) -> bool {
        match &self.lines[at].what {
            LineEffect::Sets(value) => self.unread.contains(value),
            LineEffect::Parts(ways) => {
                let [one, other] = ways.map(|to| self.from(to, 0));
                one == other
            }
            LineEffect::Leads(_) | LineEffect::Acts => false,
        }
    }
}
