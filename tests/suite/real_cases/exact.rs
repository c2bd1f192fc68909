//! An independent distance: every triangle against every triangle, poses by plain forward
//! kinematics, no trees.

use clearance_proof::geometry::made::{cone_cover, cylinder_cover};
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::{Cell, Form};
use nalgebra::Point3;

/// Distance of the surfaces of two bodies for joint values by name, metres.
pub fn distance(
    cell: &Cell,
    joints: &std::collections::BTreeMap<String, f64>,
    a: &str,
    b: &str,
) -> f64 {
    let q: Vec<f64> = (0..cell.joints.len())
        .map(|j| joints[&cell.joint_label(j)])
        .collect();
    let world_from_joint = cell.forward(&q);
    let triangles = |name: &str| -> Vec<[Point3<f64>; 3]> {
        let body = cell.body(name).unwrap_or_else(|| panic!("no body {name}"));
        let world_from_body = cell.body_pose(&world_from_joint, body);
        let shapes = cell.bodies[body].shapes.iter();
        shapes
            .flat_map(|shape| {
                let pose = world_from_body * shape.body_from_shape;
                let mesh = surface(&shape.form);
                (0..mesh.triangles.len())
                    .map(|t| mesh.corners(t).map(|p| pose * p))
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let (a, b) = (triangles(a), triangles(b));
    let mut least = f64::INFINITY;
    for s in &a {
        for t in &b {
            // Apart along an axis by more than the best so far: nothing to gain.
            let far = (0..3).any(|k| gap(s, t, k) > least || gap(t, s, k) > least);
            if !far {
                least = least.min(Closest::of_triangles(s, t).distance);
            }
        }
    }
    least
}

/// How far `t` begins beyond the end of `s` along an axis.
fn gap(s: &[Point3<f64>; 3], t: &[Point3<f64>; 3], axis: usize) -> f64 {
    let end = s.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
    let begin = t.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
    begin - end
}

fn surface(form: &Form) -> Mesh {
    match form {
        Form::Mesh { mesh, .. } => (**mesh).clone(),
        Form::Box { size } => Mesh::cuboid(size),
        Form::Cylinder { radius, length } => cylinder_cover(*radius, *length),
        Form::Cone { radius, length } => cone_cover(*radius, *length),
        Form::Sphere { .. } | Form::Capsule { .. } | Form::Cloud { .. } => {
            panic!("no cell here has round bodies")
        }
    }
}
