//! Parts that a check does not cover: reported first, and never clear.

use std::collections::BTreeSet;
use std::path::Path;

use clearance_proof::check::delay::Unpaired;
use clearance_proof::model::{AllowedBy, BodyId, Cell, EventChange, Phase, Role, Timeline};
use clearance_proof::pairs::{PairTable, Reason};

use crate::findings::{Code, Diagnostic, Location, Severity};

/// Links with a shape to look at and none to check: one notice for those that move, one for those
/// that stand. One for those that weigh something and have no shape: they may be frames.
pub(super) fn uncovered(cell: &Cell) -> Vec<Diagnostic> {
    let notice = |code: Code, severity: Severity, why: &dyn Fn(bool) -> String| {
        let links = cell.unchecked.iter().filter(|r| r.code == code);
        let links: Vec<&Diagnostic> = links.collect();
        let names: Vec<&str> = links.iter().map(|r| r.subject.as_str()).collect();
        (!names.is_empty()).then(|| Diagnostic {
            subject: some_of(&names),
            message: why(names.len() > 1),
            place: links.first().and_then(|first| first.place.clone()),
            severity,
            code,
        })
    };
    let drawn_only = |code: Code, [does, do_so]: [&str; 2]| {
        notice(code, Severity::Open, &|several| {
            let (verb, has, it) = if several {
                (do_so, "have", "them")
            } else {
                (does, "has", "it")
            };
            format!(
                "{verb} and {has} <visual> geometry only, so what hits {it} is not seen: use `--visual-as-collision`, give {it} \
                 <collision> geometry, or leave {it} out in the cell file with `[[unchecked]]`: `link = \"NAME\"` (`*` stands for \
                 any text), `reason = \"…\"`"
            )
        })
    };
    let moving = drawn_only(Code::UncheckedLink, ["moves", "move"]);
    let standing = drawn_only(Code::UncheckedBody, ["stands still", "stand still"]);
    let bare = notice(Code::UncheckedMass, Severity::Notice, &|several| {
        let (moves, has, it, is_frame) = if several {
            ("move", "have", "them", "they are more than frames")
        } else {
            ("moves", "has", "it", "it is more than a frame")
        };
        format!(
            "{moves}, {has} a mass (<inertial>) and no geometry at all, so what hits {it} is not seen: if {is_frame}, give {it} \
             <collision> geometry; if not, say so in the cell file with `[[unchecked]]`: `link = \"NAME\"`, `reason = \"…\"`"
        )
    });
    moving.into_iter().chain(standing).chain(bare).collect()
}

/// Why nothing is checked where there is no pair of bodies at all.
pub(super) fn nothing_checked(cell: &Cell) -> Diagnostic {
    let shaped = cell.bodies.iter().filter(|b| !b.shapes.is_empty()).count();
    let why = match shaped {
        0 => "no body has collision geometry".to_owned(),
        1 => format!("`{}` is the only body with collision geometry", {
            let only = cell.bodies.iter().find(|b| !b.shapes.is_empty());
            only.map_or("", |b| b.name.as_str())
        }),
        _ => "every pair of bodies is allowed to touch, adjacent, rigidly joined, or fixed to the world".to_owned(),
    };
    Diagnostic {
        subject: cell.source.display().to_string(),
        message: format!(
            "no pair of bodies is checked: {why}; use `--visual-as-collision`, give the links <collision> geometry, or correct the \
             [[allow]] that takes every pair out (`inspect --pairs` says why each one is not checked; with `[[unchecked]]` single links \
             are left out, not all)"
        ),
        place: Some(Location::file(&cell.source)),
        severity: Severity::Open,
        code: Code::NothingChecked,
    }
}

/// What patterns of allowances leave uncompared.
struct UncomparedByPatterns {
    /// Bodies that are compared with nothing that moves against them.
    bodies: BTreeSet<BodyId>,
    /// Robots that are not compared with each other.
    robots: BTreeSet<(usize, usize)>,
    /// Who wrote the patterns.
    words: BTreeSet<&'static str>,
}

