import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createAlarms } from "../../../../src/surfaces/cloudflare/alarms.ts";

/** The alarm of an object, and a backend with one job that is due at some time. */
function world({ alarm = null as number | null } = {}) {
  const set: number[] = [];
  const errors: string[] = [];
  const now = Date.now();
  const storage = {
    getAlarm: async () => alarm,
    setAlarm: async (at: number) => {
      set.push(Math.round((at - now) / 1_000));
    },
  };
  const alarms = createAlarms(storage, { clock: { now: () => Date.now() }, error: (text) => errors.push(text) });
  return { alarms, set, errors, now, storage };
}
const idle = { tick: async () => {}, sweep: async () => {}, nextDueAt: async () => null };

describe("the alarm of an object", () => {
  it("is set for the earliest job of a commit, and never put off", async () => {
    const { alarms, set, now } = world();
    await alarms.load();
    const store = alarms.watching({ ...memoryStorage(), commit: async () => {} });
    const job = (id: string, seconds: number) => ({
      op: "put" as const,
      collection: "jobs",
      id,
      value: { due_at: new Date(now + seconds * 1_000).toISOString() },
    });
    await store.commit([job("job_1", 60), job("job_2", 30)]);
    await store.commit([job("job_3", 45)]);
    await store.commit([
      { op: "put", collection: "marks", id: "x", value: { expires_at: "2026-01-01T00:00:00.000Z" } },
    ]);
    await store.commit([job("job_4", 10)]);
    expect(set).toEqual([30, 10]);
  });

  it("stays as it is after a restart if it rings earlier", async () => {
    const { alarms, set } = world({ alarm: Date.now() + 5_000 });
    await alarms.load();
    await alarms.at(Date.now() + 20_000);
    await alarms.at(Date.now() + 2_000);
    expect(set).toEqual([2]);
  });

  it("is set again by each run: for the next job, or for the cleanup of the hour", async () => {
    const { alarms, set } = world();
    await alarms.ring({ ...idle, nextDueAt: async () => Date.now() + 20_000 });
    await alarms.ring(idle);
    expect(set).toEqual([20, 3_600]);
  });

  it("is set again by a run that fails, later each time, and told of", async () => {
    const { alarms, set, errors } = world();
    const failing = {
      ...idle,
      tick: () => Promise.reject(new Error("no")),
      nextDueAt: () => Promise.reject(new Error("no")),
    };
    for (let i = 0; i < 8; i++) await alarms.ring(failing);
    expect(set).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(errors[0]).toMatch(/^an alarm's run failed; the next one is in 1 s: .*no/);
    await alarms.ring(idle);
    await alarms.ring(failing);
    expect(set.at(-1)).toBe(1);
  });

  it("is tried once more where it can't be set", async () => {
    const { alarms, storage, set, errors } = world();
    const { setAlarm } = storage;
    let broken = true;
    storage.setAlarm = async (at) => {
      if (broken) {
        broken = false;
        throw new Error("busy");
      }
      await setAlarm(at);
    };
    await alarms.ring(idle);
    expect(set).toEqual([60]);
    expect(errors).toEqual([expect.stringMatching(/^the alarm could not be set: .*busy/)]);
  });

  it("does not keep an object busy with a job that nothing can run now", async () => {
    const { alarms, now } = world();
    const times: number[] = [];
    const own = createAlarms(
      { getAlarm: async () => null, setAlarm: async (at) => void times.push(at) },
      { clock: { now: () => now }, error: () => {} },
    );
    await own.ring({ ...idle, nextDueAt: async () => now - 60_000 });
    expect(times[0] as number).toBeGreaterThanOrEqual(now + 250);
    expect(alarms).toBeDefined();
  });
});
