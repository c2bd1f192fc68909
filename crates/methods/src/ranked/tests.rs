use std::path::{Path, PathBuf};

use clearance_formats::mesh::load;
use clearance_proof::geometry::made::{capsule_core, cylinder_cover, sphere_core};
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::random::Random;
use nalgebra::Rotation3;

use super::*;

fn faces(mesh: &Mesh) -> MeshFaces<'_> {
    MeshFaces {
        vertices: &mesh.vertices,
        triangles: &mesh.triangles,
    }
}

fn cover(mesh: &Mesh, leaf_radius: f64) -> RankedCover {
    cover_with(mesh, leaf_radius, CoverFineness::RATIO)
}

fn cover_with(mesh: &Mesh, leaf_radius: f64, ratio: f64) -> RankedCover {
    let fineness = CoverFineness::with_ratio(leaf_radius, ratio);
    RankedCover::build(faces(mesh), &fineness, &SphereBudget::new(2_000_000)).unwrap()
}

/// Meshes of the example robots.
fn robot_meshes() -> Vec<(PathBuf, Mesh)> {
    let mut found = Vec::new();
    for (robot, scale) in [("arm6", 1.0), ("scara", 1e-3)] {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../robots/{robot}/meshes"));
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let mesh = load(&file, Vector3::repeat(scale)).unwrap().mesh;
            found.push((file, mesh));
        }
    }
    assert!(found.len() > 8, "{}", found.len());
    found
}

/// Plates, needles, points and crumbs in any position, also far from the frame's origin.
fn odd_mesh(random: &mut Random) -> Mesh {
    let thin = |random: &mut Random| [1.0, 1e-2, 1e-6, 0.0][random.below(4)];
    let flat = Vector3::new(1.0, thin(random), thin(random));
    let turn = Rotation3::from_scaled_axis(random.vector() * [0.0, 2.0][random.below(2)]);
    let away = random.vector() * [0.0, 1.0, 100.0][random.below(3)];
    let mut mesh = Mesh::default();
    for i in 0..1 + random.below(8) as u32 {
        let grain = [1.0, 0.1][random.below(2)];
        let center = random.vector();
        for _ in 0..3 {
            let corner = (center + random.vector() * grain).component_mul(&flat);
            mesh.vertices.push((turn * corner * 0.3 + away).into());
        }
        let last = [3 * i + 2, 3 * i + 1, 3 * i][random.below(3)];
        mesh.triangles.push([3 * i, 3 * i + 1, last]);
    }
    mesh
}

fn point_on(random: &mut Random, mesh: &Mesh) -> Point3<f64> {
    let [a, b, c] = mesh.corners(random.below(mesh.triangles.len()));
    let (x, y) = (random.unit().sqrt(), random.unit());
    a + (b - a) * (x * (1.0 - y)) + (c - a) * (x * y)
}

/// Leaves whose spheres contain a point, together with all spheres above them.
fn chains_around(cover: &RankedCover, point: &Point3<f64>) -> Vec<usize> {
    let p = point - cover.origin;
    let mut level = vec![0];
    for rank in 0..cover.ranks.len() {
        level.retain(|&i| {
            let s = &cover.ranks[rank][i];
            (s.place() - p).norm() <= f64::from(s.radius)
        });
        if rank + 1 < cover.ranks.len() {
            level = level.iter().flat_map(|&i| cover.below(rank, i)).collect();
        }
    }
    level
}

#[test]
fn radii_by_the_formulas() {
    let close = |found: &[f64], expected: &[f64]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (a, b) in found.iter().zip(expected) {
            assert!((a / b - 1.0).abs() < 1e-12, "{found:?} {expected:?}");
        }
    };
    let fineness = |leaf_radius, ratio| CoverFineness::with_ratio(leaf_radius, ratio);
    // Three ranks: the middle one is the geometric mean, r_2 = √(r_1 r_3).
    close(&fineness(0.1, 2.0).radii(0.5), &[0.5, 0.05f64.sqrt(), 0.1]);
    // 8 = 2³: four ranks, each half the one above.
    close(&fineness(0.1, 2.0).radii(0.8), &[0.8, 0.4, 0.2, 0.1]);
    close(&fineness(1.0, 10.0).radii(1000.0), &[1e3, 1e2, 1e1, 1.0]);
    // ln 23 / ln 2 = 4.52 is rounded up, ln 22 / ln 2 = 4.46 down.
    assert_eq!(fineness(1.0, 2.0).radii(23.0).len(), 6);
    assert_eq!(fineness(1.0, 2.0).radii(22.0).len(), 5);
    // A body smaller than the smallest spheres has one.
    close(&fineness(0.1, 2.0).radii(0.1), &[0.1]);
    close(&fineness(0.1, 2.0).radii(0.02), &[0.02]);
    // A little larger: the formula would round to one rank, and that rank would be too coarse.
    close(&fineness(0.1, 2.0).radii(0.12), &[0.12, 0.1]);
}

