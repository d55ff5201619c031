import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { MAX_OF_FORM, MAX_OF_TEAM } from "../../../../src/features/intake/drafts.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";

const DAY = 24 * 60 * 60_000;
const NAME = "0123456789abcdef0123456789ABCDEF-_";

async function world(more: object = {}, settings: object = {}) {
  const clock = testClock(Date.parse("2026-11-22T10:00:00.000Z"));
  const storage = memoryStorage();
  const b = harness({ clock, storage, ...more });
  const { id } = await b.forms.create({ name: "Application", settings: { drafts: { enabled: true }, ...settings } });
  const send = (method: string, body?: unknown, { name = NAME, form = id, headers = {} } = {}) =>
    b.call(method, `/f/${form}/drafts/${name}`, { key: null, body, headers: { "sec-fetch-mode": "cors", ...headers } });
  const all = () => storage.page("drafts", { index: "expiry", equals: {}, order: "asc", limit: 100 });
  return { b, id, clock, storage, send, all };
}

describe("drafts", () => {
  it("keep what was typed as it was sent, replace it, and let it go", async () => {
    const { send } = await world();
    const typed = { name: "Ann", topics: ["a", "b"], one: ["x"], none: [], age: 7, ok: true, gone: null };
    const put = await send("PUT", typed);
    expect([put.status, put.text, put.headers.get("access-control-allow-origin")]).toEqual([204, "", "*"]);
    const got = await send("GET");
    expect([got.status, got.json, got.headers.get("cache-control")]).toEqual([200, typed, "no-store"]);
    await send("PUT", { name: "Ben" });
    expect((await send("GET")).json).toEqual({ name: "Ben" });
    for (let i = 0; i < 2; i++) expect((await send("DELETE")).status).toBe(204);
    expect((await send("GET")).status).toBe(404);
  });

  it("of one team don't wait for all those of another", async () => {
    const storage = memoryStorage();
    const { b, send } = await world({
      rateLimit: false,
      storage: {
        ...storage,
        async commit(writes: Parameters<typeof storage.commit>[0]) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          await storage.commit(writes);
        },
      },
    });
    await b.teams.create({ id: "other", name: "Other" });
    const other = await b.forms.create({ name: "B", settings: { drafts: { enabled: true } } }, { team_id: "other" });
    const done: string[] = [];
    const save = async (name: string, form?: string) => {
      const sent = await send("PUT", { a: "1" }, { name, ...(form !== undefined && { form }) });
      done.push(form === undefined ? "many" : "one");
      expect(sent.status).toBe(204);
    };
    const many = Array.from({ length: 300 }, (_, i) => save(`${NAME}${i}`));
    await Promise.all([...many, save(NAME, other.id)]);
    expect(done.indexOf("one")).toBeLessThan(150);
  });

  it("are neither submissions, nor validated, mailed or counted", async () => {
    const { b, id, send } = await world({}, { double_opt_in: { enabled: true } });
    await b.forms.update(id, {
      self_email_notification: { recipients: ["owner@example.com"] },
      validation: { rules: [{ field: "name", checks: [{ type: "required", value: "", message: "" }] }] },
    });
    expect((await send("PUT", { email: "nobody" })).status).toBe(204);
    await b.tick();
    expect(b.mails).toEqual([]);
    expect((await b.submissions.list(id, { status: "all" })).data).toEqual([]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(0);
  });

  it("go with the post that names them, in its transaction, and stay where it is refused", async () => {
    const { b, id, send } = await world();
    await b.forms.update(id, {
      validation: { rules: [{ field: "n", checks: [{ type: "required", value: "", message: "" }] }] },
    });
    await send("PUT", { n: "" });
    expect((await b.post(id, { a: "1", _draft: NAME })).status).toBe(422);
    expect((await send("GET")).status).toBe(200);
    const { json } = await b.post(id, { n: "1", _draft: NAME });
    expect((await send("GET")).status).toBe(404);
    expect((await b.submissions.get(id, json.submission_id)).fields).toEqual([{ key: "n", value: "1" }]);
    for (const _draft of ["", "short", "x".repeat(1_000), "../../../etc/passwd"]) {
      expect((await b.post(id, { n: "1", _draft })).status).toBe(200);
    }
  });

  it("are of one form, and another form's post takes none away", async () => {
    const { b, send } = await world();
    const other = await b.forms.create({ name: "Other", settings: { drafts: { enabled: true } } });
    await send("PUT", { n: "1" });
    expect((await send("GET", undefined, { form: other.id })).status).toBe(404);
    await b.post(other.id, { n: "1", _draft: NAME });
    expect((await send("GET")).status).toBe(200);
  });

  it("end after their days, counted from the last change, and the sweep removes them", async () => {
    const { b, clock, send, all } = await world({}, { drafts: { enabled: true, keep_for: "2_days" } });
    await send("PUT", { n: "1" });
    clock.set(clock.now() + DAY);
    await send("PUT", { n: "2" });
    clock.set(clock.now() + 2 * DAY - 1);
    await b.sweep();
    expect((await send("GET")).json).toEqual({ n: "2" });
    clock.set(clock.now() + 2);
    expect((await send("GET")).status).toBe(404);
    await b.sweep();
    expect(await all()).toEqual([]);
  });

  it("leave out what the form does not store as it is, what looks secret, and what steers", async () => {
    const { send, all } = await world({}, { fields: { ssn2: { store: "hash" }, diary: { store: "drop" } } });
    const secrets = {
      ssn2: "1",
      diary: "2",
      password: "3",
      Card_Number: "4",
      cvv: "5",
      api_token: "6",
      _subject: "7",
      "": "8",
    };
    await send("PUT", { ...secrets, name: "Ann" });
    expect((await send("GET")).json).toEqual({ name: "Ann" });
    expect(JSON.stringify(await all())).not.toMatch(/ssn2|diary|password|_subject/);
  });

  it("are refused with what is wrong: too large, no object, another type, a bad name, switched off, unknown form", async () => {
    const { b, id, send } = await world({ rateLimit: false });
    const is = async (answer: ReturnType<typeof send>, status: number, code: string, param?: string) => {
      const { status: got, json } = await answer;
      expect([got, json?.error.code, json?.error.param, json?.status]).toEqual([status, code, param, "error"]);
    };
    await is(send("PUT", { a: "x".repeat(64 * 1024) }), 413, "payload_too_large");
    for (const body of ["[]", '"x"', "1", "null"]) {
      await is(send("PUT", body, { headers: { "content-type": "application/json" } }), 400, "invalid_parameter");
    }
    await is(send("PUT", "{", { headers: { "content-type": "application/json" } }), 400, "invalid_parameter");
    await is(
      send("PUT", "a=1", { headers: { "content-type": "application/x-www-form-urlencoded" } }),
      415,
      "unsupported_media_type",
    );
    await is(send("PUT", { a: { b: 1 } }), 400, "invalid_parameter", "a");
    await is(send("PUT", { a: [["b"]] }), 400, "invalid_parameter", "a");
    for (const name of ["a".repeat(31), "a".repeat(65), `${"a".repeat(31)}.`]) {
      await is(send("PUT", { a: "1" }, { name }), 400, "invalid_parameter", "draft");
    }
    await is(send("GET", undefined, { form: "nothere" }), 404, "form_not_found");
    expect((await send("POST", {})).status).toBe(405);
    await b.forms.update(id, { settings: { drafts: { enabled: false } } });
    for (const method of ["PUT", "GET", "DELETE"])
      await is(send(method, method === "PUT" ? {} : undefined), 404, "not_found");
  });

  it("are taken from the origins that may post, after a preflight", async () => {
    const { send } = await world({}, { allowed_origins: ["https://a.example"] });
    const from = (origin: string) => ({ headers: { origin } });
    const asked = await send("OPTIONS", undefined, from("https://a.example"));
    expect([asked.status, asked.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, PUT, DELETE, HEAD, OPTIONS",
    ]);
    const put = await send("PUT", { n: "1" }, from("https://a.example"));
    expect([put.status, put.headers.get("access-control-allow-origin")]).toEqual([204, "https://a.example"]);
    for (const method of ["PUT", "DELETE"]) {
      const refused = await send(method, method === "PUT" ? { n: "2" } : undefined, from("https://b.example"));
      expect([refused.status, refused.json.error.code]).toEqual([403, "origin_not_allowed"]);
    }
    expect((await send("GET", undefined, from("https://b.example"))).headers.get("access-control-allow-origin")).toBe(
      null,
    );
  });

  it("are limited: 60 requests a minute, and so many that one address begins in a day", async () => {
    const { clock, send, all } = await world({ rateLimit: { newDrafts: { points: 70, seconds: 86_400 } } });
    const begin = (n: number) => send("PUT", { n: "1" }, { name: String(n).padStart(32, "0") });
    const statuses: number[] = [];
    for (let n = 0; n < 61; n++) statuses.push((await begin(n)).status);
    expect([statuses.filter((one) => one === 204).length, statuses.at(-1)]).toEqual([60, 429]);
    clock.set(clock.now() + 60_000);
    for (let n = 60; n < 100; n++) await begin(n);
    expect((await begin(0)).status).toBe(204);
    expect(await all()).toHaveLength(70);
  });

  it("of one IPv6 network are limited, too, from whichever of its addresses they come", async () => {
    const { b, id, all } = await world({ rateLimit: { draftNetworks: { points: 5, seconds: 86_400 } } });
    const begin = (n: number, ip: string) => {
      const url = `${b.baseUrl}/f/${id}/drafts/${String(n).padStart(32, "0")}`;
      const headers = { "content-type": "application/json", "sec-fetch-mode": "cors" };
      return b.handle(new Request(url, { method: "PUT", body: '{"n":"1"}', headers }), { ip });
    };
    const statuses: number[] = [];
    for (let n = 0; n < 7; n++) statuses.push((await begin(n, `2001:db8:1:${n}::1`)).status);
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429, 429]);
    expect((await begin(7, "2001:db8:2::1")).status).toBe(204);
    expect((await begin(8, "192.0.2.1")).status).toBe(204);
    expect(await all()).toHaveLength(7);
  });

  it("beyond a form's number take the place of the oldest, and never that of another form's", async () => {
    const { b, id, clock, storage } = await world({ rateLimit: false });
    const other = await b.forms.create({ name: "Other", settings: { drafts: { enabled: true } } });
    const begin = async (form: string, n: number) => {
      const headers = { "sec-fetch-mode": "cors" };
      const path = `/f/${form}/drafts/${String(n).padStart(32, "0")}`;
      expect((await b.call("PUT", path, { key: null, body: { n }, headers })).status).toBe(204);
      clock.set(clock.now() + 1);
    };
    await begin(other.id, 0);
    for (let n = 0; n < MAX_OF_FORM + 3; n++) await begin(id, n);
    const left = (form_id: string) =>
      storage.page("drafts", { index: "form", equals: { form_id }, order: "asc", limit: 2 * MAX_OF_FORM });
    const drafts = await left(id);
    expect([drafts.length, drafts[0]?.value["fields"]]).toEqual([MAX_OF_FORM, { n: 3 }]);
    expect(await left(other.id)).toHaveLength(1);
  });

  it("of a team, over all its forms, stay below a number as well", async () => {
    const { b, id, clock, storage } = await world({ rateLimit: false });
    const expires_at = new Date(clock.now()).toISOString();
    const value = { form_id: "elsewhere00", team_id: "default", fields: {}, expires_at };
    for (let at = 0; at < MAX_OF_TEAM; at += 500) {
      const ids = Array.from({ length: 500 }, (_, n) => `elsewhere00:${String(at + n).padStart(32, "0")}`);
      await storage.commit(ids.map((row) => ({ op: "put", collection: "drafts", id: row, value })));
    }
    const path = `/f/${id}/drafts/${NAME}`;
    await b.call("PUT", path, { key: null, body: { n: 1 }, headers: { "sec-fetch-mode": "cors" } });
    const query = { index: "team", equals: { team_id: "default" }, budgetMs: 1_000 };
    expect((await storage.count("drafts", query)).count).toBe(MAX_OF_TEAM);
    expect((await storage.get("drafts", [`${id}:${NAME}`])).size).toBe(1);
  });

  it("go with the person who is erased", async () => {
    const { b, send, all } = await world();
    await send("PUT", { who: ["ann@example.com"] });
    await send("PUT", { who: "ben@example.com" }, { name: "b".repeat(32) });
    await b.call("POST", "/v1/data-subjects/erase", { body: { email: "ann@example.com" } });
    expect((await all()).map(({ value }) => value["fields"])).toEqual([{ who: "ben@example.com" }]);
  });
});
