//! Scenes, old and new ones, and what is refused of them.

use std::path::Path;

use nalgebra::Point3;

use super::*;

/// Where the origin of each shape is, by object.
fn origins(scene: &PlanningScene) -> Vec<(String, Vec<[f64; 3]>)> {
    let origin = |object: &SceneObject| {
        let at = |piece: &ScenePiece| {
            let p = object.frame_from_object * piece.object_from_shape * Point3::origin();
            [p.x, p.y, p.z].map(|x| (x * 1e9).round() / 1e9)
        };
        (object.name.clone(), object.shapes.iter().map(at).collect())
    };
    scene.objects.iter().map(origin).collect()
}

const OLD: &str = "(noname)+\n* big table\n1\nbox\n1 2 0.1\n0.5 0 -0.05\n0 0 0 1\n0 0 0 0\n* pin\n2\ncylinder\n0.02 0.5\n1 0 0\n0 0 0 1\n0 0 0 0\nsphere\n0.03\n1 0 0.25\n0 0 0 1\n0 0 0 0\n.\n";
/// The object is turned by a quarter about z: what lies along x of it lies along y of the scene.
const NEW: &str = "name\n* arch\n1 2 3\n0 0 0.7071067811865476 0.7071067811865476\n2\nbox\n0.1 0.1 0.1\n0.5 0 0\n0 0 0 1\n0 0 0 0\nmesh\n4 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 2 1\n0 1 3\n1 2 3\n0 3 2\n0 0 1\n0 0 0 1\n0 0 0 0\n1\nthe grip\n0 0 0\n0 0 0 1\n.\n";

#[test]
fn scene_files_of_both_kinds() {
    let read = |text: &str| parse(Path::new("k.scene"), text.as_bytes()).unwrap();
    assert_eq!(
        origins(&read(OLD)),
        [
            ("big table".into(), vec![[0.5, 0.0, -0.05]]),
            ("pin".into(), vec![[1.0, 0.0, 0.0], [1.0, 0.0, 0.25]])
        ]
    );
    let new = read(NEW);
    assert_eq!(
        origins(&new),
        [("arch".into(), vec![[1.0, 2.5, 3.0], [1.0, 2.0, 4.0]])]
    );
    assert!(
        matches!(&new.objects[0].shapes[1].form, Form::Mesh { mesh, .. } if mesh.triangles.len() == 4)
    );
    assert!(read("empty\n.\n").objects.is_empty());
}

