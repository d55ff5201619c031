// Bundles the simulation with the sources, so that one seed needs no file, and everything that takes time or chance comes from the
// seed: the modules of Node that give either are replaced, and what a process shares is kept for each simulated process.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const root = resolve(here, "../..");
const standIns = {
  "node:timers": "node-timers.ts",
  "node:timers/promises": "node-timers-promises.ts",
  "node:crypto": "node-crypto.ts",
};

/** Sentences of the sources that are put otherwise for the simulation. Each must be found, or the build fails. */
const rewritten = [
  {
    file: "src/core/fairness/share.ts",
    find: "export const share: () => Share = loop ? createShares(loop) :",
    replace: `import { ownState } from "${join(here, "globals.ts")}";
      const newShares = () => createShares(loop);
      export const share = loop ? () => ownState(newShares)() :`,
  },
  {
    file: "src/lib/id.ts",
    find: "let used = 0;",
    replace: `let used = 0;
      import { eachSeed, ownState } from "${join(here, "globals.ts")}";
      eachSeed(() => { pool = Buffer.alloc(0); used = 0; });`,
  },
  {
    file: "src/lib/id.ts",
    find: "const deliveries = sortableIds();",
    replace: "const deliveries = (now) => ownState(sortableIds)(now);",
  },
  {
    // Each process loads it for itself, as what `late` loads.
    file: "src/lib/response.ts",
    find: "let FastResponse: typeof Response = Response;",
    replace: `import { ownState } from "${join(here, "globals.ts")}";
      const newFast = () => ({ FastResponse: Response });`,
  },
  {
    file: "src/lib/response.ts",
    find: "({ FastResponse } = await packages.srvx());",
    replace: "ownState(newFast).FastResponse = (await packages.srvx()).FastResponse;",
  },
  {
    file: "src/lib/response.ts",
    find: "return new FastResponse(text,",
    replace: "return new (ownState(newFast).FastResponse)(text,",
  },
  {
    file: "src/drivers/storage/_rows/rows.ts",
    find: "export const copyValue = (value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;",
    replace: `export { copyStored as copyValue } from "${join(here, "copy.ts")}";
      import { copyStored as copyValue } from "${join(here, "copy.ts")}";`,
  },
  {
    // The same options for each process of all seeds, but for the drivers.
    file: "src/core/options/resolve.ts",
    find: "const parsed = OptionsSchema.safeParse(input, { reportInput: true });",
    replace: `const parsed = parsedOnce(input, () => OptionsSchema.safeParse(input, { reportInput: true }));`,
  },
  {
    file: "src/core/options/resolve.ts",
    find: 'import { OptionsSchema } from "./schema.ts";',
    replace: `import { OptionsSchema } from "./schema.ts";
      import { parsedOnce } from "${join(here, "once.ts")}";`,
  },
  {
    // The calls of a group are looked for in two hundred rows, at each start.
    file: "src/surfaces/api/in-process/call.ts",
    find: "const calls = Object.entries<Operation>(routes).flatMap(",
    replace: `const calls = rowsOf(group).flatMap(`,
  },
  {
    file: "src/surfaces/api/in-process/call.ts",
    find: "type Routes = typeof routes;",
    replace: `type Routes = typeof routes;
      let found;
      const rowsOf = (group) => {
        if (!found) {
          found = new Map();
          for (const row of Object.entries(routes)) {
            const of = row[1].call?.split(".")[0] ?? "";
            found.set(of, [...(found.get(of) ?? []), row]);
          }
        }
        return found.get(group) ?? [];
      };`,
  },
  {
    // Nobody in a seed asks for them by their addresses, and the two hundred of them would be put into a router at each start.
    file: "src/surfaces/mount.ts",
    find: "routes: Object.values(routes).map(v1Route),",
    replace: "routes: [],",
  },
  {
    // Packages are part of the bundle, so that loading them early is nothing but events.
    file: "src/core/lifecycle.ts",
    find: "if (!underTest()) systemClock.setTimer(() => void loadPackages(() => closing !== undefined, later), LOAD_AFTER_MS);",
    replace: "",
  },
  {
    // A poll each second is for hints that were lost. Here it would be nearly all that happens.
    file: "src/features/jobs/work.ts",
    find: "const POLL_MS = 1_000;",
    replace: "const POLL_MS = 20_000;",
  },
];

// What the sources ask of the environment, such as whether a test runner started them, would be another history.
for (const name of Object.keys(process.env)) if (!/^(PATH|HOME|TMPDIR)$/.test(name)) delete process.env[name];

/** The bundles of this process, which end with it. */
const bundles = [];
process.on("exit", () => {
  for (const file of bundles) rmSync(file, { force: true });
});

/**
 * Builds the simulation; answers where the bundle lies, which is `kept` or a file that ends with this process. `planted`: a fault in the
 * sources, `{ file, find, replace }`. Throws if a sentence that is to be replaced is not there exactly once.
 */
export async function buildSimulation(planted, kept) {
  const changes = [...rewritten, ...(planted ? [planted] : [])];
  const directory = join(root, "node_modules/.cache/form-backend-simulation");
  mkdirSync(directory, { recursive: true });
  // Other runs may build other sources meanwhile, and a broken promise loads the bundle once more.
  const outfile = kept ?? join(directory, `${process.pid}-${bundles.length}.mjs`);
  if (!kept) bundles.push(outfile);
  const used = new Set();
  await build({
    entryPoints: [join(here, "seed.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    sourcemap: "inline",
    banner: {
      js: 'import { createRequire as requireIn } from "node:module"; const require = requireIn(import.meta.url);',
    },
    plugins: [
      {
        name: "simulation",
        setup(builder) {
          builder.onResolve({ filter: /^(real:)?node:/ }, ({ path, importer, kind }) => {
            if (path.startsWith("real:")) return { path: path.slice(5), external: true };
            // Node loads a module in its own time, which no seed decides.
            if (kind === "dynamic-import") return { path, namespace: "loaded-at-start" };
            const standIn = importer.includes("node_modules") ? undefined : standIns[path];
            return standIn ? { path: join(here, "stand-ins", standIn) } : { path, external: true };
          });
          builder.onResolve({ filter: /\/runtime\/process\.ts$/ }, () => ({
            path: join(here, "stand-ins/process.ts"),
          }));
          builder.onResolve({ filter: /\/late\.ts$/ }, ({ path, importer }) =>
            importer.includes("/stand-ins/") || !path.includes("lib/late.ts")
              ? undefined
              : { path: join(here, "stand-ins/late.ts") },
          );
          builder.onLoad({ filter: /./, namespace: "loaded-at-start" }, ({ path }) => ({
            contents: `export * from "real:${path}"; export { default } from "real:${path}";`,
          }));
          builder.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
            const mine = changes.filter(({ file }) => path === join(root, file));
            if (mine.length === 0) return undefined;
            let contents = readFileSync(path, "utf8");
            for (const change of mine) {
              if (contents.split(change.find).length !== 2)
                throw new Error(`${change.file} has not exactly one: ${change.find}`);
              contents = contents.replace(change.find, () => change.replace);
              used.add(change);
            }
            return { contents, loader: "ts" };
          });
        },
      },
    ],
  });
  const unused = changes.filter((change) => !used.has(change));
  if (unused.length > 0) throw new Error(`not part of the simulation: ${unused.map(({ file }) => file).join(", ")}`);
  return outfile;
}

/** Loads a bundle with places of the sources in its traces, which makes it slow: for a seed that has broken a promise. */
export function loadTraced(file) {
  process.setSourceMapsEnabled(true);
  return import(`${file}?traced`);
}
