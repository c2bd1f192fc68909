//! Which pairs are checked, and for every other one the reason why not.

mod allowed;
mod class;
mod entries;
mod neighbours;
pub(crate) mod range_of_motion;

use std::collections::{HashMap, HashSet};
use std::fmt;

pub use allowed::Idle;

use entries::{Entries, Names};
use neighbours::{Guess, neighbour};

use crate::model::{Allowance, AllowedBy, BodyId, Cell};
use crate::report::{Code, Diagnostic, Severity};

/// Two bodies that are checked against each other; `a` stands earlier in the cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedPair {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Threshold D of its own, metres; `None`: that of the run.
    pub clearance: Option<f64>,
    /// Warn distance of its own, metres; `None`: that of the run.
    pub warn: Option<f64>,
}

/// Two bodies that are not checked; `a` stands earlier in the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedPair {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Why not.
    pub reason: Reason,
}

/// Why a pair is not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Neither ever moves.
    FixedToWorld,
    /// Both move with the same joint and keep their places relative to each other.
    Rigid,
    /// Neighbours in the kinematic tree: they are joined by one joint, or one carries the other.
    Adjacent,
    /// Somebody says that they may touch.
    Allowed(Allowance),
}

impl Reason {
    /// One word per kind, for machines.
    pub fn as_str(&self) -> &'static str {
        match self {
            Reason::FixedToWorld => "fixed-to-world",
            Reason::Rigid => "rigidly-joined",
            Reason::Adjacent => "adjacent",
            Reason::Allowed(_) => "allowed",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let allowance = match self {
            Reason::FixedToWorld => return f.write_str("both fixed to the world"),
            Reason::Rigid => return f.write_str("rigidly joined"),
            Reason::Adjacent => return f.write_str("adjacent"),
            Reason::Allowed(allowance) => allowance,
        };
        match &allowance.by {
            AllowedBy::Srdf(file) => write!(f, "allowed by {}", file.display())?,
            AllowedBy::Cell => f.write_str("allowed by [[allow]]")?,
            AllowedBy::Touch => f.write_str("allowed by touch of the attachment")?,
            AllowedBy::Scene(file, line) | AllowedBy::SceneTouch(file, line) => {
                write!(f, "allowed by the scene {}:{line}", file.display())?;
            }
            AllowedBy::Event(file, line) => write!(f, "allowed by {}:{line}", file.display())?,
        }
        if !allowance.reason.is_empty() {
            write!(f, ": {}", allowance.reason)?;
        }
        Ok(())
    }
}

/// Every pair of bodies that have shapes: checked, or excluded with a reason.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairTable {
    /// Pairs that are checked, in the order of the cell's bodies.
    pub checked: Vec<CheckedPair>,
    /// Pairs that are not, in the same order, but for those of two bodies that stand still.
    pub excluded: Vec<ExcludedPair>,
    /// Bodies that never move, in the order of the cell. No two of them are checked
    /// ([`Reason::FixedToWorld`]), and they are not listed pair by pair: ten thousand obstacles
    /// make fifty million pairs.
    pub standing: Vec<BodyId>,
    /// Indices into [`Cell::allowed`] of allowances that take no pair out of the check: stale, or
    /// said elsewhere already.
    pub idle: Vec<usize>,
    /// Facts that a reader must know about `[[pair]]` entries that do nothing.
    pub notes: Vec<Diagnostic>,
}

impl PairTable {
    /// How many pairs of bodies that stand still there are.
    pub fn standing_pairs(&self) -> usize {
        let n = self.standing.len();
        n * n.saturating_sub(1) / 2
    }

    /// How many pairs are not checked.
    pub fn excluded_count(&self) -> usize {
        self.excluded.len() + self.standing_pairs()
    }

    /// Every pair that is not checked, those of standing bodies included, in the order of the
    /// cell's bodies. Whoever calls this has asked [`PairTable::standing_pairs`] first.
    pub fn all_excluded(&self) -> Vec<ExcludedPair> {
        let mut all = self.excluded.clone();
        for (i, &a) in self.standing.iter().enumerate() {
            all.extend(self.standing[i + 1..].iter().map(|&b| ExcludedPair {
                a,
                b,
                reason: Reason::FixedToWorld,
            }));
        }
        all.sort_by_key(|pair| (pair.a, pair.b));
        all
    }
}

