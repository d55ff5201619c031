import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { viewOf } from "../../../../src/core/per-backend.ts";
import type { Row } from "../../../../src/core/rows.ts";
import { StaleWriteError } from "../../../../src/drivers/storage/types.ts";
import { createSettle } from "../../../../src/features/deliveries/settle.ts";
import type { JobOutcome } from "../../../../src/model/outcome.ts";
import { inside } from "../../../_support/inside.ts";

const SUCCESS: JobOutcome = { status: "succeeded", code: "SUCCESS", ms: 1 };
const down = new Error("the store is away");

// Waits between tries are real timers, and the turns of the event loop stay as they are.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A backend with two deliveries of one webhook under way, and a core whose commits of results do as `answers` say, one by one. */
async function underWay() {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const { b, clock, core: opened } = await inside({ logger: { debug() {}, info() {}, error() {}, warn } });
  const { id: form } = await b.forms.create({ name: "A", self_email_notification: { enabled: false } });
  await b.webhooks.create(form, { url: "https://hooks.example.com/" });
  for (const a of ["1", "2"]) await b.submit(form, { fields: { a } });
  const listed = await b.jobs.list({ form_id: form, kind: "webhook" });
  const claim = { lane: "webhook", leaseMs: 60_000, limit: 2, exclude: [], perTarget: 2, now: clock.now() };
  await opened.storage.claim(claim);
  const rows = await Promise.all(
    listed.map(async ({ id }) => (await opened.rows.get("jobs", id)) ?? expect.fail("no row")),
  );
  /** The jobs of each commit, in their order. */
  const commits: string[][] = [];
  /** Errors that the next commits throw, in their order; undefined lets one be stored. */
  const answers: (Error | undefined)[] = [];
  const core = viewOf(opened, {
    commitTogether: async (writes, bytes) => {
      commits.push(writes.flatMap((one) => (one.op === "put" && one.collection === "jobs" ? [one.id] : [])));
      const thrown = answers.shift();
      if (thrown) throw thrown;
      return opened.commitTogether(writes, bytes);
    },
  });
  return {
    ...{ b, core, clock, answers, commits, warnings, rows: rows as [Row<"jobs">, Row<"jobs">] },
    ids: rows.map(({ id }) => id) as [string, string],
    statuses: async () => (await b.jobs.list({ form_id: form, kind: "webhook" })).map(({ status }) => status),
  };
}

/** Lets what is under way come as far as its next wait. */
const turns = async (): Promise<void> => {
  for (let n = 0; n < 30; n++) await new Promise((resolve) => setImmediate(resolve));
};
const pass = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
  await turns();
};

/** Lets time pass until all have ended. */
async function ended(all: readonly Promise<unknown>[]): Promise<void> {
  let isOver = false;
  void Promise.all(all).then(() => (isOver = true));
  while (!isOver) await pass(1_000);
}

