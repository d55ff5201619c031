import { chmodSync, copyFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { connect } from "../../../../src/drivers/storage/_sqlite/connection.ts";
import { openFile } from "../../../../src/drivers/storage/_sqlite/engine.ts";
import { patiently } from "../../../../src/drivers/storage/_sqlite/patience.ts";
import type { SqliteLike } from "../../../../src/drivers/storage/sqlite.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import {
  commitMany,
  field,
  idsOf,
  job,
  one,
  padded,
  put,
  submission,
  time,
} from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { passes } from "../../../_support/passes.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const file = (): string => join(temporaryDirectory(), "forms.db");

describe("sqliteStorage over a file", () => {
  for (const c of storageSuite) it(c.name, () => passes(c.run(() => sqliteStorage({ path: file() }))), 60_000);
});

it("makes its file and journals for this user alone, and leaves the permissions of a file that is there", async () => {
  const modes = (path: string) => ["", "-wal", "-shm"].map((end) => statSync(path + end).mode & 0o777);
  const before = process.umask(0o022);
  try {
    const [fresh, old] = [file(), file()];
    const made = sqliteStorage({ path: fresh });
    await made.open();
    expect(modes(fresh)).toEqual([0o600, 0o600, 0o600]);
    await made.close();
    writeFileSync(old, "");
    chmodSync(old, 0o640);
    const shared = sqliteStorage({ path: old });
    await shared.open();
    expect(modes(old)).toEqual([0o640, 0o640, 0o640]);
    await shared.close();
  } finally {
    process.umask(before);
  }
});

describe("sqliteStorage over a handle of @photostructure/sqlite", () => {
  for (const c of storageSuite) {
    it(
      c.name,
      () => passes(c.run(() => sqliteStorage({ database: new DatabaseSync(":memory:"), prefix: "my_" }))),
      60_000,
    );
  }
});

const builtin = process.getBuiltinModule?.("node:sqlite") as
  | { DatabaseSync: new (path: string) => SqliteLike }
  | undefined;

if (builtin) {
  describe("sqliteStorage over a handle of node:sqlite", () => {
    for (const c of storageSuite) {
      it(c.name, () => passes(c.run(() => sqliteStorage({ database: new builtin.DatabaseSync(file()) }))), 60_000);
    }
  });
}

const open: StorageDriver[] = [];
async function opened(options: Parameters<typeof sqliteStorage>[0]): Promise<StorageDriver> {
  const driver = sqliteStorage(options);
  open.push(driver);
  await driver.open();
  return driver;
}
const idsOfPage = async (driver: StorageDriver): Promise<string[]> =>
  idsOf(await driver.page("submissions", { index: "form", equals: { form_id: "f1" }, order: "asc", limit: 500 }));
afterEach(async () => {
  for (const driver of open.splice(0)) await driver.close();
});

