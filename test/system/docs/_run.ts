import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "tsup";
import { browser, server, zod } from "../../../tsup.config.ts";
import { type Block, root, whereIs } from "./_blocks.ts";

/** The ports of pages that a reader is told of; each run takes free ones in their place. */
const PORTS = ["3000", "3001"];
const START_MS = 30_000;

/** A folder in which `form-backend`, as the sources are now, is installed beside everything that this repository has. */
export async function installed(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "form-backend-docs-"));
  const modules = join(directory, "node_modules");
  mkdirSync(join(modules, "form-backend"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules"))) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  copyFileSync(join(root, "package.json"), join(modules, "form-backend/package.json"));
  const outDir = join(modules, "form-backend/dist");
  for (const part of [server, zod, browser]) {
    await build({ ...part, config: false, silent: true, dts: false, sourcemap: false, clean: false, outDir });
  }
  return directory;
}

/**
 * Does what a page says, from top to bottom, and throws where it does not print what the page says. `visit` is called at its end, while
 * what was started is still there.
 */
export async function follow(
  page: string,
  blocks: readonly Block[],
  directory: string,
  visit?: (origin: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(directory, `${page.replace(/\W+/g, "-")}-`));
  const free = await freePorts(PORTS.length);
  const mine = (text: string): string => PORTS.reduce((out, port, at) => out.replaceAll(port, free[at] ?? port), text);
  const theirs = (text: string): string =>
    free.reduce((out, port, at) => out.replaceAll(port, PORTS[at] ?? port), text);
  const started: ChildProcess[] = [];
  try {
    for (const [at, block] of blocks.entries()) {
      const name = block.file ?? (block.language === "js" && block.words.includes("run") ? `block-${at}.mjs` : null);
      if (name) writeFileSync(join(folder, name), mine(block.code));
      const shell = block.language === "sh" ? mine(block.code) : `node ${name}`;
      if (block.words.includes("start")) {
        const port = PORTS.find((one) => block.words.includes(one)) ?? "3000";
        started.push(await start(block, shell, folder, { port, at: Number(mine(port)) }));
      }
      if (!block.words.includes("run")) continue;
      const said = theirs(await run(block, shell, folder));
      const next = blocks[at + 1];
      if (next?.words.includes("output")) compare(next, said);
    }
    await visit?.(mine("http://localhost:3000"));
  } finally {
    for (const child of started) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

function child(shell: string, cwd: string): ChildProcess & { said: string; complained: string } {
  const { NODE_ENV: _, VITEST: __, ...env } = process.env;
  // `exec`, so that the signal at the end reaches the program and not a shell around it.
  const started = spawn("bash", ["-ec", shell.trim().includes("\n") ? shell : `exec env ${shell}`], { cwd, env });
  const process_ = Object.assign(started, { said: "", complained: "" });
  started.stdout?.setEncoding("utf8").on("data", (text: string) => (process_.said += text));
  started.stderr?.setEncoding("utf8").on("data", (text: string) => (process_.complained += text));
  return process_;
}

async function run(block: Block, shell: string, cwd: string): Promise<string> {
  const running = child(shell, cwd);
  const [code] = (await once(running, "close")) as [number];
  if (code !== 0) throw new Error(`${whereIs(block)} ended with ${code}:\n${running.complained}${running.said}`);
  return running.said;
}

/** Starts a program that listens on a port of the page, here another one, and waits until it does. */
async function start(
  block: Block,
  shell: string,
  cwd: string,
  { port, at }: { port: string; at: number },
): Promise<ChildProcess> {
  const running = child(shell, cwd);
  for (const end = Date.now() + START_MS; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (running.exitCode !== null) throw new Error(`${whereIs(block)} ended:\n${running.complained}`);
    if (await answers(at)) return running;
    if (Date.now() > end) throw new Error(`${whereIs(block)} does not listen on port ${port}:\n${running.complained}`);
  }
}

async function stop(running: ChildProcess): Promise<void> {
  if (running.exitCode !== null) return;
  const closed = once(running, "close");
  running.kill("SIGTERM");
  await closed;
}

/** `…` in an expected line stands for whatever differs from run to run. */
function compare(expected: Block, said: string): void {
  const pattern = expected.code
    .trim()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s\\S]*?");
  if (!new RegExp(`^${pattern}$`).test(said.trim())) {
    throw new Error(`${whereIs(expected)} says\n${expected.code}\nbut it prints\n${said}`);
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

/** So many ports that nobody listens on, as text. */
async function freePorts(count: number): Promise<string[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(probes.map((probe) => once(probe, "listening")));
  const ports = probes.map((probe) => String((probe.address() as { port: number }).port));
  await Promise.all(probes.map((probe) => once(probe.close(), "close")));
  return ports;
}
