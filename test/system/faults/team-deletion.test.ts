import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { POSTGRES_URL } from "../../_support/postgres.ts";
import { freshSchema, withPostgres } from "../../_support/postgres-schema.ts";
import { runs } from "../../_support/runs.ts";
import { contentOf, exportedLines } from "../../_support/team-content.ts";
import { type Host, percentile, posting, startHost } from "./_teams.ts";
import { pause, until } from "./_workers.ts";

const ALL = Number(process.env["TEAM_ROWS"] ?? runs(1_200, 200_000));
/** Of so many submissions, people have worked on one. */
const EVERY_WORKED = runs(5, 50);
const KILLS = runs(3, 10);
/** The same kills without a deletion, over the same time: what the starts alone cost the other team. */
const KILLS_ALONE = runs(0, KILLS);
/** Time for which the other team is measured before the deletion, while the jobs of the one that leaves run, and after it. */
const QUIET_MS = runs(1_500, 20_000);
/** The receiver had no call for so long: what was posted to fill the team is delivered. */
const CALM_MS = runs(50, 5_000);
const EVERY_MS = 20;
/** Each question for the state counts what is left, so a long deletion is asked seldom. */
const ASK_MS = runs(10, 500);
/** A process that has just begun still loads and compiles its code, with or without a deletion. Its own first sweep comes after an hour. */
const COLD_MS = 3_000;
const FIRST_SWEEP_MS = runs(0, COLD_MS);
const TEAM = "leaving-team";
const DOMAIN = "leaving.visitor";
const HOUR = 60 * 60_000;

interface Store {
  readonly env: Record<string, string>;
  /** The rows that name one of the words, by their tables. */
  naming(words: readonly string[]): Promise<Record<string, number>>;
  /** Files of the store itself. */
  files(): string[];
}

let called = 0;
/**
 * Receives every webhook. One in fifty gets an error, and stays due: the attempts of more would be a load of their own, which ends with
 * the deletion.
 */
const receiver = createServer((request, response) => {
  called = performance.now();
  let body = "";
  request.on("data", (part) => (body += part));
  request.on("end", () => response.writeHead(/"value":"\d*[48]8"/.test(body) ? 503 : 200).end());
});
beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  receiver.close();
  receiver.closeAllConnections();
});

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-team-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};
const started = async (env: Record<string, string>): Promise<Host> => {
  const host = await startHost(env);
  onTestFinished(() => host.kill());
  return host;
};
const hook = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

/** Two teams with a form each, and one webhook. */
async function filled(host: Host): Promise<{ leaving: string; staying: string; webhook: string }> {
  await host.call("teams.create", { id: TEAM, name: "Leaving" });
  await host.call("teams.create", { id: "staying-team", name: "Staying" });
  const make = async (team_id: string) => {
    const input = { name: "Contact", spam: { protection: false }, self_email_notification: { enabled: false } };
    const settings = { key: team_id, statistics: { enabled: true }, unique: { fields: ["email"] } };
    return (await host.call<{ id: string }>("forms.create", { ...input, settings }, { team_id })).id;
  };
  const [leaving, staying] = [await make(TEAM), await make("staying-team")];
  const { id: webhook } = await host.call<{ id: string }>("webhooks.create", leaving, { url: hook() });
  await host.call("seed", leaving, ALL, DOMAIN);
  await host.call("seed", staying, 40, "staying.visitor");
  return { leaving, staying, webhook };
}

