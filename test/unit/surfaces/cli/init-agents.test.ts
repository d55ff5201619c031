import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

const PAGE = resolve(import.meta.dirname, "../../../../docs/guide/for-agents.md");

function app(instructions: string | null): { cwd: string; text: () => string } {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ type: "module", dependencies: { express: "5" } }));
  if (instructions !== null) writeFileSync(join(cwd, "AGENTS.md"), instructions);
  return { cwd, text: () => readFileSync(join(cwd, "AGENTS.md"), "utf8") };
}

it("init --agents adds one line to the instructions of a project, once, and changes nothing else of them", async () => {
  for (const before of ["# Rules\n\n- Be brief.", "# Rules\n", ""]) {
    const { cwd, text } = app(before);
    const { code, out } = await terminal({ cwd }).cli("init", "--yes", "--agents", "--json");
    expect(code).toBe(0);
    expect(parsed(out)[0]).toMatchObject({ host: "express", agents: "added" });
    expect(text().startsWith(before)).toBe(true);
    const added = text().slice(before.length).trim().split("\n");
    expect(added).toHaveLength(1);
    expect(added[0]).toContain("node_modules/form-backend/dist/AGENTS.md");
    const after = text();
    const again = await terminal({ cwd }).cli("init", "--yes", "--agents");
    expect(again.err + again.out).toContain("names form-backend already");
    expect(text()).toBe(after);
  }
});

it("init leaves the instructions alone unless it is asked, and makes none", async () => {
  const { cwd, text } = app("# Rules\n");
  expect((await terminal({ cwd }).cli("init", "--yes")).code).toBe(0);
  expect(text()).toBe("# Rules\n");
  const without = app(null);
  const { code, out, err } = await terminal({ cwd: without.cwd }).cli("init", "--yes", "--agents");
  expect([code, existsSync(join(without.cwd, "AGENTS.md"))]).toEqual([0, false]);
  expect(out + err).toContain("There is no AGENTS.md here");
});

it("the page for agents is short enough to be read whole, and names files that the package has", () => {
  const text = readFileSync(PAGE, "utf8");
  expect(text.split("\n").length).toBeLessThanOrEqual(300);
  const exported = Object.keys(
    JSON.parse(readFileSync(resolve(import.meta.dirname, "../../../../package.json"), "utf8")).exports,
  );
  const named = [...text.matchAll(/from "form-backend(\/[^"]*)?"/g)].map(([, path = ""]) => `.${path}`);
  expect(named.length).toBeGreaterThan(6);
  const isExported = (path: string) =>
    exported.includes(path) || exported.some((one) => one.endsWith("/*") && path.startsWith(one.slice(0, -1)));
  expect(named.filter((path) => !isExported(path))).toEqual([]);
});
