import { describe, expect, it, onTestFinished } from "vitest";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { mcp } from "../../../../src/surfaces/mcp/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { serviceOn } from "../../../_support/destinations/server.ts";
import { running } from "../../../_support/mcp.ts";
import { formOf } from "../../surfaces/inbox/_form.ts";
import { inboxHarness } from "../../surfaces/inbox/_inbox.ts";

/**
 * Rights as a class: each way on which a value can leave × each protection of a field. The value of `iban` is a canary, that of
 * `city` shows that the way works at all.
 */
const CANARY = "DE00123456789012";
const OPEN = "Rome";
const FIELDS = { name: "Ann", iban: CANARY, city: OPEN, email: "ann@example.com" };

const plans = { unlimited: { webhooks_per_form: null } } as never;
const policy = { store: "plain", email: "show", webhook: "show", export: "show", agents: "show" } as const;
const asAgent = { "form-backend-sees": "agents" };

/** Everything that a way has let out, as one text. */
type Way<World> = (world: World) => Promise<string>;

const merge_fields = { IBAN: "iban", CITY: "city" };
const properties = { iban: "iban", city: "city" };
/** The address of a page of whoever set it. */
const THEIRS = "https://theirs.example.net/thanks";

/** Mailchimp and HubSpot, which take everything. */
async function services() {
  const { url, got, close } = await serviceOn({ now: () => 0, answer: () => ({ status: 200, json: {} }) });
  onTestFinished(close);
  return { got, integrations: { mailchimp: { apiUrl: url }, hubspot: { apiUrl: url } } };
}

/** The address to which a visitor is sent who has posted. */
async function redirected({ b, form }: { b: Harness; form: { id: string } }): Promise<string> {
  const { json } = await b.post(form.id, FIELDS);
  expect(json.redirect).toContain(THEIRS);
  return json.redirect;
}

