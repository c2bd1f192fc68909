#!/usr/bin/env python3
"""Makes every mesh of the example robots and cells. Standard library only; the same bytes on every run.

    python3 robots/make_meshes.py

Shapes are lofts: a row of closed outlines, joined by bands of triangles and closed by a cap at each end. Each part is
a set of such closed shells, which may run into each other (as welded parts do). Lengths are metres; the scara's meshes
are written in millimetres, because many real ones are, and its URDF scales them.
"""

import math
import struct
from pathlib import Path

HERE = Path(__file__).parent


# --- outlines: lists of (u, v), counter-clockwise ---------------------------------------------------------------------


def squircle(width, height, power=2.0, n=24, at=(0.0, 0.0)):
    """A superellipse: power 2 is an ellipse, 6 nearly a rectangle with round corners."""
    points = []
    for i in range(n):
        c, s = math.cos(2 * math.pi * i / n), math.sin(2 * math.pi * i / n)
        u = math.copysign(abs(c) ** (2 / power), c) * width / 2
        v = math.copysign(abs(s) ** (2 / power), s) * height / 2
        points.append((u + at[0], v + at[1]))
    return points


def circle(radius, n=24, at=(0.0, 0.0)):
    return squircle(2 * radius, 2 * radius, 2.0, n, at)


def strap(r0, r1, length, n=24):
    """The hull of a circle of radius r0 around (0, 0) and one of radius r1 around (length, 0)."""
    lean = math.asin((r0 - r1) / length)
    start = math.pi / 2 - lean
    half = n // 2
    points = []
    for i in range(half):
        a = -start + 2 * start * i / (half - 1)
        points.append((length + r1 * math.cos(a), r1 * math.sin(a)))
    for i in range(half):
        a = start + (2 * math.pi - 2 * start) * i / (half - 1)
        points.append((r0 * math.cos(a), r0 * math.sin(a)))
    return points


# --- solids: lists of faces, each a list of points, counter-clockwise seen from outside --------------------------------

AXES = {
    "x": lambda u, v, w: (w, u, v),
    "y": lambda u, v, w: (v, w, u),
    "z": lambda u, v, w: (u, v, w),
}


def loft(sections, axis="z"):
    """Joins (w, outline) sections, w rising, all outlines with the same number of points."""
    place = AXES[axis]
    rings = [[place(u, v, w) for u, v in outline] for w, outline in sections]
    n = len(rings[0])
    faces = []
    for low, high in zip(rings, rings[1:]):
        for i in range(n):
            k = (i + 1) % n
            faces.append([low[i], low[k], high[k]])
            faces.append([low[i], high[k], high[i]])
    for ring, turned in ((rings[0], True), (rings[-1], False)):
        middle = tuple(sum(p[c] for p in ring) / n for c in range(3))
        for i in range(n):
            a, b = ring[i], ring[(i + 1) % n]
            faces.append([middle, b, a] if turned else [middle, a, b])
    return faces


def crosswise(outline):
    """The outline with u and v exchanged."""
    return [(v, u) for u, v in reversed(outline)]


def inset(outline, by):
    """The outline drawn in towards its middle."""
    mu = sum(p[0] for p in outline) / len(outline)
    mv = sum(p[1] for p in outline) / len(outline)
    size = max(math.hypot(u - mu, v - mv) for u, v in outline)
    k = (size - by) / size
    return [(mu + (u - mu) * k, mv + (v - mv) * k) for u, v in outline]


def rounded(outline, w0, w1, edge, axis="z", steps=3):
    """The outline drawn out from w0 to w1, with both rims rounded."""
    bends = [(edge * (1 - math.cos(a)), edge * (1 - math.sin(a))) for a in
             (math.pi / 2 * i / steps for i in range(steps + 1))]
    low = [(w0 + dw, inset(outline, di)) for dw, di in bends]
    high = [(w1 - dw, inset(outline, di)) for dw, di in reversed(bends)]
    return loft(low + high, axis)


