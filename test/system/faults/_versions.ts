import { type ChildProcess, execFile, fork } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const APP = "test/system/faults/version.mjs";

/** The version before this one. Once a version is released, this is its tag. */
export const BEFORE = "4832bf2bff1a9e70a48ca47f1cf13639a2427b56";

/** True if the history of this clone goes back to the version before. */
export const hasBefore = async (): Promise<boolean> =>
  run("git", ["cat-file", "-e", `${BEFORE}^{commit}`]).then(
    () => true,
    () => false,
  );

/** The version before, built in a folder of its own; answers the path of its app. */
export async function buildBefore(): Promise<{ readonly app: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "form-backend-before-"));
  const archive = join(folder, "before.tar");
  await run("git", [
    "archive",
    "--output",
    archive,
    BEFORE,
    "src",
    "scripts",
    "adapters",
    "package.json",
    "tsup.config.ts",
  ]);
  await run("tar", ["-xf", archive, "-C", folder]);
  for (const config of ["tsconfig.json", "tsconfig.types.json"]) copyFileSync(config, join(folder, config));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  await run(process.execPath, [resolve("node_modules/tsup/dist/cli-default.js"), "--no-dts", "--silent"], {
    cwd: folder,
  });
  const app = join(folder, "version.mjs");
  copyFileSync(APP, app);
  return { app, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A process of one of the two versions. */
export interface Version {
  readonly port: number;
  /** Lines of its log at the level `error`. */
  readonly errors: string[];
  call<T>(name: string, ...args: unknown[]): Promise<T>;
  /** Ends it as a deploy does. */
  end(): Promise<void>;
}

interface Said {
  readonly ready?: true;
  readonly logged?: string;
  readonly id?: number;
  readonly result?: unknown;
  readonly failed?: string;
}

export async function startVersion(app: string, port: number, env: Record<string, string>): Promise<Version> {
  const child: ChildProcess = fork(app, {
    env: { ...process.env, NODE_ENV: "production", PORT: String(port), ...env },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = new Promise<void>((settle) => child.once("exit", () => settle()));
  const errors: string[] = [];
  const waiting = new Map<number, { done(result: unknown): void; failed(error: Error): void }>();
  await new Promise<void>((settle, reject) => {
    child.on("message", ({ ready, logged, id = 0, result, failed }: Said) => {
      if (ready) return settle();
      if (logged !== undefined) return void errors.push(logged);
      if (failed === undefined) waiting.get(id)?.done(result);
      else waiting.get(id)?.failed(new Error(failed));
      waiting.delete(id);
    });
    void gone.then(() => reject(new Error(`${app} ended before it was ready`)));
  });
  let calls = 0;
  return {
    port,
    errors,
    call: <T>(call: string, ...args: unknown[]) =>
      new Promise<T>((settle, reject) => {
        waiting.set(++calls, { done: (result) => settle(result as T), failed: reject });
        child.send({ id: calls, call, args });
      }),
    async end() {
      child.kill("SIGTERM");
      await gone;
    },
  };
}

/** This version's app. It finds the package from the folder of the repository. */
export const appHere = APP;
