import { describe, expect, it } from "vitest";
import { install, peerComplaints, run } from "../../_support/install.ts";
import { builtWithout, conformsAsProcess, type Mount } from "./_suite.ts";

/** `/forms` is there as well, by the files in `routes` that the documentation shows. */
const PATHS = ["/api/v2/forms"];

for (const { fixture, name, cli } of [
  { fixture: "nitro2", name: "Nitro 2 (nitropack), built", cli: "node_modules/nitropack/dist/cli/index.mjs" },
  { fixture: "nitro3", name: "Nitro 3, built", cli: "node_modules/nitro/dist/cli/index.mjs" },
]) {
  const installed = await install(`test/system/hosts/fixtures/${fixture}`, {
    "form-backend.ts": "test/system/hosts/fixtures/shared/remote.ts",
  });
  if (!installed) continue;
  const { dir, output } = installed;
  const alone = builtWithout(dir);
  const built = (to: string, mounts: readonly string[]): Mount => ({
    prepare: () =>
      alone(async () => {
        const built = await run(dir, process.execPath, [cli, "build"], {
          TEST_MOUNTS: mounts.join(" "),
          TEST_OUTPUT: to,
        });
        expect(built, built.output).toMatchObject({ ok: true });
      }),
    start: { cwd: dir, args: [`${to}/server/index.mjs`] },
  });

  describe(name, () => {
    const below = built("below", PATHS);
    const root = built("root", [""]);
    const at = conformsAsProcess(name, { "/forms": below, "/api/v2/forms": below, "": root });

    it("was installed without a word about peers", () => expect(peerComplaints(output)).toEqual([]));

    it("leaves the host's own h3 as it was", async () => {
      const { url } = at("/forms");
      expect(await (await fetch(`${url}/api/query?a=1&b=%C3%BC`)).json()).toEqual({ a: "1", b: "ü" });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${url}/api/body`, { method: "POST", headers, body: '{"a":[1]}' });
      expect(await answer.json()).toEqual({ body: { a: [1] } });
    });
  });
}
