import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file));

/** The places of a pattern in the files of some folders, as `file: text`. */
const uses = (pattern: RegExp, folders: readonly string[]): string[] =>
  folders
    .flatMap(sourcesIn)
    .flatMap((file) => (readFileSync(file, "utf8").match(pattern) ?? []).map((text) => `${file}: ${text}`));

const OF_CORE = ["src/features", "src/surfaces/api", "src/surfaces/inbox", "src/surfaces/mcp", "src/surfaces/legacy"];

it("writes by commitNow and commitTogether; a host's transaction alone has a commit of its own", () => {
  expect(uses(/\w+\s*\??\.commit\(/g, OF_CORE)).toEqual(["src/features/intake/accept.ts: within.commit("]);
  expect(uses(/\.commitNow\(/g, OF_CORE).length).toBeGreaterThan(40);
});
