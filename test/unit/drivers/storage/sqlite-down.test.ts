import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it } from "vitest";
import { createCommitter } from "../../../../src/core/commit.ts";
import { withOutages } from "../../../../src/core/outage.ts";
import { type SqliteLike, sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { submission } from "../../../../src/surfaces/testing/storage/fixtures.ts";

/** A handle on which no transaction can begin while `state.fault` says why. */
function faulty(): { database: SqliteLike; state: { fault: string; begun: number } } {
  const inner = new DatabaseSync(":memory:") as unknown as SqliteLike;
  const state = { fault: "", begun: 0 };
  const exec: SqliteLike["exec"] = (sql) => {
    if (sql === "BEGIN IMMEDIATE") {
      state.begun++;
      if (state.fault) throw new Error(state.fault);
    }
    return inner.exec(sql);
  };
  return { database: { prepare: (sql) => inner.prepare(sql), exec, close: () => inner.close() }, state };
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

it.each(["database or disk is full", "attempt to write a readonly database", "disk I/O error"])(
  "%s fails a batch at once, instead of item by item",
  async (fault) => {
    const { database, state } = faulty();
    const storage = sqliteStorage({ database });
    await storage.open();
    state.fault = fault;
    state.begun = 0;
    await expect(storage.commit([submission("a", 1)])).rejects.toBeInstanceOf(StoreDownError);
    expect(state.begun).toBe(1);
    const { commit } = createCommitter(withOutages(storage, silent));
    const results = await Promise.allSettled(["b", "c", "d", "e"].map((id) => commit([submission(id, 1)], 100)));
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    expect(state.begun).toBe(2);
    state.fault = "";
    await commit([submission("f", 1)], 100);
    expect((await storage.get("submissions", ["a", "b", "f"])).size).toBe(1);
    await storage.close();
  },
);
