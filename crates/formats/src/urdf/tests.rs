//! Small robots, each with one thing that matters.

use clearance_proof::model::{Cell, Form};
use nalgebra::{Point3, Vector3};

use crate::{ImportError, LoadOptions, load_robot};

mod slips;

fn load_with(body: &str, visual_as_collision: bool) -> Result<Cell, ImportError> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("r.urdf");
    std::fs::write(&file, format!("<robot name=\"r\">\n{body}\n</robot>")).unwrap();
    let options = LoadOptions {
        visual_as_collision,
        ..LoadOptions::default()
    };
    load_robot(&file, &[], &options).map(|loaded| loaded.cell)
}

fn load(body: &str) -> Result<Cell, ImportError> {
    load_with(body, false)
}

fn links(names: &str) -> String {
    names
        .split(' ')
        .map(|n| format!("<link name=\"{n}\"/>"))
        .collect()
}

/// A joint with limits, its further content, and its ends.
fn joint(name: &str, kind: &str, parent: &str, child: &str, content: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/>{content}</joint>"
    )
}

fn shape(content: &str) -> String {
    format!("<link name=\"a\"><collision><geometry>{content}</geometry></collision></link>")
}

#[track_caller]
fn refused(body: &str, line: usize, text: &str) {
    let error = load(body).expect_err("loaded");
    assert!(error.to_string().contains(text), "{error}");
    assert_eq!(error.place.line, Some(line), "{error}");
}

fn noted(cell: &Cell, what: &str, why: &str) -> bool {
    cell.notes
        .iter()
        .any(|n| n.subject == what && n.message.contains(why))
}

#[test]
fn the_order_of_roll_pitch_yaw() {
    let origin = "<origin xyz=\"1 2 3\" rpy=\"0.3 -0.7 1.9\"/>";
    let cell = load(&(links("a b") + &joint("j", "fixed", "a", "b", origin))).unwrap();
    let (r, p, y): (f64, f64, f64) = (0.3, -0.7, 1.9);
    let rx = |v: Vector3<f64>| {
        Vector3::new(
            v.x,
            r.cos() * v.y - r.sin() * v.z,
            r.sin() * v.y + r.cos() * v.z,
        )
    };
    let ry = |v: Vector3<f64>| {
        Vector3::new(
            p.cos() * v.x + p.sin() * v.z,
            v.y,
            -p.sin() * v.x + p.cos() * v.z,
        )
    };
    let rz = |v: Vector3<f64>| {
        Vector3::new(
            y.cos() * v.x - y.sin() * v.y,
            y.sin() * v.x + y.cos() * v.y,
            v.z,
        )
    };
    let v = Vector3::new(0.2, 0.5, -1.1);
    let expected = rz(ry(rx(v))) + Vector3::new(1.0, 2.0, 3.0);
    let got = cell.body_pose(&cell.forward(&[]), 1) * Point3::from(v);
    assert!((got.coords - expected).norm() < 1e-14);
}

/// Regression: the squares of huge numbers have no sum, and the joint shrank what it was to turn.
#[test]
fn an_axis_of_any_length_is_a_direction() {
    for axis in ["0 0 1e153", "0 0 1e155", "0 0 1e300"] {
        let body =
            joint("j", "revolute", "a", "b", &format!("<axis xyz='{axis}'/>")) + &links("a b");
        let cell = load(&body).unwrap();
        assert_eq!(cell.joints[0].axis, Vector3::z_axis(), "{axis}");
    }
}

#[test]
fn joints_of_every_type_stand_parents_first() {
    // Written children first, with fixed joints between.
    let body = joint("c", "continuous", "l3", "l4", "<axis xyz=\"0 0 3\"/>")
        + &joint("p", "prismatic", "l2", "l3", "<axis xyz=\"0 1 0\"/>")
        + &joint(
            "f",
            "fixed",
            "l1",
            "l2",
            "<origin xyz=\"0 0 1\"/><axis xyz=\"0 0 0\"/>",
        )
        + &joint("r", "revolute", "l0", "l1", "")
        + &links("l4 l3 l2 l1 l0");
    let cell = load(&body).unwrap();
    let names: Vec<_> = cell.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["r", "p", "c"]);
    assert_eq!(cell.joints[0].axis, Vector3::x_axis()); // the default
    assert_eq!(cell.joints[2].axis, Vector3::z_axis());
    assert_eq!(
        cell.joints.iter().map(|j| j.parent).collect::<Vec<_>>(),
        [None, Some(0), Some(1)]
    );
    assert_eq!(
        cell.joints[1].parent_from_joint.translation.vector,
        Vector3::z()
    );
    assert_eq!(cell.joints[0].limits.position, Some((-2.0, 2.0)));
    assert_eq!(cell.joints[2].limits.position, None);
    assert_eq!(cell.bodies[0].name, "l0");
    let l2 = &cell.bodies[cell.body("l2").unwrap()];
    assert_eq!((l2.joint, l2.parent), (Some(0), cell.body("l1")));
    assert_eq!(l2.joint_from_body.translation.vector, Vector3::z());
}

