import { describe, expect, it } from "vitest";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { bundleWorker, startWorkerd } from "../../../_support/workerd.ts";

/** Runs a suite in workerd, in a Durable Object: `where` is its name in `suites.ts`, and `cases` the suite, for the names. */
export async function inWorkerd(where: string, cases: readonly { readonly name: string }[]): Promise<void> {
  const code = await bundleWorker({ file: "test/services/drivers/_workerd/suites.ts" });
  const workerd = startWorkerd(code, {
    durableObjects: { SUITES: { className: "Suites", useSQLite: true } },
    r2Buckets: ["FILES"],
  });
  atEndOfFile(() => workerd.dispose());
  describe(`${where} in workerd`, () => {
    it("runs every case of the suite", async () => {
      const named = await (await workerd.dispatchFetch(`http://test.local/${where}/`)).json();
      expect(named).toEqual(cases.map(({ name }) => name));
    });

    for (const [index, { name }] of cases.entries()) {
      it(name, async () => {
        const response = await workerd.dispatchFetch(`http://test.local/${where}/${index}`);
        expect(await response.json()).toEqual({ ok: true });
      }, 120_000);
    }
  });
}