describe("a person of an inbox that redacts", () => {
  const redact = { fields: ["IBAN"], value: () => "…" };

  async function world() {
    const { got, integrations } = await services();
    const b = inboxHarness({ redact }, { plans, rateLimit: false, integrations });
    const form = await b.forms.create({ name: "Contact", self_email_notification: { recipients: [] } });
    const ann = b.as({});
    return { b, got, form, ann, at: `/f/${form.id}` };
  }
  type World = Awaited<ReturnType<typeof world>>;

  async function keyMadeHere({ ann }: World): Promise<string> {
    const { text } = await ann.post("/keys", {
      name: "Mine",
      scopes: ["forms:read", "forms:write", "submissions:read", "submissions:write"],
    });
    return /fb_live_\w+/.exec(text)?.[0] ?? "";
  }
  async function saveRecipients({ ann, at, b, form }: World, recipients: string): Promise<void> {
    const path = `${at}/settings/notification`;
    const open = formOf((await ann.get(path)).text, path);
    expect((await ann.post(path, { ...open, "self_email_notification.recipients": recipients })).status).toBe(303);
    const saved = (await b.forms.get(form.id)).self_email_notification.recipients;
    expect(saved).toEqual(recipients.split("\n"));
  }
  const sent = async ({ b, got, form }: World): Promise<string> => {
    await b.submit(form.id, { fields: FIELDS });
    await b.clock.advance(60_000);
    return JSON.stringify([b.webhookCalls, b.mails, got]);
  };

  const ways: Record<string, Way<World>> = {
    "a webhook": async (w) => {
      await w.ann.post(`${w.at}/webhooks`, { url: "https://example.com/hook", format: "standard", enabled: "on" });
      return sent(w);
    },
    "a flat webhook": async (w) => {
      await w.ann.post(`${w.at}/webhooks`, { url: "https://example.com/hook", format: "flat", enabled: "on" });
      return sent(w);
    },
    "a chat": async (w) => {
      const url = "https://hooks.slack.com/services/T0/B0/abcdefgh";
      await w.ann.post(`${w.at}/webhooks`, { url, format: "slack", enabled: "on" });
      return sent(w);
    },
    "an old delivery, sent again to another URL": async (w) => {
      const { id } = await w.b.webhooks.create(w.form.id, { url: "https://host.example.com/hook" });
      const submission = await w.b.submit(w.form.id, { fields: FIELDS });
      await w.b.clock.advance(60_000);
      const before = w.b.webhookCalls.length;
      await w.ann.post(`${w.at}/webhooks/${id}`, { action: "save", url: "https://example.com/mine", enabled: "on" });
      expect((await w.b.webhooks.get(w.form.id, id)).url).toBe("https://example.com/mine");
      await w.b.deliveries.redeliver(w.form.id, id, submission.id);
      await w.b.clock.advance(60_000);
      return JSON.stringify(w.b.webhookCalls.slice(before));
    },
    "a recipient": async (w) => {
      await saveRecipients(w, "mallory@example.net");
      return sent(w);
    },
    "a key made here, over the list": async (w) => {
      await w.b.submit(w.form.id, { fields: FIELDS });
      const key = await keyMadeHere(w);
      return (await w.b.call("GET", `/v1/forms/${w.form.id}/submissions`, { key })).text;
    },
    "a key made here, over all forms": async (w) => {
      await w.b.submit(w.form.id, { fields: FIELDS });
      return (await w.b.call("GET", "/v1/submissions", { key: await keyMadeHere(w) })).text;
    },
    "a key made here, over one submission": async (w) => {
      const { id } = await w.b.submit(w.form.id, { fields: FIELDS });
      const path = `/v1/forms/${w.form.id}/submissions/${id}`;
      return (await w.b.call("GET", path, { key: await keyMadeHere(w) })).text;
    },
    "a key made here, over the names of fields and an export": async (w) => {
      await w.b.submit(w.form.id, { fields: FIELDS });
      const key = await keyMadeHere(w);
      const answers = [];
      for (const format of ["csv", "json", "ndjson"]) {
        const path = `/v1/forms/${w.form.id}/submissions/export?format=${format}`;
        answers.push((await w.b.call("GET", path, { key })).text);
      }
      const names = (await w.b.call("GET", `/v1/forms/${w.form.id}/fields`, { key })).text;
      expect(names).not.toContain("iban");
      return answers.join("\n");
    },
    "a key made here, over the older API": async (w) => {
      await w.b.submit(w.form.id, { fields: FIELDS });
      const headers = { api_key: await keyMadeHere(w) };
      return (await w.b.call("GET", `/api/form/${w.form.id}/submissions`, { key: null, headers })).text;
    },
    "a key made here, over the data of a person": async (w) => {
      await w.b.submit(w.form.id, { fields: FIELDS });
      const body = { email: "ann@example.com" };
      return (await w.b.call("POST", "/v1/data-subjects/export", { key: await keyMadeHere(w), body })).text;
    },
    "a webhook made with a key made here": async (w) => {
      const key = await keyMadeHere(w);
      const body = { url: "https://example.com/hook" };
      await w.b.call("POST", `/v1/forms/${w.form.id}/webhooks`, { key, body });
      return sent(w);
    },
    "a webhook of the host's that a key made here gives another account": async (w) => {
      const hosts = { format: "mailchimp", config: { api_key: "0a1b2c-us21", list_id: "a1", merge_fields } } as const;
      const { id } = await w.b.webhooks.create(w.form.id, hosts);
      const body = { config: { api_key: "9z8y7x-us9" } };
      const path = `/v1/forms/${w.form.id}/webhooks/${id}`;
      expect((await w.b.call("PATCH", path, { key: await keyMadeHere(w), body })).status).toBe(200);
      return sent(w);
    },
    "a thank-you URL": async (w) => {
      const path = `${w.at}/settings/after-submit`;
      const open = formOf((await w.ann.get(path)).text, path);
      const mine = { "after_submit.redirect.success_url": THEIRS };
      const flag = { "after_submit.redirect.append_submission_to_url": "on" };
      expect((await w.ann.post(path, { ...open, ...mine, ...flag })).status).toBe(303);
      return redirected(w);
    },
    "a form with a recipient, made with a key made here": async (w) => {
      const key = await keyMadeHere(w);
      const body = { name: "Second", self_email_notification: { recipients: ["mallory@example.net"] } };
      const { status, json } = await w.b.call("POST", "/v1/forms", { key, body });
      expect(status).toBe(201);
      await w.b.submit(json.id, { fields: FIELDS });
      await w.b.clock.advance(60_000);
      expect(w.b.mails).toHaveLength(1);
      return JSON.stringify([w.b.webhookCalls, w.b.mails]);
    },
  };

  it.each(Object.entries(ways))("gets a redacted value by no way: %s", async (_, way) => {
    const w = await world();
    const out = await way(w);
    expect(out).toContain(OPEN);
    expect(out).not.toContain(CANARY);
    await w.b.close();
  });

  it("can't find it out by asking with a key made here", async () => {
    const w = await world();
    await w.b.submit(w.form.id, { fields: FIELDS });
    const key = await keyMadeHere(w);
    for (const query of ["q=DE00", "field[iban][starts_with]=DE", "field[IBAN][exists]=true"]) {
      const { status, json } = await w.b.call("GET", `/v1/forms/${w.form.id}/submissions?${query}`, { key });
      expect([status, json.error.code], query).toEqual([400, "invalid_parameter"]);
    }
    const grouped = `/v1/forms/${w.form.id}/submissions/count?group_by=field:iban`;
    expect((await w.b.call("GET", grouped, { key })).status).toBe(400);
  });

  it("gets no body that was made for a webhook of the host's, nor the other way round", async () => {
    const w = await world();
    await w.b.webhooks.create(w.form.id, { url: "https://host.example.com/hook" });
    await w.ann.post(`${w.at}/webhooks`, { url: "https://example.com/hook", format: "standard", enabled: "on" });
    await sent(w);
    const bodyAt = (host: string) => w.b.webhookCalls.find(({ url }) => new URL(url).host === host)?.body;
    expect(bodyAt("host.example.com")).toContain(CANARY);
    expect(bodyAt("example.com")).toContain(OPEN);
    expect(bodyAt("example.com")).not.toContain(CANARY);
  });

  it("takes nothing away from what the host made, also where they save it again", async () => {
    const w = await world();
    await w.b.forms.update(w.form.id, { self_email_notification: { recipients: ["owner@example.com"] } });
    const { id } = await w.b.webhooks.create(w.form.id, { url: "https://host.example.com/hook" });
    await w.ann.post(`${w.at}/webhooks/${id}`, { action: "save", url: "https://host.example.com/hook", enabled: "on" });
    await saveRecipients(w, "owner@example.com\nmallory@example.net");
    await sent(w);
    expect(w.b.mails.map(({ to }) => to.address).sort()).toEqual(["mallory@example.net", "owner@example.com"]);
    expect(w.b.webhookCalls[0]?.body).toContain(CANARY);
    const told = w.b.mails.filter(({ text }) => text.includes(CANARY)).map(({ to }) => to.address);
    expect(told).toEqual(["owner@example.com"]);
  });
});

