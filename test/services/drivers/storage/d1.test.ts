import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { d1Storage } from "../../../../src/drivers/storage/d1.ts";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { bundleWorker, startWorkerd } from "../../../_support/workerd.ts";

/** Runs a case of the suite, or puts a form and reads it, in a Durable Object or in the Worker itself. Each keeps its store. */
const WORKER = `
import { DurableObject } from "cloudflare:workers";
import { d1Storage } from "./src/drivers/storage/d1.ts";
import { submission } from "./src/surfaces/testing/storage/fixtures.ts";
import { storageSuite } from "./src/surfaces/testing/storage.ts";
const stores = {};
const cases = {
  async merged(store) {
    await store.open();
    const forms = Array.from({ length: 40 }, (_, n) => "f" + n);
    await store.commit(forms.map((form_id, n) => submission("s" + n, n, { form_id, team_id: "t", spam: n % 2 === 0 })));
    const where = [{ column: "form_id", op: "in", value: forms }];
    const rows = await store.page("submissions", { index: "team", equals: { team_id: "t" }, where, order: "desc", limit: 50 });
    return String(rows.length);
  },
};
async function answer(request, env, kind) {
  const { pathname, searchParams } = new URL(request.url);
  const n = Number(searchParams.get("n"));
  try {
    if (pathname === "/case") {
      await storageSuite[n].run(() => d1Storage(env.DB, { prefix: "c" + n + "_" }));
      return new Response("passed");
    }
    if (pathname === "/merged") return new Response(await cases.merged(d1Storage(env.DB, { prefix: "merged_" })));
    const store = (stores[kind] ??= d1Storage(env.DB, { prefix: kind + "_" }));
    await store.open();
    await store.commit([{ op: "put", collection: "forms", id: "f" + n, value: { n } }]);
    return new Response(String((await store.get("forms", ["f" + n])).get("f" + n).value.n));
  } catch (error) {
    return new Response(error.stack);
  }
}
export class InObject extends DurableObject {
  fetch(request) {
    return answer(request, this.env, "object");
  }
}
export default {
  fetch: (request, env) =>
    request.url.includes("/stateless")
      ? answer(request, env, "worker")
      : env.OBJECT.get(env.OBJECT.idFromName("one")).fetch(request),
};`;

let runtime: Miniflare;
beforeAll(async () => {
  runtime = startWorkerd(await bundleWorker({ code: WORKER }), {
    d1Databases: ["DB"],
    durableObjects: { OBJECT: { className: "InObject", useSQLite: true } },
  });
}, 300_000);
afterAll(() => runtime?.dispose());
const ask = async (path: string): Promise<string> => (await runtime.dispatchFetch(`http://worker${path}`)).text();

describe("d1Storage in a Durable Object of workerd", () => {
  for (const [n, c] of storageSuite.entries()) {
    it(c.name, async () => expect(await ask(`/case?n=${n}`)).toBe("passed"), 300_000);
  }

  it("a list of 40 forms stays below the limits of a statement", async () => {
    expect(await ask("/merged")).toBe("40");
  });

  it("all requests of the object share a store", async () => {
    expect(await ask("/object?n=1")).toBe("1");
    expect(await Promise.all([2, 3, 4].map((n) => ask(`/object?n=${n}`)))).toEqual(["2", "3", "4"]);
  });
});

describe("d1Storage says what is wrong", () => {
  it("if two requests of a stateless Worker share it, and nothing hangs", async () => {
    expect(await ask("/stateless?n=5")).toBe("5");
    for (const answer of await Promise.all([6, 7].map((n) => ask(`/stateless?n=${n}`)))) {
      expect(answer).toMatch(
        /^StoreDownError: .*can't be used from a stateless Worker.*create the backend in a Durable/,
      );
    }
  });

  it("if it is given no binding", () => {
    expect(() => d1Storage(undefined as never)).toThrow("the binding is undefined; pass that of a D1 database");
    expect(() => d1Storage({ prepare() {}, exec() {}, close() {} } as never)).toThrow("the binding is an object");
  });

  it("if it is opened outside of any request", async () => {
    const all = () => Promise.reject(new Error("Disallowed operation called within global scope."));
    const statement = { bind: () => statement, all };
    const store = d1Storage({ prepare: () => statement, batch: all });
    const failed = await store.open().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StoreDownError);
    expect((failed as Error).message).toContain("create the backend in a Durable Object");
  });
});
