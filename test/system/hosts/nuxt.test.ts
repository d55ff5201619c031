import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { describeBrowser } from "../../_support/browser.ts";
import { install, peerComplaints, ROOT, run } from "../../_support/install.ts";
import { DEVELOPMENT, developmentProxy } from "./_development.ts";
import { type HostProcess, startHost } from "./_remote.ts";
import { builtWithout, conformsAsProcess, type Mount } from "./_suite.ts";

const NUXI = "node_modules/nuxt/bin/nuxt.mjs";
/** By mount path: the app's own base, below which the module's option `path` lies. */
const BASES = { "/forms": "", "/api/v2/forms": "/api" };

const ROOT_IS_TAKEN = { "a backend at the root": "the root belongs to the pages of the app, and the module says so" };

const installed = await install("test/system/hosts/fixtures/nuxt4", {
  "server/form-backend.ts": "test/system/hosts/fixtures/shared/remote.ts",
});

if (installed) {
  const { dir, output } = installed;
  // Nuxt's console takes backticks off in a terminal's colours, and leaves them where CI is set.
  const nuxt = async (args: string[], env: Record<string, string> = {}) => {
    const { ok, output } = await run(dir, process.execPath, [NUXI, ...args], env);
    return { ok, output: output.replaceAll("`", "") };
  };
  const each = (mount: (base: string, env: Record<string, string>) => Mount): Record<string, Mount> =>
    Object.fromEntries(
      Object.entries(BASES).map(([path, base]) => {
        const own = base ? "api" : "root";
        return [path, mount(base, { TEST_BASE: base, TEST_OUTPUT: `out-${own}`, TEST_BUILD: `.nuxt-${own}` })];
      }),
    );

  it("Nuxt 4 was installed without a word about peers", () => expect(peerComplaints(output)).toEqual([]));

  describe("Nuxt 4, built", () => {
    const alone = builtWithout(dir);
    const at = conformsAsProcess(
      "Nuxt 4, built",
      each((base, env) => ({
        base,
        prepare: () =>
          alone(async () => {
            const built = await nuxt(["build"], env);
            expect(built, built.output).toMatchObject({ ok: true });
          }),
        start: { cwd: dir, args: [`${env["TEST_OUTPUT"]}/server/index.mjs`] },
      })),
      ROOT_IS_TAKEN,
    );
    likeAnyNuxt(at);

    it("closes the backend when the server is told to end", async () => {
      const host = await startHost({ cwd: dir, args: ["out-root/server/index.mjs"], path: "/own" });
      expect(await host.close("SIGTERM")).toBe(0);
      expect(host.printed()).toContain("the backend is closed");
    });

    inTheBrowser(at);
  });

  describe("Nuxt 4, development server", () => {
    const at = conformsAsProcess(
      "Nuxt 4, development server",
      each((base, env) => ({ base, start: { cwd: dir, args: [NUXI, "dev", "--no-fork"], env } })),
      { ...ROOT_IS_TAKEN, ...DEVELOPMENT },
    );
    likeAnyNuxt(at);
    developmentProxy(at);
  });

  describe("the Nuxt module", () => {
    it("refuses the root, and a path that is none", async () => {
      for (const path of ["/", "forms", "/a b"]) {
        const { ok, output } = await nuxt(["prepare"], { TEST_PATH: path });
        expect({ path, ok }).toEqual({ path, ok: false });
        expect(output).toContain(`formBackend.path is ${JSON.stringify(path)}, but must be a path such as "/forms"`);
      }
    });

    it("says which file is missing", async () => {
      const { ok, output } = await nuxt(["prepare"], { TEST_CONFIG: "server/nowhere.ts" });
      expect(ok).toBe(false);
      expect(output).toContain("[form-backend] there is no server/nowhere.ts in ");
      expect(output).toContain("name another file in formBackend.config");
    });

    describe("with a configuration of its own", () => {
      const start = (env: Record<string, string> = {}) =>
        run(dir, process.execPath, ["out-storage/server/index.mjs"], { PORT: "0", ...env });
      beforeAll(async () => {
        const env = { TEST_CONFIG: "server/own-storage.ts", TEST_OUTPUT: "out-storage", TEST_BUILD: ".nuxt-storage" };
        const built = await nuxt(["build"], env);
        expect(built, built.output).toMatchObject({ ok: true });
      });

      it("serves a backend that keeps everything in the host's own storage", async () => {
        for (const stored of [1, 2]) {
          expect((await start()).output).toContain(`${stored} stored, the file says: Twenty years of forms.`);
        }
      });

      it("says so when the file exports no backend", async () => {
        const { ok, output } = await start({ TEST_NO_BACKEND: "1" });
        expect(ok).toBe(false);
        expect(output).toContain("must have the object returned by createFormBackend() as its default export");
      });
    });

    it("types its key of nuxt.config", async () => {
      const prepared = await nuxt(["prepare"], { TEST_BUILD: ".nuxt-types" });
      expect(prepared, prepared.output).toMatchObject({ ok: true });
      const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
      expect(await run(dir, process.execPath, [tsc, "--noEmit", "-p", "config-types.json"])).toEqual({
        ok: true,
        output: "",
      });
    });
  });
}

