//! The same with events: bodies are attached, put elsewhere and released, and pairs are allowed for
//! a while.

use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::TimeLimit;
use clearance_proof::check::bisection::CheckResult;
use clearance_proof::check::scene::Scene as ContactScene;
use clearance_proof::model::{Event, EventChange, Merged, Phase, Role, Schedule, Timeline, Track};
use clearance_proof::pairs::PairTable;
use clearance_recheck::contact::moved;
use clearance_recheck::motion::CellMotion;
use clearance_recheck::statement::statement;
use nalgebra::Point3;

use super::*;
use crate::{geometry_of_phases, trajectory_of_phases};

/// A scene with events, cut at them.
pub(super) struct SceneWithEvents {
    pub(super) cell: Cell,
    pub(super) phases: Vec<Phase>,
    pub(super) clearance: f64,
}

/// Events at the ends of segments, at both ends of the motion, and between; what is carried is
/// taken by another link, put elsewhere in the hand, or released.
fn scene_with_events(random: &mut Random) -> Option<SceneWithEvents> {
    let Scene {
        cell,
        trajectory,
        clearance,
    } = scene(random);
    let count = trajectory.segments.len();
    let of = |role: fn(&Role) -> bool| {
        let bodies = cell.bodies.iter().enumerate();
        let bodies = bodies.filter(|(_, body)| role(&body.role));
        bodies.map(|(k, _)| k).collect::<Vec<_>>()
    };
    let links = of(|role| matches!(role, Role::Link { .. }));
    let things = of(|role| *role == Role::Obstacle);
    let mut carried = vec![false; cell.bodies.len()];
    let mut timeline = Timeline::default();
    let mut at = 0.0;
    for line in 1..2 + random.below(5) {
        let body = things[random.below(things.len())];
        let link = links[random.below(links.len())];
        let name = |body: usize| cell.bodies[body].name.clone();
        let change = match random.below(6) {
            0 | 1 if carried[body] => {
                carried[body] = false;
                EventChange::Release { bodies: vec![body] }
            }
            0 => EventChange::Allow {
                a: name(body),
                b: name(link),
                until: (random.below(3) > 0).then(|| at + random.between(0.1, 2.0)),
                reason: "for a while".into(),
            },
            kind => {
                carried[body] = true;
                EventChange::Attach {
                    bodies: vec![body],
                    link,
                    link_from_body: (kind == 1).then(|| random.pose(0.3)),
                    touch: (kind > 3).then(|| name(link)).into_iter().collect(),
                }
            }
        };
        timeline.events.push(Event {
            time: at,
            change,
            file: "events.toml".into(),
            line,
            program: None,
        });
        at = match random.below(4) {
            0 => at,
            1 => count as f64,
            2 => (at + 1.0).floor(),
            _ => at + random.between(0.0, 1.5),
        };
        at = at.min(count as f64);
    }
    let track = Track {
        trajectory: &trajectory,
        joints: (0..cell.joints.len()).collect(),
        shift: 0.0,
    };
    let trajectory = Merged::on_one_clock(&cell, &[track], &timeline.cuts()).trajectory;
    let phases = Schedule::new(&cell, &trajectory, &timeline).ok()?.phases;
    let any = |phase: &Phase| !PairTable::new(&phase.cell).checked.is_empty();
    phases.iter().any(any).then_some(SceneWithEvents {
        cell,
        phases,
        clearance,
    })
}

impl SceneWithEvents {
    fn trees(&self) -> Vec<Vec<Arc<SphereTree>>> {
        let shapes = self.cell.bodies.iter().map(|body| body.shapes.iter());
        shapes
            .map(|all| all.map(|s| Arc::new(SphereTree::of(&s.form))).collect())
            .collect()
    }

    pub(super) fn answer(&self) -> CheckResult {
        let trees = self.trees();
        let (time_limit, options) = (TimeLimit::default(), CheckOptions::default());
        let asked =
            CheckResult::of_phases(&self.phases, true, &time_limit, &|_| (), |phase, share| {
                let scene = ContactScene::of_phase(phase, &trees, self.clearance);
                let result = scene.check(&phase.trajectory, &options, share);
                Ok::<_, ()>((result, Vec::new()))
            });
        asked.unwrap().0
    }

