// What was found, what the answer rests on, what was not checked.

/** The answer in one line, and what must be known with it. */
function headline(program) {
  const verdict = verdictOf(program);
  const least = program.minimum_clearance;
  return el("section", { class: `card headline ${verdict}` },
    badge(verdict),
    el("div", {},
      el("h1", { title: program.program }, headingOf(program)),
      el("p", {}, answer(program, verdict), "."),
      ...notices(report.notices), ...notices(program.notices),
      program.error && el("p", { class: "error" }, inLines(program.error)),
      el("p", { class: "facts" }, [
        program.duration !== undefined && program.timed ? `${program.duration.toFixed(3)} s` : null,
        program.waypoints !== undefined ? plural(program.waypoints, "waypoint") : null,
        together(program).length ? plural(together(program).length, "program") : null,
        program.interpolation && `${program.interpolation} path`,
        program.limits?.length ? `${plural(program.limits.length, "limit")} violated` : null,
        program.near_misses?.length ? plural(program.near_misses.length, "near miss", "near misses") + (aboutDelays(program) ? ` (${WITHOUT_DELAY})` : "") : null,
        least && `least clearance${ideal(program)} ${mmUp(least.distance)} (${least.a} – ${least.b}${late(program, least.delays)})${proves(program) ? `, proved never below ${mmDown(boundOfAll(program, least.lower_bound))}` : ""}`,
        leftOut(program),
      ].filter(Boolean).join(" · "))));
}

/** The name of the file; of programs that run together the names of all. */
function headingOf(program) {
  const all = together(program);
  if (!all.length) return baseName(program.program);
  const names = all.map((p) => baseName(p.program));
  const differ = new Set(names).size === names.length;
  return all.map(({ robot }, k) => robot && !differ ? `${robot}: ${names[k]}` : names[k]).join(" + ");
}

function answer(program, verdict) {
  const contact = program.first_contact;
  if (!contact) return VERDICTS[verdict][0].toUpperCase() + VERDICTS[verdict].slice(1);
  const when = `at ${clock(contact.time, program.timed === true)}${placeOfContact(program, contact)}`;
  if (contact.kind === "unresolved") return `${contact.a} and ${contact.b} ${when}: ${mmUp(contact.distance)} apart, ${notSeparable(program)}`;
  if (contact.kind === "possible") return `${contact.a} and ${contact.b} may meet ${when}: ${VERDICTS.possible}`;
  const deep = deepOf(contact);
  return `${contact.a} ${contact.kind === "inside" ? "is inside, or holds," : "meets"} ${contact.b} ${when}${deep ? `; they get at least ${deep} deep` : ""}`;
}

/** `, between waypoints 4 and 5`; of programs that run together which start late: their places stand below. */
function placeOfContact(program, { segment, delays }) {
  if (together(program).length) return late(program, delays);
  if (program.waypoints === 1) return ", waypoint 1";
  return program.moves?.[segment] ? `, in ${moveNamed(program, segment)}` : `, between waypoints ${segment + 1} and ${segment + 2}`;
}

/** Where a program that runs with others is at the first contact. */
function placeOfParticipant({ program, waypoints, estimated, at }) {
  const { segment, fraction, lines: [from, to], time } = at;
  const file = baseName(program);
  const place = waypoints === 1 ? `waypoint 1, ${file}:${from}` : `waypoint ${segment + 1} → ${segment + 2}, ${percent(fraction)}, ${file}:${from} → ${to}`;
  // Without certain times only the place says where it is.
  return estimated ? place : `at its ${time.toFixed(3)} s, ${place}`;
}

/** `the straight move 3 to place_3 (line 41)`, counted from 0 here. */
function moveNamed(program, k) {
  const { kind, to, file, line } = program.moves[k];
  const where = line ? ` (${file ? `${baseName(file)}:` : "line "}${line})` : "";
  return `the ${MOVES[kind] ?? kind} ${k + 1}${to ? ` to ${to}` : ""}${where}`;
}

/** Which programs started late in what was found. */
function late(program, delays) {
  const all = program.timeline?.programs ?? [];
  // A robot may have several programs.
  const alone = ({ robot }) => robot && all.filter((p) => p.robot === robot).length === 1;
  const names = all.map((p) => alone(p) ? p.robot : baseName(p.program));
  return (delays ?? []).map((delay, k) => delay > 0 ? `, ${names[k]} started ${lateBy(delay)} late` : "").join("");
}

