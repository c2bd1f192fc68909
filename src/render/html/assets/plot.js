// Distance against time: exact at the instants that were computed, with the proved bound below them.

const CURVE_COLORS = ["#3b82f6", "#f59e0b", "#10b981", "#a855f7", "#06b6d4", "#ec4899", "#84cc16", "#f97316", "#6366f1", "#14b8a6", "#c08457", "#94a3b8"];

/** A round step that divides a length into about so many parts. */
function roundStep(length, parts) {
  const raw = length / parts;
  const unit = 10 ** Math.floor(Math.log10(raw));
  return unit * [1, 2, 5, 10].find((k) => k * unit >= raw * 0.999);
}

/** Curves as the page uses them, nearest first. */
const curvesOf = (data, program) => data.curves.map((c, k) => {
  const distances = doubles(c.distances);
  const floor = (bound, k) => Math.min(boundOf(program, bound, model.pairs[c.pair].requiredClearance), distances[k], distances[k + 1]);
  return {
    pair: c.pair,
    times: doubles(c.times),
    distances,
    bounds: doubles(c.bounds).map(floor),
    points: c.points,
    color: CURVE_COLORS[k % CURVE_COLORS.length],
    // No two curves look the same: there are more of them than colours.
    dash: k >= CURVE_COLORS.length,
    hidden: false,
  };
});

/** The colour of a curve beside its name. */
const swatch = ({ color, dash }) => el("i", { style: { background: dash ? `repeating-linear-gradient(90deg, ${color} 0 3px, transparent 3px 5px)` : color } });

/** The distance that a curve's line has at a time, the bound that holds there, and whether the distance was computed. */
function lineAt({ times, distances, bounds }, time) {
  const k = clamp(times.findLastIndex((t) => t <= time), 0, times.length - 1);
  const next = Math.min(k + 1, times.length - 1);
  const length = times[next] - times[k];
  const share = length > 0 ? clamp((time - times[k]) / length, 0, 1) : 0;
  return { distance: distances[k] + share * (distances[next] - distances[k]), bound: bounds[k] ?? distances[k], computed: share === 0 || share === 1 };
}

/** Least distance of a curve: when, how much, and the least bound. */
function leastOf(curve) {
  let k = 0;
  curve.distances.forEach((d, i) => { if (d < curve.distances[k]) k = i; });
  const bound = curve.bounds.reduce((low, b) => Number.isNaN(b) ? low : Math.min(low, b), curve.distances[k]);
  return { time: curve.times[k], distance: curve.distances[k], bound };
}

/** A curve where it is checked without a break: first and last instant of each piece. */
function pieces({ times, bounds }) {
  const found = [];
  let from = 0;
  for (let k = 0; k < times.length; k++) {
    if (k + 1 < times.length && !Number.isNaN(bounds[k])) continue;
    found.push([from, k]);
    from = k + 1;
  }
  return found;
}

/** Intervals at whose instants a curve is within a threshold. */
function runs(curve, threshold) {
  const { times, distances } = curve;
  const found = [];
  for (const [first, last] of pieces(curve)) {
    let from = -1;
    for (let k = first; k <= last + 1; k++) {
      const within = k <= last && distances[k] <= threshold;
      if (within && from < 0) from = k;
      if (!within && from >= 0) {
        if (times[k - 1] > times[from]) found.push([times[from], times[k - 1]]);
        from = -1;
      }
    }
  }
  return found;
}

class Plot {
  constructor(box, { model, curves, program, player, selected, select }) {
    Object.assign(this, { box, model, curves, program, player, selected, select });
    this.timed = program.timed === true;
    this.from = player.start;
    this.to = player.end > player.start ? player.end : player.start + 1;
    this.top = this.focusTop();
    this.picture = svg("svg", { class: "plot", role: "img", "aria-label": this.summary() });
    this.tip = el("div", { class: "tip", hidden: true });
    this.canvas = el("div", { class: "graph" }, this.picture, this.tip);
    this.legend = el("div", { class: "legend", role: "group", "aria-label": "Pairs in the plot" });
    this.bands = el("p", { class: "note bands" });
    box.append(this.tools(), this.canvas, this.bands, this.legend);
    this.listen();
    this.drawLegend();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    player.follow((time) => this.moveCursor(time));
  }

