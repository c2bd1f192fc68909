//! Nothing that was tampered with passes for something false about what is inside.
//!
//! Twenty thousand, half a minute:
//!
//!     CLEARANCE_MUTANTS=20000 cargo test -p clearance-certify no_mutant_of_what_is_inside -- --nocapture

use std::collections::BTreeMap;

use super::super::mutants::{Outcomes, asked as mutants_asked, table};
use super::*;

/// Bodies in and about cups, hollows and boxes: what is clear is certified, what is inside is not,
/// and nothing that was tampered with passes for true. Catches whatever the checker believes of
/// rays, pieces, and of what is solid.
#[test]
#[allow(clippy::print_stdout)] // Figures for docs/certificates.md.
fn no_mutant_of_what_is_inside_is_accepted_whose_statement_is_false() {
    let mut random = Random(0x1d5_1de5);
    let mut outcomes: BTreeMap<&str, Outcomes> = Default::default();
    let (mut clear, mut inside, mut mutated, mut with_rays) = (0, 0, 0, 0);
    while mutated < mutants_asked() {
        let around = match random.below(4) {
            0 => cube(0.5),
            1 => cup(0.5, 0.1),
            2 => both(cube(0.5), &turned_round(cube(0.35))),
            _ => both(cube(0.5), &cube(0.35)),
        };
        let small = |random: &mut Random| {
            let half = random.between(0.01, 0.1);
            shifted(cube(half), random.vector(0.6).into())
        };
        let mut what = small(&mut random);
        if random.below(2) == 0 {
            what = both(what, &small(&mut random));
        }
        let question = match random.below(2) {
            0 => slides(what, around, None),
            _ => slides(around, what, None),
        };
        let (verdict, file, made) = asked(&question);
        if verdict != Verdict::Clear {
            inside += usize::from(matches!(made, Err(CertifyError::Contradiction(_))));
            assert!(made.is_err());
            continue;
        }
        clear += 1;
        let certificate = made.unwrap_or_else(|e| panic!("{e}"));
        valid(&file, &certificate).unwrap_or_else(|e| panic!("{e}"));
        let rays = rays_of(&file, &certificate);
        with_rays += usize::from(rays > 0);
        for _ in 0..10 {
            let (mut mutant, mut other) = (file.clone(), certificate.clone());
            let end = other.proof.len();
            let part = random.below(2);
            let kind = match random.below(8) {
                0 if rays > 0 => {
                    other.proof[end - 1 - random.below(3 * rays)] = random.bits() as u8;
                    "another ray"
                }
                1 if rays > 0 => {
                    other.proof.drain(end - 3..);
                    "a ray left out"
                }
                2 => {
                    other.proof.extend([1, 2, 3]);
                    "a ray more"
                }
                3 => {
                    let triangle = random.below(file.parts[part].triangles.len());
                    mutant.parts[part].solid[triangle / 8] ^= 1 << (triangle % 8);
                    "solid, or not"
                }
                4 => {
                    let triangle = random.below(file.parts[part].triangles.len());
                    mutant.parts[part].triangles[triangle].swap(0, 1);
                    "wound the other way round"
                }
                5 => {
                    // From the hollow to the material.
                    for triangle in &mut mutant.parts[part].triangles[..] {
                        let hollow = |k: u32| {
                            let p = file.parts[part].corners[k as usize];
                            p.iter().all(|x| x.abs() < (1 << 40) * 2 / 5)
                        };
                        if triangle.iter().all(|&k| hollow(k)) {
                            triangle.swap(0, 1);
                        }
                    }
                    "a hollow filled"
                }
                6 => {
                    let by = random.vector(0.5).map(|x| (x * (1u64 << 40) as f64) as i64);
                    let was = &file.parts[part];
                    let corners = was.corners.iter();
                    let corners = corners.map(|p| [0, 1, 2].map(|k| p[k] + by[k])).collect();
                    let (triangles, solid) = (was.triangles.clone(), was.solid.clone());
                    mutant.parts[part] = BodyPart::new(was.body, 0, corners, triangles, solid);
                    "put elsewhere"
                }
                _ => {
                    for p in &mut other.segments[0].joints[0] {
                        *p = -*p;
                    }
                    "the other way"
                }
            };
            mutated += 1;
            let outcome = outcomes.entry(kind).or_default();
            if mutant.whole().is_err() || valid(&mutant, &other).is_err() {
                outcome.refused += 1;
                continue;
            }
            assert!(!["a ray left out", "a ray more"].contains(&kind), "{kind}");
            let slack = least_slack(&mutant, &other, 8);
            assert!(slack > -1e-9, "{kind}: accepted, and {slack} m");
            if kind == "another ray" {
                outcome.same_statement += 1;
            } else {
                outcome.also_true += 1;
            }
        }
    }
    let refused = table(&outcomes);
    println!("{clear} clear, {with_rays} of them with rays; {inside} inside or in contact");
    assert!(
        outcomes.len() == 8 && refused * 3 > mutated && clear > 20 && inside > 20 && with_rays > 10,
        "{clear} {inside} {with_rays} {outcomes:?}"
    );
}

/// How many rays end a proof: without the last of them it ends too early.
fn rays_of(file: &Geometry, certificate: &Certificate) -> usize {
    let motion = CellMotion::new(file, &certificate.segments);
    let pairs = part_pairs(file);
    // As many as the checker asks for if nothing was parted, at most.
    let mut most = 0;
    let parted = vec![false; pairs.len()];
    let _ = none_inside(&motion, &pairs, &parted, 1, &mut |corner| {
        most += 1;
        let mut tried = (1..100i8).map(|k| [k, 100 - k, 7]);
        let found = tried.find(|d| corner.turns(d).is_some());
        Ok(found.unwrap_or([0; 3]))
    });
    let early = |rays: usize| {
        let mut cut = certificate.clone();
        let end = cut.proof.len().saturating_sub(3 * rays);
        cut.proof.truncate(end);
        let said = valid(file, &cut)
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default();
        // Not in the middle of the walk, of which the error tells the cell.
        said == "the proof ends too early"
    };
    (1..=most).take_while(|&rays| early(rays)).count()
}
