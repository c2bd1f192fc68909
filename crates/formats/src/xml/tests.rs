use std::path::Path;

use super::XmlText;

fn position_of(text: &str, name: &str) -> (usize, usize) {
    let xml = XmlText::new(Path::new("x.urdf"), text.into()).unwrap();
    let document = xml.parse().unwrap();
    let node = document
        .descendants()
        .find(|n| n.tag_name().name() == name)
        .unwrap();
    xml.position(node.range().start)
}

#[test]
fn forgives_what_ros_forgives_and_keeps_positions() {
    let plain = "<robot>\n  <link/>\n</robot>";
    assert_eq!(position_of(plain, "link"), (2, 3));
    // Undeclared prefixes on attributes and elements, several of them.
    assert_eq!(
        position_of("<robot a:x='1' b:y='2'>\n  <c:d/><link/></robot>", "link"),
        (2, 9)
    );
    assert_eq!(
        position_of("<robot a:x='1'><link/></robot>", "link"),
        (1, 16)
    );
    // A byte-order mark, blank lines and comments before the declaration; `--` within a comment.
    let odd = "\u{feff}\n<!-- a -- b --->\n  <?xml version=\"1.0\"?>\n<robot><link/></robot>";
    assert_eq!(position_of(odd, "link"), (4, 8));
    assert_eq!(
        position_of("<!DOCTYPE robot>\n<robot>\n<link/></robot>", "link"),
        (3, 1)
    );
}

#[test]
fn latin1_in_a_comment_is_no_error() {
    let xml = XmlText::new(
        Path::new("x.urdf"),
        b"<!-- M\xfcller -->\n<robot/>".to_vec(),
    )
    .unwrap();
    assert!(xml.parse().is_ok());
}

/// Regression: a link between the begin of a comment that is none and a later comment was gone.
#[test]
fn a_comment_begins_only_where_one_can_stand() {
    for (begin, end) in [
        ("<a><![CDATA[ <!-- ]]></a>", "<!-- b -->"),
        ("<?note <!-- ?>", "<?note --> ?>"),
        ("<a b='<!--'/>", "<!-- b -->"),
        ("<a b=\"> <!--\"/>", "<!-- b -->"),
    ] {
        let text = format!("<robot>{begin}\n<link/>{end}</robot>");
        let xml = XmlText::new(Path::new("x.urdf"), text.clone().into()).unwrap();
        // A `<` within a value is an error of its own.
        if let Ok(document) = xml.parse() {
            let mut names = document.descendants().map(|n| n.tag_name().name());
            assert!(names.any(|name| name == "link"), "{text}");
        } else {
            assert!(begin.contains("b="), "{text}");
        }
    }
    // Within a DOCTYPE quotes may be those of a comment.
    let text = "<!DOCTYPE robot [ <!-- it's --> ]>\n<robot><!-- <a> --><link/></robot>";
    assert_eq!(position_of(text, "link"), (2, 20));
}

#[test]
fn broken_xml_says_where() {
    let xml = XmlText::new(Path::new("x.urdf"), b"<robot>\n<link></robot>".to_vec()).unwrap();
    let error = xml.parse().unwrap_err();
    assert_eq!(error.place.line, Some(2));
}

/// Regression: of a file that was cut off the first line was told.
#[test]
fn a_file_that_is_cut_off_is_told_at_its_end() {
    for text in [
        "<?xml version='1.0'?>\n<robot name='r'>\n<link name='a'>\n<visual>\n<origin xyz='0 0",
        "<robot>\n<link name='a'>\n</link>\n<link\n\n name='b'>\n",
        "<robot\n name='r'>\n<link name='a'/>\n<!-- --><joint\n><parent",
    ] {
        let xml = XmlText::new(Path::new("x.urdf"), text.into()).unwrap();
        let said = xml.parse().unwrap_err().to_string();
        let end = text.trim_end().lines().count();
        let begins = format!("x.urdf:{end}: the file ends within `<robot>`; it may be cut off");
        assert!(said.starts_with(&begins), "{said}");
    }
}

/// Catches a table that is called a broken text of XML: it was named in the wrong place.
#[test]
fn what_is_no_xml_at_all_says_who_takes_it_for_one() {
    let error = |text: &str| {
        let xml = XmlText::new(Path::new("p.csv"), text.into()).unwrap();
        xml.parse().unwrap_err().to_string()
    };
    let said = error("time,joint_1\n0,0\n");
    assert!(said.starts_with("p.csv:1:1: this is not xml; "), "{said}");
    assert!(
        said.contains("name one in the cell file, or by the option"),
        "{said}"
    );
    let mesh = XmlText::new(Path::new("table.STL"), "solid t\nendsolid t\n".into()).unwrap();
    let said = mesh.parse().unwrap_err().to_string();
    assert!(
        said.contains("it is a mesh") && said.contains("--obstacle"),
        "{said}"
    );
    for broken in ["", "<robot><robot>"] {
        let said = error(broken);
        assert!(!said.contains("this is not xml"), "{said}");
    }
}

#[test]
fn hostile_depth_is_refused() {
    let text = format!(
        "<robot>{}{}</robot>",
        "<a>".repeat(50_000),
        "</a>".repeat(50_000)
    );
    let xml = XmlText::new(Path::new("x.urdf"), text.into()).unwrap();
    assert!(xml.parse().unwrap_err().to_string().contains("nested"));
}

/// A few lines that stand for gigabytes: refused where they are defined, in URDF and COLLADA alike.
#[test]
fn entities_are_refused_by_line() {
    let nested: String = (1..30)
        .map(|i| format!("<!ENTITY e{i} \"&e{};&e{};\">\n", i - 1, i - 1))
        .collect();
    let text = format!("<!DOCTYPE r [\n<!ENTITY e0 \"x\">\n{nested}]>\n<r>&e29;</r>");
    let error = XmlText::new(Path::new("x.urdf"), text.clone().into()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("x.urdf:2:1: an entity definition"),
        "{error}"
    );
    let error = crate::mesh::parse(text.as_bytes(), Path::new("x.dae")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("x.dae:2:1: an entity definition"),
        "{error}"
    );
}
