import { describe, expect, it, onTestFinished } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { hostEvents } from "../../../../src/model/host-events.ts";
import { harness } from "../../../_support/backend.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

const url = "https://billing.example.com/events";

withPostgres((pool) => {
  describe("usage and webhooks of the host, on PostgreSQL,", () => {
    it("are as the rows say", async () => {
      const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
      const b = harness({
        storage: postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }),
        rateLimit: false,
        plans: { small: { submissions_per_month: 2 } },
        hostWebhooks: [{ url, secret, events: [...hostEvents] }],
      });
      onTestFinished(() => b.close());
      await b.teams.create({ id: "acme", name: "Acme", plan: "small", owner: { email: null } });
      const { id } = await b.forms.create(
        { name: "Contact", spam: { protection: true }, settings: { spam: { words: ["casino"] } } },
        { team_id: "acme" },
      );
      await b.webhooks.create(id, { url: "https://hooks.example.com/x" });
      for (const text of ["one", "two", "three", "casino"]) await b.post(id, { text });
      await b.tick();
      await b.tick();
      const { data: rows } = await b.submissions.list(id, { status: "all" });
      const [used] = (await b.usage({ month: "2026-01", team_id: "acme" })).data;
      const beyond = rows.filter((row) => row.over_quota && !row.spam).length;
      const spam = rows.filter((row) => row.spam).length;
      expect([rows.length, beyond, spam]).toEqual([4, 1, 1]);
      expect(used).toMatchObject({
        accepted: rows.length - beyond - spam,
        over_quota: beyond,
        spam,
        webhooks: 2,
        stored: 4,
      });
      const types = b.webhookCalls.filter((call) => call.url === url).map(({ body }) => JSON.parse(body).type);
      expect(types.toSorted()).toEqual(["form.created", "key.created", "plan.exceeded", "team.created"]);
      expect((await b.jobs.list({ kind: "host_webhook", status: "succeeded" })).length).toBe(types.length);
    });
  });
});
