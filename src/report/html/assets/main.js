// The page: what was found, the picture, the plot, the tables.

const data = JSON.parse(document.getElementById("data").textContent);
const report = data.report;
const app = document.getElementById("app");
const player = new Player();
const stage = data.stage && new Stage(data.stage);

/** State of the program that is shown. */
const shown = { index: -1, pair: -1, contact: null };
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

const many = data.rows.length !== 1;

/** Made once, so that it stays sorted and filtered. */
let list = null;

function showList() {
  player.playing = false;
  shown.index = -1;
  plot = null;
  list ??= card(plural(data.rows.length, "program"), "Click a heading to sort, a row to open its program.", programList(data.rows, openRow));
  put(main, report.error && el("p", { class: "error" }, report.error), list, unchecked(), ...about());
}

function openRow(row) {
  const index = data.rows.indexOf(row);
  if (row.page) location.assign(address(row.page));
  else if (report.programs[index]) openProgram(index);
}

function openProgram(index) {
  const program = report.programs[index];
  const replay = data.programs[index];
  stage?.play(replay?.phases ?? [], replay?.pairs ?? null);
  player.listeners = [];
  Object.assign(shown, { index, motion: null, curves: [] });
  shown.contact = program.first_contact ?? null;
  shown.pair = stage && shown.contact ? stage.pairNamed(shown.contact.a, shown.contact.b) : -1;
  plot = null;
  const parts = [headline(program)];
  if (many) parts.unshift(el("nav", {}, el("button", { type: "button", class: "quiet", id: "back", onclick: showList }, `‹ All ${plural(data.rows.length, "program")}`)));
  if (data.list) {
    const back = el("a", { id: "list" }, "‹ All programs");
    back.href = address(data.list);
    parts.unshift(el("nav", {}, back));
  }
  if (!replay || !stage) {
    if (program.interpolation) parts.push(el("p", { class: "note", id: "no-picture" }, "The motion of this program is not in the page: answers about any delay, and files that changed since the check, cannot be shown yet. What was found is complete."));
    if (program.first_contact) parts.push(contactCard(program, false));
    if (program.limits?.length) parts.push(card("Joint limits", null, limitsTable(report, program, player)));
    put(main, ...parts, ...audited(program, false), unchecked(), ...program.unchecked?.length ? [card("In this program", null, remarksTable(program.unchecked, "remarks", ""))] : [], ...about());
    return;
  }
  const motion = new Motion(replay.motion);
  const curves = curvesOf(replay);
  Object.assign(shown, { motion, curves, program: { ...program, lines: replay.lines, others: replay.others } });
  player.load(motion);
  const picture = el("div", { class: "picture" });
  const joints = el("div", { class: "joints" });
  const plotBox = el("div");
  parts.push(el("div", { class: "stage" },
    el("section", { class: "card view" }, picture, transport(player, program)),
    el("aside", {}, contactCard(shown.program), card("Joints now", null, joints), card("Show", null, options()))));
  parts.push(card("Distance over time", plotNote(replay), plotBox));
  put(main, ...parts, ...findings(shown.program), ...about());
  showPicture(picture);
  if (curves.length) {
    plot = new Plot(plotBox, { stage, curves, program, player, selected: () => shown.pair, select: (pair) => select(pair) });
  } else plotBox.append(el("p", { class: "note" }, "No pair is checked, so there is no distance to show."));
  player.follow(() => pose());
  followJoints(joints, motion);
  select(shown.pair);
  player.set(shown.contact ? shown.contact.time : motion.start);
  view?.fitAll();
  if (shown.contact) view?.seek(shown.contact.point_a);
}

