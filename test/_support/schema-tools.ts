import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { atEndOfFile } from "./cleanup.ts";
import { ROOT, run } from "./install.ts";
import { POSTGRES_URL } from "./postgres.ts";

/** A folder below this project, so that files in it find the packages. */
async function folder(): Promise<string> {
  const parent = join(ROOT, "node_modules/.cache");
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, "schema-"));
}

async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await folder();
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The statements that `drizzle-kit generate` makes of a schema. */
export const drizzleStatements = (dialect: "postgresql" | "mysql" | "sqlite", schema: string): Promise<string[]> =>
  inFolder(async (dir) => {
    await writeFile(join(dir, "schema.ts"), schema);
    const kit = join(ROOT, "node_modules/drizzle-kit/bin.cjs");
    const options = ["generate", "--dialect", dialect, "--schema", "schema.ts", "--out", "out"];
    const { ok, output } = await run(dir, process.execPath, [kit, ...options]);
    if (!ok) throw new Error(`drizzle-kit generate failed:\n${output}`);
    const [file = ""] = (await readdir(join(dir, "out"))).filter((name) => name.endsWith(".sql"));
    return (await readFile(join(dir, "out", file), "utf8")).split("--> statement-breakpoint");
  });

/**
 * Does with a schema as a host does: `drizzle-kit generate`, then a migration of its own with the rest. Returns the folder of both,
 * for Drizzle's `migrate()`, and what the schema exports.
 */
export async function drizzleProject(
  dialect: "mysql" | "sqlite",
  schema: string,
  rest: string,
): Promise<{ migrationsFolder: string; exported: Readonly<Record<string, unknown>> }> {
  const dir = await folder();
  atEndOfFile(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "schema.ts"), schema);
  const kit = async (...options: readonly string[]): Promise<void> => {
    const args = ["generate", "--dialect", dialect, "--schema", "schema.ts", "--out", "out", ...options];
    const { ok, output } = await run(dir, process.execPath, [join(ROOT, "node_modules/drizzle-kit/bin.cjs"), ...args]);
    if (!ok) throw new Error(`drizzle-kit generate failed:\n${output}`);
  };
  await kit();
  await kit("--custom", "--name", "form_backend");
  await writeFile(join(dir, "out/0001_form_backend.sql"), rest);
  const exported = (await import(pathToFileURL(join(dir, "schema.ts")).href)) as Record<string, unknown>;
  return { migrationsFolder: join(dir, "out"), exported };
}

interface Engine {
  diff(params: object): Promise<{ stdout: string | null }>;
}

interface Glue {
  readonly SchemaEngine: { new: (options: object, log: () => void, adapter: object) => Promise<Engine> };
  __wbg_set_wasm(exports: unknown): void;
}

/** As much of it as is used here. */
interface Compiler {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: object } }>;
}

let glue: Promise<Glue> | undefined;

/** Prisma's schema engine as WebAssembly. Its commands download another build, which is of no use without a network. */
const prismaEngine = (): Promise<Glue> =>
  (glue ??= (async () => {
    const file = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm");
    const loaded = (await import(pathToFileURL(join(file, "../schema_engine_bg.js")).href)) as Glue;
    const wasm = await readFile(join(file, "../schema_engine_bg.wasm"));
    const { WebAssembly } = globalThis as unknown as { WebAssembly: Compiler };
    const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": loaded });
    loaded.__wbg_set_wasm(instance.exports);
    (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
    return loaded;
  })());

/** The statements that Prisma makes of models: `migrate diff --from-empty --script`. */
export async function prismaStatements(
  provider: "postgresql" | "sqlite",
  models: string,
  schema: string,
): Promise<string[]> {
  const schemas = provider === "postgresql" ? `\n  schemas = ["${schema}"]` : "";
  const content = `datasource db {\n  provider = "${provider}"${schemas}\n}\n${models}`;
  const adapter =
    provider === "postgresql"
      ? new PrismaPg({ connectionString: POSTGRES_URL })
      : new PrismaLibSql({ url: "file::memory:" });
  const { SchemaEngine } = await prismaEngine();
  const files = [{ path: "schema.prisma", content }];
  const engine = await SchemaEngine.new(
    { datamodels: [["schema.prisma", content]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
  const { stdout } = await engine.diff({
    from: { tag: "empty" },
    to: { tag: "schemaDatamodel", files },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
    shadowDatabaseUrl: null,
  });
  return (stdout ?? "").split(/;\n/).filter((statement) => /^\s*[^-\s]/m.test(statement));
}

const PRISMA_MYSQL_TYPES: Readonly<Record<string, string>> = { Int: "INTEGER", BigInt: "BIGINT", Boolean: "BOOLEAN" };

/**
 * The statements that Prisma's engine for MySQL makes of models, in its own format. That engine is a download, and the one in npm
 * answers "Unsupported adapter provider: Mysql", so they are made here; `prismaValidates` says whether Prisma takes the models.
 */
export function prismaMysqlStatements(models: string): string[] {
  const keys = (list: string): string =>
    list
      .split(", ")
      .map((key) => `\`${key}\``)
      .join(", ");
  return [...models.matchAll(/^model \w+ \{\n(.*?)^\}/gms)].map(([, body = ""]) => {
    const lines: string[] = [];
    let [table, primary] = ["", ""];
    for (const line of body.split("\n").map((each) => each.trim())) {
      const [, map] = /^@@map\("(\w+)"\)$/.exec(line) ?? [];
      const [, composite] = /^@@id\(\[(.+)\]\)$/.exec(line) ?? [];
      const [, by, index] = /^@@index\(\[(.+)\], map: "(\w+)"\)$/.exec(line) ?? [];
      const [, name = "", type = "", rest = ""] = /^(\w+) (\S+)(.*)$/.exec(line) ?? [];
      if (map) table = map;
      else if (composite) primary = keys(composite);
      else if (by) lines.push(`INDEX \`${index}\`(${keys(by)})`);
      else if (name) {
        const native = /@db\.(\w+(?:\(\d+\))?)/.exec(rest)?.[1]?.toUpperCase();
        const column = native ?? PRISMA_MYSQL_TYPES[type.replace("?", "")];
        if (!column) throw new Error(`no type of MySQL is known for: ${line}`);
        lines.push(`\`${name}\` ${column} ${type.endsWith("?") ? "NULL" : "NOT NULL"}`);
        if (/@id\b/.test(rest)) primary = keys(name);
      }
    }
    const of = [...lines, `PRIMARY KEY (${primary})`].map((line) => `    ${line}`).join(",\n");
    return `CREATE TABLE \`${table}\` (\n${of}\n) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`;
  });
}

/** What `prisma validate` says of models. */
export const prismaValidates = (provider: string, models: string): Promise<{ ok: boolean; output: string }> =>
  inFolder(async (dir) => {
    await writeFile(join(dir, "schema.prisma"), `datasource db {\n  provider = "${provider}"\n}\n${models}`);
    const prisma = join(ROOT, "node_modules/prisma/build/index.js");
    return run(dir, process.execPath, [prisma, "validate", "--schema", "schema.prisma"], {
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: "1",
      CHECKPOINT_DISABLE: "1",
    });
  });