impl UncomparedByPatterns {
    /// `word` names those whose patterns count.
    fn new(
        cell: &Cell,
        pairs: &PairTable,
        word: impl Fn(&AllowedBy) -> Option<&'static str>,
    ) -> Self {
        let robot_of = |body: BodyId| match cell.bodies[body].role {
            Role::Link { robot } => Some(robot),
            _ => None,
        };
        let of_robots = |a: BodyId, b: BodyId| Some((robot_of(a)?, robot_of(b)?));
        let mut found = Self {
            bodies: BTreeSet::new(),
            robots: BTreeSet::new(),
            words: BTreeSet::new(),
        };
        for pair in &pairs.excluded {
            let Reason::Allowed(allowance) = &pair.reason else {
                continue;
            };
            let is_pattern = allowance.a.contains('*') || allowance.b.contains('*');
            let Some(word) = word(&allowance.by).filter(|_| is_pattern) else {
                continue;
            };
            found.words.insert(word);
            found.bodies.extend([pair.a, pair.b]);
            let both = of_robots(pair.a, pair.b).filter(|(a, b)| a != b);
            found.robots.extend(both);
        }
        for pair in &pairs.checked {
            found.bodies.remove(&pair.a);
            found.bodies.remove(&pair.b);
            if let Some(both) = of_robots(pair.a, pair.b) {
                found.robots.remove(&both);
            }
        }
        found
    }

    /// The notices; `when` begins their sentence.
    fn said(&self, cell: &Cell, when: &str) -> Vec<Diagnostic> {
        let words: Vec<&str> = self.words.iter().copied().collect();
        let words = words.join(" and ");
        let names = self.bodies.iter().map(|&b| cell.bodies[b].name.as_str());
        let names: Vec<&str> = names.collect();
        let alone = (!names.is_empty()).then(|| {
            let says = "let it touch everything that moves against it";
            (some_of(&names), says)
        });
        let between_robots = self.robots.iter().map(|&(a, b)| {
            let both = [a, b].map(|robot| format!("`{}`", cell.robots[robot].name));
            (both.join(" and "), "let all of them touch one another")
        });
        let said = alone.into_iter().chain(between_robots);
        said.map(|(subject, says)| {
            let why = format!(
                "{when}no pair is checked: patterns of {words} {says}; if that is not meant, name the bodies without `*`"
            );
            Diagnostic::notice(Code::NothingChecked, subject, why)
        })
        .collect()
    }
}

/// Bodies that are compared with nothing that moves against them, and robots that are not compared
/// with each other, because patterns of `[[allow]]` and `touch` match more than somebody may have
/// meant.
pub(super) fn allowed_widely(cell: &Cell, pairs: &PairTable) -> Vec<Diagnostic> {
    let word = |by: &AllowedBy| match by {
        AllowedBy::Cell => Some("[[allow]]"),
        AllowedBy::Touch => Some("`touch`"),
        _ => None,
    };
    UncomparedByPatterns::new(cell, pairs, word).said(cell, "")
}

/// The notices where the events of a program leave no pair of bodies to compare, or no pair of a
/// body.
pub(super) fn uncompared_while(
    phases: &[Phase],
    timeline: &Timeline,
    timed: bool,
) -> Vec<Diagnostic> {
    if let Some(nothing) = nothing_checked_while(phases, timed) {
        return vec![nothing];
    }
    // An allowance for a while says itself that it is meant; `touch` holds as long as a part is
    // carried.
    let attaches = |file: &Path, line: usize| {
        let mut events = timeline.events.iter();
        events.any(|event| {
            let is_it = event.line == line && event.file == file;
            is_it && matches!(event.change, EventChange::Attach { .. })
        })
    };
    let word = |by: &AllowedBy| match by {
        AllowedBy::Event(file, line) => attaches(file, *line).then_some("`touch` of events"),
        _ => None,
    };
    let mut found: Vec<Diagnostic> = Vec::new();
    // At a single instant bodies are as before it or behind it.
    for phase in phases.iter().filter(|phase| phase.instant.is_none()) {
        let pairs = PairTable::new(&phase.cell);
        let said = UncomparedByPatterns::new(&phase.cell, &pairs, word);
        for notice in said.said(&phase.cell, "over a part of the program ") {
            if !found.contains(&notice) {
                found.push(notice);
            }
        }
    }
    found
}

