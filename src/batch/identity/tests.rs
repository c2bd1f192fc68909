//! One thing at a time is made different, and every time the identity must be another one.

mod changes;
mod controllers;

use std::sync::Arc;

use clearance_formats::{LoadedCell, NamedState, StaleAllowance, UpAxis};
use clearance_methods::backends::BackendKind;
use clearance_methods::sampling::SamplingStep;
use clearance_methods::{Method, TimeMethod};
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{
    Allowance, AllowedBy, Body, Cell, Form, Interpolation, JointKind, Mimic, PairThreshold, Role,
    Uncertainty,
};
use nalgebra::{Isometry3, Unit, Vector3};

use changes::*;

use super::super::baseline::zones;
use super::super::record::ResultHeader;
use super::super::run::{BatchJob, header};
use crate::findings::{Code, Diagnostic, Severity};
use crate::run::{
    CacheFolder, CellJob, Job, MinimumScope, NoProgress, Prepared, Verifier, prepare,
};

/// A SCARA with a gripper of two fingers (one follows the other), what it carries, a frame on its
/// arm, and its cell.
fn base() -> (BatchJob, Prepared) {
    let cell = CellJob {
        cache: CacheFolder::Off,
        ..CellJob::file(format!(
            "{}/robots/scara/cell.toml",
            env!("CARGO_MANIFEST_DIR")
        ))
    };
    let mut prepared = prepare(&cell, &NoProgress).unwrap();
    let arm = prepared.loaded.cell.body("link_2").unwrap();
    prepared.loaded.cell.bodies.push(Body {
        name: "tip".into(),
        role: Role::Link { robot: 0 },
        joint: prepared.loaded.cell.bodies[arm].joint,
        joint_from_body: Isometry3::identity(),
        parent: Some(arm),
        shapes: Vec::new(),
    });
    prepared.trees.push(Vec::new());
    let batch = BatchJob {
        job: Job {
            cell,
            ..Job::new("", vec!["a.csv".into()])
        },
        given: None,
        shard: None,
        results: None,
        resume: false,
        baseline: None,
        timings: false,
        certificates: None,
    };
    (batch, prepared)
}

fn header_of(batch: &BatchJob, prepared: &Prepared) -> ResultHeader {
    header(batch, &Verifier::new(&batch.job, prepared).unwrap(), None)
}

/// Whether a run that is compared with an earlier one sees that something concerns programs without
/// events.
fn concerns(old: &ResultHeader, new: &ResultHeader) -> bool {
    old.options != new.options
        || old.moving_hash != new.moving_hash
        || old.moving != new.moving
        || !zones(&old.standing, &new.standing).0.is_empty()
}

