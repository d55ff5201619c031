// A host with thousands of teams, asked what its own program and its operators ask: lists over all teams, and what is due or failing.
import { execFileSync } from "node:child_process";
import { createFormBackend } from "form-backend";
import { inbox } from "form-backend/inbox";
import { generate } from "../generate.mjs";
import { openStores } from "./million-stores.mjs";
import { quiet } from "./quiet.mjs";
import { report } from "./report.mjs";

const { ENGINE, DATABASE, ROWS, TEAMS } = process.env;
const FORMS = 10;
const AT_ONCE = 64;
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

/** Runs `run` for each number below `count`, some at once. */
async function each(count, run) {
  let next = 0;
  const one = async () => {
    for (let n = next++; n < count; n = next++) await run(n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

const teamOf = (n) => `customer_${String(n).padStart(5, "0")}`;
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

/** Questions by their names. A path is a page of the operator's; a function calls the backend. */
async function questionsOf({ formId, forms }) {
  const page = (path) => async () => {
    const response = await backend.fetch(new Request(`${backend.baseUrl}/inbox/operator${path}`));
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  };
  const find = (text) => async () => {
    const origin = new URL(backend.baseUrl).origin;
    const headers = { origin, "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ q: text });
    const response = await backend.fetch(
      new Request(`${backend.baseUrl}/inbox/operator/find`, { method: "POST", headers, body }),
    );
    if (response.status !== 200 || !(await response.text()).includes("<tr")) throw new Error(`${text} was not found`);
  };
  let cursor = null;
  for (let n = 0; n < Number(TEAMS) / 200; n++)
    cursor = (await backend.teams.list({ limit: 100, ...(cursor && { cursor }) })).next_cursor;
  const month = new Date().toISOString().slice(0, 7);
  const last = teamOf(Number(TEAMS) - 1);
  const { data } = await backend.submissions.list(forms[forms.length - 1], { limit: 1 });
  return {
    "operator: teams": page(""),
    "operator: teams by a text, found last": page(`?q=${last}`),
    "operator: teams by a text without a match": page("?q=nobody-has-this"),
    "operator: a team": page(`/team?team=${last}`),
    "operator: the team of the submissions": page("/team?team=default"),
    "operator: find a team": find(last),
    "operator: find a form": find(formId),
    "operator: find a submission": find(data[0].id),
    "operator: queue": page("/queue"),
    "operator: reports": page("/reports"),
    "operator: locks": page("/locks"),
    "teams.list, 100": () => backend.teams.list({ limit: 100 }),
    "teams.list, 100 in the middle": () => backend.teams.list({ limit: 100, cursor }),
    "teams.ensure": () => backend.teams.ensure(last, { name: "Customer" }),
    "forms.list of a team": () => backend.forms.list({ team_id: last, limit: 100 }),
    "usage, 100 teams": () => backend.usage({ month, limit: 100 }),
  };
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
      asked = await questionsOf(facts);
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
