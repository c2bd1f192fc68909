// Names that are written from right to left stand among words and numbers that are not: each is kept by itself, else it would take
// what stands beside it along.

/** Letters of scripts that are written so. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Keys whose values are sentences; names stand in them, but they are none. */
const SENTENCES = new Set(["message", "error", "what", "why", "reason"]);

/** What matches the names of the data; made when the first one is met. */
let namePattern = null;

function namesIn(value, found) {
  if (typeof value === "string") {
    if (value.length < 500 && RIGHT_TO_LEFT.test(value)) found.add(value).add(baseName(value));
  } else if (value && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      if (RIGHT_TO_LEFT.test(key)) found.add(key);
      if (!SENTENCES.has(key)) namesIn(inner, found);
    }
  }
  return found;
}

/** The longest names first; a word is better than nothing where a name is shortened. */
function patternOfNames() {
  const names = [...namesIn(data, new Set())].map(printable).sort((p, q) => q.length - p.length);
  const literal = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  const word = `[^\\s()]*${RIGHT_TO_LEFT.source}[^\\s()]*`;
  return new RegExp(`(${[...literal, word].join("|")})`, "u");
}

/** Text by parts: every second one is a name to be kept by itself. */
function partsOf(text) {
  if (!RIGHT_TO_LEFT.test(text)) return [text];
  namePattern ??= patternOfNames();
  return text.split(namePattern);
}

/** The text with isolating characters around names, where there can be no elements. */
const isolatedText = (text) => partsOf(text).map((part, k) => k % 2 ? `\u2068${part}\u2069` : part).join("");

/** The text for a node, names in elements of their own. */
function isolated(node, text) {
  if (node.namespaceURI !== "http://www.w3.org/1999/xhtml" || node.tagName === "OPTION") return [isolatedText(text)];
  return partsOf(text).map((part, k) => k % 2 ? Object.assign(document.createElement("bdi"), { textContent: part }) : part);
}
