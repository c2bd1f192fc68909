// What of a program is proved, and of what: no page says more than its answer does.

/** Whether something is not settled: also where a contact gives another verdict. */
const isOpenQuestion = (program) => program.verdict === "unverified" || Boolean(program.unsettled);

/** Whether the answer proves anything: a sampler looks at instants, and what is not settled is no answer. */
const proves = (program) => !isOpenQuestion(program) && !program.sampled;

/** Whether corners may be rounded: what is proved of single pairs is about the way through the taught points. */
const roundsCorners = (program) => (program.unchecked ?? []).some((d) => d.code === "rounded-corners");

/** A pair's lower bound; a program that is clear has proved the pair's threshold, where the bound stopped below it. */
const boundOf = (program, bound, threshold) => program.verdict === "clear" && typeof threshold === "number" ? Math.max(bound, threshold) : bound;

/** The same for a bound of many pairs. */
function boundOfAll(program, bound) {
  const thresholds = model ? model.pairs.map((p) => p.requiredClearance) : [report.required_clearance, report.least_own_threshold ?? Infinity];
  const least = thresholds.reduce((low, d) => Math.min(low, d), Infinity);
  return boundOf(program, bound, Number.isFinite(least) ? least : null);
}

/** Whether the answer allows for errors: least distances are those of the motion without any. */
const withErrors = (program) => (report.uncertainty ?? []).length > 0 || (program.unchecked ?? []).some((d) => d.code === "model-differs");
const ideal = (program) => withErrors(program) ? " of the ideal motion" : "";
const idealNote = (program) => withErrors(program) ? " Distances and their bounds are those of the ideal motion; errors may take from them." : "";

/** Programs that run together. */
const together = (program) => (program.timeline?.programs ?? []).length > 1 ? program.timeline.programs : [];

/** Whether the answer is about delays of these against each other. */
const aboutDelays = (program) => typeof program.timeline?.any_delay === "number";

/** What is said of near misses where the answer is about delays. */
const WITHOUT_DELAY = "without delay only: other delays are not searched for near misses";

/** For which delays the answer holds. */
const delaysOf = ({ any_delay: most, any_progress: progress }) => progress
  ? "every instant of each program beside every instant of the others, whatever their delays and speeds, and wherever they wait on their ways"
  : `every delay of up to ${withoutZeros(fixed(most, 6, Math.floor))} s`;

/** Why two bodies are neither proved apart nor in contact, as the text report says it. */
function notSeparable(program) {
  if (program.given_up_after !== undefined) return "no time was left to look closer";
  const turns = (program.unchecked ?? []).some((d) => d.code === "tool-orientation");
  return `not separable from the threshold at ${mmStated(report.resolution)}${turns ? ", or not for every way in which the tool may turn on straight moves (see --orientation-tube)" : ""}`;
}
