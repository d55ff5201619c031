import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fsBlob } from "../../../../src/drivers/blob/fs.ts";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import type { MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import type { HostFormCreate } from "../../../../src/index.ts";
import { type CollectionName, collections } from "../../../../src/model/collections.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { harness } from "../../../_support/backend.ts";
import { formData, json } from "../../../_support/blobs.ts";
import { encodings, encryption } from "../../../_support/privacy.ts";
import { httpReceiver, type Receiver } from "../../../_support/receivers.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const DAY = 86_400_000;

/** Values that nothing else contains, each with the place where somebody wrote it. */
function nest() {
  const places = new Map<string, string>();
  return {
    /** A fresh value for a place, the same one whenever the place is named again. */
    at(place: string): string {
      const known = [...places].find(([, one]) => one === place)?.[0];
      const value = known ?? `q${randomBytes(12).toString("hex")}`;
      places.set(value, place);
      return value;
    },
    /** The places whose values bytes contain, in any of the ways to write them. */
    in(bytes: Buffer | string): string[] {
      const searched = bytes.toString("latin1").toLowerCase();
      return [...places]
        .filter(([value]) => encodings(value).some((way) => searched.includes(way.toLowerCase())))
        .map(([, place]) => place)
        .sort();
    },
  };
}
type Nest = ReturnType<typeof nest>;

/** Repeats all that it was asked after words of its own. The path says what it answers: `/204`, `/422`. */
let receiver: Receiver;
let smtp: TestSmtpServer;
/** Words of receivers and mail servers. */
const theirs = nest();
beforeAll(async () => {
  receiver = await httpReceiver(async (request, response) => {
    const asked = await text(request);
    const status = Number(/^\/(\d{3})/.exec(request.url ?? "")?.[1] ?? 200);
    const words = `${theirs.at(`answer ${status}`)} ${JSON.stringify(request.headers)} ${asked}`;
    const isCaptcha = request.url?.includes("captcha");
    response.setHeader("x-said", theirs.at("answer's header"));
    response.writeHead(status, theirs.at("status line"));
    response.end(isCaptcha ? JSON.stringify({ success: false, "error-codes": [words] }) : status === 204 ? "" : words);
  });
  smtp = await startSmtpServer();
});
afterAll(async () => {
  await receiver.close();
  await smtp.close();
});

/** The text of an error that a driver or hook of the host throws may hold all that it was given. */
const repeating = (given: unknown): never => {
  throw Object.assign(new Error(`failed on ${JSON.stringify(given)}`), { detail: JSON.stringify(given) });
};

type Kind = "memory" | "sqlite";
type Kinds = "stored" | "transient" | "pending";
type Verb = "get" | "page" | "commit" | "put" | "blob.get" | "remove";

/** A backend whose store and blobs can be searched and made to fail, and whose log is kept at every level. */
async function world(kind: Kind, options: TestBackendOptions = {}) {
  const folder = temporaryDirectory();
  const log: string[] = [];
  const say =
    (level: string) =>
    (...words: unknown[]): void =>
      void log.push(
        `${level} ${words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" ")}`,
      );
  const failing = new Set<Verb>();
  const store = kind === "sqlite" ? sqliteStorage({ path: join(folder, "forms.db") }) : memoryStorage();
  const written = new Map<string, Set<string>>();
  const storage: StorageDriver = {
    ...store,
    async commit(writes) {
      for (const write of writes) {
        const { id } = write;
        const collection = write.op === "add" ? "counters" : write.collection;
        written.set(collection, (written.get(collection) ?? new Set()).add(id));
      }
      return failing.has("commit") ? repeating(writes) : store.commit(writes);
    },
    async get(collection, ids) {
      const rows = await store.get(collection, ids);
      return failing.has("get") && collection !== "forms" ? repeating([...rows]) : rows;
    },
    async page(collection, query) {
      const rows = await store.page(collection, query);
      return failing.has("page") && collection !== "forms" ? repeating([query, rows]) : rows;
    },
  };
  const files = fsBlob({ dir: join(folder, "files") });
  const b = harness({
    encryption,
    storage,
    blob: {
      ...files,
      put: async (id, body, meta) => (failing.has("put") ? repeating(await text(body)) : files.put(id, body, meta)),
      get: async (id) => {
        const body = await files.get(id);
        return failing.has("blob.get") && body ? repeating(await text(body)) : body;
      },
      remove: async (id) => {
        const body = failing.has("remove") ? await files.get(id) : null;
        return body ? repeating(await text(body)) : files.remove(id);
      },
    },
    mailer: smtpMailer(smtp.url),
    logger: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
    webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
    rateLimit: false,
    ...options,
  });
  return {
    b,
    log,
    failing,
    /** Every row that was ever written and is still there, of every collection. */
    async rows(): Promise<string> {
      const found: unknown[] = [];
      for (const name of Object.keys(collections) as CollectionName[]) {
        found.push([name, ...(await store.get(name, [...(written.get(name) ?? [])]))]);
      }
      return JSON.stringify(found);
    },
    /** The bytes of every file: those of the database with its journal, and the blobs. */
    bytes(): Buffer {
      const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
      return Buffer.concat(paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path)));
    },
  };
}
type World = Awaited<ReturnType<typeof world>>;

