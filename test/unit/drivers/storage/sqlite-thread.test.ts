import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Table, tableName, tableOf } from "../../../../src/drivers/storage/_sql/sql.ts";
import { compiler } from "../../../../src/drivers/storage/_sqlite/commit.ts";
import { type Connection, connect } from "../../../../src/drivers/storage/_sqlite/connection.ts";
import { openFile } from "../../../../src/drivers/storage/_sqlite/engine.ts";
import { migrate } from "../../../../src/drivers/storage/_sqlite/migrations.ts";
import { createThread, type Thread } from "../../../../src/drivers/storage/_sqlite/thread.ts";
import { createWriter, type Writer } from "../../../../src/drivers/storage/_sqlite/writer.ts";
import { StaleWriteError, type Write } from "../../../../src/drivers/storage/types.ts";
import { collections } from "../../../../src/model/collections.ts";
import { put } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const tables = new Map(Object.keys(collections).map((name) => [name, tableOf("fb_", name)]));
const compile = compiler(tableName("fb_", "counters"), (name) => tables.get(name) as Table);
const forms = (prefix: string, count: number): Write[] =>
  Array.from({ length: count }, (_, i) => put("forms", `${prefix}${i}`, { n: i }, null));

interface Open {
  connection: Connection;
  writer: Writer;
  /** How many statements each batch of the thread had. */
  batches: number[];
  thread: () => Thread;
  rows: () => string[];
}

/** A file with a writer whose thread is up. `now` is a clock that stands still unless the test moves it. */
async function open(now = () => 0): Promise<Open> {
  const path = join(temporaryDirectory(), "forms.db");
  const database = await openFile(path);
  const connection = connect(database);
  migrate(connection, "fb_");
  const batches: number[] = [];
  let started: Promise<Thread | null> | undefined;
  let thread: Thread | null = null;
  const start = (file: string) => {
    started = createThread(file).then((made) => {
      if (!made) throw new Error("no thread came up");
      thread = made;
      return {
        ...made,
        run(statements: Parameters<Thread["run"]>[0]) {
          batches.push(statements.length);
          return made.run(statements);
        },
      };
    });
    return started;
  };
  const writer = createWriter(connection, path, start, now);
  onTestFinished(async () => {
    await writer.close();
    database.close();
  });
  await writer.run(compile(forms("first", 16)));
  await started;
  return {
    ...{ connection, writer, batches },
    thread: () => thread as unknown as Thread,
    rows: () => connection.all("SELECT id FROM fb_forms ORDER BY id").map(({ id }) => String(id)),
  };
}

