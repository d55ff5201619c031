import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { harness } from "../../../_support/backend.ts";
import { formData } from "../../../_support/blobs.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const DAY = 24 * 60 * 60_000;
const stores: Record<string, () => StorageDriver> = {
  memory: () => memoryStorage(),
  SQLite: () => sqliteStorage({ path: join(temporaryDirectory(), "store.db") }),
};

function world(storage: StorageDriver, plans = {}) {
  const b = harness({ storage, rateLimit: false, plans });
  onTestFinished(() => b.close());
  return b;
}
const settings = {
  name: "Contact",
  spam: { protection: false },
  self_email_notification: { recipients: ["owner@example.com"] },
  settings: { spam: { words: ["casino"] } },
};

describe.each(Object.keys(stores))("the usage of a month, on %s,", (name) => {
  const open = () => (stores[name] as () => StorageDriver)();

  it("is what came and what was sent, of each team, and stays when submissions are deleted", async () => {
    const b = world(open());
    await b.teams.create({ id: "acme", name: "Acme" });
    const { id } = await b.forms.create({ ...settings, spam: { protection: true } }, { team_id: "acme" });
    await b.webhooks.create(id, { url: "https://hooks.example.com/x" });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const body = formData([
        ["email", `a${n}@visitor.example`],
        ["cv", ["cv.txt", "ten bytes.", "text/plain"]],
      ]);
      ids.push((await b.post(id, body)).json.submission_id);
    }
    const spam = (await b.post(id, { email: "b@visitor.example", text: "casino" })).json.submission_id;
    await b.tick();
    const [before] = (await b.usage({ month: "2026-01", team_id: "acme" })).data;
    expect(before).toEqual({
      team_id: "acme",
      accepted: 3,
      spam: 1,
      over_quota: 0,
      emails: 3,
      webhooks: 3,
      file_bytes: 30,
      stored: 4,
    });
    await b.submissions.delete(id, ids[0] as string);
    await b.submissions.update(id, spam, { spam: false }, { deliver: true });
    await b.tick();
    const [after] = (await b.usage({ month: "2026-01", team_id: "acme" })).data;
    expect(after).toMatchObject({ accepted: 4, spam: 1, emails: 4, webhooks: 4, file_bytes: 30, stored: 3 });
    expect((await b.usage({ month: "2026-01", team_id: "default" })).data[0]).toMatchObject({ accepted: 0, stored: 0 });
  });

  it("has the files of changes by senders, in the month of the change", async () => {
    const b = world(open());
    const { id } = await b.forms.create({ ...settings, settings: { edit: { enabled: true, until: "60_days" } } });
    const body = (cv: string) =>
      formData([
        ["name", "Ann"],
        ["cv", ["cv.txt", cv, "text/plain"]],
      ]);
    const { edit_url } = (await b.post(id, body("ten bytes."))).json;
    const bytes = async (month: string) => (await b.usage({ month, team_id: "default" })).data[0]?.file_bytes;
    const change = async (form: FormData) =>
      (await b.fetch(new Request(edit_url, { method: "POST", body: form }))).status;
    await b.clock.advance(31 * DAY);
    expect([await change(body("twenty bytes of life")), await change(formData([["name", "Bea"]]))]).toEqual([200, 200]);
    expect([await bytes("2026-01"), await bytes("2026-02")]).toEqual([10, 20]);
  });

  it("has what came beyond the plan's month apart, whether it is sent or not", async () => {
    for (const [overage, emails] of [
      ["skip", 2],
      ["deliver", 5],
    ] as const) {
      const b = world(open(), { small: { submissions_per_month: 2, overage } });
      await b.teams.create({ id: "acme", name: "Acme", plan: "small", owner: { email: null } });
      const { id } = await b.forms.create(settings, { team_id: "acme" });
      for (let n = 0; n < 5; n++) await b.post(id, { email: `a${n}@visitor.example` });
      await b.tick();
      const [used] = (await b.usage({ month: "2026-01", team_id: "acme" })).data;
      expect(used, overage).toMatchObject({ accepted: 2, over_quota: 3, emails, stored: 5 });
      const { data } = await b.submissions.list(id);
      expect(data.filter(({ over_quota }) => over_quota)).toHaveLength(3);
      const key = await b.keyWith("all", { team_id: "acme" });
      const { json } = await b.call("GET", `/v1/forms/${id}/submissions`, { key });
      const flags = json.data.map((one: object) => "over_quota" in one);
      expect(flags.filter(Boolean)).toHaveLength(3);
    }
  });

  it("has spam that is released and sent in a full month among what came beyond it, once", async () => {
    for (const [overage, over_quota, emails] of [
      ["skip", 0, 1],
      ["deliver", 3, 4],
    ] as const) {
      const b = world(open(), { small: { submissions_per_month: 1, overage } });
      await b.teams.create({ id: "acme", name: "Acme", plan: "small", owner: { email: null } });
      const { id } = await b.forms.create({ ...settings, spam: { protection: true } }, { team_id: "acme" });
      await b.post(id, { email: "a@visitor.example" });
      const spam: string[] = [];
      for (let n = 0; n < 3; n++)
        spam.push((await b.post(id, { email: `b${n}@visitor.example`, text: `casino ${n}` })).json.submission_id);
      const [first = "", ...others] = spam;
      await b.submissions.update(id, first, { spam: false }, { deliver: true });
      const key = await b.keyWith("all", { team_id: "acme" });
      const body = { ids: [first, ...others], action: "mark_not_spam", deliver: true };
      expect((await b.call("POST", `/v1/forms/${id}/submissions/bulk`, { key, body })).status).toBe(200);
      await b.tick();
      const [used] = (await b.usage({ month: "2026-01", team_id: "acme" })).data;
      expect(used, overage).toMatchObject({ accepted: 1, spam: 3, over_quota, emails });
    }
  });

  it("has what came in a full month once, also if it is sent under a later plan", async () => {
    const small = { submissions_per_month: 1 };
    const b = world(open(), { small, open: { ...small, overage: "deliver" } });
    await b.teams.create({ id: "acme", name: "Acme", plan: "small", owner: { email: null } });
    const { id } = await b.forms.create(settings, { team_id: "acme" });
    for (let n = 0; n < 2; n++) await b.post(id, { email: `a${n}@visitor.example` });
    await b.tick();
    await b.teams.update("acme", { plan: "open" });
    const [skipped] = await b.jobs.list({ status: "skipped" });
    await b.jobs.retry(String(skipped?.id));
    await b.tick();
    const [used] = (await b.usage({ month: "2026-01", team_id: "acme" })).data;
    expect(used).toMatchObject({ accepted: 1, over_quota: 1, emails: 2 });
  });

  it("comes in pages over all teams, and names a wrong month and team", async () => {
    const b = world(open());
    for (let n = 0; n < 4; n++) await b.teams.create({ id: `team_${n}`, name: "T" });
    const first = await b.usage({ month: "2026-01", limit: 3 });
    expect([first.data.length, first.has_more]).toEqual([3, true]);
    const second = await b.usage({ month: "2026-01", limit: 3, cursor: first.next_cursor ?? "" });
    const ids = [...first.data, ...second.data].map(({ team_id }) => team_id);
    expect(ids.sort()).toEqual(["default", "team_0", "team_1", "team_2", "team_3"]);
    expect(second.next_cursor).toBeNull();
    await expect(b.usage({ month: "2026-13" })).rejects.toMatchObject({ param: "month" });
    await expect(b.usage({ month: "2026-02" })).rejects.toMatchObject({ param: "month" });
    await expect(b.usage({ month: "2026-01", team_id: "no" })).rejects.toMatchObject({ code: "not_found" });
    const cursor = first.next_cursor ?? "";
    await expect(b.usage({ month: "2025-12", cursor })).rejects.toMatchObject({ param: "cursor" });
  });
});

