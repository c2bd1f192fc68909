//! Single configurations: what a jogging panel or a planner asks, thousands of times a second.

use std::path::PathBuf;
use std::sync::Arc;

use clearance_formats::json_words_in_line;
use clearance_methods::backends::DistanceRange;
use clearance_methods::backends::balls::{Balls, NearestParts, QueryTally};
use clearance_methods::balls::BallTree;
use clearance_proof::ProofError;
use clearance_proof::check::Snapshot;
use clearance_proof::check::nearest::Near;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::{Column, JointId, Program, Quantity, Trajectory, Waypoint};
use serde_json::Value;

use super::limits::violations;
use super::uncovered::{nothing_checked, open_question};
use super::unreachable::least_possible;
use super::{Prepared, Settings};
use crate::error::Error;
use crate::findings::{ContactKind, DistanceAnswer, PairDistance, Verdict};

/// Answers for one configuration after the other in one cell.
#[derive(Debug)]
pub struct Configurations<'p> {
    prepared: &'p Prepared,
    settings: Settings,
    scene: Scene<'p>,
    /// Joints in the order that an array of values has.
    order: Vec<JointId>,
    snapshot: Snapshot,
    /// Why the cell leaves the question open, if it does: then nothing is clear.
    open: Option<String>,
    /// Where the nearest pair need not be known exactly: what to ask, and over what.
    ranged: Option<(DistanceRange, Vec<Arc<BallTree>>)>,
    /// By pair, what it cannot come nearer than within the limits of the joints, metres; empty:
    /// nothing is known.
    known: Vec<f64>,
}

impl<'p> Configurations<'p> {
    /// Gets ready.
    pub fn new(prepared: &'p Prepared, settings: Settings) -> Self {
        let cell = &prepared.loaded.cell;
        let free = |&joint: &JointId| cell.joints[joint].mimic.is_none();
        Self {
            prepared,
            settings,
            scene: Scene::new(cell, &prepared.trees, &prepared.pairs, settings.clearance),
            order: (0..cell.joints.len()).filter(free).collect(),
            snapshot: Snapshot::default(),
            ranged: None,
            known: Vec::new(),
            open: (prepared.unchecked.iter())
                .chain(&prepared.notes)
                .chain(&prepared.notices)
                .find(|remark| remark.is_open())
                .cloned()
                .or_else(|| {
                    prepared
                        .pairs
                        .checked
                        .is_empty()
                        .then(|| nothing_checked(cell))
                })
                .map(|remark| open_question(&remark, 1)),
        }
    }

    /// The same where the nearest pair need not be known exactly: nothing beyond `range.max` is of
    /// interest, the search ends once something is as near as `range.min`, and the distance may be
    /// told too small by the share `range.tolerance`. What is within its threshold is told exactly
    /// all the same.
    ///
    /// # Errors
    /// When the trees for it cannot be built.
    pub fn in_range(mut self, range: DistanceRange) -> Result<Self, Error> {
        let trees = {
            let balls = Balls::compact(&self.scene)?;
            balls.trees().to_vec()
        };
        self.ranged = Some((range, trees));
        Ok(self)
    }

    /// The same with tables of which pairs can come how near while all joints stay within their
    /// limits: they are made now, and used for every configuration within the limits (which is
    /// judged here without what reports allow for printed digits).
    pub fn with_tables(mut self) -> Self {
        let least = least_possible(self.prepared, self.settings.clearance);
        self.known = least
            .into_iter()
            .map(|least| least.unwrap_or(0.0))
            .collect();
        self
    }

    /// The joints that an array of values stands for, in order: all but those that follow another
    /// one.
    pub fn joints(&self) -> Vec<String> {
        let label = |&joint: &JointId| self.prepared.loaded.cell.joint_label(joint);
        self.order.iter().map(label).collect()
    }

    /// Answers one line: a JSON object from joint names to values, or an array of values for
    /// [`Configurations::joints`], in radians and metres. Joints that an object does not name keep
    /// the cell's values.
    pub fn answer(&mut self, line: usize, text: &str) -> DistanceAnswer {
        self.attempt(line, text)
            .unwrap_or_else(|error| DistanceAnswer::refused(line, error.to_string()))
    }

    fn attempt(&mut self, line: usize, text: &str) -> Result<DistanceAnswer, Error> {
        let values = self.values(text)?;
        let trajectory = self.stand(line, values)?;
        self.snapshot.set(&self.scene, &trajectory.segments[0], 0.0);
        let stands = &trajectory.segments[0];
        let known: &[f64] = if self.scene.least_possible_holds(stands) {
            &self.known
        } else {
            &[]
        };
        let found = match self.ranged {
            Some(_) => self.scene.contacts_at_instant(&mut self.snapshot, known),
            None => self.scene.at_instant(&mut self.snapshot, known),
        };
        let mut nearest = found.nearest;
        let mut at_least = None;
        if let Some((range, trees)) = &self.ranged {
            let balls = Balls::over(&self.scene, trees.clone());
            let pairs = self.scene.part_pairs.iter().enumerate();
            let within = pairs.filter(|(_, p)| known.get(p.pair).is_none_or(|&d| d < range.max));
            let within: Vec<usize> = within.map(|(index, _)| index).collect();
            let least = balls.least(
                within,
                &mut self.snapshot,
                *range,
                &mut QueryTally::default(),
            );
            // Pairs that were left out are beyond the range.
            at_least = Some(least.at_least.min(range.max));
            nearest = nearest.filter(|near| near.kind == ContactKind::Inside);
            if nearest.is_some() {
                at_least = Some(0.0);
            }
            nearest = nearest.or_else(|| Some(self.near(&least.nearest?)));
        }
        let beyond = if self.settings.limits {
            violations(&self.prepared.loaded.cell, &trajectory)
        } else {
            Vec::new()
        };
        Ok(DistanceAnswer {
            line,
            verdict: match (found.contacts.is_empty(), &self.open) {
                (false, _) => Verdict::Collision,
                (true, Some(_)) => Verdict::Unverified,
                (true, None) => Verdict::Clear,
            },
            nearest: nearest.map(|near| self.named(&near)),
            at_least,
            contacts: found.contacts.iter().map(|near| self.named(near)).collect(),
            beyond_limits: beyond.into_iter().map(|v| v.joint).collect(),
            error: self.open.clone(),
        })
    }

