import { expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { keep, keepEdit } from "../../../../src/features/audit/keep.ts";
import { iso } from "../../../../src/lib/clock.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { harness } from "../../../_support/backend.ts";
import { formOf } from "./_form.ts";
import { inboxHarness } from "./_inbox.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

async function site(plan = {}) {
  const backend = inboxHarness({}, { rateLimit: false, plans: { paid: { audit_days: 10, ...plan } } });
  for (const id of ["bakery", "other"]) await backend.teams.create({ id, name: id, plan: "paid" });
  const form = await backend.forms.create({ name: "Contact", team_id: "bakery" });
  const { id } = await backend.submit(form.id, { fields: { message: "Hello" } });
  const team = { team_ids: ["bakery"] };
  const admin = backend.as({ ...team, id: "boss", name: "Boss" });
  const agent = backend.as({ ...team, role: "agent", id: "bo", name: "Bo" });
  const entries = async (query = ""): Promise<string[]> =>
    [...(await admin.get(`/audit${query}`)).text.matchAll(/<tr data-audit-id.*?<\/tr>/g)]
      .map(([row]) =>
        row
          .replace(/<[^>]*>/g, " ")
          .replace(/\s+/g, " ")
          .trim(),
      )
      .filter((row) => !row.includes("In process"));
  return { backend, form, id, admin, agent, entries, at: `/f/${form.id}` };
}

it("shows who read, exported, changed and deleted, newest first, and reports each by the event", async () => {
  const { backend, form, id, agent, admin, entries, at } = await site();
  const events: string[] = [];
  backend.on("inbox.action", ({ action, user, form_id, ids }) => {
    events.push(`${user.name} ${action} ${form_id === form.id} ${ids.join()}`);
  });
  const steps = [
    () => agent.get(at),
    () => agent.get(`${at}/s/${id}`),
    () => agent.get(`${at}/export?format=csv`),
    async () => {
      const path = `${at}/settings/general`;
      const values = formOf((await admin.get(path)).text, path);
      await admin.post(path, { ...values, name: "Renamed" });
    },
    () => agent.post(`${at}/s/${id}`, { action: "delete", confirm: "1" }),
  ];
  for (const step of steps) {
    await step();
    await backend.clock.advance(1_000);
  }
  expect(events).toEqual([
    `Bo read true ${id}`,
    "Bo export true ",
    "Boss update_form true name",
    `Bo delete true ${id}`,
  ]);
  const rows = await entries();
  expect(rows).toHaveLength(5);
  for (const [n, words] of [
    /^Bo bo Deleted/,
    /^Boss boss Changed/,
    /^Bo bo Exported/,
    /^Bo bo Read Inbox R/,
  ].entries()) {
    expect(rows[n]).toMatch(words);
  }
  expect(rows[1]).toMatch(/^Boss boss Changed settings Inbox Renamed name /);
  expect(rows[2]).toContain("all that matched");
  expect(rows[4]).toMatch(/^Bo bo Read a list/);
  expect(await entries("?user=boss")).toHaveLength(1);
  expect(await entries("?action=read")).toHaveLength(1);
  expect(await entries(`?form=${form.id}&action=delete`)).toHaveLength(1);
  expect(await entries("?action=nothing")).toHaveLength(0);
});

it("offers the people of the newest entries by name, and takes a first and a last day", async () => {
  const { backend, id, agent, admin, entries, at } = await site();
  const day = (after = 0): string => iso(backend.clock.now() + after).slice(0, 10);
  const first = day();
  await agent.get(`${at}/s/${id}`);
  await backend.clock.advance(2 * DAY);
  await backend.as({ team_ids: ["bakery"], id: "zoe", name: "<Zoë>" }).get(`${at}/s/${id}`);
  await backend.clock.advance(1_000);
  const { text } = await admin.get("/audit?user=gone");
  const [, people = ""] = /<select name="user">(.*?)<\/select>/.exec(text) ?? [];
  expect(
    [...people.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g)].map(([, value, name]) => [value, name]),
  ).toEqual([
    ["", "Any"],
    ["zoe", "&lt;Zoë&gt;"],
    ["bo", "Bo"],
    ["host", expect.any(String)],
    ["gone", "gone"],
  ]);
  expect(await entries("?action=read")).toHaveLength(2);
  // The last day is among them.
  expect(await entries(`?action=read&from=${first}&to=${first}`)).toEqual([expect.stringMatching(/^Bo /)]);
  expect(await entries(`?action=read&from=${day()}`)).toEqual([expect.stringContaining("Zoë")]);
  expect(await entries(`?action=read&to=${day()}`)).toHaveLength(2);
  for (const wrong of ["2026-02-30", "yesterday", "<b>"]) {
    expect(await entries(`?action=read&from=${encodeURIComponent(wrong)}`)).toHaveLength(2);
  }
  const csv = (await admin.get(`/audit/export?action=read&to=${first}&format=csv`)).text;
  expect(csv.trim().split("\n")).toHaveLength(2);
});

