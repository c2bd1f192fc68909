//! Shimada, Okano and Kawabe: distance queries of the bisection (L) against interference queries of
//! sampling (I), at the same accuracy.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use clearance::findings::{Verdict, Work};
use clearance_methods::MethodError;
use clearance_methods::backends::{Backend, BackendKind, Prebuilt, ShapeFineness, build};
use clearance_methods::halving;
use clearance_methods::sampling::{self, SamplingStep};
use clearance_proof::check::Snapshot;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::check::scene::{PartPair, Scene};
use clearance_proof::geometry::random::Random;
use clearance_proof::model::{Interpolation, Segment, Trajectory};

use crate::common::scenes::RESOLUTION;
use crate::common::scenes::flange_down;
use crate::common::{Workload, ours};

/// Motions that are looked at.
const MOTIONS: usize = 400;
/// Their number of samples.
const SAMPLES: usize = 128;

/// Smaller spheres take too long to build for every motion, metres.
const FINEST: f64 = 0.0005;

/// All tables of this source, as Markdown.
pub fn table() -> Result<String, Box<dyn std::error::Error>> {
    let workload = Workload::file(ours("robots/arm6/cell.toml"))?;
    let everything = workload.scene_at(0.0);
    let scene = gripper_and_fixture(&everything)?;
    let mut random = Random(2);
    let mut motions = Vec::new();
    while motions.len() < MOTIONS {
        motions.extend(Motion::any(&scene, &mut random));
    }
    let mut out = String::new();
    chances(&mut out, &scene, &motions)?;
    growth(&mut out, &scene, &motions)?;
    Ok(out)
}

/// The one pair that these tables are about.
fn gripper_and_fixture<'c>(all: &Scene<'c>) -> Result<Scene<'c>, Box<dyn std::error::Error>> {
    let name = |body: usize| all.cell.bodies[body].name.as_str();
    let wanted = |k: &usize| {
        let pair = &all.pairs[*k];
        [name(pair.a), name(pair.b)]
            .iter()
            .all(|n| ["gripper", "fixture"].contains(n))
    };
    let index = (0..all.pairs.len())
        .find(wanted)
        .ok_or("arm6 has no gripper and fixture")?;
    let &[only] = &all.part_pairs[all.part_pairs_of(index)] else {
        return Err("gripper and fixture are of one part each".into());
    };
    let parts = [only.a, only.b].map(|part| all.parts[part].clone());
    let mut scene = Scene::of_parts(all.cell, parts.to_vec());
    scene.pairs.push(all.pairs[index]);
    scene.part_pairs.push(PartPair {
        a: 0,
        b: 1,
        pair: 0,
        ..only
    });
    Ok(scene)
}

/// The same pair at another threshold, metres.
fn at<'c>(scene: &Scene<'c>, clearance: f64) -> Scene<'c> {
    let mut scene = scene.clone();
    scene.pairs[0].clearance = clearance;
    scene
}

/// A straight move in joint space of one second.
struct Motion {
    trajectory: Trajectory,
    /// Length of the way of the gripper's origin, metres.
    length: f64,
    /// Least distance at 1,024 instants, metres.
    least: f64,
}

impl Motion {
    /// From any place over the table to any other, the flange looking down; `None` if it begins
    /// near contact.
    fn any(scene: &Scene, random: &mut Random) -> Option<Self> {
        let place = |random: &mut Random| {
            let turn = -1.4 + 2.8 * random.unit();
            let [q2, q3, q5] =
                flange_down(0.28 + 0.18 * random.unit(), 0.12 + 0.33 * random.unit());
            [turn, q2, q3, 0.0, q5, 3.0 * random.unit() - 1.5]
        };
        let (from, to) = (place(random), place(random));
        let joints = (0..scene.cell.joints.len()).map(|j| match (from.get(j), to.get(j)) {
            (Some(p), Some(q)) => [*p, q - p, 0.0, 0.0, 0.0, 0.0],
            _ => [0.0; 6],
        });
        let segment = Segment::new(0.0, 1.0, joints);
        let mut snapshot = Snapshot::default();
        let (mut length, mut least, mut first) = (0.0, f64::INFINITY, f64::INFINITY);
        let mut before = None;
        for k in 0..=1024 {
            snapshot.set(scene, &segment, k as f64 / 1024.0);
            let place = snapshot.part_pose(scene, 0).translation;
            length += before.map_or(0.0, |b| (place - b as nalgebra::Vector3<f64>).norm());
            before = Some(place);
            let found = scene.pair_distance(0, &mut snapshot, least, &mut 0);
            least = found.map_or(least, |n| n.distance.min(least));
            first = if k == 0 { least } else { first };
        }
        let trajectory = Trajectory {
            segments: vec![segment],
            interpolation: Interpolation::Linear,
            timed: true,
        };
        (first > length / 8.0).then_some(Motion {
            trajectory,
            length,
            least,
        })
    }

    /// Threshold that gives bisection the accuracy of that many samples, as theirs.
    fn threshold(&self, samples: usize) -> f64 {
        self.length / samples as f64
    }

