#!/usr/bin/env python3
"""The Python module beside the engine: 10,000 motions out of arrays, on one thread.

    benches/python_many.py [COUNT]    # with `clearance` installed

Compares the time of `Cell.check_many`, from arrays to answers as objects, with that of the engine's own checks in it: the sum of
`check_seconds`. Both are times of the clock, on one thread, so that other work on the machine counts in both.
"""

import pathlib
import sys
import time

import numpy as np

import clearance

TOP = pathlib.Path(__file__).resolve().parent.parent


def main(count="10000"):
    count = int(count)
    cell = clearance.Cell.load(TOP / "robots/arm6/cell.toml")
    generator = np.random.default_rng(1)
    rest = np.radians([0, 10, 20, 0, 60, 0])
    joints = [f"joint_{k}" for k in range(1, 7)]
    motions = []
    for _ in range(count):
        steps = np.cumsum(generator.uniform(-0.2, 0.2, (10, 6)), axis=0)
        motions.append(clearance.Motion(np.arange(10.0), rest + steps, joints))
    cell.check_many(motions[:100], threads=1)
    start = time.perf_counter()
    answers = cell.check_many(motions, threads=1)
    whole = time.perf_counter() - start
    engine = sum(answer.raw["statistics"]["check_seconds"] for answer in answers)
    verdicts = [answer.verdict for answer in answers]
    print("| motions | clear, collision | engine | `check_many` | **ratio** |")
    print("|---|---|---|---|---|")
    print(
        f"| {count:,} | {verdicts.count('clear'):,}, {verdicts.count('collision'):,} "
        f"| {engine:.2f} s | {whole:.2f} s | **{whole / engine:.2f}** |"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
