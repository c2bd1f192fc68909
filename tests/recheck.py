#!/usr/bin/env python3
"""A second checker of certificates: `recheck.py CERTIFICATE...`, exit code 0 when all are valid, 1 otherwise, 2 without one.

It follows the lemmas in the head of crates/recheck/src/lib.rs, and shares no code with that checker. It is plain and slow:
Python's integers have no largest one, so nothing can overflow; places are kept to 2^-100 of a metre, so that the errors of
rounding, about 2^-80 altogether, are taken in by one allowance (ERROR) rather than carried along. Only roots and sines are
approximations. Lengths below are integers in units of 2^-100 m, rotations in units of 2^-100.
"""

import hashlib
import itertools
import math
import os
import re
import struct
import sys

BITS = 100
ONE = 1 << BITS
LENGTH = 1 << (BITS - 40)  # files have lengths in 2^-40 m
VALUE = 1 << (BITS - 50)  # and coefficients in 2^-50
FARTHEST, CHAIN, DEEPEST, FEW = 1 << 52, 128, 40, 12
END = 1 << 20  # no motion has so many segments
# Places: up to 128 joints, each adding some 2^-97 rad at up to 2^20 m, and as much again for what follows: below 2^-60 m.
ERROR = 1 << (BITS - 60)
# A body is where it was if no corner is so far from there: two nanometres.
STAYS = 2048 * LENGTH
# A piece that has a corner so far beside the box around another part needs no ray: about a micrometre, and no length that
# anybody chooses, so that all checkers ask for the same rays however exact they are.
BESIDE = 1_234_567 * LENGTH


class Invalid(Exception):
    pass


def demand(condition, why):
    if not condition:
        raise Invalid(why)


# Numbers


def root_up(square):
    root = math.isqrt(square)
    return root + (root * root < square)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def norm_up(v):
    return root_up(dot(v, v))


def up(product):
    """A product of two numbers, upwards."""
    return -(-product >> BITS)


def machin():
    """pi by Machin's formula: 16 atan(1/5) - 4 atan(1/239)."""
    one = 1 << (BITS + 40)

    def atan(inverse):
        term, total, k = one // inverse, 0, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= inverse * inverse
            k += 2
        return total

    return (16 * atan(5) - 4 * atan(239)) >> 40


PI = machin()


def cos_sin(angle):
    """By Taylor, after halving the angle until it is small, and doubling back."""
    angle %= 2 * PI
    halvings = 8
    x = angle << 16 >> halvings  # 16 bits more, for what doubling costs
    one = ONE << 16
    cosine = sine = 0
    term, k = one, 0
    while term:
        if k % 4 == 0:
            cosine += term
        elif k % 4 == 1:
            sine += term
        elif k % 4 == 2:
            cosine -= term
        else:
            sine -= term
        k += 1
        term = (term * x >> (BITS + 16)) // k
    for _ in range(halvings):
        cosine, sine = (cosine * cosine - sine * sine) // one, 2 * cosine * sine // one
    return cosine >> 16, sine >> 16


# Rigid motions: (rows, place)

STILL = (((ONE, 0, 0), (0, ONE, 0), (0, 0, ONE)), (0, 0, 0))


def columns(rows):
    return tuple(zip(*rows))


def turn(rows, v):
    return tuple(dot(row, v) >> BITS for row in rows)


def apply(pose, p):
    t = turn(pose[0], p)
    return tuple(t[k] + pose[1][k] for k in range(3))


def then(outer, inner):
    return columns([turn(outer[0], c) for c in columns(inner[0])]), apply(outer, inner[1])


def seen(frame, other):
    back = columns(frame[0])
    between = tuple(other[1][k] - frame[1][k] for k in range(3))
    return columns([turn(back, c) for c in columns(other[0])]), turn(back, between)


