import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** As it is in the page: with plain quotes around names, and texts that were put together in one piece. */
const plain = (text: string): string => text.replace(/\\?`/g, '"').replace(/"\s*\+\s*"/g, "");

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => plain(readFileSync(join("src", file), "utf8")));

it("the page about troubles quotes messages that there are", () => {
  const page = readFileSync("docs/operations/troubleshooting.md", "utf8");
  const quoted = page
    .split("\n")
    .filter((line) => /^\| `/.test(line))
    .flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text));
  expect(quoted.length).toBeGreaterThan(25);
  expect(quoted.filter((text) => !sources.some((source) => source.includes(text)))).toEqual([]);
});
