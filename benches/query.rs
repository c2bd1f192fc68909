//! Questions to a loaded cell: checks of example programs, distances of all pairs at one instant.
#![allow(missing_docs)]

mod common;

use std::hint::black_box;
use std::time::Duration;

use clearance_proof::check::Snapshot;
use common::{Workload, ours};
use criterion::{Criterion, criterion_group, criterion_main};

const PROGRAMS: [(&str, &[&str]); 2] = [
    (
        "arm6",
        &["pick_place.csv", "swing_through_guard.csv", "smooth.yaml"],
    ),
    ("scara", &["insert_pin.csv", "swing_past_divider.csv"]),
];

fn queries(criterion: &mut Criterion) {
    for (robot, programs) in PROGRAMS {
        let cell = ours(&format!("robots/{robot}/cell.toml"));
        let workload = Workload::file(cell).expect("our own cell can be read");
        let scene = workload.scene();
        let options = workload.options();
        for program in programs {
            let file = ours(&format!("trajectories/{robot}/{program}"));
            let trajectory = workload
                .trajectory(&file)
                .expect("our own program can be read");
            criterion.bench_function(&format!("check/{robot}/{program}"), |b| {
                b.iter(|| scene.check(black_box(&trajectory), &options, &|_| ()));
            });
        }
        let file = ours(&format!("trajectories/{robot}/{}", programs[0]));
        let trajectory = workload
            .trajectory(&file)
            .expect("our own program can be read");
        let segment = &trajectory.segments[trajectory.segments.len() / 2];
        let mut snapshot = Snapshot::default();
        criterion.bench_function(&format!("distance/{robot}/all pairs"), |b| {
            b.iter(|| {
                snapshot.set(&scene, segment, black_box(0.5));
                (0..scene.pairs.len())
                    .filter_map(|pair| {
                        scene.pair_distance(pair, &mut snapshot, f64::INFINITY, &mut 0)
                    })
                    .fold(f64::INFINITY, |least, near| least.min(near.distance))
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = queries
}
criterion_main!(benches);