#[test]
fn mimic_chains_end_at_the_independent_joint() {
    let follow = |name: &str, factor: f64, offset: f64| {
        format!("<mimic joint=\"{name}\" multiplier=\"{factor}\" offset=\"{offset}\"/>")
    };
    let body = links("a b c d")
        + &joint("three", "revolute", "a", "b", &follow("two", 3.0, 0.5))
        + &joint("two", "revolute", "b", "c", &follow("one", -2.0, 0.25))
        + &joint("one", "revolute", "c", "d", "");
    let cell = load(&body).unwrap();
    let three = cell.joints[0].mimic.unwrap();
    assert_eq!(cell.joints[three.source].name, "one");
    assert_eq!((three.multiplier, three.offset), (-6.0, 3.0 * 0.25 + 0.5));
    assert_eq!(cell.rest, [1.25, 0.25, 0.0]);

    let circle = links("a b c")
        + "\n"
        + &joint("x", "revolute", "a", "b", &follow("y", 1.0, 0.0))
        + &joint("y", "revolute", "b", "c", &follow("x", 1.0, 0.0));
    refused(&circle, 3, "follows itself");
    // Each joint of a chain walks to its end: a long one would take the square of its length.
    let long = |count: usize| {
        let names: Vec<String> = (0..=count).map(|k| format!("l{k}")).collect();
        let chain = (0..count).map(|k| {
            let (name, parent, child) = (format!("j{k}"), &names[k], &names[k + 1]);
            let next = (k + 1 < count).then(|| follow(&format!("j{}", k + 1), 1.0, 0.0));
            joint(&name, "revolute", parent, child, &next.unwrap_or_default())
        });
        links(&names.join(" ")) + "\n" + &chain.collect::<String>()
    };
    assert!(load(&long(1000)).is_ok());
    refused(&long(1002), 3, "a chain of more than 1000 <mimic> tags");
    let own = links("a b") + &joint("x", "revolute", "a", "b", "<mimic joint=\"x\"/>");
    refused(&own, 2, "follows itself");
    let gone = links("a b")
        + &joint(
            "finger_1",
            "revolute",
            "a",
            "b",
            "<mimic joint=\"fingr_1\"/>",
        );
    refused(
        &gone,
        2,
        "unknown joint `fingr_1`; did you mean `finger_1`?",
    );
    let stiff = links("a b c")
        + &joint("f", "fixed", "a", "b", "")
        + &joint("x", "revolute", "b", "c", "<mimic joint=\"f\"/>");
    refused(&stiff, 2, "`f`, which is fixed");
    let fixed = links("a b") + &joint("f", "fixed", "a", "b", "<mimic joint=\"nobody\"/>");
    assert!(noted(&load(&fixed).unwrap(), "f", "<mimic> is ignored"));
}

#[test]
fn limits_that_are_missing_are_noted() {
    let bare = |limit: &str| {
        links("a b")
            + &format!(
                "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>{limit}</joint>"
            )
    };
    let cell = load(&bare("")).unwrap();
    assert!(noted(&cell, "j", "has no <limit>"));
    let cell = load(&bare("<limit velocity=\"1\" effort=\"1\"/>")).unwrap();
    assert!(noted(&cell, "j", "no position limits") && cell.joints[0].limits.velocity == Some(1.0));
    // As ROS reads it.
    for (limit, expected) in [
        ("upper=\"3\"", Some((0.0, 3.0))),
        ("lower=\"-2\"", Some((-2.0, 0.0))),
        ("lower=\"2\"", None),
    ] {
        let cell = load(&bare(&format!(
            "<limit {limit} velocity=\"1\" effort=\"1\"/>"
        )))
        .unwrap();
        assert!(noted(&cell, "j", "only one position limit"));
        assert_eq!(cell.joints[0].limits.position, expected, "{limit}");
    }
    let cell = load(&bare(
        "<limit lower=\"1e-1\" upper=\"+.5\" velocity=\"0\" effort=\"1\"/>",
    ))
    .unwrap();
    assert!(noted(&cell, "j", "velocity"));
    assert_eq!(
        (cell.joints[0].limits.position, cell.rest[0]),
        (Some((0.1, 0.5)), 0.1)
    );
    let cell = load(&bare(
        "<limit lower=\"-3\" upper=\"-2\" velocity=\"1\" effort=\"1\"/>",
    ))
    .unwrap();
    assert_eq!(cell.rest[0], -2.0);
    refused(
        &bare("\n<limit lower=\"1\" upper=\"0\" velocity=\"1\" effort=\"1\"/>"),
        3,
        "exchange them",
    );
    let cell = load(&bare("<limit velocity=\"-1\" effort=\"1\"/>")).unwrap();
    assert!(noted(&cell, "j", "velocity limit of -1, below 0"));
    assert_eq!(cell.joints[0].limits.velocity, None);
}