#[test]
fn spheres_are_as_small_as_asked_for_and_belong_to_one_above() {
    let mut random = Random(31);
    for (file, mesh) in robot_meshes() {
        let ratio = [1.5, 2.0, 3.0][random.below(3)];
        let cover = cover_with(&mesh, 0.01, ratio);
        let name = file.display();
        assert_eq!(cover.ranks.len(), cover.radii.len(), "{name}");
        assert_eq!(cover.ranks[0].len(), 1, "{name}");
        assert!(cover.leaf_radius() <= 0.01, "{name}");
        for rank in 0..cover.ranks.len() {
            // The envelope's own sphere is what the first radius comes from, so it is larger by the
            // hair.
            let most = cover.radii[rank] * if rank == 0 { 1.001 } else { 1.0 };
            let spheres = &cover.ranks[rank];
            assert!(
                spheres.iter().all(|s| f64::from(s.radius) <= most),
                "{name}"
            );
            if rank + 1 < cover.ranks.len() {
                // Each sphere of the next rank has one above it, and none is left over.
                let mut next = 0;
                let mut firsts: Vec<_> = (0..spheres.len()).map(|i| cover.below(rank, i)).collect();
                firsts.sort_by_key(|r| r.start);
                for below in firsts {
                    assert_eq!(below.start, next, "{name} rank {rank}");
                    assert!(!below.is_empty(), "{name} rank {rank}");
                    next = below.end;
                }
                assert_eq!(next, cover.ranks[rank + 1].len(), "{name}");
            }
        }
        // Every leaf meets the surface: that is what bounds how far an answer can be off.
        let leaves = cover.ranks.last().unwrap();
        for _ in 0..50 {
            let leaf = leaves[random.below(leaves.len())];
            let center = cover.origin + leaf.place();
            let distance = (0..mesh.triangles.len())
                .map(|t| {
                    clearance_proof::geometry::triangle::Closest::of_point(
                        &center,
                        &mesh.corners(t),
                    )
                    .distance
                })
                .fold(f64::INFINITY, f64::min);
            assert!(distance <= f64::from(leaf.radius) + 1e-12, "{name}");
        }
    }
}

/// The overlaps are cut off: on a plane that is 2.5 cells wide there are 3 × 3 cells, and their
/// spheres those of boxes.
#[test]
fn cells_end_where_the_parent_ends() {
    let edge = 0.1;
    let mesh = Mesh::cuboid(&Vector3::new(2.5 * edge, 2.5 * edge, 0.0));
    // A ratio so large that there are two ranks; cells are smaller than cubes in these spheres by
    // 2⁻¹¹.
    let leaf_radius = edge * 3f64.sqrt() / 2.0 / (1.0 - 2f64.powi(-11));
    let cover = cover_with(&mesh, leaf_radius, 16.0);
    assert_eq!(cover.ranks.len(), 2);
    let mut places: Vec<[i64; 2]> = cover.ranks[1]
        .iter()
        .map(|s| [0, 1].map(|k| (f64::from(s.center[k]) / edge * 1000.0).round() as i64))
        .collect();
    places.sort_unstable();
    // Cells of 1, 1 and 0.5 edges from −1.25 to 1.25: centres at −0.75, 0.25 and 1.
    let row = [-750, 250, 1000];
    let expected: Vec<[i64; 2]> = row.iter().flat_map(|&x| row.map(|y| [x, y])).collect();
    assert_eq!(places, expected);
    let radius = |at: [i64; 2]| {
        let hits = |s: &&Sphere| (s.center[0] * 10.0 - at[0] as f32 * 1e-3).abs() < 1e-3;
        let mut row = cover.ranks[1].iter().filter(hits);
        let sphere = row.find(|s| (s.center[1] * 10.0 - at[1] as f32 * 1e-3).abs() < 1e-3);
        f64::from(sphere.unwrap().radius) / edge
    };
    let circumscribed = |x: f64, y: f64| x.hypot(y) / 2.0;
    for (at, expected) in [
        ([-750, -750], circumscribed(1.0, 1.0)),
        ([1000, 250], circumscribed(0.5, 1.0)),
        ([1000, 1000], circumscribed(0.5, 0.5)),
    ] {
        let found = radius(at);
        assert!(
            (found / expected - 1.0).abs() < 1e-3,
            "{at:?} {found} {expected}"
        );
    }
}

#[test]
fn covers_of_robots_are_proved() {
    for (file, mesh) in robot_meshes() {
        for (leaf_radius, ratio) in [(0.04, 1.5), (0.01, 2.0), (0.02, 3.7)] {
            let cover = cover_with(&mesh, leaf_radius, ratio);
            assert_eq!(cover.prove(faces(&mesh)), Ok(()), "{}", file.display());
        }
    }
}

