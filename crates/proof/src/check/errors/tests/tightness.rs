//! How much of what is called possible can really come about: errors that bring about a contact are
//! searched for.

use super::*;

/// How much larger than the budget the errors of the search are.
const TIMES: f64 = 1.5;
/// Steps of the search for a contact.
const STEPS: usize = 600;

impl RandomErrors {
    /// One of its errors in another direction, of the same size.
    fn changed(&self, random: &mut Random) -> Self {
        let mut changed = self.clone();
        let rigid = [
            &mut changed.base,
            &mut changed.tool,
            &mut changed.model,
            &mut changed.obstacle,
        ];
        let mut all: Vec<&mut Vector3<f64>> = (rigid.into_iter().flatten().flatten())
            .filter(|v| v.norm() > 0.0)
            .collect();
        let k = random.below(all.len() + changed.joint.len());
        let step = [0.1, 0.5, 2.0][random.below(3)];
        match all.get_mut(k) {
            Some(v) => {
                let size = v.norm();
                let turned = v.normalize() + random.vector() * step;
                **v = turned.try_normalize(1e-9).unwrap_or_else(Vector3::x) * size;
            }
            None => {
                let k = k - all.len();
                changed.joint[k] = -changed.joint[k];
            }
        }
        changed
    }
}

/// Run it by
/// `cargo test --release -p clearance-proof --lib -- --ignored --nocapture tightness`; the
/// figure stands in docs/benchmarks.md.
#[test]
#[ignore = "takes a minute: searches for contacts in 1,000 possible answers"]
#[expect(clippy::print_stdout, reason = "the figure for the docs")]
fn four_of_five_possible_answers_are_brought_about_by_larger_errors() {
    let mut random = Random(29);
    let (mut possible, mut touched) = (0, 0);
    while possible < 1000 {
        let mut cell = random_cell(&mut random);
        let large = [0.003, 0.02, 0.05][random.below(3)];
        let budget = random_budget(&mut random, &cell, large);
        cell.uncertainty = Some(budget.clone());
        let trajectory = random_trajectory(&mut random, &cell);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.002);
        let result = scene.check(&trajectory, &CheckOptions::default(), &|_| ());
        let (Verdict::Possible, Some(contact)) = (result.verdict, result.first_contact) else {
            continue;
        };
        possible += 1;
        let body = |name: &str| cell.body(name).unwrap();
        let pair = [body(&contact.a), body(&contact.b)];
        let index = scene.pairs.iter().position(|p| [p.a, p.b] == pair).unwrap();
        let part_pair = &scene.part_pairs[scene.part_pairs_of(index).start];
        let mut wide = budget.clone();
        widen(&mut wide, TIMES);
        let far = |random_errors: &RandomErrors, time: f64| {
            let instant = trajectory.locate(time);
            let mut q = Vec::new();
            trajectory
                .segment_at(instant)
                .configuration(instant.fraction, &mut q);
            let q: Vec<f64> = q
                .iter()
                .zip(&random_errors.joint)
                .map(|(q, error)| q + error)
                .collect();
            distance(&random_errors.cell(&cell), &trees, pair, &q)
        };
        // From the pair's own direction, then a little better and a little later or earlier, again
        // and again.
        let instant = trajectory.locate(contact.time);
        let mut q = Vec::new();
        trajectory
            .segment_at(instant)
            .configuration(instant.fraction, &mut q);
        let (mut random_errors, mut time) = (towards(&scene, &wide, part_pair, &q), contact.time);
        let mut least = far(&random_errors, time);
        for _ in 0..STEPS {
            if least <= 0.002 {
                break;
            }
            let other = random_errors.changed(&mut random);
            let then = (time + 0.02 * random.signed()).clamp(0.0, 2.0);
            let now = far(&other, then);
            if now < least {
                (random_errors, time, least) = (other, then, now);
            }
        }
        touched += usize::from(least <= 0.002);
    }
    println!(
        "{touched} of {possible} possible answers are touched by errors of {TIMES} times the budget"
    );
    assert!(5 * touched >= 4 * possible, "{touched} of {possible}");
}
