import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { DOMAIN, message, SECRET, world } from "../../../_support/inbound-world.ts";

const MB = 1024 * 1024;
/** Calls of the store for one mail, whatever it is. A usual one takes about 15. */
const MOST_CALLS = 60;
/** Memory that a mail of few bytes may leave behind. It is generous, since nothing here collects garbage. */
const MOST_BYTES = 128 * MB;

/** A store that counts what it is asked. */
function countingStorage(): { storage: StorageDriver; calls: () => number } {
  const storage = memoryStorage();
  let calls = 0;
  const counted =
    <A extends unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      calls++;
      return work(...args);
    };
  const { get, page, count, commit } = storage;
  return {
    storage: { ...storage, get: counted(get), page: counted(page), count: counted(count), commit: counted(commit) },
    calls: () => calls,
  };
}

const used = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const listed = (count: number): string => Array.from({ length: count }, (_, n) => `a${n}@example.com`).join(",\n ");

/** A hostile mail: its name, its text for our address, and its outcome. */
const hostile: readonly (readonly [name: string, make: (to: string) => string, status: number, result: string])[] = [
  [
    "of parts nested 200 deep",
    (to) => {
      let body = "Content-Type: text/plain\n\nx\n";
      for (let n = 0; n < 200; n++)
        body = `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n${body}\n--b${n}--\n`;
      return `From: a@example.com\nTo: ${to}\nMessage-ID: <d@x>\n${body}`;
    },
    400,
    "unreadable",
  ],
  [
    "with 10,000 References",
    (to) => message(to, { more: `References: ${Array.from({ length: 10_000 }, (_, n) => `<${n}@y>`).join("\n ")}\n` }),
    200,
    "stored",
  ],
  [
    "with 10,000 References, to an address that is not ours",
    () =>
      message("x@acme.test", {
        more: `References: ${Array.from({ length: 10_000 }, (_, n) => `<msg_${n}@localhost>`).join("\n ")}\n`,
      }),
    200,
    "unknown",
  ],
  ["with 100 recipients before ours", (to) => message(`${listed(100)}, ${to}`), 200, "stored"],
  ["with 20,000 recipients before ours", (to) => message(`${listed(20_000)}, ${to}`), 200, "unknown"],
  [
    "with 2,000 files",
    (to) =>
      `From: a@example.com\nTo: ${to}\nMessage-ID: <m@x>\nContent-Type: multipart/mixed; boundary=b\n\n${"--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nx\n".repeat(2_000)}--b--\n`,
    200,
    "stored",
  ],
  ["with a bare CR", (to) => message(to, { text: "a\rb" }), 200, "stored"],
  ["with an unknown charset", (to) => message(to).replace("utf-8", "x-nonsense"), 200, "stored"],
  ["in another charset than it says", (to) => message(to, { text: "caf\udcc3" }), 200, "stored"],
  [
    "with a line break in its subject",
    (to) => message(to).replace("Re: Contact", "=?utf-8?Q?Re=0D=0ABcc:=20x@y.z?="),
    200,
    "stored",
  ],
  ["with headers of a megabyte", (to) => message(to, { more: `X-Long: ${"x".repeat(MB)}\n` }), 400, "unreadable"],
];

