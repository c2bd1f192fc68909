//! Everything on which an answer depends, as hashes: two cells with the same hash give every
//! program the same answer.
//!
//! Hashes are taken of what was read, not of the files: a comment in a cell file or another order
//! of keys changes nothing. They are taken of everything that was read, also of what no answer is
//! known to depend on: an answer that is found again costs time, one that is wrongly kept costs a
//! machine. Whatever is left out is named, with the reason, where a structure is taken apart; so a
//! new field does not compile until somebody has thought about it.

mod cell_digest;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use blake3::Hash;
use cell_digest::pose;
use clearance_formats::{LoadedCell, StaleAllowance};
use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::model::{BodyId, Cell};

use super::record::{AnswerOptions, BUILD, Corners, StandingBody};
use crate::findings::PairClass;
use crate::run::{Digest, MinimumScope, Prepared, Verifier};

/// The parts of a cell by what a change of them concerns.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// Everything but standing bodies; a change concerns every program.
    pub moving_hash: String,
    /// Names of the moving bodies.
    pub moving: Vec<String>,
    /// The standing bodies; a change concerns programs that come near.
    pub standing: Vec<StandingBody>,
    /// All of it.
    pub cell_hash: String,
}

impl Identity {
    /// Of a prepared cell.
    pub fn of(verifier: &Verifier) -> Self {
        let scene = verifier.scene();
        let movers = scene.moving_bodies();
        let stand = scene.standing_bodies();
        let moving_hash = moving_part(verifier, &movers, &stand);
        let standing: Vec<StandingBody> = stand
            .into_iter()
            .map(|b| standing_body(verifier, b, &movers))
            .collect();
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
        let stale = &verifier.prepared().loaded.stale;
        all.text(&said_of_pairs(scene.cell, stale).to_hex());
        Identity {
            moving_hash: moving_hash.to_hex().to_string(),
            moving: movers
                .into_iter()
                .map(|b| scene.cell.bodies[b].name.clone())
                .collect(),
            standing,
            cell_hash: all.finish().to_hex().to_string(),
        }
    }
}

/// Hash of all that answers depend on in a cell.
pub fn cell_hash(verifier: &Verifier) -> String {
    Identity::of(verifier).cell_hash
}

/// The statements of the cell's files about pairs. Most of them show in the pairs that are checked,
/// but events of a program can put bodies together that stand still without them, and an audit
/// reports allowed pairs.
fn said_of_pairs(cell: &Cell, stale: &[StaleAllowance]) -> Hash {
    let mut digest = Digest::new("said");
    digest.count(cell.allowed.len());
    for allowance in &cell.allowed {
        digest.allowance(allowance);
    }
    digest.count(cell.enabled.len());
    for names in &cell.enabled {
        names.iter().for_each(|name| digest.text(name));
    }
    digest.count(stale.len());
    for stale in stale {
        digest.stale(stale);
    }
    digest.count(cell.thresholds.len());
    for stated in &cell.thresholds {
        digest.threshold(stated);
    }
    digest.finish()
}

/// Everything besides a program that its answer depends on.
pub fn key(options: &AnswerOptions, cell_hash: &str) -> String {
    let mut digest = Digest::new("key");
    digest.text(BUILD);
    digest.text(env!("CARGO_PKG_VERSION"));
    digest.text(cell_hash);
    let AnswerOptions {
        required_clearance,
        warn,
        resolution,
        limits,
        all,
        minimum,
        minimum_overall,
        minimum_pairs,
        margin,
        audit_allowed,
        interpolation,
        routine,
        orientation_tube,
        exact_corners,
        method,
        shape,
        timings,
    } = options;
    digest.numbers(&[*required_clearance, *resolution, *orientation_tube]);
    digest.option(*warn, |d, warn| d.numbers(&[warn]));
    digest.option(*minimum_pairs, |d, within| d.numbers(&[within]));
    for flag in [
        limits,
        all,
        minimum,
        minimum_overall,
        margin,
        audit_allowed,
        exact_corners,
        timings,
    ] {
        digest.flag(*flag);
    }
    digest.option(interpolation.as_ref(), |d, interpolation| {
        d.text(interpolation)
    });
    digest.option(routine.as_ref(), |d, routine| d.text(routine));
    digest.text(method);
    digest.text(shape);
    digest.finish().to_hex().to_string()
}

/// Of the names of programs, in order.
pub fn names(names: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut digest = Digest::new("names");
    for name in names {
        digest.text(name.as_ref());
    }
    digest.finish().to_hex().to_string()
}

/// A box as result files hold it: rounded outwards to a tenth of a millimetre.
pub fn corners(held: &Aabb) -> Corners {
    let low = held.min.coords.map(|x| (x * 1e4).floor() / 1e4);
    let high = held.max.coords.map(|x| (x * 1e4).ceil() / 1e4);
    [low.x, low.y, low.z, high.x, high.y, high.z]
}

