//! The report about a batch for people: a line for every program that needs attention, and how many
//! do not. Programs come one by one, so that a batch of any size fits.

use std::collections::{BTreeMap, BTreeSet};

use super::Style;
use super::lists::some_of;
use super::text::{Label, Page};
use super::units::{count, millimetres};
use super::versus::{self, Changes};
use crate::findings::{Change, FailOn, Outcome, ProgramOutcome, Touches, Versus};

/// Kinds of notices that are remembered.
const REMEMBERED: usize = 100;
/// Allowed pairs that are named.
const AUDITED_PAIRS: usize = 20;

/// Writes the report piece by piece.
pub struct BatchText<'o> {
    page: Page<'o>,
    changes: Changes,
    compared: usize,
    rechecked: usize,
    /// Programs that were audited, and allowed pairs that touched for a part of the time: in how
    /// many, and in which first.
    audited: usize,
    hidden: BTreeMap<(String, String), (usize, String)>,
    /// Notices of programs that have been said, by code and message.
    noticed: BTreeSet<(&'static str, String)>,
    /// Programs of which only such notices would be said again.
    noticed_again: usize,
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
            changes: Changes::default(),
            compared: 0,
            rechecked: 0,
            audited: 0,
            hidden: BTreeMap::new(),
            noticed: BTreeSet::new(),
            noticed_again: 0,
        }
    }

    /// The text about the next program; nothing if it is clear, within its limits, without near
    /// misses and notices, and as it was. What thousands of programs have alike is said of the first.
    pub fn program(&mut self, program: &ProgramOutcome) -> String {
        self.page.see(program);
        self.audit(program);
        let versus = program.baseline.as_ref();
        let said = versus.and_then(|v| self.versus(v, program));
        let good = Label::of(program) == Label::Clear && program.near_misses.is_empty();
        let is_new_notice = self.notice(program);
        if !good || said.is_some() || is_new_notice {
            self.page.program(program, true);
            if let Some(text) = said {
                self.page.detail("baseline", text);
            }
        } else {
            self.noticed_again += usize::from(!program.notices.is_empty());
        }
        std::mem::take(&mut self.page.out)
    }

    /// Counts as many more programs of which all that is said was said of this one.
    pub fn more_like(&mut self, program: &ProgramOutcome, more: usize) {
        self.page.more_like(program, more);
    }

    /// Takes in the notices of a program. Whether one of them has not been said yet, its place and
    /// its subject aside.
    fn notice(&mut self, program: &ProgramOutcome) -> bool {
        let mut is_new = false;
        for notice in &program.notices {
            let kind = (notice.code.as_str(), notice.message.clone());
            if self.noticed.contains(&kind) {
                continue;
            }
            is_new = true;
            // A batch may have a million of them.
            if self.noticed.len() < REMEMBERED {
                self.noticed.insert(kind);
            }
        }
        is_new
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
        self.changes.add(versus.change);
        match versus.change {
            Change::Clearance => {
                let now = program.minimum_clearance.as_ref().map(|m| m.distance);
                let show = |x: Option<f64>| x.map_or_else(|| "unknown".to_owned(), millimetres);
                Some(format!(
                    "least clearance {}, it was {}",
                    show(now),
                    show(versus.distance)
                ))
            }
            _ => versus::said(versus),
        }
    }

    /// The last lines. `gone` are programs that only the earlier run has.
    pub fn finish(mut self, gone: &[String], fail_on: &FailOn) -> String {
        if self.compared > 0 {
            self.comparison(gone);
        }
        self.audits();
        if self.noticed_again > 0 {
            let more = count(self.noticed_again, "more program");
            self.page.line(format!(
                "notices as above: {more}, clear (`--report json` has all)"
            ));
        }
        self.page.lists();
        self.page.guarantee();
        self.page.error();
        self.page.exit_code_note(fail_on);
        self.page.conclusion();
        self.page.out
    }

    fn comparison(&mut self, gone: &[String]) {
        let mut said = self.changes.said();
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
