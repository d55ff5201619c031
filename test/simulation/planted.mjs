// `npm run simulate:planted` plants each fault of `planted.json`, one at a time, and runs seeds until one of them notices it. Ends with 1
// if a fault stays unnoticed. `--most 10000` is the number of seeds tried; `--only text` takes the faults whose name has it; `--history`
// prints what happens in the smallest setting that shows it; `--part 1/3` takes a third of the faults, for a machine with cores to spare;
// `--seed 5` runs that seed alone. A fault's `with` names parts of life that all of its seeds have, since few have them by chance, and
// `from` the seed to begin with, for a fault that one seed in a thousand notices.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildSimulation, loadTraced } from "./build.mjs";
import { shrunk } from "./shrink.mjs";

const { values } = parseArgs({
  options: {
    most: { type: "string", default: "10000" },
    only: { type: "string", default: "" },
    history: { type: "boolean" },
    part: { type: "string", default: "1/1" },
    seed: { type: "string" },
  },
});
const only = values.seed === undefined ? null : Number(values.seed);
const most = only ?? Number(values.most);
if (!Number.isInteger(most) || most < 1) {
  console.error(`--most takes a number of seeds, and --seed one of them, got "${values.seed ?? values.most}"`);
  process.exit(2);
}
const faults = JSON.parse(readFileSync(new URL("planted.json", import.meta.url), "utf8"));
const [part, parts] = values.part.split("/").map(Number);
const chosen = faults.filter(({ fault }, at) => fault.includes(values.only) && at % parts === part % parts);
let found = 0;
for (const planted of chosen) {
  const file = await buildSimulation(planted);
  const { runSeed } = await import(file);
  let result;
  const changed = { parts: Object.fromEntries((planted.with ?? []).map((part) => [part, true])) };
  const first = only ?? planted.from ?? 1;
  let seed = first - 1;
  do result = await runSeed(++seed, changed);
  while (result.violations.length === 0 && only === null && seed < first + most - 1);
  if (result.violations.length > 0) {
    const traced = await loadTraced(file);
    const again = await traced.runSeed(seed, changed, true);
    if (again.digest !== result.digest) console.log(`seed ${seed} has another history when it is repeated`);
    result = again;
    if (values.history) {
      const short = await shrunk(traced, result, changed);
      console.log(`${JSON.stringify(short.result.setting)}\n${short.result.history.join("\n")}`);
    }
  }
  const [noticed] = result.violations;
  if (noticed) found++;
  console.log(
    noticed
      ? `seed ${seed}: ${planted.fault}: ${noticed.split("\n").slice(0, 3).join(" ")}`
      : `not found in ${only === null ? `${most} seeds` : `seed ${seed}`}: ${planted.fault}`,
  );
}
console.log(`${found} of ${chosen.length} planted faults found`);
// A pipe takes a long history in parts.
await new Promise((resolve) => process.stdout.write("", resolve));
process.exit(found === chosen.length ? 0 : 1);
