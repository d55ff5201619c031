import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryStorage, type StorageDriver } from "../../../../src/index.ts";
import { parseInput } from "../../../../src/lib/input.ts";
import { defaultSettings, settingLeaves } from "../../../../src/model/form-settings.ts";
import { patchOf } from "../../../../src/model/leaf.ts";
import { harness } from "../../../_support/backend.ts";

const world = async (input: object = {}) => {
  const b = harness({ rateLimit: false, senderDomains: ["example.com"] });
  const { id } = await b.forms.create({ name: "A", ...input });
  const path = `/v1/forms/${id}/settings`;
  return {
    b,
    id,
    get: async () => (await b.call("GET", path)).json,
    patch: (body: unknown, headers: Record<string, string> = {}) => b.call("PATCH", path, { body, headers }),
  };
};

/** Another value than the default of a leaf that is a switch, a choice or a text; null for one that wants a sample of its own. */
function otherThan({ schema, default: usual }: { readonly schema: z.ZodType; readonly default: unknown }): unknown {
  const { type, enum: choices } = z.toJSONSchema(schema, { io: "input" });
  if (choices) return choices.find((choice) => choice !== usual);
  return { boolean: !usual, string: "A text of its own" }[String(type)] ?? null;
}

describe("the settings of a form", () => {
  // The defaults of all leaves are in docs/api/settings.md, which a test holds to the code.
  it("are the defaults before anybody chose", async () => {
    const { b, id, get } = await world();
    const defaults = {
      ...defaultSettings(),
      key: null,
      aliases: [],
      dialect: "native",
      language: "auto",
      allowed_origins: [],
      require_token: false,
      from_email: "",
      spam: {
        words: [],
        senders: [],
        ips: [],
        countries: [],
        allow: { senders: [], ips: [] },
        threshold: "normal",
        learn: false,
      },
      routing: { rules: [], otherwise: null },
      digest: { interval: "none", at: "08:00", time_zone: "UTC" },
      double_opt_in: {
        enabled: false,
        field: "email",
        subject: "Please confirm your email address",
        message: "Please confirm that you sent the form “{{form.name}}” and that this email address is yours.",
        expires: "7_days",
      },
      drafts: { enabled: false, keep_for: "7_days" },
      statistics: { enabled: false },
      availability: { opens_at: null, closes_at: null, limit: null, message: "", public: false },
      unique: { fields: [], message: "" },
      source: { enabled: false },
      edit: { enabled: false, until: "7_days" },
      reply_attachments: [],
      columns: [],
      labels: {},
      fields: {},
    };
    expect(await get()).toEqual(defaults);
    expect((await b.forms.get(id)).settings).toEqual(defaults);
    expect((await b.forms.list()).data[0]?.settings).toEqual(defaults);
    expect(defaultSettings()).toEqual(defaults);
  });

  it("have every leaf of the list, and each reads back what was written, over HTTP and in process", async () => {
    const samples: Partial<Record<keyof typeof settingLeaves, unknown>> = {
      key: "contact",
      aliases: ["xyzabcde", "me@example.com"],
      language: "en",
      allowed_origins: ["https://example.com"],
      from_email: "hello@example.com",
      labels: { msg: "Your message" },
      columns: ["urgency", "message"],
      availability: {
        opens_at: "2026-12-01T08:00:00.000Z",
        closes_at: "2026-12-24T18:00:00.000Z",
        limit: 50,
        message: "See you next year.",
        public: true,
      },
      unique: { fields: ["email", "day"], message: "You are on the list." },
      source: { enabled: true },
      edit: { enabled: true, until: "30_days" },
      // Only ids of images that the form has: see reply-attachments.test.ts.
      reply_attachments: [],
      spam: {
        words: ["cheap pills"],
        senders: ["@spam.example"],
        ips: ["203.0.113.0/24"],
        countries: ["AQ"],
        allow: { senders: ["ann@example.com"], ips: ["2001:db8::1"] },
        threshold: "high",
        learn: true,
      },
      routing: {
        rules: [
          {
            if: { any: [{ field: "topic", type: "equals", value: "sales", negate: false }] },
            to: { subject: "Sales", webhooks: [] },
            stop: true,
          },
        ],
        otherwise: { none: true },
      },
      digest: { interval: "weekly", at: "17:30", time_zone: "Europe/Berlin" },
      double_opt_in: { enabled: true, field: "mail", subject: "Is it you?", message: "It is me.", expires: "30_days" },
      drafts: { enabled: true, keep_for: "1_days" },
      statistics: { enabled: true },
      fields: { ssn: { store: "hash", email: "mask", webhook: "omit", export: "omit", agents: "show" } },
    };
    for (const [name, leaf] of Object.entries(settingLeaves)) {
      const value = samples[name as keyof typeof settingLeaves] ?? otherThan(leaf);
      expect(value, `a sample of ${name}`).not.toBeNull();
      const { b, id, get, patch } = await world();
      const hostOnly = "hostOnly" in settingLeaves[name as keyof typeof settingLeaves];
      if (hostOnly) await b.forms.update(id, { settings: { [name]: value } });
      else expect((await patch({ [name]: value })).json).toEqual({ ...defaultSettings(), [name]: value });
      expect(await get()).toEqual({ ...defaultSettings(), [name]: value });
      expect((await b.forms.get(id)).settings).toEqual(await get());
      const copy = await b.forms.create({ name: "B", settings: hostOnly || name === "key" ? {} : { [name]: value } });
      if (!hostOnly && name !== "key") expect(copy.settings).toEqual(await get());
    }
  });

  it("change leaf by leaf, and no leaf of the form with them", async () => {
    const { b, id, get, patch } = await world({ settings: { key: "one", labels: { a: "A" } } });
    const { settings: _, ...before } = await b.forms.get(id);
    await patch({ require_token: true });
    await patch({ from_email: "x@example.com" });
    expect(await get()).toMatchObject({ key: "one", require_token: true, from_email: "x@example.com" });
    await patch({});
    const { settings, ...after } = await b.forms.get(id);
    expect([after, settings]).toEqual([before, await get()]);
  });

  it("replace lists, and merge records by name with null removing one", async () => {
    const { patch } = await world({ settings: { allowed_origins: ["https://a.example"], labels: { a: "A", b: "B" } } });
    expect((await patch({ allowed_origins: ["https://b.example"] })).json.allowed_origins).toEqual([
      "https://b.example",
    ]);
    expect((await patch({ labels: { b: null, c: "C", gone: null } })).json.labels).toEqual({ a: "A", c: "C" });
    expect((await patch({ labels: { constructor: "K" } })).json.labels).toEqual({ a: "A", c: "C", constructor: "K" });
  });

  it("take leaves in the places of before, and answer them here", async () => {
    const { b, id, get } = await world({
      allowed_origins: ["https://a.example"],
      spam: { require_token: true },
      auto_response: { from_email: "a@example.com" },
    });
    const first = { allowed_origins: ["https://a.example"], require_token: true, from_email: "a@example.com" };
    expect(await get()).toMatchObject(first);
    await b.forms.update(id, { settings: { require_token: false } });
    await b.forms.update(id, { allowed_origins: [] });
    expect(await get()).toMatchObject({ ...first, allowed_origins: [], require_token: false });
    await b.forms.update(id, { allowed_origins: ["https://c.example"], settings: { from_email: "" } });
    expect(await get()).toMatchObject({ allowed_origins: ["https://c.example"], require_token: false, from_email: "" });
  });

  it("refuse two values for one leaf, and take one that is sent twice", async () => {
    const { b, id } = await world();
    const twice = (there: string) =>
      b.forms.update(id, {
        allowed_origins: ["https://a.example"],
        settings: { allowed_origins: [there] },
      });
    await expect(twice("https://b.example")).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "settings.allowed_origins",
    });
    expect((await twice("https://a.example")).settings.allowed_origins).toEqual(["https://a.example"]);
  });

  it("come with a new form", async () => {
    const b = harness();
    const body = { name: "A", settings: { key: "contact", labels: { a: "A" } } };
    const { status, json } = await b.call("POST", "/v1/forms", { body });
    expect([status, "settings" in json]).toEqual([201, false]);
    expect((await b.forms.get(json.id)).settings).toMatchObject(body.settings);
  });

  it("are at work where they are set", async () => {
    const { b, id, patch } = await world();
    await patch({ allowed_origins: ["https://mine.example"] });
    const from = (origin: string) => b.post(id, { a: "1" }, { origin });
    expect((await from("https://other.example")).json.error.code).toBe("origin_not_allowed");
    expect((await from("https://mine.example")).status).toBe(200);
    await patch({ require_token: true });
    await from("https://mine.example");
    const { data } = await b.submissions.list(id, { status: "spam" });
    expect(data.map(({ verdict }) => verdict.find(({ spam }) => spam)?.check)).toEqual(["token"]);
  });
});