/** A form that tells everybody: its owner, the sender and a receiver that answers `status`. */
async function formOf({ b }: World, tenant: Nest, status: number, more: Partial<HostFormCreate> = {}): Promise<string> {
  const { id } = await b.forms.create({
    name: tenant.at("form name"),
    self_email_notification: { recipients: ["owner@example.com"] },
    auto_response: { enabled: true },
    ...more,
  });
  await b.webhooks.create(id, { url: `http://127.0.0.1:${receiver.port}/${status}/${tenant.at("webhook URL")}` });
  return id;
}

const emailOf = (visitor: Nest): string => `${visitor.at("address")}@visitor.example`;

/** A visitor's headers, with something in each. */
const headersOf = (visitor: Nest): Record<string, string> => ({
  ...json,
  "user-agent": visitor.at("User-Agent"),
  referer: `https://site.example/${visitor.at("Referer")}`,
  origin: `https://site.example/${visitor.at("Origin")}`,
  "accept-language": `de, ${visitor.at("Accept-Language")}`,
  "x-request-id": visitor.at("X-Request-Id"),
  "x-forwarded-for": visitor.at("X-Forwarded-For"),
  "idempotency-key": visitor.at("Idempotency-Key"),
  cookie: `a=${visitor.at("Cookie")}`,
});

const partsOf = (visitor: Nest, fileType = "text/plain"): Parameters<typeof formData>[0] => [
  ["email", emailOf(visitor)],
  ["note", `A note: ${visitor.at("value")}`],
  [visitor.at("field name"), "x"],
  ["_subject", visitor.at("_subject")],
  ["cf-turnstile-response", visitor.at("captcha token")],
  ["cv", [`${visitor.at("file name")}.txt`, `bytes ${visitor.at("file bytes")}`, fileType]],
];

const send = ({ b }: World, id: string, visitor: Nest, type?: string) =>
  b.post(id, formData(partsOf(visitor, type)), headersOf(visitor));

/** The values of a visitor's draft, under the name that the page made up for it. */
const saveDraft = ({ b }: World, id: string, visitor: Nest, body?: unknown) =>
  b.call("PUT", `/f/${id}/drafts/${visitor.at("draft name")}abcdefgh`, {
    key: null,
    body: body ?? { email: emailOf(visitor), note: visitor.at("draft value") },
    headers: { ...headersOf(visitor), "sec-fetch-mode": "cors" },
  });

