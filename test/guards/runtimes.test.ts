import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Built for pages, or run by the command line alone. */
const APART = ["src/surfaces/browser/", "src/surfaces/inbox/client/", "src/surfaces/cli/"];

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => join("src", file))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && !APART.some((place) => file.startsWith(place)));
const read = (file: string): string => readFileSync(file, "utf8");

/** What a request of one object could wait for in another: begun when a module is loaded, or kept beside it. */
const SHARED =
  /^(?:export )?(?:const|let) (?:\w+|\{[^}]*\})(?:: [^=]+)? = (?:(?:await )?new (?:Promise|AbortController|Resolver|\w*Agent)\b|(?:create(?:Turns|Shares|Gate|Slots|Committer)|set(?:Timeout|Interval|Immediate)|batchByKey)\()|^(?:set(?:Timeout|Interval|Immediate)|void \w+)\(|^let \w+: (?:Promise|NodeJS\.Timeout)\b/gm;

/** Modules of code that load once: their promise ends in the turn in which it begins. */
const CODE = ["src/surfaces/mcp/sdk.ts"];

it("no timer, promise or queue is shared by a process outside of what Cloudflare's runtime has a second file for", () => {
  const found = files.filter((file) => read(file).match(SHARED) && !CODE.includes(file));
  // The share of the loop's time exists only where the runtime has a loop to share.
  expect(found).toEqual(["src/lib/runtime/process.ts"]);
});

it("sees such sharing", () => {
  for (const line of [
    "const turns = createTurns({",
    "export const gate: Gate = createGate(4);",
    "let opening: Promise<void> | undefined;",
    "const late = new AbortController();",
    "setInterval(() => {}, 10);",
  ])
    expect(line.match(SHARED), line).not.toBeNull();
});

it("each second file has what the first one has, and package.json leads to both", () => {
  const twins = files.filter((file) => existsSync(file.replace(/\.ts$/, ".workerd.ts")));
  expect(twins.length).toBeGreaterThan(1);
  const { imports } = JSON.parse(read("package.json")) as { imports: Record<string, object> };
  expect(imports).toEqual({
    "#zod": "./dist/zod.js",
    "#runtime/*": { workerd: "./dist/runtime/*.workerd.js", default: "./dist/runtime/*.js" },
  });
  const build = read("tsup.config.ts");
  for (const file of twins) {
    const names = (source: string): string[] =>
      [...source.matchAll(/^export (?:const (\w+)|\{ (?:\w+ as )?(\w+) \})/gm)].map(([, a, b]) => a ?? b ?? "").sort();
    expect(names(read(file.replace(/\.ts$/, ".workerd.ts"))), file).toEqual(names(read(file)));
    expect(build).toContain(`"${file.replace(/\.ts$/, "")}"`);
  }
});

it("no code that Node runs asks URL.canParse, which Node 20 and 22 answer wrongly for letters such as ü", () => {
  const node = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.startsWith(join("surfaces", "inbox", "client")),
  );
  const asks = node.filter((file) => /\bURL\.canParse\(/.test(read(join("src", file))));
  expect(asks).toEqual([]);
});

it("nothing makes a signal by AbortSignal.any, which Node 20 keeps a reference to for as long as its sources live", () => {
  expect(files.filter((file) => /\bAbortSignal\.any\(/.test(read(file)))).toEqual([]);
});
