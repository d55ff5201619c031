import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../../src/drivers/storage/memory.ts";
import type { Stored } from "../../../../../src/drivers/storage/types.ts";
import { urls } from "../../../../_support/format-events.ts";
import { fault, type Submitted, submitted } from "../../submissions/_submissions.ts";

const masked = "https://hooks.slack.com/services/…1234";
const otherSlack = "https://hooks.slack.com/services/T00000001/B00000001/zyxwvutsrqponmlkjihg5678";

async function opened(options: Parameters<typeof submitted>[0] = {}) {
  const storage = memoryStorage();
  const b = await submitted({ storage, plans: { unlimited: { webhooks_per_form: 10 } }, ...options });
  const path = `/v1/forms/${b.id}/webhooks`;
  const record = async (): Promise<Stored> => (await storage.get("forms", [b.id])).get(b.id) as Stored;
  return Object.assign(b, { path, record });
}

async function withSlack(options: Parameters<typeof submitted>[0] = {}) {
  const b = await opened(options);
  const { json } = await b.call("POST", b.path, { body: { url: urls.slack, format: "slack" } });
  return Object.assign(b, { hook: json.id as string, at: `${b.path}/${json.id}` });
}

/** Where the next submission is sent to. */
async function target(b: Submitted): Promise<string | undefined> {
  await b.submitted({ a: "1" });
  await b.tick();
  return b.webhookCalls.at(-1)?.url;
}

describe("the format of a webhook", () => {
  it("is left out of answers where it is standard, and present where not", async () => {
    const b = await opened();
    const plain = await b.call("POST", b.path, { body: { url: urls.standard } });
    const said = await b.call("POST", b.path, { body: { url: "https://example.com/b", format: "standard" } });
    const flat = await b.call("POST", b.path, { body: { url: urls.flat, format: "flat" } });
    expect([plain.json, said.json].map((json) => "format" in json)).toEqual([false, false]);
    expect(flat.json).toMatchObject({ format: "flat", url: urls.flat });
    expect((await b.call("GET", b.path)).json.data.map(({ format }: { format?: string }) => format)).toEqual([
      undefined,
      undefined,
      "flat",
    ]);
  });

  it.each(Object.entries(urls))("can be %s", async (format, url) => {
    const b = await opened();
    expect((await b.call("POST", b.path, { body: { url, format } })).status).toBe(201);
    expect(await b.webhooks.list(b.id)).toHaveLength(1);
    expect(await target(b)).toBeDefined();
  });

  it("must be a known one", async () => {
    const b = await opened();
    expect(fault(await b.call("POST", b.path, { body: { url: urls.slack, format: "irc" } }))).toEqual([
      400,
      "invalid_parameter",
      "format",
    ]);
  });

  it.each(Object.keys(urls).filter((name) => name !== "standard" && name !== "flat"))(
    "%s refuses a URL of another kind and says what its own look like",
    async (format) => {
      const b = await opened();
      const answer = await b.call("POST", b.path, { body: { url: "https://example.com/some/where", format } });
      expect(fault(answer)).toEqual([400, "invalid_parameter", "url"]);
      expect(answer.json.error.message).toMatch(/which look like https:\/\/.+\.$/);
      expect(await b.webhooks.list(b.id)).toEqual([]);
    },
  );

  it("changes by a PATCH with the URL, or without where the stored one fits", async () => {
    const b = await opened();
    const { json } = await b.call("POST", b.path, { body: { url: urls.slack } });
    expect(json.url).toBe(urls.slack);
    const at = `${b.path}/${json.id}`;
    const refused = await b.call("PATCH", at, { body: { format: "discord" } });
    expect(fault(refused)).toEqual([400, "invalid_parameter", "format"]);
    const slack = await b.call("PATCH", at, { body: { format: "slack" } });
    expect(slack.json).toMatchObject({ format: "slack", url: masked });
    const discord = await b.call("PATCH", at, { body: { format: "discord", url: urls.discord } });
    expect(discord.json).toMatchObject({ format: "discord", url: "https://discord.com/api/…1234" });
    expect(await target(b)).toBe(`${urls.discord}?wait=true`);
    const standard = await b.call("PATCH", at, { body: { format: "standard", url: urls.standard } });
    expect(standard.json.url).toBe(urls.standard);
    expect("format" in standard.json).toBe(false);
    expect(JSON.stringify((await b.record()).value)).not.toContain("sealed_url");
  });
});