/** The answer in one line. */
function headline(program) {
  const timed = program.timed === true;
  const contact = program.first_contact;
  const verdict = verdictOf(program);
  let sentence = VERDICTS[verdict][0].toUpperCase() + VERDICTS[verdict].slice(1);
  if (contact) {
    const place = program.waypoints === 1 ? "waypoint 1" : `between waypoints ${contact.segment + 1} and ${contact.segment + 2}`;
    const what = { contact: "meets", inside: "is inside, or holds,", unresolved: "comes too close to tell to" }[contact.kind];
    sentence = `${contact.a} ${what} ${contact.b} at ${clock(contact.time, timed)}, ${place}`;
  }
  const least = program.minimum_clearance;
  return el("section", { class: `card headline ${verdict}` },
    badge(verdict),
    el("div", {},
      el("h1", { title: program.program }, baseName(program.program)),
      el("p", {}, sentence, "."),
      program.error && el("p", { class: "error" }, program.error),
      el("p", { class: "facts" }, [
        program.duration !== undefined && timed ? `${program.duration.toFixed(3)} s` : null,
        program.waypoints !== undefined ? plural(program.waypoints, "waypoint") : null,
        program.interpolation && `${program.interpolation} path`,
        program.limits?.length ? `${plural(program.limits.length, "limit")} violated` : null,
        least && `least clearance ${mmUp(least.distance)} (${least.a} – ${least.b}), proved never below ${mmDown(least.lower_bound)}`,
      ].filter(Boolean).join(" · "))));
}

function contactCard(program, replayed = true) {
  const contact = program.first_contact;
  const timed = program.timed === true;
  if (!contact) {
    const least = program.minimum_clearance ?? null;
    const nearest = shown.curves[0];
    if (!least && !nearest) return null;
    const { distance, time } = least ?? leastOf(nearest);
    const name = least ? `${least.a} – ${least.b}` : stage.pairName(nearest.pair);
    const go = (near) => () => {
      const pair = least ? stage.pairNamed(least.a, least.b) : nearest.pair;
      select(pair);
      player.playing = false;
      player.set(near?.time ?? time);
      if (near) closer(near);
    };
    const points = nearest && (!least || stage.pairName(nearest.pair) === name) ? nearestOf(nearest.pair) : null;
    return card("Nearest", null,
      el("dl", {}, el("dt", {}, "who"), el("dd", {}, name),
        el("dt", {}, least ? "least" : "least seen"), el("dd", {}, `${mmUp(distance)} at ${clock(time, timed)}`),
        el("dt", {}, "proved"), el("dd", {}, `never below ${mmDown(least ? least.lower_bound : leastOf(nearest).bound)}`)),
      el("div", { class: "buttons" },
        el("button", { type: "button", id: "go", onclick: go(null) }, "Go there"),
        points && el("button", { type: "button", id: "closer", onclick: go(points) }, "Look closely")));
  }
  const lines = program.lines ?? [];
  const threshold = stage?.pairs[stage.pairNamed(contact.a, contact.b)]?.clearance;
  const [from, to] = [lines[contact.segment], lines[contact.segment + 1]];
  // A sampler proves nothing.
  const proved = timed && !program.sampled;
  return card(contact.kind === "unresolved" ? "Undecided" : "First contact", null,
    el("dl", {},
      el("dt", {}, "who"), el("dd", {}, el("b", { class: "a" }, contact.a), " against ", el("b", { class: "b" }, contact.b)),
      el("dt", {}, "when"), el("dd", {}, clock(contact.time, timed)),
      el("dt", {}, "how close"), el("dd", {}, contact.kind === "inside" ? "one is inside the other" : `${contact.distance > 0 ? mm(contact.distance) : "surfaces cross"}${threshold === undefined ? "" : ` (threshold ${mm(threshold)})`}`),
      el("dt", {}, "where"), el("dd", {}, `${point(contact.point_a)} mm`),
      proved && el("dt", {}, "free"), proved && el("dd", {}, `before ${(Math.floor(contact.free_until * 1e6) / 1e6)} s, proved`),
      from && to && el("dt", {}, "line"), from && to && el("dd", {}, `${baseName(program.program)}:${from} → ${to}`)),
    !replayed && el("p", { class: "note" }, Object.entries(contact.joints).map(([name, q]) => `${name} ${jointValue(q, report.sliding_joints?.includes(name))}`).join(", ")),
    replayed && el("div", { class: "buttons" },
      el("button", { type: "button", id: "go", onclick: () => showContact(contact) }, "Go there"),
      el("button", { type: "button", id: "closer", onclick: () => {
        showContact(contact);
        closer(contact);
      } }, "Look closely")));
}

