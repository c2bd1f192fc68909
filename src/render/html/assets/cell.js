// The cell before there is any program: robots, obstacles, frames, joints, pairs.

/** Joint values that do not change. */
const standing = (values) => new Motion({ starts: "", ends: "", end: 0, waypoints: "", moving: [], order: 1, coefficients: "", rest: values, whole: true });

function showCell() {
  const { inspection, poses } = data.cell;
  const program = { verdict: "unverified", contacts: [], timed: false };
  Object.assign(shown, { index: -1, curves: [], contact: null, pair: -1, jog: null, told: null, program });
  const stand = (values) => {
    shown.motion = standing(values);
    shown.jog = null;
    player.load(shown.motion);
  };
  stand(poses[0].joints);
  const picture = el("div", { class: "picture" });
  const buttons = poses.length > 1 && el("div", { class: "buttons", id: "poses" }, poses.map(({ name, joints }) => el("button", { type: "button", onclick: () => {
    stand(joints);
    pose();
  } }, name)));
  const solid = inspection.bodies.filter((body) => body.size).length;
  const checked = inspection.pairs.filter((pair) => pair.checked);
  put(main,
    el("section", { class: "card headline cell" },
      el("div", {},
        el("h1", { title: inspection.cell }, baseName(inspection.cell)),
        el("p", { id: "nothing-yet" }, "The cell as it is read. Nothing has been checked: there is no program on this page."),
        ...notices(inspection.notices),
        ...(inspection.impossible ?? []).map((d) => el("p", { class: "error" }, d.subject, ": ", inLines(d.message))),
        el("p", { class: "facts" }, [plural(solid, "body", "bodies"), plural(inspection.joints.length, "joint"), plural(checked.length, "pair that programs are", "pairs that programs are") + " checked for",
          inspection.unchecked.length ? `${plural(inspection.unchecked.length, "thing")} not checked (see below)` : null].filter(Boolean).join(" · ")))),
    el("div", { class: "stage" },
      el("section", { class: "card view" }, picture),
      el("aside", {}, poses.length > 1 && card("Pose", null, buttons), jointsCard(shown.motion), card("Show", null, cellOptions()))),
    card("Bodies", "Sizes along the axes of each body's own frame, in mm.", bodiesTable(inspection.bodies)),
    card("Joints", null, limitsOfJoints(inspection.joints)),
    card("Pairs", "Every pair of bodies that a program is checked for. Where all joints keep their limits, some cannot come nearer than stated.", cellPairsTable(checked)),
    inspection.unchecked.length ? card("Not checked", null, remarksTable(inspection.unchecked, "unchecked", "")) : null,
    ...aboutCell(inspection));
  showPicture(picture);
  if (view) view.show.path = false;
  player.follow(() => pose());
  pose();
  view?.fitAll();
}

function cellOptions() {
  const check = (key, text, on) => {
    const input = el("input", { type: "checkbox", checked: on, id: `show-${key}`, onchange: () => {
      if (view) view.show[key] = input.checked;
      view?.draw();
    } });
    return el("label", {}, input, " ", text);
  };
  return el("div", { class: "options" }, check("frames", "frames (x red, y green, z blue)", false), check("edges", "edges", true), check("throughStanding", "see through what stands still", false));
}

const SIZE = (size) => size ? size.map((length) => digits(1e3 * length)).join(" × ") : "";

const bodiesTable = (bodies) => table([
  { name: "Body", text: (b) => b.name },
  { name: "What", text: (b) => b.role },
  { name: "On", text: (b) => b.parent ?? "" },
  { name: "Moves with", text: (b) => b.joint ?? "" },
  { name: "Size", text: (b) => SIZE(b.size) || "a frame" },
  { name: "Triangles", number: true, text: (b) => b.shapes.reduce((sum, s) => sum + s.triangles, 0).toLocaleString("en-US"), sort: (b) => b.shapes.reduce((sum, s) => sum + s.triangles, 0) },
], bodies, { label: "Bodies", filter: true, id: "bodies", empty: "The cell has no bodies." });

const limitsOfJoints = (joints) => table([
  { name: "Joint", text: (j) => j.name },
  { name: "Kind", text: (j) => j.kind },
  { name: "From", text: (j) => j.position ? jointValue(j.position[0], j.kind === "prismatic") : "no limit" },
  { name: "To", text: (j) => j.position ? jointValue(j.position[1], j.kind === "prismatic") : "no limit" },
  { name: "At rest", text: (j) => jointValue(j.rest, j.kind === "prismatic") },
  { name: "Follows", text: (j) => j.follows ?? "" },
], joints, { label: "Joints", id: "joints", empty: "The cell has no joints." });

const cellPairsTable = (pairs) => table([
  { name: "Body", text: (p) => p.a },
  { name: "Against", text: (p) => p.b },
  { name: "Threshold", text: (p) => mmStated(p.required_clearance) },
  { name: "Never nearer than", text: (p) => typeof p.least_possible === "number" ? mmDown(p.least_possible) : "" },
], pairs, { label: "Pairs", filter: true, id: "pairs", empty: "No pair of bodies is checked." });

function aboutCell(inspection) {
  const parts = [];
  if (inspection.notes?.length) parts.push(card("Notes", null, remarksTable(inspection.notes, "notes", "")));
  parts.push(el("details", { class: "card" }, el("summary", {}, el("h2", {}, `Pairs that are not checked (${model.excluded.length + model.standingPairs})`)), excludedTable(model)));
  parts.push(el("footer", {},
    el("p", { id: "claim" }, "Nothing was checked and nothing is shown to be free. `clearance check` verifies a program."),
    el("p", {}, `${inspection.tool} ${inspection.version}. In the picture drag to turn, drag with shift, the right button or two fingers to move, wheel or pinch to zoom.`)));
  return parts;
}

/** The axes of every body's frame, bare frames included. */
function paintFrames(view) {
  if (!view.show.frames) return;
  const length = 0.07 * view.camera.distance;
  view.model.bodies.forEach((body, b) => {
    const pose = view.poses[b];
    const from = view.project([pose[9], pose[10], pose[11]]);
    if (!from) return;
    const group = svg("g", { class: "frame" }, svg("title", {}, body.name));
    ["x", "y", "z"].forEach((axis, k) => {
      const end = view.project([0, 1, 2].map((i) => pose[9 + i] + length * pose[3 * i + k]));
      if (end) group.append(svg("line", { class: axis, x1: from[0], y1: from[1], x2: end[0], y2: end[1] }));
    });
    view.marks.append(group);
  });
}