  summary() {
    const first = this.curves[0];
    if (!first) return "No distances over time";
    const { distance, time } = leastOf(first);
    return `Distance of ${plural(this.curves.length, "pair")} over time; the least is ${mm(distance)}, ${this.model.pairName(first.pair)}, at ${clock(time, this.timed)}`;
  }

  /** What is worth looking at: the nearest curve's low part and the thresholds. */
  focusTop() {
    const least = this.curves.map((c) => leastOf(c).distance);
    const thresholds = this.curves.map((c) => this.model.pairs[c.pair].requiredClearance);
    const most = Math.max(...this.curves.map((c) => c.distances.reduce((a, b) => Math.max(a, b), 0)), 1e-3);
    const near = Math.max(4 * (least[0] ?? 0), 1.6 * (least[Math.min(3, least.length - 1)] ?? 0), 5 * Math.max(...thresholds.slice(0, 4), 0), 0.05);
    return Math.min(near, 1.04 * most);
  }

  tools() {
    const most = Math.max(...this.curves.map((c) => c.distances.reduce((a, b) => Math.max(a, b), 0)), 1e-3) * 1.04;
    const focus = this.top;
    const tops = [["what is near", focus], ["5 mm", 0.005], ["20 mm", 0.02], ["100 mm", 0.1], ["500 mm", 0.5], ["everything", most]];
    const height = el("select", { id: "height", onchange: () => { this.top = Number(height.value); this.draw(); } },
      tops.map(([name, top]) => el("option", { value: top }, name)));
    const zoom = (factor) => () => {
      const whole = this.player.end > this.player.start ? this.player.end - this.player.start : 1;
      const width = clamp((this.to - this.from) * factor, whole / 2000, whole);
      const share = clamp((this.player.time - this.from) / (this.to - this.from), 0, 1);
      this.from = clamp(this.player.time - share * width, this.player.start, this.player.start + whole - width);
      this.to = this.from + width;
      this.draw();
    };
    return el("div", { class: "tools" },
      el("label", {}, "Height ", height),
      el("span", { class: "buttons", role: "group", "aria-label": "Time range" },
        el("button", { type: "button", onclick: zoom(0.5) }, "Zoom in"),
        el("button", { type: "button", onclick: zoom(2) }, "Zoom out"),
        el("button", { type: "button", onclick: zoom(1e9) }, "Whole motion")));
  }

  drawLegend() {
    this.legend.replaceChildren(...this.curves.map((curve) => {
      const { distance } = leastOf(curve);
      const chosen = this.selected() === curve.pair;
      return el("button", {
        type: "button", class: `chip${curve.hidden ? " off" : ""}${chosen ? " chosen" : ""}`, "aria-pressed": String(chosen),
        title: "Click: choose this pair. Shift-click: hide or show it.",
        onclick: (event) => {
          if (event.shiftKey) {
            curve.hidden = !curve.hidden;
            this.refresh();
          } else this.select(chosen ? -1 : curve.pair);
        },
      }, swatch(curve), ...pairNames(...this.namesOf(curve.pair)), el("small", {}, mmUp(distance)));
    }));
    put(this.bands, this.told());
  }

  namesOf(pair) {
    const { a, b } = this.model.pairs[pair];
    return [this.model.bodies[a].name, this.model.bodies[b].name];
  }

  /** Whether a finding is told by a band: those of the chosen pair, of all pairs while none is chosen. */
  ofChosen({ a, b }) {
    const chosen = this.selected();
    return chosen < 0 || this.model.pairNamed(a, b) === chosen;
  }

  /** Whose bands these are. */
  told() {
    const chosen = this.selected();
    const found = [...contactsOf(this.program), ...this.program.near_misses ?? []];
    const mine = found.filter((f) => this.ofChosen(f)).length;
    if (!found.length) return null;
    if (chosen < 0) return "Bands: contacts and near misses of all pairs. Choose a pair to see its own.";
    const others = found.length - mine;
    return `Bands: ${mine ? "" : "none "}of ${this.model.pairName(chosen)}.${others ? ` Other pairs have ${others} more: choose them below or in the tables, or click the chosen one again to see all.` : ""}`;
  }

