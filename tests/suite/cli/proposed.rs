//! What is proposed for controllers, and what is taken for it without a proof.

use super::*;

/// A FANUC arm as ROS-Industrial draws it: `base` stands where J1 and J2 meet.
const ARM: &str = r#"<robot name="lrmate">
  <link name="base_link"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="link_1"/>
  <link name="link_2"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.06 0.1 0.3"/></geometry></collision></link>
  <link name="link_3"><collision><origin xyz="0.15 0 0.075"/><geometry><box size="0.3 0.08 0.08"/></geometry></collision></link>
  <link name="link_4"/><link name="link_5"/><link name="link_6"/><link name="base"/><link name="tool0"/>
  <joint name="joint_1" type="revolute"><origin xyz="0 0 0.330"/><parent link="base_link"/><child link="link_1"/><axis xyz="0 0 1"/>LIMIT</joint>
  <joint name="joint_2" type="revolute"><origin xyz="0.075 0 0"/><parent link="link_1"/><child link="link_2"/><axis xyz="0 1 0"/>LIMIT</joint>
  <joint name="joint_3" type="revolute"><origin xyz="0 0 0.400"/><parent link="link_2"/><child link="link_3"/><axis xyz="0 -1 0"/>LIMIT</joint>
  <joint name="joint_4" type="revolute"><origin xyz="0 0 0.075"/><parent link="link_3"/><child link="link_4"/><axis xyz="-1 0 0"/>LIMIT</joint>
  <joint name="joint_5" type="revolute"><origin xyz="0.410 0 0"/><parent link="link_4"/><child link="link_5"/><axis xyz="0 -1 0"/>LIMIT</joint>
  <joint name="joint_6" type="revolute"><origin xyz="0.080 0 0"/><parent link="link_5"/><child link="link_6"/><axis xyz="-1 0 0"/>LIMIT</joint>
  <joint name="to_base" type="fixed"><origin xyz="0 0 0.330"/><parent link="base_link"/><child link="base"/></joint>
  <joint name="to_tool0" type="fixed"><origin rpy="3.141592653589793 -1.5707963267948966 0"/><parent link="link_6"/><child link="tool0"/></joint>
</robot>"#;

/// A turn of the first joint, and another one by a pose.
const LISTING: &str = "/PROG  P\n/ATTR\nDEFAULT_GROUP = 1,*,*,*,*;\n/MN\n   1:J P[1] 50% FINE ;\n   2:J P[2] 50% FINE ;\n/POS\n\
P[1]{\n   GP1:\n\tUF : 0, UT : 1,\n\tJ1= 0.000 deg,\tJ2= 0.000 deg,\tJ3= 0.000 deg,\n\tJ4= 0.000 deg,\tJ5= -90.000 deg,\tJ6= 0.000 deg\n};\n\
P[2]{\n   GP1:\nPOINT};\n/END\n";
const BY_JOINTS: &str = "\tUF : 0, UT : 1,\n\tJ1= 10.000 deg,\tJ2= 0.000 deg,\tJ3= 0.000 deg,\n\tJ4= 0.000 deg,\tJ5= -90.000 deg,\tJ6= 0.000 deg\n";
const BY_POSE: &str = "\tUF : 0, UT : 1,\tCONFIG : 'N U T, 0, 0, 0',\n\tX = 480.000  mm,\tY = 60.000  mm,\tZ = 300.000  mm,\n\
\tW = 180.000 deg,\tP = 0.000 deg,\tR = 0.000 deg\n";
const J3: &str = "{ joint = \"joint_3\", with = { joint_2 = 1 } }";

fn project(point: &str) -> Project {
    let project = Project::new();
    let limit = r#"<limit lower="-4" upper="4" effort="0" velocity="9"/>"#;
    project.write("lrmate.urdf", ARM.replace("LIMIT", limit));
    project.write("P.LS", LISTING.replace("POINT", point));
    project
}

/// The cell with these joints, and this base.
fn put_cell(project: &Project, third: &str, base: &str, more: &str) {
    let cell = format!(
        "[[robot]]\nurdf = \"lrmate.urdf\"\n[robot.controller]\ndialect = \"fanuc\"\n\
         joints = [\"joint_1\", \"joint_2\", {third}, \"joint_4\", \"joint_5\", \"joint_6\"]\nbase = \"{base}\"\nflange = \"tool0\"\n\
         tools = {{ 1 = {{ xyz = [0, 0, \"50mm\"] }} }}\n{more}\n\
         [[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [-1, 0, 0] }}\n"
    );
    project.write("cell.toml", cell);
}

