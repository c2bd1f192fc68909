// The page: what was found, the picture, the plot, the tables.

const data = JSON.parse(document.getElementById("data").textContent);
const report = data.report;
const app = document.getElementById("app");
const player = new Player();
const model = data.model && new Model(data.model);

/** State of the program that is shown. */
const shown = { index: -1, pair: -1, contact: null, jog: null, delays: null };
let view = null, plot = null, trouble = null, pairsBox = null;

const theme = themeButton(() => {
  view?.draw();
  plot?.draw();
});

const main = el("main");
app.append(
  el("header", { class: "bar" },
    el("span", { class: "brand" }, "clearance"),
    el("span", { class: "cell", title: report.cell }, report.cell),
    el("span", { class: "space" }),
    theme),
  main);

// A list of a batch holds no programs itself, not even when it has a single row.
const many = data.rows.length !== 1 || report.programs.length === 0;

/** Made once, so that it stays sorted and filtered. */
let list = null;

function showList() {
  player.playing = false;
  Object.assign(shown, { index: -1, motion: null, jog: null });
  plot = null;
  list ??= card(plural(data.rows.length, "program"), "Click a heading to sort, a row to open its program.", programList(data.rows, openRow));
  put(main, report.error && el("p", { class: "card error" }, inLines(report.error)), overall(data.rows), list, unchecked(), ...about());
}

function openRow(row) {
  const index = data.rows.indexOf(row);
  if (row.page) location.assign(address(row.page));
  else if (report.programs[index]) openProgram(index);
}

function openProgram(index) {
  const program = report.programs[index];
  const replay = data.programs[index];
  model?.play(replay?.phases ?? [], replay?.pairs ?? null);
  player.listeners = [];
  Object.assign(shown, { index, motion: null, curves: [], jog: null, told: null, delays: replay?.delays ?? null });
  shown.contact = program.first_contact ?? null;
  shown.pair = model && shown.contact ? model.pairNamed(shown.contact.a, shown.contact.b) : -1;
  plot = null;
  const parts = [headline(program)];
  if (many) parts.unshift(el("nav", {}, el("button", { type: "button", class: "quiet", id: "back", onclick: showList }, `‹ All ${plural(data.rows.length, "program")}`)));
  if (data.list) {
    const back = el("a", { id: "list" }, "‹ All programs");
    back.href = address(data.list);
    parts.unshift(el("nav", {}, back));
  }
  if (!replay || !model) {
    if (program.interpolation) parts.push(el("p", { class: "note", id: "no-picture" }, "The motion of this program is not in the page: files that changed since the check cannot be shown. What was found is complete."));
    if (program.first_contact) parts.push(contactCard(program, false));
    if (program.margin) parts.push(marginCard(program));
    if (program.limits?.length) parts.push(card("Joint limits", null, limitsTable(report, program, player)));
    put(main, ...parts, programsCard(program), ...audited(program, false), unchecked(), ...remarksOf(program), ...about());
    return;
  }
  const motion = new Motion(replay.motion);
  const curves = curvesOf(replay, program);
  Object.assign(shown, { motion, curves, moves: movesOf(replay.moves), program: { ...program, lines: replay.lines, others: replay.others } });
  const seen = happening(program);
  player.load(motion);
  const picture = el("div", { class: "picture" });
  const plotBox = el("div");
  parts.push(el("div", { class: "stage" },
    el("section", { class: "card view" }, picture, shownDelays(program), transport(player, seen), thinnedNote(player)),
    el("aside", {}, contactCard(shown.program), marginCard(shown.program), jointsCard(motion), card("Show", null, options()))));
  parts.push(card("Distance over time", plotNote(replay, program), plotBox));
  put(main, ...parts, ...findings(shown.program), ...about());
  showPicture(picture);
  if (curves.length) {
    plot = new Plot(plotBox, { model, curves, program: seen, player, selected: () => shown.pair, select: (pair) => select(pair) });
  } else plotBox.append(el("p", { class: "note" }, "No pair is checked, so there is no distance to show."));
  player.follow(() => {
    // Who moves time looks at the motion again.
    shown.jog = null;
    pose();
  });
  select(shown.pair);
  player.set(shown.contact ? shown.contact.time : motion.start);
  view?.fitAll();
  if (shown.contact) view?.seek(shown.contact.point_a);
}

