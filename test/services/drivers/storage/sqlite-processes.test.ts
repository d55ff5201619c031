import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import type { Migration } from "../../../../src/drivers/storage/_sql/migrations.ts";
import { connect } from "../../../../src/drivers/storage/_sqlite/connection.ts";
import { migrate, migrations } from "../../../../src/drivers/storage/_sqlite/migrations.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { commitMany, job, one, put } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { compileDrivers } from "./_compiled.ts";

const file = (): string => join(temporaryDirectory(), "forms.db");

let compiled: string;
beforeAll(() => {
  compiled = compileDrivers();
});

/** Runs `body` in a process of its own with an open `driver`; answers what it printed. */
function run(path: string, body: string, cwd = compiled): Promise<string> {
  const script = `
    const { sqliteStorage } = await import("./drivers/storage/sqlite.js");
    const driver = sqliteStorage({ path: ${JSON.stringify(path)} });
    await driver.open();
    ${body}
    await driver.close();`;
  const child = spawn(process.execPath, ["--input-type=module", "--no-warnings", "-e", script], { cwd });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      code === 0 ? resolve(output) : reject(new Error(`exit code ${code ?? signal}: ${output}`)),
    );
  });
}

describe("many processes at one file", () => {
  it("migrate an empty file together", async () => {
    const path = file();
    await Promise.all(Array.from({ length: 8 }, () => run(path, "")));
    const database = new DatabaseSync(path);
    expect(database.prepare("SELECT id, name FROM fb_migrations").all()).toMatchObject(
      migrations.map(({ id, name }) => ({ id, name })),
    );
    expect(Object.values(database.prepare("PRAGMA integrity_check").get())).toEqual(["ok"]);
    database.close();
  }, 300_000);

  it("write at the same time without an error, and lose nothing", async () => {
    const path = file();
    const body = (name: string): string => `
      for (let i = 0; i < 500; i++) {
        await driver.commit([
          { op: "put", collection: "forms", id: "${name}" + i, value: { team_id: "t1" }, expect: null },
          { op: "add", id: "c", by: 1, at: "2026-01-01T00:00:00.000Z" },
        ]);
        if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
      }`;
    await Promise.all(["a", "b", "c"].map((name) => run(path, body(name))));
    const driver = sqliteStorage({ path });
    await driver.open();
    const ids = ["a", "b", "c"].flatMap((name) => Array.from({ length: 500 }, (_, i) => name + i));
    expect((await driver.get("forms", ids)).size).toBe(1500);
    expect((await one(driver, "counters", "c"))?.value.n).toBe(1500);
    await driver.close();
  }, 300_000);

  it.each([
    ["a large commit, which starts the writing thread", 1],
    ["commits that fill the log, which starts the thread that copies it", 400],
  ])("end with code 0 when they close right after %s", async (_, commits) => {
    const body = `
      for (let i = 0; i < ${commits}; i++) {
        await driver.commit(Array.from({ length: 60 }, (_, n) => (
          { op: "put", collection: "forms", id: i + "x" + n, value: { team_id: "t1", name: "x".repeat(1000) }, expect: null }
        )));
      }`;
    expect(await run(file(), body)).toBe("");
  });

  it("claim each job once, and update one row one after the other", async () => {
    const path = file();
    const driver = sqliteStorage({ path });
    await driver.open();
    await commitMany(
      driver,
      Array.from({ length: 600 }, (_, i) => job(`j${i}`, i % 9, { target: `w${i % 5}` })),
    );
    await driver.commit([put("forms", "f", { n: 0 })]);
    const body = `
      const query = { lane: "webhook", leaseMs: 3600000, limit: 3, exclude: [], perTarget: 2, now: Date.UTC(2027, 0, 1) };
      const ids = [];
      for (;;) {
        const { jobs } = await driver.claim(query);
        if (jobs.length === 0) break;
        ids.push(...jobs.map((job) => job.id));
        for (;;) {
          const found = (await driver.get("forms", ["f"])).get("f");
          await new Promise((resolve) => setImmediate(resolve));
          try {
            await driver.commit([{ op: "put", collection: "forms", id: "f", value: { n: found.value.n + 1 }, expect: found.version }]);
            break;
          } catch (error) {
            if (error.name !== "StaleWriteError") throw error;
          }
        }
      }
      console.log(JSON.stringify(ids));`;
    const lists = await Promise.all([1, 2, 3].map(async () => JSON.parse(await run(path, body)) as string[]));
    const ids = lists.flat();
    expect(ids.length).toBe(600);
    expect(new Set(ids).size).toBe(600);
    const found = await one(driver, "forms", "f");
    expect(found?.version).toBe(Number(found?.value.n) + 1);
    expect(Number(found?.value.n)).toBeGreaterThanOrEqual(200);
    await driver.close();
  }, 300_000);

  it("wait for one that holds the file, and say so when it does not let go", async () => {
    const path = file();
    // A second SQLite library in this process would not be stopped: POSIX locks belong to the process.
    const script = `
      const { DatabaseSync } = await import("@photostructure/sqlite");
      const database = new DatabaseSync(${JSON.stringify(path)});
      database.exec("BEGIN EXCLUSIVE; CREATE TABLE hosts_own (a)");
      process.stdout.write("held");
      process.stdin.once("data", () => {
        database.exec("COMMIT");
        database.close();
        process.exit();
      });`;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: compiled });
    await once(holder.stdout, "data");
    await expect(sqliteStorage({ path }).open()).rejects.toThrow(/forms\.db" stayed locked for 5 s/);
    const gone = once(holder, "close");
    const waiting = run(path, "");
    holder.stdin.write("let go");
    await Promise.all([waiting, gone]);
  }, 300_000);

  it("ends a process that calls process.exit() in the middle of a commit in the thread: the commit first, and no crash", async () => {
    const ended = await Promise.all(
      [3, 6, 10, 20, 40].map(async (ms) => {
        const path = file();
        const body = `
          let acknowledged = 0;
          const rows = (n) => Array.from({ length: 16 }, (_, i) => ({ op: "put", collection: "forms", id: n + "." + i, value: { a: "x".repeat(n < 20 ? 0 : 100_000) } }));
          for (let n = 0; ; n++) {
            await driver.commit(rows(n));
            acknowledged = n + 1;
            // The thread starts with the first commit, and is up by then.
            if (n === 20) setTimeout(() => { console.log(acknowledged); process.exit(0); }, ${ms});
            if (n < 20) await new Promise((resolve) => setTimeout(resolve, 10));
          }`;
        const acknowledged = Number(await run(path, body));
        const database = new DatabaseSync(path);
        const { n } = database.prepare("SELECT count(*) AS n FROM fb_forms").get() as { n: number };
        database.close();
        return { acknowledged, commits: n / 16 };
      }),
    );
    // The one that was under way is whole, too.
    for (const { acknowledged, commits } of ended) expect([acknowledged, acknowledged + 1]).toContain(commits);
  }, 300_000);

  it("keeps every acknowledged commit when a process is killed", async () => {
    const path = file();
    const script = `
      for (let i = 0; ; i++) {
        await driver.commit([{ op: "put", collection: "forms", id: "f" + i, value: {} }, { op: "add", id: "c", by: 1, at: "x" }]);
        process.stdout.write(i + "\\n");
        if (i === 200) process.kill(process.pid, "SIGKILL");
      }`;
    const output = await run(path, script).catch((error: Error) => error.message);
    const acknowledged = output.trim().split("\n").length;
    expect(acknowledged).toBeGreaterThan(100);
    const driver = sqliteStorage({ path });
    await driver.open();
    const ids = Array.from({ length: 250 }, (_, i) => `f${i}`);
    const { size } = await driver.get("forms", ids);
    expect(size).toBeGreaterThanOrEqual(acknowledged);
    expect((await one(driver, "counters", "c"))?.value.n).toBe(size);
    await driver.close();
  }, 300_000);
});

