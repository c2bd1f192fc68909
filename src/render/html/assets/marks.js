// Marks of a contact, or of the nearest instant, over the picture.

/** Closest points, the line between them and the normal: on top of everything, since what touches is often hidden. */
function paintMarks(view, w, h) {
  view.marks.setAttribute("viewBox", `0 0 ${w} ${h}`);
  view.marks.replaceChildren();
  paintFrames(view);
  const contact = view.nearest;
  if (!contact || !view.show.contact || view.jogged) return;
  const [a, b] = [contact.point_a, contact.point_b].map((p) => view.project(p));
  if (!a || !b) return;
  const here = Math.abs(view.now - contact.time) <= 1e-9 * Math.max(1, Math.abs(contact.time));
  const group = svg("g", { class: `${here ? "" : "elsewhen"} ${view.contact ? "" : "calm"}` });
  const tip = contact.point_b.map((x, i) => x + contact.normal[i] * view.camera.distance * 0.09);
  const end = view.project(tip);
  if (Math.hypot(...contact.normal) > 0 && end) {
    const [dx, dy] = [end[0] - b[0], end[1] - b[1]];
    const length = Math.hypot(dx, dy);
    if (length > 8) {
      const [ux, uy] = [dx / length, dy / length];
      const head = [[-9, -4.5], [-9, 4.5]].map(([p, q]) => `${end[0] + p * ux - q * uy},${end[1] + p * uy + q * ux}`);
      group.append(
        svg("line", { class: "normal", x1: b[0], y1: b[1], x2: end[0] - 6 * ux, y2: end[1] - 6 * uy }),
        svg("polygon", { class: "head", points: `${end.join()} ${head.join(" ")}` }),
      );
    }
  }
  group.append(
    svg("line", { class: "gap", x1: a[0], y1: a[1], x2: b[0], y2: b[1] }),
    svg("circle", { class: "halo", cx: (a[0] + b[0]) / 2, cy: (a[1] + b[1]) / 2, r: 15 }),
    svg("circle", { class: "point b", cx: b[0], cy: b[1], r: 5 }),
    svg("circle", { class: "point a", cx: a[0], cy: a[1], r: 5 }),
  );
  // The text stays within the picture, and says of which instant it speaks.
  const most = clamp(Math.floor((w - 16) / 18), 6, 30);
  const label = svg("g", { class: "label" });
  label.append(
    svg("text", { class: "who" }, svg("tspan", { class: "a" }, brief(contact.a, most)), " – ", svg("tspan", { class: "b" }, brief(contact.b, most))),
    svg("text", { class: "how", y: 17 }, here ? closeness(contact) : `at ${clock(contact.time, view.timed)}: ${closeness(contact)}`),
  );
  const deep = deepOf(contact);
  if (deep) label.append(svg("text", { class: "how", y: 33 }, `at least ${deep} deep at ${clock(contact.depth_time ?? contact.time, view.timed)}`));
  group.append(label);
  view.marks.append(group);
  const { width } = label.getBBox();
  label.setAttribute("transform", `translate(${clamp(a[0] + 24, 8, Math.max(w - width - 8, 8))} ${clamp(a[1] - 40, 30, Math.max(h - 50, 30))})`);
}
