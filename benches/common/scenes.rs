//! Scenes of any size, by formula: the arm of `robots/arm6` sweeps with its flange down over a
//! terrain, or over a field of balls; a bank rises around the ground, so that no plane lies between
//! arm and ground. Only sums, products and roots make the shapes, so they are the same to the last
//! bit everywhere.

use std::path::Path;

use clearance::run::CellSource;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{Column, Program, Quantity, Trajectory, Waypoint};
use nalgebra::{Point3, Vector3};

use super::{Workload, ours};

/// Where the ground lies, metres: the arm stands in the origin and reaches it with bent elbow.
const X: [f64; 2] = [0.20, 0.60];
const Y: [f64; 2] = [-0.40, 0.40];
/// Highest point of every ground before the bank, metres.
const TOP: f64 = 0.10;
/// Distance from the arm's axis at which the bank begins, metres.
const BANK: f64 = 0.50;
/// Threshold and resolution of the generated scenes, metres.
pub const CLEARANCE: f64 = 1e-3;
pub const RESOLUTION: f64 = 1e-4;

/// A smooth hill of period 1 and height 0 … 1.
pub fn hill(u: f64) -> f64 {
    let u = u - u.floor();
    let v = u * (1.0 - u);
    16.0 * v * v
}

/// How much higher than before the bank the ground is: one metre a metre.
fn bank(x: f64, y: f64) -> f64 {
    ((x * x + y * y).sqrt() - BANK).max(0.0)
}