impl PairTable {
    /// Sorts all pairs of bodies of a cell. The work grows with the pairs of which one moves, not
    /// with the square of what stands still.
    pub fn new(cell: &Cell) -> Self {
        let n = cell.bodies.len();
        let allowances = cell.allowed.iter().map(|x| (x.a.as_str(), x.b.as_str()));
        let allowed_by = Entries::new(cell, allowances);
        let thresholds = cell.thresholds.iter().map(|x| (x.a.as_str(), x.b.as_str()));
        let threshold_of = Entries::new(cell, thresholds);
        let neighbour: Vec<Option<BodyId>> = (0..n).map(|b| neighbour(cell, b)).collect();
        let enabled = enabled(cell);

        let mut result = Self::default();
        let mut allowance_used = vec![false; cell.allowed.len()];
        let mut threshold_used = vec![false; cell.thresholds.len()];
        let with_shapes: Vec<BodyId> = (0..n)
            .filter(|&b| !cell.bodies[b].shapes.is_empty())
            .collect();
        let (standing, moving): (Vec<BodyId>, Vec<BodyId>) = with_shapes
            .iter()
            .partition(|&&b| cell.bodies[b].joint.is_none());
        let mut allowed = |a: BodyId, b: BodyId| {
            allowed_by.first(a, b).map(|k| {
                allowance_used[k] = true;
                Reason::Allowed(cell.allowed[k].clone())
            })
        };
        for (i, &a) in with_shapes.iter().enumerate() {
            let stands = cell.bodies[a].joint.is_none();
            let others = if stands {
                &moving[moving.partition_point(|&b| b <= a)..]
            } else {
                &with_shapes[i + 1..]
            };
            for &b in others {
                let is_rigid = cell.bodies[a].joint == cell.bodies[b].joint;
                let reason = if is_rigid && !cell.put_together.contains(&[a.min(b), a.max(b)]) {
                    Some(Reason::Rigid)
                } else if (neighbour[a] == Some(b) || neighbour[b] == Some(a))
                    // What is carried may stand inside the link that carries it, whoever asks.
                    && (is_rigid || !enabled.contains(&[a, b]))
                {
                    // Where that may be wrong, whoever allows the pair says that it is right.
                    let is_open = || Guess::about(cell, [a, b]).is_some_and(|guess| guess.open);
                    let allowed = if is_open() { allowed(a, b) } else { None };
                    allowed.or(Some(Reason::Adjacent))
                } else {
                    allowed(a, b)
                };
                match reason {
                    Some(reason) => result.excluded.push(ExcludedPair { a, b, reason }),
                    None => {
                        let own = threshold_of.last(a, b).map(|k| {
                            threshold_used[k] = true;
                            &cell.thresholds[k]
                        });
                        result.checked.push(CheckedPair {
                            a,
                            b,
                            clearance: own.map(|t| t.clearance),
                            warn: own.and_then(|t| t.warn),
                        });
                    }
                }
            }
        }
        result.standing = standing;
        result.idle = (0..allowance_used.len())
            .filter(|&k| !allowance_used[k])
            .collect();
        result.notes = threshold_notes(cell, &result, &threshold_used);
        result.notes.extend(guesses(cell, &result));
        result
    }
}

/// Pairs that somebody asks to check although they are neighbours, the earlier body first: an SRDF
/// enables them, or a threshold names both, and not by a pattern that happens to match them.
fn enabled(cell: &Cell) -> HashSet<[BodyId; 2]> {
    let enabled = cell.enabled.iter().map(|[a, b]| [a, b]);
    let named = cell.thresholds.iter().map(|t| [&t.a, &t.b]);
    let mut asked = enabled.chain(named).peekable();
    if asked.peek().is_none() {
        return HashSet::new();
    }
    let names = cell.bodies.iter().enumerate();
    let by_name: HashMap<&str, BodyId> = names.map(|(id, b)| (b.name.as_str(), id)).collect();
    let pairs = asked.filter_map(|[a, b]| {
        let (a, b) = (*by_name.get(a.as_str())?, *by_name.get(b.as_str())?);
        Some([a.min(b), a.max(b)])
    });
    pairs.collect()
}