describe("no line of the log, at any level, contains words of a visitor, receiver or mail server", () => {
  const visitor = nest();

  async function logged(options: TestBackendOptions, run: (w: World) => Promise<void>): Promise<void> {
    const w = await world("memory", options);
    await run(w);
    w.failing.clear();
    await w.b.clock.advance(4 * DAY);
    await w.b.sweep();
    await w.b.close();
    const lines = w.log.map((line) => ({ line, places: [...visitor.in(line), ...theirs.in(line)] }));
    expect(w.log.length).toBeGreaterThan(0);
    expect(lines.filter(({ places }) => places.length > 0)).toEqual([]);
  }

  it.each([204, 302, 422, 500])("of posts that are accepted, with a receiver that answers %i", (status) =>
    logged({}, async (w) => {
      const id = await formOf(w, nest(), status);
      expect((await send(w, id, visitor)).status).toBe(200);
      for (const more of [
        { storage: { store_submissions: false } },
        { settings: { double_opt_in: { enabled: true }, drafts: { enabled: true } } },
        { settings: { fields: { note: { store: "encrypt" as const } } } },
      ]) {
        const other = await formOf(w, nest(), status, more);
        expect((await send(w, other, visitor)).status).toBe(200);
        await saveDraft(w, other, visitor);
      }
      const spam = formData([...partsOf(visitor), ["_gotcha", visitor.at("honeypot")]]);
      await w.b.post(id, spam, headersOf(visitor));
      await w.b.tick();
    }),
  );

  it("of posts that are refused", () =>
    logged({ captcha: { verifyUrl: { turnstile: `http://127.0.0.1:${receiver.port}/200/captcha` } } }, async (w) => {
      const refusals: Partial<HostFormCreate>[] = [
        { settings: { allowed_origins: ["https://other.example"] } },
        { validation: { rules: [{ field: "note", checks: [{ type: "email" }] }] } },
        { spam: { captcha: { secret_key: "0x4AAAAAAAabcdefghijklmnopqrstuvwxyz0123" } } },
        { active: false },
      ];
      for (const more of refusals) {
        const id = await formOf(w, nest(), 204, more);
        expect((await send(w, id, visitor)).status, JSON.stringify(more)).toBeGreaterThanOrEqual(400);
      }
      const id = await formOf(w, nest(), 204);
      const raw: [type: string, body: string][] = [
        ["application/json", `{"note": "${visitor.at("broken JSON")}`],
        [
          "application/json",
          JSON.stringify({ [visitor.at("nested name")]: { a: { b: [visitor.at("nested value")] } } }),
        ],
        ["multipart/form-data; boundary=x", `--x\r\ncontent-disposition: ${visitor.at("broken multipart")}`],
        [`text/${visitor.at("Content-Type")}`, visitor.at("body of no type")],
        [
          "application/x-www-form-urlencoded",
          `__proto__=${visitor.at("forbidden name")}&%zz=${visitor.at("broken escape")}`,
        ],
        ["application/x-www-form-urlencoded", `note=${"x".repeat(3_000_000)}${visitor.at("large body")}`],
      ];
      for (const [type, body] of raw) {
        const headers = { ...headersOf(visitor), "content-type": type, "sec-fetch-mode": "cors" };
        await w.b.call("POST", `/f/${id}?${visitor.at("query")}=1`, { key: null, body, headers });
        await w.b.call("PUT", `/f/${id}/drafts/${visitor.at("draft name")}abcdefgh`, { key: null, body, headers });
      }
      for (const path of [`/f/${visitor.at("form id")}`, `/${visitor.at("path")}`, `/files/${visitor.at("file id")}`]) {
        await w.b.call("POST", path, { key: visitor.at("API key"), body: {}, headers: headersOf(visitor) });
        await w.b.call("GET", path, { key: visitor.at("API key"), headers: headersOf(visitor) });
      }
    }));

  it.each(["get", "page", "commit", "put", "blob.get", "remove"] as const)("of a driver whose %s repeats it", (verb) =>
    logged({}, async (w) => {
      const id = await formOf(w, nest(), 204, {
        storage: { keep_for: "1_days" },
        settings: { drafts: { enabled: true } },
      });
      const { json: sent } = await send(w, id, visitor);
      const { data } = await w.b.submissions.list(id, { status: "all" });
      const file = new URL(data[0]?.attachments[0]?.url ?? "").pathname.replace(/^.*\/files/, "/files");
      await saveDraft(w, id, visitor);
      // Deliveries wait for the store in real time, so they run before it fails.
      await w.b.clock.advance(2 * DAY);
      w.failing.add(verb);
      await w.b.post(id, formData(partsOf(visitor)), { ...headersOf(visitor), "idempotency-key": "another" });
      await saveDraft(w, id, visitor);
      await w.b.call("GET", file, { key: null });
      await w.b.call("GET", `/v1/forms/${id}/submissions`);
      await w.b.call("GET", "/v1/health", { key: null });
      await w.b.call("POST", "/v1/data-subjects/export", { body: { email: emailOf(visitor) } });
      await w.b.call("POST", "/v1/data-subjects/erase", { body: { email: emailOf(visitor) } });
      await w.b.call("DELETE", `/v1/forms/${id}/submissions/${sent.submission_id}`);
      await w.b.sweep().catch(() => {});
    }),
  );

  const hooks: Record<string, () => TestBackendOptions> = {
    "spam.checks": () => ({ spam: { checks: [(submission) => repeating(submission)] } }),
    "files.scan": () => ({
      files: { scan: async (file) => repeating([file, await text(await file.open())]) },
    }),
    "files.scan's answer": () => ({
      files: { scan: async ({ open }) => (await text(await open())) as "ok" },
    }),
    country: () => ({ country: (_, headers) => repeating([...headers]) }),
    authenticate: () => ({ authenticate: (request) => repeating([request.url, ...request.headers]) }),
    "encryption.wrap": () => ({
      encryption: { wrap: () => repeating(visitor.at("value")), unwrap: async (key) => key },
    }),
    "rateLimit.store": () => ({
      rateLimit: { store: () => ({ consume: (key) => repeating([key, visitor.at("value")]) }) },
    }),
    mailer: () => ({ mailer: throwing(repeating) }),
  };
  it.each(Object.keys(hooks))("of the hook %s that repeats what it is given", (name) =>
    logged(hooks[name]?.() ?? {}, async (w) => {
      w.b.on("*", (_, event) => repeating(event));
      w.b.on("submission.created", async (event) => repeating(event));
      const encrypted = { settings: { fields: { note: { store: "encrypt" as const } } } };
      for (const more of [{}, encrypted]) await send(w, await formOf(w, nest(), 204, more), visitor);
      await w.b.call("GET", `/v1/forms?x=${visitor.at("query")}`, { key: null, headers: headersOf(visitor) });
    }),
  );

  it.each([
    ["rcpt", 550, "5.1.1"],
    ["data", 554, "5.7.1"],
    ["data", 451, "4.3.0"],
  ] as const)("of a mail server that refuses at %s with %i, nor of a test email", (stage, reply, enhanced) =>
    logged({ verify: false }, async (w) => {
      smtp.script = (step) =>
        step.stage === stage
          ? { reply, text: `${enhanced} ${theirs.at("mail server")} ${step.address ?? ""}` }
          : undefined;
      const id = await formOf(w, nest(), 204);
      await send(w, id, visitor);
      await w.b.clock.advance(4 * DAY);
      const tested = await w.b.call("POST", `/v1/forms/${id}/test-email`, {
        body: { kind: "self_email_notification", to: "owner@example.com" },
      });
      smtp.script = () => undefined;
      expect(tested.status).toBeGreaterThanOrEqual(400);
      expect(w.log.join("\n")).toContain(`${reply} ${enhanced}`);
    }),
  );
});

