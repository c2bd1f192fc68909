//! The report for people: what a robot programmer wants to read at a glance. Millimetres and
//! degrees; waypoints are counted from 1.

use std::collections::BTreeSet;

use super::printable::line;
use super::wrap::wrap;
use crate::findings::{Code, FailOn, Outcome};
use seen::SeenNotes;

mod guarantee;
mod label;
mod program;
mod seen;
mod summary;
mod words;

pub(super) use label::Label;
pub(super) use words::{how_close, limit, near_miss, when};

/// Where the text of an indented line starts.
const INSET: usize = 13;

/// How the text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Colour the verdicts with ANSI codes.
    pub color: bool,
    /// Columns that a line may have, at least 40; `None`: lines are not broken, so that they can be
    /// searched.
    pub width: Option<usize>,
}

/// The outcome as text, with a line break at the end.
pub fn text(outcome: &Outcome, style: &Style) -> String {
    text_of_run(outcome, style, &FailOn::default())
}

/// The same for a run that fails by these findings.
pub fn text_of_run(outcome: &Outcome, style: &Style, fail_on: &FailOn) -> String {
    let longest = outcome.programs.iter().map(|p| p.program.chars().count());
    let mut page = Page::new(outcome, *style, longest.max().unwrap_or(0));
    page.write(fail_on);
    page.out
}

/// The result, in the one line that stands at the end of the text report, with a line break at the
/// end.
pub fn conclusion(outcome: &Outcome, style: &Style) -> String {
    let mut page = Page::new(outcome, *style, 0);
    outcome.programs.iter().for_each(|p| page.see(p));
    page.conclusion();
    page.out
}

pub(super) struct Page<'a> {
    pub(super) out: String,
    outcome: &'a Outcome,
    style: Style,
    name_width: usize,
    seen: SeenNotes,
    /// Notices that have been said: what the cell leaves open it leaves open for every program.
    said: BTreeSet<String>,
}

impl<'a> Page<'a> {
    /// An empty page; `longest` is the length of the longest name of a program.
    pub(super) fn new(outcome: &'a Outcome, style: Style, longest: usize) -> Self {
        Page {
            out: String::new(),
            outcome,
            style,
            name_width: longest.min(60),
            seen: SeenNotes::default(),
            said: BTreeSet::new(),
        }
    }

    /// The one way by which text gets onto the page: printable, and no wider than asked.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.broken(text.as_ref(), 4);
    }

    /// An indented line under a program.
    pub(super) fn detail(&mut self, name: &str, text: impl AsRef<str>) {
        self.broken(&format!("  {name:<10} {}", text.as_ref()), INSET);
    }

    /// A line that begins with a label in its colour.
    fn labelled(&mut self, label: Label, text: &str) {
        let start = self.out.len();
        let word = format!("{:<10}", label.as_str());
        self.broken(&format!("{word} {text}"), INSET);
        if self.style.color {
            let colored = format!("{}{word}\x1b[0m", label.color());
            self.out.replace_range(start..start + word.len(), &colored);
        }
    }

    fn broken(&mut self, text: &str, inset: usize) {
        self.out += &wrap(&line(text), self.style.width, inset);
        self.out.push('\n');
    }

    fn write(&mut self, fail_on: &FailOn) {
        let outcome = self.outcome;
        self.default_cell();
        self.error();
        let many = outcome.programs.len() > 1;
        if many || outcome.error.is_some() {
            self.notices(&outcome.notices);
        }
        for program in &outcome.programs {
            self.see(program);
            // The cell's own error has been said; it is every program's error.
            if outcome.error.is_some() && program.error == outcome.error {
                continue;
            }
            self.program(program, many);
        }
        self.lists();
        self.guarantee();
        self.exit_code_note(fail_on);
        // A terminal shows the end of what is long.
        self.conclusion();
    }

    /// Which cell was taken, where nobody named it.
    pub(super) fn default_cell(&mut self) {
        let mut notes = self.outcome.notes.iter();
        if let Some(note) = notes.find(|n| n.code == Code::DefaultCell) {
            self.line(format!("cell: {} ({})", note.subject, note.message));
        }
    }

    /// Why there is no answer, or not the whole one.
    pub(super) fn error(&mut self) {
        if let Some(error) = &self.outcome.error {
            self.labelled(Label::Unverified, &self.outcome.cell);
            self.detail("why", error);
        }
    }
}
