import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { ALONE } from "../../vitest.config.ts";

/** Each is a project of Vitest and a command; the others in `test/` hold no tests. */
const tiers = ["guards", "unit", "services", "system", "hosts-all"];
const others = ["_support", "bench", "mutants", "simulation"];

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|mjs)$/.test(file) && !/(^|\/)fixtures\//.test(file))
    .map((file) => join(folder, file));

/** What a file loads by a path, seen from the repository's root. */
const loadedBy = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, to = ""]) =>
    normalize(join(dirname(file), to)),
  );

describe("tiers of tests", () => {
  it("are the folders of test/", () => {
    expect(readdirSync("test").sort()).toEqual([...tiers, ...others].sort());
    for (const folder of others)
      expect(filesOf(`test/${folder}`).filter((file) => file.includes(".test."))).toEqual([]);
  });

  it.each(tiers)("%s shares code with another tier through _support alone", (tier) => {
    const own = [tier, ...others].map((folder) => `test/${folder}/`);
    const foreign = filesOf(`test/${tier}`).flatMap((file) =>
      loadedBy(file)
        .filter((to) => to.startsWith("test/") && !own.some((folder) => to.startsWith(folder)))
        .map((to) => `${file} → ${to}`),
    );
    expect(foreign).toEqual([]);
  });

  it("share a process unless they change it: replaced modules and hosts that replace globals are on the list ALONE", () => {
    const changes = /\bvi\.(mock|doMock|resetModules|stubGlobal)\(|"@hono\/node-server"/;
    const listed = (file: string): boolean => ALONE.includes(file);
    const found = ["test/unit", "test/services"]
      .flatMap(filesOf)
      .filter((file) => changes.test(readFileSync(file, "utf8")));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((file) => !listed(file))).toEqual([]);
  });

  it("clean up by atEndOfFile where files share a module, which is evaluated for the first of them only", () => {
    const shared = ["test/_support", "test/unit", "test/services"]
      .flatMap(filesOf)
      .filter((file) => !file.includes(".test."));
    const own = ["test/_support/setup.ts", "test/unit/features/email-servers/_servers.ts"];
    const found = shared.filter((file) => /^(after|before)(All|Each)\(/m.test(readFileSync(file, "utf8")));
    expect(found.sort()).toEqual(own.sort());
  });

  it("the fast one needs no service, browser, other process or build", () => {
    const heavy =
      /_support\/(postgres|postgres-schema|redis|browser)\.ts"|from "node:child_process"|(from|import\() ?"(form-backend|[./]*\/dist)["/]/;
    const found = ["guards", "unit"]
      .flatMap((tier) => filesOf(`test/${tier}`))
      .filter((file) => file !== "test/guards/tiers.test.ts" && heavy.test(readFileSync(file, "utf8")));
    expect(found).toEqual([]);
  });

  it("have no test that is left out, and none that is to be written", () => {
    const left = tiers
      .flatMap((tier) => filesOf(`test/${tier}`))
      .filter((file) => /\b(it|test|describe)\.(only|skip|todo)\b/.test(readFileSync(file, "utf8")));
    expect(left).toEqual([]);
  });
});
