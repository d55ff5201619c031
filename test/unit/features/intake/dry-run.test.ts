import { expect, it } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { sameAddressKey } from "../../../../src/lib/email.ts";
import { type CollectionName, collections } from "../../../../src/model/collections.ts";
import { harness } from "../../../_support/backend.ts";

const fields = { email: "ann@example.com", message: "Hello, when do you open?" };

function world(options: object = {}) {
  const storage = memoryStorage();
  let commits = 0;
  const watched: StorageDriver = {
    ...storage,
    commit(writes) {
      // The time of a key's last use is written whatever the key is used for.
      commits += writes.filter((write) => !("collection" in write && write.collection === "keys")).length;
      return storage.commit(writes);
    },
  };
  const b = harness({ storage: watched, ...options });
  return {
    b,
    storage,
    writes: () => commits,
    /** A dry run as a script sends it. */
    try: (id: string, body: object, headers: Record<string, string> = { authorization: `Bearer ${b.key}` }) =>
      b.call("POST", `/f/${id}?dry_run=1`, { body, key: null, headers: { "sec-fetch-mode": "cors", ...headers } }),
  };
}

it("answers what a post would do, and stores, sends and counts nothing", async () => {
  const { b, writes, try: dry } = world();
  const form = await b.forms.create({
    name: "Orders",
    self_email_notification: { recipients: ["owner@example.com"], subject: "Order of {{email}}" },
    auto_response: { enabled: true, subject: "Thanks, {{email}}" },
    after_submit: { redirect: { success_url: "https://example.com/thanks" } },
  });
  const webhook = await b.webhooks.create(form.id, { url: "https://hooks.example.com/a" });
  await b.post(form.id, fields);
  await b.tick();
  const [before, sent, calls, list] = [
    writes(),
    b.mails.length,
    b.webhookCalls.length,
    await b.submissions.list(form.id),
  ];

  const { status, json } = await dry(form.id, fields);
  expect(status).toBe(200);
  expect(json).toEqual({
    dry_run: true,
    accepted: true,
    status: 200,
    spam: false,
    verdicts: [],
    errors: {},
    fields: [
      { key: "email", value: "ann@example.com" },
      { key: "message", value: "Hello, when do you open?" },
    ],
    answer: { status: 200, body: expect.any(String) },
    emails: [
      { kind: "owner_email", to: "owner@example.com", cc: [], subject: "Order of ann@example.com" },
      { kind: "auto_response", to: "ann@example.com", cc: [], subject: "Thanks, ann@example.com" },
    ],
    webhooks: [{ webhook_id: webhook.id, format: "standard", body: expect.any(String) }],
  });
  expect(JSON.parse(json.answer.body)).toMatchObject({ status: "success", redirect: "https://example.com/thanks" });
  const real = JSON.parse(b.webhookCalls[0]?.body ?? "");
  expect(Object.keys(JSON.parse(json.webhooks[0].body))).toEqual(Object.keys(real));
  await b.tick();
  expect(writes()).toBe(before);
  expect([b.mails.length, b.webhookCalls.length]).toEqual([sent, calls]);
  expect(await b.submissions.list(form.id)).toEqual(list);
});

it("answers a form without scripts by what its browser would get", async () => {
  const { b } = world();
  const { id } = await b.forms.create({
    name: "A",
    validation: { enabled: true, rules: [{ field: "email", checks: [{ type: "required" }] }] },
  });
  const send = (body: string) =>
    b.call("POST", `/f/${id}?dry_run=1`, {
      body,
      headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
    });
  const taken = await send("email=ann@example.com");
  expect(taken.json).toMatchObject({ accepted: true, status: 200, answer: { status: 303 } });
  expect(taken.json.answer.location).toContain(`/f/${id}/thanks/`);
  const refused = await send("message=hello");
  expect(refused.status).toBe(200);
  expect(refused.json).toMatchObject({
    accepted: false,
    errors: { email: { rule: "required" } },
    emails: [],
    webhooks: [],
  });
  expect(refused.json.status).toBe((await b.post(id, { message: "hello" })).status);
  expect(refused.json.answer.body).toContain("<!doctype html>");
});