async function deleted(store: Store): Promise<void> {
  const FILES = folder();
  const env = { ...store.env, FILES, SINCE: String(Date.now()) };
  let sweeping = await started(env);
  const other = await started(env);
  const { leaving, staying, webhook } = await filled(sweeping);
  const at = (host: Host, form: string): string => `http://127.0.0.1:${host.port}/forms/f/${form}`;
  const measured = () => [
    posting(() => at(sweeping, staying), EVERY_MS, "staying.visitor"),
    posting(() => at(other, staying), EVERY_MS, "staying.visitor"),
  ];
  await until("the deliveries are made", () => performance.now() - called > CALM_MS, 600_000);
  const quiet = measured();
  await pause(QUIET_MS);
  const before = await Promise.all(quiet.map((one) => one.stop()));

  const [beside, late] = [
    measured(),
    [sweeping, other].map((host) => posting(() => at(host, leaving), EVERY_MS, DOMAIN)),
  ];
  await until("posts before the deletion", () => late.every(({ found }) => found.accepted > 20));
  const began = performance.now();
  expect(await other.call("teams.delete", TEAM)).toEqual({ id: TEAM, deleting: true });
  // The other process knows the team for some seconds. Then all are refused, and no answer is lost by a kill.
  await until("all posts are refused", async () => {
    const counts = () => late.map(({ found }) => found.accepted);
    const then = counts();
    await pause(500);
    return counts().every((count, index) => count === then[index]);
  });
  const accepted = ALL + late.reduce((sum, { found }) => sum + found.accepted, 0);

  interface Deletion {
    done: boolean;
    left: number;
    removed: Record<string, number>;
  }
  const state = (): Promise<Deletion> => other.call<Deletion>("teams.deletion", TEAM);
  let kills = 0;
  const starts: number[] = [];
  let isDone = false;
  const sweeper = (async () => {
    while (!isDone) {
      const cold = (starts.at(-1) ?? Number.NEGATIVE_INFINITY) + FIRST_SWEEP_MS - performance.now();
      if (cold > 0) await pause(cold);
      await sweeping.call("sweep").catch(() => pause(50));
      isDone = (await state()).done;
    }
  })();
  while (kills < KILLS && !isDone) {
    const { removed, done } = await state();
    if (done) break;
    const gone = (removed["submissions"] ?? 0) + (removed["deliveries"] ?? 0);
    if (gone >= (2 * accepted * (kills + 1)) / (KILLS + 2)) {
      kills++;
      await sweeping.kill();
      sweeping = await started(env);
      starts.push(performance.now());
    }
    await pause(ASK_MS);
  }
  await sweeper;
  const seconds = (performance.now() - began) / 1_000;
  const [refusals, after] = [
    await Promise.all(late.map((one) => one.stop())),
    await Promise.all(beside.map((one) => one.stop())),
  ];

  expect(kills).toBe(KILLS);
  expect(refusals.reduce((sum, { refused }) => sum + refused, 0)).toBeGreaterThan(0);
  expect(await state()).toMatchObject({
    done: true,
    left: 0,
    removed: { forms: 1, submissions: accepted, files: Math.ceil(ALL / 4), deliveries: accepted },
  });
  const resting = measured();
  await pause(QUIET_MS);
  const rest = await Promise.all(resting.map((one) => one.stop()));
  const killing = measured();
  for (let kill = 0; kill < KILLS_ALONE; kill++) {
    await sweeping.kill();
    sweeping = await started(env);
    await pause((seconds * 1_000) / KILLS_ALONE);
  }
  const killed = await Promise.all(killing.map((one) => one.stop()));
  // One more look after an hour finds what a process stored that did not know yet.
  await sweeping.kill();
  await other.kill();
  const later = await started({ ...env, AHEAD: String(2 * HOUR) });
  await later.call("sweep");
  const kept = await later.call<{ count: number }>("submissions.count", staying);
  const posted = [...before, ...after, ...rest, ...killed];
  const sure = 40 + posted.reduce((sum, one) => sum + one.accepted, 0);
  expect(kept.count).toBeGreaterThanOrEqual(sure);
  // A post whose answer was lost by a kill may be stored or not.
  expect(kept.count).toBeLessThanOrEqual(sure + posted.reduce((sum, one) => sum + one.unanswered, 0));
  await later.call("close");
  await later.kill();
  expect(await store.naming([TEAM, leaving, webhook, DOMAIN])).toEqual({ marks: 1 });
  for (const file of store.files()) expect([file, readFileSync(file).includes(DOMAIN)]).toEqual([file, false]);
  const texts = readdirSync(FILES, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(FILES, name), "utf8"));
  expect([texts.length, texts.filter((text) => text.includes(DOMAIN)).length]).toEqual([10, 0]);
  type Posted = Awaited<ReturnType<ReturnType<typeof posting>["stop"]>>;
  const figures = (ms: number[]) => `${percentile(ms, 0.5).toFixed(1)}/${percentile(ms, 0.99).toFixed(1)}`;
  const warm = ({ ms, sent }: Posted) =>
    ms.filter((_, at) => !starts.some((start) => Number(sent[at]) >= start && Number(sent[at]) < start + COLD_MS));
  const [calm, calmOther] = before as [Posted, Posted];
  const [busy, busyOther] = after as [Posted, Posted];
  const [idle, idleOther] = rest as [Posted, Posted];
  const [alone, aloneOther] = killed as [Posted, Posted];
  const both = (posted: readonly Posted[]) => figures(posted.flatMap(({ ms }) => ms));
  console.info(
    `${accepted} submissions deleted in ${seconds.toFixed(1)} s over ${kills} kills; p50/p99 of the other team in ms, before → beside → after: ` +
      `in the process that deletes ${figures(calm.ms)} → ${figures(busy.ms)} → ${figures(idle.ms)}, without ${COLD_MS / 1_000} s after each start ${figures(warm(busy))}, ` +
      `in the other ${figures(calmOther.ms)} → ${figures(busyOther.ms)} → ${figures(idleOther.ms)}, ` +
      `in both ${both(before)} → ${both(after)} → ${both(rest)}; ` +
      `with ${KILLS_ALONE} kills and no deletion ${figures(alone.ms)} and ${figures(aloneOther.ms)}`,
  );
}

/** An export of the team, unpacked into a folder as well. */
async function exportOf(host: Host): Promise<{ folder: string; files: Record<string, Uint8Array>; seconds: number }> {
  const dir = folder();
  const zip = join(dir, "team.zip");
  const began = performance.now();
  await host.call("exportTo", TEAM, zip);
  const seconds = (performance.now() - began) / 1_000;
  const files = unzipSync(readFileSync(zip));
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), bytes);
  }
  return { folder: dir, files, seconds };
}

