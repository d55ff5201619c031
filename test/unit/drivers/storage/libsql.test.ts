import { expect, it } from "vitest";
import { withOutages } from "../../../../src/core/outage.ts";
import { type LibsqlClientLike, libsqlStorage } from "../../../../src/drivers/storage/libsql.ts";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { put } from "../../../../src/surfaces/testing/storage/fixtures.ts";

/** A client of a server, and what it does once the store is open. */
async function opened(answer: () => Promise<never>) {
  let isOpen = false;
  const client: LibsqlClientLike = {
    execute: async () => (isOpen ? answer() : { rows: [] }),
    batch: async () => (isOpen ? answer() : undefined),
    protocol: "https",
  };
  const store = libsqlStorage({ client, timeoutMs: 1 });
  await store.open();
  isOpen = true;
  return store;
}

const failed = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => error,
  );

it("a server that does not respond is a store that is down, and may have written", async () => {
  const store = await opened(() => new Promise<never>(() => {}));
  for (const work of [store.get("forms", ["a"]), store.commit([put("forms", "a", { n: 1 })])]) {
    const error = await failed(work);
    expect(error).toBeInstanceOf(StoreDownError);
    expect(error).toMatchObject({ nothingWritten: false, message: expect.stringContaining("no response within 1 ms") });
  }
});

it.each([
  [new TypeError("terminated"), false],
  [new TypeError("fetch failed"), false],
  [new Error("socket hang up"), false],
  [new DOMException("This operation was aborted", "AbortError"), false],
  [Object.assign(new Error("connect ETIMEDOUT 192.0.2.1:443"), { code: "ETIMEDOUT" }), false],
  [Object.assign(new Error("write EPIPE"), { code: "EPIPE" }), false],
  [Object.assign(new Error("connect ECONNREFUSED 192.0.2.1:443"), { code: "ECONNREFUSED" }), true],
])("an interrupted response is no mistake in a program: %s", async (thrown, nothingWritten) => {
  const store = await opened(() => Promise.reject(thrown));
  const error = await failed(store.commit([put("forms", "a", { n: 1 })]));
  expect(error).toBeInstanceOf(StoreDownError);
  expect(error).toMatchObject({ nothingWritten, cause: thrown });
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const outage = failed(withOutages(store, quiet).commit([put("forms", "a", { n: 1 })]));
  expect(await outage).toMatchObject({ code: "unavailable" });
});

it("a faulty statement stays what it is", async () => {
  const thrown = Object.assign(new Error("SQLITE_ERROR: unterminated string"), { code: "SQLITE_ERROR" });
  const store = await opened(() => Promise.reject(thrown));
  expect(await failed(store.get("forms", ["a"]))).toBe(thrown);
});
