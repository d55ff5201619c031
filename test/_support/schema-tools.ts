import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { ROOT, run } from "./install.ts";
import { POSTGRES_URL } from "./postgres.ts";

/** A folder below this project, so that files in it find the packages. */
async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const parent = join(ROOT, "node_modules/.cache");
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, "schema-"));
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
