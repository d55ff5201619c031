import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";

const DAY = 24 * 3600 * 1000;
const START = Date.parse("2026-01-01T00:00:00.000Z");

afterEach(() => vi.useRealTimers());

/** A backend on this machine's clock, which the test sets; the store's own clock may show another time. */
async function onMachine(storeTime = () => Date.now()) {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  const storage = memoryStorage();
  const warnings: string[] = [];
  const note = (text: string) => void warnings.push(text);
  const backend = createBackend({
    baseUrl: "http://localhost/forms",
    secret: "x".repeat(32),
    storage: { ...storage, claim: async (query) => storage.claim({ ...query, now: storeTime() }) },
    logger: { debug() {}, info() {}, error: note, warn: note },
    work: false,
    inbox: inbox(),
  });
  const { id } = await backend.forms.create({ name: "A", storage: { keep_for: "30_days" } });
  const at = (days: number) => vi.setSystemTime(START + days * DAY);
  return {
    at,
    warnings,
    submit: (idempotency_key?: string) =>
      backend.submit(id, { fields: { a: "1" }, ...(idempotency_key && { idempotency_key }) }),
    link: async () => {
      const { url } = await backend.inbox.link({ team_ids: ["default"], role: "admin", user: { id: "g", name: "G" } });
      return new URL(url).searchParams.get("token") ?? "";
    },
    /** The status of the answer to somebody who signs in by a link. */
    open: async (token: string) => {
      const headers = { origin: "http://localhost", "sec-fetch-site": "same-origin" };
      const request = new Request("http://localhost/forms/inbox/enter", {
        method: "POST",
        headers,
        body: new URLSearchParams({ token }),
      });
      return (await backend.handle(request, { ip: "203.0.113.9" })).status;
    },
    /** The number of idempotency keys that are kept. */
    keys: async () => {
      const query = { index: "expiry", equals: {}, order: "asc", limit: 100 } as const;
      return (await storage.page("marks", query)).filter(({ id: mark }) => mark.startsWith("idem:")).length;
    },
    sweep: async () => (await backend.sweep()).submissions,
    doubts: () => warnings.filter((text) => text.includes("retention waits")).length,
  };
}

describe("retention with a wrong clock", () => {
  it("goes by the store's clock: a machine 40 days ahead deletes nothing", async () => {
    const b = await onMachine(() => START);
    await b.submit();
    expect(await b.sweep()).toBe(0);
    b.at(40);
    expect([await b.sweep(), b.doubts()]).toEqual([0, 0]);
  });

  it("deletes what is old by the store's clock, although the machine's is behind", async () => {
    let store = START;
    const b = await onMachine(() => store);
    await b.submit();
    for (const day of [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30]) {
      store = START + day * DAY;
      expect(await b.sweep()).toBe(0);
    }
    store = START + 30 * DAY + 10_000;
    expect(await b.sweep()).toBe(1);
  });

  it("doubts a step of more than 3 days for a day, and says so once", async () => {
    const b = await onMachine();
    await b.submit();
    expect(await b.sweep()).toBe(0);
    b.at(40);
    expect([await b.sweep(), b.doubts()]).toEqual([0, 1]);
    b.at(40.9);
    expect([await b.sweep(), b.doubts()]).toEqual([0, 1]);
    b.at(41);
    expect([await b.sweep(), b.doubts()]).toEqual([1, 1]);
  });

  it("forgets the doubt when the clock is set right", async () => {
    const b = await onMachine();
    await b.submit();
    await b.sweep();
    b.at(40);
    await b.sweep();
    b.at(0.5);
    expect(await b.sweep()).toBe(0);
    b.at(41.5);
    expect([await b.sweep(), b.doubts()], "this is a doubt of its own").toEqual([0, 2]);
  });

  it("keeps an idempotency key while this machine's clock says that it counts", async () => {
    let store = START;
    const b = await onMachine(() => store);
    await b.sweep();
    const { id } = await b.submit("key");
    store = START + 2.9 * DAY;
    await b.sweep();
    expect((await b.submit("key")).id).toBe(id);
  });

  it("keeps a used sign-in link and an idempotency key through a sweep with both clocks days ahead", async () => {
    const b = await onMachine();
    await b.sweep();
    const { id } = await b.submit("key");
    const link = await b.link();
    expect(await b.open(link)).toBe(303);
    b.at(2.5);
    await b.sweep();
    b.at(0.001);
    await b.sweep();
    expect((await b.submit("key")).id).toBe(id);
    expect(await b.open(link)).not.toBe(303);
  });

  it("removes marks at last when the clock goes on showing that time for a day", async () => {
    const b = await onMachine();
    await b.sweep();
    await b.submit("key");
    b.at(2.5);
    await b.sweep();
    expect(await b.keys()).toBe(1);
    b.at(3.6);
    await b.sweep();
    expect(await b.keys()).toBe(0);
  });
});
