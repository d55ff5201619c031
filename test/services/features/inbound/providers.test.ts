import { execFileSync } from "node:child_process";
import { createHmac, createSign } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { message, RESEND_SECRET, SIGNING_KEY, TOPIC, world } from "../../../_support/inbound-world.ts";

type World = Awaited<ReturnType<typeof world>>;
const resultOf = async (response: Response): Promise<unknown> => [
  response.status,
  ((await response.json()) as { result: string }).result,
];
const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
  "content-type": "application/json",
});

describe("Postmark", () => {
  const mail = (to: string) => ({
    FromName: "Ann",
    From: "ann@example.com",
    FromFull: { Email: "ann@example.com", Name: "Ann", MailboxHash: "" },
    To: to,
    ToFull: [{ Email: to, Name: "", MailboxHash: to.split("@")[0]?.split("+")[1] }],
    Cc: "",
    CcFull: [],
    OriginalRecipient: to,
    Subject: "Re: Contact",
    MessageID: "73e6d360-66eb-11e1-8e72-a8904824019b",
    TextBody: "Thank you!\n\nOn Thu, 1 Jan 2026 at 09:00, test <forms@acme.test> wrote:\n> At nine.",
    HtmlBody: "<p>Thank you!</p>",
    StrippedTextReply: "Thank you!",
    Headers: [{ Name: "Message-ID", Value: "<p1@example.com>" }],
    Attachments: [
      { Name: "a.txt", Content: Buffer.from("hello").toString("base64"), ContentType: "text/plain", ContentLength: 5 },
    ],
  });
  const send = (w: World, body: object, headers = basic("postmark", "pass")) =>
    w.request("postmark", JSON.stringify(body), headers);

  it("brings mail, once", async () => {
    const w = await world();
    expect(await resultOf(await send(w, mail(w.reply)))).toEqual([200, "stored"]);
    expect(await resultOf(await send(w, mail(w.reply)))).toEqual([200, "repeated"]);
    expect((await w.thread()).at(-1)).toMatchObject({ from: "ann@example.com", text: "Thank you!" });
  });

  it("is refused with 403 without its user and password, and changes nothing", async () => {
    const w = await world();
    for (const headers of [basic("postmark", "wrong"), {}]) {
      expect((await send(w, mail(w.reply), headers as Record<string, string>)).status).toBe(403);
    }
    expect(await w.thread()).toHaveLength(1);
  });

  it("brings bounces and complaints, by our address or by the time", async () => {
    const w = await world();
    const soft = {
      RecordType: "Bounce",
      ID: 1,
      Type: "Transient",
      Email: "ann@example.com",
      MessageID: "x",
      Inactive: false,
    };
    expect(await resultOf(await send(w, soft))).toEqual([200, "bounced"]);
    expect((await w.b.suppressions.list()).data).toEqual([]);
    expect(await resultOf(await send(w, { ...soft, ID: 2, Type: "HardBounce" }))).toEqual([200, "bounced"]);
    expect((await w.b.suppressions.list()).data).toMatchObject([
      { email: "ann@example.com", reason: "bounce", source: "postmark" },
    ]);
    const complaint = { RecordType: "SpamComplaint", ID: 3, Email: "owner@acme.test", MessageID: "y" };
    expect(await resultOf(await send(w, complaint))).toEqual([200, "bounced"]);
    expect((await w.b.suppressions.list({ email: "owner@acme.test" })).data).toMatchObject([{ reason: "complaint" }]);
    expect(await resultOf(await send(w, { ...soft, ID: 4, Email: "stranger@example.com" }))).toEqual([200, "unknown"]);
    expect((await w.b.suppressions.list()).data).toHaveLength(2);
  });
});