def box(low, high):
    (x0, y0, z0), (x1, y1, z1) = low, high
    return [
        [(x0, y0, z0), (x0, y1, z0), (x1, y1, z0), (x1, y0, z0)],
        [(x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)],
        [(x0, y0, z0), (x1, y0, z0), (x1, y0, z1), (x0, y0, z1)],
        [(x1, y0, z0), (x1, y1, z0), (x1, y1, z1), (x1, y0, z1)],
        [(x1, y1, z0), (x0, y1, z0), (x0, y1, z1), (x1, y1, z1)],
        [(x0, y1, z0), (x0, y0, z0), (x0, y0, z1), (x0, y1, z1)],
    ]


def moved(faces, dx=0.0, dy=0.0, dz=0.0):
    return [[(x + dx, y + dy, z + dz) for x, y, z in face] for face in faces]


# --- files ------------------------------------------------------------------------------------------------------------


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def write_stl(path, faces, scale=1.0):
    triangles = []
    for face in faces:
        corners = [tuple(f32(c * scale) for c in p) for p in face]
        for i in range(1, len(corners) - 1):
            t = (corners[0], corners[i], corners[i + 1])
            if len(set(t)) == 3:
                triangles.append(t)
    with open(path, "wb") as out:
        out.write(b"made by robots/make_meshes.py".ljust(80, b"\0"))
        out.write(struct.pack("<I", len(triangles)))
        for a, b, c in triangles:
            u = [b[i] - a[i] for i in range(3)]
            v = [c[i] - a[i] for i in range(3)]
            n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            size = math.hypot(*n) or 1.0
            out.write(struct.pack("<12fH", *(x / size for x in n), *a, *b, *c, 0))
    print(f"{path.relative_to(HERE)}: {len(triangles)} triangles")


def write_obj(path, groups):
    """Groups of faces; boxes stay quads."""
    index, vertices, lines, count = {}, [], [], 0
    for name, faces in groups:
        lines.append(f"g {name}")
        for face in faces:
            ids = []
            for p in face:
                key = " ".join(f"{c:.6f}" for c in p)
                if key not in index:
                    vertices.append(f"v {key}")
                    index[key] = len(vertices)
                ids.append(str(index[key]))
            lines.append("f " + " ".join(ids))
            count += len(face) - 2
    text = "# made by robots/make_meshes.py\n" + "\n".join(vertices + lines) + "\n"
    path.write_text(text, encoding="ascii", newline="\n")
    print(f"{path.relative_to(HERE)}: {count} triangles")


# --- the six-axis arm: all link frames are parallel to the base at zero ------------------------------------------------


