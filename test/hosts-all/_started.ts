import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "../_support/port.ts";

export interface Started {
  readonly url: string;
  printed(): string;
  close(): Promise<void>;
}

/**
 * Starts the app as its user would, and waits until the backend answers, with 200 or another status of its health. `own` is a port
 * that the app was told of by its author.
 */
export async function start(
  cwd: string,
  { start: args, program }: { readonly start: readonly string[]; readonly program?: string },
  environment: (url: string) => Record<string, string>,
  status = 200,
  own?: number,
): Promise<Started> {
  const port = own ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const { VITEST: _, TEST: __, ...inherited } = process.env;
  const env = { ...inherited, NODE_ENV: "production", PORT: String(port), ...environment(url) };
  const command = program === undefined ? process.execPath : join(cwd, "node_modules", program);
  const child = spawn(command, [...args, ...(own === undefined && takesPort(args) ? ["--port", String(port)] : [])], {
    cwd,
    env,
    detached: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
  const exited = once(child, "exit");
  const close = async (): Promise<void> => {
    // With its group: development servers leave their work to processes of their own, which would go on.
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await exited;
  };
  const until = Date.now() + 200_000;
  for (;;) {
    const health = await fetch(`${url}/forms/v1/health`).catch(() => undefined);
    if (health?.status === status) return { url, printed: () => printed, close };
    if (child.exitCode !== null || Date.now() > until) {
      await close();
      throw new Error(`the app did not start (${health?.status ?? "no answer"}):\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Those that do not read `PORT`. */
const takesPort = ([program = ""]: readonly string[]): boolean => /next|vite/.test(program);
