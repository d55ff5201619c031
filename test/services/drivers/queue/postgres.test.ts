import { randomBytes } from "node:crypto";
import type { Pool, PoolConfig } from "pg";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { type ListenPool, type PostgresQueueOptions, postgresQueue } from "../../../../src/drivers/queue/postgres.ts";
import type { Lane, QueueDriver } from "../../../../src/drivers/queue/types.ts";
import { type TestClock, testClock } from "../../../../src/surfaces/testing/clock.ts";
import { queueSuite } from "../../../../src/surfaces/testing/queue.ts";
import { describePostgres, POSTGRES_URL, postgresPool } from "../../../_support/postgres.ts";
import { proxyTo } from "../../../_support/proxy.ts";
import { arrives, betweenProcesses } from "./_queues.ts";

const channel = `test_${randomBytes(6).toString("hex")}`;
const logger = () => ({ info: vi.fn(), warn: vi.fn() });

function pool(config: PoolConfig = {}): Pool {
  const made = postgresPool({ max: 3, ...config });
  onTestFinished(() => made.end());
  return made;
}

function queue(options: Partial<PostgresQueueOptions> = {}): QueueDriver {
  const driver = postgresQueue({ pool: pool(), channel, logger: logger(), ...options });
  onTestFinished(() => driver.close());
  return driver;
}

const listeners = async (): Promise<number> => {
  const { rows } = await watcher.query("select count(*)::int as n from pg_stat_activity where query = $1", [
    `listen "${channel}"`,
  ]);
  return rows[0].n;
};
const watcher = postgresPool({ max: 1 });
afterAll(() => watcher.end());

