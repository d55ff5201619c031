import { readdirSync, rmSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

/** Every driver and adapter file is an entry of its own, unless its name begins with `_` or it is shared by its folder. */
function entriesIn(folder: string, prefix: string, isEntry: (name: string) => boolean): Record<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && isEntry(file.slice(0, -3)));
  return Object.fromEntries(files.map((file) => [`${prefix}${file.slice(0, -3)}`, `${folder}/${file}`]));
}

const drivers = {
  storage: ["memory", "unstorage", "sqlite", "postgres"],
  mailer: ["memory", "log", "smtp"],
  blob: ["memory", "unstorage", "fs", "s3"],
  queue: ["local", "bullmq", "postgres"],
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

export const server: Options = {
  entry: {
    index: "src/index.ts",
    testing: "src/testing/index.ts",
    client: "src/client/index.ts",
    "spam/akismet": "src/spam/akismet.ts",
    ...entriesIn("adapters", "", (name) => !name.startsWith("_")),
    "nuxt/module": "adapters/nuxt/module.ts",
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
  external: [/^node:/, "nodemailer", "@photostructure/sqlite", "bullmq", "pg"],
};

/** What a Nuxt host's own bundlers read: single files, whose imports they resolve. */
const nuxtRuntime = (part: "app" | "server"): Options => ({
  entry: entriesIn(`adapters/nuxt/runtime/${part}`, `nuxt/runtime/${part}/`, (name) => !name.endsWith(".d")),
  format: "esm",
  target: "es2022",
  // A shared chunk would lie outside of the folder that hosts transpile.
  splitting: false,
  external: [/^#/, /^form-backend/, "vue"],
  // The component and the composable are used by people, the handlers by the server alone.
  ...(part === "app" && {
    tsconfig: "adapters/nuxt/runtime/app/tsconfig.json",
    dts: { compilerOptions: { paths: { "form-backend/browser": ["./src/browser/index.ts"] } } },
  }),
});

export default defineConfig(() => {
  // Not `clean`: both builds run at once, and one would sweep away what the other has written.
  rmSync("dist", { recursive: true, force: true });
  return [server, browser, nuxtRuntime("app"), nuxtRuntime("server")];
});
