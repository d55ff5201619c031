import { setImmediate } from "node:timers/promises";
import type { Io } from "../../src/surfaces/cli/io.ts";
import { run } from "../../src/surfaces/cli/main.ts";
import { createTestBackend, type TestBackendOptions } from "../../src/surfaces/testing/backend.ts";

/** The result of a command. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command line without a process: it keeps what is written, and its time is the caller's. */
export function terminal(over: Partial<Io> = {}) {
  const written = { out: "", err: "" };
  const stop = new AbortController();
  const io: Io = {
    env: {},
    cwd: "/nowhere",
    async out(text) {
      written.out += text;
    },
    err(text) {
      written.err += text;
    },
    tty: { in: false, out: false, err: false },
    columns: 80,
    signal: stop.signal,
    ask: () => Promise.reject(new Error("asked without a terminal")),
    async sleep() {
      await setImmediate();
      stop.signal.throwIfAborted();
    },
    now: () => Date.parse("2026-01-02T00:00:00Z"),
    ...over,
  };
  const cli = async (...args: string[]): Promise<Ended> => {
    Object.assign(written, { out: "", err: "" });
    const code = await run(args, io);
    return { code, ...written };
  };
  return { io, written, stop, cli };
}

/** A command line with a backend in this process behind it. */
export function connected(over: Partial<Io> = {}, options: TestBackendOptions = {}) {
  const backend = createTestBackend(options);
  const requests: Request[] = [];
  const shell = terminal({
    env: { FORM_BACKEND_URL: backend.baseUrl, FORM_BACKEND_KEY: backend.key },
    fetch: (request) => {
      requests.push(request.clone());
      return backend.fetch(request);
    },
    ...over,
  });
  return { ...shell, backend, requests };
}

/** Lines of JSON. */
export const parsed = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
