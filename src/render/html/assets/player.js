// The clock that everything on the page follows.

class Player {
  constructor() {
    this.start = 0;
    this.end = 0;
    this.time = 0;
    this.speed = 1;
    this.playing = false;
    this.listeners = [];
  }

  follow(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this.time);
  }

  /** Another motion. */
  load(motion, time) {
    this.playing = false;
    this.motion = motion;
    this.start = motion ? motion.start : 0;
    this.end = motion ? motion.end : 0;
    this.set(time ?? this.start);
  }

  set(time) {
    this.time = clamp(time, this.start, this.end);
    this.tell();
  }

  toggle() {
    if (this.end <= this.start) return;
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.start;
    this.last = undefined;
    if (this.playing) requestAnimationFrame((at) => this.pass(at));
    this.tell();
  }

  /** What has passed since the last frame. */
  pass(at) {
    if (!this.playing) return;
    const passed = this.last === undefined ? 0 : Math.min((at - this.last) / 1000, 0.1);
    this.last = at;
    const next = this.time + passed * this.speed;
    if (next >= this.end) this.playing = false;
    this.set(next);
    if (this.playing) requestAnimationFrame((then) => this.pass(then));
  }

  /** A hundredth of the motion on or back, or with `fine` a thousandth. */
  step(way, fine) {
    this.playing = false;
    this.set(this.time + way * (this.end - this.start) / (fine ? 1000 : 100));
  }

  /** To the waypoint before or after. */
  jump(direction) {
    const { starts, end, waypoints } = this.motion;
    const stops = waypoints.length ? waypoints : [...starts, end];
    const slack = 1e-9 * Math.max(1, this.end - this.start);
    const next = direction > 0 ? stops.find((t) => t > this.time + slack) : stops.findLast((t) => t < this.time - slack);
    if (next !== undefined) this.set(next);
  }
}

/** Play, slider, speed, and the time in figures. */
function transport(player, program) {
  const timed = program.timed === true;
  const motion = player.motion;
  const length = motion.end - motion.start;
  const play = el("button", { class: "play", type: "button", id: "play", onclick: () => player.toggle() });
  const slider = el("input", {
    type: "range", id: "time", min: motion.start, max: motion.end, step: "any", "aria-label": "Time",
    disabled: length <= 0,
    oninput: () => player.set(Number(slider.value)),
    onkeydown: (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      player.step(step, event.shiftKey);
    },
  });
  const readout = el("output", { class: "readout", for: "time" });
  const ticks = svg("svg", { class: "ticks", preserveAspectRatio: "none", viewBox: "0 0 1000 10", "aria-hidden": "true" });
  const at = (time) => length > 0 ? 1000 * (time - motion.start) / length : 0;
  if (motion.whole && motion.starts.length <= 400) {
    for (const time of motion.waypoints.length ? motion.waypoints : [...motion.starts, motion.end]) ticks.append(svg("rect", { class: "tick", x: at(time) - 0.5, y: 0, width: 1, height: 5 }));
  }
  for (const contact of contactsOf(program)) {
    const from = at(contact.free_until), to = at(contact.until ?? contact.time);
    ticks.append(svg("rect", { class: `band ${contact.kind}`, x: from - 2, y: 0, width: Math.max(to - from, 0) + 4, height: 10 }));
  }
  const speed = el("select", { "aria-label": "Speed", onchange: () => { player.speed = Number(speed.value); } },
    [0.1, 0.25, 0.5, 1, 2, 5].map((x) => el("option", { value: x, selected: x === player.speed }, `${x} ×`)));
  player.follow((time) => {
    play.replaceChildren(icon(player.playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11l9-5.5z"));
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    slider.value = time;
    const between = length > 0 ? motion.between(time) : null;
    const way = between && (program.moves?.[between[0]] ? moveNamed(program, between[0]).replace("the ", "") : `waypoint ${between[0] + 1} → ${between[0] + 2}`);
    const place = way ? `${way}, ${Math.round(100 * between[1])} %` : "";
    slider.setAttribute("aria-valuetext", `${clock(time, timed)} ${place}`);
    readout.replaceChildren(el("b", {}, clock(time, timed)), el("span", {}, place));
  });
  const stop = motion.whole ? "Waypoint" : "Exact instant";
  return el("div", { class: "transport" },
    el("button", { type: "button", "aria-label": `${stop} before`, title: `${stop} before`, onclick: () => player.jump(-1) }, icon("M4 3h2v10H4zM13 3v10L6.5 8z")),
    play,
    el("button", { type: "button", "aria-label": `${stop} after`, title: `${stop} after`, onclick: () => player.jump(1) }, icon("M10 3h2v10h-2zM3 3v10l6.5-5z")),
    el("div", { class: "track" }, slider, ticks), readout, speed);
}

/** Beside the slider of a motion that is drawn through instants on it: whether the picture is exact now, else by how much it is off. */
function thinnedNote(player) {
  const { motion } = player;
  if (motion.whole) return null;
  const now = el("b");
  const most = (slides) => motion.moving.reduce((far, joint, m) => Boolean(model.joints[joint].slides) === slides ? Math.max(far, motion.off[m]) : far, 0);
  const [turn, slide] = [most(false), most(true)];
  const off = [turn > 0 ? `${digits(turn * 180 / Math.PI, Math.ceil)}°` : null, slide > 0 ? mmUp(slide) : null].filter(Boolean).join(" and ");
  player.follow((time) => {
    now.textContent = motion.exact(time) ? "The picture is exact at this time." : "The picture is approximate at this time.";
  });
  return el("p", { class: "note", id: "thinned" }, now, ` This long motion is drawn through ${plural(motion.starts.length + 1, "instant")} of it. `
    + `It is exact at those, and all findings and the computed instants of the plot are among them. In between, joints are drawn up to ${off || "0°"} from their values.`);
}

const icon = (path) => svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path }));

/** Contacts that a program's report names: all of them, or the first. */
function contactsOf(program) {
  return program.contacts && program.contacts.length ? program.contacts : [program.first_contact].filter(Boolean);
}

/**
 * Whether something was found in the motion that the picture has: at its delays (what has none was found without delay), and not on
 * another way through the program.
 */
function atShownDelays(found) {
  const shownThere = shown.delays ?? [], foundThere = found.delays ?? [];
  const same = (_, k) => (shownThere[k] ?? 0) === (foundThere[k] ?? 0);
  return found.way === undefined && Array.from({ length: Math.max(shownThere.length, foundThere.length) }, same).every(Boolean);
}

/** What of the findings happens in the motion that is shown: at other delays its times are other ones. */
const happening = (program) => ({
  ...program,
  first_contact: [program.first_contact].filter(Boolean).find(atShownDelays),
  contacts: program.contacts?.filter(atShownDelays),
  near_misses: program.near_misses?.filter(atShownDelays),
  limits: program.limits?.filter(atShownDelays),
  timeline: program.timeline && { ...program.timeline, events: program.timeline.events?.filter(atShownDelays) },
});
