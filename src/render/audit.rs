//! The part of reports about allowed pairs.

use super::clock::{begins, ends, snapshot};
use super::lists::some_of;
use super::units::{count, millimetres_down, millimetres_up, stated_millimetres};
use crate::findings::{
    AllowanceEffect, AllowanceSource, AllowedContact, Audit, AuditedAllowance, AuditedPair,
    ContactKind, ProgramOutcome, Touches,
};

/// Contacts that are shown of one program.
const SHOWN: usize = 12;

/// Lines of the text report about the audit of a program, one of `many`: name and text. Of many,
/// what the cell's files say is not repeated for each.
pub(super) fn lines(
    audit: &Audit,
    program: &ProgramOutcome,
    resolution: f64,
    many: bool,
) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let here: Vec<_> = hidden(audit).collect();
    for (allowance, pair, contact) in here.iter().take(SHOWN) {
        let text = sentence(pair, contact, program, resolution);
        lines.push(("allowed", format!("{text} ({})", source(allowance))));
    }
    match here.len().saturating_sub(SHOWN) {
        0 => {}
        more => lines.push((
            "",
            format!("and {} more in the JSON report", count(more, "contact")),
        )),
    }
    lines.push(("audit", totals(audit)));
    if many {
        return lines;
    }
    for (touches, what) in [
        (
            Touches::Always,
            "all the time, although they move against each other",
        ),
        (
            Touches::Fixed,
            "all the time, since they keep their places relative to each other",
        ),
    ] {
        // Several allowances may hold for one pair, one after the other.
        let mut names: Vec<String> = Vec::new();
        for pair in of(audit, touches) {
            let name = format!("{} – {}", pair.a, pair.b);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if !names.is_empty() {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            lines.push(("", format!("{what}: {}", some_of(&names))));
        }
    }
    lines.push(("", allowances(audit)));
    lines.extend(stale_by_file(audit).map(|text| ("stale", text)));
    lines
}

/// Contacts that are there for a part of the time, by time.
pub(super) fn hidden(
    audit: &Audit,
) -> impl Iterator<Item = (&AuditedAllowance, &AuditedPair, &AllowedContact)> {
    let here = |(_, pair): &(_, &AuditedPair)| pair.touches == Touches::Here;
    let mut all: Vec<_> = audit
        .pairs()
        .filter(here)
        .flat_map(|(x, pair)| pair.contacts.iter().map(move |c| (x, pair, c)))
        .collect();
    all.sort_by(|x, y| x.2.entered.total_cmp(&y.2.entered));
    all.into_iter()
}

/// A name in allowances that stands for nothing.
pub(super) struct Stale<'a> {
    pub name: &'a str,
    /// The first allowance that has it, and how many do.
    pub first: &'a AuditedAllowance,
    count: usize,
}

/// Names that stand for nothing, each once: an SRDF of another variant has them in hundreds of
/// pairs.
pub(super) fn stale(audit: &Audit) -> impl Iterator<Item = Stale<'_>> {
    let mut all: Vec<Stale> = Vec::new();
    for allowance in &audit.allowances {
        for name in &allowance.missing {
            match all.iter_mut().find(|s| s.name == name) {
                Some(known) => known.count += 1,
                None => all.push(Stale {
                    name,
                    first: allowance,
                    count: 1,
                }),
            }
        }
    }
    all.into_iter()
}

/// `arm.srdf: 521 allowances name what is not in this cell: spare_tool (26, from line 307), …`, for
/// every file.
fn stale_by_file(audit: &Audit) -> impl Iterator<Item = String> {
    let mut files: Vec<(&str, usize, Vec<Stale>)> = Vec::new();
    for stale in stale(audit) {
        let file = stale.first.at.file.as_str();
        match files.iter_mut().find(|(f, ..)| *f == file) {
            Some((.., names)) => names.push(stale),
            None => {
                let named = |x: &&AuditedAllowance| !x.missing.is_empty() && x.at.file == file;
                let all = audit.allowances.iter().filter(named).count();
                files.push((file, all, vec![stale]));
            }
        }
    }
    files.into_iter().map(|(file, all, names)| {
        let shown = names.iter().take(SHOWN).map(|stale| {
            let n = stale.count;
            match stale.first.at.line {
                Some(line) if n > 1 => format!("{} ({n}, from line {line})", stale.name),
                Some(line) => format!("{} (line {line})", stale.name),
                None => stale.name.to_owned(),
            }
        });
        let shown: Vec<String> = shown.collect();
        let more = match names.len().saturating_sub(SHOWN) {
            0 => String::new(),
            n => format!(" and {} in the JSON report", count(n, "more name")),
        };
        let verb = if all == 1 { "names" } else { "name" };
        format!(
            "{file}: {} {verb} what is not in this cell: {}{more}",
            count(all, "allowance"),
            shown.join(", ")
        )
    })
}

