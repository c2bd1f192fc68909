//! The cell while events change it: who carries what, and what may touch.

mod placed;
mod unseen;

use std::collections::BTreeMap;

use nalgebra::Isometry3;

pub use placed::JointState;

use placed::{HandoverPose, PutOnLink};
use unseen::UnseenPairs;

use crate::ProofError;
use crate::model::{
    Allowance, AllowedBy, BodyId, Cell, Event, EventChange, JointId, RigidError, Role, Timeline,
};
use crate::report::{Code, Diagnostic, Location, Severity};

/// The cell while events change it.
#[derive(Debug, Clone)]
pub struct ChangingCell {
    /// As it is now, but for what is allowed for a time.
    pub cell: Cell,
    /// Touches that are allowed to carried bodies, and who allows them.
    touches: Vec<(BodyId, Allowance)>,
    /// Per body, the sizes (metres) of the numbers that its place was computed from by events: its
    /// rounding grows with them.
    pub taken_over_m: Vec<f64>,
    /// Per body, how far it is off its place because joints were, known within a tolerance only, as
    /// events handed it over.
    pub handover_errors: Vec<RigidError>,
    /// The same, as much as the checker of certificates asks for: by the joints alone, and also
    /// where the place on the link is stated.
    pub handover_errors_by_joints: Vec<RigidError>,
    /// Bodies that an event put somewhere else, or at a place that is not known well.
    pub remarks: Vec<Diagnostic>,
    /// Per body, the event that took it or put it down last.
    handled_by: BTreeMap<BodyId, Event>,
    /// Per body that an event has put elsewhere, those that it was not checked against since.
    unseen: UnseenPairs,
}

impl ChangingCell {
    /// Before any event.
    pub fn new(cell: &Cell) -> Self {
        ChangingCell {
            cell: cell.clone(),
            touches: Vec::new(),
            taken_over_m: vec![0.0; cell.bodies.len()],
            handover_errors: vec![RigidError::default(); cell.bodies.len()],
            handover_errors_by_joints: vec![RigidError::default(); cell.bodies.len()],
            remarks: Vec::new(),
            handled_by: BTreeMap::new(),
            unseen: UnseenPairs::new(),
        }
    }

    /// Applies the events of an instant, at which the joints are as stated.
    ///
    /// # Errors
    /// When an event asks for something that cannot be: releasing what nobody carries, being
    /// carried by oneself.
    pub fn change(
        &mut self,
        timeline: &Timeline,
        time: f64,
        joints: &JointState,
    ) -> Result<(), ProofError> {
        // Bodies that an event of this instant has put elsewhere.
        let mut put: Vec<BodyId> = Vec::new();
        for event in timeline.at(time) {
            match &event.change {
                EventChange::Attach {
                    bodies,
                    link,
                    link_from_body,
                    touch,
                } => {
                    for &body in bodies {
                        self.note_handling(body, event)?;
                        self.can_carry(body, *link, event)?;
                        self.attach_to_link(body, *link, *link_from_body, event, joints);
                        let carried = self.carried(body);
                        if link_from_body.is_some() || carried.iter().any(|b| put.contains(b)) {
                            self.mark_unseen(&carried);
                            put.extend(carried);
                        }
                        for b in touch {
                            let allowance = Allowance {
                                a: self.cell.bodies[body].name.clone(),
                                b: b.clone(),
                                reason: String::new(),
                                by: AllowedBy::Event(event.file.clone(), event.line),
                            };
                            self.touches.push((body, allowance));
                        }
                    }
                }
                EventChange::Release { bodies } => {
                    for &body in bodies {
                        self.note_handling(body, event)?;
                        let released = &self.cell.bodies[body];
                        if released.role != Role::Attached {
                            return Err(event.error(
                                format!("`{}` is not carried at this time", released.name),
                                "attach it before",
                            ));
                        }
                        // Bodies that stand are not checked against each other. What hangs on it
                        // stands from here on, too.
                        let put_there = |b: &&BodyId| put.contains(b);
                        if let Some(&put) = self.carried(body).iter().find(put_there) {
                            return Err(event.error(
                                format!(
                                    "`{}` is put elsewhere and released at one instant: what it meets there is not looked at",
                                    self.cell.bodies[put].name
                                ),
                                "release it later, or write the cell with the body at that place",
                            ));
                        }
                        self.release(body, event, joints);
                    }
                }
                EventChange::Move { .. } | EventChange::Allow { .. } => {}
            }
        }
        self.join_unseen();
        Ok(())
    }