describe("large commits on a file go to a thread", () => {
  it("from 16 statements on, and are seen by the own connection as soon as they resolve", async () => {
    const { writer, batches, rows } = await open();
    await writer.run(compile(forms("small", 15)));
    expect(batches).toEqual([]);
    await writer.run(compile(forms("large", 16)));
    expect(batches).toEqual([16]);
    expect(rows()).toHaveLength(16 + 15 + 16);
  });

  it("and small ones too, for a second after four in a row that took long", async () => {
    let at = 0;
    let costs = 0;
    const { writer, batches } = await open(() => {
      at += costs;
      return at;
    });
    const commit = (name: string) => writer.run(compile(forms(name, 3)));
    await commit("quick");
    costs = 2;
    for (const name of ["slow-1", "slow-2", "slow-3"]) await commit(name);
    costs = 0;
    await commit("quick-between");
    costs = 2;
    for (const name of ["slow-4", "slow-5", "slow-6", "slow-7"]) await commit(name);
    expect(batches).toEqual([]);
    costs = 0;
    await commit("next");
    at += 999;
    await commit("within-the-second");
    expect(batches).toEqual([3, 3]);
    at += 1;
    await commit("tries-again");
    expect(batches).toEqual([3, 3]);
  });

  it("take everything back when one expectation fails, and name the row", async () => {
    const { writer, batches, rows } = await open();
    const writes = [...forms("a", 20), put("forms", "first3", { n: 0 }, null), ...forms("b", 20)];
    const error = await writer.run(compile(writes)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StaleWriteError);
    expect(error).toMatchObject({ collection: "forms", id: "first3" });
    expect(batches).toEqual([41]);
    expect(rows()).toHaveLength(16);
    // The last one too, and a removal of what is not there.
    const gone: Write = { op: "remove", collection: "forms", id: "nobody", expect: 1 };
    await expect(writer.run(compile([...forms("c", 20), gone]))).rejects.toThrow("forms nobody");
    expect(rows()).toHaveLength(16);
  });

  it("take everything back when SQLite refuses, with SQLite's words, and go on", async () => {
    const { connection, writer, rows } = await open();
    connection.run(
      "CREATE TRIGGER no_more BEFORE INSERT ON fb_forms WHEN new.id = 'x9' BEGIN SELECT raise(ABORT, 'no more'); END",
    );
    await expect(writer.run(compile(forms("x", 20)))).rejects.toThrow("no more");
    expect(rows()).toHaveLength(16);
    await writer.run(compile(forms("y", 20)));
    expect(rows()).toHaveLength(36);
  });

  it("keep the order of what was asked for, small and large", async () => {
    const { connection, writer, batches } = await open();
    const version = (n: number, expect: number | null): Write => put("forms", "one", { n }, expect);
    await Promise.all([
      writer.run(compile([version(1, null)])),
      writer.run(compile([version(2, 1), ...forms("p", 30)])),
      writer.run(compile([version(3, 2)])),
      writer.run(compile([...forms("q", 30), version(4, 3)])),
      writer.alone(() => connection.run("UPDATE fb_forms SET version = version + 1 WHERE id = 'one' AND version = 4")),
      writer.run(compile([version(6, 5), ...forms("r", 30)])),
    ]);
    expect(batches).toEqual([31, 31, 31]);
    expect(connection.all("SELECT version, data FROM fb_forms WHERE id = 'one'")).toMatchObject([
      { version: 6, data: '{"n":6}' },
    ]);
  });

  it("go on in the own connection when the thread is gone", async () => {
    const { writer, batches, thread, rows } = await open();
    await thread().close();
    expect(thread().ended()).toBe(true);
    await writer.run(compile(forms("later", 20)));
    expect(batches).toEqual([]);
    expect(rows()).toHaveLength(36);
  });

  it("wait at close until they are done", async () => {
    const { writer, rows } = await open();
    const commit = writer.run(compile(forms("late", 2_000)));
    await writer.close();
    await commit;
    expect(rows()).toHaveLength(2_016);
  });
});

describe("where no thread can be had", () => {
  it("the own connection does everything", async () => {
    const path = join(temporaryDirectory(), "forms.db");
    const database = await openFile(path);
    const connection = connect(database);
    migrate(connection, "fb_");
    const writer = createWriter(connection, path, async () => null);
    for (const prefix of ["a", "b", "c"]) await writer.run(compile(forms(prefix, 20)));
    expect(connection.all("SELECT count(*) AS n FROM fb_forms")).toMatchObject([{ n: 60 }]);
    await writer.close();
    database.close();
  });

  it("large commits one after another let timers run, so a thread that starts can say so", async () => {
    const connection = connect(await openFile(":memory:"));
    migrate(connection, "fb_");
    const writer = createWriter(connection, "forms.db", () => new Promise(() => {}));
    let ran = false;
    const started = performance.now();
    setTimeout(() => {
      ran = true;
    }, 0);
    let commits = 0;
    while (!ran && performance.now() - started < 5_000) await writer.run(compile(forms(`${commits++}-`, 16)));
    expect(ran).toBe(true);
  });

  it("a file that the thread can't open is answered with null", async () => {
    expect(await createThread(join(temporaryDirectory(), "no", "such", "directory.db"))).toBeNull();
  });
});
