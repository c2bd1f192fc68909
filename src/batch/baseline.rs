//! Which answers of an earlier run still hold in a cell that has changed.
//!
//! An answer depends on the program, the question, what moves, and what stands still. If only what
//! stands still differs, an answer holds as long as no changed body was or is near: the boxes that
//! a moving body sweeps (see [`clearance_proof::check::swept_boxes`]) stay farther than D + ε from
//! the boxes of the body at its old and at its new place, which hold its inside too where that is
//! solid. Then the pair is more than D apart at every instant in both cells, separably so, and
//! everything else is the same. With a least clearance the distance must also exceed those that
//! were attained, of every class of pairs, so that the changed body is not the nearest one.
//!
//! Nothing is taken over where there was no pair at all or is none now, and, with a least
//! clearance, where a class has its first pair or has lost its last one. What allowed pairs do is
//! not covered by this: with an audit of them an answer holds in the very same cell only.
//!
//! Swept boxes are found when they are asked for. They hang on the program and on what moves, and
//! where one of these is not as it was no answer is taken over: so they are those of the earlier
//! run, too.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::names::in_order;
use super::record::{Corners, Earlier, Record, ResultHeader, StandingBody};
use super::result_file::{BASELINE, LinePlace, ResultFileContent, few, line_at, read_results};
use crate::error::Error;
use crate::findings::{Verdict, Versus};

/// More than the rounding of boxes in files, metres.
const SLACK_M: f64 = 1e-3;

/// A result file to compare with.
pub(super) struct Baseline {
    pub(super) earlier: Earlier,
    path: PathBuf,
    content: ResultFileContent,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let content = read_results(path, &BASELINE)?;
        let mut hasher = blake3::Hasher::new();
        let failed = |e: std::io::Error| Error::unreadable(path, e);
        let mut file = &content.file;
        file.rewind().map_err(failed)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer).map_err(failed)? {
                0 => break,
                n => hasher.update(&buffer[..n]),
            };
        }
        Ok(Self {
            earlier: Earlier {
                file: path.display().to_string(),
                hash: hasher.finalize().to_hex().to_string(),
            },
            path: path.to_owned(),
            content,
        })
    }

    /// Finds out what differs between the two cells, and says so in `news`.
    pub(super) fn against(self, new: &ResultHeader, news: &mut Vec<String>) -> BaselineComparison {
        let old = &self.content.header;
        let file = &self.earlier.file;
        let everything = match () {
            () if old.version != new.version => {
                Some(format!("it was made by version {}", old.version))
            }
            () if old.build != new.build => {
                Some("it was made by another build of clearance".to_owned())
            }
            () if old.options != new.options => Some("its options differ".to_owned()),
            () if old.moving_hash != new.moving_hash || old.moving != new.moving => Some(
                "robot, tools, pairs among them, kinds of pairs or open questions changed"
                    .to_owned(),
            ),
            // An audit of allowed pairs has no boxes that would tell whether a change concerns it.
            // Nor has the greatest budget that is still clear: anything may limit it.
            () if new.options.margin && old.cell_hash != new.cell_hash => {
                Some("the cell changed, and a margin may be limited by anything in it".to_owned())
            }
            () if new.options.audit_allowed && old.cell_hash != new.cell_hash => {
                Some("the cell changed, and allowed pairs with it".to_owned())
            }
            () => None,
        };
        news.extend(few(&self.content.damaged));
        if self.content.footer.is_none() {
            news.push(format!(
                "{file}: that run did not come to its end; programs that it lacks count as new"
            ));
        }
        if let Some(shard) = &old.batch.shard {
            news.push(format!(
                "{file}: it is of shard {shard} alone; programs that it lacks count as new"
            ));
        }
        let (zones, changed) = zones(&old.standing, &new.standing);
        match &everything {
            Some(why) => news.push(format!("{file}: {why}: every program is verified again")),
            None if old.cell_hash == new.cell_hash => {
                news.push(format!(
                    "{file}: the cell is the same: only changed programs are verified again"
                ));
            }
            // Allowances and thresholds of bodies that only events bring together.
            None if changed.is_empty() => {
                news.push(format!(
                    "{file}: what the cell says of pairs that stand still differs: programs with events or moves are verified again"
                ));
            }
            None => news.push(format!(
                "{file}: {}: programs that come near are verified again",
                changed.join(", ")
            )),
        }
        BaselineComparison {
            everything: everything.is_some(),
            same_cell: old.key == new.key,
            resolution: new.options.resolution,
            minimum: new.options.minimum,
            minimum_pairs: new.options.minimum_pairs,
            zones,
            changed_bodies: changed_names(&old.standing, &new.standing),
            programs: self
                .content
                .programs
                .into_iter()
                .map(|(name, (place, _))| (name, place))
                .collect(),
            path: self.path,
            file: Mutex::new(self.content.file),
        }
    }
}

/// An earlier run, and what has changed since.
pub(super) struct BaselineComparison {
    everything: bool,
    /// Whether question and cell are those of the earlier run.
    same_cell: bool,
    resolution: f64,
    minimum: bool,
    minimum_pairs: Option<f64>,
    zones: Vec<SweptZone>,
    changed_bodies: Vec<String>,
    programs: HashMap<String, LinePlace>,
    path: PathBuf,
    file: Mutex<File>,
}

/// A place where something was or is that has changed.
pub(super) struct SweptZone {
    boxes: Vec<Corners>,
    /// Moving bodies that are checked against it, with the distance that says nothing any more,
    /// metres.
    pairs: Vec<(usize, f64)>,
}

