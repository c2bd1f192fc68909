//! Other methods and shapes give the verdicts of the default one.

use clearance::run::{Job, NoProgress, run};
use clearance_methods::backends::BackendKind;
use clearance_methods::{Method, TimeMethod};

/// Events change what moves, not what trees are built of.
#[test]
fn every_shape_goes_along_with_events() {
    let cell = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/scara/pick.toml");
    for program in ["carried_too_low", "grasp_not_declared", "take_and_insert"] {
        let file = format!(
            "{}/trajectories/scara_events/{program}.csv",
            env!("CARGO_MANIFEST_DIR")
        );
        let mut job = Job::new(cell, vec![file.into()]);
        let verdict = |job: &Job| run(job, &NoProgress).programs[0].verdict;
        let expected = verdict(&job);
        for shape in [BackendKind::Greedy, BackendKind::Octree] {
            job.method = Method::new(TimeMethod::Bisection, shape).unwrap();
            assert_eq!(verdict(&job), expected, "{program} {shape}");
        }
    }
}