/** What can be switched on and off in the picture. */
function options() {
  const show = { path: true, contact: true, edges: true, through: false };
  const check = (key, text) => {
    const input = el("input", { type: "checkbox", checked: show[key], id: `show-${key}`, onchange: () => {
      if (view) view.show[key] = input.checked;
      view?.draw();
    } });
    return el("label", {}, input, " ", text);
  };
  const level = el("select", { id: "level", "aria-label": "Level of the sphere trees", onchange: () => { if (view) { view.show.level = Number(level.value); view.draw(); } } },
    el("option", { value: -1 }, "no spheres"),
    Array.from({ length: deepest() + 1 }, (_, k) => el("option", { value: k }, `level ${k}`)));
  const which = el("select", { id: "balls-of", "aria-label": "Bodies whose spheres are shown", onchange: () => { if (view) { view.show.ballsOf = which.value; view.draw(); } } },
    [["moving", "what moves"], ["pair", "chosen pair"], ["all", "all bodies"]].map(([value, name]) => el("option", { value }, name)));
  const tool = el("select", { id: "tool", onchange: () => { if (view) { view.show.tool = Number(tool.value); trace(); } } },
    stage.bodies.map((body, b) => [body, b]).filter(([, b]) => stage.moves(b))
      .map(([body, b]) => el("option", { value: b, selected: b === stage.tools[0] }, body.name)));
  return el("div", { class: "options" },
    el("div", { class: "pair" }, check("path", "path of"), tool),
    check("contact", "closest points and normal"),
    check("edges", "edges"),
    check("through", "see through all but the chosen pair"),
    el("div", { class: "pair" }, level, which));
}

const deepest = () => stage.bodies.flatMap((b) => b.shapes).reduce((most, s) => {
  const levels = bytes(s.levels);
  return Math.max(most, (levels[levels.length - 1] ?? 0) & 127);
}, 0);

function showPicture(picture) {
  try {
    view ??= new View(stage);
    picture.append(view.box);
  } catch (error) {
    trouble = error;
    picture.classList.add("without");
    picture.append(el("p", { id: "no-webgl" }, "This browser shows no 3D (WebGL 2 is missing or switched off). Plots, tables and figures below are complete."));
    return;
  }
  picture.append(el("div", { class: "views", role: "group", "aria-label": "Views" },
    [["All", () => view.fitAll()], ["Front", () => view.look(-Math.PI / 2, 0.05)], ["Left", () => view.look(Math.PI, 0.05)], ["Top", () => view.look(-Math.PI / 2, 1.55)], ["Corner", () => view.look(-0.9, 0.42)]]
      .map(([name, act]) => el("button", { type: "button", onclick: act }, name))));
  view.course = Array.from({ length: 25 }, (_, k) => {
    const { motion } = shown;
    const time = motion.start + (motion.end - motion.start) * k / 24;
    return stage.poses(motion.configuration(time), time);
  });
  view.show = { ...view.show, path: true, contact: true, edges: true, through: false, level: -1, ballsOf: "moving", tool: stage.tools[0] ?? -1 };
  trace();
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
    const pose = stage.poses(motion.configuration(time), time)[body];
    points.push([pose[9], pose[10], pose[11], time]);
  }
  view.trace(points);
  view.draw();
}

/** Puts every body where it is now. */
function pose() {
  if (!view) return;
  view.poses = stage.poses(shown.motion.configuration(player.time), player.time);
  view.now = player.time;
  view.draw();
}

function followJoints(box, motion) {
  const rows = stage.joints.map((joint, j) => ({ joint, j })).filter(({ joint, j }) => !joint.follows || motion.moving.includes(j));
  if (!rows.length) return box.append(el("p", { class: "note" }, "The cell has no joints."));
  const cells = rows.map(({ joint, j }) => {
    const value = el("span", { class: "value" });
    const knob = el("i");
    const range = joint.range;
    box.append(el("div", { class: motion.moving.includes(j) ? "" : "still" },
      el("span", { class: "name", title: joint.name }, joint.name),
      el("span", { class: "range", title: range ? `${jointValue(range[0], joint.slides)} … ${jointValue(range[1], joint.slides)}` : "no limits" }, range && knob), value));
    return (q) => {
      value.textContent = jointValue(q[j], joint.slides);
      if (!range) return;
      const share = (q[j] - range[0]) / (range[1] - range[0]);
      knob.style.left = `${100 * clamp(share, 0, 1)}%`;
      knob.className = share < -1e-6 || share > 1 + 1e-6 ? "beyond" : "";
    };
  });
  player.follow((time) => {
    const q = motion.configuration(time);
    for (const cell of cells) cell(q);
  });
}

