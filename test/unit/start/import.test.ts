import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { bundle } from "../../_support/bundle.ts";

interface Output {
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

/** The packages that `import` of an entry loads, and those that are loaded when they are needed. */
async function packagesOf(entry: string): Promise<{ atOnce: string[]; later: string[] }> {
  const file = await bundle(entry, { metafile: true });
  const { outputs } = JSON.parse(readFileSync(join(dirname(file), "metafile-esm.json"), "utf8")) as {
    outputs: Record<string, Output>;
  };
  const isPackage = (path: string): boolean => !path.startsWith("node:");
  const builtin = new Set((await import("node:module")).builtinModules);
  const atOnce = new Set<string>();
  const later = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind, external } of outputs[name]?.imports ?? []) {
      if (!external) {
        if (kind === "import-statement") visit(path);
      } else if (isPackage(path) && !builtin.has(path)) (kind === "import-statement" ? atOnce : later).add(path);
    }
  };
  for (const [name, { entryPoint }] of Object.entries(outputs)) if (entryPoint?.endsWith("index.ts")) visit(name);
  return { atOnce: [...atOnce].sort(), later: [...later].sort() };
}

it("loads at import only what every backend needs to be created", async () => {
  const { atOnce, later } = await packagesOf("src/index.ts");
  expect(atOnce).toEqual(["mitt", "zod"]);
  // The rest is there, so that the list above can't be short because nothing was found.
  expect(later).toEqual(
    expect.arrayContaining(["@fastify/busboy", "file-type/core", "h3-v2", "htmlparser2", "jose", "ofetch", "re2js"]),
  );
});
