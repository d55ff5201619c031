import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import type { StorageDriver, Write } from "../../../../src/drivers/storage/types.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const root = resolve(import.meta.dirname, "../../../..");
export const ROWS = 100_000;
/** The day of the first of the 100,000, one every 25.92 s over 30 days. */
export const START = Date.parse("2026-03-01T00:00:00.000Z");
const STEP = 25_920;

/** A submission as intake stores it, about 700 bytes of fields. */
export function row(formId: string, i: number, at = START + i * STEP): Extract<Write, { op: "put" }> {
  const created_at = new Date(at).toISOString();
  return {
    op: "put",
    collection: "submissions",
    id: `${at.toString(16).padStart(12, "0")}${i.toString(16).padStart(12, "0")}`,
    expect: null,
    value: {
      form_id: formId,
      team_id: "default",
      created_at,
      updated_at: created_at,
      spam: false,
      read: false,
      ip: "203.0.113.9",
      country: i % 3 === 0 ? "DE" : null,
      user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      referer: "https://www.example.com/contact",
      fields: [
        { key: "name", value: `Visitor ${i}` },
        { key: "email", value: `visitor${i}@example.com` },
        { key: "topic", value: ["sales", "support", "press"][i % 3] },
        { key: "message", value: `Message ${i}: ${"lorem ipsum dolor sit amet ".repeat(20)}` },
      ],
      attachments: [],
      attached: false,
      verdict: [],
      over_quota: false,
      subject: null,
      reply_to: null,
    },
  };
}

export async function fill(storage: StorageDriver, formId: string): Promise<void> {
  for (let i = 0; i < ROWS; i += 2_000) {
    await storage.commit(Array.from({ length: 2_000 }, (_, n) => row(formId, i + n)));
  }
}

let compiled: string | undefined;

/** A directory with the library as plain JavaScript, for all child processes of a test file. */
function compileLibrary(): string {
  const out = temporaryDirectory();
  symlinkSync(join(root, "node_modules"), join(out, "node_modules"), "dir");
  writeFileSync(join(out, "package.json"), '{ "type": "module" }');
  const src = join(root, "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" });
  // As a bundler has them: Node itself imports no JSON without an attribute.
  for (const file of files.filter((name) => name.endsWith(".json") && name.startsWith("texts"))) {
    mkdirSync(dirname(join(out, file)), { recursive: true });
    writeFileSync(join(out, `${file}.js`), `export default ${readFileSync(join(src, file), "utf8")};`);
  }
  for (const file of files.filter((name) => name.endsWith(".ts"))) {
    const { outputText } = ts.transpileModule(readFileSync(join(src, file), "utf8"), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    const to = join(out, file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, outputText.replace(/(["'])(\.{1,2}\/[^"']+\.json)\1/g, '"$2.js"'));
  }
  return out;
}

export interface Measured {
  format: string;
  bytes: number;
  lines: number;
  ms: number;
  /** MB above the process as it was before the first export, at the worst moment. */
  rss: number;
  heap: number;
}

/** Exports everything in a process of its own and answers how far its memory grew on the way. */
export async function measureExports(path: string, formId: string, queries: readonly string[]): Promise<Measured[]> {
  const script = `
    const { createFormBackend } = await import("./index.js");
    const { sqliteStorage } = await import("./drivers/storage/sqlite.js");
    const backend = createFormBackend({
      baseUrl: "http://localhost:3000", secret: "x".repeat(32), work: false, rateLimit: false,
      storage: sqliteStorage({ path: ${JSON.stringify(path)} }),
    });
    const { key } = await backend.keys.create({ name: "export", scopes: ["submissions:read"] });
    const open = (query) => backend.fetch(new Request(
      "http://localhost:3000/v1/forms/${formId}/submissions/export?" + query,
      { headers: { authorization: "Bearer " + key } },
    ));
    // What any first request loads and compiles is no growth of the export.
    for (const format of ["csv", "json", "ndjson"]) {
      await (await open("format=" + format + "&created_before=2026-03-01T06:00:00Z")).text();
    }
    gc();
    const before = process.memoryUsage();
    for (const query of ${JSON.stringify(queries)}) {
      gc();
      const peak = { rss: 0, heap: 0 };
      const started = performance.now();
      let bytes = 0, lines = 0;
      const response = await open(query);
      for await (const chunk of response.body) {
        bytes += chunk.length;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
        const now = process.memoryUsage();
        peak.rss = Math.max(peak.rss, now.rss - before.rss);
        peak.heap = Math.max(peak.heap, now.heapUsed + now.external - before.heapUsed - before.external);
      }
      const ms = Math.round(performance.now() - started);
      console.log(JSON.stringify({
        format: new URLSearchParams(query).get("format"), bytes, lines, ms,
        rss: peak.rss / 2 ** 20, heap: peak.heap / 2 ** 20,
      }));
    }
    await backend.close();`;
  return runAlone<Measured>(script);
}

/** Runs a script in a process of its own with little memory, beside the library. Answers the JSON of each line that it writes. */
export async function runAlone<T>(script: string, args: readonly string[] = []): Promise<T[]> {
  // How much garbage V8 lets lie differs by its version and the machine's memory: 20 MB in Node 20, 130 in Node 24. With a heap of at
  // most 64 MB, 21 of which the idle process needs, it has to collect, and a process that held more would end here.
  const flags = [
    "--expose-gc",
    "--max-semi-space-size=8",
    "--max-old-space-size=64",
    "--input-type=module",
    "--no-warnings",
  ];
  if (!compiled) {
    compiled = compileLibrary();
    atEndOfFile(() => (compiled = undefined));
  }
  const child = spawn(process.execPath, [...flags, "-e", script, ...args], { cwd: compiled });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(errors || output);
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
