//! Octrees beside the number of balls, and of their faces.

use clearance::findings::Work;
use clearance_methods::backends::octree::Octree;
use clearance_methods::backends::{Backend, Prebuilt};
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{Body, Cell, Form, Segment};
use clearance_proof::pairs::PairTable;
use nalgebra::{Isometry3, Vector3};

use super::{fine, row, setting_a, start, trees_of};

/// Two scenes that grow with the robot: balls that move together in front of a wall of 24 boxes,
/// and then their faces.
pub(super) fn against_pieces() -> String {
    let mut out = start(
        "What moves grows, what stands is the same: M balls of 100 faces, 1 mm into a wall of 24 boxes; then 81 balls and \
         finer boxes. One instant; all contacts are found.",
        &[
            "M: balls",
            "faces that move",
            "faces that stand",
            "cubes",
            "comparisons",
            "comparisons a ball",
        ],
    );
    let mut add = |pieces: usize, faces: usize| {
        let cell = wall(pieces, faces);
        let trees = trees_of(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let mut snapshot = Snapshot::default();
        let segment = Segment::instant(&[0.511 - 0.05 + 1e-3]);
        snapshot.set(&scene, &segment, 0.0);
        let mut octree = Octree::new(&scene, &fine(), &Prebuilt::default());
        let mut work = Work::default();
        octree.touching(&mut snapshot, false, &mut work);
        let faces = |moves: bool| -> usize {
            let bodies = cell
                .bodies
                .iter()
                .zip(&trees)
                .filter(|(b, _)| b.joint.is_some() == moves);
            bodies
                .flat_map(|(_, trees)| trees)
                .map(|tree| tree.triangles.len())
                .sum()
        };
        row(
            &mut out,
            &[
                pieces.to_string(),
                faces(true).to_string(),
                faces(false).to_string(),
                octree.cubes_seen().to_string(),
                work.cell_tests.to_string(),
                format!("{:.0}", work.cell_tests as f64 / pieces as f64),
            ],
        );
    };
    for pieces in [1, 3, 9, 27, 81] {
        add(pieces, 1);
    }
    for finer in [10, 100, 1000] {
        add(81, finer);
    }
    out
}

/// Balls on one slide before a wall of 24 boxes, each face of which is divided into so many about.
pub(super) fn wall(balls: usize, finer: usize) -> Cell {
    let mut cell = setting_a();
    let [ball, block] = [cell.bodies[0].clone(), cell.bodies[1].clone()];
    cell.bodies.clear();
    let across = (balls as f64).sqrt().ceil() as usize;
    for k in 0..balls {
        let place = |n: usize| 0.11 * (n as f64 - (across - 1) as f64 / 2.0);
        cell.bodies.push(Body {
            name: format!("ball {k}"),
            joint_from_body: Isometry3::translation(0.0, place(k % across), place(k / across)),
            ..ball.clone()
        });
    }
    let size = Vector3::new(0.2, 0.25, 0.25);
    let mut mesh = Mesh::cuboid(&size);
    while mesh.triangles.len() < 12 * finer {
        mesh = quartered(&mesh);
    }
    let mesh = std::sync::Arc::new(mesh);
    for k in 0..24 {
        let place = |n: usize, of: f64| 0.25 * (n as f64 - (of - 1.0) / 2.0);
        let (y, z) = (0.256 + place(k % 6, 6.0), 0.256 + place(k / 6, 4.0));
        let mut shape = block.shapes[0].clone();
        shape.form = Form::Mesh {
            mesh: mesh.clone(),
            file: "".into(),
        };
        cell.bodies.push(Body {
            name: format!("box {k}"),
            joint_from_body: Isometry3::translation(0.611, y, z),
            shapes: vec![shape],
            ..block.clone()
        });
    }
    cell
}

/// Every triangle cut into four.
fn quartered(mesh: &Mesh) -> Mesh {
    let mut finer = Mesh {
        vertices: mesh.vertices.clone(),
        triangles: Vec::new(),
    };
    for &[a, b, c] in &mesh.triangles {
        let mut middle = |p: u32, q: u32| {
            let (p, q) = (mesh.vertices[p as usize], mesh.vertices[q as usize]);
            finer.vertices.push(nalgebra::center(&p, &q));
            finer.vertices.len() as u32 - 1
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        finer
            .triangles
            .extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    finer
}
