import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";

const DAY = 24 * 3_600_000;

async function world(settings: object = {}, more: object = {}, options: object = {}) {
  const clock = testClock(Date.parse("2026-11-22T10:00:00.000Z"));
  const b = harness({ clock, storage: memoryStorage(), rateLimit: false, ...options });
  const { id } = await b.forms.create({ name: "Trip", settings: { edit: { enabled: true }, ...settings }, ...more });
  const send = async (body: string | FormData) => {
    const { json } = await b.post(id, body);
    return { url: json.edit_url as string, id: json.submission_id as string };
  };
  const at = async (url: string, body?: string | FormData | null, accept = "text/html") => {
    const response = await b.fetch(
      new Request(url, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          accept,
          ...(typeof body === "string" && { "content-type": "application/x-www-form-urlencoded" }),
        },
        ...(body !== undefined && { body }),
      }),
    );
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith("{") ? JSON.parse(text) : null };
  };
  const stored = (submission: string) => b.submissions.get(id, submission);
  return { b, id, clock, send, at, stored, later: (ms: number) => clock.set(clock.now() + ms) };
}

const values = (fields: readonly { key: string; value: string }[]) => fields.map(({ key, value }) => `${key}=${value}`);

describe("a submission that its sender changes", () => {
  it("is shown on the page of its link, and the old version stays as a revision", async () => {
    const { b, send, at, stored, later } = await world();
    const told: unknown[] = [];
    b.on("submission.updated", (event) => void told.push(event));
    const sent = await send("name=Ann&note=by+train");
    await b.submissions.update((await stored(sent.id)).form_id, sent.id, { read: true });
    const page = await at(sent.url);
    expect(page.status).toBe(200);
    expect(page.text).toContain('value="by train"');
    expect(page.text).toContain("You can change this until");
    later(60_000);
    const saved = await at(sent.url, "name=Ann&note=by+bus&extra=1&_revision=0");
    expect([saved.status, saved.text.includes("Your changes are saved")]).toEqual([200, true]);
    const now = await stored(sent.id);
    expect(values(now.fields)).toEqual(["name=Ann", "note=by bus", "extra=1"]);
    expect(now.read).toBe(false);
    expect(now.revisions).toEqual([
      {
        replaced_at: "2026-11-22T10:01:00.000Z",
        fields: [
          { key: "name", value: "Ann" },
          { key: "note", value: "by train" },
        ],
      },
    ]);
    expect(told.at(-1)).toEqual({ id: sent.id, form_id: now.form_id, changed: ["fields"] });
    expect((await at(sent.url)).text).toContain('value="by bus"');
  });

  it("goes to the webhooks that ask for changes, once", async () => {
    const { send, at, b, id } = await world();
    await b.webhooks.create(id, { url: "https://example.com/hook", events: ["submission.updated"] });
    const sent = await send("name=Ann");
    await b.tick();
    expect(b.webhookCalls).toHaveLength(0);
    await at(sent.url, "name=Bea");
    await b.tick();
    const bodies = b.webhookCalls.map(({ body }) => JSON.parse(String(body)));
    expect(bodies).toHaveLength(1);
    expect(bodies[0].type).toBe("submission.updated");
    expect(JSON.stringify(bodies[0])).toContain('"changed":["fields"]');
    expect(JSON.stringify(bodies[0])).toContain(sent.id);
  });

  it("writes nothing where nothing differs", async () => {
    const { send, at, stored } = await world();
    const sent = await send("name=Ann");
    expect((await at(sent.url, "name=Ann")).status).toBe(200);
    expect(await stored(sent.id)).not.toHaveProperty("revisions");
  });

  it("is not overwritten from a page that shows an older version", async () => {
    const { send, at, stored } = await world();
    const sent = await send("name=Ann");
    await at(sent.url, "name=Bea&_revision=0");
    const stale = await at(sent.url, "name=Cleo&_revision=0");
    expect(stale.status).toBe(409);
    expect(stale.text).toContain('value="Bea"');
    expect(stale.text).toContain("changed in the meantime");
    expect(values((await stored(sent.id)).fields)).toEqual(["name=Bea"]);
  });

  it("obeys the form's rules, and shows what was typed", async () => {
    const rules = [{ field: "email", checks: [{ type: "required" }, { type: "email" }] }];
    const { send, at, stored } = await world({}, { validation: { rules } });
    const sent = await send("email=ann%40example.com");
    const refused = await at(sent.url, "email=nonsense&_revision=0");
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('value="nonsense"');
    expect(refused.text).toContain('aria-invalid="true"');
    const json = await at(sent.url, "email=nonsense", "application/json");
    expect([json.status, json.json.errors.email.rule]).toEqual([422, "email"]);
    expect(values((await stored(sent.id)).fields)).toEqual(["email=ann@example.com"]);
  });

  it("can't be emptied, unless a file is left or private values stay", async () => {
    const fields = { pin: { store: "hash" } };
    const { send, at, stored } = await world({ fields });
    const sent = await send("name=Ann&note=x");
    for (const body of ["", "name=&note=+", "_revision=0"]) {
      const json = await at(sent.url, body, "application/json");
      expect([json.status, json.json.error.code]).toEqual([400, "empty_submission"]);
    }
    const page = await at(sent.url, "name=&note=&_revision=0");
    expect([page.status, page.text.includes('name="note"')]).toEqual([400, true]);
    expect(values((await stored(sent.id)).fields)).toEqual(["name=Ann", "note=x"]);
    const form = new FormData();
    form.append("name", "Bea");
    form.append("cv", new File(["life"], "cv.txt", { type: "text/plain" }));
    for (const other of [await send(form), await send("name=Cleo&pin=1234")])
      expect((await at(other.url, "name=&pin=")).status).toBe(200);
  });

  it("keeps unique values, itself excepted, and frees the one that it had", async () => {
    const { send, at, b, id } = await world({ unique: { fields: ["email"] } });
    const ann = await send("email=ann%40example.com");
    await send("email=bob%40example.com");
    expect((await at(ann.url, "email=ann%40example.com&note=x")).status).toBe(200);
    expect((await at(ann.url, "email=BOB%40example.com")).status).toBe(422);
    expect((await at(ann.url, "email=eve%40example.com")).status).toBe(200);
    expect((await b.post(id, "email=eve%40example.com")).status).toBe(422);
    expect((await b.post(id, "email=ann%40example.com")).status).toBe(200);
  });

  it("may be changed while the form is full", async () => {
    const { send, at, b, id } = await world({ availability: { limit: 1 } });
    const sent = await send("name=Ann");
    expect((await b.post(id, "name=Bob")).status).toBe(403);
    expect((await at(sent.url, "name=Bea")).status).toBe(200);
  });

  it("becomes spam where its new content is", async () => {
    const { send, at, stored } = await world({ spam: { words: ["cheap pills"] } });
    const sent = await send("note=hello");
    expect((await at(sent.url, "note=buy+cheap+pills")).status).toBe(200);
    expect((await stored(sent.id)).spam).toBe(true);
  });

  it.each([
    ["after its time", 410, async (w: Awaited<ReturnType<typeof world>>) => w.later(7 * DAY)],
    ["after the submission was deleted", 404, async (w, sent) => void (await w.b.submissions.delete(w.id, sent.id))],
    [
      "after its sender was erased",
      404,
      async (w) => void (await w.b.dataSubjects.erase({ email: "ann@example.com" })),
    ],
    ["after the form was deleted", 404, async (w) => void (await w.b.forms.delete(w.id))],
    [
      "after changes were switched off",
      403,
      async (w) => void (await w.b.forms.update(w.id, { settings: { edit: { enabled: false } } })),
    ],
    ["while the form is off", 403, async (w) => void (await w.b.forms.update(w.id, { active: false }))],
  ] as [string, number, (w: Awaited<ReturnType<typeof world>>, sent: { id: string }) => Promise<void>][])(
    "answers a page %s",
    async (_, status, act) => {
      const w = await world();
      const sent = await w.send("name=Ann&email=ann%40example.com");
      await act(w, sent);
      for (const body of [undefined, "name=Bea"]) {
        const answer = await w.at(sent.url, body);
        expect(answer.status).toBe(status);
        expect(answer.text).toContain("<!doctype html>");
        expect(answer.text).not.toContain("Ann");
        const json = await w.at(sent.url, body, "application/json");
        expect([json.status >= 400, typeof json.json.error.code]).toEqual([true, "string"]);
      }
    },
  );

  it("has no link that anybody can make up", async () => {
    const { send, at } = await world();
    const other = await send("name=Bob");
    const sent = await send("name=Ann");
    const token = (url: string) => url.slice(url.lastIndexOf("/") + 1).split(".");
    const base = sent.url.slice(0, sent.url.lastIndexOf("/") + 1);
    const forged = [
      `${token(other.url)[0]}.${token(sent.url)[1]}`,
      `${token(sent.url)[0]}.${token(sent.url)[1]}x`,
      "x",
      "a.b.c",
      "%00",
    ];
    for (const one of forged) expect((await at(base + one)).status).toBe(404);
  });

  it("keeps encrypted, hashed and dropped values as its fields say, and shows none of them", async () => {
    const fields = { iban: { store: "encrypt" }, pin: { store: "hash" }, once: { store: "drop" } };
    const encryption = { keys: [{ id: "k", key: Buffer.alloc(32, 1).toString("base64") }] };
    const { send, at, stored } = await world({ fields }, {}, { encryption });
    const sent = await send("name=Ann&iban=DE12&pin=1234&once=x");
    const { values: first } = await stored(sent.id);
    const page = await at(sent.url);
    expect(page.text).not.toMatch(/DE12|1234/);
    expect(page.text).toContain("Leave this empty to keep what you sent.");
    await at(sent.url, "name=Bea&iban=&pin=&_revision=0");
    const kept = await stored(sent.id);
    expect(kept.values).toEqual({ ...first, name: "Bea" });
    expect(kept.revisions?.[0]?.fields).toContainEqual({ key: "iban", value: "DE12" });
    await at(sent.url, "name=Bea&iban=FR34&pin=9999&once=y&_revision=1");
    const changed = await stored(sent.id);
    expect(changed.values).toMatchObject({ name: "Bea", iban: "FR34" });
    expect(changed.values["pin"]).not.toBe(first["pin"]);
    expect(changed.values["pin"]).not.toBe("9999");
    expect(JSON.stringify(changed)).not.toMatch(/"(x|y|9999|1234)"/);
  });

  it("exchanges files, and removes those that were replaced", async () => {
    const { send, at, stored, b } = await world();
    const body = (text: string) => {
      const form = new FormData();
      form.append("name", "Ann");
      form.append("cv", new File([text], "cv.txt", { type: "text/plain" }));
      return form;
    };
    const sent = await send(body("old life"));
    const before = (await stored(sent.id)).files[0];
    expect((await at(sent.url)).text).toContain('type="file"');
    expect((await at(sent.url, body("new life"))).status).toBe(200);
    const after = await stored(sent.id);
    expect(after.files).toHaveLength(1);
    expect(await (await b.fetch(new Request(after.files[0]?.url ?? ""))).text()).toBe("new life");
    expect((await b.fetch(new Request(before?.url ?? ""))).status).toBe(404);
    // A change of another field keeps the file.
    await at(sent.url, "name=Bea");
    expect((await stored(sent.id)).files).toHaveLength(1);
  });

  it("waits for the confirmation of its address, which can't be changed afterwards", async () => {
    const settings = { edit: { enabled: true }, double_opt_in: { enabled: true, field: "email" } };
    const { send, at, b, id } = await world(settings);
    const sent = await send("email=ann%40example.com&note=a");
    const waiting = await at(sent.url);
    expect([waiting.status, waiting.text.includes("confirm your email address")]).toEqual([403, true]);
    await b.tick();
    const link = /https?:\/\/\S+\/c\/\S+/.exec(b.mails[0]?.text ?? "")?.[0] ?? "";
    expect((await at(link, "")).status).toBe(200);
    expect((await at(sent.url)).text).toContain("readonly");
    expect((await at(sent.url, "email=eve%40example.com&note=b")).status).toBe(200);
    const [one] = (await b.submissions.list(id)).data;
    expect(one?.values).toEqual({ email: "ann@example.com", note: "b" });
  });

  it("has its link on the thank-you page, in JSON and in the reply, for spam too, and nowhere else", async () => {
    const auto_response = { enabled: true, template: { message: "Change it: {{edit_url}}" } };
    const { b, id, send } = await world(
      {},
      { auto_response, self_email_notification: { recipients: ["me@example.com"], subject: "{{edit_url}}!" } },
    );
    const sent = await send("email=ann%40example.com&edit_url=https%3A%2F%2Fevil.example");
    await b.tick();
    const reply = b.mails.find(({ to }) => to.address === "ann@example.com");
    expect(reply?.text).toContain(`Change it: ${sent.url}`);
    expect(b.mails.find(({ to }) => to.address === "me@example.com")?.subject).toBe("!");
    const thanks = await b.post(id, "name=Ann", { accept: "text/html" });
    const page = await b.fetch(new Request(thanks.headers.get("location") ?? ""));
    expect(await page.text()).toMatch(/<a href="[^"]+\/e\/[^"]+">Change what you sent<\/a>/);
    expect((await b.post(id, "name=Ann&_gotcha=x")).json.edit_url).toMatch(/\/e\//);
    await b.forms.update(id, { storage: { store_submissions: false } });
    expect((await b.post(id, "name=Ann")).json).not.toHaveProperty("edit_url");
  });

  it("keeps 20 versions, and no more than a megabyte of them", async () => {
    const { send, at, stored } = await world();
    const sent = await send("n=start");
    for (let i = 0; i < 22; i++) expect((await at(sent.url, `n=${i}`)).status).toBe(200);
    const { revisions = [] } = await stored(sent.id);
    expect(revisions).toHaveLength(20);
    expect(revisions.at(-1)?.fields[0]?.value).toBe("20");
    const large = (i: number) => Array.from({ length: 8 }, (_, at) => `f${at}=${i}${"x".repeat(60_000)}`).join("&");
    for (let i = 0; i < 4; i++) await at(sent.url, large(i));
    expect(JSON.stringify((await stored(sent.id)).revisions).length).toBeLessThan(1024 * 1024 + 1_000);
  });
});