/** How deep two bodies get at least, or null where nothing is known of it or nothing crosses. */
const deepOf = (contact) => contact.depth > 0 ? mmDown(contact.depth) : null;

/** Whether anything is outside this check: the tables are far below. */
function leftOut(program) {
  const count = report.unchecked.length + notCheckedOf(program).length;
  return count ? `${plural(count, "thing")} not checked (see below)` : null;
}

/** ` (cell.toml:12:8)`, where the line is known and is not the subject itself. */
function placeOf(diagnostic) {
  const { file, line, column } = diagnostic.place ?? {};
  const place = line && [file, line, column].filter(Boolean).join(":");
  return place && place !== diagnostic.subject ? ` (${place})` : "";
}

/** What a reader must see first, each in a line. */
const notices = (list) => (list ?? []).map((n) => el("p", { class: "notice" }, el("b", {}, n.code, ": "), n.subject, ": ", inLines(n.message), placeOf(n)));

/** How close the bodies of a contact are, in words. */
function closeness(contact) {
  if (contact.kind === "inside") return "one is inside the other";
  return contact.distance > 0 ? `${mmUp(contact.distance)} apart` : "surfaces cross";
}

/** `8.20 mm: base 7.10 mm, tool 1.10 mm`. */
function errorsOf(errors) {
  const shares = Object.entries(errors).filter(([, share]) => share > 0);
  const sum = shares.reduce((sum, [, share]) => sum + share, 0);
  return `may take ${mmUp(sum)}: ${shares.map(([kind, share]) => `${kind} ${mmUp(share)}`).join(", ")}`;
}

function contactCard(program, replayed = true) {
  const contact = program.first_contact;
  const timed = program.timed === true;
  if (!contact) return nearestCard(program, timed);
  const lines = program.lines ?? [];
  const threshold = model?.pairs[model.pairNamed(contact.a, contact.b)]?.requiredClearance;
  const [from, to] = [lines[contact.segment], lines[contact.segment + 1]];
  // A sampler proves nothing.
  const certain = together(program).every((p) => !p.estimated);
  const proved = timed && certain && !program.sampled;
  const deep = deepOf(contact), deepest = contact.depth_time ?? contact.time;
  const go = (time) => () => showContact(contact, time);
  const title = { unresolved: "Undecided", possible: "Possible contact" }[contact.kind] ?? "First contact";
  return card(title, null,
    el("dl", {},
      el("dt", {}, "who"), el("dd", {}, el("b", { class: "a" }, contact.a), " against ", el("b", { class: "b" }, contact.b)),
      el("dt", {}, "when"), el("dd", {}, clock(contact.time, timed), late(program, contact.delays), contact.in_corner ? ", in the hull of the corner that may be rounded" : ""),
      el("dt", {}, "how close"), el("dd", {}, `${closeness(contact)}${threshold === undefined || contact.kind === "inside" ? "" : ` (threshold ${mmStated(threshold)})`}${contact.kind === "unresolved" ? `; ${notSeparable(program)}` : ""}`),
      contact.errors && el("dt", {}, "errors"), contact.errors && el("dd", { id: "errors" }, errorsOf(contact.errors)),
      deep && el("dt", {}, "how deep"), deep && el("dd", { id: "deep" }, `at least ${deep} at ${clock(deepest, timed)}`),
      el("dt", {}, "where"), el("dd", {}, `${point(contact.point_a)} mm`),
      ...together(program).flatMap((p) => p.at ? [el("dt", {}, p.robot ?? baseName(p.program)), el("dd", { class: "participant" }, placeOfParticipant(p))] : []),
      proved && el("dt", {}, "free"), proved && el("dd", {}, `before ${(Math.floor(contact.free_until * 1e6) / 1e6)} s, proved`),
      from && to && el("dt", {}, "line"), from && to && el("dd", {}, `${baseName(program.program)}:${from} → ${to}`)),
    !replayed && el("p", { class: "note" }, Object.entries(contact.joints).map(([name, q]) => `${name} ${jointValue(q, report.sliding_joints?.includes(name))}`).join(", ")),
    replayed && el("div", { class: "buttons" },
      el("button", { type: "button", id: "go", onclick: go(contact.time) }, "Go there"),
      deep && deepest !== contact.time && el("button", { type: "button", id: "go-deep", onclick: go(deepest) }, "Go to the deepest"),
      el("button", { type: "button", id: "closer", onclick: () => {
        showContact(contact);
        closer(contact);
      } }, "Look closely")));
}

