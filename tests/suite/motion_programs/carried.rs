//! Programs of moves for an arm on something that moves meanwhile.

use std::f64::consts::PI;

use super::*;

/// The example arm on a rail that its program does not move, without anything around it.
fn on_a_rail(moves: &[Value], events: Option<&str>) -> Outcome {
    const RAIL: &str = r#"<link name="floor"/>
        <joint name="rail" type="prismatic">
          <parent link="floor"/><child link="base_link"/><axis xyz="1 0 0"/>
          <limit lower="0" upper="1" effort="1" velocity="1"/>
        </joint></robot>"#;
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let robot = std::fs::read_to_string(root().join("robots/arm6/robot.urdf")).unwrap();
    let meshes = root().join("robots/arm6/meshes").display().to_string();
    let robot = robot.replace("\"meshes/", &format!("\"{meshes}/"));
    put("robot.urdf", &robot.replace("</robot>", RAIL));
    put("cell.toml", "[[robot]]\nurdf = \"robot.urdf\"\n");
    let mut program = arm6(moves);
    for (name, link) in [("floor", "floor"), ("base", "base_link")] {
        program["frames"][name] = json!({"link": link, "pose": {"xyz": [0, 0, 0]}});
    }
    put("a.motion.json", &program.to_string());
    if let Some(events) = events {
        put("a.motion.events.toml", events);
    }
    let file = folder.path().join("a.motion.json");
    let mut job = Job::new(folder.path().join("cell.toml"), vec![file]);
    job.cell.cache = CacheFolder::Off;
    run(&job, &NoProgress)
}

/// Joint values of a line to a pose are found with the rail where the cell has it. An event that
/// moves the rail takes the tool off its line: no answer about that line would be one about the
/// program.
#[test]
fn a_rail_under_a_line_must_stand_still() {
    const MOVED: &str =
        "[[event]]\nwaypoint = 1\nmove = \"rail\"\nvalue = \"300mm\"\nduration = 1\n";
    let stop = json!("stop");
    let moves = |frame: &str| {
        let place = json!({
            "move": "linear", "tool": "tip", "zone": "stop", "label": "place", "file": "way.src", "line": 5,
            "to": {
                "pose": {"xyz": [420, 160, 75], "rpy": [PI, 0, -2.841_592_65]},
                "frame": frame,
                "branch": "continued",
            },
        });
        [step("joint", &ABOVE, &stop, "above", 3), place]
    };
    let stands = on_a_rail(&moves("floor"), None);
    let error = |outcome: &Outcome| format!("{:?}", outcome.programs[0].error);
    assert_eq!(stands.verdict, Verdict::Clear, "{}", error(&stands));
    let moved = on_a_rail(&moves("floor"), Some(MOVED));
    assert_eq!(moved.verdict, Verdict::Unverified);
    let said = error(&moved);
    assert!(
        said.contains("`rail`") && said.contains("at rest"),
        "{said}"
    );
    // As the arm sees it, the line is the same wherever the arm is.
    let along = on_a_rail(&moves("base"), Some(MOVED));
    assert_eq!(along.verdict, Verdict::Clear, "{}", error(&along));
}