describe("the file", () => {
  it("keeps what was committed over a restart", async () => {
    const path = file();
    const first = await opened({ path });
    await first.commit([
      submission("s", 1, { country: "DE" }),
      job("j", 1),
      { op: "add", id: "c", by: 2, at: time(1) },
    ]);
    await first.commit([submission("s", 1, { country: "FR" })]);
    await first.close();
    const second = await opened({ path });
    const found = await one(second, "submissions", "s");
    expect([found?.value.country, found?.version]).toEqual(["FR", 2]);
    expect((await one(second, "counters", "c"))?.value).toEqual({ n: 2, at: time(1) });
    expect(await second.nextDueAt("webhook")).toBe(Date.parse(time(1)));
  });

  it.each([1, 40])("is alone, closed and whole after close(), with %i rows written at once", async (rows) => {
    const path = file();
    const driver = await opened({ path });
    await driver.commit(Array.from({ length: rows }, (_, i) => submission(`s${i}`, i + 1)));
    // The first large commit starts the thread, a later one is its own.
    await commitMany(
      driver,
      Array.from({ length: rows }, (_, i) => submission(`t${i}`, i + 1)),
    );
    expect(await idsOfPage(driver)).toHaveLength(2 * rows);
    await driver.close();
    expect(readdirSync(dirname(path))).toEqual(["forms.db"]);
    // Another handle may change the journal only where nobody else has the file open.
    const alone = new DatabaseSync(path);
    expect(alone.prepare("PRAGMA journal_mode = DELETE").get()).toEqual({ journal_mode: "delete" });
    alone.close();
    const copy = join(temporaryDirectory(), "copy.db");
    copyFileSync(path, copy);
    expect(await idsOfPage(await opened({ path: copy }))).toHaveLength(2 * rows);
  });

  it("holds everything after close() also while another process reads it", async () => {
    const path = file();
    const driver = await opened({ path });
    await driver.commit([submission("s", 1)]);
    const reader = new DatabaseSync(path);
    expect(reader.prepare("SELECT count(*) AS n FROM fb_submissions").get()).toEqual({ n: 1 });
    await driver.close();
    const copy = join(temporaryDirectory(), "copy.db");
    copyFileSync(path, copy);
    reader.close();
    expect(await idsOfPage(await opened({ path: copy }))).toEqual(["s"]);
  });

  it("lets go of a host's handle, which then closes", async () => {
    const path = file();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL");
    const driver = await opened({ database });
    await driver.commit([submission("s", 1)]);
    await driver.close();
    expect(database.prepare("SELECT count(*) AS n FROM fb_submissions").get()).toEqual({ n: 1 });
    database.close();
  });

  it("has tables a host can read: declared columns beside the JSON of the rest", async () => {
    const path = file();
    const driver = await opened({ path });
    await driver.commit([submission("s", 1, { spam: true, country: "DE", fields: [field("a", "b")] })]);
    await driver.close();
    const database = new DatabaseSync(path);
    const sql = "SELECT id, version, form_id, created_at, spam, country, data FROM fb_submissions";
    expect({ ...database.prepare(sql).get() }).toEqual({
      ...{ id: "s", version: 1, form_id: "f1", created_at: time(1), spam: 1, country: "DE" },
      data: '{"fields":[{"key":"a","value":"b"}]}',
    });
    database.close();
  });

  it("answers every page and claim from an index, without sorting", async () => {
    const path = file();
    const database = new DatabaseSync(path);
    const seen: string[] = [];
    const spy: SqliteLike = {
      prepare(sql) {
        seen.push(sql);
        return database.prepare(sql);
      },
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
    };
    const driver = await opened({ database: spy });
    seen.length = 0;
    const after = { sort: time(1), id: "x" };
    for (const order of ["asc", "desc"] as const) {
      await driver.page("submissions", { index: "form", equals: { form_id: "f1" }, order, limit: 25, after });
      const equals = { team_id: "t1", spam: null };
      await driver.page("submissions", { index: "team_spam", equals, order, limit: 25, after });
      const where = [{ column: "created_at", op: "gte", value: time(0) } as const];
      await driver.page("forms", { index: "all", equals: {}, order, limit: 25, after, where });
      const ofForm = { form_id: "f1", status: "failed" };
      await driver.page("jobs", { index: "form_status", equals: ofForm, order, limit: 25, after, where });
      await driver.page("jobs", { index: "status", equals: { status: "failed" }, order, limit: 25, after, where });
    }
    await driver.get("forms", ["a"]);
    await driver.get("forms", ["a", "b"]);
    await driver.commit([job("j", 1)]);
    await driver.claim({ lane: "webhook", leaseMs: 1, limit: 1, exclude: [], perTarget: 1, now: Date.parse(time(2)) });
    await driver.nextDueAt("webhook");
    const plans = seen
      .filter((sql) => /^\s*(SELECT|UPDATE|DELETE)/.test(sql) && !sql.includes("sqlite_master"))
      .map((sql) => [
        sql,
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map((step) => String(step.detail))
          .join(" | "),
      ]);
    expect(plans.length).toBeGreaterThan(8);
    for (const [sql, plan] of plans) {
      expect(plan, sql).toMatch(/SEARCH/);
      expect(plan, sql).not.toMatch(/TEMP B-TREE|SCAN fb_/);
    }
    database.close();
  });

  it("is opened in WAL with an fsync per commit, and waits for other processes", async () => {
    const database = await openFile(file());
    const pragma = (name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0];
    expect([pragma("journal_mode"), pragma("synchronous"), pragma("busy_timeout")]).toEqual(["wal", 2, 5000]);
    database.close();
  });

  it("refuses text that SQLite bindings would cut, wherever it is bound", async () => {
    const driver = await opened({ path: file() });
    await expect(driver.commit([put("forms", "a\0b", {})])).rejects.toThrow(TypeError);
    await expect(driver.commit([submission("s", 1, { country: "D\0E" })])).rejects.toThrow(
      /submissions\.country contains NUL/,
    );
    await expect(driver.commit([submission("s", 1, { country: "\ud800" })])).rejects.toThrow(TypeError);
    await expect(driver.commit([submission("s", 1, { spam: "yes" })])).rejects.toThrow(/spam must be boolean/);
    await expect(driver.commit([{ op: "add", id: "c", by: 0.5, at: time(1) }])).rejects.toThrow(TypeError);
    await expect(driver.commit([put("counters", "c", { n: 1, at: time(1) })])).rejects.toThrow(/by "add" only/);
    const fields = [field("a\0", "b\0\ud800c")];
    await driver.commit([submission("s", 1, { fields })]);
    expect((await one(driver, "submissions", "s"))?.value.fields).toEqual(fields);
    const where = [{ field: null, op: "contains", value: "B\0" } as const];
    const equals = { form_id: "f1" };
    expect(await driver.page("submissions", { index: "form", equals, order: "asc", limit: 9, where })).toHaveLength(1);
    const cut = { form_id: "f1\0x" };
    expect(await driver.page("submissions", { index: "form", equals: cut, order: "asc", limit: 9 })).toEqual([]);
  });
});