describe("a result that the store does not take", () => {
  it("is tried again after 50 ms, then after twice the time, at last every second", async () => {
    const { core, rows, answers, commits, statuses } = await underWay();
    answers.push(...Array.from({ length: 8 }, () => down));
    const settled = createSettle(core)(rows[0], SUCCESS);
    await turns();
    for (const ms of [50, 100, 200, 400, 800, 1_000, 1_000, 1_000]) {
      const before = commits.length;
      await pass(ms - 1);
      expect(commits).toHaveLength(before);
      await pass(1);
      expect(commits).toHaveLength(before + 1);
    }
    await settled;
    expect(await statuses()).toContain("succeeded");
  });

  it("is given up after 20 more tries, with the error of the last one", async () => {
    const { core, rows, answers, commits } = await underWay();
    answers.push(...Array.from({ length: 30 }, () => down));
    const error = createSettle(core)(rows[0], SUCCESS).catch((thrown: unknown) => thrown);
    for (let n = 0; n < 25; n++) await pass(1_000);
    expect(await error).toBe(down);
    expect(commits).toHaveLength(21);
  });

  it("is given up at once where the process ends, and a wait under way ends with it", async () => {
    const { core, rows, answers, commits } = await underWay();
    answers.push(down, down);
    const ending = new AbortController();
    const error = createSettle(core, ending.signal)(rows[0], SUCCESS).catch((thrown: unknown) => thrown);
    await turns();
    expect(commits).toHaveLength(1);
    ending.abort();
    await turns();
    expect(await error).toBe(down);
    expect(commits).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a result whose commit lost a race", () => {
  it("for another row is tried again at random times of at most 25 ms, and is given up after 500", async () => {
    const { core, rows, answers, commits } = await underWay();
    vi.spyOn(Math, "random").mockReturnValue(1);
    const stale = new StaleWriteError("webhook_states", "w");
    answers.push(...Array.from({ length: 600 }, () => stale));
    const error = createSettle(core)(rows[0], SUCCESS).catch((thrown: unknown) => thrown);
    await turns();
    for (const ms of [2, 4, 8, 16, 25, 25]) {
      const before = commits.length;
      await pass(ms - 1);
      expect(commits).toHaveLength(before);
      await pass(1);
      expect(commits).toHaveLength(before + 1);
    }
    await ended([error]);
    expect(await error).toBe(stale);
    expect(commits).toHaveLength(501);
  });

  it("for its own row looks at it anew, and those beside it go again together", async () => {
    const { core, rows, ids, answers, commits, statuses } = await underWay();
    answers.push(new StaleWriteError("jobs", ids[0]));
    const settle = createSettle(core);
    await ended(rows.map((row) => settle(row, SUCCESS)));
    expect(commits[0]).toEqual(ids);
    expect(commits.slice(1).flat().sort()).toEqual([...ids].sort());
    expect(await statuses()).toEqual(["succeeded", "succeeded"]);
  });

  it("for a row that the driver does not name goes alone from then on", async () => {
    const { core, rows, ids, answers, commits, statuses } = await underWay();
    answers.push(new StaleWriteError("jobs", "another"));
    const settle = createSettle(core);
    await ended(rows.map((row) => settle(row, SUCCESS)));
    expect(commits.slice(0, 3)).toEqual([ids, [ids[0]], [ids[1]]]);
    // They may race for the state of their webhook, which is no reason to go together again.
    expect(commits.slice(3).every(({ length }) => length === 1)).toBe(true);
    expect(await statuses()).toEqual(["succeeded", "succeeded"]);
  });

  it("that cannot be looked at is tried again like any fault", async () => {
    const { core, rows, ids, answers, commits } = await underWay();
    answers.push(new StaleWriteError("jobs", ids[0]));
    let faults = 1;
    const view = viewOf(core, {
      rows: {
        ...core.rows,
        get: (...asked: Parameters<Core["rows"]["get"]>) => {
          if (faults-- > 0) return Promise.reject(down);
          return core.rows.get(...asked);
        },
      } as Core["rows"],
    });
    const settled = createSettle(view)(rows[0], SUCCESS);
    await turns();
    expect(commits).toHaveLength(1);
    await pass(50);
    await settled;
    expect(commits).toHaveLength(2);
  });

  it("is given up where the row changes with every look", async () => {
    const { core, rows, ids, answers } = await underWay();
    answers.push(...Array.from({ length: 600 }, () => new StaleWriteError("jobs", ids[0])));
    vi.spyOn(Math, "random").mockReturnValue(0);
    const error = createSettle(core)(rows[0], SUCCESS).catch((thrown: unknown) => thrown);
    await ended([error]);
    expect(String(await error)).toContain("another process changes it all the time");
  });
});

describe("content that was kept for its deliveries", () => {
  const transient = (row: Row<"jobs">): Row<"jobs"> => ({ ...row, value: { ...row.value, transient: true } });

  it("is removed after the last of them, also if that fails for a while", async () => {
    const { core, rows, warnings } = await underWay();
    let calls = 0;
    const failing = (faults: number): Core =>
      viewOf(core, {
        commitNow: async () => {
          if (++calls <= faults) throw down;
        },
      });
    let done = false;
    void createSettle(failing(4))(transient(rows[0]), SUCCESS).then(() => (done = true));
    await turns();
    for (const [at, ms] of [50, 100, 200, 400].entries()) {
      expect([calls, done]).toEqual([at + 1, false]);
      await pass(ms - 1);
      expect(calls).toBe(at + 1);
      await pass(1);
    }
    expect([calls, done]).toEqual([5, true]);
    expect(warnings).toEqual([]);
    calls = 0;
    const settled = createSettle(failing(9))(transient(rows[1]), SUCCESS);
    for (let n = 0; n < 4; n++) await pass(1_000);
    await settled;
    expect(calls).toBe(5);
    expect(warnings).toEqual([expect.stringContaining("stays until a sweep removes it: Error")]);
  });

  it("stays for the sweep where the process ends, and where a delivery is to run again", async () => {
    const { core, rows, warnings } = await underWay();
    let calls = 0;
    const view = viewOf(core, {
      commitNow: async () => {
        calls++;
        throw down;
      },
    });
    const later: JobOutcome = { status: "retry", code: "ERROR_WEBHOOK_HTTP_5XX", ms: 1 };
    await createSettle(view)(transient(rows[0]), later);
    expect(calls).toBe(0);
    const ending = new AbortController();
    ending.abort();
    await createSettle(view, ending.signal)(transient(rows[1]), SUCCESS);
    expect([calls, warnings.filter((text) => text.includes("until a sweep removes it")).length]).toEqual([1, 1]);
  });
});

describe("a row that has changed during a run", () => {
  /** The ids of the rows that are looked at. */
  const looking = (core: Core, looked: string[]): Core =>
    viewOf(core, {
      rows: {
        ...core.rows,
        get: (...asked: Parameters<Core["rows"]["get"]>) => {
          looked.push(asked[1]);
          return core.rows.get(...asked);
        },
      } as Core["rows"],
    });

  it("is looked at by itself, and by name or not where it went alone", async () => {
    const { core, rows, ids, answers } = await underWay();
    const looked: string[] = [];
    answers.push(new StaleWriteError("jobs", ids[0]));
    const settle = createSettle(looking(core, looked));
    await ended(rows.map((row) => settle(row, SUCCESS)));
    expect(looked.filter((id) => ids.includes(id))).toEqual([ids[0]]);
    const second = await underWay();
    looked.length = 0;
    second.answers.push(new StaleWriteError("jobs", "another"));
    await ended([createSettle(looking(second.core, looked))(second.rows[0], SUCCESS)]);
    expect(looked.filter((id) => second.ids.includes(id))).toEqual([second.ids[0]]);
  });

  it("takes a failure where a caller asked for it again during the run, and none of an older run", async () => {
    const { b, core, clock, rows, ids, statuses } = await underWay();
    const later: JobOutcome = { status: "failed", code: "ERROR_WEBHOOK_HTTP_4XX", ms: 1 };
    await b.jobs.retry(ids[0]);
    await ended([createSettle(core)(rows[0], later)]);
    expect((await b.jobs.get(ids[0])).attempts).toHaveLength(1);
    // The lease of the second ran out, and another run has it now, which a caller asked for again as well.
    clock.set(clock.now() + 61_000);
    await core.storage.claim({
      ...{ lane: "webhook", leaseMs: 60_000, limit: 2, exclude: [], perTarget: 2, now: clock.now() },
    });
    await b.jobs.retry(ids[1]);
    await ended([createSettle(core)(rows[1], later)]);
    expect((await b.jobs.get(ids[1])).attempts ?? []).toEqual([]);
    expect(await statuses()).not.toContain("failed");
  });

  it("is left as it is where it is gone", async () => {
    const { core, rows, ids } = await underWay();
    await core.commitNow([{ op: "remove", collection: "jobs", id: ids[0] }]);
    await ended([createSettle(core)(rows[0], SUCCESS)]);
    expect(await core.rows.get("jobs", ids[0])).toBeNull();
  });
});

describe("what was sent in a month", () => {
  const sent = async (change: Partial<Row<"jobs">["value"]>, outcome: JobOutcome = SUCCESS) => {
    const { b, core, rows } = await underWay();
    const settle = createSettle(core);
    await ended(rows.map((row) => settle({ ...row, value: { ...row.value, ...change } }, outcome)));
    const [used] = (await b.usage({ month: "2026-01" })).data;
    return [used?.webhooks, used?.emails];
  };

  it.each<[string, Parameters<typeof sent>, [number, number]]>([
    ["both of a batch", [{}], [2, 0]],
    ["mails as mails", [{ kind: "owner_email", lane: "email" }], [0, 2]],
    ["no webhook of the host", [{ kind: "host_webhook" }], [0, 0]],
    ["no failure", [{}, { status: "failed", code: "ERROR_WEBHOOK_HTTP_4XX", ms: 1 }], [0, 0]],
    ["none that another run has counted", [{ status: "succeeded" }], [0, 0]],
  ])("counts %s", async (_, of, counts) => expect(await sent(...of)).toEqual(counts));
});
