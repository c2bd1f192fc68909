#!/usr/bin/env python3
"""Memory and time of a long program, of a cell with very many obstacles, and of a large library.

    benches/memory.py target/release/clearance [EARLIER]

A motion of a million waypoints of the example arm (a CSV), ten thousand boxes on a floor beside it, and a folder of a hundred thousand
programs (names of a thousand different files). All is made by formula, in a folder that goes away again. Prints processor time, time on the
clock and the peak of memory, of one run on one thread; the peak counts some 10 MB of this script where there is less.
"""

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ARM = ROOT / "robots/arm6"
WAYPOINTS = 1_000_000
OBSTACLES = 10_000
PROGRAMS = 100_000
DIFFERENT = 1_000
ROUNDS = 1


def make(folder):
    """Writes all inputs. A process of its own, so that its memory is not counted."""
    with open(folder / "long.csv", "w") as out:
        out.write("time," + ",".join(f"joint_{k}" for k in range(1, 7)) + "\n")
        for k in range(WAYPOINTS):
            joints = [0.2 * math.sin(0.001 * k * (j + 1)) for j in range(6)]
            joints[4] += 1.2
            out.write(f"{0.01 * k:.2f}," + ",".join(f"{q:.6f}" for q in joints) + "\n")
    cell = (ARM / "cell.toml").read_text()
    cell = cell.replace('urdf = "', f'urdf = "{ARM}/').replace('mesh = "', f'mesh = "{ARM}/')
    side = math.isqrt(OBSTACLES)
    boxes = [
        f'\n[[obstacle]]\nname = "box {k}"\nbox = [0.02, 0.02, 0.02]\npose = {{ xyz = [{0.03 * (k % side) - 1.5:.3f}, {0.03 * (k // side) - 1.5:.3f}, -0.5] }}\n'
        for k in range(side * side)
    ]
    (folder / "boxes.toml").write_text(cell + "".join(boxes))
    sys.path.insert(0, str(ROOT / "benches"))
    import make_batch

    make_batch.main(folder / "few", DIFFERENT)
    few = sorted(p for p in (folder / "few").rglob("*") if p.is_file())
    for k in range(PROGRAMS):
        file = few[k % len(few)]
        line = folder / f"library/{k // 1000:03}"
        line.mkdir(parents=True, exist_ok=True)
        os.link(file, line / f"{k % 1000:03}{file.suffix}")


def cost(command):
    start = time.monotonic()
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=subprocess.PIPE, cwd=ROOT)
        said = process.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
    # 1: some program hits something.
    assert os.waitstatus_to_exitcode(status) in (0, 1), (command, said[-2000:])
    return used.ru_utime + used.ru_stime, time.monotonic() - start, used.ru_maxrss / 1024


def main():
    programs = [Path(p).resolve() for p in sys.argv[1:]]
    if not programs:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([sys.executable, __file__, "--make", folder], check=True)
        short = "trajectories/arm6/pick_place.csv"
        arm = ["--cell", ARM / "cell.toml", "--quiet", "--threads", "1"]
        results = ["--results", folder / "results.jsonl", "--report", "text=/dev/null"]
        rows = [
            (f"`check`, {WAYPOINTS} waypoints", ["check", folder / "long.csv", *arm]),
            (f"`check`, {OBSTACLES} obstacles", ["check", short, "--cell", folder / "boxes.toml", "--quiet", "--threads", "1"]),
            (f"`batch`, {PROGRAMS} programs in a library", ["batch", folder / "library", *arm, *results]),
        ]
        print("| command | " + " | ".join("processor s, clock s, MB" for _ in programs) + " |")
        print("|---" * (1 + len(programs)) + "|")
        for name, arguments in rows:
            costs = [[] for _ in programs]
            for _ in range(ROUNDS):
                for program, seen in zip(programs, costs):
                    seen.append(cost([program, *arguments]))
            middle = [[statistics.median(column) for column in zip(*seen)] for seen in costs]
            print(f"| {name} | " + " | ".join(f"{p:.2f}, {c:.2f}, {m:.0f}" for p, c, m in middle) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        make(Path(sys.argv[2]))
    else:
        main()
