// A host with thousands of teams, asked what its own program and its operators ask: lists over all teams, and what is due or failing.
import { execFileSync } from "node:child_process";
import { createFormBackend } from "form-backend";
import { inbox } from "form-backend/inbox";
import { generate } from "../generate.mjs";
import { each, operatorQuestions, teamOf } from "../operators.mjs";
import { openStores } from "./million-stores.mjs";
import { quiet } from "./quiet.mjs";
import { report } from "./report.mjs";

const { ENGINE, DATABASE, ROWS, TEAMS } = process.env;
const FORMS = 10;
const TIMES = 150;
const WARM = 10;

const backendOn = (storage) =>
  createFormBackend({
    baseUrl: "http://127.0.0.1/forms",
    secret: "a secret for the benchmark, 32 chars",
    storage,
    country: "x-country",
    logger: quiet,
    rateLimit: false,
    work: false,
    inbox: inbox({ authenticate: () => ({ id: "op", name: "Olga", team_ids: [], role: "operator" }) }),
    webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  });

let backend;
let asked;

/** Teams with their forms, one form with very many submissions, and a few locks, reports and failures. */
async function filled(storage, sql) {
  const filling = backendOn(storage);
  const { key } = await filling.keys.create({ name: "Bench", scopes: "all" });
  const facts = await generate(filling, key, sql, Number(ROWS));
  await each(Number(TEAMS), (n) =>
    filling.teams.create({ id: teamOf(n), name: `Customer ${n}`, owner: { email: `owner${n}@example.com` } }),
  );
  const forms = [];
  await each(Number(TEAMS) * FORMS, async (n) => {
    const form = await filling.forms.create({ name: `Form ${n}` }, { team_id: teamOf(n % Number(TEAMS)) });
    if (n % 100 === 0) forms.push(form.id);
  });
  await each(forms.length, (n) => filling.submit(forms[n], { fields: { email: "ann@example.com", n: String(n) } }));
  for (const id of forms.slice(0, 60)) await filling.forms.lock(id, { reason: "Phishing" });
  await filling.close();
  return { ...facts, forms };
}

report(
  {},
  {
    /** Seconds that it took to fill the store. */
    async prepare() {
      const started = performance.now();
      const stores = await openStores(ENGINE, DATABASE);
      const facts = await stores.generating(filled);
      backend = backendOn(await stores.storage());
      await backend.ready();
      asked = await operatorQuestions(backend, { ...facts, teams: Number(TEAMS) });
      execFileSync("sync");
      return (performance.now() - started) / 1000;
    },
    /** Milliseconds of each time of asking, by question. */
    async measure() {
      const found = {};
      for (const [name, ask] of Object.entries(asked)) {
        found[name] = [];
        for (let i = -WARM; i < TIMES; i++) {
          const started = performance.now();
          await ask();
          if (i >= 0) found[name].push(performance.now() - started);
        }
      }
      return found;
    },
  },
);