describe("a mail", () => {
  it.each(hostile)(
    "%s takes bounded work and memory, and the service is told an end",
    async (_, make, status, result) => {
      const { storage, calls } = countingStorage();
      const w = await world({ storage });
      const mail = make(w.reply);
      const [callsBefore, bytesBefore] = [calls(), used()];
      expect(await w.raw(mail)).toEqual({ status, result });
      expect(calls() - callsBefore).toBeLessThanOrEqual(MOST_CALLS);
      expect(used() - bytesBefore).toBeLessThan(MOST_BYTES);
      for (const { subject, attachments, to, cc } of await w.thread()) {
        expect(subject).not.toMatch(/[\r\n]/);
        expect(attachments.length).toBeLessThanOrEqual(10);
        expect(to.length + cc.length).toBeLessThanOrEqual(100);
      }
      // A service that sends it again is not told otherwise.
      expect(await w.raw(mail)).toEqual({ status, result: result === "stored" ? "repeated" : result });
    },
  );

  it("of 26 MB is read up to the limit, refused for good and told in the log", async () => {
    const lines: string[] = [];
    const logger = { debug() {}, info() {}, warn: (line: string) => void lines.push(line), error() {} };
    const w = await world({ logger });
    const chunk = new Uint8Array(64 * 1024).fill(120);
    // The services write files in base64, so that they may send a third more.
    for (const [name, stops, most] of [
      ["raw", 413, 25],
      ["postmark", 403, 35],
      ["mailgun", 406, 35],
      ["resend", 413, 35],
      ["ses", 413, 35],
    ] as const) {
      let pulled = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled += chunk.length;
          if (pulled > 200 * MB) controller.close();
          else controller.enqueue(chunk);
        },
      });
      const headers = { authorization: `Bearer ${SECRET}`, "content-type": "message/rfc822" };
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      const response = await w.b.handle(new Request(`${w.b.baseUrl}/inbound/${name}`, init));
      expect([response.status, await response.json()], name).toEqual([stops, { result: "too large" }]);
      // A megabyte more is read, so that the sender hears the answer.
      expect(pulled, name).toBeLessThanOrEqual((most + 2) * MB);
      expect(lines.at(-1), name).toBe(`inbound ${name}: a mail of more than 25 MB was refused`);
    }
    expect(await w.thread()).toHaveLength(1);
  });

  it.each([
    ["a name that looks like our address", (to: string) => `"${to}" <someone@example.com>`, "unknown"],
    ["a comment with our address", (to: string) => `someone@example.com (${to})`, "unknown"],
    [
      "encoded commas with our address",
      (to: string) => `=?utf-8?Q?a=2C_${to.replace("@", "=40")}?= <b@x.y>`,
      "unknown",
    ],
    ["our address in a group", (to: string) => `Friends: a@example.com, ${to};`, "stored"],
    ["a second To with our address", (to: string) => `a@example.com\nTo: ${to}`, "stored"],
    ["our address after a quoted comma", (to: string) => `"a, b" <a@example.com>, ${to}`, "stored"],
  ])(
    "whose To hides another one, %s, is in the conversation only where mail programs see our address",
    async (_, to, result) => {
      const w = await world();
      expect((await w.raw(message(to(w.reply)))).result).toBe(result);
      for (const { direction, to: shown } of await w.thread())
        if (direction === "in") for (const address of shown) expect(address).not.toMatch(/[,;\r\n]/);
    },
  );
});

describe("an answer", () => {
  it.each([
    "ann@example.com, mallory@example.com",
    "ann@example.com\r\nBcc: mallory@example.com",
    "ann@example.com\nTo: mallory@example.com",
    "Friends: ann@example.com, mallory@example.com;",
    '"ann@example.com" <mallory@example.com>',
    "ann@example.com (mallory@example.com)",
    "ann@example.com;mallory@example.com",
    "=?utf-8?Q?ann=40example.com=2C?= <mallory@example.com>",
  ])(
    "to a list that hides a second To (%j) is refused at the address, and to a sender who wrote it nothing goes",
    async (hidden) => {
      const w = await world();
      const before = w.b.mails.length;
      for (const body of [{ to: [hidden] }, { cc: [hidden] }]) {
        const sent = w.b.messages.send(w.form.id, w.submission.id, { text: "Hi", ...body });
        const param = "to" in body ? /^to\b/ : /^cc\b/;
        await expect(sent).rejects.toMatchObject({ code: "invalid_parameter", param: expect.stringMatching(param) });
      }
      const { id } = await w.b.submit(w.form.id, { fields: { email: hidden, text: "Hi" } });
      await w.b.messages.send(w.form.id, id, { text: "Hi" }).catch(() => {});
      await w.b.tick();
      for (const { to, alsoTo = [], cc = [] } of w.b.mails.slice(before))
        for (const { address } of [to, ...alsoTo, ...cc])
          expect(["owner@acme.test", "ann@example.com"]).toContain(address);
    },
  );

  it("with a subject of several lines is refused at the subject", async () => {
    const w = await world();
    const sent = w.b.messages.send(w.form.id, w.submission.id, { text: "Hi", subject: "Re\r\nBcc: x@example.com" });
    await expect(sent).rejects.toMatchObject({ code: "invalid_parameter", param: "subject" });
    expect(w.reply.endsWith(`@${DOMAIN}`)).toBe(true);
  });
});
