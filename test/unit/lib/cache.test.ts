import { describe, expect, it } from "vitest";
import { createCache } from "../../../src/lib/cache.ts";
import { systemClock } from "../../../src/lib/clock.ts";

function cached() {
  const state = { now: 1_000_000, value: "a" as string | null, loads: 0 };
  const cache = createCache<string>({ ...systemClock, now: () => state.now });
  const get = (): Promise<string | null> =>
    cache.get("id", async () => {
      state.loads++;
      return state.value;
    });
  return { state, cache, get };
}

describe("a cached row", () => {
  it("is read again after 2 s, and at once when it was changed here", async () => {
    const { state, cache, get } = cached();
    expect(await Promise.all([get(), get()])).toEqual(["a", "a"]);
    state.value = "b";
    state.now += 999;
    expect([await get(), state.loads]).toEqual(["a", 1]);
    state.now += 1_001;
    expect([await get(), state.loads]).toEqual(["b", 2]);
    state.value = "c";
    cache.drop("id");
    expect(await get()).toBe("c");
  });

  it("is read ahead after 1 s of use, while the old one answers", async () => {
    const { state, get } = cached();
    await get();
    state.value = "b";
    state.now += 1_000;
    expect(await Promise.all([get(), get()])).toEqual(["a", "a"]);
    expect([await get(), state.loads]).toEqual(["b", 2]);
    state.now += 1_999;
    expect(await get()).toBe("b");
    expect(state.loads).toBe(3);
  });

  it("is known at once when it has come, unless it is due to be read again", async () => {
    const { state, cache, get } = cached();
    const coming = get();
    expect(cache.known("id")).toBeNull();
    await coming;
    expect([cache.known("id"), cache.known("other")]).toEqual(["a", null]);
    state.now += 1_000;
    expect(cache.known("id")).toBeNull();
    const old = get();
    expect(cache.known("id")).toBe("a");
    await old;
    state.value = "b";
    state.now += 1_000;
    expect(cache.known("id")).toBeNull();
    await get();
    cache.drop("id");
    expect(cache.known("id")).toBeNull();
  });

  it("is not put back by a read ahead that began before it was changed here", async () => {
    const { state, cache, get } = cached();
    await get();
    state.now += 1_000;
    let answer: (value: string) => void = () => {};
    const old = new Promise<string>((done) => {
      answer = done;
    });
    expect(await cache.get("id", () => old)).toBe("a");
    state.value = "c";
    cache.drop("id");
    answer("b");
    await old;
    expect(await get()).toBe("c");
  });

  it("is gone at its time where it could not be read ahead, and at once where it was removed", async () => {
    const { state, cache, get } = cached();
    await get();
    state.now += 1_000;
    const down = (): Promise<string> => Promise.reject(new Error("down"));
    expect(await cache.get("id", down)).toBe("a");
    expect(await get()).toBe("a");
    state.now += 1_000;
    await expect(cache.get("id", down)).rejects.toThrow("down");
    expect(await get()).toBe("a");
    state.now += 1_000;
    state.value = null;
    expect(await get()).toBe("a");
    expect(await get()).toBeNull();
  });

  it("is not kept for longer where the clock is set back, or a revoked key would live on", async () => {
    const { state, get } = cached();
    await get();
    state.value = "b";
    state.now -= 60 * 60_000;
    expect(await get()).toBe("b");
  });

  it("is looked for again while it is absent, and after a fault", async () => {
    const { state, cache, get } = cached();
    state.value = null;
    expect(await get()).toBeNull();
    state.value = "a";
    expect(await get()).toBe("a");
    await expect(cache.get("other", () => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(await cache.get("other", async () => "b")).toBe("b");
  });
});
