import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { HostFormCreate } from "../../../../src/index.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { formData } from "../../../_support/blobs.ts";
import {
  canaries,
  DAY,
  emailOf,
  headersOf,
  nest,
  type Open,
  partsOf,
  repeating,
  saveDraft,
  send,
  type World,
} from "../../../_support/canaries.ts";
import { leavesNothing } from "../../../_support/canaries-left.ts";

const all = canaries();
const { world, formOf, theirs, receiver, smtp } = all;
const memory: Open = async () => ({ store: memoryStorage() });
const sqlite: Open = async (folder) => ({ store: sqliteStorage({ path: join(folder, "forms.db") }) });

describe("no line of the log, at any level, contains words of a visitor, receiver or mail server", () => {
  const visitor = nest();

  async function logged(options: TestBackendOptions, run: (w: World) => Promise<void>): Promise<void> {
    const w = await world(memory, options);
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
    logged({ captcha: { verifyUrl: { turnstile: `http://127.0.0.1:${receiver().port}/200/captcha` } } }, async (w) => {
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
      smtp().script = (step) =>
        step.stage === stage
          ? { reply, text: `${enhanced} ${theirs.at("mail server")} ${step.address ?? ""}` }
          : undefined;
      const id = await formOf(w, nest(), 204);
      await send(w, id, visitor);
      await w.b.clock.advance(4 * DAY);
      const tested = await w.b.call("POST", `/v1/forms/${id}/test-email`, {
        body: { kind: "self_email_notification", to: "owner@example.com" },
      });
      smtp().script = () => undefined;
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

describe("nothing of a visitor, receiver or form is left in memory", () => leavesNothing(all, memory, false));
describe("nothing of a visitor, receiver or form is left in SQLite", () => leavesNothing(all, sqlite, true));
