//! Single configurations: what a jogging panel or a planner asks, thousands of times a second.

use std::path::PathBuf;

use clearance_proof::check::Snapshot;
use clearance_proof::check::nearest::{Near, standing};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Column, JointId, Path, Program, Quantity, Waypoint};
use serde_json::Value;

use super::limits::violations;
use super::uncovered::{nothing_checked, open_question};
use super::{Prepared, Settings};
use crate::findings::{DistanceAnswer, PairDistance, Verdict};

/// Answers for one configuration after the other in one cell.
#[derive(Debug)]
pub struct Configurations<'p> {
    prepared: &'p Prepared,
    settings: Settings,
    scene: Scene<'p>,
    /// Joints in the order that an array of values has.
    order: Vec<JointId>,
    snapshot: Snapshot,
    /// What the cell leaves open: with it nothing is clear.
    open: Option<String>,
}

impl<'p> Configurations<'p> {
    /// Gets ready.
    pub fn new(prepared: &'p Prepared, settings: Settings) -> Self {
        let cell = &prepared.cell;
        let free = |&joint: &JointId| cell.joints[joint].mimic.is_none();
        Self {
            prepared,
            settings,
            scene: Scene::new(cell, &prepared.trees, &prepared.pairs, settings.clearance),
            order: (0..cell.joints.len()).filter(free).collect(),
            snapshot: Snapshot::default(),
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

    /// The joints that an array of values stands for, in order: all but those that follow another one.
    pub fn joints(&self) -> Vec<String> {
        let label = |&joint: &JointId| self.prepared.cell.joint_label(joint);
        self.order.iter().map(label).collect()
    }

    /// Answers one line: a JSON object from joint names to values, or an array of values for [`Configurations::joints`], in
    /// radians and metres. Joints that an object does not name keep the cell's values.
    pub fn answer(&mut self, line: usize, text: &str) -> DistanceAnswer {
        self.attempt(line, text)
            .unwrap_or_else(|error| DistanceAnswer {
                line,
                verdict: Verdict::Unverified,
                nearest: None,
                contacts: Vec::new(),
                beyond_limits: Vec::new(),
                error: Some(error),
            })
    }

    fn attempt(&mut self, line: usize, text: &str) -> Result<DistanceAnswer, String> {
        let values = self.values(text)?;
        let path = self.stand(line, values)?;
        self.snapshot.set(&self.scene, &path.segments[0], 0.0);
        let found = standing(&self.scene, &mut self.snapshot);
        let beyond = match self.settings.limits {
            true => violations(&self.prepared.cell, &path),
            false => Vec::new(),
        };
        Ok(DistanceAnswer {
            line,
            verdict: match (found.contacts.is_empty(), &self.open) {
                (false, _) => Verdict::Collision,
                (true, Some(_)) => Verdict::Unverified,
                (true, None) => Verdict::Clear,
            },
            nearest: found.nearest.map(|near| self.named(&near)),
            contacts: found.contacts.iter().map(|near| self.named(near)).collect(),
            beyond_limits: beyond.into_iter().map(|v| v.joint).collect(),
            error: self.open.clone(),
        })
    }

    /// Joint names and values of a line.
    fn values(&self, text: &str) -> Result<Vec<(String, f64)>, String> {
        let number = |name: &str, value: &Value| {
            let value = value.as_f64().filter(|v| v.is_finite());
            value.ok_or_else(|| {
                format!("the value of `{name}` is not a number; write radians or metres")
            })
        };
        match serde_json::from_str(text) {
            Ok(Value::Object(named)) => named
                .iter()
                .map(|(name, value)| Ok((name.clone(), number(name, value)?)))
                .collect(),
            Ok(Value::Array(values)) if values.len() == self.order.len() => self
                .joints()
                .into_iter()
                .zip(&values)
                .map(|(name, value)| {
                    let value = number(&name, value)?;
                    Ok((name, value))
                })
                .collect(),
            Ok(Value::Array(values)) => Err(format!(
                "{} values for {} joints; the order is {}",
                values.len(),
                self.order.len(),
                self.joints().join(", ")
            )),
            Ok(_) => Err(EXPECTED.to_owned()),
            Err(cause) => Err(format!("{cause}; {EXPECTED}")),
        }
    }

    /// The motion that does nothing but stand there. Names, units and joints that follow are those of programs.
    fn stand(&self, line: usize, values: Vec<(String, f64)>) -> Result<Path, String> {
        let (names, positions): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        let column = |joint| Column {
            joint,
            line,
            quantity: Quantity::Message,
        };
        let program = Program {
            source: PathBuf::from("configuration"),
            columns: names.into_iter().map(column).collect(),
            waypoints: vec![Waypoint {
                time: 0.0,
                positions,
                velocities: None,
                accelerations: None,
                line,
            }],
            timed: false,
            start: None,
        };
        let laid = Path::for_cell(&program, &self.prepared.cell, None);
        laid.map(|(path, _)| path)
            .map_err(|e| format!("{}; {}", e.problem, e.remedy))
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
            normal: between.try_normalize(0.0).unwrap_or_default().into(),
        }
    }
}

const EXPECTED: &str =
    r#"write an object such as {"joint_1": 0.5}, or an array with a value for every joint"#;

#[cfg(test)]
mod tests {
    use clearance_proof::check::distance::pair_distance;
    use clearance_proof::geometry::random::Random;

