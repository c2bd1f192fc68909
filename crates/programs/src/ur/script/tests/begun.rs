//! Modes that change how the arm moves, begun or ended elsewhere.

use super::*;

/// The ways through a function that is checked alone.
fn ways_of(text: &str, routine: &str) -> Vec<MoveProgram> {
    let cell = still(&[]);
    let controller = ControlledArm::of(&cell, None).unwrap();
    let options = Options {
        routine: Some(routine),
        bounds: Bounds::default(),
        read_neighbour: &|_| panic!("nothing is needed"),
        orientation_tube: 0.1,
    };
    let read = super::super::read("a.script".as_ref(), text.as_bytes(), &controller, &options);
    read.unwrap_or_else(|e| panic!("{e}")).ways
}

/// Regression: what a caller in the same file has begun was not seen where a function was checked alone.
#[test]
fn what_a_caller_in_the_file_has_begun_is_told_of_a_function_alone() {
    let told = |first: &str, routine: &str| -> bool {
        let text = format!(
            "thread away():\n  movej([3,0,0,0,0,0])\nend\nthread blinks():\n  set_digital_out(1, True)\nend\ndef pick():\n  movej([0,-1,1,0,0,0])\nend\ndef main():\n  {first}\n  pick()\nend\n"
        );
        let ways = ways_of(&text, routine);
        ways.iter().any(|way| !way.unknown.is_empty())
    };
    for first in [
        "force_mode(p[0,0,0,0,0,0],[0,0,1,0,0,0],[0,0,20,0,0,0],2,[0.1,0.1,0.1,0.2,0.2,0.2])",
        "track_conveyor_linear(p[1,0,0,0,0,0],1)",
        "path_offset_enable()",
        "t = run away()",
    ] {
        assert!(told(first, "pick") && told(first, "main"), "{first}");
    }
    for first in ["t = run blinks()", "set_digital_out(1, True)"] {
        assert!(!told(first, "pick"), "{first}");
    }
}

/// Regression: the end of a mode behind the moves was passed over, though they ran in it.
#[test]
fn a_mode_that_ends_behind_moves_was_on_before() {
    for end in [
        "end_force_mode()",
        "path_offset_disable()",
        "stop_conveyor_tracking()",
    ] {
        let reads = |body: &str| {
            let ways = ways_of(&format!("def main():\n{body}end\n"), "main");
            ways.iter().all(|way| way.unknown.is_empty())
        };
        let go = "  movej([0,-1,1,0,0,0])\n";
        assert!(!reads(&format!("{go}  {end}\n")), "{end}");
        assert!(reads(&format!("  {end}\n{go}  {end}\n")), "{end}");
    }
}
