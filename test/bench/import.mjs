// What the package costs before the first request: time of the import and resident memory, each in a fresh process.
import { join } from "node:path";
import { installed } from "./installed.mjs";
import { startApp } from "./processes.mjs";
import { compare } from "./table.mjs";

const RUNS = 9;

export async function benchImport({ dir }) {
  const modules = { "form-backend": "form-backend", express: "express" };
  const rows = [];
  try {
    modules["better-auth"] = await installed("better-auth", join(dir, "better-auth"));
  } catch (error) {
    // npm's own words, without its prefixes.
    const why = /npm error (.*)/.exec(error.stderr ?? "")?.[1] ?? error.message;
    rows.push({ what: "Import beside better-auth", ours: `not measured: npm can't install better-auth (${why})` });
  }
  const found = Object.fromEntries(Object.keys(modules).map((name) => [name, { ms: [], mb: [] }]));
  for (let run = -1; run < RUNS; run++) {
    for (const [name, target] of Object.entries(modules)) {
      const app = await startApp("import.mjs", { MODULE: target });
      await app.stop();
      // The first run of each warms the disk's cache.
      if (run < 0) continue;
      found[name].ms.push(app.ms);
      found[name].mb.push(app.bytes / 1024 / 1024);
    }
  }
  const { "form-backend": ours, ...rivals } = found;
  for (const [name, { ms, mb }] of Object.entries(rivals)) {
    rows.push(compare("Import, ms", ours.ms, name, ms, 0));
    rows.push(compare("Import, MB resident", ours.mb, name, mb, 1));
  }
  return rows;
}
