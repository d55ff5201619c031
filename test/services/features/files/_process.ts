import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../../_support/bundle.ts";

export interface Reading {
  /** Bytes. */
  readonly rss: number;
  /** The highest since the last `settle`. */
  readonly peak: number;
  readonly submissions: number;
}

/** A real server in a process of its own. */
export interface App {
  readonly port: number;
  readonly path: string;
  /** Collects garbage, begins a new peak and answers what is held now. */
  settle(): Promise<Reading>;
  read(): Promise<Reading>;
  /** Names of the blobs that are there, half-written ones included. */
  blobs(): string[];
  stop(): Promise<void>;
}

/** `settings` go into its environment, as `_app.ts` reads them. */
export async function startApp(settings: { readonly S3?: string; readonly PLAN?: string } = {}): Promise<App> {
  const directory = mkdtempSync(join(tmpdir(), "form-backend-uploads-"));
  const child: ChildProcess = fork(await bundle("test/services/features/files/_app.ts"), {
    env: { ...process.env, ...settings, DIRECTORY: directory, NODE_ENV: "test" },
    // How far V8 lets an idle heap grow differs by its version as well. A process that held more objects than this would end here.
    execArgv: ["--expose-gc", "--max-semi-space-size=8", "--max-old-space-size=64"],
  });
  const answer = async <T>(): Promise<T> => (await once(child, "message"))[0] as T;
  const { port, form } = await answer<{ port: number; form: string }>();
  const ask = (question: string): Promise<Reading> => {
    child.send(question);
    return answer<Reading>();
  };
  return {
    port,
    path: `/forms/f/${form}`,
    settle: () => ask("settle"),
    read: () => ask("read"),
    blobs() {
      const files = join(directory, "files");
      try {
        return readdirSync(files, { recursive: true, encoding: "utf8" }).filter((name) => name !== ".partial");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw error;
      }
    },
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
