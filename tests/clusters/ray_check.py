"""Verifies programs on all cores, or machines, of a Ray cluster: each worker keeps `clearance serve`, so it reads the cell once.

    python3 ray_check.py cell.pack programs/*.csv > answers.jsonl
"""

import json
import subprocess
import sys
import threading

import ray

# Programs that a worker is given at a time.
PIECE = 50


@ray.remote
class Verifier:
    def __init__(self, cell):
        command = ["clearance", "serve", "--stdin", "--cell", cell, "--threads", "1", "--quiet"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def check(self, programs):
        """One answer, a line of JSON, for each program: a dict with `file`, or with `joints`, `times` and `positions`."""

        def feed():
            for program in programs:
                self.process.stdin.write(json.dumps(program) + "\n")
            self.process.stdin.flush()

        # While answers are read: either side waits for the other one.
        feeder = threading.Thread(target=feed)
        feeder.start()
        answers = [self.process.stdout.readline() for _ in programs]
        feeder.join()
        if not all(answers):
            raise RuntimeError(f"clearance has ended with exit code {self.process.wait()}")
        return answers


def main(cell, files):
    ray.init(log_to_driver=False)
    workers = [Verifier.remote(cell) for _ in range(int(ray.cluster_resources()["CPU"]))]
    programs = [{"id": file, "file": file} for file in files]
    pieces = [programs[k : k + PIECE] for k in range(0, len(programs), PIECE)]
    pool = ray.util.ActorPool(workers)
    # In the order of the programs, whoever answers first.
    for answers in pool.map(lambda worker, piece: worker.check.remote(piece), pieces):
        for answer in answers:
            print(answer, end="")


main(sys.argv[1], sys.argv[2:])
