//! A sled that slides along in a grooved bed: surfaces that are near all over, everywhere and
//! always. No plane lies between them, so that node pairs multiply at every level of the trees. By
//! formula, the same to the last bit everywhere.

use clearance::run::CellSource;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::Trajectory;
use nalgebra::Point3;

use super::Workload;
use super::scenes::{CLEARANCE, RESOLUTION, hill, write_stl};

/// Grooves 20 mm deep, one each 100 mm, along y; `length` long and `raised`, metres.
fn grooved(length: f64, raised: f64) -> Mesh {
    const STEPS: usize = 40;
    let mut mesh = Mesh::default();
    for i in 0..=STEPS {
        for j in 0..=STEPS {
            let [u, v] = [i, j].map(|k| k as f64 / STEPS as f64);
            let z = 0.02 * hill(3.0 * u) + raised;
            mesh.vertices
                .push(Point3::new(0.3 * u, length * (v - 0.5), z));
        }
    }
    let at = |i: usize, j: usize| (i * (STEPS + 1) + j) as u32;
    for i in 0..STEPS {
        for j in 0..STEPS {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// The sled this far above the bed, metres, and its way: 100 mm straight on.
pub fn sled(raised: f64) -> (Workload, Trajectory) {
    let folder = tempfile::tempdir().expect("a folder for the files");
    let file = |name: &str| folder.path().join(name);
    write_stl(&grooved(0.4, 0.0), &file("bed.stl"));
    write_stl(&grooved(0.2, raised), &file("sled.stl"));
    let urdf = r#"<robot name="sled"><link name="base"/>
        <link name="sled"><collision><geometry><mesh filename="sled.stl"/></geometry></collision></link>
        <joint name="slide" type="prismatic"><parent link="base"/><child link="sled"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"#;
    std::fs::write(file("sled.urdf"), urdf).expect("a robot can be written");
    std::fs::write(file("way.csv"), "time,slide\n0,0\n1,0.1\n").expect("a program can be written");
    let mut workload = Workload::load(CellSource::Robot {
        urdf: file("sled.urdf"),
        srdf: None,
        joint_limits: None,
        xacro_args: Vec::new(),
        obstacles: vec![file("bed.stl")],
    })
    .expect("a generated cell can be read");
    workload.settings.clearance = CLEARANCE;
    workload.settings.resolution = RESOLUTION;
    let trajectory = workload.trajectory(&file("way.csv")).expect("the way fits");
    (workload, trajectory)
}
