import { expect, it } from "vitest";
import { viewOf } from "../../../../src/core/per-backend.ts";
import { recoverable } from "../../../../src/features/deliveries/recover.ts";
import { inside } from "../../../_support/inside.ts";

const DAY = 24 * 60 * 60 * 1000;
const START = Date.parse("2026-01-01T00:00:00.000Z");

it("counts a webhook's deliveries by their status since a time, and says if the count is exact", async () => {
  const { b, core, clock } = await inside(
    {},
    {
      webhookClient: {
        post: async () => ({
          ok: false,
          code: "ERROR_WEBHOOK_HTTP_4XX",
          http_status: 410,
          message: "HTTP 410",
          duration_ms: 1,
        }),
        close() {},
      },
    },
  );
  const { id } = await b.forms.create({ name: "A", self_email_notification: { enabled: false } });
  const { id: webhook } = await b.webhooks.create(id, { url: "https://hooks.example.com/" });
  // The first fails with 410, which switches the webhook off, so the others are skipped.
  for (const at of [0, 1, 2]) {
    clock.set(START + at * DAY);
    await b.submit(id, { fields: { a: "1" } });
    await b.tick();
  }
  const form = (await core.rows.get("forms", id)) ?? expect.fail("no form");
  const since = (ms: number): string => new Date(ms).toISOString();
  const count = (of: string, from: number, statuses: ("failed" | "skipped")[], view = core) =>
    recoverable(view, form, of, { since: since(from), statuses });

  expect(await count(webhook, START, ["failed", "skipped"])).toEqual({ count: 3, exact: true });
  expect(await count(webhook, START, ["failed", "failed"])).toEqual({ count: 1, exact: true });
  expect(await count(webhook, START, ["skipped"])).toEqual({ count: 2, exact: true });
  expect(await count(webhook, START + 2 * DAY, ["failed", "skipped"])).toEqual({ count: 1, exact: true });
  const estimating = viewOf(core, {
    storage: {
      ...core.storage,
      count: async (collection, query) => ({
        ...(await core.storage.count(collection, query)),
        exact: query.equals?.["status"] === "failed",
      }),
    },
  });
  expect(await count(webhook, START, ["failed", "skipped"], estimating)).toEqual({ count: 3, exact: false });
  await expect(count("whk_unknown", START, ["failed"])).rejects.toMatchObject({ code: "webhook_not_found" });
  clock.set(START + 14 * DAY);
  expect(await count(webhook, START, ["failed"])).toEqual({ count: 1, exact: true });
  await expect(count(webhook, START - 1, ["failed"])).rejects.toMatchObject({
    code: "invalid_parameter",
    param: "since",
    message: "`since` may be at most 14 days ago.",
  });
  await b.close();
});
