// Figures, their marks and the table they end in.

/** What each rival has done when it says that it is done. Ours: everything is on disk, in one transaction. */
const promises = {
  "Express + INSERT": "the row is on disk; no job, no counter",
  "Fastify + INSERT": "the row is on disk; no job, no counter",
  "node:http + INSERT": "the row is on disk; no job, no counter",
  "Express by hand": "row, two jobs and three counters on disk, one transaction: the same",
  "Express + pg-boss": "row, two jobs and three counters on disk, one transaction: the same",
  "Express + BullMQ": "the row is on disk, no counter; the jobs are in memory, by a second write that may be lost",
  "pg-boss": "each result is on disk",
  "the calls alone": "no queue and no result: the HTTP calls from memory, which nothing can undercut",
  "graphile-worker": "each result is on disk; it reads no submission and no webhook, and signs nothing",
  "graphile-worker, same promise":
    "submission and webhook read, signed twice, result, log and webhook on disk: the same",
  BullMQ: "results are in memory",
  "BullMQ, appendfsync": "each result is on disk",
  "ours on PostgreSQL": "each result is on disk",
  "nodemailer with a pool": "no result is kept",
};

export const note = (text) => console.error(text);

export function median(values) {
  return percentile(values, 0.5);
}

export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/**
 * A row that sets ours beside a rival, both measured once a round. The ratio is the median of the rounds' own ratios, so that a
 * machine that drifts drifts for both. `goal`: `{ least }` or `{ most }`, what the ratio must reach.
 */
export function compare(what, ours, rivalName, rival, digits, goal) {
  const ratios = ours.map((value, round) => value / rival[round]);
  const ratio = median(ratios);
  return {
    what,
    ours: median(ours).toFixed(digits),
    beside: `${rivalName} ${median(rival).toFixed(digits)}`,
    promise: promises[rivalName] ?? "",
    ratio: `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    ...marked(ratio, goal),
  };
}

/** The goal as text, and whether the figure reaches it. */
export function marked(figure, goal, unit = "×") {
  if (!goal) return {};
  const met = "least" in goal ? figure >= goal.least : figure <= goal.most;
  const text = "least" in goal ? `≥ ${goal.least}${unit}` : `≤ ${goal.most}${unit}`;
  return { goal: text, mark: met ? "met" : "missed", off: "least" in goal ? goal.least / figure : figure / goal.most };
}

/** The rows that are worse than their goal by more than this factor, or were not measured, a line each. */
export const beyond = (rows, factor) =>
  rows
    .filter(({ ours, off }) => !(off === undefined || off <= factor) || String(ours).startsWith("not measured"))
    .map(({ what, ours, ratio, goal }) => `${what}: ${ratio ?? ours}${goal ? `, goal ${goal}` : ""}`);

const columns = ["what", "ours", "beside", "promise", "ratio", "goal", "mark"];
const heads = {
  what: "",
  ours: "ours",
  beside: "beside",
  promise: "the rival's promise",
  ratio: "ratio",
  goal: "goal",
  mark: "",
};

/** The rows as a Markdown table. */
export function formatTable(rows) {
  const lines = [heads, ...rows].map((row) => columns.map((column) => row[column] ?? ""));
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = lines.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |`);
  text.splice(1, 0, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`);
  return text.join("\n");
}