    /// Notes who takes a body or puts it down. A robot puts down what is in its own hand only, and
    /// of two programs that do something with one body at one instant nobody knows who comes first.
    fn note_handling(&mut self, body: BodyId, event: &Event) -> Result<(), ProofError> {
        let name = &self.cell.bodies[body].name;
        let before = self.handled_by.get(&body);
        let author = |event: &Event| (event.program, event.file.clone());
        if let Some(before) = before.filter(|before| author(before) != author(event)) {
            let location = format!("{}:{}", before.file.display(), before.line);
            if (event.time - before.time).abs() < SAME_INSTANT_S {
                return Err(event.error(
                    format!("`{name}` is attached or released by {location} at this instant too: nothing says which comes first"),
                    "let one come at least 1 ms after the other; a robot that takes a body over needs no `release` by the other one",
                ));
            }
            let is_release = matches!(event.change, EventChange::Release { .. });
            if is_release && matches!(before.change, EventChange::Attach { .. }) {
                return Err(event.error(
                    format!("`{name}` is carried by the robot of another program ({location})"),
                    "leave this release out: whoever attaches a body takes it over",
                ));
            }
        }
        self.handled_by.insert(body, event.clone());
        Ok(())
    }

    fn can_carry(&self, body: BodyId, link: BodyId, event: &Event) -> Result<(), ProofError> {
        let name = |b: BodyId| self.cell.bodies[b].name.as_str();
        if self.carries(body, link) {
            return Err(event.error(
                format!("`{}` is carried by `{}`", name(link), name(body)),
                "release it first: nothing can carry itself",
            ));
        }
        if self.cell.bodies[link].joint.is_none() {
            return Err(event.error(
                format!("`{}` does not move", name(link)),
                "name a link that a joint moves, or `release` the body where it is to stay",
            ));
        }
        Ok(())
    }

    /// Whether `inner` hangs on `body`, however many others are between.
    fn carries(&self, body: BodyId, inner: BodyId) -> bool {
        let mut at = Some(inner);
        while let Some(b) = at {
            if b == body {
                return true;
            }
            at = self.cell.bodies[b].parent;
        }
        false
    }

    /// A body and all that hang on it.
    fn carried(&self, body: BodyId) -> Vec<BodyId> {
        let all = 0..self.cell.bodies.len();
        all.filter(|&b| self.carries(body, b)).collect()
    }

    /// The body that what hangs on a link may stand in: the link, or where it has no shapes the
    /// nearest one below that has some and moves with it.
    fn carrier_with_shapes(&self, link: BodyId) -> Option<BodyId> {
        let bodies = &self.cell.bodies;
        let below = std::iter::successors(Some(link), |&b| bodies[b].parent);
        let mut joined = below.take_while(|&b| bodies[b].joint == bodies[link].joint);
        joined.find(|&b| !bodies[b].shapes.is_empty())
    }

    fn attach_to_link(
        &mut self,
        body: BodyId,
        link: BodyId,
        stated: Option<Isometry3<f64>>,
        event: &Event,
        joints: &JointState,
    ) {
        let world_from_joint = self.cell.forward(&joints.q);
        let before = self.cell.body_pose(&world_from_joint, body);
        let (joint, joint_from_link) = {
            let carrier = &self.cell.bodies[link];
            (carrier.joint, carrier.joint_from_body)
        };
        let world_from_carrier = joint.map_or(Isometry3::identity(), |j| world_from_joint[j]);
        let moved = stated.map(|link_from_body| {
            let after = world_from_carrier * joint_from_link * link_from_body;
            let step = (after.translation.vector - before.translation.vector).norm();
            let turn = before.rotation.angle_to(&after.rotation);
            if step > NOTICED_M || turn > NOTICED_RAD {
                let inside = match self.carrier_with_shapes(link) {
                    Some(carrier) => format!(
                        ", nor whether it stands inside of `{}`, which carries it",
                        self.cell.bodies[carrier].name
                    ),
                    None => String::new(),
                };
                self.remarks.push(Diagnostic {
                    subject: self.cell.bodies[body].name.clone(),
                    message: format!(
                        "an event puts it {:.3} mm and {:.3}° from where it was: its way there is \
                         not checked{inside}",
                        step * 1e3,
                        turn.to_degrees(),
                    ),
                    place: Some(Location::at(&event.file, event.line, None)),
                    severity: Severity::Unchecked,
                    code: Code::MovedByEvent,
                });
            }
            after * before.inverse()
        });
        let error_before = self.handover_errors[body];
        let carrier = Carrier {
            joint,
            link: Some(link),
        };
        self.reattach(body, &carrier, moved, joints);
        if let Some(link_from_body) = stated {
            // As it was stated, to the last digit.
            self.cell.bodies[body].joint_from_body = joint_from_link * link_from_body;
        } else {
            self.warn_if_uncertain(body, error_before, event);
        }
    }

