import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import made from "../../../_support/fixtures/0.1.0.json" with { type: "json" };
import { useAsBefore } from "../../../_support/records/written-before.ts";

test("an SQLite file that version 0.1.0 has written opens, lists and delivers", async () => {
  const directory = await mkdtemp(join(tmpdir(), "form-backend-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "forms.db");
  await copyFile(new URL("../../../_support/fixtures/0.1.0.db", import.meta.url), path);
  expect(made.sqlite.submissions).toHaveLength(4);
  await useAsBefore(sqliteStorage({ path }), made.sqlite, made.written_at);
});
