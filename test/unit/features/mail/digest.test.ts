import { describe, expect, it } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import type { MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { windowEnd } from "../../../../src/features/mail/digest-window.ts";
import { MailError } from "../../../../src/index.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { closing } from "./_mail.ts";

const [ann, bob, cy] = ["ann@example.com", "bob@example.com", "cy@example.com"];
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const at = (text: string): number => Date.parse(text);

function world(start: string, options: object = {}) {
  const clock = testClock(at(start));
  return closing(harness({ clock, rateLimit: false, ...options }));
}
const collecting = async (b: Harness, digest: object, more: object = {}) =>
  (
    await b.forms.create({
      name: "Contact",
      self_email_notification: { recipients: [ann, bob] },
      ...more,
      settings: { digest, ...(more as { settings?: object }).settings },
    })
  ).id;
/** The numbers of the messages in each mail, by its time and recipient. */
const digests = (b: Harness) =>
  b.mails.map(({ to, date, text }) => [
    new Date(date).toISOString().slice(0, 16),
    to.address,
    [...text.matchAll(/no\. (\d+);/g)].map(([, n]) => Number(n)).join(),
  ]);
const post = async (b: Harness, id: string, n: number) => {
  await b.post(id, { message: `no. ${n};` });
  await b.tick();
};

describe("a digest", () => {
  it("is one mail for each recipient at the end of the window, and none for an empty one", async () => {
    const b = world("2026-05-04T06:30:00Z");
    const id = await collecting(b, { interval: "daily", at: "08:00", time_zone: "Europe/Berlin" });
    await post(b, id, 1);
    expect(b.mails).toHaveLength(0);
    await b.clock.advance(12 * HOUR);
    await post(b, id, 2);
    await b.clock.advance(DAY);
    const first = [
      ["2026-05-05T06:00", ann, "1,2"],
      ["2026-05-05T06:00", bob, "1,2"],
    ];
    expect(digests(b).sort()).toEqual(first);
    expect(b.mails[0]?.subject).toBe("Contact: 2 new submissions");
    await b.clock.advance(3 * DAY);
    expect(b.mails).toHaveLength(2);
    await post(b, id, 3);
    await b.clock.advance(DAY);
    expect(digests(b).slice(2)).toMatchObject([[expect.any(String), expect.any(String), "3"], { 2: "3" }]);
    const emails = (await b.call("GET", `/v1/forms/${id}/emails?kind=digest`)).json.data;
    expect(emails).toHaveLength(4);
    expect(emails[0]).toMatchObject({ kind: "digest", status: "succeeded", submission_id: "" });
    expect(await b.jobs.list({ form_id: id, kind: "owner_email", status: "succeeded" })).toHaveLength(6);
  });

  it("has what came within its window, also where a worker comes to it after the window's end", async () => {
    const clock = testClock(at("2026-05-04T10:59:59Z"));
    const b = closing(harness({ clock, rateLimit: false }));
    const id = await collecting(b, { interval: "hourly" }, { self_email_notification: { recipients: [ann] } });
    await b.post(id, { message: "no. 1;" });
    await b.post(id, { message: "no. 2;" });
    clock.set(at("2026-05-04T11:00:01Z"));
    await b.clock.advance(1_000);
    expect(digests(b)).toEqual([["2026-05-04T11:00", ann, "1,2"]]);
    // After the digest of its window was sent, a late one goes alone.
    clock.set(at("2026-05-04T11:59:59Z"));
    await post(b, id, 3);
    await b.post(id, { message: "no. 4;" });
    const [late] = await b.jobs.list({ form_id: id, kind: "owner_email", status: "pending" });
    expect(late).toBeDefined();
    await b.clock.advance(2 * HOUR);
    expect(
      digests(b)
        .slice(1)
        .flatMap(([time, , numbers]) => [time, numbers]),
    ).toEqual(["2026-05-04T12:00", "3,4"]);
  });

  it("has a heading for each submission, each value in its own direction, and files as links with their names", async () => {
    const b = world("2026-05-04T06:30:00Z");
    const id = await collecting(b, { interval: "daily" }, { self_email_notification: { recipients: [ann] } });
    const fields = { الاسم: "ليلى", reference: "AB-12 (x)", "<i>": "one\ntwo" };
    const files = [{ key: "cv", name: "<b>.txt", content: new TextEncoder().encode("x") }];
    await b.submit(id, { fields, files });
    await b.clock.advance(2 * DAY);
    const [{ html = "", text = "" } = {}] = b.mails;
    expect(html).toMatch(/<h2 dir="auto"[^>]*>Contact, 4 May 2026 at 06:30 UTC<\/h2>/);
    for (const line of [
      /<div dir="auto"><span[^>]*>الاسم:<\/span> <bdi>ليلى<\/bdi><\/div>/,
      /<div dir="auto"><span[^>]*>reference:<\/span> <bdi>AB-12 \(x\)<\/bdi><\/div>/,
      /<div dir="auto"><span[^>]*>&lt;i&gt;:<\/span><\/div><div dir="auto"[^>]*>one<br>\ntwo<\/div>/,
    ])
      expect(html).toMatch(line);
    const [link = ""] = /http\S+\/files\/\S+/.exec(text) ?? [];
    expect(html).toContain(`href="${link.replaceAll("&", "&amp;")}"`);
    expect(html.replace(/href="[^"]*"/g, "")).not.toContain("/files/");
  });

  it("leaves webhooks and auto-responses alone, and gives those in cc and bcc their own", async () => {
    const b = world("2026-05-04T06:30:00Z");
    const id = await collecting(
      b,
      { interval: "hourly" },
      {
        self_email_notification: { recipients: [ann, bob, cy] },
        auto_response: { enabled: true },
        settings: { routing: { rules: [{ if: { all: [] }, to: { recipients: [ann], cc: [bob], bcc: [cy] } }] } },
      },
    );
    await b.webhooks.create(id, { url: "https://hooks.example.com/1" });
    await b.post(id, { email: "visitor@example.org", message: "no. 1;" });
    await b.tick();
    expect(b.webhookCalls).toHaveLength(1);
    expect(b.mails.map(({ to }) => to.address)).toEqual(["visitor@example.org"]);
    await b.clock.advance(HOUR);
    expect(digests(b).slice(1).sort()).toEqual([ann, bob, cy].map((to) => ["2026-05-04T07:00", to, "1"]));
    expect(b.mails.every(({ cc = [], bcc = [] }) => cc.length + bcc.length === 0)).toBe(true);
  });

  it("comes at its local time before and after the clocks go forward, and back", async () => {
    for (const [start, times] of [
      ["2026-03-27T10:00:00Z", ["2026-03-28T07:00", "2026-03-29T06:00", "2026-03-30T06:00"]],
      ["2026-10-23T10:00:00Z", ["2026-10-24T06:00", "2026-10-25T07:00", "2026-10-26T07:00"]],
    ] as const) {
      const b = world(start);
      const digest = { interval: "daily", at: "08:00", time_zone: "Europe/Berlin" };
      const id = await collecting(b, digest, { self_email_notification: { recipients: [ann] } });
      for (let hour = 0; hour < 72; hour += 6) {
        await post(b, id, hour);
        await b.clock.advance(6 * HOUR);
      }
      const found = digests(b);
      expect(found.map(([time]) => time)).toEqual(times);
      // Each submission is in exactly one of them.
      expect(found.flatMap(([, , numbers]) => (numbers ?? "").split(",").map(Number))).toEqual(
        Array.from({ length: found.flatMap(([, , n]) => (n ?? "").split(",")).length }, (_, n) => n * 6),
      );
    }
  });

  it("ends a window in the hour that is skipped and in the one that comes twice exactly once a day", () => {
    const daily = { interval: "daily", at: "02:30", time_zone: "Europe/Berlin" } as const;
    const ends = (from: string, days: number, digest: Parameters<typeof windowEnd>[1] = daily) => {
      const found: string[] = [];
      for (let after = at(from); found.length < days; ) {
        after = windowEnd(after, digest);
        found.push(new Date(after).toISOString().slice(0, 16));
      }
      return found;
    };
    expect(ends("2026-03-28T00:00:00Z", 3)).toEqual(["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]);
    expect(ends("2026-10-24T00:00:00Z", 3)).toEqual(["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]);
    const weekly = { ...daily, interval: "weekly" } as const;
    expect(ends("2026-10-19T00:30:00Z", 2, weekly)).toEqual(["2026-10-26T01:30", "2026-11-02T01:30"]);
    const hourly = { interval: "hourly", at: "08:00", time_zone: "Asia/Kolkata" } as const;
    expect(ends("2026-01-01T00:10:00Z", 2, hourly)).toEqual(["2026-01-01T00:30", "2026-01-01T01:30"]);
    // Samoa had no 30 December 2011.
    const samoa = { interval: "daily", at: "12:00", time_zone: "Pacific/Apia" } as const;
    expect(new Set(ends("2011-12-28T00:00:00Z", 4, samoa)).size).toBe(4);
  });

  it("loses and repeats nothing while the mail server is down over the end of the window", async () => {
    const mailer = memoryMailer();
    let down = true;
    mailer.fail = () => (down ? new MailError("ERROR_EMAIL_CONNECTION", "down", { temporary: true }) : undefined);
    const b = world("2026-05-04T06:30:00Z", { mailer });
    const id = await collecting(b, { interval: "weekly" }, { self_email_notification: { recipients: [ann] } });
    for (const n of [1, 2, 3]) await post(b, id, n);
    await b.clock.advance(8 * DAY);
    expect(mailer.sent).toHaveLength(0);
    down = false;
    await b.clock.advance(DAY);
    expect(mailer.sent.map(({ text }) => text.match(/no\. \d+;/g))).toEqual([["no. 1;", "no. 2;", "no. 3;"]]);
  });

  it("that is refused ends what it collected, without the server's words, also where the form can't be read by then", async () => {
    const storage = memoryStorage();
    const mailer: MailerDriver = {
      ...memoryMailer(),
      async send() {
        const [form] = (await storage.get("forms", [id])).values();
        await storage.commit([{ op: "put", collection: "forms", id, value: { ...form?.value, name: 7 } }]);
        throw new MailError("ERROR_EMAIL_SMTP_5XX", "no. 1;", { temporary: false });
      },
    };
    const b = world("2026-05-04T06:30:00Z", { mailer, storage });
    const id = await collecting(b, { interval: "hourly" }, { self_email_notification: { recipients: [ann] } });
    for (const n of [1, 2]) await post(b, id, n);
    await b.clock.advance(2 * HOUR);
    const query = { index: "form", equals: { form_id: id }, order: "asc", limit: 9 } as const;
    const jobs = (await storage.page("jobs", query)).map(({ value }) => value);
    expect(jobs.map(({ kind, status, message }) => [kind, status, message]).sort()).toEqual([
      ["digest", "failed", undefined],
      ["owner_email", "failed", undefined],
      ["owner_email", "failed", undefined],
    ]);
  });

  it("sends what was collected at once when it is switched off", async () => {
    const b = world("2026-05-04T06:30:00Z");
    const id = await collecting(b, { interval: "weekly" }, { self_email_notification: { recipients: [ann] } });
    await post(b, id, 1);
    await b.forms.update(id, { settings: { digest: { interval: "none" } } });
    await b.tick();
    expect(digests(b)).toEqual([["2026-05-04T06:30", ann, "1"]]);
    await post(b, id, 2);
    expect(b.mails.at(-1)?.subject).toBe("New submission: Contact");
  });

  it("leaves out what was deleted, and an address that is no recipient any more", async () => {
    const b = world("2026-05-04T06:30:00Z");
    const id = await collecting(b, { interval: "hourly" });
    for (const n of [1, 2]) await post(b, id, n);
    const [, first] = (await b.submissions.list(id)).data;
    await b.submissions.delete(id, first?.id ?? "");
    await b.forms.update(id, { self_email_notification: { recipients: [bob] } });
    await b.clock.advance(HOUR);
    expect(digests(b)).toEqual([["2026-05-04T07:00", bob, "2"]]);
  });

  it("goes out from another process when the first one is gone in the middle of a window", async () => {
    const storage = memoryStorage();
    const shared = { ...storage, close: async () => {} };
    const start = "2026-05-04T06:30:00Z";
    const first = world(start, { storage: shared });
    const id = await collecting(first, { interval: "hourly" }, { self_email_notification: { recipients: [ann] } });
    for (const n of [1, 2]) await post(first, id, n);
    // Accepted, and not looked at by any worker.
    await first.post(id, { message: "no. 3;" });
    const second = world(start, { storage: shared });
    await second.clock.advance(2 * HOUR);
    expect(digests(second)).toEqual([["2026-05-04T07:00", ann, "1,2,3"]]);
  });

  it("refuses a time, a zone and an interval that are none, and needs the plan", async () => {
    const b = world("2026-05-04T06:30:00Z");
    const id = await collecting(b, {});
    for (const [digest, param] of [
      [{ at: "24:00" }, "digest.at"],
      [{ time_zone: "Europe/Nowhere" }, "digest.time_zone"],
      [{ interval: "yearly" }, "digest.interval"],
    ] as const) {
      const { status, json } = await b.call("PATCH", `/v1/forms/${id}/settings`, { body: { digest } });
      expect([status, json.error.param]).toEqual([400, param]);
    }
    await b.teams.update("default", { plan: "free" });
    const on = await b.call("PATCH", `/v1/forms/${id}/settings`, { body: { digest: { interval: "daily" } } });
    expect(on.json.error).toMatchObject({ code: "plan_restricted", param: "digest" });
    const off = await b.call("PATCH", `/v1/forms/${id}/settings`, { body: { digest: { interval: "none" } } });
    expect(off.status).toBe(200);
  });
});