    /// A geometry file and the phases say the same of each segment.
    fn is_in(&self, file: &Geometry) {
        let mut from = 0;
        for phase in &self.phases {
            let cell = &phase.cell;
            let table = PairTable::new(cell);
            for segment in from..from + phase.trajectory.segments.len() {
                let number_of = |body: usize| {
                    let all = file.bodies.iter().enumerate();
                    let name = &cell.bodies[body].name;
                    let mut all = all.filter(|(_, b)| b.name == *name && b.during.holds(segment));
                    let (number, is) = all.next().unwrap();
                    assert!(all.next().is_none(), "{name} is there twice");
                    assert_eq!(is.joint, cell.bodies[body].joint, "{name}");
                    number
                };
                let said = |a: usize, b: usize| {
                    let mut of = [number_of(a), number_of(b)];
                    of.sort_unstable();
                    let holds = |pair: &&clearance_recheck::files::Pair| {
                        [pair.a, pair.b] == of && pair.during.holds(segment)
                    };
                    let all: Vec<_> = file.pairs.iter().filter(holds).collect();
                    all.iter()
                        .map(|pair| pair.clearance.is_ok())
                        .collect::<Vec<_>>()
                };
                // Of bodies on one joint the file claims nothing, whether events put them there or
                // not.
                let claims =
                    |a: usize, b: usize| usize::from(cell.bodies[a].joint != cell.bodies[b].joint);
                for pair in &table.checked {
                    let due = &[true][..claims(pair.a, pair.b)];
                    assert_eq!(said(pair.a, pair.b), due, "{pair:?}");
                }
                for pair in &table.excluded {
                    let due = &[false][..claims(pair.a, pair.b)];
                    assert_eq!(said(pair.a, pair.b), due, "{pair:?}");
                }
                // Its surface is where the phase has it.
                for (body, what) in cell.bodies.iter().enumerate() {
                    let mut corners = file.parts.iter().filter(|p| p.body == number_of(body));
                    let corners = corners.next().unwrap().corners.iter().map(|c| {
                        Point3::from(Vector3::from(c.map(|x| x as f64 / (1u64 << 40) as f64)))
                    });
                    let corners: Vec<_> = corners.collect();
                    let shape = &what.shapes[0];
                    let (mesh, _) = shape.form.mesh_and_radius();
                    for p in mesh.corners(0) {
                        let p = what.joint_from_body * shape.body_from_shape * p;
                        let distances = corners.iter().map(|c| (c - p).norm());
                        assert!(
                            distances.fold(f64::INFINITY, f64::min) < 1e-11,
                            "{}",
                            what.name
                        );
                    }
                }
            }
            from += phase.trajectory.segments.len();
        }
    }
}

/// Judges in floating point what a geometry file says about bodies that are handed over: their
/// corners are no farther from where they were than the checker says, and it says hardly more.
/// Returns how many begin where they were, and how many are put elsewhere; the statement says for
/// each which it is.
fn judged_handovers(file: &Geometry, certificate: &Certificate) -> [usize; 2] {
    let motion = CellMotion::new(file, &certificate.segments);
    let mut handovers = [0; 2];
    for (body, is) in file.bodies.iter().enumerate() {
        let Some(before) = is.before else { continue };
        let said = moved(&motion, body).unwrap().unwrap().by as f64 / (1u64 << 40) as f64;
        let poses = oracle::poses(file, certificate, is.during.from, 0.0);
        let of = |body: usize| {
            let parts = file.parts.iter().filter(move |part| part.body == body);
            let pose = file.bodies[body]
                .joint
                .map_or(Isometry3::identity(), |j| poses[j]);
            let corners =
                parts.flat_map(|p| p.triangles.iter().flatten().map(|&k| p.corners[k as usize]));
            let corners = corners.map(|c| Vector3::from(c.map(|x| x as f64 / (1u64 << 40) as f64)));
            corners.map(|c| pose * Point3::from(c)).collect::<Vec<_>>()
        };
        let (was, is) = (of(before), of(body));
        let far = was
            .iter()
            .zip(&is)
            .map(|(p, q)| (p - q).norm())
            .fold(0.0, f64::max);
        assert!(
            far < said + 1e-12 && said < far * (1.0 + 1e-8) + 1e-9,
            "{far} is said to be {said}"
        );
        handovers[usize::from(far > 1e-8)] += 1;
    }
    let text = statement(file, certificate);
    let lines = |words: &str| text.lines().filter(|line| line.contains(words)).count();
    let said = ["; begins where it was", "; IS PUT ELSEWHERE"].map(lines);
    assert_eq!(said, handovers, "{text}");
    handovers
}

pub(super) fn made(
    scene: &SceneWithEvents,
    contact: Option<&ReportedContact>,
) -> (Vec<u8>, Result<Vec<u8>, CertifyError>) {
    let bytes = geometry_of_phases(&scene.phases, &scene.trees(), scene.clearance).unwrap();
    let trajectory = trajectory_of_phases(&scene.phases).unwrap();
    let made = certificate(&bytes, "geometry", &trajectory, contact, &[]);
    (bytes, made.map(|made| made.bytes))
}