describe("a host's handle", () => {
  it("is raised to a durable setting and left open, without a transaction", async () => {
    const database = new DatabaseSync(file());
    database.exec("PRAGMA synchronous = OFF; PRAGMA busy_timeout = 0; CREATE TABLE hosts_own (a)");
    const driver = await opened({ database });
    expect(Object.values(database.prepare("PRAGMA synchronous").get())).toEqual([2]);
    expect(Object.values(database.prepare("PRAGMA busy_timeout").get())).toEqual([5000]);
    await driver.commit([put("forms", "f", { n: 1 })]);
    await expect(driver.commit([put("forms", "g", {}), put("forms", "f", {}, null)])).rejects.toThrow(/stale write/);
    expect(database.isTransaction).toBe(false);
    await driver.close();
    await driver.close();
    expect(database.prepare("SELECT count(*) AS n FROM fb_forms").get()).toMatchObject({ n: 1 });
    await expect(driver.get("forms", ["f"])).rejects.toThrow(/not open/);
    database.close();
  });

  // Builds with SQLITE_DEFAULT_WAL_SYNCHRONOUS=1, as most packages are, call a new handle FULL until its first transaction.
  it("that has just been put into WAL stays at a durable setting", async () => {
    const database = new DatabaseSync(file());
    database.exec("PRAGMA journal_mode = WAL");
    const driver = await opened({ database });
    await driver.commit([put("forms", "f", {})]);
    expect(Object.values(database.prepare("PRAGMA synchronous").get())).toEqual([2]);
    database.close();
  });

  it("in the middle of the host's transaction keeps commits and claims waiting, and nothing else", async () => {
    const database = new DatabaseSync(":memory:");
    const driver = await opened({ database });
    await driver.commit([job("j", 1)]);
    database.exec("CREATE TABLE hosts_own (a); BEGIN; INSERT INTO hosts_own VALUES (1)");
    const done: string[] = [];
    const committing = driver.commit([put("forms", "f", {})]).then(() => done.push("commit"));
    const query = { lane: "webhook", leaseMs: 1, limit: 1, exclude: [], perTarget: 1 };
    const claiming = driver.claim(query).then(({ jobs }) => done.push(`${jobs.length} job`));
    // The event loop goes on.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(done).toEqual([]);
    database.exec("ROLLBACK");
    await Promise.all([committing, claiming]);
    expect(done).toEqual(["commit", "1 job"]);
  });

  it("is waited for only so long", async () => {
    const database = new DatabaseSync(":memory:");
    const driver = await opened({ database });
    database.exec("BEGIN");
    const connection = connect(database as never);
    const work = () => connection.transaction(() => {});
    await expect(patiently(work, 0)).rejects.toThrow(
      /handle you passed has a transaction open; give form-backend a handle/,
    );
    await driver.close();
  });

  it("may read integers as bigints", async () => {
    const database = new DatabaseSync(":memory:", { readBigInts: true });
    const driver = await opened({ database });
    await driver.commit([job("j", 1), { op: "add", id: "c", by: 7, at: time(1) }, put("forms", "f", {}, null)]);
    await driver.commit([put("forms", "f", {}, 1)]);
    const { jobs } = await driver.claim({ ...{ lane: "webhook", leaseMs: 1, limit: 1, exclude: [], perTarget: 1 } });
    expect([jobs[0]?.version, jobs[0]?.value.lost, jobs[0]?.value.leased]).toEqual([2, 0, true]);
    expect((await one(driver, "counters", "c"))?.value).toEqual({ n: 7, at: time(1) });
    expect(await driver.count("jobs", { index: "all", equals: {}, budgetMs: 5000 })).toEqual({ count: 1, exact: true });
  });
});

