//! The cell while events change it: who carries what, and what may touch.

use std::collections::BTreeMap;

use nalgebra::Isometry3;

use crate::ProofError;
use crate::model::{
    Allowance, AllowedBy, BodyId, Cell, Event, EventChange, JointId, RigidError, Role, Segment,
    Timeline, ToolTube,
};
use crate::report::{Code, Diagnostic, Location, Severity};

/// The joints at an instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JointState {
    /// Their values, radians or metres.
    pub q: Vec<f64>,
    /// How far each of them can be off by rounding.
    pub off: Vec<f64>,
    /// Bounds for tools that hold in addition.
    pub(crate) tools: Vec<ToolTube>,
}

impl JointState {
    /// At a share of a segment.
    pub fn new(segment: &Segment, s: f64) -> Self {
        let mut q = Vec::new();
        segment.configuration(s, &mut q);
        let off = (0..q.len()).map(|j| segment.value_rounding(j)).collect();
        let tools = segment.tool_tubes().to_vec();
        JointState { q, off, tools }
    }

    /// How far one of them can be off.
    fn off_of(&self, joint: JointId) -> f64 {
        self.off.get(joint).copied().unwrap_or(0.0)
    }
}

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
    pub placed_off: Vec<RigidError>,
    /// The same, as much as the checker of certificates asks for: by the joints alone, and also
    /// where the place on the link is stated.
    pub handed_off: Vec<RigidError>,
    /// Bodies that an event put somewhere else, or at a place that is not known well.
    pub remarks: Vec<Diagnostic>,
    /// Per body, the event that took it or put it down last.
    handled_by: BTreeMap<BodyId, Event>,
}

