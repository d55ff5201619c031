import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { PageQuery } from "../../../../src/drivers/storage/types.ts";

const ROWS = 60;
const HEAVY = 100_000;
const TURN = 256 * 1024;

/** A handle that adds up the text of the rows that each of its statements hands out. */
function weighing() {
  const database = new DatabaseSync(":memory:");
  const weights: number[] = [];
  const wrapped = {
    prepare(sql: string) {
      const statement = database.prepare(sql);
      return {
        run: (...params: never[]) => statement.run(...params),
        get: (...params: never[]) => statement.get(...params),
        all: (...params: never[]) => statement.all(...params),
        *iterate(...params: never[]) {
          const at = weights.push(0) - 1;
          for (const row of statement.iterate(...params) as Iterable<{ data?: string }>) {
            weights[at] = (weights[at] ?? 0) + String(row.data ?? "").length;
            yield row;
          }
        },
      };
    },
    exec: (sql: string) => database.exec(sql),
    close: () => database.close(),
  };
  return { database: wrapped, weights };
}

test("heavy rows are read a quarter of a megabyte at a time, each in a turn of its own", async () => {
  const { database, weights } = weighing();
  const storage = sqliteStorage({ database: database as never });
  await storage.open();
  for (let n = 0; n < ROWS; n++) {
    const created_at = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
    const value = { form_id: "f", team_id: "t", created_at, updated_at: created_at, spam: false, read: false };
    const fields = [{ key: "text", value: `${"x".repeat(HEAVY)}${n}` }];
    await storage.commit([
      { op: "put", collection: "submissions", id: `s${100 + n}`, value: { ...value, fields }, expect: null },
    ]);
  }
  weights.length = 0;
  const query: PageQuery = {
    index: "form_spam",
    equals: { form_id: "f", spam: false },
    where: [{ field: "text", op: "contains", value: "nowhere" }],
    order: "desc",
    limit: 100,
  };
  expect(await storage.page("submissions", query)).toEqual([]);
  expect(Math.max(...weights)).toBeLessThanOrEqual(TURN + HEAVY + 1_000);
  expect(weights.filter((weight) => weight > 0).length).toBeGreaterThanOrEqual((ROWS * HEAVY) / (TURN + HEAVY + 1_000));
  await storage.close();
});
