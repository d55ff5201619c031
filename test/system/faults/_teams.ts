import { type ChildProcess, fork } from "node:child_process";

/** A process that runs `team.mjs`. */
export interface Host {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  readonly port: number;
  /** Calls its backend. Rejects with the words of the fault, or when the process ends first. */
  call<T = unknown>(name: string, ...args: unknown[]): Promise<T>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
}

interface Said {
  readonly ready?: number;
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string;
}

export async function startHost(env: Record<string, string>): Promise<Host> {
  const child = fork("test/system/faults/team.mjs", {
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const waiting = new Map<number, (said: Said) => void>();
  const port = await new Promise<number>((resolve, reject) => {
    child.on("message", (said: Said) => {
      if (said.ready !== undefined) resolve(said.ready);
      else waiting.get(said.id as number)?.(said);
    });
    void ended.then(() => reject(new Error("the process ended before it was ready")));
  });
  let calls = 0;
  return {
    process: child,
    ended,
    port,
    call<T>(name: string, ...args: unknown[]) {
      const id = ++calls;
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, ({ result, error }) => (error === undefined ? resolve(result as T) : reject(new Error(error))));
        void ended.then(() => reject(new Error("the process ended")));
        child.send({ id, call: name, args }, (error) => error && reject(error));
      });
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

let n = 0;

/** Posts to a form at a rate until it is stopped, and what became of the posts. */
export function posting(url: () => string, everyMs: number, domain: string) {
  const found = { accepted: 0, refused: 0, unanswered: 0, ms: [] as number[], sent: [] as number[] };
  let isOver = false;
  const one = async (): Promise<void> => {
    const started = performance.now();
    try {
      const response = await fetch(url(), {
        method: "POST",
        headers: { accept: "application/json" },
        body: new URLSearchParams({ n: `p${++n}`, email: `p${n}@${domain}`, message: `Posted to ${domain}` }),
      });
      await response.arrayBuffer();
      if (response.status === 200) found.accepted++;
      else found.refused++;
      found.ms.push(performance.now() - started);
      found.sent.push(started);
    } catch {
      found.unanswered++;
    }
  };
  // At a rate, and not each after the one before: a stall is then seen by all that come while it lasts.
  const under = new Set<Promise<void>>();
  const timer = setInterval(() => {
    if (isOver) return;
    const post = one();
    under.add(post);
    void post.finally(() => under.delete(post));
  }, everyMs);
  return {
    found,
    async stop() {
      isOver = true;
      clearInterval(timer);
      await Promise.all(under);
      return found;
    },
  };
}

/** The value below which a percentage of all values lie. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