    use super::*;
    use crate::run::{CellJob, Job, Silence, prepare};

    fn arm() -> Prepared {
        let cell = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/arm6/cell.toml");
        prepare(&CellJob::file(cell), &Silence).unwrap()
    }

    /// Catches: a pair left out because another one is nearer though its own threshold is larger; a bound that is none.
    #[test]
    fn the_nearest_pair_and_all_contacts_are_those_of_a_look_at_every_pair() {
        let prepared = arm();
        let settings = Settings::of(&Job::new("", Vec::new()), Some(&prepared.cell)).unwrap();
        let mut configurations = Configurations::new(&prepared, settings);
        let scene = configurations.scene.clone();
        let mut random = Random(11);
        let mut seen = [0; 2];
        for case in 0..150 {
            let values: Vec<f64> = (0..configurations.order.len())
                .map(|_| 2.0 * random.signed())
                .collect();
            let text = serde_json::to_string(&values).unwrap();
            let answer = configurations.answer(case, &text);
            let mut snapshot = configurations.snapshot.clone();
            let all: Vec<f64> = (0..scene.pairs.len())
                .map(|pair| {
                    let found = pair_distance(&scene, pair, &mut snapshot, f64::INFINITY, &mut 0);
                    found.unwrap().distance
                })
                .collect();
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let inside = answer
                .contacts
                .iter()
                .any(|c| c.kind == crate::findings::ContactKind::Inside);
            let nearest = answer.nearest.unwrap();
            assert!(
                inside || (nearest.distance - least).abs() < 1e-9,
                "{text}: {nearest:?}, {least}"
            );
            let touching = (0..all.len()).filter(|&p| all[p] <= scene.pairs[p].clearance);
            for pair in touching.clone() {
                let name = |body: usize| &scene.cell.bodies[body].name;
                let (a, b) = (name(scene.pairs[pair].a), name(scene.pairs[pair].b));
                assert!(
                    answer.contacts.iter().any(|c| (&c.a, &c.b) == (a, b)),
                    "{text}: {a}, {b}"
                );
            }
            let expected = touching.count() > 0 || inside;
            assert_eq!(answer.verdict == Verdict::Collision, expected, "{text}");
            seen[usize::from(expected)] += 1;
        }
        assert!(seen[0] > 20 && seen[1] > 20, "{seen:?}");
    }

    #[test]
    fn a_line_that_is_no_configuration_is_answered_by_what_would_be() {
        let prepared = arm();
        let settings = Settings::of(&Job::new("", Vec::new()), Some(&prepared.cell)).unwrap();
        let mut configurations = Configurations::new(&prepared, settings);
        for (text, words) in [
            ("{", "write an object"),
            ("3", "write an object"),
            ("[1, 2]", "the order is joint_1, joint_2"),
            (r#"{"joint_1": "a"}"#, "is not a number"),
            (r#"{"joint_9": 1}"#, "joint_9"),
        ] {
            let answer = configurations.answer(7, text);
            assert_eq!(
                (answer.line, answer.verdict),
                (7, Verdict::Unverified),
                "{text}"
            );
            let error = answer.error.unwrap_or_default();
            assert!(error.contains(words), "{text}: {error}");
        }
        let beyond = configurations.answer(1, r#"{"joint_1": 6}"#);
        assert_eq!(beyond.beyond_limits, ["joint_1"]);
    }
}
