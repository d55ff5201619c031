import { statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createCheckpoints } from "../../../../src/drivers/storage/_sqlite/checkpoints.ts";
import { connect } from "../../../../src/drivers/storage/_sqlite/connection.ts";
import { LOG_BYTES, openFile } from "../../../../src/drivers/storage/_sqlite/engine.ts";
import { createThread, type Thread } from "../../../../src/drivers/storage/_sqlite/thread.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

/** A database whose log has this size, and a thread that says when it copies. */
function withLog(bytes: number) {
  const path = join(temporaryDirectory(), "forms.db");
  writeFileSync(`${path}-wal`, "");
  truncateSync(`${path}-wal`, bytes);
  const finish: (() => void)[] = [];
  const thread = {
    run: vi.fn(),
    checkpoint: vi.fn(() => new Promise<void>((resolve) => finish.push(resolve))),
    ended: () => false,
    close: vi.fn(async () => {}),
  } satisfies Thread;
  const here = vi.fn();
  const start = vi.fn(async (): Promise<Thread | null> => thread);
  const checkpoints = createCheckpoints(path, here, start);
  const commits = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) checkpoints.committed();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { checkpoints, commits, thread, here, start, finish };
}

test("a small log is left alone, and no thread is started for it", async () => {
  const { checkpoints, commits, start } = withLog(LOG_BYTES);
  await commits(200);
  expect(start).not.toHaveBeenCalled();
  await checkpoints.close();
});

test("a large log is copied by the thread, once at a time, and closing waits for it", async () => {
  const { checkpoints, commits, thread, here, start, finish } = withLog(LOG_BYTES + 1);
  await commits(31);
  expect(start).not.toHaveBeenCalled();
  await commits(200);
  expect(thread.checkpoint).toHaveBeenCalledTimes(1);
  finish.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  await commits(200);
  expect(thread.checkpoint).toHaveBeenCalledTimes(2);
  const closed = vi.fn();
  const closing = checkpoints.close().then(closed);
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).not.toHaveBeenCalled();
  finish.shift()?.();
  await closing;
  expect(thread.close).toHaveBeenCalledOnce();
  expect([start.mock.calls.length, here.mock.calls.length]).toEqual([1, 0]);
});

test("without a thread the connection that is there copies", async () => {
  const { checkpoints, commits, here, start } = withLog(LOG_BYTES + 1);
  start.mockResolvedValue(null);
  await commits(64);
  expect(here).toHaveBeenCalled();
  await checkpoints.close();
});

test("a thread copies a real log while the writer goes on, and commits copy nothing below four times the size", async () => {
  const path = join(temporaryDirectory(), "forms.db");
  const database = await openFile(path);
  const connection = connect(database, true);
  connection.run("CREATE TABLE t (id INTEGER PRIMARY KEY, data TEXT)");
  const fileBytes = (): number => statSync(path).size;
  const before = fileBytes();
  for (let i = 0; i < 20; i++) connection.run("INSERT INTO t (data) VALUES (?)", ["x".repeat(1024 * 1024)]);
  expect(fileBytes()).toBe(before);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(LOG_BYTES);

  const thread = await createThread(path);
  await thread?.checkpoint();
  expect(fileBytes()).toBeGreaterThan(LOG_BYTES);
  const { size } = statSync(`${path}-wal`);
  connection.run("INSERT INTO t (data) VALUES ('the log begins anew')");
  // The log is written over: an fsync for the file's growth would cost each commit a third of its time.
  expect(statSync(`${path}-wal`).size).toBe(size);
  expect((connection.all("PRAGMA wal_checkpoint(PASSIVE)")[0] as { log: number }).log).toBeLessThan(10);
  await thread?.close();
  connection.release();
  database.close();
});