#[test]
fn covers_of_plates_needles_and_crumbs_are_proved() {
    let mut random = Random(32);
    for case in 0..200 {
        let mesh = odd_mesh(&mut random);
        let cover = cover(&mesh, [0.2, 0.05, 0.03][random.below(3)]);
        assert_eq!(cover.prove(faces(&mesh)), Ok(()), "case {case}");
        for _ in 0..20 {
            let point = point_on(&mut random, &mesh);
            assert!(!chains_around(&cover, &point).is_empty(), "case {case}");
        }
    }
    for mesh in [
        sphere_core(),
        capsule_core(0.4),
        cylinder_cover(0.1, 0.3),
        Mesh::cuboid(&Vector3::new(1.0, 0.5, 0.25)),
    ] {
        assert_eq!(cover(&mesh, 0.02).prove(faces(&mesh)), Ok(()));
    }
    let nothing = Mesh::default();
    let empty = cover(&nothing, 0.02);
    assert!(empty.ranks.is_empty() && empty.prove(faces(&nothing)).is_ok());
}

/// Takes one sphere away from a cover: whatever it alone covered must be missed by the proof.
#[test]
fn a_missing_sphere_is_found() {
    let mut random = Random(33);
    let mut alone = 0;
    for (file, mesh) in robot_meshes() {
        let whole = cover(&mesh, 0.02);
        if whole.ranks.len() < 2 {
            continue;
        }
        for _ in 0..25 {
            let point = point_on(&mut random, &mesh);
            let [leaf] = chains_around(&whole, &point)[..] else {
                continue;
            };
            alone += 1;
            let mut broken = whole.clone();
            broken.ranks.last_mut().unwrap()[leaf].radius = 0.0;
            let gap = broken.prove(faces(&mesh)).unwrap_err();
            // The place that is named was covered by that sphere.
            let sphere = whole.ranks.last().unwrap()[leaf];
            let away = (gap.point - whole.origin - sphere.place()).norm();
            assert!(
                away <= f64::from(sphere.radius) + 1e-6,
                "{}",
                file.display()
            );
            // The chain counts, not only its end: a search that does not get there finds nothing.
            let above = whole.ranks.len() - 2;
            let mut spheres = 0..whole.ranks[above].len();
            let parent = spheres.find(|&i| whole.below(above, i).contains(&leaf));
            let mut broken = whole.clone();
            broken.ranks[above][parent.unwrap()].radius = 0.0;
            assert!(broken.prove(faces(&mesh)).is_err(), "{}", file.display());
        }
    }
    assert!(alone > 60, "{alone}");
}

/// Claims 1 and 8: spheres of a rank are all of one size, and every point of the surface still lies
/// in a chain of them.
///
/// Planted errors: the cell that is divided not the whole one (`own` cut short), a cube that does
/// not reach its box's end: both are caught here by the proof of the cover.
#[test]
fn equal_and_overlapping_cells_cover_as_well() {
    for (file, mesh) in robot_meshes() {
        for cells in [CoverCells::Equal, CoverCells::Overlapping] {
            let ranks = CoverRanks {
                cells,
                ..CoverRanks::default()
            };
            let fineness = CoverFineness {
                leaf_radius: 0.05,
                ranks,
            };
            let budget = SphereBudget::new(2_000_000);
            let cover = RankedCover::build(faces(&mesh), &fineness, &budget).unwrap();
            let name = format!("{}, {cells:?}", file.display());
            assert_eq!(cover.prove(faces(&mesh)), Ok(()), "{name}");
            for (rank, spheres) in cover.ranks.iter().enumerate().skip(1) {
                for sphere in spheres {
                    // Up to the hair that all spheres have, and centres in single precision.
                    let share = f64::from(sphere.radius) / cover.radii[rank];
                    assert!((0.999..=1.000_001).contains(&share), "{name}: {share}");
                }
            }
        }
    }
}

/// A number of ranks takes the place of the ratio.
#[test]
fn ranks_can_be_counted() {
    for count in [2, 3, 7] {
        let ranks = CoverRanks {
            count: Some(count),
            ..CoverRanks::default()
        };
        let fineness = CoverFineness {
            leaf_radius: 0.1,
            ranks,
        };
        assert_eq!(fineness.radii(5.0).len(), count);
        assert_eq!(fineness.radii(0.05).len(), 1);
    }
}

#[test]
fn the_radius_that_fits_fits() {
    let meshes = robot_meshes();
    let all: Vec<MeshFaces> = meshes.iter().map(|(_, mesh)| faces(mesh)).collect();
    for most in [500, 20_000] {
        let build = |leaf_radius| {
            let budget = SphereBudget::new(most);
            let fineness = CoverFineness::of(leaf_radius);
            let mut covers = all
                .iter()
                .map(|m| RankedCover::build(*m, &fineness, &budget));
            covers.try_fold(0, |sum, cover| {
                cover.map(|c| sum + c.ranks.iter().map(Vec::len).sum::<usize>())
            })
        };
        let radius = radius_that_fits(&all, &CoverRanks::default(), most).unwrap();
        let spheres = build(radius).unwrap();
        assert!(spheres <= most);
        // And it is not an excuse: a radius of an eighth would not fit.
        assert_eq!(build(radius / 8.0), Err(TooMany { most }));
    }
    assert_eq!(radius_that_fits(&all, &CoverRanks::default(), 1), None);
    // Where nobody says a radius, and the resolution is coarse enough.
    assert_eq!(usual_radius(&all, &CoverRanks::default(), 0.5), 0.5);
}