#[test]
fn scene_files_that_cannot_be_meant() {
    for (from, to, said, line) in [
        (".\n", "", "found the end of the file", 20),
        ("cylinder\n0.02", "cylinder\n-0.02", "above 0", 12),
        (
            "cylinder\n0.02 0.5",
            "plane\n0 0 1 0",
            "the endless plane in `pin`",
            11,
        ),
        (
            "cylinder",
            "octree",
            "expected box, sphere, cylinder, cone or mesh, found `octree`",
            11,
        ),
        ("0.5 0 -0.05", "0.5 nan -0.05", "expected a position", 6),
        (
            "0 0 0 1\n0 0 0 0\n* pin",
            "0 0 0 0\n0 0 0 0\n* pin",
            "a rotation has length 1",
            7,
        ),
        ("* pin\n2", "* pin\n1", "expected `*` before an object", 16),
        (".\n", ".\nmore", "expected nothing behind", 22),
        ("* pin\n", "* dust\n0\n* pin\n", "`dust` has no shape", 10),
    ] {
        assert!(OLD.contains(from), "{from}");
        let text = match from {
            ".\n" => format!("{}{to}", OLD.strip_suffix(".\n").unwrap()),
            _ => OLD.replacen(from, to, 1),
        };
        let error = parse(Path::new("k.scene"), text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert_eq!(error.place.line, Some(line), "{error}");
    }
    let corner = NEW.replace("0 3 2", "0 9 2");
    let error = parse(Path::new("k.scene"), corner.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("9, of 4 vertices"), "{error}");
}

const MESSAGE: &str = "world:\n  collision_objects:\n  - id: arch\n    header: {frame_id: world}\n    pose: {position: {x: 1, y: 2, z: 3}, orientation: {x: 0, y: 0, z: 0.7071067811865476, w: 0.7071067811865476}}\n    primitives:\n    - {type: 3, dimensions: [0.5, 0.02]}\n    primitive_poses:\n    - {position: [0.5, 0, 0], orientation: [0, 0, 0, 1]}\n";

fn message(text: &str) -> Result<PlanningScene, ImportError> {
    parse(Path::new("k.yaml"), text.as_bytes())
}

#[test]
fn a_link_carries_nothing_whose_pose_is_in_another_frame() {
    for (object, said) in [
        (
            "{id: a, header: {frame_id: world}}",
            "state its pose in the frame of `hand`",
        ),
        // MoveIt takes the frame of the whole scene for it, and not that of the link.
        (
            "{id: a, header: {frame_id: ''}}",
            "state its pose in the frame of `hand`",
        ),
        ("{id: a}", "no `frame_id`, is not supported"),
    ] {
        let carried = format!("[{{link_name: hand, object: {object}}}]");
        let state = format!("robot_state: {{attached_collision_objects: {carried}}}");
        let error = message(&format!("{MESSAGE}{state}\n"))
            .unwrap_err()
            .to_string();
        assert!(error.contains(said) && error.contains("k.yaml"), "{error}");
    }
}

#[test]
fn scene_messages_are_read_and_what_is_odd_in_them_is_refused() {
    let scene = message(MESSAGE).unwrap();
    assert_eq!(origins(&scene), [("arch".into(), vec![[1.0, 2.5, 3.0]])]);
    // Height and radius, in this order.
    assert!(
        matches!(scene.objects[0].shapes[0].form, Form::Cylinder { radius, length } if radius == 0.02 && length == 0.5)
    );
    for (text, said) in [
        (
            MESSAGE.replace("frame_id: world", "frame_id: wrist"),
            "in a frame of its own",
        ),
        (
            MESSAGE.replace("type: 3", "type: 5"),
            "another type than 1 to 4",
        ),
        (
            MESSAGE.replace(
                "    - {position: [0.5, 0, 0], orientation: [0, 0, 0, 1]}\n",
                "",
            ),
            "1 shapes and 0 poses",
        ),
        (
            MESSAGE.replace("    primitives:", "    operation: 1\n    primitives:"),
            "the operation",
        ),
        (
            format!(
                "{MESSAGE}robot_state: {{attached_collision_objects: [{{link_name: hand}}]}}\n"
            ),
            "an attached object has no `object`",
        ),
        (
            format!(
                "{MESSAGE}allowed_collision_matrix: {{entry_names: [a, b], entry_values: [{{enabled: [true, true]}}]}}\n"
            ),
            "2 names and 1 values",
        ),
        (
            format!(
                "{MESSAGE}allowed_collision_matrix: {{entry_names: [a, a], entry_values: [[true, true], [true, true]]}}\n"
            ),
            "has `a` twice",
        ),
        (
            format!(
                "{MESSAGE}allowed_collision_matrix: {{default_entry_names: [a], default_entry_values: [maybe]}}\n"
            ),
            "where true or false should be",
        ),
        (
            format!("{MESSAGE}  octomap: {{octomap: {{data: [1, 2]}}}}\n"),
            "an octomap",
        ),
        ("a: 1\n".into(), "has no `world`"),
        (
            MESSAGE.replace("    pose:", "    object_pose:"),
            "unknown key `object_pose`",
        ),
        (
            format!("{MESSAGE}robot_states: {{}}\n"),
            "unknown key `robot_states`; did you mean `robot_state`?",
        ),
        (
            format!("{MESSAGE}collision_objects: []\n"),
            "unknown key `collision_objects`",
        ),
        (
            format!("{MESSAGE}  collision_object: []\n"),
            "unknown key `collision_object`",
        ),
        (
            format!("{MESSAGE}robot_state: {{attached_objects: []}}\n"),
            "unknown key `attached_objects`",
        ),
        (
            format!("{MESSAGE}robot_state: {{attached_collision_objects: [{{link: hand}}]}}\n"),
            "unknown key `link`",
        ),
    ] {
        let error = message(&text).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("k.yaml"), "{error}");
    }
}

/// One file of many bodies: each has the name that `DEF` gives to the innermost group around its
/// shapes.
#[test]
fn names_of_vrml_are_bodies() {
    let text = "#VRML V2.0 utf8
DEF table Transform { translation 0 0 1 children [
  Shape { geometry Box { size 2 2 0.2 } }
  DEF can Transform { translation 0.5 0 0.2 children Shape { geometry DEF form Box { size 0.1 0.1 0.2 } } }
  Shape { geometry Box { size 0.1 0.1 0.4 } }
] }
Transform { translation 5 0 0 children Shape { geometry USE form } }
DEF post Shape { geometry Box { size 0.2 0.2 3 } }
";
    let scene = super::parse(std::path::Path::new("hall.wrl"), text.as_bytes()).unwrap();
    let found: Vec<(&str, usize, [f64; 2])> = scene
        .objects
        .iter()
        .map(|object| {
            let clearance_proof::model::Form::Mesh { mesh, .. } = &object.shapes[0].form else {
                panic!("a mesh");
            };
            let xs = mesh.vertices.iter().map(|v| v.x);
            let ends = [
                xs.clone().fold(f64::INFINITY, f64::min),
                xs.fold(f64::NEG_INFINITY, f64::max),
            ];
            (object.name.as_str(), mesh.triangles.len(), ends)
        })
        .collect();
    let expected = [
        ("hall", 12, [4.95, 5.05]),
        ("table", 24, [-1.0, 1.0]),
        ("can", 12, [0.45, 0.55]),
        ("post", 12, [-0.1, 0.1]),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, found.1), (expected.0, expected.1), "{found:?}");
        for (x, y) in found.2.iter().zip(expected.2) {
            assert!((x - y).abs() < 1e-9, "{found:?}");
        }
    }
    let nothing = super::parse(
        std::path::Path::new("hall.wrl"),
        b"#VRML V2.0 utf8\nGroup { }\n",
    );
    let error = nothing.unwrap_err().to_string();
    assert!(error.contains("shows no triangle"), "{error}");
}

