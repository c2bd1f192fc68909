// Small helpers: elements, numbers from base64, units for people.

/** Makes an element. Text goes in as text, never as markup. */
function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  fill(node, properties, children);
  return node;
}

function svg(tag, properties = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(node, properties, children);
  return node;
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? "" : READ.has(name) ? isolatedText(printable(value)) : printable(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) node.append(...(child instanceof Node ? [child] : isolated(node, printable(child))));
}

/** Attributes that are read as text. */
const READ = new Set(["title", "aria-label"]);

/** Control characters, ends of lines, and what turns the direction of writing: names from files can have them. */
const ACTS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const WRITTEN = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text with everything that acts rather than shows written as `\n`, `\x1b` or `\u{202e}`, as the other reports do. */
const printable = (text) => String(text).replace(ACTS, (c) => {
  const code = c.codePointAt(0).toString(16);
  return WRITTEN[c] ?? (c < "\u0080" ? `\\x${code.padStart(2, "0")}` : `\\u{${code}}`);
});

/** A name that may be too long for its place: shortened at the end by the style, whole when the pointer rests on it. */
const named = (name, kind = "") => el("span", { class: `long ${kind}`, title: name }, name);

/** The two names of a pair, each shortened by itself. */
const pairNames = (a, b) => [named(a), " – ", named(b)];

/** A long name without its middle, where no style can shorten it. */
const brief = (name, most = 30) => name.length <= most ? name : `${name.slice(0, most >> 1)}…${name.slice(1 - (most >> 1))}`;

/** Text that may have several lines. */
const inLines = (text) => String(text).split(/\r?\n/).flatMap((line, k) => k ? [el("br"), line] : [line]);

/** Puts children in place of those that are there. */
function put(node, ...children) {
  node.replaceChildren();
  fill(node, {}, children);
}

function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

const doubles = (text) => new Float64Array(bytes(text).buffer);
const floats = (text) => new Float32Array(bytes(text).buffer);
const shorts = (text) => new Uint16Array(bytes(text).buffer);
const words = (text) => new Uint32Array(bytes(text).buffer);

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** Rounded to so many decimals; a round number but for the noise of the conversion stays that number. */
function fixed(value, decimals, round) {
  const unit = 10 ** decimals;
  const scaled = value * unit;
  const near = Math.abs(scaled - Math.round(scaled)) <= 1e-9 * Math.max(Math.abs(scaled), 1e-3);
  return ((near ? Math.round(scaled) : round(scaled)) / unit + 0).toFixed(decimals);
}

const withoutZeros = (text) => text.includes(".") ? text.replace(/\.?0+$/, "") : text;

/** About four digits, without idle zeros; `round` may be Math.floor for lower bounds, Math.ceil for what was attained. */
function digits(value, round = Math.round) {
  const size = Math.abs(value);
  // Less than a micrometre is not shown as nothing, nor as a whole one; less than a picometre is nothing.
  if (size < 1e-9) return "0";
  const decimals = size < 1e-3 ? 9 : size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0;
  return withoutZeros(fixed(value, decimals, round));
}

const mm = (metres) => `${digits(metres * 1e3)} mm`;
/** A length that somebody has stated, to a picometre: what is proved of it must not be said of a rounder one. */
const mmStated = (metres) => `${withoutZeros(fixed(metres * 1e3, 9, Math.round))} mm`;
const mmDown = (metres) => `${digits(metres * 1e3, Math.floor)} mm`;
const mmUp = (metres) => `${digits(metres * 1e3, Math.ceil)} mm`;
const degrees = (radians) => `${(radians * 180 / Math.PI).toFixed(2).replace(/\.?0+$/, "").replace(/^-0$/, "0")}°`;
const jointValue = (value, slides) => slides ? mm(value) : degrees(value);
const point = (p) => p.map((x) => (x * 1e3).toFixed(1)).join(", ");

/** `3.210 s`; without times, where time is the number of the waypoint from 0, `waypoint 5.37`. */
const clock = (time, timed) => timed ? `${time.toFixed(3)} s` : `waypoint ${(time + 1).toFixed(2)}`;

/** By how much something starts late: that it does is never shown as nothing. */
const lateBy = (delay) => `${delay >= 5e-4 ? delay.toFixed(3) : withoutZeros(fixed(delay, 9, Math.ceil))} s`;

/** When an interval begins, never later than it does, and when it ends, never earlier. */
const begins = (time, timed) => timed ? `${fixed(time, 3, Math.floor)} s` : `waypoint ${fixed(time + 1, 2, Math.floor)}`;
const ends = (time, timed) => timed ? `${fixed(time, 3, Math.ceil)} s` : `waypoint ${fixed(time + 1, 2, Math.ceil)}`;

/** Per cent, kept off 0 and 100 unless it is exactly there. */
const percent = (share) => `${share > 0 && share < 1 ? clamp(Math.round(100 * share), 1, 99) : Math.round(100 * share)} %`;

const plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;

/** Last part of a path. */
const baseName = (path) => path.split(/[\\/]/).pop();

const VERDICTS = {
  clear: "proved: every checked pair stays more than its threshold apart at every instant",
  limit: "nothing is hit, but a joint leaves its limits",
  unverified: "the question could not be answered",
  undecided: "neither proved clear nor found in contact",
  possible: "the ideal motion is clear, but errors within the budgets, or the way round a corner, may bring a pair to its threshold",
  collision: "a pair came within its threshold",
};

/** A program that hits nothing but violates a limit is marked so. */
const verdictOf = (program) => {
  const limits = typeof program.limits === "number" ? program.limits : (program.limits ?? []).length;
  return program.verdict === "clear" && limits > 0 ? "limit" : program.verdict;
};

const badge = (verdict) => el("span", { class: `badge ${verdict}` }, verdict);

/** Light or dark: as the system has it, until somebody chooses. */
function themeButton(changed) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const button = el("button", { class: "quiet", type: "button", id: "theme" });
  const show = () => {
    button.textContent = dark() ? "☀ Light" : "☾ Dark";
    button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours");
    changed();
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  show();
  return button;
}

/** Value of a CSS variable of the current theme. */
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** `#rrggbb` as three numbers 0 … 1. */
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
