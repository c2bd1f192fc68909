#!/usr/bin/env python3
"""Processor time of checks of RAPID programs with rounded corners, for the arm of robots/arm6.

    benches/corners.py CLEARANCE [EARLIER]

EARLIER is another program to compare with; it is given a minute for each program.
"""

import json
import pathlib
import sys
import tempfile

from blends import asked

ARM = pathlib.Path(__file__).resolve().parent.parent / "robots" / "arm6" / "robot.urdf"
CELL = """[[robot]]
urdf = URDF
start = { joint_1 = "-60deg", joint_2 = 0, joint_3 = 0, joint_4 = 0, joint_5 = "30deg", joint_6 = 0 }
[robot.controller]
dialect = "rapid"
joints = ["joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"]
base = "base_link"
flange = "tool0"
[[obstacle]]
name = "column"
box = [0.3, 0.3, 1.2]
pose = { xyz = [0.25, 0.45, 0.6] }
"""
DATA = """MODULE bench
CONST jointtarget home:=[[-60,0,0,0,60,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
CONST robtarget here:=[[213.55,-213.55,450],[0,0.382683,0.923880,0],[-1,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
CONST robtarget there:=[[52.44,-297.41,450],[0,0.642788,0.766044,0],[-1,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
CONST robtarget low:=[[330,-180,40],[0,-0.087155743,0.996194698,0],[-1,0,-1,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
CONST robtarget across:=[[330,100,40],[0,-0.087155743,0.996194698,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
PERS tooldata grip:=[TRUE,[[0,0,80],[1,0,0,0]],[1,[0,0,60],[1,0,0,0],0,0,0]];
PERS num parts:=17;
PROC visit(robtarget at,num aside)
MoveJ Offs(at,aside,0,80),v1000,z20,grip;
MoveL Offs(at,aside,0,0),v200,fine,grip;
MoveL Offs(at,aside,0,80),v500,z20,grip;
ENDPROC
PROC main()
MoveAbsJ home,v500,fine,grip;
BODY
MoveAbsJ home,v500,fine,grip;
ENDPROC
ENDMODULE
"""
TRANSFER = "visit here,0;\nvisit there,0;"
PROGRAMS = {
    "one transfer": TRANSFER,
    "one transfer low down, the gripper keeps its orientation": "visit low,0;\nvisit across,0;",
    "a transfer, and a count of parts up to 50": f"{TRANSFER}\nparts:=parts+1;\nIF parts>=50 THEN\nSetDO full,1;\nparts:=0;\nENDIF",
    "one of three tasks in each round": f"TEST GInput(giTask)\nCASE 1:\nvisit here,0;\nCASE 2:\nvisit there,0;\nCASE 3:\n{TRANSFER}\nENDTEST",
    "six places side by side": "FOR k FROM 0 TO 5 DO\nvisit here,0;\nvisit there,4*k;\nENDFOR",
}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        cell = pathlib.Path(folder, "cell.toml")
        cell.write_text(CELL.replace("URDF", json.dumps(str(ARM))))
        for name, body in PROGRAMS.items():
            file = pathlib.Path(folder, "bench.mod")
            file.write_text(DATA.replace("BODY", body))
            answers = [asked(program, cell, file) for program in sys.argv[1:]]
            print(f"| {name} | {' | '.join(answers)} |", flush=True)


if __name__ == "__main__":
    main()
