//! `clearance init` with meshes of the robot among those that it is given.

use super::*;

fn cell(project: &Project) -> String {
    fs::read_to_string(project.path().join("cell.toml")).unwrap()
}

/// Regression: they stood in it as obstacles.
#[test]
fn meshes_of_the_robot_are_left_out() {
    let project = Project::new();
    project
        .run("init bench.urdf *.stl --force")
        .stdout(contains("not taken  arm.stl: it is a mesh of the robot"));
    assert!(!cell(&project).contains("mesh = \"arm.stl\""));
}

/// Regression: a mesh of the cell was left out as one of the robot if the last two parts of its path
/// were those of any name in the URDF, even one in a comment: a post in the way of the arm was CLEAR.
#[test]
fn a_mesh_that_is_only_called_like_one_of_the_robot_is_an_obstacle() {
    let project = Project::new();
    for folder in ["robot/meshes", "cell/meshes"] {
        fs::create_dir_all(project.path().join(folder)).unwrap();
    }
    let arm = project.path().join("arm.stl");
    fs::copy(arm, project.path().join("robot/meshes/arm.stl")).unwrap();
    let urdf = URDF.replace("\"arm.stl\"", "\"package://robot/meshes/arm.stl\"");
    let comment = "<!-- <mesh filename='post.stl'/> --></robot>";
    project.write("bench.urdf", urdf.replace("</robot>", comment));
    let post = box_stl([0.55, -0.05, 0.25], [0.65, 0.05, 0.35]);
    project.write("post.stl", &*post);
    project.write("cell/meshes/arm.stl", post);
    let kept = |mesh: &str, name: &str| {
        format!(
            "kept       {mesh}: a URDF names a mesh that is called alike, but this file is not checked as a part of the robot, \
             so it is the obstacle {name}; "
        )
    };
    for (mesh, name) in [("post.stl", "post"), ("cell/meshes/arm.stl", "arm_2")] {
        project
            .run(&format!(
                "init bench.urdf {mesh} robot/meshes/arm.stl --package robot=robot --force"
            ))
            .stdout(contains(kept(mesh, name)))
            .stdout(contains("not taken  robot/meshes/arm.stl: it is a mesh of"));
        let text = cell(&project);
        assert!(text.contains(&format!("mesh = \"{mesh}\"")), "{text}");
        project
            .run("check away.csv")
            .code(1)
            .stdout(contains("COLLISION"));
    }
}