impl BaselineComparison {
    /// The earlier record of a program.
    pub(super) fn record(&self, name: &str) -> Result<Option<Record>, Error> {
        let Some(&place) = self.programs.get(name) else {
            return Ok(None);
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let text = line_at(&mut file, place).map_err(|e| Error::unreadable(&self.path, e))?;
        Record::read(&text)
            .map(Some)
            .map_err(|e| Error::unreadable(&self.path, e))
    }

    /// Whether an earlier answer holds, for a program whose file now has this hash. `swept` finds
    /// a box for every moving body that holds it at every instant of the program; none without a
    /// path.
    pub(super) fn holds(
        &self,
        old: &Record,
        hash: Option<&str>,
        swept: &dyn Fn() -> Option<Vec<Corners>>,
    ) -> bool {
        let same_program = hash.is_some() && old.hash.as_deref() == hash;
        if self.everything || !same_program || old.outcome.given_up_after.is_some() {
            return false;
        }
        // Same question and same cell: the answer holds whatever moves where. (Programs of moves
        // have no boxes, so this comes first.)
        if self.same_cell && old.outcome.verdict != Verdict::Unverified {
            return true;
        }
        // Coarse shapes are found in contact from farther away than their boxes are apart.
        if old.outcome.coarseness.is_some() {
            return false;
        }
        let attained = match (&old.outcome.minimum_clearance, self.minimum) {
            // A changed body may now be the nearest of its class: it must be farther away than the
            // least distance so far.
            (Some(least), _) => {
                let classes = old.outcome.minimum_by_class.iter();
                let distances = classes.map(|c| c.least.distance);
                distances.fold(least.distance, f64::max)
            }
            (None, false) => 0.0,
            (None, true) => return false,
        };
        // A changed body may now belong on the list of near pairs: it must be farther away than
        // that limit.
        let attained = attained.max(self.minimum_pairs.unwrap_or(0.0));
        let Some(swept) = swept() else {
            return false;
        };
        self.zones.iter().all(|zone| {
            zone.pairs.iter().all(|&(mover, least)| {
                let keep_off = least.max(attained) + self.resolution + SLACK_M;
                swept.get(mover).is_some_and(|swept| {
                    zone.boxes
                        .iter()
                        .all(|held| distance(swept, held) > keep_off)
                })
            })
        })
    }

    /// The record for an answer that holds. What it said about pairs with a changed body does not.
    pub(super) fn carried(&self, old: &Record) -> Record {
        let mut record = old.clone();
        record.outcome.baseline = Some(Versus::new(Some(&old.outcome), &old.outcome, false));
        let changed = |name: &String| self.changed_bodies.contains(name);
        record
            .outcome
            .pair_minimums
            .retain(|m| !changed(&m.a) && !changed(&m.b));
        record
    }

    /// Programs that the earlier run knows and that are not among these.
    pub(super) fn gone(&self, now: impl Iterator<Item = String>) -> Vec<String> {
        let now: std::collections::HashSet<String> = now.collect();
        let mut gone: Vec<String> = self
            .programs
            .keys()
            .filter(|name| !now.contains(*name))
            .cloned()
            .collect();
        gone.sort_by(|a, b| in_order(a.as_ref(), b.as_ref()));
        gone
    }
}

/// A lower bound on the distance of two boxes; NaN, which no file of ours has, for boxes that are
/// none.
fn distance(a: &Corners, b: &Corners) -> f64 {
    let gaps = (0..3).map(|axis| (a[axis] - b[axis + 3]).max(b[axis] - a[axis + 3]).max(0.0));
    gaps.map(|gap| gap * gap).sum::<f64>().sqrt()
}

/// Old and new places of everything that differs, and what differs in words.
pub(super) fn zones(old: &[StandingBody], new: &[StandingBody]) -> (Vec<SweptZone>, Vec<String>) {
    let mut zones = Vec::new();
    let mut words = Vec::new();
    let zone = |body: &StandingBody| SweptZone {
        boxes: body.boxes.clone(),
        pairs: body
            .pairs
            .iter()
            .map(|&(mover, _, keep_off)| (mover, keep_off))
            .collect(),
    };
    for body in old {
        match new.iter().find(|b| b.name == body.name) {
            None => words.push(format!("`{}` is gone", body.name)),
            Some(now) => match difference(body, now) {
                None => continue,
                Some(what) => {
                    words.push(format!("`{}` {what}", body.name));
                    zones.push(zone(now));
                }
            },
        }
        zones.push(zone(body));
    }
    for body in new {
        if !old.iter().any(|b| b.name == body.name) {
            words.push(format!("`{}` is new", body.name));
            zones.push(zone(body));
        }
    }
    (zones, words)
}

fn difference(old: &StandingBody, new: &StandingBody) -> Option<&'static str> {
    match () {
        () if old.hash != new.hash => Some("has another shape or budget of errors"),
        () if old.pose != new.pose => Some("stands elsewhere"),
        () if old.pairs != new.pairs => {
            Some("is checked against other bodies or with other thresholds")
        }
        () => None,
    }
}

fn changed_names(old: &[StandingBody], new: &[StandingBody]) -> Vec<String> {
    let changed = |a: &[StandingBody], b: &[StandingBody]| -> Vec<String> {
        a.iter()
            .filter(|x| {
                b.iter()
                    .find(|y| y.name == x.name)
                    .is_none_or(|y| difference(x, y).is_some())
            })
            .map(|x| x.name.clone())
            .collect()
    };
    let mut names = changed(old, new);
    names.extend(changed(new, old));
    names
}
