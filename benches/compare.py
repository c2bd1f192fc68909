#!/usr/bin/env python3
"""Runs `clearance` and a peer on the same trajectories in one run, in turns, and prints the ratios.

    benches/compare.py WORKLOADS PEER [NAME...] [--rounds N]

WORKLOADS  folder of workloads, each with cell.toml, trajectories/*.csv, truth.json, and flat/ for the peer
PEER       program that takes a workload and `--mode ca --lb 1 --brk 0.01` (guaranteed: conservative advancement on Coal's
           lower bounds) or `--mode dense --crit l2 --res R` (sampled), and prints JSON with `ms` and `hit` per trajectory
NAME       workloads; default: all in the folder

Both sides: one thread, models loaded, every trajectory once a run (cold), time of the thread. Of each trajectory the median
over the rounds counts. Sampled means what OMPL does unless told otherwise: a state for each 1 % of the extent of the
joint space, and no threshold.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent


def built():
    """The bench program."""
    command = ["cargo", "bench", "--bench", "reference", "--no-run", "--message-format=json"]
    lines = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    for message in map(json.loads, lines):
        if message.get("reason") == "compiler-artifact" and message["target"]["name"] == "reference":
            return message["executable"]
    sys.exit("cargo did not say where the bench is")


def run(command, accepted=(0,)):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode not in accepted:
        sys.exit(f"exit code {done.returncode}: {' '.join(map(str, command))}")
    return json.loads(done.stdout)


def ompl_step(folder):
    """1 % of the extent of the space of the joints that the programs move."""
    limits = {j["name"]: (j["lower"], j["upper"]) for j in json.loads((folder / "flat/model.json").read_text())["joints"]}
    with open(sorted((folder / "trajectories").glob("*.csv"))[0]) as file:
        moved = [name.strip() for name in file.readline().split(",")[1:]]
    return 0.01 * math.sqrt(sum((limits[name][1] - limits[name][0]) ** 2 for name in moved))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", type=pathlib.Path)
    parser.add_argument("peer", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    names = options.names or sorted(p.name for p in options.workloads.iterdir() if (p / "cell.toml").exists())
    ours = built()

    print("| workload | trajectories | clearance: median / mean ms | guaranteed peer | **peer / ours** | worst: peer / ours ms"
          " | sampled peer | sampled / ours | sampled misses |")
    print("|---|---|---|---|---|---|---|---|---|")
    failed = False
    for name in names:
        folder = options.workloads / name
        truth = json.loads((folder / "truth.json").read_text())
        touching = {key for key, known in truth.items() if "t_contact" in known}
        peers = {"guaranteed": ["--mode", "ca", "--lb", "1", "--brk", "0.01"],
                 "sampled": ["--mode", "dense", "--crit", "l2", "--res", ompl_step(folder)]}
        ms = {side: {} for side in ("ours", *peers)}
        hits = {side: set() for side in peers}
        for _ in range(options.rounds):
            # Exit code 1: an answer disagrees with the truth. It is reported below.
            for result in run([ours, "--json", "--repeats", 1, folder], (0, 1))[0]["results"]:
                ms["ours"].setdefault(result["id"], []).append(result["ms"])
                if result["agrees"] is False:
                    failed = True
                    print(f"{name} {result['id']}: {result['disagreement']}", file=sys.stderr)
            for side, flags in peers.items():
                for result in run([options.peer, folder, *flags])["results"]:
                    ms[side].setdefault(result["id"], []).append(result["ms"])
                    if result["hit"]:
                        hits[side].add(result["id"])
        typical = {side: [statistics.median(runs) for runs in by_id.values()] for side, by_id in ms.items()}
        median = {side: statistics.median(values) for side, values in typical.items()}
        mean = {side: statistics.mean(values) for side, values in typical.items()}
        worst = {side: max(values) for side, values in typical.items()}
        both = lambda side: f"{median[side]:.2f} / {mean[side]:.2f}"
        ratio = lambda side: f"{median[side] / median['ours']:.1f} / {mean[side] / mean['ours']:.1f}"
        print(f"| {name} | {len(truth)} | {both('ours')} | {both('guaranteed')} | **{ratio('guaranteed')}** "
              f"| {worst['guaranteed']:.1f} / {worst['ours']:.1f} | {both('sampled')} | {ratio('sampled')} "
              f"| {len(touching - hits['sampled'])} of {len(touching)} |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