describe("a secret URL", () => {
  it("is in no answer, in process neither", async () => {
    const b = await withSlack();
    await b.submitted({ a: "1" });
    await b.tick();
    const answers = await Promise.all([
      b.call("GET", b.path),
      b.call("GET", b.at),
      b.call("PATCH", b.at, { body: { description: "x" } }),
      b.call("POST", `${b.at}/rotate-secret`),
      b.call("GET", `${b.at}/deliveries`),
      b.call("GET", `/v1/forms/${b.id}`),
      b.call("GET", "/v1/forms"),
    ]);
    const inProcess = [await b.webhooks.list(b.id), await b.forms.get(b.id), await b.webhooks.get(b.id, b.hook)];
    const texts = [...answers.map(({ text }) => text), ...inProcess.map((value) => JSON.stringify(value))];
    for (const text of texts) expect(text).not.toMatch(/T00000001|B00000001|abcdefghij|sealed/);
    expect(answers[0]?.json.data[0].url).toBe(masked);
    expect(await b.webhooks.get(b.id, b.hook)).toMatchObject({ url: masked, format: "slack" });
    expect(await target(b)).toBe(urls.slack);
  });

  it("is sealed in the store, whichever of the formats has it", async () => {
    const b = await opened();
    const secret = ["slack", "discord", "teams", "telegram", "mattermost", "google_chat"] as const;
    for (const format of secret)
      expect((await b.call("POST", b.path, { body: { url: urls[format], format } })).status).toBe(201);
    const stored = JSON.stringify((await b.record()).value);
    for (const format of secret) {
      const { pathname, search } = new URL(urls[format]);
      expect(stored, format).not.toContain(pathname);
      if (search) expect(stored, format).not.toContain(search);
    }
    expect(stored).not.toContain("ABC-def1234ghIkl");
    await b.submitted({ a: "1" });
    await b.tick();
    expect(b.webhookCalls).toHaveLength(secret.length);
  });

  it.each([masked, new URL(masked).href])("sent back as %s leaves the stored one", async (url) => {
    const b = await withSlack();
    const answer = await b.call("PATCH", b.at, { body: { url, description: "Sales", format: "slack" } });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ url: masked, description: "Sales", format: "slack" });
    expect(await target(b)).toBe(urls.slack);
  });

  it("can be replaced by another whole one", async () => {
    const b = await withSlack();
    expect((await b.call("PATCH", b.at, { body: { url: otherSlack } })).json.url).toBe(
      "https://hooks.slack.com/services/…5678",
    );
    expect(await target(b)).toBe(otherSlack);
  });

  it("is not made of a mask: that of another webhook, or one on create, is refused", async () => {
    const b = await withSlack();
    const foreign = { url: "https://hooks.slack.com/services/…5678" };
    expect(fault(await b.call("PATCH", b.at, { body: foreign }))).toEqual([400, "invalid_parameter", "url"]);
    const created = await b.call("POST", b.path, { body: { url: masked, format: "slack" } });
    expect(fault(created)).toEqual([400, "invalid_parameter", "url"]);
    expect(created.json.error.message).toContain("masked");
    expect(fault(await b.call("POST", b.path, { body: { url: masked } }))).toEqual([400, "invalid_parameter", "url"]);
    expect(await target(b)).toBe(urls.slack);
  });

  it("is not brought to light by another format", async () => {
    const b = await withSlack();
    for (const body of [
      { format: "standard" },
      { format: "flat" },
      { format: "standard", url: masked },
      { format: "ntfy" },
    ]) {
      const answer = await b.call("PATCH", b.at, { body });
      expect(fault(answer)).toEqual([400, "invalid_parameter", "url"]);
      expect(answer.text).not.toContain("abcdefghij");
    }
    expect((await b.call("GET", b.at)).json).toMatchObject({ format: "slack", url: masked });
  });

  it("is taken where another webhook of the form has it, sealed or not", async () => {
    const b = await withSlack();
    for (const body of [{ url: urls.slack, format: "slack" }, { url: urls.slack }])
      expect(fault(await b.call("POST", b.path, { body }))).toEqual([409, "webhook_url_taken", "url"]);
    const second = await b.call("POST", b.path, { body: { url: otherSlack, format: "slack" } });
    const moved = await b.call("PATCH", `${b.path}/${second.json.id}`, { body: { url: urls.slack } });
    expect(fault(moved)).toEqual([409, "webhook_url_taken", "url"]);
  });

  it("of two that end alike is told apart by the whole", async () => {
    const b = await withSlack();
    const twin = urls.slack.replace("B00000001", "B00000002");
    const { json } = await b.call("POST", b.path, { body: { url: twin, format: "slack" } });
    expect(json.url).toBe(masked);
    await b.call("PATCH", `${b.path}/${json.id}`, { body: { url: masked } });
    await b.submitted({ a: "1" });
    await b.tick();
    expect(b.webhookCalls.map(({ url }) => url).sort()).toEqual([urls.slack, twin].sort());
  });

  it("sealed under a secret that is lost can be replaced, and keeps no other webhook from changing", async () => {
    const storage = memoryStorage();
    const b = await opened({ storage });
    const { json } = await b.call("POST", b.path, { body: { url: urls.slack, format: "slack" } });
    const later = await submitted({
      storage,
      secret: "another secret for tests that is long",
      plans: { unlimited: { webhooks_per_form: 10 } },
    });
    const other = await later.webhooks.create(b.id, { url: urls.standard });
    await later.webhooks.update(b.id, other.id, { url: "https://example.com/api/other" });
    expect(await later.webhooks.update(b.id, json.id, { description: "x" })).toMatchObject({ url: masked });
    await later.webhooks.update(b.id, json.id, { url: otherSlack });
    expect(await later.webhooks.get(b.id, json.id)).toMatchObject({ url: "https://hooks.slack.com/services/…5678" });
  });
});

describe("more webhooks than the plan has", () => {
  it("are refused with the name of the option", async () => {
    const b = await withSlack({ plans: {} });
    const answer = await b.call("POST", b.path, { body: { url: urls.flat, format: "flat" } });
    expect(fault(answer)).toEqual([403, "plan_restricted", "webhooks"]);
    expect(answer.json.error.message).toContain("`webhooks_per_form`");
    expect(answer.json.error.message).toContain("`plans`");
  });
});
