import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("every adapter has a run of the conformance suite", () => {
  const adapters = readdirSync("adapters", { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.startsWith("_"))
    .map(({ name }) => name.replace(/\.ts$/, ""));
  expect(adapters).toEqual(expect.arrayContaining(["express", "fastify", "koa", "nitro", "node"]));
  const tests = readdirSync("test/unit/adapters")
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => readFileSync(`test/unit/adapters/${name}`, "utf8"))
    .filter((source) => /\bconforms(With)?[(<]/.test(source));
  const covered = (name: string): boolean => tests.some((source) => source.includes(`"../../../adapters/${name}.ts"`));
  expect(adapters.filter((name) => !covered(name))).toEqual([]);
});

it("every adapter is under 40 lines over the bridge, and imports no host", () => {
  const adapters = readdirSync("adapters").filter((name) => name.endsWith(".ts"));
  for (const name of adapters) {
    const source = readFileSync(`adapters/${name}`, "utf8");
    if (!name.startsWith("_")) expect(source.trimEnd().split("\n").length, name).toBeLessThan(40);
    const imported = [...source.matchAll(/ from "([^"]+)"/g)].map(([, from = ""]) => from);
    expect(imported.length, name).toBeGreaterThan(0);
    expect(
      imported.filter((from) => !/^(node:|\.\.?\/|srvx\/node$)/.test(from)),
      name,
    ).toEqual([]);
  }
});
