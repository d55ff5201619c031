import { describe, expect, it } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import type { Stored } from "../../../../src/drivers/storage/types.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { fault, type Submitted, submitted } from "./_submissions.ts";

const one = (b: Submitted, id: string): string => `/v1/forms/${b.id}/submissions/${id}`;
const patch = (b: Submitted, id: string, body: unknown, query = "") => b.call("PATCH", one(b, id) + query, { body });
const bulk = (b: Submitted, body: unknown) => b.call("POST", `/v1/forms/${b.id}/submissions/bulk`, { body });

/** A form that mails its owner, answers the visitor and calls a webhook. */
async function busy(options: Parameters<typeof submitted>[0] = {}): Promise<Submitted & { webhook: string }> {
  const b = await submitted(options);
  await b.forms.update(b.id, {
    self_email_notification: { recipients: ["owner@example.com"] },
    auto_response: { enabled: true },
  });
  const { id: webhook } = await b.webhooks.create(b.id, { url: "https://hooks.example.com/a" });
  return Object.assign(b, { webhook });
}

describe("PATCH /v1/forms/{form_id}/submissions/{submission_id}", () => {
  it("sets read and spam, each alone, and leaves the rest", async () => {
    const b = await submitted();
    const id = await b.submitted({ n: "1" });
    const { verdict, values, files, work, read_by, ...before } = await b.submissions.get(b.id, id);
    expect((await patch(b, id, { read: true })).json).toEqual({ ...before, read: true });
    expect((await patch(b, id, { spam: true })).json).toEqual({ ...before, read: true, spam: true });
    expect((await patch(b, id, { read: false, spam: false })).json).toEqual(before);
    expect((await patch(b, id, {})).json).toEqual(before);
    expect(await b.submissions.update(b.id, id, { read: true })).toEqual({
      ...before,
      verdict,
      values,
      files,
      work,
      read_by,
      read: true,
    });
  });

  it("keeps both of two changes that run at once", async () => {
    const b = await submitted();
    const id = await b.submitted({ n: "1" });
    await Promise.all([patch(b, id, { read: true }), patch(b, id, { spam: true })]);
    expect(await b.submissions.get(b.id, id)).toMatchObject({ read: true, spam: true });
  });

  it("moves a submission between inbox and spam", async () => {
    const b = await submitted();
    const id = await b.submitted({ n: "1" });
    await patch(b, id, { spam: true });
    expect((await b.list()).json.data).toEqual([]);
    expect((await b.list("?status=spam")).json.data).toMatchObject([{ id }]);
  });

  const bad: [body: unknown, param: string | undefined][] = [
    [{ read: "true" }, "read"],
    [{ spam: null }, "spam"],
    [{ id: "x" }, "id"],
    [{ fields: [] }, "fields"],
    [[], undefined],
    ["{", undefined],
  ];
  for (const [body, param] of bad) {
    it(`400 invalid_parameter on ${param ?? "no parameter"}: ${JSON.stringify(body)}`, async () => {
      const b = await submitted();
      const id = await b.submitted({ n: "1" });
      const answer = await b.call("PATCH", one(b, id), { body, headers: { "content-type": "application/json" } });
      expect(fault(answer)).toEqual([400, "invalid_parameter", param]);
    });
  }

  it("400 invalid_parameter on deliver: neither true nor false", async () => {
    const b = await submitted();
    const id = await b.submitted({ n: "1" });
    expect(fault(await patch(b, id, { spam: false }, "?deliver=yes"))).toEqual([400, "invalid_parameter", "deliver"]);
  });

  it("404 submission_not_found, and asks for the scope submissions:write", async () => {
    const b = await submitted();
    const other = await b.forms.create({ name: "Other" });
    const elsewhere = await b.submitted({ n: "1" }, { form: other.id });
    for (const id of ["x", "x".repeat(100), elsewhere]) {
      expect(fault(await b.call("GET", one(b, id)))).toEqual([404, "submission_not_found", undefined]);
      expect(fault(await patch(b, id, { read: true }))).toEqual([404, "submission_not_found", undefined]);
      expect(fault(await b.call("DELETE", one(b, id)))).toEqual([404, "submission_not_found", undefined]);
    }
    const key = await b.keyWith(["submissions:read", "forms:read", "forms:write"]);
    for (const [method, path] of [
      ["PATCH", one(b, "x")],
      ["DELETE", one(b, "x")],
      ["POST", one(b, "bulk")],
    ] as const) {
      const { json } = await b.call(method, path, { key, body: {} });
      expect([json.error.code, json.error.required]).toEqual(["insufficient_scope", ["submissions:write"]]);
    }
  });
});