/** The value with the members of its objects by their names: their order is nobody's promise. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, inner]) => [name, sorted(inner)]),
        )
      : value;

/** A hash of each submission with all that it has, by its id. */
function hashes(files: Record<string, Uint8Array>): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of exportedLines(files, TEAM)) {
    const one = contentOf(line, files);
    found.set(
      one.id,
      createHash("sha256")
        .update(JSON.stringify(sorted(one)))
        .digest("base64"),
    );
  }
  return found;
}

async function moved(store: Store, elsewhere: Store): Promise<void> {
  const host = await started({ ...store.env, FILES: folder() });
  const { leaving } = await filled(host);
  const worked = await host.call<Record<string, number>>("work", leaving, EVERY_WORKED);
  const before = await exportOf(host);
  const memory = await host.call<number>("memory");
  const here = hashes(before.files);
  expect(here.size).toBe(ALL);
  const uploads = Object.keys(before.files).filter((name) => name.startsWith("files/"));
  expect(uploads).toHaveLength(Math.ceil(ALL / 4));
  expect(Object.values(before.files).some((bytes) => Buffer.from(bytes).includes("staying"))).toBe(false);

  const there = await started({ ...elsewhere.env, FILES: folder() });
  await there.call("teams.create", { id: TEAM, name: "Leaving" });
  const { forms } = JSON.parse(Buffer.from(before.files[`forms/${TEAM}.json`] as Uint8Array).toString()) as {
    forms: Record<string, Record<string, unknown>>;
  };
  const { webhooks: _, ...form } = forms[TEAM] as Record<string, unknown>;
  const { settings } = form as { settings?: object };
  const { id } = await there.call<{ id: string }>(
    "forms.create",
    { ...form, settings: { ...settings, key: TEAM } },
    { team_id: TEAM },
  );
  const path = join(before.folder, `submissions/${TEAM}.ndjson`);
  const start = performance.now();
  expect(await there.call("importFrom", id, path, before.folder)).toEqual({ imported: ALL, failed: 0 });
  const imported = (performance.now() - start) / 1_000;
  const memoryThere = await there.call<number>("memory");
  expect(await there.call("counters", TEAM)).toEqual(await host.call("counters", TEAM));
  const again = await exportOf(there);
  const now = hashes(again.files);
  expect(now.size).toBe(ALL);
  expect([...here].filter(([one, hash]) => now.get(one) !== hash)).toEqual([]);
  console.info(
    `${ALL} submissions (${JSON.stringify(worked)}) and ${uploads.length} files exported in ${before.seconds.toFixed(1)} s, ` +
      `imported in ${imported.toFixed(1)} s, each the same again; most memory ${memory} MB, there ${memoryThere} MB`,
  );
}

const sqlite = (): Store => {
  const dir = folder();
  const path = join(dir, "forms.db");
  return {
    env: { DATABASE: path },
    files: () => readdirSync(dir).map((name) => join(dir, name)),
    async naming(words) {
      const found: Record<string, number> = {};
      const database = new DatabaseSync(path);
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as {
        name: string;
      }[];
      for (const { name } of tables) {
        for (const row of database.prepare(`SELECT * FROM "${name}"`).iterate()) {
          const text = Object.values(row as object)
            .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)))
            .join(" ");
          const table = name.replace(/^fb_/, "");
          if (words.some((word) => text.includes(word))) found[table] = (found[table] ?? 0) + 1;
        }
      }
      database.close();
      return found;
    },
  };
};

describe("a team of many submissions, on SQLite,", () => {
  const minutes = runs(5, 90) * 60_000;
  it(
    `is deleted with an exact receipt while it is posted to, over ${KILLS} kill -9, and nothing is left`,
    () => deleted(sqlite()),
    minutes,
  );
  it("is exported, and is the same again elsewhere", () => moved(sqlite(), sqlite()), minutes);
});

withPostgres((pool) => {
  const postgres = (): Store => {
    const schema = freshSchema();
    return {
      env: { DATABASE: POSTGRES_URL, SCHEMA: schema },
      files: () => [],
      async naming(words) {
        const found: Record<string, number> = {};
        const { rows } = await pool.query(
          "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
          [schema],
        );
        for (const { name } of rows as { name: string }[]) {
          const query = `SELECT count(*)::int AS count FROM "${schema}"."${name}" t WHERE t::text LIKE ANY ($1)`;
          const [{ count }] = (await pool.query(query, [words.map((word) => `%${word}%`)])).rows;
          if (count > 0) found[name] = count;
        }
        return found;
      },
    };
  };
  const minutes = runs(5, 90) * 60_000;
  it(
    `is deleted with an exact receipt while it is posted to, over ${KILLS} kill -9, and nothing is left`,
    () => deleted(postgres()),
    minutes,
  );
  it("is exported, and is the same again on SQLite", () => moved(postgres(), sqlite()), minutes);
});
