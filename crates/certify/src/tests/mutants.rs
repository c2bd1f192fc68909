//! Nothing that was tampered with passes for something false.
//!
//! All hundred thousand, a few minutes:
//!
//!     CLEARANCE_MUTANTS=100000 cargo test --release -p clearance-certify mutants -- --nocapture

use std::collections::BTreeMap;

use clearance_recheck::files::{FirstContact, JointMotion};
use clearance_recheck::shapes::BodyPart;

use super::*;

/// Mutants of each scene.
const EACH: usize = 40;

/// Where each operation of a proof begins, and its end.
fn operations(proof: &[u8]) -> Vec<std::ops::Range<usize>> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < proof.len() {
        let size = match proof[at] {
            4 => 4,
            5 => 7,
            6 => 13,
            _ => 1,
        };
        // Behind the operations there may be rays.
        let end = (at + size).min(proof.len());
        all.push(at..end);
        at = end;
    }
    all
}

/// A change of a geometry file or a certificate; `other` is another scene's.
fn tampered(
    random: &mut Random,
    file: &mut Geometry,
    certificate: &mut Certificate,
    other: &Geometry,
) -> &'static str {
    let unit = |random: &mut Random| 1i64 << (20 + random.below(22));
    let proof = &mut certificate.proof;
    let cells = operations(proof);
    let cell = cells[random.below(cells.len())].clone();
    match random.below(18) {
        0 => {
            proof[random.below(cell.end)] ^= 1 << random.below(8);
            "a bit of the proof"
        }
        1 => {
            proof.drain(cell);
            "a cell dropped"
        }
        2 => {
            let twice = proof[cell.clone()].to_vec();
            proof.splice(cell.start..cell.start, twice);
            "a cell doubled"
        }
        3 => {
            let (a, b) = (random.below(proof.len()), random.below(proof.len()));
            proof.swap(a, b);
            "bytes swapped"
        }
        4 => {
            proof.truncate(cell.start);
            "the proof cut off"
        }
        5 => {
            proof.rotate_left(cell.start);
            "intervals shifted"
        }
        6 => {
            for cell in &cells {
                let code = &mut proof[cell.start];
                *code = [0, 2, 1].get(*code as usize).copied().unwrap_or(*code);
            }
            "ranges swapped"
        }
        7 => {
            for byte in &mut proof[cell.start + 1..cell.end] {
                *byte = random.bits() as u8;
            }
            "another direction"
        }
        8 => {
            let checked = file.pairs.iter_mut();
            let mut checked: Vec<_> = checked.filter_map(|p| p.clearance.as_mut().ok()).collect();
            let which = random.below(checked.len());
            *checked[which] += unit(random);
            "another threshold"
        }
        9 => {
            let which = random.below(file.joints.len());
            file.joints[which].axis.rotate_left(1);
            "an axis turned"
        }
        10 => {
            let which = random.below(file.joints.len());
            file.joints[which].parent_from_joint.translation[random.below(3)] += unit(random);
            "a joint moved"
        }
        11 => {
            let which = random.below(file.parts.len());
            let part = file.parts[which].clone();
            let mut corners = part.corners;
            let corner = random.below(corners.len());
            corners[corner][random.below(3)] += unit(random);
            file.parts[which] =
                BodyPart::new(part.body, part.radius, corners, part.triangles, part.solid);
            "a corner moved"
        }
        12 => {
            let which = random.below(file.parts.len());
            let from = other.parts[random.below(other.parts.len())].clone();
            let body = file.parts[which].body;
            file.parts[which] =
                BodyPart::new(body, from.radius, from.corners, from.triangles, from.solid);
            "another mesh"
        }
        13 => {
            let which = random.below(file.parts.len());
            file.parts[which].radius += unit(random);
            "a part grown"
        }
        14 => {
            let segment = random.below(certificate.segments.len());
            let joint = random.below(file.joints.len());
            certificate.segments[segment].joints[joint][random.below(6)] += unit(random) << 8;
            "another trajectory"
        }
        15 => {
            // Every second waypoint, straight.
            let segments = std::mem::take(&mut certificate.segments);
            for two in segments.chunks(2) {
                let mut whole = two[0].clone();
                for (c, last) in whole.joints.iter_mut().zip(&two[two.len() - 1].joints) {
                    let end: i64 = last.iter().sum();
                    *c = [c[0], end - c[0], 0, 0, 0, 0];
                }
                certificate.segments.push(whole);
            }
            "a coarser trajectory"
        }
        16 => {
            certificate.segments.rotate_left(1);
            "segments in another order"
        }
        _ => {
            let which = random.below(file.joints.len());
            file.joints[which].kind = match file.joints[which].kind {
                JointMotion::Turns => JointMotion::Slides,
                _ => JointMotion::Turns,
            };
            "a joint slides that turned"
        }
    }
}

