import { expect, it, onTestFinished, vi } from "vitest";
import {
  fileUrl,
  googleSheets,
  keyFile,
  records,
  type Tab,
  unavailable,
  unshared,
} from "../../../../_support/destinations/google.ts";
import { mortals } from "../../../../_support/destinations/mortal.ts";
import type { Got } from "../../../../_support/destinations/server.ts";
import { runs } from "../../../../_support/runs.ts";

const DAY = 24 * 60 * 60 * 1_000;

/** A form whose submissions go into a sheet. */
async function sheetOfForm(timeoutMs?: number) {
  const held: { now: () => number } = { now: () => 0 };
  const google = await googleSheets(() => held.now());
  onTestFinished(google.close);
  const world = mortals({ integrations: google.options, ...(timeoutMs && { webhooks: { timeoutMs } }) });
  held.now = world.clock.now;
  const form = await world.backend().forms.create({ name: "Contact", spam: { protection: false } });
  const webhook = { url: fileUrl, format: "google_sheets", config: {} } as const;
  const { id: hook } = await world.backend().webhooks.create(form.id, webhook);
  return { google, world, form, hook };
}

it("gets every row into the sheet exactly once over refusals, lost answers, lost tokens, a quota, kills and a day unshared", async () => {
  const all = runs(1_000, 5_000);
  const { google, world, form, hook } = await sheetOfForm(500);
  await world.backend().teams.update("default", { owner: { email: "owner@example.com" } });
  const began = world.clock.now();

  const seen = { appends: 0, refused: 0, lost: 0, hung: 0, kills: 0, tokens: 0 };
  let unsharedUntil = 0;
  google.fate(({ path }) => {
    if (path === "/token") return undefined;
    if (world.clock.now() < unsharedUntil) return unshared;
    if (!path.endsWith(":append")) return undefined;
    const n = ++seen.appends;
    if (n % 7 === 0 && seen.kills < 10) {
      seen.kills++;
      world.kill();
      // Dead before the answer: half of the time the rows are there.
      return seen.kills % 2 ? "lost" : unavailable;
    }
    if (n % 3 === 0) {
      seen.refused++;
      return unavailable;
    }
    if (n % 10 === 0) {
      seen.lost++;
      return "lost";
    }
    if (n === 11) {
      seen.hung++;
      return "hangs";
    }
    if (n === 5 || n === 17) {
      seen.tokens++;
      google.loseTokens();
    }
    return undefined;
  });

  const sent = new Map<string, { n: string; more: string }>();
  const extra = (n: number): Record<string, string> => (n % 100 === 50 ? { [`extra${n}`]: `=${n}` } : {});
  for (let n = 0; n < all; n++) {
    const values = { n: `${n}`, more: `more ${n}` };
    const { id } = await world.backend().submit(form.id, { fields: { ...values, ...extra(n) } });
    sent.set(id, values);
    if (n % 40 === 39) await world.run(world.clock.now() + 20_000);
    if (n === all / 2) {
      unsharedUntil = world.clock.now() + DAY;
      await world.run(world.clock.now() + 5_000);
    }
  }
  await world.run(unsharedUntil);
  expect(await world.backend().webhooks.get(form.id, hook)).toMatchObject({ enabled: false });
  await world.backend().webhooks.update(form.id, hook, { enabled: true });
  await world.backend().deliveries.recover(form.id, hook, { since: new Date(began).toISOString() });
  await world.run(world.clock.now() + 3 * DAY);

  const rows = records(google.tabs[0] as Tab);
  expect(rows.map(({ submission_id }) => submission_id).sort()).toEqual([...sent.keys()].sort());
  for (const { submission_id, n, more, ...rest } of rows) {
    expect({ n, more }).toEqual(sent.get(String(submission_id)));
    const own = Object.entries(rest).filter(([name, value]) => name.startsWith("extra") && value !== "");
    expect(Object.fromEntries(own)).toEqual(extra(Number(n)));
  }
  const batches = google.got.filter(({ path }) => path.endsWith(":append"));
  for (const { json } of batches) {
    const ids = json.values.map(([id]: string[]) => id);
    expect(ids).toEqual([...ids].sort());
    expect(ids.length).toBeLessThanOrEqual(100);
  }
  expect(seen).toMatchObject({ kills: 10, tokens: 2, hung: 1, refused: expect.any(Number), lost: expect.any(Number) });
  expect(Math.min(seen.refused, seen.lost)).toBeGreaterThan(0);
  expect(JSON.stringify(await world.backend().deliveries.list(form.id, hook))).not.toContain(keyFile.private_key);
}, 120_000);

it("begins no call once its lease is over, as after the machine stood still", async () => {
  const { google, world, form } = await sheetOfForm();
  let stood = false;
  google.fate(({ path }) => {
    if (!stood && path !== "/token") world.clock.set(world.clock.now() + 10 * 60_000);
    stood ||= path !== "/token";
    return undefined;
  });
  await world.backend().submit(form.id, { fields: { n: "1" } });
  await world.backend().tick();
  expect(google.got.filter(({ method }) => method !== "GET" && method !== undefined).map(({ path }) => path)).toEqual([
    "/token",
  ]);
  await world.run(world.clock.now() + DAY);
  expect(records(google.tabs[0] as Tab)).toHaveLength(1);
});

it("begins no call once its lease is over, also where the clock was set back meanwhile", async () => {
  const { google, world, form } = await sheetOfForm();
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => now.mockRestore());
  google.fate(({ path }) => {
    if (path === "/token") return undefined;
    google.fate(() => undefined);
    // The machine stands still for ten minutes, and its clock is set back by as many.
    const up = performance.now();
    now.mockReturnValue(up + 10 * 60_000);
    return undefined;
  });
  await world.backend().submit(form.id, { fields: { n: "1" } });
  await world.backend().tick();
  expect(google.got.filter(({ method }) => method !== "GET" && method !== undefined).map(({ path }) => path)).toEqual([
    "/token",
  ]);
  await world.run(world.clock.now() + DAY);
  expect(records(google.tabs[0] as Tab)).toHaveLength(1);
});

it("writes a row once whose request is still on its way when the process is told to end", async () => {
  const { google, world, form } = await sheetOfForm(5_000);
  const onItsWay: Got[] = [];
  const asked = new Promise<void>((resolve) => {
    google.fate((got) => {
      if (!got.path.endsWith(":append") || onItsWay.length > 0) return undefined;
      onItsWay.push(got);
      resolve();
      return "under way";
    });
  });
  await world.backend().submit(form.id, { fields: { n: "1" } });
  const ended = world.backend().tick();
  await asked;
  await world.end();
  await ended;
  await world.run(world.clock.now() + 4_900);
  for (const got of onItsWay) google.arrives(got);
  await world.run(world.clock.now() + DAY);
  expect(records(google.tabs[0] as Tab).map(({ n }) => n)).toEqual(["1"]);
  expect(google.got.filter(({ path }) => path.endsWith(":append"))).toHaveLength(1);
});
