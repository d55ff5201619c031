import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const page = readFileSync("docs/internals/fairness.md", "utf8");

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
  expect(uses(/\w+\s*\??\.commit\(/g, OF_CORE)).toEqual([
    "src/features/forms/place-within.ts: within.commit(",
    "src/features/forms/place-within.ts: within.commit(",
    "src/features/intake/accept.ts: within.commit(",
    "src/features/teams/service.ts: within.commit(",
  ]);
  expect(uses(/\.commitNow\(/g, OF_CORE).length).toBeGreaterThan(40);
});

/** The verbs by which teams share a process, by the file that has them. */
const fairness: Readonly<Record<string, readonly string[]>> = {
  "src/lib/turn.ts": ["ownTurn", "visitTurn", "inSlices", "beforeOthers", "makeWay", "leaveRoom", "stepwise"],
  "src/lib/gate.ts": ["createGate"],
  "src/core/fairness/share.ts": ["share"],
  "src/core/fairness/slots.ts": ["createSlots"],
  "src/core/fairness/reads.ts": ["readerOf"],
  "src/core/fairness/scans.ts": ["takeScan"],
  "src/core/fairness/uploads.ts": ["enterUpload"],
};

it("has no more verbs of fairness than its page tells of", () => {
  const verbs = Object.values(fairness).flat();
  expect(verbs.filter((verb) => !page.includes(`\`${verb}`))).toEqual([]);
  for (const [file, own] of Object.entries(fairness)) {
    const source = readFileSync(file, "utf8");
    const names = [
      ...Array.from(source.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm), ([, name]) => name ?? ""),
      ...Array.from(source.matchAll(/^export const \{ ([\w, ]+) \}/gm), ([, list = ""]) => list.split(", ")).flat(),
    ];
    // Makers of a queue or of the shares, for their tests.
    expect([file, names.filter((name) => name !== "createTurns" && name !== "createShares").sort()]).toEqual([
      file,
      [...own].sort(),
    ]);
  }
  const known = Object.keys(fairness);
  expect(sourcesIn("src/core/fairness").filter((file) => !known.includes(file))).toEqual([]);
  const makers = ["core", "features", "surfaces"]
    .flatMap((floor) => sourcesIn(`src/${floor}`))
    .filter((file) => /\bcreate(Gate|Slots|Turns|Shares)\(|perBackend\(createSlots\)/.test(readFileSync(file, "utf8")));
  expect(makers.filter((file) => !known.includes(file))).toEqual([]);
  expect(makers.length).toBe(5);
});

it("names core, then the caller, then the form in the functions of features", () => {
  const wrong = sourcesIn("src/features").flatMap((file) =>
    Array.from(
      readFileSync(file, "utf8").matchAll(/^export (?:async )?function\*? (\w+)(?:<[^(]*>)?\(([^)]*)\)/gm),
      ([, name, list = ""]) => {
        const at = (type: RegExp): number =>
          list.split(/,\s*(?=(?:\w+|\{[^}]*\})\??: )/).findIndex((one) => type.test(one));
        const [core, caller, form] = [
          at(/: Core$/),
          at(/: (?:Pick<)?Caller\b/),
          at(/: (?:Row<"forms">|Stored<FormRecord>)/),
        ];
        const inOrder =
          core < 0 || (core === 0 && (caller < 0 || caller === 1) && (caller < 0 || form < 0 || form === 2));
        return inOrder ? [] : [`${file}: ${name}`];
      },
    ).flat(),
  );
  expect(wrong).toEqual([]);
});
