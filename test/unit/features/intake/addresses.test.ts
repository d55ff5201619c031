import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { type CallOptions, type Harness, harness } from "../../../_support/backend.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const SCRIPT = { accept: "application/json" };
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const site = "https://site.example";

/** The storage, and how often rows of each collection were asked for by id. */
function counting() {
  const storage = memoryStorage();
  const reads: string[] = [];
  let down = false;
  return {
    reads,
    cut: () => {
      down = true;
    },
    storage: {
      ...storage,
      get: ((collection, ids) => {
        if (down) return Promise.reject(new Error("cable cut"));
        reads.push(...ids.map((id) => `${collection} ${id}`));
        return storage.get(collection, ids);
      }) as typeof storage.get,
    },
  };
}

async function make(options: object = {}, form: object = {}) {
  const b = harness({ dialects: ["formcarry"], logger: silent, ...options });
  await b.teams.create({ id: "acme", name: "Acme" });
  const settings = { key: "contact", aliases: ["old_Id", "me@example.com"] };
  const { id, endpoint } = await b.forms.create({ name: "A", team_id: "acme", ...form, settings });
  return { b, id, endpoint };
}

const ask = (b: Harness, method: string, path: string, options: CallOptions = {}) =>
  b.call(method, path, { key: null, ...options });
const stored = async (b: Harness, id: string) =>
  (await b.submissions.list(id)).data.map(({ fields }) => fields.map(({ key, value }) => `${key}=${value}`).join());

const addresses: [name: string, path: (id: string) => string][] = [
  ["the id", (id) => `/f/${id}`],
  ["team and key", () => "/p/acme/f/contact"],
  ["Formcarry's address, an id in it", (id) => `/s/${id}`],
  ["Formcarry's address, an alias in it", () => "/s/old_Id"],
  ["an alias with an @", () => "/s/me@example.com"],
  ["an alias with an encoded @", () => "/s/me%40example.com"],
];

describe.each(addresses)("a form at %s", (_, path) => {
  it("takes forms and JSON, and answers like its endpoint", async () => {
    const { b, id, endpoint } = await make();
    const json = await ask(b, "POST", path(id), { body: { a: "1" }, headers: SCRIPT });
    expect(json.json).toMatchObject({ code: 200, status: "success", submission_id: expect.any(String) });
    const page = await ask(b, "POST", path(id), { body: "a=2", headers: { ...FORM, ...PAGE } });
    const thanks = page.headers.get("location") ?? "";
    expect([page.status, thanks.startsWith(`${endpoint}/thanks/`)]).toEqual([303, true]);
    expect((await stored(b, id)).sort()).toEqual(["a=1", "a=2"]);
    const again = await ask(b, "GET", path(id) + thanks.slice(endpoint.length), { headers: PAGE });
    expect(again.status).toBe(200);
  });

  it("explains itself to people with the endpoint, and takes no other method", async () => {
    const { b, id, endpoint } = await make();
    const page = await ask(b, "GET", path(id), { headers: PAGE });
    expect([page.status, page.text.includes(endpoint)]).toEqual([405, true]);
    for (const method of ["GET", "PUT"]) {
      const { status, headers, json } = await ask(b, method, path(id), { headers: SCRIPT });
      expect([status, headers.get("allow"), json.error.code]).toEqual([405, "POST, OPTIONS", "method_not_allowed"]);
    }
  });

  it("hands out render tokens of the form", async () => {
    const { b, id } = await make({}, { spam: { require_token: true } });
    const { json } = await ask(b, "GET", `${path(id)}/token`);
    await b.clock.advance(10_000);
    await ask(b, "POST", path(id), { body: { a: "1", _token: json.token }, headers: SCRIPT });
    expect(await stored(b, id)).toEqual(["a=1"]);
    const challenge = await ask(b, "GET", `${path(id)}/challenge`);
    expect(challenge.json.error.message).toContain("ALTCHA");
  });

  it("answers preflights for the form's origins", async () => {
    const { b, id } = await make({}, { allowed_origins: [site] });
    const options = async (at: string, origin: string) => {
      const { status, headers } = await ask(b, "OPTIONS", at, { headers: { origin } });
      return [status, headers.get("access-control-allow-origin"), headers.get("access-control-allow-methods")];
    };
    expect(await options(path(id), site)).toEqual([204, site, "POST, OPTIONS"]);
    expect(await options(`${path(id)}/token`, site)).toEqual([204, site, "GET, HEAD, OPTIONS"]);
    expect(await options(path(id), "https://evil.example")).toEqual([204, null, "POST, OPTIONS"]);
  });

  it("leads back to itself from the error page, which may post whatever origins the form lists", async () => {
    const rules = [{ field: "email", checks: [{ type: "required" as const }] }];
    const { b, id } = await make({}, { allowed_origins: [site], validation: { rules } });
    const post = (at: string, body: string, origin: string, referer: string) =>
      ask(b, "POST", at, { body, headers: { ...FORM, ...PAGE, origin, referer } });
    const refused = await post(path(id), "a=1", site, `${site}/contact`);
    const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(refused.text) ?? [];
    expect([refused.status, action.split("?")[0]]).toEqual([422, b.baseUrl + path(id)]);
    const at = action.replaceAll("&amp;", "&").slice(b.baseUrl.length);
    const own = new URL(b.baseUrl).origin;
    const taken = await post(at, "a=1&email=ann@example.com", own, b.baseUrl + path(id));
    expect(taken.status).toBe(303);
    expect((await b.submissions.list(id)).data[0]?.referer).toBe(`${site}/contact`);
  });

  it("is 503 while the store is down, and asks to send again what was written", async () => {
    const { storage, cut } = counting();
    const { b, id } = await make({ storage });
    cut();
    await b.clock.advance(3_000);
    const headers = { ...FORM, ...PAGE };
    const page = await ask(b, "POST", path(id), { body: "a=written", headers });
    expect([page.status, page.text.includes("written")]).toEqual([503, true]);
    expect(page.text).toContain(`action="${b.baseUrl}${path(id)}"`);
    const json = await ask(b, "POST", path(id), { body: "a=1", headers: { ...FORM, ...SCRIPT } });
    expect([json.status, json.json.error.code]).toEqual([503, "unavailable"]);
    expect((await ask(b, "GET", path(id), { headers: PAGE })).status).toBe(503);
    expect((await ask(b, "GET", `${path(id)}/token`)).json.error.code).toBe("unavailable");
    const preflight = await ask(b, "OPTIONS", path(id), { headers: { origin: site } });
    expect([preflight.status, preflight.headers.get("access-control-max-age")]).toEqual([204, "0"]);
  });
});

