#!/usr/bin/env python3
"""What a budget of error says of real plans of two arms, beside what one threshold for all pairs says.

    benches/budgets.py CLEARANCE DATA [--base LEN ANGLE] [--threshold LEN]

CLEARANCE  the program `clearance`
DATA       real robots, cells and programs, the folder that CLEARANCE_REAL_DATA names

The dual-arm cell of the data is one URDF; here each arm is a robot with a base of its own, and everything else stands.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

NAME = "o2ac_dual_ur5e_cell"
ARMS = ("a_bot", "b_bot")


def rotation(rpy):
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(x), math.cos(x)) for x in rpy)
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr]]


def rpy(m):
    return [math.atan2(m[2][1], m[2][2]), math.asin(max(-1.0, min(1.0, -m[2][0]))), math.atan2(m[1][0], m[0][0])]


def then(first, second):
    (m, t), (n, u) = first, second
    product = [[sum(m[i][k] * n[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    return product, [t[i] + sum(m[i][k] * u[k] for k in range(3)) for i in range(3)]


def origin(joint):
    tag = joint.find("origin")
    numbers = lambda key: [float(x) for x in (tag.get(key) if tag is not None and tag.get(key) else "0 0 0").split()]
    return rotation(numbers("rpy")), numbers("xyz")


def arm(tree, base):
    """The links from a base on, with the joints between them, as a URDF; and where the base stands."""
    joints = tree.findall("joint")
    carrier = {j.find("child").get("link"): j for j in joints}
    links, open_links = [], [base]
    while open_links:
        link = open_links.pop()
        links.append(link)
        open_links += [j.find("child").get("link") for j in joints if j.find("parent").get("link") == link]
    place, at = (rotation([0, 0, 0]), [0, 0, 0]), base
    while at in carrier:
        place = then(origin(carrier[at]), place)
        at = carrier[at].find("parent").get("link")
    out = xml.Element("robot", name=base)
    out.extend(l for l in tree.findall("link") if l.get("name") in links)
    out.extend(j for j in joints if j.find("child").get("link") in links[1:])
    return out, place, links


def cell(data, folder):
    robot = data / "robots" / NAME
    tree = xml.parse(robot / "robot_only.urdf").getroot()
    states = json.loads((robot / "group_states.json").read_text())
    lines, owner = [], {}
    for name in ARMS:
        urdf, (turn, place), links = arm(tree, f"{name}_base_link")
        owner |= {link: f"{name}/{link}" for link in links}
        # Meshes are named from where the description lies.
        for mesh in urdf.iter("mesh"):
            uri = mesh.get("filename")
            local = uri.removeprefix("package://")
            mesh.set("filename", str(robot / local))
        file = folder / f"{name}.urdf"
        file.write_bytes(xml.tostring(urdf))
        home = ", ".join(f"{joint} = {value}" for joint, value in states[f"{name}/home"].items())
        lines += ["[[robot]]", f'name = "{name}"', f'urdf = "{file}"', f"joints = {{ {home} }}",
                  f"base = {{ xyz = {place}, rpy = {rpy(turn)} }}"]
    static = data / "cells" / f"{NAME}_static" / "links"
    for mesh in sorted(static.glob("*.stl")):
        lines += ["[[obstacle]]", f'name = "{mesh.stem}"', f'mesh = "{mesh}"']
        owner.setdefault(mesh.stem, mesh.stem)
    pairs = {(t.get("link1"), t.get("link2")) for t in xml.parse(robot / f"{NAME}.srdf").getroot().iter("disable_collisions")}
    # The fingers of this gripper touch their tips, the bases their pedestals.
    pairs |= {(f"b_bot_robotiq_85_{side}_finger_link", f"b_bot_robotiq_85_{side}_finger_tip_link") for side in ("left", "right")}
    pairs |= {(f"{name}_base_link_inertia", f"{name}_base_smfl") for name in ARMS}
    for a, b in sorted(pairs):
        if a in owner and b in owner:
            lines += ["[[allow]]", f'a = "{owner[a]}"', f'b = "{owner[b]}"']
    return lines


def asked(clearance, lines, program, folder, *more):
    file = folder / "cell.toml"
    file.write_text("\n".join(lines) + "\n")
    command = [clearance, "check", "--cell", file, program, "--threads", "1", "--report", "json", "--quiet", *more]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(f"exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stderr}")
    answer = json.loads(done.stdout)
    if answer.get("error"):
        sys.exit(answer["error"])
    return answer["programs"][0]


def pair(where):
    return f"{where['a'].split('/')[-1]} – {where['b'].split('/')[-1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clearance", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--base", nargs=2, default=("3mm", "0.2deg"), metavar=("LEN", "ANGLE"))
    parser.add_argument("--threshold", default="7.5mm")
    options = parser.parse_args()
    data = options.data.resolve()
    shift, turn = options.base
    print(f"| plan | ideal | base {shift}, {turn} | what may use it up | margin | one threshold of {options.threshold} | ms ideal, budget, margin |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plain = cell(data, folder)
        budget = plain + ["[uncertainty]", f'base = {{ xyz = "{shift}", angle = "{turn}" }}']
        for program in sorted((data / "programs/o2ac_saved_plans").glob("*.csv")):
            ideal = asked(options.clearance, plain, program, folder)
            errors = asked(options.clearance, budget, program, folder)
            wide = asked(options.clearance, plain, program, folder, "--clearance", options.threshold)
            margin = asked(options.clearance, budget, program, folder, "--margin")
            first, limits = errors.get("first_contact"), [c for c in margin["margin"]["by_class"] if "limit" in c]
            by = ""
            if first and first["kind"] == "possible":
                by = f"{pair(first)}: {1e3 * sum(first['errors'].values()):.1f} of {1e3 * first['distance']:.1f} mm at {first['time']:.2f} s"
            elif first:
                by = pair(first)
            times = f"{margin['margin']['times']:.2f}"
            if limits:
                least = min(limits, key=lambda c: c["times"])
                times += f" ({least['class']}: {pair(least['limit'])})"
            one = wide["verdict"] + (f" ({pair(wide['first_contact'])})" if wide.get("first_contact") else "")
            ms = [1e3 * answer["statistics"]["check_seconds"] for answer in (ideal, errors, margin)]
            ms[2] -= ms[1]
            print(f"| {program.stem} | {ideal['verdict']} | **{errors['verdict']}** | {by} | {times} | {one} | "
                  + ", ".join(f"{x:.0f}" for x in ms) + " |", flush=True)


if __name__ == "__main__":
    main()
