import { describe, expect, it, onTestFinished } from "vitest";
import { facts } from "../../../../src/features/webhooks/formats/table.ts";
import { presets } from "../../../../src/model/presets.ts";
import { WebhookFormat } from "../../../../src/model/webhooks.ts";
import { groups, isSigned, type Kind } from "../../../../src/surfaces/inbox/destinations.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { fileUrl, googleSheets, keyFile, records, unshared } from "../../../_support/destinations/google.ts";
import { ann, inboxHarness } from "./_inbox.ts";

async function house(more: TestBackendOptions = {}) {
  const b = inboxHarness({}, { plans: { unlimited: { webhooks_per_form: null } }, rateLimit: false, ...more });
  const { id: form } = await b.forms.create({ name: "Contact", spam: { protection: false } });
  const visitor = b.as(ann);
  const at = `/f/${form}/webhooks`;
  return Object.assign(b, {
    form,
    visitor,
    at,
    /** Creates one as the page does, and returns its own page. */
    async made(fields: Record<string, string>) {
      const { status, headers } = await visitor.post(at, fields);
      expect(status).toBe(303);
      const [hook] = (await b.webhooks.list(form)).slice(-1);
      const location = headers.get("location") ?? "";
      expect(location).toContain(`/webhooks/${hook?.id}?made=1`);
      return { hook, page: await visitor.get(location), at: `${at}/${hook?.id}` };
    },
  });
}

const kinds: readonly Kind[] = groups.flatMap(({ kinds: of }) => of);
/** The names of the controls of a page. */
const controls = (text: string): string[] =>
  [...text.matchAll(/<(?:input|textarea|select) id="(\w+)"/g)].map(([, name = ""]) => name);