/** Chooses a pair of bodies: coloured in the picture, in front in the plot. */
function select(pair) {
  shown.pair = pair;
  const contacts = contactsOf(shown.program).filter((c) => stage.pairNamed(c.a, c.b) === pair);
  if (!contacts.includes(shown.contact)) shown.contact = contacts[0] ?? null;
  if (view) {
    view.pair = pair >= 0 ? stage.pairs[pair] : null;
    view.contact = shown.contact;
    view.nearest = shown.contact ?? nearestOf(pair);
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
  const { a, b } = stage.pairs[pair];
  const away = minus(point_a, point_b), length = Math.hypot(...away);
  return { a: stage.bodies[a].name, b: stage.bodies[b].name, time, distance, point_a, point_b, normal: away.map((x) => length > 0 ? x / length : 0) };
}

function showContact(contact) {
  shown.contact = contact;
  select(stage.pairNamed(contact.a, contact.b));
  player.playing = false;
  player.set(contact.time);
}

/** Close to the closest points, from a side where nothing hides them. */
function closer(contact) {
  const middle = contact.point_a.map((x, i) => (x + contact.point_b[i]) / 2);
  view?.approach(middle, Math.max(0.12, 3 * contact.distance));
  view?.seek(middle);
}

function plotNote(replay) {
  const all = replay.curves.length === stage.pairs.length;
  const others = all ? "These are all pairs that are checked."
    : `The ${plural(replay.curves.length, "pair")} that come nearest, of ${stage.pairs.length}.`
      + (replay.others === null ? "" : ` Every other pair is proved to stay farther apart than ${mmDown(replay.others)}.`);
  const events = stage.phases.length ? " Where a line is interrupted, an event has taken the pair out of the check: it may touch then, or neither body moves against the other." : "";
  return `${others}${events} The line is exact at the instants that were computed; the band below it reaches down to what is proved at every instant in between.`;
}

function findings(program) {
  const parts = [];
  if (program.contacts?.length) parts.push(card("Contacts", "Every interval in which a pair is within its threshold. Click a row to go there.", contactsTable(program, player, showContact)));
  if (program.near_misses?.length) parts.push(card("Near misses", "Every stretch of time in which a pair is nearer than its warn distance. Click a row to go there.", nearTable(program, player, select)));
  const events = program.timeline?.events ?? [];
  if (events.length) parts.push(card("Events", "What is attached, released, moved or allowed along the motion. At the instant of an event both sides of it are checked; the picture shows the one after it. Click a row to go there.", eventsTable(program, player)));
  parts.push(...audited(program, true));
  parts.push(el("div", { class: "row" },
    card("Joint limits", null, program.limits?.length ? limitsTable(report, program, player) : el("p", { class: "note" }, "No joint leaves the limits that were checked.")),
    unchecked()));
  pairsBox = pairsTable({ stage, report, program, curves: shown.curves, player, select, selected: () => shown.pair });
  parts.unshift(card("Pairs", "Every pair of bodies that is checked. Click a row to choose the pair and go to its nearest instant.", pairsBox));
  if (program.unchecked?.length) parts.push(card("In this program", null, remarksTable(program.unchecked, "remarks", "")));
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
    view.pair = { a: stage.body(pair.a), b: stage.body(pair.b) };
    view.draw();
  };
  const contacts = program.audit.allowances.flatMap((allowance) => (allowance.pairs ?? []).flatMap((pair) => (pair.contacts ?? []).map((contact) => ({ allowance, pair, contact }))));
  return [card("Allowed pairs", `Pairs that somebody allows to touch do not count for the verdict. These come within their thresholds all the same.${replayed ? " Click a row to go there." : ""}`,
    allowedTable(contacts, program, replayed ? look : null),
    el("details", {}, el("summary", {}, `All allowances (${program.audit.allowances.length})`), allowancesTable(program.audit.allowances)))];
}

const unchecked = () => card("Not checked", null, report.unchecked.length
  ? remarksTable(report.unchecked, "unchecked", "")
  : el("p", { class: "note" }, "Nothing was left out but pairs that are allowed, adjacent, or never move towards each other."));