/** A mailer whose send fails as told. */
const throwing = (fail: (mail: unknown) => never): MailerDriver => ({
  name: "custom",
  send: async (mail) => fail(mail),
  verify: async () => {},
  close: async () => {},
});

describe.each(["memory", "sqlite"] as const)("nothing of a visitor, receiver or form is left in %s", (kind) => {
  const encrypt = { store: "encrypt" as const };
  /** The forms of each kind, each with a post whose deliveries failed, and a draft. */
  async function held(more: object = {}, kinds: readonly Kinds[] = ["stored", "transient", "pending"]) {
    const w = await world(kind);
    const [visitor, tenant] = [nest(), nest()];
    const forms: Record<Kinds, string> = { stored: "", transient: "", pending: "" };
    const sent: typeof forms = { ...forms };
    const settings = { drafts: { enabled: true }, ...more };
    const storage = { keep_for: "7_days" as const };
    forms.stored = await formOf(w, tenant, 422, { storage, settings });
    if (kinds.includes("transient"))
      forms.transient = await formOf(w, tenant, 500, { storage: { ...storage, store_submissions: false }, settings });
    if (kinds.includes("pending"))
      forms.pending = await formOf(w, tenant, 422, {
        storage,
        settings: { ...settings, double_opt_in: { enabled: true } },
      });
    for (const name of kinds) {
      const answer = await send(w, forms[name], visitor);
      expect(answer.status).toBe(200);
      sent[name] = answer.json.submission_id;
    }
    await w.b.tick();
    return { w, visitor, tenant, forms, sent };
  }
  type Held = Awaited<ReturnType<typeof held>>;
  const all = (held: Held) => Object.values(held.forms);

  const values = ["address", "value", "field name", "_subject", "file name", "User-Agent", "Referer"];

  interface Way {
    /** Settings of the forms. */
    more?: object;
    /** The kinds of forms; all where it is left out. */
    kinds?: Kinds[];
    /** Places whose values stay: the log of deliveries keeps the addressee of a reply. */
    stays?: string[];
    /** True if a draft goes as well. */
    wide?: boolean;
    /** Places whose values go; all where it is left out. */
    only?: string[];
    run(held: Held): Promise<unknown>;
  }
  const ways: Record<string, Way> = {
    DELETE: {
      kinds: ["stored"],
      stays: ["address"],
      async run({ w, forms, sent }) {
        const { status } = await w.b.call("DELETE", `/v1/forms/${forms.stored}/submissions/${sent.stored}`);
        expect(status).toBe(200);
      },
    },
    "a bulk delete": {
      kinds: ["stored"],
      stays: ["address"],
      async run({ w, forms, sent }) {
        const body = { action: "delete", ids: [sent.stored] };
        const { json } = await w.b.call("POST", `/v1/forms/${forms.stored}/submissions/bulk`, { body });
        expect(json.changed).toBe(1);
      },
    },
    "a retention sweep": {
      wide: true,
      stays: ["address"],
      async run({ w }) {
        await w.b.clock.advance(31 * DAY);
        await w.b.sweep();
      },
    },
    "the erasure of the person": {
      wide: true,
      async run({ w, visitor }) {
        const { status } = await w.b.call("POST", "/v1/data-subjects/erase", { body: { email: emailOf(visitor) } });
        expect(status).toBe(200);
      },
    },
    "forms.shred": {
      more: { fields: { note: encrypt, cv: encrypt } },
      wide: true,
      only: ["value", "file name", "file bytes", "draft value"],
      run: async ({ w, ...rest }) => {
        for (const id of all({ w, ...rest })) await w.b.forms.shred(id);
      },
    },
    "the deletion of the forms and retention": {
      wide: true,
      stays: ["address"],
      async run({ w, ...rest }) {
        for (const id of all({ w, ...rest })) await w.b.forms.delete(id);
        await w.b.clock.advance(31 * DAY);
        await w.b.sweep();
      },
    },
  };

  it.each(Object.entries(ways))("after %s", async (name, { more, kinds, wide, only, stays = [], run }) => {
    const one = await held(more, kinds);
    const { w, visitor, tenant, forms } = one;
    if (wide) await saveDraft(w, forms.stored, visitor);
    // The search finds the value in the place that has it.
    const before = await w.rows();
    if (!only) {
      expect(visitor.in(before)).toEqual(expect.arrayContaining(values));
      expect(visitor.in(w.bytes())).toContain("file bytes");
      expect(theirs.in(before)).toContain("answer 422");
      if (kind === "sqlite") expect(visitor.in(w.bytes())).toEqual(expect.arrayContaining(values));
    }
    await run(one);
    const left = (bytes: Buffer | string) =>
      visitor.in(bytes).filter((place) => !stays.includes(place) && (!only || only.includes(place)));
    const rows = await w.rows();
    expect(left(rows)).toEqual([]);
    expect(theirs.in(rows)).toEqual([]);
    if (name.includes("forms and")) expect(tenant.in(rows)).toEqual([]);
    // A sweep empties the journal after a deletion, too.
    await w.b.sweep();
    expect(left(w.bytes())).toEqual([]);
    expect(theirs.in(w.bytes())).toEqual([]);
    if (name.includes("forms and")) expect(tenant.in(w.bytes())).toEqual([]);
    await w.b.close();
    expect(left(w.bytes())).toEqual([]);
  });
});
