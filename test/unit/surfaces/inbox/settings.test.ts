import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryStorage } from "../../../../src/index.ts";
import { HostFormPatch } from "../../../../src/model/form-input.ts";
import { Form, HostForm } from "../../../../src/model/forms.ts";
import { isRows } from "../../../../src/surfaces/inbox/settings/kinds.ts";
import { allLeaves, older, sections } from "../../../../src/surfaces/inbox/settings/leaves.ts";
import de from "../../../../src/texts/locales/de.ts";
import { runs } from "../../../_support/runs.ts";
import { formOf } from "./_form.ts";
import { inboxHarness, type Visitor } from "./_inbox.ts";

/** The leaves of a schema: a list and a record are one. */
function leavesIn(schema: z.ZodType, at = "", isNullable = false): string[] {
  const def = schema.def as unknown as { innerType?: z.ZodType; shape?: Record<string, z.ZodType> };
  if (def.innerType) return leavesIn(def.innerType, at, isNullable || schema instanceof z.ZodNullable);
  // An object that may be null is one value.
  if (!def.shape || isNullable) return [at];
  return Object.entries(def.shape).flatMap(([name, inner]) => leavesIn(inner, at === "" ? name : `${at}.${name}`));
}

/** Members of a form that follow from others, or have pages of their own. */
const derived = [
  "id",
  "team_id",
  "endpoint",
  "created_at",
  "last_submission_at",
  "submissions.this_month",
  "submissions.all_time",
  "spam.captcha.secret_key_set",
  "self_email_notification.template.type",
  "self_email_notification.sender.type",
  "auto_response.template.type",
  "after_submit.type",
  "webhooks",
  "locked.reason",
  "locked.at",
];

const at = (id: string, section: string): string => `/f/${id}/settings/${section}`;

/** Changes the controls of a section as a person would, and saves. */
async function edit(visitor: Visitor, id: string, section: string, values: Record<string, string | null>) {
  const form = formOf((await visitor.get(at(id, section))).text, at(id, section));
  for (const [name, value] of Object.entries(values)) {
    if (value === null) delete form[name];
    else form[name] = value;
  }
  return visitor.post(at(id, section), form);
}

