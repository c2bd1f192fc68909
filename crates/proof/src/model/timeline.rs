//! Events along a program, beside the motion of its joints: bodies are attached and released,
//! fingers move, touches are allowed for a time.

use std::path::PathBuf;

use nalgebra::Isometry3;

use super::{BodyId, Cell, Interpolation, JointId, Polynomial, Segment, Trajectory};
use crate::ProofError;

/// Times that differ by less than this share of themselves (of 1 s at least) differ by rounding alone.
const ROUNDING: f64 = 1e-12;
/// An event that comes so much before the end of a move begins with that end: sums of written times
/// are rounded, 0.1 + 0.2 is a little more than 0.3. On the clock of the trajectory.
const SAME_INSTANT: f64 = 1e-6;

/// The events of a run, by time; those of one instant in the order in which they take effect.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// The events.
    pub events: Vec<Event>,
}

/// Something that happens at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When, on the clock of the trajectory (seconds, or the number of the waypoint from 0).
    pub time: f64,
    /// What.
    pub change: EventChange,
    /// File that says so.
    pub file: PathBuf,
    /// Line in it, 1-based.
    pub line: usize,
    /// Which of the programs that run together it belongs to: two of them may be one file. `None`: it
    /// stands in a file of events for all of them.
    pub program: Option<usize>,
}

/// The change that an event makes.
#[derive(Debug, Clone, PartialEq)]
pub enum EventChange {
    /// From here on a link carries bodies.
    Attach {
        /// Attachments or obstacles of the cell; several where a workpiece is made of several.
        bodies: Vec<BodyId>,
        /// Link or attachment that carries it.
        link: BodyId,
        /// Pose of the only body in the frame of the carrier; `None`: they keep the places where
        /// they are.
        link_from_body: Option<Isometry3<f64>>,
        /// Names or patterns of bodies that they may touch while they are carried.
        touch: Vec<String>,
    },
    /// From here on bodies stand where they are.
    Release {
        /// Attachments that are carried until now.
        bodies: Vec<BodyId>,
    },
    /// A joint moves in a straight line from where it is.
    Move {
        /// Joint that no program moves.
        joint: JointId,
        /// Where to: radians or metres.
        value: f64,
        /// How long it takes, on the clock of the trajectory; above 0.
        duration: f64,
    },
    /// From here on two bodies may touch.
    Allow {
        /// Name or pattern.
        a: String,
        /// Name or pattern.
        b: String,
        /// Until then; `None`: to the end.
        until: Option<f64>,
        /// Why, may be empty.
        reason: String,
    },
}