/// Why nothing is checked over intervals of a program whose events leave no pair of bodies to
/// compare. Pairs of other intervals say nothing about these.
fn nothing_checked_while(phases: &[Phase], timed: bool) -> Option<Diagnostic> {
    let empty = |phase: &&Phase| PairTable::new(&phase.cell).checked.is_empty();
    let empty: Vec<&Phase> = phases.iter().filter(empty).collect();
    let events = empty.iter().flat_map(|phase| allowing(&phase.cell));
    let events: BTreeSet<String> = events.collect();
    let intervals = Phase::joined_times(&empty);
    let when = |t: f64| {
        if timed {
            format!("{t:.3} s")
        } else {
            // As reports count them.
            format!("waypoint {}", t + 1.0)
        }
    };
    let intervals: Vec<String> = intervals
        .into_iter()
        .map(|[from, until]| {
            if from < until {
                format!("from {} to {}", when(from), when(until))
            } else {
                format!("at {}", when(from))
            }
        })
        .collect();
    let names: Vec<&str> = intervals.iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| nothing_left(some_of(&names), &events))
}

/// Why nothing is checked at some delay, where states of several programs come together.
pub(super) fn nothing_checked_at(unpaired: &Unpaired) -> Diagnostic {
    let at = unpaired.spans.iter();
    let at = at.map(|(name, [from, to])| format!("{name} between {from:.3} s and {to:.3} s"));
    let what = format!("at some delay, {}", at.collect::<Vec<_>>().join(" and "));
    nothing_left(what, &allowing(&unpaired.cell).collect())
}

/// The events that allow something in a cell, as `file:line: a – b`.
fn allowing(cell: &Cell) -> impl Iterator<Item = String> {
    cell.allowed.iter().filter_map(|allowed| match &allowed.by {
        AllowedBy::Event(file, line) => Some(format!(
            "{}:{line} (`{}`, `{}`)",
            file.display(),
            allowed.a,
            allowed.b
        )),
        AllowedBy::Srdf(_)
        | AllowedBy::Cell
        | AllowedBy::Touch
        | AllowedBy::Scene(..)
        | AllowedBy::SceneTouch(..) => None,
    })
}

/// That no pair is left there, because these events allow what others have left.
fn nothing_left(what: String, events: &BTreeSet<String>) -> Diagnostic {
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let (why, remedy) = if events.is_empty() {
        (
            "what the events leave is allowed to touch, adjacent, rigidly joined, or fixed to the world"
                .to_owned(),
            "give the links <collision> geometry, or correct the [[allow]] that takes every pair out",
        )
    } else {
        (
            format!("the last ones are allowed to touch by {}", some_of(&events)),
            "let each allowance name the two bodies that are meant to touch, and end it with `until`",
        )
    };
    Diagnostic {
        subject: what,
        message: format!("no pair of bodies is checked: {why}; {remedy}"),
        place: None,
        severity: Severity::Open,
        code: Code::NothingChecked,
    }
}

/// The message for a program where remarks leave the question open. Each such remark is a notice as
/// well, which says why and what can be done, so this line need not: it is repeated for every
/// program.
pub(super) fn open_question(first: &Diagnostic, n: usize) -> String {
    let (code, subject) = (first.code.as_str(), &first.subject);
    match n {
        1 => format!("not everything is settled: see the notice about {subject} ({code})"),
        _ => format!(
            "not everything is settled: see {n} notices, the first of them about {subject} ({code})"
        ),
    }
}

/// The first names of a list and how many more there are.
pub(super) fn some_of(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
