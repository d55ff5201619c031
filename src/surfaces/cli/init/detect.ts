import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { type HostName, hosts } from "./hosts.ts";

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
}

interface Manifest {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Reads package.json. Throws `Failure` if there is none, or if it does not tell which host to use. */
export function detect(cwd: string, given: HostName | undefined): App {
  const manifest = manifestIn(cwd);
  const names = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
  const found = (Object.keys(hosts) as HostName[]).filter((name) => hosts[name].packages.some((pkg) => names.has(pkg)));
  // Nuxt brings Nitro, and Nest brings Express.
  const candidates = found.includes("nuxt") ? (["nuxt"] as const) : found;
  const [host, other] = given === undefined ? candidates : [given];
  const choices = Object.keys(hosts).join(", ");
  if (host === undefined) {
    throw new Failure(`package.json names no framework that init knows. Choose one with --host: ${choices}.`);
  }
  if (other !== undefined)
    throw new Failure(`package.json names several frameworks. Choose one with --host: ${candidates.join(", ")}.`);
  const typescript =
    names.has("typescript") || existsSync(join(cwd, "tsconfig.json")) || host === "nuxt" || host === "nitro";
  const nitro = host !== "nitro" ? null : names.has("nitropack") ? 2 : 3;
  return {
    host,
    typescript,
    esm: typescript || manifest.type === "module",
    folder: folderOf(cwd, host, typescript),
    installed: names.has("form-backend"),
    nitro,
  };
}

function manifestIn(cwd: string): Manifest {
  const path = join(cwd, "package.json");
  if (!existsSync(path)) {
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
function folderOf(cwd: string, host: HostName, typescript: boolean): string {
  if (host === "nuxt") return "server/";
  if (host === "nitro") {
    const [, named] = /\b(?:serverDir|srcDir):\s*["']\.?\/?([\w/-]*)["']/.exec(nitroConfig(cwd)) ?? [];
    if (named !== undefined) return named === "" ? "" : `${named.replace(/\/$/, "")}/`;
    return existsSync(join(cwd, "server")) ? "server/" : "";
  }
  return typescript && existsSync(join(cwd, "src")) ? "src/" : "";
}

function nitroConfig(cwd: string): string {
  const name = ["nitro.config.ts", "nitro.config.mjs", "nitro.config.js"].find((file) => existsSync(join(cwd, file)));
  return name === undefined ? "" : readFileSync(join(cwd, name), "utf8");
}
