//! Names of the standard that are not of the standard: the crate does not look at namespaces.

use roxmltree::{Document, Node};

use crate::Problem;
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

/// Refuses an element of an extension that would be taken for one of the standard.
pub(super) fn standard(xml: &str) -> Result<(), Problem> {
    let Ok(document) = Document::parse(xml) else {
        // The crate has read it and says so itself.
        return Ok(());
    };
    let own = document.root_element().tag_name().namespace();
    let is_foreign = |e: &Node| e.is_element() && e.tag_name().namespace() != own;
    let mut elements = document.descendants();
    let taken = elements.find(|e| {
        let name = e.tag_name().name();
        // What an extension has within an element of its own is not looked at, but for the list of
        // scans, which is looked for everywhere.
        let is_looked_at = name == "data3D" || e.parent().is_some_and(|p| !is_foreign(&p));
        is_foreign(e) && is_looked_at && STANDARD.contains(&name)
    });
    match taken {
        None => Ok(()),
        Some(element) => Err(Problem::Unsupported {
            what: format!(
                "an element `{}` of an extension, which has a name of the E57 standard and another meaning,",
                shown(element.tag_name().name())
            ),
            remedy: "export the file without this extension".to_owned(),
        }),
    }
}
