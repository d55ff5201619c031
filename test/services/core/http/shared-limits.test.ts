import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { resolveRates } from "../../../../src/core/options/rate-limit.ts";
import { createLimits } from "../../../../src/core/rates/rate-limit.ts";
import { kindOf } from "../../../../src/core/rates/rate-stores.ts";
import type { FormBackendOptions, RateClient } from "../../../../src/index.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { createBackend, type FormBackend } from "../../../../src/surfaces/form-backend.ts";
import {
  describePostgres,
  postgresPool,
  type TemporaryDatabase,
  temporaryDatabase,
} from "../../../_support/postgres.ts";
import { describeRedis, type OwnRedis, ownRedis, redisClient, removeKeys } from "../../../_support/redis.ts";

const hour = 3_600;
const open: FormBackend[] = [];
const logger = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });

afterEach(async () => {
  await Promise.all(open.splice(0).map((b) => b.close({ graceMs: 100 })));
});

/** Backends on one store and with the machine's clock, as processes that share a client of rates. */
async function processes(store: RateClient, n = 2, rateLimit: FormBackendOptions["rateLimit"] = {}) {
  const log = logger();
  const storage = memoryStorage();
  const backends = Array.from({ length: n }, () =>
    createBackend({
      baseUrl: "http://localhost:3000/forms",
      secret: "a secret for tests that is long enough",
      storage: { ...storage, close: async () => {} },
      work: false,
      logger: log,
      rateLimit: { ...rateLimit, store },
    }),
  );
  open.push(...backends);
  const { key } = await (backends[0] as FormBackend).keys.create({ name: "k", scopes: "all" });
  const me = (b: FormBackend) =>
    b.handle(new Request("http://localhost:3000/forms/v1/me", { headers: { authorization: `Bearer ${key}` } }));
  return { backends, log, me };
}

/** Whatever the store is, the backends on it keep one count. */
function shares(client: () => RateClient): void {
  it("one count over all processes, said on every answer, and Retry-After on the last", async () => {
    const { backends, me, log } = await processes(client(), 3, { management: { points: 5, seconds: hour } });
    const answers = [];
    for (let i = 0; i < 8; i++) answers.push(await me(backends[i % 3] as FormBackend));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    for (const [i, { headers }] of answers.entries()) {
      expect(headers.get("ratelimit-policy")).toBe(`"api";q=5;w=${hour}`);
      const [, left, reset] = /^"api";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
      expect(Number(left)).toBe(Math.max(0, 4 - i));
      expect(Number(reset)).toBeGreaterThan(hour - 120);
      expect(Number(reset)).toBeLessThanOrEqual(hour);
      expect(headers.get("retry-after")).toBe(i < 5 ? null : String(reset));
    }
    expect(log.warn).not.toHaveBeenCalled();
  });

  it("exactly as many as the rate allows when all come at once", async () => {
    const { backends, me } = await processes(client(), 4, { management: { points: 40, seconds: hour } });
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => (await me(backends[i % 4] as FormBackend)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60);
  });

  it("failed credentials, and posts by address, also over all processes", async () => {
    const two = { points: 2, seconds: hour };
    const { backends } = await processes(client(), 2, { failedAuth: two, perFormAndIp: two });
    const [a, b] = backends as [FormBackend, FormBackend];
    const net = randomUUID()
      .replace(/-/g, "")
      .replace(/(.{4})(?=.)/g, "$1:")
      .slice(0, 19);
    const { id } = await a.forms.create({ name: "A" });
    const wrong = (to: FormBackend, host: number) =>
      to.handle(
        new Request("http://localhost:3000/forms/v1/me", {
          headers: { authorization: "Bearer fb_live_0123456789ABCDEFGHIJKLMNOPQRSTUV35OXOh" },
        }),
        { ip: `${net}::${host}` },
      );
    const post = (to: FormBackend, host: number) =>
      to.handle(
        new Request(`http://localhost:3000/forms/f/${id}`, {
          method: "POST",
          body: '{"a":"1"}',
          headers: { "content-type": "application/json" },
        }),
        { ip: `${net}::${host}` },
      );
    for (const [send, first] of [
      [wrong, 401],
      [post, 200],
    ] as const) {
      const statuses = [];
      for (let i = 0; i < 4; i++) statuses.push((await send(i % 2 ? b : a, i)).status);
      expect(statuses).toEqual([first, first, 429, 429]);
    }
  });

  it("a window that ends, and names of any length", async () => {
    const limits = createLimits({
      ...resolveRates({ management: { points: 1, seconds: 1 }, store: client() }),
      clock: systemClock,
      warn: (message) => expect.fail(message),
    });
    const key = `${randomUUID()}\u0000${"é".repeat(5_000)}`;
    await limits.take("management", key);
    await expect(limits.take("management", key)).rejects.toMatchObject({ headers: { "retry-after": "1" } });
    await vi.waitFor(() => limits.take("management", key), { timeout: 10_000, interval: 100 });
  });
}

