import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type BullmqQueueOptions, bullmqQueue } from "../../../../src/drivers/queue/bullmq.ts";
import type { Lane, QueueDriver } from "../../../../src/drivers/queue/types.ts";
import { queueSuite } from "../../../../src/surfaces/testing/queue.ts";
import { describeRedis, type OwnRedis, ownRedis, REDIS_URL, redisClient, removeKeys } from "../../../_support/redis.ts";
import { arrives, betweenProcesses } from "./_queues.ts";

const prefix = `form-backend-test-${randomUUID()}`;
const logger = () => ({ info: vi.fn(), warn: vi.fn() });
const silent = logger();

function queue(options: Partial<BullmqQueueOptions> = {}): QueueDriver {
  const driver = bullmqQueue({ connection: REDIS_URL, prefix, logger: silent, ...options });
  onTestFinished(() => driver.close());
  return driver;
}

describeRedis("bullmqQueue", () => {
  afterAll(() => removeKeys(prefix));

  for (const c of queueSuite) test(c.name, () => c.run(() => queue()));

  for (const c of queueSuite.filter(({ name }) => !/listener that fails/.test(name))) {
    test(`between processes: ${c.name}`, () => c.run(() => betweenProcesses(queue)));
  }

  test("a wake reaches the listeners of every process", async () => {
    const [waker, ...hearers] = [queue(), queue(), queue(), queue()];
    const heard = await Promise.all(
      hearers.map(async (hearer) => {
        const lanes: Lane[] = [];
        await hearer.listen((lane) => void lanes.push(lane));
        return lanes;
      }),
    );
    waker?.wake("email");
    await vi.waitFor(() => heard.forEach((lanes) => void expect(lanes).toContain("email")), { timeout: 15_000 });
  });

  test("a process does not hear its own wakes a second time", async () => {
    const [one, other] = [queue(), queue()];
    const own: Lane[] = [];
    const heard: Lane[] = [];
    await one.listen((lane) => void own.push(lane));
    await other.listen((lane) => void heard.push(lane));
    own.length = 0;
    one.wake("webhook");
    await vi.waitFor(() => expect(heard).toContain("webhook"), { timeout: 15_000 });
    await arrives(other, own, "email");
    expect(own.filter((lane) => lane === "webhook")).toHaveLength(1);
  });

  test("takes a client of ioredis, whatever its options, and leaves it open", async () => {
    const client = redisClient({ maxRetriesPerRequest: 3, keyPrefix: "mine:" });
    const [one, other] = [queue({ connection: client }), queue()];
    const heard: Lane[] = [];
    await one.listen((lane) => void heard.push(lane));
    await arrives(other, heard, "email");
    await one.close();
    expect(await client.call("PING")).toBe("PONG");
    client.disconnect();
  });

  test("leaves no connection behind", async () => {
    const client = redisClient();
    const mine = async () => String(await client.call("CLIENT", "LIST")).split(Buffer.from("wakes").toString("base64"));
    const before = (await mine()).length;
    const one = queue();
    await one.listen(() => {});
    one.wake("email");
    await vi.waitFor(async () => expect((await mine()).length).toBeGreaterThan(before));
    await one.close();
    await vi.waitFor(async () => expect((await mine()).length).toBe(before));
    client.disconnect();
  });

  test.each([["localhost"], [""], [null], [7]])(
    "a wrong connection (%j) is refused with what to give",
    (connection) => {
      expect(() => bullmqQueue({ connection: connection as string })).toThrow("`connection` must be a redis:// URL");
    },
  );
});

describeRedis("bullmqQueue without Redis", () => {
  let redis: OwnRedis;
  beforeAll(async () => {
    redis = await ownRedis();
  });
  afterEach(() => redis.stop());
  afterAll(() => redis?.end());
  const to = (log: ReturnType<typeof logger>, more: object = {}) =>
    queue({ connection: { host: "127.0.0.1", port: redis.port, ...more }, logger: log });

  test("starts, wakes this process, warns once, and hears the others as soon as Redis is there", async () => {
    const log = logger();
    const [one, other] = [to(log), to(logger())];
    const heard: Lane[] = [];
    await one.listen((lane) => void heard.push(lane));
    one.wake("webhook");
    await vi.waitFor(() => expect(heard).toContain("webhook"));
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalled());
    expect(log.warn.mock.calls.flat()).toEqual([expect.stringMatching(/ECONNREFUSED.*Check `connection`/)]);

    await redis.start();
    await arrives(other, heard, "email");
    await vi.waitFor(() => expect(log.info.mock.calls.flat()).toEqual([expect.stringContaining("Redis is back")]));
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  test("a Redis that goes away and comes back is found again, each time with one warning", async () => {
    await redis.start();
    const log = logger();
    const [one, other] = [to(log), to(logger())];
    const heard: Lane[] = [];
    await one.listen((lane) => void heard.push(lane));
    for (let round = 1; round <= 2; round++) {
      heard.length = 0;
      await arrives(other, heard, "email");
      await redis.stop();
      await vi.waitFor(() => expect(log.warn).toHaveBeenCalledTimes(round), { timeout: 15_000 });
      for (let n = 0; n < 1_000; n++) one.wake("webhook");
      await vi.waitFor(() => expect(heard).toContain("webhook"));
      await redis.start();
      await vi.waitFor(() => expect(log.info).toHaveBeenCalledTimes(round), { timeout: 15_000 });
    }
    heard.length = 0;
    await arrives(other, heard, "email");
    expect(log.warn).toHaveBeenCalledTimes(2);
  });

  test("a wrong password is named, and put right on the server it works without a restart", async () => {
    await redis.start("--requirepass", "right");
    const log = logger();
    const [one, other] = [to(log, { password: "wrong" }), to(logger(), { password: "wrong" })];
    const heard: Lane[] = [];
    await one.listen((lane) => void heard.push(lane));
    one.wake("webhook");
    await vi.waitFor(() => expect(heard).toContain("webhook"));
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalled());
    expect(log.warn.mock.calls.flat()).toEqual([expect.stringMatching(/WRONGPASS.*`connection.password`/)]);
    const admin = redisClient({ password: "right" }, `redis://127.0.0.1:${redis.port}`);
    await admin.call("CONFIG", "SET", "requirepass", "wrong");
    await arrives(other, heard, "email");
    admin.disconnect();
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  test("closes at once, also before it was ever connected", async () => {
    const one = to(logger());
    await one.listen(() => {});
    one.wake("email");
    await one.close();
    await one.close();
    one.wake("email");
  });
});