describe("what settings refuse", () => {
  const faults: [string, object, string, RegExp][] = [
    ["an unknown leaf", { nonsense: 1 }, "nonsense", /unknown/],
    ["a leaf of the host", { aliases: ["a"] }, "aliases", /read-only here.*backend\.forms\.update/],
    ["a key with capitals", { key: "Contact" }, "key", /must begin/],
    ["a key that begins with a dash", { key: "-a" }, "key", /must begin/],
    ["a key of 64 characters", { key: "a".repeat(64) }, "key", /must begin/],
    ["an origin with a path", { allowed_origins: ["https://a.example/x"] }, "allowed_origins.0", /origin/],
    ["no address", { from_email: "nobody" }, "from_email", /./],
    ["a flag that is a text", { require_token: "true" }, "require_token", /boolean/],
    ["a label that is too long", { labels: { a: "x".repeat(129) } }, "labels.a", /128/],
    ["a label with a line break", { labels: { a: "x\ny" } }, "labels.a", /line breaks/],
    ["an empty label", { labels: { a: "" } }, "labels.a", /empty/],
    ["a list for a record", { labels: [] }, "labels", /./],
    ["null for what is not nullable", { allowed_origins: null }, "allowed_origins", /./],
  ];
  it.each(faults)("%s", async (_, body, param, says) => {
    const { b, id, patch, get } = await world();
    const before = await get();
    const { status, json } = await patch(body);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
    expect(json.error.message).toMatch(says);
    const created = await b.call("POST", "/v1/forms", { body: { name: "B", settings: body } });
    expect([created.status, created.json.error.param]).toEqual([400, `settings.${param}`]);
    if (param !== "aliases") {
      const inProcess = b.forms.update(id, { settings: body as never });
      await expect(inProcess).rejects.toMatchObject({ code: "invalid_parameter", param: `settings.${param}` });
    }
    expect(await get()).toEqual(before);
  });

  it("counts a record's entries with those that are there", async () => {
    const labels = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${from + i}`, "x"]));
    const { patch, get } = await world({ settings: { labels: labels(0, 499) } });
    expect((await patch({ labels: labels(499, 2) })).json.error).toMatchObject({
      code: "invalid_parameter",
      param: "labels",
    });
    expect((await patch({ labels: { ...labels(499, 2), f0: null } })).status).toBe(200);
    expect(Object.keys((await get()).labels)).toHaveLength(500);
  });

  it("says of a form's body where a leaf is set", async () => {
    const { b, id } = await world();
    const at = (body: object) => b.call("PATCH", `/v1/forms/${id}`, { body });
    for (const [body, param, says] of [
      [{ settings: { key: "a" } }, "settings", /\/v1\/forms\/\{form_id\}\/settings/],
      [{ allowed_origins: [] }, "allowed_origins", /\/v1\/forms\/\{form_id\}\/settings/],
      [{ spam: { require_token: true } }, "spam.require_token", /\/settings/],
      [{ auto_response: { from_email: "" } }, "auto_response.from_email", /\/settings/],
      [{ avatar: "🎉" }, "avatar", /read-only here; set it in process/],
      [{ storage: { keep_for: "forever" } }, "storage.keep_for", /read-only here; set it in process/],
      [{ nonsense: 1 }, "nonsense", /unknown/],
    ] as const) {
      const { status, json } = await at(body);
      expect([status, json.error.param]).toEqual([400, param]);
      expect(json.error.message).toMatch(says);
    }
  });

  it("an address of a domain that the host does not list, wherever it is sent", async () => {
    const { b, id, patch } = await world();
    const from_email = "me@elsewhere.example";
    expect((await patch({ from_email })).json.error).toMatchObject({ code: "invalid_parameter", param: "from_email" });
    for (const [sent, param] of [
      [{ settings: { from_email } }, "settings.from_email"],
      [{ auto_response: { from_email } }, "auto_response.from_email"],
    ] as const) {
      await expect(b.forms.update(id, sent)).rejects.toMatchObject({ code: "invalid_parameter", param });
      await expect(b.forms.create({ name: "B", ...sent })).rejects.toMatchObject({ code: "invalid_parameter", param });
    }
  });

  it("what the plan leaves out, and never what switches it off", async () => {
    const b = harness();
    await b.teams.update("default", { plan: "free" });
    const { id } = await b.forms.create({ name: "A" });
    const path = `/v1/forms/${id}/settings`;
    const on = { from_email: "a@example.com" };
    const refused = await b.call("PATCH", path, { body: on });
    expect([refused.status, refused.json.error.code, refused.json.error.param]).toEqual([
      403,
      "plan_restricted",
      "from_email",
    ]);
    const created = await b.call("POST", "/v1/forms", { body: { name: "B", settings: on } });
    expect(created.json.error).toMatchObject({ code: "plan_restricted", param: "settings.from_email" });
    await expect(b.forms.update(id, { settings: on })).rejects.toMatchObject({
      code: "plan_restricted",
      param: "settings.from_email",
    });
    await expect(b.forms.update(id, { auto_response: on })).rejects.toMatchObject({
      code: "plan_restricted",
      param: "auto_response.from_email",
    });
    expect((await b.call("PATCH", path, { body: { from_email: "", require_token: true } })).status).toBe(200);
  });
});

describe("a form of before there were settings", () => {
  it("reads, lists, changes and delivers with the default of each leaf that it lacks", async () => {
    const inner = memoryStorage();
    const storage: StorageDriver = { ...inner };
    const b = harness({ storage });
    const { id } = await b.forms.create({
      name: "A",
      self_email_notification: { recipients: ["a@example.com"] },
      settings: { key: "old", labels: { a: "Label" } },
    });
    const row = (await inner.get("forms", [id])).get(id);
    if (!row) throw new Error("the form has no row");
    const { settings: stored, ...rest } = row.value as { settings: object };
    for (const left of [undefined, ...Object.keys(stored)]) {
      const settings = Object.fromEntries(Object.entries(stored).filter(([name]) => name !== left));
      const value = left === undefined ? rest : { ...rest, settings };
      await inner.commit([{ op: "put", collection: "forms", id, value }]);
      const seen = (await b.call("GET", `/v1/forms/${id}/settings`)).json;
      expect(Object.keys(seen)).toEqual(Object.keys(defaultSettings()));
      expect((await b.call("GET", "/v1/forms")).json.data).toHaveLength(1);
      expect((await b.forms.get(id)).settings).toEqual(seen);
      expect((await b.post(id, { a: "1" })).status).toBe(200);
      const changed = await b.call("PATCH", `/v1/forms/${id}/settings`, { body: { require_token: false } });
      expect(changed.json).toEqual(seen);
      await b.tick();
    }
    expect(b.mails).toHaveLength(1 + Object.keys(stored).length);
  });
});

describe("a leaf that is to come", () => {
  const schema = z.object({
    interval: z.enum(["none", "daily"]),
    allow: z.object({ senders: z.array(z.string()).max(2) }),
    fields: z.record(z.string(), z.object({ store: z.enum(["plain", "drop"]) })),
  });
  const patch = patchOf(schema);

  it("takes any members of an object, a list as a whole, and null for an entry of a record", () => {
    for (const sent of [
      {},
      { interval: "daily" },
      { allow: {} },
      { allow: { senders: [] } },
      { fields: { a: null } },
      { fields: { a: { store: "drop" } } },
    ]) {
      expect(parseInput(patch, sent)).toEqual(sent);
    }
  });

  it("refuses what is unknown or wrong, at its path", () => {
    for (const [sent, param] of [
      [{ nonsense: 1 }, "nonsense"],
      [{ allow: { nonsense: 1 } }, "allow.nonsense"],
      [{ allow: { senders: ["a", "b", "c"] } }, "allow.senders"],
      [{ allow: null }, "allow"],
      [{ fields: { a: { store: "x" } } }, "fields.a.store"],
      [{ interval: "weekly" }, "interval"],
    ] as const) {
      expect(() => parseInput(patch, sent), param).toThrow(expect.objectContaining({ param }));
    }
  });
});
