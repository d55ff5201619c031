import { describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { type InboxOptions, inbox } from "../../../../src/surfaces/inbox/index.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";
import { ann, inboxHarness, type Page } from "./_inbox.ts";

const closed = { authenticate: undefined } as unknown as InboxOptions;
const base = "http://localhost:3000/forms/inbox";
const tokenOf = (url: string): string => new URL(url).searchParams.get("token") ?? "";

describe("the gate", () => {
  it("is closed: a stranger sees what somebody sees who asks for nothing", async () => {
    const backend = inboxHarness(closed);
    const stranger = backend.stranger();
    for (const path of ["/", "/all", "/f/x", "/sign-in", "/enter", "/enter?token=x", "/nowhere"]) {
      expect((await stranger.get(path)).status, path).toBe(404);
    }
    expect((await stranger.post("/enter", { token: "x" })).status).toBe(404);
  });

  describe("of a developer, without an option that lets people in", () => {
    const lines = () => {
      const links: string[] = [];
      const info = (message: string) => links.push(...(/https?:\S+\/enter\?token=\S+/.exec(message) ?? []));
      return { links, logger: { debug() {}, info, warn() {}, error() {} } };
    };

    it("prints a fresh link at each visit, at most one in five seconds, and the page says so", async () => {
      const { links, logger } = lines();
      const clock = testClock(Date.parse("2026-11-24T10:00:00.000Z"));
      const backend = inboxHarness(closed, { logger, clock });
      await backend.ready();
      expect(links).toHaveLength(1);
      clock.set(clock.now() + 5_000);
      const { status, text } = await backend.stranger().get("/");
      expect([status, text]).toEqual([404, expect.stringContaining("was just printed in the log")]);
      await backend.stranger().get("/all");
      expect(links).toHaveLength(2);

      const token = tokenOf(links[1] ?? "");
      expect((await backend.stranger().post("/enter", { token })).status).toBe(303);
      clock.set(clock.now() + 5_000);
      const again = await backend.stranger().post("/enter", { token });
      expect([again.status, again.text]).toEqual([403, expect.stringContaining("was just printed in the log")]);
      expect(links).toHaveLength(3);
    });

    it("prints nothing in production, where the page is a plain 404", async () => {
      const { links, logger } = lines();
      vi.stubEnv("NODE_ENV", "production");
      try {
        const backend = inboxHarness(closed, { logger });
        const { status, text } = await backend.stranger().get("/");
        expect([status, text.includes("log of this server"), links]).toEqual([404, false, []]);
      } finally {
        vi.unstubAllEnvs();
      }
    });
  });

  it("sends a stranger to the host's login, whatever the method", async () => {
    const backend = inboxHarness({ signIn: () => "/login" });
    const answers = [await backend.stranger().get("/all"), await backend.stranger().post("/new", { name: "x" })];
    for (const { status, headers } of answers) {
      expect([status, headers.get("location")]).toEqual([303, "http://localhost:3000/login"]);
    }
  });

  it("links to a login on another origin where a browser refuses to be sent there", async () => {
    const login = "https://login.example.net/?for=inbox";
    const backend = inboxHarness({ signIn: () => login });
    const opened = await backend.stranger().get("/all");
    expect([opened.status, opened.headers.get("location")]).toEqual([303, login]);
    for (const { status, headers, text } of [
      await backend.stranger().post("/new", { name: "x" }),
      await backend.stranger().get("/all", { "x-fragment": "main" }),
    ]) {
      expect([status, headers.get("location")]).toEqual([401, null]);
      expect(text).toContain(`<a class="button primary" href="${login}">Sign in again</a>`);
    }
  });

  it("says that somebody is signed out where the way on leads to another origin", async () => {
    const out = async (options: InboxOptions, who: "guest" | "member") => {
      const backend = inboxHarness(options);
      const visitor = who === "guest" ? await backend.guest() : backend.as({});
      const { status, headers, text } = await visitor.post("/sign-out");
      const [, link = null] = /<h1>You are signed out<.*?href="([^"]+)"/s.exec(text) ?? [];
      return { status, location: headers.get("location"), link, cookies: visitor.jar.size };
    };
    const back = (url: string): InboxOptions => ({ theme: { back: { text: "Back", url } } });
    const signIn = () => "https://login.example.net/";
    const shown = { status: 200, location: null, cookies: 0 };
    expect(await out(back("https://example.net/"), "member")).toEqual({ ...shown, link: "https://example.net/" });
    expect(await out({ signIn }, "guest")).toEqual({ ...shown, link: base });
    const sent = { status: 303, link: null, cookies: 0 };
    expect(await out(back("/app"), "member")).toEqual({ ...sent, location: "http://localhost:3000/app" });
    expect(await out(back("https://example.net/"), "guest")).toEqual({ ...sent, location: base });
    expect(await out({ signIn: () => "/login" }, "guest")).toEqual({ ...sent, location: base });
  });

  it("asks with a button before it signs somebody out, and strangers not at all", async () => {
    const backend = inboxHarness(closed);
    const guest = await backend.guest();
    const { status, text } = await guest.get("/sign-out");
    expect([status, text]).toEqual([200, expect.stringMatching(/action="[^"]*\/sign-out"/)]);
    expect((await guest.get("/")).status).toBe(200);
    await guest.post("/sign-out");
    expect((await guest.get("/sign-out")).status).toBe(404);
  });

  it("refuses options that it does not know, by name", () => {
    expect(() => inbox({ pathh: "/x" } as never)).toThrow("option `pathh` is not known");
    expect(() => inbox({ path: "inbox" })).toThrow("option `path` must be a path");
    expect(() => inbox({ path: "/v1" })).toThrow("option `path` is taken");
    expect(() => inbox({ theme: { primary: "red" } })).toThrow("option `theme.primary` must be a color");
    expect(() => inbox({ hide: ["nonsense"] })).toThrow("option `hide.0` must be one of");
    expect(() => harness({ inbox: inbox as never })).toThrow("option `inbox`: must be what inbox");
  });

  it("is not there without the option", async () => {
    await expect(harness().inbox.link({ team_ids: [], role: "admin", user: ann })).rejects.toThrow("there is no inbox");
  });

  it("hides what the host hides", async () => {
    const backend = inboxHarness({ hide: ["new", "export"] });
    const form = await backend.forms.create({ name: "Contact" });
    expect((await backend.as({}).get("/new")).status).toBe(404);
    expect((await backend.as({}).get(`/f/${form.id}/export`)).status).toBe(404);
    expect((await backend.as({}).get(`/f/${form.id}`)).text).not.toMatch(/\/new"|\/export"/);
  });

  it("hides saved views", async () => {
    for (const hide of [[], ["views"]]) {
      const backend = inboxHarness({ hide });
      const form = await backend.forms.create({ name: "Contact" });
      const { text } = await backend.as({}).get(`/f/${form.id}?state=open`);
      expect(text.includes("/views")).toBe(hide.length === 0);
      const kept = await backend.as({}).post("/views", { name: "Open", form_id: form.id, query: "state=open" });
      expect(kept.status).toBe(hide.length > 0 ? 404 : 303);
    }
  });

  it("has a path of its own, below any base", async () => {
    for (const [baseUrl, path] of [
      ["https://app.example.com", "/inbox"],
      ["https://app.example.com/api/v2/forms", "/team/mail"],
    ] as const) {
      const backend = inboxHarness({ path }, { baseUrl });
      await backend.forms.create({ name: "A" });
      await backend.forms.create({ name: "B" });
      const { status, text } = await backend.as({}).get("/");
      expect(status).toBe(200);
      const links = [...text.matchAll(/(?:href|src|action)="([^"#]+)"/g)].map(([, url = ""]) => url);
      expect(links.length).toBeGreaterThan(5);
      expect(links.filter((url) => !url.startsWith(baseUrl + path))).toEqual([]);
    }
  });

  it("sends each page with headers that let nothing in", async () => {
    const { headers } = await inboxHarness().as({}).get("/");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("vary")).toBe("Cookie");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  });

  it("serves its files to anybody, for ever, zipped where that is taken", async () => {
    const backend = inboxHarness();
    const { text } = await backend.as({}).get("/");
    const files = [...text.matchAll(/(?:href|src)="([^"]+\/assets\/[^"]+)"/g)].map(([, url = ""]) => url);
    expect(files).toHaveLength(4);
    for (const url of files) {
      const file = await backend.stranger().get(url);
      expect(file.status).toBe(200);
      expect(file.text.length).toBeGreaterThan(100);
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      const zipped = await backend.stranger().get(url, { "accept-encoding": "gzip, br" });
      expect(zipped.headers.get("content-encoding")).toBe("gzip");
      expect((await backend.stranger().get(url.replace(/-\w+\./, "-000000000000."))).status).toBe(404);
    }
  });
});

describe("a link", () => {
  const link = { team_ids: ["default"], role: "agent", user: { id: "7", name: "Bo <b>" } } as const;
  const input = { ...link, team_ids: ["default"] };

  it("says who it is for, works once after a press of a button, and leads where it says", async () => {
    const backend = inboxHarness(closed);
    const form = await backend.forms.create({ name: "Contact" });
    const { url, expires_at } = await backend.inbox.link({ ...input, to: `/f/${form.id}` });
    expect(expires_at).toBe("2026-01-01T00:15:00.000Z");
    const visitor = backend.stranger();
    const page = await visitor.get(url);
    expect(page.text).toContain("Bo &lt;b&gt;");
    expect(page.text).toContain("Team: Default");
    expect((await visitor.get(url)).status).toBe(200);
    const entered = await visitor.post("/enter", { token: tokenOf(url) });
    expect([entered.status, entered.headers.get("location")]).toEqual([303, `${backend.baseUrl}/inbox/f/${form.id}`]);
    expect(entered.headers.get("set-cookie")).toMatch(
      /^form-backend=[^;]+; Path=\/; Max-Age=43200; SameSite=Lax; HttpOnly$/,
    );
    expect((await visitor.get(`/f/${form.id}`)).status).toBe(200);
    expect((await visitor.get("/new")).status).toBe(403);
    expect((await backend.stranger().post("/enter", { token: tokenOf(url) })).status).toBe(403);
    expect((await backend.stranger().get(url)).status).toBe(403);
  });

  it("expires", async () => {
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const backend = inboxHarness(closed, { clock });
    const { url } = await backend.inbox.link({ ...input, expires_in: 60 });
    await backend.clock.advance(60_000);
    expect((await backend.stranger().get(url)).status).toBe(403);
    expect((await backend.stranger().post("/enter", { token: tokenOf(url) })).status).toBe(403);
  });

  it("is refused with a sentence where its input is wrong", async () => {
    const { inbox: api } = inboxHarness();
    await expect(api.link({ ...input, role: "boss" as never })).rejects.toThrow("inbox.link: `role` must be viewer");
    await expect(api.link({ ...input, to: "//evil.example" })).rejects.toThrow("`to` must be a path");
    await expect(api.link({ ...input, expires_in: 0 })).rejects.toThrow("`expires_in` must be at least 1");
    await expect(api.link({ ...input, embed: true } as never)).rejects.toThrow("`embed` needs the option `embed`");
  });

  it("is no cookie, and a cookie no link", async () => {
    const backend = inboxHarness(closed);
    const visitor = await backend.guest();
    const [[name, cookie] = ["", ""]] = [...visitor.jar];
    const { url } = await backend.inbox.link(input);
    visitor.jar.set(name, tokenOf(url));
    expect((await visitor.get("/")).status).toBe(404);
    expect((await visitor.post("/enter", { token: cookie })).status).toBe(404);
  });

  it("has a cookie bound to the host where the site has TLS", async () => {
    const backend = inboxHarness(closed, {
      baseUrl: "https://app.example.com/forms",
      brand: { name: "My Letterbox!" },
    });
    const { url } = await backend.inbox.link(input);
    const { headers } = await backend.stranger().post("/enter", { token: tokenOf(url) });
    expect(headers.get("set-cookie")).toMatch(
      /^__Host-my-letterbox=[^;]+; Path=\/; Max-Age=43200; SameSite=Lax; Secure; HttpOnly$/,
    );
  });
});

describe("a session", () => {
  it("ends with the button, and elsewhere with a call", async () => {
    const backend = inboxHarness(closed);
    const [one, two] = [await backend.guest(), await backend.guest()];
    const kept = new Map(one.jar);
    expect((await one.post("/sign-out")).status).toBe(303);
    expect(one.jar.size).toBe(0);
    for (const [name, value] of kept) one.jar.set(name, value);
    expect((await one.get("/")).status).toBe(404);
    expect((await two.get("/")).status).toBe(200);
    const { url } = await backend.inbox.link({ team_ids: [], role: "viewer", user: { id: "guest", name: "" } });
    await backend.inbox.endSessions({ user_id: "guest" });
    expect((await two.get("/")).status).toBe(404);
    expect((await backend.stranger().post("/enter", { token: tokenOf(url) })).status).toBe(403);
    expect((await (await backend.guest()).get("/")).status).toBe(200);
  });

  it("ends with each call, also with two within one millisecond", async () => {
    const backend = inboxHarness(closed);
    await backend.inbox.endSessions({ user_id: "guest" });
    const between = await backend.guest();
    expect((await between.get("/")).status).toBe(200);
    await backend.inbox.endSessions({ user_id: "guest" });
    expect((await between.get("/")).status).toBe(404);
  });

  it("goes on while it is used, and ends after a week", async () => {
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const backend = inboxHarness(closed, { clock });
    const [used, left] = [await backend.guest(), await backend.guest()];
    for (let hours = 0; hours < 7 * 24 - 10; hours += 10) {
      await backend.clock.advance(10 * 3_600_000);
      expect((await used.get("/")).status, `after ${hours + 10} h`).toBe(200);
    }
    expect((await left.get("/")).status).toBe(404);
    await backend.clock.advance(10 * 3_600_000);
    expect((await used.get("/")).status).toBe(404);
  });

  it("goes on with an act, whose result is shown once", async () => {
    const backend = inboxHarness(closed);
    const form = await backend.forms.create({ name: "Contact" });
    const { id } = await backend.submit(form.id, { fields: { message: "Hello" } });
    const guest = await backend.guest();
    const names = ({ headers }: Page): string[] =>
      headers.getSetCookie().map((cookie) => cookie.replace(/=.*?;.*(Max-Age=\d+).*/, " $1"));
    const later = () => backend.clock.advance(11 * 60_000);
    await later();
    const done = await guest.post(`/f/${form.id}/bulk`, { action: "mark_read", ids: id });
    expect(names(done)).toEqual(["form-backend-done Max-Age=20", "form-backend Max-Age=43200"]);
    await later();
    const shown = await guest.get(done.headers.get("location") ?? "");
    expect(shown.text).toContain("1 marked as read");
    expect(names(shown)).toEqual(["form-backend Max-Age=43200", "form-backend-done Max-Age=0"]);
    const again = await guest.get(`/f/${form.id}`);
    expect(again.text).not.toContain("1 marked as read");
    expect(names(again)).toEqual([]);
  });
});

it("opens an unread submission while the disk is full, and marks it as read afterwards", async () => {
  const memory = memoryStorage();
  let full = false;
  const commit: typeof memory.commit = (writes) =>
    full ? Promise.reject(new Error("ENOSPC: no space left on device")) : memory.commit(writes);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const backend = inboxHarness(closed, { storage: { ...memory, commit }, logger });
  const form = await backend.forms.create({ name: "Contact" });
  const { id } = await backend.submit(form.id, { fields: { message: "Hello" } });
  const guest = await backend.guest();
  const open = async () => {
    const { status } = await guest.get(`/f/${form.id}/s/${id}`, { "sec-fetch-site": "none" });
    return [status, (await backend.submissions.get(form.id, id)).read];
  };
  full = true;
  expect(await open()).toEqual([200, false]);
  full = false;
  expect(await open()).toEqual([200, true]);
});

describe("an API key", () => {
  it("opens the inbox where the host allows it, with its own scopes, until it is revoked", async () => {
    const backend = inboxHarness({ ...closed, apiKeys: true });
    const form = await backend.forms.create({ name: "Contact" });
    const visitor = backend.stranger();
    const first = await visitor.get(`/f/${form.id}?status=spam`);
    expect(first.headers.get("location")).toBe(
      `${backend.baseUrl}/inbox/sign-in?next=${encodeURIComponent(`/f/${form.id}?status=spam`)}`,
    );
    expect((await visitor.post("/sign-in", { key: "fb_live_wrong" })).status).toBe(401);
    const { key, id } = await backend.keys.create({ name: "laptop", scopes: ["forms:read", "submissions:read"] });
    const entered = await visitor.post(`/sign-in?next=${encodeURIComponent(`/f/${form.id}?status=spam`)}`, { key });
    expect(entered.headers.get("location")).toBe(`${backend.baseUrl}/inbox/f/${form.id}?status=spam`);
    expect((await visitor.get(`/f/${form.id}`)).status).toBe(200);
    expect((await visitor.get("/new")).status).toBe(403);
    expect([...visitor.jar.values()].join()).not.toContain(key);
    await backend.keys.revoke(id);
    expect((await visitor.get(`/f/${form.id}`)).status).toBe(303);
  });

  it("shows the fields that its holder never gets nowhere: not in the trash, before a confirmation, or of a person", async () => {
    const storage = memoryStorage();
    const backend = inboxHarness({ ...closed, apiKeys: true }, { storage });
    const form = await backend.forms.create({ name: "Contact" });
    const { id: waits } = await backend.forms.create({
      name: "Waits",
      settings: { double_opt_in: { enabled: true } },
    });
    const fields = { email: "ann@example.com", city: "Rome", iban: "DE00123456789012" };
    const stored = await backend.submit(form.id, { fields });
    const trashed = await backend.submit(form.id, { fields });
    await backend.submissions.delete(form.id, trashed.id, { trash: true });
    const pending = (await backend.post(waits, fields)).json.submission_id;
    const { key, id } = await backend.keys.create({ name: "k", scopes: ["forms:read", "submissions:read"] });
    const row = (await storage.get("keys", [id])).get(id) ?? expect.fail("no key");
    await storage.commit([{ op: "put", collection: "keys", id, value: { ...row.value, without: ["iban"] } }]);
    const visitor = backend.stranger();
    await visitor.post("/sign-in", { key });
    const pages = [
      await visitor.get(`/f/${form.id}/s/${stored.id}`),
      await visitor.get(`/f/${form.id}/s/${trashed.id}`),
      await visitor.get(`/f/${waits}/pending/${pending}`),
      await visitor.post("/people", { email: fields.email, action: "find" }),
    ];
    for (const [at, { status, text }] of pages.entries()) {
      expect([at, status, text.includes("Rome"), text.includes("DE0012345")]).toEqual([at, 200, true, false]);
    }
  });

  it("notes when the inbox used it, at most once a minute", async () => {
    const backend = inboxHarness({ ...closed, apiKeys: true });
    const { key, id } = await backend.keys.create({ name: "laptop", scopes: ["forms:read", "submissions:read"] });
    const visitor = backend.stranger();
    const used = async (): Promise<string | null> => (await backend.keys.get(id)).last_used_at;
    expect(await used()).toBeNull();
    await visitor.post("/sign-in", { key });
    const signedIn = await used();
    expect(signedIn).toBe(new Date(backend.clock.now()).toISOString());
    await backend.clock.advance(30_000);
    await visitor.get("/");
    expect(await used()).toBe(signedIn);
    await backend.clock.advance(60_000);
    await visitor.get("/");
    expect(await used()).toBe(new Date(backend.clock.now()).toISOString());
  });

  it("lets nobody in any longer than it lives", async () => {
    const backend = inboxHarness({ ...closed, apiKeys: true });
    const expires_at = new Date(backend.clock.now() + 3_600_000).toISOString();
    const { key } = await backend.keys.create({ name: "hour", scopes: ["forms:read"], expires_at });
    const visitor = backend.stranger();
    expect((await visitor.post("/sign-in", { key })).status).toBe(303);
    await backend.clock.advance(3_599_999);
    expect((await visitor.get("/")).status).toBe(200);
    await backend.clock.advance(1);
    expect((await visitor.get("/")).headers.get("location")).toBe(`${backend.baseUrl}/inbox/sign-in`);
    expect((await visitor.post("/sign-in", { key })).status).toBe(401);
  });

  it("leads nowhere but to pages of the inbox", async () => {
    const backend = inboxHarness({ ...closed, apiKeys: true });
    for (const next of [
      "//evil.example",
      "https://evil.example",
      "/\\evil.example",
      "/../../x",
      "javascript:alert(1)",
    ]) {
      const { headers } = await backend
        .stranger()
        .post(`/sign-in?next=${encodeURIComponent(next)}`, { key: backend.key });
      expect(headers.get("location"), next).toBe(`${backend.baseUrl}/inbox`);
    }
  });
});
