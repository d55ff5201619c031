import { describe, expect, it } from "vitest";
import type { InboxRole, InboxUser } from "../../../../src/index.ts";
import { rows as all } from "../../../../src/surfaces/inbox/table.ts";
import { ann, inboxHarness } from "./_inbox.ts";

/** The pages of operators are tested with them. */
const rows = all.filter(({ operator }) => !operator);
const roles: readonly InboxRole[] = ["viewer", "agent", "editor", "admin"];

/** A harness with a form of the default team and one of another, a submission in each. */
async function twoTeams() {
  const plans = { unlimited: { webhooks_per_form: null } };
  const backend = inboxHarness({}, { rateLimit: false, plans });
  await backend.teams.create({ id: "other", name: "Other" });
  const make = async (team_id: string) => {
    const form = await backend.forms.create({ name: "Contact", team_id });
    const webhook = await backend.webhooks.create(form.id, { url: "https://hooks.example.com/a" });
    const { id } = await backend.submit(form.id, {
      fields: { email: `bo@${team_id}.example`, message: `secret of ${team_id}` },
      files: [{ key: "note", name: "note.txt", content: Buffer.from(`secret of ${team_id}`) }],
    });
    const [file] = (await backend.submissions.get(form.id, id)).files;
    const [job] = await backend.jobs.list({ submission_id: id, kind: "webhook" });
    await backend.forms.update(form.id, { settings: { double_opt_in: { enabled: true, field: "email" } } });
    const fields = { email: `bo@${team_id}.example`, message: `secret of ${team_id}` };
    const { id: pending_id } = await backend.submit(form.id, { fields });
    await backend.forms.update(form.id, { settings: { double_opt_in: { enabled: false } } });
    const reply = await backend.savedReplies.create({ name: "Hours", text: "At nine", team_id });
    return {
      form_id: form.id,
      submission_id: id,
      file_id: /file_\w+/.exec(file?.url ?? "")?.[0] ?? "",
      reply_id: reply.id,
      webhook_id: webhook.id,
      job_id: job?.id ?? "",
      pending_id,
    };
  };
  return { backend, own: await make("default"), foreign: await make("other") };
}

type Place = Awaited<ReturnType<typeof twoTeams>>["own"];
const at = (path: string, place: Place): string => path.replace(/:(\w+)/g, (_, name: keyof Place) => place[name]);
const bodies: Readonly<Record<string, Record<string, string>>> = {
  "/f/:form_id/bulk": { action: "mark_read", ids: "x" },
  "/f/:form_id/s/:submission_id": { action: "mark_unread" },
  "/f/:form_id/s/:submission_id/rule": {
    "rule.0.join": "all",
    "rule.0.if.0.field": "message",
    "rule.0.if.0.type": "contains",
    "rule.0.if.0.value": "secret",
  },
  "/f/:form_id/s/:submission_id/reply": { text: "Thank you", action: "send" },
  "/all/bulk": { action: "mark_read", ids: "x" },
  "/f/:form_id/deliveries/recover": { since: "2026-01-01T00:00", webhook: "whk" },
  "/f/:form_id/webhooks": { url: "https://hooks.example.com/b" },
  "/f/:form_id/webhooks/:webhook_id": { action: "pause" },
  "/new": { name: "New" },
  "/team": { name: "Renamed" },
  "/keys": { name: "A program", scopes: "forms:read" },
  "/f/:form_id/settings/notification/test": { to: "ann@bakery.example" },
  "/f/:form_id/settings/reply/test": { to: "bo@bakery.example" },
  "/people": { email: "bo@other.example" },
  "/email-servers": { name: "Ours", host: "smtp.example.com", port: "587", from: "hello@bakery.example" },
  "/replies": { name: "Hours", text: "At nine", action: "save" },
  "/suppressions": { email: "bo@other.example", action: "find" },
  "/shortcuts": { keys: "on" },
  "/views": { action: "save", name: "Unread", query: "read=false" },
};
const query = (path: string): string => (path.endsWith("/bulk") ? "?action=mark_read&ids=x" : "");

/** What each role may open. */
const allowed = (path: string, method: string, role: InboxRole): boolean => {
  const rank = roles.indexOf(role);
  if (/^\/(team|keys|email-servers|suppressions|audit|audit\/export)$/.test(path)) return rank === 3;
  if (path === "/replies" || path.includes("/saved/")) return rank >= 1;
  if (path === "/new" || /\/(recover|rule)$/.test(path)) return rank >= 2;
  if (path.includes("/preview/")) return rank >= 2;
  if (path.endsWith("/install")) return method === "GET" || rank >= 2;
  if (path.endsWith("/webhooks/new")) return rank >= 2;
  if (/\/(deliveries|webhooks|settings)/.test(path)) return method === "GET" || rank >= 2;
  if (/\/export(\/columns)?$/.test(path) || path.endsWith("/bulk")) return rank >= 1;
  return method === "GET" || ["/shortcuts", "/people", "/views"].includes(path) || rank >= 1;
};

