//! The last lines of a report: what was looked at, and what the verdicts mean.

use super::Page;
use super::label::Label;
use super::summary::between;
use crate::findings::{Outcome, Verdict};
use crate::render::errors::budgets;
use crate::render::timeline::is_about_delays;
use crate::render::units::{count, millimetres_up, stated_millimetres};

impl Page<'_> {
    /// The meaning of the verdicts, in one sentence with its numbers.
    pub(in crate::render) fn guarantee(&mut self) {
        let outcome = self.outcome;
        let Some(worst) = self.seen.worst else {
            return;
        };
        // Without pairs there is no proof.
        if self.seen.pairs.is_some_and(|[_, most]| most == 0) {
            self.line("guarantee: none, because no pair of bodies was checked.");
            return;
        }
        let scope = format!(
            "{} of {}{}, {} of {}, threshold {}{}{}, resolution {}",
            self.checked_pairs(),
            count(outcome.bodies, "body"),
            allowed(outcome),
            self.instants(),
            self.path(),
            stated_millimetres(outcome.required_clearance),
            self.own_thresholds(),
            watched(outcome),
            stated_millimetres(outcome.resolution),
        );
        let meaning = self.meaning(worst);
        // Of what is unverified that has been said.
        let open = if self.seen.unsettled && worst > Verdict::Unverified {
            "; of programs that are not settled nothing is proved"
        } else {
            ""
        };
        self.line(format!("guarantee: {scope}: {meaning}{open}."));
        if !outcome.uncertainty.is_empty() {
            self.line(format!(
                "errors: clear is proved for every error within {}; contacts, near misses and least distances are those of the ideal motion.",
                budgets(&outcome.uncertainty)
            ));
        }
        if self.seen.coarseness > 0.0 {
            self.line(format!(
                "coarse: `{}` knows no exact triangles; what it calls contact may be up to {} farther apart than the threshold.",
                outcome.shape,
                millimetres_up(self.seen.coarseness)
            ));
        }
        if self.seen.contacts {
            self.line("Waypoints are counted from 1.");
        }
    }

    /// `the linear path`.
    fn path(&self) -> String {
        let laws = self.seen.interpolations.iter();
        let laws: Vec<&str> = laws.map(String::as_str).collect();
        match (laws.join(" or "), self.seen.moves) {
            (_, true) if laws.is_empty() => "the moves".to_owned(),
            (paths, true) => format!("the {paths} path or the moves"),
            (paths, false) => format!("the {paths} path"),
        }
    }

    /// `every instant`.
    fn instants(&self) -> String {
        match self.seen.instants {
            None => "every instant".to_owned(),
            Some(1) => "1 instant".to_owned(),
            Some(n) => format!("{n} instants"),
        }
    }

    /// `5 pairs`. Events change what is checked against what.
    fn checked_pairs(&self) -> String {
        match self.seen.pairs {
            Some([0, most]) if most > 0 => {
                format!("up to {}, as events change them,", count(most, "pair"))
            }
            Some([least, most]) if least < most => {
                format!("{}, as events change them,", between(least, most))
            }
            Some([_, pairs]) => count(pairs, "pair"),
            None => count(self.outcome.pairs, "pair"),
        }
    }

    /// ` (2 pairs with a threshold of their own, the least is 5 mm)`.
    fn own_thresholds(&self) -> String {
        let n = self.seen.own_thresholds;
        if n == 0 {
            return String::new();
        }
        let least = self.outcome.least_own_threshold;
        let least = least.map_or_else(String::new, |least| {
            format!(", the least is {}", stated_millimetres(least))
        });
        let pairs = count(n, "pair");
        format!(" ({pairs} with a threshold of their own{least})")
    }

    /// What the verdicts mean, where this is the worst of them.
    fn meaning(&self, worst: Verdict) -> &'static str {
        let samples = self.seen.instants.is_some();
        let coarse = self.seen.coarseness > 0.0;
        let some = |label: Label| self.seen.labels[label as usize] > 0;
        match worst {
            Verdict::Collision if samples && coarse => {
                "contact means as near to the threshold as the shape can tell; nothing is proved about what lies between the instants"
            }
            Verdict::Collision if samples => {
                "contact means the threshold or closer; nothing is proved about what lies between the instants"
            }
            Verdict::Possible => {
                "clear is proved; possible means that the ideal motion is proved clear, and that errors, or the way round a corner, \
                 may bring a pair to the threshold"
            }
            Verdict::Clear if some(Label::Unverified) => {
                "clear is proved to stay farther apart than the threshold; nothing is proved of what is unverified"
            }
            Verdict::Clear => "proved to stay farther apart than the threshold",
            Verdict::Collision if coarse => {
                "clear is proved, contact means as near to the threshold as the shape can tell, and what came before it is proved free"
            }
            Verdict::Collision => {
                "clear is proved, contact means the threshold or closer, and what came before it is proved free"
            }
            Verdict::Undecided => {
                "clear is proved; undecided means neither proved nor found in contact: nearer than threshold and resolution together, or given up"
            }
            Verdict::Unverified if some(Label::Clear) || some(Label::Limit) => {
                "clear is proved; of what is unverified only a part was checked, and the result is not settled"
            }
            Verdict::Unverified => "part of the cell was checked, and the result is not settled",
        }
    }
}

/// `, near misses below 10 mm`.
fn watched(outcome: &Outcome) -> String {
    let delay = if outcome.programs.iter().any(is_about_delays) {
        " (without delay only)"
    } else {
        ""
    };
    match (outcome.warn, outcome.warn_pairs) {
        (_, 0) => String::new(),
        (Some(warn), _) => format!(", near misses below {}{delay}", stated_millimetres(warn)),
        (None, n) => format!(", near misses of {}{delay}", count(n, "pair")),
    }
}

/// ` (2 more pairs are allowed to touch)`.
fn allowed(outcome: &Outcome) -> String {
    match outcome.allowed_pairs {
        0 => String::new(),
        1 => " (one more pair is allowed to touch)".to_owned(),
        n => format!(" ({n} more pairs are allowed to touch)"),
    }
}
