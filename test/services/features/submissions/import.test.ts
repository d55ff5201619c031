import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { describePostgres, temporaryDatabase } from "../../../_support/postgres.ts";
import { runs as amount } from "../../../_support/runs.ts";
import { runAlone } from "./_scale.ts";

const ROWS = amount(20_000, 100_000);
/** For each of two processes that import the same file at once. */
const TOGETHER = amount(5_000, 100_000);

interface Imported {
  readonly result: { imported: number; skipped: number; failed: unknown[] };
  readonly ms: number;
  /** Most MB above the process as it was before. */
  readonly heap: number;
  readonly all_time: number;
  readonly count: number;
  readonly jobs: number;
}

/** Imports a CSV file, 66 MB for 100,000 lines, in a process with a heap of 64 MB; `times` runs one after the other, or at once. */
const script = (storage: string, together: boolean): string => `
  const { createFormBackend } = await import("./index.js");
  const { csvRows } = await import("./surfaces/import/index.js");
  const backend = createFormBackend({
    baseUrl: "http://localhost:3000", secret: "x".repeat(32), work: false, storage: ${storage},
    logger: { debug() {}, info() {}, warn() {}, error: console.error },
  });
  const { id } = await backend.forms.ensure("old", {
    name: "Old", self_email_notification: { enabled: true, recipients: ["owner@example.com"] },
  });
  const filler = "lorem ipsum dolor sit amet ".repeat(20);
  async function* file() {
    yield "id,date,name,email,message\\n";
    for (let i = 0; i < ${together ? TOGETHER : ROWS}; i += 100) {
      let lines = "";
      for (let n = i; n < i + 100; n++) {
        const at = new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString();
        lines += n + "," + at + ",Visitor " + n + ",visitor" + n + "@example.com,\\"Message " + n + ":\\n" + filler + "\\"\\n";
      }
      yield lines;
      // A file's chunks come in turns of their own.
      await new Promise(setImmediate);
    }
  }
  let peak = 0;
  for (let run = 0; run < ${together ? 1 : 2}; run++) {
    gc();
    const before = process.memoryUsage();
    const timer = setInterval(() => {
      const now = process.memoryUsage();
      peak = Math.max(peak, now.heapUsed + now.external - before.heapUsed - before.external);
    }, 50);
    const started = performance.now();
    const result = await backend.submissions.import(id, csvRows(file(), "formspree"), { source: "formspree" });
    const ms = Math.round(performance.now() - started);
    clearInterval(timer);
    const { submissions } = await backend.forms.get(id);
    const { count } = await backend.submissions.count(id);
    const jobs = (await backend.jobs.list()).length;
    console.log(JSON.stringify({ result, ms, heap: peak / 2 ** 20, all_time: submissions.all_time, count, jobs }));
  }
  await backend.close();`;

function tell(store: string, runs: readonly Imported[]): void {
  for (const { result, ms, heap } of runs)
    console.log(
      `${store}: ${result.imported} imported, ${result.skipped} skipped in ${ms} ms, heap +${heap.toFixed(0)} MB`,
    );
}

const first = { result: { imported: ROWS, skipped: 0, failed: [] }, all_time: ROWS, count: ROWS, jobs: 0 };
const second = { ...first, result: { imported: 0, skipped: ROWS, failed: [] } };

const sqlite = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "form-backend-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return `(await import("./drivers/storage/sqlite.js")).sqliteStorage({ path: ${JSON.stringify(join(folder, "forms.db"))} })`;
};

it(`SQLite: ${ROWS} rows come once, mail nothing, and need little memory`, { timeout: 600_000 }, async () => {
  const runs = await runAlone<Imported>(script(sqlite(), false));
  tell("SQLite", runs);
  expect(runs).toMatchObject([first, second]);
});

it("SQLite: the same file from two processes at once comes once", { timeout: 600_000 }, async () => {
  const storage = sqlite();
  const runs = (await Promise.all([1, 2].map(() => runAlone<Imported>(script(storage, true))))).flat();
  tell("SQLite, two processes", runs);
  expect(runs.reduce((sum, { result }) => sum + result.imported, 0)).toBe(TOGETHER);
  expect(runs.every(({ result }) => result.imported + result.skipped === TOGETHER)).toBe(true);
  expect(Math.max(...runs.map(({ all_time }) => all_time))).toBe(TOGETHER);
});

describePostgres("PostgreSQL", () => {
  const postgres = async (): Promise<string> => {
    const { url, drop } = await temporaryDatabase();
    onTestFinished(drop);
    return `(await import("./drivers/storage/postgres.js")).postgresStorage({ connectionString: ${JSON.stringify(url)} })`;
  };

  it(`${ROWS} rows come once, mail nothing, and need little memory`, { timeout: 600_000 }, async () => {
    const runs = await runAlone<Imported>(script(await postgres(), false));
    tell("PostgreSQL", runs);
    expect(runs).toMatchObject([first, second]);
  });

  it("the same file from two processes at once comes once", { timeout: 600_000 }, async () => {
    const storage = await postgres();
    const runs = (await Promise.all([1, 2].map(() => runAlone<Imported>(script(storage, true))))).flat();
    tell("PostgreSQL, two processes", runs);
    expect(runs.reduce((sum, { result }) => sum + result.imported, 0)).toBe(TOGETHER);
    expect(Math.max(...runs.map(({ all_time }) => all_time))).toBe(TOGETHER);
  });
});