/// A change of what a certificate says of its contact.
fn other_contact(random: &mut Random, file: &Geometry, contact: &mut FirstContact) -> &'static str {
    let (unit, side) = (1u64 << random.below(41), random.below(2));
    let point = &mut contact.points[side];
    match random.below(6) {
        0 => {
            let by = unit.min(contact.time);
            contact.time =
                contact.time - by * random.below(2) as u64 + unit * random.below(2) as u64;
            "a contact: its time moved"
        }
        1 => {
            contact.free_until += unit;
            "a contact: free until later"
        }
        2 => {
            contact.free_until += unit;
            contact.time = contact.time.max(contact.free_until);
            "a contact: both later"
        }
        3 => {
            point.triangle = random.below(file.parts[point.part].triangles.len() + 1);
            "a contact: another triangle"
        }
        4 => {
            point.weights[random.below(2)] += unit as i64 * [1, -1][random.below(2)];
            "a contact: another point"
        }
        _ => {
            point.part = random.below(file.parts.len());
            "a contact: another part"
        }
    }
}

/// Whether a change leaves the statement as it was.
fn of_the_proof(what: &str) -> bool {
    let proof = [
        "a bit of the proof",
        "a cell dropped",
        "a cell doubled",
        "bytes swapped",
        "the proof cut off",
        "intervals shifted",
        "ranges swapped",
        "another direction",
    ];
    proof.contains(&what)
}

/// How mutants of one kind ended.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub(super) refused: usize,
    /// Accepted: the statement is that of the certificate before.
    pub(super) same_statement: usize,
    /// Accepted: another statement, which is true.
    pub(super) also_true: usize,
}

/// Of certificates of `clear`, or of first contacts: what became of mutants of each kind. None is
/// accepted whose statement is false: what is accepted has the statement that it had before, or one
/// that is judged here, by places of its own and exact distances.
fn outcomes(contacts: bool, most: usize) -> BTreeMap<&'static str, Outcomes> {
    let mut random = Random(0xfeed_0000_1234_5671);
    let mut outcomes: BTreeMap<&str, Outcomes> = BTreeMap::new();
    let (mut made_so_far, mut other) = (0, None);
    while made_so_far < most {
        let Scene {
            cell,
            trajectory,
            clearance,
        } = scene(&mut random);
        let checker = Checker::new(cell);
        if checker.pairs().checked.is_empty() {
            continue;
        }
        let bytes = geometry(checker.cell(), checker.trees(), checker.pairs(), clearance).unwrap();
        let mut contact = None;
        if contacts {
            let result = checker
                .check(&trajectory, clearance, &CheckOptions::default())
                .unwrap();
            match result.first_contact {
                Some(first) if first.kind == ContactKind::Contact && first.free_until > 0.0 => {
                    contact = Some(reported(checker.cell(), &first));
                }
                _ => continue,
            }
        }
        let Ok(made) = certificate(&bytes, "geometry", &trajectory, contact.as_ref(), &[]) else {
            continue;
        };
        let file = Geometry::read(&bytes).unwrap();
        let certificate = whole(&made.bytes, &file);
        let other = other.replace(file.clone()).unwrap_or_else(|| file.clone());
        for _ in 0..EACH {
            let (mut mutant, mut mutated) = (file.clone(), certificate.clone());
            let what = match &mut mutated.contact {
                Some(contact) if random.below(2) == 0 => other_contact(&mut random, &file, contact),
                _ => tampered(&mut random, &mut mutant, &mut mutated, &other),
            };
            let outcome = outcomes.entry(what).or_default();
            made_so_far += 1;
            if valid(&mutant, &mutated).is_err() {
                outcome.refused += 1;
            } else if of_the_proof(what) {
                outcome.same_statement += 1;
            } else {
                let slack = least_slack(&mutant, &mutated, 8);
                assert!(slack > -1e-9, "{what}: accepted, and {slack} m");
                outcome.also_true += 1;
            }
        }
    }
    outcomes
}