describe("an installation without @photostructure/sqlite", () => {
  it("works where Node has SQLite itself, and says what to install where not", async () => {
    const outcome = run(file(), 'process.stdout.write("opened");', compileDrivers({ engine: false }));
    if (process.getBuiltinModule?.("node:sqlite")) expect(await outcome).toBe("opened");
    else await expect(outcome).rejects.toThrow(/no SQLite engine found; run `npm install @photostructure\/sqlite`/);
  }, 300_000);
});

describe("an installation with @photostructure/sqlite without its native file", () => {
  it("works where Node has SQLite itself, and names the file and the bundler where not", async () => {
    const outcome = run(file(), 'process.stdout.write("opened");', compileDrivers({ engine: "partial" }));
    if (process.getBuiltinModule?.("node:sqlite")) expect(await outcome).toBe("opened");
    else
      await expect(outcome).rejects.toThrow(
        /is installed, but its native file is missing .* `externals\.traceInclude`/,
      );
  }, 300_000);
});

describe("migrations", () => {
  it("that were released never change", () => {
    // A failure here after the first release means: leave that migration as it was and add the next one.
    const digests = migrations.map(({ sql }) =>
      createHash("sha256").update(sql("fb_").join(";\n")).digest("hex").slice(0, 16),
    );
    expect(digests).toMatchInlineSnapshot(`
      [
        "c70711660dd32c1d",
        "f0f8dc666412d576",
        "b211558449c021aa",
        "4176cd671fb9a934",
        "400c273b5f12734a",
        "71ed9c4638b193f8",
        "79314ee7ddbc5d61",
        "a01d38d547e9072e",
        "fd4dca4cafefddb0",
        "c42f6a2f92f9d7a1",
      ]
    `);
  });

  const next = migrations.length + 1;
  const later = (breaking: boolean): Migration => ({
    ...{ id: next, name: "later", breaking },
    sql: (prefix) => [`CREATE TABLE ${prefix}later (a)`],
  });

  it("add the index by status to deliveries that are there", async () => {
    const database = new DatabaseSync(":memory:");
    migrate(connect(database), "fb_", migrations.slice(0, 3));
    database.exec(
      `INSERT INTO fb_jobs (id, version, status, created_at, data) VALUES ('a', 1, 'failed', '2026-01-01T00:00:00.000Z', '{}'), ('b', 1, 'succeeded', '2026-01-01T00:00:00.000Z', '{}')`,
    );
    const driver = sqliteStorage({ database });
    await driver.open();
    const query = { index: "status", equals: { status: "failed" }, order: "asc", limit: 50 } as const;
    expect((await driver.page("jobs", query)).map(({ id }) => id)).toEqual(["a"]);
    database.close();
  });

  it("of a newer version stop an older one only when they break it", async () => {
    for (const breaking of [false, true]) {
      const database = new DatabaseSync(":memory:");
      migrate(connect(database), "fb_", [...migrations, later(breaking)]);
      const driver = sqliteStorage({ database });
      if (breaking) {
        const message = new RegExp(
          `written by a newer form-backend \\(migration ${next} "later"\\); upgrade the package`,
        );
        await expect(driver.open()).rejects.toThrow(message);
        await expect(driver.open()).rejects.toThrow(message);
      } else {
        await driver.open();
        await driver.commit([put("forms", "f", {})]);
      }
      database.close();
    }
  });

  it("that fail leave no trace and can be tried again", () => {
    const database = new DatabaseSync(":memory:");
    const broken: Migration = {
      ...later(false),
      sql: () => ["CREATE TABLE fb_half (a)", "CREATE TABLE nonsense nonsense"],
    };
    expect(() => migrate(connect(database), "fb_", [...migrations, broken])).toThrow(/syntax/);
    expect(database.prepare("SELECT count(*) AS n FROM sqlite_master").get()).toMatchObject({ n: 0 });
    migrate(connect(database), "fb_", [...migrations, later(false)]);
    expect(database.prepare("SELECT count(*) AS n FROM fb_migrations").get()).toMatchObject({ n: next });
    database.close();
  });

  it("keep to their prefix, so that two stores share a file", async () => {
    const database = new DatabaseSync(":memory:");
    const [a, b] = [sqliteStorage({ database, prefix: "a_" }), sqliteStorage({ database, prefix: "b_" })];
    await a.open();
    await b.open();
    await a.commit([put("forms", "f", { of: "a" })]);
    expect(await one(b, "forms", "f")).toBeUndefined();
    const names = database.prepare("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").all();
    expect(names.filter(({ name }) => !/^[ab]_/.test(String(name)))).toEqual([]);
    database.close();
  });
});
