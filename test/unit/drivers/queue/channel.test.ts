import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { type Channel, lanesOf, outageReporter, overChannel } from "../../../../src/drivers/queue/_channel.ts";
import type { Lane } from "../../../../src/drivers/queue/types.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { queueSuite } from "../../../../src/surfaces/testing/queue.ts";
import { passes } from "../../../_support/passes.ts";

function recorded(send: (lanes: readonly Lane[]) => Promise<void> = async () => {}) {
  const sent: (readonly Lane[])[] = [];
  let heard: (lane: Lane) => void = () => {};
  const channel: Channel = {
    send: (lanes) => {
      sent.push(lanes);
      return send(lanes);
    },
    async hear(onLane) {
      heard = onLane;
    },
    close: vi.fn(async () => {}),
  };
  const clock = testClock(0);
  return {
    sent,
    channel,
    clock,
    queue: overChannel("recorded", 50, channel, clock),
    hear: (lane: Lane) => heard(lane),
  };
}

const silent: Channel = { send: async () => {}, hear: async () => {}, close: async () => {} };

describe("a queue over a channel that carries nothing", () => {
  for (const c of queueSuite) test(c.name, () => passes(c.run(() => overChannel("silent", 50, silent))));
});

describe("a queue over a channel", () => {
  test("sends the first wakes at once, and the later ones together when the time is over", async () => {
    const { sent, clock, queue } = recorded();
    for (let n = 0; n < 100; n++) queue.wake(n % 2 ? "email" : "webhook");
    await turn();
    expect(sent).toEqual([["webhook", "email"]]);
    for (let n = 0; n < 100; n++) queue.wake("email");
    await turn();
    clock.set(49);
    await turn();
    expect(sent).toHaveLength(1);
    clock.set(50);
    await turn();
    expect(sent).toEqual([["webhook", "email"], ["email"]]);
    clock.set(1_000);
    await turn();
    expect(sent).toHaveLength(2);
    queue.wake("webhook");
    await turn();
    expect(sent).toHaveLength(3);
  });

  test("has one message on its way, however long that takes", async () => {
    let arrived = (): void => {};
    const { sent, clock, queue } = recorded(() => new Promise((resolve) => (arrived = resolve)));
    queue.wake("email");
    await turn();
    for (let n = 1; n < 1_000; n++) {
      queue.wake(n % 2 ? "webhook" : "another");
      clock.set(n * 100);
    }
    await turn();
    expect(sent).toEqual([["email"]]);
    arrived();
    await turn();
    expect(sent).toEqual([["email"], ["webhook", "another"]]);
  });

  test.each<[string, () => Promise<void>]>([
    ["rejects", () => Promise.reject(new Error("gone"))],
    [
      "throws",
      () => {
        throw new Error("gone");
      },
    ],
  ])(
    "a channel that %s is no concern of the caller; this process is woken, and the others are when it can be done",
    async (_, fail) => {
      let send = fail;
      const { clock, queue, sent } = recorded(() => send());
      const onWake = vi.fn();
      await queue.listen(onWake);
      queue.wake("email");
      await turn();
      expect(onWake).toHaveBeenCalledExactlyOnceWith("email");
      queue.wake("webhook");
      clock.set(999);
      await turn();
      expect([sent, onWake.mock.calls]).toEqual([[["email"]], [["email"], ["webhook"]]]);
      send = async () => {};
      clock.set(1_000);
      await turn();
      expect(sent.map((lanes) => [...lanes].sort())).toEqual([["email"], ["email", "webhook"]]);
      clock.set(60_000);
      await turn();
      expect(sent).toHaveLength(2);
    },
  );

  test("passes what it hears on to every listener, and does not send it back", async () => {
    const { hear, queue, sent } = recorded();
    const [one, two] = [vi.fn(), vi.fn()];
    await queue.listen(one);
    await queue.listen(two);
    hear("webhook");
    await turn();
    expect([one.mock.calls, two.mock.calls, sent]).toEqual([[["webhook"]], [["webhook"]], []]);
  });

  test("says at `listen` when it can never hear, and may be asked again", async () => {
    const hear = vi.fn<Channel["hear"]>().mockRejectedValueOnce(new Error("install it")).mockResolvedValue();
    const queue = overChannel("broken", 50, { ...silent, hear });
    await expect(queue.listen(() => {})).rejects.toThrow("install it");
    await queue.listen(() => {});
    await queue.listen(() => {});
    expect(hear).toHaveBeenCalledTimes(2);
  });

  test("sends nothing after close, and closes its channel once", async () => {
    const { channel, clock, queue, sent } = recorded();
    queue.wake("email");
    await Promise.all([queue.close(), queue.close()]);
    await turn();
    clock.set(1_000);
    queue.wake("email");
    await turn();
    expect([sent, vi.mocked(channel.close).mock.calls.length]).toEqual([[], 1]);
  });
});

test("a message of anything but names wakes nobody", () => {
  expect(lanesOf("webhook,email")).toEqual(["webhook", "email"]);
  expect(lanesOf("No lane,__proto__,email,")).toEqual(["email"]);
  expect(lanesOf(Array(1_000).fill("a").join())).toHaveLength(16);
  for (const text of [undefined, null, 7, "", "webhook email"]) expect(lanesOf(text)).toEqual([]);
});

test("an outage is reported once, and so is its end", () => {
  const logger = { info: vi.fn(), warn: vi.fn() };
  const report = outageReporter(logger, "back");
  const told = () => [logger.warn.mock.calls.flat(), logger.info.mock.calls.flat()];
  report.up("send");
  for (let n = 0; n < 5; n++) report.down(n % 2 ? "send" : "hear", () => `down ${n}`);
  report.up("hear");
  report.up("hear");
  expect(told()).toEqual([["down 0"], []]);
  report.up("send");
  report.down("hear", () => "down again");
  expect(told()).toEqual([["down 0", "down again"], ["back"]]);
});
