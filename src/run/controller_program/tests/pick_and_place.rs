//! Pick and place as it is mostly written: a joint move above, a straight move down, one up again,
//! and a joint move away, with small zones.

use std::path::Path;

use super::*;

const CELL: &str = r#"[[robot]]
name = "arm"
urdf = URDF
[robot.controller]
dialect = "rapid"
joints = ["joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"]
base = "base_link"
flange = "tool0"
[[attach]]
name = "gripper"
parent = "arm/tool0"
box = [0.04, 0.06, 0.098]
pose = { xyz = [0, 0, 0.05] }
[[allow]]
a = "arm/link_5"
b = "gripper"
reason = "only joint 6 lies between them"
[[obstacle]]
name = "table"
box = [0.6, 1.2, 0.04]
pose = { xyz = [0.45, 0, TABLE] }
"#;
const PROGRAM: &str = "MODULE bench
PERS tooldata grip:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,60],[1,0,0,0],0,0,0]];
CONST jointtarget home:=[[-60,0,0,0,60,15],[9E9,9E9,9E9,9E9,9E9,9E9]];
CONST robtarget pick:=[[330,-180,40],[0,-0.087155743,0.996194698,0],[-1,0,-1,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
PROC main()
MoveAbsJ home,v1000,fine,grip;
MoveJ Offs(pick,0,0,80),v1000,z10,grip;
MoveL pick,v300,fine,grip;
MoveL Offs(pick,0,0,80),v300,z10,grip;
MoveAbsJ home,v1000,fine,grip;
ENDPROC
ENDMODULE
";

/// With the top of the table so far below the lowest pose, metres.
fn above_a_table(gap: f64) -> Outcome {
    let robot = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/arm6/robot.urdf");
    let cell = CELL.replace("URDF", &format!("{:?}", robot.display().to_string()));
    let cell = cell.replace("TABLE", &(0.04 - gap - 0.02).to_string());
    verified(&cell, "bench.mod", PROGRAM)
}

/// The orientation may be ahead of the point in these corners, by a sixth of what the tool turns on
/// the joint move. Catches one that is taken for off in every direction: then nothing is certain.
#[test]
fn a_joint_move_with_a_zone_above_a_straight_move_is_clear() {
    for (gap, verdict) in [(0.005, Verdict::Clear), (-0.005, Verdict::Collision)] {
        let answer = above_a_table(gap);
        let program = &answer.programs[0];
        assert_eq!(answer.verdict, verdict, "{gap}: {:?}", program.error);
    }
}