/** What holds for the whole run, and what the answer means. */
function about() {
  const parts = [];
  if (report.notes?.length) parts.push(card("Noticed", null, remarksTable(report.notes, "notes", "")));
  if (stage) {
    parts.push(el("details", { class: "card" }, el("summary", {}, el("h2", {}, `Pairs that are not checked (${stage.excluded.length})`)), el("p", { class: "note" }, "As the cell file has it. Events of a program may change it."), excludedTable(stage)));
  }
  const sampled = report.programs.some((p) => p.sampled);
  const coarseness = Math.max(0, ...report.programs.map((p) => p.coarseness ?? 0));
  const pairs = stage?.phases.length ? `${plural(stage.pairs.length, "pair")}, not all of them all the time, as events change them,` : plural(report.pairs ?? 0, "pair");
  const own = report.own_thresholds ? ` (${plural(report.own_thresholds, "pair")} with a threshold of their own)` : "";
  parts.push(el("footer", {},
    el("p", {}, `Checked: ${pairs} of ${plural(report.bodies ?? 0, "body", "bodies")} at ${sampled ? "instants" : "every instant"} of the motion, threshold ${mm(report.clearance)}${own}, resolution ${mm(report.resolution)}. `
      + `${sampled ? "Nothing is proved between the instants." : "Clear is proved."} Contact means the threshold or closer${coarseness > 0 ? `, or up to ${mmUp(coarseness)} farther apart: \`${report.shape}\` knows no exact triangles` : ""}. It is a check of geometry, not a safety function.`),
    stage && el("p", { id: "simplified" }, simplified()),
    el("p", {}, `${report.tool} ${report.version}. Keys: space plays, ← and → move the slider; in the picture the arrow keys turn, + and − zoom, 0 shows everything; with the mouse drag to turn, drag with shift or the right button to move.`)));
  return parts;
}

/** Whether the picture is coarser than the check. */
function simplified() {
  const meshes = data.stage.bodies.flatMap((b) => b.shapes).filter((s) => s.form === "mesh");
  const [checked, drawn] = ["checked", "shown"].map((key) => meshes.reduce((n, s) => n + s[key], 0));
  const coarse = meshes.filter((s) => s.shown < s.checked);
  const whole = `The picture shows ${drawn === checked ? "all" : `${drawn.toLocaleString("en-US")} of`} ${checked.toLocaleString("en-US")} triangles`;
  const rest = shown.motion && !shown.motion.whole ? " This long motion is drawn through instants on it, contacts among them." : "";
  const moved = Math.max(0, ...coarse.map((s) => s.moved));
  return (coarse.length && moved > 0 ? `${whole}: meshes are simplified for the eye, by up to ${mmUp(moved)}. ` : `${whole}, corners rounded to 1/65,000 of each mesh's size. `)
    + `Every triangle, as it stands in the files, was checked.${rest}`;
}

addEventListener("keydown", (event) => {
  if (event.key !== " " || !shown.motion || shown.index < 0 || event.target.closest("button, input, select, summary, a")) return;
  event.preventDefault();
  player.toggle();
});

/** For tests and the curious: what the page computes, in metres and radians. */
window.clearance = {
  get time() { return player.time; },
  set time(time) { player.set(time); },
  get joints() {
    const q = shown.motion.configuration(player.time);
    return Object.fromEntries(stage.joints.map((joint, j) => [joint.name, q[j]]));
  },
  /** World pose of a body: rotation by rows, then translation. */
  pose: (name) => [...stage.poses(shown.motion.configuration(player.time), player.time)[stage.body(name)]],
  /** Least distance in the plot. */
  get least() {
    const all = shown.curves.map((curve) => ({ pair: stage.pairName(curve.pair), ...leastOf(curve) }));
    return all.reduce((p, q) => q.distance < p.distance ? q : p);
  },
  get curves() { return shown.curves.map(({ pair, times, distances, bounds }) => ({ pair: stage.pairName(pair), times: [...times], distances: [...distances], bounds: [...bounds] })); },
  get picture() { return view ? "webgl" : String(trouble); },
  get chosen() { return shown.pair < 0 ? null : stage.pairName(shown.pair); },
};

if (many) showList();
else openProgram(0);