describe("every address", () => {
  it("is open to the roles that it is for, and to no others", async () => {
    const { backend, own } = await twoTeams();
    const fine = [200, 303];
    for (const { method, path } of rows) {
      // A webhook that is there, one address for one webhook, and two rotations a day: what the act itself says is tested elsewhere.
      const further = path.endsWith("/recover") ? [404] : /webhooks$|rotate$/.test(path) ? [409] : [];
      for (const role of roles) {
        const visitor = backend.as({ role });
        const url = at(path, own) + query(path);
        const { status } = method === "GET" ? await visitor.get(url) : await visitor.post(url, bodies[path]);
        const may = allowed(path, method, role);
        expect(may ? [...fine, ...further] : [403], `${method} ${path} as ${role}: ${status}`).toContain(status);
      }
    }
  });

  it("shows nothing of another team, whatever the role", async () => {
    const { backend, foreign } = await twoTeams();
    for (const { method, path } of rows) {
      if (!path.includes(":form_id")) continue;
      for (const role of roles) {
        const visitor = backend.as({ role });
        const url = at(path, foreign) + query(path);
        const { status, text } = method === "GET" ? await visitor.get(url) : await visitor.post(url, bodies[path]);
        expect(allowed(path, method, role) ? 404 : 403, `${method} ${path} as ${role}`).toBe(status);
        expect(text).not.toContain("secret of other");
      }
    }
    for (const { method, path } of rows.filter(({ whole, path }) => whole || path === "/people")) {
      const visitor = backend.as({});
      const url = `${path}?team=other`;
      const { status, text } = method === "GET" ? await visitor.get(url) : await visitor.post(url, bodies[path]);
      expect(status, `${method} ${url}`).toBe(404);
      expect(text).not.toContain("Other");
    }
    for (const path of ["/", "/all", `/all?form_id=${foreign.form_id}`, `/poll?form=${foreign.form_id}`]) {
      expect((await backend.as({}).get(path)).text).not.toMatch(`secret of other|data-form-id="${foreign.form_id}"`);
    }
  });

  it("hides a form of the own team that is not on the person's list", async () => {
    const { backend, own } = await twoTeams();
    const other = await backend.forms.create({ name: "Jobs" });
    const visitor = backend.as({ form_ids: [own.form_id] });
    expect((await visitor.get(`/f/${other.id}`)).status).toBe(403);
    expect((await visitor.get(`/f/${own.form_id}`)).text).not.toContain(other.id);
  });

  it("takes changes from its own pages alone, and asks nobody before", async () => {
    let asked = 0;
    const backend = inboxHarness({
      authenticate: () => {
        asked++;
        return ann;
      },
    });
    const form = await backend.forms.create({ name: "Contact" });
    const { id } = await backend.submit(form.id, { fields: { a: "b" } });
    const place = {
      form_id: form.id,
      submission_id: id,
      file_id: "file_1",
      reply_id: "rpl",
      webhook_id: "whk",
      job_id: "job",
      pending_id: "x",
    };
    const cases: readonly Record<string, string | null>[] = [
      { "sec-fetch-site": null, origin: null },
      { "sec-fetch-site": null },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ];
    for (const { path } of [...rows, { path: "/enter", method: "POST" }, { path: "/sign-out", method: "POST" }].filter(
      ({ method }) => method === "POST",
    )) {
      for (const headers of cases) {
        const { status } = await backend.stranger().post(at(path, place), bodies[path], headers);
        expect(status, `${path} ${JSON.stringify(headers)}`).toBe(403);
      }
    }
    expect(asked).toBe(0);
    expect(
      (await backend.stranger().post(at("/f/:form_id/s/:submission_id", place), { action: "mark_spam" })).status,
    ).toBe(303);
    expect(asked).toBe(1);
  });

  it("takes a change over plain http in a local network by its origin", async () => {
    const backend = inboxHarness({}, { baseUrl: "http://forms.lan/forms" });
    const post = (origin: string | null) =>
      backend.as({}).post("/shortcuts", { keys: "off" }, { "sec-fetch-site": null, origin });
    expect((await post("http://forms.lan")).status).toBe(303);
    expect((await post("http://evil.lan")).status).toBe(403);
    expect((await post(null)).status).toBe(403);
  });
});

describe("a person", () => {
  it("with scopes in place of a role has these", async () => {
    const { backend, own } = await twoTeams();
    const user: Partial<InboxUser> = { scopes: ["forms:read", "submissions:read"] };
    const { role: _, ...nobody } = ann;
    const visitor = backend.as({ ...nobody, ...user, role: undefined } as unknown as Partial<InboxUser>);
    expect((await visitor.get(`/f/${own.form_id}`)).status).toBe(200);
    expect((await visitor.post(`/f/${own.form_id}/s/${own.submission_id}`, { action: "mark_spam" })).status).toBe(403);
  });

  it("who may read exports with the right to", async () => {
    const { backend, own } = await twoTeams();
    const path = `/f/${own.form_id}/export?format=json`;
    expect((await backend.as({ role: "viewer" }).get(path)).status).toBe(403);
    const answer = await backend.as({ role: "viewer", can: ["export"] }).get(path);
    expect(answer.headers.get("content-disposition")).toContain("attachment");
    expect(answer.text).toContain("secret of default");
  });

  it("without a role is the host's mistake, which the log names", async () => {
    const lines: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (line: string) => void lines.push(line) };
    const backend = inboxHarness({}, { logger: logger as never });
    const { status } = await backend.as({ role: "owner" as never }).get("/");
    expect(status).toBe(500);
    expect(lines.join()).toContain(
      "`authenticate` returned a user whose member `role` must be viewer, agent, editor, admin or operator",
    );
  });

  it("marks a submission as read by opening it, where a person did and may", async () => {
    const { backend, own } = await twoTeams();
    const path = `/f/${own.form_id}/s/${own.submission_id}`;
    const isRead = async () => (await backend.submissions.get(own.form_id, own.submission_id)).read;
    await backend.as({ role: "viewer" }).get(path);
    await backend.as({}).get(path, { "sec-fetch-site": "cross-site" });
    await backend.as({}).get(path, { "sec-purpose": "prefetch" });
    expect(await isRead()).toBe(false);
    await backend.as({}).get(path, { "sec-fetch-site": "none" });
    expect(await isRead()).toBe(true);
  });
});
