#!/usr/bin/env python3
"""Verifies very many programs from one Parquet table, and compares the rate with that of the engine alone.

    pip install pyarrow
    cargo build --release
    benches/parquet_batch.py target/release/clearance FOLDER [COUNT] [THREADS]

The table has COUNT programs (1,000,000) of the kind that benches/make_batch.py makes, in zstd. `batch` verifies them with
results and a text report. The engine's own rate is what the same threads would make if they did nothing but the checks: the
sum of the seconds that checks took by their own clocks (`--timings`), over the threads. It is taken from the first 10,000
programs, run before and after.

A check's clock goes on while other work has the core: on a busy machine the engine seems slower than it is, so compare on a calm
one. Prints both rates and the peak memory.
"""

import json
import multiprocessing
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from make_batch import JOINTS, cycle, timed

CELL = Path(__file__).resolve().parents[1] / "robots/arm6/cell.toml"
GROUP = 20_000
DIFFERENT = 50_000


def write(file, count):
    """Beyond DIFFERENT programs they come again, under other ids: making them takes longer than checking them."""
    rng = random.Random(1)
    made = []
    schema = pa.schema([("program", pa.int64()), ("time", pa.float64()), *((j, pa.float64()) for j in JOINTS)])
    with pq.ParquetWriter(file, schema, compression="zstd") as out:
        for start in range(0, count, GROUP):
            columns = [[] for _ in schema]
            for program in range(start, min(count, start + GROUP)):
                if len(made) < DIFFERENT:
                    made.append(cycle(rng))
                points = made[program % DIFFERENT]
                for moment, point in zip(timed(points), points):
                    for column, value in zip(columns, [program, moment, *point]):
                        column.append(value)
            out.write_table(pa.table(columns, schema=schema))


def run(command, file, results, threads, *more):
    start = time.monotonic()
    process = subprocess.Popen(
        [command, "batch", "--cell", CELL, file, "--results", results, "--threads", str(threads), "--quiet",
         "--report", "text=/dev/null", *more]
    )
    _, status, used = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 1), code
    return time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def engine(command, small, results, count, threads):
    """Programs a second that the checks alone would make."""
    run(command, small, results, threads, "--timings")
    seconds = 0.0
    with open(results) as lines:
        for line in lines:
            seconds += json.loads(line).get("statistics", {}).get("check_seconds", 0.0)
    return count * threads / seconds


def main(command, folder, count=1_000_000, threads=2):
    folder, count, threads = Path(folder), int(count), int(threads)
    folder.mkdir(parents=True, exist_ok=True)
    table, small = folder / f"{count}.parquet", folder / "small.parquet"
    few = min(count, 10_000)
    for file, size in [(table, count), (small, few)]:
        if not file.exists():
            # By another process: what one has in memory when it starts a command counts as the command's.
            writer = multiprocessing.get_context("spawn").Process(target=write, args=(file, size))
            writer.start()
            writer.join()
            assert writer.exitcode == 0
    results = folder / "results.jsonl"
    before = engine(command, small, results, few, threads)
    clock, cpu, memory = run(command, table, results, threads)
    after = engine(command, small, results, few, threads)
    own = (before + after) / 2
    print(f"{count} programs from {table.name} ({table.stat().st_size / 1e6:.0f} MB), {threads} threads")
    print(f"engine alone: {before:.0f} programs/s before, {after:.0f} after")
    print(f"batch: {clock:.1f} s on the clock, {count / clock:.0f} programs/s")
    print(f"processor time: {cpu:.1f} s, {threads * count / cpu:.0f} programs/s, {100 * threads * count / cpu / own:.0f} % of the engine")
    print(f"peak memory: {memory:.0f} MB")


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