describe("an agent", () => {
  async function world() {
    const { got, integrations } = await services();
    const b = await running({ plans, integrations });
    const fields = { iban: { ...policy, agents: "omit" } } as const;
    const form = await b.forms.create({ name: "Contact", settings: { fields } });
    return { b, got, form };
  }
  type World = Awaited<ReturnType<typeof world>>;

  async function tool({ b }: World, name: string, args: object): Promise<void> {
    const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const { text } = await b.call("POST", "/mcp", { body, headers });
    expect(text, name).not.toContain('"isError":true');
  }
  const sent = async ({ b, got, form }: World): Promise<string> => {
    await b.submit(form.id, { fields: FIELDS });
    await b.clock.advance(60_000);
    return JSON.stringify([b.webhookCalls, b.mails, got]);
  };

  const ways: Record<string, Way<World>> = {
    create_webhook: async (w) => {
      await tool(w, "create_webhook", { form_id: w.form.id, url: "https://example.com/hook" });
      return sent(w);
    },
    update_webhook: async (w) => {
      const { id } = await w.b.webhooks.create(w.form.id, { url: "https://host.example.com/hook" });
      await tool(w, "update_webhook", { form_id: w.form.id, webhook_id: id, url: "https://example.com/mine" });
      return sent(w);
    },
    add_recipient: async (w) => {
      await tool(w, "add_recipient", { form_id: w.form.id, email: "mallory@example.net" });
      return sent(w);
    },
    update_form: async (w) => {
      const self_email_notification = { recipients: ["mallory@example.net"] };
      await tool(w, "update_form", { form_id: w.form.id, self_email_notification });
      return sent(w);
    },
    "update_webhook, to a service with an address of its own": async (w) => {
      const { id } = await w.b.webhooks.create(w.form.id, { url: "https://host.example.com/hook" });
      const theirs = { format: "hubspot", config: { token: "pat-eu1-theirs", properties } };
      await tool(w, "update_webhook", { form_id: w.form.id, webhook_id: id, ...theirs });
      return sent(w);
    },
    "update_webhook, to another token": async (w) => {
      const hosts = { format: "hubspot", config: { token: "pat-eu1-hosts", properties } } as const;
      const { id } = await w.b.webhooks.create(w.form.id, hosts);
      await tool(w, "update_webhook", { form_id: w.form.id, webhook_id: id, config: { token: "pat-eu1-theirs" } });
      return sent(w);
    },
    ...Object.fromEntries(
      [{ api_key: "9z8y7x-us21" }, { list_id: "b2" }].map((config) => [
        `update_webhook, to another ${Object.keys(config)}`,
        async (w: World) => {
          const hosts = { api_key: "0a1b2c-us21", list_id: "a1", merge_fields };
          const { id } = await w.b.webhooks.create(w.form.id, { format: "mailchimp", config: hosts });
          await tool(w, "update_webhook", { form_id: w.form.id, webhook_id: id, config });
          return sent(w);
        },
      ]),
    ),
    "update_form, a thank-you URL": async (w) => {
      const redirect = { success_url: THEIRS, append_submission_to_url: true };
      await tool(w, "update_form", { form_id: w.form.id, after_submit: { redirect } });
      return redirected(w);
    },
    "update_form, the fields in a URL of the host's": async (w) => {
      await w.b.forms.update(w.form.id, { after_submit: { redirect: { success_url: THEIRS } } });
      const redirect = { append_submission_to_url: true };
      await tool(w, "update_form", { form_id: w.form.id, after_submit: { redirect } });
      return redirected(w);
    },
    "update_form, another URL with the fields": async (w) => {
      const redirect = { success_url: "https://example.com/thanks", append_submission_to_url: true };
      await w.b.forms.update(w.form.id, { after_submit: { redirect } });
      await tool(w, "update_form", { form_id: w.form.id, after_submit: { redirect: { success_url: THEIRS } } });
      return redirected(w);
    },
    "create_form, with a thank-you URL": async (w) => {
      const redirect = { success_url: THEIRS, append_submission_to_url: true };
      await tool(w, "create_form", { name: "Second", after_submit: { redirect } });
      const made = (await w.b.forms.list()).data.find(({ name }) => name === "Second") ?? expect.fail("no form");
      await w.b.forms.update(made.id, { settings: { fields: { iban: { agents: "omit" } } } });
      return redirected({ ...w, form: made });
    },
    "a program that calls for one": async (w) => {
      const body = { url: "https://example.com/hook" };
      await w.b.call("POST", `/v1/forms/${w.form.id}/webhooks`, { body, headers: asAgent });
      return sent(w);
    },
    "an export that it asks for": async (w) => {
      await w.b.submit(w.form.id, { fields: FIELDS });
      const path = `/v1/forms/${w.form.id}/submissions/export?format=csv`;
      return (await w.b.call("GET", path, { headers: asAgent })).text;
    },
  };

  it.each(Object.entries(ways))("gets a value that is kept from agents by no way: %s", async (_, way) => {
    const w = await world();
    const out = await way(w);
    expect(out).toContain(OPEN);
    expect(out).not.toContain(CANARY);
  });

  it("reads no address of a visitor in the list of emails, where the form keeps fields from agents", async () => {
    const w = await world();
    await w.b.forms.update(w.form.id, {
      auto_response: { enabled: true },
      settings: { fields: { email: { agents: "omit" } } },
    });
    await sent(w);
    const path = `/v1/forms/${w.form.id}/emails?kind=auto_response`;
    const list = await w.b.call("GET", path, { headers: asAgent });
    expect(list.json.data).toMatchObject([{ to: "••••" }]);
    expect(list.text).not.toContain("ann@example.com");
    expect((await w.b.call("GET", path)).text).toContain("ann@example.com");
  });
});

