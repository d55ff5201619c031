// `npm run simulate:memory` has one process live through waves of visitors, a day of its time each, and ends with 1 where it holds more
// after the last four than before them: 1 kB for each visitor. `--planted` has it keep each job that it ran, which has to be noticed.
// The compiler is off, and notes for it are made at once, since both are on the heap, too.
import { parseArgs } from "node:util";
import { buildSimulation } from "./build.mjs";

const WAVES = 8;
const LAST = 4;
const VISITORS = 40;
const MOST = 1_024;

const { values } = parseArgs({ options: { planted: { type: "boolean" } } });
const planted = {
  file: "src/features/jobs/work.ts",
  find: "lane.runsBegun++;",
  replace: "lane.runsBegun++; (globalThis.kept ??= []).push(row);",
};
if (!globalThis.gc) {
  console.error("start it with --expose-gc --no-opt --no-maglev --no-sparkplug --no-lazy-feedback-allocation");
  process.exit(2);
}
const { memoryAtRest } = await import(await buildSimulation(values.planted ? planted : undefined));
const bytes = await memoryAtRest(1, WAVES, VISITORS, globalThis.gc);
const grown = (bytes.at(-1) - bytes.at(-1 - LAST)) / (LAST * VISITORS);
console.log(
  `${bytes.map((many) => (many / 1024).toFixed(0)).join(", ")} KB at rest: ${grown.toFixed(0)} bytes more for each visitor`,
);
process.exit(grown > MOST ? 1 : 0);