/// Regression: a unit that a VRML file states was asked about where the file is the mesh of a body, and
/// taken for metres without a word where it is a scene.
#[test]
fn a_unit_in_a_comment_of_a_scene_is_a_question() {
    let doubts = |first: &str| {
        let text = format!(
            "#VRML V2.0 utf8\n{first}\nDEF post Shape {{ geometry Box {{ size 1 1 1 }} }}\n"
        );
        let scene = super::parse(Path::new("hall.wrl"), text.as_bytes());
        scene.unwrap().doubts
    };
    let asked = doubts("# units: feet");
    assert!(
        asked.len() == 1 && asked[0].contains("[[obstacle]] with a `scale`, 0.3048"),
        "{asked:?}"
    );
    assert!(doubts("# units: metres").is_empty());
}

/// All that can be said of a pair: by the matrix in both directions, and by the defaults of both
/// names.
#[test]
fn a_pair_is_allowed_only_if_all_that_is_said_of_it_allows_it() {
    let text = "world: {collision_objects: []}\nallowed_collision_matrix:\n  entry_names: [a, b, c]\n  entry_values:\n  - enabled: [false, true, false]\n  - enabled: [true, false, true]\n  - enabled: [false, false, false]\n  default_entry_names: [c, d, e]\n  default_entry_values: [true, true, false]\n";
    let scene = parse(Path::new("k.yaml"), text.as_bytes()).unwrap();
    let asked = scene.matrix.asked();
    for (pair, said) in [
        (["a", "b"], PairRule::Allowed(5)),
        (["b", "a"], PairRule::Allowed(6)),
        // The matrix says no, the default of `c` says yes.
        (["a", "c"], PairRule::Both(9)),
        // The matrix says yes in one direction only.
        (["b", "c"], PairRule::Both(6)),
        (["a", "d"], PairRule::Allowed(9)),
        (["c", "d"], PairRule::Allowed(9)),
        // The stricter of two defaults.
        (["d", "e"], PairRule::Checked),
        (["a", "e"], PairRule::Checked),
        (["a", "nobody"], PairRule::Unsaid),
        (["d", "nobody"], PairRule::Allowed(9)),
    ] {
        assert_eq!(asked.pair(pair[0], pair[1]), said, "{pair:?}");
    }
}

/// Regression: what a message has below its objects was dropped without a word if its key is
/// another one than that of ROS, or if it is a list or a word.
#[test]
fn every_level_of_a_message_has_the_keys_of_ros_only() {
    let octomap = |text: &str| format!("{MESSAGE}  octomap: {text}\n");
    let header = |text: &str| MESSAGE.replace("header: {frame_id: world}", text);
    for (text, said) in [
        (header("header: {frame: base}"), "unknown key `frame`"),
        (header("header: {frameId: base}"), "unknown key `frameId`"),
        (header("header: base"), "the keys of a header"),
        (header("header: [{frame_id: base}]"), "the keys of a header"),
        (octomap("{binary: true, data: [1]}"), "unknown key `binary`"),
        (octomap("{octomap: {Data: [1]}}"), "unknown key `Data`"),
        (
            octomap("[{octomap: {data: [1]}}]"),
            "the keys of the octomap",
        ),
        (octomap("{octomap: [1]}"), "the keys of an octomap"),
        (octomap("{octomap: {data: AQ==}}"), "an octomap is not"),
        (
            MESSAGE.replace("{type: 3", "{scale: 2, type: 3"),
            "unknown key `scale`",
        ),
        (
            MESSAGE.replace("pose: {position", "pose: {frame_id: base, position"),
            "unknown key `frame_id`",
        ),
        (
            MESSAGE.replace("position: {x: 1,", "position: {x: 1, a: 1,"),
            "unknown key `a`",
        ),
        (
            format!("{MESSAGE}link_scale: {{arm: 1.5}}\n"),
            "where a list should be",
        ),
        (
            format!("{MESSAGE}link_scale: [{{link: arm, scale: 2}}]\n"),
            "unknown key `link`",
        ),
        (
            format!("{MESSAGE}link_padding: [{{link_name: arm, padding: '0.05'}}]\n"),
            "where a number should be",
        ),
        (
            format!("{MESSAGE}allowed_collision_matrix: {{names: [a]}}\n"),
            "unknown key `names`",
        ),
        (
            format!(
                "{MESSAGE}allowed_collision_matrix: {{entry_names: [a], entry_values: [{{values: [true]}}]}}\n"
            ),
            "unknown key `values`",
        ),
        (
            format!(
                "{MESSAGE}fixed_frame_transforms: [{{child_frame_id: world, transform: {{translation: {{x: 0, y: 0.5, z: 0}}}}}}]\n"
            ),
            "puts elsewhere",
        ),
    ] {
        let error = message(&text).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("k.yaml"), "{error}");
    }
}