fn said(project: &Project, args: &str, code: i32) -> String {
    let run = project.run(args).code(code);
    let out = run.get_output();
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

/// Regression: `init` proposed to count J3 from J2 and to take the foot of the arm for the base, and
/// whoever agreed had every pose 330 mm too low, and `CLEAR`.
#[test]
fn what_is_proposed_for_a_fanuc_arm_is_right_for_it() {
    let project = project(BY_POSE);
    said(&project, "init lrmate.urdf P.LS --force", 2);
    let text = fs::read_to_string(project.path().join("cell.toml")).unwrap();
    let joints =
        format!("joints = [\"joint_1\", \"joint_2\", {J3}, \"joint_4\", \"joint_5\", \"joint_6\"]");
    for line in [&*format!("# {joints} "), "# base = \"base\" "] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // The same line where there is no `controller` at all.
    let found = said(&project, "check --robot lrmate.urdf P.LS", 2);
    let found = found.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        found.contains(&format!("dialect = \"fanuc\", {joints}")),
        "{found}"
    );
    assert!(found.contains("`clearance init` writes one"), "{found}");
}

/// Without a point that shows it, the joint is the one and the base is the other of two readings.
#[test]
fn joints_and_a_base_as_hardly_any_arm_has_them_leave_the_question_open() {
    let plain = "\"joint_3\"";
    let none = "{ joint = \"joint_3\", with = { joint_2 = 0 } }";
    let point = "points = [{ joints = [0, 0, 0, 0, -90, 0], xyz = [\"485mm\", 0, \"345mm\"], rpy = [\"180deg\", 0, 0], tool = \"1\" }]";
    for (target, third, base, more, words) in [
        (BY_POSE, J3, "base", "", None),
        (
            BY_POSE,
            plain,
            "base",
            "",
            Some("count joint 3 from the horizontal"),
        ),
        (
            BY_JOINTS,
            plain,
            "base_link",
            "",
            Some("count joint 3 from the horizontal"),
        ),
        (
            BY_POSE,
            J3,
            "base_link",
            "",
            Some("which URDFs have for that, stands elsewhere"),
        ),
        // It decides nothing.
        (BY_JOINTS, J3, "base_link", "", None),
        (BY_JOINTS, none, "base", "", None),
        // The pendant shows it.
        (BY_JOINTS, plain, "base", point, None),
    ] {
        let project = project(target);
        put_cell(&project, third, base, more);
        let code = if words.is_some() { 2 } else { 0 };
        let found = said(&project, "check --cell cell.toml P.LS", code);
        let found = found.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(words) = words {
            assert!(found.contains(words), "{third} {base}: {found}");
        }
    }
}

/// Regression: URDFs of FANUC itself call the links `wbase` and `fanuc_flange`. `init` proposed the foot
/// of the arm for the base, and that was `CLEAR` too.
#[test]
fn the_links_of_fanucs_own_urdfs_are_proposed() {
    let project = project(BY_POSE);
    let urdf = fs::read_to_string(project.path().join("lrmate.urdf")).unwrap();
    let own = urdf
        .replace("<link name=\"base_link\">", "<link name=\"world\"/><link name=\"base_link\">")
        .replace("</robot>", "<joint name=\"to_world\" type=\"fixed\"><parent link=\"world\"/><child link=\"base_link\"/></joint></robot>")
        .replace("\"base\"", "\"wbase\"")
        .replace("\"tool0\"", "\"fanuc_flange\"");
    project.write("lrmate.urdf", own);
    said(&project, "init lrmate.urdf P.LS --force", 2);
    let text = fs::read_to_string(project.path().join("cell.toml")).unwrap();
    for line in ["# base = \"wbase\" ", "# flange = \"fanuc_flange\" "] {
        assert!(text.contains(line), "{line}: {text}");
    }
    for (base, code) in [("wbase", 0), ("base_link", 2), ("world", 2)] {
        put_cell(&project, J3, base, "");
        let cell = fs::read_to_string(project.path().join("cell.toml")).unwrap();
        project.write("cell.toml", cell.replace("\"tool0\"", "\"fanuc_flange\""));
        let found = said(&project, "check --cell cell.toml P.LS", code);
        let is_told = found.contains("`wbase`, which URDFs have for that, stands");
        assert_eq!(is_told, code == 2, "{base}: {found}");
    }
}

