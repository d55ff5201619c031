import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FIGURES, oldFigures } from "../../scripts/figures.mjs";
import { createProgram } from "../../src/surfaces/cli/program.ts";
import { terminal } from "../_support/terminal.ts";

const read = (file: string): string => readFileSync(file, "utf8");
const scriptsOf = (file: string): Record<string, string> =>
  existsSync(file) ? ((JSON.parse(read(file)) as { scripts?: Record<string, string> }).scripts ?? {}) : {};
const examples = readdirSync("examples", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
  .map(({ name }) => name);
const commands = new Set(createProgram(terminal().io).commands.map((command) => command.name()));

/** Why a command of an example's README can't work; null if it can, as far as one sees without running it. */
function faultOf(name: string, command: string): string | null {
  const folder = join("examples", name);
  const [program = "", ...words] = command
    .replace(/^(\w+=\S* +)+/, "")
    .trim()
    .split(/\s+/);
  const [first = "", second = ""] = words;
  if (program === "npm" && first === "run") {
    const [script = "", example = ""] = [second, words[2] ?? ""].map((word) => word.replace(/^--$/, ""));
    if (script === "example") {
      const hasStart = existsSync(join("examples", example, "server.mjs"));
      const scripts = scriptsOf(join("examples", example, "package.json"));
      if (!hasStart && !("test" in scripts) && !("build" in scripts)) return `no example "${example}" that starts`;
    }
    const all = { ...scriptsOf("package.json"), ...scriptsOf(join(folder, "package.json")) };
    return script in all ? null : `no script "${script}"`;
  }
  if (program === "node") {
    const file = words.find((word) => /\.m?js$/.test(word));
    return file === undefined || existsSync(join(folder, file)) || existsSync(file) ? null : `no file "${file}"`;
  }
  if (program === "docker" && first === "compose")
    return existsSync(join(folder, "compose.yaml")) ? null : "no compose.yaml";
  if (program === "docker" && first === "build") return existsSync(join(folder, "Dockerfile")) ? null : "no Dockerfile";
  if (program === "npx" && first === "form-backend") return commands.has(second) ? null : `no command "${second}"`;
  if (program === "npx" && first === "wrangler")
    return existsSync(join(folder, "wrangler.jsonc")) ? null : "no wrangler.jsonc";
  return null;
}

const commandsOf = (readme: string): string[] =>
  [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, text = ""]) => text.split("\n"))
    .flatMap((line) => line.replace(/(^|\s)#.*$/, "").split(/&&|\|\||;/))
    .map((command) => command.trim())
    .filter((command) => command !== "");

describe("README of an example", () => {
  it.each(examples)("%s: names commands that are there", (name) => {
    const readme = read(join("examples", name, "README.md"));
    const faults = commandsOf(readme).flatMap((command) => {
      const fault = faultOf(name, command);
      return fault === null ? [] : [`${command}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it("is known to be wrong where it is", () => {
    expect(
      commandsOf("```sh\nnpm install && npm run example expres # try\n```\n").map((one) => faultOf("express", one)),
    ).toEqual([null, 'no example "expres" that starts']);
    expect(faultOf("express", "PORT=1 node sever.mjs")).toBe('no file "sever.mjs"');
    expect(faultOf("express", "npm run nothing")).toBe('no script "nothing"');
    expect(faultOf("express", "docker compose up")).toBe("no compose.yaml");
    expect(faultOf("express", "npx form-backend serv")).toBe('no command "serv"');
  });
});

describe("scripts/figures.mjs", () => {
  it("knows pages that say when they were measured, and code that is there", () => {
    const days: string[] = [];
    const old = oldFigures(FIGURES, { read, changed: () => "0000-00-00" });
    expect(old).toEqual([]);
    for (const { code } of FIGURES) for (const file of code) if (!existsSync(file)) days.push(file);
    expect(days).toEqual([]);
  });

  it("names a page whose figures are older than their code, and refuses one without a day", () => {
    const figures = [{ page: "a.md", measured: /on (\d{4}-\d\d-\d\d)/, code: ["src/a.ts"] }];
    const look = (text: string, day: string) => oldFigures(figures, { read: () => text, changed: () => day });
    expect(look("measured on 2026-01-02", "2026-01-02")).toEqual([]);
    expect(look("measured on 2026-01-02", "2026-01-03")).toEqual([
      { page: "a.md", text: "the figures are of 2026-01-02, and the code of 2026-01-03: src/a.ts" },
    ]);
    expect(() => look("measured", "2026-01-03")).toThrow("a.md does not say when");
  });
});