describePostgres("postgresQueue", () => {
  for (const c of queueSuite) test(c.name, () => c.run(() => queue()));

  for (const c of queueSuite) {
    test(`between processes: ${c.name}`, () => c.run(() => betweenProcesses(queue)));
  }

  test("notifies at most once in 50 ms, whatever happens in between", async () => {
    const clock = testClock(0);
    const hostPool = pool();
    const notify = vi.spyOn(hostPool, "query");
    const waker = queue({ pool: hostPool as ListenPool, clock });
    for (let ms = 0; ms < 500; ms += 10) {
      clock.set(ms);
      waker.wake("email");
      waker.wake("webhook");
      await Promise.all(notify.mock.results.map(({ value }) => value));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(notify.mock.calls.length).toBeGreaterThan(2);
    expect(notify.mock.calls.length).toBeLessThanOrEqual(10);
    for (const [text] of notify.mock.calls) expect(text).toBe("select pg_notify($1, $2)");
  });

  test("keeps one connection, gives it back at close, and leaves the pool open", async () => {
    const hostPool = pool({ max: 2 });
    const one = queue({ pool: hostPool as ListenPool });
    await one.listen(() => {});
    await one.listen(() => {});
    expect([await listeners(), hostPool.totalCount - hostPool.idleCount]).toEqual([1, 1]);
    await one.close();
    expect(hostPool.totalCount - hostPool.idleCount).toBe(0);
    await vi.waitFor(async () => expect(await listeners()).toBe(0));
    expect((await hostPool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect(hostPool.listenerCount("error")).toBe(0);
  });

  test("a message that is not ours is nobody's wake", async () => {
    const [one, other] = [queue(), queue()];
    const heard: Lane[] = [];
    await one.listen((lane) => void heard.push(lane));
    for (const text of ["", "x", "x Y", "x webhook;drop", "x __proto__"]) {
      await watcher.query("select pg_notify($1, $2)", [channel, text]);
    }
    await arrives(other, heard, "email");
    expect(heard.filter((lane) => lane !== "email")).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["no pool", { pool: {} }, "`pool` must be a pool of `pg`"],
    ["a pool of one connection", { pool: postgresPool({ max: 1 }) }, "give it at least 2"],
    ["a channel that needs quotes", { channel: 'a"; drop table x; --' }, "`channel` must be"],
  ])("%s is refused with what to change", (_, options, message) => {
    expect(() => postgresQueue({ pool: postgresPool(), ...options } as PostgresQueueOptions)).toThrow(message);
  });
});

describePostgres("postgresQueue on a bad line", () => {
  let clock: TestClock;
  async function behindProxy() {
    const { hostname, port } = new URL(POSTGRES_URL);
    const proxy = await proxyTo(hostname, Number(port || 5432));
    clock = testClock(Date.now());
    const log = logger();
    const hostPool = pool({ connectionString: viaProxy(proxy.port) });
    // Ends first: a pool waits for connections that it can't say goodbye to.
    onTestFinished(() => proxy.close());
    const [one, other] = [queue({ pool: hostPool as ListenPool, logger: log, clock }), queue()];
    const heard: Lane[] = [];
    await one.listen((lane) => void heard.push(lane));
    return { proxy, log, one, other, heard, hostPool };
  }
  const viaProxy = (port: number): string => {
    const url = new URL(POSTGRES_URL);
    url.hostname = "127.0.0.1";
    url.port = String(port);
    return url.href;
  };
  /** Lets the clock go on until the condition holds: the driver's own pauses pass as fast as they come. */
  const until = (condition: () => void | Promise<void>, step = 1_000): Promise<void> =>
    vi.waitFor(
      async () => {
        clock.set(clock.now() + step);
        await condition();
      },
      { timeout: 18_000, interval: 50 },
    );

  test("a lost connection is reported once and made anew when PostgreSQL is back", async () => {
    const { proxy, log, one, other, heard } = await behindProxy();
    await proxy.cut();
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalled());
    for (let n = 0; n < 100; n++) one.wake("webhook");
    await vi.waitFor(() => expect(heard).toContain("webhook"));
    for (let n = 0; n < 60; n++) await until(() => {});
    expect(log.warn.mock.calls.flat()).toEqual([expect.stringContaining("Nothing is lost")]);
    await proxy.restore();
    await until(() => {
      other.wake("email");
      one.wake("another");
      expect(heard).toContain("email");
    });
    await until(() => {
      one.wake("another");
      expect(log.info.mock.calls.flat()).toEqual([expect.stringContaining("notifies again")]);
    });
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  test("a connection that the server ends is made anew", async () => {
    const { log, other, heard } = await behindProxy();
    await watcher.query("select pg_terminate_backend(pid) from pg_stat_activity where query like $1", [
      "%listen%" + channel + "%",
    ]);
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalled());
    await until(() => {
      other.wake("email");
      expect(heard).toContain("email");
    });
  });

  test("a half-open connection is noticed by what does not come back", async () => {
    const { proxy, log, other, heard } = await behindProxy();
    proxy.silence();
    await proxy.restore();
    await until(() => expect(log.warn).toHaveBeenCalled(), 31_000);
    await until(() => {
      other.wake("email");
      expect(heard).toContain("email");
    });
  }, 40_000);

  test("a pool that was ended is named, and the caller is not disturbed", async () => {
    const log = logger();
    const hostPool = postgresPool();
    const one = queue({ pool: hostPool as ListenPool, logger: log });
    await hostPool.end();
    const heard: Lane[] = [];
    await one.listen((lane) => void heard.push(lane));
    one.wake("email");
    await vi.waitFor(() => expect(heard).toEqual(["email"]));
    expect(log.warn.mock.calls.flat()).toEqual([expect.stringContaining("call `backend.close()` before `pool.end()`")]);
  });

  test("a pooler that loses LISTEN is noticed and named", async () => {
    const log = logger();
    const hostPool = pool();
    // Like PgBouncer in transaction mode: what is listened to belongs to no connection of ours.
    const connect = hostPool.connect.bind(hostPool);
    const forgetful = Object.assign(Object.create(hostPool), {
      query: hostPool.query.bind(hostPool),
      async connect() {
        const client = await connect();
        const query = client.query.bind(client) as (text: string) => Promise<unknown>;
        client.query = ((text: string) => query(text.startsWith("listen") ? "select 1" : text)) as never;
        return client;
      },
    }) as ListenPool;
    const one = queue({ pool: forgetful, logger: log });
    await one.listen(() => {});
    await vi.waitFor(() => expect(log.warn.mock.calls.flat()).toEqual([expect.stringContaining("PgBouncer")]), {
      timeout: 15_000,
    });
  });
});
