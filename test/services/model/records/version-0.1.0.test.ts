import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import made from "../../../_support/fixtures/0.1.0.json" with { type: "json" };
import { describePostgres, temporaryDatabase } from "../../../_support/postgres.ts";
import { useAsBefore } from "../../../_support/records/written-before.ts";

describePostgres("in PostgreSQL", () => {
  test("a schema that version 0.1.0 has written opens, lists and delivers", async () => {
    const database = await temporaryDatabase();
    const dump = await readFile(new URL("../../../_support/fixtures/0.1.0.sql", import.meta.url), "utf8");
    // A connection of its own: the dump changes settings of its session.
    const client = await database.pool.connect();
    await client.query(dump).finally(() => client.release(true));
    expect(made.postgres.submissions).toHaveLength(4);
    await useAsBefore(
      postgresStorage({ pool: database.pool, schema: "fb_fixture_010" }),
      made.postgres,
      made.written_at,
    );
    await database.drop();
  });
});
