// A product on PostgreSQL: thousands of teams, ten forms each, and very many submissions spread over all of them.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { setImmediate } from "node:timers/promises";
import { createFormBackend } from "form-backend";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import { inbox } from "form-backend/inbox";
import { formBackend } from "form-backend/node";
import pg from "pg";
import { insertion, postgresSql, SAMPLES, seed, takeSamples } from "../generate.mjs";
import { each, operatorQuestions, teamOf } from "../operators.mjs";
import { askText, pages, questions, walkToTheMiddle, workOn } from "../questions.mjs";
import { postgres } from "../services.mjs";
import { quiet } from "./quiet.mjs";
import { listen, report } from "./report.mjs";

const { DATABASE, ROWS, TEAMS } = process.env;
const rows = Number(ROWS);
const teams = Number(TEAMS);
const FORMS = 10;
const DAY_MS = 86_400_000;
const CHUNK = 100_000;
const TIMES = 100;
const WARM = 10;
/** Submissions of the form that is asked, of the small one beside it, of the form that expires, and of the customer who leaves. */
const parts = {
  large: Math.floor(rows / 20),
  small: 10_000,
  expired: Math.floor(rows / 100),
  leaving: Math.floor(rows / 100),
};
const LEAVING = teamOf(0);
const PAGES = [
  "list",
  "list, deep",
  "list, open",
  "list, mine",
  "list, label",
  "spam",
  "submission",
  "deliveries",
  "all forms",
];

const pool = new pg.Pool({ ...postgres, max: 16, application_name: DATABASE });
const client = await pool.connect();
const sql = postgresSql(client, DATABASE);
const storage = () => postgresStorage({ pool, schema: DATABASE });
const backend = createFormBackend({
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret for the benchmark, 32 chars",
  storage: storage(),
  country: "x-country",
  logger: quiet,
  rateLimit: false,
  work: false,
  inbox: inbox({
    authenticate: (request) =>
      new URL(request.url).pathname.includes("/operator")
        ? { id: "op", name: "Olga", team_ids: [], role: "operator" }
        : { id: "ann", name: "Ann", team_ids: ["default"], role: "editor" },
  }),
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
});

let made = 0;

/** Copies the samples into forms in turn, twenty each, from `daysAgo` until `until` days ago, with their deliveries or without. */
async function fill(count, { forms, daysAgo, until, delivered }) {
  await sql.run("CREATE TEMPORARY TABLE places (n integer PRIMARY KEY, form_id text, team_id text)");
  await client.query(
    "INSERT INTO places SELECT o - 1, f, t FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u(f, t, o)",
    [forms.map(({ id }) => id), forms.map(({ team_id }) => team_id)],
  );
  const end = Date.now() - until * DAY_MS;
  const step = Math.max(1, Math.floor(((daysAgo - until) * DAY_MS) / count));
  const join = `JOIN places p ON p.n = (x.n / ${SAMPLES}) % ${forms.length}`;
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(from + CHUNK, count) - 1;
    const series = sql.series(made + from, made + to, end - (made + count) * step, step);
    const own = { form_id: "p.form_id", team_id: "p.team_id" };
    await sql.run(await insertion(sql, sql.table("submissions"), "sample_submissions", series, { own, join }));
    if (delivered)
      await sql.run(
        await insertion(sql, sql.table("jobs"), "sample_jobs", series, { own: { form_id: "p.form_id" }, join }),
      );
  }
  made += count;
  await sql.run("DROP TABLE places");
}

/** Fills the tables without their indexes, which takes a fraction of the time, and makes these again. */
async function withoutIndexes(run) {
  const { rows: indexes } = await client.query(
    "SELECT indexname AS name, indexdef AS made FROM pg_indexes WHERE schemaname = $1 AND tablename IN ('submissions', 'jobs') AND indexname NOT LIKE '%_pkey'",
    [DATABASE],
  );
  for (const { name } of indexes) await sql.run(`DROP INDEX "${DATABASE}".${name}`);
  await run();
  await sql.run("SET maintenance_work_mem = '1GB'");
  for (const { made: statement } of indexes) await sql.run(statement);
  for (const table of ["submissions", "jobs"]) await sql.run(`VACUUM (ANALYZE) ${sql.table(table)}`);
}

let facts;
let asked;

async function filled() {
  const { key } = await backend.keys.create({ name: "Bench", scopes: "all" });
  const large = await seed(backend, key);
  await each(teams, (n) =>
    backend.teams.create({ id: teamOf(n), name: `Customer ${n}`, owner: { email: `owner${n}@example.com` } }),
  );
  const forms = [];
  await each(teams * FORMS, async (n) => {
    const team_id = teamOf(n % teams);
    const expires = n === 1 && { storage: { keep_for: "30_days" } };
    const { id } = await backend.forms.create(
      { name: `Form ${n}`, self_email_notification: { enabled: false }, ...expires },
      { team_id },
    );
    forms[n] = { id, team_id };
  });
  const small = await backend.forms.create({ name: "Small", self_email_notification: { enabled: false } });
  await takeSamples(sql, large.formId);
  const others = forms.filter(({ team_id }, n) => n !== 1 && team_id !== LEAVING);
  await withoutIndexes(async () => {
    const inTeam = (id) => [{ id, team_id: "default" }];
    await fill(parts.large - SAMPLES, { forms: inTeam(large.formId), daysAgo: 365, until: 1, delivered: true });
    await fill(parts.small, { forms: inTeam(small.id), daysAgo: 365, until: 1, delivered: true });
    await fill(parts.expired, { forms: [forms[1]], daysAgo: 365, until: 60, delivered: true });
    await fill(parts.leaving, {
      forms: forms.filter(({ team_id }) => team_id === LEAVING),
      daysAgo: 365,
      until: 1,
      delivered: true,
    });
    await fill(rows - made - SAMPLES, { forms: others, daysAgo: 365, until: 1, delivered: false });
  });
  const some = others.filter(({ id }, n) => n % 100 === 0 && id !== forms[3].id).map(({ id }) => id);
  await each(some.length, (n) => backend.submit(some[n], { fields: { email: "ann@example.com", n: String(n) } }));
  for (const id of some.slice(0, 60)) await backend.forms.lock(id, { reason: "Phishing" });
  return {
    ...large,
    smallId: small.id,
    posted: forms[3].id,
    some,
  };
}