/// How many mutants are asked for.
pub(super) fn asked() -> usize {
    let asked = std::env::var("CLEARANCE_MUTANTS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(1000)
}

/// A table for docs/certificates.md, and how many were refused.
#[allow(clippy::print_stdout)]
pub(super) fn table(outcomes: &BTreeMap<&str, Outcomes>) -> usize {
    println!("| mutants | refused | accepted, the same statement | accepted, another true one |");
    println!("|---|---|---|---|");
    for (what, o) in outcomes {
        let Outcomes {
            refused,
            same_statement,
            also_true,
        } = o;
        println!("| {what} | {refused} | {same_statement} | {also_true} |");
    }
    outcomes.values().map(|o| o.refused).sum()
}

/// Catches whatever the checker believes without having computed it.
#[test]
fn no_mutant_is_accepted_whose_statement_is_false() {
    let outcomes = outcomes(false, asked());
    let refused = table(&outcomes);
    assert!(
        outcomes.len() == 18 && refused * 3 > asked(),
        "{outcomes:?}"
    );
    let never = ["the proof cut off", "a cell dropped"];
    assert!(
        outcomes
            .iter()
            .all(|(what, o)| o.refused > 0 || !never.contains(what))
    );
}

/// The same of what is said of a contact: when it is, where it is, and until when nothing else is.
#[test]
fn no_mutant_of_a_contact_is_accepted_whose_statement_is_false() {
    let outcomes = outcomes(true, asked());
    let refused = table(&outcomes);
    assert!(
        outcomes.len() == 24 && refused * 3 > asked(),
        "{outcomes:?}"
    );
    let of_contacts = outcomes
        .iter()
        .filter(|(what, _)| what.starts_with("a contact: "));
    assert!(
        of_contacts.clone().all(|(_, o)| o.refused > 0),
        "{outcomes:?}"
    );
}

/// Files with any byte changed are read to the end or refused, and what is accepted is the same
/// statement or a true one.
#[test]
fn damaged_files_are_refused_or_say_something_true() {
    let mut random = Random(77);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..12 {
        let Scene {
            cell,
            trajectory,
            clearance,
        } = scene(&mut random);
        let checker = Checker::new(cell);
        let bytes = geometry(checker.cell(), checker.trees(), checker.pairs(), clearance).unwrap();
        let result = checker
            .check(&trajectory, clearance, &CheckOptions::default())
            .unwrap();
        let contact = result
            .first_contact
            .map(|first| reported(checker.cell(), &first));
        let made = certificate(&bytes, "geometry", &trajectory, contact.as_ref(), &[]).unwrap();
        for k in 0..60 {
            let (mut bytes, mut cert) = (bytes.clone(), made.bytes.clone());
            let which = if k % 2 == 0 { &mut bytes } else { &mut cert };
            let at = random.below(which.len());
            which[at] ^= 1 << random.below(8);
            let read = Geometry::read(&bytes).and_then(|file| {
                let certificate = Certificate::read(&cert, |_| Ok(file.kinds()))?;
                valid(&file, &certificate)?;
                Ok(least_slack(&file, &certificate, 12))
            });
            match read {
                Err(_) => refused += 1,
                Ok(least) => {
                    accepted += 1;
                    assert!(least > -1e-9, "byte {at}: {least}");
                }
            }
        }
    }
    assert!(
        refused > 40 && accepted > 0,
        "{refused} refused, {accepted} accepted"
    );
}