describe("a name that leads nowhere", () => {
  const long = "a".repeat(10_000);
  it.each([
    ["an unknown key", "/p/acme/f/nothing"],
    ["a key of another team", "/p/default/f/contact"],
    ["an unknown team", "/p/nobody/f/contact"],
    ["an alias in the place of a key", "/p/acme/f/old_Id"],
    ["a key in the place of an alias", "/s/contact"],
    ["an unknown alias", "/s/nothing"],
    ["an alias in the place of an id", "/f/old_Id"],
    ["a key in the place of an id", "/f/contact"],
  ])("%s is 404 in the public shape", async (_, path) => {
    const { b } = await make();
    for (const method of ["GET", "POST"]) {
      const script = await ask(b, method, path, { headers: SCRIPT });
      expect(script.json).toMatchObject({ code: 404, status: "error", error: { code: "form_not_found" } });
      const page = await ask(b, method, path, { headers: PAGE });
      expect([page.status, page.text.includes('role="alert"')]).toEqual([404, true]);
    }
    const { status, headers } = await ask(b, "OPTIONS", path, { headers: { origin: site } });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });

  it("is also a form's id where a key is asked for", async () => {
    const { b, id } = await make();
    expect((await ask(b, "POST", `/p/acme/f/${id}`, { body: { a: "1" } })).status).toBe(404);
  });

  it.each([
    ["a long key", `/p/acme/f/${long}`],
    ["a long team", `/p/${long}/f/contact`],
    ["a long alias", `/s/${long}`],
    ["a key with a colon", "/p/acme/f/a:b"],
    ["a team with a colon", "/p/acme:a/f/contact"],
    ["a key that ends with a line", "/p/acme/f/contact%0A"],
    ["a key with a slash", "/p/acme/f/%2Fcontact"],
    ["a key that no text can be", "/p/acme/f/%E0%A4%A"],
    ["an alias with a space", "/s/old%20Id"],
    ["an alias with a zero byte", "/s/old_Id%00"],
  ])("%s is 404, and not looked up", async (_, path) => {
    const { storage, reads } = counting();
    const { b } = await make({ storage });
    reads.length = 0;
    const { status, json } = await ask(b, "POST", path, { body: { a: "1" }, headers: SCRIPT });
    expect([status, json.error.code]).toEqual([404, "form_not_found"]);
    expect(reads.filter((read) => read !== "forms -")).toEqual([]);
  });

  it.each(["/p/acme/f/nothing", "/s/nothing", `/s/${long}`])("costs its sender: %s", async (path) => {
    const { b } = await make({ rateLimit: { perIp: { points: 2, seconds: 60 } } });
    const answers = [];
    for (const method of ["POST", "OPTIONS", "POST"]) answers.push((await ask(b, method, path.slice(0, 99))).status);
    expect(answers).toEqual([404, 204, 429]);
  });

  it("is not looked up beyond the sender's rate, however many are made up", async () => {
    const { storage, reads } = counting();
    const { b } = await make({ storage, rateLimit: { perIp: { points: 2, seconds: 60 } } });
    reads.length = 0;
    for (let n = 10; n < 40; n++) await ask(b, "POST", `/f/made-up00${n}`, { body: { a: "1" }, headers: SCRIPT });
    expect(new Set(reads.filter((read) => read.startsWith("forms made-up"))).size).toBe(2);
  });

  it.each(["token", "challenge", "availability"])(
    "is not looked up beyond the sender's rate for its %s either, and pages read that it is reached",
    async (what) => {
      const { storage, reads } = counting();
      const { b, id } = await make({ storage, rateLimit: { perIp: { points: 2, seconds: 60 } } });
      await b.forms.update(id, { allowed_origins: ["https://site.example"] });
      await b.post(id, { a: "1" }, { origin: "https://site.example" });
      reads.length = 0;
      const statuses = [];
      for (let n = 10; n < 40; n++) statuses.push((await ask(b, "GET", `/f/made-up00${n}/${what}`)).status);
      expect([statuses[0], new Set(statuses.slice(1))]).toEqual([404, new Set([429])]);
      expect(new Set(reads.filter((read) => read.startsWith("forms made-up"))).size).toBe(1);
      for (const [origin, allowed] of [
        ["https://site.example", "https://site.example"],
        ["https://evil.example", null],
      ] as const) {
        const { status, headers } = await ask(b, "GET", `/f/${id}/${what}`, { headers: { origin } });
        expect([status, headers.get("access-control-allow-origin")]).toEqual([429, allowed]);
      }
    },
  );
});