    fn release(&mut self, body: BodyId, event: &Event, joints: &JointState) {
        let error_before = self.handover_errors[body];
        self.reattach(body, &Carrier::default(), None, joints);
        self.warn_if_uncertain(body, error_before, event);
    }

    /// Hangs a body, and all that hang on it, elsewhere. They keep their places unless `moved`
    /// takes them to others.
    fn reattach(
        &mut self,
        body: BodyId,
        carrier: &Carrier,
        moved: Option<Isometry3<f64>>,
        joints: &JointState,
    ) {
        let world_from_joint = self.cell.forward(&joints.q);
        let Carrier {
            joint,
            link: parent,
        } = *carrier;
        self.keep_errors(body, parent, &world_from_joint);
        let of_world = |j: Option<usize>| j.map_or(Isometry3::identity(), |j| world_from_joint[j]);
        let size = |pose: &Isometry3<f64>| pose.translation.vector.norm();
        let chain = world_from_joint.iter().map(size).fold(0.0, f64::max);
        let put = moved.map(|moved| PutOnLink {
            body,
            pose: moved * self.cell.body_pose(&world_from_joint, body),
            error: self.handover_errors[body],
            link: parent.map(|link| self.cell.body_pose(&world_from_joint, link)),
            link_error: parent.map_or(RigidError::default(), |link| self.handover_errors[link]),
        });
        let carried = self.carried(body);
        for &b in &carried {
            let pose = self.cell.body_pose(&world_from_joint, b);
            let pose = moved.map_or(pose, |m| m * pose);
            let mut joint_from_body = of_world(joint).inverse() * pose;
            joint_from_body.rotation.renormalize();
            let sizes = chain + size(&pose) + size(&joint_from_body);
            self.taken_over_m[b] += 1.0 + sizes;
            // Errors of the joints that have brought it here and of those that it is given to.
            let chains = [self.cell.bodies[b].joint, joint];
            let at = HandoverPose {
                world_from_joint: &world_from_joint,
                body: &pose,
                sizes,
            };
            self.add_handover_errors(b, chains, joints, &at, put.as_ref());
            self.cell.bodies[b].joint = joint;
            self.cell.bodies[b].joint_from_body = joint_from_body;
        }
        // What goes along stays together.
        let stay = |[a, b]: &[BodyId; 2]| carried.contains(a) == carried.contains(b);
        self.cell.put_together.retain(stay);
        self.cell.bodies[body].parent = parent;
        self.cell.bodies[body].role = match parent {
            Some(_) => Role::Attached,
            None => Role::Obstacle,
        };
        // Touches that it was allowed belonged to the place that it has left.
        let name = self.cell.bodies[body].name.clone();
        self.touches.retain(|(b, _)| *b != body);
        self.cell.allowed.retain(|a| {
            !matches!(a.by, AllowedBy::Touch | AllowedBy::SceneTouch(..)) || a.a != name
        });
    }

    /// The cell, with what is allowed all the time between two instants; several timelines may say
    /// so, each by its clock.
    pub fn between(&self, said: &[(&Timeline, f64, f64)]) -> Cell {
        let mut cell = self.cell.clone();
        cell.allowed
            .extend(self.touches.iter().map(|(_, allowance)| allowance.clone()));
        for (timeline, from, to) in said {
            cell.allowed.extend(allowed_between(timeline, *from, *to));
        }
        cell
    }
}

fn allowed_between(timeline: &Timeline, from: f64, to: f64) -> impl Iterator<Item = Allowance> {
    // Events are sorted by time: those that come later allow nothing yet.
    let begun = timeline.events.partition_point(|event| event.time <= from);
    timeline.events[..begun].iter().filter_map(move |event| {
        let EventChange::Allow {
            a,
            b,
            until,
            reason,
        } = &event.change
        else {
            return None;
        };
        let holds = until.is_none_or(|until| until >= to);
        holds.then(|| Allowance {
            a: a.clone(),
            b: b.clone(),
            reason: reason.clone(),
            by: AllowedBy::Event(event.file.clone(), event.line),
        })
    })
}

/// What holds a body; nothing: the world.
#[derive(Default)]
struct Carrier {
    joint: Option<JointId>,
    link: Option<BodyId>,
}

/// Times of two programs that are nearer than this are one instant, on the clock of the trajectory.
const SAME_INSTANT_S: f64 = 1e-3;

/// A body that is put this little elsewhere has only been rounded: files carry six decimals.
const NOTICED_M: f64 = 1e-5;
const NOTICED_RAD: f64 = 1e-5;
