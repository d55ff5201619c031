import { afterAll, beforeAll, expect, it } from "vitest";
import { rows } from "../../../../src/surfaces/inbox/table.ts";
import { type InboxHarness, inboxHarness } from "./_inbox.ts";

const NAME = /form-backend|Form Backend|FormBackend/;

let b: InboxHarness;
const ids: Record<string, string> = {};
beforeAll(async () => {
  b = inboxHarness({ apiKeys: true }, { brand: { name: "Acme Forms", keyPrefix: "acme_" }, rateLimit: false });
  const form = await b.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@acme.test"] },
    auto_response: { enabled: true },
  });
  const webhook = await b.webhooks.create(form.id, { url: "https://receiver.test/hook" });
  const submission = await b.submit(form.id, { fields: { email: "ann@example.com", text: "Hello" } });
  await b.tick();
  const jobs = await b.jobs.list({ form_id: form.id });
  Object.assign(ids, {
    form_id: form.id,
    id: submission.id,
    submission_id: submission.id,
    webhook_id: webhook.id,
    delivery_id: jobs.find(({ kind }) => kind === "webhook")?.id ?? "",
    job_id: jobs[0]?.id ?? "",
  });
});
afterAll(() => b.close());

it("has no page with the name of the library, where the host has a name of its own", async () => {
  const visitor = b.as({});
  const seen: string[] = [];
  for (const { method, path } of rows) {
    if (method !== "GET") continue;
    const at = path.replace(/:(\w+)(\([^)]*\))?/g, (_, name: string) => ids[name] ?? "x");
    const page = await visitor.get(at);
    seen.push(`${page.status} ${path}`);
    const text = page.text.replaceAll(/\/inbox\/assets\/[^"]+/g, "");
    expect([path, NAME.exec(text)?.[0]]).toEqual([path, undefined]);
    expect([path, NAME.test(JSON.stringify([...page.headers]))]).toEqual([path, false]);
  }
  expect(seen.filter((one) => one.startsWith("200")).length).toBeGreaterThan(15);
});

it("has neither mails, nor webhooks, nor pages for visitors, nor a document of the API with it", async () => {
  const form = ids["form_id"] ?? "";
  const post = await b.post(form, "email=ann%40example.com&text=Hello", {
    "sec-fetch-mode": "navigate",
    accept: "text/html",
  });
  const refused = await b.post(form, "", { "sec-fetch-mode": "navigate", accept: "text/html" });
  const pages = [
    post,
    refused,
    await b.call("GET", "/v1/openapi.json", { key: null }),
    await b.call("GET", "/v1/nothing"),
  ];
  await b.tick();
  const said = [
    ...pages.map(({ text, headers }) => text + JSON.stringify([...headers])),
    JSON.stringify(b.mails),
    JSON.stringify(b.webhookCalls),
  ].join("\n");
  expect(
    NAME.exec(said)
      ?.input?.slice(Math.max(0, (NAME.exec(said)?.index ?? 0) - 80))
      .slice(0, 200),
  ).toBeUndefined();
});
