import { expect, test } from "vitest";
import { ownTurn } from "../../../src/lib/turn.ts";

const WORK_MS = 20;
const work = (): void => {
  for (const from = performance.now(); performance.now() - from < WORK_MS; );
};

test("after long work, the queue rests for as long as it took, so that others have half of the time", async () => {
  const begun: number[] = [];
  const heavy = async () => {
    await ownTurn();
    begun.push(performance.now());
    work();
  };
  await Promise.all([heavy(), heavy(), heavy()]);
  await heavy();
  for (const [at, time] of begun.entries()) {
    if (at > 0) expect(time - (begun[at - 1] as number)).toBeGreaterThanOrEqual(2 * WORK_MS - 1);
  }
});

test("each caller has a turn alone, in the order in which they asked", async () => {
  const order: string[] = [];
  const light = async (name: string) => {
    await ownTurn();
    order.push(name);
    setImmediate(() => order.push(`turn after ${name}`));
  };
  await Promise.all([light("a"), light("b")]);
  expect(order.slice(0, 3)).toEqual(["a", "turn after a", "b"]);
});
