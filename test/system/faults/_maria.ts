import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createConnection } from "mysql2/promise";
import { freePort } from "../../_support/port.ts";
import { pause } from "./_workers.ts";

const run = promisify(execFile);

/** A MariaDB server that only this test uses. */
export interface MariaServer {
  readonly uri: string;
  /** Kills it as a crash would, and starts it again. */
  crash(): Promise<void>;
  remove(): Promise<void>;
}

/** True if the server's programs are installed. */
export const hasMaria = (): boolean => [SERVER, INSTALL].every((file) => existsSync(file));

const SERVER = process.env["MARIADBD"] ?? "/usr/sbin/mariadbd";
const INSTALL = process.env["MARIADB_INSTALL_DB"] ?? "/usr/bin/mariadb-install-db";

export async function startMaria(): Promise<MariaServer> {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-mariadb-"));
  const data = join(dir, "data");
  const port = await freePort();
  // The server does not run as root.
  const user = process.getuid?.() === 0 ? "mysql" : undefined;
  if (user) {
    const { stdout } = await run("id", ["-u", user]);
    chownSync(dir, Number(stdout), -1);
  }
  const common = ["--no-defaults", `--datadir=${data}`, ...(user ? [`--user=${user}`] : [])];
  await run(INSTALL, [...common, "--auth-root-authentication-method=normal", "--skip-test-db"]);
  const uri = `mysql://root@127.0.0.1:${port}/forms`;
  let server: ChildProcess | undefined;
  const isUp = async (): Promise<boolean> => {
    try {
      const connection = await createConnection({ host: "127.0.0.1", port, user: "root" });
      await connection.query("CREATE DATABASE IF NOT EXISTS forms CHARACTER SET utf8mb4");
      await connection.end();
      return true;
    } catch {
      return false;
    }
  };
  const start = async (): Promise<void> => {
    const own = [
      "--bind-address=127.0.0.1",
      `--port=${port}`,
      `--socket=${join(dir, "socket")}`,
      `--pid-file=${join(dir, "pid")}`,
    ];
    server = spawn(SERVER, [...common, ...own, "--innodb-buffer-pool-size=64M", "--skip-log-bin"], { stdio: "ignore" });
    while (!(await isUp())) {
      if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}`);
      await pause(50);
    }
  };
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => server?.once("exit", resolve));
    server?.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    uri,
    async crash() {
      await stop();
      await start();
    },
    async remove() {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
