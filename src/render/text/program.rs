//! The part of the text report about one program.

use std::fmt::Write;

use super::words::{how_close, joint_value, limit, meeting, near_miss, point, when};
use super::{Label, Page};
use crate::findings::{
    CollidingSphere, CollidingSpheres, Contact, Diagnostic, MinimumClearance, ProgramOutcome,
};
use crate::render::clock::{begins, duration, ends, snapshot};
use crate::render::notices::sentence;
use crate::render::units::{count, millimetres_down, millimetres_up, seconds_down};
use crate::render::{audit, errors, timeline};

/// Notices that are not said twice.
const REMEMBERED: usize = 100;

impl Page<'_> {
    pub(in crate::render) fn program(&mut self, program: &ProgramOutcome, many: bool) {
        let label = Label::of(program);
        let name = format!("{:<width$}", program.program, width = self.name_width);
        let mut rest = match (&program.first_contact, label) {
            (Some(contact), _) => when(contact, program),
            (None, Label::Clear | Label::Limit) => duration(program),
            _ => String::new(),
        };
        if let (Some(contact), true) = (&program.first_contact, many) {
            let _ = write!(rest, "  {} – {}", contact.a, contact.b);
        }
        self.labelled(label, &format!("{name}   {rest}"));
        if !many && self.outcome.error.is_none() {
            self.notices(&self.outcome.notices);
        }
        self.notices(&program.notices);
        if let Some(error) = &program.error {
            self.detail("why", error);
        }
        if let (Some(contact), false) = (&program.first_contact, many) {
            self.contact(contact, program);
        }
        if let (Some(facts), false) = (&program.timeline, many) {
            for (name, text) in timeline::lines(facts, program) {
                self.detail(name, text);
            }
        }
        for violation in &program.limits {
            self.detail("limit", limit(violation, program, self.outcome));
        }
        self.contacts(program);
        self.near_misses(program);
        self.minimum(program, many);
        if let Some(margin) = &program.margin {
            for (name, text) in errors::margin(margin, program, many) {
                self.detail(name, text);
            }
        }
        if let Some(audit) = &program.audit {
            for (name, text) in audit::lines(audit, program, self.outcome.resolution, many) {
                self.detail(name, text);
            }
        }
    }

    /// Notices that a reader must see first, each once.
    pub(in crate::render) fn notices(&mut self, notices: &[Diagnostic]) {
        for text in notices.iter().map(sentence) {
            if self.said.contains(&text) {
                continue;
            }
            self.detail("notice", &text);
            // A batch may have a million of them.
            if self.said.len() < REMEMBERED {
                self.said.insert(text);
            }
        }
    }

    fn contact(&mut self, contact: &Contact, program: &ProgramOutcome) {
        let (a, b) = (&contact.a, &contact.b);
        self.detail("who", format!("{a} against {b}"));
        self.detail(
            "how close",
            how_close(contact, program, self.outcome.resolution),
        );
        let place = if contact.distance > 0.0 {
            format!(
                "{} on {a}, {} on {b}",
                point(contact.point_a),
                point(contact.point_b)
            )
        } else {
            point(contact.point_a)
        };
        self.detail("where", format!("{place} (world, x y z in mm)"));
        if let Some(meeting) = meeting(contact, program) {
            self.detail("first", meeting);
        }
        let mut joints = self.joints(contact, program);
        if joints.is_empty() {
            joints.push_str("the cell has no joints");
        }
        self.detail("joints", joints);
        // A sampler proves nothing, and what is not settled is not proved.
        // Without certain times it says nothing either.
        let timeline = program.timeline.as_ref();
        let is_certain = timeline.is_none_or(|t| t.programs.iter().all(|p| !p.estimated));
        let proves = program.sampled.is_none() && !program.unsettled;
        if program.timed == Some(true) && proves && is_certain {
            let free = format!(
                "everything before {} is proved free",
                seconds_down(contact.free_until)
            );
            self.detail("free", free);
        }
        // Of a move the first line has said it.
        if let (true, Some(from), Some(to)) = (
            program.moves.is_empty(),
            program.lines.get(contact.segment),
            program.lines.get(contact.segment + 1),
        ) {
            let name = program.file();
            self.detail("line", format!("{name}:{from} → {name}:{to}"));
        }
    }

    /// Values of the joints that the program moves, in its order; of all joints if it moves none.
    fn joints(&self, contact: &Contact, program: &ProgramOutcome) -> String {
        let named =
            |name: &str, value: f64| format!("{name} {}", joint_value(self.outcome, name, value));
        let moved = program
            .joints
            .iter()
            .filter_map(|name| Some(named(name, *contact.joints.get(name)?)));
        let values: Vec<String> = moved.collect();
        if values.is_empty() {
            let all = contact.joints.iter();
            return all
                .map(|(name, &v)| named(name, v))
                .collect::<Vec<_>>()
                .join(", ");
        }
        values.join(", ")
    }

    /// Near misses, each a line: who, from when to when, and how near.
    fn near_misses(&mut self, program: &ProgramOutcome) {
        const SHOWN: usize = 8;
        for miss in program.near_misses.iter().take(SHOWN) {
            self.detail("near miss", near_miss(miss, program));
        }
        match program.near_misses.len().saturating_sub(SHOWN) {
            0 => {}
            more => self.detail(
                "",
                format!("and {} more in the JSON report", count(more, "interval")),
            ),
        }
        if self.outcome.warn_pairs > 0 && timeline::is_about_delays(program) {
            let (name, found) = if program.near_misses.is_empty() {
                ("near miss", "none without delay")
            } else {
                ("", "without delay only")
            };
            let text = format!("{found}: other delays are not searched for near misses");
            self.detail(name, text);
        }
    }

    fn contacts(&mut self, program: &ProgramOutcome) {
        for contact in &program.contacts {
            // Over all delays a pair has a first contact, but no interval.
            let when = match (contact.until, contact.delays.is_empty()) {
                (_, false) => {
                    let late = timeline::late(&contact.delays, program);
                    format!("first {}{late}", snapshot(contact.time, program))
                }
                (until, true) => {
                    let from = format!("from {}", begins(contact.free_until, program));
                    let when = match until {
                        Some(until) => format!("{from} until {}", ends(until, program)),
                        None => format!("{from} to the end"),
                    };
                    if program.sampled.is_some() {
                        format!("{when} (as sampled, not proved)")
                    } else {
                        when
                    }
                }
            };
            let close = how_close(contact, program, self.outcome.resolution);
            self.detail(
                "contact",
                format!("{} – {}  {when}: {close}", contact.a, contact.b),
            );
            if let Some(spheres) = &contact.spheres {
                self.spheres(contact, spheres);
            }
        }
    }

    /// The spheres that meet, by body: as many as anybody reads.
    fn spheres(&mut self, contact: &Contact, spheres: &CollidingSpheres) {
        const SHOWN: usize = 6;
        let sides = [(&contact.a, &spheres.a), (&contact.b, &spheres.b)];
        for ((body, spheres), total) in sides.into_iter().zip(spheres.count) {
            self.detail("spheres", format!("{} of {body}", count(total, "sphere")));
            for sphere in spheres.iter().take(SHOWN) {
                let CollidingSphere { rank, radius, .. } = sphere;
                let radius = millimetres_up(*radius);
                let center = point(sphere.center);
                self.detail("", format!("rank {rank}, centre {center}, radius {radius}"));
            }
            if total > SHOWN {
                let more = total - SHOWN;
                self.detail("", format!("and {more} more in the JSON report"));
            }
        }
    }

    fn minimum(&mut self, program: &ProgramOutcome, many: bool) {
        const SHOWN: usize = 5;
        let Some(least) = &program.minimum_clearance else {
            return;
        };
        let sentence = |m: &MinimumClearance| {
            format!(
                "{} – {}  {} {}{}, proved never below {}",
                m.a,
                m.b,
                millimetres_up(m.distance),
                snapshot(m.time, program),
                timeline::late(&m.delays, program),
                millimetres_down(m.lower_bound)
            )
        };
        self.detail("least", sentence(least));
        if many {
            return;
        }
        for kind in &program.minimum_by_class {
            self.detail(kind.class.as_str(), sentence(&kind.least));
        }
        // The nearest pair has just been named.
        let mut others = program
            .pair_minimums
            .iter()
            .filter(|m| (&m.a, &m.b) != (&least.a, &least.b));
        for pair in others.by_ref().take(SHOWN) {
            self.detail("", sentence(pair));
        }
        match others.count() {
            0 => {}
            more => self.detail(
                "",
                format!("and {} more in the JSON report", count(more, "pair")),
            ),
        }
        if let Some(farther) = program.others_farther_than {
            let farther = millimetres_down(farther);
            let which = if program.pair_minimums.is_empty() {
                "all pairs"
            } else {
                "all other pairs"
            };
            self.detail(
                "",
                format!("{which} are proved to stay farther apart than {farther}"),
            );
        }
    }
}
