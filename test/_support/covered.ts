import { appendFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";

/**
 * Counts the functions of `src/` that one test file runs, and adds a line for it to `file`: scripts/test-map.mjs makes the test map
 * from them. Several test files share a process, and each take of the counts sets them back.
 */
export async function recordCovered(file: string): Promise<void> {
  const root = resolve(import.meta.dirname, "../..");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");

  afterAll(async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    session.disconnect();
    const ran = result.flatMap(({ url, functions }): [string, number][] => {
      const path = url.startsWith("file:") ? fileURLToPath(url) : url;
      const source = relative(root, path);
      if (!source.startsWith("src/")) return [];
      const end = Math.max(...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)));
      // The module itself is a function too, which runs for whoever imports it.
      const own = functions.filter(({ ranges: [range] }) => {
        return range && range.count > 0 && range.endOffset - range.startOffset < end * 0.95;
      });
      return own.length > 0 ? [[source, own.length]] : [];
    });
    const test = relative(root, expect.getState().testPath ?? "");
    appendFileSync(file, `${JSON.stringify({ test, ran })}\n`);
  });
}