/// Catches an attachment that is forgotten or believed, and a pair that is left out for longer than
/// an event allows.
#[test]
#[allow(clippy::print_stdout)] // Figures for docs/certificates.md.
fn programs_with_events_have_valid_certificates_and_nothing_else_has() {
    let mut random = Random(0x0e0e_1234_9abc_def1);
    let (mut clear, mut contacts, mut handed_over, mut elsewhere, mut instants) = (0, 0, 0, 0, 0);
    for number in 0..scenes() {
        let Some(scene) = scene_with_events(&mut random) else {
            continue;
        };
        let result = scene.answer();
        let contact = result.first_contact.as_ref();
        let reported = match (result.verdict, contact) {
            (Verdict::Clear, _) => None,
            (Verdict::Collision, Some(first)) if first.kind == ContactKind::Contact => {
                Some(reported(&scene.cell, first))
            }
            _ => continue,
        };
        let (bytes, certified) = made(&scene, reported.as_ref());
        let file = Geometry::read(&bytes).unwrap_or_else(|e| panic!("scene {number}: {e}"));
        scene.is_in(&file);
        let certified = certified.unwrap_or_else(|e| panic!("scene {number}: {e}"));
        let certificate = whole(&certified, &file);
        valid(&file, &certificate).unwrap_or_else(|e| panic!("scene {number}: {e}"));
        let slack = least_slack(&file, &certificate, 8);
        assert!(slack > -1e-9, "scene {number}: {slack}");
        let [stays, put] = judged_handovers(&file, &certificate);
        (handed_over, elsewhere) = (handed_over + stays, elsewhere + put);
        let last = scene.phases.last().unwrap();
        instants += usize::from(last.instant.is_some());
        if reported.is_some() {
            contacts += 1;
            let all = made(&scene, None).1;
            assert!(all.is_err(), "scene {number}: free with a contact");
        } else {
            clear += 1;
        }
    }
    println!(
        "{clear} clear, {contacts} contacts, {handed_over} handed over, {elsewhere} put elsewhere, {instants} end in an event"
    );
    let enough = |count: usize, share: usize| count * share > scenes();
    assert!(
        enough(clear, 5)
            && enough(contacts, 5)
            && enough(handed_over, 2)
            && enough(elsewhere, 20)
            && enough(instants, 10),
        "{clear} clear, {contacts} contacts, {handed_over} and {elsewhere} handed over, {instants} instants"
    );
}

/// The lines of a geometry file, each with the block of bytes behind it.
pub(super) fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let end = at + bytes[at..].iter().position(|&b| b == b'\n').unwrap() + 1;
        let text = std::str::from_utf8(&bytes[at..end]).unwrap();
        let block = match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["part", _, _, corners, triangles] => {
                let triangles = triangles.parse::<usize>().unwrap();
                24 * corners.parse::<usize>().unwrap() + 12 * triangles + triangles.div_ceil(8)
            }
            _ => 0,
        };
        all.push(bytes[at..end + block].to_vec());
        at = end + block;
    }
    all
}

/// The words of a line, but for the bytes behind it.
pub(super) fn words(line: &[u8]) -> Vec<String> {
    let text = line.split(|&b| b == b'\n').next().unwrap();
    let text = String::from_utf8_lossy(text).into_owned();
    text.split(' ').map(str::to_owned).collect()
}

/// Puts a number into a line in place of another one.
fn put(line: &mut Vec<u8>, word: usize, change: impl Fn(i64) -> i64) {
    let mut said = words(line);
    let was = said.join(" ").len();
    said[word] = change(said[word].parse().unwrap()).to_string();
    line.splice(..was, said.join(" ").into_bytes());
}

/// Leaves out a body that an event hands over: it stays as it was, until the next event.
fn without(all: &mut Vec<Vec<u8>>, change: usize) {
    let number = |line: &[u8]| matches!(words(line)[0].as_str(), "body" | "change");
    let dropped = all[..change].iter().filter(|line| number(line)).count() as i64;
    let before: i64 = words(&all[change])[1].parse().unwrap();
    let shifted = |k: i64| k - i64::from(k > dropped);
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for (index, mut line) in std::mem::take(all).into_iter().enumerate() {
        let said = words(&line);
        let is = |word: usize| said[word].parse() == Ok(dropped);
        match said[0].as_str() {
            _ if index == change => continue,
            "part" if is(1) => continue,
            "check" | "leave" if is(1) || is(2) => continue,
            "change" if is(1) => put(&mut line, 1, |_| before),
            "part" | "change" => put(&mut line, 1, shifted),
            "check" | "leave" => {
                put(&mut line, 1, shifted);
                put(&mut line, 2, shifted);
            }
            _ => {}
        }
        kept.push(line);
    }
    *all = kept;
}