    /// Joint names and values of a line.
    fn values(&self, text: &str) -> Result<Vec<(String, f64)>, Error> {
        let number = |name: &str, value: &Value| {
            let value = value.as_f64().filter(|v| v.is_finite());
            value.ok_or_else(|| {
                Error::usage(format!(
                    "the value of `{name}` is not a number; write radians or metres"
                ))
            })
        };
        match serde_json::from_str(text) {
            Ok(Value::Object(_)) => {
                let Members(named) = serde_json::from_str(text)
                    .map_err(|cause| Error::usage(json_words_in_line(&cause)))?;
                let named = named.into_iter();
                named
                    .map(|(name, value)| {
                        let value = number(&name, &value)?;
                        Ok((name, value))
                    })
                    .collect()
            }
            Ok(Value::Array(values)) if values.len() == self.order.len() => self
                .joints()
                .into_iter()
                .zip(&values)
                .map(|(name, value)| {
                    let value = number(&name, value)?;
                    Ok((name, value))
                })
                .collect(),
            Ok(Value::Array(values)) => Err(Error::usage(format!(
                "{} values for {} joints; the order is {}",
                values.len(),
                self.order.len(),
                self.joints().join(", ")
            ))),
            Ok(_) => Err(Error::usage(EXPECTED)),
            Err(cause) => Err(Error::usage(format!(
                "this is not JSON: {}; {EXPECTED}",
                json_words_in_line(&cause)
            ))),
        }
    }

    /// The motion that does nothing but stand there. Names, units and joints that follow are those
    /// of programs.
    fn stand(&self, line: usize, values: Vec<(String, f64)>) -> Result<Trajectory, Error> {
        let (names, positions): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        let column = |joint: String| Column {
            joint: joint.into(),
            line: Some(line),
            quantity: Quantity::Message,
        };
        let program = Program {
            source: PathBuf::from("configuration"),
            columns: names.into_iter().map(column).collect(),
            waypoints: vec![Waypoint::new(0.0, positions, line)],
            ..Program::default()
        };
        let for_cell = Trajectory::for_cell(&program, &self.prepared.loaded.cell, None);
        for_cell
            .map(|(trajectory, _)| trajectory)
            .map_err(|error| match error {
                // The line is that of the configuration, and said already.
                ProofError::Program {
                    problem, remedy, ..
                } => Error::usage(format!("{problem}; {remedy}")),
                other => Error::from(other),
            })
    }

    /// The nearest parts as a pair of bodies.
    fn near(&self, parts: &NearestParts) -> Near {
        let part_pair = &self.scene.part_pairs[parts.part_pair];
        let [mut point_a, mut point_b] = parts.points;
        // Part pairs may name the bodies the other way round.
        if self.scene.parts[part_pair.a].body != self.scene.pairs[part_pair.pair].a {
            std::mem::swap(&mut point_a, &mut point_b);
        }
        Near {
            pair: part_pair.pair,
            kind: ContactKind::Contact,
            nearest: Closest {
                distance: parts.distance,
                point_a,
                point_b,
            },
        }
    }

    fn named(&self, near: &Near) -> PairDistance {
        let pair = &self.scene.pairs[near.pair];
        let name = |body: usize| self.scene.cell.bodies[body].name.clone();
        let between = near.nearest.point_a - near.nearest.point_b;
        PairDistance {
            a: name(pair.a),
            b: name(pair.b),
            kind: near.kind,
            distance: near.nearest.distance,
            point_a: near.nearest.point_a.coords.into(),
            point_b: near.nearest.point_b.coords.into(),
            normal: between.try_normalize(0.0).map(Into::into),
        }
    }
}

/// The members of an object as they are written: a name that stands twice is there twice.
struct Members(Vec<(String, Value)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> serde::de::Visitor<'de> for Reader {
            type Value = Members;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: serde::de::MapAccess<'de>>(
                self,
                mut members: M,
            ) -> Result<Members, M::Error> {
                let mut all = Vec::new();
                while let Some(member) = members.next_entry()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }
        source.deserialize_map(Reader)
    }
}

const EXPECTED: &str =
    r#"write an object such as {"joint_1": 0.5}, or an array with a value for every joint"#;

#[cfg(test)]
mod tests;
