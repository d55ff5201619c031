import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type HostName, running } from "../../../_support/mcp.ts";

const root = resolve(import.meta.dirname, "../../../..");
const suite = join(root, "node_modules/@modelcontextprotocol/conformance");
const cache = join(root, "node_modules/.cache/form-backend");

/** The suite for this version of Node: it imports `globSync`, which came with Node 22, for a command that is not run here. */
async function runnable(): Promise<string> {
  const source = await readFile(join(suite, "dist/index.js"), "utf8");
  expect(source).toContain("globSync as a,");
  const folder = join(cache, `conformance-${process.pid}`);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "dist"), { recursive: true });
  await cp(join(suite, "requirements"), join(folder, "requirements"), { recursive: true });
  await cp(join(suite, "package.json"), join(folder, "package.json"));
  const file = join(folder, "dist/index.js");
  await writeFile(file, source.replace("globSync as a,", "").replace(/^(#!.*\n)/, "$1const a = () => [];\n"));
  return file;
}

const revisions = [
  ["2026-07-28", ["--requirements", "2026-07-28"]],
  ["2025-11-25", ["--spec-version", "2025-11-25"]],
] as const;
const hosts: HostName[] = ["node", "express"];

describe("the conformance suite", { timeout: 240_000 }, () => {
  for (const [revision, args] of revisions) {
    for (const host of hosts) {
      it(`finds nothing unexpected: ${revision}, on ${host}`, async () => {
        const { url } = await running({ host, keyless: true });
        const folder = await mkdtemp(join(tmpdir(), "mcp-conformance-"));
        onTestFinished(() => rm(folder, { recursive: true, force: true }));
        const baseline = join(import.meta.dirname, `conformance-${revision}.yaml`);
        const run = [await runnable(), "server", "--url", url, ...args, "--expected-failures", baseline, "-o", folder];
        const { code, out } = await new Promise<{ code: unknown; out: string }>((done) => {
          execFile(process.execPath, run, { maxBuffer: 2 ** 26, cwd: folder }, (error, stdout, stderr) =>
            done({ code: error ? error.code : 0, out: stdout + stderr }),
          );
        });
        expect(code, out.slice(-4_000)).toBe(0);
        for (const scenario of ["tools-list", "dns-rebinding-protection"]) expect(out).toContain(`✓ ${scenario}`);
      });
    }
  }
});