/// A change of what a geometry file says of events. `None`: it says nothing of that kind.
fn tampered_events(random: &mut Random, bytes: &[u8]) -> Option<(&'static str, Vec<u8>)> {
    let mut all = lines(bytes);
    let mut one = |word: &str| {
        let of = all.iter().enumerate().filter(|(_, l)| words(l)[0] == word);
        let of: Vec<usize> = of.map(|(k, _)| k).collect();
        (!of.is_empty()).then(|| of[random.below(of.len())])
    };
    let (during, change, check, leave) = (one("during"), one("change"), one("check"), one("leave"));
    let by = [-1, 1][random.below(2)];
    let what = match random.below(10) {
        0 => {
            let line = &mut all[during?];
            put(line, 1, |k| k + by);
            put(line, 2, |k| k + by);
            "a range shifted"
        }
        1 => {
            put(&mut all[during?], 1 + random.below(2), |k| k + by);
            "a range longer or shorter"
        }
        2 => {
            all.remove(during?);
            "a range forgotten"
        }
        3 => {
            put(&mut all[change?], 2, |k| k + by);
            "handed over a segment earlier or later"
        }
        4 => {
            put(&mut all[change?], 3, |k| k + by);
            "handed to another joint"
        }
        5 => {
            without(&mut all, change?);
            "not handed over"
        }
        6 => {
            all.remove(if by > 0 { check? } else { leave? });
            "a pair left out"
        }
        7 => {
            let line = if by > 0 { check? } else { leave? };
            let twice = all[line].clone();
            all.insert(line, twice);
            "a pair twice"
        }
        8 => {
            // A pair that is not checked for a while, and one that is, change places.
            let (check, leave) = (check?, leave?);
            let of = |line: &[u8]| words(line)[1..3].join(" ");
            let [a, b] = [of(&all[check]), of(&all[leave])];
            all[check] = format!("check {b} 1000\n").into_bytes();
            all[leave] = format!("leave {a} so it is\n").into_bytes();
            "what is checked and what is not"
        }
        _ => {
            let change = change?;
            let number = |line: &&Vec<u8>| matches!(words(line)[0].as_str(), "body" | "change");
            let body = all[..change].iter().filter(number).count().to_string();
            let part = |line: &Vec<u8>| words(line)[..2] == ["part".to_owned(), body.clone()];
            let part = all.iter().position(part)?;
            let start = words(&all[part]).join(" ").len() + 1;
            let corner = start + 8 * random.below(3);
            let mut number = [0; 8];
            number.copy_from_slice(&all[part][corner..corner + 8]);
            let moved = i64::from_le_bytes(number) + (1 << (20 + random.below(20)));
            all[part][corner..corner + 8].copy_from_slice(&moved.to_le_bytes());
            "handed over with another shape"
        }
    };
    Some((what, all.concat()))
}

/// Catches whatever the checker believes of events.
#[test]
fn no_mutant_of_events_is_accepted_whose_statement_is_false() {
    let mut random = Random(0xfeed_0e0e_1234_5671);
    let mut outcomes: std::collections::BTreeMap<&str, mutants::Outcomes> = Default::default();
    let (mut made_so_far, most) = (0, mutants::asked());
    while made_so_far < most {
        let Some(scene) = scene_with_events(&mut random) else {
            continue;
        };
        let result = scene.answer();
        let contact = result.first_contact.as_ref();
        let of_surfaces = contact.filter(|first| first.kind == ContactKind::Contact);
        let contact = of_surfaces.map(|first| reported(&scene.cell, first));
        let (bytes, Ok(certified)) = made(&scene, contact.as_ref()) else {
            continue;
        };
        for _ in 0..40 {
            let Some((what, mutant)) = tampered_events(&mut random, &bytes) else {
                continue;
            };
            made_so_far += 1;
            let outcome = outcomes.entry(what).or_default();
            let read = Geometry::read(&mutant).and_then(|file| {
                let certificate = whole(&certified, &file);
                valid(&file, &certificate)?;
                Ok((file, certificate))
            });
            let Ok((file, certificate)) = read else {
                outcome.refused += 1;
                continue;
            };
            assert!(
                !["a pair left out", "a pair twice"].contains(&what),
                "{what}"
            );
            let slack = least_slack(&file, &certificate, 8);
            assert!(slack > -1e-9, "{what}: accepted, and {slack} m");
            judged_handovers(&file, &certificate);
            if mutant == bytes {
                outcome.same_statement += 1;
            } else {
                outcome.also_true += 1;
            }
        }
    }
    let refused = mutants::table(&outcomes);
    assert!(
        outcomes.len() == 10 && refused * 2 > most && outcomes.values().all(|o| o.refused > 0),
        "{outcomes:?}"
    );
}
