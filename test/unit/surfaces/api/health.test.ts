import { describe, expect, it, vi } from "vitest";
import { memoryStorage, type StorageDriver } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

const quiet = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });
const ask = (storage: Partial<StorageDriver>, logger = quiet()) =>
  harness({ storage: { ...memoryStorage(), ...storage }, logger }).call("GET", "/v1/health", { key: null });

describe("GET /v1/health", () => {
  it("is ok without a credential, and says nothing else", async () => {
    const { status, json, headers } = await harness().call("GET", "/v1/health", { key: null });
    expect([status, json]).toEqual([200, { status: "ok", time: "2026-01-01T00:00:00.000Z" }]);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("does not care for a wrong credential", async () => {
    expect((await harness().call("GET", "/v1/health", { key: "wrong" })).status).toBe(200);
  });

  const fault = Object.assign(new Error("can't reach 10.0.0.7:5432 password=hunter2"), { code: "ECONNREFUSED" });
  const down = () => Promise.reject(fault);

  it.each<[string, Partial<StorageDriver>]>([
    ["can't be read", { get: down }],
    ["can't be opened", { open: down }],
  ])("is 503 when the store %s, and keeps the reason for the log", async (_, broken) => {
    const logger = quiet();
    const { status, json, headers, text } = await ask(broken, logger);
    expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
    expect(json).toEqual({ status: "unavailable", time: "2026-01-01T00:00:00.000Z", failing: ["storage"] });
    expect(text).not.toMatch(/ECONNREFUSED|hunter2|memory/);
    expect(logger.error.mock.calls.join()).toContain("ECONNREFUSED");
    expect(logger.error.mock.calls.join()).not.toContain("hunter2");
  });

  it("asks the store once a second, for all who ask", async () => {
    const storage = memoryStorage();
    const get = vi.fn(storage.get);
    const b = harness({ storage: { ...storage, get } });
    await b.ready();
    const answers = await Promise.all(Array.from({ length: 50 }, () => b.call("GET", "/v1/health", { key: null })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(get.mock.calls.filter(([, [id]]) => id === "health")).toHaveLength(1);
    await b.clock.advance(999);
    await b.call("GET", "/v1/health", { key: null });
    expect(get.mock.calls.filter(([, [id]]) => id === "health")).toHaveLength(1);
    await b.clock.advance(1);
    await b.call("GET", "/v1/health", { key: null });
    expect(get.mock.calls.filter(([, [id]]) => id === "health")).toHaveLength(2);
    await b.health();
    expect(
      get.mock.calls.filter(([, [id]]) => id === "health"),
      "the host's own question is asked",
    ).toHaveLength(3);
  });

  it("is 503 when the store takes longer than 2 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let asked = (): void => {};
      const reached = new Promise<void>((resolve) => (asked = resolve));
      const get = () => {
        asked();
        return new Promise<never>(() => {});
      };
      const answer = ask({ get });
      await reached;
      await vi.advanceTimersByTimeAsync(1_999);
      const early = await Promise.race([answer, Promise.resolve("still waiting")]);
      expect(early).toBe("still waiting");
      await vi.advanceTimersByTimeAsync(1);
      expect((await answer).json.failing).toEqual(["storage"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is 503 of the service while it shuts down", async () => {
    const b = harness();
    await b.ready();
    await b.close();
    const { status, json } = await b.call("GET", "/v1/health", { key: null });
    expect([status, json.failing]).toEqual([503, ["service"]]);
  });

  it("other addresses answer 503 in the envelope while the store can't be opened, and work once it can", async () => {
    const memory = memoryStorage();
    const open = vi.fn(memory.open).mockRejectedValueOnce(new Error("down"));
    const b = harness({ storage: { ...memory, open }, logger: quiet() });
    const { status, json, headers } = await b.call("GET", "/v1/forms");
    expect([status, json.error.code, headers.get("retry-after")]).toEqual([503, "unavailable", "5"]);
    expect((await b.call("GET", "/v1/forms")).status).toBe(200);
  });
});