#[test]
fn shapes() {
    let body = "<link name=\"a\">\
        <collision name=\"one\"><origin xyz=\"0 0 1\"/><geometry><box size=\"1 2 3\"/></geometry></collision>\
        <collision><geometry><cylinder radius=\"1\" length=\"2\"/></geometry></collision>\
        <collision><geometry><sphere radius=\"1e-1\"/></geometry></collision>\
        <collision><geometry><capsule radius=\"1\" length=\"2\"/></geometry></collision></link>";
    let cell = load(body).unwrap();
    let shapes = &cell.bodies[0].shapes;
    assert_eq!(shapes[0].name, "one");
    assert_eq!(shapes[0].body_from_shape.translation.vector, Vector3::z());
    let forms: Vec<&Form> = shapes.iter().map(|s| &s.form).collect();
    assert_eq!(
        *forms[0],
        Form::Box {
            size: Vector3::new(1.0, 2.0, 3.0)
        }
    );
    assert_eq!(
        *forms[1],
        Form::Cylinder {
            radius: 1.0,
            length: 2.0
        }
    );
    assert_eq!(*forms[2], Form::Sphere { radius: 0.1 });
    assert_eq!(
        *forms[3],
        Form::Capsule {
            radius: 1.0,
            length: 2.0
        }
    );

    for (content, text) in [
        ("", "is empty"),
        ("<cone radius='1' length='1'/>", "`<cone>` is not supported"),
        ("<box/>", "has no `size`"),
        ("<box size='1 2'/>", "found 2; write 3 numbers"),
        ("<box size='1 2 0'/>", "above 0"),
        ("<box size='1 2 3mm'/>", "`3mm` is not a number"),
        ("<box size='1 2 nan'/>", "not finite"),
        ("<box size='1 2 1e999'/>", "not finite"),
        ("<box size='${w} 2 3'/>", "xacro"),
        ("<sphere radius='-1'/>", "above 0"),
        ("<cylinder radius='1'/>", "has no `length`"),
        ("<mesh/>", "has no `filename`"),
        ("<mesh filename='x.stl' scale='1 0 1'/>", "scale of 0"),
        ("<mesh filename='x.stl'/>", "`x.stl` was not found; tried"),
        ("<mesh filename='https://x/y.stl'/>", "`https://`"),
        ("<sphere radius='1'/><box size='1 1 1'/>", "second shape"),
    ] {
        refused(&shape(content), 2, text);
    }
}

#[test]
fn a_mesh_is_shared_and_a_mirrored_one_is_another() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n";
    std::fs::write(dir.path().join("m.stl"), mesh).unwrap();
    let piece = |scale: &str| {
        format!(
            "<collision><geometry><mesh filename='m.stl' scale='{scale}'/></geometry></collision>"
        )
    };
    let file = dir.path().join("r.urdf");
    let text = format!(
        "<robot name='r'><link name='a'>{}{}{}</link></robot>",
        piece("1 1 1"),
        piece("1 1 1"),
        piece("1 -2 1")
    );
    std::fs::write(&file, text).unwrap();
    let loaded = load_robot(&file, &[dir.path().join("m.stl")], &LoadOptions::default());
    let cell = loaded.unwrap().cell;
    let mesh = |body: usize, i: usize| match &cell.bodies[body].shapes[i].form {
        Form::Mesh { mesh, .. } => mesh.clone(),
        other => panic!("{other:?}"),
    };
    assert!(std::sync::Arc::ptr_eq(&mesh(0, 0), &mesh(0, 1)));
    assert!(std::sync::Arc::ptr_eq(&mesh(0, 0), &mesh(1, 0)));
    assert_eq!(cell.bodies[1].name, "m");
    let [a, b, c] = mesh(0, 2).corners(0);
    // Mirrored, and turned round: the normal still points up.
    assert_eq!(mesh(0, 2).bounds().unwrap().min.y, -2.0);
    assert!((b - a).cross(&(c - a)).z > 0.0);
}

