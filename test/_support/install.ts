import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { afterAll } from "vitest";
import { notRun } from "./not-run.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
export const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;

export interface Ran {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs a program to its end; its output is stdout and stderr as they came. */
export function run(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  // Neither the test runner's environment nor that of `npm test` is what a user's shell has. `npm run -s` would silence each npm below it.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_ENV|VITEST|TEST|npm_config_loglevel|npm_(?!config_))/.test(name),
  );
  return new Promise((done) => {
    let output = "";
    const child = execFile(
      command,
      args,
      { cwd, env: { ...Object.fromEntries(inherited), ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error) => done({ ok: !error, output }),
    );
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += text));
  });
}

export interface Installed {
  readonly dir: string;
  /** What `npm install` printed. */
  readonly output: string;
}

/**
 * A copy of a project outside of this one, with the package as it would be published, and all that it depends on. `files` are copied
 * into it, by the place of each here; `more` are packages at versions of their own.
 */
export async function install(
  project: string,
  files: Record<string, string> = {},
  more: Record<string, string> = {},
): Promise<Installed | null> {
  const dir = await mkdtemp(join(tmpdir(), `form-backend-${basename(project)}-`));
  afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  await cp(resolve(ROOT, project), dir, {
    recursive: true,
    filter: (file) => !/[/\\](node_modules|\.nuxt|\.nitro|\.output|\.data)$/.test(file),
  });
  for (const [to, from] of Object.entries(files)) await cp(resolve(ROOT, from), join(dir, to));
  return installed(dir, project, more);
}

/** The same for a project of these files, by path, of which `package.json` may be one. */
export async function installFiles(name: string, files: Readonly<Record<string, string>>): Promise<Installed | null> {
  const dir = await mkdtemp(join(tmpdir(), `form-backend-${name.toLowerCase().replaceAll(/\W+/g, "-")}-`));
  afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), text);
  }
  return installed(dir, name);
}

async function installed(dir: string, project: string, more: Record<string, string> = {}): Promise<Installed | null> {
  const tarball = await pack();
  const manifest = JSON.parse(await readFile(join(dir, "package.json"), "utf8"));
  manifest.dependencies = { ...manifest.dependencies, ...more, "form-backend": `file:${tarball}` };
  for (const name of Object.keys(more)) delete manifest.devDependencies?.[name];
  await writeFile(join(dir, "package.json"), JSON.stringify(manifest, null, 2));
  const { ok, output } = await run(dir, "npm", ["install", "--no-audit", "--no-fund"]);
  if (ok) return { dir, output };
  if (!UNREACHABLE.test(output)) throw new Error(`npm install in ${project} failed:\n${output}`);
  notRun(`${project}: the package registry can't be reached`);
  return null;
}

let packed: Promise<string> | undefined;

/** The package as it would be published, from what `npm run test:system` has built. */
export function pack(): Promise<string> {
  packed ??= (async () => {
    if (!existsSync(join(ROOT, "dist/nuxt/module.js"))) {
      const built = await run(ROOT, "npm", ["run", "-s", "build"]);
      if (!built.ok) throw new Error(`npm run build failed:\n${built.output}`);
    }
    const to = await mkdtemp(join(tmpdir(), "form-backend-pack-"));
    afterAll(() => rm(to, { recursive: true, force: true }));
    const { ok, output } = await run(ROOT, "npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", to]);
    if (!ok) throw new Error(`npm pack failed:\n${output}`);
    return join(to, `form-backend-${JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")).version}.tgz`);
  })();
  return packed;
}

/** What npm says when a host and the package disagree about a peer. */
export const peerComplaints = (output: string): string[] =>
  output.split("\n").filter((line) => /ERESOLVE|\bpeer/i.test(line));
