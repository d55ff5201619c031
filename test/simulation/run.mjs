// `npm run simulate -- --seeds 1000 --from 1` runs seeds one after the other and ends with 1 at the first that breaks a promise, after it
// has made its history as short as it can. `--seed N` repeats one, and prints its whole history. `--seconds 60` stops after that time.
// `--keep-going` looks for more than one. `--with sheet,talk` switches parts of life on that few seeds have by chance. `--digests` prints
// each seed's digest. `--backwards` runs the last seed first, and `--traced` keeps traces, as in the repetition of a broken seed: a seed has
// the same history whatever ran before it, and however it is looked at. `--bundle FILE` takes that bundle, and builds it where it is not there.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildSimulation, loadTraced } from "./build.mjs";
import { shrunk } from "./shrink.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string" },
    seed: { type: "string" },
    seconds: { type: "string" },
    "keep-going": { type: "boolean" },
    with: { type: "string" },
    digests: { type: "boolean" },
    bundle: { type: "string" },
    backwards: { type: "boolean" },
    traced: { type: "boolean" },
  },
});
const number = (name, otherwise) => {
  const value = Number(values[name] ?? otherwise);
  if (value === Infinity || (Number.isInteger(value) && value >= 0)) return value;
  console.error(`--${name} takes a whole number, got "${values[name]}"`);
  process.exit(2);
};

const kept = values.bundle && resolve(values.bundle);
const file = kept && existsSync(kept) ? kept : await buildSimulation(undefined, kept);
const { runSeed, partsOfLife } = await import(file);
const given = values.with?.split(",") ?? [];
const unknown = given.find((part) => !partsOfLife.includes(part));
if (unknown !== undefined) {
  console.error(`--with takes parts of life (${partsOfLife.join(", ")}), got "${unknown}"`);
  process.exit(2);
}
const changed = { parts: Object.fromEntries(given.map((part) => [part, true])) };

if (values.seed !== undefined) {
  const traced = await loadTraced(file);
  const result = await traced.runSeed(number("seed"), changed, true);
  console.log(result.history.join("\n"));
  console.log(JSON.stringify({ ...result.setting, ...result.counts, digest: result.digest }, null, 2));
  tell(result);
  await new Promise((resolve) => process.stdout.write("", resolve));
  process.exit(result.violations.length === 0 ? 0 : 1);
}

const from = number("from", 1);
const most = number("seeds", values.seconds === undefined ? 1000 : Infinity);
const until = performance.now() + 1_000 * number("seconds", Infinity);
const total = { seeds: 0, virtualMs: 0, posts: 0, accepted: 0, jobs: 0, crashes: 0, troubles: 0, lost: 0, events: 0 };
let broken = 0;
const run = values.traced ? (await loadTraced(file)).runSeed : runSeed;
const begun = performance.now();
const cpu = process.cpuUsage();
for (let n = 0; n < most && performance.now() < until; n++) {
  const seed = values.backwards ? from + most - 1 - n : from + n;
  const result = await run(seed, changed, values.traced);
  if (values.digests) console.log(`seed ${seed}: ${result.digest}, ${result.counts.events} events`);
  total.seeds++;
  for (const name of Object.keys(result.counts)) total[name] += result.counts[name];
  if (result.violations.length === 0) continue;
  broken++;
  const traced = await loadTraced(file);
  const again = await traced.runSeed(seed, changed, true);
  if (again.digest !== result.digest)
    console.log(
      `seed ${seed}: another history when it is repeated, which is a fault of the simulation; the first one broke:`,
    );
  if (again.digest !== result.digest) tell(result);
  const { result: short, left } = await shrunk(traced, again.violations.length > 0 ? again : result, changed);
  console.log(`seed ${seed}, made smaller: ${JSON.stringify(left)}`);
  console.log(short.history.join("\n"));
  tell(short);
  if (!values["keep-going"]) break;
}
const seconds = (performance.now() - begun) / 1_000;
const { user, system } = process.cpuUsage(cpu);
const busy = (user + system) / 1_000_000;
const days = total.virtualMs / 86_400_000;
console.log(
  `${total.seeds} seeds in ${seconds.toFixed(0)} s (${(total.seeds / seconds).toFixed(1)} a second, ${(total.seeds / busy).toFixed(1)} in a second of a core's time), ${(days / 365.25).toFixed(1)} years of their time: ` +
    `${total.posts} visitors, ${total.accepted} stored, ${total.jobs} deliveries, ${total.crashes} crashes, ${total.troubles} calls of the store that failed, ${total.lost} lost answers, ${total.events} events; ${broken} broke a promise`,
);
// A pipe takes a long history in parts.
await new Promise((resolve) => process.stdout.write("", resolve));
process.exit(broken === 0 ? 0 : 1);

function tell({ seed, violations }) {
  for (const violation of violations) console.log(`seed ${seed}: ${violation}`);
}
