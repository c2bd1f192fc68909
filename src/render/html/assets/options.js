// What the picture shows.

/** What can be switched on and off in the picture. */
function options() {
  const show = { path: true, moves: true, contact: true, edges: true, through: false };
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
  const tool = el("select", { id: "tool", "aria-label": "Body whose path is shown", onchange: () => { if (view) { view.show.tool = Number(tool.value); trace(); } } },
    model.bodies.map((body, b) => [body, b]).filter(([, b]) => model.moves(b))
      .map(([body, b]) => el("option", { value: b, selected: b === model.tools[0], title: body.name }, body.name)));
  return el("div", { class: "options" },
    el("div", { class: "pair" }, check("path", "path of"), tool),
    shown.moves.lines.length || shown.moves.corners.length ? check("moves", "lines and corners of moves") : null,
    check("contact", "closest points and normal"),
    check("edges", "edges"),
    check("through", "see through all but the chosen pair"),
    el("div", { class: "pair" }, level, which));
}

const deepest = () => model.bodies.flatMap((b) => b.shapes).reduce((most, s) => {
  const levels = bytes(s.levels);
  return Math.max(most, (levels[levels.length - 1] ?? 0) & 127);
}, 0);

