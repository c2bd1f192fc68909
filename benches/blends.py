#!/usr/bin/env python3
"""Processor time of checks of straight moves whose tool turns, with rounded corners between them.

    benches/blends.py CLEARANCE PRBT_URDF [EARLIER]

The robot is a prbt, as MoveIt's tests of Pilz' planner have it. EARLIER is another program to compare with; it is given
a minute for each sequence.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

JOINTS = [f"prbt_joint_{k}" for k in range(1, 7)]
START = [0, -0.016763700542892668, -1.673499069949556, 0, -1.4848572841831293, 2.3561944901923377]
# Position in metres, and orientation.
MIDDLE = ([0.5, 0.2, 0.4], [0.707106, 0.707106, 0, 0])
FAR = ([0.3, 0.4, 0.3], [0.707106, 0.707106, 0, 0])
NEAR = ([0.3, 0.2, 0.4], [0.707106, 0.707106, 0, 0])
SEQUENCES = {
    "one move, its tool turns by 45°": [(MIDDLE, 0.0)],
    "a corner of 0.05 m": [(MIDDLE, 0.05), (NEAR, 0.0)],
    "a corner of 0.149 m": [(MIDDLE, 0.149), (FAR, 0.0)],
    "a corner of 0.21 m": [(MIDDLE, 0.21), (NEAR, 0.0)],
}


def goal(place):
    """Constraints of a message that are met at one pose."""
    position, orientation = (dict(zip(axes, numbers)) for axes, numbers in zip(("xyz", "xyzw"), place))
    at = {"header": {"frame_id": "prbt_base_link"}, "link_name": "prbt_tcp"}
    region = {"primitive_poses": [{"position": position}]}
    return {
        "position_constraints": [{**at, "constraint_region": region}],
        "orientation_constraints": [{**at, "orientation": orientation}],
    }


def sequence(moves):
    """A MotionSequenceRequest of straight moves, each with the radius of the corner at its end."""
    items = [
        {"req": {"planner_id": "LIN", "goal_constraints": [goal(place)]}, "blend_radius": radius} for place, radius in moves
    ]
    items[0]["req"]["start_state"] = {"joint_state": {"name": JOINTS, "position": START}}
    return {"items": items}


def asked(program, cell, file):
    """Verdict and processor seconds of a check."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [program, "check", "--cell", cell, "--threads", "1", "--report", "json", "--quiet", file]
    try:
        answer = subprocess.run(command, capture_output=True, timeout=60, check=False)
        verdict = json.loads(answer.stdout)["verdict"]
    except subprocess.TimeoutExpired:
        verdict = "no answer in a minute"
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return f"{verdict}, {seconds:.2f} s"


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    programs = [sys.argv[1], *sys.argv[3:]]
    urdf = pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        cell = pathlib.Path(folder, "cell.toml")
        cell.write_text(f"[[robot]]\nname = \"prbt\"\nurdf = {json.dumps(str(urdf))}\n")
        for name, moves in SEQUENCES.items():
            file = pathlib.Path(folder, "sequence.json")
            file.write_text(json.dumps(sequence(moves)))
            answers = [asked(program, cell, file) for program in programs]
            print(f"| {name} | {' | '.join(answers)} |")


if __name__ == "__main__":
    main()