  refresh() {
    this.drawLegend();
    this.draw();
  }

  x(time) { return this.left + (time - this.from) / (this.to - this.from) * this.width; }
  y(distance) { return this.above + (1 - Math.min(distance, this.top * 1.2) / this.top) * this.height; }

  draw() {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!w || !h || !this.curves.length) return;
    Object.assign(this, { left: 58, above: 12, width: w - 58 - 16, height: h - 12 - 30 });
    const bottom = this.above + this.height;
    const parts = [];
    for (let k = 0, step = roundStep(this.top, 5); k * step <= this.top * 1.0001; k++) {
      const y = this.y(k * step);
      parts.push(svg("line", { class: "grid", x1: this.left, x2: this.left + this.width, y1: y, y2: y }),
        svg("text", { class: "axis", x: this.left - 8, y: y + 4, "text-anchor": "end" }, digits(k * step * 1e3)));
    }
    const step = roundStep(this.to - this.from, Math.max(w / 110, 2));
    for (let k = Math.ceil(this.from / step - 1e-9); k * step <= this.to + 1e-9 * step; k++) {
      const x = this.x(k * step);
      parts.push(svg("line", { class: "grid", x1: x, x2: x, y1: this.above, y2: bottom }),
        svg("text", { class: "axis", x, y: bottom + 18, "text-anchor": "middle" }, String(Number((k * step + (this.timed ? 0 : 1)).toPrecision(8)))));
    }
    parts.push(svg("text", { class: "axis unit", x: this.left - 8, y: bottom + 18, "text-anchor": "end" }, this.timed ? "mm / s" : "mm / no."));
    const clip = svg("clipPath", { id: "inside" }, svg("rect", { x: this.left, y: this.above - 4, width: this.width, height: this.height + 4 }));
    const inner = svg("g", { "clip-path": "url(#inside)" });
    for (const near of (this.program.near_misses ?? []).filter((n) => this.ofChosen(n))) {
      const from = this.x(near.entered), to = this.x(near.left);
      inner.append(svg("rect", { class: "near", x: from, y: this.above, width: Math.max(to - from, 1), height: this.height },
        svg("title", {}, `${near.a} – ${near.b}: ${near.distance <= near.warn ? "nearer" : "not proved farther"} than ${mmStated(near.warn)}`)));
    }
    for (const curve of this.curves) {
      if (curve.hidden || (this.selected() >= 0 && curve.pair !== this.selected())) continue;
      for (const [from, to] of runs(curve, this.model.pairs[curve.pair].requiredClearance)) {
        inner.append(svg("rect", { class: "touching", x: this.x(from), y: this.above, width: this.x(to) - this.x(from), height: this.height },
          svg("title", {}, `${this.model.pairName(curve.pair)}: within the threshold`)));
      }
    }
    for (const contact of contactsOf(this.program).filter((c) => this.ofChosen(c))) {
      const from = this.x(contact.free_until), to = this.x(contact.until ?? contact.time);
      inner.append(svg("rect", { class: `contact ${contact.kind}`, x: from - 1, y: this.above, width: Math.max(to - from, 0) + 2, height: this.height },
        svg("title", {}, `${contact.a} – ${contact.b}`)));
    }
    for (const limit of this.program.limits ?? []) {
      const x = this.x(limit.time);
      inner.append(svg("line", { class: "limit", x1: x, x2: x, y1: this.above, y2: bottom }, svg("title", {}, `${limit.what} limit of ${limit.joint}`)));
    }
    for (const event of this.program.timeline?.events ?? []) {
      const x = this.x(event.time);
      inner.append(svg("line", { class: "event", x1: x, x2: x, y1: this.above, y2: bottom }, svg("title", {}, event.what)));
    }
    const chosen = this.selected();
    for (const d of new Set(this.curves.filter((c) => !c.hidden && (chosen < 0 || c.pair === chosen)).map((c) => this.model.pairs[c.pair].requiredClearance))) {
      const y = this.y(d);
      inner.append(svg("line", { class: "threshold", x1: this.left, x2: this.left + this.width, y1: y, y2: y }));
      if (d < this.top * 0.98) inner.append(svg("text", { class: "threshold", x: this.left + this.width - 6, y: y - 5, "text-anchor": "end" }, `threshold ${mmStated(d)}`));
    }
    const order = this.curves.filter((c) => !c.hidden).sort((p, q) => (p.pair === chosen) - (q.pair === chosen));
    for (const curve of order) this.drawCurve(inner, curve, chosen >= 0 && curve.pair !== chosen);
    this.cursor = svg("line", { class: "cursor", y1: this.above - 4, y2: bottom });
    parts.push(inner, this.cursor);
    this.picture.setAttribute("viewBox", `0 0 ${w} ${h}`);
    this.picture.replaceChildren(svg("defs", {}, clip), ...parts);
    this.moveCursor(this.player.time);
  }

  drawCurve(inner, curve, faint) {
    const { times, distances, bounds, color: stroke, dash, pair } = curve;
    const group = svg("g", { class: `curve${faint ? " faint" : ""}` });
    for (const [first, last] of pieces(curve)) {
      const line = [], floor = [];
      for (let k = first; k <= last; k++) {
        line.push(`${this.x(times[k]).toFixed(1)},${this.y(distances[k]).toFixed(1)}`);
        if (k === last) continue;
        const y = this.y(bounds[k]).toFixed(1);
        floor.push(`${this.x(times[k]).toFixed(1)},${y}`, `${this.x(times[k + 1]).toFixed(1)},${y}`);
      }
      if (!faint && proves(this.program)) group.append(svg("polygon", { points: [...line, ...floor.reverse()].join(" "), fill: stroke, class: "band" }));
      group.append(svg("polyline", { points: line.join(" "), stroke, "stroke-dasharray": dash ? "7 4" : null, class: pair === this.selected() ? "chosen" : "" }));
      if (times[first] === times[last]) group.append(svg("circle", { cx: this.x(times[first]), cy: this.y(distances[first]), r: 4, fill: stroke }));
    }
    inner.append(group);
  }

  moveCursor(time) {
    if (!this.cursor) return;
    const x = this.x(time);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.cursor.style.visibility = x < this.left - 1 || x > this.left + this.width + 1 ? "hidden" : "visible";
  }

  listen() {
    const time = (event) => {
      const rect = this.canvas.getBoundingClientRect();
      return this.from + (event.clientX - rect.left - this.left) / this.width * (this.to - this.from);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.dragging = true;
      this.player.playing = false;
      this.player.set(time(event));
    });
    for (const type of ["pointerup", "pointercancel"]) this.canvas.addEventListener(type, () => { this.dragging = false; });
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.dragging) this.player.set(time(event));
      this.point(event, time(event));
    });
  }

  /** The distances around an instant. */
  point(event, time) {
    const checked = (curve) => pieces(curve).some(([first, last]) => curve.times[first] <= time && time <= curve.times[last]);
    const rows = this.curves.filter((c) => !c.hidden && (!this.model.phases.length || checked(c))).map((curve) => {
      return { curve, ...lineAt(curve, time) };
    }).sort((p, q) => p.distance - q.distance);
    const chosen = rows.filter((r) => r.curve.pair === this.selected());
    const shown = [...chosen, ...rows.filter((r) => !chosen.includes(r)).slice(0, 5 - chosen.length)];
    this.tip.replaceChildren(el("b", {}, clock(clamp(time, this.player.start, this.player.end), this.timed)),
      ...shown.map(({ curve, distance, bound, computed }) => el("div", {},
        swatch(curve), `${this.model.pairName(curve.pair)}: ${computed ? "" : "about "}${mm(distance)}`,
        proves(this.program) && el("small", {}, ` proved ≥ ${mmDown(bound)}`))));
    const rect = this.canvas.getBoundingClientRect();
    this.tip.hidden = false;
    const x = event.clientX - rect.left;
    this.tip.style.left = `${Math.max(x + 16 + this.tip.offsetWidth > rect.width ? x - 16 - this.tip.offsetWidth : x + 16, 0)}px`;
    this.tip.style.top = "16px";
  }
}
