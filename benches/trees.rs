//! Sphere trees: building them on all cores, keeping them on disk, fetching them from there.
#![allow(missing_docs)]

mod common;

use std::hint::black_box;
use std::time::Duration;

use clearance::cache::Cache;
use clearance_proof::bvh::SphereTree;
use common::scenes::terrain;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tree");
    for triangles in [10_000, 100_000, 1_000_000] {
        let mesh = terrain(triangles);
        let id = |what| BenchmarkId::new(what, triangles);
        group.throughput(Throughput::Elements(mesh.triangles.len() as u64));
        group.bench_function(id("build"), |b| {
            b.iter(|| SphereTree::new(black_box(&mesh), 0.0))
        });

        let folder = tempfile::tempdir().expect("a folder for trees");
        group.bench_function(id("build and store"), |b| {
            b.iter(|| {
                let cache = Cache::open(Some(folder.path()));
                cache.clear().expect("the cache can be emptied");
                cache.tree(black_box(&mesh), 0.0)
            });
        });
        // The folder now holds the tree; a new cache does not know it yet.
        group.bench_function(id("load"), |b| {
            b.iter(|| Cache::open(Some(folder.path())).tree(black_box(&mesh), 0.0));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = trees
}
criterion_main!(benches);
