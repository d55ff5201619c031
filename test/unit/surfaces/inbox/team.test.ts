import { describe, expect, it } from "vitest";
import { ann, inboxHarness } from "./_inbox.ts";

const DAY = 86_400_000;

async function twoTeams(options = {}) {
  const backend = inboxHarness(options, { rateLimit: false, plans: { small: { forms: 2, submissions_per_month: 4 } } });
  await backend.teams.create({ id: "bakery", name: "Corner Bakery", plan: "small" });
  await backend.teams.create({ id: "other", name: "Other", plan: "small" });
  const actions: { action: string; ids: string[]; team_id: string }[] = [];
  backend.on("inbox.action", ({ action, ids, team_id }) => void actions.push({ action, ids, team_id }));
  return { backend, actions, owner: backend.as({ team_ids: ["bakery"] }) };
}

describe("the team", () => {
  it("shows what is used of its plan beside the limits, and says what is used up", async () => {
    const { backend, owner } = await twoTeams();
    const form = await backend.forms.create({ name: "Contact", team_id: "bakery" });
    for (let i = 0; i < 4; i++) await backend.submit(form.id, { fields: { n: String(i) } });
    const { text } = await owner.get("/team");
    expect(text).toContain("1 of 2");
    expect(text).toContain("4 of 4");
    expect(text).toContain("Used up: new submissions are stored");
    expect(text).not.toContain("Used up: remove a form");
    expect(text).toMatch(/Webhooks of a form<\/dt><dd>1</);
    expect(text).not.toContain("Other");
  });

  it("is renamed, and nothing else of it is changed", async () => {
    const { backend, owner, actions } = await twoTeams();
    const body = { name: " Bakery ", plan: "unlimited", active: "false", "owner.email": "eve@example.com" };
    expect((await owner.post("/team", body)).status).toBe(303);
    expect(await backend.teams.get("bakery")).toMatchObject({ name: "Bakery", plan: "small", active: true });
    expect(actions).toEqual([{ action: "update_team", ids: ["bakery"], team_id: "bakery" }]);
    const refused = await owner.post("/team", { name: "x".repeat(200) });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('aria-describedby="name-fault"');
  });

  it("is one of the person's own, each with a page", async () => {
    const { backend } = await twoTeams();
    const both = backend.as({ team_ids: ["bakery", "default"] });
    expect((await both.get("/team?team=default")).text).toContain('<option value="default" selected>Default');
    for (const path of ["/team", "/keys", "/email-servers"]) {
      expect((await both.get(`${path}?team=other`)).status, path).toBe(404);
      expect((await both.post(`${path}?team=other`, { name: "Mine" })).status, path).toBe(404);
    }
    expect((await backend.teams.get("other")).name).toBe("Other");
  });

  it("is no page for somebody who sees only some of its forms", async () => {
    const { backend } = await twoTeams();
    const form = await backend.forms.create({ name: "Contact", team_id: "bakery" });
    const some = backend.as({ team_ids: ["bakery"], form_ids: [form.id] });
    for (const path of ["/team", "/keys", "/email-servers"]) expect((await some.get(path)).status, path).toBe(403);
    expect((await some.get("/")).text).not.toMatch(/inbox\/(team|keys|email-servers)"/);
  });
});

describe("keys", () => {
  it("are made, shown once and revoked", async () => {
    const { backend, owner, actions } = await twoTeams();
    const form = await backend.forms.create({ name: "Contact", team_id: "bakery" });
    await backend.forms.create({ name: "Jobs", team_id: "bakery" });
    const body = { name: "CRM", scopes: ["forms:read", "submissions:read"], form_ids: form.id, days: "30" };
    const made = await owner.post("/keys", body);
    expect(made.status).toBe(200);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const key = /data-secret[^>]*>([^<]+)</.exec(made.text)?.[1] ?? "";
    const list = (plain: string) => backend.call("GET", `/v1/forms/${form.id}`, { key: plain });
    expect((await list(key)).status).toBe(200);
    const [stored] = await backend.keys.list({ team_id: "bakery" });
    expect(stored).toMatchObject({ name: "CRM", scopes: body.scopes, form_ids: [form.id] });
    expect(Date.parse(stored?.expires_at ?? "") - backend.clock.now()).toBe(30 * DAY);
    const page = await owner.get("/keys");
    expect(page.text).toContain(stored?.id);
    expect(page.text).not.toContain(key);
    expect((await owner.get(`/keys?revoke=${stored?.id}`)).text).toContain("Revoke “CRM”?");
    expect((await owner.post("/keys", { action: "revoke", id: stored?.id ?? "" })).status).toBe(303);
    expect((await list(key)).status).toBe(401);
    expect((await owner.get("/keys")).text).toContain("Revoked");
    expect(actions.map(({ action }) => action)).toEqual(["create_key", "revoke_key"]);
    expect(JSON.stringify(actions)).not.toContain(key);
  });

  it("may do no more than the person who makes them", async () => {
    const { backend } = await twoTeams();
    const viewer = backend.as({ team_ids: ["bakery"], role: "viewer", can: ["keys"] });
    expect((await viewer.get("/keys")).text).not.toContain("forms:write");
    const body = { name: "Way around", scopes: ["forms:read", "submissions:write"] };
    expect((await viewer.post("/keys", body)).status).toBe(403);
    expect((await viewer.post("/keys", { ...body, scopes: "all" })).status).toBe(400);
    expect((await viewer.post("/keys", { name: "Reader", scopes: "forms:read" })).status).toBe(200);
    expect(await backend.keys.list({ team_id: "bakery" })).toHaveLength(1);
  });

  it("of another team, and for its forms, are not there", async () => {
    const { backend, owner } = await twoTeams();
    const foreign = await backend.forms.create({ name: "Secret", team_id: "other" });
    const { id } = await backend.keys.create({ name: "Theirs", scopes: "all", team_id: "other" });
    expect((await owner.get(`/keys?revoke=${id}`)).status).toBe(404);
    expect((await owner.post("/keys", { action: "revoke", id })).status).toBe(404);
    const body = { name: "Mine", scopes: "forms:read", form_ids: foreign.id };
    expect((await owner.post("/keys", body)).status).toBe(404);
    expect((await owner.post("/keys", { ...body, form_ids: "nothing" })).status).toBe(404);
    expect((await owner.get("/keys")).text).not.toContain("Theirs");
    expect((await backend.keys.get(id)).revoked_at).toBeNull();
  });

  it("say what is missing beside its control, and keep what was chosen", async () => {
    const { owner } = await twoTeams();
    const nameless = await owner.post("/keys", { name: "", scopes: "forms:write" });
    expect(nameless.status).toBe(400);
    expect(nameless.text).toContain('id="name-fault"');
    expect(nameless.text).toMatch(/value="forms:write" checked/);
    expect((await owner.post("/keys", { name: "CRM" })).status).toBe(400);
  });
});

describe("email servers", () => {
  const values = {
    name: "Ours",
    host: "smtp.example.com",
    port: "587",
    username: "bakery",
    password: "secret-word",
    from: "Bakery <hello@bakery.example>",
  };

  it("are added, tested, changed and removed; the password is never sent back", async () => {
    const { backend, owner, actions } = await twoTeams();
    expect((await owner.post("/email-servers", values)).status).toBe(303);
    const [server] = await backend.emailServers.list({ team_id: "bakery" });
    expect(server).toMatchObject({ host: "smtp.example.com", secure: false, password_set: true });
    const at = `/email-servers?server=${server?.id}`;
    for (const path of ["/email-servers", at]) expect((await owner.get(path)).text).not.toContain("secret-word");
    expect((await owner.post(at, { action: "test" })).headers.get("location")).toContain(server?.id);
    expect((await owner.get(at)).text).toContain("accepted the sign-in");
    await owner.post(at, { ...values, password: "", name: "Renamed" });
    expect(await backend.emailServers.get(server?.id ?? "")).toMatchObject({ name: "Renamed", password_set: true });
    await owner.post(at, { ...values, password: "", forget: "on" });
    expect(await backend.emailServers.get(server?.id ?? "")).toMatchObject({ username: "", password_set: false });
    expect((await owner.get(`${at}&confirm=delete`)).text).toContain("Remove “Ours”?");
    await owner.post(at, { action: "delete" });
    expect(await backend.emailServers.list()).toEqual([]);
    expect(actions.map(({ action }) => action)).toEqual([
      "create_email_server",
      "test_email_server",
      "update_email_server",
      "update_email_server",
      "delete_email_server",
    ]);
  });

  it("that do not answer are refused beside the control at fault, without the password", async () => {
    const { backend, owner } = await twoTeams();
    const wrong = await owner.post("/email-servers", { ...values, host: "10.0.0.7" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('id="host-fault"');
    expect(wrong.text).toContain("private or reserved");
    expect(wrong.text).not.toContain("secret-word");
    const port = await owner.post("/email-servers", { ...values, port: "22" });
    expect(port.text).toContain('id="port-fault"');
    expect(await backend.emailServers.list()).toEqual([]);
    // Whoever may change a server must not be able to read its password by sending it elsewhere.
    await owner.post("/email-servers", values);
    const [server] = await backend.emailServers.list();
    const moved = { ...values, password: "", host: "smtp.evil.example" };
    const answer = await owner.post(`/email-servers?server=${server?.id}`, moved);
    expect(answer.text).toContain('id="password-fault"');
  });

  it("of another team are not there, and a team tries 30 connections an hour", async () => {
    const { backend, owner } = await twoTeams();
    const theirs = backend.as({ team_ids: ["other"] });
    await theirs.post("/email-servers", values);
    const [server] = await backend.emailServers.list();
    for (const action of ["test", "delete", "save"]) {
      expect((await owner.post(`/email-servers?server=${server?.id}`, { ...values, action })).status).toBe(404);
    }
    const at = `/email-servers?server=${server?.id}`;
    for (let i = 1; i < 30; i++) expect((await theirs.post(at, { action: "test" })).status).toBe(303);
    expect((await theirs.post(at, { action: "test" })).status).toBe(429);
    await backend.clock.advance(3_600_000);
    expect((await theirs.post(at, { action: "test" })).status).toBe(303);
  });
});

it("hides the pages that the host hides", async () => {
  const { backend } = await twoTeams({ hide: ["team", "keys", "email-servers"] });
  for (const path of ["/team", "/keys", "/email-servers"]) {
    expect((await backend.as(ann).get(path)).status, path).toBe(404);
  }
  expect((await backend.as(ann).get("/")).text).not.toMatch(/inbox\/(team|keys|email-servers)"/);
});

describe("1,000 forms", () => {
  it("are listed in pages of 100, with 30 of them beside every page", async () => {
    const backend = inboxHarness({}, { rateLimit: false });
    for (let i = 0; i < 1_000; i++) await backend.forms.create({ name: `Form ${String(i).padStart(4, "0")}` });
    const ann_ = backend.as({});
    const seen = new Set<string>();
    let path: string | undefined = "/?x=1";
    let pages = 0;
    while (path !== undefined) {
      const { status, text } = await ann_.get(path);
      expect(status).toBe(200);
      expect(text.match(/<tr>/g)?.length ?? 0).toBeLessThanOrEqual(101);
      expect(text.match(/data-form-id="/g)).toHaveLength(30);
      for (const [, name = ""] of text.matchAll(/<th scope="row"><a [^>]*><bdi>(Form \d+)/g)) seen.add(name);
      path = /<p class="pages"><a class="button" href="([^"]+cursor[^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
      pages++;
    }
    expect([seen.size, pages]).toEqual([1_000, 10]);
    const { text } = await ann_.get("/keys");
    expect(text.match(/name="form_ids"/g)).toHaveLength(100);
    expect(text.length).toBeLessThan(200_000);
  });
});

describe("hostile values of a brand", () => {
  it("are refused at the start, or shown as text", async () => {
    for (const theme of [
      { primary: "red;}body{display:none}" },
      { primary: "#12345g" },
      { logo_url: "javascript:alert(1)" },
      { logo_url: "//evil.example/x.png" },
      { logo_dark_url: "data:image/svg+xml,<svg onload=alert(1)>" },
      { mode: "dark}" },
      { back: { text: "Back", url: "javascript:alert(1)" } },
      { back: { text: "", url: "/" } },
      { style: "x" },
    ]) {
      expect(() => inboxHarness({ theme: theme as never }), JSON.stringify(theme)).toThrow(
        "[form-backend] inbox: option",
      );
    }
    const attack = '"><script>alert(1)</script>\u202e</title>';
    const theme = {
      logo_url: "https://logos.example/a.png?x=%22%3E;script-src%20*",
      back: { text: attack, url: 'https://app.example.com/?a="><b>' },
    };
    const backend = inboxHarness({ theme }, { brand: { name: attack } });
    const { text, headers } = await backend.as({ name: attack }).get("/shortcuts");
    expect(text).not.toContain("<script>alert");
    expect(text.match(/<title>/g)).toHaveLength(1);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("img-src 'self' https://logos.example;");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain("*");
  });
});