describe("the settings", () => {
  it("fold what nobody has set, and never a part with a fault", async () => {
    const b = inboxHarness({}, { rateLimit: false });
    const { id } = await b.forms.create({ name: "Contact", settings: { drafts: { enabled: true } } });
    const visitor = b.as({});
    const parts = (text: string): Record<string, boolean> =>
      Object.fromEntries(
        [...text.matchAll(/<details class="fold"( open)?><summary>([^<]*)</g)].map(([, open, name]) => [name, !!open]),
      );
    expect(parts((await visitor.get(at(id, "general"))).text)).toEqual({
      "Names of fields, and lists": false,
      "Statistics and sources": false,
      Drafts: true,
      "Opening times and places": false,
      Technical: false,
    });
    const refused = await edit(visitor, id, "general", { "settings.availability.opens_at": "soon" });
    expect(refused.status).toBe(400);
    expect(parts(refused.text)["Opening times and places"]).toBe(true);
  });

  it("name languages in the language of the page", async () => {
    const b = inboxHarness({}, { locales: [de] });
    const { id } = await b.forms.create({ name: "Contact" });
    const { text } = await b.as({}).get(at(id, "general"));
    expect(text).toContain('<option value="auto" selected>Automatic</option>');
    expect(text).toContain('<option value="de">German</option>');
    const german = await b.as({ locale: "de" }).get(at(id, "general"));
    expect(german.text).toContain('<option value="en">Englisch</option>');
  });

  it("have a control, a label, a help and a default for every leaf", async () => {
    const known = allLeaves.map(({ path }) => path as string);
    expect([...leavesIn(HostFormPatch)].sort()).toEqual([...known, ...older].sort());
    const answered = leavesIn(HostForm).filter((path) => !derived.includes(path));
    expect(answered.filter((path) => !known.includes(path))).toEqual([]);
    expect(leavesIn(Form).every((path) => derived.includes(path) || known.includes(path))).toBe(true);
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    for (const section of sections) {
      const { text } = await backend.as({}).get(at(id, section));
      for (const { path, kind } of allLeaves.filter((leaf) => leaf.section === section)) {
        expect(text, path).toContain(
          kind === "target" ? `name="${path}.chosen"` : isRows(kind) ? `name="${path}.0.` : `name="${path}"`,
        );
        expect(text, path).toMatch(new RegExp(`<(label( class="tick")? for|fieldset class="field rows" id)="${path}"`));
        const help = new RegExp(`id="${path}-help">([^<]+)`).exec(text)?.[1] ?? "";
        expect(help, path).toMatch(kind === "secret" ? /\w/ : /\w.*Default: /s);
      }
    }
  });

  it("stay byte for byte what they were where nobody touched them, for random forms", async () => {
    const storage = memoryStorage();
    const backend = inboxHarness({}, { rateLimit: false, storage, encryption, locales: [de] });
    const ann = backend.as({});
    const { id } = await backend.forms.create({ name: "Contact" });
    let stored = "";
    await fc.assert(
      fc.asyncProperty(patches, async (patch) => {
        await backend.forms.update(id, patch as never);
        const before = JSON.stringify([...(await storage.get("forms", [id])).values()]);
        expect(before).not.toBe(stored);
        stored = before;
        for (const section of sections) {
          const { text } = await ann.get(at(id, section));
          const answer = await ann.post(at(id, section), formOf(text, at(id, section)));
          expect(answer.status, answer.text).toBe(303);
        }
        expect(JSON.stringify([...(await storage.get("forms", [id])).values()])).toBe(before);
      }),
      { numRuns: runs(60, 500), seed: 20_261_122 },
    );
  }, 600_000);

  it("are saved leaf by leaf, so that two people do not undo each other", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    const [ann, bo] = [backend.as({}), backend.as({ id: "bo" })];
    const open = async (visitor: Visitor, section: string) =>
      formOf((await visitor.get(at(id, section))).text, at(id, section));
    const [hers, his] = [await open(ann, "notification"), await open(bo, "notification")];
    expect(
      (await ann.post(at(id, "notification"), { ...hers, "self_email_notification.subject": "Hers" })).status,
    ).toBe(303);
    expect(
      (
        await bo.post(at(id, "notification"), {
          ...his,
          "self_email_notification.recipients": "bo@example.com\r\n\r\n",
        })
      ).status,
    ).toBe(303);
    const { self_email_notification: mail } = await backend.forms.get(id);
    expect([mail.subject, mail.recipients]).toEqual(["Hers", ["bo@example.com"]]);
    // Both change the same leaf: the second one is told, and may insist.
    const late = { ...his, "self_email_notification.subject": "His" };
    const refused = await bo.post(at(id, "notification"), late);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("It is now: “Hers”");
    expect(refused.text).toContain('value="His"');
    expect((await backend.forms.get(id)).self_email_notification.subject).toBe("Hers");
    expect((await bo.post(at(id, "notification"), formOf(refused.text, at(id, "notification")))).status).toBe(303);
    expect((await backend.forms.get(id)).self_email_notification.subject).toBe("His");
  });

  it("save entries of a record one by one", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact", settings: { labels: { a: "A", b: "B" } } });
    const ann = backend.as({});
    const before = formOf((await ann.get(at(id, "general"))).text, at(id, "general"));
    await backend.forms.update(id, { settings: { labels: { c: "C" } } });
    const path = "settings.labels";
    await ann.post(at(id, "general"), {
      ...before,
      [`${path}.0.value`]: "AA",
      [`${path}.1.name`]: "",
      [`${path}.2.name`]: "d",
      [`${path}.2.value`]: "D",
    });
    expect((await backend.forms.get(id)).settings.labels).toEqual({ a: "AA", c: "C", d: "D" });
  });

  it("add and remove rules and policies", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    const ann = backend.as({});
    const rule = "validation.rules.0";
    await edit(ann, id, "validation", {
      [`${rule}.field`]: "email",
      [`${rule}.checks.0.type`]: "email",
      [`${rule}.checks.0.message`]: "No",
    });
    await edit(ann, id, "validation", { [`${rule}.checks.1.type`]: "required" });
    const checks = [
      { type: "email", value: "", message: "No" },
      { type: "required", value: "", message: "" },
    ];
    expect((await backend.forms.get(id)).validation.rules).toEqual([{ field: "email", checks }]);
    await edit(ann, id, "validation", { [`${rule}.field`]: "" });
    expect((await backend.forms.get(id)).validation.rules).toEqual([]);
    const policy = "settings.fields.0";
    await edit(ann, id, "storage", { [`${policy}.name`]: "iban", [`${policy}.store`]: "hash" });
    const hidden = { email: "omit", webhook: "omit", export: "omit", agents: "omit" };
    expect((await backend.forms.get(id)).settings.fields).toEqual({ iban: { store: "hash", ...hidden } });
    await edit(ann, id, "storage", { [`${policy}.email`]: "mask" });
    expect((await backend.forms.get(id)).settings.fields).toEqual({
      iban: { store: "hash", ...hidden, email: "mask" },
    });
    await edit(ann, id, "storage", { [`${policy}.name`]: "" });
    expect((await backend.forms.get(id)).settings.fields).toEqual({});
  });

  it("say beside a control what is wrong, keep what was typed, and save nothing", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    const wrong = {
      notification: ["self_email_notification.recipients", "ann@example.com\nnobody"],
      general: ["settings.key", "Not A Key"],
      "after-submit": ["after_submit.page.primary_color", "red"],
      validation: ["validation.rules.0.field", "x".repeat(201)],
      reply: ["auto_response.logo_height", "tall"],
      storage: ["storage.keep_for", "soon"],
      spam: ["settings.allowed_origins", "not an origin"],
    } as const;
    for (const [section, [name, value]] of Object.entries(wrong)) {
      const { status, text } = await edit(backend.as({}), id, section, { [name]: value });
      expect(status, section).toBe(400);
      const leaf = name.replace(/\.0\.field$/, "");
      expect(text, section).toMatch(new RegExp(`id="${leaf}-fault" role="alert">\\w`));
      expect(text, section).toContain(value);
    }
    expect((await backend.forms.get(id)).self_email_notification.recipients).toEqual([]);
  });

  it("show the refusal of a plan beside its control", async () => {
    const backend = inboxHarness();
    await backend.teams.update("default", { plan: "free" });
    const { id } = await backend.forms.create({ name: "Contact" });
    const refused = {
      reply: { "auto_response.template.html": "<p>Thanks</p>" },
      notification: { "self_email_notification.recipients": "a@example.com\nb@example.com" },
      spam: { "settings.double_opt_in.enabled": "on" },
      general: { "settings.drafts.enabled": "on" },
      storage: { "settings.fields.0.name": "iban", "settings.fields.0.store": "drop" },
    };
    for (const [section, values] of Object.entries(refused)) {
      const { status, text } = await edit(backend.as({}), id, section, values);
      expect(status, section).toBe(403);
      const leaf = Object.keys(values)[0]?.replace(/\.0\.name$/, "");
      expect(text).toContain(`id="${leaf}-fault" role="alert">The plan of your team (free) does not include this.`);
    }
    expect((await edit(backend.as({}), id, "notification", refused.notification)).text).toContain(
      "It allows 1 recipient.",
    );
  });

  it("are saved once by two who save the same leaf at the same moment: the second one sees both values", async () => {
    const storage = memoryStorage();
    const { commit } = storage;
    let between: (() => Promise<unknown>) | null = null;
    // Somebody saves after a form was read and compared, and before it is written.
    storage.commit = async (writes) => {
      const act = between;
      if (act && writes.some((write) => write.op === "put" && write.collection === "forms")) {
        between = null;
        await act();
      }
      return commit.call(storage, writes);
    };
    const backend = inboxHarness({}, { storage });
    const { id } = await backend.forms.create({ name: "Contact" });
    const [ann, bo] = [backend.as({}), backend.as({ id: "bo" })];
    const open = async () => formOf((await ann.get(at(id, "general"))).text, at(id, "general"));
    const page = await open();
    between = () => bo.post(at(id, "general"), { ...page, name: "His" });
    const late = await ann.post(at(id, "general"), { ...page, name: "Hers" });
    expect(between).toBeNull();
    expect(late.status).toBe(409);
    expect(late.text).toContain("It is now: “His”");
    expect(late.text).toContain('value="Hers"');
    expect((await backend.forms.get(id)).name).toBe("His");
    // One of another leaf is no conflict: it is compared again, and saved.
    const mine = { ...(await open()), active: "" };
    between = () => backend.forms.update(id, { name: "Theirs" });
    expect((await ann.post(at(id, "general"), mine)).status).toBe(303);
    expect(between).toBeNull();
    expect(await backend.forms.get(id)).toMatchObject({ name: "Theirs", active: false });
  });

  it("show the other's rules and long texts whole beside one's own", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    const ann = backend.as({});
    const open = async (section: string) => formOf((await ann.get(at(id, section))).text, at(id, section));
    const [labels, mail] = [await open("general"), await open("notification")];
    const html = `<p>${"theirs ".repeat(100)}</p>`;
    await backend.forms.update(id, {
      settings: { labels: { name: "Their label" } },
      self_email_notification: { template: { html } },
    });
    const path = "settings.labels";
    const rows = await ann.post(at(id, "general"), {
      ...labels,
      [`${path}.0.name`]: "name",
      [`${path}.0.value`]: "Mine",
    });
    expect(rows.status).toBe(409);
    expect(rows.text).toMatch(/aria-label="The other value">[^<]*Their label/);
    expect(rows.text).toContain('value="Mine"');
    const long = await ann.post(at(id, "notification"), {
      ...mail,
      "self_email_notification.template.html": "<p>Mine",
    });
    expect(long.status).toBe(409);
    expect(long.text).toContain(html.replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
    expect(long.text).toContain("&lt;p&gt;Mine</textarea>");
  });

  it("are refused from somebody whose role was just taken away", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    const guest = await backend.guest({ role: "editor", user: { id: "bo", name: "Bo" } });
    const page = formOf((await guest.get(at(id, "general"))).text, at(id, "general"));
    const values = { ...page, name: "Taken over" };
    expect((await backend.as({ role: "viewer" }).post(at(id, "general"), values)).status).toBe(403);
    expect((await backend.as({ role: "editor", team_ids: [] }).post(at(id, "general"), values)).status).toBe(404);
    await backend.inbox.endSessions({ user_id: "bo" });
    expect((await guest.post(at(id, "general"), values)).status).toBe(404);
    expect((await backend.forms.get(id)).name).toBe("Contact");
  });

  it("can be read and not changed by who may only read", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    const { text } = await backend.as({ role: "viewer" }).get(at(id, "general"));
    expect(text).toContain("Your role does not include changing them.");
    expect(text).not.toContain(">Save<");
    expect(formOf(text, at(id, "general"))).toEqual({});
    // An alias is taken from every other team.
    const editor = backend.as({ role: "editor" });
    expect((await editor.get(at(id, "general"))).text).toMatch(/<textarea id="settings.aliases"[^>]* disabled/);
    await edit(editor, id, "general", { "settings.aliases": "mine", "was.settings.aliases": "47DEQpj8HBSa-_TI" });
    expect((await backend.forms.get(id)).settings.aliases).toEqual([]);
  });

  it("leave out and leave alone what a host hides", async () => {
    const backend = inboxHarness({ hide: ["settings.storage.keep_for", "settings.key", "settings.auto_response"] });
    const { id } = await backend.forms.create({ name: "Contact" });
    const ann = backend.as({});
    const { text } = await ann.get(at(id, "storage"));
    expect(text).not.toContain("storage.keep_for");
    expect((await ann.get(at(id, "general"))).text).not.toContain("settings.key");
    expect((await ann.get(at(id, "reply"))).text).not.toContain("auto_response.");
    await ann.post(at(id, "storage"), { "storage.keep_for": "1", "was.storage.keep_for": "x" });
    expect((await backend.forms.get(id)).storage.keep_for).toBe("forever");
    expect(() => inboxHarness({ hide: ["settings.nothing"] })).toThrow(/option `hide.0` must be one of .* settings\./);
  });

  it("have no page at the address of a button", async () => {
    const b = inboxHarness();
    const { id } = await b.forms.create({ name: "A" });
    const { status, text } = await b.as({ role: "admin" }).get(`${at(id, "notification")}/test`);
    expect([status, /<h1>(.*?)<\/h1>/.exec(text)?.[1]]).toEqual([405, "Not found"]);
  });

  it("never show the secret of a captcha, and keep it until another one is typed", async () => {
    const backend = inboxHarness();
    const secret = `0x4AAAAAAA${"s".repeat(24)}`;
    const { id } = await backend.forms.create({
      name: "Contact",
      spam: { captcha: { provider: "turnstile", secret_key: secret } },
    });
    const ann = backend.as({});
    const { text } = await ann.get(at(id, "spam"));
    expect(text).toContain("A secret key is stored.");
    expect(text).not.toContain(secret);
    await edit(ann, id, "spam", { "spam.protection": null });
    expect((await backend.forms.get(id)).spam).toMatchObject({ protection: false, captcha: { secret_key_set: true } });
    await edit(ann, id, "spam", { "spam.captcha.provider": "none" });
    expect((await backend.forms.get(id)).spam.captcha).toEqual({ provider: "none", secret_key_set: false });
  });
});

