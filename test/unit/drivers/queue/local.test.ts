import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { localQueue } from "../../../../src/drivers/queue/local.ts";
import { queueSuite } from "../../../../src/surfaces/testing/queue.ts";
import { passes } from "../../../_support/passes.ts";

describe("localQueue", () => {
  for (const c of queueSuite) test(c.name, () => passes(c.run(localQueue)));

  test("a wake never runs a listener inside the caller", async () => {
    const queue = localQueue();
    const onWake = vi.fn();
    await queue.listen(onWake);
    queue.wake("email");
    expect(onWake).not.toHaveBeenCalled();
    await turn();
    expect(onWake).toHaveBeenCalledExactlyOnceWith("email");
  });

  test("the wakes of one turn are joined by lane", async () => {
    const queue = localQueue();
    const onWake = vi.fn();
    await queue.listen(onWake);
    for (let n = 0; n < 100; n++) queue.wake(n % 2 ? "email" : "webhook");
    await turn();
    expect(onWake.mock.calls).toEqual([["webhook"], ["email"]]);
    queue.wake("email");
    await turn();
    expect(onWake).toHaveBeenCalledTimes(3);
  });

  test("a listener may stop another one while both are being woken", async () => {
    const queue = localQueue();
    const second = vi.fn();
    let stopSecond: () => Promise<void> = async () => {};
    await queue.listen(() => void stopSecond());
    stopSecond = await queue.listen(second);
    queue.wake("email");
    await turn();
    expect(second).not.toHaveBeenCalled();
  });

  test("close drops what was not delivered yet", async () => {
    const queue = localQueue();
    const onWake = vi.fn();
    await queue.listen(onWake);
    queue.wake("email");
    await queue.close();
    await queue.listen(onWake);
    queue.wake("email");
    await turn();
    await turn();
    expect(onWake).not.toHaveBeenCalled();
  });
});