fn standing_body(verifier: &Verifier, id: BodyId, movers: &[BodyId]) -> StandingBody {
    let scene = verifier.scene();
    let body = &scene.cell.bodies[id];
    let mut digest = Digest::new("body");
    // Its pose stands beside the hash: where a body was only moved, that is what is said.
    digest.body_anywhere(body, scene.cell);
    digest.errors_of_body(scene.cell.uncertainty.as_ref(), id);
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
    StandingBody {
        name: body.name.clone(),
        hash: digest.finish().to_hex().to_string(),
        pose: pose(&body.joint_from_body),
        boxes: scene.occupied_boxes(id).iter().map(corners).collect(),
        pairs: pairs.collect(),
    }
}

/// Joints, values at rest, all bodies but those that stand still and have a shape, the pairs among
/// moving ones, whether there is any pair at all, and what leaves the question open. Frames without
/// geometry belong to it: events attach bodies to them.
fn moving_part(verifier: &Verifier, movers: &[BodyId], standing: &[BodyId]) -> Hash {
    let scene = verifier.scene();
    let Cell {
        source: _, // A name.
        places: _, // Names: a line more above changes no answer.
        robots,
        joints,
        bodies,
        rest,
        allowed: _,      // See `said_of_pairs`.
        enabled: _,      // Likewise.
        thresholds: _,   // Likewise.
        put_together: _, // By events, which are in the hash of their program.
        unchecked,
        notes,
        notices,
        uncertainty,
        fixed,
    } = scene.cell;
    let LoadedCell {
        cell: _, // See above.
        robots: stated,
        files: _,    // Names.
        patterns: _, // What they match is among the files of controllers.
        packages: _, // Names.
        absent: _,   // Likewise.
        unitless: _, // What it leaves open is among the notices.
        settings: _, // As they hold, after the command line: in the question.
        stale: _,    // See `said_of_pairs`.
        up_axes,
    } = &verifier.prepared().loaded;
    let mut digest = Digest::new("moving");
    digest.text(BUILD);
    digest.count(robots.len());
    for (robot, stated) in robots.iter().zip(stated) {
        digest.robot(robot, stated);
    }
    digest.count(joints.len());
    for joint in joints {
        digest.joint(joint);
    }
    digest.numbers(rest);
    digest.count(fixed.len());
    for (robot, name) in fixed {
        digest.count(*robot);
        digest.text(name);
    }
    // A choice that was made is in the shapes; a choice that was left open is told by notices, and
    // may leave the question open.
    digest.count(up_axes.len());
    for up_axis in up_axes {
        digest.up_axis(up_axis, scene.cell);
    }
    let tree = (0..bodies.len()).filter(|b| !standing.contains(b));
    for body in tree {
        digest.text("body");
        digest.body(&bodies[body], scene.cell);
        digest.errors_of_body(uncertainty.as_ref(), body);
    }
    let budget = uncertainty.as_ref().filter(|u| !u.is_none());
    digest.option(budget, Digest::errors);
    digest.text("pairs");
    for (pair, &warn) in scene.pairs.iter().zip(&verifier.warn_distances()) {
        let place = |id| movers.iter().position(|&m| m == id);
        if let (Some(a), Some(b)) = (place(pair.a), place(pair.b)) {
            digest.count(a);
            digest.count(b);
            digest.numbers(&[pair.clearance]);
            digest.option(warn, |d, warn| d.numbers(&[warn]));
        }
    }
    // A standing body may be the only one that anything is checked against: without any pair
    // nothing is clear, however far away it is.
    digest.flag(scene.pairs.is_empty());
    // It may also be the first or the last pair of its class, and the least of each class is
    // reported.
    let classes = scene.pairs.iter().filter_map(|pair| {
        let scope = verifier.job().minimum_scope();
        (scope == Some(MinimumScope::Classes)).then(|| scene.cell.pair_class(pair.a, pair.b))?
    });
    let classes: BTreeSet<PairClass> = classes.collect();
    digest.count(classes.len());
    for class in classes {
        digest.text(class.as_str());
    }
    // Notes that leave nothing open change no answer; some tell of the machine, such as a cache
    // that cannot be written.
    let Prepared {
        unchecked: more_unchecked,
        notes: more_notes,
        notices: more_notices,
        ..
    } = verifier.prepared();
    let said = [
        unchecked,
        notes,
        notices,
        more_unchecked,
        more_notes,
        more_notices,
    ];
    for remark in said.into_iter().flatten().filter(|remark| remark.is_open()) {
        digest.remark(remark);
    }
    digest.finish()
}
