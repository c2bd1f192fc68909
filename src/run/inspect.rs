//! The parts of a cell, before anything moves.

use clearance_formats::ImportError;
use clearance_proof::bvh::SphereTree;
use clearance_proof::model::{AllowedBy, BodyId, Form, JointId, JointKind, Role, Shape};
use clearance_proof::pairs::{ExcludedPair, PairTable};

use super::prepare::{Prepared, prepare};
use super::suspicious::wide_clearance;
use super::uncovered::nothing_checked;
use super::{CellJob, ProgressListener, bounds, least_possible, reach};
use crate::findings::{
    BodyFacts, Code, Diagnostic, Inspection, JointFacts, Location, PairFacts, SCHEMA, Severity,
    ShapeFacts,
};

/// Reads and prepares a cell, and says what is in it. `unreachable` asks which pairs can never meet
/// within the joint limits, too: in a large cell that takes seconds, much longer than all the rest.
///
/// # Errors
/// When a file that is needed cannot be used.
pub fn inspect(
    job: &CellJob,
    unreachable: bool,
    listener: &dyn ProgressListener,
) -> Result<Inspection, ImportError> {
    super::threads::with_threads(job.threads, || {
        let prepared = prepare(job, listener)?;
        Ok(inspected(job, &prepared, unreachable))
    })
}

pub(super) fn inspected(job: &CellJob, prepared: &Prepared, unreachable: bool) -> Inspection {
    let cell = &prepared.loaded.cell;
    let idle = prepared.pairs.idle.iter().map(|&k| {
        let allowance = &cell.allowed[k];
        let by = match &allowance.by {
            AllowedBy::Srdf(file) | AllowedBy::Scene(file, _) | AllowedBy::SceneTouch(file, _) => {
                file.display().to_string()
            }
            AllowedBy::Cell => "[[allow]]".to_owned(),
            AllowedBy::Touch => "touch".to_owned(),
            AllowedBy::Event(file, line) => format!("{}:{line}", file.display()),
        };
        let place = match &allowance.by {
            AllowedBy::Scene(file, line)
            | AllowedBy::SceneTouch(file, line)
            | AllowedBy::Event(file, line) => Some(Location::at(file, *line, None)),
            AllowedBy::Srdf(file) => Some(Location::file(file)),
            AllowedBy::Cell | AllowedBy::Touch => None,
        };
        Diagnostic {
            subject: format!("{} – {}", allowance.a, allowance.b),
            message: by,
            place,
            severity: Severity::Note,
            code: Code::IdleAllowance,
        }
    });
    let impossible = prepared.impossible.iter().map(|s| Diagnostic {
        subject: s.body.clone(),
        message: s.why.clone(),
        place: s.place.clone(),
        severity: s.consequence.severity(),
        code: Code::SuspiciousScale,
    });
    Inspection {
        schema: SCHEMA,
        tool: "clearance".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cell: job.source.name(),
        reach: reach(cell),
        bodies: (0..cell.bodies.len()).map(|b| body(prepared, b)).collect(),
        joints: (0..cell.joints.len()).map(|j| joint(prepared, j)).collect(),
        pairs: pairs(prepared, unreachable),
        asked_unreachable: unreachable,
        standing_pairs: not_listed(&prepared.pairs),
        idle_allowances: idle.collect(),
        impossible: impossible.collect(),
        notices: notices(prepared),
        unchecked: prepared.unchecked.clone(),
        notes: (job.default_cell().into_iter())
            .chain(prepared.notes.iter().cloned())
            .collect(),
    }
}

/// The notices that a program in this cell would show first.
fn notices(prepared: &Prepared) -> Vec<Diagnostic> {
    let mut notices = prepared.notices.clone();
    let cell = &prepared.loaded.cell;
    let wide = wide_clearance(cell, prepared.loaded.settings.clearance.unwrap_or(0.0));
    notices.extend(wide);
    if prepared.pairs.checked.is_empty() {
        notices.push(nothing_checked(&prepared.loaded.cell));
    }
    notices
}

