import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import type { FormBackendOptions } from "../api/kernel.ts";
import { bucketOf, variable } from "./environment.ts";
import { Failure, misuse } from "./failure.ts";
import type { Io } from "./io.ts";

/** The folder for everything that is kept in files. */
export const FOLDER = ".form-backend";

/** Drivers, and the end of what they share. */
export interface Drivers {
  readonly options: Pick<FormBackendOptions, "storage" | "blob" | "queue" | "mailer" | "rateLimit">;
  /** The place of the data as shown to people, without a password. */
  readonly place: string;
  /** Closes what the backend does not close itself. */
  close(): Promise<void>;
}

/** A package that the host installs; its absence is a message and not a stack. */
export async function installed<T>(name: string, variable: string, load: () => Promise<T>): Promise<T> {
  return load().catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure(`${variable} needs a package that is not installed. Run: npm install ${name}`);
  });
}

/** A URL of PostgreSQL or MySQL. Throws a misuse that shows nothing of the password. */
export function databaseUrl(env: Io["env"]): string | undefined {
  const url = variable(env, "DATABASE_URL");
  if (url !== undefined && !/^(postgres(ql)?|mysql|mariadb):\/\//.test(url)) {
    throw misuse("DATABASE_URL must begin with postgres:// or mysql://. Leave it out to use a SQLite file.");
  }
  if (url !== undefined && !canParseUrl(url)) {
    throw misuse("DATABASE_URL is not a URL; percent-encode special characters of the password.");
  }
  return url;
}

/** The kind of database that the URL names; undefined for a SQLite file. */
export function databaseOf(env: Io["env"]): "postgres" | "mysql" | "mariadb" | undefined {
  const [, scheme] = /^(postgres|mysql|mariadb)/.exec(databaseUrl(env) ?? "") ?? [];
  return scheme as ReturnType<typeof databaseOf>;
}

/** SQLite and files in the folder. With `create: false`, throws if there is no database yet. */
export async function fileDrivers(folder: string, { create }: { create: boolean }): Promise<Drivers> {
  const path = join(folder, "forms.db");
  if (!create && !existsSync(path)) {
    throw new Failure(
      `There is no database at ${path}. Run the command in the folder of \`form-backend serve\`, or set DATABASE_URL.`,
    );
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // It holds secrets and personal data, so it never becomes part of a repository.
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => {});
  const { sqliteStorage } = await import("../../drivers/storage/sqlite.ts");
  return { options: { storage: sqliteStorage({ path }) }, place: path, async close() {} };
}

/** The drivers that the environment names: the store, and the servers beside it that the caller uses. */
export async function driversOf(
  io: Io,
  { create, servers = [] }: { create: boolean; servers?: readonly ("SMTP_URL" | "REDIS_URL" | "S3_URL")[] },
): Promise<Drivers> {
  const { env } = io;
  const folder = resolve(io.cwd, FOLDER);
  const url = databaseUrl(env);
  const used = (name: (typeof servers)[number]) => (servers.includes(name) ? variable(env, name) : undefined);
  const [smtp, redis, s3] = [used("SMTP_URL"), used("REDIS_URL"), used("S3_URL")];
  const kind = databaseOf(env);
  const base =
    url === undefined
      ? await fileDrivers(folder, { create })
      : kind === "postgres"
        ? await postgresDrivers(io, url, folder)
        : await mysqlDrivers(url.replace(/^mariadb:/, "mysql:"), folder);
  const { options } = base;
  if (s3 !== undefined) options.blob = (await import("../../drivers/blob/s3.ts")).s3Blob(bucketOf(s3));
  if (smtp !== undefined) {
    if (!/^smtps?:\/\//i.test(smtp)) throw misuse("SMTP_URL must begin with smtp:// or smtps://.");
    // Node would print it with its password.
    if (!canParseUrl(smtp)) throw misuse("SMTP_URL is not a URL; percent-encode special characters of the password.");
    await installed("nodemailer", "SMTP_URL", () => import("nodemailer" as string));
    options.mailer = (await import("../../drivers/mailer/smtp.ts")).smtpMailer(smtp);
  }
  if (redis === undefined) return base;
  const { bullmqQueue } = await import("../../drivers/queue/bullmq.ts");
  await installed("bullmq ioredis", "REDIS_URL", () => import("bullmq" as string));
  const client = await redisClient(redis);
  options.queue = bullmqQueue({ connection: redis });
  options.rateLimit = { store: client };
  return {
    ...base,
    async close() {
      client.disconnect();
      await base.close();
    },
  };
}

/** A client of Redis. */
export async function redisClient(
  url: string,
  options: { lazyConnect?: boolean; retryStrategy?: () => null; connectTimeout?: number } = {},
) {
  const { Redis } = await installed("bullmq ioredis", "REDIS_URL", () => import("ioredis"));
  const client = new Redis(url, options);
  // The backend reports an outage once; without a listener, each attempt would be printed.
  client.on("error", () => {});
  return client;
}

async function postgresDrivers(io: Io, connectionString: string, folder: string): Promise<Drivers> {
  const { default: pg } = await installed("pg", "DATABASE_URL", () => import("pg"));
  const [{ postgresStorage }, { postgresQueue }, { fsBlob }] = await Promise.all([
    import("../../drivers/storage/postgres.ts"),
    import("../../drivers/queue/postgres.ts"),
    import("../../drivers/blob/fs.ts"),
  ]);
  const pool = new pg.Pool({ connectionString, max: 10 });
  pool.on("error", (error) => io.err(`database: ${error.message}\n`));
  const { host, pathname } = new URL(connectionString);
  return {
    options: {
      storage: postgresStorage({ pool }),
      queue: postgresQueue({ pool }),
      // Without S3_URL, uploads stay on this machine.
      blob: fsBlob({ dir: join(folder, "files") }),
    },
    place: `postgres://${host}${pathname}`,
    close: () => pool.end(),
  };
}

/** Workers of other processes find new work by looking every second. */
async function mysqlDrivers(uri: string, folder: string): Promise<Drivers> {
  const { default: mysql } = await installed("mysql2", "DATABASE_URL", () => import("mysql2/promise"));
  const [{ mysqlStorage }, { fsBlob }] = await Promise.all([
    import("../../drivers/storage/mysql.ts"),
    import("../../drivers/blob/fs.ts"),
  ]);
  const pool = mysql.createPool({ uri, connectionLimit: 10, charset: "utf8mb4", enableKeepAlive: true });
  const { host, pathname } = new URL(uri);
  return {
    // Without S3_URL, uploads stay on this machine.
    options: { storage: mysqlStorage({ pool }), blob: fsBlob({ dir: join(folder, "files") }) },
    place: `mysql://${host}${pathname}`,
    // It rejects where a connection was cut.
    close: () => pool.end().catch(() => {}),
  };
}