describe("a webhook of the host's for a service with an address of its own", () => {
  it("stays as it is where an agent sends the same account again, or only other settings", async () => {
    const { got, integrations } = await services();
    const b = harness({ plans, integrations });
    const fields = { iban: { ...policy, agents: "omit" } } as const;
    const form = await b.forms.create({ name: "Contact", settings: { fields } });
    const hosts = { api_key: "0a1b2c-us21", list_id: "a1", merge_fields };
    const { id } = await b.webhooks.create(form.id, { format: "mailchimp", config: hosts });
    for (const config of [{ api_key: "set", list_id: "a1" }, { api_key: "0a1b2c-us21" }, { tags: ["site"] }]) {
      const path = `/v1/forms/${form.id}/webhooks/${id}`;
      expect((await b.call("PATCH", path, { body: { format: "mailchimp", config }, headers: asAgent })).status).toBe(
        200,
      );
    }
    await b.submit(form.id, { fields: FIELDS });
    await b.clock.advance(60_000);
    expect(JSON.stringify(got)).toContain(CANARY);
  });
});

it("fields in a thank-you URL are all there once the host sets it anew, and stay away where it changes something else", async () => {
  const b = harness({ rateLimit: false });
  const fields = { iban: { ...policy, agents: "omit" } } as const;
  const form = await b.forms.create({ name: "Contact", settings: { fields } });
  const redirect = { success_url: THEIRS, append_submission_to_url: true };
  const path = `/v1/forms/${form.id}`;
  expect((await b.call("PATCH", path, { body: { after_submit: { redirect } }, headers: asAgent })).status).toBe(200);
  await b.forms.update(form.id, { name: "Renamed", after_submit: { redirect } });
  expect(await redirected({ b, form })).not.toContain(CANARY);
  // Turned on by the host, it still goes to a page that an agent chose.
  await b.forms.update(form.id, { after_submit: { redirect: { append_submission_to_url: false } } });
  await b.forms.update(form.id, { after_submit: { redirect: { append_submission_to_url: true } } });
  expect(await redirected({ b, form })).not.toContain(CANARY);
  await b.forms.update(form.id, { after_submit: { redirect: { success_url: `${THEIRS}/2` } } });
  expect(await redirected({ b, form })).toContain(CANARY);
});

