//! Ranges of motion leave pairs out; answers stay.

use std::path::Path;

use clearance::run::{CellJob, NoProgress, prepare};
use clearance_formats::program::load;
use clearance_proof::check::bisection::{CheckOptions, audit_scene};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;

/// Answers do not depend on the hulls, and the hulls leave something out.
#[test]
fn the_answers_are_those_without_hulls() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut programs, mut left_out, mut misses, mut spared) = (0, 0, 0, 0);
    for robot in ["arm6", "scara", "two_arms"] {
        let cell = root.join("robots").join(robot).join("cell.toml");
        let prepared = prepare(&CellJob::file(cell), &NoProgress).unwrap();
        let mut scene = Scene::new(
            &prepared.loaded.cell,
            &prepared.trees,
            &prepared.pairs,
            1e-3,
        );
        let files = std::fs::read_dir(root.join("trajectories").join(robot)).unwrap();
        for file in files.map(|f| f.unwrap().path()) {
            let Ok(program) = load(&file) else { continue };
            let Ok((trajectory, _)) = Trajectory::for_cell(&program, &prepared.loaded.cell, None)
            else {
                continue;
            };
            for all in [false, true] {
                let options = CheckOptions {
                    resolution: 1e-4,
                    all,
                    minimum: false,
                    minimum_by_class: false,
                    minimum_pairs: None,
                };
                let mut answer = |hulls: bool| {
                    scene.hulls = hulls;
                    scene.check(&trajectory, &options, &|_| ())
                };
                let (with, without) = (answer(true), answer(false));
                assert_eq!(with.verdict, without.verdict, "{}", file.display());
                assert_eq!(with.first_contact, without.first_contact);
                assert_eq!(with.contacts, without.contacts);
                programs += 1;
                left_out += with.statistics.unreachable;
            }
            // Near misses, and what allowed pairs do, are searched in the same way.
            let warn = vec![Some(0.02); scene.pairs.len()];
            let mut near = scene.at_warn_distances(&warn);
            let mut tests = |hulls: bool| {
                near.hulls = hulls;
                let (misses, work) = near.near_misses(&trajectory, 1e-3, &|_| ());
                (
                    misses,
                    audit_scene(&near, &trajectory, 1e-3, &|_| ()).0,
                    work.unreachable,
                )
            };
            let (with, without) = (tests(true), tests(false));
            assert_eq!(
                (&with.0, &with.1),
                (&without.0, &without.1),
                "{}",
                file.display()
            );
            misses += with.0.len();
            spared += with.2 - without.2;
        }
    }
    assert!(programs > 20 && left_out > 50, "{programs} {left_out}");
    assert!(misses > 5 && spared > 100, "{misses} {spared}");
}