/// What `ros2 topic echo` and the tools that write bags as YAML give of a whole scene.
const DUMPED: &str = "name: (noname)
robot_state:
  joint_state: {header: {stamp: {sec: 0, nanosec: 0}, frame_id: base}, name: [turn], position: [0.0], velocity: [], effort: []}
  multi_dof_joint_state: {header: {seq: 1, stamp: {secs: 0, nsecs: 0}, frame_id: base}, joint_names: [virtual_joint], transforms: [{translation: [0, 0, 0], rotation: [0, 0, 0, 1]}, {translation: {x: 0.0, y: 0.0, z: 0.0}, rotation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}}], twist: [], wrench: []}
  attached_collision_objects:
  - link_name: hand
    object: {header: {stamp: {sec: 0, nanosec: 0}, frame_id: hand}, id: rod, pose: {position: {x: 0.0, y: 0.0, z: 0.0}, orientation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}}, type: {key: '', db: ''}, primitives: [{type: 2, dimensions: [0.1], polygon: {points: []}}], primitive_poses: [{position: {x: 0.0, y: 0.0, z: 0.0}, orientation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}}], meshes: [], mesh_poses: [], planes: [], plane_poses: [], subframe_names: [], subframe_poses: [], operation: 0}
    touch_links: [hand]
    detach_posture: {header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}, joint_names: [], points: []}
    weight: 0.0
  is_diff: false
robot_model_name: arm
fixed_frame_transforms:
- {header: {stamp: {sec: 0, nanosec: 0}, frame_id: base}, child_frame_id: base, transform: {translation: {x: 0.0, y: 0.0, z: 0.0}, rotation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}}}
- {child_frame_id: world, transform: {translation: [0, 0, 0], rotation: [0, 0, 0, 1]}}
- {child_frame_id: camera, transform: {translation: [1, 0, 0], rotation: [0, 0, 0, 1]}}
allowed_collision_matrix: {entry_names: [base, hand], entry_values: [{enabled: [false, true]}, {enabled: [true, false]}], default_entry_names: [], default_entry_values: []}
link_padding: [{link_name: hand, padding: 0.0}]
link_scale: [{link_name: hand, scale: 1.0}]
object_colors: [{id: box, color: {r: 0.0, g: 1.0, b: 0.0, a: 1.0}}]
world:
  collision_objects:
  - header: {seq: 0, stamp: {secs: 0, nsecs: 0}, frame_id: world}
    id: box
    pose: {position: {x: 0.0, y: 0.0, z: 0.0}, orientation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}}
    meshes: [{triangles: [{vertex_indices: [0, 1, 2]}, {vertex_indices: [0, 3, 1]}, {vertex_indices: [0, 2, 3]}, {vertex_indices: [1, 3, 2]}], vertices: [{x: 0.0, y: 0.0, z: 0.0}, {x: 1.0, y: 0.0, z: 0.0}, {x: 0.0, y: 1.0, z: 0.0}, {x: 0.0, y: 0.0, z: 1.0}]}]
    mesh_poses: [{position: {x: 0.0, y: 0.0, z: 0.0}, orientation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}}]
    operation: 0
  octomap: {header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}, origin: {position: {x: 0.0, y: 0.0, z: 0.0}, orientation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}}, octomap: {header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}, binary: false, id: '', resolution: 0.0, data: []}}
is_diff: false
";

#[test]
fn a_whole_message_as_ros_writes_it_is_read() {
    let scene = message(DUMPED).unwrap();
    assert_eq!([scene.objects.len(), scene.carried.len()], [1, 1]);
    assert_eq!(scene.notices, [""; 0]);
}
