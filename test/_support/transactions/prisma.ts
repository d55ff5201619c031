import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { atEndOfFile } from "../cleanup.ts";
import { ROOT, run } from "../install.ts";
import type { Held, Library } from "./library.ts";

/** The part of a generated client that the tests use. */
export interface PrismaClient {
  $transaction<T>(work: (tx: PrismaClient) => Promise<T>, options?: { timeout: number; maxWait: number }): Promise<T>;
  $executeRawUnsafe(sql: string): Promise<number>;
  $queryRawUnsafe(sql: string): Promise<unknown>;
  $disconnect(): Promise<void>;
}

const SCHEMA = (provider: string, models: string): string => `
generator client {
  provider = "prisma-client"
  output   = "./client"
}
datasource db {
  provider = "${provider}"
}
${models}
`;

const NOTHING = "model Nothing {\n  id Int @id\n}";

/** Generates a client as a host does, and makes one over an adapter. */
export async function prismaClient(
  provider: "postgresql" | "mysql" | "sqlite",
  adapter: unknown,
  models = NOTHING,
): Promise<PrismaClient> {
  // Below this project, so that the generated files find Prisma's runtime.
  const parent = join(ROOT, "node_modules/.cache");
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, "prisma-"));
  atEndOfFile(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "schema.prisma"), SCHEMA(provider, models));
  const prisma = join(ROOT, "node_modules/prisma/build/index.js");
  // `generate` needs no engine, but looks for its file.
  const env = {
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    CHECKPOINT_DISABLE: "1",
  };
  const { ok, output } = await run(dir, process.execPath, [prisma, "generate", "--schema", "schema.prisma"], env);
  if (!ok) throw new Error(`prisma generate failed:\n${output}`);
  const made = (await import(pathToFileURL(join(dir, "client/client.ts")).href)) as {
    PrismaClient: new (options: { adapter: unknown }) => PrismaClient;
  };
  return new made.PrismaClient({ adapter });
}

/** Transactions of Prisma as the cases use them. */
export function overPrisma(client: PrismaClient): Library {
  const held = (tx: PrismaClient): Held => ({ tx, sql: (statement) => tx.$executeRawUnsafe(statement) });
  return {
    transaction: (work) => client.$transaction((tx) => work(held(tx)), { timeout: 60_000, maxWait: 60_000 }),
    nested: (outer, work) => (outer.tx as PrismaClient).$transaction((inner) => work(held(inner))),
    close: () => client.$disconnect(),
  };
}