it("makes one entry an hour of one reader and one submission, and none of what was refused", async () => {
  const { backend, id, agent, entries, at } = await site();
  for (let i = 0; i < 3; i++) await agent.get(`${at}/s/${id}`);
  expect(await entries()).toHaveLength(1);
  await backend.clock.advance(HOUR);
  await agent.get(`${at}/s/${id}`);
  expect(await entries()).toHaveLength(2);
  await agent.post(`${at}/settings/general`, { name: "Mine", "was.name": "Contact" });
  await agent.post("/keys", { name: "Mine", scopes: "forms:read" });
  expect(await entries()).toHaveLength(2);
});

it("is kept for as long as the team's plan says, and not at all where it says so", async () => {
  const { backend, id, agent, entries, at, admin } = await site();
  await agent.get(`${at}/s/${id}`);
  expect((await admin.get("/audit")).text).toContain("Entries are removed after 10 days.");
  await backend.clock.advance(9 * DAY);
  await backend.sweep();
  expect(await entries()).toHaveLength(1);
  await backend.clock.advance(2 * DAY);
  await backend.sweep();
  expect(await entries()).toHaveLength(0);
  const none = await site({ audit_days: 0 });
  await none.agent.get(`${none.at}/s/${none.id}`);
  expect(await none.entries()).toHaveLength(0);
  expect((await none.admin.get("/audit")).text).toContain("keeps no entries");
  const always = await site({ audit_days: null });
  await always.agent.get(`${always.at}/s/${always.id}`);
  await always.backend.clock.advance(4_000 * DAY);
  await always.backend.sweep();
  expect(await always.entries()).toHaveLength(1);
});

it("has pages of 50 entries, whose addresses lead no further than their filter", async () => {
  const { admin, agent, at, id } = await site();
  for (let i = 0; i < 60; i++) {
    await agent.post(`${at}/s/${id}`, { action: i % 2 === 0 ? "mark_spam" : "mark_not_spam" });
  }
  const { text } = await admin.get("/audit");
  expect(text.match(/<tr data-audit-id/g)).toHaveLength(50);
  const next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect((await admin.get(next)).text.match(/<tr data-audit-id/g)).toHaveLength(12);
  expect((await admin.get(`${next}&action=mark_spam`)).status).toBe(400);
});