def arm6():
    out = HERE / "arm6" / "meshes"
    write_stl(out / "base.stl",
              rounded(squircle(0.19, 0.19, 6, 32), 0.0, 0.022, 0.004)
              + loft([(0.020, squircle(0.165, 0.165, 5, 32)), (0.045, squircle(0.155, 0.155, 4, 32)),
                      (0.100, squircle(0.144, 0.144, 3, 32)), (0.150, circle(0.070, 32)),
                      (0.160, circle(0.068, 32)), (0.164, circle(0.062, 32))])
              + rounded(squircle(0.07, 0.05, 5, 16, at=(0.0, 0.060)), -0.112, -0.060, 0.006, "x"))

    cheek = strap(0.064, 0.058, 0.070, 32)
    write_stl(out / "link_1.stl",
              loft([(0.166, circle(0.066, 32)), (0.172, circle(0.073, 32)), (0.190, circle(0.073, 32)),
                    (0.212, squircle(0.128, 0.178, 4, 32)), (0.222, squircle(0.110, 0.166, 4, 32))])
              + moved(rounded(cheek, 0.056, 0.090, 0.008, "y"), dz=0.220)
              + moved(rounded(cheek, -0.090, -0.056, 0.008, "y"), dz=0.220)
              + moved(rounded(circle(0.044, 28), 0.088, 0.112, 0.008, "y"), dz=0.290))

    write_stl(out / "link_2.stl",
              rounded(circle(0.060, 32), -0.053, 0.053, 0.004, "y")
              + loft([(0.020, squircle(0.100, 0.096, 4, 32)), (0.080, squircle(0.112, 0.100, 4, 32)),
                      (0.160, squircle(0.100, 0.088, 4, 32)), (0.230, squircle(0.082, 0.078, 4, 32)),
                      (0.250, squircle(0.070, 0.074, 4, 32))])
              + moved(rounded(circle(0.046, 32), -0.042, 0.042, 0.003, "y"), dz=0.270))

    cheek = strap(0.050, 0.046, 0.060, 32)
    write_stl(out / "link_3.stl",
              rounded(cheek, 0.046, 0.070, 0.006, "y")
              + rounded(cheek, -0.070, -0.046, 0.006, "y")
              + moved(loft([(-0.100, squircle(0.070, 0.050, 3, 32)), (-0.092, squircle(0.100, 0.074, 4, 32)),
                            (-0.060, squircle(0.124, 0.084, 4, 32)), (0.050, squircle(0.124, 0.084, 4, 32)),
                            (0.090, circle(0.048, 32)), (0.102, circle(0.046, 32))], "x"), dz=0.070))

    fork = crosswise(strap(0.036, 0.030, 0.102, 28))
    write_stl(out / "link_4.stl",
              loft([(0.104, circle(0.044, 28)), (0.110, circle(0.048, 28)), (0.150, circle(0.046, 28)),
                    (0.200, squircle(0.098, 0.078, 3, 28)), (0.222, squircle(0.096, 0.070, 4, 28)),
                    (0.230, squircle(0.086, 0.060, 4, 28))], "x")
              + moved(rounded(fork, 0.030, 0.048, 0.005, "y"), dx=0.200)
              + moved(rounded(fork, -0.048, -0.030, 0.005, "y"), dx=0.200))

    write_stl(out / "link_5.stl",
              rounded(circle(0.031, 28), -0.028, 0.028, 0.003, "y")
              + loft([(0.0, circle(0.027, 28)), (0.040, circle(0.027, 28)), (0.052, circle(0.025, 28)),
                      (0.056, circle(0.022, 28))], "x"))

    write_stl(out / "link_6.stl",
              loft([(-0.015, circle(0.022, 28)), (-0.013, circle(0.028, 28)), (-0.002, circle(0.028, 28)),
                    (0.0, circle(0.026, 28))], "x"))

    finger = [(0.066, squircle(0.012, 0.020, 6, 16)), (0.090, squircle(0.012, 0.016, 6, 16)),
              (0.136, squircle(0.008, 0.006, 6, 16)), (0.140, squircle(0.006, 0.004, 6, 16))]
    write_stl(out / "gripper.stl",
              rounded(circle(0.030, 28), 0.0, 0.012, 0.002)
              + rounded(squircle(0.084, 0.052, 5, 32), 0.010, 0.070, 0.006)
              + moved(loft(finger), dx=0.022) + moved(loft(finger), dx=-0.022))

    # The cell.
    write_stl(out / "table.stl",
              rounded(squircle(1.20, 1.20, 12, 32), -0.040, 0.0, 0.004)
              + sum((loft([(-0.80, circle(0.045, 12, at)), (-0.78, circle(0.030, 12, at)), (-0.038, circle(0.030, 12, at))])
                     for at in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))), []))
    write_stl(out / "fixture.stl",
              rounded(squircle(0.16, 0.12, 6, 24), 0.0, 0.015, 0.002)
              + moved(loft([(0.013, squircle(0.022, 0.080, 4, 24)), (0.050, squircle(0.020, 0.076, 4, 24)),
                            (0.070, squircle(0.014, 0.060, 4, 24))]), dx=-0.058)
              + moved(loft([(0.013, squircle(0.022, 0.080, 4, 24)), (0.050, squircle(0.020, 0.076, 4, 24)),
                            (0.070, squircle(0.014, 0.060, 4, 24))]), dx=0.058))
    write_obj(out / "bin.obj", [
        ("floor", box((-0.098, -0.073, 0.0), (0.098, 0.073, 0.003))),
        ("long_walls", box((-0.10, -0.075, 0.0), (0.10, -0.072, 0.06)) + box((-0.10, 0.072, 0.0), (0.10, 0.075, 0.06))),
        ("short_walls", box((-0.099, -0.074, 0.001), (-0.096, 0.074, 0.059))
         + box((0.096, -0.074, 0.001), (0.099, 0.074, 0.059))),
    ])
    posts, wires = [], []
    for x in (-0.75, 0.05, 0.85):
        posts += box((x - 0.02, -0.02, 0.0), (x + 0.02, 0.02, 2.0)) + box((x - 0.06, -0.05, 0.0), (x + 0.06, 0.05, 0.008))
    for x0, x1 in ((-0.73, 0.03), (0.07, 0.83)):
        z0, z1 = 0.15, 1.95
        for i in range(20):
            x = x0 + 0.002 + (x1 - x0 - 0.004) * i / 19
            wires += box((x - 0.002, -0.002, z0), (x + 0.002, 0.002, z1))
        for i in range(13):
            z = z0 + 0.002 + (z1 - z0 - 0.004) * i / 12
            wires += box((x0, -0.005, z - 0.002), (x1, -0.001, z + 0.002))
    write_obj(out / "fence.obj", [("posts", posts), ("wires", wires)])


