// Runs an example from the clone, with what the clone has installed: npm run example express
// Where it has more than its server: npm run example postgres-redis prove
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Other runtimes than Node, with the version that npm gets where they are not installed. */
const RUNTIMES = { bun: "1.4", deno: "2.9" };

const root = resolve(import.meta.dirname, "..");
const examples = join(root, "examples");
const name = process.argv[2] ?? "";
const all = readdirSync(examples).filter((folder) => existsSync(join(examples, folder, "README.md")));
const names = all.filter(
  (folder) =>
    existsSync(join(examples, folder, "server.mjs")) || "test" in scriptsOf(folder) || "build" in scriptsOf(folder),
);
if (!names.includes(name)) {
  if (all.includes(name)) console.error(`${name} is not started this way: see examples/${name}/README.md.`);
  console.error(`Usage: npm run example <name>, with one of: ${names.join(", ")}`);
  process.exit(1);
}

// An example imports "form-backend" as an app does that has installed it, so it finds the clone under that name.
const link = join(examples, "node_modules", "form-backend");
if (!existsSync(link) || realpathSync(link) !== realpathSync(root)) {
  mkdirSync(join(examples, "node_modules"), { recursive: true });
  rmSync(link, { force: true });
  try {
    symlinkSync(root, link, "junction");
  } catch (error) {
    // Another example that starts at the same time has just made it.
    if (error.code !== "EEXIST") throw error;
  }
}

// Only what is not there: the tests start examples beside each other, on what `npm run test:system` has built.
if (!existsSync(join(root, "dist/index.js"))) {
  process.chdir(root);
  npm("exec -- tsup --silent --no-dts");
}

const folder = join(examples, name);
process.chdir(folder);

const server = join(folder, `${process.argv[3] ?? "server"}.mjs`);
const [runtime = "", ...args] = (scriptsOf(name).start ?? "").split(" ");
if (runtime in RUNTIMES) startIn(runtime, args);
else if (existsSync(server)) await start(server);
else if ("build" in scriptsOf(name)) {
  // A framework of its own, which the clone has not. Of the library it gets a copy as it would be published: bundlers that
  // follow a link out of the app lose their way.
  rmSync(join("node_modules", "form-backend"), { recursive: true, force: true });
  npm("install --install-links --no-audit --no-fund");
  npm("run build");
  await start(join(folder, ".output/server/index.mjs"));
} else npm("test --silent");

function scriptsOf(folder) {
  const file = join(examples, folder, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).scripts : {};
}

function start(file) {
  return import(pathToFileURL(file).href);
}

/** Passes signals on, so that the example ends as it would by itself. */
function startIn(runtime, args) {
  const found = spawnSync(runtime, ["--version"]).status === 0;
  const [program, ...before] = found ? [runtime] : ["npx", "--yes", `${runtime}@${RUNTIMES[runtime]}`];
  const child = spawn(program, [...before, ...args], { stdio: "inherit", shell: process.platform === "win32" });
  process.on("SIGINT", () => {}); // a terminal sends it to both
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code) => process.exit(code ?? 1));
}

function npm(args) {
  const { status } = spawnSync(`npm ${args}`, { stdio: "inherit", shell: true });
  if (status !== 0) process.exit(status ?? 1);
}