describe("what is wrong with a path is said", () => {
  it("a directory that does not exist", async () => {
    const path = join(tmpdir(), "form-backend-no-such-directory", "forms.db");
    await expect(opened({ path })).rejects.toThrow(
      /directory ".*form-backend-no-such-directory" does not exist; create it/,
    );
  });

  it("a directory instead of a file", async () => {
    await expect(opened({ path: tmpdir() })).rejects.toThrow(/is a directory; name a file in it/);
  });

  it("a file that is no database", async () => {
    const path = file();
    writeFileSync(path, "These are my notes, and they must stay as they are. ".repeat(100));
    await expect(opened({ path })).rejects.toThrow(/forms\.db" is not a SQLite database/);
  });

  it("a database that can't be written", async () => {
    const path = file();
    new DatabaseSync(path).exec("CREATE TABLE hosts_own (a)");
    const database = new DatabaseSync(path, { readOnly: true });
    await expect(opened({ database })).rejects.toThrow(/handle you passed is read-only/);
    database.close();
  });

  it("a prefix that is no name", () => {
    expect(() => sqliteStorage({ path: file(), prefix: 'x"; DROP TABLE y' })).toThrow(TypeError);
  });

  it("a verb before open", async () => {
    await expect(sqliteStorage({ path: file() }).commit([])).rejects.toThrow(/await open\(\) first/);
  });
});

describe("long scans", () => {
  it("leave the process its turns and keep to the budget", async () => {
    const driver = await opened({ database: new DatabaseSync(":memory:") });
    const fields = [field("text", "x".repeat(500))];
    await commitMany(
      driver,
      Array.from({ length: 20_000 }, (_, i) => submission(padded(i), i, { fields, country: i % 2 ? "DE" : "FR" })),
    );
    const form = { index: "form", equals: { form_id: "f1" } } as const;
    let turns = 0;
    let counting = true;
    const tick = (): void => {
      turns++;
      if (counting) setImmediate(tick);
    };
    setImmediate(tick);
    const where = [{ field: "text", op: "contains", value: "y" } as const];
    expect(await driver.count("submissions", { ...form, where, budgetMs: 60_000 })).toEqual({ count: 0, exact: true });
    expect(await driver.page("submissions", { ...form, where, order: "desc", limit: 9 })).toEqual([]);
    counting = false;
    expect(turns).toBeGreaterThan(20);
    const present = [{ field: "text", op: "contains", value: "X" } as const];
    const hasty = await driver.count("submissions", { ...form, where: present, budgetMs: 0 });
    expect(hasty.exact).toBe(false);
    expect(hasty.count).toBeGreaterThan(0);
    expect(hasty.count).toBeLessThan(20_000);
    const groupBy = { column: "country" };
    const grouped = await driver.count("submissions", { ...form, groupBy, budgetMs: 60_000 });
    expect(grouped.groups?.toSorted((a, b) => String(a.key).localeCompare(String(b.key)))).toEqual([
      { key: "DE", count: 10_000 },
      { key: "FR", count: 10_000 },
    ]);
    const cut = await driver.count("submissions", { ...form, groupBy, budgetMs: 0 });
    expect([cut.exact, cut.count < 20_000]).toEqual([false, true]);
  });

  it("of claims pick the same jobs by the work list and from target to target", async () => {
    const driver = await opened({ database: new DatabaseSync(":memory:") });
    const targets = Array.from({ length: 40 }, (_, i) => `target-${i}`);
    await commitMany(
      driver,
      targets.flatMap((target, i) =>
        Array.from({ length: 30 }, (_, n) => job(`${target}-${n}`, (i * 13 + n * 7) % 200, { target })),
      ),
    );
    const exclude = targets.slice(0, 30);
    const query = { lane: "webhook", leaseMs: 1000, limit: 1000, exclude, perTarget: 3, now: Date.parse(time(150)) };
    const ids = idsOf((await driver.claim(query)).jobs);
    const expected = targets.slice(30).flatMap((target, i) =>
      Array.from({ length: 30 }, (_, n) => ({ id: `${target}-${n}`, due: ((i + 30) * 13 + n * 7) % 200 }))
        .filter(({ due }) => due <= 150)
        .sort((a, b) => a.due - b.due || (a.id < b.id ? -1 : 1))
        .slice(0, 3),
    );
    expected.sort((a, b) => a.due - b.due || (a.id < b.id ? -1 : 1));
    expect(ids).toEqual(expected.map(({ id }) => id));
  });
});