# --- the scara: meshes in millimetres ---------------------------------------------------------------------------------


def scara():
    out = HERE / "scara" / "meshes"
    mm = 1000.0
    write_stl(out / "base.stl",
              rounded(squircle(0.28, 0.28, 10, 32), 0.0, 0.020, 0.003)
              + loft([(0.018, squircle(0.180, 0.180, 5, 32)), (0.040, squircle(0.150, 0.150, 4, 32)),
                      (0.240, squircle(0.140, 0.140, 3, 32)), (0.285, circle(0.072, 32)), (0.298, circle(0.068, 32))]), mm)
    write_stl(out / "link_1.stl",
              rounded(strap(0.075, 0.060, 0.325, 40), 0.0, 0.055, 0.010)
              + rounded(circle(0.055, 28), 0.050, 0.062, 0.004), mm)
    write_stl(out / "link_2.stl",
              rounded(strap(0.062, 0.050, 0.275, 40), 0.0, 0.060, 0.010)
              + rounded(strap(0.052, 0.044, 0.200, 32), 0.055, 0.150, 0.018)
              + moved(rounded(circle(0.024, 24), -0.018, 0.004, 0.003), dx=0.275), mm)
    write_stl(out / "quill.stl",
              loft([(0.0, circle(0.009, 20)), (0.002, circle(0.010, 20)), (0.330, circle(0.010, 20)),
                    (0.332, circle(0.009, 20))])
              + rounded(circle(0.016, 24), 0.318, 0.330, 0.002), mm)
    write_stl(out / "palm.stl",
              rounded(circle(0.022, 28), -0.012, 0.0, 0.002)
              + rounded(squircle(0.036, 0.070, 5, 32), -0.040, -0.010, 0.004), mm)
    write_stl(out / "finger.stl",
              loft([(-0.082, [(u, v + 0.003) for u, v in squircle(0.008, 0.006, 6, 16)]),
                    (-0.060, [(u, v + 0.004) for u, v in squircle(0.009, 0.008, 6, 16)]),
                    (-0.046, [(u, v + 0.006) for u, v in squircle(0.014, 0.012, 6, 16)]),
                    (-0.041, [(u, v + 0.006) for u, v in squircle(0.014, 0.012, 6, 16)])]), mm)

    # The cell. The nest is a block with a square hole of 10 mm, open upwards.
    write_stl(out / "table.stl",
              rounded(squircle(1.30, 1.10, 12, 32), -0.030, 0.0, 0.003)
              + sum((loft([(-0.75, circle(0.030, 12, at)), (-0.028, circle(0.030, 12, at))])
                     for at in ((-0.55, -0.45), (0.55, -0.45), (0.55, 0.45), (-0.55, 0.45))), []), mm)
    write_obj(out / "nest.obj", [
        ("foot", box((-0.050, -0.050, 0.0), (0.050, 0.050, 0.012))),
        ("block", box((-0.030, -0.030, 0.010), (-0.005, 0.030, 0.050)) + box((0.005, -0.030, 0.010), (0.030, 0.030, 0.050))
         + box((-0.006, -0.029, 0.010), (0.006, -0.005, 0.049)) + box((-0.006, 0.005, 0.010), (0.006, 0.029, 0.049))),
    ])
    pockets = []
    for i in range(4):
        y = -0.045 + 0.030 * i
        pockets += loft([(0.008, squircle(0.026, 0.022, 4, 20, (0.0, y))), (0.016, squircle(0.024, 0.020, 4, 20, (0.0, y)))])
    write_stl(out / "tray.stl", rounded(squircle(0.09, 0.15, 8, 32), 0.0, 0.010, 0.002) + pockets, mm)


if __name__ == "__main__":
    arm6()
    scara()
