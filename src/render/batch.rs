//! The report about a batch for people: a line for every program that needs attention, and how many
//! do not. Programs come one by one, so that a batch of any size fits.

use std::collections::{BTreeMap, BTreeSet};

use super::Style;
use super::lists::some_of;
use super::text::{Label, Page};
use super::units::{count, millimetres};
use crate::findings::{Change, Outcome, ProgramOutcome, Touches, Verdict, Versus};

/// Allowed pairs that are named.
const AUDITED_PAIRS: usize = 20;

/// Writes the report piece by piece.
pub struct BatchText<'o> {
    page: Page<'o>,
    changes: [usize; 6],
    compared: usize,
    rechecked: usize,
    /// Programs that were audited, and allowed pairs that touched for a part of the time: in how
    /// many, and in which first.
    audited: usize,
    hidden: BTreeMap<(String, String), (usize, String)>,
}

impl<'o> BatchText<'o> {
    /// About this question (an outcome without programs); `longest` is the length of the longest
    /// name of a program.
    pub fn new(header: &'o Outcome, style: &Style, longest: usize) -> Self {
        let mut page = Page::new(header, *style, longest);
        page.default_cell();
        page.notices(&header.notices);
        Self {
            page,
            changes: [0; 6],
            compared: 0,
            rechecked: 0,
            audited: 0,
            hidden: BTreeMap::new(),
        }
    }

    /// The text about the next program; nothing if it is clear, within its limits, without near
    /// misses and notices, and as it was.
    pub fn program(&mut self, program: &ProgramOutcome, versus: Option<&Versus>) -> String {
        self.page.see(program);
        self.audit(program);
        let said = versus.and_then(|v| self.versus(v, program));
        let good = Label::of(program) == Label::Clear
            && program.near_misses.is_empty()
            && program.notices.is_empty();
        if !good || said.is_some() {
            self.page.program(program, true);
            if let Some(text) = said {
                self.page.detail("baseline", text);
            }
        }
        std::mem::take(&mut self.page.out)
    }

    /// Counts as many more programs of which all that is said was said of this one.
    pub fn more_like(&mut self, program: &ProgramOutcome, more: usize) {
        self.page.more_like(program, more);
    }

    /// Takes in what allowed pairs did.
    fn audit(&mut self, program: &ProgramOutcome) {
        let Some(audit) = &program.audit else { return };
        self.audited += 1;
        let here = audit.pairs().map(|(_, pair)| pair);
        let here = here.filter(|pair| pair.touches == Touches::Here);
        let pairs: BTreeSet<_> = here.map(|p| (p.a.clone(), p.b.clone())).collect();
        for pair in pairs {
            let first = || (0, program.program.clone());
            self.hidden.entry(pair).or_insert_with(first).0 += 1;
        }
    }

    /// Which allowances to look at, over all programs.
    fn audits(&mut self) {
        if self.audited == 0 {
            return;
        }
        let mut all: Vec<_> = std::mem::take(&mut self.hidden).into_iter().collect();
        // Those of few programs first: what every program does is more likely meant.
        all.sort_by_key(|(_, (n, _))| *n);
        let of = count(self.audited, "program");
        self.page.line(match all.len() {
            0 => format!("audit: no allowed pair comes within its threshold for a part of the time, in any of {of}"),
            n => format!(
                "audit: {} within the threshold for a part of the time, in some of {of}:",
                if n == 1 { "1 allowed pair comes".to_owned() } else { format!("{n} allowed pairs come") }
            ),
        });
        for ((a, b), (n, first)) in all.iter().take(AUDITED_PAIRS) {
            let also = match n {
                1 => format!("in {first}"),
                n => format!("in {n} programs, the first is {first}"),
            };
            self.page.line(format!("  {a} – {b}: {also}"));
        }
        if let more @ 1.. = all.len().saturating_sub(AUDITED_PAIRS) {
            self.page.line(format!("  and {more} more"));
        }
    }

    /// The change of a program since the earlier run, if that is worth a line.
    fn versus(&mut self, versus: &Versus, program: &ProgramOutcome) -> Option<String> {
        self.compared += 1;
        self.rechecked += usize::from(versus.checked);
        self.changes[versus.change as usize] += 1;
        let was = match (versus.verdict, versus.limits) {
            (Some(Verdict::Clear), Some(1..)) => "beyond its limits",
            (Some(Verdict::Clear), _) => "clear",
            (Some(Verdict::Unverified), _) => "unverified",
            (Some(Verdict::Undecided), _) => "undecided",
            (Some(Verdict::Possible), _) => "possible",
            (Some(Verdict::Collision), _) => "collision",
            (None, _) => "not there",
        };
        match versus.change {
            Change::New | Change::None => None,
            Change::NewlyBroken => Some(format!("newly broken: it was {was}")),
            Change::NewlyFixed => Some(format!("newly fixed: it was {was}")),
            Change::Verdict => Some(format!("it was {was}")),
            Change::Clearance => {
                let now = program.minimum_clearance.as_ref().map(|m| m.distance);
                let show = |x: Option<f64>| x.map_or_else(|| "unknown".to_owned(), millimetres);
                Some(format!(
                    "least clearance {}, it was {}",
                    show(now),
                    show(versus.distance)
                ))
            }
        }
    }

    /// The last lines. `gone` are programs that only the earlier run has.
    pub fn finish(mut self, gone: &[String]) -> String {
        if self.compared > 0 {
            self.comparison(gone);
        }
        self.audits();
        self.page.lists();
        self.page.guarantee();
        self.page.error();
        self.page.conclusion();
        self.page.out
    }

    fn comparison(&mut self, gone: &[String]) {
        let words = [
            (Change::NewlyBroken, "newly broken"),
            (Change::NewlyFixed, "newly fixed"),
            (Change::Verdict, "with another verdict"),
            (Change::Clearance, "with another least clearance"),
            (Change::New, "new"),
            (Change::None, "as before"),
        ];
        let counts = words.map(|(change, word)| (self.changes[change as usize], word));
        let mut said: Vec<String> = counts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| format!("{n} {word}"))
            .collect();
        if !gone.is_empty() {
            said.push(format!("{} gone", gone.len()));
        }
        let kept = self.compared - self.rechecked;
        self.page.line(format!(
            "against the baseline: {}; {} verified again, {} not concerned by what changed",
            said.join(", "),
            count(self.rechecked, "program"),
            kept
        ));
        if !gone.is_empty() {
            let names: Vec<&str> = gone.iter().map(String::as_str).collect();
            self.page.line(format!("gone: {}", some_of(&names)));
        }
    }
}