describeRedis("rateLimit.store with a client of ioredis", () => {
  const client = redisClient({ lazyConnect: true });
  beforeAll(() => client.connect());
  afterAll(async () => {
    client.disconnect();
    await removeKeys("form-backend:rate:");
  });
  shares(() => client);
});

describeRedis("rateLimit.store while Redis is away", () => {
  let redis: OwnRedis;
  beforeAll(async () => {
    redis = await ownRedis();
    await redis.start();
  });
  afterAll(() => redis?.end());

  it("nobody waits or is let through without a count, and Redis counts again when it is back", async () => {
    const client = redisClient({ retryStrategy: () => 100 }, `redis://127.0.0.1:${redis.port}`);
    (client as unknown as NodeJS.EventEmitter).on("error", () => {});
    await vi.waitFor(() => expect(client.status).toBe("ready"));
    const { backends, me, log } = await processes(client, 2, { management: { points: 3, seconds: hour } });
    const [a, b] = backends as [FormBackend, FormBackend];
    expect((await me(a)).status).toBe(200);
    await redis.stop();
    await vi.waitFor(() => expect(client.status).not.toBe("ready"));
    const statuses = { a: [] as number[], b: [] as number[] };
    for (let i = 0; i < 4; i++) {
      statuses.a.push((await me(a)).status);
      statuses.b.push((await me(b)).status);
    }
    expect(statuses).toEqual({ a: [200, 200, 200, 429], b: [200, 200, 200, 429] });
    expect(log.warn.mock.calls.flat()).toEqual(
      Array(2).fill(expect.stringContaining("each process counts by itself until it is back")),
    );
    await redis.start();
    await vi.waitFor(() => expect(client.status).toBe("ready"), { timeout: 15_000 });
    // Redis has kept nothing, so that the shared count begins anew.
    await vi.waitFor(async () => expect((await me(a)).status).toBe(200), { timeout: 15_000, interval: 250 });
    client.disconnect();
  });
});

describePostgres("rateLimit.store with a pool of pg", () => {
  let database: TemporaryDatabase;
  beforeAll(async () => {
    database = await temporaryDatabase();
  });
  afterAll(() => database?.drop());
  shares(() => database.pool);

  it("makes its table when twenty processes begin at once", async () => {
    const fresh = await temporaryDatabase();
    const rates = resolveRates({ management: { points: 100, seconds: hour } });
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { store } = resolveRates({ store: fresh.pool });
        const limits = createLimits({ ...rates, store, clock: systemClock, warn: (message) => expect.fail(message) });
        await limits.take("management", "one");
      }),
    );
    const { rows } = await fresh.pool.query("select key, points from form_backend.rate_counts");
    expect(rows).toEqual([{ key: "management:one", points: 20 }]);
    await fresh.drop();
  });

  it("says what is wrong when it may not create the table, and works when somebody did", async () => {
    const fresh = await temporaryDatabase();
    const role = `fb_${randomUUID().slice(0, 8)}`;
    await fresh.pool.query(`create role ${role} login`);
    const url = new URL(fresh.url);
    url.username = role;
    const pool = postgresPool({ connectionString: url.href });
    const limited = async () => {
      const warn = vi.fn();
      const limits = createLimits({ ...resolveRates({ store: pool }), clock: systemClock, warn });
      await limits.take("management", "one");
      return warn.mock.calls.flat();
    };
    expect(await limited()).toEqual([
      expect.stringContaining("permission denied: the role of the pool may not run: create schema"),
    ]);
    const { store } = resolveRates({ store: fresh.pool });
    await createLimits({ ...resolveRates(), store, clock: systemClock, warn: () => {} }).take("management", "one");
    await fresh.pool.query(`grant usage on schema form_backend to ${role}`);
    await fresh.pool.query(`grant select, insert, update, delete on form_backend.rate_counts to ${role}`);
    expect(await limited()).toEqual([]);
    await pool.end();
    await fresh.pool.query(`drop owned by ${role}`);
    await fresh.pool.query(`drop role ${role}`);
    await fresh.drop();
  });
});

describe("what a store may be", () => {
  it.each([
    ["a client of ioredis", { defineCommand() {}, status: "ready" }, "ioredis"],
    ["a client of node-redis", { sendCommand() {}, eval() {}, isReady: true }, "node-redis"],
    ["a pool of pg", { query() {}, connect() {} }, "pool"],
    ["nothing", null, null],
    ["a URL", "redis://127.0.0.1", null],
    ["something else", { get() {} }, null],
  ])("%s", (_, client, kind) => {
    expect(kindOf(client)).toBe(kind);
  });
});
