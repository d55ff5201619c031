import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { freePort } from "../../_support/port.ts";

export const ROOT = resolve(import.meta.dirname, "../../..");

/** `npm run test:system` builds first; a run of a single file may not. */
export function built(): void {
  if (!existsSync(join(ROOT, "dist/express.js"))) execFileSync("npm", ["run", "-s", "build"], { cwd: ROOT });
}

/** A script of ours that runs. */
export interface RunningScript {
  /** What it wrote to stdout until it was up. */
  readonly greeting: string;
  /** Everything that it printed so far. */
  printed(): string;
  /** Sends a signal and answers how the process ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a script of ours as its reader would; resolves when it writes `ready`. */
export async function startScript(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: string,
): Promise<RunningScript> {
  // Not NODE_ENV of the test runner: a reader has none either.
  const { NODE_ENV: _, ...inherited } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  let [greeting, printed] = ["", ""];
  await new Promise<void>((up, down) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        if (stream === child.stdout && !printed.includes(ready)) greeting += text;
        printed += text;
        if (printed.includes(ready)) up();
      });
    }
    void exit.then(([code]) => down(new Error(`${args.join(" ")} ended with ${code}: ${printed}`)));
  });
  return {
    greeting,
    printed: () => printed,
    async end(signal) {
      child.kill(signal);
      const [code, by] = await exit;
      return { code, signal: by };
    },
  };
}

export interface RunningExample extends RunningScript {
  readonly site: string;
}

/** Starts what `npm run example <name>` starts, with its data in `dir`; resolves when it says that it listens. */
export async function startExample(
  name: string,
  dir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningExample> {
  const port = String(await freePort());
  const script = ["scripts/example.mjs", name];
  const running = await startScript(script, { PORT: port, DATA_DIR: dir, ...env }, "Listening on");
  return { ...running, site: `http://localhost:${port}` };
}