#[test]
fn whatever_is_changed_is_another_question() {
    let (batch, prepared) = base();
    let before = header_of(&batch, &prepared);
    let body = |name: &str| prepared.loaded.cell.body(name).unwrap();
    let has_mesh = |id: usize| {
        let shapes = &prepared.loaded.cell.bodies[id].shapes;
        matches!(shapes.first().map(|s| &s.form), Some(Form::Mesh { .. }))
    };
    let bodies = 0..prepared.loaded.cell.bodies.len();
    let moves = |id: usize| prepared.loaded.cell.bodies[id].joint.is_some();
    // A frame on the arm to which events attach, a link, something carried, something that stands.
    let frame = bodies
        .clone()
        .find(|&b| moves(b) && prepared.loaded.cell.bodies[b].shapes.is_empty());
    let link = bodies.clone().find(|&b| {
        moves(b) && has_mesh(b) && matches!(prepared.loaded.cell.bodies[b].role, Role::Link { .. })
    });
    let standing = bodies.clone().find(|&b| {
        !moves(b) && has_mesh(b) && prepared.loaded.cell.bodies[b].role == Role::Obstacle
    });
    let carried = bodies
        .clone()
        .find(|&b| prepared.loaded.cell.bodies[b].role == Role::Attached);
    let (frame, link, standing, carried) = (
        frame.unwrap(),
        link.unwrap(),
        standing.unwrap(),
        carried.unwrap(),
    );
    let mimic = (0..prepared.loaded.cell.joints.len())
        .find(|&j| prepared.loaded.cell.joints[j].mimic.is_some())
        .unwrap();
    let checked = |of: usize, stands: bool| {
        let pairs = &prepared.pairs.checked;
        pairs
            .iter()
            .position(|p| (p.a == of || p.b == of) && (moves(p.a) && moves(p.b)) != stands)
    };
    let moving_pair = checked(link, false).unwrap();
    let standing_pair = checked(link, true).unwrap();

    let mut changes = of_joints(mimic);
    for (name, id) in [
        ("frame", frame),
        ("link", link),
        ("obstacle", standing),
        ("attachment", carried),
    ] {
        changes.extend(of_body(name, id));
    }
    changes.extend(of_shape("shape of the link", link));
    changes.extend(of_shape("shape of the obstacle", standing));
    changes.push(cell("joint of the frame", |c| {
        c.bodies[frame].joint = Some(0)
    }));
    changes.push(cell("joint of the link", |c| {
        c.bodies[link].joint = Some(2)
    }));
    changes.push((
        "a frame more",
        Box::new(move |_, prepared| {
            let mut more = prepared.loaded.cell.bodies[frame].clone();
            more.name += "_more";
            prepared.loaded.cell.bodies.push(more);
            prepared.trees.push(Vec::new());
        }),
    ));
    changes.extend(of_checked_pairs(moving_pair, standing_pair));
    changes.extend(controllers::of_controllers());
    changes.extend(of_options());
    let said = changes.len();
    changes.extend(of_pairs());
    assert!(changes.len() > 100, "{}", changes.len());
    assert!(body("table") != frame);

    let mut known = vec![("nothing", before.key.clone())];
    for (index, (what, change)) in changes.iter().enumerate() {
        let (mut batch, mut prepared) = (batch.clone(), prepared.clone());
        change(&mut batch, &mut prepared);
        let after = header_of(&batch, &prepared);
        if let Some((same, _)) = known.iter().find(|(_, key)| *key == after.key) {
            panic!("change {index} ({what}) has the key of `{same}`");
        }
        known.push((what, after.key.clone()));
        assert!(
            index >= said || concerns(&before, &after),
            "a comparison does not see change {index} ({what})"
        );
    }
}

/// A change that changes no answer keeps its results: names of files, notes, the number of threads.
#[test]
fn what_changes_no_answer_is_the_same_question() {
    let (batch, prepared) = base();
    let before = header_of(&batch, &prepared);
    let changes = [
        cell("name of the cell file", |c| c.source = "x".into()),
        stated("files", |c| c.files.clear()),
        cell("name of the URDF", |c| c.robots[0].urdf = "x".into()),
        cell("note", |c| c.notes.push(remark(false))),
        (
            "note of the machine",
            Box::new(|_, prepared| prepared.notes.push(remark(false))),
        ),
        job("threads", |j| j.cell.threads = Some(1)),
        job("cache", |j| j.cell.cache = CacheFolder::Default),
    ];
    for (what, change) in &changes {
        let (mut batch, mut prepared) = (batch.clone(), prepared.clone());
        change(&mut batch, &mut prepared);
        let after = header_of(&batch, &prepared);
        assert_eq!(before.key, after.key, "{what}");
        assert!(!concerns(&before, &after), "{what}");
    }
}

/// The message names the change that was made.
#[test]
fn a_body_that_was_only_moved_has_its_shape() {
    let (batch, prepared) = base();
    let before = header_of(&batch, &prepared);
    let said = |change: fn(&mut Cell)| {
        let (_, mut changed) = base();
        change(&mut changed.loaded.cell);
        let after = header_of(&batch, &changed);
        zones(&before.standing, &after.standing).1
    };
    let moved = said(|cell| {
        let table = cell.body("table").unwrap();
        cell.bodies[table].joint_from_body.translation.x += 0.01;
    });
    assert_eq!(moved, ["`table` stands elsewhere"]);
    let solid = said(|cell| {
        let table = cell.body("table").unwrap();
        cell.bodies[table].shapes[0].solid = Some(false);
    });
    assert!(
        matches!(&solid[..], [said] if said.contains("another shape")),
        "{solid:?}"
    );
}
