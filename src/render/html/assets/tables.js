// Tables that can be sorted by their headings and filtered by a word.

/**
 * `columns`: { name, text(row) or node(row), sort(row) optional, number: bool, title }. `rows` in their first order.
 * `label` names the table. `act(row)` is called for a click or Enter on a row, and for one that the keys ↑ and ↓ reach, unless it opens another page.
 */
function table(columns, rows, { label, filter = false, act = null, id = null, chosen = null, empty = "Nothing.", opens = false } = {}) {
  let sorted = null, down = false, word = "";
  const body = el("tbody");
  const count = el("span", { class: "count", "aria-live": "polite" });
  const heads = columns.map((column, k) => el("th", { scope: "col", class: column.number ? "number" : null, title: column.title },
    el("button", { type: "button", onclick: () => {
      down = sorted === k ? !down : false;
      sorted = k;
      show();
    } }, column.name)));
  const value = (column, row) => column.sort ? column.sort(row) : column.text(row);
  const texts = new Map(rows.map((row) => [row, columns.map((c) => c.text(row)).join(" ").toLowerCase()]));
  function order(p, q) {
    const [x, y] = [p, q].map((row) => value(columns[sorted], row));
    if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1;
    if (y === null || y === undefined) return -1;
    const less = typeof x === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
    return down ? -less : less;
  }
  function show() {
    heads.forEach((head, k) => {
      if (k === sorted) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const words = word.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = rows.filter((row) => words.every((w) => texts.get(row).includes(w)));
    if (sorted !== null) shown = [...shown].sort(order);
    count.textContent = shown.length === rows.length ? "" : `${shown.length} of ${rows.length}`;
    body.replaceChildren(...shown.slice(0, most).map(line));
    if (shown.length > most) {
      body.append(el("tr", {}, el("td", { colspan: columns.length }, el("button", { type: "button", onclick: () => { most += 500; show(); } }, `Show more (${shown.length - most} left)`))));
    }
    if (!shown.length) body.append(el("tr", {}, el("td", { colspan: columns.length, class: "none" }, rows.length ? "No row has these words." : empty)));
  }
  let most = 500;
  // What acts may draw the rows anew: the focus stays in its place.
  const choose = (row, k) => {
    act(row);
    if (box.isConnected) body.children[k]?.focus({ preventScroll: true });
  };
  const line = (row, k, all) => el("tr", act ? {
    class: `act${chosen && chosen(row) ? " chosen" : ""}`, tabindex: 0,
    onclick: (event) => { if (!event.target.closest("a")) choose(row, k); },
    onkeydown: (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const next = k + ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0);
      if (next !== k) {
        if (next < 0 || next >= all.length) return;
        if (!opens) choose(all[next], next);
        body.children[next].focus();
      } else if (event.key === "Enter" && !event.target.closest("a")) choose(row, k);
      else return;
      event.preventDefault();
    },
  } : {}, columns.map((c) => el("td", { class: c.number ? "number" : c.wide ? "wide" : c.slim ? "slim" : null }, c.node ? c.node(row) : c.text(row))));
  const input = filter && el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter rows", oninput: () => { word = input.value; show(); } });
  show();
  const box = el("div", { class: "table", id },
    filter && el("div", { class: "tools" }, input, count),
    el("div", { class: "scroll" }, el("table", { "aria-label": label }, el("thead", {}, el("tr", {}, heads)), body)));
  box.refresh = show;
  return box;
}

/** A part of the page with a heading. */
const card = (title, note, ...content) => el("section", { class: "card" }, el("h2", {}, title), note && el("p", { class: "note" }, note), ...content);

/** Which programs started late in what a row tells, where the answer is about all delays. */
const startedLate = (program) => shown.delays ? [{ name: "Started late", text: (r) => r.time === null ? "–" : late(program, r.delays).replace(/^, /, "") || "none" }] : [];

function pairsTable({ model, report, program, curves, player, select, selected }) {
  const curveOf = new Map(curves.map((c) => [c.pair, leastOf(c)]));
  const certified = new Map((program.pair_minimums ?? []).map((m) => [model.pairNamed(m.a, m.b), m]));
  const contacts = new Map();
  for (const c of [program.first_contact, ...(program.contacts ?? [])].filter(Boolean)) {
    const pair = model.pairNamed(c.a, c.b);
    if (!contacts.has(pair)) contacts.set(pair, c);
  }
  const timed = program.timed === true;
  // What is proved of one delay is not proved.
  const one = Boolean(shown.delays);
  const others = curves.length < model.pairs.length && !one ? program.others : null;
  const beyond = program.others_farther_than;
  // That of the nearest pair holds for every pair.
  const all = program.minimum_clearance && program.minimum_clearance.lower_bound;
  // Least distances are those of the ideal motion: where errors are allowed for, they make no pair clear.
  const errors = withErrors(program);
  const greatest = (bounds) => {
    const numbers = bounds.filter((x) => typeof x === "number");
    return numbers.length ? Math.max(...numbers) : null;
  };
  const rows = model.pairs.map((p, pair) => {
    const sure = certified.get(pair), curve = curveOf.get(pair), contact = contacts.get(pair);
    const inSpiteOfErrors = [curve && !one && curve.bound, !curve && others];
    const bound = greatest([sure && sure.lower_bound, !sure && beyond, all, ...inSpiteOfErrors]);
    return {
      pair, a: model.bodies[p.a].name, b: model.bodies[p.b].name, threshold: p.requiredClearance,
      seen: sure ? sure.distance : curve ? curve.distance : null,
      time: sure ? sure.time : curve ? curve.time : null,
      bound: bound === null ? null : boundOf(program, bound, p.requiredClearance), safe: errors ? greatest(inSpiteOfErrors) : bound,
      contact, delays: sure ? sure.delays : shown.delays,
    };
  });
  const state = (r) => r.contact ? { unresolved: "undecided" }[r.contact.kind] ?? r.contact.kind
    // Where nothing is proved, nothing is called clear.
    : !proves(program) ? "–"
    // In an open corner other pairs may meet as well.
    : program.verdict !== "clear" && roundsCorners(program) ? "–"
    : program.verdict === "clear" || (r.safe !== null && r.safe > r.threshold) ? "clear" : "–";
  const room = (r) => r.seen === null ? Infinity : r.seen - r.threshold;
  const found = (r) => r.contact ? isOpen(r.contact) ? 1 : 0 : 2;
  rows.sort((p, q) => found(p) - found(q) || (p.contact && q.contact ? worse(p.contact, q.contact) : 0) || compare(room(p), room(q)));
  return table([
    { name: "Body", text: (r) => r.a },
    { name: "Against", text: (r) => r.b },
    { name: "Result", text: state, node: (r) => state(r) === "–" ? "–" : badge(state(r)) },
    { name: "Least seen", number: true, text: (r) => r.seen === null ? "–" : mmUp(r.seen), sort: (r) => r.seen, title: "Distance that was attained" },
    ...(proves(program) ? [{ name: "Proved never below", number: true, text: (r) => r.bound === null ? "–" : mmDown(r.bound), sort: (r) => r.bound, title: roundsCorners(program) ? "Lower bound that holds at every instant of the way through the taught points" : "Lower bound that holds at every instant" }] : []),
    { name: "Deep", number: true, text: (r) => r.contact ? deepOf(r.contact) ?? "–" : "–", sort: (r) => r.contact?.depth ?? null, title: "How deep the two are at least in each other" },
    { name: "Threshold", number: true, text: (r) => mmStated(r.threshold), sort: (r) => r.threshold },
    { name: "When", number: true, text: (r) => r.time === null ? "–" : clock(r.time, timed), sort: (r) => r.time },
    ...startedLate(program),
  ], rows, {
    label: "Pairs", filter: true, id: "pairs", chosen: (r) => r.pair === selected(),
    act: (r) => {
      select(r.pair, true);
      const time = r.contact ? r.contact.time : r.time;
      if (time !== null && atShownDelays(r.contact ?? r)) player.set(time);
    },
    empty: "No pair is checked in this cell.",
  });
}

/** −1, 0 or 1; of equal ones, two without a number among them, 0. */
const compare = (x, y) => x < y ? -1 : x > y ? 1 : 0;

/** Whether no contact was found: it is undecided, or only possible. */
const isOpen = (contact) => contact.kind === "unresolved" || contact.kind === "possible";

/** Worst first: contacts before what is undecided or possible, the deepest first, then the nearest, then the earliest. */
const worse = (p, q) => isOpen(p) - isOpen(q) || compare(q.depth ?? 0, p.depth ?? 0) || compare(p.distance, q.distance) || compare(p.time, q.time);

function contactsTable(program, selectContact) {
  const timed = program.timed === true;
  return table([
    { name: "From", number: true, text: (c) => begins(c.free_until, timed), sort: (c) => c.free_until, title: program.sampled ? "As sampled: nothing is proved" : "Everything before is proved free of this pair" },
    { name: "Until", number: true, text: (c) => c.until === undefined ? "–" : ends(c.until, timed), sort: (c) => c.until ?? Infinity },
    { name: "Body", text: (c) => c.a },
    { name: "Against", text: (c) => c.b },
    { name: "Kind", text: (c) => c.kind },
    { name: "Distance", number: true, text: (c) => mmUp(c.distance), sort: (c) => c.distance, title: "Where it was found" },
    { name: "Deep", number: true, text: (c) => deepOf(c) ?? "–", sort: (c) => c.depth ?? null, title: "How deep the two are at least in each other" },
    // Programs that run together have segments of their own.
    together(program).length ? { name: "When", number: true, text: (c) => clock(c.time, timed), sort: (c) => c.time, title: "Where it was found" }
      : { name: "Segment", number: true, text: (c) => String(c.segment + 1), sort: (c) => c.segment, title: "1 lies between waypoints 1 and 2" },
    ...startedLate(program),
  ], [...program.contacts].sort(worse), { label: "Contacts", id: "contacts", act: selectContact });
}

const CLASSES = { "robot-cell": "robot and cell", tool: "what is carried", "robot-robot": "two robots", "within-robot": "within a robot" };

/** The least clearance of each kind of pair: a gripper's constant distance from its wrist hides no other one. */
function classesTable(program, player, select) {
  const timed = program.timed === true;
  return table([
    { name: "Kind of pair", text: (m) => CLASSES[m.class] ?? m.class },
    { name: "Least", number: true, text: (m) => mmUp(m.distance), sort: (m) => m.distance, title: "Distance that was attained" },
    { name: "Proved never below", number: true, text: (m) => mmDown(boundOfAll(program, m.lower_bound)), sort: (m) => m.lower_bound },
    { name: "Body", text: (m) => m.a },
    { name: "Against", text: (m) => m.b },
    { name: "When", number: true, text: (m) => clock(m.time, timed), sort: (m) => m.time },
    ...startedLate(program),
  ], [...program.minimum_by_class].sort((p, q) => compare(p.distance, q.distance)), { label: "Least clearance by kind of pair", id: "classes", act: (m) => {
    select(model.pairNamed(m.a, m.b));
    if (atShownDelays(m)) player.set(m.time);
  } });
}

function nearTable(program, player, select) {
  const timed = program.timed === true;
  return table([
    { name: "From", number: true, text: (n) => begins(n.entered, timed), sort: (n) => n.entered },
    { name: "Until", number: true, text: (n) => ends(n.left, timed), sort: (n) => n.left },
    { name: "Body", text: (n) => n.a },
    { name: "Against", text: (n) => n.b },
    { name: "Least seen", number: true, text: (n) => mmUp(n.distance), sort: (n) => n.distance },
    { name: "Warn distance", number: true, text: (n) => mmStated(n.warn), sort: (n) => n.warn },
    { name: "When", number: true, text: (n) => clock(n.time, timed), sort: (n) => n.time },
  ], [...program.near_misses].sort((p, q) => compare(p.distance - p.warn, q.distance - q.warn)), { label: "Near misses", id: "near", act: (n) => {
    select(model.pairNamed(n.a, n.b));
    if (atShownDelays(n)) player.set(n.time);
  } });
}

/** When a joint leaves its limits: on another way through the program there is no time to show. */
const whenBeyond = (l, timed) => l.way === undefined ? clock(l.time, timed) : l.way ? `where ${l.way}` : "on another way";

function limitsTable(report, program, player) {
  const timed = program.timed === true;
  const excess = (l) => Math.abs(l.value - l.limit) / Math.max(Math.abs(l.limit), 1e-9);
  const value = (l, x) => jointValue(x, report.sliding_joints?.includes(l.joint)) + ({ velocity: "/s", acceleration: "/s²" }[l.what] ?? "");
  return table([
    { name: "Joint", text: (l) => l.joint },
    { name: "What", text: (l) => l.what === "velocity" ? "speed" : l.what },
    { name: "Worst value", number: true, text: (l) => value(l, l.value), sort: (l) => Math.abs(l.value) },
    { name: "Limit", number: true, text: (l) => value(l, l.limit), sort: (l) => Math.abs(l.limit) },
    { name: "When", number: true, text: (l) => whenBeyond(l, timed), sort: (l) => l.time },
  ], [...program.limits].sort((p, q) => compare(excess(q), excess(p))), { label: "Joint limits", id: "limits", act: (l) => { if (atShownDelays(l)) player.set(l.time); }, empty: "No joint leaves its limits." });
}

const MOVES = { joint: "joint move", linear: "straight move", circular: "arc" };

/** Where each move stands in the program, and what was found in it. */
function movesTable(program, corners, player) {
  const rounded = new Map(corners.map((c) => [c.waypoint, c]));
  const rows = program.moves.map((move, k) => ({ ...move, k, corner: rounded.get(k + 1), contact: contactsOf(program).find((c) => c.segment === k) }));
  const place = ({ file, line }) => `${file ? `${baseName(file)}:` : "line "}${line ?? "–"}`;
  const columns = [
    { name: "Move", number: true, text: (r) => String(r.k + 1), sort: (r) => r.k },
    { name: "Kind", text: (r) => MOVES[r.kind] ?? r.kind },
    { name: "To", text: (r) => r.to || "–" },
    { name: "Routine", text: (r) => r.routine ?? "" },
    { name: "Stands in", text: place, sort: (r) => r.line ?? 0 },
    { name: "At its end", text: (r) => !r.corner ? "" : r.corner.sized ? "rounded corner" : "rounded corner of unknown size" },
    { name: "Found", text: (r) => r.contact ? `${r.contact.a} – ${r.contact.b}` : "", node: (r) => r.contact ? el("b", {}, `${r.contact.a} – ${r.contact.b}`) : "" },
  ];
  const used = columns.filter((c) => c.name === "Move" || rows.some((r) => c.text(r)));
  return table(used, rows, { label: "Moves", filter: rows.length > 8, id: "moves", act: (r) => {
    player.playing = false;
    player.set(r.k);
  } });
}

/** Programs that run together: what they move, when they start, and where they are at the first contact. */
function programsTable(program) {
  const found = program.first_contact !== undefined;
  return table([
    { name: "Robot", text: (p) => p.robot ?? "–" },
    { name: "Program", text: (p) => p.program },
    { name: "Clock starts at", number: true, text: (p) => `${p.offset.toFixed(3)} s`, sort: (p) => p.offset, title: "When its own clock is at 0" },
    { name: "Duration", number: true, text: (p) => `${p.estimated ? "about " : ""}${p.duration.toFixed(3)} s`, sort: (p) => p.duration },
    { name: "Waypoints", number: true, text: (p) => p.waypoints.toLocaleString("en-US"), sort: (p) => p.waypoints },
    found && aboutDelays(program) && { name: "Started late", number: true, text: (p) => p.delay > 0 ? lateBy(p.delay) : "no", sort: (p) => p.delay ?? 0 },
    found && { name: "At the first contact", wide: true, text: (p) => p.at ? placeOfParticipant(p) : "–" },
  ].filter(Boolean), together(program), { label: "Programs that run together", id: "together" });
}

function eventsTable(program, player) {
  const timed = program.timed === true;
  return table([
    { name: "When", number: true, text: (e) => clock(e.time, timed), sort: (e) => e.time },
    { name: "What", text: (e) => e.what },
    { name: "Said in", text: (e) => e.by },
  ], program.timeline.events, { label: "Events", id: "events", act: (e) => {
    player.playing = false;
    if (atShownDelays(e)) player.set(e.time);
  } });
}

const TOUCHES = { here: "for a part of the time", always: "all the time", fixed: "all the time, keeping their places", never: "never" };
const EFFECTS = { hid: "hid a contact that comes and goes", standing: "hid contacts that are there all the time", nothing: "hid nothing", idle: "without effect", stale: "stale" };

/** Who allows a pair, and why. */
function allower({ by, at, reason }) {
  const who = by === "allow" ? "[[allow]]" : by === "touch" ? "touch" : `${baseName(at.file)}${at.line ? `:${at.line}` : ""}`;
  return reason ? `${who}: ${reason}` : who;
}

/** Contacts of allowed pairs, those that come and go first. */
function allowedTable(contacts, program, look) {
  const timed = program.timed === true;
  const order = ["here", "always", "fixed"];
  const rows = [...contacts].sort((p, q) => order.indexOf(p.pair.touches) - order.indexOf(q.pair.touches) || p.contact.entered - q.contact.entered);
  const depth = ({ depth, kind, distance }) => depth !== undefined ? `at least ${mmDown(depth)} deep` : kind === "inside" ? "one is inside the other" : distance > 0 ? `${mmUp(distance)} apart` : "surfaces touch or cross";
  return table([
    { name: "Body", text: (r) => r.pair.a },
    { name: "Against", text: (r) => r.pair.b },
    { name: "Within the threshold", text: (r) => TOUCHES[r.pair.touches] },
    { name: "From", number: true, text: (r) => begins(r.contact.entered, timed), sort: (r) => r.contact.entered },
    { name: "Until", number: true, text: (r) => ends(r.contact.left, timed), sort: (r) => r.contact.left },
    { name: "How close", text: (r) => depth(r.contact), sort: (r) => r.contact.distance - (r.contact.depth ?? 0) },
    { name: "When", number: true, text: (r) => clock(r.contact.time, timed), sort: (r) => r.contact.time },
    { name: "Allowed by", text: (r) => allower(r.allowance) },
  ], rows, { label: "Allowed pairs", filter: rows.length > 8, id: "allowed", act: look && ((r) => look(r.pair, r.contact)), empty: "No allowed pair comes within its threshold." });
}

const allowancesTable = (allowances) => table([
  { name: "Body", text: (x) => x.a },
  { name: "Against", text: (x) => x.b },
  { name: "Effect", text: (x) => EFFECTS[x.effect] },
  { name: "Why", text: (x) => x.missing?.length ? `not in this cell: ${x.missing.join(", ")}` : x.why ?? (x.pairs?.length ? plural(x.pairs.length, "pair") : "") },
  { name: "Allowed by", text: allower },
], allowances, { label: "All allowances", filter: true, id: "allowances" });

const REMARKS = { remarks: "Not checked in this program", noted: "Notes on this program", unchecked: "Not checked", notes: "Notes" };

const remarksTable = (remarks, id, empty) => table([
  { name: "What", text: (r) => r.subject },
  { name: "Why", wide: true, text: (r) => r.message, node: (r) => el("span", {}, inLines(r.message)) },
], remarks, { label: REMARKS[id], id, empty });

const excludedTable = (model) => table([
  { name: "Body", text: ([a]) => model.bodies[a].name },
  { name: "Against", text: ([, b]) => model.bodies[b].name },
  { name: "Reason", text: ([, , why]) => why },
], model.excluded, { label: "Pairs that are not checked", filter: true, id: "excluded", empty: "Every pair of bodies is checked." });
