//! What other readers than that of xacro take for something else.

use super::*;

/// The robot beside a YAML file, whose content is the property `y`.
fn with_yaml(yaml: &str, robot: &str) -> Result<String, String> {
    let load = "<xacro:property name='y' value=\"${xacro.load_yaml('d.yaml')}\"/>";
    let dir = folder(&format!("{load}\n{robot}"), &[("d.yaml", yaml)]);
    let opened = expand_in(dir.path(), &[]).map_err(|e| e.to_string())?;
    Ok(inside(&opened))
}

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