#[test]
fn visual_only_links_are_named_or_used() {
    let body =
        "<link name=\"a\"><visual><geometry><sphere radius=\"1\"/></geometry></visual></link>";
    let cell = load(body).unwrap();
    assert!(cell.bodies[0].shapes.is_empty());
    assert_eq!(cell.unchecked.len(), 1);
    assert!(cell.unchecked[0].subject == "a" && !cell.unchecked[0].is_open());
    let cell = load_with(body, true).unwrap();
    assert_eq!(cell.bodies[0].shapes[0].form, Form::Sphere { radius: 1.0 });
    assert!(cell.unchecked.is_empty() && noted(&cell, "a", "visual"));
    assert!(load(&links("frame")).unwrap().unchecked.is_empty());
}

/// `<include>` is MuJoCo's own here, and nothing of xacro.
#[test]
fn another_format_is_called_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("scene.xml");
    std::fs::write(&file, "<mujoco>\n <include file=\"arm.xml\"/>\n</mujoco>\n").unwrap();
    let error = load_robot(&file, &[], &LoadOptions::default()).unwrap_err();
    let error = error.to_string();
    for said in [
        "scene.xml:1:1: ",
        "a model of MuJoCo (MJCF)",
        "take the URDF",
    ] {
        assert!(error.contains(said), "{error}");
    }
}

/// A file of parts: the one that calls them has the robot.
#[test]
fn a_file_that_only_defines_macros_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("arm.xacro");
    let told = |call: &str| {
        let text = format!(
            "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n<xacro:macro name=\"hand\"><link name=\"h\"/></xacro:macro>\n\
             <xacro:macro name=\"arm\"><link name=\"a\"/></xacro:macro>\n{call}</robot>\n"
        );
        std::fs::write(&file, text).unwrap();
        load_robot(&file, &[], &LoadOptions::default()).map_err(|e| e.to_string())
    };
    let error = told("").unwrap_err();
    let said = "it only defines macros (`arm`, `hand`), and none of them is called; name the file that includes";
    assert!(error.contains(said), "{error}");
    assert!(told("<xacro:arm/>").is_ok());
}

#[test]
fn what_is_no_tree() {
    refused("", 1, "has no `<link>`");
    refused(
        "<link name='a'/>\n<link name='a'/>",
        3,
        "second link is called `a`",
    );
    refused("<link name=''/>", 2, "is empty");
    refused("<link/>", 2, "has no `name`");
    refused("<link name='a'/>\n<link name='b'/>", 3, "both roots");
    let fixed = |name, parent, child| joint(name, "fixed", parent, child, "");
    refused(
        &(links("a b c") + "\n" + &fixed("j", "a", "b") + "\n" + &fixed("j", "b", "c")),
        4,
        "second joint",
    );
    refused(
        &(links("a b c") + &fixed("j", "a", "c") + "\n" + &fixed("k", "b", "c")),
        3,
        "child of `j` and of `k`",
    );
    refused(
        &(links("a b") + "\n" + &fixed("j", "a", "b") + &fixed("k", "b", "a")),
        3,
        "form a loop",
    );
    refused(
        &(links("a b c") + "\n" + &fixed("j", "c", "b") + &fixed("k", "b", "c")),
        3,
        "a loop that the root `a`",
    );
    refused(
        &(links("a b") + "\n" + &fixed("j", "a", "bb")),
        3,
        "unknown link `bb`; did you mean `b`?",
    );
    refused(
        &(links("a b") + &joint("j", "floating", "a", "b", "")),
        2,
        "joint type `floating` of `j`",
    );
    refused(
        &(links("a b") + &joint("j", "planar", "a", "b", "")),
        2,
        "joint type `planar` of `j`",
    );
    refused(
        &(links("a b") + &joint("j", "revolut", "a", "b", "")),
        2,
        "did you mean `revolute`",
    );
    refused(
        &(links("a b") + &joint("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>")),
        2,
        "zero vector",
    );
    // Some readers would double the way that it slides.
    refused(
        &(links("a b") + &joint("j", "prismatic", "a", "b", "<axis xyz='2 0 0'/>")),
        2,
        "a vector of length 2",
    );
    refused(
        &(links("a b") + "<joint name='j' type='fixed'><parent link='a'/></joint>"),
        2,
        "has no `<child>`",
    );
}

