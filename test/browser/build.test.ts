import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { browserScript } from "./_script.ts";

describe("form-backend/browser as built", () => {
  let path: string;
  let source: string;
  beforeAll(async () => {
    path = await browserScript();
    source = readFileSync(path, "utf8");
  });

  it("takes at most 2 KB gzipped", () => {
    const bytes = gzipSync(source, { level: 9 }).length;
    expect(bytes).toBeGreaterThan(500);
    expect(bytes).toBeLessThanOrEqual(2 * 1024);
  });

  it("is one file that imports nothing", () => {
    expect(source).not.toMatch(/\bimport\s*[("'{*]|\brequire\s*\(|node:/);
  });

  it("can be imported where there is no page, as a server that renders one does", async () => {
    expect(Object.keys(await import(path))).toEqual(["enhance"]);
  });
});
