#!/usr/bin/env python3
"""What whole commands cost: processor time and memory, of one program or of two in turns.

    benches/commands.py target/release/clearance [EARLIER]

Everything is counted: start, reading, fetching trees from a cache, the answer, writing. The ground of a million triangles
is made by formula, as a binary STL, in a folder that goes away again.
"""

import array
import math
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
CONFIGURATIONS = 4000
TRIANGLES = 1_000_000


def ground(file, triangles):
    """A wavy ground below the arm of robots/arm6."""
    side = math.isqrt(triangles // 2)
    at = [-1 + 2 * i / side for i in range(side + 1)]
    height = [[-0.6 + 0.02 * math.sin(9 * x) * math.cos(7 * y) for y in at] for x in at]
    corner = lambda i, j: (at[i], at[j], height[i][j])
    with open(file, "wb") as out:
        out.write(bytes(80) + struct.pack("<I", 2 * side * side))
        for i in range(side):
            for j in range(side):
                a, b, c, d = corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)
                for triangle in ((a, b, c), (a, c, d)):
                    numbers = array.array("f", (0, 0, 0, *triangle[0], *triangle[1], *triangle[2]))
                    out.write(numbers.tobytes() + b"\0\0")


def cost(command, stdin):
    """Seconds of processor time, and megabytes at the peak."""
    with open(stdin) as lines, open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(command, stdin=lines, stdout=nowhere, stderr=nowhere, cwd=ROOT)
        _, status, used = os.wait4(process.pid, 0)
    # 1: some configuration is in contact, some joint beyond its limits.
    assert os.waitstatus_to_exitcode(status) in (0, 1), command
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def clock(command):
    """Seconds from start to end: of an idle machine only."""
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert done.returncode in (0, 1), command
    return time.monotonic() - start


def told(seconds, megabytes):
    """The system counts the memory of this script, too, before it becomes the program: little is not told."""
    return f"{seconds:.3f}" + (f", {megabytes:.0f}" if megabytes > 100 else "")


def main():
    programs = [Path(p).resolve() for p in sys.argv[1:]]
    if not programs:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        dice = random.Random(1)
        lines = folder / "configurations"
        lines.write_text("".join(f"{[dice.uniform(-2.5, 2.5) for _ in range(6)]}\n" for _ in range(CONFIGURATIONS)))
        ground(folder / "ground.stl", TRIANGLES)
        arm = "robots/arm6/cell.toml"
        text = (ROOT / arm).read_text()
        text = text.replace('urdf = "', f'urdf = "{ROOT}/robots/arm6/').replace('mesh = "', f'mesh = "{ROOT}/robots/arm6/')
        large = folder / "cell.toml"
        large.write_text(text + '\n[[obstacle]]\nname = "ground"\nmesh = "ground.stl"\n')
        program = "trajectories/arm6/pick_place.csv"
        check = ["check", program, "--threads", "1", "--quiet"]
        rows = [
            (f"`distance`, {CONFIGURATIONS} random configurations", ["distance", "--quiet", "--cell", arm]),
            ("`check`, text", [*check, "--cell", arm]),
            ("`check --report html=…`", [*check, "--cell", arm, "--report", f"html={folder}/page.html"]),
            ("`check --certificate`", [*check, "--cell", arm, "--certificate", f"{folder}/pick.cert"]),
            ("`check`, a million triangles, no cache", [*check, "--cell", str(large), "--no-cache"]),
            ("`check`, a million triangles, trees from the cache", [*check, "--cell", str(large), "--cache-dir", str(folder / "trees")]),
        ]
        rows.append(("`check --certificate`, a million triangles, trees from the cache", [*rows[-1][1], "--certificate", f"{folder}/large.cert"]))
        print("| command | " + " | ".join("seconds, MB" for _ in programs) + " |")
        print("|---" * (1 + len(programs)) + "|")
        for name, arguments in rows:
            costs = [[] for _ in programs]
            for _ in range(ROUNDS):
                for program, seen in zip(programs, costs):
                    seen.append(cost([program, *arguments], lines))
            middle = [(statistics.median(s for s, _ in seen), statistics.median(m for _, m in seen)) for seen in costs]
            print(f"| {name} | " + " | ".join(told(s, m) for s, m in middle) + " |", flush=True)
        large_check = ["check", "trajectories/arm6/pick_place.csv", "--threads", "2", "--quiet", "--cell", str(large)]
        for name in ("first use", "trees from the cache"):
            clocks = [[] for _ in programs]
            for turn in range(ROUNDS):
                for k, (program, seen) in enumerate(zip(programs, clocks)):
                    trees = folder / (f"{k}-{turn}" if name == "first use" else f"{k}-0")
                    seen.append(clock([program, *large_check, "--cache-dir", str(trees)]))
            middle = " | ".join(f"{statistics.median(seen):.3f}" for seen in clocks)
            print(f"| `check`, a million triangles, {name}, two threads, by the clock | {middle} |", flush=True)


if __name__ == "__main__":
    main()
