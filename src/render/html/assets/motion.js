// Where everything is at an instant. A pose is twelve numbers: a rotation by rows, then a translation; metres.

const IDENTITY = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);

/** From a translation and a unit quaternion x, y, z, w. */
function poseOf([t, [x, y, z, w]]) {
  return Float64Array.of(
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    t[0], t[1], t[2],
  );
}

/** `a` after `b`: maps what `b` maps into, one frame further out. */
function compose(a, b) {
  const out = new Float64Array(12);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
    }
    out[9 + r] = a[3 * r] * b[9] + a[3 * r + 1] * b[10] + a[3 * r + 2] * b[11] + a[9 + r];
  }
  return out;
}

const apply = (m, p) => [0, 3, 6].map((r, i) => m[r] * p[0] + m[r + 1] * p[1] + m[r + 2] * p[2] + m[9 + i]);

/** The image of a world point in the frame of a pose. */
function unapply(m, p) {
  const d = [p[0] - m[9], p[1] - m[10], p[2] - m[11]];
  return [0, 1, 2].map((c) => m[c] * d[0] + m[3 + c] * d[1] + m[6 + c] * d[2]);
}

/** Direction of the world in the frame of a pose. */
const unturn = (m, d) => [0, 1, 2].map((c) => m[c] * d[0] + m[3 + c] * d[1] + m[6 + c] * d[2]);

function turn([x, y, z], angle) {
  const s = Math.sin(angle), c = Math.cos(angle), k = 1 - c;
  return Float64Array.of(
    c + k * x * x, k * x * y - s * z, k * x * z + s * y,
    k * x * y + s * z, c + k * y * y, k * y * z - s * x,
    k * x * z - s * y, k * y * z + s * x, c + k * z * z,
    0, 0, 0,
  );
}

const slide = ([x, y, z], length) => Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, x * length, y * length, z * length);

/** The cell's joints and bodies. */
class Model {
  constructor(data) {
    this.robots = data.robots;
    this.joints = data.joints.map((j) => ({ ...j, pose: poseOf(j.pose) }));
    this.bodies = data.bodies.map((b) => ({ ...b, pose: poseOf(b.pose) }));
    this.cellPairs = data.pairs;
    this.excluded = data.excluded;
    this.standingPairs = data.standing_pairs ?? 0;
    this.tools = data.tools;
    this.play([], null);
  }

  /** Takes what events of a program make of the cell: what is elsewhere from when on, and which pairs are checked at some time. */
  play(phases, pairs) {
    this.pairs = (pairs ?? this.cellPairs).map(([a, b, requiredClearance]) => ({ a, b, requiredClearance }));
    this.phases = phases.map(({ start, places }) => ({ start, places: new Map(places.map(([body, joint, pose]) => [body, { joint, pose: poseOf(pose) }])) }));
  }

  /** Where a body hangs at a time. */
  place(body, time) {
    const phase = this.phases.findLast(({ start }) => start <= time) ?? this.phases[0];
    return phase?.places.get(body) ?? this.bodies[body];
  }

  /** Whether a joint carries a body at some time. */
  moves(body) {
    return this.bodies[body].joint !== null || this.phases.some(({ places }) => (places.get(body)?.joint ?? null) !== null);
  }

  /** World pose of every joint's moving frame. */
  joined(q) {
    const world = [];
    this.joints.forEach((joint, j) => {
      const moved = joint.slides ? slide(joint.axis, q[j]) : turn(joint.axis, q[j]);
      const parent = joint.parent === null ? joint.pose : compose(world[joint.parent], joint.pose);
      world.push(compose(parent, moved));
    });
    return world;
  }

  /** World pose of every body. */
  poses(q, time) {
    const world = this.joined(q);
    return this.bodies.map((_, b) => {
      const { joint, pose } = this.place(b, time);
      return joint === null ? pose : compose(world[joint], pose);
    });
  }

  pairName(pair) {
    const { a, b } = this.pairs[pair];
    return `${this.bodies[a].name} – ${this.bodies[b].name}`;
  }

  /** Index of a checked pair by the names of its bodies, or −1. */
  pairNamed(a, b) {
    return this.pairs.findIndex((p) => this.bodies[p.a].name === a && this.bodies[p.b].name === b);
  }

  body(name) {
    return this.bodies.findIndex((b) => b.name === name);
  }
}

/** Joint values over time. */
class Motion {
  constructor(data) {
    this.starts = doubles(data.starts);
    this.ends = doubles(data.ends);
    this.start = this.starts[0] ?? 0;
    this.end = data.end;
    this.waypoints = doubles(data.waypoints);
    this.moving = data.moving;
    this.order = data.order;
    this.coefficients = doubles(data.coefficients);
    this.rest = data.rest;
    this.whole = data.whole;
    /** Of a long motion, per moving joint: how far it is drawn at most from where it is. */
    this.off = data.off ?? [];
  }

  /** Whether joints are drawn exactly where they are at a time. */
  exact(time) {
    if (this.whole) return true;
    const [piece] = this.locate(time);
    return [this.starts[piece], this.ends[piece]].some((t) => Math.abs(t - time) <= 1e-9 * Math.max(1, Math.abs(time)));
  }

  /** Between which waypoints of the only program a time lies, from 0, and the share of the way that has passed; null where that is not known. */
  between(time) {
    const { waypoints } = this;
    if (waypoints.length < 2) return null;
    const k = clamp(waypoints.findLastIndex((t) => t <= time), 0, waypoints.length - 2);
    const length = waypoints[k + 1] - waypoints[k];
    return [k, length > 0 ? clamp((time - waypoints[k]) / length, 0, 1) : 0];
  }

  /** Piece that is passed at a time, and the share of it that has passed. */
  locate(time) {
    let low = 0, high = this.starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= time) low = middle + 1;
      else high = middle;
    }
    const piece = Math.max(low - 1, 0);
    const length = this.ends[piece] - this.starts[piece];
    return [piece, length > 0 ? clamp((time - this.starts[piece]) / length, 0, 1) : 0];
  }

  /** Value of every joint of the cell, radians or metres. */
  configuration(time) {
    const [piece, s] = this.locate(time);
    const q = Float64Array.from(this.rest);
    this.moving.forEach((joint, m) => {
      const from = (piece * this.moving.length + m) * this.order;
      let value = 0;
      for (let k = this.order - 1; k >= 0; k--) value = value * s + this.coefficients[from + k];
      q[joint] = value;
    });
    return q;
  }
}
