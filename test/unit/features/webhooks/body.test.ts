import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

async function opened() {
  const b = harness();
  const { id: form } = await b.forms.create({ name: "A", self_email_notification: { enabled: false } });
  await b.webhooks.create(form, { url: "https://hooks.example.com/" });
  return Object.assign(b, { form });
}

describe("the body of a webhook", () => {
  it("has the envelope and the submission without `read`, and nothing else", async () => {
    const b = await opened();
    const headers = { "user-agent": "Firefox", referer: "https://www.example.com/contact" };
    const { json } = await b.post(b.form, { email: "ann@example.com" }, headers);
    await b.tick();
    const { body, headers: sent } = b.webhookCalls[0] as (typeof b.webhookCalls)[number];
    const at = new Date(b.clock.now()).toISOString();
    expect(JSON.parse(body)).toStrictEqual({
      type: "submission.created",
      timestamp: at,
      data: {
        id: json.submission_id,
        form_id: b.form,
        created_at: at,
        spam: false,
        ip: "203.0.113.9",
        country: null,
        user_agent: "Firefox",
        referer: "https://www.example.com/contact",
        fields: [{ key: "email", value: "ann@example.com" }],
        attachments: [],
      },
    });
    expect(sent).toMatchObject({ "X-Service-Event": "submission.created", "X-Service-Attempt": "1" });
    expect(sent["webhook-id"]).toMatch(/^msg_[0-9a-f]{24}$/);
  });

  it("is the same on every attempt, whatever is marked in between", async () => {
    const b = await opened();
    b.answerWebhooks(500);
    const files = [{ key: "cv", name: "cv.txt", content: new TextEncoder().encode("Some text.") }];
    const { id } = await b.submit(b.form, { fields: { a: "1" }, files });
    await b.tick();
    await b.submissions.update(b.form, id, { read: true, spam: true });
    await b.clock.advance(60_000);
    const bodies = b.webhookCalls.map(({ body }) => body);
    expect(bodies.length).toBeGreaterThan(2);
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain("/cv.txt?expires=");
  });
});