function showPicture(picture) {
  try {
    view ??= new View(model);
    picture.append(view.box);
  } catch (error) {
    trouble = error;
    picture.classList.add("without");
    picture.append(el("p", { id: "no-webgl" }, "This browser shows no 3D (WebGL 2 is missing or switched off). Plots, tables and figures below are complete."));
    return;
  }
  picture.append(view.banner);
  picture.after(view.key);
  picture.append(el("div", { class: "views", role: "group", "aria-label": "Views" },
    [["All", () => view.fitAll()], ["Front", () => view.look(-Math.PI / 2, 0.05)], ["Left", () => view.look(Math.PI, 0.05)], ["Top", () => view.look(-Math.PI / 2, 1.55)], ["Corner", () => view.look(-0.9, 0.42)]]
      .map(([name, act]) => el("button", { type: "button", onclick: act }, name))));
  view.course = Array.from({ length: 25 }, (_, k) => {
    const { motion } = shown;
    const time = motion.start + (motion.end - motion.start) * k / 24;
    return model.poses(motion.configuration(time), time);
  });
  view.show = { ...view.show, path: true, moves: true, contact: true, edges: true, through: false, throughStanding: false, level: -1, ballsOf: "moving", tool: model.tools[0] ?? -1 };
  view.outline(shown.moves);
  view.drawKey();
  trace();
}

/** What moves draw. It has the time before all others, as it is drawn strongly all the time. */
function movesOf({ lines, corners, left_out: leftOut }) {
  const places = (text) => {
    const numbers = floats(text);
    return Array.from({ length: numbers.length / 3 }, (_, k) => [...numbers.subarray(3 * k, 3 * k + 3), -1e9]);
  };
  return { lines: lines.map(places), corners: corners.map((c) => ({ ...c, strips: c.strips.map(places) })), leftOut };
}

/** The path of the chosen body's origin. */
function trace() {
  if (!view) return;
  const { motion } = shown;
  const body = view.show.tool;
  if (body < 0 || motion.end <= motion.start) return view.trace(null);
  const count = clamp(motion.starts.length * 12, 300, 3000);
  const points = [];
  for (let k = 0; k <= count; k++) {
    const time = motion.start + (motion.end - motion.start) * k / count;
    const pose = model.poses(motion.configuration(time), time)[body];
    points.push([pose[9], pose[10], pose[11], time]);
  }
  view.trace(points);
  view.draw();
}

/** Puts every body where it is now. */
function pose() {
  shown.told?.();
  if (!view) return;
  view.poses = model.poses(configuration(), player.time);
  view.now = player.time;
  const jogged = Boolean(shown.jog);
  if (view.jogged !== jogged) {
    view.jogged = jogged;
    view.drawKey();
  }
  view.banner.hidden = !shown.jog;
  view.draw();
}

/** Chooses a pair of bodies: coloured in the picture, in front in the plot. */
function select(pair) {
  shown.pair = pair;
  const contacts = contactsOf(shown.program).filter((c) => atShownDelays(c) && model.pairNamed(c.a, c.b) === pair);
  if (!contacts.includes(shown.contact)) shown.contact = contacts[0] ?? null;
  if (view) {
    view.pair = pair >= 0 ? model.pairs[pair] : null;
    view.contact = shown.contact;
    view.nearest = shown.contact ?? nearestOf(pair);
    view.timed = shown.program.timed === true;
    view.drawKey();
    view.draw();
  }
  plot?.refresh();
  pairsBox?.refresh();
}

/** The nearest instant of a pair in the plot, told like a contact. */
function nearestOf(pair) {
  const curve = shown.curves.find((c) => c.pair === pair);
  if (!curve || !curve.points) return null;
  const [point_a, point_b] = curve.points;
  const { distance, time } = leastOf(curve);
  const { a, b } = model.pairs[pair];
  const away = minus(point_a, point_b), length = Math.hypot(...away);
  return { a: model.bodies[a].name, b: model.bodies[b].name, time, distance, point_a, point_b, normal: away.map((x) => length > 0 ? x / length : 0) };
}

