import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import de from "../../../../src/texts/locales/de.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const DAY = 24 * 60 * 60_000;

/** A form that asks its senders to confirm, with an owner's address and a webhook. */
async function world(more: object = {}, settings: object = {}) {
  const clock = testClock(Date.parse("2026-11-22T10:00:00.000Z"));
  const b = harness({ clock, rateLimit: false, locales: [de], ...more });
  const { id } = await b.forms.create({
    name: "News",
    self_email_notification: { recipients: ["owner@example.com"] },
    auto_response: { enabled: true },
    settings: { double_opt_in: { enabled: true }, ...settings },
  });
  await b.webhooks.create(id, { url: "https://hooks.example.com/x" });
  const page = (method: string, link: string, headers = {}) =>
    b.call(method, new URL(link).pathname.replace(/^.*\/c\//, "/c/"), {
      key: null,
      headers: { accept: "text/html", ...headers },
    });
  const later = (ms: number) => clock.set(clock.now() + ms);
  return { b, id, later, page };
}

const linkIn = (b: Harness, at = -1): string => /https?:\/\/\S+\/c\/\S+/.exec(b.mails.at(at)?.text ?? "")?.[0] ?? "";
const count = async (b: Harness, id: string, status: string) =>
  (await b.call("GET", `/v1/forms/${id}/submissions/count?status=${status}`)).json.count;

