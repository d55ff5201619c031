import { describe, expect, it } from "vitest";
import { ann, type InboxHarness, inboxHarness } from "./_inbox.ts";

async function house(): Promise<InboxHarness & { form: string }> {
  const b = inboxHarness({}, { plans: { unlimited: { webhooks_per_form: null } }, rateLimit: false });
  const { id: form } = await b.forms.create({ name: "Contact" });
  return Object.assign(b, { form });
}

const hook = { url: "https://hooks.example.com/a", format: "standard", description: "CRM <b>" };

describe("webhooks in the inbox", () => {
  it("are created, and their secret is shown this once", async () => {
    const b = await house();
    const actions: string[] = [];
    b.on("inbox.action", ({ action }) => actions.push(action));
    const visitor = b.as({ role: "editor" });
    const made = await visitor.post(`/f/${b.form}/webhooks`, hook);
    expect([made.status, made.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(made.text).toMatch(/data-secret[^>]*>whsec_/);
    const [webhook] = await b.webhooks.list(b.form);
    expect(webhook).toMatchObject({ url: hook.url, description: hook.description });
    const list = await visitor.get(`/f/${b.form}/webhooks`);
    expect(list.text).toContain(`data-webhook-id="${webhook?.id}"`);
    expect(list.text).toContain("CRM &lt;b&gt;");
    expect(list.text).not.toContain("whsec_");
    expect(actions).toEqual(["create_webhook"]);
  });

  it("are shown at the addresses of their acts too, where a reload lands", async () => {
    const b = await house();
    const { id } = await b.webhooks.create(b.form, { url: hook.url });
    for (const act of ["test", "rotate"]) {
      const { status, text } = await b.as({ role: "viewer" }).get(`/f/${b.form}/webhooks/${id}/${act}`);
      expect([status, text.includes(hook.url)]).toEqual([200, true]);
    }
    expect(b.webhookCalls).toEqual([]);
  });

  it("say at the field what is wrong, and keep what was typed", async () => {
    const b = await house();
    const visitor = b.as(ann);
    const bad = await visitor.post(`/f/${b.form}/webhooks`, { ...hook, url: "http://127.0.0.1/<x>" });
    expect(bad.status).toBe(400);
    expect(bad.text).toMatch(/id="url-fault"[^>]*>The URL must begin with https/);
    expect(bad.text).toMatch(/id="url"[^>]*aria-invalid="true"/);
    expect(bad.text).toContain("http://127.0.0.1/&lt;x&gt;");
    await visitor.post(`/f/${b.form}/webhooks`, hook);
    const taken = await visitor.post(`/f/${b.form}/webhooks`, hook);
    expect([taken.status, taken.text.includes('id="url-fault"')]).toEqual([409, true]);
  });

  it("are changed, paused, resumed and deleted after a question", async () => {
    const b = await house();
    const { id } = await b.webhooks.create(b.form, { url: hook.url });
    const visitor = b.as(ann);
    const at = `/f/${b.form}/webhooks/${id}`;
    const saved = await visitor.post(at, { action: "save", ...hook, url: "https://hooks.example.com/b" });
    expect(saved.status).toBe(303);
    expect(await b.webhooks.get(b.form, id)).toMatchObject({
      url: "https://hooks.example.com/b",
      description: "CRM <b>",
    });
    expect((await visitor.get(at)).text).toContain("The webhook was changed.");
    await visitor.post(at, { action: "pause" });
    const paused = await visitor.get(at);
    expect((await b.webhooks.get(b.form, id)).enabled).toBe(false);
    expect(paused.text).toContain(">Resume<");
    await visitor.post(at, { action: "resume" });
    expect((await b.webhooks.get(b.form, id)).enabled).toBe(true);
    const ask = await visitor.get(`${at}?confirm=delete`);
    expect(ask.text).toContain("Delete this webhook?");
    await visitor.post(at, { action: "delete" });
    expect(await b.webhooks.list(b.form)).toEqual([]);
    expect((await visitor.get(at)).status).toBe(404);
  });

  it("keep the address of a chat that is a key", async () => {
    const b = await house();
    const url = "https://hooks.slack.com/services/T000/B000/verysecret";
    const { id } = await b.webhooks.create(b.form, { url, format: "slack" });
    const visitor = b.as(ann);
    const at = `/f/${b.form}/webhooks/${id}`;
    const { text } = await visitor.get(at);
    expect(text).not.toContain("verysecret");
    const shown = /id="url"[^>]*value="([^"]*)"/.exec(text)?.[1] ?? "";
    expect((await visitor.post(at, { action: "save", url: shown, format: "slack", description: "x" })).status).toBe(
      303,
    );
    await b.submit(b.form, { fields: { a: "b" } });
    await b.clock.advance(1_000);
    expect(b.webhookCalls.map((call) => call.url)).toEqual([url]);
    const [job] = await b.jobs.list({ form_id: b.form, kind: "webhook" });
    const delivery = await visitor.get(`/f/${b.form}/deliveries/${job?.id}`);
    expect(delivery.text).not.toContain("verysecret");
    expect(delivery.text).not.toContain("webhook-signature");
  });

  it("are tested, and the page says how it went", async () => {
    const b = await house();
    const { id } = await b.webhooks.create(b.form, { url: hook.url });
    const visitor = b.as(ann);
    const at = `/f/${b.form}/webhooks/${id}`;
    for (const [status, says] of [
      [204, "The test arrived: the receiver returned"],
      [500, "The test was refused: the receiver returned"],
    ] as const) {
      b.answerWebhooks(status);
      const { headers } = await visitor.post(`${at}/test`);
      const { text } = await visitor.get(headers.get("location") ?? "");
      expect(text).toContain(says);
    }
    expect((await visitor.get(`${at}?tested=<script>`)).text).not.toContain("The test");
  });

  it("get a new secret, at most twice a day", async () => {
    const b = await house();
    const { id, secret } = await b.webhooks.create(b.form, { url: hook.url });
    const visitor = b.as(ann);
    for (let n = 0; n < 2; n++) {
      const { status, text } = await visitor.post(`/f/${b.form}/webhooks/${id}/rotate`);
      expect([status, /whsec_/.test(text), text.includes(secret)]).toEqual([200, true, false]);
    }
    const { status, text } = await visitor.post(`/f/${b.form}/webhooks/${id}/rotate`);
    expect([status, text.includes("rotated twice")]).toEqual([400, true]);
    const reloaded = await visitor.get(`/f/${b.form}/webhooks/${id}/rotate`);
    expect([reloaded.status, reloaded.text.includes("whsec_")]).toEqual([200, false]);
  });

  it("are for reading only without the right to change forms", async () => {
    const b = await house();
    const { id } = await b.webhooks.create(b.form, { url: hook.url });
    const at = `/f/${b.form}/webhooks/${id}`;
    for (const role of ["viewer", "agent"] as const) {
      const visitor = b.as({ role });
      const { status, text } = await visitor.get(at);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<button[^>]*>(Save|Test|Pause|Fill with what came before|Rotate secret|Delete)</);
      for (const path of ["", "/test", "/rotate"]) {
        expect((await visitor.post(at + path, { action: "delete" })).status).toBe(403);
      }
      expect((await visitor.post(`/f/${b.form}/webhooks`, hook)).status).toBe(403);
    }
    expect(await b.webhooks.list(b.form)).toHaveLength(1);
    expect(b.webhookCalls).toEqual([]);
  });
});
