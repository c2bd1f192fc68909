//! What an answer depends on, as hashes: two cells with the same hash give every program the same answer.
//!
//! Hashes are taken of what was read, not of the files: a comment in a cell file or another order of keys changes nothing.

use blake3::{Hash, Hasher};
use nalgebra::Isometry3;

use super::record::{Corners, Question, Standing};
use crate::engines::reach::{WorldBox, moving, occupied, standing};
use crate::model::{Allowance, AllowedBy, BodyId, Form, JointKind, PairThreshold, Shape};
use crate::verify::Verifier;

/// The parts of a cell by what a change of them concerns.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// Everything that moves; a change concerns every program.
    pub moving_hash: String,
    /// Names of the moving bodies.
    pub moving: Vec<String>,
    /// What stands still; a change concerns programs that come near.
    pub standing: Vec<Standing>,
    /// All of it.
    pub cell_hash: String,
}

impl Identity {
    /// Of a prepared cell.
    pub fn of(verifier: &Verifier) -> Self {
        let scene = verifier.scene();
        let name = |b: BodyId| scene.cell.bodies[b].name.clone();
        let movers = moving(scene);
        let standing: Vec<Standing> = standing(scene)
            .into_iter()
            .map(|b| standing_body(verifier, b, &movers))
            .collect();
        let moving_hash = moving_part(verifier, &movers);
        let mut all = Digest::new("cell");
        all.text(&moving_hash.to_hex());
        for body in &standing {
            all.text(&body.name);
            all.text(&body.hash);
            all.numbers(&body.pose);
            for &(mover, clearance, keep_off) in &body.pairs {
                all.count(mover);
                all.numbers(&[clearance, keep_off]);
            }
        }
        all.text(&said_of_pairs(&scene.cell.allowed, &scene.cell.thresholds).to_hex());
        Identity {
            moving_hash: moving_hash.to_hex().to_string(),
            moving: movers.into_iter().map(name).collect(),
            standing,
            cell_hash: all.finish().to_hex().to_string(),
        }
    }
}

/// What the cell's files say about pairs. Most of it shows in the pairs that are checked, but events of a program can put
/// bodies together that stand still without them, and an audit tells of what is allowed.
fn said_of_pairs(allowed: &[Allowance], thresholds: &[PairThreshold]) -> Hash {
    let mut digest = Digest::new("said");
    digest.count(allowed.len());
    for allowance in allowed {
        digest.text(&allowance.a);
        digest.text(&allowance.b);
        digest.text(&allowance.reason);
        digest.text(match allowance.by {
            AllowedBy::Srdf(_) => "srdf",
            AllowedBy::Cell => "cell",
            AllowedBy::Touch => "touch",
            AllowedBy::Event(..) => "event",
        });
    }
    digest.count(thresholds.len());
    for stated in thresholds {
        digest.text(&stated.a);
        digest.text(&stated.b);
        digest.numbers(&[stated.clearance]);
        digest.option(stated.warn, |d, warn| d.numbers(&[warn]));
    }
    digest.finish()
}

/// Everything besides a program that its answer depends on.
pub fn key(question: &Question, cell_hash: &str) -> String {
    let mut digest = Digest::new("key");
    digest.text(env!("CARGO_PKG_VERSION"));
    digest.text(cell_hash);
    let Question {
        clearance,
        warn,
        resolution,
        limits,
        all,
        minimum,
        audit_allowed,
        interpolation,
        method,
        shape,
        timings,
    } = question;
    digest.numbers(&[*clearance, *resolution]);
    digest.option(*warn, |d, warn| d.numbers(&[warn]));
    for flag in [limits, all, minimum, audit_allowed, timings] {
        digest.count(usize::from(*flag));
    }
    digest.option(interpolation.as_ref(), |d, law| d.text(law));
    digest.text(method);
    digest.text(shape);
    digest.finish().to_hex().to_string()
}

/// Of the names of programs, in order.
pub fn names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut digest = Digest::new("names");
    for name in names {
        digest.text(name);
    }
    digest.finish().to_hex().to_string()
}

/// A box as result files hold it: rounded outwards to a tenth of a millimetre.
pub fn corners(held: &WorldBox) -> Corners {
    let low = held.low.coords.map(|x| (x * 1e4).floor() / 1e4);
    let high = held.high.coords.map(|x| (x * 1e4).ceil() / 1e4);
    [low.x, low.y, low.z, high.x, high.y, high.z]
}

