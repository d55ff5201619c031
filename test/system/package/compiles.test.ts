import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { install, run } from "../../_support/install.ts";
import { entries, manifest } from "./_entries.ts";

/** The declarations that are about a peer, and the package each of them may name: `@nuxt/kit` brings `@nuxt/schema`. */
const aboutPeers = {
  "dist/nuxt/module.d.ts": "@nuxt/schema",
  "dist/vue.d.ts": "vue",
};

/** One program that imports every entry, and has types of its own to tell right from wrong. */
function program(): string {
  const names = entries.map(({ name }) => `form-backend${name.slice(1)}`);
  const json = Object.keys(manifest.exports).filter((name) => name.endsWith(".json"));
  const imports = [
    ...names.map((name, i) => `import * as entry${i} from "${name}";`),
    ...json.map((name, i) => `import json${i} from "form-backend${name.slice(1)}" with { type: "json" };`),
  ];
  return `${imports.join("\n")}
import type { FormBackend } from "form-backend";
export const all = [${[...names.map((_, i) => `entry${i}`), ...json.map((_, i) => `json${i}`)].join(", ")}];
declare const forms: FormBackend["forms"];
await forms.create({ name: "A", storage: { keep_for: "30_days" } });
await forms.create({ name: "A", storage: { keep_for: "forever" } });
// @ts-expect-error: a typing error is one.
await forms.create({ name: "A", storage: { keep_for: "30 days" } });
`;
}

const app = await install("test/system/package/fixtures/types");
if (app) {
  await writeFile(join(app.dir, "app.ts"), program());

  describe("every entry, in a folder without peers and with `skipLibCheck: false`", () => {
    it("is installed beside no peer", () => {
      const there = [...Object.keys(manifest.peerDependencies), ...Object.values(aboutPeers)].filter((name) =>
        existsSync(join(app.dir, "node_modules", name)),
      );
      expect(there).toEqual([]);
      expect(entries.length).toBeGreaterThan(Object.keys(manifest.exports).length);
    });

    // One after the other: a compiler takes a core and much memory.
    for (const typescript of ["typescript-oldest", "typescript-newest"]) {
      for (const [resolution, module] of [
        ["NodeNext", "NodeNext"],
        ["Bundler", "ESNext"],
      ] as const) {
        it(`compiles with ${typescript} and ${resolution}, but for those about a peer`, async () => {
          const compilerOptions = {
            strict: true,
            skipLibCheck: false,
            noEmit: true,
            target: "ES2022",
            lib: ["ES2022", "DOM"],
            types: ["node"],
            resolveJsonModule: true,
            module,
            moduleResolution: resolution,
          };
          await writeFile(join(app.dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["app.ts"] }));
          const tsc = join("node_modules", typescript, "bin/tsc");
          const { output } = await run(app.dir, process.execPath, [tsc, "--pretty", "false"]);
          const said = output.trim().split("\n");
          const expected = Object.entries(aboutPeers).map(([file, name]) =>
            expect.stringMatching(
              new RegExp(`^node_modules/form-backend/${file}\\(.+ error TS2307: Cannot find module '${name}'`),
            ),
          );
          expect(said).toEqual(expected);
        });
      }
    }
  });
}
