//! Packages of the files in a pack.

use super::*;

/// Two robots, each in a package of the same name beside it: what each of them means is what it means
/// in the pack. Catches folders whose statement of the name (`package.xml`) stays behind.
#[test]
fn each_robot_of_a_pack_has_its_own_package_of_one_name() {
    let site = Site::new(0);
    let arm = site.read("robot.urdf");
    let arm = arm.replace("filename=\"meshes/", "filename=\"package://arm/meshes/");
    for folder in ["left", "right"] {
        fs::create_dir_all(site.path(&format!("{folder}/meshes"))).unwrap();
        fs::write(site.path(&format!("{folder}/robot.urdf")), &arm).unwrap();
        let manifest = "<package><name>arm</name></package>";
        fs::write(site.path(&format!("{folder}/package.xml")), manifest).unwrap();
        for mesh in fs::read_dir(site.path("meshes")).unwrap() {
            let mesh = mesh.unwrap();
            let name = mesh.file_name().into_string().unwrap();
            fs::copy(mesh.path(), site.path(&format!("{folder}/meshes/{name}"))).unwrap();
        }
    }
    let cell = "[[robot]]\nname = \"l\"\nurdf = \"left/robot.urdf\"\n\n\
                [[robot]]\nname = \"r\"\nurdf = \"right/robot.urdf\"\nbase = { xyz = [5, 0, 0] }\n";
    fs::write(site.path("two.toml"), cell).unwrap();
    let packed = site.run("pack --cell two.toml -o two.pack");
    assert_eq!(packed.status.code(), Some(0), "{}", errors(&packed));
    let elsewhere = Site {
        folder: tempfile::tempdir().unwrap(),
    };
    fs::copy(site.path("two.pack"), elsewhere.path("two.pack")).unwrap();
    let bodies = |site: &Site, cell: &str| {
        let run = site.run(&format!("inspect --cell {cell} --format json"));
        assert_eq!(run.status.code(), Some(0), "{}", errors(&run));
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        // Files in the pack are named within it.
        report["bodies"].to_string().replace("two.pack/", "")
    };
    let found = bodies(&elsewhere, "two.pack");
    for file in ["left/meshes/base.stl", "right/meshes/base.stl"] {
        assert!(found.contains(file), "{found}");
    }
    assert_eq!(found, bodies(&site, "two.toml"));
}
