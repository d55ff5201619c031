import { expect, it } from "vitest";
import { viewOf } from "../../../../src/core/per-backend.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import {
  admitted,
  deliversBeyond,
  isMonthFull,
  knownFree,
  monthUsed,
  reserve,
  reserveUnwritten,
} from "../../../../src/features/jobs/quota.ts";
import { inside } from "../../../_support/inside.ts";

const plans = {
  two: { submissions_per_month: 2 },
  more: { submissions_per_month: 2, overage: "deliver" },
  open: { submissions_per_month: null, overage: "deliver" },
} as const;

/** A backend with a form of a team on this plan, and what is written of the team's month. */
async function on(plan: keyof typeof plans) {
  const storage = memoryStorage();
  const writes = { months: 0, fail: false };
  const { b, core } = await inside({
    plans,
    storage: {
      ...storage,
      commit(all) {
        if (!all.some((one) => "collection" in one && one.id.startsWith("month:"))) return storage.commit(all);
        writes.months++;
        return writes.fail ? Promise.reject(new Error("down")) : storage.commit(all);
      },
    },
  });
  await b.teams.create({ id: "acme", name: "Acme", plan, owner: { email: "owner@acme.example" } });
  const { id: form } = await b.forms.create({ name: "A", spam: { protection: false } }, { team_id: "acme" });
  const told: unknown[] = [];
  b.on("plan.exceeded", (event) => void told.push(event));
  const month = async () => (await storage.get("marks", ["month:acme:2026-01"])).get("month:acme:2026-01")?.value;
  /** Stores a submission of the form that counts for no month. */
  const uncounted = async (verdict: object[]): Promise<string> => {
    const { id } = await b.submit(form, { fields: { a: "1" } });
    const row = (await storage.get("submissions", [id])).get(id) ?? expect.fail("no row");
    const value = { ...row.value, uncounted: true, verdict };
    await storage.commit([{ op: "put", collection: "submissions", id, value }]);
    return id;
  };
  return { b, core, form, told, writes, month, uncounted };
}

it("a plan without a number has a place for everyone, and writes nothing for it", async () => {
  const { core, form, writes, month } = await on("open");
  for (const team of ["acme", "default", "nobody"]) {
    const place = await reserve(core, team, form);
    await place?.giveBack();
    expect(await reserveUnwritten(core, team)).not.toBeNull();
    expect([place === null, await isMonthFull(core, team), await monthUsed(core, team)]).toEqual([false, false, 0]);
  }
  expect([knownFree(core, "acme") === null, knownFree(core, "nobody")]).toEqual([false, null]);
  expect([writes.months, await month()]).toEqual([0, undefined]);
  expect(await Promise.all(["acme", "default", "nobody"].map((team) => deliversBeyond(core, team)))).toEqual([
    ...[true, false, false],
  ]);
});

it("a plan's places are noted as they are taken and given back, and the owner is told of the first refusal only", async () => {
  const { core, form, writes, told, month } = await on("two");
  const next = () => reserve(core, "acme", form);
  const first = await next();
  expect(await month()).toEqual({ taken: 1, told: false, expires_at: "2026-02-10T00:00:00.000Z" });
  expect([await isMonthFull(core, "acme"), knownFree(core, "acme"), await deliversBeyond(core, "acme")]).toEqual([
    ...[false, null, false],
  ]);
  expect(await next()).not.toBeNull();
  expect([await isMonthFull(core, "acme"), await reserveUnwritten(core, "acme"), told]).toEqual([true, null, []]);
  expect(await next()).toBeNull();
  expect(await month()).toMatchObject({ taken: 2, told: true });
  expect(told).toEqual([{ team_id: "acme", plan: "two", limit: 2, month: "2026-01" }]);
  const before = writes.months;
  expect([await next(), await next(), writes.months]).toEqual([null, null, before]);
  await first?.giveBack();
  expect(await month()).toMatchObject({ taken: 1, told: true });
  expect(await next()).not.toBeNull();
  expect([await next(), told.length, await monthUsed(core, "acme")]).toEqual([null, 1, 2]);
});

it("those who ask at once get the places that are left, in one commit with what is given back", async () => {
  const { core, form, writes, told, month } = await on("two");
  const first = await reserve(core, "acme", form);
  const next = () => reserve(core, "acme", form);
  const [second, , third, fourth] = await Promise.all([next(), first?.giveBack(), next(), next()]);
  expect([second === null, third === null, fourth === null]).toEqual([false, false, true]);
  expect([await month(), told.length, writes.months]).toEqual([expect.objectContaining({ taken: 2 }), 1, 2]);
});

it("a place that can't be given back stays taken, and nobody is told of the fault", async () => {
  const { core, form, writes, month } = await on("two");
  const place = await reserve(core, "acme", form);
  writes.fail = true;
  await place?.giveBack();
  expect(await month()).toMatchObject({ taken: 1 });
});

it("a submission that was counted nowhere takes a place when it is admitted, and gives it back where that is not stored", async () => {
  const { b, core, uncounted } = await on("two");
  expect(await admitted(core, "nowhere")).toBe(true);
  const id = await uncounted([]);
  expect(await monthUsed(core, "acme")).toBe(1);
  const fault = new Error("down");
  await expect(admitted(viewOf(core, { commitNow: () => Promise.reject(fault) }), id)).rejects.toBe(fault);
  expect(await isMonthFull(core, "acme")).toBe(false);
  expect(await Promise.all([admitted(core, id), admitted(core, id)])).toEqual([true, true]);
  const after = await core.rows.get("submissions", id);
  expect([after?.value.over_quota, after?.value.uncounted]).toEqual([false, undefined]);
  expect([await isMonthFull(core, "acme"), await monthUsed(core, "acme")]).toEqual([true, 2]);
  await b.close();
});

it("in a full month, a plan that delivers beyond it counts spam that is sent after all, once, and nothing else", async () => {
  const clean = { check: "x", spam: false, reason: null };
  for (const [plan, isSpam, may, counted] of [
    ["two", true, false, 0],
    ["more", true, true, 1],
    ["more", false, true, 0],
  ] as const) {
    const { b, core, form, uncounted } = await on(plan);
    const id = await uncounted([clean, ...(isSpam ? [{ ...clean, spam: true }] : [])]);
    for (let n = 0; n < 2; n++) await reserve(core, "acme", form);
    expect(await admitted(core, id)).toBe(may);
    const [used] = (await b.usage({ month: "2026-01", team_id: "acme" })).data;
    expect(used?.over_quota).toBe(counted);
    const after = (await core.rows.get("submissions", id))?.value;
    expect([after?.uncounted, after?.over_quota]).toEqual(counted ? [undefined, true] : [true, false]);
  }
});
