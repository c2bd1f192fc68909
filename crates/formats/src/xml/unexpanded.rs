//! Refuses what of xacro is left in a text that is read. A reader that passes over its macros
//! leaves out links, or allowances, without a word.

use roxmltree::{Attribute, Document, Node};

use super::{XmlText, written_name};
use crate::{ImportError, Problem};

/// Children of the root of a SRDF, but for those that only planners read.
pub(crate) const SRDF_ELEMENTS: [&str; 9] = [
    "group",
    "group_state",
    "disable_collisions",
    "enable_collisions",
    "disable_default_collisions",
    "virtual_joint",
    "passive_joint",
    "end_effector",
    "joint_property",
];
/// More children of the root that are read, in URDF or SRDF. In all others (of simulators and
/// controllers) `${…}` may be theirs.
const READ: [&str; 4] = ["link", "joint", "material", "link_sphere_approximation"];
/// Elements of xacro from the time when they had no prefix.
const WITHOUT_PREFIX: [&str; 6] = [
    "include",
    "macro",
    "property",
    "insert_block",
    "if",
    "unless",
];

/// The namespace of XInclude, by which XML itself includes files. No reader of robots knows it.
const XINCLUDE: &str = "http://www.w3.org/2001/XInclude";

/// Refuses an element, an attribute, or a value of xacro, wherever it stands. A namespace that is
/// declared and not used stays behind when a file is expanded, and says nothing.
pub(crate) fn refuse(xml: &XmlText, document: &Document) -> Result<(), ImportError> {
    let root = document.root_element();
    let root_name = written_name(xml, root);
    if root_name != "robot" && !is_xacro(root_name, root.tag_name().namespace()) {
        // It is another format, whose readers say so: `<include>` may be its own.
        return Ok(());
    }
    let mut stack = vec![(root, true)];
    while let Some((node, read)) = stack.pop() {
        let name = written_name(xml, node);
        let namespace = node.tag_name().namespace();
        if namespace == Some(XINCLUDE) || name == "xi:include" {
            return Err(ImportError {
                place: xml.place(node.range().start),
                problem: Problem::Unsupported {
                    what: format!("`<{name}>`, an include of XML itself"),
                    remedy: "put the other file in first: `xmllint --xinclude FILE`".into(),
                },
            });
        }
        let old = read && node != root && WITHOUT_PREFIX.contains(&name);
        if !xml.is_expanded() && is_idle(&node, name, root) {
            continue;
        }
        if old || is_xacro(name, namespace) {
            return Err(unexpanded(xml, format!("`<{name}>`"), node.range().start));
        }
        for attribute in node.attributes() {
            if let Some(what) = of_xacro(&attribute, read) {
                let what = format!("{what} of `<{name}>`");
                return Err(unexpanded(xml, what, attribute.range().start));
            }
        }
        let children = node.children().filter(Node::is_element);
        let first = stack.len();
        stack.extend(children.map(|child| {
            let name = written_name(xml, child);
            let inside = node != root
                || READ.contains(&name)
                || SRDF_ELEMENTS.contains(&name)
                || WITHOUT_PREFIX.contains(&name);
            (child, read && inside)
        }));
        // The first one of the file is told.
        stack[first..].reverse();
    }
    Ok(())
}

/// Whether an element of xacro only gives a name to a value. Who uses the value is refused, so nobody
/// does: makers leave such lines in files that they have expanded.
fn is_idle(node: &Node, name: &str, root: Node) -> bool {
    let names = ["xacro:property", "xacro:arg"].contains(&name);
    let is_empty = !node.children().any(|child| child.is_element());
    names && is_empty && node.parent() == Some(root)
}

/// The first element or attribute that belongs to xacro by its namespace and has another prefix:
/// xacro itself goes by the prefix, and would pass it over.
pub(crate) fn other_prefix(xml: &XmlText, document: &Document) -> Option<ImportError> {
    document.descendants().find_map(|node| {
        let name = written_name(xml, node);
        let of_attribute = node.attributes().find(|attribute| {
            let written = xml.text().get(attribute.range()).unwrap_or_default();
            let namespace = attribute.namespace().unwrap_or_default();
            namespace.to_ascii_lowercase().contains("xacro") && !written.starts_with("xacro:")
        });
        let own = node.is_element()
            && !name.starts_with("xacro:")
            && is_xacro(name, node.tag_name().namespace());
        (own || of_attribute.is_some()).then(|| ImportError {
            place: xml.place(node.range().start),
            problem: Problem::Unsupported {
                what: format!("`<{name}>`, which is xacro's by its namespace"),
                remedy: "write the prefix `xacro:`".into(),
            },
        })
    })
}

fn is_xacro(name: &str, namespace: Option<&str>) -> bool {
    let Some((prefix, _)) = name.split_once(':') else {
        return false;
    };
    prefix == "xacro" || namespace.is_some_and(|uri| uri.to_ascii_lowercase().contains("xacro"))
}

