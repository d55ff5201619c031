import assert from "node:assert/strict";
import type { Lane, QueueDriver } from "../../drivers/queue/types.ts";
import type { Suite } from "./suite.ts";

const WAIT_MS = 5_000;

/**
 * The conformance suite of a queue driver. Wakes may come late, repeat and join, so the cases wait up to 5 s and never count.
 *
 * @example for (const c of queueSuite) test(c.name, () => c.run(() => myQueue(options)));
 */
export const queueSuite: Suite<QueueDriver> = [
  {
    name: "a wake reaches every listener, with its lane",
    async run(create) {
      await withDriver(create, async (driver) => {
        const [one, two] = [recorder(), recorder()];
        await driver.listen(one.onWake);
        await driver.listen(two.onWake);
        for (const lane of ["webhook", "email", "another-lane"] as const) {
          driver.wake(lane);
          await Promise.all([one.woken(lane), two.woken(lane)]);
        }
      });
    },
  },
  {
    name: "many wakes at once leave none of their lanes asleep",
    async run(create) {
      await withDriver(create, async (driver) => {
        const listener = recorder();
        await driver.listen(listener.onWake);
        for (let n = 0; n < 1000; n++) driver.wake(n % 2 ? "webhook" : "email");
        await Promise.all([listener.woken("webhook"), listener.woken("email")]);
      });
    },
  },
  {
    name: "a listener that stopped hears nothing more, the others do",
    async run(create) {
      await withDriver(create, async (driver) => {
        const [stopped, other] = [recorder(), recorder()];
        const stop = await driver.listen(stopped.onWake);
        await driver.listen(other.onWake);
        driver.wake("webhook");
        await Promise.all([stopped.woken("webhook"), other.woken("webhook")]);
        await stop();
        await stop();
        const heard = stopped.count();
        // Two rounds over the same channel: by then, anything for the stopped listener would have arrived.
        for (const lane of ["email", "another-lane"] as const) {
          driver.wake(lane);
          await other.woken(lane);
        }
        assert.equal(stopped.count(), heard);
      });
    },
  },
  {
    name: "a listener that fails disturbs neither the caller nor the others",
    async run(create) {
      await withDriver(create, async (driver) => {
        const listener = recorder();
        await driver.listen(() => {
          throw new Error("this listener throws");
        });
        await driver.listen(async () => {
          throw new Error("this listener rejects");
        });
        await driver.listen(listener.onWake);
        driver.wake("webhook");
        await listener.woken("webhook");
        driver.wake("email");
        await listener.woken("email");
      });
    },
  },
  {
    name: "a wake without listeners, or after close, is fine; closing twice too",
    async run(create) {
      const driver = await create();
      driver.wake("webhook");
      const stop = await driver.listen(() => {});
      await driver.close();
      driver.wake("webhook");
      driver.wake("email");
      await driver.close();
      await stop();
    },
  },
];

async function withDriver(
  create: () => Promise<QueueDriver> | QueueDriver,
  use: (driver: QueueDriver) => Promise<void>,
): Promise<void> {
  const driver = await create();
  await use(driver).finally(() => driver.close());
}

function recorder(): { onWake(lane: Lane): void; woken(lane: Lane): Promise<void>; count(): number } {
  let count = 0;
  const heard = new Set<Lane>();
  const waiting = new Map<Lane, () => void>();
  return {
    count: () => count,
    onWake(lane) {
      count += 1;
      heard.add(lane);
      waiting.get(lane)?.();
    },
    /** Resolves with the first wake of the lane, past or to come. */
    async woken(lane) {
      if (heard.has(lane)) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve, reject) => {
        waiting.set(lane, resolve);
        timer = setTimeout(
          () => reject(new assert.AssertionError({ message: `no wake of ${lane} within ${WAIT_MS} ms` })),
          WAIT_MS,
        );
      }).finally(() => clearTimeout(timer));
    },
  };
}