describe("a form's name that changes", () => {
  const statuses = async (b: Harness, paths: string[]) => {
    const answers = [];
    for (const path of paths) answers.push((await ask(b, "POST", path, { body: { a: "1" } })).status);
    return answers;
  };

  it("leads to the form at once under its new one, and under its old one no more", async () => {
    const { b, id } = await make();
    expect(await statuses(b, ["/p/acme/f/contact", "/s/old_Id"])).toEqual([200, 200]);
    await b.forms.update(id, { settings: { key: "hello", aliases: ["new_Id"] } });
    const paths = ["/p/acme/f/hello", "/s/new_Id", "/p/acme/f/contact", "/s/old_Id"];
    expect(await statuses(b, paths)).toEqual([200, 200, 404, 404]);
    const other = await b.forms.create({ name: "B", team_id: "acme", settings: { key: "contact" } });
    expect(await statuses(b, ["/p/acme/f/contact"])).toEqual([200]);
    expect((await b.submissions.list(other.id)).data).toHaveLength(1);
  });

  it("leads nowhere once the form is deleted, and to `form_inactive` while it is off", async () => {
    const { b, id } = await make();
    await b.forms.update(id, { active: false });
    const { json } = await ask(b, "POST", "/p/acme/f/contact", { body: { a: "1" }, headers: SCRIPT });
    expect(json.error.code).toBe("form_inactive");
    await b.forms.delete(id);
    expect(await statuses(b, ["/p/acme/f/contact", "/s/old_Id", `/s/${id}`])).toEqual([404, 404, 404]);
  });
});

it("keys and aliases that are called like an address below a form are names all the same", async () => {
  const { b, id } = await make();
  await b.forms.update(id, { settings: { key: "token", aliases: ["challenge"] } });
  for (const path of ["/p/acme/f/token", "/s/challenge"]) {
    const { headers } = await ask(b, "OPTIONS", path, { headers: { origin: site } });
    expect(headers.get("access-control-allow-methods")).toBe("POST, OPTIONS");
    expect((await ask(b, "POST", path, { body: { a: "1" } })).status).toBe(200);
  }
});

it("an id costs no read besides the form's at either address, and a name one", async () => {
  const { storage, reads } = counting();
  const { b, id } = await make({ storage });
  const readBy = async (path: string) => {
    await b.clock.advance(3_000);
    reads.length = 0;
    await ask(b, "POST", path, { body: { a: "1" } });
    return reads.filter((read) => /^forms |^marks form-/.test(read));
  };
  expect(await readBy(`/f/${id}`)).toEqual([`forms ${id}`]);
  expect(await readBy(`/s/${id}`)).toEqual([`forms ${id}`]);
  expect(await readBy("/p/acme/f/contact")).toEqual(["marks form-key:acme:contact", `forms ${id}`]);
});

it("Formcarry's addresses are there only where the host names them", async () => {
  const { b, id } = await make({ dialects: undefined });
  const { json } = await ask(b, "POST", `/s/${id}`, { body: { a: "1" }, headers: SCRIPT });
  expect(json).toMatchObject({ code: 404, error: { code: "not_found" } });
  expect((await ask(b, "POST", "/p/acme/f/contact", { body: { a: "1" } })).status).toBe(200);
  expect(() => harness({ dialects: ["formcary"] } as never)).toThrow(
    /`dialects.0`: must be one of formspree, formcarry,/,
  );
});

it("the addresses answer where the host strips the prefix, too", async () => {
  const rules = [{ field: "email", checks: [{ type: "required" as const }] }];
  const { b } = await make({}, { validation: { rules } });
  const headers = { ...FORM, ...PAGE };
  const post = (body: string) => b.fetch(new Request("http://h/p/acme/f/contact/", { method: "POST", body, headers }));
  expect(await (await post("a=1")).text()).toContain(`action="${b.baseUrl}/p/acme/f/contact"`);
  const taken = await post("email=ann@example.com");
  expect([taken.status, taken.headers.get("location")?.startsWith(b.baseUrl)]).toEqual([303, true]);
});