function showContact(contact, time = contact.time) {
  if (!atShownDelays(contact)) {
    // It is nowhere in this motion.
    select(model.pairNamed(contact.a, contact.b));
    return;
  }
  shown.contact = contact;
  select(model.pairNamed(contact.a, contact.b));
  player.playing = false;
  player.set(time);
}

/** Close to the closest points, from a side where nothing hides them. */
function closer(contact) {
  const middle = contact.point_a.map((x, i) => (x + contact.point_b[i]) / 2);
  view?.approach(middle, Math.max(0.12, 3 * contact.distance));
  view?.seek(middle);
}

/** At which delays the motion is shown, where the answer is about all of them. */
function shownDelays(program) {
  if (!aboutDelays(program)) return null;
  const how = late(program, shown.delays).replace(/^, /, "");
  return el("p", { class: "note", id: "delays" }, `Shown ${how ? `with ${how}` : "without any delay"}. The answer is for ${delaysOf(program.timeline)}; what was found at another delay stands in the tables and has no place in this motion.${report.warn_pairs ? ` Near misses are listed ${WITHOUT_DELAY}.` : ""}`);
}

/** The programs that run together, where there are several. */
const programsCard = (program) => together(program).length ? card("Programs that run together", "Each has its own waypoints and lines.", programsTable(program)) : null;

function plotNote(replay, program) {
  const all = replay.curves.length === model.pairs.length;
  const others = all ? "These are all pairs that are checked."
    : `The ${plural(replay.curves.length, "pair")} that come nearest, of ${model.pairs.length}.`
      + (replay.others === null || !proves(program) ? "" : ` Every other pair is proved to stay farther apart than ${mmDown(replay.others)}${replay.delays ? " at the delays shown" : ""}.`);
  const events = model.phases.length ? " Where a line is interrupted, an event has taken the pair out of the check: it may touch then, or neither body moves against the other." : "";
  const band = proves(program) ? `the band below it reaches down to what is proved at every instant in between${replay.delays ? ", at the delays shown only" : ""}.`
    : "between them it is drawn straight, and nothing is proved there.";
  return `${others}${events} The line is exact at the instants that were computed; ${band}${idealNote(program)}`;
}

/** A long program has more moves and corners than anybody can see at once: how many the picture lacks. */
function notDrawn([lines, corners]) {
  const left = [...(lines ? [plural(lines, "line")] : []), ...(corners ? [plural(corners, "corner")] : [])];
  return left.length ? ` The picture leaves out the last ${left.join(" and ")}${corners ? ", which the table does not name" : ""}.` : "";
}

function findings(program) {
  const parts = [];
  const elsewhere = shown.delays ? ", if that is at the delays shown" : "";
  if (program.contacts?.length) parts.push(card("Contacts", "Every interval in which a pair is within its threshold, the worst first. Click a row to go there" + elsewhere + ".", contactsTable(program, (c) => showContact(c))));
  if (program.near_misses?.length) parts.push(card("Near misses", "Every interval of time in which a pair is not proved farther than its warn distance, the nearest first" + (aboutDelays(program) ? `, ${WITHOUT_DELAY}` : "") + ". Click a row to go there.", nearTable(program, player, select)));
  if (program.moves?.length) parts.push(card("Moves", `As the program states them. Click a row to go to its beginning.${notDrawn(shown.moves.leftOut)}`, movesTable(program, shown.moves.corners, player)));
  const events = program.timeline?.events ?? [];
  if (events.length) parts.push(card("Events", "What is attached, released, moved or allowed along the motion. At the instant of an event both sides of it are checked; the picture shows the one after it. Click a row to go there.", eventsTable(program, player)));
  parts.push(...audited(program, true));
  parts.push(el("div", { class: "row" },
    card("Joint limits", null, program.limits?.length ? limitsTable(report, program, player) : el("p", { class: "note" }, "No joint leaves the limits that were checked.")),
    unchecked()));
  pairsBox = pairsTable({ model, report, program, curves: shown.curves, player, select, selected: () => shown.pair });
  parts.unshift(card("Pairs", "Every pair of bodies that is checked, the worst first. Click a row to choose the pair and go to its nearest instant" + elsewhere + "." + idealNote(program), pairsBox));
  const classes = program.minimum_by_class ?? [];
  if (classes.length) parts.unshift(card("Least clearance by kind of pair", `Proved over the whole motion${shown.delays ? " and all delays" : ""}. Click a row to go there${elsewhere}.${idealNote(program)}`, classesTable(program, player, select)));
  parts.push(...remarksOf(program));
  parts.unshift(programsCard(program));
  return parts;
}