function likeAnyNuxt(at: (mount: string) => HostProcess): void {
  it("leaves the host's own h3 1 as it was", async () => {
    const { url } = at("/forms");
    expect(await (await fetch(`${url}/api/query?a=1&b=%C3%BC`)).json()).toEqual({ a: "1", b: "ü" });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/api/body`, { method: "POST", headers, body: '{"a":[1]}' });
    expect(await answer.json()).toEqual({ body: { a: [1] } });
  });

  it("runs the tasks", async () => {
    await at("/forms").backend({});
    const answer = await fetch(`${at("/forms").url}/api/task`);
    expect(await answer.json()).toEqual([
      { result: { ran: 0 } },
      { result: { submissions: 0, files: 0, deliveries: 0 } },
    ]);
  });

  it("renders the form and its address, below the app's own base", async () => {
    for (const [mount, base] of Object.entries(BASES)) {
      const html = await (await fetch(`${at(mount).url}${base}/?form=Ab3`)).text();
      expect(html).toContain(`<p id="endpoint">${mount}/f/a%2Fb</p>`);
      expect(html).toMatch(
        new RegExp(`<form (?=[^>]*method="post")(?=[^>]*action="${mount}/f/Ab3")[^>]*class="contact"`),
      );
    }
  });
}

function inTheBrowser(at: (mount: string) => HostProcess): void {
  describeBrowser("the component", (browser) => {
    it("tells the page what the endpoint answered, and lets it take over", async () => {
      const host = at("/forms");
      const { forms, stored } = await host.backend({ baseUrl: `${host.url}/forms` });
      const { id } = await forms.create({
        name: "Contact",
        validation: { rules: [{ field: "email", checks: [{ type: "email" }] }] },
        after_submit: { redirect: { success_url: `${host.url}/own` } },
      });
      const page = await browser().newPage();
      await page.goto(`${host.url}/?form=${id}`, { waitUntil: "networkidle" });
      await page.fill('[name="email"]', "ann");
      await page.click("button");
      await page.waitForSelector("em");
      expect(await page.textContent("em")).toBe("email");
      expect(await page.textContent("#told")).toBe("error 422");
      expect(await page.getAttribute('[name="email"]', "aria-invalid")).toBe("true");

      await page.check("#hold");
      await page.fill('[name="email"]', "ann@example.org");
      await page.click("button");
      await page.waitForFunction('document.querySelector("#told").textContent === "error 422, success 200"');
      expect(await page.inputValue('[name="email"]')).toBe("ann@example.org");
      expect(stored.map(({ fields }) => fields)).toEqual([[{ key: "email", value: "ann@example.org" }]]);

      await page.uncheck("#hold");
      await page.click("button");
      await page.waitForURL(`${host.url}/own`);
      expect(stored).toHaveLength(2);
      await page.close();
    });
  });
}
