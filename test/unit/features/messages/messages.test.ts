import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { harness } from "../../../_support/backend.ts";

const ofSubmission = (submission_id: string) => ({ index: "submission", equals: { submission_id } });

async function world(options: TestBackendOptions = {}, fields: Record<string, string> = {}) {
  const b = harness({ rateLimit: false, from: "Acme <forms@acme.test>", ...options });
  const form = await b.forms.create({ name: "Contact", self_email_notification: { recipients: ["owner@acme.test"] } });
  const submission = await b.submit(form.id, {
    fields: { name: "Ann", email: "ann@example.com", text: "When do you open?", ...fields },
  });
  await b.tick();
  const path = `/v1/forms/${form.id}/submissions/${submission.id}/messages`;
  return {
    b,
    form,
    submission,
    path,
    send: (body: object, headers: Record<string, string> = {}, key?: string) =>
      b.call("POST", path, { body, headers, ...(key !== undefined && { key }) }),
    sent: () => b.mails.filter(({ to }) => to.address === "ann@example.com"),
  };
}

describe("an answer to a submission", () => {
  it("goes out as a mail of the form in the author's name, with the original below, and is listed", async () => {
    const { b, send, sent, path, submission } = await world();
    const answer = await send({ text: "At <nine>.\n\nBye" });
    expect(answer.status).toBe(202);
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^msg_/),
      submission_id: submission.id,
      direction: "out",
      author: { id: expect.stringMatching(/^key_/), name: "test" },
      from: "forms@acme.test",
      to: ["ann@example.com"],
      cc: [],
      subject: "Re: Contact",
      text: "At <nine>.\n\nBye",
      attachments: [],
      status: "queued",
      code: "PENDING",
      created_at: "2026-01-01T00:00:00.000Z",
    });
    await b.tick();
    const [mail] = sent();
    expect(mail).toMatchObject({
      from: { name: "test", address: "forms@acme.test" },
      subject: "Re: Contact",
      messageId: `${answer.json.id}@localhost`,
    });
    expect(mail?.text).toBe(
      "At <nine>.\n\nBye\n\nYou wrote on 1 January 2026 at 00:00 UTC:\n> name: Ann\n> email: ann@example.com\n> text: When do you open?\n",
    );
    expect(mail?.html).toContain("At &lt;nine&gt;.<br>");
    expect(mail?.html).toContain("<blockquote");
    expect((await b.call("GET", path)).json.data).toMatchObject([
      { id: answer.json.id, status: "sent", code: "SUCCESS" },
    ]);
  });

  it("leaves nothing where the submission is deleted at the same moment", async () => {
    const storage = memoryStorage();
    const commit = storage.commit.bind(storage);
    let meanwhile: () => Promise<unknown> = async () => null;
    storage.commit = async (writes) => {
      if (writes.some((write) => write.op === "put" && write.collection === "messages")) {
        const run = meanwhile;
        meanwhile = async () => null;
        await run();
      }
      await commit(writes);
    };
    const { b, form, submission, send, sent } = await world({ storage });
    meanwhile = () => b.submissions.delete(form.id, submission.id);
    const answer = await send({ text: "At nine." });
    expect([answer.status, answer.json.error.code]).toEqual([404, "submission_not_found"]);
    expect(await storage.page("messages", { ...ofSubmission(submission.id), order: "asc", limit: 9 })).toEqual([]);
    await b.tick();
    expect(sent()).toEqual([]);
  });

  it("continues the conversation: the second one names the first", async () => {
    const { b, send, sent } = await world();
    const first = (await send({ text: "One", subject: "Opening times" })).json;
    await b.tick();
    await b.clock.advance(60_000);
    await send({ text: "Two" });
    await b.tick();
    const [, mail] = sent();
    expect(mail?.subject).toBe("Re: Opening times");
    expect(mail?.headers).toEqual({
      "In-Reply-To": `<${first.id}@localhost>`,
      References: `<${first.id}@localhost>`,
    });
  });

  it("is an email of the kind reply: in the log, retried, sent again", async () => {
    const { b, form, send, sent } = await world();
    await send({ text: "One" });
    await b.tick();
    const { data } = await b.emails.list(form.id, { kind: "reply" });
    expect(data).toMatchObject([{ kind: "reply", to: "ann@example.com", status: "succeeded" }]);
    await b.emails.resend(form.id, data[0]?.id ?? "");
    await b.tick();
    expect(sent().map(({ messageId }) => messageId)).toHaveLength(2);
    expect(new Set(sent().map(({ messageId }) => messageId)).size).toBe(1);
  });

  it("goes only to addresses of the submission, the form and the conversation", async () => {
    const { b, send, submission, form } = await world({}, { other: "bob@example.com" });
    const refused = await send({ text: "Hi", to: ["mallory@example.com"] });
    expect([refused.status, refused.json.error]).toMatchObject([400, { code: "invalid_parameter", param: "to" }]);
    expect((await send({ text: "Hi", cc: ["mallory@example.com"] })).json.error.param).toBe("cc");
    expect((await send({ text: "Hi", to: ["BOB@example.com"], cc: ["owner@acme.test"] })).status).toBe(202);
    await b.tick();
    const mail = b.mails.at(-1);
    expect([mail?.to.address, mail?.cc?.map(({ address }) => address)]).toEqual([
      "BOB@example.com",
      ["owner@acme.test"],
    ]);
    const without = await b.submit(form.id, { fields: { text: "No address" } });
    await expect(b.messages.send(form.id, without.id, { text: "Hi" })).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "to",
    });
    await expect(b.messages.send(form.id, `${submission.id}0`, { text: "Hi" })).rejects.toMatchObject({
      code: "submission_not_found",
    });
  });

  it("goes out once for one Idempotency-Key, and another answer under it is refused", async () => {
    const { b, form, submission, send, sent, path } = await world();
    const key = { "idempotency-key": "a1" };
    const [one, two] = await Promise.all([send({ text: "Hi" }, key), send({ text: "Hi" }, key)]);
    await b.tick();
    expect([one?.status, two?.status, one?.json.id === two?.json.id]).toEqual([202, 202, true]);
    expect((await send({ text: "Hi" }, key)).json.status).toBe("sent");
    expect((await send({ text: "Other" }, key)).json.error.code).toBe("idempotency_mismatch");
    expect(sent()).toHaveLength(1);
    expect((await b.call("GET", path)).json.data).toHaveLength(1);
    const again = { text: "Hi", idempotency_key: "b" };
    await b.messages.send(form.id, submission.id, again);
    await b.messages.send(form.id, submission.id, again);
    expect((await b.messages.list(form.id, submission.id)).data).toHaveLength(2);
  });

  it("keeps its state when its email leaves the log", async () => {
    const { b, form, submission } = await world();
    await b.messages.send(form.id, submission.id, { text: "Thank you." });
    await b.tick();
    await b.clock.advance(541 * 24 * 60 * 60_000);
    await b.sweep();
    expect(await b.jobs.list({ kind: "reply" })).toEqual([]);
    const { data } = await b.messages.list(form.id, submission.id);
    expect(data).toMatchObject([{ status: "sent", code: "SUCCESS" }]);
  });

  it("does not go out of a form that the host has locked", async () => {
    const { b, form, submission } = await world();
    await b.messages.send(form.id, submission.id, { text: "Thank you." });
    await b.forms.lock(form.id, { reason: "Phishing" });
    await b.tick();
    const { data } = await b.messages.list(form.id, submission.id);
    expect(data).toMatchObject([{ status: "skipped", code: "SKIPPED_FORM_LOCKED" }]);
    expect(b.mails.filter(({ text }) => text?.includes("Thank you."))).toEqual([]);
  });

  it("ends as skipped where the address is suppressed", async () => {
    const { b, form, submission, sent } = await world();
    await b.suppressions.add({ email: "ann@example.com" });
    await b.messages.send(form.id, submission.id, { text: "Hi" });
    await b.tick();
    expect((await b.messages.list(form.id, submission.id)).data).toMatchObject([
      { status: "skipped", code: "ERROR_EMAIL_SUPPRESSED" },
    ]);
    expect(sent()).toEqual([]);
  });

  it("is limited to 20 a day for an address that never wrote, with Retry-After", async () => {
    const { b, send } = await world();
    for (let n = 0; n < 20; n++) expect((await send({ text: `${n}` })).status).toBe(202);
    const refused = await send({ text: "21" });
    expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBe(86_400);
    await b.clock.advance(24 * 3_600_000 + 1);
    expect((await send({ text: "the next day" })).status).toBe(202);
  });

  it("needs a plan with answers, and a key that may write", async () => {
    const { b, send } = await world({ plans: { basic: { replies: false } } });
    const reads = await b.keyWith(["submissions:read"]);
    expect((await send({ text: "Hi" }, {}, reads)).json.error.code).toBe("insufficient_scope");
    await b.teams.update("default", { plan: "basic" });
    await b.clock.advance(5_000);
    expect((await send({ text: "Hi" })).json.error.code).toBe("plan_restricted");
    await b.teams.update("default", { plan: "free" });
    await b.clock.advance(5_000);
    expect((await send({ text: "Hi" })).json.error.code).toBe("plan_restricted");
  });

  it("links the files of the submission that it names, and no others", async () => {
    const { b, form, send } = await world();
    const refused = await send({ text: "Hi", attachments: ["file_1"] });
    expect(refused.json.error).toMatchObject({ code: "invalid_parameter", param: "attachments" });
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const image = await b.forms.uploadImage(form.id, { file: png, use: "after_submit_logo", name: "map" });
    const answer = await send({ text: "The way", attachments: [image.id] });
    expect(answer.json.attachments).toMatchObject([{ name: "map.png", mime_type: "image/png", size: png.length }]);
    await b.tick();
    expect(b.mails.at(-1)?.text).toContain(`${image.url}`);
  });

  it("is exported and erased with the person, also where only the answer names the address", async () => {
    const { b, form, submission, send } = await world();
    const other = await b.submit(form.id, { fields: { email: "bob@example.com" } });
    await send({ text: "Hi Ann" });
    await b.messages.send(form.id, other.id, { text: "Ask ann@example.com." });
    await b.suppressions.add({ email: "ann@example.com" });
    const exported = await b.dataSubjects.export({ email: "ann@example.com" });
    expect(exported.messages?.map(({ text }) => text)).toEqual(["Hi Ann", "Ask ann@example.com."]);
    await b.submissions.delete(form.id, submission.id, { trash: true });
    expect(await b.dataSubjects.export({ email: "ann@example.com" })).toMatchObject({ messages: exported.messages });
    await b.dataSubjects.erase({ email: "ann@example.com" });
    expect((await b.messages.list(form.id, other.id)).data).toEqual([]);
    await expect(b.messages.list(form.id, submission.id)).rejects.toMatchObject({ code: "submission_not_found" });
    expect((await b.suppressions.list()).data).toEqual([]);
  });

  it("is removed with its submission, and shown to agents without what the form keeps from them", async () => {
    const { b, form, submission, path, send } = await world();
    await b.forms.update(form.id, { settings: { fields: { email: { agents: "omit" } } } });
    await send({ text: "I write to ann@example.com." });
    const seen = (await b.call("GET", path, { headers: { "form-backend-sees": "agents" } })).json.data[0];
    expect(JSON.stringify(seen)).not.toContain("ann@example.com");
    expect(seen).toMatchObject({ to: ["••••"], text: "I write to ••••." });
    await b.submissions.delete(form.id, submission.id);
    expect((await b.call("GET", path)).status).toBe(404);
  });

  it("has neither the files, nor earlier values, nor very long ones that the form keeps from agents", async () => {
    const { b, form } = await world();
    const omit = { agents: "omit" } as const;
    await b.forms.update(form.id, { settings: { fields: { iban: omit, passport: omit }, edit: { enabled: true } } });
    const body = new FormData();
    for (const [name, value] of Object.entries({ email: "ann@example.com", iban: "DE02 1203 0000 0000 2020 51" }))
      body.set(name, value);
    body.set("passport", new File(["a passport"], "passport.txt", { type: "text/plain" }));
    const sent = await b.fetch(
      new Request(form.endpoint, { method: "POST", body, headers: { accept: "application/json" } }),
    );
    const { submission_id: id, edit_url } = (await sent.json()) as { submission_id: string; edit_url: string };
    const [file] = (await b.submissions.get(form.id, id)).attachments;
    const file_id = /\/files\/(\w+)\//.exec(String(file?.url))?.[1] ?? "";
    const path = `/v1/forms/${form.id}/submissions/${id}/messages`;
    const answer = await b.call("POST", path, {
      body: { text: "Is it DE02 1203 0000 0000 2020 51?", attachments: [file_id] },
    });
    expect(answer.status).toBe(202);
    const iban = "9".repeat(40_000);
    await b.fetch(
      new Request(edit_url, { method: "POST", body: new URLSearchParams({ email: "ann@example.com", iban }) }),
    );
    const agents = { headers: { "form-backend-sees": "agents" } };
    const [seen] = (await b.call("GET", path, agents)).json.data;
    expect(seen).toMatchObject({ text: "Is it ••••?", attachments: [] });
    expect((await b.call("GET", path)).json.data[0].attachments).toHaveLength(1);
    const passedOn = await b.call("POST", path, { ...agents, body: { text: "Here", attachments: [file_id] } });
    expect(passedOn.json.error).toMatchObject({ code: "invalid_parameter", param: "attachments" });
  });
});