impl Event {
    /// An error at the place of this event.
    pub fn error(&self, problem: impl Into<String>, remedy: impl Into<String>) -> ProofError {
        ProofError::Program {
            file: self.file.clone(),
            line: Some(self.line),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}

impl Timeline {
    /// Takes in events of another clock: its time + `shift` is the time of this one.
    pub fn add(&mut self, other: Timeline, shift: f64) {
        self.events
            .extend(other.events.into_iter().map(|mut event| {
                event.time += shift;
                if let EventChange::Allow {
                    until: Some(until), ..
                } = &mut event.change
                {
                    *until += shift;
                }
                event
            }));
        self.join_instants();
        // Stable: events of one instant stay in their order.
        self.events.sort_by(|x, y| x.time.total_cmp(&y.time));
    }

    /// Makes one instant of times that differ by rounding alone: 0.1 s + 0.2 s and 0.3 s. Rounding
    /// must not choose in which order events take effect.
    fn join_instants(&mut self) {
        let mut times: Vec<f64> = self.events.iter().map(|event| event.time).collect();
        times.sort_by(f64::total_cmp);
        let is_new = |before: &f64, time: &f64| time - before > ROUNDING * time.abs().max(1.0);
        let mut instants: Vec<f64> = Vec::new();
        for time in times {
            if instants.last().is_none_or(|last| is_new(last, &time)) {
                instants.push(time);
            }
        }
        for event in &mut self.events {
            let after = instants.partition_point(|instant| *instant <= event.time);
            event.time = instants[after - 1];
        }
    }

    /// The events of an instant, in the order in which they take effect.
    pub fn at(&self, time: f64) -> &[Event] {
        let from = self.events.partition_point(|e| e.time < time);
        let to = self.events.partition_point(|e| e.time <= time);
        &self.events[from..to]
    }

    /// Instants at which the set of pairs or the bodies change.
    pub fn cuts(&self) -> Vec<f64> {
        let mut cuts = Vec::new();
        for event in &self.events {
            match &event.change {
                EventChange::Move { .. } => {}
                EventChange::Allow { until, .. } => {
                    cuts.extend([Some(event.time), *until].iter().flatten())
                }
                EventChange::Attach { .. } | EventChange::Release { .. } => cuts.push(event.time),
            }
        }
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        cuts
    }

    /// The trajectories of the joints that events move, one each: from its value at the beginning,
    /// waiting between the moves. `start` has these values for joints that do not begin where the
    /// cell has them, radians or metres.
    ///
    /// # Errors
    /// When two moves of one joint overlap.
    pub fn joint_trajectories(
        &self,
        cell: &Cell,
        start: &[(JointId, f64)],
        timed: bool,
    ) -> Result<Vec<(JointId, Trajectory)>, ProofError> {
        let mut trajectories: Vec<(JointId, Trajectory)> = Vec::new();
        for event in &self.events {
            let &EventChange::Move {
                joint,
                value,
                duration,
            } = &event.change
            else {
                continue;
            };
            let at = match trajectories.iter().position(|(j, _)| *j == joint) {
                Some(at) => at,
                None => {
                    let trajectory = Trajectory {
                        segments: Vec::new(),
                        interpolation: Interpolation::Linear,
                        timed,
                    };
                    trajectories.push((joint, trajectory));
                    trajectories.len() - 1
                }
            };
            let segments = &mut trajectories[at].1.segments;
            let mut begins = event.time;
            let stated = start.iter().find(|(stated, _)| *stated == joint);
            let mut from = stated.map_or(cell.rest[joint], |&(_, value)| value);
            if let Some(last) = segments.last() {
                let (end, target) = (last.end, last.position(joint, 1.0));
                from = target;
                if event.time < end - SAME_INSTANT {
                    return Err(event.error(
                        format!(
                            "`{}` is still on its way of the event before, until {end}",
                            cell.joint_label(joint)
                        ),
                        "let one move end before the next begins",
                    ));
                }
                begins = event.time.max(end);
                if begins > end {
                    segments.push(straight(cell, joint, (end, begins), (target, target)));
                }
            }
            let times = (begins, begins + duration);
            let segment = straight(cell, joint, times, (from, value));
            if let Some((problem, remedy)) = segment.unusable(cell, timed) {
                return Err(event.error(problem, remedy));
            }
            segments.push(segment);
        }
        Ok(trajectories)
    }
}

/// A segment in which one joint moves in a straight line.
fn straight(cell: &Cell, joint: JointId, times: (f64, f64), values: (f64, f64)) -> Segment {
    let mut joints: Vec<Polynomial> = vec![[0.0; 6]; cell.joints.len()];
    joints[joint][0] = values.0;
    joints[joint][1] = values.1 - values.0;
    Segment {
        start: times.0,
        end: times.1,
        joints: joints.into(),
        errors: None,
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::super::{Joint, JointKind, Limits};
    use super::*;

    /// The trajectory of the only joint that two moves make; each begins and takes so long.
    fn moved(moves: [(f64, f64); 2]) -> Result<Trajectory, ProofError> {
        let cell = Cell {
            joints: vec![Joint {
                name: "finger".into(),
                robot: 0,
                parent: None,
                parent_from_joint: Isometry3::identity(),
                axis: Vector3::z_axis(),
                kind: JointKind::Prismatic,
                limits: Limits::default(),
                mimic: None,
            }],
            rest: vec![0.0],
            ..Cell::default()
        };
        let event = |(time, duration): (f64, f64)| Event {
            time,
            change: EventChange::Move {
                joint: 0,
                value: time,
                duration,
            },
            file: "p.events.toml".into(),
            line: 1,
            program: None,
        };
        let timeline = Timeline {
            events: moves.map(event).to_vec(),
        };
        let mut made = timeline.joint_trajectories(&cell, &[], true)?;
        Ok(made.remove(0).1)
    }

    /// 0.1 + 0.2 is not 0.3, but whoever writes it means one instant.
    #[test]
    fn a_move_may_begin_where_the_one_before_ends() {
        let joined = moved([(0.1, 0.2), (0.3, 0.2)]).unwrap();
        let times: Vec<(f64, f64)> = joined.segments.iter().map(|s| (s.start, s.end)).collect();
        let end = 0.1 + 0.2;
        assert_eq!(times, [(0.1, end), (end, end + 0.2)]);
        let refused = moved([(0.1, 0.2), (0.29999, 0.2)]).unwrap_err();
        assert!(
            refused.to_string().contains("still on its way"),
            "{refused}"
        );
    }
}
