// The picture: bodies, floor, path of the tool, lines of moves, balls of the sphere trees; marks of a contact on top.

class View {
  /** Throws when the browser has no WebGL 2. `box` is the element to be shown. */
  constructor(model) {
    this.model = model;
    this.canvas = el("canvas", { tabindex: 0, "aria-label": "The cell in 3D. Arrow keys turn it, plus and minus zoom, 0 shows everything." });
    this.gl = this.canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!this.gl) throw new Error("no WebGL 2");
    this.marks = svg("svg", { class: "marks", "aria-hidden": "true" });
    this.tip = el("div", { class: "tip", hidden: true });
    /** Which colour is what. */
    this.key = el("div", { class: "key" });
    this.banner = el("div", { class: "banner", role: "status", hidden: true }, el("b", {}, "Jogging: nothing is checked here. "), el("button", { type: "button", id: "unjog", onclick: stopJogging }, back()));
    this.box = el("div", { class: "canvas" }, this.canvas, this.marks, this.tip);
    this.camera = new Camera();
    this.show = { path: true, moves: true, contact: true, edges: true, through: false, throughStanding: false, level: -1, ballsOf: "moving", tool: model.tools[0] ?? -1 };
    this.poses = model.bodies.map((b) => b.pose);
    this.meshes = model.bodies.map(bodyMesh);
    this.ballCache = new Map();
    this.build();
    gestures(this);
    this.drawKey();
    this.fitAll();
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.build();
      this.trace(this.traced);
      this.outline(this.outlined);
      this.draw();
    });
  }

  program([vertex, fragment]) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
    const at = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
      const { name } = gl.getActiveUniform(program, k);
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  /** One buffer; `layout` lists location, number count, floats before it, and instances per step. */
  buffer(values, stride, layout) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    for (const [location, count, offset, divisor] of layout) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, count, gl.FLOAT, false, 4 * stride, 4 * offset);
      gl.vertexAttribDivisor(location, divisor);
    }
  }

  array(...buffers) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const each of buffers) this.buffer(...each);
    gl.bindVertexArray(null);
    return array;
  }

  build() {
    const gl = this.gl;
    this.bodyProgram = this.program(BODY_SHADER);
    this.ballProgram = this.program(BALL_SHADER);
    this.pathProgram = this.program(PATH_SHADER);
    this.floorProgram = this.program(FLOOR_SHADER);
    this.solids = this.meshes.map((mesh) => ({
      fill: this.array([mesh.points, 3, [[0, 3, 0, 0]]], [mesh.normals, 3, [[1, 3, 0, 0]]]),
      lines: this.array([mesh.lines, 3, [[0, 3, 0, 0]]]),
    }));
    const { vertices, triangles } = turned(arc(0, 0, 1, -1, 1), 28);
    this.sphere = new Float32Array(3 * triangles.length);
    triangles.forEach((v, k) => this.sphere.set(vertices.subarray(3 * v, 3 * v + 3), 3 * k));
    this.floor = this.array([Float32Array.of(-1, -1, 1, -1, -1, 1, 1, 1), 2, [[0, 2, 0, 0]]]);
    this.ballCache.clear();
    this.path = null;
    this.outlines = [];
    gl.enable(gl.DEPTH_TEST);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Path of the tool: x, y, z, time for each point. */
  trace(points) {
    this.traced = points;
    this.path = points && points.length > 1 ? this.line(points) : null;
  }

  /** What moves draw: the tool's lines, and strips through corners that may be rounded. */
  outline(moves) {
    this.outlined = moves;
    const lines = (all, hue) => all.filter((line) => line.length > 1).map((line) => ({ ...this.line(line), hue }));
    this.outlines = moves ? [...lines(moves.lines, "tool-line"), ...lines(moves.corners.flatMap((c) => c.strips), "corner")] : [];
  }

  /** One line through points, each with the time from which on it is drawn strongly. */
  line(points) {
    const flat = Float32Array.from(points.flat());
    return {
      array: this.array(
        [Float32Array.of(0, -1, 1, -1, 0, 1, 1, 1), 2, [[0, 2, 0, 0]]],
        [flat, 4, [[1, 4, 0, 1], [2, 4, 4, 1]]],
      ),
      count: points.length - 1,
    };
  }

  /** Shows the robots wherever the motion takes them, and what stands near them. */
  fitAll() {
    const robots = new Bounds(), all = new Bounds();
    for (const poses of this.course ?? [this.poses]) {
      this.model.bodies.forEach((_, b) => {
        if (this.model.moves(b)) robots.add(poses[b], this.meshes[b]);
      });
    }
    this.model.bodies.forEach((_, b) => all.add(this.poses[b], this.meshes[b]));
    // Floors, fences and halls are larger than what happens in them.
    const room = robots.empty ? all : all.within(robots.grown(0.15)).joined(robots);
    if (room.empty) return;
    this.extent = all.joined(robots).radius;
    this.ground = all.lo[2];
    this.camera.fit(room.center, room.radius);
    this.draw();
  }

  look(yaw, pitch) {
    this.camera.yaw = yaw;
    this.camera.pitch = pitch;
    this.draw();
  }

  /** Comes close to a point. */
  approach(point, radius) {
    this.camera.fit(point, radius);
    this.draw();
  }

  /** Turns to where most of a small neighbourhood of a point is not hidden by a body that is not chosen. */
  seek(point) {
    const { camera } = this;
    const chosen = (b) => this.pair && (this.pair.a === b || this.pair.b === b);
    const r = 0.02 * camera.distance;
    const around = [[0, 0, 0], [r, 0, 0], [-r, 0, 0], [0, r, 0], [0, -r, 0], [0, 0, r]].map((d) => point.map((x, i) => x + d[i]));
    const [yaw, pitch] = [camera.yaw, camera.pitch];
    let best = -1, found = [yaw, pitch];
    for (const [up, turns] of [[pitch, 12], [0.9, 12]]) {
      for (let k = 0; k < turns; k++) {
        // Small turns first, to either side.
        camera.yaw = yaw + (k % 2 ? 1 : -1) * Math.ceil(k / 2) * 2 * Math.PI / turns;
        camera.pitch = up;
        const { eye } = camera.frame();
        const seen = around.filter((p) => {
          const { body, share } = this.meet(eye, minus(p, eye));
          return share >= 0.995 || chosen(body);
        }).length;
        if (seen > best) [best, found] = [seen, [camera.yaw, camera.pitch]];
      }
    }
    [camera.yaw, camera.pitch] = found;
    this.draw();
  }

  orbit(yaw, pitch) {
    this.camera.yaw += yaw;
    this.camera.pitch = clamp(this.camera.pitch + pitch, -1.55, 1.55);
    this.draw();
  }

  pan(dx, dy) {
    const { right, up } = this.camera.frame();
    const size = 2 * this.camera.distance * Math.tan(FIELD / 2) / Math.max(Math.min(this.box.clientHeight, this.box.clientWidth), 1);
    this.camera.target = this.camera.target.map((t, i) => t - size * (dx * right[i] - dy * up[i]));
    this.draw();
  }

  zoom(factor) {
    this.camera.distance = clamp(this.camera.distance * factor, 1e-3, 1e4);
    this.draw();
  }

  /** Names what lies under the pointer. */
  hover(event) {
    const rect = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    const body = this.pick(x, y);
    this.tip.hidden = body < 0;
    if (body < 0) return;
    put(this.tip, this.model.bodies[body].name);
    // Long names stay within the picture.
    this.tip.style.left = `${clamp(x + 14, 0, Math.max(rect.width - this.tip.offsetWidth - 4, 0))}px`;
    this.tip.style.top = `${y + 10}px`;
  }

  pick(x, y) {
    const { clientWidth: w, clientHeight: h } = this.box;
    const { right, up, back, eye } = this.camera.frame();
    const f = Math.tan(FIELD / 2) / Math.min(1, w / h);
    const [u, v] = [(2 * x / w - 1) * f * w / h, (1 - 2 * y / h) * f];
    return this.meet(eye, [0, 1, 2].map((i) => u * right[i] + v * up[i] - back[i])).body;
  }

  /** The first body on a ray, or −1, and how many times the ray's length away. */
  meet(eye, ray) {
    let best = Infinity, found = -1;
    this.meshes.forEach((mesh, b) => {
      const origin = unapply(this.poses[b], eye), way = unturn(this.poses[b], ray);
      const to = minus(mesh.center, origin);
      const t = dot(to, way) / dot(way, way);
      if (Math.hypot(...minus(to, way.map((d) => t * d))) > mesh.radius) return;
      const hit = firstHit(mesh.points, origin, way);
      if (hit < best) [best, found] = [hit, b];
    });
    return { body: found, share: best };
  }

  /** Place in the picture, pixels. */
  project(p) {
    const { clientWidth: w, clientHeight: h } = this.box;
    const m = this.camera.matrix(w / h);
    const [x, y, , q] = [0, 1, 2, 3].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);
    return q > 0 ? [(x / q + 1) / 2 * w, (1 - y / q) / 2 * h] : null;
  }

  /** Draws at the next frame. */
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  tint(b) {
    const body = this.model.bodies[b];
    const [first, second] = this.pairHues();
    if (this.pair && this.pair.a === b) return rgb(color(first));
    if (this.pair && this.pair.b === b) return rgb(color(second));
    return rgb(color(this.hue(body)));
  }

  /** Of the chosen pair. Red and amber are for what touches. */
  pairHues() {
    return this.contact && !this.jogged ? ["pair-a", "pair-b"] : ["calm-a", "calm-b"];
  }

  /** Every robot has a colour of its own (until there are more than six), tools one, the cell one. */
  hue({ role, robot }) {
    return role === "link" ? `robot-${(robot ?? 0) % 6 + 1}` : role === "attached" ? "tool" : "cell";
  }

  /** The words beside the colours. */
  drawKey() {
    const kinds = new Map();
    for (const body of this.model.bodies) {
      if (!body.shapes.length) continue;
      const name = body.role === "link" ? this.model.robots[body.robot] || "robot" : body.role === "attached" ? "tools and parts" : "cell";
      kinds.set(name, this.hue(body));
    }
    const [first, second] = this.pairHues();
    const pair = this.pair ? [[this.model.bodies[this.pair.a].name, first], [this.model.bodies[this.pair.b].name, second]] : [];
    const entry = ([name, hue]) => el("span", { class: "hue" }, el("i", { style: { background: `var(--${hue})` } }), named(name));
    if (this.outlined?.lines.length) kinds.set("straight moves and arcs", "tool-line");
    if (this.outlined?.corners.length) kinds.set("corners that may be rounded", "corner");
    put(this.key, [...kinds].map(entry), pair.length ? el("span", { class: "chosen-pair" }, "chosen: ", pair.map(entry)) : null);
  }

  paint() {
    const { gl, canvas } = this;
    const { clientWidth: w, clientHeight: h } = this.box;
    if (!w || !h) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const camera = this.camera.matrix(w / h);
    const { eye } = this.camera.frame();
    const all = this.model.bodies.map((_, b) => b).filter((b) => this.meshes[b].points.length);
    const chosen = (b) => this.pair && (this.pair.a === b || this.pair.b === b);
    const faint = (b) => this.show.through && !chosen(b) || this.show.throughStanding && !this.model.moves(b);
    this.paintBodies(all.filter((b) => !faint(b)), camera, eye, 1);
    gl.enable(gl.BLEND);
    this.paintFloor(camera);
    this.paintPath(camera, w, h, ratio);
    gl.depthMask(false);
    this.paintBodies(all.filter(faint), camera, eye, 0.13);
    this.paintBalls(camera, eye);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    paintMarks(this, w, h);
  }

  paintBodies(bodies, camera, eye, alpha) {
    const { gl } = this;
    const { program, at } = this.bodyProgram;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.camera, false, camera);
    gl.uniform3fv(at.eye, eye);
    const ink = rgb(color("ink"));
    for (const b of bodies) {
      gl.uniformMatrix4fv(at.model, false, matrix(this.poses[b]));
      gl.uniform3fv(at.tint, this.tint(b));
      gl.uniform1f(at.alpha, alpha);
      gl.uniform1f(at.shade, 1);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 1);
      gl.bindVertexArray(this.solids[b].fill);
      gl.drawArrays(gl.TRIANGLES, 0, this.meshes[b].points.length / 3);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      if (!this.show.edges) continue;
      gl.enable(gl.BLEND);
      gl.uniform3fv(at.tint, ink);
      gl.uniform1f(at.alpha, 0.35 * alpha);
      gl.uniform1f(at.shade, 0);
      gl.bindVertexArray(this.solids[b].lines);
      gl.drawArrays(gl.LINES, 0, this.meshes[b].lines.length / 3);
      if (alpha === 1) gl.disable(gl.BLEND);
    }
  }

  paintFloor(camera) {
    if (!Number.isFinite(this.ground)) return;
    const { gl } = this;
    const { program, at } = this.floorProgram;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.camera, false, camera);
    const all = this.camera.target;
    gl.uniform3f(at.middle, all[0], all[1], this.ground - 1e-4);
    gl.uniform1f(at.reach, 2.2 * Math.max(this.extent, this.camera.distance * 0.4));
    gl.uniform1f(at.cell, this.extent > 8 ? 1 : this.extent > 0.4 ? 0.1 : 0.01);
    gl.uniform3fv(at.tint, rgb(color("ink")));
    gl.bindVertexArray(this.floor);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  paintPath(camera, w, h, ratio) {
    const path = this.path && this.show.path ? [{ ...this.path, hue: "path", width: 2.2 }] : [];
    const lines = [...path, ...(this.show.moves ? this.outlines : [])];
    if (!lines.length) return;
    const { gl } = this;
    const { program, at } = this.pathProgram;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.camera, false, camera);
    gl.uniform2f(at.size, w * ratio, h * ratio);
    gl.uniform1f(at.now, this.now);
    for (const { array, count, hue, width = 1.4 } of lines) {
      gl.uniform1f(at.width, width * ratio);
      gl.uniform3fv(at.tint, rgb(color(hue)));
      gl.bindVertexArray(array);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }
  }

  /** Spheres by which the bodies of the shown contact meet, where shape is nothing but spheres: at the instant of the contact. */
  colliding() {
    const spheres = this.contact?.spheres;
    if (!spheres || this.jogged || !this.show.contact) return [];
    return Math.abs(this.now - this.contact.time) <= 1e-9 * Math.max(1, Math.abs(this.contact.time)) ? [spheres.a, spheres.b] : [];
  }

  paintBalls(camera, eye) {
    const colliding = this.colliding();
    if (this.show.level < 0 && !colliding.length) return;
    const { gl } = this;
    const { program, at } = this.ballProgram;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.camera, false, camera);
    gl.uniform3fv(at.eye, eye);
    gl.enable(gl.CULL_FACE);
    colliding.forEach((spheres, side) => {
      const { array, count } = this.meeting(spheres, side);
      gl.uniformMatrix4fv(at.model, false, new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]));
      gl.uniform3fv(at.tint, rgb(color(side ? "pair-b" : "pair-a")));
      gl.bindVertexArray(array);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, this.sphere.length / 3, count);
    });
    if (this.show.level < 0) {
      gl.disable(gl.CULL_FACE);
      return;
    }
    this.model.bodies.forEach((body, b) => {
      const wanted = { moving: this.model.moves(b), all: true, pair: this.pair && (this.pair.a === b || this.pair.b === b) }[this.show.ballsOf];
      if (!wanted || !body.shapes.length) return;
      const { array, count } = this.balls(b);
      gl.uniformMatrix4fv(at.model, false, matrix(this.poses[b]));
      gl.uniform3fv(at.tint, this.pair && (this.pair.a === b || this.pair.b === b) ? this.tint(b) : rgb(color("ball")));
      gl.bindVertexArray(array);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, this.sphere.length / 3, count);
    });
    gl.disable(gl.CULL_FACE);
  }

  /** Spheres of a contact, in the world. */
  meeting(spheres, side) {
    const key = `met ${side}`;
    const known = this.ballCache.get(key);
    if (known?.of === spheres) return known;
    const balls = new Float32Array(spheres.flatMap((s) => [...s.center, s.radius]));
    const made = { of: spheres, count: spheres.length, array: this.array([this.sphere, 3, [[0, 3, 0, 0]]], [balls, 4, [[2, 4, 0, 1]]]) };
    this.ballCache.set(key, made);
    return made;
  }

  balls(b) {
    const key = `${b} ${this.show.level}`;
    if (!this.ballCache.has(key)) {
      const balls = treeLevel(this.model.bodies[b], this.show.level);
      this.ballCache.set(key, {
        array: this.array([this.sphere, 3, [[0, 3, 0, 0]]], [balls, 4, [[2, 4, 0, 1]]]),
        count: balls.length / 4,
      });
    }
    return this.ballCache.get(key);
  }
}