def from_quaternion(w, x, y, z):
    n = w * w + x * x + y * y + z * z
    demand(1 << 119 <= n <= 1 << 121, "not a rotation")
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    return tuple(tuple((e << BITS) // n for e in row) for row in rows)


def about(axis, angle):
    c, s = cos_sin(angle)
    x, y, z = axis
    skew = ((0, -z, y), (z, 0, -x), (-y, x, 0))
    return tuple(
        tuple(
            (c if i == k else 0) + (s * skew[i][k] >> BITS) + ((ONE - c) * (axis[i] * axis[k] >> BITS) >> BITS)
            for k in range(3)
        )
        for i in range(3)
    )


# Files


class Lines:
    def __init__(self, data):
        self.data, self.at = data, 0

    def line(self):
        end = self.data.find(b"\n", self.at)
        demand(end >= 0, "the file ends too early")
        text = self.data[self.at : end].decode()
        self.at = end + 1
        return text

    def take(self, count):
        demand(0 <= count <= len(self.data) - self.at, "the file ends too early")
        block = self.data[self.at : self.at + count]
        self.at += count
        return block

    def number(self):
        x = shift = 0
        while True:
            byte = self.take(1)[0]
            x |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return (x >> 1) ^ -(x & 1)
            demand(shift < 63, "a number too long")


def number(word):
    """A number of a text: digits, and a minus at most. Python's own reading takes more."""
    demand(re.fullmatch("0|-?[1-9][0-9]{0,18}", word) and -(1 << 63) <= int(word) < 1 << 63, f"no number: {word!r}")
    return int(word)


class Geometry:
    def __init__(self, data):
        lines = Lines(data)
        self.joints, self.chains, self.bodies, self.parts, self.pairs = [], [], [], [], []
        self.kinds, self.moves_with, self.off = [], [], {}
        self.spans = []  # of each body: its first segment, and the one after its last
        self.changes, self.during = [], (0, END)
        self.joint_names, self.body_names = set(), set()
        demand(lines.line() == "clearance-geometry 2", "no geometry file of this version")
        while True:
            line = lines.line()
            word, _, rest = line.partition(" ")
            if word == "end":
                demand(line == "end" and lines.at == len(data), "more after the end")
                break
            known = {
                "joint": self.joint,
                "off": self.set_off,
                "body": self.body,
                "change": self.change,
                "during": self.set_during,
                "check": self.check,
                "leave": self.leave,
            }
            known.get(word, lambda rest: demand(word in ("part", "note"), "no such line"))(rest)
            if word == "part":
                self.part(rest, lines)
        self.demand_all_pairs()

    def demand_all_pairs(self):
        """Each pair that is there with parts on two joints has lines that follow one another without a gap."""
        solid = sorted({part["body"] for part in self.parts})
        for old, new in self.changes:
            keys = ("radius", "indices", "solid")
            shapes = [[[p[key] for key in keys] for p in self.parts if p["body"] == body] for body in (old, new)]
            demand(shapes[0] == shapes[1], f"body {new} has other triangles than before")
        said, pairs = {}, self.pairs
        self.pairs = [(a, b, both(both(during, self.spans[a]), self.spans[b]), apart) for a, b, during, apart in pairs]
        for a, b, during, _ in self.pairs:
            demand(during is not None, "a pair that is never there")
            demand(a in solid and b in solid, "a pair of nothing")
            said.setdefault((a, b), []).append(during)
        for i, a in enumerate(solid):
            for b in solid[i + 1 :]:
                there = both(self.spans[a], self.spans[b])
                parts = sorted(said.pop((a, b), []), key=lambda part: part[0])
                if there is None or self.mover(a) == self.mover(b):
                    demand(not parts, f"bodies {a} and {b}: no pair")
                    continue
                at = there[0]
                for start, end in parts:
                    demand(start == at, f"bodies {a} and {b}: a gap, or said twice")
                    at = end
                demand(parts and at == there[1], f"bodies {a} and {b}: a pair that lacks")

    def joint(self, rest):
        words = rest.split(" ")
        name = " ".join(words[12:])
        demand(name not in self.joint_names, "two joints of one name")
        self.joint_names.add(name)
        parent, kind, numbers = number(words[0]), words[1], [number(w) for w in words[2:12]]
        demand(-1 <= parent < len(self.joints) and kind in ("turns", "slides", "stands") and len(numbers) == 10, "no joint")
        demand(all(abs(x) <= FARTHEST for x in numbers[4:7]), "too far")
        length = math.isqrt(dot(numbers[7:], numbers[7:]) << 2 * BITS)
        demand(1 << 119 <= dot(numbers[7:], numbers[7:]) <= 1 << 121, "no direction")
        axis = tuple((x << 2 * BITS) // length for x in numbers[7:])
        place = from_quaternion(*numbers[:4]), tuple(x * LENGTH for x in numbers[4:7])
        chain = (self.chains[parent] if parent >= 0 else []) + [len(self.joints)]
        demand(len(chain) <= CHAIN, "too many joints")
        self.chains.append(chain)
        before = self.moves_with[parent] if parent >= 0 else -1
        self.moves_with.append(before if kind == "stands" else len(self.joints))
        self.kinds.append(kind)
        self.joints.append((parent, kind != "turns", place, axis))

    def set_off(self, rest):
        joint, shift, angle = [number(word) for word in rest.split(" ")]
        demand(0 <= joint < len(self.joints) and joint not in self.off, "no joint, or twice")
        demand(0 <= shift <= FARTHEST and 0 <= angle <= FARTHEST and shift + angle > 0, "no error")
        demand(shift == 0 or self.kinds[joint] != "turns", "a joint that turns does not shift")
        self.off[joint] = shift * LENGTH, angle * LENGTH

    def mover(self, body):
        """The joint that moves a body; -1: none does."""
        return self.moves_with[self.bodies[body]] if self.bodies[body] >= 0 else -1

    def body(self, rest):
        joint, _, name = rest.partition(" ")
        joint = number(joint)
        demand(name not in self.body_names, "two bodies of one name")
        self.body_names.add(name)
        demand(-1 <= joint < len(self.joints), "no such joint")
        self.bodies.append(joint)
        self.spans.append((0, END))

    def change(self, rest):
        old, start, joint = [number(word) for word in rest.split(" ")]
        demand(0 <= old < len(self.bodies) and -1 <= joint < len(self.joints), "no such body or joint")
        first, end = self.spans[old]
        demand(end == END and first < start < END, "the body does not go on until then")
        self.spans[old] = first, start
        self.changes.append((old, len(self.bodies)))
        self.bodies.append(joint)
        self.spans.append((start, END))

    def set_during(self, rest):
        start, end = [number(word) for word in rest.split(" ")]
        demand(0 <= start < end <= END, "no segments, or too many")
        self.during = start, end

    def part(self, rest, lines):
        body, radius, corners, triangles = [number(w) for w in rest.split(" ")]
        demand(0 <= body < len(self.bodies) and 0 <= radius <= FARTHEST and corners >= 0 and triangles > 0, "no part")
        numbers = struct.unpack(f"<{3 * corners}q", lines.take(24 * corners))
        demand(all(abs(x) <= FARTHEST for x in numbers), "too far")
        indices = struct.unpack(f"<{3 * triangles}I", lines.take(12 * triangles))
        points = [tuple(x * LENGTH for x in numbers[k : k + 3]) for k in range(0, len(numbers), 3)]
        demand(all(k < corners for k in indices), "no such corner")
        faces = [[points[k] for k in indices[t : t + 3]] for t in range(0, len(indices), 3)]
        bits = int.from_bytes(lines.take(-(-triangles // 8)), "little")
        demand(bits >> triangles == 0, "a solid triangle that is not there")
        solid = [t for t in range(triangles) if bits >> t & 1]
        balance = {}
        for t in solid:
            a, b, c = indices[3 * t : 3 * t + 3]
            for edge in ((a, b), (b, c), (c, a)):
                low, high = sorted(edge)
                balance[low, high] = balance.get((low, high), 0) + (edge == (low, high)) - (edge == (high, low))
        demand(not any(balance.values()), "what is solid is not closed")
        joint = self.bodies[body]
        chain = self.chains[joint] if joint >= 0 else []
        part = {"body": body, "radius": radius * LENGTH, "faces": faces, "chain": chain, "boxes": {}, "indices": indices}
        part["solid"], part["pieces"] = solid, pieces(indices)
        self.parts.append(part)
        least, most = box(part, 0, len(faces))
        part["middle"] = tuple((l + m) // 2 for l, m in zip(least, most))

    def pair(self, rest):
        a, b, *more = rest.split(" ")
        a, b = number(a), number(b)
        demand(0 <= a < b < len(self.bodies), "no pair")
        demand(self.mover(a) != self.mover(b), "a pair that one joint moves")
        return a, b, self.during, more

    def check(self, rest):
        *pair, more = self.pair(rest)
        demand(len(more) == 1 and 0 <= number(more[0]) <= FARTHEST, "no distance")
        self.pairs.append((*pair, number(more[0]) * LENGTH))

    def leave(self, rest):
        *pair, _ = self.pair(rest)
        self.pairs.append((*pair, None))


def pieces(indices):
    """Of each triangle, the first one of those that hang together with it by corners: the lowest number spreads."""
    of_corner, piece = {}, [-1] * (len(indices) // 3)
    for t in range(len(piece)):
        for k in indices[3 * t : 3 * t + 3]:
            of_corner.setdefault(k, []).append(t)
    for first in range(len(piece)):
        open_ = [first] if piece[first] < 0 else []
        while open_:
            t = open_.pop()
            if piece[t] < 0:
                piece[t] = first
                open_ += [u for k in indices[3 * t : 3 * t + 3] for u in of_corner[k]]
    return piece


def both(a, b):
    """The segments that are in two ranges, if there are any."""
    if a is None or b is None:
        return None
    start, end = max(a[0], b[0]), min(a[1], b[1])
    return (start, end) if start < end else None


def common(chain, other):
    """How many joints two chains have in common: they begin with these."""
    return sum(x == y for x, y in zip(chain, other))


def box(part, start, end):
    """Of the triangles from start to before end: least and greatest coordinates."""
    known = part["boxes"].get((start, end))
    if known is None:
        points = [p for face in part["faces"][start:end] for p in face]
        known = tuple(min(p[k] for p in points) for k in range(3)), tuple(max(p[k] for p in points) for k in range(3))
        part["boxes"][start, end] = known
    return known


class Motion(list):
    """Of each segment, six coefficients of each joint; `off` is how far each value may be off them."""

    def __init__(self):
        self.off = []


def read_motion(lines, segments, kinds):
    motion, end = Motion(), [0] * len(kinds)
    for index in range(segments):
        demand(lines.number() >= 0, "less than no time")
        polynomials, off = [], []
        for j, kind in enumerate(kinds):
            c = [end[j], 0, 0, 0, 0, 0]
            off.append(0)
            if kind == "stands":
                polynomials.append(c)
                continue
            count, more = lines.take(1)[0], False
            if count >= 8:
                count, more = count - 8, True
            demand(count <= 6, "more than 6 coefficients")
            for k in range(count):
                c[k] = lines.number() + (end[j] if k == 0 else 0)
            demand(index == 0 or c[0] == end[j], "a jump")
            demand(sum(abs(x) for x in c) <= 1 << 62, "too far")
            end[j] = sum(c)
            polynomials.append(c)
            if more:
                off[j] = lines.number() * LENGTH
                demand(0 <= off[j] <= FARTHEST * LENGTH, "no error")
        motion.append(polynomials)
        motion.off.append(off)
    return motion


# Lemma 1


def bernstein(c):
    """Ten times the coefficients, exactly; as integers with room for 40 halvings of 5 bits each (see `halves`)."""
    tenths = (10, 2, 1, 1, 2, 10)
    return [sum(math.comb(i, k) * tenths[k] * c[k] for k in range(i + 1)) for i in range(6)]


def halves(b):
    """Of both halves, times 32: exactly."""
    rows = [b]
    while len(rows[-1]) > 1:
        rows.append([x + y for x, y in zip(rows[-1], rows[-1][1:])])
    return [rows[k][0] << (5 - k) for k in range(6)], [rows[5 - k][-1] << k for k in range(6)]


class Span:
    """A stretch of segments (`depth` None), or an interval of one."""

    def __init__(self, cell, motion, first, end, depth=None, curves=None, start=None):
        self.cell, self.motion, self.first, self.end = cell, motion, first, end
        self.start = first << DEEPEST if start is None else start  # in 2^-40 of a segment
        self.distances = {}
        joints = range(len(cell.joints))
        self.off = [max(off[j] for off in motion.off[first:end]) for j in joints]
        if end - first == 1:
            self.depth = depth or 0
            self.curves = curves or [bernstein(motion[first][j]) for j in joints]
            self.scale = 10 << 5 * self.depth  # of the curves, in units of 2^-50

            def value(x):
                return x * VALUE // self.scale

            self.ends = [self.places([value(b[k]) for b in self.curves]) for k in (0, 5)]
            self.speed = [-value(-5 * max(abs(y - x) for x, y in zip(b, b[1:]))) for b in self.curves]
            second = [[x - 2 * y + z for x, y, z in zip(b, b[1:], b[2:])] for b in self.curves]
            self.accel = [-value(-20 * max(map(abs, s))) for s in second]
        else:
            self.depth = None
            all_of = [[x for s in motion[first:end] for x in bernstein(s[j])] for j in joints]
            least, most = [min(x) for x in all_of], [max(x) for x in all_of]
            self.ends = [self.places([(l + m) * VALUE // 20 for l, m in zip(least, most)])]
            # A unit for each of the values' roundings.
            self.speed = [-((l - m) * VALUE // 20) + (l != m) for l, m in zip(least, most)]

    def places(self, values):
        places = []
        for (parent, slides, place, axis), q in zip(self.cell.joints, values):
            if slides:
                moved = then(place, (STILL[0], tuple(q * a >> BITS for a in axis)))
            else:
                moved = then(place, (about(axis, q), (0, 0, 0)))
            places.append(then(places[parent], moved) if parent >= 0 else moved)
        return places

    def halve(self):
        if self.end - self.first > 1:
            middle = self.first + (self.end - self.first) // 2
            return [Span(self.cell, self.motion, *part) for part in ((self.first, middle), (middle, self.end))]
        demand(self.depth < DEEPEST, "halved too often")
        both = [halves(b) for b in self.curves]
        starts = self.start, self.start + (1 << (DEEPEST - self.depth - 1))
        return [
            Span(self.cell, self.motion, self.first, self.end, self.depth + 1, [h[k] for h in both], starts[k])
            for k in (0, 1)
        ]

    def axis_distances(self, index, point=None):
        """Lemma 2, for a point of a part or for its middle; of frames, distances from their origins."""
        part = self.cell.parts[index]
        key = index, point or part["middle"]
        if key not in self.distances:
            chain, beyond, found = part["chain"], 0, {}
            for j in reversed(chain):
                slides, total = self.cell.joints[j][1], beyond
                for places in self.ends:
                    place, frame = apply(places[chain[-1]], key[1]), places[j]
                    arm = tuple(place[k] - frame[1][k] for k in range(3))
                    if not slides:
                        axis = turn(frame[0], self.cell.joints[j][3])
                        along = dot(axis, arm) >> BITS
                        arm = tuple(arm[k] - (along * axis[k] >> BITS) for k in range(3))
                    total += norm_up(arm) + ERROR
                found[j] = -(-total // len(self.ends))
                beyond += up(self.speed[j] * (ONE if slides else found[j]))
            self.distances[key] = found
        return self.distances[key]

    def chord_bound(self, index, shared, distance):
        """Lemmas 3 and 4, for points within this distance of the middle of a part."""
        first = second = turned = 0
        known = self.axis_distances(index)
        for j in self.cell.parts[index]["chain"][shared:]:
            slides, v = self.cell.joints[j][1], self.speed[j]
            arm = ONE if slides else known[j] + distance
            first += up(v * arm)
            if self.depth is not None:
                weight = self.accel[j] + up(v * ((0 if slides else v) + 2 * turned))
                second += up(weight * arm)
            turned += 0 if slides else v
        if self.depth is None:
            return first
        return min(-(-first // 2), -(-second // 8))


    def errors(self, index, shared, point=None, end=None):
        """Lemma 9: a bound for a point of a part or its middle, and by how much it grows for each metre from there. Of the
        joints from `shared` to `end` of its chain."""
        base = slope = 0
        known = self.axis_distances(index, point)
        for j in self.cell.parts[index]["chain"][shared:end]:
            shift, angle = self.cell.off.get(j, (0, 0))
            if self.cell.joints[j][1]:
                shift += self.off[j]
            else:
                angle += self.off[j]
            base += shift + up(angle * known[j])
            slope += angle
        return base, slope


def places_at(cell, motion, instant):
    """Places of all joints at an instant in 2^-40 of a segment, each value from its polynomial."""
    segment = min(instant >> 40, len(motion) - 1)
    share = instant - (segment << 40)
    demand(0 <= share <= 1 << 40, "no such instant")
    span = Span(cell, motion, segment, segment + 1)
    values = []
    for c in motion[segment]:
        exact = sum(x * share**k << 40 * (5 - k) for k, x in enumerate(c))  # times 2^200
        values.append(exact * VALUE >> 200)
    return span.places(values)


# Lemma 7


def meet(walk, contact):
    """Whether two points are at most a nanometre farther apart than stated."""
    time, points = contact[1], (contact[2:6], contact[6:10])
    pair = [p for p in walk.pairs if list(p[:2]) == [point[0] for point in points]]
    # At the end of a segment and the start of the next one, either.
    pair = [p for p in pair if p[4][0] << 40 <= time <= p[4][1] << 40]
    demand(pair, "the contact is one of no pair")
    places = places_at(walk.cell, walk.motion, time)
    found = []
    for index, triangle, u, v in points:
        part = walk.cell.parts[index]
        demand(0 <= triangle < len(part["faces"]), "no such triangle")
        weights = u, v, (1 << 40) - u - v
        demand(min(weights) >= 0, "a point outside its triangle")
        corners = part["faces"][triangle]
        point = tuple(sum(w * c[k] for w, c in zip(weights, corners)) >> 40 for k in range(3))
        found.append(apply(places[part["chain"][-1]], point) if part["chain"] else point)
    between = tuple(x - y for x, y in zip(*found))
    return norm_up(between) + 4 * ERROR <= pair[0][2] + (ONE >> 30)


def handed_over(cell, motion):
    """Of each body that is handed over: how far its corners are at most from where they were, and how much of that is what
    joints may be off then beyond what the body's own frame may be (lemma 9)."""
    for old, new in cell.changes:
        start, own = cell.spans[new][0], cell.bodies[new]
        span = Span(cell, motion, start, start + 1)
        span.ends, span.speed = span.ends[:1], [0] * len(span.speed)
        moving = [chain for chain, kind in zip(cell.chains, cell.kinds) if kind != "stands"]
        covers = own >= 0 and not any(own in chain for chain in moving)
        shift, angle = cell.off.get(own, (0, 0)) if covers else (0, 0)
        most = uncovered = 0
        before, after = ([k for k, p in enumerate(cell.parts) if p["body"] == body] for body in (old, new))
        for both_parts in zip(before, after):
            parts = [cell.parts[k] for k in both_parts]
            counted = parts[0]["chain"], parts[1]["chain"][:-1] if covers else parts[1]["chain"]
            shared = common(*counted)
            for corners in set(zip(*([c for face in part["faces"] for c in face] for part in parts))):
                at = [apply(span.ends[0][p["chain"][-1]], c) if p["chain"] else c for p, c in zip(parts, corners)]
                most = max(most, norm_up(minus(*at)))
                if cell.off or any(span.off):
                    off = sum(span.errors(k, shared, c, len(x))[0] for k, c, x in zip(both_parts, corners, counted))
                    uncovered = max(uncovered, off - shift - (angle * (norm_up(corners[1]) - 1) >> BITS))
        yield old, new, most, uncovered


# Lemma 8


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def goes_round(part, point, along):
    """How often the solid triangles of a part go round a point that is off by ERROR, along a ray; None: it is too near to an edge."""
    slack, turns = ERROR * norm_up(along), 0
    planes = [cross(along, axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    for t in part["solid"]:
        p, q, r = (minus(corner, point) for corner in part["faces"][t])
        if all(dot(along, x) < -slack for x in (p, q, r)):
            continue
        # All corners of the box around it on one side of a plane through the line: the line does not meet it.
        around = [(x, y, z) for x, y, z in itertools.product(*zip(p, q, r))]
        if any(all(s * dot(n, x) < -slack for x in around) for n in planes for s in (1, -1)):
            continue
        sides = [
            (volume > error) - (volume < -error)
            for x, y in ((p, q), (q, r), (r, p))
            for volume, error in [(dot(along, cross(x, y)), slack * norm_up(minus(x, y)))]
        ]
        if 1 in sides and -1 in sides:
            continue
        normal = cross(minus(q, p), minus(r, p))
        height = dot(normal, p)
        if 0 in sides or abs(height) <= ERROR * norm_up(normal):
            return None
        turns += sides[0] if (height > 0) == (sides[0] > 0) else 0
    return turns


def demand_none_inside(walk):
    """Of each pair of parts that was not told apart whole, as it begins to be checked, both ways."""
    cell = walk.cell
    for number, (i, k, _, _, during) in enumerate(walk.pairs):
        start = during[0] << DEEPEST
        if number in walk.parted or start >= walk.until:
            continue
        places = places_at(cell, walk.motion, start)
        for inner, outer in ((cell.parts[i], cell.parts[k]), (cell.parts[k], cell.parts[i])):
            if not outer["solid"]:
                continue
            at = [places[part["chain"][-1]] if part["chain"] else STILL for part in (inner, outer)]
            pose = seen(at[1], at[0])
            corners = [apply(pose, face[0]) for face in inner["faces"]]
            least, most = box(outer, 0, len(outer["faces"]))
            outside = {
                piece
                for piece, p in zip(inner["pieces"], corners)
                if any(p[k] < least[k] - BESIDE or p[k] > most[k] + BESIDE for k in range(3))
            }
            for piece in sorted(set(inner["pieces"]) - outside):
                along = struct.unpack(">3b", walk.take(3))
                turns = goes_round(outer, corners[piece], along)
                demand(turns == 0, f"triangle {piece} of body {inner['body']} is not outside body {outer['body']}")


# Lemmas 5 and 6


class Walk:
    def __init__(self, cell, motion, proof, contact=None):
        self.cell, self.motion, self.proof, self.at, self.cells = cell, motion, proof, 0, 0
        self.until, self.contact = len(motion) << DEEPEST, contact
        demand(all(start < len(motion) for start, _ in cell.spans), "a geometry file of a longer motion")
        self.pairs = []
        for a, b, during, apart in cell.pairs:
            demand(during[0] < len(motion), "a geometry file of a longer motion")
            for i, p in enumerate(cell.parts):
                for k, q in enumerate(cell.parts):
                    if apart is not None and p["body"] == a and q["body"] == b:
                        shared = common(p["chain"], q["chain"])
                        self.pairs.append((i, k, apart + p["radius"] + q["radius"], shared, during))
        demand(self.pairs, "no pair is checked")
        self.same, self.parted = [None] * len(self.pairs), set()

    def take(self, count):
        demand(self.at + count <= len(self.proof), "the proof ends too early")
        self.at += count
        return self.proof[self.at - count : self.at]

    def run(self):
        demand(0 < len(self.motion) < END, "no motion, or too long a one")
        everything = [
            (n, (0, len(self.cell.parts[i]["faces"])), (0, len(self.cell.parts[k]["faces"])))
            for n, (i, k, *_) in enumerate(self.pairs)
        ]
        self.handed_over = list(handed_over(self.cell, self.motion))
        for _, new, _, uncovered in self.handed_over:
            demand(uncovered < STAYS, f"body {new} is handed over while joints may be off")
        if self.contact:
            self.until = self.contact[0]
            demand(0 <= self.until <= self.contact[1] and meet(self, self.contact), "the contact is not shown")
        begun = -(-self.until >> DEEPEST)
        if begun:
            self.visit(Span(self.cell, self.motion, 0, begun), everything)
        demand_none_inside(self)
        demand(self.at == len(self.proof), "the proof goes on")

    def visit(self, span, rectangles):
        later = []
        for rectangle in rectangles:
            if both(self.pairs[rectangle[0]][4], (span.first, span.end)) is None:
                continue
            stack = [rectangle]
            while stack:
                n, a, b = stack.pop()
                code = self.take(1)[0]
                if code == 0:
                    later.append((n, a, b))
                elif code in (1, 2):
                    start, end = a if code == 1 else b
                    middle = start + (end - start) // 2
                    demand(middle > start, "one triangle is not halved")
                    for half in ((start, middle), (middle, end)):
                        stack.append((n, half, b) if code == 1 else (n, a, half))
                else:
                    demand(self.apart(span, n, a, b, code), f"cell {self.cells}: parts {self.pairs[n][:2]} {a} {b}")
                    self.cells += 1
                    if (a[1] - a[0], b[1] - b[0]) == tuple(len(self.cell.parts[p]["faces"]) for p in self.pairs[n][:2]):
                        self.parted.add(n)
        if later:
            for half in span.halve():
                if half.start < self.until:
                    self.visit(half, later)

    def apart(self, span, n, a, b, code):
        i, k, apart, shared, _ = self.pairs[n]
        parts = self.cell.parts[i], self.cell.parts[k]
        boxes = box(parts[0], *a), box(parts[1], *b)
        ends = []
        for places in span.ends:
            poses = []
            for part in parts:
                chain = part["chain"]
                if len(chain) == shared:
                    poses.append(STILL)
                elif shared == 0:
                    poses.append(places[chain[-1]])
                else:
                    poses.append(seen(places[chain[shared - 1]], places[chain[-1]]))
            ends.append(poses)
        if code == 3:
            direction = self.same[n]
        elif code in (4, 5, 6):
            direction = struct.unpack((">3b", ">3h", ">3i")[code - 4], self.take(3 << code - 4))
            direction = [x << BITS for x in direction]
        else:
            raise Invalid("no such operation")
        if direction is None or not any(direction):
            return False
        need = apart + 4 * ERROR
        length = norm_up(direction)
        groups = []  # of each side points, and how far errors take each of them along the direction
        for side, index in enumerate((i, k)):
            least, most = boxes[side]
            middle = parts[side]["middle"]
            far = norm_up([max(abs(l - m), abs(h - m)) for l, h, m in zip(least, most, middle)])
            start, end = (a, b)[side]
            base, slope = span.errors(index, shared)
            if end - start <= FEW:
                points = [p for face in parts[side]["faces"][start:end] for p in face]
                # Either bounds how far this corner gets, and all of a triangle moves with its corners: the lesser of them.
                most = base + up(slope * far)
                off = [min(span.errors(index, shared, p)[0], most) if slope else base for p in points]
            else:
                points = [(x, y, z) for x in (least[0], most[0]) for y in (least[1], most[1]) for z in (least[2], most[2])]
                off = [base + up(slope * far)] * 8
            groups.append([(p, length * x) for p, x in zip(points, off)])
            need += span.chord_bound(index, shared, far) + ERROR
        for poses in ends:
            low = min(dot(direction, apply(poses[0], p)) - off for p, off in groups[0])
            high = max(dot(direction, apply(poses[1], p)) + off for p, off in groups[1])
            if low - high <= length * need:
                return False
        self.same[n] = direction
        return True


def check(file):
    with open(file, "rb") as handle:
        lines = Lines(handle.read())
    demand(lines.line() == "clearance-certificate 3", "no certificate of this version")
    cell, motion, proof, contact = None, None, b"", None
    while True:
        line = lines.line()
        word, _, rest = line.partition(" ")
        if word == "geometry":
            demand(cell is None and motion is None, "two geometry files")
            digest, _, name = rest.partition(" ")
            demand(os.path.basename(name) == name, "no file beside it")
            with open(os.path.join(os.path.dirname(file), name), "rb") as handle:
                data = handle.read()
            demand(hashlib.sha256(data).hexdigest() == digest, "another geometry file")
            cell = Geometry(data)
        elif word == "motion":
            demand(cell is not None and motion is None, "a motion of nothing, or two")
            _, segments = [number(w) for w in rest.split(" ")]
            motion = read_motion(lines, segments, cell.kinds)
        elif word == "contact":
            demand(contact is None, "two contacts")
            contact = [number(w) for w in rest.split(" ")]
            demand(len(contact) == 10, "no contact")
        elif word == "proof":
            demand(not proof, "two proofs")
            proof = lines.take(number(rest))
        elif word == "end":
            demand(line == "end" and lines.at == len(lines.data) and motion is not None, "more after the end, or no motion")
            break
        else:
            demand(word == "note", "no such line")
    demand(contact is None or not cell.off and not any(map(any, motion.off)), "a contact, and something may be off")
    walk = Walk(cell, motion, proof, contact)
    walk.run()
    return walk


def main():
    code = 0
    if len(sys.argv) < 2:
        print("usage: recheck.py CERTIFICATE...", file=sys.stderr)
        return 2
    for file in sys.argv[1:]:
        try:
            walk = check(file)
            until = f", free until {walk.until}/2^40 of a segment, then a contact" if walk.contact else ""
            handed = [
                f"; body {new} was {old}, moved by {(most + uncovered) / ONE:.1e} m" for old, new, most, uncovered in walk.handed_over
            ]
            print(f"{file}: valid, {walk.cells} cells, {len(walk.pairs)} pairs of parts{until}{''.join(handed)}")
        except (Invalid, ValueError, IndexError, OSError, struct.error) as error:
            print(f"{file}: invalid: {error}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
