import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { harness } from "../../../_support/backend.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

/** Posts 120 at once to three backends, each with a store of its own over one database. */
async function kept(open: () => StorageDriver): Promise<void> {
  let told = 0;
  const backends = [0, 1, 2].map(() =>
    harness({ storage: open(), plans: { small: { submissions_per_month: 7 } }, rateLimit: false }),
  );
  for (const b of backends) {
    b.on("plan.exceeded", () => void told++);
    onTestFinished(() => b.close());
    await b.ready();
  }
  const [b] = backends as [(typeof backends)[0]];
  await b.teams.create({ id: "acme", name: "Acme", plan: "small", owner: { email: "owner@acme.example" } });
  const form = await b.forms.create(
    { name: "A", self_email_notification: { recipients: ["me@example.com"] } },
    { team_id: "acme" },
  );
  await Promise.all(
    Array.from({ length: 120 }, (_, i) => backends[i % 3]?.submit(form.id, { fields: { n: String(i) } })),
  );
  await b.tick();
  expect([
    b.mails.filter(({ to }) => to.address === "me@example.com").length,
    b.mails.filter(({ to }) => to.address === "owner@acme.example").length,
    told,
    (await b.submissions.count(form.id, {})).count,
  ]).toEqual([7, 1, 1, 120]);
}

describe("a plan's month is kept by posts at once from three processes, and its owner told once", () => {
  it("in SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "month-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await kept(() => sqliteStorage({ path: join(folder, "forms.db") }));
  });

  withMysql((pool) => {
    it("in a pool of MariaDB that all share", async () => {
      const prefix = freshPrefix();
      await kept(() => mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS }));
    });
  });

  withPostgres((pool) => {
    it("in a pool that all share", async () => {
      const schema = freshSchema();
      await kept(() => postgresStorage({ pool, schema, timeoutMs: PATIENT_MS }));
    });
  });
});