describe("the tiles of destinations", () => {
  it("are all formats and presets, `flat` within the program's", () => {
    const known = [...WebhookFormat.options.filter((one) => one !== "flat"), ...presets.map(({ id }) => id)];
    expect([...kinds].sort()).toEqual(known.sort());
    for (const format of WebhookFormat.options)
      expect([format, isSigned(format)]).toEqual([format, facts[format].signed]);
  });

  it("each lead to a page with three sentences and a form", async () => {
    const b = await house();
    const { text } = await b.visitor.get(b.at);
    expect([...text.matchAll(/\/webhooks\/new\?kind=(\w+)/g)].map(([, kind]) => kind)).toEqual(kinds);
    expect(text).not.toMatch(/<select/);
    for (const kind of kinds) {
      const { status, text: one } = await b.visitor.get(`${b.at}/new?kind=${kind}`);
      expect([kind, status, one.match(/<ol class="steps">(<li>[^<]{10,}<\/li>){3}<\/ol>/)?.length]).toEqual([
        kind,
        200,
        2,
      ]);
      expect(controls(one).at(-1)).toBe("description");
    }
    const unknown = await b.visitor.get(`${b.at}/new?kind=constructor`);
    expect([unknown.status, unknown.text.includes('class="tiles"')]).toEqual([200, true]);
    expect((await b.visitor.post(b.at, { kind: "constructor", url: "https://a.example" })).status).toBe(404);
  });

  it.each(presets)("$service is made by its tile", async (preset) => {
    const b = await house();
    const asks = Object.fromEntries(preset.asks.map(({ name }) => [name, `${name}1234 secret"}`.replaceAll(" ", "-")]));
    const fields = Object.fromEntries(preset.fields.map((name) => [`field_${name}`, `my_${name}`]));
    const { hook, page, at } = await b.made({ kind: preset.id, ...asks, ...fields, description: "Ours" });
    expect(hook).toMatchObject({ format: "http", description: "Ours" });
    for (const name of preset.fields) expect(hook?.config?.body).toContain(`{{my_${name}}}`);
    for (const { name, secret } of preset.asks)
      if (secret) expect(page.text + JSON.stringify(hook)).not.toContain(asks[name]?.slice(0, -4));
    await b.submit(b.form, { fields: { my_email: 'a"@b.co', my_name: "Ada", my_message: "Hello" } });
    await b.clock.advance(1_000);
    const [call] = b.webhookCalls as [(typeof b.webhookCalls)[number]];
    const sent = JSON.stringify(JSON.parse(String(call.body)));
    for (const name of preset.fields)
      expect(sent).toContain({ email: 'a\\"@b.co', name: "Ada", message: "Hello" }[name]);
    expect(call.url.startsWith("https://")).toBe(true);
    expect(`${call.url} ${JSON.stringify(call.headers)} ${sent}`).not.toMatch(/<\w+>/);
    // Saving the page as it is changes nothing.
    const kept = await b.visitor.post(at, Object.fromEntries(fieldsOf((await b.visitor.get(at)).text)));
    expect([kept.status, await b.webhooks.get(b.form, hook?.id ?? "")]).toMatchObject([303, { config: hook?.config }]);
    await b.submit(b.form, { fields: { my_email: "c@d.co" } });
    await b.clock.advance(1_000);
    for (const name of Object.keys(preset.headers)) expect(b.webhookCalls[1]?.headers[name]).toBe(call.headers[name]);
  });

  it("say at the control what is missing, and never show a key again", async () => {
    const b = await house();
    const bad = await b.visitor.post(b.at, { kind: "supabase", project: "acme", table: "", key: "sb_secret_1" });
    expect([bad.status, bad.text.includes('id="table-fault"'), bad.text.includes('value="acme"')]).toEqual([
      400,
      true,
      true,
    ]);
    expect(bad.text).not.toContain("sb_secret_1");
    const lines = await b.visitor.post(b.at, {
      kind: "http",
      url: "https://a.example",
      headers: "a: b\nbearer-secret",
      body: "{}",
    });
    expect([lines.status, /id="headers-fault"[^>]*>[^<]*line 2/.test(lines.text)]).toEqual([400, true]);
    const template = await b.visitor.post(b.at, {
      kind: "http",
      url: "https://a.example",
      body: '{"a":\n{{name}}}',
      method: "POST",
      content_type: "application/json",
    });
    expect([template.status, /id="body-fault"[^>]*>[^<]*line 2/.test(template.text)]).toEqual([400, true]);
    const sheet = await b.visitor.post(b.at, {
      kind: "google_sheets",
      url: "https://docs.google.com/document/d/1AbCdEf/edit",
      credentials: JSON.stringify(keyFile),
    });
    expect([sheet.status, sheet.text.includes('id="url-fault"'), sheet.text.includes("PRIVATE")]).toEqual([
      400,
      true,
      false,
    ]);
    expect(await b.webhooks.list(b.form)).toEqual([]);
  });

  it("make a bot's address of Telegram", async () => {
    const b = await house();
    const { hook, page } = await b.made({ kind: "telegram", token: "123:abc-DEF", chat: "-100123" });
    expect([hook?.url, page.text.includes("abc-DEF")]).toEqual(["https://api.telegram.org/bot…0123", false]);
    await b.submit(b.form, { fields: { a: "b" } });
    await b.clock.advance(1_000);
    expect(b.webhookCalls[0]?.url).toBe("https://api.telegram.org/bot123:abc-DEF/sendMessage");
  });

  it("keep what the forms of contacts ask", async () => {
    const b = await house();
    const { hook, at } = await b.made({
      kind: "mailchimp",
      api_key: "0123456789abcdef-us21",
      list_id: "a1b2c3",
      email_field: "mail",
      merge_fields: "FNAME = name\nLNAME=last",
      tags: "web, form",
      double_opt_in: "on",
    });
    expect(hook?.config).toEqual({
      api_key: "set",
      list_id: "a1b2c3",
      email_field: "mail",
      merge_fields: { FNAME: "name", LNAME: "last" },
      tags: ["web", "form"],
      double_opt_in: true,
    });
    await b.visitor.post(at, { action: "save", list_id: "a1b2c3", merge_fields: "FNAME = first" });
    expect((await b.webhooks.get(b.form, hook?.id ?? "")).config).toMatchObject({
      api_key: "set",
      merge_fields: { FNAME: "first" },
      tags: [],
      double_opt_in: false,
    });
  });
});

