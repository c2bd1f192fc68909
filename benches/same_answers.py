#!/usr/bin/env python3
"""Do two builds of `clearance` give the same answers? Runs both over the examples (and other cells), and compares their JSON reports:
verdicts, times, distances, and counts of work, to the last digit.

    benches/same_answers.py BEFORE AFTER [CELL=PROGRAM[,PROGRAM…] …]

Without cells: every example of `robots/` and `trajectories/`. Keys that were renamed between the two are compared under their new
name; keys that only one of them writes are listed at the end and are not a difference.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
RENAMED = {"clearance": "required_clearance", "what": "subject", "why": "message"}
# Differ from run to run, or are meant to differ.
LEFT_OUT = {"timing", "check_seconds", "schema", "version"}
OPTIONS = [[], ["--all"], ["--minimum"], ["--clearance", "5mm", "--warn", "20mm"], ["--all", "--audit-allowed"], ["--margin"]]


def examples():
    for folder in sorted((ROOT / "trajectories").iterdir()):
        cell = ROOT / "robots" / folder.name / "cell.toml"
        stated = folder / "expected.toml"
        if stated.exists() and (path := tomllib.loads(stated.read_text()).get("cell")):
            cell = (folder / path).resolve()
        programs = sorted(p for p in folder.iterdir() if p.suffix in (".csv", ".yaml", ".json"))
        if cell.exists() and programs:
            yield str(cell.relative_to(ROOT)), [str(p.relative_to(ROOT)) for p in programs]


def answer(tool, cell, programs, options):
    command = [tool, "check", "--quiet", "--no-cache", "--report", "json", "--cell", cell, *options, *programs]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{tool}: no report (exit code {done.returncode}): {done.stderr}")


def same_names(value):
    if isinstance(value, dict):
        return {RENAMED.get(k, k): same_names(v) for k, v in value.items() if k not in LEFT_OUT}
    if isinstance(value, list):
        return [same_names(v) for v in value]
    return value


def compare(before, after, place, differences, only):
    if isinstance(before, dict) and isinstance(after, dict):
        only.update(f"before: {k}" for k in before.keys() - after.keys())
        only.update(f"after: {k}" for k in after.keys() - before.keys())
        for key in before.keys() & after.keys():
            compare(before[key], after[key], f"{place}.{key}", differences, only)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for k, (b, a) in enumerate(zip(before, after)):
            compare(b, a, f"{place}[{k}]", differences, only)
    elif before != after:
        differences.append(f"{place}: {before!r} before, {after!r} after")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("cells", nargs="*")
    given = parser.parse_args()
    cells = [(c.split("=", 1)[0], c.split("=", 1)[1].split(",")) for c in given.cells] or list(examples())
    differences, only, reports = [], set(), 0
    for cell, programs in cells:
        for options in OPTIONS:
            before, after = (same_names(answer(t, cell, programs, options)) for t in (given.before, given.after))
            compare(before, after, f"{cell} {' '.join(options)}", differences, only)
            reports += len(programs)
    for line in differences[:50] + sorted(only):
        print(line)
    print(f"{reports} answers compared, {len(differences)} differences")
    sys.exit(1 if differences or not reports else 0)


if __name__ == "__main__":
    main()
