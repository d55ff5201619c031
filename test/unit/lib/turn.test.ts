import { expect, test } from "vitest";
import { createTurns, inSlices, ownTurn, stepwise } from "../../../src/lib/turn.ts";

/** A loop whose time passes only by `work` and `pass`. */
function fakeLoop() {
  let time = 1_000;
  let soon: (() => void)[] = [];
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  const settle = async () => {
    for (let n = 0; n < 20; n++) await Promise.resolve();
  };
  /** One phase of the loop: all that is due, with what follows from each before the next. */
  const phase = async () => {
    const due = timers.filter(({ at }) => at <= time);
    timers = timers.filter(({ at }) => at > time);
    const now = [...due.map(({ run }) => run), ...soon];
    soon = [];
    for (const run of now) {
      run();
      await settle();
    }
    return now.length > 0;
  };
  const turns = createTurns({
    now: () => time,
    soon: (run) => void soon.push(run),
    later(run, ms) {
      const timer = { at: time + ms, run };
      timers.push(timer);
      return timer;
    },
    stop(timer) {
      timers = timers.filter((one) => one !== timer);
    },
  });
  return {
    ...turns,
    now: () => time,
    work(ms: number) {
      time += ms;
    },
    settle,
    /** Goes on until `ms` are over; the loop does nothing else. */
    async pass(ms: number) {
      const end = time + ms;
      for (;;) {
        while (await phase());
        const next = Math.min(...timers.map(({ at }) => at), end);
        time = Math.max(time, next);
        if (time >= end) {
          await phase();
          return;
        }
      }
    },
  };
}

/** Callers that each work for `ms` in their turn; answers the times at which they began, from now. */
function heavy(loop: ReturnType<typeof fakeLoop>, count: number, ms: number): number[] {
  const begun: number[] = [];
  const start = loop.now();
  for (let n = 0; n < count; n++) {
    void loop.ownTurn().then(() => {
      begun.push(loop.now() - start);
      loop.work(ms);
    });
  }
  return begun;
}

test("after a slice of work the queue rests for as long as it took, so that others have half of the time", async () => {
  const loop = fakeLoop();
  const begun = heavy(loop, 4, 20);
  await loop.pass(200);
  expect(begun).toEqual([0, 40, 80, 120]);
});

test("short turns count together, and time without any counts as rest", async () => {
  const loop = fakeLoop();
  const begun = heavy(loop, 8, 2);
  await loop.pass(100);
  // Three of them are a slice.
  expect(begun).toEqual([0, 2, 4, 12, 14, 16, 24, 26]);
  await loop.pass(100);
  const later = heavy(loop, 3, 2);
  await loop.pass(50);
  expect(later).toEqual([0, 2, 4]);
});

test("while a post is under way, heavy work rests four times as long, and goes on once it has ended", async () => {
  const loop = fakeLoop();
  const answers: (() => void)[] = [];
  const visit = () => void loop.beforeOthers(() => new Promise<void>((answer) => answers.push(answer)));
  visit();
  visit();
  const begun = heavy(loop, 4, 10);
  await loop.pass(70);
  expect(begun).toEqual([0, 50]);
  answers.shift()?.();
  await loop.settle();
  await loop.pass(10);
  expect(begun).toEqual([0, 50]);
  answers.shift()?.();
  await loop.settle();
  await loop.pass(1);
  expect(begun).toEqual([0, 50, 80]);
});

test("a post that waits for something else holds heavy work up for a tenth of a second and no longer", async () => {
  const loop = fakeLoop();
  void loop.beforeOthers(() => new Promise(() => {}));
  await loop.pass(101);
  const begun = heavy(loop, 3, 10);
  await loop.pass(100);
  expect(begun).toEqual([0, 20, 40]);
});

test("heavy work gets on however many posts there are", async () => {
  const loop = fakeLoop();
  const begun = heavy(loop, 10, 5);
  for (let n = 0; n < 100; n++) {
    void loop.beforeOthers(() => new Promise(() => {}));
    await loop.pass(5);
  }
  expect(begun).toHaveLength(10);
});

