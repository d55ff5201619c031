import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { installFiles, run } from "../../_support/install.ts";

const page = readFileSync("docs/guide/testing.md", "utf8");
/** The block of the page that its reader saves under this name. */
const saved = (name: string): string => page.split(` [${name}]\n`)[1]?.split("```")[0] ?? "";

const manifest = JSON.parse(saved("package.json")) as object;
const app = await installFiles("jest", {
  "package.json": JSON.stringify({ ...manifest, private: true, dependencies: { jest: "30.5.2" } }),
  "mail.test.js": saved("mail.test.js"),
  "common.test.cjs": `
    test("CommonJS", async () => {
      const { createTestBackend } = await import("form-backend/testing");
      const backend = createTestBackend();
      const form = await backend.forms.create({ name: "Contact" });
      const body = new URLSearchParams({ email: "ann@example.com" });
      const response = await backend.fetch(new Request(form.endpoint, { method: "POST", body }));
      expect(response.status).toBe(303);
    });`,
});

if (app) {
  describe("Jest, as the page about tests has it", () => {
    it("runs a test as an ES module and one in CommonJS", async () => {
      const { ok, output } = await run(app.dir, "npm", ["test"]);
      expect({ ok, output }).toMatchObject({ ok: true, output: expect.stringMatching(/Tests: +2 passed, 2 total/) });
    });

    it("says what the page says where the flag is missing", async () => {
      const { ok, output } = await run(app.dir, process.execPath, ["node_modules/jest/bin/jest.js", "mail"]);
      // Later lines of Node load ES modules without it.
      if (!process.version.startsWith("v24")) expect({ ok, output }).toMatchObject({ ok: false });
      if (!ok) expect(output).toContain("Must use import to load ES Module");
    });
  });
}
