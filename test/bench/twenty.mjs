// Twenty million submissions of 4,000 teams on PostgreSQL: what people and the host ask, a claim, a sweep and a large customer's removal beside posts.
import { operatorGoals } from "./operators.mjs";
import { startApp } from "./processes.mjs";
import { onPostgres } from "./services.mjs";
import { marked, note, percentile } from "./table.mjs";

const TEAMS = Number(process.env.TEAMS ?? 4_000);
const MOST_MS = 50;
const MOST_RATIO = 1.5;
const EVERY_MS = 20;
const QUIET_MS = 20_000;

export async function benchTwenty({ rows: many, services }) {
  services.need("postgres");
  const database = `bench_${process.pid}_twenty`;
  const title = `PostgreSQL, ${many} submissions`;
  const app = await startApp("twenty.mjs", { DATABASE: database, ROWS: String(many), TEAMS: String(TEAMS) });
  try {
    const { seconds, posted } = await app.ask("prepare");
    note(`  twenty: written in ${seconds.toFixed(0)} s`);
    const rows = [];
    // Each as soon as it is there: a fault near the end must not cost half an hour.
    const add = (row) => {
      rows.push(row);
      note(`  ${row.what}: ${[row.ours, row.beside, row.ratio, row.mark].filter(Boolean).join("; ")}`);
    };
    for (const [question, { many: ms, few }] of Object.entries(await app.ask("measure")))
      add(asked(title, question, ms, few));
    const claims = await app.ask("claim");
    add({
      what: `${title}: claim of 20 jobs`,
      ours: figures(claims),
      ...marked(percentile(claims, 0.99), { most: MOST_MS }, " ms"),
    });
    // Before rows are removed, whose room would count.
    const { ours, hand } = await app.ask("bytes");
    for (const part of ["rows", "indexes"])
      add({
        what: `${title}: bytes a submission, ${part}`,
        ours: ours[part].toFixed(0),
        beside: `by hand ${hand[part].toFixed(0)}`,
        ratio: (ours[part] / hand[part]).toFixed(2),
      });
    const post = () => posting(app.url + posted);
    for (const row of await beside(title, "sweep", post, () => app.ask("sweep"))) add(row);
    for (const row of await beside(title, "removal of a customer", post, () => app.ask("remove"))) add(row);
    return rows;
  } finally {
    await app.stop();
    await onPostgres((client) => client.query(`DROP SCHEMA IF EXISTS "${database}" CASCADE`));
  }
}

const figures = (ms) => `p50 ${percentile(ms, 0.5).toFixed(1)}, p99 ${percentile(ms, 0.99).toFixed(1)} ms`;

function asked(title, question, ms, few) {
  const [p99, most] = [percentile(ms, 0.99), operatorGoals[question] ?? MOST_MS];
  const ratio = few && p99 / percentile(few, 0.99);
  const isMet = p99 <= most && (!ratio || ratio <= MOST_RATIO);
  return {
    what: `${title}: ${question}`,
    ours: figures(ms),
    ...(few && { beside: `10000 rows ${figures(few)}`, ratio: ratio.toFixed(2) }),
    goal: `≤ ${most} ms${few ? `, ≤ ${MOST_RATIO}×` : ""}`,
    mark: isMet ? "met" : "missed",
    off: Math.max(p99 / most, (ratio ?? 0) / MOST_RATIO),
  };
}

/** Rows for the time and the counts of `run`, and for posts of another team: before it, and while it runs. */
async function beside(title, what, post, run) {
  const quiet = post();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const before = await quiet.stop();
  const under = post();
  const { seconds, ...counts } = await run();
  const during = await under.stop();
  const ratio = percentile(during, 0.99) / percentile(before, 0.99);
  return [
    {
      what: `${title}: ${what}`,
      ours: `${seconds.toFixed(1)} s`,
      beside: Object.entries(counts)
        .map(([name, n]) => `${n} ${name.replaceAll("_", " ")}`)
        .join(", "),
    },
    {
      what: `${title}: posts beside the ${what}`,
      ours: figures(during),
      beside: `quiet ${figures(before)}`,
      ratio: ratio.toFixed(2),
      ...marked(ratio, { most: 2 }),
    },
  ];
}

/** Posts at a rate, not each after the one before: a stall is then seen by all that come while it lasts. */
function posting(url) {
  const ms = [];
  const under = new Set();
  const one = async (n) => {
    const started = performance.now();
    const response = await fetch(url, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams({ email: `p${n}@example.com`, message: `Post ${n} ${Math.random()}` }),
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a post was answered with ${response.status}`);
    ms.push(performance.now() - started);
  };
  let n = 0;
  let failed;
  const timer = setInterval(() => {
    const post = one(++n)
      .catch((error) => (failed = error))
      .finally(() => under.delete(post));
    under.add(post);
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(under);
      if (failed) throw failed;
      return ms;
    },
  };
}
