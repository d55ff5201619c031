import { expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

it("a submission keeps its verdict, which the host sees in process and nobody over HTTP", async () => {
  const b = harness({ spam: { checks: [() => ({ check: "mine", spam: true, score: 0.7, reason: "why" })] } });
  const form = await b.forms.create({ name: "A" });
  const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
  const verdict = [{ check: "mine", spam: true, score: 0.7, reason: "why" }];
  const { id, ...submitted } = await b.submit(form.id, { fields: { a: "1" } });
  expect(submitted.verdict).toEqual(verdict);
  expect((await b.submissions.get(form.id, id)).verdict).toEqual(verdict);
  expect((await b.submissions.list(form.id, { status: "spam" })).data[0]?.verdict).toEqual(verdict);
  expect((await b.submissions.list(null, { status: "spam" })).data[0]?.verdict).toEqual(verdict);
  expect((await b.submissions.update(form.id, id, { spam: false }, { deliver: true })).verdict).toEqual(verdict);
  await b.tick();
  expect(b.webhookCalls).toHaveLength(1);
  const path = `/v1/forms/${form.id}/submissions`;
  const answers = [
    await b.call("GET", `${path}/${id}`),
    await b.call("GET", path),
    await b.call("GET", "/v1/submissions"),
    await b.call("PATCH", `${path}/${id}`, { body: { read: true } }),
    await b.call("GET", `${path}/export?format=json`),
  ];
  for (const { status, text } of answers) {
    expect([status, text.includes(id)]).toEqual([200, true]);
    expect(text).not.toContain("verdict");
  }
  expect((await b.deliveries.get(form.id, webhook.id, id)).status).toBe("succeeded");
  expect(b.webhookCalls[0]?.body).not.toContain("verdict");
});