fn body(prepared: &Prepared, id: BodyId) -> BodyFacts {
    let (cell, body) = (&prepared.loaded.cell, &prepared.loaded.cell.bodies[id]);
    let role = match body.role {
        Role::Link { .. } => "link",
        Role::Attached => "attached",
        Role::Obstacle => "obstacle",
    };
    BodyFacts {
        name: body.name.clone(),
        role: role.to_owned(),
        joint: body.joint.map(|j| cell.joint_label(j)),
        parent: body.parent.map(|p| cell.bodies[p].name.clone()),
        size: bounds(body).map(|around| around.size().into()),
        shapes: body
            .shapes
            .iter()
            .zip(&prepared.trees[id])
            .map(|(s, t)| shape(s, t))
            .collect(),
    }
}

fn shape(shape: &Shape, tree: &SphereTree) -> ShapeFacts {
    let (form, file, closed) = match &shape.form {
        Form::Mesh { file, .. } => ("mesh", Some(file), tree.closed),
        Form::Cloud { file, .. } => ("cloud", Some(file), false),
        Form::Box { .. } => ("box", None, true),
        Form::Sphere { .. } => ("sphere", None, true),
        Form::Cylinder { .. } => ("cylinder", None, true),
        Form::Cone { .. } => ("cone", None, true),
        Form::Capsule { .. } => ("capsule", None, true),
    };
    ShapeFacts {
        form: form.to_owned(),
        file: file.map(|f| f.display().to_string()),
        triangles: tree.triangles.len(),
        closed,
        nodes: tree.nodes.len(),
        bytes: tree.memory_bytes(),
    }
}

fn joint(prepared: &Prepared, id: JointId) -> JointFacts {
    let (cell, joint) = (&prepared.loaded.cell, &prepared.loaded.cell.joints[id]);
    let kind = match joint.kind {
        JointKind::Revolute => "revolute",
        JointKind::Continuous => "continuous",
        JointKind::Prismatic => "prismatic",
    };
    JointFacts {
        name: cell.joint_label(id),
        kind: kind.to_owned(),
        position: joint.limits.position.map(|(lower, upper)| [lower, upper]),
        velocity: joint.limits.velocity,
        acceleration: joint.limits.acceleration,
        follows: joint.mimic.map(|m| cell.joint_label(m.source)),
        rest: cell.rest[id],
    }
}

/// So many pairs of bodies that stand still are listed one by one; more are counted.
const MOST_LISTED: usize = 10_000;

/// Pairs that are not checked, as far as they are listed one by one.
pub(super) fn listed(pairs: &PairTable) -> Vec<ExcludedPair> {
    if not_listed(pairs) == 0 {
        pairs.all_excluded()
    } else {
        pairs.excluded.clone()
    }
}

/// How many pairs of bodies that stand still are counted only.
pub(super) fn not_listed(pairs: &PairTable) -> usize {
    let standing = pairs.standing_pairs();
    if standing > MOST_LISTED { standing } else { 0 }
}

fn pairs(prepared: &Prepared, unreachable: bool) -> Vec<PairFacts> {
    let name = |b: BodyId| prepared.loaded.cell.bodies[b].name.clone();
    let default = prepared.loaded.settings.clearance.unwrap_or(0.0);
    let least = if unreachable {
        least_possible(prepared, default)
    } else {
        vec![None; prepared.pairs.checked.len()]
    };
    let checked = prepared.pairs.checked.iter().zip(least);
    let checked = checked.map(|(p, least_possible)| PairFacts {
        a: name(p.a),
        b: name(p.b),
        checked: true,
        required_clearance: Some(p.clearance.unwrap_or(default)),
        least_possible,
        kind: None,
        reason: None,
    });
    let excluded = listed(&prepared.pairs).into_iter().map(|p| PairFacts {
        a: name(p.a),
        b: name(p.b),
        checked: false,
        required_clearance: None,
        least_possible: None,
        kind: Some(p.reason.as_str().to_owned()),
        reason: Some(p.reason.to_string()),
    });
    checked.chain(excluded).collect()
}
