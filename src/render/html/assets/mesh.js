// Shapes as triangles to be drawn, in the frame of their body.

/** Corner points and triangles of a shape, in its own frame. */
function solid(shape) {
  switch (shape.form) {
    case "mesh": return unpacked(shape);
    case "box": return box(shape.size);
    case "sphere": return turned(arc(0, 0, shape.radius, -1, 1), 40);
    case "cylinder": {
      const h = shape.length / 2, r = shape.radius;
      return turned([[0, -h], [r, -h], [r, h], [0, h]], 48);
    }
    default: {
      const h = shape.length / 2;
      return turned([...arc(0, -h, shape.radius, -1, 0), ...arc(0, h, shape.radius, 0, 1)], 40);
    }
  }
}

function unpacked({ lo, hi, points, corners, short }) {
  const steps = shorts(points);
  const vertices = new Float32Array(steps.length);
  for (let i = 0; i < steps.length; i++) vertices[i] = lo[i % 3] + (hi[i % 3] - lo[i % 3]) * steps[i] / 65535;
  return { vertices, triangles: short ? shorts(corners) : words(corners) };
}

function box([x, y, z]) {
  const vertices = [];
  for (let k = 0; k < 8; k++) vertices.push((k & 1 ? x : -x) / 2, (k & 2 ? y : -y) / 2, (k & 4 ? z : -z) / 2);
  return {
    vertices: Float32Array.from(vertices),
    triangles: Uint16Array.of(
      0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
    ),
  };
}

/** Points [radius, z] on a circle about (0, z), from one quarter turn to another. */
function arc(r, z, radius, from, to) {
  const out = [];
  for (let k = 0; k <= 10; k++) {
    const angle = (from + (to - from) * k / 10) * Math.PI / 2;
    out.push([r + radius * Math.max(Math.cos(angle), 0), z + radius * Math.sin(angle)]);
  }
  return out;
}

/** The surface that a profile of points [radius, z] sweeps about z. */
function turned(profile, around) {
  const vertices = [], triangles = [];
  for (const [r, z] of profile) {
    for (let k = 0; k < around; k++) {
      const angle = 2 * Math.PI * k / around;
      vertices.push(r * Math.cos(angle), r * Math.sin(angle), z);
    }
  }
  for (let row = 0; row + 1 < profile.length; row++) {
    for (let k = 0; k < around; k++) {
      const a = row * around + k, b = row * around + (k + 1) % around;
      triangles.push(a, b, a + around, b, b + around, a + around);
    }
  }
  return { vertices: Float32Array.from(vertices), triangles: Uint32Array.from(triangles) };
}

/** All shapes of a body as one soup with normals, and its edges as lines. */
function bodyMesh(body) {
  const parts = body.shapes.map((shape) => shaded(solid(shape), poseOf(shape.pose)));
  const joined = (key) => {
    const out = new Float32Array(parts.reduce((n, p) => n + p[key].length, 0));
    let at = 0;
    for (const part of parts) {
      out.set(part[key], at);
      at += part[key].length;
    }
    return out;
  };
  const points = joined("points");
  return { points, normals: joined("normals"), lines: joined("lines"), ...ball(points) };
}

/** A ball around points: the middle of their box, and the farthest one from there. */
function ball(points) {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    lo[i % 3] = Math.min(lo[i % 3], points[i]);
    hi[i % 3] = Math.max(hi[i % 3], points[i]);
  }
  const center = points.length ? lo.map((l, k) => (l + hi[k]) / 2) : [0, 0, 0];
  let radius = 0;
  for (let i = 0; i < points.length; i += 3) {
    radius = Math.max(radius, Math.hypot(points[i] - center[0], points[i + 1] - center[1], points[i + 2] - center[2]));
  }
  return { center, radius, lo, hi };
}

const CREASE = Math.cos(35 * Math.PI / 180);

/** Normals that are smooth across gentle edges and sharp across others; the sharp ones are drawn as lines. */
function shaded({ vertices, triangles }, pose) {
  const n = triangles.length / 3;
  const place = new Float32Array(vertices.length);
  for (let v = 0; v < vertices.length; v += 3) place.set(apply(pose, vertices.subarray(v, v + 3)), v);
  const face = new Float32Array(3 * n), weighted = new Float32Array(3 * n);
  const around = new Map();
  const edges = new Map();
  const many = vertices.length / 3 + 1;
  for (let t = 0; t < n; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[3 * t + k]);
    const u = [0, 1, 2].map((i) => place[b + i] - place[a + i]);
    const w = [0, 1, 2].map((i) => place[c + i] - place[a + i]);
    const normal = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
    const length = Math.hypot(...normal) || 1;
    for (let i = 0; i < 3; i++) {
      face[3 * t + i] = normal[i] / length;
      weighted[3 * t + i] = normal[i];
      const corner = triangles[3 * t + i], next = triangles[3 * t + (i + 1) % 3];
      if (!around.has(corner)) around.set(corner, []);
      around.get(corner).push(t);
      const key = Math.min(corner, next) * many + Math.max(corner, next);
      if (!edges.has(key)) edges.set(key, [corner, next]);
      edges.get(key).push(t);
    }
  }
  const alike = (s, t) => face[3 * s] * face[3 * t] + face[3 * s + 1] * face[3 * t + 1] + face[3 * s + 2] * face[3 * t + 2] > CREASE;
  const points = new Float32Array(9 * n), normals = new Float32Array(9 * n), lines = [];
  for (let t = 0; t < n; t++) {
    for (let k = 0; k < 3; k++) {
      const corner = triangles[3 * t + k];
      const sum = [0, 0, 0];
      for (const s of around.get(corner)) if (alike(s, t)) for (let i = 0; i < 3; i++) sum[i] += weighted[3 * s + i];
      const length = Math.hypot(...sum) || 1;
      for (let i = 0; i < 3; i++) {
        points[9 * t + 3 * k + i] = place[3 * corner + i];
        normals[9 * t + 3 * k + i] = sum[i] / length;
      }
    }
  }
  for (const [a, b, ...sides] of edges.values()) {
    if (sides.length !== 2 || !alike(sides[0], sides[1])) {
      lines.push(...place.subarray(3 * a, 3 * a + 3), ...place.subarray(3 * b, 3 * b + 3));
    }
  }
  return { points, normals, lines: Float32Array.from(lines) };
}

/** Balls of a sphere tree at a level, in the frame of the body: x, y, z, radius each. Balls that end above the level stay. */
function treeLevel(body, level) {
  const out = [];
  for (const shape of body.shapes) {
    const balls = floats(shape.balls), levels = bytes(shape.levels);
    const pose = poseOf(shape.pose);
    // A shape with fewer levels in the page is shown by its last one.
    const wanted = Math.min(level, (levels[levels.length - 1] ?? 0) & 127);
    levels.forEach((code, k) => {
      const depth = code & 127, leaf = code > 127;
      if (depth === wanted || (leaf && depth < wanted)) {
        out.push(...apply(pose, balls.subarray(4 * k, 4 * k + 3)), balls[4 * k + 3]);
      }
    });
  }
  return Float32Array.from(out);
}
