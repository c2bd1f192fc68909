#!/usr/bin/env python3
"""What the engine's work brought to real programs: the same programs by an earlier `clearance` and by this one, in turns.

    benches/programs.py BEFORE AFTER DATA [--rounds N]

BEFORE, AFTER  two programs `clearance`; how to build the earlier one: docs/benchmarks.md
DATA           real robots, cells and programs, the folder that CLEARANCE_REAL_DATA names

Times are those of the check as the reports tell them (models loaded, one thread, one check in a process); of each program the
shortest of the rounds counts. Exit code 1 if a verdict is another one than before.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

NO_ANSWER = 2  # from this exit code on; below it there is a verdict


def robot(data, name, joints=None):
    """A robot of the data by its folder's name, as a cell file says it."""
    folder = data / "robots" / name
    urdf = next(p for p in (folder / f"{n}.urdf" for n in (name, name.removesuffix("_vamp"))) if p.is_file())
    lines = ["[[robot]]", f'urdf = "{urdf}"']
    if (folder / f"{name}.srdf").is_file():
        lines.append(f'srdf = "{folder / f"{name}.srdf"}"')
    if joints:
        lines.append("joints = { " + ", ".join(f"{joint} = {value}" for joint, value in joints.items()) + " }")
    return lines


def obstacles(scene):
    """The objects of a scene, as a cell file says them."""
    lines = []
    for thing in json.loads(scene.read_text())["objects"]:
        form = {"box": lambda: f"box = {thing['size']}",
                "cylinder": lambda: f"cylinder = {{ radius = {thing['radius']}, length = {thing['length']} }}",
                "mesh": lambda: f'mesh = "{scene.parent / thing["file"]}"'}[thing["type"]]()
        lines += ["[[obstacle]]", f'name = "world::{thing["id"]}"', form,
                  f"pose = {{ xyz = {thing['xyz']}, quat = {thing['quat_xyzw']} }}"]
    return lines


def two_arms(data):
    """Both at home where a program does not move them; the fingers of the gripper touch their tips."""
    name = "o2ac_dual_ur5e_cell"
    states = json.loads((data / "robots" / name / "group_states.json").read_text())
    lines = robot(data, name, states["a_bot/home"] | states["b_bot/home"])
    for side in ("left", "right"):
        finger = f"b_bot_robotiq_85_{side}_finger"
        lines += ["[[allow]]", f'a = "{finger}_link"', f'b = "{finger}_tip_link"']
    # Ten holders and stoppers of the cell have visual geometry only.
    return lines + ["[[unchecked]]", 'link = "*"', 'reason = "visual geometry only"']


def groups(data):
    """Name, and the programs with their cells."""
    programs = data / "programs"
    for arm in ("panda", "ur5"):
        described = [(p, json.loads(p.read_text())) for p in sorted((programs / "mbm" / arm).glob("*/*.json"))]
        for word, what in (("line", "straight lines"), ("planned", "planned ways")):
            yield f"{arm}, {what}", [(p.with_suffix(".csv"), robot(data, d["robot"]) + obstacles(data / d["cell"]))
                                     for p, d in described if p.name.startswith(word) and p.with_suffix(".csv").is_file()]
    dual = two_arms(data)
    yield "two UR5e, saved plans", [(p, dual) for p in sorted((programs / "o2ac_saved_plans").glob("*.csv"))]
    yield "HC10DT, scan", [(programs / "snp_scan_hc10dt/scan_traj.csv", robot(data, "motoman_hc10dt_snp_cell"))]
    yield "UR5e, goals", [(programs / "ur_driver_goals/test_goals.csv", robot(data, "ur5e"))]
    seats = robot(data, "sia20d_car_seat_cell_tesseract") + obstacles(data / "cells/car_seat_seats/scene.json")
    yield "SIA20D on a rail, to the car", [(programs / "car_seat_sia20d/home_pick1_place1_line.csv", seats)]


def asked(clearance, cell, program):
    """Verdict and milliseconds."""
    command = [clearance, "check", "--cell", cell, program, "--clearance", "0", "--threads", "1", "--report", "json", "--quiet"]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode >= NO_ANSWER:
        sys.exit(f"exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stderr}")
    answer = json.loads(done.stdout)["programs"][0]
    return answer["verdict"], 1e3 * answer["statistics"]["check_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    data = options.data.resolve()
    failed = False
    print("| programs | number | clear, collision | before: median / worst ms | after | **before / after: median** |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        cell = pathlib.Path(folder) / "cell.toml"
        for name, programs in groups(data):
            ms, verdicts = ([], []), []
            for program, lines in programs:
                cell.write_text("\n".join(lines) + "\n")
                runs = [[asked(side, cell, program) for side in (options.before, options.after)] for _ in range(options.rounds)]
                said = {verdict for both in runs for verdict, _ in both}
                if len(said) != 1:
                    failed = True
                    print(f"{name}, {program.name}: {' and '.join(sorted(said))}", file=sys.stderr)
                verdicts.append(runs[0][1][0])
                for side in (0, 1):
                    ms[side].append(min(both[side][1] for both in runs))
            before, after = (f"{statistics.median(side):.2f} / {max(side):.2f}" for side in ms)
            ratio = statistics.median(b / a for b, a in zip(*ms))
            counts = ", ".join(str(verdicts.count(verdict)) for verdict in ("clear", "collision"))
            print(f"| {name} | {len(programs)} | {counts} | {before} | {after} | **{ratio:.1f}** |")
    sys.exit(failed)


if __name__ == "__main__":
    main()
