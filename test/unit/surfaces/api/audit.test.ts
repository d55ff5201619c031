import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { AuditEntry } from "../../../../src/index.ts";
import type { Caller } from "../../../../src/model/keys.ts";
import { routes } from "../../../../src/surfaces/api/table.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { pairs, type RowName, world } from "../../../_support/api-pairs.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { connected } from "../../../_support/terminal.ts";
import { rpc } from "../mcp/_rpc.ts";

/** The entries of a team, oldest first, as `type id way action`. */
const lines = (entries: readonly AuditEntry[]): string[] =>
  [...entries].reverse().map(({ actor, via, action }) => `${actor.type} ${actor.id} ${via} ${action}`);
const entriesOf = async (b: Pick<Harness, "audit">, query: object = {}): Promise<AuditEntry[]> =>
  (await b.audit.list({ limit: 100, ...query })).data;

/** Rows that change nothing though they are no GET. */
const reading: readonly string[] = ["backtestSpam"];
const changing = (Object.keys(pairs) as (keyof typeof pairs)[]).filter(
  (name) => routes[name].method !== "GET" && !reading.includes(name),
);

describe("the audit", () => {
  it.each(changing)(
    "has an entry of %s in process, with the host, and none of a call that is refused",
    async (name) => {
      const w = await world();
      const before = (await entriesOf(w.b)).length;
      await pairs[name].host(w);
      const [entry, ...rest] = (await entriesOf(w.b)).slice(0, -before || undefined);
      expect(rest).toEqual([]);
      expect(entry).toMatchObject({ via: "in_process", actor: { type: "host", id: "host" }, team_id: "default" });
      if (!routes[name].path.includes(":form_id")) return;
      expect(entry?.form_id).toBe(w.form);
      await pairs[name].host({ ...w, form: "nothing" }).catch(() => null);
      expect(await entriesOf(w.b)).toHaveLength(before + 1);
    },
  );

  it.each(
    (Object.keys(pairs) as RowName[]).filter((name) => routes[name].method === "GET" && name !== "exportSubmissions"),
  )("has no entry of %s, which reads", async (name) => {
    const w = await world();
    const before = (await entriesOf(w.b)).length;
    await pairs[name as keyof typeof pairs].host(w);
    expect(await entriesOf(w.b)).toHaveLength(before);
  });

  it("names the key of a call over HTTP, with its targets, and keeps nothing of what a key may not do", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "Contact" });
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    const { id: key_id, key } = await b.keys.create({ name: "CRM", scopes: ["forms:write", "submissions:write"] });
    const weak = await b.keyWith(["forms:read"]);
    const before = (await entriesOf(b)).length;
    const at = `/v1/forms/${form.id}`;
    await b.call("PATCH", at, { key, body: { name: "New", spam: { protection: false } } });
    await b.call("PATCH", `${at}/settings`, { key, body: { labels: { a: "A" } } });
    await b.call("PATCH", `${at}/submissions/${id}`, { key, body: { spam: true } });
    await b.call("POST", `${at}/submissions/bulk`, { key, body: { action: "mark_not_spam", ids: [id] } });
    await b.call("POST", `${at}/submissions/bulk`, { key, body: { action: "mark_not_spam", ids: [id] } });
    await b.call("DELETE", `${at}/submissions/${id}`, { key });
    await b.call("PATCH", at, { key: weak, body: { name: "Mine" } });
    await b.call("DELETE", at, { key: weak });
    const entries = (await entriesOf(b)).slice(0, -before);
    expect(entries.reverse()).toMatchObject([
      { action: "update_form", ids: ["name", "spam.protection"], form_id: form.id },
      { action: "update_form", ids: ["settings.labels"] },
      { action: "mark_spam", ids: [id] },
      { action: "mark_not_spam", ids: [id] },
      { action: "delete", ids: [id] },
    ]);
    for (const { actor, via } of entries)
      expect([actor, via]).toEqual([{ type: "key", id: key_id, name: "CRM" }, "api"]);
  });

  it("never has a person's address or a value among the targets", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "Contact" });
    await b.suppressions.add({ email: "ann@example.com" });
    await b.suppressions.remove("ann@example.com");
    await b.dataSubjects.erase({ email: "ann@example.com" });
    await b.forms.addRecipient(form.id, "ann@example.com");
    const actions = (await entriesOf(b)).map(({ action }) => action);
    expect(actions.slice(0, 4)).toEqual(["update_form", "erase_person", "release_address", "suppress_address"]);
    expect(JSON.stringify(await entriesOf(b))).not.toContain("ann@");
  });

  it("tells MCP, the command line and the session of a host apart", async () => {
    const agent = rpc();
    const { id: form_id } = await agent.forms.create({ name: "Contact" });
    await agent.tool("update_form", { form_id, active: false });
    const [entry] = await entriesOf(agent);
    expect(entry).toMatchObject({ via: "mcp", action: "update_form", actor: { type: "key" }, ids: ["active"] });

    const { cli, backend } = connected();
    expect((await cli("forms", "create", "--name", "Jobs")).code).toBe(0);
    expect(lines(await entriesOf(backend)).at(-1)).toMatch(/^key key_\w+ cli create_form$/);

    const b = harness({
      authenticate: () => ({ auth: "host", id: "u7", team_ids: ["default"], scopes: "all", form_ids: null }),
    });
    await b.forms.create({ name: "A" });
    const headers = { origin: new URL(b.baseUrl).origin, "sec-fetch-site": "same-origin" };
    expect((await b.call("POST", "/v1/forms", { key: null, headers, body: { name: "B" } })).status).toBe(201);
    expect(lines(await entriesOf(b)).at(-1)).toBe("person u7 api create_form");
  });

  it("has what only the host does, each at its team", async () => {
    const b = harness();
    for (const id of ["a", "b"]) await b.teams.create({ id, name: id });
    await b.teams.ensure("a", { name: "other" });
    await b.teams.update("a", { plan: "unlimited", brand: { name: "A" } });
    const form = await b.forms.ensure("contact", { name: "Contact", team_id: "a" });
    await b.forms.ensure("contact", { name: "Contact", team_id: "a" });
    await b.forms.lock(form.id, { reason: "x" });
    await b.forms.unlock(form.id);
    const copy = await b.forms.copy(form.id, { team_id: "b" });
    await b.forms.move(copy.id, { team_id: "a" });
    await b.forms.shred(form.id);
    const key = await b.keys.create({ team_id: "a", name: "k", scopes: "all" });
    await b.keys.revoke(key.id);
    const own = async (team_id: string) =>
      (await entriesOf(b, { team_id })).reverse().map(({ action, form_id, ids }) => [action, form_id, ids]);
    expect(await own("a")).toEqual([
      ["create_team", null, []],
      ["update_team", null, ["plan", "brand.name"]],
      ["create_form", form.id, []],
      ["lock_form", form.id, []],
      ["unlock_form", form.id, []],
      ["move_form", copy.id, []],
      ["shred_form", form.id, []],
      ["create_key", null, [key.id]],
      ["revoke_key", null, [key.id]],
    ]);
    expect(await own("b")).toEqual([
      ["create_team", null, []],
      ["copy_form", copy.id, [form.id]],
    ]);
  });

  it("is that of the team whose reply or person it was, also for a credential of several teams", async () => {
    const caller: Caller = { auth: "host", id: "app", team_ids: ["acme", "bolt"], scopes: "all", form_ids: null };
    const b = harness({ authenticate: () => caller });
    const headers = { origin: new URL(b.baseUrl).origin, "sec-fetch-site": "same-origin" };
    const forms: string[] = [];
    for (const id of ["acme", "bolt", "cove"]) {
      await b.teams.create({ id, name: id });
      forms.push((await b.forms.create({ name: "Contact" }, { team_id: id })).id);
    }
    const all = async () => {
      const found = ["default", "acme", "bolt", "cove"].map((team_id) => entriesOf(b, { team_id }));
      return (await Promise.all(found)).flat();
    };
    const since = async (work: () => Promise<unknown>): Promise<string[]> => {
      const known = new Set((await all()).map(({ id }) => id));
      await work();
      const entries = (await all()).filter(({ id }) => !known.has(id));
      return entries.map(({ team_id, action }) => `${team_id} ${action}`).sort();
    };
    const reply = await b.savedReplies.create({ team_id: "bolt", name: "Thanks", text: "Thank you." });
    const path = `/v1/saved-replies/${reply.id}`;
    const patch = { key: null, headers, body: { text: "Thanks." } };
    expect(await since(() => b.call("PATCH", path, patch))).toEqual(["bolt save_reply"]);
    expect(await since(() => b.savedReplies.update(reply.id, { text: "Hi" }))).toEqual(["bolt save_reply"]);
    expect(await since(() => b.savedReplies.delete(reply.id))).toEqual(["bolt delete_reply"]);

    const person = { email: "ann@example.com" };
    for (const action of ["export", "erase"]) {
      const call = () => b.call("POST", `/v1/data-subjects/${action}`, { key: null, headers, body: person });
      expect(await since(call)).toEqual([`acme ${action}_person`, `bolt ${action}_person`]);
    }
    for (const id of forms.slice(1)) await b.submit(id, { fields: person });
    const erase = () => b.dataSubjects.erase({ ...person, team_id: null });
    expect(await since(erase)).toEqual(["bolt erase_person", "cove erase_person"]);
    expect(await erase()).not.toHaveProperty("team_ids");
    await b.close();
  });

  it("comes and goes with a transaction of the host's", async () => {
    const path = join(temporaryDirectory(), "a.db");
    const b = createTestBackend({ storage: sqliteStorage({ path }) });
    await b.ready();
    const handle = new DatabaseSync(path);
    for (const [end, names] of [
      ["ROLLBACK", []],
      ["COMMIT", ["create_team", "create_form"]],
    ] as const) {
      handle.exec("BEGIN IMMEDIATE");
      const { id } = await b.teams.create({ id: "t", name: "T" }, { tx: handle as never });
      await b.forms.create({ name: "A" }, { team_id: id, tx: handle as never });
      handle.exec(end);
      const { data } = await b.audit.list({ team_id: "t" }).catch(() => ({ data: [] }));
      expect(data.map(({ action }) => action).reverse()).toEqual(names);
    }
    handle.close();
    await b.close();
  });

  it("says nothing of posts, which cost no more", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "Contact" });
    const before = await entriesOf(b);
    expect((await b.post(form.id, { a: "1" })).status).toBe(200);
    await b.submit(form.id, { fields: { a: "2" } });
    expect(await entriesOf(b)).toEqual(before);
  });

  it("leaves nothing of a deleted team behind, whatever its keys do meanwhile", async () => {
    const b = harness();
    await b.teams.create({ id: "a", name: "A" });
    await b.teams.delete("a");
    for (let i = 0; i < 5; i++) {
      await b.clock.advance(3_600_000);
      await b.sweep();
    }
    expect(await b.teams.deletion("a")).toMatchObject({ done: true });
    await expect(b.audit.list({ team_id: "a" })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("backend.audit", () => {
  it("lists in pages, newest first, with filters, and asks for the team where there are several", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    for (let i = 0; i < 5; i++) await b.forms.update(form.id, { name: `A${i}` });
    await b.forms.create({ name: "B" });
    const first = await b.audit.list({ limit: 4 });
    const second = await b.audit.list({ limit: 4, cursor: first.next_cursor ?? "" });
    expect([...first.data, ...second.data].map(({ action }) => action)).toEqual(
      ["create_form", ...Array(5).fill("update_form"), "create_form"].slice(0, first.data.length + second.data.length),
    );
    expect(await entriesOf(b, { form_id: form.id, action: "update_form", actor_id: "host" })).toHaveLength(5);
    await expect(b.audit.list({ cursor: first.next_cursor ?? "", limit: 4, action: "x" })).rejects.toMatchObject({
      code: "invalid_parameter",
    });
    await b.teams.create({ id: "other", name: "Other" });
    await expect(b.audit.list()).rejects.toMatchObject({ code: "invalid_parameter", param: "team_id" });
    await expect(b.audit.list({ nonsense: 1 } as never)).rejects.toMatchObject({ code: "invalid_parameter" });
  });

  it("exports all that match as lines or a table in which no cell is a formula, and keeps that it did", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const { key } = await b.keys.create({ name: "=HYPERLINK(1)", scopes: "all" });
    await b.call("PATCH", `/v1/forms/${form.id}`, { key, body: { name: "B" } });
    const text = async (query: object) => new Response(await b.audit.export(query)).text();
    const entries = (await text({}))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries.slice(-4, -1)).toMatchObject([
      { action: "create_form" },
      { action: "create_key" },
      { action: "update_form" },
    ]);
    const [head, row, end] = (await text({ format: "csv", action: "update_form" })).split("\r\n");
    expect(head).toBe("at,actor,actor_id,actor_name,via,action,team_id,form_id,count,ids");
    expect(row).toMatch(/,key,key_\w+,'=HYPERLINK\(1\),api,update_form,default,\w+,1,name$/);
    expect(end).toBe("");
    expect(await entriesOf(b, { action: "export_audit" })).toHaveLength(2);
  });
});