/// Regression: for an ABB arm with a parallel rod `init` proposed to count joint 3 from joint 2, and
/// that was `CLEAR` where the arm hits something.
#[test]
fn joint_3_of_an_abb_arm_with_a_rod_counts_from_the_ground() {
    let module = "MODULE m\nPROC main()\n\
        MoveAbsJ [[0,0,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\n\
        MoveAbsJ [[0,60,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\nENDPROC\nENDMODULE\n";
    let project = project(BY_JOINTS);
    let limit = r#"<limit lower="-4" upper="4" effort="0" velocity="9"/>"#;
    // Both joints turn down.
    let urdf = ARM.replace("LIMIT", limit).replace(
        "<origin xyz=\"0 0 0.400\"/><parent link=\"link_2\"/><child link=\"link_3\"/><axis xyz=\"0 -1 0\"/>",
        "<origin xyz=\"0 0 0.400\"/><parent link=\"link_2\"/><child link=\"link_3\"/><axis xyz=\"0 1 0\"/>",
    );
    project.write("P.mod", module);
    let plain = "\"joint_3\"";
    let coupled = "{ joint = \"joint_3\", with = { joint_2 = -1 } }";
    let none = "{ joint = \"joint_3\", with = { joint_2 = 0 } }";
    for (name, third, proposed, code) in [
        ("irb2400", plain, coupled, 2),
        ("irb2400", coupled, coupled, 0),
        ("irb2400", none, coupled, 0),
        ("irb6640", plain, plain, 0),
    ] {
        project.write(
            "lrmate.urdf",
            urdf.replace("name=\"lrmate\"", &format!("name=\"abb_{name}\"")),
        );
        said(&project, "init lrmate.urdf P.mod --force", 2);
        let text = fs::read_to_string(project.path().join("cell.toml")).unwrap();
        let joints = format!("# joints = [\"joint_1\", \"joint_2\", {proposed}, \"joint_4\"");
        assert!(text.contains(&joints), "{name}: {text}");
        put_cell(&project, third, "base", "");
        let cell = fs::read_to_string(project.path().join("cell.toml")).unwrap();
        project.write("cell.toml", cell.replace("\"fanuc\"", "\"rapid\""));
        let found = said(&project, "check --cell cell.toml P.mod", code);
        let is_told = found.contains("arms of ABB with a parallel rod");
        assert_eq!(is_told, code == 2, "{name} {third}: {found}");
    }
}

/// Regression: a `.srdf.xacro` was taken for a second robot.
#[test]
fn an_srdf_of_xacro_is_taken_for_one() {
    let project = Project::new();
    project.write(
        "bench.srdf.xacro",
        "<robot name='bench' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:arg name='why' default='x'/>\n\
         <disable_collisions link1='base' link2='hand' reason='$(arg why)'/></robot>",
    );
    project
        .run("init bench.urdf bench.srdf.xacro --xacro-arg why=Never --force")
        .code(0);
    let text = fs::read_to_string(project.path().join("cell.toml")).unwrap();
    for line in ["srdf = \"bench.srdf.xacro\"", "why"] {
        assert!(text.contains(line), "{text}");
    }
    said(&project, "inspect --cell cell.toml", 0);
}

/// Two of one name, and a name that no cell file can have.
#[test]
fn names_of_files_that_make_no_names_of_bodies_say_what_to_do() {
    let project = Project::new();
    fs::create_dir(project.path().join("other")).unwrap();
    for name in ["post.stl", "other/post.stl", "base.stl"] {
        project.write(name, box_stl([1.0; 3], [2.0; 3]));
    }
    let check = "check --robot bench.urdf away.csv --obstacle";
    let found = said(
        &project,
        &format!("{check} post.stl --obstacle other/post.stl"),
        2,
    );
    let words = "it is called `post` after its file, and post.stl is called so too";
    for words in [words, "rename the file"] {
        assert!(found.contains(words), "{found}");
    }
    let found = said(&project, &format!("{check} base.stl"), 2);
    assert!(
        found.contains("a link of the robot is called so too"),
        "{found}"
    );
}

/// Regression: a pattern of `init` passed over names that are not text, and the mesh was missing.
#[cfg(target_os = "linux")]
#[test]
fn init_says_what_it_cannot_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let project = Project::new();
    let name = OsStr::from_bytes(b"caf\xe9.stl");
    fs::write(project.path().join(name), box_stl([1.0; 3], [2.0; 3])).unwrap();
    let init = |mesh: &OsStr| {
        let mut command = Command::cargo_bin("clearance").unwrap();
        command
            .current_dir(project.path())
            .args(["init", "bench.urdf"]);
        let out = command.arg(mesh).arg("--force").output().unwrap();
        assert_eq!(out.status.code(), Some(2));
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    assert!(init(name).contains("is not UTF-8, so no cell file can name it; rename it"));
    assert!(init(OsStr::new("c*.stl")).contains("is not text"));
}
