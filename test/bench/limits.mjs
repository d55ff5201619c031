// The cost of a post to a form with a limit of places, with unique values and with both, beside one without: `node test/bench/limits.mjs` after
// a build. Each post writes a job for a mail and one for a webhook; with `--bare`, none. All are in one backend on SQLite and take turns in
// each round, so that a machine that drifts drifts for all.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { quiet } from "./apps/quiet.mjs";
import { median } from "./table.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "12" },
    posts: { type: "string", default: "1500" },
    bare: { type: "boolean" },
  },
});
const [rounds, posts] = [Number(values.rounds), Number(values.posts)];
const AT_ONCE = 50;

const folder = mkdtempSync(join(tmpdir(), "limits-"));
const backend = createFormBackend({
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret of the benchmark, of no use elsewhere",
  storage: sqliteStorage({ path: join(folder, "store.sqlite") }),
  rateLimit: false,
  logger: quiet,
  work: false,
});
const availability = { limit: 100_000 };
const unique = { fields: ["email"] };
const settings = {
  without: {},
  "without, again": {},
  limit: { availability },
  unique: { unique },
  both: { availability, unique },
};
const recipients = ["owner@example.com"];
const forms = {};
for (const [name, own] of Object.entries(settings)) {
  const self_email_notification = values.bare ? { enabled: false } : { recipients };
  forms[name] = await backend.forms.create({ name, self_email_notification, settings: own });
  if (!values.bare) await backend.webhooks.create(forms[name].id, { url: "https://example.com/hook" });
}

let count = 0;
async function post(form) {
  const email = `visitor.${count++}@example.com`;
  const body = new URLSearchParams({
    name: "Visitor",
    email,
    message: "I would like to know when you open. ".repeat(4),
  });
  const request = new Request(form.endpoint, { method: "POST", headers: { accept: "application/json" }, body });
  const response = await backend.handle(request, { ip: "203.0.113.9" });
  if (response.status !== 200) throw new Error(`refused: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Microseconds of the processor for each of many posts, of which 50 are under way at once: others on the machine count little. */
async function turn(form) {
  const before = process.cpuUsage();
  let left = posts;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await post(form);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / posts;
}

const names = Object.keys(forms);
const times = Object.fromEntries(names.map((name) => [name, []]));
for (const name of names) await turn(forms[name]);
for (let round = 0; round < rounds; round++) {
  names.push(names.shift());
  for (const name of names) times[name].push(await turn(forms[name]));
}
console.log("| Form | CPU µs a post, median | from | to | times that without |\n| --- | --- | --- | --- | --- |");
for (const [name, all] of Object.entries(times)) {
  const ratio = median(all.map((time, round) => time / times.without[round]));
  const [least, most] = [Math.min(...all), Math.max(...all)];
  console.log(
    `| ${name} | ${median(all).toFixed(0)} | ${least.toFixed(0)} | ${most.toFixed(0)} | ${ratio.toFixed(2)} |`,
  );
}
await backend.close();
rmSync(folder, { recursive: true });
