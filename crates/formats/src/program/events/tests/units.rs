//! Numbers without a unit.

use super::*;

/// Degrees where radians are read: refused as in a table, or said as in a cell file.
#[test]
fn numbers_that_look_like_degrees_are_told() {
    use clearance_proof::report::Severity::{Notice, Open};
    let read = |text: &str, limits: Option<(f64, f64)>| {
        let mut cell = cell();
        let joint = &mut cell.joints[2];
        (joint.kind, joint.limits.position) = match limits {
            None => (JointKind::Continuous, None),
            Some(_) => (JointKind::Revolute, limits),
        };
        let text = TomlText::new(Path::new("p.events.toml"), text.into()).unwrap();
        let read = super::super::read(&text, Some(&program(true)), Some("right"), &cell);
        read.map_err(|e| e.to_string())
    };
    let turn = |value: &str, limits| {
        let text = format!("[[event]]\nat = 0\nmove = \"finger\"\nduration = 1\nvalue = {value}\n");
        read(&text, limits)
    };
    for (value, limits) in [
        ("90", None),
        ("\"-90\"", None),
        ("90", Some((-3.0, 3.0))),
        ("9.5", Some((-3.0, 3.0))),
    ] {
        let refused = turn(value, limits).unwrap_err();
        assert!(
            refused.starts_with("p.events.toml:5:9: ")
                && refused.contains("`right/finger` would be at")
                && refused.contains("90deg\"") == value.contains("90"),
            "{refused}"
        );
    }
    // Degrees neither fit, or the unit is stated, or they may well be radians.
    for (value, limits) in [
        ("400", Some((-3.0, 3.0))),
        ("\"90deg\"", None),
        ("\"90rad\"", None),
        ("1.57", None),
        ("6.29", None),
    ] {
        assert_eq!(turn(value, limits).unwrap().doubts, [], "{value}");
    }
    let many = turn("12.6", None).unwrap().doubts;
    let [said] = &many[..] else {
        panic!("{many:?}")
    };
    assert_eq!(
        (said.severity, &*said.subject),
        (Notice, "p.events.toml:5:9")
    );

    let pose = |rpy: &str| {
        let text = format!(
            "[[event]]\nat = 0\nattach = \"part_1\"\nto = \"hand\"\npose = {{ rpy = {rpy} }}\n"
        );
        read(&text, None).unwrap().doubts
    };
    let said = pose("[0, 0, 90]");
    assert_eq!((said.len(), said[0].severity), (1, Open));
    assert!(said[0].message.contains("write \"90deg\""), "{said:?}");
    assert_eq!(said[0].place.as_ref().and_then(|p| p.line), Some(5));
    for rpy in ["[0, 0, \"90deg\"]", "[0, 0, \"90rad\"]", "[0, 0, 1.57]"] {
        assert_eq!(pose(rpy), [], "{rpy}");
    }
}
