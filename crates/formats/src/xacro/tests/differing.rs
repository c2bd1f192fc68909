//! What other readers than that of xacro take for something else.

use super::*;

/// The robot beside a YAML file, whose content is the property `y`.
fn with_yaml(yaml: &str, robot: &str) -> Result<String, String> {
    let load = "<xacro:property name='y' value=\"${xacro.load_yaml('d.yaml')}\"/>";
    let dir = folder(&format!("{load}\n{robot}"), &[("d.yaml", yaml)]);
    let opened = expand_in(dir.path(), &[]).map_err(|e| e.to_string())?;
    Ok(inside(&opened))
}

/// Regression: dates were texts. A reader of YAML 1.1 has a value of another kind, which is no text
/// where it is compared; a file may have one that nobody asks for.
#[test]
fn a_date_of_yaml_is_refused_where_it_is_used() {
    for date in [
        "2001-01-31",
        "2001-1-3 4:05:06",
        "2001-01-31T04:05:06.5Z",
        "2001-01-31t04:05:06+01:00",
    ] {
        let yaml = format!("made: {date}\nlength: .5\n");
        let length = with_yaml(&yaml, "<x v='${y.length}'/>");
        assert_eq!(length.as_deref(), Ok("<x v=\"0.5\"/>"), "{date}");
        for used in [
            "${y.made}",
            "${y.made == '2001-01-31'}",
            "${1 if '1' in [y.made] else 2}",
            "${str(y.made)}",
        ] {
            let said = with_yaml(&yaml, &format!("<x v=\"{used}\"/>")).unwrap_err();
            assert!(
                said.contains("a date") && said.contains("robot.xacro:3"),
                "{date} {used}: {said}"
            );
        }
    }
    // Texts to all readers.
    for text in [
        "2001-01",
        "2001-1-3",
        "2001-01-31 5 parts",
        "2001-01-31 4:05",
        "20010131",
        "v2001-01-31",
        "1-2-3",
    ] {
        let yaml = format!("made: {text}\n");
        let read = with_yaml(&yaml, "<x v='a${y.made}'/>");
        assert_eq!(read, Ok(format!("<x v=\"a{text}\"/>")), "{text}");
    }
}

/// Regression: the value of a key was had by a dot where xacro has the method of that name.
#[test]
fn a_key_with_the_name_of_a_method_is_had_by_brackets_only() {
    let yaml = "copy: 5\nupdate: 6\n";
    let read = with_yaml(yaml, "<x v=\"${y['copy']}\"/>");
    assert_eq!(read.as_deref(), Ok("<x v=\"5\"/>"));
    for name in ["copy", "update"] {
        let said = with_yaml(yaml, &format!("<x v='${{y.{name}}}'/>")).unwrap_err();
        assert!(
            said.contains(&format!("had by `['{name}']`")) && said.contains("robot.xacro:3"),
            "{said}"
        );
    }
}

/// Regression: names of Python that are not computed here were unknown, and so the default of a
/// property or a parameter counted, which xacro passes over.
#[test]
fn a_default_does_not_count_for_a_name_of_python() {
    for name in ["dist", "gamma", "map", "prod", "remainder", "ulp"] {
        for robot in [
            format!("<xacro:property name='{name}' default='5'/>\n<x v='${{{name}}}'/>"),
            format!(
                "<xacro:macro name='m' params='{name}:=^|5'><x v='${{{name}}}'/></xacro:macro>\n<xacro:m/>"
            ),
        ] {
            let said = expand(&robot).unwrap_err().to_string();
            assert!(
                said.contains(&format!("`{name}` is a function of Python"))
                    && said.contains("robot.xacro:3"),
                "{said}"
            );
        }
        // With a value of its own it is a name like any other.
        let own = format!("<xacro:property name='{name}' value='5'/><x v='${{{name}}}'/>");
        assert_eq!(expand(&own).unwrap(), "<x v=\"5\"/>");
        let passed = format!(
            "<xacro:macro name='m' params='{name}:=5'><x v='${{{name}}}'/></xacro:macro><xacro:m/>"
        );
        assert_eq!(expand(&passed).unwrap(), "<x v=\"5\"/>");
    }
}

/// Regression: folders of a pattern were put in another order, in which the last file that gives a
/// property another value is another one.
#[test]
fn files_of_a_pattern_come_in_the_order_of_their_names_as_texts() {
    let part = |v: u8| format!("<robot {NS}><xacro:property name='v' value='{v}'/></robot>");
    let dir = folder(
        "<xacro:include filename='parts*/a.xacro'/><x v='${v}'/>",
        &[
            ("parts/a.xacro", &part(1)),
            ("parts-left/a.xacro", &part(2)),
        ],
    );
    let opened = expand_in(dir.path(), &[]).unwrap();
    // `-` comes before `/`.
    assert_eq!(inside(&opened), "<x v=\"1\"/>");
}
