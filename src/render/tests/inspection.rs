//! A cell as it is inspected.

use crate::findings::*;

#[test]
fn an_inspection() {
    let shape = |form: &str, closed, triangles| ShapeFacts {
        form: form.into(),
        file: None,
        triangles,
        closed,
        nodes: triangles,
        bytes: 100 * triangles,
    };
    let body = |name: &str, joint: Option<&str>, size, shapes| BodyFacts {
        name: name.into(),
        role: if joint.is_some() { "link" } else { "obstacle" }.into(),
        joint: joint.map(Into::into),
        parent: None,
        size,
        shapes,
    };
    let joint = |name: &str, kind: &str, position, follows: Option<&str>| JointFacts {
        name: name.into(),
        kind: kind.into(),
        position,
        velocity: position.map(|_| 1.0),
        acceleration: None,
        follows: follows.map(Into::into),
        rest: 0.01,
    };
    let pair = |a: &str, b: &str, clearance: Option<f64>| PairFacts {
        a: a.into(),
        b: b.into(),
        checked: clearance.is_some(),
        required_clearance: clearance,
        least_possible: clearance.filter(|_| b == "base").map(|_| 0.12345),
        kind: clearance.is_none().then(|| "allowed".into()),
        reason: clearance
            .is_none()
            .then(|| "allowed by [[allow]]: bolted".into()),
    };
    let remark = |what: &str, why: &str| Diagnostic {
        subject: what.into(),
        message: why.into(),
        place: None,
        severity: Severity::Note,
        code: Code::MeshFile,
    };
    let inspection = Inspection {
        schema: SCHEMA,
        tool: "clearance".into(),
        version: "0.1.0".into(),
        cell: "cell.toml".into(),
        reach: 1.3,
        bodies: vec![
            body(
                "table",
                None,
                Some([1.2, 0.8, 0.05]),
                vec![shape("box", true, 12)],
            ),
            body(
                "upper_arm",
                Some("lift"),
                Some([0.12, 0.1, 0.4255]),
                vec![
                    shape("mesh", true, 900),
                    shape("mesh", false, 40),
                    shape("mesh", true, 60),
                ],
            ),
            body("tool0", Some("lift"), None, vec![]),
        ],
        joints: vec![
            joint("lift", "prismatic", Some([0.0, 0.25]), None),
            joint("pan", "continuous", None, None),
            joint("elbow", "revolute", Some([-3.0, 3.0]), Some("pan")),
        ],
        standing_pairs: 0,
        pairs: vec![
            pair("table", "upper_arm", Some(0.005)),
            pair("upper_arm", "base", Some(0.005)),
            pair("table", "forearm", None),
        ],
        asked_unreachable: false,
        idle_allowances: vec![remark("gone – table", "arm.srdf")],
        impossible: vec![remark("bin", "suspicious scale")],
        notices: vec![],
        unchecked: vec![remark("tool0", "no collision geometry")],
        notes: vec![remark("arm.obj", "2 groups of faces merged")],
    };
    insta::assert_snapshot!(super::super::inspection_text(&inspection, true));
    let counts = super::super::inspection_text(&inspection, false);
    assert!(
        counts.contains(
            "2 pairs checked (1 unreachable within the joint limits), 1 not (1 allowed); `--pairs` lists them, `--unreachable` says which can never meet"
        ),
        "{counts}"
    );
    assert!(!counts.contains("bolted"));
    let back: Inspection =
        serde_json::from_str(&super::super::inspection_json(&inspection)).unwrap();
    assert_eq!(back, inspection);
    let asked = Inspection {
        asked_unreachable: true,
        ..inspection
    };
    let counts = super::super::inspection_text(&asked, false);
    assert!(
        counts.contains("`--pairs` lists them") && !counts.contains("--unreachable"),
        "{counts}"
    );
}