it("a team whose submissions can't be counted in time is refused rather than told too small a number", async () => {
  const storage = memoryStorage();
  let isLong = false;
  const budgets: unknown[] = [];
  const b = world({
    ...storage,
    count: async (collection, query) => {
      budgets.push(query.budgetMs);
      const { count } = await storage.count(collection, query);
      return { count, exact: !isLong };
    },
  });
  const { id } = await b.forms.create(settings);
  await b.post(id, { email: "ann@visitor.example" });
  expect((await b.usage({ month: "2026-01" })).data[0]?.stored).toBe(1);
  isLong = true;
  const refused = { code: "unavailable", message: expect.stringContaining('the team "default"') };
  await expect(b.usage({ month: "2026-01", team_id: "default" })).rejects.toMatchObject(refused);
  expect(new Set(budgets)).toEqual(new Set([60_000]));
});

describe("the log of deliveries", () => {
  it("is kept as long as the team's plan says, and what still waits stays", async () => {
    const b = world(memoryStorage(), { brief: { log_days: 14 }, day: { log_days: 1 } });
    await b.teams.create({ id: "brief", name: "Brief", plan: "brief" });
    await b.teams.create({ id: "long", name: "Long" });
    const forms = await Promise.all(["brief", "long"].map((team_id) => b.forms.create(settings, { team_id })));
    for (const { id } of forms) await b.post(id, { email: "ann@visitor.example" });
    await b.tick();
    const logged = async () => Promise.all(forms.map(async ({ id }) => (await b.jobs.list({ form_id: id })).length));
    expect(await logged()).toEqual([1, 1]);
    await b.clock.advance(13 * DAY);
    await b.sweep();
    expect(await logged()).toEqual([1, 1]);
    await b.clock.advance(2 * DAY);
    expect((await b.sweep()).deliveries).toBe(1);
    expect(await logged()).toEqual([0, 1]);
    await b.clock.advance(526 * DAY);
    await b.sweep();
    expect(await logged()).toEqual([0, 0]);
  });
});