it("keeps at most 5,000 changes, 2,000 readings and 2,000 changes by senders of a team in an hour, and 100 targets of each", async () => {
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
  if (!core) throw new Error("the inbox was not mounted");
  const { storage } = core;
  const user = { id: "eve", name: "Eve" };
  const note = (action: string, ids: string[]): Promise<void> =>
    keep(core as Core, {
      action,
      user,
      actor: "person",
      via: "inbox",
      team_id: "default",
      form_id: "f",
      ids,
      at: iso(backend.clock.now()),
    });
  const count = async () =>
    (await storage.count("audit", { index: "team", equals: { team_id: "default" }, budgetMs: 5_000 })).count;
  for (let i = 0; i < 5_100; i++) await note("mark_spam", [`s${i}`]);
  expect(await count()).toBe(5_000);
  for (let i = 0; i < 2_100; i++) await note("read", [`s${i}`]);
  expect(await count()).toBe(7_000);
  for (let i = 0; i < 2_100; i++) await keepEdit(core, "default", "f", `s${i}`);
  expect(await count()).toBe(9_000);
  await backend.clock.advance(HOUR);
  await note(
    "delete",
    Array.from({ length: 500 }, (_, i) => `s${i}`),
  );
  expect(await count()).toBe(9_001);
  const [latest] = await storage.page("audit", {
    index: "team",
    equals: { team_id: "default" },
    order: "desc",
    limit: 1,
  });
  expect(latest?.value).toMatchObject({ action: "delete", count: 500 });
  expect(latest?.value["ids"]).toHaveLength(100);
});

it("names no person whose data was asked for, and no secret", async () => {
  const { admin, entries } = await site();
  await admin.post("/people", { email: "bo@example.com", action: "find" });
  await admin.post("/people", { email: "bo@example.com", action: "erase", typed: "bo@example.com" });
  const made = await admin.post("/keys", { name: "CRM", scopes: "forms:read" });
  const key = /data-secret[^>]*>([^<]+)</.exec(made.text)?.[1] ?? "none";
  const rows = (await entries()).join();
  expect(rows).toContain("Erased a person");
  expect(rows).toContain("Created an API key");
  expect(rows).not.toMatch(new RegExp(`bo@example|${key}`));
});

it("is for the administrators of the team, and shows nothing of another one", async () => {
  const { backend, id, agent, at } = await site();
  await agent.get(`${at}/s/${id}`);
  expect((await agent.get("/audit")).status).toBe(403);
  const others = backend.as({ team_ids: ["other"] });
  expect((await others.get("/audit")).text).not.toContain(id);
  expect((await others.get("/audit?team=bakery")).status).toBe(404);
  const { text } = await backend.as({ team_ids: ["bakery", "other"] }).get("/audit?team=bakery");
  expect(text).toContain(id);
});

it("does not stop the work where it can't be written, and says so in the log", async () => {
  const lines: string[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (line: string) => void lines.push(line) };
  const storage = memoryStorage();
  const { commit } = storage;
  storage.commit = async (writes) => {
    if (writes.some((write) => write.op === "put" && write.collection === "audit")) throw new Error("disk full");
    return commit.call(storage, writes);
  };
  const backend = inboxHarness({}, { rateLimit: false, storage, logger: logger as never });
  const form = await backend.forms.create({ name: "Contact" });
  const { id } = await backend.submit(form.id, { fields: { a: "b" } });
  expect((await backend.as({}).post(`/f/${form.id}/s/${id}`, { action: "mark_spam" })).status).toBe(303);
  expect(lines.join()).toContain("an entry of the audit could not be written: mark_spam by ann");
});

it("shows changes by senders, who have no name here", async () => {
  const { backend, form, entries } = await site();
  await backend.forms.update(form.id, { settings: { edit: { enabled: true } } });
  const { json } = await backend.post(form.id, { note: "by train" });
  const edit = (note: string) =>
    backend.fetch(new Request(json.edit_url, { method: "POST", body: new URLSearchParams({ note }) }));
  const events: unknown[] = [];
  backend.on("inbox.action", (event) => void events.push(event));
  await edit("by bus");
  // Nothing differs.
  await edit("by bus");
  const rows = await entries("?action=edit");
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatch(new RegExp(`^Sender Changed by its sender Link Contact ${json.submission_id}`));
  expect(events).toEqual([]);
});
