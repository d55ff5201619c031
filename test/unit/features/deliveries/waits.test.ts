import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { Attempt } from "../../../../src/features/webhooks/request.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";

const failed = (more: Partial<Attempt>): Attempt => ({
  ok: false,
  code: "ERROR_WEBHOOK_HTTP_5XX",
  http_status: 503,
  message: "HTTP 503",
  duration_ms: 1,
  ...more,
});

it.each<[string, Attempt, number, number]>([
  ["503", failed({}), 4, 6],
  ["a time-out", failed({ code: "ERROR_WEBHOOK_TIMEOUT" }), 60, 72],
  ["429", failed({ code: "ERROR_WEBHOOK_HTTP_4XX", http_status: 429 }), 60, 72],
  ["503 that asks for two minutes", failed({ retry_after: "120" }), 120, 120],
  ["503 that asks for a day", failed({ retry_after: "86400" }), 8 * 3_600, 8 * 3_600],
])("after %s the next attempt waits as long as it should", async (_name, answer, least, most) => {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const storage = memoryStorage();
  const backend = createBackend(
    { baseUrl: "http://localhost/forms", secret: "x".repeat(32), storage, clock, work: false },
    { webhookClient: { post: async () => answer, close() {} } },
  );
  const { id } = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
  await backend.webhooks.create(id, { url: "https://hooks.example.com/" });
  await backend.submit(id, { fields: { a: "1" } });
  await backend.tick();
  const seconds = (Number(await storage.nextDueAt("webhook")) - clock.now()) / 1_000;
  expect(seconds).toBeGreaterThanOrEqual(least);
  expect(seconds).toBeLessThanOrEqual(most);
});