/// Hills of 30 mm and ripples of 1 mm, in about that many triangles.
pub fn terrain(triangles: usize) -> Mesh {
    let n = ((triangles as f64 / 4.0).sqrt().round() as usize).max(1);
    let (nx, ny) = (n, 2 * n);
    let mut mesh = Mesh::default();
    for i in 0..=nx {
        for j in 0..=ny {
            let x = X[0] + (X[1] - X[0]) * i as f64 / nx as f64;
            let y = Y[0] + (Y[1] - Y[0]) * j as f64 / ny as f64;
            let hills = hill(x / 0.079) * hill(y / 0.083);
            let ripples = hill(x / 0.031) * hill(y / 0.027);
            let z = TOP - 0.031 + 0.030 * hills + 0.001 * ripples + bank(x, y);
            mesh.vertices.push(Point3::new(x, y, z));
        }
    }
    let at = |i: usize, j: usize| (i * (ny + 1) + j) as u32;
    for i in 0..nx {
        for j in 0..ny {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// Triangles of one ball.
pub const BALL: usize = 128;

/// A ball: an octahedron, split twice.
fn ball(center: Point3<f64>, radius: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    for k in 0..8 {
        let sign = |axis: usize| if k >> axis & 1 == 0 { 1.0 } else { -1.0 };
        let corner = [0, 1, 2].map(|axis| axes[axis] * sign(axis));
        let outward = sign(0) * sign(1) * sign(2) > 0.0;
        let [a, b, c] = corner;
        split(if outward { [a, b, c] } else { [a, c, b] }, 2, &mut |t| {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend(t.map(|v| center + v * radius));
            mesh.triangles.push([first, first + 1, first + 2]);
        });
    }
    mesh
}

fn split([a, b, c]: [Vector3<f64>; 3], times: usize, done: &mut dyn FnMut([Vector3<f64>; 3])) {
    if times == 0 {
        return done([a, b, c]);
    }
    let [ab, bc, ca] = [a + b, b + c, c + a].map(|v| v.normalize());
    for t in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
        split(t, times - 1, done);
    }
}

/// That many balls in rows over the ground, their tops 0 to 10 mm below the highest point.
pub fn balls(count: usize) -> Vec<Mesh> {
    let columns = ((count as f64 / 2.0).sqrt().ceil() as usize).max(1);
    let rows = count.div_ceil(columns);
    let pitch = ((X[1] - X[0]) / columns as f64).min((Y[1] - Y[0]) / rows as f64);
    let radius = (0.4 * pitch).min(0.02);
    let place = |k: usize| {
        let (i, j) = (k % columns, k / columns);
        // Heights look irregular: multiples of the golden section.
        let depth = 0.010 * (k as f64 * 0.618_033_988_749_894_9).fract();
        let x = X[0] + (X[1] - X[0]) * (i as f64 + 0.5) / columns as f64;
        let y = Y[0] + (Y[1] - Y[0]) * (j as f64 + 0.5) / rows as f64;
        Point3::new(x, y, TOP - depth - radius + bank(x, y))
    };
    (0..count).map(|k| ball(place(k), radius)).collect()
}

/// One mesh of many.
pub fn joined(meshes: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for mesh in meshes {
        let first = all.vertices.len() as u32;
        all.vertices.extend(&mesh.vertices);
        all.triangles
            .extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

/// The arm with these obstacles, which take the way through files that every obstacle takes.
pub fn arm_over(obstacles: &[Mesh]) -> Workload {
    let folder = tempfile::tempdir().expect("a folder for the meshes");
    let files = obstacles.iter().enumerate().map(|(k, mesh)| {
        let file = folder.path().join(format!("ground_{k:05}.stl"));
        write_stl(mesh, &file);
        file
    });
    let source = CellSource::Robot {
        urdf: ours("robots/arm6/robot.urdf"),
        srdf: None,
        joint_limits: None,
        xacro_args: Vec::new(),
        obstacles: files.collect(),
    };
    let mut workload = Workload::load(source).expect("a generated cell can be read");
    workload.settings.clearance = CLEARANCE;
    workload.settings.resolution = RESOLUTION;
    workload
}

pub fn write_stl(mesh: &Mesh, file: &Path) {
    let mut bytes = vec![0; 80];
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in 0..mesh.triangles.len() {
        bytes.extend([0; 12]);
        for corner in mesh.corners(triangle) {
            for x in corner.iter() {
                bytes.extend((*x as f32).to_le_bytes());
            }
        }
        bytes.extend([0; 2]);
    }
    std::fs::write(file, bytes).expect("a mesh can be written");
}

/// A sweep of the flange over the ground and back, `height` metres over its highest point, `passes`
/// times, one second for each of 12 segments; every segment is cut into `cuts` equal ones (the same
/// motion with more waypoints).
pub fn sweep(workload: &Workload, height: f64, passes: usize, cuts: usize) -> Trajectory {
    const STEPS: usize = 12;
    let taught: Vec<[f64; 6]> = (0..=STEPS * passes)
        .map(|k| {
            // There and back, while the radius changes three times as fast.
            let across = there_and_back(k as f64 / STEPS as f64);
            let along = there_and_back(k as f64 * 3.0 / STEPS as f64);
            let [q2, q3, q5] = flange_down(0.34 + 0.10 * along, TOP + height);
            let turn = -0.75 + 1.5 * across;
            [turn, q2, q3, 0.0, q5, 2.0 * across]
        })
        .collect();
    let mut waypoints = Vec::new();
    for (k, pair) in taught.windows(2).enumerate() {
        for cut in 0..cuts {
            let share = cut as f64 / cuts as f64;
            let between = |j: usize| pair[0][j] + (pair[1][j] - pair[0][j]) * share;
            waypoints.push((k as f64 + share, [0, 1, 2, 3, 4, 5].map(between)));
        }
    }
    waypoints.push(((taught.len() - 1) as f64, taught[taught.len() - 1]));
    let program = Program {
        source: "sweep".into(),
        columns: (1..=6)
            .map(|j| Column {
                joint: format!("joint_{j}").into(),
                line: Some(1),
                quantity: Quantity::Angle,
            })
            .collect(),
        waypoints: waypoints
            .into_iter()
            .enumerate()
            .map(|(k, (time, positions))| Waypoint::new(time, &positions[..], k + 2))
            .collect(),
        timed: true,
        ..Program::default()
    };
    let (trajectory, _) = Trajectory::for_cell(&program, &workload.prepared.loaded.cell, None)
        .expect("the sweep fits");
    trajectory
}

/// 0 at even numbers, 1 at odd ones, straight between.
fn there_and_back(u: f64) -> f64 {
    let u = u * 2.0;
    let rest = u - 2.0 * (u / 2.0).floor();
    1.0 - (rest - 1.0).abs()
}

/// Joints 2, 3 and 5 of arm6 for a flange that looks down at this radius and height, metres.
pub fn flange_down(radius: f64, height: f64) -> [f64; 3] {
    // Lengths of robots/arm6/robot.urdf; angles from the vertical, towards the front.
    let (upper, fore) = (0.270_f64, 0.302_f64.hypot(0.070));
    let (x, z) = (radius, height + 0.072 - 0.290);
    let reach = x.hypot(z);
    let towards = x.atan2(z);
    let angle = |near: f64, far: f64| {
        ((near * near + reach * reach - far * far) / (2.0 * near * reach)).acos()
    };
    let q2 = towards - angle(upper, fore);
    let q3 = towards + angle(fore, upper) - 0.302_f64.atan2(0.070) - q2;
    [q2, q3, std::f64::consts::FRAC_PI_2 - q2 - q3]
}
