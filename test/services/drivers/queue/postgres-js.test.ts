import { randomBytes } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";
import { expect, onTestFinished, test, vi } from "vitest";
import { postgresQueue } from "../../../../src/drivers/queue/postgres.ts";
import type { Lane, QueueDriver } from "../../../../src/drivers/queue/types.ts";
import { queueSuite } from "../../../../src/surfaces/testing/queue.ts";
import { describePostgres, POSTGRES_URL, postgresPool } from "../../../_support/postgres.ts";
import { arrives, betweenProcesses } from "./_queues.ts";

const channel = `test_${randomBytes(6).toString("hex")}`;
const NAME = `fb-queue-${channel}`;

function queue(): QueueDriver {
  const sql = postgres(POSTGRES_URL, { max: 2, onnotice: () => {}, connection: { application_name: NAME } });
  const driver = postgresQueue({ pool: sql, channel, logger: { info: vi.fn(), warn: vi.fn() } });
  onTestFinished(async () => {
    await driver.close();
    await sql.end();
  });
  return driver;
}

describePostgres("postgresQueue over `sql` of postgres.js", () => {
  for (const c of queueSuite) test(c.name, () => c.run(queue));

  for (const c of queueSuite) {
    test(`between processes: ${c.name}`, () => c.run(() => betweenProcesses(queue)));
  }

  test("hears again after the server has ended all its connections", async () => {
    const [waker, worker] = [queue(), queue()];
    const heard: Lane[] = [];
    await worker.listen((lane) => void heard.push(lane));
    const admin = postgresPool({ max: 1 });
    onTestFinished(() => admin.end());
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [NAME]);
    await arrives(waker, heard, "email");
  });
});

test("postgresQueue refuses a PGlite, which no other process shares", async () => {
  const database = await PGlite.create();
  onTestFinished(() => database.close());
  expect(() => postgresQueue({ pool: database as never })).toThrow("is a PGlite, which is in one process; leave");
});
