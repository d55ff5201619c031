import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../../src/surfaces/cli/program.ts";
import { terminal } from "../../../_support/terminal.ts";

const page = resolve(import.meta.dirname, "../../../../docs/guide/command-line.md");
const program = createProgram(terminal().io);

/** Commands that do something, with the words that lead to them. */
const leaves = (command: Command, path: readonly string[] = []): [string, Command][] =>
  command.commands.flatMap((sub): [string, Command][] => {
    const words = [...path, sub.name()];
    return sub.commands.length > 0 ? leaves(sub, words) : [[words.join(" "), sub]];
  });
const all = leaves(program);

describe("help", () => {
  it("is in docs/guide/command-line.md; `npx vitest run test/unit/surfaces/cli/help.test.ts -u` writes it there", async () => {
    const text = readFileSync(page, "utf8");
    const help = all.map(
      ([name, command]) => `### ${name}\n\n\`\`\`text\n${command.helpInformation().trimEnd()}\n\`\`\`\n`,
    );
    const parts = /^([\s\S]*<!-- commands -->\n)[\s\S]*(<!-- \/commands -->\n)$/.exec(text);
    expect(parts).not.toBeNull();
    const [, before = "", after = ""] = parts ?? [];
    await expect(`${before}\n${help.join("\n")}\n${after}`).toMatchFileSnapshot(page);
  });

  it("fits 80 columns", () => {
    const wide = [["", program] as const, ...all].flatMap(([name, command]) =>
      command
        .helpInformation()
        .split("\n")
        .filter((line) => line.length > 80)
        .map((line) => `${name}: ${line}`),
    );
    expect(wide).toEqual([]);
  });

  it("describes every command, argument and option, and offers --json", () => {
    const silent = all.flatMap(([name, command]) => [
      ...(command.description() === "" ? [name] : []),
      ...command.options.filter(({ description }) => !description).map(({ flags }) => `${name} ${flags}`),
      ...command.registeredArguments.filter(({ description }) => !description).map((arg) => `${name} ${arg.name()}`),
    ]);
    expect(silent).toEqual([]);
    const withoutJson = all.filter(([, { options }]) => !options.some(({ long }) => long === "--json"));
    expect(withoutJson.map(([name]) => name)).toEqual([]);
  });
});
