// Many programs: a list to sort and filter, each row opens its program.

const RANK = { collision: 0, possible: 1, undecided: 2, unverified: 3, limit: 4, clear: 5 };

/** Where a page lies, seen from this one. Every part is quoted, so that a name can lead nowhere else. */
const address = (page) => page.split("/").map((part) => part === ".." ? part : encodeURIComponent(part)).join("/");

/** The worst verdict of all programs, and how many have which. */
function overall(rows) {
  const of = Object.keys(RANK).map((v) => [v, rows.filter((r) => verdictOf(r) === v).length]).filter(([, n]) => n > 0);
  const worst = of[0]?.[0] ?? report.verdict;
  return el("section", { class: `card headline ${worst}` },
    badge(worst),
    el("div", {},
      el("h1", { id: "overall" }, `${plural(rows.length, "program")}: ${of.map(([v, n]) => `${n.toLocaleString("en-US")} ${v}`).join(", ")}`),
      ...notices(report.notices)));
}

function programList(rows, open) {
  let verdict = null;
  const box = el("div");
  const counts = Object.keys(RANK).map((v) => [v, rows.filter((r) => verdictOf(r) === v).length]).filter(([, n]) => n > 0);
  const chips = el("div", { class: "legend", role: "group", "aria-label": "Verdicts" });
  const detail = (r) => r.error ?? (r.contact ? `${r.contact.a} – ${r.contact.b}` : [
    r.limits ? plural(r.limits, "limit") : null,
    r.near ? plural(r.near, "near miss", "near misses") : null,
    r.said ?? (r.notices ? plural(r.notices, "notice") : null),
    r.unchecked ? `${plural(r.unchecked, "thing")} not checked` : null,
  ].filter(Boolean).join(", "));
  // Worst first; what is as bad as another one by its depth, then by its room; else as it was given.
  rows = [...rows].sort((p, q) => RANK[verdictOf(p)] - RANK[verdictOf(q)]
    || compare(q.contact?.depth ?? 0, p.contact?.depth ?? 0)
    || compare(q.near ?? 0, p.near ?? 0)
    || compare(p.least?.distance ?? Infinity, q.least?.distance ?? Infinity));
  // Of the last column but one nothing is known without --minimum.
  const least = rows.some((r) => r.least);
  function show() {
    chips.replaceChildren(...[[null, rows.length], ...counts].map(([v, n]) => el("button", {
      type: "button", class: `chip${v === verdict ? " chosen" : ""}`, "aria-pressed": String(v === verdict), onclick: () => { verdict = v; show(); },
    }, v ?? "all", el("small", {}, n.toLocaleString("en-US")))));
    const link = (r) => {
      if (!r.page) return r.program;
      const anchor = el("a", { title: r.program }, r.program);
      anchor.href = address(r.page);
      return anchor;
    };
    box.replaceChildren(chips, table([
      { name: "Verdict", slim: true, text: verdictOf, node: (r) => badge(verdictOf(r)), sort: (r) => RANK[verdictOf(r)] },
      { name: "Program", text: (r) => r.program, node: link },
      { name: "What", wide: true, text: detail },
      { name: "When", number: true, text: (r) => r.contact ? clock(r.contact.time, r.timed === true) : "–", sort: (r) => r.contact ? r.contact.time : null },
      least && { name: "Least clearance", number: true, text: (r) => r.least ? mmUp(r.least.distance) : "–", sort: (r) => r.least ? r.least.distance : null, title: "With --minimum: the least distance over the program" },
      { name: "Duration", number: true, text: (r) => r.duration === null ? "–" : r.timed ? `${r.duration.toFixed(2)} s` : "no times", sort: (r) => r.timed ? r.duration : null },
    ].filter(Boolean), verdict === null ? rows : rows.filter((r) => verdictOf(r) === verdict), { label: "Programs", filter: true, id: "programs", act: open, opens: true, empty: "No program." }));
  }
  show();
  return box;
}
