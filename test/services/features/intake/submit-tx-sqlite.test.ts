import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { DatabaseSync } from "@photostructure/sqlite";
import BetterSqlite3 from "better-sqlite3";
import Libsql from "libsql";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type SqliteStorageOptions, sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { Transaction } from "../../../../src/drivers/storage/types.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { transactionCases } from "../../../_support/transactions/cases.ts";
import type { LibraryOf } from "../../../_support/transactions/library.ts";
import { betterSqlite3Libraries, libsqlLibraries, pathLibraries } from "../../../_support/transactions/sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "fb-tx-"));
let files = 0;
const file = (): string => join(dir, `${++files}.db`);

interface Handle {
  prepare(sql: string): { get(): unknown };
  exec(sql: string): unknown;
  close(): unknown;
}

const inWal = <T extends Handle>(database: T): T => {
  database.exec("PRAGMA journal_mode = WAL");
  return database;
};
const libsql = (path: string) => inWal(new Libsql(path));
const betterSqlite3 = (path: string) => inWal(new BetterSqlite3(path));
const databaseSync = (path: string) => inWal(new DatabaseSync(path));

async function started(options: SqliteStorageOptions): Promise<{ backend: TestBackend; form: string }> {
  const backend = createTestBackend({ storage: sqliteStorage(options) });
  const { id: form } = await backend.forms.create({ name: "A", spam: { protection: false } });
  return { backend, form };
}

