#!/usr/bin/env python3
"""Writes a batch of programs over the example cell robots/arm6: the same files for the same numbers, on every machine.

    benches/make_batch.py FOLDER [COUNT] [SEED]

Every program is a pick-and-place cycle like trajectories/arm6/pick_place.csv: from home over the bin, into it, over the
fixture, onto it, and home, with 6 to 22 waypoints, each a little beside the taught one. Most are clear; some hit the bin,
the fixture or the guard, as badly taught programs do. Every tenth one is a ROS trajectory in JSON, the others are tables.
Programs lie in folders of a hundred.
"""

import json
import random
import sys
from pathlib import Path

JOINTS = [f"joint_{k}" for k in range(1, 7)]
HOME = [0.0, -0.3, 0.3, 0.0, 1.2, 0.0]
# Over the bin and the fixture, and down to the last centimetres, from trajectories/arm6/pick_place.csv.
PICK = [
    [-0.5880, 0.4604, 0.2355, 0.0, 0.8749, 0.0120],
    [-0.5880, 0.6468, 0.2969, 0.0, 0.6271, 0.0120],
    [-0.5880, 0.8391, 0.2762, 0.0, 0.4555, 0.0120],
]
PLACE = [
    [0.3640, 0.6405, -0.0345, 0.0, 0.9648, 0.0640],
    [0.3640, 0.7809, 0.0264, 0.0, 0.7635, 0.0640],
    [0.3640, 0.9298, 0.0181, 0.0, 0.6229, 0.0640],
]


def beside(rng, joints, spread):
    return [q + rng.uniform(-spread, spread) for q in joints]


def visit(rng, stations, spread):
    """Down through some of the stations and up again."""
    depth = rng.choice([1, 2, 2, 3])
    way = stations[:depth]
    return [beside(rng, q, spread) for q in way + way[-2::-1]]


def cycle(rng):
    # One program in twelve was taught carelessly.
    spread = 0.08 if rng.random() < 1 / 12 else 0.004
    points = [beside(rng, HOME, 0.1)]
    for _ in range(rng.choice([1, 1, 2])):
        points += visit(rng, PICK, spread)
        points += visit(rng, PLACE, spread)
    points.append(beside(rng, HOME, 0.1))
    return points


def timed(points):
    """No joint faster than 1 rad/s, and at least 0.4 s for a move."""
    time, times = 0.0, [0.0]
    for a, b in zip(points, points[1:]):
        time += max(0.4, *(abs(p - q) for p, q in zip(a, b)))
        times.append(round(time, 3))
    return times


def table(times, points):
    lines = [",".join(["time"] + JOINTS)]
    lines += [",".join([f"{t:g}"] + [f"{q:.5f}" for q in p]) for t, p in zip(times, points)]
    return "\n".join(lines) + "\n"


def message(times, points):
    way = [
        {
            "positions": [round(q, 5) for q in p],
            "velocities": [0.0] * len(JOINTS),
            "time_from_start": {"sec": int(t), "nanosec": round((t - int(t)) * 1e9)},
        }
        for t, p in zip(times, points)
    ]
    return json.dumps({"joint_names": JOINTS, "points": way}, indent=1) + "\n"


def main(folder, count=10_000, seed=1):
    rng = random.Random(int(seed))
    for k in range(int(count)):
        points = cycle(rng)
        times = timed(points)
        line = Path(folder) / f"{k // 100:03}"
        line.mkdir(parents=True, exist_ok=True)
        if k % 10 == 9:
            (line / f"{k % 100:02}.json").write_text(message(times, points))
        else:
            (line / f"{k % 100:02}.csv").write_text(table(times, points))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