/// What is said of neighbours that may be none, and are not checked.
fn guesses(cell: &Cell, table: &PairTable) -> Vec<Diagnostic> {
    let adjacent = table
        .excluded
        .iter()
        .filter(|p| p.reason == Reason::Adjacent);
    let said = adjacent.filter_map(|pair| {
        let guess = Guess::about(cell, [pair.a, pair.b])?;
        let [a, b] = [pair.a, pair.b].map(|body| cell.bodies[body].name.as_str());
        let why = format!(
            "count as neighbours and are not checked: {}; a `[[pair]]` that names both has them checked, an `[[allow]]` leaves them out",
            guess.why
        );
        Some(Diagnostic {
            severity: if guess.open { Severity::Open } else { Severity::Note },
            ..Diagnostic::note(Code::BallJoint, format!("{a} – {b}"), why)
        })
    });
    said.collect()
}

/// Two patterns as sets of bodies.
struct NamedPairs {
    /// Per body, whether the patterns name it.
    of: [Vec<bool>; 2],
}

impl NamedPairs {
    fn new(cell: &Cell, names: &Names, a: &str, b: &str) -> Self {
        let of = [a, b].map(|pattern| {
            let mut named = vec![false; cell.bodies.len()];
            names
                .matching(pattern)
                .into_iter()
                .for_each(|id| named[id] = true);
            named
        });
        Self { of }
    }

    /// Whether they name a pair, one body each.
    fn pair(&self, x: BodyId, y: BodyId) -> bool {
        let [a, b] = &self.of;
        (a[x] && b[y]) || (a[y] && b[x])
    }

    /// How many pairs of some bodies they name.
    fn count(&self, bodies: &[BodyId]) -> usize {
        let [a, b] = &self.of;
        let count = |named: &dyn Fn(BodyId) -> bool| bodies.iter().filter(|&&x| named(x)).count();
        let (of_a, of_b, both) = (count(&|x| a[x]), count(&|x| b[x]), count(&|x| a[x] && b[x]));
        // Ordered pairs without those of a body and itself; two bodies that both patterns name were
        // counted twice.
        of_a * of_b - both - both * both.saturating_sub(1) / 2
    }
}

/// Thresholds that hold for no pair. A pattern speaks of many pairs and may well name some that are
/// excluded; it is worth a note only when it reaches none that is checked, or when later entries
/// have them all.
fn threshold_notes(cell: &Cell, table: &PairTable, used: &[bool]) -> Vec<Diagnostic> {
    let names = Names::new(cell);
    let mut notes = Vec::new();
    for (stated, used) in cell.thresholds.iter().zip(used) {
        if *used {
            continue;
        }
        let meant = NamedPairs::new(cell, &names, &stated.a, &stated.b);
        let (severity, why) = if table.checked.iter().any(|p| meant.pair(p.a, p.b)) {
            let why = "[[pair]] has no effect, later ones name all its pairs: put it behind them";
            (Severity::Notice, why.to_owned())
        } else {
            unchecked_threshold(table, &meant)
        };
        notes.push(Diagnostic {
            subject: format!("{} – {}", stated.a, stated.b),
            message: why,
            place: stated.place.clone(),
            severity,
            code: Code::IdlePair,
        });
    }
    notes
}

/// Why a threshold holds for no pair where none that it names is checked. Whoever states a distance
/// counts on it; but events may carry what stands still or is joined.
fn unchecked_threshold(table: &PairTable, meant: &NamedPairs) -> (Severity, String) {
    let mut excluded = table.excluded.iter().filter(|p| meant.pair(p.a, p.b));
    let first = excluded.next().map(|p| &p.reason);
    let standing = meant.count(&table.standing);
    let all = usize::from(first.is_some()) + excluded.count() + standing;
    if all == 0 {
        let why = "[[pair]] matches no two bodies with geometry: no distance is held by it";
        return (Severity::Notice, why.to_owned());
    }
    let first = first.unwrap_or(&Reason::FixedToWorld);
    let severity = match first {
        Reason::Allowed(_) | Reason::Adjacent => Severity::Notice,
        Reason::FixedToWorld | Reason::Rigid => Severity::Note,
    };
    let why = if all == 1 {
        format!("[[pair]] has no effect, the pair is not checked: {first}")
    } else {
        format!("[[pair]] has no effect, none of its {all} pairs is checked; the first: {first}")
    };
    (severity, why)
}

#[cfg(test)]
mod tests;
