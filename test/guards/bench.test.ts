import { expect, it } from "vitest";
import { beyond, compare } from "../bench/table.mjs";

it("the nightly bench names figures far from their goal, and those that were not measured", () => {
  const rows = [
    compare("as fast", [100], "rival", [100], 0, { least: 1 }),
    compare("a little slower", [85], "rival", [100], 0, { least: 1 }),
    compare("much slower", [70, 60, 75], "rival", [100, 100, 100], 0, { least: 1 }),
    compare("much dearer", [130], "rival", [100], 0, { most: 1 }),
    compare("without a figure", [0], "rival", [0], 0, { least: 1 }),
    compare("without a goal", [1], "rival", [100], 0),
    { what: "left out", ours: "not measured: no server answers" },
  ];
  expect(beyond(rows, 1.25)).toEqual([
    "much slower: 0.70 (0.60–0.75), goal ≥ 1×",
    "much dearer: 1.30 (1.30–1.30), goal ≤ 1×",
    "without a figure: NaN (NaN–NaN), goal ≥ 1×",
    "left out: not measured: no server answers",
  ]);
});