async function questionsOf() {
  const found = {};
  for (const [size, formId] of Object.entries({ many: facts.formId, few: facts.smallId })) {
    const form = { ...facts, formId };
    const walked = await walkToTheMiddle(form);
    await workOn(form, walked.ids);
    const inboxPages = pages(form, walked);
    const all = {
      ...questions(form, walked),
      ...Object.fromEntries(PAGES.map((name) => [`inbox, ${name}`, inboxPages[name]])),
    };
    for (const [name, path] of Object.entries(all)) {
      // The small form has no webhook of its own.
      if (size === "few" && /^(delivery log|retrieve a delivery)/.test(name)) continue;
      found[name] = { ...found[name], [size]: (i) => askText(backend, facts.key, path(i)) };
    }
  }
  const operators = await operatorQuestions(backend, { formId: facts.formId, forms: facts.some, teams });
  for (const [name, ask] of Object.entries(operators)) found[name] = { many: ask };
  return found;
}

const one = async (text, values) => (await client.query(text, values)).rows[0];

report(
  { url: `${await listen(createServer(formBackend(backend)))}/forms/f/` },
  {
    /** Seconds that it took to fill the store, and the form to post to. */
    async prepare() {
      const started = performance.now();
      await backend.ready();
      facts = await filled();
      const filledIn = (performance.now() - started) / 1_000;
      asked = await questionsOf();
      execFileSync("sync");
      return { seconds: filledIn, posted: facts.posted };
    },
    /** Milliseconds of each time of asking, by question, of the large form and of the small one in turn. */
    async measure() {
      const found = {};
      for (const [name, sizes] of Object.entries(asked)) {
        found[name] = Object.fromEntries(Object.keys(sizes).map((size) => [size, []]));
        for (let i = -WARM; i < TIMES; i++) {
          for (const [size, ask] of Object.entries(sizes)) {
            const started = performance.now();
            await ask(i + WARM);
            if (i >= 0) found[name][size].push(performance.now() - started);
            await setImmediate();
          }
        }
      }
      return found;
    },
    /** Milliseconds of each claim of 20 jobs while very many are due. */
    async claim() {
      const store = storage();
      await store.open();
      const found = [];
      for (let i = -WARM; i < TIMES; i++) {
        const started = performance.now();
        const { jobs } = await store.claim({ lane: "webhook", leaseMs: 60_000, limit: 20, exclude: [], perTarget: 20 });
        // A smaller table has fewer that are due.
        if (jobs.length < 20 && found.length > 0) break;
        if (jobs.length < 20) throw new Error(`${jobs.length} jobs were claimed`);
        if (i >= 0) found.push(performance.now() - started);
      }
      return found;
    },
    /** Removes what has expired: the seconds that it takes, and how many submissions are gone. */
    async sweep() {
      const started = performance.now();
      const swept = await backend.sweep();
      return { seconds: (performance.now() - started) / 1_000, ...swept };
    },
    /** Removes a customer. */
    async remove() {
      const started = performance.now();
      await backend.teams.delete(LEAVING);
      for (;;) {
        await backend.sweep();
        const { done, removed } = await backend.teams.deletion(LEAVING);
        if (done) return { seconds: (performance.now() - started) / 1_000, ...removed };
      }
    },
    /** Bytes a submission in tables and in indexes, beside a table made by hand of the same submissions. */
    async bytes() {
      const table = sql.table("submissions");
      const { n } = await one(`SELECT count(*)::bigint AS n FROM ${table}`);
      const sizes = (name) =>
        one("SELECT pg_table_size($1::regclass)::float8 AS rows, pg_indexes_size($1::regclass)::float8 AS indexes", [
          name,
        ]);
      const ours = await sizes(table);
      await sql.run(
        `CREATE TABLE "${DATABASE}".by_hand (id bigserial PRIMARY KEY, form text, created_at timestamptz, fields jsonb, ip text, user_agent text)`,
      );
      await client.query(
        `INSERT INTO "${DATABASE}".by_hand (form, created_at, fields, ip, user_agent)
         SELECT form_id, created_at::timestamptz, data->'fields', data->>'ip', data->>'user_agent' FROM ${table} WHERE form_id = $1`,
        [facts.formId],
      );
      await sql.run(`CREATE INDEX by_form ON "${DATABASE}".by_hand (form, created_at)`);
      await sql.run(`VACUUM (ANALYZE) "${DATABASE}".by_hand`);
      const hand = await sizes(`"${DATABASE}".by_hand`);
      const { n: handRows } = await one(`SELECT count(*)::bigint AS n FROM "${DATABASE}".by_hand`);
      const each = ({ rows: own, indexes }, count) => ({ rows: own / Number(count), indexes: indexes / Number(count) });
      return { ours: each(ours, n), hand: each(hand, handRows) };
    },
    async stop() {
      client.release();
      await backend.close();
      await pool.end();
    },
  },
);
