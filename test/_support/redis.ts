import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, vi } from "vitest";
import { notRun } from "./not-run.ts";
import { freePort } from "./port.ts";

/** As much of an ioredis client as the tests use. */
export interface TestRedis {
  readonly status: string;
  readonly options: object;
  call(...args: (string | number)[]): Promise<unknown>;
  duplicate(options?: object): TestRedis;
  connect(): Promise<void>;
  disconnect(): void;
  defineCommand(name: string, definition: { lua: string }): void;
}

/** The Redis that is there for all tests: use keys with a prefix of one's own. */
export const REDIS_URL = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";
const ioredis = (await import("ioredis" as string).catch(() => null)) as {
  Redis: new (url: string, options?: object) => TestRedis;
} | null;

export function redisClient(options: object = {}, url = REDIS_URL): TestRedis {
  if (!ioredis) throw new Error("ioredis is not installed");
  return new ioredis.Redis(url, options);
}

const missing = await whatIsMissing();

/** Tests against Redis. */
export function describeRedis(name: string, body: () => void): void {
  if (missing) notRun(`${name}: ${missing}`);
  else describe(name, body);
}

/** Removes every key that begins with the prefix. */
export async function removeKeys(prefix: string): Promise<void> {
  const redis = redisClient();
  const keys = (await redis.call("KEYS", `${prefix}*`)) as string[];
  if (keys.length > 0) await redis.call("DEL", ...keys);
  redis.disconnect();
}

/** A Redis of the test's own, which can be stopped and started again on the same port. */
export interface OwnRedis {
  readonly port: number;
  start(...args: string[]): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Ends it for good and removes its files. */
  end(): Promise<void>;
}

export async function ownRedis(): Promise<OwnRedis> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), "form-backend-redis-"));
  let child: ChildProcess | undefined;
  const stop = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending && ending.exitCode === null && ending.kill(signal)) await once(ending, "exit");
  };
  return {
    port,
    async start(...args) {
      const own = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no"];
      child = spawn("redis-server", [...own, ...args], { stdio: "ignore" });
      await vi.waitFor(() => connects(port), { timeout: 15_000 });
    },
    stop,
    async end() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function connects(port: number, host = "127.0.0.1"): Promise<void> {
  const socket = createConnection({ port, host });
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}

async function whatIsMissing(): Promise<string | null> {
  if (!ioredis) return 'the package "ioredis" is not installed';
  const { hostname, port } = new URL(REDIS_URL);
  const there = await connects(Number(port || 6379), hostname).then(
    () => true,
    () => false,
  );
  if (!there) return `no Redis answers at ${REDIS_URL} (REDIS_URL may name another one)`;
  const server = spawn("redis-server", ["--version"], { stdio: "ignore" });
  const found = await once(server, "exit").then(
    () => true,
    () => false,
  );
  return found ? null : "redis-server is not installed";
}