impl Stale<'_> {
    pub(super) fn sentence(&self) -> String {
        let first = self.first;
        let more = match self.count {
            1 => String::new(),
            n => format!(", and in {} more", n - 1),
        };
        format!(
            "`{}` is nothing in this cell: {} – {}{more} ({})",
            self.name,
            first.a,
            first.b,
            source(first)
        )
    }
}

fn of(audit: &Audit, touches: Touches) -> impl Iterator<Item = &AuditedPair> {
    audit
        .pairs()
        .map(|(_, pair)| pair)
        .filter(move |pair| pair.touches == touches)
}

/// `78 allowed pairs: 1 comes within its threshold for a part of the time, 12 are within theirs all the time, 65 never`.
fn totals(audit: &Audit) -> String {
    let number = |touches| audit.count_pairs(touches);
    let [here, never] = [Touches::Here, Touches::Never].map(number);
    let always = number(Touches::Always) + number(Touches::Fixed);
    let all = here + always + never;
    if all == 0 {
        return "no pair is left out because somebody allows it".to_owned();
    }
    let verb = |n: usize, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
    let mut parts = Vec::new();
    if here > 0 {
        let verb = verb(
            here,
            "comes within its threshold",
            "come within their thresholds",
        );
        parts.push(format!("{verb} for a part of the time"));
    }
    if always > 0 {
        let verb = verb(
            always,
            "is within its threshold",
            "are within their thresholds",
        );
        parts.push(format!("{verb} all the time"));
    }
    match (parts.is_empty(), never) {
        (true, _) => parts.push("none comes within its threshold".to_owned()),
        (false, 0) => {}
        (false, n) => parts.push(format!("{n} never")),
    }
    format!("{}: {}", count(all, "allowed pair"), parts.join(", "))
}

/// `90 allowances: 2 hid a contact, 12 only contacts that are there all the time, 65 nothing along this program, …`.
fn allowances(audit: &Audit) -> String {
    let number = |effect| audit.count(effect);
    let parts: Vec<String> = [
        (AllowanceEffect::Hid, "hid a contact that comes and goes"),
        (
            AllowanceEffect::Standing,
            "hid only contacts that are there all the time",
        ),
        (AllowanceEffect::Nothing, "hid nothing along this program"),
        (
            AllowanceEffect::Idle,
            "without effect (neighbours, no geometry, said twice)",
        ),
        (AllowanceEffect::Stale, "stale"),
    ]
    .iter()
    .filter(|(effect, _)| number(*effect) > 0)
    .map(|(effect, what)| format!("{} {what}", number(*effect)))
    .collect();
    let all = count(audit.allowances.len(), "allowance");
    if parts.is_empty() {
        all
    } else {
        format!("{all}: {}", parts.join(", "))
    }
}

/// `arm/link_5 – gripper: from 1.200 s until 3.400 s, at least 2.1 mm deep in each other at 2.300 s`.
pub(super) fn sentence(
    pair: &AuditedPair,
    contact: &AllowedContact,
    program: &ProgramOutcome,
    resolution: f64,
) -> String {
    let near = || millimetres_up(contact.distance);
    let close = match (contact.kind, contact.depth) {
        (_, Some(depth)) => format!("at least {} deep in each other", millimetres_down(depth)),
        (ContactKind::Inside, None) => "one is wholly inside the other".to_owned(),
        (ContactKind::Contact, None) if contact.distance <= 0.0 => {
            "the surfaces touch or cross".to_owned()
        }
        (ContactKind::Contact, None) => format!("{} apart", near()),
        // Allowed pairs are looked at without errors.
        (ContactKind::Possible, None) => format!("{} apart", near()),
        (ContactKind::Unresolved, None) => format!(
            "{} apart, not separable from the threshold at {}",
            near(),
            stated_millimetres(resolution)
        ),
    };
    format!(
        "{} – {}: from {} until {}, {close} {}",
        pair.a,
        pair.b,
        begins(contact.entered, program),
        ends(contact.left, program),
        snapshot(contact.time, program)
    )
}

/// Who allows it, and why.
pub(super) fn source(allowance: &AuditedAllowance) -> String {
    let by = match (allowance.by, allowance.at.line) {
        (AllowanceSource::Allow, _) => "[[allow]]".to_owned(),
        (AllowanceSource::Touch, _) => "touch".to_owned(),
        (_, Some(line)) => format!("{}:{line}", allowance.at.file),
        (_, None) => allowance.at.file.clone(),
    };
    match allowance.reason.as_str() {
        "" => by,
        reason => format!("{by}: {reason}"),
    }
}
