// @ts-check
// How an app tests its forms: nothing sleeps, nothing leaves the process, and three days of retries take milliseconds.
import { once } from "node:events";
import { verifyWebhook } from "form-backend";
import { createTestBackend } from "form-backend/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createApp } from "./app.mjs";

/** @type {import("form-backend/testing").TestBackend} */
let backend;
/** @type {import("form-backend").Form} */
let form;
/** @type {import("node:http").Server} */
let server;
let origin = "";

beforeEach(async () => {
  backend = createTestBackend({ baseUrl: "http://app.test/forms" });
  const created = await createApp(backend);
  form = created.form;
  server = created.app.listen(0);
  await once(server, "listening");
  origin = `http://localhost:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
});
afterEach(async () => {
  await new Promise((closed) => server.close(closed));
  await backend.close();
});

/** Posts to the form as a browser does, through the app. */
const post = (/** @type {Record<string, string>} */ fields) =>
  fetch(`${origin}${new URL(form.endpoint).pathname}`, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
  });

test("the page posts to the form", async () => {
  const page = await (await fetch(origin)).text();
  expect(page).toContain(`action="${form.endpoint}"`);
});

test("a message reaches support, with the topic in the subject", async () => {
  expect((await post({ email: "ann@example.org", topic: "Billing", message: "Help" })).status).toBe(200);
  await backend.tick();
  expect(backend.mails.map(({ to, subject }) => [to.address, subject])).toEqual([
    ["support@example.com", "[Billing] from ann@example.org"],
  ]);
});

test("an address that is none is refused, and nothing is stored", async () => {
  const response = await post({ email: "ann", topic: "Billing" });
  expect(response.status).toBe(422);
  expect(await backend.submissions.count(form.id)).toMatchObject({ count: 0 });
});

test("the ticket system gets a signed webhook, also when it is down for a day", async () => {
  backend.answerWebhooks(503);
  await post({ email: "ann@example.org", topic: "Billing" });
  await backend.clock.advance(24 * 60 * 60 * 1000);
  const refused = backend.webhookCalls.length;
  expect(refused).toBeGreaterThan(3);

  backend.answerWebhooks(200);
  await backend.clock.advance(12 * 60 * 60 * 1000);
  expect(backend.webhookCalls.length).toBe(refused + 1);

  const [webhook] = await backend.webhooks.list(form.id);
  const { secret } = await backend.webhooks.rotateSecret(form.id, webhook?.id ?? "");
  await post({ email: "bob@example.org", topic: "Login" });
  await backend.tick();
  const { body, headers } = backend.webhookCalls.at(-1) ?? { body: "", headers: {} };
  const event = verifyWebhook(body, headers, secret, { now: backend.clock.now() });
  expect(event).toMatchObject({ type: "submission.created", data: { form_id: form.id } });
});