#[test]
fn slips_of_the_pen() {
    refused(
        "<link name='a'><colision/></link>",
        2,
        "did you mean `<collision>`?",
    );
    refused("<lnik name='a'/>", 2, "did you mean `<link>`?");
    refused(
        &(links("a b") + &joint("j", "revolute", "a", "b", "<orign xyz='0 0 1'/>")),
        2,
        "`<origin>`",
    );
    refused(
        &(links("a b") + &joint("j", "fixed", "a", "b", "<origin rpy='0 0, 0 1'/>")),
        2,
        "`0,` is not a number",
    );
    refused(
        &(links("a b") + &joint("j", "fixed", "a", "b", "<origin/><origin/>")),
        2,
        "a second `<origin>`",
    );
    // Extensions are not slips.
    assert!(load(&(links("a") + "<gazebo/><ros2_control/><other:link/><link_mask/>")).is_ok());
}

#[test]
fn what_lies_beyond_every_cell() {
    for kind in ["fixed", "revolute"] {
        let far = joint("j", kind, "a", "b", "<origin xyz='0 1e200 0'/>");
        refused(&(links("a b") + &far), 2, "check the units");
    }
    refused(&shape("<box size='1 1 1e8'/>"), 2, "check the units");
}

#[test]
fn quaternions_need_their_version() {
    let body = links("a b") + &joint("j", "fixed", "a", "b", "<origin quat_xyzw='0 0 1 0'/>");
    refused(&body, 2, "version 1.0");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("r.urdf");
    std::fs::write(
        &file,
        format!("<robot name='r' version='1.1'>{body}</robot>"),
    )
    .unwrap();
    let loaded = load_robot(&file, &[], &LoadOptions::default());
    let cell = loaded.unwrap().cell;
    let turned = cell.bodies[1].joint_from_body * Vector3::x();
    assert!((turned + Vector3::x()).norm() < 1e-14);
}

/// The second reading is a guard: it must see every difference that would move geometry.
#[test]
fn two_readings_are_compared() {
    use super::{Description, Outline, describe, second_reading};
    let text = "<robot name='r'><link name='a'><collision><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry>\
        </collision></link><link name='b'><collision><geometry><mesh filename='m.stl' scale='1 -1 1'/></geometry></collision>\
        </link><link name='c'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>\
        <limit lower='0' upper='1' effort='1' velocity='1'/></joint><joint name='k' type='prismatic'><parent link='b'/>\
        <child link='c'/><mimic joint='j' offset='1'/><limit lower='0' upper='1' effort='1' velocity='1'/></joint></robot>";
    let xml = crate::xml::XmlText::new(std::path::Path::new("r.urdf"), text.into()).unwrap();
    let agrees = |change: fn(&mut Description)| {
        let mut description = describe::describe(&xml, false).unwrap();
        change(&mut description);
        let agrees = second_reading::compare(&xml, &mut description).is_ok();
        assert!(description.notes.is_empty(), "{:?}", description.notes);
        agrees
    };
    assert!(agrees(|_| {}));
    let changes: [fn(&mut Description); 11] = [
        |d| drop(d.links.pop()),
        |d| drop(d.joints.pop()),
        |d| drop(d.links[0].collisions.pop()),
        |d| d.links[0].collisions[0].link_from_shape.translation.z = -1.0,
        |d| d.links[0].collisions[0].outline = Outline::Primitive(Form::Sphere { radius: 1.0 }),
        |d| {
            d.links[1].collisions[0].outline = Outline::Mesh {
                uri: "m.stl".into(),
                scale: None,
            }
        },
        |d| d.joints[0].axis = Vector3::y_axis(),
        |d| d.joints[0].kind = None,
        |d| d.joints[0].parent.0 = "c".into(),
        |d| d.joints[1].mimic = None,
        |d| d.joints[1].parent_from_joint = super::pose([0.0; 3], [0.0, 0.0, 0.1]),
    ];
    for (i, change) in changes.into_iter().enumerate() {
        assert!(!agrees(change), "change {i} went unseen");
    }
}