/// The part of an attribute that is xacro, if there is one.
fn of_xacro(attribute: &Attribute, read: bool) -> Option<String> {
    let (name, value) = (attribute.name(), attribute.value());
    let namespace = attribute.namespace().unwrap_or_default();
    if namespace.to_ascii_lowercase().contains("xacro") {
        return Some(format!("`xacro:{name}`"));
    }
    let open = value.find("${").or_else(|| value.find("$("))?;
    let shown: String = value[open..].chars().take(40).collect();
    read.then(|| format!("`{shown}` in `{name}`"))
}

fn unexpanded(xml: &XmlText, what: String, offset: usize) -> ImportError {
    let problem = if xml.is_expanded() {
        Problem::Unsupported {
            what: format!("xacro that is left after expanding: {what}"),
            remedy: "check the macros; `$${` and `$$(` stand for `${` and `$(` themselves".into(),
        }
    } else {
        Problem::Unsupported {
            what: format!("xacro that was not expanded: {what}"),
            remedy: "end the name of the file in `.xacro`: such files are expanded".into(),
        }
    };
    ImportError {
        place: xml.place(offset),
        problem,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parse(text: &str) -> Result<(), ImportError> {
        let xml = XmlText::new(Path::new("arm.urdf"), text.as_bytes().to_vec())?;
        xml.parse().map(|_| ())
    }

    const NS: &str = "xmlns:xacro=\"http://www.ros.org/wiki/xacro\"";

    #[test]
    fn whatever_xacro_has_not_expanded_is_refused_with_its_line() {
        for (text, what, line) in [
            (format!("<robot {NS}>\n<xacro:include filename='a.xacro'/>\n</robot>"), "`<xacro:include>`", 2),
            ("<robot>\n<link name='a'/>\n<xacro:arm prefix=''/></robot>".into(), "`<xacro:arm>`", 3),
            ("<robot xmlns:x='http://ros.org/wiki/xacro'>\n<x:arm/></robot>".into(), "`<x:arm>`", 2),
            ("<robot>\n<link name='a'><collision><xacro:box/></collision></link></robot>".into(), "`<xacro:box>`", 2),
            ("<robot>\n<gazebo>\n<xacro:if value='1'/></gazebo></robot>".into(), "`<xacro:if>`", 3),
            ("<robot>\n<link name='${prefix}a'/></robot>".into(), "`${prefix}a` in `name`", 2),
            ("<robot name='$(arg name)'/>".into(), "`$(arg name)` in `name`", 1),
            ("<robot>\n<link name='a'><visual><geometry><mesh filename='$(find x)/a.stl'/></geometry></visual></link></robot>".into(), "`$(find x)/a.stl` in `filename`", 2),
            ("<robot>\n<disable_collisions link1='${p}a' link2='b'/></robot>".into(), "`${p}a` in `link1`", 2),
            (format!("<robot {NS}>\n<link name='a' xacro:if='1'/></robot>"), "`xacro:if` of `<link>`", 2),
            (format!("<robot {NS}><xacro:property name='w' value='1'/>\n<link name='a${{w}}'/></robot>"), "`${w}` in `name`", 2),
            (format!("<robot {NS}>\n<xacro:property name='w'><link name='a'/></xacro:property></robot>"), "`<xacro:property>`", 2),
            // As it was written before it had a prefix.
            ("<robot>\n<include filename='arm.xacro'/></robot>".into(), "`<include>`", 2),
            ("<robot>\n<macro name='arm'><link name='a'/></macro></robot>".into(), "`<macro>`", 2),
        ] {
            let said = parse(&text).unwrap_err();
            assert_eq!(said.place.line, Some(line), "{text}");
            let said = said.to_string();
            assert!(said.contains(what), "{text}: {said}");
            assert!(said.contains("end the name of the file in `.xacro`"), "{said}");
        }
    }

    #[test]
    fn an_include_of_xml_itself_is_refused() {
        for text in [
            "<robot>\n<xi:include href='gripper.xml'/></robot>",
            "<robot xmlns:i='http://www.w3.org/2001/XInclude'>\n<i:include href='gripper.xml'/></robot>",
        ] {
            let said = parse(text).unwrap_err();
            assert_eq!(said.place.line, Some(2), "{text}");
            assert!(said.to_string().contains("xmllint --xinclude"), "{said}");
        }
    }

    /// An expanded file keeps the declaration; comments and what belongs to simulators are nobody's
    /// macros.
    #[test]
    fn what_is_left_of_xacro_after_expanding_passes() {
        for text in [
            format!("<robot {NS}><link name='a'/></robot>"),
            "<robot><!-- <xacro:arm/> ${x} --><link name='a'/></robot>".into(),
            "<robot><gazebo><plugin args='$(run)'>${HOME}<property name='x'/></plugin></gazebo></robot>".into(),
            "<robot><link name='costs $5'/></robot>".into(),
            // Names of values that nobody uses.
            format!("<robot {NS}><xacro:property name='w' value='${{pi}}'/><xacro:arg name='a' default='1'/><link name='a'/></robot>"),
        ] {
            assert!(parse(&text).is_ok(), "{text}: {:?}", parse(&text));
        }
    }
}
