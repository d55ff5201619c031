import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { type HostName, hostNames, hosts } from "./hosts.ts";

/** The app in a folder, as far as its mount depends on it. */
export interface App {
  readonly host: HostName;
  readonly typescript: boolean;
  /** True if its `.js` files are ES modules. */
  readonly esm: boolean;
  /** The folder of the backend's file, with a slash at its end; empty for the app's own. */
  readonly folder: string;
  /** False if package.json does not name the library. */
  readonly installed: boolean;
  /** The major version of Nitro; null elsewhere. */
  readonly nitro: 2 | 3 | null;
  /** A database that its packages speak to; null for none. */
  readonly database: "postgres" | "mysql" | "libsql" | null;
}

interface Manifest {
  readonly type?: string;
  readonly main?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Reads package.json. Throws `Failure` if there is none, or if it does not tell which host to use and nobody can `choose`. */
export async function detect(
  cwd: string,
  given: HostName | undefined,
  choose?: (among: readonly HostName[]) => Promise<HostName>,
): Promise<App> {
  const manifest = manifestIn(cwd);
  const names = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
  const host = given ?? (await hostIn(cwd, names, choose));
  const typescript =
    names.has("typescript") ||
    existsSync(join(cwd, "tsconfig.json")) ||
    ["nuxt", "nitro", "bun", "deno"].includes(host);
  const nitro = host !== "nitro" ? null : names.has("nitropack") ? 2 : 3;
  return {
    host,
    typescript,
    esm: typescript || manifest.type === "module" || (hosts[host].evaluatesAgain ?? false) || host === "cloudflare",
    folder: folderOf(cwd, host, typescript || runsInSrc(cwd, manifest)),
    installed: names.has("form-backend"),
    nitro,
    database: databaseAmong(names),
  };
}

async function hostIn(
  cwd: string,
  names: ReadonlySet<string>,
  choose: ((among: readonly HostName[]) => Promise<HostName>) | undefined,
): Promise<HostName> {
  const found = hostNames.filter((name) => {
    const { packages, files = [] } = hosts[name];
    return packages.some((pkg) => names.has(pkg)) || files.some((file) => existsSync(join(cwd, file)));
  });
  const best = Math.min(...found.map((name) => hosts[name].rank));
  const candidates = found.filter((name) => hosts[name].rank === best && !(name === "nestjs" && onFastify(names)));
  const all = candidates.length > 0 ? candidates : onFastify(names) ? (["fastify"] as const) : hostNames;
  const [only] = all;
  if (all.length === 1 && only !== undefined) return only;
  if (choose) return choose(all);
  throw new Failure(
    candidates.length === 0
      ? `package.json names no framework that init knows. Choose one with --host: ${hostNames.join(", ")}.`
      : `package.json names several frameworks. Choose one with --host: ${candidates.join(", ")}.`,
  );
}

const onFastify = (names: ReadonlySet<string>): boolean => names.has("@nestjs/platform-fastify");

/** The database that the app has a package for; null for none. */
function databaseAmong(names: ReadonlySet<string>): App["database"] {
  if (["pg", "postgres", "@neondatabase/serverless", "@vercel/postgres"].some((name) => names.has(name)))
    return "postgres";
  if (names.has("mysql2")) return "mysql";
  return names.has("@libsql/client") ? "libsql" : null;
}

function manifestIn(cwd: string): Manifest {
  const path = join(cwd, "package.json");
  if (!existsSync(path)) {
    // Deno needs none.
    if (["deno.json", "deno.jsonc"].some((name) => existsSync(join(cwd, name)))) return {};
    throw new Failure(
      "There is no package.json here. Run init in the folder of your app; without an app, use `form-backend dev` or `serve`.",
    );
  }
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
    if (typeof value === "object" && value !== null) return value;
  } catch {}
  throw new Failure("package.json is not valid JSON.");
}

/** Where the host looks for files of a server. */
function folderOf(cwd: string, host: HostName, inSrc: boolean): string {
  if (host === "nuxt") return "server/";
  if (host === "react-router") return "app/";
  if (host === "sveltekit") return "src/lib/";
  if (host === "astro") return "src/";
  if (host === "next")
    return existsSync(join(cwd, "src/app")) || existsSync(join(cwd, "src/pages")) ? "src/lib/" : "lib/";
  if (host === "nitro") {
    const [, named] = /\b(?:serverDir|srcDir):\s*["']\.?\/?([\w/-]*)["']/.exec(nitroConfig(cwd)) ?? [];
    if (named !== undefined) return named === "" ? "" : `${named.replace(/\/$/, "")}/`;
    return existsSync(join(cwd, "server")) ? "server/" : "";
  }
  return inSrc && existsSync(join(cwd, "src")) ? "src/" : "";
}

/** True if the app's main file, which imports ours, is in src/. */
function runsInSrc(cwd: string, { main, scripts }: Manifest): boolean {
  return (
    [main, scripts?.["start"]].some((text) => /(^|\s)(\.\/)?src\//.test(text ?? "")) ||
    /^\s*"?main"?\s*[:=]\s*["'](\.\/)?src\//m.test(firstOf(cwd, hosts.cloudflare.files))
  );
}

const nitroConfig = (cwd: string): string => firstOf(cwd, ["nitro.config.ts", "nitro.config.mjs", "nitro.config.js"]);

/** The text of the first of these files that is there; empty for none. */
function firstOf(cwd: string, names: readonly string[] = []): string {
  const name = names.find((file) => existsSync(join(cwd, file)));
  return name === undefined ? "" : readFileSync(join(cwd, name), "utf8");
}
