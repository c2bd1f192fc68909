//! What an answer for a program takes in from the ways through it that it does not tell of: the
//! program is driven on any of them, and what is wrong on one is wrong.

use std::cmp::Reverse;

use crate::findings::{
    Code, Diagnostic, LimitViolation, MinimumClearance, NearMiss, ProgramOutcome, Severity, Verdict,
};

/// The answer for one way, and what holds on it: empty where there is nothing to say.
pub(super) struct WayAnswer<'w> {
    pub(super) name: &'w str,
    pub(super) answer: ProgramOutcome,
}

impl WayAnswer<'_> {
    /// `(on the way where …)`, as messages end with it.
    fn place(&self) -> String {
        match self.name {
            "" => "(on another way)".to_owned(),
            name => format!("(on the way where {name})"),
        }
    }
}

/// The way that is told: the first of those on which most is wrong.
pub(super) fn told(answers: &[ProgramOutcome]) -> Option<usize> {
    let wrong = |answer: &ProgramOutcome| {
        // `possible` says that the ideal motion is proved clear.
        let is_undecided = answer.verdict == Verdict::Undecided;
        let verdict = if is_undecided {
            Verdict::Possible
        } else {
            answer.verdict
        };
        (
            verdict,
            is_undecided,
            is_unsettled(answer),
            !answer.limits.is_empty(),
            !answer.near_misses.is_empty(),
            !answer.notices.is_empty(),
        )
    };
    (0..answers.len()).max_by_key(|&k| (wrong(&answers[k]), Reverse(k)))
}

fn is_unsettled(answer: &ProgramOutcome) -> bool {
    answer.unsettled || answer.verdict == Verdict::Unverified
}

/// Takes in what the other ways have beside the one that is told.
pub(super) fn take_in(told: &mut ProgramOutcome, others: Vec<WayAnswer>) {
    for other in others {
        let place = other.place();
        findings(told, &other, &place);
        if take_in_least(told, &other.answer) {
            told.unchecked.push(remark(
                Severity::Note,
                "least distances".to_owned(),
                format!("they are those of all ways; the time of one is that of its way {place}"),
            ));
        }
        let remarks = other.answer.notices.into_iter();
        let remarks = remarks.chain(other.answer.unchecked);
        for mut remark in remarks.filter(|remark| remark.severity != Severity::Note) {
            let kind = |d: &Diagnostic| (d.code, d.severity, d.subject.clone());
            let told_of = told.notices.iter().chain(&told.unchecked);
            let same: Vec<_> = told_of.filter(|d| kind(d) == kind(&remark)).collect();
            // A message of an earlier way may end with that way.
            let says_it = |d: &&Diagnostic| {
                let more = d.message.strip_prefix(&remark.message);
                more.is_some_and(|more| more.is_empty() || more.starts_with(" (on "))
            };
            if same.iter().any(says_it) {
                continue;
            }
            if !same.is_empty() {
                remark.message += &format!(" {place}");
            }
            told.add_remarks([remark]);
        }
    }
}

fn remark(severity: Severity, subject: String, message: String) -> Diagnostic {
    Diagnostic {
        subject,
        message,
        place: None,
        severity,
        code: Code::Way,
    }
}

fn findings(told: &mut ProgramOutcome, other: &WayAnswer, place: &str) {
    let answer = &other.answer;
    told.verdict = Verdict::of_parts(told.verdict, answer.verdict);
    if is_unsettled(answer) && !is_unsettled(told) {
        told.unsettled = true;
        let why = answer.error.as_deref();
        let why = why.unwrap_or("something is not settled");
        told.error.get_or_insert_with(|| format!("{why} {place}"));
    }
    told.given_up_after = told.given_up_after.or(answer.given_up_after);
    for violation in &answer.limits {
        limit(&mut told.limits, violation, other.name);
    }
    near_misses(told, answer, place);
    for turn in &answer.full_turns {
        if !told.full_turns.contains(turn) {
            told.full_turns.push(turn.clone());
        }
    }
    if told.audit != answer.audit {
        told.unchecked.push(remark(
            Severity::Unchecked,
            "what allowed pairs do".to_owned(),
            format!("it is told of one way, and is something else on another one {place}"),
        ));
    }
    if let (Some(known), Some(margin)) = (&mut told.margin, &answer.margin)
        && margin.times < known.times
    {
        *known = margin.clone();
        told.unchecked.push(remark(
            Severity::Note,
            "margin".to_owned(),
            format!("it is that of another way {place}"),
        ));
    }
}

