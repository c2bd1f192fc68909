#!/usr/bin/env python3
"""Memory and time of `clearance-recheck` on two large meshes: `recheck_memory.py CLEARANCE-RECHECK [TRIANGLES]`.

Two wavy sheets of half the triangles each (1,000,000 by default), one of them on a joint that slides 1 m past the other one in 64 segments. The
certificate is made here: time is halved down to each segment, and there one direction tells all triangles apart.
"""

import hashlib
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

METRE, VALUE, ONE = 1 << 40, 1 << 50, 1 << 60
SEGMENTS = 64


def sheet(body, z, triangles):
    """A line and a block of a geometry file: a square of 1 m with waves of 1 cm."""
    side = math.isqrt(triangles // 2)
    at = range(side + 1)
    waves = [round(0.01 * METRE * math.sin(k / 7)) for k in at]
    corners = [(METRE * i // side, METRE * k // side, z + waves[i] + waves[k]) for i in at for k in at]
    faces = []
    for i in range(side):
        for k in range(side):
            a, b = i * (side + 1) + k, (i + 1) * (side + 1) + k
            faces += [(a, b, a + 1), (b, b + 1, a + 1)]
    block = b"".join(struct.pack("<3q", *p) for p in corners) + b"".join(struct.pack("<3I", *f) for f in faces)
    block += bytes(-(-len(faces) // 8))  # none of them bounds what is solid
    return f"part {body} 0 {len(corners)} {len(faces)}\n".encode() + block, len(faces)


def number(x):
    x = x << 1 if x >= 0 else (-x << 1) - 1
    out = b""
    while x >= 128:
        out += bytes([x & 127 | 128])
        x >>= 7
    return out + bytes([x])


def make(file, asked):
    """Writes the certificate and its geometry file; says how many triangles there are."""
    low, count = sheet(0, 0, asked // 2)
    high, more = sheet(1, METRE // 10, asked // 2)
    head = f"clearance-geometry 2\njoint -1 slides {ONE} 0 0 0 0 0 0 {ONE} 0 0 slide\nbody -1 low\nbody 0 high\n"
    geometry = head.encode() + low + high + f"check 0 1 {METRE // 100}\nend\n".encode()
    step = VALUE // SEGMENTS
    motion = b"".join(number(METRE) + b"\x02" + number(0) + number(step) for _ in range(SEGMENTS))

    def walk(segments):
        # From the second body to the first: downwards.
        return b"\x00" + 2 * walk(segments // 2) if segments > 1 else b"\x04" + struct.pack(">3b", 0, 0, -127)

    proof = walk(SEGMENTS)
    file.with_suffix(".geometry").write_bytes(geometry)
    text = f"clearance-certificate 3\ngeometry {hashlib.sha256(geometry).hexdigest()} large.geometry\nmotion 0 {SEGMENTS}\n"
    file.write_bytes(text.encode() + motion + f"proof {len(proof)}\n".encode() + proof + b"end\n")
    return f"{count + more} triangles, geometry {len(geometry) / 1e6:.0f} MB"


def main():
    program, asked = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "large.cert"
        # By a process of its own: the memory of this one would count for the program that it starts.
        if os.fork() == 0:
            print(make(file, asked), flush=True)
            os._exit(0)
        os.wait()
        start = time.monotonic()
        started = subprocess.Popen([program, file], stdout=subprocess.PIPE, text=True)
        said = started.stdout.readline().strip()
        started.stdout.close()
        _, code, used = os.wait4(started.pid, 0)
        seconds = time.monotonic() - start
    print(f"{said}: {used.ru_maxrss / 1024:.0f} MB of memory, {seconds:.1f} s")
    return 0 if said == "valid" else 1


if __name__ == "__main__":
    sys.exit(main())