describe("a policy of a field", () => {
  const sinks = ["email", "webhook", "export", "agents"] as const;
  const shows = ["show", "mask", "omit"] as const;

  /** Every way out, by the sink whose policy counts for it. */
  async function waysOut(shown: (typeof shows)[number], sink: (typeof sinks)[number]): Promise<Record<string, string>> {
    const b = harness({ plans, mcp: mcp(), inbox: inbox(), rateLimit: false });
    const form = await b.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["owner@example.com"] },
      settings: { fields: { iban: { ...policy, [sink]: shown } } },
    });
    for (const [n, format] of (["standard", "flat", "discord"] as const).entries()) {
      const url = format === "discord" ? "https://discord.com/api/webhooks/1/abcdefgh" : `https://example.com/${n}`;
      await b.webhooks.create(form.id, { url, format });
    }
    const { id } = await b.submit(form.id, { fields: FIELDS });
    await b.clock.advance(60_000);
    const at = `/v1/forms/${form.id}/submissions`;
    const text = async (path: string, more: object = {}): Promise<string> => (await b.call("GET", path, more)).text;
    const trial = await b.call("POST", `/f/${form.id}?dry_run=1`, { body: FIELDS });
    expect(trial.status).toBe(200);
    const { webhooks } = trial.json as { webhooks: { body: unknown }[] };
    return {
      email: JSON.stringify(b.mails),
      webhook: JSON.stringify(b.webhookCalls.slice(0, 2)),
      "webhook (chat)": JSON.stringify(b.webhookCalls.slice(2)),
      "webhook (dry run)": JSON.stringify(webhooks),
      "export (csv)": await text(`${at}/export?format=csv`),
      "export (json)": await text(`${at}/export?format=json`),
      "export (older API)": await text(`/api/form/${form.id}/submissions`, { key: null, headers: { api_key: b.key } }),
      "agents (list)": await text(at, { headers: asAgent }),
      "agents (one)": await text(`${at}/${id}`, { headers: asAgent }),
    };
  }

  it.each(sinks.flatMap((sink) => shows.map((shown) => [sink, shown] as const)))(
    "%s: %s, over each way out",
    async (sink, shown) => {
      for (const [way, out] of Object.entries(await waysOut(shown, sink))) {
        expect(out, way).toContain(OPEN);
        const isItsOwn = way.startsWith(sink);
        expect(out.includes(CANARY), `${way} with ${sink}: ${shown}`).toBe(!isItsOwn || shown === "show");
      }
    },
  );
});