describe.each<[string, readonly LibraryOf[], (path: string) => Handle, (path: string) => SqliteStorageOptions]>([
  ["over a handle of libsql", libsqlLibraries, libsql, (path) => ({ database: libsql(path) as never })],
  [
    "over a handle of better-sqlite3",
    betterSqlite3Libraries,
    betterSqlite3,
    (path) => ({ database: betterSqlite3(path) }),
  ],
  ["of a path", pathLibraries, databaseSync, (path) => ({ path })],
])("submit to a store %s in a transaction of", (_, libraries, handleOf, optionsOf) => {
  const path = file();
  let place: { backend: TestBackend; form: string };
  let reader: Handle;
  beforeAll(async () => {
    place = await started(optionsOf(path));
    reader = handleOf(path);
    reader.exec("CREATE TABLE hosts_own (submission_id TEXT)");
  });
  afterAll(async () => {
    await place.backend.close();
    reader.close();
  });
  const count = async (table: string): Promise<number> =>
    Number((reader.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n);

  for (const library of libraries) {
    transactionCases(library, () => ({ url: path, ...place, own: "hosts_own", count }));
  }
});

describe("submit in a transaction on SQLite", () => {
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  async function refused({ backend, form }: Awaited<ReturnType<typeof started>>, tx: unknown, message: RegExp) {
    const submitting = backend.submit(form, { fields: { n: "1" } }, { tx: tx as Transaction });
    await expect(submitting).rejects.toThrow(TypeError);
    await expect(submitting).rejects.toThrow(message);
    expect((await backend.submissions.count(form)).count).toBe(0);
  }

  it("takes the store's own handle", async () => {
    const database = new DatabaseSync(":memory:");
    const { backend, form } = await started({ database: database as never });
    const tx = database as unknown as Transaction;
    await refused({ backend, form }, tx, /`tx`, a handle of SQLite, has no transaction open; run BEGIN IMMEDIATE/);
    database.exec("CREATE TABLE hosts_own (submission_id); BEGIN");
    const { id } = await backend.submit(form, { fields: { n: "1" } }, { tx });
    database.prepare("INSERT INTO hosts_own VALUES (?)").run(id);
    // A post of somebody else waits for the end, and takes part in nothing.
    const other = backend.submit(form, { fields: { n: "other" } });
    await new Promise((resolve) => setTimeout(resolve, 5));
    database.exec("ROLLBACK");
    await other;
    expect((await backend.submissions.list(form)).data.map(({ fields }) => fields[0]?.value)).toEqual(["other"]);
    await backend.close();
  });

  it("takes room of a team that limits what it stores, with the host's commit alone", async () => {
    const path = file();
    const { backend } = await started({ path });
    await backend.teams.create({ id: "acme", name: "Acme", limits: { stored_submissions: 2 } });
    const { id: form } = await backend.forms.create({ name: "B", team_id: "acme", spam: { protection: false } });
    const host = new DatabaseSync(path);
    onTestFinished(() => host.close());
    const submit = () => backend.submit(form, { fields: { n: "1" } }, { tx: host as unknown as Transaction });
    for (const end of ["ROLLBACK", "COMMIT", "COMMIT"]) {
      host.exec("BEGIN IMMEDIATE");
      await submit();
      host.exec(end);
    }
    host.exec("BEGIN IMMEDIATE");
    await expect(submit()).rejects.toMatchObject({ code: "limit_reached" });
    host.exec("ROLLBACK");
    expect((await backend.submissions.count(form)).count).toBe(2);
    await backend.close();
  });

  it("keeps the store's other writes waiting, and not the event loop", async () => {
    const path = file();
    const { backend, form } = await started({ path });
    const host = new DatabaseSync(path);
    onTestFinished(() => host.close());
    host.exec("BEGIN IMMEDIATE");
    await backend.submit(form, { fields: { n: "1" } }, { tx: host as unknown as Transaction });
    let ended = false;
    const others = [1, 2, 3].map((n) => backend.submit(form, { fields: { n: `other ${n}` } }).then(() => ended));
    await new Promise((resolve) => setTimeout(resolve, 20));
    host.exec("COMMIT");
    ended = true;
    expect(await Promise.all(others)).toEqual([true, true, true]);
    expect((await backend.submissions.count(form)).count).toBe(4);
    await backend.close();
  });

  it("counts for a plan without a write of its own", async () => {
    const path = file();
    const backend = createTestBackend({
      storage: sqliteStorage({ path }),
      plans: { unlimited: { submissions_per_month: 1 } },
    });
    const { id: form } = await backend.forms.create({ name: "A", spam: { protection: false } });
    const host = new DatabaseSync(path);
    onTestFinished(() => host.close());
    for (const n of ["1", "2"]) {
      host.exec("BEGIN IMMEDIATE");
      await backend.submit(form, { fields: { n } }, { tx: host as unknown as Transaction });
      host.exec("COMMIT");
    }
    const rows = host
      .prepare("SELECT json_extract(data, '$.over_quota') AS over FROM fb_submissions ORDER BY id")
      .all();
    expect(rows).toEqual([{ over: 0 }, { over: 1 }].map((row) => expect.objectContaining(row)));
    await backend.close();
  });

  it("refuses another file, another copy of SQLite, and what can have no transaction", async () => {
    const path = file();
    const place = await started({ path });
    const begun = <T extends { exec(sql: string): unknown; close(): unknown }>(database: T): T => {
      onTestFinished(() => void database.close());
      database.exec("BEGIN IMMEDIATE");
      return database;
    };
    await refused(
      place,
      begun(new DatabaseSync(":memory:")),
      /is in a database without the store's tables; pass a handle/,
    );
    const other = file();
    await (await started({ path: other })).backend.close();
    await refused(place, begun(new DatabaseSync(other)), /holds no lock that the store can see: it is on another file/);
    await refused(
      place,
      begun(new Libsql(path)),
      /of another copy of SQLite; open the store with a handle of the same lib/,
    );
    const client = createClient({ url: `file:${other}` });
    await refused(place, client, /is a client of @libsql\/client; pass what `await client\.transaction\(\)` gives you/);
    const pg = { query: async () => ({ rows: [] }) };
    await refused(place, pg, /is a client of pg \(PostgreSQL\), and the store is in SQLite/);
    await place.backend.close();
  });
});