it("shows the verdicts of spam, and no mail of it", async () => {
  const { b, try: dry } = world();
  const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients: ["owner@example.com"] } });
  expect((await dry(id, { message: "buy viagra", _gotcha: "x" })).json).toMatchObject({
    accepted: true,
    spam: true,
    verdicts: [{ check: "honeypot" }, { check: "phrases", reason: "viagra" }],
    emails: [],
    webhooks: [],
  });
  const long = { message: "The same long text again and again, as a program writes it to every form." };
  for (let n = 0; n < 20; n++) expect((await dry(id, long)).json.spam).toBe(false);
  expect((await b.post(id, long)).json.status).toBe("success");
});

it("asks for the confirmation that a post would ask for", async () => {
  const { b, try: dry, writes } = world();
  const { id } = await b.forms.create({
    name: "News",
    self_email_notification: { recipients: ["owner@example.com"] },
    settings: { double_opt_in: { enabled: true, subject: "Is it you, reader of {{form.name}}?" } },
  });
  const before = writes();
  expect((await dry(id, fields)).json).toMatchObject({
    accepted: true,
    emails: [{ kind: "confirmation", to: "ann@example.com", cc: [], subject: "Is it you, reader of News?" }],
    webhooks: [],
  });
  expect(writes()).toBe(before);
});

it("honours field policies without a data key", async () => {
  const {
    b,
    try: dry,
    writes,
  } = world({ encryption: { keys: [{ id: "k", key: Buffer.alloc(32, 1).toString("base64") }] } });
  const { id } = await b.forms.create({
    name: "A",
    settings: { fields: { note: { store: "drop" }, card: { store: "encrypt" }, code: { store: "hash" } } },
  });
  await b.webhooks.create(id, { url: "https://hooks.example.com/a" });
  const before = writes();
  const { json } = await dry(id, { note: "n0te", card: "4111", code: "s3cret", a: "b" });
  expect(json.fields.map(({ key }: { key: string }) => key)).toEqual(["card", "code", "a"]);
  expect(JSON.stringify(json)).not.toMatch(/n0te|s3cret/);
  expect(json.webhooks[0].body).not.toContain("4111");
  expect(writes()).toBe(before);
});

it("names no auto-response to an address that is stored encrypted or hashed, as none is sent", async () => {
  const { b, try: dry } = world({ encryption: { keys: [{ id: "k", key: Buffer.alloc(32, 1).toString("base64") }] } });
  for (const store of ["plain", "encrypt", "hash", "drop"] as const) {
    const { id } = await b.forms.create({
      name: "A",
      auto_response: { enabled: true },
      settings: { fields: { email: { store, email: "show" } } },
    });
    await b.post(id, fields);
    await b.tick();
    const sent = (await b.jobs.list({ form_id: id, kind: "auto_response" })).map(({ kind }) => kind);
    const { json } = await dry(id, fields);
    expect(sent).toEqual(store === "plain" ? ["auto_response"] : []);
    expect(json.emails.map(({ kind }: { kind: string }) => kind)).toEqual(sent);
  }
});

it("shows the subject as the mail will have it, to a recipient who does not get every field", async () => {
  const { b, storage, try: dry } = world();
  const { id } = await b.forms.create({
    name: "A",
    self_email_notification: { recipients: ["owner@example.com"], subject: "From {{email}}" },
  });
  const row = (await storage.get("forms", [id])).get(id) ?? expect.fail("no form");
  const restrictions = { [sameAddressKey("owner@example.com")]: { without: ["email"] } };
  await storage.commit([{ op: "put", collection: "forms", id, value: { ...row.value, restrictions } }]);
  await b.clock.advance(3_000);
  const { json } = await dry(id, fields);
  await b.post(id, fields);
  await b.tick();
  expect(json.emails).toMatchObject([{ subject: b.mails[0]?.subject }]);
  expect(json.emails[0].subject).not.toContain("ann@example.com");
});