describe("a spreadsheet in the inbox", () => {
  async function sheets(options: { host: boolean }) {
    const service: { now: () => number } = { now: () => 0 };
    const google = await googleSheets(() => service.now());
    onTestFinished(google.close);
    const { credentials, ...addresses } = google.options.google;
    const b = await house({ integrations: { google: options.host ? google.options.google : addresses } });
    service.now = b.clock.now;
    return Object.assign(b, { google, credentials });
  }

  it("says whom to share it with, is tested, filled, and says how the latest delivery went", async () => {
    const b = await sheets({ host: false });
    const before = [await b.submit(b.form, { fields: { n: "1" } }), await b.submit(b.form, { fields: { n: "2" } })];
    const key = JSON.stringify(keyFile);
    const { page, at, hook } = await b.made({ kind: "google_sheets", url: fileUrl, sheet: "", credentials: key });
    expect(page.text).toMatch(/<pre class="code"[^>]*data-copy>forms@forms\.iam\.gserviceaccount\.com</);
    expect(page.text).not.toContain("PRIVATE KEY");
    // Its address is long and says little.
    expect(page.text).toContain("<h1><bdi>Google Sheets</bdi></h1>");
    expect(page.text).toContain(`<p class="muted where"><bdi>${fileUrl}</bdi></p>`);
    const list = (await b.visitor.get(at.replace(/\/[^/]+$/, ""))).text;
    expect(list).toContain(`<bdi>Google Sheets</bdi></a> <bdi class="muted">${fileUrl}</bdi>`);
    await b.webhooks.update(b.form, hook?.id ?? "", { description: "Orders" });
    expect((await b.visitor.get(at)).text).toContain("<h1><bdi>Orders</bdi></h1>");
    const test = await b.visitor.post(`${at}/test`);
    expect([test.status, test.text.includes("The test arrived")]).toEqual([200, true]);
    const filled = await b.visitor.post(at, { action: "fill" });
    expect((await b.visitor.get(filled.headers.get("location") ?? "")).text).toContain(
      "2 earlier submissions are on their way",
    );
    await b.clock.advance(10_000);
    const [tab] = b.google.tabs;
    expect(
      tab &&
        records(tab)
          .slice(1)
          .map(({ submission_id }) => submission_id),
    ).toEqual(before.map(({ id }) => id));
    expect((await b.visitor.get(at)).text).toContain("The latest delivery arrived");
    b.google.fate(() => unshared);
    await b.submit(b.form, { fields: { n: "3" } });
    await b.clock.advance(10_000);
    const { text } = await b.visitor.get(at);
    expect(text).toContain("The latest delivery failed");
    expect(text).toMatch(/class="said"[^>]*>The spreadsheet is not shared with forms@forms/);
    // What comes while it is off is skipped, and the words of the failure stay.
    await b.submit(b.form, { fields: { n: "4" } });
    await b.clock.advance(10_000);
    expect((await b.visitor.get(at)).text).toMatch(/class="said"[^>]*>The spreadsheet is not shared/);
    const again = await b.visitor.post(`${at}/test`);
    expect(again.text).toMatch(/The test did not arrive[\s\S]*class="said"[^>]*>The spreadsheet is not shared/);
    expect((await b.webhooks.get(b.form, hook?.id ?? "")).enabled).toBe(false);
  });

  it("shows the host's account before, and keeps a key that is left empty", async () => {
    const b = await sheets({ host: true });
    const { text } = await b.visitor.get(`${b.at}/new?kind=google_sheets`);
    expect(text).toMatch(/data-copy>forms@forms\.iam/);
    expect(text).not.toMatch(/id="credentials"[^>]* required/);
    const { at, hook } = await b.made({ kind: "google_sheets", url: fileUrl, credentials: "" });
    expect(hook?.config).toEqual({});
    const own = JSON.stringify({ ...keyFile, client_email: "own@forms.iam.gserviceaccount.com" });
    await b.visitor.post(at, { action: "save", url: fileUrl, sheet: "Sheet1", credentials: own });
    await b.visitor.post(at, { action: "save", url: fileUrl, sheet: "", credentials: "" });
    const { config } = await b.webhooks.get(b.form, hook?.id ?? "");
    expect(config).toEqual({ credentials: { client_email: "own@forms.iam.gserviceaccount.com", private_key: "set" } });
  });
});

/** The values of a form's controls, as a browser sends them. */
function fieldsOf(text: string): [string, string][] {
  const unescaped = (value: string): string =>
    value
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
  const inputs = [...text.matchAll(/<input id="(\w+)"[^>]*? value="([^"]*)"/g)];
  const areas = [...text.matchAll(/<textarea id="(\w+)"[^>]*>\n?([^<]*)<\/textarea>/g)];
  const selects = [...text.matchAll(/<select id="(\w+)"[\s\S]*?<option value="([^"]*)" selected/g)];
  return [...inputs, ...areas, ...selects].map(([, name = "", value = ""]) => [name, unescaped(value)]);
}