/** How many times the budget of errors it stands, by class of pairs. */
function marginCard(program) {
  const margin = program.margin;
  if (!margin) return null;
  const times = (m) => m.unlimited ? `more than ${m.times}` : (Math.floor(m.times * 100) / 100).toFixed(2);
  const uses = ({ limit: l }) => l
    ? `${l.a} – ${l.b} uses ${mmUp(Object.values(l.errors).reduce((sum, share) => sum + share, 0))} of ${mm(Math.max(l.distance - l.required_clearance, 0))} at ${clock(l.time, program.timed === true)}`
    : "nothing limits it";
  return card("Margin", "times the budget of errors for which the program is proved clear",
    el("dl", { id: "margin" },
      el("dt", {}, "all pairs"), el("dd", {}, el("b", {}, times(margin))),
      ...margin.by_class.flatMap((m) => [el("dt", {}, m.class), el("dd", {}, el("b", {}, times(m)), ` ${uses(m)}`)])));
}

/** Of a program without contact: where it comes nearest. */
function nearestCard(program, timed) {
  const least = program.minimum_clearance ?? null;
  const nearest = shown.curves[0];
  if (!least && !nearest) return null;
  const { distance, time } = least ?? leastOf(nearest);
  // Of one delay nothing is proved for the others, and of instants nothing for those in between.
  const bound = !proves(program) ? null : least ? boundOfAll(program, least.lower_bound) : shown.delays ? null : leastOf(nearest).bound;
  const name = least ? `${least.a} – ${least.b}` : model.pairName(nearest.pair);
  const go = (near) => () => {
    const pair = least ? model.pairNamed(least.a, least.b) : nearest.pair;
    select(pair);
    player.playing = false;
    player.set(near?.time ?? time);
    if (near) closer(near);
  };
  const points = nearest && (!least || model.pairName(nearest.pair) === name) ? nearestOf(nearest.pair) : null;
  return card("Nearest", null,
    el("dl", {}, el("dt", {}, "who"), el("dd", {}, name),
      el("dt", {}, least ? "least" : "least seen"), el("dd", {}, `${mmUp(distance)} at ${clock(time, timed)}${late(program, least?.delays)}${ideal(program)}`),
      bound !== null && el("dt", {}, "proved"), bound !== null && el("dd", {}, `never below ${mmDown(bound)}${ideal(program)}`)),
    el("div", { class: "buttons" },
      el("button", { type: "button", id: "go", onclick: go(null) }, "Go there"),
      points && el("button", { type: "button", id: "closer", onclick: go(points) }, "Look closely")));
}

/** What of a program is not checked, or not settled. */
const notCheckedOf = (program) => (program.unchecked ?? []).filter((d) => d.severity !== "note");

/** What is said of a program besides: notes leave nothing unchecked. */
function remarksOf(program) {
  const left = notCheckedOf(program), notes = (program.unchecked ?? []).filter((d) => d.severity === "note");
  return [
    left.length && card("Not checked in this program", null, remarksTable(left, "remarks", "")),
    notes.length && card("Notes on this program", null, remarksTable(notes, "noted", "")),
  ].filter(Boolean);
}

/** What is not checked in this cell. Where nothing could be checked, nothing is said to be complete. */
function unchecked() {
  if (report.unchecked.length) return card("Not checked", null, remarksTable(report.unchecked, "unchecked", ""));
  const why = noAnswer() ? "Nothing was checked, as the question could not be answered."
    : nothingChecked() ? "Nothing was checked: there is no pair of bodies to check."
    : "Of the cell nothing was left out but pairs that are allowed, adjacent, or never move towards each other.";
  return card("Not checked", null, el("p", { class: "note" }, why));
}

/** The programs that this part of the page speaks of, as the list has them. */
const told = () => shown.index < 0 ? data.rows : [data.rows[shown.index]];
const noAnswer = () => Boolean(report.error) || told().every((r) => r.verdict === "unverified" && r.duration === null);
const nothingChecked = () => !report.pairs && !model?.pairs.length;

