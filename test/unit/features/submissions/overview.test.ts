import { join } from "node:path";
import { createStorage } from "unstorage";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver, Value } from "../../../../src/drivers/storage/types.ts";
import { unstorageStorage } from "../../../../src/drivers/storage/unstorage.ts";
import { runs } from "../../../_support/runs.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { countedUnread, overviewUnread, unreadIsRight } from "../../../_support/unread.ts";
import { submitted } from "./_submissions.ts";

const DAY = 86_400_000;
const PATIENT_MS = runs(60_000, 1_200_000);

const stores: Record<string, () => Promise<StorageDriver>> = {
  memory: async () => memoryStorage(),
  unstorage: async () => unstorageStorage(createStorage()),
  SQLite: async () => sqliteStorage({ path: join(temporaryDirectory(), "a.db") }),
};

describe.each(Object.entries(stores))("unread submissions in %s", (_, open) => {
  unreadIsRight(open, PATIENT_MS);
});

/** Takes what a later version counts out of the store, as if an earlier one had written it. */
async function asBefore(storage: StorageDriver, form: string, days: string[] = []): Promise<void> {
  const names = ["seen", "counted:open", ...days];
  await storage.commit(
    names.map((name) => ({ op: "remove", collection: "counters", id: `form:${form}:${name}` }) as const),
  );
}

describe("forms.overview", () => {
  it("shows a form at a glance", async () => {
    const b = await submitted();
    await b.submitted({ n: "1" });
    const read = await b.submitted({ n: "2" });
    await b.submitted({ n: "3" }, { spam: true });
    await b.clock.advance(DAY);
    await b.submitted({ n: "4" });
    await b.submissions.update(b.id, read, { read: true });
    const { data, has_more, next_cursor } = await b.forms.overview();
    const form = await b.forms.get(b.id);
    expect({ has_more, next_cursor }).toEqual({ has_more: false, next_cursor: null });
    expect(data).toEqual([
      {
        id: b.id,
        name: "Contact",
        team_id: "default",
        created_at: form.created_at,
        active: true,
        unread: 2,
        open: 3,
        submissions: { this_month: 4, all_time: 4 },
        last_submission_at: form.last_submission_at,
        days: [...Array(28).fill(0), 2, 1],
        webhooks: { total: 0, paused: 0, failing: 0 },
      },
    ]);
  });

  it("tells webhooks that fail from those that are off", async () => {
    const b = await submitted({ plans: { unlimited: { webhooks_per_form: null } } });
    for (const path of ["a", "b", "c"]) await b.webhooks.create(b.id, { url: `https://hooks.example.com/${path}` });
    const { webhooks } = await b.forms.get(b.id);
    await b.webhooks.update(b.id, webhooks[0]?.id ?? "", { enabled: false });
    b.answerWebhooks(({ url }) => (url.endsWith("b") ? 500 : 200));
    await b.submitted({ n: "1" });
    await b.clock.advance(1_000);
    expect((await b.forms.overview()).data[0]?.webhooks).toEqual({ total: 3, paused: 1, failing: 1 });
  });

  it("pages over the forms of a team, newest first", async () => {
    const b = await submitted();
    await b.teams.create({ id: "acme", name: "Acme", owner: { email: "o@acme.test" }, plan: "unlimited" });
    for (const name of ["a", "b", "c"]) await b.forms.create({ name }, { team_id: "acme" });
    const first = await b.forms.overview({ team_id: "acme", limit: 2, days: 0 });
    expect(first.data.map(({ name, days }) => [name, days])).toEqual([
      ["c", []],
      ["b", []],
    ]);
    const second = await b.forms.overview({ team_id: "acme", limit: 2, cursor: first.next_cursor ?? "" });
    expect(second.data.map(({ name }) => name)).toEqual(["a"]);
    await expect(b.forms.overview({ cursor: first.next_cursor ?? "" })).rejects.toMatchObject({ param: "cursor" });
    await expect(b.forms.overview({ days: 91 })).rejects.toMatchObject({ param: "days" });
  });

  it("counts what an earlier version has stored at the first look, and goes on from there", async () => {
    const storage = memoryStorage();
    const b = await submitted({ storage });
    const [first = ""] = [await b.submitted({ n: "1" }), await b.submitted({ n: "2" }), await b.submitted({ n: "3" })];
    await b.submitted({ n: "4" }, { spam: true });
    await b.submissions.update(b.id, first, { read: true });
    await asBefore(storage, b.id, ["2026-01-01"]);
    expect(await overviewUnread(b, b.id)).toBe(2);
    expect((await b.forms.overview()).data[0]?.days.at(-1)).toBe(3);
    await b.submissions.update(b.id, first, { read: false });
    await b.submitted({ n: "5" });
    expect(await overviewUnread(b, b.id)).toBe(4);
    expect((await b.forms.overview()).data[0]?.days.at(-1)).toBe(4);
  });

  it("counts once where two processes look at the same time", async () => {
    const storage = memoryStorage();
    const b = await submitted({ storage });
    for (const n of "123") await b.submitted({ n });
    await asBefore(storage, b.id);
    await Promise.all([b.forms.overview(), b.forms.overview(), b.forms.overview()]);
    expect(await overviewUnread(b, b.id)).toBe(3);
  });

  it("is put right by the sweep where a process of an earlier version wrote beside this one", async () => {
    const storage = memoryStorage();
    const b = await submitted({ storage });
    const ids = [await b.submitted({ n: "1" }), await b.submitted({ n: "2" })];
    const row = (await storage.get("submissions", ids)).get(ids[0] as string);
    const value: Value = { ...row?.value, read: true };
    await storage.commit([{ op: "put", collection: "submissions", id: ids[0] as string, value }]);
    expect(await overviewUnread(b, b.id)).toBe(2);
    await b.sweep();
    expect(await overviewUnread(b, b.id)).toBe(2);
    await b.clock.advance(DAY);
    await b.sweep();
    expect(await overviewUnread(b, b.id)).toBe(await countedUnread(b, b.id));
    expect(await overviewUnread(b, b.id)).toBe(1);
  });

  it("says null where there is no time to count, and the sweep counts", async () => {
    const storage = memoryStorage();
    const slow = { ...storage, count: async () => ({ count: 0, exact: false }) } satisfies StorageDriver;
    const b = await submitted({ storage });
    await b.submitted({ n: "1" });
    await asBefore(storage, b.id);
    const busy = await submitted({ storage: slow });
    expect(await overviewUnread(busy, b.id)).toBe(null);
    await b.sweep();
    expect(await overviewUnread(busy, b.id)).toBe(1);
  });
});
