//! Recorded joint states: the waypoints of one program.

use clearance_proof::model::{Cell, Quantity};

use super::super::super::node::{NodeKind, ProgramNode};
use super::super::builder::ProgramBuilder;
use super::super::columns::{ColumnType, JointColumn, TableColumn, joints_of};
use super::super::{Layout, Member, Members, named};
use super::Messages;
use crate::{ImportError, Problem};

/// A recording of joint states: one program.
pub(super) struct States {
    messages: Messages,
    names: Vec<String>,
    joints: Vec<JointColumn>,
    growing: Option<ProgramBuilder>,
    /// Stamp of the first message, nanoseconds.
    first: Option<i128>,
    /// The last stamp with the positions of the joints that are read.
    last: Option<(i128, Vec<f64>)>,
}

/// The part of a joint state that counts.
struct State {
    stamp: i128,
    names: Vec<String>,
    positions: Vec<f64>,
}

impl States {
    pub(super) fn open(
        mut messages: Messages,
        layout: &Layout,
        cell: &Cell,
    ) -> Result<Members, ImportError> {
        let path = messages.recording.path.clone();
        let topic = messages.topic.clone();
        let name = named(&path, &topic);
        let fail = |problem| ImportError::at(&name, 1, None, problem);
        let first = messages.next()?.unwrap_or_default();
        let node = messages.decode(&first).map_err(fail)?;
        let state = state(&node).map_err(fail)?;
        let found = |name: &String| TableColumn {
            name: name.clone(),
            what: ColumnType::Number,
        };
        let found: Vec<TableColumn> = state.names.iter().map(found).collect();
        let (mut joints, passed_over) = joints_of(&name, &found, layout, cell)?;
        // The message states its units by definition.
        for joint in &mut joints {
            joint.column.quantity = match joint.column.quantity {
                Quantity::Unstated => Quantity::Measured,
                stated => stated,
            };
        }
        messages.read = 0;
        messages.waiting = Some((0, first));
        let growing = ProgramBuilder::of_columns(&path, topic, &joints, 1);
        Ok(Members {
            passed_over,
            file: path.clone(),
            rows: Box::new(States {
                messages,
                names: state.names,
                joints,
                growing: Some(growing),
                first: None,
                last: None,
            }),
        })
    }

    /// Takes one message; `false` at the end.
    fn step(&mut self, growing: &mut ProgramBuilder) -> Result<bool, ImportError> {
        let Some(bytes) = self.messages.next()? else {
            return Ok(false);
        };
        if !growing.is_sound() {
            return Ok(true);
        }
        let row = self.messages.read as usize;
        let Messages {
            recording, topic, ..
        } = &self.messages;
        if recording.kind_of(topic)?.is_of_many_publishers() {
            let problem = Problem::Syntax {
                cause: format!(
                    "several publishers sent messages of `{topic}` in turns, as a robot and a simulation of it do: together they are no path"
                ),
                remedy: "record the topic of one publisher".to_owned(),
            };
            growing.refuse_for(row, problem);
            return Ok(true);
        }
        let read = self.messages.decode(&bytes).and_then(|node| state(&node));
        match read.and_then(|state| self.waypoint(&state)) {
            Ok(Some((time, positions))) => {
                growing.stamp_ns = self.first;
                growing.add(row, Some(time), positions.into());
            }
            Ok(None) => {}
            Err(problem) => growing.refuse_for(row, problem),
        }
        Ok(true)
    }

    /// The positions of the joints that are read, as this message orders them.
    fn positions(&self, state: &State) -> Result<Vec<f64>, Problem> {
        let same_order = state.names == self.names;
        if !same_order && sorted(&state.names) != sorted(&self.names) {
            return Err(Problem::Syntax {
                cause: format!(
                    "message {} has other joints than the first one: {} in place of {}",
                    self.messages.read,
                    state.names.join(", "),
                    self.names.join(", ")
                ),
                remedy: "record the topic of one publisher".to_owned(),
            });
        }
        let mut positions = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let name = &self.names[joint.at];
            let at = if same_order {
                Some(joint.at)
            } else {
                state.names.iter().position(|other| other == name)
            };
            // What is not read, such as a wheel that nobody measures, may be no number.
            let position = at.map_or(f64::NAN, |at| state.positions[at]);
            if !position.is_finite() {
                return Err(Problem::BadValue {
                    what: format!("the position of `{name}`"),
                    value: position.to_string(),
                    remedy: "give a finite number".to_owned(),
                });
            }
            positions.push(position * joint.scale.0 / joint.scale.1);
        }
        Ok(positions)
    }

    /// The waypoint of a state; none where it says again what the last one said.
    fn waypoint(&mut self, state: &State) -> Result<Option<(f64, Vec<f64>)>, Problem> {
        let number = self.messages.read;
        let positions = self.positions(state)?;
        if let Some((stamp, last)) = &self.last {
            let same = *last == positions;
            if *stamp == state.stamp && same {
                return Ok(None);
            }
            if state.stamp <= *stamp {
                let back = (*stamp - state.stamp) as f64 / 1e9;
                return Err(Problem::BadValue {
                    what: format!("`header.stamp` of message {number}"),
                    value: format!("{back} s before that of the message before, or the same"),
                    remedy: "times must increase from message to message; record one clock"
                        .to_owned(),
                });
            }
        }
        let first = *self.first.get_or_insert(state.stamp);
        let time = (state.stamp - first) as f64 / 1e9;
        self.last = Some((state.stamp, positions.clone()));
        Ok(Some((time, positions)))
    }
}

impl Iterator for States {
    type Item = Result<Member, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut growing = self.growing.take()?;
        loop {
            match self.step(&mut growing) {
                Ok(true) => {}
                Ok(false) => return Some(Ok(growing.finish())),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    sorted
}

/// Reads a joint state.
fn state(node: &ProgramNode) -> Result<State, Problem> {
    let bad = |cause: String| Problem::Syntax {
        cause,
        remedy: "record it anew".to_owned(),
    };
    let list = |key: &str| match node.get(key).map(|n| &n.kind) {
        Some(NodeKind::List(list)) => &list[..],
        _ => &[],
    };
    let names = list("name").iter().filter_map(|n| match &n.kind {
        NodeKind::Text(text) => Some(text.clone()),
        _ => None,
    });
    let names: Vec<String> = names.collect();
    let positions = list("position").iter().filter_map(|n| match n.kind {
        NodeKind::Number(number) => Some(number),
        _ => None,
    });
    let positions: Vec<f64> = positions.collect();
    if names.is_empty() || names.len() != positions.len() {
        return Err(bad(format!(
            "a joint state has {} names and {} positions",
            names.len(),
            positions.len()
        )));
    }
    let stamp = node.get("header").and_then(|h| h.get("stamp"));
    let part = |key: &str| match stamp.and_then(|s| s.get(key)).map(|n| &n.kind) {
        Some(NodeKind::Number(number)) => Ok(*number as i128),
        _ => Err(bad("a joint state has no stamp".to_owned())),
    };
    Ok(State {
        stamp: part("sec")? * 1_000_000_000 + part("nanosec")?,
        names,
        positions,
    })
}
