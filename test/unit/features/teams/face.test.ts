import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const HOST = "https://forms.acme.test";
const BRAND = {
  name: "Acme Forms",
  logo_url: "https://cdn.acme.test/logo.png",
  logo_dark_url: null,
  primary: "#aa3300",
  from: null,
  support_url: "https://acme.test/help",
};

let b: ReturnType<typeof harness>;
let form: { id: string; endpoint: string };
let foreign: { id: string };
beforeEach(async () => {
  b = harness({ abuse: { report: true } });
  await b.teams.create({ id: "acme", name: "Acme", base_url: HOST, brand: BRAND });
  await b.teams.create({ id: "other", name: "Other" });
  form = await b.forms.create({
    name: "Contact",
    team_id: "acme",
    settings: { edit: { enabled: true, until: "7_days" } },
    self_email_notification: { recipients: ["owner@acme.test"] },
    auto_response: { enabled: true },
  });
  foreign = await b.forms.create({ name: "Foreign", team_id: "other" });
});
afterEach(() => b.close());

const at = async (path: string, init: RequestInit = {}, base = HOST) => {
  const response = await b.handle(new Request(base + path, init), { ip: "203.0.113.9" });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const post = (id: string, base = HOST): ReturnType<typeof at> =>
  at(
    `/f/${id}`,
    {
      method: "POST",
      body: "email=ann%40example.com&text=Hello",
      headers: { "content-type": "application/x-www-form-urlencoded", referer: "https://acme.test/contact" },
    },
    base,
  );

describe("a team's base URL", () => {
  it("begins every link of its forms, wherever they are posted to", async () => {
    expect(form.endpoint).toBe(`${HOST}/f/${form.id}`);
    const listed = (await b.forms.list({ limit: 10 })).data.map(({ id, endpoint }) => [id, endpoint]);
    expect(new Map(listed as [string, string][])).toEqual(
      new Map([
        [form.id, `${HOST}/f/${form.id}`],
        [foreign.id, `${b.baseUrl}/f/${foreign.id}`],
      ]),
    );
    const empty = await at(`/f/${form.id}`, { method: "POST", body: new URLSearchParams("text=") }, b.baseUrl);
    expect([empty.status, empty.headers.get("content-security-policy")]).toEqual([
      400,
      expect.stringContaining(`form-action ${new URL(b.baseUrl).origin} ${HOST};`),
    ]);
    const { status, headers } = await post(form.id, b.baseUrl);
    expect([status, headers.get("location")?.startsWith(`${HOST}/f/${form.id}/thanks/`)]).toEqual([303, true]);
    const thanks = await at(new URL(headers.get("location") ?? "").href.slice(HOST.length));
    expect(thanks.status).toBe(200);
    expect(thanks.text).toContain(`${HOST}/e/`);
    expect(thanks.text).toContain(`${HOST}/f/${form.id}/report`);
    expect(thanks.text).not.toContain(new URL(b.baseUrl).host);
    await b.tick();
    expect(b.mails).toHaveLength(2);
    for (const mail of b.mails) {
      expect(mail.messageId).toMatch(/@forms\.acme\.test$/);
      expect(JSON.stringify(mail)).not.toContain(new URL(b.baseUrl).origin);
    }
  });

  it("serves the team's forms alone, and no other address of the backend", async () => {
    expect((await post(form.id)).status).toBe(303);
    expect((await post(foreign.id)).status).toBe(404);
    expect((await at(`/f/${foreign.id}/token`)).status).toBe(404);
    for (const path of ["/v1/health", "/v1/forms", "/v1/tls-allowed?domain=a.test", "/api/forms", "/inbox", "/"]) {
      expect([path, (await at(path)).status]).toEqual([path, 404]);
    }
    expect((await post(foreign.id, b.baseUrl)).status).toBe(303);
    expect((await at("/v1/health", {}, b.baseUrl)).status).toBe(200);
  });

  it("keeps links of other teams from working there: files, changes and pages", async () => {
    const own = await b.submit(form.id, {
      fields: { email: "ann@example.com" },
      files: [{ key: "cv", name: "a.txt", content: new TextEncoder().encode("hello"), mime_type: "text/plain" }],
    });
    const theirs = await b.submit(foreign.id, {
      fields: { email: "ann@example.com" },
      files: [{ key: "cv", name: "a.txt", content: new TextEncoder().encode("hello"), mime_type: "text/plain" }],
    });
    const [mine = "", other = ""] = [own, theirs].map(({ attachments }) => attachments[0]?.url ?? "");
    expect(mine.startsWith(`${HOST}/files/`)).toBe(true);
    expect((await at(mine.slice(HOST.length))).text).toBe("hello");
    expect(other.startsWith(`${b.baseUrl}/files/`)).toBe(true);
    expect((await at(other.slice(b.baseUrl.length))).status).toBe(404);
    expect((await at(other.slice(b.baseUrl.length), {}, b.baseUrl)).text).toBe("hello");
  });

  it("goes on serving a form that was moved to another team, which has the links and images from then on", async () => {
    const { id, url } = await b.forms.uploadImage(form.id, { file: PNG, use: "after_submit_logo", name: "logo" });
    await b.forms.update(form.id, { after_submit: { page: { logo_url: url } } });
    const cv = { key: "cv", name: "a.txt", content: new TextEncoder().encode("hello"), mime_type: "text/plain" };
    const { attachments } = await b.submit(form.id, { fields: { email: "ann@example.com" }, files: [cv] });
    const moved = await b.forms.move(form.id, { team_id: "other" });
    expect(moved.endpoint).toBe(`${b.baseUrl}/f/${form.id}`);
    expect(moved.after_submit.page.logo_url).toBe(`${b.baseUrl}/files/${id}/logo.png`);
    expect(Object.keys(moved)).not.toContain("former_team_ids");

    const { status, headers } = await post(form.id);
    expect([status, headers.get("location")?.startsWith(`${b.baseUrl}/f/${form.id}/thanks/`)]).toEqual([303, true]);
    expect((await b.submissions.list(form.id)).data).toHaveLength(2);
    expect((await at((attachments[0]?.url ?? "").slice(HOST.length))).text).toBe("hello");
    expect((await at(url.slice(HOST.length))).status).toBe(200);
    expect((await post(foreign.id)).status).toBe(404);
    await b.forms.move(form.id, { team_id: "acme" });
    expect((await b.forms.get(form.id)).after_submit.page.logo_url).toBe(url);
    // It was never at a host of the other team's.
    await b.teams.update("other", { base_url: "https://other.test" });
    expect((await post(form.id, "https://other.test")).status).toBe(404);
  });

  it("has the images of a copy, and none of a copy in another team", async () => {
    const { url } = await b.forms.uploadImage(form.id, { file: PNG, use: "after_submit_logo", name: "logo" });
    await b.forms.update(form.id, { after_submit: { page: { logo_url: url } } });
    for (const team_id of ["other", "acme"]) {
      const copy = await b.forms.copy(form.id, { team_id });
      const base = team_id === "acme" ? HOST : b.baseUrl;
      const logo = copy.after_submit.page.logo_url;
      expect([logo.startsWith(`${base}/files/img_`), logo === url]).toEqual([true, false]);
      expect((await at(logo.slice(base.length), {}, base)).status).toBe(200);
      expect((await at(logo.slice(base.length))).status).toBe(team_id === "acme" ? 200 : 404);
    }
  });

  it("belongs to one team, and is free again with the team's next one, or its end", async () => {
    const taken = { code: "invalid_parameter", param: "base_url" };
    await expect(b.teams.create({ name: "Third", base_url: HOST })).rejects.toMatchObject(taken);
    await expect(b.teams.update("other", { base_url: `${HOST}/` })).rejects.toMatchObject(taken);
    await expect(b.teams.update("other", { base_url: b.baseUrl.replace("http:", "https:") })).rejects.toMatchObject({
      param: "base_url",
    });
    expect(await b.hostAllowed("FORMS.acme.test.")).toBe(true);
    await b.teams.update("acme", { base_url: "https://new.acme.test" });
    expect([await b.hostAllowed("forms.acme.test"), await b.hostAllowed("new.acme.test")]).toEqual([false, true]);
    await b.teams.update("other", { base_url: HOST });
    await b.teams.update("acme", { base_url: null });
    expect(await b.hostAllowed("new.acme.test")).toBe(false);
    await b.teams.delete("other");
    await b.sweep();
    expect((await b.teams.deletion("other")).done).toBe(true);
    await b.clock.advance(3_000);
    expect(await b.hostAllowed("forms.acme.test")).toBe(false);
  });

  it("goes to one of two teams that ask for it at the same time", async () => {
    const asked = ["https://same.test", "https://same.test", "https://same.test"];
    const made = await Promise.allSettled(asked.map((base_url, n) => b.teams.create({ name: `T${n}`, base_url })));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of made) if (one.status === "rejected") expect(one.reason).toMatchObject({ param: "base_url" });
  });

  it.each([
    ["a port", "https://forms.acme.test:8443", /without a port|no port/],
    ["letters that look like others", "https://forms.аcme.test", /ASCII.*xn--/],
    ["plain http", "http://forms.acme.test", /https/],
    ["a user", "https://me@forms.acme.test", /host name/],
    ["a query", "https://forms.acme.test/?a=1", /host name/],
    ["an IP address", "https://192.0.2.1", /host name/],
    ["one label", "https://intranet", /host name/],
    ["a path of its own", "https://forms.acme.test/else", /path/],
    ["no URL", "forms.acme.test", /URL/],
  ])("can't have %s", async (_what, base_url, message) => {
    await expect(b.teams.update("other", { base_url })).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "base_url",
      message: expect.stringMatching(message),
    });
  });

  it("may be a name of this machine with a port, for trying it out", async () => {
    await b.teams.update("other", { base_url: "http://other.localhost:3000" });
    expect((await post(foreign.id, "http://other.localhost:3000")).status).toBe(303);
    expect((await at("/v1/health", {}, "http://other.localhost:3000")).status).toBe(404);
    expect((await at("/v1/health", {}, "http://localhost:3001")).status).toBe(200);
  });

  it("is told by a trusted proxy, and by no other", async () => {
    const headers = { "x-forwarded-host": "forms.acme.test" };
    expect((await at("/v1/health", { headers }, b.baseUrl)).status).toBe(200);
    const trusting = harness({ trustProxy: 1 });
    await trusting.teams.create({ id: "acme", name: "Acme", base_url: HOST });
    const request = new Request(`${trusting.baseUrl}/v1/health`, { headers });
    expect((await trusting.handle(request, { ip: "203.0.113.9" })).status).toBe(404);
    await trusting.close();
  });

  it("is looked up within the limit of an address, however many names are made up", async () => {
    const strict = harness({ rateLimit: { perIp: { points: 5, seconds: 60 } } });
    const statuses = [];
    for (let n = 0; n < 8; n++) {
      const request = new Request(`https://n${n}.made-up.test/v1/health`);
      statuses.push((await strict.handle(request, { ip: "203.0.113.9" })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    await strict.close();
  });
});

describe("GET /v1/tls-allowed", () => {
  it("allows the backend's hosts and those of its teams, and may be cached", async () => {
    const ask = (domain: string) => b.call("GET", `/v1/tls-allowed?domain=${domain}`, { key: null });
    const own = await ask("forms.acme.test");
    expect([own.status, own.json, own.headers.get("cache-control")]).toEqual([
      200,
      { domain: "forms.acme.test", allowed: true },
      "public, max-age=60",
    ]);
    expect((await ask(new URL(b.baseUrl).hostname)).status).toBe(200);
    const no = await ask("evil.test");
    expect([no.status, no.json.error.code, no.headers.get("cache-control")]).toEqual([
      404,
      "not_found",
      "public, max-age=60",
    ]);
    expect((await b.call("GET", "/v1/tls-allowed", { key: null })).json.error.param).toBe("domain");
  });
});

describe("a team's brand", () => {
  it("is on its pages and mails where the form has nothing of its own", async () => {
    const { headers } = await post(form.id);
    const thanks = await at(new URL(headers.get("location") ?? "").href.slice(HOST.length));
    expect(thanks.text).toContain(BRAND.logo_url);
    expect(thanks.text).toContain("#aa3300");
    const report = await at(`/f/${form.id}/report`);
    expect(report.text).toContain(BRAND.logo_url);
    await b.tick();
    const owner = b.mails.find(({ to }) => to.address === "owner@acme.test");
    expect(owner?.from.name).toBe("Acme Forms");
    expect(owner?.html).toContain(BRAND.logo_url);
    expect(owner?.html).toContain("#aa3300");
    await b.forms.update(form.id, { after_submit: { page: { primary_color: "#00aa00" } } });
    const again = await post(form.id);
    const page = await at(new URL(again.headers.get("location") ?? "").href.slice(HOST.length));
    expect(page.text).toContain("#00aa00");
    expect(page.text).not.toContain("#aa3300");
  });

  it("is on pages that no form styles: a form that is not there, and an endpoint that is opened", async () => {
    const pages = [
      [404, await post("notaform123")],
      [404, await at(`/f/${form.id}/thanks/none`)],
      [405, await at(`/f/${form.id}`)],
      [405, await at(`/f/${form.id}`, {}, b.baseUrl)],
    ] as const;
    for (const [status, page] of pages) {
      expect(page.status).toBe(status);
      expect(page.text).toContain(BRAND.logo_url);
      expect(page.text).toContain("#aa3300");
      expect(page.headers.get("content-security-policy")).toContain("img-src https://cdn.acme.test");
    }
    const elsewhere = await post("notaform123", b.baseUrl);
    expect([elsewhere.status, elsewhere.text.includes(BRAND.logo_url)]).toEqual([404, false]);
  });

  it("names the sender of webhooks, and its links are the team's", async () => {
    await b.webhooks.create(form.id, { url: "https://receiver.test/hook" });
    await b.submit(form.id, {
      fields: { email: "ann@example.com" },
      files: [{ key: "cv", name: "a.txt", content: new TextEncoder().encode("hello"), mime_type: "text/plain" }],
    });
    await b.tick();
    const call = b.webhookCalls.at(-1);
    expect(call?.headers["User-Agent"]).toBe("Acme-Forms-Webhooks/1 (+https://acme.test/help)");
    expect(call?.body).toContain(`${HOST}/files/`);
    expect(JSON.stringify(call)).not.toContain("localhost:3000");
  });

  it("says nothing of the library in what visitors, owners and receivers get", async () => {
    const seen: string[] = [];
    const { headers, text } = await post(form.id);
    const thanks = await at(new URL(headers.get("location") ?? "").href.slice(HOST.length));
    const refused = await at(`/f/${form.id}`, { method: "POST", body: "", headers: { "content-type": "text/plain" } });
    for (const one of [thanks, refused, await at(`/f/${form.id}`), await at(`/f/${form.id}/report`)]) {
      seen.push(one.text, JSON.stringify([...one.headers]));
    }
    await b.tick();
    seen.push(text, JSON.stringify(b.mails));
    expect(seen.join("\n")).not.toMatch(/form-backend|Form Backend|FormBackend/);
  });

  it("takes a sender only from a verified domain, or exactly the backend's", async () => {
    await expect(b.teams.update("acme", { brand: { from: "Acme <hello@acme.test>" } })).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "brand.from",
    });
    await expect(b.teams.create({ name: "New", brand: { from: "a@b.test" } })).rejects.toMatchObject({
      param: "brand.from",
    });
  });

  it("refuses names and addresses that are none, with their member", async () => {
    for (const [brand, param] of [
      [{ name: "a\nb" }, "brand.name"],
      [{ name: "x".repeat(101) }, "brand.name"],
      [{ logo_url: "http://acme.test/a.png" }, "brand.logo_url"],
      [{ logo_dark_url: "javascript:alert(1)" }, "brand.logo_dark_url"],
      [{ primary: "red;}" }, "brand.primary"],
      [{ support_url: "acme.test" }, "brand.support_url"],
      [{ from: "nobody" }, "brand.from"],
    ] as const) {
      await expect(b.teams.update("acme", { brand })).rejects.toMatchObject({ code: "invalid_parameter", param });
    }
    expect((await b.teams.get("acme")).brand).toEqual(BRAND);
  });

  it("changes by its members, and null gives the backend's again", async () => {
    await b.teams.update("acme", { brand: { primary: null } });
    expect((await b.teams.get("acme")).brand).toEqual({ ...BRAND, primary: null });
    expect((await b.teams.get("other")).brand).toEqual(
      Object.fromEntries(Object.keys(BRAND).map((key) => [key, null])),
    );
  });
});