/** What holds for the whole run, and what the answer means. */
function about() {
  const parts = [];
  if (report.notes?.length) parts.push(card("Notes", null, remarksTable(report.notes, "notes", "")));
  if (model) {
    parts.push(el("details", { class: "card" }, el("summary", {}, el("h2", {}, `Pairs that are not checked (${model.excluded.length + model.standingPairs})`)), el("p", { class: "note" }, `As the cell file has it. Events of a program may change it.${model.standingPairs ? ` ${plural(model.standingPairs, "pair")} of bodies that stand still are not listed.` : ""}`), excludedTable(model)));
  }
  parts.push(el("footer", {},
    el("p", { id: "claim" }, `${claim()} It is a check of geometry, not a safety function.`),
    model && shown.motion && el("p", { id: "simplified" }, simplified()),
    el("p", {}, `${report.tool} ${report.version}. Keys: space plays, ← and → move time (with shift in small steps), ↑ and ↓ choose the row above or below in a table; with tab on the picture the arrow keys turn, + and − zoom, 0 shows everything. In the picture drag to turn, drag with shift, the right button or two fingers to move, wheel or pinch to zoom.`)));
  return parts;
}

/** What was checked, and what the verdicts prove: nothing that was not answered is called proved. */
function claim() {
  if (noAnswer()) return "Nothing was checked and nothing is shown to be free: the question could not be answered.";
  if (nothingChecked()) return "Nothing was checked and nothing is shown to be free: there is no pair of bodies to check.";
  const rows = told();
  const sampled = rows.some((r) => r.sampled);
  const coarseness = Math.max(0, ...rows.map((r) => r.coarseness ?? 0));
  const pairs = model?.phases.length ? `${plural(model.pairs.length, "pair")}, not all of them all the time, as events change them,` : plural(report.pairs ?? 0, "pair");
  const least = report.least_own_threshold === undefined ? "" : `, the least is ${mmStated(report.least_own_threshold)}`;
  const own = report.own_thresholds ? ` (${plural(report.own_thresholds, "pair")} with a threshold of their own${least})` : "";
  const more = report.allowed_pairs ?? 0;
  const allowed = more ? ` (${more === 1 ? "one more pair is" : `${more} more pairs are`} allowed to touch)` : "";
  const open = rows.filter(isOpenQuestion).length;
  const meaning = sampled ? "Nothing is proved between the instants."
    : open === 0 ? "A clear answer is a proof."
    : open === rows.length ? "Unverified means that this is not an answer: nothing is shown to be free."
    : `A clear answer is a proof; for ${plural(open, "program")} that ${open === 1 ? "is" : "are"} not settled nothing is shown to be free.`;
  const errors = data.budgets && rows.some(proves)
    ? ` A clear answer holds for every error within ${data.budgets}; contacts, near misses and least distances are those of the ideal motion.` : "";
  return `Checked: ${pairs} of ${plural(report.bodies ?? 0, "body", "bodies")}${allowed} at ${sampled ? "instants" : "every instant"} of the motion, threshold ${mmStated(report.required_clearance)}${own}, resolution ${mmStated(report.resolution)}. `
    + `${meaning}${errors} Contact means the threshold or closer${coarseness > 0 ? `, or up to ${mmUp(coarseness)} farther apart: \`${report.shape}\` knows no exact triangles` : ""}.`;
}

/** Whether the picture is coarser than the check. */
function simplified() {
  const meshes = data.model.bodies.flatMap((b) => b.shapes).filter((s) => s.form === "mesh");
  const [checked, drawn] = ["checked", "shown"].map((key) => meshes.reduce((n, s) => n + s[key], 0));
  const coarse = meshes.filter((s) => s.shown < s.checked);
  const whole = `The picture shows ${drawn === checked ? "all" : `${drawn.toLocaleString("en-US")} of`} ${checked.toLocaleString("en-US")} triangles`;
  const rest = shown.motion && !shown.motion.whole ? " This long motion is drawn through instants on it, those of all findings among them." : "";
  const moved = Math.max(0, ...coarse.map((s) => s.moved));
  return (coarse.length && moved > 0 ? `${whole}: meshes are simplified for the eye, by up to ${mmUp(moved)}. ` : `${whole}, corners rounded to 1/65,000 of each mesh's size. `)
    + `Every triangle, as it stands in the files, was checked.${rest}`;
}
