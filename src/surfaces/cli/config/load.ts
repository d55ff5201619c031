import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isPlain } from "../../../lib/merge.ts";
import { errorMessage } from "../../../lib/message.ts";
import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { safeLine } from "../text.ts";
import { memberTwice } from "./twice.ts";

/** Names that are looked for, in this order. */
const NAMES = ["ts", "mts", "mjs", "js", "json"].map((extension) => `forms.config.${extension}`);

type Plain = Readonly<Record<string, unknown>>;

/** The variable that `env()` put in place of a value; null for any other value. */
export function variableOf(value: unknown): string | null {
  if (!isPlain(value) || Object.keys(value).length !== 1) return null;
  return typeof value["$env"] === "string" ? value["$env"] : null;
}

/** A file of forms as it is written, with its variables not replaced. */
export interface LoadedConfig {
  readonly file: string;
  readonly team: string | undefined;
  readonly forms: Readonly<Record<string, Plain>>;
}

/** The file of forms: the given one, or the first of the usual names. Throws `Failure` if there is none or it is none. */
export async function loadConfig({ cwd }: Pick<Io, "cwd">, given: string | undefined): Promise<LoadedConfig> {
  const name = given ?? NAMES.find((one) => existsSync(resolve(cwd, one)));
  if (name === undefined) {
    throw new Failure("There is no forms.config.ts here. `form-backend pull` writes one; --file names another one.");
  }
  const file = resolve(cwd, name);
  if (!existsSync(file)) throw new Failure(`There is no file ${name}.`);
  return checked(file, await evaluated(file));
}

async function evaluated(file: string): Promise<unknown> {
  try {
    const source = await readFile(file, "utf8");
    const twice = memberTwice(source);
    if (twice) {
      throw new Failure(
        `${file}, line ${twice.line}: \`${safeLine(twice.name)}\` appears twice in one object, and the first would be ignored.`,
      );
    }
    if (file.endsWith(".json")) return JSON.parse(source) as unknown;
    return ((await imported(file)) as { default?: unknown }).default;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const message = errorMessage(error);
    if (/form-backend\/config|package 'form-backend'/.test(message)) {
      throw new Failure(
        `${file} imports form-backend/config, which is not installed here. Run: npm install form-backend`,
      );
    }
    throw new Failure(`${file} can't be read: ${safeLine(message)}`);
  }
}

/** Imports a module anew. Node before 22.18 needs jiti for TypeScript. */
async function imported(file: string): Promise<unknown> {
  const { href } = pathToFileURL(file);
  try {
    return await import(/* @vite-ignore */ href);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
  }
  const jiti = (await import("jiti" as string).catch(() => null)) as typeof import("jiti") | null;
  if (!jiti)
    throw new Failure("This version of Node can't read TypeScript. Run `npm install jiti`, or use forms.config.mjs.");
  // The file may lie where the package is not installed.
  const alias = { "form-backend/config": fileURLToPath(new URL("./config.js", import.meta.url)) };
  return jiti.createJiti(import.meta.url, { moduleCache: false, fsCache: false, alias }).import(file);
}

const KEY = /^[a-z][a-z0-9-]{0,62}$/;

/** Checks the frame; forms are checked by the schemas of the API. */
export function checked(file: string, value: unknown): LoadedConfig {
  const wrong = (what: string): Failure => new Failure(`${file}: ${what}`);
  if (!isPlain(value) || !isPlain(value["forms"])) {
    throw wrong("the default export must be defineForms({ forms: { … } }).");
  }
  const other = Object.keys(value).find((name) => name !== "forms" && name !== "team");
  if (other !== undefined) throw wrong(`\`${safeLine(other)}\` is unknown; the members are \`team\` and \`forms\`.`);
  const { team, forms } = value;
  if (team !== undefined && (typeof team !== "string" || team === "")) throw wrong("`team` must be the id of a team.");
  for (const [key, form] of Object.entries(forms as Plain)) {
    if (!KEY.test(key))
      throw wrong(
        `\`forms.${safeLine(key)}\`: a key must begin with a to z, and contain only a to z, digits and dashes.`,
      );
    if (!isPlain(form)) throw wrong(`\`forms.${key}\` must be an object.`);
    const { settings } = form;
    if (isPlain(settings) && settings["key"] !== undefined && settings["key"] !== key) {
      throw wrong(`\`forms.${key}.settings.key\` is another key than ${key}; leave it out.`);
    }
  }
  return { file, team: team as string | undefined, forms: forms as LoadedConfig["forms"] };
}