    /// Unit operations: L and whether contact was found, I likewise.
    fn compared(
        &self,
        scene: &Scene,
        samples: usize,
        shape: Kind,
    ) -> Result<[(u64, bool); 2], Box<dyn std::error::Error>> {
        let threshold = self.threshold(samples);
        let scene = at(scene, threshold);
        let options = CheckOptions {
            resolution: threshold,
            all: false,
            minimum: false,
            minimum_by_class: false,
            minimum_pairs: None,
        };
        let mut shape = shape(&scene)?;
        let halved = halving::check(&scene, &self.trajectory, &mut *shape, &options, &|_| ());
        let step = SamplingStep::Time(1.0 / samples as f64);
        let sampled = sampling::check(
            &scene,
            &self.trajectory,
            &mut *shape,
            step,
            &options,
            &|_| (),
        );
        let work = |result: &clearance_proof::check::bisection::CheckResult| {
            result.statistics.work.unwrap_or_default()
        };
        Ok([
            (
                work(&halved).distance_queries,
                halved.verdict != Verdict::Clear,
            ),
            (
                work(&sampled).interference_queries,
                sampled.verdict == Verdict::Collision,
            ),
        ])
    }
}

/// Makes a shape ready.
type Kind = for<'s> fn(&'s Scene<'s>) -> Result<Box<dyn Backend + 's>, MethodError>;

fn precise<'s>(scene: &'s Scene<'s>) -> Result<Box<dyn Backend + 's>, MethodError> {
    build(
        BackendKind::SphereTree,
        scene,
        &ShapeFineness::default(),
        RESOLUTION,
        &Prebuilt::default(),
        &mut Work::default(),
    )
}

thread_local! {
    /// Covers by their radius: it takes longer to build than to ask them.
    static COVERS: RefCell<HashMap<i32, Prebuilt>> = RefCell::default();
}

/// Spheres only, of a radius that suits the threshold: an eighth of it or a little less, so that
/// contacts are at most half a threshold early.
fn rough<'s>(scene: &'s Scene<'s>) -> Result<Box<dyn Backend + 's>, MethodError> {
    let wanted = (scene.pairs[0].clearance / 8.0).max(FINEST);
    let step = (2.0 * (wanted / FINEST).log2()).floor() as i32;
    let fineness = ShapeFineness {
        leaf_radius: Some(FINEST * 2f64.powf(f64::from(step) / 2.0)),
        ..ShapeFineness::default()
    };
    let kind = BackendKind::Ranked;
    COVERS.with(|covers| {
        let mut covers = covers.borrow_mut();
        let prebuilt = match covers.entry(step) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(Prebuilt::of(kind, scene, &fineness, RESOLUTION)?),
        };
        build(
            kind,
            scene,
            &fineness,
            RESOLUTION,
            prebuilt,
            &mut Work::default(),
        )
    })
}

fn mean(values: impl Iterator<Item = u64>) -> f64 {
    let all: Vec<f64> = values.map(|v| v as f64).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

/// Their Figure 9.
fn chances(
    out: &mut String,
    scene: &Scene,
    motions: &[Motion],
) -> Result<(), Box<dyn std::error::Error>> {
    *out += &format!(
        "Gripper of `arm6` against its fixture: {MOTIONS} random straight moves in joint space, {SAMPLES} samples, D = length / {SAMPLES}; means.\n\n\
         | chance of collision | motions | L, precise | L, rough | I, precise | I, rough | contacts, precise | rough |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    let near = |m: &Motion| m.least / m.length;
    let d = 1.0 / SAMPLES as f64;
    type Class<'c> = (&'c str, Box<dyn Fn(&Motion) -> bool>);
    let classes: [Class; 4] = [
        (
            "low: never nearer than half the length",
            Box::new(move |m| near(m) > 0.5),
        ),
        (
            "middle: never nearer than 8 D",
            Box::new(move |m| near(m) <= 0.5 && near(m) > 8.0 * d),
        ),
        (
            "high, no contact",
            Box::new(move |m| near(m) <= 8.0 * d && near(m) > d),
        ),
        ("high, contact", Box::new(move |m| near(m) <= d)),
    ];
    for (name, holds) in classes {
        let mut counts = Vec::new();
        for motion in motions.iter().filter(|m| holds(m)) {
            let [l, i] = motion.compared(scene, SAMPLES, precise)?;
            let [l_rough, i_rough] = motion.compared(scene, SAMPLES, rough)?;
            let hits = [l.1, l_rough.1].map(u64::from);
            counts.push([l.0, l_rough.0, i.0, i_rough.0, hits[0], hits[1]]);
        }
        let column = |k: usize| format!("{:.1}", mean(counts.iter().map(|c| c[k])));
        let hits = |k: usize| counts.iter().map(|c| c[k]).sum::<u64>();
        *out += &format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} |\n",
            counts.len(),
            column(0),
            column(1),
            column(2),
            column(3),
            hits(4),
            hits(5)
        );
    }
    Ok(())
}

/// L against log2 n.
fn growth(
    out: &mut String,
    scene: &Scene,
    motions: &[Motion],
) -> Result<(), Box<dyn std::error::Error>> {
    *out += "\nThe same motions as n grows (D = length / n), precise shapes; means.\n\n\
             | n | log2 n | L, no contact | L, contact | L, all | L / log2 n | I, all |\n|---|---|---|---|---|---|---|\n";
    for samples in [16, 32, 64, 128, 256, 512, 1024, 2048] {
        let mut free = Vec::new();
        let mut hits = Vec::new();
        let mut sampled = Vec::new();
        for motion in motions {
            let [l, i] = motion.compared(scene, samples, precise)?;
            if l.1 {
                hits.push(l.0)
            } else {
                free.push(l.0)
            }
            sampled.push(i.0);
        }
        let log = (samples as f64).log2();
        let all = mean(free.iter().chain(&hits).copied());
        *out += &format!(
            "| {samples} | {log} | {:.1} | {:.1} | {all:.1} | {:.2} | {:.1} |\n",
            mean(free.iter().copied()),
            mean(hits.iter().copied()),
            all / log,
            mean(sampled.iter().copied())
        );
    }
    Ok(())
}
