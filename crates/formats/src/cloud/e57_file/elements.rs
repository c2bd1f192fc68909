//! Elements that can be read in two ways. The crate does not look at namespaces, takes the first one
//! of several with one name, and of a number the text before a comment.

use roxmltree::{Document, Node};

use crate::Problem;
use crate::cloud::damaged;
use crate::mesh::shown;

/// Elements that say where points are.
const STANDARD: [&str; 20] = [
    "data3D",
    "vectorChild",
    "pose",
    "rotation",
    "translation",
    "w",
    "x",
    "y",
    "z",
    "points",
    "prototype",
    "codecs",
    "cartesianX",
    "cartesianY",
    "cartesianZ",
    "cartesianInvalidState",
    "sphericalRange",
    "sphericalAzimuth",
    "sphericalElevation",
    "sphericalInvalidState",
];

/// The one of them that may stand several times in another one: of a list.
const IN_LISTS: &str = "vectorChild";

/// Refuses an element of an extension that would be taken for one of the standard, elements that
/// stand twice where there can be one, and numbers with comments in them.
pub(super) fn have_one_meaning(xml: &str) -> Result<(), Problem> {
    let Ok(document) = Document::parse(xml) else {
        // The crate has read it and says so itself.
        return Ok(());
    };
    let own = document.root_element().tag_name().namespace();
    let is_foreign = |e: &Node| e.tag_name().namespace() != own;
    let elements = document.descendants().filter(Node::is_element);
    let named = elements.filter(|e| STANDARD.contains(&e.tag_name().name()));
    let mut lists = 0;
    for element in named {
        let name = element.tag_name().name();
        let in_foreign = element.parent_element().is_some_and(|p| is_foreign(&p));
        // What an extension has within an element of its own is not looked at, but for the list of
        // scans, which is looked for everywhere.
        if in_foreign && name != "data3D" {
            continue;
        }
        if is_foreign(&element) {
            return Err(Problem::Unsupported {
                what: format!(
                    "an element `{}` of an extension, which has a name of the E57 standard and another meaning,",
                    shown(name)
                ),
                remedy: "export the file without this extension".to_owned(),
            });
        }
        lists += usize::from(name == "data3D");
        let mut before = element.prev_siblings().skip(1);
        let again = name != IN_LISTS && before.any(|e| e.tag_name() == element.tag_name());
        if again || lists > 1 {
            return Err(damaged(format!(
                "there are two elements `{name}` where there can be one"
            )));
        }
        let is_value = !element.children().any(|child| child.is_element());
        if is_value && element.children().any(|child| child.is_comment()) {
            return Err(damaged(format!(
                "there is a comment in an element `{name}`"
            )));
        }
    }
    Ok(())
}
