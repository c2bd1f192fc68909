//! The pairs of a cell file: what is left out, what may touch, and thresholds of single pairs.

use clearance_proof::model::{Allowance, AllowedBy, PairThreshold, matches};
use clearance_proof::report::Code;

use super::bodies::ATTACH;
use super::reader::{CellReader, section, warn};
use super::table::{Table, TableValue};
use crate::notes::note_at;
use crate::{ImportError, Problem, names};

impl CellReader {
    /// `[[unchecked]]`: links without collision geometry that somebody leaves out of the check,
    /// with a reason.
    pub(super) fn left_out(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "unchecked", "[[unchecked]]", &["link", "reason"])? {
            let link = table.required("link")?;
            let pattern = link.name()?;
            let reason = table.required("reason")?.name()?.trim();
            let cell = &mut self.builder.loaded.cell;
            let mut idle = true;
            for remark in &mut cell.unchecked {
                let code = [
                    Code::UncheckedLink,
                    Code::UncheckedBody,
                    Code::UncheckedMass,
                ];
                if code.contains(&remark.code) && matches(pattern, &remark.subject) {
                    remark.message = format!("left out by [[unchecked]]: {reason}");
                    remark.code = Code::Accepted;
                    remark.place = Some(link.place());
                    idle = false;
                }
            }
            let known = cell.bodies.iter().any(|b| matches(pattern, &b.name));
            if idle && known {
                let why = format!(
                    "[[unchecked]] `{pattern}` leaves nothing out: what it matches has collision geometry and is checked, or has \
                     none at all"
                );
                cell.notes
                    .push(note_at(Code::IdleUnchecked, link.place(), why));
            }
            self.note_stale(&link)?;
        }
        Ok(())
    }

    pub(super) fn allowances(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "allow", "[[allow]]", &["a", "b", "reason"])? {
            let (a, b) = self.patterns(&table)?;
            let reason = table
                .get("reason")
                .map_or(Ok(""), |v| v.string())?
                .to_owned();
            self.builder.loaded.cell.allowed.push(Allowance {
                a,
                b,
                reason,
                by: AllowedBy::Cell,
            });
        }
        // Read when all bodies are there: an attachment may touch an obstacle.
        for table in section(root, "attach", "[[attach]]", &ATTACH)? {
            for touch in table.get("touch").map_or(Ok(Vec::new()), |v| v.list())? {
                self.note_stale(&touch)?;
                self.builder.loaded.cell.allowed.push(Allowance {
                    a: table.required("name")?.name()?.to_owned(),
                    b: touch.name()?.to_owned(),
                    reason: String::new(),
                    by: AllowedBy::Touch,
                });
            }
        }
        Ok(())
    }

    pub(super) fn thresholds(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "pair", "[[pair]]", &["a", "b", "clearance", "warn"])? {
            let [a, b] = ["a", "b"].map(|key| self.known_bodies(&table, key));
            let (a, b) = (a?, b?);
            let clearance = table.required("clearance")?.length_from_zero()?;
            let warn = warn(&table, clearance)?;
            self.builder.loaded.cell.thresholds.push(PairThreshold {
                a,
                b,
                clearance,
                warn,
                place: Some(table.place()),
            });
        }
        Ok(())
    }

    /// A name or pattern that a distance is to be held by: without a body it would not be held at all.
    fn known_bodies(&self, table: &Table, key: &'static str) -> Result<String, ImportError> {
        let value = table.required(key)?;
        let pattern = value.name()?;
        let bodies = &self.builder.loaded.cell.bodies;
        let names = bodies.iter().map(|b| b.name.as_str());
        if names.clone().any(|name| matches(pattern, name)) {
            return Ok(pattern.to_owned());
        }
        Err(value.error(Problem::UnknownName {
            what: "body",
            name: pattern.to_owned(),
            remedy: names::suggestion(pattern, names),
        }))
    }

    fn patterns(&mut self, table: &Table) -> Result<(String, String), ImportError> {
        let (a, b) = (table.required("a")?, table.required("b")?);
        self.note_stale(&a)?;
        self.note_stale(&b)?;
        Ok((a.name()?.to_owned(), b.name()?.to_owned()))
    }

    /// A pattern that matches no body does nothing: whoever wrote it must hear of it.
    fn note_stale(&mut self, value: &TableValue) -> Result<(), ImportError> {
        let pattern = value.name()?;
        if self.builder.body(pattern).is_some() {
            return Ok(());
        }
        let cell = &mut self.builder.loaded.cell;
        let names = cell.bodies.iter().map(|b| b.name.as_str());
        if names.clone().any(|n| matches(pattern, n)) {
            return Ok(());
        }
        let near = names::nearest(pattern, names)
            .map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        cell.notes.push(note_at(
            Code::StaleName,
            value.place(),
            format!("stale name: `{pattern}` matches no body{near}"),
        ));
        Ok(())
    }
}
