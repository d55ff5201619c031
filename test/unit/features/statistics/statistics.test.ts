import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { Write } from "../../../../src/drivers/storage/types.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";
import { runs } from "../../../_support/runs.ts";

const HOUR = 60 * 60_000;
const VIEWS = runs(2_000, 1_000_000);

async function world(more: object = {}, settings: object = {}) {
  const clock = testClock(Date.parse("2026-10-24T20:00:00.000Z"));
  const storage = memoryStorage();
  const written: (readonly Write[])[] = [];
  const counted = {
    ...storage,
    commit: (writes: readonly Write[]) => {
      if (writes.some((one) => "id" in one && one.id.startsWith("seen:"))) written.push(writes);
      return storage.commit(writes);
    },
  };
  const b = harness({ clock, storage: counted, rateLimit: false, ...more });
  const { id } = await b.forms.create({ name: "A", settings: { statistics: { enabled: true }, ...settings } });
  const beacon = (what: string, { form = id, headers = {} } = {}) =>
    b.call("POST", `/f/${form}/${what}`, {
      key: null,
      body: "anything",
      headers: { "content-type": "text/plain", ...headers },
    });
  const later = async (ms: number) => {
    clock.set(clock.now() + ms);
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const ask = (query = "") => b.call("GET", `/v1/forms/${id}/statistics${query}`);
  return { b, id, clock, written, beacon, later, ask };
}

describe("statistics", () => {
  it("count views, starts, submissions and spam into days of a zone, on the day with 25 hours too", async () => {
    const { b, id, beacon, later, ask } = await world();
    // From 22:00 of Saturday in Berlin; at 03:00 of Sunday the clocks go back to 02:00.
    for (let hour = 0; hour < 30; hour++) {
      await beacon("view");
      if (hour % 2 === 0) await beacon("start");
      if (hour % 3 === 0) await b.post(id, { n: "1" });
      if (hour % 10 === 0) await b.post(id, { n: "1", _gotcha: "x" });
      await later(HOUR);
    }
    const { status, json } = await ask("?from=2026-10-24T00:00:00Z&to=2026-10-27T00:00:00Z&time_zone=Europe/Berlin");
    expect(status).toBe(200);
    expect(json).toEqual({
      data: [
        { start: "2026-10-23T22:00:00.000Z", views: 2, starts: 1, submissions: 1, spam: 1 },
        { start: "2026-10-24T22:00:00.000Z", views: 25, starts: 13, submissions: 8, spam: 2 },
        { start: "2026-10-25T23:00:00.000Z", views: 3, starts: 1, submissions: 1, spam: 0 },
        { start: "2026-10-26T23:00:00.000Z", views: 0, starts: 0, submissions: 0, spam: 0 },
      ],
      totals: { views: 30, starts: 15, submissions: 10, spam: 3, completion_rate: 10 / 15 },
    });
    for (const query of [
      "interval=hour&",
      "interval=week&",
      "interval=month&",
      "interval=hour&time_zone=Asia/Kathmandu&",
    ]) {
      const { data, totals } = (await ask(`?${query}from=2026-10-24T00:00:00Z&to=2026-10-27T00:00:00Z`)).json;
      expect(totals).toEqual(json.totals);
      expect(data.reduce((sum: number, { views }: { views: number }) => sum + views, 0)).toBe(30);
    }
    expect(await b.forms.statistics(id, { interval: "week" })).toMatchObject({ totals: { views: 30 } });
  });

  it("count from `from` up to `to`, and not beyond", async () => {
    const { b, id, later, ask } = await world();
    for (let n = 0; n < 4; n++) {
      await b.post(id, { n: "1" });
      await later(HOUR);
    }
    const between = (await ask("?from=2026-10-24T21:00:00Z&to=2026-10-24T23:00:00Z")).json;
    expect(between.data).toMatchObject([{ start: "2026-10-24T00:00:00.000Z", submissions: 2 }]);
  });

  it("cost the store one write in ten seconds, whatever the number of views", async () => {
    const { b, written, beacon, later } = await world();
    for (let n = 0; n < 500; n++) expect((await beacon("view")).status).toBe(204);
    expect(written).toHaveLength(0);
    await later(10_000);
    expect(written).toHaveLength(1);
    await beacon("start");
    expect(written).toHaveLength(1);
    await b.close();
    expect(written).toHaveLength(2);
    expect(written.flat()).toHaveLength(2);
  });

  it("count what was reported a moment ago, also while earlier counts are being written", async () => {
    const storage = memoryStorage();
    let slow: Promise<void> | null = null;
    const commit = async (writes: readonly Write[]) => {
      if (writes.some((one) => "id" in one && one.id.startsWith("seen:"))) await slow;
      return storage.commit(writes);
    };
    const { beacon, later, ask } = await world({ storage: { ...storage, commit } });
    await beacon("view");
    expect((await ask()).json.totals).toMatchObject({ views: 1, starts: 0 });
    let finish = (): void => {};
    slow = new Promise((resolve) => {
      finish = resolve;
    });
    await beacon("view");
    await later(10_000);
    await beacon("start");
    const asked = ask();
    finish();
    expect((await asked).json.totals).toMatchObject({ views: 2, starts: 1, completion_rate: 0 });
  });

  it(`count ${VIEWS} views over a night right, each in its hour`, { timeout: 600_000 }, async () => {
    const { b, id, written, beacon, later } = await world();
    const perHour = Math.ceil(VIEWS / 8);
    for (let hour = 0; hour < 8; hour++) {
      for (let n = 0; n < perHour; n++) await beacon(n % 4 === 0 ? "start" : "view");
      await later(HOUR);
    }
    const { data, totals } = await b.forms.statistics(id, { interval: "hour", from: "2026-10-24T20:00:00Z" });
    const starts = Math.ceil(perHour / 4);
    expect(data.slice(0, 8)).toEqual(
      Array.from({ length: 8 }, (_, hour) => ({
        start: new Date(Date.parse("2026-10-24T20:00:00Z") + hour * HOUR).toISOString(),
        ...{ views: perHour - starts, starts, submissions: 0, spam: 0 },
      })),
    );
    expect(totals.views + totals.starts).toBe(8 * perHour);
    expect(written).toHaveLength(8);
  });

  it("lose no view where two processes count, or the store is down for a moment", async () => {
    const storage = memoryStorage();
    let down = false;
    const flaky = {
      ...storage,
      commit: (writes: readonly Write[]) =>
        down && writes.some((one) => "id" in one && one.id.startsWith("seen:"))
          ? Promise.reject(new Error("down"))
          : storage.commit(writes),
    };
    const { b, id, beacon, later } = await world({ storage: flaky });
    const other = harness({
      storage: flaky,
      clock: testClock(Date.parse("2026-10-24T20:00:00.000Z")),
      rateLimit: false,
    });
    for (let n = 0; n < 10; n++) {
      await beacon("view");
      await other.call("POST", `/f/${id}/view`, { key: null });
    }
    down = true;
    await later(10_000);
    down = false;
    await beacon("view");
    await Promise.all([later(10_000), other.close()]);
    expect((await b.forms.statistics(id)).totals.views).toBe(21);
  });

  it("are not counted while switched off, and refused for unknown forms and foreign origins", async () => {
    const { b, id, beacon, later, ask } = await world(
      {},
      { statistics: { enabled: false }, allowed_origins: ["https://a.example"] },
    );
    const headers = { origin: "https://a.example" };
    expect((await beacon("view", { headers })).status).toBe(204);
    await later(10_000);
    expect((await ask()).json.totals).toEqual({ views: 0, starts: 0, submissions: 0, spam: 0, completion_rate: null });
    expect((await ask()).json.data).toHaveLength(31);
    const unknown = await beacon("view", { form: "nothere" });
    expect([unknown.status, unknown.json.error.code]).toEqual([404, "form_not_found"]);
    expect((await beacon("start", { headers: { origin: "https://b.example" } })).status).toBe(403);
    expect((await b.call("GET", `/f/${id}/view`)).status).toBe(405);
  });

  it("are limited by the address", async () => {
    const { beacon } = await world({ rateLimit: { beacons: { points: 3, seconds: 60 } } });
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await beacon("view")).status);
    expect(statuses).toEqual([204, 204, 204, 429, 429]);
  });

  it("need the scope, and a range that makes at most 400 buckets", async () => {
    const { b, id, ask } = await world();
    const key = await b.keyWith(["forms:read"]);
    expect((await b.call("GET", `/v1/forms/${id}/statistics`, { key })).status).toBe(403);
    for (const [query, param] of [
      ["?interval=year", "interval"],
      ["?interval=hour&from=2026-01-01T00:00:00Z", "interval"],
      ["?from=2026-10-25T00:00:00Z", "to"],
      ["?from=2026-10-25T00:00:00Z&to=2026-10-25T00:00:00Z", "to"],
      ["?from=0001-01-01T00:00:00Z", "from"],
      ["?from=yesterday", "from"],
      ["?time_zone=Mars/Olympus", "time_zone"],
      ["?time_zone=", "time_zone"],
      ["?timezone=UTC", "timezone"],
    ]) {
      const refused = await ask(query);
      expect([query, refused.status, refused.json.error.param]).toEqual([query, 400, param]);
    }
  });
});