const encryption = { keys: [{ id: "k", key: Buffer.alloc(32, 1).toString("base64") }] };

const nasty = fc.oneof(
  fc.string({ maxLength: 40, unit: "binary" }),
  fc.constantFrom(
    "\nfirst",
    "a\r\nb\rc\n",
    "</textarea><b>",
    '"><i>',
    "&amp;&lt;",
    " spaces ",
    "\u0000",
    "\ud800",
    "\ufeffx",
    "مرحبا",
    "{{name}}",
  ),
);
const line = nasty.map((text) => text.replace(/[\r\n]/g, ""));
const tagged = (text: string): string => text.replace(/[{}]/g, "");
const url = fc.constantFrom("", "https://example.com/a?b=c&d='e'", "http://x.example/%F0%9F%8D%B0");
const email = fc.constantFrom("ann@example.com", "o'neil+x@sub.example.org");
const colour = fc.constantFrom("#fff", "#ABCDEF", "#012345");
const record = <T>(value: fc.Arbitrary<T>) =>
  fc
    .array(
      fc.tuple(
        nasty.filter((name) => name !== "" && name !== "__proto__"),
        value,
      ),
      { maxLength: 3 },
    )
    .map(Object.fromEntries);
const shown = fc.constantFrom("show", "mask", "omit");
const button = fc.record({ text: line, url });
const check = fc.oneof(
  fc.record({ type: fc.constantFrom("required", "email", "url"), value: fc.constant(""), message: nasty }),
  fc.record({
    type: fc.constantFrom("contains", "equals"),
    value: nasty.filter((text) => text !== ""),
    message: nasty,
  }),
);

