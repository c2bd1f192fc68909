//! Parts of a robot that stand where nobody reads them: ROS ignores them, and a link whose shape is
//! among them would be free to run through everything.

use clearance_proof::report::{Code, Severity};

use super::UrdfDoubt;
use crate::xml::Element;

/// What shapes and places a robot consists of.
const PARTS: [&str; 14] = [
    "link",
    "joint",
    "collision",
    "geometry",
    "mesh",
    "box",
    "cylinder",
    "sphere",
    "capsule",
    "origin",
    "axis",
    "mimic",
    "pose",
    "position",
];

/// Elements of other programs, which have parts of their own.
const FOREIGN: [&str; 4] = ["gazebo", "transmission", "plugin", "ros2_control"];
/// Elements that have places or names of a robot in them, and no shape that counts.
const WITHOUT_SHAPES: [&str; 8] = [
    "actuator",
    "contact",
    "force_element",
    "group",
    "inertial",
    "loop_joint",
    "material",
    "sensor",
];
/// Coarser shapes of other programs, for a link that has its own.
const COARSER: [&str; 3] = [
    "self_collision_checking",
    "collision_checking",
    "self_filter",
];

/// The parts that are read in an element.
fn read_in(name: &str) -> &'static [&'static str] {
    match name {
        "robot" => &["link", "joint"],
        "link" => &["visual", "collision"],
        "visual" | "collision" => &["origin", "geometry"],
        "geometry" => &["mesh", "box", "cylinder", "sphere", "capsule"],
        "joint" => &["origin", "parent", "child", "axis", "limit", "mimic"],
        _ => &[],
    }
}

/// All parts of a robot that are not read, the outermost of each.
pub(super) fn misplaced(root: &Element) -> Vec<UrdfDoubt> {
    let mut found = Vec::new();
    look_into(root, &mut found);
    found
}

fn look_into(element: &Element, found: &mut Vec<UrdfDoubt>) {
    let read = read_in(element.name());
    if let Some(text) = element.stray_text() {
        let why = format!(
            "text in `<{}>` is not read, nor is it by ros: `{text}`; write it as ros does, or take it out",
            element.name()
        );
        found.push(doubt(element, why));
    }
    for child in element.children() {
        let name = child.name();
        if read.contains(&name) {
            look_into(&child, found);
            continue;
        }
        let has_own = element.name() == "link" && element.all("collision").next().is_some();
        let is_foreign =
            FOREIGN.contains(&name) || name.contains(':') || has_own && COARSER.contains(&name);
        let parts: &[&str] = match name {
            _ if is_foreign => continue,
            _ if WITHOUT_SHAPES.contains(&name) => &["collision", "geometry"],
            _ => &PARTS,
        };
        if let Some(part) = child.first_of(parts)
            && !is_no_place(&child)
        {
            let inside = if part == name {
                String::new()
            } else {
                format!(", with `<{part}>` inside,")
            };
            let why = format!(
                "`<{name}>`{inside} is not read in `<{}>`, nor is it by ros: put it where it belongs, or take it out",
                element.name()
            );
            found.push(doubt(&child, why));
        }
    }
}

/// Whether it states a place that is where everything is anyway: makers write zeros into links.
fn is_no_place(element: &Element) -> bool {
    let is_zero = |name: &str| {
        let numbers = element.attribute(name).unwrap_or_default();
        numbers.split_whitespace().all(|x| x.parse() == Ok(0.0))
    };
    element.name() == "origin"
        && element.children().next().is_none()
        && is_zero("xyz")
        && is_zero("rpy")
}

fn doubt(element: &Element, why: String) -> UrdfDoubt {
    UrdfDoubt {
        code: Code::MisplacedElement,
        place: element.place(),
        why,
        severity: Severity::Open,
    }
}
