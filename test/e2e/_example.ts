import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

/** `npm test` has built it; a single run of a file has perhaps not. */
export function built(): void {
  if (!existsSync(join(ROOT, "dist/express.js"))) execFileSync("npm", ["run", "-s", "build"], { cwd: ROOT });
}

export interface RunningExample {
  readonly site: string;
  /** Everything that it printed so far. */
  printed(): string;
  /** Sends a signal and answers how the process ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts what `npm run example <name>` starts, with its data in `dir`; resolves when it says that it listens. */
export async function startExample(
  name: string,
  dir: string,
  env: Record<string, string> = {},
): Promise<RunningExample> {
  const port = await freePort();
  // Not NODE_ENV of the test runner: a reader of the example has none either.
  const { NODE_ENV: _, ...inherited } = process.env;
  const child: ChildProcess = spawn(process.execPath, ["scripts/example.mjs", name], {
    cwd: ROOT,
    env: { ...inherited, PORT: String(port), DATA_DIR: dir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  let printed = "";
  await new Promise<void>((up, down) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (printed.includes("Listening on")) up();
      });
    }
    void exit.then(([code]) => down(new Error(`the example ${name} ended with ${code}: ${printed}`)));
  });
  return {
    site: `http://localhost:${port}`,
    printed: () => printed,
    async end(signal) {
      child.kill(signal);
      const [code, by] = await exit;
      return { code, signal: by };
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