test("turns of heavy visits follow one another while nobody else is there, and rest beside light visits", async () => {
  const loop = fakeLoop();
  const begun: number[] = [];
  const start = loop.now();
  const visits = (count: number) => {
    for (let n = 0; n < count; n++)
      void loop.visitTurn("a").then(() => {
        begun.push(loop.now() - start);
        loop.work(10);
      });
  };
  visits(3);
  await loop.pass(40);
  expect(begun).toEqual([0, 10, 20]);
  void loop.beforeOthers(() => new Promise(() => {}));
  visits(2);
  await loop.pass(90);
  expect(begun).toEqual([0, 10, 20, 70, 120]);
});

test("after a heavy visit among other heavy work, the queue rests for the time of the other work alone", async () => {
  const loop = fakeLoop();
  const begun: string[] = [];
  const start = loop.now();
  const run = (name: string, ms: number) => () => {
    begun.push(`${name} ${loop.now() - start}`);
    loop.work(ms);
  };
  void loop.ownTurn("a").then(run("work", 4));
  void loop.visitTurn("b").then(run("visit", 10));
  void loop.ownTurn("a").then(run("work", 10));
  void loop.ownTurn("a").then(run("work", 10));
  await loop.pass(100);
  expect(begun).toEqual(["work 0", "visit 4", "work 18", "work 38"]);
});

test("nothing makes way for a visit that is heavy itself", async () => {
  const loop = fakeLoop();
  void loop.beforeOthers((stepBack) => {
    stepBack();
    return new Promise(() => {});
  });
  expect(loop.makeWay(50)).toBeUndefined();
  const begun = heavy(loop, 3, 10);
  await loop.pass(100);
  expect(begun).toEqual([0, 20, 40]);
});

test("work that is heavy elsewhere makes way while a post is under way, and no longer than it says", async () => {
  const loop = fakeLoop();
  expect(loop.makeWay(50)).toBeUndefined();
  let answer = () => {};
  void loop.beforeOthers(() => new Promise<void>((resolve) => (answer = resolve)));
  const went: string[] = [];
  void loop.makeWay(20)?.then(() => went.push("20 ms"));
  void loop.makeWay(80)?.then(() => went.push("80 ms"));
  await loop.pass(19);
  expect(went).toEqual([]);
  await loop.pass(2);
  expect(went).toEqual(["20 ms"]);
  answer();
  await loop.settle();
  expect(went).toEqual(["20 ms", "80 ms"]);
  expect(loop.makeWay(50)).toBeUndefined();
});

test("work in the background leaves room for the next post too, for a second after one began", async () => {
  const loop = fakeLoop();
  expect(loop.leaveRoom(50)).toBeUndefined();
  await loop.beforeOthers(async () => {});
  expect(loop.leaveRoom(0)).toBeUndefined();
  const went: string[] = [];
  void loop.leaveRoom(50)?.then(() => went.push("50 ms"));
  await loop.pass(49);
  expect(went).toEqual([]);
  await loop.pass(2);
  expect(went).toEqual(["50 ms"]);
  await loop.pass(1_000);
  expect(loop.leaveRoom(50)).toBeUndefined();
});

test("long work in steps takes a turn for each slice", async () => {
  const loop = fakeLoop();
  const pause = loop.inSlices();
  let waits = 0;
  const done = (async () => {
    for (let step = 0; step < 100; step++) {
      loop.work(1);
      const wait = pause();
      if (!wait) continue;
      waits++;
      await wait;
    }
  })();
  await loop.pass(500);
  await done;
  expect(waits).toBe(20);
});

test("each caller has a turn alone, in the order in which they asked", async () => {
  const order: string[] = [];
  const light = async (name: string) => {
    await ownTurn();
    order.push(name);
    await null;
    order.push(`${name} goes on`);
  };
  await Promise.all([light("a"), light("b")]);
  expect(order).toEqual(["a", "a goes on", "b", "b goes on"]);
});

test("keys take turns, however many callers wait under one of them", async () => {
  const order: string[] = [];
  const loop = fakeLoop();
  for (const key of ["a", "a", "a", "b", "a", "b", "c"]) void loop.ownTurn(key).then(() => order.push(key));
  await loop.pass(1);
  expect(order.join("")).toBe("abcabaa");
});

test("steps answer what they end with, and throw what they throw", async () => {
  function* counting(fault?: Error) {
    let sum = 0;
    for (let n = 0; n < 10; n++) {
      sum += n;
      yield;
    }
    if (fault) throw fault;
    return sum;
  }
  expect(await stepwise(counting())).toBe(45);
  await expect(stepwise(counting(new Error("no")))).rejects.toThrow("no");
  expect(inSlices()()).toBeUndefined();
});
