import { execFile } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../_support/port.ts";

const run = promisify(execFile);

/** A PostgreSQL server that only this test uses. */
export interface Cluster {
  readonly port: number;
  readonly password: string;
  url(user?: string, password?: string): string;
  /** Kills it as a crash would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** The directory of `initdb`, null where there is none. */
export function serverPrograms(): string | null {
  const found = existsSync("/usr/lib/postgresql")
    ? readdirSync("/usr/lib/postgresql")
        .map((version) => `/usr/lib/postgresql/${version}/bin`)
        .filter((bin) => existsSync(join(bin, "initdb")))
    : [];
  return process.env["POSTGRES_BIN"] ?? found.sort().at(-1) ?? null;
}

export async function startCluster(bin: string): Promise<Cluster> {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-postgres-"));
  const data = join(dir, "data");
  const password = "right";
  const port = await freePort();
  writeFileSync(join(dir, "password"), password);
  // The server refuses to run as root.
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    const { stdout } = await run("id", ["-u", "postgres"]);
    for (const path of [dir, join(dir, "password")]) chownSync(path, Number(stdout), -1);
  }
  const program = (name: string, args: string[]) =>
    asRoot
      ? run("runuser", ["-u", "postgres", "--", join(bin, name), ...args], { cwd: dir })
      : run(join(bin, name), args, { cwd: dir });
  await program("initdb", [
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "scram-sha-256",
    `--pwfile=${join(dir, "password")}`,
    "-E",
    "UTF8",
  ]);
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=40 -c shared_buffers=32MB`;
  const start = async (): Promise<void> => {
    await program("pg_ctl", ["start", "-w", "-D", data, "-l", join(dir, "log"), "-o", settings]);
  };
  const stop = async (mode: string): Promise<void> => {
    await program("pg_ctl", ["stop", "-w", "-D", data, "-m", mode]);
  };
  await start();
  return {
    port,
    password,
    url: (user = "postgres", secret = password) => `postgres://${user}:${secret}@127.0.0.1:${port}/postgres`,
    async crash() {
      await stop("immediate");
      await start();
    },
    stop: () => stop("immediate"),
    start,
    async remove() {
      await stop("immediate").catch(() => {});
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
