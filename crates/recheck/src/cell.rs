//! The cell: joints, bodies, pairs, and when what of them holds.

use std::collections::{BTreeSet, HashSet};

use crate::Invalid;
use crate::numbers::V3;
use crate::pose::IntPose;
use crate::shapes::BodyPart;

/// Pairs of parts that are checked, at most.
const MOST_PAIRS: usize = 1 << 22;

/// Instants are counted in 2 to the minus this of a segment, and no segment is halved more often.
pub const INSTANT_BITS: u32 = 40;

/// No motion has so many segments.
pub const END: usize = 1 << 20;

/// How a joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointMotion {
    /// About its axis.
    Turns,
    /// Along its axis.
    Slides,
    /// Not at all: it is a frame that may be off.
    Stands,
}

/// What the frame of a joint may be off, at any instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JointError {
    /// Any shift of up to this length, 2⁻⁴⁰ m.
    pub shift: i64,
    /// Any turn of up to this angle, 2⁻⁴⁰ rad: about the axis of a joint that turns, else about the
    /// origin of its frame.
    pub turn: i64,
}

/// A joint.
#[derive(Debug, Clone)]
pub struct CellJoint {
    /// Its name.
    pub name: String,
    /// The joint before it, which stands earlier in the list.
    pub parent: Option<usize>,
    /// How it moves.
    pub kind: JointMotion,
    /// What it may be off beside that.
    pub error: JointError,
    /// The joint that moves its frame: itself, or where it stands the one before it that does.
    pub moves_with: Option<usize>,
    /// Pose at value 0 in the moving frame of the joint before it, or in the world.
    pub parent_from_joint: IntPose,
    /// Unit vector, 2⁻⁶⁰.
    pub axis: V3,
}

/// Segments of the motion, those from `from` to before `to`, with both ends of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct During {
    /// First segment.
    pub from: usize,
    /// The one after the last; `END`: all that follow.
    pub to: usize,
}

impl During {
    /// The whole motion.
    pub const ALL: During = During { from: 0, to: END };

    /// Segments of both.
    pub fn and(&self, other: &During) -> During {
        During {
            from: self.from.max(other.from),
            to: self.to.min(other.to),
        }
    }

    /// Whether there are any.
    pub fn is_any(&self) -> bool {
        self.from < self.to
    }

    /// Whether an instant lies in one of them: its ends do.
    pub fn has(&self, instant: u64) -> bool {
        let (from, to) = (instant >> INSTANT_BITS, instant.div_ceil(1 << INSTANT_BITS));
        self.from as u64 <= from && to <= self.to as u64
    }

    /// Whether a segment is one of them.
    pub fn holds(&self, segment: usize) -> bool {
        (self.from..self.to).contains(&segment)
    }
}

/// A body, for as long as it moves with one joint.
#[derive(Debug, Clone)]
pub struct CellBody {
    /// Its name.
    pub name: String,
    /// Joint that it moves with.
    pub joint: Option<usize>,
    /// When it does so.
    pub during: During,
    /// The same body before that, in this list.
    pub before: Option<usize>,
}

/// Two bodies.
#[derive(Debug, Clone)]
pub struct Pair {
    /// First body.
    pub a: usize,
    /// Second body, which stands later in the list.
    pub b: usize,
    /// D, 2⁻⁴⁰ m; or the reason why the pair is not checked.
    pub clearance: Result<i64, String>,
    /// Of which segments this is said: both bodies are there in all of them.
    pub during: During,
}

/// The content of a geometry file.
#[derive(Debug, Clone, Default)]
pub struct Geometry {
    /// Joints, those nearer to the world first.
    pub joints: Vec<CellJoint>,
    /// Bodies.
    pub bodies: Vec<CellBody>,
    /// Their parts.
    pub parts: Vec<BodyPart>,
    /// Every pair of bodies with parts that the motion moves against each other, in every segment
    /// once.
    pub pairs: Vec<Pair>,
    /// Notes of its maker, for people to read.
    pub notes: Vec<String>,
}

impl Geometry {
    /// How each joint moves.
    pub fn kinds(&self) -> Vec<JointMotion> {
        self.joints.iter().map(|joint| joint.kind).collect()
    }

    /// The joint that moves a body.
    pub fn moves_with(&self, body: &CellBody) -> Option<usize> {
        body.joint.and_then(|joint| self.joints[joint].moves_with)
    }

    /// Whether no joint that moves stands in a frame: then no pair has it in common.
    pub fn carries_no_joint(&self, frame: usize) -> bool {
        let mut on = Vec::with_capacity(self.joints.len());
        for (k, joint) in self.joints.iter().enumerate() {
            on.push(k == frame || joint.parent.is_some_and(|parent| on[parent]));
        }
        let mut kinds = on.iter().zip(&self.joints);
        kinds.all(|(on, joint)| !on || joint.kind == JointMotion::Stands)
    }