const condition = fc
  .tuple(
    nasty.filter((name) => name !== ""),
    check,
    fc.boolean(),
  )
  .map(([field, { type, value }, negate]) => ({ field, type, value, negate }));
const none = fc.constant([] as string[]);
const target = fc.record(
  {
    recipients: none,
    webhooks: none,
    subject: line.map((text) => `x${tagged(text)}`),
    none: fc.constant(true),
  },
  { requiredKeys: [] },
);

/** Changes of every leaf, with everything that a control could spoil. */
const patches = fc.record({
  name: fc.tuple(line, fc.uuid()).map(([text, id]) => `${text}${id}`),
  active: fc.boolean(),
  avatar: fc.constantFrom("📬", "👩‍👩‍👧"),
  folder_id: fc.option(nasty),
  storage: fc.record({ store_submissions: fc.boolean(), keep_for: fc.constantFrom("forever", "1_days", "36500_days") }),
  spam: fc.record({ protection: fc.boolean() }),
  self_email_notification: fc.record({
    enabled: fc.boolean(),
    recipients: fc.uniqueArray(email),
    include_spam: fc.boolean(),
    subject: line.map(tagged),
    logo_url: url,
    logo_height: fc.constantFrom(1, 47.5, 1000),
    template: fc.record({ theme: fc.constantFrom("fancy", "formal"), html: nasty.map(tagged) }),
    sender: fc.record({ name: line }),
  }),
  auto_response: fc.record({
    enabled: fc.boolean(),
    subject: line.map(tagged),
    from_name: line,
    template: fc.record({ message: nasty.map(tagged), html: nasty.map(tagged) }),
  }),
  after_submit: fc.record({
    page: fc.record({
      theme: fc.constantFrom("fancy", "formal", "sweet"),
      mode: fc.constantFrom("light", "dark", "system"),
      headline: nasty,
      message: nasty,
      logo_url: url,
      logo_dark_url: url,
      primary_color: colour,
      secondary_color: colour,
      return_button: button,
      download_button: button,
    }),
    redirect: fc.record({ success_url: url, fail_url: url, append_submission_to_url: fc.boolean() }),
  }),
  validation: fc.record({
    enabled: fc.boolean(),
    rules: fc.array(
      fc.record({ field: nasty.filter((name) => name !== ""), checks: fc.array(check, { maxLength: 3 }) }),
      { maxLength: 3 },
    ),
  }),
  settings: fc.record({
    key: fc.constantFrom(null, "contact"),
    aliases: fc.uniqueArray(fc.constantFrom("a1", "b.c", "x@y")),
    dialect: fc.constantFrom("native", "formspree"),
    language: fc.constantFrom("auto", "de"),
    allowed_origins: fc.uniqueArray(fc.constantFrom("https://example.com", "http://localhost:8080")),
    require_token: fc.boolean(),
    double_opt_in: fc.record({
      enabled: fc.boolean(),
      subject: line.map((text) => `x${tagged(text)}`),
      message: nasty.map((text) => `x${tagged(text)}`),
    }),
    drafts: fc.record({ enabled: fc.boolean(), keep_for: fc.constantFrom("1_days", "30_days") }),
    routing: fc.record({
      rules: fc.array(
        fc.record({
          if: fc.oneof(
            fc.record({ all: fc.array(condition, { maxLength: 3 }) }),
            fc.record({ any: fc.array(condition, { minLength: 1, maxLength: 3 }) }),
          ),
          to: target,
          stop: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
      otherwise: fc.option(target),
    }),
    labels: record(line.filter((text) => text !== "")),
    fields: record(
      fc.record({
        store: fc.constantFrom("plain", "encrypt"),
        email: shown,
        webhook: shown,
        export: shown,
        agents: shown,
      }),
    ),
  }),
});