describe("clearing spam", () => {
  it("without deliver=true runs nothing", async () => {
    const b = await busy();
    const id = await b.submitted({ email: "ann@example.com" }, { spam: true });
    await patch(b, id, { spam: false });
    await patch(b, id, { spam: false }, "?deliver=false");
    await b.clock.advance(1_000);
    expect([b.mails.length, b.webhookCalls.length]).toEqual([0, 0]);
    expect((await b.jobs.list({ submission_id: id })).map(({ code }) => code)).toEqual(Array(3).fill("SKIPPED_SPAM"));
  });

  it("with deliver=true runs the email and webhooks that spam had skipped, once", async () => {
    const b = await busy();
    const id = await b.submitted({ email: "ann@example.com" }, { spam: true });
    await b.clock.advance(30 * 24 * 60 * 60 * 1_000);
    expect((await patch(b, id, { spam: false }, "?deliver=true")).json).toMatchObject({ id, spam: false });
    expect((await b.jobs.list({ submission_id: id })).map(({ status }) => status)).toEqual(Array(3).fill("pending"));
    await b.tick();
    expect(b.mails.flatMap(({ to }) => to)).toHaveLength(2);
    expect(b.webhookCalls.map(({ body }) => JSON.parse(body).data)).toMatchObject([{ id, spam: false }]);
    expect((await b.jobs.list({ submission_id: id })).map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
    await patch(b, id, { spam: false }, "?deliver=true");
    await b.tick();
    expect([b.mails.length, b.webhookCalls.length]).toEqual([2, 1]);
  });

  it("with deliver=true after it was cleared without still runs them, for a caller whose first answer was lost", async () => {
    const b = await busy();
    const id = await b.submitted({ email: "ann@example.com" }, { spam: true });
    await patch(b, id, { spam: false });
    await patch(b, id, { spam: false }, "?deliver=true");
    await b.tick();
    expect([b.mails.length, b.webhookCalls.length]).toEqual([2, 1]);
  });

  it("plans deliveries where none were planned when it came", async () => {
    const b = await submitted();
    const id = await b.submitted({ email: "ann@example.com" }, { spam: true });
    await b.webhooks.create(b.id, { url: "https://hooks.example.com/a" });
    await b.submissions.update(b.id, id, { spam: false }, { deliver: true });
    await b.tick();
    expect(b.webhookCalls.map(({ body }) => JSON.parse(body).data)).toMatchObject([{ id, spam: false }]);
  });

  it("delivers nothing for a submission that never was spam, nor where spam stays", async () => {
    const b = await submitted();
    const id = await b.submitted({ email: "ann@example.com" });
    await b.webhooks.create(b.id, { url: "https://hooks.example.com/a" });
    await patch(b, id, { spam: false }, "?deliver=true");
    await patch(b, id, { spam: true }, "?deliver=true");
    await patch(b, id, { read: true }, "?deliver=true");
    await b.tick();
    expect(b.webhookCalls).toEqual([]);
  });

  it("gives the released deliveries their full 72 hours", async () => {
    const b = await busy();
    b.answerWebhooks(500);
    const id = await b.submitted({ n: "1" }, { spam: true });
    await b.clock.advance(10 * 24 * 60 * 60 * 1_000);
    await patch(b, id, { spam: false }, "?deliver=true");
    await b.clock.advance(70 * 60 * 60 * 1_000);
    expect(await b.deliveries.get(b.id, b.webhook, id)).toMatchObject({ status: "retrying" });
    await b.clock.advance(2 * 60 * 60 * 1_000);
    expect(await b.deliveries.get(b.id, b.webhook, id)).toMatchObject({ status: "failed" });
  });
});

describe("DELETE /v1/forms/{form_id}/submissions/{submission_id}", () => {
  it("answers SubmissionDeleted, and the submission is gone", async () => {
    const b = await submitted();
    const id = await b.submitted({ n: "1" });
    const { status, json } = await b.call("DELETE", one(b, id));
    expect([status, json]).toEqual([200, { id, deleted: true }]);
    expect(fault(await b.call("DELETE", one(b, id)))).toEqual([404, "submission_not_found", undefined]);
    expect((await b.list()).json.data).toEqual([]);
  });

  it("skips what was still to be delivered", async () => {
    const b = await busy();
    const id = await b.submitted({ email: "ann@example.com" });
    await b.call("DELETE", one(b, id));
    await b.tick();
    expect([b.mails.length, b.webhookCalls.length]).toEqual([0, 0]);
    expect(await b.deliveries.get(b.id, b.webhook, id)).toMatchObject({
      status: "skipped",
      code: "SKIPPED_SUBMISSION_DELETED",
    });
  });

  it("removes its files, alone and in bulk", async () => {
    const storage = memoryStorage();
    const blob = memoryBlob();
    const b = await submitted({ storage, blob });
    const ids = [await b.submitted({ n: "1" }), await b.submitted({ n: "2" })];
    for (const id of ids) {
      const row = (await storage.get("submissions", [id])).get(id) as Stored;
      const file = { key: "cv", file_id: `file_${id}`, name: "cv.pdf", mime_type: "application/pdf", size: 1 };
      await storage.commit([
        { op: "put", collection: "submissions", id, value: { ...row.value, attachments: [file], attached: true } },
        { op: "put", collection: "files", id: file.file_id, value: { submission_id: id, created_at: "2026-01-01" } },
      ]);
      await blob.put(file.file_id, new Blob(["x"]).stream(), { mimeType: file.mime_type });
    }
    await b.submissions.delete(b.id, ids[0] as string);
    expect([
      ...(
        await storage.get(
          "files",
          ids.map((id) => `file_${id}`),
        )
      ).keys(),
    ]).toEqual([`file_${ids[1]}`]);
    expect(await blob.get(`file_${ids[0]}`)).toBeNull();
    await b.submissions.bulk(b.id, { action: "delete", ids });
    expect((await storage.get("files", [`file_${ids[1]}`])).size).toBe(0);
    expect(await blob.get(`file_${ids[1]}`)).toBeNull();
  });

  it("is 503 when the blob driver is down, alone and in bulk, and can be repeated", async () => {
    const storage = memoryStorage();
    const blob = memoryBlob();
    let isDown = true;
    const remove = async (id: string) => (isDown ? Promise.reject(new Error("EIO")) : blob.remove(id));
    const b = await submitted({ storage, blob: { ...blob, remove } });
    const id = await b.submitted({ n: "1" });
    const row = (await storage.get("submissions", [id])).get(id) as Stored;
    const file = { key: "cv", file_id: "file_1", name: "cv.pdf", mime_type: "application/pdf", size: 1 };
    const value = { ...row.value, attachments: [file], attached: true };
    await storage.commit([{ op: "put", collection: "submissions", id, value }]);
    for (const refused of [await b.call("DELETE", one(b, id)), await bulk(b, { action: "delete", ids: [id] })]) {
      expect(fault(refused)).toEqual([503, "unavailable", undefined]);
    }
    isDown = false;
    expect((await bulk(b, { action: "delete", ids: [id] })).json).toEqual({ changed: 1, not_found: [] });
  });
});

describe("POST /v1/forms/{form_id}/submissions/bulk", () => {
  it("marks read, unread, spam and not spam, and deletes", async () => {
    const b = await submitted();
    const ids = [await b.submitted({ n: "1" }), await b.submitted({ n: "2" }), await b.submitted({ n: "3" })];
    const [first, second] = ids as [string, string];
    const state = async () => (await b.submissions.list(b.id, { status: "all", order: "asc" })).data;
    expect((await bulk(b, { action: "mark_read", ids: [first, second] })).json).toEqual({ changed: 2, not_found: [] });
    expect((await state()).map(({ read }) => read)).toEqual([true, true, false]);
    expect((await bulk(b, { action: "mark_unread", ids })).json).toEqual({ changed: 2, not_found: [] });
    expect((await bulk(b, { action: "mark_spam", ids })).json).toEqual({ changed: 3, not_found: [] });
    expect((await state()).map(({ spam }) => spam)).toEqual([true, true, true]);
    expect((await bulk(b, { action: "mark_not_spam", ids: [first] })).json).toEqual({ changed: 1, not_found: [] });
    expect((await bulk(b, { action: "delete", ids: [first, second] })).json).toEqual({ changed: 2, not_found: [] });
    expect((await state()).map(({ id }) => id)).toEqual([ids[2]]);
  });

  it("names the ids that the form does not have, and counts an id once", async () => {
    const b = await submitted();
    const other = await b.forms.create({ name: "Other" });
    const mine = await b.submitted({ n: "1" });
    const elsewhere = await b.submitted({ n: "1" }, { form: other.id });
    const { json } = await bulk(b, { action: "mark_read", ids: ["x", mine, elsewhere, mine] });
    expect(json).toEqual({ changed: 1, not_found: ["x", elsewhere] });
    expect(await b.submissions.get(other.id, elsewhere)).toMatchObject({ read: false });
  });

  it("takes 500 ids", async () => {
    const b = await submitted();
    const ids = [];
    for (let i = 0; i < 500; i++) ids.push((await b.submit(b.id, { fields: { n: "1" } })).id);
    expect((await bulk(b, { action: "mark_read", ids })).json).toEqual({ changed: 500, not_found: [] });
    expect((await b.submissions.count(b.id, { read: true })).count).toBe(500);
    expect((await bulk(b, { action: "delete", ids })).json).toEqual({ changed: 500, not_found: [] });
    expect((await b.submissions.count(b.id)).count).toBe(0);
  });

  it("loses nothing against changes that run at the same time", async () => {
    const b = await submitted();
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await b.submitted({ n: "1" }));
    await Promise.all([
      bulk(b, { action: "mark_read", ids }),
      bulk(b, { action: "mark_spam", ids }),
      ...ids.map((id) => b.submissions.update(b.id, id, { read: true })),
    ]);
    const { data } = await b.submissions.list(b.id, { status: "all", limit: 100 });
    expect(data.every(({ read, spam }) => read && spam)).toBe(true);
  });

  const id = "0".repeat(24);
  const bad: [body: unknown, param: string][] = [
    [{ ids: [id] }, "action"],
    [{ action: "archive", ids: [id] }, "action"],
    [{ action: "delete" }, "ids"],
    [{ action: "delete", ids: [] }, "ids"],
    [{ action: "delete", ids: Array(501).fill(id) }, "ids"],
    [{ action: "delete", ids: id }, "ids"],
    [{ action: "delete", ids: [id, 1] }, "ids.1"],
    [{ action: "delete", ids: [""] }, "ids.0"],
    [{ action: "delete", ids: [id], deliver: true }, "deliver"],
  ];
  for (const [body, param] of bad) {
    it(`400 invalid_parameter on ${param}: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      expect(fault(await bulk(await submitted(), body))).toEqual([400, "invalid_parameter", param]);
    });
  }
});

describe("not spam in bulk, with deliver", () => {
  it("sends what spam had skipped, once, and leaves the others as they are", async () => {
    const b = await busy();
    const first = await b.submitted({ email: "ann@example.com" }, { spam: true });
    const second = await b.submitted({ email: "bob@example.com" }, { spam: true });
    const sent = await b.submitted({ email: "eve@example.com" });
    await b.clock.advance(1_000);
    const [mails, calls] = [b.mails.length, b.webhookCalls.length];
    const body = { action: "mark_not_spam", deliver: true, ids: [first, "gone", sent, second, first] };
    expect((await bulk(b, body)).json).toEqual({ changed: 2, not_found: ["gone"] });
    await b.clock.advance(1_000);
    expect([b.mails.length - mails, b.webhookCalls.length - calls]).toEqual([4, 2]);
    expect((await b.list("?status=spam")).json.data).toEqual([]);
    expect((await bulk(b, { ...body, action: "not_spam" })).json).toEqual({ changed: 0, not_found: ["gone"] });
    await b.clock.advance(1_000);
    expect([b.mails.length - mails, b.webhookCalls.length - calls]).toEqual([4, 2]);
  });

  it("sends nothing without it, also by the action's other name", async () => {
    const b = await busy();
    const id = await b.submitted({ email: "ann@example.com" }, { spam: true });
    expect((await bulk(b, { action: "not_spam", ids: [id] })).json).toEqual({ changed: 1, not_found: [] });
    await b.clock.advance(1_000);
    expect([b.mails.length, b.webhookCalls.length]).toEqual([0, 0]);
    expect((await b.submissions.bulk(b.id, { action: "mark_not_spam", deliver: true, ids: [id] })).changed).toBe(1);
    await b.clock.advance(1_000);
    expect([b.mails.length, b.webhookCalls.length]).toEqual([2, 1]);
  });

  it.each(["mark_spam", "delete", "mark_read"])("is refused with %s, which does nothing then", async (action) => {
    const b = await submitted();
    const id = await b.submitted({ n: "1" });
    expect(fault(await bulk(b, { action, deliver: true, ids: [id] }))).toEqual([400, "invalid_parameter", "deliver"]);
    expect(await b.submissions.get(b.id, id)).toMatchObject({ read: false, spam: false });
  });
});