impl ChangingCell {
    /// Before any event.
    pub fn new(cell: &Cell) -> Self {
        ChangingCell {
            cell: cell.clone(),
            touches: Vec::new(),
            taken_over_m: vec![0.0; cell.bodies.len()],
            placed_off: vec![RigidError::default(); cell.bodies.len()],
            handed_off: vec![RigidError::default(); cell.bodies.len()],
            remarks: Vec::new(),
            handled_by: BTreeMap::new(),
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
                        self.handle(body, event)?;
                        self.can_carry(body, *link, event)?;
                        self.carry((body, *link), *link_from_body, event, joints);
                        let carried = self.carried(body);
                        if link_from_body.is_some() || carried.iter().any(|b| put.contains(b)) {
                            put.extend(carried);
                            self.meet(body);
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
                        self.handle(body, event)?;
                        let released = &self.cell.bodies[body];
                        if released.role != Role::Attached {
                            return Err(event.error(
                                format!("`{}` is not carried at this time", released.name),
                                "attach it before",
                            ));
                        }
                        // Bodies that stand are not checked against each other.
                        if put.contains(&body) {
                            return Err(event.error(
                                format!(
                                    "`{}` is put elsewhere and released at one instant: what it meets there is not looked at",
                                    released.name
                                ),
                                "release it later, or write the cell with the body at that place",
                            ));
                        }
                        self.put_down(body, event, joints);
                    }
                }
                EventChange::Move { .. } | EventChange::Allow { .. } => {}
            }
        }
        Ok(())
    }

    /// Notes who takes a body or puts it down. A robot puts down what is in its own hand only, and
    /// of two programs that do something with one body at one instant nobody knows who comes first.
    fn handle(&mut self, body: BodyId, event: &Event) -> Result<(), ProofError> {
        let name = &self.cell.bodies[body].name;
        let before = self.handled_by.get(&body);
        if let Some(before) = before.filter(|before| before.file != event.file) {
            let place = format!("{}:{}", before.file.display(), before.line);
            if (event.time - before.time).abs() < AT_ONCE {
                return Err(event.error(
                    format!("`{name}` is attached or released by {place} at this instant too: nothing says which comes first"),
                    "let one come at least 1 ms after the other; a robot that takes a body over needs no `release` by the other one",
                ));
            }
            let is_release = matches!(event.change, EventChange::Release { .. });
            if is_release && matches!(before.change, EventChange::Attach { .. }) {
                return Err(event.error(
                    format!("`{name}` is carried by the robot of another program ({place})"),
                    "leave this release out: whoever attaches a body takes it over",
                ));
            }
        }
        self.handled_by.insert(body, event.clone());
        Ok(())
    }

    /// Nobody has seen a body that was put elsewhere beside what hangs on the same joint: these
    /// pairs are checked although they are joined.
    fn meet(&mut self, body: BodyId) {
        let put = self.carried(body);
        let joint = self.cell.bodies[body].joint;
        let others = 0..self.cell.bodies.len();
        let others = others.filter(|b| self.cell.bodies[*b].joint == joint && !put.contains(b));
        let met: Vec<[BodyId; 2]> = others
            .flat_map(|other| put.iter().map(move |&b| [b.min(other), b.max(other)]))
            .collect();
        self.cell.put_together.extend(met);
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

    fn carry(
        &mut self,
        (body, link): (BodyId, BodyId),
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
                self.remarks.push(Diagnostic {
                    subject: self.cell.bodies[body].name.clone(),
                    message: format!(
                        "an event puts it {:.3} mm and {:.3}° from where it was: its way there is not checked, nor whether it \
                         stands inside of `{}`, which carries it",
                        step * 1e3,
                        turn.to_degrees(),
                        self.cell.bodies[link].name
                    ),
                    place: Some(Location::at(&event.file, event.line, None)),
severity: Severity::Unchecked,
                    code: Code::MovedByEvent,
                });
            }
            after * before.inverse()
        });
        let off_before = self.placed_off[body];
        self.hang(body, (joint, Some(link), Role::Attached), moved, joints);
        if let Some(link_from_body) = stated {
            // As it was stated, to the last digit.
            self.cell.bodies[body].joint_from_body = joint_from_link * link_from_body;
        } else {
            self.say_if_loose(body, off_before, event);
        }
    }

    fn put_down(&mut self, body: BodyId, event: &Event, joints: &JointState) {
        let off_before = self.placed_off[body];
        self.hang(body, (None, None, Role::Obstacle), None, joints);
        self.say_if_loose(body, off_before, event);
    }

    /// Says that an event makes a body's place less certain: what is far from it may stay undecided
    /// then, and no distance says why.
    fn say_if_loose(&mut self, body: BodyId, before: RigidError, event: &Event) {
        let off = self.placed_off[body];
        let shift = off.shift_m - before.shift_m;
        let turn = off.turn_rad - before.turn_rad;
        if shift < LOOSE_M && turn < LOOSE_RAD {
            return;
        }
        let pose = match event.change {
            EventChange::Attach { .. } => "state its `pose` on the link, ",
            _ => "",
        };
        self.remarks.push(Diagnostic {
            code: Code::ToolOrientation,
            severity: Severity::Notice,
            subject: self.cell.bodies[body].name.clone(),
            place: Some(Location::at(&event.file, event.line, None)),
            message: format!(
                "the joints are known loosely at this event, as the tool turns on the move that follows or on which it happens: from then on \
                 the place of the body is known to {:.1} mm and {:.1}° only, which may leave pairs undecided; {pose}move the event to \
                 a point behind which the tool does not turn, or state a narrower --orientation-tube",
                off.shift_m * 1e3,
                off.turn_rad.to_degrees()
            ),
        });
    }

    /// Hangs a body, and all that hang on it, elsewhere. They keep their places unless `moved`
    /// takes them to others.
    fn hang(
        &mut self,
        body: BodyId,
        (joint, parent, role): (Option<usize>, Option<BodyId>, Role),
        moved: Option<Isometry3<f64>>,
        joints: &JointState,
    ) {
        let world_from_joint = self.cell.forward(&joints.q);
        self.keep_errors(body, parent, &world_from_joint);
        let of_world = |j: Option<usize>| j.map_or(Isometry3::identity(), |j| world_from_joint[j]);
        let size = |pose: &Isometry3<f64>| pose.translation.vector.norm();
        let chain = world_from_joint.iter().map(size).fold(0.0, f64::max);
        // Where it is put elsewhere, and what the link and it itself are off until then.
        let put = moved.map(|moved| moved * self.cell.body_pose(&world_from_joint, body));
        let of_body = self.placed_off[body];
        let of_link = parent.map_or(RigidError::default(), |link| self.placed_off[link]);
        let link = parent.map(|link| self.cell.body_pose(&world_from_joint, link));
        let carried = self.carried(body);
        for &b in &carried {
            let place = self.cell.body_pose(&world_from_joint, b);
            let place = moved.map_or(place, |m| m * place);
            let mut joint_from_body = of_world(joint).inverse() * place;
            joint_from_body.rotation.renormalize();
            let sizes = chain + size(&place) + size(&joint_from_body);
            self.taken_over_m[b] += 1.0 + sizes;
            // Errors of the joints that have brought it here and of those that it is given to.
            let chains = [self.cell.bodies[b].joint, joint];
            let at = PlaceAt {
                world_from_joint: &world_from_joint,
                body: &place,
                sizes,
            };
            let [before, after] = chains.map(|j| self.off_by_joints(j, joints, &at));
            self.handed_off[b] = self.handed_off[b].and(before.and(after));
            self.placed_off[b] = if let Some(put) = &put {
                // It is where it is stated to be on the link, wherever that one is, and what hangs
                // on it keeps its place beside it.
                let from = |other: &Isometry3<f64>| {
                    (place.translation.vector - other.translation.vector).norm()
                };
                let by_link = of_link.seen_at(link.as_ref().map_or(0.0, from));
                if b == body {
                    by_link
                } else {
                    self.placed_off[b]
                        .and(of_body.seen_at(from(put)))
                        .and(by_link)
                }
            } else {
                let [before, after] = chains.map(|j| self.off_by_chain(j, joints, &at));
                self.placed_off[b].and(before.and(after))
            };
            self.cell.bodies[b].joint = joint;
            self.cell.bodies[b].joint_from_body = joint_from_body;
        }
        // What goes along stays together.
        let stay = |[a, b]: &[BodyId; 2]| carried.contains(a) == carried.contains(b);
        self.cell.put_together.retain(stay);
        self.cell.bodies[body].parent = parent;
        self.cell.bodies[body].role = role;
        // Touches that it was allowed belonged to the place that it has left.
        let name = self.cell.bodies[body].name.clone();
        self.touches.retain(|(b, _)| *b != body);
        self.cell.allowed.retain(|a| {
            !matches!(a.by, AllowedBy::Touch | AllowedBy::SceneTouch(..)) || a.a != name
        });
    }

    /// A body that is taken or put down stays where it really is: that place is off by what has
    /// brought it there, and from then on against the link that takes it also by what that one is
    /// off.
    fn keep_errors(
        &mut self,
        body: BodyId,
        parent: Option<BodyId>,
        world_from_joint: &[Isometry3<f64>],
    ) {
        let Some(budget) = &self.cell.uncertainty else {
            return;
        };
        let off = budget.of_place(&self.cell, world_from_joint, body);
        let Some(link) = parent else {
            if let Some(budget) = &mut self.cell.uncertainty {
                budget.obstacle[body] = off;
            }
            return;
        };
        // Of the link, where the body is: as if the body hung on it without an error of its own.
        let mut held = self.cell.clone();
        let joint = held.bodies[link].joint;
        let carrier = joint.map_or(Isometry3::identity(), |j| world_from_joint[j]);
        let place = self.cell.body_pose(world_from_joint, body);
        held.bodies[body].joint_from_body = carrier.inverse() * place;
        held.bodies[body].joint = joint;
        held.bodies[body].parent = Some(link);
        held.bodies[body].role = Role::Attached;
        if let Some(budget) = &mut held.uncertainty {
            budget.tool[body] = RigidError::default();
        }
        let of_link = held
            .uncertainty
            .as_ref()
            .map(|budget| budget.of_place(&held, world_from_joint, body));
        if let Some(budget) = &mut self.cell.uncertainty {
            budget.tool[body] = off.and(of_link.unwrap_or_default());
        }
    }

    /// How far a body is off that stands in the world, as seen from a joint whose chain is off, or
    /// that hangs on that joint, as seen from the world: by the sum of what the joints are off. Its
    /// origin is no farther from an axis than `sizes`, and the turn is no greater than the sum.
    fn off_by_joints(
        &self,
        joint: Option<JointId>,
        joints: &JointState,
        at: &PlaceAt,
    ) -> RigidError {
        at.by_sum(self.chain(joint).map(|j| joints.off_of(j)).sum())
    }

    /// The same, or what the tool on this chain is off, if that is less.
    ///
    /// The frames of a chain are taken into account one by one, the others being where they are
    /// computed: what one frame is off moves the body by no more than it does there, for all that
    /// comes after is rigid. So the joints beside the tool's own count as before, and the tool as a
    /// whole: its point is off by `shift`, and the body, at a distance r from it, by r times the turn
    /// more. Seen from the tool or from the world, that is the same.
    fn off_by_chain(
        &self,
        joint: Option<JointId>,
        joints: &JointState,
        at: &PlaceAt,
    ) -> RigidError {
        let by_joints = self.off_by_joints(joint, joints, at);
        let chain: Vec<JointId> = self.chain(joint).collect();
        // From the outermost joint inwards.
        let of_tool = |tool: &ToolTube| {
            let place = |joint: JointId| chain.iter().position(|&j| j == joint);
            let (last, first) = (place(tool.last)?, place(tool.first)?);
            let beside = chain.iter().enumerate();
            let beside = beside.filter(|(k, _)| !(last..=first).contains(k));
            let sum = beside.map(|(_, &j)| joints.off_of(j)).sum();
            let point = at.world_from_joint[tool.last] * nalgebra::Point3::from(tool.point);
            let apart = (point.coords - at.body.translation.vector).norm();
            Some(at.by_sum(sum).and(RigidError {
                shift_m: tool.shift + tool.turn * apart,
                turn_rad: tool.turn,
            }))
        };
        let least = |a: RigidError, b: RigidError| RigidError {
            shift_m: a.shift_m.min(b.shift_m),
            turn_rad: a.turn_rad.min(b.turn_rad),
        };
        joints
            .tools
            .iter()
            .filter_map(of_tool)
            .fold(by_joints, least)
    }

    /// A joint and those that carry it, from it inwards.
    fn chain(&self, joint: Option<JointId>) -> impl Iterator<Item = JointId> {
        std::iter::successors(joint, |&j| self.cell.joints[j].parent)
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

/// Where a body is that an event hands over.
struct PlaceAt<'p> {
    world_from_joint: &'p [Isometry3<f64>],
    /// In the world.
    body: &'p Isometry3<f64>,
    /// Bound on the distance of its origin from the axes of all chains, metres.
    sizes: f64,
}

impl PlaceAt<'_> {
    /// By joints that are off by so much together.
    fn by_sum(&self, off: f64) -> RigidError {
        let off = off * (1.0 + self.sizes);
        RigidError {
            shift_m: off,
            turn_rad: off,
        }
    }
}

/// Times of two programs that are nearer than this are one instant, on the clock of the trajectory.
const AT_ONCE: f64 = 1e-3;

/// Where an event makes a place less certain by so much, it is told, metres and radians.
const LOOSE_M: f64 = 1e-3;
const LOOSE_RAD: f64 = 1e-2;

/// A body that is put this little elsewhere has only been rounded: files carry six decimals.
const NOTICED_M: f64 = 1e-5;
const NOTICED_RAD: f64 = 1e-5;
