import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { Caller } from "../../../../src/model/keys.ts";
import { type Invocable, invoke } from "../../../../src/surfaces/api/invoke.ts";
import { operatorOperations } from "../../../../src/surfaces/api/operator-table.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { operatorRows } from "../../../../src/surfaces/inbox/table-operator.ts";
import { harness } from "../../../_support/backend.ts";
import { inboxHarness } from "./_inbox.ts";

const op = { id: "op7", name: "Olga", role: "operator", team_ids: [] } as const;
const words = (text: string): string =>
  text
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<tr(?: data-[^>]*)?><th scope="row".*?<\/tr>/gs)].map(([row]) => words(row));
const nextOf = (text: string): string => /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";

async function world(teams = ["acme", "bolt"]) {
  const b = inboxHarness({}, { rateLimit: false, abuse: { report: true } });
  for (const id of teams) await b.teams.create({ id, name: `Team ${id}`, owner: { email: `owner@${id}.example` } });
  const form = await b.forms.create({ name: "Contact", team_id: "acme" });
  const { id } = await b.submit(form.id, { fields: { email: "visitor@example.com", message: "Secret words" } });
  return { b, form, id, visitor: b.as({ ...op, team_ids: [] }) };
}

describe("the operator's pages", () => {
  it("list all teams in pages of 25 with what each used, and find them by a text", async () => {
    const { b, form, visitor } = await world(Array.from({ length: 60 }, (_, i) => (i === 0 ? "acme" : `t${i + 10}`)));
    for (let i = 0; i < 3; i++) await b.submit(form.id, { fields: { a: String(i) } });
    const seen: string[] = [];
    let path = "/operator";
    for (let page = 0; page < 5 && path !== ""; page++) {
      const { status, text } = await visitor.get(path);
      expect(status).toBe(200);
      expect(rowsOf(text).length).toBeLessThanOrEqual(25);
      seen.push(...rowsOf(text));
      path = nextOf(text);
    }
    expect(seen).toHaveLength(61);
    expect(seen.find((row) => row.startsWith("Team acme"))).toMatch(/^Team acme acme unlimited 4 0 0 /);
    expect(rowsOf((await visitor.get("/operator?q=owner@t33")).text)).toEqual([
      expect.stringContaining("Team t33 t33"),
    ]);
    expect((await visitor.get("/operator?q=nobody")).text).toContain("Nothing here");
    expect((await visitor.get("/")).headers.get("location")).toMatch(/\/inbox\/operator$/);
  });

  it("find a form, a submission, a delivery and a key by id, of whichever team, and show no value of it", async () => {
    const { b, form, id, visitor } = await world();
    const key = await b.keys.create({ team_id: "bolt", name: "CRM", scopes: "all" });
    await b.forms.update(form.id, { self_email_notification: { recipients: ["a@example.com"] } });
    const gone = await b.forms.create({ name: "Old", team_id: "bolt" });
    await b.forms.delete(gone.id);
    const second = await b.submit(form.id, { fields: { message: "Secret words" } });
    const [job] = await b.jobs.list({ submission_id: second.id });
    const found = async (q: string) => {
      const { status, text } = await visitor.post("/operator/find", { q });
      expect(status).toBe(200);
      expect(text).not.toContain("Secret words");
      return rowsOf(text);
    };
    expect(await found(form.id)).toEqual([expect.stringMatching(/^Form Contact \w+ acme/)]);
    expect(await found(id)).toEqual([expect.stringMatching(/^Submission .* acme/)]);
    expect(await found(job?.id ?? "")).toEqual([expect.stringMatching(/^Delivery .* acme/)]);
    expect(await found(key.id)).toEqual([expect.stringMatching(/^API key CRM .* bolt/)]);
    expect(await found(gone.id)).toEqual([expect.stringMatching(/^Deleted form Old .* bolt/)]);
    expect(await found("owner@bolt.example")).toEqual([expect.stringMatching(/^Team Team bolt bolt/)]);
    expect(await found("nothing")).toEqual([]);
    expect(await found("<script>alert(1)</script>")).toEqual([]);
  });

  it("find a team behind thousands of others, by its id and by its owner's address", async () => {
    const { visitor } = await world(["acme", ...Array.from({ length: 2_100 }, (_, n) => `t${n}`), "last-one"]);
    for (const q of ["last-one", "owner@last-one.example"])
      expect(rowsOf((await visitor.post("/operator/find", { q })).text)).toEqual([
        expect.stringMatching(/^Team Team last-one last-one/),
      ]);
  });

  it("say that a team stores more than could be counted beside its page", async () => {
    const storage = memoryStorage();
    const counting = { ...storage, count: async () => ({ count: 1_234, exact: false }) };
    const b = inboxHarness({}, { storage: counting });
    await b.teams.create({ id: "acme", name: "Acme" });
    const { text } = await b.as({ ...op, team_ids: [] }).get("/operator/team?team=acme");
    expect(words(text)).toContain("Stored submissions ≥ 1,234 ");
  });

  it("show one team with its use, its limits and its forms, and lock both with a reason that is no HTML", async () => {
    const { b, form, visitor } = await world();
    const { text } = await visitor.get("/operator/team?team=acme");
    expect(words(text)).toMatch(/Owner owner@acme\.example .* Submissions this month 1 .* Stored submissions 1 /);
    expect(rowsOf(text)).toEqual([expect.stringContaining(`Contact ${form.id}`)]);
    expect((await visitor.get("/operator/team?team=nobody")).status).toBe(404);
    const reason = "<img src=x onerror=alert(1)> phishing";
    const back = "/operator/team?team=acme";
    const lock = (kind: string, id: string, more = {}) =>
      visitor.post("/operator/lock", { kind, id, action: "lock", reason, back, ...more });
    expect((await lock("form", form.id)).headers.get("location")).toContain(back);
    expect((await lock("team", "acme")).status).toBe(303);
    expect((await b.forms.get(form.id)).locked?.reason).toBe(reason);
    expect((await b.teams.get("acme")).locked?.reason).toBe(reason);
    expect((await b.post(form.id, { a: "1" })).json.error.code).toBe("form_locked");
    const locks = (await visitor.get("/operator/locks")).text;
    expect(locks).not.toContain("<img src=x");
    expect(rowsOf(locks)).toEqual([expect.stringContaining("Team Team acme acme")]);
    const more = rowsOf((await visitor.get(nextOf(locks))).text);
    expect(more).toEqual([expect.stringMatching(/^Form Contact .* phishing/)]);
    expect((await lock("form", form.id, { reason: " " })).status).toBe(400);
    await lock("form", form.id, { action: "unlock", back: "//evil.example/x" }).then(({ headers }) =>
      expect(headers.get("location")).toMatch(/\/inbox\/operator$/),
    );
    await lock("team", "acme", { action: "unlock" });
    expect((await b.post(form.id, { a: "1" })).status).toBe(200);
    const { data } = await b.audit.list({ team_id: "acme", actor_id: "op7" });
    expect(data.map(({ action, form_id }) => [action, form_id]).reverse()).toEqual([
      ["lock_form", form.id],
      ["lock_team", null],
      ["unlock_form", form.id],
      ["unlock_team", null],
    ]);
  });

  it("show what is due with its age, the webhooks that fail, and the reports", async () => {
    const { b, form, visitor } = await world();
    b.answerWebhooks(500);
    const webhook = await b.webhooks.create(form.id, { url: "https://hooks.example.com/a" });
    await b.submit(form.id, { fields: { a: "1" } });
    expect(words((await visitor.get("/operator/queue")).text)).toMatch(/webhook 1 0 s/);
    await b.tick();
    const { text } = await visitor.get("/operator/queue");
    expect(words(text)).toMatch(/webhook 0 0 s/);
    expect(rowsOf(text).at(-1)).toMatch(new RegExp(`^${webhook.id} Contact ${form.id} acme 0 failed, 1 waiting`));

    expect((await visitor.get("/operator/reports")).text).toContain("No reports");
    await b.call("POST", `/f/${form.id}/report`, {
      key: null,
      body: "reason=%3Cb%3Efraud",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const reports = (await visitor.get("/operator/reports")).text;
    expect(rowsOf(reports)).toEqual([expect.stringContaining("A visitor: &lt;b&gt;fraud")]);
  });
});

describe("an operator who enters a team", () => {
  it("is its administrator under a banner, and its audit names them from the first step on", async () => {
    const { b, form, id, visitor } = await world();
    expect((await visitor.get(`/f/${form.id}`)).status).toBe(403);
    const entered = await visitor.post("/operator/enter", { team: "acme", next: `/f/${form.id}` });
    expect([entered.status, entered.headers.get("location")]).toEqual([303, expect.stringMatching(`/f/${form.id}$`)]);
    await b.clock.advance(1_000);
    const list = await visitor.get(`/f/${form.id}`);
    expect(list.status).toBe(200);
    expect(words(list.text)).toContain("You are in the team Team acme as its operator.");
    await b.clock.advance(1_000);
    expect((await visitor.get(`/f/${form.id}/s/${id}`)).text).toContain("Secret words");
    await b.clock.advance(1_000);
    await visitor.post(`/f/${form.id}/s/${id}`, { action: "mark_spam" });
    const other = await b.forms.create({ name: "Theirs", team_id: "bolt" });
    expect((await visitor.get(`/f/${other.id}`)).status).toBe(404);
    const { data } = await b.audit.list({ team_id: "acme", actor_id: "op7" });
    expect(data.map(({ action, actor, via }) => [action, actor.name, actor.type, via]).reverse()).toEqual([
      ["enter_team", "Olga", "person", "inbox"],
      ["list", "Olga", "person", "inbox"],
      ["read", "Olga", "person", "inbox"],
      ["mark_spam", "Olga", "person", "inbox"],
    ]);
    const left = await visitor.post("/operator/leave");
    expect(left.headers.get("location")).toContain("/operator/team?team=acme");
    expect((await visitor.get(`/f/${form.id}`)).status).toBe(403);
  });

  it("has to enter again after four hours, and nobody else gets in by the cookie", async () => {
    const { b, form, visitor } = await world();
    await visitor.post("/operator/enter", { team: "acme" });
    for (const person of [
      b.as({ ...op, team_ids: [], id: "op8" }),
      b.as({ id: "ann", name: "Ann", role: "admin", team_ids: ["bolt"] }),
    ]) {
      for (const pair of visitor.jar) person.jar.set(...pair);
      expect((await person.get(`/f/${form.id}`)).status).toBeGreaterThanOrEqual(403);
    }
    expect((await visitor.get(`/f/${form.id}`)).status).toBe(200);
    await b.clock.advance(4 * 3_600_000);
    expect((await visitor.get(`/f/${form.id}`)).status).toBe(403);
  });

  it("is refused in a team that is off or gone, and is out once it goes", async () => {
    const { b, form, visitor } = await world();
    await b.teams.update("bolt", { active: false });
    expect((await visitor.post("/operator/enter", { team: "bolt" })).status).toBe(403);
    expect((await visitor.post("/operator/enter", { team: "nobody" })).status).toBe(404);
    await visitor.post("/operator/enter", { team: "acme" });
    await b.teams.delete("acme");
    expect((await visitor.get(`/f/${form.id}`)).status).toBe(403);
  });

  it("may come by a link", async () => {
    const { b, form } = await world();
    const guest = await b.guest({ team_ids: [], role: "operator", user: { id: "op7", name: "Olga" } });
    expect((await guest.get("/operator")).status).toBe(200);
    await guest.post("/operator/enter", { team: "acme" });
    expect((await guest.get(`/f/${form.id}`)).status).toBe(200);
  });
});

describe("everybody else", () => {
  it("finds no page of operators, whatever their role", async () => {
    const { b } = await world();
    for (const role of ["viewer", "agent", "editor", "admin"] as const) {
      const person = b.as({ id: role, name: role, role, team_ids: ["acme", "bolt", "default"] });
      for (const { method, path } of operatorRows) {
        const { status } = method === "GET" ? await person.get(path) : await person.post(path, { team: "bolt" });
        expect([role, path, status]).toEqual([role, path, 404]);
      }
    }
  });

  it("is refused each operation, before anything of its input is read", async () => {
    let core: Core | undefined;
    const plain = inbox();
    const backend = harness({
      inbox: {
        path: plain.path,
        check: plain.check,
        mount(mounted) {
          core = mounted;
          return plain.mount(mounted);
        },
      },
    });
    await backend.ready();
    const admin: Caller = { auth: "host", id: "inbox:ann", team_ids: ["default"], scopes: "all", form_ids: null };
    for (const operation of Object.values<Invocable>(operatorOperations)) {
      const answer = invoke(core as Core, operation, admin, { body: () => ({ nonsense: 1 }) }, { asHost: true });
      await expect(answer).rejects.toMatchObject({ code: "insufficient_scope" });
    }
  });
});
