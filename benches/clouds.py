#!/usr/bin/env python3
"""Point clouds: how long reading and building take, and how much memory, for a scanned room.

    benches/clouds.py target/release/clearance [POINTS]

The room is sampled at 2 mm (the more points, the larger it is), with noise of 0.3 mm, in the order of a scanner's lines; the radius is
2 mm. Time and peak memory are those of `clearance check` of one configuration; what an empty cell takes is taken away, and so is the
size of the file, which is read whole. Points are made by another process: what one has in memory when it starts a command counts as
the command's.
"""

import multiprocessing
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

ROBOT = """<robot name='r'><link name='base'/><link name='arm'><collision><geometry><box size='0.2 0.1 0.1'/></geometry></collision></link>
<joint name='turn' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/><limit lower='-3' upper='3' velocity='9' effort='1'/></joint></robot>
"""
CLOUD = "[[obstacle]]\nname = \"scan\"\ncloud = \"{file}\"\nradius = \"2mm\"\nunit = \"m\"\n"
FLOOR = "[[obstacle]]\nname = \"floor\"\nbox = [1, 1, 0.1]\npose = { xyz = [0, 0, -1] }\n"


def room(count):
    """Points on floor, ceiling and walls, 2 mm apart."""
    generator = np.random.default_rng(1)
    # A room of a by a by a/2 has 4 a² of surface.
    edge = (count * 4e-6 / 4) ** 0.5
    sides = [(2, -1.0, 0, 1, edge), (2, edge / 2 - 1.0, 0, 1, edge)]
    sides += [(axis, at, 1 - axis, 2, edge / 2) for axis in (0, 1) for at in (-edge / 2, edge / 2)]
    parts = []
    for axis, at, first, second, height in sides:
        u, v = np.meshgrid(np.arange(0, edge, 0.002), np.arange(0, height, 0.002), indexing="ij")
        points = np.empty((u.size, 3))
        points[:, first] = u.ravel() - edge / 2
        points[:, second] = v.ravel() - (1.0 if second == 2 else edge / 2)
        points[:, axis] = at
        parts.append(points)
    points = np.concatenate(parts)[:count]
    points += generator.uniform(-3e-4, 3e-4, points.shape)
    return points


def write_pcd(path, points):
    with open(path, "wb") as file:
        n = len(points)
        file.write(
            f"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {n}\nHEIGHT 1\n"
            f"VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\nDATA binary\n".encode()
        )
        file.write(points.astype("<f4").tobytes())


def write_las(path, points):
    header = bytearray(227)
    header[0:4] = b"LASF"
    header[24:26] = bytes([1, 2])
    struct.pack_into("<HII", header, 94, 227, 227, 0)
    struct.pack_into("<BHI", header, 104, 0, 20, len(points))
    struct.pack_into("<6d", header, 131, 1e-4, 1e-4, 1e-4, 0, 0, 0)
    records = np.zeros((len(points), 20), dtype=np.uint8)
    records[:, :12] = np.round(points * 1e4).astype("<i4").view(np.uint8).reshape(-1, 12)
    path.write_bytes(bytes(header) + records.tobytes())


def write_xyz(path, points):
    with open(path, "w") as file:
        for part in np.array_split(points, max(1, len(points) // 100_000)):
            file.write("".join(f"{x:.4f} {y:.4f} {z:.4f}\n" for x, y, z in part))


def made(write, path, count):
    write(path, room(count))


def run(command):
    """Seconds, peak bytes and standard output of a command, its exit code being 0 or 1."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read().decode()
    if child.returncode not in (0, 1):
        sys.exit(f"{command}: {child.returncode}\n{said}")
    return time.monotonic() - start, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime, said


def main(program, count="10000000"):
    program = os.path.abspath(program)
    count = int(count)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        os.chdir(work)
        (work / "r.urdf").write_text(ROBOT)
        (work / "p.csv").write_text("time,turn\n0,0\n")
        cell = lambda more: (work / "cell.toml").write_text("[[robot]]\nurdf = \"r.urdf\"\n" + more)
        command = [program, "check", "--cell", "cell.toml", "--no-cache", "p.csv"]
        cell(FLOOR)
        _, empty, *_ = run(command)
        print("| file | points | MB | seconds (CPU) | bytes of memory a point |")
        print("|---|---|---|---|---|")
        for name, write in [("scan.pcd", write_pcd), ("scan.las", write_las), ("scan.xyz", write_xyz)]:
            writer = multiprocessing.get_context("spawn").Process(target=made, args=(write, work / name, count))
            writer.start()
            writer.join()
            assert writer.exitcode == 0
            size = (work / name).stat().st_size
            cell(CLOUD.format(file=name))
            seconds, peak, cpu, said = run(command)
            if "unseen-space" not in said and "does not show" not in said:
                sys.exit(f"{name}: nothing is said of what is unseen:\n{said}")
            each = (peak - empty - size) / count
            print(f"| {name} | {count:,} | {size / 1e6:.0f} | {seconds:.1f} ({cpu:.1f}) | {each:.0f} |", flush=True)
            (work / name).unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