/// Where pairs come near on another way, and do not, or not as near, on those that were taken in.
fn near_misses(told: &mut ProgramOutcome, other: &ProgramOutcome, place: &str) {
    let nearest = |list: &[NearMiss], a: &str, b: &str| {
        let of_pair = list.iter().filter(|m| (&*m.a, &*m.b) == (a, b));
        of_pair.map(|m| m.distance).fold(f64::INFINITY, f64::min)
    };
    let known = told.near_misses.clone();
    let is_nearer = |m: &&NearMiss| m.distance < nearest(&known, &m.a, &m.b);
    for miss in other.near_misses.iter().filter(is_nearer) {
        told.near_misses.push(miss.clone());
        told.unchecked.push(remark(
            Severity::Note,
            format!("near miss of {} and {}", miss.a, miss.b),
            format!("its times are those of another way {place}"),
        ));
    }
}

/// A limit that another way violates, where none does yet, or by less.
fn limit(known: &mut Vec<LimitViolation>, other: &LimitViolation, way: &str) {
    let beyond = |v: &LimitViolation| (v.value - v.limit).abs();
    let same =
        |v: &LimitViolation| (&v.joint, v.what, v.limit) == (&other.joint, other.what, other.limit);
    let there = known.iter().position(same);
    if there.is_some_and(|k| beyond(&known[k]) >= beyond(other)) {
        return;
    }
    let violation = LimitViolation {
        segment: None,
        way: Some(way.to_owned()),
        ..other.clone()
    };
    match there {
        Some(k) => known[k] = violation,
        None => known.push(violation),
    }
}

/// Takes in the least distances of another way. Whether any of them is now told.
fn take_in_least(told: &mut ProgramOutcome, other: &ProgramOutcome) -> bool {
    let mut taken = false;
    told.minimum_clearance = match (told.minimum_clearance.take(), &other.minimum_clearance) {
        (Some(mut known), Some(other)) => {
            taken |= lower(&mut known, other);
            Some(known)
        }
        _ => None,
    };
    told.minimum_by_class.retain_mut(|known| {
        let mut same = other.minimum_by_class.iter();
        let same = same.find(|other| other.class == known.class);
        if let Some(same) = same {
            taken |= lower(&mut known.least, &same.least);
        }
        same.is_some()
    });
    taken | take_in_pairs(told, other)
}

/// The same for single pairs. What one way does not list is farther apart there than it says.
fn take_in_pairs(told: &mut ProgramOutcome, other: &ProgramOutcome) -> bool {
    let mut taken = false;
    let bound = |of: &ProgramOutcome| of.others_farther_than.unwrap_or(0.0);
    let (own, others) = (bound(told), bound(other));
    let same = |a: &MinimumClearance, b: &MinimumClearance| (&a.a, &a.b) == (&b.a, &b.b);
    for known in &mut told.pair_minimums {
        match other.pair_minimums.iter().find(|pair| same(pair, known)) {
            Some(pair) => taken |= lower(known, pair),
            None => known.lower_bound = known.lower_bound.min(others),
        }
    }
    for pair in &other.pair_minimums {
        if !told.pair_minimums.iter().any(|known| same(known, pair)) {
            taken = true;
            told.pair_minimums.push(MinimumClearance {
                lower_bound: pair.lower_bound.min(own),
                ..pair.clone()
            });
        }
    }
    told.pair_minimums
        .sort_by(|a, b| a.distance.total_cmp(&b.distance));
    told.others_farther_than = match (told.others_farther_than, other.others_farther_than) {
        (Some(a), Some(b)) => Some(a.min(b)),
        _ => None,
    };
    taken
}

/// Takes in another least distance of the same bodies. Whether it is the lesser one.
fn lower(known: &mut MinimumClearance, other: &MinimumClearance) -> bool {
    let lower_bound = known.lower_bound.min(other.lower_bound);
    let is_less = other.distance < known.distance;
    if is_less {
        known.clone_from(other);
    }
    known.lower_bound = lower_bound;
    is_less
}
