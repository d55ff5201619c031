import { readdirSync, rmSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

/** Every driver and adapter file is an entry of its own, unless its name begins with `_` or it is shared by its folder. */
function entriesIn(folder: string, prefix: string, isEntry: (name: string) => boolean): Record<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && isEntry(file.slice(0, -3)));
  return Object.fromEntries(files.map((file) => [`${prefix}${file.slice(0, -3)}`, `${folder}/${file}`]));
}

const drivers = {
  storage: ["memory", "unstorage", "sqlite"],
  mailer: ["memory", "log", "smtp"],
  blob: ["memory", "unstorage", "fs"],
  queue: ["local"],
};

/** For pages: one small file of its own, without anything of the server. */
export const browser: Options = {
  entry: { browser: "src/browser/index.ts" },
  tsconfig: "src/browser/tsconfig.json",
  format: "esm",
  platform: "browser",
  target: "es2022",
  dts: true,
  minify: true,
};

const server: Options = {
  entry: {
    index: "src/index.ts",
    testing: "src/testing/index.ts",
    client: "src/client/index.ts",
    "spam/akismet": "src/spam/akismet.ts",
    ...entriesIn("adapters", "", (name) => !name.startsWith("_")),
    ...Object.assign(
      {},
      ...Object.entries(drivers).map(([port, names]) =>
        entriesIn(`src/drivers/${port}`, `drivers/${port}/`, (name) => names.includes(name)),
      ),
    ),
  },
  format: "esm",
  target: "node20",
  dts: true,
  // One copy of ApiError and StaleWriteError over all entries, so that instanceof holds.
  splitting: true,
  sourcemap: true,
  // Optional engines are loaded where they are used and installed by the host.
  external: [/^node:/, "nodemailer", "@photostructure/sqlite"],
};

export default defineConfig(() => {
  // Not `clean`: both builds run at once, and one would sweep away what the other has written.
  rmSync("dist", { recursive: true, force: true });
  return [server, browser];
});