describe("double opt-in", () => {
  it("is reached by no bulk action: the sender can still confirm", async () => {
    const { b, id, page } = await world();
    await b.post(id, "email=ann%40example.com&note=Hi");
    await b.tick();
    const { json } = await b.call("GET", `/v1/forms/${id}/submissions?status=pending`);
    const ids = json.data.map((submission: { id: string }) => submission.id);
    expect(ids).toHaveLength(1);
    for (const action of ["delete", "mark_spam", "mark_read"]) {
      const answer = await b.call("POST", `/v1/forms/${id}/submissions/bulk`, { body: { action, ids } });
      expect(answer.json.changed ?? 0, action).toBe(0);
    }
    expect(await count(b, id, "pending")).toBe(1);
    expect((await page("POST", linkIn(b))).status).toBeLessThan(400);
    expect(await count(b, id, "all")).toBe(1);
  });

  it("stores a post as pending, and asks its sender by one mail", async () => {
    const { b, id } = await world();
    const events: string[] = [];
    b.on("submission.created", ({ id: one }) => void events.push(one));
    const sent = await b.post(id, "email=ann%40example.com&note=Hi");
    expect(sent).toMatchObject({ status: 200, json: { status: "success" } });
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual(["ann@example.com"]);
    expect(b.mails[0]).toMatchObject({ subject: "Please confirm your email address" });
    expect(b.mails[0]?.text).toContain(
      "Please confirm that you sent the form “News” and that this email address is yours.",
    );
    expect(b.mails[0]?.text).toContain("within 7 days");
    expect(linkIn(b)).toMatch(/\/c\/[\w-]+\.[\w-]+$/);
    expect([b.webhookCalls, events]).toEqual([[], []]);
    for (const status of ["inbox", "spam", "all"]) expect(await count(b, id, status)).toBe(0);
    expect(await count(b, id, "pending")).toBe(1);
    expect((await b.call("GET", `/v1/forms/${id}/submissions`)).json.data).toEqual([]);
    expect((await b.call("GET", "/v1/submissions?status=all")).json.data).toEqual([]);
    const pending = { id: sent.json.submission_id, fields: [{ key: "email" }, { key: "note", value: "Hi" }] };
    for (const path of [`/v1/forms/${id}/submissions`, "/v1/submissions"]) {
      expect((await b.call("GET", `${path}?status=pending`)).json.data).toMatchObject([pending]);
    }
    expect((await b.call("GET", `/v1/forms/${id}/submissions/export?format=json`)).json).toEqual([]);
    expect((await b.call("GET", `/v1/forms/${id}/submissions/export?format=json&status=pending`)).json).toMatchObject([
      pending,
    ]);
    expect((await b.submissions.list(id, { status: "pending" })).data).toMatchObject([
      { ...pending, consent: { posted_at: "2026-11-22T10:00:00.000Z", ip: "203.0.113.9", confirmed_at: null } },
    ]);
    expect((await b.call("GET", `/v1/forms/${id}/submissions/${pending.id}`)).status).toBe(404);
    expect((await b.forms.get(id)).submissions).toEqual({ this_month: 0, all_time: 0 });
    const emails = await b.call("GET", `/v1/forms/${id}/emails?kind=confirmation`);
    expect(emails.json.data).toMatchObject([{ to: "ann@example.com", status: "succeeded", submission_id: pending.id }]);
  });

  it("shows a page with a button to whoever opens the link, and confirms by its press alone", async () => {
    const { b, id, later, page } = await world();
    const events: unknown[] = [];
    b.on("submission.created", (one) => void events.push(one));
    const { submission_id } = (await b.post(id, "email=ann%40example.com&note=Hi")).json;
    await b.tick();
    const link = linkIn(b);
    for (let i = 0; i < 3; i++) {
      const shown = await page("GET", link);
      expect(shown.status).toBe(200);
      expect(shown.text).toContain(`<form method="post" action="${link}">`);
      expect(shown.text).not.toMatch(/<script|<meta http-equiv/i);
    }
    expect(events).toEqual([]);
    later(DAY);
    const done = await page("POST", link);
    expect([done.status, done.text.includes("Your submission is confirmed.")]).toEqual([200, true]);
    await b.tick();
    expect(events).toMatchObject([{ id: submission_id, created_at: "2026-11-23T10:00:00.000Z" }]);
    expect(b.mails.map(({ to }) => to.address).sort()).toEqual([
      "ann@example.com",
      "ann@example.com",
      "owner@example.com",
    ]);
    expect(b.webhookCalls).toHaveLength(1);
    expect(await count(b, id, "pending")).toBe(0);
    expect((await b.submissions.get(id, submission_id)).consent).toEqual({
      sentence: "Please confirm that you sent the form “News” and that this email address is yours.",
      posted_at: "2026-11-22T10:00:00.000Z",
      ip: "203.0.113.9",
      confirmed_at: "2026-11-23T10:00:00.000Z",
      confirmed_ip: "203.0.113.9",
    });
    for (const method of ["POST", "GET", "POST"]) {
      expect((await page(method, link)).text).toContain("Your submission is confirmed.");
    }
    await b.tick();
    expect([events.length, b.webhookCalls.length, b.mails.length]).toEqual([1, 1, 3]);
    expect((await b.forms.get(id)).submissions).toEqual({ this_month: 1, all_time: 1 });
  });

  it("confirms once where twenty presses come at the same time", async () => {
    const { b, id, page } = await world();
    const events: unknown[] = [];
    b.on("submission.created", (one) => void events.push(one));
    await b.post(id, "email=ann%40example.com");
    await b.tick();
    const link = linkIn(b);
    const pages = await Promise.all(Array.from({ length: 20 }, () => page("POST", link)));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    await b.tick();
    expect([events.length, b.webhookCalls.length]).toEqual([1, 1]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(1);
  });

  it("confirms wholly or not at all where the store fails, and a second press mends it", async () => {
    const storage = memoryStorage();
    let fault: "before" | "after" | null = null;
    const failing = {
      ...storage,
      async commit(writes: Parameters<typeof storage.commit>[0]) {
        if (fault === null || !writes.some((one) => one.op === "remove" && one.collection === "pending_submissions"))
          return storage.commit(writes);
        const when = fault;
        fault = null;
        if (when === "after") await storage.commit(writes);
        throw new StoreDownError("gone");
      },
    };
    for (const when of ["before", "after"] as const) {
      const { b, id, page } = await world({ storage: failing });
      await b.post(id, "email=ann%40example.com");
      await b.tick();
      const link = linkIn(b);
      fault = when;
      expect((await page("POST", link)).status).toBe(503);
      expect(await count(b, id, "inbox")).toBe(when === "after" ? 1 : 0);
      expect((await page("POST", link)).status).toBe(200);
      await b.tick();
      expect(b.webhookCalls).toHaveLength(1);
      expect((await b.forms.get(id)).submissions.all_time).toBe(1);
    }
  });

  it("is not confirmed while the form or its team is off, and waits until it is on again", async () => {
    const { b, id, later, page } = await world();
    await b.post(id, "email=ann%40example.com");
    await b.tick();
    const link = linkIn(b);
    const mails = b.mails.length;
    for (const [off, on] of [
      [() => b.forms.update(id, { active: false }), () => b.forms.update(id, { active: true })],
      [() => b.teams.update("default", { active: false }), () => b.teams.update("default", { active: true })],
    ] as const) {
      await off();
      const refused = await page("POST", link);
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toBe("3600");
      later(60 * 60_000);
      await b.sweep();
      await b.tick();
      expect([b.mails.length, b.webhookCalls.length]).toEqual([mails, 0]);
      await on();
      expect(await count(b, id, "pending")).toBe(1);
      expect(await count(b, id, "all")).toBe(0);
    }
    expect((await page("POST", link)).status).toBe(200);
    expect(await count(b, id, "all")).toBe(1);
  });

  it("is too late after its days, and the sweep removes what waited, with the address", async () => {
    const { b, id, later, page } = await world({}, { double_opt_in: { enabled: true, expires: "2_days" } });
    await b.post(id, "email=ann%40example.com");
    await b.tick();
    const link = linkIn(b);
    later(2 * DAY - 1);
    expect((await page("GET", link)).status).toBe(200);
    await b.sweep();
    expect(await count(b, id, "pending")).toBe(1);
    later(2);
    for (const method of ["GET", "POST"]) {
      const late = await page(method, link);
      expect([late.status, late.text.includes("Nobody confirmed this in time")]).toEqual([410, true]);
    }
    await b.sweep();
    expect(await count(b, id, "pending")).toBe(0);
    expect((await page("POST", link)).status).toBe(410);
    expect((await b.call("GET", `/v1/forms/${id}/emails`)).json.data).toMatchObject([{ kind: "confirmation", to: "" }]);
  });

  it("answers scripts in the shape of all public addresses", async () => {
    const { b, id, later, page } = await world();
    const json = { accept: "application/json" };
    await b.post(id, "email=ann%40example.com");
    await b.post(id, "email=ben%40example.com");
    await b.tick();
    const [first, second] = [linkIn(b, 0), linkIn(b, 1)];
    expect((await page("GET", first, json)).json).toMatchObject({ code: 200, status: "success" });
    expect((await page("POST", first, json)).json).toMatchObject({ code: 200, status: "success", title: "Confirmed" });
    later(8 * DAY);
    expect((await page("POST", second, json)).json).toMatchObject({
      ...{ code: 410, status: "error", errors: {} },
      error: { code: "not_found", request_id: expect.any(String) },
    });
    expect((await page("POST", `${second}x`, json)).json).toMatchObject({ code: 404, status: "error" });
  });

  it("knows no changed token, and none of a deleted form", async () => {
    const { b, id, page } = await world();
    await b.post(id, "email=ann%40example.com");
    await b.tick();
    const link = linkIn(b);
    const changed = [
      `${link}x`,
      link.replace("/c/", "/c/x"),
      link.replace(".", ".a."),
      link.split(".").slice(0, -1).join("."),
    ];
    for (const one of changed) {
      const unknown = await page("POST", one);
      expect([unknown.status, unknown.text.includes("This link is not valid")]).toEqual([404, true]);
    }
    await b.forms.delete(id);
    for (const method of ["GET", "POST"]) expect((await page(method, link)).status).toBe(404);
  });

  it("refuses a post without an address at its field, and stores spam as spam without a mail", async () => {
    const { b, id } = await world(
      {},
      { double_opt_in: { enabled: true, field: "contact" }, labels: { contact: "Your address" } },
    );
    for (const [body, rule] of [
      ["email=ann%40example.com", "required"],
      ["contact=+&a=1", "required"],
      ["contact=nobody", "email"],
      ["contact=a%40example.com&contact=b", "email"],
    ] as const) {
      const refused = await b.post(id, body);
      expect(refused).toMatchObject({
        status: 422,
        json: { errors: { contact: { rule } }, error: { code: "validation_failed" } },
      });
      expect(refused.json.errors.contact.message).toContain("Your address");
    }
    await b.post(id, "contact=ann%40example.com&_gotcha=x");
    await b.tick();
    expect(b.mails).toEqual([]);
    expect([await count(b, id, "spam"), await count(b, id, "pending")]).toEqual([1, 0]);
  });

  it("sends an address three mails an hour, however it is spelled and whatever the form", async () => {
    const { b, id, later } = await world();
    const other = await b.forms.create({ name: "Other", settings: { double_opt_in: { enabled: true } } });
    for (const [form, email] of [
      [id, "ann@gmail.com"],
      [other.id, "A.n.n@gmail.com"],
      [id, "ann+1@googlemail.com"],
      [other.id, "ann+2@gmail.com"],
      [id, "ANN@GMAIL.COM"],
    ] as const) {
      await b.post(form, { email });
    }
    await b.tick();
    expect(b.mails).toHaveLength(3);
    // The mails are sent at once, so any three of the five may be the first.
    const skipped = async (form: string): Promise<{ form: string; id: string; code: string }[]> => {
      const { data } = (await b.call("GET", `/v1/forms/${form}/emails?status=skipped`)).json;
      return data.map((email: { id: string; code: string }) => ({ ...email, form }));
    };
    const [first, ...more] = [...(await skipped(id)), ...(await skipped(other.id))];
    expect([first?.code, ...more.map(({ code }) => code)]).toEqual(Array(2).fill("SKIPPED_RECIPIENT_RATE_LIMITED"));
    later(DAY / 24 + 1);
    await b.call("POST", `/v1/forms/${first?.form}/emails/${first?.id}/resend`);
    await b.tick();
    expect(b.mails).toHaveLength(4);
  });

  it("speaks the sender's language in the mail, on the page and in the consent", async () => {
    const { b, id, page } = await world();
    await b.post(id, "email=ann%40example.com", { "accept-language": "de" });
    await b.tick();
    expect(b.mails[0]).toMatchObject({ subject: "Bitte bestätigen Sie Ihre E-Mail-Adresse" });
    const shown = await page("GET", linkIn(b), { "accept-language": "en" });
    expect(shown.headers.get("content-language")).toBe("de");
    expect(shown.text).toContain("das Formular „News“ abgeschickt haben");
    expect((await page("POST", linkIn(b))).text).toContain("Ihre Angaben sind bestätigt.");
    expect((await b.submissions.list(id)).data[0]?.consent?.sentence).toContain("„News“");
  });

  it("tells the sender to look for the mail, spam as well, where nobody wrote another text", async () => {
    const { b, id } = await world();
    for (const body of ["email=ann%40example.com", "email=ann%40example.com&_gotcha=x"]) {
      expect((await b.post(id, body)).json.message).toMatch(/^Please open the email that we have sent you/);
    }
    await b.forms.update(id, { after_submit: { page: { message: "Look into your mailbox." } } });
    expect((await b.post(id, "email=ann%40example.com")).json.message).toBe("Look into your mailbox.");
  });

  it("opens an encrypted address for the mail alone, and takes no field whose address it could not read", async () => {
    const encryption = { keys: [{ id: "k", key: Buffer.alloc(32, 1).toString("base64") }] };
    const storage = memoryStorage();
    const { b, id, page } = await world({ encryption, storage }, { fields: { email: { store: "encrypt" } } });
    await b.post(id, "email=ann%40example.com");
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual(["ann@example.com"]);
    const all = { index: "all", equals: {}, order: "asc", limit: 10 } as const;
    const rows = [
      ...(await storage.page("jobs", all)),
      ...(await storage.page("pending_submissions", { ...all, index: "form", equals: { form_id: id } })),
    ];
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain("ann");
    expect((await page("POST", linkIn(b))).status).toBe(200);
    expect((await b.submissions.list(id)).data[0]?.values).toEqual({ email: "ann@example.com" });
    for (const store of ["hash", "drop"]) {
      await expect(
        b.forms.update(id, { settings: { fields: { email: { store: store as "hash" } } } }),
      ).rejects.toMatchObject({
        code: "invalid_parameter",
        param: "settings.double_opt_in.field",
      });
    }
  });

  it("takes a place in the plan's month at the confirmation", async () => {
    const { b, id, page } = await world({ plans: { tiny: { submissions_per_month: 1 } } });
    await b.teams.update("default", { plan: "tiny" });
    await b.post(id, "email=ann%40example.com");
    await b.post(id, "email=ben%40example.com");
    await b.tick();
    const links = [linkIn(b, 0), linkIn(b, 1)];
    expect(links).toHaveLength(2);
    for (const link of links) expect((await page("POST", link)).status).toBe(200);
    await b.tick();
    expect(b.webhookCalls).toHaveLength(1);
    expect((await b.forms.get(id)).submissions.all_time).toBe(2);
  });

  it("goes with the person: exported with the consent, erased while it waits", async () => {
    const { b, id } = await world();
    await b.post(id, "email=ann%40example.com");
    await b.tick();
    const person = { body: { email: "ann@example.com" } };
    const { data } = (await b.call("POST", "/v1/data-subjects/export", person)).json;
    expect(data).toMatchObject([{ form_id: id, consent: { ip: "203.0.113.9", confirmed_at: null } }]);
    expect((await b.call("POST", "/v1/data-subjects/erase", person)).json.erased).toMatchObject({
      submissions: 1,
      deliveries: 1,
    });
    expect(await count(b, id, "pending")).toBe(0);
  });

  it("refuses what a setting can't be", async () => {
    const { b, id } = await world();
    for (const [patch, param] of [
      [{ expires: "31_days" }, "double_opt_in.expires"],
      [{ expires: "0_days" }, "double_opt_in.expires"],
      [{ field: "" }, "double_opt_in.field"],
      [{ subject: "a\nb" }, "double_opt_in.subject"],
      [{ message: "{{#x}}" }, "double_opt_in.message"],
      [{ other: 1 }, "double_opt_in.other"],
    ] as const) {
      const refused = await b.call("PATCH", `/v1/forms/${id}/settings`, { body: { double_opt_in: patch } });
      expect([refused.status, refused.json?.error.param]).toEqual([400, param]);
    }
  });
});