    /// Whether at every instant every pair of bodies that has to be in the list is there, once, and
    /// what is solid is closed.
    ///
    /// # Errors
    /// When one is missing, or there twice, or something is open.
    pub fn whole(&mut self) -> Result<(), Invalid> {
        if let Some(part) = self.parts.iter().find(|part| !part.is_closed()) {
            let name = &self.bodies[part.body].name;
            return Err(format!("what is solid of {name:?} is not closed").into());
        }
        let mut parts_of = vec![Vec::new(); self.bodies.len()];
        for part in &self.parts {
            parts_of[part.body].push((part.radius, &part.triangles, &part.solid));
        }
        for (body, parts) in self.bodies.iter().zip(&parts_of) {
            if body.before.is_some_and(|before| parts_of[before] != *parts) {
                return Err(format!("{:?} has other triangles than before", body.name).into());
            }
        }
        let has_parts: Vec<bool> = parts_of.iter().map(|parts| !parts.is_empty()).collect();
        let own = self.bodies.iter().filter(|body| body.before.is_none());
        let mut names = BTreeSet::new();
        if let Some(body) = own.into_iter().find(|body| !names.insert(&body.name)) {
            return Err(format!("there are two bodies {:?}", body.name).into());
        }
        let mut names = BTreeSet::new();
        if let Some(joint) = self.joints.iter().find(|joint| !names.insert(&joint.name)) {
            return Err(format!("there are two joints {:?}", joint.name).into());
        }
        for pair in &mut self.pairs {
            for body in [pair.a, pair.b] {
                pair.during = pair.during.and(&self.bodies[body].during);
            }
        }
        for pair in &self.pairs {
            let (a, b) = (&self.bodies[pair.a], &self.bodies[pair.b]);
            let moves = self.moves_with(a) != self.moves_with(b);
            let fits = pair.a < pair.b && pair.during.is_any() && moves;
            let both = has_parts[pair.a] && has_parts[pair.b];
            if !fits || !both || pair.clearance.as_ref().is_ok_and(|&d| d < 0) {
                return Err(format!("{:?} and {:?}: no pair", a.name, b.name).into());
            }
        }
        let checked = self.pairs.iter().filter(|pair| pair.clearance.is_ok());
        let parts = |pair: &Pair| {
            parts_of[pair.a]
                .len()
                .saturating_mul(parts_of[pair.b].len())
        };
        if checked.map(parts).fold(0, usize::saturating_add) > MOST_PAIRS {
            return Err("too many pairs of parts".into());
        }
        self.every_pair_once(&has_parts)
    }

    /// Goes through the motion from change to change, with all pairs that are in the list then.
    fn every_pair_once(&self, has_parts: &[bool]) -> Result<(), Invalid> {
        // What ends with a segment comes before what begins with the next one.
        let mut changes: Vec<(usize, bool, Subject)> = Vec::new();
        let bodies = self.bodies.iter().enumerate();
        let bodies = bodies.map(|(k, body)| (Subject::Body(k), body.during));
        let pairs = self.pairs.iter().enumerate();
        let pairs = pairs.map(|(k, pair)| (Subject::Pair(k), pair.during));
        for (subject, during) in bodies.chain(pairs).filter(|(_, during)| during.is_any()) {
            changes.extend([(during.from, true, subject), (during.to, false, subject)]);
        }
        changes.sort_unstable();
        let mut seen = HashSet::new();
        // Bodies on each joint, their number, and how many pairs of them are on one joint.
        let mut on = vec![0; self.joints.len() + 1];
        let (mut bodies, mut on_one) = (0usize, 0);
        for at_once in changes.chunk_by(|x, y| x.0 == y.0) {
            let segment = at_once[0].0;
            for &(_, begins, subject) in at_once {
                match subject {
                    Subject::Body(k) if has_parts[k] => {
                        let joint = self.moves_with(&self.bodies[k]).map_or(0, |j| j + 1);
                        if begins {
                            on_one += on[joint];
                            on[joint] += 1;
                            bodies += 1;
                        } else {
                            on[joint] -= 1;
                            on_one -= on[joint];
                            bodies -= 1;
                        }
                    }
                    Subject::Body(_) => {}
                    Subject::Pair(k) => {
                        let Pair { a, b, .. } = self.pairs[k];
                        if !begins {
                            seen.remove(&(a, b));
                        } else if !seen.insert((a, b)) {
                            let [a, b] = [a, b].map(|body| &self.bodies[body].name);
                            return Err(format!("{a:?} and {b:?}: twice").into());
                        }
                    }
                }
            }
            let needed = bodies * bodies.saturating_sub(1) / 2 - on_one;
            if segment < END && seen.len() != needed {
                let found = seen.len();
                return Err(format!("{found} pairs in segment {segment}, not {needed}").into());
            }
        }
        Ok(())
    }
}

/// What begins and ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Body(usize),
    Pair(usize),
}
