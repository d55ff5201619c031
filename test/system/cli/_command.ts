import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

/** The command as it is published; `npm run test:system` builds it. */
export const CLI = resolve(import.meta.dirname, "../../../dist/cli.js");

/** A running command and what it has written. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }>;
}

/** Starts the command in a process of its own, with this environment and nothing else of ours. */
export function start(args: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}): Running {
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...options.env };
  const child = spawn(process.execPath, [CLI, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  const [out, err] = [text(child.stdout), text(child.stderr)];
  const ended = once(child, "close").then(async ([code, signal]: (number | NodeJS.Signals | null)[]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    out: await out,
    err: await err,
  }));
  return { child, ended };
}

/** Runs the command to its end. */
export const command = (args: readonly string[], options: Parameters<typeof start>[1] = {}): Running["ended"] =>
  start(args, options).ended;
