import { afterEach, beforeEach, expect, it, vi } from "vitest";

interface DraftStorage {
  write(typed: Record<string, string[]>): void;
}
// The file needs the types of a page, which tests are checked without.
const file = "../../../../src/surfaces/browser/draft-storage.ts";
const { serverDraftStorage } = (await import(file)) as { serverDraftStorage(endpoint: string): DraftStorage };

const endpoint = "https://app.example.com/forms/f/a";
const fetched = vi.fn(async (_url: string) => new Response(null, { status: 204 }));

beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockClear();
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("removeEventListener", () => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Types two times, with a pause after each. */
function typing(): void {
  const storage = serverDraftStorage(endpoint);
  for (const value of ["A", "An"]) {
    storage.write({ name: [value] });
    vi.advanceTimersByTime(1_000);
  }
}

it("a draft at the endpoint keeps its name from pause to pause", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  typing();
  expect(fetched).toHaveBeenCalledTimes(2);
  expect(new Set(fetched.mock.calls.map(([url]) => url)).size).toBe(1);
});

it("begins no draft at the endpoint where the browser can't store its name", () => {
  const denied = (): never => {
    throw new DOMException("denied", "SecurityError");
  };
  vi.stubGlobal("localStorage", { getItem: denied, setItem: denied, removeItem: denied });
  typing();
  expect(fetched).not.toHaveBeenCalled();
});