/** What allowed pairs do along the program. */
function audited(program, replayed) {
  if (!program.audit) return [];
  const look = (pair, contact) => {
    select(-1);
    player.playing = false;
    player.set(contact.time);
    if (!view) return;
    view.pair = { a: model.body(pair.a), b: model.body(pair.b) };
    view.drawKey();
    view.draw();
  };
  const contacts = program.audit.allowances.flatMap((allowance) => (allowance.pairs ?? []).flatMap((pair) => (pair.contacts ?? []).map((contact) => ({ allowance, pair, contact }))));
  return [card("Allowed pairs", `Pairs that somebody allows to touch do not count for the verdict. These come within their thresholds all the same.${replayed ? " Click a row to go there." : ""}`,
    allowedTable(contacts, program, replayed ? look : null),
    el("details", {}, el("summary", {}, `All allowances (${program.audit.allowances.length})`), allowancesTable(program.audit.allowances)))];
}

/** Keys that work wherever the focus is, unless what has it uses them. */
addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = event.target.closest ? event.target : document.body;
  if (at.closest("select, textarea, input:not([type=checkbox])")) return;
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (shown.motion && way) player.step(way, event.shiftKey);
  else if (shown.motion && event.key === " " && !at.closest("button, input, summary, a")) player.toggle();
  else if (shown.index < 0 && event.key === "ArrowDown" && at === document.body) document.querySelector("#programs tr.act")?.focus();
  else return;
  event.preventDefault();
});

/** Paper shows what lies folded as well. */
const unfolded = [];
addEventListener("beforeprint", () => {
  unfolded.push(...document.querySelectorAll("details:not([open])"));
  for (const details of unfolded) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of unfolded.splice(0)) details.open = false;
});

/** For tests and the curious: what the page computes, in metres and radians. */
window.clearance = {
  get time() { return player.time; },
  set time(time) { player.set(time); },
  get joints() {
    const q = configuration();
    return Object.fromEntries(model.joints.map((joint, j) => [joint.name, q[j]]));
  },
  /** World pose of a body: rotation by rows, then translation. */
  pose: (name) => [...model.poses(configuration(), player.time)[model.body(name)]],
  /** Least distance in the plot. */
  get least() {
    const all = shown.curves.map((curve) => ({ pair: model.pairName(curve.pair), ...leastOf(curve) }));
    return all.reduce((p, q) => q.distance < p.distance ? q : p);
  },
  get curves() { return shown.curves.map(({ pair, times, distances, bounds }) => ({ pair: model.pairName(pair), times: [...times], distances: [...distances], bounds: [...bounds] })); },
  get picture() { return view ? "webgl" : String(trouble); },
  /** The colour of a body, 0 … 1. */
  tint: (name) => view.tint(model.body(name)),
  get bodies() { return model.bodies.map((b) => b.name); },
  get jogging() { return Boolean(shown.jog); },
  /** From where the picture looks: for tests of gestures. */
  get camera() { return view && { yaw: view.camera.yaw, pitch: view.camera.pitch, distance: view.camera.distance, target: [...view.camera.target] }; },
  /** How many lines and strips of corners the picture has of moves. */
  get outlines() { return view ? view.outlines.length : 0; },
  get moves() { return shown.moves; },
  get chosen() { return shown.pair < 0 ? null : model.pairName(shown.pair); },
};

if (data.cell) showCell();
else if (many) showList();
else openProgram(0);
