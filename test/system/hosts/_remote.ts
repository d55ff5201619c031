import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { BackendUnderTest, TestBackendOptions } from "../../../src/surfaces/testing/index.ts";
import { freePort } from "../../_support/port.ts";

/** A host that runs in a process of its own, with the backend of `fixtures/shared/remote.ts`. */
export interface HostProcess {
  readonly url: string;
  /** What it has printed so far. */
  printed(): string;
  /** Puts a new backend behind it, and answers how that one is reached; `preParsed` has the host read bodies first. */
  backend(options: TestBackendOptions, preParsed?: boolean): Promise<BackendUnderTest>;
  /** Ends it by a signal, SIGTERM by default, and answers the exit code. */
  close(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a Nitro or Nuxt server and waits until `path` is answered and its backend has called in. */
export async function startHost(options: {
  readonly path: string;
  readonly cwd: string;
  readonly args: readonly string[];
  /** Another runtime than Node. */
  readonly program?: string;
  readonly env?: Record<string, string>;
}): Promise<HostProcess> {
  const control = await controlServer();
  const port = await freePort();
  const { NODE_ENV: _, VITEST: __, ...inherited } = process.env;
  const child = spawn(options.program ?? process.execPath, options.args, {
    cwd: options.cwd,
    env: {
      ...inherited,
      HOST: "127.0.0.1",
      PORT: String(port),
      TEST_CONTROL_PORT: String(control.port),
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
  const exit = once(child, "exit") as Promise<[number | null]>;
  const url = `http://127.0.0.1:${port}`;
  try {
    const up = async (): Promise<boolean> => (await fetch(url + options.path)).ok && control.line() !== undefined;
    await until(up, child, () => printed);
  } catch (error) {
    child.kill("SIGKILL");
    control.close();
    throw error;
  }
  return {
    url,
    printed: () => printed,
    backend: async (options, preParsed = false) => {
      // A development server starts its worker anew when a file has changed, and that one calls in again.
      const line = control.line();
      if (!line) throw new Error(`the host's backend is gone:\n${printed}`);
      const { forms, start, state } = line;
      const key = await start(options, preParsed);
      return { key, forms, ...state() };
    },
    async close(signal = "SIGTERM") {
      child.kill(signal);
      const [code] = await exit;
      control.close();
      return code;
    },
  };
}

interface Line {
  start(options: TestBackendOptions, preParsed: boolean): Promise<string>;
  readonly forms: BackendUnderTest["forms"];
  state(): Pick<BackendUnderTest, "stored" | "seen">;
}

/** Where the backend of a fixture calls in. */
async function controlServer(): Promise<{ port: number; line(): Line | undefined; close(): void }> {
  let latest: { socket: Socket; line: Line } | undefined;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    latest = { socket, line: lineOver(socket) };
    socket.once("close", () => {
      if (latest?.socket === socket) latest = undefined;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    line: () => latest?.line,
    close() {
      latest?.socket.destroy();
      server.close();
    },
  };
}

function lineOver(socket: Socket): Line {
  let calls = 0;
  const waiting = new Map<number, (answer: { result?: unknown; error?: string }) => void>();
  let state: { stored: BackendUnderTest["stored"][number][]; seen: { begun: number; ended: number } };
  const fresh = (): void => {
    state = { stored: [], seen: { begun: 0, ended: 0 } };
  };
  fresh();
  const send = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: socket }).on("line", (text) => {
    const { id, report, begun, ended, stored, ...answer } = JSON.parse(text);
    if (report === undefined) return waiting.get(id)?.(answer);
    Object.assign(state.seen, { begun, ended });
    state.stored.push(...stored);
    send({ acknowledged: report });
  });
  const call = (method: string, ...args: unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      const id = ++calls;
      waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result as never) : reject(new Error(error)),
      );
      send({ id, method, args });
    });
  return {
    async start(options, preParsed) {
      const key = await call("start", options, preParsed);
      // Not before: what the backend of the last case had still to report came ahead of this answer.
      fresh();
      return key;
    },
    forms: { create: (input) => call("create", input), update: (id, patch) => call("update", id, patch) },
    state: () => state,
  };
}

async function until(done: () => Promise<boolean>, child: ChildProcess, printed: () => string): Promise<void> {
  // A development server compiles first, on a machine that may have other things to do.
  const end = Date.now() + 120_000;
  while (!(await done().catch(() => false))) {
    if (child.exitCode !== null) throw new Error(`the host ended with ${child.exitCode}:\n${printed()}`);
    if (Date.now() > end) throw new Error(`the host did not start within 120 s:\n${printed()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
