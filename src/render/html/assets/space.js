// Looking at space: vectors, the camera, boxes, rays.

const FIELD = 32 * Math.PI / 180;

/** Column-major 4 × 4 from a pose. */
const matrix = (m) => Float32Array.of(m[0], m[3], m[6], 0, m[1], m[4], m[7], 0, m[2], m[5], m[8], 0, m[9], m[10], m[11], 1);

const minus = (a, b) => a.map((x, i) => x - b[i]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Where one looks from: around a target, z up. */
class Camera {
  constructor() {
    this.target = [0, 0, 0];
    this.distance = 3;
    this.yaw = -0.9;
    this.pitch = 0.42;
  }

  frame() {
    const [cp, sp] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    const back = [cp * Math.cos(this.yaw), cp * Math.sin(this.yaw), sp];
    const right = [-Math.sin(this.yaw), Math.cos(this.yaw), 0];
    const up = cross(back, right);
    return { right, up, back, eye: this.target.map((t, i) => t + this.distance * back[i]) };
  }

  /** World to clip space, column-major. */
  matrix(aspect) {
    const { right, up, back, eye } = this.frame();
    const near = this.distance / 200, far = this.distance * 40;
    const f = 1 / Math.tan(FIELD / 2) * Math.min(1, aspect);
    const sx = f / aspect, sz = (far + near) / (near - far), tz = 2 * far * near / (near - far);
    const t = [right, up, back].map((axis) => -dot(axis, eye));
    const out = new Float32Array(16);
    for (let i = 0; i < 3; i++) {
      out[4 * i] = sx * right[i];
      out[4 * i + 1] = f * up[i];
      out[4 * i + 2] = sz * back[i];
      out[4 * i + 3] = -back[i];
    }
    out.set([sx * t[0], f * t[1], sz * t[2] + tz, -t[2]], 12);
    return out;
  }

  fit(center, radius) {
    this.target = [...center];
    this.distance = Math.max(radius, 1e-3) / Math.sin(FIELD / 2) * 0.9;
  }
}

/** A box along the axes of the world. */
class Bounds {
  constructor(lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity]) {
    this.lo = lo;
    this.hi = hi;
  }

  get empty() { return this.lo.some((l, i) => l > this.hi[i]); }
  get center() { return this.lo.map((l, i) => (l + this.hi[i]) / 2); }
  get radius() { return Math.hypot(...minus(this.hi, this.lo)) / 2; }

  /** Takes the corners of a mesh's box in. */
  add(pose, { lo, hi, points }) {
    if (!points.length) return;
    for (let k = 0; k < 8; k++) {
      const p = apply(pose, [0, 1, 2].map((i) => k >> i & 1 ? hi[i] : lo[i]));
      for (let i = 0; i < 3; i++) {
        this.lo[i] = Math.min(this.lo[i], p[i]);
        this.hi[i] = Math.max(this.hi[i], p[i]);
      }
    }
  }

  grown(share) {
    const more = share * this.radius;
    return new Bounds(this.lo.map((l) => l - more), this.hi.map((h) => h + more));
  }

  within(other) {
    return new Bounds(this.lo.map((l, i) => Math.max(l, other.lo[i])), this.hi.map((h, i) => Math.min(h, other.hi[i])));
  }

  joined(other) {
    return new Bounds(this.lo.map((l, i) => Math.min(l, other.lo[i])), this.hi.map((h, i) => Math.max(h, other.hi[i])));
  }
}

/** Parameter of the first triangle that a ray meets, or Infinity. */
function firstHit(points, origin, way) {
  let best = Infinity;
  for (let i = 0; i < points.length; i += 9) {
    const ax = points[i], ay = points[i + 1], az = points[i + 2];
    const ux = points[i + 3] - ax, uy = points[i + 4] - ay, uz = points[i + 5] - az;
    const wx = points[i + 6] - ax, wy = points[i + 7] - ay, wz = points[i + 8] - az;
    const px = way[1] * wz - way[2] * wy, py = way[2] * wx - way[0] * wz, pz = way[0] * wy - way[1] * wx;
    const det = ux * px + uy * py + uz * pz;
    if (Math.abs(det) < 1e-20) continue;
    const tx = origin[0] - ax, ty = origin[1] - ay, tz = origin[2] - az;
    const u = (tx * px + ty * py + tz * pz) / det;
    if (u < 0 || u > 1) continue;
    const qx = ty * uz - tz * uy, qy = tz * ux - tx * uz, qz = tx * uy - ty * ux;
    const v = (way[0] * qx + way[1] * qy + way[2] * qz) / det;
    if (v < 0 || u + v > 1) continue;
    const t = (wx * qx + wy * qy + wz * qz) / det;
    if (t > 0 && t < best) best = t;
  }
  return best;
}
