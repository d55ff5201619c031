import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { bundle } from "../../_support/bundle.ts";

/** What a page's bundler makes of an entry: every file that went in, and what came out. */
async function bundled(entry: string): Promise<{ inputs: string[]; source: string }> {
  const file = await bundle(entry, {
    platform: "browser",
    target: "es2022",
    skipNodeModulesBundle: false,
    noExternal: [/.*/],
    minify: true,
    metafile: true,
    tsconfig: "src/surfaces/browser/tsconfig.json",
  });
  const meta = JSON.parse(readFileSync(join(dirname(file), "metafile-esm.json"), "utf8"));
  const inputs = Object.keys((meta as { inputs: Record<string, unknown> }).inputs);
  const short = (path: string): string => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path;
  return { inputs: [...new Set(inputs.map(short))].sort(), source: readFileSync(file, "utf8") };
}

const entries = {
  // The error class is what callers compare with `instanceof`.
  client: { kb: 8, others: ["destr", "ofetch", "src/errors.ts", "ufo"] },
  // All of it, drafts and `enhance` included; test/unit/surfaces/browser/build.test.ts measures the core.
  browser: { kb: 5.2, others: [] as string[] },
};

for (const [name, { kb, others }] of Object.entries(entries)) {
  it(`form-backend/${name} holds no code of the server, and at most ${kb} KB gzipped`, {
    timeout: 60_000,
  }, async () => {
    const { inputs, source } = await bundled(`src/surfaces/${name}/index.ts`);
    const foreign = inputs.filter((path) => !path.startsWith(`src/surfaces/${name}/`));
    expect(inputs.length).toBeGreaterThan(foreign.length);
    expect(foreign).toEqual(others);
    expect(source).not.toMatch(/node:|\brequire\s*\(|\bfrom\s*"/);
    const bytes = gzipSync(source, { level: 9 }).length;
    console.log(`form-backend/${name}: ${bytes} bytes gzipped`);
    expect(bytes).toBeLessThanOrEqual(kb * 1024);
  });
}

it("would see code of the server", { timeout: 60_000 }, async () => {
  const { inputs, source } = await bundled("src/features/webhooks/verify.ts");
  expect(inputs).toContain("src/features/webhooks/sign.ts");
  expect(source).toMatch(/\bfrom\s*"crypto"/);
});
