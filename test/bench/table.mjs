// Figures, their marks and the table they end in.

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
    ratio: `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    ...marked(ratio, goal),
  };
}

/** The goal as text, and whether the figure reaches it. */
export function marked(figure, goal, unit = "×") {
  if (!goal) return {};
  const met = "least" in goal ? figure >= goal.least : figure <= goal.most;
  const text = "least" in goal ? `≥ ${goal.least}${unit}` : `≤ ${goal.most}${unit}`;
  return { goal: text, mark: met ? "met" : "missed" };
}

const columns = ["what", "ours", "beside", "ratio", "goal", "mark"];
const heads = { what: "", ours: "ours", beside: "beside", ratio: "ratio", goal: "goal", mark: "" };

export function formatTable(rows) {
  const lines = [heads, ...rows].map((row) => columns.map((column) => row[column] ?? ""));
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]))
      .join("  ")
      .trimEnd(),
  );
  text.splice(1, 0, "-".repeat(Math.max(...text.map((line) => line.length))));
  return text.join("\n");
}
