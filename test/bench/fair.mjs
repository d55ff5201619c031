// A visitor's post while another team does its worst, beside the same post while it does nothing.
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { startApp } from "./processes.mjs";
import { onPostgres } from "./services.mjs";
import { compare, note, percentile } from "./table.mjs";
import { address } from "./worst.mjs";

const POSTS_A_SECOND = 20;
const MOST_RATIO = 3;
/** Seconds of attacks before the time that counts, while V8 compiles their code; they have a line of their own. */
const FIRST_SECONDS = 3;
/** An attack begins with twenty requests at once, which three posts meet. They would be the p99 of half the time. */
const LEAST_SECONDS = 30;

export async function benchFair(context) {
  const rows = [];
  for (const engine of context.engines) {
    const title = { sqlite: "SQLite", postgres: "PostgreSQL" }[engine];
    const reason = context.services.missing[engine];
    if (reason) rows.push({ what: `${title}: beside a team at its worst`, ours: `not measured: ${reason}` });
    else rows.push(...(await measure(engine, title, context)));
  }
  return rows;
}

/** Visitors do not share the app's cores. To be called when the app runs, which would inherit it. */
function prefer(priority) {
  try {
    setPriority(constants.priority[priority]);
  } catch {
    note("  fair: only root may give the visitors a higher priority, so their times contain waits for a core");
  }
}

async function measure(engine, title, { dir, rounds, seconds: asked, profile }) {
  const seconds = Math.max(asked, LEAST_SECONDS);
  const database = engine === "sqlite" ? join(dir, "fair.db") : `bench_${process.pid}_fair`;
  const app = await startApp("fair.mjs", { ENGINE: engine, DATABASE: database });
  const worst = await startApp("fair-worst.mjs", {});
  const only = process.env.WORST ? process.env.WORST.split(",") : null;
  const found = { before: [], first: [], quiet: [], beside: [], quietWork: [], besideWork: [] };
  let posts = 0;
  prefer("PRIORITY_HIGH");
  try {
    const before = await visit(app.url, FIRST_SECONDS);
    await worst.ask("begin", app.base, app.worst, only);
    const first = await visit(app.url, FIRST_SECONDS);
    await worst.ask("end");
    found.before.push(before);
    found.first.push(first);
    posts += before.length + first.length;
    await app.ask("work");
    for (let round = 0; round < rounds; round++) {
      await app.ask("turns");
      const quiet = await visit(app.url, seconds);
      found.quietWork.push(await app.ask("work"));
      await app.ask("turns");
      await worst.ask("begin", app.base, app.worst, only);
      const kept = profile && join(profile, `${engine} fair ${round}.cpuprofile`);
      const { cpu, answer: beside } = await app.during(() => visit(app.url, seconds), kept);
      const turns = await app.ask("turns");
      const besideWork = await app.ask("work");
      found.besideWork.push(besideWork);
      const told = await worst.ask("end");
      posts += quiet.length + beside.length;
      found.quiet.push(quiet);
      found.beside.push(beside);
      const p99 = (times) => percentile(times, 0.99).toFixed(1);
      note(
        `  ${engine} ${round + 1}/${rounds}: p99 ${p99(quiet)} → ${p99(beside)} ms, ` +
          `of CPU ${p99(found.quietWork.at(-1))} → ${p99(besideWork)}; event loop p99 ${turns.p99.toFixed(0)}, ` +
          `longest ${turns.longest.toFixed(0)} ms, ${(cpu / 10_000 / seconds).toFixed(0)} % of a core; the team's: ${JSON.stringify(told)}`,
      );
    }
    const stored = await app.ask("stored");
    if (stored !== posts) throw new Error(`${posts} posts were accepted, and ${stored} are stored`);
  } finally {
    prefer("PRIORITY_NORMAL");
    await Promise.all([app.stop(), worst.stop()]);
    if (engine === "postgres")
      await onPostgres((client) => client.query(`DROP SCHEMA IF EXISTS "${database}" CASCADE`));
  }
  const row = (unit, part, beside, alone, goal) => {
    const of = (rounds) => rounds.map((times) => percentile(times, part));
    const what = `${title}: p${part * 100} of a post beside a team at its worst, ${unit}`;
    return compare(what, of(beside), "alone", of(alone), 1, goal);
  };
  const atFirst = `${title}: p99 of a post in the first ${FIRST_SECONDS} s of the process and of the attacks, ms`;
  const p99s = (rounds) => rounds.map((times) => percentile(times, 0.99));
  return [
    compare(atFirst, p99s(found.first), "alone", p99s(found.before), 1),
    row("ms", 0.99, found.beside, found.quiet, { most: MOST_RATIO }),
    row("ms", 0.5, found.beside, found.quiet),
    row("ms of CPU", 0.99, found.besideWork, found.quietWork, { most: MOST_RATIO }),
  ];
}

/** Posts at an even rate, however long each takes; answers the times in ms. Any status but 200 is an error. */
async function visit(url, seconds) {
  const times = [];
  const under = [];
  for (let at = 0; at < seconds * POSTS_A_SECOND; at++) {
    under.push(
      (async () => {
        const from = performance.now();
        const response = await fetch(url, {
          method: "POST",
          headers: { accept: "application/json", "sec-fetch-mode": "cors", "x-forwarded-for": address() },
          body: new URLSearchParams({ email: "ann@example.com", message: `Hello ${at}, how are you? ${from}` }),
        });
        const text = await response.text();
        if (response.status !== 200) throw new Error(`a visitor's post was answered with ${response.status}: ${text}`);
        times.push(performance.now() - from);
      })(),
    );
    await new Promise((resolve) => setTimeout(resolve, 1000 / POSTS_A_SECOND));
  }
  await Promise.all(under);
  return times;
}