it("says why a template makes no mail of a post", async () => {
  const { b, try: dry } = world();
  const html = `{{#fields}}${"x".repeat(190_000)}{{/fields}}`;
  const { id } = await b.forms.create({
    name: "A",
    self_email_notification: { recipients: ["owner@example.com"], template: { html } },
  });
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${n}`, "v"]));
  expect((await dry(id, many)).json).toMatchObject({
    accepted: true,
    emails: [
      { to: "owner@example.com", subject: "", error: expect.stringContaining("the email of this submission too long") },
    ],
  });
});

it("without a credential that may read the form, refuses as JSON and says nothing of the form", async () => {
  const { b, try: dry, writes } = world();
  const { id } = await b.forms.create({ name: "A" });
  const { id: team_id } = await b.teams.create({ name: "B", owner: { email: "b@example.com" } });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const keys = {
    foreign: await b.keyWith("all", { team_id }),
    narrow: await b.keyWith(["forms:read", "submissions:read"], { form_ids: ["another"] }),
    half: await b.keyWith(["forms:read"]),
  };
  const before = writes();
  for (const [headers, status, code] of [
    [{}, 401, "missing_bearer"],
    [bearer("fb_wrong"), 401, "invalid_key"],
    [bearer(keys.half), 403, "insufficient_scope"],
    [bearer(keys.foreign), 404, "form_not_found"],
    [bearer(keys.narrow), 403, "form_access_restricted"],
  ] as const) {
    const refused = await dry(id, fields, { ...headers });
    expect([refused.status, refused.json.error.code], code).toEqual([status, code]);
    const page = await b.call("POST", `/f/${id}?dry_run=1`, {
      body: "a=b",
      key: null,
      headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded", ...headers },
    });
    expect([page.status, page.json.error.code], code).toEqual([status, code]);
  }
  expect((await dry("nowhere-at-a", fields)).status).toBe(404);
  expect(writes()).toBe(before);
  expect((await b.submissions.list(id)).data).toEqual([]);
});

it("keeps no file, and leaves the rates and the month alone", async () => {
  const blob = memoryBlob();
  const storage = memoryStorage();
  const b = harness({ storage, blob, rateLimit: { perFormAndIp: { points: 2, seconds: 60 } } });
  const { id } = await b.forms.create({ name: "A" });
  const before = await rowsOf(storage);
  for (let n = 0; n < 5; n++) {
    const body = new FormData();
    body.set("file", new File(["hello"], "a.txt", { type: "text/plain" }));
    const response = await b.handle(
      new Request(`${b.baseUrl}/f/${id}?dry_run=1`, {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${b.key}` },
      }),
      { ip: "203.0.113.9" },
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ accepted: true });
  }
  expect(await rowsOf(storage)).toEqual(before);
  expect((await b.post(id, { a: "b" })).status).toBe(200);
});

/** The number of rows of each collection. */
async function rowsOf(storage: StorageDriver): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of Object.keys(collections) as CollectionName[]) {
    const found = await storage.count(name, {} as never).catch(() => null);
    if (found) counts[name] = found.count;
  }
  return counts;
}

it("says that a notification waits for its recipient's digest, and when that is sent", async () => {
  const { b, try: dry } = world();
  const form = await b.forms.create({
    name: "Orders",
    self_email_notification: { recipients: ["owner@example.com", "boss@example.com"] },
    auto_response: { enabled: true, subject: "Thanks, {{email}}" },
  });
  await b.forms.update(form.id, { settings: { digest: { interval: "hourly" } } });
  const { json } = await dry(form.id, fields);
  const hour = 3_600_000;
  const due_at = new Date((Math.floor(b.clock.now() / hour) + 1) * hour).toISOString();
  const subject = "Orders: 1 new submission";
  expect(json.emails).toEqual([
    { kind: "digest", to: "owner@example.com", cc: [], subject, due_at },
    { kind: "digest", to: "boss@example.com", cc: [], subject, due_at },
    { kind: "auto_response", to: "ann@example.com", cc: [], subject: "Thanks, ann@example.com" },
  ]);
  await b.post(form.id, fields);
  await b.clock.advance(hour + 60_000);
  expect(b.mails.filter(({ to }) => to.address !== "ann@example.com").map((mail) => mail.subject)).toEqual([
    subject,
    subject,
  ]);
});
