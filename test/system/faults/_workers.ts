import { type ChildProcess, fork } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import type { Stored } from "../../../src/drivers/storage/types.ts";
import type { JobRecord } from "../../../src/model/jobs.ts";

/** A child process that runs `worker.mjs`. */
export interface Worker {
  readonly process: ChildProcess;
  /** Settled when it has ended, with the code or signal. */
  readonly ended: Promise<number | string>;
  /** Calls the backend in the child. Rejects when the child ends before it answers. */
  call(name: string, ...args: unknown[]): Promise<unknown>;
  /** The Message-IDs of the mails it sent. */
  readonly mails: string[];
  /** How long it took from SIGTERM to its end by its own measure, see `worker.mjs`. */
  ownMs(): number | undefined;
}

interface Said {
  readonly ready?: true;
  readonly id?: number;
  readonly result?: unknown;
  readonly mail?: string;
  readonly ownMs?: number;
}

export async function startWorker(env: Record<string, string>): Promise<Worker> {
  const child = fork("test/system/faults/worker.mjs", {
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<number | string>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? (signal as string))),
  );
  const mails: string[] = [];
  let ownMs: number | undefined;
  const waiting = new Map<number, (result: unknown) => void>();
  await new Promise<void>((resolve, reject) => {
    child.on("message", (message: Said) => {
      if (message.ready) resolve();
      else if (message.ownMs !== undefined) ownMs = message.ownMs;
      else if (message.mail !== undefined) mails.push(message.mail);
      else waiting.get(message.id as number)?.(message.result);
    });
    void ended.then((end) => reject(new Error(`the worker ended with ${end} before it was ready`)));
  });
  let calls = 0;
  return {
    process: child,
    ended,
    mails,
    ownMs: () => ownMs,
    call(name, ...args) {
      const id = ++calls;
      return new Promise((resolve, reject) => {
        waiting.set(id, resolve);
        void ended.then((end) => reject(new Error(`the worker ended with ${end}`)));
        child.send({ id, call: name, args }, (error) => error && reject(error));
      });
    },
  };
}

/** One webhook request that waits for the test to answer it. */
export interface Held {
  /** The `webhook-id`. */
  readonly id: string;
  readonly body: string;
  answer(status: number): void;
}

/** A receiver that hands each request to `onRequest`; by default it holds them in `held`. */
export async function holdingReceiver(
  onRequest?: (held: Held) => void,
): Promise<{ url: string; held: Held[]; close(): Promise<void> }> {
  const held: Held[] = [];
  const take = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of req.setEncoding("utf8")) body += chunk;
    const one: Held = {
      id: String(req.headers["webhook-id"]),
      body,
      answer: (status) => void res.writeHead(status).end(),
    };
    if (onRequest) onRequest(one);
    else held.push(one);
  };
  // A sender that is killed while it sends cuts the request.
  const server = createServer((req, res) => void take(req, res).catch(() => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    held,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Every delivery in the file, read by nobody but us. */
export async function jobsIn(path: string): Promise<Stored<JobRecord>[]> {
  const storage = sqliteStorage({ path });
  await storage.open();
  try {
    const jobs: Stored<JobRecord>[] = [];
    for (let after: { sort: string; id: string } | undefined; ; ) {
      const rows = await storage.page("jobs", { index: "all", equals: {}, after, order: "asc", limit: 1_000 });
      jobs.push(...(rows as unknown as Stored<JobRecord>[]));
      const last = jobs.at(-1);
      if (rows.length < 1_000 || !last) return jobs;
      after = { sort: last.value.created_at, id: last.id };
    }
  } finally {
    await storage.close();
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for a condition; fails with `what` when it does not come true in two minutes. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await holds()); await pause(20)) {
    if (Date.now() > end) throw new Error(`${what}: not within ${withinMs / 1_000} s`);
  }
}
