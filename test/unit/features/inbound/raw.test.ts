import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { type StorageDriver, StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { harness } from "../../../_support/backend.ts";
import { message, world } from "../../../_support/inbound-world.ts";

const QUOTED = `And on Sundays?

On Thu, 1 Jan 2026 at 09:00, test <forms@acme.test> wrote:
> At nine.
>
> You wrote on 1 January 2026 at 00:00 UTC:
> > text: When do you open?`;

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** A mail with a picture, and a page that the form refuses. */
const withFiles = (to: string): string => `From: ann@example.com
To: ${to}
Message-ID: <f@x>
Subject: A picture
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

Here it is
--b
Content-Type: image/png; name="a.png"
Content-Disposition: attachment; filename="a.png"
Content-Transfer-Encoding: base64

${PNG}
--b
Content-Type: text/html; name="evil.html"
Content-Disposition: attachment; filename="evil.html"

<script>alert(1)</script>
--b--
`;

describe("a raw mail that comes back", () => {
  it("stands in the conversation without what it quotes, makes the submission unread, and is told to everybody", async () => {
    const w = await world();
    const received: unknown[] = [];
    w.b.on("message.received", (event) => void received.push(event));
    await w.b.webhooks.create(w.form.id, { url: "https://example.com/hook", events: ["message.received"] });
    expect(await w.raw(message(w.reply, { text: QUOTED }))).toEqual({ status: 200, result: "stored" });
    const [answer, back] = await w.thread();
    expect(answer?.direction).toBe("out");
    expect(back).toMatchObject({
      direction: "in",
      author: null,
      from: "ann@example.com",
      to: [w.reply],
      subject: "Re: Contact",
      text: "And on Sundays?",
      status: "received",
      code: "RECEIVED",
    });
    expect((await w.b.submissions.get(w.form.id, w.submission.id)).read).toBe(false);
    expect(received).toMatchObject([{ id: back?.id, form_id: w.form.id, text: "And on Sundays?" }]);
    await w.b.tick();
    expect(JSON.parse(w.b.webhookCalls.at(-1)?.body ?? "")).toMatchObject({
      type: "message.received",
      data: { id: back?.id, submission_id: w.submission.id, form_id: w.form.id, text: "And on Sundays?" },
    });
    expect(w.b.mails.at(-1)).toMatchObject({
      to: { address: "owner@acme.test" },
      replyTo: { address: "ann@example.com" },
      headers: { "Auto-Submitted": "auto-generated" },
    });
    expect(w.b.mails.at(-1)?.text).toContain("And on Sundays?");
  });

  it("is answered with References along the whole conversation, and the new question quoted", async () => {
    const w = await world();
    await w.raw(message(w.reply, { text: "And on Sundays?" }));
    await w.b.clock.advance(60_000);
    const second = await w.b.messages.send(w.form.id, w.submission.id, { text: "At ten." });
    await w.b.tick();
    const mail = w.b.mails.at(-1);
    expect(mail?.headers).toEqual({
      "In-Reply-To": "<one@example.com>",
      References: `<${w.answer.id}@localhost> <one@example.com>`,
    });
    expect(mail?.text).toContain("> And on Sundays?");
    await w.raw(message("forms@acme.test", { id: "two@example.com", more: `In-Reply-To: <${second.id}@localhost>\n` }));
    expect((await w.thread()).map(({ direction }) => direction)).toEqual(["out", "in", "out", "in"]);
  });

  it("is found by its address in any case, otherwise by the Message-IDs that it names", async () => {
    const w = await world();
    expect((await w.raw(message(w.reply.toUpperCase()))).result).toBe("stored");
    const references = `References: <${w.answer.id}@localhost>\n`;
    expect((await w.raw(message("x@acme.test", { id: "b@x", more: references }))).result).toBe("stored");
    expect((await w.raw(message("x@acme.test", { id: "c@x", more: "References: <one@example.com>\n" }))).result).toBe(
      "stored",
    );
    expect(w.reply.split("@")[0]?.length).toBeLessThanOrEqual(64);
  });

  it("adds to nothing with an address that is guessed, cut, of another installation, or of a deleted submission", async () => {
    const w = await world();
    const [local = "", domain] = w.reply.split("@");
    const other = await world({ secret: "another secret that is long enough to be one" });
    const wrong = [
      `${local.slice(0, -1)}@${domain}`,
      `${local.slice(0, -1)}${local.endsWith("0") ? "1" : "0"}@${domain}`,
      `${local}@elsewhere.test`,
      `reply+${w.submission.id}@${domain}`,
      other.reply,
      "reply+@in.acme.test",
    ];
    for (const to of wrong) expect(await w.raw(message(to)), to).toEqual({ status: 200, result: "unknown" });
    expect(await w.thread()).toHaveLength(1);
    await w.b.submissions.delete(w.form.id, w.submission.id);
    expect((await w.raw(message(w.reply))).result).toBe("unknown");
  });

  it("adds to nothing with the proof of another submission or team, and its own address adds to its own conversation alone", async () => {
    const w = await world();
    await w.b.teams.create({ id: "other", name: "Other" });
    const strangers = await w.b.forms.create({ name: "Theirs" }, { team_id: "other" });
    for (const form of [w.form.id, strangers.id]) {
      const { id } = await w.b.submit(form, { fields: { email: "bea@example.com", text: "And you?" } });
      await w.b.messages.send(form, id, { text: "Hello." });
      await w.b.tick();
      const addresses = w.b.mails.map(({ replyTo }) => replyTo?.address ?? "");
      const reply = addresses.find((address) => address.includes(id)) ?? "";
      expect(reply).not.toBe("");
      const swapped = reply.replace(id, w.submission.id);
      expect(await w.raw(message(swapped, { id: `${form}@swapped` }))).toEqual({ status: 200, result: "unknown" });
      expect((await w.raw(message(reply, { id: `${form}@own` }))).result).toBe("stored");
      expect((await w.b.messages.list(form, id)).data.map(({ direction }) => direction)).toEqual(["out", "in"]);
    }
    expect(await w.thread()).toHaveLength(1);
  });

  it("is stored once, however often it comes", async () => {
    const w = await world();
    await Promise.all([1, 2, 3].map(() => w.raw(message(w.reply))));
    expect((await w.raw(message(w.reply))).result).toBe("repeated");
    expect(await w.thread()).toHaveLength(2);
    const nameless = message(w.reply).replace(/^Message-ID.*\n/m, "");
    await w.raw(nameless);
    expect((await w.raw(nameless)).result).toBe("repeated");
    expect(await w.thread()).toHaveLength(3);
  });

  it.each([
    ["Auto-Submitted: auto-replied\n"],
    ["Precedence: bulk\n"],
    ["List-Id: <all.example.com>\n"],
    ["X-Auto-Response-Suppress: All\n"],
    ["Return-Path: <>\n"],
  ])("that a program wrote (%j) is stored, and nothing follows from it", async (more) => {
    const w = await world();
    const received: unknown[] = [];
    w.b.on("message.received", (event) => void received.push(event));
    await w.b.webhooks.create(w.form.id, { url: "https://example.com/hook", events: ["message.received"] });
    const before = w.b.mails.length;
    expect((await w.raw(message(w.reply, { more }))).result).toBe("stored");
    await w.b.tick();
    expect(await w.thread()).toHaveLength(2);
    expect((await w.b.submissions.get(w.form.id, w.submission.id)).read).toBe(true);
    expect([received, w.b.webhookCalls, w.b.mails.length - before]).toEqual([[], [], 0]);
  });

  it("has its files, by the rules of the form", async () => {
    const w = await world();
    const text = withFiles(w.reply);
    expect((await w.raw(text)).result).toBe("stored");
    const back = (await w.thread()).at(-1);
    expect(back?.attachments.map(({ name, mime_type }) => [name, mime_type])).toEqual([["a.png", "image/png"]]);
    const file = await w.b.handle(new Request(back?.attachments[0]?.url ?? ""));
    expect(Buffer.from(await file.arrayBuffer()).toString("base64")).toBe(PNG);
    await w.b.submissions.delete(w.form.id, w.submission.id);
    expect((await w.b.handle(new Request(back?.attachments[0]?.url ?? ""))).status).toBe(404);
  });

  it("comes again with its files, where the store was down for a moment", async () => {
    const storage = memoryStorage();
    let faults = 0;
    const get: StorageDriver["get"] = (collection, ids) =>
      collection === "teams" && faults-- > 0
        ? Promise.reject(new StoreDownError("gone"))
        : storage.get(collection, ids);
    const w = await world({ storage: { ...storage, get } });
    // By then the team is known no more.
    await w.b.clock.advance(3_600_000);
    faults = 1;
    expect((await w.raw(withFiles(w.reply))).status).toBe(503);
    expect(await w.thread()).toHaveLength(1);
    expect((await w.raw(withFiles(w.reply))).result).toBe("stored");
    expect((await w.thread()).at(-1)?.attachments).toHaveLength(1);
  });

  it("is refused without the secret, and has no address without the option", async () => {
    const w = await world();
    expect((await w.request("raw", message(w.reply))).status).toBe(401);
    expect((await w.raw(message(w.reply), { authorization: "Bearer wrong" })).status).toBe(401);
    expect(await w.thread()).toHaveLength(1);
    expect((await w.request("other", "")).status).toBe(404);
    const b = harness();
    for (const init of [{ method: "POST", body: "x" }, { method: "GET" }])
      expect((await b.handle(new Request(`${b.baseUrl}/inbound/raw`, init))).status).toBe(404);
  });

  it("ends a loop of two machines after one", async () => {
    const w = await world();
    const before = w.b.mails.length;
    for (let n = 0; n < 5; n++)
      await w.raw(message(w.reply, { id: `${n}@loop`, more: "Auto-Submitted: auto-replied\n" }));
    await w.b.tick();
    expect(w.b.mails.length).toBe(before);
  });

  it.each([
    [
      "nested deep",
      (to: string) => {
        let body = "Content-Type: text/plain\n\nx\n";
        for (let n = 0; n < 200; n++)
          body = `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n${body}\n--b${n}--\n`;
        return `From: a@example.com\nTo: ${to}\nMessage-ID: <d@x>\n${body}`;
      },
    ],
    ["with 10,000 References", (to: string) => message(to, { more: `References: ${"<x@y>\n ".repeat(10_000)}\n` })],
    [
      "with 100 recipients",
      (to: string) => message([...Array.from({ length: 100 }, (_, n) => `a${n}@example.com`), to].join(", ")),
    ],
    [
      "with 2,000 files",
      (to: string) =>
        `From: a@example.com\nTo: ${to}\nMessage-ID: <m@x>\nContent-Type: multipart/mixed; boundary=b\n\n${"--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nx\n".repeat(2_000)}--b--\n`,
    ],
    ["with a bare CR", (to: string) => message(to, { text: "a\rb" })],
    ["with an unknown charset", (to: string) => message(to).replace("utf-8", "x-nonsense")],
    [
      "with a line break in its subject",
      (to: string) => message(to).replace("Re: Contact", "=?utf-8?Q?Re=0D=0ABcc:=20x@y.z?="),
    ],
    ["that makes the search for quotes slow", (to: string) => message(to, { text: "Op \nOn x x\n".repeat(2_000) })],
  ] as const)("%s is bounded, and answered so that it is not repeated for ever", async (_, make) => {
    const w = await world();
    const { status } = await w.raw(make(w.reply));
    expect([200, 400]).toContain(status);
    for (const { subject, attachments } of await w.thread()) {
      expect(subject).not.toMatch(/[\r\n]/);
      expect(attachments.length).toBeLessThanOrEqual(10);
    }
  });

  it("of more than 25 MB is refused", async () => {
    const w = await world();
    expect((await w.raw(message(w.reply, { text: "x".repeat(26 * 1024 * 1024) }))).status).toBe(413);
    expect(await w.thread()).toHaveLength(1);
  });
});

describe("a report of a mail server", () => {
  const report = (status: string, action: string, id: string) => `From: MAILER-DAEMON@mx.example.com
To: forms@acme.test
Return-Path: <>
Message-ID: <${status}-${Math.random()}@mx>
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

Not delivered.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com

Final-Recipient: rfc822; ann@example.com
Action: ${action}
Status: ${status}
Diagnostic-Code: smtp; 550 no such user

--b
Content-Type: text/rfc822-headers

Message-ID: <${id}>
To: ann@example.com
--b--
`;

  it("about a hard bounce suppresses the address, and says so", async () => {
    const w = await world();
    const events: unknown[] = [];
    w.b.on("email.bounced", (event) => void events.push(event));
    expect((await w.raw(report("5.1.1", "failed", `${w.answer.id}@localhost`))).result).toBe("bounced");
    expect((await w.b.suppressions.list()).data).toMatchObject([
      { email: "ann@example.com", reason: "bounce", source: "raw" },
    ]);
    expect(events).toMatchObject([
      { id: w.answer.id, type: "hard", suppressed: true, email: "ann@example.com", submission_id: w.submission.id },
    ]);
  });

  it.each([
    ["a bounce", "delivery-status", "Final-Recipient: rfc822; owner@acme.test\nAction: failed\nStatus: 5.0.0"],
    ["a complaint", "feedback-report", "Feedback-Type: abuse\nOriginal-Rcpt-To: <owner@acme.test>"],
  ])("that names no mail of ours changes nothing: anybody can write %s", async (_, type, fields) => {
    const w = await world();
    const forged = (original: string) => `From: mallory@example.com
To: ${w.reply}
Message-ID: <${Math.random()}@mallory>
Content-Type: multipart/report; report-type=${type}; boundary=b

--b
Content-Type: message/${type}

${fields}

${original}--b--
`;
    expect((await w.raw(forged(""))).result).toBe("unknown");
    const guessed = `--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: <msg_${"0".repeat(24)}@localhost>\n`;
    expect((await w.raw(forged(guessed))).result).toBe("unknown");
    expect((await w.b.suppressions.list()).data).toEqual([]);
  });

  it("about a delay suppresses after five mails, of which each counts once", async () => {
    const w = await world();
    for (let n = 0; n < 9; n++) await w.raw(report("4.4.1", "delayed", `${w.answer.id}@localhost`));
    for (let n = 2; n <= 5; n++) {
      const { id } = await w.b.messages.send(w.form.id, w.submission.id, { text: `Answer ${n}` });
      await w.b.tick();
      expect((await w.b.suppressions.list()).data, `${n}`).toEqual([]);
      for (let of = 0; of < 2; of++) await w.raw(report("4.2.2", "failed", `${id}@localhost`));
    }
    expect((await w.b.suppressions.list()).data).toHaveLength(1);
  });

  it("that is a complaint (RFC 5965) suppresses, unless it says not-spam", async () => {
    const w = await world();
    const arf = (type: string) => `From: fbl@example.com
To: forms@acme.test
Message-ID: <${type}@fbl>
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b
Content-Type: text/plain

A complaint
--b
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: X/1
Original-Rcpt-To: <ann@example.com>

--b
Content-Type: text/rfc822-headers

Message-ID: <${w.answer.id}@localhost>
--b--
`;
    await w.raw(arf("not-spam"));
    expect((await w.b.suppressions.list()).data).toEqual([]);
    await w.raw(arf("abuse"));
    expect((await w.b.suppressions.list()).data).toMatchObject([{ reason: "complaint" }]);
  });
});