describe("Mailgun", () => {
  const signed = (w: World, token: string, more = 0) => {
    const timestamp = String(Math.floor(w.b.clock.now() / 1_000) + more);
    const signature = createHmac("sha256", SIGNING_KEY)
      .update(timestamp + token)
      .digest("hex");
    return { timestamp, token, signature };
  };
  const form = (w: World, proof: object) => {
    const body = new FormData();
    const values = {
      recipient: w.reply,
      sender: "ann@example.com",
      from: "Ann <ann@example.com>",
      subject: "Re: Contact",
      "body-plain": "Thank you!",
      "stripped-text": "Thank you!",
      "message-headers": JSON.stringify([
        ["Message-Id", "<m1@example.com>"],
        ["To", w.reply],
      ]),
      "Message-Id": "<m1@example.com>",
      ...proof,
    };
    for (const [name, value] of Object.entries(values)) body.set(name, value);
    body.set("attachment-1", new File(["hello"], "a.txt", { type: "text/plain" }));
    return body;
  };

  it("brings mail, also in MIME", async () => {
    const w = await world();
    expect(await resultOf(await w.request("mailgun", form(w, signed(w, "t1"))))).toEqual([200, "stored"]);
    expect((await w.thread()).at(-1)).toMatchObject({ from: "ann@example.com", text: "Thank you!" });
    const mime = new URLSearchParams({
      recipient: w.reply,
      "body-mime": message(w.reply, { id: "m2@x" }),
      ...signed(w, "t2"),
    });
    const response = await w.request("mailgun/mime", mime.toString(), {
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(await resultOf(response)).toEqual([200, "stored"]);
    expect(await w.thread()).toHaveLength(3);
  });

  it("is refused with 406 where it is forged or late", async () => {
    const w = await world();
    for (const proof of [
      {},
      { ...signed(w, "t"), signature: "0".repeat(64) },
      signed(w, "t", -121),
      { ...signed(w, "t"), token: "u" },
    ]) {
      expect((await w.request("mailgun", form(w, proof))).status).toBe(406);
    }
    expect(await w.thread()).toHaveLength(1);
  });

  it("brings bounces and complaints, each once", async () => {
    const w = await world();
    const send = (token: string, data: object) =>
      w.request("mailgun", JSON.stringify({ signature: signed(w, token), "event-data": data }), {
        "content-type": "application/json",
      });
    const about = { recipient: "ann@example.com", message: { headers: { "message-id": `${w.answer.id}@localhost` } } };
    const soft = { event: "failed", severity: "temporary", id: "e1", ...about };
    for (let n = 0; n < 9; n++) await send(`s${n}`, soft);
    // One event for each attempt, and the last one as it gives up.
    for (let n = 0; n < 9; n++) await send(`d${n}`, { ...soft, id: `d${n}` });
    const status = { code: 602, message: "Too old" };
    const old = { ...soft, severity: "permanent", reason: "old", "delivery-status": status, id: "o" };
    expect(await resultOf(await send("o", old))).toEqual([200, "bounced"]);
    expect((await w.b.suppressions.list()).data).toEqual([]);
    expect(await resultOf(await send("h", { ...soft, severity: "permanent", id: "e2" }))).toEqual([200, "bounced"]);
    expect((await w.b.suppressions.list()).data).toMatchObject([{ reason: "bounce", source: "mailgun" }]);
    const complained = { event: "complained", id: "e3", recipient: "owner@acme.test" };
    expect(await resultOf(await send("c", complained))).toEqual([200, "bounced"]);
    const forged = JSON.stringify({
      signature: { timestamp: "1", token: "t", signature: "s" },
      "event-data": complained,
    });
    expect((await w.request("mailgun", forged, { "content-type": "application/json" })).status).toBe(406);
  });
});

describe("Resend", () => {
  const sign = (w: World, id: string, body: string, at = w.b.clock.now()) => {
    const timestamp = String(Math.floor(at / 1_000));
    const key = Buffer.from(RESEND_SECRET.slice("whsec_".length), "base64");
    const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    return {
      "svix-id": id,
      "svix-timestamp": timestamp,
      "svix-signature": `v1,${signature}`,
      "content-type": "application/json",
    };
  };

  it("brings mail, whose text and files are fetched", async () => {
    let to = "";
    const asked: string[] = [];
    const api = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const port = (api.address() as AddressInfo).port;
      if (request.url === "/file") return void response.end("hello");
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          object: "email",
          id: "56761188",
          to: [to],
          from: "Ann <ann@example.com>",
          subject: "Re: Contact",
          text: "Thank you!",
          html: "",
          headers: { "message-id": "<r1@example.com>" },
          message_id: "<r1@example.com>",
          cc: [],
          bcc: [],
          attachments: [
            { id: "a1", filename: "a.txt", content_type: "text/plain", download_url: `http://127.0.0.1:${port}/file` },
          ],
        }),
      );
    });
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    try {
      const w = await world({}, {}, { apiUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}` });
      to = w.reply;
      const body = JSON.stringify({ type: "email.received", data: { email_id: "56761188", to: [to] } });
      expect(await resultOf(await w.request("resend", body, sign(w, "msg_1", body)))).toEqual([200, "stored"]);
      expect((await w.thread()).at(-1)).toMatchObject({ text: "Thank you!" });
      expect(asked[0]).toBe("GET /emails/receiving/56761188 Bearer re_1");
      const forged = sign(w, "msg_2", `${body} `);
      expect((await w.request("resend", body, forged)).status).toBe(401);
      expect((await w.request("resend", body, sign(w, "msg_3", body, w.b.clock.now() - 301_000))).status).toBe(401);
      expect((await w.request("resend", body)).status).toBe(401);
      expect(await w.thread()).toHaveLength(2);
    } finally {
      api.close();
    }
  });

  it("brings bounces and complaints by the id that the mailer answered", async () => {
    const w = await world();
    const send = (id: string, event: object) => {
      const body = JSON.stringify(event);
      return w.request("resend", body, sign(w, id, body));
    };
    const data = { email_id: "x", to: ["ann@example.com"], bounce: { type: "Permanent", message: "no such user" } };
    expect(await resultOf(await send("b1", { type: "email.bounced", data }))).toEqual([200, "bounced"]);
    expect((await w.b.suppressions.list()).data).toMatchObject([{ reason: "bounce", source: "resend" }]);
    const complaint = { type: "email.complained", data: { email_id: "y", to: ["owner@acme.test"] } };
    expect(await resultOf(await send("b2", complaint))).toEqual([200, "bounced"]);
    expect(await resultOf(await send("b3", { type: "email.opened", data }))).toEqual([200, "ignored"]);
  });
});

describe("SES", () => {
  const folder = mkdtempSync(join(tmpdir(), "sns-"));
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      "key.pem",
      "-out",
      "cert.pem",
      "-days",
      "2",
      "-subj",
      "/CN=sns.amazonaws.com",
    ],
    { cwd: folder, stdio: "ignore" },
  );
  const [key, cert] = [readFileSync(join(folder, "key.pem")), readFileSync(join(folder, "cert.pem"), "utf8")];
  const URL_OF_CERT = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem";
  const notification = (content: object, more: object = {}, version = "2") => {
    const told: Record<string, string> = {
      Type: "Notification",
      MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
      TopicArn: TOPIC,
      Message: JSON.stringify(content),
      Timestamp: "2026-01-01T00:00:00.000Z",
      SignatureVersion: version,
      SigningCertURL: URL_OF_CERT,
      ...more,
    };
    const text = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      .filter((name) => told[name] !== undefined)
      .map((name) => `${name}\n${told[name]}\n`)
      .join("");
    const Signature = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256")
      .update(text)
      .sign(key, "base64");
    return JSON.stringify({ ...told, Signature });
  };
  const received = (to: string, action: object, content?: string) => ({
    notificationType: "Received",
    mail: { source: "ann@example.com", messageId: "s1", destination: [to] },
    receipt: { recipients: [to], dmarcVerdict: { status: "PASS" }, action },
    ...(content !== undefined && { content }),
  });
  const text = { "content-type": "text/plain; charset=UTF-8" };

  it("brings mail in the notification, or from S3", async () => {
    const read = (bucket: string, object: string) => Buffer.from(message(stored, { id: `${bucket}-${object}@x` }));
    const w = await world({}, { certificate: () => cert, read });
    const stored = w.reply;
    const inline = received(w.reply, { type: "SNS", encoding: "UTF-8" }, message(w.reply));
    expect(await resultOf(await w.request("ses", notification(inline), text))).toEqual([200, "stored"]);
    const s3 = received(w.reply, { type: "S3", bucketName: "mails", objectKey: "k1" });
    expect(await resultOf(await w.request("ses", notification(s3, {}, "1"), text))).toEqual([200, "stored"]);
    expect(await w.thread()).toHaveLength(3);
  });

  it("is refused with 401 where it is forged, of another topic, or signed by a foreign certificate", async () => {
    const asked: string[] = [];
    const certificate = (url: string) => {
      asked.push(url);
      return cert;
    };
    const w = await world({}, { certificate });
    const inline = received(w.reply, { type: "SNS" }, message(w.reply));
    const wrong = [
      notification(inline).replace("Thank you", "Thank me "),
      notification(inline, { TopicArn: `${TOPIC}2` }),
      notification(inline, { SigningCertURL: "https://sns.eu-west-1.amazonaws.com.evil.test/a.pem" }),
      notification(inline, { SigningCertURL: "http://sns.eu-west-1.amazonaws.com/a.pem" }),
      "{}",
      "no JSON",
    ];
    for (const body of wrong) expect((await w.request("ses", body, text)).status, body.slice(0, 80)).toBe(401);
    expect(await w.thread()).toHaveLength(1);
    expect(asked.filter((url) => url !== URL_OF_CERT)).toEqual([]);
  });

  it("brings bounces and complaints, but not that something is no spam", async () => {
    const w = await world({}, { certificate: () => cert });
    const mail = { messageId: "s9", commonHeaders: { messageId: `<${w.answer.id}@localhost>` } };
    const complaint = (complaintFeedbackType: string, MessageId: string) =>
      notification(
        {
          eventType: "Complaint",
          mail,
          complaint: { complaintFeedbackType, complainedRecipients: [{ emailAddress: "ann@example.com" }] },
        },
        { MessageId },
      );
    await w.request("ses", complaint("not-spam", "1"), text);
    expect((await w.b.suppressions.list()).data).toEqual([]);
    const bounce = {
      notificationType: "Bounce",
      mail,
      bounce: {
        bounceType: "Permanent",
        bouncedRecipients: [{ emailAddress: "ann@example.com", diagnosticCode: "550" }],
      },
    };
    expect(await resultOf(await w.request("ses", notification(bounce, { MessageId: "2" }), text))).toEqual([
      200,
      "bounced",
    ]);
    expect((await w.b.suppressions.list()).data).toMatchObject([{ reason: "bounce", source: "ses" }]);
  });
});
