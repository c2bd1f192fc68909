//! Point clouds: what is said of them holds by brute force over their balls, and a cloud that was
//! sampled from a mesh is never clear where the mesh is hit.

use std::sync::Arc;

use clearance::findings::Verdict;
use clearance_proof::geometry::cloud::Cloud;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{Form, Role};
use nalgebra::{Point3, Vector3};

use super::{Case, every_scene, judged};
use crate::common::{Random, core};

/// Points of scans are so far apart, metres.
const SPACING: f64 = 2e-3;

/// A little more than what no point of a triangle with edges of [`SPACING`] is away from its
/// nearest corner.
const FITTING: f64 = 1.16e-3;

fn cloud(points: Vec<Point3<f64>>, radius: f64) -> Form {
    Form::Cloud {
        cloud: Arc::new(Cloud::new(points, radius).expect("points")),
        file: "scan.pcd".into(),
    }
}

/// The corners of all triangles, cut in halves until no edge is longer than `spacing`; `None` where
/// these are too many.
fn sampled(mesh: &Mesh, spacing: f64, most: usize) -> Option<Vec<Point3<f64>>> {
    let mut open: Vec<[Point3<f64>; 3]> =
        (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
    let mut points = Vec::new();
    while let Some(corners) = open.pop() {
        let length = |k: usize| (corners[k] - corners[(k + 1) % 3]).norm();
        let k = (0..3).max_by(|&a, &b| length(a).total_cmp(&length(b)))?;
        let [a, b, c] = [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
        if length(k) <= spacing {
            points.extend([a, b, c]);
            continue;
        }
        let middle = nalgebra::center(&a, &b);
        open.extend([[a, middle, c], [middle, b, c]]);
        if open.len() + points.len() > most {
            return None;
        }
    }
    Some(points)
}

/// A scene whose obstacles are made anew; those that `made` leaves alone stay.
fn with_clouds(mut case: Case, mut made: impl FnMut(&Mesh) -> Option<Form>) -> (Case, usize) {
    let mut clouds = 0;
    for body in &mut case.scenario.cell.bodies {
        if body.role != Role::Obstacle {
            continue;
        }
        for shape in &mut body.shapes {
            let (mesh, _) = core(&shape.form);
            if let Some(form) = made(&mesh) {
                shape.form = form;
                clouds += 1;
            }
        }
    }
    (case, clouds)
}

fn points_on(r: &mut Random, mesh: &Mesh, count: usize) -> Vec<Point3<f64>> {
    let on = |r: &mut Random| {
        let [a, b, c] = mesh.corners(r.below(mesh.triangles.len()));
        let (mut u, mut v) = (r.unit(), r.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        a + (b - a) * u + (c - a) * v
    };
    (0..count).map(|_| on(r)).collect()
}

/// Verdict, intervals, least distances and places of contact of balls, by brute force. Catches a
/// radius that the tree or a pair forgets, and triangles of one point that a test passes over.
#[test]
fn no_sample_contradicts_the_engine_about_clouds() {
    let results = every_scene(|seed| {
        if !seed.is_multiple_of(50) {
            return Ok(None);
        }
        let r = &mut Random(seed ^ 0xc10d);
        let (case, clouds) = with_clouds(Case::new(seed), |mesh| {
            let size = mesh.bounds()?.size().norm();
            let count = 1 + r.below(40);
            Some(cloud(points_on(r, mesh, count), size * r.spread(1e-3, 0.1)))
        });
        assert!(clouds > 0);
        judged(&case, seed)
    });
    let seen = |verdict| results.iter().filter(|r| **r == Some(verdict)).count();
    let (clear, hit) = (seen(Verdict::Clear), seen(Verdict::Collision));
    let few = results.iter().flatten().count() / 10;
    assert!(clear >= few && hit >= few, "{clear} clear, {hit} hit");
}

/// Each surface point of the mesh lies in a ball. So whatever meets the mesh meets the cloud, and
/// no contact comes later. Catches points that are lost on the way into the tree, and a radius that
/// is not grown by what thinning moved.
#[test]
fn a_cloud_sampled_from_a_mesh_is_never_clear_where_the_mesh_is_hit() {
    let results = every_scene(|seed| {
        if !seed.is_multiple_of(25) {
            return Ok(None);
        }
        let mesh_scene = Case::new(seed);
        let (cloud_scene, clouds) = with_clouds(Case::new(seed), |mesh| {
            // Points as far apart as the balls are wide, and as near to each other as scans have
            // them at the scanner's foot.
            let shares = [1.0, 0.05];
            let share = shares[usize::from(seed.is_multiple_of(125))];
            // Balls and capsules are their cores here, and so are they in the mesh scene.
            Some(cloud(sampled(mesh, SPACING * share, 6000)?, FITTING))
        });
        if clouds == 0 {
            return Ok(None);
        }
        let (mesh_scene, _) =
            with_clouds(mesh_scene, |mesh| Some(crate::common::form(mesh.clone())));
        let [of_mesh, of_cloud] = [&mesh_scene, &cloud_scene]
            .map(|case| case.scenario.check(case.clearance, super::EPSILON, false));
        if of_mesh.verdict == Verdict::Collision && of_cloud.verdict != Verdict::Collision {
            return Err(format!(
                "the mesh is hit, the cloud is {:?}",
                of_cloud.verdict
            ));
        }
        if let (Some(mesh), Some(cloud)) = (&of_mesh.first_contact, &of_cloud.first_contact)
            && cloud.free_until > mesh.time
        {
            return Err(format!(
                "free until {}, hit at {}",
                cloud.free_until, mesh.time
            ));
        }
        Ok(Some(of_mesh.verdict))
    });
    let seen = |verdict| results.iter().filter(|r| **r == Some(verdict)).count();
    let few = results.iter().flatten().count() / 10;
    let (clear, hit) = (seen(Verdict::Clear), seen(Verdict::Collision));
    assert!(hit >= few && clear >= few, "{clear} clear, {hit} hit");
}

/// The bound that [`FITTING`] rests on.
#[test]
fn no_point_of_a_sampled_triangle_is_far_from_a_sample() {
    let mut r = Random(5);
    for _ in 0..50 {
        let corners = [0; 3].map(|_| Point3::from(r.vector() * 0.01));
        let mesh = Mesh {
            vertices: corners.to_vec(),
            triangles: vec![[0, 1, 2]],
        };
        let samples = sampled(&mesh, SPACING, 100_000).expect("few");
        for p in points_on(&mut r, &mesh, 40) {
            let nearest = samples
                .iter()
                .map(|q: &Point3<f64>| Vector3::norm(&(q - p)));
            assert!(nearest.fold(f64::INFINITY, f64::min) <= FITTING);
        }
    }
}