fn standing_body(verifier: &Verifier, id: BodyId, movers: &[BodyId]) -> Standing {
    let scene = verifier.scene();
    let body = &scene.cell.bodies[id];
    let mut digest = Digest::new("shapes");
    digest.shapes(&body.shapes);
    let warn = verifier.warn_distances();
    let pairs = scene.pairs.iter().zip(&warn).filter_map(|(p, warn)| {
        let mover = match (p.a == id, p.b == id) {
            (true, _) => p.b,
            (_, true) => p.a,
            _ => return None,
        };
        let place = movers.iter().position(|&m| m == mover)?;
        Some((place, p.clearance, warn.unwrap_or(p.clearance)))
    });
    Standing {
        name: body.name.clone(),
        hash: digest.finish().to_hex().to_string(),
        pose: pose(&body.joint_from_body),
        boxes: occupied(scene, id).iter().map(corners).collect(),
        pairs: pairs.collect(),
    }
}

/// Joints, moving bodies, the pairs among them, values at rest, and what leaves the question open.
fn moving_part(verifier: &Verifier, movers: &[BodyId]) -> Hash {
    let scene = verifier.scene();
    let cell = scene.cell;
    let mut digest = Digest::new("moving");
    digest.count(cell.robots.len());
    for robot in &cell.robots {
        digest.text(&robot.name);
    }
    digest.count(cell.joints.len());
    for (joint, &rest) in cell.joints.iter().zip(&cell.rest) {
        digest.text(&joint.name);
        digest.count(joint.robot);
        digest.option(joint.parent, |d, parent| d.count(parent));
        digest.numbers(&pose(&joint.parent_from_joint));
        digest.numbers(joint.axis.as_slice());
        digest.text(match joint.kind {
            JointKind::Revolute => "revolute",
            JointKind::Continuous => "continuous",
            JointKind::Prismatic => "prismatic",
        });
        digest.option(joint.limits.position, |d, (low, high)| {
            d.numbers(&[low, high])
        });
        digest.option(joint.limits.velocity, |d, v| d.numbers(&[v]));
        digest.option(joint.limits.acceleration, |d, a| d.numbers(&[a]));
        digest.option(joint.mimic, |d, mimic| {
            d.count(mimic.source);
            d.numbers(&[mimic.multiplier, mimic.offset]);
        });
        digest.numbers(&[rest]);
    }
    digest.count(movers.len());
    for &id in movers {
        let body = &cell.bodies[id];
        digest.text(&body.name);
        digest.option(body.joint, |d, joint| d.count(joint));
        digest.numbers(&pose(&body.joint_from_body));
        digest.shapes(&body.shapes);
    }
    for (pair, &warn) in scene.pairs.iter().zip(&verifier.warn_distances()) {
        let place = |id| movers.iter().position(|&m| m == id);
        if let (Some(a), Some(b)) = (place(pair.a), place(pair.b)) {
            digest.count(a);
            digest.count(b);
            digest.numbers(&[pair.clearance]);
            digest.option(warn, |d, warn| d.numbers(&[warn]));
        }
    }
    let prepared = verifier.prepared();
    for open in prepared.unchecked.iter().chain(&prepared.notes) {
        if open.open {
            digest.text(&open.what);
            digest.text(&open.why);
        }
    }
    digest.finish()
}

fn pose(p: &Isometry3<f64>) -> [f64; 7] {
    let (t, q) = (&p.translation.vector, &p.rotation.coords);
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w]
}

/// A hash of things of several kinds: each is preceded by its length, so that none runs into the next.
struct Digest(Hasher);

impl Digest {
    fn new(what: &str) -> Self {
        let mut digest = Digest(Hasher::new());
        digest.text("clearance library 1");
        digest.text(what);
        digest
    }

    fn finish(&self) -> Hash {
        self.0.finalize()
    }

    fn count(&mut self, n: usize) {
        self.0.update(&(n as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text.as_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        for x in numbers {
            self.0.update(&x.to_bits().to_le_bytes());
        }
    }

    fn option<T>(&mut self, value: Option<T>, then: impl FnOnce(&mut Self, T)) {
        self.count(usize::from(value.is_some()));
        if let Some(value) = value {
            then(self, value);
        }
    }

    fn shapes(&mut self, shapes: &[Shape]) {
        self.count(shapes.len());
        for shape in shapes {
            self.numbers(&pose(&shape.body_from_shape));
            self.option(shape.solid, |d, solid| d.count(usize::from(solid)));
            match &shape.form {
                Form::Mesh { mesh, .. } => {
                    self.text("mesh");
                    self.count(mesh.vertices.len());
                    for vertex in &mesh.vertices {
                        self.numbers(vertex.coords.as_slice());
                    }
                    self.count(mesh.triangles.len());
                    for index in mesh.triangles.iter().flatten() {
                        self.0.update(&index.to_le_bytes());
                    }
                }
                Form::Box { size } => {
                    self.text("box");
                    self.numbers(size.as_slice());
                }
                Form::Sphere { radius } => {
                    self.text("sphere");
                    self.numbers(&[*radius]);
                }
                Form::Cylinder { radius, length } => {
                    self.text("cylinder");
                    self.numbers(&[*radius, *length]);
                }
                Form::Capsule { radius, length } => {
                    self.text("capsule");
                    self.numbers(&[*radius, *length]);
                }
            }
        }
    }
}
